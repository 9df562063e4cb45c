"""Parts of a recording: one file per configuration and test set."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.core.atomic import SUFFIX
from bbccli.core.local import bytes_of
from bbccli.recording.arrays import DamagedError, packed, unpacked
from bbccli.recording.design import LEADERBOARDS, PARTS
from bbccli.types import IntArray, PredictionKind

PATTERNS = (f"{PARTS}/[0-9]*.npz", f"{LEADERBOARDS}/[0-9]*.json")
"""Files that are read: parts, and the candidates of searches."""

_ABOUT = "about"
_BINARY = getattr(os, "O_BINARY", 0)
_TOKEN = uuid.uuid4().hex[:12]
_COUNTER = itertools.count()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Part:
    """The predictions of one configuration for one test set.

    Parameters
    ----------
    identity
        Shared by all parts of a configuration.
    name
        Name of the configuration; empty where its parameters make one.
    estimator
        Class of the estimator; empty where unknown.
    params
        Parameters, as JSON.
    predictions : (n,) or (n, K), optional
        Class codes, probabilities or scores of the positive class, values; or one column per
        class. None where there are none: see `problem`, or the configuration was only tried.
    kind
        Form of the predictions.
    split
        Position of the split in the design; None where `rows`, `repeat` and `fold` say it.
    rows : (n,) int, optional
        Positions of the samples.
    repeat, fold
        Where the design has no splits; a fold of None is unknown.
    score
        Score that the search was given, in its sign; None where there is none.
    flags
        Threats to validity, as in the metadata of a table.
    problem
        Why there are no predictions although the test set was scored.
    session, time
        When the recorder or its scorer was made and the part was written, in nanoseconds.
    data
        Digest of the features; empty where unknown.
    weights : (n,), optional
        Weights of the samples that the scorer was given.
    """

    identity: str
    session: int
    name: str = ""
    estimator: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    predictions: NDArray[Any] | None = None
    kind: PredictionKind | None = None
    split: int | None = None
    rows: IntArray | None = None
    repeat: int = 0
    fold: int | None = None
    score: float | None = None
    flags: tuple[str, ...] = ()
    problem: str = ""
    time: int = field(default_factory=time.time_ns)
    data: str = ""
    weights: NDArray[Any] | None = None


_ARRAYS = ("predictions", "rows", "weights")
_WRITTEN = tuple(one.name for one in fields(Part) if one.name not in _ARRAYS)


def identity_of(name: str, estimator: str, params: Mapping[str, Any]) -> str:
    """Return the key of a configuration: its name, else a digest of estimator and parameters."""
    if name:
        return f"name {name}"
    text = json.dumps([estimator, params], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def write(folder: Path, part: Part) -> None:
    """Write a part, whole or not at all: under a temporary name, which is then changed.

    A process that is killed leaves at most a file that nobody reads. There is no wait for the disk:
    after a loss of power parts may be damaged, which their readers notice.

    Raises
    ------
    OSError
        The folder can't be written.
    """
    about = {name: getattr(part, name) for name in _WRITTEN}
    text = json.dumps(about, ensure_ascii=False, default=str)
    arrays = {name: getattr(part, name) for name in _ARRAYS}
    arrays[_ABOUT] = np.frombuffer(text.encode(), np.uint8)
    kept = {name: array for name, array in arrays.items() if array is not None}
    _place(folder / PARTS, "npz", packed(kept))


def write_leaderboard(folder: Path, content: Mapping[str, Any]) -> None:
    """Write the candidates of a search, beside those of earlier ones."""
    text = json.dumps(content, ensure_ascii=False)
    _place(folder / LEADERBOARDS, "json", text.encode())


def read(path: Path) -> Part:
    """Read a part.

    Raises
    ------
    DamagedError
        It is not whole, or holds something else.
    OSError
        It can't be read.
    """
    arrays = unpacked(bytes_of(path))
    try:
        about = {"data": ""} | json.loads(arrays[_ABOUT].tobytes())  # earlier versions lack it
        about["flags"] = tuple(str(flag) for flag in about["flags"])
        about["kind"] = None if about["kind"] is None else PredictionKind(about["kind"])
        held: dict[str, Any] = {name: about[name] for name in _WRITTEN}
        part = Part(**held | {name: arrays.get(name) for name in _ARRAYS})
        _check(part)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise DamagedError(str(error) or type(error).__name__) from None
    return part


def paths(folder: Path) -> Iterator[Path]:
    """Yield the files of the parts, in the order in which they were written."""
    yield from sorted(folder.glob(PATTERNS[0]))


def leaderboards(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the candidates of searches, in the order in which they were written.

    Raises
    ------
    DamagedError
        A file holds something else.
    """
    for path in sorted(folder.glob(PATTERNS[1])):
        try:
            found = json.loads(bytes_of(path))
            for one in found["candidates"]:
                str(one["identity"]), float(one["value"]), [float(s) for s in one["splits"]]
                hash(one["identity"])
        except (OSError, KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise DamagedError(f"{path.name}: {error}") from None
        yield found


def _place(folder: Path, suffix: str, content: bytes) -> None:
    """Write a file under a name that no other call has, in any process of any machine."""
    name = f"{time.time_ns():020d}-{_TOKEN}-{os.getpid()}-{next(_COUNTER)}.{suffix}"
    # system calls alone: this is done after every fit, and some fits take a millisecond
    temporary = f"{folder}{os.sep}.{name}{SUFFIX}"
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
        try:
            left = memoryview(content)
            while left:
                left = left[os.write(descriptor, left) :]
        finally:
            os.close(descriptor)
        os.replace(temporary, f"{folder}{os.sep}{name}")  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108
        raise


def _check(part: Part) -> None:
    """Refuse a part that no recorder writes."""
    texts = (part.identity, part.name, part.estimator, part.problem, part.data)
    optional = [0 if number is None else number for number in (part.split, part.fold)]
    whole = (part.session, part.time, part.repeat, *optional)
    if not all(isinstance(text, str) for text in texts) or not isinstance(part.params, dict):
        raise DamagedError("a name that is not text")
    if not all(type(number) is int and number >= 0 for number in whole):
        raise DamagedError("a position that is not a whole number")
    if part.score is not None and not isinstance(part.score, int | float):
        raise DamagedError("a score that is not a number")
    weights = part.weights
    if weights is not None and (weights.dtype.kind != "f" or not np.isfinite(weights).all()):
        raise DamagedError("weights that are not numbers")
    if part.predictions is None:
        return
    if part.kind is None or part.predictions.dtype.kind not in "iuf":
        raise DamagedError("predictions that are not numbers")
    if part.rows is not None and part.rows.shape != part.predictions.shape[:1]:
        raise DamagedError("rows and predictions of different lengths")
    if weights is not None and weights.shape != part.predictions.shape[:1]:
        raise DamagedError("weights and predictions of different lengths")
