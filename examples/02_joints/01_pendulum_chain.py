"""Pendulum chain: eight rods on ball joints swing, and neither energy nor joints give way.

The chain leaves from a slack arc with a push to the side, so it swings and circles in space. The rods and the joints
are all there is to say; `gk.Impulse` finds the impulses in the joints, with a solver that goes once up and once down
the chain, so a chain twice as long takes twice the time.

Proof. Ball joints without friction do no work: the energy is constant, and the scheme, of order 2, lets it waver with
h^2 and does not let it drift. Gravity is vertical and the top joint stands on the z axis, so the angular momentum about
that axis is constant. The top joint carries whatever the momentum P of the chain asks for (Newton's second law),

    F = dP/dt + M g e_z

for the mean F over a step exactly, because impulses inside of the chain come in pairs.
"""

import argparse

import numpy as np

import gelenk as gk

LINKS, LENGTH, RADIUS = 8, 0.25, 0.02  # rods, [m], [m]
TOP = np.array([0.0, 0.0, 2.0])
STEP, TOLERANCE = 0.001, 1e-9  # [s], [m]
G = 9.81


def build() -> gk.Model:
    b = gk.Builder(name="pendulum chain")
    b.material("steel", density=7850, color=(0.42, 0.55, 0.75))
    upper, above = TOP, gk.WORLD
    for i in range(LINKS):
        tilt = np.radians(80 - 6 * i)  # from the vertical
        along = np.array([np.sin(tilt), 0.0, -np.cos(tilt)])
        half = (np.pi - tilt) / 2  # turns the rod's z axis about y to where it points
        b.body(
            f"rod {i}",
            shape=gk.Capsule(radius=RADIUS, length=LENGTH - 2 * RADIUS),
            material="steel",
            at=upper + 0.5 * LENGTH * along,
            rotation=(np.cos(half), 0, np.sin(half), 0),
            velocity=np.cross((0, 0, 0.8), upper + 0.5 * LENGTH * along - TOP),
            angular_velocity=(0, 0, 0.8),  # all of it turns about the z axis
        )
        b.add(gk.Ball(name=f"joint {i}", a=above, b=f"rod {i}", at=upper))
        upper, above = upper + LENGTH * along, f"rod {i}"
    return b.build()


def simulate(step: float = STEP, t_end: float = 10.0) -> gk.Run:
    return gk.simulate(build(), t_end, method=gk.Impulse(h=step, tolerance=TOLERANCE), output_dt=step)


def check(run: gk.Run) -> None:
    # Every joint is closed to the tolerance at every step, with room for the round-off of positions of 2 m.
    assert joint_errors(run).max() < TOLERANCE + 1e-14
    # No drift: the error grows where the chain whips and comes back, in every second to a small share of its largest.
    error = np.abs(energy_error(run))
    assert max(second.min() for second in np.array_split(error, 10)) < error.max() / 50
    # Half the step: a quarter of the error, as the order says, over the first second, before neighbouring motions part.
    coarse, fine = (np.abs(energy_error(simulate(h, 1.0))).max() for h in (STEP, STEP / 2))
    assert 3.4 < coarse / fine < 4.6
    # An impulse at the top is off the z axis by the tolerance at most: L_z changes by less than 1e-9 m of the impulses
    # given, which add up to M g t, and the free turning of the rods is good to round-off.
    t, mass = run.time, total_mass(run.model)
    Lz = run.angular_momentum[:, 2]
    assert np.abs(Lz - Lz[0]).max() < 3 * TOLERANCE * mass * G * t[-1]
    # The reaction is the momentum balance, exact but for the round-off of P divided by h.
    np.testing.assert_allclose(run["joint 0"].force[1:], momentum_balance(run), atol=1e-9 * mass * G)


def total_mass(model: gk.Model) -> float:
    return sum(body.mass for body in model.bodies)


def energy_error(run: gk.Run) -> np.ndarray:
    """Change of energy, as a share of what the chain has above its lowest place."""
    return (run["energy"] - run["energy"][0]) / run.energy_scale()


def joint_errors(run: gk.Run) -> np.ndarray:
    """(n, LINKS) distance of the two points that each joint should hold together [m]."""
    made, above = [], np.tile(TOP, (len(run), 1))
    for i in range(LINKS):
        rod = run[f"rod {i}"]
        half = 0.5 * LENGTH * rod.rotation[:, :, 2]  # the z axis of a rod points down the chain
        made.append(np.linalg.norm(rod.position - half - above, axis=1))
        above = rod.position + half
    return np.stack(made, axis=1)


def momentum_balance(run: gk.Run) -> np.ndarray:
    """(n - 1, 3) what the top joint must give in each step [N]."""
    return np.diff(run.momentum, axis=0) / STEP + [0, 0, total_mass(run.model) * G]


def picture(run: gk.Run, out: str) -> None:
    """The chain at instants of its first swings, then energy, joints and reaction."""
    figure = simulate(t_end=1.6).picture(instants=9)
    figure.suptitle(f"A chain of {LINKS} rods on ball joints swings and circles", fontsize=12)
    scene, energy, errors, reaction = figure.axes
    figure.set_size_inches(11, 5.8)
    scene.set_position((0.01, 0.36, 0.98, 0.58))
    for panel, title in (
        (energy, "change of energy, in 0.01 % of it"),
        (errors, "largest joint error in 0.1 s [m]"),
        (reaction, "pull on the top joint / weight of the chain"),
    ):
        panel.clear()
        panel.set_position((*panel.get_position().p0, 0.27, 0.22))
        panel.set_title(title, fontsize=9)
        panel.set_xlabel("time [s]", fontsize=8)
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.25)
    t = run.time
    tenths = t[1:].reshape(100, -1)[:, 0]
    error = energy_error(run)[1:].reshape(100, -1)
    energy.fill_between(tenths, 1e4 * error.min(axis=1), 1e4 * error.max(axis=1), color="#55a868")
    errors.semilogy(tenths, joint_errors(run)[1:].reshape(100, -1).max(axis=1), color="#4c72b0", linewidth=1)
    errors.axhline(TOLERANCE, color="0.3", linewidth=1, linestyle="--")
    errors.text(0.1, 1.3 * TOLERANCE, "tolerance", fontsize=7, va="bottom")
    errors.set_ylim(1e-12, 1e-8)
    weight = total_mass(run.model) * G
    force = np.linalg.norm(run["joint 0"].force[1:], axis=1) / weight
    swings = t[1:] < 3
    reaction.plot(t[1:][swings], force[swings], color="#c44e52", linewidth=1.2, label="sensor")
    every = slice(0, 3000, 50)
    balance = np.linalg.norm(momentum_balance(run), axis=1) / weight
    reaction.plot(t[1:][every], balance[every], "o", markersize=2, color="0.2", label="momentum balance")
    reaction.set_ylim(0, 6)
    reaction.legend(fontsize=7, loc="upper left", ncols=2)
    figure.savefig(out, dpi=80)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A chain of rods on ball joints.")
    parser.add_argument("--out", default="pendulum_chain.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    force = np.linalg.norm(run["joint 0"].force, axis=1).max()
    print(
        f"joints open by {joint_errors(run).max():.1e} m at most in {run.time[-1]:.0f} s, {run.wall_time:.1f} s to run"
    )
    print(f"energy within {np.abs(energy_error(run)).max():.1e} of itself")
    print(f"greatest pull on the top: {force:.1f} N, {force / (total_mass(run.model) * G):.2f} times the weight")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
