"""Look at files and tell everything that is wrong or doubtful, not the first thing only.

The rules are the readers'; here their parts are called one by one, so that one problem does not
hide another. Errors are found exactly where `read` would refuse.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bbccli.documents import as_json
from bbccli.inspection import files, predictions, samples
from bbccli.inspection.findings import Finding, Findings, Status
from bbccli.inspection.similar import Similarity, similarity
from bbccli.matrix import PredictionMatrix
from bbccli.notes import Note
from bbccli.readers.assemble import Parts, assemble
from bbccli.readers.dialects import WIDE, dialect_of
from bbccli.readers.load import Loaded, Paths, Request
from bbccli.schema import Input
from bbccli.text import redacted
from bbccli.version import __version__

__all__ = ["CHECK_OF_NOTE", "INSPECTION_VERSION", "Finding", "Inspection", "Status", "inspect"]

INSPECTION_VERSION = "bbc-inspection/1"

CHECK_OF_NOTE = {
    "samples-left-out": "coverage",
    "repeated-holdout": "coverage",
    "configurations-dropped": "missing",
    "gaps-within-folds": "missing",
    "common-rows": "missing",
    "available-cases": "missing",
    "folds-unknown": "folds",
    "folds-differ": "folds",
    "group-spans-folds": "groups",
    "polarity": "polarity",
    "columns-ignored": "roles",
    "metadata-contradicted": "metadata",
    "validity-flags": "flags",
    "candidates-missing": "candidates",
    "duplicate-configurations": "duplicates",
    "configurations-left-out": "choice",
    "equals-truth": "truth copies",
    "constant-predictions": "stray columns",
    "fold-like": "stray columns",
    "off-scale": "stray columns",
    "perfect-configuration": "stray columns",
    "truth-rounded": "constant",
}
"""The check that a note of a reader belongs to."""


@dataclass(frozen=True, slots=True)
class ClassSize:
    """A class and its samples."""

    name: str = field(metadata={"doc": "name of the class"})
    n_samples: int = field(metadata={"doc": "samples of that class"})


@dataclass(frozen=True, slots=True)
class Gap:
    """A configuration that lacks predictions."""

    configuration: str = field(metadata={"doc": "name of the configuration"})
    n_missing: int = field(metadata={"doc": "predictions that it lacks"})


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was understood, and every finding."""

    schema: str = field(metadata={"doc": f"always {INSPECTION_VERSION}"})
    version: str = field(metadata={"doc": "version of bbc that wrote this"})
    command: str = field(metadata={"doc": "the command that made it"})
    path: str = field(metadata={"doc": "files as given"})
    layout: str | None = field(metadata={"doc": "wide, or the dialect of the long layout"})
    input: Input | None = field(metadata={"doc": "what was understood; null after an error"})
    classes: tuple[ClassSize, ...] = field(metadata={"doc": "classes of the outcome"})
    missing: tuple[Gap, ...] = field(metadata={"doc": "configurations that lack predictions"})
    similar: Similarity | None = field(metadata={"doc": "nearly equal configurations"})
    findings: tuple[Finding, ...] = field(metadata={"doc": "every check, every problem"})
    n_errors: int = field(metadata={"doc": "findings that are errors"})
    n_warnings: int = field(metadata={"doc": "findings that are warnings"})

    def as_json(self) -> dict[str, Any]:
        """Return the inspection as plain JSON values."""
        encoded: dict[str, Any] = as_json(self)
        return encoded


def inspect(paths: Paths, request: Request | None = None) -> Inspection:
    """Check everything about some files.

    Parameters
    ----------
    paths
        As for `bbccli.readers.read`.
    request
        How the files are to be understood; by their names when None.

    Returns
    -------
    Inspection
        With an error exactly where `read` raises one.
    """
    request = request or Request()
    findings = Findings()
    files.check_stdin(findings, paths, request)
    if findings.failed("readable"):
        return _inspection(findings, paths)
    frames = files.check_readable(findings, paths, request)
    if findings.failed("readable"):
        return _inspection(findings, paths)
    metadata = files.check_metadata(findings, frames)
    named = findings.attempt("names", files.check_names, findings, frames)
    loaded = Loaded(named or frames, metadata)
    parts = files.check_roles(findings, loaded, request) if named else None
    layout = _layout(loaded, request) if parts is not None else None
    if parts is None:
        return _inspection(findings, paths, layout)
    placed = samples.check_keys(findings, parts)
    placed = files.check_companions(findings, placed, request)
    placed = files.check_choice(findings, placed, request)
    samples.check_constant(findings, placed)
    samples.check_coverage(findings, placed)
    _check_predictions(findings, placed, request)
    matrix = None
    if not findings.count(Status.ERROR):
        matrix = findings.attempt("assembly", _read_again, placed, request)
    if matrix is None:
        return _inspection(findings, paths, layout)
    gaps = predictions.missing_by_configuration(placed)
    close = similarity(matrix)
    _check_matrix(findings, placed, matrix, gaps, close)
    return _inspection(findings, paths, layout, matrix, gaps, close)


def _check_predictions(findings: Findings, parts: Parts, request: Request) -> None:
    """Look at each configuration by itself."""
    raw = predictions.check_columns(findings, parts)
    broken = any(findings.failed(check) for check in ("constant", "labels file"))
    if raw is None or broken:
        if broken:
            findings.skip("outcome", "the outcome is not known of every sample")
        return
    found = predictions.check_outcome(findings, parts, raw, request.task, request.positive)
    if found is not None:
        predictions.check_meaning(findings, raw, *found)


def _read_again(parts: Parts, request: Request) -> PredictionMatrix:
    return assemble(parts, task=request.task, positive=request.positive, missing=request.missing)


def _check_matrix(
    findings: Findings,
    parts: Parts,
    matrix: PredictionMatrix,
    gaps: tuple[tuple[str, int], ...],
    close: Similarity,
) -> None:
    """Tell what is doubtful about files that can be used."""
    predictions.check_kind(findings, matrix)
    sizes = ", ".join(f"{name} {count}" for name, count in samples.class_sizes(matrix.outcome))
    findings.passed("outcome", f"{matrix.task}" + (f": {sizes}" if sizes else ""))
    predictions.check_missing(findings, parts, gaps, matrix)
    samples.check_folds(findings, matrix)
    noted = _notes(findings, matrix.notes)
    if "groups" not in noted and matrix.groups is not None and matrix.folds is not None:
        findings.passed("groups", f"{matrix.n_groups} groups, each within one fold of a repeat")
    if "polarity" not in noted and matrix.task.value == "binary":
        text = "median AUC of the configurations is not below one half beyond chance"
        findings.passed("polarity", text)
    if "stray columns" not in noted and "truth copies" not in noted:
        findings.passed("stray columns", "every configuration looks like predictions")
    _check_similar(findings, close)
    samples.check_resamples(findings, matrix)


def _notes(findings: Findings, notes: tuple[Note, ...]) -> set[str]:
    """Turn the readers' notes into warnings; return the checks that they belong to."""
    told = {"missing", "coverage", "duplicates"}  # said in more detail elsewhere
    checks = set()
    for note in notes:
        check = CHECK_OF_NOTE[note.code]
        checks.add(check)
        if check not in told or note.code == "available-cases":
            findings.warn(check, note.text, note.remedy)
    return checks


def _check_similar(findings: Findings, close: Similarity) -> None:
    """Tell how many configurations are nearly the same."""
    n_close = close.n_copies + close.n_same_ranks + close.n_correlated
    if not n_close:
        findings.passed("duplicates", f"none among {close.n_compared} configurations")
        return
    text = (
        f"of {close.n_compared} configurations {close.n_copies} are copies of an earlier one, "
        f"{close.n_same_ranks} order the samples as one does, {close.n_correlated} are highly "
        f"correlated with one; such as {close.examples[0]}"
    )
    if close.n_copies:
        findings.warn("duplicates", text, "harmless; check that these settings differ in effect")
    else:
        findings.passed("duplicates", text)


def _layout(loaded: Loaded, request: Request) -> str:
    """Name of the layout of the first file."""
    alone = len(loaded.frames) == 1
    hints = request.hints(loaded.metadata)
    dialect = dialect_of(loaded.frames[0], hints, request.dialect, alone=alone)
    return WIDE if dialect is None else dialect.name


def _inspection(
    findings: Findings,
    paths: Paths,
    layout: str | None = None,
    matrix: PredictionMatrix | None = None,
    gaps: tuple[tuple[str, int], ...] = (),
    close: Similarity | None = None,
) -> Inspection:
    """Collect everything."""
    names = [str(paths)] if not isinstance(paths, (list, tuple)) else [str(one) for one in paths]
    sizes = () if matrix is None else samples.class_sizes(matrix.outcome)
    return Inspection(
        schema=INSPECTION_VERSION,
        version=__version__,
        command="inspect",
        path=redacted(", ".join(names)),
        layout=layout,
        input=None if matrix is None else Input.of(matrix),
        classes=tuple(ClassSize(*one) for one in sizes),
        missing=tuple(Gap(*one) for one in gaps if one[1]),
        similar=close,
        findings=tuple(sorted(findings.found, key=_order)),
        n_errors=findings.count(Status.ERROR),
        n_warnings=findings.count(Status.WARNING),
    )


_SEVERITY = (Status.ERROR, Status.WARNING, Status.SKIPPED, Status.PASS)


def _order(finding: Finding) -> int:
    """Errors first; otherwise as they were found."""
    return _SEVERITY.index(finding.status)
