"""Tables in any layout -> sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from bbccli.core.notes import declared
from bbccli.errors import OptionError, parameter
from bbccli.readers.checks.subsets import refuse_subsets
from bbccli.readers.hints import Hints
from bbccli.readers.layout.dialects import DIALECTS, dialect_of
from bbccli.readers.layout.dialects.base import PREDICTION, Layout
from bbccli.readers.layout.long import long_sheet
from bbccli.readers.layout.stack import stack
from bbccli.readers.layout.wide import wide_sheet
from bbccli.readers.metadata import Metadata
from bbccli.readers.problems import Raise
from bbccli.readers.request import Request, is_given
from bbccli.readers.row_numbers import refuse_disorder, without_row_numbers
from bbccli.readers.scores import refuse_truth
from bbccli.readers.sheet import WIDE, Sheet
from bbccli.readers.table import Table


def lay_out(
    tables: Sequence[Table], metadata: Metadata, request: Request, problems: Raise
) -> Sheet:
    """Bring a wide table, or long ones of any dialect, into the one form.

    Raises
    ------
    InputError, OptionError
        Columns without which there is no sheet; see `wide_sheet`, `long_sheet` and `stack`.
    """
    hints, by_hand = request.hints(metadata), {*request.only, *metadata.configurations}
    for table in tables:
        fold = None if is_given(request.folds) else request.roles.fold
        problems.attempt("roles", refuse_subsets, table, fold, by_hand, otherwise=None)
    problems.attempt("roles", refuse_truth, request, hints.task)
    how = (tables, hints, request.dialect)
    name, tables, layouts = problems.attempt("roles", _layouts_of, *how)
    if not layouts:
        sheet = problems.attempt("roles", wide_sheet, tables[0], hints, metadata)
        sheet = without_row_numbers(sheet, by_hand)
    else:
        table = problems.attempt("roles", stack, tables, layouts, hints)
        sheet = long_sheet(table, name, metadata, problems)
        if len(tables) > 1 and "row_id" not in sheet.roles:
            sheet = replace(sheet, by_position=tuple(table.path for table in tables))
        spare = tuple(dict.fromkeys(name for layout in layouts for name in layout.spare))
        if spare:
            sheet = replace(sheet, notes=(declared.columns_set_aside(spare), *sheet.notes))
        unused = tuple(dict.fromkeys(name for layout in layouts for name in layout.beside))
        if unused:
            note = declared.prediction_chosen(layouts[0].predictions[PREDICTION], unused)
            sheet = replace(sheet, notes=(note, *sheet.notes))
    nested = tuple(dict.fromkeys(name for table in tables for name in table.nested))
    if nested:
        sheet = replace(sheet, notes=(declared.columns_set_aside(nested), *sheet.notes))
    aside = tuple(dict.fromkeys(name for table in tables for name in table.aside))
    if aside:
        sheet = replace(sheet, notes=(declared.row_numbers(aside), *sheet.notes))
    if "row_id" not in sheet.roles:
        appended = any(layout.configuration for layout in layouts)
        for part in [[table] for table in tables] if appended else [tables]:
            beside = {"beside_another": bool(request.elsewhere) and not request.by_position}
            problems.attempt("keys", partial(refuse_disorder, part, **beside), otherwise=None)
    problems.done("roles", sheet)
    return sheet


def _layouts_of(
    tables: Sequence[Table], hints: Hints, dialect: str | None
) -> tuple[str, list[Table], list[Layout]]:
    """Name of the layout of the first table; the tables; and that of each long one.

    Raises
    ------
    OptionError
        Several files said to be wide.
    """
    one_file = len(tables) == 1
    found = [dialect_of(table, hints, dialect, one_file=one_file) for table in tables]
    ready = [d.prepared(table) if d else table for table, d in zip(tables, found, strict=True)]
    layouts = [d.layout(table, hints) for table, d in zip(ready, found, strict=True) if d]
    if not layouts and not one_file:
        raise OptionError(
            f"{parameter('dialect', WIDE)} is for one file, there are {len(tables)}",
            hint=f"several files are put together as one of {', '.join(DIALECTS)}",
        )
    return found[0].name if found[0] else WIDE, ready, layouts
