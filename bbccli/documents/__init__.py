"""What a result is in JSON: plain values, the document, its rows, and frames of them."""

from __future__ import annotations

from bbccli.documents.document import Document
from bbccli.documents.values import Json, as_json

__all__ = ["Document", "Json", "as_json"]
