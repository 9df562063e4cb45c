"""What the tests of every day take of a whole product; `make sweep` takes the rest."""

from collections import defaultdict
from collections.abc import Iterable

import pytest

SWEEP = pytest.mark.sweep

FEW, ONE_IN = 2, 7
"""Of a test with more cases than a few, one in so many is for every day."""


def leave_the_rest(items: Iterable[pytest.Item]) -> None:
    """Mark as a sweep all but the first of every n cases of a test.

    n is that of its mark `one_in(n)`, else 1 for a few cases and `ONE_IN` for more. Cases are
    counted in their order, so that with an n that does not divide how many values the fastest of
    several arguments has, every value of each meets some of the others.
    """
    cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if not any(item.get_closest_marker(name) for name in ("sweep", "slow", "browser")):
            cases[item.nodeid.partition("[")[0]].append(item)
    for of_test in cases.values():
        marker = of_test[0].get_closest_marker("one_in")
        usual = ONE_IN if len(of_test) > FEW else 1
        n = marker.args[0] if marker else usual
        for number, item in enumerate(of_test):
            if number % n:
                item.add_marker(SWEEP)


def parts(name: str, *by_day: object, whole: object) -> pytest.MarkDecorator:
    """As `pytest.mark.parametrize`: values for every day, and one for the sweep."""
    return pytest.mark.parametrize(name, [*by_day, pytest.param(whole, marks=SWEEP)])
