"""Sanity checks of predictions: of each configuration, part by part, then of all together.

Some columns are unlikely to be configurations: a seed, an age, a fold, a time.

## Predictions in the wrong direction

Those of all configurations, or of a few among others. The test statistic of a configuration is T =
sum_i a_i b_i:

1. a_i is the class (0 or 1), the rank of the value, or for survival times the log-rank score: the
   event minus the cumulative hazard. b_i is the rank of the prediction. For labels, and for several
   classes, T is the number of correct predictions.
2. Under the null hypothesis, predictions are permuted within each fold. Then T has mean
   sum_f n_f mean(a) mean(b) and variance sum_f S_aa S_bb / (n_f - 1), with S the sums of squares
   about the means of the fold. Samples of different folds are not compared: a model that predicts
   little more than the prevalence in the other folds is rightly below chance there.
3. z is T minus its mean, in standard errors. A configuration with z < -L is in the wrong direction
   if another has z > L.

With q the normal quantile at which one of C configurations of noise is below -q in one file of 200,
L is the larger of 1.2 q and sqrt(2 F / pi) + sqrt(1 - 2 / pi) q, with F folds; for scores without a
scale 1.5 q replaces 1.2 q. The first is for models that share training samples: their noise is a
fifth larger than by chance. The second is for chance patterns of the training samples, which are
opposite in the fold left out: at worst every fold goes against its model, and z is minus the sum of
F absolute normal variables over sqrt(F). Noise alone causes no note: no configuration is above L.
Beside good models, noise predicts little more than the mean truth; predictions that near to it are
skipped.

Source: Wald & Wolfowitz 1944 for the mean and the variance.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from math import pi, sqrt

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.metrics.kernels.pairs import hanley_mcneil_variance, mean_ranks
from bbccli.notes import Note, of_data
from bbccli.reading.arrow import SUM_TOLERANCE
from bbccli.reading.checks.leakage import (
    leaves_one_out,
    measure_of,
    measure_of_each,
    on_marks,
    on_perfection,
    on_training_rows,
    ordering_signs,
)
from bbccli.reading.predictions import Values
from bbccli.types import (
    BoolArray,
    FloatArray,
    IntArray,
    PredictionKind,
    Task,
    distinct,
    lengths_of,
    starts_of,
)

ERRORS = 3.5
"""Standard errors below 0.5 from which a median AUC is noted.

Models of a cross-validation share training samples, so that their noise is a fifth larger than by
chance: this level gives a note for one file of noise in 200.
"""

NOISE_TOLERANCE = 1 / 200
"""Proportion of files of noise in which some configuration is below -L."""

TRAINED = 1.2
"""How much more the noise of trained models spreads than chance."""

WITHOUT_SCALE = 1.5
"""The same for scores, whose distance from the mean truth is unknown."""

LEANING = 0.25
"""Distance from the mean truth, in standard deviations of the truth, up to which predictions may be
no more than means of other samples."""

_AT_ONCE = 2**18
"""Number of cells, roughly, that are ranked at once."""

_MOST_RANKED = 1_000_000
"""Number of cells, roughly, that are ranked."""

_FEWEST_ROWS = 500
"""Samples used however many configurations there are."""


def ranks_of(predictions: Values, outcome: Outcome) -> FloatArray | None:
    """Return (N, C) ranks in the first repeat; None for classes, or if there are too many."""
    array = predictions.array[0]
    if _of_classes(array, outcome) or array.size > _MOST_RANKED:
        return None
    if predictions.kind is PredictionKind.LABEL:  # 0 and 1: as `_ranks` has them, without sorting
        return np.asarray((array - array.mean(axis=0)) * (len(array) / 2))
    return _ranks(array)


def check_polarity(
    predictions: Values, outcome: Outcome, ranks: FloatArray | None = None, *, told: bool = False
) -> Iterator[Note]:
    """Yield a note if predictions seem to be for the other class; ranks are `ranks_of` them, and
    `told` is True if they come with their class.

    Their median AUC is compared with an unlucky one: all configurations predict the same samples,
    so that it varies as much as a single AUC, however many there are.
    """
    if predictions.kind is PredictionKind.LABEL or _of_classes(predictions.array[0], outcome):
        yield from _in_another_order(predictions.array[0], outcome)
        return
    if outcome.task is not Task.BINARY:
        return
    n_negative, n_positive = outcome.class_counts.tolist()
    if not (n_negative and n_positive):
        return
    positive = outcome.values == 1
    if ranks is None:  # too many to rank: of evenly spaced configurations
        _, n_samples, n_configurations = predictions.array.shape
        step = -(-n_configurations * n_samples // _MOST_RANKED)
        columns = predictions.array[0, :, ::step]
        parts = np.array_split(columns, -(-columns.size // _AT_ONCE), axis=1)
        sums = np.concatenate([_ranks(part)[positive].sum(axis=0) for part in parts])
    else:
        sums = ranks[positive].sum(axis=0)
    areas = (sums + n_positive * n_negative / 2) / n_positive / n_negative  # from the middle
    n = len(areas)  # numpy's median would import masked arrays
    median = float(np.sort(areas)[(n - 1) // 2 : n // 2 + 1].mean())
    # of scores that know nothing, without ties, which make it smaller
    if median < 0.5 - ERRORS * sqrt(hanley_mcneil_variance(0.5, n_positive, n_negative)):
        other, name = outcome.classes
        yield of_data.polarity(median, n, name, other, told=told)


def _in_another_order(array: FloatArray, outcome: Outcome) -> Iterator[Note]:
    """Yield a note if most labels, or columns of classes, would be right as others, and few are.

    Column k stands for the class whose samples it is called for most often, by all configurations.
    """
    step, n = array.size // _MOST_RANKED + 1, len(outcome.classes)
    called, truth = array[::step], outcome.values[::step, None]
    called = (called.argmax(axis=2) if called.ndim == 3 else called).astype(np.int64)
    counts = np.bincount((truth * n + called).ravel(), minlength=n * n).reshape(n, n)
    totals = counts.sum(axis=1, keepdims=True)  # also of calls of classes that the truth lacks
    present = np.flatnonzero(totals)
    counts = counts[np.ix_(present, present)] / called.shape[1]
    order = (counts / totals[present]).argmax(axis=0)
    hits, others = np.trace(counts), counts[order, np.arange(len(order))].sum()
    clear = others - hits > ERRORS * sqrt(others + hits) and others > len(truth) / 2
    if clear and len({*order.tolist()}) == len(order):
        classes = [outcome.classes[k] for k in present[order].tolist()]
        yield of_data.other_order(classes, hits / len(truth), others / len(truth))


def z_of_each(
    predictions: Values, outcome: Outcome, folds: IntArray | None, ranks: FloatArray | None = None
) -> FloatArray:
    """Return z of each configuration (C,) in the first repeat; NaN if unknown."""
    array, truth = predictions.array[0], outcome.values
    rows = np.arange(len(truth))
    n_rows = max(len(truth) * _MOST_RANKED // max(array.size, 1), _FEWEST_ROWS)
    if n_rows < len(truth):
        rows = np.sort(np.random.default_rng(0).permutation(len(truth))[:n_rows])
    parts = np.zeros(len(rows), np.int64) if folds is None else folds[0, rows]
    rows = rows[np.argsort(parts, kind="stable")]
    starts = starts_of(np.sort(parts))
    seen = array[rows] if ranks is None else ranks[rows]
    if _of_classes(seen, outcome):
        labels = seen.argmax(axis=2) if seen.ndim == 3 else seen
        apart, variance = _of_labels(labels, np.asarray(truth[rows]), starts)
    else:
        told, few = _told(outcome)[rows], -(-seen.size // _AT_ONCE)
        parts = [seen] if ranks is not None else map(_ranks, np.array_split(seen, few, axis=1))
        each = [_of_scores(part, told, starts) for part in parts]
        apart, variance = (np.concatenate(some) for some in zip(*each, strict=True))
    known = variance > 0
    standing: FloatArray = np.where(known, apart / np.sqrt(np.where(known, variance, 1.0)), np.nan)
    for c in np.flatnonzero(standing < -ERRORS).tolist():
        given = array[:, c], outcome, predictions.kind
        if _is_near_mean(*given) or leaves_one_out(*given, folds):
            standing[c] = np.nan
    return standing


def _of_classes(array: FloatArray, outcome: Outcome) -> bool:
    """True for labels (N, C) of several classes, or a column per class (N, C, K)."""
    return outcome.task.is_classification and (array.ndim == 3 or len(outcome.classes) > 2)


def _is_near_mean(column: FloatArray, outcome: Outcome, kind: PredictionKind) -> bool:
    """True if predictions (N,) may be little more than means of the truth of other samples."""
    if kind is PredictionKind.LABEL or column.ndim > 1 or outcome.task is Task.SURVIVAL:
        return False
    truth = outcome.values.astype(float)
    apart = np.sqrt(np.mean((column - truth.mean()) ** 2))
    return bool(apart <= LEANING * truth.std())


def on_turned(
    predictions: Values, outcome: Outcome, standing: FloatArray, folds: IntArray | None = None
) -> Iterator[Note]:
    """Yield the note on configurations that go against the truth while others go with it.

    `standing` (C,) are their `z_of_each`.
    """
    n_folds = 1 if folds is None else len(distinct(folds[0]))
    least = sqrt(2 * n_folds / pi)
    if not ((standing > least).any() and (standing < -least).any()):
        return
    from statistics import NormalDist

    far = NormalDist().inv_cdf(1 - NOISE_TOLERANCE / len(standing))
    trained = WITHOUT_SCALE if predictions.kind is PredictionKind.SCORE else TRAINED
    limit = max(trained * far, least + sqrt(1 - 2 / pi) * far)
    with_it, against = standing > limit, standing < -limit
    if outcome.task is Task.SURVIVAL and against.sum() > with_it.sum():
        # the direction of risks is an option: the minority is turned round
        with_it, against = against, with_it
    if not with_it.any() or not against.any():
        return
    names = predictions.configurations
    turned, best = np.flatnonzero(against), int(np.nanargmax(standing))
    shown = ""
    if outcome.task is not Task.SURVIVAL:
        of_turned, of_best = measure_of_each(predictions, outcome, np.array([turned[0], best]))
        measure = measure_of(outcome, predictions.kind)
        shown = f": {names[turned[0]]} has {measure} {of_turned:.3g}, {names[best]} {of_best:.3g}"
    likely = "check for a swapped sign, or a loss instead of a score;"
    if outcome.task.is_classification:
        likely = "check for the probability of another class, or swapped labels;"
    yield of_data.turned_round([names[c] for c in turned.tolist()], shown, likely)


def _told(outcome: Outcome) -> FloatArray:
    """Return a (N,): the truth of each sample; for times with the Nelson-Aalen hazard."""
    values = outcome.values.astype(float)
    if outcome.task is Task.REGRESSION:
        return _ranks(values[:, None])[:, 0]
    if outcome.event is None:
        return np.asarray(values)
    order = np.argsort(values, kind="stable")
    in_order = values[order]
    at_risk = len(values) - np.searchsorted(in_order, in_order, "left")
    hazards = np.cumsum(outcome.event[order] / at_risk)
    return outcome.event - np.asarray(hazards[np.searchsorted(in_order, values, "right") - 1])


def _ranks(columns: FloatArray) -> FloatArray:
    """Return centred ranks of the entries of each column (n, C); ties get the mean rank."""
    return np.ascontiguousarray(mean_ranks(columns.T).T) - (len(columns) + 1) / 2


def _of_scores(
    ranks: FloatArray, truth: FloatArray, starts: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return T minus its mean, and its variance, (C,) each, of ranks (n, C) and truth (n,), both
    sorted by fold.
    """
    sizes = lengths_of(starts, len(truth))
    centred = truth - np.repeat(np.add.reduceat(truth, starts) / sizes, sizes)
    sums = np.add.reduceat(ranks, starts)
    squares = np.add.reduceat(ranks**2, starts) - sums**2 / sizes[:, None]
    squares[squares < 0.25] = 0.0  # two different ranks give at least 0.5
    each = np.add.reduceat(centred**2, starts) / np.maximum(sizes - 1, 1)
    return centred @ ranks, each @ squares


def _of_labels(
    labels: FloatArray, truth: IntArray, starts: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return T minus its mean, and its variance, (C,) each, of labels (n, C) and truth (n,), both
    sorted by fold.

    T is sum_k a_ik b_ik of indicators of the classes, with variance
    sum_kl S_aa[k, l] S_bb[k, l] / (n_f - 1).
    """
    sizes = lengths_of(starts, len(truth))[:, None]
    products, ours, theirs, right = (np.zeros((len(starts), labels.shape[1])) for _ in range(4))
    for code in range(int(max(truth.max(), labels.max())) + 1):
        actual = np.add.reduceat((truth == code).astype(float), starts)[:, None]
        predicted = np.add.reduceat((labels == code).astype(float), starts)
        products += actual * predicted
        ours, theirs = ours + actual**2 * predicted, theirs + actual * predicted**2
    right = np.add.reduceat((labels == truth[:, None]).astype(float), starts)
    spread = products - (ours + theirs) / sizes + (products / sizes) ** 2
    spread[spread < 1e-9 * sizes**2] = 0.0
    return ((right - products / sizes).sum(axis=0), (spread / np.maximum(sizes - 1, 1)).sum(axis=0))


_GLANCE = 64
"""Rows checked before a whole configuration."""

_MOST_CELLS = 1_000_000
"""Cells used for a median; larger matrices give evenly spaced samples."""

_CELLS = 2**16
"""Cells checked together."""

_FEWEST_SAMPLES = 20
"""From this many samples on, a sequence of integers is not an accident."""

_FEWEST_APART = 5
"""From this many samples on, a value of the truth far from all others is no accident."""

_FEWEST_PER_FOLD = 3
"""From this many samples per fold on, one value per fold is not an accident."""

_FAR = 2.5
"""Standard deviations of the truth by which no model's median is off."""


def notes_on(
    values: Values,
    outcome: Outcome,
    folds: IntArray | None,
    known: Container[str],
    copied: BoolArray,
    told: bool,
) -> Iterator[Note]:
    """Yield notes on columns unlikely to be predictions, and on polarity.

    `known` are configurations named by hand; `copied` (C,) those that are `equal_to_truth`;
    `told` says that predictions come with their class.
    """
    names, ranks = values.configurations, ranks_of(values, outcome)
    named = np.array([name in known for name in names])
    constant = np.zeros_like(named)
    if values.kind is not PredictionKind.LABEL:
        constant = _checked(values.array, _constant, ~named)
    by_fold = _by_fold(values, outcome, folds, ~(named | constant))
    for note, which in (
        (of_data.equals_truth, copied),
        (of_data.constant_predictions, constant),
        (of_data.fold_like, by_fold),
    ):
        if which.any():
            yield note([names[c] for c in np.flatnonzero(which)])
    off, scale = _outside(values, outcome)
    off = off & ~(named | constant | by_fold)
    if off.any():
        first: FloatArray = values.array[:, :, [int(np.argmax(off))]]
        extent = f"{float(first.min()):.6g} to {float(first.max()):.6g}"
        strange = [names[c] for c in np.flatnonzero(off)]
        yield of_data.off_scale(strange, extent, scale, every=bool(off.all()))
    yield from _on_apart(outcome)
    ordered = ordering_signs(values, outcome, folds)
    perfect = tuple(on_perfection(values, outcome, ordered, copied))
    reversed_ = tuple(check_polarity(values, outcome, ranks, told=told))
    yield from (*perfect, *reversed_, *on_training_rows(values, outcome, folds))
    yield from on_marks(values, outcome)
    if not reversed_:
        standing = z_of_each(values, outcome, folds, ranks)
        standing[(ordered < 0) & bool(perfect)] = np.nan  # already told
        yield from on_turned(values, outcome, standing, folds)


def _checked(
    array: FloatArray, test: Callable[[FloatArray], BoolArray], among: BoolArray
) -> BoolArray:
    """(C,) True for configurations that pass a test of columns (n, C'), which a glance can fail."""
    flat = array.reshape(-1, *array.shape[2:])
    passed = among & test(flat[:: max(1, len(flat) // _GLANCE)])
    columns, step = np.flatnonzero(passed), max(_CELLS // max(len(flat), 1), 1)
    for start in range(0, len(columns), step):
        chosen = columns[start : start + step]
        passed[chosen] = test(flat[:, chosen])
    return passed


def _constant(columns: FloatArray) -> BoolArray:
    """(C,) True if all entries of columns (n, C) or (n, C, K) equal those of the first row."""
    same = np.asarray((columns == columns[:1]).all(axis=0))
    return np.asarray(same.all(axis=1)) if same.ndim == 2 else same


def _by_fold(
    predictions: Values, outcome: Outcome, folds: IntArray | None, among: BoolArray
) -> BoolArray:
    """(C,) True for configurations that hold a number of the fold or of the row."""
    array = predictions.array
    suspect = np.zeros(array.shape[2], bool)
    labels = predictions.kind is PredictionKind.LABEL and outcome.task is Task.BINARY
    if array.ndim == 4 or labels:
        return suspect
    if folds is not None and array.shape[1] >= _FEWEST_PER_FOLD * (int(folds.max()) + 1):
        suspect = _constant_in_folds(predictions, outcome, folds, among)
    if array.shape[1] >= _FEWEST_SAMPLES:
        suspect |= _checked(array[:1], _in_order, among & ~suspect)
    return suspect


def _constant_in_folds(
    predictions: Values, outcome: Outcome, folds: IntArray, among: BoolArray
) -> BoolArray:
    """(C,) True if constant within each fold of each repeat, unless it is a plain baseline.

    Baselines are the prevalence, the mean and the median of the other folds. For labels, each fold
    must have its own value.
    """
    array = predictions.array
    first = np.flatnonzero(folds[0] == folds[0, 0])[:_GLANCE]
    constant = among & _constant(array[0, first])
    if not constant.any():
        return constant
    cells = np.arange(len(folds))[:, None] * (int(folds.max()) + 1) + folds
    parts = [cells == cell for cell in distinct(cells)]
    for c in np.flatnonzero(constant):
        column = array[:, :, c]
        values = np.array([column[part][0] for part in parts])
        steady = all((column[part] == v).all() for part, v in zip(parts, values, strict=True))
        n_values = len(np.unique(values))
        labelled = predictions.kind is PredictionKind.LABEL and n_values < max(3, len(parts))
        by_fold = steady and n_values > 1 and not labelled
        constant[c] = by_fold and not _baseline(values, parts, outcome)
    return constant


def _baseline(values: FloatArray, parts: list[BoolArray], outcome: Outcome) -> bool:
    """True for one value per fold that summarises the outcome of the other folds."""
    if outcome.event is not None:
        return False
    truth = outcome.values.astype(float)
    others = [~part.any(axis=0) for part in parts]
    for summary in (np.mean, np.median):
        expected = [summary(truth[rows]) if rows.any() else np.nan for rows in others]
        if np.allclose(values, expected, rtol=1e-3, atol=0):
            return True
    return False


def _in_order(columns: FloatArray) -> BoolArray:
    """(C,) True if columns (n, C) are three or more integers that only rise or only fall."""
    steps = np.diff(columns, axis=0)
    ordered = (steps >= 0).all(axis=0) | (steps <= 0).all(axis=0)
    whole = (columns == np.rint(columns)).all(axis=0)
    return np.asarray(whole & ordered & ((steps != 0).sum(axis=0) >= 2))


def _on_apart(outcome: Outcome) -> Iterator[Note]:
    """Yield a note on a value of the truth (N,) that recurs, farther from all others than these are
    from each other: -999 for a missing one.
    """
    values = outcome.values if outcome.task is Task.REGRESSION else np.zeros(1)
    for end in (values.min(), values.max()):
        others = values[values != end]
        if len(values) - len(others) >= _FEWEST_APART and len(distinct(others)) >= _FEWEST_SAMPLES:
            low, high = others.min(), others.max()
            if max(low - end, end - high) > high - low:
                span = f"{low:.6g} to {high:.6g}"
                yield of_data.truth_apart(f"{end:.6g}", len(values) - len(others), span)


def _outside(predictions: Values, outcome: Outcome) -> tuple[BoolArray, str]:
    """(C,) True for configurations outside the range of the truth, or near its logarithm instead,
    or that are no probabilities if most are; and that range.
    """
    array, kind = predictions.array, predictions.kind
    if outcome.task is Task.REGRESSION:
        step = -(-array[0].size // _MOST_CELLS)
        some, truth = array[0, ::step], outcome.values[::step, None]
        medians, low, high = np.median(some, axis=0), outcome.values.min(), outcome.values.max()
        with np.errstate(over="ignore"):  # of squares beyond 1e154
            far = np.abs(medians - np.median(outcome.values)) > _FAR * outcome.values.std()
            if low > -1:  # or predictions of the logarithm
                off, logs = ((some - truth) ** 2).mean(axis=0), np.log1p(truth)
                far |= (off > truth.var()) & (((some - logs) ** 2).mean(axis=0) < logs.var() / 2)
        outside = ((medians < low) | (medians > high) | far) & (low < high)
        return np.asarray(outside), f"the truth is {low:.6g} to {high:.6g}"
    if kind is not PredictionKind.SCORE or not outcome.task.is_classification:
        return np.zeros(array.shape[2], bool), ""
    axes = (0, 1) if array.ndim == 3 else (0, 1, 3)
    proper = (array.min(axis=axes) >= 0) & (array.max(axis=axes) <= 1)
    if array.ndim == 4:
        proper &= (np.abs(array.sum(axis=3) - 1) <= SUM_TOLERANCE).all(axis=(0, 1))
    n_proper = int(proper.sum())
    few = 2 * n_proper >= len(proper)
    text = f"{n_proper} configurations are probabilities; now all count as scores"
    return np.asarray(~proper & few), text
