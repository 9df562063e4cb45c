"""Write results to standard output and files."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from bbccli.cli import emit, say
from bbccli.cli.command import origin_of
from bbccli.cli.shared import ALL_NOTES, NotesOptions, OutputOption, PrintOptions
from bbccli.documents import gate
from bbccli.documents.correct import ErrorEnvelope, doubts_of
from bbccli.errors import OptionError
from bbccli.platform import guarded_files
from bbccli.platform.guarded_files import claim, identity
from bbccli.platform.text import visible
from bbccli.reports import FORMS, Kind, Style, form_of, forms_of
from bbccli.types import GateOutcome

STDOUT = "-"
"""Path of standard output."""

DUMB = frozenset({"dumb", "unknown"})
"""Values of TERM for terminals without escape sequences."""


def style_for_stdout() -> Style:
    """Return width and colour of standard output.

    Colour is for terminals. NO_COLOR and TERM=dumb turn it off everywhere, else FORCE_COLOR turns
    it on everywhere (see no-color.org and force-color.org), as for rich's progress bar. The width
    is COLUMNS if set, else that of the terminal, else 80.
    """
    terminal = sys.stdout is not None and sys.stdout.isatty()
    wanted = bool(os.environ.get("FORCE_COLOR")) or terminal
    barred = os.environ.get("NO_COLOR") or os.environ.get("TERM", "").lower() in DUMB
    width = shutil.get_terminal_size((80, 24)).columns
    return Style(width, colour=wanted and not barred)


def style_for(where: NotesOptions) -> Style:
    """Return the style for an output, with the notes of --notes."""
    style = style_for_stdout() if where.output == STDOUT else Style()
    return replace(style, all_notes=where.notes == ALL_NOTES, fail_on=where.fail_on)


def check_writable(outputs: Mapping[str, str | None]) -> None:
    """Check before the work that all results can be written, each to a file of its own.

    `outputs` are paths, or None, by the words for them in messages, such as the option. From here
    on, reading a file that one of them would overwrite is an error. An OptionError if a path is a
    folder or can't be written, if two lead to the same file, or if the command has read one.
    """
    for path in outputs.values():
        problem = None if path in (None, STDOUT) else _obstacle(str(path))
        if problem:
            from bbccli.platform.atomic import cannot_write

            raise cannot_write(str(path) or "''", problem)
    check_apart(outputs)


def check_apart(outputs: Mapping[str, str | None]) -> None:
    """Register the targets of results; an OptionError if two are the same file."""
    seen: dict[tuple[int, int] | str, str] = {}
    for words, path in outputs.items():
        if path is None:
            continue
        # standard output may be a file too: `bbc correct p.csv >> r.json`
        place = guarded_files.STDOUT if path == STDOUT else path
        resolved = None
        if path != STDOUT:
            from bbccli.platform.atomic import is_stream

            resolved = None if is_stream(Path(path)) else os.path.realpath(path)
        for key in (identity(place), resolved):
            if key is not None and seen.setdefault(key, words) != words:
                raise OptionError(
                    f"{seen[key]} and {words} are the same file: {path}", hint="name two files"
                )
        claim(place, words)


def _obstacle(path: str) -> str | None:
    """Return why a path can't be written; None if it can."""
    from bbccli.platform.atomic import is_read_only, is_stream

    if is_stream(Path(path)):
        return None
    # check the target of a link, since that is replaced; os.path never raises
    target = os.path.realpath(path)
    folder = os.path.dirname(target)  # noqa: PTH120
    if os.path.isdir(target):  # noqa: PTH112
        return "it is a folder" if path else "the name is empty"
    if os.path.basename(path) in ("", "."):  # noqa: PTH119 - Path drops what marks a folder
        return "it is the name of a folder"
    if not os.path.isdir(folder):  # noqa: PTH112
        return "its folder does not exist"
    if not os.access(folder, os.W_OK | os.X_OK):
        return "its folder can't be written to"
    return "it is read-only" if is_read_only(Path(target)) else None


def write(text: str | bytes, path: str) -> None:
    """Write a result to a file, whole or not at all, or to standard output (``-``)."""
    # Paths that are not UTF-8 have surrogates; JSON can read this escape.
    content = text.encode(errors="backslashreplace") if isinstance(text, str) else text
    if path == "-":
        emit(content)
        return
    from bbccli.platform.atomic import write_whole

    write_whole(content, path)


def form_for(
    given: str | None,
    where: OutputOption,
    kind: Kind | None = Kind.CORRECT,
    **others: str | None,
) -> str | None:
    """Return the form to write: --format, else that of the suffix of the output, else `given`.

    `kind` is that of the result, None if it has a single form; `others` are further files by
    option. An OptionError if only the suffix could tell and is unknown, or if a file can't be
    written.
    """
    source, form = origin_of("format"), None
    if kind is not None and source != "COMMANDLINE":
        try:
            form = form_of(where.output, forms_of(kind))
        except OptionError:
            if source != "DEFAULT_MAP":
                raise
    flags = {f"--{name}": path for name, path in others.items()}
    check_writable({"--output": where.output, **flags})
    return form or given


def write_table(files: Mapping[str, bytes], table: str) -> None:
    """Write the files of a table: itself, and metadata beside it unless they are the same already.

    An OptionError if a file can't be written, or if different metadata exist that do not belong to
    an earlier table of this name.
    """
    new = {path: held for path, held in files.items() if path == table or not _same(path, held)}
    for path in new:
        ours = path == table or not Path(path).exists()
        if not (ours or (Path(table).is_file() and _is_ours(Path(path)))):
            raise OptionError(
                f"cannot write {path}: it exists, and is not the metadata of {table}",
                hint="rename the table, use .parquet (which includes metadata), or move that file",
            )
    for path, content in new.items():
        write(content, path)


def _same(path: str, content: bytes) -> bool:
    try:
        return Path(path).read_bytes() == content
    except OSError:
        return False


def _is_ours(path: Path) -> bool:
    from bbccli.reading.metadata import SPEC

    try:
        metadata = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(metadata, dict) and metadata.get("spec") == SPEC


def publish(
    records: Sequence[Any],
    format: str,
    where: PrintOptions,
    kind: Kind = Kind.CORRECT,
    *,
    text: str | None = None,
    answer: Callable[[Any], list[str]] | None = None,
) -> None:
    """Write results as one report, say the rest on standard error, and exit if a gate is not met.

    Standard error has what was read and all notes beside a report for programs; the answer, the
    doubts and the name of the file where the report went to one; and a verdict that nothing showed.
    Files without a result become lines of JSON; other forms have no place for them.

    text: the report, where it needs more than the records.
    answer: sentences of a record.
    """
    whole = [record for record in records if not isinstance(record, ErrorEnvelope)]
    form, to_file = FORMS[format], where.output != STDOUT
    if not (form.for_people or to_file or where.quiet):
        report_reading(whole)
    shown = records if form.holds_errors else whole
    write(form.render(shown, style_for(where), kind) if text is None else text, where.output)
    if to_file and not where.quiet:
        tell_written(whole, where.output, answer)
    is_said = not where.quiet if to_file else form.for_people
    exit_by_verdicts(records, where, list(GateOutcome) if is_said else [])


def tell_written(
    records: Sequence[Any], path: str, answer: Callable[[Any], list[str]] | None = None
) -> None:
    """Say the answers that a file holds, the doubts about them, and its name."""
    for record in records:
        for line in lines_on(record, answer):
            say(line)
    say(f"wrote {visible(path)}")


def lines_on(record: Any, answer: Callable[[Any], list[str]] | None) -> list[str]:
    """Return the answer of a record, and the doubts about it, a line each."""
    from bbccli.reports.content import answer_of
    from bbccli.reports.words import note_line

    return [*map(visible, (answer or answer_of)(record)), *map(note_line, doubts_of(record))]


def report_reading(records: Sequence[Any]) -> None:
    """Report on standard error what was read and what to doubt."""
    from bbccli.reports.words import plain_lines

    for record in records:
        for line in plain_lines(record):
            say(line)


def exit_by_verdicts(records: Sequence[Any], where: NotesOptions, told: Collection[str]) -> None:
    """Exit with the status of gates and doubts; say why, unless outcomes like it are `told`."""
    for record in records:
        if isinstance(record, ErrorEnvelope):
            say(f"failed: {visible(record.error.problem)}")
            continue
        outcome = getattr(getattr(record, "gate", None), "outcome", GateOutcome.MET)
        missed = outcome is not GateOutcome.MET
        if outcome not in told and (missed or where.fail_on):
            for line in lines_on(record, gate_line if missed else lambda _: []):
                say(line)
    if status := gate.status(records, where.fail_on):
        raise typer.Exit(status)


def gate_line(record: Any) -> list[str]:
    """Return the line on the gate of a record."""
    from bbccli.reports.words.comparison_sentences import requirement
    from bbccli.reports.words.sentences import gate_sentence

    sentence = requirement if record.command == "compare" else gate_sentence
    return [f"{record.input.path}: {sentence(record)}"]
