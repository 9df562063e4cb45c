"""Problems of reading: the first one is raised, or all are collected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from bbccli.errors import BbcError

Faults = Callable[[], Iterable[tuple[str, BbcError]]]


class HaltError(Exception):
    """Nothing more can be checked; the problems have been collected."""


@dataclass
class Problems:
    """Raise the first problem, or `collect` all, as far as one does not hide another.

    Attributes
    ----------
    found
        Problems in order, each with its check.
    seen
        Results of the checks, in order.
    """

    collect: bool = False
    found: list[tuple[str, BbcError]] = field(default_factory=list)
    seen: dict[str, Any] = field(default_factory=dict)

    def of(
        self, check: str, *, fatal: bool = False, each: Faults | None = None
    ) -> AbstractContextManager[None]:
        """Collect a problem of the block, and continue after it.

        `check` is the check that the block belongs to; `fatal` stops after the block, since nothing
        can replace its result; `each` yields all errors behind a failure, each with its check.
        """
        return self._kept(check, fatal, each) if self.collect else _RAISED

    @contextmanager
    def _kept(self, check: str, fatal: bool, each: Faults | None) -> Iterator[None]:
        try:
            yield
        except BbcError as error:
            self.found += list(each() if each else ()) or [(check, error)]
            if fatal:
                raise HaltError from None

    def raise_first(self, *checks: str) -> None:
        """Stop if one of these checks failed; without names, if any did."""
        if self.failed(*checks):
            raise HaltError

    def saw(self, check: str, value: Any) -> None:
        """Keep the result of a check."""
        if self.collect:
            self.seen[check] = value

    def failed(self, *checks: str) -> bool:
        """True if one of these checks failed; without names, if any did."""
        return any(not checks or check in checks for check, _ in self.found)


_RAISED = nullcontext()

RAISE = Problems()
"""Raises the first problem."""
