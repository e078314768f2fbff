"""Surfaces: interpolation, smoothness, order on sphere, torus and paraboloid, normals, nearest points."""

import math
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from gelenk.compile import ENABLED, kernel
from gelenk.errors import InputError
from gelenk.geometry.surface import Surface
from gelenk.geometry.surface_eval import (
    Surfaces,
    nearest_on_surface,
    pack_surfaces,
    surface_foot,
    surface_normal,
    surface_point,
)
from gelenk.math.vec3 import get3, put3

EPS = 2.0**-52
RING, TUBE = 1.0, 0.4  # of the torus [m]
S, SU, SV, SUU, SUV, SVV, NORMAL = range(7)


@kernel
def evaluate(surfaces, k, uv, out):
    """Rows S, S_u, S_v, S_uu, S_uv, S_vv and the normal for every (u, v)."""
    for i in range(uv.shape[0]):
        p, pu, pv, puu, puv, pvv = surface_point(surfaces, k, uv[i, 0], uv[i, 1])
        put3(out[i], 0, p)
        put3(out[i], 1, pu)
        put3(out[i], 2, pv)
        put3(out[i], 3, puu)
        put3(out[i], 4, puv)
        put3(out[i], 5, pvv)
        put3(out[i], 6, surface_normal(surfaces, k, uv[i, 0], uv[i, 1]))


@kernel
def search(surfaces, k, p, guess, uv_out):
    for i in range(guess.shape[0]):
        u, v = surface_foot(surfaces, k, get3(p, i), guess[i, 0], guess[i, 1])
        uv_out[i, 0] = u
        uv_out[i, 1] = v


def values(surfaces, uv, k=0, entry=evaluate):
    surfaces = surfaces if isinstance(surfaces, Surfaces) else pack_surfaces([surfaces])
    uv = np.ascontiguousarray(np.reshape(uv, (-1, 2)), dtype=np.float64)
    out = np.full((len(uv), 7, 3), np.nan)
    entry(surfaces, k, uv, out)
    return out.swapaxes(0, 1)


def feet(surfaces, p, guess, k=0, entry=search):
    surfaces = surfaces if isinstance(surfaces, Surfaces) else pack_surfaces([surfaces])
    out = np.full(np.shape(guess), np.nan)
    entry(surfaces, k, np.ascontiguousarray(p), np.ascontiguousarray(guess, dtype=np.float64), out)
    return out


def dot(a, b):
    return (a * b).sum(axis=-1)


def norm(a):
    return np.linalg.norm(a, axis=-1)


def torus_point(a, b):
    r = RING + TUBE * math.cos(b)
    return r * math.cos(a), r * math.sin(a), TUBE * math.sin(b)


def torus(m, n):
    turn = (0.0, 2.0 * math.pi)
    return Surface.from_function(torus_point, turn, turn, (m, n), closed_u=True, closed_v=True)


def sphere_point(a, b):
    return math.cos(b) * math.cos(a), math.cos(b) * math.sin(a), math.sin(b)


def sphere(m, n, edge=1.2):
    """A ball without its caps; with edge = pi/2 its poles belong to it."""
    return Surface.from_function(sphere_point, (0.0, 2.0 * math.pi), (-edge, edge), (m, n), closed_u=True)


def bowl_point(x, y):
    return x, y, 0.3 * x * x + 0.2 * x * y - 0.4 * y * y


def bowl(m, n):
    """A quadratic surface: a bicubic spline of at least three points each way is exact."""
    return Surface.from_function(bowl_point, (-1.0, 1.0), (-1.5, 1.5), (m, n))


def waves(m, n):
    return Surface.from_function(
        lambda x, y: (x, y, 0.2 * math.sin(2.0 * x) * math.cos(1.5 * y)), (-2.0, 2.0), (-2.0, 2.0), (m, n)
    )


def hills():
    """Uneven random heights, closed along v into a tube."""
    random = np.random.default_rng(3)
    r = 1.0 + 0.3 * random.random((7, 9))
    a = 2.0 * math.pi * np.arange(9) / 9
    return Surface(np.stack((r * np.cos(a), r * np.sin(a), np.arange(7)[:, None] + 0.0 * r), axis=-1), closed_v=True)


SURFACES = {
    "torus": torus(24, 16),
    "sphere": sphere(24, 12),
    "bowl": bowl(5, 4),
    "waves": waves(12, 13),
    "hills": hills(),
    "plate": Surface([[(0, 0, 0), (0, 1, 0)], [(2, 0, 0), (2, 1, 0)]]),
    "pipe": Surface.from_function(
        lambda a, z: (math.cos(a), math.sin(a), z), (0.0, 2.0 * math.pi), (0.0, 3.0), (20, 2), closed_u=True
    ),
}
every_surface = pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES.keys())


def inside(surface, count=200, seed=0):
    return np.random.default_rng(seed).uniform(0.0, surface.cells, (count, 2))


def around(surface, count=200, seed=0):
    """Also one cell beyond the edges."""
    return np.random.default_rng(seed).uniform(-1.0, np.array(surface.cells) + 1.0, (count, 2))


# --- the spline ------------------------------------------------------------------------------------------------------


@every_surface
def test_goes_through_its_points(surface):
    points = np.array(surface.points)
    u, v = np.meshgrid(*(np.arange(n) for n in points.shape[:2]), indexing="ij")
    # nine control points with weights that sum to one; the net itself comes from a well-conditioned solve each way
    np.testing.assert_allclose(surface.at(u, v), points, rtol=0, atol=64 * EPS * np.abs(points).max())


@every_surface
def test_derivatives_match_finite_differences(surface):
    uv = around(surface)
    uv = np.floor(uv) + 0.1 + 0.8 * (uv - np.floor(uv))  # third derivatives jump at grid lines
    h = 1e-3
    net = np.abs(surface.control).max()
    at = values(surface, uv)

    def difference(row, direction):
        step = h * np.array(direction)
        return (values(surface, uv + step)[row] - values(surface, uv - step)[row]) / (2 * h)

    # central differences of a cubic err by h^2/6 times its third derivative; one cell beyond the edge all is larger
    third = 8.0 * 64.0 * net
    tolerance = h * h * third + 64 * EPS * net * 64 / h
    for row, direction, expected in (
        (S, (1, 0), SU),
        (S, (0, 1), SV),
        (SU, (1, 0), SUU),
        (SU, (0, 1), SUV),
        (SV, (1, 0), SUV),
        (SV, (0, 1), SVV),
    ):
        np.testing.assert_allclose(difference(row, direction), at[expected], rtol=0, atol=tolerance)


@every_surface
def test_second_derivatives_are_continuous_at_grid_lines_and_seams(surface):
    d = 1e-12
    random = np.random.default_rng(1)
    for axis, (cells, closed) in enumerate(zip(surface.cells, (surface.closed_u, surface.closed_v))):
        lines = np.arange(cells + 1) if closed else np.arange(1, cells)
        if not len(lines):
            continue
        uv = random.uniform(0.0, surface.cells, (len(lines), 2))
        uv[:, axis] = lines
        step = np.zeros(2)
        step[axis] = d
        left, right = values(surface, uv - step), values(surface, uv + step)
        # within 2 d the second derivatives change by third derivatives, at most 8 |net| each way
        net = np.abs(surface.control).max()
        np.testing.assert_allclose(left[:NORMAL], right[:NORMAL], rtol=0, atol=(2 * d * 16 + 64 * EPS) * net)


def test_beyond_an_open_edge_the_last_polynomial_goes_on():
    uv = np.array([(-0.5, 1.0), (4.7, 1.5), (2.0, -0.8), (1.0, 3.6), (-0.6, 3.9)])
    surface = bowl(5, 4)
    x, y = -1.0 + 0.5 * uv[:, 0], -1.5 + uv[:, 1]
    exact = np.array([bowl_point(*xy) for xy in zip(x, y)])
    np.testing.assert_allclose(values(surface, uv)[S], exact, rtol=0, atol=64 * EPS * 4.0)
    np.testing.assert_allclose(surface.at(*uv.T), exact, rtol=0, atol=64 * EPS * 4.0)


def test_closed_direction_repeats():
    surface = torus(24, 16)
    uv = inside(surface, 50)
    once = values(surface, uv)
    for turns in ((1, 0), (0, -2), (-30, 50)):
        shifted = values(surface, uv + np.array(turns) * surface.cells)
        np.testing.assert_allclose(shifted, once, rtol=0, atol=8 * EPS * 50 * 24)


@every_surface
def test_python_side_agrees_with_the_compiled_one(surface):
    uv = around(surface)
    compiled = values(surface, uv)
    net = np.abs(surface.control).max()
    # beyond the edge weights grow to 19 in each direction
    np.testing.assert_allclose(surface.at(*uv.T), compiled[S], rtol=0, atol=64 * EPS * 19 * net)
    cross = norm(np.cross(compiled[SU], compiled[SV])).min()
    bound = 64 * EPS * (19 * net) ** 2 / cross
    np.testing.assert_allclose(surface.normal(*uv.T), compiled[NORMAL], rtol=0, atol=bound)
    assert surface.at(0.25, np.zeros((2, 4))).shape == (2, 4, 3)
    assert surface.at(0.5, 0.5).shape == (3,)


# --- order -----------------------------------------------------------------------------------------------------------


def observed_order(errors):
    errors = np.array(errors)
    return np.log2(errors[:-1] / errors[1:])


def torus_normal(p):
    ring = np.stack((p[:, 0], p[:, 1], 0.0 * p[:, 0]), axis=-1)
    n = p - RING * ring / norm(ring)[:, None]
    return n / norm(n)[:, None]


@pytest.mark.parametrize("kind", ["torus", "sphere"])
def test_converges_with_fourth_order_and_its_normals_with_third(kind):
    errors, tilts = [], []
    t = np.stack(np.meshgrid(np.linspace(0, 1, 83), np.linspace(0, 1, 83), indexing="ij"), axis=-1).reshape(-1, 2)
    for count in (16, 32, 64):
        surface = torus(count, count) if kind == "torus" else sphere(count, count + 1)
        out = values(surface, t * surface.cells)
        if kind == "torus":
            exact = np.array([torus_point(*ab) for ab in 2.0 * math.pi * t])
            normal = torus_normal(exact)
        else:
            exact = np.array([sphere_point(2.0 * math.pi * a, 2.4 * b - 1.2) for a, b in t])
            normal = exact
        errors.append(norm(out[S] - exact).max())
        tilts.append(norm(out[NORMAL] - normal).max())
    np.testing.assert_allclose(observed_order(errors), 4.0, rtol=0, atol=0.3)
    np.testing.assert_allclose(observed_order(tilts), 3.0, rtol=0, atol=0.5)


def test_paraboloid_is_exact():
    surface = bowl(5, 4)
    uv = inside(surface)
    x, y = -1.0 + 0.5 * uv[:, 0], -1.5 + uv[:, 1]
    out = values(surface, uv)
    one, none = np.ones_like(x), np.zeros_like(x)
    # one grid line is 0.5 m along x and 1 m along y
    expected = {
        S: (x, y, 0.3 * x * x + 0.2 * x * y - 0.4 * y * y),
        SU: (0.5 * one, none, 0.5 * (0.6 * x + 0.2 * y)),
        SV: (none, one, 0.2 * x - 0.8 * y),
        SUU: (none, none, 0.25 * 0.6 * one),
        SUV: (none, none, 0.5 * 0.2 * one),
        SVV: (none, none, -0.8 * one),
    }
    for row, columns in expected.items():
        np.testing.assert_allclose(out[row], np.stack(columns, axis=-1), rtol=0, atol=64 * EPS * 2.0)
    n = np.stack((-(0.6 * x + 0.2 * y), -(0.2 * x - 0.8 * y), one), axis=-1)
    np.testing.assert_allclose(out[NORMAL], n / norm(n)[:, None], rtol=0, atol=256 * EPS)


def test_two_lines_are_joined_straight_and_three_by_parabolas():
    plate = SURFACES["plate"]
    np.testing.assert_allclose(plate.at([0.25, -1.0, 3.0], [0.5, 0.0, 2.0]), [(0.5, 0.5, 0), (-2, 0, 0), (6, 2, 0)])
    arch = Surface([[(x, y, x * x) for y in (0.0, 1.0)] for x in (0.0, 1.0, 2.0)])
    np.testing.assert_allclose(arch.at(1.5, 0.5), (1.5, 0.5, 2.25), rtol=0, atol=16 * EPS)


def test_normal_is_unit_and_across():
    for surface in SURFACES.values():
        out = values(surface, inside(surface))
        np.testing.assert_allclose(norm(out[NORMAL]), 1.0, rtol=0, atol=4 * EPS)
        # rounding of the cross product, against its size
        sine = norm(np.cross(out[SU], out[SV])) / (norm(out[SU]) * norm(out[SV]))
        for row in (SU, SV):
            bound = 8 * EPS * norm(out[row]) / sine
            assert (np.abs(dot(out[NORMAL], out[row])) <= bound).all()


@pytest.mark.parametrize("entry", [evaluate, evaluate.python], ids=["compiled", "python"])
def test_normal_at_a_pole_is_zero_where_the_cross_product_is(entry):
    """A fan of straight lines from one point: there S_u vanishes to the last bit."""
    fan = Surface([[(0.0, 0.0, 0.0), (1.0, y, 0.0)] for y in (-1.0, 0.0, 1.0)])
    out = values(fan, [(0.5, 0.0), (0.5, 0.5)], entry=entry)
    np.testing.assert_array_equal(out[NORMAL], [(0, 0, 0), (0, 0, -1)])
    np.testing.assert_array_equal(fan.normal(0.5, [0.0, 0.5]), out[NORMAL])


# --- nearest points --------------------------------------------------------------------------------------------------


def brute_force(surface, p, low, high, count=101):
    lines = (np.linspace(a, b, count) for a, b in zip(low, high))
    uv = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 2)
    distance = norm(surface.at(*uv.T) - p)
    return uv[np.argmin(distance)], distance.min(), (np.array(high) - np.array(low)) / (count - 1)


@pytest.mark.parametrize("name", ["torus", "sphere", "bowl", "waves", "hills"])
def test_foot_is_the_nearest_point_nearby(name):
    surface = SURFACES[name]
    random = np.random.default_rng(2)
    uv = random.uniform(0.5, np.array(surface.cells) - 0.5, (30, 2))
    at = values(surface, uv)
    p = at[S] + random.uniform(-0.1, 0.1, (30, 1)) * at[NORMAL] + 0.01 * random.normal(size=(30, 3))
    found = feet(surface, p, uv + random.uniform(-0.2, 0.2, (30, 2)))
    out = values(surface, found)
    for row in (SU, SV):
        # rounding of p - S, along directions of this length
        assert (np.abs(dot(p - out[S], out[row])) <= 64 * EPS * 6.0 * norm(out[row])).all()
    for i in range(30):
        nearest, distance, spacing = brute_force(surface, p[i], found[i] - 0.5, found[i] + 0.5)
        # along a valley of the distance the best sample may lie a few spacings off
        assert (np.abs(found[i] - nearest) <= 4 * spacing).all()
        assert norm(p[i] - out[S][i]) <= distance + 64 * EPS * 6.0


@every_surface
def test_foot_of_a_point_on_the_surface_is_its_place(surface):
    """From guesses a tenth of a cell off."""
    uv = inside(surface)
    at = values(surface, uv)
    found = feet(surface, at[S], uv + np.random.default_rng(5).uniform(-0.1, 0.1, uv.shape))
    # rounding of S by the net, over the narrowest direction of a cell
    sine = norm(np.cross(at[SU], at[SV])) / (norm(at[SU]) * norm(at[SV]))
    narrow = (np.minimum(norm(at[SU]), norm(at[SV])) * sine).min()
    bound = 64 * EPS * (np.abs(surface.control).max() / narrow + max(surface.cells))
    np.testing.assert_allclose(found, uv, rtol=0, atol=bound)


def test_foot_on_a_torus_follows_over_many_turns():
    surface = torus(48, 32)
    packed, uv = pack_surfaces([surface]), np.zeros(2)
    a, b = np.linspace(0.0, 12.0 * math.pi, 1201), np.linspace(0.0, -20.0 * math.pi, 1201)
    r = RING + 0.55 * np.cos(b)
    for i, p in enumerate(np.stack((r * np.cos(a), r * np.sin(a), 0.55 * np.sin(b)), axis=-1)):
        uv = feet(packed, p[None], uv[None])[0]
        # normals err by h^3 / 24 of the fourth derivative each way; the perpendicular is 0.15 long on a tube of 0.4
        h = 2.0 * math.pi / 32
        np.testing.assert_allclose(uv * 2.0 * math.pi / surface.cells, (a[i], b[i]), rtol=0, atol=h**3 / 24)


def test_foot_beyond_an_open_edge_lies_on_the_continuation():
    surface = bowl(5, 4)
    uv = np.array([(-0.4, 1.0), (4.3, 2.0), (2.0, 3.4)])
    out = values(surface, uv)
    found = feet(surface, out[S] + 0.05 * out[NORMAL], np.clip(uv, 0.0, surface.cells))
    np.testing.assert_allclose(found, uv, rtol=0, atol=256 * EPS * 8.0)


@pytest.mark.parametrize(("name", "far"), [("torus", 0.05), ("torus", 1.0), ("torus", 20.0), ("hills", 5.0)])
def test_foot_never_leads_farther_away_and_ends_at_a_minimum(name, far):
    """From any guess and for any point, also within the curvature and far away."""
    surface, n = SURFACES[name], 600
    random = np.random.default_rng(7)
    guess = random.uniform(0.0, surface.cells, (n, 2))
    p = random.normal(size=(n, 3)) * far
    found = feet(surface, p, guess)
    before, after = values(surface, guess), values(surface, found)
    d = p - after[S]
    assert (norm(d) <= norm(p - before[S]) * (1.0 + 1e-9)).all()
    for row in (SU, SV):
        assert (np.abs(dot(d, after[row])) <= 1e-9 * norm(after[row]) * (1.0 + norm(d))).all()
    # Newton's matrix against the metric is not negative: no saddle, no farthest point
    a, b, c = (
        dot(after[x], after[y]) - dot(d, after[xy]) for x, y, xy in ((SU, SU, SUU), (SU, SV, SUV), (SV, SV, SVV))
    )
    assert (a > -1e-6 * (1.0 + norm(d))).all()
    assert (a * c - b * b > -1e-6 * (1.0 + norm(d)) ** 2).all()
    closed = np.array((surface.closed_u, surface.closed_v))
    assert (np.abs(found - guess) <= surface.cells)[:, closed].all()


def test_foot_keeps_to_its_turn_of_a_narrow_coil():
    """A ribbon wound about the z axis, and points near the axis."""
    pitch, cells = 0.01, 24
    ribbon = Surface.from_function(
        lambda a, b: (0.5 * math.cos(a), 0.5 * math.sin(a), pitch * a + b),
        (0.0, 16.0 * math.pi),
        (0.0, 0.02),
        (8 * cells + 1, 2),
    )
    random = np.random.default_rng(3)
    guess = random.uniform((3.0 * cells, 0.0), (5.0 * cells, 1.0), (1000, 2))
    p = ribbon.at(*guess.T) * (0.0, 0.0, 1.0) + random.normal(size=(1000, 3)) * (0.1, 0.1, 0.0)
    assert np.abs(feet(ribbon, p, guess) - guess)[:, 0].max() <= 0.55 * cells


def test_foot_near_a_pole_is_found_from_its_own_side():
    """From the other side of the pole a search may pass over it, onto the continuation."""
    surface = sphere(24, 13, edge=0.5 * math.pi)
    random = np.random.default_rng(9)
    a, b = random.uniform(0.0, 2.0 * math.pi, 12), random.uniform(1.2, 1.55, 12)
    direction = np.array([sphere_point(*ab) for ab in zip(a, b)])
    guess = np.stack((a * 12.0 / math.pi + random.uniform(-3.0, 3.0, 12), np.full(12, 11.0)), axis=-1)
    found = values(surface, feet(surface, 1.1 * direction, guess))[S]
    for p, foot in zip(1.1 * direction, found):
        nearest = surface.at(*nearest_on_surface(surface, p))
        # at the pole itself, an edge of the grid, the search is as good as its width
        assert norm(p - foot) <= norm(p - nearest) + 1e-12


def test_foot_at_the_centre_of_a_sphere_is_finite():
    surface = SURFACES["sphere"]
    guess = inside(surface, 20)
    found = feet(surface, np.zeros((20, 3)), guess)
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(found, feet(surface, np.zeros((20, 3)), guess))


@every_surface
def test_nearest_on_surface_agrees_with_brute_force(surface):
    random = np.random.default_rng(8)
    for p in random.uniform(-2.0, 2.0, (8, 3)):
        u, v = nearest_on_surface(surface, p)
        _, distance, _ = brute_force(surface, p, (0.0, 0.0), surface.cells, 161)
        assert 0.0 <= u <= surface.cells[0]
        assert 0.0 <= v <= surface.cells[1]
        assert norm(surface.at(u, v) - p) <= distance + 64 * EPS * 6.0


def test_nearest_on_surface_takes_edges_and_corners():
    plate = SURFACES["plate"]  # x = 2 u, y = v
    assert nearest_on_surface(plate, (5.0, -3.0, 1.0)) == (1.0, 0.0)
    # on an edge to the width of the search
    assert nearest_on_surface(plate, (-2.0, 0.3, 1.0)) == pytest.approx((0.0, 0.3), abs=4e-8)
    assert nearest_on_surface(plate, (0.5, 0.7, 9.0)) == pytest.approx((0.25, 0.7), abs=16 * EPS)


# --- packing and compiling -------------------------------------------------------------------------------------------


def test_packed_surfaces_give_the_same_bits_as_each_alone():
    packed = pack_surfaces(list(SURFACES.values()))
    for k, surface in enumerate(SURFACES.values()):
        uv = around(surface, 40)
        np.testing.assert_array_equal(values(packed, uv, k), values(surface, uv))
        p = values(surface, uv)[S] + 0.01
        np.testing.assert_array_equal(feet(packed, p, uv, k), feet(surface, p, uv))


def test_packed_arrays_have_the_types_kernels_expect():
    for surfaces in ([], [torus(5, 6)], [torus(5, 6), bowl(3, 4)]):
        packed = pack_surfaces(surfaces)
        for array in (packed.first, packed.cells_u, packed.cells_v):
            assert array.dtype == np.uint32
            assert array.shape == (len(surfaces),)
        assert packed.closed_u.dtype == packed.closed_v.dtype == np.bool_
        assert packed.control.dtype == np.float64
        # cells + 3 control lines each way: 8 x 9 of the torus, 5 x 6 of the bowl
        assert packed.control.shape == ({0: 0, 1: 72, 2: 102}[len(surfaces)], 3)
        assert all(array.flags.c_contiguous for array in packed)
        assert values(packed, np.empty((0, 2))).shape == (7, 0, 3)  # the kernel accepts them


@pytest.mark.parametrize("name", ["torus", "hills", "waves"])
def test_compiled_and_interpreted_give_the_same_bits(name):
    surface = SURFACES[name]
    uv = around(surface, 30)
    np.testing.assert_array_equal(values(surface, uv), values(surface, uv, entry=evaluate.python))
    # far off as well, so that modified steps and halvings are taken
    p = np.random.default_rng(9).normal(size=(30, 3))
    np.testing.assert_array_equal(feet(surface, p, uv), feet(surface, p, uv, entry=search.python))


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "python"])
@pytest.mark.parametrize("name", ["torus", "bowl"])
def test_not_a_number_stays_so(compiled, name):
    surface = SURFACES[name]
    entry, find = (evaluate, search) if compiled else (evaluate.python, search.python)
    out = values(surface, [(np.nan, 0.5), (0.5, np.nan)], entry=entry)
    assert np.isnan(out[S]).all()
    assert np.isnan(feet(surface, [(np.nan, 0.0, 0.0)], [(0.5, 0.5)], entry=find)).all()
    if ENABLED and compiled:  # Python warns where infinities cancel
        assert not np.isfinite(values(surface, [(np.inf, 0.5), (0.5, -np.inf)])[S]).any()


def test_importing_surfaces_loads_neither_compiler_nor_scipy():
    code = "import sys, gelenk.geometry.surface_eval; print([m for m in ('numba', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- data and input --------------------------------------------------------------------------------------------------


def test_surface_is_a_value():
    surface = bowl(5, 4)
    same = Surface(np.array(surface.points))
    assert surface == same == pickle.loads(pickle.dumps(surface))
    assert hash(surface) == hash(same)
    assert all(type(x) is float for row in same.points for point in row for x in point)
    ring = torus(5, 6)
    opened = replace(ring, closed_v=False)
    assert opened != ring
    assert (ring.cells, opened.cells) == ((5, 6), (5, 5))


def test_from_function_samples_the_function():
    assert bowl(3, 2).points[1][1] == bowl_point(0.0, 1.5)
    assert torus(5, 6).points[4][5] == torus_point(np.linspace(0, 2 * math.pi, 6)[4], np.linspace(0, 2 * math.pi, 7)[5])


GRID = np.array([[(x, y, 0.1 * x * y) for y in range(4)] for x in range(5)], dtype=np.float64)


def mended(i, j, point):
    grid = GRID.copy()
    grid[i, j] = point
    return grid


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Surface(GRID[:1]), "it has 1 grid lines along u; allowed: at least 2 in an open direction"),
        (lambda: Surface(GRID[:, :3], closed_v=True), "it has 3 grid lines along v; allowed: at least 4 in a closed"),
        (lambda: Surface(mended(2, 3, (0, math.nan, 0))), r"point \(2, 3\) is \(0.0, nan, 0.0\)"),
        (lambda: Surface(mended(1, 0, (0, 0, -math.inf))), r"point \(1, 0\) is"),
        (lambda: Surface(mended(1, 0, (0, 0, 1e200))), r"point \(1, 0\) is .*up to 1e\+100"),
        (lambda: Surface(GRID[[0, 1, 1, 2]]), r"the cell after point \(1, 0\) has no area"),
        (
            lambda: Surface(GRID[[0, 1, 2, 3, 0]], closed_u=True),
            r"the cell after point \(4, 0\) has no area.*by itself",
        ),
        (lambda: Surface(np.ones((3, 3, 3))), "has no area"),
        (lambda: Surface([[(0, 0, 0), (1, 0, 0)], [(0, 1, 0)]]), "points are not a grid"),
        (lambda: Surface(GRID[:, :, :2]), "points are not a grid"),
        (lambda: Surface(GRID[0]), "points are not a grid"),
        (lambda: Surface("abc"), "points are not a grid"),
        (lambda: Surface(np.empty((0, 0, 3))), "it has 0 grid lines"),
        (lambda: Surface(GRID, closed_u="yes"), "closed_u is 'yes'; allowed: true or false"),
        (lambda: Surface.from_function(None, (0, 1), (0, 1), (3, 3)), "function is None"),
        (lambda: Surface.from_function(bowl_point, (0, 1), (0, 1), 3), "shape is 3"),
        (lambda: Surface.from_function(bowl_point, (0, 1), (0, 1), (3, 1)), "shape along v is 1"),
        (lambda: Surface.from_function(bowl_point, (0, 1, 2), (0, 1), (3, 3)), "u_range is"),
        (lambda: Surface.from_function(bowl_point, (0, 1), (0, math.nan), (3, 3)), "v_range is nan"),
        (lambda: Surface.from_function(lambda a, b: (a, b), (0, 1), (0, 1), (3, 3)), r"function\(0.0, 0.0\)"),
        (lambda: nearest_on_surface(bowl(3, 3), (0, 1)), r"p is \(0, 1\)"),
    ],
)
def test_bad_input_is_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()
