"""All configurations as a table, and below it what to report of the winner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bbccli.leaderboard import LeaderboardEnvelope, LeaderboardRow
from bbccli.reports import phrases
from bbccli.reports.base import Style
from bbccli.reports.layout import Grid, add_notes, as_text, facts, listing_table, paragraph
from bbccli.rounding import Digits, percent
from bbccli.text import visible

NOT_CORRECTED = "not-corrected"
"""Code of the note that is the first line."""

SECONDS = Digits(1)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, and the text of its cell in a row."""

    name: str
    cell: Callable[[LeaderboardRow], str]
    figures: bool = True


def render(documents: Sequence[LeaderboardEnvelope], style: Style) -> str:
    """Return one screen per document."""
    return "\n".join(_screen(document, style) for document in documents)


def _screen(document: LeaderboardEnvelope, style: Style) -> str:
    notes = phrases.notes_of(document)
    told = [f"{n.text}; {n.remedy}" for n in notes if n.code == NOT_CORRECTED]
    head = f"{visible(document.input.path)}   {phrases.understood(document)}"
    others = [note for note in notes if note.code != NOT_CORRECTED]
    closing = add_notes(_winner(document), others, style)
    return "\n".join(
        [
            *(paragraph(visible(one), style) for one in told),
            paragraph(head, style),
            _table(document, style),
            as_text(closing, style),
        ]
    )


def _table(document: LeaderboardEnvelope, style: Style) -> str:
    columns = list(_columns(document))
    rows = [[column.cell(row) for column in columns] for row in document.rows]
    text = listing_table(
        [column.name for column in columns],
        rows,
        style,
        figures={column.name for column in columns if column.figures},
        keys=2,
    )
    n_more = document.input.n_configurations - len(rows)
    return f"{text}and {n_more} more, see --top and --format csv\n" if n_more else text


def _columns(document: LeaderboardEnvelope) -> Iterator[Column]:
    """Columns in their order, without those that would be empty or say nothing."""
    rows = document.rows
    yield Column("rank", lambda row: "" if row.rank is None else str(row.rank))
    yield Column("configuration", lambda row: visible(row.configuration), figures=False)
    yield from _performances(document)
    if any(row.wins is not None for row in rows):
        yield Column("wins", lambda row: percent(row.wins or 0.0, 0))
    if any(row.seconds is not None for row in rows):
        yield Column("seconds", lambda row: SECONDS.difference(row.seconds))
    if len({row.n_predictions for row in rows}) > 1:
        yield Column("predictions", lambda row: str(row.n_predictions))
    if any(row.flags for row in rows):
        yield Column(
            "flags", lambda row: visible(", ".join(row.flags).replace("_", " ")), figures=False
        )


def _performances(document: LeaderboardEnvelope) -> Iterator[Column]:
    """The first metric in all ways that are known; of the others what selects."""
    named = {"pooled": "pooled", "fold_mean": "fold-mean", "fold_sd": "sd"}
    for position, metric in enumerate(document.metrics):
        digits = phrases.digits_by(metric, _values(document, position, "value", *named))
        yield _figures(phrases.metric_label(metric), position, "value", digits)
        for key, name in {} if position else named.items():
            if name != document.plan.pooling and _is_known(document, position, key):
                yield _figures(name, position, key, digits)


def _figures(name: str, position: int, key: str, digits: Digits) -> Column:
    """Performances in one metric, or their spread."""
    write = digits.difference if key == "fold_sd" else digits.performance
    return Column(name, lambda row: write(getattr(row.performances[position], key)))


def _values(document: LeaderboardEnvelope, position: int, *keys: str) -> list[float | None]:
    return [getattr(row.performances[position], key) for row in document.rows for key in keys]


def _is_known(document: LeaderboardEnvelope, position: int, key: str) -> bool:
    return any(value is not None for value in _values(document, position, key))


def _winner(document: LeaderboardEnvelope) -> Grid:
    """The winner with its corrected performance beside the naive one."""
    name, corrected = visible(document.winner), document.corrected
    label, pooling = phrases.metric_label(document.metrics[0]), document.plan.pooling
    sorting = f"by {label}, {pooling}"
    if corrected is None:
        return facts(sorted=sorting, winner=name)
    digits = phrases.digits_of([corrected], document)
    interval = phrases.interval_text(corrected.interval, digits)
    level = phrases.interval_name(document, [corrected])
    return facts(
        sorted=sorting,
        winner=f"{name}   {label} {digits.performance(corrected.value)} corrected by "
        f"{corrected.method}{f' ({level} {interval})' if interval else ''}; "
        f"naive {digits.performance(corrected.naive)}",
    )
