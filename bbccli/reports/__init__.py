"""The registry of reports: all forms, and the kinds of results that each can hold.

A kind of result is put together once, in `content`: `blocks(document)` for forms of text, and
`csv_rows(documents)`, its columns and rows, for CSV; modules of `forms` write
them. Other forms name a function for each kind: of documents and a style for text, of records
and a file for a batch, of columns for resamples. Modules are imported on demand, since only the
table needs rich.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from importlib import import_module
from pathlib import PurePath
from typing import IO, Any

from bbccli.errors import OptionError, UnsupportedError, parameter
from bbccli.platform.arguments import ByName, choice, coerce_fields
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import Json, as_json, record_of

__all__ = ["FORMS", "Form", "Kind", "Style", "form_of", "forms_of", "suffix_of"]


class Kind(StrEnum):
    """A kind of result, by the command that makes it."""

    CORRECT = "correct"
    DROP = "drop"
    LEADERBOARD = "leaderboard"
    COMPARE = "compare"
    PLAN = "plan"
    INSPECTION = "inspect"
    BATCH = "batch"
    DISTRIBUTION = "distribution"
    CATALOGUE = "methods"


@dataclass(frozen=True, slots=True)
class Style:
    """The look of text: width, colour, and how much is said.

    Attributes
    ----------
    width
        Columns.
    colour
        True if escape sequences are understood.
    all_notes
        True if all notes are printed, not only those that matter most.
    fail_on
        "doubt" if a doubt counts as a failure.
    """

    width: int = 80
    colour: bool = False
    all_notes: bool = False
    fail_on: str | None = None

    def __post_init__(self) -> None:
        coerce_fields(self)


CONTENT = "content"
"""Stands for the module in `content` of a kind, which forms of text and CSV write alike."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form of text or table that results are written in.

    Parameters
    ----------
    name
        What `--format` calls it.
    modules
        The kinds that it can hold, and the function that writes each, by its module: in this room,
        or as `package.module:function`. `CONTENT` stands for what the kind's module in `content`
        says.
    purpose
        Whom or what a result of `bbc correct` in it is for, in Markdown.
    suffixes
        Of files in this form.
    for_people
        True if it says what was read and what to doubt; other forms leave that to standard error.
    holds_errors
        True if it has a place for files without a result.
    of_json
        True if it is made from documents as they are given, not from records.
    writer
        Module that writes the blocks of `content`.
    """

    name: str
    modules: Mapping[Kind, str]
    purpose: str = ""
    suffixes: tuple[str, ...] = ()
    for_people: bool = False
    holds_errors: bool = False
    of_json: bool = False
    writer: str = ""

    def __call__(self, document: Any, style: Style = Style(), /) -> str:
        """Return the text of one result of `bbc correct`, ending in a newline."""
        return self.render([document], style)

    def render(
        self, documents: Sequence[Any], style: Style = Style(), kind: Kind | str = Kind.CORRECT
    ) -> str:
        """Return one text for some documents or records, such as a CSV with one header."""
        kind = choice(Kind, kind, "kind")
        shown = Kind.CORRECT if kind in (Kind.BATCH, Kind.DISTRIBUTION) else kind
        if not {kind, shown} <= set(self.modules):
            hint = f"one of: {', '.join(forms_of(kind))}"
            raise UnsupportedError(f"{self.name} is not a form of {kind}", hint=hint)
        results = (
            documents if self.of_json else [_record(document, shown) for document in documents]
        )
        name = self.modules[shown]
        text: str
        if name != CONTENT:
            text = imported(name)(results, style)
        elif self.name == "csv":
            text = imported("forms.tables.as_text")(
                *imported(f"content.{shown}.csv_rows")(as_json(results))
            )
        else:
            blocks = map(imported("content.blocks_of"), results)
            text = imported(f"{self.writer}.write")(blocks, style)
        return text

    def write_batch(self, records: Iterable[Json], file: IO[bytes]) -> None:
        """Write the records of a batch as one table, one record at a time."""
        imported(self.modules[Kind.BATCH])(records, file)

    def distribution(self, columns: Mapping[str, Sequence[object]]) -> bytes:
        """Return the columns of resamples, see `tables.columns_of`, as a file."""
        data: bytes = imported(self.modules[Kind.DISTRIBUTION])(columns)
        return data


def imported(name: str) -> Any:
    """Return a function or a class by its module in this room, or by `package.module:function`."""
    module, _, function = name.rpartition(":" if ":" in name else ".")
    return getattr(import_module(module if ":" in name else f"bbccli.reports.{module}"), function)


RECORDS = {
    Kind.CORRECT: "bbccli.documents.correct:Envelope",
    Kind.DROP: "bbccli.documents.drop:DropEnvelope",
    Kind.LEADERBOARD: "bbccli.documents.leaderboard:LeaderboardEnvelope",
    Kind.COMPARE: "bbccli.documents.compare:CompareEnvelope",
    Kind.PLAN: "bbccli.documents.plan:PlanEnvelope",
    Kind.INSPECTION: "bbccli.use_cases.inspection:Inspection",
}
"""The record that a kind of result is, by its module and name."""

OF_ERROR = "bbccli.documents.correct:ErrorEnvelope"


def _record(document: Any, kind: Kind) -> Any:
    """The record of a document; anything else, such as a record or a method, as it is."""
    if kind not in RECORDS or not isinstance(document, Mapping):
        return document
    return record_of(imported(OF_ERROR if "error" in document else RECORDS[kind]), document)


_BUILT_IN = {
    form.name: form
    for form in (
        Form(
            "table",
            {**dict.fromkeys(RECORDS, CONTENT), Kind.CATALOGUE: "catalogue.render"},
            "people, in a terminal",
            for_people=True,
            writer="forms.terminal",
        ),
        Form(
            "json",
            {
                **dict.fromkeys((*RECORDS, Kind.CATALOGUE), "forms.json.render"),
                Kind.DISTRIBUTION: "forms.json.distribution",
            },
            "programs; `bbc schema` describes it",
            (".json",),
            holds_errors=True,
            of_json=True,
        ),
        Form(
            "parquet",
            {
                Kind.BATCH: "forms.tables.write_parquet",
                Kind.DISTRIBUTION: "forms.tables.distribution",
            },
            suffixes=(".parquet",),
            of_json=True,
        ),
        Form(
            "jsonl",
            {Kind.CORRECT: "forms.json.render_lines", Kind.BATCH: "forms.json.write_lines"},
            "programs, many results in one file",
            (".jsonl", ".ndjson"),
            holds_errors=True,
            of_json=True,
        ),
        Form(
            "csv",
            {
                Kind.CORRECT: "forms.tables.render",
                Kind.BATCH: "forms.tables.write_csv",
                **dict.fromkeys((Kind.LEADERBOARD, Kind.PLAN, Kind.COMPARE), CONTENT),
            },
            "spreadsheets and data frames: one row per estimate",
            (".csv",),
            of_json=True,
        ),
        Form(
            "markdown",
            dict.fromkeys((Kind.CORRECT, Kind.COMPARE, Kind.PLAN), CONTENT),
            "job summaries, comments on pull requests",
            (".md", ".markdown"),
            for_people=True,
            writer="forms.markdown",
        ),
        Form(
            "html",
            {
                Kind.CORRECT: "page.page.render",
                Kind.BATCH: "page.page.write_batch",
                **dict.fromkeys(
                    (Kind.COMPARE, Kind.PLAN, Kind.DROP, Kind.LEADERBOARD), "page.of_blocks.render"
                ),
            },
            "people: one page with figures, see [the page](report.md)",
            (".html", ".htm"),
            for_people=True,
            holds_errors=True,
        ),
        Form(
            "junit",
            dict.fromkeys((Kind.CORRECT, Kind.COMPARE), "forms.junit_and_github.junit"),
            "dashboards: a suite per file, a case per estimate and gate",
            (".xml",),
        ),
        Form(
            "github",
            {Kind.CORRECT: "forms.junit_and_github.github"},
            "annotations of GitHub Actions",
            for_people=True,
        ),
        Form(
            "metrics",
            {Kind.CORRECT: "forms.metrics.render", Kind.BATCH: "forms.metrics.write_batch"},
            "experiment trackers: names and numbers alone",
            (".metrics.json",),
            holds_errors=True,
        ),
        Form(
            "every-eval-ever",
            {Kind.CORRECT: "forms.every_eval_ever.render"},
            "collections of evaluations: the schema of Every Eval Ever, with uncertainty",
        ),
    )
}
FORMS: Mapping[str, Form] = ByName(_BUILT_IN, _BUILT_IN.__getitem__, "bbccli.forms", Form)
"""By name: ours, and those that installed packages declare."""

PLAIN = ("", ".txt")
"""Suffixes that ask for no form: the file holds what standard output would show."""


def forms_of(kind: Kind | str) -> dict[str, Form]:
    """Return the forms that can hold a kind of result, by name."""
    kind = choice(Kind, kind, "kind")
    return {name: form for name, form in FORMS.items() if kind in form.modules}


def form_of(path: str, forms: Mapping[str, Form]) -> str | None:
    """Return the name of the form that the suffix of a file asks for, if it asks for one.

    Parameters
    ----------
    path
        Of the file; - is standard output.
    forms
        Those to choose from, by name.

    Raises
    ------
    OptionError
        A suffix that stands for none of them.
    """
    known = {end: name for name, form in forms.items() for end in form.suffixes}
    suffix = suffix_of(path, known)
    if suffix in PLAIN:
        return None
    if suffix not in known:
        raise OptionError(
            f"{parameter('path')} is {path!r}, and {suffix} is not a format that can be written",
            hint=f"a file that ends in {', '.join(known)}; or in .txt, for the table"
            + "; pages are what bbc correct, compare, plan, drop and leaderboard write"
            * (suffix in (".html", ".htm")),
        )
    return known[suffix]


def suffix_of(path: str, known: Collection[str]) -> str:
    """Return the suffix of a file in lower case: the longest known one that it ends in, or its own.

    Examples
    --------
    >>> suffix_of("a/b.Metrics.JSON", [".json", ".metrics.json"])
    '.metrics.json'
    >>> suffix_of("b.tar.gz", [".json"])
    '.gz'
    """
    name = PurePath(path).name.lower()
    ends = [end for end in known if name.endswith(end) and name != end]
    return max(ends, key=len, default=PurePath(path).suffix.lower())
