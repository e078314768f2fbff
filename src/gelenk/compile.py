"""The only file that knows the compiler: kernels, helpers, generics, value types, cache, warm-up, off switch.

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

Cache. Objects lie in ``<cache>/<stamp>``. The stamp is a hash over the text of every source file that can hold
compiled code and over the versions of Python, NumPy and the compiler, so a changed kernel or helper is never served
stale, and it holds no path, so a moved checkout keeps its cache. Kernels of a user's own files are not cached: the
stamp cannot see them. Folders of other stamps that are out of use go when something new is compiled.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import importlib
import operator
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from gelenk.kernel_files import cache_dir, drop_unused, log_time, mark_used, stamp, stamped

ENABLED = os.environ.get("GELENK_COMPILE", "1").strip().lower() not in ("0", "off", "false", "no")

# IEEE division; no reference counting in inner loops, so that an accidental allocation is a compile error.
FLAGS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
INNER: dict[str, Any] = {**FLAGS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # not called from outside
INLINE: dict[str, Any] = {**INNER, "forceinline": True}
CALLED: dict[str, Any] = {**INNER, "forceinline": False}  # said aloud, lest it takes over that of its caller

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)

_pending: list[Callable[[], None]] = []  # registrations that wait for the compiler
_loaded = False


def _when_loaded(register: Callable[[], None]) -> None:
    """Run ``register`` as soon as the compiler is there: now, or when the first kernel is called."""
    if not ENABLED:
        return
    if _loaded:
        register()
    else:
        _pending.append(register)


def _load_compiler() -> None:
    global _loaded
    if _loaded:
        return
    _loaded = True
    _load_numba_lightly()
    _optimise_kernels_only()
    _compile_in_few_passes()
    _pass_blocks_by_address()
    for register in _pending:
        register()
    _pending.clear()
    _install_listener()


def _load_numba_lightly() -> None:
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


def _optimise_kernels_only() -> None:
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
        return bool(_open) and _open[-1].ours and not _open[-1].entry

    def optimise_kernel(self: Any) -> None:
        if not inner():
            optimise(self)

    def finish_kernel(self: Any) -> None:
        if inner():
            if self.name == _open[-1].qualname:
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


def _compile_in_few_passes() -> None:
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


def _pass_blocks_by_address() -> None:
    """Represent a block by the address of its fields.

    The compiler's own way with a NamedTuple is to pass everything in it as an argument of its own, ten for an array:
    hundreds at every call, for most of the time of compiling and some of that of running. The fields of a block never
    change, so one copy of them, made when a kernel is entered, serves all that the kernel calls, and its loads
    may be shared and moved by the optimiser across every store (``invariant.load``). A block that compiled code makes
    lives as long as the function that made it.
    """
    from llvmlite import ir
    from numba.core import base, cgutils
    from numba.core import types as numba_types
    from numba.core.datamodel import models
    from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
    from numba.extending import register_model

    types: Any = numba_types

    class BlockType(types.NamedTuple):
        """Type of a NamedTuple of ours, or given to a generic, that holds an array or another one that does."""

    BlockType.__qualname__ = "BlockType"  # the cache finds it again by this name
    globals()["BlockType"] = BlockType

    def holds_array(field: Any) -> bool:
        inner = isinstance(field, types.BaseTuple) and any(holds_array(f) for f in field.types)
        return inner or isinstance(field, types.Array | BlockType)

    from_types = types.BaseTuple.from_types

    def choose_type(tys: Any, pyclass: type | None = None) -> Any:
        ours = pyclass is not None and (
            pyclass.__module__.split(".")[0] == "gelenk" or pyclass in _block_names.values()
        )
        if ours and hasattr(pyclass, "_fields") and any(holds_array(t) for t in tys):
            return BlockType(tys, pyclass)
        return from_types(tys, pyclass)

    @register_model(BlockType)
    class BlockModel(models.PrimitiveModel):
        def __init__(self, manager: Any, block: Any) -> None:
            self.fields = ir.LiteralStructType([manager.lookup(t).get_value_type() for t in block.types])
            super().__init__(manager, block, self.fields.as_pointer())

    @lower_getattr_generic(BlockType)
    def load_field(context: Any, builder: Any, block: Any, address: Any, name: str) -> Any:
        k = block.fields.index(name)
        field = builder.load(cgutils.gep_inbounds(builder, address, 0, k))
        field.set_metadata("invariant.load", builder.module.add_metadata([]))
        return impl_ret_borrowed(context, builder, block.types[k], field)

    make_tuple = base.BaseContext.make_tuple

    def make_block(self: Any, builder: Any, type_: Any, values: Any) -> Any:
        if not isinstance(type_, BlockType):
            return make_tuple(self, builder, type_, values)
        address = cgutils.alloca_once(builder, self.data_model_manager.lookup(type_).fields)
        for k, value in enumerate(values):
            builder.store(value, cgutils.gep_inbounds(builder, address, 0, k))
        same = ir.FunctionType(address.type, [address.type])
        return builder.asm(same, "", "=r,0,~{memory}", [address], side_effect=True)  # from here on it never changes

    types.BaseTuple.from_types = staticmethod(choose_type)
    base.BaseContext.make_tuple = make_block


# --- decorators ------------------------------------------------------------------------------------------------------


class Kernel:
    """An entry point, compiled on its first call for each combination of argument types."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any] = FLAGS) -> None:
        functools.update_wrapper(self, function)
        self.python, self._options = function, options
        self.name = f"{function.__module__}.{function.__qualname__}"
        self._dispatcher: Any = None
        module = function.__module__
        if module.split(".")[0] == "gelenk" and not stamped(module):
            raise TypeError(f"{self.name}: no kernel may live in {module}, the cache stamp leaves it out")

    @property
    def dispatcher(self) -> Any:
        """The compiler's own object (tests look at the code it generates)."""
        if self._dispatcher is None:
            _load_compiler()
            from numba import njit

            self._dispatcher = njit(**self._options)(self.python)
            self._dispatcher.is_entry = True
            if self.python.__module__.split(".")[0] == "gelenk":
                self._dispatcher._cache = _kernel_cache(self.python)
        return self._dispatcher

    def __call__(self, *args: Any) -> Any:
        """Run compiled, or as plain Python when the off switch is set."""
        if not ENABLED:
            return self.python(*args)
        return (self._dispatcher or self.dispatcher)(*args)


def kernel(function: Callable[..., Any]) -> Kernel:
    """Mark an entry point."""
    return Kernel(function)


def helper(function: F) -> F:
    """Mark a small function that kernels call, inlined everywhere; from Python it runs as it stands."""
    _when_loaded(functools.partial(_register_helper, function, INLINE))
    return function


def routine(function: F) -> F:
    """Mark a larger function that kernels call; not forced inline, so that several calls compile it once."""
    _when_loaded(functools.partial(_register_helper, function, CALLED))
    return function


class Plug:
    """A kind of function that kernels call by its address: ``plug(address, *args)`` returns a whole number.

    Each is compiled by itself, when it is first asked for, and kept in the cache by itself. So a kernel that serves a
    table of many of them is compiled once and quickly, and of the table only what a model needs.

    Parameters
    ----------
    samples : gives arguments of the types that all functions of this kind take; called when the first is compiled
    """

    def __init__(self, samples: Callable[[], Sequence[Any]], arguments: int) -> None:
        self._samples, self._arguments = samples, arguments
        self._python: dict[int, Callable[..., Any]] = {}  # address -> function
        self._kernels: dict[Callable[..., Any], tuple[Kernel, int]] = {}
        self._types: Any = None

        def call(address: int, *args: Any) -> Any:
            return self._python[int(address)](*args)

        self.call = call
        _when_loaded(self._overload)

    def address(self, function: Callable[..., Any]) -> int:
        """Where a function is, never 0; compiled if it is asked for the first time."""
        if function not in self._kernels:
            compiled = Kernel(function, CALLED)
            place = len(self._kernels) + 1
            if ENABLED:
                compiled.dispatcher.compile(self._argument_types())
                (result,) = compiled.dispatcher.overloads.values()
                if str(result.signature.return_type) != "int64":
                    raise TypeError(f"{compiled.name} returns {result.signature.return_type}, not int64")
                place = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
            self._kernels[function] = compiled, place  # which keeps the code alive
            self._python[place] = function
        return self._kernels[function][1]

    def _argument_types(self) -> Any:
        if self._types is None:
            _load_compiler()
            from numba import typeof

            self._types = tuple(typeof(sample) for sample in self._samples())
        return self._types

    def _overload(self) -> None:
        from llvmlite import ir
        from numba import types
        from numba.core import cgutils
        from numba.extending import overload

        def jump(typingctx, address, *args):
            wanted = self._argument_types()

            def emit(context, builder, signature, values):
                given = [context.cast(builder, *v) for v in zip(values[1:], signature.args[1:], wanted)]
                form = context.call_conv.get_function_type(types.int64, wanted)
                result = cgutils.alloca_once(builder, ir.IntType(64))
                error = cgutils.alloca_once_value(builder, ir.Constant(form.args[1].pointee, None))
                packed = context.get_arg_packer(wanted).as_arguments(builder, given)
                function = builder.inttoptr(values[0], form.as_pointer())
                builder.call(function, [result, error, *packed])
                return builder.load(result)

            return types.int64(types.int64, *args), emit

        call = _call_of(jump, 1 + self._arguments)

        @overload(self.call, jit_options=INLINE, strict=False)
        def choose(address: Any, *args: Any) -> Any:
            return call


def _call_of(jump: Callable[..., Any], arguments: int) -> Any:
    """A function for compiled code whose body is what ``jump`` emits; the compiler wants fixed argument lists here."""
    from numba.extending import intrinsic

    names = ", ".join(f"a{n}" for n in range(arguments))
    scope: dict[str, Any] = {"jump": jump}
    exec(  # source built from one integer only
        f"def typed(typingctx, {names}):\n    return jump(typingctx, {names})\n"
        f"def call({names}):\n    return typed({names})",
        scope,
    )
    scope["typed"] = intrinsic(scope["typed"])
    return scope["call"]


class Unit:
    """A function that is compiled by itself, once for each combination of argument types; see :func:`unit`.

    Its callers know it by a name that says which it is, the same in every process. A kernel that comes from the cache
    has its units placed before it is loaded.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self._kernel = function, Kernel(function, CALLED)
        self._placed: dict[Any, tuple[str, Any]] = {}  # argument types -> name of the code, type of the result
        _units[self._kernel.name] = self
        _when_loaded(self._overload)

    def place(self, kinds: Any) -> tuple[str, Any]:
        """Have the code for these argument types in memory: its name, and the type of the result."""
        if kinds not in self._placed:
            import llvmlite.binding as llvm

            kernel = self._kernel
            # what comes from the cache while a helper is compiled is no part of that helper
            _open.append(_Compiling(kernel.name, time.perf_counter(), True, True, self._function.__qualname__))
            try:
                kernel.dispatcher.compile(kinds)
            finally:
                _open.pop()
            result = kernel.dispatcher.overloads[kinds]
            which = hashlib.sha256(f"{kernel.name} {kinds}".encode()).hexdigest()[:16]
            name = f"gelenk.{self._function.__name__}.{which}"
            llvm.add_symbol(name, result.library.get_pointer_to_function(result.fndesc.llvm_func_name))
            self._placed[kinds] = name, result.signature.return_type
        return self._placed[kinds]

    def _overload(self) -> None:
        from llvmlite import ir
        from numba import types
        from numba.extending import overload

        def jump(typingctx, *args):
            wanted = tuple(types.unliteral(a) for a in args)
            name, returned = self.place(wanted)

            def emit(context, builder, signature, values):
                given = [context.cast(builder, *v) for v in zip(values, signature.args, wanted)]
                form = context.call_conv.get_function_type(returned, wanted)
                function = builder.module.globals.get(name) or ir.Function(builder.module, form, name)
                context.active_code_library._reload_init.add(_PlaceUnit(self._kernel.name, wanted))
                return context.call_conv.call_function(builder, function, returned, wanted, given)[1]

            return returned(*args), emit

        call = _call_of(jump, self._function.__code__.co_argcount)

        @overload(self._function, jit_options=INLINE, strict=False)
        def choose(*args: Any) -> Any:
            return call


_units: dict[str, Unit] = {}


class _PlaceUnit(NamedTuple):
    """What is run before a cached kernel that calls a unit is loaded."""

    name: str
    kinds: Any

    def __call__(self) -> None:
        if self.name not in _units:
            importlib.import_module(self.name.rpartition(".")[0])
        _units[self.name].place(self.kinds)


def unit(function: F) -> F:
    """Mark a large function that several kernels call: compiled and cached by itself, so that they share its code.

    Its arguments should have the same types everywhere, since it is compiled whole for each combination. A call costs
    a nanosecond more than that of a routine.
    """
    if ENABLED:
        Unit(function)
    return function


def _register_helper(function: Callable[..., Any], options: dict[str, Any]) -> None:
    from numba.extending import overload

    @overload(function, jit_options=options, strict=False)
    def choose(*args: Any) -> Any:
        return function


_block_names: dict[str, type] = {}


def _give_unique_name(block_class: type) -> None:
    """Rename a block class whose name another one has: the compiler tells NamedTuples apart by name and contents.

    So a notebook cell that defines a block may run twice, and two users may choose the same name.
    """
    name, n = block_class.__name__, 1
    while _block_names.setdefault(block_class.__name__, block_class) is not block_class:
        n += 1
        block_class.__name__ = f"{name}_{n}"


class Generic:
    """One name, one implementation per block class; see :func:`generic`."""

    def __init__(self, stub: Callable[..., Any]) -> None:
        self.name = stub.__name__
        self.table: dict[type, Callable[..., Any]] = {}
        table, name = self.table, self.name

        @functools.wraps(stub)
        def call(block: Any, *args: Any) -> Any:
            if type(block) is tuple:
                for one in block:
                    call(one, *args)
                return None
            if type(block) not in table:
                raise TypeError(
                    f"{name}: no implementation for {type(block).__name__}; register one with @{name}.register"
                )
            return table[type(block)](block, *args)

        self.call = call
        _when_loaded(self._overload)

    def register(self, block_class: type) -> Callable[[F], F]:
        """Decorator: this is the implementation for ``block_class``."""

        def store(implementation: F) -> F:
            if block_class.__module__.split(".")[0] == "gelenk" != implementation.__module__.split(".")[0]:
                raise TypeError(f"{self.name}: {block_class.__name__} is built in; register a class of your own")
            _give_unique_name(block_class)
            self.table[block_class] = implementation
            return implementation

        return store

    def _overload(self) -> None:
        from numba import types
        from numba.extending import overload

        @overload(self.call, jit_options=INLINE, strict=False)
        def choose(block: Any, *args: Any) -> Any:
            if isinstance(block, types.BaseNamedTuple):
                return self.table.get(block.instance_class)
            if isinstance(block, types.BaseTuple):
                return _unrolled(self.call, len(block), len(args))
            return None


def _unrolled(call: Callable[..., Any], blocks: int, arguments: int) -> Callable[..., Any]:
    """The loop ``for block in blocks: call(block, ...)`` written out, since every block has its own type."""
    names = ", ".join(f"a{k}" for k in range(arguments))
    lines = [f"    call(blocks[{k}], {names})" for k in range(blocks)] or ["    pass"]
    scope: dict[str, Any] = {"call": call}
    exec("\n".join([f"def each(blocks, {names}):", *lines]), scope)  # source built from two integers only
    each: Callable[..., Any] = scope["each"]
    return each


def generic(stub: Callable[..., Any]) -> Any:
    """Make ``stub`` a function whose implementation is chosen by the class of its first argument.

    ``@name.register(BlockClass)`` adds an implementation; a tuple of blocks is run through in order.
    """
    generic_ = Generic(stub)
    call: Any = generic_.call
    call.register, call.generic = generic_.register, generic_
    return call


_OPERATORS = {
    "__add__": operator.add,
    "__sub__": operator.sub,
    "__mul__": operator.mul,
    "__matmul__": operator.matmul,
    "__neg__": operator.neg,
}
_implementations: dict[str, dict[type, Callable[..., Any]]] = {}  # operator or method name -> class -> function


def value_type(cls: C) -> C:
    """Let the operators and methods of a NamedTuple of floats compile; the Python methods are what is compiled."""
    for name, function in vars(cls).items():
        if name.startswith("_") and name not in _OPERATORS:
            continue
        code = getattr(function, "__code__", None)
        if code is None or code.co_filename != sys._getframe(1).f_code.co_filename:
            continue  # fields and what NamedTuple itself brings
        if name not in _implementations:
            _implementations[name] = {}
            _when_loaded(functools.partial(_register_method, name))
        _implementations[name][cls] = function
    return cls


def _register_method(name: str) -> None:
    from numba import types
    from numba.extending import overload, overload_method

    table = _implementations[name]

    def choose(value: Any) -> Any:
        return table.get(value.instance_class) if isinstance(value, types.BaseNamedTuple) else None

    # The compiler wants fixed argument lists here; every class that has a method gives it the same number.
    (count,) = {f.__code__.co_argcount for f in table.values()}
    chooser = [lambda a: choose(a), lambda a, b: choose(a), lambda a, b, c: choose(a)][count - 1]
    if name in _OPERATORS:
        overload(_OPERATORS[name], jit_options=INLINE, strict=False)(chooser)
    else:
        overload_method(types.BaseNamedTuple, name, jit_options=INLINE, strict=False)(chooser)


# --- packs: four numbers in one register -----------------------------------------------------------------------------


def compile_packs(cls: type, *functions: Callable[..., Any]) -> None:
    """Let packs compile: operators of the class, and these functions by their names; see :mod:`gelenk.math.pack`."""
    _when_loaded(functools.partial(_register_packs, cls, {f.__name__: f for f in functions}))


def _register_packs(cls: type, functions: dict[str, Callable[..., Any]]) -> None:
    """A pack is a value of the type <4 x double>; arrays are C-contiguous, so rows lie where their number says."""
    from llvmlite import ir
    from numba import types as numba_types
    from numba.core.datamodel import models
    from numba.extending import intrinsic, overload, register_model

    types: Any = numba_types
    lanes = len(cls._fields)  # type: ignore[attr-defined]
    double, index = ir.DoubleType(), ir.IntType(32)
    vector = ir.VectorType(double, lanes)

    class PackType(types.Type):
        def __init__(self) -> None:
            super().__init__("Pack")

    PackType.__qualname__ = "PackType"
    globals()["PackType"] = PackType
    pack, real, whole = PackType(), types.float64, types.intp

    @register_model(PackType)
    class PackModel(models.PrimitiveModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, vector)

    def place(k: int) -> Any:
        return ir.Constant(index, k)

    def cell(context: Any, builder: Any, kind: Any, array: Any, row: Any, column: Any) -> Any:
        """Address of array[row, column]."""
        found = context.make_array(kind)(context, builder, array)
        width = builder.extract_value(found.shape, 1)
        at = builder.add(builder.mul(row, width), column)
        return builder.gep(found.data, [at])

    def load(builder: Any, address: Any) -> Any:
        value = builder.load(builder.bitcast(address, vector.as_pointer()))
        value.align = 8
        return value

    def store(builder: Any, value: Any, address: Any) -> None:
        builder.store(value, builder.bitcast(address, vector.as_pointer())).align = 8

    def named_rows(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
        """Addresses of the cells that rows_at and put_rows mean."""
        array, rows, i, j, k = args[:5]
        found = []
        for m in range(lanes):
            named = cell(context, builder, signature.args[1], rows, i, builder.add(j, ir.Constant(j.type, m)))
            row = builder.zext(builder.load(named), i.type)
            found.append(cell(context, builder, signature.args[0], array, row, k))
        return found

    def transposed(builder: Any, rows: list[Any]) -> list[Any]:
        """Four packs from four, rows for columns."""

        def mix(x: Any, y: Any, *places: int) -> Any:
            return builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(index, lanes), [place(k) for k in places]))

        low, high = (
            [mix(rows[k], rows[k + 1], 0, 4, 2, 6) for k in (0, 2)],
            [mix(rows[k], rows[k + 1], 1, 5, 3, 7) for k in (0, 2)],
        )
        ends = [mix(*pair, 0, 1, 4, 5) for pair in (low, high)] + [mix(*pair, 2, 3, 6, 7) for pair in (low, high)]
        return ends

    def emit_splat(context, builder, signature, args):
        value = ir.Constant(vector, ir.Undefined)
        for k in range(lanes):
            value = builder.insert_element(value, args[0], place(k))
        return value

    def emit_root(context, builder, signature, args):
        name = f"llvm.sqrt.v{lanes}f64"
        known = builder.module.globals.get(name)
        function = known or ir.Function(builder.module, ir.FunctionType(vector, [vector]), name)
        return builder.call(function, args)

    def parts(builder: Any, value: Any) -> list[Any]:
        return [builder.extract_element(value, place(k)) for k in range(lanes)]

    def emit_top(context, builder, signature, args):
        a, b, c, d = parts(builder, args[0])

        def larger(x: Any, y: Any) -> Any:  # as Python's max: the first unless the second is larger
            return builder.select(builder.fcmp_ordered(">", y, x), y, x)

        return larger(larger(a, b), larger(c, d))

    def emit_sum(context, builder, signature, args):
        a, b, c, d = parts(builder, args[0])
        return builder.fadd(builder.fadd(a, b), builder.fadd(c, d))

    def emit_at(context, builder, signature, args):
        array, i = args
        return load(builder, cell(context, builder, signature.args[0], array, i, ir.Constant(i.type, 0)))

    def emit_put(context, builder, signature, args):
        array, i, value = args
        store(builder, value, cell(context, builder, signature.args[0], array, i, ir.Constant(i.type, 0)))
        return context.get_dummy_value()

    def emit_rows(context, builder, signature, args):
        rows = [load(builder, address) for address in named_rows(context, builder, signature, args)]
        return context.make_tuple(builder, signature.return_type, transposed(builder, rows))

    def emit_put_rows(context, builder, signature, args):
        addresses = named_rows(context, builder, signature, args)
        for value, address in zip(transposed(builder, list(args[5:])), addresses):
            store(builder, value, address)
        return context.get_dummy_value()

    def select(sign: str) -> Any:
        return lambda context, builder, signature, args: builder.select(
            builder.fcmp_ordered(sign, args[0], args[1]), args[-2], args[-1]
        )

    def plain(name: str) -> Any:
        return lambda context, builder, signature, args: getattr(builder, name)(*args)

    four = types.UniTuple(pack, lanes)
    operators = {operator.add: "fadd", operator.sub: "fsub", operator.mul: "fmul", operator.truediv: "fdiv"}
    table: list[tuple[Any, Any, tuple[Any, ...], Any]] = [  # function, result, packs or None for any, code
        *((op, pack, (pack, pack), plain(name)) for op, name in operators.items()),
        (operator.neg, pack, (pack,), plain("fneg")),
        (functions["splat"], pack, (real,), emit_splat),
        (functions["larger"], pack, (pack, pack), select(">")),
        (functions["where_less"], pack, (pack,) * 4, select("<")),
        (functions["root"], pack, (pack,), emit_root),
        (functions["top_of"], real, (pack,), emit_top),
        (functions["sum_of"], real, (pack,), emit_sum),
        (functions["pack_at"], pack, (None, whole), emit_at),
        (functions["put_pack"], types.void, (None, whole, pack), emit_put),
        (functions["rows_at"], four, (None, None, whole, whole, whole), emit_rows),
        (functions["put_rows"], types.void, (None, None, whole, whole, whole, pack, pack, pack, pack), emit_put_rows),
    ]
    for function, result, wanted, emit in table:
        _register_pack_function(function, result, wanted, emit, pack, intrinsic, overload)


def _register_pack_function(
    function: Any, result: Any, wanted: tuple[Any, ...], emit: Any, pack: Any, intrinsic: Any, overload: Any
) -> None:
    """One function of packs; of arguments that are packs here or there, all must fit."""
    names = ", ".join(f"a{k}" for k in range(len(wanted)))
    scope: dict[str, Any] = {}

    def jump(typingctx: Any, *args: Any) -> Any:
        return result(*(a if w is None else w for a, w in zip(args, wanted))), emit

    def fits(*args: Any) -> bool:
        return all((a == pack) == (w == pack) for a, w in zip(args, wanted))

    scope.update(jump=jump, fits=fits)
    exec(  # source built from one integer only
        f"def typed(typingctx, {names}):\n    return jump(typingctx, {names})\n"
        f"def call({names}):\n    return typed({names})\n"
        f"def choose({names}):\n    return call if fits({names}) else None\n",
        scope,
    )
    scope["typed"] = intrinsic(scope["typed"])
    overload(function, jit_options=INLINE, strict=False)(scope["choose"])


# --- the clock -------------------------------------------------------------------------------------------------------


def seconds() -> float:
    """Time from some fixed moment on [s], in kernels and interpreted: for steps that must end in time."""
    return time.perf_counter()


def _register_clock() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic, overload

    word = ir.IntType(64)

    @intrinsic
    def read_clock(typingctx):
        def emit(context, builder, signature, args):
            if sys.platform == "win32":  # ticks of a millisecond
                function = ir.Function(builder.module, ir.FunctionType(ir.IntType(32), []), "clock")
                ticks = builder.sitofp(builder.call(function, []), ir.DoubleType())
                return builder.fmul(ticks, ir.Constant(ir.DoubleType(), 1e-3))
            kind = ir.FunctionType(ir.IntType(32), [ir.IntType(32), word.as_pointer()])
            known = builder.module.globals.get("clock_gettime")
            function = known or ir.Function(builder.module, kind, "clock_gettime")
            pair = cgutils.alloca_once(builder, word, size=2)
            which = ir.Constant(ir.IntType(32), time.CLOCK_MONOTONIC)
            builder.call(function, [which, pair])
            whole = builder.sitofp(builder.load(pair), ir.DoubleType())
            rest = builder.sitofp(builder.load(builder.gep(pair, [word(1)])), ir.DoubleType())
            return builder.fadd(whole, builder.fmul(rest, ir.Constant(ir.DoubleType(), 1e-9)))

        return types.float64(), emit

    @overload(seconds, jit_options=FLAGS)
    def choose():
        return lambda: read_clock()


_when_loaded(_register_clock)


# --- functions called by address: the force laws of users ------------------------------------------------------------


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
    _load_compiler()
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


_when_loaded(_register_call_law)


# --- cache -----------------------------------------------------------------------------------------------------------


def _classes(kind: Any) -> Iterator[type]:
    """All NamedTuple classes inside an argument type."""
    if hasattr(kind, "instance_class"):
        yield kind.instance_class
    for part in getattr(kind, "types", ()):
        yield from _classes(part)


def _kernel_cache(function: Callable[..., Any]) -> Any:
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
                _notify(f"kernel cache: {type(error).__name__} in {function.__qualname__}; compiling it again")
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
            except OSError as error:
                uncached.append(function.__qualname__)
                if uncached.count(function.__qualname__) == 1:
                    _notify(f"kernel cache: {error}; kernels are not kept. Set GELENK_CACHE_DIR to a folder of yours.")

    mark_used()
    return KernelCache(function)


# --- progress and times ----------------------------------------------------------------------------------------------


class Compiled(NamedTuple):
    """One finished compilation."""

    name: str
    seconds: float
    depth: int  # 0: an entry point; above: a function compiled for it


Progress = Callable[[str, "Compiled | None"], None]
_listeners: list[Progress] = []


class _Compiling(NamedTuple):
    name: str
    start: float
    ours: bool  # made by a decorator of this file
    entry: bool  # has machine code of its own: a kernel, a unit, or not made by us and called from Python
    qualname: str


_open: list[_Compiling] = []
history: list[Compiled] = []  # what this process compiled
uncached: list[str] = []  # kernels over classes of a user's own files, compiled anew in every process


def _notify(message: str) -> None:
    print(f"gelenk: {message}", file=sys.stderr)  # noqa: T201


@contextlib.contextmanager
def watch(listener: Progress) -> Iterator[None]:
    """Call ``listener(name, None)`` when a compilation begins and ``listener(name, Compiled)`` when it ends."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def _install_listener() -> None:
    from numba.core import event

    class Listener(event.Listener):
        own = False  # whether the entry point at work is the package's
        collects = False  # whether garbage is collected; not while compiling: it takes a tenth of the time

        def on_start(self, e: Any) -> None:
            dispatcher = e.data["dispatcher"]
            function = dispatcher.py_func
            if not _open:
                self.own = function.__module__.split(".")[0] == "gelenk"
                self.collects = gc.isenabled()
                gc.disable()
            name = f"{function.__module__}.{function.__qualname__}".replace("gelenk.", "", 1)
            ours = dispatcher.targetoptions.get("_nrt") is False
            entry = not _open or getattr(dispatcher, "is_entry", False)
            _open.append(_Compiling(name, time.perf_counter(), ours, entry, function.__qualname__))
            for listener in list(_listeners):
                listener(name, None)

        def on_end(self, e: Any) -> None:
            name, start, *_ = _open.pop()
            if not _open and self.collects:
                gc.enable()
            done = Compiled(name, time.perf_counter() - start, len(_open))
            history.append(done)
            if done.depth == 0 and self.own:
                log_time(done.name, done.seconds)
                drop_unused()
            for listener in list(_listeners):
                listener(name, done)

    event.register("numba:compile", Listener())
