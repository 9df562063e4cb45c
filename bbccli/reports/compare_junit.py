"""A comparison as JUnit XML: a case per test, and its gate."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from bbccli.comparisons.records import Comparison, Ranks
from bbccli.core.rounding import count
from bbccli.reports import phrases
from bbccli.reports.base import Style
from bbccli.reports.content import compare as content
from bbccli.reports.junit import add_case, add_gate, suites_as_text, xml_text
from bbccli.schema.compare import CompareEnvelope


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
    digits = content.figures_of(document)
    for one in document.comparisons:
        text = f"{content.verdict(one, document)}; {content.difference(one, digits)}"
        _add_test(suite, one, text, is_undefined=one.verdict == "undefined")
    if document.best_set is not None:
        add_case(suite, "set of the best", content.best_set(document))
    if document.ranks is not None:
        _add_ranks(suite, document.ranks)
    if document.gate is not None:
        gate = document.gate
        text = content.requirement(document)
        add_gate(suite, f"gate {gate.required}", gate.outcome, text)
    lines = "\n".join(phrases.plain_lines(document))
    ElementTree.SubElement(suite, "system-out").text = xml_text(lines)


def _add_ranks(suite: ElementTree.Element, ranks: Ranks) -> None:
    """Add a case per test over the data sets, and one of the mean ranks."""
    for one in (*ranks.overall, *ranks.pairs):
        adjusted = "" if one.p_adjusted is None else f", adjusted {content.p_text(one.p_adjusted)}"
        text = None if one.p is None else f"p {content.p_text(one.p)}{adjusted}"
        _add_test(suite, one, text, is_undefined=one.p is None)
    means = "\n".join(f"{one.family} {one.mean_rank:.2f}" for one in ranks.standings)
    add_case(suite, "mean ranks", means)


def _add_test(
    suite: ElementTree.Element, test: Comparison, text: str | None, *, is_undefined: bool
) -> None:
    """Add a case of a test; without an answer it is an error, which says why."""
    name = " ".join(part for part in (test.test, test.first, test.second) if part)
    reasons = "; ".join(note.text for note in test.notes) or text or "undefined"
    add_case(suite, name, text, ("error", "undefined", reasons) if is_undefined else None)
