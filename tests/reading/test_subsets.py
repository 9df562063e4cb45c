"""Columns that tell training rows from test rows are no folds, and no configurations."""

import numpy as np
import pytest
from reading import refused

from bbccli import matrix_of
from bbccli.errors import InputError
from bbccli.reading import Roles, read
from bbccli.types import Task
from bbccli.use_cases.inspection import inspect

N = 30
RNG = np.random.default_rng(4)
TRUTH = RNG.permutation(np.arange(N) % 2)
BINARY = {"truth": TRUTH, "a": RNG.random(N).round(3), "b": RNG.random(N).round(3)}
LONG = {
    "config": np.repeat(["a", "b"], N),
    "truth": np.tile(TRUTH, 2),
    "score": np.concatenate([BINARY["a"], BINARY["b"]]),
}


def shares(*values):
    """Values, each in as many rows as stand behind it."""
    return np.repeat(values[::2], values[1::2])


TWO = shares("train", 20, "test", 10)
REFUSED = {
    "split": {"split": TWO},
    "fold": {"fold": TWO},
    "beside folds": {"fold": np.arange(N) % 5, "Data Set": TWO},
    "three": {"partition": shares("train", 15, "valid", 8, "test", 7)},
    "no training": {"subset": shares("validation", 15, "test", 15)},
    "numbered": {"fold": np.tile(["train_0", "test_0", "test_1"], 10)},
    "training alone": {"split": shares("train_0", 15, "train_1", 15)},
    "a flag": {"is_train": shares(1, 20, 0, 10)},
    "under any name": {"evaluationType": shares("Train", 15, "CV", 10, "Test", 5)},
    "of a loader": {"phase": shares("train", 20, "val", 10)},
    "in capitals": {"zz": shares("TRAIN", 20, "HOLD-OUT", 10)},
    "development": {"cohort": shares("dev", 20, "test", 10)},
    "cross-validated and held out": {"source": shares("cv", 20, "holdout", 10)},
    "numbers": {"split": shares(0, 20, 1, 10)},
    "three numbers": {"split": shares(0, 20, 1, 5, 2, 5)},
}


@pytest.mark.parametrize("columns", REFUSED.values(), ids=REFUSED)
def test_refused(save, columns):
    *_, name = columns
    hint = "predictions of training rows are too good"
    assert refused("folds|training rows", save("m.csv", columns | BINARY), hint=hint).column == name


@pytest.mark.parametrize("first", [0, 1])
def test_rows_of_fold_minus_one_were_never_tested(save, first):
    """PredefinedSplit of scikit-learn trains on them in every fold."""
    folds = np.where(np.arange(N) < 6, -1, np.arange(N) % 3 + first)
    path = save("m.csv", {"fold": folds} | BINARY)
    found = refused("holds -1 beside the folds", path, hint="--fold fold to count -1 as another")
    assert found.column == "fold"
    assert len(read(path, roles=Roles(fold="fold")).fold_names) == 4
    for other in (folds - (folds < 0), np.where(folds < 0, -1, 1), folds.astype(str) + "a"):
        read(save("o.csv", {"fold": other} | BINARY))


@pytest.mark.parametrize("folds", ["{}.0", "{}", "Fold {}", "cv fold {}"])
@pytest.mark.parametrize("last", ["Holdout", "test", "Validation set"])
def test_a_subset_beside_the_folds(save, folds, last):
    """DataRobot numbers the folds in the column that names the hold-out."""
    fold = [folds.format(i % 4) for i in range(24)] + [last] * 6
    path = save("m.csv", {"partition": fold, **BINARY})
    error = refused("holds folds, and a subset beside them", path, hint="--fold partition")
    assert f"{last} (6)" in error.problem
    assert len(read(path, roles=Roles(fold="partition")).fold_names) == 5
    names = {"set": [f"site {i % 4}" for i in range(24)] + ["test"] * 6, **BINARY}
    refused("prediction is text", save("n.csv", names))


def test_says_what_it_holds(save):
    path = save("m.csv", {"split": TWO, **BINARY})
    refused(r"of the data, not folds: train \(20\), test \(10\) \(column 'split'\)", path)
    (found,) = [f for f in inspect(path).findings if f.status == "error"]
    assert (found.check, found.column) == ("roles", "split")


FOLDS = {
    "numbered splits": [f"split{i % 5}" for i in range(N)],
    "numbers": np.arange(N) % 5,
    "halves": np.arange(N) % 2,
    "a few samples more": shares(0, 12, 1, 11, 2, 7),
    "test sets": [f"test_{i % 3}" for i in range(N)],
    "one subset": [("cv 1", "val 2", "valid 3")[i % 3] for i in range(N)],
    "vehicles": np.tile(["car", "train", "bus"], 10),
    "unequal folds of more": shares(0, 15, 1, 5, 2, 5, 3, 5),
}


@pytest.mark.parametrize("split", FOLDS.values(), ids=FOLDS)
def test_folds(save, split):
    matrix = read(save("m.csv", {"split": split, **BINARY}))
    assert matrix.n_folds == len(set(np.asarray(split).tolist()))
    assert matrix.configurations == ("a", "b")


def test_by_hand(save):
    path = save("m.csv", {"split": shares(0, 20, 1, 10), **BINARY})
    assert read(path, roles=Roles(fold="split")).n_folds == 2
    refused("not folds", save("m.csv", {"at": TWO, **BINARY}), roles=Roles(fold="at"))
    path = save("m.csv", {"train": RNG.permutation(TRUTH), **BINARY})
    assert read(path, only=["train", "a"]).configurations == ("train", "a")


def test_other_columns_of_such_names(save):
    columns = {"set": BINARY["a"], "part": RNG.permutation(TRUTH), "test": RNG.permutation(TRUTH)}
    matrix = read(save("m.csv", columns | BINARY))
    assert matrix.configurations == ("set", "part", "test", "a", "b")
    kaggle = {**LONG, "usage": np.tile(["Public", "Private"], N)}
    assert read(save("m.csv", kaggle)).n_samples == N


def test_whatever_was_excluded(save):
    path = save("m.csv", {"evaluationType": TWO, **BINARY})
    error = refused("of the data, not folds", path, exclude=["evaluationType"])
    assert "--exclude" not in error.told()[1]


WORDS = {
    "classes": {"truth": np.tile(["train", "test"], 15), "a": np.tile(["test", "train"], 15)},
    "some other word": {**BINARY, "group": np.tile(["train", "bus", "test"], 10)},
    "one word": {**BINARY, "group": ["test"] * N},
}


@pytest.mark.parametrize("columns", WORDS.values(), ids=WORDS)
def test_such_words_elsewhere(save, columns):
    assert read(save("m.csv", columns)).n_samples == N


@pytest.mark.parametrize("task", [None, Task.SCORE])
def test_long(save, task):
    refused("not folds", save("m.csv", {**LONG, "dataType": np.tile(TWO, 2)}), task=task)


def test_folds_elsewhere(save):
    path = save("m.csv", BINARY)
    e = refused("not folds", path, folds=save("folds.csv", {"fold": TWO}))
    assert e.path.endswith("folds.csv")
    with pytest.raises(InputError, match="not folds"):
        matrix_of(np.stack([BINARY["a"], BINARY["b"]], axis=1), TRUTH, folds=TWO)
