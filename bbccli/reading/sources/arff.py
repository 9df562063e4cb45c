"""ARFF bytes -> table, as OpenML serves `predictions.arff`.

`scipy.io.arff` knows no text attributes and fails with its own errors, so the few rules that matter
are here: attributes, quotes of both kinds, `?` for missing, comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bbccli.errors import InputError
from bbccli.reading.arrow import pa
from bbccli.reading.sources.delimited import check_text

_ATTRIBUTE = re.compile(
    r"""@attribute\s+ (?: '((?:[^'\\]|\\.)*)' | "((?:[^"\\]|\\.)*)" | ([^\s{]+) ) \s* (\S.*)""",
    re.IGNORECASE | re.VERBOSE,
)
_CELL = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'\s*|"((?:[^"\\]|\\.)*)"\s*|([^,]*))(,|$)""")
_ESCAPED = re.compile(r"\\(.)")
_NUMERIC = ("numeric", "real", "integer")
_MISSING = ("?", "", "NaN", "nan", "NA")
_HINT = "write the predictions as ARFF, CSV or Parquet again"


def read_arff(data: bytes) -> pa.Table:
    """Return the table of an ARFF file: numeric attributes as numbers, others as text."""
    check_text(data)
    lines = enumerate(data.decode("utf-8-sig").split("\n"), start=1)
    attributes = _header(lines)
    rows = list(_rows(lines, len(attributes)))
    if not rows:
        raise InputError("no rows under @data", hint="give one row per sample")
    columns = [
        _column(cells, kind)
        for cells, (_, kind) in zip(zip(*rows, strict=True), attributes, strict=True)
    ]
    return pa.Table.from_arrays(columns, names=[name for name, _ in attributes])


def _header(lines: Iterator[tuple[int, str]]) -> list[tuple[str, str]]:
    """Return name and kind of each attribute; the lines are left at the first row."""
    attributes: list[tuple[str, str]] = []
    for number, line in lines:
        text = line.strip()
        if text.casefold().startswith("@attribute"):
            match = _ATTRIBUTE.fullmatch(text)
            if match is None:
                raise InputError(f"line {number} is not an attribute", hint=_HINT)
            name = next(group for group in match.groups()[:3] if group is not None)
            attributes.append((_ESCAPED.sub(r"\1", name).strip(), match[4].split()[0].casefold()))
        elif text.casefold().startswith("@data") and attributes:
            return attributes
    lacking = "no @data" if attributes else "no @attribute"
    raise InputError(f"has {lacking}, so it is not an ARFF file", hint=_HINT)


def _rows(lines: Iterator[tuple[int, str]], n_columns: int) -> Iterator[list[str]]:
    """Return the cells of each row."""
    for number, line in lines:
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        if text.startswith("{"):
            raise InputError(f"line {number} is a sparse row", hint=_HINT)
        cells = _cells(text)
        if len(cells) != n_columns:
            raise InputError(
                f"line {number} has {len(cells)} values, but the file has {n_columns} attributes",
                hint="give every row one value per attribute; quote values that contain a comma",
            )
        yield cells


def _cells(text: str) -> list[str]:
    """Return the values of a row, quoted by either quote, with backslash escapes."""
    if not any(mark in text for mark in "'\"\\"):
        return [cell.strip() for cell in text.split(",")]
    cells, match = [], _CELL.match(text)
    while match is not None:
        quoted = match[1] if match[1] is not None else match[2]
        cells.append(match[3].strip() if quoted is None else _ESCAPED.sub(r"\1", quoted))
        match = _CELL.match(text, match.end()) if match[4] else None
    return cells


def _column(cells: tuple[str, ...], kind: str) -> pa.Array:
    """Return numbers for a numeric attribute if they are such; else text."""
    texts = pa.array([None if cell in _MISSING else cell for cell in cells], pa.string())
    for number in (pa.int64(), pa.float64()) if kind in _NUMERIC else ():
        try:
            return texts.cast(number)
        except pa.ArrowInvalid:
            continue
    return texts
