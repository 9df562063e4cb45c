"""Write results to standard output and files."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bbccli.cli.command import source_of
from bbccli.cli.shared import ALL_NOTES, OutputOption, PrintOptions
from bbccli.cli.streams import emit, say
from bbccli.core import local
from bbccli.core.atomic import cannot_write, is_read_only, is_stream, write_whole
from bbccli.core.documents import Document
from bbccli.core.local import claim, identity
from bbccli.core.text import visible
from bbccli.errors import OptionError
from bbccli.reports import FORMS, Kind, Style, form_of, forms_of

if TYPE_CHECKING:
    from bbccli.reports.evidence import Exhibit
    from bbccli.schema.correct import ErrorEnvelope

STDOUT = "-"
"""Path of standard output."""

DUMB = frozenset({"dumb", "unknown"})
"""Values of TERM for terminals without escape sequences."""


def style_for_stdout(*, all_notes: bool = False) -> Style:
    """Return width and colour of standard output.

    Colour is for terminals. NO_COLOR and TERM=dumb turn it off everywhere, else FORCE_COLOR turns
    it on everywhere (see no-color.org and force-color.org), as for rich's progress bar. The width
    is COLUMNS if set, else that of the terminal, else 80.
    """
    terminal = sys.stdout is not None and sys.stdout.isatty()
    wanted = bool(os.environ.get("FORCE_COLOR")) or terminal
    barred = os.environ.get("NO_COLOR") or os.environ.get("TERM", "").lower() in DUMB
    width = shutil.get_terminal_size((80, 24)).columns
    return Style(width, colour=wanted and not barred, all_notes=all_notes)


def style_for(output: str, notes: str = "") -> Style:
    """Return the style for an output path, with the notes of --notes."""
    all_notes = notes == ALL_NOTES
    return style_for_stdout(all_notes=all_notes) if output == "-" else Style(all_notes=all_notes)


def check_writable(outputs: Mapping[str, str | None]) -> None:
    """Check before the work that all results can be written, each to a file of its own.

    `outputs` are paths, or None, by the words for them in messages, such as the option. From here
    on, reading a file that one of them would overwrite is an error. An OptionError if a path is a
    folder or can't be written, if two lead to the same file, or if the command has read one.
    """
    for path in outputs.values():
        problem = None if path in (None, STDOUT) else _obstacle(str(path))
        if problem:
            raise cannot_write(str(path), problem)
    check_apart(outputs)


def check_apart(outputs: Mapping[str, str | None]) -> None:
    """Register the targets of results; an OptionError if two are the same file."""
    seen: dict[tuple[int, int] | str, str] = {}
    for words, path in outputs.items():
        if path is None:
            continue
        # standard output may be a file too: `bbc correct p.csv >> r.json`
        place = local.STDOUT if path == STDOUT else path
        stream = path == STDOUT or is_stream(Path(path))
        for key in (identity(place), None if stream else os.path.realpath(path)):
            if key is not None and seen.setdefault(key, words) != words:
                raise OptionError(
                    f"{seen[key]} and {words} are the same file: {path}", hint="name two files"
                )
        claim(place, words)


def _obstacle(path: str) -> str | None:
    """Return why a path can't be written; None if it can."""
    if is_stream(Path(path)):
        return None
    # check the target of a link, since that is replaced; os.path never raises
    target = os.path.realpath(path)
    folder = os.path.dirname(target)  # noqa: PTH120
    if os.path.isdir(target):  # noqa: PTH112
        return "it is a folder"
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
    source, form = source_of("format"), None
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
    new = {path: one for path, one in files.items() if path == table or not _same(path, one)}
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
    from bbccli.readers.metadata import SPEC

    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("spec") == SPEC


def publish(
    documents: Sequence[Document[Any]], format: str, where: PrintOptions, kind: Kind = Kind.CORRECT
) -> None:
    """Write documents as one report; if it is for programs, summarise it on standard error.

    Files without a result become lines of JSON; other forms have no place for them.
    """
    whole = [document for document in documents if "error" not in document]
    form = FORMS[format]
    if not form.for_people and not where.quiet:
        tell(whole)
    shown = documents if form.holds_errors else whole
    write(form.render(shown, style_for(where.output, where.notes), kind), where.output)
    if form.name == "html" and where.output != STDOUT and not where.quiet:
        say(f"page: {visible(where.output)}")


def publish_page(
    exhibits: Sequence[Exhibit],
    output: str,
    failures: Sequence[ErrorEnvelope] = (),
    title: str = "",
    *,
    quiet: bool = False,
) -> None:
    """Write a page of results; report its first sentence and its path on standard error."""
    from bbccli.reports.page import whole

    one = exhibits[0].document if len(exhibits) == 1 else None
    if one is not None and one.command == "compare":
        from bbccli.reports.compared import lines as of_comparison
        from bbccli.reports.compared import requirement
        from bbccli.reports.page.compared import page_of_comparison

        write(page_of_comparison(exhibits[0], title), output)
        lines = [*map(visible, of_comparison(one))]
        lines += [visible(requirement(one))] if one.gate else []
    else:
        write(whole.page(exhibits, failures, title), output)
        lines = whole.first_lines(one) if one is not None else []
    if not quiet and output != "-":
        for line in (*lines, f"page: {visible(output)}"):
            say(line)


def tell(documents: Sequence[Document[Any]]) -> None:
    """Report on standard error what was read and what to doubt."""
    from bbccli.reports.phrases import plain_lines

    for document in documents:
        for line in plain_lines(document.record):
            say(line)


def is_told(form: str | None, output: str) -> bool:
    """True if a verdict is on the screen with the result, and errors need not repeat it."""
    if form is None or output != STDOUT:
        return False
    return form == "github" or bool(FORMS[form].writer and sys.stdout.isatty())


def exit_by_gates(
    documents: Sequence[Document[Any]], form: str | None = None, output: str = STDOUT
) -> None:
    """Report gates that were not met and exit with their status; return if all were met."""
    from bbccli.schema import gate

    told = is_told(form, output)

    for document in documents:
        if "error" in document:
            say(f"failed: {visible(document['error']['problem'])}")
            continue
        verdict = document["gate"]
        if verdict is not None and verdict["outcome"] != "met" and not told:
            from bbccli.reports.sentences import gate_line

            say(gate_line(document.record))
    if status := gate.status(documents):
        raise typer.Exit(status)
