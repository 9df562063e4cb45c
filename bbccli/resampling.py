"""Bootstrap resamples as rows of integer weights, and the rule by which some are drawn again.

Draws come in fixed blocks of `BLOCK` rows, each from a generator of its own that is known from
the seed, the unit of resampling and the position of the block. So the first B resamples are the
same whatever is drawn after them, whatever the chunk size, and wherever a block is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.matrix import Outcome
from bbccli.types import BoolArray, IntArray

BLOCK = 64
"""Rows per generator. Part of what a seed means: changing it changes every sampled number."""

PATIENCE = 200
"""Draws per accepted resample after which none is expected to come."""


class Unit(IntEnum):
    """What is drawn; each unit has a random stream of its own."""

    SAMPLES = 0
    FOLDS = 1


@dataclass(frozen=True, slots=True, eq=False)
class Resamples:
    """Some resamples, in the order in which they were drawn.

    Attributes
    ----------
    in_bag : (B, U) uint16
        How often each of U units was drawn.
    ordinals : (B,) int
        Position of each in its stream, with the rejected draws counted.
    """

    in_bag: IntArray
    ordinals: IntArray

    @property
    def out_of_bag(self) -> IntArray:
        """(B, U) 1 where a unit was not drawn, else 0."""
        return np.asarray(self.in_bag == 0, np.uint8)


Rule = Callable[[IntArray], BoolArray]
"""In-bag weights (B, U) -> (B,) True where the resample can be used."""


def leaves_some_out(in_bag: IntArray) -> BoolArray:
    """Accept resamples with at least one unit out of bag."""
    return np.asarray((in_bag == 0).any(axis=1))


def rule_of(outcome: Outcome) -> Rule:
    """Return the rule for resamples of samples with this outcome.

    Classification needs every class that occurs both in the bag and out of it; other tasks need
    some sample out of the bag.

    Raises
    ------
    UndefinedError
        A class with a single sample: it can't be on both sides.
    """
    if not outcome.task.is_classification:
        return leaves_some_out
    members = [np.flatnonzero(outcome.values == k) for k in range(len(outcome.classes))]
    for name, rows in zip(outcome.classes, members, strict=True):
        if len(rows) == 1:
            raise UndefinedError(
                f"class {name!r} has a single sample: no resample holds it in and out of the bag",
                hint="collect more samples of that class, or remove the sample",
            )

    def every_class_on_both_sides(in_bag: IntArray) -> BoolArray:
        accepted = np.ones(len(in_bag), bool)
        for rows in members:
            if len(rows):
                drawn = in_bag[:, rows] > 0
                accepted &= drawn.any(axis=1) & ~drawn.all(axis=1)
        return accepted

    return every_class_on_both_sides


def draw_block(n_units: int, seed: int, unit: Unit, position: int) -> IntArray:
    """Draw block number `position`: in-bag weights (BLOCK, U), each row of total U."""
    sequence = np.random.SeedSequence(seed, spawn_key=(int(unit), position))
    rng = np.random.Generator(np.random.PCG64(sequence))
    drawn = rng.integers(0, n_units, size=(BLOCK, n_units))
    drawn += n_units * np.arange(BLOCK)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=BLOCK * n_units)
    return counts.reshape(BLOCK, n_units).astype(np.uint16)


class ResampleStream:
    """The endless sequence of usable resamples that a seed stands for.

    Parameters
    ----------
    n_units
        U, samples or folds to draw from, with replacement, U times.
    seed, unit
        Which random stream.
    accept
        Which draws can be used; the others are drawn again.
    """

    def __init__(self, n_units: int, *, seed: int, unit: Unit, accept: Rule) -> None:
        self.n_units = n_units
        self._seed = seed
        self._unit = unit
        self._accept = accept
        self._position = 0
        self._left = Resamples(np.empty((0, n_units), np.uint16), np.empty(0, np.int64))

    def take(self, n_resamples: int) -> Resamples:
        """Return the next `n_resamples` usable resamples.

        Raises
        ------
        UndefinedError
            Fewer than one draw in `PATIENCE` can be used.
        """
        parts, n_found = [self._left], len(self._left.in_bag)
        limit = self._position + 2 + PATIENCE * n_resamples // BLOCK
        while n_found < n_resamples:
            if self._position > limit:
                raise hopeless(self._unit)
            parts.append(self._next_block())
            n_found += len(parts[-1].in_bag)
        in_bag = np.concatenate([part.in_bag for part in parts])
        ordinals = np.concatenate([part.ordinals for part in parts])
        self._left = Resamples(in_bag[n_resamples:], ordinals[n_resamples:])
        return Resamples(in_bag[:n_resamples], ordinals[:n_resamples])

    def _next_block(self) -> Resamples:
        block = draw_block(self.n_units, self._seed, self._unit, self._position)
        accepted = np.flatnonzero(self._accept(block))
        ordinals = self._position * BLOCK + accepted
        self._position += 1
        return Resamples(block[accepted], ordinals)


def hopeless(unit: Unit) -> UndefinedError:
    """The error for data on which hardly any resample can be used."""
    return UndefinedError(
        f"hardly any resample of the {unit.name.lower()} can be used: less than 1 in {PATIENCE}",
        hint="a bootstrap needs more samples of the rarest class, or more folds",
    )
