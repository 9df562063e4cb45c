"""A scorer whose scores carry the predictions they were computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.recording.inputs import UnfitError
from bbccli.recording.scorer import answer, listening
from bbccli.recording.store import Part
from bbccli.types import Task


class KeptScore(float):
    """A score that carries its predictions out of a worker process."""

    part: Part


@dataclass(eq=False)
class Keeper:
    """Score by the metric of a search, and keep the predictions.

    Parameters
    ----------
    metric
        ``metric(estimator, X, y)``: a scorer of scikit-learn, or of a `Recorder`.
    methods
        Methods of the estimator whose answer is kept, the best first.
    labels : (K,)
        The classes, sorted; None for regression.
    task
        The task.
    """

    metric: Any
    methods: Sequence[str]
    labels: NDArray[Any] | None
    task: Task

    def __call__(self, estimator: Any, X: Any, y: Any = None, **params: Any) -> Any:  # noqa: N803
        """Return the score of a fitted estimator; anything but a number unchanged."""
        with listening(estimator, X) as heard:
            score = self.metric(estimator, X, y, **params)
            predictions, kind, problem = None, None, ""
            try:
                predictions, kind = answer(
                    heard, self.methods, estimator, X, self.labels, self.task
                )
                if predictions.dtype.kind == "f" and not np.isfinite(predictions).all():
                    raise UnfitError("predictions are not finite")
            except UnfitError as error:
                predictions, kind, problem = None, None, str(error)
        try:
            kept_score = KeptScore(score)
        except (TypeError, ValueError):
            return score
        weights = params.get("sample_weight")
        kept_score.part = Part(
            identity="",
            session=0,
            predictions=predictions,
            kind=kind,
            score=float(kept_score),
            problem=problem,
            weights=None if weights is None else np.asarray(weights, np.float64),
        )
        return kept_score

    def get_metadata_routing(self) -> Any:
        """Return the metadata requests of the metric."""
        from sklearn.utils.metadata_routing import get_routing_for_object

        return get_routing_for_object(self.metric)

    def _accept_sample_weight(self) -> bool:
        """True if the metric takes sample weights (scikit-learn 1.9)."""
        accepts = getattr(self.metric, "_accept_sample_weight", None)
        if accepts is not None:
            return bool(accepts())
        return "sample_weight" in signature(self.metric).parameters
