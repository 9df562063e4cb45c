"""OpenML: `predictions.arff` of a run, which is one configuration."""

from __future__ import annotations

from bbccli.readers.layout.dialects.base import Dialect, Layout, has, lay_out, predictions
from bbccli.readers.roles import Hints
from bbccli.readers.table import Table


def recognises(frame: Table, hints: Hints) -> bool:
    """`repeat`, `fold` and `prediction` beside `correct`, `truth` or `confidence.<class>`."""
    if not has(frame, "repeat", "fold", "prediction"):
        return False
    confident = any(name.casefold().startswith("confidence.") for name in frame.names)
    return confident or has(frame, "correct") or frame.path.casefold().endswith(".arff")


def layout(frame: Table, hints: Hints) -> Layout:
    """Every run of a task has the same keys and folds."""
    predicted, fixed = predictions(frame, hints), {"truth": ("correct", "truth")}
    return lay_out(frame, hints, (), predicted, fixed=fixed, unmentioned=["sample"])


DIALECT = Dialect("openml", "predictions.arff of a run of OpenML", recognises, layout)
