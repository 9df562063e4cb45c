"""The entry points: ``bbc`` and ``python -m bbccli``."""

from __future__ import annotations

import _thread
import atexit
import os
import signal
import sys
import threading
import warnings
from contextlib import suppress
from itertools import count
from types import FrameType
from typing import Any

INTERRUPTED = 130
WORDS = "interrupted; no result was written"
UNINTERRUPTIBLE = {"importlib", "_frozen_importlib", "llvmlite", "numba"}
PATIENCE = 500
"""Times that an interruption is put off, 10 ms each."""
_postponed = count()


def run() -> None:
    """Run the command line and exit with its status, also when stopped while still importing."""
    heed = _end_at_once_when_interrupted()
    _occupy_standard_streams()
    # of numpy, where numbers overflow: what comes of that is undefined, and results say so
    warnings.filterwarnings("ignore", category=RuntimeWarning, append=True)
    try:
        from bbccli.cli.app import main
        from bbccli.cli.streams import say

        if heed is not None:
            sys.unraisablehook = _heed_what_is_lost
            signal.signal(signal.SIGINT, _interrupt)
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


def _interrupt(_: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, a little later within an import or Numba: they lose it or crash."""
    while frame is not None:
        module = frame.f_globals.get("__name__") or ""
        if module.partition(".")[0] in UNINTERRUPTIBLE and next(_postponed) < PATIENCE:
            return _interrupt_soon()
        frame = frame.f_back
    raise KeyboardInterrupt


def _heed_what_is_lost(lost: Any) -> None:
    """Interrupt once more where a callback or `__del__` dropped the exception."""
    if isinstance(lost.exc_value, KeyboardInterrupt):
        _interrupt_soon()
    else:
        sys.__unraisablehook__(lost)


def _interrupt_soon() -> None:
    main = threading.main_thread().ident
    later = threading.Timer(0.01, _thread.interrupt_main)
    if hasattr(signal, "pthread_kill"):  # also wakes what waits
        later = threading.Timer(0.01, signal.pthread_kill, (main, signal.SIGINT))
    later.daemon = True
    later.start()


def _occupy_standard_streams() -> None:
    """Open what is closed of the first three descriptors, lest a file that is opened gets one."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


if __name__ == "__main__":
    run()
