"""The folder of a `Recorder` as a table: a row for each sample and repeat that was predicted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bbccli.core.source import tolerance_of
from bbccli.readers.runs.base import RunReader, RunTable, Score, Turn
from bbccli.readers.runs.contents import matching
from bbccli.readers.runs.recording import Recording, load, recognises
from bbccli.recording.design import HEADER
from bbccli.types import BoolArray, IntArray, PredictionKind, Task


def as_table(run: Recording) -> RunTable:
    """Lay out what was recorded; a repeated hold-out has no folds within a repeat."""
    there = _tested(run)
    repeats, rows = np.nonzero(there)
    columns = _facts(run, repeats, rows)
    for column, name in enumerate(run.configurations):
        columns |= _predictions(run, name, run.predictions[repeats, rows, column])
    several = run.folds is not None and not run.repeated_holdout and run.folds.max() > 0
    selection = run.selection if several else None
    scored = np.isfinite(run.scores).any()
    return RunTable(
        tool="recorder",
        columns=columns,
        files=matching(run.path, HEADER, "*.npz", "*/*.npz", "*/*.json"),
        task=str(run.task),
        classes=run.classes,
        flags=dict(zip(run.configurations, run.flags, strict=True)),
        leaderboard=_leaderboard(run, selection or "pooled"),
        metric=run.scoring or None,
        metric_name=None if run.scoring or not scored else "a scorer of its own",
        selection=selection,
        left_out=run.left_out,
        n_candidates_total=run.n_candidates_total,
        unchecked=run.otherwise if run.leaderboard else "no search said its scores",
        weighted=run.weighted,
        tried=run.tried,
        named={"again": run.again, "tried_again": run.tried_again, "damaged": run.damaged},
    )


def _tested(run: Recording) -> BoolArray:
    """(R, N) whether a repeat predicts a sample, or should."""
    present = np.isfinite(run.predictions).reshape(*run.predictions.shape[:2], -1).any(axis=2)
    return np.asarray(present if run.folds is None else present | (run.folds >= 0))


def _facts(run: Recording, repeats: IntArray, rows: IntArray) -> dict[str, Any]:
    """Columns of the roles."""
    columns: dict[str, Any] = {"row_id": rows}
    if len(run.predictions) > 1:
        columns["repeat"] = repeats
    if run.folds is not None and not run.repeated_holdout:
        folds = run.folds[repeats, rows]
        if (folds >= 0).all():
            columns["fold"] = folds
    truth = run.truth[rows]
    columns["truth"] = np.array(run.classes)[truth] if run.classes else truth
    for name, values in (("group", run.groups), ("weight", run.weights)):
        if values is not None:
            columns[name] = values[rows]
    return columns


def _predictions(run: Recording, name: str, values: Any) -> dict[str, Any]:
    """Columns of a configuration, (n,) or (n, K)."""
    if values.ndim == 2:
        return {f"{name}::{one}": values[:, k] for k, one in enumerate(run.classes)}
    if run.kind is not PredictionKind.LABEL or run.task is Task.REGRESSION:
        return {name: values}
    names = np.array([*run.classes, None], dtype=object)
    return {name: names[np.where(np.isfinite(values), values, -1).astype(np.int64)]}


def _leaderboard(run: Recording, selection: str) -> tuple[Score, ...]:
    """What the search said of the configurations that are complete."""
    whole = dict(zip(run.configurations, run.complete, strict=True))
    return tuple(
        Score(
            one.configuration,
            one.metric,
            one.value,
            str(selection),
            tolerance_of(one.tolerance, one.value),
        )
        for one in run.leaderboard
        if whole[one.configuration]
    )


def _load(folder: Path) -> RunTable:
    return as_table(load(folder))


RUNS = (RunReader("recorder", f"`{HEADER}`", recognises, _load, Turn.FIRST),)
