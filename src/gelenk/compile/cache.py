"""The cache of compiled kernels: the compiler's own file cache, with our folder and our stamp.

Objects lie in ``<cache>/<stamp>``. The stamp is a hash over the text of every source file that can hold compiled code
and over the versions of Python, NumPy and the compiler, so a changed kernel or helper is never served stale, and it
holds no path, so a moved checkout keeps its cache. Kernels of a user's own files are not cached: the stamp cannot see
them. Folders of other stamps that are out of use go when something new is compiled.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from gelenk.compile.progress import notify, uncached
from gelenk.kernel_files import cache_dir, mark_used, stamp, stamped


def _classes(kind: Any) -> Iterator[type]:
    """All NamedTuple classes inside an argument type."""
    if hasattr(kind, "instance_class"):
        yield kind.instance_class
    for part in getattr(kind, "types", ()):
        yield from _classes(part)


def kernel_cache(function: Callable[..., Any]) -> Any:
    """The compiler's file cache, with our folder, our stamp, and no trust in broken files or foreign classes."""
    from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator

    class Locator(_CacheLocator):
        def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
            self._py_file, self._py_func = py_file, py_func

        def get_cache_path(self) -> str:
            return str(cache_dir())

        def get_source_stamp(self) -> str:
            return stamp()

        def get_disambiguator(self) -> str:
            return f"{self._py_func.__module__}-{self._py_func.__code__.co_firstlineno}"

        @classmethod
        def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Any:
            return cls(py_func, py_file)

    class Impl(CompileResultCacheImpl):
        _locator_classes = [Locator]

    class KernelCache(FunctionCache):
        _impl_class = Impl

        def foreign(self, signature: Any) -> bool:
            """Whether the arguments hold classes whose code the stamp does not cover."""
            classes = [c for a in getattr(signature, "args", signature) for c in _classes(a)]
            return any(not stamped(c.__module__) for c in classes)

        def one_file(self, signature: Any) -> str:
            """Give each signature files of its own, so that processes that save at once do not mix them up."""
            name = hashlib.sha256(str(getattr(signature, "args", signature)).encode()).hexdigest()[:16]
            base = f"{self._impl.filename_base}-{name}"
            self._cache_file = IndexDataCacheFile(str(cache_dir()), base, stamp())
            return base

        def load_overload(self, signature: Any, context: Any) -> Any:
            if self.foreign(signature):
                return None
            base = self.one_file(signature)
            try:
                return super().load_overload(signature, context)
            except Exception as error:  # a torn or foreign file must cost a compile, never the run
                notify(f"kernel cache: {type(error).__name__} in {function.__qualname__}; compiling it again")
                with contextlib.suppress(OSError):
                    for torn in cache_dir().glob(f"{base}.*"):
                        torn.unlink(missing_ok=True)
                return None

        def save_overload(self, signature: Any, data: Any) -> None:
            if self.foreign(signature):
                uncached.append(function.__qualname__)
                return
            self.one_file(signature)
            try:
                super().save_overload(signature, data)
            except RuntimeError as error:  # Ctrl-C while machine code was made is lost there, and the code with it
                if "no compiled object" not in str(error):
                    raise
                raise KeyboardInterrupt from error
            except OSError as error:
                uncached.append(function.__qualname__)
                if uncached.count(function.__qualname__) == 1:
                    notify(f"kernel cache: {error}; kernels are not kept. Set GELENK_CACHE_DIR to a folder of yours.")

    mark_used()
    return KernelCache(function)
