"""Origin of predictions: files or the run of a tool, and the verification of its scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

from bbccli.core.choices import Pooling
from bbccli.core.documents.values import doc
from bbccli.types import made_anew


@dataclass(frozen=True, slots=True)
class TwoFigures:
    """A score that the tool computes otherwise than bbc does: its figure, and that of bbc."""

    name: str = doc("name of the configuration")
    metric: str = doc("name of the metric")
    tool: float = doc("score by the tool")
    tool_clip: float = doc("where the tool clips probabilities")
    here: float = doc("the same score at the default clip of bbc")
    here_clip: float = doc("where bbc clips probabilities by default")


@dataclass(frozen=True, slots=True)
class Verification:
    """What came of comparing a run's own scores with those computed from its predictions."""

    n_scores: int = doc("scores that the run reports of the configurations that take part")
    n_checked: int = doc("scores that were computed again")
    largest_difference: float | None = doc(
        "largest difference, in the unit of the metric; null where nothing was compared"
    )
    tolerance: float | None = doc("difference that rounding and approximations of the tool explain")
    reason: str | None = doc("why nothing was compared; null where something was")
    otherwise: tuple[TwoFigures, ...] = doc(
        "scores that the tool computes otherwise, the largest difference first",
        default=(),
        since="1.0",
    )


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What takes no part, and why."""

    name: str = doc("name that the tool has for it")
    reason: str = doc("a flag of the configuration, or what is wrong with it")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedScore:
    """A score that a tool reports of a model.

    Parameters
    ----------
    id
        Name of the model.
    metric
        Name of the metric.
    fold
        The fold, from 0; None where the score is of all samples.
    value
        The score, with the sign that `bbc` gives it.
    selection
        How the tool makes one score of the folds; of a single fold no matter.
    tolerance
        Largest difference that rounding and approximations of the tool explain.
    """

    id: str
    metric: str
    fold: int | None = None
    value: float
    selection: Pooling = Pooling.POOLED
    tolerance: float


@dataclass(frozen=True, slots=True)
class OtherTarget:
    """Targets of a model that was scored on others than the truth.

    Parameters
    ----------
    id
        Name of the model.
    samples, values
        Keys of the samples where they differ, and the targets.
    """

    id: str
    samples: tuple[Any, ...]
    values: tuple[float, ...]

    @property
    def by_key(self) -> dict[str, float]:
        """The targets, by key of the sample."""
        return dict(zip(map(str, self.samples), self.values, strict=True))


@dataclass(frozen=True, slots=True)
class Targets:
    """Targets of a run whose models were not all scored on the truth.

    Parameters
    ----------
    of
        Model whose target the truth is.
    scaled
        Models that scaled their targets.
    unsure
        Samples whose truth may have been clipped as well.
    apart
        By how much a truth was raised at most.
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
    """What an evaluation framework ran."""

    tasks: tuple[str, ...] = doc("the tasks whose items take part")
    n_items: tuple[int, ...] = doc("number of items of each task")
    score: str = doc("name of the score")
    other_scores: tuple[str, ...] = doc("scores that the logs hold besides", default=())
    headline: bool = doc("whether the framework, or an option, names this score", default=True)
    n_epochs: int = doc("how often each item was asked, at most")
    n_errors: int = doc("failed requests, which have no score")
    n_scored_errors: int = doc("failed requests that have a score, as the framework counts them")
    n_unscored: int = doc("answers without a score")
    failed: tuple[str, ...] = doc("logs of runs that did not end well", default=())
    repeated: tuple[str, ...] = doc("logs that newer ones replace", default=())
    elsewhere: tuple[str, ...] = doc("tasks that only some configurations ran", default=())

    @classmethod
    def of(cls, said: Any) -> Evaluation | None:
        """Read what metadata say; None where it is not understood."""
        try:
            values: dict[str, Any] = {key: tuple(map(str, said.get(key, ()))) for key in _TEXTS}
            values |= {key: int(said.get(key, 0)) for key in _NUMBERS}
            values["n_items"] = tuple(map(int, said["n_items"]))
            return cls(score=said["score"], headline=bool(said.get("headline")), **values)
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
            return None


_TEXTS = ("tasks", "other_scores", "failed", "repeated", "elsewhere")
_NUMBERS = ("n_epochs", "n_errors", "n_scored_errors", "n_unscored")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """The run of a tool that left predictions behind: `run` in their metadata.

    Parameters
    ----------
    tool
        Name of the tool.
    left_out
        What its folder holds besides.
    metric
        The metric that the tool optimised, by the name that `bbc` has for it.
    metric_name
        What the tool calls it, where `bbc` has no metric of that name.
    n_samples
        Samples that were predicted; None where the models stand in files of their own.
    unchecked
        Why the scores can't be compared, where they can't.
    classes_in_order
        True if classes are called by their numbers in sorted order, for want of their names.
    tried
        Configurations in the order in which they were tried, where that is known.
    leaderboard, fold_scores
        Scores of models on all samples, and in single folds.
    again, tried_again
        Configurations whose predictions were recorded again, and which were tried before with other
        predictions.
    damaged
        Files that can't be read.
    scored_alike
        Configurations that the tool scored without the weights.
    weighted
        True if the scores are of the weighted samples.
    targets
        Targets other than the truth.
    evaluation
        What an evaluation framework ran; None of other tools.
    """

    tool: str
    left_out: tuple[LeftOut, ...] = ()
    metric: str | None = None
    metric_name: str | None = None
    n_samples: int | None = None
    unchecked: str = ""
    classes_in_order: bool = False
    tried: tuple[str, ...] = ()
    leaderboard: tuple[ReportedScore, ...] = ()
    fold_scores: tuple[ReportedScore, ...] = ()
    again: tuple[str, ...] = ()
    tried_again: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    scored_alike: tuple[str, ...] = ()
    weighted: bool = False
    targets: Targets | None = None
    evaluation: Evaluation | None = None

    def as_metadata(self) -> dict[str, Any]:
        """Return the run as JSON values."""
        values: dict[str, Any] = asdict(self, dict_factory=_plain)
        of_files = self.n_samples is None
        return {key: values[key] for key in ("tool", "left_out")} if of_files else values

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> ToolRun | None:
        """Read the run that metadata name, as far as it is understood: people write them too."""
        run = metadata.get("run")
        if not isinstance(run, Mapping) or not isinstance(run.get("tool"), str):
            return None
        listed = {key: one for key, one in run.items() if isinstance(one, list | tuple)}
        names = {key: tuple(map(str, listed.get(key, ()))) for key in _NAMES}
        metric, metric_name = (
            None if run.get(key) is None else str(run[key]) for key in ("metric", "metric_name")
        )
        n_samples = run.get("n_samples")
        return cls(
            tool=run["tool"],
            left_out=tuple(
                LeftOut(str(one.get("name")), str(one.get("reason")))
                for one in listed.get("left_out", ())
                if isinstance(one, Mapping)
            ),
            metric=metric,
            metric_name=metric_name,
            n_samples=n_samples if isinstance(n_samples, int) else None,
            unchecked=str(run.get("unchecked") or ""),
            classes_in_order=bool(run.get("classes_in_order")),
            leaderboard=_scores(listed.get("leaderboard", ()), "selection", Pooling),
            fold_scores=_scores(listed.get("fold_scores", ()), "fold", int),
            weighted=bool(run.get("weighted")),
            targets=_targets(run.get("targets")),
            evaluation=Evaluation.of(run.get("evaluation")),
            **names,
        )


_NAMES = ("tried", "again", "tried_again", "damaged", "scored_alike")
_ALWAYS = {"left_out", "metric", "classes_in_order", "tried", "leaderboard", "clipped"}


def _plain(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Values of JSON, without most that say nothing."""
    said = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in fields
        if name in _ALWAYS or not (value is None or value is False or value == ())
    }
    if "fold" in said:
        del said["selection"]
    return said


def _scores(listed: Iterable[Any], key: str, kind: Any) -> tuple[ReportedScore, ...]:
    """Return the scores that have all values, that of `key` of the kind that it must be."""
    kinds = {"id": str, "metric": str, "value": int | float, "tolerance": int | float}
    return tuple(
        ReportedScore(**{name: one[name] for name in kinds}, **{key: kind(one[key])})
        for one in listed
        if isinstance(one, Mapping)
        and all(isinstance(one.get(name), wanted) for name, wanted in kinds.items())
        and (type(one.get(key)) is int if kind is int else one.get(key) in list(kind))
    )


def _targets(said: Any) -> Targets | None:
    """Return the targets of a run; None where they are not understood."""
    try:
        clipped = tuple(
            OtherTarget(str(one["id"]), tuple(one["samples"]), tuple(map(float, one["values"])))
            for one in said["clipped"]
        )
        scaled = tuple(map(str, said["scaled"]))
        if any(len(one.samples) != len(one.values) for one in clipped):
            return None
        return Targets(str(said["of"]), scaled, int(said["unsure"]), float(said["apart"]), clipped)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        return None


@dataclass(frozen=True, slots=True)
class Source:
    """Origin of a matrix.

    Parameters
    ----------
    path, sha256
        The files.
    metadata
        Metadata that came with them.
    left_out
        Configurations that take no part because of a flag.
    verification
        Result of verifying the scores of a run; None without a run or a request.
    weight
        Column of the sample weights; None without weights, or where they have no name.
    n_samples, n_tried
        Samples that were read, and configurations that were tried, used or not; 0 where only those
        that take part are known.
    run
        The run of a tool behind the predictions; None where there is none.
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

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        made, values = made_anew(self)
        # a view of a dictionary can't be pickled
        return made, tuple(dict(v) if isinstance(v, MappingProxyType) else v for v in values)

    @property
    def configurations(self) -> Mapping[str, Mapping[str, Any]]:
        """Metadata of the configurations, by id."""
        return {one["id"]: one for one in self.metadata.get("configs") or ()}


def agrees(found: float, said: float, tolerance: float) -> bool:
    """True if a performance equals the reported one within a tolerance; NaN never does."""
    return bool(abs(found - said) <= tolerance)


def tolerance_of(share: float, said: float) -> float:
    """Return a share of what was said, or of one where that is more."""
    return share * max(1.0, abs(said))
