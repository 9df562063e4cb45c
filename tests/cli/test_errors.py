"""Every error: exit status 2, one line of what is wrong, one of what to do, no traceback."""

import re

import pyarrow as pa
import pyarrow.parquet
import pytest
from day import swept

GOOD = "row_id,fold,truth,a,b\n" + "".join(
    f"{i},{i // 2},{'yn'[i % 2]},0.{1 + 7 * ((i + 1) % 2)}{i},0.5{i}\n" for i in range(8)
)


def csv(text):
    return lambda folder: _write(folder / "p.csv", text.encode())


def _write(path, content):
    path.write_bytes(content)
    return [path]


def truncated_parquet(folder):
    path = folder / "p.parquet"
    pyarrow.parquet.write_table(pa.table({"truth": [0, 1], "a": [0.1, 0.2]}), path)
    path.write_bytes(path.read_bytes()[:-40])
    return [path]


def with_file(option, text, predictions=GOOD):
    def make(folder):
        (folder / "other.csv").write_text(text)
        return [*csv(predictions)(folder), option, folder / "other.csv"]

    return make


def output_to(name):
    return lambda folder: [*csv(GOOD)(folder), "--output", folder / name]


def options(*extra, text=GOOD):
    return lambda folder: [*csv(text)(folder), *extra]


def replaced(old, new, text=GOOD):
    assert old in text
    return csv(text.replace(old, new, 1))


NO_TRUTH = GOOD.replace("truth", "truht", 1)

ERRORS = {
    "missing file": (lambda folder: [folder / "none.csv"], r"no such file|not exist|not found"),
    "truncated parquet": (truncated_parquet, r"Parquet"),
    "empty file": (csv(""), r"empty"),
    "no truth column": (csv(NO_TRUTH), r"no truth column"),
    "duplicate row_id": (replaced("\n1,", "\n0,"), r"row_id"),
    "text in a prediction": (replaced("0.52", "n/a?"), r"column 'b', line 4, value 'n/a\?'"),
    "labels of another length": (
        with_file("--labels", "truth\ny\nn\n", GOOD.replace("row_id", "zzz", 0)),
        r"\b2\b.*\b8\b|\b8\b.*\b2\b",
    ),
    "metric of another kind": (
        options("--metric", "auc", text="truth,a\n" + "y,y\nn,n\n" * 4),
        r"AUC needs probabilities or scores",
    ),
    "unknown metric": (options("--metric", "acc"), r"no metric named 'acc'"),
    "unknown method": (options("--method", "bbcf"), r"no method named 'bbcf'"),
    "no resamples": (options("--n-resamples", "0"), r"--n-resamples is 0"),
    "level in percent": (options("--level", "95"), r"--level is 95, not between 0 and 1"),
    "resamples in words": (options("--n-resamples", "many"), r"--n-resamples is 'many'"),
    "tolerance without auto": (options("--tolerance", "0.1"), r"--tolerance determines"),
    "no threads": (options("--jobs", "0"), r"--jobs is 0"),
    "memory of no size": (options("--memory", "lots"), r"--memory is 'lots'"),
    "distribution of no kind": (options("--distribution", "x.txt"), r"cannot write .txt"),
    "negative seed": (options("--seed", "-1"), r"--seed is -1"),
    "unwritable output": (output_to("no such folder/x.json"), r"cannot write"),
    "output is a folder": (output_to(""), r"cannot write"),
    "column that is not there": (options("--truth", "trut"), r"trut"),
    "unknown positive class": (options("--positive", "x"), r"'x'"),
}

HINTS = {
    "level in percent": "--level 0.95",
    "no truth column": "truht",
    "unknown metric": "did you mean accuracy?",
    "metric of another kind": "accuracy",
    "unknown method": "bbc-f",
    "column that is not there": "truth",
}


@pytest.mark.parametrize("case", ERRORS)
def test_error(case, run, tmp_path):
    make, message = ERRORS[case]
    arguments = make(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    status, out, err = run("correct", *arguments)
    lines = err.splitlines()
    assert status == 2, out
    assert out == ""
    assert len(lines) == 2, err
    assert lines[0].startswith("error: ")
    assert lines[1].startswith("hint: ")
    assert re.search(message, lines[0]), err
    assert HINTS.get(case, "") in err
    assert sorted(tmp_path.rglob("*")) == before


def test_the_good_file_is_good(run, tmp_path):
    assert "> bbc " in run.printed("correct", *csv(GOOD)(tmp_path), "--n-resamples", "20")


def test_strict_makes_missing_predictions_an_error(run, tmp_path):
    lacking = csv(GOOD.replace(",0.53", ",", 1))(tmp_path)
    assert "configurations" in run.printed("correct", *lacking, "--n-resamples", "20")
    assert run.refused("correct", *lacking, "--strict").startswith("error: ")


def test_a_bug_is_not_hidden(run, monkeypatch, tmp_path):
    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("bbccli.use_cases.correct.estimate", broken)
    with pytest.raises(ZeroDivisionError):
        run("correct", *csv(GOOD)(tmp_path))


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("--missing", "nope"), "'nope' is not one of: error, drop, common-rows, available."),
        swept(("--seed", "1.5"), "'1.5' is not an integer."),
        swept(("--level", "high"), "'high' is not a number."),
        swept(("--gate-on", "x"), "'x' is not one of: bound, estimate."),
        swept(("--format", "x"), "'x' is not one of: table, json,"),
    ],
)
def test_values_are_refused_in_plain_words(run, argv, words):
    """Whatever the version of typer says: it was "Value error, 'nope' is ..." """
    assert f"Invalid value for '{argv[0]}': {words}" in run.refused("correct", "p.csv", *argv)
