"""A contact problem as plain data: what contacts and joints of one step ask, apart from any simulation and solver."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gelenk.contact.problem_check import SHAPES, checked
from gelenk.errors import InputError

FORMAT = "gelenk-contact-problem 1"


class ContactSolution(NamedTuple):
    """Impulses that a solver found for a problem."""

    impulse: np.ndarray  # (contacts, 3) along normal, tangent, normal x tangent, on body b [N s]
    couple: np.ndarray  # (contacts, 3) about them [N m s]
    row_impulse: np.ndarray  # (rows,) [N s] or [N m s]
    residual: float  # in the set of the solver [m/s] or [rad/s]
    solved: bool  # whether that is within the tolerance
    sweeps: int  # over all contacts, of solvers that sweep


@dataclass(frozen=True, slots=True, eq=False)
class ContactProblem:
    """Find impulses p of contacts and rows, with the velocities  V' = V + M^-1 J^T p  that they lead to:

        0 <= p_n,   u_n + soft p_n >= want,   one of them an equation               u = J V' of a contact
        |p_t| <= mu p_n,   and where a point slides,  p_t = -mu p_n u_t / |u_t|
        low <= p <= high,   J V' + soft p = want  between the bounds                of a row

    and couples up to an arm times p_n against relative rotation. It holds no simulation and no solver: :meth:`save` and
    :meth:`load` keep it in a file, :meth:`solve` finds impulses with any solver, and :meth:`residual` judges them all
    alike. ``sim.contact_problem()`` takes it from the last step of a simulation.
    """

    inverse_mass: np.ndarray  # (nodes,) [1/kg], 0 for what does not move
    inverse_inertia: np.ndarray  # (nodes, 3, 3) world axes [1/(kg m^2)]
    velocity: np.ndarray  # (nodes, 6) without these impulses, world axes, linear part first
    a: np.ndarray  # (contacts,) nodes
    b: np.ndarray
    normal: np.ndarray  # (contacts, 3) unit vector from a to b
    tangent: np.ndarray  # (contacts, 3) unit vector; the second tangent is normal x tangent
    arm_a: np.ndarray  # (contacts, 3) centre of mass to the point, world axes [m]
    arm_b: np.ndarray
    want: np.ndarray  # (contacts,) least normal velocity of b against a [m/s]
    soft: np.ndarray  # (contacts,) [1/kg]
    friction: np.ndarray  # (contacts, 2) coefficients along the tangent and across it
    couple_arms: np.ndarray  # (contacts, 2) of rolling and of torsional friction [m]
    row_first: np.ndarray  # (rows + 1,) entries of row r are first[r] up to first[r + 1]
    row_node: np.ndarray  # (entries,)
    row_jacobian: np.ndarray  # (entries, 6)
    row_want: np.ndarray  # (rows,) [m/s] or [rad/s]
    row_soft: np.ndarray  # (rows,)
    row_low: np.ndarray  # (rows,) bounds; rows without any come first
    row_high: np.ndarray
    impulse: np.ndarray  # (contacts, 3) what the simulation found, along normal and tangents
    couple: np.ndarray  # (contacts, 3)
    row_impulse: np.ndarray  # (rows,)

    def __post_init__(self) -> None:
        for name, value in checked({name: getattr(self, name) for name in SHAPES}).items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"<ContactProblem of {len(self.a)} contacts and {len(self.row_want)} rows>"

    def save(self, path: str | Path) -> Path:
        """Keep it in a file, compressed; the name ends in ``.npz``."""
        path = Path(path).with_suffix(".npz")
        arrays = {name: getattr(self, name) for name in SHAPES}
        np.savez_compressed(path, format=np.array(FORMAT), **arrays)
        return path

    @classmethod
    def load(cls, path: str | Path) -> ContactProblem:
        """Read it from a file of :meth:`save`."""
        if not Path(path).is_file():
            raise InputError(
                f"file {str(path)!r}", "there is none", "a file of ContactProblem.save()", "Check its name."
            )
        try:
            with np.load(path, allow_pickle=False) as data:
                found = {name: data[name] for name in data.files}
        except (ValueError, OSError) as error:
            raise InputError(
                f"file {str(path)!r}", "no problem to read", "a file of ContactProblem.save()", "Save it again."
            ) from error
        if str(found.get("format")) != FORMAT or set(found) != {"format", *SHAPES}:
            missing = ", ".join(sorted(set(SHAPES) - set(found))[:3]) or "none missing"
            what = f"format {str(found.get('format'))!r}, arrays missing: {missing}"
            raise InputError(f"file {str(path)!r}", what, f"a file of the format {FORMAT!r}", "Save it again.")
        return cls(**{f.name: found[f.name] for f in fields(cls)})

    def residual(self, solution: ContactSolution | None = None, *, solver: Any = None) -> float:
        """How far impulses are from solving the problem, the largest over contacts and rows [m/s] or [rad/s]:

            max | p - prox(p - w / d) | d       w what is missing of the velocity, d the answer of the point or row to p

        in normal direction, in the tangent plane, for couples and for rows, each with the nearest point of its set.
        Zero exactly at a solution, for every solver computed in the same way from the impulses alone.

        Parameters
        ----------
        solution : impulses; those of the simulation if left out
        solver : the sets are those of this solver: the polygons of :class:`Dantzig` and :class:`Lemke`, Coulomb's cone
            for all others and if left out
        """
        from gelenk.contact.problem_solve import measured

        return measured(self, solution or self.found, solver)

    def solve(
        self, solver: Any = "newton", *, tolerance: float = 1e-9, sweeps: int = 100_000, warm: bool = False
    ) -> ContactSolution:
        """Find impulses.

        Parameters
        ----------
        solver : "sweeps", "conjugate" or "lanes" (sweeps one by one, sped up, and four side by side), "newton";
            ``gk.Dantzig()`` with friction in boxes or ``gk.Lemke()`` with friction in pyramids. "conjugate" and "lanes"
            take contacts without rows, "lanes" at least 128 rigid ones
        tolerance : residual at which solvers that iterate end [m/s]
        sweeps : most of them
        warm : begin with the impulses of the simulation instead of none; solvers that pivot do not
        """
        from gelenk.contact.problem_solve import solved

        return solved(self, solver, tolerance, sweeps, warm)

    @property
    def found(self) -> ContactSolution:
        """Impulses of the simulation that the problem was taken from; their residual is not computed."""
        return ContactSolution(self.impulse, self.couple, self.row_impulse, np.nan, False, 0)
