"""Mass properties of a closed triangle mesh by exact surface integrals.

Gauss' theorem turns every volume integral into one over the surface, and on a flat triangle the polynomial integrands
have closed forms. Nothing is approximated: the result is exact for the polyhedron, whatever its tessellation, and
several shells or inward cavities need no special case because the sums simply go over all triangles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gelenk.geometry.mass import FloatArray, MassProperties


def mesh_volume(vertices: FloatArray, triangles: NDArray[np.integer]) -> tuple[float, float]:
    """Signed volume of a closed mesh, and the sum it was left from.

        V = sum n_x (a_x + b_x + c_x) / 6,   n = (b - a) x (c - a)

    It is positive for outward triangles. Coordinates are taken from the middle of the bounding box, so that a mesh far
    from the origin keeps its digits.

    Parameters
    ----------
    vertices : (n, 3) [m]
    triangles : (m, 3)

    Returns
    -------
    volume : float
        [m^3]
    magnitude : float
        Sum of the absolute terms [m^3]; the rounding of ``volume`` is a small multiple of eps times this.
    """
    corners = (vertices - _middle(vertices))[triangles]
    terms = _normals(corners)[:, 0] * corners[:, :, 0].sum(axis=1) / 6.0
    return float(terms.sum()), float(np.abs(terms).sum())


def mesh_mass_properties(vertices: FloatArray, triangles: NDArray[np.integer], density: float) -> MassProperties:
    """Mass, centre of mass and inertia of a closed, outward mesh of constant density.

    With corners a, b, c of a triangle, n = (b - a) x (c - a), and for each axis k the sums over the three corners
    P = sum x_k, Q = sum x_l:

        integral of 1          V     = sum n_x P_x / 6
        integral of x_k        S_k   = sum n_k (P^2 + sum x_k^2) / 48
        integral of x_k^2      C_k   = sum n_k (P^3 + 3 P sum x_k^2 + 2 sum x_k^3) / 360
        integral of x_k x_l    P_kl  = sum n_k (P^2 Q + Q sum x_k^2 + 2 P sum x_k x_l + 2 sum x_k^2 x_l) / 240

        com = S / V      I_xx = rho (C_y + C_z), and so on      I_kl = -rho P_kl

    The fields behind them are (x, 0, 0), x_k^2/2, x_k^3/3 and x_k^2 x_l/2 along axis k; the parameter triangle has
    area 1/2, so n enters without a further half. First moments are taken from the middle of the bounding box and
    second moments from the centre of mass, so that the large m |com|^2 never has to cancel.

    Source: Gauss' theorem; B. Mirtich, Fast and accurate computation of polyhedral mass properties, J. Graphics Tools 1
    (1996), for the idea of exact surface integration.

    Parameters
    ----------
    vertices : (n, 3) [m]
    triangles : (m, 3)
        Closed and outward, as :func:`gelenk.geometry.mesh_check.check_mesh` returns them.
    density : float
        [kg/m^3]

    Returns
    -------
    MassProperties
        In the axes of the vertices, inertia about the centre of mass.
    """
    middle = _middle(vertices)
    corners = (vertices - middle)[triangles]
    n = _normals(corners)

    first = corners.sum(axis=1)
    volume = float((n[:, 0] * first[:, 0]).sum() / 6.0)
    moment = _total(n * (first**2 + (corners**2).sum(axis=1))) / 48.0
    offset = moment / volume

    # now about the centre of mass; the normals do not change
    corners = corners - offset
    P = corners.sum(axis=1)
    squares = corners**2
    P2 = squares.sum(axis=1)
    C = _total(n * (P**3 + 3.0 * P * P2 + 2.0 * (squares * corners).sum(axis=1))) / 360.0

    def product(k: int, l: int) -> float:  # noqa: E741  (the indices of the formula)
        x_k, x_l = corners[:, :, k], corners[:, :, l]
        Pk, Ql = P[:, k], P[:, l]
        integrand = Pk * Pk * Ql + Ql * P2[:, k] + 2.0 * Pk * (x_k * x_l).sum(axis=1)
        integrand += 2.0 * (squares[:, :, k] * x_l).sum(axis=1)
        return float((n[:, k] * integrand).sum() / 240.0)

    xy, xz, yz = product(0, 1), product(0, 2), product(1, 2)
    inertia = density * np.array([[C[1] + C[2], -xy, -xz], [-xy, C[0] + C[2], -yz], [-xz, -yz, C[0] + C[1]]])
    return MassProperties(density * volume, middle + offset, inertia)


def _middle(vertices: FloatArray) -> FloatArray:
    """Middle of the bounding box (3,) [m]."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return low + 0.5 * (high - low)


def _total(terms: FloatArray) -> FloatArray:
    """Sum (m, 3) over the triangles. Along rows in memory NumPy adds in pairs, which keeps two digits more."""
    return np.ascontiguousarray(terms.T).sum(axis=1)


def _normals(corners: FloatArray) -> FloatArray:
    """Normals  n = (b - a) x (c - a)  for corners (m, 3, 3); their length is twice the area."""
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
