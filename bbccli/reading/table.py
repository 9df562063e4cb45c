"""Named columns of one file, or of several stacked, in memory or on disk."""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bbccli.errors import InputError, naming
from bbccli.platform.dataclass import dataclass
from bbccli.reading.arrow import (
    Kinds,
    as_arrow,
    kinds_of,
    levels_of,
    pa,
    plain,
    spread_lists,
    take,
    to_numbers,
    to_rows,
    without_nested,
)
from bbccli.reading.column import Column, Origin, number_of
from bbccli.reading.metadata import Metadata, parse_metadata
from bbccli.types import FloatArray, IntArray, readonly

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from bbccli.reading.sources.parquet import ColumnsOnDisk


_FEW_ROWS = 512
"""Rows of a table in memory up to which all are read at once."""

_HEAD = 1024
"""First rows of a column on disk that are kept."""

CLASS_SEPARATOR = "::"
"""Separates configuration and class in the name of a column."""


GLANCE = 64
"""Rows to look at before whole columns are read."""


@dataclass(frozen=True, slots=True)
class PredictionColumn:
    """Predictions of a configuration, or of one class by it.

    Parameters
    ----------
    name
        Name of its column in a wide table.
    source
        Column of the table that holds them.
    configuration
        Name of the configuration.
    label
        Name of the class; None if the configuration has a single column.
    rows : (n_rows,), optional
        Row of the table for each row of the sheet, -1 where missing; None if rows are the same.
    """

    name: str
    source: str
    configuration: str
    label: str | None = None
    rows: IntArray | None = None


def cells_of(
    owners: Iterable[tuple[str, str | None]], taken: Iterable[str] = ()
) -> tuple[PredictionColumn, ...]:
    """Return the columns of configurations, each with a class or None, whatever their names mean.

    Their own names are unique, and differ from `taken` ones.
    """
    cells, used = [], set(taken)
    for configuration, label in owners:
        name = configuration if label is None else f"{configuration}{CLASS_SEPARATOR}{label}"
        while name in used:
            name += " (predictions)"
        used.add(name)
        cells.append(PredictionColumn(name, name, configuration, label))
    return tuple(cells)


@dataclass(frozen=True)
class Table:
    """Columns of one source: a file, a table in memory, or the folder of a run.

    Parameters
    ----------
    path
        Name for messages: the path as given, or `<stdin>`.
    data
        Arrow table of plain columns, see `arrow.plain`; or those of a large file.
    sha256
        Hash of the file's bytes.
    about
        Metadata, or their JSON, as text or parsed, and the name of their place, if any.
    origins
        The files, if rows come from several or columns were renamed.
    nested
        Columns of objects, lists or bytes, which cannot be read.
    inside
        What is inside the objects, by its path: hidden, unless requested.
    aside
        Columns that number or name the rows: hidden, unless requested.
    unnamed
        Columns `config::0` and so on, for unnamed classes: the file holds lists.
    levels
        Ordered categories by column, of a file that holds lists.
    """

    path: str
    data: pa.Table | ColumnsOnDisk
    sha256: str = ""
    about: Metadata | tuple[str | bytes | Mapping[str, Any], str] | None = None
    origins: tuple[Origin, ...] = ()
    nested: tuple[str, ...] = ()
    inside: pa.Table | None = None
    aside: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    full: set[str] = field(default_factory=set, init=False, repr=False, compare=False)
    """Names of the columns that were read and found finite in every row."""
    _columns: dict[str, Column] = field(default_factory=dict, init=False, repr=False, compare=False)
    _head: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """First rows of columns on disk, read once for all rules."""

    @cached_property
    def metadata(self) -> Metadata:
        """The metadata; empty if there are none."""
        if isinstance(self.about, tuple):
            return parse_metadata(*self.about)
        return self.about or Metadata()

    @cached_property
    def kinds(self) -> Kinds:
        """Names and types of all columns."""
        return kinds_of(self.data.schema)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Column names in file order."""
        names = self.kinds.names
        return tuple([n for n in names if n not in self.aside]) if self.aside else names

    @cached_property
    def by_spelling(self) -> Mapping[str, Sequence[str]]:
        """Names in file order, by their lower-case spelling."""
        spelt: dict[str, list[str]] = {}
        for name in self.names:
            spelt.setdefault(name.casefold(), []).append(name)
        return spelt

    @cached_property
    def texts(self) -> frozenset[str]:
        """Names of the text columns."""
        return self.kinds.texts

    def asked_for(self, names: Container[str | None]) -> Table:
        """Return the table with these columns no longer set aside or inside objects."""
        aside = tuple(name for name in self.aside if name not in names)
        data: Any = self.data
        inside = self.inside
        for name, values in (
            () if inside is None else zip(inside.column_names, inside.columns, strict=True)
        ):
            if name in names and name not in data.column_names:
                data = data.append_column(name, values)
        same = aside == self.aside and data is self.data
        return self if same else replace(self, aside=aside, data=data)

    @property
    def opened(self) -> Table:
        """The table with all that is inside objects."""
        return self if self.inside is None else self.asked_for(self.inside.column_names)

    @property
    def shown(self) -> pa.Table | ColumnsOnDisk:
        """The columns that are not set aside."""
        names = self.kinds.names
        return self.data.select([i for i, name in enumerate(names) if name not in self.aside])

    @property
    def n_rows(self) -> int:
        """Number of data rows, without the header."""
        return int(self.data.num_rows)

    @property
    def on_disk(self) -> bool:
        """True for a large file, of which columns are read one by one."""
        return hasattr(self.data, "bare")

    @property
    def is_small(self) -> bool:
        """True for a table in memory of so few rows that all are read for the first look."""
        return self.n_rows <= _FEW_ROWS and not self.on_disk

    def numbers(self, names: Sequence[str], kind: Any = np.float64) -> FloatArray:
        """(C, n_rows) some columns of numbers or booleans, NaN where missing; of a small table all
        are read together once.
        """
        if not self.is_small:
            return to_rows(self.data.read(names) if self.on_disk else self._some(names), kind)
        places, block = self._block
        return block[[places[name] for name in names]]

    @cached_property
    def _block(self) -> tuple[Mapping[str, int], FloatArray]:
        which = [name for name in self.kinds.names if name not in self.texts]
        places = {name: place for place, name in enumerate(which)}
        return places, to_rows(self._some(which), np.float64)

    def _some(self, names: Sequence[str]) -> pa.Table:
        position = self.kinds.position
        return self.data.select([position[name] for name in names])

    def fault(self, problem: str, *, hint: str, **place: Any) -> InputError:
        """Return an error about the table, at a column or a row if `place` names one."""
        return InputError(problem, path=self.path, hint=hint, **place)

    def head(self, names: Sequence[str], n: int) -> pa.Table:
        """Return at most n first rows of some columns."""
        if isinstance(self.data, pa.Table):
            return self._some(names).slice(0, n)
        if n > _HEAD:
            return self.data.head(names, n)
        if missing := [name for name in names if name not in self._head]:
            read = self.data.head(missing, _HEAD)
            self._head.update(zip(missing, read.columns, strict=True))
        return pa.table({name: self._head[name] for name in names}).slice(0, n)

    def glance(self, names: Sequence[str], rows: IntArray) -> pa.Table:
        """Return a few rows, in order, of some columns."""
        head = self.head(names, int(rows.max(initial=-1)) + 1)
        return head if len(rows) == head.num_rows else take(head, as_arrow(rows))

    @cached_property
    def _rows(self) -> IntArray:
        """(n_rows,) row of each value, the same array for all columns."""
        return np.asarray(readonly(np.arange(self.n_rows)))

    def column(self, name: str) -> Column:
        """Return a column, with NaN made null; that of a small table is made once."""
        if name in self._columns:
            return self._columns[name]
        values = self.data.column(name).combine_chunks()
        if pa.types.is_floating(values.type):
            numbers = to_numbers(values)
            undefined = np.isnan(numbers)
            if np.count_nonzero(undefined) > values.null_count:
                values = as_arrow(numbers, ~undefined)
        column = Column(self.path, name, values, self._rows, self.origins)
        return self._columns.setdefault(name, column) if self.is_small else column


def plain_table(content: pa.Table | ColumnsOnDisk, path: str, **more: Any) -> Table:
    """Return the table of a format's content, in plain columns; `more` are further fields."""
    if not isinstance(content, pa.Table):
        return Table(path, content, **more)
    with naming(path):
        content, nested = without_nested(content)
        more["nested"] = (*more.get("nested", ()), *nested)
        if kinds_of(content.schema).lists:
            more["levels"] = levels_of(content)
            content, more["unnamed"] = spread_lists(content)
        return Table(path, plain(content), **more)


class ArrowStream(Protocol):
    """A table that gives its rows as an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return a capsule that holds the stream."""


def in_memory(source: object) -> TypeIs[ArrowStream]:
    """True for a table in memory, False for a path."""
    if isinstance(source, str | PurePath):
        return False
    streams = ("__arrow_c_stream__", "__arrow_c_array__")
    return any(hasattr(source, name) for name in streams) or is_pandas(source)


def is_pandas(source: object) -> bool:
    """Return True if it is a data frame of pandas, which is not imported for that."""
    pandas = sys.modules.get("pandas")  # whoever has a frame of it has imported it
    return pandas is not None and isinstance(source, pandas.DataFrame)


def joint_hash(hashes: Sequence[str]) -> str:
    """Return the hash of several tables read together; of one, its own."""
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()


def check_column_names(frame: Table) -> None:
    """Refuse columns without a name and duplicate names."""
    for fault in name_faults(frame):
        raise fault


def name_faults(frame: Table) -> Iterator[InputError]:
    """Yield an error for each column without a name and each duplicate name."""
    if len(named := [*filter(str.strip, frame.names)]) == 1 < len(frame.kinds.names) - 1:
        problem = f"the first line is a title, not the header: {named[0]}"
        yield frame.fault(problem, hint="remove what is above the header")
        return
    if len({*frame.names}) == len(frame.names) and all(map(str.strip, frame.names)):
        return
    seen: set[str] = set()
    data: Any = frame.data
    place, first = "the first column", frame.kinds.names[0]
    several_lines, names = False, frame.kinds.names
    if len({*names}) < len(names) and not frame.on_disk and len(data) > 1:
        again = [i for i, name in enumerate(names) if names.count(name) > 1]
        top, second = (number_of(str(data.column(0)[row].as_py())) for row in (0, 1))
        # pandas names the levels first, or leaves a line blank but for the index
        several_lines = math.isnan(top) and (not math.isnan(second) or not first.strip())
        several_lines |= any(
            not any(data.column(i)[row].is_valid for i in again) for row in range(min(3, len(data)))
        )
    if several_lines:
        yield frame.fault(
            "the header has several lines, as of a data frame whose columns have several levels",
            hint="join them: df.columns = ['::'.join(map(str, c)).strip(':') for c in df.columns]",
        )
        return
    for name in frame.kinds.names:
        if name in frame.aside:
            continue
        if not name.strip():
            yield frame.fault(
                f"{place} has no name",
                hint="name it 'row_id' if it identifies samples, or write the file without a row "
                "index (pandas: index=False)"
                if name == first and not seen
                else "give every column a name, or remove it",
            )
        elif name in seen:
            yield name_twice(name, frame.path)
        seen.add(name)
        place = f"the column after {name!r}"


def not_predictions(path: str) -> InputError:
    """Return the error about a saved result that was given as predictions."""
    return InputError(
        "holds a result of bbc, not predictions",
        path=path,
        hint="give the predictions that it was made from; for a result in .json or .jsonl use bbc "
        "explain or bbc report",
    )


def name_twice(name: str, path: str) -> InputError:
    """Return the error about two columns with the same name."""
    hint = "rename or drop one of the two columns"
    if not math.isnan(number_of(name)):
        hint = f"write the names of the columns in the first line; or {hint}"
    return InputError("two columns have the same name", path=path, column=name, hint=hint)
