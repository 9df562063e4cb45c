"""The command line: which commands there are, and the one place that catches errors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from bbccli.cli.catalogue import methods, metrics, schema
from bbccli.cli.convert import convert
from bbccli.cli.correct import correct
from bbccli.cli.inspect import inspect
from bbccli.cli.output import complain
from bbccli.errors import BbcError
from bbccli.version import __version__

app = typer.Typer(
    name="bbc",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (correct, inspect, convert, methods, metrics, schema):
    app.command()(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bbc {__version__}")
        raise typer.Exit


@app.callback()
def bbc(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Report an honest performance of a tuned pipeline.

    Trying many configurations and reporting the best one's cross-validated performance is too good
    to be true. bbc corrects it from the out-of-sample predictions; nothing is trained again.
    """


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    0 done; 1 a bug; 2 bad input or options; 130 interrupted.
    """
    try:
        app(args=list(sys.argv[1:] if argv is None else argv), prog_name="bbc")
    except BbcError as error:
        complain(error)
        return 2
    except SystemExit as done:
        return int(done.code or 0)
    return 0
