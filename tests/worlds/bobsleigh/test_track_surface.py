"""Meshes and smooth sheets of a track: tight, turned to the driving side, without friction of their own."""

import math

import numpy as np
import pytest

from gelenk.geometry.sheet import segments_sheet
from gelenk.worlds.bobsleigh.track import load_track
from gelenk.worlds.bobsleigh.track.facet_study import slide_through, valley
from gelenk.worlds.bobsleigh.track.mesh import ACROSS, ALONG, ruled_grid
from gelenk.worlds.bobsleigh.track.patch import patches
from gelenk.worlds.bobsleigh.track.section import PIECES
from gelenk.worlds.bobsleigh.track.smooth import sheet_of, smooth_grid


@pytest.fixture(scope="module")
def track():
    return load_track("s13")


def normals_of(mesh, triangles):
    """Twice the area vectors of triangles."""
    p = mesh.vertices[triangles]
    return np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])


def test_the_lofted_surface_is_straight_between_sections(track):
    """B-46: degree 1 along. Points of a ruling between two sections lie on the line between its ends."""
    points, _, _ = ruled_grid(track.patches[3])
    begin, end = points[0:-1:ALONG], points[ALONG::ALONG]
    for k in range(1, ALONG):
        between = points[k::ALONG]
        area = np.linalg.norm(np.cross(between - begin, between - end), axis=2)
        np.testing.assert_allclose(area / np.linalg.norm(end - begin, axis=2), 0.0, atol=1e-10)


def test_the_mesh_has_as_many_triangles_as_its_parts(track):
    """B-47: 35 strips x 3 x 2 in half a metre, but for pieces without length."""
    intervals = sum(len(patch.s) - 1 for patch in track.patches)
    assert intervals == 3280
    full = intervals * PIECES * ACROSS * ALONG * 2
    flat = sum((2 * ACROSS * ALONG) * int((p.banking[:-1] + p.banking[1:] == 0.0).sum()) for p in track.patches)
    assert full - flat >= track.mesh.boards > 0.99 * (full - flat)


@pytest.mark.parametrize("kind", ["mesh", "smooth_mesh"])
def test_meshes_are_tight_and_turned_to_the_driving_side(track, kind):
    """No triangle without area; each edge within a patch has one triangle on either side, which run along it both ways.

    What is left over are edges of rims and ends: as many as the grids have there.
    """
    mesh = getattr(track, kind)
    channel = mesh.triangles[: mesh.boards]
    n = normals_of(mesh, channel)
    assert np.linalg.norm(n, axis=1).min() > 1e-9
    middle = track.line.at(mesh.s[channel[:, 0]]).position + np.array([0.0, 0.0, 1.0])
    inner = ((middle - mesh.vertices[channel[:, 0]]) * n).sum(axis=1)
    assert (inner > 0.0).all()  # the whole channel is seen from 1 m above its line
    places = np.round(mesh.vertices / 1e-8).astype(np.int64)
    order = np.lexsort(places.T)
    key = np.empty(len(order), dtype=np.int64)
    key[order] = np.cumsum(np.append(False, (np.diff(places[order], axis=0) != 0).any(axis=1)))
    edges = np.concatenate([np.stack((channel[:, i], channel[:, (i + 1) % 3]), axis=1) for i in range(3)])
    merged, count = key[edges], len(mesh.vertices)
    merged, at = merged[merged[:, 0] != merged[:, 1]], edges[merged[:, 0] != merged[:, 1]]
    way, back = merged[:, 0] * count + merged[:, 1], merged[:, 1] * count + merged[:, 0]
    assert len(np.unique(way)) == len(way)  # never twice the same way
    single = ~np.isin(back, way)
    ends = np.concatenate([[p.s[0], p.s[-1]] for p in track.patches])
    s, v = mesh.s[at[single]], mesh.across[at[single]]
    at_end = np.isin(s, ends).all(axis=1)
    rim = ((v <= 1.0) | (v >= 6.0)).all(axis=1)
    assert (at_end | rim).all()
    assert (~at_end).sum() <= 2 * ALONG * 3280  # each rim once


def test_floors_of_patches_meet_without_a_step(track):
    """Where a left curve follows a right one floors and fillets lie on the same lines; rims differ by 5 cm (8.5)."""
    grids = [ruled_grid(patch)[0] for patch in track.patches]
    for (a, before), (b, after) in zip(zip(track.patches, grids), list(zip(track.patches, grids))[1:]):
        line = track.line.at(b.s[0])
        for points in (before[-1], after[0]):
            x = -((points - line.position) * line.left).sum(axis=1)
            floor = np.abs(x) < 0.599
            np.testing.assert_allclose(points[floor, 2], line.position[0, 2], atol=1e-12)
        if a.turn == b.turn:
            np.testing.assert_allclose(after[0], before[-1], atol=1e-9)
        else:
            assert abs(after[0, 0, 2] - before[-1, 0, 2]) == pytest.approx(0.053, abs=0.003)


def test_boards_stand_where_they_should(track):
    """B-48: extra walls upright on inner rims, planking that leans over the banked side, closed ramps on the right."""
    mesh = track.mesh
    boards = mesh.triangles[mesh.boards :]
    s, v = mesh.s[boards].mean(axis=1), mesh.across[boards].mean(axis=1)
    top = np.unique(boards[mesh.across[boards] == 8.0])
    place = track.line.project(mesh.vertices[top])
    ramp = (mesh.s[top] >= 300.0) & (mesh.s[top] <= 308.0)
    assert ramp.sum() == 8 * 2 * ALONG + 1
    rim = track.patches[3].points[np.searchsorted(track.patches[3].s, 304.0), -1, 2]
    assert mesh.vertices[top][ramp][8 * ALONG, 2] - rim == pytest.approx(1.0, abs=1e-9)  # inner rim of a right curve
    assert (place.left[ramp] < 0.0).all()
    rims = track.patches[2].points[:, -1][np.searchsorted(track.patches[2].s, 237.0)]
    k = np.argmin(np.abs(mesh.s[top] - 237.0))
    reach = mesh.vertices[top][k] - rims
    assert np.linalg.norm(reach) == pytest.approx(0.8, abs=1e-9)
    assert reach @ track.line.at(237.0).left[0] > 0.3  # inwards
    assert reach[2] > 0.3
    # boards of the left and of the right look inwards
    n = normals_of(mesh, boards)
    side = (n * track.line.at(s).left).sum(axis=1)
    assert ((side > 0.0) == (v > 3.5)).all()


def segments_at(points, normals, back=0.03, length=0.1):
    """Segments along the normals that begin ``back`` behind the points."""
    return np.ascontiguousarray(points - back * normals), np.ascontiguousarray(length * normals)


def crossings(sheet, start, way, memory=None):
    """Shares, normals and memory of the crossings of segments."""
    memory = np.full((len(start), 2), np.nan) if memory is None else memory.copy()
    tau, n = np.empty(len(start)), np.empty((len(start), 3))
    segments_sheet(sheet, start, way, memory, tau, n)
    return tau, n, memory


@pytest.fixture(scope="module")
def spots(track):
    """Points of the smooth surface away from rims, with their normals."""
    mesh = track.smooth_mesh
    rng = np.random.default_rng(7)
    k = rng.integers(0, len(mesh.vertices), 3000)
    border = (
        np.abs(mesh.s[k, None] - [p.s[0] for p in track.patches]).min(axis=1) < 1e-6
    )  # where walls step by 2 degrees
    k = k[(mesh.across[k] > 1.2) & (mesh.across[k] < 5.8) & ~border]
    return mesh.vertices[k], mesh.normals[k], mesh.s[k], mesh.across[k]


def test_segments_cross_the_sheet_where_it_is(track, spots):
    """From a cold start: 30 mm behind each point begins a segment of 100 mm, so tau = 0.3; to Newton's tolerance."""
    points, normals, s, _ = spots
    start, way = segments_at(points, normals)
    tau, n, memory = crossings(track.sheet, start, way)
    np.testing.assert_allclose(tau, 0.3, atol=1e-6)
    # curved as 1 / 0.1 m at fillets, the normal changes by 1e-8 m x 10 / m at the last step
    np.testing.assert_allclose(n, normals, atol=1e-6)
    np.testing.assert_allclose(memory[:, 0], s, atol=1e-6)


def test_a_warm_start_gives_what_a_cold_one_gives(track, spots):
    """A step of 8 mm along the track, over pieces, cells and patches."""
    points, normals, _, _ = spots
    start, way = segments_at(points, normals)
    _, _, memory = crossings(track.sheet, start, way)
    at = track.line.at(memory[:, 0])
    moved = start + 0.008 * (at.forward + at.slope[:, None] * [0.0, 0.0, 1.0])
    cold, warm = crossings(track.sheet, moved, way), crossings(track.sheet, moved, way, memory)
    np.testing.assert_allclose(warm[0], cold[0], atol=1e-9)
    np.testing.assert_allclose(warm[1], cold[1], atol=1e-6)


def test_only_segments_that_come_out_of_the_ice_count(track, spots):
    """Neither one in the air, nor one in the ice, nor one that goes in."""
    points, normals, _, _ = spots
    for back, length in ((-0.02, 0.1), (0.2, 0.1), (-0.05, -0.1)):
        tau, _, _ = crossings(track.sheet, *segments_at(points, normals, back, length))
        assert np.isinf(tau).all()


def test_normals_are_those_of_differences(track):
    """Normals against central differences of the points beside, of order 2 in the distance."""
    patch, errors = track.patches[3], []
    for parts in (8, 16):
        points, normals, _, _ = smooth_grid(track.sheet, patch, parts)
        middle = points[:, 17]  # within the banking
        along = middle[2:] - middle[:-2]
        cosine = (along * normals[1:-1, 17]).sum(axis=1) / np.linalg.norm(along, axis=1)
        errors.append(np.abs(cosine[20:-20]).max())
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] > 3.0


def test_mesh_and_sheet_agree_to_the_order_of_the_facets(track):
    """Both meet in the sections; between them a chord of 0.5 m lies  L^2/8 |d2S/ds2|  beside the surface: 1.2 mm in a
    circle of 27 m, and where banking begins to grow by  3.1 m x tau'',  tau'' = 6/L^2,  1.4 mm more at L = 20 m.
    """
    smooth, ruled = track.smooth_mesh.vertices, track.mesh.vertices
    away = np.linalg.norm(smooth - ruled, axis=1)
    sections = np.concatenate([np.arange(3 * (len(p.s) - 1) + 1) % ALONG == 0 for p in track.patches])
    on_section = np.repeat(sections, PIECES * ACROSS + 1)
    channel = away[: len(on_section)]
    inner = (track.mesh.across[: len(on_section)] > 1.0) & (track.mesh.across[: len(on_section)] < 6.0)
    assert channel[on_section & inner].max() < 1e-9
    assert (
        channel[on_section].max() < 3e-3
    )  # top pieces that begin below 1 mm are left out; they grow by 2 mm a section
    assert 1.0e-3 < channel[np.tile(inner[:36], len(sections))].max() < 2.6e-3


def test_the_sheet_converges_with_order_four_along_the_track(track):
    """In the arc of curve 13, where sections and gradient stay the same, against the section put where it belongs.

    Ends of the arc and of gradients are 22 m away: what their kinks stir up decays by 0.27 a section.
    """
    curve, errors = track.curves[12], []
    s = np.linspace(1282.0, 1298.0, 101)
    assert curve.bend + curve.entry_length == 1259.0
    assert np.ptp(track.line.at(s).slope) < 1e-12
    for spacing in (3.0, 1.5, 0.75):
        sheet = sheet_of(patches(track.line, track.sections, spacing))
        at = track.line.at(s)
        P = track.sections.sections(track.line, curve, s)[0][:, 10] * [-1.0, 1.0]  # where the upper circle ends
        exact = at.position - P[:, :1] * at.left + P[:, 1:] * np.array([0.0, 0.0, 1.0])
        start, way = segments_at(exact, -at.left)
        tau, _, _ = crossings(sheet, start, way)
        errors.append(np.abs(tau - 0.3).max() * 0.1)
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(orders, 4.0, atol=0.3)


def test_facets_cost_speed_and_the_sheet_does_not():
    """Bobsleigh 8.4: edges  ds  apart act like friction  ds/(2 R),  measured along the slope; the sheet loses what the
    steps of the method do,  v h/(2 R),  of order h, whatever the spacing.
    """
    radius, speed, h = 30.0, 30.0, 2e-4
    mean = math.tan(0.9 * math.atan(0.8)) / (0.9 * math.atan(0.8))  # of 1 / cos(slope) over the angle, about
    for spacing in (0.5, 1.0 / 6.0):
        ruled = slide_through(valley(radius, spacing, True), radius, speed, h)
        lowest, highest = 0.95 * spacing / (2.0 * radius), 1.05 * mean * spacing / (2.0 * radius)
        assert lowest < ruled.friction < highest
        assert slide_through(valley(radius, spacing, True), radius, speed, 2.0 * h).friction == pytest.approx(
            ruled.friction, rel=1e-6
        )
    coarse, fine = (slide_through(valley(radius, 0.5, False), radius, speed, step).friction for step in (2 * h, h))
    assert fine == pytest.approx(speed * h / (2.0 * radius), rel=0.03)
    assert coarse / fine == pytest.approx(2.0, rel=0.03)
