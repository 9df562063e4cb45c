"""Match the keys of several files, converted to one type.

Values of one type are compared as they are, except for time stamps: those with a zone are compared
as instants, those without as written, and never one kind with the other. Different types, as 7 and
"7", or True and 1, are compared as numbers, or else, if they are keys, as text; but never so that
two values of a file become one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from bbccli.domain.matrix import SampleKeys
from bbccli.errors import InputError, parameter, row_of
from bbccli.reading.arrow import (
    apply,
    as_arrow,
    as_arrow_or_null,
    cast,
    is_text,
    null_mask,
    pa,
    take,
    to_codes,
    to_numbers,
)
from bbccli.reading.column import (
    EXACT_INTEGERS,
    Column,
    by_appearance,
    first_rows,
    name_of,
    number_of,
    repeated,
    text_entries,
)
from bbccli.reading.roles import NAMES
from bbccli.reading.table import Table
from bbccli.types import IntArray

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_ZONE = re.compile(r":\d\d.*(?:Z|[+-]\d\d(?::?\d\d)?)$")


def matching_rows(key: Column, row_id: Column) -> IntArray:
    """Return (n_rows,) entries of `key`, which has each key once, equal to the entries of
    `row_id`.
    """
    key.present("row_id", hint="give every row the key of its sample")
    again = repeated(key.codes()[0])
    if len(again):
        raise key.fault("row_id occurs twice", again, hint="give one row per sample")
    ours, theirs = alike([row_id, key], otherwise_text=True)
    unknown = np.flatnonzero(null_mask(pa.compute.index_in(theirs, ours)))
    entries = pa.compute.index_in(ours, theirs)
    missing = np.flatnonzero(null_mask(entries))
    if len(unknown) and (len(missing) or _are_row_numbers(row_id)):
        hint = (
            f"{len(key)} rows for {len(key) - len(unknown)} samples, which are just numbered: "
            "remove the others if the numbers mean the same samples"
        )
        if len(missing):
            hint = f"{row_id.path} has {row_id.values[int(missing[0])].as_py()!r}, which is missing"
            hint += " here: use the same keys in both files, counted from the same number"
        hint = form_hint(key, int(unknown[0]), row_id) or hint
        raise key.fault("row_id is not among the predictions", unknown, hint=hint)
    if len(missing):
        hint = form_hint(row_id, int(missing[0]), key) or f"add the sample to {key.path}"
        raise row_id.fault(f"row_id is not in {key.path}", missing, hint=hint)
    return to_codes(entries)


def _are_row_numbers(key: Column) -> bool:
    """True for keys that count from 0 or 1, and so may count the samples of any table."""
    if not key.is_integer:
        return False
    numbers = np.unique(to_numbers(key.values))
    return bool(numbers[0] in (0, 1) and numbers[-1] - numbers[0] == len(numbers) - 1)


def refuse_overlooked(table: Table, shared: Iterable[str], other: str, order: str) -> None:
    """Refuse a column that seems to be the key in two files, if rows would go by position."""
    roles = {name for names in NAMES.values() for name in names}
    for name in shared:
        column = table.column(name)
        if name.casefold() in roles or not (column.is_text or column.is_integer):
            continue
        codes, values = column.codes()
        if len(values) == len(codes) > 1:
            raise table.fault(
                f"has a column {name!r}, like {other}: is it the key of the samples?",
                hint=f"{parameter('row_id', name)}{order}",
            )


def names_alike(keys: Sequence[tuple[str, SampleKeys | None]]) -> list[NDArray[np.str_]]:
    """Return the names of the samples of several files, comparable; empty if one has none."""
    columns = []
    for path, key in keys:
        if key is None or key.column is None:
            return []
        whole = key.values.dtype.kind in "iu"
        values = pa.array(key.values if whole else key.as_text().tolist())
        rows = np.arange(len(key)) if key.rows is None else key.rows
        columns.append(Column(path, key.column, values, rows))
    arrays = alike(columns, otherwise_text=True)
    refuse_other_forms(columns, arrays)
    return [np.array([name_of(key) for key in array.to_pylist()]) for array in arrays]


def refuse_two_spellings(key: Column) -> None:
    """Refuse time stamps that mean the same instant, or of which only some have a zone."""
    codes, values = key.codes()
    if not len(values) or not _DATE.match(values[0].as_py()):
        return
    distinct = key.take(by_appearance(codes)[1])
    stamps = _stamps(distinct.values)
    if stamps is not None:
        hint = "write each key the same way in all rows"
        return _refuse_merged(distinct, stamps, "instant", hint)
    zoned = np.array([bool(_ZONE.search(text)) for text in values.to_pylist()])
    odd = int(np.argmax(zoned != zoned[0]))
    parts = (take(values, as_arrow(np.flatnonzero(part))) for part in (zoned, ~zoned))
    if odd and all(_stamps(part) is not None for part in parts):
        path, _, first = distinct.place(0)
        row = row_of(path, first)
        raise _zone_fault(distinct, odd, bool(zoned[odd]), row, "rows")


def refuse_other_forms(columns: Sequence[Column], arrays: Sequence[pa.Array]) -> None:
    """Refuse a file most of whose further keys are keys of the first one in another form."""
    first = arrays[0]
    for column, keys in zip(columns[1:], arrays[1:], strict=True):
        if not (is_text(first.type) and is_text(keys.type)) or keys.equals(first):
            continue
        ours, theirs = (apply("unique", keys).drop_null() for keys in (keys, first))
        lone, others = (
            ours.filter(apply("invert", pa.compute.is_in(ours, other)))
            for ours, other in ((ours, theirs), (theirs, ours))
        )
        places = pa.compute.index_in(_plain(lone), _plain(others))
        same = np.flatnonzero(~null_mask(places))
        if 2 * len(same) > min(len(lone), len(others)):
            other = others[places[int(same[0])].as_py()].as_py()
            raise column.fault(
                f"{column.name} is another form of one in {columns[0].path}",
                keys.to_pylist().index(lone[int(same[0])].as_py()),
                hint=f"{columns[0].path} has {other!r}: write the keys of both files the same way",
            )


def form_hint(keys: Column, entry: int, others: Column) -> str:
    """Describe the form of the keys of another file; empty if some have the form of this one.

    Keys that differ in case, blanks, or leading zeros are the same in another form. So are keys
    whose runs of digits and letters are not those of any key of the other file.
    """
    text = str(keys.values[entry].as_py())
    names = [str(value) for value in others.codes()[1].to_pylist() if value is not None]
    plain, *known = _plain(pa.array([text, *names], pa.large_string())).to_pylist()
    close = next((name for name, form in zip(names, known, strict=True) if form == plain), None)
    if close is None and _form(text) not in {_form(name) for name in names}:
        close = next(iter(names), None)
    if close is None:
        return ""
    return f"{others.path} has {close!r}: write the keys of both files the same way"


def _plain(keys: pa.Array) -> pa.Array:
    """Return keys without what may differ between two spellings."""
    keys = pa.compute.utf8_lower(pa.compute.utf8_trim_whitespace(keys))
    digits = pa.compute.replace_substring_regex(keys, "[-{}]", "")
    uuid = pa.compute.match_substring_regex(digits, "^[0-9a-f]{32}$")
    numbers = pa.compute.replace_substring_regex(keys, "(^|[^0-9])0+([0-9])", r"\1\2")
    return pa.compute.if_else(uuid, digits, numbers)


def _form(key: str) -> str:
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", key))


def alike(columns: Sequence[Column], *, otherwise_text: bool = False) -> list[pa.Array]:
    """Return a column of several files as arrays of one type, possibly text (`otherwise_text`)."""
    kinds = {column.values.type for column in columns if not pa.types.is_null(column.values.type)}
    if all(is_text(kind) for kind in kinds):
        return _texts(columns) if kinds else [column.values for column in columns]
    if len(kinds) == 1 or not any(column.is_text or column.is_boolean for column in columns):
        exact = len(kinds) == 1 or not otherwise_text
        return [column.values for column in columns] if exact else _numeric(columns)
    try:
        if otherwise_text and any(column.is_boolean for column in columns):
            raise pa.ArrowInvalid("true and false are not keys")
        numbers = _numeric(columns)
    except pa.ArrowException:
        if not otherwise_text:
            raise _unlike(columns) from None
    else:
        classes = all(column.is_text or column.is_boolean for column in columns)
        return [cast(number, pa.bool_()) for number in numbers] if classes else numbers
    return [cast(column.values, pa.large_string()) for column in columns]


def _numeric(columns: Sequence[Column]) -> list[pa.Array]:
    """Return columns as numbers: as integers if all are."""
    if any(column.is_boolean for column in columns):
        columns = [_classes_as_numbers(column) for column in columns]
    try:
        as_numbers = [_numbers(column, pa.int64()) for column in columns]
    except pa.ArrowException:
        as_numbers = [_numbers(column, pa.float64()) for column in columns]
    for column, numbers in zip(columns, as_numbers, strict=True):
        _refuse_merged(column, numbers)
    return as_numbers


def _classes_as_numbers(column: Column) -> Column:
    """Return true and false, however spelled, as 1 and 0."""
    codes, values = column.codes()
    numbers = np.array([number_of(str(value)) for value in values.to_pylist()])
    if not np.isin(numbers, (0, 1)).all():
        raise pa.ArrowInvalid("neither true nor false")
    places = np.append(numbers, -1).astype(np.int64)[codes]
    classes = take(pa.array([0, 1]), as_arrow_or_null(places))
    _refuse_merged(column, classes)
    return Column(column.path, column.name, classes, column.rows, column.origins)


def _texts(columns: Sequence[Column]) -> list[pa.Array]:
    """Return text of one type, with time stamps spelled the same way."""
    texts = [cast(column.values, pa.large_string()) for column in columns]
    stamps = [_stamps(text) for text in texts]
    if any(stamp is None for stamp in stamps):
        return texts
    zoned = [stamp is not None and stamp.type.tz is not None for stamp in stamps]
    for at, column in enumerate(columns):
        if zoned[at] != zoned[0]:
            first = _shown(columns[0], _first(columns[0]))
            raise _zone_fault(column, _first(column), zoned[at], first, "files")
        _refuse_merged(column, stamps[at], "instant")
    return [cast(stamp, pa.large_string()) for stamp in stamps]


def _zone_fault(column: Column, entry: int, zoned: bool, other: str, where: str) -> InputError:
    """Return the error about a time stamp with a zone beside one without, or the reverse."""
    has, other_has = ("a", "none") if zoned else ("no", "one")
    return column.fault(
        f"time stamp has {has} zone, but that of {other} has {other_has}",
        entry,
        hint=f"write the zone in all {where}, or in none",
    )


def _stamps(texts: pa.Array) -> pa.Array | None:
    """Return text as time stamps, in UTC or all without zone; None if it is something else."""
    present = next((text for text in texts.slice(0, 64).to_pylist() if text is not None), "")
    if not _DATE.match(present):
        return None
    for unit in ("ns", "us"):
        for zone in (None, "UTC"):
            try:
                return cast(texts, pa.timestamp(unit, zone))
            except pa.ArrowException:
                continue
    return None


def _unlike(columns: Sequence[Column]) -> InputError:
    """Return the error about a column that is text in one file, but not in another."""
    first = columns[0]
    column = next(
        column
        for column in columns[1:]
        if (column.is_text, column.is_boolean) != (first.is_text, first.is_boolean)
    )
    guilty, other = (column, first) if column.is_text or not first.is_text else (first, column)
    entry = int(text_entries(guilty)[0]) if guilty.is_text else _first(guilty)
    return guilty.fault(
        f"column {guilty.name!r} holds {_kind(guilty)}, but {_kind(other)} in {other.path}",
        entry,
        hint=f"{_shown(other, _first(other))} has {other.values[_first(other)].as_py()!r}: "
        "write the column the same way in all files",
    )


def _kind(column: Column) -> str:
    if column.is_boolean:
        return "true and false"
    return "text" if column.is_text else "numbers"


def _first(column: Column) -> int:
    """Return the first entry with a value."""
    return int(np.argmin(null_mask(column.values)))


def _shown(column: Column, entry: int) -> str:
    path, _, row = column.place(entry)
    return f"{row_of(path, row)} of {path}"


def _numbers(keys: Column, kind: pa.DataType) -> pa.Array:
    """Return values as numbers of a type."""
    if keys.is_text:
        cast(keys.values, pa.float64())  # float64 takes no hexadecimal numbers
    elif pa.types.is_floating(keys.values.type):
        inexact = np.flatnonzero(np.abs(to_numbers(keys.values)) > EXACT_INTEGERS)
        if len(inexact):
            raise keys.fault(
                f"{keys.name} has more digits than a float holds, and may mean several keys",
                inexact,
                hint="store the keys as integers or text",
            )
    return cast(keys.values, kind)


def _refuse_merged(
    keys: Column,
    converted: pa.Array,
    what: str = "number",
    hint: str = "write them the same way, as text, in all files",
) -> None:
    """Refuse two values that are the same number, such as 1 and 01, or the same instant."""
    codes, _ = keys.codes()
    merged = to_codes(apply("dictionary_encode", converted).indices) + 1  # 0 without a key
    earlier = first_rows(merged)[merged]
    wrong = np.flatnonzero(codes != codes[earlier])
    if len(wrong):
        other = int(earlier[wrong[0]])
        path, _, row = keys.place(other)
        same = f"{keys.values[other].as_py()!r} in {row_of(path, row)}"
        raise keys.fault(f"{keys.name} is the same {what} as {same}", wrong, hint=hint)
