"""The plan of an analysis: how many resamples, which interval, which pooling, which seed."""

from __future__ import annotations

from dataclasses import dataclass, field

from bbccli.errors import OptionError
from bbccli.types import Pooling, Side


@dataclass(frozen=True, slots=True)
class Plan:
    """What the numbers of an estimate depend on, besides the data and the metric.

    Raises
    ------
    OptionError
        `n_resamples` below 1, `level` outside (0, 1), or a negative seed.
    """

    n_resamples: int = field(default=1000, metadata={"doc": "bootstrap resamples, B >= 1"})
    level: float = field(default=0.95, metadata={"doc": "level of the intervals, in (0, 1)"})
    side: Side = field(default=Side.TWO, metadata={"doc": "ends of the interval to estimate"})
    pooling: Pooling = field(
        default=Pooling.POOLED, metadata={"doc": "performance over pooled rows, or mean over folds"}
    )
    seed: int = field(default=0, metadata={"doc": "seed of all random draws, >= 0"})

    def __post_init__(self) -> None:
        if self.n_resamples < 1:
            raise OptionError(
                f"--n-resamples is {self.n_resamples}", hint="at least 1; the papers use 1000"
            )
        if not 0 < self.level < 1:
            percent = 1 < self.level < 100
            raise OptionError(
                f"--level is {self.level:g}, not between 0 and 1",
                hint=f"--level {self.level / 100:g}" if percent else "for example --level 0.95",
            )
        if self.seed < 0:
            raise OptionError(f"--seed is {self.seed}", hint="a whole number, 0 or more")
