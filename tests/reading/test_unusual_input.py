"""Arrays, keys, bounds and files that users bring now and then, and what becomes of them."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from day import daily, swept

from bbccli import matrix_of
from bbccli.errors import InputError, OptionError
from bbccli.reading import read
from bbccli.types import Missing, PredictionKind

N = 40
RNG = np.random.default_rng(5)
TRUTH = np.arange(N) % 2
CHANCES = (0.6 * RNG.random((N, 2)) + 0.4 * TRUTH[:, None]).round(6)
TWO = np.array([[0.2, 0.4], [0.9, 0.7], [0.1, 0.3], [0.8, 0.6]])
OUTCOME = [0, 1, 0, 1]


# Arrays


@pytest.mark.parametrize(
    ("predictions", "outcome", "how"),
    [
        ([[1, 2], [1]], OUTCOME, {}),
        swept(TWO, [[0], [1, 2], 0, 1], {}),
        (TWO, OUTCOME, {"folds": [[0], [1, 2], 0, 1]}),
        swept(TWO, np.array([b"\xff", b"a", b"\xff", b"a"]), {}),
    ],
    ids=["predictions", "outcome", "folds", "bytes"],
)
def test_what_is_no_array(predictions, outcome, how):
    with pytest.raises(InputError) as error:
        matrix_of(predictions, outcome, **how)
    assert error.value.path == "<arrays>"
    assert "not an array" in error.value.problem
    assert error.value.hint == "give as many values in each; text as str"


@pytest.mark.parametrize(
    ("predictions", "outcome", "column"),
    [
        (TWO * 1j, OUTCOME, "0"),
        swept(np.array([[0.1, 0.2], ["a", 0.3], [None, 0.1], [{}, 0.4]], object), OUTCOME, "0"),
        (TWO, np.array([0, "a", 1.5, True], object), "truth"),
        swept(TWO, np.array([b"a", b"b"] * 2, object), "truth"),
        swept(TWO, np.array([2**70, 1, 2**70, 1], object), "truth"),
    ],
)
def test_values_of_types_that_no_column_has(predictions, outcome, column):
    with pytest.raises(InputError) as error:
        matrix_of(predictions, outcome)
    assert "neither all numbers, booleans nor text" in error.value.problem
    assert error.value.column == column
    assert error.value.hint == "use one kind of value per array"


def test_bytes_are_text():
    """As HDF5 stores labels."""
    matrix = matrix_of(TWO, np.array(["né".encode(), b"a"] * 2))
    assert matrix.outcome.classes == ("a", "né")
    np.testing.assert_array_equal(matrix.outcome.values, [1, 0, 1, 0])


def test_times_have_no_classes():
    values = RNG.random((N, 2, 3))
    with pytest.raises(OptionError, match="a survival task has no classes") as error:
        matrix_of(values, np.arange(N) + 1.0, event=TRUTH)
    assert error.value.hint == "give (N, C) or (R, N, C)"


def test_gaps_among_classes_are_scored_where_there_is_a_prediction(save):
    """A gap in any class is one in all; what fills it is never scored."""
    three = np.arange(N) % 3
    chances = RNG.random((N, 2, 3)) + np.eye(3)[three][:, None]
    chances /= chances.sum(axis=2, keepdims=True)
    broken = chances.copy()
    broken[5, 0, 1] = np.nan
    broken[9, 1] = np.nan
    matrix = matrix_of(broken, three, missing=Missing.AVAILABLE)
    expected = np.ones((1, N, 2), bool)
    expected[0, [5, 9], [0, 1]] = False
    np.testing.assert_array_equal(matrix.available, expected)
    assert np.isfinite(matrix.predictions).all()
    np.testing.assert_array_equal(matrix.predictions[matrix.available], chances[expected[0]])
    whole = matrix_of(broken, three, missing=Missing.COMMON_ROWS)
    assert whole.n_samples == N - 2


# Bounds


SCORES = {"fold": np.arange(N) % 4, "a": CHANCES[:, 0], "b": CHANCES[:, 1]}


NONE = ["0;1", "0", "", "a,b", "1,0", "1,1", "0,1,2", "nan,1", "0,inf", ","]


@pytest.mark.parametrize("bounds", daily(NONE, NONE[:3]))
def test_bounds_that_are_none(run, save, bounds):
    argv = ("correct", save("s.csv", SCORES), "--task", "score", "--bounds", bounds)
    err = run.refused(*argv)
    assert f"error: --bounds {bounds!r} is not LOW,HIGH" in err
    assert "hint: give two numbers, for example 0,1 or 1,5" in err


def test_an_empty_column_beside_labels_is_no_configuration(save):
    """The last comma of a spreadsheet, under a name."""
    words = np.array(["no", "yes"])
    guessed = (CHANCES > 0.5).astype(int)
    columns = {"truth": words[TRUTH], "a": words[guessed[:, 0]], "b": words[guessed[:, 1]]}
    matrix = read(save("p.csv", columns | {"c": [""] * N}))
    assert (matrix.configurations, matrix.kind) == (("a", "b"), PredictionKind.LABEL)
    np.testing.assert_array_equal(matrix.predictions[0], guessed)


# Files


class Broken:
    """A pipe whose other end fails."""

    @staticmethod
    def read(size=-1):
        raise OSError(5, "Input/output error")


@pytest.mark.parametrize(
    ("stdin", "words"),
    [
        (None, "<stdin>: standard input is closed"),
        (SimpleNamespace(buffer=Broken), "<stdin>: cannot be read: Input/output error"),
    ],
    ids=["closed", "broken"],
)
def test_standard_input_that_can_not_be_read(run, monkeypatch, stdin, words):
    monkeypatch.setattr(sys, "stdin", stdin)
    err = run.refused("correct", "-")
    assert f"error: {words}" in err
    assert "hint: give a file, or redirect one: bbc correct - < FILE" in err


@pytest.mark.parametrize("name", ["a" * 300, "a" * 300 + "/p.csv", "/".join(["a" * 200] * 30)])
def test_names_that_are_too_long(run, name):
    err = run.refused("correct", name)
    assert "cannot be read: File name too long" in err
    assert "hint: check the path" in err


@pytest.mark.parametrize(
    "text",
    [
        "row_id,truth,cat\nq0,cat2,cat2\nrow_id,truth,cat2\nq1,truth,truth\n",
        "truth,cat\ncat,cat\nuntruth,cat\nuntruth,untruth\n",
    ],
)
def test_a_row_that_begins_or_ends_as_the_header_does_is_one(tmp_path, text):
    """Files joined into one repeat the whole line."""
    path = tmp_path / "p.csv"
    path.write_text(text)
    assert read(path).n_samples == 3


@pytest.mark.parametrize("last", ["total", "Mean"])
def test_a_word_among_words_is_a_sample(save, last):
    """Only among keys with digits is it a row of totals."""
    columns = {"row_id": ["anna", "q1", "q2", last], "truth": OUTCOME, "a": TWO[:, 0]}
    assert read(save("p.csv", columns)).n_samples == 4
