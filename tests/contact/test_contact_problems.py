"""One problem, one residual, many solvers: contact problems of scenes, replayed through all of them (V-120)."""

import math

import numpy as np
import pytest
from contact_scenes import G, boxes, slope
from problem_scenes import SCENES, heap, problem_of, tower

import gelenk as gk
from gelenk.contact.problem_layout import axes_of, change, contact_velocity, point_matrices

SMALL = [name for name in SCENES if name != "large wall"]
CONE = 1e-9  # [m/s] tolerance of solvers that iterate
PIVOT = (
    1e-7  # [m/s] of those that pivot: that of a step; friction of 1 m/s, known to the add-on of 1e-9, ten times over
)


def natural_map(problem, solution):
    """Largest  | p - P_K(p - rho (w + mu |w_t| n)) | / rho,  K the cone |p_t| <= mu p_n, rho = 1 / trace of the point.

    The measure of De Saxce and Feng, computed from the impulses by NumPy alone; velocities at rho are those of the
    residual within a factor of some units. For rigid contacts with the same friction all around.
    """
    w, _ = contact_velocity(problem, problem.velocity + change(problem, solution))
    mu, p = problem.friction[:, 0], solution.impulse
    w[:, 0] += mu * np.linalg.norm(w[:, 1:], axis=1) - problem.want
    rho = 1.0 / np.trace(point_matrices(problem)[0], axis1=1, axis2=2)
    x = p - rho[:, None] * w
    n, t = x[:, 0], np.linalg.norm(x[:, 1:], axis=1)
    nearest = np.where((t <= mu * n)[:, None], x, 0.0)
    on_side = (t > mu * n) & (mu * t > -n)
    s = (n + mu * t) / (1.0 + mu**2)
    with np.errstate(invalid="ignore", divide="ignore"):
        side = np.c_[s, (mu * s / t)[:, None] * x[:, 1:]]
    nearest = np.where(on_side[:, None], side, nearest)
    return float((np.linalg.norm(p - nearest, axis=1) / rho).max())


def takes(solver, problem):
    """Which ways take which problems."""
    if solver in ("conjugate", "lanes") and len(problem.row_want):
        return False
    return solver != "lanes" or len(problem.a) >= 128


@pytest.mark.parametrize("solver", ["sweeps", "conjugate", "lanes", "newton"])
@pytest.mark.parametrize("scene", SCENES)
def test_solvers_with_cones_reach_their_tolerance(scene, solver):
    """In the one residual, and in that of De Saxce, which has no factor in common with it."""
    problem = problem_of(scene)
    if not takes(solver, problem):
        with pytest.raises(gk.InputError, match="without rows"):
            problem.solve(solver)
        return
    solution = problem.solve(solver, tolerance=CONE)
    assert solution.solved
    assert problem.residual(solution) <= CONE * (1.0 + 1e-6)
    assert natural_map(problem, solution) <= 20.0 * CONE
    assert natural_map(problem, solution._replace(impulse=1.01 * solution.impulse)) > 1e-5


@pytest.mark.parametrize(
    "solver", [gk.Dantzig(rounds=100), gk.Dantzig(rounds=100, directions=4), gk.Lemke(), gk.Lemke(directions=6)],
    ids=lambda s: f"{s.kind}-{s.directions}",
)  # fmt: skip
@pytest.mark.parametrize("scene", SMALL)
def test_solvers_with_polygons_are_exact_in_their_own_sets(scene, solver):
    """And off from Coulomb's cone by no more than polygon and disc are apart.

    For impulses that meet the polygon's problem, p = P_polygon(y), the residual of the cone is the distance of
    P_polygon(y) and P_disc(y) times the yield of the point. With the radius r = mu p_n that is at most  r tan(pi / 2n)
    for a polygon of 2n sides around the disc and  2 r sin(pi / 2n)  for one of n corners on it: then y is far off, and
    they are a corner and a point of the circle half a side away.
    """
    problem = problem_of(scene)
    solution = problem.solve(solver, tolerance=PIVOT)
    assert solution.solved
    assert problem.residual(solution, solver=solver) <= PIVOT
    half = math.pi / (2 * solver.directions)
    factor = math.tan(half) if solver.kind == "dantzig" else 2.0 * math.sin(half)
    K = point_matrices(problem)[0]
    top = np.linalg.eigvalsh(K[:, 1:, 1:])[:, 1]
    radius = problem.friction.max(axis=1) * solution.impulse[:, 0]
    assert problem.residual(solution) <= factor * (top * radius).max() + PIVOT


def test_more_directions_come_closer_to_the_cone():
    """A block that slides at an angle: polygons of ever more sides, on both sides of the circle."""
    problem = problem_of("slope")
    solvers = (
        [gk.Dantzig(rounds=100, directions=n) for n in (2, 4, 8, 16)],
        [gk.Lemke(directions=n) for n in (4, 8, 16)],
    )
    exact = problem.velocity + change(problem, problem.solve("newton"))
    for family in solvers:
        off = [np.abs(problem.velocity + change(problem, problem.solve(s)) - exact)[:, :3].max() for s in family]
        assert off[-1] < 0.25 * off[0]
        assert off[-1] < 2e-3 * G * 0.3 * 0.1  # a tenth of what friction does in the step


def test_a_problem_survives_its_file(tmp_path):
    problem = problem_of("car")
    path = problem.save(tmp_path / "car")
    assert path.name == "car.npz"
    assert path.stat().st_size < 50_000
    again = gk.ContactProblem.load(path)
    for name in problem.__slots__:
        np.testing.assert_array_equal(getattr(again, name), getattr(problem, name))
    assert again.residual() == problem.residual()
    first, second = again.solve("newton"), problem.solve("newton")
    np.testing.assert_array_equal(first.impulse, second.impulse)
    np.testing.assert_array_equal(first.row_impulse, second.row_impulse)


@pytest.mark.parametrize("solver", [gk.GaussSeidel(), gk.Dantzig(), gk.Lemke()], ids=lambda s: s.kind)
def test_the_simulation_reports_the_same_residual(solver):
    """What sim.info tells is the measure of the problem; velocities of some m/s leave 1e-14 of round-off in it."""
    contact = gk.ContactOptions(sweeps=3, newton=0)
    sim = gk.Simulation(heap(6), gk.RowStepping(h=5e-3, solver=solver, contact=contact))
    sim.advance(0.3)
    problem = sim.contact_problem()
    assert len(problem.a) > 3
    assert problem.residual(solver=solver) == pytest.approx(sim.info["residual"], rel=1e-6, abs=1e-13)
    if solver.kind == "gauss_seidel":
        assert problem.residual() > 1e-6  # three sweeps do not suffice
        assert problem.solve("sweeps", warm=True).residual < 1e-9


def test_pressure_of_a_problem_is_the_weight():
    """By hand: a box of 2 kg that falls on a plane at h g has p_n = m g h in all."""
    h, m = 2e-3, 2.0
    r = np.array([[x, y, -0.1] for x in (-0.1, 0.1) for y in (-0.1, 0.1)])
    n, count = np.zeros((4, 3)), 4
    n[:, 2] = 1.0
    problem = gk.ContactProblem(
        inverse_mass=[0.0, 1 / m],
        inverse_inertia=[np.zeros((3, 3)), 50.0 * np.eye(3)],
        velocity=[np.zeros(6), [0.1, 0, -G * h, 0, 0, 0]],
        a=np.zeros(4), b=np.ones(4), normal=n, tangent=np.tile([1.0, 0, 0], (4, 1)),
        arm_a=np.zeros((4, 3)), arm_b=r, want=np.zeros(4), soft=np.zeros(4),
        friction=np.full((4, 2), 0.5), couple_arms=np.zeros((4, 2)),
        row_first=[0], row_node=[], row_jacobian=np.zeros((0, 6)), row_want=[], row_soft=[], row_low=[], row_high=[],
        impulse=np.zeros((4, 3)), couple=np.zeros((4, 3)), row_impulse=[],
    )  # fmt: skip
    assert problem.residual() > 0.5 * G * h
    for solver in ("sweeps", "newton", gk.Dantzig(), gk.Lemke()):
        solution = problem.solve(solver)
        total = np.einsum("ckx,ck->x", axes_of(problem), solution.impulse)
        np.testing.assert_allclose(total, (-0.5 * m * G * h, 0, m * G * h), atol=1e-9 * count)


def test_bad_problems_are_refused(tmp_path):
    problem = problem_of("slope")
    values = {name: getattr(problem, name) for name in problem.__slots__}
    for wrong, what in (
        ({"want": np.zeros(3)}, "want has the shape"),
        ({"soft": np.full(4, np.nan)}, "soft of contact 0 is nan"),
        ({"b": np.full(4, 7)}, "b holds 7"),
    ):
        with pytest.raises(gk.InputError, match=what):
            gk.ContactProblem(**values | wrong)
    with pytest.raises(gk.InputError, match="solver"):
        problem.solve("magic")
    with pytest.raises(gk.InputError, match="impulse of the shape"):
        problem.residual(problem.found._replace(impulse=np.zeros((1, 3))))
    with pytest.raises(gk.InputError, match="there is none"):
        gk.ContactProblem.load(tmp_path / "none.npz")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(gk.InputError, match="arrays missing"):
        gk.ContactProblem.load(tmp_path / "other.npz")
    (tmp_path / "text.npz").write_text("no")
    with pytest.raises(gk.InputError, match="no problem to read"):
        gk.ContactProblem.load(tmp_path / "text.npz")


def spoilt(values, name, k, number):
    """The arrays with one entry changed."""
    array = values[name].astype(float)
    array[k] = number
    return values | {name: array}


@pytest.mark.parametrize(
    ("name", "k", "number", "what"),
    [
        ("friction", (2, 1), -0.5, "friction of contact 2 is -0.5.*Make it 0"),
        ("couple_arms", (2, 0), -0.1, "couple_arms of contact 2"),
        ("soft", 1, -1.0, "soft of contact 1 is -1.0.*Make it 0"),
        ("inverse_mass", 2, -1.0, "inverse_mass of node 2 is -1.0.*Make it 0 for what does not move"),
        ("inverse_inertia", 2, -np.eye(3), "inverse_inertia of node 2"),
        ("inverse_inertia", (2, 0, 1), 7.0, "inverse_inertia of node 2"),
        ("inverse_inertia", (2, 1), 0.0, "inverse_inertia of node 2"),
        ("normal", 3, 0.0, r"normal of contact 3 is \(0, 0, 0\).*Divide"),
        ("normal", 3, (0, 0, 2.0), "normal of contact 3.*Divide"),
        ("tangent", 3, (0, 3.0, 0), "tangent of contact 3.*Divide"),
        ("a", 1, 2, "contact 1 has node 2 as a and b"),
        ("a", 1, -1, "a of contact 1 is -1"),
        ("b", 1, 0.5, "b of contact 1 is 0.5"),
        ("b", 1, np.nan, "b of contact 1 is nan"),
        ("want", 0, np.inf, "want of contact 0 is inf"),
    ],
)
def test_nonsense_in_a_contact_is_named(name, k, number, what):
    problem = problem_of("slope")
    values = {name: getattr(problem, name) for name in problem.__slots__}
    with pytest.raises(gk.InputError, match=what):
        gk.ContactProblem(**spoilt(values, name, k, number))


def test_axes_of_a_contact_are_at_right_angles_and_something_moves():
    problem = problem_of("slope")
    values = {name: getattr(problem, name) for name in problem.__slots__}
    with pytest.raises(gk.InputError, match=r"tangent of contact 0 .*perpendicular.*n \(n . t\)"):
        gk.ContactProblem(**values | {"tangent": problem.normal})
    rest = {"inverse_mass": 0 * problem.inverse_mass, "inverse_inertia": 0 * problem.inverse_inertia}
    with pytest.raises(gk.InputError, match=r"contact 0 is between nodes . and ., which do not move"):
        gk.ContactProblem(**values | rest)
    particle = gk.ContactProblem(**values | {"inverse_inertia": 0 * problem.inverse_inertia})
    assert particle.solve("sweeps").solved


@pytest.mark.parametrize(
    ("name", "k", "number", "what"),
    [
        ("row_first", 0, 1, "row_first begins with 1"),
        ("row_first", 1, 6, "row_first of row 1"),
        ("row_first", -1, 3, "row_first ends with 3"),
        ("row_soft", 1, -1.0, "row_soft of row 1 is -1.0"),
        ("row_low", 1, np.nan, "row_low of row 1 is nan"),
        ("row_low", 1, np.inf, "row_low of row 1 is inf"),
        ("row_high", 1, -np.inf, "row_high of row 1 is -inf"),
        ("row_low", 1, 2.0, "row_low of row 1 is 2.0, above 1.0"),
        ("row_node", 1, 9, "row_node holds 9"),
    ],
)
def test_nonsense_in_a_row_is_named(name, k, number, what):
    values = {name: getattr(problem_of("slope"), name) for name in gk.ContactProblem.__slots__}
    values |= {"row_first": np.array([0, 2, 4]), "row_node": [0, 2, 0, 2], "row_jacobian": np.ones((4, 6))}
    values |= {x: np.zeros(2) for x in ("row_want", "row_soft", "row_impulse")}
    values |= {"row_low": -np.ones(2), "row_high": np.ones(2)}
    gk.ContactProblem(**values)
    values["row_node"] = np.array(values["row_node"])
    with pytest.raises(gk.InputError, match=what):
        gk.ContactProblem(**spoilt(values, name, k, number))


def test_rows_without_entries_leave_the_others_alone():
    """Such a row asks nothing of any node; the others want what they wanted, and are solved alike."""
    values = {name: getattr(problem_of("slope"), name) for name in gk.ContactProblem.__slots__}
    one = {"row_first": [0, 1], "row_node": [2], "row_jacobian": np.eye(6)[:1]}
    one |= {"row_want": [0.3], "row_soft": [0.0], "row_impulse": [0.0], "row_low": [-np.inf], "row_high": [np.inf]}
    two = {"row_first": [0, 1, 1], "row_node": [2], "row_jacobian": np.eye(6)[:1]}
    two |= {"row_want": [0.3, 0.0], "row_soft": [0.0, 1.0], "row_impulse": [0.0, 0.0]}
    two |= {"row_low": [-np.inf, -np.inf], "row_high": [np.inf, np.inf]}
    first, second = (gk.ContactProblem(**values | rows).residual() for rows in (one, two))
    assert first == second > 0.1


def test_impulses_that_are_no_numbers_solve_nothing():
    """A body that no finite impulse stops: what overflows is not told to be solved."""
    problem = problem_of("slope")
    values = {name: getattr(problem, name) for name in problem.__slots__}
    light = {"inverse_mass": 1e-200 * problem.inverse_mass, "inverse_inertia": 1e-200 * problem.inverse_inertia}
    heavy = gk.ContactProblem(**values | light | {"velocity": 1e200 * problem.velocity})
    with np.errstate(all="ignore"):
        solution = heavy.solve("sweeps", sweeps=50)
    assert not np.isfinite(solution.impulse).all()
    assert not solution.solved
    assert solution.residual == problem.residual(solution) == math.inf


def test_a_problem_of_merged_bodies_says_to_split_them():
    sim = gk.Simulation(boxes({f"box{k}": (0.3 * k, 0, 0.05) for k in range(3)}), gk.RowStepping(h=1e-3))
    sim.merge("pair", "box0", "box1")
    sim.advance(3e-3)
    with pytest.raises(gk.InputError, match=r"box0, box1.*split\(\) first") as told:
        sim.contact_problem()
    assert "RowStepping" not in str(told.value)
    sim.split("pair")
    sim.advance(1e-3)
    assert len(sim.contact_problem().a) == 12


def test_problems_are_those_of_steps_with_contact():
    sim = gk.Simulation(slope(0.2, 0.3))
    with pytest.raises(gk.InputError, match="no step"):
        sim.contact_problem()
    with pytest.raises(gk.InputError, match="without contact"):
        gk.Simulation(slope(0.2, 0.3), gk.RowStepping(contact=None)).contact_problem()
    with pytest.raises(gk.InputError, match="free"):
        gk.Simulation(slope(0.2, 0.3), gk.FreeMotion()).contact_problem()


def test_info_says_when_the_solver_falls_short():
    """A tower of a hundredfold with one sweep a step: boxes sink, which is counted, and warned of once."""
    model = boxes({f"box{k}": (0, 0, 0.1 * (k + 0.5)) for k in range(20)})
    sim = gk.Simulation(model, gk.RowStepping(h=1e-2, contact=gk.ContactOptions(sweeps=1, newton=0)))
    sim.advance(0.2)
    assert not sim.info["converged"]
    with pytest.warns(gk.ContactWarning, match="fell far short in .* of .* steps") as told:
        sim.advance(1.8)
    assert len(told) == 1
    assert sim.info["unconverged_steps"] > 100
    good = gk.Simulation(tower(8), gk.RowStepping(h=1e-2, contact=gk.ContactOptions()))
    good.advance(1.0)
    assert good.info["converged"]
    assert good.info["unconverged_steps"] == 0


def test_info_counts_impacts_that_were_dropped():
    """Two balls between two walls, of which each step may solve one round; with enough rounds none is dropped."""

    def dropped(rounds):
        b = gk.Builder(gravity=(0, 0, 0))
        b.material("m", friction=0, restitution=1.0)
        b.body("wall", shape=gk.Plane(), static=True, material="m")
        for k in range(4):
            b.body(f"ball{k}", shape=gk.Sphere(0.05), material="m", at=(0, 0, 0.06 + 0.11 * k), velocity=(0, 0, -8.0))
        sim = gk.Simulation(b.build(), gk.RowStepping(h=1e-2, contact=gk.ContactOptions(rounds=rounds)))
        sim.advance(0.05)
        return sim.info["contacts_dropped"], sim.info["impacts_unfinished"]

    assert min(dropped(1)) > 0
    assert dropped(100) == (0, 0)
