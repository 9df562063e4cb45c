"""Options on selection, resamples and intervals: those that a `Plan` is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bbccli.core.choices import IntervalKind, Models, Pooling, RiskDirection, Select, Side
from bbccli.core.option import Panel, option
from bbccli.core.plan import CLIP, Plan, pooling_of, resamples_of

if TYPE_CHECKING:
    from bbccli.core.matrix import PredictionMatrix


@dataclass(frozen=True, kw_only=True)
class ScoringOptions:
    """How configurations are scored and compared; of `bbc correct` and of `bbc drop`."""

    seed: int = option(0, "Seed; same seed, same numbers.", "N")
    pooling: Pooling | None = option(
        None,
        "Select by the performance over all rows (pooled), by its mean over the folds, or, for "
        "the AUC and concordance, over the pairs of samples within folds.",
        panel=Panel.METHOD,
        default="the metadata's selection, else pooled",
    )
    clip: float = option(
        CLIP,
        "Log-loss: least probability of the true class.",
        "EPS",
        panel=Panel.METHOD,
        default="2 to the -23, about 1.2e-07",
    )
    risk_direction: RiskDirection | None = option(
        None,
        "Survival: whether higher predictions mean earlier or later events.",
        panel=Panel.METHOD,
        default="earlier",
    )

    def scored(self, matrix: PredictionMatrix, threshold: float | None) -> PredictionMatrix:
        """Return a matrix whose scores are cut above a threshold, and whose risks point one way.

        Raises
        ------
        OptionError
            The threshold or the direction does not go with the task.
        """
        if threshold is not None:
            matrix = matrix.with_threshold(threshold)
        if self.risk_direction is not None:
            matrix = matrix.with_risk_direction(self.risk_direction)
        return matrix


@dataclass(frozen=True, kw_only=True)
class PlanOptions(ScoringOptions):
    """What the numbers of an estimate depend on, besides the data and the metric."""

    level: float = option(0.95, "Level of the intervals.", "P")
    n_resamples: str = option(
        "1000",
        "Bootstrap resamples, or auto: as many as --tolerance needs.",
        "B",
        panel=Panel.METHOD,
    )
    tolerance: float | None = option(
        None,
        "Largest Monte-Carlo standard error with --n-resamples auto.",
        "E",
        panel=Panel.METHOD,
        default="0.001",
    )
    select: Select = option(
        Select.BEST,
        "Select the best configuration; or, within one standard error of the best, the first "
        "column (one-se) or the least complex by the metadata.",
        panel=Panel.METHOD,
    )
    evaluation_share: float = option(
        0.25,
        "Fraction of the samples held out for evaluation by methods that split; 0 selects and "
        "evaluates on all samples.",
        "P",
        panel=Panel.METHOD,
    )
    side: Side = option(
        Side.TWO,
        "Ends of the interval to estimate; the pessimistic end is the one where the metric is "
        "worse.",
        panel=Panel.INTERVAL,
    )
    interval: IntervalKind = option(
        IntervalKind.PERCENTILE,
        "How the interval is made from the resamples; matched, calibrated and sharp are "
        "experimental.",
        panel=Panel.INTERVAL,
    )
    guard: bool = option(
        True,
        "Keep intervals from collapsing where the winner looks perfect; --no-guard gives the "
        "papers' intervals.",
        panel=Panel.INTERVAL,
        flags=("--guard/--no-guard",),
    )

    models: Models | None = option(
        None,
        "Whether the winner is trained again before it is used, or used as it is.",
        panel=Panel.INTERVAL,
        default="trained where there are folds, else fixed",
    )
    cap: float | None = option(
        None,
        "RMSE, MSE, MAE: let no error count as more than this quantile of the outcome's "
        "distances from its median.",
        "Q",
        panel=Panel.METHOD,
        default="no cap",
    )

    def plan(self, metadata: Mapping[str, Any]) -> Plan:
        """Return the plan for a file with these metadata.

        Raises
        ------
        OptionError
            An option out of range, or two that contradict each other.
        """
        count, tolerance = resamples_of(self.n_resamples, self.tolerance)
        asked = {name: getattr(self, name) for name in Plan.__dataclass_fields__}
        decided = {"pooling": pooling_of(self.pooling, metadata)}
        return Plan(**asked | decided | {"n_resamples": count, "tolerance": tolerance})
