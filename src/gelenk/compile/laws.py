"""Force laws of users: functions of theirs, compiled or not, that kernels call by address."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gelenk.compile.loading import load_compiler, when_loaded
from gelenk.compile.options import ENABLED, FLAGS


class Law:
    """A force law as compiled code sees it: the address of

        void (double t, long nodes, long bodies, double *y, double *loads, long *flag)

    which sets the flag where Python would raise. ``error`` then holds the exception, if it came from Python.
    """

    def __init__(self, label: str) -> None:
        import ctypes

        self.label = label
        self.error: BaseException | None = None
        self.address = 0
        self.owner: Any = None  # keeps the machine code or the Python callback alive
        self._flag = ctypes.c_ssize_t(0)
        self.flag_address = ctypes.addressof(self._flag)

    def fail(self, error: BaseException) -> None:
        """Note an exception; the law is not called again until :meth:`check` raised it."""
        self.error, self._flag.value = error, 1

    @property
    def failed(self) -> bool:
        """Whether the law raised since the last check."""
        return self._flag.value != 0

    def check(self) -> None:
        """Raise what the law raised inside compiled code, with its name."""
        if not self.failed:
            return
        why = f"{self.label}: the compiled function raised; run it with compiled=False to see where"
        error = self.error or RuntimeError(why)
        self.error, self._flag.value = None, 0
        error.add_note(f"raised by {self.label} inside a step")
        raise error


_python_laws: dict[int, tuple[Law, Callable[..., None]]] = {}  # interpreted mode: address -> law


def law_from_python(function: Callable[..., None], label: str) -> Law:
    """Make a Python function of (t, y, loads, nodes, bodies) callable from kernels; some microseconds a call.

    It sees the state read-only. What it raises is kept for :meth:`Law.check`.
    """
    import ctypes

    import numpy as np

    law = Law(label)
    if not ENABLED:
        law.address = law.flag_address
        _python_laws[law.address] = (law, function)
        return law
    views: dict[tuple[int, int, bool], Any] = {}  # arrays over the few buffers a scheme uses

    def view(address: int, count: int, writeable: bool) -> Any:
        key = (address, count, writeable)
        if key not in views:
            if len(views) > 64:
                views.clear()
            views[key] = np.ctypeslib.as_array((ctypes.c_double * count).from_address(address))
            views[key].flags.writeable = writeable
        return views[key]

    def call(t: float, nodes: int, bodies: int, y: int, loads: int, flag: int) -> None:
        if law.failed:
            return
        try:
            state = view(y, 6 * nodes + 7 * bodies, False)
            function(t, state, view(loads, 3 * nodes + 3 * bodies, True), nodes, bodies)
        except BaseException as error:
            law.fail(error)

    prototype = ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.c_ssize_t] * 2, *[ctypes.c_size_t] * 3)
    law.owner = prototype(call)
    law.address = int(ctypes.cast(law.owner, ctypes.c_void_p).value or 0)
    return law


@functools.lru_cache(maxsize=64)
def _compiled_law(function: Callable[..., None], state_class: type, loads_class: type) -> Any:
    """Machine code of a user's ``function(t, state, loads)``; indices are checked, since the function is not ours."""
    load_compiler()
    from numba import carray, cfunc, njit, types

    # Reference counting stays on here: a user may allocate in his own law, at his own cost.
    inner = njit(error_model="numpy", boundscheck=True)(function)
    pointer = types.CPointer(types.float64)

    def call(t, nodes, bodies, y_pointer, loads_pointer, flag_pointer):
        flag = carray(flag_pointer, (1,))
        if flag[0] != 0:
            return
        y = carray(y_pointer, (6 * nodes + 7 * bodies,))
        loads = carray(loads_pointer, (3 * nodes + 3 * bodies,))
        a, b, c = 3 * nodes, 3 * nodes + 4 * bodies, 6 * nodes + 4 * bodies
        state = state_class(
            y,
            y[:a].reshape((nodes, 3)),
            y[a:b].reshape((bodies, 4)),
            y[b:c].reshape((nodes, 3)),
            y[c:].reshape((bodies, 3)),
            y[:0],
        )
        acting = loads_class(loads, loads[:a].reshape((nodes, 3)), loads[a:].reshape((bodies, 3)))
        try:
            inner(t, state, acting)
        except Exception:
            flag[0] = 1

    kind = types.void(types.float64, types.intp, types.intp, pointer, pointer, types.CPointer(types.intp))
    code = cfunc(kind)(call)
    if any(s.return_type != types.none for s in inner.nopython_signatures):
        raise TypeError("it returns a value; add to loads.force_W and loads.torque_W instead")
    return code


def law_from_compiled(function: Callable[..., None], label: str, state_class: type, loads_class: type) -> Law:
    """Compile a user's ``function(t, state, loads)``; some nanoseconds a call. Not for the interpreted mode."""
    law = Law(label)
    law.owner = _compiled_law(function, state_class, loads_class)
    law.address = int(law.owner.address)
    return law


def call_law(address, flag_address, t, state, loads):
    """Call a :class:`Law` by its address, from a kernel or interpreted."""
    law, function = _python_laws[int(address)]
    y = state.flat.view()
    y.flags.writeable = False
    try:
        function(t, y, loads.flat, len(state.p_WC), len(state.q_WB))
    except BaseException as error:
        error.add_note(f"raised by {law.label} inside a step")
        raise


def _register_call_law() -> None:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def call_address(typingctx, address, flag_address, t, nodes, bodies, y, loads):
        def emit(context, builder, signature, args):
            y, loads = (context.make_array(ty)(context, builder, a) for ty, a in zip(signature.args[5:], args[5:]))
            double, word = ir.DoubleType().as_pointer(), args[3].type
            kind = ir.FunctionType(ir.VoidType(), [args[2].type, word, word, double, double, word.as_pointer()])
            function = builder.inttoptr(args[0], kind.as_pointer())
            flag = builder.inttoptr(args[1], word.as_pointer())
            builder.call(function, [args[2], args[3], args[4], y.data, loads.data, flag])
            return context.get_dummy_value()

        word = types.uint64
        return types.void(word, word, types.float64, types.intp, types.intp, y, loads), emit

    @overload(call_law, jit_options=FLAGS, strict=False)
    def choose(address, flag_address, t, state, loads):
        def call(address, flag_address, t, state, loads):
            call_address(address, flag_address, t, state.p_WC.shape[0], state.q_WB.shape[0], state.flat, loads.flat)

        return call


when_loaded(_register_call_law)
