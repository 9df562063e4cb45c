"""The registry of methods, and how a set of them is run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bbccli.errors import OptionError, UndefinedError, UnsupportedError
from bbccli.matrix import PredictionMatrix
from bbccli.methods import bbc, bbc_f, cvm_cv, cvt, tt
from bbccli.methods.base import Gives, Method, Need, Progress, silent
from bbccli.methods.selection import candidates, select_winner
from bbccli.metrics.base import Metric
from bbccli.notes import Note, method_left_out, risk_reversed, winners_differ
from bbccli.plan import Plan
from bbccli.results import Estimate
from bbccli.types import Pooling, Task

__all__ = ["DEFAULT_METHODS", "METHODS", "Gives", "Method", "Need", "choose_methods", "estimate"]

METHODS: dict[str, Method] = {
    method.name: method
    for method in (cvt.METHOD, tt.METHOD, bbc.METHOD, bbc_f.METHOD, cvm_cv.METHOD)
}

DEFAULT_METHODS = ("cvt", "tt", "bbc", "bbc-f")


def choose_methods(names: Sequence[str]) -> list[Method]:
    """Return the methods of these names, each once, in the order given.

    Raises
    ------
    OptionError
        No method has that name.
    """
    for name in names:
        if name not in METHODS:
            raise OptionError(f"no method named {name!r}", hint=f"one of: {', '.join(METHODS)}")
    return [METHODS[name] for name in dict.fromkeys(names)]


def estimate(
    matrix: PredictionMatrix,
    metrics: Sequence[Metric],
    plan: Plan,
    names: Sequence[str] | None = None,
    *,
    progress: Progress = silent,
) -> tuple[list[Estimate], list[Note]]:
    """Run several methods on one matrix, from the same resamples.

    The first metric selects; all are estimated for the configuration that it selects. Methods
    asked for by name must be computable. Without names the default set is run: those of it that
    can't be computed are left out, with a note that says why.

    Returns
    -------
    estimates, notes
        One estimate per metric and method; what to know of them all.

    Raises
    ------
    OptionError, UndefinedError
        An unknown method, or one asked for by name that can't be computed.
    """
    methods = choose_methods(names or DEFAULT_METHODS)
    if not names and matrix.folds is None:
        # the note on unknown folds says it already
        methods = [method for method in methods if Need.FOLDS not in method.needs]
    notes = [*_polarity(matrix, metrics[0], plan), *_differing_winners(matrix, metrics[0], plan)]
    estimates = []
    for metric in metrics:
        for method in methods:
            try:
                found = method.run(matrix, metric, plan, select_by=metrics[0], progress=progress)
            except (UndefinedError, UnsupportedError) as error:
                if names or method.name in ALWAYS:
                    raise
                notes.append(method_left_out(method.name, error.problem, error.hint))
            else:
                estimates.append(found)
    return estimates, notes


ALWAYS = frozenset({"cvt", "bbc"})
"""Default methods whose failure is the user's to know: without them there is no result."""


def _polarity(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> list[Note]:
    """Return a note where the risks of a survival task seem to be the other way round."""
    if matrix.task is not Task.SURVIVAL:
        return []
    everything = np.ones((1, matrix.n_samples), np.uint8)
    performances = candidates(matrix, metric, Pooling.POOLED).score(everything)
    if np.isnan(performances).all():
        return []  # the methods say that the metric is undefined
    median = float(np.nanmedian(performances))
    return [risk_reversed(median)] if median < HALF else []


HALF = 0.5
"""Concordance of predictions that know nothing."""


def _differing_winners(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> list[Note]:
    """A note that names both winners where pooled and fold-mean selection disagree."""
    if matrix.folds is None:
        return []
    everything = np.ones((1, matrix.n_samples), np.uint8)
    try:
        scores = [candidates(matrix, metric, rule).score(everything)[0] for rule in Pooling]
        winners = [select_winner(values, metric.direction) for values in scores]
    except UndefinedError:
        return []
    by_rule = [matrix.configurations[winner] for winner in winners]
    return [] if by_rule[0] == by_rule[1] else [winners_differ(*by_rule)]
