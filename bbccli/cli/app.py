"""The top-level command, and the one place that catches errors."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from bbccli.cli import complain, leave
from bbccli.cli.command import COMMANDS, CONFIGURABLE, Commands, origin_of, running
from bbccli.errors import OF_THE_MACHINE, BbcError, OptionError, last_resort, nearest
from bbccli.platform.guarded_files import inputs_recorded
from bbccli.version import __version__

app = typer.Typer(
    name="bbc",
    cls=Commands,
    no_args_is_help=True,
    suggest_commands=False,
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
    from bbccli.reports.content import BlockTable
    from bbccli.reports.forms.terminal import terminal

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
            help=(
                "Read defaults from this file only. (Only a file named here may point to Python "
                "code.)"
            ),
        ),
    ] = None,
    show_config: Annotated[
        bool,
        typer.Option(
            "--show-config",
            callback=_show_config,
            help="Show the value of every option and where it comes from.",
        ),
    ] = False,
) -> None:
    """Get an honest score for the winner of a model search.

    The cross-validated score of the best of many configurations is too good to be true. bbc
    corrects it, using the out-of-sample predictions; nothing is trained again.

    Options can also be set by environment variables (BBC_SEED=7) and in a file of the project:
    bbc.toml, or [tool.bbc] in pyproject.toml.
    """
    name = ctx.invoked_subcommand or ""
    if name in CONFIGURABLE:
        from bbccli.cli import config

        ctx.default_map = {name: config.defaults(name, config_file)}


@cache
def program() -> Any:
    """Return the typer program."""
    return typer.main.get_command(app)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    0 success; 1 a bug; 2 bad input or options; 3 a gate failed; 4 a gate is undecided: its
    figure can't be computed; 5 some files of a batch have no result; 130 interrupted.
    """
    arguments, output = list(sys.argv[1:] if argv is None else argv), sys.stdout
    running.set(None)
    try:
        with inputs_recorded():
            return int(program().main(arguments, "bbc", standalone_mode=False) or 0)
    except BbcError as error:
        error.sources = _sources()
        complain(error, _flag_of(error))
        return error.status
    except _misuse() as error:
        return _misused(error, arguments)
    except SystemExit as done:
        # typer exits so if nobody reads the pipe, which is not a failure
        return 0 if sys.stdout is not output else int(done.code or 0)
    except OF_THE_MACHINE as error:
        if isinstance(error, OSError) and sys.stdout is not None:
            leave(sys.stdout)
        return _complained(last_resort(error))


def _sources() -> Mapping[str, str]:
    """Return the source of each option set by neither a flag nor its default, by flag."""
    context = running.get()
    names = [name for name in context.params if origin_of(name) == "DEFAULT_MAP"] if context else ()
    if not names:
        return {}
    from bbccli.cli import config

    return config.sources(context.info_name, names, context.parent.params["config_file"])


def _flag_of(error: BbcError) -> str:
    """Return a hint: the option that takes a word which was given as a file; empty if none does."""
    context, word = running.get(), getattr(error, "path", "")
    if context is None or "no such file" not in error.problem:
        return ""
    declared = context.command.declared
    for d in declared.values():
        if not d.option.positional and word in (d.choices or d.known):
            return f"did you mean --{d.key} {word}?"
    given = [context.params[name] for name, d in declared.items() if d.option.positional]
    files = [path for paths in given if isinstance(paths, list | tuple) for path in paths]
    unlike = word in files[1:] and Path(word).suffix not in ("", Path(files[0]).suffix)
    if unlike and "output" in context.params and origin_of("output") != "COMMANDLINE":
        return f"did you mean --output {word}?"
    return ""


START = """\
bbc: an honest score for the configuration that won your search

Start here
  bbc inspect FILE                 is my file understood?
  bbc correct FILE                 what can I expect of the winner?
  bbc correct FILE -o page.html    the same, as a page to share
  bbc explain                      which number do I report?
Then
  compare, plan, drop, leaderboard           answer more questions about it
  batch, gate, report, plot                  many files, CI, pages, figures
  vault                                      rows that the search never sees
  convert, simulate, methods, metrics, schema

bbc --help lists the commands, bbc COMMAND --help explains one."""
"""Output of `bbc` alone."""

RENAMED = {
    ("bbc plan", "--rows"): "did you mean --samples?",
    ("bbc drop", "--threshold"): "--confidence 0.99 sets the confidence, --cut 0.5 cuts scores",
}
"""Hints for options that had another name, or might have it, by command."""


def _misused(error: Any, arguments: Sequence[str]) -> int:
    """Report a misuse in one line; the hint is the nearest option, or where to list them."""
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(START if error.ctx.parent is None else str(error), err=True)
        return OptionError.status
    known = getattr(error, "possibilities", None) or ()
    context = getattr(error, "ctx", None)
    program = " ".join(["bbc", *(argument for argument in arguments[:1] if argument in COMMANDS)])
    program = program if context is None else context.command_path
    name = getattr(error, "option_name", "")
    # without the dashes, which make short names alike
    bare = {flag.lstrip("-"): flag for flag in known}
    import difflib
    import shlex

    near = difflib.get_close_matches(name.lstrip("-"), bare, n=1)
    problem = error.message if known else error.format_message()
    hint = RENAMED.get((program, name)) or getattr(error, "hint", "")
    hint = hint or (f"did you mean {bare[near[0]]}?" if near else "")
    outer = getattr(context, "parent", None)
    if outer is not None and type(error).__name__ == "NoSuchOption":
        page = " -o report.html" * (program == "bbc report")
        where = {"": f"bbc {name} ... {program[4:]} ..."}
        where |= {place: f"bbc {place} FILE {name} ...{page}" for place in COMMANDS}
        for place in () if (program, name) in RENAMED else where:
            command = outer.command.get_command(outer, place) or outer.command
            if any(name in one.opts for one in command.params):
                hint = where[place]
                break
    hint = hint or f"{program} --help"
    asked = re.fullmatch(r"No such command (['\"])(.+)\1\.", str(problem))
    if asked and program == "bbc":
        is_file = Path(asked[2]).exists() or Path(asked[2]).suffix
        quoted = shlex.quote(asked[2])
        hint = f"bbc correct {quoted}" if is_file else nearest(asked[2], COMMANDS, hint)
    return _complained(OptionError(" ".join(str(problem).split()), hint=hint))


def _complained(error: BbcError) -> int:
    complain(error)
    return error.status


def _misuse() -> type[Exception]:
    """Return the base class of typer's usage errors.

    It comes from click or from typer's copy of it, depending on the version of typer.
    """
    return next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
