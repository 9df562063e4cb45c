"""BBCD against exact probabilities and the original code; see tests/oracles/README.md."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from oracle_data import HARD, METRIC_OF, answers, matrix

from bbccli import Plan
from bbccli.domain.matrix import Unfinished
from bbccli.dropping import drop, replay

ACCURACY = METRIC_OF["acc"]
B = 1000
ENOUGH = 40
"""Runs after which every winner that Octave saw has been seen."""

EXPECTED = answers(HARD, "bbcd")


def so_far(n_folds):
    """The first folds of the oracle's data, as between two folds."""
    data = matrix(HARD, "acc")
    return replace(data.of_samples(data.folds[0] < n_folds), unfinished=Unfinished())


def expected_of(what, fold):
    table = EXPECTED["exact"][what]
    return np.array([table[name][fold] for name in matrix(HARD, "acc").configurations])


@pytest.mark.parametrize("fold", range(10))
def test_probabilities_after_every_fold(fold):
    data = so_far(fold + 1)
    found = drop(data, ACCURACY, Plan(n_resamples=10 * B), min_samples=0)
    assert found.best == EXPECTED["exact"]["best_config_per_fold"][fold]
    exact = expected_of("p_best_beats_config", fold)
    error = np.sqrt(exact * (1 - exact) / (10 * B)) + 1e-4
    shares = np.array([one.probability for one in found.decisions])
    assert (np.abs(shares - exact) < 4 * error).all()


@pytest.fixture(scope="module", params=[10, swept(ENOUGH)])
def traces(request):
    """Folds after which each configuration is out, of many seeds: (runs, C)."""
    data = matrix(HARD, "acc")
    found = []
    for seed in range(request.param):
        plan = Plan(B, seed=seed)
        ((run,), _) = replay(data, ACCURACY, plan, min_samples=0)
        found.append(run.runs[0])
    return found


@pytest.mark.sweep
def test_who_is_dropped_by_each_fold(traces):
    names = matrix(HARD, "acc").configurations
    for fold in range(10):
        gone = [{n for step in run.trace.steps[: fold + 1] for n in step.dropped} for run in traces]
        shares = np.array([np.mean([name in one for one in gone]) for name in names])
        exact = expected_of("dropped_by_fold", fold)
        error = np.sqrt(exact * (1 - exact) / len(traces)) + 1 / len(traces)
        assert (np.abs(shares - exact) < 4.5 * error).all()


@pytest.mark.sweep
def test_models_trained(traces):
    trained = [run.trace.n_trained for run in traces]
    simulated = EXPECTED["python_mc"]
    error = simulated["models_trained_sd"] / np.sqrt(len(traces))
    assert abs(np.mean(trained) - EXPECTED["exact"]["expected_models_trained"]) < 4 * error
    assert all(run.trace.n_models == 500 for run in traces)


def test_the_winner_and_its_estimate(traces):
    octave = EXPECTED["octave"]
    winners, known = {run.winner for run in traces}, set(octave["final_config_frequency"])
    assert winners == known if len(traces) >= ENOUGH else winners <= known
    # the spread between Octave's runs includes their 50 resamples each; ours have 1000
    error = octave["bbc_on_survivors_sd_between_runs"] / np.sqrt(octave["runs"])
    values = [run.value for run in traces]
    error = np.hypot(error, np.std(values) / np.sqrt(len(traces)))
    assert abs(np.mean(values) - octave["bbc_on_survivors_mean"]) < 4 * error


def test_a_decision_is_the_step_of_a_replay():
    decision = drop(so_far(5), ACCURACY, Plan(B), min_samples=0)
    exact = expected_of("drop_prob_at_fold", 4)
    names = matrix(HARD, "acc").configurations
    certain = {n for n, p in zip(names, exact, strict=True) if p > 1 - 1e-6}
    possible = {n for n, p in zip(names, exact, strict=True) if p > 1e-6}
    assert certain <= set(decision.drop) <= possible
