"""Arch: stones without mortar stand in a half circle if the ring is thick enough, and fall if it is not.

An arch of seventeen wedges stands on its abutments, convex hulls that hold each other by nothing but thrust and
friction. One ring is 0.14 of its radius thick, the other 0.08. In the thick one a line of thrust fits into the stones,
and it stands as Roman bridges do. In the thin one none fits: hinges open at the crown, the haunches and the springings,
and it comes down.

Proof. A half circle under its own weight needs a ring of at least 0.1075 of its mean radius (Milankovitch 1907,
Heyman 1969). The springings bear the weight together and thrust against each other; both arches begin at rest, one
stays there.
"""

import argparse
import math
from functools import cache

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.instants import draw_instant, save_small

STONES, RADIUS, DEPTH = 17, 1.0, 0.3  # in an arch; of the middle of the ring, across [m]
RATIOS = {"thick": 0.14, "thin": 0.08}  # of the ring by its radius
LEAST = 0.1075
RISE, G = 0.25, 9.81  # of the abutments [m]
STEP, T_END = 1 / 240, 1.5  # [s]


def wedge(a: float, b: float, thick: float) -> np.ndarray:
    """(8, 3) corners of a stone between two angles, from the middle of the arch [m]."""
    corners = [(r * math.cos(t), y, r * math.sin(t)) for t in (a, b)
               for r in (RADIUS - thick / 2, RADIUS + thick / 2) for y in (-DEPTH / 2, DEPTH / 2)]  # fmt: skip
    return np.array(corners)


def build(ratio: float = RATIOS["thick"]) -> gk.Model:
    b = gk.Builder(name="arch")
    for k, color in enumerate(((0.85, 0.80, 0.68), (0.78, 0.70, 0.58))):
        b.material(f"stone {k}", density=2400, friction=0.7, color=color)
    b.material("rock", friction=0.7, color=(0.62, 0.62, 0.60))
    b.body("ground", shape=gk.Plane(), static=True)
    for name, x in (("left", -RADIUS), ("right", RADIUS)):
        b.body(name, shape=gk.Box((0.3, 0.4, RISE)), material="rock", static=True, at=(x, 0, RISE / 2))
    edges = np.linspace(math.pi, 0.0, STONES + 1)
    for k in range(STONES):
        corners = wedge(edges[k + 1], edges[k], ratio * RADIUS)
        com = corners.mean(axis=0)
        at = com + np.array([0, 0, RISE])
        b.body(f"stone {k}", shape=gk.ConvexHull(corners - com), material=f"stone {k % 2}", at=at)
    return b.build()


@cache
def simulate(ratio: float = RATIOS["thick"]) -> gk.Run:
    def support(sim: gk.Simulation) -> np.ndarray:
        """Forces of the two abutments in the last step [N]."""
        made = [sum((c.force for c in sim.contacts if c.a == side), np.zeros(3)) for side in ("left", "right")]
        return np.array(made)

    method = gk.RowStepping(h=STEP)
    return gk.simulate(build(ratio), T_END, method=method, output_dt=2 * STEP, outputs={"support": support})


def moved(run: gk.Run) -> np.ndarray:
    """Largest way of a stone over time [m]."""
    ways = [run[f"stone {k}"].position - run[f"stone {k}"].position[0] for k in range(STONES)]
    return np.linalg.norm(ways, axis=2).max(axis=0)


def weight(run: gk.Run) -> float:
    """Of the stones [N]."""
    return G * sum(run.parts.body(f"stone {k}").mass for k in range(STONES))


def check(run: gk.Run) -> None:
    assert moved(run).max() < 1e-4
    assert moved(simulate(RATIOS["thin"]))[-1] > 0.3
    last = run["support"][-1].reshape(2, 3)
    np.testing.assert_allclose(last[:, 2].sum(), weight(run), rtol=1e-5)
    # Loose stones leave open where in the joint the thrust acts: each side bears half but for thickness over radius.
    np.testing.assert_allclose(last[:, 2], weight(run) / 2, rtol=RATIOS["thick"] / 2)
    assert abs(last[0, 0] + last[1, 0]) < 1e-3 * weight(run), "the thrusts are equal"
    assert 0 < last[0, 0] < 0.7 * last[0, 2], "inward, and within friction"


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 4.4))
    thin = simulate(RATIOS["thin"])
    falls = [int(np.flatnonzero(moved(thin) > way)[0]) for way in (0.1, 0.4)]
    shots = ((run, len(run) - 1), (thin, 0), (thin, falls[0]), (thin, falls[1]))
    for k, (shown, sample) in enumerate(shots):
        panel = figure.add_axes((0.25 * k, 0.4, 0.248, 0.46))
        draw_instant(panel, shown, sample, (0, 0, 0.62), (2.7, 2.5), toward=(0.35, -1.0, 0.28), pixels=219,
                     colors={"ground": (0.88, 0.90, 0.85)})  # fmt: skip
        panel.set_title(f"{'thin' if k else 'thick'}, {shown.time[sample]:.2f} s", fontsize=9)
    panel = figure.add_axes((0.06, 0.1, 0.42, 0.24))
    for shown, name, color in ((run, "thick", "#4c72b0"), (thin, "thin", "#c44e52")):
        label = f"{name}: {RATIOS[name]:g} of the radius"
        panel.semilogy(run.time[1:], np.maximum(moved(shown)[1:], 1e-9), color=color, label=label)
    panel.set_title("largest way of a stone [m]", fontsize=9)
    thrust = figure.add_axes((0.56, 0.1, 0.42, 0.24))
    force = run["support"].reshape(-1, 2, 3)[1:]
    thrust.plot(run.time[1:], force[:, 0, 2], color="#4c72b0", label="upward")
    thrust.plot(run.time[1:], force[:, 0, 0], color="#55a868", label="inward")
    thrust.axhline(weight(run) / 2, color="0.5", linestyle=":", label="half of the weight")
    thrust.set_title("force at a springing of the thick arch [N]", fontsize=9)
    for one in (panel, thrust):
        one.legend(fontsize=7)
        one.tick_params(labelsize=7)
        one.grid(alpha=0.25)
    figure.suptitle(f"Arches without mortar: a ring needs {LEAST} of its radius to stand", fontsize=12)
    save_small(figure, out)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Arches of loose stones.")
    parser.add_argument("--out", default="arch.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    thick, thin = moved(run).max(), moved(simulate(RATIOS["thin"]))[-1]
    force = run["support"][-1].reshape(2, 3)
    print(f"ring of {RATIOS['thick']:g} R stands, no stone moves by more than {1000 * thick:.4f} mm")
    print(f"ring of {RATIOS['thin']:g} R falls, by {thin:.2f} m; closed form: at least {LEAST} R")
    up, thrust = force[:, 2].sum(), np.abs(force[:, 0])
    print(f"springings: {up:.2f} N upward, weight {weight(run):.2f} N; thrusts {thrust[0]:.2f} and {thrust[1]:.2f} N")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
