"""Registries that know the names of their records before any record is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

Name = TypeVar("Name", bound=str)
Record = TypeVar("Record")


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
