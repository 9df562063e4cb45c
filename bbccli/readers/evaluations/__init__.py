"""Logs of evaluation frameworks: files and folders -> one table of scores.

A framework is a module of this folder with a `FRAMEWORK`, and a line in `PATTERNS`. It is tried on
files that are called as its own are.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from bbccli.core import reading
from bbccli.core.local import trying, within
from bbccli.errors import InputError
from bbccli.readers.request import Request
from bbccli.readers.sources.files import PACKINGS
from bbccli.readers.sources.memory import ArrowStream
from bbccli.readers.table import Table

if TYPE_CHECKING:
    from bbccli.readers.evaluations.base import File, Framework

PATTERNS: dict[str, tuple[str, ...]] = {
    "inspect_ai": ("*.eval", "*.json"),
    "lm_eval": ("*.jsonl",),
    "promptfoo": ("*.json", "*.jsonl", "*.csv"),
    "swebench": ("*.json",),
    "openai_evals": ("*.jsonl",),
    "junit": ("*.xml",),
}
"""Names of files, without the suffix of a packing, by the module that may read them."""

ONLY_LOGS = (".eval", ".json", ".xml")
"""Suffixes of files that hold no table of another kind."""

_DEEPEST = 6
_PASSED_OVER = (".", "node_modules", "__pycache__")
_MOST_FILES = 20_000


def framework(module: str) -> Framework:
    """Return the framework that a module reads."""
    found: Framework = import_module(f"{__name__}.{module}").FRAMEWORK
    return found


def evaluation_of(paths: Sequence[str | Path | ArrowStream], request: Request) -> Table | None:
    """Return the table of the logs that some paths name; None where they are something else.

    Parameters
    ----------
    paths
        Files and folders. A folder may hold other files, too.
    request
        Options of reading. A `dialect` by hand means tables of text.

    Raises
    ------
    InputError
        Logs of two frameworks, logs beside other files, or what `table_of` refuses.
    """
    found: dict[str, list[File]] = {}
    others = []
    for path in paths:
        own = _logs(Path(path), request) if isinstance(path, str | Path) else {}
        others += [] if own else [path]
        for module, files in own.items():
            found.setdefault(module, []).extend(files)
    if not found:
        return None
    (module, files), *more = found.items()
    known, path = framework(module), str(paths[0])
    if len(paths) > 1:
        path += f" and {len(paths) - 1} more"
    if more:
        (another, its_files), *_ = more
        raise InputError(
            f"holds logs of {known.name} ({files[0].path.name}) and of "
            f"{framework(another).name} ({its_files[0].path.name})",
            path=path,
            hint="name those of one framework",
        )
    if others:
        raise InputError(
            f"is no log of {known.name}, as others are",
            path=str(others[0]),
            hint="logs of one framework are read together, and nothing else",
        )
    from bbccli.readers.evaluations.table import table_of

    files = list({file.path.resolve(): file for file in files}.values())
    return table_of(known, path, files, request)


def _logs(path: Path, request: Request) -> dict[str, list[File]]:
    """Return the logs that a path names, by the module of their framework.

    Raises
    ------
    InputError
        A file that is called as logs only are, and is none.
    """
    if os.path.isdir(path):  # noqa: PTH112 (never raises)
        return _of_folder(path)
    only_a_log = Path(_plain(path)).suffix.lower() in ONLY_LOGS
    by_hand = request.dialect is not None and not only_a_log
    if by_hand or not os.path.isfile(path) or not _modules(path):  # noqa: PTH113
        return {}
    found, damaged = _owned([path])
    if damaged and only_a_log:
        raise damaged[0]
    if not found and only_a_log:
        known = [framework(module) for module in PATTERNS]
        looked_for = "; ".join(f"{one.name}: {one.signature}" for one in known).replace("`", "")
        raise InputError(
            "is no log of a framework that is known", path=str(path), hint=f"these are {looked_for}"
        )
    return found


def _of_folder(folder: Path) -> dict[str, list[File]]:
    """Return the logs in a folder, unless it is the run of a tool.

    Raises
    ------
    InputError
        A file that may be a log is damaged, or there are too many.
    """
    from bbccli.readers.runs.folder import reader_of

    with within(folder, follow_links=reading.current().follow_links), trying():
        if reader_of(folder) is not None or folder.resolve().parent == folder.resolve():
            return {}  # nobody's logs are a whole disk
    paths = list(islice(_walk(folder), _MOST_FILES + 1))
    found, damaged = _owned(paths[:_MOST_FILES], folder)
    for error in damaged:
        beside = {file.path.parent for own in found.values() for file in own}
        if Path(error.path or "").parent in beside:  # anything else may be called `*.json`
            raise error
    tables = any(_plain(Path(error.path or "")).endswith(".csv") for error in damaged)
    if damaged and len(damaged) == len(paths) and not tables:
        raise damaged[0]
    if len(paths) > _MOST_FILES:
        raise InputError(
            f"holds more than {_MOST_FILES} files that may be logs",
            path=str(folder),
            hint="name the folder of the logs",
        )
    return found


def _owned(
    paths: Iterable[Path], folder: Path | None = None
) -> tuple[dict[str, list[File]], list[InputError]]:
    """Files by the module of the framework that owns them, and why others can't be read."""
    from bbccli.readers.evaluations.base import File

    found: dict[str, list[File]] = {}
    damaged = []
    for path in paths:
        file = File(path, folder)
        try:
            with trying():
                owner = next((m for m in _modules(path) if framework(m).owns(file)), None)
        except InputError as error:
            damaged.append(error)
            continue
        if owner is not None:
            found.setdefault(owner, []).append(file)
    return found, damaged


def _modules(path: Path) -> list[str]:
    """Modules that read files of this name."""
    name = _plain(path).lower()
    return [m for m, patterns in PATTERNS.items() if any(fnmatch(name, one) for one in patterns)]


def _plain(path: Path) -> str:
    """Name of a file without the suffix of a packing."""
    return path.stem if path.suffix.lower() in PACKINGS else path.name


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder that are called as logs are, in order."""
    for place, folders, names in os.walk(folder):
        inner = Path(place)
        folders[:] = sorted(one for one in folders if not one.startswith(_PASSED_OVER))
        if len(inner.relative_to(folder).parts) >= _DEEPEST:
            folders.clear()
        yield from (inner / name for name in sorted(names) if _modules(inner / name))
