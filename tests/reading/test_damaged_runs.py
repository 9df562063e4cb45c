"""Folders of H2O, TabRepo and R that were copied in part, mixed, or edited by hand."""

import json
import shutil
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from day import swept
from reading import checked, fault

from bbccli.errors import InputError
from bbccli.platform import resources
from bbccli.reading import Roles, read, read_source
from bbccli.stats.verification import verified

N = 40
RNG = np.random.default_rng(5)
TRUTH = np.arange(N) % 2
CHANCES = {name: (0.6 * RNG.random(N) + 0.4 * TRUTH).round(6) for name in ("a", "b", "c")}


wrong = partial(fault, by=checked)


def lines(*rows):
    return "".join(f"{row}\n" for row in rows)


def auc(scores):
    above = scores[TRUTH == 1][:, None] - scores[TRUTH == 0]
    return float((above > 0).mean() + (above == 0).mean() / 2)


# H2O


@pytest.fixture
def h2o(tmp_path):
    place = tmp_path / "h2o"
    place.mkdir()
    for name, values in CHANCES.items():
        rows = [f'"{"pq"[int(v > 0.5)]}",{1 - v:.6f},{v:.6f}' for v in values]
        (place / f"{name}.cv_holdout_predictions.csv").write_text(lines('"predict","p","q"', *rows))
        folds = lines('"fold_assignment"', *(np.arange(N) % 4))
        (place / f"{name}.cv_fold_assignment.csv").write_text(folds)
    scores = [f"{name},{auc(values)},0.5" for name, values in CHANCES.items()]
    (place / "leaderboard.csv").write_text(lines("model_id,auc,logloss", *scores))
    labels = tmp_path / "train.csv"
    labels.write_text(lines("target", *("pq"[one] for one in TRUTH)))
    return place


def of_h2o(place):
    return {"labels": place.parent / "train.csv", "roles": Roles(truth="target")}


def changed(path, row, text):
    """Replace a line of a table; 0 is its header."""
    found = path.read_text().splitlines()
    found[row] = text
    path.write_text(lines(*found))


PREDICTED = "b.cv_holdout_predictions.csv"
ASSIGNED = "b.cv_fold_assignment.csv"


H2O_BOARD = "leaderboard.csv"
OF_H2O = {
    "no models": (H2O_BOARD, 0, "Model,auc,logloss", "has no column model_id"),
    "twice": (H2O_BOARD, 2, "a,0.5,0.5", "lists a model twice"),
    "empty board": (H2O_BOARD, None, "", "has no column model_id"),
    "no model": (H2O_BOARD, None, "model_id,auc\n", "lists no models"),
    "other models": (H2O_BOARD, None, "model_id,auc\nX,0.9\n", "no model of leaderboard.csv has"),
    **{
        f"score {cell!r}": (H2O_BOARD, 2, f"b,{cell},1", "not a number", ("auc", 1, cell))
        for cell in ("", "0;9", "?")  # else a model would be left unverified in silence
    },
    "no predictions": (PREDICTED, 0, '"label","p","q"', "has no column predict"),
    "other classes": (
        PREDICTED,
        0,
        '"predict","n","y"',
        "has the columns n, y, but a has",
    ),
    "text": (PREDICTED, 6, '"q",oops,0.9', "is not a finite number", ("p", 5, "oops")),
    "empty": (PREDICTED, 6, '"q",,0.9', "a number is missing", ("p", 5, None)),
    "infinite": (PREDICTED, 6, '"q",inf,0.9', "is not a finite number", ("p", 5, float("inf"))),
    "half a fold": (ASSIGNED, 6, "0.5", "fold is not an integer", ("fold_assignment", 5, 0.5)),
    "a large fold": (ASSIGNED, 6, "1e30", "fold is not an integer", ("fold_assignment", 5, 1e30)),
    "no fold": (ASSIGNED, 6, "x", "is not a finite number", ("fold_assignment", 5, "x")),
    "two folds": (ASSIGNED, None, "fold_assignment\n0\n1\n", "has 2 rows"),
}


@pytest.mark.parametrize("case", OF_H2O)
def test_damage_of_h2o(h2o, case):
    file, row, text, words, *where = OF_H2O[case]
    if row is None:
        (h2o / file).write_text(text)
    else:
        changed(h2o / file, row, text)
    at = h2o if case == "other models" else h2o / file
    error = wrong(words, h2o, at, **of_h2o(h2o))
    assert (error.column, error.row, error.value) == (where or [(None, None, None)])[0]


def test_tables_of_h2o_of_another_form_that_are_read(h2o):
    changed(h2o / ASSIGNED, 0, '"id"')
    board = h2o / H2O_BOARD
    board.write_text("\n" + board.read_text())
    matrix = verified(read(h2o, **of_h2o(h2o)))
    assert (matrix.n_folds, matrix.source.verification.n_checked) == (4, 3)
    board.unlink()
    changed(h2o / ASSIGNED, 6, "3")
    matrix = verified(read(h2o, **of_h2o(h2o)))
    assert matrix.folds is None  # those of the models are others
    found = matrix.source.verification
    assert (found.n_checked, found.reason) == (0, "there is no leaderboard.csv")
    (h2o / ASSIGNED).unlink()
    assert read(h2o, **of_h2o(h2o)).folds is None


def test_folds_of_h2o_beside_a_key(h2o):
    """The column of the folds is found by its name, never the first for want of it."""
    for file in h2o.glob("*.cv_fold_assignment.csv"):
        file.write_text(lines("id,fold_assignment", *(f"{i},{i % 4}" for i in range(N))))
    assert read(h2o, **of_h2o(h2o)).n_folds == 4
    changed(h2o / ASSIGNED, 0, "id,fold")
    wrong("has no column fold_assignment", h2o, h2o / ASSIGNED, **of_h2o(h2o))


def test_models_of_two_runs_of_h2o_keep_their_whole_names(h2o):
    """`GBM_1` of both would be one."""
    board = (h2o / H2O_BOARD).read_text()
    names = [f"GBM_1_AutoML_{run}_20260101_120000" for run in (1, 2)]
    for old, new in zip("ab", names, strict=True):
        for kind in ("cv_holdout_predictions", "cv_fold_assignment"):
            (h2o / f"{old}.{kind}.csv").rename(h2o / f"{new}.{kind}.csv")
        board = board.replace(f"\n{old},", f"\n{new},")
    (h2o / H2O_BOARD).write_text(board)
    matrix = verified(read(h2o, **of_h2o(h2o)))
    assert matrix.configurations == (*names, "c")
    assert matrix.source.verification.n_checked == 3


def test_values_of_h2o(tmp_path):
    """A regression has one column, and the scores are those of numbers."""
    truth = RNG.normal(size=N).round(3)
    for name, off in (("a", 0.5), ("b", -1.0)):
        rows = lines("predict", *(f"{value + off:.6f}" for value in truth))
        (tmp_path / f"{name}.cv_holdout_predictions.csv").write_text(rows)
    (tmp_path / "leaderboard.csv").write_text("model_id,rmse,mse\na,0.5,0.25\nb,1.0,1.0\n")
    (tmp_path / "train.csv").write_text(lines("target", *truth))
    matrix = verified(read(tmp_path, labels=tmp_path / "train.csv", roles=Roles(truth="target")))
    assert matrix.source.verification.n_checked == 2
    np.testing.assert_allclose(matrix.predictions[0, :, 0] - truth, 0.5, atol=1e-5)


# TabRepo


MATRIX = np.stack([CHANCES["a"], CHANCES["b"]]).astype("<f8")
LABELS = lines(",label", *(f"{i + 100},{one}" for i, one in enumerate(TRUTH)))


def tabrepo(place, *, labels=LABELS, matrix=MATRIX, **about):
    place.mkdir(exist_ok=True)
    said = {"models": ["a", "b"], "pred_val_shape": [2, N], "dtype": "float64"} | about
    (place / "metadata.json").write_text(json.dumps(said))
    (place / "pred-val.dat").write_bytes(matrix.tobytes())
    with zipfile.ZipFile(place / "label-val.csv.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("label-val.csv", labels)
    return place


def test_tabrepo_that_is_whole(tmp_path):
    narrow = MATRIX.astype("<f4")
    matrix = read(tabrepo(tmp_path, matrix=narrow, dtype="float32"))
    np.testing.assert_array_equal(matrix.predictions[0].T, narrow)
    assert matrix.source.metadata["run"]["tool"] == "TabRepo"


LACKS = "lacks models, pred_val_shape or dtype"


@pytest.mark.parametrize(
    ("how", "file", "words"),
    [
        ({"models": None}, "metadata.json", LACKS),
        ({"pred_val_shape": [2, float("inf")]}, "metadata.json", LACKS),
        (
            {"pred_val_shape": [3, N]},
            "metadata.json",
            "2 models, but a matrix of (3, 40) float64",
        ),
        ({"pred_val_shape": [2]}, "metadata.json", "2 models, but a matrix of (2,) float64"),
        ({"pred_val_shape": [2, -N]}, "metadata.json", "but a matrix of (2, -40) float64"),
        ({"dtype": "object"}, "metadata.json", "2 models, but a matrix of (2, 40) object"),
        ({"models": ["a", "a"]}, "metadata.json", "names the model 'a' twice"),
        (
            {"pred_val_shape": [2, N - 1]},
            "pred-val.dat",
            "640 bytes, but its description says 624",
        ),
        ({"pred_val_shape": [2, 10**30]}, "pred-val.dat", "holds more than"),
        # 2**65 bytes: a number that wraps around
        ({"pred_val_shape": [2, 2**61, 8]}, "pred-val.dat", "holds more than"),
        *(
            ({"labels": labels}, "label-val.csv.zip", words)
            for labels, words in (
                (LABELS.rsplit("139", 1)[0], "has 39 rows, but there are 40 samples"),
                (
                    LABELS.replace("103,1", "103,1,1"),
                    "has 3 values instead of a sample and its label",
                ),
                (b",label\n\xff\xfe", "is damaged"),
                (',label\n"' + "x" * 200_000, "is damaged"),
            )
        ),
    ],
)
def test_damage_of_tabrepo(tmp_path, how, file, words):
    place = tabrepo(tmp_path / "run", **how)
    error = wrong(words, place, place / file)
    assert error.row == (3 if "values" in words else None)


@pytest.mark.parametrize(
    "labels", [LABELS + "\n\n", "\ufeff" + LABELS, LABELS.replace("\n", "\r\n")]
)
def test_labels_of_tabrepo_that_went_through_another_program(tmp_path, labels):
    matrix = read(tabrepo(tmp_path / "run", labels=labels))
    np.testing.assert_array_equal(matrix.outcome.values, TRUTH)
    np.testing.assert_array_equal(matrix.predictions[0].T, MATRIX)


def test_labels_of_tabrepo_that_unpack_to_too_much(tmp_path):
    place = tabrepo(tmp_path / "run", labels=LABELS + "\n" * 2**21)
    with resources.use_reading(resources.Reading(max_input=2**20)):
        wrong("holds more than", place, place / "label-val.csv.zip")


def test_labels_of_tabrepo_that_are_words_or_values(tmp_path):
    words = LABELS.replace(",0\n", ",no\n").replace(",1\n", ",yes\n")
    matrix = read(tabrepo(tmp_path / "words", labels=words))
    assert matrix.outcome.classes == ("no", "yes")
    np.testing.assert_array_equal(matrix.outcome.values, TRUTH)
    values = lines(",label", *(f"{i},{i / 8}" for i in range(N)))
    matrix = read(tabrepo(tmp_path / "values", labels=values))
    np.testing.assert_array_equal(matrix.outcome.values, np.arange(N) / 8)


def test_classes_of_tabrepo(tmp_path):
    three = np.arange(N) % 3
    chances = (np.eye(3)[three] + RNG.random((2, N, 3))) / 3
    chances /= chances.sum(axis=2, keepdims=True)
    labels = lines(",label", *(f"{i},{one}" for i, one in enumerate(three)))
    place = tabrepo(tmp_path / "run", labels=labels, matrix=chances, pred_val_shape=[2, N, 3])
    matrix = read(place)
    assert matrix.outcome.classes == ("0", "1", "2")
    np.testing.assert_array_equal(matrix.predictions[0].transpose(1, 0, 2), chances)


def test_a_zip_file_that_is_cut_is_refused(tmp_path):
    place = tabrepo(tmp_path / "run")
    file = place / "label-val.csv.zip"
    content = file.read_bytes()
    for end in range(0, len(content), 80):
        file.write_bytes(content[:end])
        wrong("is damaged", place)


# R


def caret(rows):
    return lines("pred,obs,rowIndex,k,Resample", *rows)


VALUES = [
    f"{i / 7 + k + 1 + i % 3},{i / 7},{i + 1},{k},Fold{i % 4}" for k in range(3) for i in range(N)
]
WORDS = [f"{'nyny'[i % 4]},{'ny'[i % 2]},{i + 1},{i % 3},Fold{i % 4}" for i in range(N)]


def test_exports_of_caret_of_two_outcomes(tmp_path, run):
    (tmp_path / "one.csv").write_text(caret(VALUES))
    (tmp_path / "two.csv").write_text(caret(WORDS))
    error = wrong("holds exports of different outcomes", tmp_path, tmp_path)
    assert error.hint == "give the files of one outcome"
    assert run("inspect", tmp_path)[0] == 2


@pytest.mark.parametrize("rows", [VALUES, WORDS], ids=["values", "words"])
@pytest.mark.parametrize("others", [1, 2])
def test_an_export_that_was_cut_off(tmp_path, rows, others):
    """It was left out as of another outcome, without a doubt, or refused as such."""
    for i in range(others):
        (tmp_path / f"whole{i}.csv").write_text(caret(rows))
    (tmp_path / "cut.csv").write_text(caret(rows[: N - 3]))
    error = wrong(f"has {N - 3} of the {N} samples in whole0.csv", tmp_path, tmp_path / "cut.csv")
    assert error.hint == "copy or write the file again"


def caret_of_chances(tmp_path, cells):
    """Two configurations with a column for each class: a label, and its probabilities."""
    rows = []
    for k, i in np.ndindex(2, N):
        label, chances = cells(CHANCES["ab"[k]][i])
        rows.append(f"{label},{'ny'[TRUTH[i]]},{chances},{i + 1},{k},Fold{i % 4}")
    (tmp_path / "one.csv").write_text(lines("pred,obs,n,y,rowIndex,k,Resample", *rows))
    return read(tmp_path)


def test_one_predicted_class_alone_contradicts_nothing(tmp_path):
    matrix = caret_of_chances(tmp_path, lambda v: ("n", f"{1 - v / 2:.6f},{v / 2:.6f}"))
    expected = 1 - np.stack([CHANCES["a"], CHANCES["b"]], axis=1) / 2  # the event is "n", the first
    np.testing.assert_allclose(matrix.predictions[0], expected, atol=1e-6)
    # where probabilities of the other are missing there is no pair to compare
    gaps = caret_of_chances(
        tmp_path, lambda v: ("y", f"{1 - v:.6f},{v:.6f}") if v > 0.5 else ("n", "NA,NA")
    )
    assert "samples-left-out" in {note.code for note in gaps.notes}


@pytest.mark.parametrize(
    ("predicted", "truth", "agree"),
    [
        ("abcc", "abcc", None),
        swept("bacc", "abcc", "50%"),
        swept("baca", "abcc", "25%"),
        swept("abcc", "abcd", None),  # no column of d
        swept("baca", "abcz", "25%"),
    ],
)
def test_labels_of_three_classes(tmp_path, predicted, truth, agree):
    chances = ("0.7,0.2,0.1", "0.1,0.8,0.1", "0.2,0.3,0.5", "0.1,0.3,0.6")
    rows = [f"{','.join(row)},Fold1" for row in zip(predicted, truth, chances, "1234", strict=True)]
    (tmp_path / "one.csv").write_text(lines("pred,obs,a,b,c,rowIndex,Resample", *rows))
    if agree is None:
        read_source(tmp_path)
        return
    with pytest.raises(InputError, match=f"contradict the probabilities: {agree} agree"):
        read_source(tmp_path)


TWICE = (
    ("mljar", "5_Linear/predictions_out_of_folds.csv", "target"),
    ("mljar", "leaderboard.csv", "metric_value"),
    ("h2o", "leaderboard.csv", "auc"),
    ("h2o", "GBM_1_AutoML_1_20261120_165007.cv_holdout_predictions.csv", "malignant"),
    ("h2o", "GBM_1_AutoML_1_20261120_165007.cv_fold_assignment.csv", "fold_assignment"),
    ("caret", "knn_pred.csv", "obs"),
    ("caret", "knn_pred.csv", "rowIndex"),
    ("caret", "knn_pred.csv", "benign"),
)


@pytest.mark.parametrize(("tool", "file", "column"), TWICE)
def test_a_column_name_twice(tmp_path, run, tool, file, column):
    folder = tmp_path / tool
    shutil.copytree(Path(__file__).parents[1] / "data" / "runs" / tool, folder)
    place = folder / file
    header, *rows = place.read_text().splitlines()
    position = header.replace('"', "").split(",").index(column)
    place.write_text(lines(*(f"{row},{row.split(',')[position]}" for row in (header, *rows))))
    labels = ["--labels", folder / "train.csv"] if tool == "h2o" else []
    err = run.refused("convert", folder, *labels, "-o", tmp_path / "p.parquet")
    assert f"{file}: two columns have the same name (column {column!r})" in " ".join(err.split())
    assert not (tmp_path / "p.parquet").exists()
