"""The content of a leaderboard: all configurations, and the figure to report for the winner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bbccli.core.documents import Json
from bbccli.core.rounding import Digits, percent
from bbccli.reports import phrases
from bbccli.reports.blocks import Block, BlockTable, Heading, Line, Notes, TableColumn
from bbccli.schema.leaderboard import LeaderboardEnvelope

NOT_CORRECTED = "not-corrected"
"""Code of the note that is the first line."""

SECONDS = Digits(1)

OF_CSV = (
    *("path", "metric", "pooling", "rank", "configuration", "winner"),
    *("value", "pooled", "fold_mean", "fold_sd", "wins", "n_predictions", "flags"),
)


def blocks(document: LeaderboardEnvelope) -> Iterator[Block]:
    """Yield a warning, the configurations, the winner and its corrected figure, and the notes."""
    notes = phrases.notes_of(document)
    for note in notes:
        if note.code == NOT_CORRECTED:
            yield Line(f"{note.text}; {note.remedy}", strong=True)
    yield Heading(document.input.path, phrases.understood(document))
    n_more = document.input.n_configurations - len(document.rows)
    yield BlockTable.of(
        list(_columns(document)),
        document.rows,
        most=len(document.rows),
        after=f"and {n_more} more, see --top and --format csv" if n_more else "",
    )
    others = [note for note in notes if note.code != NOT_CORRECTED]
    sorting = f"by {phrases.metric_label(document.metrics[0])}, {document.plan.pooling}"
    yield Notes(others, [("sorted", sorting), ("winner", _winner(document))])


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
    """Columns in their order, without those that say nothing."""
    yield TableColumn("rank", lambda row: "" if row.rank is None else str(row.rank), key=True)
    yield TableColumn("configuration", lambda row: row.configuration, text=True, key=True)
    ways = {"value": "", "pooled": "pooled", "fold_mean": "fold-mean", "fold_sd": "sd"}
    for position, metric in enumerate(document.metrics):
        found = [row.performances[position] for row in document.rows]
        digits = phrases.digits_by(metric, [getattr(one, key) for one in found for key in ways])
        yield _figures(phrases.metric_label(metric), position, "value", digits)
        # of the first metric all that is known; of the others what selects
        for key in () if position else ("pooled", "fold_mean", "fold_sd"):
            if ways[key] != document.plan.pooling:
                yield _figures(ways[key], position, key, digits, optional=True)
    yield TableColumn(
        "wins", lambda row: "" if row.wins is None else percent(row.wins, 0), optional=True
    )
    yield TableColumn("seconds", lambda row: SECONDS.difference(row.seconds), optional=True)
    if len({row.n_predictions for row in document.rows}) > 1:
        yield TableColumn("predictions", lambda row: str(row.n_predictions))
    yield TableColumn(
        "flags", lambda row: ", ".join(row.flags).replace("_", " "), text=True, optional=True
    )


def _figures(
    name: str, position: int, key: str, digits: Digits, *, optional: bool = False
) -> TableColumn:
    """Performances in one metric, or their spread."""
    write = digits.difference if key == "fold_sd" else digits.performance
    return TableColumn(
        name, lambda row: write(getattr(row.performances[position], key)), optional=optional
    )


def _winner(document: LeaderboardEnvelope) -> str:
    """The winner with its corrected performance beside the naive one."""
    name, corrected = document.winner, document.corrected
    if corrected is None:
        return name
    label, digits = phrases.metric_label(corrected.metric), phrases.digits_of([corrected], document)
    interval = phrases.interval_text(corrected.interval, digits)
    level = phrases.interval_name(document, [corrected])
    return (
        f"{name}   {label} {digits.performance(corrected.value)} corrected by "
        f"{corrected.method}{f' ({level} {interval})' if interval else ''}; "
        f"naive {digits.performance(corrected.naive)}"
    )
