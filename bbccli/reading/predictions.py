"""Read the predictions of a sheet, and tell labels, probabilities, scores and values apart."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.errors import BbcError, InputError, parameter
from bbccli.notes import listing
from bbccli.platform.dataclass import dataclass
from bbccli.reading.arrow import SUM_TOLERANCE, to_numbers
from bbccli.reading.classes import BY_CLASS
from bbccli.reading.column import Column, in_equal_parts, number_of, repeated, text_entries
from bbccli.reading.roles import OUTCOME, Hints
from bbccli.reading.sheet import WIDE, Problems, Sheet
from bbccli.reading.table import CLASS_SEPARATOR, PredictionColumn, Table
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind, Task, distinct

# Columns copied at a time: enough for long writes, few enough to stay in cache. Of few rows more.
_BLOCK, _VALUES = 16, 2**18


_ROUNDED = 1e-6
"""Distance from 0 to 1 that is due to means and sums of float32."""


@dataclass(frozen=True, slots=True)
class Values:
    """Predictions of the cells of a sheet and, once interpreted, of C configurations.

    Attributes
    ----------
    array : (R, N, cells), then (R, N, C) or (R, N, C, K)
        NaN where missing, until completed.
    configurations
        Names along the third axis: for cells those of their columns.
    kind
        Values, until interpreted.
    available : (R, N, C) bool, optional
        True where there is a prediction; None if complete, or not yet completed.
    words
        Distinct texts, before they are interpreted: `array` then holds int64 positions among them,
        -1 where missing. Empty for numbers.
    """

    array: FloatArray
    configurations: tuple[str, ...]
    kind: PredictionKind = PredictionKind.VALUE
    available: BoolArray | None = None
    words: tuple[str, ...] = ()

    def all_among(self, values: Sequence[float]) -> bool:
        """True if the predictions are numbers, each missing or among the values."""
        if self.words:
            return False
        # a few samples usually make a full comparison unnecessary
        return _among(self.array[:, :8], values) and _among(self.array, values)

    def in_unit(self, slack: float = 0.0) -> bool:
        """Return whether all predictions, which are numbers, are from 0 to 1 but for a slack, or
        missing.
        """
        array = self.array
        lowest, highest = np.fmin.reduce(array, axis=None), np.fmax.reduce(array, axis=None)
        return not bool(lowest < -slack or highest > 1 + slack)


def read_values(sheet: Sheet, problems: Problems) -> tuple[Sheet, Values]:
    """Read the predictions of the usable samples, or of all rows if nested: as float32 if all
    columns are.

    Return the sheet of the cells without a problem, and their predictions.
    """
    # all rows of a nested cross-validation are read at once, so that they are interpreted alike
    rows = np.arange(sheet.n_rows)[None] if sheet.nested else sheet.rows[:, sheet.usable]
    spoken = sheet.table.texts
    texts = {cell.name for cell in sheet.cells if cell.source in spoken} if spoken else set[str]()
    every = sheet.cells if texts else ()
    filled = {cell.name for cell in every if len(sheet.column(cell).nulls) < sheet.n_rows}
    worded = texts & filled
    if worded and worded == filled:
        return sheet, _read_words(sheet, rows)
    cells, flat = sheet.cells, rows.ravel()
    types = sheet.table.kinds.types
    single = {*map(str, {types[cell.source] for cell in cells})} <= {"float"}
    array = np.empty((rows.size, len(cells)), dtype=np.float32 if single else np.float64)
    sound = np.ones(len(cells), bool)
    in_order = rows.size == sheet.n_rows and np.array_equal(flat, np.arange(rows.size))
    shared: dict[str, FloatArray] = {}
    width = max(_BLOCK, _VALUES // sheet.n_rows)
    for start in range(0, len(cells), width):
        some = cells[start : start + width]
        block = _block(sheet, some, texts, shared, array.dtype)
        finite = np.asarray(np.isfinite(block).all(axis=1))
        full = some if finite.all() else compress(some, finite)
        sheet.table.full.update([cell.source for cell in full if cell.rows is None])
        for i, cell in () if full is some and not worded else enumerate(some):
            if cell.name in worded or np.isinf(block[i]).any():
                sound[start + i] = False
                with problems.of("predictions"):
                    if cell.name in worded:
                        raise text_fault(sheet.column(cell), sheet)
                    _finite(block[i], sheet.column(cell))
        array[:, start : start + width] = (block if in_order else block[:, flat]).T
    if rows.min(initial=0) < 0:
        array[flat < 0] = np.nan
    array = array.reshape(*rows.shape, len(cells))
    if not sound.all():
        if not sound.any():
            problems.raise_first()
        sheet, array = replace(sheet, cells=tuple(compress(cells, sound))), array[:, :, sound]
    return sheet, Values(array, tuple([cell.name for cell in sheet.cells]))


def _read_words(sheet: Sheet, rows: IntArray) -> Values:
    """Read text as positions among all distinct words."""
    places: dict[str, int] = {}
    array = np.empty((*rows.shape, len(sheet.cells)), np.int64)
    for c, cell in enumerate(sheet.cells):
        codes, names = sheet.column(cell).named_codes()
        of_names = np.array([*[places.setdefault(name, len(places)) for name in names], -1])
        array[:, :, c] = np.where(rows < 0, -1, of_names[codes[rows]])
    return Values(array, tuple(cell.name for cell in sheet.cells), words=tuple(places))


def interpret(sheet: Sheet, values: Values, outcome: Outcome) -> Values:
    """Tell the kind of the predictions, given the outcome of the N samples, and arrange them."""
    task, names = outcome.task, tuple(sheet.configurations)
    # as in `gpt4_correct`, not `bias_corrected`
    called = all(re.search(r"(?i)(?<![^\W_])correct(?![^\W_])", name) for name in names)
    called &= not sheet.declared
    doubtful = (task is Task.REGRESSION and len(distinct(outcome.values)) > 2) or called
    marks = doubtful and task is not Task.SCORE and values.all_among([0, 1])
    if marks and not any(map(values.all_among, ([0], [1]))):
        why = f", and called {listing(names)}" if called else ", but the truth is not"
        raise sheet.fault(
            f"all predictions are 0 or 1{why}",
            hint=f"give {parameter('task', Task.SCORE)} if they say which answers are right"
            + f", {parameter('only')} '*' if they are labels" * called,
        )
    if task.is_classification and not sheet.by_class:
        labels = _labels(sheet, values, outcome.classes)
        if labels is not None:
            return Values(labels, names, PredictionKind.LABEL)
    if values.words:
        raise text_fault(_worded([column for column in _columns(sheet) if column.is_text]), sheet)
    if task.is_classification:
        return _by_class(sheet, values, outcome.classes, several=task is Task.MULTICLASS)
    return replace(values, kind=PredictionKind.SCORE) if task is Task.SURVIVAL else values


def faults_of_each(sheet: Sheet, found: Values, outcome: Outcome) -> Iterator[tuple[str, BbcError]]:
    """Yield the error about every configuration that does not predict this task."""
    for by_class in _places(sheet).values():
        chosen = list(by_class.values())
        some = replace(sheet, cells=tuple(sheet.cells[i] for i in chosen))
        names = tuple(cell.name for cell in some.cells)
        part = replace(found, array=found.array[:, :, chosen], configurations=names)
        if found.words and not any(cell.source in some.table.texts for cell in some.cells):
            part = Values(np.full(part.array.shape, np.nan), names)  # empty columns beside text
        try:
            interpret(some, part, outcome)
        except BbcError as error:
            yield "predictions", error


def _labels(sheet: Sheet, values: Values, classes: Sequence[str]) -> FloatArray | None:
    """Return (R, N, C) class codes; None if the predictions are not labels."""
    if values.words:
        known = {name: float(code) for code, name in enumerate(classes)}
        if not known.keys() >= {*values.words}:
            for column in _columns(sheet):
                _refuse_strange(sheet, column, classes)
        codes = np.array([*(known.get(name, np.nan) for name in values.words), np.nan])
        return np.asarray(codes[values.array])
    numbers = [number_of(name) for name in classes]
    if np.isnan(numbers).any() or not values.all_among(numbers):
        return None
    if len(set(numbers)) < len(numbers):
        raise sheet.table.fault(
            f"classes such as {classes[0]} are equal as numbers of 64 bits",
            hint="name them by text, such as c1, in the truth and the predictions",
        )
    if numbers == list(range(len(numbers))):  # already codes; -0.0 is 0.0
        return np.asarray(values.array + 0.0, np.float64)
    labels = np.full(values.array.shape, np.nan)
    for code, value in enumerate(numbers):
        labels[values.array == value] = code
    return labels


def _refuse_strange(sheet: Sheet, column: Column, classes: Sequence[str]) -> None:
    """Refuse text that is not a class."""
    codes, names = column.named_codes()
    strange = [name not in classes for name in names]
    if not any(strange):
        return
    numbered = [not np.isnan(number_of(name)) for name in names]
    if any(np.logical_and(strange, numbered)):
        raise text_fault(_worded([column, *_columns(sheet)]), sheet)
    if all(np.logical_or(strange, numbered)):
        from bbccli.reading.numerals import doubt

        fault = doubt(column, of="prediction")
        if fault is not None:
            raise fault
    problem = f"prediction is not one of the classes ({listing(classes, 8)})"
    entries = np.flatnonzero(np.array([*strange, False])[codes])
    worded = any(name[:1].isalpha() for name in names)
    if worded and len(names) > len(classes) and all(strange):  # names of something else
        raise column.fault(problem, entries, hint=_hint_on_names(column, sheet))
    if all(name.startswith("[") for name in names):  # lists in text
        raise column.fault(problem, entries, hint=BY_CLASS)
    with_digits = all(re.search(r"\d", name) for name in names)
    raise column.fault(
        problem,
        entries,
        hint="spell labels as in the truth"
        + ", and numbers with a decimal point" * with_digits
        + "; if it is a separate answer, list all 'classes' in the metadata"
        + f"; or {parameter('exclude', column.place(0)[1])} if it is no prediction" * all(strange),
    )


def _worded(columns: Sequence[Column]) -> Column:
    """Return the first column with text other than numbers, else the first."""
    of_words = (c for c in columns if np.isnan([*map(number_of, c.named_codes()[1])]).any())
    return next(of_words, columns[0])


def _columns(sheet: Sheet) -> list[Column]:
    return [sheet.column(cell) for cell in sheet.cells]


def _places(sheet: Sheet) -> dict[str, dict[str, int]]:
    """Return the position of each class of each configuration; of the configuration itself without
    classes.
    """
    places: dict[str, dict[str, int]] = {}
    for position, cell in enumerate(sheet.cells):
        places.setdefault(cell.configuration, {})[cell.label or cell.name] = position
    return places


def _by_class(sheet: Sheet, values: Values, classes: Sequence[str], *, several: bool) -> Values:
    """Return the probabilities or scores of the positive class, or (R, N, C, K) of all classes."""
    array = values.array
    if sheet.by_class:
        wanted = classes if several else classes[-1:]
        places = _checked_places(sheet, classes)
        order = [by_class[name] for by_class in places.values() for name in wanted]
        if order != list(range(len(sheet.cells))):
            array = array[:, :, order]
        if several:
            array = array.reshape(*array.shape[:2], len(places), len(classes))
        elif not replace(values, array=array).in_unit():
            other = values.array[:, :, [at[classes[0]] for at in places.values()]]
            array = np.subtract(array, other, dtype=np.float64)  # as if read from text
    elif several:
        name = sheet.cells[0].name
        ends = [name.removesuffix(label) for label in classes if name.endswith(label)]
        stems = [end.rstrip("_. -") for end in ends if not end.endswith("=")]
        words = any(np.isnan(number_of(label)) for label in classes)
        codes = words and not (values.array % 1 > 0).any()
        raise sheet.fault(
            f"predictions of {len(classes)} classes are neither labels nor one column per class; "
            f"the classes are {listing(classes, 8)}",
            column=name,
            hint=f"write the labels, such as {classes[0]}, instead of codes"
            if codes
            else f"name the columns '{(*stems, name)[0] or name}{CLASS_SEPARATOR}{classes[0]}' "
            "and so on" + ("" if words else f", or give {parameter('task', 'regression')}"),
        )
    predicted = Values(array, tuple(sheet.configurations), PredictionKind.SCORE)
    proper = predicted.in_unit()
    if not proper and predicted.in_unit(_ROUNDED):
        array, proper = array.clip(0, 1), True
        predicted = replace(predicted, array=array)
    if proper and several:
        with np.errstate(invalid="ignore"):
            proper = not (np.abs(array.sum(axis=-1) - 1) > SUM_TOLERANCE).any()
    return replace(predicted, kind=PredictionKind.PROBABILITY) if proper else predicted


def _checked_places(sheet: Sheet, classes: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return `_places` if every configuration has exactly one column per class."""
    places = _places(sheet)
    for configuration, by_class in places.items():
        wrong = [f"no column of class {name!r}" for name in classes if name not in by_class]
        unknown = [place for name, place in by_class.items() if name not in classes]
        wrong += [f"a column {sheet.cells[place].name!r}" for place in unknown]
        if wrong:
            raise sheet.fault(
                f"configuration {configuration!r} has {wrong[0]}, "
                f"but the classes are {listing(classes, 8)}",
                hint="give one column 'config::class' for every configuration and class",
            )
    return places


def check_sources(table: Table, names: Iterable[str], problems: Problems) -> None:
    """Check columns of predictions one by one."""
    for name in names:
        column = table.column(name)
        if column.is_text and len(column.nulls) < len(column):
            continue
        with problems.of("predictions"):
            _finite(to_numbers(column.values), column)


def text_fault(column: Column, sheet: Sheet | None = None) -> InputError:
    """Return the error about text where numbers are needed."""
    from bbccli.reading.numerals import doubt, strangers

    doubtful = doubt(column, of="prediction")
    if doubtful is not None:
        return doubtful
    among_numbers = strangers(column)
    entries = among_numbers if len(among_numbers) else text_entries(column)
    if len(entries) == len(column):  # as names, or dates
        if all(name.startswith("[") for name in column.named_codes()[1]):
            return column.fault("prediction is a list in text", entries, hint=BY_CLASS)
        return column.fault("prediction is text", entries, hint=_hint_on_names(column, sheet))
    numbered = re.search(r"\d", column.values[int(entries[0])].as_py()) is not None
    hint = "leave the cell empty if there is no prediction; --exclude a column that has none"
    return column.fault(
        "prediction is text",
        entries,
        hint="store numbers as numbers, with a decimal point; " * numbered + hint,
    )


def _hint_on_names(column: Column, sheet: Sheet | None) -> str:
    """Return the options for a column of text: a key if all differ, else groups or others."""
    from bbccli.reading.advice import advice

    name = column.place(0)[1]
    if sheet is not None and sheet.scored and len(column.named_codes()[1]) == 2:  # pass, fail
        return "write 1 for a right answer, 0 for a wrong one"
    if column.origins:  # the prediction of a long table
        return f"{parameter('prediction')} NAME, if another column has the predictions"
    texts, labels = list[str](), False
    if sheet is not None and sheet.layout == WIDE:
        roles = {role: column.name for role, column in sheet.roles.items()}
        advised = advice(sheet.table, roles, Hints(absent=OUTCOME))
        if name in advised.roles.values():
            leave = f"leave it out with {parameter('exclude', name)}"
            return f"give {advised} if that is right; otherwise {leave}"
        texts = [c.source for c in sheet.cells if c.source in sheet.table.texts and c.name != name]
        # where all are text, they are labels
        labels = len(texts) > max(len(sheet.cells) - 2, 0)
        truth = sheet.roles.get("truth")
        if labels and truth is not None and not truth.is_text:
            held = listing(sorted(truth.named_codes()[1]))
            return f"if these are labels, spell the truth the same way: it holds {held}"
    more = f"; and so for {listing(texts)}" if texts and not labels else ""
    hint = f"give {parameter('row_id', name)} if it names the samples; "
    codes = column.codes()[0]
    if len(repeated(codes)):
        hint = (
            f"{parameter('group', name)} if it names groups of samples, such as patients, "
            f"{parameter('configuration', name)} if it names the configurations of a long table; "
        )
        if sheet is not None and not {"fold", "row_id"} & {*sheet.roles} and in_equal_parts(codes):
            hint = f"{parameter('fold', name)} if it names the folds, {hint}"
    return f"{hint}otherwise leave it out with {parameter('exclude', name)}{more}"


def _block(
    sheet: Sheet,
    cells: Sequence[PredictionColumn],
    texts: Container[str],
    shared: dict[str, FloatArray],
    kind: np.dtype[Any],
) -> FloatArray:
    """Return (cells, n_rows) predictions of some cells, NaN for text."""
    data: Any = sheet.table.data
    sources = [cell.source for cell in cells if cell.rows is None and cell.name not in texts]
    if len(sources) == len(cells) and (
        not sheet.table.on_disk or len(cells) * sheet.n_rows <= _VALUES
    ):
        return sheet.table.numbers(sources, kind)
    block = np.full((len(cells), sheet.n_rows), np.nan, kind)
    for cell, out in zip(cells, block, strict=True):
        if cell.name in texts:
            continue
        if cell.rows is None:
            to_numbers(data.column(cell.source), out)
            continue
        if cell.source not in shared:
            shared[cell.source] = to_numbers(data.column(cell.source)).astype(kind, copy=False)
        np.take(shared[cell.source], cell.rows, mode="clip", out=out)
        if cell.rows.min(initial=0) < 0:
            out[cell.rows < 0] = np.nan
    return block


def _finite(numbers: FloatArray, column: Column) -> None:
    """Refuse infinite values (n,) of a column."""
    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        raise column.fault(
            "prediction is infinite",
            infinite,
            hint="leave the cell empty if there is no prediction",
        )


def _among(numbers: FloatArray, values: Sequence[float]) -> bool:
    """True if every number is missing or one of the values."""
    among = np.isnan(numbers)
    for value in values:
        among |= numbers == value
    return bool(among.all())
