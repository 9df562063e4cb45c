"""`bbc explain`: what a name or a result means, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from bbccli.cli.command import command
from bbccli.core.option import Option, names_in

if TYPE_CHECKING:
    from bbccli.core.documents import Document
    from bbccli.schema.correct import Envelope


_names = names_in(
    "bbccli.methods:METHODS",
    "bbccli.metrics:METRICS",
    "bbccli.stats.intervals:INTERVALS",
    "bbccli.core.notes:NOTES",
)


@command()
def explain(
    what: Annotated[
        str | None,
        Option(
            "A method, a metric, a kind of interval, the code of a note, or saved results: .json, "
            "or .jsonl with one on each line; - is standard input. Without it: which number to "
            "report, and the names.",
            metavar="NAME|RESULT",
            names=_names,
            open=True,
            positional=True,
        ),
    ] = None,
) -> None:
    """Explain a method, metric, interval or note, or what to report.

    Of a method or a metric: what it is, what it assumes, when not to use it, its source. Of a kind
    of interval: how often it covered the true value. Of a note: what it means and what to do. Of a
    saved result: which number to report and why, and all notes.

    Examples:
      bbc explain bbc
      bbc explain winners-differ
      bbc explain result.json
    """
    from bbccli.cli.output import style_for_stdout, write
    from bbccli.core.notes import NOTES
    from bbccli.methods import METHODS
    from bbccli.metrics import METRICS, canonical
    from bbccli.reports.content import explain as content
    from bbccli.reports.terminal import write as on_terminal
    from bbccli.stats.intervals import INTERVALS
    from bbccli.types import IntervalKind

    if what is None:
        results = [content.of_nothing()]
    elif what in METHODS:
        results = [content.of_method(what)]
    elif canonical(what, METRICS) in METRICS:
        results = [content.of_metric(canonical(what, METRICS))]
    elif what in INTERVALS:
        results = [content.of_interval(IntervalKind(what))]
    elif what in NOTES:
        results = [content.of_note(what)]
    else:
        results = [content.of_result(one.record) for one in _results(what)]
    write(on_terminal(results, style_for_stdout()), "-")


def _results(path: str) -> list[Document[Envelope]]:
    """Results of a file that was saved.

    Raises
    ------
    OptionError
        Neither a name that is known nor a file; or a table, which holds no whole results.
    """
    from pathlib import Path

    from bbccli.errors import InputError, OptionError, nearest
    from bbccli.schema.saved import is_table, read_documents

    if path != "-" and not Path(path).exists():
        raise OptionError(
            f"nothing is called {path!r}, and there is no such file",
            hint=nearest(path, _names(), "bbc explain lists all names"),
        )
    if is_table(path):
        raise OptionError(
            f"{path} is a table, which holds no whole results to explain",
            hint="let bbc batch write .jsonl",
        )
    found = [one for one in read_documents(path) if "error" not in one]
    if not found:
        raise InputError(
            "no file of this batch has a result",
            path=path,
            hint="bbc gate names what keeps each from having one",
        )
    return found
