"""Which files, and what is asked of each: patterns, paths, URLs, or a manifest."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bbccli import reading
from bbccli.analysis import Analysis
from bbccli.batch.manifest import is_manifest, read_manifest
from bbccli.errors import OptionError
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
    with a dot are skipped.
    """
    whole = pattern.replace(os.altsep, os.sep) if os.altsep else pattern
    parts = whole.split(os.sep)  # noqa: PTH206 - a dot in front and a separator at the end stay
    if "**" not in parts:
        yield from glob.glob(pattern)  # noqa: PTH207 - skips dot files
        return
    place = parts.index("**")
    start, rest = (os.sep.join(some) for some in (parts[:place], parts[place + 1 :]))  # noqa: PTH118
    for top in glob.glob(os.path.join(start, "")) if place else [""]:  # noqa: PTH118, PTH207
        for folder, names in _folders_below(top):
            if parts[place + 1 :]:
                yield from _hits(os.path.join(glob.escape(folder), rest))  # noqa: PTH118
            else:
                yield from (os.path.join(folder, name) for name in names)  # noqa: PTH118


def _folders_below(top: str) -> Iterator[tuple[str, list[str]]]:
    """Yield a folder and those in it, at any depth, each once, with the names in it."""
    follow, seen = reading.current().follow_links, set[str]()
    for folder, below, files in os.walk(top or os.curdir, followlinks=follow):
        below[:] = [name for name in below if not name.startswith(".")]
        real = os.path.realpath(folder)
        if real in seen:
            below.clear()
            continue
        seen.add(real)
        here = folder if top else os.path.relpath(folder, os.curdir).removeprefix(os.curdir)
        yield here, [*below, *(name for name in files if not name.startswith("."))]
