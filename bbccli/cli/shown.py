"""Predictions that are to be shown by the defaults of `bbc correct`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from bbccli.analysis.answer import answer
from bbccli.cli import config
from bbccli.cli.bar import progress_bar
from bbccli.cli.command import typed
from bbccli.cli.correct import correct
from bbccli.cli.pages import exhibit_of, is_result
from bbccli.cli.plot import GATE
from bbccli.core import reading, resources
from bbccli.errors import OptionError
from bbccli.reports.evidence import Exhibit
from bbccli.schema.saved import is_batch, is_table


def are_predictions(files: Sequence[str]) -> bool:
    """Return whether the one file that is named holds predictions.

    Raises
    ------
    OptionError
        Predictions among several files.
    """
    found = [path for path in files if _holds_predictions(path)]
    if found and len(files) > 1:
        raise OptionError(
            f"{found[0]} holds predictions, and is not the only file",
            hint="if they belong together bbc correct FILE... -o report.html, "
            "else bbc batch FILE... -o results.html",
        )
    return bool(found)


def exhibit_of_predictions(ctx: typer.Context, path: str, *, quiet: bool) -> Exhibit:
    """Return what `bbc correct` says of predictions, with the defaults of the project; no gate."""
    held = config.defaults("correct", _config(ctx))
    given = typed(correct).make_context("correct", [path], default_map=held).params
    values = correct.gathered({name: one for name, one in given.items() if name not in GATE})
    asked, limits = values["asked"], values["work"].resources(values["jobs"])
    asked.check()
    with reading.use(values["care"]), resources.use(limits), progress_bar(quiet=quiet) as progress:
        found = answer(asked, [path], cost=None, progress=progress)
        return exhibit_of(asked, [path], found)


def _holds_predictions(path: str) -> bool:
    """Whether a file that is to be shown holds predictions, and not what was saved of them.

    Raises
    ------
    OptionError
        The table of a batch, which holds no whole results.
    """
    exists, suffix = Path(path).exists(), Path(path).suffix.lower()
    if path == "-" or suffix == ".json" or (suffix == ".jsonl" and not exists):
        return False
    if exists and is_table(path) and is_batch(path):
        raise OptionError(
            f"{path} is a table, which holds no whole results", hint="let bbc batch write .jsonl"
        )
    return not is_result(path)


def _config(ctx: typer.Context) -> Path | None:
    """The file with defaults that the command line names."""
    named = ctx.parent.params.get("config_file") if ctx.parent is not None else None
    return None if named is None else Path(named)
