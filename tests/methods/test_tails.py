"""Notes on losses that have no worst value."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import binary, multiclass, of, regression

from bbccli import METRICS, Plan
from bbccli.domain.outcome import Outcome
from bbccli.methods import estimate
from bbccli.stats.selection.units import SEEN, tail_index
from bbccli.types import PredictionKind, Task

PLAN = Plan(n_resamples=50)


def notes_of(matrix, name, methods=None, plan=PLAN):
    return {note.code: note for note in estimate(matrix, [METRICS[name]], plan, methods)[1]}


def slow_index(values):
    """Hill's formula from the text."""
    ordered = sorted((v for v in values if v > 0), reverse=True)
    k = max(5, len(values) // 10)
    return sum(np.log(ordered[i] / ordered[k]) for i in range(k)) / k


@pytest.mark.parametrize("n", [20, swept(49), swept(50), swept(61), swept(300)])
def test_the_formula(n):
    values = np.random.default_rng(n).pareto(1.5, n)
    assert tail_index(values) == pytest.approx(slow_index(values), rel=1e-12)


def test_too_few_values_have_none():
    assert np.isnan(tail_index(np.arange(6.0)))
    assert np.isfinite(tail_index(np.arange(7.0)))


@pytest.mark.parametrize(("name", "power"), [("mse", 2), ("rmse", 2), ("mae", 1)])
def test_errors_are_told_of(name, power):
    matrix = regression(n_samples=80)
    note = notes_of(matrix, name)["unbounded-loss"]
    found, _ = estimate(matrix, [METRICS[name]], PLAN, ["bbc"])
    winner = matrix.configurations.index(found[0].winner)
    truth = matrix.outcome.values
    of_outcome = slow_index(abs(truth - np.median(truth)))
    of_losses = slow_index(abs(truth - matrix.predictions[0, :, winner]) ** power)
    assert f"{of_outcome:.2f} of the outcome, {of_losses:.2f} of the winner" in note.text
    assert SEEN[name] in note.text


def test_others_are_not():
    for name in ("medae", "r2"):
        assert "unbounded-loss" not in notes_of(regression(), name)
    assert "unbounded-loss" not in notes_of(regression(), "mse", ["cvt", "tt"])
    assert "unbounded-loss" not in notes_of(binary(), "brier")


def test_a_cap_is_stated_instead():
    found = notes_of(regression(), "rmse", plan=replace(PLAN, cap=0.8))
    assert "unbounded-loss" not in found
    assert "0.8 quantile" in found["capped-errors"].text


def test_the_log_loss_where_a_truth_was_ruled_out():
    matrix = binary()
    assert "unbounded-loss" not in notes_of(matrix, "log-loss")
    predictions = np.array(matrix.predictions)
    positive = np.flatnonzero(matrix.outcome.values == 1)[:2]
    predictions[0, positive] = 0.0009
    note = notes_of(replace(matrix, predictions=predictions), "log-loss")["unbounded-loss"]
    assert "the true class of 2 samples a probability below 1 in 1000" in note.text
    assert "some class" not in note.text


@pytest.mark.parametrize("make", [binary, multiclass])
def test_the_log_loss_of_a_winner_that_is_too_sure(make):
    matrix = make()
    predictions = np.array(matrix.predictions)
    if predictions.ndim == 3:
        predictions[0, 0] = float(matrix.outcome.values[0] == 1)
        predictions[0, 1] = 0.9999 - 1e-6
    else:
        predictions[0, 0] = np.eye(predictions.shape[3])[int(matrix.outcome.values[0])]
    sure = replace(matrix, predictions=predictions)
    note = notes_of(sure, "log-loss")["unbounded-loss"]
    assert "some class in 1 sample a probability below 1 in 10,000" in note.text
    assert "the true class of" not in note.text
    assert "unbounded-loss" not in notes_of(sure, "log-loss", plan=replace(PLAN, clip=2e-4))
    assert "unbounded-loss" not in notes_of(sure, "brier")


@pytest.mark.parametrize("kind", ["label", "probability"])
def test_a_winner_that_predicts_one_class_is_told_of(kind):
    matrix = binary(n_samples=60, kind=PredictionKind(kind))
    truth = (np.arange(60) % 8 == 0).astype(int)
    matrix = replace(matrix, outcome=replace(matrix.outcome, values=truth))
    predictions = np.array(matrix.predictions)
    predictions[0, :, 0] = 0 if kind == "label" else np.linspace(0.01, 0.4, 60)
    matrix = replace(matrix, predictions=predictions)
    found, _ = estimate(matrix, [METRICS["accuracy"]], PLAN, ["bbc"])
    notes = {note.code: note.text for note in found[0].notes}
    assert found[0].winner == "c0"
    assert "87% of them are" in notes["majority-rule"]
    predictions[0, 0, 0] = 1
    one_other = replace(matrix, predictions=predictions)
    found, _ = estimate(one_other, [METRICS["accuracy"]], PLAN, ["bbc"])
    assert "majority-rule" not in {note.code for note in found[0].notes}


# Risks that seem to be the other way round


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
def test_noise_is_hardly_ever_reversed():
    assert sum("risk-reversed" in codes_of_cvt(noise(seed)) for seed in range(300)) <= 3


def test_times_instead_of_risks_are_said():
    matrix = noise(0, n_samples=120)
    times = 3 * matrix.outcome.values[None, :, None] + matrix.predictions
    assert "risk-reversed" in codes_of_cvt(replace(matrix, predictions=times))
    assert "risk-reversed" not in codes_of_cvt(replace(matrix, predictions=-times))
    for n_events in (1, 4):
        few = replace(matrix.outcome, event=np.arange(120) < n_events)
        assert "risk-reversed" not in codes_of_cvt(replace(matrix, predictions=times, outcome=few))
