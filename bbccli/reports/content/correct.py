"""The content of a result of `bbc correct`: the answer first, then how it came about."""

from __future__ import annotations

from collections.abc import Iterator

from bbccli.core.results import DropTrace, Estimate
from bbccli.core.rounding import percent
from bbccli.reports import phrases
from bbccli.reports.blocks import (
    AnswerLines,
    Block,
    BlockTable,
    Heading,
    Notes,
    TableColumn,
)
from bbccli.reports.sentences import answer, capped_sentence, cost_sentence, sentences, verdict
from bbccli.schema.correct import Envelope, to_report
from bbccli.schema.gate import NAIVE

RARELY = 0.01
"""Configurations that win less often than this are not listed."""

MOST_WINS = 3
"""Configurations whose wins are listed, at most."""

LEGEND = "the row marked >; the others are for comparison, not to choose from"


def blocks(document: Envelope) -> Iterator[Block]:
    """Yield what was read, what to expect, the methods, who won how often, and what to doubt."""
    run = phrases.lines_on_run(document)
    yield Heading(document.input.path, phrases.understood(document), run)
    met = document.gate is not None and document.gate.outcome == "met"
    looks = dict.fromkeys(verdict(document), "green" if met else "red")
    yield AnswerLines([(line, looks.get(line, "bold")) for line in answer(document)])
    for metric in phrases.metrics_of(document):
        yield methods_table(document, metric)
    reported = [phrases.is_reported(estimate, document) for estimate in document.estimates]
    yield Notes(
        phrases.notes_of(document),
        list(_facts(document)),
        legend=LEGEND if any(reported) and not all(reported) else "",
    )


def _facts(document: Envelope) -> Iterator[tuple[str, ...]]:
    """Who won by which rule and how often, what was dropped, and the sentence for a paper."""
    letters = marks(document)
    for winner, rule in winners(document).items():
        yield f"winner {letters[winner]}".rstrip(), winner, rule
    first = phrases.metrics_of(document)[:1]
    for estimate in [e for e in document.estimates if e.selection and [e.metric] == first][:1]:
        yield "wins", _wins(estimate)
    for trace in [e.drop_trace for e in document.estimates if e.drop_trace][:1]:
        yield "dropped", _dropped(trace, document.input.n_configurations)
    if document.search_cost is not None:
        yield "search", cost_sentence(document.search_cost)
    for sentence in sentences(document):
        yield "report", sentence
    for estimate in document.capped:
        yield "capped", capped_sentence(estimate, document)


def _wins(estimate: Estimate) -> str:
    """How often the most frequent winners win, and all others together."""
    where = "in the resamples" if estimate.n_resamples else "in the outer folds"
    shares = [s for s in estimate.selection if s.share >= RARELY][:MOST_WINS]
    listed = [f"{percent(s.share, 0)} {s.configuration}" for s in shares]
    rest = 1 - sum(s.share for s in shares)
    others = f"; {percent(rest, 0)} others" if rest >= RARELY else ""
    return f"{where} of {estimate.method}: {', '.join(listed)}{others}"


def _dropped(trace: DropTrace, n_configurations: int) -> str:
    """How many configurations went on the way, and how many models that saves."""
    n_gone = sum(len(step.dropped) for step in trace.steps)
    models = f"{trace.n_trained} of {trace.n_models} models trained"
    return f"{n_gone} of {n_configurations} by {trace.rule}, {models}"


def methods_table(document: Envelope, metric: str) -> BlockTable:
    """Return a row per method, for one metric: first the one to report, which is marked."""
    estimates = phrases.estimates_of(document, metric)
    digits, letters = phrases.digits_of(estimates, document), marks(document)
    reported = to_report(estimates)
    ordered = sorted(estimates, key=lambda one: one is not reported)
    alone = document.input.n_configurations == 1
    uncorrected = [e for e in estimates if e.ignores_selection and e.method != NAIVE]
    return BlockTable.of(
        (
            TableColumn(
                f"  {phrases.metric_label(metric)}",
                lambda one: f"{'>' if one is reported else ' '} {one.method}",
                text=True,
                whole=True,
                key=True,
            ),
            TableColumn("", lambda one: letters[one.winner], text=True, key=True),
            TableColumn("", lambda one: phrases.method_label(one, document), text=True),
            TableColumn("naive", lambda one: digits.performance(one.naive), sign="x"),
            TableColumn(
                "estimate" if alone or uncorrected else "corrected",
                lambda one: "" if one.method == NAIVE else digits.performance(one.value),
                sign="o",
            ),
            TableColumn(
                phrases.interval_name(document, estimates),
                lambda one: phrases.interval_text(one.interval, digits),
                text=True,
                whole=True,
            ),
            TableColumn(
                "optimism",
                lambda one: "" if phrases.is_naive(one) else digits.difference(one.optimism),
                wide=True,
            ),
        ),
        ordered,
        most=len(ordered),
        looks=["bold" if one is reported else "" for one in ordered],
        drawn=ordered,
    )


def winners(document: Envelope) -> dict[str, str]:
    """Each distinct winner, and the rules that selected it."""
    rules: dict[str, dict[str, list[str]]] = {}
    for estimate in document.estimates:
        of_winner = rules.setdefault(estimate.winner, {})
        of_winner.setdefault(_field(estimate, document), []).append(_rule(estimate, document))
    start = phrases.RULES.get(document.plan.select, "selected by")
    return {
        winner: f"{start} "
        + "; ".join(f"{' and '.join(dict.fromkeys(rule))} {field}" for field, rule in found.items())
        for winner, found in rules.items()
    }


def marks(document: Envelope) -> dict[str, str]:
    """A letter for each distinct winner; nothing where all rows have the same one."""
    found = list(dict.fromkeys(estimate.winner for estimate in document.estimates))
    if len(found) < 2:
        return dict.fromkeys(found, "")
    return {winner: _letters(position) for position, winner in enumerate(found)}


def _rule(estimate: Estimate, document: Envelope) -> str:
    label = phrases.metric_label(estimate.selected_by)
    pooling = phrases.pooling_of(estimate, document)
    pooling = "pooled" if estimate.n_preselected is not None else pooling
    rules = {"fold-mean": "mean over folds", "within-folds": f"{label} within folds"}
    return rules.get(pooling, f"{pooling} {label}")


def _field(estimate: Estimate, document: Envelope) -> str:
    """Among how many configurations the winner won, and in which samples where not in all."""
    read, held_out = document.input, estimate.n_evaluation
    preselected = estimate.n_preselected
    among = read.n_configurations if preselected is None else f"{preselected} preselected"
    if phrases.n_tried(read) > read.n_configurations:
        among = f"{among}, of {phrases.n_tried(read)} tried,"
    if held_out is None:
        return f"of {among}".rstrip(",")
    n_samples = read.n_samples
    n_deciding = n_samples - held_out if preselected is None else held_out
    return f"of {among} in {n_deciding} of {n_samples} samples"


def _letters(position: int) -> str:
    """A to Z, then AA, as the columns of a spreadsheet."""
    more, last = divmod(position, 26)
    return (_letters(more - 1) if more else "") + chr(ord("A") + last)
