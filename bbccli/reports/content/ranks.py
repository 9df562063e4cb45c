"""The content of ranks over data sets: the standings, the tests of all, and the pairs."""

from __future__ import annotations

from collections.abc import Iterator

from bbccli.comparisons.records import Comparison, Ranks
from bbccli.core.notes import listing
from bbccli.core.rounding import Digits, trimmed
from bbccli.reports import phrases
from bbccli.reports.blocks import Block, BlockTable, FactList, TableColumn, Wide
from bbccli.reports.figures.base import name_of

LEAST_P = 0.001
"""Smaller p-values are not told apart in words."""

WHY = {
    "friedman": "friedman is corrected for ties",
    "iman-davenport": "iman-davenport is less conservative with few data sets or families",
    "wilcoxon": "wilcoxon ranks zeros (Pratt) and, unlike mean ranks, does not depend on which "
    "others are compared",
    "nemenyi": "nemenyi compares mean ranks, which depend on the others",
}
"""Which definition a test over data sets has, and why it is chosen."""

RANK = Digits(2)


def of_ranks(ranks: Ranks) -> Iterator[Block]:
    """Yield the standings, the tests of all families at once, and those of pairs."""
    yield standings(ranks)
    distance, tests = "", dict.fromkeys(one.test for one in (*ranks.overall, *ranks.pairs))
    if ranks.critical_difference is not None:
        distance = f"{ranks.critical_difference:.2f} of mean ranks (Nemenyi)"
    yield FactList(
        [
            *((one.test, _test_of_all(one)) for one in ranks.overall),
            ("critical difference", distance),
            ("not told apart", "; ".join(map(" = ".join, ranks.groups))),
            ("tests", "; ".join(WHY[name] for name in tests if name in WHY)),
        ]
    )
    yield _pairs(ranks) if ranks.pairs else Wide(_pairs(ranks))


def standings(ranks: Ranks) -> BlockTable:
    """Return the families by their mean ranks."""
    digits = phrases.digits_by(ranks.metric, [one.performance for one in ranks.standings])
    label = phrases.metric_label(ranks.metric)
    return BlockTable.of(
        [
            TableColumn("family", lambda one: one.family, text=True),
            TableColumn("mean rank", lambda one: RANK.difference(one.mean_rank)),
            TableColumn(label, lambda one: digits.performance(one.performance)),
            TableColumn("best on", lambda one: f"{one.wins} of {len(ranks.data_sets)}"),
        ],
        ranks.standings,
        most=len(ranks.standings),
        title="Mean ranks",
        figure="cd",
    )


def _test_of_all(one: Comparison) -> str:
    if one.p is None:
        return "; ".join(note.text for note in one.notes) or "undefined"
    return f"{statistic(one)}, p {p_text(one.p)}"


def _pairs(ranks: Ranks) -> BlockTable:
    """One row per test of a pair, or per pair, with the wins, ties and losses of the first."""
    contests = {
        (one.first, one.second): f"{one.wins} / {one.ties} / {one.losses}" for one in ranks.contests
    }
    columns = [
        TableColumn("first", lambda one: one.first, text=True, key=True),
        TableColumn("second", lambda one: one.second, text=True, key=True),
        TableColumn(
            "win / tie / loss", lambda one: contests.get((one.first, one.second), ""), key=True
        ),
    ]
    if not ranks.pairs:
        return BlockTable.of(columns, ranks.contests, title="Wins")
    columns += [
        TableColumn("test", lambda one: one.test, text=True, key=True),
        TableColumn("statistic (df)", statistic, wide=True),
        TableColumn("p", lambda one: p_text(one.p)),
        TableColumn("p adjusted", lambda one: p_text(one.p_adjusted), optional=True),
    ]
    return BlockTable.of(columns, ranks.pairs, title="Tests")


def leader(ranks: Ranks) -> str:
    """Return which family has the best mean rank over data sets, and who is not told from it."""
    first, n_all = ranks.standings[0], len(ranks.standings)
    rank = RANK.difference(first.mean_rank, "undefined")
    text = f"{name_of(first.family)} has the best mean rank, {rank} of {n_all}"
    if not ranks.pairs:
        return f"{text}; no pairs were tested"
    groups = [group for group in ranks.groups if first.family in group]
    alike = [name_of(name) for group in groups for name in group if name != first.family]
    if not alike:
        return f"{text}; it is told apart from the next one"
    return f"{text}; it is not told apart from {listing(alike)}"


def statistic(comparison: Comparison) -> str:
    """Return the statistic of a test with its degrees of freedom."""
    value = comparison.statistic
    if value is None:
        return ""
    df = ", ".join(trimmed(f"{one:.1f}") for one in comparison.df)
    return f"{value:.3g} ({df})" if df else f"{value:.3g}"


def p_text(p: float | None) -> str:
    """Return a p-value with its sign of relation; empty where it is undefined.

    Examples
    --------
    >>> p_text(0.0304), p_text(0.00004), p_text(1.0), p_text(None)
    ('0.030', '< 0.001', '1.000', '')
    """
    if p is None:
        return ""
    return f"< {LEAST_P:g}" if p < LEAST_P else f"{p:.3f}"
