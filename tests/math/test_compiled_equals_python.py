"""The mathematics gives the same bits compiled and interpreted, and its code never touches the allocator.

With GELENK_COMPILE=0 both sides are interpreted; the comparison then only shows that the kernels run.
"""

import ast
import inspect
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import gelenk.math
from gelenk.compile import ENABLED, kernel
from gelenk.math.dense import cholesky, cholesky_solve, ldlt, ldlt_solve
from gelenk.math.quat import get4, half_angle, put4, quat_exp, quat_log, quat_rate
from gelenk.math.rotation import (
    get33,
    quat_from_rotation,
    rotation,
    rotation_exp,
    rotation_log,
    skew,
)
from gelenk.math.spatial import Pose, Twist, Wrench, power, twist_in, wrench_in
from gelenk.math.vec3 import get3, put3, triple

ROWS = 400  # random rows, with the special ones below before them
V, Q, S = 20, 12, 6  # results a row: vectors, quaternions, scalars
# So begins every name of the compiler's runtime: NRT_incref, NRT_decref, NRT_Allocate, NRT_MemInfo_alloc_aligned.
NRT = "NRT_"


@kernel
def values(a_in, b_in, r_in, q_in, p_in, M_in, v_out, q_out, s_out):
    """Every operator, method and helper of values, once a row."""
    for i in range(a_in.shape[0]):
        a, b, r = get3(a_in, i), triple(b_in[i]), get3(r_in, i)
        q, p, M = get4(q_in, i), get4(p_in, i), get33(M_in, i)
        e, E, R = quat_exp(r), rotation_exp(r), rotation(q)
        X = Pose(a, q)
        XY = X * Pose(b, p)
        YX = XY.inv()

        k = V * i
        put3(v_out, k, a + b)
        put3(v_out, k + 1, a - b)
        put3(v_out, k + 2, -a * b.x)
        put3(v_out, k + 3, a.cross(b))
        put3(v_out, k + 4, quat_log(q))
        put3(v_out, k + 5, quat_log(e))
        put3(v_out, k + 6, R @ a)
        put3(v_out, k + 7, R.tdot(a))
        put3(v_out, k + 8, rotation_log(R.times(rotation(p))))
        put3(v_out, k + 9, rotation_log(E))
        put3(v_out, k + 10, M.inv() @ a)
        put3(v_out, k + 11, M.transposed() @ a)
        put3(v_out, k + 12, skew(a) @ b)
        put3(v_out, k + 13, X.point(b))
        put3(v_out, k + 14, X.point_back(b))
        put3(v_out, k + 15, YX.p)
        twist, wrench = twist_in(X, Twist(b, r)), wrench_in(X, Wrench(r, b))
        put3(v_out, k + 16, twist.v)
        put3(v_out, k + 17, twist.w)
        put3(v_out, k + 18, wrench.f)
        put3(v_out, k + 19, wrench.t)

        k = Q * i
        put4(q_out, k, q * p)
        put4(q_out, k + 1, q + p)
        put4(q_out, k + 2, -q)
        put4(q_out, k + 3, q.scaled(a.x))
        put4(q_out, k + 4, q.conj())
        put4(q_out, k + 5, q.scaled(3.7).unit())
        put4(q_out, k + 6, q.scaled(3.7).inv())
        put4(q_out, k + 7, e)
        put4(q_out, k + 8, quat_rate(q, a))
        put4(q_out, k + 9, quat_from_rotation(R))
        put4(q_out, k + 10, XY.q)
        put4(q_out, k + 11, YX.q)

        s_out[i, 0] = a @ b
        s_out[i, 1] = a.norm() + q.norm()
        s_out[i, 2] = M.det()
        s_out[i, 3] = power(wrench, twist)
        s_out[i, 4], s_out[i, 5] = half_angle(r @ r)


@kernel
def solves(n, A, b, broken_out):
    """Both factorisations and solves of the leading n[i] x n[i] blocks; A and b are (2, m, ...) and overwritten."""
    for i in range(n.shape[0]):
        broken_out[0, i] = cholesky(A[0, i], n[i])
        if broken_out[0, i] < 0:
            cholesky_solve(A[0, i], b[0, i], n[i])
        broken_out[1, i] = ldlt(A[1, i], n[i])
        if broken_out[1, i] < 0:
            ldlt_solve(A[1, i], b[1, i], n[i])


def special_rotation_vectors():
    """Zero, tiny, both sides of the branch of half_angle, half and full turns, about axes and a diagonal."""
    angles = [0.0, 1e-300, 1e-160, 1e-20, 1e-8, 2e-8, math.nextafter(1.0, 0.0), 1.0, math.nextafter(1.0, 2.0)]
    angles += [math.nextafter(math.pi, 0.0), math.pi, math.nextafter(math.pi, 4.0), 2.0 * math.pi]
    axes = [*np.eye(3), *-np.eye(3), np.array([0.6, -0.8, 0.0])]
    return np.array([angle * axis for angle in angles for axis in axes])


def special_quaternions():
    """All with components -1, 0 and 1 before they are normalised: half turns, ties of all branches, both signs."""
    grid = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
    grid = grid[np.abs(grid).sum(axis=1) > 0.0]
    return grid / np.linalg.norm(grid, axis=1, keepdims=True)


def value_arguments():
    random = np.random.default_rng(17)
    r, q = special_rotation_vectors(), special_quaternions()
    n = ROWS + max(len(r), len(q))
    sizes = 10.0 ** random.uniform(-6.0, 3.0, (n, 1))
    a, b = random.normal(size=(2, n, 3)) * sizes
    r = np.concatenate([r, random.normal(size=(n - len(r), 3)) * 10.0 ** random.uniform(-9.0, 0.8, (n - len(r), 1))])
    q, p = np.concatenate([q, random.normal(size=(n - len(q), 4))]), random.normal(size=(n, 4))
    q, p = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (q, p))
    M = random.normal(size=(n, 3, 3)) + 4.0 * np.eye(3)
    return a, b, r, q, p, M, np.zeros((V * n, 3)), np.zeros((Q * n, 4)), np.zeros((n, S))


def solve_arguments():
    """Definite, quasi-definite, indefinite and NaN matrices of sizes 0 to 12."""
    random = np.random.default_rng(18)
    m, largest = 120, 12
    n = np.arange(m) % (largest + 1)
    B = random.normal(size=(m, largest, largest))
    A = B @ B.transpose(0, 2, 1) + 0.1 * np.eye(largest)
    sign = np.where(np.arange(largest) < random.integers(0, largest + 1, (m, 1)), 1.0, -1.0)
    kind = np.arange(m) // (largest + 1) % 4
    half = np.tril(B, -1)
    quasi = sign[:, :, None] * (sign[:, :, None] == sign[:, None, :]) * A
    quasi += (sign[:, :, None] != sign[:, None, :]) * (half + half.transpose(0, 2, 1))
    A = np.where((kind == 1)[:, None, None], quasi, A)
    A = np.where((kind == 2)[:, None, None], B + B.transpose(0, 2, 1), A)
    A[kind == 3, largest // 2, largest // 3] = math.nan
    b = random.normal(size=(m, largest))
    return n, np.stack([A, A]), np.stack([b, b]), np.full((2, m), -9)


CASES = [(values, value_arguments), (solves, solve_arguments)]


def run(function, arguments):
    """The arguments after a call with copies of them."""
    copies = [x.copy() for x in arguments]
    function(*copies)
    return copies


@pytest.mark.parametrize(("one", "arguments"), CASES, ids=["values", "solves"])
def test_compiled_code_gives_the_same_bits_as_python(one, arguments):
    arguments = arguments()
    for compiled, interpreted in zip(run(one, arguments), run(one.python, arguments)):
        different = np.argwhere(compiled.view(np.uint64) != interpreted.view(np.uint64))
        assert len(different) == 0, f"first differences at {different[:5].tolist()} of {compiled.shape}"


@pytest.mark.parametrize(("one", "arguments"), CASES, ids=["values", "solves"])
def test_every_output_of_the_comparison_is_written(one, arguments):
    """A row that no one writes would be equal on both sides and prove nothing."""
    arguments = arguments()
    outputs = [k for k, name in enumerate(inspect.signature(one.python).parameters) if name.endswith("_out")]
    marked = [np.full_like(x, -99) if k in outputs else x for k, x in enumerate(arguments)]
    after = run(one.python, marked)
    for k in outputs:
        assert (after[k] != -99).all()
        assert np.isfinite(after[k]).all()


@pytest.mark.skipif(not ENABLED, reason="GELENK_COMPILE=0: nothing is compiled, so there is no LLVM code to look at")
@pytest.mark.parametrize(("one", "arguments"), CASES, ids=["values", "solves"])
def test_compiled_code_neither_allocates_nor_counts_references(one, arguments):
    run(one, arguments())
    (code,) = one.dispatcher.inspect_llvm().values()
    assert "fmul" in code  # this is the code, not a shell around it
    assert NRT not in code


@pytest.mark.skipif(not ENABLED, reason="GELENK_COMPILE=0: nothing is compiled, so there is no LLVM code to look at")
def test_looking_for_allocations_would_find_one():
    from numba import njit

    allocates = njit(lambda n: np.empty(n))
    allocates(3)
    (code,) = allocates.inspect_llvm().values()
    assert NRT in code


def public_mathematics():
    """Names of all helpers and of all methods of value types in gelenk.math."""
    names = set()
    for path in Path(gelenk.math.__file__).parent.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            marks = {d.id for d in getattr(node, "decorator_list", []) if isinstance(d, ast.Name)}
            if "helper" in marks:
                names.add(node.name)
            elif "value_type" in marks:
                names |= {f"{node.name}.{f.name}" for f in node.body if isinstance(f, ast.FunctionDef)}
    return names


def test_kernels_above_call_all_of_the_mathematics():
    """Runs them with every helper and method counted, so that a new one cannot be forgotten here."""
    called = set()

    def count(frame, event, argument):
        if event == "call" and "gelenk/math" in frame.f_code.co_filename.replace("\\", "/"):
            called.add(frame.f_code.co_qualname)

    arguments = [make() for _, make in CASES]
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        for (one, _), (first, *others) in zip(CASES, arguments):
            one.python(first[:20], *others)  # the first argument has the number of rows
    finally:
        sys.setprofile(before)
    assert public_mathematics() - called == set()
