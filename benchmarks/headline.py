"""The sizes that targets are set for: AUC, accuracy beside the bare product, exact BBC-F."""

from functools import partial

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.metrics import METRICS
from bbccli.metrics.base import Metric
from bbccli.platform.resources import Engine
from bbccli.stats.resampling import BLOCK
from benchmarks import subjects
from benchmarks.tables import Row, Section, Table, Target, decimals, digits, percent, times, whole
from benchmarks.timing import least, ready

N_RESAMPLES = 1_000
"""As in the papers. Whole blocks are drawn, so that 1,024 are scored for them."""

N_BLOCKS = -(-N_RESAMPLES // BLOCK)

AUC_LIMITS = {Engine.NUMPY: (150, 4.0), Engine.NUMBA: (2_000, 0.35)}
"""At least so many times scikit-learn, at most so many ns."""

PRODUCT_SIZES = ((500, 200), (500, 1_000), (5_000, 200))
PRODUCT_SHARE = 0.6
MOST_PRODUCTS = 3
FOLDS_SECONDS = 1.0
N_TURNS = 40
"""Of the scikit-learn loop."""


def measure(*, quick: bool) -> Section:
    rounds = 3 if quick else 7
    sections = [_auc(rounds), _products(rounds), _formula(rounds), _folds(1 if quick else 2)]
    return Section(
        [table for section in sections for table in section.tables],
        [target for section in sections for target in section.targets],
    )


def _auc(rounds: int) -> Section:
    """AUC at N = C = 500, in each engine, beside a loop over scikit-learn."""
    metric = METRICS["auc"]
    matrix = subjects.matrix_for(metric, 500, 500)
    weights, scorer = _weights(matrix), subjects.bound(metric, matrix)
    makers = {"rival": ready(subjects.rival_loop(metric, matrix, N_TURNS))}
    for engine in subjects.engines(metric):
        makers[f"scorer {engine}"] = ready(subjects.scoring(scorer, weights, engine))
        makers[f"bbc {engine}"] = subjects.whole_run(metric, matrix, N_RESAMPLES, engine)
    for engine in subjects.engines(metric):
        subjects.warm(metric, engine)
    spent = least(makers, rounds)
    loop = spent["rival"] / N_TURNS * matrix.n_configurations * N_RESAMPLES
    n_elements = matrix.n_samples * matrix.n_configurations * N_RESAMPLES
    rows, targets = [], []
    for engine in subjects.engines(metric):
        scorer_ns = 1e9 * spent[f"scorer {engine}"] / n_elements
        bbc_ns = 1e9 * spent[f"bbc {engine}"] / n_elements
        ratio = loop / spent[f"bbc {engine}"]
        rows.append({"engine": str(engine), "scorer ns": scorer_ns, "bbc ns": bbc_ns})
        rows[-1] |= {"bbc s": spent[f"bbc {engine}"], "sklearn s": loop, "x sklearn": ratio}
        least_ratio, most_ns = AUC_LIMITS[engine]
        size = f"AUC, N = C = 500, B = {N_RESAMPLES:,}, {engine}"
        targets += [
            Target(f"{size}: a scikit-learn loop", least_ratio, ratio, times, at_least=True),
            Target(f"{size}: ns per element, scorer", most_ns, scorer_ns, decimals, at_least=False),
            Target(f"{size}: ns per element, whole run", most_ns, bbc_ns, decimals, at_least=False),
        ]
    columns = {"engine": str, "scorer ns": decimals, "bbc ns": decimals, "bbc s": decimals}
    columns |= {"sklearn s": whole, "x sklearn": times}
    title = f"AUC, N = C = 500, B = {N_RESAMPLES:,}, one thread"
    note = f"The scikit-learn loop is extrapolated from {N_TURNS} of its turns."
    return Section([Table("auc", title, columns, rows, note)], targets)


def _products(rounds: int) -> Section:
    """Per-sample losses beside the bare matrix product."""
    metrics = [metric for metric in subjects.measured() if subjects.is_product(metric)]
    rows = [_product(metric, *size, rounds) for metric in metrics for size in PRODUCT_SIZES]
    targets = [
        Target(
            f"{row['metric']}, N = {row['N']:,}, C = {row['C']:,}: whole run, of the product rate",
            PRODUCT_SHARE,
            row["bbc of BLAS"],
            percent,
            at_least=True,
        )
        for row in rows
    ]
    columns = {"metric": str, "N": whole, "C": whole, "product ms": digits, "scorer ms": digits}
    columns |= {"bbc ms": digits, "scorer of BLAS": percent, "bbc of BLAS": percent}
    title = f"Per-sample losses beside the bare matrix product, B = {N_RESAMPLES:,}, one thread"
    return Section([Table("products", title, columns, rows)], targets)


def _product(metric: Metric, n_samples: int, n_configurations: int, rounds: int) -> Row:
    matrix = subjects.matrix_for(metric, n_samples, n_configurations)
    scorer, weights = subjects.bound(metric, matrix), _weights(matrix)
    factor = weights.astype(scorer.losses.dtype)
    makers = {
        "product": ready(partial(np.matmul, factor, scorer.losses)),
        "scorer": ready(subjects.scoring(scorer, weights, Engine.NUMPY)),
        "bbc": subjects.whole_run(metric, matrix, N_RESAMPLES, Engine.NUMPY),
    }
    spent = least(makers, 2 * rounds)
    row = {"metric": metric.label, "N": n_samples, "C": n_configurations}
    row |= {f"{name} ms": 1e3 * time for name, time in spent.items()}
    row["scorer of BLAS"] = spent["product"] / spent["scorer"]
    return row | {"bbc of BLAS": spent["product"] / spent["bbc"]}


def _formula(rounds: int) -> Section:
    """R², a formula of totals that is corrected for the size of its resamples."""
    metric = METRICS["r2"]
    matrix = subjects.matrix_for(metric, 500, 500)
    factor = _weights(matrix).astype(np.float64)
    makers = {
        "product": ready(partial(np.matmul, factor, matrix.predictions[0])),
        "bbc": subjects.whole_run(metric, matrix, N_RESAMPLES, Engine.NUMPY),
    }
    spent = least(makers, 2 * rounds)
    label = "R², N = C = 500, B = 1,000, one thread: whole run, of the bare product"
    reached = spent["bbc"] / spent["product"]
    return Section([], [Target(label, MOST_PRODUCTS, reached, times, at_least=False)])


def _weights(matrix: PredictionMatrix) -> np.ndarray:
    return subjects.weights_of(matrix, N_BLOCKS)[:N_RESAMPLES]


def _folds(rounds: int) -> Section:
    """BBC-F by enumeration of all draws of ten folds."""
    rows, targets = [], []
    for metric in subjects.measured():
        matrix = subjects.matrix_for(metric, 600, 1_000)
        engine = subjects.engines(metric)[-1]
        maker = subjects.whole_run(metric, matrix, N_RESAMPLES, engine, method="bbc-f")
        spent = least({"bbc-f": maker}, rounds)["bbc-f"]
        rows.append({"metric": metric.label, "engine": str(engine), "N": 600, "C": 1_000})
        rows[-1]["bbc-f s"] = spent
        label = f"exact BBC-F, F = 10, C = 1,000, {metric.label}, one thread: seconds"
        targets.append(Target(label, FOLDS_SECONDS, spent, decimals, at_least=False))
    columns = {"metric": str, "engine": str, "N": whole, "C": whole, "bbc-f s": decimals}
    title = "Exact BBC-F, ten folds, 92,377 draws, one thread"
    return Section([Table("folds", title, columns, rows)], targets)
