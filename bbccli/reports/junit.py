"""The document as JUnit XML, which CI dashboards show as tests.

A suite is a document. Its cases are its estimates, and its gate: missed is a failure, undecided an
error. The shape is that of the `junit-10` schema of the xUnit plugin of Jenkins.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from bbccli.core.results import Estimate, Gate
from bbccli.reports import phrases
from bbccli.reports.base import Style
from bbccli.reports.sentences import gate_sentence, judged_figure, sentence
from bbccli.schema.correct import Envelope

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(documents: Sequence[Envelope], style: Style) -> str:
    """Return a suite per document."""
    root = ElementTree.Element("testsuites", name="bbc")
    for document in documents:
        _add_suite(root, document)
    return suites_as_text(root)


def suites_as_text(root: ElementTree.Element) -> str:
    """Return suites as a file, once their cases, failures and errors are counted."""
    for kind, where in _COUNTS.items():
        for suite in root:
            suite.set(kind, str(len(suite.findall(where))))
        root.set(kind, str(sum(int(suite.get(kind, "0")) for suite in root)))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def xml_text(text: str) -> str:
    r"""Replace the characters that XML has no form for.

    Examples
    --------
    >>> xml_text("a\x1bb") == "a\N{REPLACEMENT CHARACTER}b"
    True
    """
    return _NOT_XML.sub("\ufffd", text)


_COUNTS = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error"}


def _add_suite(root: ElementTree.Element, document: Envelope) -> None:
    path = xml_text(document.input.path)
    suite = ElementTree.SubElement(root, "testsuite", name=path, time="0")
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in _properties(document):
        ElementTree.SubElement(properties, "property", name=name, value=xml_text(value))
    for estimate in document.estimates:
        _add_estimate(suite, document, estimate)
    if document.gate is not None:
        _add_gate(suite, document.gate)
    said = "\n".join(phrases.plain_lines(document))
    ElementTree.SubElement(suite, "system-out").text = xml_text(said)


def _properties(document: Envelope) -> list[tuple[str, str]]:
    """What was read, and the winner of each estimate."""
    found = [("version", document.version), ("sha256", document.input.sha256)]
    return found + [
        (f"winner {estimate.metric} {estimate.method}", estimate.winner)
        for estimate in document.estimates
    ]


def _add_estimate(suite: ElementTree.Element, document: Envelope, estimate: Estimate) -> None:
    digits = phrases.digits_of(phrases.estimates_of(document, estimate.metric), document)
    text = sentence(estimate, document, digits)
    problem = ("error", "undefined", text) if estimate.value is None else None
    add_case(suite, f"{estimate.metric} {estimate.method}", text, problem)


def _add_gate(suite: ElementTree.Element, gate: Gate) -> None:
    name = f"gate {gate.metric or ''} {judged_figure(gate)}"
    add_gate(suite, " ".join(name.split()), gate.outcome, gate_sentence(gate))


def add_gate(suite: ElementTree.Element, name: str, outcome: str, text: str) -> None:
    """Add the case of a gate to a suite: missed is a failure, undecided an error."""
    element = {"missed": "failure", "undecided": "error"}.get(outcome)
    if element is None:
        add_case(suite, name, text)
        return
    case = add_case(suite, name, problem=(element, f"gate {outcome}", text))
    case[0].text = xml_text(text)


def add_case(
    suite: ElementTree.Element,
    name: str,
    text: str | None = None,
    problem: tuple[str, str, str] | None = None,
) -> ElementTree.Element:
    """Add a case to a suite, with its text, and its problem as element, type and message."""
    path = suite.get("name", "")
    case = ElementTree.SubElement(suite, "testcase", classname=path, name=xml_text(name), time="0")
    if problem is not None:
        element, kind, message = problem
        ElementTree.SubElement(case, element, type=kind, message=xml_text(message))
    if text is not None:
        ElementTree.SubElement(case, "system-out").text = xml_text(text)
    return case
