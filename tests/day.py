"""Parameters of tests that are for the sweep: `make test` runs all others."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def swept(*values: Any, **more: Any) -> Any:
    """As `pytest.param`: a case for the sweep."""
    return pytest.param(*values, marks=pytest.mark.sweep, **more)


def daily(values: Iterable[Any], chosen: Collection[Any], *, unpack: bool = False) -> list[Any]:
    """Values of which the chosen are for every day, and the others for the sweep.

    unpack: each is a tuple of several arguments, which is chosen whole.
    """
    values = list(values)
    assert all(one in values for one in chosen), "what is chosen must be there"
    return [one if one in chosen else swept(*one) if unpack else swept(one) for one in values]


METRICS_BY_DAY = ("auc", "accuracy", "mcc", "f1-macro", "log-loss", "rmse", "r2", "concordance-uno")
"""Of pairs, counts, classes and losses: one metric of each way to be computed, and its rival."""

COMMANDS_BY_DAY = ("correct", "compare", "plan")
"""Commands on a file, on pairs of its configurations, and on none."""
