"""Values of options, checked here and in plain words, whatever typer would say or load."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import typer

from bbccli.cli.values import MisfitError, converted, of_text
from bbccli.errors import OptionError
from bbccli.option import Declared


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
