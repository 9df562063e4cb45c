"""The note on risks that seem to be the other way round: for what chance does not explain."""

from dataclasses import replace

import numpy as np
import pytest
from day import parts
from matrices import of

from bbccli.core.areas import concordance_error_by_chance
from bbccli.core.outcome import Outcome
from bbccli.core.plan import Plan
from bbccli.methods import estimate
from bbccli.metrics import METRICS
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Pooling, PredictionKind, Task

files = parts("n_files", 100, whole=300)


def noise(seed, n_samples=60, n_configurations=5):
    """Risks that know nothing, alike among the configurations; a third of the times censored."""
    rng = np.random.default_rng(seed)
    outcome = Outcome(
        Task.SURVIVAL, rng.exponential(size=n_samples), event=rng.random(n_samples) < 2 / 3
    )
    shared = rng.normal(size=(1, n_samples, 1))
    risks = shared + 0.5 * rng.normal(size=(1, n_samples, n_configurations))
    return of(outcome, risks, PredictionKind.SCORE, seed=seed)


def codes_of_cvt(matrix):
    notes = estimate(matrix, [METRICS["concordance"]], Plan(n_resamples=1), ["cvt"])[1]
    return [note.code for note in notes]


@pytest.mark.sweep
@files
def test_noise_is_hardly_ever_reversed(n_files):
    matrices = [noise(seed) for seed in range(n_files)]
    assert sum("risk-reversed" in codes_of_cvt(matrix) for matrix in matrices) <= n_files // 100


@pytest.mark.sweep
@files
def test_the_error_by_chance_is_no_smaller_than_that_of_noise(n_files):
    errors, expected = [], []
    for seed in range(n_files):
        matrix = noise(seed, n_configurations=1)
        (value,) = candidates(matrix, METRICS["concordance"], Pooling.POOLED).performances()
        errors.append(value - 0.5)
        expected.append(concordance_error_by_chance(int(matrix.outcome.event.sum())))
    assert 0.6 * np.mean(expected) < np.std(errors) < 1.1 * np.mean(expected)


@pytest.mark.parametrize("n_events", [0, 1])
def test_without_pairs_nothing_is_known(n_events):
    assert concordance_error_by_chance(n_events) == np.inf


def test_times_instead_of_risks_are_said():
    matrix = noise(0, n_samples=120)
    times = 3 * matrix.outcome.values[None, :, None] + matrix.predictions
    assert "risk-reversed" in codes_of_cvt(replace(matrix, predictions=times))
    assert "risk-reversed" not in codes_of_cvt(replace(matrix, predictions=-times))
    few = replace(matrix.outcome, event=np.arange(120) < 4)
    assert "risk-reversed" not in codes_of_cvt(replace(matrix, predictions=times, outcome=few))
