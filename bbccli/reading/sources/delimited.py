"""CSV or TSV bytes -> table."""

from __future__ import annotations

import contextlib
import csv
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bbccli.errors import InputError
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.platform.text import count
from bbccli.reading.arrow import apply, cast, is_nothing, is_text, pa, to_numbers
from bbccli.reading.column import EXACT_INTEGERS
from bbccli.reading.numerals import with_numbers
from bbccli.reading.roles import CONFIGURATIONS, ITEM_KEYS, NAMES
from bbccli.reading.sources.header import are_numbers, no_header, refuse_no_header

MISSING = ["", "NA", "NaN", "nan", "NAN", "null", "NULL", "Null", "<NA>"]
MISSING += ["#N/A", "#N/A N/A", "#NA", "#DIV/0!", "#NUM!", "#NULL!"]
MISSING += ["#NV", "#N/D", "#N/B", "#I/T"]  # #N/A in German, Italian and Spanish, Dutch, Danish
DELIMITERS = ",;\t"
_KEYS = frozenset((*NAMES["row_id"], *ITEM_KEYS))
_NEVER_NUMERALS = _KEYS.union(
    *(NAMES[role] for role in ("repeat", "fold", "group", "outer_fold")), CONFIGURATIONS
)

_SAVE = "save the file as UTF-8 (in Excel: CSV UTF-8)"
_BINARY = {
    b"PAR1": "give it the suffix .parquet: it is a Parquet file",
    b"\x1f\x8b": "add .gz to its name: it is compressed by gzip",
    b"\x28\xb5\x2f\xfd": "add .zst to its name: it is compressed by zstd",
    b"PK\x03\x04": (
        "save the sheet as CSV, or unpack the file: it is a spreadsheet or a zip archive"
    ),
    b"\xd0\xcf\x11\xe0": "save the sheet as CSV: it is a spreadsheet",
}
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


def read_delimited(data: bytes, keys: Sequence[str] = (), *, tabs: bool = False) -> pa.Table:
    """Return the table of delimited text with a header line.

    TSV is split at tabs; other text at the delimiter (comma, semicolon, tab) that is most frequent
    in the header line. Keys of samples, by name or among `keys`, and names of configurations,
    folds, repeats and groups become numbers or dates only if that tells them apart as the text
    does. Row names without a cell in the header become a column
    without a name.
    """
    data, local = as_utf8(data)
    text = _text_of(data, tabs)

    def kept(name: str) -> bool:
        return name in keys or name.strip().casefold() in _NEVER_NUMERALS

    def as_text(names: Sequence[str]) -> pa.Table:
        return _table(text, lambda name: name in names)

    table = _table(text, kept)
    if table.num_rows == 0:
        raise _no_rows()
    refuse_no_header(table)
    table = with_numbers(table, kept, as_text, local=local or text.delimiter == ";")
    for position, name in enumerate(table.column_names):
        if kept(name) and is_text(table.schema.types[position]):
            column = _typed(table.column(position), exact=name in keys or name.casefold() in _KEYS)
            table = table.set_column(position, name, column)
    return table


def line_of_row(data: bytes, row: int, *, tabs: bool = False) -> int | None:
    """Return the line, from 1, of a data row, from 0; None without such a row.

    An InputError for text that `read_delimited` refuses.
    """
    return _text_of(as_utf8(data)[0], tabs).line_of(row + 1)


def lines_as_written(data: bytes, *, tabs: bool = False) -> list[bytes]:
    """Return the header and the rows that `read_delimited` reads, each as it is written."""
    text = _text_of(as_utf8(data)[0], tabs)
    stated = b"" if text.delimiter in f"{DELIMITERS} " else f"sep={text.delimiter}\n".encode()
    header, *rows = (line[0] for line in text.lines())
    return [stated + header, *rows]


def _text_of(data: bytes, tabs: bool) -> _Text:
    """Return delimited text that can be parsed, its quotes checked."""
    check_text(data)
    stated = _STATED.match(data)
    if stated:
        data = data[stated.end() :]
    match = _TWO_LINES.match(data)
    if match is None:
        raise _no_rows()
    header = match[1].decode("utf-8")
    delimiter = _delimiter(header, tabs, stated[1].decode("utf-8") if stated else "")
    if header.count("|") > 1 and delimiter not in header:
        raise InputError(
            "values are separated by |",
            hint="separate them by commas, semicolons or tabs; or write sep=| above the header",
        )
    _check_header_once(data, match, delimiter)
    check_quotes(data, delimiter)
    tail = _BLANK_LINES.search(data, max(len(data) - _TAIL, 0))
    if tail and b" " in tail[0] and delimiter in header:
        data = data[: tail.start() + 1]
    return _Text(data, delimiter, match.start(1), match[1])


def _check_header_once(data: bytes, header: re.Match[bytes], delimiter: str) -> None:
    """Refuse text in which the header comes again, as where files are joined into one."""
    line, ends, at = header[1], (b"", b"\r", b"\n"), header.end(1)
    while delimiter.encode() in line and (at := data.find(line, at)) >= 0:
        at += len(line)
        if data[at : at + 1] not in ends or data[at - len(line) - 1 : at - len(line)] not in ends:
            continue
        names = line.decode("utf-8").split(delimiter)
        if are_numbers(names):
            raise no_header(names)
        raise InputError(
            f"line {_line_of(data, at)} repeats the header",
            hint="remove it; or keep files separate instead of concatenating them",
        )


@dataclass(frozen=True, slots=True)
class _Text:
    """Delimited text in UTF-8, in which no quote is left open."""

    data: bytes
    delimiter: str
    start: int
    header: bytes
    """First line that is not blank, and where it starts."""

    def lines(self) -> Iterator[re.Match[bytes]]:
        """Yield the header and the rows; a value in quotes may hold line breaks."""
        bounds = re.escape(self.delimiter)
        rows = re.compile(rf"(?:(?<![^{bounds}\r\n]){_VALUE}|[^\r\n])++".encode())
        yield from rows.finditer(self.data[self.start :])

    def line_of(self, row: int) -> int | None:
        """Return the line in which a row begins, the header being row 0; None if there is none."""
        match = next(itertools.islice(self.lines(), row, None), None)
        return None if match is None else _line_of(self.data, self.start + match.start())

    def parsed(self, as_text: Callable[[str], bool]) -> pa.Table:
        """Parse it, with the columns that `as_text` accepts taken as written."""
        try:
            names = next(csv.reader([self.header.decode("utf-8")], delimiter=self.delimiter))
        except csv.Error as error:
            hint = "give a short name to every column, in one header line"
            raise InputError(f"header is not readable: {error}", hint=hint) from None
        texts = {name: pa.string() for name in names if as_text(name.strip())}
        return _parsed(self.data, self.delimiter, column_types=texts)

    def misfit(self) -> pa.csv.InvalidRow | None:
        """Return the first row whose length differs from the header's."""
        misfits: list[pa.csv.InvalidRow] = []

        def remember(row: pa.csv.InvalidRow) -> str:
            misfits.append(row)
            return "error" if misfits[1:] else "skip"

        with contextlib.suppress(pa.ArrowException, UnicodeDecodeError):
            _parsed(self.data, self.delimiter, threads=False, invalid_row_handler=remember)
        return misfits[0] if misfits else None


def _parsed(
    data: bytes, delimiter: str, *, threads: bool = True, column_types: Any = None, **parse: Any
) -> pa.Table:
    """Parse text in one block, since types are inferred from the first block alone."""
    block = min(len(data) + 1, _LARGEST_BLOCK)
    return pa.csv.read_csv(
        pa.BufferReader(data),
        pa.csv.ReadOptions(block_size=block, use_threads=threads),
        pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, **parse),
        pa.csv.ConvertOptions(
            null_values=MISSING, strings_can_be_null=True, column_types=column_types
        ),
    )


def _table(text: _Text, as_text: Callable[[str], bool]) -> pa.Table:
    """Return the table of text, without the blank rows and columns of a spreadsheet."""
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
    # a spreadsheet adds nothing in quotes, which come from programs that quote all values
    return table if last and b'"' in last[0] else _without_blank_rows(table)


def _typed(texts: pa.ChunkedArray, *, exact: bool = True) -> pa.ChunkedArray:
    """Return keys in their type, or as text if that would make different keys equal.

    Such are two spellings of one number or instant, numbers with more digits than a float holds
    and, if `exact`, numbers with leading zeros or in hexadecimal.
    """
    sink = pa.BufferOutputStream()
    try:
        how = pa.csv.WriteOptions(quoting_style="none")
        pa.csv.write_csv(pa.table([texts], names=["key"]), sink, how)
    except pa.ArrowException:  # a key contains a delimiter, a quote or a line end
        return texts
    typed = _parsed(sink.getvalue().to_pybytes(), ",", ignore_empty_lines=False).column(0)
    if is_text(typed.type) or is_nothing(typed.type):
        return typed
    written = apply("utf8_trim_whitespace", texts)
    if exact and pa.types.is_integer(typed.type):
        same = apply("all", apply("equal", cast(typed, pa.string()), written)).as_py()
        return typed if same else texts
    names, values = set(apply("unique", written).to_pylist()), apply("unique", typed)
    if pa.types.is_floating(typed.type):
        names = {name and _WHOLE.sub("", name) for name in names}  # 1.0 is 1
        padded = exact and any(name and _PADDED.match(name) for name in names)
        if padded or np.nanmax(np.abs(to_numbers(values))) > EXACT_INTEGERS:
            return texts
    return typed if len(names) == len(values) else texts


def as_utf8(data: bytes) -> tuple[bytes, bool]:
    """Return UTF-16 text with a byte-order mark in UTF-8, and True if it was."""
    for mark, code in _MARKS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(code).encode("utf-8"), True
            except UnicodeError:
                problem = "text is marked as UTF-16 but is damaged"
                raise InputError(problem, hint=_SAVE) from None
    return data, False


def _delimiter(header: str, tabs: bool, stated: str) -> str:
    """Return the delimiter: the stated one, a tab in TSV, or the most frequent in the header.

    R's `write.table` writes blanks; they delimit three names or more, or quoted names, if there is
    no other delimiter. Blanks in names between bars do not.
    """
    bare = _QUOTED.sub("", header)
    if stated:
        others = [other for other in DELIMITERS if other in bare]
        if not stated.isascii() or (stated not in bare and others):
            raise InputError(
                f"the first line says sep={stated}, but the header does not use it",
                hint="remove the first line, or correct its delimiter",
            )
        return stated
    if tabs:
        return "\t"
    spaced = header.startswith('"') or bare.strip().count(" ") > 1
    spaced = spaced and bare.split(" ")[0].count("|") < 2
    if spaced and not set(DELIMITERS) & set(bare) and _SPACED.fullmatch(header.strip()):
        return " "
    return max(DELIMITERS, key=bare.count)


def check_text(data: bytes) -> None:
    """Refuse bytes that are not UTF-8 text, or several texts in one file."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("text is UTF-16, not UTF-8", hint=_SAVE)
    known = next((hint for start, hint in _BINARY.items() if data.startswith(start)), None)
    if known or b"\x00" in data:
        hint = known or "give the file the suffix of its format"
        raise InputError("is binary, not text", hint=hint)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = _line_of(data, error.start)
        word = re.split(rb'[,;\t"\r\n]', data[max(error.start - 24, 0) : error.start])[-1]
        word += re.split(rb'[,;\t"\r\n]', data[error.start : error.start + 24])[0]
        shown = word.decode("cp1252", "replace")
        raise InputError(
            f"text is not UTF-8 (line {line}); in Windows-1252 it reads {shown!r}",
            hint=f"{_SAVE}; or, if that reads right: iconv -f WINDOWS-1252 -t UTF-8",
        ) from None
    marked = _LATE_MARK.search(text) if text.find("\ufeff", 1) > 0 else None
    if marked:
        line = _line_of(data, len(text[: marked.end()].encode()))
        raise InputError(
            f"there is a byte-order mark (U+FEFF) within the text, in line {line}",
            hint="remove it; or keep files separate instead of concatenating them",
        )


def check_quotes(data: bytes, delimiter: str) -> None:
    """Refuse text in which a quoted value continues on the next line, or never ends.

    The parser silently takes an unclosed quote for a value of many lines, which swallows the rows
    below. One regular expression follows the values as the parser does, and stops at one that does
    not end in its line; if quoted line breaks are allowed, such a value must end as in RFC 4180.
    """
    if b'"' not in data:
        return
    across = resources.reading_limits().quoted_newlines
    text, bounds = b"\n" + data.removeprefix(b"\xef\xbb\xbf"), re.escape(delimiter) + r"\r\n"
    walk = re.compile(_WALK.format(bounds=bounds).encode())
    over_lines = re.compile(rf"{_VALUE}(?=[{bounds}]|\Z)".encode())
    position = 0
    while (position := walk.match(text, position).end()) < len(text):  # type: ignore[union-attr]
        value = over_lines.match(text, position) if across else None
        if value is None:
            raise _unclosed(text[1:], position - 1, across)
        position = value.end()


def _unclosed(data: bytes, start: int, across: bool) -> InputError:
    """Return the error about a quote that opens at a byte and does not close in its line."""
    value = re.compile(_VALUE.encode()).match(data, start)
    problem, remedy = f"a quote opens in line {_line_of(data, start)} and ", "close it"
    if value is None:
        problem += "is never closed"
    else:
        problem += f"closes only in line {_line_of(data, value.end() - 1)}"
        remedy += " in its line"
        remedy += "" if across else "; --quoted-newlines if the value has line breaks"
    shown = data[start : start + 24].splitlines()[0].decode("utf-8", "replace")
    remedy += "; or remove it, or double it within quotes"
    return InputError(f"{problem}: {shown}", hint=remedy)


def _line_of(data: bytes, position: int) -> int:
    """Return the line of a byte, from 1; a lone carriage return ends a line too."""
    head = data[:position]
    return 1 + head.count(b"\n") + head.count(b"\r") - head.count(b"\r\n")


def _mended(text: _Text, row: pa.csv.InvalidRow, as_text: Callable[[str], bool]) -> pa.Table | None:
    """Return the table of text whose header differs from its rows in length, if that can be
    repaired.

    Blank cells may end the header alone, or all rows; or the header has no cell for row names.
    """
    header, mark = text.header, text.delimiter.encode()
    rows = text.data[text.start + len(header) :]
    extra = row.actual_columns - row.expected_columns
    mended = [header + mark * extra if extra > 0 else header.rstrip(mark + b" "), mark + header]
    for longer in mended[mark == b" " :]:
        try:
            data = text.data[: text.start] + longer + rows
            table = replace(text, data=data, header=longer).parsed(as_text)
        except (pa.ArrowException, UnicodeDecodeError):
            continue
        if longer.startswith(mark + header):
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
    # a marker of a missing value is not blank
    words = b"|".join(re.escape(word.encode()) for word in MISSING if word)
    marker = re.escape(text.delimiter.encode()) + rb'[ "]*(?:' + words + rb')[ "]*\r?(?:\n|\Z)'
    if re.search(marker, text.data):
        return False
    is_key = table.column_names[0].strip().casefold() in _NEVER_NUMERALS
    return is_key or not _differ(table.column(0))


def _without_blank_rows(table: pa.Table) -> pa.Table:
    """Return a table without trailing empty rows.

    If no column identifies samples or their truth, such a row may be a sample without predictions.
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

    Then the first cells are different integers or texts, and the last ones are not empty, as after
    a trailing delimiter. Another name may be missing instead if the header contains other
    delimiters, or begins with a key while the second cells are not different texts, which only keys
    are.
    """
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


def _syntax_error(text: _Text, row: pa.csv.InvalidRow | None, error: Exception) -> InputError:
    """Return the error about the first row whose length differs from the header's."""
    if row is None:
        return InputError(
            f"text cannot be parsed: {str(error).splitlines()[0]}",
            hint="give a header line, then one row per line with a value for every name",
        )
    hint = "give every row one value per column; quote values that contain the delimiter"
    if row.expected_columns == 1 or text.delimiter == " " or text.header.startswith(b"#"):
        hint = "remove all lines above the header; " + hint
    extra = row.actual_columns - row.expected_columns
    decimals = text.delimiter == "," and re.search(r"\d,\d", row.text)
    if decimals and row.actual_columns > 1 and extra > 0:
        hint += ", such as numbers with decimal commas"
    if extra == 1:
        hint += "; in R, use row.names = FALSE"
    line = text.line_of(row.number - 1)
    return InputError(
        f"line {line} has {count(row.actual_columns, 'value')}, but the header has "
        f"{row.expected_columns}",
        hint=hint,
    )


def _no_rows() -> InputError:
    return InputError("no rows under the header", hint="give one row per sample")
