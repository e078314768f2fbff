"""Convex pieces of meshes (V-27, H-61): they hold the mesh, weigh as it does, and are kept beside it."""

import os
from pathlib import Path

import numpy as np
import pytest

import gelenk as gk
from gelenk.geometry import decomposition
from gelenk.geometry.car_body import car_body

THRESHOLD = 0.08
HELD = 2e-4  # hulls of pieces leave out points that stand out by less, in half extents (measured: 1e-4)
L_SHAPE = gk.TriangleMesh.from_polygons(
    [(x, y, z) for z in (0.0, 1.0) for x, y in ((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2))],
    [(5, 4, 3, 2, 1, 0), (6, 7, 8, 9, 10, 11), *((i, (i + 1) % 6, 6 + (i + 1) % 6, 6 + i) for i in range(6))],
)


def write_obj(path, mesh):
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    lines += ["f {} {} {}".format(*(i + 1 for i in face)) for face in mesh.faces.tolist()]
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def car():
    return car_body(1)


@pytest.fixture(scope="module")
def pieces(car):
    return gk.decompose(car, threshold=THRESHOLD)


@pytest.fixture(scope="module")
def angle():
    return gk.decompose(L_SHAPE)


def outside(compound, points):
    """How far points lie outside the nearest hull [m], by its planes: at most the true distance."""
    gaps = [(points @ hull.normals.T - hull.offsets).max(axis=1) for hull, _, _ in compound.children]
    return np.min(gaps, axis=0)


def test_car_body_is_closed_symmetric_and_not_convex():
    for detail, least in ((1, 1000), (2, 4000)):
        car = car_body(detail)
        assert len(car.faces) >= least
        # mirrored in y: only rounding is left of the middle
        assert abs(car.mass_properties(1.0).com[1]) < 1e-14
    mass, hull = car.mass_properties(1.0).mass, gk.ConvexHull(car.vertices).mass_properties(1.0).mass
    assert 1.05 * mass < hull


def test_pieces_hold_the_mesh_and_weigh_as_it_does(car, pieces):
    """Hulls of parts of the mesh hold it, and stand out by the threshold at most.

    The threshold counts in half extents, 2.1 m here; over half of the surface (the rest is convex) it makes the most
    that volume can grow by.
    """
    assert len(pieces.children) > 1
    assert {shape.kind for shape, _, _ in pieces.children} == {"hull"}
    assert outside(pieces, car.vertices).max() < HELD * 2.1
    assert outside(pieces, car.vertices[car.faces].mean(axis=1)).max() < HELD * 2.1
    found, exact = pieces.mass_properties(1.0), car.mass_properties(1.0)
    a, b, c = np.moveaxis(car.vertices[car.faces], 1, 0)
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
    assert exact.mass - HELD * 2.1 * area < found.mass < exact.mass + THRESHOLD * 2.1 * 0.5 * area
    # measured: 2 % more mass, the middle 6 mm off, moments 4 % larger
    assert found.mass < 1.03 * exact.mass
    np.testing.assert_allclose(found.com, exact.com, atol=0.02)
    np.testing.assert_allclose(np.diag(found.inertia), np.diag(exact.inertia), rtol=0.06)


def test_an_angle_falls_into_two_boxes(angle):
    assert len(angle.children) == 2
    found, exact = angle.mass_properties(1.0), L_SHAPE.mass_properties(1.0)
    # cuts go through the inner edge within the resolution of the search, a share of the extent of 2 m
    assert found.mass == pytest.approx(exact.mass, rel=0.01)
    np.testing.assert_allclose(found.inertia, exact.inertia, atol=0.01 * exact.inertia.max())


def test_one_piece_is_the_hull_and_far_places_do_not_matter():
    shifted = gk.TriangleMesh(L_SHAPE.vertices + 1e4, L_SHAPE.faces)
    one = gk.decompose(shifted, most_pieces=1)
    assert len(one.children) == 1
    assert one.mass_properties(1.0).mass == pytest.approx(
        gk.ConvexHull(shifted.vertices).mass_properties(1.0).mass, rel=3 * HELD
    )


def test_kept_beside_the_file_and_read_again(tmp_path, monkeypatch):
    path = write_obj(tmp_path / "angle.obj", L_SHAPE)
    made = gk.decompose(path, seed=3)
    (kept,) = tmp_path.glob("angle.obj.pieces-*.npz")
    assert gk.decompose(L_SHAPE, seed=3) == made  # in another process, without a file
    before = kept.read_bytes()

    with monkeypatch.context() as no_search:
        no_search.setattr(decomposition, "_search", None)
        assert gk.decompose(str(path), seed=3) == made
        with pytest.raises(TypeError):
            gk.decompose(path, seed=4)  # other options are another file

    searches = []
    monkeypatch.setattr(decomposition, "_search", lambda *args: searches.append(args) or made)
    damages = (before[:-30], b"", before.replace(before[200:210], bytes(10)), b"PK" + bytes(50))
    for damage in damages:
        kept.write_bytes(damage)
        assert gk.decompose(path, seed=3) == made
        assert decomposition._read(kept, decomposition._key(*searches[-1][1:])) == made  # written anew
    assert len(searches) == len(damages)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(("angle.obj", kept.name))


def test_pieces_of_another_mesh_are_not_taken(tmp_path, angle, monkeypatch):
    path = write_obj(tmp_path / "angle.obj", L_SHAPE)
    monkeypatch.setattr(decomposition, "_search", lambda *args: angle)
    assert gk.decompose(path) == angle
    (kept,) = tmp_path.glob("*.npz")
    with np.load(kept) as data:
        content = {name: data[name] for name in data.files}
    assert content["key"].item().startswith(kept.name.split("-")[-1].removesuffix(".npz"))
    for name, value in (
        ("key", np.array("0" * 64)),
        ("first", content["first"][:-1]),
        ("points", np.full((16, 3), np.nan)),
    ):
        np.savez(kept, **{**content, name: value})
        assert decomposition._read(kept, content["key"].item()) is None
    np.savez(kept, **{**content, "key": np.array([object()])}, allow_pickle=True)
    assert decomposition._read(kept, content["key"].item()) is None
    assert gk.decompose(path) == angle


def test_where_the_folder_is_not_writable(tmp_path, angle, monkeypatch, capsys):
    shared, own = tmp_path / "shared", tmp_path / "own"
    shared.mkdir()
    path = write_obj(shared / "angle.obj", L_SHAPE)
    monkeypatch.setenv("GELENK_CACHE_DIR", str(own))
    real = decomposition.tempfile.mkstemp

    def mkstemp(*args, dir=None, **options):
        if Path(dir) in refused:
            raise PermissionError(13, "Permission denied")
        return real(*args, dir=dir, **options)

    monkeypatch.setattr(decomposition.tempfile, "mkstemp", mkstemp)
    refused = [shared, own]
    monkeypatch.setattr(decomposition, "_search", lambda *args: angle)
    assert gk.decompose(path) == angle
    assert "the pieces are not kept" in capsys.readouterr().err
    refused = [shared]
    assert gk.decompose(path) == angle
    assert f"the pieces are kept as {own}" in capsys.readouterr().err
    assert [p.name for p in shared.iterdir()] == ["angle.obj"]
    monkeypatch.setattr(decomposition, "_search", None)
    assert gk.decompose(path) == angle


def test_an_interrupt_ends_the_search_and_leaves_no_file(tmp_path, angle, monkeypatch):
    path = write_obj(tmp_path / "angle.obj", L_SHAPE)
    started, real = [], decomposition.subprocess.Popen

    def popen(*args, **options):
        started.append(real(*args, **options))
        return started[-1]

    def interrupt(self, text):
        raise KeyboardInterrupt

    monkeypatch.setattr(decomposition.subprocess, "Popen", popen)
    monkeypatch.setattr(decomposition.Line, "show", interrupt)
    with pytest.raises(KeyboardInterrupt):
        gk.decompose(path)
    assert started[0].poll() is not None
    assert os.listdir(tmp_path) == ["angle.obj"]

    monkeypatch.undo()
    monkeypatch.setattr(decomposition, "_search", lambda *args: angle)
    monkeypatch.setattr(decomposition.os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        gk.decompose(path)
    assert os.listdir(tmp_path) == ["angle.obj"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"threshold": 0.0}, "threshold is 0.0"),
        ({"threshold": float("nan")}, "threshold is nan"),
        ({"most_pieces": 0}, "most_pieces is 0"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(gk.InputError, match=words):
        gk.decompose(L_SHAPE, **options)


def test_a_search_that_fails_says_why(monkeypatch, tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text("raise SystemExit('out of luck')")
    monkeypatch.setattr(decomposition.decomposition_worker, "__file__", str(broken))
    with pytest.raises(gk.InputError, match=r"code 1: out of luck.*closed mesh"):
        gk.decompose(L_SHAPE)


@pytest.mark.proof
def test_finer_pieces_of_a_finer_car():
    car = car_body(2)
    made = gk.decompose(car, threshold=0.05)
    assert len(made.children) > 8
    assert outside(made, car.vertices).max() < HELD * 2.1
    assert made.mass_properties(1.0).mass == pytest.approx(car.mass_properties(1.0).mass, rel=0.012)
