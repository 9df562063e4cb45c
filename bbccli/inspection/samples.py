"""Checks of what is known of each sample: its key, outcome, group, weight and folds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.bootstrap.single_classes import single_classes
from bbccli.errors import BbcError
from bbccli.inspection.findings import Findings
from bbccli.matrix import PredictionMatrix
from bbccli.outcome import Outcome
from bbccli.readers.alignment import constant
from bbccli.readers.assemble import Parts, weights_of
from bbccli.readers.holdout import held_out, note_on
from bbccli.readers.load import place_rows
from bbccli.resampling import BLOCK, Resamples, any_draw, draws_of
from bbccli.types import BoolArray, distinct

CONSTANT = ("truth", "time", "event", "group", "weight")

N_DRAWN = 1024
"""Resamples drawn to see how many would have to be drawn again."""


def check_keys(findings: Findings, parts: Parts) -> Parts:
    """Place every row; note missing keys, keys that occur twice and repeats of unequal size.

    Where that fails every row counts as a sample, so that the rest can be looked at.
    """
    keys = ("row_id", "repeat", "outer_fold")
    rest = {role: column for role, column in parts.columns.items() if role not in keys}
    rows = place_rows(replace(parts, columns=rest))
    for role in keys:
        if role in parts.columns:
            column = parts.columns[role]
            try:
                column.present(role, hint=f"fill in the {role} of every row")
            except BbcError as error:
                findings.error("keys", error)
    if findings.failed("keys"):
        return rows
    placed = findings.attempt("keys", place_rows, parts)
    if placed is not None:
        alignment = placed.alignment
        key = "each once in a repeat" if "row_id" in parts.columns else "by the order of the rows"
        findings.passed(
            "keys", f"{alignment.n_samples} samples in {alignment.n_repeats} repeat(s), {key}"
        )
        if placed.nested is not None:
            n_inner = int((~placed.nested.outer).sum())
            findings.passed("nested", f"{n_inner} inner rows, no sample both trained on and tested")
    return rows if placed is None else placed


def check_constant(findings: Findings, parts: Parts) -> None:
    """Note outcomes, groups and weights that are missing or differ within a sample."""
    roles = [role for role in CONSTANT if role in parts.columns]
    for role in roles:
        findings.attempt("constant", constant, parts.columns[role], role, parts.alignment)
    if "weight" in roles and not findings.failed("constant"):
        findings.attempt("constant", weights_of, parts, np.arange(parts.alignment.n_samples))
    if not findings.failed("constant"):
        findings.passed("constant", f"{', '.join(roles) or 'nothing'}: one value per sample")


def check_coverage(findings: Findings, parts: Parts) -> None:
    """Note samples that some repeat lacks."""
    parted = held_out(parts.alignment, parts.columns.get("fold"))
    if parted is not None:
        note = note_on(parted)
        findings.warn("coverage", note.text, note.remedy)
        return
    there = parts.alignment.in_every_repeat
    n_absent = int((~there).sum())
    if not n_absent:
        findings.passed("coverage", "every repeat covers every sample once")
    elif n_absent == len(there):
        findings.skip("coverage", "no sample is in all repeats")
    else:
        findings.warn(
            "coverage",
            f"{n_absent} of {len(there)} samples are lacking in some repeat",
            "complete the cross-validation; they are left out",
        )


def check_folds(findings: Findings, matrix: PredictionMatrix) -> None:
    """Tell how the folds partition the repeats, and which lack a class."""
    if matrix.folds is None:
        return
    folds = matrix.folds
    sizes = [np.bincount(own)[distinct(own)] for own in folds]
    smallest, largest = min(s.min() for s in sizes), max(s.max() for s in sizes)
    if (matrix.n_folds or 0) < 2:
        findings.warn(
            "folds", "one fold only: methods over folds cannot run", "add a column `fold`"
        )
        return
    lacking = _folds_without_a_class(matrix)
    if lacking:
        findings.warn(
            "folds",
            f"{lacking} of {sum(map(len, sizes))} folds lack a class: metrics such as AUC are "
            "undefined there",
            "stratify the folds, or rely on bbc",
        )
        return
    findings.passed("folds", f"{matrix.n_folds} folds of {smallest} to {largest} samples")


def check_resamples(findings: Findings, matrix: PredictionMatrix) -> None:
    """Estimate how many resamples of the default plan lack a class in the bag or out of it."""
    outcome, groups = matrix.outcome, matrix.groups
    if outcome.task.is_classification:
        for code in single_classes(outcome, groups):
            unit = "sample" if groups is None else "group"
            findings.warn(
                "resamples",
                f"class {outcome.classes[code]!r} has a single {unit}: no resample holds it in and "
                "out of the bag, which metrics such as AUC need",
                f"collect more of it, remove the {unit}, or use a metric that does without",
            )
            return
    drawn = draws_of(matrix.n_samples, groups, 0, any_draw).batch(0, N_DRAWN // BLOCK)
    n_lacking = N_DRAWN - int(_holds_every_class(outcome, drawn).sum())
    if n_lacking:
        findings.warn(
            "resamples",
            f"{n_lacking} of {N_DRAWN} resamples lack a class in or out of the bag; metrics such "
            "as AUC draw them again",
            "collect more of the rare class",
        )
    else:
        findings.passed("resamples", f"none of {N_DRAWN} would have to be drawn again")


def _holds_every_class(outcome: Outcome, drawn: Resamples) -> BoolArray:
    """(B,) whether every class, or some sample at all, is in the bag and out of it."""
    codes = np.zeros(len(outcome), np.int64)
    if outcome.task.is_classification:
        codes = outcome.values.astype(np.int64)
    sides = np.stack([drawn.in_bag > 0, drawn.in_bag == 0])
    held = [sides[:, :, codes == code].any(axis=2).all(axis=0) for code in distinct(codes)]
    return np.asarray(np.all(held, axis=0))


def class_sizes(outcome: Outcome) -> tuple[tuple[str, int], ...]:
    """Samples of each class."""
    if not outcome.task.is_classification:
        return ()
    return tuple((k, int(n)) for k, n in zip(outcome.classes, outcome.class_counts, strict=True))


def _folds_without_a_class(matrix: PredictionMatrix) -> int:
    """Count the folds, over all repeats, in which a class of the outcome is missing."""
    if not matrix.task.is_classification or matrix.folds is None:
        return 0
    classes = matrix.outcome.values.astype(np.int64)
    n_classes = len(distinct(classes))
    width = int(classes.max()) + 1
    pairs = [np.bincount(own * width + classes, minlength=1) for own in matrix.folds]
    present = [np.pad(p, (0, -len(p) % width)).reshape(-1, width) > 0 for p in pairs]
    return sum(int(((p.sum(axis=1) > 0) & (p.sum(axis=1) < n_classes)).sum()) for p in present)
