"""Which parts of a recording count, and what they tell together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bbccli.recorded.counted import latest
from bbccli.recorded.parts import Part


def agreeing(group: list[Part], candidate: Mapping[str, Any] | None) -> list[Part]:
    """Return the parts that count: those with the scores that the search listed, where it did."""
    if candidate is None:
        return latest(group)
    said = candidate["splits"]

    def right(part: Part) -> bool:
        known = part.split is not None and part.split < len(said) and part.score is not None
        return known and part.score == said[part.split]

    kept = latest(part for part in group if right(part))
    covered = {part.split for part in kept}
    return kept + [part for part in latest(group) if part.split not in covered]


def flags_of(group: Iterable[Part]) -> tuple[str, ...]:
    """Return what is said of some part, each once."""
    return tuple(dict.fromkeys(flag for part in group for flag in part.flags))


def problems_of(
    groups: Mapping[str, list[Part]], named: Mapping[str, str]
) -> tuple[tuple[str, int, str], ...]:
    """Return configuration, split and reason of each test set whose predictions were not kept."""
    return tuple(
        (named[identity], part.split or 0, part.problem)
        for identity, group in groups.items()
        for part in latest(group)
        if part.problem
    )
