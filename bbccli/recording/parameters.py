"""Parameters of an estimator as JSON: the same text for the same parameters in any process."""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Set
from typing import Any

import numpy as np


def parameters_of(estimator: Any) -> dict[str, Any]:
    """Return all parameters of an estimator, those of its parts included; empty without any."""
    if not hasattr(estimator, "get_params"):
        return {}
    params = estimator.get_params(deep=True)
    # estimators among them have their own parameters in the same list, under longer names
    listed = frozenset(id(value) for value in params.values() if _is_estimator(value))
    return {name: plain(value, listed) for name, value in params.items()}


def of_candidate(params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that a search sets, those of estimators among them included."""
    within = {
        f"{name}__{key}": value
        for name, estimator in params.items()
        if _is_estimator(estimator)
        for key, value in parameters_of(estimator).items()
    }
    listed = frozenset(map(id, params.values()))
    return within | {name: plain(value, listed) for name, value in params.items()}


def class_name(value: Any) -> str:
    """Return the full name of the class of a value, or of a function or class itself."""
    one = value if hasattr(value, "__qualname__") else type(value)
    return f"{one.__module__}.{one.__qualname__}"


def plain(value: Any, listed: Set[int] = frozenset()) -> Any:
    """Return a JSON value that stands for a parameter.

    Of the estimators `listed`, by id, the class is enough.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [plain(one, listed) for one in value]
    if isinstance(value, dict):
        return {str(key): plain(one, listed) for key, one in value.items()}
    if _is_estimator(value):
        own = {} if id(value) in listed else {"params": parameters_of(value)}
        return {"class": class_name(value)} | own
    return _of_code(value)


def _is_estimator(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _of_code(value: Any) -> Any:
    """Return the form of any other object: a digest, its name, its code, or its `repr`."""
    if isinstance(value, np.ndarray):
        return {"array": list(value.shape), "digest": _digest(repr(value.tolist()))}
    if isinstance(value, functools.partial):
        return {"partial": plain(value.func), "given": [plain(value.args), plain(value.keywords)]}
    code = getattr(value, "__code__", None)
    if code is not None:
        closure = [cell.cell_contents for cell in value.__closure__ or ()]
        content = (code.co_code, code.co_consts, code.co_names, value.__defaults__, closure)
        local = "<" in value.__qualname__  # lambdas share a name
        return {"class": class_name(value)} | ({"digest": _digest(_text(content))} if local else {})
    random = isinstance(value, np.random.RandomState | np.random.Generator)
    if hasattr(value, "__qualname__") or random:
        return {"class": class_name(value)}
    return _text(value)


def _text(value: Any) -> str:
    text = repr(value)
    return text if " at 0x" not in text else class_name(value)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
