"""Lines of balance on the banking, and the pilot's hands (B-90, bobsleigh 9.7)."""

import math

import numpy as np
import pytest

from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.compare.particle import Particle, ruled_ice, slide_particle
from gelenk.worlds.bobsleigh.ice import solid_below
from gelenk.worlds.bobsleigh.pilot.banking import Banking
from gelenk.worlds.bobsleigh.pilot.pilot import Hands, Noise, Pilot, shift_line
from gelenk.worlds.bobsleigh.track import load_track

TRACK = load_track("s13")
BANKING = Banking(TRACK)


def test_on_the_straight_the_line_is_in_the_middle():
    """Of the floor that is level across; between curves, where the curvature is 0."""
    straight = BANKING.s[np.abs(BANKING.curvature) < 1e-9]
    assert BANKING.lines(straight, np.full(len(straight), 30.0)) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("s", "speed"), [(332.0, 25.0), (600.0, 29.0), (1290.0, 35.0)])
def test_in_a_curve_the_line_is_where_the_ice_has_the_slope_of_the_load(s, speed):
    """On the ellipse x^2/b^2 + (y - a)^2/a^2 = 1 of a full curve:  tan phi = a x / (b sqrt(b^2 - x^2)) = v^2 k / g_eff.

    b = 1.9 m, a = 2.6 m (bobsleigh 9.5); the graph of a section has chords of b/8, whose slopes are those of their
    middles: the place is off by less than a quarter of a chord.
    """
    line = TRACK.line.at([s])
    k, down = abs(line.curvature[0]), 9.81 / math.hypot(1, line.slope[0]) + speed**2 * line.bend[0]
    tan = speed**2 * k / down
    b, a = 1.9, 2.6
    x = b * b * tan / math.hypot(a, b * tan)
    assert x < b - 0.15  # still on the ellipse
    phi = math.asin(x / b)
    arc = np.linspace(0, phi, 2001)
    w = np.hypot(b * np.cos(arc), a * np.sin(arc)).mean() * phi
    way = math.copysign(1.0, line.curvature[0])  # in a left curve it is on the right, where w is negative
    assert -way * BANKING.balance(s, speed) == pytest.approx(w, abs=0.06)


def test_places_across_are_lengths_along_the_section():
    i = int(np.searchsorted(BANKING.s, 600.0))
    for k in (3, 20, 30, 45):
        w = BANKING.across(BANKING.s[i], BANKING.x[i, k], BANKING.y[i, k])
        assert w == pytest.approx(BANKING.w[i, k], abs=1e-9)
    assert BANKING.across(655.0, 0.31, 0.28) == pytest.approx(0.31, abs=1e-6)  # above the floor


def test_hands_follow_the_law_of_the_pilot():
    """At 0.2 m to the left of the middle, at rest across: beta goes to -k_b 0.2 m through the lag, at most to 4 deg."""
    hands = Hands(Pilot(lag=0.1, offset_gain=1.0, damping=0.0), BANKING, 0.01)
    for _ in range(10):
        hands.steer(655.0, 0.2, 0.28, 30.0)
    assert math.degrees(hands.angle) == pytest.approx(-0.2 * (1 - math.exp(-1)), abs=1e-6)
    strong = Hands(Pilot(lag=0.0, offset_gain=50.0), BANKING, 0.01)
    assert math.degrees(strong.steer(655.0, 0.2, 0.28, 30.0)) == pytest.approx(-4.0)
    late = Hands(Pilot(lag=0.0, offset_gain=1.0, damping=0.0, delay=0.05), BANKING, 0.01)
    angles = [late.steer(655.0, 0.01 * k, 0.28, 30.0) for k in range(20)]
    assert math.degrees(angles[19]) == pytest.approx(-0.14, abs=1e-6)
    moving = Hands(Pilot(lag=0.0, offset_gain=0.0, damping=1.0), BANKING, 0.01)
    assert math.degrees([moving.steer(655.0, 0.003 * k, 0.28, 30.0) for k in range(3)][-1]) == pytest.approx(
        -0.3, abs=1e-6
    )


def test_a_line_of_ones_own_is_shifted_from_that_of_balance():
    shift = shift_line([0.0, 100.0, 200.0], [0.0, 0.3, 0.0])
    assert shift(100.0) == pytest.approx(0.3)
    assert shift(-1.0) == shift(250.0) == 0.0
    hands = Hands(Pilot(), BANKING, 0.01, shift)
    assert hands.target(100.0, 15.0) - BANKING.balance(100.0, 15.0) == pytest.approx(0.3)
    with pytest.raises(InputError, match="rising places"):
        shift_line([0.0, 0.0], [1.0, 2.0])


def test_noise_is_that_of_its_seed():
    noise, pilot = Noise(), Pilot()
    one, again, other = (noise.draw(seed, pilot, 1450.0) for seed in (1, 1, 2))
    assert one[0] == again[0]
    assert one[2] == again[2]
    places = np.linspace(0, 1450, 300)
    assert [one[1](s) for s in places] == [again[1](s) for s in places]
    assert other[2] != one[2]
    spread = np.std([noise.draw(seed, pilot, 1450.0)[1](500.0) for seed in range(200)])
    assert spread == pytest.approx(noise.line, rel=0.2)  # 200 samples: sigma is known to 5 %
    ice = [noise.friction(seed) for seed in range(200)]
    assert ice == [noise.friction(seed) for seed in range(200)]
    assert np.std(ice) == pytest.approx(noise.ice, rel=0.2)
    assert np.mean(ice) == pytest.approx(1.0, abs=3.0 * noise.ice / math.sqrt(200.0))
    assert Noise(ice=0.0).friction(5) == 1.0


def test_the_particle_of_the_source_passes_all_curves():
    """Bobsleigh 9.6b: 16.52, 30.63, 40.28, 45.97, 52.33 s, 147 km/h, 2.2 m high, no contact lost.

    Its normals are smoothed in a way that is not told, and times there differ by 1e-3 with the step: within 1 %.
    Hops over the corners of polylines last some milliseconds; it flies nowhere for a tenth of a second.
    """
    line = TRACK.line.at([0.0])
    start, along = line.position[0], line.forward[0] + line.slope[0] * np.array([0.0, 0.0, 1.0])
    run = slide_particle(ruled_ice(TRACK), Particle(), start, 8.0 * along / np.linalg.norm(along), 58.0)
    place = TRACK.line.project(run.position, near=0.0)
    from gelenk.worlds.bobsleigh.analysis.splits import split_times

    times = split_times(run.t, place.s, [280.0, 660.0, 980.0, 1200.0, 1450.0])
    assert times == pytest.approx([16.52, 30.63, 40.28, 45.97, 52.33], rel=1e-2)
    assert np.linalg.norm(run.velocity, axis=1).max() * 3.6 == pytest.approx(147.0, rel=1e-2)
    assert 1.9 < place.height.max() < 2.7
    energy = 0.5 * 390 * (run.velocity**2).sum(axis=1) + 390 * 9.81 * run.position[:, 2] + run.spent.sum(axis=1)
    assert np.ptp(energy) < 1e-10 * energy[0]


def test_ice_is_a_closed_solid():
    """Volume: half a metre under a level square, and its rims; a fold of triangles without area is left out."""

    class Square:
        x, y = np.meshgrid(np.linspace(0, 1, 5), np.linspace(0, 2, 9), indexing="ij")
        vertices = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1)
        vertices = np.concatenate([vertices, vertices[:9]])  # the left rim once more, as patches have it
        normals = np.tile([0.0, 0.0, 1.0], (54, 1))
        number = np.arange(45).reshape(5, 9)
        a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
        triangles = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
        triangles = np.concatenate([triangles, [[0, 45, 1]]])

    mesh = solid_below(Square(), 0.5)
    assert len(mesh.vertices) == 90
    assert mesh.mass_properties(1.0).mass == pytest.approx(1.0, rel=1e-12)
