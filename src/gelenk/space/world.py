"""Where the bodies of a model touch or come near (V-06, V-29, V-33, V-34, H-71, I-089, I-091)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_choice, check_number
from gelenk.collision.broad.candidates import pairs_of
from gelenk.collision.broad.choose import choose_phase
from gelenk.collision.broad.pair_filter import ABSENT, MOVING, STILL
from gelenk.collision.broad.phase import new_pairs
from gelenk.collision.collider import place_colliders
from gelenk.collision.contacts import enlarged, find_contacts, keep_deepest, new_contacts, take_pairs
from gelenk.collision.manifold import MANY
from gelenk.collision.pair_table import OTHERS
from gelenk.collision.query.sweep import new_sweep_space
from gelenk.collision.seam_links import Seams, new_seams
from gelenk.collision.seam_pass import compile_seams
from gelenk.collision.tables import new_narrow_work, roomier_work
from gelenk.errors import InputError
from gelenk.model.colliders import ModelColliders, model_colliders
from gelenk.model.model import Model
from gelenk.model.states import StateCheck
from gelenk.progress import compiling
from gelenk.space.events import CollisionEvent, EventLog
from gelenk.space.impacts import Impacts
from gelenk.space.pair_queries import PairQueries
from gelenk.space.picture import TOWARD, draw_world
from gelenk.space.queries import Queries
from gelenk.state import State

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = ("region", "one")


@friendly
class CollisionWorld(Queries, PairQueries, Impacts):
    """The shapes of a model in space.

    >>> world = CollisionWorld(model)                     # doctest: +SKIP
    >>> for c in world.detect(sim.state):                 # doctest: +SKIP
    ...     print(c.a, c.b, c.distance, c.normal)

    :meth:`detect` moves the shapes to where a state has them; contacts, events and queries are as of the last call.
    What pairs remember makes the next call faster and changes no result beyond round-off.

    Parameters
    ----------
    model : what exists
    margin : distance up to which contacts are reported [m]; 2 % of the smallest extent of what moves if left out
    points : "region" for as many as rest needs, "one" for the deepest of each pair of shapes alone
    method : another way for some pairs: "gjk" for boxes and hulls, "sparing boxes"
    broad : a broad phase by name, such as "sweep", "tree" or "grid" (all are in ``collision.broad.choose.MAKE``); the
        one that fits the scene if left out
    seams : whether surroundings of several parts side by side are one surface, on which nothing catches; gaps
        and steps from 0.1 % of the smallest side of what moves on count
    """

    def __init__(
        self,
        model: Model,
        *,
        margin: float | None = None,
        points: str = "region",
        method: str | None = None,
        broad: str | None = None,
        seams: bool = True,
    ) -> None:
        if not isinstance(model, Model):
            raise InputError("CollisionWorld", f"model is {model!r}"[:100], "a Model", "Pass builder.build().")
        if margin is not None:
            margin = check_number("CollisionWorld", "margin", margin, "m", least=0)
        if method is not None:
            check_choice("CollisionWorld", "method", method, tuple(OTHERS))
        self._single = check_choice("CollisionWorld", "points", points, POINTS) == "one"
        if not isinstance(seams, bool):
            raise InputError("CollisionWorld", f"seams is {seams!r}"[:100], "true or false", "Pass a bool.")
        self._method, self._asked, self._margin, self._closes_seams = method, broad, margin, seams
        self._log = EventLog(model)
        self._absent: set[str] = set()  # bodies taken out by show, from the next detect on
        self._space = new_sweep_space(64)
        with compiling(f"contacts of {kinds_of(model)}"):
            self._take(model, model_colliders(model, margin, method), StateCheck(model), None)

    def _take(self, model: Model, made: ModelColliders, check: StateCheck, state: State | None) -> None:
        """Go on with the arrays of a model, and find the contacts of a state."""
        self.made, self._check, self._asked_shapes = made, check, []
        self.model, self.margin = model, made.margin
        self.colliders, self.tables, self.filter = made.colliders, made.tables, made.pairs
        self.groups = made.groups
        self.work = new_narrow_work(made.tables)
        self._roles_are_old = True
        self._give_roles()
        n = len(self.colliders.item)
        start = model.initial_state()
        place_colliders(self.colliders, self.tables, start)
        choice = choose_phase(self.colliders.box, self.filter, self._asked) if n else None
        self._phase = choice.phase if choice else None
        self.broad = f"{choice.kind}: {choice.why}" if choice else "nothing collides"
        self._pairs = new_pairs(max(n, 1))
        self._contacts = new_contacts(len(self._pairs.pair), 4 * len(self._pairs.pair))
        self._seams = self._new_seams()
        self.detect(start if state is None else state)

    @friendly
    def detect(self, state: State | None = None, *, time: float | None = None) -> CollisionWorld:
        """Find all contacts of a state, of the model's start if left out.

        Returns the world itself, which holds them until the next call; keep ``list(world)`` or :attr:`points` to
        compare. A state in which static bodies are elsewhere than in the model is refused. A state does not know its
        time; give it with ``time=sim.time`` [s] to have it in the events.
        """
        if time is not None:
            time = check_number("detect()", "time", time, "s")
        self._place("detect()", self.model.initial_state() if state is None else state)
        self._give_roles()
        if self._phase is not None:
            count = pairs_of(self._phase, self.colliders.box, self.filter, self._pairs)
            if count > len(self._pairs.pair):
                self._pairs = new_pairs(len(self.colliders.item), count + count // 4)
                count = pairs_of(self._phase, self.colliders.box, self.filter, self._pairs)
                self._contacts = enlarged(self._contacts, len(self._pairs.pair), 0)
                self._seams = self._new_seams()
            take_pairs(self._pairs, count, self._contacts)
            while not self._find():
                pass
            if self._single:
                keep_deepest(self._contacts)
        self._log.note(self._contacts, self.colliders, time)
        return self

    def _find(self) -> bool:
        """Points of all pairs; whether there was room and a routine for all. If not, there is now."""
        find_contacts(self.colliders, self.tables, self.work, self._seams, self._contacts)
        tally = self._contacts.tally[0]
        points, missed = int(tally.points), int(tally.missed)
        if points > len(self._contacts.contact) - MANY:
            self._contacts = enlarged(self._contacts, 0, points + points // 4)
            self._seams = self._new_seams()
        elif missed:
            self.work = roomier_work(self.work, self.tables, missed)
        elif tally.seams and not self._seams.address[0]:
            with compiling("seams"):
                compile_seams(self._seams, self.tables.rows, self.colliders.item["kind"])
        else:
            return True
        return False

    def _new_seams(self) -> Seams:
        """Scratch for seams. Without the rule nothing is still, and then there are none."""
        item = self.colliders.item
        still = [self._closes_seams and self.model.nodes.is_static(node) for node in item["node"].tolist()]
        return new_seams(still, item["kind"], self._contacts.pair.shape[1], len(self._contacts.contact))

    def __repr__(self) -> str:
        shapes = len(self.colliders.item)
        return f"<CollisionWorld of {self.model!r}: {shapes} shapes, {len(self)} contacts, broad phase {self.broad}>"

    @property
    def events(self) -> list[CollisionEvent]:
        """Parts that began or ended to touch in the last call of :meth:`detect`."""
        return list(self._log.events)

    def subscribe(self, listener: Callable[[CollisionEvent], Any]) -> None:
        """Have a function called with every event from now on, in the order of events.

        What touches at the start is in :attr:`events` right after the world is made. If a function raises, the others
        are still called; then the error is raised, with the world in the state that was asked for.
        """
        self._log.subscribe(listener)

    def unsubscribe(self, listener: Callable[[CollisionEvent], Any]) -> None:
        """Call a function no longer that was given to :meth:`subscribe`."""
        self._log.unsubscribe(listener)

    @friendly
    def picture(
        self,
        path: str | Path | None = None,
        *,
        toward: Any = TOWARD,
        middle: Any = None,
        width: float | None = None,
        colors: Mapping[str, Any] | None = None,
    ) -> Figure:
        """Draw the shapes that collide, and the contacts as dots with their normals, as of the last :meth:`detect`.

        Contacts behind a shape are hollow and pale. For pictures of your own there are ``draw_shapes`` and
        ``draw_contacts`` in :mod:`gelenk.space.view`.

        Parameters
        ----------
        path : .png, .svg or .pdf to write; without it the figure of matplotlib is only returned
        toward : (3,) from the middle to the eye
        middle, width : what is in the middle, world [m], and how much is seen [m]; all that moves if left out
        colors : red, green, blue from 0 to 1 by names of bodies, for those that should have others
        """
        return draw_world(self, path, toward, middle, width, colors)

    # --- surroundings that change ------------------------------------------------------------------------------------

    @friendly
    def show(self, body: str, present: bool = True) -> None:
        """Let the shapes of a body take part from the next call of :meth:`detect` on, or not.

        Until then contacts and all queries are as before; from then on nothing meets a body that was taken out.
        Cheap: tiles of a landscape that are all in the model come and go as the scene moves on.
        """
        self.model.nodes.index("show()", "body", body)
        if not isinstance(present, bool):
            raise InputError("show()", f"present is {present!r}", "true or false", "Pass a bool.")
        (self._absent.discard if present else self._absent.add)(body)
        self._roles_are_old = True

    def _give_roles(self) -> None:
        """Who is there, and who of them moves."""
        if self._roles_are_old and len(self.colliders.item):
            nodes = self.model.nodes
            role = np.array([STILL if nodes.is_static(k) else MOVING for k in range(nodes.count)])
            role[[nodes.names.index(name) for name in self._absent if name in nodes.names]] = ABSENT
            self.filter.element["role"] = role[self.colliders.item["node"]]
        self._roles_are_old = False

    @friendly
    def exchange(self, model: Model, state: State | None = None) -> None:
        """Go on with another model, made with ``Builder.from_model``: other surroundings, or other bodies.

        Contacts are those of ``state``. It may be one of the model so far, such as ``sim.state``: then what moves is
        where it is there, by names, and what is new is at its place (see :meth:`Model.state_from`). It may be one of
        the new model. If it is left out, all is where the new model begins. What has the same body name and part number
        and touches before and after is told no event; bodies that were taken out by :meth:`show` stay out. What is
        refused leaves the world as it was.
        """
        if not isinstance(model, Model):
            raise InputError("exchange()", f"model is {model!r}"[:100], "a Model", "Pass builder.build().")
        with compiling(f"contacts of {kinds_of(model)}"):
            made, check = model_colliders(model, self._margin, self._method), StateCheck(model)
            if state is not None:
                state = self._taken_over(check, state)
            self._log.carry_over(model)
            self._take(model, made, check, state)

    def _taken_over(self, check: StateCheck, state: State) -> State:
        """A state of the new model, from one of it or of the old one; refused if it could be either."""
        of_new, of_old = check.fault(state), self._check.fault(state)
        if of_new and of_old:
            raise InputError("exchange()", *of_new)
        if of_old:
            return state
        carried = check.model.state_from(self.model, state)
        if of_new or (np.array_equal(carried.p_WC, state.p_WC) and np.array_equal(carried.q_WB, state.q_WB)):
            return carried
        found = "a state that could be one of either model, whose bodies stand in different orders"
        remedy = "Call exchange(model), then detect() with a state of the new one; model.state_from(old, state) is one."
        raise InputError("exchange()", found, "a state that fits one of them", remedy)


def kinds_of(model: Model) -> str:
    """What collides in a model, in words: kernels are made for pairs of kinds."""
    kinds = {part.shape.kind.replace("_", " ") for body in model.bodies for part in body.parts if part.collide}
    return ", ".join(sorted(kinds)) or "nothing"
