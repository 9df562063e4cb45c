"""The page of one result, or of many: a line for each, and all figures of a few."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from statistics import median
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
from bbccli.reports.figures.estimates import experiments, short_paths
from bbccli.reports.json import document_of
from bbccli.reports.page.assumptions import assumptions
from bbccli.reports.page.markup import (
    Markup,
    details,
    section,
    table,
    tag,
    whole,
    words,
)
from bbccli.reports.page.sections import (
    cell,
    figure_section,
    figure_sections,
    listed,
    made_from,
    methods_section,
    notes_section,
)
from bbccli.reports.sentences import (
    answer,
    capped_sentence,
    is_guarded,
    is_resampled,
    sentences,
)
from bbccli.schema.correct import Envelope, ErrorEnvelope
from bbccli.types import Task

LONGEST_LINE = 500
"""Characters of a sentence with a name in it."""

OF_METHODS = {"mabt": "rink2025", "tilting": "rink2025", "tilting-10p": "rink2025"}
"""What else to cite, by the method."""

ABOUT_MANY = "The best configuration of each experiment: what it scored, and what to expect of it."

MOST_WHOLE = 4
"""Results of a page that are each shown with all their figures."""

MOST_LINES = 1000
"""Results of a page that are listed; the rest are counted."""

COLUMNS = ("experiment", "metric", "naive", "corrected", "interval", "optimism", "winner")


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
    n_all = count(len(exhibits) + len(failures), "experiment")
    parts = _overview([exhibit.document for exhibit in exhibits], failures, n_all)
    if len(exhibits) <= MOST_WHOLE:
        parts += [_part(exhibit, position) for position, exhibit in enumerate(exhibits, 1)]
    return whole(title or f"What to expect: {n_all}", ABOUT_MANY, parts)


def _of_one(exhibit: Exhibit, title: str) -> str:
    document: Envelope = exhibit.document
    texts = [*sentences(document), *(capped_sentence(one, document) for one in document.capped)]
    others = phrases.metrics_of(document)[1:]  # the figure of the first one has its table
    rests = words(
        "What the figures rest on",
        ("assumption", "state", "how that is known"),
        assumptions(document),
    )
    parts = [
        verdict(document),
        section("To report", "report", *(tag("p", visible(text) + ".") for text in texts)),
        notes_section(phrases.notes_of(document)),
        figure_sections([draw(kind, exhibit) for kind in KINDS]),
        section("Other metrics", "others", *(_estimates(document, metric) for metric in others)),
        section("Assumptions", "assumptions", rests),
        _methods(document),
        made_from(exhibit),
    ]
    title = title or f"What to expect: {name_of(PurePath(redacted(document.input.path)).name)}"
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
    tables = [_estimates(document, metric) for metric in phrases.metrics_of(document)]
    return cell([verdict(document), details("Estimates", *tables)], phrases.notes_of(document))


def first_lines(document: Envelope) -> list[str]:
    """Return the answer, without secrets, and with names that are not endless."""
    return [name_of(line, LONGEST_LINE) for line in answer(document)]


def _estimates(document: Envelope, metric: str) -> Markup:
    """Return the table of all methods for a metric."""
    block = methods_table(document, metric)
    others = block.columns[1:]
    named = {"": "what it does"}
    columns = ["method", *(named.get(column.name, column.name) for column in others)]
    rows = [
        [f"{name[2:]} (to report)" if name[0] == ">" else name[2:], *cells]
        for name, *cells in block.rows
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
    made = "Scores" if read.task == Task.SCORE else "Out-of-sample predictions"
    parts = [
        f"{made} of {data} were compared by {label} "
        f"({phrases.pooling_of(estimate, document)}), and the {rule} was selected.",
        f"Its performance was estimated with {name}{source}, which accounts for the selection.",
    ]
    if read.n_configurations == 1:
        parts = [
            f"{made} of {data} were analysed.",
            f"Its performance was estimated with {name}{source}, without correction for a "
            "selection.",
        ]
    if known and known.summary:
        parts.append(f"In short: {known.summary}.")
    if estimate.size_correction is not None:
        measured = phrases.metric_label(estimate.metric)
        parts.append(
            f"{measured} is not a mean over samples, so the estimate was also corrected for the "
            "smaller number of samples that a resample leaves out."
        )
    if estimate.n_evaluation is not None:
        parts.append(
            f"For evaluation, {percent(plan.evaluation_share)} of the samples were held out."
        )
    if estimate.n_resamples:
        drawn = "all there are" if estimate.exact else f"seed {plan.seed}"
        parts.append(f"It used {count(estimate.n_resamples, 'resample')} ({drawn}).")
    if estimate.interval and is_resampled(estimate):
        guard = ", guarded against collapse" if is_guarded(estimate, document) else ""
        name = phrases.interval_name(document, [estimate])
        parts.append(f"The {name} is of the {plan.interval} kind{guard}.")
    return " ".join(parts) + f" Software: bbc {document.version}."


def _overview(
    documents: Sequence[Envelope], failures: Sequence[ErrorEnvelope], n_all: str
) -> list[Markup]:
    """Return the sentence over all, the table and the figure."""
    paths = short_paths([d.input.path for d in documents] + [f.path for f in failures])
    lines = [*map(_line, documents), *map(_line_of_failure, failures)]
    rows = [(visible(path), *cells) for path, cells in zip(paths, lines, strict=True)]
    columns: tuple[str, ...] = (*COLUMNS, "gate")
    if not any(document.gate for document in documents):
        columns, rows = COLUMNS, [row[:-1] for row in rows]
    figure = experiments(documents)
    parts = [
        tag("div", tag("p", _summary(documents, failures, n_all)), class_="verdict"),
        section("All of them", "all", listed("Experiments", columns, rows, MOST_LINES)),
        figure_section(figure, figure.kind) if figure else "",
    ]
    return [Markup("".join(parts))]


def _summary(documents: Sequence[Envelope], failures: Sequence[ErrorEnvelope], n_all: str) -> str:
    found = [one for one in map(phrases.reported, documents) if one is not None]
    optimism = [e.optimism for e in found if e.optimism is not None]
    parts = [f"{n_all}."]
    if optimism and len({e.metric for e in found}) == 1:
        metric = found[0].metric
        digits = phrases.digits_by(metric, [value for e in found for value in (e.naive, e.value)])
        parts.append(
            f"The naive {phrases.metric_label(metric)} was too good by "
            f"{digits.difference(median(optimism))} in the median, by "
            f"{digits.difference(max(optimism))} at most."
        )
    if missed := sum(one.gate is not None and one.gate.outcome != "met" for one in documents):
        parts.append(f"{count(missed, 'gate')} not met.")
    if failures:
        parts.append(f"{len(failures)} without a result.")
    return " ".join(parts)


def _line(document: Envelope) -> tuple[str, ...]:
    """The cells of a result, its gate last."""
    gate = "none" if document.gate is None else str(document.gate.outcome)
    estimate = phrases.reported(document)
    if estimate is None:
        return (*["none"] * (len(COLUMNS) - 1), gate)
    digits = phrases.digits_in(document, estimate.metric)
    return (
        phrases.metric_label(estimate.metric),
        digits.performance(estimate.naive, "undefined"),
        digits.performance(estimate.value, "undefined"),
        phrases.interval_text(estimate.interval, digits),
        digits.difference(estimate.optimism, "undefined"),
        visible(estimate.winner),
        gate,
    )


def _line_of_failure(failure: ErrorEnvelope) -> tuple[str, ...]:
    problem = visible(failure.error.problem.removeprefix(f"{failure.path}: "))
    return (*["none"] * (len(COLUMNS) - 2), f"no result: {problem}", "none")
