"""Commands: functions whose parameters are options or groups of them; typer runs them."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import MISSING, is_dataclass
from enum import Enum
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from bbccli.errors import OptionError, nearest
from bbccli.platform import resources
from bbccli.platform.arguments import ByName, Declared, MisfitError, Panel, declared, options_of
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import Reading

COMMANDS = {
    "correct": ("correct", "Correct the winner's performance for its selection."),
    "batch": ("batch", "Correct many files, and collect the results in one table."),
    "drop": ("drop", "Show which configurations need no further training."),
    "leaderboard": ("leaderboard", "Rank all configurations, and correct the winner's score."),
    "compare": ("compare", "Show the confidence set of the best, or if A beats B."),
    "plan": ("plan", "Show how many samples and configurations a study needs."),
    "simulate": ("simulate", "Simulate predictions with known true performances."),
    "inspect": ("inspect", "Show how files are understood, and what is wrong with them."),
    "vault": ("vault", "Keep rows back from a search, and count each look."),
    "convert": ("convert", "Convert predictions to the wide or the long layout."),
    "report": ("pages", "Make an HTML page of predictions or saved results."),
    "plot": ("pages", "Draw a figure of a result or of predictions."),
    "gate": ("gate", "Check saved results against a threshold; exit 3 if one fails."),
    "explain": ("explain", "Explain a method, metric, test, choice, note or result."),
    "methods": ("registries", "List the methods, or show everything about one."),
    "metrics": ("registries", "List the metrics, or show everything about one."),
    "schema": ("registries", "Print the JSON Schema of what --format json writes."),
}
"""Module and summary of each command."""

CONFIGURABLE = (
    *("correct", "batch", "drop", "leaderboard", "compare", "plan", "inspect", "convert", "plot"),
    "gate",
)
"""Commands whose options a project can set."""


@dataclass(frozen=True, slots=True)
class Command:
    """A function that the command line runs.

    Attributes
    ----------
    function
        Takes options one by one, or in groups: dataclasses whose fields are options.
    groups
        Parameters of the function that are groups, with the options of each.
    options
        All options by name, those of a group in its place.
    reads
        True if the options of `Reading` belong to it too and are in force while it runs.
    """

    function: Callable[..., None]
    groups: Mapping[str, tuple[type, frozenset[str]]]
    options: Mapping[str, Declared]
    reads: bool

    @property
    def name(self) -> str:
        """Name on the command line."""
        return self.function.__name__

    def __call__(self, **given: Any) -> None:
        """Run the function on the values of options, grouped as it expects."""
        values = self.gathered(given)
        with resources.use_reading(values.pop("care")) if self.reads else nullcontext():
            self.function(**values)

    def gathered(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of options, grouped as the function expects."""
        values = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in given.items()
        }
        for parameter, (group, names) in self.groups.items():
            values[parameter] = group(
                **{name: values.pop(name) for name in names if name in values}
            )
        return values


def command(
    *, without: Iterable[str] = (), reads: bool = False
) -> Callable[[Callable[..., None]], Command]:
    """Decorate a function as a command; options in `without` are hidden and keep their defaults."""
    left_out = frozenset(without)

    def decorate(function: Callable[..., None]) -> Command:
        groups: dict[str, tuple[type, frozenset[str]]] = {}
        options: dict[str, Declared] = {}
        parameters = dict(inspect.signature(function, eval_str=True).parameters)
        if reads:
            keyword = inspect.Parameter.KEYWORD_ONLY
            parameters["care"] = inspect.Parameter("care", keyword, annotation=Reading)
        for name, parameter in parameters.items():
            hint = parameter.annotation
            if isinstance(hint, type) and is_dataclass(hint):
                kept = {n: o for n, o in options_of(hint).items() if n not in left_out}
                groups[name] = (hint, frozenset(kept))
                options |= kept
            else:
                default = MISSING if parameter.default is parameter.empty else parameter.default
                options[name] = declared(name, hint, default)
        return Command(function, groups, options, reads)

    return decorate


def command_named(name: str) -> Command:
    """Import and return a command."""
    made: Command = getattr(import_module(f"bbccli.cli.{COMMANDS[name][0]}"), name)
    return made


class ChecksHere:
    """Mixin for typer's commands and groups whose options check their own values.

    typer itself would import pydantic, which takes half as long as numpy.
    """

    declared: Mapping[str, Declared] = MappingProxyType({})
    """Options by name; typer checks the values of all other parameters."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, including --help."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if "process_value" not in vars(parameter):
                declared = self.declared.get(parameter.name)
                parameter.process_value = partial(
                    _processed, parameter, parameter.process_value, declared
                )
        return parameters

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; an option with a single value may be given only once."""
        parent: Any = super()
        if not ctx.resilient_parsing:
            _check_once(parent.make_parser(ctx).parse_args(args=list(args))[2], args)
        left: list[str] = parent.parse_args(ctx, args)
        return left


def _check_once(order: Sequence[Any], words: Sequence[str]) -> None:
    """Refuse repeated single-valued options and contradictory switches, from words in `order`."""
    for given in dict.fromkeys(order):
        repeatable = given.param_type_name == "argument" or given.multiple
        if repeatable or order.count(given) == 1:
            continue
        if not given.is_flag:
            raise OptionError(f"{given.opts[0]} is given more than once", hint="give it only once")
        spellings = given.opts, given.secondary_opts
        ways = [next((w for w in words if w in way), "") for way in spellings]
        if all(ways):
            raise OptionError(f"{' and '.join(ways)} contradict each other", hint="give one")


def _processed(
    parameter: Any, as_typer: Callable[..., Any], option: Declared | None, context: Any, value: Any
) -> Any:
    """Convert the value of a parameter for the command; replaces typer's method."""
    lacking = value is None or value == ()
    if (lacking and parameter.required) or not (lacking or option):
        return as_typer(context, value)
    if isinstance(value, str) and option is not None and option.kind not in (list, tuple, bool):
        try:
            value = option.parse_text(value)
        except MisfitError as error:
            text = f"{value!r} is not {error}."
            wrong: Any = typer.BadParameter(text, ctx=context, param=parameter)
            wrong.hint = _nearest_value(option, value)
            raise wrong from error
    return parameter.callback(context, parameter, value) if parameter.callback else value


def _nearest_value(option: Declared, value: str) -> str:
    """Return a hint: the number that a percentage or a decimal comma means, or a near choice."""
    if option.choices:
        near = nearest(value, option.choices, " ")
        return near.strip()
    number = re.fullmatch(r"(\d+(?:[.,]\d+)?) ?(%?)", value)
    if option.kind is not float or number is None:
        return ""
    share = float(number[1].replace(",", ".")) / (100 if number[2] else 1)
    return f"--{option.key} {share:g}"


running: ContextVar[Any] = ContextVar("running", default=None)
"""Context of the running command, which knows where its values come from."""


def origin_of(name: str) -> str:
    """Return where a value of the command comes from: COMMANDLINE, DEFAULT_MAP or DEFAULT."""
    source = running.get().get_parameter_source(name)
    return str(source.name) if source else ""


WIDEST = 24
"""Width of the option column in the help; a longer option gets a line of its own."""

HYPHEN = "\u2011"
"""Stands for hyphens while help is wrapped, so that no name is broken at one."""

HELP_NAMES = {"help_option_names": ["-h", "--help"]}


class PanelledCommand(ChecksHere, TyperCommand):
    """A command whose help is divided into panels."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command, and keep its context; refuse first a wrong date of pages."""
        running.set(ctx)
        if os.environ.get("SOURCE_DATE_EPOCH"):
            from bbccli.platform.arguments import day

            day()  # numpy reads the variable too, and fails with a traceback
        return super().invoke(ctx)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the usage after the name: options, then arguments."""
        shown = [param for param in self.get_params(ctx) if param.param_type_name == "argument"]
        return ["[OPTIONS]", *(str(a.metavar if a.required else f"[{a.metavar}]") for a in shown)]

    def get_help(self, ctx: Any) -> str:
        """Return the help, in which no name is broken at a hyphen."""
        return super().get_help(ctx).replace(HYPHEN, "-")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then options by panel; only the common ones if there are many."""
        sections: dict[str, list[Any]] = {"Arguments": [], **{panel.value: [] for panel in Panel}}
        parameter: Any
        for parameter in self.get_params(ctx):
            if parameter.param_type_name == "argument":
                sections["Arguments"].append((parameter.metavar, parameter.help))
            else:
                panel = parameter.rich_help_panel or Panel.COMMON.value
                sections[panel].append(parameter.get_help_record(ctx))
        has_more = any(param.name == HELP_ALL for param in self.get_params(ctx))
        if has_more and HELP_ALL not in ctx.meta:
            sections = {title: sections[title] for title in ("Arguments", Panel.COMMON.value)}
        for title, records in sections.items():
            if records:
                whole = [(name, (text or "").replace("-", HYPHEN)) for name, text in records]
                with formatter.section(title):
                    formatter.write_dl(whole, col_max=WIDEST)


class Commands(ChecksHere, TyperGroup):
    """The group of all commands, listed without importing any."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(
            **settings | {"commands": ByName(COMMANDS, lambda name: typed(command_named(name)))}
        )

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands in order."""
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a line for each command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


def typed(command: Command) -> TyperCommand:
    """Return the typer command that checks the options of a command and runs it."""

    def run(**values: Any) -> None:
        values.pop(HELP_ALL, None)
        command(**values)

    described: Any = run
    described.__doc__ = _as_help(command.function.__doc__ or "")
    parameters = [_parameter(option) for option in command.options.values()]
    special = sum(option.option.panel is not Panel.COMMON for option in command.options.values())
    if special > MOST_SPECIAL:
        parameters.append(_HELP_ALL)
    described.__signature__ = inspect.Signature(parameters, return_annotation=None)
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(command.name, cls=PanelledCommand, context_settings=HELP_NAMES)(described)
    built: Any = typer.main.get_command(app)
    built.declared = command.options
    return built  # type: ignore[no-any-return]


def _help_all(ctx: typer.Context, wanted: bool) -> None:
    if wanted:
        ctx.meta[HELP_ALL] = True
        typer.echo(ctx.get_help())
        raise typer.Exit


HELP_ALL = "help_all"
"""Name of the option that shows all options, for commands with many."""

MOST_SPECIAL = 12
"""From this many special options the short help leaves them out."""

SHOW_ALL = "Show all options."

_HELP_ALL = inspect.Parameter(
    HELP_ALL,
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool,
        typer.Option("--help-all", callback=_help_all, is_eager=True, help=SHOW_ALL),
    ],
)


def _as_help(text: str) -> str:
    """Format a docstring as help, with each example on a line of its own."""
    words, title, examples = inspect.cleandoc(text).partition("Examples:\n")
    lines = [f"  {line.strip()}" for line in examples.splitlines() if line.strip()]
    # \b switches off rewrapping
    return words + "\n".join(["\b", title.strip(), *lines] if title else [])


def _parameter(option: Declared) -> inspect.Parameter:
    """Return an option as a function parameter for typer."""
    make: Any = typer.Argument if option.option.positional else typer.Option
    flags = () if option.option.positional else option.option.flags or (f"--{option.key}",)
    choices = option.choices
    shown = make(
        *flags,
        help=_help(option),
        metavar=option.option.metavar or "|".join(choices) or None,
        rich_help_panel=option.option.panel.value,
        autocompletion=None
        if option.option.names is None and not choices
        else lambda incomplete: [n for n in choices or option.known if n.startswith(incomplete)],
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
