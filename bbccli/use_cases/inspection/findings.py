"""Findings: one per passed check, and one per problem of the files and their matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.domain.matrix import PLURAL, PredictionMatrix
from bbccli.domain.outcome import Outcome, effective_size
from bbccli.domain.source import Verification
from bbccli.errors import BbcError, InputError, UnsupportedError
from bbccli.metrics import default_metric
from bbccli.notes import Note, kind_of, listing
from bbccli.platform.dataclass import dataclass
from bbccli.platform.text import count, figure, percent, tiny_text
from bbccli.reading.sheet import Problems, Sheet
from bbccli.reading.sources.lines import line_of
from bbccli.stats.resampling import BLOCK, Unit, draws_of, too_few_usable
from bbccli.stats.selection.units import n_units_of, single_classes
from bbccli.types import BoolArray, IntArray, PredictionKind, Task, distinct
from bbccli.use_cases.inspection.similar import Similarity

if TYPE_CHECKING:
    from bbccli.reading.join import Separate

N_DRAWN = 1024
"""Resamples drawn to estimate how many would have to be redrawn."""

ALMOST = 0.05
"""Up to this share of predictions out of range, probabilities may have been meant."""


class Status(StrEnum):
    """Outcome of a check."""

    PASS = "pass"
    WARNING = "warning"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """A passed check, or a problem found by one.

    check: name of the check
    status: outcome
    text: the finding, in one sentence
    remedy: remedy; may be empty
    path: file; null if irrelevant
    row: first row concerned, 0-based below the header
    column: column concerned
    n_rows: number of rows with this problem; null if it concerns no row
    """

    check: str
    status: Status
    text: str
    remedy: str = ""
    path: str | None = None
    row: int | None = None
    column: str | None = None
    n_rows: int | None = None


@dataclass(frozen=True, slots=True)
class ClassSize:
    """Size of a class.

    name: name of the class
    n_samples: number of samples of that class
    """

    name: str
    n_samples: int


@dataclass(frozen=True, slots=True)
class Gap:
    """A configuration that lacks predictions.

    configuration: name of the configuration
    n_missing: number of predictions that it lacks
    """

    configuration: str
    n_missing: int


@dataclass(slots=True)
class Findings:
    """Findings in the order of the checks."""

    found: list[Finding] = field(default_factory=list)

    def passed(self, check: str, text: str) -> None:
        """Add a check that found nothing wrong."""
        self.found.append(Finding(check, Status.PASS, text))

    def warn(self, check: str, text: str, remedy: str = "") -> None:
        """Add something doubtful."""
        self.found.append(Finding(check, Status.WARNING, text, remedy))

    def skip(self, check: str, text: str) -> None:
        """Add a check that could not be made."""
        self.found.append(Finding(check, Status.SKIPPED, text))

    def error(self, check: str, error: BbcError) -> None:
        """Add a problem, once."""
        known = {finding.text for finding in self.found if finding.status is Status.ERROR}
        place: dict[str, Any] = {}
        text, hint = error.told(line_of)
        if isinstance(error, InputError):
            rows = None if error.row is None else error.further + 1
            place = {"path": error.path, "row": error.row, "column": error.column, "n_rows": rows}
            if error.further:
                text += f" and {error.further} more row" + "s" * (error.further > 1)
        if text not in known:
            self.found.append(Finding(check, Status.ERROR, text, hint, **place))

    def count(self, status: Status) -> int:
        """Count the findings with a status."""
        return sum(finding.status is status for finding in self.found)


def tell(
    findings: Findings,
    matrix: PredictionMatrix,
    sizes: Sequence[ClassSize],
    gaps: Sequence[Gap],
    close: Similarity,
) -> None:
    """Add what is doubtful about usable files."""
    check_kind(findings, matrix)
    counts = ", ".join(f"{size.name} {size.n_samples}" for size in sizes)
    findings.passed("outcome", f"{matrix.task}" + (f": {counts}" if counts else ""))
    if not any(gap.n_missing for gap in gaps):
        findings.passed("missing", "every configuration predicts every sample")
    check_folds(findings, matrix)
    try:
        default_metric(matrix)
    except UnsupportedError as error:  # a run selects by a metric that can't be computed
        findings.warn("metric", error.problem, error.hint)
    if matrix.task is Task.SCORE:
        check_items(findings, matrix)
    noted = _notes(findings, matrix.notes)
    if "groups" not in noted and matrix.groups is not None and matrix.folds is not None:
        findings.passed("groups", f"{matrix.n_groups} groups, each within one fold of a repeat")
    if "weights" not in noted and matrix.outcome.weights is not None:
        n_effective = effective_size(matrix.outcome.weights, matrix.groups)
        findings.passed("weights", f"the effective sample size is {figure(n_effective)}")
    if "polarity" not in noted and matrix.task is Task.BINARY:
        text = "the median AUC of the configurations is not significantly below 0.5"
        findings.passed("polarity", text)
    if "stray columns" not in noted and "truth copies" not in noted:
        findings.passed("stray columns", "every configuration looks like predictions")
    _check_similar(findings, close)
    check_resamples(findings, matrix)


def gaps(sheet: Sheet) -> list[Gap]:
    """Return the number of predictions that each configuration lacks, in file order."""
    placed = np.arange(sheet.n_rows) if sheet.nested else sheet.rows[sheet.rows >= 0]
    counts = []
    for configuration, cells in sheet.configurations.items():
        lacking = np.zeros(sheet.n_rows, bool)
        for cell in cells:
            if cell.rows is not None or cell.source not in sheet.table.full:
                lacking[sheet.column(cell).nulls] = True
        counts.append(Gap(configuration, int(lacking[placed].sum())))
    return counts


def check_kind(findings: Findings, matrix: PredictionMatrix) -> None:
    """Report the kind of the predictions, and why they are no probabilities if they nearly are."""
    shown, kind = matrix.predictions, matrix.kind
    numbers = f"{PLURAL[kind]}, all finite" if kind is not PredictionKind.LABEL else PLURAL[kind]
    if kind is not PredictionKind.SCORE or matrix.task is Task.SURVIVAL:
        findings.passed("predictions", numbers)
        return
    outside = float(((shown < 0) | (shown > 1)).mean())
    off = float((np.abs(shown.sum(axis=-1) - 1) > 1e-3).mean()) if shown.ndim == 4 else 0.0
    if 0 < outside < ALMOST:
        findings.warn(
            "predictions",
            f"{percent(outside, 2)} of the predictions are outside [0, 1]: all are treated as "
            "plain scores",
            "correct them if they are meant to be probabilities",
        )
    elif not outside and off:
        findings.warn(
            "predictions",
            f"{percent(off, 1)} of the rows of class probabilities do not sum to 1: treated as "
            "plain scores",
            "normalise them if they are meant to be probabilities",
        )
    else:
        findings.passed("predictions", numbers)


def check_items(findings: Findings, matrix: PredictionMatrix) -> None:
    """Report items on which all configurations score the same, so that they can't tell them apart.

    An item's score is its mean over epochs, over the configurations that have one.
    """
    if matrix.n_configurations < 2:
        return
    means, keys = matrix.predictions.mean(axis=0, dtype=np.float64), matrix.keys
    available = matrix.available
    there = np.ones(means.shape, bool) if available is None else available.any(axis=0)
    lowest = np.where(there, means, np.inf).min(axis=1)
    alike = lowest == np.where(there, means, -np.inf).max(axis=1)
    kinds = {"equal for all": alike}
    if matrix.outcome.bounds == (0, 1):
        kinds = {"solved by all": alike & (lowest == 1), "solved by none": alike & (lowest == 0)}
    parts = [
        f"{int(some.sum())} of {len(some)} {what} ({listing(keys[some].tolist())})"
        for what, some in kinds.items()
        if some.any()
    ]
    if alike.all():
        findings.warn("items", "all configurations score the same on every item", "check the file")
    else:
        useless = f"{'; '.join(parts)}, which does not help to find the best"
        useful = "every item distinguishes some configurations"
        findings.passed("items", useless if parts else useful)


def check_folds(findings: Findings, matrix: PredictionMatrix) -> None:
    """Report how the folds partition the repeats, and which lack a class."""
    if matrix.folds is None:
        return
    folds = matrix.folds
    sizes = [np.bincount(codes)[distinct(codes)] for codes in folds]
    smallest, largest = min(s.min() for s in sizes), max(s.max() for s in sizes)
    if (matrix.n_folds or 0) < 2:
        findings.warn(
            "folds",
            "there is only one fold: methods that need folds can't run",
            "give each sample the fold that held it out",
        )
        return
    lacking = 0
    if matrix.task.is_classification:
        classes = matrix.outcome.values.astype(np.int64)
        n_codes, n_classes = int(classes.max()) + 1, len(distinct(classes))
        for codes in folds:  # each pair of fold and class, once
            of_pairs = distinct(codes * n_codes + classes) // n_codes
            lacking += int((np.bincount(of_pairs)[distinct(of_pairs)] < n_classes).sum())
    if lacking:
        findings.warn(
            "folds",
            f"{lacking} of {sum(map(len, sizes))} folds lack a class: metrics such as AUC are "
            "undefined there",
            "stratify the folds, or use bbc",
        )
        return
    size = count(largest, "sample")
    span = size if smallest == largest else f"{smallest} to {size}"
    findings.passed("folds", f"{matrix.n_folds} folds of {span}")


def check_resamples(findings: Findings, matrix: PredictionMatrix) -> None:
    """Estimate how many default resamples lack a class in the bag or out of it."""
    outcome, groups = matrix.outcome, matrix.groups
    if n_units_of(matrix) == 1:  # whatever the metric is
        findings.error("resamples", too_few_usable(Unit.SAMPLES if groups is None else Unit.GROUPS))
        return
    if outcome.task.is_classification:
        for code in single_classes(outcome, groups):
            unit = "sample" if groups is None else "group"
            findings.warn(
                "resamples",
                f"class {outcome.classes[code]!r} has a single {unit}: no resample holds it in and "
                "out of the bag, as metrics such as AUC require",
                f"collect more of it, remove the {unit}, or use a metric that does not need both",
            )
            return
    draws = draws_of(matrix.n_samples, groups, 0, leaving_out=False)
    blocks = (draws.batch(block, 1).in_bag for block in range(N_DRAWN // BLOCK))
    n_lacking = N_DRAWN - sum(int(_holds_every_class(outcome, block).sum()) for block in blocks)
    if n_lacking and outcome.task.is_classification:
        findings.warn(
            "resamples",
            f"{n_lacking} of {N_DRAWN} resamples lack a class in or out of the bag; metrics such "
            "as AUC draw them again",
            "collect more samples of the rare class",
        )
    elif n_lacking:
        findings.warn(
            "resamples",
            f"{n_lacking} of {N_DRAWN} resamples leave no sample out, and are drawn again",
            "collect more samples",
        )
    else:
        findings.passed("resamples", f"none of {N_DRAWN} would have to be drawn again")


def _holds_every_class(outcome: Outcome, in_bag: IntArray) -> BoolArray:
    """(B,) True if every class, or without classes any sample, is both in the bag (B, N) and out of
    it.
    """
    codes = np.zeros(len(outcome), np.int64)
    if outcome.task.is_classification:
        codes = outcome.values.astype(np.int64)
    held = np.ones(len(in_bag), bool)
    for code in distinct(codes):
        weights = in_bag[:, codes == code]
        held &= (weights.max(axis=1) > 0) & (weights.min(axis=1) == 0)
    return held


def _notes(findings: Findings, notes: tuple[Note, ...]) -> set[str]:
    """Add the readers' notes as warnings; return the checks that they belong to."""
    checks = {note.code: kind.check for note in notes if (kind := kind_of(note.code))}
    for note in notes:
        if checks[note.code] != "duplicates":  # told in detail
            findings.warn(checks[note.code], note.text, note.remedy)
    return set(checks.values())


def _check_similar(findings: Findings, close: Similarity) -> None:
    """Report how many configurations are nearly the same."""
    n_close = close.n_copies + close.n_same_ranks + close.n_correlated
    if not n_close:
        findings.passed("duplicates", f"none among {close.n_compared} configurations")
        return
    kinds = (
        (close.n_copies, ("is a copy of", "are copies of"), ""),
        (close.n_same_ranks, ("ranks the samples like", "rank the samples like"), " does"),
        (close.n_correlated, ("is highly correlated with", "are highly correlated with"), ""),
    )
    (n_first, first), *others = (
        (n, f"{verbs[n > 1]} an earlier one{end}") for n, verbs, end in kinds if n
    )
    words = [f"{n_first} of {close.n_compared} configurations {first}"]
    words += [f"{n} {does}" for n, does in others]
    text = f"{', '.join(words)}; for example {close.examples[0]}"
    if close.n_copies:
        remedy = "check that these settings take effect; the estimate is not affected"
        findings.warn("duplicates", text, remedy)
    else:
        findings.passed("duplicates", text)


def tell_steps(findings: Findings, problems: Problems) -> None:
    """Add the checks that passed."""
    for check, seen in problems.seen.items():
        if check == "coverage":  # notes tell what a repeat lacks
            if seen.covered.all():
                findings.passed(check, "every repeat covers every sample once")
        elif not problems.failed(check):
            findings.passed(check, SENTENCES[check](seen))
            if check == "keys" and seen.nested:
                text = "inner rows; no sample is used both to train and to test"
                findings.passed("nested", f"{int((~seen.outer).sum())} {text}")
    if "coverage" in problems.seen and problems.failed("constant", "labels file"):
        findings.skip("outcome", "the outcome is not known for every sample")


def tell_scores(findings: Findings, verification: Verification | None) -> None:
    """Add the result of recomputing the scores of a run."""
    if verification is None:
        return
    if verification.reason is not None:
        findings.skip("leaderboard", verification.reason)
        return
    text = f"{verification.n_checked} of {verification.n_scores} scores recomputed"
    findings.passed(
        "leaderboard",
        f"{text}, largest difference {tiny_text(verification.largest_difference or 0.0)}",
    )


def _roles(sheet: Sheet) -> str:
    """Describe the roles of columns, and count those of predictions."""
    played = []
    for role, column in sheet.roles.items():
        name = column.place(0)[1] if len(column) else column.name
        played.append(role if name == role else f"{role} (column {name})")
    return f"{', '.join(played) or 'none'}; {len(sheet.cells)} columns of predictions"


def _keys(sheet: Sheet) -> str:
    key = "each once in a repeat" if "row_id" in sheet.roles else "by the order of the rows"
    return f"{count(sheet.n_samples, 'sample')} in {count(sheet.n_repeats, 'repeat')}, {key}"


def _joined(file: Separate) -> str:
    return f"joined by {file.key!r}" if file.by_key else "joined by position"


SENTENCES: Mapping[str, Callable[[Any], str]] = {
    "readable": lambda tables: (
        f"{count(len(tables), 'file')}, {sum(table.n_rows for table in tables)} rows"
    ),
    "metadata": lambda metadata: "understood" if metadata.raw else "none",
    "names": lambda tables: (
        f"{sum(len(table.names) for table in tables)} columns, each with its own name"
    ),
    "roles": _roles,
    "keys": _keys,
    "labels file": lambda file: f"every sample has its outcome, {_joined(file)}",
    "folds file": lambda file: f"every sample has its fold, {_joined(file)}",
    "constant": lambda roles: (
        f"{', '.join(roles)}: one value per sample" if roles else "no column to check"
    ),
}
"""Text of a passed check, from the objects it saw."""
