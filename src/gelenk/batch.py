"""Batch: copies of a model, each with a state of its own, stepped together."""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from typing import Any

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_count, check_number, unknown
from gelenk.errors import InputError
from gelenk.methods.choose import check_method, default_method
from gelenk.methods.copies import CopyStepper, may_pass
from gelenk.methods.method import Method
from gelenk.model.model import Model
from gelenk.progress import compiling
from gelenk.run.batch_now import BatchInputs, CopiesNow
from gelenk.run.described import method_name
from gelenk.run.good_state import check_state
from gelenk.run.stepping import BATCH_SECONDS, SimulationError, Stepping
from gelenk.state import State, state_of
from gelenk.threads import MOST, get_threads

NAMED = 5  # failed copies that an error tells of


class Part:
    """A part of the states of all copies: a view of it, and what is given to it is copied in."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, batch: Batch | None, owner: type) -> Any:
        return self if batch is None else batch.parts[self.name]

    def __set__(self, batch: Batch, value: Any) -> None:
        part = batch.parts[self.name]
        try:
            part[...] = value
        except (TypeError, ValueError):
            found = f"{self.name} of shape {np.shape(value)}" if np.ndim(value) else f"{self.name} is {value!r}"[:100]
            raise InputError("Batch", found, f"numbers of shape {part.shape}", "Give one row a copy.") from None


@friendly
class Batch:
    """Copies of a model, each with a state of its own, stepped together; every one moves as it would by itself.

    ::

        batch = gk.Batch(model, gk.MoreauTree(h=2e-3), count=1000, threads=2)
        batch.v_WC[:, model.index("trunk")] = velocities          # (1000, 3)
        batch.inputs["knee.torque"] = torques                     # (1000,), or one number for all
        batch.step(100)
        batch["trunk"].position                                   # (1000, 3)

    ``p_WC``, ``q_WB``, ``v_WC``, ``w_WB_B`` and ``memory`` are those of :class:`State` with the copies first: views, to
    be read and written between steps; entry 0 of the bodies is the world. Results are the same to the last bit for any
    number of threads, and those of a :class:`Simulation` of each copy.

    Copies of a tree by :class:`MoreauTree` without contact share one run for each thread and one call of compiled code
    for all steps. Others have a run of their own each, and take their steps one copy after the other.

    Parameters
    ----------
    model : what exists; or a model for each copy, of the same parts and joints, where masses, springs or sizes differ
    method : how they move; if left out, that of :func:`default_method`
    count : how many copies; may be left out where ``model`` or ``states`` tell
    states : where each copy starts; the model's own start if left out
    time : at which all start [s]
    threads : how many threads share the copies; that of :func:`set_threads` if left out
    """

    p_WC, q_WB, v_WC, w_WB_B, memory = Part(), Part(), Part(), Part(), Part()

    def __init__(
        self,
        model: Model | Sequence[Model],
        method: Method | None = None,
        count: int | None = None,
        *,
        states: Sequence[State] | None = None,
        time: float = 0.0,
        threads: int | None = None,
    ) -> None:
        models = [model] if isinstance(model, Model) else list(model) if isinstance(model, Sequence) else []
        if not models or not all(isinstance(one, Model) for one in models):
            raise InputError("Batch", f"model is {model!r}"[:100], "a Model, or one for each copy", "Pass a model.")
        told = [len(models)] if not isinstance(model, Model) else []
        told += [len(states)] if states is not None else []
        told += [check_count("Batch", "count", count, least=1, most=10**8)] if count is not None else []
        if not told or min(told) != max(told):
            found = f"numbers of copies {told}" if told else "no number of copies"
            raise InputError("Batch", found, "one number of copies", "Give count=, or as many states or models.")
        self.model, self.count = models[0], told[0]
        self.method = default_method(self.model) if method is None else method
        check_method(self.method)
        threads = get_threads() if threads is None else threads
        self.threads = check_count("Batch", "threads", threads, least=1, most=MOST)
        self._models = models * self.count if isinstance(model, Model) else models
        own = self.model.initial_state()
        for k, one in enumerate(models):
            if one.nodes.names != self.model.nodes.names or len(one.initial_state().flat) != len(own.flat):
                found = f"model {k} has other parts or joints than model 0"
                raise InputError("Batch", found, "models that differ in numbers alone", "Make a batch of each kind.")
        rows = np.array([one.initial_state().flat for one in models])
        self._flat = rows if len(rows) == self.count else np.tile(rows, (self.count, 1))
        for k, state in enumerate(states if states is not None else ()):
            self.put(k, state)
        self._view(len(own.p_WC), len(own.q_WB))
        self._t0, self._steps = check_number("Batch", "time", time, "s"), 0
        self._good = np.ones(self.count, np.int64)
        self._chunk = 1  # steps a call, adapted; does not show in the result
        self._runs: list[CopyStepper] = []
        self._copies: list[Stepping] = []
        self._begin(len(models) > 1)

    def _view(self, nodes: int, bodies: int) -> None:
        """Name the parts of the rows, as those of a state."""
        a, b, c, d = 3 * nodes, 3 * nodes + 4 * bodies, 6 * nodes + 4 * bodies, 6 * nodes + 7 * bodies
        flat, n = self._flat, self.count
        self.parts = {
            "p_WC": flat[:, :a].reshape(n, -1, 3),
            "q_WB": flat[:, a:b].reshape(n, -1, 4),
            "v_WC": flat[:, b:c].reshape(n, -1, 3),
            "w_WB_B": flat[:, c:d].reshape(n, -1, 3),
            "memory": flat[:, d:],
        }
        self.inputs = BatchInputs(self.model.wired, self.memory)

    def _begin(self, differ: bool) -> None:
        """Runs for all copies to pass through, or one for each."""
        with compiling(method_name(self.method)):
            first: Any = self.method.begin(self.model, self.model.initial_state())
            if not differ and may_pass(first):
                more = [self.method.begin(self.model, self.model.initial_state()) for _ in range(self.threads - 1)]
                self._runs = [CopyStepper(stepper) for stepper in (first, *more)]
                for run in self._runs:  # kernels are made ready, before threads ask for them
                    run.advance(self._flat, self._good, (self._t0, self.method.h, 0, 0), 0, 0)
            else:
                self._copies = [self._single(k) for k in range(self.count)]

    def _single(self, k: int) -> Stepping:
        """A run of copy k alone, on its row."""
        return Stepping(self._models[k], self.method, self._row(k), self._t0)

    def _row(self, k: int) -> State:
        own = self.model.nodes
        return state_of(self._flat[k], own.count, len(self.model.bodies) + 1)

    @property
    def time(self) -> float:
        """Time that the good copies have reached [s]."""
        return self._t0 + self._steps * self.method.h

    @property
    def failed(self) -> np.ndarray:
        """(n,) whether a copy could not go on: it stays at its last good state, and the others go on without it."""
        return self._good == 0

    def state(self, k: int) -> State:
        """The state of copy k, to be kept or to begin a simulation with."""
        row = self._row(check_count("Batch", "the copy", k, least=0, most=self.count - 1))
        return state_of(row.flat.copy(), len(row.p_WC), len(row.q_WB))

    def put(self, k: int, state: State) -> None:
        """Put copy k into a state."""
        k = check_count("Batch", "the copy", k, least=0, most=self.count - 1)
        try:
            self._flat[k] = check_state(self._models[k], state).flat
        except InputError as error:
            error.add_note(f"copy {k} of the batch")
            raise

    def __getitem__(self, name: str) -> CopiesNow:
        """What a body or particle does now in all copies."""
        if name not in self.model.nodes.names:
            raise unknown(f"model {self.model.name!r}", "name", name, self.model.nodes.names)
        return CopiesNow((self.p_WC, self.q_WB, self.v_WC, self.w_WB_B), self._models, self.model.index(name))

    def step(self, count: int = 1) -> None:
        """Take so many steps with every copy; one that fails is named when the others have taken them."""
        left = check_count("step()", "count", count, least=0, most=10**12)
        errors: list[str] = []
        with compiling(method_name(self.method)):
            while left > 0:
                now = min(self._chunk, left)
                begun = clock.perf_counter()
                errors += self._chunk_of(now)
                self._steps, left = self._steps + now, left - now
                used = clock.perf_counter() - begun
                self._chunk = max(1, min(2 * self._chunk, int(now * BATCH_SECONDS / max(used, 1e-9))))
        if errors:
            more = f"; and {len(errors) - NAMED} more" if len(errors) > NAMED else ""
            raise SimulationError(f"{len(errors)} of {self.count} copies failed. {'; '.join(errors[:NAMED])}{more}")

    def _chunk_of(self, count: int) -> list[str]:
        """Take so many steps; what went wrong, copy by copy."""
        steps = self._t0, self.method.h, self._steps, count
        before = self._good.copy()
        if self._runs:
            self._pass(steps)
            again = np.flatnonzero(before != self._good)
        else:
            again = np.flatnonzero(before)
        return [error for k in again if (error := self._alone(int(k), steps))]

    def _pass(self, steps: tuple[float, float, int, int]) -> None:
        """Let all copies pass through the runs, each thread taking its share."""
        ends = [k * self.count // len(self._runs) for k in range(len(self._runs) + 1)]
        shares = [(self._flat, self._good, steps, a, b) for a, b in pairwise(ends)]
        if len(shares) == 1:
            self._runs[0].advance(*shares[0])
            return
        with ThreadPoolExecutor(len(shares) - 1) as pool:
            others = [pool.submit(run.advance, *share) for run, share in zip(self._runs[1:], shares[1:])]
            try:
                self._runs[0].advance(*shares[0])
            finally:
                wait(others)
        for other in others:
            other.result()

    def _alone(self, k: int, steps: tuple[float, float, int, int]) -> str:
        """Take copy k through steps by itself; how it failed, and the last good state is kept."""
        one = self._copies[k] if self._copies else self._single(k)
        one._steps = steps[2]
        try:
            one._try(*steps)
        except SimulationError as error:
            self._good[k] = 0
            return f"copy {k}: {error}"
        self._good[k] = 1
        return ""
