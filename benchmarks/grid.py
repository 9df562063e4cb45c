"""Metrics x engines x sizes: time per element of the scorer alone and of a whole BBC run."""

from functools import partial

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.metrics.base import MeanScorer, Metric
from bbccli.platform.resources import Engine
from bbccli.stats.resampling import BLOCK
from benchmarks import subjects
from benchmarks.tables import Row, Section, Table, digits, percent, times, whole
from benchmarks.timing import least, ready, seconds

N_SAMPLES = (50, 500, 5_000, 50_000)
N_CONFIGURATIONS = (10, 100, 1_000)
MOST_BLOCKS = 16
CELL_SECONDS = 0.3
"""Time that a whole run of a cell may take, as far as whole blocks of resamples allow."""

MOST_PREDICTIONS = 5 * 10**6
"""Largest N x C, or N x C x K: beyond, one block of resamples takes too long."""

COLUMNS = {
    "metric": str,
    "engine": str,
    "N": whole,
    "C": whole,
    "B": whole,
    "scorer ns": digits,
    "bbc ns": digits,
    "x sklearn": times,
    "scorer of BLAS": percent,
    "bbc of BLAS": percent,
}

NOTE = (
    "ns per sample x configuration x resample, one thread: of the scorer alone on drawn weights, "
    "and of a whole run (binding, draws, selection, performance out of the bag, interval). "
    "x sklearn: a loop over scikit-learn, extrapolated from a few of its B x C turns, against "
    "the whole run. Of BLAS: time of the bare matrix product of the same size as a share of the "
    "time of the scorer, and of the whole run."
)


def measure(*, quick: bool) -> Section:
    sizes = [(n, c) for n in N_SAMPLES for c in N_CONFIGURATIONS]
    if quick:
        sizes = [(500, 100)]
    for metric in subjects.measured():
        for engine in subjects.engines(metric):
            subjects.warm(metric, engine)
    rows, skipped = [], []
    for n_samples, n_configurations in sizes:
        for metric in subjects.measured():
            if subjects.n_predictions(metric, n_samples, n_configurations) > MOST_PREDICTIONS:
                skipped.append(f"{metric.label} at N = {n_samples:,}, C = {n_configurations:,}")
                continue
            matrix = subjects.matrix_for(metric, n_samples, n_configurations)
            rows += [cell(metric, engine, matrix) for engine in subjects.engines(metric)]
    left_out = f" Left out, as they take too long: {'; '.join(skipped)}." if skipped else ""
    rows.sort(key=lambda row: (row["metric"], row["engine"]))
    return Section([Table("grid", "Time per element", COLUMNS, rows, NOTE + left_out)])


def cell(
    metric: Metric, engine: Engine, matrix: PredictionMatrix, n_blocks: int | None = None
) -> Row:
    """Measure one metric, engine and size, on as many blocks of resamples as time allows."""
    pilot = seconds(subjects.whole_run(metric, matrix, BLOCK, engine)())
    n_blocks = n_blocks or int(np.clip(CELL_SECONDS / pilot, 1, MOST_BLOCKS))
    n_resamples = n_blocks * BLOCK
    scorer = subjects.bound(metric, matrix)
    weights = subjects.weights_of(matrix, n_blocks)
    n_turns = max(2, min(20, 10**6 // matrix.n_samples))
    makers = {
        "scorer": ready(subjects.scoring(scorer, weights, engine)),
    }
    if subjects.has_rival(metric):
        makers["rival"] = ready(subjects.rival_loop(metric, matrix, n_turns))
    if isinstance(scorer, MeanScorer):
        makers["product"] = ready(partial(np.matmul, *_factors(scorer, weights)))
    if pilot < CELL_SECONDS:
        makers["bbc"] = subjects.whole_run(metric, matrix, n_resamples, engine)
    spent = {"bbc": pilot} | least(makers, 4 if pilot < CELL_SECONDS else 1)
    n_elements = matrix.n_samples * matrix.n_configurations * n_resamples
    n_scored = matrix.n_samples * matrix.n_configurations * len(weights)
    n_scores = matrix.n_configurations * n_resamples
    turn = spent["rival"] / n_turns if "rival" in spent else None
    product = spent.get("product")
    return {
        "metric": metric.label,
        "engine": str(engine) if subjects.has_forms(metric) else "any",
        "N": matrix.n_samples,
        "C": matrix.n_configurations,
        "B": n_resamples,
        "scorer ns": 1e9 * spent["scorer"] / n_scored,
        "bbc ns": 1e9 * spent["bbc"] / n_elements,
        "x sklearn": turn and turn * n_scores / spent["bbc"],
        "scorer of BLAS": product and product / spent["scorer"],
        "bbc of BLAS": product and product / spent["bbc"],
    }


def _factors(scorer: MeanScorer, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return weights.astype(scorer.losses.dtype), scorer.losses
