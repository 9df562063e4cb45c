"""One case in a folder of its own, in this process."""

import functools
import io
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer.main

from bbccli.cli.app import main

from .case import Case, Link

SECONDS = 20
"""A case that takes more of the processor's time hangs."""

WAIT = 300
"""A case that takes more seconds by the clock hangs too."""

# the tree of commands is the same for all cases, and takes longer to build than most to run
typer.main.get_command = functools.cache(typer.main.get_command)


@dataclass(frozen=True)
class Outcome:
    """What a run said and wrote; `traceback` is empty unless an error escaped."""

    status: int
    stdout: str
    stderr: str
    written: dict[str, bytes]
    traceback: str = ""


class _HangError(BaseException):
    pass


def run(case: Case) -> Outcome:
    """Run a case in a new folder."""
    with tempfile.TemporaryDirectory(prefix="bbc-fuzz-") as folder:
        placed = case.placed
        place(Path(folder), placed)
        with _inside(folder), _captured() as (out, err), in_time():
            status, trace = 1, ""
            try:
                status = main(case.arguments)
            except BaseException:  # also SystemExit: nothing may escape
                trace = traceback.format_exc()
            sys.stdout.flush()
        written = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(Path(folder).rglob("*"))
            if path.is_file() and not path.is_symlink()
        }
    changed = {name: data for name, data in written.items() if placed.get(name) != data}
    return Outcome(status, _text(out), _text(err).replace(folder, ""), changed, trace)


def place(folder: Path, files: Mapping[str, bytes | Link]) -> None:
    """Write files and links into a folder; what has no place in it is left away."""
    for name, content in files.items():
        path = folder / name
        with suppress(OSError):  # a file where a folder should be
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Link):
                path.symlink_to(content.target)
            else:
                path.write_bytes(content)


def _text(stream: io.BytesIO) -> str:
    return stream.getvalue().decode("utf-8", "replace")


@contextmanager
def _inside(folder: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _captured() -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    out, err = io.BytesIO(), io.BytesIO()
    before = sys.stdout, sys.stderr
    sys.stdout = io.TextIOWrapper(out, "utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(err, "utf-8", "backslashreplace", write_through=True)
    try:
        yield out, err
    finally:
        sys.stdout.detach()  # so that the bytes outlive the wrapper
        sys.stderr.detach()
        sys.stdout, sys.stderr = before


@contextmanager
def in_time() -> Iterator[None]:
    def hang(*_: Any) -> None:
        raise _HangError(f"took more than {SECONDS} s of the processor, or {WAIT} s")

    timers = {signal.ITIMER_PROF: signal.SIGPROF, signal.ITIMER_REAL: signal.SIGALRM}
    before = {sign: signal.signal(sign, hang) for sign in timers.values()}
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WAIT)
    try:
        yield
    finally:
        for timer in timers:
            signal.setitimer(timer, 0)
        for sign, handler in before.items():
            signal.signal(sign, handler)
