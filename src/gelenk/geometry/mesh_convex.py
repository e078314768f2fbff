"""Which closed meshes are convex: these collide as their hulls (V-20).

Coordinates in files are rounded, mostly to float32: no four corners of a face then lie in one plane, and a body that
was convex has dents. Let C be the convex body, H the hull of the rounded corners, and e the way that rounding moves a
corner at most. A point p of the surface of C has moved by e at most, and H reaches past C by e at most, so

    depth of p below H  <=  2 e     for all points of all faces.

The depth below H is concave inside of H: where it is 2 e at the middle of a triangle, it is 6 e at most all over it. So
middles of faces tell both ways: no rounded convex mesh is missed, and what is taken for one differs from its hull by
6 e at most.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gelenk.errors import InputError
from gelenk.geometry.hull import ConvexHull, flat_faces
from gelenk.geometry.mass import FloatArray
from gelenk.geometry.mesh_check import IndexArray
from gelenk.geometry.mesh_mass import mesh_volume

FLAT = 1e-9  # share of the size by which a vertex may lie above a face: what distances are held to
ROUNDING = 16.0 * float(np.finfo(np.float64).eps)  # of a height times twice an area, for triangles thin as a line
MOST_VERTICES = 2000  # up to which meshes are looked at, which takes 15 ms
# Up to which hulls collide as such: against a surface of 1000 triangles one of 500 corners takes 0.9 ms, its triangles
# 0.3; of 1000 corners 5.6 ms and 0.4. Against convex shapes hulls are faster at any number, 5 to 10 times each other.
MOST_CORNERS = 500
AT_ONCE = 64  # faces: their heights over all vertices stay in the cache

# Way of a corner by rounding to float32, share of the size: half of the last place of coordinates as large as the size.
# Who lies farther from the origin than that is rounded more, and not taken for convex then.
MOVED = 3.0**0.5 * 2.0**-24
THIN = 0.01  # share of the volume that lies within rounding of the surface, above which a body is too thin to tell
# Faces of a hull whose corners lie this many times e from one plane were one: of the plane through three corners of a
# polygon, the largest triangle of all, another corner is 4 e away at most, and other triangles are somewhat worse.
ONE_FACE = 8.0
FLATTENINGS = 100  # times that corners are moved onto their faces and faces anew through their corners


def is_convex(vertices: FloatArray, faces: IndexArray) -> bool:
    """Whether no vertex of a closed outward mesh lies above the plane of any face.

        (b - a) x (c - a) . (x - a)  <=  FLAT * size * |(b - a) x (c - a)|     all faces a b c, all vertices x

    Then every face lies on the hull of the vertices, and a closed surface of such faces is the whole of it. Cavities
    and second shells are found as well: faces of the inner one, or of either, have vertices of the other above them.
    Meshes of more than MOST_VERTICES vertices are not looked at.
    """
    if len(vertices) > MOST_VERTICES:
        return False
    size = float(np.ptp(vertices, axis=0).max())
    x = (vertices - vertices.mean(axis=0)) / size
    a, b, c = (x[faces[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    most = (n * a).sum(axis=1) + FLAT * np.linalg.norm(n, axis=1) + ROUNDING
    chunks = (slice(first, first + AT_ONCE) for first in range(0, len(faces), AT_ONCE))
    return all(((n[chunk] @ x.T).max(axis=1) <= most[chunk]).all() for chunk in chunks)


def hull_around(vertices: FloatArray) -> tuple[ConvexHull, ...]:
    """The hull of points, if there are at most MOST_VERTICES and it has at most MOST_CORNERS corners, else none."""
    if len(vertices) > MOST_VERTICES:
        return ()
    try:
        hull = ConvexHull(vertices)
    except InputError:  # as thin as rounding
        return ()
    return (hull,) if len(hull.vertices) <= MOST_CORNERS else ()


def hull_of(vertices: FloatArray, faces: IndexArray) -> tuple[ConvexHull, ...]:
    """The hull of a mesh if it is the same solid and has at most MOST_CORNERS corners, else none.

    It may differ by the rounding of float32, and faces that this has bent are flat again. A plate as thin as that may
    have holes that do not show: bodies have to be thicker, or convex as they are.
    """
    for hull in hull_around(vertices):
        exact = is_convex(vertices, faces)
        e = MOVED * float(np.ptp(vertices, axis=0).max())
        a, b, c = (vertices[faces[:, k]] for k in range(3))
        shell = e * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())  # 2 e times the area
        whole = mesh_volume(*hull.triangles())[0]
        if shell > THIN * whole:
            return (hull,) if exact else ()
        same = abs(whole - mesh_volume(vertices, faces)[0]) <= 3.0 * shell
        if exact or (same and _is_rounded((a + b + c) / 3.0, hull, e)):
            return (_flattened(hull, e),)
    return ()


def _is_rounded(middles: FloatArray, hull: ConvexHull, e: float) -> bool:
    """Whether faces with these middles can be those of the hull but for corners that were moved by e [m]."""
    chunks = (slice(first, first + AT_ONCE) for first in range(0, len(middles), AT_ONCE))
    return all((_depths(hull, middles[chunk]).min(axis=0) <= 2.0 * e).all() for chunk in chunks)


def _depths(hull: ConvexHull, points: FloatArray) -> FloatArray:
    """Depth (f, n) of points below the planes of all faces [m]."""
    return hull.offsets[:, None] - hull.normals @ points.T


def _flattened(hull: ConvexHull, e: float) -> ConvexHull:
    """The hull with faces that rounding has bent made flat, so that a box has six of them; as it is if that fails.

    Corners go the shortest way onto the planes of their faces, planes through the middle of their corners, in turn. No
    corner goes farther than the faces were bent.
    """
    loops = flat_faces(hull, ONE_FACE * e)
    if loops is None or len(loops) == len(hull.normals):
        return hull
    corners = np.unique(np.concatenate(loops))
    many = [loop for loop in loops if len(loop) > 3]  # three corners always lie in a plane
    moved = np.array(hull.vertices)
    size = float(np.ptp(moved, axis=0).max())
    faces_of: list[list[int]] = [[] for _ in moved]
    for k, loop in enumerate(many):
        for i in loop.tolist():
            faces_of[i].append(k)
    for _ in range(FLATTENINGS):
        planes = [_plane(moved[loop]) for loop in many]
        if max(float(np.abs((moved[loop] - p) @ n).max()) for loop, (n, p) in zip(many, planes)) <= ROUNDING * size:
            break
        for i in corners.tolist():
            if faces_of[i]:
                n = np.array([planes[k][0] for k in faces_of[i]])
                off = np.array([planes[k][0] @ (moved[i] - planes[k][1]) for k in faces_of[i]])
                moved[i] -= np.linalg.lstsq(n, off, rcond=1e-3)[0]
    try:
        flat = ConvexHull(moved[corners])
    except InputError:
        return hull
    # all that was there lies within the bound of what is there now, and corners stay where they were
    near = float(_depths(flat, hull.vertices).min()) >= -ONE_FACE * e
    stays = float(np.linalg.norm(moved - hull.vertices, axis=1).max()) <= ONE_FACE * e
    return flat if near and stays and len(flat.normals) == len(loops) else hull


def _plane(points: NDArray) -> tuple[FloatArray, FloatArray]:
    """Unit normal and middle of the plane nearest to points."""
    p = points.mean(axis=0)
    return np.linalg.svd(points - p)[2][2], p
