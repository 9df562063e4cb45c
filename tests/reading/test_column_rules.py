"""What rules on columns must not overlook, nor claim."""

import numpy as np
import pytest
from reading import refused

from bbccli.reading import read
from bbccli.types import Task

N = 200
RNG = np.random.default_rng(3)
TWO = RNG.integers(0, 2, N)
P = np.clip(0.3 + 0.4 * TWO + RNG.normal(0, 0.2, N), 0.02, 0.98).round(3)
Q = np.clip(0.4 + 0.2 * TWO + RNG.normal(0, 0.2, N), 0.02, 0.98).round(3)
VALUES = RNG.normal(50, 10, N).round(2)
X = (VALUES + RNG.normal(0, 5, N)).round(3)
Y = (VALUES + RNG.normal(0, 6, N)).round(3)


def test_two_metrics_of_one_system_are_refused(save):
    columns = {"item": np.arange(N), "faithfulness": P, "answer_relevancy": Q}
    refused("are metrics of one system", save("m.csv", columns), task=Task.SCORE)


def test_halves_rounded_up_in_both_columns_still_sum_to_1(save):
    bad = P.copy()
    bad[10 : 10 + N // 20] += 0.001
    file = save("m.csv", {"y": TWO, "alpha": 1 - bad, "beta": P, "q": Q})
    refused("alpha, beta sum to 1 in every row", file)


def test_quantiles_may_cross_in_a_few_rows(save):
    lower, upper = Y - 3, Y + 3
    lower[: N // 40], upper[: N // 40] = upper[: N // 40].copy(), lower[: N // 40].copy()
    crossing = {"fc_lower": lower, "fc": Y, "fc_upper": upper}
    assert read(save("m.csv", {"y": VALUES, "x": X, **crossing})).configurations == ("x", "fc")


def test_marks_that_are_right_in_most_rows_are_no_marks(save):
    said = (TWO + (RNG.random(N) < 0.2)) % 2
    hits = (said == TWO) ^ (np.arange(N) == 7)
    columns = {"y": TWO, "svm": said, "hits": hits.astype(int), "p": P, "q": Q}
    assert "svm" in read(save("m.csv", columns)).configurations
    columns["hits"] = (said == TWO).astype(int)
    refused("hits is 1 where svm is right", save("n.csv", columns))


def test_scores_beyond_probabilities_have_no_certainty(save):
    score = 4 * P - 1.3
    columns = {"score": score, "far": np.abs(score - 0.5), "q": Q}
    assert read(save("m.csv", {"y": TWO, **columns})).configurations == tuple(columns)


def test_certainty_is_told_of_rounded_probabilities(save):
    fine = np.clip(P + np.linspace(-0.02, 0.02, N), 0.001, 0.999)
    columns = {"p": np.rint(fine * 500) / 500, "larger": np.maximum(fine, 1 - fine), "q": Q}
    assert read(save("m.csv", {"y": TWO, **columns})).configurations == ("p", "q")


def test_no_column_is_computed_from_itself(save):
    file = save("m.csv", {"y": VALUES, "x": X, "twice": 2 * VALUES})
    refused("twice is the truth, but for a factor and a constant,", file)


def test_a_pattern_counts_before_another_one_leaves_its_columns_out(save):
    columns = {"y": TWO, "a": P, "c": Q, "b1": (P + Q).round(3), "b2": 1 - P * Q}
    matrix = read(save("m.csv", columns), only=["a", "c", "b*"], exclude=["b*"])
    assert matrix.configurations == ("a", "c")


@pytest.mark.parametrize("folds_of_each", [2, 10])
def test_few_values_of_an_outcome_prove_no_repeats(save, folds_of_each):
    n = 600
    rating = np.concatenate([RNG.permutation(np.arange(n) % 120) for _ in range(2)])
    fold = np.concatenate([r * folds_of_each + np.arange(n) % folds_of_each for r in range(2)])
    predictions = {name: (rating + RNG.normal(0, 5, 2 * n)).round(4) for name in "ab"}
    matrix = read(save("m.csv", {"fold": fold, "y": rating, **predictions}), task=Task.REGRESSION)
    assert matrix.n_samples == 2 * n
