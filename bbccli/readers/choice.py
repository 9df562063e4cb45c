"""Which configurations take part: `--only` and `--exclude`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from bbccli.errors import InputError, parameter
from bbccli.notes import listing
from bbccli.readers import remarks
from bbccli.readers.roles import nearest_names
from bbccli.readers.sheet import Sheet


def choose(sheet: Sheet, only: Sequence[str], exclude: Sequence[str]) -> Sheet:
    """Keep the configurations that a pattern of `only` matches and none of `exclude` does.

    Parameters
    ----------
    sheet
        Cells that know their classes.
    only, exclude
        Patterns of the shell on the names of configurations; no `only` keeps all.

    Returns
    -------
    Sheet
        What `only` matches is named by hand: it is a configuration, whatever it predicts.

    Raises
    ------
    InputError
        A pattern that matches no configuration, or nothing is left.
    """
    if not only and not exclude:
        return sheet
    names = list(sheet.configurations)
    named = _matched(names, only, "only", sheet.path)
    dropped = _matched(names, exclude, "exclude", sheet.path)
    kept = [name for name in names if (not only or name in named) and name not in dropped]
    if not kept:
        raise InputError(
            f"{parameter('only')} and {parameter('exclude')} leave none of {len(names)} "
            "configurations",
            path=sheet.path,
            hint=f"the configurations are {listing(names, 8)}",
        )
    left_out = [name for name in names if name not in kept]
    notes = [remarks.configurations_left_out(left_out, len(names))] if left_out else []
    return replace(
        sheet,
        cells=tuple(cell for name in kept for cell in sheet.configurations[name]),
        named=frozenset(named) & frozenset(kept),
        notes=(*sheet.notes, *notes),
        n_excluded=len(left_out),
    )


def _matched(names: Sequence[str], patterns: Sequence[str], option: str, path: str) -> set[str]:
    """Names that some pattern matches; each pattern matches one at least."""
    found: set[str] = set()
    for pattern in patterns:
        matches = {name for name in names if name == pattern or fnmatchcase(name, pattern)}
        if not matches:
            near = nearest_names(pattern, names)
            raise InputError(
                f"{parameter(option)} {pattern!r} matches no configuration",
                path=path,
                hint=near or f"the configurations are {listing(names, 8)}",
            )
        found |= matches
    return found
