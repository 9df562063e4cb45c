"""Tools of R: caret, tidymodels and mlr3.

caret has `fit$pred` with `savePredictions = "all"`; tidymodels has
`collect_predictions(result, summarize = FALSE)`; mlr3 has `as.data.table(prediction)` of each
iteration, with `iteration` and `learner_id` added. In all three, the event of two classes is the
first level, whose column of probabilities comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from bbccli.errors import InputError
from bbccli.notes import listing
from bbccli.reading.layout.dialects.base import (
    PREDICTION,
    PROBABILITY,
    Dialect,
    Layout,
    assign_roles,
    class_predictions,
    column_called,
    configuration_columns,
    constant_within,
    first_of,
    has,
    predictions,
    role_column,
    value_names,
)
from bbccli.reading.roles import Hints, column_of
from bbccli.reading.table import Table
from bbccli.types import Pooling

_OF_R = partial(Dialect, selection=Pooling.FOLD_MEAN, event_first=True)
_CARET = {"row_id": ("rowIndex",), "fold": ("Resample",), "truth": ("obs",)}
_WEIGHTS = ("weights",)
"""Weights that a model was fitted with: caret's own scores don't count them."""
_IDENTIFIERS = (".row", ".config", "wflow_id", "id", "id2", ".iter", ".pred", ".pred_class")
_ASIDE_IN_TIDYMODELS = (".iter", "preproc")
_ASIDE_IN_MLR3 = ("uhash", "se", "resampling_id", "task_id", "set")


def _is_caret(frame: Table, hints: Hints) -> bool:
    """True for all of `pred`, `obs` and `rowIndex`; leave-one-out has no `Resample`."""
    return has(frame, "pred", "obs", "rowIndex")


def _layout_of_caret(frame: Table, hints: Hints) -> Layout:
    """Find the classes by the levels of `obs`; the remaining columns are parameters.

    Columns go by name, since their order varies. Those of the class probabilities have the names of
    the classes, without a prefix. Of `savePredictions = "final"`, which keeps the best
    configuration alone, the parameters come before `pred`.
    """
    pred, truth = column_called(frame, "pred"), column_called(frame, "obs")
    if pred is None or truth is None:
        raise InputError(
            "lacks the columns 'pred' and 'obs', so it is not fit$pred of caret",
            path=frame.path,
            hint="use write.csv(fit$pred, row.names = FALSE), or give another --dialect",
        )
    obs = frame.column(role_column(frame, hints, "truth", truth))
    levels = value_names(obs) if obs.is_text else set()
    classes = {f"{PROBABILITY}{name}": name for name in frame.names if name in levels}
    predicted = classes if classes and len(classes) == len(levels) else {PREDICTION: pred}
    if hints.roles.prediction is not None:
        predicted = {PREDICTION: column_of(frame, hints.roles.prediction, "prediction")}
    roles = hints.roles
    by_hand = {roles.group, roles.repeat, roles.fold, roles.row_id, roles.weight, roles.truth}
    known = {pred, *(first_of(frame, *names) for names in _CARET.values())}
    known |= {*classes.values(), *by_hand, *_WEIGHTS}
    free = [name for name in frame.names if name not in known]
    configuration = configuration_columns(frame, hints) or free
    layout = assign_roles(
        *(frame, hints, configuration, predicted),
        fixed=_CARET,
        unmentioned=_WEIGHTS,
        parameters=True,
    )
    merged = frame.names[0] in free and value_names(frame.column(frame.names[0])) != {"none"}
    return replace(layout, best_alone=merged)


CARET = _OF_R("caret", "fit$pred of caret", _is_caret, _layout_of_caret)


def _is_tidymodels(frame: Table, hints: Hints) -> bool:
    """True for `.row` and some `.pred`."""
    return has(frame, ".row") and any(name.startswith(".pred") for name in frame.names)


def _layout_of_tidymodels(frame: Table, hints: Hints) -> Layout:
    """Name configurations by `wflow_id` and `.config`; the outcome is the column that varies within
    them.

    It keeps its own name beside the tuning parameters, which are constant within a configuration.
    """
    configuration = configuration_columns(frame, hints, "wflow_id", ".config")
    predicted = predictions(frame, hints)
    weight = column_called(frame, ".case_weights")
    rest = [
        name
        for name in frame.names
        if name.casefold() not in (*_IDENTIFIERS, *_ASIDE_IN_TIDYMODELS)
        and not name.startswith(".pred")
        and name not in (*configuration, weight)
    ]
    parameters = [name for name in rest if constant_within(frame, configuration, name)]
    fixed: dict[str, Sequence[str]] = {"weight": [".case_weights"]}
    if "truth" not in hints.absent and not (hints.roles.truth or hints.roles.time):
        free = [name for name in rest if name not in parameters]
        fixed["truth"] = [_truth(frame, free, predicted)]
    unmentioned = (*parameters, *_ASIDE_IN_TIDYMODELS)
    return assign_roles(
        frame, hints, configuration, predicted, fixed=fixed, unmentioned=unmentioned
    )


def _truth(frame: Table, names: list[str], predicted: dict[str, str]) -> str:
    """Return the column whose values are classes of the predictions, or the only one."""
    classes = {name.removeprefix(PROBABILITY) for name in predicted if PROBABILITY in name}
    label = column_called(frame, ".pred_class")
    if not classes and label is not None:
        classes = value_names(frame.column(label))
    among = [name for name in names if classes and value_names(frame.column(name)) <= classes]
    for some in (among, names):
        if len(some) == 1:
            return some[0]
    raise InputError(
        f"it is unclear which column is the outcome: {listing(names or list(frame.names), 8)}",
        path=frame.path,
        hint="give --truth NAME",
    )


TIDYMODELS = _OF_R(
    "tidymodels", "collect_predictions() of tune", _is_tidymodels, _layout_of_tidymodels
)


def _is_mlr3(frame: Table, hints: Hints) -> bool:
    """True for `row_ids` and `truth` beside `response` or `prob.<class>`."""
    if not has(frame, "row_ids", "truth"):
        return False
    return has(frame, "response") or bool(class_predictions(frame))


def _layout_of_mlr3(frame: Table, hints: Hints) -> Layout:
    """Name configurations by `learner_id`, with `uhash` if that tells more apart."""
    configuration = configuration_columns(frame, hints, "learner_id", "config")[:1]
    hashed = column_called(frame, "uhash")
    if hashed is not None and not constant_within(frame, configuration, hashed):
        configuration.append(hashed)
    columns = predictions(frame, hints)
    return assign_roles(frame, hints, configuration, columns, unmentioned=_ASIDE_IN_MLR3)


MLR3 = _OF_R("mlr3", "predictions of mlr3, by iteration", _is_mlr3, _layout_of_mlr3)
