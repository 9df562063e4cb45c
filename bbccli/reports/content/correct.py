"""The content of a result of `bbc correct`: the answer, the sentence for a paper, the methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bbccli.core.results import DropTrace, Estimate
from bbccli.core.rounding import percent
from bbccli.reports import phrases
from bbccli.reports.blocks import (
    AnswerLines,
    Block,
    BlockTable,
    FactList,
    Heading,
    Line,
    Notes,
    TableColumn,
)
from bbccli.reports.sentences import answer, capped_sentence, cost_sentence, sentences, verdict
from bbccli.schema.correct import Envelope, to_report
from bbccli.schema.gate import NAIVE

RARELY = 0.01
"""Configurations that win less often than this are not listed."""

MOST_WINS = 2
"""Other configurations whose wins are listed, at most."""

CLEAR, FAIRLY_CLEAR = 0.9, 0.5
"""Shares of the resamples from which on a winner is called so."""

LONGEST_WINNER = 24
"""Characters of a name that has room in the table; longer ones are listed below it."""

SELECTED_BY = {
    "pooled": "pooled rows",
    "fold-mean": "fold means",
    "within-folds": "pairs in folds",
}

OBVIOUS = frozenset({"corrected", "folds", "rows", "share", "mean"})
"""Words on a method that its name and other columns say."""

LEGEND = "Report the row marked >; the others are for comparison, not to choose from."


def blocks(document: Envelope) -> Iterator[Block]:
    """Yield what was read, what to expect and to report, the methods, and what to doubt."""
    run = phrases.lines_on_run(document)
    yield Heading(document.input.path, phrases.understood(document), run)
    met = document.gate is not None and document.gate.outcome == "met"
    looks = dict.fromkeys(verdict(document), "green" if met else "red")
    yield AnswerLines([(line, looks.get(line, "bold")) for line in answer(document)])
    capped = [("capped", capped_sentence(one, document)) for one in document.capped]
    yield FactList([*(("report", one) for one in sentences(document)), *capped])
    for metric in phrases.metrics_of(document):
        table = methods_table(document, metric)
        yield table
        if len(table.rows) > 1 and phrases.reported(document, metric) is not None:
            yield Line(LEGEND)
    yield Notes(phrases.notes_of(document), list(_facts(document)))


def _facts(document: Envelope) -> Iterator[tuple[str, ...]]:
    """Winners without room in the table, how clear the choice is, and what was dropped."""
    if _listed_below(document):
        for winner, rule in winners(document).items():
            yield "winner", winner, rule
    first = phrases.metrics_of(document)[:1]
    several = document.input.n_configurations > 1
    for estimate in [e for e in document.estimates if e.selection and [e.metric] == first][
        :several
    ]:
        yield "choice", _choice(estimate)
    for trace in [e.drop_trace for e in document.estimates if e.drop_trace][:1]:
        yield "dropped", _dropped(trace, document.input.n_configurations)
    if document.search_cost is not None:
        yield "search", cost_sentence(document.search_cost)


def _choice(estimate: Estimate) -> str:
    """How clear it is that the winner is the best: how often it wins, and who else does."""
    where = "resamples" if estimate.n_resamples else "outer folds"
    shares = {one.configuration: one.share for one in estimate.selection}
    listed = sum(shares.values())
    bound = min(shares.values(), default=0.0) if listed < 1 - RARELY else 0.0
    own = shares.pop(estimate.winner, None)
    others = [(name, share) for name, share in shares.items() if share >= RARELY][:MOST_WINS]
    rest = 1 - (own or 0.0) - sum(share for _, share in others)
    said = "a close call"
    if own is not None and own >= FAIRLY_CLEAR:
        said = "clear" if own >= CLEAR else "fairly clear"
    part = f"at most {percent(bound, 0)}" if own is None and bound else percent(own or 0.0, 0)
    won = f"{estimate.winner} won {part} of the {where} of {estimate.method}"
    parts = [won, *(f"{name} {percent(share, 0)}" for name, share in others)]
    more = f"; others {percent(rest, 0)}" if rest >= RARELY and own is not None else ""
    return f"{said}: {', '.join(parts)}{more}"


def _dropped(trace: DropTrace, n_configurations: int) -> str:
    """How many configurations went on the way, and how many models that saves."""
    n_gone = sum(len(step.dropped) for step in trace.steps)
    models = f"{trace.n_trained} of {trace.n_models} models trained"
    return f"{n_gone} of {n_configurations} by {trace.rule}, {models}"


def methods_table(document: Envelope, metric: str) -> BlockTable:
    """Return a row per method, for one metric: first the one to report, which is marked."""
    estimates = phrases.estimates_of(document, metric)
    digits = phrases.digits_of(estimates, document)
    reported = to_report(estimates)
    ordered = sorted(_rows(estimates), key=lambda one: one is not reported)
    alone = document.input.n_configurations == 1
    uncorrected = [e for e in estimates if e.ignores_selection and e.method != NAIVE]
    differ = not alone and len({_selected_by(one, document) for one in ordered}) > 1
    beside = len({one.winner for one in document.estimates}) > 1 and not _listed_below(document)
    return BlockTable.of(
        (
            TableColumn(
                f"  {phrases.metric_label(metric)}",
                lambda one: f"{'>' if one is reported else ' '} {one.method}",
                text=True,
                whole=True,
                key=True,
            ),
            TableColumn(
                "selected by",
                lambda one: _selected_by(one, document) if differ else "",
                text=True,
                optional=True,
            ),
            TableColumn(
                "winner", lambda one: one.winner if beside else "", text=True, optional=True
            ),
            TableColumn("", lambda one: _caveats(one, document), text=True, optional=True),
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


def _selected_by(estimate: Estimate, document: Envelope) -> str:
    """By which performances its winner was selected."""
    pooling = phrases.pooling_of(estimate, document)
    field = SELECTED_BY["pooled" if estimate.n_preselected is not None else pooling]
    other = estimate.selected_by != estimate.metric
    return f"{field}, {phrases.metric_label(estimate.selected_by)}" if other else field


def _caveats(estimate: Estimate, document: Envelope) -> str:
    """What to beware of in a row, beyond what its figures and its selection say."""
    words = phrases.method_label(estimate, document).split(", ")
    return ", ".join(word for word in words if word not in OBVIOUS)


def _rows(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Estimates without a naive one whose figure stands in the row of another."""
    others = {(one.winner, one.naive) for one in estimates if one.method != NAIVE}
    return [
        one for one in estimates if one.method != NAIVE or (one.winner, one.naive) not in others
    ]


def _listed_below(document: Envelope) -> bool:
    """True if winners have no room in the table, or were selected on a part of the samples."""
    names = {one.winner for one in document.estimates}
    if any(one.n_evaluation is not None for one in document.estimates):
        return True
    return len(names) > 1 and max(map(len, names)) > LONGEST_WINNER


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
