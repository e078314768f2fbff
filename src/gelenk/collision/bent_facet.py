"""A triangle that bends with the normals at its corners, where a line crosses it (bobsleigh 8.4).

With barycentric coordinates b_k of a point p of the triangle, its corners c_k and unit normals n_k there, the bent
surface lies above p by the mean of three paraboloids,

    a(p) = -1/2 sum b_k (p - c_k) . n_k

each of which is half as high as the plane that touches the surface at its corner. Over a chord L of a circle it is
b (1 - b) L^2 / (2 R), the circle itself to order L^4, and the surfaces of two triangles meet at their common side. Its
normal is that of the mean, sum b_k n_k, to the same order: what slides over it turns steadily and hits no edges.

Source: Phong tessellation with half of its shape factor: T. Boubekeur, M. Alexa, ACM Trans. Graphics 27 (2008).
"""

from __future__ import annotations

from gelenk.compile import helper
from gelenk.math.vec3 import Vec3


@helper
def bent_facet(p, q, s, n_p, n_q, n_s, n, x):
    """Height above point x of the triangle p q s with normal n, along n, and the unit normal there."""
    b_p, b_q, b_s = weights(p, q, s, n, x)
    mean = n_p * b_p + n_q * b_q + n_s * b_s
    above = -0.5 * (b_p * ((x - p) @ n_p) + b_q * ((x - q) @ n_q) + b_s * ((x - s) @ n_s))
    return above, mean * (1.0 / mean.norm())


@helper
def weights(p, q, s, n, x):
    """Barycentric coordinates of a point of a triangle, by areas."""
    whole = (q - p).cross(s - p) @ n
    if not whole > 0.0:
        return 1.0, 0.0, 0.0
    b_p = (q - x).cross(s - x) @ n / whole
    b_q = (s - x).cross(p - x) @ n / whole
    return b_p, b_q, 1.0 - b_p - b_q


@helper
def three(a, k, i):
    """Vector at (k, i) of a table."""
    return Vec3(a[k, i], a[k, i + 1], a[k, i + 2])
