"""What rows are, told by their values: never predicted, or repeats of a cross-validation."""

from __future__ import annotations

from bbccli.readers.rows import unpredicted
from bbccli.readers.rules import ReadingRule

RULES: tuple[ReadingRule, ...] = (*unpredicted.RULES,)
"""All rules on rows."""
