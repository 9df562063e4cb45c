"""The content of ranks over data sets: the standings, the tests of all, and the pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bbccli.comparisons.records import Comparison, Ranks
from bbccli.documents.correct import Input
from bbccli.notes import listing
from bbccli.platform.text import Digits, trimmed
from bbccli.reports import words as phrases
from bbccli.reports.content import Block, BlockTable, NotOnTerminal, TableColumn
from bbccli.reports.figures.base import in_prose

LEAST_P = 0.001
"""Smaller p-values share one wording."""

WHY = {
    "friedman": "friedman is corrected for ties",
    "iman-davenport": "iman-davenport is less conservative with few data sets",
    "wilcoxon": "wilcoxon ranks zeros (Pratt) and, unlike mean ranks, does not depend on which "
    "others are compared",
    "nemenyi": "nemenyi compares mean ranks, which depend on the others",
}
"""Definition of each test over data sets, and the reason to choose it."""

RANK = Digits(2)

MOST_ALIKE = 3
"""Most names in the answer of those that do not differ from the best."""


def of_ranks(ranks: Ranks, data_sets: Sequence[Input]) -> Iterator[Block]:
    """Yield the standings, and the tests of pairs."""
    yield by_mean_rank(ranks, data_sets)
    yield _pairs(ranks) if ranks.pairs else NotOnTerminal(_pairs(ranks))


def test_facts(ranks: Ranks) -> list[tuple[str, str]]:
    """Return the tests of all, those that do not differ, and the reason for the tests."""
    distance, tests = "", dict.fromkeys(c.test for c in (*ranks.overall, *ranks.pairs))
    if ranks.critical_difference is not None:
        distance = f"{ranks.critical_difference:.2f} of mean ranks (Nemenyi)"
    # the answer says it where no two are told apart
    groups = [group for group in ranks.groups if len(group) < len(ranks.standings)]
    return [
        *((comparison.test, _test_of_all(comparison)) for comparison in ranks.overall),
        ("critical difference", distance),
        ("no difference", "; ".join(listing(group) for group in groups)),
        ("tests", "; ".join(WHY[name] for name in tests if name in WHY)),
    ]


def by_mean_rank(ranks: Ranks, data_sets: Sequence[Input]) -> BlockTable:
    """Return the families, or the configurations, by their mean ranks."""
    configurations = {name for source in data_sets for name in source.configurations}
    of_families = any(standing.family not in configurations for standing in ranks.standings)
    noun = "family" if of_families else "configuration"
    digits = phrases.digits_by(ranks.metric, [standing.performance for standing in ranks.standings])
    label = phrases.metric_label(ranks.metric)
    return BlockTable.of(
        [
            TableColumn(noun, lambda row: row.family, text=True),
            TableColumn("mean rank", lambda row: RANK.difference(row.mean_rank)),
            TableColumn(label, lambda row: digits.performance(row.performance)),
            TableColumn("best on", lambda row: f"{row.wins} of {len(ranks.data_sets)}"),
        ],
        ranks.standings,
        marked=0,
        title="Mean ranks",
        figure="cd",
    )


def _test_of_all(comparison: Comparison) -> str:
    if comparison.p is None:
        return "; ".join(note.text for note in comparison.notes) or "undefined"
    return f"{statistic(comparison)}, p {p_text(comparison.p)}"


def _pairs(ranks: Ranks) -> BlockTable:
    """One row per test of a pair, or per pair, with the wins, ties and losses of the first."""
    contests = {
        (contest.first, contest.second): f"{contest.wins} / {contest.ties} / {contest.losses}"
        for contest in ranks.contests
    }
    columns = [
        *PAIR,
        TableColumn(
            "win / tie / loss", lambda row: contests.get((row.first, row.second), ""), key=True
        ),
    ]
    if not ranks.pairs:
        return BlockTable.of(columns, ranks.contests, title="Wins")
    columns += [
        TableColumn("test", lambda row: row.test, text=True, key=True),
        TableColumn("statistic (df)", statistic, wide=True),
        *P_VALUES,
    ]
    place = {standing.family: n for n, standing in enumerate(ranks.standings)}
    order = sorted(
        ranks.pairs,
        key=lambda pair: (
            1.0 if pair.p is None else pair.p,
            *sorted((place[pair.first], place[pair.second])),
        ),
    )
    return BlockTable.of(columns, order, title="Tests")


def best_by_rank(ranks: Ranks) -> str:
    """Return the best by mean rank over data sets, and those that do not differ from it."""
    first, n_all = ranks.standings[0], len(ranks.standings)
    rank = RANK.difference(first.mean_rank, "undefined")
    best = [in_prose(one.family) for one in ranks.standings if one.mean_rank == first.mean_rank]
    verb, it = ("has", "it") if len(best) == 1 else ("share", best[0])
    text = f"{listing(best, MOST_ALIKE)} {verb} the best mean rank, {rank} of {n_all}"
    if not ranks.pairs:
        return f"{text}; no pairs were tested"
    groups = [group for group in ranks.groups if first.family in group]
    alike = [in_prose(name) for group in groups for name in group if name != first.family]
    if not alike:
        return f"{text}; {it} differs significantly from the next one"
    if MOST_ALIKE < len(alike) == n_all - 1:
        return f"{text}; {it} cannot be distinguished from any of the other {len(alike)}"
    return f"{text}; {it} cannot be distinguished from {listing(alike, MOST_ALIKE)}"


def statistic(comparison: Comparison) -> str:
    """Return the statistic of a test with its degrees of freedom."""
    value = comparison.statistic
    if value is None:
        return ""
    df = ", ".join(trimmed(f"{value:.1f}") for value in comparison.df)
    return f"{value:.3g} ({df})" if df else f"{value:.3g}"


def p_text(p: float | None) -> str:
    """Return a p-value with its sign of relation; empty where it is undefined.

    >>> p_text(0.0304), p_text(0.00004), p_text(1.0), p_text(None)
    ('0.030', '< 0.001', '1.000', '')
    """
    if p is None:
        return ""
    return f"< {LEAST_P:g}" if p < LEAST_P else f"{p:.3f}"


PAIR = (
    TableColumn("first", lambda row: row.first, text=True, key=True),
    TableColumn("second", lambda row: row.second, text=True, key=True),
)
P_VALUES = (
    TableColumn("p", lambda row: p_text(row.p)),
    TableColumn("p adjusted", lambda row: p_text(row.p_adjusted)),
)
"""Columns of every table of tests."""
