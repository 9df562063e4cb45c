"""The page of the blocks of one result: of a comparison, a plan, what to drop, a leaderboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from bbccli.comparisons.across import TESTS as ACROSS
from bbccli.comparisons.pairs import TESTS as PAIRS
from bbccli.documents.compare import CompareEnvelope
from bbccli.platform.text import percent, redacted
from bbccli.reports import Style
from bbccli.reports import words as phrases
from bbccli.reports.content import Heading, blocks_of
from bbccli.reports.evidence import Evidence, Exhibit, Ranking
from bbccli.reports.figures import Absent, Drawn, draw
from bbccli.reports.figures.base import in_prose
from bbccli.reports.page.markup import Markup, whole_page
from bbccli.reports.page.sections import made_from, methods_section, sections
from bbccli.reports.words.comparison_sentences import is_selected, of_baseline

FIGURES = ("differences", "ranking", "cd")
"""For comparisons, the set of the best, and data sets."""

TITLES = {
    "compare": "Compared",
    "plan": "Sample size",
    "drop": "Dropping",
    "leaderboard": "Leaderboard",
}
"""First words of the title of a page, by the command."""


def render(documents: Sequence[Any], style: Style) -> str:
    """Return the page of the one document."""
    (document,) = documents
    return page_of_blocks(Exhibit(document))


def page_of_blocks(exhibit: Exhibit, title: str = "") -> str:
    """Return the page of one result.

    title: of the page; else it says what it shows.
    """
    document = exhibit.document
    head, *rest = blocks_of(document)
    about, name = "", ""
    if isinstance(head, Heading):
        name = in_prose(PurePath(redacted(head.text)).name)
        about = ". ".join([head.more, *head.lines])
    parts = sections(rest, figures_of(exhibit))
    parts += [_methods(document)] if isinstance(document, CompareEnvelope) else []
    title = title or f"{TITLES[document.command]}: {name}"
    return whole_page(title, about, [*parts, made_from(exhibit)])


def figures_of(exhibit: Exhibit) -> list[Drawn | Absent]:
    """Return the figures for the question asked."""
    document = exhibit.document
    if not isinstance(document, CompareEnvelope):
        return [draw("rows", exhibit)] if document.command == "plan" else []
    parts = (document.comparisons, document.best_set, document.ranks)
    best = document.best_set
    ranking = None if best is None else Ranking.of(document.metric, best)
    shown = replace(exhibit, evidence=Evidence(ranking=ranking))
    return [draw(kind, shown) for kind, part in zip(FIGURES, parts, strict=True) if part]


def _methods(document: CompareEnvelope) -> Markup:
    """Return a paragraph for the methods of a paper, and what to cite."""
    ranks = document.ranks
    run = document.comparisons if ranks is None else (*ranks.overall, *ranks.pairs)
    known = PAIRS if ranks is None else ACROSS
    tests = [name for name in dict.fromkeys(comparison.test for comparison in run) if name in known]
    others = [f"{name}: {text}" for name in tests if (text := known[name].reference)]
    keys = {
        "lei2020": document.best_set is not None,
        "westfall1993": of_baseline(document),
        "tsamardinos2018": is_selected(document) or ranks is not None,
        "demsar2006": ranks is not None,
        "benavoli2016": ranks is not None,
    }
    used = [key for key, is_used in keys.items() if is_used]
    return methods_section(" ".join(_sentences(document, tests)), used, others)


def _sentences(document: CompareEnvelope, tests: Sequence[str]) -> Iterator[str]:
    label, plan = phrases.metric_label(document.metric), document.plan
    level, names, read = percent(plan.level), ", ".join(tests), document.input
    if document.data_sets:
        yield f"Families were compared by {label} on {len(document.data_sets)} data sets."
    else:
        yield (
            f"Out-of-sample predictions of {phrases.configurations(read)} for "
            f"{phrases.samples(read)} were compared by {label}."
        )
    if of_baseline(document):
        yield (
            f"Bounds of the differences from {document.comparisons[0].second} hold for all "
            f"configurations at once at {level} (max-T of multipliers on influence values; "
            "Westfall & Young 1993)."
        )
    if is_selected(document):
        yield (
            "The difference was corrected for the selection by bootstrap bias correction: the "
            "selection was repeated in each resample, and scored out of the bag (Tsamardinos, "
            "Greasidou & Borboudakis 2018)."
        )
    if names and document.ranks is None:
        adjusted = document.comparisons[0].adjustment
        more = f", with p-values adjusted by {adjusted}" if adjusted else ""
        yield f"Configurations were compared by {names}{more}."
    if document.best_set is not None:
        yield (
            f"The confidence set includes the best configuration with a probability of {level} "
            "(cross-validation with confidence; Lei 2020); intervals of the performances hold for "
            "all configurations at once."
        )
    if document.ranks is not None:
        yield (
            "Families of several configurations were scored by their estimate corrected for the "
            "selection within them (Tsamardinos, Greasidou & Borboudakis 2018), families of one "
            f"configuration by its score; ranks were compared by {names} at {level} (Demšar 2006; "
            "Benavoli, Corani & Mangili 2016)."
        )
    yield f"Software: bbc {document.version}, seed {plan.seed}."
