"""Many results on one page: a line for each, from the naive figure to the corrected one."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from bbccli.reports import phrases
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures.experiments import experiments_figure, short_paths
from bbccli.reports.page.figures import figure_section, listed
from bbccli.reports.page.markup import Markup, section, tag
from bbccli.reports.page.verdict import reported
from bbccli.rounding import count
from bbccli.schema import Envelope, ErrorEnvelope
from bbccli.text import visible

MOST_ROWS = 1000
"""Lines of the table; the rest are counted."""

COLUMNS = ("experiment", "metric", "naive", "corrected", "interval", "optimism", "winner")


def overview(exhibits: Sequence[Exhibit], failures: Sequence[ErrorEnvelope]) -> Markup:
    """Return the sentence over all, the table and the figure."""
    documents = [exhibit.document for exhibit in exhibits]
    paths = short_paths([d.input.path for d in documents] + [f.path for f in failures])
    cells = [*map(_cells, documents), *map(_failure, failures)]
    rows = [(visible(path), *row) for path, row in zip(paths, cells, strict=True)]
    gates = any(document.gate for document in documents)
    if gates:
        verdicts = [_gate(document) for document in documents] + ["none"] * len(failures)
        rows = [(*row, verdict) for row, verdict in zip(rows, verdicts, strict=True)]
    columns = (*COLUMNS, "gate") if gates else COLUMNS
    figure = experiments_figure(documents)
    return Markup(
        tag("div", tag("p", _summary(documents, failures)), class_="verdict")
        + section("All of them", "all", listed("Experiments", columns, rows, MOST_ROWS))
        + (figure_section(figure, "experiments") if figure else "")
    )


def _summary(documents: Sequence[Envelope], failures: Sequence[ErrorEnvelope]) -> str:
    found = [one for one in map(reported, documents) if one is not None]
    optimism = [e.optimism for e in found if e.optimism is not None]
    parts = [f"{count(len(documents) + len(failures), 'experiment')}."]
    metrics = {estimate.metric for estimate in found}
    if optimism and len(metrics) == 1:
        label, metric = phrases.metric_label(next(iter(metrics))), next(iter(metrics))
        values = [value for e in found for value in (e.naive, e.value)]
        digits = phrases.digits_by(metric, values)
        parts.append(
            f"The naive {label} was too good by {digits.difference(median(optimism))} in the "
            f"median, by {digits.difference(max(optimism))} at most."
        )
    missed = sum(_gate(document) not in ("met", "none") for document in documents)
    if missed:
        parts.append(f"{count(missed, 'gate')} not met.")
    if failures:
        parts.append(f"{len(failures)} without a result.")
    return " ".join(parts)


def _cells(document: Envelope) -> tuple[str, ...]:
    estimate = reported(document)
    if estimate is None:
        return ("none",) * (len(COLUMNS) - 1)
    estimates = phrases.estimates_of(document, estimate.metric)
    digits = phrases.digits_of(estimates, document)
    return (
        phrases.metric_label(estimate.metric),
        digits.performance(estimate.naive, "undefined"),
        digits.performance(estimate.value, "undefined"),
        phrases.interval_text(estimate.interval, digits),
        digits.difference(estimate.optimism, "undefined"),
        visible(estimate.winner),
    )


def _failure(failure: ErrorEnvelope) -> tuple[str, ...]:
    problem = visible(failure.error.problem.removeprefix(f"{failure.path}: "))
    return (*["none"] * (len(COLUMNS) - 2), f"no result: {problem}")


def _gate(document: Envelope) -> str:
    verdict = document.gate
    return "none" if verdict is None else verdict.outcome
