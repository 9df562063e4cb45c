"""Times that can be compared: taken in turn, in one process; the least of several counts."""

import time
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)

Maker = Callable[[], Callable[[], object]]
"""Prepares, untimed, and returns what is timed."""

Clock = Callable[[], float]


def least(
    makers: Mapping[Name, Maker], rounds: int = 3, clock: Clock = time.perf_counter
) -> dict[Name, float]:
    """Seconds of each, the least of several rounds in which each has its turn.

    What else runs on the machine only ever adds time, so the least is the best guess; and it
    disturbs all alike, as they take turns.
    """
    return {name: min(times) for name, times in in_turn(makers, rounds, clock).items()}


def in_turn(
    makers: Mapping[Name, Maker], rounds: int, clock: Clock = time.perf_counter
) -> dict[Name, list[float]]:
    """Seconds of each in every round."""
    times: dict[Name, list[float]] = {name: [] for name in makers}
    for _ in range(rounds):
        for name, make in makers.items():
            times[name].append(seconds(make(), clock))
    return times


def seconds(run: Callable[[], object], clock: Clock = time.perf_counter) -> float:
    start = clock()
    run()
    return clock() - start


def ready(run: Callable[[], object]) -> Maker:
    """A maker that has nothing to prepare."""
    return lambda: run
