"""Whether the predictions of a run give the scores that the tool itself reports.

Rows in another order, classes that are swapped and labels of another table all make predictions
that look fine. The leaderboard of the run finds them: each of its scores is computed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bbccli.errors import InputError
from bbccli.matrix import PredictionMatrix
from bbccli.metrics import METRICS, fitting
from bbccli.metrics.naming import canonical
from bbccli.metrics.probability import with_clip
from bbccli.plan import CLIP
from bbccli.selection.candidates import Candidates
from bbccli.source import Verification, run_of
from bbccli.types import Pooling, PredictionKind


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
    run = run_of(matrix.source.metadata)
    if not run:
        return None
    columns = {name: column for column, name in enumerate(matrix.configurations)}
    scores = [one for one in _scores(run) if one["id"] in columns]
    reason = run.get("unchecked") or _hindrance(matrix, run)
    if reason or not scores:
        return Verification(len(scores), 0, None, None, str(reason or "the run reports no scores"))
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


def verified(matrix: PredictionMatrix) -> PredictionMatrix:
    """Return a matrix that knows what came of `verify`.

    Raises
    ------
    InputError
        As `verify`.
    """
    return replace(matrix, source=replace(matrix.source, verification=verify(matrix)))


def _scores(run: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the scores of a run that can be understood; metadata may have been written by hand."""
    board = run.get("leaderboard")
    for one in board if isinstance(board, list) else ():
        known = isinstance(one, Mapping) and {"id", "metric", "value", "tolerance"} <= one.keys()
        if (
            known
            and one.get("selection") in list(Pooling)
            and all(isinstance(one[key], str) for key in ("id", "metric"))
            and all(isinstance(one[key], int | float) for key in ("value", "tolerance"))
        ):
            yield {**one, "metric": canonical(one["metric"], METRICS)}


def _hindrance(matrix: PredictionMatrix, run: Mapping[str, Any]) -> str | None:
    """Why scores of all samples can't be those of this matrix."""
    n_samples = run.get("n_samples")
    if isinstance(n_samples, int) and n_samples != matrix.n_samples:
        return f"{n_samples - matrix.n_samples} of the samples of the run take no part"
    return None


def _compared(
    matrix: PredictionMatrix, scores: Sequence[Mapping[str, Any]], columns: Mapping[str, int]
) -> Iterator[tuple[Mapping[str, Any], float]]:
    """Yield each score that can be computed, with its value."""
    known = {metric.name: metric for metric in fitting(matrix)}
    for score in scores:
        metric = known.get(score["metric"])
        pooling = Pooling(score["selection"])
        if metric is None or (pooling is not Pooling.POOLED and matrix.folds is None):
            continue
        values = [
            float(Candidates(matrix, one, pooling).performances()[columns[score["id"]]])
            for one in dict.fromkeys(with_clip(metric, clip) for clip in _CLIPS)
        ]
        yield score, min(values, key=lambda value: abs(value - score["value"]))


_CLIPS = (CLIP, 2.0**-52)
"""What tools clip probabilities at: the rounding of numbers of 32 bits, or of 64."""


def _mismatch(
    matrix: PredictionMatrix,
    score: Mapping[str, Any],
    value: float,
    columns: Mapping[str, int],
) -> InputError:
    tool = run_of(matrix.source.metadata)["tool"]
    return InputError(
        f"{score['id']} has {score['metric']} {value:.6g} by its predictions, "
        f"{score['value']:.6g} on the leaderboard of {tool}",
        path=matrix.source.path,
        hint=f"{_cause(matrix, score, columns)}; to continue anyway: --no-verify",
    )


def _cause(matrix: PredictionMatrix, score: Mapping[str, Any], columns: Mapping[str, int]) -> str:
    """What explains the difference: swapped classes can be tried, all else is guessed."""
    if score["metric"] == "auc" and matrix.kind is not PredictionKind.LABEL:
        candidates = Candidates(matrix, METRICS["auc"], Pooling(score["selection"]))
        value = candidates.performances()[columns[score["id"]]]
        if abs(1 - value - score["value"]) <= score["tolerance"]:
            return "the classes are swapped: choose the other one by --positive"
    return "rows, classes or labels are not those of the run"
