"""Random trees of all joints, some turned around, with bodies of any inertia."""

import numpy as np

import gelenk as gk

JOINTS = {
    "hinge": gk.Hinge,
    "slider": gk.Slider,
    "cylindrical": gk.Cylindrical,
    "screw": gk.Screw,
    "universal": gk.Universal,
    "planar": gk.Planar,
    "ball": gk.Ball,
    "rigid": gk.Rigid,
}
CURVED = {"slider_on_curve": gk.SliderOnCurve, "ball_on_curve": gk.BallOnCurve}
ALL = (*JOINTS, *CURVED)
BALL, FREE, BEAD = 7, 8, 11
QUATERNION = {BALL: 0, FREE: 3, BEAD: 1}  # where it begins among the coordinates of a kind, and its velocities


def unit(v):
    return v / np.linalg.norm(v)


def body(b, name, rng):
    """A body whose principal moments obey the triangle inequality."""
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    inertia = turn @ np.diag(np.array([1.0, 1.2, 1.5]) * rng.uniform(0.5, 2.0)) @ turn.T
    at, com, mass = rng.normal(size=3), rng.normal(size=3) * 0.3, rng.uniform(0.5, 3.0)
    b.body(name, mass=mass, inertia=0.5 * (inertia + inertia.T), at=at, com=com, rotation=unit(rng.normal(size=4)))
    return at


def joint(b, kind, name, parent, child, at, rng, back):
    """A joint somewhere between two bodies."""
    if kind in CURVED:
        a, c = (child, parent) if back else (parent, child)
        points = at + 0.5 * rng.normal(size=3) + ring(rng)
        place = gk.Curve(tuple(map(tuple, points)), True)
        place = tuple(place.at(np.array([0.4 * place.length]))[0])
        b.add(CURVED[kind](name=name, a=a, b=c, points=tuple(map(tuple, points)), closed=True, at=place))
        return
    z = unit(rng.normal(size=3))
    x = unit(np.cross(z, rng.normal(size=3)))
    a, c = (child, parent) if back else (parent, child)
    numbers = {"name": name, "a": a, "b": c, "at": tuple(at + 0.5 * rng.normal(size=3))}
    if kind not in ("ball", "rigid"):
        numbers |= {"axis": tuple(z), "x_axis": tuple(x)}
    if kind == "screw":
        numbers["lead"] = 0.3
    b.add(JOINTS[kind](**numbers))


def ring(rng, count=9):
    """Points of a closed curve in space, once round an axis of any direction."""
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    radius = 1.0 + 0.15 * rng.normal(size=count)
    flat = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), 0.3 * rng.normal(size=count)])
    return flat @ np.linalg.qr(rng.normal(size=(3, 3)))[0].T


def random_tree(seed, count=8, kinds=tuple(JOINTS), free=False, gravity=(0.3, -0.4, -9.81), driven=0):
    """A tree of so many bodies; its first body is free, or hangs at the world. Some hinges and sliders are driven."""
    rng = np.random.default_rng(seed)
    b = gk.Builder(gravity=gravity)
    for i in range(count):
        at = body(b, f"b{i}", rng)
        if free and i == 0:
            continue
        parent = "world" if i == 0 else f"b{rng.integers(i)}"
        kind = kinds[rng.integers(len(kinds))]
        joint(b, kind, f"j{i}", parent, f"b{i}", at, rng, back=rng.random() < 0.4)
        if driven and kind in ("hinge", "slider"):
            b.add(gk.Driven(name=f"drive{i}", on=f"j{i}", velocity=0.0))
            driven -= 1
    return b.build()


def random_motion(tree, seed):
    """(q, u) of any size, quaternions of length 1."""
    rng = np.random.default_rng(seed)
    q, u = rng.normal(size=tree.nq), rng.normal(size=tree.nu)
    for link in tree.tree.link:
        if link.kind in QUATERNION:
            first = int(link.q) + QUATERNION[int(link.kind)]
            q[first : first + 4] = unit(q[first : first + 4])
    return q, u


def moved(tree, q, u, h):
    """Coordinates after h at constant velocities, by the rates that the documentation of the joints gives."""
    q = q.copy()
    for link in tree.tree.link:
        k, i, n = int(link.q), int(link.u), int(link.last) - int(link.u)
        place = QUATERNION.get(int(link.kind), n)  # numbers whose rates are the velocities come before it
        q[k : k + place] += h * u[i : i + place]
        if link.kind in QUATERNION:
            w = u[i + place : i + place + 3] * h
            angle = np.linalg.norm(w)
            s = np.sinc(0.5 * angle / np.pi) * 0.5
            turn = k + place
            q[turn : turn + 4] = times(q[turn : turn + 4], np.array([np.cos(0.5 * angle), *(s * w)]))
    return q


def times(p, q):
    """Product of two quaternions."""
    w, v, x, y = p[0], p[1:], q[0], q[1:]
    return np.array([w * x - v @ y, *(w * y + x * v + np.cross(v, y))])
