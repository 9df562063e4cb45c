"""What samples are called, so that files of the same samples can be joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.types import BoolArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class SampleKeys:
    """What N samples are called.

    Parameters
    ----------
    values : (N,)
        Whole numbers, or text as UTF-8: a fraction of the memory of text.
    column
        Column that holds them; None where they are the positions of the rows.
    rows : (N,), optional
        Row of the file in which each sample appears first; None where they are not of one file.
    """

    values: IntArray | NDArray[np.bytes_]
    column: str | None = "row_id"
    rows: IntArray | None = None

    def __len__(self) -> int:
        return len(self.values)

    def take(self, samples: IntArray | BoolArray) -> SampleKeys:
        """Return the keys of some samples, by their positions or where True."""
        rows = None if self.rows is None else self.rows[samples]
        return SampleKeys(self.values[samples], self.column, rows)

    def as_text(self) -> NDArray[np.str_]:
        """(N,) the keys as text.

        Examples
        --------
        >>> SampleKeys(np.array([7, 12])).as_text().tolist()
        ['7', '12']
        """
        values: Any = self.values
        text = np.char.decode(values, "utf-8") if values.dtype.kind == "S" else values.astype(str)
        return np.asarray(text)
