"""What `bbc compare` says as JUnit XML: a case per comparison, and its gate."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from bbccli.compare_schema import CompareEnvelope
from bbccli.comparisons.records import Comparison, Ranks
from bbccli.reports import phrases
from bbccli.reports.base import Style
from bbccli.reports.content.compare import (
    best_set,
    difference,
    figures_of,
    p_text,
    requirement,
    verdict,
)
from bbccli.reports.junit import add_case, suites_as_text, xml_text
from bbccli.rounding import count


def render(documents: Sequence[CompareEnvelope], style: Style) -> str:
    """Return a suite per document."""
    root = ElementTree.Element("testsuites", name="bbc")
    for document in documents:
        _add_suite(root, document)
    return suites_as_text(root)


def _add_suite(root: ElementTree.Element, document: CompareEnvelope) -> None:
    n_sets = len(document.data_sets)
    path = count(n_sets, "data set") if n_sets else xml_text(document.input.path)
    suite = ElementTree.SubElement(root, "testsuite", name=path, time="0")
    digits = figures_of(document)
    for one in document.comparisons:
        case = _case_of(suite, path, one)
        text = f"{verdict(one, document)}; {difference(one, digits)}"
        if one.verdict == "undefined":
            _add_undefined(case, one, text)
        ElementTree.SubElement(case, "system-out").text = xml_text(text)
    if document.best_set is not None:
        case = add_case(suite, path, "set of the best")
        ElementTree.SubElement(case, "system-out").text = xml_text(best_set(document))
    if document.ranks is not None:
        _add_ranks(suite, path, document.ranks)
    if document.gate is not None:
        _add_gate(suite, path, document)
    lines = "\n".join(phrases.plain_lines(document))
    ElementTree.SubElement(suite, "system-out").text = xml_text(lines)


def _case_of(suite: ElementTree.Element, path: str, test: Comparison) -> ElementTree.Element:
    name = " ".join(part for part in (test.test, test.first, test.second) if part)
    return add_case(suite, path, name)


def _add_undefined(case: ElementTree.Element, test: Comparison, otherwise: str) -> None:
    """Say why a test has no answer."""
    reasons = "; ".join(note.text for note in test.notes) or otherwise
    ElementTree.SubElement(case, "error", type="undefined", message=xml_text(reasons))


def _add_ranks(suite: ElementTree.Element, path: str, ranks: Ranks) -> None:
    """A case per test over the data sets, and one of the mean ranks."""
    for one in (*ranks.overall, *ranks.pairs):
        case = _case_of(suite, path, one)
        if one.p is None:
            _add_undefined(case, one, "undefined")
            continue
        adjusted = one.p_adjusted
        text = f"p {p_text(one.p)}"
        text += "" if adjusted is None else f", adjusted {p_text(adjusted)}"
        ElementTree.SubElement(case, "system-out").text = text
    standings = "\n".join(f"{one.family} {one.mean_rank:.2f}" for one in ranks.standings)
    case = add_case(suite, path, "mean ranks")
    ElementTree.SubElement(case, "system-out").text = xml_text(standings)


def _add_gate(suite: ElementTree.Element, path: str, document: CompareEnvelope) -> None:
    text = xml_text(requirement(document))
    gate = document.gate
    if gate is None:
        return
    case = add_case(suite, path, f"gate {gate.required}")
    kind = {"missed": "failure", "undecided": "error"}.get(gate.outcome)
    if kind is not None:
        ElementTree.SubElement(case, kind, type=f"gate {gate.outcome}", message=text)
    else:
        ElementTree.SubElement(case, "system-out").text = text
