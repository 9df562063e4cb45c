"""lm-evaluation-harness: `samples_<task>_<time>.jsonl`, and the results of the run beside it.

A line is a document under a filter of the answers. The model is that of the results; where its
arguments name none, or there are no results, it is called as its folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bbccli.readers.evaluations.base import File, Framework, Log, Result, Scorer, number_of

_NAME = re.compile(r"samples_(?P<task>.+?)(?:_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?))?")
_NAMING = ("peft", "delta", "pretrained", "model", "path", "engine")
"""Arguments of a model that name it, the first that is given."""

_OF_THE_MACHINE = frozenset(
    (
        "base_url",
        "batch_size",
        "data_parallel_size",
        "device",
        "gpu_memory_utilization",
        "max_batch_size",
        "max_retries",
        "num_concurrent",
        "parallelize",
        "tensor_parallel_size",
    )
)
"""Arguments of a model that no answer depends on."""

_OF_A_DOCUMENT = frozenset(
    (
        "arguments",
        "doc",
        "doc_hash",
        "doc_id",
        "doc_key",
        "filter",
        "filtered_resps",
        "metrics",
        "model_name",
        "prompt_hash",
        "resps",
        "target",
        "target_hash",
        "task_name",
    )
)
"""Keys of a line that are no metrics."""

_NO_MEANS = frozenset(("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte"))
_HASH = 12
"""Characters of the hash of a document that tell it from others of its number."""


def _owns(file: File) -> bool:
    return "doc_id" in file.keys and bool(file.keys & {"doc_hash", "filter"})


def _load(files: Sequence[File]) -> Iterator[Log]:
    known: dict[Path, dict[str, Any]] = {}
    for file in files:
        match = _NAME.fullmatch(file.stem)
        task, time = (match["task"], match["time"] or "") if match else ("", "")
        results = _results(file, time, known)
        yield Log(
            place=file.path,
            task=task,
            configuration=_configuration(file, results, named=match is not None),
            details=_details(results, task),
            results=_answers(file),
            scorers=_scorers(file, results, task),
            created=time,
        )


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _results(file: File, time: str, known: dict[Path, dict[str, Any]]) -> dict[str, Any]:
    """Return the results of a run, which its files are called by the time of; empty without."""
    if not time:
        return {}
    beside = sorted(file.path.parent.glob(f"*_{time}.json"))
    for path in beside[:1]:
        if path not in known:
            known[path] = _object(file.beside(path).json)
        return known[path]
    return {}


def _configuration(file: File, results: Mapping[str, Any], *, named: bool) -> dict[str, object]:
    """Return model, its arguments, and what else all tasks of a run have in common."""
    config = _object(results.get("config"))
    arguments = _arguments(config.get("model_args"))
    name = next((arguments[key] for key in _NAMING if arguments.get(key)), None)
    if name is None:
        place = file.path.resolve()
        parent = place.parent
        # without a name in the arguments the folder of a run is called at random
        if results and parent.name == results.get("model_name_sanitized"):
            parent = parent.parent
        name = parent.name if named else file.stem
    found: dict[str, object] = {"model": str(name)}
    found |= {
        key: value
        for key, value in arguments.items()
        if key not in _OF_THE_MACHINE and value != name and value is not None
    }
    for key in ("system_instruction", "chat_template_sha", "gen_kwargs"):
        value = config.get(key) if key == "gen_kwargs" else results.get(key)
        if value:
            found[key] = value
    return found


def _arguments(given: Any) -> dict[str, Any]:
    """Return the arguments of a model, which may be one text."""
    if isinstance(given, str):
        pairs = (part.partition("=") for part in given.split(",") if "=" in part)
        return {key.strip(): value.strip() for key, _, value in pairs}
    return _object(given)


def _details(results: Mapping[str, Any], task: str) -> dict[str, object]:
    n_shot = _object(results.get("n-shot")).get(task)
    return {} if n_shot is None else {"num_fewshot": n_shot}


def _answers(file: File) -> list[Result]:
    """Return the documents, the scores of all filters together."""
    found: dict[str, Result] = {}
    several = len({line.get("filter") for line in file.lines}) > 1
    seen: set[tuple[str, object]] = set()
    for line in file.lines:
        doc_id, doc_hash = line.get("doc_id"), line.get("doc_hash")
        if doc_id is None:
            raise file.fault("has a line without doc_id")
        item = f"{doc_id} {str(doc_hash)[:_HASH]}" if doc_hash else str(doc_id)
        if (item, line.get("filter")) in seen:
            raise file.fault(f"holds document {doc_id} twice", "keep the samples of one run")
        seen.add((item, line.get("filter")))
        about = {
            f"doc.{key}": value
            for key, value in _object(line.get("doc")).items()
            if not isinstance(value, dict | list)
        }
        scores = {
            _named(name, line, several=several): number_of(line[name])
            for name in _metrics(line)
            if isinstance(line[name], int | float)
        }
        known = found.setdefault(item, Result(item, {}, 1, "", about))
        found[item] = known._replace(scores={**known.scores, **scores})
    return list(found.values())


def _metrics(line: Mapping[str, Any]) -> list[str]:
    """Names of the metrics in a line; older versions do not list them."""
    listed = line.get("metrics")
    names = listed if isinstance(listed, list) else [n for n in line if n not in _OF_A_DOCUMENT]
    return [name for name in names if name in line]


def _named(metric: str, line: Mapping[str, Any], *, several: bool) -> str:
    return f"{metric},{line.get('filter')}" if several else metric


def _scorers(file: File, results: Mapping[str, Any], task: str) -> dict[str, Scorer]:
    """Return the metrics that are means, in the order of the task; the first filter first."""
    several = len({line.get("filter") for line in file.lines}) > 1
    reported = _object(_object(results.get("results")).get(task))
    higher = _object(_object(results.get("higher_is_better")).get(task))
    listed = _object(_object(results.get("configs")).get(task)).get("metric_list") or ()
    settings = {one.get("metric"): one for one in map(_object, listed)}
    metrics = dict.fromkeys(name for line in file.lines for name in _metrics(line))
    found: dict[str, Scorer] = {}
    for metric in metrics:
        lines = [line for line in file.lines if metric in line]
        is_number = all(isinstance(line[metric], int | float) for line in lines)
        aggregation = _object(settings.get(metric)).get("aggregation", "mean")
        if not is_number or aggregation != "mean" or metric in _NO_MEANS:
            continue
        marks = all(line[metric] in (0, 1) for line in lines)
        for line in lines:
            name = _named(metric, line, several=several)
            if name not in found:
                value = reported.get(f"{metric},{line.get('filter')}")
                found[name] = Scorer(
                    bounds=(0.0, 1.0) if marks else None,
                    reported=number_of(value),
                    lower_is_better=higher.get(metric) is False,
                )
    return found


FRAMEWORK = Framework(
    "lm-eval",
    "`samples_*.jsonl` of lm-evaluation-harness, with `results_*.json` beside them",
    "the first metric and filter of the task",
    _owns,
    _load,
    headline=False,
)
