"""What the compiler does for others and not for us: changes to it, made when it is loaded, that save most of its time.

They reach into its inner parts, which is why one version of it is asked for in ``pyproject.toml``.
"""

from __future__ import annotations

import hashlib
import sys
from typing import Any

from gelenk.compile.options import CALLED, INLINE
from gelenk.compile.progress import at_work


def load_numba_lightly() -> None:
    """Load the compiler without scipy.linalg, which it imports only to see whether it is there: 0.2 s of every start.

    It is there, since this package needs it; a law that uses linear algebra loads it then.
    """
    import numba.np.linalg as linalg

    if "numba.np.arraymath" not in sys.modules:
        ask, linalg.ensure_blas = linalg.ensure_blas, lambda: None
        try:
            import numba.np.arraymath  # noqa: F401
        finally:
            linalg.ensure_blas = ask


def optimise_kernels_only() -> None:
    """Optimise and emit machine code for entry points alone.

    A kernel takes in the code of all that it calls and is then optimised as a whole. Left alone, the compiler does the
    same for every helper with all that the helper calls, so that the innermost are optimised once a level above them.
    Helpers are never called from Python in their compiled form; functions that are not ours are left as they are.
    Routines stay functions of their own in the kernel: poured into one, they would take many times as long to optimise.
    """
    import llvmlite.binding as llvm
    from numba.core import base, codegen, targetconfig
    from numba.core.typing import templates

    library, target = codegen.JITCodeLibrary, codegen.JITCPUCodegen
    optimise, finish, set_env = library._optimize_final_module, library._finalize_final_module, target.set_env

    def inner() -> bool:
        return bool(at_work) and at_work[-1].ours and not at_work[-1].entry

    def optimise_kernel(self: Any) -> None:
        if not inner():
            optimise(self)

    def finish_kernel(self: Any) -> None:
        if inner():
            if self.name == at_work[-1].qualname:
                for function in self._final_module.functions:
                    own = not function.is_declaration and function.linkage == llvm.Linkage.external
                    if own and not any(b"alwaysinline" in a for a in function.attributes):
                        function.add_function_attribute("noinline")
            self._finalize_dynamic_globals()
            self._finalized = True
        else:
            finish(self)

    def set_env_of_kernel(self: Any, env_name: str, env: Any) -> None:
        if not inner():
            set_env(self, env_name, env)

    mangle = base.BaseContext.mangler

    def short_name(self: Any, name: str, types: Any, **tags: Any) -> str:
        """Symbols name all argument types in full, kilobytes each at every call: a hash says the same."""
        whole = mangle(self, name, types, **tags)
        return whole if len(whole) <= 300 else whole[:200] + hashlib.sha256(whole.encode()).hexdigest()[:40]

    template = templates._OverloadFunctionTemplate

    def find_once(self: Any, args: Any, kws: Any) -> Any:
        """Ours are the same whoever calls them; left alone, they are compiled anew for callers with other flags."""
        flags = targetconfig.ConfigStack.top_or_none()
        ours = flags is None or self._jit_options.get("_nrt") is False
        key = (self.context, tuple(args), tuple(kws.items()), None if ours else str(flags._values))
        return self._impl_cache.get(key) or self._build_impl(key, args, kws)

    def optimise_functions(self: Any, module: Any) -> None:
        """As it was, without the many functions that are only declared."""
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    library._optimize_functions = optimise_functions
    template._get_impl = find_once
    library._optimize_final_module, library._finalize_final_module = optimise_kernel, finish_kernel
    target.set_env, base.BaseContext.mangler = set_env_of_kernel, short_name


def compile_in_few_passes() -> None:
    """Leave out what the compiler does for others: a third of its time goes so.

    - Functions of ours have no closures, no ``with``, no ``raise`` and no array expressions: the passes that look for
      them are skipped, and with each the analysis of all variables that follows it. One that has any of it, or asks
      whether something ``is None``, takes the whole way.
    - What a call returns for given types of arguments is asked again and again, and kept.
    - No event for every call into the code generator.
    """
    import dis

    from llvmlite.binding import ffi
    from numba.core import compiler, typed_passes, untyped_passes
    from numba.core.compiler_machinery import PassManager
    from numba.core.types import functions

    needed = (
        untyped_passes.TranslateByteCode,
        untyped_passes.FixupArgs,
        untyped_passes.IRProcessing,
        untyped_passes.GenericRewrites,  # constant places in tuples
        untyped_passes.ReconstructSSA,
        typed_passes.NopythonTypeInference,
        typed_passes.PreLowerStripPhis,
        typed_passes.IRLegalization,
        typed_passes.AnnotateTypes,
        typed_passes.NativeLowering,
        typed_passes.NoPythonBackend,
    )
    special = {"MAKE_FUNCTION", "LOAD_BUILD_CLASS", "BEFORE_WITH", "RAISE_VARARGS", "IS_OP"}
    special |= {"POP_JUMP_FORWARD_IF_NONE", "POP_JUMP_FORWARD_IF_NOT_NONE", "POP_JUMP_BACKWARD_IF_NONE"}
    special |= {"POP_JUMP_BACKWARD_IF_NOT_NONE", "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE"}

    class FewPasses(compiler.Compiler):
        def define_pipelines(self) -> Any:
            if any(i.opname in special for i in dis.get_instructions(self.state.func_id.func)):
                return super().define_pipelines()
            passes = PassManager("gelenk")
            for one in needed:
                passes.add_pass(one, one.__name__)
            passes.finalize()
            return [passes]

    INLINE["pipeline_class"] = CALLED["pipeline_class"] = FewPasses

    function: Any = functions.BaseFunction
    ask: Any = function.get_call_type
    known: dict[Any, Any] = {}

    def ask_once(self: Any, context: Any, args: Any, kws: Any) -> Any:
        key = None if kws else (self, context, tuple(args))
        found = known.get(key)
        if found is None:
            found = ask(self, context, args, kws)
            if found is not None and key is not None:
                known[key] = found
        return found

    function.get_call_type = ask_once
    ffi.lib._lock._cblist.clear()
