"""`bbc explain`: the meaning of a name or a result, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from bbccli.cli.command import COMMANDS, command
from bbccli.platform.arguments import Option, names_in

if TYPE_CHECKING:
    from bbccli.documents.correct import Envelope
    from bbccli.platform.records import Document


_names = names_in(
    "bbccli.methods:METHODS",
    "bbccli.metrics:METRICS",
    "bbccli.stats.intervals:INTERVALS",
    "bbccli.notes:NOTES",
    "bbccli.reports.catalogue:STEPS",
    "bbccli.comparisons.pairs:TESTS",
    "bbccli.comparisons.across:TESTS",
    "bbccli.dropping:RULES",
)


@command()
def explain(
    what: Annotated[
        str | None,
        Option(
            "A method, metric, interval, test or rule, what --select, --threshold or --calibrate "
            "choose, the code of a note, or saved results: .json, "
            "or .jsonl with one per line; - is standard input. Without it: which number to "
            "report.",
            metavar="NAME|RESULT",
            names=_names,
            open=True,
            positional=True,
        ),
    ] = None,
) -> None:
    """Explain a method, metric, test, choice, note or result.

    For a method or a metric: definition, assumptions, when not to use it, source. For an interval:
    how often it covered the true value. For a test, a rule of bbc drop, or a choice (greedy, tuned,
    platt): how it is made. For a note: meaning and remedy. For a saved result: which number to
    report and why, and all notes.

    Examples:
      bbc explain bbc
      bbc explain winners-differ
      bbc explain result.json
    """
    from bbccli.cli.output import style_for_stdout, write
    from bbccli.methods import METHODS
    from bbccli.metrics import METRICS, canonical
    from bbccli.notes import NOTES
    from bbccli.reports import catalogue
    from bbccli.reports.forms.terminal import write as on_terminal
    from bbccli.stats.intervals import INTERVALS
    from bbccli.types import IntervalKind

    if what is None:
        results = [catalogue.of_nothing()]
    elif what in METHODS:
        method = catalogue.of_method(*catalogue.facts_of_methods(what))
        results = [method, *catalogue.of_tests(what)]
    elif canonical(what, METRICS) in METRICS:
        results = [catalogue.of_metric(*catalogue.facts_of_metrics(what))]
    elif what in INTERVALS:
        results = [catalogue.of_interval(IntervalKind(what))]
    elif what.partition(":")[0] in catalogue.STEPS:
        results = [catalogue.of_step(what.partition(":")[0])]
    elif what in NOTES:
        results = [catalogue.of_note(what)]
    elif tests := catalogue.of_tests(what):
        results = tests
    else:
        results = [catalogue.of_result(result.record) for result in _results(what)]
    write(on_terminal(results, style_for_stdout()), "-")


def _results(path: str) -> list[Document[Envelope]]:
    """Read the results of a saved file; an OptionError if it is neither a name nor a file, or only
    a table.
    """
    from pathlib import Path

    from bbccli.documents.loading import is_table, read_documents
    from bbccli.errors import InputError, OptionError
    from bbccli.reports.catalogue import hint_of

    if path != "-" and not Path(path).exists():
        raise OptionError(
            f"nothing is called {path!r}, and there is no such file",
            hint=f"bbc {path} --help" if path in COMMANDS else hint_of(path, _names(), "explain"),
        )
    if is_table(path):
        raise OptionError(
            f"{path} is a table, not saved results",
            hint="give the .json of bbc correct, or the .jsonl of bbc batch",
        )
    whole = [document for document in read_documents(path) if "error" not in document]
    if not whole:
        raise InputError(
            "no file of this batch has a result",
            path=path,
            hint="bbc gate shows the error of each file",
        )
    return whole
