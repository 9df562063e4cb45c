"""Evidence: performances, influences, strata, variances; scipy and DeLong agree."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import binary, for_metric, regression, weighing
from scipy import stats
from slow_comparisons import placements_less_auc

from bbccli import METRICS, Plan
from bbccli.comparisons.influences import evidence_of
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.types import Pooling


def test_of_an_auc_it_is_delong_s():
    matrix = binary(n_samples=60)
    scores, truth = matrix.predictions[0], matrix.outcome.values
    found = evidence_of(matrix, METRICS["auc"], Plan())
    aucs, values = placements_less_auc(scores, truth)
    np.testing.assert_allclose(found.gains, aucs, atol=1e-12)
    np.testing.assert_allclose(found.influence, values, atol=1e-10)
    assert found.df.tolist() == [29, 29]
    for other in (0, 4):
        errors = found.errors_against(other)
        for c in range(7):
            apart = values[:, c] - values[:, other]
            square = sum(apart[truth == k].var(ddof=1) / 30 for k in (0, 1))
            assert errors[c] == pytest.approx(np.sqrt(square), abs=1e-12)


def test_of_a_mean_it_is_the_paired_t_test_s():
    matrix = regression()
    losses = (matrix.predictions[0] - matrix.outcome.values[:, None]) ** 2
    found = evidence_of(matrix, METRICS["mse"], Plan())
    np.testing.assert_allclose(found.gains, -losses.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.errors(), stats.sem(losses, axis=0), rtol=1e-10)
    errors = found.errors_against(2)
    for c in (0, 1, 3, 4, 5):
        theirs = stats.ttest_rel(losses[:, 2], losses[:, c])
        assert (found.gains[c] - found.gains[2]) / errors[c] == pytest.approx(theirs.statistic)
        assert found.df.tolist() == [theirs.df]


@pytest.mark.parametrize("name", ["accuracy", "auc"])
def test_over_folds_of_equal_size_it_is_centred_in_each(name):
    matrix = binary(n_samples=60, n_folds=5)
    found = evidence_of(matrix, METRICS[name], Plan(pooling=Pooling.FOLD_MEAN))
    right = ((matrix.predictions[0] > 0.5) == matrix.outcome.values[:, None]).astype(float)
    truth, n, n_h = matrix.outcome.values, 60, 30
    for fold in range(5):
        rows = matrix.folds[0] == fold
        if name == "accuracy":
            expected = (right[rows] - right[rows].mean(axis=0)) * (n - 1) / 5 / (rows.sum() - 1)
        else:
            _, values = placements_less_auc(matrix.predictions[0][rows], truth[rows])
            expected = values * (n_h - 1) / 5 / (rows.sum() / 2 - 1)
        np.testing.assert_allclose(found.influence[rows], expected, atol=1e-10)


def grouped(matrix, codes):
    return replace(matrix, groups=np.asarray(codes))


def test_groups_are_the_units():
    matrix = regression(n_samples=40)
    codes = np.arange(40) // 4
    found = evidence_of(grouped(matrix, codes), METRICS["mse"], Plan())
    losses = (matrix.predictions[0] - matrix.outcome.values[:, None]) ** 2
    sums = losses.reshape(10, 4, -1).mean(axis=1)
    assert found.n_units == 10
    assert found.df.tolist() == [9]
    np.testing.assert_allclose(found.errors(), stats.sem(sums, axis=0), rtol=1e-10)


def test_groups_of_one_class_are_strata_and_others_are_not():
    matrix = binary(n_samples=40)
    truth = matrix.outcome.values
    pure = grouped(matrix, np.arange(40) // 4 * 2 + truth)
    found = evidence_of(pure, METRICS["auc"], Plan())
    assert found.sizes.tolist() == [10, 10]
    assert found.df.tolist() == [9, 9]
    mixed = evidence_of(grouped(matrix, np.arange(40) // 4), METRICS["auc"], Plan())
    assert mixed.sizes.tolist() == [10]
    some = replace(
        matrix.outcome, values=np.where(np.arange(40) < 12, truth, 0)
    )  # three groups hold a positive sample
    few = grouped(replace(matrix, outcome=some), np.arange(40) // 4)
    assert evidence_of(few, METRICS["auc"], Plan()).df.tolist() == [2]


@pytest.mark.parametrize(
    "name", ["accuracy", swept("auc"), swept("f1"), swept("rmse"), swept("concordance")]
)
def test_sample_weights_and_gaps_have_a_say(name):
    matrix = for_metric(name)
    whole = evidence_of(matrix, METRICS[name], Plan())
    weighed = replace(matrix, outcome=weighing(matrix.outcome))
    gaps = np.ones(matrix.predictions.shape, bool)
    gaps[0, :12, 1] = False
    lacking = evidence_of(replace(matrix, available=gaps), METRICS[name], Plan())
    assert not np.allclose(evidence_of(weighed, METRICS[name], Plan()).errors(), whole.errors())
    assert (lacking.influence[:12, 1] == lacking.influence[0, 1]).sum() >= 1
    others = [0, 2, 3, 4, 5]
    np.testing.assert_allclose(lacking.errors()[others], whole.errors()[others], atol=1e-12)


def test_available_cases_count_those_there_are():
    matrix = regression(n_samples=60)
    gaps = np.ones(matrix.predictions.shape, bool)
    gaps[0, 20:, 1] = False
    found = evidence_of(replace(matrix, available=gaps), METRICS["mse"], Plan())
    losses = (matrix.predictions[0, :20, 1] - matrix.outcome.values[:20]) ** 2
    # s / sqrt(n) of the 20 that there are, up to the share of ddof
    assert found.errors()[1] == pytest.approx(stats.sem(losses), rel=0.03)
    assert (np.abs(found.influence[20:, 1]) < 1e-9).all()


def test_what_is_undefined_without_a_sample_is_marked():
    matrix = binary(kind="label")
    predictions = matrix.predictions.copy()
    predictions[0, :, 2] = 0
    predictions[0, 3, 2] = 1
    one = replace(matrix, predictions=predictions)
    found = evidence_of(one, METRICS["precision"], Plan())
    assert found.defined.tolist() == [True, True, False, True, True, True, True]
    assert np.isnan(found.errors()[2])
    assert np.isnan(found.errors_against(0)[2])


def test_the_clip_of_the_plan_counts():
    matrix = binary(kind="probability")
    sharp = replace(matrix, predictions=np.round(matrix.predictions))
    few, many = (
        evidence_of(sharp, METRICS["log-loss"], Plan(clip=clip)).gains for clip in (1e-7, 0.1)
    )
    assert (few < many).all()


def test_medians_are_refused():
    with pytest.raises(UnsupportedError, match="jumps") as caught:
        evidence_of(regression(), METRICS["medae"], Plan())
    assert "mae" in caught.value.hint


def test_a_class_of_one_sample_is_refused():
    matrix = binary(n_samples=12)
    truth = (np.arange(12) == 4).astype(int)
    one = replace(matrix, outcome=replace(matrix.outcome, values=truth))
    with pytest.raises(UndefinedError, match="a class has a single sample"):
        evidence_of(one, METRICS["auc"], Plan())
