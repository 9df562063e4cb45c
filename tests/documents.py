"""Documents for tests of reports: worked out by hand, and with any names."""

from matrices import by_hand

from bbccli import METRICS, Plan, document
from bbccli.documents.gate import GateRule, judged
from bbccli.domain.source import Source
from bbccli.methods import estimate
from bbccli.platform.records import Document
from bbccli.types import Direction


def result(metric="accuracy", names=("cvt", "bbc-f"), **plan):
    """Exact methods by default, so that a golden text does not rest on draws."""
    matrix = by_hand()
    object.__setattr__(matrix, "source", Source(path="by_hand.csv"))
    return document(matrix, *estimate(matrix, [METRICS[metric]], Plan(**plan), names))


def gated(threshold, direction=Direction.MAXIMIZE, found=None, **rule):
    """A document with the verdict of a rule."""
    found = result() if found is None else found
    return Document.of(judged(found.record, GateRule(threshold, direction, **rule)))


def named(name, found):
    """The document with one name wherever a name of a file can stand."""
    note = {"code": "few-folds", "text": f"seen: {name}", "remedy": f"mind {name}"}
    return found | {
        "input": found["input"] | {"path": name, "classes": [name, "yes"], "positive_class": name},
        "estimates": [e | {"winner": name, "notes": [note]} for e in found["estimates"]],
    }


def codes(found):
    """Codes of the notes of a result."""
    return [note.code for note in found.notes]
