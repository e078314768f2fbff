"""The only folder that knows the compiler: kernels, helpers, generics, value types, cache, off switch.

Everything compiled in Gelenk is ordinary Python marked with one of six decorators:

``@kernel``      an entry point. Compiled on its first call, kept in the kernel cache.
``@helper``      a small function that kernels call. Stays a plain Python function; inlined into its callers.
``@routine``     a larger one, compiled once for each kernel that needs it and called.
``@unit``        one so large that it is compiled once for all kernels, kept in the cache by itself, and called.
``@generic``     one name with one implementation per class of its first argument (a *block*: a NamedTuple of
                 arrays). Called with a tuple of blocks it runs over all of them, unrolled at compile time.
``@value_type``  a NamedTuple of floats whose operators and methods compile to scalars.

The compiler itself is imported when the first kernel is called, so ``import gelenk`` stays fast. With
``GELENK_COMPILE=0`` nothing is compiled and the same code runs as plain Python, for the debugger.
"""

from gelenk.compile.clock import seconds
from gelenk.compile.generics import Generic, generic
from gelenk.compile.kernels import Kernel, by_number, helper, kernel, routine, unlocked
from gelenk.compile.laws import Law, call_law, law_from_compiled, law_from_python
from gelenk.compile.options import ENABLED
from gelenk.compile.packs import compile_packs
from gelenk.compile.plugs import Plug
from gelenk.compile.progress import Compiled, Progress, history, uncached, watch
from gelenk.compile.repeated import Repeated
from gelenk.compile.teams import Team, thread_runner
from gelenk.compile.units import Unit, unit
from gelenk.compile.value_types import value_type

__all__ = [
    "ENABLED",
    "Compiled",
    "Generic",
    "Kernel",
    "Law",
    "Plug",
    "Progress",
    "Repeated",
    "Team",
    "Unit",
    "by_number",
    "call_law",
    "compile_packs",
    "generic",
    "helper",
    "history",
    "kernel",
    "law_from_compiled",
    "law_from_python",
    "routine",
    "seconds",
    "thread_runner",
    "uncached",
    "unit",
    "unlocked",
    "value_type",
    "watch",
]
