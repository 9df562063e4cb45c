"""Registry of dialects: formats in which other tools write predictions.

A file is recognised by its column names, or by `--dialect`.
"""

from __future__ import annotations

from bbccli.reading.layout.dialects.base import Dialect, Layout
from bbccli.reading.layout.dialects.long import ITEMS, LONG
from bbccli.reading.layout.dialects.r import CARET, MLR3, TIDYMODELS
from bbccli.reading.layout.dialects.single import KAGGLE, OPENML

__all__ = ["DIALECTS", "Dialect", "Layout"]

DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect for dialect in (CARET, TIDYMODELS, MLR3, ITEMS, LONG, OPENML, KAGGLE)
}
