"""The command line that asks for an analysis."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from enum import Enum
from typing import Any

from bbccli.analysis.asked import Analysis
from bbccli.option import Declared, options_of
from bbccli.text import redacted


def command_line(asked: Analysis, files: Sequence[str], command: str = "correct") -> str:
    """Return the command that asks for this, whatever file or variable set its options.

    Examples
    --------
    >>> command_line(Analysis(seed=7, metric=("auc",)), ["p.csv"])
    'bbc correct p.csv --metric auc --seed 7'
    """
    return line_of(command, files, [asked])


def line_of(command: str, files: Sequence[str], groups: Sequence[Any]) -> str:
    """Return the command that asks for what some groups of options hold."""
    words = ["bbc", command, *map(redacted, files)]
    for group in groups:
        kind: type = type(group)
        for option in options_of(kind).values():
            value = getattr(group, option.name)
            if value != option.default and value is not None:
                words += _words(option, value)
    return shlex.join(words)


def _words(option: Declared, value: Any) -> list[str]:
    flag = f"--{option.key}"
    if isinstance(value, bool):
        return [flag if value else f"--no-{option.key}"]
    if option.kind is tuple:  # values of one flag, and not a flag for each
        return [flag, *map(_text, value)]
    if isinstance(value, list | tuple):
        return [word for one in value for word in (flag, _text(one))]
    return [flag, _text(value)]


def _text(value: Any) -> str:
    return redacted(str(value.value if isinstance(value, Enum) else value))
