"""What rules on columns must not overlook, nor claim."""

import numpy as np
import pytest
from reading import refused

from bbccli.reading import Roles, read
from bbccli.types import PredictionKind, Task

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
    """One half where the truth is 0 is the probability of the true class by itself."""
    columns = {"y": TWO, "half": np.where(TWO == 0, 0.5, P), "q": Q}
    assert read(save("m.csv", columns)).configurations == ("half", "q")


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


TARGETS = {"y_true": "y_true_2", "target1": "target2", "Label_0": "label_1"}


@pytest.mark.parametrize(("truth", "other"), TARGETS.items())
def test_further_outcomes_are_no_configurations(save, truth, other):
    columns = {truth: VALUES, other: RNG.normal(0, 1, N).round(3), "x": X, "y_pred": Y}
    path, roles = save("m.csv", columns), Roles(truth=truth)
    found = refused("are called like several outcomes", path, roles=roles, hint=f"{other!r}")
    assert truth in str(found) and "x" not in str(found).partition(" are ")[0].split(", ")
    assert read(path, roles=roles, exclude=other).configurations == ("x", "y_pred")
    assert other in read(path, roles=roles, only="*").configurations


def test_numbered_predictions_of_y_are_no_outcomes(save):
    assert read(save("m.csv", {"y": VALUES, "y1": X, "y2": Y})).configurations == ("y1", "y2")
    path = save("n.csv", {"0": X, "1": Y, "2": VALUES})  # nor are columns of an array
    assert read(path, roles=Roles(truth="2")).configurations == ("0", "1")


@pytest.mark.parametrize("noise", [0.02, 0.3])
def test_values_of_the_truth_with_a_little_noise_are_doubted(save, noise):
    """A spread of 10: the correlation is 0.999998 or 0.9995."""
    leak = VALUES + RNG.normal(0, noise, N)
    assert (np.diff(leak[VALUES.argsort()]) < 0).any()
    notes = read(save("m.csv", {"y": VALUES, "x": X, "z": Y, "leak": leak.round(4)})).notes
    texts = [note.text for note in notes if note.code == "perfect-configuration"]
    assert [text.partition(";")[0] for text in texts] == (
        ["leak ranks all samples as the truth does, or nearly so"] if noise < 0.1 else []
    )


def test_a_median_far_from_that_of_the_truth_is_off_the_scale(save):
    columns = {"y": VALUES, "x": X, "z": Y, "latitude": RNG.uniform(20, 22, N).round(3)}
    assert columns["latitude"].min() > VALUES.min()
    notes = read(save("m.csv", columns)).notes
    (text,) = [note.text for note in notes if note.code == "off-scale"]
    assert text.startswith("latitude is off the scale")


def test_a_group_among_whole_numbers_is_offered(save):
    columns = {"y": TWO, "p": P, "q": Q, "subject": RNG.integers(0, 50, N)}
    (note,) = [n for n in read(save("m.csv", columns)).notes if n.code == "whole-numbers"]
    assert "--group 'subject' if rows with one value" in note.remedy
    columns["subject"] = RNG.permutation(N) * 7
    (note,) = [n for n in read(save("m.csv", columns)).notes if n.code == "whole-numbers"]
    assert "--group" not in note.remedy


def test_probabilities_just_beyond_1_are_rounded(save):
    over = np.where(P > 0.9, 1.0000001, P)
    over[TWO == 0] = np.where(P < 0.1, -1e-7, P)[TWO == 0]
    matrix = read(save("m.csv", {"y": TWO, "p": over, "q": Q}))
    assert matrix.kind is PredictionKind.PROBABILITY
    assert matrix.predictions.min() == 0 and matrix.predictions.max() == 1
    beyond = read(save("n.csv", {"y": TWO, "p": np.where(P > 0.9, 1.00001, P), "q": Q}))
    assert beyond.kind is PredictionKind.SCORE
    assert beyond.predictions.max() == 1.00001


def test_a_file_of_folds_that_holds_the_truth_is_refused(save):
    table = save("m.csv", {"row_id": range(N), "y": TWO, "p": P})
    truth = save("t.csv", {"row_id": range(N), "label": TWO})
    refused("unclear which column is the fold", table, folds=truth)
    folds = save("f.csv", {"row_id": range(N), "fold": np.arange(N) % 5})
    refused("unclear which column is the truth", table, labels=folds)
    other = save("o.csv", {"row_id": range(N), "part": np.arange(N) % 5})
    assert len(read(table, folds=other).fold_names) == 5


@pytest.mark.parametrize("name", ["cv_fold", "Fold_No", "test_fold"])
def test_more_names_of_folds(save, name):
    matrix = read(save("m.csv", {name: np.arange(N) % 4, "y": TWO, "p": P, "q": Q}))
    assert matrix.fold_names == ("0", "1", "2", "3")
    assert matrix.configurations == ("p", "q")


def test_a_column_of_what_is_censored_is_not_offered_as_the_event(save):
    columns = {"days": np.arange(1, N + 1), "censored": TWO, "cox": P, "rsf": Q}
    error = refused("no truth column", save("m.csv", columns))
    assert error.told()[1].startswith("write a column 'event', 1 where censored says")
    assert "--event censored" not in error.told()[1]
    columns["died"] = columns.pop("censored")
    assert "--time days --event died" in refused("no truth", save("n.csv", columns)).told()[1]
