"""Whether the labels that a table predicts are those that its probabilities speak for.

Exports without scores can't be verified otherwise: classes that are swapped, or rows that are mixed
up in the columns of the probabilities alone, are found here.
"""

from __future__ import annotations

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.arrow import is_number
from bbccli.readers.layout.dialects.base import PROBABILITY, class_predictions, spelled
from bbccli.readers.table import Table
from bbccli.types import BoolArray, FloatArray, IntArray

FEWEST = 0.8
"""Share of the pairs of two classes, or of the rows of more, that must agree. Thresholds that were
moved change none of the pairs; a calibration of its own, as that of an SVM, changes a few."""

_TWO = 2


def check(table: Table, label: str, outcome: str) -> None:
    """Refuse predicted labels that contradict the probabilities beside them.

    Parameters
    ----------
    table
        One export.
    label, outcome
        Columns of the predicted label, and of the true one, whose levels name columns.

    Raises
    ------
    InputError
        Most do.
    """
    predicted = spelled(table, label)
    classes = _classes(table, outcome)
    if predicted is None or len(classes) < _TWO:
        return
    codes, names = table.column(predicted).named_codes()
    if not set(names) <= classes.keys() or len(names) < _TWO:
        return
    chances = np.column_stack([table.column(classes[name]).numbers(name) for name in names])
    known = (codes >= 0) & np.isfinite(chances).all(axis=1)
    share = _share(codes[known], chances[known]) if known.any() else 1.0
    if share < FEWEST:
        raise InputError(
            f"predicted labels contradict the probabilities: {share:.0%} agree",
            path=table.path,
            column=predicted,
            hint="the classes are swapped, or rows are mixed up: export the predictions again",
        )


def _classes(table: Table, outcome: str) -> dict[str, str]:
    """Column of the probability of each class."""
    found = class_predictions(table)
    if found:
        numbers = {key: one for key, one in found.items() if is_number(table.type_of(one))}
        return {key.removeprefix(PROBABILITY): one for key, one in numbers.items()}
    true = spelled(table, outcome)
    levels = () if true is None else table.column(true).named_codes()[1]
    return {name: name for name in levels if name in table.names and _number(table, name)}


def _number(table: Table, name: str) -> bool:
    return is_number(table.type_of(name))


def _share(codes: IntArray, chances: FloatArray) -> float:
    """Share of the pairs in the right order for two classes; of the rows, for more."""
    if chances.shape[1] > _TWO:
        own = np.take_along_axis(chances, codes[:, None], axis=1)[:, 0]
        return float((own >= chances.max(axis=1)).mean())
    difference, second = chances[:, 1] - chances[:, 0], codes == 1
    return _concordance(difference, second)


def _concordance(values: FloatArray, second: BoolArray) -> float:
    """Share of the pairs of a first and a second whose values are in this order; half for ties."""
    low = np.sort(values[~second])
    if not len(low) or not second.any():
        return 1.0
    below = np.searchsorted(low, values[second], "left")
    upto = np.searchsorted(low, values[second], "right")
    return float((below + upto).mean() / (2 * len(low)))
