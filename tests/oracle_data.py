"""The frozen data sets and answers of `tests/oracles`, as matrices and dictionaries."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet

from bbccli import METRICS, PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.domain.source import Source
from bbccli.types import PredictionKind, Task

FOLDER = Path(__file__).parent / "oracles"

HARD = "hard1_sim2018"
SMALL = "sim1_a24b6_n50_c20_bal50"
RARE = "sim4_a24b6_n200_c100_bal10"
REAL = "real1_breast_cancer"
VALUES = "reg1_diabetes"
ALL = (HARD, SMALL, RARE, REAL)

# What the oracle calls a metric, and how the same question is put to bbc.
METRIC_OF = {"auc": METRICS["auc"], "acc": METRICS["accuracy"]}
METRIC_OF_VALUES = {
    "mse": METRICS["mse"],
    "rmse": METRICS["rmse"],
    "mae": METRICS["mae"],
    "r2": METRICS["r2"],
    "corr2": METRICS["pearson-squared"],
}
QUESTIONS = [(HARD, "acc"), *((name, key) for name in (SMALL, RARE, REAL) for key in METRIC_OF)]


@cache
def matrix(name: str, question: str) -> PredictionMatrix:
    """One data set; for accuracy the scores are cut above 0.5 as the oracle does."""
    table = pyarrow.csv.read_csv(FOLDER / f"{name}.csv")
    columns = tuple(c for c in table.column_names if c[0] == "c" and c[1:].isdigit())
    predictions = np.column_stack([table[c].to_numpy() for c in columns]).astype(float)
    truth = table["label"].to_numpy()
    outcome, kind = Outcome(Task.BINARY, truth, ("0", "1")), PredictionKind.SCORE
    if name == VALUES:
        outcome, kind = Outcome(Task.REGRESSION, truth), PredictionKind.VALUE
    folds = table["fold"].to_numpy()
    return PredictionMatrix(
        outcome,
        predictions[None],
        columns,
        kind,
        folds=folds[None],
        fold_names=tuple(str(f) for f in range(folds.max() + 1)),
        source=Source(path=f"{name}.csv"),
        threshold=0.5 if question == "acc" else None,
    )


@cache
def answers(name: str, what: str) -> dict:
    """One JSON file of answers."""
    return json.loads((FOLDER / f"{name}__{what}.json").read_text())


def drawn(name: str, what: str, n_units: int) -> np.ndarray:
    """In-bag weights (200, U) of the given draws."""
    table = pyarrow.parquet.read_table(FOLDER / f"{name}__{what}.parquet")
    indices = np.column_stack([column.to_numpy() for column in table.columns])
    return np.stack([np.bincount(row, minlength=n_units) for row in indices]).astype(np.uint16)
