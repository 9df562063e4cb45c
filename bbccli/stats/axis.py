"""Columns that are one configuration at several epochs, or with several seeds.

1. The metadata say so: `"axis": {"epoch": 12}` of a configuration.
2. Columns `config@12`, three or more in equal steps with the same name before the last `@`, whose
   predictions drift: the further apart two numbers are, the more they differ. With such evidence
   other columns of the file that are named so are epochs too, two or more of a configuration.
   Without it `lr@1` and `lr@2` are configurations, since a number may stand for anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from bbccli.domain.estimate import Axis, AxisShare, Estimate
from bbccli.domain.matrix import PredictionMatrix
from bbccli.notes import Note
from bbccli.notes.flags import epoch_chosen
from bbccli.platform.dataclass import dataclass
from bbccli.stats.selection.candidates import cached

_NAME = re.compile(r"(.+)@(\d+)")
_STEADY, _STEADY_OF_FEW, _FEW = 0.5, 0.75, 4
"""Correlation of distance along the axis and of predictions, above which it has an order; of a few
columns, which come into an order by chance."""
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
        if name not in about and "@" not in name:
            continue
        declared, match = about.get(name, {}).get("axis"), _NAME.fullmatch(name)
        values = [*declared.items()] if isinstance(declared, Mapping) else []
        values = [
            value for value in values if type(value[1]) is int and value[0] != "configuration"
        ]
        if len(values) == 1 and isinstance(declared, Mapping):
            (axis, value), called = values[0], declared.get("configuration")
            yield name, Place(str(called or (match[1] if match else name)), str(axis), value)
        elif match:
            named.setdefault(match[1], {}).setdefault(int(match[2]), []).append(column)
    several = {
        configuration: {value: column for value, (column,) in sorted(columns.items())}
        for configuration, columns in named.items()
        if len(columns) > 1 and all(len(column) == 1 for column in columns.values())
    }
    if not any(_is_steady(matrix, columns) for columns in several.values()):
        return
    for configuration, places in several.items():
        for value, column in places.items():
            yield matrix.configurations[column], Place(configuration, "epoch", value)


def _is_steady(matrix: PredictionMatrix, places: Mapping[int, int]) -> bool:
    """True if three or more columns in equal steps differ the more, the further apart they are."""
    if len(places) < 3 or len({*np.diff([*places])}) > 1:
        return False
    columns = np.array([*places.values()])
    columns = columns[np.linspace(0, len(columns) - 1, min(len(columns), _MOST_COLUMNS), dtype=int)]
    rows = np.linspace(0, matrix.n_samples - 1, min(matrix.n_samples, _MOST_ROWS), dtype=int)
    values = matrix.predictions[0][rows][:, columns].swapaxes(0, 1).reshape(len(columns), -1)
    first, second = np.triu_indices(len(columns), 1)
    apart = np.abs(values[first] - values[second]).mean(axis=1)
    limit = _STEADY_OF_FEW if len(columns) <= _FEW else _STEADY
    return bool(np.ptp(apart) > 0 and np.corrcoef(second - first, apart)[0, 1] > limit)


def axis_of(matrix: PredictionMatrix, estimate: Estimate) -> Axis | None:
    """Return where the winner is on its axis, and how often each place won; None without one."""
    places = places_of(matrix)
    of = places.get(estimate.winner)
    if of is None:
        return None
    won = {
        places[win.configuration].value: win.share
        for win in estimate.selection
        if win.configuration in places
        and places[win.configuration].configuration == of.configuration
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
