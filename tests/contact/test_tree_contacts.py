"""Contacts in minimal coordinates: MoreauTree obeys the laws that the other methods do (B-22..B-33, V-50)."""

import numpy as np
import pytest

import gelenk as gk

G = 9.81
H = 1e-3


def ground(b, friction=0.5, restitution=0.0, **more):
    b.material("stuff", friction=friction, restitution=restitution, **more)
    b.body("floor", shape=gk.Box((40, 40, 1)), at=(0, 0, -0.5), static=True, material="stuff")


def moved(model, t, h=H, **options):
    sim = gk.Simulation(model, gk.MoreauTree(h=h, **options))
    sim.advance(t)
    return sim


@pytest.mark.parametrize(("friction", "degrees"), [(0.5, 20.0), (0.3, 20.0), (0.1, 10.0)])
def test_a_block_on_a_slope_sticks_or_slides(friction, degrees):
    """x = (sin a - mu cos a) g t^2 / 2: Moreau's rule is exact under constant forces."""
    a = np.radians(degrees)
    b = gk.Builder(gravity=(G * np.sin(a), 0, -G * np.cos(a)))
    ground(b, friction=friction)
    b.body("block", shape=gk.Box((0.4, 0.4, 0.2)), density=1000, at=(0, 0, 0.1), material="stuff")
    sim = moved(b.build(), 1.0)
    expected = 0.5 * G * max(0.0, np.sin(a) - friction * np.cos(a))
    np.testing.assert_allclose(sim.state.p_WC[2], [expected, 0, 0.1], rtol=0, atol=1e-9)


def test_static_friction_holds_where_that_of_sliding_would_not():
    a = np.radians(22.0)  # tan a = 0.404 between both
    b = gk.Builder(gravity=(G * np.sin(a), 0, -G * np.cos(a)))
    ground(b, friction=0.3, static_friction=0.5)
    b.body("rests", shape=gk.Box((0.4, 0.4, 0.2)), density=1000, at=(0, 0, 0.1), material="stuff")
    b.body("moves", shape=gk.Box((0.4, 0.4, 0.2)), density=1000, at=(0, 2, 0.1), velocity=(1, 0, 0), material="stuff")
    sim = moved(b.build(), 1.0)
    assert abs(sim.state.p_WC[2, 0]) < 1e-12
    assert sim.state.p_WC[3, 0] == pytest.approx(1.0 + 0.5 * G * (np.sin(a) - 0.3 * np.cos(a)), abs=2e-3)


def test_a_block_stops_after_its_distance():
    """v^2 / 2 mu g; the last step may begin up to h v early: h v/2."""
    b = gk.Builder()
    ground(b, friction=0.4)
    b.body("block", shape=gk.Box((0.6, 0.6, 0.1)), density=1000, at=(0, 0, 0.05), velocity=(2, 0, 0), material="stuff")
    sim = moved(b.build(), 1.0)
    assert sim.state.p_WC[2, 0] == pytest.approx(4.0 / (2 * 0.4 * G), abs=H * 2.0)
    assert np.linalg.norm(sim.state.v_WC[2]) < 1e-12


def test_a_sliding_ball_rolls_with_five_sevenths_of_its_speed():
    b = gk.Builder()
    ground(b, friction=0.3)
    b.body("ball", shape=gk.Sphere(0.1), density=1000, at=(0, 0, 0.1), velocity=(1, 0, 0), material="stuff")
    sim = moved(b.build(), 0.5)
    assert sim.state.v_WC[2, 0] == pytest.approx(5.0 / 7.0, abs=1e-9)


def cradle(balls):
    """Five touching balls on hinges, the first few raised by their speed: they swing out and come back."""
    b = gk.Builder()
    b.material("steel", friction=0.0, restitution=1.0)
    for k in range(5):
        speed = {"velocity": (-1, 0, 0), "angular_velocity": (0, 1, 0)} if k < balls else {}
        b.body(f"b{k}", shape=gk.Sphere(0.05), density=7800, at=(0.1 * k, 0, -1), material="steel", **speed)
        b.add(gk.Hinge(name=f"h{k}", a="world", b=f"b{k}", at=(0.1 * k, 0, 0), axis=(0, 1, 0)))
    return b.build()


@pytest.mark.parametrize("balls", [1, 2, 3])
def test_as_many_balls_leave_the_cradle_as_come(balls):
    sim = gk.Simulation(cradle(balls), gk.MoreauTree(h=2.5e-4))
    start = sim.ledger[:2].sum()
    sim.advance(1.05)  # half a swing takes pi sqrt(l/g) = 1.0 s
    speeds = sim.state.v_WC[1:, 0]
    assert speeds[-balls:].min() > 0.9
    assert abs(speeds[:-balls]).max() < 0.01
    # the swing keeps energy within (w h)^2 = 6e-7 of the 2 J of a ball; impacts add none
    assert sim.ledger[:2].sum() - start < 1e-6 * 2.0 * balls
    assert sim.info["energy_fed_in_impacts"] == 0.0


def test_all_at_once_newtons_law_cannot_give_the_cradle():
    """All closed contacts at once: the balls that touch the last one leave with it, as the docs say."""
    sim = gk.Simulation(cradle(1), gk.MoreauTree(h=2.5e-4, impacts="simultaneous"))
    sim.advance(1.05)
    speeds = sim.state.v_WC[1:, 0]
    assert abs(speeds[:-1]).max() > 0.1


def test_a_tower_of_ten_stands_still():
    """For 60 s. Newton's method ends where no impulse changes by 1e-10 of itself: 1e-10 g h for 60 s makes 2e-10 m a
    box, ten times that for the uppermost."""
    b = gk.Builder()
    ground(b)
    for k in range(10):
        b.body(f"t{k}", shape=gk.Box((0.1, 0.1, 0.1)), density=1000, at=(0, 0, 0.05 + 0.1 * k), material="stuff")
    sim = moved(b.build(), 60.0, h=1 / 240)
    places = sim.state.p_WC[2:]
    np.testing.assert_allclose(places[:, 2], 0.05 + 0.1 * np.arange(10), rtol=0, atol=1e-10)
    np.testing.assert_allclose(places[:, :2], 0, rtol=0, atol=5e-9)
    assert sim.contact_force("floor")[2] == pytest.approx(-10 * 1.0 * G, rel=1e-9)


@pytest.mark.parametrize("order", [1, 2])
def test_what_touches_nothing_moves_as_without_contact(order):
    """B-18: the smooth equations are those of before, whatever could touch. Three balls on ball joints, 50 m up, that
    turn; round-off of places of 50 m."""
    b = gk.Builder()
    ground(b, restitution=0.5)
    spin = {"velocity": (0.5, -1.0, 2.0), "angular_velocity": (3.0, -2.0, 4.0)}
    for k in range(3):
        b.body(f"x{k}", shape=gk.Sphere(0.05), density=1000, at=(0.3 * k, 0.1 * k, 50.0), material="stuff", **spin)
        if k:
            b.add(gk.Ball(name=f"j{k}", a=f"x{k - 1}", b=f"x{k}", at=(0.3 * k - 0.15, 0, 50.1)))
    model = b.build(assemble=True)
    one, other = (moved(model, 0.3, order=order, contact=how) for how in (gk.ContactOptions(), None))
    assert one.info["contacts"] == 0
    np.testing.assert_allclose(one.state.p_WC, other.state.p_WC, rtol=0, atol=1e-12)
    np.testing.assert_allclose(one.state.v_WC, other.state.v_WC, rtol=0, atol=1e-12)


def test_a_jointed_chain_falls_on_the_floor_and_lies_there():
    """Rods on ball joints: joints and contacts at once; at rest the floor carries the weight."""
    b = gk.Builder()
    ground(b, friction=0.6)
    for k in range(5):
        b.body(f"r{k}", shape=gk.Capsule(0.03, 0.2), density=1000, at=(0.25 * k, 0, 0.2 + 0.02 * k), material="stuff",
               rotation=(np.sqrt(0.5), 0, np.sqrt(0.5), 0))  # fmt: skip
        if k:
            at = (0.25 * k - 0.125, 0, 0.19 + 0.02 * k)
            b.add(gk.Ball(name=f"j{k}", a=f"r{k - 1}", b=f"r{k}", at=at))
    sim = moved(b.build(), 4.0)
    assert np.linalg.norm(sim.state.v_WC, axis=1).max() < 0.02
    weight = sim.model.system.masses.mass.sum() * G
    assert -sim.contact_force("floor")[2] == pytest.approx(weight, rel=0.02)
    assert sim.info["overlap"] < 1e-3


def test_contact_forces_go_through_the_joints():
    """A bar hinged at one end rests with the other on the floor: half of its weight each (B-32)."""
    b = gk.Builder()
    ground(b, friction=0.0)
    b.body("bar", shape=gk.Box((1.0, 0.1, 0.1)), mass=2.0, inertia=(0.1, 0.2, 0.2), at=(0, 0, 0.15), material="stuff")
    b.body("foot", shape=gk.Sphere(0.05), mass=1e-3, inertia=(1e-6,) * 3, at=(0.5, 0, 0.05), material="stuff")
    b.add(gk.Rigid(name="weld", a="bar", b="foot", at=(0.5, 0, 0.05)))
    b.add(gk.Hinge(name="pin", a="world", b="bar", at=(-0.5, 0, 0.15), axis=(0, 1, 0)))
    sim = moved(b.build(), 0.5, contact=gk.ContactOptions())
    assert -sim.contact_force("floor")[2] == pytest.approx(G * (1.0 + 1e-3), rel=1e-3)
    assert sim.sensors["pin.force"][2] == pytest.approx(1.0 * G, rel=2e-3)
    assert sim.sensors["weld.force"][2] == pytest.approx(-1.0 * G, rel=2e-3)


def test_what_rests_on_a_driven_arm_loads_its_drive():
    """A block of 2 kg rests 0.6 m from the axis of an arm of 1 kg, 0.4 m to its middle (B-09, B-32)."""
    b = gk.Builder()
    b.material("stuff", density=1000, friction=0.5)
    b.body("arm", shape=gk.Box((0.8, 0.4, 0.1)), mass=1.0, inertia=(0.1,) * 3, at=(0.4, 0, 0), material="stuff")
    b.body("block", shape=gk.Box((0.2, 0.2, 0.2)), mass=2.0, inertia=(0.1,) * 3, at=(0.6, 0, 0.15), material="stuff")
    b.add(gk.Hinge(name="pin", a="world", b="arm", at=(0, 0, 0), axis=(0, 1, 0)))
    b.add(gk.Driven(name="hold", on="pin", position=0.0))
    sim = moved(b.build(), 0.2, contact=gk.ContactOptions())
    assert sim.sensors["hold.force"] == pytest.approx(-G * (1.0 * 0.4 + 2.0 * 0.6), rel=1e-6)  # tolerance of sweeps
    assert sim.sensors["pin.force"][2] == pytest.approx(3.0 * G, rel=1e-6)
    assert sim.sensors["pin.torque"][1] == pytest.approx(0.0, abs=1e-9)


def test_a_ball_rolls_on_a_driven_turntable_in_a_circle():
    """Two pieces that a contact ties, one of them given (B-22, B-25). From  m v' = F,  (2/5) m r w' = -z x F  and
    v - r w x z = W z x p  follows  v' = (2/7) W z x v:  the ball goes round at 2/7 of the rate of the table, on a
    circle of its own. Order 1: a step at the speed of 0.3 m/s, 0.3 h; and twice h is twice as far off."""
    W, r, start, v, t = 2.0, 0.1, np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.3, 0.0]), 2.0
    spin = np.cross([0, 0, 1], v - W * np.cross([0, 0, 1], start)) / r
    b = gk.Builder()
    b.material("stuff", density=1000, friction=2.0)
    table = {"mass": 5.0, "inertia": (1, 1, 1), "at": (0, 0, -0.05), "angular_velocity": (0, 0, W)}
    b.body("table", shape=gk.Box((8, 8, 0.1)), material="stuff", **table)
    b.body("ball", shape=gk.Sphere(r), at=(1, 0, r), velocity=v, angular_velocity=spin, material="stuff")
    b.add(gk.Hinge(name="axle", a="world", b="table", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Driven(name="motor", on="axle", velocity=W))
    rate, off = 2.0 / 7.0 * W, []
    exact = start[:2] + 0.3 / rate * np.array([np.cos(rate * t) - 1.0, np.sin(rate * t)])
    for h in (2e-3, 1e-3):
        sim = moved(b.build(), t, h=h, contact=gk.ContactOptions())
        off.append(np.abs(sim["ball"].position[:2] - exact).max())
        assert sim["ball"].position[2] == pytest.approx(r, abs=1e-12)
    assert off[0] < 0.3 * 2e-3
    assert off[0] / off[1] == pytest.approx(2.0, abs=0.1)


def test_a_driven_belt_takes_a_block_along():
    """Velocities of driven joints are part of those of contacts (B-22): friction mu g until the block has their speed.

    Order 1: times are off by a step, places by a step times the speed."""
    b = gk.Builder()
    b.material("stuff", density=1000, friction=0.3)
    b.body("belt", shape=gk.Box((9, 1, 0.1)), mass=5.0, inertia=(1,) * 3, at=(0, 0, -0.05), material="stuff")
    b.body("block", shape=gk.Box((0.2, 0.2, 0.1)), mass=2.0, inertia=(0.1,) * 3, at=(0, 0, 0.05), material="stuff")
    b.add(gk.Slider(name="rail", a="world", b="belt", at=(0, 0, 0), axis=(1, 0, 0)))
    b.add(gk.Driven(name="motor", on="rail", velocity=1.0))
    sim = moved(b.build(), 0.2, contact=gk.ContactOptions())
    assert sim.state.v_WC[2, 0] == pytest.approx(0.3 * G * 0.2, abs=0.3 * G * H)
    assert sim.sensors["motor.force"] == pytest.approx(0.3 * G * 2.0, rel=1e-6)
    sim.advance(0.3)  # it is fast enough after 0.34 s
    assert sim.state.v_WC[2, 0] == pytest.approx(1.0, abs=1e-6)
    assert sim.sensors["motor.force"] == pytest.approx(0.0, abs=1e-5)
    assert sim.state.p_WC[1, 0] == pytest.approx(0.5, abs=1e-9)


def test_impacts_never_feed_energy():
    """Boxes dropped at random, e = 0.5 without friction: Newton's law takes energy from every impact."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        b = gk.Builder()
        ground(b, friction=0.0, restitution=0.5)
        turn, spin = gk.unit(tuple(rng.normal(size=4))), 3 * rng.normal(size=3)
        motion = {"rotation": turn, "velocity": rng.normal(size=3), "angular_velocity": spin}
        b.body("box", shape=gk.Box((0.3, 0.2, 0.1)), density=500, at=(0, 0, 0.5), material="stuff", **motion)
        sim = gk.Simulation(b.build(), gk.MoreauTree(h=H))
        before = sim.ledger[:2].sum()
        for _ in range(20):
            sim.advance(0.05)
        after = sim.ledger[:2].sum()
        assert sim.info["energy_fed_in_impacts"] == 0.0
        # order 2 of the free flight, and overlaps of h v taken out against gravity: a thousandth of the energy
        assert after < before * 1.001


def test_it_agrees_with_row_stepping_on_a_block_that_topples():
    """A tall block pushed over; both methods are of order 1 and differ by h."""

    def block():
        b = gk.Builder()
        ground(b, friction=0.9)
        b.body("tall", shape=gk.Box((0.2, 0.2, 0.8)), density=500, at=(0, 0, 0.4), material="stuff",
               angular_velocity=(0, 2.0, 0), velocity=(0.8, 0, 0))  # fmt: skip
        return b.build()

    model, apart = block(), []
    for h in (2e-3, 1e-3, 5e-4):
        rows = gk.Simulation(model, gk.RowStepping(h=h))
        rows.advance(0.3)
        apart.append(abs(moved(model, 0.3, h=h).state.p_WC[2] - rows.state.p_WC[2]).max())
    assert apart[0] < 0.02
    assert apart[2] < 0.7 * apart[0]


def test_a_run_is_the_same_to_the_last_bit_whatever_its_batches():
    ends = []
    for pieces in (1, 10):
        sim = gk.Simulation(cradle(2), gk.MoreauTree(h=H))
        for _ in range(pieces):
            sim.advance(1.2 / pieces)
        ends.append(sim.state.flat.tobytes())
    assert ends[0] == ends[1]


ABSENT = [{"impacts": "poisson"}, {"impacts": "stronge"}, {"sleep": True}, {"shock": "freezing"}]
WRONG = [{"impacts": "both"}, {"relative": -1}, {"absolute": -1}, {"contact": "yes"}]


@pytest.mark.parametrize("wrong", [*WRONG, *({"contact": gk.ContactOptions(**options)} for options in ABSENT)])
def test_wrong_options_are_refused(wrong):
    with pytest.raises(gk.InputError, match="MoreauTree"):
        gk.MoreauTree(**wrong)


@pytest.mark.parametrize("axis", [(1.0, 2.0, 0.0), (0.3, -0.7, 0.0), (1.0, 1.0, 0.0)])
def test_contact_on_a_guided_block_does_nothing_that_its_guide_holds(axis):
    """Normal and one tangent are held by the slider, and what is left of them is round-off: it must not count."""
    axis = np.array(axis) / np.linalg.norm(axis)
    b = gk.Builder()
    ground(b, friction=0.5)
    start = {"at": (0, 0, 0.0995), "velocity": tuple(axis)}  # half a millimetre inside the floor
    b.body("block", shape=gk.Box((0.2, 0.2, 0.2)), density=1000, material="stuff", **start)
    b.add(gk.Slider(name="guide", a="world", b="block", at=(0, 0, 0.0995), axis=tuple(axis)))
    sim = moved(b.build(), 0.1, contact=gk.ContactOptions())
    way = sim.state.p_WC[2] - [0, 0, 0.0995]
    assert np.linalg.norm(way) <= 0.1 + 1e-9
    assert np.linalg.norm(way - axis * (axis @ way)) < 1e-12
