"""A scikit-learn scorer that records the predictions it scores, and recognises their rows."""

from __future__ import annotations

import functools
import hashlib
import numbers
import warnings
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.domain.outcome import Outcome
from bbccli.domain.source import STOPPED_EARLY
from bbccli.errors import OptionError
from bbccli.metrics import ALIASES, METRICS
from bbccli.platform.dataclass import dataclass
from bbccli.recording import inputs, store
from bbccli.recording.inputs import RESPONSES, Split, UnfitError, codes_of_labels
from bbccli.recording.stopping import watched
from bbccli.recording.store import Part
from bbccli.types import PredictionKind, Task

METRIC_FAILED = "its metric failed"
"""Begins the problem of a part without a score."""

_LAST: dict[int, tuple[Any, int]] = {}
"""Id of a fitted estimator -> a reference to it, and the split that it was scored on."""


@dataclass(eq=False)
class Turn:
    """State shared by all scorers handed out before the same `finish`, which closes it."""

    open: bool = True


@dataclass(eq=False)
class Listener:
    """A metric whose predictions are kept, in the form of a part.

    Parameters
    ----------
    metric
        ``metric(estimator, X, y)``: a scorer of scikit-learn.
    labels : (K,)
        The classes, sorted; None for regression.
    task
        The task.
    """

    metric: Any
    labels: NDArray[Any] | None
    task: Task

    def answered(
        self, part: Part, heard: dict[str, Any], methods: Sequence[str], estimator: Any, rows: Any
    ) -> Part:
        """Return a part with the predictions of an estimator for some rows, or its problem: it has
        no such method, or answers in another form.

        `heard` are its answers so far, by method; one of `methods`, the best first, is called if
        none was heard.
        """
        called = [name for name in methods if name in heard]
        able = [name for name in methods if callable(getattr(estimator, name, None))]
        if not called and not able:
            return replace(part, problem=f"no {methods[-1]}()")
        name = (called or able)[0]
        output = heard[name] if called else getattr(estimator, name)(rows)
        try:
            predictions, kind = self._kept(name, np.asarray(output), estimator)
        except UnfitError as error:
            return replace(part, problem=str(error))
        return replace(part, predictions=np.ascontiguousarray(predictions), kind=kind)

    def _kept(
        self, name: str, answer: NDArray[Any], estimator: Any
    ) -> tuple[NDArray[Any], PredictionKind]:
        """Return the answer of a method in the form of a part.

        Returns
        -------
        predictions : (n,) or (n, K)
            Class codes, K for a label outside the K classes, values, probabilities or scores; for
            two classes those of the last.
        kind
            Their kind.
        """
        labels, one_each = self.labels, answer.size == len(answer)
        if labels is None or self.task is Task.REGRESSION:
            if name != "predict" or not one_each:
                raise UnfitError(f"{name} did not return a list of values")
            return answer.ravel(), PredictionKind.VALUE
        if name == "predict":
            return codes_of_labels(answer.ravel(), labels, strict=False), PredictionKind.LABEL
        scores = name == "decision_function"
        if scores and len(labels) == 2 and one_each:
            return answer.ravel(), PredictionKind.SCORE
        pairs = scores and getattr(estimator, "decision_function_shape", "ovr") == "ovo"
        classes = getattr(estimator, "classes_", labels)  # a training fold may lack one
        if not pairs and (answer.ndim != 2 or len(classes) != answer.shape[1]):
            raise UnfitError(f"predictions of shape {answer.shape} for {len(labels)} classes")
        columns = () if pairs else codes_of_labels(np.asarray(classes), labels)
        if scores and len(columns) != len(labels):
            raise UnfitError("decision_function has no column for each class")
        if len(columns) < len(labels):
            whole = np.zeros((len(answer), len(labels)), answer.dtype)
            whole[:, columns] = answer
            answer = whole
        kind = PredictionKind.SCORE if scores else PredictionKind.PROBABILITY
        return answer[:, 1] if len(labels) == 2 else answer, kind


@dataclass(eq=False)
class RecordingScorer(Listener):
    """Score like the metric of the search, and write the predictions to a folder.

    Parameters
    ----------
    folder
        Absolute path of the recording.
    known
        The test sets. Other rows, those of training and of the final fit, are only scored.
    session
        Time when it was handed out; of rows scored twice the first predictions count.
    name
        Name of the configuration; empty if it follows from the parameters of the estimator.
    flags
        Threats to validity of the configuration.
    response
        Method of the estimator to keep; empty for the one that the metric uses.
    turn
        Predictions are kept until it is closed.
    """

    folder: Path
    known: Known
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
        weights, failure = params.get("sample_weight"), None
        with listening(estimator, X) as heard:
            try:
                score = self.metric(estimator, X, y, **params)
            except Exception as error:
                score, failure = None, error
        part = Part(
            identity="",
            session=self.session,
            name=self.name,
            estimator=inputs.class_name(estimator),
            split=split,
            score=float(score) if isinstance(score, numbers.Real) else None,
            flags=self.flags,
            data=self.known.data,
            weights=None if weights is None else np.asarray(weights, np.float64),
            problem="" if failure is None else f"{METRIC_FAILED}: {failure}",
        )
        try:  # errors here must not stop the search; what is missing is reported at its end
            part = self._filled(part, heard, estimator, X)
            with suppress(Exception):  # whatever an estimator has of such a name
                part = self._watched(part, estimator, X, y)
            store.write_part(self.folder, part)
        except Exception as error:
            warnings.warn(f"predictions were not recorded: {error}", RuntimeWarning, stacklevel=2)
        if failure is not None:
            raise failure
        return score

    @property
    def __name__(self) -> str:
        """Name of the metric, by which TPOT calls its scores."""
        return getattr(self.metric, "__name__", "") or convention_of(self)[0] or "score"

    def __repr__(self) -> str:
        return f"RecordingScorer({self.metric!r}, {str(self.folder)!r})"

    def get_metadata_routing(self) -> Any:
        """Return the metadata requests of the metric, and that for the positions of the rows."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        of_metric = getattr(self.metric, "_get_metadata_request", None)
        requests = (of_metric().score.requests if of_metric else {}) | {"row_id": True}
        for name, alias in requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def _accept_sample_weight(self) -> bool:
        """True if the metric takes sample weights (scikit-learn 1.9)."""
        accepts = getattr(self.metric, "_accept_sample_weight", None)
        return bool(accepts()) if accepts else False

    def _split(self, estimator: Any, features: Any, truth: Any, row_id: Any) -> int | None:
        """Return the split with this test set; None if there is none."""
        if row_id is not None:
            split = self.known.by_rows.get(digest_of(np.asarray(row_id, np.int64)))
        else:
            split = self.known.by_content.get(digest_of(features, truth))
        if split is None or not self.known.twins:
            return split
        reference, last = _LAST.get(id(estimator), (lambda: None, -1))
        if reference() is estimator and self.known.twins.get(last) == split:
            return None  # its training rows
        _LAST[id(estimator)] = weakref.ref(estimator), split
        return split

    def _watched(self, part: Part, estimator: Any, features: Any, truth: Any) -> Part:
        """Return a part with the flag and the curve of a model that the test set stopped."""
        values, n_classes = np.asarray(truth), 0
        if self.labels is not None:
            n_classes = len(self.labels)
            values = codes_of_labels(values.ravel(), self.labels).astype(np.int64)
        outcome = Outcome(self.task, values, tuple(map(str, range(n_classes))))
        stop = watched(estimator, features, truth, outcome, part.known_score)
        if stop is None:
            return part
        flags = tuple(dict.fromkeys([*part.flags, *[STOPPED_EARLY] * stop.stopped]))
        return replace(part, flags=flags, curve_metric=stop.metric, curve=stop.curve)

    def _filled(self, part: Part, heard: dict[str, Any], estimator: Any, features: Any) -> Part:
        params = inputs.parameters_of(estimator)
        identity = store.identity_of(part.name, part.estimator, params)
        part = replace(part, identity=identity, params=params)
        if part.problem:  # a search gives such a fit no score
            return part
        # a pipeline's own score does not call its predict()
        response = self.response or ("predict" if self.metric is own_score else "")
        responses = (response,) if response else RESPONSES
        return self.answered(part, heard, responses, estimator, features)


def own_score(estimator: Any, X: Any, y: Any = None, **params: Any) -> Any:  # noqa: N803
    """Return the estimator's own score, as a search without `scoring` does."""
    return estimator.score(X, y, **params)


def metric_of(scoring: Any) -> Any:
    """Return the scikit-learn scorer for a name or a callable; None means `own_score`."""
    if scoring is None:
        return own_score
    if callable(scoring):
        return scoring
    metrics = inputs.of_sklearn("metrics")
    try:
        return metrics.get_scorer(scoring)
    except (ValueError, TypeError):
        hint = "give a name of sklearn.metrics.get_scorer_names(), or scorer(estimator, X, y); for "
        hint += "several metrics, record the one that selects"
        raise OptionError(f"scikit-learn has no scorer {scoring!r}", hint=hint) from None


def convention_of(scoring: Any, labels: NDArray[Any] | None = None) -> tuple[str, str]:
    """Return scikit-learn's name of a metric, also of a scorer made of its function, and its
    positive class among `labels` if that is not the last; empty if there is none.
    """
    scorer = scoring.metric if isinstance(scoring, RecordingScorer) else metric_of(scoring)
    name = scoring if isinstance(scoring, str) else ""
    if not name and hasattr(scorer, "_score_func"):
        metrics = inputs.of_sklearn("metrics")
        ours = {name.replace("-", "_") for name in (*ALIASES, *METRICS)}
        scorers = {name: metric_of(name) for name in sorted(ours & {*metrics.get_scorer_names()})}
        for beta, called in ((2, "f2"), (0.5, "f0.5")):
            scorers[called] = metrics.make_scorer(metrics.fbeta_score, beta=beta)
        scorers["kappa"] = metrics.make_scorer(metrics.cohen_kappa_score)
        name = next((n for n, known in scorers.items() if _form(known) == _form(scorer)), "")
    function, given = getattr(scorer, "_score_func", None), getattr(scorer, "_kwargs", {})
    if function is None or labels is None or len(labels) != 2:
        return name, ""
    parameter = signature(function).parameters.get("pos_label")
    label = given.get("pos_label", parameter.default if parameter else None)
    first = label is not None and given.get("average", "binary") == "binary" and label == labels[0]
    return name, inputs.class_names(labels[:1])[0] if first else ""


def _form(scorer: Any) -> tuple[Any, ...]:
    """Return what makes a scorer, but for the positive class and what is the default anyway."""
    default = ("average", "binary"), ("zero_division", 0), ("zero_division", "warn")
    given = [item for item in sorted(scorer._kwargs.items()) if item not in default]
    rest = [option for option in given if option[0] != "pos_label"]
    return scorer._score_func, scorer._sign, scorer._response_method, rest


@contextmanager
def listening(estimator: Any, features: Any) -> Iterator[dict[str, Any]]:
    """Yield the answers of an estimator for these rows in the body, by method.

    So metric and recording share one prediction, which may take longer than the fit. Nested
    listeners share the outer one.
    """
    heard: dict[str, Any] = {}
    within: list[str] = []
    attributes: dict[str, Any] = getattr(estimator, "__dict__", {})
    added: dict[str, Any] = {}

    def overheard(method: Any, name: str) -> Any:
        @functools.wraps(method)
        def answering(*args: Any, **kwargs: Any) -> Any:
            within.append(name)
            try:
                answer = method(*args, **kwargs)
            finally:
                within.pop()
            data = args[0] if args else kwargs.get("X")  # LightGBM names it
            if data is features and not within:  # a call of the metric, not of another method
                heard.setdefault(name, answer)
            return answer

        answering.heard = heard  # type: ignore[attr-defined]
        return answering

    for name in RESPONSES:
        method = getattr(estimator, name, None)
        if callable(method) and (name not in attributes or hasattr(method, "heard")):
            added[name] = attributes.get(name)
            attributes[name] = overheard(method, name)
    try:
        yield heard
    finally:
        for name, before in added.items():
            if before is None:
                attributes.pop(name, None)
            else:
                attributes[name] = before


# Test sets are recognised by a digest of their rows


def digest_of(*parts: Any) -> bytes:
    """Return a digest of the content of a test set, equal in all processes."""
    state = hashlib.blake2b(digest_size=16)
    for data in parts:
        _add(state, data)
    return state.digest()


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
    """Add numbers by their bytes, all else through pandas: bytes of objects are addresses."""
    dtypes = [frame.dtype] if frame.ndim == 1 else list(frame.dtypes)
    if all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in dtypes):
        _add(state, frame.to_numpy())
        return
    from pandas.util import hash_pandas_object

    try:
        hashed = hash_pandas_object(frame, index=False)
    except TypeError:  # unhashable cells, such as lists
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
    """Keys by which test sets are recognised.

    Parameters
    ----------
    by_content
        Digest of features and truth -> split; empty if two test sets are equal.
    by_rows
        Digest of the positions from metadata routing (`row_id`) -> split.
    twins
        Splits whose test rows are the training rows of another split, which comes with them: the
        two folds of a cross-validation, confused by `return_train_score=True`.
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
    """Return the keys of all test sets.

    An OptionError without features, or if metadata routing can't distinguish equal test sets.
    """
    if features is None:
        raise OptionError("without X, test sets can't be recognised", hint="give the X of the fit")
    rows = [digest_of(np.asarray(test, np.int64)) for _, test in splits]
    contents = [_digest(features, truth, test) for _, test in splits]
    same, alike = _equal_pair(rows), _equal_pair(contents)
    if same:
        hint = "give each test set once; shuffle the repeats of a cross-validation differently"
        raise OptionError(f"splits {same[0]} and {same[1]} test the same rows", hint=hint)
    if alike and not _routes():
        problem = f"the test sets of splits {alike[0]} and {alike[1]} are equal, so their "
        raise OptionError(f"{problem}predictions can't be distinguished", hint=_ROUTE)
    position = {content: split for split, content in enumerate(contents)}
    by_rows = {content: split for split, content in enumerate(rows)} if _routes() else {}
    sizes = {len(test) for _, test in splits}  # only test sets of these sizes can be training rows
    trained = {
        split: position.get(_digest(features, truth, train))
        for split, (train, _) in enumerate(splits)
        if len(train) in sizes
    }
    twins = {split: other for split, other in trained.items() if other is not None}
    data = hashlib.blake2b(b"".join(contents), digest_size=8).hexdigest()
    return Known({} if alike else position, by_rows, twins, data)


def _digest(features: Any, truth: Any, rows: Any) -> bytes:
    return digest_of(inputs.taken(features, rows), inputs.taken(truth, rows))


def _routes() -> bool:
    from sklearn import get_config

    return bool(get_config().get("enable_metadata_routing"))


def _equal_pair(digests: Sequence[bytes]) -> tuple[int, int] | None:
    """Return the first two positions with equal digests; None if all differ."""
    first: dict[bytes, int] = {}
    for position, digest in enumerate(digests):
        if first.setdefault(digest, position) < position:
            return first[digest], position
    return None
