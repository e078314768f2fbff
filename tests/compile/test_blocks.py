"""Names that compiled code and NumPy would take for something else, and the clock of kernels."""

import importlib
import pkgutil
import time

import numpy as np

import gelenk
from gelenk.compile import kernel, seconds
from gelenk.compile.value_types import implementations


def modules():
    for found in pkgutil.walk_packages(gelenk.__path__, "gelenk."):
        if not found.name.endswith("__main__") and ".peers" not in found.name:
            yield importlib.import_module(found.name)


def blocks():
    """All NamedTuple classes of the package that hold arrays, as those do that kernels take.

    Those of ``space`` and ``contact.report`` are answers to users and never go into a kernel.
    """
    for module in modules():
        for value in vars(module).values():
            kinds = getattr(value, "__annotations__", {}).values() if hasattr(value, "_fields") else ()
            if getattr(value, "__module__", "").startswith(("gelenk.space", "gelenk.contact.report")):
                continue
            if {"np.ndarray", "Array"} & {getattr(kind, "__forward_arg__", "") for kind in kinds}:
                yield value


def test_no_field_of_a_block_has_the_name_of_a_method_of_a_value_type():
    list(modules())
    methods = {name for name in implementations if not name.startswith("__")}
    assert {"norm", "cross", "point"} <= methods
    assert {"Joints", "RowWork", "Curves", "State"} <= {b.__name__ for b in blocks()}
    clashes = {(b.__name__, f) for b in blocks() for f in b._fields if f in methods}
    assert not clashes  # the compiler would read the method, and only once the value type is loaded


def test_no_field_of_a_record_has_the_name_of_an_attribute_of_arrays():
    found = set()
    for module in modules():
        for name, value in vars(module).items():
            if isinstance(value, np.dtype) and value.names:
                found.add(name)
                assert not [f for f in value.names if hasattr(np.recarray, f) or hasattr(np.record, f)], name
    assert {"ROW", "PAIR", "NUMBERS", "EDGE"} <= found


@kernel
def how_long(out):
    out[0] = seconds()
    for _ in range(1000):
        out[1] = seconds()


def test_the_clock_of_kernels_runs_on():
    out = np.zeros(2)
    how_long(out)
    begun = time.monotonic()
    how_long(out)
    passed = time.monotonic() - begun
    assert 0.0 < out[1] - out[0] <= passed + 1e-6
