"""A user's own force law: a Python function, or the same function compiled.

The function gets the time, the state of all nodes and the loads, and adds to the loads::

    def magnet(t, state, loads):
        for i in range(state.p_WC.shape[0]):
            loads.force_W[i, 0] -= 2.0 * state.p_WC[i, 0]

The state is for reading; within a step its quaternions are unit only to the accuracy of the step. As it stands the
function is called from the compiled step once per force evaluation (microseconds a call, any Python inside).
Marked with ``compiled=True`` it is compiled to machine code (nanoseconds; the subset of Python that Numba knows).
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gelenk import compile as compiler
from gelenk.checks import check_name
from gelenk.errors import InputError
from gelenk.forces.block import add_energy, add_loads
from gelenk.forces.element import Labelled, Nodes
from gelenk.state import Loads, State, loads_of, state_of

COMPILER = Path(compiler.__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Law(Labelled):
    """A force law of the user's own.

    A law has no potential: its work shows as a change of the recorded energy. A kind of force with a potential is one
    file of its own (docs/architecture.md).

    Parameters
    ----------
    name : unique name; a scene file keeps only this, and ``gk.load_scene(file, laws={name: function})`` gives it back
    function : ``function(t, state, loads)`` that adds to ``loads.force_W`` [N] and ``loads.torque_W`` [N m]; the same
        arguments must give the same loads
    compiled : compile the function (fast path) instead of calling Python (slow path, works at once)
    """

    kind: ClassVar[str] = "law"

    name: str
    function: Callable[..., Any] = field(compare=False)
    compiled: bool = False

    def __post_init__(self) -> None:
        check_name("law", self.name)
        if not callable(self.function):
            raise InputError(
                self.label,
                f"function is {self.function!r}",
                "a function of (t, state, loads)",
                "Pass the function itself.",
            )
        try:
            inspect.signature(self.function).bind("t", "state", "loads")
        except TypeError as error:
            found = f"the function cannot be called: {error}"
            raise InputError(self.label, found, "function(t, state, loads)", "Change its arguments.") from None
        except ValueError:
            pass  # a built-in tells nothing of its arguments
        if not isinstance(self.compiled, bool):
            raise InputError(self.label, f"compiled is {self.compiled!r}", "true or false", "Pass a bool.")

    @classmethod
    def block(cls, elements: Sequence[Law], nodes: Nodes) -> Laws:
        """Addresses of all laws."""
        fast = compiler.ENABLED
        made = [_compile(law) if law.compiled and fast else _call_python(law) for law in elements]
        address = np.array([law.address for law in made], dtype=np.uint64)
        _alive[id(address)] = made
        weakref.finalize(address, _alive.pop, id(address))
        return Laws(address, np.array([law.flag_address for law in made], dtype=np.uint64))


_alive: dict[int, list[compiler.Law]] = {}  # machine code and callbacks, as long as the block that calls them


class Laws(NamedTuple):
    """All laws of a model."""

    address: np.ndarray  # (n,) uint64, of the functions
    flag: np.ndarray  # (n,) uint64, addresses of the words they set where Python would raise


def _compile(law: Law) -> compiler.Law:
    try:
        return compiler.law_from_compiled(law.function, law.label, State, Loads)
    except Exception as error:
        raise InputError(
            law.label,
            f"the function does not compile: {_cause(error)}",
            "the subset of Python that Numba compiles",
            "Use compiled=False to run it as Python, or look at the error above this one.",
        ) from error


def _cause(error: Exception) -> str:
    """The line of a compiler's message that says what is wrong, with the place in the user's file."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    noise = ("During:", "Failed in", "raised from", "There are", "- Of which", ">>>", "^", "Overload")
    telling = [line for line in lines if not line.startswith((*noise, "File", "def ", "<source"))]
    places = [line.rstrip(":") for line in lines if line.startswith("File") and not _is_ours(line)]
    return " at ".join([*(telling[:1] or lines[-1:] or [type(error).__name__]), *places[-1:]])[:300]


def _is_ours(line: str) -> bool:
    """Whether a place, said as ``File "path", line 3:``, is where the law is called from."""
    return Path(line.partition('"')[2].partition('"')[0]).resolve().is_relative_to(COMPILER)


def _call_python(law: Law) -> compiler.Law:
    def call(t: float, y: np.ndarray, loads: np.ndarray, nodes: int, bodies: int) -> None:
        if law.function(t, state_of(y, nodes, bodies), loads_of(loads, nodes)) is not None:
            raise TypeError("the function returns a value; add to loads.force_W and loads.torque_W instead")

    return compiler.law_from_python(call, law.label)


def check_laws(forces: tuple) -> None:
    """Raise what a law of these blocks raised inside compiled code, with its name."""
    for block in forces:
        if isinstance(block, Laws):
            for law in _alive.get(id(block.address), ()):
                law.check()


@add_loads.register(Laws)
def _(laws, masses, state, t, loads_out):
    for e in range(laws.address.shape[0]):
        compiler.call_law(laws.address[e], laws.flag[e], t, state, loads_out)


@add_energy.register(Laws)
def _(laws, masses, state, t, energy_out):
    pass
