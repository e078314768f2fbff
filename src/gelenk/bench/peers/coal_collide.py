"""coal: the pairs of `gelenk bench collide`, timed inside its own compiled code.

A call from Python costs coal some 0.5 us besides its work, so calls are not timed from here. With ``enable_timings``
it takes the time itself, around the work alone, by a steady clock. One reading of that clock lies between the two
instants; :func:`clock_cost` measures it, and it is subtracted. Of every pair and frame the least over all rounds
counts, which leaves interruptions out and is, if anything, in coal's favour. A loop over the same pairs in C++ takes as
long, within a sixth (benchmarks/README.md).

Each pair has its own functor (``ComputeCollision``), request and result, so that nothing is looked up, and its last
direction and support points are given to the next call (``updateGuess``): the way to use it in a simulation. The
security margin is Gelenk's margin, so it too reports contacts before touching and stops early where there are none.

coal gives one point a convex pair. ``computeContactPatch`` makes a region of it, as Gelenk always does. This has no
clock of its own: it is the time of a call with a contact less that of a call with none.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import numpy as np

from gelenk.collision.pair_batch import PairSet
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, PLANE, SPHERE, TRIANGLE
from gelenk.geometry.hull import ConvexHull


def clock_cost(rounds: int = 60, calls: int = 400) -> float:
    """Half of what two readings of its clock add to a call, from two balls far apart [us]."""
    coal = import_module("coal")

    ball, a, b = coal.Sphere(1.0), coal.Transform3s(), coal.Transform3s()
    b.setTranslation(np.array([9.0, 0.0, 0.0]))
    find, result = coal.ComputeCollision(ball, ball), coal.CollisionResult()
    least = [np.inf, np.inf]
    for _ in range(rounds):
        for k in range(2):
            request = coal.CollisionRequest(coal.CollisionRequestFlag.CONTACT, 1)
            request.enable_timings = bool(k)
            begun = time.process_time()
            for _ in range(calls):
                find(a, b, request, result)
            least[k] = min(least[k], time.process_time() - begun)
    return max(0.5e6 * (least[1] - least[0]) / calls, 0.0)


class CoalPairs:
    """A set of pairs in coal."""

    def __init__(self, pairs: PairSet, hulls: list[ConvexHull], margin: float) -> None:
        coal = import_module("coal")

        self._coal, (frames, n) = coal, pairs.r.shape[:2]
        shapes: dict[int, Any] = {}
        self._geometry = [[self._make(pairs, hulls, i, side, shapes) for side in range(2)] for i in range(n)]
        self._find = [coal.ComputeCollision(*both) for both in self._geometry]
        self._request = [coal.CollisionRequest(coal.CollisionRequestFlag.CONTACT, 1) for _ in range(n)]
        for request in self._request:
            request.security_margin = margin
            request.enable_timings = True
            request.gjk_initial_guess = coal.GJKInitialGuess.CachedGuess
        self._result = [coal.CollisionResult() for _ in range(n)]
        self._at = [
            [
                (
                    self._pose(pairs, i, 0, pairs.R_A[i], np.zeros(3)),
                    self._pose(pairs, i, 1, pairs.R_B[f, i], pairs.r[f, i]),
                )
                for i in range(n)
            ]
            for f in range(frames)
        ]
        self.count = np.zeros((frames, n), np.int64)
        self.d = np.full((frames, n), np.inf)  # signed distances of the last sweep [m]
        self._least = np.full((frames, n), np.inf)

    def sweep(self, order: np.ndarray) -> None:
        """Find the contacts of all pairs, frame after frame."""
        for f in order:
            taken = []
            for pose, find, request, result in zip(self._at[f], self._find, self._request, self._result):
                result.clear()
                find(*pose, request, result)
                taken.append(result.timings.user)
                request.updateGuess(result)
            np.minimum(self._least[f], taken, out=self._least[f])
            for i, result in enumerate(self._result):
                found = result.numContacts()
                self.count[f, i], self.d[f, i] = found, result.getContact(0).penetration_depth if found else np.inf

    def microseconds(self, clock: float) -> float:
        """A pair, on average, less what the clock costs."""
        return max(float(self._least.mean()) - clock, 1e-3)

    @property
    def least(self) -> float:
        """Least time a call took, the clock included [us]."""
        return float(self._least.min())

    def patch_microseconds(self, f: int, repeats: int = 5) -> float:
        """What regions cost more in frame f, and 0 where no pair touches [us]."""
        coal, request = self._coal, self._coal.ContactPatchRequest()
        results = []
        for pose, find, query in zip(self._at[f], self._find, self._request):
            results.append(coal.CollisionResult())
            find(*pose, query, results[-1])
        poses, none = self._at[f], [coal.CollisionResult()] * len(results)
        patch = [coal.ComputeContactPatch(*both) for both in self._geometry]
        out = [coal.ContactPatchResult(request) for _ in patch]
        least = [np.inf, np.inf]
        for _ in range(repeats):
            for k, given in enumerate((none, results)):
                begun = time.process_time()
                for find, pose, result, space in zip(patch, poses, given, out):
                    find(*pose, result, request, space)
                least[k] = min(least[k], time.process_time() - begun)
        return max(1e6 * (least[1] - least[0]) / len(results), 0.0)

    def _make(self, pairs: PairSet, hulls: list[ConvexHull], i: int, side: int, shapes: dict[int, Any]) -> Any:
        coal, kind = self._coal, int(pairs.kinds[side])
        a, b, c = (float(s) for s in pairs.size[i, side])
        if kind == HULL:
            which = int(pairs.table[i, side])
            if which not in shapes:
                shapes[which] = self._convex(hulls[which])
            return shapes[which]
        if kind == TRIANGLE:
            return coal.TriangleP(*_corners(pairs, i, side).T)
        made = {
            SPHERE: lambda: coal.Sphere(a),
            BOX: lambda: coal.Box(2 * a, 2 * b, 2 * c),
            CAPSULE: lambda: coal.Capsule(a, 2 * c),
            CYLINDER: lambda: coal.Cylinder(a, 2 * c),
            CONE: lambda: coal.Cone(a, c),
            ELLIPSOID: lambda: coal.Ellipsoid(a, b, c),
            PLANE: lambda: coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0),
        }
        return made[kind]()

    def _convex(self, hull: ConvexHull) -> Any:
        coal = self._coal
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        points.extend(list(hull.vertices))
        for first, last in zip(hull.face_first[:-1], hull.face_first[1:]):
            loop = [int(v) for v in hull.loop[first:last]]
            for k in range(1, len(loop) - 1):
                triangles.append(coal.Triangle(loop[0], loop[k], loop[k + 1]))
        return coal.Convex(points, triangles)

    def _pose(self, pairs: PairSet, i: int, side: int, R: np.ndarray, p: np.ndarray) -> Any:
        """Its cones have their centre half way up; triangles keep the corners of the first frame and are turned."""
        kind = pairs.kinds[side]
        if kind == TRIANGLE:
            R = R @ np.linalg.inv(_corners(pairs, i, side))
        up = 0.5 * pairs.size[i, side, 2] if kind == CONE else 0.0
        return self._coal.Transform3s(np.ascontiguousarray(R), p + up * R[:, 2])


def _corners(pairs: PairSet, i: int, side: int) -> np.ndarray:
    """(3, 3) corners of a triangle in the first frame, in columns [m]."""
    corners: np.ndarray = pairs.R_A[i] if side == 0 else pairs.R_B[0, i]
    return corners
