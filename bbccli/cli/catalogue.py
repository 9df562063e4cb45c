"""`bbc methods`, `bbc metrics` and `bbc schema`: what there is to choose from."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bbccli.cli.output import style_for_stdout, write
from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.schema import json_schema


def methods() -> None:
    """List the methods: what each one does, needs and gives, and where it comes from.

    Examples:

      bbc methods

      bbc methods | grep folds
    """
    rows = [
        (m.name, m.summary, ", ".join(sorted(m.needs)), ", ".join(sorted(m.gives)), m.reference)
        for m in METHODS.values()
    ]
    _print(("method", "what it does", "needs", "gives", "source"), rows)


def metrics() -> None:
    """List the metrics: what each one means, its tasks, direction and bounds.

    Examples:

      bbc metrics

      bbc metrics | grep binary
    """
    rows = [
        (
            m.name,
            m.summary,
            ", ".join(sorted(m.tasks)),
            str(m.direction),
            f"{m.bounds[0]:g} to {m.bounds[1]:g}",
            m.reference,
        )
        for m in METRICS.values()
    ]
    _print(("metric", "what it means", "tasks", "direction", "bounds", "source"), rows)


def schema() -> None:
    """Print the JSON Schema of what `--format json` writes.

    Examples:

      bbc schema

      bbc schema > bbc.schema.json
    """
    write(json.dumps(json_schema(), indent=2) + "\n", "-")


def _print(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from bbccli.reports.table import listing_table

    write(listing_table(header, rows, style_for_stdout()), "-")
