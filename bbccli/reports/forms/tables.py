"""Tables: estimates as rows of CSV (RFC 4180) and Parquet, and every resample."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO, StringIO, TextIOWrapper
from itertools import chain, islice
from pathlib import PurePath
from typing import IO, TextIO

from bbccli.domain.estimate import Estimate
from bbccli.errors import OptionError
from bbccli.platform.records import Json, as_json
from bbccli.platform.records.rows import COLUMNS, OF_BATCH, REAL, TRUTH, WHOLE, rows_of
from bbccli.platform.text import visible
from bbccli.reports import Kind, Style, forms_of
from bbccli.version import __version__

_FORMULA = ("=", "+", "-", "@")


def render(documents: Sequence[Json], style: Style) -> str:
    """Return one row per estimate under one header; numbers in full, nothing for null."""
    return as_text(COLUMNS, chain.from_iterable(map(rows_of, as_json(documents))))


def as_text(columns: Sequence[str], rows: Iterable[Json]) -> str:
    """Return rows under a header of these columns; missing values are empty."""
    buffer = StringIO(newline="")
    write_rows(rows, columns, buffer)
    return buffer.getvalue()


def write_csv(records: Iterable[Json], file: IO[bytes]) -> None:
    """Write one row per estimate, or one with the error."""
    text = TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
    write_rows(chain.from_iterable(map(rows_of_record, records)), OF_BATCH, text)
    text.flush()
    text.detach()


def rows_of_record(record: Json) -> list[Json]:
    """Return one row per estimate, or one with the error."""
    if "error" in record:
        error = record["error"]
        held = {"path": record["path"], "version": __version__}
        return [
            held | {"error": error["problem"], "hint": error["hint"], "status": error["status"]}
        ]
    return rows_of(record["document"])


def write_rows(rows: Iterable[Json], columns: Sequence[str], file: TextIO) -> None:
    """Write rows under a header of these columns; missing values are empty."""
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(guarded(row.get(name)) for name in columns)


def guarded(value: object) -> object:
    """Keep text on one line, and a spreadsheet from taking it for a formula: a quote marks it."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return value
    text = visible(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


GROUP = 10_000
"""Rows that are kept together."""


def write_parquet(records: Iterable[Json], file: IO[bytes]) -> None:
    """Write one row per estimate, or one with the error."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {name: pa.int64() for name in WHOLE} | {name: pa.float64() for name in REAL}
    kinds |= {name: pa.bool_() for name in TRUTH}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in OF_BATCH])
    with pq.ParquetWriter(file, schema) as writer:
        rows = map(_storable, chain.from_iterable(map(rows_of_record, records)))
        while some := list(islice(rows, GROUP)):
            writer.write_table(pa.Table.from_pylist(some, schema=schema))


def distribution(columns: Mapping[str, Sequence[object]]) -> bytes:
    """Return a row per resample."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = dict.fromkeys(columns, pa.string()) | {"resample": pa.int64()}
    kinds |= dict.fromkeys(("performance", "probability"), pa.float64())
    table = pa.table({name: pa.array(held, kinds[name]) for name, held in columns.items()})
    buffer = BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def _storable(row: Json) -> Json:
    """Escape a path that is not UTF-8: Parquet holds no surrogates."""
    return {
        name: held.encode(errors="backslashreplace").decode() if isinstance(held, str) else held
        for name, held in row.items()
    }


NAMES = ("method", "metric", "resample", "performance", "winner", "probability")


def render_distributions(
    path: str, configurations: Sequence[str], estimates: Sequence[Estimate]
) -> bytes:
    """Return the content of a `.json` or `.parquet` file, chosen by the suffix of the path.

    One row, or record, per resample: method, metric, resample, performance, winner, and its
    probability, which is null for resamples that were drawn.

    Raises OptionError: another suffix.
    """
    known = {end: form for form in forms_of(Kind.DISTRIBUTION).values() for end in form.suffixes}
    suffix = PurePath(path).suffix
    if suffix not in known:
        raise OptionError(
            f"--distribution cannot write {suffix or 'a file without suffix'}",
            hint=f"end the name with {' or '.join(known)}",
        )
    return known[suffix].distribution(columns_of(configurations, estimates))


def columns_of(
    configurations: Sequence[str], estimates: Sequence[Estimate]
) -> dict[str, list[object]]:
    """Return the columns `NAMES`, the estimates one after the other."""
    columns: dict[str, list[object]] = {name: [] for name in NAMES}
    for estimate in estimates:
        distribution = estimate.distribution
        if distribution is None:
            continue
        names = configurations if estimate.made is None else (estimate.winner,)
        columns["method"] += [estimate.method] * len(distribution.values)
        columns["metric"] += [estimate.metric] * len(distribution.values)
        for name, held in distribution.columns(names).items():
            columns[name] += held
    return columns
