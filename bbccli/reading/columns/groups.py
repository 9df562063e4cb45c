"""Columns of keys and of groups: their values recur, and are no predictions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from bbccli.errors import InputError, parameter
from bbccli.notes import of_metadata
from bbccli.platform.dataclass import dataclass
from bbccli.platform.text import pattern
from bbccli.reading.arrow import to_numbers, to_rows
from bbccli.reading.column import EXACT_INTEGERS, Column, first_rows, joint, repeated
from bbccli.reading.columns.glance import Glance
from bbccli.reading.roles import Hints
from bbccli.reading.sheet import WIDE, Sheet
from bbccli.reading.table import Table
from bbccli.types import IntArray, distinct

FEWEST_VALUES = 5
"""From this many values on, blocks of rows are not an accident."""

MOST_FOLDS = 10
"""Values up to which equal counts may be those of folds."""

FEWEST_ROWS = 20

_BY_CHANCE = np.log(1e-6)
"""Logarithm of the probability below which a coincidence is no accident."""

_SOME = 2048
"""Rows whose values tell whether a column has too few."""

_UNITS: Final = pattern(
    r"(?:.*[\W_])?(?:id|subj\w*|patient|participant|proband|person|user|speaker|animal|family|site"
    r"|group|cluster|case|session|scene|video|doc(?:ument)?)(?:[\W_]*(?:id|no|nr|num\w*|code|idx))?",
    re.IGNORECASE,
)
"""Names of what several rows are of."""


@dataclass(frozen=True, slots=True)
class _Recurring:
    """A column whose values recur among the N samples.

    name: of the column.
    counts (n_values,): rows of each.
    one_truth: the truth is constant within all values, beyond chance.
    in_blocks: the rows of each value follow each other.
    in_folds: the rows of each value are in one fold, beyond chance.
    """

    name: str
    counts: IntArray
    one_truth: bool
    in_blocks: bool
    in_folds: bool

    @property
    def even(self) -> bool:
        """True if all values have equally many rows."""
        return bool(self.counts.min() == self.counts.max())

    @property
    def is_key(self) -> bool:
        """True if the rows of a value seem to be one sample, predicted again."""
        return self.one_truth and self.even and not self.in_blocks and not self.in_folds

    @property
    def rows_of_each(self) -> str:
        """How many rows a value has, in words."""
        low, high = int(self.counts.min()), int(self.counts.max())
        return f"{len(self.counts)} values, each in {low}{f' to {high}' * (low < high)} rows"


def set_aside_groups(glance: Glance) -> Sheet:
    """Ask what values mean that recur with one truth each; doubt rows that recur with several.

    Such a column is no configuration. An excluded one is what it is: it is doubted as well.

    Seen: text or whole numbers that recur with one truth each, equally often, in rows that follow
      each other, or in one fold each; whole numbers that occur once with each value of such
    Means: keys of samples that are predicted several times, or what several samples are of, such as
      subjects of trials
    Done: not a configuration; with one truth each an error that asks for `--row-id` or `--group`,
      in a long table for a key alone; else a note
    """
    sheet = glance.sheet
    if sheet.layout != WIDE or sheet.n_samples < FEWEST_ROWS or "group" in sheet.roles:
        return sheet
    known = {r: c.take(sheet.first) for r, c in sheet.roles.items() if r in ("truth", "fold")}
    truth, fold = known.get("truth"), known.get("fold")
    fewest = _fewest(truth)
    recurring = list(_recurring(_candidates(sheet, fewest), sheet.first, truth, fold))
    if not recurring:
        return sheet
    cells = {cell.source for cell in sheet.cells}
    best = max(recurring, key=_clearest)
    if best.one_truth and best.name in cells:
        from bbccli.reading.advice import advice

        roles = {role: column.name for role, column in sheet.roles.items()}
        advised = advice(sheet.table, roles, Hints())
        long = f"give {advised} if each row belongs to one configuration; otherwise " * (
            "configuration" in advised.roles
        )
        raise _fault(sheet.table, best, sheet.first, roles, long)
    names = [group.name for group in recurring]
    whole = [c.source for c in sheet.cells if c.source in sheet.table.kinds.integers]
    names += [n for n in whole if n not in names and _is_crossed(sheet, best.name, n)]
    note = of_metadata.groups_likely(names, best.name, best.rows_of_each, sheet.n_samples)
    if best.is_key:
        about = best.name, best.rows_of_each, sheet.n_samples, len(best.counts)
        note = of_metadata.keys_likely(*about)
    left = sheet.without([cell.name for cell in sheet.cells if cell.source in names], note)
    # unless another problem comes first
    return left if len({cell.source in sheet.table.texts for cell in left.cells}) == 1 else sheet


def _is_crossed(sheet: Sheet, group: str, name: str) -> bool:
    """True if each value of a column occurs once with each of a group: a horizon with an origin."""
    codes = [sheet.table.column(n).take(sheet.first).codes()[0] for n in (group, name)]
    sizes = [int(part.max(initial=0)) + 1 for part in codes]
    crossed = min(sizes) > 1 and sizes[0] * sizes[1] == len(codes[0])
    return crossed and not len(repeated(joint(codes)))


def likely_group(table: Table, spare: Iterable[str], truth: Column | None) -> tuple[str, str]:
    """Return the column among some whose values recur most like groups, and how; else two empty
    texts.
    """
    columns = (table.column(name) for name in spare if name in table.kinds.discrete)
    recurring = _recurring(columns, np.arange(table.n_rows), truth, None)
    best = max(recurring, key=_clearest, default=None)
    return ("", "") if best is None else (best.name, best.rows_of_each)


def _clearest(group: _Recurring) -> tuple[int, ...]:
    return group.one_truth, group.in_folds, group.in_blocks, len(group.counts)


def _recurring(
    columns: Iterable[Column], rows: IntArray, truth: Column | None, fold: Column | None
) -> Iterator[_Recurring]:
    """Yield the columns whose values in some rows recur as those of keys or groups do."""
    fewest = _fewest(truth)
    for column in columns:
        group = _of(column.take(rows), truth, fold, fewest)
        if group is None:
            continue
        known = group.one_truth or column.is_text or not _rises(column)
        known = known or bool(_UNITS.fullmatch(column.name))
        even = group.even and group.counts[0] > 1 and len(group.counts) > MOST_FOLDS
        if group.one_truth or group.in_folds or even or (group.in_blocks and known):
            yield group


def _fewest(truth: Column | None) -> int:
    """Return the fewest values of a key or of groups: more than there are classes."""
    n_classes = 0 if truth is None else len(truth.codes()[1])
    is_class = truth is not None and (truth.is_text or n_classes <= FEWEST_ROWS)
    return max(FEWEST_VALUES, 1 + n_classes * is_class)


def _of(column: Column, truth: Column | None, fold: Column | None, least: int) -> _Recurring | None:
    """Return how the values of a column (n,) recur; None if they don't, or some are missing."""
    codes = column.codes()[0]
    n_values = int(codes.max(initial=-1)) + 1
    if codes.min(initial=0) < 0 or not least <= n_values <= len(codes) / 1.5:
        return None
    counts = np.bincount(codes)
    return _Recurring(
        column.name,
        counts,
        truth is not None and _constant_within(codes, counts, truth.codes()[0]),
        1 + np.count_nonzero(np.diff(codes)) == n_values,
        fold is not None
        and not len(fold.nulls)
        and _within_one(codes, counts, fold.named_codes()[0]),
    )


def refuse_key_of_long(
    table: Table, roles: Mapping[str, str], configuration: Sequence[str], spare: Sequence[str]
) -> None:
    """Refuse a long table without a key if a column without a role seems to be that.

    Otherwise each row of a configuration would count as a sample of its own.
    """
    if "truth" not in roles or "row_id" in roles:
        return
    rows = np.arange(table.n_rows)
    if configuration:
        whole = joint([table.column(name).codes()[0] + 1 for name in configuration])
        rows = np.flatnonzero(whole == whole[:1])
    if "repeat" in roles:
        _refuse_key_of_repeats(table, roles["repeat"], spare, rows)
        return
    truth = table.column(roles["truth"]).take(rows)
    fold = table.column(roles["fold"]).take(rows) if "fold" in roles else None
    for name in spare if len(rows) >= FEWEST_ROWS else ():
        if name in table.kinds.discrete:
            group = _of(table.column(name).take(rows), truth, fold, _fewest(truth))
            if group is not None and group.is_key:
                raise _fault(table, group, rows, roles)


def _refuse_key_of_repeats(table: Table, repeat: str, spare: Sequence[str], rows: IntArray) -> None:
    """Refuse a column that has the same values in each repeat, each once, in another order."""
    repeats = table.column(repeat).take(rows).codes()[0]
    size, rest = divmod(len(rows), 1 + int(repeats.max(initial=0)))
    for name in spare if size >= FEWEST_ROWS and not rest and len(rows) > size else ():
        if name not in table.kinds.discrete:
            continue
        keys = table.column(name).take(rows).codes()[0]
        once = int(keys.max()) + 1 == size and not len(repeated(joint([repeats, keys])))
        in_order = keys[np.argsort(repeats, kind="stable")]
        if once and (in_order != np.tile(in_order[:size], len(rows) // size)).any():
            raise table.fault(
                "has the same values in every repeat, each once, in another order, like the key of "
                "the samples",
                column=name,
                hint=f"give {parameter('row_id', name)}",
            )


def _fault(
    table: Table, group: _Recurring, rows: IntArray, roles: Mapping[str, str], long: str = ""
) -> InputError:
    """Return the error about a column that seems to be the key of samples, or groups of them; its
    hint names the folds too by which the key is unique, if they have no role.
    """
    key, folds = table.column(group.name).take(rows).codes()[0], ""
    for name in () if long or {"fold", "repeat"} & roles.keys() else table.names:
        if name != group.name and name in table.kinds.discrete:
            other = table.column(name).take(rows).codes()[0]
            n, unique = len(distinct(other)), not len(repeated(joint([key, other])))
            if unique and 1 < n < len(group.counts):
                # a repeat holds every sample, a fold only some
                role = "repeat" if n * len(group.counts) == len(rows) else "fold"
                folds = f" {parameter(role, name)}"
                break
    again = (
        f"give {parameter('row_id', group.name)}{folds} if rows with one value predict one sample "
        "again"
    )
    apart = f"{parameter('group', group.name)} if they belong to related samples"
    where = " of one repeat" if "repeat" in roles else ""
    return table.fault(
        f"{group.rows_of_each}{where}, and one truth each, like the key of the samples, or "
        "groups of them",
        column=group.name,
        hint=long + (f"{again}, {apart}" if group.is_key else f"{apart}, {again}"),
    )


def _candidates(sheet: Sheet, fewest: int) -> Iterator[Column]:
    """Yield the columns of text and of whole numbers that nobody named, excluded ones too."""
    free = sheet.free
    whole = [name for name in free if name in sheet.table.kinds.integers]
    some = np.arange(0, sheet.n_rows, -(-sheet.n_rows // _SOME))
    if whole and not sheet.table.on_disk:
        part = sheet.table.glance(whole, some)
        numbers = sheet.table.numbers(whole) if sheet.table.is_small else to_rows(part, np.float64)
        low, high = numbers.min(axis=1), numbers.max(axis=1)
        few = (high - low + 1 < fewest) & (np.maximum(-low, high) < EXACT_INTEGERS)
        whole = [name for name, recurs in zip(whole, few.tolist(), strict=True) if not recurs]
        whole = [name for name in whole if len(part.column(name).unique()) >= fewest]
    elif 2 * len(whole) > len(free):  # labels, which are not read twice
        whole = []
    for name in free:
        if name in sheet.table.texts or name in whole:
            yield sheet.table.column(name)


def _constant_within(codes: IntArray, counts: IntArray, truths: IntArray) -> bool:
    """True if truths (N,) are constant within values, which chance would not do."""
    if (truths < 0).any() or (truths[first_rows(codes)][codes] != truths).any():
        return False
    shares = np.bincount(truths) / len(truths)
    sizes, times = np.unique(counts, return_counts=True)
    by_chance = [np.log((shares**size).sum()) for size in sizes]
    return bool(times @ by_chance < _BY_CHANCE)


def _within_one(codes: IntArray, counts: IntArray, folds: IntArray) -> bool:
    """True if each fold (N,) holds several values in all their rows, which chance would not do."""
    names, folds = np.unique(folds, return_inverse=True)
    return 1 < len(names) < len(counts) and _constant_within(codes, counts, folds)


def _rises(column: Column) -> bool:
    steps = np.diff(to_numbers(column.values))
    return bool((steps >= 0).all() or (steps <= 0).all())
