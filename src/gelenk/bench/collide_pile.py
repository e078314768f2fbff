"""Boxes in a pile for `gelenk bench collide`: made by a short relaxation, then detected while they jitter."""

from __future__ import annotations

import time
from functools import cache

import numpy as np

from gelenk.bench.collide_records import Record, record, result_hash
from gelenk.bench.engine import rotations, turned, turned_back
from gelenk.bench.rounds import Say
from gelenk.collision.broad.candidates import pairs_of
from gelenk.collision.broad.choose import choose_phase
from gelenk.collision.broad.phase import new_pairs
from gelenk.collision.collider import place_colliders
from gelenk.collision.contacts import find_contacts, new_contacts, take_pairs
from gelenk.collision.seam_links import new_seams
from gelenk.collision.seam_pass import compile_seams
from gelenk.collision.tables import new_narrow_work
from gelenk.geometry.shapes import Box, Plane
from gelenk.model.builder import Builder
from gelenk.model.colliders import model_colliders
from gelenk.model.model import Model
from gelenk.model.parts import Part
from gelenk.state import State

SIZES = (100, 1000, 5000)
SEED = 5
EDGE = 0.1  # shortest of a box [m]
PASSES = 600
FALL = 0.04 * EDGE  # a pass [m]
OVER = 1.6  # of the mean push of all contacts of a body
JITTER = 1e-4 * EDGE  # a step [m]; by as much over the edge it turns
FRAMES = 8
ROUNDS = 30


class Detection:
    """Detection in its parts, with the pieces of which :class:`gelenk.space.world.CollisionWorld` is made."""

    def __init__(self, model: Model, state: State) -> None:
        made = model_colliders(model)
        self.colliders, self.tables, self._filter = made.colliders, made.tables, made.pairs
        self._work, count = new_narrow_work(made.tables), len(made.colliders.item)
        self._pairs, self._count = new_pairs(count, 40 * count), 0
        self._contacts = new_contacts(40 * count, 160 * count)
        still = [model.nodes.is_static(node) for node in self.colliders.item["node"].tolist()]
        kinds = self.colliders.item["kind"]
        self._seams = new_seams(still, kinds, 40 * count, len(self._contacts.contact))
        compile_seams(self._seams, self.tables.rows, kinds)
        self.place(state)
        choice = choose_phase(self.colliders.box, self._filter)
        self._phase, self.broad_kind = choice.phase, choice.kind

    def place(self, state: State) -> None:
        """Move the boxes."""
        place_colliders(self.colliders, self.tables, state)

    def broad(self) -> None:
        """Which of them may touch."""
        self._count = pairs_of(self._phase, self.colliders.box, self._filter, self._pairs)
        if self._count > len(self._pairs.pair):
            raise RuntimeError(f"{self._count} pairs in a space of {len(self._pairs.pair)}")
        take_pairs(self._pairs, self._count, self._contacts)

    def narrow(self) -> None:
        """Where they touch."""
        find_contacts(self.colliders, self.tables, self._work, self._seams, self._contacts)

    def found(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs and points."""
        tally = self._contacts.tally[0]
        return self._contacts.pair[tally.now, : tally.pairs[tally.now]], self._contacts.contact[: tally.points]


def loose_boxes(n: int) -> Model:
    """A lattice of randomly turned boxes above a floor between four walls; body 1 is the pit, the others are boxes."""
    rng = np.random.default_rng([SEED, n])
    side = max(2, round((n / 1.2) ** (1 / 3)))
    half = 0.9 * EDGE * side
    builder = Builder()
    walls = [Part(Plane())]
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):  # z of a wall turned to the inside
        walls.append(
            Part(Plane(), at=(-half * x, -half * y, 0.0), rotation=(0.5**0.5, -y * 0.5**0.5, x * 0.5**0.5, 0.0))
        )
    builder.body("pit", shape=walls, static=True)
    for i in range(n):
        cell = np.array([i % side, i // side % side, i // side**2])
        at = (cell + 0.5) * 1.8 * EDGE - (half, half, 0.0)
        q = rng.normal(size=4)
        builder.body(
            f"box{i}",
            shape=Box(tuple(EDGE * rng.uniform(1.0, 1.6, 3))),
            density=1000.0,
            at=tuple(at),
            rotation=tuple(q / np.linalg.norm(q)),
        )
    return builder.build()


@cache
def pile(n: int, passes: int = PASSES) -> tuple[Model, State]:
    """Let the boxes sink and be pushed apart where they overlap, without time or speed, until they lie on each other.

    At every contact of depth -d, with  w = 1/m + (c x n) . I^-1 (c x n)  of each body and c the way to the point,

        push = -d n / (w_A + w_B),     p += push / m,     turn by  I^-1 (c x push)

    times :data:`OVER` in the mean over the contacts of a body, which are all looked at at once.
    """
    model = loose_boxes(n)
    state = model.initial_state()
    world = Detection(model, state)
    masses = model.system.masses
    inv_mass, inv_inertia = masses.inv_mass, np.ascontiguousarray(np.einsum("nii->ni", masses.inv_inertia_B))
    for k in range(passes):
        state.p_WC[2:, 2] -= FALL * max(1.0 - k / (0.5 * passes), 0.0)
        world.place(state)
        world.broad()
        world.narrow()
        _push_apart(world, state, inv_mass, inv_inertia)
    return model, state


def _push_apart(world: Detection, state: State, inv_mass: np.ndarray, inv_inertia: np.ndarray) -> None:
    pairs, points = world.found()
    of = np.repeat(np.arange(len(pairs)), pairs["count"])
    deep = points["d"] < 0.0
    points, of = points[deep], of[deep]
    R_WB = rotations(state.q_WB)
    ends, w = [], np.zeros(len(points))
    for which, arm in (("a", points["a"]), ("b", points["b"])):
        body = world.colliders.item["node"][pairs[which][of]]
        lever = np.cross(arm, points["n"])
        turn = turned(R_WB[body], inv_inertia[body] * turned_back(R_WB[body], lever))
        w += inv_mass[body] + np.einsum("ni,ni->n", lever, turn)
        ends.append((body, turn))
    size = -points["d"] / np.maximum(w, 1e-300)
    moved, turns = np.zeros_like(state.p_WC), np.zeros((len(state.q_WB), 3))
    count = np.zeros(len(state.p_WC))
    for (body, turn), sign in zip(ends, (-1.0, 1.0)):
        np.add.at(moved, body, sign * (inv_mass[body] * size)[:, None] * points["n"])
        np.add.at(turns, body, sign * size[:, None] * turn)
        np.add.at(count, body, 1.0)
    share = np.minimum(1.0, OVER / np.maximum(count, 1.0))[:, None]
    state.p_WC[:] += share * moved
    _turn(state.q_WB, share[: len(turns)] * turns)


def _turn(q: np.ndarray, angle: np.ndarray) -> None:
    """Turn small angles about world axes, in place."""
    w, v = q[:, :1].copy(), q[:, 1:].copy()
    h = 0.5 * angle
    q[:, :1] = w - np.einsum("ni,ni->n", h, v)[:, None]
    q[:, 1:] = v + w * h + np.cross(h, v)
    q /= np.linalg.norm(q, axis=1, keepdims=True)


def jittered(state: State, frames: int = FRAMES) -> list[State]:
    """The pile in several frames, every box drifting and turning a little, forth and back."""
    rng = np.random.default_rng(SEED)
    drift, turn = rng.normal(size=(2, len(state.q_WB), 3))
    drift[:2] = turn[:2] = 0.0  # world and pit
    forth = []
    for k in range(frames):
        new = State(state.flat, state.p_WC.copy(), state.q_WB.copy(), *state[3:])
        new.p_WC[: len(drift)] += JITTER * k * drift
        _turn(new.q_WB, JITTER / EDGE * k * turn)
        forth.append(new)
    return forth + forth[-2:0:-1]


def measure_pile(n: int, rounds: int, passes: int = PASSES) -> Record:
    """Milliseconds a detection, its parts apart; the sum is of one and the same round, the least."""
    model, state = pile(n, passes)
    frames, world = jittered(state), Detection(model, state)
    parts = np.zeros((rounds + 1, 3))
    for k in range(rounds + 1):  # the first, in which pairs have nothing to remember, does not count
        for frame in frames:
            clock = [time.process_time()]
            world.place(frame)
            clock.append(time.process_time())
            world.broad()
            clock.append(time.process_time())
            world.narrow()
            clock.append(time.process_time())
            parts[k] += np.diff(clock) / len(frames)
    best = parts[1:][np.argmin(parts[1:].sum(axis=1))]
    pairs, points = world.found()
    touching = pairs["count"] > 0
    return record(
        "pile",
        f"{n} boxes",
        "gelenk",
        1e6 * best.sum(),
        hash=result_hash(points["d"], points["n"], pairs["a"], pairs["b"]),
        place_us=1e6 * best[0],
        broad_us=1e6 * best[1],
        narrow_us=1e6 * best[2],
        phase=world.broad_kind,
        pairs=len(pairs),
        touching=int(touching.sum()),
        points=len(points),
        depth_share=float(-points["d"].min(initial=0.0) / EDGE),
        pair_us=1e6 * best[2] / max(len(pairs), 1),
    )


HEADING = ("boxes", "ms", "place", "broad", "narrow", "us/pair", "phase", "pairs", "with points", "points", "hash")


def rows(records: list[Record]) -> list[list[str]]:
    """Lines of the table."""
    return [
        [
            r["case"].split()[0],
            *(f"{1e-3 * r[key]:.3f}" for key in ("us", "place_us", "broad_us", "narrow_us")),
            f"{r['pair_us']:.3f}",
            r["phase"],
            *(f"{r[key]}" for key in ("pairs", "touching", "points", "hash")),
        ]
        for r in records
    ]


def bench_pile(sizes: tuple[int, ...], say: Say, rounds: int = ROUNDS, passes: int = PASSES) -> list[Record]:
    """All sizes."""
    records = []
    for n in sizes:
        records.append(measure_pile(n, rounds if n <= 1000 else max(rounds // 2, 1), passes))
        say(f"  {n} boxes: {1e-3 * records[-1]['us']:.3f} ms")
    return records
