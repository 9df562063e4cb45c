"""What `bbc compare` says, as tables: the verdict first, then what it rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bbccli.compare_schema import CompareEnvelope
from bbccli.comparisons.records import BestSet, Comparison, Verdict
from bbccli.reports import compare_phrases as said
from bbccli.reports import phrases
from bbccli.reports.base import Style
from bbccli.reports.layout import (
    add_notes,
    as_text,
    facts,
    grid_of_facts,
    listing_table,
    paragraph,
)
from bbccli.reports.rank_table import ranks
from bbccli.rounding import Digits, count, percent, short
from bbccli.text import visible

MOST_MEMBERS = 10
"""Configurations listed, at most; CSV and JSON have all of them."""

MOST_PAIRS = 30
"""Comparisons listed, at most."""


def render(documents: Sequence[CompareEnvelope], style: Style) -> str:
    """Return one screen per document."""
    return "\n".join("\n".join(_sections(document, style)) for document in documents)


def _sections(document: CompareEnvelope, style: Style) -> Iterator[str]:
    yield paragraph(_head(document), style)
    if document.ranks is not None:
        yield from ranks(document, document.ranks, style)
    elif said.is_selected(document):
        yield _drawn(_of_selected(document), style)
    elif document.comparisons:
        yield _tests(document, style)
    elif document.best_set is not None:
        yield _members(document, document.best_set, style)
    closing = add_notes(grid_of_facts(), said.notes(document), style)
    if document.gate is not None:
        closing.add_row("gate", said.requirement(document).removeprefix("gate "))
    if closing.row_count:
        yield as_text(closing, style)


def _head(document: CompareEnvelope) -> str:
    """What was read; with several data sets, how many."""
    n_sets = len(document.data_sets)
    if n_sets:
        return f"{count(n_sets, 'data set')}, {phrases.metric_label(document.metric)}"
    return f"{visible(document.input.path)}   {phrases.understood(document)}"


def _of_selected(document: CompareEnvelope) -> dict[str, str]:
    """What is known of the winner against a baseline, or of two families."""
    first, digits = document.comparisons[0], said.figures_of(document)
    lines = {
        **_heads(document, digits),
        "difference": said.difference(first, document, digits),
        "bound": said.bound(first, document, digits),
        "verdict": said.verdict(first, document),
        "others": _others(document),
        "set": _set_line(document),
    }
    return {name: text for name, text in lines.items() if text}


def _side(first: Comparison, which: str, document: CompareEnvelope, digits: Digits) -> str:
    label = phrases.metric_label(document.metric)
    value = digits.performance(getattr(first, f"{which}_value"), missing="undefined")
    chosen = getattr(first, f"{which}_selected")
    name = visible(getattr(first, which)) + (f": {visible(chosen)}" if chosen else "")
    return f"{name}   {label} {value}"


def _others(document: CompareEnvelope) -> str:
    """How the comparisons besides the first end."""
    verdicts = [one.verdict for one in document.comparisons[1:]]
    if not verdicts:
        return ""
    counts = {name: verdicts.count(Verdict(name)) for name in said.VERDICTS}
    parts = [f"{n} {said.VERDICTS[name]}" for name, n in counts.items() if n]
    return f"{', '.join(parts)} (--format csv has each)"


def _set_line(document: CompareEnvelope) -> str:
    line = said.best_set(document)
    if not line:
        return ""
    names = [visible(name) for name in said.inside(document)]
    shown = ", ".join(names[: said.MOST_NAMES])
    return f"{line}: {shown}{', ...' if len(names) > said.MOST_NAMES else ''}"


def _drawn(lines: dict[str, str], style: Style) -> str:
    return as_text(facts(**lines), style)


def _tests(document: CompareEnvelope, style: Style) -> str:
    """One row per test of a pair, or per pair."""
    comparisons = document.comparisons
    single = len({(one.first, one.second) for one in comparisons}) == 1
    columns = [*_columns(document, single=single)]
    rows = [[cell(one) for _, cell in columns] for one in comparisons[:MOST_PAIRS]]
    header = [name for name, _ in columns]
    names = [name for name in header if name in ("first", "second", "test")]
    text = listing_table(
        header, rows, style, figures={*header} - {*names}, whole={"test"}, keys=len(names)
    )
    n_more = len(comparisons) - len(rows)
    more = f"and {n_more} more, see --format csv\n" if n_more else ""
    digits, beliefs = said.figures_of(document), _beliefs(document)
    heads = _heads(document, digits) if single else {}
    start = f"{_drawn(heads, style)}\n" if heads else ""
    return f"{start}{text}{more}{_drawn(beliefs, style) if beliefs else ''}"


def _columns(
    document: CompareEnvelope, *, single: bool
) -> Iterator[tuple[str, Callable[[Comparison], str]]]:
    """Columns that say something, each with what it shows of a comparison."""
    comparisons, digits = document.comparisons, said.figures_of(document)
    if not single:
        yield "first", lambda one: visible(one.first)
        yield "second", lambda one: visible(one.second)
    yield "test", lambda one: one.test
    if any(one.difference is not None for one in comparisons):
        yield "difference", lambda one: said.signed(one.difference, digits)
    if any(one.interval is not None for one in comparisons):
        level = percent(document.plan.level)
        yield f"{level} interval", lambda one: said.interval_text(one.interval, digits)
    if single:
        yield "statistic (df)", said.statistic
    yield "p", lambda one: said.p_text(one.p)
    if any(one.p_adjusted is not None for one in comparisons):
        yield "p adjusted", lambda one: said.p_text(one.p_adjusted)


def _heads(document: CompareEnvelope, digits: Digits) -> dict[str, str]:
    """Both sides of the first comparison; several at once have none."""
    first = document.comparisons[0]
    return {
        name: _side(first, which, document, digits)
        for which, name in said.sides(document).items()
        if getattr(first, f"{which}_value") is not None
    }


def _beliefs(document: CompareEnvelope) -> dict[str, str]:
    """What the Bayesian tests say, a line for each."""
    found = {}
    for one in document.comparisons[:MOST_PAIRS]:
        beliefs = one.beliefs
        if beliefs is not None:
            parts = [
                f"{name} {percent(getattr(beliefs, name), 0)}"
                for name in ("worse", "equal", "better")
            ]
            within = f" (equal is within {short(beliefs.rope)})" if beliefs.rope else ""
            found[one.test] = f"{', '.join(parts)}{within}"
    return found


def _members(document: CompareEnvelope, found: BestSet, style: Style) -> str:
    """The set that may hold the best: its size, and its first members."""
    members, digits = found.members, said.figures_of(document)
    level = percent(document.plan.level)
    header = ["configuration", phrases.metric_label(document.metric)]
    header += ["to the winner", f"{level} interval", "p"]
    shown = [member for member in members if member.inside][:MOST_MEMBERS]
    rows = [
        [
            visible(member.configuration),
            digits.performance(member.performance),
            digits.difference(member.difference),
            said.interval_of_member(member, digits),
            said.p_text(member.p),
        ]
        for member in shown
    ]
    text = listing_table(header, rows, style, figures={*header[1:]})
    return f"{_drawn({'set': said.best_set(document)}, style)}\n{text}{_rest(found, len(rows))}"


def _rest(found: BestSet, n_shown: int) -> str:
    """How many configurations are not listed."""
    n_more = found.n_inside - n_shown
    n_outside = len(found.members) - found.n_inside
    parts = [f"{n_more} more may be the best"] if n_more else []
    parts += [f"{n_outside} can't be"] if n_outside else []
    return f"{', '.join(parts)}: --format csv\n" if parts else ""
