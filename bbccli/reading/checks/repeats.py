"""Duplicate samples: stacked repeats, or rows copied under other ids.

Each copy counts as a sample, so that k copies make an interval too narrow by sqrt(k).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import chain
from math import lgamma, log
from typing import Any

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.notes import Note, of_data
from bbccli.reading.column import by_appearance, joint
from bbccli.reading.predictions import Values
from bbccli.types import FloatArray, IntArray, PredictionKind, Task, distinct, lengths_of, starts_of

BITS = 20.0
"""An order of the truth recurs by chance in fewer than one of 2^20 files."""

IRREGULAR_BITS = 12.0
"""A truth with this many bits of choice in its turns is not a regular design."""

FEWEST = 20
"""From this many different rows, or groups, on k copies of each are not an accident."""

WAVES = 4
"""Cosines by which the predictions of blocks of folds are compared."""

FEWEST_OF_TRUTH = 5
"""Fewest samples of one truth, in a block, whose predictions are compared."""

ALIKE = 0.25
"""From this correlation on, the scores of two blocks may be for the same items."""

MOST_EPOCHS = 10
"""Most epochs looked for in scores without a truth."""

RUN = 3
"""Mean run length of folds from which samples were written fold by fold."""

_CHECKED = (0, 1, 3, 7)
"""Columns after which rows may be seen to differ."""

_MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))
"""Shifts and factors of splitmix64."""

_FIRST = 8
"""Configurations whose mean is compared."""


def check_duplicates(
    predictions: Values,
    outcome: Outcome,
    truth: Outcome,
    groups: IntArray | None,
    folds: IntArray | None,
) -> Iterator[Note]:
    """Yield a note if samples seem to be duplicated.

    Predictions are (R, N, C[, K]) of the N samples used; `truth` is that of all samples read, in
    file order. Whole groups (N,) are resampled, with all copies in them.
    """
    if groups is None:
        periods = {"truth": period_of(truth)}
        if outcome.task is Task.SCORE:
            periods = {"scores": period_of_scores(predictions.array)}
        if folds is not None and len(folds) == 1:
            periods["folds"] = period_of_folds(folds[0], outcome)
            periods["blocks"] = period_of_blocks(folds[0], outcome, predictions.array)
        for name, period in periods.items():
            if period and name == "blocks":
                yield of_data.alike_blocks(period, len(outcome) // period)
                return
            if period:
                n = len(truth if name == "truth" else outcome)
                yield of_data.repeated_samples(name, period, n // period)
                return
    times, n_again = copies_of(predictions, outcome, groups)
    if times > 1:
        yield of_data.copied_rows(times, grouped=groups is not None)
    elif n_again:
        yield of_data.rows_again(n_again, len(outcome))
    elif groups is None and (period := period_of_values(outcome)):
        yield of_data.repeated_samples("values", period, len(outcome) // period)


def period_of(outcome: Outcome) -> int:
    """Return the number of samples after which the truth (N,) repeats itself; 0 if it doesn't.

    The period p is the least that divides N, N = kp, k > 1. It counts unless it may be chance or a
    regular design:

    - For a random order of p samples, the other k - 1 blocks repeat the first by chance with
      probability (n_1! ... n_m! / p!)^(k - 1), where n_j samples have the truth j: it must be at
      most 2^-20. So constant, rare and short truths do not count.
    - The truth turns t times in a period, from rising to falling or back (classes being numbered as
      they appear): C(p - 1, t) must be at least 2^12. A truth that is sorted within each block,
      that alternates, or that goes in waves has few such choices.
    """
    columns = _truth(outcome)
    for period in _divisors(len(outcome)):
        if all((column[period:] == column[:-period]).all() for column in columns):
            first = outcome.take(slice(period))
            irregular = _bits_of_turns(first) >= IRREGULAR_BITS
            times = len(outcome) // period
            return period if irregular and _bits(columns, period, times) >= BITS else 0
    return 0


def period_of_folds(folds: IntArray, outcome: Outcome) -> int:
    """Return the number of samples after which the folds (N,) start again; 0 if they don't.

    This happens if a loop over repeats appended one test set after another. The F folds occur in
    the same order k > 1 times, in runs of `RUN` samples or more on average; each occurrence of a
    fold has `FEWEST` samples or more with the same truths, in any order, and not all equal; for
    classes, each fold has as many samples of each, as in stratified folds. Folds that alternate
    from row to row have runs of one sample, and stratified folds of a sorted truth recur with
    another class.
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
    # if the truths are in the same order too, `period_of` has decided
    mixed = (outcome.values[period:] != outcome.values[:-period]).any()
    alike = same and mixed and (truths == truths[0]).all()
    return period if alike and np.isin(np.arange(0, n, period), starts).all() else 0


def period_of_blocks(folds: IntArray, outcome: Outcome, array: Any) -> int:
    """Return the number of samples in blocks of as many folds (N,) that seem to hold the same
    samples, as if folds were numbered through repeats; 0 if there are none.

    Each of r blocks has the same truths, which stratified folds have too. But the predictions of
    the same samples, (1, N, C[, K]), are alike as well: of the samples with one truth, let u be the
    relative ranks of their mean prediction, and take the means of sqrt(2) cos(j pi u), j up to
    `WAVES`, over the n of them in each block. For different samples dealt out at random, n times
    the sum of their squares is about chi-squared with d = `WAVES` (r - 1) degrees of freedom, over
    all truths together. It is x d with probability of at most (x exp(1 - x))^(d/2) for x < 1:
    `BITS` are needed. If single folds are as much alike, the samples were dealt out in turns.
    """
    n_folds, waves = int(folds.max()) + 1, None
    truth = _codes(_truth(outcome))
    every = np.bincount(truth)
    for k in _divisors(n_folds):
        n_blocks = n_folds // k
        if (every % n_blocks).any():
            continue
        blocks = folds // k
        counts = np.bincount(blocks * len(every) + truth, minlength=n_blocks * len(every))
        if (counts.reshape(n_blocks, -1) * n_blocks != every).any():
            continue
        if waves is None:
            waves = _waves(truth, array, len(truth) // n_blocks)
        if _bits_alike(waves, truth, blocks) >= BITS > _bits_alike(waves, truth, folds):
            return len(truth) // n_blocks
    return 0


def _waves(truth: IntArray, array: Any, n: int) -> FloatArray:
    """Return (`WAVES`, N) cosines of the ranks, among samples of one truth, of their predictions;
    none if these are fewer different ones than half of `n`.
    """
    scores = _scores(array)
    order, counts = np.lexsort([scores, truth]), np.bincount(truth)
    if 2 * len(distinct(scores)) < n:
        return np.empty((0, len(truth)))
    ranks = np.empty(len(truth))
    ranks[order] = np.arange(len(truth)) + 0.5
    ranks = (ranks - (np.cumsum(counts) - counts)[truth]) / counts[truth]
    return np.asarray(2**0.5 * np.cos(np.pi * np.outer(np.arange(WAVES) + 1, ranks)))


def _bits_alike(waves: FloatArray, truth: IntArray, blocks: IntArray) -> float:
    """Return the evidence that the samples of one truth are alike in all blocks (N,)."""
    n_blocks = int(blocks.max()) + 1
    cells = truth * n_blocks + blocks
    counts = np.bincount(cells, minlength=n_blocks * (int(truth.max()) + 1)).reshape(-1, n_blocks)
    used = counts.min(axis=1) >= FEWEST_OF_TRUTH
    n_free = len(waves) * int(used.sum()) * (n_blocks - 1)
    if not n_free:
        return 0.0
    sums = (np.bincount(cells, wave, counts.size).reshape(counts.shape)[used] for wave in waves)
    ratio = sum(float((total**2 / counts[used]).sum()) for total in sums) / n_free
    return 0.0 if ratio >= 1 else -n_free / 2 * (log(max(ratio, 1e-9)) + 1 - ratio) / log(2)


def period_of_values(outcome: Outcome) -> int:
    """Return N / k if k > 1 divides the counts of all truths (N,), in no order that repeats, and
    the distances of `FEWEST` or more values from the next mostly differ; else 0.

    Designs repeat levels at equal distances, such as doses; measured values lie anywhere.
    """
    if outcome.classes:
        return 0
    values, columns = distinct(outcome.values), _truth(outcome)
    times, steps = _times(np.bincount(_codes(columns)), FEWEST), np.diff(values)
    uneven = 2 * int((np.abs(np.diff(steps)) > 1e-6 * steps[1:]).sum()) > len(steps)
    if times == 1 or not uneven or len(values) < FEWEST:
        return 0
    period = len(outcome) // times
    return period if any((c[period:] != c[:-period]).any() for c in columns) else 0


def period_of_scores(array: FloatArray) -> int:
    """Return the number of samples after which scores (R, N, C) are similar again; 0 if they
    aren't.

    Items have no truth, but they are hard or easy, so that the mean scores of the same items in two
    epochs correlate. The period p divides N, N = kp, k from 2 to `MOST_EPOCHS`. The correlation of
    rows p apart must be at least `ALIKE`, and three standard errors, 3 / sqrt(N - p), above that of
    rows any other distance apart, except for multiples of p: if blocks of items share a topic, or
    difficulty changes slowly, neighbouring distances correlate as well.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        scores = array.mean(axis=(0, 2), dtype=np.float64)
        n = len(scores)
        scores = scores - scores.mean()
        variance = float((scores**2).mean())
    if n < 2 * FEWEST or not 0 < variance < np.inf:
        return 0
    spectrum = np.fft.rfft(scores, 2 * n)
    apart = np.arange(1, n // 2 + 1)
    correlations = np.fft.irfft(np.abs(spectrum) ** 2)[apart] / ((n - apart) * variance)
    for period in _divisors(n):
        if period < FEWEST or n // period > MOST_EPOCHS:
            continue
        other = float(correlations[apart % period != 0].max())
        if correlations[period - 1] >= max(ALIKE, other + 3 / (n - period) ** 0.5):
            return period
    return 0


def _divisors(n: int) -> list[int]:
    """Return the divisors of n from 2 to n / 2, in increasing order."""
    return [p + 2 for p in np.flatnonzero(n % np.arange(2, n // 2 + 1) == 0).tolist()]


def _bits(columns: list[Any], period: int, times: int) -> float:
    """Return minus the binary logarithm of the probability of the same order by chance."""
    blocks = [column[:period].astype(np.float64) for column in columns]
    codes = _codes(blocks)
    ways = lgamma(period + 1) - sum(lgamma(n + 1) for n in np.bincount(codes).tolist())
    return (times - 1) * ways / log(2)


def _bits_of_turns(outcome: Outcome) -> float:
    """Return the binary logarithm of how many ways the turns of the truth (p,) can be placed."""
    values: Any = outcome.values
    if outcome.task.is_classification:
        values = by_appearance(values.astype(np.int64))[0]
    steps = np.sign(np.diff(values))
    turns = int((np.diff(steps[steps != 0]) != 0).sum())
    places = len(values) - 1
    ways = lgamma(places + 1) - lgamma(turns + 1) - lgamma(places - turns + 1)
    return ways / log(2)


def copies_of(
    predictions: Values, outcome: Outcome, groups: IntArray | None = None
) -> tuple[int, int]:
    """Return the number of copies of each row, 1 if some row occurs once; and how many rows repeat
    earlier ones, as where files overlap or a join has several rows for a key.

    Equal rows have equal truth and predictions; there are k copies if k divides the counts of all D
    distinct rows. Coarse predictions coincide by chance, but some an odd number of times: that k >
    1 divides all D counts has probability of about k^-D, less than one in a million for D of
    `FEWEST` or more; for fewer, 1 is returned. Groups are equal if they have the same rows.
    """
    parts = predictions.array.reshape(-1, len(outcome), predictions.array[0, 0].size)
    columns = (part[:, c] for c in range(parts.shape[2]) for part in parts)
    both = keys, alone = np.zeros((2, len(outcome)), np.uint64)
    for i, column in enumerate(chain(truth := _truth(outcome), columns)):
        bits = (column.astype(np.float64) + 0.0).view(np.uint64)  # -0.0 is 0.0
        some = slice(1 if i < len(truth) else 2)
        both[some] = _mixed(both[some] + bits)
        if i in _CHECKED and _times(counts := _counts(keys, groups)) == 1:
            last = i == _CHECKED[-1] and not _n_again(keys, alone, predictions, outcome)
            if last or len(keys) - len(counts) < FEWEST or groups is not None:
                return 1, 0
    times = _times(_counts(keys, groups), FEWEST)
    return times, 0 if groups is not None else _n_again(keys, alone, predictions, outcome)


def _n_again(keys: Any, alone: Any, predictions: Values, outcome: Outcome) -> int:
    """Return how many of the keys (N,) repeat `FEWEST` or more others in their order; else how many
    repeat others in any order, if that is no accident; `alone` are keys of the predictions.

    If equal predictions have equal truths by chance, they do so about as often as rows that are
    next to each other in the order of their scores: a share p of the time. Copies always do, and n
    of them by chance with probability p^n, at most 2^-20; `FEWEST` different rows have some.
    """
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    back = np.arange(len(keys)) - first[places]
    starts = starts_of(back)
    lengths = lengths_of(starts, len(back))
    in_order = int(lengths[(back[starts] > 0) & (lengths >= FEWEST)].sum())
    labels = predictions.kind is PredictionKind.LABEL or outcome.task is Task.SCORE
    if in_order or labels or len(first) == len(keys) or len(distinct(alone)) < len(first):
        return in_order
    order = np.argsort(_scores(predictions.array)[first], kind="stable")
    truth, again = outcome.values[first[order]], (np.bincount(places) > 1)[order]
    beside = (truth[1:] == truth[:-1])[again[1:] | again[:-1]]
    n_again, share = len(keys) - len(first), (beside.sum() + 1) / (len(beside) + 1)
    return n_again if again.sum() >= FEWEST and -n_again * log(share) >= BITS * log(2) else 0


def _scores(array: Any) -> FloatArray:
    """Return the mean predictions (N,) of a few configurations in the first repeat."""
    some = array[:, :, np.arange(min(_FIRST, array.shape[2]))][0]
    some = some if some.ndim == 2 else some[..., -1]
    return np.asarray(some.mean(axis=1, dtype=np.float64))


def _counts(keys: Any, groups: IntArray | None) -> IntArray:
    """Return how often each of the keys (N,) occurs, or each group with its keys."""
    if groups is not None:
        rows, keys = keys, np.zeros(int(groups.max()) + 1, np.uint64)
        np.add.at(keys, groups, _mixed(rows))
    ordered = np.sort(keys)
    return lengths_of(starts_of(ordered), len(ordered))


def _times(counts: IntArray, fewest: int = 1) -> int:
    """Return the greatest common divisor of counts; 1 if they are fewer."""
    return int(np.gcd.reduce(counts)) if len(counts) >= fewest else 1


def _mixed(bits: Any) -> Any:
    """Return a hash of each uint64, the finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA
    2014).
    """
    for shift, factor in _MIXING:
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits


def _truth(outcome: Outcome) -> list[Any]:
    """Return the values (N,) of an outcome, and the events if there are any."""
    return [outcome.values] if outcome.event is None else [outcome.values, outcome.event]


def _codes(columns: Iterable[Any]) -> IntArray:
    """Return dense codes (N,) of how the values of some columns combine."""
    return joint([np.searchsorted(distinct(column), column) for column in columns])


_PREFIX = 16
"""Rows whose predictions tell most configurations apart."""


def duplicates(names: tuple[str, ...], array: FloatArray) -> Iterator[Note]:
    """Yield a note if some configurations have equal predictions (R, N, C[, K])."""
    pairs = earlier_equals(keys_of_predictions(array))
    if pairs:
        later = min(pairs, key=lambda pair: (pairs[pair], pair))
        yield of_data.duplicate_configurations(len(pairs), (names[pairs[later]], names[later]))


def earlier_equals(keys: Iterable[bytes]) -> dict[int, int]:
    """Return the position of each repeated key, and that of its first occurrence."""
    seen: dict[bytes, int] = {}
    first = [seen.setdefault(key, position) for position, key in enumerate(keys)]
    return {later: earlier for later, earlier in enumerate(first) if earlier != later}


def keys_of_predictions(array: FloatArray) -> list[bytes]:
    """Return keys of the configurations of (R, N, C[, K]): equal for equal predictions."""
    starts = [rows.tobytes() for rows in np.moveaxis(array[:, :_PREFIX], 2, 0)]
    often = Counter(starts)
    return [
        start if often[start] == 1 else blake2b(array[:, :, c].tobytes(), digest_size=16).digest()
        for c, start in enumerate(starts)
    ]
