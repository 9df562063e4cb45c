"""Rows as samples and repeats; folds and groups."""

import pytest
from day import swept
from numpy.testing import assert_array_equal
from reading import refused

from bbccli.reading import read
from bbccli.types import Missing

TRUTH = ["x", "y", "x"]
TWICE = {"row_id": [0, 1, 0, 1], "repeat": [0, 0, 1, 1], "truth": [*"xyxy"]}
TWICE |= {"a": [0.1, 0.2, 0.3, 0.4]}


def test_repeats_are_joined_by_row_id(save):
    columns = {
        "row_id": ["p", "q", "r", "r", "q", "p"],
        "repeat": [2, 2, 2, 1, 1, 1],
        "fold": ["F10", "F2", "F2", "F2", "F10", "F10"],
        "truth": [*TRUTH, *TRUTH[::-1]],
        "group": ["g", "h", "h", "h", "h", "g"],
        "a": [0.1, 0.2, 0.3, 0.6, 0.5, 0.4],
    }
    matrix = read(save("m.csv", columns))
    assert_array_equal(matrix.predictions[..., 0], [[0.4, 0.5, 0.6], [0.1, 0.2, 0.3]])
    assert_array_equal(matrix.folds, [[1, 1, 0], [1, 0, 0]])
    assert matrix.fold_names == ("F2", "F10")
    assert_array_equal(matrix.groups, [0, 1, 1])
    assert matrix.outcome.values.tolist() == [0, 1, 0]


def test_repeats_without_row_id_go_by_order(save):
    columns = {"repeat": [0, 1, 0, 1], "truth": ["x", "x", "y", "y"], "a": [0.1, 0.2, 0.3, 0.4]}
    matrix = read(save("m.csv", columns))
    assert_array_equal(matrix.predictions[..., 0], [[0.1, 0.3], [0.2, 0.4]])
    uneven = save("n.csv", {"repeat": [0, 0, 1], "truth": TRUTH, "a": [0.1, 0.2, 0.3]})
    refused("repeats have 1 to 2 rows, and there is no row_id", uneven, hint="row_id")


def test_folds_numbered_across_repeats_are_recoded(save):
    matrix = read(save("m.csv", TWICE | {"fold": [0, 1, 2, 3]}))
    assert_array_equal(matrix.folds, [[0, 1], [0, 1]])
    assert matrix.n_folds == 2


@pytest.mark.parametrize(
    ("names", "order"),
    [
        (["Fold10", "Fold2", "Fold1"], ("Fold1", "Fold2", "Fold10")),
        ([2, -1, -10], ("-10", "-1", "2")),
        (["10", "2", "1a"], ("1a", "2", "10")),
        swept(["b", "a1b", "a"], ("a", "a1b", "b")),
        swept(["²", "3", "x"], ("3", "x", "²")),
    ],
)
def test_fold_names_are_in_natural_order(save, names, order):
    matrix = read(save("m.csv", {"fold": names, "truth": TRUTH, "a": [0.1, 0.2, 0.3]}))
    assert matrix.fold_names == order
    assert [matrix.fold_names[code] for code in matrix.folds[0]] == [str(n) for n in names]


@pytest.mark.parametrize("fold", [[None] * 3, [0, None, 1]])
def test_missing_folds_are_unknown(save, fold):
    matrix = read(save("m.parquet", {"fold": fold, "truth": TRUTH, "a": [0.1, 0.2, 0.3]}))
    assert matrix.folds is None
    (note,) = matrix.notes
    assert note.code == "folds-unknown"
    assert ("1 of 3 rows has no fold" in note.text) == (0 in fold)


@pytest.mark.parametrize(
    ("columns", "message", "hint"),
    [
        ({"row_id": [4, 5, 4]}, r"row_id occurs twice \(.*'row_id', row 2, value 4\)", "repeat"),
        swept({"row_id": [4, 5, 4]}, "row_id occurs twice", "several experiments, give each"),
        swept({"row_id": [4, 5, 4], "repeat": [1, 1, 1]}, "twice in one repeat .*row 2", "remove"),
        swept({"row_id": [4, None, 5]}, r"row_id is missing \(column 'row_id', row 1\)", "key"),
        swept({"row_id": [4, 5, 4], "repeat": [1, None, 2]}, "repeat is missing .*row 1", "pass"),
        swept({"group": ["a", None, "b"]}, "group is missing .*row 1", "group"),
    ],
)
def test_faulty_keys(save, columns, message, hint):
    path = save("m.parquet", {**columns, "truth": TRUTH, "a": [0.1, 0.2, 0.3]})
    refused(message, path, hint=hint)


@pytest.mark.parametrize("role", ["truth", "group"])
def test_what_must_not_vary_between_repeats(save, role):
    message = f"{role} differs between repeats of one sample .column '{role}', row 3, value 'x'"
    refused(message, save("m.csv", TWICE | {role: ["x", "y", "x", "x"]}))


def test_samples_of_one_repeat_only_are_left_out(save):
    columns = {
        "row_id": [0, 1, 2, 1, 0, 3],
        "repeat": [0, 0, 0, 1, 1, 1],
        "fold": [0, 1, 2, 1, 0, 2],
        "truth": ["x", "y", "x", "y", "x", "y"],
        "a": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
    }
    path = save("m.csv", columns)
    matrix = read(path)
    assert_array_equal(matrix.predictions[..., 0], [[0.1, 0.2], [0.5, 0.4]])
    assert matrix.n_folds == 2
    (note,) = matrix.notes
    assert (note.code, note.text[:16]) == ("samples-left-out", "2 of 4 samples h")
    refused("2 of 4 samples", path, missing=Missing.ERROR)
