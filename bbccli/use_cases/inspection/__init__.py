"""List every problem of some files, not only the first.

The files are read as by any command, but problems are collected instead of raised.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field

from bbccli.documents.correct import Input
from bbccli.domain.matrix import PredictionMatrix
from bbccli.notes import Note
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.platform.text import redacted
from bbccli.reading import Paths, Request, understand
from bbccli.reading.sheet import HaltError, Problems, Sheet
from bbccli.reading.sources import paths_listed
from bbccli.reading.sources.memory import name_in_messages
from bbccli.stats.verification import verified
from bbccli.use_cases.inspection import findings as checks
from bbccli.use_cases.inspection.findings import ClassSize, Finding, Findings, Gap, Status
from bbccli.use_cases.inspection.similar import Similarity, similarity
from bbccli.version import __version__

__all__ = ["INSPECTION_VERSION", "Finding", "Inspection", "Status", "inspect"]

INSPECTION_VERSION = "bbc-inspection/1"


@dataclass(frozen=True, slots=True)
class Inspection:
    """Everything understood of some files, and every finding.

    schema: always bbc-inspection/1
    version: version of bbc that wrote this
    command: the command
    path: files as given
    layout: wide, or the dialect of the long layout
    input: the input as understood; null after an error
    classes: classes of the outcome
    missing: configurations that lack predictions
    similar: nearly equal configurations
    findings: every check, every problem
    n_errors: findings that are errors
    n_warnings: findings that are warnings
    notes: notes on the files
    """

    schema: str
    version: str
    command: str
    path: str
    layout: str | None
    input: Input | None
    classes: tuple[ClassSize, ...]
    missing: tuple[Gap, ...]
    similar: Similarity | None
    findings: tuple[Finding, ...]
    n_errors: int
    n_warnings: int
    notes: tuple[Note, ...] = field(default=(), metadata={"since": "1.0"})


def inspect(paths: Paths, request: Request | None = None, *, verify: bool = True) -> Inspection:
    """Check everything about some files.

    Parameters
    ----------
    paths
        As for `bbccli.reading.read`.
    request
        Options of reading; None for the defaults.
    verify
        Recompute the scores of a run.

    Returns
    -------
    Inspection
        With an error exactly if `read` raises one.

    Raises
    ------
    OptionError
        The memory given is too little for this many samples.
    """
    problems, findings = Problems(collect=True), Findings()
    sheet: Sheet | None = None
    matrix: PredictionMatrix | None = None
    with suppress(HaltError):
        sheet, matrix = understand(paths, request or Request(), problems)
    if matrix is not None and verify:
        with problems.of("leaderboard"):
            matrix = verified(matrix)
        checks.tell_scores(findings, matrix.source.verification)
    for check, error in problems.found:
        findings.error(check, error)
    checks.tell_steps(findings, problems)
    sizes: Sequence[ClassSize] = ()
    gaps: Sequence[Gap] = ()
    close = None
    if sheet is not None and matrix is not None:
        outcome, gaps = matrix.outcome, checks.gaps(sheet)
        if outcome.task.is_classification:
            counts = zip(outcome.classes, outcome.class_counts.tolist(), strict=True)
            sizes = [ClassSize(*count) for count in counts]
        with resources.use(resources.current().for_predictions(*matrix.size)):
            close = similarity(matrix)
            checks.tell(findings, matrix, sizes, gaps, close)
    sheet = problems.seen.get("roles")
    return Inspection(
        schema=INSPECTION_VERSION,
        version=__version__,
        command="inspect",
        path=redacted(", ".join(map(name_in_messages, paths_listed(paths)))),
        layout=None if sheet is None else sheet.layout,
        input=None if matrix is None else Input.of(matrix),
        classes=tuple(sizes),
        missing=tuple(gap for gap in gaps if gap.n_missing),
        similar=close,
        findings=tuple(sorted(findings.found, key=lambda finding: _SEVERITY.index(finding.status))),
        n_errors=findings.count(Status.ERROR),
        n_warnings=findings.count(Status.WARNING),
        notes=() if matrix is None else matrix.notes,
    )


_SEVERITY = (Status.ERROR, Status.WARNING, Status.SKIPPED, Status.PASS)
"""Errors come first; otherwise in the order of the checks."""
