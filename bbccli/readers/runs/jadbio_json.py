"""What JADBio answers to `get_detailed_analysis_results`, saved as JSON: one file in a folder.

1. `targetData.data`: the outcome of each sample.
2. `oosPredictions.predictions`: by description of a configuration, for each sample a list of one
   number, or of one list with a number for each class in sorted order.
3. `splitIndices`: the positions of the samples of each fold.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.core.local import trying
from bbccli.errors import InputError
from bbccli.readers.runs.base import RunTable
from bbccli.readers.runs.contents import folds_of, read_bytes, read_json
from bbccli.types import FloatArray

_SIGN = b'"oosPredictions"'
_HINT = "save the whole answer of get_detailed_analysis_results(analysis_id) as JSON"
_SINGLE, _BY_CLASS = 2, 3


def file_in(folder: Path) -> Path | None:
    """Return the file with the answer; None where there is none, or several."""
    found = []
    with trying():
        for path in sorted(folder.glob("*.json")):
            with suppress(InputError):
                found += [path] if _SIGN in read_bytes(path) else []
    return found[0] if len(found) == 1 else None


def load(place: Path) -> RunTable:
    """Read the configurations of an analysis.

    Raises
    ------
    InputError
        Not such an answer, or sizes that contradict.
    """
    about = read_json(place)
    try:
        truth = list(about["targetData"]["data"])
        predictions = about["oosPredictions"]["predictions"]
        parts = [np.array(rows, dtype=np.int64) for rows in about["splitIndices"]]
        values = {str(key): np.array(one, dtype=np.float64) for key, one in predictions.items()}
        labels = tuple(map(str, sorted(set(truth))))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise _strange("lacks targetData, oosPredictions or splitIndices", place) from None
    shapes = {one.shape for one in values.values()}
    if len(shapes) != 1 or any(part.ndim != 1 for part in parts):
        raise _strange(f"has predictions of {len(shapes)} shapes, or folds that are none", place)
    shape = shapes.pop()
    if len(shape) not in (_SINGLE, _BY_CLASS) or shape[:2] != (len(truth), 1):
        raise _strange(f"has predictions of {shape} for {len(truth)} samples", place)
    folds = folds_of(parts, len(truth), place)
    columns: dict[str, Any] = {"row_id": np.arange(len(truth)), "fold": folds, "truth": truth}
    classes = labels if len(shape) == _BY_CLASS else ()
    if classes and len(classes) != shape[2]:
        raise _strange(f"has {shape[2]} predictions for {len(classes)} classes", place)
    columns |= _named(values, classes)
    return RunTable(
        tool="JADBio",
        columns=columns,
        files=[place],
        classes=classes,
        unchecked="the export has no scores",
    )


def _named(values: Mapping[str, FloatArray], classes: tuple[str, ...]) -> dict[str, FloatArray]:
    """Columns of all configurations, whose descriptions are too long for names."""
    columns: dict[str, FloatArray] = {}
    for number, one in enumerate(values.values()):
        name = f"cfg_{number + 1:04d}"
        if classes:
            columns |= {f"{name}::{label}": one[:, 0, k] for k, label in enumerate(classes)}
        else:
            columns[name] = one[:, 0]
    return columns


def _strange(problem: str, place: Path) -> InputError:
    return InputError(problem, path=str(place), hint=_HINT)
