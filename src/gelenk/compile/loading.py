"""When the compiler is loaded: at the first call of a kernel, with all that was marked until then."""

from __future__ import annotations

from collections.abc import Callable

from gelenk.compile.blocks import pass_blocks_by_address
from gelenk.compile.front_end import compile_in_few_passes, load_numba_lightly, optimise_kernels_only
from gelenk.compile.options import ENABLED
from gelenk.compile.progress import install_listener

_pending: list[Callable[[], None]] = []  # registrations that wait for the compiler
_loaded = False


def when_loaded(register: Callable[[], None]) -> None:
    """Run ``register`` as soon as the compiler is there: now, or when the first kernel is called."""
    if not ENABLED:
        return
    if _loaded:
        register()
    else:
        _pending.append(register)


def load_compiler() -> None:
    """Load the compiler, change it to our needs, and tell it of everything that was marked; once."""
    global _loaded
    if _loaded:
        return
    _loaded = True
    load_numba_lightly()
    optimise_kernels_only()
    compile_in_few_passes()
    pass_blocks_by_address()
    for register in _pending:
        register()
    _pending.clear()
    install_listener()
