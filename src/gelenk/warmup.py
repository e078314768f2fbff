"""Compile everything ahead, in several processes, with progress."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from gelenk.forces.spring import Spring
from gelenk.geometry.shapes import Box, Capsule, Cylinder, Plane, Sphere
from gelenk.joints.ball import Ball
from gelenk.methods.free import INTEGRATORS, FreeMotion
from gelenk.methods.impulse import Impulse
from gelenk.methods.method import Method
from gelenk.methods.observe import observe
from gelenk.methods.observe_joints import JointWatch
from gelenk.methods.row_stepping import RowStepping
from gelenk.model.builder import Builder
from gelenk.space.world import CollisionWorld

METHODS: dict[str, Method] = {  # with the solver that each has by itself; what takes longest comes first
    "impulse": Impulse(),
    "row_stepping": RowStepping(),
    **{f"free.{name}": FreeMotion(integrator=scheme()) for name, scheme in INTEGRATORS.items()},
}
CASES = (*METHODS, "observe", "contacts", "contact forces")


def warm(case: str) -> float:
    """Compile what one case needs, or take it from the cache; returns the seconds."""
    begun = time.perf_counter()
    b = Builder()
    b.particle("a", mass=1.0)
    b.particle("b", mass=1.0, at=(1, 0, 0))
    b.add(Spring("s", "a", "b", stiffness=1.0, rest_length=1.0))
    if not case.startswith("free."):
        b.add(Ball(name="j", a="world", b="b"))
    model = b.build()
    state = model.initial_state()
    if case == "contacts":
        warm_contacts()
    elif case == "contact forces":
        b.body("ground", shape=Plane(), static=True)
        b.body("box", shape=Box((1, 1, 1)), density=1.0, at=(0, 0, 0.5))
        RowStepping().begin(b.build(), state)  # which compiles the stages of contact
    elif case == "observe":
        observe(model.system, state, 0.0)
        JointWatch(model.wired, state).look()
    else:
        method = METHODS[case]
        method.begin(model, state).advance(0.0, method.h, 0, 1)
    return time.perf_counter() - begun


def warm_contacts() -> None:
    """Contacts of the most usual shapes, and rays among them."""
    b = Builder()
    b.body("ground", shape=Plane(), static=True)
    for k, shape in enumerate((Sphere(0.5), Box((1, 1, 1)), Capsule(0.5, 1.0), Cylinder(0.5, 1.0))):
        b.body(f"b{k}", shape=shape, density=1.0, at=(3.0 * k, 0, 0.5))
    CollisionWorld(b.build()).ray((0, 0, 5), (0, 0, -1))


def warm_all(done: Callable[[str, float, int, int], None], processes: int | None = None) -> None:
    """Run all cases; calls ``done(case, seconds, finished, total)`` as each ends."""
    workers = max(1, min(processes or os.cpu_count() or 1, len(CASES)))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        jobs = {pool.submit(warm, case): case for case in CASES}
        for finished, job in enumerate(as_completed(jobs), start=1):
            done(jobs[job], job.result(), finished, len(CASES))
