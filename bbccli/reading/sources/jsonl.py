"""JSON and JSON Lines -> table: an object per row, with numbers, booleans, text or null.

Lists of probabilities are as in Parquet. Other keys with objects or lists in some row are left out,
and named; what is inside objects is a table beside, with columns such as `scores.exact`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from bbccli.errors import InputError
from bbccli.reading.arrow import SUM_TOLERANCE, pa
from bbccli.reading.sources.delimited import check_text

LARGEST = 2**63
"""Integers below it stay integers."""

COLUMNS = 'write {"truth": [...], "model": [...]}, lists of one length; or an object per row'

_NUMBERS = {int, float, type(None)}


Tables = tuple["pa.Table", tuple[str, ...], "pa.Table"]
"""A table, its keys with other objects or lists, and what is inside the objects."""


def read_jsonl(data: bytes) -> Tables:
    """Return the table of JSON Lines; skip empty lines."""
    check_text(data)
    return _table([_object(line, number) for number, line in lines_of(data)])


def read_records(data: bytes) -> Tables:
    """Return the table of a list of objects, of columns and data, or of columns by name, which are
    lists or go by an index.
    """
    check_text(data)
    value: Any = None
    try:
        value = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_once)
        of_lists = isinstance(value, dict) and [*map(type, value.values())] == [list] * len(value)
        if of_lists and len(value) > 1 and "columns" not in value:
            value = {"columns": value, "data": [*zip(*value.values(), strict=True)]}
        if isinstance(value, dict) and {*value} == {"schema", "data"}:  # of pandas, as a table
            value = value["data"]
        if isinstance(value, dict) and "columns" in value:  # of MLflow, W&B
            value = [_once([*zip(value["columns"], row, strict=True)]) for row in value["data"]]
        elif isinstance(value, dict):  # pandas' `to_json`: the cells of each column by their index
            index, *others = (column.keys() for column in value.values())
            if not others or any(keys != index for keys in others):
                raise ValueError
            if not all(map(str.isdecimal, value)) or all(map(str.isdecimal, index)):
                value = {key: {n: column[key] for n, column in value.items()} for key in index}
            value = value.values()  # the cells of each row
        return _table([dict(**row) for row in value])
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        parts = [value, *value.values()] if isinstance(value, dict) else []
        held = [v for part in parts if isinstance(part, dict) for v in part.values()]
        numbers = sum(isinstance(v, list) and {*map(type, v)} <= _NUMBERS for v in held)
        raise InputError(
            "is not a log of a known framework, nor a table"
            + ": its lists differ in length, or are not all beside each other" * (numbers > 1),
            hint=COLUMNS
            if numbers > 1
            else "a table is a list of objects, one per row; of pytest, give what --junitxml=FILE "
            "writes; see docs/evaluations.md",
        ) from None


def _table(rows: Sequence[dict[str, Any]]) -> Tables:
    if not rows:
        raise InputError("no rows", hint="give one JSON object per row")
    names = list(dict.fromkeys(name for row in rows for name in row))
    if "$report_type" in names:
        raise InputError("is a log of pytest, not a table", hint="give what --junitxml=FILE writes")
    nested = tuple(
        name
        for name in names
        if any(isinstance(row.get(name), dict | list) for row in rows)
        and not _probabilities([row.get(name) for row in rows])
    )
    plain = [name for name in names if name not in nested]
    if not plain:
        raise InputError("no key has plain values", hint=COLUMNS)
    inside = [dict(p for name in nested for p in _leaves(name, row.get(name))) for row in rows]
    leaves = list(dict.fromkeys(name for row in inside for name in row if name not in plain))
    return _of(rows, plain), nested, _of(inside, leaves)


def _of(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> pa.Table:
    return pa.table([_column([row.get(name) for row in rows]) for name in names], names=[*names])


def _leaves(name: str, value: object) -> Iterator[tuple[str, Any]]:
    """Yield what is inside an object, by its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(f"{name}.{key}", inner)
    elif not isinstance(value, list):
        yield name, value


def lines_of(data: bytes) -> list[tuple[int, str]]:
    """Return the lines that are not blank, with their numbers from 1."""
    lines = enumerate(data.decode("utf-8-sig").split("\n"), start=1)
    return [(number, line) for number, line in lines if line.strip()]


def _object(line: str, number: int) -> dict[str, Any]:
    fault = partial(InputError, hint="write one JSON object per line")
    try:
        value = json.loads(line, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        why = str(error).splitlines()[0] if isinstance(error, ValueError) else "nested too deeply"
        raise fault(f"line {number} is not valid JSON: {why}") from None
    if not isinstance(value, dict):
        raise fault(f"line {number} is not a JSON object")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, each of whose keys must occur once."""
    row = dict(pairs)
    if len(row) < len(pairs):
        raise ValueError("a key occurs twice")
    return row


def _probabilities(values: list[Any]) -> bool:
    """True if values are lists of numbers, most of which sum to 1."""
    lists = [value for value in values if value is not None]
    if not all(isinstance(value, list) and {*map(type, value)} <= _NUMBERS for value in lists):
        return False
    full = [value for value in lists if len(value) > 1 and None not in value]
    proper = sum(min(value) >= 0 and abs(sum(value) - 1) <= SUM_TOLERANCE for value in full)
    return bool(2 * proper > len(lists))


def _column(values: list[Any]) -> pa.Array:
    """Return lists of numbers, booleans, integers or numbers if all are; else text."""
    if any(isinstance(value, list) for value in values):
        return pa.array(values, pa.list_(pa.float64()))
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool}:
        return pa.array(values, pa.bool_() if kinds else pa.null())
    if kinds <= {int, bool} and all(abs(value or 0) < LARGEST for value in values):
        return pa.array([None if v is None else int(v) for v in values], pa.int64())
    if kinds <= {int, float, bool}:
        return pa.array([None if v is None else _real(v) for v in values], pa.float64())
    texts = [v if v is None or isinstance(v, str) else json.dumps(v) for v in values]
    return pa.array(texts, pa.string())


def _real(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")  # refused if it is a prediction
