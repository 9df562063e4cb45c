"""inspect_ai: `.eval`, a zip file with members possibly compressed by zstd, and the same as
`.json`.

Header and summaries of the samples are enough; a killed run has only a journal.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from statistics import median
from typing import Any

from bbccli.notes import listing
from bbccli.reading.evaluations import files
from bbccli.reading.evaluations.files import File, Zip, finite_number, json_number, object_of, under
from bbccli.reading.interface import Framework, ItemScores, Log, ScorerInfo
from bbccli.reading.numerals import moment_of

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_MARK, _MEASURE, _WORD = "mark", "measure", "word"
_MEANS = ("accuracy", "mean")
_DIGITS = 7
"""Fewer digits than these has the number of epochs."""
_JOURNAL = "_journal/start.json"


def _load(file: File) -> list[Log]:
    """Return the log; of a killed run the journal tells what it was."""
    if file.suffix == ".json":
        return [_log(file, file.json, file.json.get("samples"))]
    with Zip(file) as members:
        if "header.json" in members.names:
            header, held = members.json("header.json"), "summaries.json" in members.names
            return [_log(file, header, members.json("summaries.json") if held else None)]
        if _JOURNAL in members.names:
            return [_log(file, {"status": "killed", **object_of(members.json(_JOURNAL))}, ())]
    raise file.fault("is not a log of inspect_ai: it has neither header nor journal")


def _log(file: File, header: Any, samples: Any) -> Log:
    """Return a log from a header, and samples or their summaries."""
    header = object_of(header)
    spec, plan, results = (object_of(header.get(key)) for key in ("eval", "plan", "results"))
    if not isinstance(spec.get("task"), str) or not isinstance(spec.get("model"), str):
        raise file.fault("is not a log of inspect_ai: its header names no task or no model")
    status, version = str(header.get("status")), spec.get("task_version")
    left_out = "" if status == "success" else f"status {status}"
    if header.get("invalidated"):
        left_out = "invalidated"
    elif not left_out and not isinstance(samples, list):
        left_out = "it holds no samples"
    kinds: dict[str, Counter[str]] = {}
    samples = file.each(samples if not left_out else (), "sample")
    items = [_result(file, object_of(sample), kinds) for sample in samples]
    worded = [name for name, counts in kinds.items() if 2 * counts[_WORD] > counts.total()]
    if worded:
        items = [
            item._replace(scores={n: score for n, score in item.scores.items() if n not in worded})
            for item in items
        ]
        if len(worded) == len(kinds):
            left_out = f"{listing(worded)} scores by words, which inspect counts as 0"
    measured = [name for name, counts in kinds.items() if counts[_MEASURE]]
    names = (name for item in items for name in item.scores)
    details: dict[str, object] = {}
    for step in map(object_of, plan.get("steps") or ()):  # such as a system message
        details |= under(str(step.get("solver")), step.get("params"))
    return Log(
        task=spec["task"] if version in (None, 0, "0") else f"{spec['task']} version {version}",
        configuration=_configuration(spec),
        details=details,
        results=items,
        scorers=_scorers(names, measured, results),
        created=moment_of(spec.get("created")),
        left_out=left_out,
    )


def _configuration(spec: Mapping[str, Any]) -> dict[str, object]:
    """Return model, arguments of the task, solver and settings, as far as given."""
    arguments = object_of(spec.get("task_args_passed") or spec.get("task_args"))
    configuration: dict[str, object] = {"model": spec["model"]}
    in_order = sorted(arguments, key=lambda key: key != "prompt")
    configuration |= {key: arguments[key] for key in in_order}
    if spec.get("solver"):
        configuration["solver"] = spec["solver"]
    for key in ("solver_args_passed", "model_generate_config", "model_args", "model_roles"):
        for name, value in object_of(spec.get(key)).items():
            if value is not None:
                configuration[name if name not in configuration else f"{key}.{name}"] = value
    return configuration


def _result(file: File, sample: Mapping[str, Any], kinds: dict[str, Counter[str]]) -> ItemScores:
    """Return a sample; `kinds` counts what is scored by marks, measures or words."""
    epoch = sample.get("epoch")
    if "id" not in sample or type(epoch) is not int or not 0 < epoch < 10**_DIGITS:
        raise file.fault(f"{file.place} is without id or epoch, a whole number from 1")
    scores: dict[str, float | None] = {}
    for name, score in object_of(sample.get("scores")).items():
        value = object_of(score).get("value")
        parts = dict(enumerate(value)) if isinstance(value, list) else value
        named = under(name, parts) if isinstance(parts, dict) else {name: parts}
        for full_name, part in named.items():
            scores[full_name], kind = _number(part)
            kinds.setdefault(full_name, Counter())[kind] += 1
    error = "" if sample.get("error") is None else str(sample["error"])
    texts = (json.dumps(sample.get(key), sort_keys=True) for key in ("input", "target"))
    about = under("metadata", sample.get("metadata"))
    asked = tuple(map(files.short_hash, texts))
    return ItemScores(str(sample["id"]), scores, epoch, error, about, asked)


def _number(value: Any) -> tuple[float | None, str]:
    """Return a score as used by inspect's metrics (0 for other text), and its kind."""
    number = json_number(value)
    if isinstance(value, str):
        mark = _LETTERS.get(value, _WORDS.get(value.lower()))
        with suppress(ValueError):
            number = float(value)
        if mark is not None or number is None or not math.isfinite(number):
            return mark or 0.0, _WORD if mark is None and value else _MARK
    return number, _MARK if number in (None, 0, 1) else _MEASURE


def _scorers(
    names: Iterable[str], measured: Container[str], results: Mapping[str, Any]
) -> dict[str, ScorerInfo]:
    """Return the scorers, the headline first, with inspect's own figures."""
    headline = object_of(results.get("headline"))
    known = dict.fromkeys(names)
    reported: dict[str, ScorerInfo] = {}
    for entry in map(object_of, results.get("scores") or ()):
        scorer, name, reducer = entry.get("scorer"), entry.get("name"), entry.get("reducer")
        called = next((name for name in (f"{scorer}.{name}", scorer) if name in known), None)
        if called is None or (called in reported and reducer != "mean"):
            continue
        metrics = object_of(entry.get("metrics"))
        values = [object_of(metrics[key]).get("value") for key in _MEANS if key in metrics]
        figures = [figure for figure in map(finite_number, values) if figure is not None]
        reduce = _reducer(str(reducer))
        if reduce or reducer in (None, "mean"):
            figure, lacks = next(iter(figures), None), metrics and not figures
            others = f"inspect reports {listing([*metrics])}, but no mean" if lacks else ""
            reported[called] = ScorerInfo(reported=figure, reduce=reduce, unchecked=others)
        else:
            reported[called] = ScorerInfo(unchecked=f"inspect takes {reducer} of the epochs")
        if (scorer, name) == (headline.get("scorer"), headline.get("score")):
            reported = {called: reported.pop(called), **reported}
    bounds = {name: None if name in measured else (0.0, 1.0) for name in (*reported, *known)}
    return {name: replace(reported.get(name, ScorerInfo()), bounds=bounds[name]) for name in bounds}


@cache
def _reducer(name: str) -> Callable[[Sequence[float]], float] | None:
    """Return how inspect reduces the scores in the epochs of an item; None if by their mean, or in
    a way of the user's own.
    """
    known: dict[str, Callable[[Sequence[float]], float]] = {
        "mode": lambda scores: Counter(scores).most_common(1)[0][0],
        "majority": _majority,
        "median": median,
        "max": max,
    }
    digits = name.rpartition("_")[2]
    k = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < _DIGITS else 0
    if k:  # all count the scores of at least 1
        known[f"at_least_{k}"] = lambda scores: float(sum(score >= 1 for score in scores) >= k)
        known[f"pass_at_{k}"] = lambda scores: 1 - _all_of(k, [score < 1 for score in scores])
        known[f"pass_k_{k}"] = lambda scores: _all_of(k, [score >= 1 for score in scores])
    return known.get(name)


def _majority(scores: Sequence[float]) -> float:
    """Return the score that more than half of the epochs have; the unscored have none."""
    value, n = Counter(scores).most_common(1)[0]
    return value if 2 * n > len(scores) else math.nan


def _all_of(k: int, are_such: Sequence[bool]) -> float:
    """Return the probability that k of the epochs, drawn at random, are all such."""
    n = len(are_such)
    return math.comb(sum(are_such), k) / math.comb(n, k) if k <= n else math.nan


FRAMEWORK = Framework(
    "inspect",
    "`*.eval` and `*.json` of inspect_ai",
    "the headline, else the first",
    lambda file: file.suffix == ".eval" or {"eval", "status", "version"} <= file.keys,
    _load,
)
