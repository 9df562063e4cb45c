"""Families over several data sets: their ranks, and what each pair of them shows."""

from __future__ import annotations

from collections.abc import Iterator

from bbccli.compare_schema import CompareEnvelope
from bbccli.comparisons.records import Comparison, Contest, Ranks
from bbccli.reports import compare_phrases as said
from bbccli.reports import phrases
from bbccli.reports.base import Style
from bbccli.reports.layout import as_text, facts, listing_table
from bbccli.rounding import Digits
from bbccli.text import visible

RANK = Digits(2)

MOST_PAIRS = 30
"""Pairs listed, at most; CSV and JSON have all of them."""


def ranks(document: CompareEnvelope, found: Ranks, style: Style) -> Iterator[str]:
    """Yield the standings, the tests of all, and the pairs."""
    yield _standings(document, found, style)
    lines = _overall(found)
    if lines:
        yield as_text(facts(**lines), style)
    if found.pairs:
        yield _pairs(found, style)


def _standings(document: CompareEnvelope, found: Ranks, style: Style) -> str:
    performances = [one.performance for one in found.standings]
    digits = phrases.digits_by(document.metric, performances)
    header = ["family", "mean rank", phrases.metric_label(document.metric), "best on"]
    rows = [
        [
            visible(one.family),
            RANK.difference(one.mean_rank),
            digits.performance(one.performance),
            f"{one.wins} of {len(found.data_sets)}",
        ]
        for one in found.standings
    ]
    return listing_table(header, rows, style, figures={*header[1:]})


def _overall(found: Ranks) -> dict[str, str]:
    lines = {one.test: _test_of_all(one) for one in found.overall}
    if found.critical_difference is not None:
        lines["critical difference"] = f"{found.critical_difference:.2f} of mean ranks (Nemenyi)"
    alike = [" = ".join(map(visible, group)) for group in found.groups if len(group) > 1]
    if alike:
        lines["not told apart"] = "; ".join(alike)
    return lines


def _test_of_all(one: Comparison) -> str:
    if one.p is None:
        return "; ".join(visible(note.text) for note in one.notes) or "undefined"
    return f"{said.statistic(one)}, p {said.p_text(one.p)}"


def _pairs(found: Ranks, style: Style) -> str:
    """One row per pair: wins, ties and losses of the first, and the tests."""
    contests = {(one.first, one.second): one for one in found.contests}
    adjusted = any(one.p_adjusted is not None for one in found.pairs)
    header = ["first", "second", "win / tie / loss", "test", "p"]
    header += ["p adjusted"] if adjusted else []
    rows = []
    for one in found.pairs[:MOST_PAIRS]:
        row = [visible(one.first), visible(one.second)]
        row += [_contest(contests.get((one.first, one.second)))]
        row += [one.test, said.p_text(one.p)]
        rows.append(row + ([said.p_text(one.p_adjusted)] if adjusted else []))
    n_more = len(found.pairs) - len(rows)
    text = listing_table(header, rows, style, figures={*header[2:]} - {"test"}, keys=4)
    return f"{text}and {n_more} more, see --format csv\n" if n_more else text


def _contest(contest: Contest | None) -> str:
    if contest is None:
        return ""
    return f"{contest.wins} / {contest.ties} / {contest.losses}"
