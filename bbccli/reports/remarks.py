"""The same document in a few plain lines: what was read, what to doubt."""

from __future__ import annotations

from typing import Any

from bbccli.metrics import METRICS
from bbccli.notes import listing
from bbccli.rounding import count
from bbccli.text import visible

Json = dict[str, Any]


def remarks(document: Json) -> list[str]:
    """Return one line on what was read, then one per note."""
    read = f"read: {plain(document['input']['path'])}: {understood(document)}"
    return [read, *(_note_line(note) for note in notes_of(document))]


def understood(document: Json) -> str:
    """What was read, in one line."""
    read = document["input"]
    size = (
        f"{count(read['n_samples'], 'sample')} x {count(read['n_configurations'], 'configuration')}"
    )
    parts = [_task(read), size]
    if read["n_folds"]:
        parts.append(count(read["n_folds"], "fold"))
    if read["n_repeats"] > 1:
        parts.append(count(read["n_repeats"], "repeat"))
    if read["n_groups"]:
        parts.append(count(read["n_groups"], "group"))
    return ", ".join([*parts, *(metric_label(name) for name in metrics_of(document))])


def notes_of(document: Json) -> list[Json]:
    """Every note of the document and its estimates, each once."""
    notes = [*document["notes"], *(n for e in document.get("estimates", ()) for n in e["notes"])]
    return list({(note["code"], note["text"]): note for note in notes}.values())


def metrics_of(document: Json) -> list[str]:
    """Names of the metrics, the one that selects first."""
    if "estimates" in document:
        return list(dict.fromkeys(estimate["metric"] for estimate in document["estimates"]))
    found = [document["decision"]] if document["decision"] else document["replays"]
    return list(dict.fromkeys(record["metric"] for record in found))


def metric_label(name: str) -> str:
    """Name of a metric for people."""
    return METRICS[name].label if name in METRICS else plain(name)


def plain(text: str) -> str:
    """Escape what could drive a terminal or end a line."""
    return visible(text)


def _note_line(note: Json) -> str:
    remedy = f"; hint: {plain(note['remedy'])}" if note["remedy"] else ""
    return f"note: {plain(note['text'])}{remedy}"


def _task(read: Json) -> str:
    if read["positive_class"] is not None:
        return f"{read['task']} (positive: {plain(read['positive_class'])})"
    classes = [plain(name) for name in read["classes"]]
    return f"{read['task']} ({listing(classes)})" if classes else str(read["task"])
