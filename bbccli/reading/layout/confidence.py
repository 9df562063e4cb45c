"""Long tables whose predictions are probabilities of the predicted class, beside the label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np

from bbccli.errors import parameter
from bbccli.notes import Note, identities
from bbccli.platform.text import percent
from bbccli.reading.arrow import as_arrow, pa, to_numbers
from bbccli.reading.classes import codes_among, in_order
from bbccli.reading.column import Column
from bbccli.reading.columns.labels import is_of_predicted, of_class
from bbccli.reading.layout.dialects.base import PREDICTION, PROBABILITY, Layout
from bbccli.reading.table import Table
from bbccli.types import Task

_MOST_ROWS = 512
"""Rows in which a score is compared with other columns."""

_MOST_CLASSES = 20
"""Most classes of a column of labels beside a score."""


def by_labels(table: Table, layout: Layout, given: str | None) -> tuple[Table, Layout, list[Note]]:
    """Return a long table whose predictions are probabilities of the predicted class, by class.

    With more than two classes the labels count instead. Whole numbers called a score are refused if
    another column is far oftener the truth: they judge the answer.
    """
    score, data = layout.predictions.get(PREDICTION, ""), table.data
    columns = [table.column(name) for name in (*layout.spare, *layout.beside)]
    truths = [table.column(layout.roles["truth"])] if "truth" in layout.roles else []
    known = columns and score != given and score in table.kinds.numeric
    if not known or not isinstance(data, pa.Table):
        return table, layout, []
    numbers = to_numbers(table.column(score).values)
    if truths and score.casefold() == "score" and not (numbers % 1 > 0).any():
        _refuse_judgement(table, truths[0], table.column(score), columns)
    for column in columns:
        classes = in_order((truths or [column])[0])
        n_names = len(column.named_codes()[1])
        if not 2 <= n_names <= len(classes) <= _MOST_CLASSES:
            continue
        labels = codes_among(column, classes)
        truth = codes_among(truths[0], classes) if truths else None
        if labels.min() < -1 or not is_of_predicted(numbers, labels, truth, len(classes)):
            continue
        if len(classes) > 2:
            layout = replace(layout, predictions={PREDICTION: column.name}, beside=(score,))
            return table, layout, [identities.confidence(score, column.name, None, "prediction")]
        of = {f"{PROBABILITY}{label}": f"{score} of {label}" for label in classes}
        for code, name in enumerate(of.values()):
            data = data.append_column(name, as_arrow(of_class(numbers, labels, code)))
        spare = tuple(name for name in layout.spare if name != column.name)
        layout = replace(layout, predictions=of, spare=spare)
        note = identities.confidence(score, column.name, classes[-1], "prediction")
        return replace(table, data=data), layout, [note]
    return table, layout, []


def _refuse_judgement(table: Table, truth: Column, score: Column, others: Sequence[Column]) -> None:
    """Refuse a score if another column is the truth in more rows, by 3.5 standard errors."""
    rows = np.linspace(0, len(score) - 1, min(len(score), _MOST_ROWS), dtype=np.int64)
    truth = truth.take(rows)
    classes = in_order(truth)
    wanted = codes_among(truth, classes)
    ours = codes_among(score.take(rows), classes) == wanted
    for column in others:
        theirs = codes_among(column.take(rows), classes) == wanted
        more, fewer = np.count_nonzero(theirs > ours), np.count_nonzero(theirs < ours)
        if more - fewer > 3.5 * sqrt(more + fewer):
            raise table.fault(
                f"{column.name} is the truth in {percent(theirs.mean(), 0)} of rows, and "
                f"{score.name} in {percent(ours.mean(), 0)}",
                column=score.name,
                hint=f"give {parameter('prediction', column.name)}, or "
                f"{parameter('task', Task.SCORE)} if {score.name} judges the answers",
            )
