"""Between folds: predictions so far on the same samples.

A loop and a search that drop configurations both get a `PredictionMatrix` of the samples that one
configuration has predicted, with all others that predict these too.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.domain.matrix import PredictionMatrix, SampleKeys, Unfinished
from bbccli.domain.outcome import Outcome
from bbccli.domain.plan import CLIP, Plan
from bbccli.domain.source import Source
from bbccli.errors import InputError, OptionError, nearest
from bbccli.metrics import Metric
from bbccli.metrics.capped import with_clip
from bbccli.recording.attempts import tries_of
from bbccli.recording.store import Design, Part, by_identity, identity_of
from bbccli.stats.verification import with_other_positive
from bbccli.types import FloatArray, IntArray, MetricKind, Pooling, PredictionKind, Task

AS_SKLEARN = Source(metadata={"undefined": 0})
"""Of predictions that a metric of scikit-learn scored."""


OTHER = "(another label)"
"""Name of the class of predicted labels that the truth lacks: they are never right."""


def with_others(design: Design, parts: Iterable[Part]) -> Design:
    """Return the design, with a further class if a label outside its classes was predicted."""
    labels = (part.predictions for part in parts if part.kind is PredictionKind.LABEL)
    if not any((np.asarray(label) == len(design.classes)).any() for label in labels):
        return design
    return replace(design, task=Task.MULTICLASS, classes=(*design.classes, OTHER), positive="")


def with_default_score(design: Design, parts: Iterable[Part]) -> Design:
    """Return the design; without a scoring, with the default score of estimators, accuracy or R2,
    if all scores are that of the predictions.
    """
    default, checked = "accuracy" if design.classes else "r2", False
    for part in () if design.scoring else parts:
        if part.score is None or part.split is None:
            continue
        truth, weights = design.truth[design.tests[part.split]], part.weights
        predicted = part.predictions
        weightless = weights is not None and not weights.any()
        if predicted is None or predicted.shape != truth.shape or weightless:
            return design
        if not design.classes and np.ptp(truth) == 0:  # 0, 1 or NaN by convention
            continue
        around = truth - np.average(truth, weights=weights)
        loss = predicted != truth if design.classes else (predicted - truth) ** 2
        whole = 1.0 if design.classes else np.average(around**2, weights=weights)
        score = 1 - np.average(loss, weights=weights) / whole
        if not np.isclose(score, part.score, rtol=1e-4, atol=1e-6):
            return design
        checked = True
    return replace(design, scoring=default) if checked else design


def common_kind(kinds: Iterable[PredictionKind], path: str | Path = "") -> PredictionKind:
    """Return the kind of all predictions: scores if mixed with probabilities; refuse other
    mixtures.
    """
    different = set(kinds)
    if len(different) == 1:
        return next(iter(different))
    if different == {PredictionKind.PROBABILITY, PredictionKind.SCORE}:
        return PredictionKind.SCORE
    problem = f"predictions have several forms: {', '.join(sorted(map(str, different)))}"
    hint = "record the same form for all, such as Recorder(response='predict_proba')"
    raise InputError(problem, path=path, hint=hint)


def dtype_of(parts: Iterable[Part]) -> np.dtype[Any]:
    """Return the float type that holds the predictions of all parts."""
    dtypes = {part.predictions.dtype for part in parts if part.predictions is not None}
    return np.result_type(np.float32, *dtypes)


def arranged(
    design: Design, of_configurations: Sequence[Iterable[Part]], n_repeats: int, axes: Sequence[int]
) -> FloatArray:
    """Return the predictions (R, N, C, *axes) of the parts of C configurations, NaN where missing;
    of repeats beyond the first R none.
    """
    every = [(c, part) for c, of_one in enumerate(of_configurations) for part in of_one]
    parts = [(c, part) for c, part in every if part.predictions is not None]
    shape = n_repeats, design.n_samples, len(of_configurations), *axes
    filled: FloatArray = np.full(shape, np.nan, dtype_of(part for _, part in parts))
    for c, part in parts:
        rows, repeat = placed_at(design, part)
        if repeat < n_repeats:
            filled[repeat, rows, c] = part.predictions
    return filled


def pooling_for(metric: Metric, pooling: Pooling = Pooling.FOLD_MEAN) -> Pooling:
    """Return the given pooling, but pooled for metrics whose mean over folds is biased.

    A metric that is not a mean has another expectation on small samples, and a resample keeps only
    part of a fold: the mean R2 over 5 folds is .017 too low with 442 samples, 1.4 with 100.
    """
    return Pooling.POOLED if metric.kind is MetricKind.OTHER else pooling


def plan_for(matrix: PredictionMatrix, metric: Metric, pooling: Pooling, seed: int) -> Plan:
    """Return a plan that selects as a search of scikit-learn does.

    The log-loss is clipped as in scikit-learn, at the precision of the probabilities.
    """
    clip = float(np.finfo(matrix.predictions.dtype).eps)
    clip = CLIP if with_clip(metric, clip) is metric else clip
    pooling = Pooling.POOLED if matrix.folds is None else pooling
    return Plan(seed=seed, pooling=pooling, clip=clip)


def matrix_so_far(
    design: Design,
    tried: Mapping[str, Sequence[Part]],
    reference: str,
    unfinished: Unfinished = Unfinished(),
) -> PredictionMatrix:
    """Return all predictions so far on the samples that the `reference` configuration predicts.

    A row is a sample in a repeat, sorted by sample. With several repeats a sample is drawn with all
    its predictions, and the folds of different repeats are kept apart. `tried` are the parts of
    each configuration by name; those that lack a sample are excluded. An InputError if predictions
    have several forms.
    """
    of_reference = [part for part in tried[reference] if part.predictions is not None]
    places = [placed_at(design, part) for part in of_reference]
    rows = np.concatenate([rows for rows, _ in places])
    repeats = np.repeat([repeat for _, repeat in places], [len(rows) for rows, _ in places])
    folds = np.repeat(np.arange(len(places)), [len(rows) for rows, _ in places])
    order = np.lexsort((repeats, rows))
    rows, repeats, folds = rows[order], repeats[order], folds[order]
    design = with_others(design, itertools.chain(*tried.values()))
    weights = _weights(design, of_reference, order)
    if weights is not None:  # a sample of weight 0 does not count
        counts = weights > 0
        rows, repeats, folds = rows[counts], repeats[counts], folds[counts]
        weights = weights[counts]
    every = {name: _predictions(design, parts, repeats, rows) for name, parts in tried.items()}
    predicted = {name: values for name, values in every.items() if values is not None}
    kinds = {part.kind for name in predicted for part in tried[name] if part.kind is not None}
    folds_known = design.tests or all(part.fold is not None for part in of_reference)
    again = np.unique(rows, return_inverse=True)[1] if (np.diff(rows) == 0).any() else None
    groups = again if design.groups is None else design.groups[rows]
    matrix = PredictionMatrix(
        outcome=Outcome(design.task, design.truth[rows], design.classes, weights=weights),
        predictions=np.stack([*predicted.values()], axis=1)[None],
        configurations=tuple(predicted),
        kind=common_kind(kinds),
        folds=folds[None] if folds_known else None,
        fold_names=tuple(map(str, range(len(places)))),
        groups=groups,
        sample_keys=None if again is not None else SampleKeys(rows),
        unfinished=unfinished,
        source=AS_SKLEARN,
    )
    return with_other_positive(matrix) if design.positive else matrix


def matrix_of_all(design: Design, predicted: Mapping[str, Part]) -> PredictionMatrix:
    """Return the predictions of a part for each configuration, of all samples of a design."""
    rows = np.arange(design.n_samples)
    placed = {n: [replace(p, split=None, rows=rows, repeat=0)] for n, p in predicted.items()}
    return replace(matrix_so_far(design, placed, next(iter(placed))), unfinished=None)


def placed_at(design: Design, part: Part) -> tuple[IntArray, int]:
    """Return the rows and the repeat of a part."""
    if part.split is not None:
        return design.tests[part.split], design.places[part.split][0]
    assert part.rows is not None
    return part.rows, part.repeat


def _predictions(
    design: Design, parts: Sequence[Part], repeats: IntArray, rows: IntArray
) -> FloatArray | None:
    """Return predictions (n,) or (n, K) of rows in repeats; None if one is missing."""
    known = [part for part in parts if part.predictions is not None]
    if not known:
        return None
    axes = np.asarray(known[0].predictions).shape[1:]
    whole = arranged(design, [known], 1 + int(repeats.max()), axes)
    chosen: FloatArray = whole[repeats, rows, 0]
    return None if np.isnan(chosen).any() else chosen


def _weights(design: Design, parts: Sequence[Part], order: IntArray) -> FloatArray | None:
    """Return the sample weights given to the recorder or its scorer."""
    if design.weights is not None:
        rows = np.concatenate([placed_at(design, part)[0] for part in parts])
        return np.asarray(design.weights[rows[order]])
    weights = [part.weights for part in parts if part.weights is not None]
    return np.concatenate(weights)[order] if len(weights) == len(parts) else None


def tried_so_far(parts: Sequence[Part], name: str) -> tuple[str, dict[str, Sequence[Part]]]:
    """Return the key of the latest try of this name, empty without predictions, and the parts of
    all tries that have some, by their keys; an OptionError if there is no such name.
    """
    groups, identity = by_identity(parts), identity_of(name, "", {})
    if identity not in groups:
        names = {part.name for part in parts} - {""}
        raise OptionError(f"there is no configuration {name!r}", hint=nearest(name, names))
    tries = {key: tries_of(group) for key, group in groups.items()}
    latest = tries[identity][-1]
    counted = (attempt for of_name in tries.values() for attempt in of_name if attempt.counts)
    of_try: dict[str, Sequence[Part]] = {str(id(attempt)): attempt.parts for attempt in counted}
    return str(id(latest)) if latest.counts else "", of_try
