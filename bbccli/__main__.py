"""The entry points: ``bbc`` and ``python -m bbccli``."""

from __future__ import annotations

import _thread
import atexit
import gc
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
"""Times that an interruption may be postponed, by 10 ms each."""
_postponed = count()


def run() -> None:
    """Run the command line and exit with its status, even if interrupted during imports."""
    heed = _end_at_once_when_interrupted()
    _occupy_standard_streams()
    gc.set_threshold(1_000_000)  # nothing imported or read is garbage, and looking takes 40 ms
    # numpy warns of overflow; the result is then undefined, and reports say so
    warnings.filterwarnings("ignore", category=RuntimeWarning, append=True)
    try:
        from bbccli.cli import say
        from bbccli.cli.app import main

        if heed is not None:
            sys.unraisablehook = _heed_what_is_lost
            signal.signal(signal.SIGINT, _interrupt)
        status = main()
    except KeyboardInterrupt:
        status = INTERRUPTED
    if heed is not None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing left to do
    if status == INTERRUPTED:
        say(WORDS)
    else:
        atexit._run_exitfuncs()
    _leave(status)


def _leave(status: int) -> None:
    """Exit with this status without tearing down the interpreter.

    Python would abort if an Arrow thread frees Python memory at that moment. After Ctrl-C it would
    end by the signal, despite `sys.exit`, if the exception passed through code that `exec`
    compiled, as modules are on import.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # closed, full or without a reader; results were flushed before
            stream.flush()
    os._exit(status)


def _end_at_once_when_interrupted() -> Any:
    """Let Ctrl-C end the process during imports; return the previous handler.

    Raised within an import, the exception could be swallowed or shown. None if interruptions are
    ignored, as for background jobs of a shell.
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
    """Raise KeyboardInterrupt, but delay it within imports and Numba, which lose it or crash."""
    while frame is not None:
        module = frame.f_globals.get("__name__") or ""
        if module.partition(".")[0] in UNINTERRUPTIBLE and next(_postponed) < PATIENCE:
            return _interrupt_soon()
        frame = frame.f_back
    raise KeyboardInterrupt


def _heed_what_is_lost(lost: Any) -> None:
    """Interrupt again if a callback or `__del__` dropped the exception."""
    if isinstance(lost.exc_value, KeyboardInterrupt):
        _interrupt_soon()
    else:
        sys.__unraisablehook__(lost)


def _interrupt_soon() -> None:
    main = threading.main_thread().ident
    later = threading.Timer(0.01, _thread.interrupt_main)
    if hasattr(signal, "pthread_kill"):  # also wakes blocking calls
        later = threading.Timer(0.01, signal.pthread_kill, (main, signal.SIGINT))
    later.daemon = True
    later.start()


def _occupy_standard_streams() -> None:
    """Open those of the first three descriptors that are closed, lest a file gets one."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


if __name__ == "__main__":
    run()
