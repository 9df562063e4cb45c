"""openai-evals: JSON Lines of a run, its `spec` first, then events of samples in any order."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bbccli.readers.evaluations.base import File, Framework, Log, Result, Scorer

_CORRECT = "correct"


def _owns(file: File) -> bool:
    """True for logs, and for those that lost their first line: they must not be passed over."""
    of_event = {"event_id", "sample_id"} <= file.keys
    return file.suffix == ".jsonl" and ("spec" in file.keys or of_event)


def _load(files: Sequence[File]) -> Iterator[Log]:
    for file in files:
        first, *events = file.lines
        spec = _object(first.get("spec"))
        models = spec.get("completion_fns") or spec.get("model_names") or ()
        if not isinstance(spec.get("eval_name"), str) or not models:
            raise file.fault(
                "is no whole log of openai-evals: no spec names the eval and the model"
            )
        models = models if isinstance(models, list) else [models]
        reports = [_object(one["final_report"]) for one in events if "final_report" in one]
        results = _results(file, events)
        yield Log(
            place=file.path,
            task=spec["eval_name"],
            configuration={"model": ", ".join(map(str, models))},
            results=results,
            scorers=_scorers(results, reports[-1] if reports else {}),
            created=str(spec.get("created_at") or ""),
            left_out="" if reports else "it did not finish: there is no final_report",
        )


def _results(file: File, events: Sequence[Mapping[str, Any]]) -> list[Result]:
    """Return the samples; several matches, or metrics, of one are its epochs.

    Raises
    ------
    InputError
        A verdict that is neither right nor wrong.
    """
    matches: dict[str, list[dict[str, float | None]]] = {}
    metrics: dict[str, list[dict[str, float | None]]] = {}
    errors: dict[str, str] = {}
    samples: dict[str, None] = {}
    for event in events:
        sample, kind, data = event.get("sample_id"), event.get("type"), _object(event.get("data"))
        if sample is None:
            continue
        sample = str(sample)
        samples[sample] = None
        if kind == "match":
            if data.get(_CORRECT) not in (True, False, 0, 1):
                raise file.fault(f"the match of sample {sample} is neither right nor wrong")
            matches.setdefault(sample, []).append({_CORRECT: float(data[_CORRECT])})
        elif kind == "metrics":
            numbers = {name: _number(value) for name, value in data.items()}
            metrics.setdefault(sample, []).append(
                {name: number for name, number in numbers.items() if number is not None}
            )
        elif kind == "error":
            errors[sample] = str(data.get("message") or data.get("type") or "error")
    found = []
    for sample in samples:
        own, more = matches.get(sample, []), metrics.get(sample, [])
        for epoch in range(max(len(own), len(more), 1)):
            scores = {**(own[epoch] if epoch < len(own) else {})}
            scores |= more[epoch] if epoch < len(more) else {}
            found.append(Result(sample, scores, error="" if scores else errors.get(sample, "")))
    return found


def _scorers(results: Sequence[Result], report: Mapping[str, Any]) -> dict[str, Scorer]:
    """Return the scores, right or wrong first, with the accuracy that the run reports."""
    names = dict.fromkeys(name for one in results for name in one.scores)
    first = [name for name in names if name == _CORRECT]
    found = {}
    for name in dict.fromkeys([*first, *names]):
        values = {one.scores[name] for one in results if name in one.scores}
        of_two = name == _CORRECT or values == {0.0, 1.0}
        own = _number(report.get("accuracy")) if name == _CORRECT else None
        found[name] = Scorer((0.0, 1.0) if of_two else None, reported=own)
    return found


def _number(value: Any) -> float | None:
    if not isinstance(value, int | float):
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


FRAMEWORK = Framework(
    "openai-evals",
    "`*.jsonl` of openai-evals",
    "`correct` of a match, else the first metric",
    _owns,
    _load,
    headline=False,
    untested=True,
)
