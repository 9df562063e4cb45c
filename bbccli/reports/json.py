"""The document as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from bbccli.reports.base import Style


def render(document: dict[str, Any], style: Style = Style(), /) -> str:
    """Return indented JSON; the same document gives the same bytes."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def render_all(documents: Sequence[dict[str, Any]], style: Style = Style(), /) -> str:
    """Return an array of documents."""
    return json.dumps(documents, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
