"""The document as one line of JSON."""

from __future__ import annotations

import json
from typing import Any

from bbccli.reports.base import Style


def render(document: dict[str, Any], style: Style = Style(), /) -> str:
    """Return compact JSON on one line, so that documents can be appended to each other."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Some readers take these for ends of lines; JSON allows them raw in a string.
    return text.translate(_ENDS) + "\n"


_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
