"""The content of a leaderboard: all configurations, and the figure to report for the winner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bbccli.documents.correct import Envelope, notes_of
from bbccli.documents.leaderboard import LeaderboardEnvelope
from bbccli.domain.estimate import Estimate
from bbccli.platform.records import Json
from bbccli.platform.text import Digits, percent
from bbccli.reports import words as phrases
from bbccli.reports.content import (
    AnswerLines,
    Block,
    BlockTable,
    FactList,
    Heading,
    Notes,
    TableColumn,
)
from bbccli.reports.content.correct import SELECTED_BY, facts_of
from bbccli.reports.words.for_papers import sentences
from bbccli.reports.words.sentences import answer_sentences

NOT_CORRECTED = "not-corrected"
"""Code of the note that the answer says."""

LEFT_OUT = "method-left-out"
"""Code of the note that bbc can't correct the winner's figure either."""

SECONDS = Digits(1)

OF_CSV = (
    *("path", "metric", "pooling", "rank", "configuration", "winner"),
    *("value", "pooled", "fold_mean", "fold_sd", "wins", "n_predictions", "flags"),
)


def blocks(document: LeaderboardEnvelope) -> Iterator[Block]:
    """Yield what to expect of the winner, the configurations, how clear it is, and the notes."""
    yield Heading(document.input.path, phrases.input_line(document))
    facts: list[tuple[str, ...]] = []
    if document.corrected is None:
        yield AnswerLines([_uncorrected(document)])
    else:
        result = _result(document, document.corrected)
        scored, *expected = answer_sentences(result)
        yield AnswerLines([scored, *expected], plain=[scored] if expected else [])
        yield FactList([("report", sentence) for sentence in sentences(result)])
        facts = list(facts_of(result))
    yield _table(document)
    others = [note for note in notes_of(document) if note.code != NOT_CORRECTED]
    yield Notes(others, facts)


def _result(document: LeaderboardEnvelope, corrected: Estimate) -> Envelope:
    return Envelope(
        *(document.schema, document.version, document.command),
        input=document.input,
        plan=document.plan,
        estimates=(corrected,),
        notes=document.notes,
        stopping=document.stopping,
    )


def _uncorrected(document: LeaderboardEnvelope) -> str:
    name, n_all = document.winner, document.input.n_configurations
    label = phrases.metric_label(document.metrics[0])
    values = [row.performances[0].value for row in document.rows if row.configuration == name]
    if not values:
        return (
            f"{name} is selected from {n_all} by {label}. Use bbc correct to see what to expect of "
            "it."
        )
    score = phrases.digits_by(document.metrics[0], values).performance(values[0], "undefined")
    if n_all == 1:
        return f"{name}, {phrases.only_one(document)}, has {label} {score}."
    refused = any(note.code == LEFT_OUT for note in document.notes)
    instead = "don't report that figure" if refused else "report the figure of bbc correct instead"
    done = "made for it of" if any(row.made for row in document.rows) else "picked for it among"
    return f"{name} has {label} {score}, and was {done} {n_all}: {instead}."


def _table(document: LeaderboardEnvelope) -> BlockTable:
    shown = [row.configuration for row in document.rows]
    n_more = document.input.n_configurations - sum(not row.made for row in document.rows)
    pooling = SELECTED_BY[document.plan.pooling]
    order = f"sorted by {phrases.metric_label(document.metrics[0])}, {pooling}"
    return BlockTable.of(
        list(_columns(document)),
        document.rows,
        most=len(document.rows),
        after=f"{order}; {n_more} more" if n_more else order,
        hint=f"--top {document.input.n_configurations}, or --format csv" if n_more else "",
        marked=shown.index(document.winner) if document.winner in shown else None,
    )


def csv_rows(documents: Sequence[Json]) -> tuple[Sequence[str], Sequence[Json]]:
    """Return columns, with the time where it is known, and a row per configuration and metric."""
    rows = [row for document in documents for row in _rows(document)]
    timed = any(row["seconds"] is not None for row in rows)
    return (*OF_CSV, *(["seconds"] if timed else [])), rows


def _rows(document: Json) -> Iterator[Json]:
    about = {"path": document["input"]["path"], "pooling": document["plan"]["pooling"]}
    for row in document["rows"]:
        won = {"winner": row["configuration"] == document["winner"]}
        for performance in row["performances"]:
            yield about | row | performance | won | {"flags": " ".join(row["flags"])}


def _columns(document: LeaderboardEnvelope) -> Iterator[TableColumn]:
    """Columns in their order."""
    yield TableColumn("rank", lambda row: "" if row.rank is None else str(row.rank), key=True)
    yield TableColumn("configuration", lambda row: row.configuration, text=True, key=True)
    ways = {"value": "", "pooled": "pooled predictions", "fold_mean": "fold means", "fold_sd": "sd"}
    for position, metric in enumerate(document.metrics):
        performances = [row.performances[position] for row in document.rows]
        digits = phrases.digits_by(
            metric, [getattr(performance, key) for performance in performances for key in ways]
        )
        yield _figures(phrases.metric_label(metric), position, "value", digits)
        # of the first metric all that is known; of the others what selects
        for key in () if position else ("pooled", "fold_mean", "fold_sd"):
            if ways[key] != SELECTED_BY[document.plan.pooling]:
                yield _figures(ways[key], position, key, digits)
    yield TableColumn("wins", lambda row: "" if row.wins is None else percent(row.wins, 0))
    yield TableColumn("seconds", lambda row: SECONDS.difference(row.seconds))
    if len({row.n_predictions for row in document.rows}) > 1:
        yield TableColumn("predictions", lambda row: str(row.n_predictions))
    yield TableColumn("flags", lambda row: ", ".join(row.flags).replace("_", " "), text=True)


def _figures(name: str, position: int, key: str, digits: Digits) -> TableColumn:
    write = digits.difference if key == "fold_sd" else digits.performance
    return TableColumn(name, lambda row: write(getattr(row.performances[position], key)))
