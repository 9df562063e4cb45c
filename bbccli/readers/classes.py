"""Which class a column is of: columns `config::class`, spelled as the truth spells its classes."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from bbccli.errors import InputError
from bbccli.readers.column import number_of
from bbccli.readers.sheet import CLASS_SEPARATOR, Cell, Sheet


def tell_classes(sheet: Sheet) -> Sheet:
    """Return the sheet whose cells know their classes.

    Of a long table the classes are known and spelled anew. Of a wide one they are the ends of the
    names, where some of these ends are classes of the truth; names that the metadata declare as
    configurations are never split. Without a truth every column is a configuration.
    """
    truth = sheet.roles.get("truth")
    if truth is None:
        return replace(sheet, cells=tuple(_whole(cell) for cell in sheet.cells))
    if not any(CLASS_SEPARATOR in cell.name for cell in sheet.cells):
        return sheet
    present = truth.named_codes()[1]
    if sheet.by_class:
        alike = (replace(c, label=spelled(c.label or "", present)) for c in sheet.cells)
        return replace(sheet, cells=tuple(alike))
    declared = sheet.metadata.configurations
    if sheet.metadata.run.get("classes_in_order"):
        return _in_order(sheet, present)
    split = [_split(cell, present, declared) for cell in sheet.cells]
    if not {cell.label for cell in split} & set(present):
        return sheet
    return replace(sheet, cells=tuple(split))


def _in_order(sheet: Sheet, present: Sequence[str]) -> Sheet:
    """Classes that are called by their numbers in the sorted order of those of the truth."""
    cells = [_split(cell, (), ()) for cell in sheet.cells]
    labels = {cell.label for cell in cells}
    if len(labels) != len(present):
        raise InputError(
            f"has {len(labels)} classes, the labels have {len(present)}",
            path=sheet.path,
            hint="give the labels that the models were fitted on",
        )
    numeric = not any(math.isnan(number_of(name)) for name in present)
    names = sorted(present, key=number_of if numeric else str)
    return replace(
        sheet, cells=tuple(replace(cell, label=names[int(cell.label or 0)]) for cell in cells)
    )


def check_classes_told(sheet: Sheet) -> None:
    """Refuse a column without a class where others have one.

    Raises
    ------
    InputError
        The first such column.
    """
    untold = [cell for cell in sheet.cells if cell.label is None] if sheet.by_class else []
    if untold:
        name, present = untold[0].name, sheet.roles["truth"].named_codes()[1]
        raise InputError(
            "column has no class, others have",
            path=sheet.path,
            column=name,
            hint=f"name it `{name}{CLASS_SEPARATOR}{present[0]}` and so on, or drop it",
        )


def spelled(name: str, classes: Sequence[str]) -> str:
    """Spelling of a class in the truth: 1.0 names the class 1, true the class True."""
    if name in classes:
        return name
    number = number_of(name)
    return next((one for one in classes if number_of(one) == number), name)


def _whole(cell: Cell) -> Cell:
    return replace(cell, configuration=cell.name, label=None)


def _split(cell: Cell, present: Sequence[str], declared: Collection[str]) -> Cell:
    """Configuration and class of a column of a wide table."""
    head, separator, tail = cell.name.rpartition(CLASS_SEPARATOR)
    if not separator or cell.name in declared:
        return cell
    return replace(cell, configuration=head, label=spelled(tail, present))
