"""What the page of a driver offers beside the steering: light, sails, and the set-up (B-64, B-66)."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from gelenk.view.devices import Input
from gelenk.view.dialog import ChoiceField, Dialog, NumberField, TextField
from gelenk.view.parameters import Parameter
from gelenk.worlds.bobsleigh.setup import SPRINGS, Setup

if TYPE_CHECKING:
    from gelenk.worlds.bobsleigh.drive.game import Game

NUMBERS = {  # fields of the set-up with their ends and units
    "start_speed": ("Start speed", 0.0, 14.0, "m/s"),
    "directness": ("Directness of the steering", 0.3, 1.5, ""),
    "friction_along": ("Friction along", 0.001, 0.02, ""),
    "straight_share": ("Flat share of the friction", 0.0, 0.95, ""),
    "friction_across_min": ("Friction across, no load", 0.005, 0.2, ""),
    "friction_across_max": ("Friction across, full load", 0.02, 0.4, ""),
    "bumper_restitution": ("Rebound of the bumpers", 0.0, 0.6, ""),
}


def switches(game: Game) -> list[Parameter]:
    """Where the sun stands, night and sails, in the panel of parameters."""

    def azimuth(sim: Any, value: float) -> None:
        game.turn_sun(value, game.sun[1])

    def height(sim: Any, value: float) -> None:
        game.turn_sun(game.sun[0], value)

    def night(sim: Any, value: float) -> None:
        game.turn_night(value > 0.5)

    def sails(sim: Any, value: float) -> None:
        game.turn_sails(value > 0.5)

    return [
        Parameter("sun from", get=lambda sim: game.sun[0], set=azimuth, high=360.0, unit="deg"),
        Parameter("sun height", get=lambda sim: game.sun[1], set=height, low=1.0, high=80.0, unit="deg"),
        Parameter("night", get=lambda sim: float(game.night), set=night, switch=True),
        Parameter("sun sails", get=lambda sim: float(game.sails), set=sails, switch=True),
    ]


def keys(game: Game) -> list[Input]:
    """Night and sails by the keys n and m."""

    def night(sim: Any, value: float) -> None:
        if value > 0.5:
            game.turn_night(not game.night)

    def sails(sim: Any, value: float) -> None:
        if value > 0.5:
            game.turn_sails(not game.sails)

    first = Input("day or night", digital=True, low=0.0, up="KeyN", to=night)
    return [first, Input("sails", digital=True, low=0.0, up="KeyM", to=sails)]


def set_up(game: Game) -> Dialog:
    """The set-up, saved and loaded under the names of pilots."""
    values = asdict(game.setup)
    fields: list[Any] = [TextField("pilot", values["pilot"], label="Pilot")]
    for name, (label, low, high, unit) in NUMBERS.items():
        fields.append(NumberField(name, values[name], low=low, high=high, unit=unit, label=label))
    for name, label in (("middle_springs", "Springs of the joint"), ("front_springs", "Springs of the axle")):
        fields.append(ChoiceField(name, values[name], tuple(SPRINGS), label=label))

    def chosen(values: dict[str, Any]) -> Setup:
        return replace(game.setup, **values)

    return Dialog(
        "Set-up",
        fields,
        apply=lambda values: game.choose(chosen(values)),
        folder=game.folder / "setups",
        write=lambda path, values: chosen(values).save(path),
        read=lambda path: asdict(Setup.load(path)),
    )
