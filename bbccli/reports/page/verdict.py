"""The top of a page: what to expect, the sentence for a paper, the gate, the notes."""

from __future__ import annotations

from bbccli.documents import Document, EstimateJson
from bbccli.reports import phrases
from bbccli.reports.figures.base import name_of
from bbccli.reports.page.markup import Markup, listing, section, table, tag
from bbccli.reports.sentences import gate_sentence, sentences
from bbccli.schema import to_report
from bbccli.text import visible


def reported(document: Document) -> EstimateJson | None:
    """Return the estimate to report of the first metric, if there is one."""
    metric = next(iter(phrases.metrics_of(document)), None)
    return None if metric is None else to_report(phrases.estimates_of(document, metric))


def verdict(document: Document) -> Markup:
    """Return what a stranger needs, in two sentences."""
    estimate = reported(document)
    if estimate is None:
        words = "There is no estimate to report: no method here has an interval that counts."
        return tag("div", tag("p", words), class_="verdict")
    digits = phrases.digits_of(phrases.estimates_of(document, estimate["metric"]), document)
    label, n = phrases.metric_label(estimate["metric"]), document["input"]["n_configurations"]
    naive = digits.performance(estimate["naive"], "undefined")
    among = f", the best of {n} configurations" if n > 1 else ""
    interval = phrases.interval_name(document, [estimate])
    first = f" scored {label} {naive} in cross-validation{among}."
    second = f" on new samples ({interval} {phrases.interval_text(estimate['interval'], digits)})."
    value = f"{label} {digits.performance(estimate['value'], 'undefined')}"
    return tag(
        "div",
        tag("p", tag("strong", name_of(estimate["winner"])), first),
        tag("p", "Expect ", tag("strong", value), second),
        class_="verdict",
    )


def gate_line(document: Document) -> Markup:
    """Return what the gate found, if there is one."""
    if document["gate"] is None:
        return Markup()
    words = gate_sentence(document["gate"])
    return tag("p", tag("strong", f"{words[0].upper()}{words[1:]}."))


def to_quote(document: Document) -> Markup:
    """Return the sentences for a paper."""
    found = [tag("p", visible(sentence) + ".") for sentence in sentences(document)]
    return section("To report", "report", *found) if found else Markup()


def notes(document: Document) -> Markup:
    """Return every note with its remedy."""
    found = phrases.notes_of(document)
    if not found:
        return section("Notes", "notes", tag("p", "There is nothing to note."))
    items = [tag("span", note["text"], ".", *_remedy(note["remedy"])) for note in found]
    return section("Notes", "notes", listing(items))


def _remedy(remedy: str) -> tuple[Markup, ...]:
    return (Markup(" "), tag("em", f"Hint: {remedy}.")) if remedy else ()


def estimates(document: Document) -> Markup:
    """Return the table of all methods for the metrics after the first, whose figure has its own."""
    parts = []
    for metric in phrases.metrics_of(document)[1:]:
        found = phrases.estimates_of(document, metric)
        label, interval = phrases.metric_label(metric), phrases.interval_name(document, found)
        rows = [
            (f"{row.method} (to report)" if row.reported else row.method, *row.cells)
            for row in phrases.rows(document, metric)
        ]
        columns = ("method", "what it does", label, interval, "naive", "optimism")
        parts.append(table(f"Estimates, {label}", columns, rows))
    return section("Other metrics", "others", *parts) if parts else Markup()
