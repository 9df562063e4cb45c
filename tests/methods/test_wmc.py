"""WMC and WMCS beside slow loops from the paper, another normal integral and closed forms."""

from dataclasses import replace

import numpy as np
import pytest
from day import daily, swept
from matrices import binary

from bbccli import METHODS, METRICS, Plan
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.stats.selection.candidates import fold_performances
from bbccli.types import Pooling, Select

WMC, WMCS = METHODS["wmc"], METHODS["wmcs"]


def law(by_fold, folds):
    """Means and covariances of the performances by fold: Nadeau and Bengio's variance, in loops."""
    n_folds, n_configurations = by_fold.shape
    means = [sum(by_fold[:, c]) / n_folds for c in range(n_configurations)]
    ratios = []
    for fold in np.unique(folds):
        n_test = sum(folds == fold)
        ratios.append(n_test / (len(folds) - n_test))
    factor = 1 / n_folds + np.mean(ratios)
    covariance = np.zeros((n_configurations, n_configurations))
    for i in range(n_configurations):
        for j in range(n_configurations):
            products = [(row[i] - means[i]) * (row[j] - means[j]) for row in by_fold]
            covariance[i, j] = factor * sum(products) / (n_folds - 1)
    return np.array(means), covariance


def weights(means, covariance):
    """Probability of each to have the smallest normal number, by Genz's integral, as in CMA."""
    from scipy.stats import multivariate_normal

    n, found = len(means), []
    for i in range(n):
        differences = np.array([np.eye(n)[i] - np.eye(n)[j] for j in range(n) if j != i])
        below = multivariate_normal(
            differences @ means, differences @ covariance @ differences.T, allow_singular=True
        )
        found.append(below.cdf(np.zeros(n - 1)))
    return np.array(found)


def shrunken(means, covariance, rng):
    """CMA's shrinkage, by many draws: errors are small where they are good."""
    drawn = rng.multivariate_normal(means, covariance, 40_000, method="eigh")
    winner = int(np.argmin(means))
    again = [row[winner] for row in drawn if np.argmin(row) == winner]
    bias = max(means[winner] - np.mean(again), 0)
    share = min(bias / (np.mean(means) - means[winner]), 1)
    return means - share * (means - np.mean(means))


@pytest.mark.parametrize("metric", ["error", swept("brier"), swept("auc")])
@pytest.mark.parametrize("seed", daily(range(2), [0]))
def test_the_slow_loops_of_the_paper(metric, seed):
    matrix = binary(n_samples=87, n_configurations=4, seed=seed, n_folds=7)
    (by_fold,) = fold_performances(matrix, METRICS[metric])
    sign = -1 if metric == "auc" else 1
    means, covariance = law(sign * by_fold, matrix.folds[0])
    moved = shrunken(means, covariance, np.random.default_rng(seed))
    for method, centre in ((WMC, means), (WMCS, moved)):
        found = method.run(matrix, METRICS[metric], Plan(pooling=Pooling.POOLED))
        expected = sign * weights(centre, covariance) @ means
        assert found.value == pytest.approx(expected, abs=0.01 * np.ptp(means))
        assert found.naive == pytest.approx(by_fold.mean(axis=0)[np.argmin(means)])
        assert found.interval is None


def test_of_two_configurations_the_weight_is_a_normal_probability():
    from scipy.stats import norm

    matrix = binary(n_samples=60, n_configurations=6, seed=4, n_folds=10)
    matrix = replace(matrix, predictions=matrix.predictions[:, :, 4:], configurations=("a", "b"))
    (by_fold,) = fold_performances(matrix, METRICS["auc"])
    first, second = by_fold.mean(axis=0)
    error = np.sqrt((1 / 10 + 1 / 9) * np.var(by_fold[:, 0] - by_fold[:, 1], ddof=1))
    share = norm.cdf((first - second) / error)
    found = WMC.run(matrix, METRICS["auc"], Plan()).value
    assert 0.1 < share < 0.9
    assert found == pytest.approx(
        share * first + (1 - share) * second, abs=0.015 * abs(first - second)
    )


def test_another_metric_that_selects_makes_the_weights():
    matrix = binary(n_samples=80, n_configurations=3, seed=2)
    (judged,), (measured,) = (fold_performances(matrix, METRICS[m]) for m in ("brier", "auc"))
    means, covariance = law(judged, matrix.folds[0])
    found = WMC.run(matrix, METRICS["auc"], Plan(), select_by=METRICS["brier"])
    expected = weights(means, covariance) @ measured.mean(axis=0)
    assert found.value == pytest.approx(expected, abs=0.01 * np.ptp(measured.mean(axis=0)))


def test_repeats_weigh_by_their_own_folds():
    matrix = binary(n_samples=80, n_configurations=4, seed=3, n_repeats=2)
    both = fold_performances(matrix, METRICS["error"])
    means = np.mean([by_fold.mean(axis=0) for by_fold in both], axis=0)
    expected = np.mean(
        [
            weights(means, law(by_fold, folds)[1]) @ means
            for by_fold, folds in zip(both, matrix.folds, strict=True)
        ]
    )
    found = WMC.run(matrix, METRICS["error"], Plan())
    assert found.value == pytest.approx(expected, abs=0.01 * np.ptp(means))


@pytest.mark.parametrize("method", [WMC, WMCS])
def test_what_it_is_not_for(method):
    matrix = binary(n_samples=40, n_configurations=4)
    with pytest.raises(UnsupportedError, match=f"{method.name} corrects the selection of the best"):
        method.run(matrix, METRICS["auc"], Plan(select=Select.ONE_SE))
    names = tuple(f"f{n}" for n in range(40))
    alone = replace(matrix, folds=np.arange(40)[None], fold_names=names)
    with pytest.raises(UndefinedError, match="AUC is undefined in fold"):
        method.run(alone, METRICS["auc"], Plan())
