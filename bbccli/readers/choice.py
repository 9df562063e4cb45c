"""Which configurations take part: `--only` and `--exclude`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from bbccli.errors import InputError
from bbccli.notes import listing
from bbccli.readers import remarks
from bbccli.readers.assemble import Parts
from bbccli.readers.outcome import split_by_class
from bbccli.readers.roles import nearest_names


def choose(parts: Parts, only: Sequence[str], exclude: Sequence[str]) -> Parts:
    """Keep the configurations that a pattern of `only` matches and none of `exclude` does.

    Parameters
    ----------
    parts
        Columns by role, those of separate files included.
    only, exclude
        Patterns of the shell on the names of configurations; no `only` keeps all.

    Returns
    -------
    Parts
        What `only` matches is named by hand: it is a configuration, whatever it predicts.

    Raises
    ------
    InputError
        A pattern that matches no configuration, or nothing is left.
    """
    if not only and not exclude:
        return parts
    owned = _columns(parts)
    named = _matched(owned, only, "--only", parts.frame.path)
    dropped = _matched(owned, exclude, "--exclude", parts.frame.path)
    kept = [name for name in owned if (not only or name in named) and name not in dropped]
    if not kept:
        raise InputError(
            f"--only and --exclude leave none of {len(owned)} configurations",
            path=parts.frame.path,
            hint=f"the configurations are {listing(list(owned), 8)}",
        )
    shaped, left_out = parts.assignment.shaped, [name for name in owned if name not in kept]
    assignment = replace(
        parts.assignment,
        configurations=tuple(column for name in kept for column in owned[name]),
        shaped=shaped and {name: shaped[name] for name in kept},
    )
    notes = [remarks.configurations_left_out(left_out, len(owned))] if left_out else []
    return replace(
        parts,
        assignment=assignment,
        named=frozenset(named) & frozenset(kept),
        notes=(*parts.notes, *notes),
    )


def _columns(parts: Parts) -> dict[str, list[str]]:
    """Columns of each configuration: one, or one per class."""
    names, shaped = parts.assignment.configurations, parts.assignment.shaped
    if shaped:
        return {name: list(own.values()) for name, own in shaped.items()}
    truth, owned = parts.columns.get("truth"), dict[str, list[str]]()
    present = () if truth is None or shaped is not None else truth.named_codes()[1]
    split = split_by_class(names, present, parts.metadata.configurations)
    for name in names:
        owned.setdefault(split[name][0] if name in split else name, []).append(name)
    return owned


def _matched(
    names: dict[str, list[str]], patterns: Sequence[str], flag: str, path: str
) -> set[str]:
    """Names that some pattern matches; each pattern matches one at least."""
    found: set[str] = set()
    for pattern in patterns:
        matches = {name for name in names if name == pattern or fnmatchcase(name, pattern)}
        if not matches:
            near = nearest_names(pattern, list(names))
            raise InputError(
                f"{flag} {pattern!r} matches no configuration",
                path=path,
                hint=near or f"the configurations are {listing(list(names), 8)}",
            )
        found |= matches
    return found
