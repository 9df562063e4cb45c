"""Pages on the Python API: for every name in the lists of docs/api.md, its docstring."""

import inspect
import re
from enum import Enum
from importlib import import_module

from parts import toctree

MODULE = re.compile(r"^### `(bbccli[\w.]*)`$", re.MULTILINE)
ROW = re.compile(r"^- `(\w+)`: (.*)$", re.MULTILINE)


def reference_pages(api: str) -> dict[str, str]:
    """Return path -> text of a page for each module, and of their index."""
    parts = MODULE.split(api.partition("\n## Documents")[0])[1:]
    pages, homes = {}, dict[int, str]()
    for module, text in zip(parts[::2], parts[1::2], strict=True):
        pages[f"python/{module}.rst"] = page_of(module, text, homes)
    names = [path.removeprefix("python/").removesuffix(".rst") for path in pages]
    index = ["# Python in full", "", "[Another page](docs/api.md) says what is stable.", ""]
    index += [f"- [`{name}`](python/{name}.rst)" for name in names]
    index.append(toctree([f"python/{name}" for name in names]))
    return {**pages, "python.md": "\n".join(index)}


def page_of(module: str, text: str, homes: dict[int, str]) -> str:
    """Return the page of one module; a name documented on another page gets a reference."""
    lines = [module, "=" * len(module), "", f".. currentmodule:: {module}", ""]
    if "\nProvisional." in text:
        lines += ["Provisional: it may change in a new x.y.", ""]
    for name, about in ROW.findall(text):
        thing = getattr(import_module(module), name)
        lines += [name, "-" * len(name), ""]
        if inspect.isclass(thing) or inspect.isfunction(thing):
            home = homes.setdefault(id(thing), f"{module}.{name}")
            lines += entry(thing, name) if home == f"{module}.{name}" else [f"See `{home}`."]
        else:
            lines += [f"{about[0].upper()}{about[1:]}.".replace("`", "``")]
        lines.append("")
    return "\n".join(lines)


def entry(thing: object, name: str) -> list[str]:
    """Return the directive that includes the docstring."""
    if inspect.isfunction(thing):
        return [f".. autofunction:: {name}"]
    shown = ["   :members:"]
    if inspect.isclass(thing) and issubclass(thing, Enum):
        shown.append("   :undoc-members:")
    return [f".. autoclass:: {name}", *shown]
