"""Folders whose files are tables in a long dialect: OpenML, caret, tidymodels, mlr3.

The files are read as if they had been named one by one. Those of another outcome than most are
left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from bbccli.errors import InputError
from bbccli.readers.arrow import is_text
from bbccli.readers.layout.dialects import DIALECTS, Dialect
from bbccli.readers.layout.dialects.base import spelled
from bbccli.readers.roles import Hints
from bbccli.readers.runs.base import RunFiles, RunReader, Turn
from bbccli.readers.runs.contents import parsed
from bbccli.readers.table import Table, check_names

_SUFFIXES = (".csv", ".csv.gz", ".csv.zst", ".tsv", ".parquet")

_TRIED = 3
"""Tables that are looked at to tell whose a folder is."""


def _tables(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name.lower().endswith(_SUFFIXES))


def damaged(folder: Path) -> InputError | None:
    """Return why one of the first tables of a folder can't be read; None where all can."""
    for path in _tables(folder)[:_TRIED]:
        try:
            parsed(path)
        except InputError as error:
            return error
    return None


def _readable(folder: Path) -> Iterator[Table]:
    """Yield the tables of a folder that can be read."""
    for path in _tables(folder):
        with suppress(InputError):
            yield parsed(path)


def _reader(dialect: Dialect, outcome: str, row: str, label: str) -> RunReader:
    tool = dialect.name

    def recognises(folder: Path) -> bool:
        first = islice(_readable(folder), _TRIED)
        return any(dialect.recognises(table, Hints()) for table in first)

    def load(folder: Path) -> RunFiles:
        paths, kinds = _tables(folder), {}
        for path in paths:
            table = parsed(path)  # one that can't be read may be one of the tool's
            if dialect.recognises(table, Hints()):
                check_names(table)
                kinds[path] = _kind(table, outcome, row)
        left = [(path.name, f"not an export of {tool}") for path in paths if path not in kinds]
        most, count = Counter(kinds.values()).most_common(1)[0]
        if len(kinds) > 1 and 2 * count <= len(kinds):
            raise InputError(
                "holds exports of different outcomes",
                path=str(folder),
                hint="name the files of one outcome",
            )
        left += [(path.name, "another outcome") for path in kinds if kinds[path] != most]
        files = [path for path in kinds if kinds[path] == most]
        return RunFiles(tool, files, tuple(left), label, outcome)

    return RunReader(tool, f"tables of {tool}", recognises, load, Turn.LAST)


def _kind(table: Table, outcome: str, row: str) -> tuple[object, ...]:
    """What files of one outcome have in common: its kind, its classes, the number of samples."""
    n_samples = len(table.data.column(spelled(table, row) or row).unique())
    truth = spelled(table, outcome)
    if truth is None:
        return (n_samples,)
    values = table.data.column(truth)
    classes = frozenset(values.unique().to_pylist()) if is_text(values.type) else None
    return (classes, n_samples)


def _is_run(folder: Path) -> bool:
    return len(_predictions(folder)) > 0


def _predictions(folder: Path) -> list[Path]:
    """Predictions of OpenML's runs: in the folder, or in one for each run."""
    inside = sorted(folder.glob("*/predictions.arff"))
    return inside or sorted(folder.glob("*.arff"))


def _load_openml(folder: Path) -> RunFiles:
    return RunFiles("OpenML", _predictions(folder), label="prediction")


RUNS = (
    _reader(DIALECTS["caret"], "obs", "rowIndex", "pred"),
    _reader(DIALECTS["tidymodels"], "", ".row", ".pred_class"),
    _reader(DIALECTS["mlr3"], "truth", "row_ids", "response"),
    RunReader("OpenML", "`*/predictions.arff`", _is_run, _load_openml, Turn.LAST),
)
