"""What can be estimated where workers have parts of the configurations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bbccli.bootstrap.by_rows import addable
from bbccli.errors import OptionError
from bbccli.matrix import PredictionMatrix
from bbccli.metrics import Metric
from bbccli.metrics.planned import planned
from bbccli.plan import Plan
from bbccli.resources import PER_SAMPLE
from bbccli.selection.candidates import by_repeat
from bbccli.types import Select

OF_A_COLUMN = 60
"""Bytes per sample without which one configuration can't be looked at and scored."""

METHODS = ("cvt", "tt", "bbc", "bbc-f")
"""Methods that need no more of a configuration than its performances."""

METRICS = (
    "means of a loss per sample, shares of pairs and functions of counts: accuracy, auc, brier"
)
"""Metrics whose figures are the same to the last bit whatever is scored beside them."""


def check_methods(names: Sequence[str] | None) -> None:
    """Refuse methods that need all predictions in one place.

    Raises
    ------
    OptionError
        Names the first of them.
    """
    for name in names or ():
        if name not in METHODS:
            raise OptionError(
                f"--method {name} needs all predictions in one place, which --runner dask is not",
                hint=f"--method {', '.join(METHODS)}; or leave out --runner dask",
            )


def per_sample(matrix: PredictionMatrix, metrics: Sequence[Metric], plan: Plan) -> int:
    """Return the bytes per sample that a worker needs, of a column or of a block of resamples."""
    asked = [planned(metric, plan) for metric in metrics]
    apart = all(addable(matrix, metric, plan.pooling) for metric in asked)
    return OF_A_COLUMN if apart else PER_SAMPLE


def check_parts(matrix: PredictionMatrix, metrics: Sequence[Metric], plan: Plan) -> None:
    """Refuse metrics and selections that parts of the configurations can't be worked on by.

    Raises
    ------
    OptionError
        Names the first of them.
    """
    if plan.select is not Select.BEST:
        raise OptionError(
            f"--runner dask selects the best configuration, not by --select {plan.select}",
            hint="--select best, or leave out --runner dask",
        )
    for metric in metrics:
        columns = np.array([0, min(1, matrix.n_configurations - 1)])
        scorer = by_repeat(matrix, metric, columns)[0]
        if not getattr(scorer, "steady", False):
            raise OptionError(
                f"--runner dask has no {metric.name}: in parts it is another in the last digits",
                hint=f"{METRICS} and others; or leave out --runner dask",
            )
