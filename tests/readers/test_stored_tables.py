"""One table in many formats, made by `tests/data/tables/make.py`: all say what the CSV says."""

import json
from pathlib import Path

import pytest
from numpy.testing import assert_array_equal

from bbccli.readers import read

TABLES = Path(__file__).parents[1] / "data" / "tables"
CODE = {".csv", ".py"}
FILES = sorted(path.name for path in TABLES.iterdir() if path.suffix not in CODE)
QUICK = ("--n-resamples", "200", "--format", "json")
every = pytest.mark.parametrize("name", FILES)


def text_of(name):
    """The CSV that a file says the same as."""
    return TABLES / ("lists.csv" if "list" in name else "plain.csv")


def test_there_is_a_file_of_each_kind():
    assert len(FILES) == 21
    assert {Path(name).suffix for name in FILES} == {
        *(".feather", ".arrow", ".arrows", ".ndjson", ".parquet")
    }


@every
def test_values(name):
    ours, theirs = read(TABLES / name), read(text_of(name))
    assert_array_equal(ours.predictions, theirs.predictions)
    assert_array_equal(ours.keys, theirs.keys)
    assert_array_equal(ours.outcome.values, theirs.outcome.values)
    assert ours.outcome.classes == theirs.outcome.classes == ("no", "yes")
    assert ours.configurations == theirs.configurations
    assert ("classes-in-order" in [note.code for note in ours.notes]) == ("list" in name)


@every
@pytest.mark.one_in(5)
def test_on_standard_input(name, stdin):
    stdin((TABLES / name).read_bytes())
    assert_array_equal(read("-").predictions, read(text_of(name)).predictions)


@every
@pytest.mark.one_in(5)
def test_correct(name, run):
    (status, ours, _), (_, theirs, _) = (
        run("correct", path, *QUICK) for path in (TABLES / name, text_of(name))
    )
    assert status == 0
    assert json.loads(ours)["estimates"] == json.loads(theirs)["estimates"]


@every
@pytest.mark.one_in(5)
def test_inspect(name, run):
    status, out, _ = run("inspect", TABLES / name, "--format", "json")
    assert status == 0
    found, expected = (
        json.loads(o)["input"] for o in (out, run("inspect", text_of(name), "--format", "json")[1])
    )
    for part in (found, expected):
        del part["path"], part["sha256"]
    assert found == expected


@every
@pytest.mark.one_in(5)
def test_convert(name, run, tmp_path):
    found = []
    for path in (TABLES / name, text_of(name)):
        target = tmp_path / f"{len(found)}.csv"
        assert run("convert", path, "-o", target)[0] == 0
        found.append(target.read_bytes())
    assert found[0] == found[1]


@every
@pytest.mark.one_in(5)
def test_compare(name, run):
    status, out, _ = run("compare", text_of(name), TABLES / name, *QUICK)
    assert status == 0
    (family,) = json.loads(out)["comparisons"]
    assert family["difference"] == 0


@every
@pytest.mark.one_in(5)
def test_labels(name, run, save):
    rows = [line.split(",") for line in (TABLES / "plain.csv").read_text().splitlines()]
    text = "".join(f"{row[0]},{row[3]}\n" for row in [rows[0], *rows[:0:-1]])
    asked = ("--labels", TABLES / name, "--truth", "truth", *QUICK)
    status, out, error = run("correct", save("p.csv", text), *asked)
    assert status == 0, error
    _, whole, _ = run("correct", TABLES / "plain.csv", "--only", "knn", *QUICK)
    assert json.loads(out)["estimates"][0]["naive"] == json.loads(whole)["estimates"][0]["naive"]
