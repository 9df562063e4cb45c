"""The page of one result, or of many with a table of all on top."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import IO

from bbccli.core.documents import Json
from bbccli.core.results import Estimate
from bbccli.core.rounding import count, percent
from bbccli.core.text import redacted, visible
from bbccli.methods import METHODS
from bbccli.reports import Style, phrases
from bbccli.reports.content.correct import methods_table
from bbccli.reports.evidence import Exhibit
from bbccli.reports.figures import KINDS, draw
from bbccli.reports.figures.base import name_of
from bbccli.reports.json import document_of
from bbccli.reports.page.assumptions import checklist
from bbccli.reports.page.citations import methods_section
from bbccli.reports.page.experiments import overview
from bbccli.reports.page.markup import Markup, details, section, table, tag
from bbccli.reports.page.sections import figure_sections, listed_notes, made_from, notes_section
from bbccli.reports.page.style import CELL, whole
from bbccli.reports.sentences import answer, capped_sentence, sentences
from bbccli.schema.correct import Envelope, ErrorEnvelope

LONGEST_LINE = 500
"""Characters of a sentence with a name in it."""

OF_METHODS = {"mabt": "rink2025", "tilting": "rink2025", "tilting-10p": "rink2025"}
"""What else to cite, by the method."""

ABOUT_MANY = "The best configuration of each experiment: what it scored, and what to expect of it."

MOST_WHOLE = 4
"""Results of a page that are each shown with all their figures."""


def render(results: Sequence[Envelope | ErrorEnvelope], style: Style) -> str:
    """Return one page, with the figures that documents alone can give."""
    exhibits = [Exhibit(one) for one in results if isinstance(one, Envelope)]
    return page(exhibits, [one for one in results if isinstance(one, ErrorEnvelope)])


def write_batch(records: Iterable[Json], file: IO[bytes]) -> None:
    """Write a page with a line per record."""
    results = [document_of(one).record for one in records]
    file.write(render(results, Style()).encode(errors="backslashreplace"))


def page(
    exhibits: Sequence[Exhibit], failures: Sequence[ErrorEnvelope] = (), title: str = ""
) -> str:
    """Return a page of results.

    Parameters
    ----------
    failures
        Errors of files without a result.
    title
        Of the page; else it says what it shows.
    """
    if len(exhibits) == 1 and not failures:
        return _of_one(exhibits[0], title)
    n_all = len(exhibits) + len(failures)
    title = title or f"What to expect: {count(n_all, 'experiment')}"
    parts = [overview(exhibits, failures)]
    if len(exhibits) <= MOST_WHOLE:
        for position, exhibit in enumerate(exhibits, 1):
            parts.append(_part(exhibit, position))
    return whole(title, ABOUT_MANY, parts)


def _of_one(exhibit: Exhibit, title: str) -> str:
    document = exhibit.document
    read = document.input
    parts = [
        verdict(document),
        _to_quote(document),
        notes_section(phrases.notes_of(document)),
        figure_sections([draw(kind, exhibit) for kind in KINDS]),
        _other_metrics(document),
        checklist(document),
        _methods(document),
        made_from(exhibit),
    ]
    title = title or f"What to expect: {name_of(PurePath(redacted(read.path)).name)}"
    about = [phrases.understood(document), *phrases.lines_on_run(document)]
    return whole(title, ". ".join(about), parts)


def _part(exhibit: Exhibit, position: int) -> Markup:
    """One of several results: the verdict and its figures; the page says the rest once."""
    document, prefix = exhibit.document, f"r{position}-"
    heading = tag("h2", f"{position}. {name_of(document.input.path)}", id=f"{prefix}top")
    return Markup(
        heading
        + tag("p", phrases.understood(document), class_="about")
        + verdict(document)
        + figure_sections([draw(kind, exhibit) for kind in KINDS], prefix)
    )


def verdict(document: Envelope) -> Markup:
    """Return what a stranger needs, and what the gate found."""
    paragraphs = [
        tag("p", tag("strong", line)) if line.startswith("Expect") else tag("p", line)
        for line in first_lines(document)
    ]
    return tag("div", *paragraphs, class_="verdict")


def cell_of(document: Envelope) -> Markup:
    """Return the head of the page as a notebook shows it: the answer, the estimates, the notes."""
    metrics = phrases.metrics_of(document)
    tables = [_estimates(document, metric) for metric in metrics]
    notes = phrases.notes_of(document)
    parts = [verdict(document), details("Estimates", *tables)]
    if notes:
        parts.append(details(count(len(notes), "note"), listed_notes(notes)))
    return tag("div", Markup(f"<style>{CELL}</style>"), *parts, class_="bbc-result")


def first_lines(document: Envelope) -> list[str]:
    """Return the answer, without secrets, and with names that are not endless."""
    return [name_of(line, LONGEST_LINE) for line in answer(document)]


def _to_quote(document: Envelope) -> Markup:
    """Return the sentences for a paper."""
    texts = [*sentences(document), *(capped_sentence(one, document) for one in document.capped)]
    found = [tag("p", visible(text) + ".") for text in texts]
    return section("To report", "report", *found)


def _other_metrics(document: Envelope) -> Markup:
    """Return the table of all methods for the metrics after the first, whose figure has its own."""
    parts = [_estimates(document, metric) for metric in phrases.metrics_of(document)[1:]]
    return section("Other metrics", "others", *parts)


def _estimates(document: Envelope, metric: str) -> Markup:
    """Return the table of all methods for a metric."""
    block = methods_table(document, metric)
    columns = ["method", "what it does", *(column.name for column in block.columns[3:])]
    rows = [
        [f"{name[2:]} (to report)" if name[0] == ">" else name[2:], *cells]
        for name, _, *cells in block.rows
    ]
    return table(f"Estimates, {phrases.metric_label(metric)}", columns, rows)


def _methods(document: Envelope) -> Markup:
    """Return a paragraph for the methods of a paper; always cite the correction as such."""
    estimate = phrases.reported(document)
    if estimate is None:
        return Markup()
    own = OF_METHODS.get(estimate.method)
    keys = ["tsamardinos2018", *([own] if own else [])]
    return methods_section(_paragraph(estimate, document), keys)


def _paragraph(estimate: Estimate, document: Envelope) -> str:
    read, plan = document.input, document.plan
    label = phrases.metric_label(estimate.selected_by)
    name = phrases.method_name(estimate.method)
    known = METHODS.get(estimate.method)
    source = f" ({known.reference})" if known and known.reference else ""
    folds = f" in {phrases.folds(read)}" if read.n_folds else ""
    repeats = f", {count(read.n_repeats, 'repeat')}" if read.n_repeats > 1 else ""
    data = f"{phrases.configurations(read)} for {phrases.samples(read)}{folds}{repeats}"
    rule = phrases.RULES.get(plan.select, plan.select)
    parts = [
        f"Out-of-sample predictions of {data} were compared by {label} "
        f"({phrases.pooling_of(estimate, document)}), and the configuration selected was the "
        f"{rule}.",
        f"Its performance was estimated by {name}{source}, which corrects the figure of the "
        "selected configuration for the selection.",
    ]
    if read.n_configurations == 1:
        parts = [
            f"There were out-of-sample predictions of {data}.",
            f"Its performance was estimated by {name}{source}; nothing was corrected for.",
        ]
    if known and known.summary:
        parts.append(f"In short: {known.summary}.")
    if estimate.size_correction is not None:
        measured = phrases.metric_label(estimate.metric)
        parts.append(
            f"{measured} is no mean, so the estimate was also corrected for the size of what a "
            "resample leaves out."
        )
    if estimate.n_resamples:
        drawn = "all" if estimate.exact else f"seed {plan.seed}"
        parts.append(f"There were {count(estimate.n_resamples, 'resample')} ({drawn}).")
    if estimate.interval:
        guard = ", kept from collapsing by a guard" if plan.guard else ""
        parts.append(
            f"The {percent(plan.level)} interval is made of them by the rule "
            f"{plan.interval}{guard}."
        )
    return " ".join(parts) + f" Software: bbc {document.version}."
