"""promptfoo: results as JSON, JSON Lines or CSV.

A row is a test under a provider and a prompt. With `--repeat` a test has several unmarked rows:
rows with equal variables and equal assertions are one item.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import gcd
from pathlib import Path
from typing import Any

from bbccli.reading.evaluations import files
from bbccli.reading.evaluations.files import File, json_number, object_of, under
from bbccli.reading.interface import Framework, ItemScores, Log, ScorerInfo
from bbccli.reading.numerals import moment_of

PASS, SCORE = "pass", "score"
_DESCRIPTION, _FATES = "Description", ("PASS", "FAIL", "ERROR")
_STATUS = ("Status", "Score", "Named Scores")
_NAMED = "Metric: "
_ERROR = 2
"""`failureReason` of a failed request; 1 is a failed assertion."""

_OF_A_ROW = frozenset({"sessionId"})
"""Variables that promptfoo makes anew for every request."""

_Object = Mapping[str, Any]
_Row = tuple[Any, tuple[str, str], ItemScores]
"""A test under a provider and a prompt: key and names of both, and the result.

`content` is the test, by what tells it from others of the same variables; its place among the
tests, None where the file does not tell; and of a table which of those others it is.
"""


def _owns(file: File) -> bool:
    if file.suffix == ".csv":
        return ",".join(_STATUS).encode() in file.head.split(b"\n")[0]
    if file.suffix == ".jsonl":
        return {"vars", "success", "promptIdx"} <= file.keys
    named = "results" in file.keys and bool(file.keys & {"evalId", "config"})
    return named and isinstance(object_of(file.json["results"]).get("results"), list)


def _load(file: File) -> Iterator[Log]:
    """Yield a log for each column: a provider with a prompt. Rows may be in any order."""
    created, prompts = None, []
    if file.suffix == ".csv":
        rows = _of_table(file)
    elif file.suffix == ".jsonl":
        rows = _of_rows(file, file.records())
    else:
        results = file.json["results"]
        created, prompts = moment_of(results.get("timestamp")), [*(results.get("prompts") or ())]
        rows = _of_rows(file, file.each(results["results"], "row"))
    columns: dict[Any, list[ItemScores]] = {}
    called: dict[Any, tuple[str, str]] = {}
    for column, names, result in rows:
        called.setdefault(column, names)
        test, at, nth = result.content
        items = columns.setdefault(column, [])
        items.append(result._replace(content=(test, len(items) if at is None else at, nth)))
    alike = Counter(called.values())
    in_order = sorted(
        columns.items(),
        key=lambda column: (column[0], "") if isinstance(column[0], int) else (-1, str(column[0])),
    )
    for number, (key, items) in enumerate(in_order):
        model, prompt = called[key]
        configuration: dict[str, object] = {"model": model, "prompt": prompt}
        if alike[model, prompt] > 1:  # they differ only in their settings
            configuration["column"] = number
        about = object_of(prompts[key]) if isinstance(key, int) and key < len(prompts) else {}
        yield Log(
            configuration=configuration,
            details={"text": about["raw"]} if about.get("raw") else {},
            results=items,
            scorers=_scorers(items, object_of(about.get("metrics"))),
            created=created,
        )


def _together(logs: Sequence[Log]) -> list[Log]:
    """Return logs whose items name the test only if others have the same variables in a file."""
    tests: dict[tuple[Path, str], set[object]] = {}
    known: dict[str, dict[Any, Any]] = {}
    rows = [(log.place, result.item, result.content) for log in logs for result in log.results]
    for place, item, (test, *_) in rows:
        tests.setdefault((place, item), set()).add(test)
    several = {item for (_, item), alike in tests.items() if len(alike) > 1}
    for _, item, (test, at, nth) in rows:
        if item in several and nth is None:
            order = known.setdefault(item, {})
            order[test] = min(order.get(test, at), at)

    def named(result: ItemScores) -> ItemScores:
        item, (test, _, nth) = result.item, result.content
        order = known.get(item, {})
        if isinstance(nth, int) and nth < len(order):  # of the evaluation as JSON
            test = sorted(order, key=lambda name: (order[name], name))[nth]
        return result._replace(item=f"{item} #{test}" if item in several else item, content=())

    return [replace(log, results=[*map(named, log.results)]) for log in logs]


def _of_rows(file: File, rows: Iterable[Any]) -> Iterator[_Row]:
    for row in map(object_of, rows):
        parts = (object_of(row.get(key)) for key in ("vars", "provider", "prompt", "testCase"))
        variables, provider, prompt, test = parts
        if not isinstance(row.get("success"), bool):
            raise file.fault("has a row without a success value")
        model = str(provider.get("label") or provider.get("id") or row.get("provider") or "")
        label = str(prompt.get("label") or prompt.get("raw") or "")
        number, at = row.get("promptIdx"), row.get("testIdx")
        column = (model, label) if number is None else number
        asked = json.dumps([test.get("assert"), test.get("description")], sort_keys=True)
        content = files.short_hash(asked), int(at) if isinstance(at, int) else None, None
        result = _result(row, variables, test)._replace(content=content)
        yield column, (model, label), result


def _result(row: _Object, variables: _Object, test: _Object) -> ItemScores:
    """Return the result of a row; promptfoo gives failed ones a score of 0."""
    scores: dict[str, float | None] = {PASS: float(row["success"])}
    if isinstance(row.get("score"), int | float):
        scores[SCORE] = json_number(row["score"])
    for name, value in object_of(row.get("namedScores")).items():
        scores[name if name not in scores else f"named.{name}"] = json_number(value)
    reason, error = row.get("failureReason"), ""
    if reason == _ERROR or (reason is None and row.get("error") and not row.get("gradingResult")):
        error = str(row.get("error") or "error")
    about = under("vars", variables) | under("metadata", test.get("metadata"))
    return ItemScores(_item(variables), scores, error=error, about=about)


def _item(variables: _Object) -> str:
    """Return the key of a test, the same in all formats."""
    texts = {
        name: value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        for name, value in sorted(variables.items())
        if name not in _OF_A_ROW and not name.startswith("_") and value not in (None, "")
    }
    return files.short_key(json.dumps(texts, ensure_ascii=False))


def _of_table(file: File) -> Iterator[_Row]:
    """Yield the rows of a wide table, which has columns of variables, then several for each
    output.
    """
    rows, limit = [], csv.field_size_limit(len(file.text) + 1)  # answers may be of any length
    try:
        reader = csv.reader(io.StringIO(file.text.decode(), newline=""))
        header, line = next(reader), reader.line_num + 1
        for row in reader:
            rows.append((line, row))
            line = reader.line_num + 1
    except (csv.Error, UnicodeDecodeError, StopIteration):
        raise file.fault("is not a table") from None
    finally:
        csv.field_size_limit(limit)
    starts = [at - 1 for at, name in enumerate(header) if name == _STATUS[0] and at]
    for line, row in rows:
        if len(row) != len(header) or any(row[at + 1] not in _FATES for at in starts):
            raise file.fault(f"line {line} is not in the format of promptfoo")
    cells = [dict(zip(header[: starts[0]], row, strict=False)) for _, row in rows]
    tests = _nth_tests(cells)
    for start, end in zip(starts, [*starts[1:], len(header)], strict=True):
        model, _, prompt = header[start].removeprefix("[").partition("] ")
        for values, test, (_, row) in zip(cells, tests, rows, strict=True):
            about = {name: value for name, value in values.items() if name != _DESCRIPTION}
            scores: dict[str, float | None] = {PASS: float(row[start + 1] == "PASS")}
            for name, cell in zip(header[start:end], row[start:end], strict=True):
                called = SCORE if name == "Score" else name.removeprefix(_NAMED)
                if called != name:
                    with suppress(ValueError):
                        scores[called] = float(cell)
            error = "error" if row[start + 1] == "ERROR" else ""
            facts = under("vars", about)
            yield start, (model, prompt), ItemScores(_item(about), scores, 0, error, facts, test)


def _nth_tests(rows: Sequence[Mapping[str, str]]) -> list[tuple[object, ...]]:
    """Return for each row how its test differs from others, and which of its variables it is,
    counted from 0, as the last of `content`.

    Assertions are not in it. `--repeat` repeats all tests equally often, one after the other: rows
    of the same variables and description that are more are several tests.
    """
    keys = [(_item({**values, _DESCRIPTION: ""}), values.get(_DESCRIPTION, "")) for values in rows]
    n_repeats, seen = gcd(*Counter(keys).values()), Counter[tuple[str, str]]()
    numbers: dict[str, dict[str, int]] = {}
    numbered: list[tuple[object, ...]] = []
    for item, described in keys:
        number = seen[item, described] // n_repeats
        seen[item, described] += 1
        nth, test = numbers.setdefault(item, {}), f"{files.short_hash(described)}{number}"
        numbered.append((test, None, nth.setdefault(test, len(nth))))
    return numbered


def _scorers(results: Sequence[ItemScores], metrics: _Object) -> dict[str, ScorerInfo]:
    """Return pass, the score of the test, and named scores, with promptfoo's own figures."""
    named, counts = (object_of(metrics.get(key)) for key in ("namedScores", "namedScoresCount"))
    tests = [metrics.get(f"test{outcome}Count") for outcome in ("Pass", "Fail", "Error")]
    n_tests = sum(test for test in tests if isinstance(test, int))
    totals: dict[str, tuple[Any, Any]] = {PASS: (tests[0], n_tests)}
    totals[SCORE] = metrics.get("score"), n_tests
    if object_of(metrics.get("namedScoreWeights")) in ({}, counts):
        totals |= {name: (total, counts.get(name)) for name, total in named.items()}
    scorers = {}
    for name, (total, n) in totals.items():
        scored = (result for result in results if result.scores.get(name) is not None)
        requests = Counter((result.item, result.content) for result in scored)
        if isinstance(total, int | float) and isinstance(n, int) and n:
            if len(set(requests.values())) > 1:
                reason = "promptfoo averages over requests, and items have unequal numbers of them"
                scorers[name] = ScorerInfo(unchecked=reason)
            else:
                scorers[name] = ScorerInfo(reported=total / n)
    return scorers


FRAMEWORK = Framework(
    "promptfoo",
    "results as `*.json`, `*.jsonl` or `*.csv`",
    "`pass`: all assertions hold; a request that failed does not",
    _owns,
    _load,
    _together,
)
