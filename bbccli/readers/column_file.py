"""Predictions that stay in a Parquet file: columns are read on request."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.core.local import note
from bbccli.errors import InputError
from bbccli.readers.arrow import to_numbers
from bbccli.types import FloatArray

if TYPE_CHECKING:
    import pyarrow.parquet as pq

AT_ONCE = 2**22
"""Cells read in one call: 16 MB of float32."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnFile:
    """An array (1, N, C) of predictions on disk, indexed by consecutive rows and by columns.

    Attributes
    ----------
    path
        Absolute path, the same on every machine that reads it.
    size
        Bytes of the file, to notice another file of this name.
    names
        Columns of the C configurations.
    n_rows
        N.
    single
        True if all columns are float32; else they are read as float64.
    labels
        Value of each class code, if the predictions are labels; they are read as codes.
    in_unit
        True if all numbers are in [0, 1].
    """

    path: str
    size: int
    names: tuple[str, ...]
    n_rows: int
    single: bool
    labels: tuple[float, ...] | None = None
    in_unit: bool = False

    ndim = 3

    @property
    def shape(self) -> tuple[int, int, int]:
        """(1, N, C)."""
        return 1, self.n_rows, len(self.names)

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Type of the numbers as read."""
        return np.dtype(np.float32 if self.single and self.labels is None else np.float64)

    @property
    def nbytes(self) -> int:
        """Bytes of all predictions in memory."""
        return self.n_rows * len(self.names) * self.dtype.itemsize

    def __getitem__(self, key: tuple[slice, slice, Any]) -> FloatArray:
        """Read configurations, `[:, rows, columns]`, with a number for each sample: (1, N', C').

        Only row groups with some of the rows are read.
        """
        columns = np.arange(len(self.names))[key[2]]
        first, end, _ = key[1].indices(self.n_rows)
        # column by column in memory, as they are read
        found: FloatArray = np.empty((1, len(columns), end - first), self.dtype).swapaxes(1, 2)
        step = max(AT_ONCE // max(end - first, 1), 1)
        for start in range(0, len(columns), step):
            batch = columns[start : start + step].tolist()
            read = self._read([self.names[c] for c in batch], first, end)
            for offset, values in enumerate(read):
                found[0, :, start + offset] = values if self.labels is None else self._codes(values)
        return found

    def of(self, columns: list[int]) -> ColumnFile:
        """Select configurations, without reading them."""
        return replace(self, names=tuple(self.names[c] for c in columns))

    def _codes(self, values: FloatArray) -> FloatArray:
        """Return class codes of labels (N,), NaN for other values."""
        codes = np.full(len(values), np.nan)
        for code, label in enumerate(self.labels or ()):
            codes[values == label] = code
        return codes

    def _read(self, names: list[str], first: int, end: int) -> list[FloatArray]:
        """Read some rows of columns by name: (N',) each."""
        import pyarrow as pa

        try:
            file = _opened(self.path, self.size)
            rows = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
            ends = np.cumsum([0, *rows])
            groups = np.flatnonzero((ends[1:] > first) & (ends[:-1] < end)).tolist()
            before = int(ends[groups[0]]) if groups else 0
            table = file.read_row_groups(groups, columns=names, use_threads=False)
        except (pa.ArrowException, OSError) as error:
            raise InputError(
                f"can't be read by a worker: {' '.join(str(error).split())}",
                path=self.path,
                hint="put the file on a shared disk, under the same path for all workers",
            ) from None
        table = table.slice(first - before, end - first)
        places = [table.schema.get_all_field_indices(name)[0] for name in names]
        return [to_numbers(table.column(place)) for place in places]


@lru_cache(maxsize=2)
def _opened(path: str, size: int) -> pq.ParquetFile:
    """Open the file, once: with many columns its metadata take time to read."""
    import pyarrow.parquet as pq

    found = Path(path).stat().st_size
    if found != size:
        raise OSError(f"it has {found} bytes, not {size}")
    note(path)
    return pq.ParquetFile(path)
