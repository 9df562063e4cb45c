"""Documents of `bbc drop`."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.documents.correct import SCHEMA_VERSION, AnyEnvelope, Input
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.dropping.results import DropDecision, Replay
from bbccli.notes import Note
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import settled
from bbccli.version import __version__


@dataclass(frozen=True, slots=True)
class DropEnvelope(AnyEnvelope):
    """The envelope of `bbc drop`: a decision, or with --replay the saving.

    input: what was read: samples so far, configurations still in
    plan: what the numbers depend on
    decision: null with --replay
    replays: one per rule; empty without --replay
    notes: what to know about the input and the result
    """

    input: Input
    plan: Plan
    decision: DropDecision | None
    replays: tuple[Replay, ...]
    notes: tuple[Note, ...]


def drop_document(
    matrix: PredictionMatrix,
    plan: Plan,
    result: DropDecision | Sequence[Replay],
    notes: Sequence[Note] = (),
) -> DropEnvelope:
    """Return the document on a decision, or on the replays of some rules."""
    decision, replays = (result, ()) if isinstance(result, DropDecision) else (None, tuple(result))
    return settled(
        DropEnvelope(
            *(SCHEMA_VERSION, __version__, "drop"),
            input=Input.of(matrix),
            plan=plan,
            decision=decision,
            replays=replays,
            notes=(*matrix.notes, *notes),
        )
    )
