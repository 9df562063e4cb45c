"""Predicted labels beside the probabilities that they are made of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from bbccli.core.notes import declared
from bbccli.errors import parameter
from bbccli.readers.arrow import to_numbers
from bbccli.readers.classes import OF_CLASS, in_order, spelled
from bbccli.readers.meaning import positive_last
from bbccli.readers.roles import Request
from bbccli.readers.rules import ReadingRule
from bbccli.readers.sheet import WIDE, Sheet
from bbccli.readers.table import PredictionColumn
from bbccli.types import FloatArray, IntArray

_PROBABILITY = re.compile(
    r"(?:(.*?)[_. ])?(?:proba?|probability|probabilities|score)|(?:proba?|probability)_(.+)",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:(.*?)[_. ])?(?:pred|prediction|predicted|label|class)|pred_(.+)", re.IGNORECASE
)


def one_of_each_model(sheet: Sheet, request: Request) -> Sheet:
    """Leave out labels derived from a probability, such as `y_pred` beside `y_prob`.

    Both belong to one model if their names say so, and if in every row the label is the class whose
    probability is above 0.5, or the largest. Columns named by hand or in the metadata are always
    configurations. Refuse names that say so if some rows contradict.
    """
    for label, probability in _pairs(sheet).items():
        column = sheet.column(sheet.configurations[label][0])
        classes = in_order(sheet.roles["truth"])
        if len(classes) == 2:
            classes = positive_last(classes, request.positive, sheet.metadata, sheet.path)
        code = {name: place for place, name in enumerate(classes)}
        codes, names = column.named_codes()
        places = [code.get(spelled(name, classes), -1) for name in names]
        cells = sheet.configurations[probability]
        complete = {cell.label for cell in cells} == set(classes) or len(cells) == 1
        if min(places, default=-1) < 0 or not complete:
            continue  # independent numbers
        labels = np.array([*places, -1])[codes]
        differ, n_rows = _unlike(sheet, labels, classes, cells)
        if len(differ):
            of_other = len(cells) == 1 and 2 * len(differ) > n_rows
            raise column.fault(
                f"{label} may be the label of {probability}, or a configuration of its own: it "
                f"is not the more probable class in {len(differ)} of {n_rows} rows",
                differ,
                hint=f"{parameter('positive', classes[0])} if {probability} is that of "
                f"{classes[0]!r}, {parameter('only')} '*' if both are configurations"
                if of_other
                else f"{parameter('exclude')} {label} if they are of one model, "
                f"{parameter('only')} '*' if both are configurations",
            )
        if n_rows:
            note = declared.prediction_chosen(probability, [label], "only")
            rest = tuple(cell for cell in sheet.cells if cell.configuration != label)
            sheet = replace(sheet, cells=rest, notes=(*sheet.notes, note))
    return sheet


def _pairs(sheet: Sheet) -> Mapping[str, str]:
    """Return label configurations by name, with the probability beside each."""
    if sheet.layout != WIDE or "truth" not in sheet.roles:
        return {}
    declared = sheet.declared
    free = tuple(name for name in sheet.configurations if name not in declared)
    heads, pairs = _probabilities(free), {}
    for name in free if heads else ():
        match = _LABEL.fullmatch(name)
        head = _head(match) if match else name.casefold()
        if heads.get(head, name) != name and len(sheet.configurations[name]) == 1:
            pairs[name] = heads[head]
    return pairs


@lru_cache(maxsize=8)  # the files of a batch have the same columns
def _probabilities(names: tuple[str, ...]) -> Mapping[str, str]:
    """Return names of probabilities by model."""
    heads: dict[str, str] = {}
    for name in names:
        of_class = OF_CLASS.match(name)
        for one in (name, of_class[1]) if of_class else (name,):
            if match := _PROBABILITY.fullmatch(one):
                heads.setdefault(_head(match), name)
    return heads


def _head(match: re.Match[str]) -> str:
    """Return the name of the model; empty for `y_pred` and `pred`."""
    name = (match[1] or match[2] or "").casefold()
    return "" if name == "y" else name


def _unlike(
    sheet: Sheet, labels: IntArray, classes: Sequence[str], cells: Sequence[PredictionColumn]
) -> tuple[IntArray, int]:
    """Return the rows whose label is not the most probable class; and the number with both."""
    columns = [sheet.column(cell) for cell in cells]
    if any(column.is_text for column in columns) or (len(cells) == 1 and len(classes) != 2):
        return np.arange(0), 0
    numbers: FloatArray = np.stack([to_numbers(column.values) for column in columns], axis=-1)
    usable = (labels >= 0) & ~np.isnan(numbers).any(axis=1)
    if len(cells) > 1:
        numbers = numbers[:, [[cell.label for cell in cells].index(one) for one in classes]]
        own = np.take_along_axis(numbers, np.maximum(labels, 0)[:, None], axis=1)[:, 0]
        return np.flatnonzero(usable & (own < numbers.max(axis=1))), int(usable.sum())
    one = numbers[:, 0]
    half = 0.5 if one[usable].min(initial=1) >= 0 and one[usable].max(initial=0) <= 1 else 0.0
    wrong = np.where(labels == 1, one < half, one > half)
    return np.flatnonzero(usable & wrong), int(usable.sum())


RULES = (
    ReadingRule(
        "labels of probabilities",
        "a label that in every row is the class whose probability is above 0.5, or the largest; "
        "the names say that both are of one model",
        "labels and probabilities of one model",
        "the probabilities count, with a note; an error if some rows contradict the names",
        one_of_each_model,
    ),
)
