"""Absurd values of options, and metrics of one's own that fail: one clear line each."""

import sys

import numpy as np
import pytest
from day import daily, swept
from experiments import FAST, experiment

DIGITS = ("9" * 20, "9" * 5000)
LARGEST_SEED = 2**63 - 1


@pytest.fixture
def small(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "p.csv").write_text(experiment(0))
    return tmp_path


def one_line(found, words):
    status, out, err = found
    assert (status, out) == (2, "")
    error, hint = [line for line in err.splitlines() if not line.startswith("read:")]
    assert error.startswith(f"error: {words}")
    assert len(error) <= 1000
    assert hint.startswith("hint: ")


REFUSED = [
    *((f"correct p.csv --n-resamples {n}", "--n-resamples is ")
      for n in (*DIGITS, *(f"-{n}" for n in DIGITS))),
    *((f"correct p.csv --n-resamples {n}", "--n-resamples is over 1000000")
      for n in ("1000000000000", "1000001", "0001000001")),
    ("drop p.csv --n-resamples 1000001", "--n-resamples is over 1000000"),
    (f"correct p.csv --seed {LARGEST_SEED + 1}", f"--seed is over {LARGEST_SEED}"),
    *((f"correct p.csv --memory {n}", "--memory is more than any machine has")
      for n in (*DIGITS, "9" * 400 + "GB")),
    *((f"{command} p.csv -o r.csv --jobs {DIGITS[0]}", "--jobs is over 4096")
      for command in ("correct", "batch")),
    (f"drop p.csv --replay --orders {DIGITS[0]}", "--orders is over 10000"),
    *((f"correct p.csv --n-resamples auto --tolerance {n}", f"--tolerance is {n}")
      for n in ("nan", "inf", "-inf", "0")),
]  # fmt: skip


@pytest.mark.parametrize(("words", "problem"), REFUSED, ids=lambda text: text[:60])
def test_absurd_values_are_refused(small, run, words, problem):
    one_line(run(*words.split()), problem)


def test_the_largest_numbers_are_taken(small, run):
    assert run("correct", "p.csv", "--n-resamples", "0000064", "--method", "cvt")[0] == 0
    options = ("-o", "r.parquet", *FAST, "--jobs", "1", "--seed", LARGEST_SEED)
    assert run("batch", "p.csv", *options)[0] == 0  # a column of whole numbers holds it


NUMBERS = ("--level", "--fail-under", "--fail-over", "--threshold", "--evaluation-share", "--clip")


@pytest.mark.parametrize("number", ["nan", swept("inf"), swept("-inf")])
@pytest.mark.parametrize("option", daily(NUMBERS, NUMBERS[::2]))
def test_numbers_that_are_none_are_refused(small, run, option, number):
    err = run.refused("correct", "p.csv", option, number)
    assert f"threshold is {number}" in err or f"error: {option} is {number}" in err


OWN = """
from dataclasses import replace
from bbccli import METRICS

def bind(outcome, predictions):
    {body}

M = replace(METRICS["auc"], name="m", bind=bind)
"""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 1 / 0", "ZeroDivisionError: division by zero"),
        swept("raise SystemExit(0)", "SystemExit: 0"),
        ("raise ValueError('two\\n\\nlines')", "ValueError: two lines"),
        swept("raise KeyError", "KeyError"),
    ],
)
@pytest.mark.parametrize("command", ["correct", swept("batch"), swept("drop")])
def test_a_metric_that_fails_is_named_with_its_file(small, run, monkeypatch, body, words, command):
    monkeypatch.delitem(sys.modules, "failing_metric", raising=False)
    (small / "failing_metric.py").write_text(OWN.format(body=body))
    name, said = "failing_metric:M", f"p.csv: the metric failing_metric:M fails: {words} ("
    if command == "batch":
        options = ("-o", "r.csv", *FAST, "--jobs", "1")
        status, out, err = run("batch", "p.csv", "--metric", name, *options)
        assert (status, out) == (5, "")
        assert err.startswith(f"failed: {said}")
        return
    options = FAST if command == "correct" else ("--min-samples", "8")
    found = run(command, "p.csv", "--metric", name, *options)
    one_line(found, said)
    assert "failing_metric.py, line 6)" in found[2]


@pytest.mark.parametrize(
    "text", ["def (", swept("import sys; sys.exit(3)"), swept("1 / 0"), swept("raise KeyError(3)")]
)
def test_a_module_that_can_not_be_imported_is_one_line(small, run, monkeypatch, text):
    monkeypatch.delitem(sys.modules, "broken_metric", raising=False)
    (small / "broken_metric.py").write_text(text)
    found = run("correct", "p.csv", "--metric", "broken_metric:M")
    one_line(found, "cannot import 'broken_metric': ")


@pytest.fixture
def big(small):
    """Write a file with configurations that are ten to the power of 200 large."""

    def write(*names):
        rng = np.random.default_rng(0)
        lines = [f"row_id,fold,truth,{','.join(names)}"]
        for i in range(24):
            a, c = rng.normal(), 1e200 * rng.normal()
            cells = {"a": a, "b": 1e200, "c": c, "d": c / 2}
            lines.append(",".join(map(str, (i, i % 4, rng.normal(), *(cells[n] for n in names)))))
        (small / "big.csv").write_text("\n".join(lines) + "\n")

    return write


@pytest.mark.parametrize("method", ["bbc", swept("all")])
@pytest.mark.parametrize(
    "metric",
    ["rmse", swept("mse"), swept("r2"), "mae", swept("pearson"), swept("explained-variance")],
)
def test_errors_that_overflow_are_quiet(big, run, metric, method):
    big("a", "b", "c")
    options = ("--n-resamples", "50", "--metric", metric, "--method", method, "-q")
    out = run.silent("correct", "big.csv", *options)
    if metric != "explained-variance":  # b is constant, and the truth too small to change that
        assert "\na scored " in out
