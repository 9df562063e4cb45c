"""From the rows of the store to figures with standard errors.

A cell is a metric of a search of a population at one N. Relative figures are those of a variant
over those of `bbc` with percentiles and guard in the same cell, then averaged over cells. Standard
errors leave out one population at a time (the jackknife), with all its metrics and sizes: they say
how much a figure would differ on other populations, not how well these are known.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.bank.judged_by import metric_of
from benchmarks.bank.tables import Array
from benchmarks.bank.variants import DEFAULT
from benchmarks.validation.summary import Figure

Variants = list[tuple[str, str]]
CELL = ["population", "size", "search", "metric"]

MEASURES = ("bias", "RMSE", "bound", "distance", "bound score", "both ends", "width", "score")
"""Bias and RMSE of the estimate; coverage, distance and score of one-sided bounds; coverage, width
and interval score of two-sided intervals. Coverage and bias apart, they are relative to `bbc`."""

SUMS = ("n", "error", "square", "n_bounds", "covered", "distance", "score", "both", "width", "two")


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums over repetitions.

    Attributes
    ----------
    cells
        One row for each of M cells.
    variants
        Method and interval of each of V variants.
    values : (M, V, 10)
        The `SUMS`.
    """

    cells: pd.DataFrame
    variants: Variants
    values: Array

    def measures(self) -> tuple[Array, Array]:
        """The `MEASURES` of each variant, means over cells, and their errors: (V, 8) twice."""
        by_cell = _by_cell(self.values, self.reference)
        populations = self.cells["population"].to_numpy()
        return _means(by_cell), jackknifed(by_cell, populations)

    @property
    def reference(self) -> int:
        """Number of the variant that others are compared with."""
        return self.variants.index(DEFAULT)

    @property
    def n_studies(self) -> int:
        """Repetitions of all populations and sizes."""
        most = self.values[..., 0].max(axis=1)
        return int(self.cells.assign(n=most).groupby(["population", "size"])["n"].max().sum())


def sums_of(frame: pd.DataFrame, level: str = "95") -> Sums:
    """Add up the rows of each cell and variant."""
    rows = frame[frame["estimate"].notna()]
    cells = rows[CELL].drop_duplicates().sort_values(CELL, ignore_index=True)
    names = [*_pairs(rows)]
    cell = pd.MultiIndex.from_frame(cells).get_indexer(pd.MultiIndex.from_frame(rows[CELL]))
    pairs = pd.MultiIndex.from_tuples(names)
    variant = pairs.get_indexer(pd.MultiIndex.from_frame(rows[["method", "interval"]]))
    values = np.zeros((len(cells), len(names), len(SUMS)))
    np.add.at(values, (cell, variant), _terms(rows, level))
    return Sums(cells, names, values)


def _pairs(frame: pd.DataFrame) -> Variants:
    """The variants that occur: main ones first, as in the registry, then the others."""
    from benchmarks.bank.variants import variants

    there = set(frame[["method", "interval"]].itertuples(index=False, name=None))
    known = [one.key for one in variants() if one.key in there]
    return [*known, *sorted(there - set(known))]


def _terms(frame: pd.DataFrame, level: str) -> Array:
    """Contributions of each row to the sums: (rows, 10)."""
    sign = frame["metric"].map(lambda name: metric_of(name).direction.sign).to_numpy()
    error = sign * frame["estimate"].to_numpy()
    distance = -sign * frame[f"one_{level}"].to_numpy()
    bounded = np.isfinite(distance)
    below, above = (frame[f"{end}_{level}"].to_numpy() for end in ("lower", "upper"))
    alpha = 1 - int(level) / 100
    # a bound errs in one direction alone, an interval in two, each half as often
    score = distance + np.maximum(-distance, 0) / alpha
    missed = np.maximum(below, 0) + np.maximum(-above, 0)
    terms = [np.ones(len(frame)), error, error**2, bounded, distance >= 0, distance, score]
    terms += [missed == 0, above - below, above - below + 2 / alpha * missed]
    values = np.column_stack(terms).astype(float)
    values[~bounded, 3:] = 0
    return values


def _by_cell(sums: Array, reference: int) -> Array:
    """The `MEASURES` by cell and variant, (M, V, 8), NaN where there are none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        n, n_bounds = sums[..., 0], sums[..., 3]
        rmse = np.sqrt(sums[..., 2] / n)
        base = rmse[:, [reference]]
        means = sums[..., 4:] / n_bounds[..., None]
        relative = means / means[:, [reference]]
        shares = means[..., [0]], means[..., [3]]
        parts = [(sums[..., 1] / n / base)[..., None], (rmse / base)[..., None], shares[0]]
        parts += [relative[..., 1:3], shares[1], relative[..., 4:]]
    return np.concatenate(parts, axis=2)


def _means(by_cell: Array) -> Array:
    """Means over cells, of those that have a figure: (V, 8)."""
    there = np.isfinite(by_cell)
    total = np.where(there, by_cell, 0).sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / there.sum(axis=0))


def jackknifed(by_cell: Array, populations: Array) -> Array:
    """Standard errors (V, 8) of the means over cells; NaN where there is one population alone."""
    names = np.unique(populations)
    if len(names) < 2:
        return np.full(by_cell.shape[1:], np.nan)
    without = np.stack([_means(by_cell[populations != name]) for name in names])
    n_left = np.isfinite(without).sum(axis=0)
    # a variant that a single population has is left out with it
    without = np.where(n_left == len(names), without, np.nan)
    spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    return np.asarray(np.sqrt(spread * (len(names) - 1) / len(names)))


def figures(sums: Sums) -> dict[tuple[str, str], dict[str, Figure]]:
    """The `MEASURES` of each variant."""
    values, errors = sums.measures()
    return {
        variant: {
            name: Figure(float(values[v, m]), float(errors[v, m]))
            for m, name in enumerate(MEASURES)
        }
        for v, variant in enumerate(sums.variants)
    }


def coverage(sums: Sums, by: list[str]) -> pd.DataFrame:
    """Repetitions with an interval, and those whose bound, or both ends, cover the truth."""
    rows = [
        {
            **sums.cells.loc[m, by].to_dict(),
            "method": method,
            "interval": interval,
            "n": int(sums.values[m, v, 3]),
            "bound": int(sums.values[m, v, 4]),
            "both": int(sums.values[m, v, 7]),
        }
        for m in range(len(sums.cells))
        for v, (method, interval) in enumerate(sums.variants)
        if sums.values[m, v, 3]
    ]
    keys = [*by, "method", "interval"]
    counts = pd.DataFrame(rows, columns=[*keys, "n", "bound", "both"])
    return counts.groupby(keys, sort=False, as_index=False).sum()
