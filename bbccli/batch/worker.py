"""One file in, one record out: runs in any process, and catches all errors."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import traceback
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path

from bbccli.batch.sources import BatchFile
from bbccli.documents.correct import Envelope
from bbccli.errors import OF_THE_MACHINE, BbcError, last_resort
from bbccli.metrics import load_metric
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.platform.guarded_files import is_url
from bbccli.platform.records import Json, as_json, unfolded
from bbccli.platform.resources import Reading, Resources
from bbccli.platform.text import message, redacted
from bbccli.reading import hash_of
from bbccli.reading.sources import metadata_path, sha256_of
from bbccli.reading.sources.urls import MissingError, url_bytes
from bbccli.use_cases.correct import answer
from bbccli.version import __version__

MORE_MEMORY = "it may need more memory than there is; use fewer --jobs"
"""Hint for a file that kills its workers."""


@dataclass(frozen=True, slots=True)
class FileTask:
    """A file of a batch, as sent to a worker.

    Parameters
    ----------
    position
        Position of the source in the batch.
    key
        Key of the source in the journal.
    source
        The file and its options.
    limits
        Threads, memory and engine of one worker.
    folder
        Base of relative paths; a worker may run elsewhere.
    known
        Fingerprint of the files when they were last done; None if they never were.
    reading
        Limits on reading.
    """

    position: int
    key: str
    source: BatchFile
    limits: Resources
    folder: str
    known: str | None = None
    reading: Reading = field(default_factory=Reading)


@dataclass(frozen=True, slots=True)
class Done:
    """Outcome of one file: a line for the journal, or None if nothing has changed."""

    position: int
    line: str | None
    problem: str | None = None


def is_current(task: FileTask) -> bool:
    """True if the files are unchanged since they were last done; a BbcError if unreadable."""
    place = _Place(task)
    return task.known is not None and task.known == _joined(_hash(place.path), place.others())


def work(task: FileTask) -> Done:
    """Process one file, unless it is unchanged since it was last done."""
    source, place = task.source, _Place(task)
    try:
        with resources.use_reading(task.reading), resources.use(task.limits):
            others = place.others()  # hashed before they are read: later changes are noticed
            if task.known is not None and task.known == _joined(_hash(place.path), others):
                return Done(task.position, None)
            result = answer(place.analysis, place.path).record
        files = _joined(result.input.sha256, others)
        result = replace(result, input=replace(result.input, path=redacted(source.path)))
        return Done(task.position, record(task, files, document=result))
    except BbcError as error:
        from bbccli.reading.sources.lines import line_of

        problem, hint = map(place.as_given, error.told(line_of))
        if message(source.path) not in problem:
            problem = f"{source.path}: {problem}"
        return failure(task, problem, hint, status=error.status)
    except MemoryError as error:
        problem = f"{source.path}: out of memory: {error}".rstrip(": ")
        return failure(task, problem, MORE_MEMORY)
    except OF_THE_MACHINE as error:
        described = last_resort(error)
        return failure(task, f"{source.path}: {described.problem}", described.hint)
    except Exception as error:  # a bug: a failure of this file, not of the batch
        problem = f"{source.path}: {type(error).__name__}: {error}".rstrip(": ")
        hint = "this is a bug: please report it with the traceback in the journal"
        return failure(task, problem, hint, status=1, trace=traceback.format_exc())


def failure(task: FileTask, problem: str, hint: str, *, status: int = 2, trace: str = "") -> Done:
    """Return the record of a file without a result."""
    problem = message(problem)
    error: Json = {"problem": problem, "hint": message(hint), "status": status}
    if trace:
        error["traceback"] = redacted(trace)
    return Done(task.position, record(task, None, error=error), problem)


def record(task: FileTask, files: str | None, **outcome: Json | Envelope) -> str:
    """Return the journal line: source, fingerprint of its files, and outcome."""
    entry = {"key": task.key, "path": redacted(task.source.path), "files": files, **outcome}
    compact = (",", ":")
    return json.dumps(entry, allow_nan=False, separators=compact, default=unfolded) + "\n"


def key_of(source: BatchFile) -> str:
    """Return the hash of path, options and version, without the content of files."""
    content = [__version__, source.path, as_json(source.analysis)]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]


class _Place:
    """Paths of a task as seen from this process."""

    def __init__(self, task: FileTask) -> None:
        self._start, here = f"{task.folder}{os.sep}", ""
        with suppress(OSError):  # the current folder was removed
            here = os.getcwd()  # noqa: PTH109 (in a tenth of the time)
        self._elsewhere = here != task.folder
        self.path = self._from_here(task.source.path)
        self.analysis = task.source.analysis
        if self._elsewhere:
            labels, folds = self.analysis.labels, self.analysis.folds
            self.analysis = replace(
                self.analysis,
                labels=labels and self._from_here(labels),
                folds=folds and self._from_here(folds),
            )

    def _from_here(self, path: str) -> str:
        if not self._elsewhere or is_url(path) or os.path.isabs(path):  # noqa: PTH117
            return path
        return self._start + path

    def as_given(self, text: str) -> str:
        """Return a message with the paths that the user gave."""
        return text.replace(self._start, "") if self._elsewhere else text

    def others(self) -> str:
        """Return hashes of the files besides the predictions that the result depends on."""
        named = (self.analysis.labels, self.analysis.folds)
        paths = [metadata_path(self.path), *filter(None, named)]
        for name in self.analysis.metric or ():
            if ":" in name:
                load_metric(name)
                paths.append(sys.modules[name.partition(":")[0]].__file__ or "")
        return " ".join(map(_hash, paths))


def _joined(predictions: str, others: str) -> str:
    return hashlib.sha256(f"{predictions} {others}".encode()).hexdigest()[:32]


def _hash(path: str) -> str:
    if is_url(path):
        with suppress(MissingError):
            return hashlib.sha256(url_bytes(path)).hexdigest()
        return ""
    if os.path.isdir(path):  # noqa: PTH112
        return hash_of(path)
    return sha256_of(Path(path)) if os.path.exists(path) else ""  # noqa: PTH110
