"""What columns are, told by their values before they become configurations; a module per family."""

from __future__ import annotations

from bbccli.readers.columns import labels
from bbccli.readers.rules import ReadingRule

RULES: tuple[ReadingRule, ...] = (*labels.RULES,)
"""All rules on columns, in the order in which they are applied."""
