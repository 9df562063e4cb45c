"""Replay: what dropping would have saved in a cross-validation that was run to its end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.dropping.base import MIN_SAMPLES, Rule, on_unshuffled
from bbccli.dropping.online import check_terms
from bbccli.dropping.results import Replay, ReplayRun
from bbccli.dropping.rules import EVERY, choose_rules
from bbccli.dropping.walk import fold_order, walk
from bbccli.errors import OptionError, UndefinedError, UnsupportedError, parameter
from bbccli.metrics import Metric, choose_metric
from bbccli.metrics.capped import with_clip
from bbccli.notes import Note
from bbccli.notes.methods import nothing_dropped, rule_left_out
from bbccli.platform.arguments import as_list, whole
from bbccli.platform.resources import Progress, enter, silent
from bbccli.stats.bootstrap.bbc_samples import corrected
from bbccli.stats.case import Answer, Case
from bbccli.types import distinct

ORDERS_KEY = 0x0DE5
"""Sets the stream of random orders apart from those of resamples."""

MOST_ORDERS = 10_000
"""Each walks all folds; so many tell any quantile that anybody reports."""


def replay(
    matrix: PredictionMatrix,
    metric: Metric | str,
    plan: Plan = Plan(),
    *,
    rules: str | Rule | Sequence[str | Rule] = ("bbcd",),
    threshold: float | None = None,
    min_samples: int = MIN_SAMPLES,
    order: Sequence[str] | None = None,
    n_orders: int | None = None,
    progress: Progress = silent,
) -> tuple[list[Replay], list[Note]]:
    """Walk the folds of a finished matrix and drop by each rule.

    Parameters
    ----------
    matrix
        Predictions with folds, complete.
    metric
        Decides who is worse, and measures.
    plan
        As of `drop`, and for the BBC estimates.
    rules
        Names of `RULES`, or `all`: those that can't be computed are then left out with a note.
    threshold, min_samples
        As of `drop`, for all rules.
    order
        Names of the folds in the order to walk; the order of their names when None.
    n_orders
        So many random orders instead, drawn from the seed.

    Returns
    -------
    replays, notes
        One per rule, each with a run per order.

    Raises
    ------
    OptionError
        An unknown rule, terms out of range, or an order that is none.
    UndefinedError, UnsupportedError
        Folds are unknown, or a rule asked for by name can't be computed.
    """
    metric, chosen = with_clip(choose_metric(metric, matrix), plan.clip), choose_rules(rules)
    terms = [check_terms(rule, threshold, min_samples) for rule in chosen]
    orders = _orders(matrix, plan, order, n_orders)
    case = Case(matrix, metric, metric, plan)
    full = corrected(case)
    enter(progress, "replaying rules")
    replays, notes = [], []
    for position, (rule, term) in enumerate(zip(chosen, terms, strict=True)):
        try:
            runs = tuple(_run(case, full, rule, term, min_samples, o) for o in orders)
        except (UndefinedError, UnsupportedError) as error:
            if EVERY not in as_list(rules):
                raise
            notes.append(rule_left_out(rule.name, error.told()[0]))
        else:
            replays.append(
                Replay(
                    rule=rule.name,
                    threshold=term,
                    min_samples=min_samples,
                    metric=metric.name,
                    direction=metric.direction,
                    winner=matrix.configurations[case.choice.winner],
                    naive=case.choice.naive,
                    value=full.value,
                    runs=runs,
                )
            )
        progress(position + 1, len(chosen))
    if matrix.n_samples < min_samples:
        notes.append(nothing_dropped(f"there are {matrix.n_samples} samples, {min_samples} needed"))
    return replays, [*notes, *on_unshuffled(matrix)]


def _run(
    case: Case, full: Answer, rule: Rule, threshold: float, min_samples: int, order: list[int]
) -> ReplayRun:
    walked = walk(
        case,
        lambda interim: rule.judge(interim, threshold).worse,
        rule=rule.name,
        threshold=threshold,
        min_samples=min_samples,
        order=order,
    )
    left = case.on(case.matrix.of_configurations(walked.survivors))
    answer = corrected(left)
    return ReplayRun(
        order=tuple(case.matrix.fold_names[code] for code in order),
        trace=walked.trace,
        winner=left.matrix.configurations[left.choice.winner],
        kept_winner=case.choice.winner in walked.survivors,
        loss=float(case.metric.direction.gain(case.choice.naive, left.choice.naive)),
        value=answer.value,
        shift=answer.value - full.value,
    )


def _orders(
    matrix: PredictionMatrix, plan: Plan, order: Sequence[str] | None, n_orders: int | None
) -> list[list[int]]:
    """Codes of the folds of the first repeat, in each order to walk."""
    if matrix.folds is None:
        raise UndefinedError(
            "a replay walks the folds, and they are unknown",
            hint="add a fold column (--fold NAME) or a folds file (--folds FILE)",
        )
    if order is not None and n_orders is not None:
        raise OptionError(
            f"{parameter('order')} gives one order, {parameter('n_orders')} draws some",
            hint="leave one of them out",
        )
    if order is not None:
        return [fold_order(matrix, order)]
    codes = distinct(matrix.folds[0])
    if n_orders is None:
        return [codes.tolist()]
    n_orders = whole(n_orders, "n_orders")
    if not 1 <= n_orders <= MOST_ORDERS:
        few = n_orders < 1
        number = str(n_orders) if few else f"over {MOST_ORDERS}"
        hint = (
            "at least 1; 20 show the spread"
            if few
            else "20 show the spread; 1000 its quartiles too"
        )
        raise OptionError(f"{parameter('n_orders')} is {number}", hint=hint)
    rng = np.random.default_rng(np.random.SeedSequence(plan.seed, spawn_key=(ORDERS_KEY,)))
    return [rng.permutation(codes).tolist() for _ in range(n_orders)]
