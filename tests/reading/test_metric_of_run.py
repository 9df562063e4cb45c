"""The metric and the rule by which a tool selected: followed, or said; never guessed in silence."""

import csv
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from day import daily
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score, fbeta_score, make_scorer
from sklearn.model_selection import GridSearchCV, ShuffleSplit, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import bbccli
from bbccli.errors import UnsupportedError
from bbccli.metrics import METRICS, default_metric
from bbccli.reading import Roles, read
from bbccli.recording import Recorder

pytestmark = pytest.mark.filterwarnings("ignore:(the search|what was kept) :UserWarning")
"""`finish` says the same."""

REAL = Path(__file__).parents[1] / "data" / "runs"
DATA = make_classification(n_samples=120, random_state=0, flip_y=0.2)
GRID = {"C": [0.001, 0.1, 10.0]}
FAST = ("--n-resamples", 20)


def searched(folder, scoring, cv=None, model=None, grid=GRID, **about):
    rec = Recorder(folder, *DATA, cv=cv or StratifiedKFold(4), scoring=scoring, **about)
    model = model or LogisticRegression(max_iter=500)
    search = GridSearchCV(model, grid, cv=rec.cv, scoring=rec.scorer).fit(*DATA)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # says the same; tested with the recorder
        rec.finish(search)
    return folder, search


OTHERS = {
    "a function": (make_scorer(fbeta_score, beta=3), {}, "selects by a custom scorer"),
    "a name": ("jaccard_macro", {}, "selects by jaccard_macro, which bbc does not have"),
    "of another task": ("r2", {"task": "binary"}, "selects by r2, which is for regression tasks"),
    "of other predictions": ("roc_auc", {"response": "predict"}, "roc_auc, which needs"),
}


@pytest.fixture(params=daily(OTHERS, ["a function"]))
def other(request, tmp_path):
    """A recording whose metric can't be computed, and what is said of it."""
    scoring, about, words = OTHERS[request.param]
    return searched(tmp_path / "run", scoring, **about)[0], words


def test_a_metric_that_is_not_there_is_not_guessed(other, run, tmp_path):
    folder, words = other
    target = tmp_path / "converted.parquet"
    run.printed("convert", folder, "-o", target)
    assert words in run.refused("correct", target)
    for command in (("correct",), ("leaderboard",), ("compare",), ("drop", "--replay")):
        err = run.refused(*command, folder)
        assert words in err
        assert "hint: --metric NAME selects by another one: " in err
        assert "accuracy" in err
    status, out, _ = run("inspect", folder, "--format", "json")
    (said,) = [one for one in json.loads(out)["findings"] if one["check"] == "metric"]
    assert (status, said["status"]) == (0, "warning")
    assert words in said["text"]


def test_with_another_metric_both_are_said(other, run):
    folder, words = other
    argv = ("correct", folder, "--metric", "accuracy", *FAST)
    out = run.printed(*argv)
    found = json.loads(run(*argv, "--format", "json")[1])["input"]["run"]
    name = words.removeprefix("selects by ").partition(",")[0]
    known = {"r2": "r2", "roc_auc": "auc"}.get(name)
    assert (found["metric"], found["metric_name"]) == (known, None if known else name)
    label = METRICS[known].label if known else name
    assert f"metric accuracy (the run's own is {label})" in " ".join(out.split())


def test_a_loop_that_scores_nothing_has_no_metric_of_its_own(tmp_path):
    rec = Recorder(tmp_path / "run", *DATA, cv=StratifiedKFold(4))
    for c in (0.1, 1.0):
        for train, test in rec.cv:
            model = LogisticRegression(C=c).fit(DATA[0][train], DATA[1][train])
            rec.write(f"C={c}", test, model.predict_proba(DATA[0][test]))
    assert default_metric(read(tmp_path / "run")).name == "auc"


@pytest.mark.parametrize("beta", [2, 0.5])
def test_the_function_of_a_scorer_tells_its_metric(beta, tmp_path):
    folder, search = searched(tmp_path / "run", make_scorer(fbeta_score, beta=beta))
    matrix = read(folder)
    assert default_metric(matrix).name == f"f{beta}"
    best = bbccli.correct(matrix, method="cvt").estimates[0]
    assert best.over_folds == pytest.approx(search.best_score_)


VALUES = np.round(40 * DATA[0][:, 0] + 25 * DATA[0][:, 1])
"""Whole numbers of a float type, as targets of regressions often are."""


@pytest.mark.parametrize(
    ("y", "model", "grid", "metric"),
    [
        (DATA[1], LogisticRegression(), GRID, "accuracy"),
        (np.digitize(DATA[0][:, 0], [-1, 1]), LogisticRegression(), GRID, "accuracy"),
        (VALUES, Ridge(), {"alpha": [0.1, 1.0, 10.0]}, "r2"),
    ],
)
def test_a_search_without_scoring_selects_by_the_default_score(y, model, grid, metric, tmp_path):
    rec = Recorder(tmp_path / "run", DATA[0], y, cv=5)
    search = GridSearchCV(model, grid, cv=rec.cv, scoring=rec.scorer).fit(DATA[0], y)
    rec.finish(search)
    matrix = read(tmp_path / "run")
    assert default_metric(matrix).name == metric
    best = bbccli.correct(matrix, method="cvt").estimates[0]
    own = best.naive if best.over_folds is None else best.over_folds
    assert own == pytest.approx(search.best_score_)


def test_a_score_of_its_own_is_no_default_score(tmp_path, run):
    class Lenient(LogisticRegression):
        def score(self, X, y, sample_weight=None):  # noqa: N803
            return min(1.0, super().score(X, y, sample_weight) + 0.01)

    rec = Recorder(tmp_path / "run", *DATA, cv=5)
    rec.finish(GridSearchCV(Lenient(), GRID, cv=rec.cv, scoring=rec.scorer).fit(*DATA))
    assert "selects by a custom scorer" in run.refused("correct", tmp_path / "run")


# Tools


def refused(matrix, words):
    with pytest.raises(UnsupportedError, match=words):
        default_metric(matrix)


def test_mljar_with_a_metric_of_the_users(copied):
    folder = copied("mljar")
    params = json.loads((folder / "params.json").read_text())
    for name in ("user_defined_metric", "kappa"):  # what mljar calls so need not be ours
        params["eval_metric"] = name
        (folder / "params.json").write_text(json.dumps(params))
        refused(read(folder), f"the mljar run selects by {name}, which bbc does not have")


def test_autogluon(copied):
    folder = copied("autogluon")
    board = (folder / "leaderboard.csv").read_text()
    own = next(csv.DictReader(board.splitlines()))["eval_metric"]
    how = {"labels": folder / "train.csv", "roles": Roles(truth="target")}
    for name in ("pinball_loss", "kappa"):
        (folder / "leaderboard.csv").write_text(board.replace(own, name))
        matrix = read(folder, **how)
        assert matrix.source.run.metric is None
        refused(matrix, f"the AutoGluon run selects by {name}")
    for name, ours in (("roc_auc_ovo_macro", "auc-ovo"), ("quadratic_kappa", "qwk-classes")):
        (folder / "leaderboard.csv").write_text(board.replace(own, name))
        assert default_metric(read(folder, **how)).name == ours


def h2o(folder, header, *rows):
    (folder / "leaderboard.csv").write_text("\n".join([header, *rows]))
    return read(folder, labels=folder / "train.csv", roles=Roles(truth="target"))


def of_one_model(folder, name, truth_of):
    """A folder of one model with a truth made of its predictions; these, and the truth."""
    text = (REAL / "h2o" / f"{name}.cv_holdout_predictions.csv").read_text()
    predicted = [row["predict"] for row in csv.DictReader(text.splitlines())]
    truth = [truth_of(i, one) for i, one in enumerate(predicted)]
    (folder / f"{name}.cv_holdout_predictions.csv").write_text(text)
    (folder / "train.csv").write_text("\n".join(["target", *truth]))
    return predicted, truth


def test_h2o_sorted_by_a_metric_that_bbc_computes_otherwise(copied):
    folder = copied("h2o")
    for first in ("aucpr", "mean_per_class_error", "rmse"):
        row = "GBM_2_AutoML_1_20261120_165007,0.5,0.9956529781724012"
        matrix = h2o(folder, f"model_id,{first},auc", row)
        refused(matrix, f"the H2O run selects by {first}, which ")


def test_h2o_of_several_classes_is_sorted_as_by_balanced_accuracy(tmp_path):
    names = ("barbera", "barolo", "grignolino")
    predicted, truth = of_one_model(
        tmp_path, "wine", lambda i, one: names[i % 3] if i % 7 == 0 else one
    )
    error = 1 - balanced_accuracy_score(truth, predicted)
    matrix = h2o(tmp_path, "model_id,mean_per_class_error,rmse", f"wine,{error},0.5")
    metric = default_metric(matrix)
    assert metric.name == "balanced-accuracy"
    scorer = metric.bind(matrix.outcome, matrix.as_kind(metric.wants)[0])
    ours = scorer(np.ones((1, matrix.n_samples), int))[0, 0]
    assert 1 - ours == pytest.approx(error)
    assert matrix.source.run.metric_name == "mean_per_class_error"


def test_h2o_deploys_a_stack_where_one_leads(copied):
    folder, rows = copied("h2o"), ["GBM_2_AutoML_1_20261120_165007,0.9956529781724012"]
    for score, leads in (("0.9990000000000000", True), ("0.9", False)):
        stack = f"StackedEnsemble_All,{score}"
        board = [stack, *rows] if leads else [*rows, stack]
        found = h2o(folder, "model_id,auc", *board).source.run.ensemble
        assert (found is not None and found.stacked) == leads


def test_h2o_deviance_is_the_squared_error_where_the_leaderboard_says_so(tmp_path):
    of_one_model(tmp_path, "diabetes", lambda _, one: str(float(one) + 0.5))
    header = "model_id,mean_residual_deviance,rmse,mse"
    assert default_metric(h2o(tmp_path, header, "diabetes,3000.5,54.7,3000.5")).name == "mse"
    gamma = h2o(tmp_path, header, "diabetes,1.5,54.7,3000.5")
    refused(gamma, "the H2O run selects by mean_residual_deviance, which bbc does not have")


# Both figures


def test_a_log_loss_that_is_clipped_elsewhere_is_shown_twice(tmp_path, run):
    grid = {"max_depth": [2, 4, 8]}
    tree = DecisionTreeClassifier(random_state=0)
    folder, search = searched(tmp_path / "run", "neg_log_loss", model=tree, grid=grid)
    document = json.loads(run("correct", folder, *FAST, "--format", "json")[1])
    found = document["input"]["verification"]
    said = {one["name"]: one for one in found["otherwise"]}
    scores = -search.cv_results_["mean_test_score"]
    for depth, score in zip(grid["max_depth"], scores, strict=True):
        assert said[f"max_depth={depth}"]["tool"] == pytest.approx(score)
    naive = document["estimates"][0]["naive"]
    winner = said[document["estimates"][0]["winner"]]
    assert winner["here"] == pytest.approx(naive)
    assert (winner["tool_clip"], winner["here_clip"]) == (2**-52, 2**-23)
    gaps = [abs(one["tool"] - one["here"]) for one in found["otherwise"]]
    assert gaps == sorted(gaps, reverse=True)
    table = " ".join(run("correct", folder, *FAST)[1].split())
    assert f"{winner['name']} has log-loss {winner['tool']:.2f} by the search, which clips" in table
    assert f"and {winner['here']:.2f} clipped at 1.2e-07; so are 2 others" in table


# The rule of selection

ROWS = 60
TRUTH = np.arange(ROWS) % 2
HEADS = {
    "caret": ("pred,obs,rowIndex,a,b,k,Resample", "{l},{t},{i},{n},{p},{c},Fold{f}"),
    "tidymodels": (".row,id,y,.pred_a,.pred_b,.config", "{i},Fold{f},{t},{n},{p},m{c}"),
}


def exported(path, tool, shift=0, folds=4):
    header, row = HEADS[tool]
    rng = np.random.default_rng(0)
    lines = [header]
    for c in (1, 3):
        for i in range(ROWS):
            p = float(np.round(0.4 * rng.random() + 0.55 * TRUTH[i], 3))
            p = 0.8 if p < 0.5 and i % 9 == 0 else p
            cells = {"i": i + 1, "c": c, "p": p, "n": round(1 - p, 3)}
            cells |= {"f": (i // 2 + shift * (c == 3)) % folds, "l": "ab"[int(p > 0.5)]}
            lines.append(row.format(t="ab"[TRUTH[i]], **cells))
    path.write_text("\n".join(lines))
    return path


def pooling(run, *argv):
    out = run.printed("correct", *argv, *FAST, "--format", "json")
    return json.loads(out)["plan"]["pooling"]


@pytest.mark.parametrize("tool", ["caret", "tidymodels"])
def test_tools_that_select_by_the_mean_over_folds_are_followed(tool, tmp_path, run):
    place = tmp_path / "run"
    place.mkdir()
    file = exported(place / "fit.csv", tool)
    how = ("--truth", "y") if tool == "tidymodels" else ()
    for path in (place, file):
        assert pooling(run, path, *how) == "fold-mean"
        assert pooling(run, path, *how, "--pooling", "pooled") == "pooled"
    assert run("convert", file, *how, "-o", tmp_path / "c.parquet")[0] == 0
    assert pooling(run, tmp_path / "c.parquet") == "fold-mean"


def test_folds_of_their_own_keep_a_tool_from_being_followed(tmp_path, run):
    file = exported(tmp_path / "fit.csv", "caret", shift=1)
    assert pooling(run, file) == "pooled"
    text = " ".join(run("correct", file, *FAST, "--notes", "all")[1].split())
    assert "caret selects by the mean over folds, which is not possible here" in text


def test_of_one_resample_there_is_no_mean(tmp_path, run):
    assert pooling(run, exported(tmp_path / "fit.csv", "caret", folds=1)) == "pooled"
    one, _ = searched(tmp_path / "run", "roc_auc", cv=ShuffleSplit(1, test_size=0.4))
    assert pooling(run, one) == "pooled"
    text = " ".join(run("correct", one, *FAST)[1].split())
    assert "recorder run, one held-out set, 3 of 3 models" in text
    assert "on one held-out set of 48 samples, the best of 3." in text
