"""The page of one result, or of many: a line for each, and all figures of a few."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import IO

from bbccli.documents.correct import Envelope, ErrorEnvelope, doubts_of, gate_outcome, notes_of
from bbccli.notes import listing
from bbccli.platform.records import Json
from bbccli.platform.text import count, redacted, visible
from bbccli.reports import Style
from bbccli.reports import words as phrases
from bbccli.reports.content import short_paths
from bbccli.reports.content.correct import blocks, methods_table
from bbccli.reports.evidence import Exhibit
from bbccli.reports.figures import KINDS, Absent, Drawn, draw
from bbccli.reports.figures.base import in_prose
from bbccli.reports.figures.estimates import experiments
from bbccli.reports.figures.rendering import draw_ahead
from bbccli.reports.forms.json import record_from
from bbccli.reports.forms.summary import Summary
from bbccli.reports.page.markup import Markup, details, section, table, tag, whole_page, words
from bbccli.reports.page.sections import (
    cell,
    figure_section,
    figure_sections,
    folded_table,
    made_from,
    methods_section,
    notes_section,
    picture,
    summary,
    verdict_box,
)
from bbccli.reports.words.for_papers import paragraph
from bbccli.reports.words.sentences import answer_sentences, gate_sentence

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
    return whole_page(title or f"What to expect: {n_all}", ABOUT_MANY, parts)


def _of_one(exhibit: Exhibit, title: str) -> str:
    document: Envelope = exhibit.document
    others = document.metrics[1:]  # the figure of the first one has its table
    rests = words(
        "Assumptions behind the figures",
        ("assumption", "state", "evidence"),
        assumptions(document),
    )
    forest, *figures = _figures(exhibit)
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
    title = title or f"What to expect: {in_prose(PurePath(redacted(document.input.path)).name)}"
    about = [phrases.input_line(document), *phrases.lines_on_run(document)]
    return whole_page(title, ". ".join(about), parts)


def _part(exhibit: Exhibit, position: int) -> Markup:
    """One of several results: the verdict and its figures; the page says the rest once."""
    document, prefix = exhibit.document, f"r{position}-"
    heading = tag("h2", f"{position}. {in_prose(document.input.path)}", id=f"{prefix}top")
    return Markup(
        heading
        + tag("p", phrases.input_line(document), class_="about")
        + _verdict(document)
        + figure_sections(_figures(exhibit), prefix)
    )


def _figures(exhibit: Exhibit) -> list[Drawn | Absent]:
    figures = [draw(kind, exhibit) for kind in KINDS]
    draw_ahead(figures)
    return figures


def _verdict(document: Envelope) -> Markup:
    """Return the answer for a stranger, and the verdict of the gate."""
    paragraphs = [
        tag("p", tag("strong", line)) if line.startswith("Expect") else tag("p", line)
        for line in first_lines(document)
    ]
    return verdict_box(doubts_of(document), paragraphs)


def cell_of(document: Envelope) -> Markup:
    """Return the head of the page as a notebook shows it: the answer and its figure, the rest."""
    tables = [_estimates(document, metric) for metric in document.metrics]
    doubts = doubts_of(document)
    others = [note for note in notes_of(document) if note not in doubts]
    forest = picture([draw("forest", Exhibit(document))])
    return cell([_verdict(document), forest, details("Estimates", *tables)], others)


def first_lines(document: Envelope, *, named: bool = False) -> list[str]:
    """Return the answer, without secrets, and with names that are not endless; see
    `answer_sentences`.
    """
    return [in_prose(line, LONGEST_LINE) for line in answer_sentences(document, named=named)]


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
    estimate = document.reported()
    if estimate is None:
        return Markup()
    key = OF_METHODS.get(estimate.method)
    keys = ["tsamardinos2018", *([key] if key else [])]
    return methods_section(paragraph(estimate, document), keys)


def _overview(
    documents: Sequence[Envelope], failures: Sequence[ErrorEnvelope], n_all: str
) -> list[Markup]:
    paths = short_paths([d.input.path for d in documents] + [f.path for f in failures])
    metrics = dict.fromkeys(metric for document in documents for metric in document.metrics)
    doubtful = list(_doubtful(documents, failures, paths))
    look = folded_table("Points to check", ("experiment", "what"), doubtful, MOST_LINES)
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
        if metric in document.metrics
    ]
    if not any(row[1] for row in rows):
        columns, rows = (columns[0], *columns[2:]), [(row[0], *row[2:]) for row in rows]
    title = f"All experiments, {phrases.metric_label(metric)}"
    yield section(title, f"all-{ident}", folded_table(title, columns, rows, MOST_LINES))


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
    return verdict_box(summary.doubts_by_kind(), texts)


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
    gate = gate_outcome(document) if judged else ""
    estimate = document.reported(metric)
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


MET, UNKNOWN, VIOLATED = "met", "unknown", "violated"

Seen = Callable[..., str]
"""Codes of notes -> those of them that the result has, in one text."""

Judged = tuple[str, str]
"""State, and by what that is known, or what would tell."""


def assumptions(document: Envelope) -> list[tuple[str, str, str]]:
    """Return the assumptions of a result: each claim, its state, and the evidence."""
    codes = {note.code for note in notes_of(document)}

    def seen(*names: str) -> str:
        seen = sorted(codes & {*names})
        return f"the note{'s' * (len(seen) > 1)} {listing(seen)}" if seen else ""

    return [(claim, *judged(document, seen)) for claim, judged in CLAIMS.items()]


def _out_of_sample(document: Envelope, seen: Seen) -> Judged:
    if names := seen("equals-truth", "group-spans-folds"):
        return VIOLATED, f"See {names}."
    if document.stopping:
        names = ", ".join(stopped.configuration for stopped in document.stopping)
        return VIOLATED, f"Stopped training by the folds that score it: {names}."
    if names := seen("perfect-configuration", "validity-flags", "stopped-on-fold"):
        return UNKNOWN, f"Perhaps not: see {names}."
    checked = document.input.verification
    if checked is not None and checked.n_checked:
        scores = f"{checked.n_checked} of {count(checked.n_scores, 'score')}"
        return UNKNOWN, f"{scores} of the run were reproduced, as they should be."
    return UNKNOWN, "There is no evidence against it in the predictions."


def _all_there(document: Envelope, seen: Seen) -> Judged:
    left_out = ("configurations-left-out", "flagged-left-out", "candidates-missing", "best-alone")
    if names := seen(*left_out, "configurations-dropped"):
        return VIOLATED, f"Some are not: see {names}."
    run = document.input.run
    if run is not None and run.n_models == document.input.n_configurations:
        return MET, "All models of the run take part."
    return UNKNOWN, "Configurations that were tried but not recorded are not corrected for."


def _same_samples(document: Envelope, seen: Seen) -> Judged:
    names = seen("available-cases", "common-rows", "samples-left-out", "gaps-within-folds")
    return (VIOLATED, f"There were gaps: see {names}.") if names else (MET, "Checked.")


def _independent(document: Envelope, seen: Seen) -> Judged:
    if n_groups := document.input.n_groups:
        return MET, f"{count(n_groups, 'group')} are resampled as wholes."
    return UNKNOWN, "No groups were named; if there are any, name them with --group."


def _one_scale(document: Envelope, seen: Seen) -> Judged:
    ways = {"fold-mean": "by the mean over folds", "within-folds": "by pairs within folds"}
    over_folds = all(estimate.over_folds is None for estimate in document.estimates)
    if (pooling := document.plan.pooling) != "pooled" and over_folds:
        return MET, f"Not needed: selection is {ways[pooling]}."
    if phrases.is_split(document.input):
        return MET, f"There is {phrases.HELD_OUT}."
    if (document.input.n_folds or 0) < 2:
        return UNKNOWN, "The folds are unknown."
    if seen("winners-differ"):
        return UNKNOWN, "Selection over folds has another winner."
    by_folds = [e for e in document.estimates if e.method in phrases.OVER_FOLDS]
    same = "Selection over folds has the same winner." if by_folds else "It was not checked."
    return UNKNOWN, same


def _enough_samples(document: Envelope, seen: Seen) -> Judged:
    few = ("redrawn-resamples", "undefined-resamples", "few-folds", "few-evaluated", "few-groups")
    others = ("few-left-out", "mean-over-folds", "collapsed-interval", "no-variance")
    if names := seen(*few, *others):
        return VIOLATED, f"Too few: see {names}."
    return MET, "No resample had to be drawn again."


def _enough_resamples(document: Envelope, seen: Seen) -> Judged:
    if names := seen("few-resamples", "tolerance-not-reached"):
        return VIOLATED, f"See {names}."
    errors = [e.error.value for e in document.estimates if e.error and e.error.value is not None]
    if not errors:
        return MET, "Nothing was drawn."
    return MET, f"The largest Monte Carlo error is {max(errors):.2g}."


def _untold(document: Envelope, seen: Seen) -> Judged:
    return UNKNOWN, "It can't be checked from the file."


CLAIMS: dict[str, Callable[[Envelope, Seen], Judged]] = {
    "Every prediction was made by a model that had not seen the sample.": _out_of_sample,
    "All configurations that were tried are included.": _all_there,
    "All configurations predict the same samples.": _same_samples,
    "Samples, or groups of them, are independent.": _independent,
    "Predictions of different folds are on one scale.": _one_scale,
    "There are enough samples, or groups of them, for the metric in every resample.": (
        _enough_samples
    ),
    "There are enough resamples.": _enough_resamples,
    "The selection rule and the metric were chosen before the results were seen.": _untold,
    "New samples come from the same population.": _untold,
}
"""Each assumption, and the check of it."""
