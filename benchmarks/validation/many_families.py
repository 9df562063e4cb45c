"""Many families: how often some pair of equal ones is told apart, and what is shown of others.

Families are equal if their best configurations are. Which of a family's configurations is selected
is left to the samples, so that of equal families with other configurations beside the best one the
winners may differ in truth; `wrong` counts statements that are not true of the winners.

Beside the rule that `bbc compare --by` uses, `max-t`, are those that were tried: every pair alone;
max-T with the standard error of each pair, which was the rule before; the same without √(e - 1);
and percentiles at the level at which those of all pairs hold together.
"""

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.random import Generator

from bbccli import METRICS
from bbccli.comparisons.families import OUTSIDE, between_families
from bbccli.comparisons.records import Verdict
from bbccli.domain.plan import Plan
from bbccli.planning.simulation import Simulated, binormal, noisy, right_or_wrong
from bbccli.stats.bootstrap.differences import jointly
from bbccli.stats.case import Case
from benchmarks.tables import Row
from benchmarks.validation.kept import Result
from benchmarks.validation.settings import Setting
from benchmarks.validation.summary import mean_of, share_of

PLAN = Plan(n_resamples=499)
RULES = ("max-t", "alone", "own errors", "unscaled", "percentiles")

Family = tuple[tuple[float, int], ...]
"""True performances, and how many configurations have each."""

STEPS = (0.9, 0.85, 0.8, 0.75, 0.7, 0.65)
SIZES = (2, 5, 40, 1, 80, 10)


def _leader(best: float, behind: float, n_others: int = 20) -> Family:
    return (best, 1), (best - behind, n_others)


EQUAL: dict[str, tuple[Family, ...]] = {
    "10 of one": (((0.8, 1),),) * 10,
    "10 of 20": (((0.8, 20),),) * 10,
    "10 leaders by 0.15": (_leader(0.8, 0.15),) * 10,
    "10 leaders by 0.1": (_leader(0.8, 0.1),) * 10,
    "10 leaders by 0.05": (_leader(0.8, 0.05),) * 10,
    "10 leaders of 0.95": (_leader(0.95, 0.1),) * 10,
    "5 leaders, 5 of 20": (_leader(0.8, 0.15),) * 5 + (((0.8, 20),),) * 5,
    "5 leaders, 5 of one": (_leader(0.8, 0.15),) * 5 + (((0.8, 1),),) * 5,
    "mixed": (
        ((0.8, 1),),
        ((0.8, 40),),
        _leader(0.8, 0.18, 39),
        ((0.8, 3),),
        _leader(0.8, 0.1, 15),
    ),
    "sizes 1 to 80": tuple(((0.75, size),) for size in (1, 2, 5, 20, 80)),
}

DIFFERENT: dict[str, tuple[Family, ...]] = {
    "one each, 0.9 to 0.65": tuple(((best, 1),) for best in STEPS),
    "20 each, 0.9 to 0.65": tuple(((best, 20),) for best in STEPS),
    "leaders, 0.9 to 0.65": tuple(_leader(best, 0.15) for best in STEPS),
    "sizes 1 to 80, 0.9 to 0.65": tuple(
        ((best, size),) for best, size in zip(STEPS, SIZES, strict=True)
    ),
}

CELLS = (
    *(("accuracy", "10 of one", n, 0.0) for n in (40, 80, 200)),
    *(("accuracy", "10 leaders by 0.15", n, 0.0) for n in (40, 80, 200)),
    *(("accuracy", "10 leaders by 0.1", n, 0.0) for n in (80, 120, 200)),
    ("accuracy", "10 leaders by 0.05", 500, 0.0),
    *(("accuracy", law, 80, 0.0) for law in EQUAL if law[:4] not in ("10 o", "10 l", "mixe")),
    *(("accuracy", law, 80, 0.0) for law in ("10 of 20", "10 leaders of 0.95")),
    *(("accuracy", "mixed", n, 0.0) for n in (80, 200)),
    *(("accuracy", law, 80, 0.6) for law in ("10 of one", "10 of 20", "10 leaders by 0.15")),
    *(("auc", "10 leaders by 0.15", n, 0.0) for n in (80, 200)),
    *(("auc", law, 80, 0.5) for law in ("10 of one", "mixed")),
    *(("mse", law, 100, 0.0) for law in ("10 of one", "10 leaders by 0.15")),
    *(("accuracy", law, n, 0.0) for law in DIFFERENT for n in (80, 200)),
    *(("accuracy", law, 80, 0.6) for law in ("20 each, 0.9 to 0.65", "leaders, 0.9 to 0.65")),
    ("auc", "leaders, 0.9 to 0.65", 80, 0.5),
    ("mse", "leaders, 0.9 to 0.65", 100, 0.0),
)


def settings() -> list[Setting]:
    """Equal families, then some that differ."""
    return [_setting(*cell) for cell in CELLS]


def _setting(metric: str, law: str, n: int, alike: float) -> Setting:
    row = {"metric": metric, "families": law, "N": n, "r": alike}
    key = f"many families, {metric} {law} N={n} r={alike:g}"
    draw = partial(_drawn, metric, law, n, alike)
    return Setting(key, metric, draw, row, n_repetitions=1000 if law in EQUAL else 300)


def _families_of(law: str) -> tuple[Family, ...]:
    return EQUAL[law] if law in EQUAL else DIFFERENT[law]


def _drawn(metric: str, law: str, n: int, alike: float, rng: Generator) -> Simulated:
    truths = np.array([v for one in _families_of(law) for v, count in one for _ in range(count)])
    if metric == "mse":
        return noisy(1 - truths, n, rng)
    make = binormal if metric == "auc" else right_or_wrong
    return make(truths, n, rng, correlation=alike)


def repetition(setting: Setting, number: int) -> Result:
    """Tell of each rule if it tells some pair apart, wrongly, and how many that differ."""
    simulated, plan = setting.simulated(number), replace(PLAN, seed=number)
    matrix, metric = simulated.matrix, METRICS[setting.metric]
    ends = np.cumsum(
        [sum(count for _, count in one) for one in _families_of(setting.row["families"])]
    )
    columns = [np.arange(*ends) for ends in zip([0, *ends[:-1]], ends, strict=True)]
    columns = [np.random.default_rng(number).permutation(part) for part in columns]
    cases = [Case(matrix.of_configurations(part), metric, metric, plan) for part in columns]
    sign = metric.direction.sign
    best = np.array([max(sign * simulated.performances[part]) for part in columns])
    winner = np.array(
        [sign * simulated.truth(one.matrix.configurations[one.choice.winner]) for one in cases]
    )
    shown = rules(jointly(cases), PLAN.level)
    named = {str(k): tuple(part.tolist()) for k, part in enumerate(columns)}
    shown["max-t"] = {
        (int(one.first), int(one.second)): SHOWS.get(one.verdict, 0)
        for one in between_families(matrix, metric, plan, named)
    }
    result: dict[str, float | bool | None] = {}
    for rule in RULES:
        told = {pair: way for pair, way in shown[rule].items() if way}
        differ = [(a, b) for a, b in shown[rule] if best[a] != best[b]]
        right = sum(way * (best[a] - best[b]) > 0 for (a, b), way in told.items())
        result[f"{rule}: some pair"] = bool(told)
        result[f"{rule}: wrong"] = any(
            way * (winner[a] - winner[b]) <= 0 for (a, b), way in told.items()
        )
        result[f"{rule}: shown"] = right / len(differ) if differ else None
    return result


SHOWS = {Verdict.BETTER: 1, Verdict.WORSE: -1}


def rules(gains: np.ndarray, level: float) -> dict[str, dict[tuple[int, int], int]]:
    """What other rules show of each pair of families: 1 better, -1 worse; gains (F, B)."""
    first, second = np.triu_indices(len(gains), 1)
    drawn = gains[first] - gains[second]
    means, spreads = drawn.mean(axis=1), drawn.std(axis=1, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        largest = np.nanmax(np.abs(drawn - means[:, None]) / spreads[:, None], axis=0)
    reach, ordered, n = (
        np.quantile(largest, level) * spreads,
        np.sort(drawn, axis=1),
        gains.shape[1],
    )
    ranks = drawn.argsort(axis=1).argsort(axis=1)
    outside = int(np.quantile(np.minimum(ranks, n - 1 - ranks).min(axis=0), 1 - level))
    alone = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=1)
    ends = {
        "alone": alone,
        "own errors": (means - reach / OUTSIDE, means + reach / OUTSIDE),
        "unscaled": (means - reach, means + reach),
        "percentiles": (ordered[:, outside], ordered[:, n - 1 - outside]),
    }
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    return {
        rule: dict(zip(pairs, (lower > 0).astype(int) - (upper < 0), strict=True))
        for rule, (lower, upper) in ends.items()
    }


def figures(results: list[Result]) -> Row:
    """Of equal families how often some pair is told apart, of others the share of pairs shown."""
    n, row = len(results), {}
    for rule in RULES:
        shown = [one[f"{rule}: shown"] for one in results]
        if shown[0] is None:
            row[rule] = str(share_of(sum(one[f"{rule}: some pair"] for one in results), n))
        else:
            row[rule] = f"shown {mean_of(shown)}"
    wrong = sum(one["max-t: wrong"] for one in results)
    return {**row, "max-t, wrong": share_of(wrong, n)}
