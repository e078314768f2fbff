"""Joints in scene files: written and read back bit by bit; written by hand; errors with their line."""

import math
import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gelenk as gk
from gelenk.forces.element import Labelled
from gelenk.joints.drive import Drive
from gelenk.joints.joint import Free, Joint
from gelenk.joints.kinds import JOINT_KINDS
from gelenk.joints.parts import T2
from gelenk.rows.block import DRIVE
from gelenk.rows.coordinate import SHIFT
from model.sample_joints import CURVE, DRIVES, JOINTS, base_and_arm, one_of_each

inf = math.inf


def assert_same_bits(model, other):
    assert model == other
    assert gk.scene_text(model) == gk.scene_text(other)
    assert model.initial_state().flat.tobytes() == other.initial_state().flat.tobytes()
    for field, part in model.wired.joints._asdict().items():
        twin = getattr(other.wired.joints, field)
        for a, b in zip(part, twin) if isinstance(part, tuple) else [(part, twin)]:
            assert a.tobytes() == b.tobytes(), field
    assert model.wired.inputs == other.wired.inputs


# --- bit by bit ----------------------------------------------------------------------------------------------------


def test_samples_hold_every_kind():
    assert {type(element) for element in (*JOINTS, *DRIVES)} == set(JOINT_KINDS)


def test_every_kind_is_read_back_bit_by_bit(tmp_path):
    model = one_of_each()
    text = gk.scene_text(model)
    assert_same_bits(model, gk.read_scene(text))
    gk.save_scene(model, tmp_path / "joints.toml")
    assert_same_bits(model, gk.load_scene(tmp_path / "joints.toml"))
    assert [type(a) for a in gk.read_scene(text).joints] == [type(a) for a in model.joints]


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.kind)
def test_every_field_of_a_joint_is_kept(joint):
    b = base_and_arm()
    b.add(joint)
    (again,) = gk.read_scene(gk.scene_text(b.build())).joints
    assert again == joint
    assert repr(again) == repr(joint)  # also tells -0.0 from 0.0 and 1 from 1.0


plain = st.floats(-10, 10)
points = st.tuples(plain, plain, plain)
axes = points.filter(lambda a: sum(x * x for x in a) > 1e-6).map(gk.unit)
positive = st.floats(1e-100, 1e100)
bounds = positive | st.just(inf)
numbers = st.floats(-1e100, 1e100)


@st.composite
def limits(draw, names):
    """Limits of some coordinates, open on one side or both."""
    made = {}
    for name in draw(st.lists(st.sampled_from(names), unique=True)):
        low, high = draw(st.tuples(plain | st.just(-inf), plain | st.just(inf)))
        made[name] = (-abs(low), abs(high))  # the start, zero, lies within
    return made


@st.composite
def joints(draw, name, a, b):
    """A joint placed in the world."""
    kind = draw(st.sampled_from([gk.Ball, gk.Hinge, gk.Slider, gk.Cylindrical, gk.Planar, gk.Rigid, gk.Screw]))
    common = {
        "name": name,
        "a": a,
        "b": b,
        "at": draw(points),
        "limits": draw(limits([free for free, *_ in kind.free])) if kind.free else (),
        "blocked": draw(st.sampled_from([None, False, True])),
        "break_force": draw(bounds),
        "break_torque": draw(bounds),
        "gain": draw(st.floats(1e-3, 1.0)),
    }
    if kind.needs_axis or draw(st.booleans()):
        common["axis"] = draw(axes)
    return kind(**common, **({"lead": draw(positive)} if kind is gk.Screw else {}))


@st.composite
def drives(draw, name, on, others):
    kind = draw(st.sampled_from(["velocity", "force", "servo", "spring", "gear"]))
    if kind == "velocity":
        return gk.VelocityMotor(name=name, on=on, speed=draw(numbers), force_max=draw(positive), braking=draw(positive))
    if kind == "servo":
        return gk.Servo(name=name, on=on, target=draw(numbers), kp=draw(positive), force_max=draw(positive))
    if kind == "spring":
        return gk.JointSpring(name=name, on=on, stiffness=draw(positive), rest=draw(numbers), force_max=draw(bounds))
    if kind == "gear" and others:
        ratio = draw(numbers.filter(bool))
        return gk.Gear(name=name, first=on, second=draw(st.sampled_from(others)), ratio=ratio)
    return gk.ForceMotor(name=name, on=on, force=draw(numbers))


@st.composite
def trees(draw):
    """A tree of bodies with a joint each, and drives on what is free."""
    b = gk.Builder()
    bodies = ["world"]
    for i in range(draw(st.integers(1, 4))):
        name = f"link {i}"
        rotation = draw(
            st.tuples(plain, plain, plain, plain).filter(lambda q: sum(x * x for x in q) > 1e-6).map(gk.unit)
        )
        b.body(name, mass=1.0, inertia=(1.0, 1.0, 1.0), at=draw(points), rotation=rotation, com=draw(points))
        b.add(draw(joints(f"joint.{i}", draw(st.sampled_from(bodies)), name)))
        bodies.append(name)
    free = [f"{c.joint}.{c.name}" for c in b.build().wired.coordinates]
    for i, on in enumerate(free):
        if draw(st.booleans()):
            b.add(draw(drives(f"drive {i}", on, [other for other in free if other != on])))
    return b.build()


@settings(max_examples=50, deadline=None)
@given(trees())
def test_random_trees_are_read_back_bit_by_bit(model):
    assert_same_bits(model, gk.read_scene(gk.scene_text(model)))
    assert_same_bits(model, gk.Builder.from_model(model).build())


# --- as a person reads and writes it ---------------------------------------------------------------------------------


def test_text_of_a_joint_is_one_line():
    b = gk.Builder()
    b.body("upper", mass=1, inertia=(1, 1, 1))
    b.add(gk.Hinge(name="elbow", a="world", b="upper", at=(0, 0, 0), axis=(0, 1, 0), limits=(-2, inf)))
    b.add(gk.VelocityMotor(name="motor", on="elbow", speed=1.0, force_max=5.0))
    assert gk.scene_text(b.build()).endswith(
        """
[joint.elbow]
hinge = { a = "world", b = "upper", at = [0.0, 0.0, 0.0], axis = [0.0, 1.0, 0.0], limits = [["angle", -2.0, inf]] }

[joint.motor]
velocity_motor = { on = "elbow", speed = 1.0, force_max = 5.0 }
"""
    )


def test_long_points_have_a_row_a_line():
    b = base_and_arm()
    b.add(
        gk.BallOnCurve(
            name="on curve", a="base", b="arm", points=[(x / 7, x * x / 7, 0) for x in range(9)], at=(0, 0, 0)
        )
    )
    text = gk.scene_text(b.build())
    assert '[joint."on curve".ball_on_curve]\n' in text
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("form", ['[["angle", -1, 0.5]]', "{ angle = [-1, 0.5] }", "[-1, 0.5]"])
def test_limits_have_three_forms(form):
    scene = f"""
joint.elbow.hinge = {{ a = "world", b = "upper", at = [0, 0, 0], axis = [0, 1, 0], limits = {form} }}
body.upper = {{ mass = 1, inertia = [1, 1, 1] }}
"""
    b = gk.Builder()
    b.body("upper", mass=1, inertia=(1, 1, 1))
    b.add(gk.Hinge(name="elbow", a="world", b="upper", at=(0, 0, 0), axis=(0, 1, 0), limits=(-1, 0.5)))
    assert_same_bits(gk.read_scene(scene), b.build())


def test_scene_by_hand_equals_the_builder():
    scene = """
[joint.drive]                      # before the joint it acts on
servo = { on = "press", target = 0.1, force_max = 30 }

[joint.press.screw]
a = "world"
b = "ram"
at = [0, 0, 1]
axis = [0, 0, -1]
lead = 0.01
limits.angle = [-inf, 60]
limits.position = [-0.5, 0.5]

[joint.weld]
rigid = { a = "ram.face", b = "die" }
[joint.wire.distance]
a = "world"
b = "bob"
limits = [0, 2]

[body.ram]
mass = 10
inertia = [1, 1, 1]
[body.die]
mass = 1
inertia = [1, 1, 1]
[particle.bob]
mass = 1
at = [1, 0, 0]
[frame."ram.face"]
body = "ram"
at = [0, 0, -1]
"""
    b = gk.Builder()
    b.body("ram", mass=10, inertia=(1, 1, 1))
    b.body("die", mass=1, inertia=(1, 1, 1))
    b.particle("bob", mass=1, at=(1, 0, 0))
    b.frame("ram.face", "ram", at=(0, 0, -1))
    b.add(gk.Servo(name="drive", on="press.angle", target=0.1, force_max=30))
    limits = {"position": (-0.5, 0.5), "angle": (-inf, 60)}
    b.add(gk.Screw(name="press", a="world", b="ram", at=(0, 0, 1), axis=(0, 0, -1), lead=0.01, limits=limits))
    b.add(gk.Rigid(name="weld", a="ram.face", b="die"))
    b.add(gk.Distance(name="wire", a="world", b="bob", limits=(0, 2)))
    scene = scene.replace('on = "press"', 'on = "press.angle"')
    assert_same_bits(gk.read_scene(scene), b.build())


def test_order_is_kept():
    b = base_and_arm()
    for name in "zayb":
        b.add(gk.Ball(name=name, a="base", b="arm", at=(0, 0, 0)))
    again = gk.read_scene(gk.scene_text(b.build()))
    assert [joint.name for joint in again.joints] == list("zayb")
    assert again.wired.names == tuple("zayb")


def test_scene_is_assembled_when_asked():
    scene = """
[body.rod]
mass = 1
inertia = [1, 1, 1]
at = [0.3, 0, -0.4]
[frame.top]
body = "rod"
[frame.nail]
body = "world"
[joint.pin]
ball = { a = "nail", b = "top" }
"""
    with pytest.raises(gk.InputError, match=r"^here\.toml:11: ball 'pin': it stands open by 0\.5 m at the start"):
        gk.read_scene(scene, file="here.toml")
    assert gk.read_scene(scene, assemble=True).body("rod").at == pytest.approx((0, 0, 0), abs=1e-12)


# --- kinds of one's own --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Track(Joint):
    """A point on a line, with a note."""

    kind: ClassVar[str] = "my track"
    parts: ClassVar = (T2,)
    free: ClassVar[tuple[Free, ...]] = (("way", SHIFT, 2, "m"),)
    note: str = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Brake(Drive):
    """Holds a coordinate by friction."""

    kind: ClassVar[str] = "my_brake"
    force: float

    def wire(self, wiring):
        self.row(wiring, DRIVE, low=-self.force, high=self.force)


def own_model():
    b = base_and_arm()
    b.add(Track(name="t", a="base", b="arm", at=(0, 0, 0), axis=(0, 0, 1), note='say "no"\n', limits=(0, inf)))
    b.add(Brake(name="b", on="t.way", force=2.0))
    return b.build()


def test_kinds_of_ones_own():
    model = own_model()
    again = gk.read_scene(gk.scene_text(model), kinds=(Track, Brake))
    assert_same_bits(model, again)
    assert [type(joint) for joint in again.joints] == [Track, Brake]
    with pytest.raises(gk.InputError, match=r"kind of joint is 'my track', .*kinds=\(MyJoint,\)"):
        gk.read_scene(gk.scene_text(model), kinds=(Brake,))


def test_forces_and_joints_are_told_apart():
    with pytest.raises(gk.InputError, match="kind of force is 'hinge'"):
        gk.read_scene("[force.h]\nhinge = {}")
    with pytest.raises(gk.InputError, match="kind of joint is 'spring'"):
        gk.read_scene("[joint.h]\nspring = {}")


def test_kinds_that_take_a_built_in_word_are_refused():
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Hinge2(gk.Hinge):
        pass

    class NoWire(Labelled):
        kind = "no wire"

    b = base_and_arm()
    b.add(Hinge2(name="h", a="base", b="arm", at=(0, 0, 0), axis=(0, 0, 1)))
    with pytest.raises(gk.InputError, match="calls itself 'hinge', as a built-in kind of joint does"):
        gk.scene_text(b.build())
    with pytest.raises(gk.InputError, match="stands for two classes"):
        gk.read_scene("", kinds=(Hinge2,))
    with pytest.raises(gk.InputError, match="of joints and drives with kind and wire"):
        gk.read_scene("", kinds=(NoWire,))


# --- errors with their line ----------------------------------------------------------------------------------------

BODIES = "body.a = { mass = 1, inertia = [1, 1, 1] }\nbody.b = { mass = 1, inertia = [1, 1, 1] }\nparticle.p.mass = 1\n"
HINGE = "[joint.h.hinge]\na = 'a'\nb = 'b'\nat = [0, 0, 0]\naxis = [0, 0, 1]\n"

LINES = {
    "unknown body": ("[joint.h.hinge]\na = 'a'\nb = 'c' # <--", "hinge 'h'", "b is 'c', which does not exist"),
    "itself": ("[joint.h] \nhinge = { a = 'a', b = 'a' } # <--", "hinge 'h'", "both sides are 'a'"),
    "no axis": ("[joint.h.hinge] # <--\na = 'a'\nb = 'b'\nat = [0, 0, 0]", "hinge 'h'", "no axis"),
    "zero axis": (HINGE.replace("1]", "0] # <--"), "hinge 'h'", "axis is .* with length 0"),
    "nan": (HINGE.replace("at = [0", "at = [nan").replace("0, 0]\n", "0, 0] # <--\n"), "hinge 'h'", "at is"),
    "limits": (HINGE + "limits = [1, -1] # <--", "hinge 'h'", "limits of 'angle' are 1 to -1"),
    "limits by name": (HINGE + "limits = { angel = [1, 2] } # <--", "hinge 'h'", "limits on 'angel'"),
    "limits of texts": (HINGE + "limits = ['0', '1'] # <--", "hinge 'h'", "limits of 'angle' are"),
    "number for a name": ("[joint.h.hinge]\na = 3 # <--\nb = 'b'", "hinge 'h'", "a is 3"),
    "text for a number": (HINGE + "gain = 'x' # <--", "hinge 'h'", "gain is 'x'"),
    "bool for a number": (HINGE + "break_force = true # <--", "hinge 'h'", "break_force is True"),
    "number for a bool": (HINGE + "blocked = 1 # <--", "hinge 'h'", "blocked is 1"),
    "unknown key": (HINGE + "limit = [0, 1] # <--", "hinge 'h'", "unknown key 'limit'"),
    "missing": ("[joint.h.hinge] # <--\na = 'a'", "hinge 'h'", "b is missing"),
    "unknown kind": ("[joint.h]\nhing = {} # <--", "joint 'h'", "kind of joint is 'hing'"),
    "two kinds": ("[joint.h] # <--\nhinge = {}\nball = {}", "joint 'h'", "keys are"),
    "name of a body": (HINGE.replace("joint.h.hinge]", "joint.a.hinge] # <--"), "hinge 'a'", "taken by a body"),
    "unknown joint": (HINGE + "[joint.m.servo]\non = 'hh' # <--", "servo 'm'", "on is 'hh'"),
    "unknown coordinate": (HINGE + "[joint.m.servo]\non = 'h.x' # <--", "servo 'm'", "on is 'h.x', and 'h' has no 'x'"),
    "negative stiffness": (
        HINGE + "[joint.s.joint_spring]\non = 'h'\nstiffness = -1 # <--",
        "joint_spring 's'",
        "stiffness is -1",
    ),
    "gear of one": (
        HINGE + "[joint.g.gear]\nfirst = 'h' # <--\nsecond = 'h.angle'",
        "gear 'g'",
        "the same coordinate",
    ),
    "particle": (HINGE.replace("b = 'b'", "b = 'p' # <--"), "hinge 'h'", "b is the particle 'p'"),
    "bad curve": (
        "[joint.c.ball_on_curve]\na = 'a'\nb = 'b'\nat = [0, 0, 0]\npoints = [[0, 0, 0], [1, 0, nan]] # <--",
        "ball_on_curve 'c'",
        "row 1 of points",
    ),
    "open": (
        "frame.f.body = 'a'\nframe.g = { body = 'b', at = [0, 0, 1] }\n[joint.h.ball] # <--\na = 'f'\nb = 'g'",
        "ball 'h'",
        "it stands open by 1 m at the start",
    ),
    "twice": ("[joint.h]\nball = {}\n[joint.h] # <--\nball = {}", "joint 'h'", "the name is taken"),
}


@pytest.mark.parametrize("name", LINES)
def test_errors_name_the_line(name):
    scene, element, found = LINES[name]
    text = BODIES + scene
    line = next(n for n, row in enumerate(text.split("\n"), start=1) if "# <--" in row)
    with pytest.raises(gk.InputError) as caught:
        gk.read_scene(text, file="model.toml")
    error = caught.value
    assert (error.element, error.file, error.line) == (element, "model.toml", line)
    assert re.search(found, error.found), error.found
    assert str(error).startswith(f"model.toml:{line}: {element}: ")


def test_curves_are_kept_to_the_last_bit():
    shaken = tuple(tuple(np.nextafter(x, 1.0) for x in p) for p in CURVE)
    b = base_and_arm()
    b.add(gk.BallOnCurve(name="c", a="base", b="arm", points=np.array(shaken), at=shaken[1]))
    assert gk.read_scene(gk.scene_text(b.build())).joints[0].points == shaken
