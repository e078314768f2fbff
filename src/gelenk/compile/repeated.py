"""Calls of a kernel with the same blocks over and over: their types are looked at once."""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any

from gelenk.compile.kernels import Kernel


class Repeated:
    """A kernel that one run calls again and again with the same blocks: ``call(blocks, *numbers)``.

    A kernel finds its code by the types of its arguments, and a block of hundreds of arrays takes longer to look
    through than to hand over. Here the code is kept with the blocks that it was found for, and found anew as soon as
    one of them is another object. What blocks hold never changes its type.

    Parameters
    ----------
    kernel : takes the blocks and then the numbers, which have the same types in every call
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._blocks: tuple[Any, ...] = ()
        self._code: Callable[..., Any] = kernel

    def __call__(self, blocks: tuple[Any, ...], *numbers: Any) -> Any:
        """Call the kernel with the blocks, and then the numbers."""
        if len(blocks) != len(self._blocks) or not all(map(is_, blocks, self._blocks)):
            self._code = self._kernel.code(*blocks, *numbers)
            self._blocks = blocks
        return self._code(*blocks, *numbers)
