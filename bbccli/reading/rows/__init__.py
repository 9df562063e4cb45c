"""What rows are, told by their values: repeats of a cross-validation, or never predicted."""

from __future__ import annotations

from bbccli.reading.rows.repeats import by_outcome
from bbccli.reading.rows.unpredicted import without_unpredicted

RULES = {"folds of repeats": by_outcome, "rows never predicted": without_unpredicted}
"""All rules on rows."""
