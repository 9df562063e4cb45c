"""Features left beside the predictions: whole numbers among probabilities."""

import numpy as np
import pytest
from documents import codes
from reading import note_of, refused

from bbccli.reading import Roles, read
from bbccli.types import PredictionKind

RNG = np.random.default_rng(22)
N = 200
RISK = RNG.random(N)
TRUTH = (RNG.random(N) < RISK).astype(int)
LOGIT = {f"pred_{i}": np.clip(RISK + RNG.normal(size=N) / 6, 0.01, 0.99).round(5) for i in "abc"}
SEX = RNG.integers(0, 2, N)
AGE = RNG.integers(30, 80, N)


STAGE = RNG.integers(1, 5, N)
STRATIFIED = np.empty(N, int)
for _label in (0, 1):
    STRATIFIED[_label == TRUTH] = np.arange((_label == TRUTH).sum()) % 5
FEATURES = {
    "sex": {"sex": SEX},
    "sex and age": {"sex": SEX, "age": AGE},
    "a stage": {"stage": STAGE},
    "a comorbidity that tells a little": {"copd": (RNG.random(N) < 0.4 + 0.1 * TRUTH).astype(int)},
    "booleans": {"smoker": SEX == 1},
    "a rare flag": {"icu": (RNG.random(N) < 0.05).astype(int)},
}


@pytest.mark.parametrize("more", FEATURES.values(), ids=FEATURES)
def test_features_are_left_out_by_name(save, more):
    path = save("t.csv", {**more, "y": TRUTH, **LOGIT})
    matrix = read(path)
    assert matrix.configurations == tuple(LOGIT)
    assert matrix.kind is PredictionKind.PROBABILITY
    assert matrix.source.n_tried in (None, 3)
    found = note_of(matrix, "whole-numbers")
    assert all(name in found.text for name in more)
    assert "--only" in found.remedy
    assert "--exclude" in found.remedy
    assert set(read(path, only=["*"]).configurations) == {*more, *LOGIT}
    assert "whole-numbers" not in codes(read(path, exclude=list(more)))


@pytest.mark.parametrize("values", [np.arange(N) % 5, N - np.arange(N) // 67, STRATIFIED])
def test_equal_parts_may_be_folds(save, values):
    path = save("t.csv", {**LOGIT, "Falte": values, "y": TRUTH})
    found = note_of(read(path), "whole-numbers")
    assert "--fold 'Falte'" in found.remedy
    assert read(path, roles=Roles(fold="Falte")).n_folds == len(set(values))


def test_a_stage_is_no_fold(save):
    found = note_of(read(save("t.csv", {"stage": STAGE, "y": TRUTH, **LOGIT})), "whole-numbers")
    assert "--fold" not in found.remedy
    there = {**LOGIT, "stage": np.arange(N) % 4, "fold": STRATIFIED, "y": TRUTH}
    assert "--fold" not in note_of(read(save("t.csv", there)), "whole-numbers").remedy


def test_text_in_equal_parts_may_be_folds(save):
    parts = [f"part{i % 5}" for i in range(N)]
    path = save("t.csv", {**LOGIT, "part": parts, "y": TRUTH})
    refused("prediction is text", path, hint='fold="part" if it names the folds')
    path = save("t.csv", {**LOGIT, "part": np.repeat([*"ab"], [60, 140]), "y": TRUTH})
    assert "fold=" not in refused("prediction is text", path).hint


HARD = (RISK + RNG.normal(size=N) / 6 > 0.5).astype(int)
CONFIGURATIONS = {
    "a classifier of labels": {"svm": HARD},
    "two of them": {"svm": HARD, "perceptron": (RISK > 0.6).astype(int)},
    "a weaker one": {"stump": np.where(RNG.random(N) < 0.15, 1 - HARD, HARD)},
}
BARE = dict(zip(("lr", "forest", "boost"), LOGIT.values(), strict=True))


@pytest.mark.parametrize("more", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_labels_that_predict_are_configurations(save, more):
    matrix = read(save("t.csv", {**more, "y": TRUTH, **BARE}))
    assert set(matrix.configurations) == {*more, *BARE}
    assert "a configuration" in note_of(matrix, "whole-numbers").text or len(more) > 1


def test_other_whole_numbers_that_are_configurations(save):
    for more in (
        {"pred_d": SEX},
        {"apache": (RISK * 40 + RNG.integers(0, 25, N)).astype(int)},
        {"half": (RISK * 10).astype(int) / 2},
    ):
        matrix = read(save("t.csv", {**more, "y": TRUTH, **LOGIT}))
        assert set(matrix.configurations) == {*more, *LOGIT}
        assert "whole-numbers" not in codes(matrix)
    long = {name: np.tile(column, 5) for name, column in {"y": TRUTH, "age": AGE, **LOGIT}.items()}
    assert read(save("l.csv", long)).configurations == tuple(LOGIT)
    long["age"] = np.where(np.arange(5 * N) == 1, 40.5, long["age"])  # not at a glance
    assert "age" in read(save("l.csv", long)).configurations


def test_a_word_that_others_have_in_common(save):
    """Labels must predict as well as the others, where these say what they are."""
    table = {"smoker": np.where(np.arange(N) % 5 < 2, SEX, HARD), "y": TRUTH}
    for n in (2, 3):
        some = dict([*LOGIT.items()][:n])
        assert "smoker" not in read(save("t.csv", table | some)).configurations
    assert "smoker" in read(save("u.csv", table | BARE)).configurations
    assert "svm" in read(save("v.csv", {"svm": HARD, "y": TRUTH, **LOGIT})).configurations


def test_all_labels(save):
    table = {"y": TRUTH, "a": HARD, "b": SEX, "c": 1 - HARD}
    assert read(save("t.csv", table)).configurations == ("a", "b", "c")


def test_whole_numbers_beside_values(save):
    truth = 50 + 20 * RNG.normal(size=N)
    values = {f"ridge {i}": truth + 10 * RNG.normal(size=N) for i in range(3)}
    matrix = read(save("t.csv", {"sex": SEX, "children": SEX + 1, "y": truth, **values}))
    assert matrix.configurations == tuple(values)
    assert "sex, children" in note_of(matrix, "whole-numbers").text
    rounded = {"rounded": np.rint(truth + 10 * RNG.normal(size=N))}
    assert read(save("u.csv", {**rounded, "y": truth, **values})).n_configurations == 4


def test_chance_models_keep_all(save):
    """Where no column predicts anything, nothing tells a feature."""
    noise = {f"net {i}": RNG.random(N) for i in range(3)}
    coins = {f"coin{chr(97 + i)}": RNG.integers(0, 2, N) for i in range(8)}
    assert read(save("t.csv", {**coins, "y": TRUTH, **noise})).n_configurations == 11
