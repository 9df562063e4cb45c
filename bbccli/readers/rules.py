"""Rules on what columns and rows are, told by identities in their values.

A rule is applied wherever files are read, by `bbc inspect` too, and docs/formats.md lists all of
them from their records. Names only help; columns named by hand or in the metadata are always
configurations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bbccli.readers.problems import Problems
from bbccli.readers.roles import Request
from bbccli.readers.sheet import Sheet


@dataclass(frozen=True, slots=True)
class ReadingRule:
    """What values show of columns or rows, and what follows; the texts are Markdown.

    Attributes
    ----------
    name
        Name in docs/formats.md, and of the check of `bbc inspect`.
    seen
        The identity in the values, and what names must say, if anything.
    means
        What such columns or rows are.
    done
        What is done with them.
    apply
        Sheet and request -> sheet; it raises what is refused, and adds notes to the sheet. Rules
        on rows take what the step has in which they are applied.
    """

    name: str
    seen: str
    means: str
    done: str
    apply: Callable[..., Any]


def applied(
    rules: Iterable[ReadingRule], sheet: Sheet, request: Request, problems: Problems
) -> Sheet:
    """Apply rules one after another."""
    for rule in rules:
        with problems.of(rule.name), np.errstate(all="ignore"):
            sheet = rule.apply(sheet, request)
    return sheet
