"""Segment contacts of trees: what they carry and brake, how they bounce, and what goes through (B-19 to B-28)."""

import math

import numpy as np
import pytest
from segment_scenes import CORNERS, EXACT, bead, block

import gelenk as gk
from gelenk import compile as compiler
from gelenk.contact.warning import ContactWarning
from gelenk.model.scene_read import read_scene

G = 9.81


def test_a_block_slides_by_coulombs_law():
    """a = g (sin - mu cos) on a slope of 0.5 rad with mu 0.3: constant, so that every step has it to rounding."""
    model, R = block(0.5, friction=0.3)
    sim = gk.Simulation(model, method=EXACT)
    sim.run(0.5)
    along = R.T @ sim["box"].velocity
    a = G * (math.sin(0.5) - 0.3 * math.cos(0.5))
    np.testing.assert_allclose(along, (0.5 * a, 0.0, 0.0), atol=1e-9)  # tolerance 1e-10 of the solver, 500 steps
    forces = sim.contacts
    assert [(c.a, c.b, c.slides) for c in forces] == [("ice", "box", True)] * 4
    normal = sum(c.force @ c.normal for c in forces)
    assert normal == pytest.approx(2.0 * G * math.cos(0.5), rel=1e-9)
    np.testing.assert_allclose(R.T @ sum(c.force for c in forces), (-0.3 * normal, 0.0, normal), atol=1e-7)
    assert np.linalg.norm(sim.contact_force("box")) == pytest.approx(normal * math.hypot(1.0, 0.3), rel=1e-9)


def test_a_block_rests_on_its_points():
    """mu 0.6 holds it on a slope of 0.5 rad, tan 0.546: no creep beyond what the tolerance lets pass."""
    model, _ = block(0.5, friction=0.6)
    sim = gk.Simulation(model, method=EXACT)
    start = sim["box"].position
    sim.run(0.5)
    assert np.linalg.norm(sim["box"].velocity) < 1e-9
    assert np.abs(sim["box"].position - start).max() < 1e-5  # the slop that it settles to: 1e-4 of a segment of 0.1 m


@pytest.mark.parametrize("slip_deg", [0.0, 0.3, 2.0, 30.0])
def test_a_runner_slides_as_its_closed_form_says(slip_deg):
    """One runner under a block that does not turn: its force against the slip (bobsleigh 3.14)."""
    law = gk.RunnerFriction(full_load=30.0)
    slip = np.array([math.cos(math.radians(slip_deg)), math.sin(math.radians(slip_deg))])
    model, _ = block(velocity=(*(3.0 * slip), 0.0), friction=law, axis=(0.0, 1.0, 0.0), inertia=(1e6, 1e6, 1e6))
    b = gk.Builder.from_model(model)  # with the friction at 0.1 m it turns by 1e-10 a step
    b.change("feet", points=[(0.0, 0.0, -0.1)], segments=[(0.0, 0.0, 0.1)])
    h = 1e-4
    sim = gk.Simulation(b.build(), method=gk.MoreauTree(h=h))
    sim.run(10 * h)
    (contact,) = sim.contacts
    v = sim["box"].velocity[:2]
    assert contact.force[2] == pytest.approx(2.0 * G, rel=1e-6)
    np.testing.assert_allclose(contact.force[:2], law.sliding(v[0], v[1], contact.force[2]), rtol=1e-6, atol=1e-6)
    assert contact.force[:2] @ v < 0.0


def side_share(load, slip, **values):
    """Side force over load of one runner that slides at an angle [rad] under a body of so much weight [N]."""
    law, h = gk.RunnerFriction(**values), 1e-4
    b = gk.Builder()
    b.body("ice", shape=gk.Plane(), static=True)
    b.body("sled", mass=load / G, inertia=(1e9, 1e9, 1e9), at=(0, 0, 0.1), velocity=(math.cos(slip), math.sin(slip), 0))
    runner = {"friction": law, "axis": (0, 1, 0)}
    b.add(gk.SegmentContacts("runner", "sled", [(0, 0, -0.1)], [(0, 0, 0.1)], "ice", **runner))
    sim = gk.Simulation(b.build(), method=gk.MoreauTree(h=h))
    start, steps = sim["sled"].velocity, 5
    sim.run(steps * h)
    v = sim["sled"].velocity
    (contact,) = sim.contacts
    assert contact.slides
    lost = load / G * (start - v)[:2] / (steps * h)  # mean force that the motion shows [N]
    np.testing.assert_allclose(-lost, law.sliding(*(0.5 * (start + v))[:2], load), rtol=1e-2)  # slip changes by 1 %
    np.testing.assert_allclose(contact.force[:2], law.sliding(v[0], v[1], load), rtol=1e-6)
    return -contact.force[1] / load


def test_lateral_force_grows_with_width_and_rectangle():
    """Of a body that slides: at one slip angle with mu_b and mu_r / mu_t, and its share of the load with the load.

    Sources: bobsleigh 6.4 and 3.14. From the full load on the share is the same, to the change of slip in five steps.
    """
    across = [side_share(1000.0, 0.01, across_max=mu, across_min=mu) for mu in (0.02, 0.05, 0.1)]
    assert across[0] < across[1] < across[2]
    share = [side_share(1000.0, 0.01, straight_share=s) for s in (0.0, 0.3, 0.66, 0.9)]
    assert share == sorted(share)
    assert share[0] < share[-1]
    load = [side_share(N, 0.2) for N in (10.0, 500.0, 2000.0, 5000.0)]
    assert load[0] < load[1] < load[2]
    assert load[2] == pytest.approx(load[3], rel=1e-6)


def test_a_runner_sticks_along_while_it_slides_across():
    """On a slope along of 0.001 < mu_r, pushed across: the exact block stops what can be stopped, also for k of 75.

    The creep along is that of the closed form: with slip across alone the force along is anything up to mu_r.
    """
    slope = 0.001
    law = gk.RunnerFriction(across_min=0.1)
    model, R = block(slope, velocity=(0.0, 1.0, 0.0), friction=law, axis=(0.0, 1.0, 0.0))
    sim = gk.Simulation(model, method=EXACT)
    sim.run(0.2)
    v = R.T @ sim["box"].velocity
    assert v[1] == pytest.approx(
        1.0 - 0.1 * G * math.cos(slope) * 0.2, rel=1e-4
    )  # 0.02 / 0.2 m of the block turn loads
    assert abs(v[0]) < 1e-9
    assert sim.info["unconverged_steps"] == 0


@pytest.mark.parametrize("e", [0.05, 0.6])
def test_a_fall_bounces_by_newtons_law(e):
    """All four points meet at once and leave with e times the speed of before the step that hits."""
    model, _ = block(at=0.1 + 0.01, velocity=(0.0, 0.0, -2.0), restitution=e, friction=0.0)
    sim = gk.Simulation(model, method=gk.MoreauTree(h=1e-4, impacts="simultaneous"))
    before = 0.0
    while sim.info["impacts"] == 0:
        before = sim["box"].velocity[2]
        sim.run(sim.time + 1e-4)
    assert before < -2.0
    after = sim["box"].velocity[2]
    assert after == pytest.approx(-e * before, abs=2.0 * G * 1e-4 + 1e-9)  # gravity of that step, before and after
    assert sim.info["impacts"] == 4


@pytest.mark.parametrize(("e_t", "mu"), [(0.0, 10.0), (0.7, 10.0), (0.7, 0.2)])
def test_a_spinning_ball_bounces_along_the_tangent_too(e_t, mu):
    """One point below the centre, r = 0.1 m: g_t' = -e_t g_t, or all the friction there is (B-28).

    P_n = m (1 + e) v_n,    P_t = min( (1 + e_t) g_t / (1/m + r^2/I), mu P_n ),    v' = v - P_t/m,  w' = w - r P_t/I
    """
    m, r, inertia, e, h = 2.0, 0.1, 0.008, 0.6, 1e-5
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("ice", shape=gk.Plane(), static=True)
    b.body(
        "ball",
        mass=m,
        inertia=(inertia,) * 3,
        at=(0, 0, r + 1e-9),
        velocity=(1.0, 0, -2.0),
        angular_velocity=(0, 5.0, 0),
    )
    b.add(
        gk.SegmentContacts(
            "foot", "ball", [(0, 0, -r)], [(0, 0, r)], "ice", friction=mu, restitution=e, slip_restitution=e_t
        )
    )
    sim = gk.Simulation(b.build(), method=gk.MoreauTree(h=h))
    sim.step()
    (hit,) = sim.impacts
    assert hit.speed == pytest.approx(2.0, rel=1e-4)  # the foot turns by 5 h/2 rad until then
    slip = 1.0 - 5.0 * r
    P_t = min((1.0 + e_t) * slip / (1.0 / m + r * r / inertia), mu * m * (1.0 + e) * 2.0)
    after = (1.0 - P_t / m, 0.0, 2.0 * e)
    np.testing.assert_allclose(sim["ball"].velocity, after, atol=1e-3)  # arms of r 5 h/2 couple both directions
    far = 5.0 * r * h / 2.0  # by which the foot has turned out of the line of the normal impulse
    spin = 5.0 + r * P_t / inertia
    assert sim["ball"].angular_velocity[1] == pytest.approx(spin, abs=1.5 * m * (1.0 + e) * 2.0 * far / inertia)
    assert sim.ledger[0] <= 0.5 * m * 5.0 + 0.5 * inertia * 25.0


def test_contact_torque_and_generalised_forces():
    """Of a free body: the sum of forces, and of moments about the centre of mass, are its generalised forces (B-33)."""
    model, _ = block(0.2, velocity=(1.0, 0.4, 0.0), friction=gk.RunnerFriction(), axis=(0.0, 1.0, 0.0))
    sim = gk.Simulation(model, method=EXACT)
    sim.step(3)
    sim.contact_loads()
    sim.step()
    loads, force = sim.contact_loads(), sum(c.force for c in sim.contacts)
    np.testing.assert_allclose([loads[f"box.{v}"] for v in ("vx", "vy", "vz")], force, rtol=1e-12)
    v = sim.state.v_WC[model.index("box")]
    r = [c.point - sim.state.p_WC[model.index("box")] + 0.5e-3 * v for c in sim.contacts]  # at the middle of the step
    moment = sum(np.cross(x, c.force) for x, c in zip(r, sim.contacts))
    np.testing.assert_allclose(sim.contact_torque("box"), moment, atol=1e-12 * 20.0)
    power = sum(loads[f"box.{v}"] * u for v, u in zip(("vx", "vy", "vz"), v)) + moment @ sim["box"].angular_velocity
    points = sum(c.force @ (v + np.cross(sim["box"].angular_velocity, x)) for x, c in zip(r, sim.contacts))
    assert power == pytest.approx(points, rel=1e-12)
    with pytest.raises(gk.InputError, match=r"gk\.MoreauTree"):
        gk.Simulation(gk.Builder().build(), method=gk.FreeMotion()).contact_loads()


@pytest.mark.parametrize("h", [2e-3, 1e-3, 5.1e-4])
def test_a_fall_bounces_at_its_own_time(h):
    """From 0.05 m with e = 1/2, one impact after the other: flights are parabolas, the impact has its own time in

    the step, also in its second half, where the points are still open in the middle; so only rounding is left.
    """
    e, fall = 0.5, math.sqrt(2.0 * 0.05 / G)
    model, _ = block(at=0.1 + 0.05, restitution=e, friction=0.0)
    sim = gk.Simulation(model, method=gk.MoreauTree(h=h))
    sim.advance(round(0.13 / h) * h)
    t, v = sim.time - fall, e * G * fall
    assert sim["box"].position[2] == pytest.approx(0.1 + v * t - 0.5 * G * t * t, abs=1e-12)
    assert sim["box"].velocity[2] == pytest.approx(v - G * t, abs=1e-12)
    assert sim.info["impacts"] == 4
    assert sim.info["energy_lost_in_impacts"] == pytest.approx(2.0 * G * 0.05 * (1.0 - e * e), rel=1e-12)


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_a_fast_fall_is_stopped_though_a_step_is_longer_than_its_segments(e):
    """0.25 m a step and segments of 0.1 m: points are contacts before they are in the ground."""
    model, _ = block(at=1.0, velocity=(0.0, 0.0, -250.0), friction=0.0, restitution=e)
    b = gk.Builder.from_model(model)
    b.gravity = (0.0, 0.0, 0.0)
    sim = gk.Simulation(b.build(), method=EXACT)
    sim.run(6e-3)
    after = 250.0 * e * (6e-3 - 0.9 / 250.0)
    assert sim["box"].position[2] == pytest.approx(0.1 + after, abs=1e-12)
    assert sim["box"].velocity[2] == pytest.approx(250.0 * e, abs=1e-9)
    assert sim.info["segments_lost"] == 0


def test_segments_that_jump_through_in_one_step_are_reported():
    """A body put from above far behind the plane; and one whose first step takes it through, 0.01 m and 0.25 m."""
    model, _ = block(at=0.5, friction=0.2)
    sim = gk.Simulation(model, method=EXACT)
    sim.run(2e-3)
    sim.state.p_WC[model.index("box"), 2] = -3.0
    with pytest.warns(ContactWarning, match="has gone through"):
        sim.run(4e-3)
    assert sim.info["segments_lost"] == 4
    model, _ = block(at=0.11, velocity=(0.0, 0.0, -250.0), friction=0.2)
    sim = gk.Simulation(model, method=EXACT)
    with pytest.warns(ContactWarning, match="has gone through"):
        sim.run(3e-3)
    assert sim.info["segments_lost"] == 4


def test_what_passes_beside_its_ground_is_not_lost():
    """Past the edge of a box, by more than a segment a step, and back: nothing went through anything."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("ice", shape=gk.Part(gk.Box((1.0, 1.0, 0.2)), collide=False), static=True)
    b.body("box", mass=1.0, inertia=(1, 1, 1), at=(0.6, 0.0, 1.0), velocity=(0.0, 0.0, -250.0))
    b.add(gk.SegmentContacts("foot", "box", [(0, 0, 0)], [(0, 0, 0.1)], "ice", friction=0.0))
    sim = gk.Simulation(b.build(), method=EXACT)
    sim.run(8e-3)
    assert sim["box"].position[2] == pytest.approx(-1.0)
    assert sim.info["segments_lost"] == 0


def test_segments_go_through_and_are_reported():
    """A body put wholly behind the plane: each of its points that touched is counted once, and the body is named."""
    model, _ = block(at=0.05, friction=0.2)
    sim = gk.Simulation(model, method=gk.MoreauTree(h=1e-3, contact=gk.ContactOptions(share=0.0)))
    sim.run(2e-3)
    assert sim.info["contacts"] == 4
    assert sim.info["segments_lost"] == 0
    sim.state.p_WC[model.index("box"), 2] = -0.06
    with pytest.warns(ContactWarning, match="'box' has gone through 'ice'"):
        sim.run(4e-3)
    assert sim.info["segments_lost"] == 4


def test_events_name_body_and_ground():
    """A fall tells one beginning with the impulse of the step, and an end when the body is lifted off."""
    model, _ = block(at=0.1005, friction=0.0)
    sim = gk.Simulation(model, method=gk.MoreauTree(h=1e-3))
    told = []
    sim.subscribe(told.append)
    sim.run(0.05)
    assert [(e.kind, e.a, e.b) for e in told] == [("begin", "ice", "box")]
    assert told[0].impulse[2] > 0.0
    sim.state.p_WC[model.index("box"), 2] = 1.0
    sim.run(0.06)
    assert [e.kind for e in told] == ["begin", "end"]


def test_flat_triangles_brake_by_their_edges_and_bent_ones_do_not():
    """Every edge of angle D takes 1 - cos D of the speed (bobsleigh 8.4); over bent facets steps alone do, v h / (2 R).

    1 rad of a circle of 30 m at 30 m/s; the start may miss half of an edge, half of D^2 / 2 of 60 edges.
    """
    flat, turn = bead(30.0, 0.5, 30.0, smooth=False)
    bent, _ = bead(30.0, 0.5, 30.0, smooth=True)
    angle = 1.0 if compiler.ENABLED else 0.1  # rad, which is also the time
    h, lost = 2e-4, []
    for model in (flat, bent):
        sim = gk.Simulation(model, method=gk.MoreauTree(h=h))
        sim.run(angle)
        lost.append(1.0 - np.linalg.norm(sim["bead"].velocity) / 30.0)
        x, _, z = sim["bead"].position
        sagitta = 30.0 * (1.0 - math.cos(0.5 * turn))
        assert abs(math.hypot(x, z - 30.0) - 30.0) < (1.1 * sagitta if model is flat else 5e-5)  # slop 1e-5, and h^2
    edges = 1.0 - math.cos(turn) ** (angle / turn)
    assert lost[0] == pytest.approx(edges, rel=turn / angle)
    assert lost[1] == pytest.approx(0.5 * h * angle, rel=0.01)


def test_ground_and_body_axes_do_not_matter():
    """The same block with its frame turned and moved, over a plane that is turned as much, goes the same way."""
    law, feet = gk.RunnerFriction(full_load=20.0), [(-0.3, -0.2, -0.1), (-0.3, 0.2, -0.1), (0.3, 0.0, -0.1)]
    b = gk.Builder.from_model(block(velocity=(1.0, 0.3, 0.0), friction=law, axis=(0.0, 1.0, 0.0))[0])
    b.change("feet", points=feet, segments=[(0.0, 0.0, 0.1)] * 3)  # three: their loads have one solution
    one = b.build()
    s = math.sqrt(0.5)
    R = np.array([(0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)])  # body axes turned by 90 degrees about z
    shift = np.array([0.3, -0.2, 0.5])
    b = gk.Builder()
    b.body(
        "ice", shape=gk.Part(gk.Plane(), at=(0.0, 0.0, -1.0)), static=True, at=(5.0, 0.0, 1.0), rotation=(s, 0, 0, s)
    )
    com = R.T @ -shift
    b.body(
        "box",
        mass=2.0,
        com=tuple(com),
        inertia=(0.2, 0.1, 0.3),
        at=tuple(shift + np.array((0.0, 0.0, 0.1))),
        rotation=(s, 0, 0, s),
        velocity=(1.0, 0.3, 0.0),
    )
    points = [tuple(R.T @ (np.array(p) - shift)) for p in feet]
    axis = tuple(R.T @ (0.0, 1.0, 0.0))
    b.add(gk.SegmentContacts("feet", "box", points, [(0.0, 0.0, 0.1)] * 3, "ice", friction=law, axis=axis))
    sims = [gk.Simulation(m, method=EXACT) for m in (one, b.build())]
    for sim in sims:
        sim.run(0.2)
    for series in ("p_WC", "v_WC"):
        one, other = (getattr(sim.state, series)[sim.model.index("box")] for sim in sims)
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_scene_text_reads_back_to_the_bit():
    """Elements with a number and with a runner's law."""
    for friction, axis in ((0.1, None), (gk.RunnerFriction(along=0.1 + 0.2, full_load=1 / 3), (0.0, 1.0, 1e-17))):
        model, _ = block(0.3, friction=friction, axis=axis, restitution=0.05, smooth=axis is not None)
        again = read_scene(gk.scene_text(model))
        assert again == model
        assert gk.scene_text(again) == gk.scene_text(model)


def test_runs_repeat_to_the_bit():
    """Two simulations of one model end in the same bits."""
    model, _ = block(0.2, velocity=(1.0, 0.4, 0.0), friction=gk.RunnerFriction(), axis=(0.0, 1.0, 0.0))
    ends = []
    for _ in range(2):
        sim = gk.Simulation(model, method=EXACT)
        sim.run(0.1)
        ends.append(sim.state.flat.tobytes())
    assert ends[0] == ends[1]


def test_other_methods_refuse_them():
    """None passes over them in silence, and a simulation without a method takes the one that carries them."""
    model, _ = block(friction=0.2)
    for method in (gk.RowStepping(), gk.Impulse(), gk.FreeMotion()):
        with pytest.raises(gk.InputError, match=r"segment_contacts 'feet'.*gk\.MoreauTree"):
            gk.Simulation(model, method=method)
    assert gk.Simulation(model).method.kind == "moreau_tree"


BAD = {
    "no segment": ({"segments": [(0, 0, 0)] * 4}, "segment 0 has no length"),
    "too few": ({"segments": [(0, 0, 1)]}, "4 points and 1 segments"),
    "runner without axis": ({"friction": gk.RunnerFriction()}, "without axis"),
    "zero axis": ({"axis": (0, 0, 0)}, "axis is zero"),
    "word": ({"friction": "ice"}, "friction is 'ice'"),
    "negative": ({"friction": -1}, "at least 0"),
    "restitution": ({"restitution": 1.5}, "restitution is 1.5"),
    "table": ({"friction": {"alogn": 1}}, "did you mean 'along'"),
    "not finite": ({"points": [(0, 0, math.nan)] * 4}, "points"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_values_are_refused_by_name(case):
    values, words = BAD[case]
    given = {"points": CORNERS, "segments": [(0, 0, 0.1)] * 4} | values
    with pytest.raises(gk.InputError, match=f"(?i)feet.*{words}"):
        gk.SegmentContacts("feet", "box", ground="ice", **given)


@pytest.mark.parametrize(
    ("change", "words"),
    [({"body": "bxo"}, "'box'"), ({"body": "ice"}, "never moves"), ({"ground": "box"}, "no static body")],
)
def test_names_that_do_not_fit_are_refused(change, words):
    model, _ = block(friction=0.2)
    b = gk.Builder.from_model(model)
    b.change("feet", **change)
    with pytest.raises(gk.InputError, match=words):
        b.build()


@pytest.mark.parametrize("values", [{"along": 0.0}, {"straight_share": 1.0}, {"across_min": 0.2}, {"full_load": 0.0}])
def test_bad_runner_friction_is_refused(values):
    """Where it would divide by zero, or be no friction (bobsleigh 8.6)."""
    with pytest.raises(gk.InputError, match="RunnerFriction"):
        gk.RunnerFriction(**values)


def test_a_run_on_runners_goes_on_from_its_state():
    """Statics does not tell how four runners share a load, and their sets depend on it: the state remembers (B-26)."""
    law = gk.RunnerFriction(along=0.1, across_min=0.1, across_max=0.4, full_load=20.0)
    model, _ = block(0.05, velocity=(0.5, 0.2, 0.0), friction=law, axis=(0.0, 1.0, 0.0))
    whole = gk.Simulation(model, method=EXACT)
    whole.step(30)
    again = gk.Simulation(model, method=EXACT, state=whole.state, time=whole.time)
    for sim in (whole, again):
        sim.step(30)
    np.testing.assert_array_equal(again.state.flat, whole.state.flat)
