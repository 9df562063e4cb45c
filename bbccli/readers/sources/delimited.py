"""CSV or TSV bytes -> table."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.arrow import is_nothing, is_text, to_numbers
from bbccli.readers.column import EXACT_INTEGERS
from bbccli.readers.functions import apply, cast
from bbccli.readers.roles import ITEM_KEYS, NAMES
from bbccli.readers.sources.files import Format
from bbccli.readers.sources.quotes import check_quotes

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.csv as pacsv

MISSING = ["", "NA", "NaN", "nan", "NAN", "null", "NULL", "Null"]
DELIMITERS = ",;\t"
_KEYS = frozenset((*NAMES["row_id"], *ITEM_KEYS))

_PADDED, _WHOLE = re.compile(r"[+-]?0\d"), re.compile(r"\.0*$")
_LARGEST_BLOCK = 2**31 - 1
_TWO_LINES = re.compile(rb"(?:\xef\xbb\xbf)?[\r\n]*([^\r\n]+)[\r\n]\s*\S")


def read_delimited(data: bytes, path: str, form: Format, keys: Sequence[str] = ()) -> pa.Table:
    """Return the table of delimited text with a header line.

    TSV is split at tabs; other text at the delimiter (comma, semicolon, tab) that is most
    frequent in the header line. Keys of samples, by their names or among `keys`, are taken as
    numbers or dates only where that tells them apart as the text does. Row names for which the
    header has no cell are a column without a name.

    Raises
    ------
    InputError
        Text that is binary or not UTF-8, without rows, with a quote that is not closed in its
        line, or with a row of another length.
    """
    import pyarrow as pa
    import pyarrow.csv as pacsv

    check_text(data, path)
    header = _header(data, path)
    delimiter = "\t" if form is Format.TSV else max(DELIMITERS, key=header.count)
    check_quotes(data, path, delimiter)
    try:
        options = _options(data, delimiter)
        names = [name.strip('"') for name in header.split(delimiter)]
        texts = dict.fromkeys((n for n in names if _is_key(n.strip(), keys)), pa.string())
        options["convert_options"].column_types = texts
        table = pacsv.read_csv(pa.BufferReader(data), **options)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        named = _with_row_names(data, delimiter)
        if named is None:
            raise _syntax_error(data, path, delimiter, error) from None
        table = named
    if table.num_rows == 0:
        raise _no_rows(path)
    table = table.rename_columns([name.strip() for name in table.column_names])
    for position, name in enumerate(table.column_names):
        if _is_key(name, keys) and is_text(table.schema.types[position]):
            table = table.set_column(position, name, _typed(table.column(position)))
    return table


def _is_key(name: str, keys: Sequence[str]) -> bool:
    return name in keys or name.casefold() in _KEYS


def _typed(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return keys as what they seem to be; as text where that would change what they tell apart.

    Such are numbers with leading zeros, in hexadecimal, or with more digits than a float holds,
    and two ways to write one number or one instant.
    """
    import pyarrow as pa
    import pyarrow.csv as pacsv

    sink = pa.BufferOutputStream()
    try:
        how = pacsv.WriteOptions(quoting_style="none")
        pacsv.write_csv(pa.table([texts], names=["key"]), sink, how)
    except pa.ArrowException:  # a delimiter, a quote or the end of a line within a key
        return texts
    data = sink.getvalue()
    options = _options(data, ",")
    options["parse_options"].ignore_empty_lines = False
    found = pacsv.read_csv(pa.BufferReader(data), **options).column(0)
    if is_text(found.type) or is_nothing(found.type):
        return found
    written = apply("utf8_trim_whitespace", texts)
    if pa.types.is_integer(found.type):
        same = apply("all", apply("equal", cast(found, pa.string()), written)).as_py()
        return found if same else texts
    names, values = set(apply("unique", written).to_pylist()), apply("unique", found)
    if pa.types.is_floating(found.type):
        names = {name and _WHOLE.sub("", name) for name in names}  # 1.0 is 1
        padded = any(name and _PADDED.match(name) for name in names)
        if padded or np.nanmax(np.abs(to_numbers(values))) > EXACT_INTEGERS:
            return texts
    return found if len(names) == len(values) else texts


def check_text(data: bytes, path: str) -> None:
    """Refuse bytes that are no UTF-8 text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("text is UTF-16, not UTF-8", path=path, hint="save the file as UTF-8")
    if b"\x00" in data or data.startswith(b"PAR1"):
        raise InputError(
            "is binary, not text", path=path, hint="give the file the suffix of its format"
        )
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"text is not UTF-8 (line {line})", path=path, hint="save the file as UTF-8"
        ) from None


def _header(data: bytes, path: str) -> str:
    """First line, under which there must be another."""
    match = _TWO_LINES.match(data)
    if match is None:
        raise _no_rows(path)
    return match[1].decode("utf-8")


def _options(
    data: bytes, delimiter: str, *, threads: bool = True, on_bad_row: Any = None
) -> dict[str, Any]:
    """Options of `pyarrow.csv.read_csv`.

    One block holds the whole text: types are inferred from the first block alone.
    """
    import pyarrow.csv as pacsv

    return {
        "read_options": pacsv.ReadOptions(
            block_size=min(len(data) + 1, _LARGEST_BLOCK), use_threads=threads
        ),
        "parse_options": pacsv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, invalid_row_handler=on_bad_row
        ),
        "convert_options": pacsv.ConvertOptions(null_values=MISSING, strings_can_be_null=True),
    }


def _with_row_names(data: bytes, delimiter: str) -> pa.Table | None:
    """Return the table of text whose header has no cell for the row names, as R writes it.

    Then every row has one cell more than the header, the first cells are other whole numbers or
    another text in every row, and the last ones are not empty, as behind a trailing delimiter. It
    may be another name that lacks where the header begins with a key, or knows other delimiters.
    """
    import pyarrow as pa
    import pyarrow.csv as pacsv

    match = _TWO_LINES.match(data)
    header, start = (match[1].decode(), match.start(1)) if match else ("", 0)
    key = header.split(delimiter)[0].strip(' "').casefold() in NAMES["row_id"]
    if key or any(other in header for other in DELIMITERS if other != delimiter):
        return None
    whole = b"".join((data[:start], delimiter.encode(), data[start:]))
    try:
        table = pacsv.read_csv(pa.BufferReader(whole), **_options(whole, delimiter))
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    first, last = table.columns[0], table.columns[-1]
    names = is_text(first.type) or pa.types.is_integer(first.type)
    told_apart = names and not first.null_count and len(first.unique()) == len(first)
    return table if told_apart and not is_nothing(last.type) else None


def _syntax_error(data: bytes, path: str, delimiter: str, error: Exception) -> InputError:
    """Name the first row whose length differs from the header's."""
    import pyarrow as pa
    import pyarrow.csv as pacsv

    found: list[pacsv.InvalidRow] = []

    def remember(row: pacsv.InvalidRow) -> str:
        found.append(row)
        return "skip"

    with contextlib.suppress(pa.ArrowException, UnicodeDecodeError):
        pacsv.read_csv(
            pa.BufferReader(data), **_options(data, delimiter, threads=False, on_bad_row=remember)
        )
    if not found:
        return InputError(
            f"text cannot be parsed: {str(error).splitlines()[0]}",
            path=path,
            hint="a header line, then one row per line with a value under every name",
        )
    row = found[0]
    return InputError(
        f"line {row.number} has {row.actual_columns} values, "
        f"the header names {row.expected_columns}",
        path=path,
        hint="give every row one value per column; quote values that contain the delimiter",
    )


def _no_rows(path: str) -> InputError:
    return InputError("no rows under the header", path=path, hint="one row per sample")
