"""Files, tables in memory and arrays -> prediction matrices.

`understand` is the table of contents: open the tables, lay them out as one sheet, place every row,
join separate files, interpret truth and predictions, assemble.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from bbccli.domain.choices import Missing
from bbccli.domain.matrix import PredictionMatrix
from bbccli.errors import OptionError, naming, parameter
from bbccli.notes import identities, of_metadata
from bbccli.platform import resources
from bbccli.reading.assembly import assemble
from bbccli.reading.classes import tell_classes
from bbccli.reading.columns import applied
from bbccli.reading.configuration_filter import (
    keep_chosen,
    keep_named,
    narrow,
    of_columns_and_models,
)
from bbccli.reading.layout import lay_out
from bbccli.reading.layout.dialects import DIALECTS
from bbccli.reading.metadata import Metadata, merged
from bbccli.reading.outcome import outcome_of, task_of
from bbccli.reading.predictions import faults_of_each, interpret, read_values
from bbccli.reading.roles import Request, Roles
from bbccli.reading.rows import without_unpredicted
from bbccli.reading.sample_columns import with_sample_columns
from bbccli.reading.sample_index import by_train_size, place
from bbccli.reading.sheet import RAISE, Problems, Sheet
from bbccli.reading.sources import STDIN, Paths, expand, may_be_log, paths_listed, read_table
from bbccli.reading.table import ArrowStream, Table, in_memory, joint_hash, name_faults
from bbccli.types import Again, Errors, Task

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


def understand(
    paths: Paths, request: Request, problems: Problems = RAISE
) -> tuple[Sheet, PredictionMatrix]:
    """Read files; see `bbccli.reading.read`. Problems are raised, or collected by `problems`."""
    sheet = lay_out(*open_sources(paths, request, problems), request, problems)
    sizes: dict[int, Sheet] = {}
    with problems.of("keys", fatal=True):
        sizes = by_train_size(sheet)
    if not sizes:
        return _understand_placed(sheet, request, problems)
    *smaller, largest = sizes
    sheet, matrix = _understand_placed(sizes[largest], request, problems)
    matrix = replace(matrix, train_size=largest)
    if not smaller:
        return sheet, matrix
    notes = (*matrix.notes, of_metadata.smaller_sizes_unused([*sizes]))
    with problems.of("assembly", fatal=True):
        read = [(size, _understand_placed(sizes[size], request)[1]) for size in smaller]
        others = tuple(replace(matrix, train_size=size) for size, matrix in read)
        matrix = replace(matrix, smaller=others, notes=notes)
    return sheet, matrix


def _understand_placed(
    sheet: Sheet, request: Request, problems: Problems = RAISE
) -> tuple[Sheet, PredictionMatrix]:
    """Make a matrix of a sheet whose rows have no places yet."""
    sheet = place(sheet, problems)
    if request.separate_roles:
        from bbccli.reading.join import join

        sheet = join(sheet, request, problems)
    return understand_sheet(tell_classes(sheet, request.exclude), request, problems)


def understand_sheet(
    sheet: Sheet, request: Request, problems: Problems = RAISE
) -> tuple[Sheet, PredictionMatrix]:
    """Make a matrix of a sheet with places and roles.

    Where nothing tells the positive class, it is the one with which the predictions reproduce the
    scores that a run reports.
    """
    scored = task_of(request, sheet) is Task.SCORE and not sheet.nested
    of_columns, of_models = of_columns_and_models(sheet, request)
    of_tables = sheet
    sheet = keep_chosen(replace(sheet, scored=True) if scored else sheet, of_columns, problems)
    sheet = applied(sheet, request, problems)
    with problems.of("choice"):
        sheet = keep_named(sheet, of_models.only, of_models.exclude)
    if request.unfinished:
        sheet = narrow(sheet)
    sheet = with_sample_columns(sheet, problems)
    if not sheet.nested and request.missing is not Missing.COMMON_ROWS:
        # too little memory for so many samples is told before they are read
        resources.current().for_predictions(len(sheet.usable), 0)
    sound, values = read_values(sheet, problems)
    problems.raise_first("constant", "labels file")
    sound, values = without_unpredicted(sound, values)
    with problems.of("outcome", fatal=True):
        outcome = outcome_of(sheet, values, request)
    each = partial(faults_of_each, sound, values, outcome)
    with problems.of("assembly", fatal=True, each=each):
        values = interpret(sound, values, outcome)
    problems.raise_first()
    with problems.of("assembly", fatal=True), naming(sheet.path):
        matrix = assemble(sound, outcome, values, request)
    declared = request.positive is not None or sheet.metadata.positive_class is not None
    run = matrix.source.run
    if declared or matrix.task is not Task.BINARY or run is None or not run.leaderboard:
        return sheet, matrix
    from bbccli.stats.verification import scores_hold

    if scores_hold(matrix) is not False:
        return sheet, matrix
    note = identities.positive_by_scores(first := matrix.outcome.classes[0], run.tool)
    about = replace(of_tables.metadata, positive_class=first)
    other = replace(of_tables, metadata=about, notes=(*of_tables.notes, note))
    turned = understand_sheet(other, request, problems)
    return turned if scores_hold(turned[1]) else (sheet, matrix)


def read_source(
    path: str | Path | ArrowStream, keys: Sequence[str] = ()
) -> Sequence[Table] | Sheet:
    """Return the table of a file or in memory, or what a tool left in a folder; `keys` are key
    columns.
    """
    if in_memory(path) or not os.path.isdir(path):  # noqa: PTH112 (never raises)
        return [read_table(path, keys)]
    from bbccli.reading.runs.folder import read_folder

    return read_folder(Path(path))


def _folders_once(paths: Sequence[str | Path | ArrowStream]) -> AbstractContextManager[object]:
    """Parse the tables in folders once, although tools are recognised before they are read."""
    if all(in_memory(path) or not os.path.isdir(path) for path in paths):  # noqa: PTH112
        return nullcontext()
    from bbccli.reading.runs.file_parsing import parsing_once

    return parsing_once()


def hash_of(path: str | Path) -> str:
    """Return the joint hash of the files of a folder."""
    read = read_source(path)
    tables = [read.table] if isinstance(read, Sheet) else read
    return joint_hash([table.sha256 for table in tables])


def open_sources(
    paths: Paths, request: Request, problems: Problems
) -> tuple[Sequence[Table] | Sheet, Metadata]:
    """Return the tables of some files, with unique names, or the sheet of a run or of logs; and the
    metadata.
    """
    with problems.of("readable", fatal=True):
        every = (*paths_listed(paths), request.labels, request.folds)
        if [str(source) for source in every if isinstance(source, str | Path)].count(STDIN) > 1:
            raise OptionError("two files are read from stdin", hint="name a file for one of them")
    sources: Sequence[str | Path | ArrowStream] = ()
    with problems.of("readable"):
        sources = expand(paths)
    keys = () if request.roles.row_id is None else (request.roles.row_id,)
    read: list[Table | Sheet] = []
    with _folders_once(sources):
        with problems.of("readable"):
            logs = None
            files = [Path(source) for source in sources if isinstance(source, str | Path)]
            if any(may_be_log(file) or os.path.isdir(file) for file in files):  # noqa: PTH112
                from bbccli.reading.evaluations import evaluation_of

                logs = evaluation_of(sources, request)
            if logs is None and request.errors is not None:
                raise OptionError(
                    f"{parameter('errors', request.errors)} is for logs of evaluation frameworks, "
                    "which record failures",
                    hint="in a table, leave the score of a failed request empty, or write 0",
                )
            if logs is not None:
                sources, read = (), [logs]
        for path in () if problems.failed("readable") else sources:
            with problems.of("readable"):
                more = read_source(path, keys)
                read += [more] if isinstance(more, Sheet) else more
    tables = [source for source in read if isinstance(source, Table)]
    for run in (source for source in read if isinstance(source, Sheet) and len(read) > 1):
        with problems.of("readable"):
            raise run.fault(
                "is a whole run, and there are other files beside it",
                hint="give one run at a time: bbc batch reads several",
            )
    problems.raise_first("readable")
    problems.saw("readable", read)
    parsed = []
    for source in read:
        with problems.of("metadata"):
            parsed.append(source.metadata)
    metadata = merged(parsed)
    problems.saw("metadata", metadata)
    if isinstance(sheet := read[0], Sheet):
        return sheet, metadata
    by_hand = {*request.roles.by_hand, *request.only, *metadata.configurations, *metadata.cells}
    tables = [table.asked_for(by_hand) for table in tables]
    problems.saw("names", tables)
    return [_named_once(table, problems) for table in tables], metadata


def _named_once(table: Table, problems: Problems) -> Table:
    """Return the table without columns that lack a name or repeat an earlier one."""
    faults = list(name_faults(table))
    for fault in faults:
        with problems.of("names"):
            raise fault
    if not faults:
        return table
    names = table.kinds.names  # with those set aside, which may lack a name
    first = (i for i, name in enumerate(names) if name not in names[:i])
    kept = [i for i in first if names[i].strip() or names[i] in table.aside]
    with problems.of("names", fatal=True):
        if not kept:
            raise table.fault("no column has a name", hint="name the columns")
    return replace(table, data=table.data.select(kept))
