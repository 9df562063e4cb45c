"""The registry of reports: a document in, text out."""

from __future__ import annotations

from typing import Any

from bbccli.reports import json
from bbccli.reports.base import Report, Style
from bbccli.reports.remarks import remarks

__all__ = ["DROP_REPORTS", "REPORTS", "Report", "Style", "remarks"]


def _table(document: dict[str, Any], style: Style = Style(), /) -> str:
    """Import rich only for those who look at a table."""
    from bbccli.reports.table import render

    return render(document, style)


REPORTS: dict[str, Report] = {"table": _table, "json": json.render}


def _drop_table(document: dict[str, Any], style: Style = Style(), /) -> str:
    from bbccli.reports.drop_table import render

    return render(document, style)


DROP_REPORTS: dict[str, Report] = {"table": _drop_table, "json": json.render}
