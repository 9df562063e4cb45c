"""Simultaneous intervals of performances: the critical value of loops, on an open scale."""

from dataclasses import replace

import numpy as np
import pytest
import slow_comparisons as slow
from matrices import binary, regression, scores

from bbccli import METRICS, Plan
from bbccli.comparisons.evidence import evidence_of
from bbccli.comparisons.possible_best import band
from bbccli.planning.simulation import binormal, right_or_wrong

PLAN = Plan(n_resamples=130, level=0.9, seed=4)

SCALES = {
    "accuracy": (binary, lambda m: np.log(m / (1 - m)), lambda m: 1 / (m * (1 - m))),
    "auc": (binary, lambda m: np.log(m / (1 - m)), lambda m: 1 / (m * (1 - m))),
    "gini": (binary, lambda m: np.log((m + 1) / (1 - m)), lambda m: 2 / (1 - m**2)),
    "mse": (regression, np.log, lambda m: 1 / m),
    "r2": (regression, lambda m: -np.log(1 - m), lambda m: 1 / (1 - m)),
}


@pytest.mark.parametrize("name", list(SCALES))
def test_ends_are_c_standard_errors_away_on_a_scale_without_bounds(name):
    maker, scale, slope = SCALES[name]
    matrix = maker()
    evidence = evidence_of(matrix, METRICS[name], PLAN)
    strata, df = (evidence.strata, evidence.df)
    draws = slow.drawn(evidence.influence, strata, PLAN.seed, 130)
    law = slow.Law(strata, df, evidence.influence.T, PLAN.seed, 130)
    reach = slow.reach_of_band(evidence.influence, draws, law, 0.9)
    values = METRICS[name].direction.sign * evidence.gains
    half = reach * evidence.errors() * slope(values)
    lower, upper = band(evidence, PLAN)
    np.testing.assert_allclose(scale(lower), scale(values) - half, rtol=1e-9)
    np.testing.assert_allclose(scale(upper), scale(values) + half, rtol=1e-9)


def test_without_bounds_it_is_symmetric():
    matrix = scores()
    free = replace(matrix, outcome=replace(matrix.outcome, bounds=None))
    evidence = evidence_of(free, METRICS["mean-score"], PLAN)
    assert np.isinf(evidence.metric.bounds).all()
    lower, upper = band(evidence, PLAN)
    np.testing.assert_allclose((lower + upper) / 2, evidence.gains)
    assert (upper > lower).all()


def test_a_performance_without_variance_has_none():
    matrix = regression()
    predictions = matrix.predictions.copy()
    predictions[0, :, 4] = matrix.outcome.values + 1
    one = replace(matrix, predictions=predictions)
    lower, upper = band(evidence_of(one, METRICS["mae"], PLAN), PLAN)
    assert np.isnan([lower[4], upper[4]]).all()
    assert np.isfinite(np.delete(lower, 4)).all()


@pytest.mark.sweep
@pytest.mark.parametrize(("make", "name"), [(binormal, "auc"), (right_or_wrong, "accuracy")])
def test_all_performances_are_held_at_once(make, name):
    n_held = 0
    for repetition in range(60):
        rng = np.random.default_rng([3, repetition])
        simulated = make(np.full(20, 0.8), 40, rng)
        plan = Plan(n_resamples=199, seed=repetition)
        lower, upper = band(evidence_of(simulated.matrix, METRICS[name], plan), plan)
        n_held += not ((lower > 0.8) | (upper < 0.8)).any()
    assert n_held >= 55  # of 60 at 0.95; fewer have a chance of 1 in 1000
