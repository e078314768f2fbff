"""What each row asks of the next velocities or of the next pose: targets, compliances, bounds, and who takes part."""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.rows.assemble import is_broken, kick_row, row_error, row_rate, strength_of, target_of
from gelenk.rows.block import BALL, DRIVE, HOLD, INNER, LED, LIMIT, LOCK, NONE, PUSH, SERVO, SPRING
from gelenk.rows.coordinate import SPIN
from gelenk.rows.guides import guided_rate
from gelenk.rows.springs import spring_line

TOUCH = 1e-7  # [m] or [rad] within which a stop is reached
WEAK = 1e-100  # [N s/m] or [N m s/rad] below which a spring does nothing, and its compliance would overflow
OPEN = 1e300  # place of a lock that does not hold yet
REACH = 0.1  # [m] or [rad] within which a stop takes part at once


@helper
def take_part(joints, rows, r):
    """Add row r to those of this step."""
    rows.active[rows.counts[0]] = r
    rows.counts[0] += 1
    if r < joints.equalities[0]:
        rows.counts[1] += 1


@helper
def softness(row, h):
    """(c/h, k) of an implicit spring and damper (virtual-worlds 3.12, V-78):

    c = 1 / (h c_s + c_d)      k = h c_s / (h c_s + c_d)
    """
    s = max(h * row.stiffness + row.damping, WEAK)
    return 1.0 / (h * s), h * row.stiffness / s


@helper
def spring_wish(row, x, stretch, h):
    """Compliance and target of a spring at this stretch; whether it does anything:

    J V' + p / (h s) = -(k x + f) / s,      s = h k + c_d,      p = -h (k (x + h J V') + f + c_d J V')
    """
    k, f = spring_line(row, stretch)
    s = h * k + row.damping
    if s == 0.0 and f == 0.0:
        return False
    s = max(s, WEAK)
    x.soft, x.want = 1.0 / (h * s), -(k * stretch + f) / s
    return True


@helper
def velocity_conditions(joints, memory, now, bodies, rows, h, share, reach):
    """Conditions of all rows on the velocities of this step. Force motors push here and take no part."""
    clear_rows(rows)
    push_motors(joints, memory, bodies, rows, h)
    velocity_rows(joints, memory, now, bodies, rows, h, share, reach, 0, joints.row.shape[0])


@helper
def clear_rows(rows):
    """No row takes part yet."""
    rows.counts[0] = rows.counts[1] = 0


@routine
def velocity_rows(joints, memory, now, bodies, rows, h, share, reach, first, last):
    """Conditions of some rows on the velocities of this step (virtual-worlds 3.3, 3.4, 3.7, 3.8):

        J V' + (c/h) p = b + (k/h) e,    lo <= p <= hi

    ``share`` scales the error reduction of joints, stops and locks: 1, or 0 where positions are corrected otherwise.
    Stops within ``reach`` act in the step that would cross them, so that they are reached and not passed; with 0 only
    those that are reached already.
    """
    for r in range(first, last):
        row, x = joints.row[r], rows.number[r]
        if row.mode == PUSH:
            continue
        if is_broken(row, memory):
            x.p = 0.0
            continue
        c = row_error(joints, now, r)
        x.error = c
        if row.plain == 1:
            x.rate = row_rate(joints, rows.J, bodies.V, r)
            x.want = -share * row.gain / h * c
            x.ask = x.want - x.rate
            take_part(joints, rows, r)
            continue
        x.soft, k = 0.0, row.gain if row.mode == HOLD else share * row.gain
        if row.mode == SPRING:
            if not spring_wish(row, x, c - target_of(row, memory), h):
                x.p = 0.0
                continue
        elif row.stiffness > 0.0 or row.damping > 0.0:
            x.soft, k = softness(row, h)
        x.rate = row_rate(joints, rows.J, bodies.V, r)
        if row.mode != SPRING:
            x.want = target_of(row, memory)
        if row.mode == HOLD:
            x.want -= k / h * c
        elif row.mode == SERVO:
            x.want = servo_speed(row, memory, r, c, h)
        elif row.mode == LED:
            x.begin, x.want = c, guided_rate(rows.given[row.guide], c, h)
        if row.mode == LIMIT:
            if not stop(row, x, h, k, reach):
                x.p = 0.0
                continue
        elif row.mode == LOCK:
            if not locked(row, memory):
                memory.integral[r] = OPEN if reach > 0.0 else c
                x.p = 0.0
                continue
            if memory.integral[r] == OPEN:
                memory.integral[r] = c
            x.want, x.lo, x.hi = -k / h * (c - memory.integral[r]), -math.inf, math.inf
        else:
            bounds(row, memory, x, h)
        x.ask = x.want - x.rate - x.soft * x.p
        take_part(joints, rows, r)


@helper
def is_spring(row):
    """Whether a row is a spring and damper: on a coordinate, in a joint that yields, or in a stop that does."""
    return row.mode == SPRING or (row.mode == LIMIT and (row.stiffness > 0.0 or row.damping > 0.0))


@helper
def servo_speed(row, memory, r, c, h):
    """Speed that the controller of a servo asks for (virtual-worlds 3.8, V-74), its law at the end of the step:

        v = kp e' + ki s' - kd v,      e' = e - h v,   s' = s + h e',      e = target - c,   s = integral of e

    solved for v:

        v = (kp e + ki (s + h e)) / D,      D = 1 + kd + h kp + h^2 ki

    This is Euler's backward step of the law, so no gain is too high for a step.
    """
    e, D = target_of(row, memory) - c, 1.0 + row.kd + h * (row.kp + h * row.ki)
    return row.kp / D * e + row.ki / D * (memory.integral[r] + h * e)


@helper
def push_motors(joints, memory, bodies, rows, h):
    """Force motors act first, as loads: p = h f, less what they gave already."""
    for r in range(joints.equalities[0], joints.row.shape[0]):
        row, x = joints.row[r], rows.number[r]
        if row.mode == PUSH:
            p = 0.0 if is_broken(row, memory) else h * target_of(row, memory)
            kick_row(joints, bodies, rows.J, bodies.V, r, p - x.p)
            x.p = p


@helper
def bounds(row, memory, x, h):
    """Forces to impulses (trap T-26): a bound in newton times h."""
    s = h * max(strength_of(row, memory), 0.0)
    x.lo, x.hi = row.low, row.high
    if s == 0.0:
        x.lo, x.hi = 0.0, 0.0
        return
    if row.set == BALL or row.set == INNER:
        x.lo, x.hi = -row.radius * s, row.radius * s
        return
    if x.lo != -math.inf:
        x.lo = x.lo * s
    if x.hi != math.inf:
        x.hi = x.hi * s


@helper
def locked(row, memory):
    """Whether a lock holds: its input is not zero, or, with a threshold, near enough to zero (V-70, V-79)."""
    x = target_of(row, memory)
    if row.kp > 0.0:
        return abs(x) < row.kp
    return x != 0.0


@helper
def stop(row, x, h, k, reach):
    """A stop at or beyond its limit, or one that this step may cross (virtual-worlds 3.7); False if it is far."""
    gap = way_to_stop(row, x.error)
    if row.low > -math.inf:
        x.want, x.lo, x.hi = -(k if gap <= 0.0 else 1.0) * gap / h, 0.0, math.inf
    else:
        x.want, x.lo, x.hi = (k if gap <= 0.0 else 1.0) * gap / h, -math.inf, 0.0
    return gap <= TOUCH or gap <= near(x, h, reach)


@helper
def way_to_stop(row, c):
    """How far a coordinate is from its stop; negative beyond it."""
    return c - row.low if row.low > -math.inf else row.high - c


@helper
def near(x, h, reach):
    """What lies within reach, or within two steps at the present rate: a motor may still speed it up."""
    return max(reach, 2.0 * h * abs(x.rate)) if reach > 0.0 else 0.0


@routine
def passes_a_stop(joints, memory, bodies, rows, h, reach):
    """Whether these velocities lead through a stop that took no part because it was far."""
    for r in range(joints.equalities[0], joints.row.shape[0]):
        row, x = joints.row[r], rows.number[r]
        if row.mode != LIMIT or way_to_stop(row, x.error) <= near(x, h, reach) or is_broken(row, memory):
            continue
        if way_to_stop(row, x.error + h * row_rate(joints, rows.J, bodies.V, r)) < 0.0:
            return True
    return False


@helper
def still_to_go(x, way):
    """Square of the way that a drive lacks, unless it is at its bound."""
    if (x.ask > 0.0 and x.p < x.hi) or (x.ask < 0.0 and x.p > x.lo):
        return way * way
    return 0.0


@helper
def position_conditions(joints, memory, ahead, rows, h, drives):
    """Conditions of all rows on the pose at the end of the step; returns the largest error of a joint."""
    clear_rows(rows)
    return math.sqrt(position_rows(joints, memory, ahead, rows, h, drives, 0, joints.row.shape[0]))


@routine
def position_rows(joints, memory, ahead, rows, h, drives, first, last):
    """Conditions of some rows on the pose at the end of the step, from coordinates ``ahead`` (I-025 to I-028):

        ask = -e(t + h) / h        e = distance to what is allowed

    Joints, guides, stops and locks take part; if ``drives``, motors and springs with half of their force too, so that
    motors move at their speed during the flight; grips act on velocities alone. Returns the largest |e|^2 of joints,
    for the rows of one joint that follow each other the square of the Euclidean norm.
    """
    worst, square, owner = 0.0, 0.0, NONE
    for r in range(first, last):
        row, x = joints.row[r], rows.number[r]
        if row.plain == 1 and (drives or row.gain > 0.0):
            if not is_broken(row, memory):
                c = row_error(joints, ahead, r)
                x.error = c
                c -= x.begin
                x.ask = -c / h
                square = c * c + (square if row.owner == owner and owner != NONE else 0.0)
                owner = row.owner
                worst = max(worst, square)
                take_part(joints, rows, r)
            continue
        if drives and (row.mode == DRIVE or row.mode == SERVO) and not is_broken(row, memory):
            if joints.coordinate[joints.term[row.term_first].coordinate].kind == SPIN:
                continue  # a rate that is no coordinate's
            bounds(row, memory, x, 0.5 * h)
            x.soft, x.ask = 0.0, x.want - (row_error(joints, ahead, r) - x.begin) / h
            worst = max(worst, still_to_go(x, x.ask * h))
            take_part(joints, rows, r)
            continue
        if drives and is_spring(row) and not is_broken(row, memory):
            x.ask = x.want - (row_error(joints, ahead, r) - x.begin) / h - x.soft * x.p
            if x.soft > 0.0:
                worst = max(worst, still_to_go(x, x.ask * h * x.diag / (x.diag + x.soft)))
                take_part(joints, rows, r)
            continue
        if not (row.mode == LIMIT or row.mode == LOCK or row.mode == LED) or is_spring(row) or is_broken(row, memory):
            continue
        c = row_error(joints, ahead, r)
        x.soft, x.lo, x.hi = 0.0, -math.inf, math.inf
        if row.mode == LED:
            c -= x.begin + h * x.want
        elif row.mode == LOCK:
            if not locked(row, memory) or memory.integral[r] == OPEN:
                continue
            c -= memory.integral[r]
        elif c < row.low or x.p > 0.0:
            c -= row.low
            x.lo = 0.0
        elif c > row.high or x.p < 0.0:
            c -= row.high
            x.hi = 0.0
        else:
            continue
        x.error, x.ask = c, -c / h
        take_part(joints, rows, r)
        if not ((x.lo > -math.inf and c > 0.0) or (x.hi < math.inf and c < 0.0)):  # a bound may keep an error open
            worst = max(worst, c * c)
    return worst
