"""Mass, centre of mass and inertia tensor: placing, joining and checking them.

All functions here keep to one rule: an inertia tensor is stored about the centre of mass. To reach any other point,
or to move between two other points, go through the centre of mass, because only there the parallel-axis theorem
holds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gelenk.checks import check_number
from gelenk.errors import InputError

FloatArray = NDArray[np.float64]

# Tensors come from data sheets with ten or more digits and from sums over many triangles. 1e-9 of the largest moment is
# far above the rounding of both and far below any difference a motion would show.
TENSOR_TOLERANCE = 1e-9

# Products of inertia below this share of the largest moment are the rounding of a surface integral, not a tilt of the
# axes.
DIAGONAL_TOLERANCE = 64.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False, init=False)
class MassProperties:
    """Mass, centre of mass and inertia of a rigid body or a part of one.

    Both arrays are in the axes of the frame A in which they were computed, and are read-only.

        I = integral of (|r|^2 E - r r^T) dm,   r from the centre of mass

    A part may be a point mass or a rod without thickness, so zero moments are accepted here; a whole body is held to
    :func:`check_inertia`.

    Parameters
    ----------
    mass : float
        [kg], above 0.
    com : (3,) [m]
        Centre of mass from the origin of A.
    inertia : (3, 3) [kg m^2]
        About the centre of mass, axes of A, symmetric.
    """

    mass: float
    com: FloatArray
    inertia: FloatArray

    def __init__(self, mass: float, com: ArrayLike, inertia: ArrayLike) -> None:
        element = "mass properties"
        object.__setattr__(self, "mass", check_number(element, "mass", mass, "kg", above=0))
        object.__setattr__(self, "com", _read_only(_vector(element, "com", com)))
        object.__setattr__(self, "inertia", _read_only(_symmetric_tensor(element, inertia)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MassProperties):
            return NotImplemented
        return (
            self.mass == other.mass
            and np.array_equal(self.com, other.com)
            and np.array_equal(self.inertia, other.inertia)
        )

    def __hash__(self) -> int:
        # adding zero turns -0.0 into 0.0: the two are equal, so their hashes must be
        return hash((self.mass, (self.com + 0.0).tobytes(), (self.inertia + 0.0).tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        # through the constructor, so that copies in other processes are read-only too
        return MassProperties, (self.mass, np.array(self.com), np.array(self.inertia))

    def moved(
        self, translation: ArrayLike = (0.0, 0.0, 0.0), rotation_matrix: ArrayLike | None = None
    ) -> MassProperties:
        """The same part placed in another frame: a part known in frame B, expressed in frame A.

            p_AC = p_AB + R_AB p_BC        I_A = R_AB I_B R_AB^T

        Source: change of basis of a tensor of second rank (Goldstein, Classical Mechanics, on the inertia tensor).

        Parameters
        ----------
        translation : (3,) [m]
            p_AB, origin of the part's frame B in A.
        rotation_matrix : (3, 3), optional
            R_AB, takes axes of B to A; identity if not given.
        """
        p_AB = _vector("mass properties", "translation", translation)
        if rotation_matrix is None:
            return MassProperties(self.mass, self.com + p_AB, self.inertia)
        R_AB = _rotation("mass properties", rotation_matrix)
        inertia = R_AB @ self.inertia @ R_AB.T
        return MassProperties(self.mass, p_AB + R_AB @ self.com, 0.5 * (inertia + inertia.T))

    def about(self, point: ArrayLike) -> FloatArray:
        """Inertia about any point, by the parallel-axis theorem from the centre of mass.

            I_P = I_C + m (|t|^2 E - t t^T),   t = P - C

        Source: Steiner's theorem in tensor form (Goldstein, Classical Mechanics, on the inertia tensor).

        Parameters
        ----------
        point : (3,) [m]
            P in the same frame as ``com``.

        Returns
        -------
        (3, 3) [kg m^2]
            In the same axes as ``inertia``. Never add a second shift to it: start again from the centre of mass.
        """
        t = _vector("mass properties", "point", point) - self.com
        return self.inertia + _steiner(self.mass, t)


def combine(parts: Sequence[MassProperties]) -> MassProperties:
    """Mass properties of rigidly joined parts, all given in one frame.

        m = sum m_k      s = sum m_k s_k / m      I = sum ( I_k + m_k (|t_k|^2 E - t_k t_k^T) ),   t_k = s_k - s

    Source: additivity of the integrals and Steiner's theorem. Parts that overlap count twice; a hole is not a part of
    negative mass here but an inward shell of a mesh.

    Parameters
    ----------
    parts : sequence of MassProperties
        At least one.
    """
    if len(parts) == 0:
        raise InputError(
            "mass properties",
            "combine() was given no part",
            "one or more parts",
            "Give at least one shape with a density, or state mass and inertia yourself.",
        )
    mass = math.fsum(part.mass for part in parts)
    # measured from the first part: exact for one part, and no digits are lost far from the origin
    start = parts[0].com
    com = start + sum((part.mass / mass) * (part.com - start) for part in parts)
    inertia = np.zeros((3, 3))
    for part in parts:
        inertia += part.inertia + _steiner(part.mass, part.com - com)
    return MassProperties(mass, com, inertia)


def principal_axes(inertia: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Principal moments and the frame they belong to.

        I = R_BP diag(A, B, C) R_BP^T

    A tensor that is already diagonal (to the rounding of a surface integral) keeps its axes: the identity is returned
    with the diagonal untouched, in its order and to the last bit. Otherwise order and signs of the axes are chosen so
    that P lies as close to B as it can (largest trace of R_BP), which makes the result continuous with the diagonal
    case and the same on every call. Moments are therefore not sorted.

    Source: spectral theorem for symmetric tensors; LAPACK ``syevd``.

    Parameters
    ----------
    inertia : (3, 3) [kg m^2]

    Returns
    -------
    moments : (3,) [kg m^2]
    R_BP : (3, 3)
        Right-handed (determinant +1); columns are the principal axes in B.
    """
    tensor = _symmetric_tensor("inertia", inertia)
    off_diagonal = max(abs(tensor[0, 1]), abs(tensor[0, 2]), abs(tensor[1, 2]))
    if off_diagonal <= DIAGONAL_TOLERANCE * np.abs(np.diag(tensor)).max():
        return np.diag(tensor).copy(), np.eye(3)

    moments, axes = np.linalg.eigh(0.5 * (tensor + tensor.T))
    # Order with the largest sum of |diagonal|, then signs that make the diagonal positive. The squares of an orthogonal
    # matrix are doubly stochastic, so that sum exceeds 1; a mirrored matrix has a trace of 1 at most. R is a rotation.
    orders = [list(order) for order in itertools.permutations(range(3))]
    order = max(orders, key=lambda order: float(np.abs(np.diag(axes[:, order])).sum()))
    R_BP = axes[:, order]
    return moments[order], R_BP * np.where(np.diag(R_BP) < 0.0, -1.0, 1.0)


def check_inertia(element: str, inertia: ArrayLike) -> FloatArray:
    """Refuse a tensor that no rigid body can have.

    The tensor must be a finite, symmetric, positive definite 3 x 3 matrix whose principal moments A <= B <= C satisfy

        A + B >= C

    because A + B - C is twice the integral of the squared coordinate along the third axis. A flat body has A + B = C
    exactly and passes; rounding of 1e-9 of the largest moment is forgiven.

    Parameters
    ----------
    element : str
        Kind and name for the message, such as ``"body 'sled'"``.
    inertia : (3, 3) [kg m^2]
        About the centre of mass.

    Returns
    -------
    (3, 3) [kg m^2]
        The same numbers as float64, made symmetric to the last bit.
    """
    tensor = _symmetric_tensor(element, inertia)
    a, b, c = np.linalg.eigvalsh(0.5 * (tensor + tensor.T))
    moments = f"principal moments are ({a:.6g}, {b:.6g}, {c:.6g}) kg m^2"
    if not a > 4.0 * np.finfo(np.float64).eps * abs(c):
        raise InputError(
            element,
            moments,
            "three principal moments above 0",
            "Check the signs (products of inertia enter as -integral of x y dm); give thin bodies a thickness.",
        )
    if a + b < c - TENSOR_TOLERANCE * c:
        raise InputError(
            element,
            f"{moments}, and {a:.6g} + {b:.6g} = {a + b:.6g} is less than {c:.6g}",
            "moments A <= B <= C with A + B >= C, as every body has",
            "Check the units and that all three moments are about the centre of mass.",
        )
    return 0.5 * (tensor + tensor.T)  # the same bits if it was symmetric


def _steiner(mass: float, t: FloatArray) -> FloatArray:
    """Inertia of a point mass at t:  m (|t|^2 E - t t^T)."""
    return mass * ((t @ t) * np.eye(3) - np.outer(t, t))


def _read_only(array: FloatArray) -> FloatArray:
    array.setflags(write=False)
    return array


def _numbers(element: str, name: str, value: ArrayLike, shape: tuple[int, ...], remedy: str) -> FloatArray:
    """A fresh float64 copy of the given shape with finite entries, or an error that names the first bad one."""
    allowed = f"{' x '.join(str(n) for n in shape)} finite numbers"
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(element, f"{name} is {value!r}", allowed, remedy) from error
    if array.shape != shape:
        raise InputError(element, f"{name} has shape {array.shape}", allowed, remedy)
    if not np.isfinite(array).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InputError(
            element, f"{name}[{', '.join(str(i) for i in index)}] is {float(array[index])}", allowed, remedy
        )
    return array


def _vector(element: str, name: str, value: ArrayLike) -> FloatArray:
    return _numbers(element, name, value, (3,), f"Give {name} as three numbers (x, y, z) in m.")


def _symmetric_tensor(element: str, value: ArrayLike) -> FloatArray:
    remedy = "Give three rows of three numbers in kg m^2; from principal moments use numpy.diag((A, B, C))."
    tensor = _numbers(element, "inertia", value, (3, 3), remedy)
    largest = np.abs(tensor).max()
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if abs(tensor[i, j] - tensor[j, i]) > TENSOR_TOLERANCE * largest:
            raise InputError(
                element,
                f"inertia[{i}, {j}] is {float(tensor[i, j])!r} but inertia[{j}, {i}] is {float(tensor[j, i])!r}",
                "a symmetric tensor",
                "Give both entries the same value: -integral of the product of the two coordinates dm.",
            )
    return tensor


def _rotation(element: str, value: ArrayLike) -> FloatArray:
    remedy = "Give an orthonormal matrix with determinant +1 whose columns are the axes of the part."
    R = _numbers(element, "rotation_matrix", value, (3, 3), remedy)
    error = float(np.abs(R.T @ R - np.eye(3)).max())
    determinant = float(np.linalg.det(R))
    if error > TENSOR_TOLERANCE or determinant < 0.0:
        raise InputError(
            element,
            f"rotation_matrix has determinant {determinant:.6g} and R^T R differs from the identity by {error:.3g}",
            "a rotation",
            remedy,
        )
    return R
