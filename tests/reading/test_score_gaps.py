"""Scores that are missing: epochs, requests that failed, logs that keep successes alone."""

import numpy as np
import pandas as pd
import pytest
from day import swept
from documents import codes
from reading import refused

from bbccli import METHODS, METRICS, BbcError, Plan, matrix_of, read
from bbccli.types import Missing, Task

RNG = np.random.default_rng(11)
SCORES = (RNG.random((60, 8, 2)) < 0.6).astype(float)
ITEMS, MODELS, EPOCHS = (np.arange(n) for n in SCORES.shape)


def long(scores=SCORES):
    """A row per item, model and epoch that has a score, (N, C, R) NaN where missing."""
    i, m, e = np.nonzero(~np.isnan(scores))
    columns = {"item": [f"q{x}" for x in i], "model": [f"m{x}" for x in m], "epoch": e}
    return pd.DataFrame(columns | {"score": scores[i, m, e]})


def without(*cells, scores=SCORES):
    """The scores, NaN at (item, model) or (item, model, epoch)."""
    left = scores.copy()
    for cell in cells:
        left[cell] = np.nan
    return left


def naive(frame, **options):
    """The performances of all configurations, by name."""
    matrix = read(frame, task=Task.SCORE, **options)
    shown, there = matrix.predictions, matrix.available
    there = np.ones(shown.shape, bool) if there is None else there
    means = np.where(there, shown, 0).sum(axis=(0, 1)) / there.sum(axis=(0, 1))
    best = METHODS["cvt"].run(matrix, METRICS["mean-score"], Plan(n_resamples=50)).naive
    assert best == pytest.approx(means.max())
    return dict(zip(matrix.configurations, means, strict=True)), matrix


def slow(scores):
    """Mean over the items of the mean over the epochs that have a score."""
    found = {}
    for m in MODELS:
        items = [[s for s in scores[i, m] if not np.isnan(s)] for i in ITEMS]
        found[f"m{m}"] = np.mean([np.mean(own) for own in items if own])
    return found


@pytest.mark.parametrize(
    ("gaps", "expected"),
    [
        ([(3, 1, 0)], ["epochs-missing"]),
        swept([(3, 1, 0), (9, 1, 1), (0, 2, 0)], ["epochs-missing"]),
        swept([(3, 1)], ["available-cases"]),
        swept([(3, 1), (4, 1, 0), (3, 5), (7, 0, 1)], ["epochs-missing", "available-cases"]),
        swept([(slice(None), 0, 0), (slice(None), 1, 1)], ["epochs-missing"]),
    ],
)
def test_an_item_counts_by_the_epochs_that_it_has(gaps, expected):
    scores = without(*gaps)
    found, matrix = naive(long(scores))
    assert found == pytest.approx(slow(scores), abs=1e-12)
    assert codes(matrix) == expected
    assert matrix.outcome.bounds == (0, 1)


def test_a_failed_request_removes_no_candidate():
    scores = without(*((3 * m, m) for m in range(7)))
    found, matrix = naive(long(scores))
    assert len(found) == 8
    assert all(f"m{m} 1 of 60" in matrix.notes[0].text for m in range(7))
    assert naive(long(scores), missing=Missing.DROP)[1].configurations == ("m7",)
    assert naive(long(scores), missing="common-rows")[1].n_samples == 53
    for gaps in (scores, without((3, 1, 0))):  # of items, and of epochs
        refused("configurations lack", long(gaps), task="score", missing="error", kind=BbcError)


def test_epochs_with_names_of_their_own():
    frame = long()
    frame["epoch"] = frame["model"] + "-" + frame["epoch"].astype(str)
    assert naive(frame)[0] == pytest.approx(slow(SCORES))


AVERAGES = {
    "halves": ([0, 0.5, 1], True),
    "thirds in two decimals": ([0, 0.33, 0.67, 1], True),
    "uneven epochs": ([0, 1 / 3, 0.75, 0.9, 1], True),
    "no failure among them": ([0.5, 1], False),
    "a judge of 1 to 5": ([1, 2.5, 5], False),
    "percent": ([0, 50, 100], False),
    "beyond": ([-0.5, 0, 1], False),
    "a measure": ([0, 0.37, 0.512, 1], False),
}


@pytest.mark.parametrize("case", AVERAGES)
def test_bounds_of_averages(case):
    values, averages = AVERAGES[case]
    matrix = matrix_of(np.resize(values, (30, 2)) + np.zeros((30, 2)), task="score")
    assert matrix.outcome.bounds == ((0, 1) if averages else None)
    code = "bounds-of-averages" if averages else "bounds-unknown"
    assert code in codes(matrix)
    given = matrix_of(np.resize([0, 0.5, 1], (30, 2)), task="score", bounds=(0, 1))
    assert "bounds-of-averages" not in codes(given)


ONES = np.where(SCORES[:, :, 0] == 1, 1.0, np.nan)
WHOLE = np.where(np.isnan(ONES), 0.0, 1.0)
NEARLY = np.where((np.arange(60) < 6)[:, None] & (np.arange(8) == 2), np.nan, WHOLE)
NEARLY[6:, 2] = 1
LIMITED = np.where((np.arange(60) >= 20)[:, None] & (np.arange(8) == 3), np.nan, WHOLE)
TWO_TASKS = np.where((np.arange(60) < 30)[:, None] == (np.arange(8) < 4), WHOLE, np.nan)
REFUSED = {
    "only what was solved": (ONES, "every score is 1, and"),
    "only what failed": (ONES - 1, "every score is 0, and"),
    "percent": (ONES * 100, "every score is 100, and"),
    "all but one": (np.where(np.arange(480).reshape(60, 8) == 7, np.nan, 1.0), "1 of 480"),
    "a model that solved all it has": (NEARLY, "all others have the highest one: 2 6 of 60"),
    "a model on fewer items": (LIMITED, "more than 20% of the items have no score: 3 40 of 60"),
    "noise beside what was solved": (ONES + 1e-9 * RNG.random(ONES.shape), "more than 20%"),
    "two tasks": (TWO_TASKS, "more than 20%"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_gaps_that_no_mean_can_mend(case):
    scores, words = REFUSED[case]
    with pytest.raises(BbcError, match=words):
        matrix_of(scores, task="score")
    for policy in Missing if scores is ONES else ():
        with pytest.raises(BbcError, match="every score is 1"):
            matrix_of(ONES, task="score", missing=policy)


def test_the_way_out_is_named():
    with pytest.raises(BbcError, match="--missing common-rows to use the 20 that all have"):
        matrix_of(LIMITED, task="score")
    assert matrix_of(LIMITED, task="score", missing="common-rows").n_samples == 20
    assert matrix_of(LIMITED, task="score", missing="drop").n_configurations == 7


def test_a_fifth_may_be_missing():
    fifth, more = (without((slice(n), 0), scores=WHOLE) for n in (12, 13))
    assert matrix_of(fifth, task="score").n_configurations == 8
    with pytest.raises(BbcError, match="0 13 of 60"):
        matrix_of(more, task="score")
    none = without((slice(None), 4), scores=WHOLE)  # without any score it cannot win
    matrix = matrix_of(none, task="score")
    assert matrix.n_configurations == 7
    assert "configurations-dropped" in codes(matrix)


def test_folds_of_epochs_that_lack_items():
    frame = long(without((5, slice(None), 1)))
    frame["fold"] = frame["item"].str[1:].astype(int) % 3
    matrix = read(frame, task="score")
    assert (matrix.folds, matrix.n_samples) == (None, 60)
    assert "folds-unknown" in codes(matrix)
