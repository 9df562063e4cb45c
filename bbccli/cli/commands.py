"""Which commands there are; each is imported only when it is run or asked about."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from typer.core import TyperGroup

from bbccli.cli.check import ChecksHere
from bbccli.core.arguments import ByName

if TYPE_CHECKING:
    from typer.core import TyperCommand

    from bbccli.cli.command import Command

COMMANDS = {
    "correct": ("correct", "Correct the winner's performance for having been selected."),
    "batch": ("batch", "Correct many files, and gather the results in one table."),
    "drop": ("drop", "Show which configurations need no further training."),
    "leaderboard": ("leaderboard", "Show all configurations, best first; nothing is corrected."),
    "compare": ("compare", "Show which may be the best, or if the winner beats another."),
    "plan": ("plan", "Show how many rows and configurations a study needs."),
    "simulate": ("simulate", "Write predictions whose true performances are known."),
    "inspect": ("inspect", "Show how the files are understood, and what is wrong with them."),
    "convert": ("convert", "Write predictions in the wide or the long layout."),
    "report": ("report", "Make one page of predictions or saved results."),
    "plot": ("plot", "Draw one figure of a result, or of predictions."),
    "gate": ("gate", "Judge saved results: exit with 3 if one is not good enough."),
    "explain": ("explain", "Explain a method, a metric, a note, or which number to report."),
    "methods": ("registries", "List the methods, or show everything about one."),
    "metrics": ("registries", "List the metrics, or show everything about one."),
    "schema": ("registries", "Print the JSON Schema of what `--format json` writes."),
}
"""Module and summary of each command."""

CONFIGURABLE = (
    *("correct", "batch", "drop", "leaderboard", "compare", "plan", "inspect", "convert", "plot"),
    "gate",
)
"""Commands whose options a project can set."""


def command_named(name: str) -> Command:
    """Return a command; its module is imported."""
    found: Command = getattr(import_module(f"bbccli.cli.{COMMANDS[name][0]}"), name)
    return found


def _built(name: str) -> TyperCommand:
    from bbccli.cli.command import typed

    return typed(command_named(name))


class Commands(ChecksHere, TyperGroup):
    """The group of all commands, which tells of them without importing any."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings | {"commands": ByName(COMMANDS, _built)})

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands in their order."""
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a line for each command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])
