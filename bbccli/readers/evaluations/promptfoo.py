"""promptfoo: results as JSON, JSON Lines or CSV.

A row is a test under a provider and a prompt. With `--repeat` the same test has several rows, which
nothing marks: rows of equal variables, and equal assertions, are one item.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bbccli.readers.evaluations.base import File, Framework, Log, Result, Scorer, number_of

PASS, SCORE = "pass", "score"
_STATUS = ("Status", "Score", "Named Scores")
_NAMED = "Metric: "
_ERROR = 2
"""`failureReason` of a request that failed; 1 is an assertion that did."""

_OF_A_ROW = frozenset({"sessionId"})
"""Variables that promptfoo makes anew for every request."""

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class _Column:
    """A provider with a prompt: its rows, and what promptfoo says of all of them."""

    model: str
    prompt: str
    results: list[Result]
    tests: list[str]
    metrics: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, object] = field(default_factory=dict)


def _owns(file: File) -> bool:
    if file.suffix == ".csv":
        return ",".join(_STATUS).encode() in file.head.split(b"\n")[0]
    if file.suffix == ".jsonl":
        return {"vars", "success", "promptIdx"} <= file.keys
    return (
        "results" in file.keys
        and bool(file.keys & {"evalId", "config"})
        and isinstance(_object(file.json["results"]).get("results"), list)
    )


def _load(files: Sequence[File]) -> Iterator[Log]:
    for file in files:
        created = ""
        if file.suffix == ".csv":
            columns = _of_table(file)
        elif file.suffix == ".jsonl":
            columns = _of_rows(file, file.lines, ())
        else:
            results = file.json["results"]
            created = str(results.get("timestamp") or "")
            columns = _of_rows(file, results["results"], results.get("prompts") or ())
        names = Counter((one.model, one.prompt) for one in columns)
        for number, one in enumerate(columns):
            configuration: dict[str, object] = {"model": one.model, "prompt": one.prompt}
            if names[one.model, one.prompt] > 1:  # providers that differ in their settings alone
                configuration["column"] = number
            answers = _told_apart(one)
            yield Log(
                place=file.path,
                configuration=configuration,
                details=one.details,
                results=answers,
                scorers=_scorers(answers, one.metrics),
                created=created,
            )


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _of_rows(file: File, rows: Sequence[Any], prompts: Sequence[Any]) -> list[_Column]:
    """Return the columns of rows, which may stand in any order."""
    found: dict[Any, _Column] = {}
    for row in map(_object, rows):
        variables, provider, prompt = (_object(row.get(k)) for k in ("vars", "provider", "prompt"))
        if not isinstance(row.get("success"), bool):
            raise file.fault("has a row that does not say whether it is a success")
        model = str(provider.get("label") or provider.get("id") or row.get("provider") or "")
        label = str(prompt.get("label") or prompt.get("raw") or "")
        number = row.get("promptIdx")
        if (key := (model, label) if number is None else number) not in found:
            about = _object(prompts[key]) if isinstance(key, int) and key < len(prompts) else {}
            details = {"text": about["raw"]} if about.get("raw") else {}
            found[key] = _Column(model, label, [], [], _object(about.get("metrics")), details)
        test = _object(row.get("testCase"))
        found[key].results.append(_result(row, variables, test))
        found[key].tests.append(
            json.dumps([test.get("assert"), test.get("description")], sort_keys=True)
        )
    return [found[key] for key in sorted(found, key=str if None in found else _in_order)]


def _in_order(key: Any) -> tuple[int, str]:
    return (key, "") if isinstance(key, int) else (-1, str(key))


def _result(
    row: Mapping[str, Any], variables: Mapping[str, Any], test: Mapping[str, Any]
) -> Result:
    """Return a row; one that failed has the scores that promptfoo counts, which are 0."""
    scores: dict[str, float | None] = {PASS: float(row["success"])}
    if isinstance(row.get("score"), int | float):
        scores[SCORE] = number_of(row["score"])
    for name, value in _object(row.get("namedScores")).items():
        scores[name if name not in scores else f"named.{name}"] = number_of(value)
    reason, error = row.get("failureReason"), ""
    if reason == _ERROR or (reason is None and row.get("error") and not row.get("gradingResult")):
        error = str(row.get("error") or "error")
    about = {f"vars.{name}": value for name, value in variables.items()}
    about |= {f"metadata.{k}": value for k, value in _object(test.get("metadata")).items()}
    return Result(_item(variables), scores, error=error, about=about)


def _item(variables: Mapping[str, Any]) -> str:
    """Return the key of a test, the same in all formats."""
    texts = {
        name: value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        for name, value in sorted(variables.items())
        if name not in _OF_A_ROW and not name.startswith("_") and value not in (None, "")
    }
    key = json.dumps(texts, ensure_ascii=False)
    if len(key) <= _LONGEST:
        return key
    return f"{key[: _LONGEST // 2]}... {hashlib.sha256(key.encode()).hexdigest()[:12]}"


def _told_apart(column: _Column) -> list[Result]:
    """Return results of which tests with equal variables and other assertions are items apart."""
    numbers: dict[str, dict[str, int]] = {}
    for one, test in zip(column.results, column.tests, strict=True):
        own = numbers.setdefault(one.item, {})
        own.setdefault(test, len(own) + 1)
    return [
        one
        if numbers[one.item][test] == 1
        else one._replace(item=f"{one.item} #{numbers[one.item][test]}")
        for one, test in zip(column.results, column.tests, strict=True)
    ]


def _of_table(file: File) -> list[_Column]:
    """Return the columns of a wide table: those of variables, then some for each output."""
    try:
        header, *rows = csv.reader(io.StringIO(file.content.decode("utf-8-sig"), newline=""))
    except (csv.Error, UnicodeDecodeError, ValueError):
        raise file.fault("is not a table") from None
    starts = [at - 1 for at, name in enumerate(header) if name == _STATUS[0] and at]
    variables = [at for at in range(starts[0]) if header[at] != "Description"]
    found = []
    for start, end in zip(starts, [*starts[1:], len(header)], strict=True):
        model, _, prompt = header[start].removeprefix("[").partition("] ")
        found.append(_Column(model, prompt, [], []))
        for number, row in enumerate(rows, start=2):
            cells = row[start:end]
            if len(row) != len(header) or cells[1] not in ("PASS", "FAIL", "ERROR"):
                raise file.fault(f"row {number} is not one of promptfoo's")
            values = {header[at]: row[at] for at in variables}
            described = row[header.index("Description")] if "Description" in header else ""
            found[-1].results.append(
                Result(
                    _item(values),
                    {PASS: float(cells[1] == "PASS"), **_numbers(header[start:end], cells)},
                    error="error" if cells[1] == "ERROR" else "",
                    about={f"vars.{name}": value for name, value in values.items()},
                )
            )
            found[-1].tests.append(described)
    return found


def _numbers(header: Sequence[str], cells: Sequence[str]) -> dict[str, float | None]:
    """Return the score of a row and its named ones, rounded as they are."""
    found: dict[str, float | None] = {}
    for name, cell in zip(header, cells, strict=True):
        if name == "Score" or name.startswith(_NAMED):
            try:
                found[SCORE if name == "Score" else name.removeprefix(_NAMED)] = float(cell)
            except ValueError:
                continue
    return found


def _scorers(results: Sequence[Result], metrics: Mapping[str, Any]) -> dict[str, Scorer]:
    """Return passing, the score of the test, and named scores, with promptfoo's own figures."""
    named, counts = (_object(metrics.get(key)) for key in ("namedScores", "namedScoresCount"))
    tests = [metrics.get(f"test{one}Count") for one in ("Pass", "Fail", "Error")]
    n_tests = sum(one for one in tests if isinstance(one, int))
    totals: dict[str, tuple[Any, Any]] = {
        PASS: (tests[0], n_tests),
        SCORE: (metrics.get("score"), n_tests),
    }
    totals |= {name: (total, counts.get(name)) for name, total in named.items()}
    if _object(metrics.get("namedScoreWeights")) not in ({}, counts):
        totals = {name: totals[name] for name in (PASS, SCORE)}
    found = {}
    for name in dict.fromkeys(name for one in results for name in one.scores):
        scores = [one.scores[name] for one in results if one.scores.get(name) is not None]
        asked = Counter(one.item for one in results if one.scores.get(name) is not None)
        scorer = Scorer(bounds=(0.0, 1.0) if all(one in (0, 1) for one in scores) else None)
        total, n = totals.get(name, (None, None))
        if isinstance(total, int | float) and isinstance(n, int) and n:
            scorer = replace(scorer, reported=total / n)
            if len(set(asked.values())) > 1:
                reason = "promptfoo averages over requests, of which items have unequal numbers"
                scorer = replace(scorer, reported=None, unchecked=reason)
        found[name] = scorer
    return found


FRAMEWORK = Framework(
    "promptfoo",
    "results as `*.json`, `*.jsonl` or `*.csv`",
    "`pass`: all assertions hold; a request that failed does not",
    _owns,
    _load,
)
