"""Long tables whose predictions are probabilities of the predicted class, beside the label."""

from __future__ import annotations

from dataclasses import replace

from bbccli.notes import Note, identities
from bbccli.reading.arrow import as_arrow, pa, to_numbers
from bbccli.reading.classes import codes_among, in_order
from bbccli.reading.columns.labels import is_of_predicted, of_class
from bbccli.reading.layout.dialects.base import PREDICTION, PROBABILITY, Layout
from bbccli.reading.table import Table

_MOST_CLASSES = 20
"""Most classes of a column of labels beside a score."""


def by_labels(
    table: Table, layout: Layout, by_hand: str | None
) -> tuple[Table, Layout, list[Note]]:
    """Return a long table whose predictions are probabilities of the predicted class, by class.

    With more than two classes the labels count instead.
    """
    score, data = layout.predictions.get(PREDICTION, ""), table.data
    columns = [table.column(name) for name in (*layout.spare, *layout.beside)]
    truths = [table.column(layout.roles["truth"])] if "truth" in layout.roles else []
    if (
        not columns
        or score in ("", by_hand)
        or score not in table.numeric
        or not isinstance(data, pa.Table)
    ):
        return table, layout, []
    numbers = to_numbers(table.column(score).values)
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
