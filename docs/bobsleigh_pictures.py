"""Draw the pictures of docs/bobsleigh.md:  python docs/bobsleigh_pictures.py"""

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from gelenk.worlds.bobsleigh.track import load_track
from gelenk.worlds.bobsleigh.track.facet_study import slide_through, valley
from gelenk.worlds.bobsleigh.track.plots import plot_track

PICTURES = Path(__file__).parent / "pictures"
RADIUS, SPEED, H = 30.0, 30.0, 2e-4


def facets() -> None:
    """Speed that is left of a point mass on facets and on the smooth sheet, over the angle that it turned."""
    figure = Figure(figsize=(9.0, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    whole, near = figure.subplots(1, 2)
    ways = (
        ("facets of 0.5 m, as in the source", 0.5, True, "#b5532a"),
        ("facets of 0.167 m", 1.0 / 6.0, True, "#d9a441"),
        ("smooth sheet, sections 0.5 m apart", 0.5, False, "#2a6fb5"),
    )
    for name, spacing, ruled, color in ways:
        run = slide_through(valley(RADIUS, spacing, ruled), RADIUS, SPEED, H)
        label = f"{name}: friction {run.friction:.4f}"
        whole.plot(np.degrees(run.turned), run.left, color=color, label=label)
        near.plot(np.degrees(run.turned), run.left, color=color)
    runners = np.linspace(0.0, np.radians(70.0), 50)
    whole.plot(np.degrees(runners), np.exp(-0.004 * runners), "k:", label="what runners lose by 0.004")
    near.plot(np.degrees(runners), np.exp(-0.004 * runners), "k:")
    near.set(xlim=(0.0, 4.0), ylim=(0.9993, 1.00005), xlabel="turned [deg]", title="the first facets")
    whole.set(xlabel="turned [deg]", ylabel="share of the speed left", title="valley of 30 m, no friction, no gravity")
    whole.legend(fontsize=8)
    figure.savefig(PICTURES / "bobsleigh_facets.png", dpi=110)


if __name__ == "__main__":
    facets()
    plot_track(load_track("whistler-like"), PICTURES / "bobsleigh_whistler_like.png")
