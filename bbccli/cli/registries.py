"""`bbc methods`, `bbc metrics` and `bbc schema`: the registries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from bbccli.cli.command import command
from bbccli.cli.shared import reports
from bbccli.platform.arguments import Option, names_in
from bbccli.use_cases import metric_names

if TYPE_CHECKING:
    from bbccli.platform.records import Json


Form = Annotated[str, Option("Output format.", names=reports("methods"))]
ABOUT = "Show everything about this one."


@command()
def methods(
    name: Annotated[
        str | None,
        Option(
            ABOUT,
            metavar="NAME",
            names=names_in("bbccli.methods:METHODS"),
            open=True,
            positional=True,
        ),
    ] = None,
    format: Form = "table",
) -> None:
    """List the methods, or show everything about one.

    Examples:
      bbc methods
      bbc methods bbc
      bbc methods --format json
    """
    from bbccli.reports import catalogue

    _print(catalogue.facts_of_methods(name), format)


@command()
def metrics(
    name: Annotated[
        str | None, Option(ABOUT, metavar="NAME", names=metric_names, open=True, positional=True)
    ] = None,
    format: Form = "table",
) -> None:
    """List the metrics, or show everything about one.

    Examples:
      bbc metrics
      bbc metrics auc
      bbc metrics --format json
    """
    from bbccli.reports import catalogue

    _print(catalogue.facts_of_metrics(name), format)


@command()
def schema() -> None:
    """Print the JSON Schema of what --format json writes.

    Examples:
      bbc schema
      bbc schema > bbc.schema.json
    """
    import json

    from bbccli.cli.output import write
    from bbccli.reports.forms.json_schema import json_schema

    write(json.dumps(json_schema(), indent=2) + "\n", "-")


def _print(rows: list[Json], form: str) -> None:
    from bbccli.cli.output import style_for_stdout, write
    from bbccli.reports import FORMS, Kind

    write(FORMS[form].render(rows, style_for_stdout(), Kind.CATALOGUE), "-")
