"""Find the class of each column `config::class`, spelled as in the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from bbccli.errors import InputError, parameter
from bbccli.notes import listing, of_metadata
from bbccli.platform.text import count
from bbccli.reading.arrow import SUM_TOLERANCE, to_numbers
from bbccli.reading.column import Column, number_of
from bbccli.reading.sheet import RUN, Sheet
from bbccli.reading.table import CLASS_SEPARATOR, PredictionColumn
from bbccli.types import IntArray

BY_CLASS = "write one column 'config::class' per class"


def tell_classes(sheet: Sheet, excluded: Sequence[str] = ()) -> Sheet:
    """Return the sheet with the class of each cell; `excluded` configurations need no order.

    For a long table the classes are known and respelled. For a wide one they are suffixes of names,
    if some of these are classes of the truth; configurations declared by the metadata are never
    split. Without a truth every column is a configuration.
    """
    truth = sheet.roles.get("truth")
    if sheet.table.unnamed and truth is None:
        raise sheet.fault(
            "lists hold one number per class, but there is no truth with these classes",
            hint="use one value per cell",
        )
    if truth is None:
        whole = (replace(c, configuration=c.name, label=None) for c in sheet.cells)
        return replace(sheet, cells=tuple(whole))
    if not any(CLASS_SEPARATOR in cell.name for cell in sheet.cells):
        return sheet
    present = truth.named_codes()[1]
    if sheet.layout == RUN and sheet.by_class and not sheet.metadata.classes:
        return _in_order(sheet, present)
    if sheet.table.unnamed:
        return _of_lists(sheet, present, excluded)
    if sheet.by_class:
        alike = (replace(c, label=spelled(c.label or "", present)) for c in sheet.cells)
        return replace(sheet, cells=tuple(alike))
    configurations = sheet.metadata.configurations
    split = [_split(cell, present, configurations) for cell in sheet.cells]
    known = {cell.label for cell in split} & set(present)
    return replace(sheet, cells=tuple(split)) if known else sheet


def _in_order(sheet: Sheet, present: Sequence[str]) -> Sheet:
    """Return classes that are called by their numbers in the sorted order of those of the truth."""
    n_labels, names = len(sheet.labels), in_order(sheet.roles["truth"])
    if n_labels != len(names):
        raise sheet.fault(
            f"has {n_labels} classes, but the labels have {len(names)}",
            hint="give the labels that the models were fitted on",
        )
    cells = [replace(cell, label=names[int(cell.label or 0)]) for cell in sheet.cells]
    return replace(sheet, cells=tuple(cells))


def _of_lists(sheet: Sheet, present: Sequence[str], excluded: Sequence[str]) -> Sheet:
    """Name the classes in lists in the sorted order of the truth's, as `_in_order` does.

    Lists of which those of another column are the probabilities, such as Spark's `rawPrediction`,
    are left out.
    """
    unnamed, names = sheet.table.unnamed, in_order(sheet.roles["truth"])
    configurations = sheet.metadata.configurations
    cells = [c if c.label is not None else _split(c, present, configurations) for c in sheet.cells]
    lengths = Counter(cell.configuration for cell in cells if cell.source in unnamed)
    for configuration, length in lengths.items():
        if length != len(names) and configuration not in excluded:
            raise sheet.fault(
                f"lists of {count(length, 'number')}, but the truth has {len(names)} classes "
                f"({listing(names, 4)})",
                column=configuration,
                hint=_not_by_class(configuration),
            )
    levels = sheet.table.levels.get(sheet.roles["truth"].name, ())
    order = [spelled(name, present) for name in levels or sheet.metadata.classes]
    order = [name for name in order if name in present or not levels]
    if order and order != names:
        raise sheet.fault(
            f"the order of the classes in lists is unknown: {listing(names, 4)}, or "
            f"{listing(order, 4)} as in the {'categories of the truth' if levels else 'metadata'}",
            hint=BY_CLASS,
        )
    raw = _raw_scores(sheet, cells, [*lengths], excluded)
    for place, cell in enumerate(cells):
        if cell.source in unnamed:
            label = names[unnamed.index(cell.source) % len(names)]
            name = f"{cell.configuration}{CLASS_SEPARATOR}{label}"
            cells[place] = replace(cell, name=name, label=label)
    spelling = names != sorted_names(names)
    notes = (of_metadata.classes_in_order(names, spelling=spelling), *sheet.notes)
    notes += (of_metadata.columns_set_aside(raw),) if raw else ()
    kept = tuple(cell for cell in cells if cell.configuration not in raw)
    return replace(sheet, cells=kept, notes=notes)


def _raw_scores(
    sheet: Sheet, cells: Sequence[PredictionColumn], names: Sequence[str], excluded: Sequence[str]
) -> list[str]:
    """Return the lists that order the classes as the probabilities of another column; refuse others
    that do not sum to 1, unless they are excluded.
    """
    faults: dict[str, InputError] = {}
    largest: dict[str, IntArray] = {}
    for configuration in names:
        columns = [sheet.column(cell) for cell in cells if cell.configuration == configuration]
        if any(column.is_text for column in columns):
            continue
        numbers = np.stack([to_numbers(column.values) for column in columns])
        apart = np.abs(numbers.sum(axis=0, dtype=np.float64) - 1) > SUM_TOLERANCE
        filled = ~np.isnan(numbers).any(axis=0)
        wrong = np.flatnonzero(filled & (apart | (numbers < 0).any(axis=0)))
        largest[configuration] = np.where(filled, numbers, -np.inf).argmax(axis=0)
        if len(wrong):
            path, _, row = columns[0].place(int(wrong[0]))
            faults[configuration] = InputError(
                "the list does not sum to 1, as the probabilities of all classes must",
                path=path,
                column=configuration,
                row=row,
                hint=_not_by_class(configuration),
                further=len(wrong) - 1,
            )
    sound = [largest[name] for name in largest if name not in faults]
    raw = [n for n in faults if any(np.array_equal(largest[n], classes) for classes in sound)]
    for configuration, fault in faults.items():
        if configuration not in (*raw, *excluded):
            raise fault
    return [name for name in raw if name not in excluded]


def _not_by_class(configuration: str) -> str:
    return f"{parameter('exclude', configuration)} if it holds no predictions; or {BY_CLASS}"


def in_order(truth: Column) -> list[str]:
    """Return the classes of a truth as scikit-learn has them in `classes_`: text by its spelling,
    so that "10" is before "2", and numbers by their value.
    """
    names = truth.named_codes()[1]
    return sorted(names) if truth.is_text else sorted_names(names)


def sorted_names(names: Iterable[str]) -> list[str]:
    """Sort class names: by value if all are numbers, else by spelling."""
    names = list(names)
    words = np.isnan([*map(number_of, names)]).any()
    return sorted(names, key=None if words else number_of)


def check_classes_told(sheet: Sheet) -> None:
    """Refuse a column without a class if others have one."""
    untold = [cell for cell in sheet.cells if cell.label is None] if sheet.by_class else []
    if untold:
        name = untold[0].name
        raise sheet.fault(
            "the column has no class, but others have one",
            column=name,
            hint=_not_by_class(name),
        )


def spelled(name: str, classes: Sequence[str]) -> str:
    """Return a class as spelled in the truth: 1.0 names the class 1, true the class True."""
    if name in classes:
        return name
    number = number_of(name)
    for label in classes:
        if number_of(label) == number:
            return label
    return name


def codes_among(column: Column, classes: Sequence[str]) -> IntArray:
    """Return the position (n,) of each value among classes; -1 if missing, -2 if unknown."""
    codes, names = column.named_codes()
    places = {name: place for place, name in enumerate(classes)}
    return np.array([*(places.get(spelled(name, classes), -2) for name in names), -1])[codes]


def _split(
    cell: PredictionColumn, present: Sequence[str], configurations: Collection[str]
) -> PredictionColumn:
    """Split the name of a wide column into configuration and class."""
    head, separator, tail = cell.name.rpartition(CLASS_SEPARATOR)
    if not separator or cell.name in configurations:
        return cell
    return replace(cell, configuration=head, label=spelled(tail, present))
