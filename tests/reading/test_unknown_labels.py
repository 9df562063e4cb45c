"""Predicted labels that the truth lacks: answers of their own, which are wrong."""

import json

import numpy as np
import pandas as pd
import pytest
from documents import codes
from reading import refused

from bbccli import METRICS, read
from bbccli.types import PredictionKind, Task

N = 60
RNG = np.random.default_rng(1)
TRUTH = RNG.integers(0, 2, N)
LETTERS = np.array(["x", "y", "z", "abstain"])


def _labels(other, truth=TRUTH):
    wrong = RNG.random((N, 2)) < 0.2
    return np.where(wrong, RNG.choice([0, 1, other], (N, 2)), truth[:, None])


def _frame(truth, labels):
    return pd.DataFrame({"truth": truth, "a": labels[:, 0], "b": labels[:, 1]})


@pytest.mark.parametrize("numbers", [False, True])
def test_an_unknown_label_is_a_wrong_answer(numbers):
    coded = _labels(-1 if numbers else 3)
    frame = _frame(TRUTH, coded) if numbers else _frame(LETTERS[TRUTH], LETTERS[coded])
    matrix = read(frame)
    assert (matrix.task, matrix.kind) == (Task.MULTICLASS, PredictionKind.LABEL)
    scorer = METRICS["accuracy"].bind(matrix.outcome, matrix.predictions[0])
    found = scorer(np.ones((1, N), int))[0]
    np.testing.assert_allclose(found, (coded == TRUTH[:, None]).mean(axis=0))
    (note,) = [one for one in matrix.notes if one.code == "unknown-labels"]
    n_unknown = int((coded == (-1 if numbers else 3)).sum())
    assert note.text.startswith(f"{n_unknown} predictions are {'-1' if numbers else 'abstain'}")


def test_outliers_among_three_classes_of_numbers():
    truth = RNG.integers(0, 3, N)
    matrix = read(_frame(truth, _labels(-1, truth)))
    assert matrix.outcome.classes == ("-1", "0", "1", "2")


def test_metadata_that_name_the_class_need_no_note(tmp_path):
    path = tmp_path / "p.csv"
    _frame(LETTERS[TRUTH], LETTERS[_labels(3)]).to_csv(path, index=False)
    about = {"spec": "bbc-predictions", "version": 1, "classes": ["x", "y", "abstain"]}
    (tmp_path / "p.meta.json").write_text(json.dumps(about))
    assert "unknown-labels" not in codes(read(path))


@pytest.mark.parametrize("other", ["X", "x ", "Y"])
def test_another_spelling_is_no_answer_of_its_own(other):
    labels = LETTERS[TRUTH].astype(object)
    labels[:3] = other
    frame = _frame(LETTERS[TRUTH], np.stack([labels, LETTERS[TRUTH]], axis=1))
    assert "classes" in refused("not one of the classes", frame).hint


def test_other_words_are_not_labels_of_this_truth():
    words = np.array(["no", "yes"])[_labels(0)]
    refused("not one of the classes", _frame(LETTERS[TRUTH], words))
    mixed = np.where(np.arange(N)[:, None] < 10, LETTERS[TRUTH][:, None], words)
    refused("not one of the classes", _frame(LETTERS[TRUTH], mixed))


def test_a_binary_task_stays_one():
    frame = _frame(LETTERS[TRUTH], LETTERS[_labels(3)])
    assert "classes" in refused("not one of the classes", frame, task=Task.BINARY).hint


def test_signs_are_scores():
    signs = np.where(RNG.random((N, 2)) < 0.3, -1, 1)
    matrix = read(_frame(TRUTH, signs))
    assert (matrix.task, matrix.kind) == (Task.BINARY, PredictionKind.SCORE)
