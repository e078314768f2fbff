"""Dominoes: a push runs along two rows, and the large one takes longer by the root of two.

Two rows of dominoes stand on arcs, the outer one twice as large as the inner one in everything. The first of each is
pushed. Every domino falls against the next and leans on it, slides down along it, and in the end they lie like
shingles: impacts, friction, and bodies that rest on three others, all of it on thin plates that tip easily.

Proof. Gravity alone sets the time, so a row that is s times larger falls  sqrt(s)  times slower, if its first domino
is pushed as much slower. The wave soon runs at a constant speed: the push is forgotten.
"""

import argparse
import math

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.instants import draw_instant, save_small

COUNT, SCALES = 32, (1.0, 2.0)
SIZE, RADIUS, PITCH = np.array([0.01, 0.03, 0.06]), 0.21, 0.028  # thick, wide, high; of the arc; between two [m]
PUSH = 4.0  # of the first small one [rad/s]
STEP, T_END = 1e-3, 1.9  # [s]
FALLEN = math.radians(20)  # more than that, and it will not come back


def name(scale: float, k: int) -> str:
    return f"{'large' if scale > 1 else 'small'} {k}"


def build() -> gk.Model:
    b = gk.Builder(name="dominoes")
    b.body("ground", shape=gk.Plane(), static=True)
    for scale, color in zip(SCALES, ((0.93, 0.9, 0.83), (0.35, 0.5, 0.7))):
        b.material(f"scale {scale:g}", density=1200, friction=0.3, color=color)
        for k in range(COUNT):
            angle = math.pi - k * PITCH / RADIUS
            at = scale * np.array([RADIUS * math.cos(angle), RADIUS * math.sin(angle), SIZE[2] / 2])
            turn = angle - math.pi / 2  # its thin side is along the arc, and the way goes clockwise
            ahead = np.array([math.sin(angle), -math.cos(angle), 0.0])
            spin = PUSH / math.sqrt(scale) * np.cross((0, 0, 1), ahead) if k == 0 else np.zeros(3)
            b.body(name(scale, k), shape=gk.Box(scale * SIZE), material=f"scale {scale:g}", at=at,
                   rotation=gk.turned("z", turn), angular_velocity=spin,
                   velocity=np.cross(spin, (0, 0, scale * SIZE[2] / 2)))  # fmt: skip
    return b.build()


def simulate() -> gk.Run:
    return gk.simulate(build(), T_END, method=gk.RowStepping(h=STEP), output_dt=2 * STEP)


def tilt(run: gk.Run, scale: float, k: int) -> np.ndarray:
    """Of a domino from upright [rad]."""
    return np.arccos(np.clip(run[name(scale, k)].rotation[:, 2, 2], -1, 1))


def times(run: gk.Run, scale: float) -> np.ndarray:
    """(COUNT,) when each has tilted too far to come back [s]."""
    found = [np.flatnonzero(tilt(run, scale, k) > FALLEN) for k in range(COUNT)]
    return np.array([run.time[over[0]] if len(over) else np.nan for over in found])


def speed(run: gk.Run, scale: float, first: int, last: int) -> float:
    """Of the wave between two dominoes, over the root of g times their height: without units."""
    t = times(run, scale)
    return float((last - first) * scale * PITCH / (t[last] - t[first]) / math.sqrt(9.81 * scale * SIZE[2]))


def check(run: gk.Run) -> None:
    for scale in SCALES:
        t = times(run, scale)
        assert np.isfinite(t).all(), "all fall"
        assert np.diff(t).min() > 0, "one after the other"
        # The push is forgotten after some dominoes; samples of 2 ms in 100 ms and the noise of impacts are left.
        early, late = speed(run, scale, 8, 18), speed(run, scale, 18, 28)
        assert abs(late / early - 1) < 0.08
    small, large = (times(run, scale)[-4] for scale in SCALES)
    assert abs(large / small / math.sqrt(2) - 1) < 0.03
    assert run["energy.total"][-1] < run["energy.total"][0]
    assert np.diff(run["energy.total"]).max() < 1e-3 * np.ptp(run["energy.total"])


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 3.5))
    for k, t in enumerate((0.0, 0.55, T_END)):
        panel = figure.add_axes((0.25 * k, 0.0, 0.248, 0.9))
        sample = int(np.abs(run.time - t).argmin())
        draw_instant(panel, run, sample, (0.0, 0.08, 0.0), (1.04, 1.0), toward=(-0.35, -1.0, 1.3), pixels=218,
                     colors={"ground": (0.82, 0.86, 0.82)})  # fmt: skip
        panel.set_title(f"{run.time[sample]:.2f} s", fontsize=9)
    panel = figure.add_axes((0.8, 0.14, 0.185, 0.68))
    for scale, color in zip(SCALES, ("#b8860b", "#4c72b0")):
        look = {"markersize": 6 - 2 * scale, "linewidth": 0.8, "color": color}
        label = f"height {100 * scale * SIZE[2]:.0f} cm"
        panel.plot(np.arange(COUNT), times(run, scale) / math.sqrt(scale), "o-", label=label, **look)
    panel.set_title("time of fall / root of scale [s]", fontsize=9)
    panel.set_xlabel("domino", fontsize=8)
    panel.tick_params(labelsize=7)
    panel.legend(fontsize=7)
    panel.grid(alpha=0.25)
    figure.suptitle("Dominoes of two sizes: twice as large takes longer by the root of two", fontsize=12)
    save_small(figure, out)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Two rows of dominoes.")
    parser.add_argument("--out", default="dominoes.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    small, large = (times(run, scale)[-4] for scale in SCALES)
    print(f"domino {COUNT - 4} falls after {small:.3f} s, the one twice as large after {large:.3f} s")
    print(f"ratio {large / small:.3f}, closed form {math.sqrt(2):.3f}")
    waves = [speed(run, scale, 8, 28) for scale in SCALES]
    print(f"speed of the wave over the root of g times height: {waves[0]:.2f} and {waves[1]:.2f}")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
