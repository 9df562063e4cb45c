"""What parts of a recording tell together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bbccli.recording.tries import Candidate, Try
from bbccli.recording.parts import Part


def flags_of(group: Iterable[Part]) -> tuple[str, ...]:
    """Return what is said of some part, each once."""
    return tuple(dict.fromkeys(flag for part in group for flag in part.flags))


def problems_of(tries: Sequence[Try], names: Sequence[str]) -> tuple[tuple[str, int, str], ...]:
    """Return configuration, split and reason of each test set whose predictions were not kept."""
    return tuple(
        (name, part.split or 0, part.problem)
        for one, name in zip(tries, names, strict=True)
        for part in one.parts
        if part.problem
    )


def without_predictions(tries: Sequence[Try], names: Sequence[str]) -> list[tuple[str, str]]:
    """Return names of what was tried and takes no part, and why."""
    found = []
    for one, name in zip(tries, names, strict=True):
        if not one.used:
            found.append((name, "scored again by the same scorer, with other predictions"))
        elif not one.counts:
            problems = [part.problem for part in one.parts if part.problem]
            found.append((name, problems[0] if problems else "no predictions"))
    return found


def never_fitted(
    tries: Iterable[Try], listed: Mapping[str, Sequence[Candidate]]
) -> list[tuple[str, str]]:
    """Return the same of candidates of searches of which every fit failed."""
    known = {part.identity for one in tries for part in one.parts}
    lost = [(one, own[-1]) for one, own in listed.items() if one not in known]
    return [(str(own.get("label") or one), "every fit failed") for one, own in lost]


def tried_again(named: Iterable[tuple[Try, str]]) -> tuple[str, ...]:
    """Return the names of those of which another try has the same identity, and came before."""
    seen: set[str] = set()
    later = []
    for one, name in named:
        identity = one.parts[0].identity
        later += [name] if identity in seen else []
        seen.add(identity)
    return tuple(later)
