"""Cross sections: conics exact, joints smooth, design data made consistent, what is missing between neighbours."""

import math

import numpy as np
import pytest

from gelenk.worlds.bobsleigh.track import load_track
from gelenk.worlds.bobsleigh.track.patch import STEP, TableSections, edges, patches
from gelenk.worlds.bobsleigh.track.section import (
    RAW,
    by_rule,
    control_points,
    corner_points,
    curve_points,
    ellipse_end,
    from_raw,
)
from gelenk.worlds.bobsleigh.track.short import short_track

T = np.linspace(0.0, 1.0, 41)


@pytest.fixture(scope="module")
def track():
    return load_track("s13")


@pytest.fixture(scope="module")
def dimensions(track):
    """Sections of S-13 from the straight to the full curve."""
    return by_rule(track.sections.rule, np.linspace(0.0, 1.0, 9))


def piece(dimensions, number):
    """(n, k, 2) points of a piece."""
    return curve_points(*control_points(dimensions), np.minimum(number + T, number + 1.0 - 1e-12))


def test_circles_are_circles(dimensions):
    """B-43: all points of a circular piece have its radius from the centre of the tangents, to round-off."""
    corner = corner_points(dimensions)
    for number, radius in ((1, dimensions.r0), (4, dimensions.r1), (6, dimensions.r2)):
        x = piece(dimensions, number)
        begin, end = corner[:, number], corner[:, number + 1]
        d = end - begin
        length = np.linalg.norm(d, axis=1)
        good = length > 1e-9
        left = np.stack((-d[:, 1], d[:, 0]), axis=1)[good] / length[good, None]
        rise = np.sqrt(radius[good] ** 2 - 0.25 * length[good] ** 2)
        centre = 0.5 * (begin + end)[good] + rise[:, None] * left
        away = np.linalg.norm(x[good] - centre[:, None], axis=2)
        np.testing.assert_allclose(away, np.broadcast_to(radius[good, None], away.shape), atol=1e-13)


def test_ellipses_are_ellipses(dimensions):
    """B-43 with the correction of bobsleigh 8.3: without it a curve misses its ellipse by 2 to 15 mm."""
    x = piece(dimensions, 3)
    a, b = dimensions.a[1:, None], dimensions.b[1:, None]
    np.testing.assert_allclose((x[1:, :, 0] / b) ** 2 + ((x[1:, :, 1] - a) / a) ** 2, 1.0, atol=1e-13)
    np.testing.assert_allclose(x[0, :, 1], 0.0, atol=1e-15)  # flat on the straight
    np.testing.assert_allclose(x[:, -1, 0], dimensions.bT, atol=1e-9)


def test_the_middle_of_an_ellipse_is_that_of_the_source(dimensions):
    """The quarter ellipse cut at u, its end weight made 1 (3.15 as corrected), has the same middle point."""
    P, w = control_points(dimensions)
    for k in range(1, 9):
        a, b, aT, bT = (float(x[k]) for x in (dimensions.a, dimensions.b, dimensions.aT, dimensions.bT))
        Q_E, Q_M, w_M = np.array([b, a]), np.array([b, 0.0]), math.sqrt(0.5)
        P_e = np.array([bT, aT])
        sigma = -(a * bT - aT * b) / (a * (bT - b) - aT * b)
        N = P_e + sigma * (P_e - Q_M)
        u = 1.0 / (1.0 + math.sqrt(np.linalg.norm(N - Q_E) / np.linalg.norm(N)))
        raw = (1.0 - u) + u * w_M
        end = (1.0 - u) ** 2 + 2.0 * u * (1.0 - u) * w_M + u * u
        np.testing.assert_allclose(P[k, 7], u * w_M * Q_M / raw, atol=1e-12)
        assert w[k, 7] == pytest.approx(raw / math.sqrt(end), abs=1e-12)


def test_tangents_go_on_from_piece_to_piece(dimensions):
    """B-41, B-42: from the fillet to the top every joint is smooth: legs of control points do not turn."""
    P, _ = control_points(dimensions)
    for corner in range(1, 7):
        before = P[:, 2 * corner] - P[:, 2 * corner - 1]
        after = P[:, 2 * corner + 1] - P[:, 2 * corner]
        size = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        sin = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
        np.testing.assert_allclose(sin[size > 1e-9] / size[size > 1e-9], 0.0, atol=1e-9)


def test_the_straight_is_symmetric_at_its_floor(dimensions):
    """Floor from -0.6 to 0.6 m, walls at 0.7 m (bobsleigh 9.5)."""
    straight, full = corner_points(dimensions)[[0, -1]]
    np.testing.assert_allclose(straight[[1, 2, 4, 5], 0], [-0.7, -0.6, 0.6, 0.7], atol=1e-4)
    assert full[7, 1] == pytest.approx(3.1, abs=0.05)


def raw_of(d, rounded=3):
    """Design data of dimensions, rounded as tables are; eps1 in degrees."""
    names = ("hW", "r0", "lB", "dC", "b", "a", "bT", "aT", "r1", "h1", "hZ", "r2", "h2")
    raw = {name: np.round(getattr(d, own), rounded) for name, own in zip(RAW, names)}
    return raw | {"eps1": np.degrees(d.eps)}


def test_design_data_are_made_smooth(dimensions):
    """B-42: rounded, redundant values are computed anew, so joints are smooth though the table is printed to 1 mm."""
    d = from_raw(raw_of(dimensions))
    aT, eps0 = ellipse_end(d.b, d.a, d.bT)
    np.testing.assert_allclose(d.aT, aT, atol=1e-12)
    np.testing.assert_allclose(d.h1, d.r1 * (np.cos(eps0) - np.cos(d.eps)), atol=1e-12)
    np.testing.assert_allclose(corner_points(d), corner_points(dimensions), atol=4e-3)  # slope of the end x 1 mm
    test_tangents_go_on_from_piece_to_piece(d)


def test_angles_may_be_complements_and_circles_missing(dimensions):
    """eps1 below 45 degrees is meant the other way round; H1 = 0 leaves out the upper circle (A.1)."""
    raw = raw_of(dimensions)
    turned = from_raw(raw | {"eps1": 90.0 - raw["eps1"]})
    np.testing.assert_allclose(turned.eps, dimensions.eps, atol=1e-12)
    without = corner_points(from_raw(raw | {"H1": np.zeros(9)}))
    np.testing.assert_array_equal(without[:, 4], without[:, 5])


def test_missing_sections_lie_between_their_neighbours(track):
    """B-44: half way between two sections control points and weights are their means."""
    d = by_rule(track.sections.rule, np.array([0.3, 0.6]))
    two = TableSections(np.array([300.0, 302.0]), d)
    P, w, _ = two.sections(track.line, track.curves[3], np.array([301.0]))
    ends, weights = control_points(d)
    np.testing.assert_allclose(P[0], ends.mean(axis=0), atol=1e-15)
    np.testing.assert_allclose(w[0], weights.mean(axis=0), atol=1e-15)


def test_sections_stand_upright_on_the_track_line(track):
    """B-45: all points of a section lie in a vertical plane square to the plan; its point C lies on the line."""
    for patch in track.patches[2:4]:
        at = track.line.at(patch.s)
        away = patch.points - at.position[:, None]
        np.testing.assert_allclose((away * at.forward[:, None]).sum(axis=2), 0.0, atol=1e-11)
        right = -(away * at.left[:, None]).sum(axis=2)
        np.testing.assert_allclose(right, patch.xy[..., 0], atol=1e-11)
        outer = patch.xy[len(patch.s) // 2, -1] if patch.turn > 0 else patch.xy[len(patch.s) // 2, 0]
        assert outer[1] > 3.0  # the banked side
        assert np.sign(outer[0]) == patch.turn  # on the right of a left curve


def test_patches_meet(track):
    """Floors of neighbours meet, whichever way they turn (bobsleigh 8.5)."""
    for a, b in zip(track.patches, track.patches[1:]):
        assert np.abs(edges(a, -1) - edges(b, 0)).max() < STEP
        np.testing.assert_array_equal(a.s[-1], b.s[0])


def test_a_track_made_of_text_is_that_of_its_files(track):
    """The tables of S-13 give its line and its sections."""
    curves, heights = (track.file.with_name(name).read_text() for name in ("curves.csv", "heights.csv"))
    made = short_track("again", curves, heights, start=-40.0, start_height=928.8, finish=1450.0)
    assert (made.name, made.finish, made.file, made.walls) == ("again", 1450.0, None, ())
    for own, other in zip(track.patches, made.patches, strict=True):
        np.testing.assert_array_equal(other.points, own.points)
        np.testing.assert_array_equal(other.weights, own.weights)


def test_rules_and_tables_give_the_same_track(track):
    """S-13 written as a table of raw dimensions has the sections of its rule where they stand (B-34)."""
    s = track.line.samples
    tau = np.concatenate([p.banking[:-1] for p in track.patches] + [track.patches[-1].banking[-1:]])
    table = TableSections(s, from_raw(raw_of(by_rule(track.sections.rule, tau), rounded=6)))
    for own, other in zip(track.patches, patches(track.line, table)):
        np.testing.assert_allclose(other.points, own.points, atol=1e-4)
