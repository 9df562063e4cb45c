"""Arrays of unusual types: masked ones, dates, and integers that are equal as floats."""

import numpy as np
import pytest
from day import swept

from bbccli import matrix_of
from bbccli.errors import InputError

LAST = 2**53
TEXT = np.array([["a", "b"], ["b", "b"], ["a", "a"]])
GAP = np.array([[True, False], [False, False], [False, False]])


def test_masked_text_is_missing():
    matrix = matrix_of(np.ma.array(TEXT, mask=GAP), ["a", "b", "a"], missing="available")
    assert matrix.available.tolist() == [[[False, True], [True, True], [True, True]]]
    assert matrix.predictions[0, :, 1].tolist() == [1.0, 1.0, 0.0]


def test_masked_integers_keep_their_digits():
    """As floats these were 4 neighbours, of which the truth was none."""
    truth = [LAST + 1, LAST + 3, LAST + 1]
    given = np.array([[LAST + 1, LAST + 3], [LAST + 3, LAST + 3], [LAST + 1, LAST + 1]])
    for array in (given, np.ma.array(given), np.ma.array(given, mask=GAP)):
        matrix = matrix_of(array, truth, missing="available")
        assert matrix.outcome.classes == (str(LAST + 1), str(LAST + 3))
        assert matrix.predictions[0, :, 1].tolist() == [1.0, 1.0, 0.0]


@pytest.mark.parametrize("where", ["predictions", swept("outcome"), "folds", swept("weights")])
@pytest.mark.parametrize("kind", ["datetime64[s]", swept("timedelta64[D]")])
def test_dates_are_refused(where, kind):
    values = np.array([1, 2, 1]).astype(kind)
    values = values if kind.startswith("d") else values.astype(object)
    given = {"predictions": np.array([[0.1], [0.9], [0.2]]), "outcome": [0, 1, 0]}
    given[where] = values[:, None] if where == "predictions" else values
    with pytest.raises(InputError, match="holds dates or durations"):
        matrix_of(**given)


@pytest.mark.parametrize(
    ("task", "problem"),
    [
        ("regression", r"truth has integers beyond 2\*\*53 that are equal as numbers of 64 bits"),
        ("multiclass", r"classes such as \d+ are equal as numbers of 64 bits"),
    ],
)
def test_integers_that_floats_merge(task, problem):
    """An RMSE of 0, or a single predicted class, came of them."""
    truth = 2**60 + np.array([0, 1, 2, 0])
    with pytest.raises(InputError, match=problem):
        matrix_of(truth[::-1, None], truth, task=task)
    apart = 2**60 + 1024 * np.array([0, 1, 2, 0])
    assert matrix_of(apart[::-1, None], apart, task=task).task == task


def test_integers_beyond_int64():
    with pytest.raises(InputError, match=r"holds integers over 2\*\*63"):
        matrix_of([[1], [0]], np.array([2**63, 2**63 + 1], np.uint64))
