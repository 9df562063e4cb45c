"""What each family reaches on a data set: corrected for the selection within it.

1. A family of several configurations has its BBC estimate: what its winner can be expected to
   reach. The largest of its figures would favour the family with the most configurations.
2. A family of one configuration selects nothing, and has its performance as measured.

Source: Tsamardinos, Greasidou & Borboudakis 2018, algorithm 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bbccli.bootstrap.of_samples import corrected
from bbccli.case import Case
from bbccli.errors import UndefinedError
from bbccli.matrix import PredictionMatrix
from bbccli.metrics.base import Metric
from bbccli.metrics.planned import planned
from bbccli.plan import Plan
from bbccli.selection.candidates import candidates


def performances_of(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    families: Mapping[str, Sequence[int]] | None = None,
) -> dict[str, float]:
    """Return the performance of each family on one data set, by name; NaN where it is undefined.

    Parameters
    ----------
    families
        Columns of the configurations of each; without them every configuration is one.

    Raises
    ------
    UnsupportedError
        A metric that does not fit.
    """
    metric = planned(metric, plan)
    if families is None:
        values = candidates(matrix, metric, plan.pooling).performances()
        return dict(zip(matrix.configurations, values.tolist(), strict=True))
    return {name: _of(matrix, metric, plan, columns) for name, columns in families.items()}


def _of(matrix: PredictionMatrix, metric: Metric, plan: Plan, columns: Sequence[int]) -> float:
    own = matrix.of_configurations(np.asarray(columns))
    try:
        if len(columns) == 1:
            return float(candidates(own, metric, plan.pooling).performances()[0])
        return corrected(Case(own, metric, metric, plan, "bbc")).value
    except UndefinedError:
        return float("nan")
