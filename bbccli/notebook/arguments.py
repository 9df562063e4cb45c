"""Arguments of the notebook functions -> input of the readers, and options of a command."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from itertools import chain
from pathlib import PurePath
from types import NoneType
from typing import Any, TypeVar

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.errors import InputError, OptionError, naming, nearest, parameter, short
from bbccli.metrics import metric_named
from bbccli.platform.arguments import (
    Declared,
    as_list,
    check_order,
    coerce_fields,
    options_of,
    whole,
)
from bbccli.reading.arrays import matrix_of
from bbccli.reading.outcome import bounds_of_text
from bbccli.reading.roles import NAMES
from bbccli.reading.sources.memory import (
    ARRAYS,
    columns_of_role,
    name_in_messages,
    table_of_arrays,
    with_roles,
)
from bbccli.reading.table import in_memory
from bbccli.types import Missing
from bbccli.use_cases import InputOptions
from bbccli.use_cases.command_line import command_line
from bbccli.use_cases.compare import short_file_names

READING = frozenset({"task", "positive", "missing", "bounds"})
"""Options of reading that apply to arrays."""

ROLES = {
    "y_true": "truth",
    "folds": "fold",
    "groups": "group",
    "sample_weight": "weight",
    "repeats": "repeat",
}
"""Role of each argument with a value per row."""

ELSEWHERE = {
    "cv": "folds",
    "scoring": "metric",
    "seed": "random_state",
    "weights": "sample_weight",
    "y": "y_true",
}
"""Names of arguments in other libraries -> names here."""

ALL_OPTIONS = "see help() of the function, or --help-all of the command"
FORMS = "a file, a data frame with a column per configuration, or an array (N, C)"


Options = TypeVar("Options")


def asked(
    group: type[Options], given: Mapping[str, Any], without: Collection[str] = ()
) -> tuple[Options, dict[str, Any]]:
    """Return the options of a command, and the values per row, from the arguments of a function.

    given: all of them by name, those without a name of their own as `options`; None means the
        default.
    """
    kind: type = group
    left_out = {*without, "seed"}
    known = {name: option for name, option in options_of(kind).items() if name not in left_out}
    named = {n: value for n, value in given.items() if n not in (*ROLES, "predictions", "options")}
    chosen = {}
    for name, value in {**given["options"], **named}.items():
        if name == "random_state":
            chosen["seed"] = whole(value, name)
        elif name not in known:
            here = ELSEWHERE.get(name)
            near = nearest(name, [*known, *ROLES, "random_state"], ALL_OPTIONS)
            hint = f"here it is called {here}" if here else near
            raise OptionError(f"there is no option {name}", hint=hint)
        elif value is not None:
            chosen[name] = _value(known[name], value)
    options = group(**chosen)
    coerce_fields(options)
    return options, {name: given[name] for name in ROLES}


def _value(option: Declared, value: Any) -> Any:
    """Convert a value to the form of its option: several to a list, numbers of text to words."""
    if option.kind is list or option.name == "metric":
        return as_list(value) if option.kind is list else metric_named(value)
    if option.kind is tuple:
        names = list(value) if isinstance(value, list | tuple) else []
        if len(names) != 2:
            hint = "two names, such as ('svm', 'forest')"
            raise OptionError(f"{parameter(option.name)} is {short(value)}", hint=hint)
        return tuple(map(str, names))
    table = option.option.metavar == "FILE" and in_memory(value)
    if option.kind is not str or isinstance(value, str) or table:
        return value
    if option.name == "n_resamples":
        return str(whole(value, option.name))
    numbers = np.asarray(value)
    several = "," in (option.option.metavar or "")
    if numbers.ndim > several:
        hint = "a list of numbers" if several else "one value"
        if option.name in ROLES.values():
            argument = next(name for name, role in ROLES.items() if role == option.name)
            hint = f"a column's name; values per row are given as {argument}"
        raise OptionError(f"{parameter(option.name)} is {short(value)}", hint=hint)
    if numbers.dtype.kind in "iuf":
        return ",".join(map(_word, np.atleast_1d(numbers).tolist()))
    return value


def _word(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else repr(number)


def input_of(predictions: Any, options: Any, of_samples: Mapping[str, Any]) -> Any:
    """Return the input of the readers: paths, a table, or a finished matrix.

    `of_samples` are values per row, by argument. A BbcError if arguments don't go together, or if
    the predictions have an unknown form.
    """
    predictions = _of_search(predictions)
    given = {name: values for name, values in of_samples.items() if values is not None}
    for name, values in given.items():
        if isinstance(values, str | PurePath):
            raise OptionError(
                f"{name} is {str(values)!r}, but needs a value per row",
                hint=f"to name a column, use {ROLES[name]}={str(values)!r}",
            )
    folds = given.get("folds")
    pairs = isinstance(folds, list | tuple) and type([*folds, 0][0]) in (list, tuple, np.ndarray)
    if pairs or hasattr(folds, "__next__") or callable(getattr(folds, "split", None)):
        raise OptionError(
            "folds are splits, not the fold of each row",
            hint="folds = numpy.empty(len(y), int); "
            "for k, (_, test) in enumerate(cv.split(X, y)): folds[test] = k",
        )
    folder = _recording(predictions)
    whole_matrix = isinstance(predictions, PredictionMatrix)
    if folder is not None or whole_matrix or _are_paths(predictions):
        if given:
            whose = "a matrix" if whole_matrix else "a file or folder"
            raise OptionError(
                f"{next(iter(given))} is for predictions in memory, but these are {whose}",
                hint="leave it out; truth='COLUMN' and the like name a column of a file",
            )
        if whole_matrix:
            _check_reading(options, "a matrix", frozenset())
        return predictions if folder is None else folder
    check_order({"predictions": predictions, **given})
    given = _of_survival(given)
    if isinstance(predictions, Mapping):
        with naming(ARRAYS):
            predictions = table_of_arrays(predictions)
        for name in chain.from_iterable(columns_of_role(predictions, role) for role in NAMES):
            raise OptionError(
                f"a key of the predictions is {name!r}, which is no name of a configuration",
                hint="rename it; values per row are given as y_true=, folds=, groups= and so on",
            )
    if hasattr(predictions, "to_frame"):  # one configuration
        predictions = predictions.to_frame()
    if in_memory(predictions):
        return with_roles(
            predictions, {n: (ROLES.get(n, n), values) for n, values in given.items()}
        )
    if not (hasattr(predictions, "__array__") or isinstance(predictions, Sequence)):
        hint = "use .collect() first" if hasattr(predictions, "collect") else f"give {FORMS}"
        raise OptionError(f"predictions are of type {type(predictions).__name__}", hint=hint)
    return _matrix(predictions, options, given)


def experiments_of(
    predictions: Any, options: Any, of_samples: Mapping[str, Any], *, joined: bool
) -> tuple[list[Any], list[str]]:
    """Return the input of the readers for one experiment or several, and their names.

    Listed files have no other names; values per row may be dictionaries by experiment. `joined` is
    true if all are predictions of the same samples. A BbcError as for `input_of`.
    """
    several = _several(predictions)
    if several is None:
        source = input_of(predictions, options, of_samples)
        if _are_paths(source):
            return list(map(str, as_list(source))), []
        is_matrix = isinstance(source, PredictionMatrix)
        return [source], [source.source.path if is_matrix else name_in_messages(source)]
    by_name = {name: values for name, values in of_samples.items() if isinstance(values, Mapping)}
    for argument, values in by_name.items():
        for name in (value for value in values if value not in several):
            raise OptionError(
                f"{argument} has {name!r}, but predictions have not",
                hint=f"use keys of the predictions: {', '.join(map(str, several))}",
            )
    sources = []
    for name, given in several.items():
        of_one = {argument: values.get(name) for argument, values in by_name.items()}
        sources.append(input_of(given, options, {**of_samples, **of_one}))
    if joined:  # a named index is a key to match rows by
        index = {name: getattr(given, "index", None) for name, given in several.items()}
        check_order({n: several[n] for n, i in index.items() if getattr(i, "name", 0) is None})
    return sources, list(map(str, several))


def command_of(options: Any, sources: Any, command: str) -> str:
    """Return the equivalent command line; empty if something can't be a word of it."""
    kind: type = type(options)
    files, values = as_list(sources), [getattr(options, name) for name in options_of(kind)]
    if any(map(in_memory, [sources, *values])):
        return ""
    words = [*files, *(word for value in values for word in as_list(value))]
    plain = all(isinstance(word, str | PurePath | int | float | Enum | NoneType) for word in words)
    return command_line(options, list(map(str, files)), command) if plain else ""


def _several(predictions: Any) -> Mapping[Any, Any] | None:
    """Return several experiments by name; None for a single one, or for listed files."""
    if isinstance(predictions, Mapping):
        all_whole = bool(predictions) and all(map(_is_experiment, predictions.values()))
        return predictions if all_whole else None
    if not isinstance(predictions, list | tuple) or _are_paths(predictions):
        return None
    if not any(map(_is_experiment, predictions)) or all(map(_is_array, predictions)):
        return None  # arrays in a list are repeats
    paths = [_path(prediction) for prediction in predictions]
    if not all(paths):
        hint = "give a dictionary with a name for each: {'svm': one, 'forest': other}"
        raise OptionError("experiments in a list have no names", hint=hint)
    return dict(zip(short_file_names(paths), predictions, strict=True))


def _is_array(given: Any) -> bool:
    return isinstance(given, np.ndarray | list | tuple)


def _is_experiment(given: Any) -> bool:
    """True for possible predictions of a whole experiment."""
    held = isinstance(given, PredictionMatrix) or _are_paths(given) or in_memory(given)
    searched = hasattr(given, "fit") or _folder(given) is not None
    return held or searched or (_is_array(given) and np.ndim(given) > 1)


def _path(given: Any) -> str:
    """Return the path of a file, a recording or a matrix; empty for data in memory."""
    if isinstance(given, PredictionMatrix):
        return given.source.path if given.source.sha256 else ""
    return str(given) if isinstance(given, str | PurePath) else str(_folder(given) or "")


def plan_of_search(predictions: Any) -> dict[str, Any]:
    """Return the metric, the pooling and the clip by which a search selected, if it kept them."""
    kept = _of_search(predictions) is not predictions
    return dict(getattr(predictions, "plan_", {})) if kept else {}


def _of_search(predictions: Any) -> Any:
    """Return the matrix kept by a search; anything else unchanged."""
    matrix = getattr(predictions, "matrix_", None)
    return matrix if isinstance(matrix, PredictionMatrix) else predictions


def _recording(predictions: Any) -> str | None:
    """Return the folder of a `Recorder` or of a recorded search; None for anything else."""
    folder, refit = _folder(predictions), getattr(predictions, "refit", None)
    if folder is not None and isinstance(predictions.scoring if refit else None, Mapping):
        selects = predictions.scoring.get(refit)
        if isinstance(refit, str) and getattr(selects, "folder", None) is None:
            warnings.warn(
                f"the search selects by {refit!r}, which was not recorded: the winner here is that "
                "by the recorded metric",
                UserWarning,
                stacklevel=5,
            )
    if folder is None and hasattr(predictions, "fit"):
        raise OptionError(
            f"{type(predictions).__name__} kept no predictions",
            hint="search with a recorder: rec = bbccli.recording.Recorder(...), scoring=rec.scorer",
        )
    return None if folder is None else str(folder)


def _folder(predictions: Any) -> PurePath | None:
    scoring = getattr(predictions, "scoring", predictions)
    scorers = [scoring]
    if isinstance(scoring, Mapping):  # the one that selects, if several are recorded
        scorers = [scoring.get(getattr(predictions, "refit", None)), *scoring.values()]
    folders = (getattr(scorer, "folder", None) for scorer in scorers)
    return next((folder for folder in folders if isinstance(folder, PurePath)), None)


def _are_paths(given: Any) -> bool:
    several = isinstance(given, list | tuple) and bool(given)
    return all(isinstance(path, str | PurePath) for path in (given if several else [given]))


def _check_reading(options: Any, what: str, allowed: frozenset[str]) -> None:
    """Refuse options of reading that do not apply to this input."""
    for option in options_of(InputOptions).values():
        if option.name not in allowed and getattr(options, option.name) != option.default:
            raise OptionError(
                f"{parameter(option.name)} is for files and data frames, but this is {what}",
                hint="leave it out",
            )


def _of_survival(given: Mapping[str, Any]) -> dict[str, Any]:
    """Split a structured outcome, as in scikit-survival, into times and events."""
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
            hint="a survival task needs one boolean field, the event, and one of times",
        )
    return {"time": truth[times[0]], "event": truth[events[0]]} | {
        name: values for name, values in given.items() if name != "y_true"
    }


def _matrix(array: Any, options: Any, given: Mapping[str, Any]) -> PredictionMatrix:
    """Return the matrix of an array."""
    _check_reading(options, "an array", READING)
    if "repeats" in given:
        raise OptionError(
            "repeats is for data frames with a row per repeat and sample, but this is an array",
            hint="give repeats along the first axis: (R, N, C)",
        )
    bounds = None if options.bounds is None else bounds_of_text(options.bounds)
    return matrix_of(
        array,
        given.get("y_true", given.get("time")),
        event=given.get("event"),
        folds=given.get("folds"),
        groups=given.get("groups"),
        weights=given.get("sample_weight"),
        task=options.task,
        positive=options.positive,
        missing=Missing.ERROR if getattr(options, "strict", False) else options.missing,
        bounds=bounds,
    )
