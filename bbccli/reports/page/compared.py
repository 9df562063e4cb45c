"""The page of a comparison: the verdict, what it rests on, figures, tables, and how it was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath

from bbccli.compare_schema import CompareEnvelope
from bbccli.comparisons.records import Comparison, Contest, Ranks
from bbccli.evidence.records import Evidence, Ranked, Ranking
from bbccli.reports import compare_phrases as said
from bbccli.reports import phrases
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures import Absent, Drawn, draw
from bbccli.reports.figures.base import name_of
from bbccli.reports.figures.differences import of_baseline
from bbccli.reports.page.compared_methods import methods_of_comparison
from bbccli.reports.page.figures import absent_section, figure_section
from bbccli.reports.page.markup import Markup, section, table, tag
from bbccli.reports.page.provenance import made_from
from bbccli.reports.page.verdict import notes_section
from bbccli.reports.page.whole import whole
from bbccli.rounding import Digits, count, percent
from bbccli.text import redacted, visible
from bbccli.types import Interval

MOST_ROWS = 200
"""Rows of a table; the rest are counted."""


def page_of_comparison(exhibit: Exhibit, title: str = "") -> str:
    """Return one page of what `bbc compare` says, with a title of its own if none is given."""
    document = exhibit.document
    n_sets = len(document.data_sets)
    sets = count(n_sets, "data set")
    of_sets = f"{sets}, {phrases.metric_label(document.metric)}"
    about = of_sets if n_sets else phrases.understood(document)
    name = name_of(PurePath(redacted(document.input.path)).name)
    parts = [
        _verdict(document),
        _facts(document),
        notes_section(said.notes(document)),
        _figures(exhibit),
        _tests(document),
        _contests(document),
        methods_of_comparison(document),
        made_from(exhibit),
    ]
    return whole(title or f"Compared: {sets if n_sets else name}", about, parts)


def _verdict(document: CompareEnvelope) -> Markup:
    """The answer in one sentence, and what the gate found."""
    lines = [tag("p", tag("strong", f"{said.answer(document)}."))]
    if document.gate is not None:
        verdict = said.requirement(document)
        lines.append(tag("p", f"{verdict[0].upper()}{verdict[1:]}."))
    return tag("div", *lines, class_="verdict")


def _facts(document: CompareEnvelope) -> Markup:
    """What the verdict rests on, a line for each."""
    lines: dict[str, str] = {}
    if document.comparisons:
        lines |= _of_first(document)
    if document.best_set is not None:
        names = said.inside(document)
        more = ", ..." if len(names) > said.MOST_NAMES else ""
        shown = ", ".join(names[: said.MOST_NAMES])
        lines["set"] = f"{said.best_set(document)}: {shown}{more}"
    if document.ranks is not None:
        lines |= _of_ranks(document.ranks)
    rows = [(name, text) for name, text in lines.items() if text]
    if not rows:
        return Markup()
    found = table("What the verdict rests on", ("what", "value"), rows)
    return section("Facts", "facts", tag("div", found, class_="words"))


def _of_first(document: CompareEnvelope) -> dict[str, str]:
    first, digits = document.comparisons[0], said.figures_of(document)
    lines = {
        name: _side(first, which, document, digits) for which, name in said.sides(document).items()
    }
    if first.difference is not None:
        lines["difference, as measured"] = said.signed(first.difference, digits)
    if first.corrected is not None:
        lines["difference, corrected"] = said.signed(first.corrected, digits)
        lines["interval of the corrected one"] = _interval(first.interval, digits)
    lines["bound"] = said.bound(first, document, digits)
    if first.bound is None and first.p is not None:
        lines["test"] = f"{first.test}, p {said.p_text(first.p)}"
    lines["verdict"] = said.verdict(first, document)
    return lines


def _side(first: Comparison, which: str, document: CompareEnvelope, digits: Digits) -> str:
    chosen = getattr(first, f"{which}_selected")
    name = f"{getattr(first, which)}: {chosen}" if chosen else str(getattr(first, which))
    value = getattr(first, f"{which}_value")
    if value is None:
        return name
    return f"{name}, {phrases.metric_label(document.metric)} {digits.performance(value)}"


def _interval(interval: Interval | None, digits: Digits) -> str:
    if interval is None:
        return ""
    return f"{said.interval_text(interval, digits)} ({percent(interval.level)})"


def _of_ranks(ranks: Ranks) -> Mapping[str, str]:
    lines = {
        one.test: f"{said.statistic(one)}, p {said.p_text(one.p)}"
        for one in ranks.overall
        if one.p is not None
    }
    if ranks.critical_difference is not None:
        lines["critical difference"] = f"{ranks.critical_difference:.2f} of mean ranks (Nemenyi)"
    groups = [" = ".join(map(name_of, group)) for group in ranks.groups]
    lines["not told apart"] = "; ".join(groups)
    return lines


def figures_of(exhibit: Exhibit) -> list[Drawn | Absent]:
    """Return the figures that fit what was asked."""
    document = exhibit.document
    kinds = ["differences"] if document.comparisons else []
    kinds += ["ranking"] if document.best_set is not None else []
    kinds += ["cd"] if document.ranks is not None else []
    shown = replace(exhibit, evidence=Evidence(ranking=ranking_of(document)))
    return [draw(kind, shown) for kind in kinds]


def _figures(exhibit: Exhibit) -> Markup:
    found = figures_of(exhibit)
    parts = [figure_section(one, one.kind) for one in found if isinstance(one, Drawn)]
    absent = absent_section([one for one in found if isinstance(one, Absent)], "")
    return Markup("".join([*parts, absent]))


def ranking_of(document: CompareEnvelope) -> Ranking | None:
    """Return the members of the set as a ranking."""
    found = document.best_set
    if found is None:
        return None
    rows = tuple(
        Ranked(
            one.configuration,
            one.performance,
            one.lower,
            one.upper,
            None if one.p is None else one.inside,
        )
        for one in found.members
        if one.performance is not None
    )
    return Ranking(document.metric, rows, len(found.members), found.level)


def _tests(document: CompareEnvelope) -> Markup:
    """Every test that was run, but for those of a figure with a table of its own."""
    ranks = document.ranks
    found = ranks.pairs if ranks is not None else document.comparisons
    tested = any(one.p is not None or one.beliefs is not None for one in found)
    if not tested or of_baseline(document):
        return Markup()
    columns = ["comparison", "test", "statistic (df)", "p", "p adjusted"]
    with_beliefs = any(one.beliefs is not None for one in found)
    columns += ["worse, equal, better"] if with_beliefs else []
    rows = [
        [
            _pair(one),
            one.test,
            said.statistic(one) or "none",
            said.p_text(one.p) or "none",
            said.p_text(one.p_adjusted) or "none",
            *([_belief(one)] if with_beliefs else []),
        ]
        for one in found[:MOST_ROWS]
    ]
    return section("Tests", "tests", table("All tests", columns, rows), _rest(len(found)))


def _pair(one: Comparison | Contest) -> str:
    names = [visible(one.first), *([visible(one.second)] if one.second else [])]
    return " - ".join(names)


def _rest(n_all: int) -> Markup:
    more = n_all - MOST_ROWS
    return tag("p", f"{more} more are not listed.", class_="quiet") if more > 0 else Markup()


def _belief(one: Comparison) -> str:
    beliefs = one.beliefs
    if beliefs is None:
        return "none"
    return ", ".join(percent(getattr(beliefs, name), 0) for name in ("worse", "equal", "better"))


def _contests(document: CompareEnvelope) -> Markup:
    """Wins, ties and losses of each pair of families."""
    ranks = document.ranks
    if ranks is None or not ranks.contests:
        return Markup()
    rows = [
        (
            _pair(one),
            *(str(getattr(one, name)) for name in ("wins", "ties", "losses")),
        )
        for one in ranks.contests[:MOST_ROWS]
    ]
    columns = ("families", "data sets won by the first", "tied", "lost")
    return section(
        "Wins and losses",
        "contests",
        table("On how many data sets", columns, rows),
        _rest(len(ranks.contests)),
    )
