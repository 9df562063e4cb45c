"""The content of a plan: the answer in two or three sentences, cells, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil, floor, isfinite, log10, sqrt

from bbccli.documents.correct import notes_of
from bbccli.documents.plan import PlanEnvelope
from bbccli.planning.records import Cell
from bbccli.platform.records import Json
from bbccli.platform.text import NOISE_TOLERANCE, Digits, brief, count, fixed, percent
from bbccli.reports import words as phrases
from bbccli.reports.content import AnswerLines, Block, BlockTable, Heading, Notes, TableColumn

OF_CSV = (
    *("path", "metric", "n_samples", "n_configurations", "naive", "honest"),
    *("optimism", "optimism_lower", "optimism_upper", "width", "level", "near_best"),
    *("near_best_lower", "near_best_upper", "within", "chosen"),
)


def blocks(document: PlanEnvelope) -> Iterator[Block]:
    """Yield the pilot or what is stated, the answer, the cells, and all that the plan rests on."""
    planned = document.planned
    if document.input is not None:
        yield Heading(document.input.path, phrases.input_line(document))
    else:
        yield Heading("stated values", _stated(document))
    yield AnswerLines(answer_lines(document))
    yield _table(document)
    facts = [
        *([("half", _halved(document)), *_basis(document)] if planned.details else []),
        ("epochs", _epochs(document)),
        ("check", _checked(document)),
        *([("near", f"truly within {brief(planned.within)} of the best one")] * planned.details),
        *(("" if n else "assumes", text) for n, text in enumerate(planned.assumptions)),
    ]
    yield Notes(notes_of(document), facts)


def _table(document: PlanEnvelope) -> BlockTable:
    """Return the cells, the chosen one marked; the wanted figure is next to the rows."""
    planned, digits = document.planned, _digits(document)
    columns = {
        "rows": TableColumn("samples", lambda cell: f"{cell.n_samples:,}", key=True),
        "configurations": TableColumn(
            "configurations", lambda cell: f"{cell.n_configurations:,}", key=True
        ),
        "width": TableColumn("width", lambda cell: difference_text(cell.width, document)),
        "optimism": TableColumn("optimism", lambda cell: optimism(cell, document)),
        "difference": TableColumn(
            "detectable", lambda cell: difference_text(cell.difference, document)
        ),
        "naive": TableColumn("apparent", lambda cell: digits.performance(cell.naive)),
        "honest": TableColumn("expected", lambda cell: digits.performance(cell.honest)),
        "near": TableColumn("near best", _near),
    }
    if len({cell.n_configurations for cell in planned.cells}) == 1:
        del columns["configurations"]
    if not planned.details:
        del columns["near"]
    if planned.chosen.difference is None:
        del columns["difference"]
    asked = [planned.wanted.target] if planned.wanted else []
    shown = [
        columns[name]
        for name in dict.fromkeys(("rows", "configurations", *asked, *columns))
        if name in columns
    ]
    cells = list(planned.cells)
    marked = cells.index(planned.chosen) if planned.chosen in cells and len(cells) > 1 else None
    return BlockTable.of(shown, cells, most=len(cells), marked=marked)


def _stated(document: PlanEnvelope) -> str:
    """The stated values, where there is no pilot."""
    planned, label = document.planned, phrases.metric_label(document.metric)
    n_all, expected = planned.n_configurations, _digits(document).performance(planned.expected)
    whose = f"the best of {n_all} configurations" if n_all > 1 else "a single configuration"
    parts = [f"expected {label} {expected} for {whose}"]
    if planned.prevalence is not None:
        parts.append(f"{percent(planned.prevalence)} positive")
    return ", ".join(parts)


def _near(cell: Cell) -> str:
    """Probability that the winner is near the best, where it is known."""
    known = cell.near_best is not None and isfinite(cell.near_best)
    return percent(cell.near_best, 0) if known else "unknown"


def csv_rows(documents: Sequence[Json]) -> tuple[Sequence[str], Iterator[Json]]:
    """Return columns, and a row per cell, the chosen one among them; numbers in full."""
    return OF_CSV, (row for document in documents for row in _rows(document))


def _rows(document: Json) -> Iterator[Json]:
    read, planned = document["input"], document["planned"]
    about = {
        "path": "" if read is None else read["path"],
        "metric": document["metric"],
        "level": document["plan"]["level"],
        "within": planned["within"],
    }
    cells, chosen = planned["cells"], planned["chosen"]
    for cell in cells if chosen in cells else [chosen, *cells]:
        yield about | cell | {"chosen": cell == chosen}


def _digits(document: PlanEnvelope) -> Digits:
    """Round performances to about half their standard error in the pilot."""
    planned = document.planned
    values = [getattr(cell, key) for cell in planned.cells for key in ("naive", "honest")]
    digits = phrases.digits_by(document.metric, values)
    error = planned.error * sqrt(
        planned.chosen.n_samples / (planned.n_samples or planned.chosen.n_samples)
    )
    if digits.power or not error > 0:
        return digits
    # of shares two at least, so that they differ where they are said to
    least = 2 if digits.bounds == (0.0, 1.0) else 0
    return replace(digits, decimals=max(ceil(-log10(error / 2)), least))


def difference_text(value: float | None, document: PlanEnvelope) -> str:
    """Write an optimism, a width or a spread: with a decimal more than the performances."""
    return _finer(value, document).difference(value, "unknown")


def _finer(value: float | None, document: PlanEnvelope) -> Digits:
    """Round a difference so that at least one digit is not 0, except by rounding."""
    digits, chosen = _digits(document), document.planned.chosen
    digits = digits if digits.power else replace(digits, decimals=digits.decimals + 1)
    noise = NOISE_TOLERANCE * max(abs(chosen.naive), abs(chosen.honest))
    if value and not digits.power and noise < abs(value) < 10.0**-digits.decimals:
        return Digits(ceil(-log10(abs(value))))
    return digits


def answer_lines(document: PlanEnvelope) -> list[str]:
    """Return the answer: rows, widths and what to expect."""
    return [_of_rows(document), _of_figures(document)]


def _winner(document: PlanEnvelope) -> str:
    n_configurations = document.planned.chosen.n_configurations
    if n_configurations == 1:
        return "a single configuration"
    return f"the winner of {count(n_configurations, 'configuration')}"


def _of_rows(document: PlanEnvelope) -> str:
    """Width that the rows give, or rows that are needed."""
    chosen, wanted = document.planned.chosen, document.planned.wanted
    level, rows = percent(document.plan.level), _n_rows(chosen.n_samples)
    interval = f"the {level} CI of {_winner(document)}"
    width = difference_text(chosen.width, document)
    if wanted is None:
        return f"With {rows}, {interval} is expected to be {width} wide."
    value, attainable = brief(wanted.value), difference_text(wanted.attainable, document)
    if wanted.target == "width":
        share = wanted.assurance
        often = "on average" if share is None else f"in {percent(share)} of studies"
        what = f"{interval} to be at most {value} wide {often}"
    elif wanted.target == "difference":
        often = f"in {percent(wanted.assurance or 0.0)} of studies"
        what = (
            f"a paired comparison at {level} to detect a difference of {value} between two "
            f"configurations named in advance {often}"
        )
    else:
        what = f"the optimism of {_winner(document)} to be at most {value}, on average"
    if wanted.n_samples is None:
        return (
            f"Not even {rows} are enough for {what}: the smallest attainable value is {attainable}."
        )
    return f"You need about {rows}{_range(document)} for {what}."


def _range(document: PlanEnvelope) -> str:
    """Range of the rows, as far as a pilot tells; in brackets."""
    wanted, of_pilot = document.planned.wanted, document.planned.n_samples
    if wanted is None or of_pilot is None or wanted.n_samples is None:
        return ""
    lower, upper = (about(n) for n in (wanted.n_samples_lower, wanted.n_samples_upper))
    if lower == upper:
        return ""
    if wanted.target == "optimism":
        return f" ({lower} may be enough: a pilot of {_n_rows(of_pilot)} can't rule it out)"
    return f" (a pilot of {_n_rows(of_pilot)} narrows this to {lower}-{upper})"


def about(number: int | None) -> str:
    """Write a number of rows with two digits.

    >>> about(1234), about(87)
    ('1,200', '87')
    """
    if number is None:
        return "over 1,000,000"
    power = max(len(str(number)) - 2, 0)
    return f"{round(number, -power):,}"


def _of_figures(document: PlanEnvelope) -> str:
    chosen = document.planned.chosen
    digits, label = _digits(document), phrases.metric_label(document.metric)
    honest = digits.performance(chosen.honest)
    if chosen.n_configurations == 1:
        return f"Nothing is selected, so its {label} needs no correction: expect about {honest}."
    whose = "its" if document.planned.chosen.difference is None else "the winner's"
    naive = digits.performance(chosen.naive)
    but = "and the same" if naive == honest else f"but {honest}"
    return (
        f"Expect {whose} apparent {label} to be {naive}, {but} on new data: an optimism of "
        f"{optimism(chosen, document)}."
    )


def optimism(cell: Cell, document: PlanEnvelope) -> str:
    """The optimism with its bracket, which has the same decimals."""
    digits = _finer(cell.optimism, document)
    lower, middle, upper = (
        digits.difference(bound, "unknown")
        for bound in (cell.optimism_lower, cell.optimism, cell.optimism_upper)
    )
    return middle if lower == upper else f"{middle} ({lower} to {upper})"


def _halved(document: PlanEnvelope) -> str:
    """Cost of half the configurations; empty for a single one."""
    halved = document.planned.halved
    if halved is None:
        return ""
    rows, chosen = halved.n_samples, document.planned.chosen.n_samples
    needed = f"{_n_rows(rows)} are enough; " if rows and rows < chosen else ""
    at = _n_rows(document.planned.chosen.n_samples)
    label = phrases.metric_label(document.metric)
    change = _signed(halved.honest_change, document)
    return (
        f"{count(halved.n_configurations, 'configuration')}: {needed}with {at} the expected "
        f"{label} changes by {change}, the optimism by {_signed(halved.optimism_change, document)}"
    )


def _epochs(document: PlanEnvelope) -> str:
    """Items against epochs; empty where nothing is known of them."""
    epochs = document.planned.epochs
    words = {1: "asked once", None: "however often"}
    parts = [
        f"{about(e.n_samples) if e.n_samples is None else f'{e.n_samples:,}'} "
        + words.get(e.n_epochs, f"asked {e.n_epochs} times")
        for e in epochs
    ]
    return f"items: {', '.join(parts)}" if parts else ""


def _signed(value: float | None, document: PlanEnvelope) -> str:
    if value is None:
        return "unknown"
    text = difference_text(value, document)
    return f"+{text}" if value > 0 and not text.startswith("-") else text


def _basis(document: PlanEnvelope) -> list[tuple[str, str]]:
    planned = document.planned
    expected = _digits(document).performance(planned.expected)
    source = "by BBC, from the pilot" if planned.n_samples else "as stated"
    n_configurations = count(planned.n_configurations, "configuration")
    chance = (
        f"standard error {difference_text(planned.error, document)} of a single performance, in "
    )
    chance += f"{_n_rows(planned.chosen.n_samples)}; correlation {fixed(planned.correlation, 2)}"
    if planned.prevalence is not None:
        chance += f"; positive {percent(planned.prevalence, 1)}"
    truth = ("truth", f"spread {difference_text(planned.spread, document)}")
    if planned.contenders is not None:
        near = "within three standard errors of the best one"
        truth = ("contenders", f"{planned.contenders} of {n_configurations}, {near}")
    return [
        ("expected", f"{expected} {source}, for the best of {n_configurations}"),
        ("chance", chance),
        truth,
    ]


def _checked(document: PlanEnvelope) -> str:
    """Result of the simulation; empty without one."""
    check = document.planned.check
    if check is None:
        return ""

    def figure(key: str) -> str:
        error = getattr(check, f"{key}_error") or 0.0
        decimals = 1 - floor(log10(error)) if error else 0
        figure = difference_text(getattr(check, key), document)
        return f"{figure} ± {Digits(max(decimals, 0)).difference(error)}"

    met, wanted, often = check.width_met, document.planned.wanted, ""
    if met is not None and wanted is not None:
        often = f", at most {brief(wanted.value)} in {percent(met, 0)} of them"
    near = f"{percent(check.near_best, 0)} near the best"
    return (
        f"{check.n_repeats} studies ({check.law}): optimism {figure('optimism')}, width "
        f"{figure('width')}{often}, {near}"
    )


def _n_rows(number: int) -> str:
    return f"{number:,} sample" + ("" if number == 1 else "s")
