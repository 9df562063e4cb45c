"""Exhibits and pages for tests."""

from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import matrices
import numpy as np

from bbccli import Plan, correct
from bbccli.documents.correct import error_envelope
from bbccli.domain.source import Source
from bbccli.platform.records import Document
from bbccli.reports.evidence import Exhibit
from bbccli.reports.page.page import page

SAMPLES = Path(__file__).parents[1] / "sample_data"
PLAN = Plan(n_resamples=100, seed=2)


class Shown(Exhibit):
    """An exhibit that gives its record as a document."""

    @property
    def json(self):
        return Document.of(self.document)


def shown(found, evidence=None, command=""):
    """The exhibit of a document."""
    return Shown(found.record, evidence, command)


def exhibit(matrix=None, metric="auc", methods=("cvt", "bbc", "bbc-f"), command="bbc correct p"):
    """An exhibit with everything in it."""
    matrix = matrices.binary(n_samples=60, n_configurations=12) if matrix is None else matrix
    result = correct(matrix, metric=metric, method=methods, n_resamples=100, random_state=2)
    found = result._exhibit(cost=True)
    return shown(Document.of(found.document), found.evidence, command)


@cache
def usual():
    """The exhibit that most tests look at, and none changes."""
    return exhibit()


def hostile(name):
    """An exhibit in which every name of a file is this one, and a number."""
    matrix = matrices.binary(n_samples=60, n_configurations=5)
    object.__setattr__(matrix, "configurations", tuple(f"{name}{c}" for c in range(5)))
    object.__setattr__(matrix, "fold_names", tuple(f"{name}{f}" for f in range(5)))
    object.__setattr__(matrix, "source", Source(path=name, sha256="0" * 64))
    found = exhibit(matrix, command=f"bbc correct '{name}'")
    said = found.json
    said["notes"].append({"code": "seen", "text": name, "remedy": name})
    said["input"]["positive_class"] = name
    return replace(found, document=said.record)


NAMES = (
    "<script>document.title='x'</script>",
    "</style></title><img src=x onerror=document.title='x'>",
    '" onload="document.title=1" x="',
    "\u202eevil\u2066\u200f",
    "אבג دزين",
    "a&amp;b <b>&#60;",
    "x" * 10_000,
    "{{7*7}} ${7*7} 'datum.x' \\",
    "]]><!-- --><svg onload=document.title=1>",
    "http://user:secret@host/p.csv?token=secret",
)


@cache
def ordinary():
    """The page of an ordinary exhibit."""
    return page([usual()])


def many(n, failures=0):
    """The page of n experiments of several luck."""
    rng = np.random.default_rng(0)
    first = exhibit(matrices.binary(), methods=("cvt", "bbc")).json
    exhibits = []
    for position in range(n):
        estimates = [dict(e) for e in first["estimates"]]
        for e in estimates:
            e["naive"] = 0.9 + 0.05 * rng.random()
            e["value"] = e["naive"] - 0.08 * rng.random() + 0.01
            e["optimism"] = e["naive"] - e["value"]
        read = first["input"] | {"path": f"runs/run_{position:03d}/predictions.parquet"}
        exhibits.append(shown(first | {"estimates": estimates, "input": read}))
    errors = [error_envelope(f"bad{i}.csv", "bad <i>", "", 2) for i in range(failures)]
    return page(exhibits, errors)


VOID = {"wbr", "meta", "link", "br", "hr", "img", "input"}


class Reader(HTMLParser):
    """Checks that tags are closed in order, and keeps tags, attributes and text."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes, self.text = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, key, value) for key, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, key, value) for key, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)


def read(text):
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def check_inert(text):
    """No script, no address, no style but the one, ids once, labels that lead somewhere."""
    found = read(text)
    assert not {"script", "img", "link", "iframe", "object", "a", "image", "form"} & set(found.tags)
    assert found.tags.count("style") == 1
    ids = [value for _, key, value in found.attributes if key == "id"]
    assert len(ids) == len(set(ids))
    for tag, key, value in found.attributes:
        assert not key.startswith("on") and key not in {"style", "src", "href", "xlink:href"}
        if key == "aria-labelledby":
            assert value in ids
        if key == "xmlns":
            continue
        assert "url(" not in value or value.startswith("url(#"), (tag, key, value)
    return found
