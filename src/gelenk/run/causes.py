"""Why energy and momenta of a model change by physics, in words."""

from __future__ import annotations

import math

from gelenk.contact.setup import is_mechanism
from gelenk.model.model import Model
from gelenk.model.parts import WORLD
from gelenk.rows.block import BOX, DRIVE, HOLD, LED, LIMIT, LOCK, NONE, PUSH, SERVO

ACTING = {DRIVE: "motors", SERVO: "motors", PUSH: "motors", LED: "driven joints", LIMIT: "stops", LOCK: "locks"}


def outer_causes(model: Model, contact: bool = False) -> dict[str, str]:
    """What changes "energy", "momentum" and "angular_momentum"; empty where nothing may.

    contact: whether bodies that meet touch, as with methods that know contact.

    Ideal joints, gears and springs without damping keep the energy; whatever acts between bodies keeps both momenta.
    """
    own = sorted({f.kind for f in model.forces} - {"spring"})
    damped = any(getattr(f, "damping", 0.0) for f in model.forces)
    fixed = {WORLD, *(b.name for b in model.bodies if b.static), *(p.name for p in model.particles if p.static)}
    springs = any({getattr(f, "a", ""), getattr(f, "b", "")} & fixed for f in model.forces)
    acting, joints_damp, joints_held = joint_causes(model)
    outer = ["gravity"] if any(model.gravity) else []
    outer += own
    outer += ["springs to what is fixed"] if springs else []
    outer += ["joints to what is fixed"] if joints_held else []
    meet = contact and not is_mechanism(model)
    outer += ["contact with what is fixed"] if meet and collides_with_fixed(model) else []
    inner = [
        *own,
        *(["friction and impacts"] if meet else []),
        *(["dampers"] if damped or joints_damp else []),
        *acting,
    ]
    causes = {"energy": inner, "momentum": outer, "angular_momentum": outer}
    return {what: ", ".join(why) for what, why in causes.items() if why}


def collides_with_fixed(model: Model) -> bool:
    """Whether there is something fixed to run into."""
    return any(b.static and any(part.collide for part in b.parts) for b in model.bodies)


def joint_causes(model: Model) -> tuple[list[str], bool, bool]:
    """What joints bring: what acts in words, whether any row damps, whether any holds to what is fixed."""
    joints = model.wired.joints
    acting: set[str] = set()
    damped = held = False
    for row in joints.row:
        if row.mode in ACTING:
            acting.add(ACTING[row.mode])
        elif row.mode == HOLD and (row.set != BOX or row.low > -math.inf or row.high < math.inf or row.target != NONE):
            acting.add("grips")
        damped = damped or row.damping > 0.0
        terms = joints.term[row.term_first : row.term_last]
        held = held or bool(((terms["slot_a"] == NONE) | (terms["slot_b"] == NONE)).any())
    return sorted(acting), bool(damped), held
