"""The bench tells the truth: exact reference, errors as the order says, hashes that repeat, no silent omission."""

import json

import numpy as np
import pytest

from exact.free_top import free_top
from gelenk.bench import bench, command
from gelenk.bench.engine import body_states, state_hash
from gelenk.bench.free_scene import FreeScene
from gelenk.bench.gelenk_engine import GelenkFree
from gelenk.bench.measure import KEYS, OWN, engine_class, measure
from gelenk.bench.peers import PEERS
from gelenk.bench.process import WorkerError, run_worker
from gelenk.bench.report import write_json
from gelenk.errors import InputError

SIZE = 12
FIGURES = {"attitude_error", "position_error", "energy_error", "angular_momentum_error"}


def here(scene, engine, variant, size):
    """Measure in this process: no start of another one for what does not need it."""
    return measure(scene, engine, variant, size)


def quiet(*args, **options):
    lines = []
    records = bench(*args, say=lines.append, **options)
    return records, "\n".join(lines)


# --- the scene -------------------------------------------------------------------------------------------------------


def test_reference_is_the_closed_form():
    scene = FreeScene.make(40)
    exact = [free_top(1.0, i, w, q).R_WB for i, w, q in zip(scene.inertia, scene.w_WB_B, scene.q_WB)]
    np.testing.assert_allclose(scene.attitude(1.0), exact, atol=1e-12)


def test_scene_is_the_same_in_every_process_and_size():
    small, large = FreeScene.make(3), FreeScene.make(7)
    for name in ("half", "mass", "inertia", "p_WC", "q_WB", "v_WC", "w_WB"):
        np.testing.assert_array_equal(getattr(small, name), getattr(large, name)[:3])


def test_boxes_have_three_different_moments():
    I1, I2, I3 = np.sort(FreeScene.make(200).inertia, axis=1).T
    assert np.all(I2 > 1.01 * I1)
    assert np.all(I3 > 1.01 * I2)


def test_exact_motion_has_no_error():
    scene, t = FreeScene.make(SIZE), 0.7
    motions = [free_top(t, i, w, q) for i, w, q in zip(scene.inertia, scene.w_WB_B, scene.q_WB)]
    g = np.array([0.0, 0.0, -9.81])
    R = np.array([m.R_WB for m in motions])
    w = np.array([m.R_WB @ m.w_WB_B for m in motions])
    accuracy = scene.accuracy(body_states(scene.p_WC + t * scene.v_WC + 0.5 * t * t * g, R, scene.v_WC + t * g, w), t)
    assert set(accuracy) == FIGURES
    assert max(accuracy.values()) < 1e-12


@pytest.mark.parametrize(
    ("field", "figure"), [("p_WC", "position_error"), ("R_WB", "attitude_error"), ("w_WB", "angular_momentum_error")]
)
def test_one_wrong_body_shows(field, figure):
    scene = FreeScene.make(SIZE)
    changed = np.array(getattr(scene.start, field))
    changed[5] = np.roll(changed[5], 1, axis=0)
    assert scene.accuracy(scene.start, 0.0)[figure] < 1e-12
    assert scene.accuracy(scene.start._replace(**{field: changed}), 0.0)[figure] > 1e-3


# --- Gelenk and the baseline -----------------------------------------------------------------------------------------


def test_semi_implicit_euler_errs_with_order_one():
    coarse, fine = (measure("free", "gelenk", "semi_implicit_euler", SIZE, dt)["accuracy"] for dt in (1e-3, 0.5e-3))
    for figure in ("position_error", "energy_error"):
        assert coarse[figure] / fine[figure] == pytest.approx(2.0, abs=0.1), figure
    assert coarse["attitude_error"] / fine["attitude_error"] > 1.9
    assert coarse["angular_momentum_error"] < 1e-12  # kept to round-off at any step


def test_runge_kutta_is_exact_to_nine_digits():
    accuracy = measure("free", "gelenk", "runge_kutta4", SIZE)["accuracy"]
    assert max(accuracy.values()) < 1e-9


def test_numpy_takes_the_same_steps_as_gelenk():
    scene = FreeScene.make(SIZE)
    ours, plain = (engine_class(e, "free")(scene, 1e-3, "semi_implicit_euler") for e in OWN)
    for runner in (ours, plain):
        runner.advance(200)
    for a, b in zip(ours.state(), plain.state()):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("variant", GelenkFree.variants)
def test_hash_does_not_depend_on_batches(variant):
    scene, hashes = FreeScene.make(SIZE), set()
    for batches in ([60], [1, 59], [20, 20, 20]):
        runner = GelenkFree(scene, 1e-3, variant)
        for k in batches:
            runner.advance(k)
        hashes.add(state_hash(runner.state()))
    assert len(hashes) == 1


def test_hash_sees_the_last_bit():
    start = FreeScene.make(3).start
    moved = start.p_WC.copy()
    moved[2, 1] = np.nextafter(moved[2, 1], np.inf)
    assert state_hash(start) == state_hash(FreeScene.make(3).start)
    assert state_hash(start) != state_hash(start._replace(p_WC=moved))


# --- the command -----------------------------------------------------------------------------------------------------


def test_records_and_hashes_repeat_in_processes_of_their_own(tmp_path):
    file = tmp_path / "new" / "bench.json"
    records, text = quiet("free", "none", file, 3, rounds=2)
    assert json.loads(file.read_text()) == records
    assert isinstance(records, list)
    assert [(r["engine"], r["variant"]) for r in records] == [
        ("gelenk", "semi_implicit_euler"),
        ("gelenk", "runge_kutta4"),
        ("numpy", "semi_implicit_euler"),
    ]
    for record in records:
        assert tuple(record) == KEYS
        assert set(record["accuracy"]) == FIGURES
        assert (record["scene"], record["size"]) == ("free", 3)
        assert record["state_hash"] in text
    assert "another state" not in text
    again = run_worker("free", "gelenk", "semi_implicit_euler", 3)
    assert again["state_hash"] == records[0]["state_hash"]
    assert again["accuracy"] == records[0]["accuracy"]
    assert [p.name for p in file.parent.iterdir()] == ["bench.json"]


def test_absent_peers_are_named_with_the_reason(monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda module: None)
    records, text = quiet("free", "mujoco, pinocchio", size=2, rounds=1, run=here)
    assert {r["engine"] for r in records} == {"gelenk", "numpy"}
    assert "skipped mujoco: not installed (mujoco)" in text
    assert "skipped pinocchio: not installed (pin)" in text


def test_a_peer_that_breaks_stops_nothing(monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda module: object())

    def run(scene, engine, variant, size):
        if engine == "mujoco":
            return {"missing": "ImportError: libGL.so.1"}
        if engine == "drake":
            raise WorkerError("crashed with SIGSEGV")
        return here(scene, engine, variant, size)

    records, text = quiet("free", "mujoco,drake", size=2, rounds=2, run=run)
    assert {r["engine"] for r in records} == {"gelenk", "numpy"}
    assert "skipped mujoco: ImportError: libGL.so.1" in text
    assert text.count("drake discrete crashed with SIGSEGV") == 1


def test_changing_states_are_said():
    hashes = iter(f"{n:012x}" for n in range(100))

    def run(scene, engine, variant, size):
        return {**here(scene, engine, variant, size), "state_hash": next(hashes)}

    _, text = quiet("free", "none", size=2, rounds=2, run=run)
    assert "numpy semi_implicit_euler ends in another state" in text


def test_slow_engines_are_measured_once():
    calls = []

    def run(scene, engine, variant, size):
        calls.append(engine)
        return {**here(scene, engine, variant, size), "real_time_factor": 0.01 if engine == "numpy" else 10.0}

    quiet("free", "none", size=2, rounds=3, run=run)
    assert calls.count("numpy") == 1
    assert calls.count("gelenk") == 2 * 3


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"scene": "fre"}, "fre"),
        ({"peers": "mujoco,havok"}, "havok"),
        ({"size": 0}, "size is 0"),
        ({"size": True}, "size is True"),
    ],
)
def test_bad_input_is_refused_before_measuring(options, found):
    def never(*_):
        raise AssertionError("measured")

    with pytest.raises(InputError, match=found) as refused:
        quiet(**options, run=never)
    if "peers" in options:
        assert all(name in str(refused.value) for name in PEERS)


def test_json_into_a_folder_is_refused_before_measuring(tmp_path):
    with pytest.raises(InputError, match="folder"):
        quiet("free", "none", tmp_path)


def test_json_is_whole_or_absent(tmp_path):
    file = tmp_path / "bench.json"
    file.write_text("old")
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(file, [{"ms_per_step": float("nan")}])
    assert file.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["bench.json"]


def test_worker_that_fails_or_hangs_is_an_error_with_its_reason():
    with pytest.raises(WorkerError, match="nonsense"):
        run_worker("free", "gelenk", "nonsense", 2)
    with pytest.raises(WorkerError, match="took longer"):
        run_worker("free", "numpy", "semi_implicit_euler", 2, limit=0.01)


@pytest.mark.parametrize("name", PEERS)
def test_every_peer_has_an_adapter_that_imports_without_it(name):
    assert engine_class(name, "free").variants


@pytest.mark.parametrize("name", PEERS)
def test_installed_peers_do_the_same_work(name):
    """First order engines err by the first order, better ones less: 1 % of a radian for these few boxes at 1 ms."""
    if command.absent(name, "free"):
        pytest.skip(f"{name} is not installed")
    for variant in engine_class(name, "free").variants:
        record = run_worker("free", name, variant, 4)
        if "missing" in record:
            pytest.skip(record["missing"])
        assert record["accuracy"]["attitude_error"] < 0.05, variant
        assert record["accuracy"]["position_error"] < 0.1, variant
