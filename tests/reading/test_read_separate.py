"""Outcome and folds in files of their own, and what files are called that are read together."""

from pathlib import Path

import numpy as np
import pytest
from day import daily, swept
from numpy.testing import assert_array_equal
from reading import fault, refused

from bbccli.errors import OptionError
from bbccli.reading import Roles, read
from bbccli.types import Task

PREDICTIONS = {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.4, 0.3, 0.2, 0.1]}
TRUTH = ["x", "y", "x", "y"]
WITH_TRUTH = {"truth": TRUTH, **PREDICTIONS}
REPEATS = {"row_id": [0, 1, 1, 0], "repeat": [1, 1, 2, 2]}


def test_labels_file_wins_over_a_truth_column(save):
    labels = save("labels.csv", {"truth": TRUTH})
    matrix = read(save("m.csv", {"truth": [1, 2, 3, 4], **PREDICTIONS}), labels=labels)
    assert (matrix.outcome.classes, matrix.configurations) == (("x", "y"), ("a", "b"))
    assert matrix.notes[0].code == "columns-ignored"


def test_a_column_called_like_the_truth_beside_labels_is_the_prediction(save):
    """Kaggle's `id,target`: "no configuration column", and no hint led on."""
    path = save("sub.csv", {"id": [3, 1, 0, 2], "target": [0.4, 0.2, 0.1, 0.3]})
    labels = save("train.csv", {"id": range(4), "f": [5, 5, 6, 7], "target": TRUTH})
    matrix = read(path, labels=labels)
    assert matrix.configurations == ("sub",)
    assert matrix.predictions[0, :, 0].tolist() == [0.4, 0.2, 0.1, 0.3]
    assert matrix.outcome.values.tolist() == [1, 1, 0, 0]
    refused("no configuration column", path, hint="--labels FILE if target is the prediction")


@pytest.mark.parametrize(
    ("columns", "labels"),
    [
        (REPEATS, {"truth": ["x", "y"]}),
        (REPEATS, {"row_id": [1, 0], "truth": ["y", "x"]}),
        ({"repeat": [1, 2, 1, 2]}, {"truth": ["x", "y"]}),
        ({"repeat": [1, 2, 1, 2]}, {"truth": ["x", "x", "y", "y"]}),
    ],
)
def test_labels_of_samples_serve_all_repeats(save, columns, labels):
    by_position = "row_id" in columns and "row_id" not in labels
    path, beside = save("m.csv", columns | PREDICTIONS), save("labels.csv", labels)
    matrix = read(path, labels=beside, by_position=by_position)
    assert matrix.outcome.values.tolist() == [0, 1]
    if len(labels["truth"]) > 2:
        other = save("other.csv", {"truth": ["x", "y", "x", "y"]})
        refused("truth differs between repeats", path, labels=other)


def test_survival_labels(save):
    labels = save("labels.csv", {"time": [1, 2, 3, 4], "event": [0, 1, 1, 0]})
    path = save("m.csv", PREDICTIONS)
    assert read(path, labels=labels).task is Task.SURVIVAL
    refused('task="binary" needs a truth', path, labels=labels, task=Task.BINARY)


def test_truth_by_hand_is_looked_up_in_the_labels_file(save):
    labels, path = save("labels.csv", {"p": TRUTH, "q": TRUTH[::-1]}), save("m.csv", PREDICTIONS)
    assert read(path, labels=labels, roles=Roles(truth="q")).outcome.values.tolist() == [1, 0, 1, 0]
    refused("it is unclear which column is the truth: p, q", path, labels=labels, hint="--truth")
    refused("truth is 'z', which is not a column", path, labels=labels, roles=Roles(truth="z"))


@pytest.mark.parametrize("role", ["labels", "folds"])
def test_files_of_another_length(save, role):
    other = save("other.csv", {"truth" if role == "labels" else "fold": [0, 1, 0]})
    words = r"other.csv: has 3 rows, but the predictions have 4"
    refused(words, save("m.csv", WITH_TRUTH), **{role: other}, hint="header")


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
    refused(message, save("m.csv", {"row_id": [4, 5, 6, 7], **WITH_TRUTH}), folds=folds)


def test_folds_of_repeats(save):
    path = save("m.csv", REPEATS | {"truth": ["x", "y", "y", "x"], **PREDICTIONS})
    folds = save("folds.csv", {"fold": [1, 2, 1, 2]})
    assert_array_equal(read(path, folds=folds, by_position=True).folds, [[0, 1], [1, 0]])
    keyed = save("folds.csv", {"row_id": [0, 1], "fold": [1, 2]})
    refused("folds by row_id can't distinguish 2 repeats", path, folds=keyed)
    ragged = save("folds.csv", "a,b\n0,\n1,\n")
    refused("the predictions have 2 samples in 2 repeat", path, folds=ragged)


RAGGED = ["0,1,2\n3,0,\n2,1,NaN\n", "0,1\n3,0\n2,1\n", "f,f,g\n3.0,0,\n2,1,\n"]
RAGGED += ["a,b,c\n0,3,\n1,,2\n"]


@pytest.mark.parametrize("text", daily(RAGGED, RAGGED[:1]))
def test_ragged_folds(save, text):
    matrix = read(save("m.csv", WITH_TRUTH), folds=save("folds.csv", text))
    assert_array_equal(matrix.folds, [[0, 1, 1, 0]])
    assert matrix.fold_names == ("0", "1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1\n3,0\n2,\n", "3 sample positions, but the predictions have 4 samples in 1"),
        swept("0,1\n3,0\n2,4\n", r"cell is not a sample position \(column '1', row 1, value 4"),
        swept("0,1\n3,0\n2,1.5\n", r"cell is not a sample position \(column '1', row 1, value 1.5"),
        swept("0,1\n3,0\n2,3\n", r"a repeated sample position \(column '0', row 0|column '1', row"),
        swept("a,b\nx,0\n2,3\n", "it is unclear which column is the fold: a, b"),
    ],
)
def test_faulty_ragged_folds(save, text, message):
    refused(message, save("m.csv", WITH_TRUTH), folds=save("folds.csv", text))


def test_stdin(save, stdin):
    refused("two files are read from stdin", "-", labels="-", kind=OptionError)
    stdin(b"truth\nx\ny\nx\ny\n")
    assert read(save("m.csv", PREDICTIONS), labels="-").n_samples == 4


# Names of files


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["runs/knn.csv", "other/svm.csv.gz"], ["knn", "svm"]),
        swept(["runs/a/oof.csv", "runs/b/oof.csv"], ["a", "b"]),
        swept(["runs/a/x/oof.csv", "runs/b/y/oof.csv"], ["a/x", "b/y"]),
        swept(["runs/a/1/oof.csv", "runs/b/1/oof.csv"], ["a", "b"]),
        swept(["runs/oof.csv", "runs/a/oof.csv"], ["oof", "a/oof"]),
        swept(["a/oof.csv", "b/oof.csv", "b/late.csv"], ["a/oof", "b/oof", "b/late"]),
        swept(["runs/a.csv", "runs/a.parquet"], ["a.csv", "a.parquet"]),
        (["./a/oof.csv", "b/../b/oof.csv"], ["a", "b"]),
        swept(["file://./a/oof.csv", "file://./b/oof.csv"], ["a", "b"]),
        swept(["-", "runs/a.csv"], ["stdin", "a"]),
    ],
)
def test_names(save, stdin, tmp_path, monkeypatch, paths, names):
    monkeypatch.chdir(tmp_path)
    given = {"truth": TRUTH, "prediction": PREDICTIONS["a"]}
    for number, path in enumerate(paths):
        cells = given | {"prediction": np.random.default_rng(number).random(4)}
        place = path.removeprefix("file://./")
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        save(place, cells)
        if path == "-":
            stdin(Path(path).read_bytes())
    given = [path.replace("file://.", tmp_path.as_uri()) for path in paths]
    assert read(given).configurations == tuple(names)


def test_a_file_given_twice(save, tmp_path):
    path = save("a.csv", {"truth": TRUTH, "a": PREDICTIONS["a"]})
    fault("a.csv: file is given twice", [str(path), f"{tmp_path}/./a.csv"])


def test_only_a_column_of_configurations_lets_files_be_appended(save):
    header = "config,row_id,truth,score\n"
    rows = [f"{c},{i},{i % 2},{(i * 7 + ord(c)) % 10 / 10}\n" for c in "ab" for i in range(12)]
    whole = read(save("whole.csv", header + "".join(rows)))
    first = save("first.csv", header + "".join(rows[::2]))
    second = save("second.csv", header + "".join(rows[1::2]))
    parts = read([first, second])
    assert parts.configurations == whole.configurations == ("a", "b")
    assert parts.n_samples == whole.n_samples == 12
