"""Runs of the tools themselves: every figure is the tool's own."""

import csv
import json
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from runs import READERS, oof
from runs import autogluon as write_autogluon
from sklearn import metrics

from bbccli.errors import InputError

DATA = Path(__file__).parents[1] / "data"
TOOLS = DATA / "tools"


FEW = ("--n-resamples", "50")


def figures(run, *argv):
    """Return what `bbc leaderboard` says of each configuration."""
    found = json.loads(run.printed("leaderboard", *argv, *FEW, "--format", "json"))
    rows = [row for row in found["rows"] if row["rank"] is not None]  # not what was made of them
    return {row["configuration"]: row["performances"][0]["value"] for row in rows}


def said(run, *argv):
    """Return the exit status and everything that is printed, in one line."""
    status, out, err = run("correct", *argv, *FEW)
    return status, " ".join((out + err).split())


def refusal(run, *argv):
    """Return what is said of input that is refused, in one line."""
    status, text = said(run, *argv)
    assert status == 2, text
    return text


# caret

KINDS = TOOLS / "caret"
METRIC = {"f1": "f1", "labels": "f1"}


def of_caret(kind):
    with (KINDS / "results.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == kind]
    return {row["configuration"]: float(row["value"]) for row in rows}


@pytest.mark.parametrize("kind", ["loocv", "f1", "labels", "slices", "weights"])
def test_figures_are_those_of_caret(kind, run):
    found = figures(run, KINDS / f"{kind}.csv", "--metric", METRIC.get(kind, "accuracy"))
    assert found == pytest.approx(of_caret(kind), abs=1e-12)


@pytest.mark.parametrize("kind", ["lgocv", "boot"])
def test_random_parts_of_caret_are_repeats_on_request(kind, run):
    """Rows occur in several of its resamples, and the way to read them is named."""
    assert "hint: --repeat Resample if each fold is a random part of the samples" in refusal(
        run, KINDS / f"{kind}.csv"
    )
    argv = (KINDS / f"{kind}.csv", "--repeat", "Resample", "--metric", "accuracy")
    assert figures(run, *argv) == pytest.approx(of_caret(kind), abs=1e-12)


def test_folders_of_caret_are_known_without_resamples(tmp_path, run):
    (tmp_path / "knn.csv").write_bytes((KINDS / "loocv.csv").read_bytes())
    status, text = said(run, tmp_path, "--metric", "accuracy")
    assert status == 0
    assert "caret run" in text
    assert "selection pooled" in text
    assert "k=7 scored 0.875 on these 40 samples, the best of 2" in text


def test_the_event_of_caret_is_the_first_level_unless_an_option_says_otherwise(run):
    file = KINDS / "f1.csv"
    assert "binary (positive: ja)" in said(run, file)[1]
    assert "binary (positive: nein)" in said(run, file, "--positive", "nein")[1]


def test_what_caret_did_not_keep_is_not_called_nothing(tmp_path, run):
    status, text = said(run, KINDS / "final.csv", "--metric", "accuracy")
    assert status == 0
    assert "k=7, the only configuration whose predictions were kept, scored 0.854" in text
    assert "the other configurations are unknown, so the choice is not corrected for" in text
    assert "savePredictions" in text
    assert "nothing was chosen" not in text
    both = said(run, KINDS / "final.csv", KINDS / "untuned.csv", "--metric", "accuracy")[1]
    assert "the file holds only the best configuration" in both
    assert "nothing was chosen" in said(run, KINDS / "untuned.csv")[1]


def test_weights_of_a_fit_count_in_caret_only_on_request(run):
    plain = figures(run, KINDS / "weights.csv", "--metric", "accuracy")
    assert "weighted by" not in said(run, KINDS / "weights.csv", "--metric", "accuracy")[1]
    asked = figures(run, KINDS / "weights.csv", "--metric", "accuracy", "--weight", "weights")
    assert asked != pytest.approx(plain, abs=1e-3)


# AutoGluon

GLUON = TOOLS / "autogluon"


def of_autogluon(kind):
    """Return the leaderboard of a run, without the ensemble, in the sign of bbc."""
    with (GLUON / kind / "leaderboard.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if "Ensemble" not in row["model"]]
    sign = -1 if rows[0]["eval_metric"] in ("log_loss", "root_mean_squared_error") else 1
    return {row["model"]: sign * float(row["score_val"]) for row in rows}


KIND_OF_RUN = [
    ("holdout", 12),
    ("holdout_rare", 20),
    ("holdout_dates", 12),
    ("holdout_numbers", 12),
    ("bag_rare", 99),
    ("bag_shuffled", 60),
    ("bag_holdout", 30),
]


@pytest.mark.parametrize(("kind", "n_samples"), KIND_OF_RUN)
def test_autogluon_needs_no_labels(kind, n_samples, run):
    found = figures(run, GLUON / kind)
    assert found == pytest.approx(of_autogluon(kind), abs=1e-6)
    text = said(run, GLUON / kind)[1]
    assert f"{n_samples} samples" in text
    assert "2 of 2 scores recomputed" in text
    assert ("one held-out set" in text) == ("holdout" in kind)
    assert ("oob (1)" in text) == (kind in ("bag_rare", "bag_shuffled"))  # of neighbours in a bag


@pytest.mark.parametrize(
    ("kind", "classes"),
    [
        ("holdout", "(positive: ja)"),
        ("bag_shuffled", "(positive: ja)"),
        ("holdout_rare", "(x, y, z)"),
        ("bag_rare", "(x, y, z)"),
    ],
)
def test_labels_name_the_classes_of_autogluon(kind, classes, tmp_path, run):
    """By row numbers where rows were dropped or held out, in order where they were shuffled."""
    labels = ("--labels", GLUON / kind / "train.csv", "--truth", "y")
    assert figures(run, GLUON / kind, *labels) == pytest.approx(of_autogluon(kind), abs=1e-6)
    assert classes in said(run, GLUON / kind, *labels)[1]
    lines = (GLUON / kind / "train.csv").read_text().splitlines()
    (tmp_path / "more.csv").write_text("id" + "\n".join([f",{line}" for line in lines]))
    keyed = ("--labels", tmp_path / "more.csv", "--truth", "y")
    assert classes in said(run, GLUON / kind, *keyed)[1]
    (tmp_path / "turned.csv").write_text("\n".join([lines[0], *lines[:0:-1]]))
    text = refusal(run, GLUON / kind, "--labels", tmp_path / "turned.csv", "--truth", "y")
    assert "is not the truth of the rows that the run predicts" in text
    assert "leave --labels out" in text
    (tmp_path / "short.csv").write_text("\n".join(lines[:9]))
    assert "has 8 rows, but the run predicts" in refusal(
        run, GLUON / kind, "--labels", tmp_path / "short.csv", "--truth", "y"
    )


def test_weights_and_groups_of_autogluon_are_in_the_labels_file(tmp_path, run):
    kind = GLUON / "bag_weights"
    labels = ("--labels", kind / "train.csv", "--truth", "y")
    found = figures(run, kind, *labels, "--weight", "w")
    assert found == pytest.approx(of_autogluon("bag_weights"), abs=1e-6)
    assert "weighted by w" in said(run, kind, *labels, "--weight", "w")[1]
    assert "labels or weights are not those of the run" in refusal(run, kind, *labels)
    other = GLUON / "bag_shuffled"
    weights = ("--labels", other / "train.csv", "--truth", "y", "--weight", "a")
    (tmp_path / "w.csv").write_text((other / "train.csv").read_text().replace("-", ""))
    weights = ("--labels", tmp_path / "w.csv", *weights[2:])
    assert "the run scored without the weights: leave them out, by --unweighted" in refusal(
        run, other, *weights
    )
    assert said(run, other, *weights[:4], "--unweighted")[0] == 0
    assert "train.csv: --weight is 'v', which is not a column" in refusal(
        run, kind, *labels, "--weight", "v"
    )
    lines = (kind / "train.csv").read_text().splitlines()
    grouped = [f"{lines[0]},g", *(f"{line},{row % 10}" for row, line in enumerate(lines[1:]))]
    (tmp_path / "grouped.csv").write_text("\n".join(grouped))
    labels = ("--labels", tmp_path / "grouped.csv", "--truth", "y")
    assert "10 groups" in said(run, kind, *labels, "--weight", "w", "--group", "g")[1]


def test_rows_of_weight_0_count_for_nothing_as_in_the_run(tmp_path, run):
    kind = GLUON / "bag_idle"
    labels = ("--labels", kind / "train.csv", "--truth", "y", "--weight", "w")
    found = figures(run, kind, *labels)
    assert found == pytest.approx(of_autogluon("bag_idle"), abs=1e-6)
    text = said(run, kind, *labels, "--notes", "all")[1]
    assert "48 samples x 2 configurations, weighted by w" in text
    assert "leaderboard: 2 of 2 scores recomputed" in text
    assert "12 of 60 rows have the weight 0, and do not count in AutoGluon: left out" in text
    table = tmp_path / "all.csv"
    rows = (kind / "train.csv").read_text().splitlines()
    table.write_text("\n".join([rows[0], *(row.rpartition(",")[0] + ",0" for row in rows[1:])]))
    text = refusal(run, kind, "--labels", table, *labels[2:])
    assert "weight is not positive" in text
    assert "remove rows that do not count" in text


@pytest.mark.parametrize("kind", ["holdout_quantile", "bag_quantile"])
def test_quantiles_are_refused_in_words(kind, tmp_path, run):
    folder = shutil.copytree(GLUON / "holdout_quantile", tmp_path / "run")
    if kind == "bag_quantile":  # without labels, in the place of those of a bag
        shutil.rmtree(folder / "utils")
    assert "quantiles hint: bbc has no metric for quantiles" in refusal(
        run, folder, "--labels", folder / "train.csv", "--truth", "y"
    )


def test_autogluon_that_kept_too_little(tmp_path, run):
    folder = shutil.copytree(GLUON / "holdout", tmp_path / "run")
    for name in ("LinearModel", "KNeighbors"):
        shutil.rmtree(folder / "utils" / "attr" / name)
    text = said(run, folder)[1]
    assert (
        "fitted without num_bag_folds, and the predictions for its hold-out were not kept" in text
    )
    folder = shutil.copytree(GLUON / "holdout", tmp_path / "other")
    (folder / "utils" / "data" / "y_val.pkl").unlink()
    text = said(run, folder)[1]
    assert "fitted without num_bag_folds, and the labels of its hold-out can't be read" in text
    assert "num_bag_folds=5" in text
    folder = shutil.copytree(GLUON / "bag_holdout", tmp_path / "mixed")
    shutil.rmtree(folder / "utils" / "attr" / "LinearModel_BAG_L1")
    assert "KNeighbors_BAG_L1, the only one of 2" in said(run, folder)[1]
    folder = shutil.copytree(GLUON / "bag_rare", tmp_path / "bag")
    shutil.copy(GLUON / "bag_shuffled" / "utils" / "data" / "y.pkl", folder / "utils" / "data")
    assert "truth has shape (60,), not (99,) as KNeighbors_BAG_L1" in said(run, folder)[1]


def test_undefined_precision_of_autogluon_counts_as_0(run):
    found = figures(run, GLUON / "bag_precision")
    assert found == pytest.approx(of_autogluon("bag_precision"), abs=1e-6)


def without_labels(tmp_path):
    """Return a folder that holds no labels, those of the fit, and predictions of `ja`."""
    folder = shutil.copytree(GLUON / "bag_shuffled", tmp_path / "run")
    shutil.rmtree(folder / "utils")
    return folder, ("--labels", folder / "train.csv", "--truth", "y")


def test_the_positive_class_of_autogluon_is_that_of_its_scores(tmp_path, run):
    """Without its labels nothing but the scores tells the class of the probabilities."""
    folder, labels = without_labels(tmp_path)
    assert figures(run, folder, *labels) == pytest.approx(of_autogluon("bag_shuffled"), abs=1e-6)
    text = said(run, folder, *labels, "--notes", "all")[1]
    assert "binary (positive: ja)" in text
    assert "the positive class is ja, judging by the scores of AutoGluon" in text
    assert "the positive class" not in said(run, GLUON / "bag_shuffled", "--notes", "all")[1]
    assert "the classes are swapped: choose the other one by --positive ja" in refusal(
        run, folder, *labels, "--positive", "nein"
    )
    run.printed("convert", folder, *labels, "--output", tmp_path / "again.parquet")
    assert "binary (positive: ja)" in said(run, tmp_path / "again.parquet")[1]
    assert "(positive: ja)" in run.printed("inspect", folder, *labels)


SCORERS = {
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "f1": metrics.f1_score,
    "f1_macro": partial(metrics.f1_score, average="macro"),
    "mcc": metrics.matthews_corrcoef,
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "roc_auc": metrics.roc_auc_score,
    "average_precision": metrics.average_precision_score,
    "log_loss": lambda y, p: -metrics.log_loss(y, np.clip(p, 1e-12, 1 - 1e-12)),
}


@pytest.mark.parametrize("name", SCORERS)
@pytest.mark.parametrize("positive", ["ja", "nein"])
def test_any_metric_tells_the_class_of_the_probabilities(name, positive, tmp_path, run):
    folder, labels = without_labels(tmp_path)
    with (folder / "train.csv").open() as file:
        truth = np.array([row["y"] == positive for row in csv.DictReader(file)])
    lines = ["model,score_val,eval_metric"]
    for model, values in READERS["AutoGluon"].load(folder).by_configuration.items():
        proper = name in ("roc_auc", "average_precision", "log_loss")
        score = SCORERS[name](truth, values if proper else values > 0.5)
        lines += [f"{model},{score!r},{name}".replace("np.float64(", "").replace(")", "")]
    (folder / "leaderboard.csv").write_text("\n".join(lines))
    status, text = said(run, folder, *labels, "--notes", "all")
    assert status == 0, text
    assert f"binary (positive: {positive})" in text
    assert ("by the scores of AutoGluon" in text) == (positive == "ja")  # nein is the last


def test_the_other_class_is_named_only_if_all_scores_are_of_it(tmp_path, run):
    folder, labels = without_labels(tmp_path)
    lines = (folder / "leaderboard.csv").read_text().splitlines()
    name, score, *rest = lines[-1].split(",")
    changed = ",".join([name, str(float(score) / 2), *rest])
    (folder / "leaderboard.csv").write_text("\n".join([*lines[:-1], changed]))
    for positive in ((), ("--positive", "nein")):
        assert "rows, classes, labels or weights are not those of the run" in refusal(
            run, folder, *labels, *positive
        )


def test_scores_of_no_class_are_still_refused(tmp_path, run):
    folder, labels = without_labels(tmp_path)
    lines = (folder / "train.csv").read_text().splitlines()
    (folder / "train.csv").write_text("\n".join([lines[0], *lines[:0:-1]]))
    assert "rows, classes, labels or weights are not those of the run" in refusal(
        run, folder, *labels
    )
    board = (folder / "leaderboard.csv").read_text()
    (folder / "leaderboard.csv").unlink()  # then the last is taken
    (folder / "train.csv").write_text("\n".join(lines))
    assert "binary (positive: nein)" in said(run, folder, *labels)[1]
    (folder / "leaderboard.csv").write_text(board.replace(",f1,", ",my_metric,"))
    unknown = said(run, folder, *labels, "--metric", "f1")[1]
    assert "binary (positive: nein)" in unknown


# H2O


def test_h2o_leaves_rows_without_a_target_out(run):
    folder = TOOLS / "h2o"
    labels = ("--labels", folder / "train.csv")
    with (folder / "leaderboard.csv").open() as file:
        rows = {row["model_id"].partition("_Auto")[0]: row for row in csv.DictReader(file)}
    found = figures(run, folder, *labels, "--clip", "1e-15")
    expected = {name: float(row["logloss"]) for name, row in rows.items()}
    assert found == pytest.approx(expected, abs=1e-6)
    text = said(run, folder, *labels)[1]
    assert "218 samples" in text
    assert "3 of 3 scores recomputed" in text
    assert "2 of 220 rows have no label: left out, because H2O could not score them" in text
    assert "by H2O, which clips probabilities at 1e-15" in text


def test_a_class_without_a_name_is_called_a_missing_target(tmp_path, run):
    folder = shutil.copytree(TOOLS / "h2o", tmp_path / "run")
    for file in folder.glob("*.cv_holdout_predictions.csv"):
        file.write_text(file.read_text().replace('"x"', '""', 1))
    assert "has a class without a name, for which H2O took missing targets" in refusal(
        run, folder, "--labels", folder / "train.csv"
    )


def test_a_class_may_have_the_name_of_the_first_column_of_h2o(tmp_path, run):
    plain = DATA / "runs" / "h2o"
    folder = shutil.copytree(plain, tmp_path / "run")
    header = (plain / "train.csv").read_text().partition("\n")[0]
    names = next(iter(folder.glob("*.cv_holdout*"))).read_text().partition("\n")[0]
    last = names.rpartition(",")[2].strip('"')
    for file in [*folder.glob("*.cv_holdout*"), folder / "train.csv"]:
        file.write_text(file.read_text().replace(last, "predict"))
    truth = header.rpartition(",")[2].strip('"')
    of_both = [
        figures(run, one, "--labels", one / "train.csv", "--truth", truth)
        for one in (plain, folder)
    ]
    assert of_both[0] == of_both[1]
    text = said(run, folder, "--labels", folder / "train.csv", "--truth", truth)[1]
    assert "positive: predict" in text


def test_swapped_labels_of_h2o_are_not_mended_by_the_positive_class(tmp_path, run):
    """It chooses the column of the class as well."""
    folder = shutil.copytree(DATA / "runs" / "h2o", tmp_path / "run")
    with (folder / "train.csv").open() as file:
        header, *rows = csv.reader(file)
    at = header.index("target") if "target" in header else len(header) - 1
    one, other = sorted({row[at] for row in rows})
    with (folder / "train.csv").open("w", newline="") as file:
        swapped = [[*row[:at], one if row[at] == other else other, *row[at + 1 :]] for row in rows]
        csv.writer(file).writerows([header, *swapped])
    labels = ("--labels", folder / "train.csv", "--truth", header[at])
    for positive in ((), ("--positive", one), ("--positive", other)):
        assert "the classes are swapped: give the labels of the run" in refusal(
            run, folder, *labels, *positive
        )


# AutoGluon's forests, and mljar


def test_rows_that_no_tree_left_out_are_no_quantiles(tmp_path):
    """With few trees some rows are in every bag: AutoGluon writes 0 for each class."""
    values = np.array([[0.25, 0.5, 0.25], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])

    def loaded(name, values):
        folder = write_autogluon(tmp_path / name, {"RandomForest_BAG_L1": (oof(values), ["S1F1"])})
        return READERS["AutoGluon"].load(folder)

    assert_array_equal(loaded("classes", values).by_configuration["RandomForest_BAG_L1"], values)
    with pytest.raises(InputError, match="quantiles"):
        loaded("quantiles", values + 1)


def test_scores_of_large_targets_agree_to_as_many_digits(tmp_path, run):
    """House prices: mean squares of 1e12, where an absolute tolerance is less than rounding."""
    folder = shutil.copytree(TOOLS / "h2o", tmp_path / "run")
    board = folder / "leaderboard.csv"
    with board.open() as file:
        header, first, *rows = csv.reader(file)
    first[header.index("logloss")] = "1e12"
    with board.open("w", newline="") as file:
        csv.writer(file).writerows([header, first, *rows])
    scores = READERS["H2O"].load(folder).about.run.leaderboard
    assert max(one.tolerance for one in scores) == pytest.approx(1e8)
    assert min(one.tolerance for one in scores) == pytest.approx(1e-4, rel=0.5)


def of_mljar(tmp_path):
    return shutil.copytree(DATA / "runs" / "mljar_diabetes", tmp_path / "run")


def test_a_model_of_mljar_that_lacks_a_fold_is_left_out(tmp_path, run):
    """mljar keeps no predictions of a fold whose score is undefined: Pearson's r of equal ones."""
    folder = of_mljar(tmp_path)
    name = json.loads((folder / "params.json").read_text())["saved"][0]
    gone = set(np.load(folder / "folds" / "fold_1_validation_indices.npy").tolist())
    place = folder / name / "predictions_out_of_folds.csv"
    header, *rows = place.read_text().splitlines()
    place.write_text("\n".join([header, *(r for at, r in enumerate(rows) if at not in gone)]))
    status, text = said(run, folder)
    assert (status, "has " in text) == (2, True)  # a fold with a score was kept
    for fold in range(len(list((folder / "folds").glob("fold_*_validation_indices.npy")))):
        score = "nan" if fold == 1 else "0.5"
        (folder / name / f"learner_fold_{fold}_training.log").write_text(f"1,0.5,{score}\n")
    status, text = said(run, folder)
    assert status == 0
    assert "3 of 4 configurations t" in " ".join(text.split())
    assert "left out" in text


def test_a_model_that_mljar_had_begun_counts_as_tried(tmp_path, run):
    folder = of_mljar(tmp_path)
    (folder / "99_Xgboost").mkdir()
    (folder / "99_Xgboost" / "learner_fold_0_training.log").write_text("1,0.5,0.5\n")
    assert "99_Xgboost" in said(run, folder)[1]


@pytest.mark.parametrize("listed", [True, False])
def test_a_run_of_mljar_stopped_in_the_middle_of_a_model(listed, tmp_path, run):
    folder = shutil.copytree(DATA / "runs" / "mljar_diabetes", tmp_path / "run")
    params = json.loads((folder / "params.json").read_text())
    saved = [name for name in params["saved"] if name != "Ensemble"]
    params["saved"] = saved
    (folder / "params.json").write_text(json.dumps(params))
    board = (folder / "leaderboard.csv").read_text().splitlines()
    kept = [one for one in board if "Ensemble" not in one and (listed or saved[-1] not in one)]
    (folder / "leaderboard.csv").write_text("\n".join(kept))
    (folder / saved[-1] / "predictions_out_of_folds.csv").unlink()
    status, text = said(run, folder)
    assert status == 0
    assert f"{len(saved) - 1} of {len(saved)} configurations tried" in text
    assert f"({saved[-1]} left out)" in text
    shutil.rmtree(folder / saved[-1])
    assert said(run, folder)[0] == 2  # a copy that lacks a model


# Exports in a long dialect

NAMES = {
    "roc_auc": "auc",
    "f_meas": "f1",
    "classif.auc": "auc",
    "classif.acc": "accuracy",
    "regr.mse": "mse",
    "predictive_accuracy": "accuracy",
    "mean_absolute_error": "mae",
}


@pytest.mark.parametrize("tool", ["openml", "tidymodels", "mlr3"])
def test_figures_are_those_of_the_export(tool, tmp_path, run):
    """Means over folds, in the order of the tool's own classes; alone in a folder too."""
    with (TOOLS / tool / "scores.csv").open() as file:
        rows = list(csv.DictReader(file))
    for kind, measure in {(row["kind"], row["measure"]) for row in rows}:
        wanted = (kind, measure)
        own = [row for row in rows if (row["kind"], row["measure"]) == wanted]
        expected = {row["configuration"]: float(row["value"]) for row in own}
        source = TOOLS / tool / kind
        if tool != "openml":
            source = tmp_path / f"{kind}_{measure}"
            source.mkdir()
            shutil.copy(TOOLS / tool / f"{kind}.csv", source)
        metric = ("--metric", NAMES.get(measure, measure), "--pooling", "fold-mean")
        assert figures(run, source, *metric) == pytest.approx(expected, abs=1e-9), wanted
        assert f"{'OpenML' if tool == 'openml' else tool} run" in said(run, source, *metric)[1]


def test_the_event_is_the_class_that_the_tool_calls_positive(run):
    assert "(positive: nein)" in said(run, TOOLS / "mlr3" / "classes.csv", "--metric", "f1")[1]
    assert "(positive: ja)" in said(run, TOOLS / "tidymodels" / "classes.csv", "--metric", "f1")[1]
