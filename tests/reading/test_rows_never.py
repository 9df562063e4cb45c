"""Rows that were never predicted, beside rows whose predictions are rightly equal."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from bbccli import read
from bbccli.domain.matrix import PredictionMatrix
from bbccli.types import Task

N = 200
Frame = pd.DataFrame
Filled = tuple[Frame, int]


@pytest.mark.parametrize(("make", "code"), [("binary", -1), ("binary", -999), ("values", 9999)])
def test_a_code_for_missing_values(make, code):
    frame = _binary() if make == "binary" else _regression()
    gone = np.random.default_rng(5).choice(N, 7, replace=False)
    frame.loc[gone, "m1"] = code
    matrix = read(frame, missing="common-rows")
    assert matrix.n_samples == N - 7
    assert any(f"m1 is {code:g} there" in one.text for one in matrix.notes)


@pytest.mark.parametrize("value", [0, 500])
def test_predictions_cut_at_an_end_are_no_code(value):
    frame = _regression()
    frame.loc[:9, "truth"] = value  # rare values, far from the others, that models may know
    frame.loc[:9, "m1"] = value
    assert len(read(frame).configurations) == 3


def _folds(n: int = N, k: int = 5) -> np.ndarray:
    return np.random.default_rng(3).permutation(np.arange(n) % k)


def _binary(n_models: int = 3, n: int = N) -> Frame:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, n)
    logits = 1.5 * (truth[:, None] - 0.5) + rng.normal(0, 1, (n, n_models))
    models = {f"m{c}": (1 / (1 + np.exp(-logits[:, c]))).round(5) for c in range(n_models)}
    return Frame({"truth": truth, **models})


def _regression(n_models: int = 3) -> Frame:
    rng = np.random.default_rng(2)
    truth = rng.normal(50, 9, N).round(2)
    models = {f"m{c}": (truth + rng.normal(0, 5, N)).round(2) for c in range(n_models)}
    return Frame({"truth": truth, **models})


def _models(frame: Frame) -> list[str]:
    return [name for name in frame if str(name).startswith("m")]


def _fill(frame: Frame, where: np.ndarray, value: float = 0.0) -> Filled:
    frame.loc[where, _models(frame)] = value
    return frame, int(np.size(np.flatnonzero(where)))


def first_window() -> Filled:
    return _fill(_binary(4), np.arange(N) < 30)


def last_window_at_one_half() -> Filled:
    return _fill(_binary(), np.arange(N) >= 160, 0.5)


def training_rows_of_a_predefined_split() -> Filled:
    frame, fold = _regression(), _folds()
    frame["fold"] = np.where(fold == 4, -1, fold)
    return _fill(frame, fold == 4)


def two_folds_not_run_by_one_model() -> Filled:
    frame, fold = _binary(1), _folds()
    frame["fold"] = fold
    return _fill(frame, fold >= 3)


def scattered_without_folds() -> Filled:
    return _fill(_binary(), _folds() >= 3)


def minus_one_beside_probabilities() -> Filled:
    return _fill(_binary(1), np.arange(N) < 25, -1.0)


def mean_of_the_truth() -> Filled:
    frame = _regression(2)
    return _fill(frame, np.arange(N) < 40, float(frame["truth"].mean()))


def beside_a_baseline() -> Filled:
    frame, fold = _binary(2), _folds()
    frame["fold"] = fold
    frame["m_dummy"] = 0.4 + 0.01 * fold
    return _fill(frame, fold == 2)


def zeros_for_every_class() -> Filled:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, N)
    frame = Frame({"truth": np.array(["a", "b", "c"])[truth]})
    for model in ("m0", "m1"):
        p = np.exp(np.eye(3)[truth] + rng.normal(0, 1, (N, 3)))
        for k, name in enumerate("abc"):
            frame[f"{model}::{name}"] = (p / p.sum(1, keepdims=True))[:, k]
    return _fill(frame, np.arange(N) < 30)


def ratings_filled_with_zero() -> Filled:
    rng = np.random.default_rng(6)
    truth = rng.integers(1, 6, N).astype(float) + 0.25
    models = {f"m{c}": np.clip(truth.round() + rng.integers(-1, 2, N), 1, 5) for c in range(3)}
    return _fill(Frame({"truth": truth, **models}), np.arange(N) < 20)


def rare_positives() -> Filled:
    rng = np.random.default_rng(8)
    truth = (np.arange(N) % 40 == 39).astype(int)
    models = {f"m{c}": rng.uniform(0.001, 0.2, N) + 0.3 * truth for c in range(3)}
    return _fill(Frame({"truth": truth, **models}), np.arange(N) < 30)


def first_window_of_another_level() -> Filled:
    frame = _binary()
    frame.loc[:29, "truth"] = (np.arange(30) % 6 == 5).astype(int)
    return _fill(frame, np.arange(N) < 30)


NEVER: list[Callable[[], Filled]] = [
    first_window,
    last_window_at_one_half,
    training_rows_of_a_predefined_split,
    two_folds_not_run_by_one_model,
    scattered_without_folds,
    minus_one_beside_probabilities,
    mean_of_the_truth,
    beside_a_baseline,
    zeros_for_every_class,
    ratings_filled_with_zero,
    rare_positives,
    first_window_of_another_level,
]


def _notes(matrix: PredictionMatrix, code: str) -> list[str]:
    return [note.text for note in matrix.notes if note.code == code]


@pytest.mark.parametrize("made", NEVER)
def test_rows_that_no_model_predicted_are_missing(made: Callable[[], Filled]) -> None:
    frame, n_filled = made()
    matrix = read(frame)
    (text,) = _notes(matrix, "never-predicted")
    assert text.startswith(f"{n_filled} rows were never predicted")
    assert matrix.n_samples == N - n_filled
    assert not _notes(matrix, "samples-left-out")


def test_the_value_is_named() -> None:
    (text,) = _notes(read(last_window_at_one_half()[0]), "never-predicted")
    assert "every configuration is 0.5 there" in text


def test_one_configuration_is_not_every_one() -> None:
    (text,) = _notes(read(two_folds_not_run_by_one_model()[0]), "never-predicted")
    assert "the prediction is 0 there" in text


def test_a_long_table_is_read_alike() -> None:
    frame, fold = _binary(2), _folds()
    frame["fold"], frame["row_id"] = fold, np.arange(N)
    frame, n_filled = _fill(frame, fold == 0)
    long = frame.melt(["row_id", "fold", "truth"], var_name="config", value_name="prediction")
    matrix = read(long)
    assert matrix.n_samples == N - n_filled
    assert _notes(matrix, "never-predicted")


def test_a_fold_of_one_repeat_is_missing_there() -> None:
    parts = []
    for repeat in range(2):
        frame = _binary(3)
        frame["row_id"], frame["repeat"] = np.arange(N), repeat
        frame["fold"] = np.random.default_rng(repeat).permutation(np.arange(N) % 5)
        frame.loc[:, ["m0", "m1", "m2"]] += 0.001 * repeat
        if repeat:
            frame, n_filled = _fill(frame, frame["fold"].to_numpy() == 1)
        parts.append(frame)
    matrix = read(pd.concat(parts, ignore_index=True))
    assert matrix.n_samples == N - n_filled


def test_a_value_here_and_there_in_repeats_is_no_run() -> None:
    """A model clipped at 0 in one row of each of five repeats."""
    parts = [_binary(1).assign(row_id=np.arange(N), repeat=repeat) for repeat in range(5)]
    for repeat, part in enumerate(parts):
        part["m0"] += 0.001 * repeat
        part.loc[17 * repeat + 3, "m0"] = 0.0
    matrix = read(pd.concat(parts, ignore_index=True))
    assert matrix.n_samples == N
    assert not _notes(matrix, "never-predicted")


def labels_sorted_by_class() -> Frame:
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1], N // 2)
    wrong = rng.random((N, 3)) < np.where(np.arange(N) < 60, 0, 0.3)[:, None]
    return Frame({"truth": truth, **{f"m{c}": truth ^ wrong[:, c] for c in range(3)}})


def a_constant_baseline_alone() -> Frame:
    fold = _folds()
    return Frame({"truth": _binary()["truth"], "fold": fold, "m0": 0.4 + 0.01 * (fold // 2)})


def baselines_beside_a_model() -> Frame:
    frame, fold = _binary(1), _folds()
    return frame.assign(fold=fold, m_dummy=(fold == 2) * 0.5)


def trees_on_a_class_apart() -> Frame:
    rng = np.random.default_rng(4)
    truth = (np.arange(N) >= 60).astype(int)
    models = {f"m{c}": np.where(truth, 0.9 + rng.uniform(0, 0.1, N), 0.0) for c in range(3)}
    models |= {name: np.where(np.arange(N) > 100, rng.random(N), m) for name, m in models.items()}
    return Frame({"truth": truth | 1 * (np.arange(N) < 0), **models})


def closed_days() -> Frame:
    frame = _regression()
    frame.loc[80:110, ["truth", *_models(frame)]] = 0.0
    return frame


def closed_days_scattered() -> Frame:
    frame = _regression()
    frame.loc[::7, ["truth", *_models(frame)]] = 0.0
    return frame


def ratings() -> Frame:
    rng = np.random.default_rng(6)
    truth = rng.integers(1, 6, N).astype(float) + 0.25
    models = {f"m{c}": np.clip(truth.round() + rng.integers(-1, 2, N), 1, 5) for c in range(3)}
    frame = Frame({"truth": truth, **models})
    frame.loc[:25, _models(frame)] = 3.0
    return frame


def clipped_at_zero() -> Frame:
    rng = np.random.default_rng(7)
    level = rng.normal(0, 2, N)
    models = {f"m{c}": np.maximum(0, level + rng.normal(0, 0.5, N)) for c in range(3)}
    return Frame({"truth": np.maximum(0, level + rng.normal(0, 1, N)), **models})


def one_model_that_collapsed_in_a_fold() -> Frame:
    frame, fold = _regression(1), _folds()
    frame["fold"] = fold
    frame.loc[fold == 3, "m0"] = 49.8731
    return frame


def two_of_three_that_collapsed() -> Frame:
    frame, fold = _regression(), _folds()
    frame["fold"] = fold
    frame.loc[fold == 3, ["m0", "m1"]] = [49.87, 50.12]
    return frame


def rounded_probabilities() -> Frame:
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 2, N)
    logits = 7 * (truth[:, None] - 0.5) + rng.normal(0, 2.4, (N, 1)) + rng.normal(0, 0.5, (N, 3))
    models = {f"m{c}": (1 / (1 + np.exp(-logits[:, c]))).round(2) for c in range(3)}
    return Frame({"truth": truth, **models})


def a_fold_of_another_level() -> Frame:
    """One clinic, with predictions near a constant, but not at it."""
    frame, fold = _binary(), _folds()
    frame["fold"] = fold
    near = 0.01 + 0.001 * np.random.default_rng(2).random((N, 3))
    frame.loc[fold == 1, _models(frame)] = near[fold == 1]
    return frame


def one_model_clipped_here_and_there() -> Frame:
    frame, fold = _regression(1), _folds()
    frame.loc[::17, "m0"] = 0.0
    return frame.assign(fold=fold)


def clipped_beside_a_baseline() -> Frame:
    frame = _regression(1)
    frame.loc[::17, "m0"] = 0.0
    return frame.assign(m_dummy=0.0)


def two_clipped_models_and_a_low_fold() -> Frame:
    """Both are 0 in one fold, and each in some rows elsewhere."""
    frame, fold = _regression(2), _folds()
    frame.loc[fold == 1, ["m0", "m1"]] = 0.0
    frame.loc[np.flatnonzero(fold == 2)[:10], "m0"] = 0.0
    frame.loc[np.flatnonzero(fold == 3)[:10], "m1"] = 0.0
    return frame.assign(fold=fold)


GENUINE = [
    labels_sorted_by_class,
    a_constant_baseline_alone,
    baselines_beside_a_model,
    trees_on_a_class_apart,
    closed_days,
    closed_days_scattered,
    ratings,
    clipped_at_zero,
    one_model_that_collapsed_in_a_fold,
    two_of_three_that_collapsed,
    rounded_probabilities,
    a_fold_of_another_level,
    one_model_clipped_here_and_there,
    clipped_beside_a_baseline,
    two_clipped_models_and_a_low_fold,
]


@pytest.mark.parametrize("made", GENUINE)
def test_predictions_that_are_rightly_equal_count(made: Callable[[], Frame]) -> None:
    matrix = read(made())
    assert not _notes(matrix, "never-predicted")
    assert matrix.n_samples == N


def test_one_of_several_configurations_lacks_what_it_never_predicted() -> None:
    frame, fold = _binary(), _folds()
    frame["fold"] = fold
    frame.loc[fold > 2, "m1"] = 0.0
    matrix = read(frame)
    (text,) = _notes(matrix, "never-predicted")
    assert text.startswith(f"{N * 2 // 5} rows were never predicted: m1 is 0 there")
    assert matrix.configurations == ("m0", "m2")
    assert matrix.n_samples == N
    assert not _notes(matrix, "samples-left-out")


def test_one_model_of_several_classes_lacks_what_it_never_predicted() -> None:
    frame, _ = zeros_for_every_class()
    for model, shift in (("m2", 1), ("m3", 2)):
        for name in "abc":
            frame[f"{model}::{name}"] = np.roll(frame[f"m0::{name}"], 30 * shift)
    whole = frame.iloc[90:].reset_index(drop=True)
    whole.loc[:29, [f"m3::{name}" for name in "abc"]] = 0.0
    (text,) = _notes(read(whole), "never-predicted")
    assert text.startswith("30 rows were never predicted: m3 is 0 there")


def test_items_that_nobody_solves_are_scores() -> None:
    rng = np.random.default_rng(1)
    scores = rng.random((N, 3))
    scores[:40] = 0
    matrix = read(Frame(scores, columns=["m0", "m1", "m2"]), task=Task.SCORE)
    assert matrix.n_samples == N


def test_after_what_all_lack_one_may_lack_more() -> None:
    frame, fold = _binary(), _folds()
    frame["fold"] = fold
    frame.loc[fold == 0, _models(frame)] = 0.0
    frame["m1"] = frame["m1"].round(2)  # half of its values differ
    frame.loc[np.flatnonzero(fold == 1), "m1"] = -1.0
    first, second = _notes(read(frame), "never-predicted")
    assert first.startswith("40 rows were never predicted: every configuration is 0 there")
    assert "m1 is -1 there" in second


def test_once_elsewhere_is_chance() -> None:
    fold = _folds(600)
    frame = _binary(2, 600).assign(fold=fold)
    _fill(frame, fold == 2, 0.5)
    frame.loc[np.flatnonzero(fold == 3)[0], "m0"] = 0.5
    assert _notes(read(frame), "never-predicted")
