"""Resamples of the folds: all that there are, each with its probability, or a number of draws.

With F folds there are C(2F - 1, F) different draws. Up to `EXACT_LIMIT` of them all are taken. With
repeats, each resample draws the folds of one repeat, and the distributions are mixed in equal
parts: each sample is in one fold of every repeat, so that draws from all folds together would
select on the very samples that they score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from math import lcm

import numpy as np

from bbccli.domain.estimate import Distribution
from bbccli.metrics.base import MeanScorer
from bbccli.platform import resources
from bbccli.platform.resources import ordered_map
from bbccli.stats.bootstrap import collect, collected, enough
from bbccli.stats.bootstrap.in_process import Selections
from bbccli.stats.case import Case
from bbccli.stats.resampling import Draws, Resamples, Unit, count_every_resample, every_resample
from bbccli.stats.selection import SelectionRule
from bbccli.stats.selection.candidates import folds_of
from bbccli.types import TIE_TOLERANCE, BoolArray, FloatArray, IntArray

EXACT_LIMIT = 200_000
"""Different draws up to which all are enumerated: ten folds."""

WHOLE = 2**24
"""Whole numbers below it are exact in single precision."""

CHUNK = 512
"""Draws scored at once: their performances stay in the cache."""

WORTH_THREADS = 2**28
"""Draws x folds x configurations that take longer to score than it takes to start threads."""

MOST_COMPARED = 2**11
"""Configurations up to which each is compared with each: beyond it takes too much memory."""


def over_repeats(
    case: Case,
    sizes: Sequence[int],
    every: Callable[[int], Distribution],
    some: Callable[[int, int], Distribution],
) -> Distribution:
    """Return the mixture of the repeats' distributions, from their numbers of folds.

    every: repeat -> the distribution over all draws of its folds.
    some: repeat and B -> the distribution over B draws.
    """
    repeats = range(len(sizes))
    if max(map(count_every_resample, sizes)) <= EXACT_LIMIT:
        return _mixture([every(repeat) for repeat in repeats])
    return enough(lambda n: _mixture([some(repeat, n) for repeat in repeats]), case)


def out_of_folds(
    case: Case, judged: Sequence[FloatArray], measured: Sequence[FloatArray]
) -> Distribution:
    """Select in draws of the folds, and score on the folds left out.

    judged, measured (F, C) for each repeat: performances in the folds, by the metric that selects
        and the one that measures.

    Time O(M F C) for M draws.
    """

    def some(repeat: int, n_resamples: int) -> Distribution:
        draws = Draws(len(judged[repeat]), case.plan.seed, (Unit.FOLDS, repeat))
        judge, errors = MeanScorer.of(judged[repeat]), partial(_errors, judged[repeat])
        selections, n_configurations = Selections(), judge.n_configurations

        def select(drawn: Resamples) -> Selections:
            winners = case.rule.select(judge(drawn.in_bag), drawn.in_bag, errors)
            values = judge.paired(drawn.out_of_bag, winners)
            return Selections(drawn.ordinals, winners, values, drawn.sizes)

        def over(part: Draws) -> Iterator[Selections]:
            return part.over(select, n_configurations)

        collect(selections, n_resamples, draws, over, n_configurations, case.progress)
        first = selections.first(n_resamples)
        if measured[repeat] is judged[repeat]:
            return first
        measure, ordinals = MeanScorer.of(measured[repeat]), selections.ordinals[:n_resamples]

        def score(drawn: Resamples) -> FloatArray:
            winners = first.winners[np.searchsorted(ordinals, drawn.ordinals)]
            return measure.paired(drawn.out_of_bag, winners)

        values = np.concatenate(list(draws.again(ordinals).over(score)))
        return replace(first, values=values)

    def every(repeat: int) -> Distribution:
        folds = folds_of(case.matrix)[repeat]
        sizes = np.bincount(folds[folds >= 0])
        scale = lcm(*sizes[sizes > 0].tolist())
        return _enumerate(judged[repeat], measured[repeat], case.rule, float(scale))

    return over_repeats(case, list(map(len, judged)), every, some)


def of_one(case: Case, by_repeat: Sequence[FloatArray], winner: int) -> Distribution:
    """Return the means of draws from the performances (F,) of one configuration."""

    def some(repeat: int, n_resamples: int) -> Distribution:
        values = by_repeat[repeat]
        draws = Draws(len(values), case.plan.seed, (Unit.FOLDS, repeat), leaving_out=False)

        def score(drawn: Resamples) -> tuple[IntArray, FloatArray]:
            return np.full(len(drawn), winner), drawn.in_bag @ values / len(values)

        return collected(Selections(), n_resamples, draws, score, progress=case.progress)

    def every(repeat: int) -> Distribution:
        values = by_repeat[repeat]
        drawn, probabilities = every_resample(len(values), leaving_out=False)
        means = drawn @ values / len(values)
        return Distribution(means, np.full(len(means), winner), probabilities)

    return over_repeats(case, list(map(len, by_repeat)), every, some)


def _errors(values: FloatArray, weights: IntArray, configurations: IntArray) -> FloatArray:
    """Standard errors (B,) of means of values (F, C) over the drawn folds, with multiplicity."""
    performances = values.T[np.maximum(configurations, 0)]
    n_drawn = weights.sum(axis=1, dtype=float)
    centred = performances - (np.sum(weights * performances, axis=1) / n_drawn)[:, None]
    variance = np.sum(weights * centred**2, axis=1) / np.maximum(n_drawn - 1, 1)
    return np.asarray(np.sqrt(variance / n_drawn))


def _enumerate(
    judged: FloatArray, measured: FloatArray, rule: SelectionRule, scale: float = 1
) -> Distribution:
    """Every resample of the F folds of one repeat, from performances (F, C).

    scale: what makes whole numbers of shares of the samples in the folds.
    """
    in_bag, probabilities = every_resample(len(judged))
    jobs = resources.current().jobs if in_bag.size * judged.shape[1] > WORTH_THREADS else 1
    starts = np.arange(0, len(in_bag), CHUNK)
    # each thread works through a run of chunks, in buffers of its own
    runs = [run for run in np.array_split(starts, jobs) if len(run)]
    find = _winner_finder(in_bag, judged, rule, scale)
    winners = np.concatenate(list(ordered_map(find, runs, jobs)))
    bags, out = _left_out(len(judged))
    used = np.flatnonzero(np.bincount(winners + 1)) - 1
    sizes, total = np.maximum(out.sum(axis=1), 1), np.zeros((len(out), len(used)))
    for left_out, of_fold in zip(out.T, measured[:, used], strict=True):
        # a fold that is undefined counts only where it is scored
        total += np.where(left_out[:, None], of_fold, 0.0)
    total[:, used < 0] = np.nan  # in some bags nothing can win
    kinds = bags * len(used) + np.searchsorted(used, winners)
    values = (total / sizes[:, None]).ravel()[kinds]
    return Distribution(values, winners, probabilities, sizes=sizes[bags], kinds=kinds)


@lru_cache(maxsize=4)
def _left_out(n_folds: int) -> tuple[IntArray, BoolArray]:
    """(M,) the set of folds that is out of each possible bag; (2^F, F) True for those in a set."""
    sets = np.arange(2**n_folds)[:, None] >> np.arange(n_folds) & 1
    return (every_resample(n_folds)[0] == 0) @ 2 ** np.arange(n_folds), sets == 1


def _winner_finder(
    in_bag: IntArray, judged: FloatArray, rule: SelectionRule, scale: float
) -> Callable[[IntArray], IntArray]:
    """Return a function that finds the winners of some chunks of resamples."""
    if rule.order is not None or np.isnan(judged).any():
        return partial(_selected, in_bag, judged, rule)
    gains = rule.direction.sign * judged
    columns = _unbeaten(gains)
    gains = gains[:, columns]
    whole = np.rint(scale * gains)
    most = np.abs(whole).max() * len(gains) + 1
    if most * len(columns) < WHOLE and (whole / scale == gains).all():
        return partial(_best_of_whole, in_bag, whole, columns)
    return partial(_best_of_sums, in_bag, gains, columns)


def _unbeaten(gains: FloatArray) -> IntArray:
    """Columns of gains (F, C) that no earlier one reaches in every fold: no other can win."""
    n_columns = gains.shape[1]
    if n_columns > MOST_COMPARED:
        return np.arange(n_columns)
    reached = np.ones((n_columns, n_columns), bool)
    for of_fold in gains:
        reached &= of_fold[:, None] >= of_fold
    return np.flatnonzero(~np.triu(reached, 1).any(axis=0))


def _best_of_whole(
    in_bag: IntArray, gains: FloatArray, columns: IntArray, starts: IntArray
) -> IntArray:
    """As `_best_of_sums`, of whole numbers: C times a sum, and more for an earlier column, tells
    both in one maximum.
    """
    n_columns, best = len(columns), []
    earlier = np.arange(n_columns - 1, -1, -1)
    keys = np.column_stack([n_columns * gains.T, earlier]).astype(np.float32)
    for start in starts:
        drawn = in_bag[start : start + CHUNK].T
        counts = np.concatenate([drawn, np.ones_like(drawn[:1])]).astype(np.float32)
        best.append((keys @ counts).max(axis=0))
    winners: IntArray = columns[n_columns - 1 - (np.concatenate(best) % n_columns).astype(int)]
    return winners


def _best_of_sums(
    in_bag: IntArray, gains: FloatArray, columns: IntArray, starts: IntArray
) -> IntArray:
    """Best configuration in some chunks of resamples; sums do, for each is of F draws."""
    sums = np.empty((CHUNK, len(columns)))
    tied = np.empty(sums.shape, bool)
    winners, rows = [], np.arange(CHUNK)
    for start in starts:
        drawn = in_bag[start : start + CHUNK].astype(float)
        size = len(drawn)
        np.matmul(drawn, gains, out=sums[:size])
        # argmax takes a quarter of the time of max
        top = sums[rows[:size], sums[:size].argmax(axis=1)][:, None]
        np.greater_equal(sums[:size], top - TIE_TOLERANCE * np.abs(top), out=tied[:size])
        winners.append(columns[tied[:size].argmax(axis=1)])
    return np.concatenate(winners)


def _selected(
    in_bag: IntArray, judged: FloatArray, rule: SelectionRule, starts: IntArray
) -> IntArray:
    """Return the selections of any rule in some chunks of resamples."""
    judge, errors = MeanScorer.of(judged), partial(_errors, judged)
    chunks = (in_bag[start : start + CHUNK] for start in starts)
    return np.concatenate([rule.select(judge(drawn), drawn, errors) for drawn in chunks])


def _mixture(parts: list[Distribution]) -> Distribution:
    if len(parts) == 1:
        return parts[0]
    probabilities = [part.probabilities for part in parts if part.probabilities is not None]
    sizes = [part.sizes for part in parts if part.sizes is not None]
    return Distribution(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.winners for part in parts]),
        np.concatenate(probabilities) / len(parts) if probabilities else None,
        sum(part.n_redrawn for part in parts),
        np.concatenate(sizes) if sizes else None,
    )
