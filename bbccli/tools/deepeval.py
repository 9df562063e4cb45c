"""deepeval: `test_run_TIME.json` of its results folder, a run each.

The file of a run names no model: its hyperparameters do, or else its identifier or its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from bbccli.reading.evaluations.files import File, json_number, short_key, under
from bbccli.reading.interface import Framework, ItemScores, Log, ScorerInfo
from bbccli.reading.numerals import moment_of

SUCCESS = "success"
_KINDS = ("testCases", "conversationalTestCases")
_TIME = re.compile(r"test_run_(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)(?:_(\d{1,6}))?", re.ASCII)
"""Several files of one second are numbered."""


def _load(file: File) -> Iterator[Log]:
    run = file.json
    cases = [case for kind in _KINDS for case in run.get(kind) or ()]
    results = [_result(case) for case in file.each(cases, "test case")]
    passed, failed = (run.get(key) or 0 for key in ("testPassed", "testFailed"))
    totals = {  # by name: sum and number
        str(of["metric"]): (sum(json_number(x) or 0.0 for x in of["scores"]), len(of["scores"]))
        for of in run["metricsScores"]
    }
    totals[SUCCESS] = passed, passed + failed
    alone = len({result.item for result in results}) == len(results)
    unchecked = "" if alone else "deepeval averages over test cases, and some are asked again"
    names = [*dict.fromkeys(name for result in results for name in result.scores)]
    if len(names) > 2:  # a single metric comes first, or else whether all hold
        names.sort(key=lambda name: name != SUCCESS)
    scorers = {}
    for name in names:
        scored = [score for result in results if (score := result.scores.get(name)) is not None]
        total, n_told = totals.get(name, (0.0, 0))
        bounds = (0.0, 1.0) if all(0 <= score <= 1 for score in scored) else None
        reported = total / n_told if alone and n_told == len(scored) > 0 else None
        scorers[name] = ScorerInfo(bounds, reported, unchecked)
    time, identifier = _TIME.fullmatch(file.stem), run.get("identifier")
    yield Log(
        configuration=run.get("hyperparameters") or {"model": identifier or file.stem},
        details={"identifier": identifier} if identifier else {},
        results=results,
        scorers=scorers,
        created=moment_of("{}-{}-{} {}:{}:{}.{:0>6}".format(*time.groups("1"))) if time else None,
        left_out="" if results else "it holds no test cases",
    )


def _result(case: Mapping[str, Any]) -> ItemScores:
    """Return a test case; a metric with an error has no score."""
    metrics = case.get("metricsData") or ()
    scores = {str(metric["name"]): json_number(metric.get("score")) for metric in metrics}
    scored = any(scores[name] is not None for name in scores if name != SUCCESS)
    failed = [str(metric["error"]) for metric in metrics if metric.get("error") and not scored]
    success = case.get("success")
    scores.setdefault(SUCCESS, None if success is None else float(success))
    asked = case.get("input") or case.get("scenario") or case["name"]
    expected = case.get("expectedOutput") or case.get("expectedOutcome")
    key = short_key(str(asked) if expected is None else json.dumps([asked, expected]))
    about = under("metadata", case.get("metadata"))
    return ItemScores(key, scores, error=failed[0] if failed else "", about=about)


FRAMEWORK = Framework(
    "deepeval",
    "`test_run_*.json` in the results folder of deepeval",
    "that of a single metric, else `success`: all metrics hold",
    lambda file: {"testCases", "metricsScores"} <= file.keys,
    _load,
)
