"""Labels and the probability of one model in a wide table are one configuration."""

import re

import numpy as np
import pytest
from reading import refused

from bbccli.reading import read
from bbccli.types import PredictionKind

N = 40
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, N)
P = np.clip(0.25 + 0.5 * TRUTH + RNG.normal(0, 0.3, N), 0.01, 0.99).round(3)
LABEL = (P > 0.5) * 1
WORDS = np.array(["no", "yes"])
OTHER = RNG.random(N).round(3)
THREE = RNG.dirichlet([1, 1, 1], N).round(4)


@pytest.mark.parametrize(
    ("columns", "kept"),
    [
        ({"y_pred": LABEL, "y_prob": P}, ("y_prob",)),
        ({"y_prob": P, "y_pred": LABEL == 1}, ("y_prob",)),
        ({"svm_pred": LABEL, "svm_proba": P, "knn": OTHER}, ("svm_proba", "knn")),
        ({"svm": LABEL.astype(float), "svm_probability": P}, ("svm_probability",)),
        ({"pred": LABEL, "proba_1": P}, ("proba_1",)),
        ({"pred": LABEL, "proba_0": 1 - P, "proba_1": P}, ("proba",)),
        ({"pred_svm": LABEL, "prob_svm": P}, ("prob_svm",)),
        ({"svm_pred": LABEL, "svm_score": 4 * P - 2}, ("svm_score",)),
        ({"svm_label": (P > 0.45) * 1, "knn_prob": P}, ("svm_label", "knn_prob")),
        ({"labels of it": LABEL, "knn_prob": P}, ("knn_prob",)),
        ({"y_pred": OTHER, "y_prob": P}, ("y_pred", "y_prob")),
    ],
)
def test_the_probability_is_preferred(save, columns, kept):
    matrix = read(save("m.csv", {"truth": TRUTH, **columns}))
    assert matrix.configurations == kept
    said = [note.text for note in matrix.notes if note.code == "columns-ignored"]
    left_out = [name for name in columns if name not in kept and not name.startswith("proba_")]
    assert len(said) == len(left_out)
    assert all(name in text for name, text in zip(left_out, said, strict=True))


def test_classes_of_text_and_of_several(save):
    columns = {"truth": WORDS[TRUTH], "svm_pred": WORDS[LABEL], "svm_prob": P}
    assert read(save("m.csv", columns)).configurations == ("svm_prob",)
    truth = [0, 1, 2] * 13 + [0]
    columns = {"truth": truth, "y_pred": THREE.argmax(axis=1)}
    columns |= {f"y_prob::{k}": THREE[:, k] for k in range(3)}
    matrix = read(save("n.csv", columns))
    assert (matrix.configurations, matrix.kind) == (("y_prob",), PredictionKind.PROBABILITY)
    columns["y_pred"] = (columns["y_pred"] + 1) % 3
    refused("not the more probable class in 40 of 40 rows", save("o.csv", columns))


def changed(rows):
    label = LABEL.copy()
    label[rows] = 1 - label[rows]
    return label


@pytest.mark.parametrize(("label", "n", "row"), [(changed([7]), 1, 7), (1 - LABEL, N, 0)])
def test_where_it_cannot_be_told_both_readings_are_named(save, label, n, row):
    columns = {"truth": TRUTH, "y_pred": label, "y_prob": P}
    path = save("m.csv", columns)
    words = f"y_pred may be the label of y_prob, or a separate configuration: .* {n} of 40 rows"
    assert refused(words, path).row == row
    assert read(path, exclude=["y_pred"]).configurations == ("y_prob",)
    assert read(path, only=["*"]).configurations == ("y_pred", "y_prob")
    assert read(path, only=["y_pred"]).configurations == ("y_pred",)
    configs = [{"id": "y_pred"}, {"id": "y_prob"}]
    declared = {"spec": "bbc-predictions", "version": "1", "configs": configs}
    assert read(save("d.csv", columns, declared)).n_configurations == 2


@pytest.mark.parametrize("names", [("y_pred", "y_prob"), ("predict", "p1"), ("Prediction", "net")])
def test_labels_of_another_cut_are_of_the_same_model(save, names):
    """H2O's `predict` is cut where F1 is highest: no second configuration."""
    matrix = read(save("m.csv", {"truth": TRUTH, names[0]: (P > 0.7) * 1, names[1]: P}))
    assert matrix.configurations == (names[1],)
    (said,) = [note for note in matrix.notes if note.code == "columns-ignored"]
    low, high = P[P <= 0.7].max(), P[P > 0.7].min()
    assert f"{names[0]} is {names[1]} cut at {(low + high) / 2:.3g}" in said.text
    assert f"--threshold {(low + high) / 2:.3g}" in said.remedy


def test_cuts_of_named_models_are_configurations(save):
    grid = {"net": P, "net t=.3": (P > 0.3) * 1, "net t=.7": (P > 0.7) * 1}
    assert read(save("m.csv", {"truth": TRUTH, **grid})).n_configurations == 3


def test_gaps_and_halves_say_nothing(save):
    p = P.copy()
    p[3] = 0.5
    label = [None if row < 2 else int(one) for row, one in enumerate(LABEL)]
    matrix = read(save("m.parquet", {"truth": TRUTH, "y_pred": label, "y_prob": p}))
    assert (matrix.configurations, matrix.n_samples) == (("y_prob",), N)
    values = save("m.csv", {"truth": OTHER, "y_pred": np.sqrt(OTHER), "y_prob": P})
    assert read(values).configurations == ("y_pred", "y_prob")  # of a regression


def test_a_probability_of_the_other_class_is_said_to_be_one(save):
    path = save("p.csv", {"truth": WORDS[TRUTH], "y_pred": WORDS[LABEL], "y_prob": 1 - P})
    assert "positive='no'" in refused("in 40 of 40 rows", path).hint.replace('"', "'")
    assert read(path, positive="no").configurations == ("y_prob",)


def test_the_constant_half_of_a_dummy_tells_no_label(save):
    half = np.full(N, 0.5)
    hard = np.where(np.arange(N) % 9 == 0, 1 - TRUTH, TRUTH)
    path = save("p.csv", {"truth": TRUTH, "hard": hard, "dummy": half, "soft": P})
    assert read(path).configurations == ("hard", "dummy", "soft")
    leaked = save("q.csv", {"truth": TRUTH, "same": TRUTH, "dummy": half})
    refused("equal to the truth in every row: same", leaked)


MODELS = np.random.default_rng(1).dirichlet([1, 1, 1], (N, 4))
"""Probabilities (N, 4, 3) of three classes by four models."""

AMONG = {
    "probabilities": ({m: MODELS[:, i, 0] for i, m in enumerate("abcd")}, MODELS[:, 2, 0] > 0.5),
    "percent": ({m: 100 * MODELS[:, i, 0] for i, m in enumerate("abcd")}, MODELS[:, 2, 0] > 0.5),
    "margins": ({m: MODELS[:, i, 0] - 0.3 for i, m in enumerate("abcd")}, MODELS[:, 2, 0] > 0.3),
    "classes": (
        {f"{m}::{k}": MODELS[:, i, k] for i, m in enumerate("abcd") for k in range(3)},
        MODELS[:, 2].argmax(axis=1),
    ),
}


@pytest.mark.parametrize("kind", AMONG)
def test_labels_are_those_of_one_model_among_several(save, kind):
    columns, labels = AMONG[kind]
    truth = np.arange(N) % (3 if kind == "classes" else 2)
    matrix = read(save("m.csv", {"truth": truth, **columns, "answers": labels * 1}))
    assert matrix.configurations == ("a", "b", "c", "d")
    (text,) = [note.text for note in matrix.notes if note.code == "columns-ignored"]
    assert "answers" in text
    assert re.search(r"\bc\b", text)
