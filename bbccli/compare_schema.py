"""What a document of `bbc compare` holds, apart from `schema`: a correction compares nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bbccli.comparisons.records import BestSet, Comparison, Ranks, Verdict
from bbccli.documents import Document, as_json
from bbccli.matrix import PredictionMatrix
from bbccli.metrics import Metric
from bbccli.notes import Note
from bbccli.plan import Plan
from bbccli.schema import SCHEMA_VERSION, Input
from bbccli.types import Direction, GateOutcome
from bbccli.version import __version__


@dataclass(frozen=True, slots=True)
class Requirement:
    """Whether the first comparison shows what it has to, by a rule that was set beforehand."""

    required: Verdict = field(metadata={"doc": "better, or not-worse"})
    found: Verdict = field(metadata={"doc": "the verdict of the first comparison"})
    outcome: GateOutcome = field(metadata={"doc": "met, missed, or undecided if undefined"})


@dataclass(frozen=True, slots=True)
class CompareEnvelope:
    """The envelope of what `bbc compare` says."""

    schema: str = field(metadata={"doc": f"always {SCHEMA_VERSION}"})
    version: str = field(metadata={"doc": "version of bbc that wrote this"})
    command: str = field(metadata={"doc": "the command that made it"})
    input: Input = field(metadata={"doc": "what was read; with --across the first data set"})
    data_sets: tuple[Input, ...] = field(
        metadata={"doc": "with --across: all of them, in order; else empty"}
    )
    plan: Plan = field(metadata={"doc": "what the numbers depend on"})
    metric: str = field(metadata={"doc": "name of the metric"})
    direction: Direction = field(metadata={"doc": "which way the metric is better"})
    margin: float = field(
        metadata={"doc": "better is better by more than this, not worse is worse by less, >= 0"}
    )
    comparisons: tuple[Comparison, ...] = field(
        metadata={"doc": "the one that was asked for first; empty if only the set was"}
    )
    best_set: BestSet | None = field(
        metadata={"doc": "configurations that may be the best; null where it was not asked for"}
    )
    ranks: Ranks | None = field(metadata={"doc": "with --across: ranks over data sets; else null"})
    notes: tuple[Note, ...] = field(metadata={"doc": "what to know of the input and the result"})
    gate: Requirement | None = field(
        default=None, metadata={"doc": "with --fail-unless: its verdict; else null"}
    )


def compare_document(
    matrices: Sequence[PredictionMatrix],
    metric: Metric,
    plan: Plan,
    comparisons: Sequence[Comparison] = (),
    *,
    best_set: BestSet | None = None,
    ranks: Ranks | None = None,
    margin: float = 0.0,
    required: Verdict | None = None,
    notes: Sequence[Note] = (),
) -> Document:
    """Return the document of some comparisons.

    Parameters
    ----------
    matrices
        The one that was compared in; with ranks, those of all data sets.
    required
        What the first comparison has to show, if anything.
    """
    read = tuple(Input.of(matrix) for matrix in matrices)
    of_input = dict.fromkeys(note for matrix in matrices for note in matrix.notes)
    envelope = CompareEnvelope(
        schema=SCHEMA_VERSION,
        version=__version__,
        command="compare",
        input=read[0],
        data_sets=read if ranks is not None else (),
        plan=plan,
        metric=metric.name,
        direction=metric.direction,
        margin=margin,
        comparisons=tuple(comparisons),
        best_set=best_set,
        ranks=ranks,
        notes=(*of_input, *notes),
        gate=None if required is None else judged(required, comparisons),
    )
    return Document(as_json(envelope))


def judged(required: Verdict, comparisons: Sequence[Comparison]) -> Requirement:
    """Return whether the first of some comparisons shows what is required.

    Examples
    --------
    >>> judged(Verdict.NOT_WORSE, [Comparison("a", "b", "auc", "delong", verdict=Verdict.BETTER)])
    ... # doctest: +ELLIPSIS
    Requirement(required=<Verdict.NOT_WORSE...>, found=<...>, outcome=<GateOutcome.MET: 'met'>)
    """
    found = comparisons[0].verdict if comparisons else Verdict.UNDEFINED
    if found is Verdict.UNDEFINED:
        return Requirement(required, found, GateOutcome.UNDECIDED)
    met = found in (required, Verdict.BETTER)
    return Requirement(required, found, GateOutcome.MET if met else GateOutcome.MISSED)
