"""Coerce arguments to their declared types, or raise an error that names the parameter.

Words become enum members, numpy numbers Python numbers, and 1000.0 becomes 1000. Anything else is
refused at once: later code compares members by identity, where a plain word would silently match
none of them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Container, ItemsView, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache, cached_property
from itertools import combinations
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from bbccli.errors import InputError, OptionError, nearest, parameter, short
from bbccli.platform import plugins

E = TypeVar("E", bound=Enum)
T = TypeVar("T")
Name = TypeVar("Name", bound=str)
Record = TypeVar("Record")


def choice(kind: type[E], given: object, name: str) -> E:
    """Return a member of `kind`, given as itself or as its word; the error suggests the nearest
    word.

    Examples
    --------
    >>> from bbccli.domain.choices import Side
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
