"""Rows that are sealed before the search, and opened a counted number of times."""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.domain.matrix import Opening, PredictionMatrix, Vault
from bbccli.domain.plan import Plan
from bbccli.errors import InputError
from bbccli.metrics import Metric, choose_metric
from bbccli.platform import openings
from bbccli.platform.arguments import real
from bbccli.platform.arrays import DamagedError, arrays_in_npz, packed
from bbccli.platform.atomic import write_whole
from bbccli.platform.dataclass import dataclass
from bbccli.platform.guarded_files import bytes_of
from bbccli.platform.text import figure
from bbccli.recording import inputs, store
from bbccli.recording.partial import matrix_of_all
from bbccli.recording.store import OPENINGS, VAULT, Design, Part
from bbccli.stats.vault import figure_of, miss_of_next, reaches, sealed_rows, shown_by
from bbccli.types import BoolArray, IntArray, PredictionKind


def sealed_off(design: Design, share: float, planned: int) -> tuple[Design, Design]:
    """Return the design of the search's rows, and that of the sealed ones; see `sealed_rows`."""
    share, planned = real(share, "vault"), inputs.position(planned, "planned")
    inputs.refuse(planned < 1, "planned is 0", "plan one opening, of the winner")
    sealed = sealed_rows(design.truth, design.n_samples, share, design.groups)
    part = _of_rows(design, sealed)
    return replace(_of_rows(design, ~sealed), planned=planned, sealed=part.fingerprint()), part


def _of_rows(design: Design, rows: BoolArray) -> Design:
    whole = {name: getattr(design, name) for name in ("truth", "groups", "weights")}
    part: dict[str, Any] = {n: None if v is None else v[rows] for n, v in whole.items()}
    return replace(design, rows=np.flatnonzero(rows), **part)


@dataclass(frozen=True, slots=True)
class Look:
    """What an opening has shown.

    Parameters
    ----------
    name
        The model opened.
    number, planned
        Which opening it is, from 1, and how many were planned.
    metric, value, lower, upper, level
        The figure on the sealed rows, with its interval at the level that is left; None if "not
        yet" is all that is said, and for ends without an interval.
    passed
        False for "not yet"; None if no limit was given.
    """

    name: str
    number: int
    planned: int
    metric: str
    value: float | None
    lower: float | None
    upper: float | None
    level: float
    passed: bool | None = None

    def __repr__(self) -> str:
        at = f"opening {self.number} of {self.planned}"
        if self.value is None:
            return f"<{self.name}: not yet, {at}>"
        ends = "no interval"
        if self.lower is not None and self.upper is not None:
            ends = f"{figure(self.lower)} to {figure(self.upper)} at level {self.level:.6g}"
        return f"<{self.name}: {self.metric} {figure(self.value)} ({ends}), {at}>"


def open_part(
    folder: Path,
    part: Design,
    name: str,
    predictions: Any,
    metric: Metric,
    *,
    reach: float | None,
    stricter: bool,
    level: float,
) -> Look:
    """Count an opening, and only then show what it shows.

    The predictions are kept first, then the opening is counted, with their hash, and flushed to the
    disk, then the figure is computed. Killed in between, it leaves either nothing that anybody saw
    or an opening that counts.
    """
    store.load_sealed(folder)
    planned, place = store.load_design(folder).planned, folder / VAULT / OPENINGS
    openings.check_plan(place, planned, stricter=stricter)
    kept, kind = inputs.predictions_of(predictions, part.n_samples, part)
    matrix = _matrix(part, name, kept, kind)
    metric = choose_metric(metric, matrix)
    figure_of(matrix, metric, Plan(n_resamples=2), 0.5)  # what can't be scored is not counted
    content = packed({"predictions": kept})
    file = f"{time.time_ns():020d}-{uuid.uuid4().hex[:12]}.npz"
    write_whole(content, str(folder / VAULT / file))
    sha256 = hashlib.sha256(content).hexdigest()
    about: dict[str, Any] = {"name": name, "file": file, "sha256": sha256}
    about |= {"kind": str(kind), "time": time.time(), "level": level}
    about |= {} if reach is None else {"reach": reach, "metric": metric.name}
    number = openings.append(place, about)
    if number > planned:  # another process was faster
        openings.check_plan(place, planned, stricter=stricter)
    vault = vault_in(folder)
    earlier = replace(vault, openings=vault.openings[: number - 1])
    outside = miss_of_next(vault, shown_by(earlier), 1 - level)
    answer = figure_of(matrix, metric, Plan(), outside)
    passed = None if reach is None else reaches(answer, reach, metric.direction)
    look = Look(name, number, planned, metric.name, answer.value, None, None, 1 - outside, passed)
    if passed is False:
        return replace(look, value=None)
    ends = answer.interval
    return replace(look, lower=ends.lower, upper=ends.upper) if ends else look


def on_sealed(
    model: Any,
    features: Any,
    truth: Any,
    among: IntArray,
    sealed: IntArray,
    metric: Metric,
    response: str,
    *,
    fitted: bool,
) -> Any:
    """Return the predictions of a model for the sealed rows.

    A copy of an estimator is trained on the rows of the search, `among`, unless it is `fitted`
    there. Predictions are those that the metric uses, or those by the method `response`.
    """
    if not hasattr(model, "predict") and not callable(model):
        return model
    rows = sealed if features is None else inputs.taken(features, sealed)
    if not hasattr(model, "predict"):
        return model(rows)
    if not fitted and hasattr(model, "get_params") and hasattr(model, "fit"):
        clone = inputs.of_sklearn("base").clone
        if hasattr(model, "best_params_") and hasattr(model, "estimator"):  # a search
            model = clone(model.estimator).set_params(**clone(model.best_params_, safe=False))
        model = clone(model).fit(*(inputs.taken(values, among) for values in (features, truth)))
    wanted: tuple[str, ...] = inputs.RESPONSES
    if metric.wants is PredictionKind.SCORE:
        wanted = ("decision_function", "predict_proba", "predict")
    elif metric.wants is not PredictionKind.PROBABILITY:
        wanted = ("predict",)
    return getattr(model, response or next(name for name in wanted if hasattr(model, name)))(rows)


def vault_in(folder: Path) -> Vault:
    """Return the vault of a recording that has one, with all its openings."""
    design = store.load_design(folder)
    part, copied = store.load_sealed(folder)
    place = folder / VAULT / OPENINGS
    seen = tuple(_opening(folder, part, line) for line in openings.openings_in(place))
    return Vault(part.n_samples, design.planned, seen, str(place), copied)


def _opening(folder: Path, part: Design, line: Mapping[str, Any]) -> Opening:
    """Return an opening from its line; without predictions if the line is torn."""
    try:
        name, file, sha256 = (str(line[key]) for key in ("name", "file", "sha256"))
        kind, level = PredictionKind(line["kind"]), float(line["level"])
        reach = None if line.get("reach") is None else float(line["reach"])
        metric = str(line.get("metric") or "")
    except (KeyError, TypeError, ValueError):
        return Opening("", None)
    path = folder / VAULT / Path(file).name
    try:
        content = bytes_of(path)
        kept = arrays_in_npz(content)["predictions"]
    except (OSError, KeyError, DamagedError):
        content, kept = b"", np.empty(0)
    if hashlib.sha256(content).hexdigest() != sha256:
        problem = f"the predictions opened as {name!r} are not those that were counted"
        raise InputError(problem, path=str(path), hint="put the file back as it was")
    return Opening(name, _matrix(part, name, kept, kind), reach, metric, level)


def _matrix(part: Design, name: str, kept: Any, kind: PredictionKind) -> PredictionMatrix:
    return matrix_of_all(part, {name: Part(identity=name, session=0, predictions=kept, kind=kind)})
