"""A command that has the options of another, so that the two can't drift apart."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any, get_type_hints

import typer

Command = Callable[..., None]


def with_options_of(other: Command, *, without: Collection[str]) -> Callable[[Command], Command]:
    """Give a command the options of another, as keyword arguments in place of its ``**options``.

    Parameters
    ----------
    other
        The command whose options are added after the command's own.
    without
        Names of its parameters that are not.
    """

    def decorate(command: Command) -> Command:
        own = inspect.signature(command).parameters
        hints = get_type_hints(command, include_extras=True)
        parameters = {name: p for name, p in own.items() if p.kind is not p.VAR_KEYWORD}
        their_hints = get_type_hints(other, include_extras=True)
        for name, parameter in inspect.signature(other).parameters.items():
            if (
                name not in without
                and name not in parameters
                and their_hints[name] is not typer.Context
            ):
                parameters[name] = parameter
                hints[name] = their_hints[name]
        typed = [_keyword(p, hints[name]) for name, p in parameters.items()]
        described: Any = command
        described.__signature__ = inspect.Signature(typed, return_annotation=None)
        described.__annotations__ = {name: hints[name] for name in parameters} | {"return": None}
        return command

    return decorate


def _keyword(parameter: inspect.Parameter, annotation: Any) -> inspect.Parameter:
    return parameter.replace(annotation=annotation, kind=inspect.Parameter.KEYWORD_ONLY)
