"""A table over experiments: how optimistic naive figures were, who won, which gates were missed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from operator import itemgetter
from statistics import median, quantiles

from bbccli.documents.correct import Envelope, ErrorEnvelope, doubts_of, gate_outcome
from bbccli.errors import UndecidedError
from bbccli.notes import Note
from bbccli.platform.records import Json
from bbccli.platform.text import count, digits_for, visible, width_of
from bbccli.reports import Style
from bbccli.reports import words as phrases
from bbccli.reports.content import (
    MOST_ROWS,
    AnswerLines,
    Block,
    BlockTable,
    Doubts,
    Heading,
    TableColumn,
    n_shown,
    short_paths,
)
from bbccli.reports.forms.json import record_from
from bbccli.reports.words import n_tried, of_all

MOST_WINNERS = 5
MOST_REASONS = 5
MOST_NAMED = 3
"""Reasons for refusals that a sentence names."""


OF_FILE = ("file", "metric", "winner", "naive", "corrected", "interval", "gate", "doubts")
"""Columns of the row of a file."""


@dataclass(slots=True)
class Summary:
    """Figures over experiments, collected as their records pass by.

    naive: the naive figures behind `optimism` and the widths of their intervals, which say how many
        digits matter.
    doubted: the number of files in doubt, by metric.
    doubts: the files that a doubt is about and what it says, by its code.
    """

    listed: bool = False
    files: int = 0
    partial: int = 0
    doubted: Counter[str] = field(default_factory=Counter)
    optimism: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    naive: dict[tuple[str, str], list[tuple[float | None, float | None]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    reported: Counter[tuple[str, str]] = field(default_factory=Counter)
    winners: Counter[str] = field(default_factory=Counter)
    gates: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    doubts: dict[str, list[tuple[str, Note]]] = field(default_factory=lambda: defaultdict(list))
    first: list[dict[str, str]] = field(default_factory=list)

    def watch(self, records: Iterable[Json]) -> Iterator[Json]:
        """Yield the records as they are, and collect."""
        for record in records:
            result = record_from(record)
            if self.listed and len(self.first) <= MOST_ROWS:
                self.first.append({"file": record["path"]} | _row_of(result))
            self.add(result)
            yield record

    def add(self, result: Envelope | ErrorEnvelope) -> None:
        """Collect the figures of one result."""
        self.files += 1
        if isinstance(result, ErrorEnvelope):
            problem = result.error.problem.removeprefix(f"{result.path}: ")
            self.reasons[problem.partition(" (")[0]] += 1  # without its place in the file
        else:
            self._collect(result)

    def learned(self) -> Iterator[str]:
        """Yield what the files say together, how many gates are met, and what is refused."""
        yield from self.answer()
        if self.gates:
            outcomes = ", ".join(
                f"{n} {outcome.replace(', ', ' ')}" for outcome, n in sorted(self.gates.items())
            )
            yield f"{count(self.gates.total(), 'gate')}: {outcomes}."
        if n_refused := self.reasons.total():
            named = self.reasons.most_common(MOST_NAMED)
            reasons = [reason + f" ({n})" * (len(self.reasons) > 1) for reason, n in named]
            reasons += ["others"] * (len(self.reasons) > MOST_NAMED)
            files = of_all(n_refused, self.files, "file")
            yield f"Without a result: {files}: {'; '.join(reasons)}."

    @property
    def n_doubted(self) -> int:
        """Number of files in doubt."""
        return len({path for files in self.doubts.values() for path, _ in files})

    def doubts_by_kind(self) -> list[Note]:
        """Return a note for each kind of doubt: the first file, what it says, and how many more."""
        return [
            replace(note, text=f"{visible(path)}{more * (len(files) > 1)}: {note.text}")
            for files in self.doubts.values()
            for path, note in files[:1]
            for more in [f" and {count(len(files) - 1, 'other file')}"]
        ]

    def render(self, style: Style = Style(), /) -> str:
        """Return the table, at the width of the style."""
        from bbccli.reports.forms.terminal import terminal

        return terminal(self._blocks(), style)

    def _blocks(self) -> Iterator[Block]:
        n_refused = self.reasons.total()
        yield Heading(
            count(self.files, "file") + (f", {n_refused} without a result" if n_refused else "")
        )
        if self.doubts:
            yield Doubts(self.doubts_by_kind())
        yield AnswerLines(list(self.answer()))
        if self.first:
            yield self._files()
        if self.first and self.files == n_shown(self.files):
            return  # each file has its row
        if rows := self._rows():
            yield BlockTable.of_text(_HEADER, rows, whole=True)
        for title, counter, most in (
            ("winner", self.winners, MOST_WINNERS),
            ("gate", self.gates, len(self.gates)),
            ("error", self.reasons, MOST_REASONS),
        ):
            listed = [(name, str(n)) for name, n in counter.most_common(most)]
            if len(counter) > most:
                n_others = counter.total() - sum(int(n) for _, n in listed)
                listed.append((f"({count(len(counter) - most, 'other')})", str(n_others)))
            if listed:
                yield BlockTable.of_text((title, "files"), listed, whole=True)

    def _files(self) -> BlockTable:
        """The first files, a row each."""
        shown = self.first[: n_shown(self.files)]
        levels, metrics = ({row[key] for row in shown if key in row} for key in ("level", "metric"))
        heads = {"interval": levels.pop()} if len(levels) == 1 else {}
        n_more = self.files - len(shown)
        paths, no_cells = short_paths([row["file"] for row in shown]), dict.fromkeys(OF_FILE, "")
        return BlockTable.of(
            [
                TableColumn(
                    heads.get(name, name),
                    itemgetter(name),
                    text=name not in ("naive", "corrected"),
                    whole=name == "interval",
                    key=name == "file",
                )
                for name in OF_FILE
                if name != "metric" or len(metrics) > 1
            ],
            [no_cells | row | {"file": path} for row, path in zip(shown, paths, strict=True)],
            most=len(shown),
            after=f"{n_more} more: write them all with -o results.csv" if n_more else "",
        )

    def answer(self) -> Iterator[str]:
        """The overall result for each metric, by the method that most files report."""
        for metric in dict.fromkeys(metric for metric, _ in self.optimism):
            counts = {key: n for key, n in self.reported.items() if key[0] == metric and n}
            key = max(counts, key=lambda name: counts[name], default=None)
            if key is None or key not in self.optimism:
                continue
            values = self.optimism[key]
            middle = median(values)
            digits = digits_for(*zip(*self.naive[key], strict=True))
            amount, sign = digits.difference(abs(middle)), "good" if middle > 0 else "pessimistic"
            right = "the same as the corrected one" if self.doubted[metric] else "about right"
            said = f"too {sign} by {amount}" if float(amount) else right
            files = f"{'median of ' * (len(values) > 1)}{count(len(values), 'file')}, {key[1]}"
            doubted = f"; {self.doubted[metric]} with doubts" * (self.doubted[metric] > 0)
            yield (
                f"The winner's naive {phrases.metric_label(metric)} is {said} ({files}{doubted})."
            )
        if self.partial:
            yield (
                f"In {of_all(self.partial, self.files, 'file')} not all configurations that were "
                "tried could be used."
            )

    def _collect(self, document: Envelope) -> None:
        estimates, read = document.estimates, document.input
        self.partial += n_tried(read) > read.n_configurations
        for estimate in estimates:
            self.reported[estimate.metric, estimate.method] += phrases.is_reported(
                estimate, document
            )
            value = estimate.optimism
            if not phrases.is_naive(estimate) and value is not None:
                key = estimate.metric, estimate.method
                self.optimism[key].append(value)
                self.naive[key].append((estimate.naive, width_of(estimate.interval)))
        if estimates:
            self.winners[estimates[0].winner] += 1
        if document.gate:
            self.gates[gate_outcome(document)] += 1
        doubts = {doubt.code: doubt for doubt in doubts_of(document)}
        self.doubted.update(document.metrics if doubts else ())
        for code, note in doubts.items():
            self.doubts[code].append((read.path, note))

    def _rows(self) -> list[tuple[str, ...]]:
        rows = []
        for (metric, method), values in self.optimism.items():
            quartiles = (
                quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
            )
            shown = [min(values), *quartiles, max(values)]
            digits = digits_for(shown)
            name = f"{phrases.metric_label(metric)}, {method}"
            rows.append((name, str(len(values)), *map(digits.difference, shown)))
        return rows


def _row_of(document: Envelope | ErrorEnvelope) -> dict[str, str]:
    """Return the cells of a result by their columns, and the level of its interval."""
    if isinstance(document, ErrorEnvelope):
        undecided = document.error.status == UndecidedError.status
        return {"winner": "no result", "gate": "undecided" * undecided}
    gate = gate_outcome(document)
    doubts = ", ".join(doubt.code for doubt in doubts_of(document))
    estimate = document.reported() or next(iter(document.estimates), None)
    if estimate is None:
        return {"winner": "no result", "gate": gate, "doubts": doubts}
    digits = phrases.digits_of([estimate], document)
    naive = phrases.is_naive(estimate)
    return {
        "winner": estimate.winner,
        "metric": phrases.metric_label(estimate.metric),
        "naive": digits.performance(estimate.naive),
        "corrected": "" if naive else digits.performance(estimate.value),
        "interval": phrases.interval_text(estimate.interval, digits),
        "level": phrases.interval_name(document, [estimate]),
        "gate": gate,
        "doubts": "" if gate else doubts,
    }


_HEADER = ("optimism", "files", "least", "lower quartile", "median", "upper quartile", "most")
