"""Origin of predictions: a file or the run of a tool, and the verification of its scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from bbccli.core.documents.values import doc


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
    """

    path: str = ""
    sha256: str = ""
    metadata: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    left_out: tuple[LeftOut, ...] = ()
    verification: Verification | None = None
    weight: str | None = None
    n_samples: int = 0
    n_tried: int = 0

    @property
    def run(self) -> Mapping[str, Any]:
        """Metadata of the run behind the predictions; empty if there is none."""
        return run_of(self.metadata)

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


def run_of(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what metadata say of the run behind the predictions; empty where there is none."""
    run = metadata.get("run")
    known = isinstance(run, Mapping) and isinstance(run.get("tool"), str)
    return run if known and run is not None else MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Targets:
    """Of a run whose models were not all scored on the truth: on what they were.

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
        By model and key of the sample the target in place of the truth.
    """

    of: str
    scaled: tuple[str, ...]
    unsure: int
    apart: float
    clipped: Mapping[str, Mapping[str, float]]


def targets_of(run: Mapping[str, Any]) -> Targets | None:
    """Return what a run says of its targets; None where it says nothing that is understood."""
    said: Any = run.get("targets")
    try:
        clipped = {
            str(one["id"]): dict(
                zip(map(str, one["samples"]), map(float, one["values"]), strict=True)
            )
            for one in said["clipped"]
        }
        scaled = tuple(map(str, said["scaled"]))
        return Targets(str(said["of"]), scaled, int(said["unsure"]), float(said["apart"]), clipped)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        return None
