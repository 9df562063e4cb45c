"""Documents of `bbc compare`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from bbccli.comparisons.records import BestSet, Comparison, Ranks, Verdict
from bbccli.documents.correct import SCHEMA_VERSION, AnyEnvelope, Input, of_file
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.metrics import Metric
from bbccli.notes import Note
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import settled
from bbccli.types import Direction, GateOutcome
from bbccli.version import __version__

UNSOUND = frozenset({"too-liberal", "unpaired"})
"""Codes of notes on a test that is there to be compared with, and shows nothing by itself."""


@dataclass(frozen=True, slots=True)
class RequiredVerdict:
    """The verdict required of the first comparison, and whether it is met.

    required: better, or not-worse
    found: the verdict of the first comparison
    outcome: met, missed, or undecided
    reason: why it is undecided; else empty
    """

    required: Verdict
    found: Verdict
    outcome: GateOutcome
    reason: str = field(default="", metadata={"since": "1.1"})


@dataclass(frozen=True, slots=True)
class CompareEnvelope(AnyEnvelope):
    """The envelope of `bbc compare`.

    input: what was read; with --across the first data set
    data_sets: with --across: all of them, in order; else empty
    plan: what the numbers depend on
    metric: name of the metric
    direction: whether higher or lower values are better
    margin: better is better by more than this, not worse is worse by less, >= 0
    comparisons: the one that was asked for first; empty if only the set was
    best_set: confidence set of the best; null where it was not asked for
    ranks: with --across: ranks over data sets; else null
    notes: what to know about the input and the result
    gate: with --fail-unless: its verdict; else null
    """

    input: Input
    data_sets: tuple[Input, ...]
    plan: Plan
    metric: str
    direction: Direction
    margin: float
    comparisons: tuple[Comparison, ...]
    best_set: BestSet | None
    ranks: Ranks | None
    notes: tuple[Note, ...]
    gate: RequiredVerdict | None = None


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
    named: bool = True,
    notes: Sequence[Note] = (),
) -> CompareEnvelope:
    """Return the document of some comparisons.

    matrices: the one that was compared in; with ranks, those of all data sets.
    required: verdict required of the first comparison, if any.
    named: True if the pair was named; else there is no first comparison.
    """
    read = tuple(Input.of(matrix) for matrix in matrices)
    of_input = dict.fromkeys(note for matrix in matrices for note in of_file(matrix, notes))
    known = (*of_input, *notes)
    return settled(
        CompareEnvelope(
            *(SCHEMA_VERSION, __version__, "compare"),
            input=read[0],
            data_sets=read if ranks is not None else (),
            plan=plan,
            metric=metric.name,
            direction=metric.direction,
            margin=margin,
            comparisons=tuple(comparisons),
            best_set=best_set,
            ranks=ranks,
            notes=known,
            gate=None
            if required is None
            else has_required_verdict(required, comparisons, known, named=named),
        )
    )


def has_required_verdict(
    required: Verdict,
    comparisons: Sequence[Comparison],
    notes: Sequence[Note] = (),
    *,
    named: bool = True,
) -> RequiredVerdict:
    """Return whether the first of some comparisons has the required verdict.

    Of several tests of the same two it is the first that is sound.

    >>> better = Comparison("a", "b", "auc", "delong", verdict=Verdict.BETTER)
    >>> has_required_verdict(Verdict.NOT_WORSE, [better])
    ... # doctest: +ELLIPSIS
    RequiredVerdict(required=<Verdict.NOT_WORSE...>, found=<...>, outcome=<GateOutcome.MET...>, ...)
    """
    if not comparisons:
        reason = "nothing was compared"
        return RequiredVerdict(required, Verdict.UNDEFINED, GateOutcome.UNDECIDED, reason)
    first = comparisons[0]
    alike = [
        comparison
        for comparison in comparisons
        if (comparison.first, comparison.second) == (first.first, first.second)
    ]
    judging = next((comparison for comparison in alike if not _unsound(comparison)), first)
    met = judging.verdict in (required, Verdict.BETTER)
    reason = _why_undecidable(judging, {note.code for note in notes}, named=named)
    reason = reason or (_why_too_good(judging) if met else "")
    if reason:
        return RequiredVerdict(required, judging.verdict, GateOutcome.UNDECIDED, reason)
    return RequiredVerdict(
        required, judging.verdict, GateOutcome.MET if met else GateOutcome.MISSED
    )


def _unsound(comparison: Comparison) -> str:
    return next((note.text for note in comparison.notes if note.code in UNSOUND), "")


def _why_undecidable(comparison: Comparison, codes: set[str], *, named: bool) -> str:
    """Return why a comparison does not answer the question; empty if it does."""
    if not named:
        return "no pair was named, so none is the first"
    if comparison.ignores_selection and "selected-pair" in codes:
        return (
            f"the pair holds the winner of the same samples, and {comparison.test} ignores its "
            "selection"
        )
    if comparison.ignores_selection and "configurations-left-out" in codes:
        return "the pair may hold the winner: configurations were left out, and are not compared"
    return "the comparison is undefined" if comparison.verdict is Verdict.UNDEFINED else ""


def _why_too_good(comparison: Comparison) -> str:
    """Return why a comparison's result can't be trusted; empty if it can."""
    if any(note.code == "few-resamples" for note in comparison.notes):
        return f"{comparison.test} has too few resamples for its interval"
    ends = [comparison.bound, comparison.bound_above]
    if comparison.bound is None and comparison.interval is not None:
        ends = [comparison.interval.lower, comparison.interval.upper]
    flat = ends[0] is not None and ends[0] == ends[1] and comparison.first != comparison.second
    return f"the interval of {comparison.test} has no width" if flat else _unsound(comparison)
