"""The help of every command: what is needed every day first, and nothing that is not so."""

import re

import pytest

from bbccli.cli.command import COMMANDS, command_named
from bbccli.core.option import Panel
from bbccli.methods import DEFAULT_METHODS
from bbccli.methods.registry import ENOUGH_FOLDS

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
    assert max(map(len, lines)) <= 90  # an example may be long
    titles = [title for title in panels(text) if title in list(Panel)]
    assert titles == [panel for panel in Panel if panel in titles]
    short = run.silent(name, "--help")
    assert len(short.splitlines()) <= SCREEN + 5 * (name in ("batch", "plan"))
    assert text.startswith(short.rstrip("\n"))
    assert ("--help-all" in short) == (short != text)


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
    always, _, many = told.partition(f"; with {ENOUGH_FOLDS} folds or more also ")
    assert (*always.split(", "), many) == DEFAULT_METHODS


def test_drop_names_its_rules(run):
    from bbccli.dropping import RULES

    assert f"Rule that decides: {', '.join(RULES)}, all." in re.sub(
        r"\s+", " ", help_of(run, "drop")
    )


def test_dropping_knows_no_outer_folds(run):
    assert "outer_fold" not in command_named("drop").options
    assert "No such option: --outer-fold" in run.refused("drop", "p.csv", "--outer-fold", "outer")
