"""The arrays of a recording: its parts in their places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.errors import InputError
from bbccli.readers.sources.limits import check_size
from bbccli.recording.design import Design
from bbccli.recording.parts import Part
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind, Task


def kind(path: Path, everything: Iterable[Part]) -> PredictionKind:
    """Return the form of all predictions.

    Raises
    ------
    InputError
        There are several.
    """
    kinds = {part.kind for part in everything if part.predictions is not None}
    if len(kinds) == 1:
        return next(kind for kind in kinds if kind is not None)
    if kinds == {PredictionKind.PROBABILITY, PredictionKind.SCORE}:
        return PredictionKind.SCORE
    raise InputError(
        f"predictions are of several forms: {', '.join(sorted(str(kind) for kind in kinds))}",
        path=str(path),
        hint="record one form for all, such as Recorder(response='predict_proba')",
    )


def weights(
    path: Path, plan: Design, everything: Iterable[Part]
) -> tuple[FloatArray | None, bool, str]:
    """Return the weights of the samples, and of which samples the scores of a search are.

    Returns
    -------
    weights : (N,), optional
        Those that the recorder was given, else those that its scorer was; 1 where none is known.
    weighted
        Whether all scores are of the samples so weighted.
    otherwise
        Why they are not, where there are weights.

    Raises
    ------
    InputError
        The scorer was given weights for some fits, or others for the same sample.
    """
    scored = [p for p in everything if p.score is not None and p.split is not None]
    given = [p for p in scored if p.weights is not None]
    if plan.weights is None and given:
        if len(given) < len(scored):
            raise _two_weights(path, "some fits were scored with sample weights, others without")
        found = np.full(plan.n_samples, np.nan)
        for part in given:
            rows = plan.tests[part.split or 0]
            if ((found[rows] != part.weights) & ~np.isnan(found[rows])).any():
                raise _two_weights(path, "fits were scored with different weights of a sample")
            found[rows] = part.weights
        return np.where(np.isnan(found), 1.0, found), True, ""
    if plan.weights is None or not scored:
        return plan.weights, False, ""
    own = plan.weights
    same = [np.array_equal(own[plan.tests[p.split or 0]], np.asarray(p.weights)) for p in given]
    if len(given) == len(scored) and all(same):
        return own, True, ""
    how = "with other weights than those" if given else "without the weights"
    return own, False, f"the search scored {how} of the recorder"


def _two_weights(path: Path, problem: str) -> InputError:
    return InputError(
        problem,
        path=str(path),
        hint="record them in a folder each, or say which weights count: Recorder(sample_weight=)",
    )


def cube(
    path: Path,
    plan: Design,
    counted: Sequence[list[Part]],
    places: tuple[tuple[int, int], ...],
    of: PredictionKind,
) -> FloatArray:
    """Return predictions (R, N, C) or (R, N, C, K), NaN where there are none.

    Raises
    ------
    InputError
        A part does not fit the design, or all of it is too large.
    """
    with_some = [p for group in counted for p in group if p.predictions is not None]
    n_repeats = 1 + max(
        [repeat for repeat, _ in places] + [p.repeat for p in with_some if p.split is None]
    )
    columns = plan.task is Task.MULTICLASS and of is not PredictionKind.LABEL
    shape: tuple[int, ...] = (n_repeats, plan.n_samples, len(counted))
    shape += (len(plan.classes),) if columns else ()
    narrow = all(p.predictions is not None and p.predictions.dtype == np.float32 for p in with_some)
    dtype = np.float32 if narrow else np.float64
    check_size(int(np.prod([float(n) for n in shape])) * np.dtype(dtype).itemsize, str(path))
    filled = np.full(shape, np.nan, dtype)
    for column, group in enumerate(counted):
        for part in group:
            if part.predictions is None:
                continue
            rows, repeat = _place(path, plan, places, part)
            if part.predictions.shape != (len(rows), *shape[3:]):
                raise _damaged(path, part)
            if of is PredictionKind.LABEL and not _are_codes(part.predictions, plan):
                raise _damaged(path, part)
            filled[repeat, rows, column] = part.predictions
    return filled


def _are_codes(predictions: NDArray[Any], plan: Design) -> bool:
    return predictions.dtype.kind == "i" and bool(
        ((predictions >= 0) & (predictions < len(plan.classes))).all()
    )


def _place(
    path: Path, plan: Design, places: tuple[tuple[int, int], ...], part: Part
) -> tuple[IntArray, int]:
    if part.split is not None:
        if part.split >= len(places):
            raise _damaged(path, part)
        return plan.tests[part.split], places[part.split][0]
    assert part.rows is not None
    return part.rows, part.repeat


def check_rows(path: Path, plan: Design, found: Iterable[Part]) -> None:
    """Refuse parts of rows or folds that there are not, or with weights of other samples.

    Raises
    ------
    InputError
        Names the first.
    """
    for part in found:
        rows = part.rows
        if part.split is not None:
            of_split = plan.tests[part.split : part.split + 1]
            if not of_split or (
                part.weights is not None and part.weights.shape != of_split[0].shape
            ):
                raise _damaged(path, part)
            continue
        if rows is None and part.predictions is None:
            continue
        if rows is None or rows.dtype.kind != "i" or not rows.size:
            raise _damaged(path, part)
        if rows.min() < 0 or rows.max() >= plan.n_samples:
            raise _damaged(path, part)


def _damaged(path: Path, part: Part) -> InputError:
    return InputError(
        "a part does not fit the folds of the recording",
        path=str(path),
        value=part.name or part.identity,
        hint="record it again into another folder",
    )


def folds(
    plan: Design, places: tuple[tuple[int, int], ...], everything: list[Part], n_repeats: int
) -> IntArray | None:
    """Return the fold of each sample (R, N): of the design, or as all parts say alike."""
    found = np.full((n_repeats, plan.n_samples), -1, np.int64)
    for (repeat, fold), rows in zip(places, plan.tests, strict=True):
        found[repeat, rows] = fold
    if places:
        return found
    for part in everything:
        if part.predictions is None:  # tried, and nothing else
            continue
        if part.fold is None or part.rows is None:
            return None
        own = found[part.repeat, part.rows]
        if ((own >= 0) & (own != part.fold)).any():
            return None
        found[part.repeat, part.rows] = part.fold
    return found


def scores(counted: Sequence[list[Part]], n_splits: int) -> FloatArray:
    """Return what the search was told of each split: (C, S), NaN where nothing."""
    found = np.full((len(counted), n_splits), np.nan)
    for row, group in enumerate(counted):
        for part in group:
            if part.split is not None and part.score is not None and part.split < n_splits:
                found[row, part.split] = part.score
    return found


def complete(
    predictions: FloatArray, plan: Design, places: tuple[tuple[int, int], ...]
) -> BoolArray:
    """Return whether a configuration has a prediction wherever one should be: (C,)."""
    present = np.isfinite(predictions if predictions.ndim == 3 else predictions.sum(axis=3))
    whole = (present == present.any(axis=2, keepdims=True)).all(axis=(0, 1))
    if places:  # a fold that nobody has is missing too
        tested = np.zeros(present.shape[:2], bool)
        for (repeat, _), rows in zip(places, plan.tests, strict=True):
            tested[repeat, rows] = True
        whole &= (present | ~tested[:, :, None]).all(axis=(0, 1))
    return np.asarray(whole)
