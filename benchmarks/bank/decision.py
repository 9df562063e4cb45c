"""Which interval is the default: the rule, written down before the untouched half is looked at.

1. Candidates are `bbc`, `bbc-632` and `bbc-eb` with every kind of interval that the program has but
   `t`, with the guard. What counts is their one-sided bound at 95 % in the searches of 60
   configurations of the untouched half.
2. A candidate holds if its inclusion is at least .945, as a mean over population-metrics (a metric
   of a population, its sizes together), and if in no population-metric it is under .90 beyond
   chance: a binomial test against .90 at 5 % over the number of population-metrics.
3. Population-metrics in which `bbc` with percentiles, the cautious choice, is under .90 beyond
   chance itself can't choose between candidates: they are named and set aside, for all alike.
4. The default is the candidate that holds whose bound is nearest to the truth: least tightness
   relative to `bbc` with percentiles. If none holds it is `bbc` with percentiles.
"""

from dataclasses import dataclass

import pandas as pd

from benchmarks.bank.figures import figures, inclusions, sums_of
from benchmarks.bank.judged_by import is_capped
from benchmarks.bank.populations import BY_NAME, Half
from benchmarks.bank.searches import MAIN
from benchmarks.bank.variants import DEFAULT, MAIN_METHODS

LEAST, LEAST_ANYWHERE, LEVEL = 0.945, 0.90, 0.05


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rule says of a candidate.

    Attributes
    ----------
    inclusion
        Mean over the population-metrics that are not set aside.
    failed
        Population-metrics in which it is under .90 beyond chance.
    tightness
        Relative to `bbc` with percentiles.
    """

    inclusion: float
    failed: tuple[str, ...]
    tightness: float

    @property
    def holds(self) -> bool:
        """Whether it may become the default."""
        return self.inclusion >= LEAST and not self.failed


def decide(
    frame: pd.DataFrame, half: Half
) -> tuple[tuple[str, str], dict[tuple[str, str], Verdict], tuple[str, ...]]:
    """The default by the rule, the verdict on every candidate, and what was set aside."""
    names = [name for name, one in BY_NAME.items() if one.half is half]
    rows = frame[(frame["search"] == MAIN) & frame["population"].isin(names)]
    rows = rows[~rows["metric"].map(is_capped).astype(bool)]
    rows = rows[rows["method"].isin(MAIN_METHODS)]
    rows = rows[~rows["interval"].str.contains("guard") & (rows["interval"] != "t")]
    sums = sums_of(rows)
    found = inclusions(sums, ["population", "metric"])
    found["where"] = found["population"] + " " + found["metric"]
    found["low"] = _low(found, found["where"].nunique())
    is_default = (found["method"] == DEFAULT[0]) & (found["interval"] == DEFAULT[1])
    aside = tuple(found.loc[is_default & found["low"], "where"])
    kept = found[~found["where"].isin(aside)]
    relative = figures(sums)
    verdicts = {}
    for variant in sums.variants:
        own = kept[(kept["method"] == variant[0]) & (kept["interval"] == variant[1])]
        shares = own["included"] / own["n"]
        failed = tuple(own.loc[own["low"], "where"])
        tightness = relative[variant]["tightness"].value
        verdicts[variant] = Verdict(float(shares.mean()), failed, tightness)
    holding = [variant for variant, verdict in verdicts.items() if verdict.holds]
    best = min(holding, key=lambda variant: verdicts[variant].tightness, default=DEFAULT)
    return best, verdicts, aside


def _low(found: pd.DataFrame, n_tests: int) -> list[bool]:
    """Which shares are under .90 beyond chance."""
    from scipy.stats import binomtest

    return [
        bool(binomtest(k, n, LEAST_ANYWHERE, alternative="less").pvalue < LEVEL / n_tests)
        for k, n in zip(found["included"], found["n"], strict=True)
    ]
