"""Whether the predictions of a run give the scores that the tool itself reports.

Rows in another order, classes that are swapped and labels of another table all make predictions
that look fine. The leaderboard of the run finds them: each of its scores is computed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bbccli.errors import InputError
from bbccli.matrix import PredictionMatrix
from bbccli.metrics import METRICS, fitting
from bbccli.metrics.probability import with_clip
from bbccli.plan import CLIP
from bbccli.selection.candidates import Candidates
from bbccli.types import Pooling, PredictionKind


@dataclass(frozen=True, slots=True)
class Verification:
    """What came of comparing a run's own scores with those computed from its predictions."""

    n_scores: int
    """Scores that the run reports of the configurations that take part."""
    n_checked: int
    """Scores that were computed again."""
    largest_difference: float | None
    """The largest difference, in the unit of the metric; None where nothing was compared."""
    tolerance: float | None
    """The largest difference that rounding and approximations of the tool explain."""
    reason: str | None
    """Why nothing was compared; None where something was."""


def verify(matrix: PredictionMatrix) -> Verification | None:
    """Compute the scores of the leaderboard of a run again.

    Parameters
    ----------
    matrix
        Predictions whose metadata hold a `run`.

    Returns
    -------
    Verification or None
        None where the predictions do not come from a run.

    Raises
    ------
    InputError
        A score differs by more than its tolerance: names the configuration, both scores and what
        the cause may be.
    """
    run = matrix.source.metadata.get("run")
    if not isinstance(run, Mapping):
        return None
    columns = {name: column for column, name in enumerate(matrix.configurations)}
    scores = [one for one in run.get("leaderboard") or () if one.get("id") in columns]
    reason = run.get("unchecked") or _hindrance(matrix)
    if reason or not scores:
        return Verification(len(scores), 0, None, None, reason or "the run reports no scores")
    compared = list(_compared(matrix, scores, columns))
    if not compared:
        reason = "its metric can't be computed from these predictions"
        return Verification(len(scores), 0, None, None, reason)
    for score, value in compared:
        if not abs(value - score["value"]) <= score["tolerance"]:
            raise _mismatch(matrix, score, value, columns)
    differences = [abs(value - score["value"]) for score, value in compared]
    tolerance = max(float(score["tolerance"]) for score, _ in compared)
    return Verification(len(scores), len(compared), max(differences), tolerance, None)


def _hindrance(matrix: PredictionMatrix) -> str | None:
    """Why scores of all samples can't be those of this matrix."""
    n_samples = matrix.source.metadata["run"].get("n_samples")
    if n_samples is not None and n_samples != matrix.n_samples:
        return f"{n_samples - matrix.n_samples} of the samples of the run take no part"
    return None


def _compared(
    matrix: PredictionMatrix, scores: Sequence[Mapping[str, Any]], columns: Mapping[str, int]
) -> Iterator[tuple[Mapping[str, Any], float]]:
    """Yield each score that can be computed, with its value."""
    known = {metric.name: with_clip(metric, CLIP) for metric in fitting(matrix)}
    for score in scores:
        if score["metric"] in known:
            candidates = Candidates(matrix, known[score["metric"]], Pooling(score["selection"]))
            yield score, float(candidates.performances()[columns[score["id"]]])


def _mismatch(
    matrix: PredictionMatrix,
    score: Mapping[str, Any],
    value: float,
    columns: Mapping[str, int],
) -> InputError:
    tool = matrix.source.metadata["run"].get("tool", "the run")
    return InputError(
        f"{score['id']} has {score['metric']} {value:.6g} by its predictions, "
        f"{score['value']:.6g} on the leaderboard of {tool}",
        path=matrix.source.path,
        hint=f"{_cause(matrix, score, columns)}; --no-verify goes on all the same",
    )


def _cause(matrix: PredictionMatrix, score: Mapping[str, Any], columns: Mapping[str, int]) -> str:
    """What explains the difference: swapped classes can be tried, all else is guessed."""
    if score["metric"] == "auc" and matrix.kind is not PredictionKind.LABEL:
        candidates = Candidates(matrix, METRICS["auc"], Pooling(score["selection"]))
        value = candidates.performances()[columns[score["id"]]]
        if abs(1 - value - score["value"]) <= score["tolerance"]:
            return "the classes are swapped: choose the other one by --positive"
    return "rows, classes or labels are not those of the run"
