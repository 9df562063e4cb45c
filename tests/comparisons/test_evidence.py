"""Units, strata and gaps of the evidence that rows against a baseline rest on; refusals."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import binary, for_metric, regression, weighing
from scipy import stats
from slow_comparisons import placements_less_auc

from bbccli import METRICS, Plan
from bbccli.comparisons import against_baseline, best_set
from bbccli.comparisons.influences import Influences
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.types import Pooling

PLAN = Plan(n_resamples=50)


def rows_of(matrix, name, plan=PLAN):
    """Comparisons of c1, c2, ... with c0."""
    return against_baseline(matrix, METRICS[name], plan, "c0").every


def errors_of(matrix, name, plan=PLAN):
    """Standard errors of the differences to c0."""
    return [row.difference / row.statistic for row in rows_of(matrix, name, plan)]


def squares(matrix):
    return (matrix.predictions[0] - matrix.outcome.values[:, None]) ** 2


@pytest.mark.parametrize("name", ["mse", "auc"])
def test_over_folds_of_equal_size_it_is_centred_in_each(name):
    matrix = (regression if name == "mse" else binary)(n_samples=60, n_folds=5)
    truth, n = matrix.outcome.values, 60 if name == "mse" else 30
    strata = truth if name == "auc" else np.zeros(60, int)
    values = np.empty(matrix.predictions.shape[1:])
    for fold in range(5):
        rows = matrix.folds[0] == fold
        if name == "mse":
            values[rows] = squares(matrix)[rows] - squares(matrix)[rows].mean(axis=0)
        else:
            _, values[rows] = placements_less_auc(matrix.predictions[0][rows], truth[rows])
        values[rows] *= (n - 1) / 5 / (n / 5 - 1)
    apart = values[:, 1:] - values[:, :1]
    variances = sum(
        apart[strata == h].var(axis=0, ddof=1) / (strata == h).sum() for h in {*strata.tolist()}
    )
    found = errors_of(matrix, name, replace(PLAN, pooling=Pooling.FOLD_MEAN))
    np.testing.assert_allclose(found, np.sqrt(variances), rtol=1e-10)


def grouped(matrix, codes):
    return replace(matrix, groups=np.asarray(codes))


def test_groups_are_the_units():
    matrix = regression(n_samples=40)
    together = grouped(matrix, np.arange(40) // 4)
    means = squares(matrix).reshape(10, 4, -1).mean(axis=1)
    expected = stats.sem(means[:, 1:] - means[:, :1], axis=0)
    np.testing.assert_allclose(errors_of(together, "mse"), expected, rtol=1e-10)
    assert {(row.n_units, *row.df) for row in rows_of(together, "mse")} == {(10, 9)}


def test_groups_of_one_class_are_strata_and_others_are_not():
    matrix = binary(n_samples=40)
    truth, codes = matrix.outcome.values, np.arange(40) // 4
    some = replace(matrix.outcome, values=np.where(np.arange(40) < 12, truth, 0))
    partly = np.where((truth == 1) & (np.arange(40) < 20), 0, 1 + codes)
    pure, mixed, few, some_pure = (
        {row.df for row in rows_of(one, "auc")}
        for one in (
            grouped(matrix, codes * 2 + truth),
            grouped(matrix, codes),
            grouped(replace(matrix, outcome=some), codes),  # three hold a positive sample
            grouped(matrix, partly),  # six do, one of them nothing else
        )
    )
    assert all(9 < df <= 18 for (df,) in pure)
    assert (mixed, few, some_pure) == ({(9,)}, {(2,)}, {(5,)})


@pytest.mark.parametrize(
    "name", ["brier", swept("auc"), swept("f1"), swept("rmse"), swept("concordance")]
)
def test_sample_weights_and_gaps_have_a_say(name):
    matrix = for_metric(name)
    weighed = replace(matrix, outcome=weighing(matrix.outcome))
    gaps = np.ones(matrix.predictions.shape[:3], bool)
    gaps[0, :12, 1] = False
    whole, heavy, lacking = (
        np.array([row.statistic for row in rows_of(one, name)])
        for one in (matrix, weighed, replace(matrix, available=gaps))
    )
    assert not np.isclose(heavy, whole).any()
    assert np.isclose(lacking, whole).tolist() == [False, *[True] * (len(whole) - 1)]


def test_the_clip_of_the_plan_counts():
    matrix = binary(kind="probability")
    sharp = replace(matrix, predictions=np.round(matrix.predictions))
    few, many = (
        {one.configuration: one.performance for one in best_set(sharp, "log-loss", plan).members}
        for plan in (replace(PLAN, clip=clip) for clip in (1e-7, 0.1))
    )
    assert all(few[name] > many[name] for name in few)


@pytest.mark.parametrize("compare", [best_set, rows_of])
def test_what_has_no_variance_is_refused(compare):
    with pytest.raises(UnsupportedError, match="jumps") as caught:
        compare(regression(), "medae", PLAN)
    assert "mae" in caught.value.hint
    matrix = binary(n_samples=12)
    truth = (np.arange(12) == 4).astype(int)
    one = replace(matrix, outcome=replace(matrix.outcome, values=truth))
    with pytest.raises(UndefinedError, match="a class has a single sample"):
        compare(one, "auc", PLAN)


def test_differences_of_the_last_bits_have_no_error():
    gains, influence = np.array([-3.0, 3.0, 1.0, 3.0]), np.outer([1, -1], [1.0, -1.0, -0.4, 4.0])
    about = np.zeros(2, np.int64), np.array([1]), False, gains < 9, METRICS["mse"]
    found = Influences(tuple("abcd"), gains, 2.5e-14 * influence, *about)
    assert (found.errors_against(0) > 0).tolist() == [False, False, False, True]
    between = found.variances_between(np.array([0]), np.arange(4))
    assert (between > 0).tolist() == [[False, False, False, True]]
