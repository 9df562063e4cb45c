"""Standard output and standard error, which may be closed, full, or a pipe without a reader."""

from __future__ import annotations

import io
import os
import shutil
import sys
import textwrap
from contextlib import suppress
from typing import Any, TextIO

from bbccli.errors import BbcError, OptionError
from bbccli.platform.guarded_files import STDOUT, check_unread
from bbccli.platform.text import message


def emit(content: bytes) -> None:
    """Write to standard output; do nothing if its reader has left.

    Files and pipes get UTF-8 in every locale; a terminal gets escapes for characters that it can't
    show. An OptionError if it is closed, full, or a file that the command has read.
    """
    stream = sys.stdout
    if stream is None:
        raise OptionError("standard output is closed", hint="use --output FILE, or leave it open")
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
    """Print a message on standard error, wrapped between words on a terminal."""
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


def complain(error: BbcError, better: str = "") -> None:
    """Print an error and its hint, or a better one."""
    from bbccli.reading.sources.lines import line_of

    problem, hint = error.told(line_of)
    say(f"error: {problem}")
    say(f"hint: {better or hint or 'bbc --help'}")


def leave(stream: TextIO) -> None:
    """Discard what a stream still holds and will get."""
    with suppress(OSError, ValueError, io.UnsupportedOperation):
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)
