"""Normals at the corners of triangles, which make a bent surface of flat ones (bobsleigh 8.4)."""

from __future__ import annotations

import numpy as np

from gelenk.collision.mesh_sides import face_normals

CREASE = np.cos(np.deg2rad(30.0))  # sides at which triangles bend more are edges, and stay
SAME = 1e-9  # of the extent of a mesh: corners that are one place


def corner_normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """(m, 9) unit normal at each corner: the mean of the triangles around its place, weighed by their angles there.

    Only triangles count that bend by less than 30 degrees against the one of the corner. Vertices at one place are one,
    so that sheets made in pieces have no seams.
    """
    points = np.asarray(vertices, np.float64)[faces]
    n = face_normals(np.asarray(vertices, np.float64), faces)
    extent = float(np.ptp(points.reshape(-1, 3), axis=0).max()) or 1.0
    places = np.round((points.reshape(-1, 3) - points.reshape(-1, 3).min(axis=0)) / (SAME * extent))
    _, place = np.unique(places, axis=0, return_inverse=True)
    place = place.reshape(-1)
    angle = corner_angles(points).reshape(-1)
    order = np.argsort(place, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(place))))
    out, total = np.zeros((len(place), 3)), np.diff(starts)
    for count in np.unique(total):  # places with as many corners at once
        rows = order[starts[:-1][total == count][:, None] + np.arange(count)]  # (places, corners)
        normal, weight = n[rows // 3], angle[rows]
        alike = np.einsum("pid,pjd->pij", normal, normal) > CREASE
        out[rows] = np.einsum("pij,pj,pjd->pid", alike.astype(float), weight, normal)
    length = np.linalg.norm(out, axis=1)
    flat = length == 0.0
    out[flat], length[flat] = n[np.flatnonzero(flat) // 3], 1.0
    return (out / length[:, None]).reshape(-1, 9)


def corner_angles(points: np.ndarray) -> np.ndarray:
    """(m, 3) angles of triangles (m, 3, 3) at their corners [rad]."""
    angles = np.zeros(points.shape[:2])
    for k in range(3):
        u, v = points[:, (k + 1) % 3] - points[:, k], points[:, (k + 2) % 3] - points[:, k]
        cross = np.linalg.norm(np.cross(u, v), axis=1)
        angles[:, k] = np.arctan2(cross, np.einsum("ij,ij->i", u, v))
    return angles
