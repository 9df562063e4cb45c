"""Origin of predictions: files, the run of a tool and its verified scores, or sealed rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

from bbccli.domain.choices import Pooling
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import as_json, understood
from bbccli.types import rebuild_for_pickle


@dataclass(frozen=True, slots=True)
class Opened:
    """The opening that an estimate rests on.

    name: the model opened, as it was called
    number: which opening it is, from 1
    n_openings: openings counted so far
    planned: openings planned when the rows were sealed
    n_samples: sealed rows
    level: level of its interval, which the number of openings leaves
    counted: true if bbc counts the openings; false if nothing does
    """

    name: str
    number: int
    n_openings: int
    planned: int
    n_samples: int
    level: float
    counted: bool

    @property
    def where(self) -> str:
        """The samples that evaluate it."""
        return f"{self.n_samples} samples sealed before the search"

    @property
    def which(self) -> str:
        """Which opening it is, and of how many."""
        beyond = self.n_openings > self.planned
        most = f"{self.n_openings}, {self.planned} planned" if beyond else str(self.planned)
        return f"opening {self.number} of {most}"


@dataclass(frozen=True, slots=True)
class TwoFigures:
    """A score that the tool computes differently: its figure, and that of bbc.

    name: name of the configuration
    metric: name of the metric
    tool: score by the tool
    tool_clip: where the tool clips probabilities
    here: the same score at the default clip of bbc
    here_clip: where bbc clips probabilities by default
    """

    name: str
    metric: str
    tool: float
    tool_clip: float
    here: float
    here_clip: float


@dataclass(frozen=True, slots=True)
class Verification:
    """Comparison of a run's own scores with those recomputed from its predictions.

    n_scores: scores that the run reports for the included configurations
    n_checked: scores that were recomputed
    largest_difference: largest difference, in the metric's unit; null if nothing was compared
    tolerance: difference explained by rounding and approximations of the tool
    reason: why nothing was compared; null if something was
    otherwise: scores that the tool computes differently, largest difference first
    """

    n_scores: int
    n_checked: int
    largest_difference: float | None
    tolerance: float | None
    reason: str | None
    otherwise: tuple[TwoFigures, ...] = field(default=(), metadata={"since": "1.0"})


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A model that is left out, and the reason.

    name: its name in the tool
    reason: a flag of the configuration, or what is wrong with it
    """

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedScore:
    """A model's score as reported by a tool.

    Parameters
    ----------
    id
        Name of the model.
    metric
        Name of the metric.
    value
        The score, with the sign of `bbc`.
    tolerance
        Largest difference explained by rounding and approximations of the tool.
    fold
        The fold, from 0; None if the score is over all samples.
    selection
        Aggregation of the folds by the tool; irrelevant for a single fold.
    """

    id: str
    metric: str
    fold: int | None = None
    value: float = field(metadata={"null": False})
    selection: Pooling = Pooling.POOLED
    tolerance: float

    @classmethod
    def rounded(cls, share: float, **of: Any) -> ReportedScore:
        """Return a score with a tolerance relative to its value, at least to 1."""
        return cls(tolerance=tolerance_of(share, of["value"]), **of)


STOPPED_EARLY = "early_stopping_on_fold"
"""Flag of a configuration that stopped training by the samples that score it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldCurves:
    """Scores of a model on the samples of each fold, at each iteration of its training.

    Parameters
    ----------
    id
        Name of the model.
    metric
        Name of the metric.
    folds
        Scores in each fold, from the first iteration, with either sign.
    """

    id: str
    metric: str
    folds: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class OtherTarget:
    """Targets of a model scored against something else than the truth, by sample key."""

    id: str
    samples: tuple[str, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Targets:
    """Targets of a run in which some models were not scored against the truth.

    Parameters
    ----------
    of
        Model whose target is the truth.
    scaled
        Models that scaled their targets.
    unsure
        Number of samples whose truth may have been clipped too.
    apart
        Largest amount by which a truth was raised.
    clipped
        Models with other targets.
    """

    of: str
    scaled: tuple[str, ...]
    unsure: int
    apart: float
    clipped: tuple[OtherTarget, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Tasks, scores and failures of a run of an evaluation framework.

    tasks: tasks whose items are included
    n_items: number of items of each task
    score: name of the score
    other_scores: other scores in the logs
    headline: true if the framework, or an option, names this score
    n_epochs: largest number of epochs of an item
    n_errors: failed requests, which have no score
    n_scored_errors: failed requests that the framework gave a score
    n_unscored: answers without a score
    failed: logs of failed runs
    repeated: logs replaced by newer ones
    elsewhere: tasks that only some configurations ran
    unread: files beside the logs that are none of them
    asked: question and answer of each item, by task and key, as far as the key does not tell
    """

    tasks: tuple[str, ...]
    n_items: tuple[int, ...]
    score: str
    other_scores: tuple[str, ...] = ()
    headline: bool = True
    n_epochs: int
    n_errors: int
    n_scored_errors: int
    n_unscored: int
    failed: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    unread: tuple[str, ...] = field(default=(), metadata={"since": "1.0"})
    asked: Mapping[Any, Any] = field(default_factory=dict, metadata={"json": False})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ensemble:
    """The ensemble that a tool deploys, and the rule by which it chose the members.

    In each round the candidate joins, again or anew, that makes the mean of the members the best;
    the shortest of the best ensembles on the way is kept.

    Parameters
    ----------
    name
        Its name in the tool.
    metric
        The metric that chose, by its name in `bbc`.
    score, tolerance
        The ensemble's score by the tool, with the sign of `bbc`, and what rounding explains.
    candidates
        Models that could join, in the tool's order.
    weights
        Share of each candidate in the ensemble.
    rounds
        Most members, counted with repetition.
    clip
        Least probability in logarithms.
    kinds
        Kind of each candidate: only the best few of a kind take part, more of more samples. Empty
        if all do.
    seconds, limit
        Time that each candidate takes for a prediction, and the most that all members may take.
    rounded
        True if losses are rounded to six decimals, except in the first round; of equal ones, a
        member wins, else any at random. If false, the first wins.
    cuts, cut_for, cut
        How the cut of `predict` is found, `quantiles` or `grid`, empty if it is fixed; the metric
        that it is best for; and the cut itself, None if unknown.
    temperature
        By which the tool scales the probabilities that it deploys, fitted to those that choose;
        None if it does not. It is not in the score.
    n_copies
        Copies of samples by which the tool chose too.
    unweighted
        True if the tool chose without the weights of the samples.
    stacked
        True if candidates were fitted to predictions of others: nothing can be repeated.
    """

    name: str
    metric: str
    score: float = math.nan
    tolerance: float = 0.0
    candidates: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    rounds: int = 0
    clip: float = 2.0**-23
    kinds: tuple[str, ...] = ()
    seconds: tuple[float, ...] = ()
    limit: float = math.inf
    rounded: bool = False
    cuts: str = ""
    cut_for: str = ""
    cut: float | None = None
    temperature: float | None = None
    n_copies: int = 0
    unweighted: bool = False
    stacked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """The run of a tool that left predictions behind: `run` in their metadata.

    Parameters
    ----------
    tool
        Name of the tool.
    left_out
        Models of its folder that are left out.
    metric
        Metric that the tool optimised, by its name in `bbc`.
    metric_name
        Its name in the tool, if `bbc` has no such metric.
    n_samples
        Number of predicted samples; None if each model has a file of its own.
    unchecked
        Reason why the scores can't be compared, if so.
    tried
        Configurations in the order in which they were tried, if known.
    leaderboard, fold_scores
        Scores of models on all samples, and in single folds.
    curves
        Scores of models in each fold while they were trained, where the tool keeps them.
    again, tried_again
        Configurations recorded again, and those tried before with other predictions.
    damaged
        Unreadable files.
    scored_alike
        Configurations that the tool scored without the weights.
    weighted
        True if the scores are weighted.
    refolded
        True if each configuration has folds of its own.
    directions
        In how many directions all that differs between the configurations can differ: a number is
        one. None if unknown.
    by_class
        True if predictions came with the names of their classes.
    targets
        Targets other than the truth.
    evaluation
        The run of an evaluation framework; None for other tools.
    ensemble
        The ensemble that the tool deploys, and how it came about; None where there is none, or
        nothing is known of it.
    """

    tool: str
    left_out: tuple[LeftOut, ...] = ()
    metric: str | None = None
    metric_name: str | None = None
    n_samples: int | None = None
    unchecked: str = ""
    tried: tuple[str, ...] = ()
    leaderboard: tuple[ReportedScore, ...] = ()
    fold_scores: tuple[ReportedScore, ...] = ()
    curves: tuple[FoldCurves, ...] = ()
    again: tuple[str, ...] = ()
    tried_again: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    scored_alike: tuple[str, ...] = ()
    weighted: bool = False
    refolded: bool = False
    directions: int | None = None
    by_class: bool = False
    targets: Targets | None = None
    evaluation: Evaluation | None = None
    ensemble: Ensemble | None = None

    def as_metadata(self) -> dict[str, Any]:
        """Return the run as JSON values, without most that are empty."""
        values = as_json(self)
        kept = ("tool", "left_out") if self.n_samples is None else tuple(values)
        return {
            key: values[key]
            for key in kept
            if key == "left_out" or values[key] not in (None, False, "", [])
        }

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> ToolRun | None:
        """Read the run in metadata, as far as it is understood: people write them by hand too."""
        run = metadata.get("run")
        if not isinstance(run, Mapping) or not isinstance(run.get("tool"), str):
            return None
        return cls(**understood(cls, run))


@dataclass(frozen=True, slots=True)
class Source:
    """Origin of a matrix.

    Parameters
    ----------
    path, sha256
        The files, and their hash.
    metadata
        Metadata that came with them.
    left_out
        Configurations excluded because of a flag.
    verification
        Verification of the scores of a run; None without a run or a request.
    weight
        Column of the sample weights; None without weights or a name.
    n_samples, n_tried
        Numbers of samples read and of configurations tried, used or not; 0 if unknown.
    run
        The run of a tool behind the predictions, if any.
    in_order
        Configurations in the order of their trials; empty where none is known.
    """

    path: str = ""
    sha256: str = ""
    metadata: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    left_out: tuple[LeftOut, ...] = ()
    verification: Verification | None = None
    weight: str | None = None
    n_samples: int = 0
    n_tried: int = 0
    run: ToolRun | None = None
    in_order: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        made, values = rebuild_for_pickle(self)
        # a mappingproxy can't be pickled
        return made, tuple(dict(v) if isinstance(v, MappingProxyType) else v for v in values)

    @property
    def configurations(self) -> Mapping[str, Mapping[str, Any]]:
        """Metadata of the configurations, by id."""
        return {config["id"]: config for config in self.metadata.get("configs") or ()}


def agrees(recomputed: float, reported: float, tolerance: float) -> bool:
    """True if a performance equals the reported one within a tolerance; False for NaN."""
    return bool(abs(recomputed - reported) <= tolerance)


def tolerance_of(share: float, score: float) -> float:
    """Return a relative tolerance as an absolute one; scores below 1 count as 1."""
    return share * max(1.0, abs(score))
