"""The prediction matrix: validated once, read-only afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.core.arguments import choice, settle
from bbccli.core.matrix_checks import check_classes, check_finite, check_names, check_shapes
from bbccli.core.notes import Note
from bbccli.core.outcome import Outcome
from bbccli.core.source import Source
from bbccli.errors import InputError, OptionError, UnsupportedError, parameter
from bbccli.types import (
    BoolArray,
    FloatArray,
    IntArray,
    PredictionKind,
    RiskDirection,
    Task,
    distinct,
    made_anew,
    readonly,
)

# A probability of exactly one half is not above it: the class that sorts first is predicted,
# as an arg max over the two columns would.
CUT = 0.5

PLURAL = {
    PredictionKind.LABEL: "class labels",
    PredictionKind.PROBABILITY: "probabilities",
    PredictionKind.SCORE: "scores without bounds",
    PredictionKind.VALUE: "values",
}

FORMS = {
    PredictionKind.LABEL: {PredictionKind.LABEL},
    PredictionKind.PROBABILITY: set(PredictionKind) - {PredictionKind.VALUE},
    PredictionKind.SCORE: {PredictionKind.SCORE},
    PredictionKind.VALUE: {PredictionKind.VALUE},
}
"""Forms in which predictions of a kind can be had, whatever the threshold."""


def as_labels(
    predictions: FloatArray, kind: PredictionKind, threshold: float | None
) -> FloatArray | IntArray:
    """Return class codes (R, N, C) int64 of predictions (R, N, C) or (R, N, C, K).

    Labels as they are; the positive class where a score or probability is above the threshold, or
    one half; of K columns the largest, the first on ties.
    """
    if predictions.ndim == 4:
        return np.asarray(np.argmax(predictions, axis=3))
    if kind is PredictionKind.LABEL:
        return predictions.astype(np.int64)
    return (predictions > (CUT if threshold is None else threshold)).astype(np.int64)


def check_threshold(threshold: float | None, task: Task, kind: PredictionKind) -> None:
    """Refuse a threshold for predictions that it does not apply to, or out of their range."""
    if threshold is None:
        return
    plural = PLURAL[kind]
    scores = kind in (PredictionKind.SCORE, PredictionKind.PROBABILITY)
    if task is not Task.BINARY or not scores:
        raise OptionError(
            f"{parameter('threshold')} cuts scores or probabilities of two classes; these "
            f"predictions are {plural} of a {task} task",
            hint="leave it out",
        )
    bounded = kind is PredictionKind.PROBABILITY
    if not np.isfinite(threshold) or (bounded and not 0 <= threshold <= 1):
        raise OptionError(
            f"{parameter('threshold')} is {threshold:g}, and the predictions are {plural}",
            hint="for example 0.5" if bounded else "a finite number, for example 0",
        )


@dataclass(frozen=True, slots=True, eq=False)
class SampleKeys:
    """What N samples are called.

    Parameters
    ----------
    values : (N,)
        Whole numbers, or text as UTF-8: a fraction of the memory of text.
    column
        Column that holds them; None where they are the positions of the rows.
    rows : (N,), optional
        Row of the file in which each sample appears first; None where they are not of one file.
    """

    values: IntArray | NDArray[np.bytes_]
    column: str | None = "row_id"
    rows: IntArray | None = None

    __reduce__ = made_anew

    def __len__(self) -> int:
        return len(self.values)

    def take(self, samples: IntArray | BoolArray) -> SampleKeys:
        """Return the keys of some samples, by their positions or where True."""
        rows = None if self.rows is None else self.rows[samples]
        return SampleKeys(self.values[samples], self.column, rows)

    def as_text(self) -> NDArray[np.str_]:
        """(N,) the keys as text.

        Examples
        --------
        >>> SampleKeys(np.array([7, 12])).as_text().tolist()
        ['7', '12']
        """
        values: Any = self.values
        text = np.char.decode(values, "utf-8") if values.dtype.kind == "S" else values.astype(str)
        return np.asarray(text)


@dataclass(frozen=True, slots=True, eq=False)
class NestedFold:
    """One outer fold of one repeat: T training samples with inner predictions, and a test set.

    Parameters
    ----------
    name
        Of the outer fold, as in the file.
    repeat
        Position of the repeat, 0..R-1.
    training : (T,) int
        Positions of the training samples among the N of the matrix.
    test : (M,) int
        Positions of the samples of the outer fold; disjoint from `training`.
    predictions : (T, C) or (T, C, K)
        Inner out-of-sample predictions of the training samples, finite.
    folds : (T,) int
        Inner fold of each training sample, coded 0..F-1 in the order of `fold_names`.
    fold_names
        Names of the inner folds.
    """

    name: str
    repeat: int
    training: IntArray
    test: IntArray
    predictions: FloatArray
    folds: IntArray
    fold_names: tuple[str, ...] = field(default=())

    __reduce__ = made_anew

    def __post_init__(self) -> None:
        for name in ("training", "test", "predictions", "folds"):
            view = np.asarray(getattr(self, name)).view()
            view.setflags(write=False)
            object.__setattr__(self, name, view)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A cross-validation in progress: what there is besides the complete predictions.

    Parameters
    ----------
    dropped
        Configurations that lack predictions on samples that others predict, in the order of the
        file. They were dropped after an earlier fold.
    models
        Models of each of them: folds, of all repeats, in which it has predictions.
    n_models
        Folds, of all repeats, in which some configuration has predictions; None when folds are
        unknown.
    n_to_come
        Folds, of all repeats, without any prediction; None when unknown.
    names
        All configurations of the file, in its order.
    """

    dropped: tuple[str, ...] = ()
    models: tuple[int, ...] = ()
    n_models: int | None = None
    n_to_come: int | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False, weakref_slot=True)
class PredictionMatrix:
    """Out-of-sample predictions of C configurations on N samples in R repeats.

    Parameters
    ----------
    outcome
        The truth of the N samples.
    predictions : (R, N, C) or (R, N, C, K)
        Finite float32 or float64, or what reads some of their columns when asked; class codes when
        `kind` is label; K probabilities per configuration for multiclass tasks, of the positive
        class alone for binary ones.
    configurations
        C unique, non-empty names.
    kind
        What a prediction is.
    folds : (R, N) int, optional
        Fold of each sample within its repeat, coded 0..F-1 in the order of `fold_names`.
    fold_names
        Names of the F fold codes, as in the file.
    groups : (N,) int, optional
        Cluster of each sample, coded 0..G-1.
    available : (R, N, C) bool, optional
        Where there is a prediction; elsewhere `predictions` holds some finite number that is never
        scored. None where every configuration predicts every sample.
    nested
        Outer folds with their inner predictions, where the cross-validation was a nested one; then
        `predictions` are those of the outer test samples and `folds` the outer folds.
    source
        File, content hash and metadata.
    notes
        What was noticed while reading.
    threshold
        Where scores or probabilities of a binary task are cut into classes; without it
        probabilities are cut at 0.5 and unbounded scores are not.
    risk_direction
        Of a survival task: what higher predictions meant before `with_risk_direction`.
    unfinished
        Of a cross-validation in progress; its samples so far may be of one class.
    repeated_holdout
        Whether each repeat predicts a part of the samples, as in Monte-Carlo cross-validation:
        `available` says which. A performance is then the mean over the repeats that have one, and
        there are no folds.
    sample_keys
        What the N samples are called in the file; None where they have no names.
    train_size
        Samples that trained each model; None where the file does not say.
    smaller
        The same configurations trained on fewer samples, fewest first, each with its `train_size`.

    Raises
    ------
    OptionError
        A threshold for predictions that it does not apply to, or out of their range.
    InputError
        Shapes that do not match, non-finite predictions, names that are empty or occur twice.
    UndefinedError
        Classification with fewer than two classes among the samples.
    """

    outcome: Outcome
    predictions: FloatArray
    configurations: tuple[str, ...]
    kind: PredictionKind
    folds: IntArray | None = None
    fold_names: tuple[str, ...] = ()
    groups: IntArray | None = None
    source: Source = field(default_factory=Source)
    notes: tuple[Note, ...] = ()
    threshold: float | None = None
    available: BoolArray | None = None
    unfinished: Unfinished | None = None
    nested: tuple[NestedFold, ...] | None = None
    repeated_holdout: bool = False
    risk_direction: RiskDirection = RiskDirection.EARLIER
    sample_keys: SampleKeys | None = None
    train_size: int | None = None
    smaller: tuple[PredictionMatrix, ...] = ()

    def __post_init__(self) -> None:
        settle(self)
        path = self.source.path
        check_shapes(
            self.predictions,
            path,
            outcome=(len(self.outcome),),
            configurations=(len(self.configurations),),
            folds=_shape(self.folds),
            groups=_shape(self.groups),
            sample_keys=None if self.sample_keys is None else (len(self.sample_keys),),
            available=_shape(self.available),
        )
        if self.repeated_holdout and self.available is None:
            raise InputError(
                "repeated hold-out needs to know what is available",
                path=path,
                hint="give `available` (R, N, C)",
            )
        check_threshold(self.threshold, self.task, self.kind)
        check_names(self.configurations, path)
        if isinstance(self.predictions, np.ndarray):  # what stays in its file was looked at there
            check_finite(self.predictions, self.configurations, path)
        if self.unfinished is None:
            check_classes(self.outcome)
        for name in ("predictions", "folds", "groups", "available"):
            array = getattr(self, name)
            if isinstance(array, np.ndarray):
                object.__setattr__(self, name, readonly(array))

    __reduce__ = made_anew

    def __repr__(self) -> str:
        what = f"{self.task} task, {self.kind} predictions"
        repeats = f", {self.n_repeats} repeats" if self.n_repeats > 1 else ""
        size = f"{self.n_samples} samples x {self.n_configurations} configurations{repeats}"
        return f"<PredictionMatrix of {self.source.path or 'arrays'}: {size}, {what}>"

    @property
    def task(self) -> Task:
        """Return what is predicted."""
        return self.outcome.task

    @property
    def n_repeats(self) -> int:
        """R, full cross-validation passes."""
        return int(self.predictions.shape[0])

    @property
    def n_samples(self) -> int:
        """N."""
        return int(self.predictions.shape[1])

    @property
    def n_configurations(self) -> int:
        """C."""
        return int(self.predictions.shape[2])

    @property
    def keys(self) -> NDArray[np.str_]:
        """(N,) what each sample is called: its `row_id`, or its number in the file, from 0."""
        keys = self.sample_keys or SampleKeys(np.arange(self.n_samples))
        return keys.as_text()

    @property
    def size(self) -> tuple[int, int]:
        """N, and the bytes of the predictions."""
        return self.n_samples, self.predictions.nbytes

    @property
    def n_folds(self) -> int | None:
        """F, the most folds of any repeat; None when folds are unknown."""
        if self.folds is None:
            return None
        return max(len(distinct(row)) for row in self.folds)

    @property
    def n_groups(self) -> int | None:
        """G; None when there are no groups."""
        return None if self.groups is None else len(distinct(self.groups))

    def n_predicted(self, configuration: int) -> int | None:
        """Samples that a configuration predicts in some repeat; None where these are all."""
        if self.available is None:
            return None
        found = int(self.available[:, :, configuration].any(axis=0).sum())
        return found if found < self.n_samples else None

    def of_repeat(self, repeat: int) -> PredictionMatrix:
        """Return the matrix of one of the R repeats alone."""
        return self._at((slice(repeat, repeat + 1),))

    def of_configurations(self, columns: IntArray) -> PredictionMatrix:
        """Return the matrix of some of the C configurations, in the order of `columns` (C',)."""
        names = tuple(self.configurations[c] for c in columns)
        return self._at((slice(None), slice(None), columns), configurations=names)

    def of_samples(self, rows: IntArray | BoolArray) -> PredictionMatrix:
        """Return the matrix of some of N samples: in the order of `rows`, or where it is True."""
        return self._at(
            (slice(None), rows),
            outcome=self.outcome.take(rows),
            groups=None if self.groups is None else self.groups[rows],
            sample_keys=self.sample_keys and self.sample_keys.take(rows),
        )

    def _at(self, place: tuple[Any, ...], **changes: Any) -> PredictionMatrix:
        """Return the matrix of some repeats, samples and configurations, as an index of arrays."""
        return replace(
            self,
            predictions=self.predictions[place],
            folds=None if self.folds is None else self.folds[place[:2]],
            available=None if self.available is None else self.available[place],
            nested=None,
            smaller=(),
            **changes,
        )

    def with_threshold(self, threshold: float | None) -> PredictionMatrix:
        """Return the same matrix, its scores cut into classes above `threshold`."""
        smaller = tuple(one.with_threshold(threshold) for one in self.smaller)
        return replace(self, threshold=threshold, smaller=smaller)

    def with_risk_direction(self, direction: RiskDirection | str) -> PredictionMatrix:
        """Return the matrix whose higher predictions mean earlier events.

        Raises
        ------
        OptionError
            The predictions are not of a survival task.
        """
        if self.task is not Task.SURVIVAL:
            raise OptionError(
                f"{parameter('risk_direction')} is for survival tasks; this one is {self.task}",
                hint="leave it out",
            )
        direction = choice(RiskDirection, direction, "direction")
        if direction is RiskDirection.EARLIER:
            return self
        nested = self.nested and tuple(replace(f, predictions=-f.predictions) for f in self.nested)
        smaller = tuple(one.with_risk_direction(direction) for one in self.smaller)
        turned = replace(self, predictions=-self.predictions, nested=nested, smaller=smaller)
        return replace(turned, risk_direction=direction)

    def offers(self, kind: PredictionKind | str) -> bool:
        """True if the predictions can be had in this form."""
        kind = choice(PredictionKind, kind, "kind")
        if kind is PredictionKind.LABEL and self.kind is PredictionKind.SCORE:
            # of several scores the highest wins; a single one needs to be told where to cut
            return self.predictions.ndim == 4 or self.threshold is not None
        return kind in FORMS[self.kind]

    def as_kind(
        self, kind: PredictionKind | str, columns: IntArray | slice = slice(None)
    ) -> FloatArray | IntArray:
        """Return the predictions of some configurations in the form that a metric wants.

        Class codes (R, N, C') int64 for labels: labels as they are; the positive class where a
        score or probability is above the threshold; of class columns the largest, the first on
        ties. Else the predictions as they are, (R, N, C') or (R, N, C', K).

        Raises
        ------
        UnsupportedError
            A form that the predictions can't be had in.
        """
        return self.in_form(kind, self.predictions[:, :, columns])

    def in_form(self, kind: PredictionKind | str, predictions: FloatArray) -> FloatArray | IntArray:
        """Return some of the predictions (R, N', C', ...) as `as_kind` returns all of them."""
        kind = choice(PredictionKind, kind, "kind")
        if not self.offers(kind):
            raise UnsupportedError(
                f"{PLURAL[self.kind]} can't be taken as {PLURAL[kind]}",
                hint="another metric; see bbc metrics",
            )
        if kind is not PredictionKind.LABEL:
            return predictions
        return as_labels(predictions, self.kind, self.threshold)


def _shape(array: FloatArray | IntArray | BoolArray | None) -> tuple[int, ...] | None:
    return None if array is None else array.shape
