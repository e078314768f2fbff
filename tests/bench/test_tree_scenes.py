"""Scenes of joined links: data that fit together, a true reference, errors that show, every peer run or named."""

import json
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from gelenk.bench import bench, command
from gelenk.bench import measure as measuring
from gelenk.bench.engine import body_states, rotations
from gelenk.bench.links import pins
from gelenk.bench.measure import KEYS, engine_class, measure
from gelenk.bench.peers import PEERS
from gelenk.bench.planar_pendulum import last_centre
from gelenk.bench.report import reference
from gelenk.bench.scenes import SCENES
from gelenk.bench.tree_judge import EARLY, MOST, TreeJudge
from gelenk.bench.tree_scene import GRAVITY, TREE_SCENES, ChainScene, PendulumScene, TreeScene
from gelenk.bench.urdf import urdf

PLANAR = {"joint_drift", "energy_error", "position_error"}


class ExactChain:
    """The planar chain by another road: links free in the plane, joints as rows, accelerations and forces at once.

    M a = f + J^T l,    J a = -J' v        rows: the start of a link is the end of its parent, differentiated twice
    """

    variants = ("rows",)

    def __init__(self, scene, dt, variant="rows"):
        n = self.n = len(scene.links)
        self.half, self.dt = np.array([link.edges[0] / 2 for link in scene.links]), dt
        self.inverse = 1.0 / np.concatenate([scene.mass, scene.mass, [link.inertia[1] for link in scene.links]])
        self.y = np.zeros(6 * n)  # x, z and the angle of every link, then their rates
        self.y[:n] = scene.start.p_WC[:, 0]

    def advance(self, k):
        from scipy.integrate import solve_ivp

        span = (0.0, k * self.dt)
        self.y = solve_ivp(lambda t, y: self.rate(y), span, self.y, method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1]

    def rate(self, y):
        n, J, turn = self.n, np.zeros((2 * self.n, 3 * self.n)), np.zeros(2 * self.n)
        a, a_rate = y[2 * n : 3 * n], y[5 * n :]
        e = np.stack([np.cos(a), -np.sin(a)])
        across = np.stack([-np.sin(a), -np.cos(a)])
        for i in range(n):
            for c in (0, 1):
                row = 2 * i + c
                for k, sign in ((i, 1.0), (i - 1, -1.0)):
                    if k >= 0:
                        J[row, c * n + k], J[row, 2 * n + k] = sign, -self.half[k] * across[c, k]
                        turn[row] += self.half[k] * e[c, k] * a_rate[k] ** 2
        pull = np.concatenate([np.zeros(n), np.full(n, -GRAVITY), np.zeros(n)])
        force = np.linalg.solve((J * self.inverse) @ J.T, -turn - J @ pull)
        return np.concatenate([y[3 * n :], pull + self.inverse * (J.T @ force)])

    def state(self):
        n, zero = self.n, np.zeros(self.n)
        x, z, a, vx, vz, a_rate = self.y.reshape(6, n)
        R_WB = rotations(np.stack([np.cos(a / 2), zero, np.sin(a / 2), zero], axis=1))
        return body_states(
            np.stack([x, zero, z], axis=1),
            R_WB,
            np.stack([vx, zero, vz], axis=1),
            np.stack([zero, a_rate, zero], axis=1),
        )


def quiet(*args, **options):
    lines = []
    records = bench(*args, say=lines.append, **options)
    return records, "\n".join(lines)


# --- the scenes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TREE_SCENES)
def test_links_are_joined_right_handed_and_after_their_parents(name):
    scene = SCENES[name].make(15)
    assert len({link.name for link in scene.links}) == 15
    assert all(-1 <= link.parent < i for i, link in enumerate(scene.links))
    assert TreeJudge(scene).gaps(scene.start).max() < 1e-15  # round-off of places of 1 m
    for i, link in enumerate(scene.links):
        np.testing.assert_allclose(link.R_WB.T @ link.R_WB, np.eye(3), atol=1e-15)
        assert np.linalg.det(link.R_WB) == pytest.approx(1.0)
        np.testing.assert_allclose(rotations(link.q_WB[None])[0], link.R_WB, atol=1e-15)
        end = link.p_WC + link.R_WB @ [link.edges[0] / 2, 0.0, 0.0]
        children = [other.p_WJ for other in scene.links if other.parent == i]
        np.testing.assert_allclose(children, [end] * len(children), atol=1e-15)


@pytest.mark.parametrize("name", TREE_SCENES)
def test_first_links_are_the_same_in_any_size(name):
    small, large = SCENES[name].make(3), SCENES[name].make(8)
    for a, b in zip(small.links, large.links):
        assert (a.name, a.parent, a.joint, a.mass) == (b.name, b.parent, b.joint, b.mass)
        for field in ("p_WJ", "axis_W", "p_WC", "R_WB", "edges", "inertia", "q_WB"):
            np.testing.assert_array_equal(getattr(a, field), getattr(b, field))


def test_chain_and_pendulum_differ_in_their_joints_alone():
    chain, pendulum = ChainScene.make(5), PendulumScene.make(5)
    assert {link.joint for link in chain.links} == {"ball"}
    assert {link.joint for link in pendulum.links} == {"hinge"}
    for a, b in zip(chain.links, pendulum.links):
        np.testing.assert_array_equal(a.p_WC, b.p_WC)
        np.testing.assert_allclose(a.edges, [0.1, 0.02, 0.02], rtol=1e-14)  # from the ends of the links
        assert a.mass == b.mass == 0.1


def test_full_tree_has_its_leaves_on_the_last_level():
    scene = TreeScene.make(TreeScene.default_size)
    leaves = set(range(127)) - {link.parent for link in scene.links}
    assert leaves == set(range(63, 127))
    ends = np.array([link.p_WC for link in scene.links])
    distances = np.linalg.norm(ends[:, None] - ends[None], axis=2)[np.triu_indices(127, 1)]
    assert distances.min() > 0.01  # no two links in one place


def test_inertia_is_that_of_a_box():
    link = TreeScene.make(9).links[-1]
    (a, b, c), m = link.edges, link.mass
    np.testing.assert_allclose(
        link.inertia, [m * (b * b + c * c) / 12, m * (a * a + c * c) / 12, m * (a * a + b * b) / 12]
    )
    np.testing.assert_allclose(link.inertia_W, link.R_WB @ np.diag(link.inertia) @ link.R_WB.T, atol=1e-18)


def test_points_that_hold_a_joint_are_on_its_axis():
    ball, hinge = ChainScene.make(1).links[0], PendulumScene.make(1).links[0]
    np.testing.assert_array_equal(pins(ball), [np.zeros(3)])
    np.testing.assert_allclose(pins(hinge), [[0.0, -0.05, 0.0], [0.0, 0.05, 0.0]])


def test_urdf_tells_the_same_tree():
    scene = TreeScene.make(7)
    robot = ElementTree.fromstring(urdf(scene))
    joints = {joint.find("child").get("link"): joint for joint in robot.findall("joint")}
    place = {"world": np.zeros(3)}
    for link in scene.links:
        joint = joints[link.name]
        above = joint.find("parent").get("link")
        assert above == ("world" if link.parent < 0 else scene.links[link.parent].name)
        place[link.name] = place[above] + np.array(joint.find("origin").get("xyz").split(), dtype=float)
        inertial = robot.find(f"link[@name='{link.name}']/inertial")
        centre = place[link.name] + np.array(inertial.find("origin").get("xyz").split(), dtype=float)
        np.testing.assert_allclose(place[link.name], link.p_WJ, atol=1e-15)
        np.testing.assert_allclose(centre, link.p_WC, atol=1e-15)
        assert float(inertial.find("inertia").get("ixz")) == link.inertia_W[0, 2]
    assert {joint.get("type") for joint in joints.values()} == {"spherical"}
    assert 'type="continuous"' in urdf(PendulumScene.make(1))


# --- the reference ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("t", [0.2, 0.9])
def test_one_link_is_the_compound_pendulum(t):
    """sin(phi/2) = k sn(K + w t), phi from the vertical, k = sin(phi0/2), w^2 = m g c / (I + m c^2)."""
    from scipy.special import ellipj, ellipk

    scene = ChainScene.make(1)
    link, c, m = scene.links[0], 0.05, 0.5  # m: parameter k^2 of a release from the horizontal
    w = np.sqrt(link.mass * GRAVITY * c / (link.inertia[1] + link.mass * c * c))
    phi = 2.0 * np.arcsin(np.sqrt(m) * ellipj(ellipk(m) + w * t, m)[0])
    # 1e-12 a step, and at most some hundred steps
    np.testing.assert_allclose(last_centre(scene, t), [c * np.sin(phi), 0.0, -c * np.cos(phi)], atol=1e-10)


@pytest.mark.parametrize("size", [2, 5])
def test_reference_agrees_with_free_links_held_by_rows(size):
    scene = ChainScene.make(size)
    exact = ExactChain(scene, 0.2)
    exact.advance(1)
    np.testing.assert_allclose(last_centre(scene, 0.2), exact.state().p_WC[-1], atol=1e-9)  # 1e-11 a step, 100 steps


def test_at_the_time_of_comparison_the_motion_is_not_chaotic():
    """With its first link heavier by 1e-6 the last one ends up elsewhere by less than that share of 1 m."""
    for kind in (ChainScene, PendulumScene):
        scene = kind.make(10)
        first, *others = scene.links
        changed = kind((replace(first, mass=first.mass * (1.0 + 1e-6)), *others))
        apart = np.linalg.norm(last_centre(scene, EARLY) - last_centre(changed, EARLY))
        assert 0.0 < apart < 1e-6


# --- the judge -------------------------------------------------------------------------------------------------------


def test_exact_motion_has_no_error():
    scene = ChainScene.make(3)
    judge, exact = TreeJudge(scene), ExactChain(scene, 0.2)
    exact.advance(1)
    judge.look(exact, 0.2)
    exact.advance(1)
    accuracy = judge.accuracy(exact.state(), 0.4)
    assert set(accuracy) == PLANAR
    assert max(accuracy.values()) < 1e-9  # 1e-11 a step, 100 steps


@pytest.mark.parametrize("name", TREE_SCENES)
def test_a_shifted_link_shows(name):
    scene = SCENES[name].make(7)
    p_WC = scene.start.p_WC.copy()
    p_WC[6] += [0.0, 2e-3, 0.0]
    accuracy = TreeJudge(scene).accuracy(scene.start._replace(p_WC=p_WC), 0.0)
    assert accuracy["joint_drift"] == pytest.approx(2e-3)


def test_the_worst_of_the_run_counts_not_the_end():
    scene = TreeScene.make(7)
    wide, fast = scene.start.p_WC.copy(), np.zeros((7, 3))
    wide[3] += [1e-3, 0.0, 0.0]
    fast[:, 1] = 2.0
    judge = TreeJudge(scene)
    judge.see(scene.start._replace(p_WC=wide), 0.1)
    judge.see(scene.start._replace(v_WC=fast), 0.2)
    accuracy = judge.accuracy(scene.start, 0.3)
    assert set(accuracy) == {"joint_drift", "energy_error"}
    assert accuracy["joint_drift"] == pytest.approx(1e-3)
    assert accuracy["energy_error"] == pytest.approx(1.0)  # all of the largest kinetic energy came from nowhere


def test_energy_counts_rotation_in_principal_axes():
    scene = TreeScene.make(5)
    w_WB = np.zeros((5, 3))
    w_WB[4] = 3.0 * scene.links[4].R_WB[:, 0]
    falling = scene.start.p_WC - [0.0, 0.0, 1e-3]
    judge = TreeJudge(scene)
    kinetic = 0.5 * 9.0 * scene.links[4].inertia[0]
    lost = kinetic - GRAVITY * scene.mass.sum() * 1e-3
    accuracy = judge.accuracy(scene.start._replace(p_WC=falling, w_WB=w_WB), 0.1)
    assert accuracy["energy_error"] == pytest.approx(abs(lost) / kinetic)


def test_what_diverged_once_has_no_figure():
    scene = PendulumScene.make(2)
    judge = TreeJudge(scene)
    judge.see(scene.start._replace(p_WC=np.full((2, 3), np.nan)), 0.1)
    accuracy = judge.accuracy(scene.start, 0.3)
    assert np.isnan(accuracy["joint_drift"])
    assert np.isnan(accuracy["energy_error"])


def test_long_chains_go_without_reference():
    scene = ChainScene.make(MOST + 1)
    accuracy = TreeJudge(scene).accuracy(scene.start, 1.0)
    assert np.isnan(accuracy["position_error"])
    assert accuracy["joint_drift"] < 1e-14  # round-off of places of 20 m


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def exact_engine(monkeypatch):
    """One peer with the exact chain as its adapter, in this process; the others are as they are."""
    real = engine_class

    def chosen(engine, scene):
        return ExactChain if engine == "mujoco" else real(engine, scene)

    for module in (measuring, command):
        monkeypatch.setattr(module, "engine_class", chosen)
    monkeypatch.setattr(command, "find_spec", lambda module: object() if module == "mujoco" else None)
    monkeypatch.setattr(command, "OWN", {"numpy": ""})


def test_a_scene_runs_end_to_end(exact_engine, tmp_path):
    file = tmp_path / "bench.json"
    records, text = quiet("chain", "mujoco,pybullet", file, 2, rounds=1, run=measure)
    (record,) = records
    assert tuple(record) == KEYS
    assert (record["scene"], record["size"], record["engine"], record["variant"]) == ("chain", 2, "mujoco", "rows")
    assert set(record["accuracy"]) == PLANAR
    assert max(record["accuracy"].values()) < 1e-8  # 1e-11 a step in 22 pieces; twice 100 steps of growth
    assert json.loads(file.read_text()) == records
    assert "skipped pybullet: not installed (pybullet)" in text
    assert "skipped numpy: no adapter for scene chain" in text
    assert "ratio: to mujoco rows" in text
    assert "joint drift" in text
    assert "0.2 s" in text


def test_position_is_compared_at_a_time_the_step_can_reach(exact_engine):
    record = measure("chain", "mujoco", "rows", 2, dt=0.007)  # 28.6 steps to 0.2 s
    assert record["accuracy"]["position_error"] < 1e-9


@pytest.mark.parametrize("scene", TREE_SCENES)
def test_absent_peers_are_named_with_the_reason(monkeypatch, scene):
    monkeypatch.setattr(command, "find_spec", lambda module: None)
    monkeypatch.setattr(command, "OWN", {"numpy": ""})
    records, text = quiet(scene, "all", size=2, rounds=1)
    assert records == []
    for name, peer in PEERS.items():
        assert f"skipped {name}: not installed ({peer.package})" in text
    assert "nothing was measured" in text


def test_others_are_compared_with_gelenk_where_it_was_measured():
    records = [
        {"engine": engine, "variant": variant, "ms_per_step": ms}
        for engine, variant, ms in (("gelenk", "first", 3.0), ("gelenk", "second", 2.0), ("ode", "step", 1.0))
    ]
    assert reference(records)["variant"] == "first"
    assert reference(records[2:])["engine"] == "ode"


# --- the peers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scene", TREE_SCENES)
@pytest.mark.parametrize("name", PEERS)
def test_every_peer_has_an_adapter_that_imports_without_it(name, scene):
    adapter = engine_class(name, scene)
    assert adapter.variants
    assert callable(adapter.advance)
    assert callable(adapter.state)


IN_ONE_PROCESS = """
import json, os, sys
from gelenk.bench.measure import engine_class, measure
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
records = [measure(scene, sys.argv[1], variant, size)
           for scene, size in (("chain", 4), ("tree", 3), ("pendulum", 2))
           for variant in engine_class(sys.argv[1], scene).variants]
answer.write(json.dumps(records))
answer.flush()
os._exit(0)
"""


@pytest.mark.parametrize("name", PEERS)
def test_peers_do_the_same_work_or_are_named(name):
    """Schemes of order 1 err by g h t / 2 = 1 mm in free fall at 0.2 s, and joints held by rows give way by less.

    Sweeps over positions damp the motion: up to 9 mm and a quarter of the energy. A wrong model is off by centimetres.
    """
    if why := command.absent(name, "chain"):
        assert why == f"not installed ({PEERS[name].package})"
        return
    done = subprocess.run([sys.executable, "-c", IN_ONE_PROCESS, name], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
    for record in json.loads(done.stdout):
        accuracy, what = record["accuracy"], (record["scene"], record["variant"])
        assert accuracy["joint_drift"] < 2e-3, what
        assert accuracy.get("position_error", 0.0) < 1e-2, what
        if record["scene"] != "pendulum":  # ten seconds: a scheme of order 1 may lose or gain all of the energy
            assert accuracy["energy_error"] < 0.5, what
