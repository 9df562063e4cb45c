"""Standard output and standard error, which may be closed, full, or a pipe nobody reads."""

from __future__ import annotations

import io
import os
import shutil
import sys
import textwrap
from contextlib import suppress
from typing import Any, TextIO

from bbccli.core.local import STDOUT, check_unread
from bbccli.core.text import message
from bbccli.errors import BbcError, OptionError


def emit(content: bytes) -> None:
    """Write to standard output; where its reader has left, write nothing and go on.

    Files and pipes get UTF-8 in every locale; on a terminal that can't show a character it is
    escaped.

    Raises
    ------
    OptionError
        Standard output is closed, takes nothing, or is a file that the command has read.
    """
    stream = sys.stdout
    if stream is None:
        raise OptionError("standard output is closed", hint="--output FILE, or leave it open")
    check_unread(STDOUT, "standard output")
    try:
        buffer: Any = getattr(stream, "buffer", None)
        if buffer is None or stream.isatty():
            encoding = stream.encoding or "utf-8"
            stream.write(content.decode().encode(encoding, "backslashreplace").decode(encoding))
        else:
            stream.flush()
            buffer.write(content)
        stream.flush()
    except BrokenPipeError:
        leave(stream)
    except OSError as error:
        leave(stream)
        raise OptionError(
            f"cannot write standard output: {error.strerror or error}", hint="--output FILE"
        ) from error


def say(line: str) -> None:
    """Say something about the work on standard error; a terminal gets it broken between words."""
    stream, text = sys.stderr, message(line)
    if stream is None:
        return
    try:
        if stream.isatty():
            width = shutil.get_terminal_size((80, 24)).columns
            text = textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
        print(text, file=stream, flush=True)
    except OSError:
        leave(stream)


def complain(error: BbcError) -> None:
    """Print what is wrong and what to do."""
    problem, hint = error.told()
    say(f"error: {problem}")
    say(f"hint: {hint or 'bbc --help'}")


def leave(stream: TextIO) -> None:
    """Send to nowhere what a stream still holds, and all that comes."""
    with suppress(OSError, ValueError, io.UnsupportedOperation):
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)
