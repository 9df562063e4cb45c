"""The content of an inspection: how the files were understood, and one row per finding."""

from __future__ import annotations

from collections.abc import Iterator

from bbccli.analysis.inspection import Inspection
from bbccli.core.notes import listing
from bbccli.core.rounding import count
from bbccli.reports import phrases
from bbccli.reports.blocks import Block, BlockTable, Line

MOST_NAMES = 30
"""Configurations that are named; JSON has all of them."""


def blocks(inspection: Inspection) -> Iterator[Block]:
    """Yield what was understood, the findings, errors first, and the verdict."""
    facts = [row for row in _facts(inspection) if row[1]]
    yield BlockTable.of_text(("file", inspection.path), facts)
    findings = [
        (one.check, one.status, one.text + (f"   hint: {one.remedy}" if one.remedy else ""))
        for one in inspection.findings
    ]
    yield BlockTable.of_text(("check", "result", "what was found"), findings)
    n_errors, n_warnings = inspection.n_errors, inspection.n_warnings
    verdict = "cannot be used" if n_errors else "can be used"
    yield Line(f"{verdict}: {count(n_errors, 'error')}, {count(n_warnings, 'warning')}")


def _facts(inspection: Inspection) -> list[tuple[str, str]]:
    """Rows on what was understood."""
    read = inspection.input
    layout = ("layout", inspection.layout or "")
    if read is None:
        return [layout]
    classes = [f"{one.name} ({one.n_samples})" for one in inspection.classes]
    size = [
        phrases.samples(read),
        phrases.configurations(read),
        count(read.n_repeats, "repeat"),
        phrases.folds(read) or "folds unknown",
        *([count(read.n_groups, "group")] if read.n_groups else []),
    ]
    return [
        layout,
        ("task", read.task),
        ("size", ", ".join(size)),
        ("configurations", listing(read.configurations, MOST_NAMES)),
        ("predictions", read.kind),
        ("classes", listing(classes, 12)),
        ("positive", read.positive_class or ""),
        *(("run", line) for line in phrases.run_lines(read)),
        ("sha256", read.sha256),
    ]
