"""A group of options -> the command line that says the same."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from enum import Enum
from typing import Any

from bbccli.platform.arguments import Declared, options_of
from bbccli.platform.text import redacted


def command_line(group: Any, files: Sequence[str], command: str = "correct") -> str:
    """Return the command line for a group of options, wherever they were set.

    Examples
    --------
    >>> from bbccli.use_cases import Analysis
    >>> command_line(Analysis(seed=7, metric=("auc",)), ["p.csv"])
    'bbc correct p.csv --metric auc --seed 7'
    """
    kind: type = type(group)
    words = ["bbc", command, *map(redacted, files)]
    for option in options_of(kind).values():
        value = getattr(group, option.name)
        if value != option.default and value is not None:
            words += _words(option, value)
    return shlex.join(words)


def _words(option: Declared, value: Any) -> list[str]:
    flag = f"--{option.key}"
    if isinstance(value, bool):
        return [flag if value else f"--no-{option.key}"]
    if option.kind is tuple:  # values of one flag, not a flag for each
        return [flag, *map(_text, value)]
    if isinstance(value, list | tuple):
        return [word for item in value for word in (flag, _text(item))]
    return [flag, _text(value)]


def _text(value: Any) -> str:
    return redacted(str(value.value if isinstance(value, Enum) else value))
