"""Statistics and their null laws, against scipy and slow loops."""

import numpy as np
import pytest
from scipy import stats

from bbccli.stats.significance import (
    SMALLEST_P,
    Pivot,
    chi_squared,
    cochran,
    f_ratio,
    friedman_test,
)


def test_student_s_t_of_parts_is_that_of_scipy():
    values = np.random.default_rng(1).normal(0.3, size=9)
    pivot, theirs = Pivot.of_parts(values), stats.ttest_1samp(values, 0)
    assert (pivot.statistic, pivot.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-12)
    ends = theirs.confidence_interval(0.9)
    assert pivot.ends(0.05) == pytest.approx((ends.low, ends.high), rel=1e-12)
    wider = Pivot.of_parts(values, 0.25)
    assert wider.error == pytest.approx(pivot.error * np.sqrt(1 + 9 / 4), rel=1e-12)
    assert (wider.value, wider.df) == (pivot.value, 8.0)


def test_without_degrees_of_freedom_it_is_normal():
    pivot = Pivot(-0.3, 0.1)
    assert pivot.p == pytest.approx(2 * stats.norm.sf(3), rel=1e-12)
    assert pivot.ends(0.025) == pytest.approx(stats.norm.interval(0.95, -0.3, 0.1), rel=1e-12)
    assert Pivot(1e3, 1.0).p == SMALLEST_P
    assert (Pivot(0.0, 0.0).statistic, Pivot(0.0, 0.0).p) == (0, 1)


def test_tails_of_chi_squared_and_f():
    assert chi_squared(7.5, 3) == (7.5, (3.0,), pytest.approx(stats.chi2.sf(7.5, 3), rel=1e-12))
    assert f_ratio(2.5, 3, 12).p == pytest.approx(stats.f.sf(2.5, 3, 12), rel=1e-12)


@pytest.mark.parametrize("decimals", [0, 1, 5])
def test_friedman_allows_for_ties(decimals):
    values = np.round(np.random.default_rng(decimals).normal(size=(8, 4)), decimals)
    theirs = stats.friedmanchisquare(*values.T)
    ours = friedman_test(stats.rankdata(values, axis=1))
    assert (ours.statistic, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-10)
    assert ours.df == (3.0,)
    assert friedman_test(np.full((5, 3), 2.0)) == (0, (2.0,), 1)


def test_cochran_s_sums_of_the_first_columns():
    right = np.random.default_rng(3).random((20, 5)) < 0.6
    between, within = cochran(right)
    for k in range(1, 6):
        counts, rows = right[:, :k].sum(axis=0), right[:, :k].sum(axis=1)
        assert between[k - 1] == k * sum(int(c) ** 2 for c in counts) - int(counts.sum()) ** 2
        assert within[k - 1] == sum(int(row) * (k - int(row)) for row in rows)
