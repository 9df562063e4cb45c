"""Documents read back from the JSON, JSONL or Parquet that they were saved as."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NoReturn

from bbccli.documents.compare import CompareEnvelope
from bbccli.documents.correct import ERROR_SCHEMA, SCHEMA_VERSION, Envelope, ErrorEnvelope
from bbccli.errors import InputError
from bbccli.platform.guarded_files import bytes_of
from bbccli.platform.records import Document, Json, MismatchError, record_of
from bbccli.platform.records.rows import OF_ERROR, REAL, TRUTH, WHOLE
from bbccli.reading.arrow import is_nothing, is_number, is_text
from bbccli.reading.sources import read_table, stdin_bytes
from bbccli.reading.table import check_column_names
from bbccli.types import TIE_TOLERANCE, Direction, GateOn, GateOutcome, Side

__all__ = ["read_comparison", "read_documents"]

WITHOUT_ESTIMATES = ("compare", "drop", "inspect", "leaderboard", "plan")
"""Commands whose documents are of another kind."""

HINT_OF_COMPARISON = "give a file that bbc compare --format json wrote"
HINT_WITH_COMPARISON = "bbc report makes a page of it, bbc plot --kind differences or cd a figure"
TO_JUDGE = "; predictions are judged by bbc correct FILE --fail-under 0.8"
HINT = f"give a file that bbc correct --format json, or jsonl, wrote{TO_JUDGE}"


def read_documents(path: str) -> list[Document[Any]]:
    """Return the documents of a file: one, an array of them, or one on each line.

    Each is checked against the schema; what a document of an earlier version lacks gets its
    default, and what a later one has beyond it is kept. A file of a batch that has no result is an
    error document. The table of a batch gives documents with as much as a gate needs.

    Parameters
    ----------
    path
        Of a .json, .jsonl or .parquet file; - is standard input, in JSON.

    Raises
    ------
    InputError
        A file that can't be read, or that holds anything else; names the line and the key.
    """
    return _read_rows(path) if is_table(path) else read_results(path, compared=False)


def read_comparison(path: str) -> Document[CompareEnvelope]:
    """Return the one document that `bbc compare --format json` wrote.

    Raises
    ------
    InputError
        A file that can't be read, or that holds anything else.
    """
    name, values = _values(path)
    if len(values) != 1 or not is_comparison(values[0][0]):
        raise InputError("not one result of bbc compare", path=name, hint=HINT_OF_COMPARISON)
    return _document(*values[0], name, compared=True)


def read_results(path: str, *, compared: bool = True) -> list[Document[Any]]:
    """Return the documents of a JSON file as `read_documents`, or the one of `bbc compare` in it.

    Raises InputError: as both of them.
    """
    name, values = _values(path)
    if not values:
        raise InputError("holds no result", path=name, hint=HINT)
    return [_document(value, where, name, compared=compared) for value, where in values]


def is_comparison(value: Any) -> bool:
    """True for a value that claims to be a document of `bbc compare`."""
    return (
        isinstance(value, dict)
        and value.get("command") == "compare"
        and value.get("schema") == SCHEMA_VERSION
    )


def _text(path: str, name: str) -> str:
    try:
        content = stdin_bytes() if path == "-" else bytes_of(path)
        return content.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise InputError("no such file", path=name, hint=HINT) from error
    except IsADirectoryError as error:
        raise InputError("is a folder, not a file", path=name, hint=HINT) from error
    except OSError as error:
        raise InputError(error.strerror or "can't be read", path=name, hint=HINT) from error
    except UnicodeDecodeError as error:
        raise InputError("is not text in UTF-8", path=name, hint=HINT) from error


def _values(path: str) -> tuple[str, list[tuple[Any, str]]]:
    """Name of a file, and its values with words for their places."""
    name = "<stdin>" if path == "-" else path
    text = _text(path, name)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > 1:
        with suppress(ValueError, RecursionError):  # the first of many lines of one value
            json.loads(lines[0][1])
            return name, [(_parsed(line, name, n), f"line {n}: ") for n, line in lines]
    value = _parsed(text, name) if lines else []
    if isinstance(value, list):
        return name, [(item, f"result {position}: ") for position, item in enumerate(value)]
    return name, [(value, "")]


def _parsed(text: str, name: str, line: int | None = None) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise InputError("is nested too deeply", path=name, hint=HINT) from error
    except ValueError as error:  # also a number of more digits than Python reads
        number = line or getattr(error, "lineno", 1)
        raise InputError(f"line {number} is not JSON", path=name, hint=HINT) from error


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _document(value: Any, where: str, name: str, *, compared: bool) -> Document[Any]:
    kind: Any = CompareEnvelope
    hint = HINT_OF_COMPARISON
    if not (compared and is_comparison(value)):
        kind, hint = _kind(value, where, name), HINT
    try:
        record_of(kind, value, strict=True)
    except MismatchError as error:
        raise InputError(f"{where}{error}", path=name, hint=hint) from error
    return Document(value, kind)


def _kind(value: Any, where: str, name: str) -> Any:
    if not isinstance(value, dict):
        return Envelope
    if (command := value.get("command")) in WITHOUT_ESTIMATES:
        hint = HINT_WITH_COMPARISON if command == "compare" else HINT
        raise InputError(f"{where}a result of bbc {command}, not an estimate", path=name, hint=hint)
    kinds, mark = {SCHEMA_VERSION: Envelope, ERROR_SCHEMA: ErrorEnvelope}, value.get("schema")
    if not isinstance(mark, str) or mark not in kinds:
        raise InputError(f"{where}not a result of bbc ({SCHEMA_VERSION})", path=name, hint=HINT)
    return kinds[mark]


NEEDED = (
    *("path", "metric", "direction", "method", "value", "lower", "upper", "side", "level"),
    *("notes", "gate", "gate_threshold", "gate_margin", "version"),
    *("n_configurations", "ignores_selection", "experimental"),
)

ALWAYS = ("path", "metric", "direction", "method")
WORDS = {"direction": tuple(Direction), "side": tuple(Side), "gate": tuple(GateOutcome)}

HINT_OF_TABLE = f"give a .parquet or .jsonl file that bbc batch wrote{TO_JUDGE}"

OF_ANALYSIS = (
    *("path", "sha256", "selected_by", "pooling", "select", "interval_kind", "guard", "clip"),
    *("seed", "models", "cap"),
)
"""Columns that are the same in all rows of a document."""


def is_table(path: str) -> bool:
    """True for a path of a table, by its suffix."""
    return path.lower().endswith(".parquet")


def is_batch(path: str) -> bool:
    """True for a table of a batch, not of predictions, by its columns.

    Raises InputError: a file that can't be read.
    """
    return set(NEEDED) <= set(read_table(path).names)


def _read_rows(path: str) -> list[Document[Any]]:
    """Return the documents of the table of a batch, and error documents, in the order of its rows.

    Raises InputError: a file that can't be read, or a table of something else.
    """
    table = read_table(path)
    check_column_names(table)
    if missing := [name for name in NEEDED if name not in table.names]:
        raise _no_batch(path, f"it has no column {missing[0]!r}")
    used = {*NEEDED, *OF_ANALYSIS, *OF_ERROR} - TRUTH
    for name in (name for name in table.names if name in used):
        kind, numeric = table.kinds.types[name], name in WHOLE | REAL
        if not (is_nothing(kind) or (is_number(kind) if numeric else is_text(kind))):
            expected = "numbers" if numeric else "text"
            raise _no_batch(path, f"{expected} expected, not {kind}", name)
    data: Any = table.data
    rows = data.to_pylist()
    for position, row in enumerate(rows):
        _check_row(row, path, position)
    return [_document_of(rows) for rows in _grouped(rows)]


def _no_batch(path: str, why: str, column: str | None = None) -> InputError:
    problem = f"is not a table of bbc batch: {why}"
    return InputError(problem, path=path, column=column, hint=HINT_OF_TABLE)


def _check_row(row: Json, path: str, position: int) -> None:
    """Refuse a row without a value that a document needs, or with an unknown word."""
    without_result = row.get("error") is not None
    bad = [name for name in (("path",) if without_result else ALWAYS) if row[name] is None]
    if row["gate"] is not None and row["gate_threshold"] is None:
        bad.append("gate_threshold")
    bad += [name for name, words in WORDS.items() if row[name] not in (None, *words)]
    for name in bad:
        cell = "no value" if row[name] is None else repr(row[name])
        raise _no_batch(path, f"row {position} has {cell}", name)


def _grouped(rows: Iterable[Json]) -> list[list[Json]]:
    """Split rows into documents; a repeated method begins the next one."""
    groups: list[list[Json]] = []
    analysis, seen = None, set[tuple[str, str]]()
    for row in rows:
        same = tuple(row.get(name) for name in OF_ANALYSIS)
        method = (row["metric"], row["method"])
        if row.get("error") is not None or same != analysis or method in seen:
            groups.append([])
            analysis, seen = same, set()
        groups[-1].append(row)
        seen.add(method)
    return groups


def _document_of(rows: list[Json]) -> Document[Any]:
    first = rows[0]
    if first.get("error") is not None:
        status = first.get("status")
        error = {"problem": first["error"], "hint": first.get("hint") or ""}
        error |= {"status": 2 if status is None else status}
        names = {"version": first["version"], "path": first["path"]}
        return Document({"schema": ERROR_SCHEMA, **names}, ErrorEnvelope, error=error)
    verdicts = [row for row in rows if row["gate"] is not None]
    return Document(
        kind=Envelope,
        input={name: first[name] for name in ("path", "n_configurations")},
        estimates=[_estimate(row) for row in rows],
        notes=[],
        gate=_gate(verdicts[0]) if verdicts else None,
    )


def _estimate(row: Json) -> Json:
    names = ("metric", "direction", "method", "value", "ignores_selection", "experimental")
    ends = {name: row[name] for name in ("lower", "upper", "side", "level")}
    return {
        **{name: row[name] for name in names},
        "interval": None if row["side"] is None else ends,
        "notes": [
            {"code": code, "text": f"{code}, see bbc explain {code}", "remedy": ""}
            for code in (row["notes"] or "").split()
        ],
    }


def _gate(row: Json) -> Json:
    """The verdict of a row, whose figure is recomputed from threshold and margin."""
    threshold, margin, undecided = row["gate_threshold"], row["gate_margin"], None
    if row["gate"] == GateOutcome.UNDECIDED or margin is None:
        figure, undecided = None, "it was when the table was written"
    else:
        figure = threshold + margin if row["direction"] == "maximize" else threshold - margin
    known = figure is not None and row["value"] is not None
    near = known and abs(figure - row["value"]) <= TIE_TOLERANCE
    return {
        **{name: row[name] for name in ("metric", "method", "direction")},
        "threshold": threshold,
        "margin": margin,
        "on": (GateOn.ESTIMATE if near else GateOn.BOUND).value,
        "value": figure,
        "outcome": row["gate"],
        "reason": undecided or "",
    }
