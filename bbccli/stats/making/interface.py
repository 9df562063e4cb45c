"""The contract of the rules by which predictions are made, and what a rule is bound to.

A step is a function of the weights in the bags, (B, N) whole numbers, and repeats in each bag what
was done on all samples (a row of ones):

```text
Combine    weights -> shares (B, C): what each configuration adds to the predictions of the bag
Calibrate  weights, predictions (R, N, B) -> the same, calibrated
Find       weights, predictions (R, N, B) -> cuts (B,): the positive class is predicted above
```

They follow each other in this order. A rule never sees what is out of the bag: rows of weight 0.
"""

from __future__ import annotations

from collections.abc import Callable

from bbccli.domain.matrix import PredictionMatrix
from bbccli.metrics.base import Metric
from bbccli.platform.dataclass import dataclass
from bbccli.stats.selection import SelectionRule
from bbccli.stats.selection.candidates import Candidates
from bbccli.types import FloatArray, IntArray, Pooling

Combine = Callable[[IntArray], FloatArray]
"""Weights (B, N) -> shares (B, C), not negative, that add up to 1; NaN where nothing is defined."""

Calibrate = Callable[[IntArray, FloatArray], FloatArray]
"""Weights (B, N), predictions (R, N, B) of each bag -> calibrated ones."""

Find = Callable[[IntArray, FloatArray], FloatArray]
"""Weights (B, N), predictions (R, N, B) of each bag -> the cut (B,) of each."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What a rule is bound to.

    matrix: the configurations that may be members; each predicts every sample.
    metric, pooling: by which a rule chooses.
    rule: that selects a single configuration, where one is to be selected.
    number: rounds, or configurations, where the rule takes a number.
    """

    matrix: PredictionMatrix
    metric: Metric
    pooling: Pooling
    rule: SelectionRule
    number: int | None = None

    @property
    def judged(self) -> Candidates:
        """The configurations under the metric."""
        return Candidates(self.matrix, self.metric, self.pooling)
