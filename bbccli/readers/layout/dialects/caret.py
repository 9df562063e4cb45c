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
    has,
    lay_out,
    levels_of,
    role_column,
    spelled,
)
from bbccli.readers.roles import Hints, column_of
from bbccli.readers.table import Table
from bbccli.types import Pooling

_ROLES = {"row_id": "rowIndex", "fold": "Resample", "truth": "obs", "weight": "weights"}


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
    fixed = {role: found for role, name in _ROLES.items() if (found := spelled(frame, name))}
    pred = spelled(frame, "pred")
    if pred is None or "truth" not in fixed:
        raise InputError(
            "has no columns `pred` and `obs`, so it is not fit$pred of caret",
            path=frame.path,
            hint="write.csv(fit$pred, row.names = FALSE); or give another --dialect",
        )
    obs = frame.column(role_column(frame, hints, "truth", fixed["truth"]))
    levels = levels_of(obs) if obs.is_text else set()
    classes = {f"{PROBABILITY}{name}": name for name in frame.names if name in levels}
    predicted = classes if classes and len(classes) == len(levels) else {PREDICTION: pred}
    if hints.roles.prediction is not None:
        predicted = {PREDICTION: column_of(frame, hints.roles.prediction, "prediction")}
    known = {pred, *fixed.values(), *classes.values(), *_by_hand(hints)}
    configuration = [name for name in frame.names if name not in known]
    if hints.roles.configuration is not None:
        configuration = [column_of(frame, hints.roles.configuration, "configuration")]
    return lay_out(frame, hints, configuration, predicted, fixed=fixed, parameters=True)


def _by_hand(hints: Hints) -> set[str]:
    """Columns that have a role by hand."""
    roles = hints.roles
    named = (roles.group, roles.repeat, roles.fold, roles.row_id, roles.weight, roles.truth)
    return {name for name in named if name is not None}


DIALECT = Dialect("caret", "fit$pred of caret", recognises, layout, selection=Pooling.FOLD_MEAN)
