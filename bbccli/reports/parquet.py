"""Tables in Parquet: the results of a batch, and every resample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import chain, islice
from typing import IO, Any

from bbccli.core.documents import Json
from bbccli.core.documents.rows import OF_BATCH, REAL, TRUTH, WHOLE
from bbccli.reports.csv import rows_of_record

GROUP = 10_000
"""Rows that are kept together."""


def write_batch(records: Iterable[Json], file: IO[bytes]) -> None:
    """Write one row per estimate, or one with the error."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {name: pa.int64() for name in WHOLE} | {name: pa.float64() for name in REAL}
    kinds |= {name: pa.bool_() for name in TRUTH}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in OF_BATCH])
    with pq.ParquetWriter(file, schema) as writer:
        for some in _groups(chain.from_iterable(map(rows_of_record, records))):
            columns = [[_storable(row.get(name)) for row in some] for name in OF_BATCH]
            arrays = [pa.array(c, field.type) for c, field in zip(columns, schema, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


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


def _groups(rows: Iterator[Json]) -> Iterator[list[Json]]:
    while some := list(islice(rows, GROUP)):
        yield some


def _storable(value: Any) -> Any:
    """A path that is not UTF-8 has surrogates; Parquet holds none."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    return value
