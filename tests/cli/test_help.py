"""The help of every command: what is needed every day first, and nothing that is not so."""

import json
import re
from itertools import combinations

import pytest
from day import swept

from bbccli import METHODS, METRICS
from bbccli.cli.command import COMMANDS, command_named
from bbccli.documents.correct import SCHEMA_VERSION
from bbccli.methods import DEFAULT_METHODS

SCREEN = 40
"""Lines of a terminal."""


def help_of(run, name):
    """The whole help."""
    text = run.silent(name, "--help")
    return run.silent(name, "--help-all") if "--help-all" in text else text


def panels(text):
    """Text under each title."""
    parts = re.split(r"^([A-Z][\w ]+):\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_everyday_options_are_on_the_first_screen(run, name):
    text = help_of(run, name)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    short = run.silent(name, "--help")
    assert len(short.splitlines()) <= SCREEN
    assert text.startswith(short.rstrip("\n"))
    assert ("--help-all" in short) == (short != text)


def test_panels_stand_in_one_order_in_every_command(run):
    orders = [list(panels(help_of(run, name))) for name in COMMANDS]
    pairs = {pair for titles in orders for pair in combinations(titles, 2)}
    assert len(pairs) > 20
    assert not {pair[::-1] for pair in pairs} & pairs


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_stands_in_its_panel_once(run, name):
    found = panels(help_of(run, name))
    for option in command_named(name).options.values():
        if not option.option.positional:
            flag = option.option.flags[0].split("/")[0] if option.option.flags else None
            wanted = flag or f"--{option.key}"
            lines = [
                title
                for title, text in found.items()
                if re.search(rf"^  (-\w, )?{wanted}(?![\w-])", text, re.M)
            ]
            assert lines == [option.option.panel], wanted


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_is_the_first_line_of_the_help(name):
    summary = (command_named(name).function.__doc__ or "").splitlines()[0]
    assert COMMANDS[name][1] == summary


def test_the_list_of_commands_cuts_nothing(run):
    out = run("--help")[1]
    assert [line for line in out.splitlines() if line.endswith("...")][1:] == []
    for name, (_, summary) in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(summary)}$", out, re.M)


def test_the_default_methods_are_those_of_the_registry():
    told = command_named("correct").options["method"].option.default
    always, many = re.split(r"; from \d+ folds on also ", told)
    assert (*always.split(", "), many) == DEFAULT_METHODS


def test_dropping_knows_no_outer_folds(run):
    assert "outer_fold" not in command_named("drop").options
    assert "No such option: --outer-fold" in run.refused("drop", "p.csv", "--outer-fold", "outer")


@pytest.mark.parametrize(("command", "registry"), [("methods", METHODS), swept("metrics", METRICS)])
class TestCatalogue:
    @pytest.mark.parametrize("width", [60, swept(80)])
    def test_each_in_its_group_within_the_width(self, run, monkeypatch, command, registry, width):
        monkeypatch.setenv("COLUMNS", f"{width}")
        lines = run(command)[1].splitlines()
        assert max(map(len, lines)) <= width
        shown = re.findall(r"^  (\S+) +(\S.*(?:\n {6,}\S.*)*)", "\n".join(lines), re.M)
        assert sorted(name for name, _ in shown) == sorted(registry)
        for name, summary in shown:
            assert " ".join(summary.split()) == registry[name].summary
        titles = [line for line in lines if line and not line.startswith(" ")]
        assert len(titles) == len(set(titles)) > 2

    def test_json(self, run, command, registry):
        found = json.loads(run.printed(command, "--format", "json"))
        assert [one["name"] for one in found] == list(registry)
        for one in found:
            assert one["source"] == registry[one["name"]].reference

    @pytest.mark.sweep
    def test_one_in_full(self, run, command, registry):
        for name, one in registry.items():
            words = " ".join(run.printed(command, name).split())
            assert " ".join(run.printed("explain", name).split()).startswith(words)
            assert words.startswith(f"{command[:-1]} {name} ") and one.summary in words
            assert one.reference in words
            assert json.loads(run(command, name, "--format", "json")[1])["summary"] == one.summary

    def test_another_name(self, run, command, registry):
        name = next(reversed(registry))
        assert run.refused(command, f"{name}x").splitlines()[1] == f"hint: did you mean {name}?"


def test_facts_of_the_record_are_on_the_screen(run):
    text = " ".join(run.printed("methods", "tt").split())
    for fact in ("gives point", "needs folds", "default run where it fits, unless"):
        assert fact in text
    assert "in tables" not in text and "default" not in run.printed("methods", "bbc-632")
    assert "in tables .632 gives" in " ".join(run.printed("methods", "bbc-632").split())
    for name, values in (("auc", "0 to 1; higher"), ("rmse", "0 or more; lower")):
        assert f"values {values} is better" in " ".join(run.printed("metrics", name).split())
    assert "values 1 or less; higher" in " ".join(run.printed("metrics", "r2").split())


@pytest.mark.parametrize(
    ("argv", "hint"),
    [
        (("methods", "nonsense"), "bbc methods lists all names"),
        swept(("explain", "xyzzy"), "bbc explain lists all names"),
        swept(("methods", "AUC"), "bbc explain auc"),
        swept(("metrics", "winners-differ"), "bbc explain winners-differ"),
        swept(("methods", "bootstrap"), "bbc, bbc-f, tilting, "),
        swept(("methods", "auroc"), "bbc explain auc"),
        (("metrics", "sensitivity"), "did you mean recall?"),
        swept(("explain", "mean_squared_error"), "did you mean mse?"),
        swept(("metrics", "harmonic"), "f1 may be what you mean; "),
        swept(("metrics", "neg_log_los"), "did you mean neg-log-loss?"),
    ],
)
def test_hints_for_what_is_not_known(run, argv, hint):
    assert f"\nhint: {hint}" in run.refused(*argv)


def test_schema(run):
    assert json.loads(run.printed("schema"))["title"] == SCHEMA_VERSION
