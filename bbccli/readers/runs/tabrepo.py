"""Artefacts of TabRepo and TabArena: one matrix of numbers for all models of a task and fold.

1. `metadata.json`: names of the models, shape and type of the matrix.
2. `pred-val.dat`: the matrix, models x samples (x classes), without any header.
3. `label-val.csv.zip`: the samples and their classes as codes, or values.
The folds of the inner cross-validation are not kept.
"""

from __future__ import annotations

import csv
import io
import math
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.core import reading
from bbccli.core.source import ToolRun
from bbccli.errors import InputError
from bbccli.readers.metadata import Metadata
from bbccli.readers.runs.base import RunReader, columns_of, table_of
from bbccli.readers.runs.contents import read_bytes, read_json
from bbccli.readers.sources.limits import check_size
from bbccli.readers.table import Table
from bbccli.types import FloatArray

_TYPES = ("float32", "float16", "float64")
_HINT = "download the artefact again"


def recognises(folder: Path) -> bool:
    """Return True for a folder with the matrix of TabRepo."""
    return (folder / "metadata.json").is_file() and (folder / "pred-val.dat").is_file()


_TAKEN = ("row_id", "truth")
"""Columns that are no configuration."""


def load(folder: Path) -> Table:
    """Read all models of a task.

    Raises
    ------
    InputError
        A file that is missing or damaged, or sizes that contradict each other.
    """
    about = read_json(folder / "metadata.json")
    try:
        models = [str(name) for name in about["models"]]
        shape = tuple(int(size) for size in about["pred_val_shape"])
        kind = str(about["dtype"])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise _wrong(folder / "metadata.json", "lacks models, pred_val_shape or dtype") from None
    fits = len(shape) in (2, 3) and shape[0] == len(models) and min(shape) > 0
    if kind not in _TYPES or not fits:
        problem = f"has {len(models)} models and a matrix of {shape} {kind}"
        raise _wrong(folder / "metadata.json", problem)
    twice = next((name for name, n in Counter(models).items() if n > 1), None)
    if twice is not None:
        raise _wrong(folder / "metadata.json", f"names the model {twice!r} twice")
    taken = next((name for name in models if name in _TAKEN), None)
    if taken is not None:
        raise InputError(
            f"has a model called {taken!r}, a name that bbc needs for another column",
            path=str(folder / "metadata.json"),
            hint="give the model another name there",
        )
    files = [folder / name for name in ("metadata.json", "pred-val.dat", "label-val.csv.zip")]
    matrix = _matrix(files[1], shape, kind)
    keys, labels = _labels(files[2], shape[1])
    classes = tuple(map(str, range(shape[2]))) if len(shape) == 3 else ()
    columns: dict[str, Any] = {"row_id": keys, "truth": labels}
    for name, values in zip(models, matrix, strict=True):
        columns |= columns_of(name, values, classes)
    flags = {name: ("ensemble",) for name in models if "WeightedEnsemble" in name}
    run = ToolRun(tool="TabRepo", unchecked="the artefact has no scores")
    return table_of(folder, files, columns, run, Metadata(classes=classes, flags=flags))


def _matrix(place: Path, shape: tuple[int, ...], kind: str) -> FloatArray:
    size = math.prod(shape) * np.dtype(kind).itemsize
    check_size(size, str(place))
    data = read_bytes(place)
    if len(data) != size:
        raise _wrong(place, f"has {len(data)} bytes, its description says {size}")
    return np.frombuffer(data, dtype=np.dtype(kind).newbyteorder("<")).reshape(shape)


def _labels(place: Path, n_samples: int) -> tuple[list[str], list[Any]]:
    """Keys of the samples, and their labels."""
    try:
        with zipfile.ZipFile(io.BytesIO(read_bytes(place))) as archive:
            inner = archive.infolist()[0]
            if inner.file_size > reading.current().max_input:
                check_size(inner.file_size, str(place))
            text = io.StringIO(archive.read(inner).decode("utf-8-sig"), newline="")
            rows = [row for row in csv.reader(text) if row][1:]
    except InputError:
        raise
    except Exception:  # each packing has its own
        raise _wrong(place, "is damaged") from None
    if len(rows) != n_samples:
        raise _wrong(place, f"has {len(rows)} rows, there are {n_samples} samples")
    wrong = [number for number, row in enumerate(rows) if len(row) != 2]
    if wrong:
        problem = f"has {len(rows[wrong[0]])} values where a sample and its label belong"
        raise InputError(problem, path=str(place), row=wrong[0], hint=_HINT, further=len(wrong) - 1)
    labels = [row[1] for row in rows]
    try:
        numbers = [float(label) for label in labels]
    except ValueError:
        return [row[0] for row in rows], labels
    whole = all(number.is_integer() for number in numbers)
    return [row[0] for row in rows], [int(one) for one in numbers] if whole else numbers


def _wrong(place: Path, problem: str) -> InputError:
    return InputError(problem, path=str(place), hint=_HINT)


RUNS = (RunReader("TabRepo", "`metadata.json` and `pred-val.dat`", recognises, load),)
