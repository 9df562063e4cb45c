"""What becomes of a problem: the first one is raised, or all of them are collected."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from bbccli.errors import BbcError

Result = TypeVar("Result")
Faults = Callable[[], Iterable[tuple[str, BbcError]]]

HALT: Any = object()
"""No result will do in place of the one that failed."""


class HaltError(Exception):
    """Nothing more can be looked at; the problems have been collected."""


class Raise:
    """What the steps of reading do with problems: the first one is raised."""

    def attempt(
        self,
        check: str,
        function: Callable[..., Result],
        *args: Any,
        otherwise: Any = HALT,
        each: Faults | None = None,
    ) -> Result:
        """Return what a call returns.

        Parameters
        ----------
        check
            What the call finds out.
        function, args
            The call.
        otherwise
            What to go on with where it fails; without it nothing more is looked at.
        each
            Yields every fault behind a failure, with the check that it belongs to.
        """
        return function(*args)

    def report(self, check: str, error: BbcError) -> None:
        """Deal with a problem that was found."""
        raise error

    def settle(self, *checks: str) -> None:
        """Stop where one of these checks failed; without names, where any did."""

    def done(self, check: str, value: Any) -> None:
        """Take note of what a check found out."""


@dataclass
class Collect(Raise):
    """All problems are kept, as far as one does not hide another.

    Attributes
    ----------
    found
        Problems in the order in which they were found, each with its check.
    seen
        What the checks found out, in the order in which they were made.
    """

    found: list[tuple[str, BbcError]] = field(default_factory=list)
    seen: dict[str, Any] = field(default_factory=dict)

    def attempt(
        self,
        check: str,
        function: Callable[..., Result],
        *args: Any,
        otherwise: Any = HALT,
        each: Faults | None = None,
    ) -> Result:
        """Return what a call returns; where it raises keep the problem, and go on or halt."""
        try:
            return function(*args)
        except BbcError as error:
            self.found += list(each() if each else ()) or [(check, error)]
            if otherwise is HALT:
                raise HaltError from None
            fallback: Result = otherwise
            return fallback

    def report(self, check: str, error: BbcError) -> None:
        """Keep the problem."""
        self.found.append((check, error))

    def settle(self, *checks: str) -> None:
        """Halt where one of these checks failed; without names, where any did."""
        if self.failed(*checks):
            raise HaltError

    def done(self, check: str, value: Any) -> None:
        """Keep what a check found out."""
        self.seen[check] = value

    def failed(self, *checks: str) -> bool:
        """Whether one of these checks failed; without names, whether any did."""
        return any(not checks or check in checks for check, _ in self.found)
