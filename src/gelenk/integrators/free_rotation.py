"""A free body turns: one step of order 4 that keeps the angular momentum exactly."""

from __future__ import annotations

from gelenk.compile import helper
from gelenk.math.quat import quat_exp
from gelenk.math.rotation import rotation


@helper
def gyration(inertia, inverse, w):
    """Euler's equation without torque, body axes:  w' = I^-1 (I w x w)."""
    return inverse @ (inertia @ w).cross(w)


@helper
def free_rotation(inertia, inverse, w, h):
    """(turn, w'): the rotation over h as a quaternion in body axes, and the angular velocity at its end.

    The angular velocity by one Runge-Kutta step of order 4, its middle w_m by Hermite's cubic, the turn by the Magnus
    series up to its first commutator with Simpson's rule, for  q' = 1/2 q w  in body axes:

        turn = exp( h/6 (w + 4 w_m + w_e) + h^2/12 w x w_e )

    The last velocity is read from the angular momentum, which keeps its direction in the world:  w' = I^-1 turn^T I w.
    Sources: impulse-dynamics 4.1; Iserles and Norsett, On the solution of linear differential equations in Lie groups.
    """
    k1 = gyration(inertia, inverse, w)
    if k1.x == 0.0 and k1.y == 0.0 and k1.z == 0.0:  # about a principal axis: nothing changes
        return quat_exp(w * h), w
    k2 = gyration(inertia, inverse, w + k1 * (0.5 * h))
    k3 = gyration(inertia, inverse, w + k2 * (0.5 * h))
    k4 = gyration(inertia, inverse, w + k3 * h)
    end = w + (k1 + (k2 + k3) * 2.0 + k4) * (h / 6.0)
    middle = (w + end) * 0.5 + (k1 - gyration(inertia, inverse, end)) * (0.125 * h)
    turn = quat_exp((w + middle * 4.0 + end) * (h / 6.0) + w.cross(end) * (h * h / 12.0))
    return turn, inverse @ rotation(turn).tdot(inertia @ w)
