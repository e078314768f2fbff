"""Where a sled touches: two points on each runner, four bumpers, five points of its rim (B-57, B-58, B-60)."""

from __future__ import annotations

from gelenk.forces.runner_friction import RunnerFriction
from gelenk.forces.segment_contacts import SegmentContacts
from gelenk.model.builder import Builder
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.sled import sled_data

ACROSS_RUNNER = (1.0, 0.0, 0.0)  # body axis to the left; t = a x n then points ahead
RUNNERS, FRONT_BUMPERS, REAR_BUMPERS, RIM = "runner", "front bumper", "rear bumper", "rim"


def add_touch(builder: Builder, setup: Setup, ground: str, *, smooth: bool = False) -> list[str]:
    """Let the sled touch a static body by its 17 points; the names of what is added.

    Runners have their friction along and across, whatever is under them; bumpers and rim slide by Coulomb's law, and
    bumpers spring back by the restitution of the set-up.
    """
    friction: dict[str, float | RunnerFriction] = {
        RUNNERS: runner_friction(setup),
        FRONT_BUMPERS: setup.bumper_friction,
        REAR_BUMPERS: setup.bumper_friction,
        RIM: setup.rim_friction,
    }
    names = []
    for kind, table in sled_data()["touch"].items():
        for body in table["bodies"]:
            name = f"{body} on {ground}" if kind == RUNNERS else f"{kind} on {ground}"
            names.append(
                builder.add(
                    SegmentContacts(
                        name,
                        body,
                        table["points"],
                        table["segments"],
                        ground,
                        friction=friction[kind],
                        restitution=setup.bumper_restitution if kind in (FRONT_BUMPERS, REAR_BUMPERS) else 0.0,
                        axis=ACROSS_RUNNER if kind == RUNNERS else None,
                        smooth=smooth,
                    )
                )
            )
    return names


def runner_friction(setup: Setup) -> RunnerFriction:
    """Friction of the runners with a set-up."""
    return RunnerFriction(
        along=setup.friction_along,
        straight_share=setup.straight_share,
        across_min=setup.friction_across_min,
        across_max=setup.friction_across_max,
        full_load=setup.full_load,
    )
