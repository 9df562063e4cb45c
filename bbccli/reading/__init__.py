"""Files, tables in memory and arrays -> prediction matrices.

`pipeline.understand` is the table of contents: open the tables, lay them out as one sheet, place
every row, join separate files, interpret truth and predictions, assemble.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bbccli.domain.matrix import PredictionMatrix
from bbccli.reading.layout.dialects import DIALECTS
from bbccli.reading.pipeline import understand
from bbccli.reading.roles import Request, Roles
from bbccli.reading.sources import Paths
from bbccli.reading.table import ArrowStream
from bbccli.types import Again, Errors, Missing, Task

__all__ = ["DIALECTS", "Paths", "Request", "Roles", "read", "understand"]

_BY_NAME = Roles()


def read(
    path: Paths,
    *,
    roles: Roles = _BY_NAME,
    task: Task | str | None = None,
    positive: str | int | None = None,
    labels: str | Path | ArrowStream | None = None,
    folds: str | Path | ArrowStream | None = None,
    missing: Missing | str | None = None,
    dialect: str | None = None,
    unfinished: bool = False,
    only: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    include: str | Sequence[str] = (),
    bounds: tuple[float, float] | None = None,
    by_position: bool = False,
    unweighted: bool = False,
    fold_files: bool = False,
    errors: Errors | str | None = None,
    again: Again | str | None = None,
) -> PredictionMatrix:
    r"""Read the out-of-sample predictions of many configurations.

    Parameters
    ----------
    path
        Parquet, CSV, TSV (these two also `.gz` and `.zst`) or ARFF; "-" is stdin. In the wide
        layout: one row per sample and repeat, one column per configuration; or in the long layout
        or one of its dialects: one row per configuration, repeat and sample. Several paths or a
        pattern: one file per configuration. Or a table in memory: a pandas data frame, whose
        index is the key of the samples if it has a name, and whose `attrs["bbc"]` are its
        metadata; an Arrow table; or an object that exports an Arrow stream, as those of polars and
        DuckDB do.
    roles
        Columns set by hand; all others go by their names.
    task
        The task; inferred from the truth when None. Scores without a truth are never
        inferred.
    positive
        Positive class of a binary task. None: that of the metadata, else the last in sorted order.
    labels, folds
        Files or tables that hold the outcome and the folds, instead of columns of `path`. Rows are
        joined by the key that both have, or by position where neither has one.
    missing
        What to do if some configurations lack predictions that others have. None: they are dropped;
        for scores without a truth each is scored on the items that it has.
    dialect
        "wide" or a key of `DIALECTS`; inferred from the names of the columns when None.
    unfinished
        The cross-validation is in progress: later folds are missing, and configurations
        dropped earlier lack predictions that others have; see `Unfinished`.
    only, exclude
        Patterns of the shell: the configurations that take part, and those that do not.
    include
        Keys of `flagged.INCLUDED`: configurations that take part in spite of their flags.
    bounds
        Smallest and largest possible score, for scores without a truth (task `score`).
    by_position
        The rows of `labels` and `folds` are those of `path` in the same order, whatever
        keys they have.
    unweighted
        Samples count alike, even if a column has the name of a weight.
    fold_files
        Each of several files holds one fold of a configuration, although nothing shows it.
    errors
        How failed requests count in the logs of an evaluation framework; None: as they do there.

    Returns
    -------
    PredictionMatrix
        Predictions (R, N, C) or (R, N, C, K), samples in order of first appearance, float32 where
        all columns of the file are, and notes on what was seen.

    Raises
    ------
    InputError
        A file that cannot be understood; names file, row, column and value.
    UndefinedError
        A truth of one class only.
    OptionError
        Arguments that contradict each other or the task.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "tiny.csv")
    ...     _ = path.write_text("truth,fold,knn,svm\na,0,0.1,0.2\nb,1,0.8,0.9\n")
    ...     matrix = read(path)
    >>> matrix.task, matrix.configurations, matrix.predictions.shape
    (<Task.BINARY: 'binary'>, ('knn', 'svm'), (1, 2, 2))
    """
    # the request converts words to its types
    how: dict[str, Any] = {"task": task, "missing": missing, "positive": positive}
    how |= {"only": only, "exclude": exclude, "include": include, "dialect": dialect}
    how |= {"labels": labels, "folds": folds, "unfinished": unfinished, "bounds": bounds}
    how |= {"by_position": by_position, "unweighted": unweighted, "errors": errors}
    how |= {"fold_files": fold_files, "again": again}
    request = Request(roles, **how)
    return understand(path, request)[1]
