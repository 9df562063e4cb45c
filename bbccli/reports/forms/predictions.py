"""A table of predictions as bytes: Parquet, or CSV and TSV with metadata next to them."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.errors import BbcError, OptionError, parameter
from bbccli.reading.arrow import apply, cast, is_text, plain, to_numbers
from bbccli.reading.sources import PACKINGS, Format
from bbccli.reading.sources.delimited import read_delimited
from bbccli.reading.sources.parquet import METADATA_KEY
from bbccli.reading.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

STDOUT = "-"


def render_predictions(table: pa.Table, metadata: Mapping[str, Any], path: str) -> dict[str, bytes]:
    """Return the bytes of each file to write, by path, the table last.

    table: plain columns.
    metadata: go into a Parquet file, and beside a CSV.
    path: its suffix tells the format: .parquet, .csv, .tsv, the last two also with .gz and .zst;
        "-" is CSV, without metadata.
    Raises OptionError: another suffix, or values that text can't hold.
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    packing = suffixes.pop() if suffixes and suffixes[-1] in PACKINGS else ""
    suffix = ".csv" if path == STDOUT else (suffixes[-1] if suffixes else "")
    text = json.dumps(metadata, indent=1, ensure_ascii=False)
    if suffix == ".parquet" and not packing:
        import pyarrow.parquet as pq

        sink = io.BytesIO()
        pq.write_table(table.replace_schema_metadata({METADATA_KEY: text}), sink)
        return {path: sink.getvalue()}
    if suffix not in (".csv", ".tsv"):
        raise OptionError(
            f"{parameter('path')} is {path!r}, which is not the name of a table",
            hint="a file that ends in .parquet, .csv, .tsv, .csv.gz or .csv.zst",
        )
    data = _packed(_delimited(table, path, Format.TSV if suffix == ".tsv" else Format.CSV), packing)
    if path == STDOUT:
        return {path: data}
    name = Path(path).name.removesuffix(Path(path).suffix) if packing else Path(path).name
    return {str(Path(path).with_name(f"{Path(name).stem}.meta.json")): f"{text}\n".encode()} | {
        path: data
    }


def _packed(data: bytes, packing: str) -> bytes:
    import pyarrow as pa

    if packing == ".gz":
        return gzip.compress(data, mtime=0)
    return bytes(pa.compress(data, "zstd", asbytes=True)) if packing else data


def _delimited(table: pa.Table, path: str, form: Format) -> bytes:
    import pyarrow as pa
    import pyarrow.csv as pacsv

    delimiter = "\t" if form is Format.TSV else ","
    # a float32 is exact as a float64, and not in the few digits that tell float32s apart
    fields = [
        (f.name, pa.float64() if pa.types.is_float32(f.type) else f.type) for f in table.schema
    ]
    exact = table.cast(pa.schema(fields))
    for style in ("none", "needed"):
        sink = io.BytesIO()
        options = pacsv.WriteOptions(delimiter=delimiter, quoting_style=style)
        try:
            pacsv.write_csv(exact, sink, options)
        except pa.ArrowInvalid:  # values with delimiters, quotes or line breaks
            continue
        data = _bare_header(sink.getvalue(), table.column_names, delimiter)
        if _survives(table, data, path, form):
            return data
    raise OptionError(
        f"names or values of the table cannot be distinguished in {form}, such as text that reads "
        "as a number or as missing",
        hint="write .parquet",
    )


def _bare_header(data: bytes, names: list[str], delimiter: str) -> bytes:
    """The same text, with quotes in the header only where needed."""
    quoted = delimiter.join(f'"{name}"' for name in names).encode()
    special = any(mark in name for name in names for mark in ('"', "\n", "\r", delimiter))
    if special or not data.startswith(quoted):
        return data
    return delimiter.join(names).encode() + data[len(quoted) :]


def _survives(table: pa.Table, data: bytes, path: str, form: Format) -> bool:
    """True if reading the text back gives the same names, text and numbers."""
    try:
        back = plain(read_delimited(data, tabs=form is Format.TSV))
    except BbcError:
        return False
    if back.column_names != table.column_names or back.num_rows != table.num_rows:
        return False
    before, after = Table(path, table), Table(path, back)
    for name in table.column_names:
        old, new = before.column(name), after.column(name)
        if old.is_text and _is_one_number(old.values):
            return False
        if old.is_text or old.is_boolean:
            codes, names = old.named_codes()
            again, new_names = new.named_codes()
            if names != new_names or not np.array_equal(codes, again):
                return False
        elif is_text(new.values.type) or not np.array_equal(
            to_numbers(old.values), to_numbers(new.values), equal_nan=True
        ):
            return False
    return True


def _is_one_number(texts: pa.Array) -> bool:
    """True if two texts are the same number to a program, as 1 and 01 are."""
    import pyarrow as pa

    try:
        numbers = cast(texts, pa.float64())
    except pa.ArrowException:
        return False
    return len(apply("unique", numbers)) < len(apply("unique", texts))
