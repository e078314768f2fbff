"""Region in which a face of one box lies over the facing one of the other (I-091, H-69).

The *reference* face is a rectangle |u| <= h_u, |v| <= h_v in its own plane. The *incident* face, the one of the other
box that is most opposed to it, is seen from there as a parallelogram. The corners of what both have in common are

    corners of the incident face inside the rectangle,
    crossings of its edges with those of the rectangle (Liang and Barsky 1984),
    corners of the rectangle inside the parallelogram,

each once, none stored in between. The distance is measured along the normal of the reference face.
"""

from __future__ import annotations

from gelenk.collision.clip import put_flat, spread
from gelenk.collision.manifold import MOST
from gelenk.collision.narrow.box import edge_id, face_id, largest, turn_columns, turn_rows, turn_to
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

GROWN = 1.0 + 1e-12  # the rectangle is grown by this, so that an edge along its border is inside
STEEP = 1e-300  # components below this never cross a side


@helper
def inverse(x):
    """1 / x, large but finite at zero."""
    return 1.0 / x if abs(x) > STEEP else 1.0 / STEEP


@helper
def side_id(first_is_u, u, v, axis, corner):
    """Number of the edge of the reference face on the side that was crossed: first_is_u, at u > 0 or not; else at v."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    if first_is_u:
        return edge_id(j, (corner & ~(1 << i)) | ((1 << i) if u > 0.0 else 0))
    return edge_id(i, (corner & ~(1 << j)) | ((1 << j) if v > 0.0 else 0))


@routine
def face_region(C, t, size, other, axis, sign, margin, deep, small, out):
    """Flat points of the region within the margin, at most four, in the axes (axis + 1, axis + 2) of the reference box.

    C: axes of the other box in those of the reference box; t: its centre; size, other: half sizes; axis, sign: the
    reference face; deep: no point counts as deeper than this; small: size of the smaller box. ``feature_a`` is of the
    reference box. Returns their number.
    """
    D, c, h = turn_rows(C, axis), turn_to(t, axis), turn_to(size, axis)
    turned = largest(Vec3(D.zx, D.zy, D.zz))
    D, g = turn_columns(D, turned), turn_to(other, turned)
    facing = -1.0 if D.zz * sign > 0.0 else 1.0

    # centre and half edges of the incident face: u, v, and the height over the reference face
    up = g.z * facing
    cu, cv, cw = c.x + D.xz * up, c.y + D.yz * up, sign * (c.z + D.zz * up) - h.z
    pu, pv, pw = D.xx * g.x, D.yx * g.x, sign * D.zx * g.x
    qu, qv, qw = D.xy * g.y, D.yy * g.y, sign * D.zy * g.y
    hu, hv = h.x * GROWN, h.y * GROWN
    inverse_pu, inverse_pv, inverse_qu, inverse_qv = inverse(pu), inverse(pv), inverse(qu), inverse(qv)

    own_face, own_top = face_id(axis, sign), (1 << axis) if sign > 0.0 else 0
    its_face, its_top = face_id(turned, facing), (1 << turned) if facing > 0.0 else 0
    bit_u, bit_v = 1 << (axis + 1) % 3, 1 << (axis + 2) % 3
    bit_p, bit_q = 1 << (turned + 1) % 3, 1 << (turned + 2) % 3

    count = 0
    u, v, w = cu + pu + qu, cv + pv + qv, cw + pw + qw
    inside = abs(u) <= hu and abs(v) <= hv
    all_inside = True
    for k in range(4):  # edges, from (+, +) by (-, +), (-, -), (+, -) back
        along_p = k == 0 or k == 2
        way = -2.0 if k < 2 else 2.0
        du, dv, dw = (way * pu, way * pv, way * pw) if along_p else (way * qu, way * qv, way * qw)
        next_u, next_v, next_w = u + du, v + dv, w + dw
        next_inside = abs(next_u) <= hu and abs(next_v) <= hv
        corner = its_top | (bit_p if k == 0 or k == 3 else 0) | (bit_q if k < 2 else 0)
        if inside and w <= margin:
            put_flat(out, count, u, v, w, own_face, corner)
            count += 1
        if not (inside and next_inside):
            all_inside = False
            back = 0.25 * way  # 1 / way
            iu = (inverse_pu if along_p else inverse_qu) * back
            iv = (inverse_pv if along_p else inverse_qv) * back
            u1, u2, v1, v2 = (-hu - u) * iu, (hu - u) * iu, (-hv - v) * iv, (hv - v) * iv
            enter_u, enter_v = min(u1, u2), min(v1, v2)
            leave_u, leave_v = max(u1, u2), max(v1, v2)
            s0, s1 = max(enter_u, enter_v), min(leave_u, leave_v)
            if inside or next_inside or (s0 < s1 and s0 < 1.0 and s1 > 0.0):
                edge = edge_id((turned + (1 if along_p else 2)) % 3, corner)
                if not inside:
                    s = min(max(s0, 0.0), 1.0)
                    if w + s * dw <= margin and count < MOST:
                        side = side_id(enter_u > enter_v, -du, -dv, axis, own_top)
                        put_flat(out, count, u + s * du, v + s * dv, w + s * dw, side, edge)
                        count += 1
                if not next_inside:
                    s = min(max(s1, 0.0), 1.0)
                    if w + s * dw <= margin and count < MOST:
                        side = side_id(leave_u < leave_v, du, dv, axis, own_top)
                        put_flat(out, count, u + s * du, v + s * dv, w + s * dw, side, edge)
                        count += 1
        u, v, w, inside = next_u, next_v, next_w, next_inside

    if not all_inside:
        det = pu * qv - pv * qu
        limit = abs(det) * GROWN
        for k in range(4):
            u = h.x if k == 0 or k == 3 else -h.x
            v = h.y if k < 2 else -h.y
            x, y = u - cu, v - cv
            alpha, beta = x * qv - y * qu, pu * y - pv * x
            if abs(alpha) <= limit and abs(beta) <= limit and limit > 0.0:
                w = cw + (alpha * pw + beta * qw) / det
                if w <= margin and count < MOST:
                    corner = own_top | (bit_u if u > 0.0 else 0) | (bit_v if v > 0.0 else 0)
                    put_flat(out, count, u, v, w, corner, its_face)
                    count += 1

    for k in range(count):
        out[k].d = max(out[k].d, deep)
    return spread(out, count, small)
