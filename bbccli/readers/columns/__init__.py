"""What columns are, told by their values before they become configurations; a module per family."""

from __future__ import annotations

from bbccli.readers.columns import (
    blends,
    bounds,
    classes,
    features,
    groups,
    labels,
    residuals,
    searches,
    subsets,
    uncertainty,
)
from bbccli.readers.rules import ReadingRule

TABLE_RULES: tuple[ReadingRule, ...] = (*subsets.TABLE_RULES, *searches.TABLE_RULES)
"""Rules on whole tables, before their columns have roles."""

RULES: tuple[ReadingRule, ...] = (
    *subsets.RULES,
    *searches.RULES,
    *groups.RULES,
    *classes.RULES,
    *bounds.RULES,
    *residuals.RULES,
    *uncertainty.RULES,
    *labels.RULES,
    *features.RULES,
    *blends.RULES,
)
"""All rules on columns, in the order in which they are applied."""
