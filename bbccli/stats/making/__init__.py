"""Configurations made for a bag: ensembles, calibrations and cuts, repeated in every resample.

What such a rule chooses in a bag is a column of predictions of its own, *made* for that bag. It is
scored out of the bag as any other; so every metric, interval and note is that of `bbc`.

`interface.py` is the contract, a file per rule; `made.py` puts them together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.metrics.base import Metric

if TYPE_CHECKING:
    from bbccli.stats.making.made import Maker


def maker_of(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> Maker | None:
    """Return what makes the predictions that a plan asks for; None where one is only selected.

    metric: that selects.
    Raises UnsupportedError: predictions of which no mean can be taken, or that have no cut.
    """
    if not plan.makes:
        return None
    from bbccli.stats.making.rules import maker
    from bbccli.stats.selection.candidates import cached

    key = ("made", metric, plan.rule, plan.pooling, plan.calibrate, plan.cut)
    return cached(matrix, key, lambda: maker(matrix, metric, plan))
