"""A metric or two of every other family: time per element, beside a loop over another program."""

from bbccli.metrics import METRICS
from benchmarks import grid, subjects
from benchmarks.tables import Section, Table, digits, times, whole

SIZE = (500, 50)

COLUMNS = {
    "metric": str,
    "engine": str,
    "N": whole,
    "C": whole,
    "B": whole,
    "scorer ns": digits,
    "bbc ns": digits,
    "x rival": times,
}

NOTE = (
    "As in the table before. F1, balanced accuracy, RMSE and R² are formulas of matrix products; "
    "average precision, median error and Spearman's correlation are read off sorted columns, in "
    "numpy alone; AUC, for comparison, and concordance count pairs. x rival: a loop over "
    "scikit-learn, for Spearman scipy, for concordance scikit-survival, if installed."
)


def measure(**_: bool) -> Section:
    metrics = [METRICS[name] for name in ("auc", *subjects.FAMILIES)]
    for metric in metrics:
        for engine in subjects.engines(metric):
            subjects.warm(metric, engine)
    rows = []
    for metric in metrics:
        matrix = subjects.matrix_for(metric, *SIZE)
        rows += [
            grid.cell(metric, engine, matrix, grid.MOST_BLOCKS)
            for engine in subjects.engines(metric)
        ]
    for row in rows:
        row["x rival"] = row.pop("x sklearn")
    return Section([Table("families", "Other families of metrics", COLUMNS, rows, NOTE)])
