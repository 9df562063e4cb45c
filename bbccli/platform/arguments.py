"""Arguments: coerced to their declared types, and declared as options of the command line.

Words become enum members, numpy numbers Python numbers, and 1000.0 becomes 1000. Anything else is
refused at once, by an error that names the parameter: later code compares members by identity,
where a plain word would silently match none of them.

A group of options is a dataclass with fields made by `option`; a parameter of a command is
annotated with an `Option`:

    level: float = option(0.95, "Level of the intervals.", "P")
    jobs: Annotated[int, Option("Threads.", "N")] = 1
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Callable, Container, ItemsView, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields
from datetime import UTC, date, datetime
from enum import Enum, StrEnum
from functools import cache, cached_property
from importlib import import_module
from itertools import combinations
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from bbccli.errors import InputError, OptionError, nearest, parameter, short
from bbccli.platform import plugins
from bbccli.platform.dataclass import dataclass

E = TypeVar("E", bound=Enum)
T = TypeVar("T")
Name = TypeVar("Name", bound=str)
Record = TypeVar("Record")


def choice(kind: type[E], given: object, name: str) -> E:
    """Return a member of `kind`, given as itself or as its word; the error suggests the nearest
    word.

    Examples
    --------
    >>> from bbccli.domain.plan import Side
    >>> choice(Side, "lower", "side")
    <Side.LOWER: 'lower'>
    """
    if isinstance(given, kind):
        return given
    words = [str(member.value) for member in kind]
    if isinstance(given, str) and given in words:
        return kind(str(given))
    alike = str(given).lower().replace("_", "-") if isinstance(given, str) else ""
    hint = nearest(alike, words) if alike else f"one of: {', '.join(words)}"
    raise OptionError(f"{parameter(name)} is {short(given)}", hint=hint)


class ByName(Mapping[Name, Record]):
    """A registry whose records are made, by `make(name)`, on first use.

    names: or a function that lists them, called when a name is asked for that is none of `known`.
    group, kind: entry points that may add records, and what these are; they are looked up where a
        name is asked for that is not among `names`, and not listed.

    Examples
    --------
    >>> squares = ByName(["1", "2"], lambda name: int(name) ** 2)
    >>> list(squares), "3" in squares, squares["2"]
    (['1', '2'], False, 4)
    """

    def __init__(
        self,
        names: Iterable[Name] | Callable[[], Iterable[Name]],
        make: Callable[[Name], Record],
        group: str = "",
        kind: type[Record] | None = None,
        known: Container[Name] = (),
    ) -> None:
        self._listed, self._known = names, known
        self._make = make
        self._made: dict[Name, Record] = {}
        self._group, self._kind = group, kind

    @cached_property
    def _names(self) -> dict[Name, None]:
        listed = self._listed if isinstance(self._listed, Iterable) else self._listed()
        return dict.fromkeys(listed)

    def __getitem__(self, name: Name) -> Record:
        if name not in self._made:
            if name in self._known or name in self._names:
                self._made[name] = self._make(name)
            elif self._kind is not None and name in self:
                self._made[name] = plugins.load(self._group, name, self._kind)
            else:
                raise KeyError(name)
        return self._made[name]

    def __iter__(self) -> Iterator[Name]:
        return iter(self._names)

    def items(self) -> ItemsView[Name, Record]:
        """All records, by name."""
        return {name: self[name] for name in self._names}.items()

    def __reversed__(self) -> Iterator[Name]:
        return reversed(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        if name in self._known or name in self._names:
            return True
        return bool(self._group and name in plugins.entry_points_of(self._group))


def entry(registry: Mapping[str, T], given: object, what: str, kind: type[T] | tuple[()] = ()) -> T:
    """Return a record of a registry, given by name or as itself; the error suggests the nearest
    name.
    """
    if isinstance(given, kind):
        return given
    if isinstance(given, str) and given in registry:
        return registry[given]
    raise OptionError(f"no {what} named {short(given)}", hint=nearest(short(given, str), registry))


def as_list(given: str | T | Iterable[str | T] | None) -> list[str | T]:
    """Return a list: a single thing, such as a word, becomes a list of one, None an empty list."""
    if given is None:
        return []
    if isinstance(given, str) or not isinstance(given, Iterable):
        return [given]
    return list(given)


ALL = "all"
"""In place of names: everything that can be computed."""


def with_all(names: Iterable[T], everything: Iterable[T]) -> list[T]:
    """Return names; if `all` is among them, everything comes first, and the others behind."""
    given = list(names)
    return [name for name in [*everything, *given] if name != ALL] if ALL in given else given


def real(given: object, name: str) -> float:
    """Return a float, or raise an OptionError."""
    plain = _plain(given)
    if not isinstance(plain, Real) or isinstance(plain, bool):
        raise OptionError(f"{parameter(name)} is {short(given)}, not a number", hint="such as 0.95")
    try:
        return float(plain)
    except OverflowError:
        raise OptionError(f"{parameter(name)} is too large", hint="use a smaller number") from None


def whole(given: object, name: str) -> int:
    """Return an integer, also for 1e3, or raise an OptionError."""
    plain = _plain(given)
    if isinstance(plain, Integral) and not isinstance(plain, bool):
        return int(plain)
    if isinstance(plain, float) and plain.is_integer():
        return int(plain)
    raise OptionError(f"{parameter(name)} is {short(given)}, not an integer", hint="such as 1000")


def switch(given: object, name: str) -> bool:
    """Return a bool, or raise an OptionError, also for words such as "no"."""
    plain = _plain(given)
    if not isinstance(plain, bool | int) or plain not in (0, 1):
        raise OptionError(f"{parameter(name)} is {short(given)}", hint="True or False")
    return bool(plain)


def coerce_fields(record: Any, *names: str) -> None:
    """Coerce fields of a frozen record, all or some, to their types; an OptionError names a misfit.

    Handles enum members (alone or in a frozenset), numbers, pairs of numbers and bools, each
    possibly None; other fields are left alone.
    """
    group: Any = type(record)
    forms = _forms(group)
    for name in names or forms:
        kind, form, optional = forms[name]
        given = getattr(record, name)
        if type(given) is not kind and not (optional and given is None):
            object.__setattr__(record, name, form(given, name))


_Form = Callable[[Any, str], Any]

_NUMBERS: dict[Any, _Form] = {int: whole, float: real, bool: switch}


@cache
def _forms(record: Any) -> dict[str, tuple[Any, _Form, bool]]:
    """Type, converter and optionality of each field that can be coerced."""
    hints = get_type_hints(record)
    converters = {}
    for record_field in fields(record):
        parts = _parts(hints[record_field.name])
        kinds = [part for part in parts if part is not NoneType]
        form = _form_of(kinds[0]) if len(kinds) == 1 else None
        if form is not None:
            converters[record_field.name] = kinds[0], form, NoneType in parts
    return converters


def _parts(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _form_of(kind: Any) -> _Form | None:
    if kind in _NUMBERS:
        return _NUMBERS[kind]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return lambda given, name: choice(kind, given, name)
    inner = get_args(kind)
    if get_origin(kind) is frozenset:
        each = _form_of(inner[0])
        return each and (lambda given, name: frozenset(each(v, name) for v in as_list(given)))
    return _pair if kind == tuple[float, float] else None


def _pair(given: Any, name: str) -> tuple[float, float]:
    """Return two numbers."""
    both: Sequence[Any] = list(given) if isinstance(given, Iterable) else []
    if isinstance(given, str) or len(both) != 2:
        raise OptionError(
            f"{parameter(name)} is {short(given)}, not two numbers", hint="such as (0, 1)"
        )
    return real(both[0], name), real(both[1], name)


def _plain(given: Any) -> Any:
    """Return a numpy scalar as a Python number."""
    return given.item() if getattr(given, "shape", None) == () else given


EPOCH = "SOURCE_DATE_EPOCH"
"""Variable with a time in seconds since 1970 that stands for now; of reproducible-builds.org."""


def day() -> date:
    """Return the date of a page: today's, or that of SOURCE_DATE_EPOCH.

    Raises
    ------
    OptionError
        The variable holds no such time.
    """
    given = os.environ.get(EPOCH)
    if not given:
        return datetime.now().astimezone().date()
    try:
        return datetime.fromtimestamp(int(given), UTC).date()
    except (ValueError, OverflowError, OSError) as error:
        raise OptionError(
            f"the variable {EPOCH} is {given!r}, which is not a time in seconds since 1970",
            hint=f"unset {EPOCH}, or give it what date +%s prints",
        ) from error


def check_order(given: Mapping[str, Any]) -> None:
    """Refuse pandas objects whose indexes show that their rows are in different orders.

    The numbers 0 to N - 1 in order mean nothing, so that objects with them, or without an index, go
    with any other by position. `given` are values per row, by argument.
    """
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return
    kinds = (pandas.DataFrame, pandas.Series)
    indexed = {name: frame.index for name, frame in given.items() if isinstance(frame, kinds)}
    for (first, index), (name, other) in combinations(indexed.items(), 2):
        if len(index) != len(other) or index.equals(other):
            continue  # a different number of rows is another error
        same = len(index.difference(other)) == 0 == len(other.difference(index))
        if same or not any(i.equals(pandas.RangeIndex(len(i))) for i in (index, other)):
            raise InputError(
                f"{first} and {name} have indexes {'in another order' if same else 'that differ'}",
                path="<DataFrame>" if isinstance(given[first], pandas.DataFrame) else "<table>",
                hint=f"use {name}.loc[{first}.index]; or {name}.to_numpy(), if the rows match as "
                "they are",
            )


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
    choices: all accepted values; empty if any value is.
    """

    name: str
    annotation: Any
    default: Any
    option: Option
    key: str = field(init=False)
    kind: Any = field(init=False)
    choices: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.name.rstrip("_").replace("_", "-"))
        kind = self.annotation
        if get_origin(kind) in (Union, types.UnionType):
            (kind,) = (part for part in get_args(kind) if part is not type(None))
        origin = get_origin(kind) or kind
        object.__setattr__(self, "kind", list if origin is Sequence else origin)
        is_enum = isinstance(origin, type) and issubclass(origin, Enum)
        known = () if self.option.open else self.known
        choices = tuple(member.value for member in origin) if is_enum else known
        object.__setattr__(self, "choices", choices)

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
