"""Files of JADBio as published with BBC-F: one analysis, its files told by their ends.

1. `_outcome.csv`: the outcome of each sample, under a header line.
2. `_predictions.csv`, or `_predictions_<class>.csv` for each class: samples x configurations.
3. `_splitIndices.csv`: a row for each fold with the positions of its samples, padded.
4. `_configurations.csv`: a description of each configuration, too long for a name.

In place of the files the answer of JADBio to `get_detailed_analysis_results` will do, saved as
JSON, one file in a folder:

1. `targetData.data`: the outcome of each sample.
2. `oosPredictions.predictions`: by description of a configuration, for each sample a list of one
   number, or of one list with a number for each class in sorted order.
3. `splitIndices`: the positions of the samples of each fold.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.core.local import trying
from bbccli.core.source import ToolRun
from bbccli.errors import InputError
from bbccli.readers.column import number_of
from bbccli.readers.metadata import Metadata
from bbccli.readers.runs import contents
from bbccli.readers.runs.base import RunReader, table_of
from bbccli.readers.runs.contents import read_bytes
from bbccli.readers.table import Table
from bbccli.types import FloatArray, IntArray

_OUTCOME = "_outcome.csv"
_PREDICTIONS = "_predictions"
_FOLDS = "_splitIndices.csv"
_SIGN = b'"oosPredictions"'
_HINT = "keep all files of one analysis in a folder"
_FARTHEST = 2**53


def recognises(folder: Path) -> bool:
    """Return True for a folder with an outcome and folds of JADBio, or its answer as JSON."""
    files = any(folder.glob(f"*{_OUTCOME}")) and any(folder.glob(f"*{_FOLDS}"))
    return files or _answer_in(folder) is not None


def load(folder: Path) -> Table:
    """Read the configurations of an analysis.

    Raises
    ------
    InputError
        Files of several analyses, a file that is missing or damaged, or sizes that contradict.
    """
    outcomes = sorted(folder.glob(f"*{_OUTCOME}"))
    if not outcomes and (answer := _answer_in(folder)):
        return _load_json(folder, answer)
    start = outcomes[0].name.removesuffix(_OUTCOME)
    if len(outcomes) > 1:
        problem = f"holds {len(outcomes)} analyses, such as {start}"
        raise InputError(problem, path=folder, hint=_HINT)
    outcome = contents.read_table(outcomes[0]).data
    truth = outcome.column(outcome.column_names[0])
    parts = _parts(folder, start, len(truth))
    folds = _folds(folder / f"{start}{_FOLDS}", len(truth))
    classes = tuple(one for one in parts if one)
    by_class = zip(*(values.T for values in parts.values()), strict=True)
    each = (np.column_stack(one) if classes else one[0] for one in by_class)
    files = contents.matching(folder, f"{glob.escape(start)}_*.csv")
    return _table(folder, files, truth, folds, each, classes)


def _table(
    folder: Path,
    files: Iterable[Path],
    truth: Any,
    folds: IntArray,
    predictions: Iterable[FloatArray],
    classes: tuple[str, ...],
) -> Table:
    """The table of an analysis, whose configurations have descriptions too long for names."""
    columns = {"row_id": np.arange(len(truth)), "fold": folds, "truth": truth}
    columns |= {f"cfg_{number:04d}": values for number, values in enumerate(predictions, 1)}
    run = ToolRun(tool="JADBio", unchecked="the export has no scores")
    return table_of(folder, files, columns, run, Metadata(classes=classes))


def _answer_in(folder: Path) -> Path | None:
    """Return the file with the answer; None where there is none, or several."""
    found = []
    with trying():
        for path in sorted(folder.glob("*.json")):
            with suppress(InputError):
                found += [path] if _SIGN in read_bytes(path) else []
    return found[0] if len(found) == 1 else None


def _load_json(folder: Path, place: Path) -> Table:
    hint = "save the whole answer of get_detailed_analysis_results(analysis_id) as JSON"
    fault = partial(InputError, path=place, hint=hint)
    about = contents.read_json(place)
    try:
        truth = list(about["targetData"]["data"])
        predictions = about["oosPredictions"]["predictions"]
        parts = [np.array(rows, dtype=np.int64) for rows in about["splitIndices"]]
        values = [np.array(one, dtype=np.float64) for one in predictions.values()]
        labels = tuple(map(str, sorted(set(truth))))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise fault("lacks targetData, oosPredictions or splitIndices") from None
    shapes = {one.shape for one in values}
    if len(shapes) != 1 or any(part.ndim != 1 for part in parts):
        raise fault(f"has predictions of {len(shapes)} shapes, or folds that are none")
    (shape,) = shapes
    if len(shape) not in (2, 3) or shape[:2] != (len(truth), 1):
        raise fault(f"has predictions of {shape} for {len(truth)} samples")
    folds = contents.folds_of(parts, len(truth), place)
    classes = labels if len(shape) == 3 else ()
    if classes and len(classes) != shape[2]:
        raise fault(f"has {shape[2]} predictions for {len(classes)} classes")
    return _table(folder, [place], truth, folds, (one[:, 0] for one in values), classes)


def _parts(folder: Path, start: str, n_samples: int) -> dict[str, FloatArray]:
    """Predictions by class; under no name where there is one file for all."""
    found: dict[str, FloatArray] = {}
    for place in sorted(folder.glob(f"{glob.escape(start)}{_PREDICTIONS}*.csv")):
        fault = partial(InputError, path=place, hint=_HINT)
        values = np.column_stack([*contents.numbers_of(contents.read_table(place)).values()])
        wanted = n_samples, next(iter(found.values()), values).shape[1]
        if values.shape != wanted:
            problem = "has {} rows and {} configurations, not {} and {}"
            raise fault(problem.format(*values.shape, *wanted))
        if "" in found:
            raise fault(f"holds one class, {start}{_PREDICTIONS}.csv all")
        found[place.stem.removeprefix(f"{start}{_PREDICTIONS}").removeprefix("_")] = values
    if not found:
        raise contents.missing(folder / f"{start}{_PREDICTIONS}.csv")
    return found


def _folds(place: Path, n_samples: int) -> IntArray:
    parts = []
    for row, cells in enumerate(contents.read_rows(place)[1:]):
        given = [cell for cell in cells if cell.strip().lower() not in ("", "nan")]  # else padding
        numbers = np.array([number_of(cell.strip()) for cell in given])
        wrong = np.flatnonzero(~((numbers % 1 == 0) & (np.abs(numbers) < _FARTHEST)))
        if len(wrong):
            problem, value = "is not the position of a sample", given[wrong[0]]
            raise InputError(problem, path=place, row=row, value=value, hint=_HINT)
        parts += [numbers.astype(np.int64)] if given else []
    return contents.folds_of(parts, n_samples, place)


RUNS = (
    RunReader(
        "JADBio",
        "`*_outcome.csv` and `*_splitIndices.csv`, or JSON with `oosPredictions`",
        recognises,
        load,
        untested=True,
    ),
)
