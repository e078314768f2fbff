"""The contact graph: sets of the demo E-25, searches, fixed bodies, gears, groups (V-92..V-98, trap T-17)."""

import math

import numpy as np
import pytest

import gelenk as gk

WHEELS = ("wheel_fl", "wheel_fr", "wheel_rl", "wheel_rr")
ARM = ("slew", "elbow", "wrist")


def robot():
    """The fictional robot of E-25 on its ground, with two pieces of goods: one on its load area, one beside it."""
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("chassis", shape=gk.Box((2, 1, 0.2)), mass=1, at=(0, 0, 0.4))
    for name, x, y in zip(WHEELS, (0.8, 0.8, -0.8, -0.8), (0.8, -0.8, 0.8, -0.8)):
        b.body(name, shape=gk.Sphere(0.3), mass=1, at=(x, y, 0.3))
        b.add(gk.Hinge(name=f"axle_{name}", a="chassis", b=name, at=(x, y, 0.3), axis=(0, 1, 0)))
    b.body("load_area", shape=gk.Box((0.8, 0.8, 0.1)), mass=1, at=(-0.5, 0, 0.55))
    b.add(gk.Rigid(name="bolts", a="chassis", b="load_area", at=(-0.5, 0, 0.5)))
    b.body("link0", shape=gk.Box((0.1, 0.1, 0.5)), mass=1, at=(0.8, 0, 0.75))
    b.body("link1", shape=gk.Box((0.5, 0.1, 0.1)), mass=1, at=(1.05, 0, 1.05))
    b.body("gripper", shape=gk.Box((0.1, 0.1, 0.2)), mass=1, at=(1.35, 0, 0.9))
    b.add(gk.Hinge(name="slew", a="chassis", b="link0", at=(0.8, 0, 0.5), axis=(0, 0, 1)))
    b.add(gk.Hinge(name="elbow", a="link0", b="link1", at=(0.8, 0, 1.05), axis=(0, 1, 0)))
    b.add(gk.Hinge(name="wrist", a="link1", b="gripper", at=(1.3, 0, 1.0), axis=(0, 1, 0), separate_groups=True))
    b.body("load", shape=gk.Box((0.3, 0.3, 0.3)), mass=1, at=(-0.5, 0, 0.75))
    b.body("goods", shape=gk.Box((0.3, 0.3, 0.3)), mass=1, at=(3, 0, 0.15))
    return b.build()


VEHICLE = {"chassis", "load_area", "link0", "link1", "gripper", *WHEELS}


@pytest.fixture(scope="module")
def model():
    return robot()


@pytest.fixture(scope="module")
def touching(model):
    """What touches at the start, found by the shapes: wheels and goods on the ground, the load on its area."""
    world = gk.CollisionWorld(model)
    pairs = {frozenset((c.a, c.b)) for c in world.detect(model.initial_state())}
    on_ground = [frozenset(("ground", name)) for name in (*WHEELS, "goods")]
    assert pairs == {*on_ground, frozenset(("load", "load_area"))}
    return world


def test_demo_standing_and_using_the_arm(model, touching):
    graph = gk.ContactGraph(model, touching, rigid=[f"axle_{name}" for name in WHEELS])
    assert graph.bodies_as_one() == ({"chassis", "load_area", *WHEELS},)


def test_demo_driving_with_the_arm_idle(model, touching):
    graph = gk.ContactGraph(model, touching, rigid=[*ARM, ("load", "load_area")])
    assert graph.bodies_as_one() == ({"chassis", "load_area", "link0", "link1", "gripper", "load"},)
    assert set(graph.collider_groups()) == {
        frozenset(VEHICLE | {"load"}),
        frozenset({"goods"}),
        frozenset({"ground"}),
    }


def test_demo_collider_groups(model, touching):
    groups = gk.ContactGraph(model, touching).collider_groups()
    assert groups == (VEHICLE - {"gripper"}, {"gripper"}, {"load"}, {"goods"}, {"ground"})


def test_demo_clusters(model, touching):
    graph = gk.ContactGraph(model, touching)
    assert [c.all for c in graph.clusters()] == [VEHICLE | {"load", "ground"}, {"goods", "ground"}]
    assert [c.fixed for c in graph.clusters()] == [{"ground"}, {"ground"}]
    assert [c.all for c in graph.clusters(split=False)] == [VEHICLE | {"load", "goods", "ground"}]
    held = gk.ContactGraph(model, [*((c.a, c.b) for c in touching), ("gripper", "goods")])
    assert [c.all for c in held.clusters()] == [VEHICLE | {"load", "goods", "ground"}]  # it takes hold of the other


def test_demo_path_lengths(model, touching):
    graph = gk.ContactGraph(model, touching)
    length = graph.path_lengths()
    assert length == {"world": 0, "ground": 0, **dict.fromkeys(WHEELS, 1), "goods": 1} | {
        "chassis": 2, "load_area": 3, "link0": 3, "load": 4, "link1": 4, "gripper": 5
    }  # fmt: skip
    hand = graph.path_lengths(["gripper"])
    assert [hand[name] for name in ("gripper", "link1", "link0", "chassis", "load_area", "load")] == [0, 1, 2, 3, 4, 5]
    assert hand["goods"] == 6  # over wheel and ground
    assert hand["world"] == math.inf


def test_groups_hold_in_the_collision_of_the_model(model):
    """The arm folded onto the load area is found without groups, and not with them; the gripper is found still."""
    state = model.initial_state()
    state.p_WC[model.index("link1")] = state.p_WC[model.index("load_area")]
    state.p_WC[model.index("gripper")] = state.p_WC[model.index("load_area")]
    ties = [
        {frozenset((c.a, c.b)) for c in gk.CollisionWorld(m).detect(state)}
        for m in (model, gk.with_collider_groups(model))
    ]
    arm, hand = frozenset(("link1", "load_area")), frozenset(("gripper", "load_area"))
    assert {arm, hand} <= ties[0]
    assert arm not in ties[1]
    assert hand in ties[1]


def test_the_cut_of_a_group_is_kept_in_scene_files(model):
    text = gk.scene_text(model)
    back = gk.read_scene(text)
    assert back == model
    assert text.count("separate_groups = true") == 1
    assert gk.ContactGraph(back).collider_groups() == gk.ContactGraph(model).collider_groups()


def chain(n):
    b = gk.Builder()
    for k in range(n):
        b.body(f"b{k}", mass=1, inertia=(1, 1, 1), at=(k, 0, 0))
    return b.build()


def test_long_chains_do_not_exhaust_the_stack():
    """Trap T-17: 20 000 bodies in a row."""
    n = 20_000
    graph = gk.ContactGraph(chain(n), [(f"b{k}", f"b{k + 1}") for k in range(n - 1)])
    assert [len(c.bodies) for c in graph.clusters()] == [n]
    assert graph.path_lengths(["b0"])[f"b{n - 1}"] == n - 1


@pytest.mark.parametrize("seed", range(8))
def test_searches_agree_with_powers_of_the_adjacency_matrix(seed):
    """(I + A)^k has an entry where a way of at most k edges leads: another road to lengths and components."""
    rng, n = np.random.default_rng(seed), 30
    pairs = [tuple(rng.choice(n, 2, replace=False)) for _ in range(22)]
    graph = gk.ContactGraph(chain(n), [(f"b{i}", f"b{j}") for i, j in pairs])
    A = np.eye(n, dtype=bool)
    for i, j in pairs:
        A[i, j] = A[j, i] = True
    length, reach = np.full(n, np.inf), np.zeros(n, dtype=bool)
    reach[[0, 1]] = True
    for k in range(n):
        length[reach & np.isinf(length)] = k
        reach = A @ reach
    found = graph.path_lengths(["b0", "b1"])
    assert [found[f"b{k}"] for k in range(n)] == length.tolist()
    for cluster in graph.clusters():
        first = min(int(name[1:]) for name in cluster.bodies)
        row = np.linalg.matrix_power(A.astype(float), n)[first] > 0
        assert cluster.bodies == {f"b{k}" for k in np.flatnonzero(row)}


def test_the_world_and_fixed_bodies_connect_nothing():
    b = gk.Builder()
    b.body("table", shape=gk.Box((1, 1, 0.1)), static=True)
    for name, x in (("left", -0.3), ("right", 0.3)):
        b.body(name, shape=gk.Sphere(0.1), mass=1, at=(x, 0, 0.2))
        b.add(gk.Ball(name=f"{name}_foot", a="table", b=name, at=(x, 0, 0.05)))
    b.body("hung", shape=gk.Sphere(0.1), mass=1, at=(0, 2, 0))
    b.add(gk.Ball(name="hook", a="world", b="hung", at=(0, 2, 1)))
    graph = gk.ContactGraph(b.build())
    assert [c.all for c in graph.clusters()] == [{"left", "table"}, {"right", "table"}, {"hung", "world"}]
    assert graph.collider_groups() == ({"left", "table"}, {"right", "table"}, {"hung"})


def gears():
    """Two wheels on posts of their own, coupled by a gear alone."""
    b = gk.Builder()
    for k in (1, 2):
        b.body(f"wheel{k}", shape=gk.Cylinder(0.1, 0.05), mass=1, at=(k, 0, 0))
        b.add(gk.Hinge(name=f"axle{k}", a="world", b=f"wheel{k}", at=(k, 0, 0), axis=(0, 0, 1), break_force=1e6))
    b.add(gk.VelocityMotor(name="motor", on="axle1", speed=1.0, force_max=10.0))
    b.add(gk.Gear(name="gear", first="axle1", second="axle2", ratio=-1.0))
    return b.build()


def test_gears_tie_clusters_and_nothing_else():
    model = gears()
    graph = gk.ContactGraph(model)
    assert [c.bodies for c in graph.clusters()] == [{"wheel1", "wheel2"}]
    assert graph.bodies_as_one() == ()
    assert graph.collider_groups() == ({"wheel1"}, {"wheel2"})
    state = model.initial_state()
    model.wired.memory(state.memory).broken[0] = 1.0
    broken = gk.ContactGraph(model, state=state)
    assert [c.all for c in broken.clusters()] == [{"wheel1"}, {"wheel2", "world"}]


def test_blocked_joints_make_one_body_while_they_are_blocked():
    b = gk.Builder()
    for k in range(3):
        b.body(f"b{k}", mass=1, inertia=(1, 1, 1), at=(k, 0, 0))
    for k, hold in enumerate((True, False)):
        b.add(gk.Hinge(name=f"j{k}", a=f"b{k}", b=f"b{k + 1}", at=(k + 0.5, 0, 0), axis=(0, 0, 1), blocked=hold))
    model = b.build()
    sim = gk.Simulation(model)
    assert gk.ContactGraph(model, state=sim.state).bodies_as_one() == ({"b0", "b1"},)
    sim.inputs["j0.blocked"], sim.inputs["j1.blocked"] = 0, 1
    assert gk.ContactGraph(model, state=sim.state).bodies_as_one() == ({"b1", "b2"},)
    assert gk.ContactGraph(model, state=sim.state, blocked_as_one=False).bodies_as_one() == ()


@pytest.mark.parametrize(
    ("weld", "one"),
    [({}, True), ({"merge": False}, False), ({"break_force": 100.0}, False), ({"hold_stiffness": 1e5}, False)],
)
def test_rigid_joints_make_one_body_if_they_hold_for_good(weld, one):
    b = gk.Builder()
    for name, x in (("a", 0), ("b", 1)):
        b.body(name, mass=1, inertia=(1, 1, 1), at=(x, 0, 0))
    b.add(gk.Rigid(name="weld", a="a", b="b", at=(0, 0, 0), **weld))
    graph = gk.ContactGraph(b.build())
    assert graph.bodies_as_one() == (({"a", "b"},) if one else ())
    assert graph.edges[0].requires(gk.Requirement.ONE_BODY) is one
    assert graph.edges[0].requires(gk.Requirement.ONE_CLUSTER)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda m: gk.ContactGraph("car"), "a Model"),
        (lambda m: gk.ContactGraph(m, [("chassis", "moon")]), "moon"),
        (lambda m: gk.ContactGraph(m, [3]), "pairs of names"),
        (lambda m: gk.ContactGraph(m, rigid=["nothing"]), "nothing"),
        (lambda m: gk.ContactGraph(m).path_lengths("chassis"), "several names"),
        (lambda m: gk.ContactGraph(m).path_lengths(["moon"]), "moon"),
        (lambda m: gk.ContactGraph(m).neighbours("moon", gk.Requirement.ONE_BODY), "moon"),
    ],
)
def test_bad_input_is_named(model, call, word):
    with pytest.raises(gk.InputError, match=word):
        call(model)
