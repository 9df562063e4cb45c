"""Selection on some samples, evaluation on the others: shared by the methods with a split.

1. Split the samples: a share of each class to evaluate on, the others to select on. Whole groups
   stay together.
2. Select the best configuration on the selection samples, by css. Or preselect the best tenth
   there, and select the best of those on the evaluation samples, over pooled rows.
3. Evaluate it on the evaluation samples. The best of m preselected was chosen on the same samples
   that evaluate it, so its interval is computed at Šidák's level, at which m independent intervals
   all hold with the required level. With positive dependence they do so more often.

With an evaluation share of 0 all samples do both, and the interval ignores the selection.

Source: Paraschakis et al. 2024 and the authors' code; Šidák 1967.
"""

from __future__ import annotations

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.domain.plan import Plan
from bbccli.errors import UndefinedError
from bbccli.metrics.base import Metric
from bbccli.notes import Note
from bbccli.notes.methods import selected_on_evaluation, tied_winners
from bbccli.platform.dataclass import dataclass
from bbccli.stats.case import Answer, Case
from bbccli.stats.resampling import PATIENCE, Unit, generator
from bbccli.stats.selection import Choice, rule_of
from bbccli.stats.selection.candidates import cached, candidates
from bbccli.types import BoolArray, FloatArray, IntArray, Interval, Pooling, Task


def hold_out(outcome: Outcome, groups: IntArray | None, share: float, seed: int) -> BoolArray:
    """Return (N,) True for the samples to hold out.

    The share is held out from each class, rounded to whole samples, at least one and never all: the
    only sample of a class stays, and a class in a single group may be on either side. Survival is
    stratified by event, values not at all. Groups (N,) are taken in random order if they bring a
    missing class, or bring the class counts nearer to the share.

    Raises UndefinedError: a single sample, or groups that can't be split with every class on both
        sides.
    """
    rng = generator(seed, (Unit.SPLIT,))
    strata = _strata(outcome)
    if groups is None:
        return _hold_out(strata, share, rng, outcome)
    return _hold_out_groups(strata, groups, share, rng)


def _strata(outcome: Outcome) -> IntArray:
    """Strata (N,) for the hold-out: the classes, or the events."""
    if outcome.task.is_classification:
        return outcome.values.astype(np.int64)
    if outcome.task is Task.SURVIVAL and outcome.event is not None:
        return outcome.event.astype(np.int64)
    return np.zeros(len(outcome), np.int64)


def _n_held_out(counts: IntArray, share: float) -> IntArray:
    """Samples (K,) to hold out of those in each stratum: at least one, and not the last one."""
    rounded = np.floor(share * counts + 0.5).astype(np.int64)
    return np.where(counts > 1, np.clip(rounded, 1, np.maximum(counts - 1, 1)), 0)


def _hold_out(
    strata: IntArray, share: float, rng: np.random.Generator, outcome: Outcome
) -> BoolArray:
    """Choose the evaluation samples (N,): the first of each stratum in random order."""
    counts = np.bincount(strata)
    if counts.max() < 2:
        of = "each class" if outcome.task.is_classification else "the outcome"
        raise _no_split(f"{of} has a single sample")
    order = np.lexsort((rng.random(len(strata)), strata))
    place = np.empty(len(strata), np.int64)
    place[order] = np.arange(len(strata)) - (np.cumsum(counts) - counts)[strata[order]]
    return np.asarray(place < _n_held_out(counts, share)[strata])


def _hold_out_groups(
    strata: IntArray, groups: IntArray, share: float, rng: np.random.Generator
) -> BoolArray:
    """Choose the evaluation samples (N,), in whole groups."""
    codes, members = np.unique(groups, return_inverse=True)
    counts = np.zeros((len(codes), int(strata.max()) + 1), np.int64)
    np.add.at(counts, (members, strata), 1)
    total = counts.sum(axis=0)
    alone = (counts > 0).sum(axis=0) == 1
    goal = np.where(alone, 0, _n_held_out(total, share))
    for _ in range(PATIENCE):
        taken = _take(counts, goal, rng.permutation(len(codes)))
        taken_counts = counts[taken].sum(axis=0)
        both = (taken_counts > 0) & (taken_counts < total)
        if taken.any() and (both | alone | (total == 0)).all():
            return np.asarray(taken[members])
    raise _no_split("no split of the groups has every class on both sides")


def _take(counts: IntArray, goals: IntArray, order: IntArray) -> BoolArray:
    """Choose groups (G,) whose counts (G, K) together come near to the goals (K,)."""
    taken = np.zeros(len(counts), bool)
    # plain numbers: arrays of K are slower
    by_group, goal = counts.tolist(), goals.tolist()
    missing = goal
    for group in order.tolist():
        holds = by_group[group]
        after = [m - n for m, n in zip(missing, holds, strict=True)]
        lacking = any(n and w and m == w for n, m, w in zip(holds, missing, goal, strict=True))
        if lacking or sum(map(abs, after)) <= sum(map(abs, missing)):
            taken[group], missing = True, after
    return taken


def _no_split(problem: str) -> UndefinedError:
    return UndefinedError(
        f"the samples can't be split into selection and evaluation: {problem}",
        hint="--evaluation-share 0 selects and evaluates on all samples, and ignores the selection",
    )


ONE_IN = 10
"""One configuration in ten is preselected, rounded up."""


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Selection and evaluation samples: the same (all of them), or disjoint.

    selection, evaluation (N,) bool
    """

    selection: BoolArray
    evaluation: BoolArray

    @property
    def held_out(self) -> bool:
        """True if the evaluation samples took no part in the selection."""
        return not bool((self.selection & self.evaluation).any())


@dataclass(frozen=True, slots=True, eq=False)
class Finalist:
    """The configuration to evaluate.

    winner: column of the selected configuration.
    split: the samples to select on, and those to evaluate on.
    level: level of its interval: the plan's, or Šidák's.
    preselected (m,) int, optional: columns among which the evaluation samples chose, best of the
        selection samples first; None if the selection samples chose.
    notes: notes on the choice.
    """

    winner: int
    split: Split
    level: float
    preselected: IntArray | None = None
    notes: tuple[Note, ...] = ()


def split_samples(matrix: PredictionMatrix, plan: Plan) -> Split:
    """Split the samples by the plan's `evaluation_share` and `seed`.

    Nothing depends on the predictions.

    Raises UndefinedError: a single sample, or groups that can't be split with every class on both
        sides.
    """
    key = ("split", plan.evaluation_share, plan.seed)
    return cached(matrix, key, lambda: _split(matrix, plan.evaluation_share, plan.seed))


def choose_evaluated(
    matrix: PredictionMatrix, selector: Metric, plan: Plan, *, preselect: bool = False
) -> Finalist:
    """Select the configuration to evaluate, by the metric that selects.

    Raises UndefinedError: the samples can't be split, or no configuration has a performance on
        them.
    """
    split = split_samples(matrix, plan)
    values = performances_on(matrix, selector, plan.pooling, split.selection)
    if not preselect:
        winner = _selected(matrix, selector, plan, values, split)
        n_tied = int(selector.direction.ties(values).sum())
        name = matrix.configurations[winner]
        notes = (tied_winners(name, n_tied, plan.pooling),) if n_tied > 1 else ()
        return Finalist(winner, split, plan.level, notes=notes)
    best = best_tenth(values, selector)
    final = np.full_like(values, np.nan)
    final[best] = performances_on(matrix, selector, Pooling.POOLED, split.evaluation)[best]
    winner = int(selector.direction.best(final))
    if winner < 0:
        raise undefined_on(selector, "evaluate", "every preselected configuration")
    notes = (selected_on_evaluation(len(best)),) if len(best) > 1 and split.held_out else ()
    return Finalist(winner, split, sidak(plan.level, len(best)), best, notes)


def _selected(
    matrix: PredictionMatrix, selector: Metric, plan: Plan, values: FloatArray, split: Split
) -> int:
    """Column selected by the rule from performances (C,) on the selection samples."""
    errors = candidates(matrix, selector, plan.pooling).errors
    weights = split.selection[None].astype(np.uint8)
    winner = int(rule_of(matrix, selector, plan).select(values[None], weights, errors).item())
    if winner < 0:
        raise undefined_on(selector, "select", "every configuration")
    return winner


def performances_on(
    matrix: PredictionMatrix, metric: Metric, pooling: Pooling, rows: BoolArray
) -> FloatArray:
    """Return the performances (C,) on the samples in `rows` (N,)."""
    return np.asarray(candidates(matrix, metric, pooling).score(rows[None].view(np.uint8)).ravel())


def performance(
    matrix: PredictionMatrix, metric: Metric, pooling: Pooling, configuration: int, rows: BoolArray
) -> float:
    """Return the performance of one configuration on the samples in `rows` (N,)."""
    scorer = candidates(matrix, metric, pooling).bind(np.array([configuration]))
    return float(scorer.paired(rows[None].astype(np.uint8), np.zeros(1, int)).item())


def best_tenth(values: FloatArray, metric: Metric) -> IntArray:
    """Return the columns (m,) of the best tenth of C performances, rounded up, the best first.

    Ties go to the first column; undefined ones are never included.
    """
    left, columns = np.array(values, float), []
    for _ in range(-(-len(values) // ONE_IN)):
        best = int(metric.direction.best(left))
        if best < 0:
            break
        columns.append(best)
        left[best] = np.nan
    return np.array(columns, int)


def sidak(level: float, n_intervals: int) -> float:
    """Return the level of each of m independent intervals that hold jointly with `level`.

    Each errs with probability 1 - (1 - a)^(1/m), where a = 1 - level.

    Source: Šidák 1967.

    >>> round(sidak(0.95, 10), 4)
    0.9949
    """
    return float(level ** (1 / max(n_intervals, 1)))


def from_split(
    case: Case, finalist: Finalist, interval: Interval | None, notes: tuple[Note, ...] = ()
) -> Answer:
    """Return the performance of a finalist on the evaluation samples as an answer.

    The naive figure is the performance on the samples that chose it: the selection samples, or all
    if the evaluation samples chose among the preselected.

    Raises UndefinedError: the metric is undefined on either side of the split.
    """
    split, winner, chosen_of = finalist.split, finalist.winner, finalist.preselected
    chosen_on = split.selection if chosen_of is None else split.selection | split.evaluation
    naive = performance(case.matrix, case.metric, case.measuring, winner, chosen_on)
    value = performance(case.matrix, case.metric, Pooling.POOLED, winner, split.evaluation)
    if np.isnan(naive) or np.isnan(value):
        raise undefined_on(case.metric, "select" if np.isnan(naive) else "evaluate")
    return Answer(
        value,
        interval,
        notes=notes,
        choice=Choice(winner, naive, finalist.notes),
        n_evaluation=int(split.evaluation.sum()) if split.held_out else None,
        n_preselected=None if chosen_of is None else len(chosen_of),
    )


def undefined_on(metric: Metric, what: str, whose: str = "the winner") -> UndefinedError:
    """Return the error for a winner that can't be scored on one side of the split."""
    return UndefinedError(
        f"{metric.label} of {whose} is undefined on the samples that {what}",
        hint="use bbc, which needs no split: --method bbc",
    )


def _split(matrix: PredictionMatrix, share: float, seed: int) -> Split:
    if share == 0:
        everything = np.ones(matrix.n_samples, bool)
        return Split(everything, everything)
    evaluation = hold_out(matrix.outcome, matrix.groups, share, seed)
    return Split(~evaluation, evaluation)
