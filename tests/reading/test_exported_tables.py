"""Tables as tools and people export them: folds, classes, features and keys beside predictions."""

import numpy as np
import pytest
from documents import codes
from reading import refused

from bbccli.reading import Roles, read

RNG = np.random.default_rng(6)
N = 90
TRUTH = RNG.integers(0, 2, N)
THREE = np.arange(N) % 3
P = np.clip(0.3 + 0.4 * TRUTH + RNG.normal(0, 0.2, N), 0.01, 0.99).round(4)
Q = np.clip(0.35 + 0.3 * TRUTH + RNG.normal(0, 0.2, N), 0.01, 0.99).round(4)


def text(matrix, code):
    (found,) = [note for note in matrix.notes if note.code == code]
    return found.text


def test_h2o_writes_columns_called_after_the_classes(save):
    """`Y` is a class here, though elsewhere the truth is called so."""
    columns = {"predict": np.where(P > 0.41, "Y", "N"), "N": 1 - P, "Y": P}
    matrix = read(save("m.csv", {**columns, "truth": np.where(TRUTH, "Y", "N")}))
    assert matrix.n_configurations == 1
    assert np.array_equal(matrix.predictions[0, :, 0], P.astype(matrix.predictions.dtype))


def test_features_beside_the_predictions_of_one_model(save):
    features = {f"f{i}": RNG.normal(size=N) for i in range(3)}
    model = {"label": TRUTH, "prediction": (P > 0.5) * 1, "prediction_score": P}
    matrix = read(save("m.csv", {**features, **model}))
    assert matrix.configurations == ("prediction_score",)
    assert "f0, f1, f2 hold numbers, not labels" in text(matrix, "whole-numbers")
    # margins of other models beside labels that name theirs
    rivals = {"svm": 4 * Q - 2, "lr_pred": (P > 0.5) * 1, "lr_prob": P}
    assert read(save("r.csv", {"y": TRUTH, **rivals})).configurations == ("svm", "lr_prob")


@pytest.mark.parametrize("name", ["kfold", "fold_id"])
def test_folds_by_other_names(save, name):
    labels = {"a": RNG.integers(0, 2, N), "b": RNG.integers(0, 2, N)}
    matrix = read(save("m.csv", {"y": TRUTH, name: np.arange(N) % 2, **labels}))
    assert (matrix.configurations, len(matrix.fold_names)) == (("a", "b"), 2)


def test_equal_parts_beside_labels(save):
    labels = {"a": RNG.integers(0, 3, N), "b": RNG.integers(0, 3, N)}
    other = save("m.csv", {"y": THREE, "part": np.arange(N) // 18, **labels})
    stratified = save("s.csv", {"y": THREE, "part": np.arange(N) // 3 % 3, **labels})
    for path in (other, stratified):
        matrix = read(path)
        assert matrix.configurations == ("a", "b")
        assert "part holds a few whole numbers, all equally often" in text(matrix, "whole-numbers")
    noise = RNG.permutation(THREE)  # equally often each, but not in each class
    assert "part" in read(save("n.csv", {"y": THREE, "part": noise, **labels})).configurations


def test_folds_in_columns(save):
    fold = RNG.permutation(np.arange(N) % 5)
    columns = {f"fold_{k}": (fold == k) * 1 for k in range(5)}
    matrix = read(save("m.csv", {"y": TRUTH, **columns, "a": P, "b": Q}))
    assert matrix.configurations == ("a", "b")
    assert len(matrix.fold_names) == 5
    assert np.array_equal(matrix.folds[0] == matrix.folds[0, 0], fold == fold[0])
    named = read(save("n.csv", {"y": TRUTH, "fold": np.arange(N) % 2, **columns, "a": P, "b": Q}))
    assert (named.configurations, len(named.fold_names)) == (("a", "b"), 2)


def test_a_feature_in_columns(save):
    site = RNG.integers(0, 4, N)
    columns = {f"site_{'ABCD'[k]}": (site == k) * 1 for k in range(4)}
    matrix = read(save("m.csv", {"y": TRUTH, **columns, "a": P, "b": Q}))
    assert matrix.configurations == ("a", "b")
    assert "site_A" in text(matrix, "whole-numbers")
    kept = read(save("m.csv", {"y": TRUTH, **columns, "a": P, "b": Q}), only=["*"])
    assert kept.n_configurations == 6


def test_labels_in_a_column_for_each_class(save):
    """One model's, which are its predictions."""
    label = np.where(RNG.random(N) < 0.7, THREE, (THREE + 1) % 3)
    columns = {f"tree::{k}": (label == k) * 1 for k in range(3)}
    assert read(save("m.csv", {"y": THREE, **columns})).configurations == ("tree",)
    numbered = {f"tree_{k}": (label == k) * 1 for k in range(3)}
    assert read(save("n.csv", {"y": THREE, **numbered})).configurations == ("tree",)


def test_a_truth_in_columns(save):
    truth = {f"true_{k}": (k == THREE) * 1 for k in range(3)}
    parts = RNG.dirichlet([1, 1, 1], N)
    models = {f"lr_{k}": parts[:, k] for k in range(3)}
    error = refused("a truth in a column for each class", save("m.csv", {**truth, **models}))
    assert error.column == "true_0" and "idxmax" in error.hint
    refused("no truth column among", save("n.csv", {"a": P, "b": Q, "c": TRUTH}))


def test_a_truth_in_columns_named_by_class_first(save):
    columns = {f"{name}_true": k == THREE for k, name in enumerate("abc")}
    numbers = {name: column.astype(int) for name, column in columns.items()}
    file = save("m.csv", {**numbers, "a_pred": P, "b_pred": Q})
    refused("one of a_true, b_true, c_true is 1", file, hint=".str[0]")


def test_the_key_of_repeats_in_a_long_table(save):
    order = [RNG.permutation(30) for _ in range(3)]
    rows = [(m, r, i) for m in ("lr", "nb") for r in range(3) for i in order[r]]
    model, repeat, sample = map(np.array, zip(*rows, strict=True))
    columns = {"model": model, "repeat": repeat, "sample": sample, "y_true": TRUTH[sample]}
    columns["y_prob"] = RNG.random(len(rows))
    path = save("m.csv", columns)
    refused("the same values in every repeat", path, hint='row_id="sample"')
    matrix = read(path, roles=Roles(row_id="sample"))
    assert matrix.predictions.shape == (3, 30, 2)
    in_order = {**columns, "sample": np.tile(np.arange(30), 6)}
    in_order["y_true"] = TRUTH[in_order["sample"]]
    assert read(save("o.csv", in_order)).predictions.shape == (3, 30, 2)


@pytest.mark.parametrize("right", [True, False])
def test_marks_of_probabilities_cut_at_a_half(save, right):
    marks = ((P > 0.5) == TRUTH) == right
    for values in (marks, marks * 1):
        path = save("m.csv", {"y": TRUTH, "lr": P, "nb": Q, "lr_correct": values})
        refused("lr_correct is 1 where lr is (right|wrong)", path, hint="lr_correct")
    other = save("o.csv", {"y": TRUTH, "lr": P, "nb": Q, "lr_correct": RNG.permutation(marks)})
    assert "equals-truth" not in codes(read(other))
