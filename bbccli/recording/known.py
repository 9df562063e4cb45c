"""What a recorder for searches is made of: the metric, and the test sets to recognise."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from bbccli.errors import OptionError
from bbccli.recording.responses import RESPONSES
from bbccli.recording.rows import digest_of, digest_of_rows, taken
from bbccli.recording.scorer import Known
from bbccli.recording.splits import Split, equal_pair
from bbccli.types import FloatArray

_ROUTE = (
    "sklearn.set_config(enable_metadata_routing=True) before the recorder is made, and "
    "fit(X, y, row_id=rec.row_id); or rec.write() in a loop of your own"
)


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
        raise OptionError(
            f"scikit-learn has no scorer {scoring!r}",
            hint="a name of sklearn.metrics.get_scorer_names(), or scorer(estimator, X, y); of "
            "several metrics record the one that selects",
        ) from None


def own_score(estimator: Any, X: Any, y: Any = None, **params: Any) -> Any:  # noqa: N803
    """Return what an estimator itself says of its predictions, as a search without `scoring`."""
    return estimator.score(X, y, **params)


def check_response(response: str) -> None:
    """Refuse to keep what no estimator has.

    Raises
    ------
    OptionError
        Another one than those that predict.
    """
    if response and response not in RESPONSES:
        raise OptionError(f"response is {response!r}", hint=f"one of: {', '.join(RESPONSES)}")


def check_length(features: Any, n_samples: int) -> None:
    """Refuse features of another number of rows than there are samples.

    Raises
    ------
    OptionError
        There are more, or fewer.
    """
    if features is None:
        return
    try:
        n_rows = features.shape[0] if hasattr(features, "shape") else len(features)
    except (TypeError, IndexError):  # a number, or an array of no axis
        n_rows = None
    if n_rows != n_samples:
        raise OptionError("X and y have different lengths", hint="one row of X per label")


def weights_of(sample_weight: Any, n_samples: int) -> FloatArray | None:
    """Return the weights as numbers.

    Raises
    ------
    OptionError
        Not one positive number per sample.
    """
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    if weights.shape != (n_samples,) or not (np.isfinite(weights) & (weights > 0)).all():
        raise OptionError("sample_weight are no weights", hint="a positive number per sample")
    return weights


def known(splits: list[Split], features: Any, truth: Any) -> Known:
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
    same, alike = equal_pair(rows), equal_pair(contents)
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
    twins = _twins(splits, features, truth, position)
    data = hashlib.blake2b(b"".join(contents), digest_size=8).hexdigest()
    return Known({} if alike else position, by_rows, twins, data)


def _twins(splits: list[Split], features: Any, truth: Any, tests: dict[bytes, int]) -> Any:
    """Splits whose training rows are the test rows of another; only those of equal size can be."""
    sizes = {len(test) for _, test in splits}
    found = {
        split: tests.get(_digest(features, truth, train))
        for split, (train, _) in enumerate(splits)
        if len(train) in sizes
    }
    return {split: other for split, other in found.items() if other is not None}


def _digest(features: Any, truth: Any, rows: Any) -> bytes:
    return digest_of(taken(features, rows), taken(truth, rows))


def _routes() -> bool:
    from sklearn import get_config

    return bool(get_config().get("enable_metadata_routing"))
