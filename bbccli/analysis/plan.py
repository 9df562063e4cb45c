"""Options on selection, resamples and intervals: those that a `Plan` is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from bbccli.core.choices import IntervalKind, Models, Pooling, RiskDirection, Select, Side
from bbccli.core.option import Option, Panel
from bbccli.core.plan import CLIP, Plan, pooling_of, resamples_of

if TYPE_CHECKING:
    from bbccli.core.matrix import PredictionMatrix


@dataclass(frozen=True, kw_only=True)
class ScoringOptions:
    """How configurations are scored and compared; of `bbc correct` and of `bbc drop`."""

    seed: Annotated[int, Option("Seed; same seed, same numbers.", metavar="N")] = 0
    pooling: Annotated[
        Pooling | None,
        Option(
            "Select by the performance over all rows (pooled), by its mean over the folds, or, for "
            "the AUC and concordance, over the pairs of samples within folds.",
            panel=Panel.METHOD,
            default="the metadata's selection, else pooled",
        ),
    ] = None
    clip: Annotated[
        float,
        Option(
            "Log-loss: least probability of the true class.",
            metavar="EPS",
            panel=Panel.METHOD,
            default="2 to the -23, about 1.2e-07",
        ),
    ] = CLIP
    risk_direction: Annotated[
        RiskDirection | None,
        Option(
            "Survival: whether higher predictions mean earlier or later events.",
            panel=Panel.METHOD,
            default="earlier",
        ),
    ] = None

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

    level: Annotated[float, Option("Level of the intervals.", metavar="P")] = 0.95
    n_resamples: Annotated[
        str,
        Option(
            "Bootstrap resamples, or auto: as many as --tolerance needs.",
            metavar="B",
            panel=Panel.METHOD,
        ),
    ] = "1000"
    tolerance: Annotated[
        float | None,
        Option(
            "Largest Monte-Carlo standard error with --n-resamples auto.",
            metavar="E",
            panel=Panel.METHOD,
            default="0.001",
        ),
    ] = None
    select: Annotated[
        Select,
        Option(
            "Select the best configuration; or, within one standard error of the best, the first "
            "column (one-se) or the least complex by the metadata.",
            panel=Panel.METHOD,
        ),
    ] = Select.BEST
    evaluation_share: Annotated[
        float,
        Option(
            "Fraction of the samples held out for evaluation by methods that split; 0 selects and "
            "evaluates on all samples.",
            metavar="P",
            panel=Panel.METHOD,
        ),
    ] = 0.25
    side: Annotated[
        Side,
        Option(
            "Ends of the interval to estimate; the pessimistic end is the one where the metric is "
            "worse.",
            panel=Panel.INTERVAL,
        ),
    ] = Side.TWO
    interval: Annotated[
        IntervalKind,
        Option(
            "How the interval is made from the resamples; matched, calibrated and sharp are "
            "experimental.",
            panel=Panel.INTERVAL,
        ),
    ] = IntervalKind.PERCENTILE
    guard: Annotated[
        bool,
        Option(
            "Keep intervals from collapsing where the winner looks perfect; --no-guard gives the "
            "papers' intervals.",
            panel=Panel.INTERVAL,
            flags=("--guard/--no-guard",),
        ),
    ] = True

    models: Annotated[
        Models | None,
        Option(
            "Whether the winner is trained again before it is used, or used as it is.",
            panel=Panel.INTERVAL,
            default="trained where there are folds, else fixed",
        ),
    ] = None
    cap: Annotated[
        float | None,
        Option(
            "RMSE, MSE, MAE: let no error count as more than this quantile of the outcome's "
            "distances from its median.",
            metavar="Q",
            panel=Panel.METHOD,
            default="no cap",
        ),
    ] = None

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
