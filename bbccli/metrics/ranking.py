"""Metrics of the order in which samples are ranked."""

from __future__ import annotations

from bbccli.metrics.base import Metric, pair_share
from bbccli.types import Direction, PredictionKind, Task

AUC = Metric(
    name="auc",
    label="AUC",
    summary="probability that a positive sample scores higher than a negative one; ties one half",
    tasks=frozenset({Task.BINARY}),
    kinds=frozenset({PredictionKind.PROBABILITY, PredictionKind.SCORE}),
    direction=Direction.MAXIMIZE,
    bounds=(0.0, 1.0),
    bind=pair_share(lambda outcome: outcome.values == 1, lambda outcome: outcome.values == 0),
    reference="Hanley & McNeil 1982",
)
