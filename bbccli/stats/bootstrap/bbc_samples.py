"""Resamples of the samples: the winner of each, and its performance out of the bag.

BBC and the methods built on it share these. A sample's predictions in all repeats enter a resample
together or not at all, and so do the samples of a group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from bbccli.domain.estimate import Distribution
from bbccli.domain.matrix import PredictionMatrix
from bbccli.errors import UndefinedError
from bbccli.metrics.base import Metric
from bbccli.notes import Note
from bbccli.notes.methods import few_left_out, redrawn_resamples
from bbccli.platform import resources
from bbccli.stats.bootstrap import (
    Inside,
    collected,
    enough,
    extend,
    from_distribution,
    in_bags,
    measure,
    split_columns,
)
from bbccli.stats.bootstrap.in_process import Selections, score_made
from bbccli.stats.case import Answer, Case
from bbccli.stats.intervals import INTERVALS, within_bounds
from bbccli.stats.resampling import Draws, Resamples, draws_of
from bbccli.stats.selection.candidates import Candidates, cached
from bbccli.stats.selection.units import n_units_of, on_few_groups, single_classes
from bbccli.types import FloatArray, IntArray, MetricKind, Pooling, distinct


def corrected(case: Case) -> Answer:
    """Return the mean of the out-of-bag performances, and their interval.

    Raises UndefinedError: a class with a single sample that the selecting metric can't do without,
        or data on which hardly any resample can be used.
    Raises UnsupportedError: matched intervals of means over folds.

    Time O(B N C); memory O(B + N C) beside blocks of bounded size.
    """
    _ = case.choice  # raises where it is undefined on all samples
    drawn = out_of_bag(case)
    at_size, shares = in_full_size(case, drawn), selections(case).shares
    shares = None if shares is None else shares[: len(drawn.values)]
    if at_size is None:
        notes = notes_on_draws(case.matrix, case.selector, drawn)
        return replace(from_distribution(case, drawn, notes=notes), shares=shares)
    answer, bounds = moved(case, drawn, at_size), case.bounded.bounds
    shift = answer.value - float(np.nanmean(drawn.values))
    return replace(
        answer,
        value=float(np.clip(answer.value, *bounds)),
        distribution=answer.distribution and within_bounds(answer.distribution, bounds),
        size_correction=shift,
        shares=shares,
    )


def in_full_size(case: Case, drawn: Distribution) -> FloatArray | None:
    """Return the contribution (B,) of each resample to the estimate, corrected for its size.

    A resample leaves out .37 N samples, and the expectation of a metric that is not a mean depends
    on their number: E m_n = theta + a(n). The winning configurations, scored out of all bags and on
    all samples, estimate a(.37 N) - a(N) without another selection; with s_c the share of the
    resamples that c wins:

        L_b - sum_c s_c (m(c; out of bag b) - m(c; all samples))

    Of a few samples, R² is hardly defined: a bag in which the truth varies little decides the
    mean. Where the correction is that large (see `unsettled`), distances from the best value M are
    multiplied instead, and the spread of the truth cancels:

        M - (M - L_b) / (M - sum_c s_c m(c; out of bag b)) (M - sum_c s_c m(c; all samples))

    None where nothing is to be corrected: for means, shares of pairs and conditional means, whose
    expectation does not depend on n; for means over folds; or if the plan switches it off.
    """
    pooled, of_form = case.measuring is Pooling.POOLED, case.metric.kind is MetricKind.OTHER
    if not (case.plan.size_correction and pooled and of_form):
        return None
    columns, n_resamples = distinct(drawn.winners), len(drawn.values)
    shares = drawn.shares(case.matrix.n_configurations)[columns]
    sums, weights = np.zeros((2, n_resamples))
    draws, ordinals = draws_for(case), selections(case).ordinals[:n_resamples]
    width = max(resources.current().memory // (32 * n_resamples), 1)
    for part, values in in_bags(case.measured, columns, draws, ordinals, width, out=True):
        for share, outside in zip(shares[np.searchsorted(columns, part)], values.T, strict=True):
            defined = ~np.isnan(outside)
            sums += share * np.where(defined, outside, 0.0)
            weights += share * defined
    everywhere = case.measured.figures(columns)
    defined = ~np.isnan(everywhere)
    with np.errstate(invalid="ignore"):
        on_all = np.average(everywhere[defined], weights=shares[defined])
        outside = sums / weights
        at_size = drawn.values - outside + on_all
        if unsettled(case, float(np.nanmean(at_size - drawn.values))):
            best = case.bounded.bounds[case.metric.direction.sign > 0]
            at_size = best - (best - drawn.values) / (best - outside) * (best - on_all)
            at_size[~np.isfinite(at_size)] = np.nan
    return None if np.isnan(at_size).all() else np.asarray(at_size)


def unsettled(case: Case, shift: float) -> bool:
    """Return True if a metric with no worst value is moved by more than half the distance of the
    winner from its best value: much of an interval that is moved so far would lie beyond it.
    """
    worst, best = case.bounded.bounds[:: int(case.metric.direction.sign)]
    return bool(np.isinf(worst) and 2 * abs(shift) > abs(best - case.choice.naive) > 0)


def moved(case: Case, drawn: Distribution, mixed: FloatArray) -> Answer:
    """Return the mean of `mixed` (B,), with BBC's distribution moved to it; if `unsettled`, its
    distances from the best value are multiplied, so that its median is that mean.

    drawn: out-of-bag performances of the resamples.
    mixed (B,): contribution of each resample to the estimate; its spread gives the Monte-Carlo
        error.
    """
    value = float(np.nanmean(mixed))
    shift = value - float(np.nanmean(drawn.values))
    values, notes = drawn.values + shift, notes_on_draws(case.matrix, case.selector, drawn)
    if unsettled(case, shift):
        best = case.bounded.bounds[case.metric.direction.sign > 0]
        grouped = case.matrix.groups is not None
        typical = float(np.nanmedian(best - drawn.values))
        values = best - (best - drawn.values) * (best - value) / typical
        notes += (few_left_out(case.metric.label, n_units_of(case.matrix), groups=grouped),)
    answer = from_distribution(case, replace(drawn, values=values), notes=notes, mean=value)
    defined = mixed[~np.isnan(mixed)]
    error = float("nan")
    if len(defined) > 1:
        error = float(np.std(defined, ddof=1) / np.sqrt(len(defined)))
    return replace(answer, error=answer.error and replace(answer.error, value=error))


def out_of_bag(case: Case) -> Distribution:
    """Return how each resample's winner performs out of the bag."""
    INTERVALS[case.plan.interval].check(case.plan)
    judged = case.judged
    refuse_single_classes(judged)
    draws, selected = draws_for(case), selections(case)

    def draw(n_resamples: int) -> Distribution:
        rule, maker = case.rule, case.maker
        extend(selected, n_resamples, judged, draws, rule, maker=maker, progress=case.progress)
        first = selected.first(n_resamples)
        if case.one_scale:
            return first
        values = measure(selected, n_resamples, case.measured, draws, maker=maker)
        return replace(first, values=values)

    return enough(draw, case)


def refuse_single_classes(candidates: Candidates) -> None:
    """Refuse a class with a single sample, or in a single group, where the metric needs it.

    Such a class is in the bag or out of it, never both. The metric needs it if it is undefined for
    every configuration on all samples but those of the class.

    Raises UndefinedError: the metric can't be computed both in the bag and out of it.
    """
    matrix = candidates.matrix
    if not matrix.task.is_classification:
        return
    for code in single_classes(matrix.outcome, matrix.groups):
        without = (matrix.outcome.values != code).astype(np.uint8)
        if np.isnan(candidates.score(without[None])).all():
            unit = "sample" if matrix.groups is None else "group"
            raise UndefinedError(
                f"class {matrix.outcome.classes[code]!r} has a single {unit}: "
                f"{candidates.metric.label} needs one among the rows drawn, and one among those "
                "left out",
                hint="collect more samples of that class, or use a metric that does not need it",
            )


def in_bag(case: Case, n_resamples: int) -> FloatArray:
    """Return the performances (B,) of the winners of `out_of_bag` in their bags."""
    selected, draws = selections(case), draws_for(case)
    measured, maker = case.measured, case.maker
    return measure(selected, n_resamples, measured, draws, maker=maker, in_bag=True)


def on_all(case: Case, n_resamples: int) -> FloatArray:
    """Return the performances (B,) of the winners of `out_of_bag` on all samples."""
    selected, measured = selections(case), case.measured
    if case.maker is None or selected.shares is None:
        return measured.performances()[selected.winners[:n_resamples]]
    again, shares = draws_for(case).again(selected.ordinals[:n_resamples]), selected.shares
    return score_made(
        *(case.maker, measured.metric, measured.pooling, again, shares[:n_resamples]),
        judged=lambda drawn: np.ones_like(drawn.in_bag),
    )


def replayed(case: Case, n_resamples: int) -> Iterator[tuple[IntArray, int]]:
    """Yield weights (N,) in the bag, and the winner, of the first resamples of `out_of_bag`."""
    winners = selections(case).winners[:n_resamples].tolist()
    yield from zip(_in_bags(case, n_resamples), winners, strict=False)


def made_again(case: Case, n_resamples: int) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield weights (N,) in the bag, and what is made in it (R, N, ...), of the first resamples."""
    maker, shares = case.maker, selections(case).shares
    if maker is None or shares is None:
        return
    for of_bag, in_bag in zip(shares[:n_resamples], _in_bags(case, n_resamples), strict=False):
        yield in_bag, maker.predictions(in_bag[None], of_bag[None])[:, :, 0]


def _in_bags(case: Case, n_resamples: int) -> Iterator[IntArray]:
    again = draws_for(case).again(selections(case).ordinals[:n_resamples])
    for drawn in again.over(lambda drawn: drawn):
        yield from drawn.in_bag


def inside(case: Case, candidates: Candidates, columns: IntArray, n_resamples: int) -> Inside:
    """Yield the performances of some configurations in the first B bags that BBC used.

    Performances kept from the selection are not computed again.

    candidates: the configurations under either metric of the case.
    columns (C',) int: which configurations, ascending.
    n_resamples: B, of `out_of_bag`.

    Memory O(B C') of a block, which is bounded. Time 0, or that of the selection on the columns.
    """
    selected = selections(case)
    width = max(resources.current().memory // (32 * n_resamples), 1)
    judged = candidates.metric is case.selector and candidates.pooling is case.plan.pooling
    stored = selected.inside if judged else None
    if stored is not None:
        yield from ((part, stored[:n_resamples, part]) for part in split_columns(columns, width))
        return
    ordinals = selected.ordinals[:n_resamples]
    yield from in_bags(candidates, columns, draws_for(case), ordinals, width)


def draws_for(case: Case) -> Draws:
    """Return the resamples that a case selects in: of its samples, or of the groups of these."""
    return draws_of(case.matrix.n_samples, case.matrix.groups, case.plan.seed)


def selections(case: Case) -> Selections:
    """The selections so far, cached with the matrix under all that they depend on."""
    plan = case.plan
    key = ("bbc", case.selector, plan.select, plan.pooling, plan.seed)
    return cached(case.matrix, key, Selections)


def of_winner(case: Case) -> Answer:
    """Return the naive figure with an interval of the winner's performances on drawn rows.

    Raises UndefinedError: the winner is undefined in nearly every resample.
    """
    matrix, metric, plan, winner = case.matrix, case.metric, case.plan, case.choice.winner
    draws = draws_of(matrix.n_samples, matrix.groups, plan.seed, leaving_out=False)
    selections = cached(matrix, ("naive", metric, winner, plan.pooling, plan.seed), Selections)
    measured, n_sweeps = case.measured, metric.n_sweeps(matrix.n_samples)

    def score(drawn: Resamples) -> tuple[IntArray, FloatArray]:
        winners = np.full(len(drawn), winner)
        return winners, measured.paired(drawn.in_bag, winners)

    distribution = enough(
        lambda n: collected(selections, n, draws, score, n_sweeps=n_sweeps, progress=case.progress),
        case,
    )
    notes = notes_on_draws(matrix, metric, distribution)
    return from_distribution(case, distribution, value=case.choice.naive, notes=notes)


def notes_on_draws(
    matrix: PredictionMatrix, metric: Metric, distribution: Distribution
) -> tuple[Note, ...]:
    """Return notes on resamples drawn again for a metric, and on few groups to draw from."""
    n_redrawn, n_used = distribution.n_redrawn, len(distribution.values)
    few = on_few_groups(matrix)
    if not n_redrawn:
        return few
    classes = matrix.task.is_classification
    return (redrawn_resamples(n_redrawn, n_used, metric.label, classes=classes), *few)
