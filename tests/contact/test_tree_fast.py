"""Bodies of trees that move by more than their thickness in a step: they meet what is thin too (B-28, V-06)."""

import pytest

import gelenk as gk

SHEET = gk.TriangleMesh.from_polygons(
    [(x, y, z) for z in (-0.01, 0.01) for y in (-0.5, 0.5) for x in (-0.5, 0.5)],
    [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)],
)
PLATES = {"box": gk.Box((1, 1, 0.02)), "mesh": SHEET}


def shot(plate, speed, radius, restitution, height=1.0):
    """A ball without weight that flies straight at a plate of 2 cm."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", friction=0.0, restitution=restitution)
    b.body("plate", shape=PLATES[plate], static=True, material="m")
    b.body("ball", shape=gk.Sphere(radius), material="m", mass=1, at=(0, 0, height), velocity=(0, 0, -speed))
    return b.build()


@pytest.mark.parametrize("plate", PLATES)
@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize(
    ("speed", "h", "radius"),
    [(16, 5e-3, 0.01), (8, 1e-2, 0.01), (80, 1e-3, 0.01), (120, 1e-3, 0.01), (300, 1e-3, 0.05)],
)
@pytest.mark.parametrize("phase", [0.0, 0.15, 0.3, 0.43, 0.47, 0.5, 0.7, 0.9])
def test_a_fast_ball_does_not_go_through_a_thin_plate(plate, restitution, speed, h, radius, phase):
    """Wherever in a step the impact lies: z = r + d/2 + e v (t - t_1) with t_1 = (z_0 - r - d/2) / v, to rounding."""
    height, top = 1.0 + phase * speed * h, radius + 0.01
    sim = gk.Simulation(shot(plate, speed, radius, restitution, height), method=gk.MoreauTree(h=h))
    steps = round(1.5 / speed / h)
    sim.advance(steps * h)
    flight = sim.time - (height - top) / speed
    assert sim["ball"].velocity[2] == pytest.approx(restitution * speed, abs=1e-9)
    assert sim["ball"].position[2] == pytest.approx(top + restitution * speed * flight, abs=1e-5)  # of hulls and slop
    assert sim.info["impacts"] == (1 if restitution else 0)


@pytest.mark.parametrize("gap", [0.001, 0.01, 0.02])
def test_the_first_step_may_hold_an_impact(gap):
    """There is no step before it in which the plate could be seen coming."""
    sim = gk.Simulation(shot("box", 8.0, 0.01, 0.5, 0.02 + gap), method=gk.MoreauTree(h=1e-2))
    sim.advance(5e-2)
    assert sim["ball"].position[2] == pytest.approx(0.02 + 4.0 * (sim.time - gap / 8.0), abs=1e-12)


@pytest.mark.parametrize("gap", [0.001, 0.01])
def test_what_does_not_bounce_stops_where_it_meets(gap):
    """In the first step, past the middle of the plate half-way: put back whole, by no velocity of its own."""
    sim = gk.Simulation(shot("box", 8.0, 0.01, 0.0, 0.02 + gap), method=gk.MoreauTree(h=1e-2))
    sim.advance(5e-2)
    assert sim["ball"].position[2] == pytest.approx(0.02, abs=1e-5)
    assert sim["ball"].velocity[2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("speed", "e"), [(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (1.0, 0.5)])
@pytest.mark.parametrize("gap", [0.001, 0.009])
def test_what_meets_in_the_first_step_did_not_start_inside(recwarn, speed, e, gap):
    """Half-way through the step it is up to 14 mm deep, as it was not when it began: nobody need place it apart."""
    sim = gk.Simulation(shot("box", speed, 0.01, e, 0.02 + gap), method=gk.MoreauTree(h=1e-2))
    sim.advance(1e-2)
    assert not [w for w in recwarn if w.category is gk.ContactWarning]


def test_what_starts_inside_is_told_as_deep_as_it_starts():
    """3 mm deep and at rest. What moves is put out whole in the first step: its middle no longer tells where it was."""
    sim = gk.Simulation(shot("box", 0.0, 0.01, 0.0, 0.017), method=gk.MoreauTree(h=1e-2))
    with pytest.warns(gk.ContactWarning, match=r"'plate' and 'ball' start 0.003 m inside each other"):
        sim.advance(1e-2)


def test_two_fast_balls_exchange_their_velocities():
    """0.3 m a step against each other, 4 cm thick together: equal masses and e = 1."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", friction=0.0, restitution=1.0)
    for name, side in (("left", -1), ("right", 1)):
        b.body(name, shape=gk.Sphere(0.01), material="m", mass=1, at=(side * 0.5, 0, 0), velocity=(-150 * side, 0, 0))
    sim = gk.Simulation(b.build(), method=gk.MoreauTree(h=1e-3))
    sim.advance(6e-3)
    out = 0.01 + 150.0 * (sim.time - 0.49 / 150.0)
    for name, side in (("left", -1), ("right", 1)):
        assert sim[name].velocity[0] == pytest.approx(150.0 * side, abs=1e-9)
        assert sim[name].position[0] == pytest.approx(side * out, abs=1e-12)


@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_moreaus_rule_returns_it_too(restitution):
    """All at once, in the middle of the step: half a step of the way late at most."""
    sim = gk.Simulation(shot("box", 80.0, 0.01, restitution), method=gk.MoreauTree(h=1e-3, impacts="simultaneous"))
    sim.advance(19e-3)
    exact = 0.02 + restitution * 80.0 * (sim.time - 0.98 / 80.0)
    assert sim["ball"].velocity[2] == pytest.approx(restitution * 80.0, abs=1e-9)
    assert sim["ball"].position[2] == pytest.approx(exact, abs=0.5e-3 * 80.0 * (1.0 + restitution))
