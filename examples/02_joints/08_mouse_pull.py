"""Mouse pull: a hand takes the end of a chain by a point and drags it, never with more than its force.

The chain hangs from a hook, on which it turns stiffly; the other hinges have a little friction. The hand leads its end
around, as a mouse does in an interactive scene, then moves far out of reach and stays there: the chain swings out,
comes to rest where the force of the hand balances the weights, and when the hand lets go it falls back. No joint gives
way, however far the hand is.

Proof. The pull is capped, |f| <= f_max, always. At rest each link hangs between what pulls on it below and its own
weight m g: with f the pull at the end, and k links below it, a link points along

    f + (k + 1/2) m g                (moments about its upper hinge)

so the whole shape follows from f, which has the size f_max.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk

LINKS, LENGTH = 10, 0.12  # [m]
FRICTION, HOOK = 0.15, 0.3  # of a hinge, of the one at the hook [N m s]
PULL = 2.0  # most that the hand gives [N]
STEP, T_END = 0.004, 16.8  # [s]
CIRCLE, OUT, LET_GO = 5.0, 5.6, 15.6  # until when it goes around, from when it is out of reach, when it lets go [s]
FAR = np.array([3.0, 0, 0.5])  # out of reach [m]
G = np.array([0, 0, -9.81])


def build() -> gk.Model:
    b = gk.Builder(name="mouse pull")
    b.material("wood", density=1000, color=(0.80, 0.62, 0.25))
    above = gk.WORLD
    for i in range(LINKS):
        link = gk.Part(gk.Capsule(radius=0.008, length=LENGTH - 0.016), at=(0, 0, -LENGTH / 2))
        b.body(f"link {i}", shape=link, material="wood", at=(0, 0, -i * LENGTH))
        b.add(gk.Hinge(name=f"hinge {i}", a=above, b=f"link {i}", at=(0, 0, -i * LENGTH), axis=(0, -1, 0)))
        b.add(gk.JointSpring(name=f"friction {i}", on=f"hinge {i}", damping=FRICTION if i else HOOK))
        above = f"link {i}"
    b.add(gk.Grab(name="hand", body=above, at=(0, 0, -LINKS * LENGTH), force_max=PULL))
    return b.build()


def hand_place(t: float) -> np.ndarray:
    """Where the hand is: around a circle beside the chain, then far out [m]."""
    end = np.array([0, 0, -LINKS * LENGTH])
    if t < OUT:
        turn = 2 * np.pi * min(t, CIRCLE) / CIRCLE
        return end + 0.35 * np.array([np.sin(turn), 0, 1 - np.cos(turn)])
    return FAR


def simulate(step: float = STEP) -> gk.Run:
    def steer(sim: gk.Simulation) -> np.ndarray:
        """Called at every sample: the hand moves, and lets go in the end."""
        place = hand_place(sim.time)
        for axis, value in zip("xyz", place):
            sim.inputs[f"hand.{axis}"] = value
        sim.inputs["hand.strength"] = 1.0 if sim.time < LET_GO - step / 2 else 0.0
        return place

    method = gk.RowStepping(h=step, solver=gk.GaussSeidel(sweeps=100), warm_start=False)
    return gk.simulate(build(), T_END, method=method, output_dt=step, outputs={"place": steer})


def check(run: gk.Run) -> None:
    t, f = run.time, pull(run)
    size = np.linalg.norm(f, axis=1)
    # Never more than the cap; round-off of one square root.
    assert size.max() <= PULL * (1 + 1e-12)
    # Nothing after it let go, all of it while it is out of reach.
    assert size[t > LET_GO + STEP / 2].max() == 0.0
    away = (t > OUT + STEP / 2) & (t < LET_GO)
    np.testing.assert_allclose(size[away], PULL, rtol=1e-9)
    # Around the circle, where it needs less than its cap, it goes a fifth of the way in each step, so the end is behind
    # by five steps of the hand's speed, and twice that while it catches up.
    around = (t < CIRCLE) & (size < 0.99 * PULL)
    behind = np.linalg.norm(ends(run)[-1] - run["place"], axis=1)
    assert around.sum() > 0.5 * CIRCLE / STEP
    assert behind[around].max() < 2 * 5 * STEP * 2 * np.pi * 0.35 / CIRCLE
    # Joints hold whatever the hand does: what the sweeps leave of an error is below half a millimetre.
    assert joint_errors(run).max() < 5e-4
    # Almost at rest before it lets go: the shape of the closed form, from the force alone, to a millimetre.
    k = round(LET_GO / STEP)
    assert np.abs(run[f"hinge {LINKS - 1}"].rate[k]) < 1e-2
    np.testing.assert_allclose(ends(run)[:, k], shape_at_rest(run.model, f[k]), atol=1e-3)
    # It pulls towards the hand, though the chain gives way across and not along itself.
    towards = FAR - ends(run)[-1, k]
    assert f[k] @ towards > 0.8 * PULL * np.linalg.norm(towards)


def pull(run: gk.Run) -> np.ndarray:
    """(n, 3) force of the hand [N]."""
    hand = run["hand"]
    return np.stack([hand.fx, hand.fy, hand.fz], axis=1)


def ends(run: gk.Run) -> np.ndarray:
    """(LINKS, n, 3) lower ends of the links [m]."""
    links = [run[f"link {i}"] for i in range(LINKS)]
    return np.stack([link.position - LENGTH * link.rotation[:, :, 2] for link in links])


def joint_errors(run: gk.Run) -> np.ndarray:
    """(LINKS, n) distance of the two points that a hinge should hold together [m]."""
    tops = np.stack([run[f"link {i}"].position for i in range(LINKS)])
    above = np.concatenate([np.zeros((1, len(run), 3)), ends(run)[:-1]])
    return np.linalg.norm(tops - above, axis=-1)


def shape_at_rest(model: gk.Model, f: np.ndarray) -> np.ndarray:
    """(LINKS, 3) lower ends of the links by the closed form [m]."""
    weight = model.body("link 0").mass * G
    directions = np.array([f + (LINKS - 1 - i + 0.5) * weight for i in range(LINKS)])
    return np.cumsum(LENGTH * directions / np.linalg.norm(directions, axis=1)[:, None], axis=0)


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 4.4), layout="constrained")
    panels = figure.subplot_mosaic("abcs;abce", width_ratios=(1, 1.15, 1, 1.1))
    points = np.concatenate([np.zeros((1, len(run), 3)), ends(run)])[:, :, [0, 2]]
    stages = (
        ("a", "led around a circle", np.linspace(0, CIRCLE, 9)),
        ("b", "pulled from out of reach", np.array([*np.linspace(OUT, OUT + 1.0, 7), LET_GO])),
        ("c", "let go", np.linspace(LET_GO, LET_GO + 0.8, 8)),
    )
    f = pull(run)
    for key, title, times in stages:
        panel = panels[key]
        samples = np.round(times / STEP).astype(int)
        for n, k in enumerate(samples):
            last = n == len(samples) - 1
            shade = str(0.82 - 0.3 * n / len(samples))
            panel.plot(*points[:, k].T, "o-", color="#b5852b" if last else shade, markersize=3.5 if last else 2,
                       linewidth=3 if last else 1.5, zorder=2 + last)  # fmt: skip
        path = points[-1, samples[0] : samples[-1] + 1]
        panel.plot(*path.T, color="#c44e52", linewidth=0.9)
        if key != "c":
            end, force = points[-1, k], f[k - 1, [0, 2]]
            panel.annotate(
                "", end + 0.15 * force, end, arrowprops={"arrowstyle": "-|>", "color": "#4c72b0", "linewidth": 2}
            )
        panel.plot([-0.12, 0.12], [0.01, 0.01], color="0.3", linewidth=4)
        panel.set(aspect="equal", title=title)
        panel.title.set_fontsize(10)
        panel.set_axis_off()
    circle = run["place"][run.time <= CIRCLE]
    panels["a"].plot(circle[:, 0], circle[:, 2], "--", color="#4c72b0", linewidth=1)
    k = round(LET_GO / STEP)
    rest = shape_at_rest(run.model, f[k])[:, [0, 2]]
    panels["b"].plot(
        *rest.T, "o", markersize=8, markerfacecolor="none", markeredgecolor="k", label="closed form", zorder=4
    )
    panels["b"].legend(fontsize=8, loc="lower right", frameon=False)
    panels["s"].plot(run.time, np.linalg.norm(f, axis=1), color="#4c72b0", linewidth=1.2)
    panels["s"].axhline(PULL, color="0.4", linestyle="--", linewidth=1)
    panels["s"].set_ylim(0, 1.25 * PULL)
    panels["s"].text(8.0, PULL, "cap", fontsize=8, va="bottom")
    panels["s"].set_title("pull of the hand [N]", fontsize=9)
    panels["e"].semilogy(run.time, np.maximum(joint_errors(run).max(axis=0), 1e-17), color="#b5852b", linewidth=0.8)
    panels["e"].set_ylim(1e-7, 1e-2)
    panels["e"].set_title("largest joint error [m]", fontsize=9)
    panels["e"].set_xlabel("time [s]", fontsize=8)
    for key in "se":
        panels[key].tick_params(labelsize=7)
        panels[key].grid(alpha=0.25)
    figure.savefig(out, dpi=80)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A hand drags the end of a chain with a capped force.")
    parser.add_argument("--out", default="mouse_pull.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    k = round(LET_GO / STEP)
    far = np.linalg.norm(ends(run)[:, k] - shape_at_rest(run.model, pull(run)[k]), axis=1).max()
    print(f"pull at most {np.linalg.norm(pull(run), axis=1).max():.6f} N of {PULL:g} N")
    print(
        f"joints open by {joint_errors(run).max():.1e} m at most, shape at rest within {far:.1e} m of the closed form"
    )
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
