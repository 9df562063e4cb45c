"""What an inspection found, as a table or as JSON."""

from __future__ import annotations

import json
from typing import Any

from bbccli.notes import listing
from bbccli.reports.base import Report, Style
from bbccli.reports.remarks import plain
from bbccli.rounding import count

Json = dict[str, Any]

MOST_NAMES = 30
"""Configurations that the table names; JSON has all of them."""


def table(inspection: Json, style: Style = Style(), /) -> str:
    """Return what was understood, then one line per finding, errors first."""
    from bbccli.reports.table import listing_table

    findings = [(one["check"], one["status"], _said(one)) for one in inspection["findings"]]
    facts = [row for row in _facts(inspection) if row[1]]
    body = listing_table(("check", "result", "what was found"), findings, style)
    head = listing_table(("file", plain(inspection["path"])), facts, style)
    return f"{head}\n{body}\n{_summary(inspection)}\n"


def as_json(inspection: Json, style: Style = Style(), /) -> str:
    """Return indented JSON."""
    return json.dumps(inspection, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


INSPECTIONS: dict[str, Report] = {"table": table, "json": as_json}


def _facts(inspection: Json) -> list[tuple[str, str]]:
    """Rows on what was understood."""
    read = inspection["input"]
    facts = [("layout", inspection["layout"] or "")]
    if read is None:
        return facts
    classes = [f"{plain(one['name'])} ({one['n_samples']})" for one in inspection["classes"]]
    size = [
        count(read["n_samples"], "sample"),
        count(read["n_configurations"], "configuration"),
        count(read["n_repeats"], "repeat"),
        f"{count(read['n_folds'], 'fold')}" if read["n_folds"] else "folds unknown",
        *([count(read["n_groups"], "group")] if read["n_groups"] else []),
    ]
    names = [plain(name) for name in read["configurations"]]
    return [
        *facts,
        ("task", read["task"]),
        ("size", ", ".join(size)),
        ("configurations", listing(names, MOST_NAMES)),
        ("predictions", read["kind"]),
        ("classes", listing(classes, 12)),
        ("positive", plain(read["positive_class"] or "")),
        ("sha256", read["sha256"]),
    ]


def _said(finding: Json) -> str:
    remedy = f"   hint: {plain(finding['remedy'])}" if finding["remedy"] else ""
    return plain(finding["text"]) + remedy


def _summary(inspection: Json) -> str:
    errors, warnings = inspection["n_errors"], inspection["n_warnings"]
    verdict = "cannot be used" if errors else "can be used"
    return f"{verdict}: {count(errors, 'error')}, {count(warnings, 'warning')}"
