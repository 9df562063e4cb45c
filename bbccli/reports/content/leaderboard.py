"""The content of a leaderboard: all configurations, and the figure to report for the winner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bbccli.core.documents import Json
from bbccli.core.rounding import Digits, percent
from bbccli.reports import phrases
from bbccli.reports.blocks import Block, BlockTable, Heading, Line, Notes, TableColumn
from bbccli.schema.leaderboard import LeaderboardEnvelope, LeaderboardRow

NOT_CORRECTED = "not-corrected"
"""Code of the note that is the first line."""

SECONDS = Digits(1)

OF_CSV = (
    *("path", "metric", "pooling", "rank", "configuration", "winner"),
    *("value", "pooled", "fold_mean", "fold_sd", "wins", "n_predictions", "flags"),
)

Cells = tuple[TableColumn, Callable[[LeaderboardRow], str]]
"""A column, and the text of its cell in a row."""


def blocks(document: LeaderboardEnvelope) -> Iterator[Block]:
    """Yield a warning, the configurations, the winner and its corrected figure, and the notes."""
    notes = phrases.notes_of(document)
    for note in notes:
        if note.code == NOT_CORRECTED:
            yield Line(f"{note.text}; {note.remedy}", strong=True)
    yield Heading(document.input.path, phrases.understood(document))
    columns, rows = list(_columns(document)), document.rows
    n_more = document.input.n_configurations - len(rows)
    yield BlockTable(
        [column for column, _ in columns],
        [[cell(row) for _, cell in columns] for row in rows],
        most=len(rows),
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


def _columns(document: LeaderboardEnvelope) -> Iterator[Cells]:
    """Columns in their order, without those that would be empty or say nothing."""
    rows = document.rows
    yield TableColumn("rank", key=True), lambda row: "" if row.rank is None else str(row.rank)
    yield TableColumn("configuration", figures=False, key=True), lambda row: row.configuration
    yield from _performances(document)
    if any(row.wins is not None for row in rows):
        yield TableColumn("wins"), lambda row: percent(row.wins or 0.0, 0)
    if any(row.seconds is not None for row in rows):
        yield TableColumn("seconds"), lambda row: SECONDS.difference(row.seconds)
    if len({row.n_predictions for row in rows}) > 1:
        yield TableColumn("predictions"), lambda row: str(row.n_predictions)
    if any(row.flags for row in rows):
        yield (
            TableColumn("flags", figures=False),
            lambda row: ", ".join(row.flags).replace("_", " "),
        )


def _performances(document: LeaderboardEnvelope) -> Iterator[Cells]:
    """The first metric in all ways that are known; of the others what selects."""
    named = {"pooled": "pooled", "fold_mean": "fold-mean", "fold_sd": "sd"}
    for position, metric in enumerate(document.metrics):
        digits = phrases.digits_by(metric, _values(document, position, "value", *named))
        yield _figures(phrases.metric_label(metric), position, "value", digits)
        for key, name in {} if position else named.items():
            if name != document.plan.pooling and _is_known(document, position, key):
                yield _figures(name, position, key, digits)


def _figures(name: str, position: int, key: str, digits: Digits) -> Cells:
    """Performances in one metric, or their spread."""
    write = digits.difference if key == "fold_sd" else digits.performance
    return TableColumn(name), lambda row: write(getattr(row.performances[position], key))


def _values(document: LeaderboardEnvelope, position: int, *keys: str) -> list[float | None]:
    return [getattr(row.performances[position], key) for row in document.rows for key in keys]


def _is_known(document: LeaderboardEnvelope, position: int, key: str) -> bool:
    return any(value is not None for value in _values(document, position, key))


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
