"""Changes of files: of bytes, of cells, of JSON."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

CELLS = (
    "", "0", "1", "-1", "2", "0.5", "1e-320", "1e16", "nan", "NaN", "NA", "inf", "-inf", "1e999",
    "x", "y", "z", "True", "false", "a b", " x ", "::", "2020-01-01", "12:30:00",
    "99999999999999999999", "0x1F", "1_000", "1,5", '"', '""', '"x', "\u00e9", "\u202e",
    "\U0001f600", "\x1b[31m", "=1+1", "'", "\\", "%", "{", "\t", "null", "None", "fold", "a" * 300,
)  # fmt: skip
HEADS = (
    "row_id", "repeat", "fold", "truth", "group", "time", "event", "weight", "outer_fold", "config",
    "prediction", "score", "prob.x", "prob.y", "id", "id2", "a", "b", "a::x", "a::y", "::x", "a::",
    ".row", ".config", ".pred_x", "pred", "obs", "rowIndex", "Resample", "response", "row_ids",
    "confidence.x", "correct", "target", "path", "metric", "seed", "n_resamples", "",
)  # fmt: skip
BYTES = (
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\r", b"\n", b"\r\n", b'"', b",", b";", b"\t",
    b"PAR1", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x7f\xff\xff\xff", b"\x80", b"9", b"-", b"'",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1e308, 10**30, float("nan"), float("inf"), "", "x", "auc", "bbc", [], {},
    [0], {"a": 1},
    "\u202e", "bbc/1", [[]], -0.5,
)  # fmt: skip


def mutated(data: bytes, name: str, random: Random) -> bytes:
    """Return the bytes of a file after some changes, mostly such that it stays readable."""
    for _ in range(random.choice((0, 1, 1, 1, 2, 3, 6))):
        kind = random.random()
        if name.endswith(".json") and kind < 0.8:
            data = _json(data, random)
        elif name.endswith((".csv", ".tsv", ".arff", ".jsonl")) and kind < 0.8:
            data = _cells(data, random, "\t" if name.endswith(".tsv") else ",")
        else:
            data = _bytes(data, random)
    return data


def _bytes(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    stop = min(start + random.choice((0, 1, 1, 4, 16)), len(data))
    if not random.randrange(30):
        return data[:start]
    more = random.choice(
        (random.choice(BYTES), random.randbytes(random.randrange(5)), data[start:stop] * 2, b"")
    )
    return data[:start] + more + data[stop:]


def _cells(data: bytes, random: Random, delimiter: str) -> bytes:
    rows = [line.split(delimiter) for line in data.decode("utf-8", "replace").split("\n")]
    row, other = random.choice(rows), random.randrange(len(rows))
    column = random.randrange(len(row))
    change = random.randrange(9)
    if change == 0:
        row[column] = random.choice(CELLS)
    elif change == 1:
        rows[0][random.randrange(len(rows[0]))] = random.choice(HEADS)
    elif change == 2:
        del rows[other]
    elif change == 3:
        rows.insert(other, list(row))
    elif change == 4:  # a whole column
        cell = random.choice((*CELLS, *rows[-2 if len(rows) > 1 else 0]))
        rows = [rows[0]] + [
            [*r[:column], cell, *r[column + 1 :]] if column < len(r) else r for r in rows[1:]
        ]
    elif change == 5:
        rows = [r[:column] + r[column + 1 :] for r in rows]
    elif change == 6:
        name = random.choice(HEADS)
        cells = [random.choice(CELLS) for _ in range(random.choice((1, 2, 3)))]
        rows = [
            [*r, name if i == 0 else random.choice(cells)] if r != [""] else r
            for i, r in enumerate(rows)
        ]
    elif change == 7:
        body = rows[1:]
        random.shuffle(body)
        rows = [rows[0], *body]
    else:
        column = random.randrange(len(rows[0]))
        numbers = random.choice(([0.0, 1.0], [0.5], [-1e200, 1e200], [1e-300, 2e-300], [1, 2, 3]))
        rows = [rows[0]] + [
            [*r[:column], str(random.choice(numbers)), *r[column + 1 :]] if column < len(r) else r
            for r in rows[1:]
        ]
    return "\n".join(delimiter.join(r) for r in rows).encode("utf-8", "surrogatepass")


def _json(data: bytes, random: Random) -> bytes:
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        return _bytes(data, random)
    places = list(places_in(whole))
    if not places:
        return json.dumps(random.choice(VALUES)).encode()
    container, key = random.choice(places)
    change = random.randrange(4)
    if change == 0:
        del container[key]
    elif change == 1:
        container[key] = [container[key]]
    else:
        container[key] = random.choice(VALUES)
    return json.dumps(whole).encode()


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container in a JSON value with each of its keys."""
    if isinstance(value, dict | list):
        for key, inner in [*(value.items() if isinstance(value, dict) else enumerate(value))]:
            yield value, key
            yield from places_in(inner)
