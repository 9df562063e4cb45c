"""Elimination: a finished cross-validation walked fold by fold, losers leaving on the way.

A rule sees what a training loop would see at that point: the predictions so far of the
configurations that are still in. So walking a finished matrix and calling the rule between the
folds of a running cross-validation give the same decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bbccli.errors import OptionError, UndefinedError
from bbccli.matrix import PredictionMatrix, Unfinished
from bbccli.metrics.base import Metric
from bbccli.outcome import Outcome
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import DropStep, DropTrace
from bbccli.selection.candidates import candidates, fold_performances
from bbccli.types import BoolArray, FloatArray, IntArray, distinct

MIN_SAMPLES = 50
"""Samples predicted before the first drop: the advice of the BBCD paper."""


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """What is known, after some folds, of the configurations that are still in.

    Attributes
    ----------
    matrix
        Their predictions on the samples seen; folds coded in the order in which they were seen.
    metric, plan
        What is compared; `pooling`, `seed` and `n_resamples` count.
    performances : (C,)
        So far, NaN where undefined.
    best : int
        The best so far, the first on ties; -1 where all are undefined.
    """

    matrix: PredictionMatrix
    metric: Metric
    plan: Plan
    performances: FloatArray
    best: int

    @classmethod
    def of(cls, matrix: PredictionMatrix, metric: Metric, plan: Plan) -> Standing:
        """Score the configurations of a matrix of the samples seen."""
        values = candidates(matrix, metric, plan.pooling).performances()
        return cls(matrix, metric, plan, values, int(metric.direction.best(values)))

    @property
    def folds(self) -> IntArray:
        """(R, N) folds, coded in the order in which they were seen."""
        return _folds(self.matrix)

    def by_fold(self) -> FloatArray:
        """Return the performances (S, C) in each fold seen, of all repeats, in their order.

        Raises
        ------
        UndefinedError
            Folds are unknown, or the metric is undefined in one of them.
        """
        return np.concatenate(fold_performances(self.matrix, self.metric))


Judge = Callable[[Standing], BoolArray]
"""Which configurations (C,) leave."""


def too_early(outcome: Outcome, min_samples: int) -> str:
    """Say why nothing can be dropped on these samples yet; an empty text where it can."""
    if len(outcome) < min_samples:
        return f"{len(outcome)} samples are predicted so far, fewer than {min_samples}"
    if outcome.task.is_classification and np.count_nonzero(outcome.class_counts) < 2:
        return f"the {len(outcome)} samples predicted so far are of one class"
    return ""


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """The end of a walk: columns (C',) of the survivors, and how it came to that."""

    survivors: IntArray
    trace: DropTrace


def walk(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    judge: Judge,
    *,
    rule: str,
    threshold: float,
    min_samples: int = MIN_SAMPLES,
    order: Sequence[int] | None = None,
    progress: Progress = silent,
) -> Walk:
    """Walk the folds of a finished matrix and drop configurations after each.

    The rule is asked after every fold, the last one too, as in the code of the BBCD paper. With
    repeats, the first is walked fold by fold; each later one counts when it is complete.

    Parameters
    ----------
    matrix
        Predictions with folds.
    metric, plan
        See `Standing`.
    judge
        The rule.
    rule, threshold, min_samples
        Its name and terms; nothing is dropped before `min_samples` samples are predicted.
    order
        Codes of the folds of the first repeat, in the order to walk; as coded when None.

    Raises
    ------
    UndefinedError
        Folds are unknown, or the rule can't be computed on them.
    """
    active = np.arange(matrix.n_configurations)
    taken, n_models = [], 0
    parts = list(_steps(matrix, order))
    for position, part in enumerate(parts):
        seen = _seen(matrix, part, active)
        gone = np.zeros(len(active), bool)
        if len(active) > 1 and not too_early(seen.outcome, min_samples):
            gone = judge(Standing.of(seen, metric, plan))
        names = tuple(seen.configurations[c] for c in np.flatnonzero(gone))
        trained = len(active) * part.n_folds
        taken.append(DropStep(part.name, seen.n_samples, len(active), trained, names))
        n_models += matrix.n_configurations * part.n_folds
        active = active[~gone]
        progress(position + 1, len(parts))
    return Walk(active, DropTrace(rule, threshold, min_samples, tuple(taken), n_models))


def fold_order(matrix: PredictionMatrix, names: Sequence[str]) -> list[int]:
    """Return the codes of folds named in the order to walk.

    Raises
    ------
    OptionError
        A fold that is not there, is there twice, or is left out.
    """
    known = [matrix.fold_names[code] for code in distinct(_folds(matrix)[0])]
    if sorted(names) != sorted(known):
        raise OptionError(
            f"--fold-order {','.join(names)} is no order of the folds",
            hint=f"each of these once: {','.join(known)}",
        )
    return [matrix.fold_names.index(name) for name in names]


def take_configurations(matrix: PredictionMatrix, columns: IntArray) -> PredictionMatrix:
    """Return the matrix of some configurations."""
    names = tuple(matrix.configurations[c] for c in columns)
    available = matrix.available
    return replace(
        matrix,
        predictions=matrix.predictions[:, :, columns],
        configurations=names,
        available=None if available is None else available[:, :, columns],
        nested=None,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """A name; the samples (N,) and repeats counted after it; models per configuration in it."""

    name: str
    rows: BoolArray
    n_repeats: int
    n_folds: int
    order: IntArray


def _steps(matrix: PredictionMatrix, order: Sequence[int] | None) -> Iterator[_Step]:
    """The folds of the first repeat, then every other repeat as a whole."""
    folds = _folds(matrix)
    codes = distinct(folds[0]) if order is None else np.asarray(order)
    rows = np.zeros(matrix.n_samples, bool)
    for code in codes:
        rows = rows | (folds[0] == code)
        yield _Step(matrix.fold_names[code], rows, 1, 1, codes)
    for repeat in range(1, matrix.n_repeats):
        n_folds = len(distinct(folds[repeat]))
        yield _Step(f"repeat {repeat + 1}", rows, repeat + 1, n_folds, codes)


def _seen(matrix: PredictionMatrix, part: _Step, active: IntArray) -> PredictionMatrix:
    """What is known after a step, of the configurations that are still in."""
    folds = _folds(matrix)[: part.n_repeats, part.rows]
    place = np.arange(max(len(matrix.fold_names), int(folds.max()) + 1))
    place[part.order] = np.arange(len(part.order))
    names = np.array(matrix.fold_names, dtype=object)
    names[: len(part.order)] = names[part.order]
    left = take_configurations(matrix, active)
    available = left.available
    return replace(
        left,
        outcome=matrix.outcome.take(part.rows),
        predictions=left.predictions[: part.n_repeats][:, part.rows],
        available=None if available is None else available[: part.n_repeats][:, part.rows],
        folds=np.concatenate([place[folds[:1]], folds[1:]]),
        fold_names=tuple(names),
        groups=None if matrix.groups is None else matrix.groups[part.rows],
        sample_keys=matrix.sample_keys and matrix.sample_keys.take(part.rows),
        notes=(),
        unfinished=Unfinished(),
    )


def _folds(matrix: PredictionMatrix) -> IntArray:
    if matrix.folds is None:
        raise UndefinedError(
            "the folds of the samples are unknown, so they can't be walked",
            hint="add a fold column (--fold NAME) or a folds file (--folds FILE)",
        )
    return matrix.folds
