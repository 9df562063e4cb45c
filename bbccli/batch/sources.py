"""Which files, and what is asked of each: patterns, paths, URLs, or a manifest."""

from __future__ import annotations

import fnmatch
import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bbccli import reading
from bbccli.analysis import Analysis
from bbccli.batch.manifest import is_manifest, read_manifest
from bbccli.errors import InputError, OptionError
from bbccli.readers.sources.files import STDIN
from bbccli.readers.sources.urls import is_pattern, is_url, matching_urls


@dataclass(frozen=True, slots=True)
class Source:
    """One file and what is asked of it."""

    path: str
    analysis: Analysis


def sources_of(
    patterns: Sequence[str], analysis: Analysis, *, avoid: Iterable[Path] = ()
) -> list[Source]:
    """Return what patterns match, or what a manifest lists: each once, in order.

    Parameters
    ----------
    patterns
        Paths, URLs and patterns with ``*``, ``?``, ``[...]`` and ``**``; or a manifest alone.
    analysis
        What is asked of every file; a manifest may say otherwise for some.
    avoid
        Files of the batch itself, which a pattern does not match.

    Raises
    ------
    OptionError, InputError
        A pattern that matches nothing, standard input, or a manifest that can't be understood.
    """
    if len(patterns) == 1 and is_manifest(patterns[0]):
        found = [Source(*row) for row in read_manifest(patterns[0], analysis)]
        return list(dict.fromkeys(found))
    own = {os.path.realpath(path) for path in avoid}
    paths = [path for pattern in patterns for path in _matching(pattern, own)]
    return [Source(path, analysis) for path in dict.fromkeys(paths)]


def _matching(pattern: str, own: set[str]) -> list[str]:
    """Files of a pattern, or folders where it matches no file, sorted.

    A path without wildcards stands for itself.
    """
    if pattern == STDIN:
        raise OptionError("a batch does not read standard input", hint="name files or a pattern")
    if is_url(pattern):
        found = matching_urls(pattern) if is_pattern(pattern) else [pattern]
    # os.path never raises, unlike Path
    elif not glob.has_magic(pattern) or os.path.exists(pattern):  # noqa: PTH110
        return [pattern]
    else:
        hits = sorted(set(_hits(pattern)))
        hits = [path for path in hits if os.path.realpath(path) not in own]
        files = [path for path in hits if not os.path.isdir(path)]  # noqa: PTH112
        found = files or [path.rstrip(os.sep) for path in hits]
    if not found:
        raise OptionError(
            f"no file matches {pattern!r}", hint="quote patterns; ** stands for any folders"
        )
    return found


def _hits(pattern: str) -> Iterator[str]:
    """Yield what a pattern matches; ** goes through no links to folders, unless `--follow-links`.

    As in bash, a link that matches any other part of the pattern is followed. Names that start
    with a dot are skipped, unless the part of the pattern does.

    Raises
    ------
    InputError
        A folder that can't be listed: what it holds would be missing in silence.
    """
    whole = pattern.replace(os.altsep, os.sep) if os.altsep else pattern
    return _below("", whole.split(os.sep))  # noqa: PTH206 - separators at the ends stay


def _below(folder: str, parts: Sequence[str]) -> Iterator[str]:
    """Yield what parts of a pattern match in a folder: empty, or with a separator at its end."""
    part, rest = parts[0], parts[1:]
    if part == "**":
        for below in _folders_below(folder):
            yield from _below(below, rest or ["*"])
        return
    names = [part]
    if glob.has_magic(part):
        dots = part.startswith(".")
        names = [name for name in fnmatch.filter(_names(folder), part) if dots or name[0] != "."]
    for name in names:
        if rest:
            yield from _below(folder + name + os.sep, rest)
        elif os.path.lexists(folder + name):
            yield folder + name


def _folders_below(top: str) -> Iterator[str]:
    """Yield a folder and those in it, at any depth, each once."""
    follow, seen = reading.current().follow_links, set[str]()
    for folder, below, _ in os.walk(top or os.curdir, followlinks=follow, onerror=_unlisted):
        below[:] = [name for name in below if not name.startswith(".")]
        real = os.path.realpath(folder)
        if real in seen:
            below.clear()
            continue
        seen.add(real)
        here = folder if top else os.path.relpath(folder, os.curdir).removeprefix(os.curdir)
        yield os.path.join(here, "") if here else ""  # noqa: PTH118 - one separator at the end


def _names(folder: str) -> list[str]:
    """Names in a folder; none where there is no such folder."""
    try:
        return os.listdir(folder or os.curdir)  # noqa: PTH208 - "" and a separator at the end
    except OSError as error:
        _unlisted(error)
    return []


def _unlisted(error: OSError) -> None:
    """Refuse a folder that can't be listed, if it is one."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        reason = error.strerror or str(error)
        hint = "make it readable, or name the files in a pattern that leaves it out"
        raise InputError(f"cannot be listed: {reason}", path=str(error.filename), hint=hint)
