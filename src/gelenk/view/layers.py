"""What is computed for pages that want to see it: contacts, and colours by load, cluster, sleep or speed.

A page says with a :class:`Show` which of them it wants. Nobody pays for what nobody sees, and what is seen takes no
more than a small share of the time: something that is slow to compute is computed less often, and shown again as it
was meanwhile.
"""

from __future__ import annotations

import colorsys
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from gelenk.graph.graph import ContactGraph
from gelenk.simulate import Simulation
from gelenk.space.load_colors import STOPS, contact_loads
from gelenk.view.frame import COLOURINGS, COLOURS, COLOURS_HEAD, CONTACTS, Section
from gelenk.view.from_page import Show

SHARE = 0.05  # of the time that a layer may take while the simulation plays
FADES = 0.97  # of the largest load or speed that is kept from picture to picture, so that colours do not flicker
STILL = (0.74, 0.75, 0.76)  # what does not move
ALONE = (0.66, 0.70, 0.75)  # what touches nothing
ASLEEP, AWAKE = (0.38, 0.44, 0.55), (0.93, 0.68, 0.30)
GOLDEN = 0.381966  # steps of hue that keep apart, whatever their number


class Kept(NamedTuple):
    """A section that was computed: for which simulation, when, and how long it took [s]."""

    sim: Simulation
    at: float
    cost: float
    section: Section


class Layers:
    """Makes the sections that pages want.

    Parameters
    ----------
    playing : whether there will be a next frame soon; else everything is computed anew
    wall : what tells wall time [s]
    """

    def __init__(self, playing: Callable[[], bool], wall: Callable[[], float] = time.perf_counter) -> None:
        self._playing, self._wall = playing, wall
        self.wanted: dict[int, tuple[str, ...]] = {}  # by client
        self._largest: dict[str, float] = {}
        self._kept: dict[str, Kept] = {}
        self._make: dict[str, Callable[[Simulation], Section]] = {
            "contacts": contact_section,
            "load": lambda sim: colour_section("load", *self._by_load(sim)),
            "cluster": lambda sim: colour_section("cluster", by_cluster(sim)),
            "sleeping": lambda sim: colour_section("sleeping", by_sleeping(sim)),
            "speed": lambda sim: colour_section("speed", *self._by_speed(sim)),
        }

    def show(self, client: int, message: Show) -> None:
        """A page wants these from now on, and no others."""
        self.wanted[client] = message.layers

    def leave(self, client: int) -> None:
        """A page is gone, and wants nothing any more."""
        self.wanted.pop(client, None)

    @property
    def makers(self) -> list[Callable[[Simulation], Section | None]]:
        """One for each layer; gives nothing if no page wants it."""
        return [partial(self._section, name) for name in self._make]

    def _section(self, name: str, sim: Simulation) -> Section | None:
        if not any(name in layers for layers in self.wanted.values()):
            self._kept.pop(name, None)
            return None
        begun, kept = self._wall(), self._kept.get(name)
        if kept is not None and kept.sim is sim and self._playing() and begun - kept.at < kept.cost / SHARE:
            return kept.section
        section = self._make[name](sim)
        self._kept[name] = Kept(sim, begun, self._wall() - begun, section)
        return section

    def _by_load(self, sim: Simulation) -> tuple[np.ndarray, float]:
        loads = np.zeros(sim.model.nodes.count)
        loads[1 : len(sim.model.bodies) + 1] = list(contact_loads(sim).values())
        return self._scaled("load", sim, loads)

    def _by_speed(self, sim: Simulation) -> tuple[np.ndarray, float]:
        return self._scaled("speed", sim, np.linalg.norm(sim.state.v_WC, axis=1))

    def _scaled(self, name: str, sim: Simulation, values: np.ndarray) -> tuple[np.ndarray, float]:
        """Colours of values from none to the largest, blue to red; and the value that is red."""
        moving = moves(sim)
        largest = max(float(np.max(values[moving], initial=0.0)), FADES * self._largest.get(name, 0.0))
        self._largest[name] = largest
        share = np.clip(values / (largest or 1.0), 0.0, 1.0)
        stops = np.linspace(0.0, 1.0, len(STOPS))
        made = np.stack([np.interp(share, stops, STOPS[:, c]) for c in range(3)], axis=1)
        made[~moving] = STILL
        return made, largest


def contact_section(sim: Simulation) -> Section:
    """Points and forces of all contacts, in the order of ``sim.contacts``; the force is that on what moves."""
    contacts = sim.contacts
    still = {name for name, moving in zip(sim.model.nodes.names, moves(sim).tolist()) if not moving}
    table = np.empty((len(contacts), 6), dtype="<f4")
    if contacts:
        table[:, :3] = [c.point for c in contacts]
        table[:, 3:] = [-c.force if c.b in still else c.force for c in contacts]
    return Section(CONTACTS, table.tobytes())


def colour_section(name: str, colours: np.ndarray, highest: float = 0.0, lowest: float = 0.0) -> Section:
    """A colour a node, after what they tell and which values the ends of their scale stand for."""
    head = COLOURS_HEAD.pack(COLOURINGS.index(name), lowest, highest)
    return Section(COLOURS, head + np.rint(255.0 * colours).astype(np.uint8).tobytes())


def by_cluster(sim: Simulation) -> np.ndarray:
    """A hue a cluster, of its first body, so that it stays while the cluster does."""
    nodes = sim.model.nodes
    made = np.empty((nodes.count, 3))
    made[:] = ALONE
    made[~moves(sim)] = STILL
    row = {name: i for i, name in enumerate(nodes.names)}
    for cluster in ContactGraph(sim.model, sim.contacts, state=sim.state).clusters():
        members = [row[name] for name in cluster.bodies]
        if len(members) + len(cluster.fixed) > 1:
            made[members] = colorsys.hls_to_rgb((GOLDEN * min(members)) % 1.0, 0.55, 0.5)
    return made


def by_sleeping(sim: Simulation) -> np.ndarray:
    """Warm what is awake, cool what sleeps."""
    made = np.empty((sim.model.nodes.count, 3))
    made[:] = AWAKE
    made[~moves(sim)] = STILL
    asleep = set(sim.asleep)
    made[[i for i, name in enumerate(sim.model.nodes.names) if name in asleep]] = ASLEEP
    return made


def moves(sim: Simulation) -> np.ndarray:
    """Which nodes are not static."""
    moving: np.ndarray = sim.model.system.masses.inv_mass > 0.0
    return moving
