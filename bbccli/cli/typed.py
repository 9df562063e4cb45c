"""From a `Command` to a command of typer: its parameters, and its help in panels."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import MISSING
from enum import Enum
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from bbccli.cli.check import ChecksHere
from bbccli.cli.command import Command
from bbccli.option import Declared, Panel

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
