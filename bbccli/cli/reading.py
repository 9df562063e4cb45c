"""The options of every command that reads predictions, and what they put in force."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_type_hints

import typer

from bbccli import reading
from bbccli.reading import TIMEOUT, Reading
from bbccli.resources import parse_memory

Command = Callable[..., None]

Timeout = Annotated[
    float,
    typer.Option(metavar="S", help="Seconds that a server may take for each answer."),
]
QuotedNewlines = Annotated[
    bool,
    typer.Option(
        "--quoted-newlines",
        help="Let quoted values of CSV and TSV hold line breaks; else each row is one line, and a "
        "quote that is not closed is an error.",
    ),
]
MaxInput = Annotated[
    str,
    typer.Option(metavar="SIZE", help="Most that one input may hold, unpacked."),
]
LARGEST = "4GiB"

_ADDED = {
    "timeout": (Timeout, TIMEOUT),
    "quoted_newlines": (QuotedNewlines, False),
    "max_input": (MaxInput, LARGEST),
}


def reads_files(command: Command) -> Command:
    """Give a command the options of `Reading`, in force while it runs."""

    @functools.wraps(command)
    def wrapped(
        *arguments: Any,
        timeout: float = TIMEOUT,
        quoted_newlines: bool = False,
        max_input: str = LARGEST,
        **options: Any,
    ) -> None:
        most = parse_memory(max_input, "--max-input")
        with reading.use(Reading(timeout, quoted_newlines, most)):
            command(*arguments, **options)

    hints = get_type_hints(command, include_extras=True)
    hints |= {name: annotation for name, (annotation, _) in _ADDED.items()}
    own = inspect.signature(command).parameters
    parameters = [p.replace(annotation=hints[name]) for name, p in own.items()]
    parameters += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in _ADDED.items()
    ]
    described: Any = wrapped
    described.__signature__ = inspect.Signature(parameters, return_annotation=None)
    described.__annotations__ = hints
    return described  # type: ignore[no-any-return]
