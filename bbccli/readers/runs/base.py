"""What the folder of a run holds, in the form of one wide table with metadata."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.errors import InputError
from bbccli.recorded.arrays import DamagedError, array_of
from bbccli.types import FloatArray, IntArray

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Score:
    """A score that the tool itself reports of a model.

    Parameters
    ----------
    configuration
        Name of the model.
    metric
        Name that `bbc` has for the metric.
    value
        The score, with the sign that `bbc` gives it.
    selection
        `pooled` or `fold-mean`: how the tool makes one score of the folds.
    tolerance
        Largest difference that rounding and approximations of the tool explain.
    """

    configuration: str
    metric: str
    value: float
    selection: str
    tolerance: float


@dataclass(frozen=True, slots=True)
class RunTable:
    """All models of a run.

    Parameters
    ----------
    tool
        Who wrote the folder.
    columns
        The wide layout: roles and configurations, or `configuration::class`.
    files
        What was read, for the hash.
    task, classes
        As in the metadata of a file; absent where only the truth tells.
    flags
        Threats to validity, by configuration.
    leaderboard
        Scores that the tool reports of its models.
    metric
        The metric that the tool optimised, by our name; None where `bbc` does not have it.
    selection
        How the tool selects; None where it does not say.
    left_out
        What the folder holds besides, and why it takes no part.
    n_candidates_total
        How many configurations were tried, where more than the folder keeps.
    unchecked
        Why the leaderboard can't be compared, where it can't.
    """

    tool: str
    columns: Mapping[str, Any]
    files: Sequence[Path]
    task: str | None = None
    classes: tuple[str, ...] = ()
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    leaderboard: tuple[Score, ...] = ()
    metric: str | None = None
    selection: str | None = None
    left_out: tuple[tuple[str, str], ...] = ()
    n_candidates_total: int | None = None
    unchecked: str = ""

    @property
    def table(self) -> pa.Table:
        """The columns as an Arrow table."""
        import pyarrow as pa

        return pa.table({name: pa.array(values) for name, values in self.columns.items()})

    @property
    def metadata(self) -> dict[str, Any]:
        """What stands in the metadata of a file: the run itself under `run`."""
        names = dict.fromkeys(name.partition("::")[0] for name in self.columns if name not in ROLES)
        about = {
            "task": self.task,
            "classes": list(self.classes) or None,
            "n_candidates_total": self.n_candidates_total,
            "selection": self.selection,
        }
        return {
            "spec": "bbc-predictions",
            "version": "1",
            **{key: value for key, value in about.items() if value is not None},
            "configs": [{"id": name, "flags": list(self.flags.get(name, ()))} for name in names],
            "run": {
                "tool": self.tool,
                "metric": self.metric,
                "n_samples": len(next(iter(self.columns.values()))),
                "unchecked": self.unchecked,
                "left_out": [{"name": name, "reason": why} for name, why in self.left_out],
                "leaderboard": [
                    {
                        "id": one.configuration,
                        "metric": one.metric,
                        "value": one.value,
                        "selection": one.selection,
                        "tolerance": one.tolerance,
                    }
                    for one in self.leaderboard
                ],
            },
        }


@dataclass(frozen=True, slots=True)
class RunFiles:
    """Files of a run that are read as any others, one configuration or several each."""

    tool: str
    files: Sequence[Path]
    left_out: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RunReader:
    """How the folders of one tool are recognised and read.

    Parameters
    ----------
    name
        The tool.
    signature
        What is looked for, for messages.
    recognises
        Whether a folder is one of this tool's.
    load
        Folder -> its models, or the files that are to be read as any other.
    """

    name: str
    signature: str
    recognises: Callable[[Path], bool]
    load: Callable[[Path], RunTable | RunFiles]


ROLES = ("row_id", "repeat", "fold", "truth", "group", "weight", "time", "event")


def read_json(path: Path) -> Any:
    """Read a JSON file of a run.

    Raises
    ------
    InputError
        It is missing or damaged.
    """
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise unreadable(path, error) from None
    except (ValueError, RecursionError):
        raise InputError("is not valid JSON", path=str(path), hint=_DAMAGED) from None


def read_table(path: Path) -> dict[str, pa.ChunkedArray]:
    """Read the columns of a table of a run.

    Raises
    ------
    InputError
        It is missing or damaged.
    """
    from bbccli.readers.sources.opening import read_table as read_file

    if not path.is_file():
        raise unreadable(path, FileNotFoundError())
    frame = read_file(path)
    return {name: frame.data.column(name) for name in frame.data.column_names}


def numbers_of(column: pa.ChunkedArray, path: Path, name: str) -> FloatArray:
    """Return a column of finite numbers.

    Raises
    ------
    InputError
        Text, or a number that is missing or infinite.
    """
    import pyarrow as pa

    if not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
        raise InputError("is not a number", path=str(path), column=name, hint=_DAMAGED)
    values = np.asarray(column.to_numpy(), dtype=np.float64)
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InputError("is not finite", path=str(path), column=name, row=row, hint=_DAMAGED)
    return values


def read_positions(path: Path) -> IntArray:
    """Read an array of positions that numpy saved, without pickles.

    Raises
    ------
    InputError
        It is missing, damaged, or not a list of positions.
    """
    try:
        found = array_of(path.read_bytes())
    except OSError as error:
        raise unreadable(path, error) from None
    except DamagedError:
        raise InputError("is not an array of numbers", path=str(path), hint=_DAMAGED) from None
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise InputError("is not a list of positions", path=str(path), hint=_DAMAGED)
    return found.astype(np.int64)


def folds_of(parts: Sequence[IntArray], n_rows: int, place: Path) -> IntArray:
    """Return the fold of each row, from the rows of each fold.

    Raises
    ------
    InputError
        A row in two folds or in none, or one that the table does not have.
    """
    folds = np.full(n_rows, -1, dtype=np.int64)
    for fold, rows in enumerate(parts):
        if len(rows) and not 0 <= rows.min() <= rows.max() < n_rows:
            wrong = int(rows[(rows < 0) | (rows >= n_rows)][0])
            problem = f"fold {fold} holds row {wrong}, but there are {n_rows} rows"
            raise InputError(problem, path=str(place), hint=_MIXED)
        if (folds[rows] >= 0).any() or len(np.unique(rows)) < len(rows):
            raise InputError(f"fold {fold} repeats rows", path=str(place), hint=_MIXED)
        folds[rows] = fold
    if (folds < 0).any():
        problem = f"row {int(np.flatnonzero(folds < 0)[0])} is in no fold"
        raise InputError(problem, path=str(place), hint=_MIXED)
    return folds


def unreadable(path: Path, error: OSError) -> InputError:
    """Build the error about a file of a run that can't be read."""
    if isinstance(error, FileNotFoundError):
        return InputError(
            "no such file", path=str(path), hint="copy the whole folder of the run, not a part"
        )
    return InputError(error.strerror or "can't be read", path=str(path), hint="check the file")


_DAMAGED = "the folder is damaged: copy it again"
_MIXED = "the folder mixes files of several runs, or is damaged"
