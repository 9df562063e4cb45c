"""From repetitions to figures, each with its error."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

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


def mean_of(values: Sequence[float] | np.ndarray) -> Figure:
    """Mean and standard error."""
    n = len(values)
    error = float(np.std(values, ddof=1) / np.sqrt(n)) if n > 1 else np.nan
    return Figure(float(np.mean(values)) if n else np.nan, error)


def rmse_of(errors: Sequence[float] | np.ndarray) -> Figure:
    """Root mean square; its error by the delta rule."""
    squares = mean_of(np.square(errors))
    root = float(np.sqrt(squares.value))
    return Figure(root, squares.error / (2 * root) if root else np.nan)


def share_of(k: int, n: int, least: float | None = None) -> Figure:
    """A share; marked where it is below `least` by a binomial test."""
    from scipy.stats import binomtest

    low = least is not None and binomtest(k, n, least, alternative="less").pvalue < SIGNIFICANT
    return Figure(k / n, share_error(k, n), " ↓" if low else "")


def share_error(k: int, n: int) -> float:
    """Standard error of a share, from Jeffreys' estimate of it: above 0 for 0 and for all of n."""
    share = (k + 0.5) / (n + 1)
    return float(np.sqrt(share * (1 - share) / (n + 1)))


def differs(k: int, n: int, other: float, n_other: int) -> bool:
    """Test if two shares differ, by Fisher's exact test."""
    from scipy.stats import fisher_exact

    k_other = round(other * n_other)
    table = [[k, n - k], [k_other, n_other - k_other]]
    return bool(fisher_exact(table).pvalue < SIGNIFICANT)
