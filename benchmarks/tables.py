"""Rows of measures, shown in the terminal and on the docs page alike."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table as RichTable

Row = dict[str, Any]

MISSING = "–"  # noqa: RUF001


def whole(value: float) -> str:
    return f"{value:,.0f}"


def digits(value: float) -> str:
    """Two or three digits that count."""
    return whole(value) if abs(value) >= 100 else f"{value:.2g}" if value else "0"


def decimals(value: float) -> str:
    return f"{value:.2f}"


def percent(value: float) -> str:
    return f"{100 * value:.0f}%"


def times(value: float) -> str:
    return f"{digits(value)} x"


@dataclass(frozen=True)
class Table:
    """A table: `columns` names the columns and how each shows its values."""

    name: str
    title: str
    columns: Mapping[str, Callable[[Any], str]]
    rows: Sequence[Row]
    note: str = ""

    def cells(self) -> list[list[str]]:
        """The cells of the table, row by row."""
        shown = self.columns.items()
        return [
            [MISSING if row.get(name) is None else show(row[name]) for name, show in shown]
            for row in self.rows
        ]


@dataclass(frozen=True)
class Target:
    """A limit, and what was measured against it."""

    what: str
    limit: float
    reached: float
    show: Callable[[float], str]
    at_least: bool

    def row(self) -> Row:
        met = self.reached >= self.limit if self.at_least else self.reached <= self.limit
        bound = "at least" if self.at_least else "at most"
        return {
            "what": self.what,
            "target": f"{bound} {self.show(self.limit)}",
            "reached": self.show(self.reached),
            "verdict": "met" if met else "not met",
        }


@dataclass(frozen=True)
class Section:
    """The measurements of one section."""

    tables: Sequence[Table]
    targets: Sequence[Target] = field(default_factory=tuple)


def targets_table(sections: Sequence[Section]) -> Table:
    rows = [target.row() for section in sections for target in section.targets]
    columns = dict.fromkeys(("what", "target", "reached", "verdict"), str)
    return Table("targets", "Targets", columns, rows)


def as_rich(table: Table) -> RichTable:
    shown = RichTable(title=table.title, caption=table.note or None, title_justify="left")
    for name, show in table.columns.items():
        shown.add_column(name, justify="left" if show is str else "right", overflow="fold")
    for cells in table.cells():
        shown.add_row(*cells, style="bold red" if cells[-1] == "not met" else None)
    return shown


def as_markdown(table: Table, level: int = 3) -> str:
    lines = [
        "| " + " | ".join(table.columns) + " |",
        "|" + "|".join("---" if show is str else "---:" for show in table.columns.values()) + "|",
        *("| " + " | ".join(cells) + " |" for cells in table.cells()),
    ]
    text = f"{'#' * level} {table.title}\n\n" + "\n".join(lines)
    return f"{text}\n\n{table.note}" if table.note else text
