"""From the rows of the store to figures with standard errors.

A cell is a metric of a search of a population at one N. Relative figures are those of a variant
over those of `bbc` with percentiles and guard in the same cell, then averaged over cells. Standard
errors leave out a tenth of the repetitions at a time (the jackknife), so that what was said of one
study, by all metrics, searches and variants, is left out together.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.bank.judged_by import metric_of
from benchmarks.bank.tables import Array
from benchmarks.bank.variants import DEFAULT
from benchmarks.validation.summary import Figure

N_BLOCKS = 10
Variants = list[tuple[str, str]]
CELL = ["population", "size", "search", "metric"]

MEASURES = ("bias", "RMSE", "inclusion", "two-sided", "tightness", "score")
SUMS = ("n", "error", "square", "n_bounds", "included", "distance", "score", "two")


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums over repetitions.

    Attributes
    ----------
    cells
        One row for each of M cells.
    variants
        Method and interval of each of V variants.
    values : (M, V, J, 8)
        The `SUMS`, by block of repetitions.
    """

    cells: pd.DataFrame
    variants: Variants
    values: Array

    def measures(self) -> tuple[Array, Array]:
        """The `MEASURES` of each variant, means over cells, and their errors: (V, 6) twice."""
        return jackknifed(self.values, lambda sums: _means(_by_cell(sums, self.reference)))

    @property
    def reference(self) -> int:
        """Number of the variant that others are compared with."""
        return self.variants.index(DEFAULT)

    @property
    def n_studies(self) -> int:
        """Repetitions of all populations and sizes."""
        most = self.values[..., 0].sum(axis=2).max(axis=1)
        return int(self.cells.assign(n=most).groupby(["population", "size"])["n"].max().sum())


def sums_of(frame: pd.DataFrame, level: str = "95") -> Sums:
    """Add up the rows; every study counts in the block of its repetition."""
    said = frame[frame["estimate"].notna()]
    cells = said[CELL].drop_duplicates().sort_values(CELL, ignore_index=True)
    names = [*_pairs(said)]
    cell = pd.MultiIndex.from_frame(cells).get_indexer(pd.MultiIndex.from_frame(said[CELL]))
    pairs = pd.MultiIndex.from_tuples(names)
    variant = pairs.get_indexer(pd.MultiIndex.from_frame(said[["method", "interval"]]))
    block = said["repetition"].to_numpy() % N_BLOCKS
    values = np.zeros((len(cells), len(names), N_BLOCKS, len(SUMS)))
    np.add.at(values, (cell, variant, block), _terms(said, level))
    return Sums(cells, names, values[:, :, values.any(axis=(0, 1, 3))])


def _pairs(frame: pd.DataFrame) -> Variants:
    """The variants that occur: main ones first, as in the registry, then the others."""
    from benchmarks.bank.variants import variants

    there = set(frame[["method", "interval"]].itertuples(index=False, name=None))
    known = [one.key for one in variants() if one.key in there]
    return [*known, *sorted(there - set(known))]


def _terms(frame: pd.DataFrame, level: str) -> Array:
    """What a row adds to the sums: (rows, 8)."""
    sign = frame["metric"].map(lambda name: metric_of(name).direction.sign).to_numpy()
    error = sign * frame["estimate"].to_numpy()
    distance = -sign * frame[f"one_{level}"].to_numpy()
    bounded = np.isfinite(distance)
    below, above = (frame[f"{end}_{level}"].to_numpy() for end in ("lower", "upper"))
    miss = 1 / (1 - int(level) / 100)
    score = distance + miss * np.maximum(-distance, 0)
    terms = [np.ones(len(frame)), error, error**2, bounded, distance >= 0, distance, score]
    terms.append((below <= 0) & (above >= 0))
    found = np.column_stack(terms).astype(float)
    found[~bounded, 3:] = 0
    return found


def _by_cell(sums: Array, reference: int) -> Array:
    """The `MEASURES` by cell and variant, (M, V, 6), NaN where there are none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        n, n_bounds = sums[..., 0], sums[..., 3]
        rmse = np.sqrt(sums[..., 2] / n)
        shares = sums[..., [4, 7]] / n_bounds[..., None]
        widths = sums[..., [5, 6]] / n_bounds[..., None]
        relative = widths / widths[:, [reference]]
        base = rmse[:, [reference]]
        parts = [sums[..., 1] / n / base, rmse / base, shares, relative]
    return np.concatenate([np.atleast_3d(one) for one in parts], axis=2)


def _means(by_cell: Array) -> Array:
    """Means over cells, of those that have a figure: (V, 6)."""
    there = np.isfinite(by_cell)
    total = np.where(there, by_cell, 0).sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / there.sum(axis=0))


def jackknifed(values: Array, figure: Any) -> tuple[Array, Array]:
    """A figure of sums (M, V, J, 8) over blocks, and its standard error over the J blocks."""
    total, n_blocks = values.sum(axis=2), values.shape[2]
    whole = figure(total)
    if n_blocks < 2:
        return whole, np.full_like(whole, np.nan)
    without = np.stack([figure(total - values[:, :, j]) for j in range(n_blocks)])
    spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    return whole, np.sqrt(spread * (n_blocks - 1) / n_blocks)


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


def inclusions(sums: Sums, by: list[str]) -> pd.DataFrame:
    """Repetitions with a bound, and those whose bound holds the truth, by cells put together."""
    total = sums.values.sum(axis=2)
    rows = [
        {
            **sums.cells.loc[m, by].to_dict(),
            "method": method,
            "interval": interval,
            "n": int(total[m, v, 3]),
            "included": int(total[m, v, 4]),
        }
        for m in range(len(sums.cells))
        for v, (method, interval) in enumerate(sums.variants)
        if total[m, v, 3]
    ]
    keys = [*by, "method", "interval"]
    found = pd.DataFrame(rows, columns=[*keys, "n", "included"])
    return found.groupby(keys, sort=False, as_index=False).sum()
