"""Everything that a method may return. These records are the schema of the JSON output."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.domain.plan import Plan
from bbccli.domain.source import Opened
from bbccli.notes import Note
from bbccli.platform.arguments import coerce_fields
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import as_json
from bbccli.types import Direction, FloatArray, GateOn, GateOutcome, IntArray, Interval, starts_of

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


@dataclass(frozen=True, eq=False)
class Distribution:
    """Performances of the resamples' winners, each on its own out-of-bag units.

    Attributes
    ----------
    values : (B,)
        Performances, in the metric's unit.
    winners : (B,) int
        Configuration selected in each resample.
    probabilities : (B,), optional
        Probability of each resample, if all possible ones were enumerated; None if they were drawn.
    n_redrawn
        Resamples drawn again because they could not be used.
    sizes : (B,) int, optional
        Number of out-of-bag units of each resample; None if the winner is scored on all units.
    kinds : (B,) int, optional
        Numbers that resamples of one value share, if that is known: they are sorted sooner.
    """

    values: FloatArray
    winners: IntArray
    probabilities: FloatArray | None = None
    n_redrawn: int = 0
    sizes: IntArray | None = None
    kinds: IntArray | None = None

    @cached_property
    def atoms(self) -> tuple[FloatArray, FloatArray]:
        """The distinct values (A,), the smallest first; probabilities of each, or their counts."""
        values, weights = self.values, self.probabilities
        if self.kinds is None:
            order = self.order
        else:
            chances = np.asarray(np.bincount(self.kinds, weights), float)
            of_kind = np.empty(len(chances))
            of_kind[self.kinds] = values
            values, weights = of_kind[chances > 0], chances[chances > 0]
            order = np.argsort(values)
        in_order = values[order]
        starts = starts_of(in_order)
        if weights is None:
            return in_order[starts], np.diff(starts, append=len(order)).astype(float)
        return in_order[starts], np.add.reduceat(weights[order], starts)

    @cached_property
    def order(self) -> IntArray:
        """Positions of the values (B,), the smallest first; equal ones in any order."""
        return np.argsort(self.values)

    @property
    def exact(self) -> bool:
        """True if every possible resample is included: there is no Monte Carlo error."""
        return self.probabilities is not None

    def mean(self) -> float:
        """Return the mean performance."""
        return float(np.average(self.values, weights=self.probabilities))

    def mean_error(self) -> float:
        """Return the Monte Carlo standard error of the mean: s / sqrt(B), or 0 when exact."""
        if self.exact or len(self.values) < 2:
            return 0.0 if self.exact else float("nan")
        return float(np.std(self.values, ddof=1) / np.sqrt(len(self.values)))

    def quantile(self, probability: float) -> float:
        """Return the order statistic L(p B): the smallest value whose CDF reaches p."""
        if self.probabilities is None:
            # 0.025 * 1000 is slightly above 25 in binary; the 25th value is meant.
            rank = max(math.ceil(round(probability * len(self.values), 9)), 1)
            return float(self.values[self.order[rank - 1]])
        reached = np.cumsum(self.probabilities[self.order]) >= probability - 1e-12
        return float(self.values[self.order[min(int(np.argmax(reached)), len(reached) - 1)]])

    def quantile_error(self, probability: float) -> float:
        """Return the Monte Carlo standard error of a quantile.

        The number of values below the true quantile is binomial (B, p). So half the distance
        between the order statistics one standard deviation, sqrt(B p (1 - p)), either side of rank
        p B estimates the standard error without assumptions on the density.
        """
        if self.exact:
            return 0.0
        size = len(self.values)
        spread = np.sqrt(size * probability * (1 - probability))
        low, high = np.floor(probability * size - spread), np.ceil(probability * size + spread)
        ends = self.values[self.order[np.clip([low, high], 1, size).astype(int) - 1]]
        return float(ends[1] - ends[0]) / 2

    def columns(self, configurations: Sequence[str]) -> dict[str, list[Any]]:
        """Return resample, performance, name of the winner and probability, each of length B."""
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
            Names of the C configurations of the matrix.

        Returns
        -------
        DataFrame
            With B rows; the probability is NaN if resamples were drawn.
        """
        from bbccli.platform.records.rows import frame_of

        columns = self.columns(configurations)
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return frame_of(rows, tuple(columns))

    def shares(self, n_configurations: int) -> FloatArray:
        """Return the selection frequency of each of C configurations (C,); the sum is 1."""
        counts = np.bincount(self.winners, self.probabilities, n_configurations)
        return np.asarray(counts / counts.sum())


@dataclass(frozen=True, slots=True)
class MonteCarloError:
    """Standard errors due to drawing resamples; 0 if all were enumerated.

    value: of the estimate
    lower: of the lower end; null where it is a bound
    upper: of the upper end; null where it is a bound
    """

    value: float
    lower: float | None
    upper: float | None

    def largest(self) -> float:
        """Return the largest error."""
        return max(e for e in (self.value, self.lower, self.upper) if e is not None)


@dataclass(frozen=True, slots=True)
class SelectionShare:
    """Selection frequency of a configuration.

    configuration: name of the configuration
    share: share of the resamples that selected it
    """

    configuration: str
    share: float


@dataclass(frozen=True, slots=True)
class EnsembleMember:
    """A configuration in what is made of several.

    configuration: name of the configuration
    weight: its share in what is made of all samples
    share: share of the resamples in which it was a member; null without them
    mean: its mean weight in the resamples; null without them
    """

    configuration: str
    weight: float
    share: float | None
    mean: float | None


@dataclass(frozen=True, slots=True)
class Made:
    """What was made of the configurations: an ensemble, calibrated or with a cut of its own.

    rule: rule of selection that made it, with its number
    ensemble: true of an ensemble, false of a configuration that was selected
    n_members: members in what is made of all samples
    mean_members: mean number of members in the resamples; null without them
    members: members, the largest weight first, at most ten
    calibration: how it was calibrated; null where it was not
    cut: the positive class is predicted above it; null where it was not tuned
    tuned_for: name of the metric that the cut was tuned for
    tool: tool that deploys it; null for a rule of bbc
    reported: score by the tool, in the metric that chose the members; of labels, at a cut of 0.5
    """

    rule: str
    ensemble: bool
    n_members: int
    mean_members: float | None
    members: tuple[EnsembleMember, ...]
    calibration: str | None = None
    cut: float | None = None
    tuned_for: str | None = None
    tool: str | None = None
    reported: float | None = None


@dataclass(frozen=True, slots=True)
class AxisShare:
    """How often one place of an axis won.

    value: the epoch, or the seed
    share: share of the resamples that selected it
    """

    value: int
    share: float


@dataclass(frozen=True, slots=True)
class Axis:
    """The place of the winner among the columns of one configuration, such as its epochs.

    configuration: name of the configuration, without the place
    name: what the columns differ by, such as epoch or seed
    value: that of the winner
    share: share of the resamples that selected any of its columns
    values: those that won most often, at most ten
    """

    configuration: str
    name: str
    value: int
    share: float | None
    values: tuple[AxisShare, ...] = ()


@dataclass(frozen=True, slots=True)
class DropStep:
    """Training in one fold, and configurations dropped after it.

    fold: name of the fold; each later repeat is a single step
    n_samples: samples predicted so far
    n_raced: configurations trained in this step
    n_models: models trained in this step
    dropped: configurations dropped after it
    """

    fold: str
    n_samples: int
    n_raced: int
    n_models: int
    dropped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DropTrace:
    """Course of dropping in a replay of a complete cross-validation.

    rule: name of the rule
    threshold: confidence above which the rule drops, in (0, 1)
    min_samples: samples predicted before the first drop
    steps: fold by fold, in the order walked
    n_models: models of the full grid
    n_trained: models trained with dropping
    speed_up: n_models / n_trained
    """

    rule: str
    threshold: float
    min_samples: int
    steps: tuple[DropStep, ...]
    n_models: int
    n_trained: int = field(init=False)
    speed_up: float = field(init=False)

    def __post_init__(self) -> None:
        n_trained = sum(step.n_models for step in self.steps)
        object.__setattr__(self, "n_trained", n_trained)
        object.__setattr__(self, "speed_up", self.n_models / n_trained)

    @property
    def dropped(self) -> tuple[str, ...]:
        """All dropped configurations, in order."""
        return tuple(name for step in self.steps for name in step.dropped)


@dataclass(frozen=True, slots=True, repr=False)
class Estimate:
    """Result of one method for one metric.

    `value` is the estimated performance of the winner; `naive` is its performance on the data that
    selected it, which is too good.

    method: name of the method
    metric: name of the metric
    selected_by: name of the metric that selected the winner
    direction: whether higher or lower values are better
    winner: the selected configuration
    naive: performance of the winner on the data that selected it
    value: estimated performance of the winner
    optimism: naive minus value, positive where the naive figure is too good
    interval: confidence interval; null where the method has none
    n_resamples: resamples used, B; null where none are needed
    exact: true if every possible resample was enumerated
    error: Monte Carlo standard errors; null without resamples
    selection: selection frequencies, the ten highest
    ignores_selection: true if the interval ignores that the winner was selected
    experimental: true if there is little evidence for the method yet
    n_evaluation: number of samples held out for evaluation; null if all select and evaluate
    n_preselected: configurations from which the evaluation chose the winner; null for all
    drop_trace: course of dropping; null for other methods
    notes: notes on this estimate
    n_predicted: samples that the winner predicts; null for all
    size_correction: correction for the number of samples left out of resamples, in the metric's
        unit; null if there is none
    over_folds: mean over folds by which a tool selected the winner, if naive is computed on pooled
        predictions because the metric is not a mean; else null
    made: what the winner was made of; null where it is a configuration
    axis: place of the winner on an axis of the columns, such as epochs; null without one
    stopping: what early stopping on the scoring folds added, taken off the value and the interval
        of a mean over folds; null where nothing was
    opened: the opening of sealed rows behind it; null for other methods
    """

    method: str
    metric: str
    selected_by: str
    direction: Direction
    winner: str
    naive: float
    value: float
    optimism: float = field(init=False)
    interval: Interval | None = None
    n_resamples: int | None = None
    exact: bool = False
    error: MonteCarloError | None = None
    selection: tuple[SelectionShare, ...] = ()
    ignores_selection: bool = False
    experimental: bool = False
    n_evaluation: int | None = None
    n_preselected: int | None = None
    drop_trace: DropTrace | None = None
    distribution: Distribution | None = field(default=None, metadata={"json": False})
    plan: Plan = field(default_factory=Plan, metadata={"json": False})
    notes: tuple[Note, ...] = ()
    n_predicted: int | None = field(default=None, metadata={"since": "1.0"})
    size_correction: float | None = field(default=None, metadata={"since": "1.0"})
    over_folds: float | None = field(default=None, metadata={"since": "1.0"})
    made: Made | None = field(default=None, metadata={"since": "1.1"})
    axis: Axis | None = field(default=None, metadata={"since": "1.1"})
    stopping: float | None = field(default=None, metadata={"since": "1.1"})
    opened: Opened | None = field(default=None, metadata={"since": "1.1"})

    def __repr__(self) -> str:
        interval = self.interval and f" ({self.interval.lower:.4g} to {self.interval.upper:.4g})"
        figures = f"{self.metric} {self.value:.4g}{interval or ''}, naive {self.naive:.4g}"
        return f"<Estimate by {self.method}: {figures}, winner {self.winner!r}>"

    def to_frame(self) -> pd.DataFrame:
        """Return one row with the columns of `--format csv` that concern the estimate alone."""
        from bbccli.platform.records.rows import OF_ESTIMATE, estimate_row, frame_of

        return frame_of([estimate_row(as_json(self))], OF_ESTIMATE)

    def __post_init__(self) -> None:
        coerce_fields(self, "direction")
        # + 0.0 turns -0.0 into 0
        optimism = float(self.direction.gain(self.naive, self.value)) + 0.0
        object.__setattr__(self, "optimism", optimism)


@dataclass(frozen=True, slots=True)
class TriedOrder:
    """Best-so-far in the order of the trials.

    naive: naive best of the first ones, per count
    corrected: corrected best of the first ones, per count
    """

    naive: tuple[float, ...]
    corrected: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Gain:
    """The gain of the best of all C configurations over the best of fewer.

    value: difference of the corrected figures; negative: all C are worse
    interval: of the difference; those of all numbers hold at once
    """

    value: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class SearchCost:
    """Naive and corrected best-so-far against the number of configurations tried.

    metric: name of the metric that selects
    direction: whether higher or lower values are better
    counts: numbers of configurations, from 1 to C
    naive: naive best, averaged over all sets of that many configurations
    corrected: the same, selected in the bag and scored out of it
    error: Monte Carlo standard errors of the corrected figures
    enough: count beyond which no larger one is better by two Monte Carlo standard errors
    n_resamples: resamples used, B
    tried: in the order of the trials, at the same counts; null where unknown
    gain: of all C configurations over one; null with too few resamples for an interval
    gain_beyond: of all C configurations over enough of them; null where these are all
    """

    metric: str
    direction: Direction
    counts: tuple[int, ...]
    naive: tuple[float, ...]
    corrected: tuple[float, ...]
    error: tuple[float, ...]
    enough: int
    n_resamples: int
    tried: TriedOrder | None = None
    gain: Gain | None = field(default=None, metadata={"since": "1.1"})
    gain_beyond: Gain | None = field(default=None, metadata={"since": "1.1"})

    @property
    def has_paid(self) -> bool:
        """True if the samples show that all configurations together are better than one."""
        return self.gain is not None and self.gain.interval.lower > 0

    @property
    def stopped_paying(self) -> bool:
        """True if the samples show that searching beyond `enough` configurations did not pay.

        The best of all C is then worse than the best of `enough`, or gains less over it than a
        tenth of what that gains over a single configuration: g < (G - g) / 10, for the least G and
        the largest g that their intervals leave.
        """
        if self.gain is None or self.gain_beyond is None:
            return False
        least, most = self.gain.interval.lower, self.gain_beyond.interval.upper
        return most < 0 or most < 0.1 * (least - most)


@dataclass(frozen=True, slots=True)
class Gate:
    """Verdict on the result by a rule set beforehand.

    threshold: limit for the figure, in the metric's unit
    direction: maximize: must not be below the threshold; minimize: not above it
    on: the figure: the pessimistic bound, or the estimate
    metric: name of the metric; null without estimates
    method: name of the method; null where none fits
    value: the figure; null where it can't be computed
    margin: distance to the threshold; negative if the gate failed
    outcome: verdict
    reason: why it is undecided; else empty
    """

    threshold: float
    direction: Direction
    on: GateOn
    metric: str | None
    method: str | None
    value: float | None
    margin: float | None
    outcome: GateOutcome
    reason: str = ""

    def __post_init__(self) -> None:
        coerce_fields(self, "direction", "on", "outcome")
