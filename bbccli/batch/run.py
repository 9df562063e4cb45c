"""A batch from sources to results: todo -> tasks -> runner -> journal -> records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bbccli.batch.journal import Entry, Journal
from bbccli.batch.sources import BatchFile
from bbccli.batch.worker import Done, FileTask, key_of, work
from bbccli.documents.gate import FAILED
from bbccli.errors import UndecidedError
from bbccli.platform import resources
from bbccli.platform.records import Json
from bbccli.platform.resources import Resources
from bbccli.types import GateOutcome

MOST_PROBLEMS = 5
"""Failures reported in full; the table has all."""


@dataclass(slots=True)
class Tally:
    """Outcomes of a batch, counted.

    `failed` files have no result; `undecided` and `missed` are verdicts of gates. `problems` holds
    the errors of the first few files, `hint` that of the last one.
    """

    unchanged: int
    files: int = 0
    failed: int = 0
    undecided: int = 0
    missed: int = 0
    problems: list[str] = field(default_factory=list)
    hint: str = ""

    @property
    def status(self) -> int:
        """Exit status: 5 if a file failed, else 4 if a gate is undecided, 3 if one is missed."""
        undecided = (UndecidedError.status, self.undecided)
        statuses = ((FAILED, self.failed), undecided, (3, self.missed))
        return next((status for status, number in statuses if number), 0)

    def count(self, record: Json) -> None:
        """Count one record."""
        self.files += 1
        if "error" in record:
            undecided = record["error"]["status"] == UndecidedError.status
            self.undecided, self.failed = self.undecided + undecided, self.failed + (not undecided)
            self.hint = record["error"]["hint"]
            if len(self.problems) < MOST_PROBLEMS:
                self.problems.append(record["error"]["problem"])
            return
        outcome = (record["document"]["gate"] or {}).get("outcome")
        self.undecided += outcome == GateOutcome.UNDECIDED
        self.missed += outcome == GateOutcome.MISSED


def todo(
    sources: Sequence[BatchFile], entries: Mapping[str, Entry], limits: Resources
) -> Iterator[FileTask]:
    """Yield a task for each source; files done before come with their fingerprint."""
    folder, reading = str(Path.cwd()), resources.reading_limits()
    for position, source in enumerate(sources):
        key = key_of(source)
        fingerprint = entries[key].files if key in entries else None
        yield FileTask(position, key, source, limits, folder, fingerprint, reading)


def drive(
    groups: Iterable[list[Done]],
    journal: Journal,
    *,
    stop_on_error: bool,
    progress: Callable[[int, int], None],
) -> tuple[int, str]:
    """Write results to the journal as they come.

    `progress` is called with the numbers of files done and failed. Return the number of unchanged
    files and, if --on-error stop ended the batch, the failure.
    """
    unchanged = done = failed = 0
    for group in groups:
        journal.append(task.line for task in group if task.line is not None)
        problems = [task.problem for task in group if task.problem is not None]
        done += len(group)
        failed += len(problems)
        unchanged += sum(task.line is None for task in group)
        progress(done, failed)
        if problems and stop_on_error:
            return unchanged, problems[0]
    journal.finish()
    return unchanged, ""


def results(sources: Iterable[BatchFile], journal: Journal, tally: Tally) -> Iterator[Json]:
    """Yield the record of each source, in order, and count it."""
    for source in sources:
        record = journal.record(key_of(source))
        tally.count(record)
        yield record


Runner = Callable[
    [Iterable[FileTask], int, str | None, Callable[[str], None]], Iterator[list[Done]]
]
"""Called with tasks, worker processes on this machine, the address of a scheduler, and what tells
the user something."""


def runner_named(name: str, jobs: int) -> Runner:
    """Return what runs tasks: this process for a single job, others, or dask; the rest is not
    imported.
    """
    if name == "dask":
        from bbccli.batch.cluster import run_dask

        return run_dask
    if jobs == 1:
        return lambda tasks, *_: ([work(task)] for task in tasks)
    from bbccli.batch.local import run_local

    return run_local
