"""Where text goes: the only place that touches standard output, standard error and files."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from bbccli.atomic import is_read_only, is_stream, replacing
from bbccli.cli.streams import emit
from bbccli.errors import OptionError
from bbccli.progress import Progress, silent
from bbccli.reports import Kind, Style, form_of, forms_of

PATIENCE_SECONDS = 1.0
"""Work shorter than this shows no progress bar."""


def style_for_stdout() -> Style:
    """Width and colour of standard output: colour on a terminal only, and never with NO_COLOR.

    The width is COLUMNS where that is set, else that of the terminal, else 80.
    """
    terminal = sys.stdout is not None and sys.stdout.isatty()
    colour = terminal and not os.environ.get("NO_COLOR")
    return Style(width=shutil.get_terminal_size((80, 24)).columns, colour=colour)


def check_writable(*paths: str | None) -> None:
    """Find out before the work whether the results will have a place to go.

    Raises
    ------
    OptionError
        The folder of a path does not exist or can't be written to, or the path is a folder.
    """
    for path in paths:
        if path is None or path == "-":
            continue
        problem = _obstacle(path)
        if problem:
            raise cannot_write(path, problem)


def _obstacle(path: str) -> str | None:
    """Why nothing can be written to a path; None where something can."""
    if is_stream(Path(path)):
        return None
    # of what a link leads to, for that is what is replaced; os.path never raises
    target = os.path.realpath(path)
    folder = os.path.dirname(target)  # noqa: PTH120
    if os.path.isdir(target):  # noqa: PTH112
        return "it is a folder"
    if not os.path.isdir(folder):  # noqa: PTH112
        return "its folder does not exist"
    if not os.access(folder, os.W_OK | os.X_OK):
        return "its folder can't be written to"
    return "it is read-only" if is_read_only(Path(target)) else None


def write(text: str | bytes, path: str) -> None:
    """Write the result to a file, whole or not at all; ``-`` is standard output.

    Raises
    ------
    OptionError
        The file can't be written.
    """
    # A path that is not UTF-8 has surrogates; JSON reads the escape that this writes.
    content = text.encode(errors="backslashreplace") if isinstance(text, str) else text
    if path == "-":
        emit(content)
        return
    try:
        with replacing(Path(path)) as file:
            file.write(content)
    except OSError as error:
        raise cannot_write(path, error.strerror or str(error)) from error


def report_format(
    ctx: typer.Context, given: str | None, output: str, kind: Kind = Kind.CORRECT
) -> str | None:
    """Choose the report: by --format, else by the suffix of the output, else the default.

    Raises
    ------
    OptionError
        Nothing but the suffix tells the form, and it is unknown.
    """
    source = ctx.get_parameter_source("format")
    if source is not None and source.name == "COMMANDLINE":
        return given
    try:
        return form_of(output, forms_of(kind)) or given
    except OptionError:
        if source is not None and source.name == "DEFAULT_MAP":
            return given
        raise


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress]:
    """Yield a progress callback: a bar on a terminal once the work takes long, else nothing."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield silent
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.close()


class _Bar:
    """A rich progress bar that appears only when it is worth it."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._progress: Any = None
        self._task: Any = None

    def __call__(self, done: int, total: int) -> None:
        if self._progress is None and time.monotonic() - self._started > PATIENCE_SECONDS:
            from rich.console import Console
            from rich.progress import Progress as RichProgress

            self._progress = RichProgress(console=Console(stderr=True), transient=True)
            self._progress.start()
            self._task = self._progress.add_task("resampling", total=total)
        if self._progress is not None:
            self._progress.update(self._task, completed=done, total=total)

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()


def cannot_write(path: str, problem: str) -> OptionError:
    """Return the error about a place that takes no result."""
    return OptionError(
        f"cannot write {path}: {problem}",
        hint="name a file in a folder that exists and can be written to",
    )
