"""Options that take one value stand once; the last of several would win without a word."""

import pytest
from day import COMMANDS_BY_DAY, daily, swept

from bbccli.cli.command import COMMANDS, command_named, typed

FILE = "p.csv"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = (f"{i % 2},{i % 4},0.{i % 7}1,0.{i * 3 % 9}2" for i in range(40))
    (tmp_path / FILE).write_text("truth,fold,a,b\n" + "\n".join(rows) + "\n")


@pytest.mark.parametrize(
    ("argv", "flag"),
    [
        (("correct", FILE, "--seed=1", "--metric", "auc", "--seed", "1"), "--seed"),
        swept(("correct", FILE, "-o", "a.json", "--output", "b.json"), "--output"),
        swept(("correct", FILE, "-oa.json", "-o", "b.json"), "--output"),
        swept(("compare", FILE, "--pair", "a", "b", "--pair", "b", "a"), "--pair"),
        swept(("--config", "a.toml", "--config", "b.toml", "correct", FILE), "--config"),
    ],
)
def test_the_last_value_does_not_win(run, tmp_path, argv, flag):
    before = set(tmp_path.iterdir())
    assert run.refused(*argv) == f"error: {flag} is given more than once\nhint: give it only once\n"
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("both", [("--guard", "--no-guard"), ("--no-guard", "--guard")])
def test_a_switch_is_not_turned_both_ways(run, both):
    assert (
        run.refused("correct", FILE, *both)
        == "error: --guard and --no-guard contradict each other\nhint: give one\n"
    )


def test_what_says_the_same_twice_is_taken(run):
    quick = ("--n-resamples", "40", "--method", "cvt", "--method", "bbc")
    assert run("correct", FILE, *quick, "-q", "--quiet", "--guard", "--guard")[0] == 0
    assert run("correct", FILE, *quick, "--only", "a", "--only", "b", "-qq")[0] == 0


def test_a_value_that_looks_like_a_switch_is_none(run):
    err = run("correct", FILE, "--only", "--no-guard", "--guard")[2]
    assert "contradict" not in err and "no configuration" in err


def test_the_command_line_wins_over_what_is_set(run, monkeypatch, tmp_path):
    (tmp_path / "bbc.toml").write_text("seed = 1\nguard = false\n")
    monkeypatch.setenv("BBC_SEED", "2")
    argv = ("--seed", "3", "--guard", "--n-resamples", "40", "--method", "bbc", "--format", "json")
    status, out, _ = run("correct", FILE, *argv)
    assert (status, '"seed": 3' in out, '"guard": true' in out) == (0, True, True)


@pytest.mark.parametrize("name", daily(COMMANDS, COMMANDS_BY_DAY))
def test_no_option_of_any_command_is_left_out(run, name):
    for one in typed(command_named(name)).params:
        if one.param_type_name == "argument" or one.multiple or one.is_flag:
            continue
        words = [one.opts[0], *["x"] * one.nargs]
        err = run(name, *words, *words)[2]
        assert err.startswith(f"error: {one.opts[0]} is given more than once"), err
