"""The order of classes that positions name, and truths that are classes in another notation."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bbccli import matrix_of, read
from bbccli.types import PredictionKind, Task

N = 150
RNG = np.random.default_rng(2)
CODES = RNG.integers(0, 3, N)
WEIGHTS = np.exp(2 * np.eye(3)[CODES] + RNG.normal(0, 1, (2, N, 3)))
PROBABILITIES = np.moveaxis(WEIGHTS / WEIGHTS.sum(axis=2, keepdims=True), 0, 1)  # (N, 2, 3)


def _accuracy(matrix):
    return (matrix.predictions[0].argmax(axis=-1) == matrix.outcome.values[:, None]).mean(axis=0)


RIGHT = (PROBABILITIES.argmax(axis=2) == CODES[:, None]).mean(axis=0)


def _lists(truth):
    return pd.DataFrame(
        {"truth": truth, "a": list(PROBABILITIES[:, 0]), "b": list(PROBABILITIES[:, 1])}
    )


def _notes(matrix):
    return [note.text for note in matrix.notes if note.code == "classes-in-order"]


@pytest.mark.parametrize("made", [matrix_of, lambda _, y: read(_lists(y))])
def test_texts_are_in_the_order_of_their_spelling(made):
    matrix = made(PROBABILITIES, np.array(["1", "10", "2"])[CODES])
    np.testing.assert_allclose(_accuracy(matrix), RIGHT)
    (text,) = _notes(matrix)
    assert "1, 10, 2" in text
    assert "alphabetical order" in text


@pytest.mark.parametrize("made", [matrix_of, lambda _, y: read(_lists(y))])
def test_numbers_are_in_the_order_of_their_values(made):
    matrix = made(PROBABILITIES, np.array([1, 2, 10])[CODES])
    np.testing.assert_allclose(_accuracy(matrix), RIGHT)
    assert not any("alphabetical" in text for text in _notes(matrix))


def test_words_need_no_note_in_arrays():
    assert not _notes(matrix_of(PROBABILITIES, np.array(["a", "b", "c"])[CODES]))
    named = matrix_of(PROBABILITIES, np.array(["1", "10", "2"])[CODES], classes=["1", "10", "2"])
    np.testing.assert_allclose(_accuracy(named), RIGHT)
    assert not _notes(named)


def test_the_positive_class_of_texts_is_the_last_by_spelling():
    truth = np.array(["10", "9"])[CODES // 2]
    matrix = matrix_of(PROBABILITIES[:, :, 2], truth)
    assert matrix.outcome.classes == ("10", "9")
    assert _notes(matrix)
    assert not _notes(matrix_of(PROBABILITIES[:, :, 2], truth, positive="9"))
    assert matrix_of(PROBABILITIES[:, :, 2], truth.astype(int)).outcome.classes == ("9", "10")


@pytest.mark.parametrize("truth", [CODES.astype(float), CODES + 1.0, 2.0 * CODES - 1])
def test_a_truth_of_whole_numbers_is_of_classes_if_the_predictions_are(truth):
    labels = np.where(RNG.random((N, 2)) < 0.7, truth[:, None], np.roll(truth, 1)[:, None])
    frames = [
        pd.DataFrame({"truth": y, "a": labels[:, 0], "b": labels[:, 1]})
        for y in (truth, truth.astype(int))
    ]
    as_floats, as_integers = map(read, frames)
    assert as_floats.task is as_integers.task is Task.MULTICLASS
    assert as_floats.kind is PredictionKind.LABEL
    assert as_floats.outcome.classes == as_integers.outcome.classes
    np.testing.assert_array_equal(as_floats.outcome.values, as_integers.outcome.values)


def test_a_truth_with_fractions_stays_one_of_values():
    truth = np.array([0.5, 1.0, 2.0])[CODES]
    frame = pd.DataFrame({"truth": truth, "a": np.roll(truth, 1), "b": np.roll(truth, 2)})
    assert read(frame).task is Task.REGRESSION


def test_counts_predicted_by_other_numbers_stay_values():
    counts = RNG.poisson(2, N).astype(float)
    frame = pd.DataFrame({"truth": counts, "a": counts + RNG.normal(0, 1, N)})
    assert read(frame).task is Task.REGRESSION


def test_scores_of_two_classes_are_one_margin_of_full_precision():
    no, yes = np.float32(524289), np.float32(0.03125)
    columns = {"a::no": RNG.normal(size=20), "a::yes": RNG.normal(size=20)}
    table = pa.table(
        {"truth": ["no", "yes"] * 10}
        | {name: pa.array(values.astype(np.float32)) for name, values in columns.items()}
    )
    table = table.set_column(1, "a::no", pa.array([no, *table["a::no"].to_numpy()[1:]]))
    table = table.set_column(2, "a::yes", pa.array([yes, *table["a::yes"].to_numpy()[1:]]))
    matrix = read(table)
    assert (matrix.kind, matrix.configurations) == (PredictionKind.SCORE, ("a",))
    double = [table[name].to_numpy().astype(float) for name in ("a::yes", "a::no")]
    np.testing.assert_array_equal(matrix.predictions[0, :, 0], double[0] - double[1])
