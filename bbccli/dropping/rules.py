"""The rules: name, label, function, needs, threshold, folds before the first drop, and source."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.dropping.base import Rule, RuleNeed
from bbccli.dropping.over_folds import anova, friedman, wilcoxon, win_loss
from bbccli.dropping.over_samples import THRESHOLD, bbcd, betting, brace, cvst
from bbccli.platform.arguments import as_list, entry

FOLDS, LOSSES = frozenset({RuleNeed.FOLDS}), frozenset({RuleNeed.LOSSES})
BOUNDED = LOSSES | {RuleNeed.BOUNDED_LOSSES}
BBCD = "Tsamardinos, Greasidou & Borboudakis 2018, section 4"
BETTING = "Ville 1939; Waudby-Smith & Ramdas 2024"
F_RACE = "Birattari, Stuetzle, Paquete & Varrentrapp 2002"
WINS = "Kuhn 2014; Bradley & Terry 1952; Firth 1993"
CVST = "Krueger, Panknin & Braun 2015"

_RULES = (
    Rule("bbcd", "bootstrap of the rows", bbcd, frozenset(), THRESHOLD, 0, BBCD),
    Rule("brace", "differences in the same samples", brace, LOSSES, 0.99, 0, "Moore & Lee 1994"),
    Rule("betting", "bets against the truly best", betting, BOUNDED, 0.95, 0, BETTING),
    Rule("friedman", "ranks over folds (F-race)", friedman, FOLDS, 0.95, 5, F_RACE),
    Rule("anova", "mixed model over folds", anova, FOLDS, 0.95, 3, "Kuhn 2014"),
    Rule("win-loss", "contests in folds", win_loss, FOLDS, 0.95, 3, WINS),
    Rule("cvst", "sequential test of traces", cvst, FOLDS | LOSSES, 0.95, 2, CVST),
    Rule("wilcoxon", "signed ranks over folds", wilcoxon, FOLDS, 0.9, 2, "Wilcoxon 1945"),
)

RULES: dict[str, Rule] = {rule.name: rule for rule in _RULES}

EVERY = "all"
"""Stands for all rules."""


def choose_rule(name: str | Rule) -> Rule:
    """Return the rule of this name; a rule itself as it is.

    Raises OptionError: no rule has that name.
    """
    return entry(RULES, name, "rule", Rule)


def choose_rules(names: str | Rule | Sequence[str | Rule]) -> list[Rule]:
    """Return the rules of these names, each once; `all` stands for all of them.

    Raises OptionError: no rule has that name.
    """
    expanded = [rule for name in as_list(names) for rule in (RULES if name == EVERY else (name,))]
    return list(dict.fromkeys(choose_rule(name) for name in expanded))
