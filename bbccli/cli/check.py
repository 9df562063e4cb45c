"""Values of options, wherever they come from, checked here and in plain words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import typer

from bbccli.core.option import Declared
from bbccli.errors import OptionError

_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_SWITCH = dict.fromkeys(("1", "true", "t", "yes", "y", "on"), True)
_SWITCH |= dict.fromkeys(("0", "false", "f", "no", "n", "off"), False)


class MisfitError(Exception):
    """A value does not fit its option; says what would."""


def converted(value: Any, kind: Any, choices: Collection[str] = ()) -> Any:
    """Return a TOML value as the command line takes it.

    Parameters
    ----------
    value
        As `tomllib` gives it.
    kind
        Type of the option: str, int, float, bool, list (of texts), or an Enum.
    choices
        The only values that there are; empty where any may be given.

    Raises
    ------
    MisfitError
        The value is of another type, or not one of the names.
    """
    if kind is list:
        return _texts(value)
    if choices:
        return value if value in choices else _misfit(f"one of: {', '.join(choices)}")
    if isinstance(value, bool) and kind is not bool:  # else 1 in the eyes of Python
        return _misfit(_WORDS.get(kind, _WORDS[str]))
    if kind is float:
        return _number(value)
    if kind in (int, bool):
        return value if isinstance(value, kind) else _misfit(_WORDS[kind])
    # n-resamples = 2000 and memory = "1GB" are both texts for the command line
    return str(value) if isinstance(value, str | int | float) else _misfit(_WORDS[str])


def of_text(text: str, kind: Any) -> Any:
    """Return what a variable says as a file would say it; as it is where it says nothing else."""
    if kind is bool:
        return _SWITCH.get(text.lower(), text)
    if kind is list:
        return text.split()
    try:
        return kind(text) if kind in (int, float) else text
    except ValueError:
        return text


def _texts(value: Any) -> list[str]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise MisfitError("a text, or an array of texts")
    return items


def _number(value: Any) -> Any:
    try:
        return float(value) if isinstance(value, int | float) else _misfit(_WORDS[float])
    except OverflowError:
        return _misfit(_WORDS[float])


def _misfit(words: str) -> Any:
    raise MisfitError(words)


class ChecksHere:
    """Makes a command or a group of typer one whose parameters check their values by `checked`.

    Typer itself would load pydantic, which takes half as long as numpy.
    """

    declared: Mapping[str, Declared] = MappingProxyType({})
    """Options by name; what is not one of them, typer checks where it is given."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with --help among them."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for one in found:
            if "process_value" not in vars(one):
                told = self.declared.get(one.name)
                one.process_value = partial(_processed, one, one.process_value, told)
        return found

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line, in which an option that takes one value stands once."""
        parent: Any = super()
        if not ctx.resilient_parsing:
            _check_once(parent.make_parser(ctx).parse_args(args=list(args))[2], args)
        left: list[str] = parent.parse_args(ctx, args)
        return left


def _check_once(order: Sequence[Any], words: Sequence[str]) -> None:
    """Refuse an option whose last value would win over others, and a switch turned both ways.

    Parameters
    ----------
    order
        The parameters of the words, each as often as it stands there.
    """
    for one in dict.fromkeys(order):
        repeatable = one.param_type_name == "argument" or one.multiple
        if repeatable or order.count(one) == 1:
            continue
        if not one.is_flag:
            raise OptionError(f"{one.opts[0]} is given more than once", hint="give it once")
        ways = [next((w for w in words if w in way), "") for way in (one.opts, one.secondary_opts)]
        if all(ways):
            raise OptionError(f"{' and '.join(ways)} contradict each other", hint="give one")


def _processed(
    parameter: Any, as_typer: Callable[..., Any], option: Declared | None, context: Any, value: Any
) -> Any:
    """Value of a parameter as the command gets it; takes the place of its method."""
    lacking = value is None or value == ()
    if (lacking and parameter.required) or not (lacking or option):
        return as_typer(context, value)
    if not lacking and option is not None:
        try:
            value = checked(value, option)
        except MisfitError as error:
            raise typer.BadParameter(str(error), ctx=context, param=parameter) from error
    return parameter.callback(context, parameter, value) if parameter.callback else value


def checked(given: Any, option: Declared) -> Any:
    """Return a value, from the command line or a default, as the type of its option.

    Raises
    ------
    MisfitError
        It does not fit; says which value and what would.
    BbcError
        It does not fit, in the words of the option's own parser.
    """
    kind, parse = option.kind, option.option.parse
    if kind in (list, tuple, bool) or not isinstance(given, str):
        return given
    if parse is not None:
        return parse(given)
    try:
        value = converted(of_text(given, kind), kind, option.choices)
    except MisfitError as error:
        raise MisfitError(f"{given!r} is not {error}.") from error
    return value if kind is str else kind(value)
