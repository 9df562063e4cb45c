"""What is worth saying about rows: how they are numbered, and that some seem to come again."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.notes import Note, listing


def row_numbers(names: Sequence[str]) -> Note:
    """Columns that number or name the rows."""
    return Note(
        "row-numbers",
        f"set aside as numbers or names of the rows: {listing(names)}",
        "nothing; or --row-id NAME if this is the key of the samples",
    )


def shuffled_numbers(names: Sequence[str]) -> Note:
    """A first column that could be row numbers of another order, or ranks."""
    return Note(
        "columns-ignored",
        f"set aside as row numbers in another order, each once: {listing(names)}",
        f"if it is a configuration, of ranks: --only {names[0]!r} --only '*'",
    )


def repeating_rows(what: str, period: int, times: int) -> Note:
    """Rows that seem to be repeats of a cross-validation under one another."""
    verb, n_rows = "repeats" if what == "truth" else "repeat", period * times
    return Note(
        "repeated-samples",
        f"the {what} {verb} every {period} samples, {times} times in all: if these are repeats of "
        f"a cross-validation, N is {period} instead of {n_rows}, and the interval is too narrow by "
        f"a factor of {times**0.5:.2f}",
        "tell the repeats apart by columns `repeat` (or --repeat COLUMN) and `row_id`",
    )


def copied_rows(times: int, *, grouped: bool) -> Note:
    """Rows that are there several times, under other ids."""
    unit = "group" if grouped else "row"
    return Note(
        "repeated-samples",
        f"every {unit} is there {times} times or a multiple of that, with the same truth and "
        f"predictions: if these are copies, the interval is too narrow by a factor of "
        f"{times**0.5:.2f}",
        "keep each sample once; rows of several repeats need columns `repeat` (or --repeat COLUMN) "
        "and `row_id`",
    )
