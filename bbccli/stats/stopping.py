"""Epochs: columns of one configuration at several, and what early stopping adds to a score.

## Columns of an axis

An axis is epochs, or seeds.

1. The metadata say so: `"axis": {"epoch": 12}` of a configuration.
2. Columns `config@12`, three or more in equal steps with the same name before the last `@`, whose
   predictions drift: the further apart two numbers are, the more they differ. With such evidence
   other columns of the file that are named so are epochs too, two or more of a configuration.
   Without it `lr@1` and `lr@2` are configurations, since a number may stand for anything.

## Early stopping

1. A run may keep the score of each iteration in each fold. If one that is not the last is the score
   of the kept predictions there, the model was stopped by the samples of the fold.
2. The other folds choose an iteration by their mean score; a fold that stopped counts with its last
   score from then on.
3. What stopping added is the mean over folds of the score at the own iteration, less that at the
   iteration of the others. A part of the optimism remains, as the others choose by few samples too:
   of the log-loss 0.049 / 0.013 / 0.007 with 60 / 150 / 400 samples.

Source: none; studies in [early stopping](../benchmarks/validation-tables.md#early-stopping).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bbccli.domain.estimate import Axis, AxisShare, Estimate
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.domain.source import STOPPED_EARLY, FoldCurves, agrees, tolerance_of
from bbccli.metrics import Metric, fitting
from bbccli.notes import Note
from bbccli.notes.lacking import epoch_chosen, stopped_on_fold, winner_stopped
from bbccli.platform.dataclass import dataclass
from bbccli.stats.resampling import draws_of
from bbccli.stats.selection.candidates import Candidates, cached, candidates
from bbccli.types import Direction, FloatArray, Pooling

_NAME = re.compile(r"(.+)@(\d+)")
_STEADY, _STEADY_OF_FEW, _FEW_UNITS = 0.5, 0.75, 4
"""Correlation of distance along the axis and of predictions, above which it has an order; of a few
columns, which come into an order by chance."""
_MOST_ROWS, _MOST_COLUMNS, _MOST_SHOWN = 500, 30, 10


@dataclass(frozen=True, slots=True)
class Stopped:
    """A configuration that stopped training in each fold by the samples that score it there.

    configuration: name of the configuration
    metric: name of the metric by which it stopped; null, as all else, where the run kept no curves
    added: mean score in the folds, less that at the iterations that the other folds choose;
        positive: stopping made it look better
    iterations: iteration in each fold, from 1
    by_others: iteration that the other folds choose for each
    """

    configuration: str
    metric: str | None = None
    added: float | None = None
    iterations: tuple[int, ...] = ()
    by_others: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a column is: of a configuration, at a value of an axis."""

    configuration: str
    axis: str
    value: int


def places_of(matrix: PredictionMatrix) -> Mapping[str, Place]:
    """Return the place of each column that is on an axis, alone or with others."""
    return cached(matrix, "axis", lambda: dict(_places(matrix)))


def _places(matrix: PredictionMatrix) -> Iterator[tuple[str, Place]]:
    about, named = matrix.source.configurations, dict[str, dict[int, list[int]]]()
    for column, name in enumerate(matrix.configurations):
        if name not in about and "@" not in name:
            continue
        declared, match = about.get(name, {}).get("axis"), _NAME.fullmatch(name)
        values = [*declared.items()] if isinstance(declared, Mapping) else []
        values = [
            value for value in values if type(value[1]) is int and value[0] != "configuration"
        ]
        if len(values) == 1 and isinstance(declared, Mapping):
            (axis, value), called = values[0], declared.get("configuration")
            yield name, Place(str(called or (match[1] if match else name)), str(axis), value)
        elif match:
            named.setdefault(match[1], {}).setdefault(int(match[2]), []).append(column)
    several = {
        configuration: {value: column for value, (column,) in sorted(columns.items())}
        for configuration, columns in named.items()
        if len(columns) > 1 and all(len(column) == 1 for column in columns.values())
    }
    if not any(_is_steady(matrix, columns) for columns in several.values()):
        return
    for configuration, places in several.items():
        for value, column in places.items():
            yield matrix.configurations[column], Place(configuration, "epoch", value)


def _is_steady(matrix: PredictionMatrix, places: Mapping[int, int]) -> bool:
    """True if three or more columns in equal steps differ the more, the further apart they are."""
    if len(places) < 3 or len({*np.diff([*places])}) > 1:
        return False
    columns = np.array([*places.values()])
    columns = columns[np.linspace(0, len(columns) - 1, min(len(columns), _MOST_COLUMNS), dtype=int)]
    rows = np.linspace(0, matrix.n_samples - 1, min(matrix.n_samples, _MOST_ROWS), dtype=int)
    values = matrix.predictions[0][rows][:, columns].swapaxes(0, 1).reshape(len(columns), -1)
    first, second = np.triu_indices(len(columns), 1)
    apart = np.abs(values[first] - values[second]).mean(axis=1)
    limit = _STEADY_OF_FEW if len(columns) <= _FEW_UNITS else _STEADY
    return bool(np.ptp(apart) > 0 and np.corrcoef(second - first, apart)[0, 1] > limit)


def axis_of(matrix: PredictionMatrix, estimate: Estimate) -> Axis | None:
    """Return where the winner is on its axis, and how often each place won; None without one."""
    places = places_of(matrix)
    of = places.get(estimate.winner)
    if of is None:
        return None
    won = {
        places[win.configuration].value: win.share
        for win in estimate.selection
        if win.configuration in places
        and places[win.configuration].configuration == of.configuration
    }
    listed = sorted(won, key=lambda value: (-won[value], value))[:_MOST_SHOWN]
    return Axis(
        of.configuration,
        of.axis,
        of.value,
        sum(won.values()) if won else None,
        tuple(AxisShare(value, won[value]) for value in listed),
    )


def on_chosen(matrix: PredictionMatrix, winner: str) -> Iterator[Note]:
    """Yield a note where only one epoch of the winner was kept."""
    places = places_of(matrix)
    of = places.get(winner)
    if of is None:
        return
    others = [place for place in places.values() if place.configuration == of.configuration]
    if len(others) == 1:
        yield epoch_chosen(of.configuration, of.axis, of.value, matrix.n_samples)


NAIVE = "cvt"
"""The method whose figure is the naive one."""
_TOLERANCE = 1e-5
"""Of scores that tools compute in 32 bits, or clip elsewhere."""
_FEW = 300
"""Samples below which a winner that stopped early is in doubt."""
_N_BLOCKS = 2
"""Blocks of resamples that tell the standard error of a difference."""
_MOST = 20
"""Configurations, the best ones, that are compared with the winner."""


def stopped(matrix: PredictionMatrix) -> Mapping[str, Stopped]:
    """Return what stopping added to each configuration whose run kept the curves of its folds."""
    return cached(matrix, "stopped", lambda: {stop.configuration: stop for stop in _found(matrix)})


def _found(matrix: PredictionMatrix) -> Iterator[Stopped]:
    run, folds = matrix.source.run, matrix.folds
    if run is None or not run.curves or folds is None or len(folds) > 1 or matrix.n_folds is None:
        return
    known = {metric.name: metric for metric in fitting(matrix)}
    weights = (folds[0] == np.arange(matrix.n_folds)[:, None]).astype(np.uint8)
    for curves in run.curves:
        metric = known.get(curves.metric)
        if metric is None or curves.id not in matrix.configurations:
            continue
        column = matrix.configurations.index(curves.id)
        scores = Candidates(matrix, metric, Pooling.POOLED).score(weights)[:, column]
        stop = _of(curves, metric, scores)
        if stop is not None:
            yield stop


def _of(curves: FoldCurves, metric: Metric, scores: FloatArray) -> Stopped | None:
    """Return what stopping added, if the curves hold the scores (F,) of the kept predictions."""
    if len(curves.folds) != len(scores) or len(scores) < 2 or not all(curves.folds):
        return None
    for sign in (1, -1):
        parts = [sign * np.array(fold) for fold in curves.folds]
        stops = [_kept(c, value, metric.direction) for c, value in zip(parts, scores, strict=True)]
        if None in stops or all(at == len(c) - 1 for at, c in zip(stops, parts, strict=True)):
            continue
        longest = max(map(len, parts))
        whole = np.array([np.pad(part, (0, longest - len(part)), "edge") for part in parts])
        others = [
            min(
                int(metric.direction.best(np.delete(whole, f, 0).mean(axis=0)[None])[0]),
                len(curve) - 1,
            )
            for f, curve in enumerate(parts)
        ]
        kept = whole[np.arange(len(parts)), [at for at in stops if at is not None]]
        added = metric.direction.gain(kept, whole[np.arange(len(parts)), others]).mean()
        return Stopped(
            curves.id,
            metric.name,
            float(added),
            tuple(int(at) + 1 for at in stops if at is not None),
            tuple(at + 1 for at in others),
        )
    return None


def _kept(curve: FloatArray, score: float, direction: Direction) -> int | None:
    """Return the iteration of a score: the best if it is that one, else the nearest."""
    apart = np.abs(curve - score)
    if np.isnan(apart).any():
        return None
    best, nearest = int(direction.best(curve[None])[0]), int(apart.argmin())
    for at in (best, nearest):
        if agrees(float(curve[at]), score, tolerance_of(_TOLERANCE, score)):
            return at
    return None


def stopped_of(matrix: PredictionMatrix, estimates: Sequence[Estimate]) -> list[Stopped]:
    """Return the winner, or the members of an ensemble, that stopped on the folds that score them,
    with what that added if it is known.
    """
    known, flagged = stopped(matrix), _flagged(matrix)
    names = [name for estimate in _answering(estimates) for name in _parts(estimate)]
    return [known.get(name, Stopped(name)) for name in names if name in known or name in flagged]


def _answering(estimates: Sequence[Estimate]) -> Sequence[Estimate]:
    """Return the estimate that answers, by the first metric."""
    of_metric = [estimate for estimate in estimates if estimate.metric == estimates[0].metric]
    corrected = [e for e in of_metric if e.interval and not e.ignores_selection]
    return (corrected or of_metric)[:1]


def _flagged(matrix: PredictionMatrix) -> set[str]:
    """Return the configurations that their metadata say stopped early."""
    about = matrix.source.configurations.items()
    return {name for name, config in about if STOPPED_EARLY in (config.get("flags") or ())}


def _parts(estimate: Estimate) -> list[str]:
    """Return the winner, or the members of an ensemble."""
    made = estimate.made
    if made is None or not made.ensemble:
        return [estimate.winner]
    return [member.configuration for member in made.members if member.weight > 0]


def less_stopping(
    estimate: Estimate, matrix: PredictionMatrix, metric: Metric, pooling: Pooling
) -> Estimate:
    """Return a corrected mean over folds without what stopping added to those that won."""
    known = stopped(matrix) if pooling is Pooling.FOLD_MEAN and estimate.made is None else {}
    held_out = estimate.n_evaluation is not None or estimate.opened is not None
    if not known or estimate.ignores_selection or estimate.method == NAIVE or held_out:
        return estimate
    names, distribution = matrix.configurations, estimate.distribution
    shares = np.array([float(name == estimate.winner) for name in names])
    if distribution is not None:
        shares = distribution.shares(len(names))
    extra = {name: stop.added for name, stop in known.items() if stop.metric == metric.name}
    added = sum(share * (extra.get(name) or 0.0) for name, share in zip(names, shares, strict=True))
    if not added:
        return estimate
    bounds = metric.within(matrix.outcome).bounds

    def moved(value: FloatArray | float) -> FloatArray:
        return np.asarray(np.clip(value - metric.direction.sign * added, *bounds))

    interval = estimate.interval
    return replace(
        estimate,
        value=float(moved(estimate.value)),
        interval=interval
        and replace(
            interval, lower=float(moved(interval.lower)), upper=float(moved(interval.upper))
        ),
        distribution=distribution and replace(distribution, values=moved(distribution.values)),
        stopping=float(added),
    )


def on_stopping(
    matrix: PredictionMatrix, metric: Metric, plan: Plan, estimates: Sequence[Estimate]
) -> Iterator[Note]:
    """Yield a note where the winner, or a member of the ensemble, stopped on the fold that scores
    it.
    """
    for estimate in _answering(estimates):
        yield from on_chosen(matrix, estimate.winner)
        ensemble = estimate.winner if estimate.made is not None and estimate.made.ensemble else ""
        yield from on_stopped(matrix, metric, plan, _parts(estimate), ensemble)


def on_stopped(
    matrix: PredictionMatrix, metric: Metric, plan: Plan, names: Sequence[str], ensemble: str = ""
) -> Iterator[Note]:
    """Yield a note where the winner, or one of the members of an ensemble, stopped early."""
    flagged = _flagged(matrix)
    stopped = [name for name in names if name in flagged]
    if stopped:
        note = winner_stopped if matrix.n_samples < _FEW else stopped_on_fold
        good = [] if ensemble else _as_good(matrix, metric, plan, names[0], flagged)
        yield note(stopped, ensemble, metric.name, matrix.n_samples, good)


def _as_good(
    matrix: PredictionMatrix, metric: Metric, plan: Plan, winner: str, flagged: Collection[str]
) -> list[str]:
    """Return others that are within one standard error of the winner, the best first."""
    every = candidates(matrix, metric, plan.pooling).performances()
    order = np.argsort(-metric.direction.gain(every, 0.0), kind="stable")
    others = [c for c in order if matrix.configurations[c] not in flagged][:_MOST]
    if not others:
        return []
    columns = np.array([matrix.configurations.index(winner), *others])
    some = Candidates(matrix.of_configurations(columns), metric, plan.pooling)
    drawn = draws_of(matrix.n_samples, matrix.groups, plan.seed).batch(0, _N_BLOCKS)
    values = some.score(drawn.in_bag)
    errors = np.nanstd(values[:, 1:] - values[:, :1], axis=0)
    lead = metric.direction.gain(every[columns[0]], every[others])
    names = [matrix.configurations[c] for c in others]
    return [name for name, near in zip(names, lead <= errors, strict=True) if near]
