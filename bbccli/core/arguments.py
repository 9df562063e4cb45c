"""Arguments as their types want them, or an error that names the parameter.

A word stands for the member that it names, numpy's numbers for Python's, and 1000.0 for 1000. What
is anything else is refused here, where it is given: further in, code compares members by identity,
and a word in the place of one would be none of them, in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from functools import cache
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from bbccli.errors import OptionError, nearest, parameter, short

E = TypeVar("E", bound=Enum)
T = TypeVar("T")
Name = TypeVar("Name", bound=str)
Record = TypeVar("Record")


def choice(kind: type[E], given: object, name: str) -> E:
    """Return the member of `kind` that is given, by itself or by its word.

    Raises
    ------
    OptionError
        It is neither; the hint has the nearest word.

    Examples
    --------
    >>> from bbccli.core.choices import Side
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
    """Records by name; each is made when it is first looked up.

    Parameters
    ----------
    names
        In their order.
    make
        Name -> its record, such as what a module declares that is imported only then.

    Examples
    --------
    >>> squares = ByName(["1", "2"], lambda name: int(name) ** 2)
    >>> list(squares), "3" in squares, squares["2"]
    (['1', '2'], False, 4)
    """

    def __init__(self, names: Iterable[Name], make: Callable[[Name], Record]) -> None:
        self._names = dict.fromkeys(names)
        self._make = make
        self._made: dict[Name, Record] = {}

    def __getitem__(self, name: Name) -> Record:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[Name]:
        return iter(self._names)

    def __reversed__(self) -> Iterator[Name]:
        return reversed(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names


def entry(registry: Mapping[str, T], given: object, what: str, kind: type[T] | tuple[()] = ()) -> T:
    """Return the record of a registry that is given, by its name or, of this kind, by itself.

    Raises
    ------
    OptionError
        It is neither; the hint has the nearest name.
    """
    if isinstance(given, kind):
        return given
    if isinstance(given, str) and given in registry:
        return registry[given]
    raise OptionError(f"no {what} named {short(given)}", hint=nearest(short(given, str), registry))


def as_list(given: str | T | Iterable[str | T] | None) -> list[str | T]:
    """Return several things; one alone, such as a word, is a list of itself, and None is empty."""
    if given is None:
        return []
    if isinstance(given, str) or not isinstance(given, Iterable):
        return [given]
    return list(given)


def real(given: object, name: str) -> float:
    """Return a number; an OptionError for what is none."""
    plain = _plain(given)
    if not isinstance(plain, Real) or isinstance(plain, bool):
        raise OptionError(f"{parameter(name)} is {short(given)}, not a number", hint="such as 0.95")
    try:
        return float(plain)
    except OverflowError:
        raise OptionError(
            f"{parameter(name)} is too large a number", hint="a smaller one"
        ) from None


def whole(given: object, name: str) -> int:
    """Return an integer, also of 1e3; an OptionError for what is none."""
    plain = _plain(given)
    if isinstance(plain, Integral) and not isinstance(plain, bool):
        return int(plain)
    if isinstance(plain, float) and plain.is_integer():
        return int(plain)
    raise OptionError(f"{parameter(name)} is {short(given)}, not an integer", hint="such as 1000")


def switch(given: object, name: str) -> bool:
    """Return a yes or no; an OptionError for what is none, such as the word "no"."""
    plain = _plain(given)
    if not isinstance(plain, bool | int) or plain not in (0, 1):
        raise OptionError(f"{parameter(name)} is {short(given)}", hint="True or False")
    return bool(plain)


def settle(record: Any, *names: str) -> None:
    """Put the fields of a frozen record, all or some, into the form that their types tell.

    Members of an `Enum`, alone or in a frozen set, numbers, pairs of numbers, and yes or no; each
    may be None where its type says so. Others are left alone.

    Raises
    ------
    OptionError
        A value that is none of its type.
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
    """Type, what makes it, and whether it may be None, of the fields that have a form."""
    hints = get_type_hints(record)
    found = {}
    for one in fields(record):
        parts = _parts(hints[one.name])
        kinds = [part for part in parts if part is not NoneType]
        form = _form_of(kinds[0]) if len(kinds) == 1 else None
        if form is not None:
            found[one.name] = kinds[0], form, NoneType in parts
    return found


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
        return each and (lambda given, name: frozenset(each(one, name) for one in as_list(given)))
    return _pair if kind == tuple[float, float] else None


def _pair(given: Any, name: str) -> tuple[float, float]:
    """Two numbers."""
    both: Sequence[Any] = list(given) if isinstance(given, Iterable) else []
    if isinstance(given, str) or len(both) != 2:
        raise OptionError(
            f"{parameter(name)} is {short(given)}, not two numbers", hint="such as (0, 1)"
        )
    return real(both[0], name), real(both[1], name)


def _plain(given: Any) -> Any:
    """Python's number of a single one of numpy's."""
    return given.item() if getattr(given, "shape", None) == () else given
