"""Everything that a method may return. These records are the schema of the JSON output."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bbccli.notes import Note
from bbccli.plan import Plan
from bbccli.types import Direction, FloatArray, IntArray, Interval

__all__ = ["Distribution", "Estimate", "Interval", "Note"]


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """Performances of the resamples' winners, each on its own out-of-bag units.

    Attributes
    ----------
    values : (B,)
        Performances, in the metric's unit.
    winners : (B,) int
        Configuration that each resample selected.
    n_redrawn
        Resamples that were drawn again because they could not be used.
    """

    values: FloatArray
    winners: IntArray
    n_redrawn: int = 0

    def mean(self) -> float:
        """Mean performance."""
        return float(np.mean(self.values))

    def quantile(self, probability: float) -> float:
        """Order statistic L(p B): the smallest value whose distribution function reaches p."""
        # 0.025 * 1000 is a hair above 25 in binary; the 25th value is meant.
        rank = int(np.ceil(round(probability * len(self.values), 9)))
        return float(np.sort(self.values)[max(rank, 1) - 1])


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one method says of one metric.

    `value` is the estimated performance of the winner; `naive` is the figure that the winner was
    selected by, which is too good.
    """

    method: str = field(metadata={"doc": "name of the method"})
    metric: str = field(metadata={"doc": "name of the metric"})
    direction: Direction = field(metadata={"doc": "which way the metric is better"})
    winner: str = field(metadata={"doc": "the selected configuration"})
    naive: float = field(metadata={"doc": "performance of the winner on the data that chose it"})
    value: float = field(metadata={"doc": "estimated performance of the winner"})
    optimism: float = field(
        init=False,
        metadata={"doc": "naive minus value, positive where the naive figure is too good"},
    )
    interval: Interval | None = field(
        default=None, metadata={"doc": "confidence interval; null where the method has none"}
    )
    distribution: Distribution | None = field(default=None, metadata={"json": False})
    plan: Plan = field(default_factory=Plan, metadata={"json": False})
    notes: tuple[Note, ...] = field(default=(), metadata={"doc": "what to know of this estimate"})

    def __post_init__(self) -> None:
        optimism = float(self.direction.gain(self.naive, self.value))
        object.__setattr__(self, "optimism", optimism)
