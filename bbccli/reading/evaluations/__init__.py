"""Logs of evaluation frameworks: files and folders -> a sheet of scores.

A framework is an entry point, of this package or of another one, in the group of each suffix that
its files may have, such as `bbccli.logs.json`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from bbccli.errors import InputError, naming
from bbccli.platform import resources
from bbccli.platform.guarded_files import trying, within
from bbccli.reading.interface import frameworks, signatures
from bbccli.reading.roles import Request
from bbccli.reading.sheet import Sheet
from bbccli.reading.sources import is_result, may_be_log, unpacked_suffix
from bbccli.reading.table import ArrowStream, not_predictions

if TYPE_CHECKING:
    from bbccli.reading.evaluations.files import File

ONLY_LOGS = (".eval", ".json", ".xml")
"""Suffixes that no other kind of table has."""

_DEEPEST = 6
_PASSED_OVER = (".", "node_modules", "__pycache__")
_MOST_FILES = 20_000


def evaluation_of(paths: Sequence[str | Path | ArrowStream], request: Request) -> Sheet | None:
    """Return the scores of the logs in files or folders, which may hold other files; None if
    none.
    """
    by_framework: dict[str, list[File]] = {}
    others = []
    for path in paths:
        logs = _logs(Path(path), request) if isinstance(path, str | Path) else {}
        others += [] if logs else [path]
        for name, files in logs.items():
            by_framework.setdefault(name, []).extend(files)
    if not by_framework:
        return None
    (name, files), *more = by_framework.items()
    known = frameworks()
    first, n_more = known[name], len(paths) - 1
    path = f"{paths[0]} and {n_more} more" if n_more else str(paths[0])
    for another, its_files in more:
        raise InputError(
            f"holds logs of {first.name} ({files[0].path.name}) and of "
            f"{known[another].name} ({its_files[0].path.name})",
            path=path,
            hint="give the logs of one framework",
        )
    if others:
        problem, hint = f"is not a log of {first.name}, unlike others", "give logs of one framework"
        raise InputError(problem, path=str(others[0]), hint=hint)
    from bbccli.reading.evaluations.scores import sheet_of_logs

    files = list({file.path.resolve(): file for file in files}.values())
    named = [Path(path) for path in paths if isinstance(path, str | Path)]
    around = [file for folder in named if folder.is_dir() for file in _walk(folder)]
    with naming(path):
        return sheet_of_logs(first, path, files, request, around)


def _logs(path: Path, request: Request) -> dict[str, list[File]]:
    """Return the logs in a path, by the name of their framework."""
    if os.path.isdir(path):  # noqa: PTH112 (never raises)
        return _of_folder(path)
    only_a_log = unpacked_suffix(path) in ONLY_LOGS
    by_hand = request.dialect is not None and not only_a_log
    if by_hand or not os.path.isfile(path) or not may_be_log(path):  # noqa: PTH113
        return {}
    logs, damaged = _owned([path])
    if damaged and only_a_log:
        raise damaged[0]
    if not logs and is_result(str(path)):
        raise not_predictions(str(path))
    if not logs and only_a_log and unpacked_suffix(path) != ".json":  # that may be a table
        raise InputError(
            "is not a log of a known framework",
            path=str(path),
            hint=f"give logs of {signatures(frameworks().values())}",
        )
    return logs


def _of_folder(folder: Path) -> dict[str, list[File]]:
    """Return the logs in a folder, unless it is the run of a tool."""
    from bbccli.reading.runs.folder import reader_of

    with within(folder, follow_links=resources.reading_limits().follow_links), trying():
        if reader_of(folder) is not None or folder.resolve().parent == folder.resolve():
            return {}  # nobody keeps logs of a whole disk
    paths = list(islice(_walk(folder), _MOST_FILES + 1))
    logs, damaged = _owned(paths[:_MOST_FILES], folder)
    beside = {file.path.parent for files in logs.values() for file in files}
    places = [Path(error.path or "") for error in damaged]
    only_logs = len(places) == len(paths) and not any(unpacked_suffix(p) == ".csv" for p in places)
    for error, place in zip(damaged, places, strict=True):
        if only_logs or place.parent in beside:  # any other file may be called `*.json`
            raise error
    if len(paths) > _MOST_FILES:
        raise InputError(
            f"holds more than {_MOST_FILES} files that may be logs",
            path=str(folder),
            hint="give the folder of the logs",
        )
    return logs


def is_log(path: str | Path) -> bool:
    """True for a file that a framework recognises as its log."""
    return bool(_owned([Path(path)])[0])


def _owned(
    paths: Iterable[Path], folder: Path | None = None
) -> tuple[dict[str, list[File]], list[InputError]]:
    """Return files by the framework that owns them, and the errors of others."""
    from bbccli.reading.evaluations.files import File

    files: dict[str, list[File]] = {}
    damaged = []
    for path in paths:
        file = File(path, folder)
        try:
            with trying():
                known = frameworks(unpacked_suffix(path))
                owner = next((name for name, logs in known.items() if logs.owns(file)), None)
        except InputError as error:
            damaged.append(error)
            continue
        if owner is not None:
            files.setdefault(owner, []).append(file)
    return files, damaged


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder that may be logs by their names, in order."""
    for place, folders, names in os.walk(folder):
        inner = Path(place)
        folders[:] = sorted(folder for folder in folders if not folder.startswith(_PASSED_OVER))
        if len(inner.relative_to(folder).parts) >= _DEEPEST:
            folders.clear()
        shown = sorted(name for name in names if not name.startswith("."))
        yield from (inner / name for name in shown if may_be_log(inner / name))
