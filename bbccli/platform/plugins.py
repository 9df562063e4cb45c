"""What installed packages add: readers, metrics, methods and forms, by their entry points.

This package declares its own readers by the same groups, see `pyproject.toml`. Its metrics, methods
and forms are known without them, so that nothing is looked up where no other name is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from bbccli.errors import OptionError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


@cache
def _all() -> Any:
    """Look through what is installed, once for all groups."""
    from importlib.metadata import entry_points

    return entry_points()


@cache
def entry_points_of(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name, in the order of their names."""
    return {point.name: point for point in sorted(_all().select(group=group), key=lambda p: p.name)}


def load(group: str, name: str, kind: type[T]) -> T:
    """Return what a package declares under a name.

    Raises OptionError: it can't be imported, or is of another kind.
    """
    point = entry_points_of(group)[name]
    package = point.dist.name if point.dist else point.module
    hint = f"install {package} again, or uninstall it"
    what = f"{name}, which {package} declares as one of {group}"
    try:
        value = point.load()
    except Exception as error:
        problem = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise OptionError(f"cannot load {what}: {problem}", hint=hint) from error
    if not isinstance(value, kind):
        raise OptionError(f"{what}, is not a {kind.__name__}", hint=hint)
    return value
