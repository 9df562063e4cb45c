"""What all reports of `bbc plan` say, in the same words."""

from __future__ import annotations

from math import ceil, floor, log10

from bbccli.plan_schema import PlanEnvelope
from bbccli.planning.records import Cell
from bbccli.reports import phrases
from bbccli.rounding import Digits, count, fixed, percent, short

HEADER = ("rows", "configurations", "naive", "honest", "too good by", "width", "near best")


def rows_text(number: int) -> str:
    """Number of rows, in groups of three digits."""
    return f"{number:,} row" + ("" if number == 1 else "s")


def performance_digits(document: PlanEnvelope) -> Digits:
    """How performances are written."""
    cells = document.planned.cells
    values = [getattr(cell, key) for cell in cells for key in ("naive", "honest")]
    found = phrases.digits_by(document.metric, values)
    # a difference that is shown beside them can be smaller than their third digit
    return found if found.power else Digits(max(found.decimals, 3), bounds=found.bounds)


def difference(value: float | None, document: PlanEnvelope) -> str:
    """Write an optimism, a width or a spread: with the decimals of the performances."""
    digits = performance_digits(document)
    if value and not digits.power and abs(value) < 10.0**-digits.decimals:
        return Digits(ceil(-log10(abs(value)))).difference(value)  # one digit that is not 0
    return digits.difference(value, "unknown")


def sentences(document: PlanEnvelope) -> list[str]:
    """The two sentences on top."""
    return [_of_rows(document), _of_figures(document)]


def _winner(document: PlanEnvelope) -> str:
    n_configurations = document.planned.chosen.n_configurations
    if n_configurations == 1:
        return "a single configuration"
    return f"the winner of {count(n_configurations, 'configuration')}"


def _of_rows(document: PlanEnvelope) -> str:
    """What the rows give, or how many are needed."""
    chosen, wanted = document.planned.chosen, document.planned.wanted
    level, rows = percent(document.plan.level), rows_text(chosen.n_samples)
    interval = f"the {level} interval of {_winner(document)}"
    width = difference(chosen.width, document)
    if wanted is None:
        return f"With {rows}, {interval} is expected to be {width} wide."
    value, attainable = short(wanted.value), difference(wanted.attainable, document)
    if wanted.target == "width":
        what = f"{interval} to be at most {value} wide"
    else:
        what = f"{_winner(document)} to look at most {value} better than it is, on average"
    if wanted.n_samples is None:
        return f"Not even {rows} are enough for {what}: {attainable} is the smallest they give."
    return f"Plan {rows} for {what}."


def _of_figures(document: PlanEnvelope) -> str:
    """What the winner will score, and what it will be worth."""
    chosen = document.planned.chosen
    digits, label = performance_digits(document), phrases.metric_label(document.metric)
    honest = digits.performance(chosen.honest)
    if chosen.n_configurations == 1:
        return f"Nothing is selected, so its {label} is honest as it is: expect about {honest}."
    return (
        f"Expect its {label} to look like {digits.performance(chosen.naive)} and to be "
        f"{honest} on new data: too good by {optimism(chosen, document)}."
    )


def optimism(cell: Cell, document: PlanEnvelope) -> str:
    """The optimism with its bracket."""
    lower, middle, upper = (
        difference(getattr(cell, key), document)
        for key in ("optimism_lower", "optimism", "optimism_upper")
    )
    return middle if lower == upper else f"{middle} ({lower} to {upper})"


def cell_texts(cell: Cell, document: PlanEnvelope) -> list[str]:
    """One row of the table."""
    digits = performance_digits(document)
    return [
        f"{cell.n_samples:,}",
        f"{cell.n_configurations:,}",
        digits.performance(cell.naive),
        digits.performance(cell.honest),
        optimism(cell, document),
        difference(cell.width, document),
        percent(cell.near_best, 0),
    ]


def halved(document: PlanEnvelope) -> str:
    """What half the configurations would cost; empty of a single one."""
    found = document.planned.halved
    if found is None:
        return ""
    needed = f"{rows_text(found.n_samples)} are enough; " if found.n_samples else ""
    at = rows_text(document.planned.chosen.n_samples)
    label = phrases.metric_label(document.metric)
    change = _signed(found.honest_change, document)
    return (
        f"{count(found.n_configurations, 'configuration')}: {needed}in "
        f"{at} honest {label} {change}, optimism {_signed(found.optimism_change, document)}"
    )


def _signed(value: float | None, document: PlanEnvelope) -> str:
    if value is None:
        return "unknown"
    text = difference(value, document)
    return f"+{text}" if value > 0 and not text.startswith("-") else text


def basis(document: PlanEnvelope) -> dict[str, str]:
    """What the plan rests on, a line for each name."""
    planned = document.planned
    expected = performance_digits(document).performance(planned.expected)
    noise = _pair(planned.noise, planned.noise_at_top, "tenth", document)
    spread = _pair(planned.spread, planned.spread_of_best, "quarter", document)
    rows = rows_text(planned.chosen.n_samples)
    source = "by BBC, of the pilot" if planned.n_samples else "as stated"
    n_configurations = count(planned.n_configurations, "configuration")
    prevalence = planned.prevalence
    return {
        "expected": f"{expected} {source}, of the best of {n_configurations}",
        "chance": f"{noise} relative to others, {difference(planned.error, document)} alone, in "
        f"{rows}; correlation {fixed(planned.correlation, 2)}"
        + ("" if prevalence is None else f"; positive {percent(prevalence, 1)}"),
        "truth": f"spread {spread}",
    }


def _pair(of_all: float, of_best: float, which: str, document: PlanEnvelope) -> str:
    whole, best = difference(of_all, document), difference(of_best, document)
    return whole if whole == best else f"{whole} (of the best {which} {best})"


def checked(document: PlanEnvelope) -> str:
    """What the simulation says; empty where none was asked for."""
    found = document.planned.check
    if found is None:
        return ""

    def figure(key: str) -> str:
        error = getattr(found, f"{key}_error") or 0.0
        decimals = 1 - floor(log10(error)) if error else 0
        figure = difference(getattr(found, key), document)
        return f"{figure} +- {Digits(max(decimals, 0)).difference(error)}"

    near = f"{percent(found.near_best, 0)} near the best"
    return (
        f"{found.n_repeats} simulations ({found.law}): too good by {figure('optimism')}, "
        f"width {figure('width')}, {near}"
    )


def near_words(document: PlanEnvelope) -> str:
    """What near the best means."""
    return f"near best: truly within {short(document.planned.within)} of the best one"
