"""The prediction matrix: validated once, then read-only."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.domain.outcome import Outcome, check_classes, check_finite, check_names, check_shapes
from bbccli.domain.source import Source
from bbccli.errors import InputError, OptionError, UnsupportedError, parameter
from bbccli.notes import Note
from bbccli.platform.arguments import choice, coerce_fields
from bbccli.platform.dataclass import dataclass
from bbccli.types import (
    BoolArray,
    FloatArray,
    IntArray,
    PredictionKind,
    RiskDirection,
    Task,
    distinct,
    readonly,
    rebuild_for_pickle,
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
"""Kind of the predictions -> the forms that can be derived from it without a threshold."""


def as_labels(
    predictions: FloatArray, kind: PredictionKind, threshold: float | None
) -> FloatArray | IntArray:
    """Return class codes (R, N, C) int64 of predictions (R, N, C) or (R, N, C, K).

    Labels stay; scores and probabilities give the positive class above the threshold (default 0.5);
    K columns give the largest, the first on ties.
    """
    if predictions.ndim == 4:
        return np.asarray(np.argmax(predictions, axis=3))
    if kind is PredictionKind.LABEL:
        return predictions.astype(np.int64)
    return (predictions > (CUT if threshold is None else threshold)).astype(np.int64)


def check_threshold(threshold: float | None, task: Task, kind: PredictionKind) -> None:
    """Refuse a threshold that does not apply to the predictions or is out of their range."""
    if threshold is None:
        return
    plural = PLURAL[kind]
    scores = kind in (PredictionKind.SCORE, PredictionKind.PROBABILITY)
    if task is not Task.BINARY or not scores:
        raise OptionError(
            "a threshold is for scores or probabilities of two classes; these predictions are "
            f"{plural} of a {task} task",
            hint="leave it out",
        )
    bounded = kind is PredictionKind.PROBABILITY  # all are above the number next to 0
    if not np.isfinite(threshold) or (bounded and not np.nextafter(0, -1) <= threshold <= 1):
        raise OptionError(
            f"the threshold is {threshold:g}, but the predictions are {plural}",
            hint="for example 0.5" if bounded else "a finite number, for example 0",
        )


@dataclass(frozen=True, slots=True, eq=False)
class SampleKeys:
    """Names of N samples.

    Parameters
    ----------
    values : (N,)
        Integers, or UTF-8 text, which takes a fraction of the memory of str.
    column
        Column that holds them; None if they are row positions.
    rows : (N,), optional
        First row of each sample in the file; None if they come from several files.
    """

    values: IntArray | NDArray[np.bytes_]
    column: str | None = "row_id"
    rows: IntArray | None = None

    __reduce__ = rebuild_for_pickle

    def __len__(self) -> int:
        return len(self.values)

    def take(self, samples: IntArray | BoolArray) -> SampleKeys:
        """Return the keys of some samples, by position or mask."""
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
    """One outer fold of a repeat: T training samples with inner predictions, and M test samples.

    Parameters
    ----------
    name
        Name of the outer fold in the file.
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

    __reduce__ = rebuild_for_pickle

    def __post_init__(self) -> None:
        for name in ("training", "test", "predictions", "folds"):
            view = np.asarray(getattr(self, name)).view()
            view.setflags(write=False)
            object.__setattr__(self, name, view)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """State of a cross-validation in progress, besides its complete predictions.

    Parameters
    ----------
    dropped
        Configurations dropped after an earlier fold: they lack predictions that others have. In
        file order.
    models
        Number of folds, over all repeats, in which each of them has predictions.
    n_models
        Number of folds, over all repeats, with any predictions; None when folds are unknown.
    n_to_come
        Number of folds, over all repeats, without predictions; None when unknown.
    names
        All configurations, in file order.
    """

    dropped: tuple[str, ...] = ()
    models: tuple[int, ...] = ()
    n_models: int | None = None
    n_to_come: int | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Opening:
    """One look at the sealed rows.

    Parameters
    ----------
    name
        The model opened, as it was called.
    matrix : (1, M, 1), optional
        Its predictions for the M sealed rows, and their truth; None if its line is torn.
    reach
        Only "not yet" is said unless the pessimistic end of the interval gets there, if given.
    metric
        The metric of `reach`.
    level, passed
        Level of the interval that has to reach it, and whether it did if there is no matrix.
    """

    name: str
    matrix: PredictionMatrix | None
    reach: float | None = None
    metric: str = ""
    level: float = 0.95
    passed: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Vault:
    """Sealed rows and their openings, in the order in which these were counted.

    Parameters
    ----------
    n_samples
        Sealed rows, M.
    planned
        Openings planned when they were sealed.
    openings
        The openings.
    place, copied
        Where they are counted, empty if nowhere; true if that is a copy.
    """

    n_samples: int
    planned: int = 1
    openings: tuple[Opening, ...] = ()
    place: str = ""
    copied: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False, weakref_slot=True)
class PredictionMatrix:
    """Out-of-sample predictions of C configurations on N samples in R repeats.

    Parameters
    ----------
    outcome
        Truth of the N samples.
    predictions : (R, N, C) or (R, N, C, K)
        Finite float32 or float64; class codes when
        `kind` is label; K probabilities per configuration for multiclass tasks, only that of the
        positive class for binary ones.
    configurations
        C unique, non-empty names.
    kind
        Kind of the predictions.
    folds : (R, N) int, optional
        Fold of each sample within its repeat, coded 0..F-1 in the order of `fold_names`.
    fold_names
        Names of the F folds, as in the file.
    groups : (N,) int, optional
        Cluster of each sample, coded 0..G-1.
    source
        File, content hash and metadata.
    notes
        Notes of the readers.
    threshold
        Cut for scores or probabilities of a binary task; without it probabilities are cut at 0.5,
        unbounded scores not at all.
    available : (R, N, C) bool, optional
        True where there is a prediction; elsewhere `predictions` holds some finite number that is
        never scored. None if every configuration predicts every sample.
    unfinished
        State of a cross-validation in progress; its samples so far may be of one class.
    nested
        Outer folds with their inner predictions, for nested cross-validation; `predictions` are
        then those of the outer test samples, and `folds` the outer folds.
    repeated_holdout
        True if each repeat predicts only the samples marked in `available`, as in Monte-Carlo
        cross-validation. A performance is then the mean over repeats, and there are no folds.
    risk_direction
        Survival: meaning of higher predictions before `with_risk_direction`.
    sample_keys
        Names of the N samples in the file; None if they have none.
    train_size
        Number of samples that trained each model; None if unknown.
    smaller
        Matrices of the same configurations trained on fewer samples, fewest first.
    vault
        Rows that took no part in the search; None without any.

    Raises
    ------
    OptionError
        A threshold that does not apply to the predictions, or is out of their range.
    InputError
        Shapes that do not match, non-finite predictions, empty or duplicate names.
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
    vault: Vault | None = None

    def __post_init__(self) -> None:
        coerce_fields(self)
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
                "repeated hold-out needs a mask of the available predictions",
                path=path,
                hint="give available, a boolean array (R, N, C)",
            )
        check_threshold(self.threshold, self.task, self.kind)
        check_names(self.configurations, path)
        check_finite(self.predictions, self.configurations, path)
        if self.unfinished is None:
            check_classes(self.outcome)
        for name in ("predictions", "folds", "groups", "available"):
            array = getattr(self, name)
            if isinstance(array, np.ndarray):
                object.__setattr__(self, name, readonly(array))

    __reduce__ = rebuild_for_pickle

    def __repr__(self) -> str:
        kinds = f"{self.task} task, {self.kind} predictions"
        repeats = f", {self.n_repeats} repeats" if self.n_repeats > 1 else ""
        size = f"{self.n_samples} samples x {self.n_configurations} configurations{repeats}"
        return f"<PredictionMatrix of {self.source.path or 'arrays'}: {size}, {kinds}>"

    @property
    def task(self) -> Task:
        """Return the task of the outcome."""
        return self.outcome.task

    @property
    def n_repeats(self) -> int:
        """Return R, the number of complete cross-validation passes."""
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
        """Return the name of each sample (N,): its `row_id`, or its position in the file."""
        keys = self.sample_keys or SampleKeys(np.arange(self.n_samples))
        return keys.as_text()

    @property
    def size(self) -> tuple[int, int]:
        """Return N and the number of bytes of the predictions."""
        return self.n_samples, self.predictions.nbytes

    @property
    def n_folds(self) -> int | None:
        """Return F, the largest number of folds of a repeat; None if folds are unknown."""
        if self.folds is None:
            return None
        return max(int(np.count_nonzero(np.bincount(row))) for row in self.folds)

    @property
    def n_groups(self) -> int | None:
        """Return G; None without groups."""
        return None if self.groups is None else len(distinct(self.groups))

    def n_predicted(self, configuration: int) -> int | None:
        """Return the number of samples with a prediction in some repeat; None if all have one."""
        if self.available is None:
            return None
        number = int(self.available[:, :, configuration].any(axis=0).sum())
        return number if number < self.n_samples else None

    def of_repeat(self, repeat: int) -> PredictionMatrix:
        """Return the matrix of one repeat."""
        return self._at((slice(repeat, repeat + 1),))

    def of_configurations(self, columns: IntArray | slice) -> PredictionMatrix:
        """Return the matrix of the configurations at `columns` (C',), in that order."""
        names = tuple(self.configurations[c] for c in np.arange(self.n_configurations)[columns])
        return self._at((slice(None), slice(None), columns), configurations=names)

    def of_samples(self, rows: IntArray | BoolArray) -> PredictionMatrix:
        """Return the matrix of some samples, by position or mask."""
        return self._at(
            (slice(None), rows),
            outcome=self.outcome.take(rows),
            groups=None if self.groups is None else self.groups[rows],
            sample_keys=self.sample_keys and self.sample_keys.take(rows),
        )

    def _at(self, place: tuple[Any, ...], **changes: Any) -> PredictionMatrix:
        """Return the part of the matrix at an index of its predictions."""
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
        """Return the same matrix with scores cut into classes above `threshold`."""
        smaller = tuple(matrix.with_threshold(threshold) for matrix in self.smaller)
        return replace(self, threshold=threshold, smaller=smaller)

    def with_risk_direction(self, direction: RiskDirection | str) -> PredictionMatrix:
        """Return the matrix turned so that higher predictions mean earlier events.

        Raises
        ------
        OptionError
            The task is not survival.
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
        smaller = tuple(matrix.with_risk_direction(direction) for matrix in self.smaller)
        turned = replace(self, predictions=-self.predictions, nested=nested, smaller=smaller)
        return replace(turned, risk_direction=direction)

    def offers(self, kind: PredictionKind | str) -> bool:
        """True if the predictions are available in this form."""
        if not isinstance(kind, PredictionKind):
            kind = choice(PredictionKind, kind, "kind")
        if kind is PredictionKind.LABEL and self.kind is PredictionKind.SCORE:
            # with a score per class the highest wins; a single score needs a threshold
            return self.predictions.ndim == 4 or self.threshold is not None
        return kind in FORMS[self.kind]

    def as_kind(
        self, kind: PredictionKind | str, columns: IntArray | slice = slice(None)
    ) -> FloatArray | IntArray:
        """Return the predictions of some configurations in the form that a metric needs.

        Class codes (R, N, C') int64 for labels, as `as_labels` gives them; else the predictions
        unchanged, (R, N, C') or (R, N, C', K).

        Raises
        ------
        UnsupportedError
            The predictions are not available in this form.
        """
        return self.in_form(kind, self.predictions[:, :, columns])

    def in_form(self, kind: PredictionKind | str, predictions: FloatArray) -> FloatArray | IntArray:
        """Return some predictions (R, N', C', ...) in the form of `as_kind`."""
        if not self.offers(kind):
            raise UnsupportedError(
                f"{PLURAL[self.kind]} can't be taken as {PLURAL[PredictionKind(kind)]}",
                hint="choose another metric; see bbc metrics",
            )
        to_labels = kind == PredictionKind.LABEL  # as itself or as its word
        return as_labels(predictions, self.kind, self.threshold) if to_labels else predictions


def _shape(array: FloatArray | IntArray | BoolArray | None) -> tuple[int, ...] | None:
    return None if array is None else array.shape
