"""Figures that the program tells are those of the committed store."""

import pytest

from bbccli.stats.intervals.coverage import COVERED
from bbccli.stats.selection.tails import SEEN
from benchmarks.bank import pages
from benchmarks.bank.figures import coverage, figures, sums_of
from benchmarks.bank.judged_by import FAMILIES
from benchmarks.bank.lines import main_ones
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
