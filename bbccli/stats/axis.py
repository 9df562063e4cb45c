"""Columns that are one configuration at several epochs, or with several seeds.

1. The metadata say so: `"axis": {"epoch": 12}` of a configuration.
2. Columns `config@12`, two or more with the same name before the last `@`. Along epochs predictions
   drift: the further apart two numbers are, the more their predictions differ. Else they are seeds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from bbccli.domain.estimate import Axis, AxisShare, Estimate
from bbccli.domain.matrix import PredictionMatrix
from bbccli.notes import Note, epoch_chosen
from bbccli.platform.dataclass import dataclass
from bbccli.stats.selection.candidates import cached
from bbccli.types import IntArray

_NAME = re.compile(r"(.+)@(\d+)")
_STEADY = 0.5
"""Correlation of distance along the axis and of predictions, above which it has an order."""
_MOST_ROWS, _MOST_COLUMNS, _MOST_SHOWN = 500, 30, 10


@dataclass(frozen=True, slots=True)
class Place:
    """Where a column is: of a configuration, at a value of an axis."""

    configuration: str
    axis: str
    value: int


def places_of(matrix: PredictionMatrix) -> Mapping[str, Place]:
    """Return the place of each column that is on an axis, alone or with others."""
    return cached(matrix, "axis", lambda: dict(_places(matrix)))


def _places(matrix: PredictionMatrix) -> Iterator[tuple[str, Place]]:
    about, named = matrix.source.configurations, dict[str, dict[int, list[int]]]()
    for column, name in enumerate(matrix.configurations):
        told, match = about.get(name, {}).get("axis"), _NAME.fullmatch(name)
        values = [*told.items()] if isinstance(told, Mapping) else []
        values = [one for one in values if type(one[1]) is int and one[0] != "configuration"]
        if len(values) == 1 and isinstance(told, Mapping):
            (axis, value), own = values[0], told.get("configuration")
            yield name, Place(str(own or (match[1] if match else name)), str(axis), value)
        elif match:
            named.setdefault(match[1], {}).setdefault(int(match[2]), []).append(column)
    for configuration, columns in named.items():
        if len(columns) < 2 or any(len(one) > 1 for one in columns.values()):
            continue
        ordered = np.array([columns[value][0] for value in sorted(columns)])
        axis = "epoch" if len(ordered) == 2 or _is_steady(matrix, ordered) else "seed"
        for value, (column,) in columns.items():
            yield matrix.configurations[column], Place(configuration, axis, value)


def _is_steady(matrix: PredictionMatrix, columns: IntArray) -> bool:
    """True if predictions differ the more, the further apart columns are."""
    columns = columns[np.linspace(0, len(columns) - 1, min(len(columns), _MOST_COLUMNS), dtype=int)]
    rows = np.linspace(0, matrix.n_samples - 1, min(matrix.n_samples, _MOST_ROWS), dtype=int)
    values = matrix.predictions[0][rows][:, columns].swapaxes(0, 1).reshape(len(columns), -1)
    first, second = np.triu_indices(len(columns), 1)
    apart = np.abs(values[first] - values[second]).mean(axis=1)
    if np.ptp(apart) == 0:
        return False
    return bool(np.corrcoef(second - first, apart)[0, 1] > _STEADY)


def axis_of(matrix: PredictionMatrix, estimate: Estimate) -> Axis | None:
    """Return where the winner is on its axis, and how often each place won; None without one."""
    places = places_of(matrix)
    of = places.get(estimate.winner)
    if of is None:
        return None
    won = {
        places[one.configuration].value: one.share
        for one in estimate.selection
        if one.configuration in places
        and places[one.configuration].configuration == of.configuration
    }
    listed = sorted(won, key=lambda value: (-won[value], value))[:_MOST_SHOWN]
    return Axis(
        of.configuration,
        of.axis,
        of.value,
        sum(won.values()) if won else None,
        tuple(AxisShare(value, won[value]) for value in listed),
    )


def on_chosen(matrix: PredictionMatrix, winner: str) -> Iterator[Note]:
    """Yield a note where only one epoch of the winner was kept."""
    places = places_of(matrix)
    of = places.get(winner)
    if of is None:
        return
    others = [place for place in places.values() if place.configuration == of.configuration]
    if len(others) == 1:
        yield epoch_chosen(of.configuration, of.axis, of.value, matrix.n_samples)
