"""Degrees of freedom by formula and in fact, redundant rows and conflicts, each named by its joint."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gelenk as gk
from gelenk.model.redundancy import DEPENDENT, check_joints, independent
from model.sample_joints import JOINTS, base_and_arm

ROD = {"mass": 1.0, "inertia": (0.1, 0.1, 0.01)}
ROWS = {
    "articulated_steering": 4,
    "ball": 3,
    "ball_on_curve": 2,
    "ball_on_line": 2,
    "ball_on_plane": 1,
    "ball_on_surface": 1,
    "cylindrical": 4,
    "damped_hinge": 4,
    "distance": 1,
    "hinge": 5,
    "planar": 3,
    "rigid": 6,
    "screw": 5,
    "slider": 6,  # the sample is blocked
    "slider_on_curve": 5,
    "steered_suspension": 3,
    "universal": 4,
}


def door(hinges, mass=1.0, *more):
    b = gk.Builder()
    b.body("door", mass=mass, inertia=(0.3 * mass, 0.4 * mass, 0.1 * mass), at=(0.5, 0, 1))
    for i in range(hinges):
        b.add(gk.Hinge(name=f"h{i}", a="world", b="door", at=(0, 0, 0.5 + 0.7 * i), axis=(0, 0, 1)))
    for element in more:
        b.add(element)
    return b.build()


def loop(kinds, corners=((0, 0, 0), (0, 0, 1), (1.5, 0, 1.2), (2, 0, 0)), axes=((0, 1, 0),) * 4):
    """A closed loop of three bodies on four joints."""
    b = gk.Builder()
    names = ["world", "one", "two", "three", "world"]
    for name, p, q in zip(names[1:4], corners, corners[1:]):
        b.body(name, **ROD, at=tuple((x + y) / 2 for x, y in zip(p, q)))
    for i, kind in enumerate(kinds):
        axis = {"axis": axes[i]} if kind.needs_axis else {}
        b.add(kind(name=f"j{i}", a=names[i], b=names[i + 1], at=corners[i], **axis))
    return b.build()


def counts(report):
    return report.formula, report.actual, len(report.redundant)


# --- counts ----------------------------------------------------------------------------------------------------------


def test_nothing_at_all():
    report = check_joints(gk.Builder().build())
    assert counts(report) == (0, 0, 0)
    assert report.good


def test_free_bodies_and_particles():
    b = gk.Builder()
    b.body("a", **ROD)
    b.body("ground", static=True)
    b.particle("p", mass=1)
    b.particle("nail", static=True)
    assert counts(check_joints(b.build())) == (9, 9, 0)


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.kind)
def test_every_joint_takes_as_many_freedoms_as_it_has_rows(joint):
    b = base_and_arm()
    b.add(joint)
    report = check_joints(b.build())
    assert report.good
    assert report.rows == ROWS[joint.kind]
    assert report.actual == 12 + 3 - ROWS[joint.kind]  # two bodies and a particle


@pytest.mark.parametrize(("hinges", "expected"), [(1, (1, 1, 0)), (2, (-4, 1, 5)), (3, (-9, 1, 10))])
@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
def test_door_on_hinges(hinges, expected, mass):
    report = check_joints(door(hinges, mass))
    assert counts(report) == expected
    assert {row.label for row in report.redundant} == {f"hinge 'h{i}'" for i in range(1, hinges)}
    assert report.sharing == (tuple(f"hinge 'h{i}'" for i in range(hinges)) if hinges > 1 else ())
    assert not report.conflicts


def test_door_on_crooked_hinges_is_stuck():
    b = gk.Builder()
    b.body("door", **ROD, at=(0.5, 0, 1))
    b.add(gk.Hinge(name="top", a="world", b="door", at=(0, 0, 2), axis=(0, 0, 1)))
    b.add(gk.Hinge(name="bottom", a="world", b="door", at=(0, 0, 0), axis=gk.unit((0.1, 0, 1))))
    assert counts(check_joints(b.build())) == (-4, 0, 4)


def test_four_bar():
    hinge, ball, universal, cylindrical = gk.Hinge, gk.Ball, gk.Universal, gk.Cylindrical
    # Gruebler: 18 - 20; three rows repeat that the motion is planar
    assert counts(check_joints(loop((hinge, hinge, hinge, hinge)))) == (-2, 1, 3)
    # RSCR has no row too many
    assert counts(check_joints(loop((hinge, ball, cylindrical, hinge)))) == (1, 1, 0)
    # RSSR: the coupler also spins about the line between its balls
    assert counts(check_joints(loop((hinge, ball, ball, hinge)))) == (2, 2, 0)
    assert len(check_joints(loop((hinge, universal, ball, hinge))).redundant) == 0


def test_bennett_linkage():
    """Four hinges in space move although the formula says -2 (Bennett 1903):  sin(alpha)/a = sin(beta)/b.

    Skew quadrilateral symmetric about the z axis: opposite sides equal, each axis along the normal of both its sides.
    """
    A, B = np.array([1.0, 0.0, 0.3]), np.array([0.0, 0.7, -0.3])
    corners = [A, B, A * (-1, -1, 1), B * (-1, -1, 1)]
    axes = []
    for i, corner in enumerate(corners):
        before, after = corners[i - 1] - corner, corners[(i + 1) % 4] - corner
        axes.append(gk.unit(np.cross(before, after)))
    report = check_joints(loop((gk.Hinge,) * 4, [tuple(c) for c in corners], axes))
    assert counts(report) == (-2, 1, 3)
    # turned a little in one hinge it is a stiff frame
    axes[2] = gk.unit(np.array(axes[2]) + np.array([0.05, 0.0, 0.0]))
    assert check_joints(loop((gk.Hinge,) * 4, [tuple(c) for c in corners], axes)).actual == 0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_trees_have_no_redundant_rows(seed):
    rng = np.random.default_rng(seed)
    b = gk.Builder()
    names, free = ["world"], 0
    for i in range(rng.integers(1, 6)):
        b.body(f"l{i}", mass=10.0 ** rng.uniform(-3, 3), inertia=(1, 1, 1), at=rng.normal(size=3))
        kind = [gk.Hinge, gk.Ball, gk.Universal, gk.Slider, gk.Cylindrical, gk.Planar][rng.integers(6)]
        at, axis = rng.normal(size=3), gk.unit(rng.normal(size=3))
        b.add(kind(name=f"j{i}", a=names[rng.integers(len(names))], b=f"l{i}", at=at, axis=axis))
        free += {"hinge": 1, "ball": 3, "universal": 2, "slider": 1, "cylindrical": 2, "planar": 3}[kind.kind]
        names.append(f"l{i}")
    assert counts(check_joints(b.build())) == (free, free, 0)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6))
def test_independent_rows_against_the_singular_values(seed):
    rng = np.random.default_rng(seed)
    rank, rows, columns = rng.integers(1, 6), rng.integers(1, 12), rng.integers(6, 12)
    A = rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, columns))
    A /= np.linalg.norm(A, axis=1)[:, None]
    kept, shares = independent(A)
    assert len(kept) == np.linalg.matrix_rank(A, tol=DEPENDENT)
    assert sorted([*kept, *shares]) == list(range(rows))
    condition = np.linalg.cond(A[kept])
    for n, others in shares.items():
        again = sum((c * A[m] for m, c in others.items()), np.zeros(columns))
        # shares below 1e-6 are left out
        assert again == pytest.approx(A[n], abs=1e-5 + 1e-14 * condition)


# --- conflicts -------------------------------------------------------------------------------------------------------


def test_motors_that_disagree():
    report = check_joints(
        door(
            2,
            1.0,
            gk.VelocityMotor(name="fast", on="h0", speed=3.0),
            gk.VelocityMotor(name="slow", on="h1", speed=1.0),
        )
    )
    (conflict,) = report.conflicts
    assert conflict.row.label == "velocity_motor 'slow'"
    assert [row.label for row in conflict.others] == ["velocity_motor 'fast'"]
    assert conflict.gap == pytest.approx(-2.0, abs=1e-12)
    assert conflict.unit == "rad/s"
    assert (report.actual, len(report.redundant)) == (1, 5)  # motors are no joints


@pytest.mark.parametrize(
    "motors",
    [
        [gk.VelocityMotor(name="a", on="h0", speed=3.0), gk.VelocityMotor(name="b", on="h1", speed=3.0)],
        [gk.VelocityMotor(name="a", on="h0", speed=3.0), gk.VelocityMotor(name="b", on="h1", speed=1.0, force_max=9.0)],
        [gk.VelocityMotor(name="a", on="h0", speed=3.0), gk.JointSpring(name="b", on="h1", stiffness=1.0)],
        [gk.Servo(name="a", on="h0", target=0.3, kp=10.0), gk.VelocityMotor(name="b", on="h1", speed=3.0)],
    ],
    ids=["equal", "bounded", "spring", "servo of the same speed"],
)
def test_motors_that_agree_or_give_way(motors):
    assert not check_joints(door(2, 1.0, *motors)).conflicts


def test_motor_against_a_lock():
    b = gk.Builder()
    b.body("door", **ROD)
    b.add(gk.Hinge(name="h", a="world", b="door", at=(0, 0, 0), axis=(0, 0, 1), blocked=True))
    b.add(gk.VelocityMotor(name="m", on="h", speed=0.5))
    with pytest.warns(gk.DriveWarning, match="can be locked"):
        report = check_joints(b.build())
    assert counts(report) == (0, 0, 0)
    assert str(report.conflicts[0]) == "velocity_motor 'm' (twist z) against hinge 'h' (twist z): 0.5 rad/s apart"


def test_gears_in_a_ring():
    """Three wheels, each geared to the next: with ratios of product 1 one freedom is left, else none."""

    def ring(last, speed):
        b = gk.Builder()
        for i in range(3):
            b.body(f"w{i}", **ROD, at=(i, 0, 0))
            b.add(gk.Hinge(name=f"h{i}", a="world", b=f"w{i}", at=(i, 0, 0), axis=(0, 0, 1)))
        for i, ratio in enumerate((2.0, 0.25, last)):
            b.add(gk.Gear(name=f"g{i}", first=f"h{i}", second=f"h{(i + 1) % 3}", ratio=ratio))
        b.add(gk.VelocityMotor(name="m", on="h1", speed=speed))
        return check_joints(b.build())

    good, stuck = ring(2.0, 1.0), ring(3.0, 1.0)
    assert counts(good) == (0, 1, 1)
    assert str(good.redundant[0]) == "gear 'g2' (ratio)"
    assert good.sharing[:3] == ("gear 'g0'", "gear 'g1'", "gear 'g2'")
    assert not good.conflicts
    assert counts(stuck) == (0, 0, 0)
    assert stuck.conflicts[0].row.label == "velocity_motor 'm'"
    assert not ring(3.0, 0.0).conflicts  # standing still is met by all


def test_places_that_disagree():
    """Two welds to nails that are 0.4 micrometres apart: near enough to be built, but they cannot both hold."""
    b = gk.Builder()
    b.body("block", **ROD)
    b.frame("f", "block")
    for i, x in enumerate((0.0, 4e-7)):
        b.frame(f"nail {i}", "world", at=(x, 0, 0))
        b.add(gk.Rigid(name=f"weld {i}", a=f"nail {i}", b="f"))
    report = check_joints(b.build())
    (conflict,) = report.conflicts
    assert conflict.row[:2] == ("rigid 'weld 1'", "shift x")
    assert abs(conflict.gap) == pytest.approx(4e-7, rel=1e-6)
    assert conflict.unit == "m"
    assert not report.good


# --- as a person reads it --------------------------------------------------------------------------------------------


def test_text():
    motors = (
        gk.VelocityMotor(name="fast", on="h0", speed=3.0),
        gk.VelocityMotor(name="slow", on="h1", speed=1.0),
    )
    assert (
        str(check_joints(door(2, 1.0, *motors)))
        == """1 degree of freedom; -4 by the formula 6 - 10 (coordinates of the bodies - rows)
5 redundant rows, which follow from rows added before:
  hinge 'h1': 5 (shift x, shift y, shift z, tilt x, tilt y)
  reactions are shared, and not unique, among hinge 'h0', hinge 'h1'
1 conflict:
  velocity_motor 'slow' (twist z) against velocity_motor 'fast' (twist z): 2 rad/s apart"""
    )
    assert (
        str(check_joints(door(0)))
        == """6 degrees of freedom; 6 by the formula 6 - 0 (coordinates of the bodies - rows)
no redundant rows
no conflicts"""
    )


def test_closed_after_assembly():
    """The closed crane loop: assembled first, then counted."""
    b = gk.Builder()
    turned = gk.unit((1, -1, 0, 0))
    for name, at in (("left", (0, 0, 0.5)), ("top", (0.5, 0, 1)), ("right", (1, 0, 0.5))):
        b.body(name, **ROD, at=at)
    b.add(gk.Hinge(name="h0", a="world", b="left", at=(0, 0, 0), axis=(0, 1, 0)))
    b.add(gk.Hinge(name="h1", a="left", b="top", at=(0, 0, 1), axis=(0, 1, 0)))
    b.add(gk.Hinge(name="h2", a="top", b="right", at=(1, 0, 1), axis=(0, 1, 0)))
    b.frame("foot", "right", at=(0, 0, -0.5), rotation=turned)
    b.frame("ground", "world", at=(math.sqrt(2), 0, 0), rotation=turned)
    b.add(gk.Hinge(name="h3", a="ground", b="foot"))
    report = check_joints(b.build(assemble=True))
    assert counts(report) == (-2, 1, 3)
    assert not report.conflicts
