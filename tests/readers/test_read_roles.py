"""Which column plays which role."""

from __future__ import annotations

import pytest
from numpy.testing import assert_array_equal

from bbccli.errors import InputError, OptionError
from bbccli.readers import Roles, read
from bbccli.types import Task

A = {"a": [0.1, 0.9, 0.2]}


def codes(matrix) -> list[str]:
    return [note.code for note in matrix.notes]


@pytest.mark.parametrize("name", ["truth", "Truth", "Y", "target", "class", "obs", "correct"])
def test_synonyms_of_truth(save, name):
    assert read(save("m.csv", {name: [0, 1, 0], **A})).configurations == ("a",)


@pytest.mark.parametrize("name", ["fold", "Folds", "split", "iteration", "Resample"])
def test_synonyms_of_fold(save, name):
    matrix = read(save("m.csv", {"truth": [0, 1, 0], name: [5, 5, 7], **A}))
    assert matrix.fold_names == ("5", "7")


@pytest.mark.parametrize("name", [".row", "rowIndex", "ID", "index", "row_ids"])
def test_synonyms_of_row_id(save, name):
    columns = {name: [3, 4, 3, 4], "repeat": [1, 1, 2, 2], "truth": [0, 1, 0, 1], "a": [0, 1, 1, 0]}
    assert read(save("m.csv", columns)).predictions.shape == (2, 2, 1)


@pytest.mark.parametrize("name", ["group", "patient_id", "Cluster"])
def test_synonyms_of_group(save, name):
    matrix = read(save("m.csv", {"truth": [0, 1, 0], name: ["x", "y", "x"], **A}))
    assert_array_equal(matrix.groups, [0, 1, 0])


def test_written_name_wins_and_the_other_is_said(save):
    matrix = read(save("m.csv", {"y": [5, 6, 7], "truth": [0, 1, 0], **A}))
    assert matrix.configurations == ("a",)
    assert matrix.task is Task.BINARY
    assert codes(matrix) == ["columns-ignored", "folds-unknown"]
    assert "y" in matrix.notes[0].text


def test_first_synonym_wins(save):
    columns = {"truth": [0, 1, 0], "split": [1, 1, 2], "folds": [7, 8, 9], **A}
    assert read(save("m.csv", columns)).fold_names == ("7", "8", "9")


def test_two_synonyms_of_truth_are_ambiguous(save):
    path = save("m.csv", {"y": [0, 1, 0], "target": [1, 0, 1], **A})
    with pytest.raises(
        InputError, match="more than one column could be the truth: 'y', 'target'"
    ) as e:
        read(path)
    assert e.value.hint == "--truth y"
    assert read(path, roles=Roles(truth="target")).outcome.values.tolist() == [1, 0, 1]


def test_roles_by_hand_win(save):
    columns = {"truth": [1, 1, 1], "t": [0, 1, 0], "f": [1, 2, 1], "fold": [0, 0, 0], **A}
    matrix = read(save("m.csv", columns), roles=Roles(truth="t", fold="f"))
    assert matrix.fold_names == ("1", "2")
    assert matrix.configurations == ("a",)
    assert codes(matrix) == ["columns-ignored"]


def test_column_with_two_roles(save):
    with pytest.raises(OptionError, match="'a' is given two roles"):
        read(save("m.csv", {"truth": [0, 1, 0], **A}), roles=Roles(truth="a", fold="a"))


def test_truth_and_time_by_hand(save):
    path = save("m.csv", {"x": [0, 1, 0], "z": [1, 2, 3], **A})
    with pytest.raises(OptionError, match="exclude each other"):
        read(path, roles=Roles(truth="x", time="z"))


@pytest.mark.parametrize("flag", ["truth", "fold", "repeat", "group", "row_id", "time", "event"])
def test_role_that_names_no_column(save, flag):
    path = save("m.csv", {"truth": [0, 1, 0], "fold": [0, 1, 2], **A})
    with pytest.raises(InputError, match=f"{flag} names no column: 'fould'") as e:
        read(path, roles=Roles(**{flag: "fould"}))
    assert e.value.hint == "did you mean 'fold'?"


def test_long_layout_names_are_configurations_of_a_wide_table(save):
    columns = {"truth": [0, 1, 0], "model": [0.1, 0.2, 0.3], "score": [0.2, 0.4, 0.6]}
    assert read(save("m.csv", columns)).configurations == ("model", "score")


@pytest.mark.parametrize("name", ["weight", "Weights", "sample_weight"])
def test_sample_weights(save, name):
    matrix = read(save("m.csv", {"truth": [0, 1, 0], name: [1, 1, 2.5], **A}))
    assert matrix.outcome.weights.tolist() == [1, 1, 2.5]
    assert name not in matrix.configurations


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
    with pytest.raises(InputError, match=message) as e:
        read(save("m.csv", {"truth": [0, 1, 0], "weight": weights, **A}))
    assert e.value.hint


def test_configurations_of_the_metadata_are_no_roles(save):
    metadata = {
        "spec": "bbc-predictions",
        "version": "1",
        "configs": [{"id": "y"}, {"id": "weights"}, {"id": "split"}],
    }
    columns = {"truth": [0, 1, 0], "y": [0.1, 0.6, 0.2], "weights": [0.1, 0.7, 0.2]}
    matrix = read(save("m.csv", {**columns, "split": [0.3, 0.5, 0.1]}, metadata))
    assert matrix.configurations == ("y", "weights", "split")


def test_time_alone_is_a_configuration(save):
    matrix = read(save("m.csv", {"truth": [0, 1, 0], "time": [0.1, 0.2, 0.3], **A}))
    assert matrix.configurations == ("time", "a")


def test_truth_beside_time_and_event(save):
    columns = {"truth": [0, 1, 0], "time": [1, 2, 3], "status": [0, 1, 1], **A}
    path = save("m.csv", columns)
    with pytest.raises(InputError, match=r"both a truth .* and a survival outcome") as e:
        read(path)
    assert e.value.hint == "--task survival, or --truth NAME"
    assert read(path, task=Task.SURVIVAL).configurations == ("a",)
    assert read(path, task=Task.BINARY).outcome.classes == ("0", "1")
    assert read(path, roles=Roles(truth="truth")).outcome.classes == ("0", "1")
    assert read(path, roles=Roles(time="time")).task is Task.SURVIVAL


def test_survival_needs_both(save):
    path = save("m.csv", {"t": [1, 2, 3], **A})
    with pytest.raises(
        InputError, match="a survival outcome needs a column 'event' beside 't'"
    ) as e:
        read(path, roles=Roles(time="t"))
    assert e.value.hint.startswith("--event NAME")


def test_tidymodels_ids(save):
    columns = {
        "id": ["Repeat1"] * 2 + ["Repeat2"] * 2,
        "id2": ["Fold1", "Fold2", "Fold2", "Fold1"],
        ".row": [1, 2, 1, 2],
        "truth": ["x", "y", "x", "y"],
        "a": [0.1, 0.2, 0.3, 0.4],
    }
    matrix = read(save("m.csv", columns))
    assert_array_equal(matrix.predictions[..., 0], [[0.1, 0.2], [0.3, 0.4]])
    assert_array_equal(matrix.folds, [[0, 1], [1, 0]])


def test_tidymodels_single_repeat(save):
    columns = {"id": ["Fold1", "Fold2", "Fold1"], "truth": [0, 1, 0], **A}
    assert read(save("m.csv", columns)).fold_names == ("Fold1", "Fold2")


def test_caret_resample(save):
    columns = {
        "rowIndex": [1, 2, 2, 1],
        "Resample": ["Fold1.Rep1", "Fold2.Rep1", "Fold1.Rep2", "Fold2.Rep2"],
        "obs": ["x", "y", "y", "x"],
        "a": [0.1, 0.2, 0.3, 0.4],
    }
    matrix = read(save("m.csv", columns))
    assert_array_equal(matrix.predictions[..., 0], [[0.1, 0.2], [0.4, 0.3]])
    assert_array_equal(matrix.folds, [[0, 1], [1, 0]])
    assert matrix.fold_names == ("Fold1", "Fold2")
