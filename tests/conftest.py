"""Shared set-up: closed forms in tests/exact import as `exact`, hypothesis is repeatable."""

from pathlib import Path

import pytest
from hypothesis import settings

from gelenk import compile as compiler

settings.register_profile("gelenk", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("gelenk")

# Joints in many combinations of methods and solvers, and shapes in many pairs, each of which compiles anew: `make test`
# runs these interpreted, `make proof` compiled too.
INTERPRETED = (
    "joints/",
    "model/test_assembly.py",
    "model/test_joint",
    "model/test_merging.py",
    "model/test_redundancy.py",
    "model/test_urdf.py",
    "rows/",
    "run/test_joint_series.py",
    "solvers/test_agreement.py",
    "space/test_convex_meshes.py",
    "test_joint_simulation.py",
)
LONG = (
    "methods/test_chain_and_trees.py",
    "methods/test_heavy_top_joint.py",
    "methods/test_lagrange.py",
    "methods/test_mechanisms.py",
    "methods/test_pendulums.py",
    "solvers/test_redundant.py",
)


def pytest_collection_modifyitems(items):
    """Mark what takes long to compile."""
    for item in items:
        place = item.path.relative_to(Path(__file__).parent).as_posix()
        if place.startswith(LONG) or (compiler.ENABLED and place.startswith(INTERPRETED)):
            item.add_marker(pytest.mark.proof)
