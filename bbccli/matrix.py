"""The prediction matrix: validated once, read-only afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.errors import InputError, OptionError, UndefinedError, UnsupportedError
from bbccli.nested import NestedFold
from bbccli.notes import Note
from bbccli.outcome import Outcome
from bbccli.types import (
    BoolArray,
    FloatArray,
    IntArray,
    PredictionKind,
    RiskDirection,
    Task,
    distinct,
    readonly,
)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a matrix came from."""

    path: str = ""
    sha256: str = ""
    metadata: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, eq=False)
class SampleKeys:
    """What N samples are called.

    Parameters
    ----------
    values : (N,)
        Whole numbers, or text as UTF-8: a fraction of the memory of text.
    """

    values: IntArray | NDArray[np.bytes_]

    def __len__(self) -> int:
        return len(self.values)

    def take(self, samples: IntArray | BoolArray) -> SampleKeys:
        """Return the keys of some samples, by their positions or where True."""
        return SampleKeys(self.values[samples])

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


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A cross-validation in progress: what there is beside the complete predictions.

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


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class PredictionMatrix:
    """Out-of-sample predictions of C configurations on N samples in R repeats.

    Parameters
    ----------
    outcome
        The truth of the N samples.
    predictions : (R, N, C) or (R, N, C, K)
        Finite float32 or float64; class codes when `kind` is label; K probabilities per
        configuration for multiclass tasks, of the positive class alone for binary ones.
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

    def __post_init__(self) -> None:
        _check_shapes(self)
        _check_threshold(self)
        _check_configurations(self)
        _check_finite(self)
        if self.unfinished is None:
            _check_classes(self.outcome)
        for name in ("predictions", "folds", "groups", "available"):
            array = getattr(self, name)
            if array is not None:
                object.__setattr__(self, name, readonly(array))

    @property
    def task(self) -> Task:
        """What is predicted."""
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

    def of_repeat(self, repeat: int) -> PredictionMatrix:
        """Return the matrix of one of the R repeats alone."""
        one = slice(repeat, repeat + 1)
        return replace(
            self,
            predictions=self.predictions[one],
            folds=None if self.folds is None else self.folds[one],
            available=None if self.available is None else self.available[one],
            nested=None,
        )

    def with_threshold(self, threshold: float | None) -> PredictionMatrix:
        """Return the same matrix, its scores cut into classes above `threshold`."""
        return replace(self, threshold=threshold)

    def with_risk_direction(self, direction: RiskDirection) -> PredictionMatrix:
        """Return the matrix whose higher predictions mean earlier events.

        Raises
        ------
        OptionError
            The predictions are not of a survival task.
        """
        if self.task is not Task.SURVIVAL:
            raise OptionError(
                f"--risk-direction is for survival tasks; this one is {self.task}",
                hint="leave it out",
            )
        if direction is RiskDirection.EARLIER:
            return self
        nested = self.nested and tuple(replace(f, predictions=-f.predictions) for f in self.nested)
        return replace(self, predictions=-self.predictions, nested=nested, risk_direction=direction)

    def offers(self, kind: PredictionKind) -> bool:
        """Whether the predictions can be had in this form."""
        if kind is PredictionKind.LABEL and self.kind is PredictionKind.SCORE:
            # of several scores the highest wins; a single one needs to be told where to cut
            return self.predictions.ndim == 4 or self.threshold is not None
        return kind in _FORMS[self.kind]

    def as_kind(
        self, kind: PredictionKind, columns: IntArray | slice = slice(None)
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
        predictions = self.predictions[:, :, columns]
        if not self.offers(kind):
            raise UnsupportedError(
                f"{PLURAL[self.kind]} can't be taken as {PLURAL[kind]}",
                hint="another metric; see bbc metrics",
            )
        if kind is not PredictionKind.LABEL:
            return predictions
        if predictions.ndim == 4:
            return np.asarray(np.argmax(predictions, axis=3))
        if self.kind is PredictionKind.LABEL:
            return predictions.astype(np.int64)
        cut = CUT if self.threshold is None else self.threshold
        return (predictions > cut).astype(np.int64)


# A probability of exactly one half is not above it: the class that sorts first is predicted,
# as an arg max over the two columns would.
CUT = 0.5

PLURAL = {
    PredictionKind.LABEL: "class labels",
    PredictionKind.PROBABILITY: "probabilities",
    PredictionKind.SCORE: "scores without bounds",
    PredictionKind.VALUE: "values",
}

_FORMS = {
    PredictionKind.LABEL: {PredictionKind.LABEL},
    PredictionKind.PROBABILITY: set(PredictionKind) - {PredictionKind.VALUE},
    PredictionKind.SCORE: {PredictionKind.SCORE},
    PredictionKind.VALUE: {PredictionKind.VALUE},
}
"""Forms in which predictions of a kind can be had, whatever the threshold."""


def _check_threshold(matrix: PredictionMatrix) -> None:
    threshold = matrix.threshold
    if threshold is None:
        return
    kind = PLURAL[matrix.kind]
    scores = matrix.kind in (PredictionKind.SCORE, PredictionKind.PROBABILITY)
    if matrix.task is not Task.BINARY or not scores:
        raise OptionError(
            "a threshold cuts scores or probabilities of two classes; these predictions are "
            f"{kind} of a {matrix.task} task",
            hint="leave the threshold out",
        )
    bounded = matrix.kind is PredictionKind.PROBABILITY
    if not np.isfinite(threshold) or (bounded and not 0 <= threshold <= 1):
        raise OptionError(
            f"the threshold is {threshold:g}, and the predictions are {kind}",
            hint="for example 0.5" if bounded else "a finite number, for example 0",
        )


def _check_shapes(matrix: PredictionMatrix) -> None:
    shape, path = matrix.predictions.shape, matrix.source.path
    if matrix.predictions.ndim not in (3, 4):
        raise InputError(
            f"predictions have shape {shape}, not (R, N, C) or (R, N, C, K)",
            path=path,
            hint="repeats, samples, configurations and perhaps classes, in this order",
        )
    n_repeats, n_samples, n_configurations = shape[:3]
    if n_configurations == 0:
        raise InputError("no configuration column", path=path, hint="one column per configuration")
    if n_samples == 0 or n_repeats == 0:
        raise InputError("no samples", path=path, hint="one row per sample")
    expected: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
        "outcome": ((len(matrix.outcome),), (n_samples,)),
        "configurations": ((len(matrix.configurations),), (n_configurations,)),
    }
    if matrix.folds is not None:
        expected["folds"] = (matrix.folds.shape, (n_repeats, n_samples))
    if matrix.sample_keys is not None:
        expected["sample_keys"] = ((len(matrix.sample_keys),), (n_samples,))
    if matrix.groups is not None:
        expected["groups"] = (matrix.groups.shape, (n_samples,))
    if matrix.repeated_holdout and matrix.available is None:
        raise InputError(
            "repeated hold-out needs to know what is available",
            path=path,
            hint="give `available` (R, N, C)",
        )
    if matrix.available is not None:
        expected["available"] = (matrix.available.shape, shape[:3])
    for name, (found, wanted) in expected.items():
        if found != wanted:
            raise InputError(
                f"{name} have shape {found}, the predictions need {wanted}",
                path=path,
                hint="give as many as the predictions have",
            )


def _check_configurations(matrix: PredictionMatrix) -> None:
    seen: set[str] = set()
    for position, name in enumerate(matrix.configurations):
        if not name.strip():
            raise InputError(
                f"configuration {position} has no name",
                path=matrix.source.path,
                hint="give every configuration column a name",
            )
        if name in seen:
            raise InputError(
                "configuration name occurs twice",
                path=matrix.source.path,
                column=name,
                hint="rename one of the two columns",
            )
        seen.add(name)


def _check_finite(matrix: PredictionMatrix) -> None:
    finite = np.isfinite(matrix.predictions)
    if finite.all():
        return
    place = tuple(int(i) for i in np.argwhere(~finite)[0])
    raise InputError(
        "prediction is not a finite number",
        path=matrix.source.path,
        row=place[1],
        column=matrix.configurations[place[2]],
        value=float(matrix.predictions[place]),
        hint="leave the cell empty where there is no prediction",
    )


def _check_classes(outcome: Outcome) -> None:
    if not outcome.task.is_classification:
        return
    present = [c for c, n in zip(outcome.classes, outcome.class_counts, strict=True) if n]
    if len(present) < 2:
        raise UndefinedError(
            f"the outcome has one class only ({', '.join(present)})",
            hint="a performance over classes needs samples of at least two",
        )
