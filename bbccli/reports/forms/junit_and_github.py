"""Results for continuous integration: JUnit XML, and annotations of GitHub Actions.

Dashboards show JUnit as tests: a document is a suite, and its cases are the estimates or
comparisons and the gate; a failed gate is a failure, an undecided one an error. The shape is the
`junit-10` schema of Jenkins' xUnit plugin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.etree import ElementTree

from bbccli.comparisons.records import Comparison
from bbccli.documents.compare import CompareEnvelope
from bbccli.documents.correct import Envelope, doubts_of, notes_of
from bbccli.notes import Severity, by_severity, severity_of
from bbccli.platform.text import count, visible
from bbccli.reports import Style
from bbccli.reports import words as phrases
from bbccli.reports.content.ranks import p_text
from bbccli.reports.words import comparison_sentences
from bbccli.reports.words.for_papers import sentence, sentences
from bbccli.reports.words.sentences import gate_sentence, judged_figure

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_COUNTS = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error"}

_OF_GATE = {"missed": "failure", "undecided": "error"}
"""Elements of the outcomes of a gate that are problems."""


class JUnitCase(NamedTuple):
    """A case of a suite: its name, its text, and the element, type and message of its problem."""

    name: str
    text: str | None = None
    problem: tuple[str, str, str] | None = None
    detail: str | None = None
    """The text within the problem."""


def junit(documents: Sequence[Envelope | CompareEnvelope], style: Style) -> str:
    """Return a suite per document, with the numbers of its cases, failures and errors."""
    root = ElementTree.Element("testsuites", name="bbc")
    for document in documents:
        _add_suite(root, document, style)
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


def _add_suite(
    root: ElementTree.Element, document: Envelope | CompareEnvelope, style: Style
) -> None:
    path = xml_text(document.input.path)
    if isinstance(document, CompareEnvelope) and document.data_sets:
        path = count(len(document.data_sets), "data set")
    suite = ElementTree.SubElement(root, "testsuite", name=path, time="0")
    if isinstance(document, CompareEnvelope):
        cases = _of_comparison(document)
    else:
        cases = _of_result(document)
        properties = ElementTree.SubElement(suite, "properties")
        facts = {"version": document.version, "sha256": document.input.sha256}
        facts |= {f"winner {e.metric} {e.method}": e.winner for e in document.estimates}
        for name, value in facts.items():
            ElementTree.SubElement(properties, "property", name=name, value=xml_text(value))
    for case in cases:
        _add_case(suite, case)
    for doubt in doubts_of(document):
        text = phrases.note_line(doubt)
        failure = ("failure", "doubt", text) if style.fail_on else None
        _add_case(suite, JUnitCase(f"doubt {doubt.code}", text, failure))
    lines = "\n".join(phrases.plain_lines(document))
    ElementTree.SubElement(suite, "system-out").text = xml_text(lines)


def _add_case(suite: ElementTree.Element, case: JUnitCase) -> None:
    attributes = {"classname": suite.get("name", ""), "name": xml_text(case.name), "time": "0"}
    added = ElementTree.SubElement(suite, "testcase", attributes)
    if case.problem is not None:
        element, kind, message = case.problem
        problem = ElementTree.SubElement(added, element, type=kind, message=xml_text(message))
        problem.text = None if case.detail is None else xml_text(case.detail)
    if case.text is not None:
        ElementTree.SubElement(added, "system-out").text = xml_text(case.text)


def _of_result(document: Envelope) -> Iterator[JUnitCase]:
    for estimate in document.estimates:
        text = sentence(estimate, document, phrases.digits_in(document, estimate.metric))
        problem = ("error", "undefined", text) if estimate.value is None else None
        yield JUnitCase(f"{estimate.metric} {estimate.method}", text, problem)
    if (gate := document.gate) is not None:
        name = f"gate {judged_figure(gate)}"
        yield _of_gate(name, gate.outcome, gate_sentence(document))


def _of_comparison(document: CompareEnvelope) -> Iterator[JUnitCase]:
    """Yield a case per test, and one each for the set of the best, the mean ranks and the gate."""
    digits = comparison_sentences.digits_of_both(document)
    for comparison in document.comparisons:
        said = comparison_sentences.verdict(comparison, document)
        text = f"{said}; {comparison_sentences.difference(comparison, digits)}"
        yield _of_test(comparison, text, is_undefined=comparison.verdict == "undefined")
    if document.best_set is not None:
        yield JUnitCase("confidence set", comparison_sentences.size_of_best_set(document))
    if (ranks := document.ranks) is not None:
        for test in (*ranks.overall, *ranks.pairs):
            more = "" if test.p_adjusted is None else f", adjusted {p_text(test.p_adjusted)}"
            p = None if test.p is None else f"p {p_text(test.p)}{more}"
            yield _of_test(test, p, is_undefined=test.p is None)
        means = "\n".join(
            f"{standing.family} {standing.mean_rank:.2f}" for standing in ranks.standings
        )
        yield JUnitCase("mean ranks", means)
    if (gate := document.gate) is not None:
        yield _of_gate(
            f"gate {gate.required}", gate.outcome, comparison_sentences.requirement(document)
        )


def _of_test(test: Comparison, text: str | None, *, is_undefined: bool) -> JUnitCase:
    """Return the case of a test; without an answer it is an error with the reason."""
    name = " ".join(part for part in (test.test, test.first, test.second) if part)
    reasons = "; ".join(note.text for note in test.notes) or text or "undefined"
    return JUnitCase(name, text, ("error", "undefined", reasons) if is_undefined else None)


def _of_gate(name: str, outcome: str, text: str) -> JUnitCase:
    """Return the case of a gate: missed is a failure, undecided an error."""
    if outcome not in _OF_GATE:
        return JUnitCase(name, text)
    return JUnitCase(name, problem=(_OF_GATE[outcome], f"gate {outcome}", text), detail=text)


KINDS = {Severity.DOUBT: "warning", Severity.CARE: "notice"}
"""Annotations of notes; those that are harmless have none, for GitHub shows ten of a kind."""


def github(documents: Sequence[Envelope], style: Style) -> str:
    """Return the annotations of all documents, one on each line."""
    return "".join(f"{line}\n" for document in documents for line in _annotations(document))


def _annotations(document: Envelope) -> list[str]:
    """Yield a notice with the figure to report, an error for a gate not met, and the main notes."""
    title, doubts = f"bbc: {document.input.path}", doubts_of(document)
    lines = [workflow_command("warning", title, phrases.note_line(doubt)) for doubt in doubts]
    lines += [workflow_command("notice", title, said) for said in sentences(document)]
    if document.gate is not None:
        kind = "notice" if document.gate.outcome == "met" else "error"
        lines.append(workflow_command(kind, title, gate_sentence(document)))
    for note in by_severity(notes_of(document)):
        level = severity_of(note.code)
        if level in KINDS and note not in doubts:
            lines.append(workflow_command(KINDS[level], title, phrases.note_line(note)))
    return lines


def workflow_command(kind: str, title: str, message: str) -> str:
    """Return a workflow command, escaped as the toolkit of GitHub Actions does.

    >>> workflow_command("error", "bbc: a.csv", "5%")
    '::error title=bbc%3A a.csv::5%25'
    """
    # The runner undoes %0A and %0D, so ends of lines could come back: visible() has none left.
    data = visible(message).replace("%", "%25")
    name = visible(title).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={name}::{data}"
