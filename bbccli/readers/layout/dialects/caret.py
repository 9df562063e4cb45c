"""caret: `fit$pred` with `savePredictions = "all"`.

Columns go by name, since their order varies. The columns of the class probabilities are called as
the classes, without a prefix; what is left are the tuning parameters, which name the configuration.
"""

from __future__ import annotations

from bbccli.errors import InputError
from bbccli.readers.layout.dialects.base import (
    PREDICTION,
    PROBABILITY,
    Dialect,
    Layout,
    configuration_columns,
    first_of,
    has,
    lay_out,
    levels_of,
    role_column,
    spelled,
)
from bbccli.readers.roles import Hints, column_of
from bbccli.readers.table import Table
from bbccli.types import Pooling

_ROLES = {"row_id": ("rowIndex",), "fold": ("Resample",), "truth": ("obs",), "weight": ("weights",)}


def recognises(frame: Table, hints: Hints) -> bool:
    """All of `pred`, `obs`, `rowIndex` and `Resample`."""
    return has(frame, "pred", "obs", "rowIndex", "Resample")


def layout(frame: Table, hints: Hints) -> Layout:
    """Find the classes by the levels of `obs`; parameters are what is left.

    Raises
    ------
    InputError
        There is no column `pred` or `obs`.
    """
    pred, truth = spelled(frame, "pred"), spelled(frame, "obs")
    if pred is None or truth is None:
        raise InputError(
            "has no columns `pred` and `obs`, so it is not fit$pred of caret",
            path=frame.path,
            hint="write.csv(fit$pred, row.names = FALSE); or give another --dialect",
        )
    obs = frame.column(role_column(frame, hints, "truth", truth))
    levels = levels_of(obs) if obs.is_text else set()
    classes = {f"{PROBABILITY}{name}": name for name in frame.names if name in levels}
    predicted = classes if classes and len(classes) == len(levels) else {PREDICTION: pred}
    if hints.roles.prediction is not None:
        predicted = {PREDICTION: column_of(frame, hints.roles.prediction, "prediction")}
    roles = hints.roles
    by_hand = {roles.group, roles.repeat, roles.fold, roles.row_id, roles.weight, roles.truth}
    known = {pred, *(first_of(frame, *names) for names in _ROLES.values())}
    known |= {*classes.values(), *by_hand}
    free = [name for name in frame.names if name not in known]
    configuration = configuration_columns(frame, hints) or free
    return lay_out(frame, hints, configuration, predicted, fixed=_ROLES, parameters=True)


DIALECT = Dialect("caret", "fit$pred of caret", recognises, layout, selection=Pooling.FOLD_MEAN)
