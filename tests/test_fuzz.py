"""The fuzz driver: cases that once failed, some new ones, and faults that it must see."""

import json

import pytest
from day import daily, swept
from fuzz import logs, trees
from fuzz.case import CORPUS, Case, Link, read_case
from fuzz.commands import make
from fuzz.oracle import _faults, faults
from fuzz.run import Outcome

CASE = Case(("correct", "p.csv", "-q", "--format", "json"), {"p.csv": b"truth,a\n"})
REFUSAL = "error: p.csv: no rows\nhint: one row per sample\n"


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.json")), ids=lambda path: path.stem)
def test_corpus(path):
    assert faults(read_case(path)) == []


@pytest.mark.parametrize("first", daily(range(0, 100, 20), [0]))
def test_new_cases(first):
    """Among them warnings, which here are errors."""
    for number in range(first, first + 20):
        assert faults(make(20, number)) == [], number


@pytest.mark.parametrize("first", daily(range(0, 70, 10), [0]))
def test_new_cases_of_folders(first):
    """What is read of a harmed run is refused or told, where it is another than before."""
    for number in range(first, first + 10):
        assert faults(trees.make(20, number), twice=False) == [], number


@pytest.mark.parametrize("first", daily(range(0, 70, 10), [0]))
def test_new_cases_of_logs(first):
    """What is read of mutated logs is a matrix, or refused in words."""
    for number in range(first, first + 10):
        assert faults(logs.make(20, number), twice=False) == [], number


def test_an_error_that_escapes_from_logs_is_a_fault(monkeypatch):
    def broken(path):
        raise TypeError(path)

    monkeypatch.setattr(logs, "read", broken)
    assert any("an error escapes" in one for one in faults(Case(("read", "logs"), {})))


@pytest.mark.parametrize("command", ["simulate", swept("plan"), swept("compare"), swept("schema")])
def test_new_cases_of_a_command(command):
    for number in range(15):
        assert faults(make(21, number, command)) == [], number


def harmed(tree, changes, arguments=("read", "run")):
    return Case(arguments, changes, tree)


def test_what_is_a_fault_of_a_folder(monkeypatch):
    """A reader that leaves a model out, or a check that passes everything, is seen."""
    own = "run/3_DecisionTree/predictions_out_of_folds.csv"
    header, *rows = trees.tree_of("mljar")[own].decode().splitlines()
    targets, values = zip(*(row.split(",") for row in rows), strict=True)
    turned = [f"{one},{two}" for one, two in zip(targets, values[1:] + values[:1], strict=True)]
    case = harmed("mljar", {own: "\n".join([header, *turned]).encode()})
    assert faults(case) == []
    assert trees.unharmed("mljar").n_checked == 10
    monkeypatch.setattr(trees, "verified", lambda matrix: matrix)
    assert any("scores checked in place of 10" in one for one in faults(case))


def test_a_case_of_a_folder_comes_back_as_it_was_saved(tmp_path):
    changes = {"run/params.json": None, "run/x": Link("/dev/zero"), "run/y.npy": b"\xff"}
    case, path = harmed("mljar", changes), tmp_path / "case.json"
    path.write_text(case.saved("a reason"))
    assert read_case(path) == case
    assert "run/params.json" not in case.placed
    assert case.placed["run/leaderboard.csv"] == trees.tree_of("mljar")["run/leaderboard.csv"]


def test_a_case_comes_back_as_it_was_saved(tmp_path):
    case = Case(("correct", "p.csv"), {"p.csv": b"truth,a\n", "p.parquet": b"PAR1\xff\x00"})
    path = tmp_path / "case.json"
    path.write_text(case.saved("a reason"))
    assert read_case(path) == case


def test_the_same_number_is_the_same_case():
    assert make(5, 77) == make(5, 77)
    assert len({make(5, number).arguments for number in range(50)}) > 25


def result(value, lower=0.5, method="bbc", codes=()):
    estimate = {"method": method, "metric": "auc", "value": value}
    estimate |= {"notes": [{"code": code} for code in codes]}
    return json.dumps({"estimates": [estimate | {"interval": {"lower": lower, "upper": 1.0}}]})


@pytest.mark.parametrize(
    ("seen", "fault"),
    [
        (Outcome(0, result(0.75), "", {}), None),
        swept(Outcome(2, "", REFUSAL, {}), None),
        swept(Outcome(1, "", "", {}, "Traceback ..."), "escapes"),
        swept(Outcome(1, "", "", {}), "exit status 1"),
        swept(Outcome(0, result(1.5), "", {}), "out of its bounds"),
        swept(Outcome(0, result(1.5, method="tt"), "", {}), "out of its bounds"),
        swept(Outcome(0, result(1.5, method="tt", codes=["beyond-bounds"]), "", {}), None),
        (Outcome(0, result(0.75, -0.1), "", {}), "out of its bounds"),
        swept(Outcome(0, '{"estimates": [{"value": NaN}]}', "", {}), "no JSON"),
        swept(Outcome(0, result(0.75), "note: something\n", {}), "not quiet"),
        swept(
            Outcome(0, result(0.75), "m.py:1: RuntimeWarning: overflow\n", {}),
            "more than a message",
        ),
        swept(Outcome(2, "", REFUSAL, {"o.json": b"{}"}), "but wrote"),
        swept(Outcome(2, "{", REFUSAL, {}), "but printed"),
        swept(Outcome(2, "", "error: p.csv: no rows\n", {}), "other words"),
        (Outcome(2, "", REFUSAL.replace("no rows", "n" * 1100), {}), "too long"),
    ],
)
def test_what_is_a_fault(seen, fault):
    found = list(_faults(CASE, seen))
    assert bool(found) == (fault is not None), found
    assert fault is None or any(fault in one for one in found)
