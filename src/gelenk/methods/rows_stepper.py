"""One run of a method that solves rows: the part that RowStepping and Impulse share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gelenk.compile import Repeated, kernel, routine
from gelenk.contact.block import STEP
from gelenk.contact.events import LISTENS, NOTED
from gelenk.contact.first_look import warn_of_contacts
from gelenk.contact.problem import ContactProblem
from gelenk.contact.problem_take import taken_problem
from gelenk.contact.report import (
    ContactForce,
    ContactImpact,
    all_colliders,
    colliders_by_name,
    contact_forces,
    contact_info,
    contact_torque,
    impacts_of,
    touching_segments,
    warn_of_fed_energy,
    warn_of_losses,
    warn_of_solver,
)
from gelenk.contact.setup import forgotten, with_more
from gelenk.contact.space_block import PAIRS
from gelenk.contact.stages import ASK
from gelenk.errors import InputError
from gelenk.graph.rest_stages import names_asleep, rest_info, sleeping_forces, touching_asleep, with_room
from gelenk.integrators.scheme import step
from gelenk.methods.follow import follow, new_links
from gelenk.methods.free import WHY
from gelenk.methods.jumps import JumpWatch
from gelenk.methods.lead import lead
from gelenk.methods.tally import count_in, new_tally
from gelenk.model.model import Model
from gelenk.rows.block import NONE
from gelenk.state import State

SHORTEST = 1e-100  # quaternion that still has a direction: its square must not vanish


@kernel
def advance_rows(work, links, tally, system, state, t_start, h, first, count):
    """Take steps first, first + 1, ... as :func:`gelenk.methods.free.advance` does.

    Before each, connected inputs take over their outputs; after it, forces are counted in.
    """
    return take_steps(work, links, tally, system, state, t_start, h, first, count)


@routine
def take_steps(work, links, tally, system, state, t_start, h, first, count):
    """The loop of :func:`advance_rows`; how many steps were taken."""
    for k in range(count):
        follow(links, work.joints, work.memory, state)
        lead(links, work.joints, work.memory, work.rows, state, t_start + (first + k) * h, h)
        step(work, system, state, t_start + (first + k) * h, h)
        if work.status[0] != 0:
            return k
        count_in(tally, work.memory, h)
    return count


class RowsStepper:
    """Moves a state in place."""

    kernel = advance_rows

    def __init__(self, model: Model, state: State, work: Any) -> None:
        self.model, self.system, self.state, self.work = model, model.system, state, work
        self._call = Repeated(self.kernel)
        self.tally, self.links = new_tally(model.wired), new_links(model.wired)
        self._inputs, self._names = model.wired.memory(state.memory).inputs, list(model.wired.inputs)
        stages = getattr(work, "contact", None)
        self.looked = stages is None or not stages.address[0]  # at the contacts of the first step
        self._judges = not self.looked  # until it has warned of the solver of contacts
        self._feeds = stages is not None  # until it has warned of impacts that feed energy
        self._loses = stages is not None and len(stages.segments.set) > 0  # until it has warned of lost segments
        self.owners: list[str] | None = None  # whose each collider is, where bodies are merged; else by its node
        self._poses = [int(at) for at in model.wired.joints.pair["pose"] if at != NONE]
        self._jumps = JumpWatch(model, state)

    def advance(self, t_start: float, h: float, first: int, count: int) -> int:
        """Take up to ``count`` steps; fewer only if one failed, see :meth:`why`."""
        for at in self._poses:
            if not math.hypot(*self._inputs[at + 3 : at + 7]) > SHORTEST:
                name = self._names[at].rpartition(".")[0]
                found = f"{name}.qw, qx, qy and qz are {', '.join(f'{x:g}' for x in self._inputs[at + 3 : at + 7])}"
                raise InputError("inputs", found, "a quaternion of a length above 0", f"Set {name}.qw to 1.")
        done = 0
        before = self._jumps.begin(t_start + first * h) if self._jumps.active and count > 0 else None
        if not self.looked and count > 0:
            done = self._with_room(t_start, h, first, 1)
            self.looked = done == 1
            if self.looked:
                warn_of_contacts(self.model, self.work.contact)
        done += self._with_room(t_start, h, first + done, count - done)
        if self._judges and warn_of_solver(self.work.contact):
            self._judges = False
        if self._feeds and warn_of_fed_energy(self.work.contact, self.system.masses, self.state):
            self._feeds = False
        if self._loses and warn_of_losses(self.model, self.work.contact):
            self._loses = False
        if before is not None:
            self._jumps.end(before)
        return done

    def _with_room(self, t_start: float, h: float, first: int, count: int) -> int:
        """Take steps; where one lacks room for its contacts, make it and go on."""
        done = self._advance(t_start, h, first, count)
        while self.work.status[0] >= PAIRS:
            missing, self.work.status[0] = int(self.work.status[0]), 0
            self.work = self.work._replace(contact=with_more(self.work.contact, self.model, missing))
            if self._sleeps():
                self.work = self.work._replace(rest=with_room(self.work.rest, self.work.contact))
            done += self._advance(t_start, h, first + done, count - done)
        return done

    def _advance(self, t_start: float, h: float, first: int, count: int) -> int:
        blocks = self.work, self.links, self.tally, self.system, self.state
        return int(self._call(blocks, t_start, h, first, count))

    @property
    def forgets(self) -> bool:
        """Whether nothing is kept from step to step beside the state, nor looked at between calls."""
        stages = getattr(self.work, "contact", None)
        touching = stages is not None and stages.address[0]
        return not (touching or self._poses or self._jumps.active or self.tally.on[0])

    def listen(self) -> None:
        """Note from now on which shapes begin and end to touch."""
        self.work.contact.events.number[LISTENS] = 1

    def events(self) -> tuple[np.ndarray, Any, int]:
        """What happened since the last call, by steps; the shapes; the steps done since the start."""
        stages = self.work.contact
        noted = stages.events.event[: int(stages.events.number[NOTED])].copy()
        stages.events.number[NOTED] = 0
        return noted, all_colliders(stages), int(stages.contacts.number[STEP])

    def touching(self) -> list[dict[str, int]]:
        """Pairs of colliders that touch now, each once, asleep ones included."""
        found = self.work.contact.space.found
        tally = found.tally[0]
        now = found.pair[tally.now, : tally.pairs[tally.now]]
        pairs = set(now[now["touch"] == 1][["a", "b"]].tolist())
        pairs |= touching_asleep(self.work.rest) if self._sleeps() else touching_segments(self.work.contact)
        return [{"a": a, "b": b} for a, b in sorted(pairs)]

    def memory(self) -> np.ndarray | None:
        """The tally of forces, if it is kept; what rows remember is part of the state."""
        return self.tally.flat.copy() if self.tally.on[0] else None

    def restore(self, memory: np.ndarray | None) -> None:
        """Go back to a tally, and forget a failure."""
        self.work.status[0] = 0
        if getattr(self.work, "contact", None) is not None:
            self.work = self.work._replace(contact=forgotten(self.work.contact))
        if memory is not None:
            self.tally.flat[:] = memory

    def why(self) -> str:
        """Why the last call fell short."""
        return WHY.get(int(self.work.status[0]), "")

    def info(self) -> dict[str, Any]:
        """Figures of the last step and since the start."""
        last, worst = self.work.figures[:2]
        rows = {"rows": int(self.work.rows.counts[0]), "residual": float(last), "worst_residual": float(worst)}
        stages = getattr(self.work, "contact", None)
        if stages is None or not stages.address[0]:
            return rows
        return rows | contact_info(stages) | (rest_info(self.work.rest) if self._sleeps() else {})

    def contacts(self) -> list[ContactForce]:
        """Points that pressed in the last step."""
        stages = getattr(self.work, "contact", None)
        if stages is None or not stages.address[0]:
            return []
        names = self.owners or colliders_by_name(self.model, stages)
        return contact_forces(stages, names) + (sleeping_forces(self.work.rest, names) if self._sleeps() else [])

    def contact_torque(self, node: int) -> np.ndarray:
        """Moment of the contact forces on a node about its centre of mass in the last step [N m]."""
        stages = getattr(self.work, "contact", None)
        return np.zeros(3) if stages is None or not stages.address[0] else contact_torque(stages, node)

    def impacts(self) -> list[ContactImpact]:
        """Points that met and bounced in the last step."""
        stages = getattr(self.work, "contact", None)
        if stages is None or not stages.address[0]:
            return []
        return impacts_of(stages, self.owners or colliders_by_name(self.model, stages))

    def problem(self) -> ContactProblem:
        """What contacts and rows asked of their solver in the last step."""
        work, stages = self.work, getattr(self.work, "contact", None)
        if stages is None or not stages.address[ASK]:
            found = "a simulation without contact, or by another method"
            raise InputError("contact_problem()", found, "shapes that can meet, and gk.RowStepping()", "Use these.")
        if len(work.joints.row) and work.options[0] >= 2:
            found = 'stabilise="pre" or "post", which leaves other rows behind'
            raise InputError("contact_problem()", found, '"baumgarte" or "off" with joints', "Change stabilise.")
        return taken_problem(stages, work.joints, work.bodies, work.rows)

    def asleep(self) -> tuple[str, ...]:
        """Names of what sleeps."""
        return names_asleep(self.model, self.work.rest) if self._sleeps() else ()

    def _sleeps(self) -> bool:
        """Whether the method lets bodies sleep."""
        rest = getattr(self.work, "rest", None)
        return rest is not None and bool(rest.address[0])


def check_bool(element: str, what: str, value: Any) -> None:
    """True or false, and no word or number for it."""
    if not isinstance(value, bool):
        raise InputError(element, f"{what} is {value!r}"[:80], "true or false", "Pass a bool.")


def check_solver(element: str, solver: Any) -> None:
    """A solver object, not a class or a word."""
    if not callable(getattr(solver, "workspace", None)) or isinstance(solver, type):
        allowed = "gk.Tree(), gk.Sparse(), gk.GaussSeidel(), gk.Dantzig(), gk.Lemke(), gk.Split()"
        remedy = f"Write gk.{solver.__name__}()." if isinstance(solver, type) else "Pass a solver object."
        raise InputError(element, f"solver is {solver!r}"[:80], allowed, remedy)
