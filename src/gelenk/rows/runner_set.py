"""The friction set of a runner on ice: a rectangle with half of an ellipse at each end (B-26, bobsleigh 3.14).

    |x| <= f, |y| <= b          or          ((|x| - f) / (a - f))^2 + (y / b)^2 <= 1

x along the runner, y across it, 0 <= f < a. The set is convex and has no corners. With a stiffness K in place of
lengths, its nearest point is what one contact does that stands alone: of all impulses of the set, the one that
minimises  1/2 (x - X).K (x - X)  leaves a velocity  u = K (x - X)  with  -x  in the set and u normal to it there, where
X would stop the point altogether (B-24). It is found exactly, whether the point sticks, slides or sticks in one
direction alone, where iterations with one step length for both would be slow (bobsleigh 8.6).
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine


@helper
def within_runner_set(x, y, f, a, b):
    """Whether a point lies in the set."""
    past, c = abs(x) - f, a - f
    if past <= 0.0:
        return abs(y) <= b
    return past < a and (past / c) * (past / c) + (y / b) * (y / b) <= 1.0


@routine
def prox_runner(x, y, f, a, b):
    """Nearest point of the set."""
    return nearest_in_runner_set(x, y, 1.0, 0.0, 1.0, f, a, b)


@routine
def nearest_in_runner_set(X, Y, K_tt, K_ts, K_ss, f, a, b):
    """Point (x, y) of the set with the least  1/2 (x - X, y - Y).K (x - X, y - Y),  K positive definite.

    It lies within, on a straight side, where only the way along is free, or on one of the ends.
    """
    if not (a > f and b > 0.0):
        return 0.0, 0.0
    if within_runner_set(X, Y, f, a, b):
        return X, Y
    side = b if Y > 0.0 else -b
    for _ in range(2):
        x = X - K_ts / K_tt * (side - Y)
        if abs(x) <= f and side * (K_ts * (x - X) + K_ss * (side - Y)) <= 0.0:
            return x, side
        side = -side
    end = f if X > 0.0 else -f
    for _ in range(2):
        x, y = nearest_in_ellipse(X - end, Y, K_tt, K_ts, K_ss, a - f, b)
        if x * end >= 0.0 and (end != 0.0 or f == 0.0):
            return x + end, y
        end = -end
    side = b if Y > 0.0 else -b  # where a side meets an end, and rounding leaves neither
    return min(max(X - K_ts / K_tt * (side - Y), -f), f), side


@routine
def nearest_in_ellipse(X, Y, K_tt, K_ts, K_ss, a, b):
    """Point of  (x/a)^2 + (y/b)^2 <= 1  with the least  1/2 (x - X).K (x - X),  for one X outside.

    Lengths in units of a and b make a circle of it and  k = diag(a, b) K diag(a, b)  of K (B-27). In the main axes of k

        x_i = g_i / (k_i + r),   g_i = k_i X_i,        F(r) = x_1^2 + x_2^2 - 1 = 0

    with one root r > 0. F falls and is convex, so Newton's method from the left comes to it from one side.
    """
    X, Y = X / a, Y / b
    tt, ts, ss = K_tt * a * a, K_ts * a * b, K_ss * b * b
    c, s = 1.0, 0.0
    if ts != 0.0:
        angle = 0.5 * math.atan2(2.0 * ts, tt - ss)
        c, s = math.cos(angle), math.sin(angle)
    k_1 = c * c * tt + 2.0 * c * s * ts + s * s * ss
    k_2 = s * s * tt - 2.0 * c * s * ts + c * c * ss
    g_1, g_2 = k_1 * (c * X + s * Y), k_2 * (c * Y - s * X)
    r = max(abs(g_1) - k_1, abs(g_2) - k_2, 0.0)  # one term alone is 1 here, or the point lies within: left of the root
    for _ in range(64):
        x, y = g_1 / (k_1 + r), g_2 / (k_2 + r)
        F = x * x + y * y - 1.0
        change = F / (2.0 * (x * x / (k_1 + r) + y * y / (k_2 + r)))
        r += change
        if not change > 1e-16 * r:
            break
    x, y = g_1 / (k_1 + r), g_2 / (k_2 + r)
    return a * (c * x - s * y), b * (s * x + c * y)
