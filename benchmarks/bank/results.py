"""The store: the result of every variant on every study, in Parquet files that are committed.

A row is a variant on a metric of a search of a study: `population`, `size` (N), `repetition`,
`search` (C), `metric`, `method`, `interval`, and

- `truth`: of the winner that the variant names;
- `estimate` minus the truth, and ends of intervals minus the truth, as whole numbers of `unit`s,
  so that a file stays small. An end that is not the truth is never rounded onto it. There are
  two-sided intervals (`lower_95`, `upper_95`) and one-sided ones (`one_95`, whose other end is the
  metric's bound).
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from bbccli.platform.atomic import replacing

FOLDER = Path(__file__).parent / "results"

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
ENDS = tuple(
    f"{end}_{level:.0%}".rstrip("%") for end in ("lower", "upper", "one") for level in LEVELS
)
KEYS = ("population", "size", "repetition", "search", "metric", "method", "interval")
COLUMNS = (*KEYS, "unit", "truth", "estimate", *ENDS)

MISSING, INFINITE, MOST = -32768, 32767, 32000

Key = tuple[Any, ...]
Row = Mapping[str, Any]


def encoded(distance: float, unit: float) -> int:
    """A distance in units: of the sign of the distance, and 0 for none."""
    if np.isnan(distance):
        return MISSING
    if np.isinf(distance):
        return INFINITE if distance > 0 else -INFINITE
    steps = round(abs(distance) / unit)
    steps = min(max(steps, 1), MOST) if abs(distance) > 1e-9 * unit else 0
    return steps if distance > 0 else -steps


def decoded(codes: Any, unit: Any) -> Any:
    """Distances of the codes, NaN where there is none."""
    distances = codes.astype(float) * unit
    distances = np.where(codes == MISSING, np.nan, distances)
    infinite = np.abs(codes.astype(int)) == INFINITE
    return np.where(infinite, np.copysign(np.inf, distances), distances)


class Results:
    """The rows of one file, to which rows are added.

    Parameters
    ----------
    path
        The file; it need not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.frame = pq.read_table(path).to_pandas() if path.exists() else None
        self.stored: set[Key] = set()
        if self.frame is not None:
            self.stored = set(self.frame[list(KEYS)].itertuples(index=False, name=None))
        self._added: list[Row] = []

    def add(self, rows: Iterable[Row]) -> None:
        """Keep rows; they are on disk after the next `write`."""
        for row in rows:
            self.stored.add(tuple(row[name] for name in KEYS))
            self._added.append(row)

    def write(self) -> None:
        """Write all rows, in an order that compresses well; readers see the old file or the new."""
        if not self._added:
            return
        added = _typed(pd.DataFrame(self._added, columns=list(COLUMNS)))
        parts = [added] if self.frame is None else [self.frame, added]
        self.frame = _typed(pd.concat(parts)).sort_values(_ORDER, ignore_index=True)
        self._added = []
        self.rewrite()

    def rewrite(self) -> None:
        """Write the rows that were read and written before."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        table = pa.Table.from_pandas(self.frame, preserve_index=False)
        with replacing(self.path) as file:
            pq.write_table(table, file, compression="zstd", compression_level=19)


_ORDER = ["population", "search", "metric", "method", "interval", "size", "repetition"]


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the types of the file."""
    words = ("population", "metric", "method", "interval")
    types = dict.fromkeys(COLUMNS, "int16")
    types |= dict.fromkeys(words, "str") | {"unit": "float32", "truth": "float32"}
    return frame.astype(types)


def read(folder: Path = FOLDER) -> pd.DataFrame:
    """All rows of a folder; distances decoded, in the unit of the metric."""
    frames = [pq.read_table(path).to_pandas() for path in sorted(folder.glob("*.parquet"))]
    if not frames:
        return pd.DataFrame(columns=list(COLUMNS))
    frame = pd.concat(frames, ignore_index=True)
    unit = frame["unit"].to_numpy()
    for name in ("estimate", *ENDS):
        frame[name] = decoded(frame[name].to_numpy(), unit)
    return frame


def forget(folder: Path, method: str) -> None:
    """Drop the rows of a method, or of `METHOD:INTERVAL`, so that it is judged again."""
    name, _, interval = method.partition(":")
    for path in sorted(folder.glob("*.parquet")):
        results = Results(path)
        assert results.frame is not None
        gone = (results.frame["method"] == name) & (
            (results.frame["interval"] == interval) | (interval == "")
        )
        results.frame = results.frame[~gone]
        results.rewrite()
