"""Blocks as compiled code sees them: told apart by name, passed by the address of their fields."""

from __future__ import annotations

from typing import Any

block_names: dict[str, type] = {}


def give_unique_name(block_class: type) -> None:
    """Rename a block class whose name another one has: the compiler tells NamedTuples apart by name and contents.

    So a notebook cell that defines a block may run twice, and two users may choose the same name.
    """
    name, n = block_class.__name__, 1
    while block_names.setdefault(block_class.__name__, block_class) is not block_class:
        n += 1
        block_class.__name__ = f"{name}_{n}"


def pass_blocks_by_address() -> None:
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
        ours = pyclass is not None and (pyclass.__module__.split(".")[0] == "gelenk" or pyclass in block_names.values())
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
