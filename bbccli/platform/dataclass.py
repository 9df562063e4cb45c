"""`dataclass` of the standard library, of which the frozen ones are made in a third of the time.

A command makes some 150 records on its way, and Python up to 3.12 compiles six methods for each.
Here all but `__init__` are functions that every record shares.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def _made(cls, /, *, frozen=False, **options):
        """Decorate a class as `dataclasses.dataclass` does, with the same options.

        >>> @dataclass(frozen=True, slots=True)
        ... class Pair:
        ...     '''Two numbers.'''
        ...     one: int
        ...     other: int = 2
        >>> Pair(1), Pair(1, 2) == Pair(1), {Pair(1): "found"}[Pair(1)]
        (Pair(one=1, other=2), True, 'found')
        """
        return (_frozen if frozen else dataclasses.dataclass)(cls, **options)

    dataclass = partial(partial, _made)


def _frozen(cls: type, *, repr: bool = True, eq: bool = True, **options: Any) -> type:
    members = dict(vars(cls))
    types = members.get("__annotations__", {})
    # a type as text is searched three times for those that make no field
    cls.__annotations__ = {
        n: t if "Var" in str(t) or "KW" in str(t) else object for n, t in types.items()
    }
    cls = dataclasses.dataclass(cls, init=False, repr=False, eq=False, **options)
    fields = dataclasses.fields(cls)
    cls.__annotations__ = types
    for f in fields:
        f.type = types.get(f.name, f.type)
    methods: dict[str, Any] = {"__setattr__": _refuse, "__delattr__": _refuse}
    if options.get("slots"):
        methods["__setstate__"] = _restore
    if repr:
        methods["__repr__"] = _repr
    if eq:
        compared = [f.name for f in fields if f.compare]
        # one name twice, since attrgetter makes a tuple only of several
        values = attrgetter(*compared[:1], *compared) if compared else lambda _: ()
        cls._compared = values  # type: ignore[attr-defined]
        methods |= {"__eq__": _eq, "__hash__": _hash}
    for name, method in methods.items():
        if members.get(name) is None:
            setattr(cls, name, method)
    if "__init__" not in members:
        cls.__init__ = _Compiled(cls)  # type: ignore[misc]
    return cls


class _Compiled:
    """`__init__` of a class, compiled when it is first asked for: a command makes instances of a
    third of its records.
    """

    def __init__(self, cls: type) -> None:
        self.cls = cls

    def __get__(self, instance: object, owner: type) -> Any:
        made = _init(self.cls, dataclasses.fields(self.cls))
        self.cls.__init__ = made  # type: ignore[misc]
        return made.__get__(instance, owner)


def _init(cls: type, fields: tuple[dataclasses.Field[Any], ...]) -> Any:
    """Compile `__init__`: it sets each field, and calls `__post_init__` where there is one."""
    missing = dataclasses.MISSING
    known: dict[str, Any] = {"_set": object.__setattr__, "_MADE": _MADE}
    plain, named, body = ["self"], ["*"], []
    for f in fields:
        name, value = f.name, f.name
        if f.default_factory is not missing:
            known[f"_{name}"] = f.default_factory
            value = f"_{name}() if {name} is _MADE else {name}" if f.init else f"_{name}()"
        elif f.default is not missing:
            known[f"_{name}"] = f.default
            value = name if f.init else f"_{name}"
        elif not f.init:
            continue
        if f.init:
            default = "=_MADE" if f.default_factory is not missing else f"=_{name}"
            given = name if f"_{name}" not in known else name + default
            (named if f.kw_only else plain).append(given)
        body.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join(plain + (named if len(named) > 1 else []))
    exec(f"def __init__({parameters}):\n " + "\n ".join(body or ["pass"]), known)
    init = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {f.name: f.type for f in fields if f.init} | {"return": None}
    return init


class _Made:
    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


def _refuse(self: object, name: str, *_: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self._compared(self) == self._compared(other)


def _hash(self: Any) -> int:
    return hash(self._compared(self))


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(
        f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr
    )
    return f"{type(self).__qualname__}({shown})"


def _restore(self: object, state: Any) -> None:
    """Set what pickle and copy kept of the slots."""
    for part in state if isinstance(state, tuple) else (state,):
        for name, value in (part or {}).items():
            object.__setattr__(self, name, value)
