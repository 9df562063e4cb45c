"""What a result is in JSON: plain values, the document, its rows, and frames of them."""

from __future__ import annotations

from bbccli.documents.document import Document
from bbccli.documents.parts import (
    EstimateJson,
    GateJson,
    InputJson,
    IntervalJson,
    NoteJson,
    PlanJson,
    SearchCostJson,
    ShareJson,
    TraceJson,
)
from bbccli.documents.values import Json, as_json

__all__ = [
    "Document",
    "EstimateJson",
    "GateJson",
    "InputJson",
    "IntervalJson",
    "Json",
    "NoteJson",
    "PlanJson",
    "SearchCostJson",
    "ShareJson",
    "TraceJson",
    "as_json",
]
