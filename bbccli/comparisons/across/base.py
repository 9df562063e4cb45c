"""What a test over data sets is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bbccli.comparisons.across.table import Table
from bbccli.comparisons.records import Comparison
from bbccli.notes import Note, undefined_test
from bbccli.rounding import count


@dataclass(frozen=True, slots=True)
class AcrossTest:
    """A test of whether families perform alike over data sets.

    Parameters
    ----------
    name, label
        Name on the command line; what it does, in a word or two for the table.
    answer
        The function: a table in, comparisons out.
    overall
        Whether it is one test of all families, and not one of each pair.
    summary, reference
        For listings; the documentation is the docstring of the module.
    adjusts
        Whether its p-values allow for the number of pairs by themselves.
    """

    name: str
    label: str
    answer: Callable[[Table], list[Comparison]]
    overall: bool
    summary: str
    reference: str
    adjusts: bool = False


def too_few(test: str, table: Table, data_sets: int, families: int) -> Note | None:
    """Return the reason where there are fewer data sets, or families, than a test takes."""
    if table.n_families < families:
        why = f"there are {table.n_families} families, and it takes {families} or more"
        return undefined_test(test, why, "wilcoxon, for two")
    if table.n_data_sets < data_sets:
        why = f"{count(table.n_data_sets, 'data set')} given, and it takes {data_sets} or more"
        return undefined_test(test, why, "more data sets")
    return None
