"""lm-evaluation-harness: `samples_<task>_<time>.jsonl`, and the results of the run beside it.

A line is a document under a filter of the answers. The model is taken from the results; if they are
missing, or their arguments don't name one, it is named after its folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bbccli.notes import listing
from bbccli.reading.evaluations.files import File, json_number, object_of, under
from bbccli.reading.interface import Framework, ItemScores, Log, ScorerInfo
from bbccli.reading.numerals import moment_of

_NAME = re.compile(r"samples_(?P<task>.+?)(?:_(?P<time>\d{4}-\d\d-\d\dT[-\d.]+)(?: .*)?)?")
"""A copy has more behind the time, such as ` (1)`."""

_NAMING = ("peft", "delta", "pretrained", "model", "path", "engine")
"""Arguments that name the model; the first one given counts."""

_OF_THE_MACHINE = (
    *("base_url", "batch_size", "data_parallel_size", "device", "gpu_memory_utilization"),
    *("max_batch_size", "max_retries", "num_concurrent", "parallelize", "tensor_parallel_size"),
)
"""Arguments of a model that don't affect its answers."""

_OF_A_DOCUMENT = ("doc_id", "doc_key", "target")
"""Keys of a line whose values may be numbers, but are no metrics."""

_ADDRESS = re.compile(" at 0x[0-9a-f]+")
"""Of a function in the memory of a run."""

_OF_THE_PROMPT = ("system_instruction", "chat_template_sha", "fewshot_as_multiturn")
"""Keys of the results that change the prompt, or part of it."""

_OF_A_TASK = (
    *("description", "doc_to_text", "fewshot_config", "fewshot_delimiter", "fewshot_split"),
    *("gen_prefix", "generation_kwargs", "output_type", "target_delimiter"),
)
"""Settings of a task that change its prompts or the answers."""

_BY_TASK = ("results", "higher_is_better", "configs", "n-shot", "versions")
"""Parts of the results that have an entry for each task."""

_NO_MEANS = frozenset(("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte"))
_HASH = 12
"""Characters of a document's hash that tell it from others of its number."""


def _load(file: File) -> Iterator[Log]:
    match = _NAME.fullmatch(file.stem)
    task, time = (match["task"], match["time"] or "") if match else ("", "")
    beside = sorted(file.path.parent.glob(f"[!.]*_{time}.json")) if time else []
    results = object_of(file.beside(beside[0]).json) if beside else {}
    config = object_of(results.get("config"))
    of_task = {key: object_of(results.get(key)).get(task) for key in _BY_TASK}
    lines: dict[str, list[dict[str, Any]]] = {}
    for line in file.records():
        for name in _metrics(line):
            lines.setdefault(name, []).extend([line] if line[name] is not None else [])
    several = len({line.get("filter") for line in file.records()}) > 1
    scorers = _scorers(lines, of_task, several=several)
    kept = [name for name, scored in lines.items() if scored]
    of_all = "" if scorers else f"{listing(kept)}: no score of an answer alone"
    yield Log(
        task=task,
        configuration=_configuration(file, results, named=match is not None),
        details=_details(of_task),
        seeds={key: config[key] for key in sorted(config) if key.endswith("_seed")},
        results=_answers(file, scorers, several=several),
        scorers=scorers,
        created=moment_of(time),
        left_out=of_all if kept else "",
    )


def _configuration(file: File, results: Mapping[str, Any], *, named: bool) -> dict[str, object]:
    """Return model, its arguments, and other properties shared by all tasks of a run."""
    config = object_of(results.get("config"))
    arguments = config.get("model_args")
    if isinstance(arguments, str):
        pairs = (part.partition("=") for part in arguments.split(",") if "=" in part)
        arguments = {key.strip(): value.strip() for key, _, value in pairs}
    arguments = object_of(arguments)
    name = next((arguments[key] for key in _NAMING if arguments.get(key)), None)
    if name is None:
        parent = file.path.resolve().parent
        # without a name in the arguments, the folder of a run has a random name
        if results and parent.name == results.get("model_name_sanitized"):
            parent = parent.parent
        name = parent.name if named else file.stem
    others = {key: value for key, value in arguments.items() if value not in (name, None)}
    given = {key: value for key, value in others.items() if key not in _OF_THE_MACHINE}
    asked = {key: results.get(key) for key in _OF_THE_PROMPT}
    asked |= {"gen_kwargs": config.get("gen_kwargs"), "backend": config.get("model")}
    asked = {key: value for key, value in asked.items() if value}
    return {"model": str(name), **given, **asked}


def _details(of_task: Mapping[str, Any]) -> dict[str, object]:
    """Return what a run changed of the task: shots, instructions, prompts and generation."""
    settings = object_of(of_task["configs"])
    details = {key: settings.get(key) for key in _OF_A_TASK}
    details |= {"num_fewshot": of_task["n-shot"], "version": of_task["versions"]}
    known = {key: value for key, value in details.items() if value is not None}
    return {k: _ADDRESS.sub("", v) if isinstance(v, str) else v for k, v in known.items()}


def _answers(file: File, scorers: Mapping[str, ScorerInfo], *, several: bool) -> list[ItemScores]:
    """Return the documents, with the scores of all filters."""
    answers: dict[str, ItemScores] = {}
    seen: set[tuple[str, object]] = set()
    for line in file.records():
        doc_id, doc_hash = line.get("doc_id"), line.get("doc_hash")
        if doc_id is None:
            raise file.fault("has a line without doc_id")
        item = f"{doc_id} {str(doc_hash)[:_HASH]}" if doc_hash else str(doc_id)
        if (item, line.get("filter")) in seen:
            raise file.fault(f"holds document {doc_id} twice", "keep the samples of one run")
        seen.add((item, line.get("filter")))
        named = {_named(metric, line, several=several): metric for metric in _metrics(line)}
        scores = {name: json_number(line[key]) for name, key in named.items() if name in scorers}
        document = object_of(line.get("doc"))
        plain = {key: v for key, v in document.items() if not isinstance(v, dict | list)}
        answer = answers.setdefault(item, ItemScores(item, {}, 1, "", under("doc", plain)))
        answers[item] = answer._replace(scores={**answer.scores, **scores})
    return list(answers.values())


def _metrics(line: Mapping[str, Any]) -> list[str]:
    """Return the metrics in a line; older versions don't list them."""
    listed = line.get("metrics")
    names = listed if isinstance(listed, list) else [n for n in line if n not in _OF_A_DOCUMENT]
    return [name for name in names if name in line]


def _named(metric: str, line: Mapping[str, Any], *, several: bool) -> str:
    return f"{metric},{line.get('filter')}" if several else metric


def _scorers(
    lines: Mapping[str, Sequence[Mapping[str, Any]]], of_task: Mapping[str, Any], *, several: bool
) -> dict[str, ScorerInfo]:
    """Return the metrics that are means, in the order of the task, the first filter first.

    lines: those with a score, by metric.
    """
    parts = (object_of(of_task[key]) for key in ("results", "higher_is_better", "configs"))
    reported, higher, settings = parts
    listed = map(object_of, settings.get("metric_list") or ())
    ways = {metric.get("metric"): metric.get("aggregation", "mean") for metric in listed}
    scorers: dict[str, ScorerInfo] = {}
    for metric, scored in lines.items():
        numbers = scored and all(isinstance(line[metric], int | float) for line in scored)
        if numbers and ways.get(metric, "mean") == "mean" and metric not in _NO_MEANS:
            for line in scored:
                figure = json_number(reported.get(f"{metric},{line.get('filter')}"))
                info = ScorerInfo(reported=figure, lower_is_better=higher.get(metric) is False)
                scorers.setdefault(_named(metric, line, several=several), info)
    return scorers


FRAMEWORK = Framework(
    "lm-eval",
    "`samples_*.jsonl` of `lm_eval --log_samples`, `results_*.json` beside them",
    "the first metric and filter of the task",
    lambda file: "doc_id" in file.keys and bool(file.keys & {"doc_hash", "filter"}),
    _load,
    headline=False,
)
