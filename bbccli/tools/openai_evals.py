"""openai-evals: JSON Lines of a run, its `spec` first, then events of samples in any order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from bbccli.reading.evaluations.files import File, finite_number, object_of
from bbccli.reading.interface import Framework, ItemScores, Log, ScorerInfo
from bbccli.reading.numerals import moment_of

_CORRECT = "correct"


def _load(file: File) -> list[Log]:
    first, *events = file.records()
    spec = object_of(first.get("spec"))
    models = spec.get("completion_fns") or spec.get("model_names") or ()
    if not isinstance(spec.get("eval_name"), str) or not models:
        raise file.fault(
            "is not a complete log of openai-evals: it lacks the spec with eval and model"
        )
    models = models if isinstance(models, list) else [models]
    reports = [object_of(event["final_report"]) for event in events if "final_report" in event]
    accuracy = finite_number(reports[-1].get("accuracy")) if reports else None
    log = Log(
        place=file.path,
        task=spec["eval_name"],
        configuration={"model": ", ".join(map(str, models))},
        results=_results(file, events),
        scorers={_CORRECT: ScorerInfo(reported=accuracy)},
        created=moment_of(spec.get("created_at")),
        left_out="" if reports else "it did not finish: there is no final_report",
    )
    return [log]


def _results(file: File, events: Sequence[Mapping[str, Any]]) -> list[ItemScores]:
    """Return the samples; several matches, or metrics, of one are its epochs."""
    by_sample: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for event in events:
        if (sample := event.get("sample_id")) is not None:
            kinds = by_sample.setdefault(str(sample), {"match": [], "metrics": [], "error": []})
            if (kind := event.get("type")) in [*kinds]:
                kinds[kind].append(object_of(event.get("data")))
    results = []
    for sample, kinds in by_sample.items():
        errors = [str(e.get("message") or e.get("type") or "error") for e in kinds["error"]]
        for match, metrics in [*zip_longest(kinds["match"], kinds["metrics"])] or [(None, None)]:
            if match is not None and match.get(_CORRECT) not in (True, False, 0, 1):
                raise file.fault(f"the match of sample {sample} is neither right nor wrong")
            scores = {} if match is None else {_CORRECT: float(match[_CORRECT])}
            numbers = {name: finite_number(value) for name, value in (metrics or {}).items()}
            scores |= {name: number for name, number in numbers.items() if number is not None}
            error = errors[-1] if errors and not scores else ""
            results.append(ItemScores(sample, scores, error=error))
    return results


FRAMEWORK = Framework(
    "openai-evals",
    "`*.jsonl` of openai-evals",
    "`correct` of a match, else the first metric",
    # also logs that lost their first line, so that they are not overlooked
    lambda file: "spec" in file.keys or {"event_id", "sample_id"} <= file.keys,
    _load,
    headline=False,
)
