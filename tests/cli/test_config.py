"""Defaults of a project: flag, then environment, then file, then the default of bbc."""

import json
import os
import re
from pathlib import Path

import pytest
from day import swept
from experiments import TINY

from bbccli.cli.command import CONFIGURABLE, command_named


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("BBC_")]:
        monkeypatch.delenv(name)
    inner = tmp_path / "project" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    (inner / "p.csv").write_text(TINY)
    monkeypatch.chdir(inner)
    return tmp_path / "project"


@pytest.fixture
def plan(run):
    def of(*argv):
        return run.document("correct", "p.csv", "--method", "cvt", *argv)["plan"]

    return of


OURS, THEIRS = "[tool.bbc]\n", "[project]\nname = 'bbc-study'\n"
NEAR, FAR = "deep/pyproject.toml", "pyproject.toml"


@pytest.mark.parametrize(
    ("files", "variables", "flags", "expected"),
    [
        ({}, {}, (), {"seed": 0}),
        ({FAR: f"{OURS}seed = 1\nn-resamples = 30\n"}, {}, (), {"seed": 1, "n_resamples": 30}),
        ({"bbc.toml": "seed = 1\nlevel = 0.9"}, {"SEED": "2"}, (), {"seed": 2, "level": 0.9}),
        ({"bbc.toml": "seed = 1"}, {"SEED": "2"}, ("--seed", "0"), {"seed": 0}),
        ({"bbc.toml": "seed = 1"}, {"SEED": ""}, (), {"seed": 1}),
        ({"bbc.toml": "seed = 1", NEAR: f"{OURS}seed = 2"}, {}, (), {"seed": 2}),
        ({"bbc.toml": "seed = 1", NEAR: THEIRS}, {}, (), {"seed": 1}),
        ({"bbc.toml": "seed = 1", FAR: f"{OURS}seed = 2"}, {}, (), {"seed": 1}),
        ({FAR: "[tool.other\n"}, {}, (), {"seed": 0}),
        ({FAR: "[project]\nx = [" + "1.5, " * 99 + f"]\n{OURS}seed = 3\n"}, {}, (), {"seed": 3}),
        ({"bbc.toml": "\ufeffseed = 3\n"}, {}, (), {"seed": 3}),
        ({FAR: f"{OURS}seed = 1\nlevel = 0.9\n[tool.bbc.correct]\nseed = 2\n"}, {}, (),
         {"seed": 2, "level": 0.9}),
        ({"bbc.toml": "correct.seed = 1"}, {"SEED": "2"}, (), {"seed": 2}),
        ({"bbc.toml": "correct.seed = 1"}, {"SEED": "2", "CORRECT_SEED": "3"}, (), {"seed": 3}),
        ({}, {"FAIL_UNDR": ""}, (), {"seed": 0}),
        ({}, {"RULE": "bbcd", "CONFIDENCE": "0.9", "LIST": "drop", "REPLAY": "0", "ENGINE":
              "numpy", "ON_ERROR": "stop", "GATE_FORMAT": "json"}, (), {"seed": 0}),
    ],
)  # fmt: skip
def test_which_default_holds(plan, folder, monkeypatch, files, variables, flags, expected):
    """Flag, environment, file; of files the nearest, bbc.toml before pyproject.toml."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name, text in variables.items():
        monkeypatch.setenv(f"BBC_{name}", text)
    found = plan(*flags)
    assert {name: found[name] for name in expected} == expected


def test_a_switch_can_be_turned_off(run, folder, monkeypatch):
    (folder / "bbc.toml").write_text("quiet = true\n")
    argv = ("correct", "p.csv", "--method", "cvt", "--format", "json")
    assert run(*argv)[2] == ""
    monkeypatch.setenv("BBC_QUIET", "0")
    assert run(*argv)[2].startswith("read: ")


def test_a_gate_of_the_project(run, folder):
    (folder / "pyproject.toml").write_text('[tool.bbc]\nfail-under = 1\ngate_method = "bbc"\n')
    assert run("correct", "p.csv", "--n-resamples", "40", "-o", "r.json", "-q")[0] == 3
    assert run("gate", "r.json")[0] == 3
    assert run("gate", "r.json", "--fail-under", "0.01")[0] == 0
    (folder / "pyproject.toml").write_text("[tool.bbc]\nfail-under = -1\n")
    assert "--fail-under is -1: every result meets it" in run.refused("gate", "r.json")


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("sed = 1", "unknown key 'sed'", "did you mean seed?"),
        swept("seed = '1'", "seed is '1'", "an integer"),
        swept("seed = true", "seed is true", "an integer"),
        swept("level = 'high'", "level is 'high'", "a number"),
        ("format = 'yaml'", "format is 'yaml'", "table, json"),
        swept("side = true", "side is true", "two, lower"),
        swept(f"level = 1{'0' * 400}", "level is 1000", "a number"),
        swept("truth = 2020-01-01", "truth is", "text"),
        swept("method = 1", "method is 1", "array of texts"),
        ("quiet = 1", "quiet is 1", "true or false"),
        swept("output = 'x'", "unknown key 'output'", "a single run"),
        swept("strict = true", "unknown key 'strict'", 'use missing = "error"'),
        swept("[corect]\nseed = 1", "unknown table [corect]", "did you mean correct?"),
        ("[tool.bbc]\nseed = 1", "unknown table [tool]", "leave out tool.bbc before keys"),
        ("bbc.drop.seed = 1", "unknown table [bbc]", "leave out tool.bbc before keys"),
        swept("drop = 1", "drop is not a table", "[drop]"),
        ("[drop]\nlevel = 0.9", "unknown key 'drop.level'", ""),
        swept("[drop]\nn-resamples = 'x'", "drop.n-resamples is 'x'", "an integer"),
        swept("seed =", "at line 1", "defaults"),
    ],
)
def test_what_does_not_fit_is_one_error(run, folder, text, problem, hint):
    (folder / "bbc.toml").write_text(f"{text}\n")
    first, second = run.refused("correct", "p.csv").splitlines()
    assert first.startswith(f"error: {folder / 'bbc.toml'}: ")
    assert problem.lower() in first.lower()
    assert hint in second


@pytest.mark.parametrize(
    "text",
    [
        "tool = {black = {}, bbc = {fail-under = -1}}",
        "tool.bbc.fail-under = -1",
        "[ tool . 'bbc' ]\nfail-under = -1",
        "\ufeff[tool]\nx = 1\nbbc.fail-under = -1",
        "['tool']\nbbc = {fail-under = -1}",
    ],
)
def test_a_table_in_every_spelling(run, folder, text):
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    assert "fail_under" in run.refused("correct", "p.csv").replace("-", "_")


def test_a_project_that_only_depends_on_it_is_not_parsed(run, folder):
    (folder / "pyproject.toml").write_text("[project]\ndependencies = ['bbccli']\n[tool.ruff\n")
    assert "pyproject.toml" not in run.refused("correct", "absent.csv")


@pytest.mark.parametrize("head", ["", "[tool.bbc]\n"], ids=["bbc.toml", "pyproject.toml"])
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("n-resamples = 10\nn_resamples = 20", "n-resamples is set twice"),
        swept("a." * 100_000 + "b = 1", "it is nested too deeply"),
        ("drop." + "'a' . " * 100_000 + "b = 1", "it is nested too deeply"),
        swept("metric = " + "[" * 100_000, "it is nested too deeply"),
        ("".join(f"k{i} = 1\n" for i in range(10**5)), "it is over 1 MiB"),
        swept('"\\u001b[2J" = 1', r"unknown key '\x1b[2J'"),
    ],
    ids=["twice", "deep", "deep-quoted", "deep-array", "long", "escape"],
)
def test_a_hostile_file_is_one_error_at_once(run, folder, head, text, problem):
    name = "pyproject.toml" if head else "bbc.toml"
    (folder / name).write_text(head + text)
    err = run.refused("correct", "p.csv", "--method", "cvt")
    assert err.startswith(f"error: {folder / name}: {problem}")
    assert len(err.splitlines()) == 2


@pytest.mark.parametrize("make", [Path.mkdir, lambda place: place.symlink_to("none.toml")])
def test_a_bbc_toml_that_is_no_file_is_not_passed_over(run, folder, make):
    """It may hold a gate."""
    make(folder / "bbc.toml")
    err = run.refused("correct", "p.csv", "--method", "cvt")
    assert err.startswith(f"error: {folder / 'bbc.toml'}: not a regular file\n")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("pyproject.toml", b"[tool]\nbbc = 3\n", "tool.bbc is not a table"),
        ("pyproject.toml", b"[tool.BBC]\nfail-under = 0.99\n", "hint: write [tool.bbc]"),
        ("bbc.toml", b"seed = \xff", "bbc.toml"),
    ],
)
def test_a_file_that_sets_nothing_is_not_passed_over(run, folder, name, text, said):
    (folder / name).write_bytes(text)
    assert said in run.refused("correct", "p.csv")


def test_commands_without_settings_do_not_read_the_file(run, folder):
    (folder / "bbc.toml").write_text("nonsense\n")
    assert run("methods")[0] == 0


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("SEED", "many", "an integer"),
        swept("LEVEL", "high", "a number"),
        swept("SIDE", "left", "two, lower"),
        swept("FORMAT", "yaml", "table, json"),
        swept("QUIET", "perhaps", "true or false"),
    ],
)
def test_a_variable_that_does_not_fit_is_named(run, monkeypatch, name, text, hint):
    monkeypatch.setenv(f"BBC_{name}", text)
    first, second = run.refused("correct", "p.csv").splitlines()
    assert first == f"error: BBC_{name} in the environment is {text!r}"
    assert hint in second


def test_variables_that_fit_are_taken(run, monkeypatch):
    for name, text in {
        "SEED": "5", "LEVEL": "0.9", "SIDE": "lower", "FORMAT": "jsonl", "QUIET": "yes",
        "METHOD": "cvt bbc", "N_RESAMPLES": "20", "METRIC": "auc",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"BBC_{name}", text)
    found = json.loads(run.silent("correct", "p.csv"))
    assert (found["plan"]["seed"], found["plan"]["side"]) == (5, "lower")
    assert [e["method"] for e in found["estimates"]] == ["cvt", "bbc"]


def test_show_config_says_what_holds_and_from_where(run, folder, monkeypatch):
    (folder / "bbc.toml").write_text('seed = 1\nmetric = ["auc", "accuracy"]\n')
    monkeypatch.setenv("BBC_JOBS", "3")
    out = run.silent("--show-config")
    rows = {
        line.split()[0]: " ".join(line.split()[1:]) for line in out.splitlines() if line[0] != " "
    }
    assert rows["jobs"] == "3 environment, BBC_JOBS"
    assert rows["level"] == "0.95 default"
    assert rows["seed"].startswith("1 /")
    assert "auc accuracy" in out
    assert str(folder / "bbc.toml") in re.sub(r"\s+", "", out)


def test_show_config_shows_every_setting_by_the_name_of_its_option(run):
    out = run("--show-config")[1]
    shown = {line.split()[0] for line in out.splitlines()} - {"option"}
    assert shown >= {"list", "replay", "seed", "drop.n-resamples", "threshold", "gate.format"}
    assert not [name for name in shown if name.endswith("-")]
    named = [(name, one) for name in CONFIGURABLE for one in command_named(name).options.values()]
    every = [(name, one.key, one.option.scope) for name, one in named if not one.option.positional]
    own = {f"{name}.{key}" for name, key, scope in every if scope == "command"}
    assert shown == own | {key for _, key, scope in every if scope == "shared"}


class TestByCommand:
    """A name that means two things is set by command."""

    @pytest.fixture
    def dropped(self, run, samples):
        def of(*argv):
            path = samples / "progression.parquet"
            return run.document("drop", path, *argv)["decision"]

        return of

    @pytest.mark.sweep
    def test_a_cut_of_scores_is_no_confidence(self, dropped, folder, monkeypatch):
        before = dropped()
        (folder / "bbc.toml").write_text("threshold = 0.3\nn-resamples = 30\nformat = 'csv'\n")
        monkeypatch.setenv("BBC_THRESHOLD", "0.2")
        assert dropped() == before

    @pytest.mark.sweep
    def test_a_table_of_the_command(self, dropped, folder, monkeypatch):
        (folder / "bbc.toml").write_text("threshold = 0.3\nconfidence = 0.6\n")
        assert dropped()["threshold"] == 0.6
        monkeypatch.setenv("BBC_CONFIDENCE", "0.7")
        assert dropped()["threshold"] == 0.7
        assert dropped("--confidence", "0.8")["threshold"] == 0.8

    @pytest.mark.parametrize("text", ["['accuracy', 'auc']", "'accuracy'"])
    def test_of_several_metrics_the_first_decides(self, dropped, folder, text):
        (folder / "bbc.toml").write_text(f"metric = {text}\n")
        assert dropped()["metric"] == "accuracy"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("BBC_FAIL_UNDR", "did you mean BBC_FAIL_UNDER?"),
        swept("BBC_DROP_N_RESAMPLS", "did you mean BBC_DROP_N_RESAMPLES?"),
        swept("BBC_XYZZY", "unset it; see the options with bbc --show-config"),
        swept("BBC_OUTPUT", "--output is for a single run: give it on the command line"),
    ],
)
def test_an_unknown_variable_is_an_error(run, monkeypatch, name, hint):
    monkeypatch.setenv(name, "0.95")
    for argv in (["correct", "p.csv"], ["gate", "r.json"], ["--show-config"]):
        assert (
            run.refused(*argv)
            == f"error: {name} in the environment sets no option of bbc\nhint: {hint}\n"
        )


def asked(line):
    """The variables by which bash asks how a line goes on."""
    words = str(len(line.split(" ")) - 1)
    return {"_BBC_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": words}


class TestCompletion:
    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("bbc ga", ["gate"]),
            swept("bbc correct --fail-", ["--fail-under", "--fail-over", "--fail-on"]),
            swept("bbc correct --metric youd", ["youden"]),
            swept("bbc correct --format js", ["json", "jsonl"]),
            swept("bbc gate r.json --gate-on ", ["bound", "estimate"]),
        ],
    )
    def test_names_of_the_registries(self, run, monkeypatch, line, words):
        for name, value in asked(line).items():
            monkeypatch.setenv(name, value)
        status, out, err = run()
        assert (status, out.split(), err) == (0, words, "")
