"""Intervals of a share against published tables, scipy, and by hand."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import binary, of_labels
from scipy.stats import binomtest

from bbccli import METHODS, METRICS, Plan
from bbccli.errors import UnsupportedError
from bbccli.types import Side

FORMULAS = ("wald", "wilson", "clopper-pearson", "jeffreys")


def labels(n_right, n, **changes):
    """One configuration with `n_right` of n right labels, the outcome half and half."""
    return of_labels((np.arange(n) < n_right)[:, None], configurations=["c"], **changes)


def ends(name, matrix, metric="accuracy", **plan):
    interval = METHODS[name].run(matrix, METRICS[metric], Plan(**plan)).interval
    return interval.lower, interval.upper


# 95% intervals of k in n by proportion_confint of statsmodels 0.15.0, in the order of FORMULAS. Of
# Jeffreys' interval for k = 0 the lower end is 0 here (Brown, Cai & DasGupta 2001), 2e-5 there.
FROZEN = [
    (81, 263, [[0.252190126, 0.363779456], [0.25528852, 0.366209577],
               [0.252736746, 0.367621923], [0.254521935, 0.365647499]]),
    (15, 148, [[0.052730006, 0.149972696], [0.0623864, 0.160487242],
               [0.05784401, 0.16165049], [0.060448517, 0.157643143]]),
    (0, 20, [[0.0, 0.0], [0.0, 0.161125158], [0.0, 0.168433471], [0.0, 0.116638983]]),
    (1, 29, [[0.0, 0.100892243], [0.006113214, 0.171755219],
             [0.000872647, 0.177644295], [0.003746174, 0.150077686]]),
]  # fmt: skip


@pytest.mark.parametrize(("k", "n", "expected"), FROZEN)
def test_statsmodels(k, n, expected):
    found = [ends(name, labels(k, n)) for name in FORMULAS]
    np.testing.assert_allclose(found, expected, atol=1e-8)


OF_SCIPY = {"wilson": "wilson", "clopper-pearson": "exact"}


@pytest.mark.parametrize(
    ("k", "n"), [(0, 12), swept(1, 12), swept(7, 12), (11, 12), swept(12, 12), swept(173, 200)]
)
class TestScipy:
    @pytest.mark.parametrize("name", OF_SCIPY)
    @pytest.mark.parametrize(("side", "tail"), [(Side.LOWER, "greater"), swept(Side.UPPER, "less")])
    def test_one_sided(self, k, n, name, side, tail):
        expected = binomtest(k, n, alternative=tail).proportion_ci(0.95, OF_SCIPY[name])
        assert ends(name, labels(k, n), side=side) == pytest.approx(tuple(expected), abs=1e-12)

    @pytest.mark.parametrize("name", FORMULAS)
    def test_right_and_wrong_mirror_each_other(self, k, n, name):
        right, wrong = ends(name, labels(k, n)), ends(name, labels(k, n), "error")
        assert wrong == pytest.approx((1 - right[1], 1 - right[0]), abs=1e-12)
        right = ends(name, labels(k, n), side=Side.PESSIMISTIC)
        wrong = ends(name, labels(k, n), "error", side=Side.PESSIMISTIC)
        assert wrong == pytest.approx((1 - right[1], 1 - right[0]), abs=1e-12)


def test_all_right_collapses_wald_alone():
    assert ends("wald", labels(30, 30)) == (1.0, 1.0)
    assert ends("wald", labels(30, 30), side=Side.LOWER) == (1.0, 1.0)
    for name in FORMULAS:
        found = METHODS[name].run(labels(30, 30), METRICS["accuracy"], Plan())
        assert ("no-variance" in [note.code for note in found.notes]) == (name == "wald")
    assert all(ends(name, labels(30, 30))[0] < 0.96 for name in FORMULAS if name != "wald")
    assert all(ends(name, labels(30, 30))[1] == 1.0 for name in FORMULAS)


@pytest.mark.parametrize("name", FORMULAS)
def test_repeats_are_averaged_and_make_no_samples(name):
    one, other = labels(18, 20), labels(14, 20)
    both = replace(one, predictions=np.concatenate([one.predictions, other.predictions]))
    assert ends(name, both) == pytest.approx(ends(name, labels(16, 20)), abs=1e-12)


@pytest.mark.parametrize("name", FORMULAS)
def test_sample_weights_count_by_their_effective_size(name):
    equal = labels(16, 20, weights=np.full(20, 3.0))
    assert ends(name, equal) == pytest.approx(ends(name, labels(16, 20)), abs=1e-12)
    # half of the samples weigh nearly nothing: 10 are left, 6 of which are right
    light = labels(16, 20, weights=np.where(np.arange(20) < 10, 1e-9, 1.0))
    assert ends(name, light) == pytest.approx(ends(name, labels(6, 10)), abs=1e-6)


@pytest.mark.parametrize("name", FORMULAS)
def test_missing_predictions_make_no_samples(name):
    known = np.ones((1, 20, 1), bool)
    known[0, 15:] = False  # the wrong ones are the last four
    found = ends(name, labels(16, 20, available=known))
    assert found == pytest.approx(ends(name, labels(15, 15)), abs=1e-12)


@pytest.mark.parametrize("name", FORMULAS)
def test_groups_have_no_interval_but_a_note(name):
    matrix = labels(16, 20, groups=np.arange(20) // 2)
    found = METHODS[name].run(matrix, METRICS["accuracy"], Plan())
    assert found.interval is None
    assert found.value == pytest.approx(0.8)
    (note,) = (note for note in found.notes if note.code == "no-interval")
    assert name in note.text
    assert "groups" in note.text


@pytest.mark.parametrize("name", FORMULAS)
def test_other_metrics_are_refused(name):
    with pytest.raises(
        UnsupportedError, match=f"{name} is for proportions of samples.*AUC is not one of them"
    ):
        METHODS[name].run(binary(), METRICS["auc"], Plan())
