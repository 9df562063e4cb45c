"""How often comparisons after selection hold: `python -m benchmarks.validation.comparisons`.

A repetition is one matrix of known true performances, and whether each statement of a comparison
is true of it. It is known from the setting and its number, kept when it is done, and not run again.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from bbccli import METRICS, __version__
from bbccli.comparisons.baseline import against_baseline
from bbccli.comparisons.best_set import best_set
from bbccli.comparisons.families import between_families
from bbccli.comparisons.records import BestSet, Comparison, Verdict
from bbccli.documents import as_json
from bbccli.plan import Plan
from bbccli.resources import Resources, use
from bbccli.simulation import Simulated, binormal, right_or_wrong
from bbccli.types import IntervalKind, Side
from benchmarks.tables import Row
from benchmarks.validation.page import PAGE, between
from benchmarks.validation.rows import table
from benchmarks.validation.settings import Part, Setting
from benchmarks.validation.store import Store
from benchmarks.validation.summary import Figure, mean_of, share_error

LEVEL = 0.95
PLAN = Plan(n_resamples=499, level=LEVEL)
N_REPETITIONS = 1000

EQUAL = 0.8
"""True performance of every configuration where none is better."""

POSITIVES = 5

HOLDS = {
    "winner": "the bound of the winner",
    "every bound": "all lower bounds at once",
    "every upper": "all upper bounds at once",
    "every interval": "the intervals of all performances at once",
    "set": "the set holds the best",
    "matched": "the lower end of the matched interval of the corrected difference",
    "families": "the interval of two families",
    "paired": "the bound of a paired test of the winner",
}

Result = dict[str, Any]


def settings() -> list[Setting]:
    """Nothing is better, with few and many samples; then some where performances differ."""
    sizes = [(n, c) for n in (40, 80, 300) for c in (20, 100)]
    nothing = partial(np.full, fill_value=EQUAL)
    return [
        *(_setting("accuracy", "all equal", nothing, n, c) for n, c in sizes),
        *(_setting("auc", "all equal", nothing, n, c) for n, c in sizes),
        *(_setting("auc", "all equal", nothing, 80, c, n_positive=POSITIVES) for c in (20, 100)),
        _setting("accuracy", "Be(9, 6)", None, 80, 100),
        _setting("auc", "Be(9, 6)", None, 80, 100),
        _setting("accuracy", "one of 0.9", _one_better, 150, 100),
    ]


def _one_better(n_configurations: int) -> np.ndarray:
    return np.append(np.full(n_configurations - 1, EQUAL), 0.9)


def _setting(
    metric: str,
    law: str,
    truth: Callable[[int], np.ndarray] | None,
    n: int,
    c: int,
    n_positive: int | None = None,
) -> Setting:
    rare = "" if n_positive is None else f" positives={n_positive}"

    def draw(rng: Generator) -> Simulated:
        performances = rng.beta(9, 6, c) if truth is None else truth(c)
        balance = 0.5 if n_positive is None else 1 - n_positive / n
        make = binormal if metric == "auc" else right_or_wrong
        return make(performances, n, rng, balance=balance)

    row = {"metric": metric, "law": law, "N": n, "C": c, "positives": n_positive or n // 2}
    key = f"compare, {metric} {law} N={n} C={c}{rare}"
    return Setting(Part.INCLUSION, key, metric, draw, row, n_repetitions=N_REPETITIONS)


def result(setting: Setting, repetition: int) -> Result:
    """Whether each statement is true of one repetition, and some figures."""
    simulated = setting.simulated(repetition)
    matrix, metric = simulated.matrix, METRICS[setting.metric]
    plan = replace(PLAN, seed=repetition)
    truths = simulated.performances
    # a typical configuration is the baseline, known before the data are seen
    other = int(np.argsort(truths, kind="stable")[len(truths) // 2])
    baseline = matrix.configurations[other]
    found = against_baseline(matrix, metric, plan, baseline)
    lower_only = replace(plan, interval=IntervalKind.MATCHED, side=Side.LOWER)
    matched = against_baseline(matrix, metric, lower_only, baseline).winner
    columns = range(len(truths))
    families = {"few": columns[: len(columns) // 10], "many": columns[len(columns) // 10 :]}
    (pair,) = between_families(matrix, metric, plan, families)
    told, difference = found.winner, simulated.truth(found.winner.first) - truths[other]
    of_families = simulated.truth(str(pair.first_selected)) - simulated.truth(
        str(pair.second_selected)
    )
    alone = told.bound if found.alone_bound is None else found.alone_bound
    return {
        "winner": _at_least(told.bound, difference),
        "every bound": all(_at_least(row.bound, _truth(row, simulated)) for row in found.every),
        "every upper": all(_at_most(row, simulated) for row in found.every),
        "matched": matched.interval is None or _at_least(matched.interval.lower, difference),
        "paired": _at_least(alone, difference),
        "better": told.verdict is Verdict.BETTER,
        "families": pair.interval is not None
        and pair.interval.lower <= of_families <= pair.interval.upper,
        "error": None if told.corrected is None else told.corrected - difference,
        "naive error": None if told.difference is None else told.difference - difference,
        **_of_set(best_set(matrix, metric, plan), simulated),
    }


def _truth(row: Comparison, simulated: Simulated) -> float:
    return simulated.truth(row.first) - simulated.truth(row.second)


def _at_least(bound: float | None, truth: float) -> bool:
    return bound is None or bound <= truth + 1e-12


def _at_most(row: Comparison, simulated: Simulated) -> bool:
    return row.bound_above is None or row.bound_above >= _truth(row, simulated) - 1e-12


def _of_set(found: BestSet, simulated: Simulated) -> Result:
    """Whether the set holds the best; of several that are, the last one stands for any."""
    truths = simulated.performances
    best = simulated.matrix.configurations[int(np.flatnonzero(truths == truths.max())[-1])]
    intervals = [(one, simulated.truth(one.configuration)) for one in found.members]
    return {
        "set": any(one.inside for one in found.members if one.configuration == best),
        "size": found.n_inside,
        "every interval": all(
            not one.lower > truth + 1e-12 and not one.upper < truth - 1e-12
            for one, truth in intervals
        ),
    }


def todo(store: Store) -> Iterator[tuple[Setting, int]]:
    """Yield repetition 0 of every setting, then repetition 1, ...; without what is on disk."""
    for repetition in range(N_REPETITIONS):
        for setting in settings():
            if repetition not in store.results(setting.key):
                yield setting, repetition


def work(store: Store, seconds: float) -> int:
    """Repeat until the seconds are used up; return how often."""
    end, n_done = time.monotonic() + seconds, 0
    for setting, repetition in todo(store):
        if time.monotonic() >= end:
            break
        with use(Resources(jobs=1)):
            found = result(setting, repetition)
        store.append(
            {
                "setting": setting.key,
                "repetition": repetition,
                "seed": setting.seed(repetition),
                "version": __version__,
                "results": {"comparisons": as_json(found)},
            }
        )
        n_done += 1
    return n_done


def block(store: Store) -> str:
    """Two tables: how often each statement is true, and what else was measured."""
    names = ("metric", "law", "N", "C", "positives", "n")
    holds: list[Row] = []
    others: list[Row] = []
    for setting in settings():
        said = [one["comparisons"] for one in store.results(setting.key).values()]
        leading = setting.row | {"n": len(said)}
        if said:
            holds.append(leading | {name: _share(said, name) for name in HOLDS})
            others.append(leading | _figures(said))
    title = "How often each statement of a comparison holds"
    return "\n\n".join(
        part
        for part in (
            table(title, names, holds),
            table("What else was measured of comparisons", names, others),
        )
        if part
    )


def _share(said: list[Result], name: str) -> Figure:
    """Share of the repetitions; marked where it is below the level by a binomial test."""
    from scipy.stats import binomtest

    n, k = len(said), sum(one[name] for one in said)
    low = name != "paired" and binomtest(k, n, LEVEL, alternative="less").pvalue < 0.01
    return Figure(k / n, share_error(k, n), " ↓" if low else "")


def _figures(said: list[Result]) -> Row:
    n = len(said)
    n_better = sum(one["better"] for one in said)
    return {
        "size of the set": f"{np.mean([one['size'] for one in said]):.1f}",
        "says better": Figure(n_better / n, share_error(n_better, n)),
        "bias as measured": _mean(said, "naive error"),
        "bias corrected": _mean(said, "error"),
    }


def _mean(said: list[Result], name: str) -> Figure:
    return mean_of([one[name] for one in said if one[name] is not None])


def main(arguments: list[str] | None = None) -> None:
    """Repeat for so many minutes, then renew the page."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.validation.comparisons", description=__doc__
    )
    parser.add_argument("--minutes", type=float, default=10, help="0 only renews the page")
    parser.add_argument("--out", type=Path, default=Path("validation-results"), metavar="DIR")
    parser.add_argument("--page", type=Path, default=PAGE, help="page whose tables are renewed")
    options = parser.parse_args(arguments)
    store = Store(options.out / "comparisons")
    n_done = work(store, 60 * options.minutes)
    text = options.page.read_text(encoding="utf-8")
    options.page.write_text(between(text, "comparisons", block(store)), encoding="utf-8")
    print(f"{n_done} repetitions; records in {store.path}", file=sys.stderr)


if __name__ == "__main__":
    main()
