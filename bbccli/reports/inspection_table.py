"""What `bbc inspect` found, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.inspection import Inspection
from bbccli.inspection.findings import Finding
from bbccli.notes import listing
from bbccli.reports import phrases
from bbccli.reports.base import Style
from bbccli.reports.layout import listing_table
from bbccli.reports.phrases import run_lines
from bbccli.rounding import count
from bbccli.text import visible

MOST_NAMES = 30
"""Configurations that are named; JSON has all of them."""


def render(documents: Sequence[Inspection], style: Style) -> str:
    """Return what was understood, then one line per finding, errors first."""
    return "\n".join(_screen(inspection, style) for inspection in documents)


def _screen(inspection: Inspection, style: Style) -> str:
    findings = [(one.check, one.status, _said(one)) for one in inspection.findings]
    facts = [row for row in _facts(inspection) if row[1]]
    body = listing_table(("check", "result", "what was found"), findings, style)
    head = listing_table(("file", visible(inspection.path)), facts, style)
    return f"{head}\n{body}\n{_summary(inspection)}\n"


def _facts(inspection: Inspection) -> list[tuple[str, str]]:
    """Rows on what was understood."""
    read = inspection.input
    facts = [("layout", inspection.layout or "")]
    if read is None:
        return facts
    classes = [f"{visible(one.name)} ({one.n_samples})" for one in inspection.classes]
    size = [
        phrases.samples(read),
        phrases.configurations(read),
        count(read.n_repeats, "repeat"),
        phrases.folds(read) or "folds unknown",
        *([count(read.n_groups, "group")] if read.n_groups else []),
    ]
    names = [visible(name) for name in read.configurations]
    return [
        *facts,
        ("task", read.task),
        ("size", ", ".join(size)),
        ("configurations", listing(names, MOST_NAMES)),
        ("predictions", read.kind),
        ("classes", listing(classes, 12)),
        ("positive", visible(read.positive_class or "")),
        *(("run", line) for line in run_lines(read)),
        ("sha256", read.sha256),
    ]


def _said(finding: Finding) -> str:
    remedy = f"   hint: {visible(finding.remedy)}" if finding.remedy else ""
    return visible(finding.text) + remedy


def _summary(inspection: Inspection) -> str:
    errors, warnings = inspection.n_errors, inspection.n_warnings
    verdict = "cannot be used" if errors else "can be used"
    return f"{verdict}: {count(errors, 'error')}, {count(warnings, 'warning')}"
