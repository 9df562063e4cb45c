"""What a pilot tells: the two-way table against loops, known spreads, and what it can't tell."""

import numpy as np
import pytest

from bbccli.comparisons.evidence import evidence_of
from bbccli.core.matrix import PredictionMatrix
from bbccli.core.outcome import Outcome
from bbccli.core.plan import Plan
from bbccli.errors import BbcError, UndefinedError, UnsupportedError
from bbccli.metrics import METRICS
from bbccli.planning import PlanRequest, Stated, Target, of_pilot, of_stated, planned_for
from bbccli.planning.pilot import noise_among
from bbccli.planning.simulation import binormal, noisy, right_or_wrong

PLAN = Plan(n_resamples=30)


def pilot(law=right_or_wrong, n=80, count=24, beta=(14, 6), correlation=0.5, seed=0):
    rng = np.random.default_rng(seed)
    true = np.clip(rng.beta(*beta, count), 0.001, 0.999)
    return law(true, n, rng, correlation=correlation).matrix


def test_the_noise_is_the_residual_mean_square_over_the_rows():
    """MSAB / N of rows x configurations, by the sums of a textbook."""
    matrix = pilot(n=40, count=7)
    right = (matrix.predictions[0] == matrix.outcome.values[:, None]).astype(float)
    n, count = right.shape
    total = 0.0
    for i in range(n):
        for j in range(count):
            fitted = right[i].mean() + right[:, j].mean() - right.mean()
            total += (right[i, j] - fitted) ** 2
    mean_square = total / ((n - 1) * (count - 1))
    found = noise_among(evidence_of(matrix, METRICS["accuracy"], PLAN), np.arange(count))
    assert found**2 == pytest.approx(mean_square / n, rel=1e-9)


def test_the_noise_of_aucs_is_that_of_placements():
    """Of two configurations, s^2 is half of DeLong's variance of their difference."""
    matrix = pilot(binormal, count=2)
    evidence = evidence_of(matrix, METRICS["auc"], PLAN)
    found = noise_among(evidence, np.arange(2))
    assert found**2 == pytest.approx(float(evidence.errors_against(1)[0]) ** 2 / 2, rel=1e-9)


def test_chance_and_spread_are_those_of_the_simulation():
    found = [
        of_pilot(pilot(n=150, count=80, beta=(9, 6), correlation=0.0, seed=seed), *_accuracy())
        for seed in range(4)
    ]
    p = 0.6
    spread = np.sqrt(p * (1 - p) / 16)
    s = np.sqrt((p * (1 - p) - spread**2) / 150)
    assert np.mean([one.chance(150).noise for one in found]) == pytest.approx(s, rel=0.03)
    assert np.mean([one.spread for one in found]) == pytest.approx(spread, rel=0.15)


def test_the_best_are_a_quarter_and_the_top_a_tenth():
    matrix = pilot(count=120)
    evidence = evidence_of(matrix, METRICS["accuracy"], PLAN)
    order = np.argsort(-evidence.gains, kind="stable")
    chance = of_pilot(matrix, *_accuracy()).chance(matrix.n_samples)
    assert chance.noise_of_best == pytest.approx(noise_among(evidence, order[:30]), rel=1e-12)
    assert chance.noise_at_top == pytest.approx(noise_among(evidence, order[:12]), rel=1e-12)


def test_groups_are_units():
    """Two copies of each row, in a group of their own, tell what one of them does."""
    single = pilot(n=60, count=10)
    outcome = Outcome(single.task, np.repeat(single.outcome.values, 2), single.outcome.classes)
    double = PredictionMatrix(
        outcome,
        np.repeat(single.predictions, 2, axis=1),
        single.configurations,
        single.kind,
        groups=np.repeat(np.arange(60), 2),
    )
    once, twice = (of_pilot(one, *_accuracy()) for one in (single, double))
    for name in ("noise", "noise_of_best", "noise_at_top", "error", "width"):
        expected = getattr(once.chance(60), name)
        assert getattr(twice.chance(120), name) == pytest.approx(expected)
    assert twice.spread == pytest.approx(once.spread)


def _accuracy():
    return METRICS["accuracy"], PLAN


def test_the_winner_is_expected_to_be_worth_what_bbc_says():
    from bbccli.methods import METHODS

    matrix = pilot()
    basis = of_pilot(matrix, *_accuracy())
    estimate = METHODS["bbc"].run(matrix, *_accuracy())
    assert basis.expected == pytest.approx(estimate.value)
    assert basis.honest(80, 24) == pytest.approx(estimate.value)
    # and not what the winner of the pilot scored
    assert basis.expected < estimate.naive


@pytest.mark.sweep
def test_equal_configurations_have_no_true_spread():
    matrix = next(
        one
        for one in (
            right_or_wrong(np.full(12, 0.7), 60, np.random.default_rng(k)).matrix for k in range(50)
        )
        if of_pilot(one, *_accuracy()).spread == 0
    )
    found = planned_for(of_pilot(matrix, *_accuracy()), PlanRequest())
    assert "no-true-spread" in {note.code for note in found.notes}
    from bbccli.planning.basis import expected_maximum

    assert found.chosen.optimism_upper == pytest.approx(found.noise * expected_maximum(12))


@pytest.mark.sweep
def test_errors_are_planned_in_their_own_direction():
    matrix = pilot(noisy, n=120, count=30, correlation=0.5)
    found = planned_for(of_pilot(matrix, METRICS["mse"], PLAN), PlanRequest(within=0.05))
    assert found.chosen.optimism > 0
    assert found.chosen.naive == pytest.approx(found.chosen.honest - found.chosen.optimism)


def test_near_perfect_configurations_are_noted_and_cut():
    matrix = pilot(n=100, count=100, beta=(297, 3), seed=2)
    basis = of_pilot(matrix, *_accuracy())
    found = planned_for(basis, PlanRequest())
    assert "near-perfect" in {note.code for note in found.notes}
    observed = (matrix.predictions[0] == matrix.outcome.values[:, None]).mean(axis=0)
    assert found.chosen.optimism_upper <= observed.max() - np.median(observed) + 1e-12
    assert found.chosen.naive <= 1


def test_what_can_t_be_planned():
    with pytest.raises(UndefinedError, match="tells nothing of the others"):
        of_pilot(pilot(count=1), *_accuracy())
    values = pilot(noisy, count=5)
    jumping = next(one for one in METRICS.values() if not one.smooth and values.task in one.tasks)
    with pytest.raises(UnsupportedError, match="jumps"):
        of_pilot(values, jumping, PLAN)


@pytest.mark.sweep
@pytest.mark.parametrize("law", [binormal, right_or_wrong])
def test_the_check_agrees_with_the_formulas(law, monkeypatch):
    monkeypatch.setattr("bbccli.planning.check.N_INTERVALS", 6)
    monkeypatch.setattr("bbccli.planning.check.MOST_REPEATS", 80)
    metric = METRICS["auc" if law is binormal else "accuracy"]
    basis = of_pilot(pilot(law, n=100, count=60, beta=(9, 6)), metric, PLAN)
    found = planned_for(basis, PlanRequest(samples=(200,), configurations=(40,), checked=True))
    seen, told = found.check, found.chosen
    assert seen.n_repeats == 80
    assert told.optimism_lower - 3 * seen.optimism_error <= seen.optimism
    assert seen.optimism <= told.optimism_upper + 3 * seen.optimism_error
    assert seen.width == pytest.approx(told.width, rel=0.25)
    assert seen.honest == pytest.approx(told.honest, abs=0.04)


@pytest.mark.sweep
def test_the_check_of_an_error_is_that_of_the_accuracy_mirrored(monkeypatch):
    monkeypatch.setattr("bbccli.planning.check.N_INTERVALS", 2)
    monkeypatch.setattr("bbccli.planning.check.MOST_REPEATS", 12)
    asked = PlanRequest(samples=(200,), configurations=(10,), checked=True)
    right, wrong = (
        planned_for(of_stated(METRICS[name], Stated(expected, 10), 0.95), asked)
        for name, expected in (("accuracy", 0.8), ("error", 0.2))
    )
    assert right.check.naive == pytest.approx(right.chosen.naive, abs=0.03)
    for key in ("naive", "honest"):
        mirrored = 1 - getattr(wrong.check, key)
        assert mirrored == pytest.approx(getattr(right.check, key), abs=1e-12)
    assert wrong.check.optimism == pytest.approx(right.check.optimism, abs=1e-12)
    assert right.check.naive > right.check.honest


def test_a_check_needs_a_law():
    basis = of_pilot(pilot(noisy, count=8), METRICS["mse"], PLAN)
    with pytest.raises(BbcError, match="no law of simulation"):
        planned_for(basis, PlanRequest(checked=True))


def test_what_is_attained_is_of_the_chosen_rows():
    basis = of_stated(METRICS["auc"], Stated(0.85, 10), 0.95)
    found = planned_for(
        basis, PlanRequest(target=Target.OPTIMISM, value=0.02, configurations=(10,))
    )
    assert found.wanted.attainable == found.chosen.optimism_upper <= 0.02 < found.chosen.width
    assert found.wanted.n_samples == found.chosen.n_samples > found.halved.n_samples
