"""The reference models by name, the methods that run them, and how far a run is from the truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gelenk.bench.reference import linkages, touching, turning
from gelenk.contact.options import ContactOptions
from gelenk.contact.setup import AUTO
from gelenk.methods.impulse import Impulse
from gelenk.methods.method import Method
from gelenk.methods.moreau_tree import MoreauTree
from gelenk.methods.row_stepping import RowStepping
from gelenk.model.model import Model
from gelenk.simulate import Simulation

SAMPLES = 8  # times at which a run is compared, the last of them its end


class Case(NamedTuple):
    """A model, how long it runs, and where its bodies truly are."""

    name: str
    model: Callable[[], Model]
    places: Callable[[np.ndarray], np.ndarray]  # times [s] -> (times, bodies, 3) [m]
    bodies: tuple[str, ...]
    t_end: float  # [s] short enough for chaos not to rule
    kind: str  # "tree": joints alone, "loop": closed ones, "contact"

    @property
    def times(self) -> np.ndarray:
        """When a run is compared [s]."""
        return self.t_end * np.arange(1, SAMPLES + 1) / SAMPLES


def linkage_case(name: str, linkage: linkages.Linkage, t_end: float, kind: str) -> Case:
    """A case of rods on hinges."""
    bodies = tuple(f"r{k}" for k in range(len(linkage.rods)))

    def model() -> Model:
        return linkages.linkage_model(linkage)

    def places(times: np.ndarray) -> np.ndarray:
        return linkages.linkage_places(linkage, times)

    return Case(name, model, places, bodies, t_end, kind)


ALL = (
    linkage_case("compound pendulum", linkages.chain(1), 1.0, "tree"),
    linkage_case("double pendulum", linkages.chain(2), 0.6, "tree"),
    linkage_case("five pendulums", linkages.chain(5), 0.5, "tree"),
    Case("heavy top", turning.heavy_top_model, turning.heavy_top_places, ("top",), 0.3, "tree"),
    linkage_case("four-bar", linkages.FOUR_BAR, 0.8, "loop"),
    linkage_case("slider-crank", linkages.SLIDER_CRANK, 0.4, "loop"),
    Case("cart on a slope", touching.cart_model, touching.cart_places, ("cart",), 0.8, "contact"),
    Case("bouncing ball", touching.ball_model, touching.ball_places, ("ball",), 0.8, "contact"),
    Case("block with friction", touching.block_model, touching.block_places, ("block",), 0.8, "contact"),
    Case("rolling coin", turning.coin_model, turning.coin_places, ("coin",), 0.4, "contact"),
    Case("toppling tower", touching.tower_model, touching.tower_places, ("brick0", "brick1", "brick2"), 0.3, "contact"),
    Case("walking toy", touching.toy_model, touching.toy_places, ("wheel", "rider"), 0.8, "contact"),
)
CASES: dict[str, Case] = {case.name: case for case in ALL}


def methods_for(h: float, contact: ContactOptions | str = AUTO) -> dict[str, Method]:
    """The three methods as they come, with a step [s]."""
    return {
        "MoreauTree": MoreauTree(h=h, cut="auto", contact=contact),
        "RowStepping": RowStepping(h=h, contact=contact),
        "Impulse": Impulse(h=h, contact=contact),
    }


def errors_of(case: Case, method: Method, places: np.ndarray, model: Model | None = None) -> np.ndarray:
    """(times,) how far the body that is farthest from its true place is from it [m]."""
    sim = Simulation(case.model() if model is None else model, method)
    count = round(case.t_end / (SAMPLES * method.h))
    errors = []
    for true in places:
        sim.step(count)
        seen = np.array([sim[name].position for name in case.bodies])
        errors.append(float(np.linalg.norm(seen - true, axis=1).max()))
    return np.array(errors)
