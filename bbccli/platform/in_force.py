"""Values of the context that hold for the body of a `with` statement."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Value = TypeVar("Value")


@contextmanager
def in_force(variable: ContextVar[Value], value: Value) -> Iterator[Value]:
    """Put a value in force for the body, and the one before it afterwards."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)
