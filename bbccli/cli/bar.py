"""Progress bars on standard error."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bbccli.platform.resources import Progress, silent

PATIENCE_SECONDS = 1.0
"""Work shorter than this shows no progress bar."""


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress]:
    """Yield a progress callback: a bar on a terminal once the work takes long, else a no-op."""
    if not _is_shown(quiet=quiet):
        yield silent
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.close()


@contextmanager
def batch_bar(total: int, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback of files done and failed: a bar on a terminal, else a no-op."""
    if not _is_shown(quiet=quiet):
        yield lambda done, failed: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        Remaining(),
        TextColumn("{task.fields[failed]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total, rate="", failed="")

        def show(done: int, failed: int) -> None:
            speed = bar.tasks[0].speed
            bar.update(
                task,
                completed=done,
                rate=f"{speed:.1f} files/s" if speed else "",
                failed=f"{failed} failed" if failed else "",
            )

        yield show


def _is_shown(*, quiet: bool) -> bool:
    return not quiet and sys.stderr is not None and sys.stderr.isatty()


class _Bar:
    """A rich progress bar that appears only after a while, and is never full.

    Work of unknown length, such as reading and summing up, shows a pulsing bar.
    """

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._lock = threading.RLock()
        self._progress: Any = None
        self._task: Any = None
        self._open = True
        self._phase, self._done, self._total = "resampling", 0, 0
        # reading reports no progress
        self._timer = threading.Timer(max(PATIENCE_SECONDS, 0.0), self._appear)
        self._timer.daemon = True
        self._timer.start()

    def enter(self, phase: str) -> None:
        """Start a new phase."""
        self._set(phase, 0, 0)

    def __call__(self, done: int, total: int) -> None:
        self._set(self._phase, done, total)
        if time.monotonic() - self._started > PATIENCE_SECONDS:
            self._appear()

    def _set(self, phase: str, done: int, total: int) -> None:
        with self._lock:
            before = self._phase, self._goal()
            self._phase, self._done, self._total = phase, done, total
            self._draw(anew=before != (phase, self._goal()))

    def close(self) -> None:
        """Remove the bar, if shown."""
        self._timer.cancel()
        with self._lock:
            self._open = False
            if self._progress is not None:
                self._progress.stop()

    def _appear(self) -> None:
        with self._lock:
            if self._progress is not None or not self._open:
                return
            self._progress = _columns()
            self._progress.start()
            self._draw(anew=True)

    def _goal(self) -> int | None:
        """Return the total while something is left."""
        return self._total if self._done < self._total else None

    def _draw(self, *, anew: bool) -> None:
        """Update the bar; `anew` if it changes its kind."""
        if self._progress is None:
            return
        if anew:
            if self._task is not None:
                self._progress.remove_task(self._task)
            self._task = self._progress.add_task(self._phase, total=self._goal(), counted="")
        known = self._goal() is not None
        counted = f"{self._done:,} of {self._total:,}" if known else ""
        if self._total and not known:
            counted = f"{self._total:,} done, summing up"
        self._progress.update(self._task, completed=self._done * known, counted=counted)


def _columns() -> Any:
    """Return the columns of the bar."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    return RichProgress(
        # as markup, a name in brackets would be a colour
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[counted]}"),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True),
        transient=True,
    )
