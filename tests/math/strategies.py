"""Random vectors, quaternions, rotation vectors, poses and matrices for the property tests, and their measures.

Numbers are 0 or between 1e-60 and a limit in size: products of up to five of them neither underflow nor overflow, so
that every bound below may be relative. EPS = 2^-52 is twice the unit roundoff u: a bound of c EPS has a factor of two
in hand over the textbook's c u.
"""

import math

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gelenk.math.quat import Quat, quat_exp
from gelenk.math.rotation import Mat3
from gelenk.math.spatial import Pose, Twist, Wrench
from gelenk.math.vec3 import Vec3

EPS = 2.0**-52
FLOOR = 1e-60

# No deadline: the two cores are shared, and a slow example says nothing about the mathematics.
examples = settings(max_examples=25, deadline=None)

AXES = [Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)]
AXES += [-n for n in AXES]


# --- measures --------------------------------------------------------------------------------------------------------


def size(a):
    """Euclidean norm of any flat tuple; unlike sqrt(x x) it neither underflows nor overflows."""
    return math.hypot(*a)


def distance(a, b):
    """Norm of the difference of two flat tuples of one kind."""
    assert type(a) is type(b)
    return math.hypot(*(x - y for x, y in zip(a, b, strict=True)))


def array(a):
    """A Mat3 as a (3, 3) array."""
    return np.array(a).reshape(3, 3)


# --- scalars and vectors ---------------------------------------------------------------------------------------------


def numbers(limit=1e3):
    """Either 0 or FLOOR <= |x| <= limit."""
    return st.floats(-limit, limit).map(lambda x: x if abs(x) >= FLOOR else 0.0)


def vectors(limit=1e3):
    return st.builds(Vec3, numbers(limit), numbers(limit), numbers(limit))


def _unit(parts):
    length = math.hypot(*parts)
    return [x / length for x in parts]


def _directions(dimension):
    """Tuples of length 1 within 1 EPS (1 u of hypot, 1 u of the division); some parts much smaller than others."""
    part = st.builds(lambda x, shrink: x * shrink, numbers(1.0), st.sampled_from([1.0, 1.0, 0.1, 1e-2, 1e-4, 1e-8]))
    parts = st.lists(part, min_size=dimension, max_size=dimension)
    return parts.filter(lambda p: math.hypot(*p) > 1e-3).map(_unit)


def unit_axes():
    """Coordinate axes with both signs and every other direction."""
    return st.sampled_from(AXES) | _directions(3).map(lambda n: Vec3(*n))


# --- rotations -------------------------------------------------------------------------------------------------------


def tiny_angles():
    """1e-300 to 1e-8, every decade alike."""
    return st.floats(-300.0, -8.0).map(lambda e: 10.0**e)


def angles_near_pi(side=0):
    """From 0.3 off pi to the next numbers, every decade alike; side -1 below, +1 above, 0 both. Never pi itself."""
    offset = st.floats(-15.3, -0.5).map(lambda e: 10.0**e)  # the spacing of numbers at pi is 4.4e-16
    below = offset.map(lambda d: math.pi - d) | st.just(math.nextafter(math.pi, 0.0))
    above = offset.map(lambda d: math.pi + d) | st.just(math.nextafter(math.pi, 4.0))
    return {-1: below, 0: below | above, 1: above}[side]


def rotation_vectors(angles=None):
    """Angle times axis; by default of tiny, ordinary, nearly pi and exactly pi angles, and the zero vector."""
    if angles is None:
        ordinary = st.floats(1e-8, math.pi)
        angles = tiny_angles() | ordinary | angles_near_pi() | st.sampled_from([0.0, math.pi])
    return st.builds(lambda n, a: n * a, unit_axes(), angles)


def half_turns():
    """Quaternions with w = 0 exactly, also the negative zero."""
    return st.builds(lambda n, w: Quat(w, n.x, n.y, n.z), unit_axes(), st.sampled_from([0.0, -0.0]))


def unit_quaternions():
    """Uniform ones, 1, -1, half turns, and small and large turns of both signs; |q| = 1 within 1 EPS."""
    special = st.sampled_from([Quat(1.0, 0.0, 0.0, 0.0), Quat(-1.0, 0.0, 0.0, 0.0)])
    signs = st.sampled_from([1.0, -1.0])
    turned = st.builds(lambda r, sign: Quat(*_unit(quat_exp(r))).scaled(sign), rotation_vectors(), signs)
    return _directions(4).map(lambda q: Quat(*q)) | special | half_turns() | turned


def matrices(limit=10.0):
    """Any 3 x 3 matrix."""
    return st.lists(numbers(limit), min_size=9, max_size=9).map(lambda a: Mat3(*a))


# --- spatial ---------------------------------------------------------------------------------------------------------


def poses(limit=1e3):
    return st.builds(Pose, vectors(limit), unit_quaternions())


def twists(limit=1e3):
    return st.builds(Twist, vectors(limit), vectors(limit))


def wrenches(limit=1e3):
    return st.builds(Wrench, vectors(limit), vectors(limit))


# --- symmetric matrices ----------------------------------------------------------------------------------------------

SIZES = st.integers(1, 12)


def _block(rows, columns):
    return arrays(np.float64, (rows, columns), elements=numbers(1.0))


@st.composite
def definite(draw, scaled=False):
    """SPD matrix B B^T + d I, condition up to 1e8; scaled: rows and columns by 1e-3 to 1e3 besides."""
    n = draw(SIZES)
    B = draw(_block(n, n))
    A = B @ B.T + draw(st.sampled_from([1e-6, 1e-3, 1.0])) * np.eye(n)
    if scaled:
        scale = np.array(draw(st.lists(st.sampled_from([1e-3, 0.1, 1.0, 30.0, 1e3]), min_size=n, max_size=n)))
        A = scale[:, None] * A * scale
    return (A + A.T) / 2.0


@st.composite
def quasi_definite(draw):
    """K = [[H, A^T], [A, -G]] with SPD blocks H (m x m) and G, as in constrained mechanics with compliance; and m."""
    n = draw(SIZES)
    m = draw(st.integers(0, n))
    K = np.zeros((n, n))
    for block, sign in ((slice(0, m), 1.0), (slice(m, n), -1.0)):
        k = block.stop - block.start
        B = draw(_block(k, k))
        H = B @ B.T + draw(st.sampled_from([1e-3, 1.0])) * np.eye(k)
        K[block, block] = sign * (H + H.T) / 2.0
    K[m:, :m] = draw(_block(n - m, m))
    K[:m, m:] = K[m:, :m].T
    return K, m


def right_hand_sides(n):
    return arrays(np.float64, n, elements=numbers(1e3))


@st.composite
def integer_factors(draw, pivots):
    """Unit lower triangle L and pivots D of small integers: A = L D L^T and all steps back are free of rounding."""
    n = draw(SIZES)
    L = np.eye(n)
    below = np.tril_indices(n, -1)
    L[below] = draw(arrays(np.int64, len(below[0]), elements=st.integers(-2, 2)))
    D = np.array(draw(st.lists(pivots, min_size=n, max_size=n)), dtype=np.float64)
    return L, D
