"""Values of options as a file or a variable gives them, checked against the option's type."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_SWITCH = dict.fromkeys(("1", "true", "t", "yes", "y", "on"), True)
_SWITCH |= dict.fromkeys(("0", "false", "f", "no", "n", "off"), False)


class MisfitError(Exception):
    """A value does not fit its option; says what would."""


def converted(value: Any, kind: Any, choices: Collection[str] = ()) -> Any:
    """Return a TOML value as the command line takes it.

    Parameters
    ----------
    value
        As `tomllib` gives it.
    kind
        Type of the option: str, int, float, bool, list (of texts), or an Enum.
    choices
        The only values that there are; empty where any may be given.

    Raises
    ------
    MisfitError
        The value is of another type, or not one of the names.
    """
    if kind is list:
        return _texts(value)
    if choices:
        return value if value in choices else _misfit(f"one of: {', '.join(choices)}")
    if isinstance(value, bool) and kind is not bool:  # else 1 in the eyes of Python
        return _misfit(_WORDS.get(kind, _WORDS[str]))
    if kind is float:
        return _number(value)
    if kind in (int, bool):
        return value if isinstance(value, kind) else _misfit(_WORDS[kind])
    # n-resamples = 2000 and memory = "1GB" are both texts for the command line
    return str(value) if isinstance(value, str | int | float) else _misfit(_WORDS[str])


def of_text(text: str, kind: Any) -> Any:
    """Return what a variable says as a file would say it; as it is where it says nothing else."""
    if kind is bool:
        return _SWITCH.get(text.lower(), text)
    if kind is list:
        return text.split()
    try:
        return kind(text) if kind in (int, float) else text
    except ValueError:
        return text


def _texts(value: Any) -> list[str]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise MisfitError("a text, or an array of texts")
    return items


def _number(value: Any) -> Any:
    try:
        return float(value) if isinstance(value, int | float) else _misfit(_WORDS[float])
    except OverflowError:
        return _misfit(_WORDS[float])


def _misfit(words: str) -> Any:
    raise MisfitError(words)
