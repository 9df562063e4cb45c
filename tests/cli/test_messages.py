"""Messages: two short lines, whatever is in them and whatever went wrong."""

import ast
import errno
import re
from pathlib import Path

import pytest
from day import swept
from experiments import TINY

import bbccli
from bbccli import BbcError, errors
from bbccli.cli.command import COMMANDS

PACKAGE = Path(bbccli.__file__).parent
TWO_LINES = re.compile(r"error: [^\n]{1,1000}\nhint: [^\n]{1,1000}\n")
NASTY = "evil\x1b[31m\u202etxt\u2028x"
SHOWN = r"evil\x1b[31m\u202etxt\u2028x"


def raised():
    """Every construction of an error, with its file and line."""
    names = {n for n, kind in vars(errors).items() if isinstance(kind, type)} - {"Any"}
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text()
        if not any(f"{name}(" in text for name in names):
            continue
        for node in ast.walk(ast.parse(text)):
            name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if name in names and name.endswith("Error"):
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}", node


def test_every_error_has_a_hint():
    found = list(raised())
    assert len(found) > 150
    for place, node in found:
        (hint,) = [k.value for k in node.keywords if k.arg == "hint"] or [None]
        assert hint is not None, place
        assert not (isinstance(hint, ast.Constant) and not hint.value), place


@pytest.mark.parametrize(
    ("argv", "problem", "hint"),
    [
        (("correct",), "Missing argument 'FILE...'", "bbc correct --help"),
        swept(
            ("correct", "p.csv", "--metrc", "auc"),
            "No such option: --metrc",
            "did you mean --metric",
        ),
        swept(("nope",), "No such command 'nope'", "bbc --help"),
        swept(("corect", "p.csv"), "No such command 'corect'", "hint: did you mean correct?"),
        swept(("it's.csv",), "No such command", """bbc correct 'it'"'"'s.csv'"""),
        (("inspect", "p.csv", "-o", "r.html"), ".html", "pages are what bbc correct"),
        swept(("leaderboard", "p.csv", "-o", "r.xyz"), ".xyz", "in .txt, for the table"),
        swept(("correct", "p.csv", "--seed"), "'--seed' requires an argument", "--help"),
        swept(("correct", "p.csv", "--level", "95%"), "is not a number", "hint: --level 0.95"),
        (("correct", "p.csv", "--method", "BBC"), "'BBC'", "did you mean bbc?"),
        swept(
            ("plan", "p.csv", "--rows", "9"), "No such option: --rows", "did you mean --samples?"
        ),
        swept(
            ("report", "p.csv", "--exclude", "a"),
            "No such option: --exclude",
            "hint: bbc correct FILE --exclude ... -o report.html",
        ),
        swept(("report", "r.json", "--quiet=3"), "does not take a value", "bbc report --help"),
        (
            ("inspect", "p.csv", "--metric", "auc"),
            "No such option",
            "bbc correct FILE --metric ...",
        ),
        (("compare", "p.csv", "--tight"), "No such option", "hint: bbc correct FILE --tight ..."),
        (("correct", "p.csv", "--config", "a"), "No such option", "bbc --config ... correct ..."),
        (("explain", "correct"), "nothing is called 'correct'", "bbc correct --help"),
        swept(("report", "p.csv", "-o", "r.pdf"), "not the name of a page", ".html"),
        swept(("methods", "a\x1b[31m"), r"a\x1b[31m", ""),
        swept(("correct", "p.csv", "--" + "x" * 5000), "No such option", ""),
    ],
    ids=lambda value: None,
)
def test_usage_errors_have_the_same_form(run, folder, argv, problem, hint):
    err = run.refused(*argv)
    assert TWO_LINES.fullmatch(err), err
    first, second = err.splitlines()
    assert problem in first
    assert hint in second


def test_bbc_alone_says_where_to_start(run):
    status, out, err = run()
    assert (status, out) == (2, "")
    assert "bbc correct FILE " in err and max(map(len, err.splitlines())) <= 80
    named = re.findall(r"\b[a-z]+\b", err.partition("Then")[2]) + re.findall(r"bbc ([a-z]+)", err)
    assert set(COMMANDS) - {"batch"} <= set(named)


@pytest.mark.parametrize(
    ("argv", "flag"),
    [
        (("plot", "roc", "p.csv", "-o", "x.vl.json"), "--kind roc"),
        (("correct", "auc"), "--metric auc"),
        (("plan", "bbc.csv"), None),
        (("compare", "mcnemar", "p.csv"), "--test mcnemar"),
        (("drop", "anova"), "--rule anova"),
        (("correct", "p.csv", "r.json"), "--output r.json"),
        (("correct", "p.csv", "r.json", "-o", "x.json"), None),
        (("correct", "p.csv", "q.csv"), None),
    ],
)
def test_a_name_in_the_place_of_a_file_gets_its_option(run, folder, argv, flag):
    hint = run.refused(*argv).splitlines()[1]
    assert (hint == f"hint: did you mean {flag}?") == (flag is not None)


@pytest.mark.parametrize("suffix", ["json", "jsonl", "csv"])
def test_results_are_not_taken_for_predictions(run, tmp_path, suffix):
    (tmp_path / "p.csv").write_text(TINY)
    path = tmp_path / f"r.{suffix}"
    options = ("--metric", "accuracy", "--method", "cvt", "-q")
    assert run("correct", tmp_path / "p.csv", *options, "-o", path)[0] == 0
    assert "holds a result of bbc, not predictions" in run.refused("correct", path)


def test_a_name_with_a_blank_is_quoted_in_a_hint(run, tmp_path):
    (tmp_path / "p.csv").write_text("Patient ID,truth,a\nA 1,x,0.1\nB 2,y,0.4\n")
    said = run.refused("correct", tmp_path / "p.csv")
    assert "hint: give --row-id 'Patient ID' if that is right" in said


def test_a_table_without_a_truth_may_hold_scores(run, tmp_path):
    (tmp_path / "s.csv").write_text("item,model,score\n1,a,1\n2,a,0\n")
    assert "--task score if each cell" in run.refused("correct", tmp_path / "s.csv")


def test_several_experiments_are_for_a_batch(run, samples):
    err = run.refused("correct", samples / "progression.parquet", samples / "digits.parquet")
    assert "bbc batch" in err


@pytest.mark.parametrize(
    ("name", "meant"),
    [("svm C=1.0", "svm C=1"), ("SVM  c=1e1", "svm C=10"), ("svm C=3", "svm C=1")],
)
def test_names_are_near_by_their_meaning(name, meant):
    assert errors.nearest(name, ["svm C=100", "svm C=10", "svm C=1"]) == f"did you mean {meant}?"


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (MemoryError(), "out of memory"),
        swept(RecursionError("maximum"), "the input is nested too deeply"),
        swept(OSError(errno.ENOSPC, "No space left on device", "x"), "x: No space left on device"),
        swept(OSError(errno.EMFILE, "Too many open files"), "Too many open files"),
        swept(FileNotFoundError(errno.ENOENT, "No such"), "the current folder no longer exists"),
        swept(UnicodeEncodeError("ascii", "\u00e8", 0, 1, "ordinal"), "text can't be encoded"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_a_machine_refuses_is_one_error_of_a_command_and_of_a_file(
    run, folder, monkeypatch, error, problem
):
    def broken(*_, **__):
        raise error

    monkeypatch.setattr("bbccli.use_cases.correct.estimate", broken)
    err = run.refused("correct", "p.csv")
    assert err.startswith(f"error: {problem}")
    assert TWO_LINES.fullmatch(err)
    status, _, err = run("batch", "p.csv", "-o", "r.csv", "--jobs", "1")
    assert status == 5
    assert f"failed: p.csv: {problem}" in err
    assert "bug" not in (folder / "r.csv").read_text()


class TestNames:
    """Of files, columns and values."""

    def test_a_file(self, run, folder):
        err = run.refused("correct", f"{NASTY}.csv")
        assert err.startswith(f"error: {SHOWN}.csv: matches no file\n")  # for it has a [
        assert TWO_LINES.fullmatch(err)

    def test_a_column_and_a_value(self, run, folder):
        (folder / "n.csv").write_text(TINY.replace("b\n", f"{NASTY}\n", 1).replace("0.99", NASTY))
        err = run.refused("correct", "n.csv")
        assert err.splitlines()[0].isprintable()
        assert r"\x1b[31m" in err
        assert TWO_LINES.fullmatch(err)

    def test_a_long_value(self, run, folder):
        (folder / "n.csv").write_text(TINY.replace("0.99", "x" * 50_000))
        err = run.refused("correct", "n.csv")
        assert TWO_LINES.fullmatch(err)
        assert "column 'b', line 2" in err

    def test_in_lists(self, run, folder):
        (folder / "n.csv").write_text(TINY.replace("a,b\n", f"{NASTY},b\n", 1))
        out = run.printed("drop", "n.csv", "--list", "keep", "--min-samples", "1")
        assert SHOWN in out.splitlines()

    @pytest.mark.parametrize("form", ["csv", "table", "markdown"])
    def test_in_results(self, run, folder, form):
        (folder / "n.csv").write_text(TINY.replace("a,b\n", f"{NASTY},c{NASTY}\n", 1))
        status, out, err = run("correct", "n.csv", "--method", "cvt", "--format", form)
        assert status == 0, err
        assert all(c.isprintable() or c in "\r\n" for c in out + err)
        assert "x1b" in out

    def test_in_a_list_of_files(self, run, folder):
        (folder / f"{NASTY}.csv").write_text(TINY)
        status, out, _ = run("batch", "evil*.csv", "-o", "r.csv", "--dry-run")
        assert (status, out) == (0, f"do\t{SHOWN}.csv\n")


def test_an_error_is_made_safe_where_it_is_made():
    error = BbcError("a\nb https://me:pw@h/?t=1" + "x" * 2000, hint="c\x07")
    assert error.problem.startswith(r"a\nb https://***@h/?t=***")
    assert (len(error.problem) <= 1000, str(error) == error.problem) == (True, True)
    assert error.hint == r"c\x07"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("pred.parquet", "preds.parquet"),
        ("preds.csv", "preds.parquet"),
        ("PREDS.parquet", "preds.parquet"),
        ("x.parquet", None),  # though all files end alike
    ],
)
def test_a_file_that_is_not_there_is_told_by_its_name(run, tmp_path, given, meant):
    for name in ("preds.parquet", "m2_gaps.parquet"):
        (tmp_path / name).touch()
    hint = "check the path" if meant is None else f"did you mean {tmp_path / meant}?"
    assert run.refused("correct", tmp_path / given).endswith(f": no such file\nhint: {hint}\n")
