"""Names of several files: their stems, or else the part of their paths that differs."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path, PurePath

from bbccli.errors import InputError
from bbccli.readers.sources.files import PACKINGS, STDIN_NAME

_TIMESTAMP = re.compile(r"(?<=.)_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(\.\d+)?$")
"""Time at which lm-evaluation-harness wrote a file: of the run, not of the model."""


def names_of(paths: Sequence[str]) -> list[str]:
    """Return a name for each of several files.

    Stems, where these differ; else what is left of the paths without the folders at the start and
    the names at the end that all of them share.

    Raises
    ------
    InputError
        A file that is given twice.

    Examples
    --------
    >>> names_of(["runs/knn.csv", "runs/svm.csv.gz"])
    ['knn', 'svm']
    >>> names_of(["runs/1_Linear/oof.csv", "runs/2_Tree/oof.csv"])
    ['1_Linear', '2_Tree']
    """
    _refuse_twice(paths)
    plain = [os.path.normpath(path) if "://" not in path else path for path in paths]
    stems = [(*PurePath(path).parts[:-1], stem_of(path)) for path in plain]
    candidates = ([(parts[-1],) for parts in stems], stems, [PurePath(p).parts for p in plain])
    for parts in candidates:
        found = _differing(parts)
        if len(set(found)) == len(found):
            return found
    return list(paths)


def stem_of(path: str) -> str:
    """Name of a file without folder, format and packing."""
    if path == STDIN_NAME:
        return "stdin"
    name = PurePath(path).name
    for suffix in PACKINGS:
        name = name.removesuffix(suffix)
    return _TIMESTAMP.sub("", PurePath(name).stem)


def _differing(paths: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the paths without the parts at the start and at the end that all of them share."""
    if len(paths) < 2:
        return ["/".join(parts) for parts in paths]
    shortest = min(map(len, paths)) - 1  # something is left of each
    start = min(_n_shared(paths), shortest)
    end = min(_n_shared([parts[::-1] for parts in paths]), shortest - start)
    return ["/".join(parts[start : len(parts) - end]) for parts in paths]


def _n_shared(paths: Sequence[tuple[str, ...]]) -> int:
    """Count the parts at the start that all paths share."""
    return sum(1 for _ in takewhile(lambda parts: len(set(parts)) == 1, zip(*paths, strict=False)))


def _refuse_twice(paths: Sequence[str]) -> None:
    """Each file is one configuration, so none may be given twice."""
    seen: set[str] = set()
    for path in paths:
        place = (
            path if "://" in path or path == STDIN_NAME else os.path.normpath(Path(path).absolute())
        )
        if place in seen:
            raise InputError("file is given twice", path=path, hint="name each file once")
        seen.add(place)
