"""What other tools write is read by the names of its columns alone."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from day import swept
from documents import codes
from numpy.testing import assert_allclose, assert_array_equal
from pyarrow import csv
from reading import refused

from bbccli import METHODS, METRICS, Plan
from bbccli.errors import OptionError
from bbccli.reading import DIALECTS, Roles, read
from bbccli.types import PredictionKind, Task

DATA = Path(__file__).parents[1] / "data"
IRIS = ("setosa", "versicolor", "virginica")


# caret: a real export of caret 6.0-93


@pytest.mark.parametrize(
    ("name", "configurations"),
    [("knn", ("k=3", "k=9", "k=21")), ("rpart", ("cp=0.001", "cp=0.01", "cp=0.1"))],
)
def test_caret(name, configurations):
    path = DATA / f"caret_{name}.csv"
    matrix = read(path)
    assert matrix.configurations == configurations
    assert (matrix.task, matrix.kind) == (Task.BINARY, PredictionKind.PROBABILITY)
    assert (matrix.n_repeats, matrix.n_samples, matrix.n_folds) == (2, 80, 5)
    table = csv.read_csv(path).to_pandas()  # parses numbers exactly
    keys = list(dict.fromkeys(table.rowIndex))
    parameter = configurations[0].split("=")[0]
    for position, value in enumerate(configurations):
        own = table[table[parameter] == float(value.split("=")[1])]
        for repeat in (1, 2):
            rows = own[own.Resample.str.endswith(f"Rep{repeat}")].set_index("rowIndex").loc[keys]
            assert_array_equal(matrix.predictions[repeat - 1, :, position], rows.benign)
            assert_array_equal(matrix.outcome.values, rows.obs == "benign")  # the first level
            folds = rows.Resample.str.extract(r"Fold(\d)")[0].astype(int) - 1
            assert_array_equal(matrix.folds[repeat - 1], folds)


def test_caret_without_probabilities(save):
    table = pd.read_csv(DATA / "caret_knn.csv")
    labels = table.drop(columns=["benign", "malignant"])
    matrix = read(save("m.csv", labels.to_csv(index=False)))
    assert (matrix.kind, matrix.configurations) == (PredictionKind.LABEL, ("k=3", "k=9", "k=21"))
    asked = read(DATA / "caret_knn.csv", roles=Roles(prediction="pred"))
    assert asked.kind is PredictionKind.LABEL
    names = "Resample" + table["Resample"].str.replace(r"\D", "", regex=True)
    drawn = save("m.csv", table.assign(Resample=names).to_csv(index=False))
    refused(r"row_id occurs twice .*column 'rowIndex'", drawn, hint="random part of the samples")
    values, table = read(DATA / "caret_lm.csv"), pd.read_csv(DATA / "caret_lm.csv")
    assert (values.task, values.configurations) == (Task.REGRESSION, ("intercept=True",))
    rmse = np.sqrt(((table.pred - table.obs) ** 2).mean())
    assert_allclose(METHODS["cvt"].run(values, METRICS["rmse"], Plan()).value, rmse)


def test_caret_twice_has_other_folds():
    matrix = read([DATA / "caret_knn.csv", DATA / "caret_rpart.csv"])
    assert matrix.configurations[0] == "caret_knn k=3"
    assert matrix.configurations[-1] == "caret_rpart cp=0.1"
    assert matrix.folds is None
    assert "folds-differ" in codes(matrix)


# tidymodels


@pytest.fixture
def tidy():
    """collect_predictions() of a tune_grid() of two models, two repeats of two folds."""
    model, repeat, row = (1 + one.ravel() for one in np.indices((2, 2, 6)))
    fold = 1 + (row > 3)
    p = np.round((row % 2 == 0) / 2 + np.random.default_rng(0).random(24) / 2, 3)
    return {
        ".pred_class": np.where(p < 0.5, "no", "yes"),
        ".pred_no": 1 - p,
        ".pred_yes": p,
        "id": [f"Repeat{r}" for r in repeat],
        "id2": [f"Fold{f}" for f in fold],
        ".row": row,
        "penalty": np.where(model == 1, 0.1, 1.0),
        "churn": np.where(row % 2 == 0, "yes", "no"),
        ".config": [f"pre0_mod{m}_post0" for m in model],
    }


def test_tidymodels(save, tidy):
    matrix = read(save("m.csv", tidy))
    assert matrix.configurations == ("pre0_mod1_post0", "pre0_mod2_post0")
    assert matrix.predictions.shape == (2, 6, 2)
    assert matrix.outcome.classes == ("yes", "no")  # the event is the first level
    assert_array_equal(matrix.outcome.values, [1, 0, 1, 0, 1, 0])
    assert_array_equal(matrix.predictions[1, :, 1], np.array(tidy[".pred_no"])[18:])
    assert matrix.fold_names == ("Fold1", "Fold2")
    assert matrix.notes == ()


def test_tidymodels_of_labels_and_of_workflow_sets(save, tidy):
    labels = {k: v for k, v in tidy.items() if k not in (".pred_no", ".pred_yes")}
    assert read(save("m.csv", labels)).kind is PredictionKind.LABEL
    tidy["wflow_id"] = np.where(np.array(tidy["penalty"]) == 1, "svm", "knn")
    tidy[".config"] = ["pre0_mod1_post0"] * len(tidy["id"])
    matrix = read(save("m.csv", tidy))
    assert matrix.configurations == ("knn pre0_mod1_post0", "svm pre0_mod1_post0")


def test_tidymodels_regression(save, tidy):
    for name in (".pred_class", ".pred_no", "churn"):
        del tidy[name]
    tidy[".pred"] = tidy.pop(".pred_yes")
    tidy["price"] = np.array(tidy[".row"]) * 1.5
    assert read(save("m.csv", tidy)).task is Task.REGRESSION
    tidy["size"] = np.array(tidy[".row"]) * 2.5
    path, words = save("m.csv", tidy), "it is unclear which column is the outcome: price, size"
    assert refused(words, path).hint == "give --truth NAME"
    assert read(path, roles=Roles(truth="price")).outcome.values[0] == 1.5


# mlr3


@pytest.fixture
def mlr3():
    p = np.round(np.tile([0, 0.5], 6) + np.random.default_rng(1).random(12) / 2, 3)
    return {
        "iteration": [1, 1, 1, 2, 2, 2] * 2,
        "row_ids": [1, 2, 3, 4, 5, 6] * 2,
        "truth": ["a", "b", "a", "b", "a", "b"] * 2,
        "response": np.where(p < 0.5, "a", "b"),
        "prob.a": 1 - p,
        "prob.b": p,
        "learner_id": ["classif.rpart"] * 6 + ["classif.ranger"] * 6,
    }


def test_mlr3(save, mlr3):
    matrix = read(save("m.csv", mlr3))
    assert matrix.configurations == ("classif.rpart", "classif.ranger")
    assert_array_equal(matrix.folds, [[0, 0, 0, 1, 1, 1]])
    assert_array_equal(matrix.predictions[0, :, 1], mlr3["prob.a"][6:])
    assert matrix.notes == ()


def test_mlr3_tuned_and_of_a_regression(save, mlr3):
    tuned = mlr3 | {"learner_id": ["classif.rpart"] * 12, "uhash": ["4f"] * 6 + ["9c"] * 6}
    matrix = read(save("m.csv", tuned))
    assert matrix.configurations == ("classif.rpart 4f", "classif.rpart 9c")
    del mlr3["prob.a"], mlr3["prob.b"]
    mlr3 |= {"truth": [0.5, 1, 1.5, 2, 2.5, 3] * 2, "response": np.arange(12.0), "se": [1.0] * 12}
    assert read(save("m.csv", mlr3)).task is Task.REGRESSION


# OpenML

ARFF = """%% a run
@RELATION openml_task_{seed}_predictions
@ATTRIBUTE repeat NUMERIC
@ATTRIBUTE fold NUMERIC
@attribute sample integer
@ATTRIBUTE row_id NUMERIC
@ATTRIBUTE prediction {{Iris-setosa,'Iris versicolor',"it's"}}
@ATTRIBUTE correct {{Iris-setosa,'Iris versicolor',"it's"}}
@ATTRIBUTE confidence.Iris-setosa NUMERIC
@ATTRIBUTE 'confidence.Iris versicolor' NUMERIC
@ATTRIBUTE "confidence.it's" NUMERIC

@DATA
"""
SPECIES = ("Iris-setosa", "'Iris versicolor'", '"it\'s"')


def arff(seed, rows=6):
    p = np.round(np.random.default_rng(seed).dirichlet([1, 1, 1], rows), 4)
    lines = [
        f"0,{i % 2},0,{i},{SPECIES[p[i].argmax()]},{SPECIES[i % 3]},{','.join(map(str, p[i]))}"
        for i in range(rows)
    ]
    return ARFF.format(seed=seed) + "\n".join(lines) + "\n% the end\n", p


def test_openml(save, tmp_path):
    (a, p), (b, q) = arff(1), arff(2)
    save("run_1.arff", a)
    save("run_2.arff", b)
    matrix = read(tmp_path / "run_*.arff")
    refused(r"none_\*.arff: matches no file", tmp_path / "none_*.arff")
    assert matrix.configurations == ("run_1", "run_2")
    assert matrix.outcome.classes == ("Iris versicolor", "Iris-setosa", "it's")
    assert_array_equal(matrix.predictions[0, :, 0], p[:, [1, 0, 2]])
    assert_array_equal(matrix.predictions[0, :, 1], q[:, [1, 0, 2]])
    assert_array_equal(matrix.folds, [[0, 1, 0, 1, 0, 1]])
    assert matrix.kind is PredictionKind.PROBABILITY
    assert matrix.notes == ()


def test_a_question_mark_is_a_missing_value(save):
    lines = arff(1)[0].splitlines()
    cells = lines[-3].split(",")
    lines[-3] = ",".join([*cells[:6], "?", "?", "?"])
    matrix = read(save("run.arff", "\n".join(lines)))
    assert matrix.n_samples == 5
    assert next(note.code for note in matrix.notes) == "samples-left-out"
    lines[-3] = ",".join([*cells[:5], "?", *cells[6:]])
    refused(r"truth is missing \(column 'correct', row 4", save("run.arff", "\n".join(lines)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@relation a\n@attribute x numeric\n", "has no @data, so it is not an ARFF file"),
        swept("hello\n", "has no @attribute, so it is not an ARFF file"),
        swept("@relation a\n@attribute x\n@data\n1\n", "line 2 is not an attribute"),
        swept("@relation a\n@attribute x numeric\n@data\n% none\n", "no rows under @data"),
        swept("@relation a\n@attribute x numeric\n@data\n{0 1}\n", "line 4 is a sparse row"),
        swept("@relation a\n@attribute x numeric\n@data\n'1,2\n3,4\n", "line 4 has 2 values"),
        swept(arff(1)[0].replace("0,1,0,3,", "0,1,0,3,?,", 1),
            "line 17 has 10 values, but the file has 9 attributes"),
        (re.sub(r"(\n0,0,0,2,.*),.*", r"\1,high", arff(1)[0]),
            r"prediction is text \(column \"confidence.it's\", row 2"),
    ],
)  # fmt: skip
def test_broken_arff(save, text, message):
    refused(message, save("m.arff", text))


# One file per configuration

GOOD = {"row_id": [0, 1, 2, 3], "truth": list("xyxy"), "pred": [0.1, 0.9, 0.2, 0.8]}


def test_kaggle(save):
    """Two files of a key and a prediction, and one of labels."""
    keys = np.array([f"t{i}" for i in range(8)])
    p = np.round(np.random.default_rng(2).random((2, 8)), 3)
    order = np.random.default_rng(3).permutation(8)
    knn = save("knn.csv", {"id": keys, "target": p[0]})
    svm = save("svm.csv", {"id": keys[order], "target": p[1][order]})
    labels = save("labels.csv", {"id": keys, "target": [0, 1] * 4})
    matrix = read([knn, svm], labels=labels)
    assert matrix.configurations == ("knn", "svm")
    assert_array_equal(matrix.predictions[0], p.T)
    assert_array_equal(matrix.outcome.values, [0, 1] * 4)
    assert codes(matrix) == ["folds-unknown"]
    assert read(knn, labels=labels, dialect="kaggle").configurations == ("knn",)


def test_kaggle_classes(save):
    p = np.round(np.random.default_rng(0).dirichlet([1, 1, 1], (2, 6)), 3)
    paths = [
        save(f"m{i}.csv", {"id": range(6)} | {k: p[i, :, j] for j, k in enumerate(IRIS)})
        for i in (0, 1)
    ]
    labels = save("labels.csv", {"id": range(6), "species": [*IRIS] * 2})
    matrix = read(paths, labels=labels, roles=Roles())
    assert_array_equal(matrix.predictions[0].swapaxes(0, 1), p)


def without(name, columns=GOOD):
    return {k: v for k, v in columns.items() if k != name}


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (without("truth"), r"b.csv: no truth column"),
        (GOOD | {"fold": [0, 1, 0, 1]}, r"a.csv: has no column 'fold', .*b.csv has one"),
        (GOOD | {"row_id": list("pqrs")}, r"b.csv: column 'row_id' holds text, but numbers in"),
        (GOOD | {"row_id": [0, 1, 2, 2]}, r"b.csv: row_id occurs twice .*row 3, value 2"),
        (GOOD | {"pred": [0.1, 0.9, "high", 0.8]},
            r"b.csv: prediction is text .*'pred', row 2, value 'high'"),
        ({"row_id": [0, 1], "truth": ["x", "y"], "u": [1, 2], "v": [1, 2]},
            r"b.csv: it is unclear which column holds predictions: u, v"),
    ],
)  # fmt: skip
def test_files_that_do_not_fit(save, second, message):
    refused(message, [save("a.csv", GOOD), save("b.csv", second)])


@pytest.mark.parametrize(
    ("odd", "leads"),
    [
        ({"model": ["a", "b"], "auc": [0.8, 0.7]}, "leave it out of the predictions"),
        (without("pred"), "leave it out of the predictions; give labels="),
    ],
)
def test_a_file_unlike_all_others(save, odd, leads):
    """A table of scores, or the labels: to name its column of predictions leads nowhere."""
    files = [save(f"{name}.csv", GOOD) for name in "ab"]
    error = refused("c.csv: holds .*, unlike all other files", [*files, save("c.csv", odd)])
    assert error.hint.startswith(leads) and (error.hint == leads or "c.csv" in error.hint)
    refused("c.csv: it is unclear", [files[0], save("c.csv", odd)])
    alike = [
        save(f"{name}.csv", without("pred") | {"u": [1, 2, 3, 4], "v": [4, 3, 2, 1]})
        for name in "def"
    ]
    refused("d.csv: it is unclear which column holds predictions: u, v", alike)


def test_a_truth_without_predictions(save):
    file = save("a.csv", {"truth": [0, 1, 1, 0]})
    refused("a.csv: it is unclear which column holds predictions: truth", file, dialect="kaggle")


def test_files_of_another_truth_or_length(save):
    a, b = save("a.csv", GOOD), save("b.csv", GOOD | {"truth": list("xyyy")})
    words = r"b.csv: truth differs between configurations .*column 'truth', row 2, value 'y'"
    assert refused(words, [a, b]).hint.startswith(f"row 2 of {a} has 'x'")
    keyless = without("row_id")
    b, c = save("b.csv", {k: v[:3] for k, v in keyless.items()}), save("c.csv", keyless)
    refused(r"configurations have 3 to 4 rows, and there is no row_id", [b, c])


def test_metadata_of_several_files(save):
    metadata = {"spec": "bbc-predictions", "version": "1", "positive_class": "x"}
    flags = {"configs": [{"id": "b", "flags": ["rounded"]}]}
    paths = [save("a.csv", GOOD, metadata), save("b.csv", GOOD, metadata | flags)]
    matrix = read(paths)
    assert matrix.outcome.classes == ("y", "x")
    assert "rounded-predictions" in codes(matrix)


# The option


def test_dialect_by_hand(save, columns):
    path = save("m.csv", columns)
    hint = refused("no dialect named 'weka'", path, dialect="weka", kind=OptionError).hint
    assert all(name in hint for name in DIALECTS)
    assert len(read(path, dialect="wide").configurations) == 4
    paths, words = [path, save("b.csv", columns)], 'dialect="wide" is for one file, but there are 2'
    refused(words, paths, dialect="wide", kind=OptionError)
