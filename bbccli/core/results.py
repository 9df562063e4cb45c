"""Everything that a method may return. These records are the schema of the JSON output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.core.arguments import settle
from bbccli.core.documents import as_json
from bbccli.core.documents.rows import OF_ESTIMATE, frame_of, row_of
from bbccli.core.documents.values import doc
from bbccli.core.notes import Note
from bbccli.core.plan import Plan
from bbccli.types import Direction, FloatArray, GateOn, GateOutcome, IntArray, Interval

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Distribution",
    "DropStep",
    "DropTrace",
    "Estimate",
    "Gate",
    "Interval",
    "MonteCarloError",
    "Note",
    "SelectionShare",
]

MOST_SHARES = 10
"""Configurations whose selection frequency is reported unless all are asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """Performances of the resamples' winners, each on its own out-of-bag units.

    Attributes
    ----------
    values : (B,)
        Performances, in the metric's unit.
    winners : (B,) int
        Configuration that each resample selected.
    probabilities : (B,), optional
        Of each resample, where all that exist were enumerated; None where they were drawn.
    n_redrawn
        Resamples that were drawn again because they could not be used.
    sizes : (B,) int, optional
        Units out of the bag in each resample; None where the winner is scored on all units.
    """

    values: FloatArray
    winners: IntArray
    probabilities: FloatArray | None = None
    n_redrawn: int = 0
    sizes: IntArray | None = None

    @property
    def exact(self) -> bool:
        """True if every possible resample is here, so that there is no Monte-Carlo error."""
        return self.probabilities is not None

    def mean(self) -> float:
        """Mean performance."""
        return float(np.average(self.values, weights=self.probabilities))

    def mean_error(self) -> float:
        """Monte-Carlo standard error of the mean: s / sqrt(B), or 0 when exact."""
        if self.exact or len(self.values) < 2:
            return 0.0 if self.exact else float("nan")
        return float(np.std(self.values, ddof=1) / np.sqrt(len(self.values)))

    def quantile(self, probability: float) -> float:
        """Order statistic L(p B): the smallest value whose distribution function reaches p."""
        if self.probabilities is None:
            return float(np.sort(self.values)[_rank(probability, len(self.values)) - 1])
        order = np.argsort(self.values, kind="stable")
        reached = np.cumsum(self.probabilities[order]) >= probability - 1e-12
        return float(self.values[order[min(int(np.argmax(reached)), len(order) - 1)]])

    def quantile_error(self, probability: float) -> float:
        """Monte-Carlo standard error of a quantile.

        The number of values below the true quantile is binomial (B, p). So half the distance
        between the order statistics one standard deviation, sqrt(B p (1 - p)), either side of
        rank p B is the standard error of the quantile, without assumptions on its density.
        """
        if self.exact:
            return 0.0
        size = len(self.values)
        spread = np.sqrt(size * probability * (1 - probability))
        low, high = np.floor(probability * size - spread), np.ceil(probability * size + spread)
        ends = np.sort(self.values)[np.clip([low, high], 1, size).astype(int) - 1]
        return float(ends[1] - ends[0]) / 2

    def columns(self, configurations: Sequence[str]) -> dict[str, list[Any]]:
        """Return resample, performance, winner by name, and probability, each of length B."""
        chances = self.probabilities
        return {
            "resample": list(range(len(self.values))),
            "performance": self.values.tolist(),
            "winner": [configurations[c] for c in self.winners],
            "probability": [None] * len(self.values) if chances is None else chances.tolist(),
        }

    def to_frame(self, configurations: Sequence[str]) -> pd.DataFrame:
        """Return one row per resample: resample, performance, winner, probability.

        Parameters
        ----------
        configurations
            Names of the C configurations, as of the matrix.

        Returns
        -------
        DataFrame
            With B rows; the probability is NaN where resamples were drawn.
        """
        columns = self.columns(configurations)
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return frame_of(rows, tuple(columns))

    def shares(self, n_configurations: int) -> FloatArray:
        """Return how often each of C configurations was selected: (C,), adding up to 1."""
        counts = np.bincount(self.winners, self.probabilities, n_configurations)
        return np.asarray(counts / counts.sum())


@dataclass(frozen=True, slots=True)
class MonteCarloError:
    """Standard errors that come from drawing resamples; 0 where all were enumerated."""

    value: float = doc("of the estimate")
    lower: float | None = doc("of the lower end; null where it is a bound")
    upper: float | None = doc("of the upper end; null where it is a bound")

    def largest(self) -> float:
        """Return the largest of the errors."""
        return max(e for e in (self.value, self.lower, self.upper) if e is not None)


@dataclass(frozen=True, slots=True)
class SelectionShare:
    """How often a configuration wins."""

    configuration: str = doc("name of the configuration")
    share: float = doc("share of the resamples that selected it")


@dataclass(frozen=True, slots=True)
class DropStep:
    """What was trained in one fold, and dropped after it."""

    fold: str = doc("name of the fold; a later repeat is one step of all folds")
    n_samples: int = doc("samples predicted so far")
    n_raced: int = doc("configurations trained in this step")
    n_models: int = doc("models trained in this step")
    dropped: tuple[str, ...] = doc("configurations dropped after it")


@dataclass(frozen=True, slots=True)
class DropTrace:
    """What dropping would have done in a cross-validation that was run to its end."""

    rule: str = doc("name of the rule")
    threshold: float = doc("confidence above which the rule drops, in (0, 1)")
    min_samples: int = doc("samples predicted before the first drop")
    steps: tuple[DropStep, ...] = doc("fold by fold, in the order walked")
    n_models: int = doc("models of the full grid")
    n_trained: int = doc("models trained with dropping", init=False)
    speed_up: float = doc("n_models / n_trained", init=False)

    def __post_init__(self) -> None:
        n_trained = sum(step.n_models for step in self.steps)
        object.__setattr__(self, "n_trained", n_trained)
        object.__setattr__(self, "speed_up", self.n_models / n_trained)

    @property
    def dropped(self) -> tuple[str, ...]:
        """All that were dropped, in the order in which they went."""
        return tuple(name for step in self.steps for name in step.dropped)


@dataclass(frozen=True, slots=True, repr=False)
class Estimate:
    """What one method says of one metric.

    `value` is the estimated performance of the winner; `naive` is its performance on the data
    that it was selected on, which is too good.
    """

    method: str = doc("name of the method")
    metric: str = doc("name of the metric")
    selected_by: str = doc("name of the metric that selected the winner")
    direction: Direction = doc("which way the metric is better")
    winner: str = doc("the selected configuration")
    naive: float = doc("performance of the winner on the data that chose it")
    value: float = doc("estimated performance of the winner")
    optimism: float = doc(
        "naive minus value, positive where the naive figure is too good", init=False
    )
    interval: Interval | None = doc(
        "confidence interval; null where the method has none", default=None
    )
    n_resamples: int | None = doc("resamples used, B; null where none are needed", default=None)
    exact: bool = doc("whether every possible resample was enumerated", default=False)
    error: MonteCarloError | None = doc(
        "Monte-Carlo standard errors; null without resamples", default=None
    )
    selection: tuple[SelectionShare, ...] = doc(
        "how often configurations were selected, the first ten", default=()
    )
    ignores_selection: bool = doc(
        "whether the interval ignores that the winner was selected", default=False
    )
    experimental: bool = doc("whether the evidence for the method is still thin", default=False)
    n_evaluation: int | None = doc(
        "samples held out to evaluate on; null where all select and evaluate", default=None
    )
    n_preselected: int | None = doc(
        "configurations of which the evaluation chose the winner; null for all", default=None
    )
    drop_trace: DropTrace | None = doc(
        "what was dropped on the way; null for other methods", default=None
    )
    distribution: Distribution | None = field(default=None, metadata={"json": False})
    plan: Plan = field(default_factory=Plan, metadata={"json": False})
    notes: tuple[Note, ...] = doc("what to know of this estimate", default=())
    n_predicted: int | None = doc(
        "samples that the winner predicts; null for all", default=None, since="1.0"
    )

    size_correction: float | None = doc(
        "what was added to correct for the size of what resamples leave out, in the metric's unit; "
        "null where nothing was",
        default=None,
        since="1.0",
    )

    def __repr__(self) -> str:
        interval = self.interval and f" ({self.interval.lower:.4g} to {self.interval.upper:.4g})"
        figures = f"{self.metric} {self.value:.4g}{interval or ''}, naive {self.naive:.4g}"
        return f"<Estimate by {self.method}: {figures}, winner {self.winner!r}>"

    def to_frame(self) -> pd.DataFrame:
        """Return one row: the columns of `--format csv` that are about the estimate alone."""
        return frame_of([row_of(as_json(self))], OF_ESTIMATE)

    def __post_init__(self) -> None:
        settle(self, "direction")
        # + 0.0: nothing taken off a loss is 0, not -0.0
        optimism = float(self.direction.gain(self.naive, self.value)) + 0.0
        object.__setattr__(self, "optimism", optimism)


@dataclass(frozen=True, slots=True)
class TriedOrder:
    """Best of the first configurations, in the order in which they were tried."""

    naive: tuple[float, ...] = doc("naive best of the first ones, per count")
    corrected: tuple[float, ...] = doc("corrected best of the first ones, per count")


@dataclass(frozen=True, slots=True)
class SearchCost:
    """Naive and corrected best-so-far against the number of configurations tried."""

    metric: str = doc("name of the metric that selects")
    direction: Direction = doc("which way the metric is better")
    counts: tuple[int, ...] = doc("numbers of configurations, from 1 to C")
    naive: tuple[float, ...] = doc(
        "mean over all sets of so many configurations of the best one's figure"
    )
    corrected: tuple[float, ...] = doc("the same, selected in resamples and scored out of the bag")
    error: tuple[float, ...] = doc("Monte-Carlo standard errors of the corrected figures")
    enough: int = doc(
        "number after which no larger one is better by two Monte-Carlo standard errors"
    )
    n_resamples: int = doc("resamples used, B")
    tried: TriedOrder | None = doc(
        "in the order of the trials, at the same counts; null where unknown", default=None
    )


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether the result is good enough, by a rule that was set beforehand."""

    threshold: float = doc("what the figure had to reach, in the metric's unit")
    direction: Direction = doc("maximize: must not be under the threshold; minimize: not over it")
    on: GateOn = doc("the figure: the pessimistic bound, or the estimate")
    metric: str | None = doc("name of the metric; null without estimates")
    method: str | None = doc("name of the method; null where none fits")
    value: float | None = doc("the figure; null where it can't be computed")
    margin: float | None = doc(
        "how much better than the threshold; negative where the gate is missed"
    )
    outcome: GateOutcome = doc("what the gate found")
    reason: str = doc("why it is undecided; else empty", default="")

    def __post_init__(self) -> None:
        settle(self, "direction", "on", "outcome")


def _rank(probability: float, size: int) -> int:
    """The 1-based rank of L(p B)."""
    # 0.025 * 1000 is a hair above 25 in binary; the 25th value is meant.
    return max(int(np.ceil(round(probability * size, 9))), 1)
