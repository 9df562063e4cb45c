"""Files of models trained in several sizes: what counts, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
from day import swept
from reading import refused

from bbccli.reading import read

SIZES = (20, 40, 60, 80)


def rows(n=90):
    """A long table of three configurations, the same samples at four training sizes."""
    rng = np.random.default_rng(3)
    truth = np.arange(n) % 2
    samples = pd.DataFrame({"row_id": np.arange(n), "fold": np.arange(n) % 5, "truth": truth})
    parts = [
        samples.assign(
            config=name,
            train_size=size,
            prediction=np.where(rng.random(n) < 0.1 + 2 / size, 1 - truth, truth),
        )
        for size in SIZES
        for name in "abc"
    ]
    return pd.concat(parts, ignore_index=True)


def wide(table):
    keys = ["row_id", "fold", "truth", "train_size"]
    return table.pivot(index=keys, columns="config", values="prediction")


def test_the_largest_size_counts_and_the_smaller_ones_stand_beside_it():
    table = rows()
    matrix = read(table)
    alone = read(table[table["train_size"] == 80].drop(columns="train_size"))
    np.testing.assert_array_equal(matrix.predictions, alone.predictions)
    np.testing.assert_array_equal(matrix.folds, alone.folds)
    assert matrix.train_size == 80
    assert [one.train_size for one in matrix.smaller] == [20, 40, 60]
    of_40 = read(table[table["train_size"] == 40].drop(columns="train_size"))
    np.testing.assert_array_equal(matrix.smaller[1].predictions, of_40.predictions)
    assert [note.code for note in matrix.notes] == ["smaller-sizes-unused"]


def test_one_size_is_a_plain_file():
    table = rows()
    matrix = read(table[table["train_size"] == 80])
    assert (matrix.train_size, matrix.smaller, matrix.notes) == (80, (), ())


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.iloc[::-1].sort_values("row_id", kind="stable"),
        swept(lambda table: table.assign(train_size=table["train_size"] + 1e-9 * table["fold"])),
        swept(lambda table: wide(table).reset_index()),
        swept(lambda table: table.drop(columns="row_id")),
    ],
    ids=["order", "float noise", "wide", "by position"],
)
def test_the_same_whatever_the_form(change):
    expected, found = read(rows()), read(change(rows()))
    for one, other in zip((*expected.smaller, expected), (*found.smaller, found), strict=True):
        columns = [other.configurations.index(name) for name in one.configurations]
        np.testing.assert_array_equal(one.predictions, other.predictions[:, :, columns])
        assert one.train_size == other.train_size


def test_columns_of_both_precisions():
    """Columns of which a part of the rows is read."""
    table = wide(rows())
    found = read(table.astype({"b": np.float32}).reset_index())
    np.testing.assert_array_equal(found.predictions, read(table.reset_index()).predictions)


def test_hold_out_repeats_may_differ_between_sizes():
    table = pd.concat(
        part.assign(repeat=repeat).drop(columns="fold")
        for repeat in range(6)
        for size, part in rows().groupby("train_size")
        for part in [part[(part["row_id"] + 7 * repeat + size) % 90 >= size]]
    )
    matrix = read(table)
    assert all(one.repeated_holdout for one in (matrix, *matrix.smaller))
    assert matrix.available.any(axis=2).sum(axis=1).tolist() == [10] * 6
    assert matrix.smaller[0].available.any(axis=2).sum(axis=1).tolist() == [70] * 6


@pytest.mark.parametrize(
    ("change", "said", "hint"),
    [
        (lambda s, _: s / 100, "must be a positive integer", "multiply fractions"),
        swept(lambda s, _: -s, "must be a positive integer", "number of samples"),
        swept(lambda s, _: s - 20, "must be a positive integer", "number of samples"),
        swept(lambda s, _: s + 0.5, "must be a positive integer", "number of samples"),
        swept(lambda s, _: "n=" + s.astype(str), "train_size is text", "number of samples"),
        swept(lambda s, _: s.where(s.index != 13), "train_size is missing", "every row"),
        swept(lambda s, t: s + (t["fold"] == 0), "train_size 21 is next to 20", "one size for all"),
        (lambda s, t: s + 7 * (t["config"] == "b"), "no prediction of 'a' at the largest", "same"),
    ],
    ids=["shares", "negative", "zero", "fraction", "text", "missing", "folds", "configurations"],
)
def test_sizes_that_cannot_be_meant(change, said, hint):
    table = rows()
    refused(said, table.assign(train_size=change(table["train_size"], table)), hint=hint)


def test_a_sample_has_one_truth_at_all_sizes():
    table = rows()
    table.loc[(table["row_id"] == 5) & (table["train_size"] == 40), "truth"] = 0
    refused("truth differs between training sizes", table)


def test_one_size_is_converted_with_its_column_and_several_are_refused(run, tmp_path):
    path, target, table = tmp_path / "sizes.csv", tmp_path / "wide.parquet", rows()
    table.to_csv(path, index=False)
    assert "several training sizes" in run.refused("convert", path, "--output", target)
    assert not target.exists()
    table[table["train_size"] == 80].to_csv(path, index=False)
    run.printed("convert", path, "--output", target)
    assert set(pd.read_parquet(target)["train_size"]) == {80}


def test_the_command_line_names_the_note_and_the_estimate(run, tmp_path):
    path = tmp_path / "sizes.csv"
    rows().rename(columns={"train_size": "trained on"}).to_csv(path, index=False)
    options = ("--train-size", "trained on", "--metric", "error", "--method", "ipl")
    document = json.loads(run.printed("correct", path, *options, "--format", "json"))
    assert "smaller-sizes-unused" in [note["code"] for note in document["notes"]]
    assert 0 < document["estimates"][0]["value"] < 0.3
