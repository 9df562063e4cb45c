"""Which rows of two files belong together: by a key that both have, and never in silence."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from day import swept
from documents import codes
from reading import refused

from bbccli.errors import OptionError
from bbccli.reading import Roles, read
from bbccli.reading.column import Column
from bbccli.reading.join import correspond
from bbccli.types import Missing

N = 12
KEYS = list(range(N))
TRUTH = np.arange(N) % 2
SCORES = np.random.default_rng(0).random((N, 2))
CELLS = {"a": SCORES[:, 0], "b": SCORES[:, 1]}
ORDER = np.random.default_rng(1).permutation(N)


def files(save, ours, theirs, what="truth", form="csv"):
    """Predictions, and a file beside them in another order; without a key where its name is None.

    `ours` and `theirs` are a name and the keys under it.
    """
    shuffled = {} if theirs is None else {theirs[0]: [theirs[1][i] for i in ORDER]}
    here = {} if ours is None else {ours[0]: ours[1]}
    known = {} if what == "truth" else {"truth": TRUTH}
    predictions = save(f"p.{form}", here | known | CELLS)
    values = TRUTH if what == "truth" else np.arange(N) // 4
    return predictions, save(f"beside.{form}", shuffled | {what: values[ORDER]})


def right(matrix):
    np.testing.assert_array_equal(matrix.outcome.values, TRUTH)


@pytest.mark.parametrize("what", ["truth", "fold"])
@pytest.mark.parametrize(
    ("ours", "theirs", "problem", "hint"),
    [
        (
            None,
            "row_id",
            "beside.csv: has a key, column 'row_id', but .*p.csv has none",
            "--row-id",
        ),
        (
            "row_id",
            None,
            "beside.csv: has no key among .*, but .*p.csv has one, column 'row_id'",
            "",
        ),
        ("row_id", "id", "beside.csv: has the key 'id', .*p.csv has 'row_id'", "-row-id id"),
        ("id", "Index", "beside.csv: has the key 'Index', .*p.csv has 'id'", "-row-id Index"),
        (
            "row_id",
            "sample_id",
            "no key among 'sample_id', '.*', but .*p.csv has one",
            "-row-id NAME",
        ),
        ("sample_id", "sample_id", "has a column 'sample_id', like .*p.csv", "--row-id sample"),
    ],
)
def test_a_key_of_one_file_alone_is_refused(save, what, ours, theirs, problem, hint):
    sides = [None if name is None else (name, KEYS) for name in (ours, theirs)]
    predictions, beside = files(save, *sides, what)
    named = {"truth": "labels", "fold": "folds"}[what]
    error = refused(problem, predictions, **{named: beside}, hint=hint)
    assert "--by-position" in error.told()[1]
    read(predictions, **{named: beside}, by_position=True)


@pytest.mark.parametrize(
    ("ours", "theirs", "roles"),
    [
        ("row_id", "id", {"labels_row_id": "id"}),
        ("row_id", "sample_id", {"labels_row_id": "sample_id"}),
        ("sample_id", "sample_id", {"row_id": "sample_id"}),
        ("key", "row_id", {"row_id": "key"}),
        ("key", "other", {"row_id": "key", "labels_row_id": "other"}),
        ("id", "ID", {}),
    ],
)
def test_each_side_names_its_key(save, ours, theirs, roles):
    predictions, labels = files(save, (ours, KEYS), (theirs, KEYS))
    matrix = read(predictions, labels=labels, roles=Roles(**roles))
    right(matrix)
    assert matrix.configurations == ("a", "b")
    assert "joined-by-position" not in codes(matrix)


def test_a_key_beside_another(save):
    """The key that both files have counts, whichever is the first by its name."""
    predictions, _ = files(save, ("id", KEYS), None)
    columns = {"row_id": KEYS, "id": ORDER, "truth": TRUTH[ORDER]}
    right(read(predictions, labels=save("labels.csv", columns)))


def test_the_key_of_folds_is_named_for_itself_and_used(save):
    predictions, folds = files(save, ("row_id", KEYS), ("subject", KEYS), "fold")
    matrix = read(predictions, folds=folds, roles=Roles(folds_row_id="subject"))
    np.testing.assert_array_equal(matrix.folds[0], np.arange(N) // 4)
    roles = Roles(folds_row_id="nobody")
    refused(
        "folds_row_id is 'nobody', which is not a column", predictions, folds=folds, roles=roles
    )
    predictions, labels = files(save, ("row_id", KEYS), ("id", KEYS))
    how = {"labels": labels, "roles": Roles(labels_row_id="id"), "by_position": True}
    words = "labels_row_id and by_position exclude each other"
    refused(words, predictions, **how, kind=OptionError)


def test_positions_of_folds_are_no_key(save):
    predictions, _ = files(save, ("row_id", KEYS), None, "fold")
    ragged = save("ragged.csv", {"a": KEYS[:6], "b": KEYS[6:]})
    words = r"ragged.csv: has no key .*p.csv has one"
    refused(words, predictions, folds=ragged, hint="--by-position")
    assert read(predictions, folds=ragged, by_position=True).n_folds == 6


def test_tables_in_memory():
    frame, labels = pd.DataFrame(CELLS), pd.DataFrame({"row_id": KEYS, "truth": TRUTH})
    refused("<DataFrame>: has a key, column 'row_id'", frame, labels=labels.iloc[ORDER])
    index = pd.Index(KEYS, name="patient number")
    right(read(frame.set_index(index), labels=labels.set_index(index)[["truth"]].iloc[ORDER]))


# By position


def test_how_files_are_joined_is_said(run, save):
    predictions, _ = files(save, None, None)
    labels = save("labels.csv", {"truth": TRUTH})
    folds = save("folds.csv", {"fold": np.arange(N) % 3})
    asked = (predictions, "--labels", labels, "--folds", folds)
    _, out, _ = run("correct", *asked, "--format", "json", "-q")
    (note,) = [n for n in json.loads(out)["notes"] if n["code"] == "joined-by-position"]
    assert "p.csv, " in note["text"]
    assert "labels.csv, " in note["text"]
    assert "folds.csv" in note["text"]
    assert "joined by position" in " ".join(run("correct", *asked, "-q")[1].split())
    _, out, _ = run("inspect", *asked, "--format", "json")
    found = {(one["check"], one["status"]): one["text"] for one in json.loads(out)["findings"]}
    assert "by position" in found["keys", "warning"]
    assert found["labels file", "pass"] == "every sample has its outcome, joined by position"
    predictions, labels = files(save, ("id", KEYS), ("id", KEYS))
    _, out, _ = run("inspect", predictions, "--labels", labels, "--format", "json")
    assert "every sample has its outcome, joined by 'id'" in out
    assert "by position" not in out


def test_several_files(save):
    """Of which each holds one configuration."""

    def saved(first, second):
        names = (first, second)
        tables = [{"truth": TRUTH, "prediction": SCORES[:, i]} for i in (0, 1)]
        keyed = [t if n is None else {n: KEYS} | t for n, t in zip(names, tables, strict=True)]
        return [save(f"{i}.csv", own) for i, own in enumerate(keyed)]

    assert "joined-by-position" not in codes(read(saved("row_id", "row_id")))
    refused(r"1.csv: has the key 'id', .*0.csv has 'row_id'", saved("row_id", "id"))
    paths = saved("item", "item")
    refused(r"1.csv: has a column 'item', like .*0.csv", paths, hint="--row-id item")
    read(paths, roles=Roles(row_id="item"))
    (note,) = [n for n in read(saved(None, None)).notes if n.code == "joined-by-position"]
    assert "0.csv, " in note.text


def test_files_that_are_compared(run, save):
    columns = {"truth": TRUTH, **CELLS}
    shuffled = {name: np.asarray(v)[ORDER] for name, v in {"id": KEYS, **columns}.items()}
    keyed = save("a.csv", shuffled)
    keyless = save("b.csv", columns)
    err = run.refused("compare", keyed, keyless, "-q")
    assert "b.csv: a has the key 'id', b has no key" in err
    other = save("c.csv", columns)
    out = run.printed("compare", keyless, other, "--n-resamples", "50", "--format", "json", "-q")
    assert "joined-by-position" in [note["code"] for note in json.loads(out)["notes"]]


# Keys of two types


TIGHT = ["1", "01", "001", "2", "02", *map(str, range(3, 10))]
PADDED = [f"{i:03d}" for i in KEYS]
TEXT = [str(i) for i in KEYS]
LONG = [10**19 + i for i in KEYS]
SHORT = ["1e5", "10e4", "2e3", "2000", *TEXT[3:11]]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (TIGHT, TIGHT),
        swept(PADDED, PADDED),
        (PADDED, KEYS),
        swept(TEXT, KEYS),
        swept([f"{i}.0" for i in KEYS], KEYS),
        ([float(i) for i in KEYS], TEXT),
        swept(LONG, LONG),
        ([2**60 + i for i in KEYS], [str(2**60 + i) for i in KEYS]),
        swept(SHORT, SHORT),
        swept([i / 2 for i in KEYS], [str(i / 2) for i in KEYS]),
        ([f"0x{i:x}" for i in KEYS], [f"0x{i:x}" for i in KEYS]),
        swept([f"a{i}, {i}" for i in KEYS], [f"a{i}, {i}" for i in KEYS]),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "forms", ["csv csv", swept("csv parquet"), "parquet csv", swept("parquet parquet")]
)
def test_keys_in_the_spelling_of_either_file(save, ours, theirs, forms):
    first, second = forms.split()
    kind = pa.uint64() if ours is LONG else None
    columns = {"row_id": pa.array(ours, kind) if first == "parquet" else ours, **CELLS}
    other = pa.array(theirs, kind) if second == "parquet" else theirs
    other = other.take(pa.array(ORDER)) if second == "parquet" else [other[i] for i in ORDER]
    labels = save(f"labels.{second}", {"row_id": other, "truth": TRUTH[ORDER]})
    right(read(save(f"p.{first}", columns), labels=labels))


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_two_keys_that_would_become_one(save, form):
    predictions = save(f"p.{form}", {"row_id": TIGHT, **CELLS})
    labels = save("labels.csv", {"row_id": range(N), "truth": TRUTH})
    error = refused("row_id is the same number as '1' in row 0", predictions, labels=labels)
    assert error.path == str(predictions)
    assert (error.row, error.column, error.value) == (1, "row_id", "01")


@pytest.mark.parametrize(
    ("theirs", "hint"),
    [
        ([f"P{i}" for i in KEYS], "has 'p"),
        ([f"p{i} " for i in KEYS], "has 'p"),
        (TEXT, "has 'p"),
        ([f"p{i + 1}" for i in KEYS], "has 'p0', which is missing here"),
    ],
)
def test_keys_are_the_same_to_the_letter(save, theirs, hint):
    ours = [f"p{i}" for i in KEYS]
    predictions, labels = files(save, ("row_id", ours), ("row_id", theirs), form="parquet")
    refused("row_id is not among the predictions", predictions, labels=labels, hint=hint)


def test_floats_and_truth_values_are_no_keys(save):
    large = [float(2**60 + 1024 * i) for i in KEYS]
    whole = [int(i) for i in large]
    predictions, labels = files(save, ("row_id", whole), ("row_id", large), form="parquet")
    assert refused("more digits than a float holds", predictions, labels=labels).path == str(labels)
    truths = save("q.parquet", {"row_id": pa.array([True, False]), "a": [0.1, 0.2]})
    labels = save("labels.csv", {"row_id": [1, 0], "truth": ["x", "y"]})
    refused("row_id is not among the predictions", truths, labels=labels)


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        ("7 8", "7 8"),
        ("7.0 8", "7 8"),
        ("1 1.0", None),
        ("07 7", "07 7"),
        ("7 1e+05", "7 100000"),
        ("9223372036854775808 9223372036854775809", "9223372036854775808 9223372036854775809"),
        ("9223372036854775808 9223372036854785809", "9223372036854775808 9223372036854785809"),
    ],
)
def test_keys_of_delimited_text(save, written, keys):
    """What tells two samples apart in the text does so in the matrix."""
    first, second = written.split()
    path = save("p.csv", f'"row_id",truth,a\n"{first}",x,0.1\n"{second}",y,0.2\n')
    if keys is None:
        refused("row_id occurs twice", path)
    else:
        assert read(path).keys.tolist() == keys.split()


def test_a_key_by_hand_is_as_written(save):
    columns = {"patient": ["01", "1", *TEXT[2:]], "truth": TRUTH, **CELLS}
    matrix = read(save("p.csv", columns), roles=Roles(row_id="patient"))
    assert matrix.keys[:2].tolist() == ["01", "1"]
    labels = {"subject": columns.pop("patient"), "truth": columns.pop("truth")}
    path = save("q.csv", {"patient": labels["subject"], **CELLS})
    roles = Roles(row_id="patient", labels_row_id="subject")
    right(read(path, labels=save("labels.csv", labels), roles=roles))


# A matrix keeps what its samples are called


LETTERS = list("xyxyxyxy")
A = [0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6]


def keyed(keys, **more):
    return {"row_id": keys, "truth": LETTERS, "a": A, "b": A[::-1]} | more


@pytest.mark.parametrize(
    ("missing", "kept"),
    [
        (Missing.COMMON_ROWS, ["k0", "k2", "k4", "k5", "k6", "k7"]),
        (Missing.AVAILABLE, ["k0", "k2", "k3", "k4", "k5", "k6", "k7"]),
        (Missing.DROP, ["k0", "k2", "k3", "k4", "k5", "k6", "k7"]),
    ],
)
def test_follow_the_samples_that_are_left(save, missing, kept):
    a = [None if i == 1 else v for i, v in enumerate(A)]
    b = [None if i in (1, 3) else v for i, v in enumerate(A[::-1])]
    path = save("m.csv", keyed([f"k{i}" for i in range(8)], a=a, b=b))
    matrix = read(path, missing=missing)
    assert matrix.keys.tolist() == kept
    classes = dict(zip([f"k{i}" for i in range(8)], LETTERS, strict=True))
    assert [matrix.outcome.classes[int(v)] for v in matrix.outcome.values] == [
        classes[key] for key in kept
    ]


def test_follow_the_samples_of_an_outer_fold(save):
    rows = ["row_id,outer_fold,fold,truth,a,b"]
    keys = [f"s{i}" for i in range(12)]
    for i, key in enumerate(keys):
        rows.append(f"{key},{i % 3},,{'xy'[i // 3 % 2]},0.{i + 1},0.5")
        rows += [
            f"{key},{outer},{i % 2},{'xy'[i // 3 % 2]},0.{i + 1},0.4"
            for outer in range(3)
            if outer != i % 3
        ]
    matrix = read(save("m.csv", "\n".join(rows) + "\n"))
    assert matrix.keys.tolist() == keys
    for outer, fold in enumerate(matrix.nested):
        held_out = [key for i, key in enumerate(keys) if i % 3 == outer]
        assert matrix.keys[fold.test].tolist() == held_out
        assert matrix.keys[fold.training].tolist() == [key for key in keys if key not in held_out]


def test_whole_numbers_up_to_the_last_exact_one_are_names_of_integers():
    keys = [2.0**53, 2.0**54, -(2.0**53), 1.0]
    matrix = read(pd.DataFrame({"row_id": keys, "truth": [0, 1, 0, 1], "a": [0.1, 0.9, 0.2, 0.8]}))
    assert matrix.keys.tolist() == ["9007199254740992", str(2.0**54), "-9007199254740992", "1"]


def test_keys_counted_from_another_number(save):
    """To remove the last row and add the first one would join each truth to its neighbour."""
    table = save("p.csv", {"row_id": [0, 1, 2, 3], "a": [0.1, 0.9, 0.2, 0.8]})
    labels = save("l.csv", {"row_id": [1, 2, 3, 4], "truth": [0, 1, 0, 1]})
    e = refused(
        r"not among the predictions \(column 'row_id', row 3, value 4\)", table, labels=labels
    )
    assert e.hint.startswith(f"{table} has 0, which is missing here: use the same keys")
    labels = save("l.csv", {"row_id": [0, 1, 2, 3, 4], "truth": [0, 1, 0, 1, 1]})
    assert "5 rows for 4 samples" in refused("not among", table, labels=labels).hint


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_labels_of_a_hold_out_and_of_the_training_rows(save, form):
    keys = [7, 2, 11, 4]
    table = save(f"p.{form}", {"id": keys, "a": SCORES[keys, 0]})
    labels = save(f"l.{form}", {"id": KEYS, "truth": TRUTH})
    matrix = read(table, labels=labels)
    np.testing.assert_array_equal(matrix.outcome.values, TRUTH[keys])
    (note,) = [one for one in matrix.notes if one.code == "unused-labels"]
    assert "labels for 12 samples and predictions for 4" in note.text


@pytest.mark.parametrize("keys", [[0, 1, 2, 3], [1, 2, 3, 4], [3, 0, 2, 1]])
def test_numbers_of_rows_may_have_begun_anew(save, keys):
    """A test set numbered from 0 must not get the labels of the first training rows."""
    table = save("p.csv", {"id": keys, "a": SCORES[keys, 0]})
    labels = save("l.csv", {"id": KEYS, "truth": TRUTH})
    e = refused("not among the predictions", table, labels=labels)
    assert "12 rows for 4 samples, which are just numbered" in e.hint


def test_a_sample_without_a_label_is_refused_among_more_labels(save):
    table = save("p.csv", {"id": [7, 3, 99, 5], "a": SCORES[:4, 0]})
    labels = save("l.csv", {"id": KEYS, "truth": TRUTH})
    refused("not among the predictions", table, labels=labels)


@pytest.mark.parametrize(
    ("known", "given", "same"),
    [
        ([0.1, 0.1, 0.5], [0.1, 0.1 + 1e-12, 0.5], True),  # up to rounding
        ([0.1, 0.1, 0.5], [0.1, 0.2, 0.5], False),
        ([0, 1, 1], ["b", "a", "a"], True),
        ([0, 1, 1], ["b", "a", None], False),
        ([0, 1, 1], ["b", "a", "c"], False),
        ([0, 1, 2], ["b", "a", "a"], False),
    ],
)
def test_truths_correspond(known, given, same):
    columns = [Column("m.csv", "y", pa.array(values), np.arange(3)) for values in (known, given)]
    assert correspond(*columns) == same


@pytest.mark.parametrize(
    "values",
    [
        ["b", None, "a", "b", "é", "a"],
        [3, None, 1, 3, -2, 1],
        pa.array(["x", None, "y", "x", "", "y"], pa.large_string()),
        pa.chunked_array([["z", "b"], [None, "b", "a", "b"]]).combine_chunks().slice(1),
    ],
)
def test_few_values_are_told_apart_as_many_are(values, monkeypatch):
    array, rows, found = pa.array(values), np.array([3, -1, 0, 2, 2]), []
    for by_hand in (range(9), ()):
        monkeypatch.setattr("bbccli.reading.arrow._BY_HAND", iter(by_hand))
        column = Column("m.csv", "c", array, np.arange(len(array)))
        codes, distinct = column.codes()
        found.append((codes.tolist(), distinct, column.take(rows).values))
    assert found[0] == found[1]
    names = [None if code < 0 else distinct[code].as_py() for code in codes]
    assert names == array.to_pylist()
    assert distinct.to_pylist() == [*dict.fromkeys(array.drop_null().to_pylist())]
    assert column.take(rows).values.to_pylist() == [
        None if row < 0 else array[row].as_py() for row in rows
    ]
