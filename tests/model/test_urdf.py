"""Robots from URDF files: closed forms on small files, real robots against PyBullet, and files that must be refused."""

import math
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gelenk as gk
from gelenk.math.rotation import rotation_matrix
from gelenk.model import urdf_xml
from gelenk.model.urdf import UrdfWarning, load_urdf

# Poses and tensors here come from a dozen products of numbers of size 1.
ROUND_OFF = 1e-14

HEAVY = '<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.25"/></inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="5" velocity="2"/>'


def link(name, inside=HEAVY):
    return f'<link name="{name}">{inside}</link>'


def joint(name, kind, parent, child, inside=""):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot(*parts, name="arm"):
    return "\n".join([f'<robot name="{name}">', *parts, "</robot>"])


@pytest.fixture
def load(tmp_path):
    """Write a text and load it; warnings are errors, as everywhere in these tests."""

    def of(text, **options):
        file = tmp_path / "arm.urdf"
        file.write_text(text, encoding="utf-8")
        return load_urdf(file, **options)

    return of


def refused(load, text, **options):
    with pytest.raises(gk.InputError) as caught:
        load(text, **options)
    return str(caught.value)


def poses(robot, model):
    """Link -> (origin, rotation matrix) in the world, whether it is a body or a frame."""
    bodies = {b.name: (np.array(b.at), rotation_matrix(b.rotation)) for b in model.bodies}
    bodies["world"] = (np.zeros(3), np.eye(3))
    for frame in model.frames:
        p_WB, R_WB = bodies[frame.body]
        bodies[frame.name] = (p_WB + R_WB @ frame.at, R_WB @ rotation_matrix(frame.rotation))
    return {link: bodies[name] for link, name in robot.links.items()}


def element(model, name):
    (found,) = (x for x in model.joints if x.name == name)
    return found


# --- joints and poses -------------------------------------------------------------------------------------------------

ALL_KINDS = robot(
    link("base", ""),
    joint("turn", "revolute", "base", "a", '<origin xyz="0 0 1"/><axis xyz="0 0 2"/>' + LIMIT),
    link("a"),
    joint("spin", "continuous", "a", "b", '<origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><axis xyz="1 0 0"/>'),
    link("b"),
    joint("slide", "prismatic", "b", "c", '<axis xyz="0 1 0"/><limit lower="0" upper="0.5"/>'),
    link("c"),
    joint("sheet", "planar", "c", "d", '<axis xyz="0 0 1"/>'),
    link("d"),
    joint("neck", "spherical", "d", "e", '<origin xyz="0 0 0.2"/>'),
    link("e"),
    joint("loose", "floating", "e", "f"),
    link("f"),
    joint("weld", "fixed", "f", "tip", '<origin xyz="0.1 0 0"/>'),
    link("tip", ""),
)


def test_every_joint_type_becomes_its_joint(load):
    arm = load(ALL_KINDS)
    model = arm.builder.build()
    kinds = {x.name: x.kind for x in model.joints}
    expected = {"turn": "hinge", "spin": "hinge", "slide": "slider", "sheet": "planar", "neck": "ball"}
    assert kinds == expected
    assert element(model, "turn").limits == (("angle", -1.0, 1.0),)
    assert element(model, "slide").limits == (("position", 0.0, 0.5),)
    assert element(model, "spin").limits == ()
    assert [b.name for b in model.bodies] == list("abcdef")
    assert {f.name: f.body for f in model.frames if f.name in ("base", "tip")} == {"base": "world", "tip": "f"}
    assert list(arm.joints) == ["turn", "spin", "slide", "sheet", "neck", "loose"]
    turn = arm.joints["turn"]
    assert (turn.type, turn.lower, turn.upper, turn.effort, turn.velocity) == ("revolute", -1.0, 1.0, 5.0, 2.0)
    assert arm.joints["slide"].effort == math.inf


def test_the_zero_pose_is_the_product_of_the_origins(load):
    arm = load(ALL_KINDS)
    at = poses(arm, arm.builder.build())
    quarter = Rotation.from_euler("z", 90, degrees=True).as_matrix()
    for name, p, R in (
        ("a", (0, 0, 1), np.eye(3)),
        ("b", (1, 0, 1), quarter),
        ("e", (1, 0, 1.2), quarter),
        ("tip", (1, 0.1, 1.2), quarter),
    ):
        np.testing.assert_allclose(at[name][0], p, atol=ROUND_OFF)
        np.testing.assert_allclose(at[name][1], R, atol=ROUND_OFF)


def homogeneous(p=(0, 0, 0), R=None):
    T = np.eye(4)
    T[:3, 3] = p
    T[:3, :3] = np.eye(3) if R is None else R.as_matrix()
    return T


def test_start_positions_move_the_links_and_are_what_the_coordinates_read(load):
    start = {"turn": 0.7, "spin": -2.0, "slide": 0.3, "sheet": (0.1, -0.2, 0.4), "neck": (0.1, 0.2, 0.3)}
    start["loose"] = (0.5, 0.6, 0.7, 0.1, -0.2, 0.3)
    arm = load(ALL_KINDS, joints=start, at=(0, 2, 0), rotation=gk.unit((1, 0.5, 0, 0)))
    model = arm.builder.build()
    w, x = gk.unit((1, 0.5))
    T = homogeneous((0, 2, 0), Rotation.from_quat((x, 0, 0, w)))
    T = T @ homogeneous((0, 0, 1)) @ homogeneous(R=Rotation.from_rotvec((0, 0, 0.7)))
    T = T @ homogeneous((1, 0, 0), Rotation.from_euler("xyz", (0, 0, np.pi / 2)))
    T = T @ homogeneous(R=Rotation.from_rotvec((-2.0, 0, 0))) @ homogeneous((0, 0.3, 0))
    T = T @ homogeneous((0.1, -0.2, 0), Rotation.from_rotvec((0, 0, 0.4))) @ homogeneous((0, 0, 0.2))
    T = T @ homogeneous(R=Rotation.from_euler("xyz", start["neck"]))
    T = T @ homogeneous((0.5, 0.6, 0.7), Rotation.from_euler("xyz", (0.1, -0.2, 0.3))) @ homogeneous((0.1, 0, 0))
    tip = poses(arm, model)["tip"]
    np.testing.assert_allclose(tip[0], T[:3, 3], atol=ROUND_OFF)
    np.testing.assert_allclose(tip[1], T[:3, :3], atol=ROUND_OFF)
    sim = gk.Simulation(model, gk.RowStepping(1e-3, solver=gk.Tree()))
    for name, value in (
        ("turn.angle", 0.7),
        ("spin.angle", -2.0),
        ("slide.position", 0.3),
        ("sheet.x", 0.1),
        ("sheet.y", -0.2),
        ("sheet.angle", 0.4),
    ):
        assert sim.sensors[name] == pytest.approx(value, abs=ROUND_OFF), name
    assert arm.joints["sheet"].start == (0.1, -0.2, 0.4)


@pytest.mark.parametrize("rpy", [(0.3, 0, 0), (0.3, -1.2, 2.5), (3.0, 1.5707963267948966, -1.0)])
def test_roll_pitch_yaw_turn_about_fixed_axes(load, rpy):
    text = robot(
        link("base", ""),
        joint("weld", "fixed", "base", "tool", f'<origin rpy="{rpy[0]} {rpy[1]} {rpy[2]}"/>'),
        link("tool", ""),
    )
    arm = load(text)
    R = poses(arm, arm.builder.build())["tool"][1]
    np.testing.assert_allclose(R, Rotation.from_euler("xyz", rpy).as_matrix(), atol=ROUND_OFF)


def test_a_quaternion_may_stand_for_roll_pitch_yaw(load):
    origin = '<origin xyz="1 2 3" quat_xyzw="0 0 3 4"/>'
    arm = load(robot(link("base", ""), joint("weld", "fixed", "base", "tool", origin), link("tool", "")))
    p, R = poses(arm, arm.builder.build())["tool"]
    np.testing.assert_allclose(p, (1, 2, 3))
    np.testing.assert_allclose(R, Rotation.from_quat((0, 0, 0.6, 0.8)).as_matrix(), atol=ROUND_OFF)


def test_joints_start_at_the_limit_nearest_to_zero(load):
    limit = '<axis xyz="0 0 1"/><limit lower="-2" upper="-0.5"/>'
    arm = load(robot(link("base", ""), joint("knee", "revolute", "base", "leg", limit), link("leg")))
    assert arm.joints["knee"].start == (-0.5,)
    R = poses(arm, arm.builder.build())["leg"][1]
    np.testing.assert_allclose(R, Rotation.from_rotvec((0, 0, -0.5)).as_matrix(), atol=ROUND_OFF)


# --- mimic, damping, friction -----------------------------------------------------------------------------------------


def geared(mimic, follower="revolute", more=""):
    """Two pendulums on one base, the second following the first."""
    lever = '<inertial><origin xyz="0 0 -0.5"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
    axis = '<axis xyz="0 1 0"/>'
    limit = '<limit lower="-3" upper="3"/>' if follower == "revolute" else ""
    return robot(
        link("base", ""),
        joint("lead", "continuous", "base", "one", axis + more),
        link("one", lever),
        joint("follow", follower, "base", "two", f'<origin xyz="0 1 0"/>{axis}{mimic}{limit}'),
        link("two", lever),
    )


def test_a_joint_that_mimics_starts_where_it_must_and_keeps_to_it(load):
    arm = load(geared('<mimic joint="lead" multiplier="-0.5" offset="0.2"/>'), joints={"lead": 0.8})
    assert arm.joints["follow"].start == pytest.approx((-0.2,), abs=ROUND_OFF)
    assert arm.joints["follow"].follows == "lead"
    model = arm.builder.build()
    gear = element(model, "follow mimic")
    assert (gear.first, gear.second, gear.ratio, gear.offset) == ("follow", "lead", -0.5, 0.2)
    sim = gk.Simulation(model, gk.RowStepping(1e-2, solver=gk.GaussSeidel(sweeps=200)))
    sim.advance(0.2)
    lead, follow = sim.sensors["lead.angle"], sim.sensors["follow.angle"]
    assert abs(lead - 0.8) > 0.05  # it has moved
    # The row is linear in both angles, so rates that obey it keep the angles to it up to what the sweeps leave open.
    assert follow == pytest.approx(-0.5 * lead + 0.2, abs=1e-6)


def test_whole_turns_of_joints_without_limits_do_not_open_the_gear(load):
    arm = load(geared('<mimic joint="lead" multiplier="5"/>', "continuous"), joints={"lead": 7.0})
    assert arm.joints["lead"].start == pytest.approx((7.0 - 2 * math.pi,), abs=ROUND_OFF)
    assert arm.joints["follow"].start == pytest.approx((math.remainder(35.0, 2 * math.pi),), abs=1e-13)
    model = arm.builder.build()
    R = poses(arm, model)["two"][1]
    np.testing.assert_allclose(R, Rotation.from_rotvec((0, 35.0, 0)).as_matrix(), atol=1e-13)
    sim = gk.Simulation(model, gk.RowStepping(1e-2, solver=gk.GaussSeidel(sweeps=200)))
    gear = element(model, "follow mimic")
    error = sim.sensors["follow.angle"] - 5 * sim.sensors["lead.angle"] - gear.offset
    assert abs(error) < 1e-13


def test_a_mimic_of_what_does_not_move_does_not_move(load):
    arm = load(geared('<mimic joint="lead" multiplier="2" offset="0.1"/>'), joints={"lead": 0.4}, locked=["lead"])
    assert arm.joints == {}
    model = arm.builder.build()
    assert model.joints == ()
    np.testing.assert_allclose(
        poses(arm, model)["two"][1], Rotation.from_rotvec((0, 0.9, 0)).as_matrix(), atol=ROUND_OFF
    )


def test_mimic_beyond_the_limits_is_named(load):
    with pytest.warns(UrdfWarning, match=r"beyond the limits at the start: 'follow' at 3.1 \(limits -3 to 3\)"):
        load(geared('<mimic joint="lead" offset="3.1"/>'))
    assert "half a turn" in refused(load, geared('<mimic joint="lead" offset="4"/>'))


def test_damping_and_friction_become_a_damper_and_a_brake(load):
    arm = load(geared("", "continuous", '<dynamics damping="0.7" friction="3"/>'), joints={"lead": 0.5})
    model = arm.builder.build()
    damper, brake = element(model, "lead damping"), element(model, "lead friction")
    assert (damper.on, damper.damping, damper.stiffness) == ("lead", 0.7, 0.0)
    assert (brake.on, brake.force_max, brake.speed) == ("lead", 3.0, 0.0)
    # Gravity turns the lever with 1 kg 9.81 m/s^2 0.5 m sin 0.5 = 2.35 N m, less than the friction: it stays.
    sim = gk.Simulation(model, gk.RowStepping(1e-2, solver=gk.GaussSeidel(sweeps=200)))
    sim.advance(0.1)
    assert sim.sensors["lead.angle"] == pytest.approx(0.5, abs=1e-6)
    assert sim.sensors["lead friction.force"] == pytest.approx(9.81 * 0.5 * math.sin(0.5), rel=1e-6)


# --- masses -----------------------------------------------------------------------------------------------------------


def box_inertial(mass, size, xyz="0 0 0", rpy="0 0 0"):
    x, y, z = (s * s for s in size)
    a, b, c = (mass / 12 * s for s in (y + z, x + z, x + y))
    origin = f'<origin xyz="{xyz}" rpy="{rpy}"/>'
    return f'<inertial>{origin}<mass value="{mass}"/><inertia ixx="{a}" iyy="{b}" izz="{c}"/></inertial>'


def test_inertials_are_turned_into_the_axes_of_the_link(load):
    rpy = (0.4, -0.7, 1.1)
    inertial = box_inertial(3.0, (0.2, 0.3, 0.5), "0.1 0.2 0.3", "0.4 -0.7 1.1")
    body = load(robot(link("stone", inertial)), base="free").builder.build().body("stone")
    R = Rotation.from_euler("xyz", rpy).as_matrix()
    tensor = R @ np.diag(3.0 / 12 * np.array([0.34, 0.29, 0.13])) @ R.T
    np.testing.assert_allclose(body.inertia, tensor, atol=ROUND_OFF)
    assert body.com == (0.1, 0.2, 0.3)
    assert body.mass == 3.0


@pytest.mark.parametrize("merge_fixed", [True, False])
def test_fixed_links_make_one_body_or_are_joined_rigidly(load, merge_fixed):
    """A box cut in two, one half turned: together they have the mass properties of the whole."""
    half = (0.4, 0.2, 0.3)
    text = robot(
        link("left", box_inertial(1.5, half, "-0.2 0 0")),
        joint("glue", "fixed", "left", "right", '<origin rpy="0 0 1.5707963267948966"/>'),
        link("right", box_inertial(1.5, (0.2, 0.4, 0.3), "0 -0.2 0")),
        joint("pin", "fixed", "right", "mark", '<origin xyz="0 0 0.15"/>'),
        link("mark", ""),
    )
    arm = load(text, base="free", merge_fixed=merge_fixed)
    model = arm.builder.build()
    assert sum(b.mass for b in model.bodies) == 3.0
    np.testing.assert_allclose(poses(arm, model)["mark"][0], (0, 0, 0.15), atol=ROUND_OFF)
    if merge_fixed:
        (body,) = model.bodies
        whole = gk.Box((0.8, 0.2, 0.3)).mass_properties(3.0 / (0.8 * 0.2 * 0.3))
        np.testing.assert_allclose(body.inertia, whole.inertia, atol=ROUND_OFF)
        np.testing.assert_allclose(body.com, (0, 0, 0), atol=ROUND_OFF)
        assert model.joints == ()
        assert arm.links == {"left": "left", "right": "right", "mark": "mark"}
    else:
        assert [x.kind for x in model.joints] == ["rigid"]
        assert [f.body for f in model.frames if f.name == "mark"] == ["right"]


def test_a_massless_root_takes_the_mass_of_what_is_fixed_to_it(load):
    text = robot(link("base_link", ""), joint("fix", "fixed", "base_link", "base_inertia"), link("base_inertia"))
    for merge_fixed in (True, False):
        arm = load(text, base="free", merge_fixed=merge_fixed)
        assert [b.name for b in arm.builder.build().bodies] == ["base_link"]
        assert arm.root == "base_link"


def test_inertia_without_mass_counts_for_the_body_it_is_fixed_to(load):
    ring = '<origin rpy="0 1.5707963267948966 0"/><mass value="0"/><inertia ixx="1" iyy="2" izz="2.5"/>'
    text = robot(
        link("base"),
        joint("fix", "fixed", "base", "ring", '<origin xyz="3 0 0"/>'),
        link("ring", f"<inertial>{ring}</inertial>"),
    )
    body = load(text, base="free").builder.build().body("base")
    assert (body.mass, body.com) == (2.0, (0.0, 0.0, 0.0))
    np.testing.assert_allclose(body.inertia, np.diag([2.6, 2.2, 1.25]), atol=ROUND_OFF)  # x and z change places


def test_joints_that_carry_no_mass_stay_where_they_are(load):
    text = robot(
        link("base"),
        joint("pan", "continuous", "base", "camera", '<axis xyz="0 0 1"/>'),
        link("camera", ""),
        joint("lens", "fixed", "camera", "eye", '<origin xyz="1 0 0"/>'),
        link("eye", '<inertial><mass value="0"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'),
    )
    with pytest.warns(UrdfWarning, match=r"carry no mass, so they stay where they are: 'pan'"):
        arm = load(text, base="free", joints={"pan": math.pi / 2})
    model = arm.builder.build()
    assert (len(model.bodies), model.joints, arm.joints) == (1, (), {})
    np.testing.assert_allclose(poses(arm, model)["eye"][0], (0, 1, 0), atol=ROUND_OFF)


def test_massless_links_between_joints_are_refused_unless_locked(load):
    text = robot(
        link("base"),
        joint("one", "continuous", "base", "cross"),
        link("cross", ""),
        joint("two", "continuous", "cross", "arm", '<axis xyz="0 1 0"/>'),
        link("arm"),
    )
    message = refused(load, text)
    assert "arm.urdf:4: link 'cross': it moves and has no mass" in message
    assert "locked" in message
    assert list(load(text, locked=["one"]).joints) == ["two"]
    assert 'use base="fixed"' in refused(load, robot(link("base", "")), base="free")


def test_a_fixed_base_stands_still_and_needs_no_mass(load):
    text = robot(
        link("world", ""),
        joint("stand", "fixed", "world", "base", '<origin xyz="0 0 1"/>'),
        link("base", HEAVY + '<visual><geometry><sphere radius="0.1"/></geometry></visual>'),
        joint("spin", "continuous", "base", "arm"),
        link("arm"),
    )
    arm = load(text, at=(1, 0, 0))
    model = arm.builder.build()
    assert arm.root == "world link"  # it takes the shape of the base, and "world" itself has none
    assert [(b.name, b.static) for b in model.bodies] == [("world link", True), ("arm", False)]
    np.testing.assert_allclose(poses(arm, model)["base"][0], (1, 0, 1))
    bare = load(text.replace("<visual>", "<!--").replace("</visual>", "-->"))
    assert (bare.root, bare.links["world"]) == ("world", "world")
    assert [b.name for b in bare.builder.build().bodies] == ["arm"]


def test_inertias_that_no_body_can_have_are_mended_or_refused(load):
    text = robot(link("plate", '<inertial><mass value="1"/><inertia ixx="1" iyy="2" izz="4"/></inertial>'))
    with pytest.warns(UrdfWarning, match=r"mended: link 'plate', moments \(1, 2, 4\) to \(1.5, 2.5, 4\)"):
        body = load(text, base="free").builder.build().body("plate")
    # integrals of squares: (5/2, 3/2, -1/2) become (5/2, 3/2, 0), so the moments are their sums by pairs
    np.testing.assert_allclose(body.inertia, np.diag([1.5, 2.5, 4.0]), atol=ROUND_OFF)
    message = refused(load, text, base="free", mend=False)
    assert "arm.urdf:2: link 'plate': principal moments are (1, 2, 4)" in message


# --- shapes -----------------------------------------------------------------------------------------------------------


def test_shapes_are_seen_or_touched_and_do_not_weigh(load):
    shapes = (
        '<visual><origin xyz="0 0 1" rpy="0 0 0.5"/><geometry><box size="1 2 3"/></geometry>'
        '<material name="red"/></visual>'
        '<visual><geometry><cylinder radius="0.1" length="2"/></geometry>'
        '<material name=""><color rgba="0 1 0 0.5"/></material></visual>'
        '<collision><geometry><sphere radius="0.4"/></geometry></collision>'
        '<collision><geometry><capsule radius="0.4" length="1"/></geometry></collision>'
    )
    text = robot('<material name="red"><color rgba="1 0 0 1"/></material>', link("base", HEAVY + shapes))
    model = load(text, base="free", prefix="my ").builder.build()
    body = model.body("my base")
    assert [p.shape for p in body.parts] == [gk.Box((1, 2, 3)), gk.Cylinder(0.1, 2), gk.Sphere(0.4), gk.Capsule(0.4, 1)]
    assert [(p.view, p.collide, p.weighs) for p in body.parts] == [(True, False, False)] * 2 + [
        (False, True, False)
    ] * 2
    assert body.mass == 2.0
    assert body.parts[0].at == (0.0, 0.0, 1.0)
    np.testing.assert_allclose(body.parts[0].rotation, (math.cos(0.25), 0, 0, math.sin(0.25)), atol=ROUND_OFF)
    assert [p.material for p in body.parts] == ["my red", "my color", "", ""]
    assert {m.name: m.color for m in model.materials} == {"my red": (1, 0, 0), "my color": (0, 1, 0)}


def write_box(path, open_side=False):
    """A box of 1 x 2 x 3 as an OBJ file; one side left open if asked for."""
    vertices, faces = gk.Box((1, 2, 3)).triangles()
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines[:-2] if open_side else lines))


def meshed(name, scale=""):
    shape = f'<geometry><mesh filename="{name}" {scale}/></geometry>'
    return robot(link("base", f"<visual>{shape}</visual><collision>{shape}</collision>"))


def mesh_of(arm):
    parts = arm.builder.build().bodies[0].parts
    assert parts[0].shape is parts[1].shape  # read once
    return parts[0].shape


@pytest.mark.parametrize(
    ("file", "name", "packages"),
    [
        ("meshes/box.obj", "meshes/box.obj", {}),
        ("../box.obj", "../box.obj", {}),
        ("../meshes/box.obj", "package://my_robot/meshes/box.obj", {}),  # the file lies in my_robot/urdf
        ("../../other/box.obj", "package://other/box.obj", {}),  # a package beside it
        ("../../elsewhere/box.obj", "package://other/box.obj", {"other": "elsewhere"}),
        ("meshes/box.obj", "file://FOLDER/meshes/box.obj", {}),
    ],
)
def test_mesh_files_are_found(tmp_path, file, name, packages):
    folder = tmp_path / "my_robot" / "urdf"
    folder.mkdir(parents=True)
    write_box((folder / file).resolve())
    (folder / "arm.urdf").write_text(meshed(name.replace("FOLDER", folder.as_posix())))
    packages = {key: tmp_path / value for key, value in packages.items()}
    mesh = mesh_of(load_urdf(folder / "arm.urdf", packages=packages))
    assert mesh == gk.load_mesh(folder / file)


def test_a_scale_may_stretch_and_mirror(load, tmp_path):
    write_box(tmp_path / "box.obj")
    mesh = mesh_of(load(meshed("box.obj", 'scale="0.001 -0.002 0.003"')))
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), (0.001, 0.004, 0.009), rtol=1e-12)
    assert mesh.mass_properties(1.0).mass == pytest.approx(0.001 * 0.004 * 0.009, rel=1e-12)  # not inside out


def test_a_surface_that_is_not_closed_becomes_its_convex_hull(load, tmp_path):
    write_box(tmp_path / "box.obj", open_side=True)
    with pytest.warns(UrdfWarning, match=r"not closed, or crossing itself, so its convex hull is taken: box.obj$"):
        mesh = mesh_of(load(meshed("box.obj")))
    assert mesh.mass_properties(1.0).mass == pytest.approx(6.0, rel=1e-12)
    assert "the surface has a hole" in refused(load, meshed("box.obj"), mend=False)


def test_a_surface_that_crosses_itself_is_seen_as_it_is_and_touched_as_its_convex_hull(load, tmp_path):
    v, f = gk.Box((1, 1, 1)).triangles()
    lines = ["v {} {} {}".format(*p) for p in np.concatenate((v, v + 0.3))]
    lines += ["f {} {} {}".format(*t) for t in np.concatenate((f, f + np.uint32(8))) + np.uint32(1)]
    (tmp_path / "two.obj").write_text("\n".join(lines))
    with pytest.warns(UrdfWarning, match=r"crossing itself, so its convex hull is taken: two.obj$"):
        robot = load(meshed("two.obj"))
    seen, touched = (part.shape for part in robot.builder.build().bodies[0].parts)
    assert seen == gk.load_mesh(tmp_path / "two.obj")
    exact = gk.ConvexHull(seen.vertices).mass_properties(1.0).mass
    assert touched.mass_properties(1.0).mass == pytest.approx(exact, rel=1e-13)
    assert "cuts through itself" in refused(load, meshed("two.obj"), mend=False)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("no.stl", "there is no mesh file"),
        ("package://none/no.stl", "packages={'none': folder}"),
        ("http://example.org/a.stl", "nothing is fetched from a network"),
        ("//server/share/a.stl", "nothing is fetched from a network"),
        ("shape.dae", "ends in '.dae'"),
        ("flat.obj", "Mend the mesh"),
        ("broken.stl", "the file holds no triangles"),
    ],
)
def test_meshes_that_cannot_be_read_are_refused_or_skipped(load, tmp_path, name, found):
    (tmp_path / "shape.dae").write_text("<COLLADA/>")
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n")
    (tmp_path / "broken.stl").write_bytes(b"solid no\n facet normal x y")
    message = refused(load, meshed(name))
    assert "arm.urdf:2: link 'base'" in message
    assert found in message
    with pytest.warns(UrdfWarning, match="mesh left out"):
        arm = load(meshed(name), meshes="skip")
    assert arm.builder.build().bodies == ()  # nothing to see is left
    assert load(meshed(name), meshes="none").links == {"base": "base"}


# --- names, several robots --------------------------------------------------------------------------------------------


def test_several_robots_go_into_one_builder(load):
    text = robot(link("base", ""), joint("elbow", "revolute", "base", "arm", LIMIT), link("arm"))
    b = gk.Builder(gravity=(0, 0, 0), name="cell")
    left = load(text, into=b, prefix="left ", at=(0, 1, 0))
    right = load(text, into=b, prefix="right ", at=(0, -1, 0))
    for arm in (left, right):
        name = arm.joints["elbow"].name
        b.add(gk.Servo(name=f"{name} servo", on=name, force_max=arm.joints["elbow"].effort))
    model = b.build()
    assert left.builder is right.builder is b
    assert [body.name for body in model.bodies] == ["left arm", "right arm"]
    assert [body.at for body in model.bodies] == [(0.0, 1.0, 0.0), (0.0, -1.0, 0.0)]
    assert element(model, "right elbow servo").force_max == 5.0


def test_a_file_with_an_error_leaves_nothing_in_the_builder(load):
    b = gk.Builder()
    b.body("arm", shape=gk.Sphere(1.0), density=1.0)
    before = b.build()
    text = robot(link("base"), joint("elbow", "continuous", "base", "arm"), link("arm"))
    message = refused(load, text, into=b, base="free")
    assert "the name is taken by a body" in message
    assert 'prefix="left "' in message
    assert b.build() == before


def test_names_that_a_model_cannot_hold_are_changed_and_named(load):
    text = robot(
        link("1/base"),
        joint("arm", "continuous", "1/base", "arm"),
        link("arm"),
        joint("time", "fixed", "arm", "energy"),
    ).replace("</robot>", link("energy", "") + "</robot>")
    with pytest.warns(UrdfWarning, match="name changed") as caught:
        arm = load(text, base="free")
    assert arm.links == {"1/base": "_1_base", "arm": "arm", "energy": "energy link"}
    assert arm.joints["arm"].name == "arm joint"
    assert "link '1/base' to '_1_base', link 'energy' to 'energy link', joint 'arm' to 'arm joint'" in str(
        caught[0].message
    )
    arm.builder.build()


# --- what is not used -------------------------------------------------------------------------------------------------


def test_tags_without_meaning_are_named_once_with_their_lines(load):
    text = robot(
        '<gazebo reference="base"><material>Gazebo/Blue</material></gazebo>',
        link("base", HEAVY + '<contact><lateral_friction value="1"/></contact>'),
        '<transmission name="t"><type>x</type></transmission>',
        "<gazebo/>",
        joint("j", "continuous", "base", "arm", '<calibration rising="0"/><axis xyz="1 0 0" expressed_in="x"/>'),
        link("arm", HEAVY + "<visual><geometry><plane/></geometry></visual>"),
        '<sensor name="s"/>',
    )
    with pytest.warns(UrdfWarning) as caught:
        load(text)
    assert [str(w.message) for w in caught] == [
        "arm.urdf: not used: <gazebo> (2 times, first in line 2), <transmission> (line 4), <sensor> (line 8), "
        "<contact> in <link> (line 3), <calibration> in <joint> (line 6), expressed_in of <axis> (line 6), "
        "<plane> in <geometry> (line 7)"
    ]
    assert caught[0].filename == __file__


def test_damping_of_joints_with_several_coordinates_is_named(load):
    text = robot(link("base"), joint("j", "planar", "base", "arm", '<dynamics damping="1"/>'), link("arm"))
    with pytest.warns(UrdfWarning, match=r"damping and friction not used: of joint 'j', which is planar"):
        load(text)


# --- bad files --------------------------------------------------------------------------------------------------------

ARM = joint("j", "continuous", "base", "arm")


def jointed(kind, inside=""):
    """Two links and, in line 4, their joint."""
    return [link("base"), link("arm"), joint("j", kind, "base", "arm", inside)]


def shaped(shape, material=""):
    return [link("base", f"<visual><geometry>{shape}</geometry>{material}</visual>")]


@pytest.mark.parametrize(
    ("parts", "line", "found"),
    [
        ([], 1, "no <link>"),
        ([link("")], 2, "<link> without name"),
        ([link("base"), link("base")], 3, "the name is taken by another link"),
        ([link("base"), link("arm")], 3, "the links 'base', 'arm' hang on nothing"),
        ([link("base"), joint("j", "fixed", "base", "arn"), link("arm")], 3, "Did you mean 'arm'?"),
        ([link("base"), joint("j", "fixed", "basis", "arm"), link("arm")], 3, "Did you mean 'base'?"),
        ([link("a"), link("b"), joint("x", "fixed", "a", "b"), joint("y", "fixed", "b", "a")], 2, "'a' on 'b' on 'a'"),
        ([link("o"), link("a"), joint("x", "fixed", "a", "a")], 3, "it carries itself: 'a' on 'a'"),
        ([link("base"), link("arm"), ARM, ARM], 5, "the name is taken by another joint"),
        ([link("base"), link("arm"), ARM, ARM.replace('"j"', '"k"')], 5, "'arm' already hangs on joint 'j'"),
        ([link("base"), link("arm"), "<joint name='j' type='fixed'><parent link='base'/></joint>"], 4, "no <child>"),
        (jointed("hinge"), 4, "type is 'hinge'"),
        (jointed("revolute"), 4, "a revolute joint without <limit>"),
        (jointed("prismatic"), 4, "a prismatic joint without <limit>"),
        (jointed("revolute", '<limit lower="1" upper="-1"/>'), 4, "lower 1 above upper -1"),
        (jointed("continuous", '<axis xyz="0 0 0"/>'), 4, "axis is 0 0 0"),
        (jointed("continuous", '<dynamics damping="-1"/>'), 4, "damping -1"),
        (jointed("fixed", '<origin xyz="0 0"/>'), 4, "xyz of <origin> is '0 0'"),
        (jointed("fixed", '<origin rpy="0 0 nan"/>'), 4, "'0 0 nan'"),
        (jointed("fixed", '<origin xyz="0 0 ${h}"/>'), 4, "${h}"),
        (jointed("fixed", '<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>'), 4, "both rpy and quat_xyzw"),
        (jointed("fixed", "<origin/><origin/>"), 4, "<origin> comes 2 times"),
        ([link("base", HEAVY.replace('"2"', '"-2"'))], 2, "mass is -2"),
        ([link("base", HEAVY.replace('"2"', '"2_0"'))], 2, "value of <mass> is '2_0'"),
        ([link("base", '<inertial><mass value="1"/></inertial>')], 2, "no <inertia>"),
        ([link("base", '<inertial><inertia ixx="1" iyy="1" izz="1"/></inertial>')], 2, "no <mass>"),
        (shaped(""), 2, "<geometry> with 0 shapes"),
        (shaped('<box size="1 0 1"/>'), 2, "size[1] is 0.0"),
        (shaped('<sphere radius="a"/>'), 2, "radius of <sphere> is 'a'"),
        (shaped('<sphere radius="1"/>', '<material><color rgba="9 0 0 1"/></material>'), 2, "numbers from 0 to 1"),
        (shaped('<mesh filename="x.stl" scale="0 1 1"/>'), 2, "numbers other than 0"),
    ],
)
def test_bad_files_are_refused_with_their_line(load, parts, line, found):
    message = refused(load, robot(*parts))
    assert f"arm.urdf:{line}: " in message
    assert found in message


@pytest.mark.parametrize(
    ("mimic", "found"),
    [
        ('<mimic joint="leed"/>', "Did you mean 'lead'?"),
        ('<mimic joint="follow"/>', "it follows itself: 'follow' after 'follow'"),
        ('<mimic joint="lead" multiplier="x"/>', "multiplier of <mimic>"),
        ("<mimic/>", "<mimic> without joint"),
    ],
)
def test_bad_mimics_are_refused(load, mimic, found):
    message = refused(load, geared(mimic))
    assert "arm.urdf:5: joint 'follow'" in message
    assert found in message


def test_a_mimic_of_several_coordinates_is_refused(load):
    text = geared('<mimic joint="lead"/>').replace('name="lead" type="continuous"', 'name="lead" type="planar"')
    assert "joint 'lead' in it is planar" in refused(load, text)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"base": "loose"}, "'fixed' or 'free'"),
        ({"meshes": "all"}, "'load' or 'skip' or 'none'"),
        ({"mend": 1}, "mend is 1"),
        ({"into": "model"}, "a gk.Builder"),
        ({"prefix": 3}, "prefix is 3"),
        ({"prefix": "left/"}, "prefix is 'left/'"),
        ({"at": (0, 0)}, "at is (0, 0)"),
        ({"rotation": (1, 1, 0, 0)}, "length 1"),
        ({"joints": {"leed": 1.0}}, "Did you mean 'lead'?"),
        ({"locked": ["leed"]}, "Did you mean 'lead'?"),
        ({"joints": {"lead": "a"}}, "start of joint 'lead' is 'a'"),
        ({"joints": {"follow": 0.1}}, "which follows 'lead'"),
        ({"joints": {"stop": 1.5}}, "-1 to 1, its limits"),
        ({"joints": {"sheet": 1.5}}, "3 numbers"),
        ({"joints": {"weld": 1.5}}, "which is fixed"),
    ],
)
def test_bad_options_are_refused(load, options, found):
    more = (
        joint("stop", "revolute", "one", "three", LIMIT)
        + link("three")
        + joint("sheet", "planar", "one", "four")
        + link("four")
        + joint("weld", "fixed", "one", "five")
        + link("five")
    )
    text = geared('<mimic joint="lead"/>').replace("</robot>", more + "</robot>")
    assert found in refused(load, text, **options)


def test_a_start_beyond_half_a_turn_is_refused_where_stops_count(load):
    limit = '<limit lower="-6" upper="6"/>'
    text = robot(link("base"), joint("j", "revolute", "base", "arm", limit), link("arm"))
    assert load(text, joints={"j": 3.1}).joints["j"].start == (3.1,)
    assert "less than half a turn" in refused(load, text, joints={"j": 3.2})


# --- XML from others --------------------------------------------------------------------------------------------------


def test_entities_and_document_types_are_refused(load):
    laughs = '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>\n' + robot(link("&b;"))
    message = refused(load, '<?xml version="1.0"?>\n' + laughs)
    assert "arm.urdf:2: " in message
    assert "a document type" in message
    assert "a document type" in refused(load, '<!DOCTYPE robot SYSTEM "file:///etc/passwd">' + robot(link("base")))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "no element found"),
        ("<robot name='a'>\n<link name='b'>\n</robot>", "arm.urdf:3: URDF 'arm.urdf': broken XML (mismatched tag)"),
        ("<robot>\n&nbsp;</robot>", "broken XML (undefined entity)"),
        ("<sdf/>", "begins with <sdf>"),
        ("<a>" * 200, "nested 100 deep"),
        ("<robot>\n<xacro:macro/></robot>", "arm.urdf:2: URDF 'arm.urdf': <xacro:macro>"),
        ('<?xml version="1.0" encoding="klingon"?><robot/>', "encoding"),
    ],
)
def test_what_is_not_urdf_is_refused(load, text, found):
    assert found in refused(load, text)


def test_files_that_cannot_be_read_are_refused(tmp_path, monkeypatch):
    with pytest.raises(gk.InputError, match="the file cannot be read"):
        load_urdf(tmp_path / "none.urdf")
    (tmp_path / "long.urdf").write_text(robot(link("base")) + " " * 500)
    monkeypatch.setattr(urdf_xml, "SIZE_LIMIT", 400)
    with pytest.raises(gk.InputError, match="larger than"):
        load_urdf(tmp_path / "long.urdf")


def test_empty_lines_before_the_declaration_are_forgiven_and_counted(load):
    text = '\n\n<?xml version="1.0"?>\n' + robot(link("base", HEAVY.replace('"2"', '"-2"')))
    assert "arm.urdf:5: link 'base': mass is -2" in refused(load, text)
    assert load(text.replace("-2", "2")).links == {"base": "base"}


# --- real robots ------------------------------------------------------------------------------------------------------

# PyBullet keeps some poses of URDF files in float32: 6e-8 a number of size 1, and here a chain of up to ten of them.
SINGLE = 1e-6
ROBOTS = {  # file -> (links, joints that move)
    "kuka_iiwa/model.urdf": (8, 7),
    "franka_panda/panda.urdf": (13, 9),
    "xarm/xarm6_with_gripper.urdf": (15, 12),
    "a1/a1.urdf": (22, 12),
    "r2d2.urdf": (16, 8),
}


@pytest.fixture(scope="module")
def bullet():
    """PyBullet, which brings these robots and is an independent reader of them; in the extra "bench"."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reason = "PyBullet and its robots are missing: pip install pybullet"
        p = pytest.importorskip("pybullet", reason=reason)
        folder = pytest.importorskip("pybullet_data", reason=reason).getDataPath()
    client = p.connect(p.DIRECT)
    yield p, folder
    p.disconnect(client)


def both(bullet, file, seed=0, fixed=True, **options):
    """The robot in PyBullet and here, at the same random joint positions, and PyBullet's joints by name."""
    p, folder = bullet
    p.resetSimulation()
    flags = p.URDF_USE_INERTIA_FROM_FILE | p.URDF_MAINTAIN_LINK_ORDER
    other = p.loadURDF(f"{folder}/{file}", useFixedBase=fixed, flags=flags)
    infos = [p.getJointInfo(other, i) for i in range(p.getNumJoints(other))]
    infos = {info[1].decode(): info for info in infos}
    random = np.random.default_rng(seed)
    options = {"base": "fixed" if fixed else "free", **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UrdfWarning)
        own = load_urdf(f"{folder}/{file}", **options, meshes="none")
        start = {
            name: random.uniform(max(j.lower, -3.0), min(j.upper, 3.0))
            for name, j in own.joints.items()
            if not j.follows
        }
        own = load_urdf(f"{folder}/{file}", **options, joints=start, meshes="none")
    for name, j in own.joints.items():
        p.resetJointState(other, infos[name][0], j.start[0])
    return other, infos, own


@pytest.mark.parametrize("file", ROBOTS)
def test_joints_and_limits_of_real_robots(bullet, file):
    p, _ = bullet
    _, infos, own = both(bullet, file)
    kinds = {p.JOINT_REVOLUTE: ("revolute", "continuous"), p.JOINT_PRISMATIC: ("prismatic",)}
    moving = {name: info for name, info in infos.items() if info[2] != p.JOINT_FIXED}
    assert (len(own.links), len(own.joints)) == ROBOTS[file]
    assert set(own.joints) == set(moving)
    for name, info in moving.items():
        j = own.joints[name]
        assert j.type in kinds[info[2]]
        if j.type != "continuous":
            assert (j.lower, j.upper) == pytest.approx(info[8:10], abs=1e-9)
            assert (j.effort, j.velocity) == pytest.approx(info[10:12], abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("file", ROBOTS)
def test_every_link_of_real_robots_is_where_pybullet_has_it(bullet, file, seed):
    p, _ = bullet
    other, infos, own = both(bullet, file, seed)
    at = poses(own, own.builder.build())
    # PyBullet puts the centre of mass of the base at the origin; here it is the frame of the root link.
    centre = p.getDynamicsInfo(other, -1)[3:5]
    p_WR, q_WR = p.multiplyTransforms(*p.getBasePositionAndOrientation(other), *p.invertTransform(*centre))
    for info in infos.values():
        state = p.getLinkState(other, info[0], computeForwardKinematics=True)
        p_RL, q_RL = p.multiplyTransforms(*p.invertTransform(p_WR, q_WR), *state[4:6])
        name = info[12].decode()
        np.testing.assert_allclose(at[name][0], p_RL, atol=SINGLE, err_msg=name)
        np.testing.assert_allclose(at[name][1], Rotation.from_quat(q_RL).as_matrix(), atol=SINGLE, err_msg=name)


@pytest.mark.parametrize(("file", "fixed"), [(file, file.startswith("kuka")) for file in ROBOTS])
def test_masses_of_real_robots(bullet, file, fixed):
    p, _ = bullet
    other, infos, own = both(bullet, file, fixed=fixed)
    own_mass = sum(b.mass for b in own.builder.build().bodies)
    masses = [p.getDynamicsInfo(other, i)[0] for i in range(-1, len(infos))]
    assert own_mass == pytest.approx(sum(masses), rel=1e-9)


def mass_matrix(model, names):
    """(n, n) of the joints named, and (n,) what gravity asks of them:  M = sum J^T diag(m, I) J,  -sum J^T m g.

    Written here from the bodies and the joint frames alone, without a row of the package.
    """
    bodies = {b.name: b for b in model.bodies}
    frames = {f.name: f for f in model.frames}
    carried_by = {frames[j.b].body: j for j in model.joints if j.kind in ("hinge", "slider")}
    M, g = np.zeros((len(names), len(names))), np.zeros(len(names))
    for body in model.bodies:
        if body.static:
            continue
        R = rotation_matrix(body.rotation)
        centre = np.array(body.at) + R @ body.com
        J = np.zeros((6, len(names)))
        below = body.name
        while below in carried_by:
            j, frame = carried_by[below], frames[carried_by[below].b]
            holder = bodies[frame.body]
            R_H = rotation_matrix(holder.rotation)
            axis, point = R_H @ rotation_matrix(frame.rotation)[:, 2], np.array(holder.at) + R_H @ frame.at
            column = names.index(j.name)
            J[:3, column] = np.cross(axis, centre - point) if j.kind == "hinge" else axis
            J[3:, column] = axis if j.kind == "hinge" else 0.0
            below = frames[j.a].body
        M += body.mass * J[:3].T @ J[:3] + J[3:].T @ R @ np.array(body.inertia) @ R.T @ J[3:]
        g -= body.mass * J[:3].T @ np.array(model.gravity)
    return M, g


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("file", ["kuka_iiwa/model.urdf", "franka_panda/panda.urdf"])
def test_the_mass_matrix_of_a_real_robot_is_that_of_pybullet(bullet, file, seed):
    """It knows all masses, centres, inertias and axes; fixed links are merged here and not there.

    Both are sums of some hundred products in double precision: 1e-13 of the largest is round-off.
    """
    p, _ = bullet
    other, infos, own = both(bullet, file, seed)
    order = sorted(own.joints, key=lambda name: infos[name][3])
    M, gravity = mass_matrix(own.builder.build(), [own.joints[name].name for name in order])
    q = [own.joints[name].start[0] for name in order]
    expected = np.array(p.calculateMassMatrix(other, q))
    np.testing.assert_allclose(M, expected, atol=1e-13 * np.abs(expected).max())
    p.setGravity(0, 0, -9.81)
    zero = [0.0] * len(q)
    expected = np.array(p.calculateInverseDynamics(other, q, zero, zero))
    np.testing.assert_allclose(gravity, expected, atol=1e-13 * np.abs(expected).max())


def test_a_real_robot_begins_to_fall_as_its_mass_matrix_says(bullet):
    """One step from rest, with the damping that the file gives, taken implicitly:  (M + h D) q' = -h g(q).

    Axes are those before the step and velocities those after it, so a share w h = 2e-7 of the rates is open, with
    w = 2e-3 rad/s; round-off of 1e-15 m in the joints asks for speeds of 1e-15 / h = 1e-11 m/s.
    """
    _, _, own = both(bullet, "kuka_iiwa/model.urdf", 1)
    model = own.builder.build()
    names = [j.name for j in own.joints.values()]
    M, gravity = mass_matrix(model, names)
    damping = [element(model, f"{name} damping").damping for name in names]
    h = 1e-4
    expected = np.linalg.solve(M + h * np.diag(damping), -h * gravity)
    sim = gk.Simulation(model, gk.RowStepping(h, solver=gk.Tree()))
    sim.advance(h)
    w = {"world": np.zeros(3)} | {b.name: sim[b.name].angular_velocity for b in model.bodies}
    frames = {f.name: f for f in model.frames}
    rates = []
    for name in names:
        frame_a, frame_b = (frames[getattr(element(model, name), side)] for side in "ab")
        axis = rotation_matrix(model.body(frame_b.body).rotation) @ rotation_matrix(frame_b.rotation)[:, 2]
        rates.append((w[frame_b.body] - w[frame_a.body]) @ axis)
    print(np.abs(rates - expected).max() / np.abs(expected).max())
    np.testing.assert_allclose(rates, expected, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("file", "meshes", "named"),
    [
        ("kuka_iiwa/model.urdf", 16, ["convex hull"]),
        ("franka_panda/panda.urdf", 22, ["convex hull", "<safety_controller> in <joint>"]),
        (
            "xarm/xarm6_with_gripper.urdf",
            28,
            ["convex hull", "<gazebo>", "<transmission>", "impossible inertia mended"],
        ),
    ],
)
def test_meshes_of_real_robots_load(bullet, file, meshes, named):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = load_urdf(f"{bullet[1]}/{file}")
    text = "\n".join(str(w.message) for w in caught)
    assert all(word in text for word in named)
    model = robot.builder.build()
    shapes = [part.shape for body in model.bodies for part in body.parts]
    assert sum(isinstance(shape, gk.TriangleMesh) for shape in shapes) == meshes
    assert model.body(robot.root).static
