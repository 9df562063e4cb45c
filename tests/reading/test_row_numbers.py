"""Columns that number or name the rows: read, set aside, and never matched in silence."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from reading import notes_of, refused

from bbccli.reading import Roles, Table, read
from bbccli.types import Task

N = 40
RNG = np.random.default_rng(2)
TRUTH = np.repeat([0, 1], N // 2)  # sorted: row numbers are the best of all configurations
FRAME = pd.DataFrame(
    {"truth": TRUTH} | {name: np.round(RNG.random(N) / 2 + 0.4 * TRUTH, 4) for name in "ab"}
)
MIXED = RNG.permutation(N)


def first(name, values):
    return FRAME.assign(**{name: values})[[name, *FRAME]].to_csv(index=False)


def last(name, values):
    return FRAME.assign(**{name: values}).to_csv(index=False)


def r_csv(frame):
    """As R's `write.csv` does: row names, quoted, under a quoted empty name."""
    lines = frame.to_csv(index=False).splitlines()
    rows = [f'"{i}",{line}' for i, line in enumerate(lines[1:], 1)]
    return "\n".join([f'"",{lines[0]}', *rows]) + "\n"


def r_table(frame):
    """As R's `write.table` does: no cell of the header for the row names."""
    lines = frame.to_csv(index=False).splitlines()
    return "\n".join([lines[0], *(f'"{i}",{line}' for i, line in enumerate(lines[1:], 1))]) + "\n"


SET_ASIDE = {
    "index of pandas": FRAME.to_csv(),
    "read and written again": FRAME.reset_index(names="Unnamed: 0").to_csv(index=False),
    "both": FRAME.reset_index(names="Unnamed: 0").to_csv(),
    "shuffled": FRAME.loc[MIXED].to_csv(),
    "of more rows": FRAME.set_index(RNG.permutation(10**6)[:N]).to_csv(),
    "repeats of 20": FRAME.set_index(np.arange(N) % 20).to_csv(),
    "row names of R": r_csv(FRAME),
    "no cell of the header": r_table(FRAME),
    "read by R": first("X", range(1, N + 1)),
    "read by R twice": last("X.1", range(1, N + 1)),
    "rownames": first("rownames", [f"car {i}" for i in range(N)]),
    "text": FRAME.set_index(pd.Index([f"s{i}" for i in range(N)])).to_csv(),
    "dates": FRAME.set_index(pd.date_range("2024-01-01", periods=N)).to_csv(),
    "any name, in order": first("V1", range(1, N + 1)),
}


@pytest.mark.parametrize("text", SET_ASIDE.values(), ids=SET_ASIDE)
def test_set_aside(save, text):
    matrix = read(save("m.csv", text))
    assert matrix.configurations == ("a", "b")
    rows = MIXED if text == SET_ASIDE["shuffled"] else np.arange(N)
    assert_array_equal(matrix.predictions[0], FRAME.loc[rows, ["a", "b"]])
    (note,) = notes_of(matrix, "row-numbers")
    assert "set aside" in note.text


GUESSED = FRAME.assign(guess=np.where(np.arange(N) % 6, TRUTH, 1 - TRUTH))
KEPT = {
    "labels": (GUESSED.rename(columns={"guess": "Unnamed: 3"}), ("a", "b", "Unnamed: 3")),
    "probabilities": (FRAME.rename(columns={"a": "Unnamed: 0"}), ("Unnamed: 0", "b")),
    "few rows": (FRAME[10:29].assign(V1=np.arange(19))[["V1", "truth", "a"]], ("V1", "a")),
    "ranks": (FRAME[["a", "b"]].rank(method="first").astype(int).assign(truth=TRUTH), ("a", "b")),
    "in order, not first": (FRAME.assign(late=np.arange(N)), ("a", "b", "late")),
}


@pytest.mark.parametrize(("frame", "names"), KEPT.values(), ids=KEPT)
def test_kept(save, frame, names):
    matrix = read(save("m.csv", frame.to_csv(index=False)), task=Task.BINARY)
    assert matrix.configurations == names
    assert not notes_of(matrix, "row-numbers")


@pytest.mark.parametrize(
    ("name", "values"), [("X", np.arange(N) % 7), ("Unnamed: 3", RNG.permutation(TRUTH))]
)
def test_whole_numbers_are_no_row_numbers(save, name, values):
    """They predict nothing, so they are no configurations either, and are called what they are."""
    matrix = read(save("m.csv", last(name, values)))
    assert matrix.configurations == ("a", "b")
    assert not notes_of(matrix, "row-numbers")
    (note,) = notes_of(matrix, "whole-numbers")
    assert note.text.startswith(name)


def test_shuffled_numbers_under_any_name_matter_more(save):
    path = save("m.csv", first("V1", MIXED))
    matrix = read(path)
    assert matrix.configurations == ("a", "b")
    (note,) = notes_of(matrix, "columns-ignored")
    assert note.remedy == (
        "if it is a configuration that predicts ranks, give --only 'V1' --only '*'"
    )
    assert read(path, only=["V1", "*"]).configurations == ("V1", "a", "b")


@pytest.mark.parametrize("name", ["__index_level_1__", "Unnamed: 0", "V1"])
def test_in_parquet(save, name):
    columns = {name: range(N), "truth": TRUTH, "a": FRAME.a, "b": FRAME.b}
    assert read(save("m.parquet", columns)).configurations == ("a", "b")


def test_roles_by_hand_may_name_it(save):
    columns = {"__index_level_0__": MIXED, "truth": TRUTH, "a": FRAME.a}
    assert read(save("m.parquet", columns)).sample_keys.values.tolist() == MIXED.tolist()
    path = save("m.csv", FRAME.set_index(MIXED + 7).to_csv())
    keys = read(path, roles=Roles(row_id="Unnamed: 0")).sample_keys
    assert keys.values.tolist() == (MIXED + 7).tolist()
    pairs = read(save("m.csv", first("X", np.arange(N) // 2)), roles=Roles(group="X"))
    assert pairs.n_groups == N // 2
    alone = read(save("m.csv", first("X", range(N))), roles=Roles(group="X"))
    assert alone.n_groups is None
    (note,) = notes_of(alone, "columns-ignored")
    assert note.text == "ignored: X has a different value for every sample, so it groups nothing"


OF_TWO_REPEATS = pd.Index([f"s{i % 20}" for i in range(N)])
NAMELESS = {
    "a prediction": FRAME.to_csv(index=False).replace("truth,a,b", "truth,,b"),
    "one beside an index": FRAME.to_csv().replace("truth,a,b", "truth,,b"),
    "keys of two repeats": FRAME.set_index(OF_TWO_REPEATS).to_csv(),
    "folds": FRAME.set_index(np.arange(N) % 5).to_csv(),
}


@pytest.mark.parametrize("text", NAMELESS.values(), ids=NAMELESS)
def test_others_need_a_name(save, text):
    place = "the column after 'truth'" if "truth,,b" in text else "the first column"
    refused(f"{place} has no name", save("m.csv", text))


HEADERS = {
    "a delimiter that trails": FRAME.to_csv(columns=["a", "b"], index_label="n")
    .replace("\n", ",\n")
    .replace("b,", "b"),
    "a key": FRAME.to_csv().replace(",truth,a,b", "row_id,a,b"),
    "another delimiter": FRAME.to_csv(index_label="n").replace("n,truth", "n;truth"),
    "cells that come again": FRAME.set_index(np.arange(N) % 5).to_csv().replace(",truth", "truth"),
}


@pytest.mark.parametrize("text", HEADERS.values(), ids=HEADERS)
def test_a_header_that_lacks_something_else(save, text):
    refused("line 2 has 4 values, but the header has 3", save("m.csv", text))


# rows that are matched by position


def oof(save, name, frame):
    return save(f"{name}.csv", frame[["truth", name]].rename(columns={name: "prediction"}).to_csv())


def test_files_numbered_alike(save):
    paths = [oof(save, name, FRAME.set_index(MIXED)) for name in "ab"]
    assert_array_equal(read(paths).predictions[0], FRAME[["a", "b"]])
    starts = [oof(save, name, FRAME.set_index(np.arange(N) + i)) for i, name in enumerate("ab")]
    assert read(starts).n_samples == N


OTHERWISE = {"mixed": MIXED, "other rows": np.arange(N) + N, "with gaps": 2 * np.arange(N)}


@pytest.mark.parametrize("index", OTHERWISE.values(), ids=OTHERWISE)
def test_files_numbered_otherwise(save, index):
    paths = [oof(save, "a", FRAME), oof(save, "b", FRAME.set_index(index))]
    hint = refused("in a different order", paths).hint
    assert hint.startswith("use row_id 'Unnamed: 0'") and hint.endswith("else drop it")


@pytest.mark.parametrize("mixed", ["m", "labels"])
def test_labels_beside_mixed_rows(save, mixed):
    frames = {"m": FRAME[["a", "b"]], "labels": FRAME[["truth"]]}
    frames[mixed] = frames[mixed].loc[MIXED]
    path, labels = (save(f"{name}.csv", frame.to_csv()) for name, frame in frames.items())
    error = refused("numbered in a different order", path, labels=labels)
    assert error.path == str({"m": path, "labels": labels}[mixed])
    assert error.hint.endswith("else give by_position=True if the order is the same")
    matrix = read(path, labels=labels, roles=Roles(row_id="Unnamed: 0"))
    right = FRAME if mixed == "labels" else FRAME.loc[MIXED]
    assert_array_equal(matrix.outcome.values, right.truth)


def test_labels_in_order(save):
    path, labels = save("m.csv", FRAME[["a", "b"]].to_csv()), save("y.csv", FRAME.truth.to_csv())
    assert_array_equal(read(path, labels=labels).outcome.values, TRUTH)
    repeats = pd.concat([FRAME[["a", "b"]].assign(repeat=r) for r in range(2)])
    assert read(save("m.csv", repeats.to_csv()), labels=labels).n_repeats == 2


def test_ragged_folds_with_an_index(save):
    ragged = pd.DataFrame(np.arange(N).reshape(4, -1)).rename(columns=str).to_csv()
    path = save("m.csv", FRAME.to_csv())
    assert_array_equal(read(path, folds=save("f.csv", ragged)).folds[0], np.arange(N) // 10)


# what is said


def test_names_of_many_columns_are_looked_at_once(monkeypatch):
    """Each look takes as long as there are columns."""
    asked = []
    names = Table.names.func
    monkeypatch.setattr(Table, "names", property(lambda self: asked.append(1) or names(self)))
    read(pa.table({"truth": TRUTH} | {f"m{i}": RNG.random(N) for i in range(300)}))
    assert len(asked) < 50


def test_names_that_repeat_beside_a_column_set_aside(save, run):
    """A column set aside keeps the places of those behind it."""
    path = save("m.csv", "row_id,row_id,,row_id,repeat\n,,0,,")
    status, out, _ = run("inspect", path, "--format", "json")
    assert status == 2
    assert "two columns have the same name" in out
    assert "no truth column among row_id, repeat" in out


@pytest.mark.parametrize("order", [np.arange(N), MIXED])
def test_a_key_of_consecutive_numbers_is_no_configuration(save, order):
    frame = FRAME.assign(essay=order + 5000)[["essay", "a", "b"]]
    matrix = read(save("m.csv", frame.to_csv(index=False)), task="score")
    assert matrix.configurations == ("a", "b")
