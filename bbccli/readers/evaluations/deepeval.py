"""deepeval: `test_run_TIME.json` of its results folder, a run each.

The file of a run names no model: its hyperparameters do, or else its identifier or its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from bbccli.readers.evaluations.files import File, number_of
from bbccli.readers.evaluations.keys import shortened
from bbccli.readers.evaluations.times import moment_of
from bbccli.readers.interface import Framework, ItemScores, Log, ScorerInfo

SUCCESS = "success"
_TIME = re.compile(r"test_run_(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)(?:_(\d{1,6}))?", re.ASCII)
"""Several files of one second are numbered."""


def _owns(file: File) -> bool:
    return file.suffix == ".json" and {"testCases", "metricsScores"} <= file.keys


def _load(file: File) -> list[Log]:
    run = file.json
    results = [
        _result(one)
        for kind in ("testCases", "conversationalTestCases")
        for one in file.each(run.get(kind) or (), "test case")
    ]
    time = _TIME.fullmatch(file.stem)
    identifier = run.get("identifier") or file.stem
    log = Log(
        place=file.path,
        configuration=run.get("hyperparameters") or {"model": identifier},
        details={"identifier": identifier} if run.get("identifier") else {},
        results=results,
        scorers=_scorers(run, results),
        created=moment_of("{}-{}-{} {}:{}:{}.{:0>6}".format(*time.groups("1"))) if time else None,
        left_out="" if results else "it holds no test cases",
    )
    return [log]


def _result(case: Mapping[str, Any]) -> ItemScores:
    """Return a test case; a metric with an error has no score."""
    metrics = case.get("metricsData") or ()
    scores = {str(one["name"]): number_of(one.get("score")) for one in metrics}
    failed = [str(one["error"]) for one in metrics if one.get("error")]
    success = case.get("success")
    scores.setdefault(SUCCESS, None if success is None else float(success))
    unscored = all(scores[name] is None for name in scores if name != SUCCESS)
    about = {f"metadata.{key}": value for key, value in (case.get("metadata") or {}).items()}
    asked = case.get("input") or case.get("scenario") or case["name"]
    expected = case.get("expectedOutput") or case.get("expectedOutcome")
    error = failed[0] if failed and unscored else ""
    key = shortened(str(asked) if expected is None else json.dumps([asked, expected]))
    return ItemScores(key, scores, error=error, about=about)


def _scorers(run: Mapping[str, Any], results: Sequence[ItemScores]) -> dict[str, ScorerInfo]:
    """Return a single metric first, or else whether all hold, with deepeval's own figures."""
    names = [*dict.fromkeys(name for one in results for name in one.scores)]
    totals = {str(one["metric"]): one["scores"] for one in run["metricsScores"]}
    passed, failed = (run.get(key) or 0 for key in ("testPassed", "testFailed"))
    totals[SUCCESS] = [1.0] * passed + [0.0] * failed
    if len(names) > 2:
        names.sort(key=lambda name: name != SUCCESS)
    alone = len({one.item for one in results}) == len(results)  # else items count unequally
    scorers = {}
    for name in names:
        own = [one.scores[name] for one in results if one.scores.get(name) is not None]
        told = [number_of(one) or 0.0 for one in totals.get(name, ())]
        whole = alone and len(told) == len(own) > 0
        scorers[name] = ScorerInfo(
            bounds=(0.0, 1.0) if all(0 <= (one or 0) <= 1 for one in own) else None,
            reported=sum(told) / len(told) if whole else None,
            unchecked=""
            if alone
            else "deepeval averages over test cases, and some are asked again",
        )
    return scorers


FRAMEWORK = Framework(
    "deepeval",
    "`test_run_*.json` in the results folder of deepeval",
    "that of a single metric, else `success`: all metrics hold",
    _owns,
    _load,
)
