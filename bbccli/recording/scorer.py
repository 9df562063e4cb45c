"""A scorer of scikit-learn that keeps the predictions which it scores."""

from __future__ import annotations

import numbers
import warnings
import weakref
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.errors import OptionError
from bbccli.recording import parts
from bbccli.recording.known import Known, digest_of, digest_of_rows
from bbccli.recording.parameters import class_name, parameters_of
from bbccli.recording.parts import Part
from bbccli.recording.responses import UnfitError, answer_of, kept, listening
from bbccli.types import Task

_LAST: dict[int, tuple[Any, int]] = {}
"""By id of a fitted estimator: a reference to it, and the split on which it was scored."""


@dataclass(eq=False)
class Turn:
    """Shared by the scorers that were handed out before the same `finish`, which closes it."""

    open: bool = True


@dataclass(eq=False)
class RecordingScorer:
    """Score like the metric of the search, and write the predictions to a folder.

    Parameters
    ----------
    folder
        Absolute path of the recording.
    metric
        ``metric(estimator, X, y)``: a scorer of scikit-learn.
    known
        The test sets. Rows that are none of them are scored and not kept: those of training, and
        of the final fit.
    labels : (K,)
        The classes, sorted; None in a regression.
    task
        The task.
    session
        When it was handed out: of what it scores twice the first counts.
    name
        Name of the configuration; empty where the parameters of the estimator make one.
    flags
        Threats to validity of the configuration.
    response
        Method of the estimator that is kept; empty for the one that the metric uses.
    turn
        Until when predictions are kept.
    """

    folder: Path
    metric: Any
    known: Known
    labels: NDArray[Any] | None
    task: Task
    session: int
    name: str = ""
    flags: tuple[str, ...] = ()
    response: str = ""
    turn: Turn = field(default_factory=Turn, repr=False)

    def __call__(self, estimator: Any, X: Any, y: Any = None, **params: Any) -> Any:  # noqa: N803
        """Score the predictions of a fitted estimator for the rows X with the truth y."""
        split = self._split(estimator, X, y, params.pop("row_id", None)) if self.turn.open else None
        if split is None:
            return self.metric(estimator, X, y, **params)
        with listening(estimator, X) as heard:
            score = self.metric(estimator, X, y, **params)
        weights = params.get("sample_weight")
        part = Part(
            identity="",
            session=self.session,
            name=self.name,
            estimator=class_name(estimator),
            split=split,
            score=float(score) if isinstance(score, numbers.Real) else None,
            flags=self.flags,
            data=self.known.data,
            weights=None if weights is None else np.asarray(weights, np.float64),
        )
        try:  # whatever goes wrong here, the search goes on; what is missing is told at its end
            parts.write(self.folder, self._filled(part, heard, estimator, X))
        except Exception as error:
            warnings.warn(f"predictions were not recorded: {error}", RuntimeWarning, stacklevel=2)
        return score

    def __repr__(self) -> str:
        return f"RecordingScorer({self.metric!r}, {str(self.folder)!r})"

    def get_metadata_routing(self) -> Any:
        """Return what the metric requests of scikit-learn, and the positions of the rows."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        own = getattr(self.metric, "_get_metadata_request", None)
        requests = (own().score.requests if own else {}) | {"row_id": True}
        for name, alias in requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def _accept_sample_weight(self) -> bool:
        """True if a search may hand weights on: where the metric takes them (scikit-learn 1.9)."""
        accepts = getattr(self.metric, "_accept_sample_weight", None)
        return bool(accepts()) if accepts else False

    def _split(self, estimator: Any, features: Any, truth: Any, row_id: Any) -> int | None:
        """Return the split whose test set this is; None if there is none."""
        if row_id is not None:
            split = self.known.by_rows.get(digest_of_rows(row_id))
        else:
            split = self.known.by_content.get(digest_of(features, truth))
        if split is None or not self.known.twins:
            return split
        reference, last = _LAST.get(id(estimator), (lambda: None, -1))
        if reference() is estimator and self.known.twins.get(last) == split:
            return None  # its training rows
        _LAST[id(estimator)] = weakref.ref(estimator), split
        return split

    def _filled(self, part: Part, heard: dict[str, Any], estimator: Any, features: Any) -> Part:
        params = parameters_of(estimator)
        identity = parts.identity_of(part.name, part.estimator, params)
        part = replace(part, identity=identity, params=params)
        try:
            if self.response not in heard and (self.response or not heard):
                heard = answer_of(estimator, features, self.response)
            heard = {self.response: heard[self.response]} if self.response else heard
            predictions, kind = kept(heard, estimator, self.labels, self.task)
        except UnfitError as error:
            return replace(part, problem=str(error))
        return replace(part, predictions=np.ascontiguousarray(predictions), kind=kind)


def own_score(estimator: Any, X: Any, y: Any = None, **params: Any) -> Any:  # noqa: N803
    """Return the estimator's own score, as a search without `scoring` does."""
    return estimator.score(X, y, **params)


def metric_of(scoring: Any) -> Any:
    """Return the scorer of scikit-learn that a name or a callable means; None is `own_score`.

    Raises
    ------
    OptionError
        An unknown name, or something else.
    """
    if scoring is None:
        return own_score
    if callable(scoring):
        return scoring
    from sklearn.metrics import get_scorer

    try:
        return get_scorer(scoring)
    except (ValueError, TypeError):
        hint = "a name of sklearn.metrics.get_scorer_names(), or scorer(estimator, X, y); of "
        hint += "several metrics record the one that selects"
        raise OptionError(f"scikit-learn has no scorer {scoring!r}", hint=hint) from None
