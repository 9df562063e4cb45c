"""The entry points: ``bbc`` and ``python -m bbccli``."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from contextlib import suppress
from typing import Any

INTERRUPTED = 130
WORDS = "interrupted; no result was written"


def run() -> None:
    """Run the command line and exit with its status, also when stopped while still importing."""
    heed = _end_at_once_when_interrupted()
    _occupy_standard_streams()
    try:
        from bbccli.cli.app import main
        from bbccli.cli.streams import say

        if heed is not None:
            signal.signal(signal.SIGINT, heed)
        status = main()
    except KeyboardInterrupt:
        status = INTERRUPTED
    if heed is not None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing is left to tell
    if status == INTERRUPTED:
        say(WORDS)
    else:
        atexit._run_exitfuncs()
    _leave(status)


def _leave(status: int) -> None:
    """Exit with this status, and don't take the interpreter apart.

    Python would abort where a thread of Arrow frees memory of Python meanwhile. After Ctrl-C it
    would end by the signal, whatever `sys.exit` says, where the exception came through code that
    `exec` compiled, as modules do while they are imported.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # closed, full, or nobody reads: results were flushed before
            stream.flush()
    os._exit(status)


def _end_at_once_when_interrupted() -> Any:
    """Let Ctrl-C end the process while modules are imported; return what handled it before.

    Raised within an import, the exception could be swallowed or shown. None where interruptions
    are ignored, as in the background of a shell.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return None
    return signal.signal(signal.SIGINT, _end)


def _end(*_: object) -> None:
    try:
        os.write(2, f"{WORDS}\n".encode())
    finally:
        os._exit(INTERRUPTED)


def _occupy_standard_streams() -> None:
    """Open what is closed of the first three descriptors, lest a file that is opened gets one."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


if __name__ == "__main__":
    run()
