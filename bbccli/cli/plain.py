"""Values on the command line that don't fit their option, refused in plain words."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from typing import Any, get_args, get_type_hints

import typer
from typer.models import OptionInfo

from bbccli.cli.settings import kind_of
from bbccli.cli.values import MisfitError, converted, of_text


def in_plain_words(command: Callable[..., None]) -> None:
    """Have the numbers and choices of a command checked here, so that errors don't vary by typer.

    An option with a parser of its own keeps it.
    """
    hints = get_type_hints(command, include_extras=True)
    for name in inspect.signature(command).parameters:
        info = next((i for i in get_args(hints[name])[1:] if isinstance(i, OptionInfo)), None)
        if info is None or info.parser is not None:
            continue
        kind = kind_of(hints[name])
        if kind in (int, float):
            info.parser = _parser(kind)
        elif isinstance(kind, type) and issubclass(kind, Enum):
            names = [member.value for member in kind]
            info.parser = _parser(kind)
            info.metavar = info.metavar or f"<{'|'.join(names)}>"
            info.autocompletion = info.autocompletion or _starting(names)


def _parser(kind: Any) -> Callable[[Any], Any]:
    def parse(given: Any) -> Any:
        if isinstance(given, kind):
            return given
        try:
            return kind(converted(of_text(str(given), kind), kind, None))
        except MisfitError as error:
            raise typer.BadParameter(f"{given!r} is not {error}.") from error

    return parse


def _starting(names: list[str]) -> Callable[[str], list[str]]:
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]
