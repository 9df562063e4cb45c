"""What `bbc compare` says, as tables: the verdict first, then what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bbccli.documents import Document, Json
from bbccli.reports import compare_phrases as said
from bbccli.reports import phrases
from bbccli.reports.base import Style
from bbccli.reports.layout import Drawn, as_text, facts, listing_table, note_line, paragraph
from bbccli.reports.rank_table import ranks
from bbccli.rounding import Digits, percent
from bbccli.text import visible

MOST_MEMBERS = 10
"""Configurations listed, at most; CSV and JSON have all of them."""

MOST_PAIRS = 30
"""Comparisons listed, at most."""


def render(documents: Sequence[Document], style: Style) -> str:
    """Return one screen per document."""
    return "\n".join("\n".join(_sections(document, style)) for document in documents)


def _sections(document: Document, style: Style) -> Iterator[str]:
    yield paragraph(_head(document), style)
    if document["ranks"] is not None:
        yield from ranks(document, style)
    elif _is_selected(document):
        yield _drawn(_of_selected(document), style)
    elif document["comparisons"]:
        yield _tests(document, style)
    else:
        yield _members(document, style)
    closing = [note_line(note) for note in phrases.notes_of(document)]
    if document["gate"] is not None:
        text = said.requirement(document).removeprefix("gate ")
        closing.append(facts(gate=text))
    if closing:
        yield "".join(as_text(part, style) for part in closing)


def _head(document: Document) -> str:
    """What was read; with several data sets, how many."""
    n_sets = len(document["data_sets"])
    if n_sets:
        return f"{n_sets} data sets, {phrases.metric_label(document['metric'])}"
    return f"{visible(document['input']['path'])}   {phrases.understood(document)}"


def _is_selected(document: Document) -> bool:
    """Whether the first comparison is of a winner, and so the answer is a few lines."""
    comparisons = document["comparisons"]
    return bool(comparisons) and comparisons[0]["corrected"] is not None


def _of_selected(document: Document) -> dict[str, str]:
    """What is known of the winner against a baseline, or of two families."""
    first, digits = document["comparisons"][0], said.figures_of(document)
    lines = {
        "first": _side(first, "first", document, digits),
        "second": _side(first, "second", document, digits),
        "difference": said.difference(first, document, digits),
        "bound": said.bound(first, document, digits),
        "verdict": said.verdict(first, document),
        "others": _others(document),
        "set": _set_line(document),
    }
    return {name: text for name, text in lines.items() if text}


def _side(first: Json, which: str, document: Document, digits: Digits) -> str:
    label = phrases.metric_label(document["metric"])
    value = digits.performance(first[f"{which}_value"], missing="undefined")
    chosen = first[f"{which}_selected"]
    name = visible(first[which]) + (f": {visible(chosen)}" if chosen else "")
    return f"{name}   {label} {value}"


def _others(document: Document) -> str:
    """How the comparisons besides the first end."""
    verdicts = [one["verdict"] for one in document["comparisons"][1:]]
    if not verdicts:
        return ""
    counts = {name: verdicts.count(name) for name in said.VERDICTS}
    parts = [f"{n} {said.VERDICTS[name]}" for name, n in counts.items() if n]
    return f"{', '.join(parts)} (--format csv has each)"


def _set_line(document: Document) -> str:
    line = said.best_set(document)
    if not line:
        return ""
    names = [visible(name) for name in said.inside(document)]
    shown = ", ".join(names[: said.MOST_NAMES])
    return f"{line}: {shown}{', ...' if len(names) > said.MOST_NAMES else ''}"


def _drawn(lines: dict[str, str], style: Style) -> str:
    drawn: Drawn = facts(**lines)
    return as_text(drawn, style)


def _tests(document: Document, style: Style) -> str:
    """One row per test of a pair."""
    comparisons, digits = document["comparisons"], said.figures_of(document)
    pairs = {(one["first"], one["second"]) for one in comparisons}
    adjusted = any(one["p_adjusted"] is not None for one in comparisons)
    believed = any(one["beliefs"] is not None for one in comparisons)
    header = ["test"] if len(pairs) == 1 else ["first", "second", "test"]
    level = percent(document["plan"]["level"])
    header += ["difference", f"{level} interval", "statistic (df)", "p"]
    header += ["p adjusted"] if adjusted else []
    header += ["worse / equal / better"] if believed else []
    rows = []
    for one in comparisons[:MOST_PAIRS]:
        names = [] if len(pairs) == 1 else [visible(one["first"]), visible(one["second"])]
        row = [*names, one["test"], said.signed(one["difference"], digits)]
        row += [said.interval_text(one["interval"], digits), said.statistic(one)]
        row += [said.p_text(one["p"])]
        row += [said.p_text(one["p_adjusted"])] if adjusted else []
        row += [_beliefs(one["beliefs"])] if believed else []
        rows.append(row)
    figures = {*header} - {"test", "first", "second"}
    text = listing_table(header, rows, style, figures=figures)
    n_more = len(comparisons) - len(rows)
    more = f"and {n_more} more, see --format csv\n" if n_more else ""
    heads = _heads(document, digits, style) if len(pairs) == 1 else ""
    return f"{heads}{text}{more}"


def _heads(document: Document, digits: Digits, style: Style) -> str:
    """Both sides of the one pair."""
    first = document["comparisons"][0]
    lines = {
        which: _side(first, which, document, digits)
        for which in ("first", "second")
        if first[which]
    }
    return f"{_drawn(lines, style)}\n"


def _beliefs(beliefs: Json | None) -> str:
    if beliefs is None:
        return ""
    return " / ".join(f"{beliefs[name]:.3f}" for name in ("worse", "equal", "better"))


def _members(document: Document, style: Style) -> str:
    """The set that may hold the best: its size, and its first members."""
    members, digits = document["best_set"]["members"], said.figures_of(document)
    level = percent(document["plan"]["level"])
    header = ["configuration", phrases.metric_label(document["metric"])]
    header += ["to the winner", f"{level} interval", "p"]
    shown = [member for member in members if member["inside"]][:MOST_MEMBERS]
    rows = [
        [
            visible(member["configuration"]),
            digits.performance(member["performance"]),
            digits.difference(member["difference"]),
            f"{digits.performance(member['lower'])} to {digits.performance(member['upper'])}",
            said.p_text(member["p"]),
        ]
        for member in shown
    ]
    text = listing_table(header, rows, style, figures={*header[1:]})
    return f"{_drawn({'set': said.best_set(document)}, style)}\n{text}{_rest(document, len(rows))}"


def _rest(document: Document, n_shown: int) -> str:
    """How many configurations are not listed."""
    found = document["best_set"]
    n_more = found["n_inside"] - n_shown
    n_outside = len(found["members"]) - found["n_inside"]
    parts = [f"{n_more} more may be the best"] if n_more else []
    parts += [f"{n_outside} can't be"] if n_outside else []
    return f"{', '.join(parts)}: --format csv\n" if parts else ""
