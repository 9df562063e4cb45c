"""The content of a plan: the answer in two sentences, cells, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10

from bbccli.core.documents import Json
from bbccli.core.rounding import Digits, count, fixed, percent, short
from bbccli.planning.records import Cell
from bbccli.reports import phrases
from bbccli.reports.blocks import Block, BlockTable, Heading, Line, Notes, TableColumn, Wide
from bbccli.schema.plan import PlanEnvelope

COLUMNS = ("rows", "configurations", "naive", "honest", "too good by", "width", "near best")

OF_CSV = (
    *("path", "metric", "n_samples", "n_configurations", "naive", "honest"),
    *("optimism", "optimism_lower", "optimism_upper", "width", "level", "near_best", "within"),
    "chosen",
)


def blocks(document: PlanEnvelope) -> Iterator[Block]:
    """Yield the answer, the pilot, the cells, and all that the plan rests on."""
    yield Wide(Heading("Plan"))
    yield Line(answer(document), strong=True)
    if document.input is not None:
        yield Line(f"{document.input.path}   {phrases.understood(document)}")
    columns = [TableColumn(name, key=position < 2) for position, name in enumerate(COLUMNS)]
    cells = document.planned.cells
    yield BlockTable(columns, [_texts(cell, document) for cell in cells], most=len(cells))
    facts = [
        ("half", _halved(document)),
        *_basis(document),
        ("check", _checked(document)),
        ("near", f"truly within {short(document.planned.within)} of the best one"),
        *(("" if n else "assumed", text) for n, text in enumerate(document.planned.assumptions)),
    ]
    yield Notes(phrases.notes_of(document), facts)


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
    """How performances are written."""
    cells = document.planned.cells
    values = [getattr(cell, key) for cell in cells for key in ("naive", "honest")]
    found = phrases.digits_by(document.metric, values)
    # a difference that is shown beside them can be smaller than their third digit
    return found if found.power else Digits(max(found.decimals, 3), bounds=found.bounds)


def _difference(value: float | None, document: PlanEnvelope) -> str:
    """Write an optimism, a width or a spread: with the decimals of the performances."""
    digits = _digits(document)
    if value and not digits.power and abs(value) < 10.0**-digits.decimals:
        return Digits(ceil(-log10(abs(value)))).difference(value)  # one digit that is not 0
    return digits.difference(value, "unknown")


def answer(document: PlanEnvelope) -> str:
    """Return the answer in two sentences."""
    return f"{_of_rows(document)} {_of_figures(document)}"


def _winner(document: PlanEnvelope) -> str:
    n_configurations = document.planned.chosen.n_configurations
    if n_configurations == 1:
        return "a single configuration"
    return f"the winner of {count(n_configurations, 'configuration')}"


def _of_rows(document: PlanEnvelope) -> str:
    """Width that the rows give, or rows that are needed."""
    chosen, wanted = document.planned.chosen, document.planned.wanted
    level, rows = percent(document.plan.level), _n_rows(chosen.n_samples)
    interval = f"the {level} interval of {_winner(document)}"
    width = _difference(chosen.width, document)
    if wanted is None:
        return f"With {rows}, {interval} is expected to be {width} wide."
    value, attainable = short(wanted.value), _difference(wanted.attainable, document)
    if wanted.target == "width":
        what = f"{interval} to be at most {value} wide"
    else:
        what = f"{_winner(document)} to look at most {value} better than it is, on average"
    if wanted.n_samples is None:
        return f"Not even {rows} are enough for {what}: {attainable} is the smallest they give."
    return f"Plan {rows} for {what}."


def _of_figures(document: PlanEnvelope) -> str:
    """Expected score of the winner, and its worth."""
    chosen = document.planned.chosen
    digits, label = _digits(document), phrases.metric_label(document.metric)
    honest = digits.performance(chosen.honest)
    if chosen.n_configurations == 1:
        return f"Nothing is selected, so its {label} is honest as it is: expect about {honest}."
    return (
        f"Expect its {label} to look like {digits.performance(chosen.naive)} and to be "
        f"{honest} on new data: too good by {_optimism(chosen, document)}."
    )


def _optimism(cell: Cell, document: PlanEnvelope) -> str:
    """The optimism with its bracket."""
    lower, middle, upper = (
        _difference(getattr(cell, key), document)
        for key in ("optimism_lower", "optimism", "optimism_upper")
    )
    return middle if lower == upper else f"{middle} ({lower} to {upper})"


def _texts(cell: Cell, document: PlanEnvelope) -> list[str]:
    """One row of the table."""
    digits = _digits(document)
    return [
        f"{cell.n_samples:,}",
        f"{cell.n_configurations:,}",
        digits.performance(cell.naive),
        digits.performance(cell.honest),
        _optimism(cell, document),
        _difference(cell.width, document),
        percent(cell.near_best, 0),
    ]


def _halved(document: PlanEnvelope) -> str:
    """Cost of half the configurations; empty for a single one."""
    found = document.planned.halved
    if found is None:
        return ""
    needed = f"{_n_rows(found.n_samples)} are enough; " if found.n_samples else ""
    at = _n_rows(document.planned.chosen.n_samples)
    label = phrases.metric_label(document.metric)
    change = _signed(found.honest_change, document)
    return (
        f"{count(found.n_configurations, 'configuration')}: {needed}in "
        f"{at} honest {label} {change}, optimism {_signed(found.optimism_change, document)}"
    )


def _signed(value: float | None, document: PlanEnvelope) -> str:
    if value is None:
        return "unknown"
    text = _difference(value, document)
    return f"+{text}" if value > 0 and not text.startswith("-") else text


def _basis(document: PlanEnvelope) -> list[tuple[str, str]]:
    planned = document.planned
    expected = _digits(document).performance(planned.expected)
    noise = _pair(planned.noise, planned.noise_at_top, "tenth", document)
    spread = _pair(planned.spread, planned.spread_of_best, "quarter", document)
    rows = _n_rows(planned.chosen.n_samples)
    source = "by BBC, of the pilot" if planned.n_samples else "as stated"
    n_configurations = count(planned.n_configurations, "configuration")
    chance = f"{noise} relative to others, {_difference(planned.error, document)} alone, in {rows}"
    chance += f"; correlation {fixed(planned.correlation, 2)}"
    if planned.prevalence is not None:
        chance += f"; positive {percent(planned.prevalence, 1)}"
    return [
        ("expected", f"{expected} {source}, of the best of {n_configurations}"),
        ("chance", chance),
        ("truth", f"spread {spread}"),
    ]


def _pair(of_all: float, of_best: float, which: str, document: PlanEnvelope) -> str:
    whole, best = _difference(of_all, document), _difference(of_best, document)
    return whole if whole == best else f"{whole} (of the best {which} {best})"


def _checked(document: PlanEnvelope) -> str:
    """Result of the simulation; empty without one."""
    found = document.planned.check
    if found is None:
        return ""

    def figure(key: str) -> str:
        error = getattr(found, f"{key}_error") or 0.0
        decimals = 1 - floor(log10(error)) if error else 0
        figure = _difference(getattr(found, key), document)
        return f"{figure} +- {Digits(max(decimals, 0)).difference(error)}"

    near = f"{percent(found.near_best, 0)} near the best"
    return (
        f"{found.n_repeats} simulations ({found.law}): too good by {figure('optimism')}, "
        f"width {figure('width')}, {near}"
    )


def _n_rows(number: int) -> str:
    return f"{number:,} row" + ("" if number == 1 else "s")
