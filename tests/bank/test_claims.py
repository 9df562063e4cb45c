"""Figures that the program tells are those of the committed store."""

import pytest

from bbccli.stats.intervals.coverage import COVERED
from bbccli.stats.selection.tails import SEEN
from benchmarks.bank import pages
from benchmarks.bank.figures import coverage, figures, sums_of
from benchmarks.bank.judged_by import FAMILIES
from benchmarks.bank.lines import main_ones
from benchmarks.bank.other_tables import PUBLISHED
from benchmarks.bank.pages import DOCS
from benchmarks.bank.results import read

pytestmark = pytest.mark.sweep


@pytest.fixture(scope="module")
def rows():
    return main_ones(pages._enough(read()))


def test_intervals_covered_as_often_as_is_said(rows):
    for family, metrics in FAMILIES.items():
        found = figures(sums_of(rows[rows["metric"].isin(metrics)]))
        for variant, told in COVERED.items():
            assert told[family] == round(found[variant]["both ends"].value, 3), (variant, family)


def test_losses_without_a_worst_value_were_covered_as_seldom_as_is_said(rows):
    bbc = rows[(rows["method"] == "bbc") & (rows["interval"] == "percentile")]
    found = coverage(sums_of(bbc), ["population", "metric"])
    for metric, told in SEEN.items():
        shares = (found["both"] / found["n"])[found["metric"] == metric]
        assert told == f"{100 * shares.min():.0f} to {100 * shares.max():.0f} %"


@pytest.fixture(scope="module")
def page():
    return " ".join((DOCS / "validation.md").read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def by_family(rows):
    return {
        family: figures(sums_of(rows[rows["metric"].isin(metrics)]))
        for family, metrics in FAMILIES.items()
    }


def short(value, digits=2):
    """A figure as the page writes it: .95, +.15."""
    return f"{value:.{digits}f}".replace("0.", ".", 1)


def test_the_nearest_points_are_optimistic_by_as_much_as_is_said(by_family, page):
    eb, between = ("bbc-eb", "percentile"), ("bbc-632", "percentile")
    for family in ("shares", "F, MCC, average precision"):
        found = [by_family[family][one]["bias"].value for one in (eb, between)]
        assert " and ".join(f"+{short(one)}" for one in found) in page, family
        error = by_family[family][between]["RMSE"]
        assert f"{short(error.value, 3)} ± {short(error.error, 3)}" in page, family
        assert error.value + 2 * error.error > 1


def test_tight_intervals_are_as_narrow_as_is_said(by_family, page):
    sharp = {family: found["bbc-632", "sharp"] for family, found in by_family.items()}
    told = [one["width"].value for family, one in sharp.items() if family != "unbounded losses"]
    assert f"at {short(min(told))} to {short(max(told))} of the width" in page
    unbounded = by_family["unbounded losses"]
    most = max(one["both ends"].value for one in unbounded.values())
    covered = short(unbounded["bbc-632", "sharp"]["both ends"].value, 3)
    assert f"it covers {covered};" in page
    assert f"covers more than {short(most, 3)}" in page


def test_the_size_correction_takes_off_what_is_said(page):
    shown = pages._enough(read())
    falls, shares = {}, []
    for metric in shown.loc[shown["method"] == PUBLISHED, "metric"].unique():
        own = shown[(shown["metric"] == metric) & (shown["interval"] == "percentile")]
        found = figures(sums_of(own[own["method"].isin([PUBLISHED, "bbc"])]))
        before, after = found[PUBLISHED, "percentile"], found["bbc", "percentile"]
        falls[metric] = round(100 * (1 - 1 / before["RMSE"].value))
        shares.append(1 - after["bias"].value / before["bias"].value)
    named = ("average-precision", "r2", "f1")
    assert "by {}, {} and {} %".format(*(falls[one] for one in named)) in page
    assert f"error grows, by {-falls['rmse']} and {-falls['mcc']} %" in page
    assert "a quarter to three fifths" in page
    assert min(shares) >= 0.25
    assert max(shares) < 0.625
