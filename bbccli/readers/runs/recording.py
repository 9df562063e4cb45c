"""The folder of a `Recorder` as a table: a row for each sample and repeat that was predicted."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.core.source import LeftOut, ReportedScore, ToolRun, tolerance_of
from bbccli.errors import InputError
from bbccli.readers.metadata import Metadata
from bbccli.readers.runs.base import ROLES, Order, RunReader, table_of
from bbccli.readers.runs.contents import matching
from bbccli.readers.sources.limits import check_size
from bbccli.readers.table import Table, cells_of
from bbccli.recording import store
from bbccli.recording.store import Design, Listed, Part, by_identity, listed_in, parts_in
from bbccli.recording.tries import (
    Try,
    candidate_of,
    share_of,
    short_names,
    tries_of,
)
from bbccli.types import BoolArray, FloatArray, IntArray, Pooling, PredictionKind, Task

Listing = Mapping[str, list[Listed]]
"""Candidates by identity, in the order in which searches listed them."""

Named = Sequence[tuple[Try, str]]


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """The predictions of C configurations for N samples in R repeats.

    Parameters
    ----------
    path
        The folder.
    design
        Its truth, classes and folds.
    tries, configurations
        Tries with predictions, and C unique names: those that were given, else the parameters that
        vary.
    listed
        Candidates of searches.
    kind
        Form of the predictions; scores where some configurations have scores and others
        probabilities.
    predictions : (R, N, C) or (R, N, C, K)
        NaN where there is none.
    folds : (R, N) int, optional
        Fold of each sample in each repeat, -1 where no fold tests it; None where unknown or
        different between configurations.
    left_out
        Names of tries that take no part, and why.
    damaged
        Files that can't be read.
    """

    path: Path
    design: Design
    tries: tuple[Try, ...]
    configurations: tuple[str, ...]
    listed: Listing
    kind: PredictionKind
    predictions: FloatArray
    folds: IntArray | None
    left_out: tuple[tuple[str, str], ...]
    damaged: tuple[str, ...]

    @property
    def parts(self) -> list[Part]:
        """All parts of the tries."""
        return [part for one in self.tries for part in one.parts]

    @property
    def repeated_holdout(self) -> bool:
        """True if each repeat is one split that tests a part of the samples."""
        places = self.design.places
        return len(places) > 1 and places[-1] == (len(places) - 1, 0)

    @property
    def complete(self) -> BoolArray:
        """True for each configuration with a prediction wherever one should be: (C,)."""
        present = np.isfinite(self.predictions)
        if present.ndim == 4:
            present = np.asarray(present.all(axis=3))
        wanted = np.asarray(present.any(axis=2))
        if self.design.tests and self.folds is not None:  # a fold that nobody has is missing too
            wanted |= self.folds >= 0
        return np.asarray((present == wanted[:, :, None]).all(axis=(0, 1)))


def recognises(path: Path) -> bool:
    """Return True for the folder of a recording."""
    return (path / store.HEADER).is_file()


def load(path: Path) -> Recording:
    """Read the folder of a recording, whether or not it was finished.

    Raises
    ------
    InputError
        It is damaged or of another version, holds no predictions, or predictions of several forms.
    """
    held = matching(path, store.HEADER, store.ARRAYS, *store.PATTERNS)
    check_size(sum(file.stat().st_size for file in held), str(path))
    plan = store.load(path)
    found, damaged = parts_in(path)
    placed = [_placed(path, plan, part) for part in found]
    listed = by_identity(listed_in(path))
    tries = _tries(path, placed, listed)
    named = list(zip(tries, short_names([one.parts[0] for one in tries]), strict=True))
    counted = [(one, name) for one, name in named if one.counts]
    if not counted:
        raise InputError(
            "holds no predictions" + (f"; {len(damaged)} files are damaged" if damaged else ""),
            path=str(path),
            hint="give rec.scorer to the search and rec.cv as its cv, or call rec.write()",
        )
    predicted = [[part for part in one.parts if part.predictions is not None] for one, _ in counted]
    kind = _kind(path, {part.kind for group in predicted for part in group if part.kind})
    predictions = _prediction_array(path, plan, predicted, kind)
    return Recording(
        path=path,
        design=plan,
        tries=tuple(one for one, _ in counted),
        configurations=tuple(name for _, name in counted),
        listed=listed,
        kind=kind,
        predictions=predictions,
        folds=_folds(plan, itertools.chain(*predicted), len(predictions)),
        left_out=tuple(_left_out(named, listed)),
        damaged=tuple(damaged),
    )


def _tries(path: Path, found: Iterable[Part], listed: Listing) -> list[Try]:
    """Return what was tried: by searches in their order, then as it was first tried."""
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
        for one in tries_of(groups[identity], [c.splits for c in listed.get(identity, ())])
    ]


def _left_out(named: Named, listed: Listing) -> Iterator[tuple[str, str]]:
    """Yield the names of tries that take no part, and why."""
    for one, name in named:
        if not one.used:
            yield name, "scored again by the same scorer, with other predictions"
        elif not one.counts:
            yield name, next((p.problem for p in one.parts if p.problem), "no predictions")
    recorded = {part.identity for one, _ in named for part in one.parts}
    for identity, candidates in listed.items():
        if identity not in recorded:
            yield candidates[-1].label or identity, "every fit failed"


def _kind(path: Path, kinds: set[PredictionKind]) -> PredictionKind:
    """Return the form of all predictions.

    Raises
    ------
    InputError
        There are several.
    """
    if len(kinds) == 1:
        return next(iter(kinds))
    if kinds == {PredictionKind.PROBABILITY, PredictionKind.SCORE}:
        return PredictionKind.SCORE
    raise InputError(
        f"predictions are of several forms: {', '.join(sorted(map(str, kinds)))}",
        path=str(path),
        hint="record one form for all, such as Recorder(response='predict_proba')",
    )


def _placed(path: Path, plan: Design, part: Part) -> Part:
    """Return a part with its rows and its repeat, also where its split says them.

    Raises
    ------
    InputError
        Rows or a split that the design does not have, or weights of other samples.
    """
    rows, repeat = part.rows, part.repeat
    if rows is None and part.split is None and part.predictions is None:  # tried, nothing else
        return part
    if part.split is not None:
        there = part.split < len(plan.tests)
        rows, repeat = (plan.tests[part.split], plan.places[part.split][0]) if there else (None, 0)
    if rows is None or rows.dtype.kind != "i" or not rows.size:
        raise _damaged(path, part)
    alike = part.weights is None or part.weights.shape == rows.shape
    if not alike or rows.min() < 0 or rows.max() >= plan.n_samples:
        raise _damaged(path, part)
    return replace(part, rows=rows, repeat=repeat)


def _prediction_array(
    path: Path, plan: Design, predicted: Sequence[list[Part]], kind: PredictionKind
) -> FloatArray:
    """Return predictions (R, N, C) or (R, N, C, K), NaN where there are none.

    Raises
    ------
    InputError
        A part does not fit the design, or all of it is too large.
    """
    everything = [part for group in predicted for part in group]
    n_repeats = 1 + max([r for r, _ in plan.places] + [part.repeat for part in everything])
    shape: tuple[int, ...] = (n_repeats, plan.n_samples, len(predicted))
    if plan.task is Task.MULTICLASS and kind is not PredictionKind.LABEL:
        shape += (len(plan.classes),)
    narrow = {np.asarray(part.predictions).dtype for part in everything} == {np.dtype(np.float32)}
    dtype = np.dtype(np.float32 if narrow else np.float64)
    check_size(math.prod(shape) * dtype.itemsize, str(path))
    filled = np.full(shape, np.nan, dtype)
    for column, group in enumerate(predicted):
        for part in group:
            rows, values = np.asarray(part.rows), np.asarray(part.predictions)
            codes = kind is not PredictionKind.LABEL or (
                values.dtype.kind == "i" and ((values >= 0) & (values < len(plan.classes))).all()
            )
            if values.shape != (len(rows), *shape[3:]) or not codes:
                raise _damaged(path, part)
            filled[part.repeat, rows, column] = values
    return filled


def _damaged(path: Path, part: Part) -> InputError:
    return InputError(
        "a part does not fit the folds of the recording",
        path=str(path),
        value=part.name or part.identity,
        hint="record it again into another folder",
    )


def _folds(plan: Design, predicted: Iterable[Part], n_repeats: int) -> IntArray | None:
    """Return the fold of each sample (R, N): of the design, or as all parts say alike."""
    folds = np.full((n_repeats, plan.n_samples), -1, np.int64)
    for (repeat, fold), rows in zip(plan.places, plan.tests, strict=True):
        folds[repeat, rows] = fold
    for part in () if plan.places else predicted:
        before = folds[part.repeat, part.rows]
        if part.fold is None or ((before >= 0) & (before != part.fold)).any():
            return None
        folds[part.repeat, part.rows] = part.fold
    return folds


def as_table(run: Recording) -> Table:
    """Lay out what was recorded; a repeated hold-out has no folds within a repeat."""
    plan = run.design
    weights, weighted, otherwise = _weights(run)
    predictions = run.predictions.reshape(*run.predictions.shape[:2], -1)
    tested = np.isfinite(predictions).any(axis=2)
    repeats, rows = np.nonzero(tested if run.folds is None else tested | (run.folds >= 0))
    columns = _sample_columns(run, weights, repeats, rows)
    cells = cells_of(run.configurations, plan.classes if run.predictions.ndim == 4 else (), ROLES)
    for column, cell in enumerate(cells):
        own = predictions[repeats, rows, column]
        columns[cell.source] = _labels(plan, own) if run.kind is PredictionKind.LABEL else own
    several = run.folds is not None and not run.repeated_holdout and run.folds.max() > 0
    selection = Pooling.FOLD_MEAN if several else Pooling.POOLED
    board = list(_leaderboard(run, selection))
    named = list(zip(run.tries, run.configurations, strict=True))
    started = sorted(named, key=lambda one: min(part.time for part in one[0].parts))
    identities = [one.parts[0].identity for one in run.tries]
    scored = any(part.score is not None and np.isfinite(part.score) for part in run.parts)
    return table_of(
        run.path,
        matching(run.path, store.HEADER, "*.npz", "*/*.npz", "*/*.json"),
        columns,
        ToolRun(
            tool="recorder",
            left_out=tuple(LeftOut(*one) for one in run.left_out),
            metric=plan.scoring or None,
            metric_name=None if plan.scoring or not scored else "a scorer of its own",
            unchecked=otherwise if any(board) else "no search said its scores",
            tried=tuple(name for _, name in started),
            leaderboard=tuple(
                s for s, whole in zip(board, run.complete, strict=True) if s and whole
            ),
            again=tuple(name for one, name in named if one.again),
            tried_again=tuple(
                name for i, (_, name) in enumerate(named) if identities[i] in identities[:i]
            ),
            damaged=run.damaged,
            weighted=weighted,
        ),
        Metadata(
            task=plan.task,
            classes=plan.classes,
            flags={
                name: tuple(dict.fromkeys(f for p in t.parts for f in p.flags)) for t, name in named
            },
            selection=selection if several else None,
            n_candidates_total=len(named) + len(run.left_out),
        ),
        cells,
    )


def _sample_columns(
    run: Recording, weights: FloatArray | None, repeats: IntArray, rows: IntArray
) -> dict[str, Any]:
    """Return the columns of the roles."""
    plan = run.design
    truth = plan.truth[rows]
    columns: dict[str, Any] = {"row_id": rows}
    if len(run.predictions) > 1:
        columns["repeat"] = repeats
    if run.folds is not None and not run.repeated_holdout:
        folds = run.folds[repeats, rows]
        columns |= {"fold": folds} if (folds >= 0).all() else {}
    columns["truth"] = np.array(plan.classes)[truth] if plan.classes else truth
    of_samples = {"group": plan.groups, "weight": weights}
    return columns | {name: one[rows] for name, one in of_samples.items() if one is not None}


def _labels(plan: Design, codes: FloatArray) -> NDArray[Any]:
    """Return the classes with these codes, None for NaN."""
    names = np.array([*plan.classes, None], dtype=object)
    return np.asarray(names[np.where(np.isfinite(codes), codes, -1).astype(np.int64)])


def _leaderboard(run: Recording, selection: Pooling) -> Iterator[ReportedScore | None]:
    """Yield the score of each configuration by the search, in the sign of bbc.

    Without `finish` the mean of the scores of those that have all; None where there is none.
    """
    scoring, n_splits = run.design.scoring, len(run.design.tests)
    sign = -1.0 if scoring.startswith("neg_") else 1.0
    for one, name in zip(run.tries, run.configurations, strict=True):
        listed = candidate_of(one, run.listed.get(one.parts[0].identity, ()))
        scores = [part.score for _, part in sorted(one.splits.items()) if part.score is not None]
        mean = float(np.mean(scores)) if scores and len(scores) == n_splits else np.nan
        value = sign * (listed.value if listed else mean)
        inexact = (p.predictions for p in one.parts if p.kind not in (None, PredictionKind.LABEL))
        tolerance = tolerance_of(share_of(inexact), value)
        score = ReportedScore(
            id=name, metric=scoring, value=value, selection=selection, tolerance=tolerance
        )
        yield score if np.isfinite(value) else None


def _weights(run: Recording) -> tuple[FloatArray | None, bool, str]:
    """Return the weights of the samples, and of which samples the scores of a search are.

    Returns
    -------
    weights : (N,), optional
        Those that the recorder was given, else those that its scorer was; 1 where none is known.
    weighted
        True if all scores are of the samples so weighted.
    otherwise
        Why they are not, where there are weights.

    Raises
    ------
    InputError
        The scorer was given weights for some fits, or others for the same sample.
    """
    weights = run.design.weights
    scored = [part for part in run.parts if part.score is not None and part.split is not None]
    given = [part for part in scored if part.weights is not None]
    if weights is None and given:
        if len(given) < len(scored):
            raise _two_weights(run, "some fits were scored with sample weights, others without")
        weights = np.full(run.design.n_samples, np.nan)
        for part in given:
            before = weights[part.rows]
            if ((before != part.weights) & ~np.isnan(before)).any():
                raise _two_weights(run, "fits were scored with different weights of a sample")
            weights[part.rows] = part.weights
        return np.where(np.isnan(weights), 1.0, weights), True, ""
    if weights is None or not scored:
        return weights, False, ""
    same = [np.array_equal(weights[part.rows], np.asarray(part.weights)) for part in given]
    if len(given) == len(scored) and all(same):
        return weights, True, ""
    how = "with other weights than those" if given else "without the weights"
    return weights, False, f"the search scored {how} of the recorder"


def _two_weights(run: Recording, problem: str) -> InputError:
    return InputError(
        problem,
        path=str(run.path),
        hint="record them in a folder each, or say which weights count: Recorder(sample_weight=)",
    )


RUNS = (
    RunReader(
        "recorder",
        f"`{store.HEADER}`",
        recognises,
        lambda folder: as_table(load(folder)),
        Order.FIRST,
    ),
)
