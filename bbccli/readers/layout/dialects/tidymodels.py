"""tidymodels: `collect_predictions(result, summarize = FALSE)`.

The outcome keeps its own name, and the tuning parameters stand beside it. A parameter has one
value per configuration, the outcome has several: that tells them apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.core.notes import listing
from bbccli.errors import InputError
from bbccli.readers.layout.dialects.base import (
    PROBABILITY,
    Dialect,
    Layout,
    configuration_columns,
    constant_within,
    has,
    lay_out,
    levels_of,
    predictions,
    spelled,
)
from bbccli.readers.roles import Hints
from bbccli.readers.table import Table
from bbccli.types import Pooling

_IDENTIFIERS = (".row", ".config", "wflow_id", "id", "id2", ".iter", ".pred", ".pred_class")
_UNMENTIONED = (".iter", "preproc")


def recognises(frame: Table, hints: Hints) -> bool:
    """`.row` and some `.pred`."""
    return has(frame, ".row") and any(name.startswith(".pred") for name in frame.names)


def layout(frame: Table, hints: Hints) -> Layout:
    """`wflow_id` and `.config` name the configuration; the outcome is what varies within it.

    Raises
    ------
    InputError
        No column, or more than one, that could be the outcome.
    """
    configuration = configuration_columns(frame, hints, "wflow_id", ".config")
    predicted = predictions(frame, hints)
    weight = spelled(frame, ".case_weights")
    rest = [
        name
        for name in frame.names
        if name.casefold() not in (*_IDENTIFIERS, *_UNMENTIONED)
        and not name.startswith(".pred")
        and name not in (*configuration, weight)
    ]
    parameters = [name for name in rest if constant_within(frame, configuration, name)]
    fixed: dict[str, Sequence[str]] = {"weight": [".case_weights"]}
    if "truth" not in hints.absent and not (hints.roles.truth or hints.roles.time):
        free = [name for name in rest if name not in parameters]
        fixed["truth"] = [_truth(frame, free, predicted)]
    unmentioned = (*parameters, *_UNMENTIONED)
    return lay_out(frame, hints, configuration, predicted, fixed=fixed, unmentioned=unmentioned)


def _truth(frame: Table, names: list[str], predicted: dict[str, str]) -> str:
    """The column whose values are classes of the predictions, or the only one there is."""
    classes = {name.removeprefix(PROBABILITY) for name in predicted if PROBABILITY in name}
    label = spelled(frame, ".pred_class")
    if not classes and label is not None:
        classes = levels_of(frame.column(label))
    among = [name for name in names if classes and levels_of(frame.column(name)) <= classes]
    for found in (among, names):
        if len(found) == 1:
            return found[0]
    raise InputError(
        f"no single column is the outcome: {listing(names or list(frame.names), 8)}",
        path=frame.path,
        hint="--truth NAME",
    )


DIALECT = Dialect(
    "tidymodels", "collect_predictions() of tune", recognises, layout, selection=Pooling.FOLD_MEAN
)
