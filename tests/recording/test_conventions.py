"""What scikit-learn's metrics take for granted: 0 for what is undefined, and a positive class."""

import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest
from day import daily, swept
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import cohen_kappa_score, f1_score, fbeta_score, make_scorer, precision_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.neighbors import RadiusNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import bbccli
from bbccli.errors import InputError, OptionError
from bbccli.reading import read
from bbccli.recording import Recorder
from bbccli.search import DroppingSearchCV
from bbccli.stats.verification import verified, verify

RARE = make_classification(200, 8, n_informative=3, weights=[0.88], flip_y=0.08, random_state=2)
THREE = make_classification(
    200, 8, n_informative=4, n_classes=3, weights=[0.8, 0.15], flip_y=0.05, random_state=3
)
CV = StratifiedKFold(5, shuffle=True, random_state=0)
GRID = {"C": [0.01, 0.03, 0.1, 1, 10]}
OUTLIERS = RadiusNeighborsClassifier(outlier_label=-1), {"radius": [0.5, 2, 3]}

pytestmark = [
    pytest.mark.filterwarnings("ignore:(Precision|Recall|F-score) is ill-defined"),
    pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true"),
    pytest.mark.filterwarnings("ignore:Outlier label -1 is not in training classes"),
]


def recorded(folder, data, scoring, model=None, grid=None, cv=CV, **how):
    rec = Recorder(folder / "run", *data, cv=cv, scoring=scoring, **how)
    search = GridSearchCV(
        model or LogisticRegression(), grid or GRID, cv=rec.cv, scoring=rec.scorer
    ).fit(*data)
    return rec, search


def agrees(folder, *given, **how):
    """The search, the recording and the correction have one best candidate and one score."""
    rec, search = recorded(folder, *given, **how)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = rec.finish(search)
    found = verified(read(rec.folder))
    assert (found.source.verification.n_checked, done.n_recomputed) != (0, 0)
    result = bbccli.correct(search, n_resamples=50)
    apart = result.estimate.over_folds
    scored = result.naive if apart is None else apart
    assert scored == pytest.approx(abs(search.best_score_), abs=1e-9)
    ((key, value),) = search.best_params_.items()
    assert result.winner == f"{key}={value:g}"
    return result


@pytest.mark.parametrize(
    "scoring",
    daily(
        (
            "precision",
            "precision_macro",
            "precision_weighted",
            "f1_macro",
            "f1_weighted",
            "jaccard",
        ),
        ("precision", "precision_macro", "f1_weighted"),
    ),
)
def test_scores_of_rare_classes_are_those_of_the_search(tmp_path, scoring):
    """The timid candidates predict no positive sample in most folds."""
    result = agrees(tmp_path, RARE, scoring)
    assert result.matrix.source.metadata["undefined"] == 0
    assert result.winner == "C=1"


ZEROS = RARE[0], np.where(np.arange(200) < 50, 0, np.maximum(RARE[0][:, 0].round(1), 0))
"""Features and targets: none but 0 in the first folds."""

SORTED = RARE[0], np.where(np.arange(200) < 50, 0, RARE[1])


@pytest.mark.parametrize(
    ("scoring", "data"),
    [
        *((scoring, ZEROS) for scoring in (None, "r2", "explained_variance")),
        *((scoring, SORTED) for scoring in ("matthews_corrcoef", "average_precision")),
    ],
)
@pytest.mark.filterwarnings("ignore:(No positive class|A single label) :UserWarning")
def test_folds_of_one_value(tmp_path, scoring, data):
    """scikit-learn scores these 0, or 1 without an error, and so the mean over all folds."""
    model = DecisionTreeRegressor if data is ZEROS else DecisionTreeClassifier
    agrees(tmp_path, data, scoring, model(random_state=0), {"max_depth": [1, 2, 5]}, KFold(8))


@pytest.mark.parametrize(
    "scoring", ["precision_macro", swept("recall_macro"), swept("balanced_accuracy")]
)
def test_folds_without_a_class(tmp_path, scoring):
    """Classes that neither truth nor predictions of a fold hold do not count in it."""
    result = agrees(tmp_path, THREE, scoring, cv=KFold(12))
    folds, truth = result.matrix.folds[0], result.matrix.outcome.values
    assert min(len(np.unique(truth[folds == fold])) for fold in range(12)) < 3


@pytest.mark.parametrize(
    ("labels", "scoring"),
    [
        *(([1, 2], name) for name in ("f1", "average_precision", "roc_auc", "neg_brier_score")),
        ([0, 1], "f1"),
        *(swept([0, 1], name) for name in ("average_precision", "roc_auc", "neg_brier_score")),
        (["no", "yes"], "f1"),
        swept(["no", "yes"], "roc_auc"),
    ],
)
def test_the_positive_class_is_that_of_the_scorer(tmp_path, labels, scoring):
    """scikit-learn takes class 1, of 1 and 2 the first."""
    features, truth = RARE[0], np.array(labels)[RARE[1]]
    first = labels == [1, 2] and scoring in ("f1", "average_precision")
    if labels[0] == "no" and scoring != "roc_auc":
        scoring = make_scorer(f1_score, pos_label="no")
        first = True
    result = agrees(tmp_path, (features, truth), scoring)
    assert result.matrix.outcome.classes[-1] == str(labels[0] if first else labels[1])


@pytest.mark.parametrize("data", [RARE, THREE])
def test_kappa_of_a_search_is_that_of_bbc(tmp_path, data):
    agrees(tmp_path, data, make_scorer(cohen_kappa_score))


@pytest.mark.parametrize(
    ("metric", "how", "name", "positive"),
    [
        (precision_score, {}, "precision", "1"),
        swept(precision_score, {"zero_division": 0}, "precision", "1"),
        (precision_score, {"zero_division": 1}, None, "1"),
        swept(f1_score, {"average": "macro"}, "f1_macro", "1"),
        (fbeta_score, {"beta": 2}, "f2", "1"),
        swept(fbeta_score, {"beta": 3}, None, "1"),
        swept(cohen_kappa_score, {}, "kappa", "1"),
        swept(cohen_kappa_score, {"weights": "quadratic"}, None, "1"),
        (f1_score, {"pos_label": 0}, "f1", "0"),
        swept(f1_score, {"average": "macro", "pos_label": 0}, "f1_macro", "1"),
    ],
)
def test_a_scorer_by_any_other_name(tmp_path, metric, how, name, positive):
    rec = Recorder(tmp_path / "run", *RARE, cv=CV, scoring=make_scorer(metric, **how))
    rec.write_all("one", RARE[1])
    about = read(rec.folder).source
    assert (about.run.metric, about.metadata.get("positive_class")) == (name, positive)
    if name:
        assert rec.scorer.__name__ == name


def test_hopeless_sees_the_positive_class_of_the_scorer(tmp_path):
    """Of class 1, which most samples have, predicting class 2 always is hopeless."""
    features, truth = RARE[0], RARE[1] + 1
    rec = Recorder(tmp_path / "run", features, truth, cv=CV, scoring="f1")
    for name, value in (("bold", 1), ("timid", 2)):
        for _, test in rec.cv[:3]:
            rec.write(name, test, np.full(len(test), value))
    assert rec.hopeless("timid", min_samples=20)
    assert not rec.hopeless("bold", min_samples=20)


@pytest.mark.parametrize("data", [RARE, THREE], ids=["two", "three"])
@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro"])
def test_a_label_that_the_truth_lacks_is_never_right(tmp_path, data, scoring):
    model, grid = OUTLIERS
    result = agrees(tmp_path, data, scoring, model, grid)
    assert "(another label)" in result.matrix.outcome.classes
    search = DroppingSearchCV(model, grid, cv=CV, scoring=scoring).fit(*data)
    full = GridSearchCV(model, grid, cv=CV, scoring=scoring).fit(*data)
    assert search.best_params_ == full.best_params_


@pytest.mark.parametrize(
    "scoring", ["f1", swept("precision"), swept("neg_log_loss"), swept("f1_macro")]
)
def test_correct_takes_metric_pooling_and_clip_of_a_search_that_drops(scoring):
    search = DroppingSearchCV(LogisticRegression(), GRID, cv=CV, scoring=scoring).fit(*RARE)
    again = bbccli.correct(search)
    assert (again.value, again.naive) == (search.corrected_.value, search.corrected_.naive)
    assert again.winner == search.corrected_.winner == f"C={search.best_params_['C']:g}"
    assert again.record.estimates[0].metric == search.corrected_.estimate.metric
    label = again.analysed.metrics[0].label
    assert f"({label}" in repr(again).splitlines()[0]
    other = bbccli.correct(search, metric="accuracy", n_resamples=50)
    assert "(accuracy)" in repr(other).splitlines()[0]


@pytest.mark.parametrize("which", ["worst", "best", "tied"])
def test_a_search_whose_refit_is_a_function_names_what_it_chose(tmp_path, which):
    grid = {"C": [0.01, 1, 1.0000001]}
    rec = Recorder(tmp_path / "run", *RARE, cv=CV, scoring="accuracy")
    choose = {
        "worst": lambda results: int(np.argmin(results["mean_test_score"])),
        "best": lambda results: int(np.argmax(results["mean_test_score"])),
        "tied": lambda results: 2,
    }[which]
    search = GridSearchCV(
        LogisticRegression(), grid, cv=rec.cv, scoring=rec.scorer, refit=choose
    ).fit(*RARE)
    means = search.cv_results_["mean_test_score"]
    assert means[1] == means[2] != means[0]
    worst, best = int(np.argmin(means)), int(np.argmax(means))
    assert (which == "worst") == (means[search.best_index_] < means[best])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rec.finish(search)
    said = [str(one.message) for one in caught]
    chosen = f"the search chose C={grid['C'][worst]}, not C={grid['C'][best]}, which has the best"
    assert [one[: len(chosen)] for one in said] == ([chosen] if which == "worst" else [])


def test_a_search_that_selects_by_another_metric_than_the_recorded_one(tmp_path):
    rec = Recorder(tmp_path / "run", *RARE, cv=CV, scoring="roc_auc")
    scoring = {"auc": rec.scorer, "acc": "accuracy"}
    search = GridSearchCV(LogisticRegression(), GRID, cv=rec.cv, scoring=scoring, refit="acc")
    search.fit(*RARE)
    with pytest.warns(UserWarning, match="the search selects by 'acc', which is not the metric"):
        rec.finish(search)
    with pytest.warns(UserWarning, match="the search selects by 'acc', which was not recorded"):
        bbccli.correct(search, n_resamples=50)
    search.set_params(refit="auc").fit(*RARE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rec.finish(search)
        bbccli.correct(search, n_resamples=50)


def several(model, features, truth):
    return {"a": model.score(features, truth), "b": 1.0}


def test_what_can_not_be_recorded_is_told_with_its_cause(tmp_path):
    rec = Recorder(tmp_path / "a", *RARE, cv=CV, scoring=several)
    search = GridSearchCV(
        LogisticRegression(), {"C": [1]}, cv=rec.cv, scoring=rec.scorer, refit="a"
    )
    for metric in ("", "a"):
        with pytest.raises(OptionError, match="the recorded scorer returns several scores: a, b"):
            rec.finish(search.fit(*RARE), metric=metric)
    rec = Recorder(tmp_path / "b", *RARE, cv=CV)
    search = GridSearchCV(Ridge(), {"alpha": [1]}, cv=rec.cv, scoring=rec.scorer).fit(*RARE)
    with pytest.raises(InputError, match="a value between classes") as error:
        rec.finish(search)
    assert error.value.hint.endswith('task="regression"')
    agrees(tmp_path / "c", RARE, "r2", Ridge(), {"alpha": [0.1, 1, 100]})


def test_positive_classes_of_an_older_recording_are_found(tmp_path):
    """Without the positive class in its header, `bbc` says which one it is."""
    rec, search = recorded(tmp_path, (RARE[0], RARE[1] + 1), "f1")
    rec.finish(search)
    header = rec.folder / "bbc-recording.json"
    header.write_text(header.read_text().replace('"positive_class": "1"', '"positive_class": null'))
    with pytest.raises(InputError) as error:
        verify(read(rec.folder))
    assert error.value.hint.startswith("the run's positive class is the other one: --positive 1;")
    assert verify(read(rec.folder, positive="1")).n_checked == 5


def test_a_run_that_counts_what_is_undefined_as_0_is_recognised(tmp_path):
    rec, search = recorded(tmp_path, RARE, "precision")
    rec.finish(search)
    matrix = read(rec.folder)
    about = dict(matrix.source.metadata)
    del about["undefined"]
    plain = replace(matrix, source=replace(matrix.source, metadata=about))
    with pytest.raises(InputError):
        verify(plain)
    found = verified(plain)
    assert found.source.metadata["undefined"] == 0
    assert [note.code for note in found.notes][-1] == "undefined-as-zero"
    mixed = replace(plain, predictions=plain.predictions[:, ::-1])
    with pytest.raises(InputError, match="C=") as error:
        verified(mixed)
    assert "or it defines precision differently" in error.value.hint


@pytest.mark.parametrize("how", [{"scoring": "accuracy", "cv": [(np.arange(9), [10])]}, {"cv": 3}])
def test_without_scikit_learn_a_recorder_says_what_it_lacks(tmp_path, monkeypatch, how):
    """numpy's folds and a loop of one's own need none."""
    for module in ("sklearn", "sklearn.metrics", "sklearn.model_selection"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(OptionError, match="need scikit-learn") as error:
        Recorder(tmp_path / "run", *RARE, **how)
    assert error.value.hint.startswith("pip install scikit-learn; or give pairs")
    rec = Recorder(tmp_path / "run", None, RARE[1], cv=[(np.arange(100), np.arange(100, 200))])
    rec.write("a", np.arange(100, 200), np.linspace(0, 1, 100))
