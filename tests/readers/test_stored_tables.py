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
def test_commands(name, run, tmp_path):
    results = []
    for path in (TABLES / name, text_of(name)):
        target = tmp_path / f"{len(results)}.csv"
        assert run("convert", path, "-o", target)[0] == 0
        status, correct, _ = run("correct", path, *QUICK)
        assert status == 0
        status, found, _ = run("inspect", path, "--format", "json")
        assert status == 0
        found = {k: v for k, v in json.loads(found)["input"].items() if k not in ("path", "sha256")}
        results.append((target.read_bytes(), json.loads(correct)["estimates"], found))
    assert results[0] == results[1]
    status, out, _ = run("compare", text_of(name), TABLES / name, *QUICK)
    assert status == 0
    assert json.loads(out)["comparisons"][0]["difference"] == 0


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
