"""3-vectors as values: the same text runs compiled to scalars and as plain Python.

>>> Vec3(1.0, 0.0, 0.0).cross(Vec3(0.0, 1.0, 0.0))
Vec3(x=0.0, y=0.0, z=1.0)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, value_type


@value_type
class Vec3(NamedTuple):
    """Three components in one frame; the name of the variable says which (``p_WB``, ``w_WB_B``)."""

    x: float
    y: float
    z: float

    def __add__(a, b):
        """Sum a + b."""
        return Vec3(a.x + b.x, a.y + b.y, a.z + b.z)

    def __sub__(a, b):
        """Difference a - b."""
        return Vec3(a.x - b.x, a.y - b.y, a.z - b.z)

    def __mul__(a, s):
        """Multiple a s of a scalar s."""
        return Vec3(a.x * s, a.y * s, a.z * s)

    def __neg__(a):
        """Opposite -a."""
        return Vec3(-a.x, -a.y, -a.z)

    def __matmul__(a, b):
        """Scalar product a . b."""
        return a.x * b.x + a.y * b.y + a.z * b.z

    def cross(a, b):
        """Vector product a x b."""
        return Vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)

    def norm(a):
        """Length |a|."""
        return math.sqrt(a.x * a.x + a.y * a.y + a.z * a.z)


@helper
def triple(a):
    """Three numbers of a record as a vector."""
    return Vec3(a[0], a[1], a[2])


@helper
def get3(A, i):
    """Row i of an (n, 3) array as a value."""
    return Vec3(A[i, 0], A[i, 1], A[i, 2])


@helper
def put3(A, i, a):
    """Store a value in row i of an (n, 3) array."""
    A[i, 0] = a.x
    A[i, 1] = a.y
    A[i, 2] = a.z


def vec3(a: object) -> Vec3:
    """Vec3 from any sequence of three numbers."""
    x, y, z = np.asarray(a, dtype=np.float64)
    return Vec3(float(x), float(y), float(z))
