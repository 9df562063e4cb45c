"""Folders of tables in a long dialect: OpenML, caret, tidymodels, mlr3.

The files are read as if given one by one. Those of a minority outcome are left out. Predicted
labels must agree with the probabilities beside them: exports without scores can't be verified
otherwise, and this finds swapped classes, and rows mixed up in the columns of the probabilities
alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from bbccli.domain.source import ToolRun
from bbccli.errors import InputError
from bbccli.metrics.kernels.pairs import area
from bbccli.platform.text import percent
from bbccli.reading.arrow import is_text
from bbccli.reading.interface import Order, RunReader
from bbccli.reading.layout.dialects import DIALECTS, Dialect
from bbccli.reading.layout.dialects.base import PROBABILITY, class_predictions, column_called
from bbccli.reading.metadata import Metadata
from bbccli.reading.roles import Hints
from bbccli.reading.runs.file_parsing import left_out, parse_table, parsed
from bbccli.reading.table import Table, check_column_names
from bbccli.types import FloatArray, IntArray

_SUFFIXES = (".csv", ".csv.gz", ".csv.zst", ".tsv", ".parquet")

_TRIED = 3
"""Number of tables tried to recognise a folder."""

_FEWEST = 0.8
"""Share of the pairs that must agree; with more than two classes, of the rows.

Moved thresholds change none of the pairs; separate calibration, as of an SVM, changes a few.
"""


def _tables(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("[!.]*") if path.name.lower().endswith(_SUFFIXES))


def damaged(folder: Path) -> InputError | None:
    """Return why one of the first tables of a folder can't be read; None if all can."""
    for path in _tables(folder)[:_TRIED]:
        try:
            parsed(path)
        except InputError as error:
            return error
    return None


def _readable(folder: Path) -> Iterator[Table]:
    """Yield the readable tables of a folder."""
    for path in _tables(folder):
        with suppress(InputError):
            yield parsed(path)


def _reader(dialect: Dialect, outcome: str, row: str, label: str) -> RunReader:
    tool = dialect.name

    def recognises(folder: Path) -> bool:
        first = islice(_readable(folder), _TRIED)
        return any(dialect.recognises(table, Hints()) for table in first)

    def load(folder: Path) -> list[Table]:
        paths, kinds = _tables(folder), {}
        for path in paths:
            table = parsed(path)  # an unreadable table may be one of the tool's
            if dialect.recognises(table, Hints()):
                check_column_names(table)
                kinds[path] = _kind(table, outcome, row)
        if len({*kinds.values()}) > 1:
            _refuse_part([*kinds], outcome, row)
        most, count = Counter(kinds.values()).most_common(1)[0]
        if len(kinds) > 1 and 2 * count <= len(kinds):
            raise InputError(
                "holds exports of different outcomes",
                path=folder,
                hint="give the files of one outcome",
            )
        others = [path.name for path in paths if path not in kinds]
        of_others = [path.name for path in kinds if kinds[path] != most]
        left = left_out(others, f"not an export of {tool}") + left_out(of_others, "another outcome")
        used = [path for path in kinds if kinds[path] == most]
        return _of_files(folder, used, ToolRun(tool=tool, left_out=left), label, outcome)

    return RunReader(tool, f"tables of {tool}", recognises, load, Order.LAST)


def _of_files(
    folder: Path, paths: Sequence[Path], run: ToolRun, label: str, outcome: str = ""
) -> list[Table]:
    """Return tables with the run in their metadata, unless they have their own."""
    about = Metadata(place=str(folder), run=run).with_json()
    tables = [parse_table(path) for path in paths]
    for table in tables:
        _check_labels(table, label, outcome)
    return [table if table.about else replace(table, about=about) for table in tables]


def _kind(table: Table, outcome: str, row: str) -> tuple[object, ...]:
    """Return what files of one outcome share: its kind, its classes, the number of samples."""
    n_samples = len(table.data.column(column_called(table, row) or row).unique())
    truth = column_called(table, outcome)
    if truth is None:
        return (n_samples,)
    values = table.data.column(truth)
    classes = frozenset(values.unique().to_pylist()) if is_text(values.type) else None
    return (classes, n_samples)


def _refuse_part(paths: Sequence[Path], outcome: str, row: str) -> None:
    """Refuse a file whose samples, with their outcomes, are some of those of another: cut off."""
    truths: dict[Path, set[tuple[object, ...]]] = {}
    for path in paths:
        table = parsed(path)
        names = (column_called(table, name) for name in (row, outcome))
        columns = [table.data.column(name).to_pylist() for name in names if name is not None]
        truths[path] = {*zip(*columns, strict=True)}
    n_rows = {path: len({row for row, *_ in pairs}) for path, pairs in truths.items()}
    for path, pairs in truths.items():
        larger = (other for other in paths if pairs < truths[other])
        whole = next((other for other in larger if n_rows[path] < n_rows[other]), None)
        if whole is not None:
            raise InputError(
                f"has {len(pairs)} of the {len(truths[whole])} samples in {whole.name}",
                path=path,
                hint="copy or write the file again",
            )


def _check_labels(table: Table, label: str, outcome: str) -> None:
    """Refuse predicted labels most of which contradict the probabilities beside them."""
    predicted, classes = column_called(table, label), _probabilities(table, outcome)
    if predicted is None or len(classes) < 2:
        return
    codes, names = table.column(predicted).named_codes()
    if not set(names) <= classes.keys() or len(names) < 2:
        return
    chances = np.column_stack([table.column(classes[name]).numbers(name) for name in names])
    usable = (codes >= 0) & np.isfinite(chances).all(axis=1)
    share = _agreement(codes[usable], chances[usable]) if usable.any() else 1.0
    if share < _FEWEST:
        raise table.fault(
            f"predicted labels contradict the probabilities: {percent(share, 0)} agree",
            column=predicted,
            hint="the classes are swapped, or rows are mixed up: export the predictions again",
        )


def _probabilities(table: Table, outcome: str) -> dict[str, str]:
    """Return the probability column of each class; the levels of the truth name columns too."""
    of_classes = class_predictions(table).items()
    columns = {key.removeprefix(PROBABILITY): column for key, column in of_classes}
    if not columns:
        truth = column_called(table, outcome)
        levels = () if truth is None else table.column(truth).named_codes()[1]
        columns = {name: name for name in levels if name in table.names}
    return {name: column for name, column in columns.items() if column in table.kinds.numeric}


def _agreement(codes: IntArray, chances: FloatArray) -> float:
    """Return the proportion of rows whose class is the most likely; for two classes, of concordant
    pairs.
    """
    if chances.shape[1] > 2:
        of_label = np.take_along_axis(chances, codes[:, None], axis=1)[:, 0]
        return float((of_label >= chances.max(axis=1)).mean())
    second = codes == 1
    if not 0 < second.sum() < len(second):
        return 1.0
    return area(chances[:, 1] - chances[:, 0], second)


def _openml(folder: Path) -> list[Path]:
    """Return predictions of OpenML runs: in the folder, or in one for each run."""
    inside = sorted(folder.glob("*/predictions.arff"))
    return inside or sorted(folder.glob("[!.]*.arff"))


RUNS = (
    _reader(DIALECTS["caret"], "obs", "rowIndex", "pred"),
    _reader(DIALECTS["tidymodels"], "", ".row", ".pred_class"),
    _reader(DIALECTS["mlr3"], "truth", "row_ids", "response"),
    RunReader(
        "OpenML",
        "`*/predictions.arff`",
        lambda folder: bool(_openml(folder)),
        lambda folder: _of_files(folder, _openml(folder), ToolRun(tool="OpenML"), "prediction"),
        Order.LAST,
    ),
)
