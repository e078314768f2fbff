"""Point mass under a constant force: the parabola."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class BallisticMotion(NamedTuple):
    p_WB: NDArray[np.float64]  # (n, 3) position in world [m]
    v_WB: NDArray[np.float64]  # (n, 3) velocity in world [m/s]


def ballistic(t: ArrayLike, *, mass: float, f_W: ArrayLike, p_WB0: ArrayLike, v_WB0: ArrayLike) -> BallisticMotion:
    """Motion of the centre of mass under one constant force.

        m p'' = f      =>      p = p0 + v0 t + f t^2 / (2 m),      v = v0 + f t / m

    Source: Landau & Lifshitz, Mechanics, section 5 (uniform field).

    Parameters
    ----------
    t : (n,) or scalar [s]
    mass : [kg], positive
    f_W : (3,) whole force in world [N]; for gravity pass `mass * g_W`
    p_WB0, v_WB0 : (3,) position [m] and velocity [m/s] at t = 0
    """
    if not mass > 0.0:
        raise ValueError(f"ballistic: mass is {mass!r}, expected a positive number of kg.")
    t = np.asarray(t, dtype=float)[..., None]
    a_W = np.asarray(f_W, dtype=float) / mass
    v0 = np.asarray(v_WB0, dtype=float)
    return BallisticMotion(np.asarray(p_WB0, dtype=float) + (v0 + 0.5 * a_W * t) * t, v0 + a_W * t)
