"""Columns play roles by hand, by name, or by a synonym."""

import pytest
from documents import codes
from numpy.testing import assert_array_equal
from reading import refused

from bbccli.errors import OptionError
from bbccli.readers import Roles, read
from bbccli.types import Task

A = {"a": [0.1, 0.9, 0.2]}
BINARY = {"truth": [0, 1, 0], **A}
REPEATS = {"repeat": [1, 1, 2, 2], "truth": [0, 1, 0, 1], "a": [0, 1, 1, 0]}
NAMED = {
    "truth Truth Y target class obs correct": (A, [0, 1, 0], lambda m: m.configurations == ("a",)),
    "fold Folds split iteration Resample": (BINARY, [5, 5, 7],
        lambda m: m.fold_names == ("5", "7")),
    ".row rowIndex ID index row_ids": (REPEATS, [3, 4, 3, 4],
        lambda m: m.predictions.shape == (2, 2, 1)),
    "group patient_id Cluster": (BINARY, list("xyx"), lambda m: m.groups.tolist() == [0, 1, 0]),
    "weight Weights sample_weight": (BINARY, [1, 1, 2.5],
        lambda m: (m.outcome.weights.tolist(), m.configurations) == ([1, 1, 2.5], ("a",))),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "columns", "values", "holds"),
    [(name, *case) for names, case in NAMED.items() for name in names.split()],
)
@pytest.mark.one_in(3)
def test_synonyms(save, name, columns, values, holds):
    assert holds(read(save("m.csv", {name: values} | columns)))


def test_written_name_wins_and_the_other_is_said(save):
    matrix = read(save("m.csv", {"y": [5, 6, 7], **BINARY}))
    assert (matrix.configurations, matrix.task) == (("a",), Task.BINARY)
    assert codes(matrix) == ["columns-ignored", "folds-unknown"]
    assert "y" in matrix.notes[0].text


def test_first_synonym_wins(save):
    columns = {"split": [1, 1, 2], "folds": [7, 8, 9], **BINARY}
    assert read(save("m.csv", columns)).fold_names == ("7", "8", "9")


def test_two_synonyms_of_truth_are_ambiguous(save):
    path = save("m.csv", {"y": [0, 1, 0], "target": [1, 0, 1], **A})
    words = "more than one column could be the truth: 'y', 'target'"
    assert refused(words, path).hint == "--truth y"
    assert read(path, roles=Roles(truth="target")).outcome.values.tolist() == [1, 0, 1]


def test_roles_by_hand_win(save):
    columns = {"truth": [1, 1, 1], "t": [0, 1, 0], "f": [1, 2, 1], "fold": [0, 0, 0], **A}
    matrix = read(save("m.csv", columns), roles=Roles(truth="t", fold="f"))
    assert (matrix.fold_names, matrix.configurations) == (("1", "2"), ("a",))
    assert codes(matrix) == ["columns-ignored"]


def test_column_with_two_roles(save):
    roles = Roles(truth="a", fold="a")
    refused("'a' is given two roles", save("m.csv", BINARY), roles=roles, kind=OptionError)


@pytest.mark.parametrize("flag", ["truth", "fold", "repeat", "group", "row_id", "time", "event"])
def test_role_that_names_no_column(save, flag):
    path, roles = save("m.csv", {"fold": [0, 1, 2], **BINARY}), Roles(**{flag: "fould"})
    error = refused(f"{flag} names no column: 'fould'", path, roles=roles)
    assert error.hint == "did you mean 'fold'?"


def test_long_layout_names_are_configurations_of_a_wide_table(save):
    columns = {"truth": [0, 1, 0], "model": [0.1, 0.2, 0.3], "score": [0.2, 0.4, 0.6]}
    assert read(save("m.csv", columns)).configurations == ("model", "score")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, None, 2], "weight is missing .*row 1"),
        ([1, 2, 0], "weight is not positive .*row 2, value 0"),
        ([1, -2, 1], "weight is not positive .*row 1, value -2"),
        (["a", "b", "c"], "weight is text"),
    ],
)
def test_weights_that_are_none(save, weights, message):
    refused(message, save("m.csv", {"weight": weights, **BINARY}))


def test_configurations_of_the_metadata_are_no_roles(save):
    names = ("y", "weights", "split")
    metadata = {"spec": "bbc-predictions", "version": "1", "configs": [{"id": n} for n in names]}
    columns = {"y": [0.1, 0.6, 0.2], "weights": [0.1, 0.7, 0.2], "split": [0.3, 0.5, 0.1]}
    matrix = read(save("m.csv", {"truth": [0, 1, 0], **columns}, metadata))
    assert matrix.configurations == names


def test_time_and_event(save):
    """The message about both, and about a time alone by hand: `test_messages.py`."""
    alone = read(save("m.csv", {"truth": [0, 1, 0], "time": [0.1, 0.2, 0.3], **A}))
    assert alone.configurations == ("time", "a")
    path = save("m.csv", {"time": [1, 2, 3], "status": [0, 1, 1], **BINARY})
    assert read(path, task=Task.SURVIVAL).configurations == ("a",)
    assert read(path, task=Task.BINARY).outcome.classes == ("0", "1")
    assert read(path, roles=Roles(truth="truth")).outcome.classes == ("0", "1")
    assert read(path, roles=Roles(time="time")).task is Task.SURVIVAL


@pytest.mark.parametrize(
    ("columns", "order"),
    [
        (
            {
                "id": ["Repeat1"] * 2 + ["Repeat2"] * 2,
                "id2": ["Fold1", "Fold2", "Fold2", "Fold1"],
                ".row": [1, 2, 1, 2],
                "truth": list("xyxy"),
            },
            [[0, 1], [2, 3]],
        ),
        (
            {
                "rowIndex": [1, 2, 2, 1],
                "Resample": ["Fold1.Rep1", "Fold2.Rep1", "Fold1.Rep2", "Fold2.Rep2"],
                "obs": list("xyyx"),
            },
            [[0, 1], [3, 2]],
        ),
    ],
    ids=["tidymodels", "caret"],
)
@pytest.mark.one_in(1)
def test_repeats_and_folds_of_other_tools(save, columns, order):
    matrix = read(save("m.csv", columns | {"a": [0, 1, 2, 3]}), task=Task.BINARY)
    assert_array_equal(matrix.predictions[..., 0], order)
    assert_array_equal(matrix.folds, [[0, 1], [1, 0]])
    assert matrix.fold_names == ("Fold1", "Fold2")


def test_tidymodels_single_repeat(save):
    columns = {"id": ["Fold1", "Fold2", "Fold1"], **BINARY}
    assert read(save("m.csv", columns)).fold_names == ("Fold1", "Fold2")
