"""How an input was understood, in words: what is predicted, and how samples count."""

from __future__ import annotations

from bbccli.documents import InputJson
from bbccli.notes import listing
from bbccli.text import visible


def task(read: InputJson) -> str:
    """Return the task, and its classes."""
    if read["positive_class"] is not None:
        return f"{read['task']} (positive: {visible(read['positive_class'])})"
    classes = [visible(name) for name in read["classes"]]
    return f"{read['task']} ({listing(classes)})" if classes else str(read["task"])


def weighting(read: InputJson) -> list[str]:
    """Return by which column the samples are weighted, where they are."""
    weights = read.get("weights")
    column = weights["column"] if weights else None
    found = "weighted" if column is None else f"weighted by {visible(column)}"
    return [found] if read["weighted"] else []
