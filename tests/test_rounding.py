"""Laws of rounding: what is shown can be read back, in order, and off the bounds."""

import math
from types import SimpleNamespace

import pytest
from day import swept
from hypothesis import example, given
from hypothesis import strategies as st

from bbccli.notes import NOTES
from bbccli.platform.text import Digits, brief, digits_for, fixed, percent, trimmed, width_of

BOUNDS = ((0.0, 1.0), (-1.0, 1.0), (0.0, math.inf), (-math.inf, 1.0), (0.0, 2.0))
SIZES = st.floats(1e-16, 1e12)


def within(bounds):
    """Performances of a metric, many of them next to its bounds."""
    low, high = (b if math.isfinite(b) else s * 1e12 for b, s in zip(bounds, (-1, 1), strict=True))
    near = st.floats(1e-15, 1e-2)
    anywhere = st.floats(low, high)
    return anywhere | near.map(lambda d: low + d) | near.map(lambda d: high - d)


GROUPS = st.sampled_from(BOUNDS).flatmap(
    lambda bounds: st.tuples(
        st.just(bounds),
        st.lists(within(bounds), min_size=2, max_size=5),
        st.lists(SIZES, max_size=3),
    )
)


def unit(text):
    """One unit of the last digit shown."""
    mantissa, _, power = text.partition("e")
    return 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))


@given(GROUPS)
@example(((0.0, 1.0), [0.9996, 0.84], [0.2]))
@example(((0.0, 1.0), [0.0004, 0.84], [0.2]))
@example(((0.0, math.inf), [3.0e-5, 3.1e-5], [1e-5]))
@example(((0.0, math.inf), [3.0e-15, 3.1e-15], [1e-15]))
@example(((0.0, 1.0), [1 - 1e-11, 0.5], []))
@example(((0.0, 1.0), [1e-9, 1e-15], []))
def test_what_is_shown_is_near_in_order_and_off_the_bounds(group):
    bounds, values, widths = group
    digits = digits_for(values, widths, bounds)
    for value in values:
        for text in (digits.performance(value), digits.difference(value)):
            assert abs(float(text) - value) <= unit(text) / 2 * (1 + 1e-6) + 1e-15 * abs(value)
        shown = float(digits.performance(value))
        assert bounds[0] <= shown <= bounds[1]
        for bound in bounds:  # only a bound is shown as the bound
            assert shown != bound or abs(value - bound) <= 1e-12 * abs(bound)
        text = digits.difference(-value)
        assert not (text.startswith("-") and float(text) == 0)
    in_order = [float(digits.performance(value)) for value in sorted(values)]
    assert in_order == sorted(in_order)


@given(st.floats(1e-12, 1e9), st.floats(1e-4, 1.0))
def test_the_width_has_two_significant_digits_or_more(value, share):
    width = share * value
    text = digits_for([value], [width]).performance(value)
    assert unit(text) <= width / 10 * (1 + 1e-9) or unit(text) == 1.0


@pytest.mark.parametrize(
    ("values", "widths", "bounds", "shown"),
    [
        ([0.8444, 0.89], [0.2275], (0, 1), ["0.844", "0.890"]),
        swept([0.8444], [], (0, 1), ["0.844"]),
        swept([0.8444], [0.004], (0, 1), ["0.8444"]),
        swept([1.0, 0.0], [1.0], (0, 1), ["1.000", "0.000"]),
        swept([0.996, 0.9996, 0.99999], [0.2], (0, 1), ["0.996", "0.9996", "0.99999"]),
        swept([0.0004], [0.2], (0, 1), ["0.0004"]),
        swept([0.9999999999999999], [0.2], (0, 1), ["1.000"]),
        ([54.53, 61.0], [9.4], (0, math.inf), ["54.5", "61.0"]),
        swept([3012.0], [400.0], (0, math.inf), ["3012"]),
        swept([301234.0], [40000.0], (0, math.inf), ["301234"]),
        swept([3.04e-5, 2.51e-5], [1.1e-5], (0, math.inf), ["0.000030", "0.000025"]),
        swept([3.04e-5], [], (0, math.inf), ["0.0000304"]),
        ([3.04e-8], [1.1e-8], (0, math.inf), ["0.000000030"]),
        ([3.04e-9], [1.1e-9], (0, math.inf), ["3.0e-9"]),
        ([1.0e15], [2e14], (0, math.inf), ["1.000e15"]),
        ([9.5e14], [3e13], (0, math.inf), ["950000000000000"]),
        swept([0.5, None], [None], (0, 1), ["0.500", ""]),
        swept([0.5, 0.6], [1e-17], (0, 1), ["0.500", "0.600"]),
    ],
)
def test_figures(values, widths, bounds, shown):
    digits = digits_for(values, widths, bounds)
    assert [digits.performance(value) for value in values] == shown


def test_no_figures():
    assert digits_for([]) == Digits(3)
    assert digits_for([None, float("nan"), 0.0]).performance(0.0) == "0.000"
    assert Digits(3).performance(None, missing="undefined") == "undefined"


@given(st.floats(0.0, 1.0))
def test_percentages_are_exact(share):
    assert float(percent(share).removesuffix("%")) == pytest.approx(100 * share, rel=1e-15)
    rounded = percent(share, 0)
    assert (rounded == "100%") == (share > 1 - 1e-12)
    assert (rounded == "0%") == (share == 0)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_short_number_is_read_back(value):
    assert float(brief(value)) == value
    assert not brief(value).endswith(".0")


def test_numbers():
    assert fixed(-0.0001, 3) == "0.000"
    assert fixed(float("nan"), 3) == ""
    assert percent(0.999) == "99.9%"
    assert trimmed("0.7230") == "0.723"
    ends = [(0.25, 0.75), (0.5, 0.25), (None, 0.75), (0.25, None)]
    widths = [width_of(SimpleNamespace(lower=lower, upper=upper)) for lower, upper in ends]
    assert [*widths, width_of(None)] == [0.5, 0.25, None, None, None]


# Figures in notes


def test_an_error_above_the_tolerance_reads_as_one():
    assert (
        "is 0.0010004, above the tolerance of 0.001"
        in NOTES["tolerance-not-reached"](0.001, 0.0010004).text
    )
    assert (
        "is 0.0025, above the tolerance of 0.001"
        in NOTES["tolerance-not-reached"](0.001, 0.00251).text
    )


def test_an_estimate_beyond_a_bound_does_not_read_as_the_bound():
    assert (
        "tt, 1.0004, is outside the range of AUC, 0 to 1"
        in NOTES["beyond-bounds"]("tt", 1.0004, "AUC", 0, 1).text
    )
    assert "tt, -0.4, is outside" in NOTES["beyond-bounds"]("tt", -0.4, "accuracy", 0, 1).text


def test_figures_that_are_compared_share_their_decimals():
    text = NOTES["one-se-winner"]("a", "b", 0.8, 0.8126, "AUC", (0, 1)).text
    assert text == "a (AUC 0.800) is within one standard error of the best, b (0.813)"
    assert "best, b (1.000)" in NOTES["one-se-winner"]("a", "b", 0.99961, 1.0, "AUC", (0, 1)).text
    assert "a (AUC 0.9996)" in NOTES["one-se-winner"]("a", "b", 0.99961, 1.0, "AUC", (0, 1)).text
    clipped = NOTES["clipped-probabilities"]("a", "log-loss", 1, 9, 1e-7, 0.25, math.inf).text
    assert "is 0.250 with probabilities clipped at 1e-07, and infinite without" in clipped


def test_a_figure_that_stands_alone_has_no_zeros_at_its_end():
    assert "median concordance is 0.31:" in NOTES["risk-reversed"](0.31).text


def test_next_to_zero_more_than_nine_decimals_become_a_power_of_ten():
    digits = Digits(3, bounds=(0.0, 1.0))
    assert [digits.performance(v) for v in (2e-9, 2e-10)] == ["0.000000002", "2e-10"]
    assert digits.performance(1 - 2e-10) == "0.9999999998"
