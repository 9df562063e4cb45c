"""Rows that were never predicted, beside rows whose predictions are rightly equal."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import entropy

from bbccli import read
from bbccli.reading.column import Column
from bbccli.reading.rows import _known_by_truth
from bbccli.types import Task

N = 200
ROW = np.arange(N)
EVERY = ["m0", "m1", "m2"]


def _folds(n=N, k=5):
    return np.random.default_rng(3).permutation(np.arange(n) % k)


FOLD = _folds()


def _binary(n_models=3, n=N):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, n)
    logits = 1.5 * (truth[:, None] - 0.5) + rng.normal(0, 1, (n, n_models))
    models = {f"m{c}": (1 / (1 + np.exp(-logits[:, c]))).round(5) for c in range(n_models)}
    return pd.DataFrame({"truth": truth, **models})


def _regression(n_models=3):
    rng = np.random.default_rng(2)
    truth = rng.normal(50, 9, N).round(2)
    models = {f"m{c}": (truth + rng.normal(0, 5, N)).round(2) for c in range(n_models)}
    return pd.DataFrame({"truth": truth, **models})


def _in_words():
    frame = _binary()
    return frame.assign(truth=np.where(frame["truth"] == 1, "yes", "no"))


def _from_zero():
    frame = (_regression() - 25).clip(0.01).round(2)
    frame.loc[frame["truth"].idxmin(), "truth"] = 0.0
    return frame


def _classes():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, N)
    frame = pd.DataFrame({"truth": np.array(["a", "b", "c"])[truth]})
    for model in ("m0", "m1"):
        p = np.exp(np.eye(3)[truth] + rng.normal(0, 1, (N, 3)))
        for k, name in enumerate("abc"):
            frame[f"{model}::{name}"] = (p / p.sum(1, keepdims=True))[:, k]
    return frame


def _ratings():
    rng = np.random.default_rng(6)
    truth = rng.integers(1, 6, N).astype(float) + 0.25
    models = {name: np.clip(truth.round() + rng.integers(-1, 2, N), 1, 5) for name in EVERY}
    return pd.DataFrame({"truth": truth, **models})


def _of_few_positives():
    rng = np.random.default_rng(8)
    truth = (ROW % 40 == 39).astype(int)
    models = {name: rng.uniform(0.001, 0.2, N) + 0.3 * truth for name in EVERY}
    return pd.DataFrame({"truth": truth, **models})


def _models(frame):
    return [name for name in frame if str(name).startswith("m")]


def fill(frame, where, value=0.0, names=None):
    """Put one value into rows of the models of a frame, or of some columns."""
    frame.loc[where, _models(frame) if names is None else names] = value
    return frame


def notes(matrix, code="never-predicted"):
    return [note.text for note in matrix.notes if note.code == code]


@pytest.mark.parametrize(("frame", "code"), [(_binary, -1), (_binary, -999), (_regression, 9999)])
def test_a_code_for_missing_values(frame, code):
    gone = np.random.default_rng(5).choice(N, 7, replace=False)
    matrix = read(fill(frame(), gone, code, "m1"), missing="common-rows")
    assert matrix.n_samples == N - 7
    assert any(f"m1 is {code:g} there" in one.text for one in matrix.notes)


@pytest.mark.parametrize("frame", [_regression(), _regression()[["truth", "m1"]]])
@pytest.mark.parametrize("where", ["spread", "run"])
def test_zeros_far_from_the_truth(frame, where):
    """One model's, as far from its others as these are from each other, and beyond all truth."""
    gone = ROW[60:80] if where == "run" else np.random.default_rng(5).choice(N, 6, replace=False)
    wide = frame.assign(m1=frame["m1"] + 30 * (frame["truth"] == frame["truth"].max()))
    matrix = read(fill(wide, gone, 0.0, ["m1"]), missing="common-rows")
    assert matrix.n_samples == N - len(gone)
    assert any("m1 is 0 there" in one.text or "prediction is 0" in one.text for one in matrix.notes)


def test_a_cut_of_percentages_is_no_code():
    """The truth is shares: all errors are beyond its range."""
    frame = _regression().assign(truth=lambda table: table["truth"] / 100)
    highest = np.argsort(frame["m1"].to_numpy())[-5:]
    assert read(fill(frame, highest, 100.0, "m1")).n_configurations == 3


@pytest.mark.parametrize("value", [0, 500])
def test_predictions_cut_at_an_end_are_no_code(value):
    """Of rare values, far from the others, that models may know."""
    frame = fill(_regression(), ROW < 10, value, ["truth", "m1"])
    assert len(read(frame).configurations) == 3


SPLIT = np.where(FOLD == 4, -1, FOLD)
MEAN = float(_regression()["truth"].mean())
BESIDE = _binary(2).assign(fold=FOLD, m_dummy=0.4 + 0.01 * FOLD)
RARER = fill(_binary(), ROW < 30, (np.arange(30) % 6 == 5).astype(int), "truth")
NEVER = {
    "first window": (_binary(4), ROW < 30),
    "last window at one half": (_binary(), ROW >= 160, 0.5),
    "training rows of a predefined split": (_regression().assign(fold=SPLIT), FOLD == 4),
    "two folds not run by one model": (_binary(1).assign(fold=FOLD), FOLD >= 3),
    "scattered without folds": (_binary(), FOLD >= 3),
    "-1 beside probabilities": (_binary(1), ROW < 25, -1.0),
    "mean of the truth": (_regression(2), ROW < 40, MEAN),
    "beside a baseline": (BESIDE, FOLD == 2),
    "zeros for every class": (_classes(), ROW < 30),
    "ratings filled with zero": (_ratings(), ROW < 20),
    "rare positives": (_of_few_positives(), ROW < 30),
    "first window of another level": (RARER, ROW < 30),
}
SAID = {
    "last window at one half": "every configuration is 0.5 there",
    "two folds not run by one model": "the prediction is 0 there",
}


@pytest.mark.parametrize("name", NEVER)
def test_rows_that_no_model_predicted_are_missing(name):
    frame, where, *value = NEVER[name]
    matrix = read(fill(frame.copy(), where, *value))
    (text,) = notes(matrix)
    assert text.startswith(f"{where.sum()} rows were never predicted")
    assert SAID.get(name, "") in text
    assert matrix.n_samples == N - where.sum()
    assert not notes(matrix, "samples-left-out")


def test_a_long_table_is_read_alike():
    frame = fill(_binary(2).assign(fold=FOLD, row_id=ROW), FOLD == 0)
    long = frame.melt(["row_id", "fold", "truth"], var_name="config", value_name="prediction")
    matrix = read(long)
    assert matrix.n_samples == N - (FOLD == 0).sum()
    assert notes(matrix)


def test_a_fold_of_one_repeat_is_missing_there():
    parts = []
    for repeat in range(2):
        fold = np.random.default_rng(repeat).permutation(ROW % 5)
        frame = _binary().assign(row_id=ROW, repeat=repeat, fold=fold)
        frame[EVERY] += 0.001 * repeat
        parts.append(fill(frame, (fold == 1) & (repeat == 1)))
    assert read(pd.concat(parts, ignore_index=True)).n_samples == N - (fold == 1).sum()


def test_a_value_here_and_there_in_repeats_is_no_run():
    """A model clipped at 0 in one row of each of five repeats."""
    parts = [_binary(1).assign(row_id=ROW, repeat=repeat) for repeat in range(5)]
    for repeat, part in enumerate(parts):
        part["m0"] += 0.001 * repeat
        part.loc[17 * repeat + 3, "m0"] = 0.0
    matrix = read(pd.concat(parts, ignore_index=True))
    assert matrix.n_samples == N
    assert not notes(matrix)


def labels_sorted_by_class():
    truth = np.repeat([0, 1], N // 2)
    wrong = np.random.default_rng(1).random((N, 3)) < np.where(ROW < 60, 0, 0.3)[:, None]
    return {"truth": truth, **{name: truth ^ wrong[:, c] for c, name in enumerate(EVERY)}}


def trees_on_a_class_apart():
    rng = np.random.default_rng(4)
    truth = (ROW >= 60).astype(int)
    models = {name: np.where(truth, 0.9 + rng.uniform(0, 0.1, N), 0.0) for name in EVERY}
    models = {name: np.where(ROW > 100, rng.random(N), one) for name, one in models.items()}
    return {"truth": truth, **models}


def clipped_at_zero():
    rng = np.random.default_rng(7)
    level = rng.normal(0, 2, N)
    models = {name: np.maximum(0, level + rng.normal(0, 0.5, N)) for name in EVERY}
    return {"truth": np.maximum(0, level + rng.normal(0, 1, N)), **models}


def rounded_probabilities():
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 2, N)
    logits = 7 * (truth[:, None] - 0.5) + rng.normal(0, 2.4, (N, 1)) + rng.normal(0, 0.5, (N, 3))
    return {"truth": truth, **dict(zip(EVERY, (1 / (1 + np.exp(-logits))).round(2).T, strict=True))}


def clipped(frame, where, names=None):
    """Put zeros into rows of models whose truth is low."""
    frame.loc[where, "truth"] = (frame.loc[where, "truth"] / 20).round(2)
    return fill(frame, where, 0.0, names)


def two_clipped_models_and_a_low_fold():
    """Both are 0 in one fold, and each in some rows elsewhere."""
    frame = clipped(_regression(2).assign(fold=FOLD), FOLD == 1)
    for fold, model in ((2, "m0"), (3, "m1")):
        clipped(frame, np.flatnonzero(fold == FOLD)[:10], model)
    return frame


NEAR_A_CONSTANT = (0.01 + 0.001 * np.random.default_rng(2).random((N, 3)))[FOLD == 1]
CLIPPED = clipped(_regression(1), ROW % 17 == 0)
CLOSED = ["truth", *EVERY]
GENUINE = {
    "labels sorted by class": labels_sorted_by_class(),
    "a constant baseline alone": {
        **{"truth": _binary()["truth"], "fold": FOLD},
        "m0": 0.4 + 0.01 * (FOLD // 2),
    },
    "baselines beside a model": _binary(1).assign(fold=FOLD, m_dummy=(FOLD == 2) * 0.5),
    "trees on a class apart": trees_on_a_class_apart(),
    "closed days": fill(_regression(), (ROW >= 80) & (ROW <= 110), 0.0, CLOSED),
    "closed days, scattered": fill(_regression(), ROW % 7 == 0, 0.0, CLOSED),
    "ratings": fill(_ratings(), ROW <= 25, 3.0),
    "clipped at zero": clipped_at_zero(),
    "one model that collapsed in a fold": fill(
        _regression(1).assign(fold=FOLD), FOLD == 3, 49.8731
    ),
    "two of three that collapsed": fill(
        _regression().assign(fold=FOLD), FOLD == 3, [49.87, 50.12], ["m0", "m1"]
    ),
    "rounded probabilities": rounded_probabilities(),
    "a fold of one clinic": fill(_binary().assign(fold=FOLD), FOLD == 1, NEAR_A_CONSTANT),
    "one model clipped here and there": CLIPPED.assign(fold=FOLD),
    "clipped beside a baseline": CLIPPED.assign(m_dummy=0.0),
    "two clipped models and a low fold": two_clipped_models_and_a_low_fold(),
}


@pytest.mark.parametrize("columns", GENUINE.values(), ids=GENUINE)
def test_predictions_that_are_rightly_equal_count(columns):
    matrix = read(pd.DataFrame(columns))
    assert not notes(matrix)
    assert matrix.n_samples == N


def test_one_of_several_configurations_lacks_what_it_never_predicted():
    matrix = read(fill(_binary().assign(fold=FOLD), FOLD > 2, 0.0, "m1"))
    (text,) = notes(matrix)
    assert text.startswith(f"{N * 2 // 5} rows were never predicted: m1 is 0 there")
    assert matrix.configurations == ("m0", "m2")
    assert matrix.n_samples == N
    assert not notes(matrix, "samples-left-out")


@pytest.mark.parametrize("names", [["m0"], ["m0", "m1", "m2"]])
@pytest.mark.parametrize("frame", [_binary, _in_words, _from_zero])
def test_zeros_here_and_there_of_one_model_are_doubted(frame, names):
    """The AUC fell from 0.86 to 0.79 at exit 0, and another model won."""
    rows = np.random.default_rng(3).permutation(N)
    some = frame()[["truth", *names]]
    (text,) = notes(read(fill(some.copy(), rows[:30], 0.0, "m0")))
    assert text.startswith(
        "30 rows may never have been predicted: m0 is 0 there, its lowest value, but the truth"
    )
    assert not notes(read(fill(some.copy(), rows[:9], 0.0, "m0")))  # too few to tell
    told = some["truth"].replace({"no": 0, "yes": 1}).astype(float)
    high = np.flatnonzero(told > told.mean())[:30]
    assert not notes(read(fill(some.copy(), high, 0.0, "m0")))  # not like all rows
    turned = some[["truth"]].assign(m0=some["m0"].max() + 0.01 - some["m0"])
    assert notes(read(fill(turned, rows[:30], 0.0, "m0")))
    lowest = np.argsort(told + some["m0"] / 1e3, kind="stable")[:30]
    assert not notes(read(fill(some.copy(), lowest, 0.0, "m0")))  # rightly so low
    assert not notes(read(fill(some.copy(), rows[:30], some["m0"].max() + 0.001, "m0")))
    assert not notes(read(fill(some.copy(), rows[:30], some["m0"].min() - 1e-4, "m0")))  # not whole


def test_zeros_of_a_model_that_knows_nothing_are_no_doubt():
    """Nor are those beside few other values, of which the least is as often."""
    frame = _binary(1)
    frame["m0"] = np.random.default_rng(4).permutation(frame["m0"])
    rows = np.random.default_rng(3).permutation(N)
    assert not notes(read(fill(frame, rows[:30], 0.0)))
    frame = _binary(1)
    frame["m0"] = frame["m0"].round(1).clip(0.1)
    assert not notes(read(fill(frame, rows[:30], 0.0)))


def test_one_model_of_several_classes_lacks_what_it_never_predicted():
    frame = fill(_classes(), ROW < 30)
    for model, shift in (("m2", 1), ("m3", 2)):
        for name in "abc":
            frame[f"{model}::{name}"] = np.roll(frame[f"m0::{name}"], 30 * shift)
    whole = frame.iloc[90:].reset_index(drop=True)
    whole.loc[:29, [f"m3::{name}" for name in "abc"]] = 0.0
    (text,) = notes(read(whole))
    assert text.startswith("30 rows were never predicted: m3 is 0 there")


def test_items_that_nobody_solves_are_scores():
    scores = np.where(ROW[:, None] < 40, 0, np.random.default_rng(1).random((N, 3)))
    assert read(pd.DataFrame(scores, columns=EVERY), task=Task.SCORE).n_samples == N


def test_after_what_all_lack_one_may_lack_more():
    frame = fill(_binary().assign(fold=FOLD), FOLD == 0)
    frame["m1"] = frame["m1"].round(2)  # half of its values differ
    first, second = notes(read(fill(frame, FOLD == 1, -1.0, "m1")))
    assert first.startswith("40 rows were never predicted: every configuration is 0 there")
    assert "m1 is -1 there" in second


def test_once_elsewhere_is_chance():
    fold = _folds(600)
    frame = fill(_binary(2, 600).assign(fold=fold), fold == 2, 0.5)
    assert notes(read(fill(frame, np.flatnonzero(fold == 3)[:1], 0.5, "m0")))


def test_the_truth_tells_rows_where_it_is_another_in_them_by_ten_bits():
    rng, said = np.random.default_rng(0), []
    for n, n_rows in rng.integers(4, 60, (300, 2)).tolist():
        truth = (rng.random(n + n_rows) < np.where(np.arange(n + n_rows) < n, 0.3, 0.7)) * 1
        inside, outside = truth[n:].mean(), (truth[:n].sum() + 1) / (n + 2)
        bits = n_rows * entropy([inside, 1 - inside], [outside, 1 - outside], base=2)
        column = Column("m.csv", "truth", pa.array(truth), np.arange(n + n_rows))
        sheet = SimpleNamespace(n_repeats=1, of_samples={"truth": column})
        if inside > 0.5:
            known = _known_by_truth(sheet, np.arange(n, n + n_rows), 0.6)
            said.append((known, inside > max(outside, 0.6) and bits >= 10))
    rarer = np.append(np.ones(400), np.arange(100) % 4 > 0) * 1  # 75% beside all
    column = Column("m.csv", "truth", pa.array(rarer), np.arange(500))
    sheet = SimpleNamespace(n_repeats=1, of_samples={"truth": column})
    assert not _known_by_truth(sheet, np.arange(400, 500), 0.6)
    known, expected = zip(*said, strict=True)
    assert known == expected and 50 < sum(known) < len(known) - 50
