"""Samples that are there several times: repeats under one another, or rows copied under other ids.

Each time counts as a sample of its own, and k times make an interval too narrow by sqrt(k).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import lgamma, log
from typing import Any

import numpy as np

from bbccli.core import workers
from bbccli.core.notes import Note, remarks
from bbccli.core.outcome import Outcome
from bbccli.readers.column import by_appearance, joint
from bbccli.readers.predictions import Values
from bbccli.types import FloatArray, IntArray, Task, distinct

BITS = 20.0
"""An order of the truth that comes again by accident in fewer than one of 2^20 files."""

IRREGULAR_BITS = 12.0
"""Choices behind the turns of a truth, as a power of two, from which on it is no regular design."""

FEWEST = 20
"""Different rows, or groups, from which on it is no accident that each is there k times."""

ALIKE = 0.25
"""Correlation from which on the scores of two blocks may be of the same items."""

MOST_EPOCHS = 10
"""Times that the same items are looked for in scores without a truth."""

RUN = 3
"""Samples of one fold in a row, on average, from which on they were written fold by fold."""

_FIRST = 8
"""Configurations that are looked at first, some at a time."""

_FIRST_CELLS = 2**11
"""Predictions of these that are looked at together."""

_SPREAD = 2**20
"""Predictions of a sample by one configuration that hashes tell apart."""

_CELLS = 2**22
"""Predictions that are looked at together."""


def repeated(
    predictions: Values,
    outcome: Outcome,
    truth: Outcome,
    groups: IntArray | None,
    folds: IntArray | None,
) -> Iterator[Note]:
    """Yield the note where samples seem to be there several times, once.

    Parameters
    ----------
    predictions, outcome
        Of the N samples that are used: (R, N, C) or (R, N, C, K).
    truth
        Outcome of all samples that were read, in the order of the file.
    groups : (N,), optional
        Codes 0..G-1. Whole groups are resampled, with all the copies of a sample in them.
    folds : (R, N), optional
        Codes 0..F-1.
    """
    if groups is None:
        found = {"truth": period_of(truth)}
        if outcome.task is Task.SCORE:
            found = {"scores": period_of_scores(predictions.array)}
        if folds is not None and len(folds) == 1:
            found["folds"] = period_of_folds(folds[0], outcome)
        for what, period in found.items():
            if period:
                n = len(truth if what == "truth" else outcome)
                yield remarks.repeated_samples(what, period, n // period)
                return
    times = copies_of(predictions, outcome, groups)
    if times > 1:
        yield remarks.copied_rows(times, grouped=groups is not None)


def period_of(outcome: Outcome) -> int:
    """Return the number of samples after which the truth (N,) comes again; 0 where it doesn't.

    The period p is the least that divides N, N = kp, k > 1. It counts if that is no accident, and
    no regular design:

    - Of p samples in any order, the k - 1 other blocks are in the order of the first by accident
      with probability (n_1! ... n_m! / p!)^(k - 1), where n_j samples have the truth j: at most
      2^-20. So it is of a constant truth, and of one that is rare or short.
    - The truth turns t times in a period, from rising to falling or back (classes being numbered
      as they appear): C(p - 1, t) is at least 2^12. A truth that is sorted within each block, that
      alternates, or that goes round in waves has few such choices.
    """
    columns = [outcome.values] if outcome.event is None else [outcome.values, outcome.event]
    for period in _divisors(len(outcome)):
        if all(np.array_equal(column[period:], column[:-period]) for column in columns):
            first = outcome.take(slice(period))
            irregular = _bits_of_turns(first) >= IRREGULAR_BITS
            times = len(outcome) // period
            return period if irregular and _bits(columns, period, times) >= BITS else 0
    return 0


def period_of_folds(folds: IntArray, outcome: Outcome) -> int:
    """Return the number of samples after which the folds (N,) begin again; 0 where they don't.

    So it is where a loop over repeats appended the test sets of one fold after another. The F
    folds follow one another in the same order k > 1 times, with `RUN` samples or more in a row on
    average; each time there are `FEWEST` samples or more with the same truths, in any order, and
    not all alike; of classes, in each fold as many samples of each, as stratified folds have. Folds
    that go round from row to row have runs of one sample, and stratified folds of a sorted truth
    come again with another class.
    """
    starts = np.flatnonzero(np.diff(folds, prepend=-1))
    n, n_folds = len(folds), int(folds.max()) + 1
    period, rest = divmod(n * n_folds, len(starts))
    if rest or n < 2 * period or n % period or period < max(FEWEST, RUN * n_folds):
        return 0
    runs = folds[starts].reshape(-1, n_folds)
    values: Any = outcome.values
    if outcome.task.is_classification:
        values = values + folds * len(outcome.classes)
    truths = np.sort(values.reshape(-1, period), axis=1)
    same = (runs == runs[0]).all() and len(distinct(runs[0])) == n_folds
    # where the truths are in the same order too, `period_of` has judged
    mixed = (outcome.values[period:] != outcome.values[:-period]).any()
    alike = same and mixed and (truths == truths[0]).all()
    return period if alike and np.isin(np.arange(0, n, period), starts).all() else 0


def period_of_scores(array: FloatArray) -> int:
    """Return the number of samples after which scores (R, N, C) are alike again; 0 where none are.

    Items have no truth but they are hard or easy, so the mean scores of the same items in two
    epochs correlate. The period p divides N, N = kp, k from 2 to `MOST_EPOCHS`. The correlation
    of rows that are p apart is at least `ALIKE`, and three of its standard errors, 3 / sqrt(N - p),
    above that of rows that are any other number apart, but for multiples of p: where blocks of
    items are of one topic, or difficulty changes slowly, neighbouring distances are as good.
    """
    scores = array.mean(axis=(0, 2), dtype=np.float64)
    n = len(scores)
    scores = scores - scores.mean()
    variance = float((scores**2).mean())
    if n < 2 * FEWEST or not variance:
        return 0
    spectrum = np.fft.rfft(scores, 2 * n)
    apart = np.arange(1, n // 2 + 1)
    found = np.fft.irfft(np.abs(spectrum) ** 2)[apart] / ((n - apart) * variance)
    for period in _divisors(n):
        if period < FEWEST or n // period > MOST_EPOCHS:
            continue
        other = float(found[apart % period != 0].max())
        if found[period - 1] >= max(ALIKE, other + 3 / (n - period) ** 0.5):
            return period
    return 0


def _divisors(n: int) -> list[int]:
    """Divisors of n from 2 to n / 2, in increasing order."""
    return [p + 2 for p in np.flatnonzero(n % np.arange(2, n // 2 + 1) == 0).tolist()]


def _bits(columns: list[Any], period: int, times: int) -> float:
    """Minus the binary logarithm of the probability of the same order by accident."""
    blocks = [column[:period].astype(np.float64) for column in columns]
    codes = joint([np.searchsorted(distinct(block), block) for block in blocks])
    ways = lgamma(period + 1) - sum(lgamma(n + 1) for n in np.bincount(codes).tolist())
    return (times - 1) * ways / log(2)


def _bits_of_turns(outcome: Outcome) -> float:
    """Binary logarithm of the number of ways to place the turns of the truth (p,)."""
    values: Any = outcome.values
    if outcome.task.is_classification:
        values = by_appearance(values.astype(np.int64))[0]
    steps = np.sign(np.diff(values))
    turns = int((np.diff(steps[steps != 0]) != 0).sum())
    places = len(values) - 1
    ways = lgamma(places + 1) - lgamma(turns + 1) - lgamma(places - turns + 1)
    return ways / log(2)


def copies_of(predictions: Values, outcome: Outcome, groups: IntArray | None = None) -> int:
    """Return how many times each row is there; 1 where some row is there by itself.

    Rows are the same if truth and all predictions are, and are there k times if k divides how
    often each of the D different ones occurs. Where predictions are coarse rows coincide, but some
    of them an odd number of times: that k > 1 divides all D numbers has probability of about
    k^-D, less than one in a million for D of `FEWEST` or more; for fewer, 1 is returned. Of groups
    those are the same that hold the same rows.

    Parameters
    ----------
    predictions, outcome, groups
        As in `repeated`; or predictions that stay in their file.
    """
    array: Any = predictions.array
    event = np.zeros(len(outcome)) if outcome.event is None else outcome.event
    truth = np.stack([outcome.values.astype(np.float64), event], axis=1)[None]
    of_truth = _mixed(_keys(truth, np.arange(2)))
    keys = of_truth
    first = np.arange(min(_FIRST, array.shape[2]))
    step = max(_FIRST_CELLS // max(len(outcome), 1), 1)
    for start in range(0, len(first), step):
        keys = keys + _keys(array, first[start : start + step])
        if _times(keys, groups) == 1:
            return 1
    parts = workers.over_parts(partial(_keys, array), array.shape[2])
    return _times(np.sum([of_truth, *parts], axis=0, dtype=np.uint64), groups, FEWEST)


def _times(keys: Any, groups: IntArray | None, fewest: int = 1) -> int:
    """Greatest common divisor of how often each key (N,), or group with its keys, occurs."""
    if groups is not None:
        rows, keys = keys, np.zeros(int(groups.max()) + 1, np.uint64)
        np.add.at(keys, groups, _mixed(rows))
    ordered = np.sort(keys)
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    counts = np.diff(starts, append=len(ordered))
    return int(np.gcd.reduce(counts)) if len(counts) >= fewest else 1


def _keys(array: Any, columns: IntArray) -> Any:
    """(N,) uint64 sum of a hash of each prediction of some configurations."""
    _, n, *_ = array.shape
    keys = np.zeros(n, np.uint64)
    step = max(_CELLS // max(n, 1), 1)
    for start in range(0, len(columns), step):
        chosen = columns[start : start + step]
        cells = np.moveaxis(array[:, :, chosen].astype(np.float64), 1, -1)
        numbers = np.arange(cells[..., 0].size, dtype=np.uint64).reshape(cells.shape[:-1])
        salts = _mixed(numbers + np.uint64(int(chosen[0]) * _SPREAD))
        bits = (cells + 0.0).view(np.uint64)  # -0.0 is 0.0
        keys += _mixed(bits + salts[..., None]).reshape(-1, n).sum(axis=0, dtype=np.uint64)
    return keys


def _mixed(bits: Any) -> Any:
    """Hash of each of some uint64, as splitmix64 ends (Steele, Lea, Flood, OOPSLA 2014)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
