"""The content of a result of `bbc correct`: the answer, the sentence for a paper, the methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bbccli.documents.correct import Envelope, notes_of
from bbccli.documents.gate import NAIVE
from bbccli.domain.estimate import Estimate
from bbccli.platform.text import percent
from bbccli.reports import words as phrases
from bbccli.reports.content import (
    AnswerLines,
    Block,
    BlockTable,
    FactList,
    Heading,
    Line,
    Notes,
    TableColumn,
    look_of,
)
from bbccli.reports.words.for_papers import sentences
from bbccli.reports.words.sentences import (
    answer_sentences,
    capped_sentence,
    cost_sentence,
    elsewhere,
    gains,
    membership,
    stopping_sentence,
    verdict_sentence,
)

RARELY = 0.01
"""Configurations that win less often than this are not listed."""

MOST_WINS = 2
"""Other configurations whose wins are listed, at most."""

MOST_PLACES = 6
"""Epochs or seeds of the winner that are listed, at most."""

LONGEST_WINNER = 24
"""Characters of a name that has room in the table; longer ones are listed below it."""

SELECTED_BY = {
    "pooled": "pooled predictions",
    "fold-mean": "fold means",
    "within-folds": "pairs within folds",
}

OBVIOUS = frozenset({"corrected", "folds", "rows", "share", "mean"})
"""Words on a method that its name and other columns say."""

NOT_TO_CHOOSE = ", not to choose from"
LEGEND = f"Report the row marked >; the others are for comparison{NOT_TO_CHOOSE}."
LEGENDS = LEGEND.replace("row", "rows")


def blocks(document: Envelope) -> Iterator[Block]:
    """Yield the input, the answer, the sentence to report, the methods, and the notes."""
    run = phrases.lines_on_run(document)
    yield Heading(document.input.path, phrases.input_line(document), run)
    looks = dict.fromkeys(verdict_sentence(document), look_of(document))
    yield AnswerLines(answer_sentences(document), looks)
    capped = [("capped", capped_sentence(search, document)) for search in document.capped]
    gained = [("gain", gain) for gain in gains(document)]
    stopped = [("stopping", text) for text in [stopping_sentence(document)] if text]
    yield FactList(
        [*(("report", sentence) for sentence in sentences(document)), *capped, *gained, *stopped]
    )
    tables = [methods_table(document, metric) for metric in document.metrics]
    yield from tables
    if any(len(table.rows) > 1 and table.marked is not None for table in tables):
        legend = LEGEND if len(tables) == 1 else LEGENDS
        n_all = document.input.n_configurations
        yield Line(legend if n_all > 1 else legend.replace(NOT_TO_CHOOSE, ""))
    yield Notes(notes_of(document), list(facts_of(document)))


def facts_of(document: Envelope) -> Iterator[tuple[str, ...]]:
    """Winners that don't fit the table, how clear the choice is, and the dropping."""
    if _listed_below(document):
        for winner, rule in winners(document).items():
            yield "winner", winner, rule
    first = document.of_metric(next(iter(document.metrics), ""))
    for estimate in first:
        if estimate.made and estimate.made.ensemble and estimate.n_resamples:
            yield "ensemble", membership(estimate.made, estimate.n_resamples)
            digits = phrases.digits_in(document, estimate.metric)
            if cut := elsewhere(estimate, document.plan, digits):
                yield "cut", cut
    several = document.input.n_configurations > 1
    for estimate in [e for e in first if e.selection][:several]:
        yield "choice", choice_facts(estimate)
    for at in [e.axis for e in first if e.axis and e.axis.values][:1]:
        often = [f"{value.value} {percent(value.share, 0)}" for value in at.values[:MOST_PLACES]]
        won = f"{at.configuration} won {percent(at.share or 0.0, 0)} of the resamples"
        yield f"{at.name}s", f"{won}; {at.name}s that won: {', '.join(often)}"
    for trace in [e.drop_trace for e in document.estimates if e.drop_trace][:1]:
        n_gone = sum(len(step.dropped) for step in trace.steps)
        gone = f"{n_gone} of {document.input.n_configurations} by {trace.rule}"
        yield "dropped", f"{gone}, {trace.n_trained} of {trace.n_models} models trained"
    if document.search_cost is not None:
        yield "search", cost_sentence(document.search_cost, document.input.n_samples)


def choice_facts(estimate: Estimate) -> str:
    """Tell how clear the choice is: how often the winner and the others win."""
    where = "resamples" if estimate.n_resamples else "outer folds"
    shares = {win.configuration: win.share for win in estimate.selection}
    listed = sum(shares.values())
    bound = min(shares.values(), default=0.0) if listed < 1 - RARELY else 0.0
    of_winner = shares.pop(estimate.winner, None)
    others = [(name, share) for name, share in shares.items() if share >= RARELY][:MOST_WINS]
    rest = 1 - (of_winner or 0.0) - sum(share for _, share in others)
    at_most = "at most " * (of_winner is None and bound > 0)
    part = f"{at_most}{percent(bound if at_most else of_winner or 0.0, 0)}, selected here"
    won = [(of_winner or 0.0, f"{estimate.winner} ({part})")]
    won += [(share, f"{name} ({percent(share, 0)})") for name, share in others]
    parts = [text for _, text in sorted(won, key=lambda wins: -wins[0])]
    parts += [f"others ({percent(rest, 0)})"] * (rest >= RARELY and of_winner is not None)
    return (
        f"{phrases.stability(estimate)}: in the {where} of {estimate.method} the "
        f"{'winners were' if len(parts) > 1 else 'winner was'} {', '.join(parts)}"
    )


def methods_table(document: Envelope, metric: str) -> BlockTable:
    """Return a row per method, for one metric: first the one to report, which is marked."""
    estimates = document.of_metric(metric)
    digits = phrases.digits_of(estimates, document)
    reported = document.reported(metric)
    ordered = sorted(_rows(estimates), key=lambda row: row is not reported)
    alone = document.input.n_configurations == 1
    differ = not alone and len({_selected_by(estimate, document) for estimate in ordered}) > 1
    beside = len({estimate.winner for estimate in document.estimates}) > 1 and not _listed_below(
        document
    )
    return BlockTable.of(
        (
            TableColumn(
                phrases.metric_label(metric),
                lambda row: row.method,
                text=True,
                whole=True,
                key=True,
            ),
            TableColumn(
                "selected by", lambda row: _selected_by(row, document) if differ else "", text=True
            ),
            TableColumn("winner", lambda row: row.winner if beside else "", text=True),
            TableColumn(
                "", lambda row: shown_label(phrases.method_label(row, document)), text=True
            ),
            TableColumn("naive", lambda row: digits.performance(row.naive), sign="x"),
            TableColumn(
                phrases.value_name(document, estimates),
                lambda row: "" if row.method == NAIVE else digits.performance(row.value),
                sign="o",
            ),
            TableColumn(
                phrases.interval_name(document, estimates),
                lambda row: phrases.interval_text(row.interval, digits),
                text=True,
                whole=True,
            ),
            TableColumn(
                "optimism",
                lambda row: "" if phrases.is_naive(row) else digits.difference(row.optimism),
                wide=True,
            ),
        ),
        ordered,
        most=len(ordered),
        marked=None if reported is None else 0,
        drawn=ordered,
    )


def _selected_by(estimate: Estimate, document: Envelope) -> str:
    """The pooling that selected its winner, and the metric if not the row's own."""
    rule = _pooled(estimate, document).removesuffix(" predictions")
    if estimate.selected_by == estimate.metric:
        return rule
    return f"{rule}, {phrases.metric_label(estimate.selected_by)}"


def _pooled(estimate: Estimate, document: Envelope) -> str:
    """The pooling of the performances that selected its winner."""
    if estimate.n_preselected is not None:
        return SELECTED_BY["pooled"]
    return SELECTED_BY[phrases.selection_pooling(estimate, document)]


def shown_label(label: str) -> str:
    """Return what the table shows of the label of a method."""
    return ", ".join(word for word in label.split(", ") if word not in OBVIOUS)


def _rows(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Estimates without a naive one whose figure is in the row of another."""
    others = {
        (estimate.winner, estimate.naive) for estimate in estimates if estimate.method != NAIVE
    }
    return [
        estimate
        for estimate in estimates
        if estimate.method != NAIVE or (estimate.winner, estimate.naive) not in others
    ]


def _listed_below(document: Envelope) -> bool:
    """True if winners have no room in the table, or were selected on a part of the samples."""
    names = {estimate.winner for estimate in document.estimates}
    if any(estimate.n_evaluation is not None for estimate in document.estimates):
        return True
    return len(names) > 1 and max(map(len, names)) > LONGEST_WINNER


def winners(document: Envelope) -> dict[str, str]:
    """Each distinct winner, and the rules that selected it."""
    rules: dict[str, dict[str, list[str]]] = {}
    for estimate in document.estimates:
        of_winner = rules.setdefault(estimate.winner, {})
        of_winner.setdefault(_field(estimate, document), []).append(_pooled(estimate, document))
    start = phrases.RULES.get(document.plan.select)
    of_all = "of" if start else "from"
    return {
        winner: f"{start or 'selected'} "
        + "; ".join(
            f"{of_all} {field} by {' and by '.join(dict.fromkeys(by))}" for field, by in of.items()
        )
        for winner, of in rules.items()
    }


def _field(estimate: Estimate, document: Envelope) -> str:
    """Among how many configurations the winner won, and in which samples where not in all."""
    read = document.input
    field = phrases.field(estimate, read)
    if estimate.n_evaluation is None:
        return field
    comma = "," * (phrases.n_tried(read) > read.n_configurations)
    return f"{field}{comma} in {phrases.n_deciding(estimate, read)} of {read.n_samples} samples"
