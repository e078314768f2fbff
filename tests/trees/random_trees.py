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
BALL, FREE = 7, 8


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
    z = unit(rng.normal(size=3))
    x = unit(np.cross(z, rng.normal(size=3)))
    a, c = (child, parent) if back else (parent, child)
    numbers = {"name": name, "a": a, "b": c, "at": tuple(at + 0.5 * rng.normal(size=3))}
    if kind not in ("ball", "rigid"):
        numbers |= {"axis": tuple(z), "x_axis": tuple(x)}
    if kind == "screw":
        numbers["lead"] = 0.3
    b.add(JOINTS[kind](**numbers))


def random_tree(seed, count=8, kinds=tuple(JOINTS), free=False, gravity=(0.3, -0.4, -9.81)):
    """A tree of so many bodies; its first body is free, or hangs at the world."""
    rng = np.random.default_rng(seed)
    b = gk.Builder(gravity=gravity)
    for i in range(count):
        at = body(b, f"b{i}", rng)
        if free and i == 0:
            continue
        parent = "world" if i == 0 else f"b{rng.integers(i)}"
        joint(b, kinds[rng.integers(len(kinds))], f"j{i}", parent, f"b{i}", at, rng, back=rng.random() < 0.4)
    return b.build()


def random_motion(tree, seed):
    """(q, u) of any size, quaternions of length 1."""
    rng = np.random.default_rng(seed)
    q, u = rng.normal(size=tree.nq), rng.normal(size=tree.nu)
    for link in tree.tree.link:
        first = int(link.q) + (3 if link.kind == FREE else 0)
        if link.kind in (BALL, FREE):
            q[first : first + 4] = unit(q[first : first + 4])
    return q, u


def moved(tree, q, u, h):
    """Coordinates after h at constant velocities, by the rates that the documentation of the joints gives."""
    q = q.copy()
    for link in tree.tree.link:
        k, i, n = int(link.q), int(link.u), int(link.last) - int(link.u)
        turn, spin = (k + 3, i + 3) if link.kind == FREE else (k, i)
        if link.kind == FREE:
            q[k : k + 3] += h * u[i : i + 3]
        if link.kind in (BALL, FREE):
            w = u[spin : spin + 3] * h
            angle = np.linalg.norm(w)
            s = np.sinc(0.5 * angle / np.pi) * 0.5
            q[turn : turn + 4] = times(q[turn : turn + 4], np.array([np.cos(0.5 * angle), *(s * w)]))
        else:
            q[k : k + n] += h * u[i : i + n]
    return q


def times(p, q):
    """Product of two quaternions."""
    w, v, x, y = p[0], p[1:], q[0], q[1:]
    return np.array([w * x - v @ y, *(w * y + x * v + np.cross(v, y))])
