"""The command line; it only connects the other rooms. Here: standard output and error.

They may be closed, full, or pipes without a reader.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import textwrap
from contextlib import suppress
from typing import Any, TextIO

from bbccli.errors import BbcError, OptionError
from bbccli.platform import guarded_files
from bbccli.platform.text import message

# Resamples run in threads of our own (--jobs); a matrix product that starts its own would take
# the same cores twice. The libraries read this when numpy is imported, which comes later.
for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")


def emit(content: bytes) -> None:
    """Write to standard output; do nothing if its reader has left.

    Files and pipes get UTF-8 in every locale; a terminal gets escapes for characters that it can't
    show. An OptionError if it is closed, full, or a file that the command has read.
    """
    stream = sys.stdout
    if stream is None:
        raise OptionError("standard output is closed", hint="use --output FILE, or leave it open")
    guarded_files.check_unread(guarded_files.STDOUT, "standard output")
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
