"""Gelenk itself in the bench."""

from __future__ import annotations

from typing import ClassVar

from gelenk.bench.free_scene import GRAVITY, FreeScene
from gelenk.bench.gelenk_runner import GelenkRunner
from gelenk.methods.free import INTEGRATORS, FreeMotion
from gelenk.model.builder import Builder


class GelenkFree(GelenkRunner):
    """One model of n bodies; k steps are one call of the compiled step."""

    variants: ClassVar[tuple[str, ...]] = ("semi_implicit_euler", "runge_kutta4")

    def __init__(self, scene: FreeScene, dt: float, variant: str) -> None:
        b = Builder(gravity=(0.0, 0.0, -GRAVITY), name="free")
        for i in range(len(scene.mass)):
            b.body(
                f"box{i}",
                mass=scene.mass[i],
                inertia=scene.inertia[i],
                at=scene.p_WC[i],
                rotation=scene.q_WB[i],
                velocity=scene.v_WC[i],
                angular_velocity=scene.w_WB[i],
            )
        super().__init__(b.build(), FreeMotion(h=dt, integrator=INTEGRATORS[variant]()))


ENGINES = {"free": GelenkFree}
