"""The registry of rules."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.dropping import anova, bbcd, brace, cvst, friedman, hoeffding, wilcoxon, win_loss
from bbccli.dropping.base import Rule
from bbccli.errors import OptionError, nearest

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        bbcd.RULE,
        brace.RULE,
        hoeffding.RULE,
        friedman.RULE,
        anova.RULE,
        win_loss.RULE,
        cvst.RULE,
        wilcoxon.RULE,
    )
}

EVERY = "all"
"""Stands for all rules."""


def choose_rule(name: str) -> Rule:
    """Return the rule of this name.

    Raises
    ------
    OptionError
        No rule has that name.
    """
    if name not in RULES:
        raise OptionError(f"no rule named {name!r}", hint=nearest(name, RULES))
    return RULES[name]


def choose_rules(names: Sequence[str]) -> list[Rule]:
    """Return the rules of these names, each once; `all` stands for all of them.

    Raises
    ------
    OptionError
        No rule has that name.
    """
    wanted = [one for name in names for one in (RULES if name == EVERY else (name,))]
    return [choose_rule(name) for name in dict.fromkeys(wanted)]
