"""Outcome and folds in files of their own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bbccli.errors import InputError, OptionError
from bbccli.readers import Roles, read
from bbccli.types import Task

PREDICTIONS = {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.4, 0.3, 0.2, 0.1]}
TRUTH = ["x", "y", "x", "y"]


def test_labels_by_row_id(save):
    labels = save("labels.csv", {"class": ["y", "x", "y", "x"], "row_id": [7, 6, 5, 4]})
    matrix = read(save("m.csv", {"row_id": [4, 5, 6, 7], **PREDICTIONS}), labels=labels)
    assert matrix.outcome.values.tolist() == [0, 1, 0, 1]
    assert matrix.configurations == ("a", "b")


def test_row_ids_of_two_types_and_names(save):
    labels = save("labels.parquet", {"id": ["4", "5", "6", "7"], "truth": TRUTH})
    path = save("m.csv", {"row_id": [7, 6, 5, 4], **PREDICTIONS})
    matrix = read(path, labels=labels, roles=Roles(labels_row_id="id"))
    assert matrix.outcome.values.tolist() == [1, 0, 1, 0]


def test_labels_file_wins_over_a_truth_column(save):
    labels = save("labels.csv", {"truth": TRUTH})
    matrix = read(save("m.csv", {"truth": [1, 2, 3, 4], **PREDICTIONS}), labels=labels)
    assert matrix.outcome.classes == ("x", "y")
    assert matrix.configurations == ("a", "b")
    assert matrix.notes[0].code == "columns-ignored"


def test_labels_of_samples_serve_all_repeats(save):
    columns = {"row_id": [0, 1, 1, 0], "repeat": [1, 1, 2, 2], **PREDICTIONS}
    for labels in ({"truth": ["x", "y"]}, {"row_id": [1, 0], "truth": ["y", "x"]}):
        how = {"by_position": "row_id" not in labels}
        matrix = read(save("m.csv", columns), labels=save("labels.csv", labels), **how)
        assert matrix.outcome.values.tolist() == [0, 1]


def test_ragged_folds_of_repeats(save):
    columns = {"row_id": [0, 1, 1, 0], "repeat": [1, 1, 2, 2], "truth": ["x", "y", "y", "x"]}
    path, folds = save("m.csv", columns | PREDICTIONS), save("folds.csv", "a,b\n0,\n1,\n")
    with pytest.raises(InputError, match="the predictions have 2 samples in 2 repeat") as e:
        read(path, folds=folds)
    assert e.value.hint


def test_labels_by_position_of_repeats_that_stand_apart(save):
    columns = {"repeat": [1, 2, 1, 2], **PREDICTIONS}
    matrix = read(save("m.csv", columns), labels=save("labels.csv", {"truth": ["x", "y"]}))
    assert matrix.outcome.values.tolist() == [0, 1]
    every = save("labels.csv", {"truth": ["x", "x", "y", "y"]})
    assert read(save("m.csv", columns), labels=every).outcome.values.tolist() == [0, 1]
    with pytest.raises(InputError, match="truth differs between repeats"):
        read(save("m.csv", columns), labels=save("labels.csv", {"truth": ["x", "y", "x", "y"]}))


def test_survival_labels(save):
    labels = save("labels.csv", {"time": [1, 2, 3, 4], "event": [0, 1, 1, 0]})
    matrix = read(save("m.csv", PREDICTIONS), labels=labels)
    assert matrix.task is Task.SURVIVAL
    with pytest.raises(InputError, match='task="binary" needs a truth') as e:
        read(save("m.csv", PREDICTIONS), labels=labels, task=Task.BINARY)
    assert e.value.hint


def test_truth_by_hand_is_looked_up_in_the_labels_file(save):
    labels = save("labels.csv", {"p": TRUTH, "q": TRUTH[::-1]})
    path = save("m.csv", PREDICTIONS)
    assert read(path, labels=labels, roles=Roles(truth="q")).outcome.values.tolist() == [1, 0, 1, 0]
    with pytest.raises(InputError, match="no single column is the truth: p, q") as e:
        read(path, labels=labels)
    assert "--truth" in e.value.hint
    with pytest.raises(InputError, match="truth names no column: 'z'"):
        read(path, labels=labels, roles=Roles(truth="z"))


@pytest.mark.parametrize("role", ["labels", "folds"])
def test_files_of_another_length(save, role):
    other = save("other.csv", {"truth" if role == "labels" else "fold": [0, 1, 0]})
    path = save("m.csv", {"truth": TRUTH, **PREDICTIONS})
    with pytest.raises(InputError, match=r"other.csv: has 3 rows, the predictions have 4") as e:
        read(path, **{role: other})
    assert "header" in e.value.hint


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([4, 5, 6, 9], r"folds.csv: row_id is not among the predictions .*row 3, value 9"),
        ([4, 5, 6], r"m.csv: row_id is not in .*folds.csv .*row 3, value 7"),
        ([4, 5, 6, 6], r"folds.csv: row_id occurs twice .*row 3, value 6"),
    ],
)
def test_row_ids_that_do_not_match(save, ids, message):
    folds = save("folds.csv", {"row_id": ids, "fold": range(len(ids))})
    path = save("m.csv", {"row_id": [4, 5, 6, 7], "truth": TRUTH, **PREDICTIONS})
    with pytest.raises(InputError, match=message) as e:
        read(path, folds=folds)
    assert e.value.hint


def test_folds_by_row_id(save):
    folds = save("folds.csv", {"row_id": [7, 6, 5, 4], "fold": ["D", "C", "B", "A"]})
    path = save("m.csv", {"row_id": [4, 5, 6, 7], "truth": TRUTH, **PREDICTIONS})
    matrix = read(path, folds=folds)
    assert_array_equal(matrix.folds, [[0, 1, 2, 3]])
    assert matrix.fold_names == ("A", "B", "C", "D")


def test_folds_of_repeats(save):
    path = save(
        "m.csv",
        {
            "row_id": [0, 1, 1, 0],
            "repeat": [1, 1, 2, 2],
            "truth": ["x", "y", "y", "x"],
            **PREDICTIONS,
        },
    )
    folds = save("folds.csv", {"fold": [1, 2, 1, 2]})
    assert_array_equal(read(path, folds=folds, by_position=True).folds, [[0, 1], [1, 0]])
    with pytest.raises(InputError, match="folds by row_id cannot tell 2 repeats apart") as e:
        read(path, folds=save("folds.csv", {"row_id": [0, 1], "fold": [1, 2]}))
    assert e.value.hint


@pytest.mark.parametrize(
    "text",
    ["0,1,2\n3,0,\n2,1,NaN\n", "0,1\n3,0\n2,1\n", "f,f,g\n3.0,0,\n2,1,\n", "a,b,c\n0,3,\n1,,2\n"],
)
def test_ragged_folds(save, text):
    path = save("m.csv", {"truth": TRUTH, **PREDICTIONS})
    matrix = read(path, folds=save("folds.csv", text))
    assert_array_equal(matrix.folds, [[0, 1, 1, 0]])
    assert matrix.fold_names == ("0", "1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1\n3,0\n2,\n", "has 3 sample positions, the predictions have 4 samples in 1 repeat"),
        ("0,1\n3,0\n2,4\n", r"cell is no sample position \(column '1', row 1, value 4"),
        ("0,1\n3,0\n2,1.5\n", r"cell is no sample position \(column '1', row 1, value 1.5"),
        (
            "0,1\n3,0\n2,3\n",
            r"cell is a sample position twice \(column '0', row 0|column '1', row 1",
        ),
        ("a,b\nx,0\n2,3\n", "no single column is the fold: a, b"),
    ],
)
def test_faulty_ragged_folds(save, text, message):
    path = save("m.csv", {"truth": TRUTH, **PREDICTIONS})
    with pytest.raises(InputError, match=message) as e:
        read(path, folds=save("folds.csv", text))
    assert e.value.hint


def test_two_files_from_stdin():
    with pytest.raises(OptionError, match="two files are read from stdin"):
        read("-", labels="-")


def test_labels_from_stdin(save, stdin):
    stdin(b"truth\nx\ny\nx\ny\n")
    assert read(save("m.csv", PREDICTIONS), labels="-").n_samples == 4


def test_missing_labels_file(save, tmp_path):
    with pytest.raises(InputError, match=r"labels.csv: no such file"):
        read(save("m.csv", PREDICTIONS), labels=tmp_path / "labels.csv")


def test_order_of_rows_does_not_matter(save):
    generator = np.random.default_rng(3)
    ids, order = np.arange(50), generator.permutation(50)
    table = {"row_id": ids, "a": generator.random(50)}
    labels = {"row_id": ids[order], "truth": (ids % 2)[order]}
    folds = {"row_id": ids[::-1], "fold": (ids % 5)[::-1]}
    matrix = read(
        save("m.parquet", table), labels=save("l.csv", labels), folds=save("f.tsv", folds)
    )
    assert_array_equal(matrix.outcome.values, ids % 2)
    assert_array_equal(matrix.folds[0], ids % 5)
