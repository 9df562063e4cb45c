"""Intervals in text: every mark stands where its figure is."""

import math
from dataclasses import replace

import pytest
from day import swept
from documents import result

from bbccli.reports.forms.terminal import LEAST_DRAWN, MOST_DRAWN, strip_of
from bbccli.types import Side

BBC_F = result(names=["bbc-f"]).record.estimates[0]


def of(value, naive, lower, upper, side="two", method="bbc-f"):
    interval = replace(BBC_F.interval, lower=lower, upper=upper, side=Side(side))
    found = replace(BBC_F, method=method, naive=0.0, value=0.0, interval=interval)
    object.__setattr__(found, "value", value)
    object.__setattr__(found, "naive", naive)
    return found


def test_every_mark_stands_on_its_figure():
    one = of(0.6, 0.8, 0.5, 0.9)
    strip = strip_of([one], 41)
    assert (strip.low, strip.high) == (0.5, 0.9)
    assert strip.drawn(one) == "|---------o-------------------x---------|"
    assert strip.scale() == "0.5      0.6       0.7       0.8      0.9"


def test_all_rows_share_a_scale():
    wide, narrow = of(0.5, 0.6, 0.2, 0.8), of(0.5, 0.6, 0.4, 0.7)
    strip = strip_of([wide, narrow], MOST_DRAWN)
    at = [strip.drawn(one).index("o") for one in (wide, narrow)]
    assert at[0] == at[1]
    assert len(strip.drawn(wide)) > len(strip.drawn(narrow))


@pytest.mark.parametrize(
    ("side", "lower", "upper"), [("lower", 0.5, 1.0), ("upper", 0.0, 0.9), ("two", 0.5, None)]
)
def test_a_side_that_was_not_estimated_has_no_end(side, lower, upper):
    one = of(0.6, 0.8, lower, upper, side)
    strip = strip_of([one, of(0.6, 0.8, 0.0, 1.0)], MOST_DRAWN)
    drawn = strip.drawn(one).strip()
    assert drawn.count("|") == 1
    assert drawn[0 if side != "upper" else -1] == "|"


def test_the_naive_method_has_no_figure_of_its_own():
    one = of(0.8, 0.8, None, None, method="cvt")
    one = replace(one, interval=None)
    assert strip_of([one, of(0.6, 0.8, 0.5, 0.9)], MOST_DRAWN).drawn(one).strip() == "x"


@pytest.mark.parametrize("scale", [1e-12, 1e-5, swept(1.0), 1e4, 1e15, swept(1e200), 1e307])
@pytest.mark.parametrize("width", [LEAST_DRAWN, swept(37), swept(MOST_DRAWN)])
def test_any_scale_is_drawn_within_its_width_or_not_at_all(scale, width):
    one = of(-0.6 * scale, 0.8 * scale, -1.5 * scale, 1.5 * scale)
    strip = strip_of([one], width)
    if strip is not None:
        assert len(strip.scale()) == width >= len(strip.drawn(one))
        assert strip.low <= -1.5 * scale < 1.5 * scale <= strip.high
        numbers = [float(number) for number in strip.scale().split()]
        assert numbers == sorted(numbers)
        assert len(numbers) >= 2
    else:
        assert scale <= 1e-5 or scale >= 1e15


def test_nothing_to_compare_is_not_drawn():
    assert strip_of([], MOST_DRAWN) is None
    assert strip_of([of(0.5, 0.5, 0.5, 0.5)], MOST_DRAWN) is None
    assert strip_of([of(0.6, 0.8, 0.5, 0.9)], LEAST_DRAWN - 1) is None
    assert strip_of([of(None, None, None, None)], MOST_DRAWN) is None
    assert strip_of([of(math.inf, 0.8, 0.5, 0.9)], MOST_DRAWN) is not None
