"""Every Eval Ever: instances, as `ID_samples.jsonl`, a line for each sample and metric.

The aggregate beside them, `ID.json`, says how the model ran and which way is better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bbccli.reading.evaluations import files
from bbccli.reading.evaluations.files import File, finite_number, json_number, object_of, under
from bbccli.reading.interface import Framework, ItemScores, Log, ScorerInfo
from bbccli.reading.numerals import moment_of

SCORE, CORRECT = "score", "is_correct"
_MEAN = "accuracy"
"""Kind of the metrics whose aggregate is a mean over samples."""

_Lines = Sequence[Mapping[str, Any]]
_Metrics = Mapping[str | None, Mapping[str, Any]]
"""Aggregates by the id of their result."""


def _load(file: File) -> Iterator[Log]:
    """Yield a log for each model and evaluation."""
    by_run: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in file.records():
        if not isinstance(line["evaluation"].get("score"), int | float):
            raise file.fault(f"{file.place} has no evaluation.score")
        by_run.setdefault((line["model_id"], line["evaluation_name"]), []).append(line)
    place = file.path.with_name(f"{file.stem.removesuffix('_samples')}.json")
    about: dict[str, Any] = {}
    if place.is_file():
        aggregate = file.beside(place)
        about = aggregate.json
        if not isinstance(about, dict):
            raise aggregate.fault("is not an aggregate of Every Eval Ever")
    model_info, time = object_of(about.get("model_info")), about.get("evaluation_timestamp")
    for (model, task), lines in by_run.items():
        entries = about.get("evaluation_results") or ()
        of_task = [entry for entry in entries if entry["evaluation_name"] == task]
        by_id = {entry.get("evaluation_result_id"): entry for entry in entries}
        ids = dict.fromkeys(line.get("evaluation_result_id") for line in lines)
        if len(ids) > 1:  # a sample without a score has none
            ids.pop(None, None)
        metrics: _Metrics = {key: by_id.get(key) or next(iter(of_task), {}) for key in ids}
        details = {key: value for key, value in model_info.items() if key.startswith("inference_")}
        details |= {k: line[k] for line in of_task[:1] for k in ("generation_config",) if k in line}
        retrieved = str(lines[0]["evaluation_id"]).rpartition("/")[2]
        yield Log(
            task=task,
            configuration={"model": model, **object_of(model_info.get("additional_details"))},
            details=details,
            results=_results(lines, metrics),
            scorers=_scorers(lines, metrics),
            created=moment_of(time) or moment_of(retrieved),
        )


def _names(metrics: _Metrics) -> dict[str | None, str]:
    """Return names of the metrics of a task; a single one is the score."""
    if len(metrics) == 1:
        return dict.fromkeys(metrics, SCORE)
    configs = {key: object_of(about.get("metric_config")) for key, about in metrics.items()}
    return {key: str(config.get("metric_name") or key) for key, config in configs.items()}


def _score(line: Mapping[str, Any], metrics: _Metrics) -> float | None:
    """Return the score of a line; a level of -1 may say that it is unknown."""
    config = object_of(metrics.get(line.get("evaluation_result_id"), {}).get("metric_config"))
    score = json_number(line["evaluation"]["score"])
    return None if config.get("has_unknown_level") and score == -1 else score


def _results(lines: _Lines, metrics: _Metrics) -> list[ItemScores]:
    """Return the samples, a line per metric; several of one metric are epochs."""
    names, times = _names(metrics), Counter[tuple[str, str | None]]()
    by_item: dict[tuple[str, int], ItemScores] = {}
    for line in lines:
        sample, key = str(line["sample_id"]), line.get("evaluation_result_id")
        times[sample, key] += 1
        epoch, correct = times[sample, key], line["evaluation"].get(CORRECT)
        scores = {names[key]: _score(line, metrics)} if key in names else {}
        if names.get(key) == SCORE and isinstance(correct, bool):
            scores[CORRECT] = float(correct)
        about, error = under("metadata", line.get("metadata")), line.get("error") or ""
        asked = tuple(files.short_hash(str(line["input"].get(k))) for k in ("raw", "reference"))
        new = ItemScores(sample, {}, epoch, error, about, asked)
        result = by_item.setdefault((sample, epoch), new)
        by_item[sample, epoch] = result._replace(scores={**result.scores, **scores})
    return [*by_item.values()]


def _scorers(lines: _Lines, metrics: _Metrics) -> dict[str, ScorerInfo]:
    """Return the scorers, with the aggregate where it is a mean over these samples."""
    scorers = {}
    for key, name in _names(metrics).items():
        of_metric = [line for line in lines if line.get("evaluation_result_id") == key]
        known = [score for line in of_metric if (score := _score(line, metrics)) is not None]
        config = object_of(metrics[key].get("metric_config"))
        ends = [finite_number(config.get(end)) for end in ("min_score", "max_score")]
        limits = tuple(end for end in ends if end is not None)
        within = len(limits) == 2 and all(limits[0] <= score <= limits[1] for score in known)
        total = object_of(metrics[key].get("score_details"))
        n = object_of(total.get("uncertainty")).get("num_samples")
        whole = config.get("metric_kind") == _MEAN and n == len(known)
        bounds = (limits[0], limits[1]) if within else None
        reported = finite_number(total.get("score")) if whole else None
        loss = bool(config.get("lower_is_better"))
        scorers[name] = ScorerInfo(bounds, reported, lower_is_better=loss)
    return scorers


FRAMEWORK = Framework(
    "Every Eval Ever",
    "`*_samples.jsonl` of its instances, with `*.json`, their aggregate, beside them",
    "`score` of the first metric of an evaluation",
    lambda file: {"evaluation_id", "model_id", "sample_id", "evaluation"} <= file.keys,
    _load,
)
