"""The command line: every command, and bad input as one line with exit code 2."""

import csv
import json
import shutil
import sys

import h5py
import numpy as np
import pytest
from PIL import Image

import gelenk as gk
from gelenk import cli
from run.models import assert_whole, started, stone, tumblers, with_law
from run.processes import finish, start, start_cli

COMMANDS = (
    "run",
    "view",
    "drive",
    "replay",
    "snapshot",
    "info",
    "plot",
    "export",
    "warmup",
    "doctor",
    "bench",
    "track",
)
SCENE = """
name = "drop"
[particle.stone]
mass = 0.5
at = [0, 0, 10]
[body.ball]
shape = { sphere = { radius = 0.1 } }
density = 1000
velocity = [1, 0, 0]
angular_velocity = [0, 3, 0]
[force.tie]
spring = { a = "stone", b = "ball", stiffness = 20, rest_length = 9 }
"""
PENDULUM = """
name = "pendulum"
[body.rod]
mass = 1
inertia = [0.1, 0.1, 0.01]
at = [1, 0, 0]
[joint.pin]
hinge = { a = "world", b = "rod", at = [0, 0, 0], axis = [0, 1, 0] }
"""
ROBOT = """
<robot name="arm">
  <link name="base"/>
  <link name="fore arm">
    <inertial><origin xyz="1 0 0"/><mass value="1"/>
      <inertia ixx="0.01" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="lost.stl"/></geometry></visual>
  </link>
  <joint name="elbow" type="continuous">
    <parent link="base"/><child link="fore arm"/><axis xyz="0 1 0"/>
  </joint>
  <transmission name="t"/>
</robot>
"""


@pytest.fixture
def gelenk(monkeypatch, capsys, tmp_path):
    """Call the command line as a shell would: (exit code, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["gelenk", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return call


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    path = tmp_path_factory.mktemp("recorded") / "tumblers.h5"
    outputs = {"spin": lambda sim: sim["plate"].angular_velocity}
    started(tumblers()).run(0.2, output_dt=0.01, outputs=outputs, file=path, progress=False).close()
    return path


@pytest.fixture
def run_file(recorded, tmp_path):
    return shutil.copy(recorded, tmp_path / "tumblers.h5")


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "drop.toml"
    path.write_text(SCENE)
    return path


def cells(out):
    """First column to second of a printed table."""
    return {line.split("  ")[0].strip(): line.partition("  ")[2].strip() for line in out.splitlines() if "  " in line}


def assert_refused(result, *words):
    code, out, err = result
    assert code == 2, (out, err)
    assert err.startswith("gelenk: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    for word in words:
        assert word in err


# --- run -------------------------------------------------------------------------------------------------------------


def test_the_demo_world_runs_reports_and_draws(gelenk, tmp_path):
    code, out, _ = gelenk("run", "top", "--t-end", 10)
    assert code == 0
    report = cells(out)
    assert report["flips about the middle axis"] == "2"
    # RK4 at 2 ms and 6 rad/s: 12 mrad a step, energy off by (h w)^5/144 a step at most, 5000 steps: 9e-9
    assert float(report["energy drift"].split()[0]) < 1e-8
    assert "next:" in out
    assert "gelenk plot runs/top.h5" in out
    with gk.load_run(tmp_path / "runs" / "top.h5") as run:
        assert run.status == "finished"
        assert run.time[-1] == 10
        assert_whole(run)
    with Image.open(tmp_path / "runs" / "top.png") as image:
        assert image.format == "PNG"


def without_progress(err):
    """Lines but for those that a cold cache of kernels brings."""
    return [line for line in err.splitlines() if "compil" not in line]


def test_the_report_tells_how_well_joints_held_and_warns_where_they_did_not(gelenk, tmp_path):
    (tmp_path / "pendulum.toml").write_text(PENDULUM)
    code, out, err = gelenk("run", "pendulum.toml", "--t-end", 0.01, "--no-picture")
    assert code == 0
    assert without_progress(err) == []
    for report in (cells(out), cells(gelenk("info", "runs/pendulum.h5")[1])):
        opening = report["joints open by at most"].split()
        assert opening[1::3] == ["m", "rad"]
        assert float(opening[0]) < 1e-9
        assert float(report["worst residual"].split()[0]) < 1e-9
    torn = PENDULUM.replace("at = [1, 0, 0]", "at = [1, 0, 0]\nangular_velocity = [0, 300, 0]\nvelocity = [0, 0, -300]")
    (tmp_path / "pendulum.toml").write_text(torn)
    options = ("--method", "row_stepping", "--t-end", 0.01, "--no-picture")
    code, out, err = gelenk("run", "pendulum.toml", *options)  # 0.3 rad a step: the pin opens by its square
    assert code == 0
    (line,) = without_progress(err)
    assert line.startswith("gelenk: hinge 'pin' was open by")


def test_a_second_run_takes_a_new_name(gelenk, tmp_path):
    for _ in range(3):
        assert gelenk("run", "top", "--t-end", 0.1, "--no-picture")[0] == 0
    assert sorted(p.name for p in (tmp_path / "runs").iterdir()) == ["top-2.h5", "top-3.h5", "top.h5"]


def test_force_writes_over_the_run_of_the_default_name(gelenk, tmp_path):
    for t_end in (0.1, 0.2):
        assert gelenk("run", "top", "--t-end", t_end, "--no-picture", "--force")[0] == 0
    assert [p.name for p in (tmp_path / "runs").iterdir()] == ["top.h5"]
    with gk.load_run(tmp_path / "runs" / "top.h5") as run:
        assert run.time[-1] == 0.2


def test_a_scene_file_runs_with_its_options(gelenk, scene, tmp_path):
    out_file = tmp_path / "drop.h5"
    options = ["--t-end", 0.5, "--h", 5e-3, "--integrator", "semi_implicit_euler", "--output-dt", 0.1, "--seed", 5]
    code, out, _ = gelenk("run", scene, *options, "--out", out_file)
    assert code == 0
    assert "1 body, 1 particle, FreeMotion(h=0.005, integrator=SemiImplicitEuler())" in out
    assert str(out_file) in out
    with gk.load_run(out_file) as run:
        assert np.array_equal(run.time, np.arange(6) * 20 * 5e-3)
        assert run.attributes["seed"] == 5
        assert run.attributes["h"] == 5e-3
        assert json.loads(run.attributes["options"])["integrator"] == {"kind": "semi_implicit_euler"}
        assert run.model == gk.load_scene(scene)
    assert (tmp_path / "drop.png").exists()


def test_the_command_line_and_python_give_the_same_bits(gelenk, scene, tmp_path):
    gelenk("run", scene, "--t-end", 0.2, "--no-picture", "--out", tmp_path / "a.h5")
    run = gk.Simulation(gk.load_scene(scene), gk.FreeMotion()).run(0.2, progress=False)
    with gk.load_run(tmp_path / "a.h5") as other:
        assert np.array_equal(run["ball"].position, other["ball"].position)
        assert np.array_equal(run["energy"], other["energy"])


def test_an_existing_file_is_kept_unless_forced(gelenk, scene, tmp_path):
    path = tmp_path / "a.h5"
    path.write_text("precious")
    assert_refused(gelenk("run", scene, "--out", path), "a.h5", "the file exists", "--force")
    assert path.read_text() == "precious"
    assert gelenk("run", scene, "--t-end", 0.1, "--out", path, "--force", "--no-picture")[0] == 0
    assert gk.load_run(path).status == "finished"


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ([], "MoreauTree(h=0.001, order=None"),
        (["--method", "row_stepping", "--h", 2e-3], "RowStepping(h=0.002, solver=GaussSeidel(sweeps=50"),
        (["--method", "RowStepping"], "RowStepping(h=0.001, solver=GaussSeidel(sweeps=50"),
    ],
    ids=lambda x: " ".join(map(str, x)) if isinstance(x, list) else "",
)
def test_a_scene_with_joints_runs_with_the_method_that_is_named(gelenk, tmp_path, options, shown):
    (tmp_path / "pendulum.toml").write_text(PENDULUM)
    code, out, _ = gelenk("run", "pendulum.toml", "--t-end", 0.02, "--no-picture", "--out", "a.h5", *options)
    assert code == 0
    assert shown in out
    assert "gelenk plot a.h5 'pin.angle'" in out
    with gk.load_run(tmp_path / "a.h5") as run:
        assert run.attributes["method"].startswith(shown)
        # a rod of 1 kg at 1 m with 0.1 kg m^2: 9.81 / 1.1 rad/s^2; its change over 0.02 s is below 1e-5 of it, and
        # RowStepping is off by h/t, a tenth at 2 ms
        assert run["pin"].angle[-1] == pytest.approx(0.5 * 9.81 / 1.1 * 0.02**2, rel=0.11)


def test_a_robot_runs_and_says_what_of_its_file_is_not_used(gelenk, tmp_path):
    (tmp_path / "arm.urdf").write_text(ROBOT)
    code, out, err = gelenk("run", "arm.urdf", "--t-end", 0.02, "--no-picture", "--out", "a.h5")
    assert code == 0
    assert "arm: robot arm.urdf" in out
    assert "gelenk: arm.urdf: not used: " in err
    assert "lost.stl" in err
    assert "Warning" not in err
    with gk.load_run(tmp_path / "a.h5") as run:
        assert run["elbow"].angle[-1] == pytest.approx(0.5 * 9.81 / 1.1 * 0.02**2, rel=1e-4)  # as the pendulum


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["nowhere"], ["'nowhere'", "top"]),
        (["nowhere.toml"], ["nowhere.toml", "cannot be read"]),
        (["folder.toml"], ["folder.toml", "cannot be read"]),
        (["broken.toml"], ["broken.toml:2"]),
        (["top", "--t-end", "-1"], ["--t-end is -1.0"]),
        (["top", "--t-end", "nan"], ["--t-end is nan"]),
        (["top", "--h", "0"], ["h is 0.0"]),
        (["top", "--output-dt", "0.003"], ["output_dt", "0.002 or 0.004"]),
        (["top", "--seed", "-1"], ["seed"]),
        (["top", "--integrator", "euler"], ["'euler'", "semi_implicit_euler", "runge_kutta4"]),
        (["top", "--integrator", "runge_kuta4"], ["Did you mean 'runge_kutta4'?"]),
        (
            ["top", "--method", "magic"],
            ["method 'magic'", "impulse, row_stepping, moreau_tree, position_based, lagrange, free", "Choose one"],
        ),
        (["top", "--method", "impuls"], ["method 'impuls'", "Did you mean 'impulse'?"]),
        (["top", "--method", "impulse", "--solver", "gauss"], ["solver 'gauss'", "tree, sparse", "lemke"]),
        (["top", "--solver", "tree"], ["solver 'tree' for the method 'free'", "Leave --solver out"]),
        (["top", "--method", "lagrange", "--integrator", "ballistic"], ["'ballistic'", "Leave --integrator out"]),
        (["pendulum.toml", "--method", "free"], ["1 joints and drives", "forces alone"]),
        (["pendulum.toml", "--method", "impulse", "--h", "0"], ["Impulse", "h is 0.0"]),
        (["nowhere.urdf"], ["nowhere.urdf", "cannot be read"]),
        (["broken.urdf"], ["broken.urdf", "link"]),
        (["top", "--out", "no/such/folder/a.h5"], ["does not exist"]),
        (["top", "--out", "folder.toml"], ["a folder"]),
        (["top", "--out", "a.png"], [".h5"]),
        (["law.toml"], ["drive", "function"]),
    ],
    ids=lambda x: " ".join(x),
)
def test_a_run_that_cannot_begin_says_why_in_one_line(gelenk, tmp_path, options, words):
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "broken.toml").write_text("name = 'a'\n[body.b\n")
    (tmp_path / "broken.urdf").write_text('<robot name="a"><link/></robot>')
    (tmp_path / "pendulum.toml").write_text(PENDULUM)
    gk.save_scene(with_law(lambda t, state, loads: None), tmp_path / "law.toml")
    assert_refused(gelenk("run", *options), *words)
    assert not list(tmp_path.rglob("*.h5"))


def test_a_runs_folder_that_is_a_file_is_one_line(gelenk, tmp_path):
    (tmp_path / "runs").write_text("")
    assert_refused(gelenk("run", "top"), "runs")


@pytest.mark.parametrize("arguments", [["run"], ["run", "top", "--seed", "x"], ["fly"], ["info"], ["run", "--wings"]])
def test_a_command_that_cannot_be_read_ends_with_2(gelenk, arguments):
    code, out, err = gelenk(*arguments)
    assert code == 2
    assert "Error" in err
    assert "Traceback" not in out + err


def test_a_run_that_fails_says_where_and_keeps_the_file(gelenk, tmp_path):
    b = gk.Builder(gravity=(0, 0, 0))
    b.particle("shaken", mass=1.0, at=(1, 0, 0))
    b.add(gk.Spring("stiff", gk.WORLD, "shaken", stiffness=9e6, rest_length=0.5))
    gk.save_scene(b.build(), tmp_path / "stiff.toml")
    path = tmp_path / "stiff.h5"
    code, out, err = gelenk("run", "stiff.toml", "--integrator", "semi_implicit_euler", "--out", path)
    assert code == 1
    assert "particle 'shaken' is not finite" in err
    assert str(path) in err
    assert "Traceback" not in out + err
    code, out, err = gelenk("info", path)
    assert (code, err) == (0, "")
    assert cells(out)["status"].startswith("failed: velocity of particle 'shaken'")


# --- info, plot, export ----------------------------------------------------------------------------------------------


def test_info_says_what_a_run_file_holds(gelenk, run_file):
    code, out, err = gelenk("info", run_file)
    assert (code, err) == (0, "")
    report = cells(out)
    assert report["status"] == "finished"
    assert report["samples"] == "21"
    assert report["time"] == "0 to 0.2 s"
    assert report["bodies"] == "plate, arm.upper, post"
    assert report["particles"] == "bead"
    assert report["outputs"] == "spin"
    assert report["model"] == "tumblers"
    assert report["gelenk_version"] == gk.__version__
    assert report["seed"] == "0"
    assert "energy drift" not in report  # its causes are told, so it is no error
    assert "not conserved here" in report["energy change"]


def test_info_on_a_run_of_other_status(gelenk, run_file):
    with h5py.File(run_file, "r+") as f:
        f["status"][0] = b"running"
        f["count"][0] = 3
    report = cells(gelenk("info", run_file)[1])
    assert report["status"] == "running now, or its process was killed"
    assert report["time"] == "0 to 0.02 s"


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
@pytest.mark.parametrize("names", [[], ["energy", "plate.angular_velocity", "spin"]], ids=["scene", "series"])
def test_plot_writes_a_picture(gelenk, run_file, tmp_path, names, suffix):
    target = tmp_path / f"a.{suffix}"
    code, out, err = gelenk("plot", run_file, *names, "--out", target)
    assert (code, out, err) == (0, f"wrote {target}\n", "")
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert target.read_bytes().startswith(start)


def test_plot_and_export_write_beside_the_run_unless_told(gelenk, run_file, tmp_path):
    assert gelenk("plot", run_file)[1] == f"wrote {tmp_path / 'tumblers.png'}\n"
    assert gelenk("export", run_file)[1] == f"wrote {tmp_path / 'tumblers.csv'}\n"
    with open(tmp_path / "tumblers.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    with gk.load_run(run_file) as run:
        assert [float(row["plate.position.x"]) for row in rows] == run["plate.position.x"].tolist()
        assert [float(row["spin.z"]) for row in rows] == run["spin.z"].tolist()


@pytest.mark.parametrize("target", ["a.csv", "a.png", "a.svg"])
def test_export_chooses_by_suffix(gelenk, run_file, target):
    for names in ([], ["bead.position"]):
        code, out, err = gelenk("export", run_file, *names, "--out", target)
        assert (code, out, err) == (0, f"wrote {target}\n", "")


@pytest.mark.parametrize("command", ["info", "plot", "export"])
@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("missing.h5", "there is no such file"),
        ("folder.h5", "a folder"),
        ("text.h5", "HDF5 cannot read it"),
        ("other.h5", "another kind of HDF5 file"),
        ("cut.h5", "HDF5 cannot read it"),
    ],
)
def test_what_is_no_run_file_is_one_line(gelenk, recorded, tmp_path, command, kind, word):
    (tmp_path / "folder.h5").mkdir()
    (tmp_path / "text.h5").write_text("no run\n" * 1000)
    (tmp_path / "cut.h5").write_bytes(recorded.read_bytes()[:-100])
    with h5py.File(tmp_path / "other.h5", "w") as f:
        f["time"] = np.zeros(3)
    assert_refused(gelenk(command, kind), kind, word)


@pytest.mark.parametrize("command", ["plot", "export"])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["plate.positon"], ["plate.positon", "Did you mean 'plate.position'"]),
        (["--out", "a.txt"], ["suffix '.txt'"]),
        (["--out", "no/a.png"], ["does not exist"]),
        (["energy", "--out", "tumblers.h5"], ["suffix '.h5'"]),
    ],
    ids=str,
)
def test_what_cannot_be_plotted_or_written_is_one_line(gelenk, run_file, command, options, words):
    assert_refused(gelenk(command, run_file, *options), *words)


@pytest.mark.parametrize("command", ["plot", "export"])
def test_nothing_is_written_over_the_run_itself(gelenk, recorded, tmp_path, command):
    own = tmp_path / ("own.png" if command == "plot" else "own.csv")
    shutil.copy(recorded, own)
    assert_refused(gelenk(command, own), "the run itself")
    assert own.read_bytes() == recorded.read_bytes()


def test_a_run_with_a_law_can_be_drawn_and_exported(gelenk, tmp_path):
    path = tmp_path / "law.h5"
    started(with_law(lambda t, state, loads: None)).run(0.1, file=path, progress=False).close()
    for command in ("info", "plot", "export"):
        assert gelenk(command, path)[0] == 0


# --- help, doctor, the process itself --------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(gelenk, command):
    code, out, err = gelenk(command, "--help")
    assert (code, err) == (0, "")
    assert f"Usage: gelenk {command}" in out
    assert len(out.splitlines()) > 5


def test_help_lists_every_command(gelenk):
    out = gelenk("--help")[1]
    listed = out.partition("Commands:")[2].split("\n")
    assert tuple(line.split()[0] for line in listed if line.strip()) == COMMANDS


def test_doctor_shows_versions_processor_and_cache(gelenk):
    code, out, _ = gelenk("doctor")
    assert code == 0
    report = cells(out)
    assert report["gelenk"] == gk.__version__
    assert report["numpy"] == np.__version__
    for row in ("python", "numba", "h5py", "system", "processor", "cores", "kernel cache", "cached now"):
        assert report[row]


def test_doctor_and_run_work_with_the_compiler_off(scene, tmp_path):
    """Slow and for the debugger, so a few steps only; warm-up has nothing to do and says so."""
    off = {"GELENK_COMPILE": "0"}
    path = tmp_path / "a.h5"
    jobs = [
        start_cli("doctor", env=off),
        start_cli("run", scene, "--t-end", 0.01, "--out", path, "--no-picture", env=off),
        start_cli("warmup", env=off),
    ]
    doctor, run, warmup = (finish(job) for job in jobs)
    assert "interpreted" in doctor[1]
    assert (doctor[0], run[0], run[2]) == (0, 0, "")
    assert not gk.load_run(path).attributes["compiled"]
    assert_refused(warmup, "GELENK_COMPILE is off")


def test_a_process_ends_with_code_and_one_line(run_file):
    code, out, err = finish(start_cli("info", run_file))
    assert (code, err) == (0, "")
    assert "finished" in out
    result = finish(start_cli("info", "nowhere.h5"))
    assert_refused(result, "nowhere.h5")


def test_python_m_gelenk_is_the_command_line():
    code, out, _ = finish(start("import runpy; runpy.run_module('gelenk', run_name='__main__')", "--help"))
    assert code == 0
    assert "Commands:" in out


def test_info_starts_without_loading_the_compiler(run_file):
    """Reading must stay quick: the compiler takes a second to load, the plots another."""
    code = f"import sys; sys.argv = ['gelenk', 'info', {str(run_file)!r}]\nfrom gelenk.cli import main\n"
    code += "try: main()\nexcept SystemExit: pass\n"
    code += "print([m for m in ('numba', 'matplotlib', 'trimesh', 'scipy') if m in sys.modules])"
    _, out, err = finish(start(code))
    assert out.splitlines()[-1] == "[]", err


def test_a_closed_pipe_is_no_traceback(run_file):
    import subprocess

    process = start_cli("info", run_file, stdout=subprocess.PIPE)
    process.stdout.close()
    process.stdout = None
    assert "Traceback" not in finish(process)[2]


def test_what_is_printed_needs_no_terminal_of_a_kind(gelenk, tmp_path):
    gk.save_scene(stone(), tmp_path / "stone.toml")
    out = gelenk("run", "stone.toml", "--t-end", 0.1, "--no-picture")[1]
    assert "\x1b" not in out
    assert "runs/stone.h5" in out
