"""Several methods and metrics on one matrix, from the same resamples, and what to know of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from bbccli.domain.estimate import Estimate
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.errors import UndefinedError, UnsupportedError, parameter
from bbccli.methods.base import METHODS, Gives, Method, choose_methods, default_methods, models_of
from bbccli.metrics import Metric, choose_metrics
from bbccli.metrics.capped import POWERS, measuring, with_plan
from bbccli.notes import Note
from bbccli.notes.intervals import (
    few_for_a_cut,
    fitted_rows,
    guided_climb,
    incomplete_members,
    one_member,
    rare_positives,
    resamples_alike,
    vault_closed,
)
from bbccli.notes.methods import (
    better_than_naive,
    collapsed_interval,
    leave_one_out,
    mean_over_folds,
    method_left_out,
    outside_interval,
    risk_reversed,
    winners_differ,
)
from bbccli.platform.arguments import ALL, as_list, with_all
from bbccli.platform.resources import Progress, silent
from bbccli.platform.text import figure
from bbccli.stats.case import maker_of
from bbccli.stats.guidance import on_guidance
from bbccli.stats.selection import on_single, rule_of, winner_of
from bbccli.stats.selection.candidates import candidates, check_of_pairs
from bbccli.stats.selection.units import on_clipping, on_tails
from bbccli.stats.stopping import on_stopping
from bbccli.types import TIE_TOLERANCE, IntervalKind, MetricKind, Pooling, Side, Task

if TYPE_CHECKING:
    from bbccli.stats.making.made import Maker

ALWAYS = frozenset({"cvt", "bbc"})
ALWAYS_TIGHT = frozenset({"cvt", "bbc-632"})
"""Default methods whose failure is the user's to know: without them there is no result."""

RARE = 0.1
"""Share of positive samples below which narrow intervals of F1 and average precision fall short."""

FEW_FOR_A_CUT = 10
"""Samples of the rarer class below which a tuned cut makes the estimate too strict."""

HALF = 0.5
"""Concordance of predictions that know nothing."""

REVERSED = 3.5
"""Standard errors by chance that a median concordance is below one half where risks seem to be
the other way round; as for the polarity of scores."""


def estimate(
    matrix: PredictionMatrix,
    metrics: Metric | str | Sequence[Metric | str],
    plan: Plan,
    names: Method | str | Sequence[Method | str] | None = None,
    *,
    tight: bool = False,
    progress: Progress = silent,
) -> tuple[list[Estimate], list[Note]]:
    """Run several methods on one matrix, from the same resamples.

    The first metric selects, and all metrics are estimated for the configuration that it selects.
    Without names `default_methods` are run; `all` runs every method, and leaves out those that
    can't be computed, with a note. `tight` runs `bbc-632` in place of `bbc` and `bbc-f`, for a plan
    with `sharp` intervals. Returns one estimate per metric and method, and the notes on all of
    them.

    Raises
    ------
    OptionError, UndefinedError
        An unknown metric or method, or one asked for by name that can't be computed.
    UnsupportedError
        Tight intervals of a metric without a worst value.
    """
    chosen = [with_plan(metric, plan) for metric in choose_metrics(metrics, matrix)]
    requested = as_list(names)
    by_name = bool(requested) and ALL not in requested
    everything = list(METHODS) if requested else default_methods(matrix, tight=tight)
    maker = maker_of(matrix, chosen[0], plan)
    if maker is not None and not by_name:
        everything = [name for name in everything if METHODS[name].makes]
    needed = ALWAYS_TIGHT if tight else ALWAYS
    methods = choose_methods(with_all(requested, everything) if requested else everything)
    for metric in chosen:
        if plan.pooling is Pooling.WITHIN_FOLDS:
            check_of_pairs(metric)
        if tight:
            _check_worst_value(metric.within(matrix.outcome))
    notes = [*on_single(matrix, made=maker is not None), *_on_leave_one_out(matrix, chosen)]
    notes += [*_on_reversed_risks(matrix, chosen[0])]
    notes += on_making(matrix, maker) if maker else _differing_winners(matrix, chosen[0], plan)
    trained = replace(plan, models=models_of(plan, matrix))
    guidance = [*on_guidance(matrix, chosen[0], plan)]
    if tight and any(note.code == guided_climb.code for note in guidance):
        raise UnsupportedError(
            f"{parameter('tight')} is not for searches that these samples guided: its figure is "
            "further off than that of bbc",
            hint=f"leave it out; {guidance[0].remedy}",
        )
    notes += guidance
    estimates = []
    for metric, method in product(chosen, methods):
        over_folds = method.pooling is Pooling.FOLD_MEAN and metric.kind is MetricKind.OTHER
        if over_folds and not by_name:
            continue  # its mean over folds is another quantity
        try:
            result = method.run(matrix, metric, trained, select_by=chosen[0], progress=progress)
        except (UndefinedError, UnsupportedError) as error:
            if by_name or method.name in needed:
                raise
            notes.append(method_left_out(method.name, *error.told()))
        else:
            result = _around_its_value(result, metric)
            doubts = [*_on_no_width(result, metric.within(matrix.outcome), plan, method)]
            doubts += _on_measure(result, metric, matrix, method.pooling or measuring(metric, plan))
            estimates.append(replace(result, notes=(*result.notes, *doubts)) if doubts else result)
    winners = matrix if maker is None else maker.shipped
    notes += _on_rare_positives(matrix, chosen, plan)
    notes += on_clipping(winners, chosen, estimates, plan)
    notes += _on_vault(matrix, chosen, estimates)
    notes += on_stopping(matrix, chosen[0], plan, estimates)
    return estimates, [*notes, *on_tails(winners, chosen, estimates)]


def _on_vault(
    matrix: PredictionMatrix, metrics: Sequence[Metric], estimates: Sequence[Estimate]
) -> Iterator[Note]:
    """Yield a note where no sealed row was opened, and where the search has fitted the others."""
    vault = matrix.vault
    if vault is not None and not vault.openings:
        yield vault_closed(vault.n_samples, vault.planned)
    for metric in metrics:
        measured = [estimate for estimate in estimates if estimate.metric == metric.name]
        opened = next((e for e in measured if e.opened and e.interval), None)
        bbc = next((e for e in measured if e.method in ("bbc", "bbc-632")), None)
        if opened is None or opened.interval is None or bbc is None or bbc.winner != opened.winner:
            continue
        low, high = opened.interval.lower, opened.interval.upper
        end = high if metric.direction.pessimistic() is Side.LOWER else low
        if metric.direction.gain(bbc.value, end) > 0:
            yield fitted_rows(bbc.method, figure(bbc.value), figure(end))


def _check_worst_value(metric: Metric) -> None:
    """Refuse tight intervals of a metric without a worst value."""
    worst = metric.bounds[metric.direction.sign < 0]
    if np.isinf(worst):
        instead = (
            "give --cap 0.95" if metric.name in POWERS else "use a bounded metric, such as brier"
        )
        raise UnsupportedError(
            f"{parameter('tight')} is for bounded metrics, and {metric.label} is unbounded: no "
            "interval of it is safe",
            hint=f"{instead}; or leave out --tight",
        )


def _around_its_value(estimate: Estimate, metric: Metric) -> Estimate:
    """Return an estimate whose interval holds its value, widened with a note where it did not."""
    interval, value = estimate.interval, estimate.value
    if interval is None or np.isnan([value, interval.lower, interval.upper]).any():
        return estimate
    ends = min(interval.lower, value), max(interval.upper, value)
    off = max(interval.lower - ends[0], ends[1] - interval.upper)
    if off == 0:
        return estimate
    widened = replace(estimate, interval=replace(interval, lower=ends[0], upper=ends[1]))
    if off <= TIE_TOLERANCE * max(map(abs, ends)):
        return widened
    of_bbc = estimate.method == "bbc" and estimate.plan.pooling is Pooling.POOLED
    note = outside_interval(metric.label, of_bbc=of_bbc)
    return replace(widened, notes=(*estimate.notes, note))


def _on_measure(
    estimate: Estimate, metric: Metric, matrix: PredictionMatrix, pooling: Pooling
) -> Iterator[Note]:
    """Yield notes where folds are averaged of a metric that is no mean, and where a correction
    raises the figure.
    """
    if pooling is Pooling.FOLD_MEAN and metric.kind is MetricKind.OTHER:
        yield mean_over_folds(metric.label, matrix.n_samples / (matrix.n_folds or 1))
    interval = estimate.interval
    if interval is None or estimate.ignores_selection or interval.side is not Side.TWO:
        return
    if estimate.opened is not None:  # on other rows, by chance better ones
        return
    raised = metric.direction.gain(estimate.value, estimate.naive)
    if matrix.n_configurations == 1 or not raised > 0:
        return
    from statistics import NormalDist

    error = (interval.upper - interval.lower) / (2 * NormalDist().inv_cdf((1 + interval.level) / 2))
    if raised > error > 0:
        yield better_than_naive(metric.label)


def _on_no_width(estimate: Estimate, metric: Metric, plan: Plan, method: Method) -> Iterator[Note]:
    """Yield a note where an interval has collapsed onto the best value, or has no width."""
    interval = estimate.interval
    if interval is None:
        return
    best = max(metric.bounds) if metric.direction.sign > 0 else min(metric.bounds)
    # an end that was not estimated is the worst value, not the best
    lower_is_worse = metric.direction.pessimistic() is Side.LOWER
    if (interval.lower if lower_is_worse else interval.upper) == best:
        yield collapsed_interval(method.name, f"{best:g}", _remedy(metric, plan, method))
    elif interval.lower == interval.upper and all(n.code != "no-variance" for n in estimate.notes):
        yield resamples_alike(estimate.method, interval.lower)


def _remedy(metric: Metric, plan: Plan, method: Method) -> str:
    """Return the remedy against a collapsed interval of this method."""
    if not np.isfinite(metric.bounds).all():
        return "collect more samples; the guard needs a bounded metric"
    if Gives.DISTRIBUTION in method.gives:
        return "leave out --no-guard" if not plan.guard else "more samples"
    return "use bbc, whose interval is guarded" + ("" if plan.guard else ", without --no-guard")


def _on_rare_positives(
    matrix: PredictionMatrix, metrics: Sequence[Metric], plan: Plan
) -> list[Note]:
    """Return a note where narrow intervals rest on few positives, which the metric is about."""
    narrow = plan.interval in (IntervalKind.SHARP, IntervalKind.MATCHED)
    if matrix.task is not Task.BINARY or not narrow:
        return []
    share = float(matrix.outcome.class_counts[1] / matrix.n_samples)
    rare = [metric.label for metric in metrics if metric.kind is MetricKind.OTHER and share < RARE]
    return [rare_positives(label, share, plan.interval) for label in rare]


def _on_reversed_risks(matrix: PredictionMatrix, metric: Metric) -> list[Note]:
    """Return a note where the risks of a survival task seem to be reversed."""
    if matrix.task is not Task.SURVIVAL:
        return []
    performances = candidates(matrix, metric, Pooling.POOLED).performances()
    if np.isnan(performances).all():
        return []  # the methods say that the metric is undefined
    median = float(np.nanmedian(performances))
    n_events = 0 if matrix.outcome.event is None else int(matrix.outcome.event.sum())
    limit = HALF - REVERSED * concordance_error_by_chance(n_events)
    return [risk_reversed(median)] if median < limit else []


def concordance_error_by_chance(n_events: int) -> float:
    """Standard error of the concordance by chance, if every sample has an event.

    Censored samples add pairs, so with them it is smaller.

    Source: Kendall 1938, the variance of tau, of which the concordance is (tau + 1) / 2.

    Examples
    --------
    >>> round(concordance_error_by_chance(100), 4)
    0.0339
    """
    if n_events < 2:
        return inf
    return sqrt((2 * n_events + 5) / (18 * n_events * (n_events - 1)))


def _on_leave_one_out(matrix: PredictionMatrix, metrics: Sequence[Metric]) -> list[Note]:
    """Return a note where pairs compare samples from folds of one sample each (Parker, Günter &
    Bedo 2007; Airola et al. 2011).
    """
    alone = matrix.folds is not None and matrix.n_folds == matrix.n_samples
    return [leave_one_out(metric.label) for metric in metrics if alone and metric.of_pairs]


def on_making(matrix: PredictionMatrix, maker: Maker) -> Iterator[Note]:
    """Yield notes on what takes part in what is made, and what it rests on."""
    n_members, members = maker.matrix.n_configurations, np.flatnonzero(maker.of_all.shares[0] > 0)
    if n_members < matrix.n_configurations:
        yield incomplete_members(n_members, matrix.n_configurations)
    if maker.of_several and len(members) == 1:
        yield one_member(maker.rule, maker.matrix.configurations[members[0]])
    rarer = int(min(matrix.outcome.class_counts)) if maker.find else FEW_FOR_A_CUT
    if rarer < FEW_FOR_A_CUT:
        yield few_for_a_cut(rarer)


def _differing_winners(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> list[Note]:
    """Return a note with both winners where pooled and fold-mean selection disagree."""
    if matrix.folds is None or metric.kind is MetricKind.OTHER:
        return []  # of a metric that is no mean, folds are not averaged
    try:
        rule = rule_of(matrix, metric, plan)
        by_both = (Pooling.POOLED, Pooling.FOLD_MEAN)
        winners = [winner_of(candidates(matrix, metric, by), rule) for by in by_both]
    except UndefinedError:
        return []
    if min(winners) < 0 or winners[0] == winners[1]:
        return []
    return [winners_differ(*(matrix.configurations[winner] for winner in winners))]
