"""The folder of a `Recorder`: its parts put together to arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.runs import recording_arrays
from bbccli.readers.runs.contents import matching
from bbccli.recording.names import short_names
from bbccli.readers.runs.recording_parts import (
    flags_of,
    never_fitted,
    problems_of,
    tried_again,
    without_predictions,
)
from bbccli.readers.sources.limits import check_size
from bbccli.recording import design, parts
from bbccli.recording.arrays import DamagedError
from bbccli.recording.tries import (
    TOLERANCE,
    Candidate,
    Try,
    by_identity,
    parts_in,
    said_of,
    share_of,
    tries_of,
)
from bbccli.recording.design import Design
from bbccli.recording.parts import Part
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
    left_out
        Those that take no part, and why.
    again, tried_again
        Names of those whose predictions were recorded again, which count once; and of those that
        were tried before with other predictions, which count each.
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
    weighted, otherwise
        Whether the scores are of the weighted samples, and why not, where there are weights.
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
    params: tuple[Mapping[str, Any], ...]
    flags: tuple[tuple[str, ...], ...]
    complete: BoolArray
    scores: FloatArray
    n_candidates_total: int
    left_out: tuple[tuple[str, str], ...]
    again: tuple[str, ...]
    tried_again: tuple[str, ...]
    leaderboard: tuple[Listed, ...]
    finished: bool
    damaged: tuple[str, ...]
    problems: tuple[tuple[str, int, str], ...]
    selection: Pooling = Pooling.FOLD_MEAN
    tried: tuple[str, ...] = ()
    weighted: bool = False
    otherwise: str = ""


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
    held = matching(path, design.HEADER, design.ARRAYS, *parts.PATTERNS)
    check_size(sum(file.stat().st_size for file in held), str(path))
    plan = design.load(path)
    found, damaged = parts_in(path)
    recording_arrays.check_rows(path, plan, found)
    listed = _listed(path)
    tries = _tries(path, found, listed)
    if not any(one.counts for one in tries):
        raise InputError(
            "holds no predictions" + (f"; {len(damaged)} files are damaged" if damaged else ""),
            path=str(path),
            hint="give rec.scorer to the search and rec.cv as its cv, or call rec.write()",
        )
    return _assembled(path, plan, tries, listed, damaged)


_CODES = (None, PredictionKind.LABEL)

Listing = Mapping[str, list[Candidate]]
"""What searches said of their candidates, by identity, in the order in which they said it."""


def _listed(path: Path) -> Listing:
    listed: dict[str, list[Candidate]] = {}
    try:
        for board in parts.leaderboards(path):
            for one in board["candidates"]:
                listed.setdefault(one["identity"], []).append(one)
    except DamagedError as error:
        raise InputError(
            f"leaderboard is damaged: {error}",
            path=str(path),
            hint="remove the file, and call rec.finish() again",
        ) from None
    return listed


def _tries(path: Path, found: Iterable[Part], listed: Listing) -> list[Try]:
    """What was tried: by searches in their order, then as it was first tried."""
    groups = by_identity(found)
    said: dict[tuple[str, int], str] = {}
    for part in (part for part in found if part.name and part.score is not None):
        own = str((part.estimator, part.params))
        if said.setdefault((part.name, part.session), own) != own:
            raise InputError(
                "one name stands for several configurations",
                path=str(path),
                value=part.name,
                hint="rec.scorer for a search: it tells candidates apart by their parameters",
            )
    first = [identity for identity in listed if identity in groups]
    return [
        one
        for identity in dict.fromkeys([*first, *groups])
        for one in tries_of(groups[identity], [own["splits"] for own in listed.get(identity, ())])
    ]


def _assembled(
    path: Path, plan: Design, tries: list[Try], listed: Listing, damaged: list[str]
) -> Recording:
    names = short_names([one.parts[0] for one in tries])
    named = [(one, name) for one, name in zip(tries, names, strict=True) if one.counts]
    counted = [one.parts for one, _ in named]
    everything = [part for group in counted for part in group]
    kind, places = recording_arrays.kind(path, everything), plan.places()
    weights, weighted, otherwise = recording_arrays.weights(path, plan, everything)
    predictions = recording_arrays.cube(path, plan, counted, places, kind)
    scores = recording_arrays.scores(counted, len(places))
    left_out = (*without_predictions(tries, names), *never_fitted(tries, listed))
    return Recording(
        path=path,
        task=plan.task,
        truth=plan.truth,
        classes=plan.classes,
        groups=plan.groups,
        weights=weights,
        weighted=weighted,
        otherwise=otherwise,
        scoring=plan.scoring,
        kind=kind,
        predictions=predictions,
        folds=recording_arrays.folds(plan, places, everything, len(predictions)),
        repeated_holdout=len(places) > 1 and places[-1] == (len(places) - 1, 0),
        configurations=tuple(name for _, name in named),
        params=tuple(one.params for one, _ in named),
        flags=tuple(flags_of(group) for group in counted),
        complete=recording_arrays.complete(predictions, plan, places),
        scores=scores,
        n_candidates_total=len(named) + len(left_out),
        left_out=left_out,
        again=tuple(name for one, name in named if one.again),
        tried_again=tried_again(named),
        leaderboard=_leaderboard(plan.scoring, named, listed, scores),
        finished=bool(listed),
        damaged=tuple(damaged),
        problems=problems_of(tries, names),
        tried=tuple(name for _, name in sorted(named, key=_started)),
    )


def _started(named: tuple[Try, str]) -> int:
    return min(part.time for part in named[0].parts)


def _leaderboard(
    scoring: str, named: list[tuple[Try, str]], listed: Listing, scores: FloatArray
) -> tuple[Listed, ...]:
    sign = -1.0 if scoring.startswith("neg_") else 1.0
    found = []
    for (one, name), own in zip(named, scores, strict=True):
        said = said_of(one, listed.get(one.parts[0].identity, ()))
        value = said["value"] if said else own.mean() if own.size else None
        if value is not None and np.isfinite(value):
            exact = share_of(part.predictions for part in one.parts if part.kind not in _CODES)
            found.append(Listed(name, scoring, sign * float(value), tolerance=exact))
    return tuple(found)
