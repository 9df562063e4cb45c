"""What the cost of a search is told by; these records are the schema of the JSON output."""

from __future__ import annotations

from dataclasses import dataclass, field

from bbccli.types import Direction


@dataclass(frozen=True, slots=True)
class TriedOrder:
    """Best of the first configurations, in the order in which they were tried."""

    naive: tuple[float, ...] = field(metadata={"doc": "naive best of the first ones, per count"})
    corrected: tuple[float, ...] = field(
        metadata={"doc": "corrected best of the first ones, per count"}
    )


@dataclass(frozen=True, slots=True)
class SearchCost:
    """Naive and corrected best-so-far against the number of configurations tried."""

    metric: str = field(metadata={"doc": "name of the metric that selects"})
    direction: Direction = field(metadata={"doc": "which way the metric is better"})
    counts: tuple[int, ...] = field(metadata={"doc": "numbers of configurations, from 1 to C"})
    naive: tuple[float, ...] = field(
        metadata={"doc": "mean over all sets of so many configurations of the best one's figure"}
    )
    corrected: tuple[float, ...] = field(
        metadata={"doc": "the same, selected in resamples and scored out of the bag"}
    )
    error: tuple[float, ...] = field(
        metadata={"doc": "Monte-Carlo standard errors of the corrected figures"}
    )
    enough: int = field(
        metadata={
            "doc": "number after which no larger one is better by two Monte-Carlo standard errors"
        }
    )
    n_resamples: int = field(metadata={"doc": "resamples used, B"})
    tried: TriedOrder | None = field(
        default=None,
        metadata={"doc": "in the order of the trials, at the same counts; null where unknown"},
    )
