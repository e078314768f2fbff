"""Coordinates: what they measure, that they measure b against a alone, and that their gradients are exact."""

import math

import numpy as np
import pytest

import gelenk as gk
from gelenk.joints.wiring import Row, Site
from gelenk.math.quat import Quat, quat_exp
from gelenk.math.rotation import Mat3, quat_from_rotation, rotation_matrix
from gelenk.math.vec3 import Vec3
from gelenk.rows.block import HOLD
from gelenk.rows.coordinate import (
    ANGLE_X,
    ANGLE_Y,
    CURVE,
    DISTANCE,
    FOLLOW,
    PLACE,
    SHIFT,
    SKEW,
    SPIN,
    SURFACE,
    SWING,
    TILT,
    TURN,
    TWIST,
)
from rows.finite_difference import (
    check_rows,
    check_wrench_pairs,
    coordinates_at,
    copy_of,
    has_value,
    moved,
    row_jacobian,
)

COORDINATES = {
    "shift": [(SHIFT, k) for k in range(3)],
    "turn": [(TURN, k) for k in range(3)],
    "tilt": [(TILT, k) for k in range(2)],
    "skew": [(SKEW, 0)],
    "twist": [(TWIST, 2)],
    "swing": [(SWING, 0)],
    "angle_x": [(ANGLE_X, 0)],
    "angle_y": [(ANGLE_Y, 1)],
    "distance": [(DISTANCE, 0)],
    "spin": [(SPIN, k) for k in range(3)],
    "curve": [(CURVE, 0), (CURVE, 1)],
    "place": [(PLACE, 0)],
    "follow": [(FOLLOW, k) for k in range(3)],
    "surface": [(SURFACE, 0)],
}
NAMES = list(COORDINATES)
SEEDS = range(3)
UPRIGHT = Quat(1.0, 0.0, 0.0, 0.0)

WIRE = gk.Curve.along(lambda t: (0.8 * math.cos(t), 0.8 * math.sin(t), 0.3 * t), 0.0, 5.0, 8)
PLACE_0 = 2.1  # on the wire [m], in the middle between two knots, where the spline is one polynomial
DISH = gk.Surface.from_function(lambda u, v: (u, v, 0.2 * u * u - 0.1 * u * v), (-1.5, 1.5), (-1.5, 1.5), (9, 9))
PLACE_UV = (4.3, 3.6)  # on the dish [cells]


class Probe:
    """A row on each coordinate of one pair of frames in the bodies 1 and 2."""

    kind, name, label = "probe", "probe", "probe"

    def __init__(self, coordinates, frames):
        self.coordinates, self.frames = coordinates, frames

    def wire(self, wiring):
        wiring.curves.append(WIRE)
        wiring.surfaces.append(DISH)
        pair = wiring.pair(*(Site(node, Vec3(*r), Quat(*q)) for node, (r, q) in zip((1, 2), self.frames)))
        for kind, axis in self.coordinates:
            wiring.row(Row(self.label, HOLD, [(wiring.coordinate(pair, kind, axis), 1.0)]))


def turned(v):
    """Rotation by a vector."""
    return quat_exp(Vec3(*(float(x) for x in v)))


def wire_frame(s):
    """Rotation to the axes t, n1, n2 of the wire at s."""
    t, n1 = WIRE.tangent(s), WIRE.normal(s)
    R = np.stack((t, n1, np.cross(t, n1)), axis=1)
    return quat_from_rotation(Mat3(*(float(x) for x in R.ravel())))


class Pair:
    """Two free bodies with a frame each, and some coordinates between the frames."""

    def __init__(self, coordinates, seed):
        rng = np.random.default_rng(seed)
        self.frames = [(tuple(0.4 * rng.normal(size=3)), tuple(turned(rng.normal(size=3)))) for _ in "ab"]
        self.p_a, self.q_a = rng.normal(size=3), turned(rng.normal(size=3))
        b = gk.Builder(gravity=(0, 0, 0))
        b.body("a", mass=1.0, inertia=(1, 1, 1))
        b.body("b", mass=1.0, inertia=(1, 1, 1))
        b.add(Probe(coordinates, self.frames))
        self.model = b.build()

    def at(self, r, q, memory=0.0):
        """State where the frame in b is at r and turned by q, seen from the frame in a; angles remember ``memory``."""
        state = self.model.initial_state()
        (r_a, f_a), (r_b, f_b) = self.frames
        q_a = self.q_a * Quat(*f_a)
        q_b = q_a * q * Quat(*f_b).conj()
        origin = self.p_a + rotation_matrix(self.q_a) @ r_a + rotation_matrix(q_a) @ r
        state.p_WC[1], state.q_WB[1] = self.p_a, self.q_a
        state.p_WC[2], state.q_WB[2] = origin - rotation_matrix(q_b) @ r_b, q_b
        kinds = self.model.wired.joints.coordinate.kind
        coordinate = self.model.wired.memory(state.memory).coordinate
        coordinate[np.isin(kinds, (TWIST, ANGLE_X, ANGLE_Y)), 0] = memory
        coordinate[np.isin(kinds, (CURVE, PLACE, FOLLOW)), 0] = PLACE_0
        coordinate[kinds == SURFACE] = PLACE_UV
        return state

    def values(self, r, q, memory=0.0):
        """Values of the coordinates."""
        return coordinates_at(self.model, self.at(r, q, memory)).at.value.copy()


def values(name, r, q, memory=0.0):
    return Pair(COORDINATES[name], 0).values(np.array(r), q, memory)


def assembled(name):
    """Where b stands when the coordinates are zero (a right angle for skew)."""
    if name in ("curve", "place", "follow"):
        return WIRE.at(PLACE_0), wire_frame(PLACE_0)
    if name == "surface":
        return DISH.at(*PLACE_UV), UPRIGHT
    return np.zeros(3), UPRIGHT


def far_places(name, seed):
    """Generic places away from the assembled one: up to 2 rad turned and half a metre apart.

    On the wire and the dish a quarter of a metre, well within their curvature.
    """
    rng = np.random.default_rng(seed)
    r, q = assembled(name)
    reach = 0.15 if name in ("curve", "place", "follow", "surface") else 0.5
    for _ in range(4):
        axis = rng.normal(size=3)
        axis *= rng.uniform(0.5, 2.0) / np.linalg.norm(axis)
        yield r + rng.uniform(-reach, reach, 3), q * turned(axis)


# --- gradients -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("swing", "distance", "spin")])
def test_gradient_is_exact_where_the_error_is_zero(name):
    """Swing and distance have no direction there, spin no value."""
    for seed in SEEDS:
        pair = Pair(COORDINATES[name], seed)
        check_rows(pair.model, pair.at(*assembled(name)), bend=0.3)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "spin"])
def test_gradient_is_exact_at_large_errors(name):
    for seed in SEEDS:
        pair = Pair(COORDINATES[name], seed)
        for place in far_places(name, seed):
            check_rows(pair.model, pair.at(*place), bend=0.2)


@pytest.mark.parametrize("name", NAMES)
def test_impulses_keep_both_momenta_however_far_apart_the_frames_are(name):
    for seed in SEEDS:
        pair = Pair(COORDINATES[name], seed)
        for place in (assembled(name), *far_places(name, seed)):
            check_wrench_pairs(pair.model, pair.at(*place))


def test_spin_is_the_rate_about_an_axis_of_a():
    """J V = d_k . (w_b - w_a), and no velocity of a point moves it."""
    pair, rng = Pair(COORDINATES["spin"], 4), np.random.default_rng(4)
    state = pair.at(rng.normal(size=3), turned(rng.normal(size=3)))
    assert not has_value(pair.model).any()
    V = rng.normal(size=(3, 6))
    R_a = rotation_matrix(pair.q_a) @ rotation_matrix(pair.frames[0][1])
    rates = np.einsum("rnk,nk->r", row_jacobian(pair.model, state), V)
    np.testing.assert_allclose(rates, R_a.T @ (V[2, 3:] - V[1, 3:]), atol=1e-14)


@pytest.mark.parametrize("name", ["swing", "distance"])
def test_a_direction_that_is_not_defined_is_still_a_unit_one(name):
    """Where both z axes or both origins meet, any direction will do, but a finite one."""
    pair = Pair(COORDINATES[name], 0)
    J = row_jacobian(pair.model, pair.at(*assembled(name)))
    part = J[0, 2, 3:] if name == "swing" else J[0, 2, :3]
    assert np.linalg.norm(part) == pytest.approx(1.0, abs=1e-14)


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_value_does_not_change_when_both_bodies_move_together(name):
    rng = np.random.default_rng(6)
    pair = Pair(COORDINATES[name], 6)
    for place in far_places(name, 6):
        state = pair.at(*place)
        carried = copy_of(state)
        p, q = rng.normal(size=3), turned(rng.normal(size=3))
        for i in (1, 2):
            carried.p_WC[i] = p + rotation_matrix(q) @ state.p_WC[i]
            carried.q_WB[i] = q * Quat(*(float(x) for x in state.q_WB[i]))
        before, after = (coordinates_at(pair.model, s).at.value for s in (state, carried))
        np.testing.assert_allclose(after, before, atol=1e-14)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("skew", "place")])
def test_value_is_zero_in_the_assembled_pose(name):
    np.testing.assert_allclose(values(name, *assembled(name)), 0.0, atol=1e-15)


def test_shift_and_distance_measure_the_way_from_a_to_b():
    r = np.array([0.3, -0.4, 1.2])
    np.testing.assert_allclose(values("shift", r, turned((1, 2, -1))), r, atol=1e-15)
    assert values("distance", r, turned((1, 2, -1))) == pytest.approx(1.3, abs=1e-15)


def test_turn_is_twice_the_sine_of_the_half_angle_about_its_axis():
    axis = np.array([2.0, -3.0, 6.0]) / 7
    for angle in (1e-9, 0.7, 3.0):
        np.testing.assert_allclose(
            values("turn", (0, 0, 0), turned(axis * angle)), 2 * np.sin(angle / 2) * axis, atol=1e-15
        )
    # the short way round
    np.testing.assert_allclose(
        values("turn", (0, 0, 0), turned(axis * 5.0)), -2 * np.sin(np.pi - 2.5) * axis, atol=1e-15
    )


@pytest.mark.parametrize("spin", [0.0, 0.9, -2.5])
def test_tilt_swing_and_twist_part_a_rotation(spin):
    """b = swing about an axis across z, after a twist about z: tilt sees the swing alone, twist the twist alone."""
    across = np.array([0.6, -0.8, 0.0])
    for angle in (1e-9, 0.8, 2.5):
        q = turned(across * angle) * turned((0, 0, spin))
        np.testing.assert_allclose(values("tilt", (0, 0, 0), q), 2 * np.sin(angle / 2) * across[:2], atol=2e-15)
        assert values("swing", (0, 0, 0), q) == pytest.approx(angle, abs=2e-15)
        assert values("twist", (0, 0, 0), q) == pytest.approx(spin, abs=4e-15)


def test_universal_angles_are_those_of_their_turns():
    """b = turn about x of a, then about y of b: both angles come back, and x of a stays square to y of b."""
    for alpha, beta in ((0.4, -0.7), (2.5, 1.2), (-3.0, -1.4)):
        q = turned((alpha, 0, 0)) * turned((0, beta, 0))
        assert values("angle_x", (0, 0, 0), q) == pytest.approx(alpha, abs=2e-15)
        assert values("angle_y", (0, 0, 0), q) == pytest.approx(beta, abs=2e-15)
        assert values("skew", (0, 0, 0), q) == pytest.approx(np.pi / 2, abs=2e-15)


def test_skew_is_the_angle_from_x_of_a_to_y_of_b():
    for angle in (-0.6, 0.3):
        assert values("skew", (0, 0, 0), turned((0, 0, angle))) == pytest.approx(np.pi / 2 + angle, abs=1e-15)


@pytest.mark.parametrize(("name", "axis"), [("twist", (0, 0, 1)), ("angle_x", (1, 0, 0)), ("angle_y", (0, 1, 0))])
def test_angles_count_turns_from_what_they_remember(name, axis):
    """The value is the one nearest to the last, so that any number of turns adds up, both ways (T-14)."""
    for turns in (0, 1, -3, 25):
        for last, angle in ((0.1, 0.5), (3.0, 3.4), (-3.0, -3.3), (3.1, 6.1)):
            whole = 2 * np.pi * turns
            value = values(name, (0, 0, 0), turned(np.array(axis) * angle), memory=last + whole)
            assert value == pytest.approx(angle + whole, abs=1e-13)


def test_wire_coordinates_are_the_offsets_from_its_foot():
    for s, x, y in ((PLACE_0, 0.0, 0.0), (2.3, 0.1, -0.2), (1.8, -0.15, 0.05)):
        t, n1 = WIRE.tangent(s), WIRE.normal(s)
        p = WIRE.at(s) + x * n1 + y * np.cross(t, n1)
        np.testing.assert_allclose(values("curve", p, UPRIGHT), (x, y), atol=1e-14)
        np.testing.assert_allclose(values("place", p, UPRIGHT), s, atol=1e-14)
        axis = np.array([0.3, -0.5, 0.2])
        expected = 2 * np.sin(np.linalg.norm(axis) / 2) * axis / np.linalg.norm(axis)
        np.testing.assert_allclose(values("follow", p, wire_frame(s) * turned(axis)), expected, atol=1e-14)


def test_surface_is_the_distance_along_its_normal():
    for u, v, d in ((*PLACE_UV, 0.0), (4.5, 3.5, 0.2), (3.9, 3.8, -0.3)):
        p = DISH.at(u, v) + d * DISH.normal(u, v)
        np.testing.assert_allclose(values("surface", p, UPRIGHT), d, atol=1e-14)


def test_a_node_moves_by_the_twist_it_is_given():
    """The check itself: one of a metre along and one of a quarter turn about the centre of mass."""
    pair = Pair(COORDINATES["shift"], 0)
    state = pair.at(np.zeros(3), UPRIGHT)
    after = moved(state, 2, np.array([1.0, 0, 0, 0, 0, np.pi / 2]))
    np.testing.assert_allclose(after.p_WC[2] - state.p_WC[2], (1, 0, 0), atol=1e-15)
    R = rotation_matrix(after.q_WB[2]) @ rotation_matrix(state.q_WB[2]).T
    np.testing.assert_allclose(R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
