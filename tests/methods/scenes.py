"""Small models with closed forms, shared by the tests of free motion."""

import numpy as np

import gelenk as gk
from exact.drag_flight import drag_flight
from exact.free_top import free_top
from exact.two_bodies_spring import two_bodies_spring

INTEGRATORS = [
    gk.SemiImplicitEuler(),
    gk.ExplicitMidpoint(),
    gk.ImplicitMidpoint(),
    gk.RungeKutta4(),
    gk.Ballistic(),
    gk.DormandPrince(),
]
FIXED = INTEGRATORS[:4]


def name(x):
    return getattr(x, "kind", str(x))


def tilted():
    """A unit quaternion that is no axis turn."""
    return gk.unit((0.9, -0.3, 0.2, 0.25))


def top(inertia=(1.0, 2.0, 3.0), w_B=(0.3, 2.0, 0.5), q=None):
    """A torque-free body with principal moments and a spin in body axes."""
    q = tilted() if q is None else q
    w_W = gk.math.rotation.rotation_matrix(q) @ np.array(w_B)
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("top", mass=2.0, inertia=inertia, rotation=q, angular_velocity=w_W, at=(1, 2, 3), velocity=(0.1, -0.2, 0.3))
    return b.build()


def finish(model, integrator, h, t_end):
    """The simulation after t_end."""
    sim = gk.Simulation(model, gk.FreeMotion(h=h, integrator=integrator))
    sim.advance(t_end)
    return sim


def angle_between(q, p):
    """Rotation angle from q to p [rad]; by the chord, so that small angles keep their digits."""
    q, p = np.asarray(q), np.asarray(p)
    chord = min(np.linalg.norm(q - p), np.linalg.norm(q + p))
    return 4 * np.arcsin(min(1.0, 0.5 * chord))


class TopProblem:
    """Torque-free asymmetric body; the error is the angle to the exact attitude [rad] (I-018, I-019)."""

    kind, t_end, steps = "top", 1.0, (50, 100, 200, 400)
    inertia, w_B = (1.0, 2.0, 3.0), (0.3, 2.0, 0.5)

    def model(self):
        return top(self.inertia, self.w_B)

    def error(self, sim):
        exact = free_top(self.t_end, self.inertia, np.array(self.w_B), np.array(tilted()))
        return angle_between(sim["top"].orientation, exact.q_WB)


class FastTopProblem(TopProblem):
    """A faster, wilder spin."""

    kind, w_B = "fast top", (2.0, 4.0, 6.0)


class SpringProblem:
    """Two particles on a damped spring; the error is that of the first one's position [m]."""

    kind, t_end, steps = "spring pair", 1.0, (50, 100, 200, 400)
    data = {"mass_A": 1.0, "mass_B": 2.5, "stiffness": 30.0, "damping": 0.4, "rest_length": 1.0}
    start = {"p_WA0": (0.0, 0.0, 0.0), "p_WB0": (1.2, 0.0, 0.0), "v_WA0": (0.1, 0.0, 0.2), "v_WB0": (-0.4, 0.0, 0.2)}

    def model(self):
        b = gk.Builder(gravity=(0, 0, 0))
        b.particle("a", mass=1.0, at=self.start["p_WA0"], velocity=self.start["v_WA0"])
        b.particle("b", mass=2.5, at=self.start["p_WB0"], velocity=self.start["v_WB0"])
        b.add(gk.Spring("s", "a", "b", stiffness=30.0, rest_length=1.0, damping=0.4))
        return b.build()

    def error(self, sim):
        exact = two_bodies_spring(self.t_end, **self.data, **{k: np.array(v) for k, v in self.start.items()})
        return np.linalg.norm(sim["a"].position - exact[0])


class DragProblem:
    """Fall with quadratic drag; the error is that of the height [m] (B-08).

    One branch only: |v| v has a kink in its second derivative where v = 0, which would cost the higher orders.
    """

    kind, t_end, steps = "drag flight", 2.0, (16, 32, 64, 128)
    v0 = -3.0

    def model(self):
        b = gk.Builder()
        b.body("ball", shape=gk.Sphere(0.05), mass=0.3, velocity=(0, 0, self.v0), at=(0, 0, 1))
        b.add(gk.Drag("air", "ball", area=0.05, air_density=1.2))
        return b.build()

    def error(self, sim):
        exact = drag_flight(sim.time, mass=0.3, gravity=9.81, drag=0.5 * 1.2 * 0.05, z0=1.0, v0=self.v0)
        return abs(sim["ball"].position[2] - exact.z)


class ThrowProblem(DragProblem):
    """The same thrown upward, through the apex."""

    kind, v0 = "throw with drag", 12.0


PROBLEMS = [TopProblem(), SpringProblem(), DragProblem()]
