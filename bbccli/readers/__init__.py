"""Files -> prediction matrices.

`read` is the table of contents: load the table, give every column its role, place every row,
join what lies in separate files, assemble.
"""

from __future__ import annotations

from pathlib import Path

from bbccli.errors import OptionError
from bbccli.matrix import PredictionMatrix
from bbccli.readers.alignment import align, split_caret
from bbccli.readers.assemble import Parts, assemble
from bbccli.readers.columns import assign
from bbccli.readers.files import STDIN
from bbccli.readers.frame import check_names
from bbccli.readers.roles import Roles
from bbccli.readers.separate import read_folds, read_labels
from bbccli.readers.tables import metadata_of, read_frame
from bbccli.readers.unfinished import assemble_unfinished
from bbccli.types import Missing, Task

__all__ = ["Roles", "read"]

_BY_NAME = Roles()


def read(
    path: str | Path,
    *,
    roles: Roles = _BY_NAME,
    task: Task | None = None,
    positive: str | None = None,
    labels: str | Path | None = None,
    folds: str | Path | None = None,
    missing: Missing = Missing.DROP,
    unfinished: bool = False,
) -> PredictionMatrix:
    r"""Read the out-of-sample predictions of many configurations.

    Parameters
    ----------
    path
        Parquet, CSV or TSV (the last two also `.gz` and `.zst`) in the wide layout: one row per
        sample and repeat, one column per configuration; "-" is stdin.
    roles
        Columns set by hand; all others go by their names.
    task
        What is predicted; told from the truth when None.
    positive
        Positive class of a binary task; the last in sorted order when None.
    labels, folds
        Files that hold the outcome and the folds, instead of columns of `path`.
    missing
        What to do where some configurations lack predictions that others have.
    unfinished
        Whether the cross-validation is in progress: later folds are missing, and configurations
        dropped earlier lack predictions that others have; see `Unfinished`.

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
    if [str(one) for one in (path, labels, folds)].count(STDIN) > 1:
        raise OptionError("two files are read from stdin", hint="name a file for one of them")
    frame = read_frame(path)
    check_names(frame)
    metadata = metadata_of(frame)
    elsewhere = {*(("truth", "time", "event") if labels else ()), *(("fold",) if folds else ())}
    assignment = assign(
        frame,
        roles,
        task=task or metadata.task,
        declared=metadata.configurations,
        elsewhere=elsewhere,
    )
    columns = {role: frame.column(name) for role, name in assignment.roles.items()}
    columns |= split_caret(columns)
    alignment = align(frame.n_rows, frame.path, columns.get("row_id"), columns.get("repeat"))
    if labels:
        columns |= read_labels(labels, roles, alignment, columns.get("row_id"))
    if folds:
        columns |= read_folds(folds, roles, alignment, columns.get("row_id"))
    parts = Parts(frame, columns, assignment, alignment, metadata)
    if unfinished:
        return assemble_unfinished(parts, task=task, positive=positive)
    return assemble(parts, task=task, positive=positive, missing=missing)
