"""Options, declared on the fields that they set; the command line is derived from them.

A group of options is a dataclass with fields made by `option`; a parameter of a command is
annotated with an `Option`:

    level: float = option(0.95, "Level of the intervals.", "P")
    jobs: Annotated[int, Option("Threads.", "N")] = 1
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, fields
from enum import Enum, StrEnum
from functools import cache
from importlib import import_module
from typing import Any, Union, get_args, get_origin, get_type_hints

from bbccli.platform import plugins
from bbccli.platform.dataclass import dataclass

LARGEST = sys.float_info.max
_WORDS = {str: "text", int: "an integer", float: "a number", bool: "true or false"}
_SWITCH = dict.fromkeys(("1", "true", "t", "yes", "y", "on"), True)
_SWITCH |= dict.fromkeys(("0", "false", "f", "no", "n", "off"), False)


class Panel(StrEnum):
    """Sections of a command's help, in order; everyday options come first."""

    COMMON = "Common options"
    COLUMNS = "Columns of the files"
    INPUT = "Input"
    METHOD = "Method"
    INTERVAL = "Interval"
    GATE = "Gate"
    OUTPUT = "Output"
    RESOURCES = "Resources"


class Scope(StrEnum):
    """Commands to which a project's default of an option applies."""

    SHARED = "shared"
    """Every command that has the option."""
    COMMAND = "command"
    """One command: the option means something else in others."""
    RUN = "run"
    """None: the option names files of one run, or is short for another."""


@dataclass(frozen=True, slots=True)
class Option:
    """Help, completion and checks of an option.

    Parameters
    ----------
    help
        One or two short sentences; `{names}` stands for the known values.
    metavar
        Placeholder for the value in the help; None shows the choices.
    panel
        Section of the help.
    flags
        Names on the command line; by default that of the field.
    names
        Returns the known values, from a registry that is imported only then.
    open
        True if values other than `names` are accepted; those are checked where they are used.
    group
        Entry points whose names are accepted too.
    parse
        Converts the text of a value; raises a `BbcError` that says what is wrong with it.
    default
        Description of the default, if it is not a plain value.
    scope
        Commands to which a project's default applies.
    positional
        True for an argument without a flag.
    """

    help: str
    metavar: str | None = None
    panel: Panel = Panel.COMMON
    flags: tuple[str, ...] = ()
    names: Callable[[], Iterable[str]] | None = None
    open: bool = False
    group: str = ""
    parse: Callable[[str], Any] | None = None
    default: str = ""
    scope: Scope = Scope.SHARED
    positional: bool = False


def names_in(*places: str) -> Callable[[], Iterable[str]]:
    """Return a function that lists names in registries, such as `bbccli.metrics:METRICS`, when
    called.
    """

    def names() -> Iterable[str]:
        for place in places:
            module, _, name = place.partition(":")
            entries = getattr(import_module(module), name)
            yield from [entries] if isinstance(entries, str) else entries

    return names


def option(value: Any, help: str, metavar: str | None = None, **more: Any) -> Any:
    """Return a dataclass field with this default and an `Option` of these properties."""
    return declare(value, Option(help, metavar, **more))


def declare(value: Any, option: Option) -> Any:
    """Return a dataclass field with this default and this option."""
    return field(default=value, metadata={"option": option})


class MisfitError(Exception):
    """A value that does not fit its option; the text says what would."""


@dataclass(frozen=True, slots=True)
class Declared:
    """An option with the name, type and default (perhaps `MISSING`) of its field.

    key: name as users write it, with - for _; no trailing _ that avoids a Python keyword.
    kind: type without None: str, int, float, bool, tuple, an Enum, or list for several texts.
    """

    name: str
    annotation: Any
    default: Any
    option: Option
    key: str = field(init=False)
    kind: Any = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.name.rstrip("_").replace("_", "-"))
        kind = self.annotation
        if get_origin(kind) in (Union, types.UnionType):
            (kind,) = (part for part in get_args(kind) if part is not type(None))
        origin = get_origin(kind) or kind
        object.__setattr__(self, "kind", list if origin is Sequence else origin)

    @property
    def choices(self) -> tuple[str, ...]:
        """All accepted values; empty if any value is."""
        kind = self.kind
        if isinstance(kind, type) and issubclass(kind, Enum):
            return tuple(member.value for member in kind)
        return () if self.option.open else self.known

    @property
    def known(self) -> tuple[str, ...]:
        """Suggested values."""
        return tuple(self.option.names()) if self.option.names else ()

    def parse_text(self, text: str) -> Any:
        """Convert a word of the command line, a variable or a table.

        Raises MisfitError if it does not fit, or the BbcError of the option's own parser.
        """
        kind = self.kind
        if self.option.parse is not None:
            return self.option.parse(text)
        value = self.parse_toml(_as_toml(text, kind))
        return value if kind in (str, list) else kind(value)

    def parse_variable(self, text: str) -> Any:
        """Convert the text of a variable as `parse_toml` does the value of a file."""
        return self.parse_toml(text if self.option.parse else _as_toml(text, self.kind))

    def parse_toml(self, value: Any) -> Any:
        """Convert a TOML value to the form of the command line; a MisfitError if it does not
        fit.
        """
        kind, choices = str if self.option.parse else self.kind, self.choices
        if kind is list:
            value = [value] if isinstance(value, str) else value
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise MisfitError("text, or an array of texts")
            return value
        if choices:
            group = self.option.group
            added = plugins.entry_points_of(group) if group and value not in choices else ()
            fits, words = value in (*choices, *added), f"one of: {', '.join(choices)}"
        elif isinstance(value, bool):  # a bool is an int in Python
            fits, words = kind is bool, _WORDS.get(kind, _WORDS[str])
        elif kind in (int, bool):
            fits, words = isinstance(value, kind), _WORDS[kind]
        elif kind is float:
            fits = isinstance(value, float) or (isinstance(value, int) and abs(value) <= LARGEST)
            words = _WORDS[float]
        else:  # n-resamples = 2000 and memory = "1GB" are both text on the command line
            fits, words = isinstance(value, str | int | float), _WORDS[str]
        if not fits:
            raise MisfitError(words)
        return value if choices or kind in (int, bool) else (float if kind is float else str)(value)


def _as_toml(text: str, kind: Any) -> Any:
    """Convert text to what a file would hold: a number, a bool, or an array of words."""
    if kind is bool:
        return _SWITCH.get(text.lower(), text)
    if kind is list:
        return text.split()
    try:
        return kind(text) if kind in (int, float) else text
    except ValueError:
        return text


def declared(name: str, hint: Any, default: Any) -> Declared:
    """Return the option declared by an annotation."""
    annotation, option = get_args(hint)
    return Declared(name, annotation, default, option)


@cache
def options_of(group: type) -> Mapping[str, Declared]:
    """Return the options of a dataclass by field name."""
    hints = get_type_hints(group)
    return {
        f.name: Declared(f.name, hints[f.name], f.default, f.metadata["option"])
        for f in fields(group)
        if "option" in f.metadata
    }
