"""Joints that do not meet at the start: refused with the distance, or closed by moving the bodies."""

import math

import numpy as np
import pytest

import gelenk as gk
from gelenk.math.quat import Quat, quat_exp
from gelenk.math.rotation import rotation_matrix
from gelenk.math.vec3 import Vec3
from gelenk.model.assembly import assembled, placed_anew
from gelenk.model.pose_rows import coordinates_at, errors, gaps, held_rows
from model.sample_joints import JOINTS, base_and_arm

ROD = {"mass": 1.0, "inertia": (0.1, 0.1, 0.01)}
# What assembly promises: 1e-12 m or rad, for models within a metre of the origin.
CLOSED = 1e-12


def worst(model):
    return max(gap.worst for gap in gaps(model, model.initial_state(), held_rows(model)))


def angle(model, joint, name="angle"):
    place = next(c.place for c in model.wired.coordinates if (c.joint, c.name) == (joint, name))
    return coordinates_at(model, model.initial_state()).at[place].value


def about(axis, turn):
    """Quaternion of a turn about an axis."""
    return tuple(quat_exp(Vec3(*axis) * turn))


def two_frames(joint, shift=(0.0, 0.0, 0.0), turn=(1.0, 0.0, 0.0, 0.0), **more):
    """A rod whose top frame is shifted and turned against a nail in the world."""
    b = gk.Builder()
    b.body("rod", **ROD, at=shift, rotation=turn)
    b.frame("nail", "world")
    b.frame("top", "rod")
    b.add(joint(name="joint", a="nail", b="top", **more))
    return b


def four_bar(width, limits=()):
    """Three rods of 1 m that stand as a portal; the last foot belongs at (width, 0, 0)."""
    b = gk.Builder()
    turned = about((1, 0, 0), -math.pi / 2)  # z of the frame along y
    for name, at in (("left", (0, 0, 0.5)), ("top", (0.5, 0, 1)), ("right", (1, 0, 0.5))):
        b.body(name, **ROD, at=at)
    b.add(gk.Hinge(name="h0", a="world", b="left", at=(0, 0, 0), axis=(0, 1, 0), limits=limits))
    b.add(gk.Hinge(name="h1", a="left", b="top", at=(0, 0, 1), axis=(0, 1, 0)))
    b.add(gk.Hinge(name="h2", a="top", b="right", at=(1, 0, 1), axis=(0, 1, 0)))
    b.frame("foot", "right", at=(0, 0, -0.5), rotation=turned)
    b.frame("ground", "world", at=(width, 0, 0), rotation=turned)
    b.add(gk.Hinge(name="h3", a="ground", b="foot"))
    return b


# --- refused ---------------------------------------------------------------------------------------------------------

OPEN = {
    "shifted": (two_frames(gk.Ball, (0.3, 0, 0.4)), "0.5 m"),
    "turned": (two_frames(gk.Rigid, turn=about((0, 0, 1), 0.5)), "0.5 rad (28.6 degrees)"),
    "turned a lot": (two_frames(gk.Rigid, turn=about((0, 0, 1), 3.0)), "3 rad (172 degrees)"),
    "both": (two_frames(gk.Hinge, (0, 0, 0.25), about((1, 0, 0), -0.1)), "0.25 m and 0.1 rad (5.73 degrees)"),
    "opposite axes": (two_frames(gk.Hinge, turn=(0.0, 1.0, 0.0, 0.0)), "3.14 rad (180 degrees)"),
    "cardan": (two_frames(gk.Universal, turn=about((0, 0, 1), 0.2)), "0.2 rad (11.5 degrees)"),
    "half a turn": (two_frames(gk.Rigid, turn=about(gk.unit((1, 2, -2)), math.pi)), "3.14 rad (180 degrees)"),
    "half a turn aside": (two_frames(gk.Slider, turn=(0.0, 0.0, 0.0, 1.0)), "3.14 rad (180 degrees)"),
    "parallel axes of a cardan": (
        two_frames(gk.Universal, turn=about((0, 0, 1), math.pi / 2)),
        "1.57 rad (90 degrees)",
    ),
    "screw": (two_frames(gk.Screw, (0, 0, 0.002), lead=0.01), "0.002 m"),
    "just too far": (two_frames(gk.Ball, (2e-6, 0, 0)), "2e-06 m"),
}


@pytest.mark.parametrize("name", OPEN)
def test_open_joints_are_refused_with_the_distance(name):
    b, found = OPEN[name]
    with pytest.raises(gk.InputError) as caught:
        b.build()
    assert caught.value.element == f"{next(iter(b._joints.values())).kind} 'joint'"
    assert caught.value.found == f"it stands open by {found} at the start"
    assert caught.value.allowed == "an opening of at most 1e-06 m or rad"
    assert "assemble=True" in caught.value.remedy


@pytest.mark.parametrize(
    ("joint", "shift", "turn"),
    [
        (gk.Hinge, (0, 0, 0), about((0, 0, 1), 2.0)),
        (gk.Slider, (0, 0, 5), (1, 0, 0, 0)),
        (gk.Cylindrical, (0, 0, -5), about((0, 0, 1), -1.0)),
        (gk.Planar, (2, 3, 0), about((0, 0, 1), 2.0)),
        (gk.Ball, (0, 0, 0), about((0.6, 0, 0.8), 2.0)),
        (gk.BallOnPlane, (2, 3, 0), about((0.6, 0, 0.8), 2.0)),
        (gk.Ball, (9e-7, 0, 0), (1, 0, 0, 0)),
    ],
)
def test_free_directions_may_be_apart(joint, shift, turn):
    model = two_frames(joint, shift, turn).build()
    assert worst(model) <= 1e-6


def test_several_open_joints_are_all_named():
    b = gk.Builder()
    b.frame("nail", "world")
    for i in range(9):
        b.body(f"rod {i}", **ROD, at=(0, 0, 1 + i))
        b.frame(f"top {i}", f"rod {i}")
        b.add(gk.Ball(name=f"j{i}", a="nail", b=f"top {i}"))
    with pytest.raises(gk.InputError) as caught:
        b.build()
    assert caught.value.element == "ball 'j8'"
    assert "9 m at the start; so do ball 'j0' by 1 m, ball 'j1' by 2 m" in caught.value.found
    assert caught.value.found.endswith("and 3 more")


def test_gear_and_rod_are_checked_too():
    b = gk.Builder()
    for i in range(2):
        b.body(f"wheel {i}", **ROD, rotation=about((0, 0, 1), 0.5 * i))
        b.frame(f"hub {i}", f"wheel {i}")
        b.frame(f"axle {i}", "world")
        b.add(gk.Hinge(name=f"h{i}", a=f"axle {i}", b=f"hub {i}"))
    b.add(gk.Gear(name="gear", first="h0", second="h1", ratio=2.0))
    with pytest.raises(gk.InputError, match=r"gear 'gear': it stands open by 1 rad \(57.3 degrees\)"):
        b.build()
    model = b.build(assemble=True)
    assert angle(model, "h0") == pytest.approx(2.0 * angle(model, "h1"), abs=CLOSED)
    # mass-weighted least motion of two equal wheels: along (1, -2)
    assert angle(model, "h0") == pytest.approx(0.2 * 1.0, abs=1e-9)

    rod = gk.Builder()
    rod.body("bob", **ROD, at=(1, 0, 0))
    rod.add(gk.Distance(name="rod", a="world", b="bob", length=0.75))
    with pytest.raises(gk.InputError, match=r"distance 'rod': it stands open by 0\.25 m"):
        rod.build()
    assert rod.build(assemble=True).body("bob").at == pytest.approx((0.75, 0, 0), abs=CLOSED)


# --- assembled -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPEN)
def test_open_joints_are_closed(name):
    model = OPEN[name][0].build(assemble=True)
    assert worst(model) <= CLOSED
    assert gk.Builder.from_model(model).build() == model


def test_closed_models_stay_as_they_are():
    b = four_bar(1.0)
    assert b.build(assemble=True) == b.build()


def test_bodies_move_as_little_as_their_masses_ask():
    """Of a free pair the centre of mass stays, and without a lever the way is shared as 1/m."""
    b = gk.Builder()
    b.body("light", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 0))
    b.body("heavy", mass=3.0, inertia=(1, 1, 1), at=(0, 0, 1))
    b.frame("f", "light")
    b.frame("g", "heavy")
    b.add(gk.Ball(name="ball", a="f", b="g"))
    model = b.build(assemble=True)
    for body in model.bodies:
        assert body.at == pytest.approx((0, 0, 0.75), abs=CLOSED)
        assert body.rotation == (1, 0, 0, 0)


def test_a_torn_free_chain_keeps_its_centre_of_mass():
    rng = np.random.default_rng(7)
    b = gk.Builder()
    masses = [1.0, 5.0, 0.2, 2.0]
    for i, mass in enumerate(masses):
        q = gk.unit((1.0, *(0.3 * rng.normal(size=3))))
        b.body(
            f"l{i}",
            mass=mass,
            inertia=(0.1, 0.1, 0.02),
            com=(0, 0.05, 0.1),
            at=(i, *(0.2 * rng.normal(size=2))),
            rotation=q,
        )
        b.frame(f"in{i}", f"l{i}", at=(-0.5, 0, 0))
        b.frame(f"out{i}", f"l{i}", at=(0.5, 0, 0))
    for i, kind in enumerate((gk.Hinge, gk.Ball, gk.Universal)):
        b.add(kind(name=f"j{i}", a=f"out{i}", b=f"in{i + 1}"))
    before = b._bodies.values()
    model = b.build(assemble=True)
    assert worst(model) <= 5 * CLOSED  # of a model of five metres
    centre = [
        sum(x.mass * (np.array(x.at) + rotation_matrix(x.rotation) @ x.com) for x in bodies) / sum(masses)
        for bodies in (before, model.bodies)
    ]
    assert centre[1] == pytest.approx(centre[0], abs=1e-12)  # action and reaction in every pass: round-off alone


def test_static_bodies_and_other_islands_keep_their_bits():
    b = two_frames(gk.Ball, (0.3, 0, 0.4))
    b.body("ground", static=True, at=(0.1, 0.2, 0.3))
    b.body("ram", **ROD, at=(0.1, 0.2, 5.3), rotation=gk.unit((1, 2, 3, 4)))
    b.body("loose", **ROD, at=(0.7, 0.1, 0.1))
    b.particle("bob", mass=1, at=(0.1, 0.2, 0.7))
    b.add(gk.Slider(name="guide", a="ground", b="ram", at=(0.1, 0.2, 0.3), axis=(0, 0, 1)))
    b.add(gk.Distance(name="rope", a="ram", b="bob"))
    model = b.build(assemble=True)
    assert model.bodies[1:] == tuple(b._bodies.values())[1:]
    assert model.particles == tuple(b._particles.values())
    assert model.joints[1:] == tuple(b._joints.values())[1:]
    assert model.frames == tuple(b._frames.values())


def test_builder_keeps_what_was_given():
    b = four_bar(1.5)
    before = dict(b._bodies)
    b.build(assemble=True)
    assert b._bodies == before


@pytest.mark.parametrize("width", [0.5, 1.5, 2.5, 2.999])
def test_four_bar_closes_although_its_rows_are_redundant(width):
    model = four_bar(width).build(assemble=True)
    assert worst(model) <= 3 * CLOSED
    # planar: the foot of each rod is where the hinges say, and all rods are still 1 m long
    places = {body.name: (np.array(body.at), rotation_matrix(body.rotation)) for body in model.bodies}
    p, R = places["right"]
    assert p - 0.5 * R[:, 2] == pytest.approx([width, 0, 0], abs=1e-11)
    p, R = places["left"]
    assert p - 0.5 * R[:, 2] == pytest.approx([0, 0, 0], abs=1e-11)
    # the angles of the closed polygon add up
    turns = [angle(model, f"h{i}") for i in range(4)]
    assert turns[0] + turns[1] + turns[2] == pytest.approx(turns[3], abs=1e-11)


def test_angles_count_from_the_pose_in_which_a_joint_was_modelled():
    b = gk.Builder()
    b.body("rod", **ROD, at=(0.5, 0, 0))
    b.add(gk.Hinge(name="hinge", a="world", b="rod", at=(0, 0, 0), axis=(0, 0, 1), limits=(-0.2, 0.7)))
    b.frame("tip", "rod", at=(0.5, 0, 0))
    b.frame("goal", "world", at=(math.cos(0.6), math.sin(0.6), 0))
    b.add(gk.Ball(name="pin", a="goal", b="tip"))
    model = b.build(assemble=True)
    assert angle(model, "hinge") == pytest.approx(0.6, abs=CLOSED)
    hinge = model.joints[0]
    assert (hinge.a, hinge.b, hinge.at, hinge.axis) == ("hinge.a", "hinge.b", None, None)
    assert hinge.limits == (("angle", -0.2, 0.7),)


def test_assembled_models_go_through_a_scene():
    model = four_bar(1.7).build(assemble=True)
    assert gk.read_scene(gk.scene_text(model)) == model
    again = gk.Builder.from_model(model).build(assemble=True)
    assert again == model


def test_names_of_new_frames_give_way():
    b = four_bar(1.5)
    b.body("h0.a", static=True)
    b.frame("h1.b", "world")
    model = b.build(assemble=True)
    assert [f.name for f in model.frames if f.name.startswith(("h0", "h1"))] == [
        "h1.b",
        "h0.a_",
        "h0.b",
        "h1.a",
        "h1.b_",
    ]


def test_velocities_that_fit_stay():
    b = gk.Builder()
    b.body("rod", **ROD, at=(0.5, 0, 0), angular_velocity=(0.1, 0.2, 4))
    b.frame("top", "rod")
    b.frame("nail", "world")
    b.add(gk.Ball(name="pin", a="nail", b="top"))
    rod = b.build(assemble=True).body("rod")
    assert (rod.velocity, rod.angular_velocity) == ((0, 0, 0), (0.1, 0.2, 4))


def test_particle_on_a_frame():
    b = gk.Builder()
    b.particle("bob", mass=1, at=(0, 0, 0.25))
    b.frame("nail", "world", at=(0, 0, 1))
    b.add(gk.Ball(name="pin", a="nail", b="bob"))
    with pytest.raises(gk.InputError, match=r"open by 0\.75 m"):
        b.build()
    assert b.build(assemble=True).particles[0].at == pytest.approx((0, 0, 1), abs=CLOSED)


@pytest.mark.parametrize("kind", [gk.BallOnCurve, gk.SliderOnCurve])
def test_point_beside_a_curve(kind):
    circle = [(math.cos(t), math.sin(t), 0) for t in np.linspace(0, 2 * math.pi, 16, endpoint=False)]
    b = gk.Builder()
    b.body("bead", **ROD, at=(1.5, 0.1, 0.3))
    b.add(kind(name="ring", a="world", b="bead", points=circle, closed=True, at=(1.5, 0.1, 0.3)))
    with pytest.raises(gk.InputError, match="it stands open by"):
        b.build()
    model = b.build(assemble=True)
    assert worst(model) <= CLOSED
    # the spline is within 1e-4 of the circle
    assert np.hypot(*model.body("bead").at[:2]) == pytest.approx(1.0, abs=1e-4)


def test_point_above_a_surface():
    grid = [[(0.5 * i, 0.5 * j, 0.1 * i) for j in range(4)] for i in range(4)]
    b = gk.Builder()
    b.body("bead", **ROD, at=(0.7, 0.6, 0.5))
    b.add(gk.BallOnSurface(name="slope", a="world", b="bead", points=grid, at=(0.7, 0.6, 0.5)))
    with pytest.raises(gk.InputError, match="it stands open by"):
        b.build()
    x, _, z = b.build(assemble=True).body("bead").at
    assert z == pytest.approx(0.2 * x, abs=CLOSED)


def test_assembly_of_a_heap_of_links():
    """Eight links thrown at random, on hinges: far from closed, and still closed."""
    rng = np.random.default_rng(3)
    b = gk.Builder()
    last = "nail"
    b.frame("nail", "world")
    for i in range(8):
        b.body(f"l{i}", **ROD, at=rng.normal(size=3) - (0, 0, i), rotation=gk.unit(rng.normal(size=4)))
        b.frame(f"up{i}", f"l{i}", at=(0, 0, 0.5))
        b.frame(f"down{i}", f"l{i}", at=(0, 0, -0.5))
        b.add(gk.Hinge(name=f"h{i}", a=last, b=f"up{i}"))
        last = f"down{i}"
    assert worst(b.build(assemble=True)) <= 10 * CLOSED  # of a model of ten metres


# --- what cannot be assembled ----------------------------------------------------------------------------------------


def test_what_does_not_reach_is_named():
    with pytest.raises(gk.InputError) as caught:
        four_bar(3.2).build(assemble=True)
    error = caught.value
    assert "however the bodies are moved; so do hinge" in error.found
    assert "it stays open by 0.0" in error.found  # 0.2 m shared among four hinges
    named = {error.element, *(f"hinge 'h{i}'" for i in range(4) if f"hinge 'h{i}'" in error.found)}
    assert named == {f"hinge 'h{i}'" for i in range(4)}
    assert error.remedy.startswith("Check lengths and places of these joints")


def test_two_nails_for_one_point_are_named():
    b = two_frames(gk.Ball)
    b.frame("other nail", "world", at=(0, 0, 1))
    b.add(gk.Ball(name="second", a="other nail", b="top"))
    with pytest.raises(gk.InputError, match=r"it stays open by 0\.5 m however .*; so do ball '\w+' by 0\.5 m"):
        b.build(assemble=True)


def test_assemble_is_true_or_false():
    with pytest.raises(gk.InputError, match="assemble is 'yes'; allowed: true or false"):
        gk.Builder().build(assemble="yes")


# --- joints are carried along ----------------------------------------------------------------------------------------


def moved(model, p, q):
    """The model with all its bodies and particles carried by a rigid motion x -> p + R x."""
    state = model.initial_state()
    R = rotation_matrix(q)
    for i in range(1, model.nodes.count):
        if not model.nodes.is_static(i):
            state.p_WC[i] = R @ state.p_WC[i] + p
            if not model.nodes.is_particle(i):
                state.q_WB[i] = Quat(*q) * Quat(*state.q_WB[i])
    return placed_anew(model, state)


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.kind)
def test_coordinates_do_not_see_a_motion_of_all(joint):
    b = base_and_arm()
    b.add(joint)
    model = b.build()
    other = moved(model, np.array([0.3, -0.2, 0.5]), gk.unit((1.0, 0.4, -0.2, 0.7)))
    assert other.body("arm").at != model.body("arm").at
    rows = held_rows(model)
    now, then = (coordinates_at(m, m.initial_state()) for m in (model, other))
    # round-off of poses of a metre; splines through moved points add a few units more
    assert errors(other, then, rows) == pytest.approx(errors(model, now, rows), abs=1e-13)
    assert then.at.value == pytest.approx(now.at.value, abs=1e-12)


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.kind)
def test_every_joint_is_closed_after_a_push(joint):
    b = base_and_arm()
    b.add(joint)
    model = b.build()
    state = model.initial_state()
    i = model.index("arm")
    state.p_WC[i] += (0.02, -0.03, 0.01)
    state.q_WB[i] = about(gk.unit((1, 2, -2)), 0.1)
    pushed = placed_anew(model, state)
    if not isinstance(joint, gk.SliderOnCurve | gk.BallOnCurve | gk.BallOnSurface | gk.Distance):
        assert {pushed.joints[0].a, pushed.joints[0].b} == {f"{joint.name}.a", f"{joint.name}.b"}
    if joint.kind != "distance":
        assert worst(pushed) > 1e-3
    assert worst(assembled(pushed)) <= CLOSED


def test_hands_keep_the_point_they_hold():
    b = base_and_arm()
    at = (0.4, 0.5, 0.6)
    b.add(gk.Grab(name="mouse", body="arm", force_max=1.0, at=at, to=(1, 1, 1)))
    b.add(gk.DirectControl(name="hand", body="arm", at=at))
    b.add(gk.Deceleration(name="brake", body="arm", at=at, normal=(0, 0, 1), force_max=1.0))
    b.add(gk.Grab(name="middle", body="arm", force_max=1.0))
    model = b.build()
    other = moved(model, np.array([0.3, -0.2, 0.5]), gk.unit((1.0, 0.4, -0.2, 0.7)))
    assert other.joints[0].at != at
    assert other.joints[0].to == (1, 1, 1)
    assert other.joints[3].at is None
    for pair, twin in zip(model.wired.joints.pair, other.wired.joints.pair):
        assert twin.r_b == pytest.approx(pair.r_b, abs=1e-14)
