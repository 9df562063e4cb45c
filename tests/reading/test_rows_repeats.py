"""Folds numbered through the repeats of a cross-validation."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bbccli import read
from bbccli.domain.matrix import PredictionMatrix
from bbccli.errors import InputError

N, K, R = 80, 5, 4
Frame = pd.DataFrame


def _pass(fold: np.ndarray, *, first: int, seed: int, truth: np.ndarray) -> Frame:
    """Return one repeat, fold by fold; models hardly change between repeats."""
    own = np.random.default_rng(99)
    rng = np.random.default_rng(seed)
    n, about = len(truth), truth == truth.astype(int)
    noise = own.normal(0, 1, (n, 3)) + rng.normal(0, 0.15, (n, 3))
    score = truth[:, None] + noise
    if about.all() and truth.max() <= 1:
        score = 1 / (1 + np.exp(-1.5 * (truth[:, None] - 0.5) - noise))
    frame = Frame({"key": np.arange(n), "fold": first + fold, "truth": truth})
    frame = frame.assign(**{f"m{c}": score[:, c].round(5) for c in range(3)})
    order = np.lexsort([rng.random(n), fold])
    return frame.iloc[order]


def _repeated(truth: np.ndarray, *, stratified: bool = False, k: int = K, r: int = R) -> Frame:
    parts, n = [], len(truth)
    for repeat in range(r):
        rng = np.random.default_rng(repeat)
        order = rng.permutation(n)
        if stratified:
            order = order[np.argsort(truth[order], kind="stable")]
        fold = np.empty(n, int)
        fold[order] = np.arange(n) % k
        parts.append(_pass(fold, first=repeat * k, seed=repeat, truth=truth))
    return pd.concat(parts, ignore_index=True)


def _values(n: int = N) -> np.ndarray:
    return np.random.default_rng(5).normal(12, 4, n).round(3)


def _classes(n: int = N, n_positive: int = 40) -> np.ndarray:
    return np.random.default_rng(6).permutation(np.arange(n) < n_positive).astype(int)


def _codes(matrix: PredictionMatrix) -> set[str]:
    return {note.code for note in matrix.notes}


def by_distinct_truths() -> Frame:
    return _repeated(_values()).drop(columns="key")


def numbered_from_one() -> Frame:
    return by_distinct_truths().assign(fold=lambda frame: frame["fold"] + 1)


def named_folds() -> Frame:
    frame = by_distinct_truths()
    return frame.assign(fold=[f"Fold{one:02d}" for one in frame["fold"]])


def rows_in_any_order() -> Frame:
    return by_distinct_truths().sample(frac=1, random_state=1).reset_index(drop=True)


def two_equal_truths() -> Frame:
    truth = _values()
    truth[3] = truth[4]
    return _repeated(truth).drop(columns="key")


def by_key_in_classes() -> Frame:
    return _repeated(_classes(), stratified=True).rename(columns={"key": "row_id"})


def by_key_of_text() -> Frame:
    frame = _repeated(_classes())
    return frame.assign(row_id=[f"p{one}" for one in frame["key"]]).drop(columns="key")


def two_repeats_by_key() -> Frame:
    return _repeated(_classes(), k=10, r=2).rename(columns={"key": "row_id"})


READ = [
    by_distinct_truths,
    numbered_from_one,
    named_folds,
    rows_in_any_order,
    two_equal_truths,
    by_key_in_classes,
    by_key_of_text,
    two_repeats_by_key,
]


@pytest.mark.parametrize("made", READ)
def test_blocks_of_folds_that_hold_the_same_samples_are_repeats(made: Callable[[], Frame]) -> None:
    frame = made()
    matrix = read(frame)
    n_repeats = len(frame) // N
    assert (matrix.n_samples, len(matrix.predictions)) == (N, n_repeats)
    assert matrix.folds is not None
    assert (matrix.folds.max(axis=1) + 1 == frame["fold"].nunique() // n_repeats).all()
    assert "folds-of-repeats" in _codes(matrix)
    assert "repeated-samples" not in _codes(matrix)


def test_repeats_are_joined_by_the_truth() -> None:
    plain = _repeated(_values())
    told = plain.assign(repeat=plain["fold"] // K).rename(columns={"key": "row_id"})
    told, plain = read(told), read(plain.drop(columns="key"))
    for matrix in (told, plain):
        order = np.argsort(matrix.outcome.values)
        matrix.predictions.flags.writeable = True
        matrix.predictions[:] = matrix.predictions[:, order]
    np.testing.assert_array_equal(told.predictions, plain.predictions)


def test_a_long_table_is_read_alike() -> None:
    frame = by_distinct_truths()
    long = frame.melt(["fold", "truth"], var_name="config", value_name="prediction")
    assert read(long).n_samples == N
    keyed = by_key_in_classes().melt(
        ["row_id", "fold", "truth"], var_name="config", value_name="prediction"
    )
    matrix = read(keyed)
    assert (matrix.n_samples, len(matrix.predictions)) == (N, R)


def test_files_of_models_are_read_alike(tmp_path: Path) -> None:
    frame = by_distinct_truths()
    for model in ("m0", "m1"):
        part = frame[["fold", "truth", model]].rename(columns={model: "prediction"})
        part.to_csv(tmp_path / f"{model}.csv", index=False)
    matrix = read([tmp_path / "m0.csv", tmp_path / "m1.csv"])
    assert (matrix.n_samples, len(matrix.predictions)) == (N, R)


def test_a_last_repeat_may_be_unfinished() -> None:
    frame = by_key_in_classes()
    matrix = read(frame[frame["fold"] < R * K - 2])
    assert len(matrix.predictions) == R
    assert "folds-of-repeats" in _codes(matrix)


def classes_in_unequal_folds() -> Frame:
    return _repeated(_classes(83, 41), stratified=True, r=10).drop(columns="key")


def classes_in_equal_folds() -> Frame:
    return _repeated(_classes(), stratified=True, r=10).drop(columns="key")


def four_repeats_of_classes() -> Frame:
    return _repeated(_classes(), stratified=True).drop(columns="key")


@pytest.mark.parametrize(
    "made", [classes_in_unequal_folds, classes_in_equal_folds, four_repeats_of_classes]
)
def test_classes_cannot_prove_it(made: Callable[[], Frame]) -> None:
    frame = made()
    matrix = read(frame)
    assert matrix.n_samples == len(frame)
    (note,) = [note for note in matrix.notes if note.code == "repeated-samples"]
    n_repeats = frame["fold"].nunique() // K
    assert f"N is {len(frame) // n_repeats} instead of {len(frame)}" in note.text


def _one_pass(truth: np.ndarray, fold: np.ndarray) -> Frame:
    return _pass(fold, first=0, seed=1, truth=truth).drop(columns="key")


def leave_one_out() -> Frame:
    return _one_pass(_values(), np.arange(N))


def twenty_folds() -> Frame:
    return _one_pass(_values(400), np.random.default_rng(1).permutation(np.arange(400) % 20))


def twenty_stratified_folds() -> Frame:
    truth = _classes(400, 200)
    fold = np.empty(400, int)
    order = np.random.default_rng(1).permutation(400)
    fold[order[np.argsort(truth[order], kind="stable")]] = np.arange(400) % 20
    return _one_pass(truth, fold)


def ten_stratified_folds() -> Frame:
    truth = _classes(400, 200)
    fold = np.empty(400, int)
    order = np.random.default_rng(2).permutation(400)
    fold[order[np.argsort(truth[order], kind="stable")]] = np.arange(400) % 10
    return _one_pass(truth, fold)


def ratings_in_stratified_folds() -> Frame:
    truth = np.repeat(np.arange(1.0, 6), 80) + 0.5
    return _one_pass(truth, np.tile(np.arange(20), 20))


def doses_of_subjects() -> Frame:
    """Every subject is a fold, measured at the same forty doses."""
    return _one_pass(np.tile(_values(40), 10), np.repeat(np.arange(10), 40))


def dealt_by_turns() -> Frame:
    """Sorted by a strong predictor and dealt to the folds: these are alike, and no copies."""
    truth = np.tile([0, 1], 200)
    rng, level = np.random.default_rng(3), np.repeat(np.linspace(0.05, 0.95, 200), 2)
    frame = Frame({"fold": (np.arange(400) // 2) % 20, "truth": truth})
    return frame.assign(**{f"m{c}": level + rng.normal(0, 0.001, 400) for c in range(3)})


@pytest.mark.parametrize(
    "made",
    [
        leave_one_out,
        twenty_folds,
        twenty_stratified_folds,
        ten_stratified_folds,
        ratings_in_stratified_folds,
        doses_of_subjects,
        dealt_by_turns,
    ],
)
def test_folds_of_one_pass_stay(made: Callable[[], Frame]) -> None:
    frame = made()
    matrix = read(frame)
    assert matrix.n_samples == len(frame)
    assert "folds-of-repeats" not in _codes(matrix)
    if made is not doses_of_subjects:  # whose truth repeats in order
        assert "repeated-samples" not in _codes(matrix)


def test_test_sets_that_overlap_are_no_repeats() -> None:
    parts = []
    for split in range(6):
        part = _pass(np.zeros(N, int), first=split, seed=split, truth=_classes())
        parts.append(part.sample(30, random_state=split).rename(columns={"key": "row_id"}))
    with pytest.raises(InputError, match=r"row_id occurs twice \("):  # not: in one repeat
        read(pd.concat(parts, ignore_index=True))


def test_a_fold_of_old_and_new_samples_begins_no_repeat() -> None:
    keys = [range(40), range(40, 80), [*range(20), *range(80, 100)], range(20, 40)]
    every = np.concatenate(keys)
    frame = Frame({"row_id": every, "fold": np.repeat(np.arange(4), [40, 40, 40, 20])})
    with pytest.raises(InputError, match=r"row_id occurs twice \("):
        read(frame.assign(truth=every % 2, m=np.random.default_rng(1).random(len(every))))


def test_a_test_set_predicted_by_every_fold_is_said_to_be_one() -> None:
    parts = [_pass(np.zeros(N, int), first=k, seed=k, truth=_classes()) for k in range(5)]
    frame = pd.concat(parts, ignore_index=True).rename(columns={"key": "row_id"})
    with pytest.raises(InputError, match=f"each of the 5 folds predicts the same {N} samples"):
        read(frame)


def test_a_column_that_tells_the_rows_of_a_sample_apart_is_named() -> None:
    frame = _repeated(_classes(), stratified=True).rename(columns={"key": "row_id"})
    frame = frame.assign(seed=frame["fold"] // K * 7, fold=frame["fold"] % K)
    with pytest.raises(InputError, match="row_id occurs twice") as caught:
        read(frame)
    assert 'repeat="seed" if seed distinguishes repeats' in caught.value.hint
