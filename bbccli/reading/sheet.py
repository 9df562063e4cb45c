"""The common form of wide and long tables, and the problems that its steps find."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from bbccli.domain.matrix import SampleKeys, Unfinished, Vault
from bbccli.domain.source import LeftOut
from bbccli.errors import BbcError, InputError
from bbccli.notes import Note
from bbccli.platform.dataclass import dataclass
from bbccli.reading.arrow import null_mask
from bbccli.reading.column import Column
from bbccli.reading.metadata import Metadata
from bbccli.reading.table import PredictionColumn, Table
from bbccli.types import BoolArray, FloatArray, IntArray

WIDE = "wide"
"""The layout that no dialect recognises: one column per configuration."""
RUN = "run"
"""The layout of predictions whose reader knows roles, configurations and classes."""


def _none() -> IntArray:
    return np.empty((0, 0), np.int64)


@dataclass(frozen=True)
class Sheet:
    """Predictions with one row per repeat and sample, whatever the layout of their table.

    The steps of reading fill it one after another.

    Parameters
    ----------
    table
        Table of the predictions.
    layout
        Name of the layout or dialect.
    n_rows
        Rows of the sheet.
    roles : (n_rows,) each
        Columns by role. In nested cross-validation `fold` is the outer fold once rows have their
        places, and `inner_fold` is empty in rows of test samples.
    cells
        Predictions, in the order of the table.
    metadata
        Metadata of the files.
    spare
        Columns set aside although their names could mean a role.
    notes
        Notes of the steps so far.
    named
        Configurations named by hand.
    left_out
        Configurations excluded by a flag.
    n_excluded
        Number of configurations excluded by an option.
    by_position
        Files whose rows were matched by position, for lack of a key.
    rows : (R, N)
        From `place`: row of each sample in each repeat, -1 if the repeat lacks the sample.
    samples : (n_rows,)
        From `place`: sample of each row, numbered in order of first appearance.
    first : (N,)
        From `place`: first row of each sample.
    keys : (N,)
        From `place`: names of the samples; their numbers without a key.
    usable : (n_usable,)
        From `sample_columns`: numbers of the usable samples.
    of_samples : (n_usable,) each
        From `sample_columns`: truth, time, event, group and weight.
    weights : (n_usable,), optional
        From `sample_columns`: sample weights.
    rounding
        From `sample_columns`: largest relative difference of values of one sample, by role.
    unfinished
        From `narrow`: progress of an unfinished cross-validation.
    scored
        True for scores without a truth, whose repeats are epochs of an evaluation.
    unpredicted, n_unpredicted
        From `rows`: notes on rows that were filled with a value, now missing; and the number of
        samples that no configuration predicted.
    vault
        Rows that took no part in the search.
    forecasts
        True if the folds are the origins of forecasts, so that groups span them.
    """

    table: Table
    layout: str
    n_rows: int
    roles: Mapping[str, Column]
    cells: tuple[PredictionColumn, ...]
    metadata: Metadata
    spare: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    named: frozenset[str] = frozenset()
    left_out: tuple[LeftOut, ...] = ()
    n_excluded: int = 0
    by_position: tuple[str, ...] = ()
    rows: IntArray = field(default_factory=_none)
    samples: IntArray = field(default_factory=_none)
    first: IntArray = field(default_factory=_none)
    keys: SampleKeys = field(default_factory=lambda: SampleKeys(_none()))
    usable: IntArray = field(default_factory=_none)
    of_samples: Mapping[str, Column] = field(default_factory=dict)
    weights: FloatArray | None = None
    rounding: Mapping[str, float] = field(default_factory=dict)
    unfinished: Unfinished | None = None
    scored: bool = False
    unpredicted: tuple[Note, ...] = ()
    n_unpredicted: int = 0
    vault: Vault | None = None
    forecasts: bool = False

    def of_rows(self, rows: IntArray) -> Sheet:
        """Return the sheet of some rows, before they have their places."""
        cells = (replace(c, rows=rows if c.rows is None else c.rows[rows]) for c in self.cells)
        roles = {role: column.take(rows) for role, column in self.roles.items()}
        return replace(self, n_rows=len(rows), roles=roles, cells=tuple(cells))

    @property
    def path(self) -> str:
        """File, for messages."""
        return self.table.path

    @property
    def fault(self) -> Callable[..., InputError]:
        """Return an error about the table."""
        return self.table.fault

    @property
    def n_repeats(self) -> int:
        """R."""
        return len(self.rows)

    @property
    def n_samples(self) -> int:
        """N, including samples that some repeat lacks."""
        return len(self.first)

    @property
    def covered(self) -> BoolArray:
        """(N,) True for samples in every repeat or, for scores, in some epoch."""
        there = self.rows >= 0
        return np.asarray(there.any(axis=0) if self.scored else there.all(axis=0))

    @property
    def nested(self) -> bool:
        """True for nested cross-validation."""
        return "inner_fold" in self.roles

    @cached_property
    def outer(self) -> BoolArray:
        """(n_rows,) True for rows of (outer) test samples."""
        if self.nested:
            return null_mask(self.roles["inner_fold"].values)
        return np.ones(self.n_rows, bool)

    @cached_property
    def held_out(self) -> BoolArray | None:
        """(R, N) samples in each repeat of a repeated hold-out; None if repeats are
        cross-validations.

        It is repeated hold-out (Monte-Carlo cross-validation) if no repeat holds every sample and
        none is split into folds. Repeats with folds, or beside one that holds every sample, are
        incomplete cross-validations; if no sample is in two repeats, the repeats are folds, or the
        keys are wrong. For scores they are epochs.
        """
        there = np.asarray(self.rows >= 0)
        if self.scored or there.all(axis=1).any() or not (there.sum(axis=0) > 1).any():
            return None
        if "fold" in self.roles:
            codes, _ = self.roles["fold"].named_codes()
            if any(len(np.unique(codes[row[row >= 0]])) > 1 for row in self.rows):
                return None
        return there

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Classes with columns of predictions, in order of first appearance."""
        return tuple({cell.label: None for cell in self.cells if cell.label is not None})

    @property
    def by_class(self) -> bool:
        """True if a configuration has one column per class."""
        return bool(self.labels)

    @cached_property
    def configurations(self) -> Mapping[str, tuple[PredictionColumn, ...]]:
        """Cells of each configuration, in order of first appearance."""
        alone = {cell.configuration: (cell,) for cell in self.cells}
        if len(alone) == len(self.cells):
            return alone
        cells: dict[str, list[PredictionColumn]] = {}
        for cell in self.cells:
            cells.setdefault(cell.configuration, []).append(cell)
        return {name: tuple(some) for name, some in cells.items()}

    @cached_property
    def undecided(self) -> tuple[PredictionColumn, ...]:
        """Columns of numbers of a wide table that nobody named as configurations."""
        known, numeric = self.declared, self.table.kinds.numeric
        cells = self.cells if self.layout == WIDE else ()
        cells = tuple([c for c in cells if c.label is None and c.source in numeric])
        return tuple([c for c in cells if c.configuration not in known and c.name not in known])

    @cached_property
    def declared(self) -> frozenset[str]:
        """Configurations named by an option or the metadata."""
        return self.named | set(self.metadata.configurations)

    @property
    def free(self) -> list[str]:
        """Columns of the table without a role, which nobody named."""
        taken = {*self.spare, *self.declared, *(column.name for column in self.roles.values())}
        return [name for name in self.table.names if name not in taken]

    def without(self, gone: Collection[str], *notes: Note) -> Sheet:
        """Return the sheet without some cells, by name, with notes on why."""
        cells = [cell for cell in self.cells if cell.name not in gone]
        return replace(self, cells=(*cells,), notes=(*self.notes, *notes))

    def column(self, cell: PredictionColumn) -> Column:
        """(n_rows,) predictions of a cell, null where missing."""
        if cell.rows is None:
            return self.table.column(cell.source)
        if cell.source not in self._shared:
            self._shared[cell.source] = self.table.column(cell.source)
        return self._shared[cell.source].take(cell.rows)

    @cached_property
    def _shared(self) -> dict[str, Column]:
        """Columns of the table that several cells share, read once."""
        return {}


Faults = Callable[[], Iterable[tuple[str, BbcError]]]


class HaltError(Exception):
    """Nothing more can be checked; the problems have been collected."""


@dataclass()
class Problems:
    """Raise the first problem, or `collect` all, as far as one does not hide another.

    Attributes
    ----------
    found
        Problems in order, each with its check.
    seen
        Results of the checks, in order.
    """

    collect: bool = False
    found: list[tuple[str, BbcError]] = field(default_factory=list)
    seen: dict[str, Any] = field(default_factory=dict)

    def of(
        self, check: str, *, fatal: bool = False, each: Faults | None = None
    ) -> AbstractContextManager[None]:
        """Collect a problem of the block, and continue after it.

        `check` is the check that the block belongs to; `fatal` stops after the block, since nothing
        can replace its result; `each` yields all errors behind a failure, each with its check.
        """
        return self._kept(check, fatal, each) if self.collect else _RAISED

    @contextmanager
    def _kept(self, check: str, fatal: bool, each: Faults | None) -> Iterator[None]:
        try:
            yield
        except BbcError as error:
            self.found += list(each() if each else ()) or [(check, error)]
            if fatal:
                raise HaltError from None

    def raise_first(self, *checks: str) -> None:
        """Stop if one of these checks failed; without names, if any did."""
        if self.failed(*checks):
            raise HaltError

    def saw(self, check: str, value: Any) -> None:
        """Keep the result of a check."""
        if self.collect:
            self.seen[check] = value

    def failed(self, *checks: str) -> bool:
        """True if one of these checks failed; without names, if any did."""
        return any(not checks or check in checks for check, _ in self.found)


_RAISED = nullcontext()

RAISE = Problems()
"""Raises the first problem."""
