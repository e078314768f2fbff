"""Chain mail: rings that go through each other fall over a ball, and none slips out.

A sheet of steel rings, each linked with four neighbours as armourers have done for two thousand years, is let go above
a ball. A ring is a compound of ten capsules. There is no joint in it: what holds the sheet together is contact alone,
thin wires against thin wires, hundreds of points that come and go. A wire that once passes through another would
never come back.

Proof. Two closed rings that are linked stay linked: the number of times that one goes through the other, counted with
its sign, is the same at the end as at the start, for all pairs. Energy only falls.
"""

import argparse
import math

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.instants import draw_instant, save_small

ROWS, COLUMNS, PIECES = 10, 11, 10  # of rings; capsules in a ring
RADIUS, WIRE = 0.05, 0.0075  # of a ring and of its wire [m]
LEAN, ALONG, ACROSS = math.radians(35), 1.2 * RADIUS, 1.3 * RADIUS  # of the rings, from ring to ring, from row to row
BALL, HIGH = 0.2, 0.5  # radius, height of its middle [m]
STEP, T_END = 1 / 480, 1.5  # [s]


def ring() -> gk.Compound:
    """A polygon of capsules in the plane z = 0; its corners are as far outside of the circle as its sides inside."""
    angle = 2 * math.pi / PIECES
    corner = 2 * RADIUS / (1 + math.cos(angle / 2))
    side, inside = 2 * corner * math.sin(angle / 2), corner * math.cos(angle / 2)
    children = []
    for k in range(PIECES):
        a = k * angle
        along_y = (math.sqrt(0.5), -math.sqrt(0.5), 0.0, 0.0)  # the axis of a capsule is z
        turn = quaternion_product((math.cos(a / 2), 0, 0, math.sin(a / 2)), along_y)
        children.append((gk.Capsule(WIRE, side), (inside * math.cos(a), inside * math.sin(a), 0.0), turn))
    return gk.Compound(children)


def quaternion_product(p: tuple[float, ...], q: tuple[float, ...]) -> tuple[float, ...]:
    """Hamilton product of two w x y z."""
    v, w = np.array(p[1:]), np.array(q[1:])
    return (p[0] * q[0] - float(v @ w), *(p[0] * w + q[0] * v + np.cross(v, w)).tolist())


def build(rows: int = ROWS, columns: int = COLUMNS) -> gk.Model:
    b = gk.Builder(name="chain mail")
    b.material("steel", density=7800, friction=0.2, color=(0.66, 0.70, 0.76))
    b.material("brass", density=8400, friction=0.2, color=(0.85, 0.70, 0.36))
    b.material("wood", friction=0.3, color=(0.62, 0.40, 0.30))
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("ball", shape=gk.Sphere(BALL), material="wood", static=True, at=(0, 0, HIGH))
    shape = ring()
    for r in range(rows):
        for c in range(columns):
            x = ALONG * (c - (columns - 1) / 2 + 0.5 * (r % 2) - 0.25)
            at = (x, ACROSS * (r - (rows - 1) / 2), HIGH + BALL + 1.2 * RADIUS)
            lean = -LEAN if r % 2 else LEAN
            rotation = (math.cos(lean / 2), 0, math.sin(lean / 2), 0)
            material = "brass" if r % 2 else "steel"
            b.body(f"ring {r} {c}", shape=shape, material=material, at=at, rotation=rotation)
    return b.build()


def simulate() -> gk.Run:
    outputs = {"depth": lambda sim: sim.info["overlap"], "points": lambda sim: float(sim.info["contacts"])}
    return gk.simulate(build(), T_END, method=gk.RowStepping(h=STEP), output_dt=8 * STEP, outputs=outputs)


def rings(run: gk.Run) -> list[str]:
    return [name for name in run.bodies if name.startswith("ring")]


def links(run: gk.Run, sample: int) -> np.ndarray:
    """(n, n) how often ring j goes up through ring i less how often it goes down."""
    angles = np.linspace(0, 2 * np.pi, 4 * PIECES, endpoint=False)
    circle = RADIUS * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    R = np.array([run[name].rotation[sample] for name in rings(run)])
    p = np.array([run[name].position[sample] for name in rings(run)])
    curves = p[:, None] + circle @ R.transpose(0, 2, 1)  # (n, k, 3) in the world
    seen = np.einsum("iba,ijkb->ijka", R, curves[None] - p[:, None, None])  # (i, j, k, 3) ring j in the axes of ring i
    ahead = np.roll(seen, -1, axis=2)
    low, high = seen[..., 2], ahead[..., 2]
    crosses = low * high < 0
    share = np.where(crosses, low / np.where(crosses, low - high, 1.0), 0.0)
    where = seen[..., :2] + share[..., None] * (ahead - seen)[..., :2]
    through = crosses & (np.linalg.norm(where, axis=-1) < RADIUS)
    made = (np.sign(high - low) * through).sum(axis=2)
    np.fill_diagonal(made, 0)
    return made


def check(run: gk.Run) -> None:
    before, after = links(run, 0), links(run, -1)
    inner = (ROWS - 1) * (2 * COLUMNS - 1)  # pairs of neighbours in neighbouring rows
    assert np.abs(before).sum() == 2 * inner
    np.testing.assert_array_equal(after, before)
    energy = run["energy.total"]
    assert np.diff(energy).max() < 1e-4 * np.ptp(energy)
    assert run["depth"].max() < WIRE


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 5.0))
    for k, t in enumerate((0.0, 0.25, T_END)):
        panel = figure.add_axes((0.334 * k, 0.33, 0.331, 0.58))
        sample = int(np.abs(run.time - t).argmin())
        draw_instant(panel, run, sample, (0, 0, 0.54), (1.24, 0.98), toward=(0.5, -1.0, 0.75), pixels=292,
                     colors={"ground": (0.9, 0.9, 0.87)})  # fmt: skip
        panel.set_title(f"{run.time[sample]:.2f} s", fontsize=9)
    panels = [figure.add_axes((left, 0.09, 0.26, 0.19)) for left in (0.05, 0.385, 0.72)]
    panels[0].plot(run.time, run["points"], color="#55a868")
    panels[0].set_title("points of contact", fontsize=9)
    panels[1].plot(run.time, run["energy.total"] - run["energy.total"][-1], color="0.3")
    panels[1].set_title("energy above that of the end [J]", fontsize=9)
    panels[2].plot(run.time, 1000 * run["depth"], color="#4c72b0")
    panels[2].set_title("deepest overlap [mm]", fontsize=9)
    for panel in panels:
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.25)
    figure.suptitle(f"{len(rings(run))} rings linked four in one fall over a ball", fontsize=12)
    save_small(figure, out)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Chain mail over a ball.")
    parser.add_argument("--out", default="chain_mail.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    kept = int((links(run, -1) == links(run, 0)).all())
    print(f"{len(rings(run))} rings, {int(np.abs(links(run, 0)).sum() / 2)} links at the start; all kept: {bool(kept)}")
    print(f"deepest overlap {1000 * run['depth'].max():.2f} mm of wires of {2000 * WIRE:.0f} mm")
    print(f"up to {int(run['points'].max())} points, {run.wall_time:.1f} s of computing; picture in {out}")


if __name__ == "__main__":
    main()
