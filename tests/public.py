"""What is public of the package: the names of `docs/api.md`, and how they can be called."""

import dataclasses
import inspect
import re
from collections.abc import Mapping
from enum import Enum
from importlib import import_module
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "api.md"


def listed():
    """Names of each module, by the lists of the page."""
    parts = re.split(r"^### `(bbccli[\w.]*)`$", PAGE.read_text(encoding="utf-8"), flags=re.M)[1:]
    return {
        module: re.findall(r"^- `(\w+)`: ", text.split("\n## ")[0], re.M)
        for module, text in zip(parts[::2], parts[1::2], strict=True)
    }


def public_names():
    """Module -> name -> what can be relied on: parameters, members of an enumeration, keys."""
    return {
        module: {name: shape(getattr(import_module(module), name)) for name in names}
        for module, names in listed().items()
    }


def shape(thing):
    """What of a public thing can be relied on."""
    if inspect.isfunction(thing):
        return {"kind": "function", "parameters": parameters(thing)}
    if not inspect.isclass(thing):
        keys = {"keys": list(thing)} if isinstance(thing, Mapping) else {}
        return {"kind": "value"} | keys
    if issubclass(thing, Enum):
        return {"kind": "enumeration", "members": {one.name: one.value for one in thing}}
    made = () if issubclass(thing, Exception) else parameters(thing.__init__)[1:]
    return {
        "kind": "class",
        "parameters": list(made),
        "members": sorted(public_members(thing)),
        "bases": [base.__name__ for base in thing.__mro__[1:]],
    }


def public_members(thing):
    """Names of the fields, properties and methods of a class."""
    fields = {one.name for one in dataclasses.fields(thing)} if is_record(thing) else set()
    names = {name for base in thing.__mro__[:-1] for name in vars(base)}
    return {name for name in fields | names if not name.startswith("_")}


def is_record(thing):
    return dataclasses.is_dataclass(thing)


def parameters(function):
    """Name, kind and whether it may be left out, of each parameter."""
    return [
        [one.name, one.kind.name, one.default is not inspect.Parameter.empty]
        for one in inspect.signature(function).parameters.values()
        if not one.name.startswith("_")
    ]


def defaults():
    """Function or method -> parameter -> what it is if left out, where that is a plain value."""
    found = {}
    for module, names in listed().items():
        for name in names:
            thing = getattr(import_module(module), name)
            called = {name: thing} if inspect.isfunction(thing) else {}
            for part in public_functions(thing) if inspect.isclass(thing) else ():
                called[f"{name}.{part}"] = getattr(thing, part)
            for path, function in called.items():
                plain = {
                    one.name: str(one.default)
                    for one in inspect.signature(function).parameters.values()
                    if isinstance(one.default, bool | int | float | str | None)
                }
                found |= {path: plain} if plain else {}
    return found


def public_functions(thing):
    names = [name for name in vars(thing) if name == "__init__" or not name.startswith("_")]
    return [name for name in names if inspect.isfunction(getattr(thing, name))]
