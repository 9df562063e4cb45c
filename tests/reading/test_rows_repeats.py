"""Folds numbered through the repeats of a cross-validation."""

import numpy as np
import pandas as pd
import pytest
from documents import codes
from reading import refused

from bbccli import read

N, K, R = 80, 5, 4


def _pass(fold, *, first, seed, truth):
    """Return one repeat, fold by fold; models hardly change between repeats."""
    own = np.random.default_rng(99)
    rng = np.random.default_rng(seed)
    n, about = len(truth), truth == truth.astype(int)
    noise = own.normal(0, 1, (n, 3)) + rng.normal(0, 0.15, (n, 3))
    score = truth[:, None] + noise
    if about.all() and truth.max() <= 1:
        score = 1 / (1 + np.exp(-1.5 * (truth[:, None] - 0.5) - noise))
    frame = pd.DataFrame({"row_id": np.arange(n), "fold": first + fold, "truth": truth})
    frame = frame.assign(**{f"m{c}": score[:, c].round(5) for c in range(3)})
    return frame.iloc[np.lexsort([rng.random(n), fold])]


def _dealt(truth, k, seed, *, stratified=True):
    """Return the folds of samples dealt to them by turns, class by class if stratified."""
    order = np.random.default_rng(seed).permutation(len(truth))
    if stratified:
        order = order[np.argsort(truth[order], kind="stable")]
    fold = np.empty(len(truth), int)
    fold[order] = np.arange(len(truth)) % k
    return fold


def _repeated(truth, *, stratified=False, k=K, r=R):
    parts = [
        _pass(_dealt(truth, k, i, stratified=stratified), first=i * k, seed=i, truth=truth)
        for i in range(r)
    ]
    return pd.concat(parts, ignore_index=True)


def _values(n=N):
    return np.random.default_rng(5).normal(12, 4, n).round(3)


def _classes(n=N, n_positive=40):
    return np.random.default_rng(6).permutation(np.arange(n) < n_positive).astype(int)


TIED = _values()
TIED[3] = TIED[4]
PLAIN = _repeated(_values()).drop(columns="row_id")
KEYED = _repeated(_classes(), stratified=True)
READ = {
    "by distinct truths": PLAIN,
    "numbered from one": PLAIN.assign(fold=PLAIN["fold"] + 1),
    "named folds": PLAIN.assign(fold=[f"Fold{one:02d}" for one in PLAIN["fold"]]),
    "rows in any order": PLAIN.sample(frac=1, random_state=1).reset_index(drop=True),
    "two equal truths": _repeated(TIED).drop(columns="row_id"),
    "by key in classes": KEYED,
    "by key of text": KEYED.assign(row_id="p" + KEYED["row_id"].astype(str)),
    "two repeats by key": _repeated(_classes(), k=10, r=2),
}


@pytest.mark.parametrize("frame", READ.values(), ids=READ)
def test_blocks_of_folds_that_hold_the_same_samples_are_repeats(frame):
    matrix = read(frame)
    n_repeats = len(frame) // N
    assert (matrix.n_samples, len(matrix.predictions)) == (N, n_repeats)
    assert matrix.folds is not None
    assert (matrix.folds.max(axis=1) + 1 == frame["fold"].nunique() // n_repeats).all()
    assert "folds-of-repeats" in codes(matrix)
    assert "repeated-samples" not in codes(matrix)


def test_repeats_are_joined_by_the_truth():
    keyed = _repeated(_values())
    of_both = []
    for frame in (PLAIN, keyed.assign(repeat=keyed["fold"] // K)):
        matrix = read(frame)
        of_both.append(matrix.predictions[:, np.argsort(matrix.outcome.values)])
    np.testing.assert_array_equal(*of_both)


@pytest.mark.parametrize("frame", [PLAIN, KEYED], ids=["plain", "keyed"])
def test_a_long_table_is_read_alike(frame):
    rows = [name for name in frame if name[0] != "m"]
    matrix = read(frame.melt(rows, var_name="config", value_name="prediction"))
    assert (matrix.n_samples, len(matrix.predictions)) == (N, R)


def test_files_of_models_are_read_alike(tmp_path):
    paths = [tmp_path / f"{model}.csv" for model in ("m0", "m1")]
    for path in paths:
        part = PLAIN[["fold", "truth", path.stem]].rename(columns={path.stem: "prediction"})
        part.to_csv(path, index=False)
    matrix = read(paths)
    assert (matrix.n_samples, len(matrix.predictions)) == (N, R)


def test_a_last_repeat_may_be_unfinished():
    matrix = read(KEYED[KEYED["fold"] < R * K - 2])
    assert len(matrix.predictions) == R
    assert "folds-of-repeats" in codes(matrix)


@pytest.mark.parametrize(
    ("truth", "n_repeats"),
    [(_classes(83, 41), 10), (_classes(), 10), (_classes(), R)],
    ids=["unequal folds", "equal folds", "few repeats"],
)
def test_classes_cannot_prove_it(truth, n_repeats):
    frame = _repeated(truth, stratified=True, r=n_repeats).drop(columns="row_id")
    matrix = read(frame)
    assert matrix.n_samples == len(frame)
    (note,) = [note for note in matrix.notes if note.code == "repeated-samples"]
    assert f"N is {len(truth)} instead of {len(frame)}" in note.text


def dealt_by_turns():
    """Sorted by a strong predictor and dealt to the folds: these are alike, and no copies."""
    truth = np.tile([0, 1], 200)
    rng, level = np.random.default_rng(3), np.repeat(np.linspace(0.05, 0.95, 200), 2)
    frame = pd.DataFrame({"fold": (np.arange(400) // 2) % 20, "truth": truth})
    return frame.assign(**{f"m{c}": level + rng.normal(0, 0.001, 400) for c in range(3)})


HALVES = _classes(400, 200)
RATINGS = np.repeat(np.arange(1.0, 6), 80) + 0.5
ONE_PASS = {
    "leave one out": (_values(), np.arange(N)),
    "twenty folds": (_values(400), np.random.default_rng(1).permutation(np.arange(400) % 20)),
    "twenty stratified folds": (HALVES, _dealt(HALVES, 20, 1)),
    "ten stratified folds": (HALVES, _dealt(HALVES, 10, 2)),
    "ratings in stratified folds": (RATINGS, np.tile(np.arange(20), 20)),
    "subjects at the same doses": (np.tile(_values(40), 10), np.repeat(np.arange(10), 40)),
}
ONE_PASS = {
    name: _pass(fold, first=0, seed=1, truth=truth).drop(columns="row_id")
    for name, (truth, fold) in ONE_PASS.items()
} | {"dealt by turns": dealt_by_turns()}


@pytest.mark.parametrize("name", ONE_PASS)
def test_folds_of_one_pass_stay(name):
    matrix = read(ONE_PASS[name])
    assert matrix.n_samples == len(ONE_PASS[name])
    assert "folds-of-repeats" not in codes(matrix)
    if "doses" not in name:  # a truth that repeats in order
        assert "repeated-samples" not in codes(matrix)


def of_every_split(n_splits):
    return [_pass(np.zeros(N, int), first=i, seed=i, truth=_classes()) for i in range(n_splits)]


def test_test_sets_that_overlap_are_no_repeats():
    parts = [part.sample(30, random_state=i) for i, part in enumerate(of_every_split(6))]
    refused(r"row_id occurs twice \(", pd.concat(parts, ignore_index=True))  # not: in one repeat


def test_a_fold_of_old_and_new_samples_begins_no_repeat():
    keys = [range(40), range(40, 80), [*range(20), *range(80, 100)], range(20, 40)]
    every = np.concatenate(keys)
    frame = pd.DataFrame({"row_id": every, "fold": np.repeat(np.arange(4), [40, 40, 40, 20])})
    frame = frame.assign(truth=every % 2, m=np.random.default_rng(1).random(len(every)))
    refused(r"row_id occurs twice \(", frame)


def test_a_test_set_predicted_by_every_fold_is_said_to_be_one():
    frame = pd.concat(of_every_split(5), ignore_index=True)
    refused(f"each of the 5 folds predicts the same {N} samples", frame)


def test_a_column_that_tells_the_rows_of_a_sample_apart_is_named():
    frame = KEYED.assign(seed=KEYED["fold"] // K * 7, fold=KEYED["fold"] % K)
    hint = 'repeat="seed" if seed distinguishes repeats'
    assert hint in refused("row_id occurs twice", frame).hint
