"""Files of repeated hold-out (Monte-Carlo cross-validation)."""

import json

import numpy as np
import pytest
from documents import codes
from numpy.testing import assert_array_equal
from reading import refused

from bbccli.reading import read
from bbccli.types import Missing

SIZE = 12


def rows(n_samples=40, n_repeats=6, seed=0, size=SIZE):
    """Columns of a file: every repeat holds out a random part, in random order."""
    rng = np.random.default_rng(seed)
    keys = [rng.choice(n_samples, size, replace=False) for _ in range(n_repeats)]
    keys = np.concatenate(keys)
    truth = np.where(keys % 2, "y", "n")
    scores = np.round(rng.random((2, len(keys))) * 0.7 + 0.3 * (keys % 2), 3)
    of_rows = {"row_id": keys, "repeat": np.repeat(np.arange(n_repeats), size), "truth": truth}
    return of_rows | {"a": scores[0], "b": scores[1]}


def test_every_repeat_has_its_own_samples(save):
    columns = rows()
    matrix = read(save("p.csv", columns))
    order = list(dict.fromkeys(columns["row_id"].tolist()))
    assert matrix.repeated_holdout
    assert (matrix.n_repeats, matrix.n_samples) == (6, len(order))
    assert matrix.folds is None
    for row, (key, repeat) in enumerate(zip(columns["row_id"], columns["repeat"], strict=True)):
        sample = order.index(key)
        assert matrix.available[repeat, sample].all()
        shown = [columns["a"][row], columns["b"][row]]
        assert_array_equal(matrix.predictions[repeat, sample], shown)
    assert matrix.available[:, :, 0].sum() == len(columns["row_id"])
    (note,) = [note for note in matrix.notes if note.code == "repeated-holdout"]
    assert note.text == (
        f"repeated hold-out: each of 6 repeats predicts 12 of {len(order)} samples and is scored "
        "on those; methods over folds cannot run"
    )
    assert "samples-left-out" not in codes(matrix)
    assert "folds-unknown" not in codes(matrix)


@pytest.mark.parametrize("fold", ["one", "of the repeat"])
def test_a_constant_fold_is_none(save, fold):
    columns = rows()
    columns["fold"] = np.ones(72, int) if fold == "one" else columns["repeat"]
    matrix = read(save("p.csv", columns))
    assert matrix.repeated_holdout
    assert matrix.folds is None


def test_repeats_with_folds_are_cross_validations(save):
    columns = rows(n_samples=14)
    columns["fold"] = columns["row_id"] % 3
    matrix = read(save("p.csv", columns))
    assert not matrix.repeated_holdout
    assert "samples-left-out" in codes(matrix)


def test_a_repeat_of_all_samples_is_a_cross_validation(save):
    columns = rows(n_samples=SIZE, n_repeats=3)
    kept = np.ones(3 * SIZE, bool)
    kept[[3, 30]] = False
    columns = {name: values[kept] for name, values in columns.items()}
    matrix = read(save("p.csv", columns))
    assert not matrix.repeated_holdout
    assert "samples-left-out" in codes(matrix)


def test_repeats_without_a_sample_in_common_are_refused(save):
    columns = rows()
    columns["row_id"] = np.arange(72)
    columns["truth"] = np.where(np.arange(72) % 2, "y", "n")
    refused("no sample is in all 6 repeats", save("p.csv", columns), hint="a column 'fold'")


def test_labels_and_gaps(save):
    columns = rows()
    complete = ~np.isin(columns["row_id"], columns["row_id"][::5])
    wrong = columns["row_id"] == columns["row_id"][complete][0]
    columns["a"] = np.where(wrong == (columns["truth"] == "y"), "n", "y")
    columns["b"] = np.where(np.arange(72) % 5, columns["a"], "")
    path = save("p.csv", columns)
    matrix = read(path)
    assert matrix.configurations == ("a",)
    assert "configurations-dropped" in codes(matrix)
    known = matrix.available[:, :, 0]
    right = matrix.predictions[:, :, 0] == matrix.outcome.values
    assert np.count_nonzero(~right[known]) == wrong.sum()
    both = read(path, missing=Missing.AVAILABLE)
    assert both.configurations == ("a", "b")
    assert both.available[:, :, 1].sum() == 72 - 15
    (note,) = [note for note in both.notes if note.code == "available-cases"]
    assert note.text.startswith("10% of the predictions are missing")  # 15 of 144
    refused("1 of 2 configurations lacks predictions", path, missing=Missing.ERROR)
    complete = read(path, missing=Missing.COMMON_ROWS)
    assert complete.configurations == ("a", "b")
    assert complete.n_samples < matrix.n_samples


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_conversion_loses_nothing(run, save, tmp_path, layout):
    path = save("p.csv", rows())
    other = tmp_path / f"other_{layout}.parquet"
    assert run("convert", path, "-o", other, "--layout", layout)[0] == 0
    first, again = read(path), read(other)
    assert again.repeated_holdout
    assert_array_equal(first.available, again.available)
    assert_array_equal(first.predictions, again.predictions)
    assert_array_equal(first.outcome.values, again.outcome.values)


def test_correct_runs_and_names_what_cannot(run, save):
    path = save("p.csv", rows())
    out = run.printed("correct", path, "--n-resamples", 50)
    assert "corrected" in out
    err = run.refused("correct", path, "--n-resamples", 50, "--method", "bbc-f")
    assert "in repeated hold-out each repeat is a separate part" in err


@pytest.mark.parametrize("metric", ["mae", "rmse"])
def test_losses_of_samples_that_a_part_lacks(run, save, metric):
    """The last samples are scored together, and are in one part alone."""
    keys = np.concatenate([np.arange(40), np.arange(20, 66)])
    columns = {"row_id": keys, "repeat": np.repeat([0, 1], [40, 46]), "truth": keys / 3}
    columns |= {"a": np.sin(keys) + columns["truth"], "b": np.cos(keys) + columns["truth"]}
    out = run.printed("correct", save("p.csv", columns), "--metric", metric, "--format", "json")
    parts = columns["a"][:40], columns["a"][40:], columns["b"][:40], columns["b"][40:]
    truths = (columns["truth"][:40], columns["truth"][40:]) * 2
    power = 1 if metric == "mae" else 2
    errors = [np.abs(p - t) ** power for p, t in zip(parts, truths, strict=True)]
    means = [one.mean() ** (1 / power) for one in errors]
    best = min(np.mean(means[:2]), np.mean(means[2:]))
    assert json.loads(out)["estimates"][0]["naive"] == pytest.approx(best)


def test_parts_without_a_key_of_the_repeat_are_told_what_to_do(save):
    columns = rows()
    columns["fold"] = columns.pop("repeat")
    refused("row_id occurs twice", save("p.csv", columns), hint="repeated hold-out")


def test_the_polarity_is_that_of_the_samples_held_out(save):
    columns = rows(n_samples=100, size=40)
    noise = np.random.default_rng(1).normal(size=len(columns["row_id"]))
    right = 0.5 + 0.1 * (columns["truth"] == "y") + 0.05 * noise
    columns["a"] = columns["b"] = right
    assert "polarity" not in codes(read(save("p.csv", columns)))
    columns["a"] = columns["b"] = 1 - columns["a"]
    assert "polarity" in codes(read(save("p.csv", columns)))
