"""Files of JADBio as published with BBC-F: one analysis, its files told by their ends.

1. `_outcome.csv`: the outcome of each sample, under a header line.
2. `_predictions.csv`, or `_predictions_<class>.csv` for each class: samples x configurations.
3. `_splitIndices.csv`: a row for each fold with the positions of its samples, padded.
4. `_configurations.csv`: a description of each configuration, too long for a name.

In place of the files the answer of JADBio's interface will do, see `jadbio_json`.
"""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.column import number_of
from bbccli.readers.runs import jadbio_json
from bbccli.readers.runs.base import RunReader, RunTable
from bbccli.readers.runs.contents import (
    folds_of,
    matching,
    missing,
    numbers_of,
    read_rows,
    read_table,
)
from bbccli.types import FloatArray, IntArray

_OUTCOME = "_outcome.csv"
_PREDICTIONS = "_predictions"
_HINT = "keep all files of one analysis in a folder"
_FARTHEST = 2**53


def recognises(folder: Path) -> bool:
    """Whether a folder has an outcome and the folds of JADBio, or its answer as JSON."""
    files = any(folder.glob(f"*{_OUTCOME}")) and any(folder.glob("*_splitIndices.csv"))
    return files or jadbio_json.file_in(folder) is not None


def load(folder: Path) -> RunTable:
    """Read the configurations of an analysis.

    Raises
    ------
    InputError
        Files of several analyses, a file that is missing or damaged, or sizes that contradict.
    """
    outcomes = sorted(folder.glob(f"*{_OUTCOME}"))
    answer = jadbio_json.file_in(folder)
    if answer is not None and not outcomes:
        return jadbio_json.load(answer)
    start = outcomes[0].name.removesuffix(_OUTCOME)
    if len(outcomes) > 1:
        problem = f"holds {len(outcomes)} analyses, such as {start}"
        raise InputError(problem, path=str(folder), hint=_HINT)
    truth = next(iter(read_table(outcomes[0]).values()))
    parts = _parts(folder, start, len(truth))
    columns: dict[str, Any] = {"row_id": np.arange(len(truth))}
    columns |= {"fold": _folds(folder / f"{start}_splitIndices.csv", len(truth)), "truth": truth}
    n_configurations = next(iter(parts.values())).shape[1]
    names = [f"cfg_{number + 1:04d}" for number in range(n_configurations)]
    for number, name in enumerate(names):
        for one, values in parts.items():
            columns[f"{name}::{one}" if one else name] = values[:, number]
    return RunTable(
        tool="JADBio",
        columns=columns,
        files=matching(folder, f"{glob.escape(start)}_*.csv"),
        classes=tuple(one for one in parts if one),
        unchecked="the export has no scores",
    )


def _parts(folder: Path, start: str, n_samples: int) -> dict[str, FloatArray]:
    """Predictions by class; under no name where there is one file for all."""
    found: dict[str, FloatArray] = {}
    for place in sorted(folder.glob(f"{glob.escape(start)}{_PREDICTIONS}*.csv")):
        table = read_table(place)
        one = place.stem.removeprefix(f"{start}{_PREDICTIONS}").removeprefix("_")
        values = np.column_stack([numbers_of(table[name], place, name) for name in table])
        n_configurations = next(iter(found.values()), values).shape[1]
        if values.shape != (n_samples, n_configurations):
            problem = (
                f"has {values.shape[0]} rows and {values.shape[1]} configurations, not "
                f"{n_samples} and {n_configurations}"
            )
            raise InputError(problem, path=str(place), hint=_HINT)
        if "" in found:
            raise InputError(
                f"holds one class, {start}{_PREDICTIONS}.csv all", path=str(place), hint=_HINT
            )
        found[one] = values
    if not found:
        raise missing(folder / f"{start}{_PREDICTIONS}.csv")
    return found


def _folds(place: Path, n_samples: int) -> IntArray:
    parts = [
        np.array([_position(cell, row, place) for cell in cells if not _is_padding(cell)], np.int64)
        for row, cells in enumerate(read_rows(place)[1:])
    ]
    return folds_of([part for part in parts if len(part)], n_samples, place)


def _is_padding(cell: str) -> bool:
    return cell.strip().lower() in ("", "nan")


def _position(cell: str, row: int, place: Path) -> int:
    number = number_of(cell.strip())
    if not (number % 1 == 0 and abs(number) < _FARTHEST):
        raise InputError(
            "is not the position of a sample", path=str(place), row=row, value=cell, hint=_HINT
        )
    return int(number)


RUNS = (
    RunReader(
        "JADBio",
        "`*_outcome.csv` and `*_splitIndices.csv`, or JSON with `oosPredictions`",
        recognises,
        load,
        untested=True,
    ),
)
