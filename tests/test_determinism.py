"""The same model, method and step give the same bits in two processes, whatever the clock does."""

import pytest

from run.processes import finish, start

# One process with small batches that writes every sample at once, the other as fast as it can.
HASHES = """
import hashlib, sys
import gelenk as gk
from gelenk.run import recorder
from run.models import bits, started, tumblers

if sys.argv[1] == "hurried":
    sys.modules["gelenk.run.stepping"].BATCH_SECONDS = recorder.FLUSH_SECONDS = 0.0
outputs = {"spin": lambda s: s["arm.upper"].velocity}
for steps in map(int, sys.argv[2:]):
    for kind, integrator in gk.methods.free.INTEGRATORS.items():
        sim = started(tumblers(), integrator=integrator())
        run = sim.run(steps * 1e-3, output_dt=2e-3, progress=False, outputs=outputs)
        print(f"{kind}:{steps}", hashlib.sha256(sim.state.flat.tobytes()).hexdigest(), bits(run))
"""


FEW, MANY = 6, 600  # steps: for plain Python, for compiled code


@pytest.fixture(scope="module")
def hashes():
    """{kind:steps -> hashes} of three processes: two compiled, one interpreted."""
    jobs = {
        "one": start(HASHES, "calm", FEW, MANY),
        "two": start(HASHES, "hurried", MANY, env={"PYTHONHASHSEED": "77"}),
        "interpreted": start(HASHES, "calm", FEW, env={"GELENK_COMPILE": "0"}),
    }
    lines = {}
    for name, process in jobs.items():
        code, out, err = finish(process)
        assert code == 0, err
        lines[name] = {kind: rest for kind, *rest in map(str.split, out.splitlines())}
    return lines


KINDS = [
    "ballistic",
    "dormand_prince",
    "explicit_euler",
    "explicit_midpoint",
    "implicit_euler",
    "implicit_midpoint",
    "runge_kutta4",
    "semi_implicit_euler",
]


@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_give_the_same_bits(hashes, kind):
    assert hashes["one"][f"{kind}:{MANY}"] == hashes["two"][f"{kind}:{MANY}"]


@pytest.mark.parametrize("kind", KINDS)
def test_compiled_and_interpreted_give_the_same_bits(hashes, kind):
    assert hashes["one"][f"{kind}:{FEW}"] == hashes["interpreted"][f"{kind}:{FEW}"]


def test_the_hashes_tell_schemes_apart(hashes):
    """Otherwise the tests above would show nothing."""
    assert sorted(hashes["interpreted"]) == [f"{kind}:{FEW}" for kind in KINDS]
    assert len({state for state, _ in hashes["one"].values()}) == 2 * len(KINDS)
