"""`python -m gelenk.bench.worker SCENE ENGINE VARIANT SIZE`: one measurement in a process of its own, as one JSON line.

A process each keeps a crash, a leak, a global world or a thread pool of one engine away from the others.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module

from gelenk.bench.measure import OWN, measure
from gelenk.bench.peers import PEERS


def main(arguments: list[str]) -> None:
    """Measure and print; what cannot be imported is said in the line, every other failure is a traceback."""
    scene, engine, variant, size = arguments
    # Some engines print from C: their standard output goes to standard error, ours stays clean.
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    line = _missing(engine) or measure(scene, engine, variant, int(size))
    answer.write(json.dumps(line) + "\n")
    answer.flush()
    os._exit(0)  # the record is out: what an engine does while it unloads is not our concern


def _missing(engine: str) -> dict[str, str] | None:
    if engine in OWN:
        return None
    try:
        import_module(PEERS[engine].module)
    except Exception as error:  # a broken installation may raise anything
        return {"missing": f"{type(error).__name__}: {error}".splitlines()[0]}
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
