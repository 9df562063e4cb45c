"""What figures show beyond the document: against slow and independent computations."""

from dataclasses import replace

import matrices
import numpy as np
import pytest
from scipy.integrate import trapezoid
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import roc_auc_score, roc_curve

from bbccli import METRICS, Plan, correct
from bbccli.comparisons import BestSet, best_set
from bbccli.reports.evidence import Ranked, Ranking, curves
from bbccli.stats.resampling import draws_of
from bbccli.types import PredictionKind

PLAN = Plan(n_resamples=80, seed=1)
GRID = np.linspace(0, 1, 101)


def evidence(matrix, metric="auc", method="bbc", n_resamples=80, **options):
    how = {"n_resamples": n_resamples, "random_state": 1, **options}
    result = correct(matrix, metric=metric, method=method, **how)
    return result._exhibit().evidence, result.estimate


def area(curve):
    return trapezoid(np.array(curve, float), GRID)


def of_winner(matrix, reported):
    return matrix.predictions[0, :, matrix.configurations.index(reported.winner)].astype(float)


def check_roc(curve, scores, truth, weights=None):
    """A ROC is that of scikit-learn, in the middle of its vertical steps."""
    rates = roc_curve(truth, scores, sample_weight=weights, drop_intermediate=False)[:2]
    expected = sum(np.interp(GRID + shift, *rates) for shift in (-1e-9, 1e-9)) / 2
    assert curve == pytest.approx(expected, abs=1e-6)
    expected = roc_auc_score(truth, scores, sample_weight=weights)
    assert area(curve) == pytest.approx(expected, abs=0.003)


def isotonic(chances, truth):
    model = IsotonicRegression(out_of_bounds="nan").fit(chances, truth)
    return model.predict(GRID)


def test_under_the_mean_curve_lies_the_estimate_of_bbc():
    found, reported = evidence(matrices.binary(n_samples=60))
    assert area(found.roc.corrected) == pytest.approx(reported.value, abs=0.005)
    assert area(found.roc.naive) == pytest.approx(reported.naive, abs=0.005)
    assert found.roc.n_resamples == 80


@pytest.mark.parametrize("weighted", [False, True])
def test_a_roc_is_that_of_scikit_learn(weighted):
    matrix = matrices.binary(n_samples=60)
    matrix = replace(matrix, predictions=np.round(matrix.predictions, 1))
    if weighted:
        matrix = replace(matrix, outcome=matrices.weighing(matrix.outcome))
    found, reported = evidence(matrix)
    outcome = matrix.outcome
    check_roc(found.roc.naive, of_winner(matrix, reported), outcome.values, outcome.weights)


def test_a_reliability_curve_is_the_isotonic_one_of_scikit_learn():
    matrix = matrices.binary(n_samples=60)
    tied = np.round(matrix.predictions, 1) * 0.9 + 0.043  # none on a point of the grid
    matrix = replace(matrix, predictions=tied)
    found, reported = evidence(matrix)
    truth, shown = matrix.outcome.values, found.calibration
    expected = isotonic(of_winner(matrix, reported), truth)
    assert np.array(shown.naive, float) == pytest.approx(expected, abs=1e-6, nan_ok=True)
    out_of_bag = draws_of(60, None, 1).batch(0, 2).in_bag[:80] == 0
    of_winners = [
        isotonic(matrix.predictions[0, out, winner].astype(float), truth[out])
        for out, winner in zip(out_of_bag, reported.distribution.winners, strict=True)
    ]
    there = ~np.isnan(of_winners)
    mean = np.where(there, of_winners, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    expected = np.where(there.mean(axis=0) > 0.5, mean, np.nan)
    assert np.array(shown.corrected, float) == pytest.approx(expected, abs=1e-6, nan_ok=True)


def test_of_many_probabilities_neighbours_are_put_together():
    rng = np.random.default_rng(3)
    scores = rng.random(1500)
    truth = (rng.random(1500) < scores**2).astype(int)
    (shown,) = curves.reliability_of(scores, truth, np.ones((1, 1500)))
    groups = np.argsort(np.argsort(scores)) // 3
    at, means = (np.bincount(groups, values) / 3 for values in (scores, truth))
    model = IsotonicRegression(out_of_bounds="nan").fit(at, means)
    assert shown == pytest.approx(model.predict(GRID), abs=1e-9, nan_ok=True)
    (shown,) = curves.reliability_of(scores[:500], truth[:500], np.ones((1, 500)))
    assert shown == pytest.approx(isotonic(scores[:500], truth[:500]), abs=1e-9, nan_ok=True)
    assert np.isnan(curves.reliability_of(scores, truth, np.zeros((1, 1500)))).all()


def test_a_band_holds_nine_in_ten_curves_of_what_is_calibrated():
    matrix = matrices.binary(n_samples=60)
    there = np.ones(matrix.predictions.shape, bool)
    there[:, ::3] = False
    tied = np.round(matrix.predictions, 1) * 0.9 + 0.043
    outcome = matrices.weighing(matrix.outcome)
    found, reported = evidence(
        replace(matrix, predictions=np.where(there, tied, 1.0), available=there, outcome=outcome)
    )
    used = np.arange(60) % 3 > 0
    chances, weights = tied[0, used, matrix.configurations.index(reported.winner)], outcome.weights
    rng = np.random.default_rng(0)
    drawn = [
        IsotonicRegression(out_of_bounds="nan")
        .fit(chances, rng.random(40) < chances, weights[used])
        .predict(GRID)
        for _ in range(300)
    ]
    shown = (found.calibration.lower, found.calibration.upper)
    for ends, expected in zip(shown, np.quantile(drawn, (0.05, 0.95), axis=0), strict=True):
        apart = np.array(ends, float) - expected
        assert np.nanmax(np.abs(apart)) < 0.15 and abs(np.nanmean(apart)) < 0.03
        assert (np.isnan(apart) == np.isnan(expected)).all()


def test_curves_of_many_samples_rest_on_fewer_resamples(monkeypatch):
    matrix = matrices.binary(n_samples=60, n_repeats=2)
    whole = evidence(matrix)[0].roc
    monkeypatch.setattr(curves, "AT_ONCE", 1)
    assert evidence(matrix)[0].roc == whole
    for cells, n_resamples in ((120 * 70, 70), (120 * 40, 50)):
        monkeypatch.setattr(curves, "MOST_CELLS", cells)
        assert evidence(matrix)[0].roc.n_resamples == n_resamples


def test_bars_hold_all_resamples():
    found, reported = evidence(matrices.binary())
    bars = found.distribution
    assert (bars.method, bars.metric) == ("bbc", "auc")
    assert sum(bars.shares) == pytest.approx(1)
    assert bars.edges[0] == reported.distribution.values.min()
    assert bars.edges[-1] == reported.distribution.values.max()
    assert len(bars.shares) == 8


def test_bars_weigh_resamples_that_were_enumerated():
    found, reported = evidence(matrices.binary(), method="bbc-f")
    middles = (np.array(found.distribution.edges[1:]) + found.distribution.edges[:-1]) / 2
    width = found.distribution.edges[1] - found.distribution.edges[0]
    assert middles @ found.distribution.shares == pytest.approx(reported.value, abs=width)
    assert len(found.distribution.shares) <= 60


def test_the_ranking_begins_with_the_winner():
    matrix = matrices.binary(n_configurations=9)
    found, reported = evidence(matrix)
    rows = found.ranking.rows
    assert rows[0].configuration == reported.winner
    assert rows[0].performance == pytest.approx(reported.naive)
    figures = [row.performance for row in rows]
    assert figures == sorted(figures, reverse=True) and len(rows) == 9


@pytest.mark.parametrize(("make", "metric"), [("binary", "auc"), ("regression", "mse")])
def test_the_intervals_of_a_ranking_are_those_of_the_set(make, metric):
    matrix = getattr(matrices, make)(n_configurations=9)
    found, _ = evidence(matrix, metric)
    expected = best_set(matrix, METRICS[metric], PLAN)
    told = {one.configuration: one for one in expected.members}
    assert found.ranking.level == PLAN.level and found.ranking.without == ""
    assert 0 < sum(row.inside for row in found.ranking.rows) == expected.n_inside
    for row in found.ranking.rows:
        own = told[row.configuration]
        assert (row.lower, row.upper, row.inside) == (own.lower, own.upper, own.inside)
        assert row.performance == pytest.approx(own.performance)
        assert row.lower < row.performance < row.upper


def test_a_perfect_configuration_has_no_interval_and_may_be_the_best():
    matrix = matrices.binary(n_configurations=4)
    predictions = np.array(matrix.predictions)
    predictions[:, :, 2] = matrix.outcome.values
    ranking = evidence(replace(matrix, predictions=predictions))[0].ranking
    first = ranking.rows[0]
    assert (first.performance, first.lower, first.upper, first.inside) == (1, None, None, True)
    assert all(row.lower is not None for row in ranking.rows[1:])


def test_what_is_not_known_of_a_member_is_none():
    known = best_set(matrices.binary(), METRICS["auc"], PLAN).members[0]
    nothing = dict.fromkeys(("performance", "difference", "lower", "upper"), np.nan)
    lost = replace(known, configuration="b", **nothing, p=None, inside=False)
    members = (replace(lost, configuration="a", performance=0.9, upper=np.inf), lost)
    found = Ranking.of("auc", BestSet(0.95, 0, members))
    assert found == Ranking("auc", (Ranked("a", 0.9),), 2, 0.95)


def test_a_ranking_without_intervals_says_why():
    median, _ = evidence(matrices.regression(), "medae")
    assert "jumps" in median.ranking.without
    errors = [row.performance for row in median.ranking.rows]
    assert errors == sorted(errors)
    most, _ = evidence(matrices.binary(n_configurations=500), "accuracy", "cvt")
    many, _ = evidence(matrices.binary(n_configurations=501), "accuracy", "cvt")
    assert most.ranking.without == "" and "more than 500 configurations" in many.ranking.without
    assert len(most.ranking.rows) == len(many.ranking.rows) == 500
    few, _ = evidence(matrices.binary(), n_resamples=10)
    assert "draws" in few.ranking.without
    for found in (median, many, few):
        assert found.ranking.level is None
        assert {(row.lower, row.upper, row.inside) for row in found.ranking.rows} == {(None,) * 3}


def test_what_cannot_be_scored_is_not_ranked():
    matrix = matrices.binary(n_configurations=4)
    never = np.where(np.arange(4) == 3, 0.0, matrix.predictions)  # no positive: no precision
    found, _ = evidence(replace(matrix, predictions=never), "precision", "cvt", 10)
    names = {row.configuration for row in found.ranking.rows}
    assert (found.ranking.level, names) == (None, {"c0", "c1", "c2"})


def test_folds_of_all_repeats():
    matrix = matrices.binary(n_samples=60, n_repeats=2)
    found, reported = evidence(matrix)
    winner, truth = matrix.configurations.index(reported.winner), matrix.outcome.values
    values = np.array(
        [
            [roc_auc_score(truth[folds == fold], scores[folds == fold]) for scores in columns.T]
            for columns, folds in zip(matrix.predictions, matrix.folds, strict=True)
            for fold in np.unique(folds)
        ]
    )
    assert [fold.winner for fold in found.folds] == pytest.approx(values[:, winner])
    assert [fold.median for fold in found.folds] == pytest.approx(np.median(values, axis=1))
    assert found.folds[0].fold == "1: 0" and found.folds[-1].fold == "2: 4"


@pytest.mark.sweep
def test_what_can_not_be_shown_says_why():
    labels, _ = evidence(matrices.binary(kind=PredictionKind.LABEL), "accuracy")
    assert labels.roc is None and "class labels" in labels.missing["roc"]
    scores, _ = evidence(matrices.binary(kind=PredictionKind.SCORE))
    assert scores.roc is not None and "needs probabilities" in scores.missing["calibration"]
    without, _ = evidence(replace(matrices.binary(), folds=None), method="cvt")
    assert "unknown" in without.missing["folds"] and "resamples" in without.missing["distribution"]


def test_gaps_take_no_part_in_curves():
    matrix = matrices.binary(n_samples=60)
    there = np.ones(matrix.predictions.shape, bool)
    there[:, ::3] = False
    filled = np.array(matrix.predictions)
    filled[:, ::3] = 1.0  # a number that must never be scored
    matrix = replace(matrix, predictions=filled, available=there)
    whole, reported = evidence(matrix)
    used = there[0, :, 0]
    check_roc(whole.roc.naive, of_winner(matrix, reported)[used], matrix.outcome.values[used])


def test_the_share_that_reaches_the_naive_figure_is_counted_on_the_resamples():
    for metric, matrix in (("auc", matrices.binary()), ("mse", matrices.regression())):
        found, reported = evidence(matrix, metric)
        sign = 1 if metric == "auc" else -1
        reach = sign * (reported.distribution.values - reported.naive) >= -1e-12
        assert found.distribution.reaching == pytest.approx(reach.mean())


@pytest.mark.parametrize(
    "options",
    [
        {"select": "greedy:4"},
        {"select": "mean:2", "calibrate": "platt"},
        {"calibrate": "isotonic"},
        {"threshold": "tuned:f1"},
    ],
)
def test_curves_of_what_is_made_enclose_its_own_estimate(options):
    matrix = matrices.binary(n_samples=60, n_repeats=2)
    found, reported = evidence(matrix, n_resamples=20, **options)
    assert area(found.roc.corrected) == pytest.approx(reported.value, abs=0.005)
    assert area(found.roc.naive) == pytest.approx(reported.naive, abs=0.005)
    single, _ = evidence(matrix, n_resamples=20)
    made_of_one = "threshold" in options  # the order of its scores stays
    assert (found.roc.corrected == single.roc.corrected) == made_of_one


def test_calibrated_curves_are_those_of_the_resamples():
    matrix = matrices.binary(n_samples=60)
    found, _ = evidence(matrix, calibrate="temperature")
    bare, _ = evidence(matrix)
    assert found.roc.corrected == bare.roc.corrected  # of the same configurations, in this order
    assert found.calibration.corrected != bare.calibration.corrected


def test_in_folds_what_is_made_stands_among_all_configurations():
    matrix = matrices.binary(n_samples=60)
    made, reported = evidence(matrix, select="mean:3")
    single, _ = evidence(matrix)
    spread = [(one.least, one.median, one.most) for one in made.folds]
    assert spread == [(one.least, one.median, one.most) for one in single.folds]
    assert any(one.least < one.most for one in made.folds)
    assert [one.winner for one in made.folds] != [one.winner for one in single.folds]
    assert np.mean([one.winner for one in made.folds]) == pytest.approx(reported.naive, abs=0.1)
