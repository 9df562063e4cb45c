"""What the estimates are worth, on matrices whose truth is known. Slow: `make slow`."""

import numpy as np
import pytest
from matrices import of
from scipy.stats import binomtest

from bbccli import METHODS, METRICS, Plan
from bbccli.domain.outcome import Outcome
from bbccli.types import PredictionKind, Side, Task

pytestmark = pytest.mark.slow
REPETITIONS = 200


def study(seed, n_samples=100, n_configurations=100):
    """The protocol of Tsamardinos et al. 2018: accuracies Be(9, 6), independent predictions."""
    rng = np.random.default_rng(seed)
    accuracy = rng.beta(9, 6, n_configurations)
    truth = np.arange(n_samples) % 2
    correct = rng.random((n_samples, n_configurations)) < accuracy
    labels = np.where(correct, truth[:, None], 1 - truth[:, None]).astype(float)
    outcome = Outcome(Task.BINARY, truth, ("no", "yes"))
    return of(outcome, labels[None], PredictionKind.LABEL, 10, seed), accuracy


def run(method, **size):
    """Estimates, and the true accuracy of each winner."""
    plan = Plan(n_resamples=500, side=Side.PESSIMISTIC)
    estimates, truths = [], []
    for seed in range(REPETITIONS):
        matrix, accuracy = study(seed, **size)
        estimates.append(METHODS[method].run(matrix, METRICS["accuracy"], plan))
        truths.append(accuracy[matrix.configurations.index(estimates[-1].winner)])
    return estimates, np.array(truths)


def bias(method, **size):
    """Mean of estimate minus truth, with its standard error."""
    estimates, truths = run(method, **size)
    errors = np.array([e.value for e in estimates]) - truths
    return errors.mean(), errors.std() / np.sqrt(REPETITIONS)


def test_cvt_is_optimistic_and_the_corrections_are_not():
    naive, error = bias("cvt")
    assert naive > 0.02 + 4 * error
    for method, lowest in (("bbc", -0.03), ("bbc-f", -0.03)):
        corrected, error = bias(method)
        assert lowest - 4 * error < corrected < 0.005 + 4 * error


@pytest.mark.parametrize("method", ["cvt", "tt", "bbc", "bbc-f"])
def test_one_configuration_needs_no_correction(method):
    found, error = bias(method, n_configurations=1)
    assert abs(found) < 4 * error


@pytest.mark.parametrize("method", ["bbc", "bbc-f"])
def test_the_pessimistic_bound_holds_the_truth(method):
    estimates, truths = run(method)
    held = sum(e.interval.lower <= t for e, t in zip(estimates, truths, strict=True))
    assert binomtest(held, REPETITIONS, 0.95, alternative="less").pvalue > 0.001
