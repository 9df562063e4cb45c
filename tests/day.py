"""Parameters of tests that are for the sweep: `make test` runs all others."""

from collections.abc import Iterable
from typing import Any

import pytest

SWEEP = pytest.mark.sweep


def swept(*values: Any, **more: Any) -> Any:
    """As `pytest.param`: a case for the sweep."""
    return pytest.param(*values, marks=SWEEP, **more)


def thinned(values: Iterable[Any], n: int, *, unpack: bool = False) -> list[Any]:
    """Values of which the first of every n is for every day, and the others for the sweep.

    unpack: each is a tuple of several arguments.
    """
    return [one if not place % n else _in_sweep(one, unpack) for place, one in enumerate(values)]


def _in_sweep(value: Any, unpack: bool) -> Any:
    if isinstance(value, type(swept())):  # with marks, or a name, of its own
        return value._replace(marks=(*value.marks, SWEEP))
    return swept(*value) if unpack else swept(value)
