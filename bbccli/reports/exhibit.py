"""What a page or a figure is made from: a document, and what is known beyond it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bbccli.reports.evidence.records import Evidence


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A result to show.

    Attributes
    ----------
    document
        The result: an `Envelope`, or a `CompareEnvelope`.
    evidence
        What the predictions tell beyond it; None where only the document was kept.
    command
        The command line that gives it, where that is known.
    """

    document: Any
    evidence: Evidence | None = None
    command: str = ""

    def part(self, kind: str) -> Any:
        """Return the part of the evidence that a kind of figure shows; None without it."""
        return getattr(self.evidence, kind, None)

    def absent(self, kind: str) -> str:
        """Why a kind of figure can't be drawn."""
        if self.evidence is None:
            return "needs the predictions, which a saved result does not hold"
        return self.evidence.missing.get(kind, "there is nothing to show")
