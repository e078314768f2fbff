"""Flip: a tennis racket that turns over in the air, again and again.

Throw a racket so that it spins about the axis across its face, and it makes a half twist on every turn. The racket here
floats free of gravity and spins about that axis, the middle one of its three principal axes, with a touch of spin about
the handle. The body is made of a ring and a rod; mass, centre of mass and inertia follow from the shapes.

Proof. Nothing acts on the racket, so its energy and both momenta are constant. Its angular velocity is one of Jacobi's
elliptic functions of time (Landau and Lifshitz, Mechanics, section 37), and with A < B < C the moments of inertia,
2 T the doubled energy and L the angular momentum, the time from flip to flip is

    2 K(m) sqrt( A B C / ((C - B) (L^2 - 2 T A)) ),     1 - m = (C - A) (L^2 - 2 T B) / ((C - B) (L^2 - 2 T A))

where K is the complete elliptic integral of the first kind, and L^2 > 2 T B (else A and C change places).

Three schemes at the same step show their character: semi-implicit Euler is cheap and keeps the angular momentum to
round-off, but its energy wavers; the implicit midpoint rule keeps the energy to round-off, but turns the momentum;
Runge-Kutta of order 4 keeps neither for ever and follows the true motion best.
"""

import argparse

import numpy as np
from scipy.special import ellipkm1

import gelenk as gk

SPIN = 10.0  # [rad/s]
STEP = 0.005  # [s], 125 steps a turn
SCHEMES = {
    "semi-implicit Euler": gk.SemiImplicitEuler(),
    "implicit midpoint": gk.ImplicitMidpoint(),
    "Runge-Kutta 4": gk.RungeKutta4(),
}


def build() -> gk.Model:
    head = gk.Torus(radius=0.13, tube_radius=0.008)  # a ring about z
    handle = gk.Cylinder(radius=0.012, length=0.32)  # a rod along z, to be turned along x
    along_x = (np.sqrt(0.5), 0, np.sqrt(0.5), 0)
    # The lever rule puts the centre of mass into the origin of the body, which then stays in its place.
    distance, m_head, m_handle = 0.29, head.mass_properties(1).mass, handle.mass_properties(1).mass
    x_head = -distance * m_handle / (m_head + m_handle)

    b = gk.Builder(gravity=(0, 0, 0), name="racket")
    b.material("carbon", density=1600, color=(0.77, 0.31, 0.32))
    parts = [gk.Part(head, at=(x_head, 0, 0)), gk.Part(handle, at=(x_head + distance, 0, 0), rotation=along_x)]
    b.body("racket", shape=parts, material="carbon", angular_velocity=(0.1, SPIN, 0))
    return b.build()


def simulate(scheme: str = "Runge-Kutta 4", step: float = STEP) -> gk.Run:
    return gk.simulate(build(), t_end=8.0, method=gk.FreeMotion(h=step, integrator=SCHEMES[scheme]))


def check(run: gk.Run) -> None:
    # Nothing pushes the racket: it stays where it is. Round-off only.
    assert np.abs(run["racket"].com).max() < 1e-14
    # Runge-Kutta loses at most (h w)^5 / 120 a step, 3e-9 here, and takes 1600 steps.
    drift = run.drift()
    most = (STEP * SPIN) ** 5 / 120 * len(run.time)
    assert drift["energy"] < most
    assert drift["angular_momentum"] < most
    # Six flips, as regular as a clock. A sample every step, interpolated: good to (h w)^2 h / 8 = 2e-6 s at both ends.
    times = flips(run)
    assert len(times) == 6
    np.testing.assert_allclose(np.diff(times), time_between_flips(run.model), atol=5e-6)
    # Midpoint keeps what is quadratic, to the round-off of 1600 steps; Euler keeps the momentum, in the same way.
    midpoint, euler = (simulate(scheme).drift() for scheme in ("implicit midpoint", "semi-implicit Euler"))
    assert midpoint["energy"] < 1e-13
    assert euler["angular_momentum"] < 1e-13
    # What they do not keep errs with the square of h w = 0.05, where Runge-Kutta errs with its fourth power.
    assert drift["angular_momentum"] < 1e-6 < midpoint["angular_momentum"] < (STEP * SPIN) ** 2
    assert drift["energy"] < 1e-6 < euler["energy"] < (STEP * SPIN) ** 2
    # Half the step: the error of order 4 shrinks by 2^4 or more.
    assert simulate("Runge-Kutta 4", STEP / 2).drift()["energy"] < drift["energy"] / 16


def time_between_flips(model: gk.Model) -> float:
    """The closed form above [s]."""
    racket = model.body("racket")
    moments, w = np.diag(racket.inertia), np.array(racket.angular_velocity)
    A, B, C = moments  # about the handle, across the face, out of the face
    L2, T2 = np.sum((moments * w) ** 2), np.sum(moments * w**2)
    if L2 < T2 * B:
        A, C = C, A
    rest = (C - A) * (L2 - T2 * B) / ((C - B) * (L2 - T2 * A))
    return float(2 * ellipkm1(rest) * np.sqrt(A * B * C / ((C - B) * (L2 - T2 * A))))


def flips(run: gk.Run) -> np.ndarray:
    """Times at which the spin about the middle axis changes its sign [s]."""
    t, spin = run.time, run["racket"].angular_velocity_body[:, 1]
    k = np.flatnonzero(spin[:-1] * spin[1:] < 0)
    return t[k] - spin[k] * (t[k + 1] - t[k]) / (spin[k + 1] - spin[k])


def picture(run: gk.Run, out: str) -> None:
    """The picture that every run can draw, with the energy of all three schemes in its first panel."""
    figure = run.picture(instants=11)
    figure.suptitle("A racket, free of gravity, flips about its middle axis", fontsize=12)
    _, energy, spin, momentum = figure.axes
    energy.clear()
    for scheme, color in zip(SCHEMES, ("#c44e52", "#55a868", "#4c72b0")):
        total = simulate(scheme)["energy"]
        error = np.maximum(np.abs(total / total[0] - 1), 1e-17)  # a logarithm has no place for 0
        energy.plot(run.time, error, color=color, label=scheme, linewidth=1)
    energy.set(yscale="log", ylim=(1e-18, 1e7))
    energy.set_title("error of the energy, relative", fontsize=9)
    energy.set_xlabel("time [s]", fontsize=8)
    energy.tick_params(labelsize=7)
    energy.legend(fontsize=7, loc="upper right", ncols=2)
    energy.grid(alpha=0.25)
    spin.set_ylim(-12, 16)
    momentum.set_ylim(-2e-7, 4e-7)
    figure.savefig(out, dpi=80)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A tennis racket that flips about its middle axis.")
    parser.add_argument("--out", default="flip.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    print(f"{len(flips(run))} flips, one every {np.diff(flips(run)).mean():.5f} s")
    print(f"elliptic integral:  {time_between_flips(run.model):.5f} s")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
