"""The content of `bbc explain`: a method, a metric, a note or a result, in words for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from inspect import getdoc, getmodule

from bbccli.core.notes import NOTES, Note, NoteKind, Severity, by_severity
from bbccli.core.results import Estimate
from bbccli.core.rounding import percent
from bbccli.methods import METHODS
from bbccli.methods.registry import ASSUMED, part
from bbccli.metrics import METRICS
from bbccli.reports import phrases
from bbccli.reports.blocks import Block, BlockTable, FactList, Line
from bbccli.reports.sentences import answer, sentences
from bbccli.schema.correct import Envelope
from bbccli.stats.intervals import INTERVALS
from bbccli.stats.intervals.coverage import COVERED
from bbccli.types import IntervalKind

WHICH = (
    "Report the row that the table marks >, with its interval, and the sentence that begins with "
    "`report`. It is the first estimate whose interval accounts for the selection, by default that "
    "of bbc. The other rows are for comparison: to report the nicest of several would be another "
    "choice, and nothing corrects for that one. The naive figure is too good, for the winner was "
    "picked for it."
)
"""Which number to report, where no result is at hand."""

LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def plain(markdown: str) -> str:
    """Return Markdown without its links and its marks of emphasis.

    Examples
    --------
    >>> plain("report **all**, see [the rule](methods.md#rule)")
    'report all, see the rule'
    """
    return LINK.sub(r"\1", markdown).replace("**", "")


def of_nothing() -> list[Block]:
    """Return which number to report, and the names of all that can be explained."""
    severities = {
        f"notes, {severity.name.lower()}": [
            code for code, one in NOTES.items() if one.severity is severity
        ]
        for severity in Severity
    }
    named: Mapping[str, Iterable[str]] = {
        "methods": METHODS,
        "metrics": METRICS,
        "intervals": INTERVALS,
        **severities,
    }
    rows = [(title, ", ".join(names)) for title, names in named.items()]
    return [Line(WHICH), BlockTable.of_text(("bbc explain", "NAME"), rows)]


def of_method(name: str) -> list[Block]:
    """Return what a method is, what it assumes, when not to use it, and where it is from."""
    method = METHODS[name]
    use, _, never = part(name, "When to use").partition("When not: ")
    beware = ["ignores that the winner was selected"] if method.ignores_selection else []
    beware += ["experimental: its evidence is thin"] if method.experimental else []
    return _facts(
        ("method", name),
        ("what", method.summary),
        ("beware", "; ".join(beware)),
        *(("" if n else "all assume", one) for n, one in enumerate(ASSUMED)),
        ("assumes", part(name, "Assumptions")),
        ("when", use),
        ("when not", never),
        ("source", method.reference),
    )


def of_metric(name: str) -> list[Block]:
    """Return what a metric is, what it needs, where it is undefined, and where it is from."""
    metric = METRICS[name]
    return _facts(
        ("metric", f"{name} ({metric.label})" if metric.label != name else name),
        ("what", metric.summary),
        ("formula", metric.formula),
        ("assumes", f"{', '.join(sorted(metric.tasks))} tasks, and {NEEDS[metric.wants.value]}"),
        ("when not", f"undefined {metric.undefined}"),
        ("", metric.remarks),
        ("source", metric.reference),
    )


def of_interval(kind: IntervalKind) -> list[Block]:
    """Return what a kind of interval is, and how often it covered the true value."""
    text = getdoc(getmodule(INTERVALS[kind].law)) or ""
    first, _, rest = text.partition("\n\n")
    seen = [
        (f"covered, {method}", "; ".join(f"{name} {percent(share)}" for name, share in by.items()))
        for (method, of_kind), by in COVERED.items()
        if of_kind == kind
    ]
    if seen:
        seen.append(("", "of studies whose models are trained, by kind of metric; both ends, 95 %"))
    source = " ".join(rest.rpartition("Source: ")[2].split())
    return _facts(("interval", kind), ("what", first.rstrip(".")), *seen, ("source", source))


NEEDS = {
    "label": "predicted classes",
    "probability": "probabilities",
    "score": "probabilities or scores; not class labels",
    "value": "predicted values",
}
"""What metrics want, in words."""


def of_note(code: str) -> list[Block]:
    """Return what a note means, how much it matters, and what can be done."""
    one = NOTES[code]
    return _facts(("note", code), *_meaning(one))


def of_result(document: Envelope) -> list[Block]:
    """Return which number of a result to report and why, and what each of its notes means."""
    head = f"{document.input.path}: {phrases.understood(document)}"
    estimates = [e for e in document.estimates if phrases.is_reported(e, document)]
    lines = [head, " ".join(answer(document)), *(_reason(one, document) for one in estimates)]
    lines += [f"For a paper: {sentence}." for sentence in sentences(document)]
    notes = by_severity(phrases.notes_of(document))
    codes = dict.fromkeys(note.code for note in notes)
    return [*map(Line, lines), *(fact for code in codes for fact in _explained(code, notes))]


def _reason(estimate: Estimate, document: Envelope) -> str:
    read, name = document.input, estimate.method
    among, label = read.n_configurations, phrases.metric_label(estimate.metric)
    which = f"Report the {label} of {name}"
    does = f" ({METHODS[name].summary})" if name in METHODS else ""
    if among == 1:
        if phrases.alone(document):
            return f"{which}. There was one configuration: no choice has made its figure too good."
        return (
            f"{which}. {estimate.winner} is {phrases.only_one(document)}: if it was chosen over "
            "the others, its figure is too good, and nothing here can correct for that."
        )
    others = [e.method for e in phrases.estimates_of(document, estimate.metric)]
    others = [method for method in others if method != name]
    tried = phrases.n_tried(read)
    field = f"{among} of the {tried} tried" if tried > among else f"{among}"
    beside = f" The others here ({', '.join(others)}) are for comparison." if others else ""
    return (
        f"{which}{does}. It is the first estimate whose interval accounts for the choice. The "
        f"naive figure does not: {estimate.winner} was picked among {field} because it looked "
        f"best, and part of that is luck with these {read.n_samples} samples."
        f"{_size(estimate, document)}{beside} "
        "Reporting the nicest of several would be another choice, and nothing corrects for it. "
        f"The {percent(document.plan.level)} interval allows for chance in the samples and for "
        "the choice among the configurations in the file, but not for configurations that are "
        "missing, nor for predictions of samples that a model was trained on."
    )


def _size(estimate: Estimate, document: Envelope) -> str:
    """Say what was added for the size of resamples, if anything was."""
    if estimate.size_correction is None:
        return ""
    digits = phrases.digits_in(document, estimate.metric)
    moved = digits.difference(abs(estimate.size_correction))
    return (
        f" {phrases.metric_label(estimate.metric)} is no mean: of the 37 % of the samples that a "
        f"resample leaves out, its expectation is another than of all {document.input.n_samples}. "
        f"That was corrected by {'-' * (estimate.size_correction < 0)}{moved}; "
        "--no-size-correction gives the figure without it."
    )


def _explained(code: str, notes: Sequence[Note]) -> list[Block]:
    """Notes of one code, and what is behind them."""
    own = [note for note in notes if note.code == code]
    meaning = _meaning(NOTES[code]) if code in NOTES else [("do", own[0].remedy)]
    seen = [("" if n else "seen", note.text) for n, note in enumerate(own)]
    return _facts(("note", code), *seen, *meaning)


def _meaning(note: NoteKind[...]) -> list[tuple[str, str]]:
    return [
        ("matters", f"{note.severity.name.lower()}: {note.severity.words}"),
        ("means", note.meaning),
        ("do", note.remedy),
    ]


def _facts(*rows: tuple[str, str]) -> list[Block]:
    return [FactList([(name, plain(text)) for name, text in rows])]
