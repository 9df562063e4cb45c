"""Problems of reading: the first one is raised, or all of them are collected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from bbccli.errors import BbcError

Faults = Callable[[], Iterable[tuple[str, BbcError]]]


class HaltError(Exception):
    """Nothing more can be looked at; the problems have been collected."""


@dataclass
class Problems:
    """The first problem is raised; or all are kept, as far as one does not hide another.

    Parameters
    ----------
    collect
        Keep problems instead of raising the first one.

    Attributes
    ----------
    found
        Problems in the order in which they were found, each with its check.
    seen
        Results of the checks, in the order in which they were made.
    """

    collect: bool = False
    found: list[tuple[str, BbcError]] = field(default_factory=list)
    seen: dict[str, Any] = field(default_factory=dict)

    def of(
        self, check: str, *, fatal: bool = False, each: Faults | None = None
    ) -> AbstractContextManager[None]:
        """Keep a problem of the block, and go on behind it.

        Parameters
        ----------
        check
            The check that the block is part of.
        fatal
            Stop behind the block, since nothing can take the place of its result.
        each
            Yields every fault behind a failure, with the check that it belongs to.
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

    def settle(self, *checks: str) -> None:
        """Stop where one of these checks failed; without names, where any did."""
        if self.failed(*checks):
            raise HaltError

    def saw(self, check: str, value: Any) -> None:
        """Keep the result of a check."""
        if self.collect:
            self.seen[check] = value

    def failed(self, *checks: str) -> bool:
        """Return True if one of these checks failed; without names, if any did."""
        return any(not checks or check in checks for check, _ in self.found)


_RAISED = nullcontext()

RAISE = Problems()
"""Raises the first problem."""
