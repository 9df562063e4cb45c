"""Rows as a data frame: the one place that imports pandas, and only when it is asked for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bbccli.documents.rows import REAL, TRUTH, WHOLE
from bbccli.documents.values import Json

if TYPE_CHECKING:
    import pandas as pd


def frame_of(rows: Sequence[Json], columns: Sequence[str]) -> pd.DataFrame:
    """Return rows as a data frame: floats, nullable whole numbers, booleans, and text."""
    import pandas as pd

    kinds = dict.fromkeys(WHOLE, "Int64") | dict.fromkeys(REAL, "float64")
    kinds |= dict.fromkeys(TRUTH, "bool")
    return pd.DataFrame(
        {
            name: pd.Series([row[name] for row in rows], dtype=kinds.get(name, "object"))
            for name in columns
        }
    )
