"""A finished cross-validation walked fold by fold, losers leaving on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from bbccli.domain.estimate import DropStep, DropTrace
from bbccli.domain.matrix import PredictionMatrix, Unfinished
from bbccli.dropping.base import MIN_SAMPLES, Interim, too_early, walked_folds
from bbccli.errors import OptionError, UnsupportedError, parameter
from bbccli.platform.dataclass import dataclass
from bbccli.stats.case import Case
from bbccli.stats.resampling import BLOCK
from bbccli.types import BoolArray, IntArray, distinct

MANY_FOLDS = 1000
"""Folds that are walked whatever it takes."""

MOST_DRAWN = 5 * 10**9
"""Samples drawn on a walk of more folds than that, at most: a minute or two."""


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """The end of a walk: columns (C',) of the survivors, and how it came to that."""

    survivors: IntArray
    trace: DropTrace


def walk(
    case: Case,
    judge: Callable[[Interim], BoolArray],
    *,
    rule: str,
    threshold: float,
    min_samples: int = MIN_SAMPLES,
    order: Sequence[int] | None = None,
) -> Walk:
    """Walk the folds of a finished matrix and drop configurations after each.

    The rule is asked after every fold, including the last, as in the code of the BBCD paper. With
    repeats, the first is walked fold by fold; each later one counts when it is complete.

    case: predictions with folds; its selecting metric decides who is worse.
    judge: marks the configurations (C,) that leave.
    rule, threshold, min_samples: the rule's name and terms; nothing is dropped before `min_samples`
        samples are predicted.
    order: codes of the folds of the first repeat, in the order to walk; as coded when None.
    Raises UndefinedError: folds are unknown, or the rule can't be computed on them.
    Raises UnsupportedError: too many folds to walk in reasonable time.

    All predictions so far are judged again after each fold, until one configuration is left: time
    O(F) times that of one judgement, which grows with N.
    """
    matrix = case.matrix
    n_steps = len(distinct(walked_folds(matrix)[0])) + matrix.n_repeats - 1
    check_walk(rule, n_steps, matrix.n_samples, case.plan.n_resamples)
    active = np.arange(matrix.n_configurations)
    taken, n_models = [], 0
    case.enter("dropping for")
    for position, part in enumerate(_steps(matrix, order)):
        gone = np.zeros(len(active), bool)
        if len(active) > 1 and not too_early(matrix.outcome.take(part.rows), min_samples):
            seen = _matrix_so_far(matrix, part, active)
            gone = judge(Interim.of(seen, case.selector, case.plan, matrix.n_configurations))
        names = tuple(matrix.configurations[c] for c in active[gone])
        trained = len(active) * part.n_folds
        n_seen = int(np.count_nonzero(part.rows))
        taken.append(DropStep(part.name, n_seen, len(active), trained, names))
        n_models += matrix.n_configurations * part.n_folds
        active = active[~gone]
        case.progress(position + 1, n_steps)
    return Walk(active, DropTrace(rule, threshold, min_samples, tuple(taken), n_models))


def check_walk(rule: str, n_steps: int, n_samples: int, n_resamples: int) -> None:
    """Refuse to walk so many folds that it would take many minutes.

    Raises UnsupportedError: more than `MANY_FOLDS`, with more than `MOST_DRAWN` samples drawn in
    all.
    """
    n_drawn = -(-n_resamples // BLOCK) * BLOCK * n_steps * n_samples // 2
    if n_steps <= MANY_FOLDS or n_drawn <= MOST_DRAWN:
        return
    raise UnsupportedError(
        f"{rule} compares all samples seen so far again after each of {n_steps} folds, which "
        f"takes too long with {n_samples} samples and {n_resamples} resamples",
        hint=f"give at most {MANY_FOLDS} folds, or use bbc, which needs none",
    )


def fold_order(matrix: PredictionMatrix, names: Sequence[str]) -> list[int]:
    """Return the codes of folds named in the order to walk.

    Raises OptionError: an unknown, repeated or missing fold.
    """
    fold_names = [matrix.fold_names[code] for code in distinct(walked_folds(matrix)[0])]
    if sorted(names) != sorted(fold_names):
        raise OptionError(
            f"{parameter('order')} {','.join(names)} is not an order of the folds",
            hint=f"each of these once: {','.join(fold_names)}",
        )
    return [matrix.fold_names.index(name) for name in names]


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """A name; the samples (N,) and repeats counted after it; models per configuration in it."""

    name: str
    rows: BoolArray
    n_repeats: int
    n_folds: int
    order: IntArray


def _steps(matrix: PredictionMatrix, order: Sequence[int] | None) -> Iterator[_Step]:
    folds = walked_folds(matrix)
    codes = distinct(folds[0]) if order is None else np.asarray(order)
    rows = np.zeros(matrix.n_samples, bool)
    for code in codes:
        rows = rows | (folds[0] == code)
        yield _Step(matrix.fold_names[code], rows, 1, 1, codes)
    for repeat in range(1, matrix.n_repeats):
        n_folds = len(distinct(folds[repeat]))
        yield _Step(f"repeat {repeat + 1}", rows, repeat + 1, n_folds, codes)


def _matrix_so_far(matrix: PredictionMatrix, part: _Step, active: IntArray) -> PredictionMatrix:
    folds = walked_folds(matrix)[: part.n_repeats, part.rows]
    place = np.arange(max(len(matrix.fold_names), int(folds.max()) + 1))
    place[part.order] = np.arange(len(part.order))
    names = np.array(matrix.fold_names, dtype=object)
    names[: len(part.order)] = names[part.order]
    seen = matrix.of_configurations(active).of_samples(part.rows)
    available = seen.available
    return replace(
        seen,
        predictions=seen.predictions[: part.n_repeats],
        available=None if available is None else available[: part.n_repeats],
        folds=np.concatenate([place[folds[:1]], folds[1:]]),
        fold_names=tuple(names),
        notes=(),
        unfinished=Unfinished(),
    )
