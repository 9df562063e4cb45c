"""A command: a function whose parameters are options, or groups of them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, is_dataclass
from typing import Any

import typer

from bbccli import reading
from bbccli.option import Declared, declared, options_of
from bbccli.reading import Reading


@dataclass(frozen=True, slots=True)
class Command:
    """What the command line runs.

    Attributes
    ----------
    function
        Takes options one by one, or in groups: dataclasses whose fields are options.
    groups
        Parameters of the function that are groups, with the options in each.
    options
        All options by name: those of the groups stand where the group does.
    context
        Parameter that takes the context of typer, if there is one.
    """

    function: Callable[..., None]
    groups: Mapping[str, tuple[type, frozenset[str]]]
    options: Mapping[str, Declared]
    context: str | None

    @property
    def name(self) -> str:
        """Name on the command line."""
        return self.function.__name__

    def __call__(self, context: Any = None, /, **given: Any) -> None:
        """Run the function on the values of options; those of groups are put together."""
        values = self.gathered(given)
        if self.context is not None:
            values[self.context] = context
        self.function(**values)

    def gathered(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of options, those of groups put together."""
        values = {name: _tuple(value) for name, value in given.items()}
        for parameter, (group, names) in self.groups.items():
            values[parameter] = group(
                **{name: values.pop(name) for name in names if name in values}
            )
        return values


def command(*, without: Iterable[str] = ()) -> Callable[[Callable[..., None]], Command]:
    """Make a command of a function.

    Parameters
    ----------
    without
        Options of its groups that the command does not have; they keep their defaults.
    """
    left_out = frozenset(without)

    def decorate(function: Callable[..., None]) -> Command:
        groups: dict[str, tuple[type, frozenset[str]]] = {}
        options: dict[str, Declared] = {}
        context = None
        for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
            hint = parameter.annotation
            if hint is typer.Context:
                context = name
            elif isinstance(hint, type) and is_dataclass(hint):
                own = {n: one for n, one in options_of(hint).items() if n not in left_out}
                groups[name] = (hint, frozenset(own))
                options |= own
            else:
                default = MISSING if parameter.default is parameter.empty else parameter.default
                found = declared(name, hint, default)
                if found is not None:
                    options[name] = found
        return Command(function, groups, options, context)

    return decorate


def reads_files(function: Callable[..., None]) -> Callable[..., None]:
    """Give a function the options of `Reading`, which are in force while it runs."""

    @functools.wraps(function)
    def careful(*, care: Reading, **values: Any) -> None:
        with reading.use(care):
            function(**values)

    own = inspect.signature(function, eval_str=True).parameters.values()
    added = inspect.Parameter("care", inspect.Parameter.KEYWORD_ONLY, annotation=Reading)
    described: Any = careful
    described.__signature__ = inspect.Signature([*own, added])
    return careful


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
