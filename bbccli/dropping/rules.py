"""The registry of rules."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.arguments import as_list, entry
from bbccli.dropping import bbcd, losses, over_folds
from bbccli.dropping.base import Rule

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        bbcd.RULE,
        losses.BRACE,
        losses.HOEFFDING,
        over_folds.FRIEDMAN,
        over_folds.ANOVA,
        over_folds.WIN_LOSS,
        losses.CVST,
        over_folds.WILCOXON,
    )
}

EVERY = "all"
"""Stands for all rules."""


def choose_rule(name: str | Rule) -> Rule:
    """Return the rule of this name; a rule itself as it is.

    Raises
    ------
    OptionError
        No rule has that name.
    """
    return entry(RULES, name, "rule", Rule)


def choose_rules(names: str | Rule | Sequence[str | Rule]) -> list[Rule]:
    """Return the rules of these names, each once; `all` stands for all of them.

    Raises
    ------
    OptionError
        No rule has that name.
    """
    wanted = [one for name in as_list(names) for one in (RULES if name == EVERY else (name,))]
    return list(dict.fromkeys(choose_rule(name) for name in wanted))
