"""The candidates of a search, by its results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.errors import OptionError
from bbccli.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """What the search says: parameters or a name, mean, and the score of each split."""

    params: Mapping[str, Any]
    mean: float
    splits: FloatArray
    name: str = ""

    @property
    def label(self) -> str:
        """Its name or its parameters, for messages."""
        words = " ".join(f"{key}={value}" for key, value in self.params.items())
        return self.name or words or "the candidate"


def candidates_of(results: Any, metric: str, configuration: str, folder: Path) -> list[Candidate]:
    """Return what a search, its `cv_results_` or `cross_validate` says of each candidate.

    Parameters
    ----------
    results, metric, configuration
        As those of `Recorder.finish`.
    folder
        That of the recorder, by whose scorer the metric is found among several.

    Raises
    ------
    OptionError
        Results of another form, or without the metric.
    """
    table = getattr(results, "cv_results_", results)
    try:
        keys = [str(key) for key in table]
    except TypeError:
        keys = []
    if configuration:
        key = f"test_{metric or 'score'}"
        if key not in keys:
            tests = [one.removeprefix("test_") for one in keys if one.startswith("test_")]
            known = f"metric= one of: {', '.join(tests)}" if tests else "those of cross_validate"
            raise OptionError(f"the results have no {key!r}", hint=known)
        splits = np.asarray(table[key], np.float64)
        return [Candidate({}, float(splits.mean()), splits, configuration)]
    named = [key.removeprefix("mean_test_") for key in keys if key.startswith("mean_test_")]
    name = metric or _own_metric(results, named, folder)
    if name not in named or "params" not in keys:
        known = f"metrics there: {', '.join(named)}" if named else "a fitted search or cv_results_"
        raise OptionError(f"the results have no metric {name!r}", hint=known)
    pattern = re.compile(rf"split(\d+)_test_{re.escape(name)}")
    columns = sorted((int(m[1]), key) for key in keys if (m := pattern.fullmatch(key)))
    if not columns:
        raise OptionError(
            f"the results have no scores of the splits for {name!r}",
            hint="the fitted search, or all of its cv_results_",
        )
    scores = np.array([np.asarray(table[key], np.float64) for _, key in columns]).T
    means = np.asarray(table[f"mean_test_{name}"], np.float64)
    return [
        Candidate(params, float(mean), own)
        for params, mean, own in zip(table["params"], means, scores, strict=True)
    ]


def _own_metric(results: Any, named: list[str], folder: Path) -> str:
    """The only metric; of several the one whose scorer is ours."""
    if len(named) == 1:
        return named[0]
    scoring = getattr(results, "scoring", None)
    pairs = scoring.items() if isinstance(scoring, Mapping) else ()
    ours = (str(key) for key, one in pairs if getattr(one, "folder", None) == folder)
    return next(ours, "")
