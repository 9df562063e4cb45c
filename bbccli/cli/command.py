"""A command: a function whose parameters are options, or groups of them; typer runs it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, is_dataclass
from enum import Enum
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from bbccli.cli.check import ChecksHere
from bbccli.core import reading
from bbccli.core.option import Declared, Panel, declared, options_of
from bbccli.core.reading import Reading


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


WIDEST = 24
"""Columns of an option next to its help; a longer one gets its own line."""

HELP_NAMES = {"help_option_names": ["-h", "--help"]}


class PanelledCommand(ChecksHere, TyperCommand):
    """A command whose help has a section for each panel."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command, and keep its context, which knows where the values come from."""
        if ctx.obj is not None:
            ctx.obj.append(ctx)
        return super().invoke(ctx)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows the name: options, then arguments."""
        shown = [one for one in self.get_params(ctx) if one.param_type_name == "argument"]
        return ["[OPTIONS]", *(str(a.metavar if a.required else f"[{a.metavar}]") for a in shown)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options panel by panel."""
        sections: dict[str, list[Any]] = {"Arguments": [], **{panel.value: [] for panel in Panel}}
        for one in self.get_params(ctx):
            parameter: Any = one
            if one.param_type_name == "argument":
                sections["Arguments"].append((parameter.metavar, parameter.help))
            else:
                panel = parameter.rich_help_panel or Panel.COMMON.value
                sections[panel].append(parameter.get_help_record(ctx))
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records, col_max=WIDEST)


def typed(command: Command) -> TyperCommand:
    """Return the command of typer that checks the options of a command and runs it."""

    def run(**values: Any) -> None:
        command(values.pop("context", None), **values)

    described: Any = run
    described.__doc__ = _as_help(command.function.__doc__ or "")
    parameters = [_parameter(one) for one in command.options.values()]
    if command.context is not None:
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter("context", keyword, annotation=typer.Context))
    described.__signature__ = inspect.Signature(parameters, return_annotation=None)
    described.__annotations__ = {one.name: one.annotation for one in parameters}
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(command.name, cls=PanelledCommand, context_settings=HELP_NAMES)(described)
    built: Any = typer.main.get_command(app)
    built.declared = command.options
    return built  # type: ignore[no-any-return]


def _as_help(text: str) -> str:
    """Docstring of a command with its examples in lines of their own."""
    words, title, examples = inspect.cleandoc(text).partition("Examples:\n")
    lines = [f"  {line.strip()}" for line in examples.splitlines() if line.strip()]
    # \b asks for no new line breaks
    return words + "\n".join(["\b", title.strip(), *lines] if title else [])


def _parameter(option: Declared) -> inspect.Parameter:
    """Return the parameter of a function by which typer knows an option."""
    told: Any = typer.Argument if option.option.positional else typer.Option
    flags = () if option.option.positional else option.option.flags or (f"--{option.key}",)
    shown = told(
        *flags,
        help=_help(option),
        metavar=option.option.metavar or "|".join(option.choices) or None,
        rich_help_panel=option.option.panel.value,
        autocompletion=_completing(lambda: option.choices or option.known),
        show_default=False,
    )
    required = option.default is MISSING
    kind = {list: list[str], bool: bool, tuple: tuple[str, str]}.get(option.kind, str)
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if required else option.default,
        annotation=Annotated[kind if required or kind is bool else kind | None, shown],
    )


def _help(option: Declared) -> str:
    words = option.option.default or _shown(option.default)
    text = option.option.help
    if "{names}" in text:
        text = text.format(names=", ".join(option.known))
    return f"{text} [default: {words}]" if words else text


def _shown(default: Any) -> str:
    if isinstance(default, bool) or default is None or default is MISSING:
        return ""
    return str(default.value if isinstance(default, Enum) else default)


def _completing(known: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return what completes a word of the shell to a known value."""
    return lambda incomplete: [name for name in known() if name.startswith(incomplete)]
