"""Plan, heights and track line: unit speed, smooth joints, the figures of bobsleigh 9.5 and 9.6."""

import numpy as np
import pytest
from scipy.integrate import quad

from gelenk.geometry.space_line import line_at
from gelenk.worlds.bobsleigh.track import load_track
from gelenk.worlds.bobsleigh.track.heights import HeightProfile, Transition
from gelenk.worlds.bobsleigh.track.plan import Curve, PlanCurve
from gelenk.worlds.bobsleigh.track.point_mass import PointMass, slide

# Central differences of order 6 over 0.02 m: error h^6 k^6 / 140 below 1e-19, round-off eps 1100 m / h about 1e-11.
H, STENCIL = 0.02, np.array([-1.0, 9.0, -45.0, 45.0, -9.0, 1.0]) / 60.0
OFFSETS = H * np.array([-3, -2, -1, 1, 2, 3])


@pytest.fixture(scope="module")
def track():
    return load_track("s13")


def within_pieces(plan, count=1500):
    """Arc lengths whose stencil stays within one piece."""
    s = np.random.default_rng(1).uniform(plan.start + 0.1, plan.end - 0.1, count)
    away = np.abs(s[:, None] - plan.s).min(axis=1)
    return s[away > 4.0 * H]


def rates(plan, s):
    """dp/ds by differences, (n, 2)."""
    return sum(w * plan.at(s + d).xy for w, d in zip(STENCIL, OFFSETS)) / H


def odd_curve(**change):
    """A curve from 0 to 200 m with other values."""
    values = {"turn": 1, "begin": 0.0, "bend": 20.0, "entry_length": 30.0, "entry_a2": 900.0, "arc_length": 25.0}
    values |= {"radius": 40.0, "exit_length": 28.0, "exit_a2": 1000.0, "end": 200.0}
    return Curve(**(values | change))


ODD = {
    "end radii of their own": odd_curve(),
    "right": odd_curve(turn=-1),
    "no entry": odd_curve(entry_length=0.0, entry_a2=0.0),
    "no exit": odd_curve(exit_length=0.0, exit_a2=0.0),
    "arc alone": odd_curve(entry_length=0.0, exit_length=0.0),
    "no arc": odd_curve(arc_length=0.0),
    "no straights": odd_curve(bend=0.0, end=83.0),
}


@pytest.mark.parametrize("curve", ODD.values(), ids=ODD)
def test_the_plan_has_unit_speed_along_its_heading(curve, track):
    """B-35 to B-37."""
    for plan in (PlanCurve([curve], 0.0), track.line.plan):
        s = within_pieces(plan)
        rate, heading = rates(plan, s), plan.at(s).heading
        np.testing.assert_allclose(np.linalg.norm(rate, axis=1), 1.0, atol=1e-10)
        np.testing.assert_allclose(rate, np.stack((-np.sin(heading), np.cos(heading)), axis=1), atol=1e-8)


@pytest.mark.parametrize("curve", ODD.values(), ids=ODD)
def test_pieces_meet_and_follow_their_curvature(curve):
    """Place and heading go on across joints; heading is the integral of curvature, place that of heading."""
    plan = PlanCurve([curve], 0.0)
    before, after = plan.at(plan.s[1:] - 1e-9), plan.at(plan.s[1:] + 1e-9)
    np.testing.assert_allclose(after.xy, before.xy, atol=1e-8)
    np.testing.assert_allclose(after.heading, before.heading, atol=1e-8)
    joints = [s for s in plan.s if 0.0 < s < 150.0]
    heading, _ = quad(lambda s: plan.at(s).curvature[0], 0.0, 150.0, points=joints, limit=200)
    assert plan.at(150.0).heading[0] == pytest.approx(heading, abs=1e-10)
    xy = [
        quad(lambda s, f=f, g=g: g * f(plan.at(s).heading[0]), 0.0, 150.0, points=joints, limit=200, epsabs=1e-11)[0]
        for f, g in ((np.sin, -1.0), (np.cos, 1.0))
    ]
    np.testing.assert_allclose(plan.at(150.0).xy[0], xy, atol=1e-9)


def test_the_arc_begins_with_the_end_radius_of_the_clothoid():
    """A^2 / length is the radius at the end of a clothoid, here 30 m in and 35.7 m out of an arc of 40 m (B-37)."""
    plan = PlanCurve([odd_curve()], 0.0)
    k = plan.at([50.0 - 1e-9, 50.0 + 1e-9, 75.0 - 1e-9, 75.0 + 1e-9]).curvature
    np.testing.assert_allclose(k, [1.0 / 30.0, 1.0 / 40.0, 1.0 / 40.0, 28.0 / 1000.0], rtol=1e-7)


def test_s13_passes_its_control_points(track):
    """Printed to four and six digits (bobsleigh 9.5, in its axes x, -z, y)."""
    at = track.line.at([280.0, 1450.0])
    np.testing.assert_allclose(at.position[:, :2], [[-21.5132, 257.8433], [184.1064, 1043.9533]], atol=5e-5)
    np.testing.assert_allclose(at.heading, [0.436210, -2.177869], atol=5e-7)
    heights = track.line.heights.at([0.0, 280.0, 660.0, 960.0, 1244.0, 1450.0]).height
    np.testing.assert_allclose(heights, [927.9893, 893.01, 859.81, 819.96, 787.26, 781.52], atol=5e-3)
    assert heights[0] == pytest.approx(927.9893, abs=5e-5)
    assert track.line.length(0.0, 1450.0) == pytest.approx(1458.46, abs=5e-3)
    assert track.line.start == -40.0
    assert track.line.end == 1600.0
    assert track.line.at(1600.0).slope[0] == pytest.approx(0.1)  # the braking stretch climbs (B-40)


def test_the_axes_are_those_of_the_package(track):
    """At the start it goes along +y with x to the right; a left curve turns the heading up (B-36)."""
    at = track.line.at([0.0, 100.0])
    np.testing.assert_allclose(at.forward[0], [0.0, 1.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(at.left[0], [-1.0, 0.0, 0.0], atol=1e-15)
    assert at.heading[1] > 0.0


@pytest.mark.parametrize("radius", [-60.0, 250.0])
def test_heights_go_on_without_steps_or_kinks(radius):
    """B-38, with negative radii (bobsleigh 8.2); the arc has the radius that was asked for."""
    out = -0.05 + np.copysign(0.08, radius)
    bend = Transition(middle=50.0, slope_in=-0.05, slope_out=out, radius=radius)
    profile = HeightProfile(0.0, 100.0, [bend])
    for joint in (bend.begin, bend.end):
        a, b = profile.at(joint - 1e-9), profile.at(joint + 1e-9)
        assert b.height[0] == pytest.approx(a.height[0], abs=1e-9)
        assert b.slope[0] == pytest.approx(a.slope[0], abs=1e-9)
    s = np.linspace(bend.begin, bend.end, 11)[1:-1]
    at = profile.at(s)
    slope = (profile.at(s + 1e-3).height - profile.at(s - 1e-3).height) / 2e-3
    np.testing.assert_allclose(at.slope, slope, atol=1e-9)  # h^2 h''' / 6 < 1e-11, round-off 1e-14 / 1e-3
    np.testing.assert_allclose(at.bend / (1.0 + at.slope**2) ** 1.5, 1.0 / radius, rtol=1e-12)
    assert profile.at(90.0).height[0] == pytest.approx(100.0 - 0.05 * 50.0 + out * 40.0)  # the gradients meet at 50 m


def test_the_line_is_sampled_every_half_metre(track):
    """B-39."""
    assert len(track.line.samples) == 2 * 1640 + 1
    np.testing.assert_allclose(np.diff(track.line.samples), 0.5, atol=1e-12)


def test_the_table_of_a_line_is_the_line(track):
    """Cells of a metre err by l^6 k^5 / 46080, round-off by eps 1100 m."""
    s = np.random.default_rng(4).uniform(-40.0, 1600.0, 400)
    at = track.line.at(s)
    for k, x in enumerate(s):
        place, rate, bend = (np.array(v) for v in line_at(track.line.table, x))
        np.testing.assert_allclose(place, at.position[k], atol=1e-10)
        np.testing.assert_allclose(rate[:2], at.forward[k, :2], atol=1e-9)
        np.testing.assert_allclose(bend @ at.left[k], at.curvature[k], atol=1e-7)


def test_projection_gives_back_where_points_were_put(track):
    """B-83: a point b to the left and h above the foot at s, moved along the normal plane, comes back as (s, b, h)."""
    rng = np.random.default_rng(5)
    s, b = rng.uniform(-39.0, 1599.0, 500), rng.uniform(-3.0, 3.0, 500)
    at = track.line.at(s)
    tangent = at.forward + at.slope[:, None] * [0.0, 0.0, 1.0]
    points = at.position + b[:, None] * at.left
    place = track.line.project(points)
    np.testing.assert_allclose(place.s, s, atol=1e-9)
    np.testing.assert_allclose(place.left, b, atol=1e-9)
    np.testing.assert_allclose(place.height, 0.0, atol=1e-9)
    up = np.cross(at.left, tangent)
    up /= -np.linalg.norm(up, axis=1)[:, None]
    up *= np.sign(up[:, 2])[:, None]
    high = track.line.project(points + 0.8 * up)
    np.testing.assert_allclose(high.s, s, atol=1e-9)


def test_a_history_is_followed_from_point_to_point(track):
    """The fast form gives what the search over the whole line gives."""
    s = np.linspace(-30.0, 1590.0, 3000)
    at = track.line.at(s)
    points = at.position + np.sin(s / 20.0)[:, None] * at.left + 0.4 * np.array([0.0, 0.0, 1.0])
    every, followed = track.line.project(points), track.line.project(points, near=-30.0)
    np.testing.assert_allclose(followed, every, atol=1e-8)


# Splits of a point mass on S-13 and its fastest speed and largest load (bobsleigh 9.6a).
REFERENCE = {
    0.004: ([4.796, 16.238, 29.371, 37.810, 44.643, 49.508], 155.3, 4.37),
    0.006: ([4.813, 16.338, 29.643, 38.219, 45.166, 50.130], 152.7, 4.24),
    0.008: ([4.830, 16.438, 29.920, 38.636, 45.697, 50.761], 150.1, 4.12),
    0.010: ([4.848, 16.541, 30.202, 39.061, 46.237, 51.404], 147.6, 4.00),
    0.012: ([4.865, 16.645, 30.490, 39.494, 46.786, 52.058], 145.2, 3.88),
}


@pytest.mark.parametrize("friction", REFERENCE)
def test_a_point_mass_needs_the_times_of_the_reference(track, friction):
    """To 4 ms. The reference is late by 1 ms at 50 m, 3 ms at 280 m and no more after: as a sum of ds / v with v from
    the beginning of steps of 0.06 m would be, by  ds/2 (1/v_0 - 1/v). Speeds and loads agree to the last digit.
    """
    splits, fastest, load = REFERENCE[friction]
    run = slide(track.line, PointMass(friction=friction), track.finish)
    np.testing.assert_allclose(run.time_at(np.array(track.timing)), splits, atol=4e-3)
    assert 3.6 * run.speed.max() == pytest.approx(fastest, abs=0.05)
    assert run.load.max() == pytest.approx(load, abs=5e-3)


def test_a_point_mass_without_losses_keeps_its_energy(track):
    """v^2/2 + g h is constant; Runge's rule of order 4 at 0.1 m loses at kinks of the slope's rate within a step."""
    run = slide(track.line, PointMass(friction=0.0, drag_area=0.0), track.finish)
    energy = 0.5 * run.speed**2 + 9.81 * track.line.heights.at(run.s).height
    np.testing.assert_allclose(energy, energy[0], rtol=1e-8)  # 15 kinks, each h^2/8 x jump of h'' / (h + v^2/2g)
