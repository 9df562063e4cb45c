"""Options on what a result has to reach: those that a `Rule` is made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from bbccli.choices import GateOn
from bbccli.option import Option, Panel

if TYPE_CHECKING:
    from bbccli.gate import Rule


def _methods() -> Iterable[str]:
    from bbccli.methods import METHODS

    return METHODS


@dataclass(frozen=True, kw_only=True)
class GateOptions:
    """A gate, if there is one."""

    fail_under: Annotated[
        float | None,
        Option(
            "For metrics that are maximised: exit with 3 if the pessimistic bound of the first one "
            "is under X, and with 4 if that can't be decided.",
            metavar="X",
        ),
    ] = None
    fail_over: Annotated[
        float | None, Option("The same for metrics that are minimised, over X.", metavar="X")
    ] = None
    gate_on: Annotated[
        GateOn | None,
        Option("Judge the pessimistic bound or the estimate.", panel=Panel.GATE, default="bound"),
    ] = None
    gate_method: Annotated[
        str | None,
        Option(
            "Judge this method.",
            metavar="NAME",
            panel=Panel.GATE,
            names=_methods,
            open=True,
            default="the one to report",
        ),
    ] = None

    @property
    def rule(self) -> Rule | None:
        """The gate, if one is asked for.

        Raises
        ------
        OptionError
            Both thresholds, or details of a gate without one.
        """
        from bbccli.gate import rule_of

        return rule_of(self.fail_under, self.fail_over, self.gate_on, self.gate_method)
