"""The page of one result, or of many: a line for each, and all figures of a few."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import IO

from bbccli.documents.correct import Envelope, ErrorEnvelope
from bbccli.documents.doubts import doubts_of, notes_of, outcome_of
from bbccli.platform.records import Json
from bbccli.platform.rounding import count
from bbccli.platform.text import redacted, visible
from bbccli.reports import Style
from bbccli.reports.content.correct import blocks, methods_table
from bbccli.reports.evidence import Exhibit
from bbccli.reports.figures import KINDS, Drawn, draw
from bbccli.reports.figures.base import name_of
from bbccli.reports.figures.estimates import experiments, short_paths
from bbccli.reports.forms.json import record_from
from bbccli.reports.forms.summary import Summary
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
    picture,
    summary,
    verdict,
)
from bbccli.reports.words import phrases
from bbccli.reports.words.for_papers import paragraph
from bbccli.reports.words.sentences import answer, gate_sentence

LONGEST_LINE = 500
"""Characters of a sentence with a name in it."""

OF_METHODS = {"mabt": "rink2025", "tilting": "rink2025", "tilting-10p": "rink2025"}
"""Further references, by method."""

ABOUT_MANY = "The best configuration of each experiment: its score, and what to expect of it."

MOST_WHOLE = 4
"""Results of a page that are each shown with all their figures."""

MOST_LINES = 1000
"""Results of a page that are listed; the rest are counted."""

COLUMNS = ("experiment", "gate", "corrected", "interval", "naive", "optimism", "winner")


def render(results: Sequence[Envelope | ErrorEnvelope], style: Style) -> str:
    """Return one page, with the figures that documents alone can give."""
    exhibits = [Exhibit(result) for result in results if isinstance(result, Envelope)]
    return page(exhibits, [result for result in results if isinstance(result, ErrorEnvelope)])


def write_batch(records: Iterable[Json], file: IO[bytes]) -> None:
    """Write a page with a line per record."""
    results = [record_from(entry) for entry in records]
    file.write(render(results, Style()).encode(errors="backslashreplace"))


def page(
    exhibits: Sequence[Exhibit], failures: Sequence[ErrorEnvelope] = (), title: str = ""
) -> str:
    """Return a page of results.

    failures: errors of files without a result.
    title: of the page; else it says what it shows.
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
    others = phrases.metrics_of(document)[1:]  # the figure of the first one has its table
    rests = words(
        "Assumptions behind the figures",
        ("assumption", "state", "evidence"),
        assumptions(document),
    )
    forest, *figures = [draw(kind, exhibit) for kind in KINDS]
    shown = [
        figure_sections(figures),
        section("Other metrics", "others", *(_estimates(document, metric) for metric in others)),
        section("Assumptions", "assumptions", rests),
        _methods(document),
    ]
    parts = [
        _verdict(document),
        figure_section(forest, forest.kind) if isinstance(forest, Drawn) else Markup(),
        summary(blocks(document)),
        notes_section(notes_of(document), doubts_of(document)),
        *(shown if document.estimates else []),
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
        + _verdict(document)
        + figure_sections([draw(kind, exhibit) for kind in KINDS], prefix)
    )


def _verdict(document: Envelope) -> Markup:
    """Return the answer for a stranger, and the verdict of the gate."""
    paragraphs = [
        tag("p", tag("strong", line)) if line.startswith("Expect") else tag("p", line)
        for line in first_lines(document)
    ]
    return verdict(doubts_of(document), paragraphs)


def cell_of(document: Envelope) -> Markup:
    """Return the head of the page as a notebook shows it: the answer and its figure, the rest."""
    tables = [_estimates(document, metric) for metric in phrases.metrics_of(document)]
    doubts = doubts_of(document)
    others = [note for note in notes_of(document) if note not in doubts]
    forest = picture([draw("forest", Exhibit(document))])
    return cell([_verdict(document), forest, details("Estimates", *tables)], others)


def first_lines(document: Envelope, *, named: bool = False) -> list[str]:
    """Return the answer, without secrets, and with names that are not endless; see `answer`."""
    return [name_of(line, LONGEST_LINE) for line in answer(document, named=named)]


def _estimates(document: Envelope, metric: str) -> Markup:
    block = methods_table(document, metric)
    others = block.columns[1:]
    named = {"": "what it does"}
    columns = ["method", *(named.get(column.name, column.name) for column in others)]
    rows = [
        [f"{name} (to report)" if n == block.marked else name, *cells]
        for n, (name, *cells) in enumerate(block.rows)
    ]
    return table(f"Estimates, {phrases.metric_label(metric)}", columns, rows)


def _methods(document: Envelope) -> Markup:
    """Return a paragraph for the methods of a paper; always cite the correction as such."""
    estimate = phrases.reported(document)
    if estimate is None:
        return Markup()
    own = OF_METHODS.get(estimate.method)
    keys = ["tsamardinos2018", *([own] if own else [])]
    return methods_section(paragraph(estimate, document), keys)


def _overview(
    documents: Sequence[Envelope], failures: Sequence[ErrorEnvelope], n_all: str
) -> list[Markup]:
    paths = short_paths([d.input.path for d in documents] + [f.path for f in failures])
    metrics = dict.fromkeys(
        metric for document in documents for metric in phrases.metrics_of(document)
    )
    doubtful = list(_doubtful(documents, failures, paths))
    look = listed("Points to check", ("experiment", "what"), doubtful, MOST_LINES)
    return [
        _learned(documents, failures, n_all),
        section(
            "Points to check", "look", *([tag("div", look, class_="words")] if doubtful else [])
        ),
        *(
            part
            for n, metric in enumerate(metrics, 1)
            for part in _of_metric(metric, f"{n}", documents, paths)
        ),
    ]


def _of_metric(
    metric: str, ident: str, documents: Sequence[Envelope], paths: Sequence[str]
) -> Iterator[Markup]:
    """Yield the figure of all experiments by a metric, and their table."""
    columns: tuple[str, ...] = COLUMNS
    if (figure := experiments(documents, paths, metric)) is not None:
        yield figure_section(figure, f"{figure.kind}-{ident}")
    rows: list[tuple[str, ...]] = [
        (visible(path), *_line(document, metric))
        for path, document in zip(paths, documents, strict=False)
        if metric in phrases.metrics_of(document)
    ]
    if not any(row[1] for row in rows):
        columns, rows = (columns[0], *columns[2:]), [(row[0], *row[2:]) for row in rows]
    title = f"All experiments, {phrases.metric_label(metric)}"
    yield section(title, f"all-{ident}", listed(title, columns, rows, MOST_LINES))


def _learned(
    documents: Sequence[Envelope], failures: Sequence[ErrorEnvelope], n_all: str
) -> Markup:
    """Return what the experiments say together: of their figures, of gates, and what is refused."""
    summary = Summary()
    for document in documents:
        summary.add(document)
    for failure in failures:
        summary.add(failure)
    answer = [*summary.answer()] or [f"{n_all}: none has a corrected figure."]
    texts = [tag("p", tag("strong", line)) for line in answer]
    texts += [tag("p", line) for line in summary.learned() if line not in answer]
    return verdict(summary.doubts_by_kind(), texts)


def _doubtful(
    documents: Sequence[Envelope], failures: Sequence[ErrorEnvelope], paths: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield the files without a result, those whose gate is not met, and the doubts."""
    for path, failure in zip(paths[len(documents) :], failures, strict=True):
        problem = visible(failure.error.problem.removeprefix(f"{failure.path}: "))
        yield visible(path), f"no result: {problem}"
    for path, document in zip(paths, documents, strict=False):
        if not document.estimates:
            yield visible(path), "no result: there is no estimate"
        if document.gate is not None and document.gate.outcome != "met":
            yield visible(path), gate_sentence(document)
        for note in doubts_of(document):
            yield visible(path), phrases.note_line(note)


def _line(document: Envelope, metric: str) -> tuple[str, ...]:
    judged = document.gate is not None and document.gate.metric in (metric, None)
    gate = outcome_of(document) if judged else ""
    estimate = phrases.reported(document, metric)
    if estimate is None:
        return (gate, *["none"] * (len(COLUMNS) - 2))
    digits = phrases.digits_in(document, metric)
    return (
        gate,
        digits.performance(estimate.value, "undefined"),
        phrases.interval_text(estimate.interval, digits),
        digits.performance(estimate.naive, "undefined"),
        digits.difference(estimate.optimism, "undefined"),
        visible(estimate.winner),
    )
