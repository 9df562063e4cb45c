"""What a notebook hands over -> what the readers read, and the options of the command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import numpy as np

from bbccli.analysis.options import Analysis, InputOptions
from bbccli.core.arguments import as_list, settle, whole
from bbccli.core.matrix import PredictionMatrix
from bbccli.core.option import options_of
from bbccli.errors import InputError, OptionError, nearest, parameter
from bbccli.readers import matrix_of
from bbccli.readers.meaning import bounds_of_text
from bbccli.readers.sources.memory import ARRAYS, check_order, in_memory, with_roles
from bbccli.types import Missing

READING = frozenset({"task", "positive", "missing", "bounds"})
"""Options of reading that arrays leave open."""

ROLES = {
    "y_true": "truth",
    "folds": "fold",
    "groups": "group",
    "sample_weight": "weight",
    "repeats": "repeat",
}
"""Role of each argument that has a value per row."""


def analysis_of(random_state: object, n_resamples: object, **options: Any) -> Analysis:
    """Return the options of `bbc correct`, given as Python has them.

    Raises
    ------
    OptionError
        A name that is none of theirs, or a value of another type.
    """
    known = options_of(Analysis)
    for name in options:
        if name not in known:
            names = [*known, *ROLES, "random_state"]
            raise OptionError(f"there is no option {name}", hint=nearest(name, names))
    told = {name: value for name, value in options.items() if value is not None}
    for name, value in told.items():
        if known[name].kind is list:
            told[name] = as_list(value)
    if not isinstance(told.get("bounds", ""), str):
        low, high = np.asarray(told["bounds"], float).tolist()
        told["bounds"] = f"{low!r},{high!r}"
    told["seed"] = whole(random_state, "random_state")
    told["n_resamples"] = (
        n_resamples if n_resamples == "auto" else str(whole(n_resamples, "n_resamples"))
    )
    analysis = Analysis(**told)
    settle(analysis)
    analysis.check()
    return analysis


def source_of(predictions: Any, analysis: Analysis, of_samples: Mapping[str, Any]) -> Any:
    """Return what the readers are to read: a path, a table, or a matrix that is finished.

    Parameters
    ----------
    predictions
        As those of `correct`.
    of_samples
        Values per row by the names of the arguments, None where there are none.

    Raises
    ------
    BbcError
        Arguments that don't go together, or predictions of an unknown form.
    """
    given = {name: values for name, values in of_samples.items() if values is not None}
    for name, values in given.items():
        if isinstance(values, str | PurePath):
            raise OptionError(
                f"{name} is {str(values)!r}, and holds a value per row",
                hint=f"{ROLES[name]}={str(values)!r} names a column",
            )
    folder = _recording(predictions)
    whole_matrix = isinstance(predictions, PredictionMatrix)
    if folder is not None or whole_matrix or _are_paths(predictions):
        if given:
            whose = "a matrix" if whole_matrix else "a file or folder"
            raise OptionError(
                f"{next(iter(given))} is for predictions in memory, and these are {whose}",
                hint="it has its own; truth='COLUMN' names the column of a file",
            )
        if whole_matrix:
            _check_reading(analysis, "a matrix", frozenset())
        return predictions if folder is None else folder
    check_order({"predictions": predictions, **given})
    given = _of_survival(given)
    if isinstance(predictions, Mapping):
        raise OptionError(
            "predictions are a dictionary", hint="pandas.DataFrame of it, a column for each key"
        )
    if hasattr(predictions, "to_frame"):  # one configuration
        predictions = predictions.to_frame()
    if in_memory(predictions):
        return with_roles(
            predictions, {n: (ROLES.get(n, n), values) for n, values in given.items()}
        )
    return _matrix(predictions, analysis, given)


def _recording(predictions: Any) -> str | None:
    """Folder of a `Recorder`, or of a search that was recorded; None for anything else."""
    scoring = getattr(predictions, "scoring", predictions)
    scorers = scoring.values() if isinstance(scoring, Mapping) else [scoring]
    for scorer in scorers:
        if isinstance(folder := getattr(scorer, "folder", None), PurePath):
            return str(folder)
    if hasattr(predictions, "fit"):
        raise OptionError(
            f"{type(predictions).__name__} kept no predictions",
            hint="search with a recorder: rec = bbccli.recording.Recorder(...), scoring=rec.scorer",
        )
    return None


def _are_paths(given: Any) -> bool:
    several = isinstance(given, list | tuple) and bool(given)
    return all(isinstance(one, str | PurePath) for one in (given if several else [given]))


def _check_reading(analysis: Analysis, what: str, allowed: frozenset[str]) -> None:
    """Refuse options of reading that what is given has no use for."""
    for one in options_of(InputOptions).values():
        if one.name not in allowed and getattr(analysis, one.name) != one.default:
            raise OptionError(
                f"{parameter(one.name)} is for files and data frames, and this is {what}",
                hint="leave it out",
            )


def _of_survival(given: Mapping[str, Any]) -> dict[str, Any]:
    """The same with the times and events of a structured outcome, as scikit-survival has it."""
    names = getattr(getattr(given.get("y_true"), "dtype", None), "names", None)
    if not names:
        return dict(given)
    truth = given["y_true"]
    events = [name for name in names if truth[name].dtype.kind == "b"]
    times = [name for name in names if name not in events]
    if len(events) != 1 or len(times) != 1:
        raise InputError(
            f"y_true has the fields {', '.join(names)}",
            path=ARRAYS,
            hint="of a survival task one field of booleans, the event, and one of times",
        )
    return {"time": truth[times[0]], "event": truth[events[0]]} | {
        name: values for name, values in given.items() if name != "y_true"
    }


def _matrix(array: Any, analysis: Analysis, given: Mapping[str, Any]) -> PredictionMatrix:
    """Return the matrix of an array."""
    _check_reading(analysis, "an array", READING)
    if "repeats" in given:
        raise OptionError(
            "repeats is for data frames with a row per repeat and sample, and this is an array",
            hint="an array has repeats along its first axis: (R, N, C)",
        )
    bounds = None if analysis.bounds is None else bounds_of_text(analysis.bounds)
    return matrix_of(
        array,
        given.get("y_true", given.get("time")),
        event=given.get("event"),
        folds=given.get("folds"),
        groups=given.get("groups"),
        weights=given.get("sample_weight"),
        task=analysis.task,
        positive=analysis.positive,
        missing=Missing.ERROR if analysis.strict else analysis.missing,
        bounds=bounds,
    )
