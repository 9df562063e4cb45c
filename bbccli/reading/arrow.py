"""Convert Arrow arrays to numpy and back through their buffers, and columns to plain types.

Arrow's own conversions import pandas, which would take most of the time of a small run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bbccli.errors import InputError
from bbccli.platform.dataclass import dataclass
from bbccli.platform.text import count
from bbccli.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    import pyarrow as pa
else:

    class _Imported:
        """pyarrow and its parts, imported once something in them is needed."""

        def __getattr__(self, name: str) -> Any:
            import pyarrow

            with suppress(ModuleNotFoundError):
                import_module(f"pyarrow.{name}")
            vars(self).update(vars(pyarrow))
            return getattr(pyarrow, name)

    pa = _Imported()

_MANY = 10_000
"""Most elements in a list; a file with more rows may have as many as it has rows."""

_FEW = 200
"""Rows that are done without Arrow's functions, which take a fiftieth of a small run to import."""

_BY_HAND = iter(range(64))
"""Times that takes less than importing them: more are wanted by many columns, or a batch."""

SUM_TOLERANCE = 1e-3
"""Tolerance for the sum of the probabilities of all classes."""

_NUMPY_NAMES = {"float": "float32", "double": "float64"}
_TEXTS = frozenset(("string", "large_string"))
_INTEGERS = frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
_NUMBERS = _INTEGERS | {"halffloat", *_NUMPY_NAMES}
"""What Arrow calls its types: asked many times, and in a tenth of the time of its own tests."""


def apply(name: str, *values: Any, options: Any = None) -> Any:
    """Call one of Arrow's functions by name; it raises `pa.ArrowException`.

    The methods of arrays import `pyarrow.compute`, which wraps 280 documented functions: a tenth of
    the time of a small run. The function behind them is called directly.
    """
    return _compute().call_function(name, [*values], options)


@cache
def _compute() -> Any:
    try:
        from pyarrow import _compute as functions
    except ImportError:  # if it moves, this import remains
        from pyarrow import compute as functions
    return functions


def by_hand(n: int) -> bool:
    """True for a few rows, until importing Arrow's functions pays."""
    return n <= _FEW and next(_BY_HAND, None) is not None


def cast(values: Any, kind: pa.DataType) -> Any:
    """Convert an array to another type."""
    return apply("cast", values, options=_compute().CastOptions.safe(kind))


def take(values: Any, entries: pa.Array) -> Any:
    """Select entries (n,) of an array; null where an entry is null."""
    if not isinstance(values, pa.Array) or not len(entries) or not by_hand(len(entries)):
        return apply("take", values, entries)
    none, each = pa.nulls(1, values.type), entries.to_pylist()
    return pa.concat_arrays([none if i is None else values.slice(i, 1) for i in each])


def as_arrow(numbers: NDArray[Any], valid: BoolArray | None = None) -> pa.Array:
    """(n,) integers as int64, floats as float32 or float64; null where not `valid`, if given."""
    kind, wide = pa.int64(), "i8"
    if numbers.dtype.kind == "f":
        single = numbers.dtype.itemsize <= 4
        kind, wide = (pa.float32(), "f4") if single else (pa.float64(), "f8")
    whole = valid is None or valid.all()
    bits = None if whole else pa.py_buffer(np.packbits(np.asarray(valid), bitorder="little"))
    data = pa.py_buffer(np.ascontiguousarray(numbers, dtype=wide))
    return pa.Array.from_buffers(kind, len(numbers), [bits, data])


def as_arrow_or_null(integers: IntArray) -> pa.Array:
    """(n,) int64 as Arrow, null where negative."""
    return as_arrow(integers, integers >= 0)


def to_numbers(values: pa.Array | pa.ChunkedArray, out: FloatArray | None = None) -> FloatArray:
    """Return (n,) numbers or booleans as float32 if they are, else as float64; null becomes NaN.

    Parameters
    ----------
    values : (n,)
        Arrow array.
    out : (n,), optional
        Output array.
    """
    kind = str(values.type)
    if kind == "bool":
        values = cast(values, pa.uint8())
    if out is None:
        out = np.empty(len(values), np.float32 if kind == "float" else np.float64)
    start = 0
    for chunk in values.chunks if isinstance(values, pa.ChunkedArray) else [values]:
        n, n_null = len(chunk), chunk.null_count
        part = out[start : start + n]
        start += n
        part[:] = np.nan if n_null == n else _fixed_width(chunk)
        if 0 < n_null < n:
            part[null_mask(chunk)] = np.nan
    return out


def to_rows(table: pa.Table, kind: Any) -> FloatArray:
    """Return (C, n) columns of numbers or booleans as float32 or float64; null becomes NaN."""
    filled = np.empty((table.num_columns, table.num_rows), kind)
    for places in kinds_of(table.schema).places.values():
        start, rows = 0, [*places]
        try:
            for batch in table.select(rows).to_batches():
                numbers = batch.to_tensor(null_to_nan=True, row_major=False).to_numpy()
                if numbers.dtype == kind and numbers.T.shape == filled.shape:
                    return np.asarray(numbers.T)  # all at once, and not copied
                filled[rows, start : start + len(batch)] = numbers.T
                start += len(batch)
        except pa.ArrowException:  # booleans, or only nulls
            filled[rows] = [*map(to_numbers, table.select(rows).columns)]
    return filled


def to_lengths(texts: pa.Array) -> IntArray:
    """(n,) bytes of each text, arbitrary where null."""
    wide = np.int64 if str(texts.type) == "large_string" else np.int32
    ends = np.frombuffer(texts.buffers()[1] or b"", wide)
    return np.diff(ends[texts.offset : texts.offset + len(texts) + 1])


def to_codes(indices: pa.Array) -> IntArray:
    """(n,) int64 indices of a dictionary, -1 where null."""
    if indices.null_count == len(indices):
        return np.full(len(indices), -1, dtype=np.int64)
    codes: IntArray = _fixed_width(indices).astype(np.int64)
    if indices.null_count:
        codes[null_mask(indices)] = -1
    return codes


def null_mask(values: pa.Array) -> BoolArray:
    """(n,) True where an array is null."""
    if values.null_count in (0, len(values)):
        return np.full(len(values), values.null_count > 0)
    bits = np.unpackbits(np.frombuffer(values.buffers()[0], np.uint8), bitorder="little")
    return np.asarray(bits[values.offset : values.offset + len(values)] == 0)


def is_text(kind: pa.DataType) -> bool:
    """True for strings."""
    return str(kind) in _TEXTS


def is_nothing(kind: pa.DataType) -> bool:
    """True for the type of all-null columns."""
    return str(kind) == "null"


def is_integer(kind: pa.DataType) -> bool:
    """True for integers."""
    return str(kind) in _INTEGERS


def is_number(kind: pa.DataType) -> bool:
    """True for integers and floats."""
    return str(kind) in _NUMBERS


@dataclass(frozen=True)
class Kinds:
    """Names, in order, and types of columns; see `kinds_of`.

    places: positions of the columns of each type.
    """

    schema: pa.Schema
    names: tuple[str, ...]
    places: Mapping[pa.DataType, tuple[int, ...]]

    def where(self, test: Callable[[pa.DataType], bool]) -> list[int]:
        """Return the positions of the columns whose type passes a test, in order."""
        return sorted([i for kind, places in self.places.items() if test(kind) for i in places])

    def named(self, test: Callable[[pa.DataType], bool]) -> tuple[str, ...]:
        """Return the names of the columns whose type passes a test, in order."""
        return tuple([self.names[i] for i in self.where(test)])

    @cached_property
    def plain(self) -> Mapping[pa.DataType, pa.DataType]:
        """Types that `plain` gives to columns; lists of numbers stay lists, and structs, maps,
        bytes and other lists are not among them.
        """
        known: dict[pa.DataType, pa.DataType] = {}
        for kind in self.places:
            with suppress(TypeError):
                known[kind] = kind if holds_lists(kind) else _plain_type(kind)
        return known

    @cached_property
    def nested(self) -> tuple[str, ...]:
        """Names of the columns that cannot be read."""
        return self.named(lambda kind: kind not in self.plain)

    @cached_property
    def lists(self) -> tuple[str, ...]:
        """Names of the columns of lists of numbers."""
        return self.named(holds_lists)

    @cached_property
    def texts(self) -> frozenset[str]:
        """Names of the text columns."""
        return frozenset(self.named(is_text))

    @cached_property
    def numeric(self) -> frozenset[str]:
        """Names of the columns of integers and floats."""
        return frozenset(self.named(is_number))

    @cached_property
    def integers(self) -> frozenset[str]:
        """Names of the columns of integers."""
        return frozenset(self.named(is_integer))

    @cached_property
    def discrete(self) -> frozenset[str]:
        """Names of the columns of text and of integers, which may be keys, groups or folds."""
        return self.texts | self.integers

    @cached_property
    def unlike(self) -> list[int]:
        """Positions of the columns that `plain` changes, or may: empty text becomes null."""
        return self.where(lambda kind: is_text(kind) or self.plain.get(kind) != kind)

    @cached_property
    def encoded(self) -> list[int]:
        """Positions of the columns with a dictionary."""
        return self.where(lambda kind: str(kind).startswith("dictionary<"))

    @cached_property
    def position(self) -> Mapping[str, int]:
        """Position of each column by its name, which must be unique."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def types(self) -> Mapping[str, pa.DataType]:
        """Types by name."""
        return dict(zip(self.names, self.schema.types, strict=True))


_LAST = list[Kinds]()
"""Of the last schemas: a table keeps its schema, and so do the files of a batch."""


def kinds_of(schema: pa.Schema) -> Kinds:
    """Return names and types of the columns of a schema."""
    for known in _LAST:
        if known.schema.equals(schema):
            return known
    places: dict[pa.DataType, list[int]] = {}
    for position, kind in enumerate(schema.types):
        places.setdefault(kind, []).append(position)
    kinds = Kinds(schema, tuple(schema.names), {kind: (*at,) for kind, at in places.items()})
    _LAST[:] = [kinds, *_LAST[:15]]
    return kinds


def plain(table: pa.Table) -> pa.Table:
    """Reduce every column to numbers, booleans, text or null; empty text becomes null."""
    kinds = kinds_of(table.schema)
    changed = kinds.unlike
    try:
        (table if not changed else _without(table, changed)).validate(full=True)
    except pa.ArrowException:  # column by column, to find the damaged one
        changed = [*range(len(kinds.names))]
    if not changed:
        return table
    columns = table.columns
    for position in changed:
        kind = kinds.plain[columns[position].type]
        columns[position] = _plain(columns[position], kind, kinds.names[position])
    return pa.Table.from_arrays(columns, names=[*kinds.names])


def _without(table: pa.Table, positions: Collection[int]) -> pa.Table:
    gone = {*positions}
    return table.select([i for i in range(table.num_columns) if i not in gone])


def without_nested(table: pa.Table) -> tuple[pa.Table, tuple[str, ...]]:
    """Return the columns that `plain` or `spread_lists` can read, and the names of the others."""
    kinds = kinds_of(table.schema)
    gone = [i for i in kinds.where(holds_lists) if _is_ragged(table.column(i))]
    gone += kinds.where(lambda kind: kind not in kinds.plain)
    if not gone:
        return table, ()
    if len(gone) == len(kinds.names):
        raise none_plain(table.schema)
    return _without(table, gone), tuple([kinds.names[i] for i in sorted(gone)])


def none_plain(schema: pa.Schema) -> InputError:
    """Return the error about a table of structs, maps, bytes and lists alone."""
    return InputError(
        f"no column can be read: {schema.names[0]!r} holds {schema.types[0]}",
        hint="give numbers, booleans or text, one value per cell",
    )


def _is_ragged(column: pa.ChunkedArray) -> bool:
    """True for lists that are empty, or of different lengths and mostly no probabilities."""
    lengths = to_numbers(apply("list_value_length", column))
    filled = lengths[~np.isnan(lengths)].astype(np.int64)
    if len(set(filled.tolist())) < 2:
        return not filled.any()
    numbers = to_numbers(cast(apply("list_flatten", column), pa.float64()))
    owner = np.repeat(np.arange(len(filled)), filled)
    sums = np.bincount(owner, numbers, len(filled))
    proper = (np.abs(sums - 1) <= SUM_TOLERANCE) & (filled > 1)
    proper[owner[~(numbers >= 0)]] = False
    return bool(2 * proper.sum() <= len(filled))


def holds_lists(kind: pa.DataType) -> bool:
    """True for lists of numbers, such as the probabilities of K classes."""
    types = pa.types
    lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return bool(lists and (is_number(kind.value_type) or types.is_decimal(kind.value_type)))


def spread_lists(table: pa.Table) -> tuple[pa.Table, tuple[str, ...]]:
    """Split columns of lists of K numbers into `name::0` to `name::K-1`; return also these
    names.
    """
    columns, names, spread = [], [], []
    for name, column in zip(table.column_names, table.columns, strict=True):
        parts = _parts(column, name) if holds_lists(column.type) else []
        numbered = [f"{name}::{i}" for i in range(len(parts))]
        names += numbered or [name]
        columns += parts or [column]
        spread += numbered
    return pa.Table.from_arrays(columns, names=names), tuple(spread)


def levels_of(table: pa.Table) -> dict[str, tuple[str, ...]]:
    """Return the ordered categories of each column, in order."""
    return {
        field.name: tuple(map(str, column.chunk(0).dictionary.to_pylist()))
        for field, column in zip(table.schema, table.columns, strict=True)
        if pa.types.is_dictionary(field.type) and field.type.ordered and column.num_chunks
    }


def _parts(column: pa.ChunkedArray, name: str) -> list[pa.ChunkedArray]:
    """Return the elements of lists of equal length, position by position; null where a list is."""
    lengths = to_numbers(apply("list_value_length", column))
    filled = np.flatnonzero(to_numbers(apply("is_valid", column)))
    length = int(lengths[filled[0]])

    def refuse(problem: str, rows: IntArray, hint: str) -> None:
        if len(rows):
            place: dict[str, Any] = {"column": name, "row": int(rows[0])}
            raise InputError(problem, hint=hint, further=len(rows) - 1, **place)

    if length > max(len(lengths), _MANY):
        problem = f"the lists have {length} numbers, more than there can be classes"
        drop = "give one probability per class; drop a column that holds no predictions"
        refuse(problem, filled[:1], drop)
    hint = "give one probability per class in every row"
    if not length:
        refuse("the lists are empty", filled[:1], hint)
    unlike = filled[lengths[filled] != length]
    if len(unlike):
        has = count(int(lengths[unlike[0]]), "number")
        refuse(f"the list has {has}, but the first has {length}", unlike, hint)
    flat, starts = apply("list_flatten", column), np.full(len(lengths), -1)
    starts[filled] = np.arange(len(filled)) * length
    gaps = np.isnan(to_numbers(cast(flat, pa.float64()))).reshape(-1, length)
    partly = filled[gaps.any(axis=1) & ~gaps.all(axis=1)]
    refuse("some numbers of the list are missing", partly, hint)
    places = [np.where(starts < 0, -1, starts + i) for i in range(length)]
    return [take(flat, as_arrow_or_null(place)) for place in places]


def _fixed_width(values: pa.Array) -> Any:
    """Return the (n,) numbers of an array, arbitrary where it is null."""
    name = str(values.type)
    whole = np.frombuffer(values.buffers()[1], _NUMPY_NAMES.get(name, name))
    return whole[values.offset : values.offset + len(values)]


def _plain(column: pa.ChunkedArray, kind: pa.DataType, name: str) -> pa.ChunkedArray:
    """Convert one column to its plain type."""
    given = column.type
    try:
        if _is_uuid(given):
            texts = [_written_uuids(getattr(chunk, "storage", chunk)) for chunk in column.chunks]
            column = pa.chunked_array(texts, pa.string())
        elif str(given).startswith("dictionary<values=string_view"):  # as polars writes categories
            long = pa.large_string()
            texts = [take(cast(chunk.dictionary, long), chunk.indices) for chunk in column.chunks]
            column = pa.chunked_array(texts, long)
        elif pa.types.is_dictionary(given) and is_text(given.value_type):
            column.validate(full=True)
            texts = [take(chunk.dictionary, chunk.indices) for chunk in column.chunks]
            column = pa.chunked_array(texts, given.value_type)
        if pa.types.is_decimal(given) and pa.types.is_floating(kind):
            column = cast(column, pa.string())  # casting a decimal directly loses the last digit
        column = column if kind == column.type else cast(column, kind)
        if not pa.types.is_floating(kind):
            column.validate(full=True)
    except pa.ArrowException:
        text = is_text(given.value_type if pa.types.is_dictionary(given) else given)
        problem = "text is not UTF-8" if text else f"the values are no valid {given}"
        hint = "write the column again, or drop it"
        if pa.types.is_decimal(given):
            problem = "integers beyond 64 bits cannot be read"
            hint = "store a key as text, and predictions as floating-point numbers"
        raise InputError(problem, column=name, hint=hint) from None
    if is_text(column.type) and any(not to_lengths(chunk).all() for chunk in column.chunks):
        filled = cast(apply("binary_length", column), pa.bool_())
        column = apply("if_else", filled, column, pa.nulls(len(column), column.type))
    return column


def _is_uuid(kind: pa.DataType) -> bool:
    """True for UUIDs: the extension type, or its 16 bytes."""
    return str(kind) in ("extension<arrow.uuid>", "fixed_size_binary[16]")


def _written_uuids(chunk: pa.Array) -> pa.Array:
    """Return 16-byte UUIDs (n,) as text such as 123e4567-e89b-12d3-a456-426614174000."""
    from uuid import UUID

    texts = [None if value is None else str(UUID(bytes=value)) for value in chunk.to_pylist()]
    return pa.array(texts, pa.string())


def _plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the plain type for the values of another."""
    types = pa.types
    if types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    if types.is_duration(kind):  # its text would be a number without a unit
        raise TypeError(kind)
    if types.is_decimal(kind) and kind.scale <= 0:
        return pa.int64()
    if types.is_float16(kind) or types.is_decimal(kind):
        return pa.float64()
    if types.is_temporal(kind) or str(kind) == "string_view" or _is_uuid(kind):
        return pa.string()
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        return kind
    if types.is_null(kind) or is_text(kind):
        return kind
    raise TypeError(kind)
