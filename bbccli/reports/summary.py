"""A table over experiments: how optimistic naive figures were, who won, which gates were missed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from statistics import median, quantiles

from bbccli.core.documents import Document, Json
from bbccli.core.rounding import count, digits_for
from bbccli.reports import Style, phrases
from bbccli.reports.blocks import AnswerLines, Block, BlockTable, Line
from bbccli.reports.phrases import n_tried, of_all
from bbccli.reports.terminal import terminal
from bbccli.schema.correct import Envelope

MOST_WINNERS = 5
MOST_REASONS = 5


@dataclass(slots=True)
class Summary:
    """Figures over experiments, collected as their records pass by."""

    files: int = 0
    partial: int = 0
    optimism: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    reported: Counter[tuple[str, str]] = field(default_factory=Counter)
    winners: Counter[str] = field(default_factory=Counter)
    gates: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def watch(self, records: Iterable[Json]) -> Iterator[Json]:
        """Yield the records as they are, and collect."""
        for record in records:
            self.files += 1
            if "error" in record:
                self.reasons[_reason(record)] += 1
            else:
                self._collect(Document(record["document"], Envelope).record)
            yield record

    def render(self, style: Style = Style(), /) -> str:
        """Return the table, at the width of the style."""
        return terminal(self._blocks(), style)

    def _blocks(self) -> Iterator[Block]:
        yield Line(f"{count(self.files, 'file')}, {self.reasons.total()} without a result")
        yield AnswerLines([(line, "") for line in self._answer()])
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

    def _answer(self) -> Iterator[str]:
        """What the files say together, for each metric by the method that most of them report."""
        for metric in dict.fromkeys(metric for metric, _ in self.optimism):
            counts = {key: n for key, n in self.reported.items() if key[0] == metric and n}
            key = max(counts, key=lambda one: counts[one], default=None)
            if key is None or key not in self.optimism:
                continue
            values = self.optimism[key]
            way, middle = "too good" if median(values) >= 0 else "too bad", abs(median(values))
            files = f"{'median of ' * (len(values) > 1)}{count(len(values), 'file')}"
            yield (
                f"The winner's naive {phrases.metric_label(metric)} is {way} by "
                f"{digits_for(values).difference(middle)} ({files}, {key[1]})."
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
                self.optimism[estimate.metric, estimate.method].append(value)
        if estimates:
            self.winners[estimates[0].winner] += 1
        if document.gate:
            self.gates[document.gate.outcome] += 1

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


_HEADER = ("optimism", "files", "least", "lower quartile", "median", "upper quartile", "most")


def _reason(record: Json) -> str:
    """What is wrong, without the path and the place in the file."""
    problem: str = record["error"]["problem"].removeprefix(f"{record['path']}: ")
    return problem.partition(" (")[0]
