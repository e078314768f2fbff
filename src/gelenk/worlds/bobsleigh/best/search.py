"""A search for the least cost by a cloud of trials that learns where to look: evolution with its covariance (B-91)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gelenk.checks import check_count, check_number
from gelenk.errors import InputError

Costs = Callable[[Sequence[np.ndarray]], Sequence[float]]


@dataclass(frozen=True, eq=False)
class Found:
    """What a search found.

    Parameters
    ----------
    x : the best of all trials
    cost : of it
    first : cost of where the search began
    trials : how many there were
    stopped : whether Ctrl-C ended it
    """

    x: np.ndarray
    cost: float
    first: float
    trials: int
    stopped: bool


class Cloud:
    """Trials are drawn from a normal distribution  m + sigma N(0, C)  that moves to the better half of them.

        m     <- m + sigma sum w_i y_i,                                    the mean of the better half, best first
        p_s   <- (1 - c_s) p_s + sqrt(c_s (2 - c_s) mu_w) C^-1/2 sum w_i y_i        the way that it goes
        sigma <- sigma exp(c_s / d_s (|p_s| / E|N(0, I)| - 1))             longer steps while they go one way
        C     <- (1 - c_1 - c_m) C + c_1 p_c p_c' + c_m sum w_i y_i y_i'   wide along what has paid

    Costs are only compared, so they may be of any scale, and infinite. Source: N. Hansen, The CMA evolution strategy,
    a tutorial (2016), with its constants.
    """

    def __init__(self, start: np.ndarray, spread: float, bound: float, size: int, seed: int) -> None:
        n = len(start)
        self.mean, self.sigma, self.bound, self.size = start.copy(), spread, bound, size
        self.random = np.random.default_rng([seed, n])
        half = size // 2
        weights = np.log(0.5 * (size + 1)) - np.log(np.arange(1, half + 1))
        self.weights = weights / weights.sum()
        many = 1.0 / float(self.weights @ self.weights)  # mu_w
        self.c_s = (many + 2.0) / (n + many + 5.0)
        self.d_s = 1.0 + 2.0 * max(0.0, np.sqrt((many - 1.0) / (n + 1.0)) - 1.0) + self.c_s
        self.c_c = (4.0 + many / n) / (n + 4.0 + 2.0 * many / n)
        self.c_1 = 2.0 / ((n + 1.3) ** 2 + many)
        self.c_m = min(1.0 - self.c_1, 2.0 * (many - 2.0 + 1.0 / many) / ((n + 2.0) ** 2 + many))
        self.many, self.usual = many, np.sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n))  # E|N(0, I)|
        self.C, self.p_s, self.p_c, self.turn = np.eye(n), np.zeros(n), np.zeros(n), 0

    def draw(self) -> list[np.ndarray]:
        """Trials, moved into the box if they are outside."""
        size, axes = np.linalg.eigh(self.C)
        steps = self.random.standard_normal((self.size, len(self.mean))) * np.sqrt(np.maximum(size, 0.0))
        return list(np.clip(self.mean + self.sigma * steps @ axes.T, -self.bound, self.bound))

    def learn(self, trials: Sequence[np.ndarray], costs: Sequence[float]) -> None:
        """Move to the better half."""
        order = np.argsort(np.asarray(costs), kind="stable")[: len(self.weights)]
        y = (np.array([trials[k] for k in order]) - self.mean) / self.sigma
        step = self.weights @ y
        size, axes = np.linalg.eigh(self.C)
        whitened = axes @ ((axes.T @ step) / np.sqrt(np.maximum(size, 1e-30)))
        self.turn += 1
        self.mean = self.mean + self.sigma * step
        self.p_s = (1.0 - self.c_s) * self.p_s + np.sqrt(self.c_s * (2.0 - self.c_s) * self.many) * whitened
        length = float(np.linalg.norm(self.p_s))
        fading = np.sqrt(1.0 - (1.0 - self.c_s) ** (2 * self.turn))
        going = float(length / fading < (1.4 + 2.0 / (len(step) + 1.0)) * self.usual)
        self.p_c = (1.0 - self.c_c) * self.p_c + going * np.sqrt(self.c_c * (2.0 - self.c_c) * self.many) * step
        kept = 1.0 - self.c_1 - self.c_m + (1.0 - going) * self.c_1 * self.c_c * (2.0 - self.c_c)
        self.C = kept * self.C + self.c_1 * np.outer(self.p_c, self.p_c) + self.c_m * (y.T * self.weights) @ y
        self.sigma *= float(np.exp(self.c_s / self.d_s * (length / self.usual - 1.0)))

    @property
    def width(self) -> float:
        """Largest standard deviation of a coordinate."""
        return float(self.sigma * np.sqrt(self.C.diagonal().max()))


def search(
    costs: Costs,
    start: ArrayLike,
    spread: float,
    *,
    bound: float = np.inf,
    rounds: int = 20,
    size: int | None = None,
    enough: float = 0.0,
    seed: int = 0,
    told: Callable[[int, float], None] | None = None,
) -> Found:
    """The x of least cost that a cloud of trials finds; equal for equal seeds. Ctrl-C keeps the best so far.

    Parameters
    ----------
    costs : of some trials, which may be worked out side by side; infinite for what fails. Begins with ``start`` alone
    start : (n,) where to begin
    spread : standard deviation of the first trials about it
    bound : no coordinate is tried beyond plus or minus this
    rounds : most clouds
    size : trials of a cloud; 4 + 3 ln n if left out
    enough : the search ends when no coordinate varies by more than this any longer
    told : called after each cloud with its number and the least cost so far
    """
    x0 = np.atleast_1d(np.array(start, dtype=np.float64))
    if x0.ndim != 1 or not len(x0) or not np.isfinite(x0).all():
        raise InputError("search", f"start of shape {x0.shape}", "one or more finite numbers", "Check it.")
    check_number("search", "spread", spread, "", above=0.0)
    check_count("search", "rounds", rounds, least=1, most=10**6)
    wanted = (
        4 + int(3.0 * np.log(len(x0))) if size is None else check_count("search", "size", size, least=4, most=10**6)
    )
    cloud = Cloud(x0, spread, bound, wanted, seed)
    best, least, first, trials, stopped = x0, np.inf, np.inf, 0, False
    try:
        least = first = float(costs([x0])[0])
        trials = 1
        for turn in range(rounds):
            drawn = cloud.draw()
            found = [float(cost) if not np.isnan(cost) else np.inf for cost in costs(drawn)]
            trials += len(drawn)
            k = int(np.argmin(found))
            if found[k] < least:
                best, least = drawn[k], found[k]
            cloud.learn(drawn, found)
            if told is not None:
                told(turn + 1, least)
            if cloud.width < enough:
                break
    except KeyboardInterrupt:
        stopped = True
    return Found(best, least, first, trials, stopped)
