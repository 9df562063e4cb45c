"""The rule for the default interval.

1. Candidates are `bbc`, `bbc-632` and `bbc-eb` with every kind of interval except `t`, with the
   guard. The rule judges their two-sided 95% intervals in the searches of 60 configurations, for
   every metric whose values are bounded: for a loss without a worst value no interval from the
   sample promises anything.
2. A candidate passes if its coverage is at least .945, as a mean over population-metrics (a metric
   of a population, its sizes together), and if in no population-metric it is under .93 beyond
   chance: binomial tests, at 5% over all of them by Holm's procedure.
3. The rule names the candidate that passes in both halves with the least interval score, relative
   to `bbc` with percentiles; if none does, it is `bbc` with percentiles.

The rule is about tightness. The default also rests on judgement: see docs/validation.md.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bbccli.types import Adjustment
from benchmarks.bank.figures import coverage, figures, sums_of
from benchmarks.bank.judged_by import is_bounded
from benchmarks.bank.lines import main_ones
from benchmarks.bank.populations import BY_NAME, Half
from benchmarks.bank.variants import DEFAULT

LEAST, LEAST_ANYWHERE, LEVEL = 0.945, 0.93, 0.05


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of the rule on a candidate in one half.

    Attributes
    ----------
    coverage
        Mean over population-metrics.
    failed
        Population-metrics in which it is under .93 beyond chance.
    width, score
        Of the interval, relative to `bbc` with percentiles.
    """

    coverage: float
    failed: tuple[str, ...]
    width: float
    score: float

    @property
    def holds(self) -> bool:
        """True if the rule lets it be the default."""
        return self.coverage >= LEAST and not self.failed


Verdicts = dict[tuple[str, str], Verdict]


def verdicts(frame: pd.DataFrame, half: Half) -> Verdicts:
    """The verdict on every candidate in one half."""
    names = [name for name, one in BY_NAME.items() if one.half is half]
    rows = main_ones(frame[frame["population"].isin(names)])
    rows = rows[rows["metric"].map(is_bounded).astype(bool)]
    if rows.empty:
        return {}
    sums = sums_of(rows)
    relative, counts = figures(sums), coverage(sums, ["population", "metric"])
    counts["where"] = counts["population"] + " " + counts["metric"]
    return {
        variant: _verdict(
            counts[(counts["method"] == variant[0]) & (counts["interval"] == variant[1])],
            relative[variant]["width"].value,
            relative[variant]["score"].value,
        )
        for variant in sums.variants
    }


def _verdict(counts: pd.DataFrame, width: float, score: float) -> Verdict:
    """The verdict by the coverage of one candidate in each population-metric."""
    shares = counts["both"] / counts["n"]
    return Verdict(float(shares.mean()), tuple(counts.loc[_low(counts), "where"]), width, score)


def _low(counts: pd.DataFrame) -> list[bool]:
    """Find the shares that are under .93 beyond chance."""
    from scipy.stats import binomtest

    from bbccli.comparisons.adjustment import adjusted_p

    every = [
        binomtest(k, n, LEAST_ANYWHERE, alternative="less").pvalue
        for k, n in zip(counts["both"], counts["n"], strict=True)
    ]
    return [bool(p < LEVEL) for p in adjusted_p(np.array(every), Adjustment.HOLM)]


def named(halves: list[Verdicts]) -> tuple[str, str]:
    """The candidate that holds in all halves with the least mean interval score."""
    holding = [one for one in halves[0] if all(one in half and half[one].holds for half in halves)]
    score = {one: sum(half[one].score for half in halves) for one in holding}
    return min(holding, key=lambda one: score[one], default=DEFAULT)
