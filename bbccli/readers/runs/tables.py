"""Folders whose files are tables in a long dialect: OpenML, caret, tidymodels, mlr3.

The files are read as if they had been named one by one. Those of another outcome than most are
left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from bbccli.errors import InputError
from bbccli.readers.arrow import is_text
from bbccli.readers.runs.base import RunFiles, RunReader, Turn
from bbccli.readers.sources.opening import read_table as read_file
from bbccli.readers.table import Table, check_names

_SUFFIXES = (".csv", ".csv.gz", ".csv.zst", ".tsv", ".parquet")

_TRIED = 3
"""Tables that are looked at to tell whose a folder is."""

Signature = Callable[[Collection[str]], bool]


def _caret(names: Collection[str]) -> bool:
    return {"pred", "obs", "rowIndex", "Resample"} <= set(names)


def _tidymodels(names: Collection[str]) -> bool:
    return ".row" in names and any(name.startswith(".pred") for name in names)


def _mlr3(names: Collection[str]) -> bool:
    found = set(names)
    predicted = "response" in found or any(name.startswith("prob.") for name in found)
    return {"row_ids", "truth"} <= found and predicted


def _tables(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name.lower().endswith(_SUFFIXES))


def _signed(paths: Sequence[Path], signature: Signature) -> Iterator[tuple[Path, Table]]:
    """Yield the files of a tool, each read once.

    Raises
    ------
    InputError
        A table can't be read: it may be one of the tool's. Or two of its columns have one name.
    """
    for path in paths:
        table = read_file(path)
        if signature(table.names):
            check_names(table)
            yield path, table


def damaged(folder: Path) -> InputError | None:
    """Return why one of the first tables of a folder can't be read; None where all can."""
    for path in _tables(folder)[:_TRIED]:
        try:
            read_file(path)
        except InputError as error:
            return error
    return None


def _readable(folder: Path, signature: Signature) -> Iterator[bool]:
    """Yield of each table that can be read whether it is one of a tool."""
    for path in _tables(folder):
        with suppress(InputError):
            yield signature(read_file(path).names)


def _reader(tool: str, signature: Signature, outcome: str, row: str, label: str) -> RunReader:
    def recognises(folder: Path) -> bool:
        return any(islice(_readable(folder, signature), _TRIED))

    def load(folder: Path) -> RunFiles:
        paths = _tables(folder)
        kinds = {path: _kind(table, outcome, row) for path, table in _signed(paths, signature)}
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
    n_samples = len(table.data.column(row).unique())
    if outcome not in table.names:
        return (n_samples,)
    values = table.data.column(outcome)
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
    _reader("caret", _caret, "obs", "rowIndex", "pred"),
    _reader("tidymodels", _tidymodels, "", ".row", ".pred_class"),
    _reader("mlr3", _mlr3, "truth", "row_ids", "response"),
    RunReader("OpenML", "`*/predictions.arff`", _is_run, _load_openml, Turn.LAST),
)
