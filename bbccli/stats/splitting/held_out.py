"""Which samples to hold out: a share of each class, whole groups together."""

from __future__ import annotations

import numpy as np

from bbccli.core.outcome import Outcome
from bbccli.errors import UndefinedError
from bbccli.stats.resampling import PATIENCE, Unit
from bbccli.types import BoolArray, IntArray, Task


def hold_out(outcome: Outcome, groups: IntArray | None, share: float, seed: int) -> BoolArray:
    """Return (N,) True for the samples to hold out.

    Of each class the share, rounded to whole samples but at least one, and not all of them: the
    only sample of a class is not held out, and a class in a single group may be or not.
    Survival is taken by event; values are not stratified. Groups (N,) are taken in random order,
    each one that brings a class which is missing, or that brings the counts of the classes nearer
    to what is wanted.

    Raises
    ------
    UndefinedError
        A single sample, or groups that can't be split with every class on both sides.
    """
    rng = np.random.Generator(
        np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(Unit.SPLIT,)))
    )
    strata = _strata(outcome)
    if groups is None:
        return _hold_out(strata, share, rng, outcome)
    return _hold_out_groups(strata, groups, share, rng)


def _strata(outcome: Outcome) -> IntArray:
    """(N,) what is held out in equal shares: the classes, or the events."""
    if outcome.task.is_classification:
        return outcome.values.astype(np.int64)
    if outcome.task is Task.SURVIVAL and outcome.event is not None:
        return outcome.event.astype(np.int64)
    return np.zeros(len(outcome), np.int64)


def _wanted(counts: IntArray, share: float) -> IntArray:
    """Samples (K,) to hold out of those in each stratum: at least one, and not the last one."""
    rounded = np.floor(share * counts + 0.5).astype(np.int64)
    return np.where(counts > 1, np.clip(rounded, 1, np.maximum(counts - 1, 1)), 0)


def _hold_out(
    strata: IntArray, share: float, rng: np.random.Generator, outcome: Outcome
) -> BoolArray:
    """(N,) True for the samples to evaluate on: the first of each stratum in random order."""
    counts = np.bincount(strata)
    if counts.max() < 2:
        of = "each class" if outcome.task.is_classification else "the outcome"
        raise _no_split(f"{of} has a single sample")
    order = np.lexsort((rng.random(len(strata)), strata))
    place = np.empty(len(strata), np.int64)
    place[order] = np.arange(len(strata)) - (np.cumsum(counts) - counts)[strata[order]]
    return np.asarray(place < _wanted(counts, share)[strata])


def _hold_out_groups(
    strata: IntArray, groups: IntArray, share: float, rng: np.random.Generator
) -> BoolArray:
    """(N,) True for the samples to evaluate on, whole groups of them."""
    codes, members = np.unique(groups, return_inverse=True)
    counts = np.zeros((len(codes), int(strata.max()) + 1), np.int64)
    np.add.at(counts, (members, strata), 1)
    total = counts.sum(axis=0)
    alone = (counts > 0).sum(axis=0) == 1
    wanted = np.where(alone, 0, _wanted(total, share))
    for _ in range(PATIENCE):
        taken = _take(counts, wanted, rng.permutation(len(codes)))
        held = counts[taken].sum(axis=0)
        both = (held > 0) & (held < total)
        if taken.any() and (both | alone | (total == 0)).all():
            return np.asarray(taken[members])
    raise _no_split("no split of the groups has every class on both sides")


def _take(counts: IntArray, wanted: IntArray, order: IntArray) -> BoolArray:
    """(G,) True for groups with counts (G, K) that together come near to `wanted` (K,)."""
    taken = np.zeros(len(counts), bool)
    # plain numbers: arrays of K are slower
    by_group, goal = counts.tolist(), wanted.tolist()
    missing = goal
    for group in order.tolist():
        holds = by_group[group]
        after = [m - n for m, n in zip(missing, holds, strict=True)]
        lacking = any(n and w and m == w for n, m, w in zip(holds, missing, goal, strict=True))
        if lacking or sum(map(abs, after)) <= sum(map(abs, missing)):
            taken[group], missing = True, after
    return taken


def _no_split(problem: str) -> UndefinedError:
    return UndefinedError(
        f"the samples can't be split into selection and evaluation: {problem}",
        hint="--evaluation-share 0 selects and evaluates on all samples, and ignores the selection",
    )
