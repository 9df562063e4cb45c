"""The content of an inspection: whether the files can be used, as what, and one row per finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bbccli.documents.correct import Input
from bbccli.notes import listing
from bbccli.platform.text import count
from bbccli.reports import words as phrases
from bbccli.reports.content import (
    MOST_ROWS,
    AllNotesOnly,
    AnswerLines,
    Block,
    BlockTable,
    FactList,
    Heading,
)
from bbccli.types import Task
from bbccli.use_cases.inspection import Finding, Inspection, Status

FIRST_NAMES = 3
"""Configurations that are named of more than there are rows in a table; JSON has all of them."""

MOST_CLASSES = 12

KINDS = {
    "probability": "probabilities",
    "label": "predicted classes",
    "score": "scores",
    "value": "predicted values",
}
"""Kinds of predictions, in words."""


def blocks(inspection: Inspection) -> Iterator[Block]:
    """Yield the verdict and what was understood, and the findings, those that passed folded."""
    read = inspection.input
    yield Heading(inspection.path)
    yield AnswerLines([_verdict(inspection), *([_understood(inspection, read)] if read else [])])
    if read is not None:
        yield FactList(_facts(inspection, read))
    passed = [finding for finding in inspection.findings if finding.status is Status.PASS]
    others = [finding for finding in inspection.findings if finding.status is not Status.PASS]
    if others:
        yield _table(others, inspection.path)
    if passed:
        yield AllNotesOnly(
            _table(passed, inspection.path),
            (f"{count(len(passed), 'check')} passed: see them with --notes all"),
        )
    if read is not None:
        yield AllNotesOnly(FactList([("sha256", read.sha256)]))


def _verdict(inspection: Inspection) -> str:
    """Tell if the files can be used, and how many problems there are."""
    n_errors, n_warnings = inspection.n_errors, inspection.n_warnings
    warnings = count(n_warnings, "warning")
    if n_errors:
        more = f", {warnings}" * (n_warnings > 0)
        return f"Can't be used: {count(n_errors, 'error')}{more}."
    return f"Can be used, with {warnings}." if n_warnings else "Can be used."


def _understood(inspection: Inspection, read: Input) -> str:
    """Describe the files in one sentence."""
    kind = "scores" if read.task == Task.SCORE else KINDS.get(read.kind, read.kind)
    layout = f"Layout {inspection.layout}: " if inspection.layout else "Read: "
    parts = [f"{kind} of {phrases.configurations(read)} for {phrases.samples(read)}"]
    parts += [phrases.fold_count(read) or "folds unknown"]
    parts += [count(read.n_repeats, "repeat")] * (read.n_repeats > 1)
    parts += [count(read.n_groups, "group")] if read.n_groups else []
    parts += phrases.weighting(read)
    task = "" if read.task == Task.SCORE else f"; {phrases.task(read)}"
    return f"{layout}{', '.join(parts)}{task}."


def _facts(inspection: Inspection, read: Input) -> list[tuple[str, str]]:
    """The first names, the classes, and what is known of a run."""
    classes = [f"{label.name} ({label.n_samples})" for label in inspection.classes]
    names = read.configurations
    return [
        ("names", listing(names, MOST_ROWS if len(names) <= MOST_ROWS else FIRST_NAMES)),
        ("classes", listing(classes, MOST_CLASSES)),
        *(("run", line) for line in phrases.run_lines(read)),
    ]


def _table(findings: Sequence[Finding], path: str) -> BlockTable:
    """A row for each finding, and one for a problem that several columns share.

    The heading has the path that a text may begin with.
    """
    alike: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        problem = finding.text if finding.column is None else finding.text.partition(" (column ")[0]
        alike.setdefault((finding.check, finding.status, problem), []).append(finding)
    rows = []
    for (check, status, _), (first, *others) in alike.items():
        text = first.text.removeprefix(f"{path}: ")
        text += f", and in {count(len(others), 'other column')}" if others else ""
        rows.append((check, status, text + (f"   hint: {first.remedy}" if first.remedy else "")))
    return BlockTable.of_text(("check", "result", "what was found"), rows)
