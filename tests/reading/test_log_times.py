"""Times of runs, in the forms that frameworks and people write them in."""

import itertools

import pytest
from day import swept
from written_logs import IN_ORDER, UNKNOWN

from bbccli.reading.numerals import moment_of


def test_the_earlier_is_before_the_later():
    for earlier, later in itertools.combinations(IN_ORDER, 2):
        first, second = moment_of(earlier), moment_of(later)
        assert first.before(second), (earlier, later)
        assert not second.before(first), (earlier, later)


@pytest.mark.parametrize("pair", UNKNOWN.values(), ids=UNKNOWN)
def test_what_the_text_does_not_tell(pair):
    first, second = map(moment_of, pair)
    assert not first.before(second)
    assert not second.before(first)


def test_a_clock_without_a_zone_may_be_half_a_day_off():
    assert moment_of("2024-01-09T08:00:00").before(moment_of("2024-01-10T08:00:00Z"))


@pytest.mark.parametrize(
    "value",
    [
        None,
        swept(""),
        swept("yesterday"),
        swept("01/02/2024"),
        swept("2024-02-30"),
        swept("2024-01-01T25:00"),
        swept(True),
        "nan",
        swept(10**400),
        swept(float("inf")),
        swept([]),
        swept({}),
        swept("\u0662\u0660\u0662\u0664-\u0660\u0661-\u0660\u0661"),
    ],
    ids=repr,
)
def test_no_times(value):
    assert moment_of(value) is None
