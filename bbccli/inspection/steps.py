"""What the steps of reading saw, in sentences: one per check that no problem was found in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bbccli.inspection.findings import Findings
from bbccli.readers.coverage import held_out, note_on
from bbccli.readers.metadata import Metadata
from bbccli.readers.place import Places
from bbccli.readers.problems import Collect
from bbccli.readers.sheet import Sheet
from bbccli.readers.table import Table
from bbccli.rounding import count, tiny_text
from bbccli.source import Verification

if TYPE_CHECKING:
    from bbccli.readers.separate import Separate


def tell(findings: Findings, problems: Collect) -> None:
    """Add the checks that passed, and how far the repeats cover the samples."""
    for check, seen in problems.seen.items():
        if check == "coverage":
            _tell_coverage(findings, *seen)
        elif not problems.failed(check):
            findings.passed(check, SENTENCES[check](seen))
            if check == "keys":
                _tell_nested(findings, *seen)
    if "coverage" in problems.seen and problems.failed("constant", "labels file"):
        findings.skip("outcome", "the outcome is not known of every sample")


def tell_tool(findings: Findings, tool: str) -> None:
    """Tell that the folders of a tool are read by their description alone."""
    from bbccli.readers.runs.folder import RUNS

    if any(run.untested and run.name == tool for run in RUNS):
        findings.warn(
            "tool",
            f"reading {tool} is untested on real output: it follows descriptions of the files",
            f"compare a performance with the one that {tool} shows",
        )


def tell_scores(findings: Findings, found: Verification | None) -> None:
    """Tell what came of computing the scores of a run again."""
    if found is None:
        return
    if found.reason is not None:
        findings.skip("leaderboard", found.reason)
        return
    text = f"{found.n_checked} of {found.n_scores} scores recomputed"
    findings.passed(
        "leaderboard", f"{text}, largest difference {tiny_text(found.largest_difference or 0.0)}"
    )


def _readable(tables: Sequence[Table]) -> str:
    files = f"{len(tables)} files" if len(tables) > 1 else "1 file"
    return f"{files}, {sum(table.n_rows for table in tables)} rows"


def _metadata(metadata: Metadata) -> str:
    return "understood" if metadata.raw else "none"


def _names(tables: Sequence[Table]) -> str:
    n_columns = sum(len(table.names) for table in tables)
    return f"{n_columns} columns, each with its own name"


def _roles(sheet: Sheet) -> str:
    """Which column plays which role, and how many are configurations."""
    played = []
    for role, column in sheet.roles.items():
        name = column.place(0)[1] if len(column) else column.name
        played.append(role if name == role else f"{role} (column {name})")
    return f"{', '.join(played) or 'none'}; {len(sheet.cells)} columns of predictions"


def _keys(seen: tuple[Sheet, Places]) -> str:
    sheet, places = seen
    key = "each once in a repeat" if "row_id" in sheet.roles else "by the order of the rows"
    return f"{count(places.n_samples, 'sample')} in {count(places.n_repeats, 'repeat')}, {key}"


def _joined(file: Separate) -> str:
    return f"joined by {file.key!r}" if file.by_key else "joined by position"


def _constant(roles: Sequence[str]) -> str:
    return f"{', '.join(roles) or 'nothing'}: one value per sample"


SENTENCES: Mapping[str, Callable[[Any], str]] = {
    "readable": _readable,
    "metadata": _metadata,
    "names": _names,
    "roles": _roles,
    "keys": _keys,
    "labels file": lambda file: f"every sample has its outcome, {_joined(file)}",
    "folds file": lambda file: f"every sample has its fold, {_joined(file)}",
    "constant": _constant,
}
"""What to say about a check that passed, given what it saw."""


def _tell_nested(findings: Findings, sheet: Sheet, places: Places) -> None:
    if places.nested is not None:
        n_inner = int((~places.nested.outer).sum())
        findings.passed("nested", f"{n_inner} inner rows, no sample both trained on and tested")


def _tell_coverage(findings: Findings, sheet: Sheet, places: Places) -> None:
    """Tell of samples that some repeat lacks."""
    there = held_out(sheet, places)
    if there is not None:
        note = note_on(there)
        findings.warn("coverage", note.text, note.remedy)
        return
    n_absent = int((~places.in_every_repeat).sum())
    if not n_absent:
        findings.passed("coverage", "every repeat covers every sample once")
    elif n_absent == places.n_samples:
        findings.skip("coverage", "no sample is in all repeats")
    else:
        verb = "is" if n_absent == 1 else "are"
        findings.warn(
            "coverage",
            f"{n_absent} of {places.n_samples} samples {verb} lacking in some repeat",
            "complete the predictions; till then such samples are left out",
        )
