"""Tables of scores, a row per model, trial, epoch or fold: nothing can correct them."""

import numpy as np
import pytest
from day import daily
from documents import codes
from reading import refused

from bbccli.errors import OptionError
from bbccli.metrics import metric_named
from bbccli.reading import Roles, read
from bbccli.types import Task

RNG = np.random.default_rng(20)
N = 12
HIGH = lambda: RNG.uniform(0.7, 0.9, N).round(4)  # noqa: E731
LOW = lambda: RNG.uniform(0.2, 0.6, N).round(4)  # noqa: E731
NAMES = [f"model {i}" for i in range(N)]
EPOCH = np.arange(N)

SEARCHES = {
    "Keras": {"loss": LOW(), "accuracy": HIGH(), "val_loss": LOW(), "val_accuracy": HIGH()},
    "Keras with epochs": {"epoch": EPOCH, "loss": LOW(), "val_loss": LOW()},
    "caret": {"C": 2.0**EPOCH, "Accuracy": HIGH(), "Kappa": LOW(), "AccuracySD": LOW() / 9},
    "caret, regression": {"mtry": EPOCH + 1, "RMSE": LOW(), "Rsquared": HIGH(), "RMSESD": LOW()},
    "H2O": {"model_id": NAMES, "auc": HIGH(), "logloss": LOW(), "rmse": LOW()},
    "Lightning": {"epoch": EPOCH, "step": 50 * EPOCH, "train_loss": LOW(), "val_acc": HIGH()},
    "transformers": {"epoch": EPOCH, "eval_loss": LOW(), "eval_f1": HIGH(), "learning_rate": LOW()},
    "CatBoost": {"iterations": EPOCH, "test-Logloss-mean": LOW(), "test-Logloss-std": LOW() / 9},
    "LightGBM": {"valid auc-mean": HIGH(), "valid auc-stdv": LOW() / 9},
    "cross_validate": {"fit_time": LOW(), "score_time": LOW(), "test_score": HIGH()},
    "learning curve": {"train_sizes": EPOCH * 10 + 10, "train_score": HIGH(), "test_score": HIGH()},
    "W&B": {"Name": NAMES, "State": ["finished"] * N, "dropout": LOW(), "val/f1": HIGH()},
    "MLflow": {"run_id": NAMES, "params.model": ["a", "b"] * 6, "metrics.rmse": LOW()},
    "Optuna": {"number": EPOCH, "value": HIGH(), "params_C": LOW(), "state": ["COMPLETE"] * N},
    "Optuna, several values": {"number": EPOCH, "values_auc": HIGH(), "params_k": EPOCH + 1},
    "curve": {"threshold": EPOCH / N, "sensitivity": HIGH(), "specificity": LOW()},
    "ray": {"trial_id": NAMES, "mean_accuracy": HIGH(), "config/lr": LOW()},
    "YOLO": {"epoch": EPOCH, "train/box_loss": LOW(), "metrics/precision(B)": HIGH()},
    "collect_metrics": {".metric": ["roc_auc", "accuracy"] * 6, "mean": HIGH(), ".config": NAMES},
    "LazyPredict": {"Model": NAMES, "Balanced Accuracy": HIGH(), "ROC AUC": HIGH()},
    "grid search": {"param_C": LOW(), "split0_test_score": HIGH(), "mean_test_score": HIGH()},
    "folds as columns": {"model": NAMES, "fold_0": HIGH(), "fold_1": HIGH(), "fold_2": HIGH()},
    "mlr3": {"learner_id": NAMES, "nr": EPOCH, "classif.ce": LOW(), "classif.acc": HIGH()},
}


@pytest.mark.parametrize("table", SEARCHES.values(), ids=SEARCHES)
def test_scores_of_a_search_are_refused_whatever_led_there(save, table):
    path = save("t.csv", table)
    said = "holds scores of a search, not predictions"
    refused(said, path, hint="bbccli.recording")
    refused(said, path, task=Task.SCORE)
    first, *_, last = table
    refused(said, path, task=Task.SCORE, exclude=[first])
    for name in (first, last):
        refused(said, path, roles=Roles(truth=name))


ITEM = [f"q{i}" for i in range(60)]
RIGHT = RNG.integers(0, 2, 60)
MANY = {
    "scores per query": {"q_id": ITEM, "bm25": RNG.random(60), "dense": RNG.random(60)},
    "systems by metric": {"q_id": ITEM, "bm25_ndcg": RNG.random(60), "dense_ndcg": RNG.random(60)},
    "one system": {"question_id": ITEM, "exact_match": RIGHT},
    "prompts": {"item": ITEM, "prompt 1": RIGHT, "prompt 2": 1 - RIGHT},
    "models called so": {"task": ITEM, "loss-aware": RNG.random(60), "recall-x": RNG.random(60)},
}


@pytest.mark.parametrize("table", MANY.values(), ids=MANY)
def test_scores_of_items_are_read(save, table):
    key, *names = table
    matrix = read(save("t.csv", table), task=Task.SCORE, roles=Roles(row_id=key))
    assert (matrix.n_samples, list(matrix.configurations)) == (60, names)


def test_long_scores_are_read(save):
    crossed = {
        "subject": np.repeat([f"s{i}" for i in range(20)], 3),
        "pipeline": ["csp", "mdm", "ts"] * 20,
        "accuracy": RNG.random(60).round(3),
        "kappa": RNG.random(60).round(3),
    }
    roles = Roles(row_id="subject", configuration="pipeline", prediction="accuracy")
    assert read(save("t.csv", crossed), task=Task.SCORE, roles=roles).n_configurations == 3
    names = {"subject": "dataset", "pipeline": "model", "accuracy": "test_acc"}
    datasets = {name: crossed[own] for own, name in names.items()}
    refused("prediction is text", save("u.csv", datasets), task=Task.SCORE)


def test_predictions_of_such_names_are_read(save):
    truth = RNG.gamma(4, 10, 60)
    losses = {name: truth + RNG.normal(size=60) for name in ("rmse", "mae", "huber loss")}
    assert read(save("m.csv", {"truth": truth, **losses})).n_configurations == 3
    steps = {f"epoch_{i}": RNG.random(60) for i in range(6)}
    assert read(save("n.csv", {"y": RIGHT, **steps})).n_configurations == 6
    folds = {f"fold_{i}": RNG.random(60) for i in range(3)}
    assert read(save("o.csv", {"y": RIGHT, **folds})).n_configurations == 3
    tuned = {"id": range(60), "auc": RNG.random(60), "f1": RNG.random(60)}
    labels = save("l.csv", {"id": range(60), "y": RIGHT})
    assert read(save("p.csv", tuned), labels=labels).n_configurations == 2


def test_a_model_called_lr_is_no_learning_rate(save):
    """Folds recur, and no value of `lr` in two of them: a search tries a rate in all folds."""
    rows = {"Rep": np.repeat([1, 2], 60), "Fold": np.tile(np.arange(5), 24)}
    right = np.tile(RIGHT, 2)
    models = {"lr": RNG.random(120).round(6), "nb": RNG.random(120).round(6)}
    path = save("t.csv", rows | {"true": right, **models})
    matrix = read(path, roles=Roles(truth="true"))
    assert (matrix.configurations, matrix.n_repeats) == (("lr", "nb"), 2)
    tried = {"Fold": np.tile(np.arange(5), 4), "lr": np.repeat([0.1, 0.03, 0.01, 0.003], 5)}
    table = tried | {"test_acc": RNG.random(20)}
    refused("holds scores of a search", save("u.csv", table))


METRICS_OF_ONE = {
    "ragas": ["faithfulness", "answer_relevancy", "context_precision"],
    "extraction": ["precision", "recall", "f1"],
    "translation": ["bleu", "chrf", "ter"],
}


@pytest.mark.parametrize("names", METRICS_OF_ONE.values(), ids=METRICS_OF_ONE)
def test_metrics_of_one_system_are_no_configurations(save, names):
    scores = {name: RNG.random(60).round(3) for name in names}
    path = save("t.csv", {"user_input": ITEM, **scores})
    roles = Roles(row_id="user_input")
    error = refused("are metrics of one system", path, task=Task.SCORE, roles=roles)
    assert names[0] in error.hint
    one = read(path, task=Task.SCORE, roles=roles, only=names[:1])
    assert one.configurations == (names[0],)


def test_a_row_per_metric(save):
    rows = {"metric": ["accuracy", "f1", "roc_auc", "brier"]}
    path = save("t.csv", rows | {"lr": [0.7, 0.6, 0.8, 0.2], "rf": [0.8, 0.7, 0.9, 0.1]})
    refused("holds scores of a search", path)
    refused("holds scores of a search", path, task=Task.SCORE, roles=Roles(row_id="metric"))


def test_one_row_per_fold_is_doubted(save):
    folds = {f"m{i}": RNG.uniform(0.7, 0.9, 10) for i in range(4)}
    for key, values in (
        ("fold", range(10)),
        ("cv_fold", range(10)),
        ("resample", [f"Fold{i:02d}" for i in range(10)]),
        ("row_id", [f"fold {i}" for i in range(10)]),
    ):
        matrix = read(save("t.csv", {key: values, **folds}), task=Task.SCORE)
        assert matrix.configurations == ("m0", "m1", "m2", "m3")
        (note,) = [one for one in matrix.notes if one.code == "scores-of-folds"]
        assert "10 folds" in note.text
    long = {"model": ["a"] * 10 + ["b"] * 10, "fold": [*range(10)] * 2, "score": RNG.random(20)}
    assert "scores-of-folds" in codes(read(save("t.csv", long), task=Task.SCORE))
    items = {"fold": np.arange(60) % 5, "a": RNG.random(60), "b": RNG.random(60)}
    assert "scores-of-folds" not in codes(read(save("t.csv", items), task=Task.SCORE))


def test_the_truth_is_asked_for(save):
    """One column of few whole numbers beside others is the truth, whatever it is called."""
    grade = RNG.integers(1, 7, 60)
    models = {f"net {i}": (grade + RNG.normal(size=60)).round(4) for i in range(3)}
    hint = refused("truth", save("t.csv", {"essay_id": ITEM, "score": grade, **models})).told()[1]
    assert "--truth score" in hint
    assert "--task score" not in hint


QUERIES = [
    "ndcg", "NDCG@10", "ndcg_cut_10", "dcg", "mrr", "MRR@5", "rr", "recip_rank",
    "mean_reciprocal_rank", "map", "MAP@100", "mean_average_precision", "recall@5", "recall@k",
    "recall_100", "precision-10", "P@1", "P_10", "hit_rate", "hits@3", "hit-ratio", "success_1",
    "bpref",
]  # fmt: skip


SLIPS = ["mapee", "recall_makro", "precission", "f1-maco", "pearsn"]


@pytest.mark.parametrize("name", QUERIES + daily(SLIPS, ["mapee"]))
def test_metrics_of_queries_and_slips_in_names(name):
    with pytest.raises(OptionError) as caught:
        metric_named(name)
    hint = "did you mean" if name in SLIPS else "scores per query"
    assert hint in caught.value.told()[1]


def test_the_command_for_queries_works(save):
    """The hint followed to the letter: the table it asks for, read with what it names."""
    scores = {name: RNG.beta(2, 2, 60).round(4) for name in ("bm25", "dense")}
    matrix = read(save("scores.csv", scores), task=Task.SCORE, bounds=(0, 1))
    assert matrix.configurations == ("bm25", "dense")


MEANS = {"svm": [0.812, 0.798, 0.823, 0.844, 0.801], "rf": [0.834, 0.851, 1.0, 0.829, 0.842]}
TWICE = {name: values * 2 for name, values in MEANS.items()}
BY_MODEL = {"model": ["svm"] * 5 + ["rf"] * 5, "score": MEANS["svm"] + MEANS["rf"]}
LONG = {
    "model": ["svm"] * 25 + ["rf"] * 25,
    "i": [*range(25)] * 2,
    "score": RNG.normal(0.8, 0.03, 50),
}
QUESTIONS = [f"q{i}" for i in range(6)]
MANY_MEANS = [0.7, 0.6, 0.6, 0.8, 0.7, 0.5, 0.6, 0.7, 0.6, 0.8]
FOLDS = {
    "counted": {"fold": range(5), **MEANS},
    "counted by another name": {"cv_fold": range(1, 6), **MEANS},
    "named": {"key": [f"Fold{i}" for i in range(1, 6)], **MEANS},
    "named as splits": {"part": [f"split {i}" for i in range(5)], **MEANS},
    "ten": {"fold": range(10), **TWICE},
    "repeats": {"repeat": np.repeat([1, 2], 5), "fold": np.tile(range(5), 2), **TWICE},
    "named repeats": {"x": [f"Fold{i % 5}.Rep{i // 5}" for i in range(10)], **TWICE},
    "a row per model": {"fold": np.tile(range(5), 2), **BY_MODEL},
}
MAY_BE_FOLDS = {
    "without a key": MEANS,
    "counted by any name": {"k": range(5), **MEANS},
    "ten without a key": TWICE,
    "many without a key": {name: values * 8 for name, values in MEANS.items()},
    "many in folds that recur": {"fold": np.arange(40) % 5, **{k: v * 8 for k, v in MEANS.items()}},
    "counted and named alike": {"index": range(40), **{k: v * 8 for k, v in MEANS.items()}},
    "counted in repeats": {"i": np.arange(40) // 5, "j": np.arange(40) % 5}
    | {name: values * 8 for name, values in MEANS.items()},
    "of one metric": {"metric": ["f1"] * 10, **TWICE},
    "of small folds": {k: RNG.binomial(10, 0.8, 60) / 10 for k in "ab"},
    "a score of nought, and one model without fault": {"a": [0, *MANY_MEANS], "b": [1] * 11},
    "percents": {name: (100 * np.array(values)).round() for name, values in TWICE.items()},
    "errors": {k: RNG.normal(23_000, 2_000, 25) for k in "ab"},
    "explained variance": {k: RNG.normal(0.1, 0.15, 50) for k in "ab"},
    "losses with their sign turned": {k: -RNG.normal(0.4, 0.03, 20) for k in "ab"},
    "long and counted": LONG,
}
ITEMS = {
    "named": {"question": QUESTIONS[:5], **MEANS},
    "right or wrong": {"a": [1, 0, 1, 1, 0], "b": [0, 0, 1, 0, 1]},
    "graded": {"a": [0.5, 0, 1, 1, 0], "b": [0, 0.25, 1, 0, 1]},
    "rated": {"a": [4, 5, 3, 2, 1, 5, 4, 4, 3, 2, 2], "b": [5, 4, 4, 3, 2, 1, 3, 5, 2, 1, 3]},
    "many": {name: RNG.beta(0.5, 0.5, 40) for name in MEANS},
    "in folds": {"fold": np.arange(40) % 5, **{k: RNG.beta(0.5, 0.5, 40) for k in MEANS}},
    "numbered by no count": {"id": RNG.permutation(1000)[:40], "a": RNG.random(40)},
    "in one fold": {"item": QUESTIONS[:5], "fold": [1] * 5, **MEANS},
    "questions of models in folds": {
        **{"question": np.repeat(QUESTIONS, 2), "model": ["a", "b"] * 6},
        **{"fold": np.repeat(np.arange(6) % 3, 2), "score": RNG.random(12)},
    },
}


@pytest.mark.parametrize("kind", [FOLDS, MAY_BE_FOLDS, ITEMS], ids=["folds", "maybe", "items"])
def test_the_task_of_scores_is_named_only_where_no_row_can_be_a_fold(save, kind):
    for name, table in kind.items():
        error = refused("no truth column", save("t.csv", table), hint='truth="NAME"')
        assert ("each row seems to be a fold" in error.problem) == (kind is FOLDS), name
        assert ('task="score"' in error.hint) == (kind is ITEMS), name


def test_the_individuals_of_tpot(save):
    scores = {"": range(8), "roc_auc_score": np.linspace(0.7, 0.8, 8)}
    search = {"Parents": [""] * 8, "Generation": np.arange(8) // 4}
    for more in (search, search | {"Individual": [f"p{i}" for i in range(8)]}):
        refused("scores of a search", save("evaluated.csv", scores | more))
    models = {"generation": RNG.random(60), "parents": RNG.random(60)}
    assert read(save("m.csv", {"y": RIGHT, **models})).n_configurations == 2
