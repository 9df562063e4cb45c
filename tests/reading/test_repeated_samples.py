"""Samples that are there several times: told, and not cried about."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from reading import refused
from sklearn.model_selection import KFold, StratifiedKFold

from bbccli import matrix_of
from bbccli.reading import read
from bbccli.types import Task

N = 60


def rng_of(seed=0):
    return np.random.default_rng(seed)


def repeats(truth, k=3):
    """Predictions of k repeats under one another, without saying so."""
    rng, n = rng_of(), len(truth)
    table = {"fold": np.concatenate([rng.permutation(n) % 5 for _ in range(k)])}
    return pd.DataFrame(table | {"truth": np.tile(truth, k), **rng_columns(rng, k * n)})


def rng_columns(rng, n):
    return {"a": rng.random(n), "b": rng.random(n)}


def notes(source, **how):
    """The notes on samples that repeat, of a matrix or of a table in memory."""
    matrix = read(source, **how) if isinstance(source, pd.DataFrame) else source
    return [note for note in matrix.notes if note.code == "repeated-samples"]


def figures(truth, array=None, **more):
    """What the note on samples that repeat counts: how many there are, or every how many, and how
    often or of how many; nothing if there is no note."""
    few, shape = np.asarray(truth).dtype.kind == "i", (len(truth), 2)
    task = (Task.MULTICLASS if max(truth) > 1 else Task.BINARY) if few else Task.REGRESSION
    if array is None:
        labels = task is Task.MULTICLASS
        array = rng_of().choice(np.unique(truth), shape) if labels else rng_of().random(shape)
    texts = [note.text for note in notes(matrix_of(array, truth, task=task, **more))]
    return [int(figure) for text in texts for figure in re.findall(r"\d+", text.partition(":")[0])]


TRUTHS = {
    "binary": rng_of(1).integers(0, 2, N),
    "rare": (rng_of(1).permutation(N) < 6).astype(int),
    "values": rng_of(1).normal(size=N),
    "values with ties": rng_of(1).integers(0, 9, N) + 0.5,
}


@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
def test_repeats_under_one_another(truth):
    frame = repeats(truth)
    (note,) = notes(frame)
    assert note.text.startswith(f"the truth repeats every {N} samples, 3 times in all")
    assert "too narrow by a factor of 1.73" in note.text
    assert "'repeat' (or --repeat COLUMN) and 'row_id'" in note.remedy
    assert not notes(frame.assign(repeat=np.repeat(range(3), N), row_id=np.tile(range(N), 3)))


def test_survival():
    rng = rng_of(1)
    frame = repeats(rng.random(N), 2).rename(columns={"truth": "time"})
    frame = frame.assign(event=np.tile(rng.integers(0, 2, N), 2))
    assert len(notes(frame)) == 1
    assert not notes(frame.assign(event=rng.integers(0, 2, 2 * N)))


def fold_by_fold(truth, splitter, k):
    """Test sets of one fold after another, as loops append them: folds, and the rows."""
    splits = [splitter(random_state=seed).split(truth[:, None], truth) for seed in range(k)]
    tests = [(fold, test) for split in splits for fold, (_, test) in enumerate(split)]
    folds = np.concatenate([np.full(len(test), fold) for fold, test in tests])
    return folds, np.concatenate([test for _, test in tests])


@pytest.mark.parametrize(
    ("truth", "splitter"),
    [
        (TRUTHS["binary"], partial(StratifiedKFold, 5, shuffle=True)),
        (TRUTHS["values"], partial(KFold, 4, shuffle=True)),
    ],
    ids=["stratified", "values"],
)
def test_repeats_written_fold_by_fold(truth, splitter):
    folds, rows = fold_by_fold(truth, splitter, 3)
    (note,) = notes(repeats(truth[rows], 1).assign(fold=folds))
    assert note.text.startswith("the folds repeat every 60 samples, 3 times in all")
    folds, rows = fold_by_fold(truth, splitter, 1)
    assert not notes(repeats(truth[rows], 1).assign(fold=folds))


@pytest.mark.parametrize(
    "truth", [np.repeat([0, 1], 60), rng_of(8).integers(0, 2, 120)], ids=["sorted", "mixed"]
)
def test_folds_of_one_cross_validation(truth):
    splits = [KFold(5), StratifiedKFold(5), StratifiedKFold(2), KFold(120)]
    for splitter in splits:
        folds = np.empty(120, int)
        for fold, (_, test) in enumerate(splitter.split(np.zeros((120, 1)), truth)):
            folds[test] = fold
        assert not figures(truth, folds=folds)
    going_round, by_block = np.arange(120) % 5, np.arange(120) // 4 % 5
    assert not figures(truth, folds=going_round)
    assert not figures(truth, folds=by_block)


def test_folds_that_come_again_with_other_truths():
    folds = np.tile(np.repeat([0, 1], 20), 2)
    shares = np.concatenate([np.repeat([0, 1], n) for n in ((15, 5), (5, 15), (5, 15), (15, 5))])
    assert not figures(shares, folds=folds)
    in_turn = np.tile([0, 1], 40)
    assert not figures(in_turn, folds=folds)
    assert figures(np.append(in_turn[:40], 1 - in_turn[:40]), folds=folds) == [40, 2]
    fives = np.concatenate([rng_of(seed).permutation(5) + 0.5 for seed in range(24)])
    assert not figures(fives, folds=np.arange(120) % 5)


# what is no repeat


NATURAL = {
    "sorted": np.repeat([0, 1], 100),
    "sorted in each fold": np.tile(np.repeat([0, 1], 20), 5),
    "many classes in runs": np.tile(np.repeat(rng_of(7).permutation(10), 6), 5),
    "alternating": np.tile([0, 1], 100),
    "matched sets": np.tile([1, 0, 0, 0], 50),
    "constant": np.zeros(100),
    "short": np.tile([0, 1, 1, 0, 1, 0, 0, 0, 1, 1], 2),
    "doses": np.tile(np.arange(25.0), 4),
    "waves": np.tile(np.sin(np.arange(50) / 25 * np.pi), 4),
    "one is different": np.append(np.tile(rng_of(1).integers(0, 2, 100), 2)[:-1], 2),
}


@pytest.mark.parametrize("truth", NATURAL.values(), ids=NATURAL)
def test_natural_orders(truth):
    assert not figures(truth)


def test_no_alarm_in_hundreds_of_files():
    rng = rng_of(11)
    for _ in range(500):
        n, share = int(rng.integers(8, 300)), rng.uniform(0.05, 0.95)
        truth = (rng.random(n) < share).astype(int)
        truth[:2] = 0, 1
        assert not figures(truth)


def test_least_period_and_the_chance_of_an_accident():
    block = rng_of(3).integers(0, 2, 30)
    assert figures(np.tile(block, 4)) == [30, 4]
    rare = np.isin(np.arange(200), (41, 150)).astype(int)  # two places of 200: 1 in 2^14.3
    assert not figures(np.tile(rare, 2))
    assert figures(np.tile(rare, 3)) == [200, 3]
    for n, expected in ((92, []), (93, [93, 2])):  # two turns: among 2^11.9996, and 2^12.03
        zigzag = np.interp(np.arange(n), [0, 30, 60, n - 1], [0, 50.5, 3.3, 90])
        assert figures(np.tile(zigzag, 2)) == expected


# copies


def copied(k, n=50, **more):
    rng = rng_of()
    frame = pd.DataFrame({"truth": rng.integers(0, 2, n), **rng_columns(rng, n), **more})
    return pd.concat([frame] * k).sample(frac=1, random_state=1).assign(row_id=range(k * n))


@pytest.mark.parametrize("k", [2, 3])
def test_copies_under_other_ids(k):
    (note,) = notes(copied(k))
    assert note.text.startswith(f"every row occurs {k} times")
    assert f"{k**0.5:.2f}" in note.text
    (note,) = notes(copied(k).iloc[:-1])
    assert note.text.startswith(f"{50 * (k - 1) - 1} of {50 * k - 1} rows repeat other rows")


def test_copies_in_groups():
    own = copied(2, group=np.arange(50))
    held = repeats(TRUTHS["binary"]).assign(group=np.tile(range(N), 3))
    for frame in (own, held):  # which are resampled together
        assert not notes(frame)
    (note,) = notes(own.assign(group=own.group // 2 + 50 * own.duplicated(["a", "b"])))
    assert note.text.startswith("every group")


def mixed(truth, array):
    """In an order that tells nothing."""
    order = rng_of(4).permutation(len(truth))
    return truth[order], array[order]


def test_coarse_predictions_coincide_and_are_no_copies():
    rng = rng_of(5)
    for _ in range(100):
        n, levels = int(rng.integers(20, 400)), int(rng.choice([2, 3, 10, 50]))
        array = rng.integers(0, levels, (n, int(rng.integers(1, 7)))).astype(float)
        truth = rng.integers(0, 2, n)
        truth[:2] = 0, 1
        assert not figures(truth, array)
    few = np.tile(rng.random((19, 2)), (2, 1))
    assert not figures(np.tile(np.arange(19) % 2, 2), few)


def test_copies_are_of_all_configurations_and_of_the_truth():
    rng = rng_of(6)
    array, truth = np.tile(rng.random((50, 9)), (2, 1)), np.tile(rng.integers(0, 2, 50), 2)
    assert figures(*mixed(truth, array)) == [2]
    other = np.append(1 - truth[:1], truth[1:])
    assert not figures(*mixed(other, array))
    array[:50, 8] += 1
    assert not figures(*mixed(truth, array))


def test_copies_are_of_whole_rows_and_zero_has_no_sign():
    values, truth = rng_of(7).random(50), np.tile(rng_of(7).integers(0, 2, 50), 2)
    crossed = np.column_stack([np.tile(values, 2), [*values, *np.roll(values, 1)]])
    assert not figures(*mixed(truth, crossed))
    signed = np.column_stack([np.tile(values, 2), np.repeat([0.0, -0.0], 50)])
    assert figures(*mixed(truth, signed)) == [2]


# rows that are there again


def again(rows, *, n=120, classes=2, decimals=9):
    """Predictions and truth of n samples, of which some are appended again."""
    rng = rng_of(8)
    array, truth = rng.random((n, 3)).round(decimals), rng.integers(0, classes, n)
    order = np.append(np.arange(n), rows).astype(int)
    return figures(truth[order], array[order])


def test_a_part_of_the_rows_again():
    assert again(np.arange(80, 120)) == [40, 160]
    assert again(np.arange(80, 120), decimals=2) == [40, 160]
    assert again([*range(20), *range(60, 100)]) == [60, 180]
    assert again(np.arange(19)) == again([]) == []


def test_rows_of_a_join_and_rows_drawn_again():
    joined = np.repeat(np.arange(120), rng_of(3).integers(0, 3, 120))  # before 120 that are there
    assert again(joined) == [len(joined), 120 + len(joined)]
    assert again(rng_of(3).permutation(120)[:60]) == [60, 180]
    assert again([*range(0, 36, 2), 0]) == []  # 18 different rows


def test_equal_predictions_with_a_truth_that_they_tell_are_no_copies():
    """Rows of equal features have equal predictions; equal truths too where these tell it."""
    rng = rng_of(10)
    features = rng.random((60, 3))[rng.integers(0, 60, 200)]
    told = (features.mean(axis=1) > 0.5).astype(int)
    assert not figures(told, features)
    assert figures((features[:, 0] * 1e6 % 2).astype(int), features) == [143, 200]
    assert not figures(rng.integers(0, 2, 200), features)


def test_values_that_all_recur_in_another_order():
    values = np.concatenate([rng_of(seed).permutation(TRUTHS["values"]) for seed in range(3)])
    assert figures(values) == [3]
    assert not figures(np.append(values[:-1], 7.5))
    assert not figures(rng_of(1).permutation(np.repeat(np.arange(25.0) / 10, 4)))  # doses
    assert not figures(rng_of(1).permutation(np.repeat(rng_of(2).random(19), 4)))


def test_files_that_overlap():
    rng = rng_of(9)
    table = pd.DataFrame(rng_columns(rng, 150)).assign(y=rng.integers(0, 2, 150))
    both = pd.concat([table[:100], table[70:]])
    (note,) = notes(both)
    assert note.text.startswith("30 of 180 rows repeat other rows")
    assert not notes(both.assign(group=[*range(100), *range(70, 150)]))
    assert not notes(table)


# scores without a truth


def epochs(rng, difficulty, k):
    return rng.random((k * len(difficulty), 4)) < np.tile(difficulty, k)[:, None]


def test_epochs_under_one_another():
    scores = epochs(rng_of(1), rng_of(2).beta(0.7, 0.7, 100), 3).astype(int)
    (note,) = notes(matrix_of(scores, task=Task.SCORE))
    assert note.text.startswith("the scores repeat every 100 samples, 3 times in all")


DIFFICULTIES = {
    "all the same": lambda rng: np.full(300, 0.6),
    "each its own": lambda rng: rng.beta(0.7, 0.7, 300),
    "ever harder": lambda rng: np.linspace(0.95, 0.05, 300),
    "topics": lambda rng: np.repeat(rng.beta(0.7, 0.7, 30), 10),
    "the same topics again": lambda rng: np.tile(np.repeat([0.9, 0.2, 0.6], 50), 2),
    "four kinds in turn": lambda rng: np.tile([0.9, 0.1, 0.5, 0.3], 75),
}


@pytest.mark.parametrize("difficulty", DIFFICULTIES.values(), ids=DIFFICULTIES)
def test_items_of_their_own(difficulty):
    for seed in range(5):
        rng = rng_of(seed)
        scores = epochs(rng, difficulty(rng), 1).astype(float)
        assert not notes(matrix_of(scores, task=Task.SCORE))


def test_items_that_are_a_little_alike_are_no_epochs():
    """Of the same topics, whose neighbours are alike as well; or hardly alike at all."""
    topics = np.tile(np.repeat([0.9, 0.2, 0.6], 50), 2)
    near = topics[:, None] + 0.05 * rng_of().random((300, 4))
    own = rng_of(2).normal(size=(4000, 4))
    weak = 0.21 * np.tile(rng_of(1).normal(size=2000), 2)[:, None] + own
    for scores in (near, weak):
        assert not notes(matrix_of(scores, task=Task.SCORE))
    (note,) = notes(matrix_of(2 * weak - own, task=Task.SCORE))
    assert note.text.startswith("the scores repeat every 2000 samples")


# files with the same content


def test_same_content_twice(save):
    long = pd.DataFrame({"config": np.repeat(["a", "b"], N), "truth": np.tile(TRUTHS["binary"], 2)})
    text = long.assign(score=rng_of(1).random(2 * N)).to_csv(index=False)
    paths = [save(name, text) for name in ("one.csv", "copy of one.csv")]
    e = refused(r"has the same content as .*one\.csv", paths)
    assert e.path.endswith("copy of one.csv")
    of_caret = pd.DataFrame({"pred": rng_of(2).integers(0, 2, N), "obs": TRUTHS["binary"]})
    of_caret = of_caret.assign(rowIndex=np.arange(N) + 1, k=3, Resample="Fold1")
    of_caret = pd.concat([of_caret, of_caret.assign(k=5, pred=1 - of_caret["pred"])])
    paths = [save(name, of_caret.to_csv(index=False)) for name in ("knn.csv", "knn again.csv")]
    refused(r"has the same content as .*knn\.csv", paths)
    one_each = pd.DataFrame({"truth": TRUTHS["binary"], "score": rng_of(1).random(N)})
    paths = [save(name, one_each.to_csv(index=False)) for name in ("lr.csv", "lr with l2.csv")]
    assert read(paths).n_configurations == 2
