"""The command line: its own options, and the one place that catches errors."""

from __future__ import annotations

import difflib
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from bbccli.cli.command import CONFIGURABLE, Commands, running, source_of
from bbccli.cli.streams import complain, leave
from bbccli.core.local import command
from bbccli.errors import OF_THE_MACHINE, BbcError, OptionError, last_resort
from bbccli.version import __version__

app = typer.Typer(
    name="bbc",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bbc {__version__}")
        raise typer.Exit


def _show_config(ctx: typer.Context, wanted: bool) -> None:
    if not wanted:
        return
    from bbccli.cli import config
    from bbccli.cli.output import style_for_stdout, write
    from bbccli.reports.blocks import BlockTable
    from bbccli.reports.terminal import terminal

    rows = config.holding(ctx.params.get("config_file"))
    table = BlockTable.of_text(("option", "value", "from"), rows)
    write(terminal([table], style_for_stdout()), "-")
    raise typer.Exit


@app.callback()
def bbc(
    ctx: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    config_file: Annotated[
        str | None,
        typer.Option(
            "--config",
            metavar="FILE",
            is_eager=True,
            help="Take defaults from this file, which may name code, and from no other.",
        ),
    ] = None,
    show_config: Annotated[
        bool,
        typer.Option(
            "--show-config",
            callback=_show_config,
            help="Show the effective options and where each comes from.",
        ),
    ] = False,
) -> None:
    """Report an honest performance of a tuned pipeline.

    Trying many configurations and reporting the best one's cross-validated performance is too good
    to be true. bbc corrects it from the out-of-sample predictions; nothing is trained again.

    Options can also be set by variables (BBC_SEED=7) and by a file of the project: bbc.toml, or
    [tool.bbc] in pyproject.toml.
    """
    name = ctx.invoked_subcommand or ""
    if name in CONFIGURABLE:
        from bbccli.cli import config

        ctx.default_map = {name: config.defaults(name, config_file)}


@cache
def program() -> Any:
    """Return the command line as typer runs it."""
    return typer.main.get_command(app)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    0 done; 1 a bug; 2 bad input or options; 3 a gate is missed; 4 a gate is undecided, because what
    it judges can't be computed; 5 some files of a batch have no result; 130 interrupted.
    """
    arguments, output = list(sys.argv[1:] if argv is None else argv), sys.stdout
    running.set(None)
    try:
        with command():
            return int(program().main(arguments, "bbc", standalone_mode=False) or 0)
    except BbcError as error:
        error.sources = _sources()
        return _complained(error)
    except _misuse() as error:
        return _misused(error)
    except SystemExit as done:
        # typer's answer to a pipe that nobody reads, which is not a failure
        return 0 if sys.stdout is not output else int(done.code or 0)
    except OF_THE_MACHINE as error:
        if isinstance(error, OSError) and sys.stdout is not None:
            leave(sys.stdout)
        return _complained(last_resort(error))


def _sources() -> Mapping[str, str]:
    """Return what set the options of a command that no flag has set, by flag."""
    context = running.get()
    names = [name for name in context.params if source_of(name) == "DEFAULT_MAP"] if context else ()
    if not names:
        return {}
    from bbccli.cli import config

    return config.sources(context.info_name, names, context.parent.params["config_file"])


START = """\
bbc: an honest score for the configuration that won your search

Start here
  bbc inspect FILE                 is my file understood?
  bbc correct FILE                 what should I expect of the winner?
  bbc correct FILE -o page.html    the same, as a page to send
  bbc explain                      which number do I report?
Then
  compare, plan, drop, leaderboard           ask more of the same file
  batch, gate, report, plot                  many files, CI, pages, figures
  convert, simulate, methods, metrics, schema

bbc --help lists the commands, bbc COMMAND --help explains one."""
"""What `bbc` alone says."""

RENAMED = {
    ("bbc drop", "--threshold"): "--confidence 0.99 drops above a confidence, --cut 0.5 cuts scores"
}
"""What is said of options that had another name, by command."""


def _misused(error: Any) -> int:
    """Complain in one line; in another name the nearest option, or where all are listed."""
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(START if error.ctx.parent is None else str(error), err=True)
        return OptionError.status
    known = getattr(error, "possibilities", None) or ()
    context = getattr(error, "ctx", None)
    program = "bbc" if context is None else context.command_path
    if hint := RENAMED.get((program, getattr(error, "option_name", ""))):
        return _complained(OptionError(" ".join(error.format_message().split()), hint=hint))
    near = difflib.get_close_matches(getattr(error, "option_name", ""), known, n=1)
    problem = getattr(error, "message", "") if near else error.format_message()
    hint = f"did you mean {near[0]}?" if near else f"{program} --help"
    asked = re.match(r"No such command '(.+)'", str(problem))
    if asked and program == "bbc" and (Path(asked[1]).exists() or Path(asked[1]).suffix):
        hint = f"bbc correct {shlex.quote(asked[1])}"
    return _complained(OptionError(" ".join(str(problem).split()), hint=hint))


def _complained(error: BbcError) -> int:
    complain(error)
    return error.status


def _misuse() -> type[Exception]:
    """Return the class of all that typer finds wrong with a command line.

    The class is that of click or of the copy of it in typer, as the version of typer has it.
    """
    return next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
