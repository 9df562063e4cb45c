"""mlr3: `as.data.table(prediction)` of each iteration, with `iteration` and `learner_id` added."""

from __future__ import annotations

from bbccli.readers.layout.dialects.base import (
    Dialect,
    Layout,
    class_predictions,
    configuration_columns,
    constant_within,
    has,
    lay_out,
    predictions,
    spelled,
)
from bbccli.readers.roles import Hints
from bbccli.readers.table import Table
from bbccli.types import Pooling

_UNMENTIONED = ("uhash", "se", "resampling_id", "task_id", "set")


def recognises(frame: Table, hints: Hints) -> bool:
    """`row_ids` and `truth` beside `response` or `prob.<class>`."""
    if not has(frame, "row_ids", "truth"):
        return False
    return has(frame, "response") or bool(class_predictions(frame))


def layout(frame: Table, hints: Hints) -> Layout:
    """`learner_id` names the configuration, with `uhash` where that tells more apart."""
    configuration = configuration_columns(frame, hints, "learner_id", "config")[:1]
    hashed = spelled(frame, "uhash")
    if hashed is not None and not constant_within(frame, configuration, hashed):
        configuration.append(hashed)
    found = predictions(frame, hints)
    return lay_out(frame, hints, configuration, found, unmentioned=_UNMENTIONED)


DIALECT = Dialect(
    "mlr3", "predictions of mlr3, by iteration", recognises, layout, selection=Pooling.FOLD_MEAN
)
