"""What the tests of every day take of a whole product; `make sweep` takes the rest."""

from collections import Counter
from collections.abc import Iterable

import pytest

SWEEP = pytest.mark.sweep


def leave_the_rest(items: Iterable[pytest.Item]) -> None:
    """Mark as a sweep all but the first of every n cases of a test that is marked `one_in(n)`.

    Cases are counted in their order, so that with an n that does not divide how many values the
    last of several arguments has, every value of each meets some of the others.
    """
    seen: Counter[str] = Counter()
    for item in items:
        marker = item.get_closest_marker("one_in")
        if marker is None:
            continue
        test = item.nodeid.partition("[")[0]
        if seen[test] % marker.args[0]:
            item.add_marker(SWEEP)
        seen[test] += 1


def parts(name: str, *by_day: object, whole: object) -> pytest.MarkDecorator:
    """As `pytest.mark.parametrize`: values for every day, and one for the sweep."""
    return pytest.mark.parametrize(name, [*by_day, pytest.param(whole, marks=SWEEP)])
