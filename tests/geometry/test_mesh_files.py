"""Meshes from files: round trips, scenes, and files that lie, break or reach for something they should not."""

import ast
import base64
import json
import socket
import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh
from geometry_samples import EPS, icosphere, rotation_from

import gelenk.geometry
from gelenk.errors import InputError
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.mesh_files import load_mesh
from gelenk.geometry.shapes import Box, Cone

# values that float32 files hold exactly, so that a round trip is exact
BALL = (icosphere(3)[0].astype(np.float32).astype(np.float64), icosphere(3)[1])
FORMATS = ["ball.stl", "ball.obj", "ball.ply", "ball.glb", "ball.gltf"]


def as_trimesh(mesh):
    return trimesh.Trimesh(*mesh, process=False)


def write(path, mesh=BALL, **options):
    if path.suffix == ".gltf":
        for name, data in trimesh.exchange.gltf.export_gltf(trimesh.Scene(as_trimesh(mesh))).items():
            target = path if name.endswith(".gltf") else path.parent / name
            target.write_bytes(data)
    else:
        as_trimesh(mesh).export(path, **options)
    return path


def corners(mesh):
    """All triangles as coordinates, in an order of their own, so that numbering does not matter."""
    triangles = np.array([np.roll(t, -min(range(3), key=lambda k: tuple(t[k])), axis=0) for t in mesh[0][mesh[1]]])
    flat = triangles.reshape(-1, 9)
    return flat[np.lexsort(flat.T[::-1])]


@pytest.mark.parametrize("name", FORMATS)
def test_round_trip(tmp_path, name):
    """Every triangle comes back with its exact corners, and shared vertices are shared again."""
    mesh = load_mesh(write(tmp_path / name))
    assert (len(mesh.vertices), len(mesh.faces)) == (len(BALL[0]), len(BALL[1]))
    # OBJ and PLY are written as text with eight decimals
    atol = 1e-8 if name.endswith((".obj", ".ply")) else 0.0
    np.testing.assert_allclose(corners((mesh.vertices, mesh.faces)), corners(BALL), atol=atol, rtol=0)
    # the volume of 4 m^3 changes by its surface of 12 m^2 times that
    assert mesh.mass_properties(1.0).mass == pytest.approx(TriangleMesh(*BALL).mass_properties(1.0).mass, rel=3e-8)


@pytest.mark.parametrize(("name", "options"), [("a.stl", {"file_type": "stl_ascii"}), ("a.ply", {"encoding": "ascii"})])
def test_text_variants(tmp_path, name, options):
    mesh = load_mesh(write(tmp_path / name, **options))
    assert len(mesh.faces) == len(BALL[1])
    # eight decimals in the text
    np.testing.assert_allclose(corners((mesh.vertices, mesh.faces)), corners(BALL), atol=1e-8)


@pytest.mark.parametrize("name", FORMATS)
def test_two_loads_have_the_same_bits(tmp_path, name):
    path = write(tmp_path / name)
    assert load_mesh(path) == load_mesh(str(path))


def test_suffix_in_capitals(tmp_path):
    path = write(tmp_path / "ball.stl")
    assert load_mesh(path.rename(tmp_path / "BALL.STL")).kind == "mesh"


def test_scale_turns_millimetres_into_metres(tmp_path):
    path = write(tmp_path / "box.stl", Box((1000.0, 2000.0, 3000.0)).triangles())
    assert load_mesh(path, scale=1e-3).mass_properties(1.0).mass == pytest.approx(6.0, rel=10 * EPS)


def test_minus_zero_is_the_same_place(tmp_path):
    """An STL writes corners one by one, and -0 beside 0 is common after a mirror."""
    vertices, faces = Box((2.0, 2.0, 2.0)).triangles()
    soup = (vertices + 1.0)[faces].astype("<f4")
    soup[::2][soup[::2] == 0.0] = -0.0
    record = np.zeros(len(faces), dtype=[("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
    record["v"] = soup
    (tmp_path / "box.stl").write_bytes(bytes(80) + struct.pack("<I", len(faces)) + record.tobytes())
    assert len(load_mesh(tmp_path / "box.stl").vertices) == 8


def test_collapsed_triangle_vanishes(tmp_path):
    """A triangle with two corners at one point has no area, and the surface is closed without it."""
    vertices, faces = Box((2.0, 2.0, 2.0)).triangles()
    faces = np.concatenate((faces, [(0, 0, 3)])).astype(np.uint32)
    assert len(load_mesh(write(tmp_path / "box.stl", (vertices, faces))).faces) == 12


class TestObj:
    CUBE = """# a cube of squares, with everything a file may carry beside
mtllib ../../../etc/passwd
o cube
v -1 -1 -1
v 1 -1 -1 1.0
v 1 1 -1 0.5 0.5 0.5
v -1 1 -1
v -1 -1 1
v 1 -1 1
v 1 1 1
v -1 1 1
vt 0 0
vn 0 0 1
g sides
usemtl gold
s off
f 4/1 3/1 2/1 1/1
f 5//1 6//1 7//1 8//1
f 1/1/1 2/1/1 6/1/1 5/1/1
f 2 3 7 6
f 3 4 8 \\
  7
f -8 -4 -1 -5
"""

    def test_squares_and_extras(self, tmp_path):
        """H-53: polygons with all ways to write a corner; materials are passed over."""
        path = tmp_path / "cube.obj"
        path.write_text(self.CUBE)
        mesh = load_mesh(path)
        assert len(mesh.faces) == 12
        assert mesh.mass_properties(1.0).mass == pytest.approx(8.0, rel=4 * EPS)

    def test_polygon_that_is_not_convex(self, tmp_path):
        """H-53: an L-shaped prism, its ends as one polygon each, whichever corner comes first."""
        outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
        lines = [f"v {x} {y} {z}" for z in (0, 1) for x, y in outline]
        sides = [f"f {i + 1} {(i + 1) % 6 + 1} {(i + 1) % 6 + 7} {i + 7}" for i in range(6)]
        for start in range(6):
            ring = [(start + i) % 6 + 1 for i in range(6)]
            ends = ["f " + " ".join(map(str, ring[::-1])), "f " + " ".join(str(i + 6) for i in ring)]
            path = tmp_path / "l.obj"
            path.write_text("\n".join(lines + ends + sides))
            assert load_mesh(path).mass_properties(1.0).mass == pytest.approx(3.0, rel=20 * EPS)

    @pytest.mark.parametrize(
        ("old", "new", "line"),
        [
            ("v 1 1 1", "v 1 one 1", 10),
            ("v 1 1 1", "v 1 1", 10),
            ("f 2 3 7 6", "f 2 3", 20),
            ("f 2 3 7 6", "f 2 3 0 6", 20),
            ("f 2 3 7 6", "f 2 3 x 6", 20),
            ("f 2 3 7 6", "f 2 3 -9 6", 20),
            ("f -8 -4 -1 -5", "f -8 -4 -1 -50", 23),
        ],
    )
    def test_bad_line_is_named(self, tmp_path, old, new, line):
        path = tmp_path / "cube.obj"
        path.write_text(self.CUBE.replace(old, new))
        with pytest.raises(InputError) as caught:
            load_mesh(path)
        assert f"cube.obj:{line}: mesh 'cube.obj': a line reads {new!r}" in str(caught.value)

    def test_index_beyond_the_last_vertex(self, tmp_path):
        path = tmp_path / "cube.obj"
        path.write_text(self.CUBE.replace("f 2 3 7 6", "f 2 3 7 60"))
        with pytest.raises(InputError, match=r"cube.obj:\d+: .*a face has the corner 60; allowed: corners from 1 to 8"):
            load_mesh(path)


class TestPly:
    def text(self, outline, start=0):
        n = len(outline)
        ring = [(start + i) % n for i in range(n)]
        faces = [ring[::-1], [i + n for i in ring], *[[i, (i + 1) % n, (i + 1) % n + n, i + n] for i in range(n)]]
        rows = [f"{x} {y} {z}" for z in (0, 1) for x, y in outline] + [
            " ".join(map(str, [len(face), *face])) for face in faces
        ]
        head = f"ply\nformat ascii 1.0\nelement vertex {2 * n}\nproperty float x\nproperty float y\nproperty float z\n"
        return (
            head
            + f"element face {n + 2}\nproperty list uchar int vertex_indices\nend_header\n"
            + "\n".join(rows)
            + "\n"
        )

    def test_convex_polygons(self, tmp_path):
        """H-53: hexagons and squares in one file."""
        path = tmp_path / "a.ply"
        path.write_text(self.text([(2, 0), (1, 2), (-1, 2), (-2, 0), (-1, -2), (1, -2)]))
        assert load_mesh(path).mass_properties(1.0).mass == pytest.approx(12.0, rel=20 * EPS)

    def test_other_polygons_are_refused_not_folded(self, tmp_path):
        """H-53: a polygon that is not convex comes out right or not at all."""
        for start in range(6):
            path = tmp_path / "l.ply"
            path.write_text(self.text([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], start))
            with pytest.raises(InputError, match=r"not convex|no area"):
                load_mesh(path)


def gltf(nodes, *, mesh=None, roots=None, uri=None, **extra):
    """A glTF file with one mesh (a cone), placed by the given nodes."""
    vertices, faces = mesh or Cone(0.5, 1.0).triangles(8)
    points, indices = vertices.astype("<f4").tobytes(), faces.astype("<u4").tobytes()
    data = points + indices
    tree = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": list(range(len(nodes))) if roots is None else roots}],
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}],
        "images": [{"uri": "http://192.0.2.1/secret.png"}, {"uri": "../secret.png"}],
        "buffers": [
            {
                "uri": uri or "data:application/octet-stream;base64," + base64.b64encode(data).decode(),
                "byteLength": len(data),
            }
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(indices)},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": len(vertices)},
            {"bufferView": 1, "componentType": 5125, "type": "SCALAR", "count": faces.size},
        ],
    }
    tree.update(extra)
    return json.dumps(tree), data


class TestGltf:
    def load(self, tmp_path, *args, **options):
        path = tmp_path / "scene.gltf"
        path.write_text(gltf(*args, **options)[0])
        return load_mesh(path)

    def cone(self):
        vertices, faces = Cone(0.5, 1.0).triangles(8)
        return TriangleMesh(vertices.astype("<f4").astype(float), faces).mass_properties(1.0)

    def test_nodes_place_the_parts(self, tmp_path):
        """One mesh used twice, once below a parent that turns and shifts it: two shells where the nodes say."""
        quarter = [0.0, 0.0, np.sin(np.pi / 4), np.cos(np.pi / 4)]
        nodes = [
            {"mesh": 0, "translation": [3, 0, 0]},
            {"children": [2], "translation": [0, 5, 0], "rotation": quarter},
            {"mesh": 0, "translation": [1, 0, 0], "scale": [2, 2, 2]},
        ]
        mesh = self.load(tmp_path, nodes, roots=[0, 1])
        cone = self.cone()
        found = mesh.mass_properties(1.0)
        assert len(mesh.faces) == 2 * len(Cone(0.5, 1.0).triangles(8)[1])
        # twice as long is eight times as heavy; numbers near 5 pass through two products
        assert found.mass == pytest.approx(9 * cone.mass, rel=50 * EPS)
        R = rotation_from([1, 0, 0, 1])
        first = cone.com + np.array([3, 0, 0])
        second = np.array([0, 5, 0]) + R @ (2 * cone.com + np.array([1, 0, 0]))
        np.testing.assert_allclose(found.com, (first + 8 * second) / 9, atol=50 * EPS)

    def test_mirrored_part_is_not_inside_out(self, tmp_path):
        """A negative scale turns triangles round; beside a plain part the sum would be wrong without repair."""
        nodes = [{"mesh": 0}, {"mesh": 0, "translation": [4, 0, 0], "scale": [-1, 1, 1]}]
        found = self.load(tmp_path, nodes).mass_properties(1.0)
        assert found.mass == pytest.approx(2 * self.cone().mass, rel=50 * EPS)

    def test_surface_split_by_colour_closes_again(self, tmp_path):
        """One surface in two primitives, under a node that turns it: the seam merges to the last bit."""
        vertices, faces = icosphere(4)
        half = len(faces) // 2
        scene = trimesh.Scene()
        turn = np.eye(4)
        turn[:3, :3], turn[:3, 3] = rotation_from([0.3, 0.5, -0.2, 0.8]), (0.1, 0.2, 0.3)
        for name, part in (("a", faces[:half]), ("b", faces[half:])):
            scene.add_geometry(trimesh.Trimesh(vertices, part, process=False), geom_name=name, transform=turn)
        scene.export(tmp_path / "ball.glb")
        mesh = load_mesh(tmp_path / "ball.glb")
        assert (len(mesh.vertices), len(mesh.faces)) == (len(vertices), len(faces))

    def test_two_primitives_load_the_same_every_time(self, tmp_path):
        nodes = [{"mesh": 0}]
        text, _ = gltf(nodes)
        tree = json.loads(text)
        faces = Cone(0.5, 1.0).triangles(8)[1]
        split = faces.size // 2 // 3 * 3
        tree["accessors"] = [
            tree["accessors"][0],
            tree["accessors"][1] | {"count": split},
            tree["accessors"][1] | {"count": faces.size - split, "byteOffset": 4 * split},
        ]
        tree["meshes"][0]["primitives"] = [{"attributes": {"POSITION": 0}, "indices": k} for k in (1, 2)]
        path = tmp_path / "cone.gltf"
        path.write_text(json.dumps(tree))
        meshes = {load_mesh(path) for _ in range(8)}
        assert len(meshes) == 1
        assert len(meshes.pop().faces) == len(faces)

    def test_buffer_beside_the_file(self, tmp_path):
        text, data = gltf([{"mesh": 0}], uri="my%20buffer.bin")
        (tmp_path / "my buffer.bin").write_bytes(data)
        (tmp_path / "scene.gltf").write_text(text)
        assert load_mesh(tmp_path / "scene.gltf").mass_properties(1.0).mass == pytest.approx(
            self.cone().mass, rel=10 * EPS
        )

    @pytest.mark.parametrize(
        "uri", ["../buffer.bin", "%2e%2e/buffer.bin", "missing.bin", "http://192.0.2.1/buffer.bin"]
    )
    def test_buffer_elsewhere_is_refused(self, tmp_path, uri):
        folder = tmp_path / "inner"
        folder.mkdir()
        text, data = gltf([{"mesh": 0}], uri=uri)
        (tmp_path / "buffer.bin").write_bytes(data)
        (folder / "scene.gltf").write_text(text)
        with pytest.raises(InputError) as caught:
            load_mesh(folder / "scene.gltf")
        assert f"refers to {uri!r}" in str(caught.value)
        assert "Put the buffer beside the file" in str(caught.value)

    def test_absolute_path_and_link_are_refused(self, tmp_path):
        folder = tmp_path / "inner"
        folder.mkdir()
        outside = tmp_path / "buffer.bin"
        (folder / "link.bin").symlink_to(outside)
        for uri in (str(outside), "link.bin"):
            text, data = gltf([{"mesh": 0}], uri=uri)
            outside.write_bytes(data)
            (folder / "scene.gltf").write_text(text)
            with pytest.raises(InputError, match="refers to"):
                load_mesh(folder / "scene.gltf")

    def test_nothing_is_fetched(self, tmp_path, monkeypatch):
        """The file names an image on the network; no socket is ever made."""

        def refuse(*args, **kwargs):
            raise AssertionError("a socket was made")

        monkeypatch.setattr(socket, "socket", refuse)
        monkeypatch.setattr(socket, "create_connection", refuse)
        assert self.load(tmp_path, [{"mesh": 0}]).kind == "mesh"

    @pytest.mark.parametrize("name", ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_mesh_quantization"])
    def test_compressed_geometry_is_refused_by_name(self, tmp_path, name):
        with pytest.raises(InputError, match=f"needs {name}.*without compression"):
            self.load(tmp_path, [{"mesh": 0}], extensionsRequired=[name, "KHR_materials_unlit"])

    def test_nodes_that_go_round_in_a_circle_end(self, tmp_path):
        nodes = [{"children": [1]}, {"children": [0], "mesh": 0}]
        with pytest.raises(InputError, match="the file is broken"):
            self.load(tmp_path, nodes, roots=[0])


class TestBrokenFiles:
    """Whatever is wrong, the error is ours and names the file."""

    @pytest.mark.parametrize("name", ["hull.step", "hull.3mf", "hull.zip", "hull.dae", "hull.pkl", "hull.npy", "hull"])
    def test_other_formats(self, tmp_path, name):
        (tmp_path / name).write_bytes(b"data")
        with pytest.raises(InputError) as caught:
            load_mesh(tmp_path / name)
        assert f"mesh {name!r}" in str(caught.value)
        assert ".stl .obj .ply .gltf .glb" in str(caught.value)

    def test_missing_file_and_folder(self, tmp_path):
        (tmp_path / "folder.stl").mkdir()
        for name in ("none.stl", "folder.stl"):
            with pytest.raises(InputError, match="cannot be read"):
                load_mesh(tmp_path / name)

    @pytest.mark.parametrize("suffix", [".stl", ".obj", ".ply", ".gltf", ".glb"])
    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"\0",
            b"solid\n",
            b"ply\n",
            b"glTF",
            b"{}",
            b"[]",
            b"null",
            b"\xff" * 500,
            b"f 1 2 3\n",
            b"v 0 0 0\n" * 9,
        ],
        ids=repr,
    )
    def test_garbage(self, tmp_path, suffix, data):
        path = tmp_path / f"x{suffix}"
        path.write_bytes(data)
        with pytest.raises(InputError) as caught:
            load_mesh(path)
        assert f"x{suffix}" in str(caught.value)

    @pytest.mark.parametrize("name", [*FORMATS, "text.stl", "text.ply"])
    def test_cut_off_and_damaged_files(self, tmp_path, name):
        """Cut anywhere, or with bytes changed, a file gives our error or a mesh that passes all checks."""
        options = {"text.stl": {"file_type": "stl_ascii"}, "text.ply": {"encoding": "ascii"}}.get(name, {})
        path = write(tmp_path / name, (icosphere(1)[0], icosphere(1)[1]), **options)
        whole = path.read_bytes()
        rng = np.random.default_rng(7)
        refused = 0
        for trial in range(40):
            if trial < 20:
                data = whole[: int(len(whole) * trial / 20)]
            else:
                damaged = np.frombuffer(whole, dtype=np.uint8).copy()
                damaged[rng.integers(0, len(whole), 3)] = rng.integers(0, 256, 3)
                data = damaged.tobytes()
            path.write_bytes(data)
            message = None
            try:
                load_mesh(path)
            except InputError as error:
                message = str(error)
            assert message is None or name in message
            refused += message is not None
        # every cut but one that loses only a closing line must be noticed
        assert refused >= 18

    def test_number_that_is_none(self, tmp_path):
        """Text in place of a number must not silently end the list."""
        path = write(tmp_path / "a.stl", file_type="stl_ascii")
        text = path.read_text()
        word = text.split("vertex ")[40].split()[0]
        path.write_text(text.replace(f"vertex {word}", "vertex oops", 1))
        with pytest.raises(InputError, match=r"a\.stl"):
            load_mesh(path)

    def test_hole_names_file_and_edge(self, tmp_path):
        """H-52: the check of the mesh speaks with the name of the file."""
        path = write(tmp_path / "open.stl", (BALL[0], BALL[1][1:]))
        with pytest.raises(InputError) as caught:
            load_mesh(path)
        assert str(caught.value).startswith(f"{path}: mesh 'open.stl': 3 edges belong to one triangle only")

    def test_bad_scale(self, tmp_path):
        with pytest.raises(InputError, match=r"scale is 0\.0"):
            load_mesh(write(tmp_path / "ball.stl"), scale=0.0)

    def test_lines_and_points_are_no_mesh(self, tmp_path):
        trimesh.PointCloud(BALL[0]).export(tmp_path / "points.ply")
        with pytest.raises(InputError, match="no triangles"):
            load_mesh(tmp_path / "points.ply")


def test_heavy_packages_are_imported_where_they_are_used():
    """Start-up stays fast: no file of the geometry layer imports trimesh or SciPy when it is imported itself."""
    for path in Path(gelenk.geometry.__file__).parent.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] in ("trimesh", "scipy")], path.name
