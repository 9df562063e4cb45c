"""A result in the schema 0.3 of Every Eval Ever: the corrected score, with its uncertainty."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import PurePath

from bbccli.documents.correct import Envelope, bounds_in, doubts_of
from bbccli.domain.estimate import Estimate
from bbccli.platform.records import as_json
from bbccli.reports import Style
from bbccli.reports import words as phrases
from bbccli.reports.words.for_papers import chosen_winner, is_resampled
from bbccli.reports.words.sentences import gate_sentence
from bbccli.types import Direction, Side

UNKNOWN = "unknown"


def render(documents: Sequence[Envelope], style: Style) -> str:
    """Return a line per result, or the one result indented; those without a figure are left out."""
    indent = 2 if len(documents) == 1 else None
    texts = [json.dumps(_record(one), indent=indent, ensure_ascii=False) for one in documents]
    return "".join(f"{text}\n" for text in texts)


def _record(document: Envelope) -> dict[str, object]:
    shown = [
        estimate
        for estimate in document.estimates
        if phrases.is_reported(estimate, document) and as_json(estimate.value) is not None
    ]
    run, now = document.input.run, str(int(time.time()))
    evaluation = None if run is None else run.evaluation
    tasks = [] if evaluation is None else [task for task in evaluation.tasks if task]
    task = ", ".join(tasks) or PurePath(document.input.path).stem
    model = shown[0].winner if shown else UNKNOWN
    details = {"deployment_type": UNKNOWN, "model_availability": UNKNOWN}
    if doubts := doubts_of(document):
        details["doubts"] = "; ".join(doubt.text for doubt in doubts)
    if document.gate is not None:
        details["gate"] = gate_sentence(document)
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"{task}/{model.replace('/', '_')}/{now}",
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": f"bbc {document.version}",
            "source_type": "evaluation_run",
            "source_organization_name": UNKNOWN,
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": UNKNOWN if run is None else run.tool, "version": UNKNOWN},
        "model_info": {"name": model, "id": model, "additional_details": details},
        "evaluation_results": [_result(estimate, document, task) for estimate in shown],
    }


def _result(estimate: Estimate, document: Envelope, task: str) -> dict[str, object]:
    """Return the figure of a metric; what the schema has no place for is told in `details`."""
    run = document.input.run
    bounds = document.input.bounds or bounds_in(document, estimate.metric)
    evaluation = None if run is None else run.evaluation
    facts = {
        "naive": estimate.naive,
        "selected": estimate.winner,
        "n_configurations": document.input.n_configurations,
        "method": estimate.method,
        "seed": document.plan.seed,
    }
    return {
        "evaluation_name": task,
        "source_data": {"dataset_name": task, "source_type": "other"},
        "metric_config": {
            "evaluation_description": chosen_winner(estimate, document).removeprefix(",").strip(),
            "metric_id": estimate.metric,
            "metric_name": evaluation.score if evaluation else estimate.metric,
            "lower_is_better": estimate.direction is Direction.MINIMIZE,
            "score_type": "continuous",
            "min_score": as_json(bounds[0]),
            "max_score": as_json(bounds[1]),
        },
        "score_details": {
            "score": estimate.value,
            "details": {key: str(value) for key, value in facts.items()},
            "uncertainty": _uncertainty(estimate, document),
        },
    }


def _uncertainty(estimate: Estimate, document: Envelope) -> dict[str, object]:
    """Return the interval, if it has two finite ends, and the numbers behind it."""
    held_out = estimate.opened.n_samples if estimate.opened else estimate.n_evaluation
    n_samples = held_out or estimate.n_predicted or document.input.n_samples
    uncertainty: dict[str, object] = {"num_samples": n_samples}
    if estimate.n_resamples is not None:
        uncertainty["num_bootstrap_samples"] = estimate.n_resamples
    lower, upper = map(as_json, phrases.interval_ends(estimate.interval))
    if estimate.interval is not None and lower is not None and upper is not None:
        kind = f", {document.plan.interval}" * is_resampled(estimate)
        one_sided = "" if estimate.interval.side is Side.TWO else ", one-sided"
        uncertainty["confidence_interval"] = {
            "lower": lower,
            "upper": upper,
            "confidence_level": estimate.interval.level,
            "method": f"{estimate.method}{kind}{one_sided}",
        }
    return uncertainty
