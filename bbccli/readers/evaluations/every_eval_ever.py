"""Every Eval Ever: instances, as `ID_samples.jsonl`, a line for each sample and metric.

The aggregate beside them, `ID.json`, says how the model ran and which way is better.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bbccli.readers.evaluations.files import File, number_of
from bbccli.readers.evaluations.times import moment_of
from bbccli.readers.interface import Framework, ItemScores, Log, ScorerInfo

SCORE, CORRECT = "score", "is_correct"
_OF_MODEL = ("inference_engine", "inference_platform")


def _owns(file: File) -> bool:
    return {"evaluation_id", "model_id", "sample_id", "evaluation"} <= file.keys


def _load(file: File) -> Iterator[Log]:
    """Yield a log for each model and evaluation."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in file.records():
        _check(file, line)
        found.setdefault((line["model_id"], line["evaluation_name"]), []).append(line)
    place = file.path.with_name(f"{file.stem.removesuffix('_samples')}.json")
    about = file.beside(place).json if place.is_file() else {}
    told = {one.get("evaluation_result_id"): one for one in about.get("evaluation_results") or ()}
    for (model, task), lines in found.items():
        of_task = [one for one in told.values() if one["evaluation_name"] == task]
        keys = dict.fromkeys(line.get("evaluation_result_id") for line in lines)
        metrics: dict[str | None, dict[str, Any]] = {
            key: told.get(key) or next(iter(of_task), {}) for key in keys
        }
        settings = [one["generation_config"] for one in of_task if "generation_config" in one]
        details = {key: about["model_info"].get(key) for key in _OF_MODEL if about}
        yield Log(
            place=file.path,
            task=task,
            configuration={"model": model},
            details={**details, **({"generation_config": settings[0]} if settings else {})},
            results=_results(lines, _names(metrics)),
            scorers=_scorers(lines, metrics),
            created=moment_of(str(lines[0]["evaluation_id"]).rpartition("/")[2]),
        )


def _check(file: File, line: Mapping[str, Any]) -> None:
    if not isinstance(line["evaluation"].get("score"), int | float):
        raise file.fault(f"{file.place} has no evaluation.score")


def _names(metrics: Mapping[str | None, Mapping[str, Any]]) -> dict[str | None, str]:
    """Return names of the metrics of a task; a single one is the score."""
    if len(metrics) == 1:
        return dict.fromkeys(metrics, SCORE)
    configs = {key: one.get("metric_config") or {} for key, one in metrics.items()}
    return {key: str(one.get("metric_name") or key) for key, one in configs.items()}


def _results(
    lines: Sequence[Mapping[str, Any]], names: Mapping[str | None, str]
) -> list[ItemScores]:
    """Return the samples, a line per metric; several of one metric are epochs."""
    times = Counter[tuple[str, str | None]]()
    found: dict[tuple[str, int], ItemScores] = {}
    for line in lines:
        sample, key = str(line["sample_id"]), line.get("evaluation_result_id")
        times[sample, key] += 1
        epoch, values = times[sample, key], line["evaluation"]
        scores = {names[key]: number_of(values["score"])}
        if names[key] == SCORE and isinstance(values.get(CORRECT), bool):
            scores[CORRECT] = float(values[CORRECT])
        about = {f"metadata.{name}": one for name, one in (line.get("metadata") or {}).items()}
        asked = tuple(hash(str(line["input"].get(name))) for name in ("raw", "reference"))
        one = found.setdefault(
            (sample, epoch), ItemScores(sample, {}, epoch, line.get("error") or "", about, asked)
        )
        found[sample, epoch] = one._replace(scores={**one.scores, **scores})
    return [*found.values()]


def _scorers(
    lines: Sequence[Mapping[str, Any]], metrics: Mapping[str | None, Mapping[str, Any]]
) -> dict[str, ScorerInfo]:
    """Return the scorers; the schema keeps the scores of samples apart from the aggregate."""
    scorers = {}
    for key, name in _names(metrics).items():
        own = [
            one["evaluation"]["score"] for one in lines if one.get("evaluation_result_id") == key
        ]
        config = metrics[key].get("metric_config") or {}
        ends = (number_of(config.get("min_score")), number_of(config.get("max_score")))
        within = [end for end in ends if end is not None and math.isfinite(end)]
        bounds = (within[0], within[1]) if len(within) == 2 else None
        if all(one in (0, 1) for one in own):
            bounds = (0.0, 1.0)
        elif bounds and not bounds[0] <= min(own) <= max(own) <= bounds[1]:
            bounds = None
        lower = bool(config.get("lower_is_better"))
        scorers[name] = ScorerInfo(bounds=bounds, lower_is_better=lower)
        if name == SCORE:
            scorers[CORRECT] = ScorerInfo(bounds=(0.0, 1.0))
    return scorers


FRAMEWORK = Framework(
    "Every Eval Ever",
    "`*_samples.jsonl` of its instances, with `*.json`, their aggregate, beside them",
    "`score` of the first metric of an evaluation",
    _owns,
    _load,
)
