"""BBC-EB against a slow loop written from its text, and what it does at the edges."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from day import swept
from matrices import binary, regression
from methods.reference import bbc, figure_on, shrunken_winner
from scipy.stats import norm

from bbccli import METHODS, METRICS, Plan, matrix_of
from bbccli.stats.resampling import draws_of
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Pooling

PLAN = Plan(n_resamples=128, seed=2)
EB = METHODS["bbc-eb"]


def bags_of(matrix, name, plan=PLAN):
    """In-bag performances (B, C) of the first resamples, every one of which can be used."""
    draws = draws_of(matrix.n_samples, matrix.groups, plan.seed).batch(0, plan.n_resamples // 64)
    return candidates(matrix, METRICS[name], plan.pooling).score(draws.in_bag), draws.in_bag


def unclipped(matrix, name, plan=PLAN):
    """The mean of both parts by the slow loop, from performances that the package scores."""
    metric = METRICS[name]
    naive = candidates(matrix, metric, plan.pooling).performances()
    bags, _ = bags_of(matrix, name, plan)
    found = METHODS["bbc-632"].run(matrix, metric, plan)
    assert found.distribution.n_redrawn == 0
    winner = int(metric.direction.best(naive))
    return (shrunken_winner(naive, bags, winner, metric.direction.sign) + found.value) / 2


def expected_of(matrix, name, plan=PLAN):
    of_bbc = METHODS["bbc"].run(matrix, METRICS[name], plan)
    return clipped(unclipped(matrix, name, plan), of_bbc.value, of_bbc.naive, METRICS[name])


def clipped(value, worst, best, metric):
    """No worse than BBC, no better than the naive figure."""
    sign = metric.direction.sign
    return sign * min(max(sign * value, sign * worst), sign * best)


@pytest.mark.parametrize("name", ["auc", swept("accuracy")])
@pytest.mark.parametrize("n_repeats", [1, swept(2)])
def test_the_slow_loop(name, n_repeats):
    """All of it from rows, one at a time: winners, out-of-bag values, moments, shrinking."""
    matrix = binary(n_samples=24, n_configurations=5, n_repeats=n_repeats, seed=1)
    plan = replace(PLAN, n_resamples=64)
    figure, rows = figure_on(matrix, name), np.arange(24)
    _, drawn = bags_of(matrix, name, plan)
    winners, outside = bbc(figure, 5, drawn)
    naive = np.array([figure(rows, c) for c in range(5)])
    bags = np.array([[figure(np.repeat(rows, w), c) for c in range(5)] for w in drawn])
    half = 0.368 * np.mean(naive[winners]) + 0.632 * np.mean(outside)
    expected = (shrunken_winner(naive, bags, int(naive.argmax())) + half) / 2
    expected = min(max(expected, np.mean(outside)), naive.max())
    assert EB.run(matrix, METRICS[name], plan).value == pytest.approx(expected, rel=1e-12)


def copies_of_a_contender():
    """They count by their root."""
    matrix = binary(n_configurations=6, seed=2)
    columns = [0, 1, 2, 3, 4, 5, 4, 4, 3, 4]
    return replace(
        matrix, predictions=matrix.predictions[:, :, columns], configurations=tuple("abcdefghij")
    )


FEW = binary(n_configurations=9, seed=5)
FORMULA = [
    *[
        (binary(n_configurations=n, seed=3), name, {})
        for n in (3, 12, 40)
        for name in ("auc", "accuracy", "log-loss", "f1")
    ],
    (regression(n_configurations=15), "rmse", {}),
    (regression(n_configurations=15), "medae", {}),
    (replace(FEW, groups=np.arange(40) // 2), "accuracy", {}),
    (copies_of_a_contender(), "log-loss", {}),
    (FEW, "auc", {"pooling": Pooling.FOLD_MEAN}),
    (FEW, "auc", {"pooling": Pooling.WITHIN_FOLDS}),
]


@pytest.mark.parametrize(("matrix", "name", "changes"), FORMULA)
def test_the_formula(matrix, name, changes):
    plan = replace(PLAN, **changes)
    found = EB.run(matrix, METRICS[name], plan)
    assert found.value == pytest.approx(expected_of(matrix, name, plan), rel=1e-11)
    assert found.experimental


def test_one_configuration_is_its_figure():
    matrix = binary(n_configurations=1)
    found = EB.run(matrix, METRICS["auc"], PLAN)
    assert found.value == pytest.approx(found.naive, rel=1e-14)
    copies = replace(
        matrix, predictions=np.repeat(matrix.predictions, 4, axis=2), configurations=tuple("abcd")
    )
    found = EB.run(copies, METRICS["auc"], PLAN)
    assert found.value == pytest.approx(found.naive, rel=1e-14)
    assert found.error.value == 0


@pytest.mark.parametrize(("name", "n", "seed"), [("auc", 30, 22), ("log-loss", 20, 25)])
def test_where_it_is_clipped_the_interval_reaches_over_both(name, n, seed):
    matrix, plan = binary(n_configurations=n, seed=seed), replace(PLAN, guard=False, level=0.6)
    found, of_bbc = (
        METHODS[method].run(matrix, METRICS[name], plan) for method in ("bbc-eb", "bbc")
    )
    shift, sign = unclipped(matrix, name, plan) - of_bbc.value, METRICS[name].direction.sign
    assert sign * shift < -0.005 and found.value == of_bbc.value
    reached = of_bbc.interval.lower + min(shift, 0), of_bbc.interval.upper + max(shift, 0)
    assert (found.interval.lower, found.interval.upper) == pytest.approx(reached, abs=1e-12)


def test_the_undefined_are_left_out():
    """Without a positive prediction precision is undefined: everywhere, or in some bags."""
    matrix = binary(n_configurations=5, seed=1)
    predictions = np.array(matrix.predictions)
    predictions[0, :, 0] = 0.0
    predictions[0, 1:, 1] = np.minimum(predictions[0, 1:, 1], 0.5)
    predictions[0, 0, 1] = 0.9
    some = replace(matrix, predictions=predictions)
    without = replace(
        some, predictions=predictions[:, :, 1:], configurations=some.configurations[1:]
    )
    found, expected = (EB.run(m, METRICS["precision"], PLAN) for m in (some, without))
    assert np.isfinite(found.value)
    assert found.value == pytest.approx(expected.value, rel=1e-12)


def heard(monkeypatch, matrix, name, of_limit=0.0):
    """The estimate, and contenders and noise, from which the error of who is one is made."""
    said = []
    place = "bbccli.stats.bootstrap.contenders.limit_error"
    monkeypatch.setattr(place, lambda *given: said.append(given[2:]) or of_limit)
    return EB.run(matrix, METRICS[name], PLAN), *said[0]


def test_its_error_is_that_of_the_mean_and_half_of_that_of_who_is_a_contender(monkeypatch):
    matrix = binary(n_configurations=15, seed=1)
    (one, of, _), (other, _, _) = (heard(monkeypatch, matrix, "auc", e) for e in (0.0, 0.2))
    assert other.error.value == pytest.approx(np.hypot(one.error.value, 0.1), rel=1e-12)
    naive = candidates(matrix, METRICS["auc"], Pooling.POOLED).performances()
    bags, winner = bags_of(matrix, "auc")[0], naive.argmax()
    reach = 2 * np.std(bags[:, [winner]] - bags, axis=0, ddof=1)
    others = np.flatnonzero(reach > 0)  # a standard deviation of B has an error of 1 / sqrt(2 B)
    off = (1 - (naive[winner] - naive[others]) / reach[others]) * np.sqrt(2 * 128)
    near = {c: norm.cdf(z) for c, z in zip(others.tolist(), off, strict=True) if abs(z) < 3}
    assert of.chances == pytest.approx(near) and 0 < len(near) < of.n_distinct == 15


def test_a_winner_without_an_error_is_a_contender(monkeypatch):
    matrix = binary(n_configurations=3)
    predictions = np.array(matrix.predictions)
    predictions[0, :, 0] = matrix.outcome.values
    of = heard(monkeypatch, replace(matrix, predictions=predictions), "error")[1]
    assert of.columns[0] == 0


def test_noise_is_of_the_pairs_that_are_defined_in_a_bag(monkeypatch):
    """The mean squared difference of two contenders, each less its mean over the bags."""
    matrix = binary(n_samples=24, n_configurations=3)
    predictions = np.zeros_like(matrix.predictions)
    predictions[0, :, 0] = matrix.outcome.values  # the winner of every bag
    predictions[0, [0, 1], 1] = predictions[0, [2, 1], 2] = 1.0
    matrix = replace(matrix, predictions=predictions)
    _, of, noise = heard(monkeypatch, matrix, "precision")
    bags = bags_of(matrix, "precision")[0][:, of.columns]
    centred, squares = bags - np.nanmean(bags, axis=0), []
    for row in centred:
        there = np.flatnonzero(~np.isnan(row))
        pairs = np.array([*combinations(there, 2)], int).reshape(-1, 2)
        weights, off = of.shares[pairs].prod(axis=1), np.diff(row[pairs])[:, 0]
        squares.append(weights @ off**2 / 2 / weights.sum() if len(pairs) else np.nan)
    assert 0 < np.isnan(squares).sum() < 100 and len(of.columns) == 3
    scale = (n := np.isfinite(squares).sum()) / (n - 1)
    assert noise.variance == pytest.approx(np.nanmean(squares) * scale)
    each = np.nan_to_num(np.array(squares) * scale, nan=noise.variance)
    np.testing.assert_allclose(noise.by_resample, each, atol=1e-12)


@pytest.mark.filterwarnings("ignore:overflow")
def test_figures_whose_squares_overflow_are_not_shrunk():
    matrix = regression()
    outcome = replace(matrix.outcome, values=matrix.outcome.values * 1e160)
    matrix = replace(matrix, outcome=outcome, predictions=matrix.predictions * 1e160)
    found, half, of_bbc = (
        METHODS[method].run(matrix, METRICS["mae"], PLAN) for method in ("bbc-eb", "bbc-632", "bbc")
    )
    value = clipped((found.naive + half.value) / 2, of_bbc.value, found.naive, METRICS["mae"])
    assert found.value == pytest.approx(value, rel=1e-12)


def test_another_metric_selects():
    matrix = binary(n_configurations=15, seed=16)
    found = EB.run(matrix, METRICS["log-loss"], PLAN, select_by=METRICS["auc"])
    bags, _ = bags_of(matrix, "auc")
    losses, _ = bags_of(matrix, "log-loss")
    everything = np.ones((1, 40), np.uint8)
    aucs, naive = (
        candidates(matrix, METRICS[n], Pooling.POOLED).score(everything)[0]
        for n in ("auc", "log-loss")
    )
    winner = int(aucs.argmax())
    spread = np.std(bags[:, [winner]] - bags, axis=0, ddof=1)
    near = aucs[winner] - aucs <= 2 * spread
    covariance = np.cov(losses[:, near], rowvar=False)
    k = near.sum()
    assert 2 < k < 15
    noise = np.trace(covariance) / k - (covariance.sum() - np.trace(covariance)) / (k * (k - 1))
    centre, total = naive[near].mean(), naive[near].var(ddof=1)
    signal = max(total - noise, noise / 20)
    assert signal > 2 * noise / 20
    expected = centre + signal / (signal + noise) * (naive[winner] - centre)
    half, theirs = (
        METHODS[m].run(matrix, METRICS["log-loss"], PLAN, select_by=METRICS["auc"])
        for m in ("bbc-632", "bbc")
    )
    assert naive[winner] < found.value < theirs.value  # not clipped
    assert found.value == pytest.approx((expected + half.value) / 2, rel=1e-11)


def test_copies_of_the_winner_are_contenders_whatever_their_place():
    # sums of copies, and the errors of their differences, are 0 but for rounding
    rng = np.random.default_rng(37)
    n, n_copies = int(rng.integers(40, 200)), int(rng.integers(1, 5))
    signal = rng.normal(size=n)
    truth = signal + rng.normal(size=n)
    values = signal[:, None] * rng.uniform(0.6, 1.1, 8)
    values = values + rng.normal(size=(n, 8)) * rng.uniform(0.15, 0.5, 8)
    winner = np.argmin(np.square(values - truth[:, None]).mean(axis=0))
    values = np.column_stack([values, *[values[:, winner]] * n_copies])
    found = []
    for seed in range(100, 104):
        order = np.random.default_rng(seed).permutation(8 + n_copies)
        matrix = matrix_of(values[:, order], truth, task="regression")
        found.append(EB.run(matrix, METRICS["mae"], Plan(n_resamples=200, seed=1)).value)
    assert found == pytest.approx([found[0]] * 4, rel=1e-11)
