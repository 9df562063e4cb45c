"""A scorer of scikit-learn that keeps the predictions which it scores, and knows their rows."""

from __future__ import annotations

import functools
import hashlib
import numbers
import warnings
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.errors import OptionError
from bbccli.recording import store
from bbccli.recording.given import (
    RESPONSES,
    Split,
    UnfitError,
    class_name,
    codes_of,
    parameters_of,
)
from bbccli.recording.store import Part
from bbccli.types import IntArray, PredictionKind, Task

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
            store.write(self.folder, self._filled(part, heard, estimator, X))
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
        identity = store.identity_of(part.name, part.estimator, params)
        part = replace(part, identity=identity, params=params)
        wanted = (self.response,) if self.response else RESPONSES
        try:
            predictions, kind = answer(heard, wanted, estimator, features, self.labels, self.task)
        except UnfitError as error:
            return replace(part, problem=str(error))
        return replace(part, predictions=predictions, kind=kind)


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


# Answers of estimators, in the form of a part


@contextmanager
def listening(estimator: Any, features: Any) -> Iterator[dict[str, Any]]:
    """Yield the answers of an estimator for these rows within the `with` statement, by method.

    The metric and the recording then share one prediction, which may take longer than the fit.
    Another one who listens already goes on with it.
    """
    heard: dict[str, Any] = {}
    within: list[str] = []
    own: dict[str, Any] = getattr(estimator, "__dict__", {})
    added: dict[str, Any] = {}

    def overheard(method: Any, name: str) -> Any:
        @functools.wraps(method)
        def answering(data: Any, *args: Any, **kwargs: Any) -> Any:
            within.append(name)
            try:
                answer = method(data, *args, **kwargs)
            finally:
                within.pop()
            if data is features and not within:  # what the metric asked for, not how it is answered
                heard.setdefault(name, answer)
            return answer

        answering.heard = heard  # type: ignore[attr-defined]
        return answering

    for name in RESPONSES:
        method = getattr(estimator, name, None)
        if callable(method) and (name not in own or hasattr(method, "heard")):
            added[name] = own.get(name)
            own[name] = overheard(method, name)
    try:
        yield heard
    finally:
        for name, before in added.items():
            if before is None:
                own.pop(name, None)
            else:
                own[name] = before


def answer(
    heard: dict[str, Any],
    wanted: Sequence[str],
    estimator: Any,
    features: Any,
    labels: NDArray[Any] | None,
    task: Task,
) -> tuple[NDArray[Any], PredictionKind]:
    """Return an answer of an estimator for some rows, in the form of a part.

    Parameters
    ----------
    heard
        Answers that it gave already, by method.
    wanted
        Methods, the best first; one that was not heard is asked where none was.
    labels, task
        As those of a `RecordingScorer`.

    Raises
    ------
    UnfitError
        It has none of these methods, or answers in another form.
    """
    found = [name for name in wanted if name in heard]
    able = [name for name in wanted if callable(getattr(estimator, name, None))]
    if not found and not able:
        raise UnfitError(f"no {wanted[-1]}()")
    name = (found or able)[0]
    given = heard[name] if found else getattr(estimator, name)(features)
    predictions, kind = _kept(name, np.asarray(given), estimator, labels, task)
    return np.ascontiguousarray(predictions), kind


def _kept(
    name: str, answer: NDArray[Any], estimator: Any, labels: NDArray[Any] | None, task: Task
) -> tuple[NDArray[Any], PredictionKind]:
    """Return an answer in the form of a part.

    Parameters
    ----------
    name, answer
        The method, and what it returned.
    labels : (K,)
        The classes in sorted order; None in a regression.

    Returns
    -------
    predictions : (n,) or (n, K)
        Class codes, values, probabilities or scores; of two classes those of the last.
    kind
        Their form.

    Raises
    ------
    UnfitError
        Other classes, or another number of columns.
    """
    if labels is None or task is Task.REGRESSION:
        if name != "predict" or answer.size != len(answer):
            raise UnfitError(f"{name} did not return a list of values")
        return answer.reshape(-1), PredictionKind.VALUE
    if name == "predict":
        return codes_of(answer.reshape(-1), labels), PredictionKind.LABEL
    if name == "decision_function":
        if len(labels) == 2 and answer.size == len(answer):
            return answer.reshape(-1), PredictionKind.SCORE
        pairs = getattr(estimator, "decision_function_shape", "ovr") == "ovo"
        if pairs or len(_columns(answer, estimator, labels)) != len(labels):
            raise UnfitError("decision_function has no column for each class")
        return answer[:, 1] if len(labels) == 2 else answer, PredictionKind.SCORE
    columns = _columns(answer, estimator, labels)
    if len(columns) < len(labels):
        whole = np.zeros((len(answer), len(labels)), answer.dtype)
        whole[:, columns] = answer
        answer = whole
    return answer[:, 1] if len(labels) == 2 else answer, PredictionKind.PROBABILITY


def _columns(answer: NDArray[Any], estimator: Any, labels: NDArray[Any]) -> IntArray:
    """Return the class of each column: a fold may lack one in training."""
    own = getattr(estimator, "classes_", labels)
    if answer.ndim != 2 or len(own) != answer.shape[1]:
        raise UnfitError(f"predictions of shape {answer.shape} for {len(labels)} classes")
    return codes_of(np.asarray(own), labels)


# Test sets are recognised by a digest of their rows


def taken(data: Any, rows: IntArray) -> Any:
    """Return some rows of an array, a data frame, a sparse matrix or a list."""
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    if hasattr(data, "tocsr"):
        return data.tocsr()[rows]
    if isinstance(data, list | tuple):
        return [data[row] for row in rows]
    return np.asarray(data)[rows] if not hasattr(data, "shape") else data[rows]


def digest_of(features: Any, truth: Any) -> bytes:
    """Return a digest of the rows of a test set: equal content, equal digest, in any process."""
    state = hashlib.blake2b(digest_size=16)
    _add(state, features)
    _add(state, truth)
    return state.digest()


def digest_of_rows(rows: Any) -> bytes:
    """Return the same of positions."""
    content = np.ascontiguousarray(rows, np.int64)
    return hashlib.blake2b(content.tobytes(), digest_size=16).digest()


def _add(state: Any, data: Any) -> None:
    if hasattr(data, "tocsr"):
        rows = data.tocsr()
        for part in (rows.indptr, rows.indices):
            state.update(np.ascontiguousarray(part, np.int64))
        data = rows.data
    if hasattr(data, "iloc"):
        _add_frame(state, data)
        return
    array = _array(data)
    state.update(str(array.shape).encode())
    if array.dtype.hasobject:
        state.update(repr(array.ravel().tolist()).encode())
    else:
        state.update(array.dtype.str.encode())
        state.update(np.ascontiguousarray(array).view(np.uint8) if array.size else b"")


def _add_frame(state: Any, frame: Any) -> None:
    """Add numbers by their bytes, and anything else by pandas: bytes of objects are addresses."""
    dtypes = [frame.dtype] if frame.ndim == 1 else list(frame.dtypes)
    if all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in dtypes):
        _add(state, frame.to_numpy())
        return
    from pandas.util import hash_pandas_object

    try:
        hashed = hash_pandas_object(frame, index=False)
    except TypeError:  # cells such as lists, which can't be hashed
        hashed = hash_pandas_object(frame.astype(str), index=False)
    state.update(np.ascontiguousarray(hashed.to_numpy()))


def _array(data: Any) -> Any:
    if isinstance(data, np.ndarray):
        return data
    try:
        return np.asarray(data)
    except ValueError:  # rows of different lengths
        array = np.empty(len(data), object)
        array[:] = data
        return array


@dataclass(frozen=True, slots=True)
class Known:
    """By what a test set is recognised.

    Parameters
    ----------
    by_content
        Split by the digest of features and truth; empty where two test sets are equal.
    by_rows
        Split by the digest of the positions that metadata routing brings as `row_id`.
    twins
        Split whose test rows are the training rows of another split, by that other one: the two
        folds of a cross-validation, which `return_train_score=True` would mistake.
    data
        Digest of the features of all test sets.
    """

    by_content: Mapping[bytes, int]
    by_rows: Mapping[bytes, int]
    twins: Mapping[int, int]
    data: str


_ROUTE = (
    "sklearn.set_config(enable_metadata_routing=True) before the recorder is made, and "
    "fit(X, y, row_id=rec.row_id); or rec.write() in a loop of your own"
)


def known_tests(splits: list[Split], features: Any, truth: Any) -> Known:
    """Return by what each test set is recognised.

    Raises
    ------
    OptionError
        No features; or two test sets are equal, and there is no metadata routing to tell them
        apart.
    """
    if features is None:
        raise OptionError("there is no X to recognise test sets by", hint="give the X of the fit")
    rows = [digest_of_rows(test) for _, test in splits]
    contents = [_digest(features, truth, test) for _, test in splits]
    same, alike = _equal_pair(rows), _equal_pair(contents)
    if same:
        raise OptionError(
            f"splits {same[0]} and {same[1]} test the same rows",
            hint="each test set once; a repeated cross-validation needs a shuffle that differs",
        )
    if alike and not _routes():
        raise OptionError(
            f"the test sets of splits {alike[0]} and {alike[1]} are equal, so their predictions "
            "can't be told apart",
            hint=_ROUTE,
        )
    position = {content: split for split, content in enumerate(contents)}
    by_rows = {content: split for split, content in enumerate(rows)} if _routes() else {}
    sizes = {len(test) for _, test in splits}  # only test sets of these sizes are training rows
    trained = {
        split: position.get(_digest(features, truth, train))
        for split, (train, _) in enumerate(splits)
        if len(train) in sizes
    }
    twins = {split: other for split, other in trained.items() if other is not None}
    data = hashlib.blake2b(b"".join(contents), digest_size=8).hexdigest()
    return Known({} if alike else position, by_rows, twins, data)


def _digest(features: Any, truth: Any, rows: Any) -> bytes:
    return digest_of(taken(features, rows), taken(truth, rows))


def _routes() -> bool:
    from sklearn import get_config

    return bool(get_config().get("enable_metadata_routing"))


def _equal_pair(digests: Sequence[bytes]) -> tuple[int, int] | None:
    """Return the first two positions that hold the same; None where all differ."""
    first: dict[bytes, int] = {}
    for position, digest in enumerate(digests):
        if first.setdefault(digest, position) < position:
            return first[digest], position
    return None
