"""The frozen data sets and answers of `tests/oracles`, as matrices and dictionaries."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet

from bbccli.matrix import Outcome, PredictionMatrix, Source
from bbccli.metrics import METRICS
from bbccli.types import PredictionKind, Task

FOLDER = Path(__file__).parent / "oracles"

HARD = "hard1_sim2018"
SMALL = "sim1_a24b6_n50_c20_bal50"
RARE = "sim4_a24b6_n200_c100_bal10"
REAL = "real1_breast_cancer"
ALL = (HARD, SMALL, RARE, REAL)

# What the oracle calls a metric, and how the same question is put to bbc.
METRIC_OF = {"auc": METRICS["auc"], "acc": METRICS["accuracy"]}
QUESTIONS = [(HARD, "acc"), *((name, key) for name in (SMALL, RARE, REAL) for key in METRIC_OF)]


@cache
def matrix(name: str, question: str) -> PredictionMatrix:
    """One data set; for accuracy the scores are cut at 0.5 as the oracle does."""
    table = pyarrow.csv.read_csv(FOLDER / f"{name}.csv")
    columns = tuple(c for c in table.column_names if c[0] == "c" and c[1:].isdigit())
    predictions = np.column_stack([table[c].to_numpy() for c in columns]).astype(float)
    kind = PredictionKind.SCORE
    if question == "acc":
        predictions, kind = (predictions > 0.5).astype(float), PredictionKind.LABEL
    folds = table["fold"].to_numpy()
    return PredictionMatrix(
        Outcome(Task.BINARY, table["label"].to_numpy(), ("0", "1")),
        predictions[None],
        columns,
        kind,
        folds=folds[None],
        fold_names=tuple(str(f) for f in range(folds.max() + 1)),
        source=Source(path=f"{name}.csv"),
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
