"""Files of one configuration each: runs of OpenML, and predictions as shared on Kaggle.

Kaggle files have a key and predictions. The truth is usually in a separate file; then a column
`target` is the prediction.
"""

from __future__ import annotations

from bbccli.errors import InputError, parameter
from bbccli.notes import listing
from bbccli.reading.layout.dialects.base import (
    PREDICTION,
    PROBABILITY,
    Dialect,
    Layout,
    assign_roles,
    by_name_or_hand,
    has,
    predictions,
    value_names,
)
from bbccli.reading.roles import NAMES, Hints
from bbccli.reading.table import CLASS_SEPARATOR, Table
from bbccli.types import Task


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
    seen = advice(frame, plain.roles, hints, long=True)
    if free and {*free} == {*frame.unnamed}:  # a list of the classes
        return {f"{PROBABILITY}{name.rpartition(CLASS_SEPARATOR)[2]}": name for name in free}
    advised, among, numbers = str(seen), seen.among, not frame.texts & {*free}
    if "truth" in plain.roles:
        classes = value_names(frame.column(plain.roles["truth"]))
    else:
        classes = {*free} if numbers and not (advised or hints.task is Task.SCORE) else set()
        if other := next((t.path for t in hints.tables if not classes <= {*t.names}), None):
            raise InputError(
                f"holds {len(free)} columns of predictions, with names that {other} lacks, but of "
                "several files each must hold one configuration",
                path=frame.path,
                hint="write all columns into one file (numpy: column_stack); use bbc batch if each "
                "file is a separate experiment",
            )
    if classes <= {*free} and len(classes) > 1:
        return {f"{PROBABILITY}{name}": name for name in free if name in classes}
    if len(among) > 1:
        advised = f"{advised} {parameter('prediction')} NAME".lstrip()
        advised += f", where NAME is one of {listing(among, 8)}"
    elif among and "truth" in hints.absent and hints.task is not Task.SCORE:
        advised += f" {parameter('truth', among[0])}, if the labels are called so"
    whole = "; use bbc batch if each file is a separate experiment" * ("truth" in plain.roles)
    raise InputError(
        f"it is unclear which column holds predictions: {listing(free or list(frame.names), 8)}",
        path=frame.path,
        hint=f"{advised}{whole}"
        if among
        else "use a column 'prediction', or one 'prob.<class>' per class, or "
        f"{parameter('prediction')} NAME, because each of several files holds one "
        f"configuration{whole}",
    )


KAGGLE = Dialect(
    "kaggle",
    "a key and predictions, one file per configuration",
    lambda _frame, _hints: False,  # they may be anything: several files or an option decide
    lambda frame, hints: assign_roles(frame, hints, (), _predictions(frame, hints)),
)
