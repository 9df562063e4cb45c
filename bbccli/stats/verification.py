"""Recompute the scores that a run, or a search, reports of itself.

Rows in another order, classes that are swapped and labels of another table all make predictions
that look fine. The leaderboard of the run finds them: each of its scores is computed again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import CLIP
from bbccli.domain.source import ReportedScore, ToolRun, TwoFigures, Verification, agrees
from bbccli.errors import InputError
from bbccli.metrics import METRICS, canonical, fitting
from bbccli.metrics.capped import with_clip
from bbccli.notes.methods import undefined_as_zero
from bbccli.platform.dataclass import dataclass
from bbccli.platform.text import count
from bbccli.stats.selection.candidates import Candidates
from bbccli.types import FloatArray, Pooling, PredictionKind, Task


def verify(matrix: PredictionMatrix) -> Verification | None:
    """Recompute the scores on the leaderboard of a run.

    matrix: predictions whose metadata hold a `run`.
    Returns Verification or None: None where the predictions do not come from a run.
    Raises InputError: a score differs by more than its tolerance; names the configuration, both
        scores and the likely cause.
    """
    run = matrix.source.run
    if run is None:
        return None
    columns = _as_scored(matrix, run)
    scores = [row for row in run.leaderboard if row.id in columns]
    reason = run.unchecked or _hindrance(matrix, run)
    if reason or not scores:
        return Verification(len(scores), 0, None, None, reason or "the run reports no scores")
    comparisons = list(compared(matrix, scores, columns))
    if not comparisons:
        reason = "its metric can't be computed from these predictions"
        return Verification(len(scores), 0, None, None, reason)
    for ours in comparisons:
        if not ours.confirmed:
            raise _refuted(
                matrix, run, ours.score, ours.value, _cause(matrix, run, ours.score, columns)
            )
    _check_folds(matrix, run, columns)
    tolerance = max(float(comparison.score.tolerance) for comparison in comparisons)
    others = [
        TwoFigures(
            comparison.score.id,
            _metric(comparison.score),
            comparison.score.value,
            comparison.clip,
            comparison.here,
            CLIP,
        )
        for comparison in comparisons
        if comparison.otherwise
    ]
    return Verification(
        n_scores=len(scores),
        n_checked=len(comparisons),
        largest_difference=max(comparison.difference for comparison in comparisons),
        tolerance=tolerance,
        reason=None,
        otherwise=tuple(sorted(others, key=lambda other: -abs(other.tool - other.here))),
    )


def verified(matrix: PredictionMatrix) -> PredictionMatrix:
    """Return the matrix with the result of `verify`.

    If the scores agree only if what is undefined counts as 0, it does so from here on, with a note.

    Raises InputError: as `verify`.
    """
    try:
        verification = verify(matrix)
    except InputError:
        zero, run = _counting_zero(matrix), matrix.source.run
        try:
            verification = verify(zero)
        except InputError:
            zero = matrix
        if zero is matrix or run is None:
            raise
        label = next(METRICS[_metric(row)].label for row in run.leaderboard)
        matrix = replace(zero, notes=(*zero.notes, undefined_as_zero(label, run.tool)))
    if verification is None:
        return matrix
    return replace(matrix, source=replace(matrix.source, verification=verification))


def scores_hold(matrix: PredictionMatrix) -> bool | None:
    """True if the predictions reproduce the scores of their run; None if none can be compared."""
    try:
        verification = verified(matrix).source.verification
    except InputError:
        return False
    return True if verification and verification.n_checked else None


def mismatch(matrix: PredictionMatrix) -> str:
    """Return why the scores of single models are not those of the run; empty if they are, or if
    none can be compared.
    """
    run = matrix.source.run
    if run is None or scores_hold(matrix):
        return ""
    if run.leaderboard and not run.unchecked and scores_hold(matrix) is False:
        return "rows, classes, labels or weights are not those of the run: single models differ too"
    return _hindrance(matrix, run) or ""


def _counting_zero(matrix: PredictionMatrix) -> PredictionMatrix:
    about = {**matrix.source.metadata, "undefined": 0}
    return replace(matrix, source=replace(matrix.source, metadata=about))


def _metric(score: ReportedScore) -> str:
    return canonical(score.metric, METRICS)


def _hindrance(matrix: PredictionMatrix, run: ToolRun) -> str | None:
    """Return why scores on all samples can't be recomputed from this matrix."""
    if run.n_samples not in (None, matrix.n_samples):
        return f"the run scored {count(run.n_samples, 'sample')}, and {matrix.n_samples} take part"
    if run.weighted and matrix.outcome.weights is None:
        return "the run scored with weights, which are not used here"
    return None


Columns = Mapping[str, tuple[PredictionMatrix, int]]
"""By name of a configuration where it is: in the matrix, or in one with a truth of its own."""


def _columns(matrix: PredictionMatrix) -> dict[str, tuple[PredictionMatrix, int]]:
    return {name: (matrix, column) for column, name in enumerate(matrix.configurations)}


def _as_scored(matrix: PredictionMatrix, run: ToolRun) -> Columns:
    """Return the configurations, each with the targets and weights that the tool scored it on."""
    columns = _columns(matrix)
    for name in columns.keys() & set(run.scored_alike):
        columns[name] = _with(matrix, columns[name][1], weights=None)
    for clipped in run.targets.clipped if run.targets else ():
        if clipped.id in columns:
            targets = dict(zip(clipped.samples, clipped.values, strict=False))
            rows = np.flatnonzero(np.isin(matrix.keys, list(targets)))
            values = matrix.outcome.values.astype(np.float64)
            values[rows] = [targets[key] for key in matrix.keys[rows].tolist()]
            columns[clipped.id] = _with(matrix, columns[clipped.id][1], values=values)
    return columns


def _with(matrix: PredictionMatrix, column: int, **changes: Any) -> tuple[PredictionMatrix, int]:
    alone = matrix.of_configurations(np.array([column]))
    return replace(alone, outcome=replace(matrix.outcome, **changes)), 0


@dataclass(frozen=True, slots=True)
class Compared:
    """A reported score, recomputed.

    score: as reported.
    value, clip: as the tool computes it, and where it clips probabilities: the clip of a known tool
        that comes nearest to the report.
    here: as bbc computes it.
    """

    score: ReportedScore
    value: float
    clip: float
    here: float

    @property
    def difference(self) -> float:
        """Of the value from the report."""
        return abs(self.value - self.score.value)

    @property
    def confirmed(self) -> bool:
        """True if the report agrees with the predictions."""
        return agrees(self.value, self.score.value, self.score.tolerance)

    @property
    def otherwise(self) -> bool:
        """True if bbc has another figure than the report."""
        return not agrees(self.here, self.score.value, self.score.tolerance)


def compared(
    matrix: PredictionMatrix, scores: Iterable[ReportedScore], columns: Columns | None = None
) -> Iterator[Compared]:
    """Recompute each score on all samples whose metric the predictions allow.

    matrix: the predictions.
    scores: scores of its configurations.
    columns: column of each scored configuration; by default as in the matrix.
    """
    metrics = {metric.name: metric for metric in fitting(matrix)}
    columns = _columns(matrix) if columns is None else columns
    for score in scores:
        metric, pooling = metrics.get(_metric(score)), score.selection
        if metric is None or (pooling is not Pooling.POOLED and matrix.folds is None):
            continue
        source, column = columns[score.id]
        clipped = {with_clip(metric, clip): clip for clip in reversed(_CLIPS)}
        values = {
            clip: float(Candidates(source, variant, pooling).performances()[column])
            for variant, clip in clipped.items()
        }
        clip = min(values, key=lambda value: (abs(values[value] - score.value), value != CLIP))
        yield Compared(score, values[clip], clip, values[CLIP])


_CLIPS = (CLIP, 1e-15, 2.0**-52)
"""Least probability of tools: the rounding error of 32-bit or of 64-bit numbers, and H2O's."""


def _check_folds(matrix: PredictionMatrix, run: ToolRun, columns: Columns) -> None:
    """Refuse folds that contradict the single-fold scores of the run.

    A configuration of which no fold agrees may have been scored otherwise: it says nothing, unless
    all of them do.
    """
    by_model: dict[str, list[tuple[ReportedScore, float]]] = {}
    for score, value in _in_folds(matrix, run, columns):
        by_model.setdefault(score.id, []).append((score, value))
    wrong = {
        name: [(s, value) for s, value in pairs if not agrees(value, s.value, s.tolerance)]
        for name, pairs in by_model.items()
    }
    some = {name: keys for name, keys in wrong.items() if len(keys) < len(by_model[name])}
    for pairs in (some or wrong).values():
        for score, value in pairs:
            cause = "the folds are not those of the run, or rows of theirs are mixed up"
            raise _refuted(matrix, run, score, value, cause)


def _in_folds(
    matrix: PredictionMatrix, run: ToolRun, columns: Columns
) -> Iterator[tuple[ReportedScore, float]]:
    """Yield the scores of single folds that can be recomputed, with the recomputed values."""
    if matrix.folds is None or len(matrix.folds) > 1 or matrix.available is not None:
        return
    metrics = {metric.name: metric for metric in fitting(matrix)}
    weights = (matrix.folds[0] == np.arange(matrix.folds.max() + 1)[:, None]).astype(np.uint8)
    performances: dict[tuple[PredictionMatrix, str], FloatArray] = {}
    for score in run.fold_scores:
        name = _metric(score)
        if score.id not in columns or name not in metrics or score.fold not in range(len(weights)):
            continue
        source, column = columns[score.id]
        if (source, name) not in performances:
            performances[source, name] = Candidates(source, metrics[name], Pooling.POOLED).score(
                weights
            )
        value = performances[source, name][score.fold, column]
        if not np.isnan(value):
            yield score, float(value)


def _refuted(
    matrix: PredictionMatrix, run: ToolRun, score: ReportedScore, value: float, cause: str
) -> InputError:
    fold, source, place = "", "predictions", f"on the leaderboard of {run.tool}"
    if score.fold is not None:
        fold, place = f"in fold {score.fold} ", f"by the log of {run.tool}"
    if run.evaluation is not None:
        source, place = "answers", f"by {run.tool}'s own figure"
        cause = "answers were lost or changed, or the figure is of other ones"
    return InputError(
        f"{fold}{score.id} has {_metric(score)} {value:.6g} by its {source}, "
        f"{score.value:.6g} {place}",
        path=matrix.source.path,
        hint=f"{cause}; to continue anyway, give --no-verify",
    )


def _cause(matrix: PredictionMatrix, run: ToolRun, score: ReportedScore, columns: Columns) -> str:
    """Return the likely cause: no weights, another positive class; all else is a guess."""
    source, _ = columns[score.id]
    alike = [row for row in run.leaderboard if columns.get(row.id, (None,))[0] is source]

    def all_hold(form: PredictionMatrix) -> bool:
        return all(again.confirmed for again in compared(form, alike))

    if source.outcome.weights is not None:
        plain = replace(source, outcome=replace(source.outcome, weights=None))
        if all_hold(plain):
            return "the run scored without the weights: leave them out, by --unweighted"
    if matrix.task is Task.BINARY and isinstance(source.predictions, np.ndarray):
        other = with_other_positive(source)
        swapped = replace(source, outcome=other.outcome)  # predictions of the other class
        name = other.outcome.classes[-1]
        remedy = f"choose the other one by --positive {name}"
        if run.by_class:  # the option chooses the column along with the class
            remedy = "give the labels of the run"
        for fault, words in (
            (other, f"the run's positive class is the other one: --positive {name}"),
            (swapped, f"the classes are swapped: {remedy}"),
        ):
            labels = fault is swapped and source.kind is PredictionKind.LABEL
            if not labels and (all_hold(fault) or all_hold(_counting_zero(fault))):
                return words
    metric = METRICS[_metric(score)]
    rest = "rows, classes, labels or weights are not those of the run"
    if metric.wants is not PredictionKind.LABEL or source.kind is PredictionKind.LABEL:
        return f"{rest}, or it defines {metric.label} differently"
    if run.tool == "recorder":  # which knows rows, labels and weights by themselves
        return (
            "its predict() gives classes other than the most probable ones, and the search scored "
            "those: record them with Recorder(response='predict')"
        )
    return f"{rest}, or it predicts classes other than the most probable ones: give its classes"


def with_other_positive(matrix: PredictionMatrix) -> PredictionMatrix:
    """Return predictions of the other class of two, which becomes the positive one."""
    outcome, mirrored = matrix.outcome, matrix.kind is PredictionKind.SCORE
    other = replace(outcome, values=1 - outcome.values, classes=outcome.classes[::-1])
    threshold = matrix.threshold
    if threshold is not None:
        threshold = -threshold if mirrored else 1 - threshold
    predictions = -matrix.predictions if mirrored else 1 - matrix.predictions
    return replace(matrix, outcome=other, predictions=predictions, threshold=threshold)
