"""From repetitions to figures: bias, spread, inclusion and tightness, each with its error."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from bbccli.metrics import METRICS
from bbccli.types import Direction
from benchmarks.validation.store import Results

SIGNIFICANT = 0.01
"""Level of the tests that set a mark."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its Monte-Carlo standard error, and a mark if it fails a test."""

    value: float
    error: float
    mark: str = ""

    def __str__(self) -> str:
        """`-0.019(3)`: the error in units of the last digit, rounded up."""
        if not np.isfinite(self.value):
            return "–"  # noqa: RUF001
        decimals = 3 if abs(self.value) < 10 else 0
        text = f"{round(self.value, decimals) + 0.0:.{decimals}f}"  # no minus before a zero
        if np.isfinite(self.error):
            text += f"({ceil(self.error * 10**decimals - 1e-9)})"
        return text + self.mark


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What one variant said in the n repetitions of a setting in which it could be computed.

    Attributes
    ----------
    values, bounds, truths : (n,)
        Estimate, pessimistic bound (NaN where there is none), truth of the winner.
    n_problems
        Repetitions in which it could not be computed.
    direction
        Which way the metric is better.
    """

    values: np.ndarray
    bounds: np.ndarray
    truths: np.ndarray
    n_problems: int = 0
    direction: Direction = Direction.MAXIMIZE

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_bounds(self) -> int:
        """Repetitions with an interval."""
        return int(np.isfinite(self.bounds).sum())

    @property
    def n_included(self) -> int:
        """Intervals that hold the truth of the winner."""
        return int((self._distance() >= -1e-12).sum())

    def bias(self) -> Figure:
        """Mean of estimate minus truth."""
        return mean_of(self.values - self.truths)

    def spread(self) -> Figure:
        """Standard deviation of estimate minus truth, with the error that it has if normal."""
        n = len(self)
        spread = float(np.std(self.values - self.truths, ddof=1)) if n > 1 else np.nan
        return Figure(spread, spread / np.sqrt(2 * max(n - 1, 1)))

    def rmse(self) -> Figure:
        """Root mean square of estimate minus truth; the error by the delta rule."""
        squares = mean_of((self.values - self.truths) ** 2)
        root = float(np.sqrt(squares.value))
        return Figure(root, squares.error / (2 * root) if root else np.nan)

    def inclusion(self, level: float = 0.95) -> Figure:
        """Share of intervals that hold the truth; marked where too few do, by a binomial test."""
        from scipy.stats import binomtest

        n, k = self.n_bounds, self.n_included
        low = binomtest(k, n, level, alternative="less").pvalue < SIGNIFICANT
        return Figure(k / n, share_error(k, n), " ↓" if low else "")

    def tightness(self) -> Figure:
        """Mean distance from the truth to the pessimistic bound."""
        return mean_of(self._distance())

    def _distance(self) -> np.ndarray:
        found = np.isfinite(self.bounds)
        return np.asarray(self.direction.gain(self.truths[found], self.bounds[found]))


def sample(repetitions: Iterable[Results], variant: str, metric: str) -> Sample:
    """Collect what a variant said of a setting."""
    said = [results[variant] for results in repetitions if variant in results]
    good = [one for one in said if "problem" not in one]
    value, bound, truth = (
        np.array([one[name] for one in good], dtype=float) for name in ("value", "bound", "truth")
    )
    return Sample(value, bound, truth, len(said) - len(good), METRICS[metric].direction)


def mean_of(values: Sequence[float] | np.ndarray) -> Figure:
    """Mean and standard error."""
    n = len(values)
    error = float(np.std(values, ddof=1) / np.sqrt(n)) if n > 1 else np.nan
    return Figure(float(np.mean(values)) if n else np.nan, error)


def share_error(k: int, n: int) -> float:
    """Standard error of a share, from Jeffreys' estimate of it: above 0 for 0 and for all of n."""
    share = (k + 0.5) / (n + 1)
    return float(np.sqrt(share * (1 - share) / (n + 1)))


def differs(k: int, n: int, other: float, n_other: int) -> bool:
    """Whether two shares differ, by Fisher's exact test."""
    from scipy.stats import fisher_exact

    k_other = round(other * n_other)
    table = [[k, n - k], [k_other, n_other - k_other]]
    return bool(fisher_exact(table).pvalue < SIGNIFICANT)


def average(figures: Iterable[Figure]) -> Figure:
    """Mean of independent figures."""
    every = list(figures)
    if not every:
        return Figure(np.nan, np.nan)
    errors = [one.error for one in every]
    return Figure(
        float(np.mean([one.value for one in every])),
        float(np.sqrt(np.sum(np.square(errors))) / len(every)),
    )
