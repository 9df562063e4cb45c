"""The folder of a `Recorder`: its parts put together to arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.runs import recording_arrays
from bbccli.readers.runs.recording_names import short_names
from bbccli.readers.runs.recording_parts import agreeing, flags_of, problems_of
from bbccli.readers.sources.limits import check_size
from bbccli.recorded import design, parts
from bbccli.recorded.arrays import DamagedError
from bbccli.recorded.counted import TOLERANCE, parts_in
from bbccli.recorded.design import Design
from bbccli.recorded.parts import Part
from bbccli.types import BoolArray, FloatArray, IntArray, Pooling, PredictionKind, Task


@dataclass(frozen=True, slots=True)
class Listed:
    """What the search said of a candidate.

    Parameters
    ----------
    configuration
        Its name here.
    metric
        Name of the metric as scikit-learn spells it; empty where it has none.
    value
        Mean over the splits. In the sign of bbc: that of a `neg_` scorer is turned.
    on
        What the value is of.
    tolerance
        Within which a performance must agree, as a share of the value or of one.
    """

    configuration: str
    metric: str
    value: float
    on: Pooling = Pooling.FOLD_MEAN
    tolerance: float = TOLERANCE


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """The predictions of C configurations for N samples in R repeats.

    Parameters
    ----------
    path
        The folder.
    task, truth, classes, groups, weights, scoring
        As in `Design`.
    kind
        What a prediction is; scores where some configurations have scores and others probabilities.
    predictions : (R, N, C) or (R, N, C, K)
        NaN where there is none.
    folds : (R, N) int, optional
        Fold of each sample in each repeat, -1 where no fold tests it; None where unknown or
        different between configurations.
    repeated_holdout
        Whether each repeat is one split that tests a part of the samples.
    configurations
        C unique names: those that were given, else the parameters that vary.
    identities
        (C,) what the parts of a configuration share.
    params
        (C,) parameters.
    flags
        (C,) threats to validity.
    complete : (C,) bool
        Whether there is a prediction wherever some configuration has one.
    scores : (C, S)
        What the search was told of each split, in its own sign; NaN where nothing.
    n_candidates_total
        Configurations that were tried, those without predictions included.
    leaderboard
        What the search said, in the order of the configurations; without `finish` the mean of the
        scores of those that have all.
    finished
        Whether `finish` compared all of it with the search.
    damaged
        Files that can't be read.
    problems
        Configuration, split and reason where a test set was scored but its predictions not kept.
    selection
        How the search selects.
    tried
        Configurations in the order in which their first test sets were predicted.
    """

    path: Path
    task: Task
    truth: IntArray | FloatArray
    classes: tuple[str, ...]
    groups: IntArray | None
    weights: FloatArray | None
    scoring: str
    kind: PredictionKind
    predictions: FloatArray
    folds: IntArray | None
    repeated_holdout: bool
    configurations: tuple[str, ...]
    identities: tuple[str, ...]
    params: tuple[Mapping[str, Any], ...]
    flags: tuple[tuple[str, ...], ...]
    complete: BoolArray
    scores: FloatArray
    n_candidates_total: int
    leaderboard: tuple[Listed, ...]
    finished: bool
    damaged: tuple[str, ...]
    problems: tuple[tuple[str, int, str], ...]
    selection: Pooling = Pooling.FOLD_MEAN
    tried: tuple[str, ...] = ()


def recognises(path: Path) -> bool:
    """Whether a path is the folder of a recording."""
    return (path / design.HEADER).is_file()


def load(path: Path) -> Recording:
    """Read the folder of a recording, whether or not it was finished.

    Raises
    ------
    InputError
        It is damaged or of another version, holds no predictions, or predictions of several forms.
    """
    plan = design.load(path)
    check_size(sum(file.stat().st_size for file in parts.paths(path)), str(path))
    found, damaged = parts_in(path)
    listed, finished = _listed(path)
    groups = _by_configuration(path, found, listed)
    with_predictions = {
        identity: group
        for identity, group in groups.items()
        if any(part.predictions is not None for part in group)
    }
    if not with_predictions:
        raise InputError(
            "holds no predictions" + (f"; {len(damaged)} files are damaged" if damaged else ""),
            path=str(path),
            hint="give rec.scorer to the search and rec.cv as its cv, or call rec.write()",
        )
    return _assembled(path, plan, groups, with_predictions, listed, finished, damaged)


def _listed(path: Path) -> tuple[dict[str, dict[str, Any]], bool]:
    """What searches said of their candidates, the latest of each."""
    try:
        boards = list(parts.leaderboards(path))
    except DamagedError as error:
        raise InputError(
            f"leaderboard is damaged: {error}",
            path=str(path),
            hint="remove the file, and call rec.finish() again",
        ) from None
    return {one["identity"]: one for board in boards for one in board["candidates"]}, bool(boards)


def _by_configuration(
    path: Path, found: Iterable[Part], listed: Mapping[str, Any]
) -> dict[str, list[Part]]:
    """Parts by configuration: those of searches in their order, then as they were first tried."""
    groups: dict[str, list[Part]] = {}
    for part in found:
        groups.setdefault(part.identity, []).append(part)
    for group in groups.values():
        scored = [part for part in group if part.name and part.score is not None]
        if len({str((part.estimator, part.params)) for part in scored}) > 1:
            raise InputError(
                "one name stands for several configurations",
                path=str(path),
                value=group[0].name,
                hint="rec.scorer for a search: it tells candidates apart by their parameters",
            )
    first = [identity for identity in listed if identity in groups]
    rest = [identity for identity in groups if identity not in listed]
    return {identity: groups[identity] for identity in first + rest}


def _assembled(
    path: Path,
    plan: Design,
    groups: Mapping[str, list[Part]],
    filled: Mapping[str, list[Part]],
    listed: Mapping[str, Any],
    finished: bool,
    damaged: list[str],
) -> Recording:
    named = dict(zip(groups, short_names([group[0] for group in groups.values()]), strict=True))
    counted = {one: agreeing(group, listed.get(one)) for one, group in filled.items()}
    everything = [part for group in counted.values() for part in group]
    kind, places = recording_arrays.kind(path, everything), plan.places()
    predictions = recording_arrays.cube(path, plan, counted, places, kind)
    scores = recording_arrays.scores(counted, len(places))
    return Recording(
        path=path,
        task=plan.task,
        truth=plan.truth,
        classes=plan.classes,
        groups=plan.groups,
        weights=plan.weights,
        scoring=plan.scoring,
        kind=kind,
        predictions=predictions,
        folds=recording_arrays.folds(plan, places, everything, len(predictions)),
        repeated_holdout=len(places) > 1 and places[-1] == (len(places) - 1, 0),
        configurations=tuple(named[identity] for identity in filled),
        identities=tuple(filled),
        params=tuple(group[0].params for group in filled.values()),
        flags=tuple(flags_of(group) for group in counted.values()),
        complete=recording_arrays.complete(predictions, plan, places),
        scores=scores,
        n_candidates_total=len(groups.keys() | listed.keys()),
        leaderboard=_leaderboard(plan.scoring, named, filled, listed, scores),
        finished=finished,
        damaged=tuple(damaged),
        problems=problems_of(groups, named),
        tried=tuple(named[one] for one in sorted(filled, key=lambda one: _started(filled[one]))),
    )


def _started(group: list[Part]) -> tuple[int, int]:
    return min((part.session, part.time) for part in group)


def _leaderboard(
    scoring: str,
    named: Mapping[str, str],
    filled: Mapping[str, Any],
    listed: Mapping[str, Any],
    scores: FloatArray,
) -> tuple[Listed, ...]:
    sign = -1.0 if scoring.startswith("neg_") else 1.0
    found = []
    for identity, own in zip(filled, scores, strict=True):
        value = (
            listed[identity]["value"] if identity in listed else own.mean() if own.size else None
        )
        if value is not None and np.isfinite(value):
            found.append(Listed(named[identity], scoring, sign * float(value)))
    return tuple(found)
