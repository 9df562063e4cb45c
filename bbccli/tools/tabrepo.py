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
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.domain.source import ToolRun
from bbccli.errors import InputError
from bbccli.platform.resources import check_size
from bbccli.reading.interface import Predictions, RunReader
from bbccli.reading.metadata import Metadata
from bbccli.reading.runs.file_parsing import read_bytes, read_json
from bbccli.types import FloatArray

_ABOUT, _MATRIX, _LABELS = _FILES = ("metadata.json", "pred-val.dat", "label-val.csv.zip")
_TYPES = ("float32", "float16", "float64")
_HINT = "download the artefact again"


def recognises(folder: Path) -> bool:
    """True for a folder with the matrix of TabRepo."""
    return (folder / _ABOUT).is_file() and (folder / _MATRIX).is_file()


def load(folder: Path) -> Predictions:
    """Read all models of a task."""
    about = read_json(folder / _ABOUT)
    fault = partial(InputError, path=folder / _ABOUT, hint=_HINT)
    try:
        models = [str(name) for name in about["models"]]
        shape = tuple(int(size) for size in about["pred_val_shape"])
        kind = str(about["dtype"])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise fault("lacks models, pred_val_shape or dtype") from None
    fits = len(shape) in (2, 3) and shape[0] == len(models) and min(shape) > 0
    if kind not in _TYPES or not fits:
        raise fault(f"has {len(models)} models, but a matrix of {shape} {kind}")
    if twice := [name for name, times in Counter(models).items() if times > 1]:
        raise fault(f"names the model {twice[0]!r} twice")
    matrix = _matrix(folder / _MATRIX, shape, kind)
    keys, labels = _labels(folder / _LABELS, shape[1])
    classes = tuple(map(str, range(shape[2]))) if len(shape) == 3 else ()
    flags = {name: ("ensemble",) for name in models if "WeightedEnsemble" in name}
    run = ToolRun(tool="TabRepo", unchecked="the artefact has no scores")
    about = Metadata(classes=classes, flags=flags, run=run)
    roles, files = {"row_id": keys, "truth": labels}, [folder / file for file in _FILES]
    return Predictions(dict(zip(models, matrix, strict=True)), roles, files, about)


def _matrix(place: Path, shape: tuple[int, ...], kind: str) -> FloatArray:
    size = math.prod(shape) * np.dtype(kind).itemsize
    check_size(size, str(place))
    data = read_bytes(place)
    if len(data) != size:
        problem = f"has {len(data)} bytes, but its description says {size}"
        raise InputError(problem, path=place, hint=_HINT)
    return np.frombuffer(data, dtype=np.dtype(kind).newbyteorder("<")).reshape(shape)


def _labels(place: Path, n_samples: int) -> tuple[list[str], list[Any]]:
    """Return keys of the samples, and their labels."""
    fault = partial(InputError, path=place, hint=_HINT)
    try:
        with zipfile.ZipFile(io.BytesIO(read_bytes(place))) as archive:
            inner = archive.infolist()[0]
            check_size(inner.file_size, str(place))
            text = io.StringIO(archive.read(inner).decode("utf-8-sig"), newline="")
            rows = [row for row in csv.reader(text) if row][1:]
    except InputError:
        raise
    except Exception:  # every compression has its own
        raise fault("is damaged") from None
    if len(rows) != n_samples:
        raise fault(f"has {len(rows)} rows, but there are {n_samples} samples")
    wrong = [number for number, row in enumerate(rows) if len(row) != 2]
    if wrong:
        problem = f"has {len(rows[wrong[0]])} values instead of a sample and its label"
        raise fault(problem, row=wrong[0], further=len(wrong) - 1)
    keys, labels = zip(*rows, strict=True)
    try:
        numbers = [float(label) for label in labels]
    except ValueError:
        return list(keys), list(labels)
    whole = all(number.is_integer() for number in numbers)
    return list(keys), [int(number) for number in numbers] if whole else numbers


RUNS = (RunReader("TabRepo", "`metadata.json` and `pred-val.dat`", recognises, load),)
