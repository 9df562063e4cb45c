"""What rows are, told by their values: repeats of a cross-validation, or never predicted."""

from __future__ import annotations

from bbccli.readers.rows import repeats, unpredicted
from bbccli.readers.rules import ReadingRule

RULES: tuple[ReadingRule, ...] = (*repeats.RULES, *unpredicted.RULES)
"""All rules on rows."""
