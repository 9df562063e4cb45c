"""CSV or TSV bytes -> table."""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.core import reading
from bbccli.errors import InputError
from bbccli.readers.arrow import apply, cast, is_nothing, is_text, to_numbers
from bbccli.readers.column import EXACT_INTEGERS
from bbccli.readers.numerals import with_numbers
from bbccli.readers.roles import ITEM_KEYS, NAMES
from bbccli.readers.sources.files import Format

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.csv as pacsv

MISSING = ["", "NA", "NaN", "nan", "NAN", "null", "NULL", "Null", "<NA>"]
MISSING += ["#N/A", "#N/A N/A", "#NA", "#DIV/0!", "#NUM!", "#NULL!"]
MISSING += ["#NV", "#N/D", "#N/B", "#I/T"]  # #N/A in German, Italian and Spanish, Dutch, Danish
DELIMITERS = ",;\t"
_KEYS = frozenset((*NAMES["row_id"], *ITEM_KEYS))
_CONFIGURATION = (".config", "wflow_id", "model", "learner_id", "configuration", "config")
_NEVER_NUMERALS = _KEYS.union(
    NAMES["repeat"], NAMES["fold"], NAMES["group"], NAMES["outer_fold"], _CONFIGURATION
)

_SAVE = "save the file as UTF-8 (in Excel: CSV UTF-8)"
_PADDED, _WHOLE = re.compile(r"[+-]?0\d"), re.compile(r"\.0*$")
_LARGEST_BLOCK = 2**31 - 1
_STATED = re.compile(rb'(?:\xef\xbb\xbf)?"?sep=([^\r\n"])"?[,;\t ]*(?=\r?\n|\r)', re.IGNORECASE)
_BLANK_LINES, _TAIL = re.compile(rb"[\r\n][\r\n ]*\Z"), 2**12
_QUOTED = re.compile('"[^"]*"')
_SPACED = re.compile(r'("[^"]*"|[^\s"]+)(?: ("[^"]*"|[^\s"]+))+')
_MARKS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_LATE_MARK = re.compile('[\r\n\ufeff]"?\ufeff')
_TWO_LINES = re.compile(rb"(?:\xef\xbb\xbf)?[\r\n]*([^\r\n]+)[\r\n]\s*\S")
# within a value a quote is an ordinary character
_WALK = r'[^"]*+(?:(?<=[{bounds}])"[^"\r\n]*+(?:""[^"\r\n]*+)*+"[^"]*+|(?<![{bounds}])"[^"]*+)*+'
_VALUE = r'"(?:[^"]++|"")*+"'


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
    data, local = _as_utf8(data, path)
    check_text(data, path)
    stated = _STATED.match(data)
    if stated:
        data = data[stated.end() :]
    match = _TWO_LINES.match(data)
    if match is None:
        raise _no_rows(path)
    header = match[1].decode("utf-8")
    delimiter = _delimiter(header, path, form, stated[1].decode("utf-8") if stated else "")
    check_quotes(data, path, delimiter)
    tail = _BLANK_LINES.search(data, max(len(data) - _TAIL, 0))
    if tail and b" " in tail[0] and delimiter in header:
        data = data[: tail.start() + 1]
    text = _Text(data, path, delimiter)

    def kept(name: str) -> bool:
        return name in keys or name.strip().casefold() in _NEVER_NUMERALS

    def as_text(names: Sequence[str]) -> pa.Table:
        return _table(text, lambda name: name in names)

    table = _table(text, lambda name: _is_key(name, keys))
    if table.num_rows == 0:
        raise _no_rows(path)
    table = with_numbers(table, kept, as_text, local=local or delimiter == ";")
    for position, name in enumerate(table.column_names):
        if _is_key(name, keys) and is_text(table.schema.types[position]):
            table = table.set_column(position, name, _typed(table.column(position)))
    return table


@dataclass(frozen=True, slots=True)
class _Text:
    """Delimited text in UTF-8, in which no quote is open."""

    data: bytes
    path: str
    delimiter: str

    @property
    def header(self) -> re.Match[bytes]:
        """First line that is not blank."""
        match = _TWO_LINES.match(self.data)
        if match is None:
            raise _no_rows(self.path)
        return match

    def with_header(self, header: bytes) -> _Text:
        """Return the same rows under another header."""
        start, end = self.header.span(1)
        return replace(self, data=b"".join((self.data[:start], header, self.data[end:])))

    def parsed(self, as_text: Callable[[str], bool]) -> pa.Table:
        """Parse it, some columns of which, by their names, are taken as they are written."""
        import pyarrow as pa

        names = next(csv.reader([self.header[1].decode("utf-8")], delimiter=self.delimiter))
        texts = {name: pa.string() for name in names if as_text(name.strip())}
        return _parsed(self.data, self.delimiter, column_types=texts)

    def misfit(self) -> pacsv.InvalidRow | None:
        """Return the first row whose length differs from the header's."""
        import pyarrow as pa

        found: list[pacsv.InvalidRow] = []

        def remember(row: pacsv.InvalidRow) -> str:
            found.append(row)
            return "error" if found[1:] else "skip"

        with contextlib.suppress(pa.ArrowException, UnicodeDecodeError):
            _parsed(self.data, self.delimiter, threads=False, invalid_row_handler=remember)
        return found[0] if found else None


def _parsed(
    data: bytes,
    delimiter: str,
    *,
    threads: bool = True,
    column_types: Any = None,
    **parse: Any,
) -> pa.Table:
    """Parse text in one block, since types are inferred from the first block alone."""
    import pyarrow as pa
    import pyarrow.csv as pacsv

    block = min(len(data) + 1, _LARGEST_BLOCK)
    return pacsv.read_csv(
        pa.BufferReader(data),
        pacsv.ReadOptions(block_size=block, use_threads=threads),
        pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=True, **parse),
        pacsv.ConvertOptions(
            null_values=MISSING, strings_can_be_null=True, column_types=column_types
        ),
    )


def _table(text: _Text, as_text: Callable[[str], bool]) -> pa.Table:
    """Return the table of text, without what a spreadsheet adds to it that is blank."""
    import pyarrow as pa

    try:
        table = text.parsed(as_text)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        row = text.misfit()
        mended = None if row is None else _mended(text, row, as_text)
        if mended is None:
            raise _syntax_error(text, row, error) from None
        table = mended
    table = table.rename_columns([name.strip() for name in table.column_names])
    last = text.data[-_TAIL:].rstrip(b"\r\n").splitlines()[-1:]
    # a spreadsheet adds nothing in quotes: those are of a program that writes all values so
    return table if last and b'"' in last[0] else _without_blank_rows(table)


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
    found = _parsed(sink.getvalue().to_pybytes(), ",", ignore_empty_lines=False).column(0)
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


def _as_utf8(data: bytes, path: str) -> tuple[bytes, bool]:
    """Return text that is marked as UTF-16 in UTF-8, and whether it was."""
    for mark, code in _MARKS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(code).encode("utf-8"), True
            except UnicodeError:
                problem = "text is marked as UTF-16 but is damaged"
                raise InputError(problem, path=path, hint=_SAVE) from None
    return data, False


def _delimiter(header: str, path: str, form: Format, stated: str) -> str:
    """Return the delimiter: the stated one, a tab in TSV, or the most frequent in the header.

    R's `write.table` writes blanks; they delimit three names or more, or names in quotes, where
    there is no other delimiter.
    """
    bare = _QUOTED.sub("", header)
    if stated:
        others = [other for other in DELIMITERS if other in bare]
        if not stated.isascii() or (stated not in bare and others):
            raise InputError(
                f"the first line says sep={stated}, but the header is not delimited so",
                path=path,
                hint="remove the first line, or make it that of the delimiter",
            )
        return stated
    if form is Format.TSV:
        return "\t"
    spaced = header.startswith('"') or bare.strip().count(" ") > 1
    if spaced and not set(DELIMITERS) & set(bare) and _SPACED.fullmatch(header.strip()):
        return " "
    return max(DELIMITERS, key=bare.count)


def check_text(data: bytes, path: str) -> None:
    """Refuse bytes that are no UTF-8 text, or that of files under one another."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("text is UTF-16, not UTF-8", path=path, hint=_SAVE)
    if b"\x00" in data or data.startswith(b"PAR1"):
        hint = "give the file the suffix of its format"
        raise InputError("is binary, not text", path=path, hint=hint)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        word = re.split(rb'[,;\t"\r\n]', data[max(error.start - 24, 0) : error.start])[-1]
        word += re.split(rb'[,;\t"\r\n]', data[error.start : error.start + 24])[0]
        shown = word.decode("cp1252", "replace")
        raise InputError(
            f"text is not UTF-8 (line {line}); in Windows-1252 it reads {shown!r}",
            path=path,
            hint=f"{_SAVE}; or: iconv -f WINDOWS-1252 -t UTF-8",
        ) from None
    marked = _LATE_MARK.search(text) if text.find("\ufeff", 1) > 0 else None
    if marked:
        line = text.count("\n", 0, marked.end()) + 1
        raise InputError(
            f"a byte-order mark (U+FEFF) stands within the text, in line {line}",
            path=path,
            hint="remove it; or read files apart rather than put under one another",
        )


def check_quotes(data: bytes, path: str, delimiter: str) -> None:
    """Refuse text in which a quoted value continues on the next line, or never ends.

    The reader of the table takes a quote that is not closed for a value of many lines, without a
    word: it would swallow the rows below it. One expression follows the values as that reader
    does, and stops at one that does not end in its line; where quoted line breaks are allowed,
    such a value must end where RFC 4180 has it.

    Parameters
    ----------
    data
        Text with a header line.
    path
        File, for messages.
    delimiter
        One ASCII character.

    Raises
    ------
    InputError
        Names the line in which the quote opens.
    """
    if b'"' not in data:
        return
    across = reading.current().quoted_newlines
    text, bounds = b"\n" + data.removeprefix(b"\xef\xbb\xbf"), re.escape(delimiter) + r"\r\n"
    walk = re.compile(_WALK.format(bounds=bounds).encode())
    over_lines = re.compile(rf"{_VALUE}(?=[{bounds}]|\Z)".encode())
    position = 0
    while (position := walk.match(text, position).end()) < len(text):  # type: ignore[union-attr]
        value = over_lines.match(text, position) if across else None
        if value is None:
            raise _unclosed(text[1:], path, position - 1, across)
        position = value.end()


def _unclosed(data: bytes, path: str, start: int, across: bool) -> InputError:
    """Build the error about a quote that opens at a byte and does not close in its line."""
    value = re.compile(_VALUE.encode()).match(data, start)
    problem, remedy = f"a quote opens in line {_line_of(data, start)} and ", "close it"
    if value is None:
        problem += "is never closed"
    else:
        problem += f"closes only in line {_line_of(data, value.end() - 1)}"
        remedy += " in its line"
        remedy += "" if across else "; --quoted-newlines if the value has line breaks"
    shown = data[start : start + 24].splitlines()[0].decode("utf-8", "replace")
    return InputError(
        f"{problem}: {shown}", path=path, hint=f"{remedy}; or remove it, or double it within quotes"
    )


def _line_of(data: bytes, position: int) -> int:
    """Line of a byte, counted from 1; a lone carriage return ends a line too."""
    head = data[:position]
    return 1 + head.count(b"\n") + head.count(b"\r") - head.count(b"\r\n")


def _mended(text: _Text, row: pacsv.InvalidRow, as_text: Callable[[str], bool]) -> pa.Table | None:
    """Return the table of text whose header is of another length than its rows, or none.

    Blank cells may stand at the end of the header alone, or of all rows; or the header has no cell
    for the names of the rows.
    """
    import pyarrow as pa

    header, mark = text.header[1], text.delimiter.encode()
    extra = row.actual_columns - row.expected_columns
    headers = [header + mark * extra if extra > 0 else header.rstrip(mark + b" "), mark + header]
    for one in headers[mark == b" " :]:
        try:
            table = text.with_header(one).parsed(as_text)
        except (pa.ArrowException, UnicodeDecodeError):
            continue
        if one.startswith(mark + header):
            return table if _has_row_names(table, header.decode(), text.delimiter) else None
        if extra < 0:
            return table
        if _ends_blank(table, extra, text):
            return table.select(range(table.num_columns - extra))
    return None


def _ends_blank(table: pa.Table, extra: int, text: _Text) -> bool:
    """True if the last columns are empty, and the first cells are not row names."""
    if not all(is_nothing(kind) for kind in table.schema.types[-extra:]):
        return False
    # a cell that says that its value is missing is not blank
    words = b"|".join(re.escape(word.encode()) for word in MISSING if word)
    said = re.escape(text.delimiter.encode()) + rb'[ "]*(?:' + words + rb')[ "]*\r?(?:\n|\Z)'
    if re.search(said, text.data):
        return False
    is_key = table.column_names[0].strip().casefold() in _NEVER_NUMERALS
    return is_key or not _differ(table.column(0))


def _without_blank_rows(table: pa.Table) -> pa.Table:
    """Return a table without rows at its end of which every cell is empty.

    Where no column tells samples or their truth, such a row may be a sample without predictions.
    """
    last = table.num_rows - 1
    if last < 0 or any(column[last].is_valid for column in table.columns):
        return table
    roles = {name for names in NAMES.values() for name in names} | _KEYS
    if not any(name.casefold() in roles for name in table.column_names):
        return table
    filled = np.zeros(table.num_rows, bool)
    for column in table.columns:
        filled |= to_numbers(apply("is_valid", column)) == 1
    return table.slice(0, int(np.flatnonzero(filled)[-1]) + 1) if filled.any() else table


def _has_row_names(table: pa.Table, header: str, delimiter: str) -> bool:
    """True if the first column holds row names, for which R writes no cell in the header.

    Then the first cells are other whole numbers or another text in every row, and the last ones
    are not empty, as behind a trailing delimiter. It may be another name that lacks where the
    header knows other delimiters, or begins with a key and the second cells are not another text
    in every row, which only keys are.
    """
    import pyarrow as pa

    if any(other in header for other in DELIMITERS if other != delimiter):
        return False
    named = [name.strip(' "').casefold() for name in header.split(delimiter)]
    first, second, last = table.columns[0], table.columns[1], table.columns[-1]
    if named[0] in NAMES["row_id"]:
        may_be_key = named[1:2] and named[1] in {*_KEYS, *NAMES["group"]}
        if may_be_key or not is_text(_typed(second).type) or not _differ(second):
            return False
    names = is_text(first.type) or pa.types.is_integer(first.type)
    return names and _differ(first) and not is_nothing(last.type)


def _differ(column: pa.ChunkedArray) -> bool:
    """True if all cells differ and none is missing."""
    return not column.null_count and len(column.unique()) == len(column)


def _syntax_error(text: _Text, row: pacsv.InvalidRow | None, error: Exception) -> InputError:
    """Name the first row whose length differs from the header's."""
    if row is None:
        return InputError(
            f"text cannot be parsed: {str(error).splitlines()[0]}",
            path=text.path,
            hint="a header line, then one row per line with a value under every name",
        )
    hint = "give every row one value per column; quote values that contain the delimiter"
    extra = row.actual_columns - row.expected_columns
    decimals = text.delimiter == "," and re.search(r"\d,\d", row.text)
    if decimals and row.actual_columns > 1 and extra > 0:
        hint += ", such as numbers with decimal commas"
    if extra == 1:
        hint += "; R writes no row names with row.names = FALSE"
    line = row.number + len(text.data[: text.header.start(1)].splitlines())
    return InputError(
        f"line {line} has {row.actual_columns} values, the header names {row.expected_columns}",
        path=text.path,
        hint=hint,
    )


def _no_rows(path: str) -> InputError:
    return InputError("no rows under the header", path=path, hint="one row per sample")
