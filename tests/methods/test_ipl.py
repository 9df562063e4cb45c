"""IPL: curves of the error against the training size, and their smallest value at the full one."""

from dataclasses import replace

import numpy as np
import pytest
from day import daily
from matrices import for_metric, of_labels
from scipy.optimize import lsq_linear

from bbccli import METHODS, Plan
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.types import PredictionKind
from benchmarks.validation import learning_curves

IPL = METHODS["ipl"]
SIZES = np.array([20, 40, 60, 80])
N = 1000


def of_size(errors, size):
    """N samples of which each configuration gets a share wrong."""
    wrong = np.arange(N)[:, None] < np.rint(N * np.asarray(errors))
    return of_labels(~wrong, configurations="abcdefgh"[: len(errors)], train_size=int(size))


def matrix_of(errors, sizes=SIZES):
    """Errors (S, C) by training size, fewest samples first."""
    *smaller, largest = map(of_size, errors, sizes)
    return replace(largest, smaller=tuple(smaller))


def slowly(sizes, errors, full, least=0.0):
    """One configuration's fitted error at the full size: exponents one by one, as in the paper."""
    best = (np.inf, np.nan)
    for b in np.exp(np.linspace(np.log(0.01), np.log(5), 3000)):
        design = np.column_stack([(sizes / full) ** -b, np.ones(len(sizes))])
        fitted = lsq_linear(design, errors, bounds=([0, least], [np.inf, np.inf]), method="bvls")
        best = min(best, (fitted.cost, fitted.x.sum()))
    return best[1]


@pytest.mark.parametrize("seed", daily(range(7), [0]))
def test_noisy_curves_against_a_slow_loop(seed):
    rng = np.random.default_rng(seed)
    for _ in range(4):  # rising, falling, on the bounds and off them
        losses = rng.integers(0, N // 2, (len(SIZES), 1)) / N
        found = IPL.run(matrix_of(losses), "error", Plan()).value
        assert found == pytest.approx(slowly(SIZES, losses[:, 0], N), abs=2e-3)


def test_the_smallest_fitted_error_is_the_estimate_whoever_wins_at_the_largest_size():
    errors = np.array([[0.30, 0.5], [0.30, 0.4], [0.30, 0.3], [0.21, 0.22]])
    of_a, of_b = (slowly(SIZES, column, N) for column in errors.T)
    found = IPL.run(matrix_of(errors), "error", Plan())
    assert of_b < of_a - 0.05
    assert found.value == pytest.approx(of_b, abs=1e-3)
    assert (found.winner, found.naive) == ("a", pytest.approx(0.21))
    assert found.experimental
    assert found.interval is None
    # a gain is what the error leaves
    assert IPL.run(matrix_of(errors), "accuracy", Plan()).value == pytest.approx(1 - found.value)


def test_another_metric_selects_by_its_own_curves():
    errors = np.array([[0.5, 0.30], [0.4, 0.26], [0.34, 0.24], [0.33, 0.22]])
    by_error = IPL.run(matrix_of(errors), "mcc", Plan(), select_by="error")
    alone = IPL.run(matrix_of(errors[:, 1:]), "mcc", Plan())
    assert by_error.value == pytest.approx(alone.value)


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        (of_size([0.1, 0.2], 80), r"several training sizes \(a column train_size\)"),
        (matrix_of([[0.2, 0.3], [0.1, 0.2]], (40, 80)), "at least three training sizes"),
        (matrix_of([[0.3], [0.2], [0.1]], (40, 80, N)), "is not smaller"),
    ],
)
def test_what_curves_need(matrix, said):
    with pytest.raises(UndefinedError, match=said):
        IPL.run(matrix, "error", Plan())


def test_a_configuration_lacks_a_size():
    matrix = matrix_of([[0.4, 0.3], [0.3, 0.2], [0.2, 0.1]], (20, 40, 80))
    first, second = matrix.smaller
    lacking = replace(matrix, smaller=(first, second.of_configurations(np.array([1]))))
    with pytest.raises(UndefinedError, match="'a' has no error at 40"):
        IPL.run(lacking, "error", Plan())


def test_other_rules_of_selection_are_refused():
    with pytest.raises(UnsupportedError, match="best configuration only"):
        IPL.run(matrix_of([[0.3], [0.2], [0.1]], (20, 40, 80)), "error", Plan(select="one-se"))


def test_configurations_are_found_by_name():
    errors = np.array([[0.5, 0.30], [0.4, 0.26], [0.34, 0.24], [0.33, 0.22]])
    matrix = matrix_of(errors)
    turned = [one.of_configurations(np.array([1, 0])) for one in matrix.smaller]
    found = IPL.run(replace(matrix, smaller=tuple(turned)), "error", Plan())
    assert found.value == IPL.run(matrix, "error", Plan()).value


def test_the_full_size_is_that_of_all_samples_though_few_are_held_out_at_the_largest():
    matrix = matrix_of([[0.4], [0.3], [0.25], [0.2]])
    few = replace(matrix.of_samples(np.arange(0, N, 5)), smaller=matrix.smaller)
    error = 1 - np.mean(few.predictions[0, :, 0] == few.outcome.values)
    expected = slowly(SIZES, np.array([0.4, 0.3, 0.25, error]), N)
    assert IPL.run(few, "error", Plan()).value == pytest.approx(expected, abs=1e-3)


def test_a_threshold_cuts_the_scores_of_all_sizes():
    rng = np.random.default_rng(0)
    sizes = [
        replace(
            of_size([0.3, 0.2], size),
            predictions=rng.random((1, N, 2)),
            kind=PredictionKind.PROBABILITY,
        )
        for size in SIZES
    ]
    *smaller, largest = sizes
    matrix = replace(largest, smaller=tuple(smaller)).with_threshold(0.9)
    assert [one.threshold for one in matrix.smaller] == [0.9] * 3
    cut = [one.with_threshold(0.9) for one in sizes]
    expected = replace(cut[-1], smaller=tuple(cut[:-1]))
    value = IPL.run(matrix, "recall", Plan()).value
    assert value == IPL.run(expected, "recall", Plan()).value
    assert value < 0.2  # not a half


def test_risks_are_turned_round_at_all_sizes():
    matrix = for_metric("concordance")
    turned = replace(matrix, smaller=(matrix,)).with_risk_direction("later")
    np.testing.assert_array_equal(turned.smaller[0].predictions, -matrix.predictions)


@pytest.mark.sweep
def test_the_store_can_be_made_again():
    setting = learning_curves.settings()[0]
    kept = learning_curves.STUDY.kept().results(setting.key)[0]
    assert kept == pytest.approx(learning_curves.repetition(setting, 0), abs=1e-6)
