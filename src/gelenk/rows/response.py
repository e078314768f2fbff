"""How bodies, particles and statics answer impulses: the response matrices K, W, U, L (I-020..I-022).

With  r  from the centre of mass to a point, world axes,  J = R I R^T  the inertia in world axes and  r*  the
cross-product matrix (impulse-dynamics 3.3):

    K_ab = 1/m - r_a* J^-1 r_b*      du_a = K_ab p     impulse p at b, velocity at a
    W_a  = J^-1 r_a*                 dw   = W_a  p     impulse p at a, angular velocity
    U_a  = -r_a* J^-1                du_a = U_a  l     angular impulse l, velocity at a
    L    = J^-1                      dw   = L    l     angular impulse l, angular velocity

A particle has no J, a static node neither J nor m: their terms are zero, since their inverses are.
"""

from __future__ import annotations

from gelenk.compile import helper
from gelenk.math.quat import get4
from gelenk.math.rotation import Mat3, get33, rotation, skew
from gelenk.math.vec3 import Vec3, get3, put3


@helper
def inverse_inertia_W(masses, state, node):
    """L = J^-1 = R I^-1 R^T, world axes [1/(kg m^2)]; zero for particles and statics."""
    if node < state.q_WB.shape[0]:
        R = rotation(get4(state.q_WB, node))
        return R.times(get33(masses.inv_inertia_B, node)).times(R.transposed())
    return Mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@helper
def response_K(masses, state, node, ra_W, rb_W):
    """Change of the velocity of point a by a unit impulse at point b."""
    A = skew(ra_W).times(inverse_inertia_W(masses, state, node)).times(skew(rb_W))
    s = masses.inv_mass[node]
    return Mat3(s - A.xx, -A.xy, -A.xz, -A.yx, s - A.yy, -A.yz, -A.zx, -A.zy, s - A.zz)


@helper
def response_W(masses, state, node, ra_W):
    """Change of the angular velocity, world axes, by a unit impulse at point a."""
    return inverse_inertia_W(masses, state, node).times(skew(ra_W))


@helper
def response_U(masses, state, node, ra_W):
    """Change of the velocity of point a by a unit angular impulse; the transpose of W."""
    return response_W(masses, state, node, ra_W).transposed()


@helper
def angular_velocity_W(state, node):
    """Angular velocity in world axes [rad/s]; zero for a particle."""
    if node < state.q_WB.shape[0]:
        return rotation(get4(state.q_WB, node)) @ get3(state.w_WB_B, node)
    return Vec3(0.0, 0.0, 0.0)


@helper
def velocity_at(state, node, r_W):
    """Velocity of the point of a node at the arm r (I-020):  u = v + w x r."""
    return get3(state.v_WC, node) + angular_velocity_W(state, node).cross(r_W)


@helper
def apply_impulse(masses, state, node, r_W, p_W):
    """Apply an impulse p [N s] at the arm r (I-021):  dv = p / m,  dw = J^-1 (r x p)."""
    put3(state.v_WC, node, get3(state.v_WC, node) + p_W * masses.inv_mass[node])
    apply_angular_impulse(masses, state, node, r_W.cross(p_W))


@helper
def apply_angular_impulse(masses, state, node, l_W):
    """Apply an angular impulse l [N m s]:  dw = J^-1 l, in body axes  I^-1 R^T l."""
    if node < state.q_WB.shape[0]:
        l_B = rotation(get4(state.q_WB, node)).tdot(l_W)
        put3(state.w_WB_B, node, get3(state.w_WB_B, node) + get33(masses.inv_inertia_B, node) @ l_B)
