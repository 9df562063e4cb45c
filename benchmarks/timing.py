"""Times that can be compared: taken in turn, in one process; the least of several counts."""

import time
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)

Maker = Callable[[], Callable[[], object]]
"""Prepares, untimed, and returns what is timed."""


def least(makers: Mapping[Name, Maker], rounds: int = 3) -> dict[Name, float]:
    """Seconds of each, the least of several rounds in which each has its turn.

    What else runs on the machine only ever adds time, so the least is the best guess; and it
    disturbs all alike, as they take turns.
    """
    return {name: min(times) for name, times in in_turn(makers, rounds).items()}


def in_turn(makers: Mapping[Name, Maker], rounds: int) -> dict[Name, list[float]]:
    """Seconds of each in every round."""
    times: dict[Name, list[float]] = {name: [] for name in makers}
    for _ in range(rounds):
        for name, make in makers.items():
            times[name].append(seconds(make()))
    return times


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def ready(run: Callable[[], object]) -> Maker:
    """A maker that has nothing to prepare."""
    return lambda: run
