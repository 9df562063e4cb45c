"""Registry of dialects: formats in which other tools write predictions.

A file is recognised by its column names, or by `--dialect`.

- The long layout as `bbc` writes it, with a column `config`; and evaluations in that form.
- Tools of R: caret has `fit$pred` with `savePredictions = "all"`; tidymodels has
  `collect_predictions(result, summarize = FALSE)`; mlr3 has `as.data.table(prediction)` of each
  iteration, with `iteration` and `learner_id` added. In all three, the event of two classes is the
  first level, whose column of probabilities comes first.
- Runs of OpenML, and predictions as shared on Kaggle: files of one configuration each. Kaggle
  files have a key and predictions; the truth is usually in a separate file, and then a column
  `target` is the prediction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Final

import numpy as np

from bbccli.errors import parameter
from bbccli.notes import listing
from bbccli.reading.column import joint
from bbccli.reading.layout.dialects.base import (
    PREDICTION,
    PROBABILITY,
    Dialect,
    Layout,
    assign_roles,
    by_name_or_hand,
    class_predictions,
    column_called,
    configuration_columns,
    constant_within,
    first_of,
    has,
    predictions,
    role_column,
    single_predictions,
    value_names,
)
from bbccli.reading.roles import CONFIGURATIONS, ITEM_KEYS, NAMES, Hints, column_named, column_of
from bbccli.reading.table import CLASS_SEPARATOR, Table
from bbccli.types import Pooling, Task

CONFIGURATION: Final = "config"


def recognises(frame: Table, hints: Hints) -> bool:
    """True for configuration names beside predictions, if neither is declared a configuration."""
    if hints.roles.configuration is not None:
        return True
    if first_of(frame, *CONFIGURATIONS) is None:
        return False
    columns = [*class_predictions(frame).values(), *single_predictions(frame)]
    predicted = any(name not in hints.declared for name in columns) or hints.roles.prediction
    return bool(predicted) and configuration_of(frame, hints) is not None


def layout(
    frame: Table, hints: Hints, roles: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> Layout:
    """Return columns by option, then by name, also by the names of further `roles`: those of a
    table that may be split over several files, so that a model has one name in all.
    """
    name = None if hints.roles.configuration else configuration_of(frame, hints)
    columns = configuration_columns(frame, hints, *([name] if name else []))
    plain = bool(roles) or not columns or columns[0].casefold() == CONFIGURATION
    whole = assign_roles(frame, hints, columns, predictions(frame, hints), fixed=roles)
    return replace(whole, global_names=plain)


def configuration_of(frame: Table, hints: Hints) -> str | None:
    """Return the column of configuration names.

    That is `config`, a text column with a synonymous name, or one of integers that tell the rows of
    a sample apart. Refuse integers that may be predictions as well.
    """
    for synonym in CONFIGURATIONS:
        name = column_called(frame, synonym)
        if name is None or name in hints.declared:
            continue
        if synonym == CONFIGURATION or name in frame.texts:
            return name
        if name in frame.kinds.integers and _tells_rows_apart(frame, name, hints):
            return name
    return None


def _tells_rows_apart(frame: Table, name: str, hints: Hints) -> bool:
    """True if samples recur once for each number of a column."""
    if not (class_predictions(frame) or single_predictions(frame) or hints.roles.prediction):
        return False
    keys = [
        column
        for role in ("row_id", "repeat", "outer_fold", "train_size")
        if (column := getattr(hints.roles, role) or column_named(frame, role)) in frame.names
    ]
    if not hints.roles.row_id and column_named(frame, "row_id") is None:
        raise frame.fault(
            "integers may be names of configurations, or predictions",
            column=name,
            hint=f"use --configuration {name} or --dialect wide",
        )
    codes = [frame.column(key).codes()[0] for key in keys]
    alone, together = (joint(levels) for levels in (codes, [*codes, frame.column(name).codes()[0]]))
    return len(np.unique(alone)) < frame.n_rows == len(np.unique(together))


LONG = Dialect("long", "the long layout: a column `config`", recognises, layout)

_ROLES: Final = {"row_id": ITEM_KEYS, "repeat": ("epoch",), "group": ("subject", "template")}
"""Names of the sample, the repeat and the group in evaluations; the first that occurs counts."""


def _is_of_items(frame: Table, hints: Hints) -> bool:
    """True for a long table of scores with a column named like the items of an evaluation."""
    return (
        hints.task is Task.SCORE
        and first_of(frame, *ITEM_KEYS) is not None
        and LONG.recognises(frame, hints)
    )


ITEMS = Dialect(
    "items", "scores by item, model and epoch", _is_of_items, partial(layout, roles=_ROLES)
)
"""Evaluations as long tables: a row per item, model and epoch, with the score."""


def _is_openml(frame: Table, hints: Hints) -> bool:
    """True for `repeat`, `fold` and `prediction` beside `correct`, `truth` or
    `confidence.<class>`.
    """
    if not has(frame, "repeat", "fold", "prediction"):
        return False
    confident = any(name.casefold().startswith("confidence.") for name in frame.names)
    return confident or has(frame, "correct") or frame.path.casefold().endswith(".arff")


def _layout_of_openml(frame: Table, hints: Hints) -> Layout:
    """Return the layout; every run of a task has the same keys and folds."""
    predicted, fixed = predictions(frame, hints), {"truth": ("correct", "truth")}
    return assign_roles(frame, hints, (), predicted, fixed=fixed, unmentioned=["sample"])


OPENML = Dialect("openml", "predictions.arff of a run of OpenML", _is_openml, _layout_of_openml)


def _predictions(frame: Table, hints: Hints) -> dict[str, str]:
    """Return the columns of the predictions: the one free column, or those named as the classes."""
    from bbccli.reading.advice import advice

    if columns := by_name_or_hand(frame, hints):
        return columns
    plain = assign_roles(frame, hints, (), {})
    free = list(plain.spare)
    if "truth" in hints.absent:
        others = [name for name in free if name.casefold() not in NAMES["truth"]]
        if not others:
            free = free[:1]
        if hints.roles.truth in free:
            return {PREDICTION: hints.roles.truth}  # named as in the labels file
        free = others or free
    if len(free) == 1:
        return {PREDICTION: free[0]}
    seen = advice(frame.opened, plain.roles, hints, long=True)
    if free and {*free} == {*frame.unnamed}:  # a list of the classes
        return {f"{PROBABILITY}{name.rpartition(CLASS_SEPARATOR)[2]}": name for name in free}
    advised, among, numbers = str(seen), seen.among, not frame.texts & {*free}
    if "truth" in plain.roles:
        classes = value_names(frame.column(plain.roles["truth"]))
    else:
        classes = {*free} if numbers and not (advised or hints.task is Task.SCORE) else set()
        if other := next((t.path for t in hints.tables if not classes <= {*t.names}), None):
            raise frame.fault(
                f"holds {len(free)} columns of predictions, with names that {other} lacks, but of "
                "several files each must hold one configuration",
                hint="write all columns into one file (numpy: column_stack); use bbc batch if each "
                "file is a separate experiment",
            )
    if classes <= {*free} and len(classes) > 1:
        return {f"{PROBABILITY}{name}": name for name in free if name in classes}
    _refuse_odd(frame, hints, outcome="truth" in plain.roles)
    if len(among) > 1:
        advised = f"{advised} {parameter('prediction')} NAME".lstrip()
        advised += f", where NAME is one of {listing(among, 8)}"
    elif among and "truth" in hints.absent and hints.task is not Task.SCORE:
        advised += f" {parameter('truth', among[0])}, if the labels are called so"
    whole = "; use bbc batch if each file is a separate experiment" * ("truth" in plain.roles)
    raise frame.fault(
        f"it is unclear which column holds predictions: {listing(free or list(frame.names), 8)}",
        hint=f"{advised}{whole}"
        if among
        else "use a column 'prediction', or one 'prob.<class>' per class, or "
        f"{parameter('prediction')} NAME, because each of several files holds one "
        f"configuration{whole}",
    )


def _refuse_odd(frame: Table, hints: Hints, *, outcome: bool) -> None:
    """Refuse a file without predictions whose columns are not those of all other files."""
    alike = {frozenset(t.names) for t in hints.tables if t.path != frame.path}
    if len(alike) == 1 < len(hints.tables) - 1 and frozenset(frame.names) not in alike:
        raise frame.fault(
            f"holds {listing(frame.names, 8)}, unlike all other files",
            hint="leave it out of the predictions"
            + f"; give {parameter('labels', frame.path)}" * outcome,
        )


_OF_ROLES: Final = {name for names in NAMES.values() for name in names}

KAGGLE = Dialect(
    "kaggle",
    "a key and predictions, one file per configuration",
    # they may be anything, and several files or an option decide; but of `id,target` beside labels
    lambda frame, hints: "truth" in hints.absent and frame.by_spelling.keys() <= _OF_ROLES,
    lambda frame, hints: assign_roles(frame, hints, (), _predictions(frame, hints)),
)


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
        raise frame.fault(
            "lacks the columns 'pred' and 'obs', so it is not fit$pred of caret",
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
    found = assign_roles(frame, hints, configuration, predicted, fixed=_CARET, unmentioned=_WEIGHTS)
    merged = frame.names[0] in free and value_names(frame.column(frame.names[0])) != {"none"}
    return replace(found, parameters=True, best_alone=merged)


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
    aside = (*parameters, *_ASIDE_IN_TIDYMODELS)
    return assign_roles(frame, hints, configuration, predicted, fixed=fixed, unmentioned=aside)


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
    raise frame.fault(
        f"it is unclear which column is the outcome: {listing(names or list(frame.names), 8)}",
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


__all__ = ["DIALECTS", "Dialect", "Layout"]

DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect for dialect in (CARET, TIDYMODELS, MLR3, ITEMS, LONG, OPENML, KAGGLE)
}
