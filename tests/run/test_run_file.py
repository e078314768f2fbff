"""What a run file holds: enough to know what ran, how, with which versions, and what came out."""

import hashlib
import json
import os

import h5py
import numpy as np
import pytest

import gelenk as gk
from gelenk.model.scene_write import scene_text
from gelenk.run.columns import fill
from run.models import H, assert_whole, bits, started, stone, swarm, tumblers, with_law
from run.processes import finish, start


def matrix(sim):
    return sim["plate"].rotation


OUTPUTS = {"height": lambda sim: sim["plate"].position[2], "turn": matrix, "flag": lambda sim: sim.time > 0.05}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "tumblers.h5"
    method = gk.FreeMotion(h=H, integrator=gk.DormandPrince(relative=1e-8))
    sim = gk.Simulation(tumblers(), method, seed=7)
    sim.run(0.1, output_dt=5e-3, outputs=OUTPUTS, file=path, progress=False).close()
    return path


def test_plain_hdf5_tells_what_ran(path):
    with h5py.File(path) as f:
        attributes = dict(f.attrs)
        scene = f["scene"][()].decode()
    assert attributes["format"] == "gelenk-run 1"
    assert attributes["model"] == "tumblers"
    assert attributes["method"].startswith("FreeMotion(h=0.001, integrator=DormandPrince(relative=1e-08")
    assert json.loads(attributes["options"]) == {
        "h": 0.001,
        "integrator": {"kind": "dormand_prince", "relative": 1e-8, "absolute": 1e-12},
    }
    assert attributes["seed"] == 7
    assert (attributes["h"], attributes["output_dt"], attributes["t_start"], attributes["t_end"]) == (H, 5e-3, 0, 0.1)
    assert attributes["gelenk_version"] == gk.__version__
    assert attributes["numpy_version"] == np.__version__
    assert attributes["python_version"].startswith("3.")
    assert attributes["numba_version"][0].isdigit()
    assert attributes["platform"]
    assert scene == scene_text(tumblers())
    assert attributes["digest"] == hashlib.sha256(scene.encode()).hexdigest()
    assert json.loads(attributes["bodies"]) == ["plate", "arm.upper", "post"]
    assert json.loads(attributes["particles"]) == ["bead"]


def test_the_model_comes_back_to_the_last_bit(path):
    with gk.load_run(path) as run:
        assert run.model == tumblers()
        assert np.array_equal(run.model.initial_state().flat, tumblers().initial_state().flat)


def test_series_have_shapes_units_and_a_text(path):
    expected = {
        "time": ((21,), "s"),
        "position": ((21, 3, 3), "m"),
        "orientation": ((21, 3, 4), "1"),
        "velocity": ((21, 3, 3), "m/s"),
        "angular_velocity": ((21, 3, 3), "rad/s"),
        "particle_position": ((21, 1, 3), "m"),
        "particle_velocity": ((21, 1, 3), "m/s"),
        "energy/kinetic": ((21,), "J"),
        "energy/potential": ((21,), "J"),
        "momentum": ((21, 3), "N s"),
        "angular_momentum": ((21, 3), "N m s"),
        "outputs/height": ((21,), ""),
        "outputs/turn": ((21, 3, 3), ""),
        "outputs/flag": ((21,), ""),
    }
    with h5py.File(path) as f:
        for name, (shape, unit) in expected.items():
            assert f[name].shape == shape
            assert f[name].dtype == np.dtype("<f8")
            assert f[name].attrs["unit"] == unit
            assert f[name].attrs["about"]


def test_outputs_are_taken_with_the_samples(path):
    with gk.load_run(path) as run:
        assert run.status == "finished"
        assert run.message == ""
        assert run.wall_time > 0
        assert np.array_equal(run["height"], run["plate"].position[:, 2])
        assert np.array_equal(run["turn"], run["plate"].rotation)
        assert np.array_equal(run["flag"], run.time > 0.05)
        assert_whole(run)


def test_series_are_what_the_simulation_says_at_that_time(path):
    sim = gk.Simulation(tumblers(), gk.FreeMotion(h=H, integrator=gk.DormandPrince(relative=1e-8)))
    with gk.load_run(path) as run:
        for k in range(len(run)):
            assert sim.time == run.time[k]
            for name in ("plate", "arm.upper", "bead"):
                # the same sums in another order: round-off of numbers of size 1
                np.testing.assert_allclose(run[name].position[k], sim[name].position, atol=1e-15)
                np.testing.assert_allclose(run[name].velocity[k], sim[name].velocity, atol=4e-15)
            np.testing.assert_allclose(
                run["arm.upper"].angular_velocity[k], sim["arm.upper"].angular_velocity, atol=4e-15
            )
            assert run["energy.kinetic"][k] == sim.ledger[0]
            assert run["energy.potential"][k] == sim.ledger[1]
            assert np.array_equal(run.momentum[k], sim.ledger[2:5])
            assert np.array_equal(run.angular_momentum[k], sim.ledger[5:8])
            sim.advance(5e-3)


def test_memory_and_file_hold_the_same_bits(tmp_path, path):
    method = gk.FreeMotion(h=H, integrator=gk.DormandPrince(relative=1e-8))
    run = gk.Simulation(tumblers(), method, seed=7).run(0.1, output_dt=5e-3, outputs=OUTPUTS, progress=False)
    saved = run.save(tmp_path / "saved.h5")
    with gk.load_run(path) as a, gk.load_run(saved) as b:
        assert bits(a) == bits(b) == bits(run)
        copied = a.save(tmp_path / "copied.h5")
    assert copied.read_bytes() == path.read_bytes()
    with pytest.raises(gk.InputError, match="the file exists"):
        run.save(saved)
    assert run.save(saved, overwrite=True) == saved


@pytest.mark.parametrize("bodies", [1, 2, 5])
def test_how_many_samples_are_written_at_once_does_not_show(bodies):
    """Samples are turned into series in batches whose size depends on the clock."""
    random = np.random.default_rng(1)
    b = gk.Builder()
    for i in range(bodies):
        b.body(f"b{i}", mass=1.0, inertia=(1, 2, 2.5), com=random.normal(size=3))
    b.particle("p", mass=1.0)
    model = b.build()
    count = 40
    flat = random.normal(size=(count, len(model.initial_state().flat)))
    time, ledger = np.arange(count, dtype=float), random.normal(size=(count, 8))
    whole = fill(model, time, flat, ledger)
    for size in (1, 2, 3, 7, 16):
        for first in range(0, count, size):
            rows = slice(first, first + size)
            part = fill(model, time[rows], flat[rows], ledger[rows])
            assert all(np.array_equal(part[name], whole[name][rows]) for name in whole)


def test_a_model_of_many_names_fits(tmp_path):
    """HDF5 keeps small attributes only; twenty thousand names are a megabyte."""
    b = gk.Builder()
    for i in range(20_000):
        b.particle(f"a particle with a rather long name and the number {i}", mass=1.0)
    path = tmp_path / "many.h5"
    started(b.build()).run(2 * H, file=path, progress=False).close()
    with gk.load_run(path) as run:
        assert len(run.particles) == 20_000
        assert run.particles[-1].endswith("19999")


def test_an_empty_model_runs(tmp_path):
    run = started(gk.Builder().build()).run(0.01, file=tmp_path / "empty.h5", progress=False)
    assert len(run) == 11
    assert np.array_equal(run["energy"], np.zeros(11))
    assert run.drift() == {"energy": 0, "momentum": 0, "angular_momentum": 0}


# --- outputs that go wrong -------------------------------------------------------------------------------------------


def test_an_output_that_changes_shape_is_named_and_the_rest_is_kept(tmp_path):
    path = tmp_path / "run.h5"
    grow = {"tail": lambda sim: np.zeros(3 if sim.time < 0.05 else 4)}
    with pytest.raises(gk.InputError, match=r"output 'tail': shape \(4,\) at t = 0\.05 s.*\(3,\), as at the start"):
        started(stone()).run(0.1, output_dt=0.01, outputs=grow, file=path, progress=False)
    with gk.load_run(path) as run:
        assert run.status == "failed"
        assert "output 'tail'" in run.message
        assert len(run) == len(run._file["time"]) == 5
        assert run["tail"].shape == (5, 3)
        assert_whole(run)


def test_an_output_that_raises_passes_its_error_on_and_the_file_reads(tmp_path):
    def output(sim):
        if sim.time > 0.045:
            raise LookupError("no such sensor")
        return 1.0

    path = tmp_path / "run.h5"
    sim = started(stone())
    with pytest.raises(LookupError, match="no such sensor"):
        sim.run(0.1, output_dt=0.01, outputs={"sensor": output}, file=path, progress=False)
    with gk.load_run(path) as run:
        assert run.status == "failed"
        assert run.message == "LookupError: no such sensor"
        assert len(run) == 5
        t, state = run.last_state
        assert t == sim.time
        assert np.array_equal(state.flat, sim.state.flat)
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    "value", [None, "red", [1, [2, 3]], 1j, [], object(), {"a": 1}], ids=lambda v: type(v).__name__ + str(v)[:4]
)
def test_an_output_that_is_no_number_is_named(tmp_path, value):
    with pytest.raises(gk.InputError, match="output 'odd'"):
        started(stone()).run(0.1, outputs={"odd": lambda sim: value}, file=tmp_path / "run.h5", progress=False)
    assert not list(tmp_path.iterdir())  # refused before a file is made


def test_an_output_that_stops_giving_numbers_is_named():
    with pytest.raises(gk.InputError, match=r"output 'odd'.*t = 0\.05"):
        started(stone()).run(
            0.1, output_dt=0.01, outputs={"odd": lambda s: 1.0 if s.time < 0.05 else None}, progress=False
        )


@pytest.mark.parametrize(
    "name",
    [
        "time",
        "energy",
        "energy.total",
        "momentum",
        "stone",
        "stone.position",
        "stone.position.x",
        "momentum.x",
        "a/b",
        "",
        "1",
        7,
    ],
)
def test_an_output_may_not_take_the_name_of_a_series(name):
    with pytest.raises(gk.InputError, match="output"):
        started(stone()).run(0.1, outputs={name: lambda sim: 1.0}, progress=False)


def test_an_output_must_be_a_function():
    with pytest.raises(gk.InputError, match=r"output 'a'.*a function"):
        started(stone()).run(0.1, outputs={"a": 3.0}, progress=False)


def test_outputs_are_asked_once_a_sample():
    calls = []
    run = started(stone()).run(
        0.1, output_dt=0.01, outputs={"n": lambda sim: calls.append(sim.time) or len(calls)}, progress=False
    )
    assert np.array_equal(calls, run.time)
    assert np.array_equal(run["n"], np.arange(1, 12))


# --- where the file goes ---------------------------------------------------------------------------------------------


def test_a_file_is_never_written_over_unless_told(tmp_path):
    path = tmp_path / "run.h5"
    path.write_text("precious")
    with pytest.raises(gk.InputError, match="the file exists"):
        started(stone()).run(0.1, file=path, progress=False)
    assert path.read_text() == "precious"
    started(stone()).run(0.1, file=path, overwrite=True, progress=False).close()
    assert gk.load_run(path).status == "finished"


def test_a_run_can_replace_a_file_that_is_being_read(tmp_path):
    path = tmp_path / "run.h5"
    first = started(stone()).run(0.1, file=path, progress=False)
    second = started(stone()).run(0.2, file=path, overwrite=True, progress=False)
    assert first.time[-1] == 0.1
    assert second.time[-1] == 0.2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no/such/run.h5", "the folder '.*no/such' does not exist"),
        ("", "a folder of that name"),
        ("run.png", "suffix '.png'.*h5"),
        ("run", "suffix ''.*h5"),
    ],
)
def test_a_place_where_no_file_can_be_is_refused(tmp_path, name, message):
    sim = started(stone())
    with pytest.raises(gk.InputError, match=message):
        sim.run(0.1, file=tmp_path / name, progress=False)
    assert sim.time == 0
    assert not list(tmp_path.iterdir())


def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path):
    if os.geteuid() == 0:
        folder = "/proc"  # where even root writes nothing
    else:
        folder = tmp_path
        folder.chmod(0o500)
    with pytest.raises(gk.InputError, match="cannot be written"):
        started(stone()).run(0.1, file=f"{folder}/run.h5", progress=False)


@pytest.mark.parametrize("to_file", [False, True], ids=["memory", "file"])
def test_more_samples_than_any_disk_holds_are_refused_with_the_size(tmp_path, to_file):
    file = tmp_path / "huge.h5" if to_file else None
    with pytest.raises(gk.InputError, match=r"[0-9.e+]+ GB.*output_dt"):
        started(swarm(50)).run(1e12, output_dt=H, file=file, progress=False)
    assert not list(tmp_path.iterdir())


# --- files that are no runs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("missing", "there is no such file"),
        ("folder", "a folder"),
        ("empty", "HDF5 cannot read it"),
        ("text", "HDF5 cannot read it"),
        ("other", "another kind of HDF5 file"),
        ("newer", "another kind of HDF5 file.*gelenk-run 1"),
        ("bare", "damaged"),
    ],
)
def test_what_is_no_run_file_is_refused(tmp_path, kind, message):
    path = tmp_path / "a.h5"
    if kind == "folder":
        path.mkdir()
    elif kind == "empty":
        path.touch()
    elif kind == "text":
        path.write_text("time,position\n0,1\n" * 100)
    elif kind in ("other", "newer", "bare"):
        with h5py.File(path, "w") as f:
            f["time"] = np.zeros(3)
            if kind != "other":
                f.attrs["format"] = "gelenk-run 1" if kind == "bare" else "gelenk-run 99"
    with pytest.raises(gk.InputError, match=message):
        gk.load_run(path)


def test_a_law_comes_back_when_it_is_given(tmp_path):
    def drive(t, state, loads):
        loads.torque_W[1, 2] += 0.1

    path = tmp_path / "law.h5"
    first = started(with_law(drive)).run(0.1, file=path, progress=False)
    assert first.model == with_law(drive)
    with gk.load_run(path, laws={"drive": drive}) as run:
        t, state = run.last_state
        sim = gk.Simulation(run.model, gk.FreeMotion(h=H), state=state, time=t)
        sim.advance(0.1)
    whole = started(with_law(drive))
    whole.advance(0.2)
    assert np.array_equal(sim.state.flat, whole.state.flat)


def test_a_run_whose_law_is_missing_still_shows_what_was_recorded(tmp_path):
    path = tmp_path / "law.h5"
    started(with_law(lambda t, state, loads: None)).run(0.1, file=path, progress=False).close()
    with gk.load_run(path) as run:
        assert run["wheel"].com.shape == (101, 3)
        run.picture(tmp_path / "law.png")
        with pytest.raises(gk.InputError, match=r"'drive'.*function is missing"):
            _ = run.model


OWN_KIND = """
import sys
import gelenk as gk
from run.models import started
from run.own_kind import Pull

b = gk.Builder()
b.particle("p", mass=1.0)
b.add(Pull("pull", "p", strength=2.0))
model = b.build()
assert started(model).run(2e-3, file=sys.argv[1], progress=False).model is model
with gk.load_run(sys.argv[1], kinds=[Pull]) as again:
    assert again.model == model
"""


def test_a_force_of_the_users_own_kind_comes_back(tmp_path):
    """Interpreted, as a kind of one's own is compiled anew in every process."""
    path = tmp_path / "own.h5"
    code, _, err = finish(start(OWN_KIND, path, env={"GELENK_COMPILE": "0"}))
    assert code == 0, err
    with gk.load_run(path) as run:
        assert run["p"].position.shape == (3, 3)


def test_a_closed_run_says_so(tmp_path):
    run = started(stone()).run(0.1, progress=False)
    assert repr(run) == "<Run 'stone': finished, 101 samples, t = 0.1 s>"
    with run:
        pass
    assert "closed" in repr(run)
    with pytest.raises(gk.InputError, match="closed"):
        _ = run.time


def test_a_run_whose_file_was_replaced_leaves_the_other_alone(tmp_path):
    """Two runs to one name: the second keeps the name, the first says so."""
    file = tmp_path / "one.h5"
    b = gk.Builder()
    b.particle("p", mass=1.0)
    model = b.build()

    def intrude(sim):
        if sim.time > 0.5 and not done:
            done.append(gk.Simulation(model).run(0.1, file=file, overwrite=True, progress=False))
        return 0.0

    done: list = []
    with pytest.raises(gk.InputError, match="another file took its name"):
        gk.Simulation(model).run(1.0, outputs={"x": intrude}, file=file, progress=False)
    with gk.load_run(file) as other:
        assert other.status == "finished"
        assert other.time[-1] == pytest.approx(0.1)
    done[0].close()


@pytest.mark.parametrize(("options", "words"), [({"outputs": [1]}, "a dict of name"), ({"file": 3}, "a path")])
def test_options_of_the_wrong_kind_are_refused(options, words):
    b = gk.Builder()
    b.particle("p", mass=1.0)
    with pytest.raises(gk.InputError, match=words):
        gk.Simulation(b.build()).run(1.0, **options)
