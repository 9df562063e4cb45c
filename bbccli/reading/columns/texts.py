"""Columns that say what a row is of, and when: times, names and texts of samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from bbccli.notes import of_metadata
from bbccli.platform.text import pattern
from bbccli.reading.arrow import apply, to_numbers
from bbccli.reading.column import Column, joint, repeated, text_entries
from bbccli.reading.columns.glance import Glance
from bbccli.reading.columns.groups import FEWEST_ROWS
from bbccli.reading.numerals import doubt, strangers
from bbccli.reading.roles import is_given
from bbccli.reading.sheet import WIDE, Sheet
from bbccli.types import distinct

_TIME = r"^\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ]+\d.*)?$"


_NUMERAL = pattern(r"\W*\d*[.,]\d")
"""How a number begins that is marked, or has a unit."""

_MOST_COLUMNS = 100
"""Most columns of whole numbers that are compared with each other."""


def set_aside_texts(glance: Glance) -> Sheet:
    """Set aside times, and text that differs in most rows: neither is a prediction.

    Not where rows should be matched by a key, and there is none, nor beside other text, which may
    be labels. Of forecasts the origins, before the times of their rows, are the folds.

    Seen: a time in every row; text that differs in most rows; of two times, or counts of steps, the
      earlier one constant over rows that differ in the later one, or in it and the series
    Means: what a row is of, and when; the origins of forecasts
    Done: not a configuration, with a note; the origins are the folds
    """
    sheet, request = glance.sheet, glance.request
    by_place = "repeat" in sheet.roles or is_given(request.labels) or is_given(request.folds)
    keyless = by_place and "row_id" not in sheet.roles
    if sheet.layout != WIDE or sheet.n_rows < FEWEST_ROWS or keyless:
        return sheet
    taken = {*sheet.spare, *sheet.declared, *(column.name for column in sheet.roles.values())}
    texts = [
        sheet.table.column(name)
        for name in sheet.table.names
        if name in sheet.table.texts and name not in taken
    ]
    times = [column for column in texts if _are_times(column)]
    for origin, later in () if is_given(request.folds) else _in_order(glance, times):
        if _are_origins(sheet, origin, later):
            table = replace(sheet.table, aside=(*sheet.table.aside, later.name))
            notes = [of_metadata.origins(origin.name, later.name)] * ("fold" not in sheet.roles)
            sheet = sheet.without([origin.name, later.name], *notes)
            sheet = replace(sheet, table=table, roles={**sheet.roles, "fold": origin})
            sheet = replace(sheet, forecasts=True)
            break
    cells = {cell.source for cell in sheet.cells if cell.label is None}
    names = [
        column.name
        for column in texts
        if column.name in cells and (column in times or _is_of_rows(column, glance.classes))
    ]
    left = sheet.without(names, of_metadata.texts_of_rows(names)) if names else sheet
    # labels ask for a key, and a problem of other text comes first
    if not left.cells or any(cell.source in sheet.table.texts for cell in left.cells):
        return sheet if sheet.cells else glance.sheet
    return left


def _are_times(column: Column) -> bool:
    """True if all values are dates, with times or without."""
    if not column.is_text or len(column.nulls):
        return False
    from pyarrow import compute

    values = column.codes()[1]
    parts = (values[:FEWEST_ROWS], values)  # most columns are told by a few
    return all(
        compute.all(compute.match_substring_regex(part, _TIME)).as_py() is True for part in parts
    )


def _is_of_rows(column: Column, classes: Sequence[str]) -> bool:
    """True for text without numbers that differs in more than half of the rows, or never does and
    is none of some classes.
    """
    names = column.named_codes()[1]
    constant = len(names) == 1 and names[0] not in classes
    if len(column.nulls) or not (constant or 2 * len(names) > len(column)):
        return False
    numerals = doubt(column, of="") is not None or len(strangers(column))
    if numerals or any(map(_NUMERAL.match, names)):
        return False
    return len(text_entries(column)) == len(column)


def _in_order(glance: Glance, times: Sequence[Column]) -> Iterator[tuple[Column, Column]]:
    """Yield pairs of times, or of whole numbers, the earlier one first; that is the fold, if there
    is one.
    """
    table, fold = glance.sheet.table, glance.sheet.roles.get("fold")
    pairs = permutations(times, 2) if fold is None else ((fold, time) for time in times)
    for early, late in pairs:
        if _are_times(early) and apply("all", apply("less", early.values, late.values)).as_py():
            yield early, late
    whole = [place for place, cell in enumerate(glance.cells) if cell.source in table.integers]
    if not whole or (len(whole) > _MOST_COLUMNS if fold is None else not fold.is_integer):
        return
    cells, some = [glance.cells[place] for place in whole], glance.array[:, whole]
    columns = [*enumerate(some.T)]
    if fold is not None:
        columns = [(-1, to_numbers(fold.values)[glance.rows])]
    for place, first in columns:
        for c in np.flatnonzero((some > first[:, None]).all(axis=0)).tolist():
            early = fold if fold is not None else table.column(cells[place].source)
            late = table.column(cells[c].source)
            steps = distinct(to_numbers(late.values) - to_numbers(early.values))
            if len(steps) > 1 and np.array_equal(steps, np.arange(1, len(steps) + 1)):
                yield early, late


def _are_origins(sheet: Sheet, origin: Column, later: Column) -> bool:
    """True if origins have several rows each, which differ in the later time or in a series."""
    codes, names = origin.codes()[0], sheet.table.names
    counts = np.bincount(codes)
    if len(counts) < 2 or counts.min() < 2:
        return False
    cells = joint([codes, later.codes()[0]])
    if not len(repeated(cells)):
        return True
    of_series = [
        name
        for name in names
        if name not in (origin.name, later.name)
        and (name in sheet.table.texts or name in sheet.table.integers)
    ]
    series = (sheet.table.column(name).codes()[0] for name in of_series)
    return any(
        np.bincount(joint([codes, part])).min() > 1 and not len(repeated(joint([cells, part])))
        for part in series
    )
