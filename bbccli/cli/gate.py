"""`bbc gate`: judge saved results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from bbccli.cli.command import command
from bbccli.cli.shared import PrintOptions, reports
from bbccli.errors import OptionError
from bbccli.platform.arguments import Option, Scope
from bbccli.platform.records import Json, as_json
from bbccli.use_cases import GateOptions

if TYPE_CHECKING:
    from bbccli.documents.gate import GateRule

Result = Annotated[
    str,
    Option(
        "Saved results: .json; .jsonl with one per line; the .parquet table of a batch; - is "
        "standard input.",
        "RESULT",
        positional=True,
    ),
]

Format = Annotated[
    str | None,
    Option(
        "Print the results in this format: {names}.",
        "FORM",
        names=reports(),
        group="bbccli.forms",
        default="by the suffix of --output, else one line per gate",
        scope=Scope.COMMAND,
    ),
]


@command()
def gate(
    result: Result,
    limit: GateOptions,
    format: Format = None,
    *,
    where: PrintOptions,
) -> None:
    """Check saved results against a threshold; exit 3 if one fails.

    Nothing is computed again. If a file of a batch has no result, the exit status is 5.
    --format prints the results with their verdicts. Without a threshold the saved verdicts count.

    Examples:
      bbc gate result.json --fail-under 0.8
      bbc gate result.json --fail-under 0.8 --format markdown
      bbc gate results.jsonl --fail-over 0.3 --output report.xml
      bbc gate batch.parquet --fail-under 0.8
    """
    from bbccli.cli.output import (
        STDOUT,
        exit_by_verdicts,
        form_for,
        gate_line,
        lines_on,
        publish,
        tell_written,
        write,
    )
    from bbccli.documents.correct import ErrorEnvelope
    from bbccli.documents.loading import is_table, read_documents
    from bbccli.reports import FORMS
    from bbccli.types import GateOutcome

    rule = limit.rule
    form = form_for(format, where)
    if form is not None and is_table(result):
        raise OptionError(
            f"{result} is a table, which lacks the complete results",
            hint="leave out --format and --output, or have bbc batch write .jsonl",
        )
    saved = read_documents(result)
    read = [document.record for document in saved]
    results = _judged(read, rule)
    whole = [result for result in results if not isinstance(result, ErrorEnvelope)]
    if any(result.gate is None for result in whole):
        raise OptionError(
            "there is no threshold, neither on the command line nor saved with the result",
            hint="give --fail-under 0.8, or --fail-over 0.3",
        )
    if form is not None:
        text = _as_saved(FORMS[form], saved, read, results) if FORMS[form].of_json else None
        return publish(results, form, where, text=text, answer=gate_line)
    # met gates go to standard output, others to standard error
    to_file, outcomes = where.output != STDOUT, [] if where.quiet else [GateOutcome.MET]
    shown = whole if to_file else [result for result in whole if result.gate.outcome in outcomes]
    write(
        "".join(f"{line}\n" for result in shown for line in lines_on(result, gate_line)),
        where.output,
    )
    if to_file and not where.quiet:
        tell_written(whole, where.output, gate_line)
        outcomes = list(GateOutcome)
    exit_by_verdicts(results, where, outcomes)


def _judged(read: Sequence[Any], rule: GateRule | None) -> list[Any]:
    """The results with their verdicts; files without a result as they are."""
    from bbccli.documents.gate import judged

    estimates = [getattr(result, "estimates", ()) for result in read]
    if rule is not None and len({first.direction for first, *_ in filter(None, estimates)}) > 1:
        raise OptionError(
            "some of the metrics are maximised and some minimised, so that no threshold fits all",
            hint="save the results of each kind in a file of their own; or give each file its "
            "fail-under or fail-over in a manifest of bbc batch",
        )
    return [judged(one, rule) if of else one for one, of in zip(read, estimates, strict=True)]


def _as_saved(form: Any, saved: Sequence[Json], read: Sequence[Any], judged: Sequence[Any]) -> Any:
    """The judged results in a form, with keys of later versions as they were saved."""
    shown = [d for d in saved if form.holds_errors or "error" not in d]
    for document, was, now in zip(saved, read, judged, strict=True):
        if now is not was:
            document["notes"] += as_json(now.notes[len(was.notes) :])
            document["gate"] = as_json(now.gate)
    return form.render(shown)
