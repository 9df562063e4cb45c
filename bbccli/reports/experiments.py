"""The results of a batch as one table: a record at a time, so that a million need little memory."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import PurePath
from typing import IO, Any

from bbccli.errors import OptionError
from bbccli.reports import jsonl
from bbccli.reports.csv import COLUMNS as OF_ESTIMATES
from bbccli.reports.csv import guarded, rows_of
from bbccli.schema import ERROR_SCHEMA, ErrorDocument, Failure, as_json
from bbccli.version import __version__

Json = dict[str, Any]
Write = Callable[[Iterable[Json], IO[bytes]], None]

COLUMNS = (*OF_ESTIMATES, "error", "hint", "status")

WHOLE = frozenset({"n_samples", "n_configurations", "n_resamples", "seed", "status"})
REAL = frozenset({"naive", "value", "optimism", "lower", "upper", "level"})
REAL |= {"clip", "value_error", "lower_error", "upper_error", "gate_threshold", "gate_margin"}
TRUTH = frozenset({"exact", "ignores_selection", "experimental", "guard"})
"""Columns of Parquet that are not text."""

GROUP = 10_000
"""Rows that Parquet keeps together."""


def writer_for(path: str) -> Write:
    """Return what writes the table that the suffix of a path asks for.

    Raises
    ------
    OptionError
        Another suffix.
    """
    suffix = PurePath(path).suffix.lower()
    if suffix not in _WRITERS:
        raise OptionError(
            f"--output is {path!r}, which names no form of a table",
            hint=f"a file that ends in {', '.join(_WRITERS)}",
        )
    return _WRITERS[suffix]


def rows(record: Json) -> list[Json]:
    """Return one row per estimate, or one with the error."""
    if "error" in record:
        error = record["error"]
        held = {"path": record["path"], "version": __version__}
        return [
            held | {"error": error["problem"], "hint": error["hint"], "status": error["status"]}
        ]
    return rows_of(record["document"])


def _jsonl(records: Iterable[Json], file: IO[bytes]) -> None:
    for record in records:
        document = record.get("document") or _as_document(record)
        file.write(jsonl.render(document).encode(errors="backslashreplace"))


def _as_document(record: Json) -> Json:
    error = Failure(*(record["error"][name] for name in ("problem", "hint", "status")))
    found: Json = as_json(ErrorDocument(ERROR_SCHEMA, __version__, record["path"], error))
    return found


def _csv(records: Iterable[Json], file: IO[bytes]) -> None:
    text = TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in chain.from_iterable(map(rows, records)):
        writer.writerow(guarded(row.get(name)) for name in COLUMNS)
    text.flush()
    text.detach()


def _parquet(records: Iterable[Json], file: IO[bytes]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {name: pa.int64() for name in WHOLE} | {name: pa.float64() for name in REAL}
    kinds |= {name: pa.bool_() for name in TRUTH}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])
    with pq.ParquetWriter(file, schema) as writer:
        for some in _groups(chain.from_iterable(map(rows, records))):
            columns = [[_storable(row.get(name)) for row in some] for name in COLUMNS]
            arrays = [pa.array(c, field.type) for c, field in zip(columns, schema, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _groups(all_rows: Iterator[Json]) -> Iterator[list[Json]]:
    while some := list(islice(all_rows, GROUP)):
        yield some


def _storable(value: Any) -> Any:
    """A path that is not UTF-8 has surrogates; Parquet holds none."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    return value


_WRITERS: dict[str, Write] = {
    ".parquet": _parquet,
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".csv": _csv,
}
