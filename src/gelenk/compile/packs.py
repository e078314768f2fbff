"""Packs: four numbers in one register, for batches of work that is independent; see :mod:`gelenk.math.pack`."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from gelenk.compile.loading import when_loaded
from gelenk.compile.options import INLINE

LINE = 64  # bytes of a line of the cache


def compile_packs(cls: type, *functions: Callable[..., Any]) -> None:
    """Let packs compile: operators of the class, and these functions by their names; see :mod:`gelenk.math.pack`."""
    when_loaded(functools.partial(_register_packs, cls, {f.__name__: f for f in functions}))


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

    def emit_fetch(context, builder, signature, args):
        """One request for each line of the cache that a row or record covers."""
        (kind, _), (array, i) = signature.args, args
        found = context.make_array(kind)(context, builder, array)
        size = context.get_abi_sizeof(context.get_data_type(kind.dtype)) * (lanes if kind.ndim == 2 else 1)
        at = builder.mul(i, builder.extract_value(found.shape, 1)) if kind.ndim == 2 else i
        byte, name = ir.IntType(8).as_pointer(), "llvm.prefetch.p0"
        wanted = ir.FunctionType(ir.VoidType(), [byte, index, index, index])
        function = builder.module.globals.get(name) or ir.Function(builder.module, wanted, name)
        begin = builder.bitcast(builder.gep(found.data, [at]), byte)
        read, near, data = place(0), place(3), place(1)
        for offset in range(0, size, LINE):
            builder.call(function, [builder.gep(begin, [place(offset)]), read, near, data])
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
        (functions["fetch_row"], types.void, (None, whole), emit_fetch),
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
