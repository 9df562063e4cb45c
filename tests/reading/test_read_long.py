"""The long layout gives the same matrix as the wide one, and names every fault by its row."""

import numpy as np
import pytest
from day import daily, swept
from documents import codes
from reading import assert_same, refused

from bbccli.reading import Roles, read
from bbccli.types import Missing, PredictionKind

NAMES = ["m.csv", "m.tsv", "m.csv.gz", "m.csv.zst", "m.parquet"]
SVM = ("svm C=0", "svm C=1", "svm C=2", "svm C=3")
PREDICTIONS = ["prediction", "score", ".pred", "pred", "response", "y_pred"]


def melted(columns, prediction="prediction", order=None, names=SVM):
    """The long table of a wide one; rows in any order."""
    keys = {k: v for k, v in columns.items() if not k.startswith("svm")}
    n = len(next(iter(keys.values())))
    rows = np.arange(n * len(names)) if order is None else order
    long = {k: np.tile(np.asarray(v), len(names))[rows] for k, v in keys.items()}
    long["config"] = np.repeat(names, n)[rows]
    long[prediction] = np.concatenate([columns[c] for c in names])[rows]
    return long


@pytest.fixture
def wide(columns):
    repeats = {k: np.concatenate([v, v]) for k, v in columns.items()}
    repeats["repeat"] = np.repeat([0, 1], 12)
    repeats["group"] = np.tile(np.repeat(np.arange(4), 3), 2)
    rng = np.random.default_rng(1)
    return repeats | {name: rng.random(24) for name in SVM}


@pytest.mark.parametrize("name", NAMES)
def test_long_is_wide(save, wide, name):
    a = read(save("wide.csv", wide))
    assert_same(a, read(save(name, melted(wide))))


CONFIGURATIONS = ["config", "model", ".config", "CONFIG"]


@pytest.mark.parametrize("prediction", PREDICTIONS)
@pytest.mark.parametrize("configuration", daily(CONFIGURATIONS, CONFIGURATIONS[:2]))
def test_synonyms(save, columns, configuration, prediction):
    long = melted(columns, prediction)
    long[configuration] = long.pop("config")
    assert_same(read(save("w.csv", columns)), read(save("m.csv", long)))


def test_columns_by_hand(save, columns):
    long = melted(columns, "p")
    long["who"] = long.pop("config")
    roles = Roles(configuration="who", prediction="p")
    assert_same(read(save("w.csv", columns)), read(save("m.csv", long), roles=roles))
    roles = Roles(configuration="who", prediction="q")
    refused(r"prediction is 'q', which is not a column", save("m.csv", long), roles=roles)


def test_classes(save):
    truth = ["x", "y", "z", "x", "y", "z"]
    p = np.round(np.random.default_rng(0).dirichlet([1, 1, 1], (2, 6)), 3)
    wide = {"truth": truth} | {
        f"{c}::{k}": p[i, :, j] for i, c in enumerate("ab") for j, k in enumerate("xyz")
    }
    long = {"truth": truth * 2, "row_id": [*range(6)] * 2, "config": ["a"] * 6 + ["b"] * 6}
    for prefix in ("prob.", ".pred_", "confidence."):
        some = {f"{prefix}{k}": p[:, :, j].ravel() for j, k in enumerate("xyz")}
        assert_same(read(save("w.csv", wide)), read(save("m.csv", long | some)))
    some = {f"prob.{k}": p[:, :, j].ravel() for j, k in enumerate("xy")}
    refused(r"truth is not one of the classes of .* \(x, y", save("m.csv", long | some))


def test_labels_and_a_configuration_without_any(save):
    long = {
        "row_id": [0, 1, 2, 3] * 3,
        "truth": list("xyxy") * 3,
        "config": list("aaaabbbbcccc"),
        "prediction": [*"xyxx", *"xxyy", "", "", "", ""],
    }
    for name in ("m.csv", "m.parquet"):
        matrix = read(save(name, long))
        assert matrix.kind is PredictionKind.LABEL
        assert matrix.configurations == ("a", "b")
        assert matrix.notes[0].code == "configurations-dropped"
    fewer = {name: column[:7] for name, column in long.items()}  # b lacks its last row
    matrix = read(save("m.csv", fewer), missing=Missing.AVAILABLE)
    assert matrix.available[0, :, 1].tolist() == [True, True, True, False]


def test_missing_rows_are_missing_predictions(save, columns):
    columns["svm C=1"][3] = np.nan
    order = np.delete(np.arange(48), 15)
    long = save("m.csv", melted(columns, order=order))
    gappy = [None if np.isnan(v) else v for v in columns["svm C=1"]]
    wide = save("w.csv", columns | {"svm C=1": gappy})
    for policy in (Missing.DROP, Missing.COMMON_ROWS, Missing.AVAILABLE):
        assert_same(read(wide, missing=policy), read(long, missing=policy))
    refused("1 of 4 configurations lacks predictions", long, missing=Missing.ERROR)


def test_folds_that_differ_and_columns_set_aside(save, columns):
    long = melted(columns)
    long["fold"][:12] = (long["fold"][:12] + np.arange(12) % 2) % 3
    matrix = read(save("m.csv", long))
    assert matrix.folds is None
    assert codes(matrix) == ["folds-differ", "folds-unknown"]
    note = read(save("m.csv", melted(columns) | {"C": [1.0] * 48})).notes[0]
    assert (note.code, note.text[-3:]) == ("columns-ignored", ": C")


def change(long, column, row, value):
    values = list(long[column])
    values[row] = value
    return long | {column: values}


@pytest.mark.parametrize(
    ("column", "row", "value", "message"),
    [
        ("row_id", 13, "p0", r"row_id occurs twice for one configuration \(.*row 13, value 'p0'"),
        swept("row_id", 14, "", r"row_id is missing \(column 'row_id', row 14"),
        swept("truth", 17, "no", "truth differs between configurations .*row 17, value 'no'"),
        swept("truth", 2, "", r"truth differs between configurations .*\(column 'truth', row 2\)"),
        swept("config", 5, "", r"configuration is missing \(column 'config', row 5"),
        swept("prediction", 30, "x", r"prediction is text \(.*'prediction', row 30, value 'x'"),
        swept("prediction", 31, "inf", r"prediction is infinite \(.*row 31, value inf"),
        ("truth", 0, "maybe", "truth differs between configurations"),
    ],
)
def test_faults(save, columns, column, row, value, message):
    long = melted(columns)
    refused(message, save("m.csv", change(long, column, row, value)))


def test_faults_of_whole_tables(save, wide, monkeypatch):
    twice = save("m.csv", change(melted(wide), "row_id", 30, "p5"))
    refused(r"row_id occurs twice .* in one repeat \(.*row 30", twice, hint="own file")
    studies = {"config": ["a"] * 4, "row_id": [0, 1, 0, 1], "truth": [0, 1, 0, 1]}
    studies |= {"score": [0.1, 0.7, 0.2, 0.8], "study": ["x", "x", "y", "y"]}
    refused("occurs twice", save("m.csv", studies), hint="give each experiment its own file")
    path = save("m.csv", {"truth": [0, 1], "config": ["a", "b"], "x": [1, 2]})
    refused("no column of predictions among truth, config, x", path, dialect="long")
    monkeypatch.setattr("bbccli.reading.layout.long._MOST_CELLS", 100)
    n = 300
    long = {"row_id": range(n), "truth": [0, 1] * 150, "config": [f"c{i}" for i in range(n)]}
    path = save("m.csv", long | {"score": [0.5] * n})
    refused("300 configurations on 300 samples have 300 rows in all", path)


@pytest.mark.parametrize(("twice", "hint"), [(1, "give one row"), (8, "--repeat fold if each")])
def test_rows_in_several_folds_may_be_random_parts(save, twice, hint):
    """Many of them, and none twice in one: one such row is a slip."""
    keys = [*range(40), *range(twice)]
    long = {"row_id": keys * 2, "config": ["a"] * len(keys) + ["b"] * len(keys)}
    long |= {"fold": [0] * 40 + [1] * twice + [0] * 40 + [1] * twice}
    long |= {"truth": [key % 2 for key in keys] * 2, "score": [key / 40 for key in keys] * 2}
    e = refused("row_id occurs twice", save("m.csv", long))
    assert e.told()[1].startswith(hint)
    long["fold"] = [0] * len(long["fold"])
    e = refused("row_id occurs twice", save("m.csv", long))
    assert e.hint.startswith("give one row")


def test_float32_stays(save, columns):
    long = melted(columns)
    long["prediction"] = long["prediction"].astype(np.float32)
    assert read(save("m.parquet", long)).predictions.dtype == np.float32


@pytest.mark.parametrize("further", ["learner", "class"])
def test_rows_that_a_further_column_tells_apart(save, further):
    table = {"config": np.repeat(["a", "b"], 80), "row_id": np.tile(np.repeat(range(40), 2), 2)}
    table |= {"truth": table["row_id"] % 2, further: np.tile(["x", "y"], 80)}
    table["prediction"] = np.random.default_rng(0).random(160)
    hint = "--configuration NAME if another column tells them apart, or one that joins"
    refused("row_id occurs twice for one configuration", save("m.csv", table), hint=hint)
