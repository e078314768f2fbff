"""Models and problems of rows that the tests of all solvers share."""

import numpy as np

import gelenk as gk
from gelenk.methods.row_stepping import RowStepping
from gelenk.solvers.answer import answer
from gelenk.solvers.dantzig import Dantzig
from gelenk.solvers.gauss_seidel import GaussSeidel
from gelenk.solvers.lemke import Lemke
from gelenk.solvers.sparse import Sparse
from gelenk.solvers.split import Split
from gelenk.solvers.tree import Tree

DIRECT = [Dantzig(), Lemke(), Sparse(), Tree(), Split()]
SWEEPS = GaussSeidel(sweeps=400_000, tolerance=1e-14)
KINDS = (gk.Hinge, gk.Ball, gk.Slider, gk.Universal, gk.Rigid, gk.Cylindrical, gk.Planar)


def name(x):
    return getattr(x, "kind", str(x))


class Problem:
    """The rows of one step of a model, as data: every solver gets the same."""

    def __init__(self, model, h=0.01, broken=()):
        self.masses, self.h = model.system.masses, h
        self.state, state = model.initial_state(), model.initial_state()
        for joint in broken:
            model.wired.memory(state.memory).broken[model.wired.names.index(joint)] = 1.0
        work = RowStepping(h=h, solver=GaussSeidel(sweeps=1), warm_start=False).begin(model, state)
        work.advance(0.0, h, 0, 1)
        work = work.work
        self.joints, self.bodies, self.rows = work.joints, work.bodies, work.rows
        self.active = self.rows.active[: self.rows.counts[0]].copy()
        self.ask = self.rows.number.ask[self.active].copy()
        self.J, self.inverse_mass = self._matrices()
        self.A = self.J @ self.inverse_mass @ self.J.T + np.diag(self.rows.number.soft[self.active])

    def answer(self, solver, work=None):
        """(residual, impulses of the active rows, change of velocities), from no impulses on."""
        work = solver.workspace(self.joints, self.masses) if work is None else work
        self.rows.number.p[self.active] = 0.0
        residual = answer(work, self.joints, self.masses, self.state, self.bodies, self.rows)
        return residual, self.rows.number.p[self.active].copy(), self.bodies.dV.copy()

    def by_least_squares(self):
        """Change of velocities if no row had bounds, by another method."""
        p = np.linalg.lstsq(self.A, self.ask, rcond=1e-10)[0]
        return (self.inverse_mass @ self.J.T @ p).reshape(-1, 6)

    def reaction(self, p, body):
        """Impulse and angular impulse about its centre of mass that the rows give a body."""
        return (self.J.T @ p).reshape(-1, 6)[body]

    def _matrices(self):
        """J of the active rows and M^-1 as full matrices."""
        J = np.zeros((len(self.active), 6 * len(self.bodies.V)))
        for n, r in enumerate(self.active):
            row = self.joints.row[r]
            for e in range(row.entry_first, row.entry_last):
                i = int(self.joints.body[e])
                J[n, 6 * i : 6 * i + 6] = self.rows.J[e]
        inverse = np.zeros((J.shape[1], J.shape[1]))
        for i in range(len(self.bodies.V)):
            k = 6 * i
            inverse[k : k + 3, k : k + 3] = self.bodies.inv_mass[i] * np.eye(3)
            inverse[k + 3 : k + 6, k + 3 : k + 6] = self.bodies.inv_inertia_W[i]
        return J, inverse


def random_model(seed, bodies=8, loops=0, drives=False):
    """A random tree of mixed joints, closed by rods and balls, driven and limited, in the middle of a wild motion."""
    random = np.random.default_rng(seed)

    def direction(k=3):
        return gk.unit(random.normal(size=k))

    b = gk.Builder()
    place = [np.zeros(3)]
    names = ["world"]
    for n in range(bodies):
        parent = int(random.integers(0, len(names)))
        place.append(place[parent] + random.normal(size=3))
        names.append(f"b{n}")
        b.body(
            names[-1],
            mass=random.uniform(0.5, 3.0),
            inertia=random.uniform(0.2, 0.3, size=3),
            at=place[-1],
            rotation=direction(4),
            velocity=random.normal(size=3),
            angular_velocity=random.normal(size=3),
        )
        kind = KINDS[int(random.integers(len(KINDS)))]
        joint = {"name": f"j{n}", "a": names[parent], "b": names[-1], "at": 0.5 * (place[parent] + place[-1])}
        joint["axis"] = direction()
        free = {gk.Hinge: "angle", gk.Slider: "position"}.get(kind)
        if drives and free and n % 2:
            b.add(kind(**joint, limits=(0.0, 1.0)))  # at its stop
        else:
            b.add(kind(**joint))
        if drives and free:
            most = 1e3 if n % 3 else 0.5  # enough, or not
            b.add(gk.VelocityMotor(name=f"m{n}", on=f"j{n}", speed=0.3, force_max=most))
    for n in range(loops):
        i, k = (int(x) + 1 for x in random.choice(bodies, size=2, replace=False))
        if n % 2:
            b.add(gk.Distance(name=f"loop{n}", a=names[i], b=names[k]))
        else:
            b.add(gk.Ball(name=f"loop{n}", a=names[i], b=names[k], at=0.5 * (place[i] + place[k])))
    return b.build()


def door(turning=0.0):
    """A door on three hinges: 15 rows for 5 degrees of freedom that they take."""
    b = gk.Builder()
    spin = {"angular_velocity": (0, 0, turning), "velocity": (0, 0.45 * turning, 0)}
    b.body("door", shape=gk.Box((0.9, 0.04, 2.0)), mass=20.0, at=(0.45, 0, 1.0), **spin)
    for k, z in enumerate((0.2, 1.0, 1.8)):
        b.add(gk.Hinge(name=f"hinge{k}", a="world", b="door", at=(0, 0, z), axis=(0, 0, 1)))
    return b.build()


CORNERS = np.array([(0, 0, 0), (0, 0, 0.4), (0.9, 0, 0.7), (0.8, 0, 0)], dtype=float)


def crane_loop(braked=False):
    """A planar loop of four hinges in space: 20 rows, of which three repeat others, for one degree of freedom."""
    b = gk.Builder()
    for k in range(3):
        along = CORNERS[k + 1] - CORNERS[k]
        length = float(np.linalg.norm(along))
        half = 0.5 * np.arctan2(-along[2], along[0])
        middle, q = 0.5 * (CORNERS[k] + CORNERS[k + 1]), (np.cos(half), 0.0, np.sin(half), 0.0)
        b.body(f"bar{k}", shape=gk.Box((length, 0.05, 0.05)), mass=1.0 + k, at=middle, rotation=q)
    names = ["world", "bar0", "bar1", "bar2", "world"]
    for k in range(4):
        b.add(gk.Hinge(name=f"hinge{k}", a=names[k], b=names[k + 1], at=CORNERS[k], axis=(0, 1, 0)))
    if braked:
        b.add(gk.VelocityMotor(name="brake", on="hinge0", speed=0.0))
    return b.build()


def necklace(beads):
    """A closed ring of balls that floats and spins."""
    b = gk.Builder(gravity=(0, 0, 0))
    angle = 2.0 * np.pi * np.arange(beads) / beads
    place = np.stack([np.cos(angle), np.sin(angle), np.zeros(beads)], axis=1)
    random = np.random.default_rng(4)
    for k in range(beads):
        b.body(f"bead{k}", shape=gk.Sphere(0.1), mass=1.0, at=place[k], velocity=random.normal(size=3))
    for k in range(beads):
        following = (k + 1) % beads
        at = 0.5 * (place[k] + place[following])
        b.add(gk.Ball(name=f"joint{k}", a=f"bead{k}", b=f"bead{following}", at=at))
    return b.build()


def hanging_chain(links, load):
    """Rods of 1 kg that hang on balls, from top to bottom, with a load below."""
    b = gk.Builder()
    above = "world"
    for k in range(links):
        b.body(f"link{k}", shape=gk.Box((0.04, 0.04, 0.2)), mass=1.0, at=(0, 0, -0.1 - 0.2 * k))
        b.add(gk.Ball(name=f"joint{k}", a=above, b=f"link{k}", at=(0, 0, -0.2 * k)))
        above = f"link{k}"
    b.body("load", shape=gk.Sphere(0.2), mass=load, at=(0, 0, -0.2 * links - 0.2))
    b.add(gk.Ball(name="hook", a=above, b="load", at=(0, 0, -0.2 * links)))
    return b.build()
