"""inspect_ai: `.eval`, a zip file whose members may be packed by zstd, and the same as `.json`.

The header and the summaries of the samples say all that is needed; of a run that was killed there
is only a journal.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from bbccli.readers.evaluations.base import File, Framework, Log, Result, Scorer, Zip, number_of

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_MEANS = ("accuracy", "mean")
_JOURNAL = "_journal/start.json"


def _owns(file: File) -> bool:
    return file.suffix == ".eval" or (
        file.suffix == ".json" and {"eval", "status", "version"} <= file.keys
    )


def _load(files: Sequence[File]) -> Iterator[Log]:
    for file in files:
        if file.suffix == ".json":
            yield _log(file, file.json, file.json.get("samples"))
        else:
            with Zip(file) as members:
                yield _log(file, *_parts(file, members))


def _parts(file: File, members: Zip) -> tuple[Any, Any]:
    """Return header and summaries of the samples; what the journal tells of a run that was killed.

    Raises
    ------
    InputError
        There is neither header nor journal, or a part is damaged.
    """
    if "header.json" in members.names:
        has_summaries = "summaries.json" in members.names
        return members.json("header.json"), has_summaries and members.json("summaries.json")
    if _JOURNAL in members.names:
        return {"status": "killed", **_object(members.json(_JOURNAL))}, ()
    raise file.fault("is no log of inspect_ai: it has neither header nor journal")


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _log(file: File, header: Any, samples: Any) -> Log:
    """Return a log: its header, and its samples or their summaries."""
    header = _object(header)
    spec, plan, results = (_object(header.get(key)) for key in ("eval", "plan", "results"))
    if not isinstance(spec.get("task"), str) or not isinstance(spec.get("model"), str):
        raise file.fault("is no log of inspect_ai: its header names no task or no model")
    status, version = str(header.get("status")), spec.get("task_version")
    left_out = "" if status == "success" else f"status {status}"
    if header.get("invalidated"):
        left_out = "invalidated"
    elif not left_out and not isinstance(samples, list):
        left_out = "it holds no samples"
    found: list[Result] = []
    kinds: dict[str, set[bool]] = {}
    for sample in samples if not left_out else ():
        found.append(_result(file, _object(sample), kinds))
    return Log(
        place=file.path,
        task=spec["task"] if version in (None, 0, "0") else f"{spec['task']} version {version}",
        configuration=_configuration(spec),
        details=_details(plan),
        results=found,
        scorers=_scorers(kinds, results),
        created=_utc(spec.get("created")),
        left_out=left_out,
    )


def _configuration(spec: Mapping[str, Any]) -> dict[str, object]:
    """Return model, arguments of the task, solver and settings, as far as they are given."""
    arguments = _object(spec.get("task_args_passed") or spec.get("task_args"))
    found: dict[str, object] = {"model": spec["model"]}
    found |= {key: arguments[key] for key in sorted(arguments, key=lambda key: key != "prompt")}
    if spec.get("solver"):
        found["solver"] = spec["solver"]
    for key in ("solver_args_passed", "model_generate_config", "model_args", "model_roles"):
        for name, value in _object(spec.get(key)).items():
            if value is not None:
                found[name if name not in found else f"{key}.{name}"] = value
    return found


def _details(plan: Mapping[str, Any]) -> dict[str, object]:
    """Return the parameters of the steps that solve a sample, such as a system message."""
    steps = [_object(step) for step in plan.get("steps") or ()]
    return {
        f"{step.get('solver')}.{name}": value
        for step in steps
        for name, value in _object(step.get("params")).items()
    }


def _utc(created: Any) -> str:
    try:
        moment = datetime.fromisoformat(str(created))
    except ValueError:
        return ""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).isoformat()


def _result(file: File, sample: Mapping[str, Any], kinds: dict[str, set[bool]]) -> Result:
    """Return a sample; `kinds` gathers for each scorer whether its values are right or wrong."""
    if "id" not in sample or not isinstance(sample.get("epoch"), int):
        raise file.fault("has a sample without id or epoch")
    scores: dict[str, float | None] = {}
    for name, score in _object(sample.get("scores")).items():
        value = _object(score).get("value")
        parts = (
            value
            if isinstance(value, dict)
            else dict(enumerate(value))
            if isinstance(value, list)
            else {"": value}
        )
        for key, part in parts.items():
            own = name if key == "" else f"{name}.{key}"
            scores[own], of_two = _number(part)
            kinds.setdefault(own, set()).add(of_two)
    error = "" if sample.get("error") is None else str(sample["error"])
    about = {f"metadata.{key}": value for key, value in _object(sample.get("metadata")).items()}
    texts = (json.dumps(sample.get(key), sort_keys=True) for key in ("input", "target"))
    content = tuple(map(hash, texts))
    return Result(str(sample["id"]), scores, sample["epoch"], error, about, content)


def _number(value: Any) -> tuple[float | None, bool]:
    """Return a score as inspect's own metrics have it, and True if it is one of a mark.

    Text that is no number is 0 there, too.
    """
    if isinstance(value, str):
        if value in _LETTERS:
            return _LETTERS[value], True
        if value.lower() in _WORDS:
            return _WORDS[value.lower()], True
        try:
            number = float(value)
        except ValueError:
            return 0.0, True
        return (number, number in (0, 1)) if math.isfinite(number) else (0.0, True)
    known = number_of(value)
    return known, known is None or math.isnan(known) or known in (0, 1)


def _scorers(kinds: Mapping[str, set[bool]], results: Mapping[str, Any]) -> dict[str, Scorer]:
    """Return the scorers, the headline first, each with inspect's own figure."""
    headline = _object(results.get("headline"))
    reported: dict[str, Scorer] = {}
    for entry in map(_object, results.get("scores") or ()):
        scorer, name, reducer = entry.get("scorer"), entry.get("name"), entry.get("reducer")
        own = next((one for one in (f"{scorer}.{name}", scorer) if one in kinds), None)
        if own is None or (own in reported and reducer != "mean"):
            continue
        metrics = _object(entry.get("metrics"))
        values = [_object(metrics[key]).get("value") for key in _MEANS if key in metrics]
        figures = [one for one in map(number_of, values) if one is not None and math.isfinite(one)]
        if reducer in (None, "mean"):
            reported[own] = Scorer(reported=figures[0] if figures else None)
        else:
            reported[own] = Scorer(unchecked=f"inspect takes {reducer} of the epochs")
        if (scorer, name) == (headline.get("scorer"), headline.get("score")):
            reported = {own: reported.pop(own), **reported}
    return {
        name: replace(
            reported.get(name, Scorer()), bounds=(0.0, 1.0) if kinds[name] == {True} else None
        )
        for name in (*reported, *(name for name in kinds if name not in reported))
    }


FRAMEWORK = Framework(
    "inspect", "`*.eval` and `*.json` of inspect_ai", "the headline, else the first", _owns, _load
)
