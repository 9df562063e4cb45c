"""Student's t over folds, by hand, against scipy, and against a slow loop."""

from dataclasses import replace

import numpy as np
import pytest
from documents import codes
from matrices import binary, by_hand
from oracle_data import METRIC_OF, QUESTIONS, matrix
from scipy.stats import t, ttest_1samp

from bbccli import METHODS, METRICS, Plan
from bbccli.errors import UndefinedError
from bbccli.stats.selection.candidates import fold_performances


def run(name, matrix, metric="accuracy", **plan):
    return METHODS[name].run(matrix, METRICS[metric], Plan(**plan))


@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_plain_is_the_t_test_of_scipy(name, question):
    data, metric = matrix(name, question), METRIC_OF[question]
    found = METHODS["t-folds"].run(data, metric, Plan(level=0.9))
    winner = data.configurations.index(found.winner)
    by_fold = fold_performances(data, metric)[0]
    assert by_fold[:, winner].mean() == pytest.approx(by_fold.mean(axis=0).max(), rel=1e-12)
    expected = ttest_1samp(by_fold[:, winner], 0).confidence_interval(0.9)
    assert found.value == pytest.approx(by_fold[:, winner].mean(), rel=1e-13)
    assert found.interval.lower == pytest.approx(max(expected.low, 0), abs=1e-12)
    assert found.interval.upper == pytest.approx(min(expected.high, 1), abs=1e-12)


@pytest.mark.parametrize("n_repeats", [1, 3])
def test_corrected_is_the_sum_of_the_paper(n_repeats):
    data = binary(n_samples=43, n_repeats=n_repeats)
    found = run("t-corrected", data, "accuracy", level=0.5)
    values, ratios = [], []
    winner = data.configurations.index(found.winner)
    right = (data.predictions[:, :, winner] > 0.5) == data.outcome.values
    for folds, of_repeat in zip(data.folds, right, strict=True):
        for fold in range(5):
            tested = folds == fold
            values.append(of_repeat[tested].mean())
            ratios.append(tested.sum() / (~tested).sum())
    n = len(values)
    mean = sum(values) / n
    square = sum((v - mean) ** 2 for v in values) / (n - 1)
    margin = t.ppf(0.75, n - 1) * np.sqrt((1 / n + sum(ratios) / n) * square)
    assert found.interval.lower == pytest.approx(mean - margin, abs=1e-12)
    assert found.interval.upper == pytest.approx(min(mean + margin, 1), abs=1e-12)


@pytest.mark.parametrize("name", ["t-folds", "t-corrected"])
def test_few_folds_are_noted(name):
    assert codes(run(name, by_hand())) == ["few-folds"]
    assert codes(run(name, binary(n_folds=5))) == []


@pytest.mark.parametrize("name", ["t-folds", "t-corrected"])
def test_equal_folds_give_no_width_and_a_note(name):
    data = binary(n_configurations=1)
    perfect = replace(data, predictions=0.1 + 0.8 * data.outcome.values[None, :, None])
    found = run(name, perfect, "auc")
    assert (found.interval.lower, found.interval.upper) == (1.0, 1.0)
    (note,) = [note for note in found.notes if note.code == "no-variance"]
    assert "variance at 1 is 0" in note.text


@pytest.mark.parametrize("name", ["t-folds", "t-corrected", "naive-f"])
def test_a_fold_where_the_winner_is_undefined_is_named(name):
    # the only configuration predicts no positive in the first fold
    data = binary(n_configurations=1)
    predictions = np.where(data.folds[:, :, None] == 0, 0.1, data.predictions)
    lacking = replace(data, predictions=predictions)
    with pytest.raises(UndefinedError, match="precision is undefined in fold 0"):
        run(name, lacking, "precision")
