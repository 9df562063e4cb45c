"""Tables in any layout -> sheet; files that are the folds of a model are joined before.

These are files such as `bert/oof_fold0.csv`. Files are folds of one model if no two of them hold
the same sample, by their key or by a column of the fold, and their names differ in the number of
the fold alone. What remains of the names tells the models apart. With `--fold-files`, any number in
the names is that of the fold, and files need no key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

import numpy as np

from bbccli.errors import InputError, OptionError, nearest, parameter, short
from bbccli.notes import Note, identities, listing, of_metadata
from bbccli.platform.text import pattern
from bbccli.reading.arrow import pa
from bbccli.reading.classes import in_order
from bbccli.reading.columns import TABLE_RULES
from bbccli.reading.columns.groups import refuse_key_of_long
from bbccli.reading.layout.dialects import DIALECTS, Dialect
from bbccli.reading.layout.dialects.base import PREDICTION, Layout, first_of
from bbccli.reading.layout.wide import wide_sheet
from bbccli.reading.metadata import Metadata
from bbccli.reading.numerals import Moment, times_of
from bbccli.reading.outcome import refuse_truth
from bbccli.reading.roles import CONFIGURATIONS, Hints, Request, column_named
from bbccli.reading.sample_index import refuse_disorder, without_row_numbers
from bbccli.reading.sheet import WIDE, Problems, Sheet
from bbccli.reading.table import Table
from bbccli.types import Again, Task


def lay_out(
    tables: Sequence[Table] | Sheet, metadata: Metadata, request: Request, problems: Problems
) -> Sheet:
    """Bring a wide table, long ones of any dialect, or what a reader knows into one form."""
    if isinstance(tables, Sheet):
        from bbccli.reading.layout.known import as_requested

        with problems.of("roles", fatal=True):
            refuse_truth(request, request.hints(metadata).task)
            sheet = as_requested(tables, request)
        problems.saw("roles", sheet)
        return sheet
    with problems.of("roles", fatal=True):
        tables, notes = folds_joined(tables, request)
    hints = replace(request.hints(metadata), tables=tables)
    by_hand = {*request.only, *metadata.configurations}
    remarks: Sequence[Sequence[Note]] = ()
    for table in tables:
        # caret calls slices of time "Training060", and keeps only what is held out
        held_out = {"Resample"} if DIALECTS["caret"].recognises(table, hints) else set()
        for rule in TABLE_RULES.values():
            with problems.of("roles"):
                rule(table, request, hints, by_hand | held_out)
    with problems.of("roles", fatal=True):
        refuse_truth(request, hints.task)
        if request.again is not None and hints.task is not Task.SCORE:
            raise OptionError(
                f"{parameter('again', request.again)} is for scores of items",
                hint=f"give {parameter('task', Task.SCORE)} if each cell is the score of an answer",
            )
        name, layouts = _layouts_of(tables, metadata, hints, request.dialect)
        if layouts:
            table, tables, layouts, remarks = _stacked(tables, layouts, hints)
        else:
            sheet = without_row_numbers(wide_sheet(tables[0], hints, metadata), by_hand)
    if layouts:
        from bbccli.reading.layout.long import long_sheet

        scored = hints.task is Task.SCORE
        how = _by_times(tables, layouts, request.again) if scored else {}
        sheet = long_sheet(table, name, metadata, problems, scored=scored, **how)
        sheet = _with_event(sheet)
        if len(tables) > 1 and "row_id" not in sheet.roles:
            sheet = replace(sheet, by_position=tuple(table.path for table in tables))
    notes += [*_notes_on_columns(tables, layouts), *dict.fromkeys(chain.from_iterable(remarks))]
    sheet = replace(sheet, notes=(*notes, *sheet.notes)) if notes else sheet
    if "row_id" not in sheet.roles:
        appended = any(layout.configuration for layout in layouts)
        beside_another = bool(request.separate_roles) and not request.by_position
        for part in [[table] for table in tables] if appended else [tables]:
            with problems.of("keys"):
                refuse_disorder(part, beside_another=beside_another)
    problems.saw("roles", sheet)
    return sheet


def _notes_on_columns(tables: Sequence[Table], layouts: Sequence[Layout]) -> Iterator[Note]:
    """Return notes on columns set aside, and on predictions replaced by another column."""
    if aside := _united(table.aside for table in tables):
        yield of_metadata.row_numbers(aside)
    if nested := _united(table.nested for table in tables):
        yield identities.nested_set_aside(nested)
    if unused := _united(layout.beside for layout in layouts):
        yield of_metadata.prediction_chosen(layouts[0].predictions[PREDICTION], unused)
    if spare := _united(layout.spare for layout in layouts):
        yield of_metadata.columns_set_aside(spare)
    if any(layout.best_alone for layout in layouts):
        yield of_metadata.best_alone()


def _stacked(
    tables: Sequence[Table], layouts: Sequence[Layout], hints: Hints
) -> tuple[Table, list[Table], list[Layout], list[Sequence[Note]]]:
    """Return one table of all rows; and each file's table, its layout, and what to say about it."""
    from bbccli.reading.layout.confidence import by_labels
    from bbccli.reading.layout.stack import stack

    score = hints.roles.prediction
    parts = [by_labels(*pair, score) for pair in zip(tables, layouts, strict=True)]
    files, laid_out, remarks = map(list, zip(*parts, strict=True))
    for file, layout in zip(files, laid_out, strict=True):
        refuse_key_of_long(file, layout.roles, layout.configuration, layout.spare)
    return stack(files, laid_out, hints), files, laid_out, remarks


def _by_times(
    tables: Sequence[Table], layouts: Sequence[Layout], again: Again | None
) -> dict[str, Any]:
    """Return how `long_sheet` tells which scores of an item count."""
    if again is Again.NEWEST:
        return {"times": _moments_of(tables, layouts)}
    return {"epochs": again is Again.EPOCH}


def _moments_of(tables: Sequence[Table], layouts: Sequence[Layout]) -> list[Moment]:
    """Return the time of each row, from the one column besides that holds times."""
    of_rows: list[Moment] = []
    for table, layout in zip(tables, layouts, strict=True):
        used = {*layout.roles.values(), *layout.predictions.values(), *layout.configuration}
        columns: dict[str, list[Moment]] = {}
        for name in table.names:
            if name not in used and (moments := times_of(table.column(name).values)):
                columns[name] = moments
        if len(columns) != 1:
            which = listing([*columns]) or "none does"
            raise table.fault(
                f"one column must say when each row was scored, and {which}",
                hint="keep one column of times; or count all rows with "
                + parameter("again", Again.EPOCH),
            )
        of_rows += next(iter(columns.values()))
    return of_rows


def _with_event(sheet: Sheet) -> Sheet:
    """Return the sheet with the positive class of its dialect, unless metadata name another."""
    labels = [*dict.fromkeys(cell.label for cell in sheet.cells if cell.label)]
    if not labels and (truth := sheet.roles.get("truth")):
        labels = in_order(truth)
    known = sheet.metadata.positive_class is not None or len(labels) != 2
    if known or not DIALECTS[sheet.layout].event_first:
        return sheet
    return replace(sheet, metadata=replace(sheet.metadata, positive_class=labels[0]))


def _united(parts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the names in several files, each once."""
    return tuple(dict.fromkeys(chain.from_iterable(parts)))


def _layouts_of(
    tables: Sequence[Table], metadata: Metadata, hints: Hints, dialect: str | None
) -> tuple[str, list[Layout]]:
    """Return the name of the layout of the first table, and the layout of each long one."""
    one_file = len(tables) == 1
    known = WIDE if one_file and metadata.cells else None
    dialects = [dialect_of(table, hints, dialect or known, one_file=one_file) for table in tables]
    layouts = [d.layout(table, hints) for table, d in zip(tables, dialects, strict=True) if d]
    if not layouts and not one_file:
        raise OptionError(
            f"{parameter('dialect', WIDE)} is for one file, but there are {len(tables)}",
            hint=f"for several files use one of {', '.join(DIALECTS)}",
        )
    return dialects[0].name if dialects[0] else WIDE, layouts


def dialect_of(
    frame: Table, hints: Hints, name: str | None = None, *, one_file: bool = True
) -> Dialect | None:
    """Return the dialect of a table; None for the wide layout.

    Parameters
    ----------
    frame, hints
        The table, and what is known of it.
    name
        Set by hand.
    one_file
        The table is the only one; of several each holds one configuration.

    Raises
    ------
    OptionError
        No dialect has that name.
    """
    if name is not None and name != WIDE and name not in DIALECTS:
        hint = nearest(short(name, str), (WIDE, *DIALECTS))
        raise OptionError(f"no dialect named {short(name)}", hint=hint)
    if name is not None:
        return DIALECTS.get(name)
    for dialect in DIALECTS.values():
        if dialect.recognises(frame, hints):
            return dialect
    return None if one_file else DIALECTS["kaggle"]


_NUMBERS = pattern(r"(?<![^\W\d_])(?:k?folds?|cv|split)[\W_]*(\d+)", re.IGNORECASE)
_ANY_NUMBERS = pattern(r"(\d+)")
_FEW = 64
"""Keys compared before all of two files."""


def folds_joined(tables: Sequence[Table], request: Request) -> tuple[Sequence[Table], list[Note]]:
    """Return one table per model, with a note, if files are folds; else the tables themselves."""
    by_hand = request.fold_files
    if len(tables) < 2:
        if not by_hand:
            return tables, []
        problem = f"{parameter('fold_files')} is for several files, but there is one"
        raise OptionError(problem, hint="name all files, or a pattern such as 'oof_fold*.csv'")
    models = _models(tables, _NUMBERS)
    if by_hand:
        models = models or _models(tables, _ANY_NUMBERS) or {"*": [*enumerate(tables)]}
    elif not (apart := _told_apart(tables, request, [*models.values()])):
        return tables, []
    elif not models:
        from bbccli.reading.advice import same_in_all

        whole = [table.opened for table in tables]
        first, n_rows = whole[0], tables[0].n_rows
        keys = (n for n in first.names if n in first.texts and same_in_all(whole, n))
        # none where the key is another in each run of a framework
        shared = next((n for n in keys if len(first.column(n).codes()[1]) == n_rows), "")
        raise tables[1].fault(
            f"has no sample in common with {tables[0].path}, by {apart!r}",
            hint=f"give {parameter('row_id', shared)}, which has the same values in all files"
            if shared
            else f"give {parameter('fold_files', True)} if the files hold the folds of one "
            "configuration; use bbc batch if each is a separate experiment",
        )
    joined = [_joined(name, files, request) for name, files in models.items()]
    return joined, [of_metadata.files_of_folds(len(tables), len(joined))]


def _models(tables: Sequence[Table], digits: re.Pattern[str]) -> dict[str, list[tuple[int, Table]]]:
    """Return the files of each model, with the number of the fold; empty if names tell no folds.

    The fold is the last number in the paths by which all files of each model differ.
    """
    in_path = [[*digits.finditer(table.path)] for table in tables]
    for place in range(1, min(map(len, in_path)) + 1):
        models: dict[str, list[tuple[int, Table]]] = {}
        for table, matches in zip(tables, in_path, strict=True):
            start, end = matches[-place].span(1)
            name = f"{table.path[:start]}*{table.path[end:]}"
            models.setdefault(name, []).append((int(matches[-place][1]), table))
        parts = [[number for number, _ in files] for files in models.values()]
        if all(len(set(part)) == len(part) > 1 for part in parts):
            return models
    return {}


def _told_apart(
    tables: Sequence[Table], request: Request, models: Sequence[list[tuple[int, Table]]]
) -> str:
    """Return the column by which no two files of a model share a sample; empty if there is none."""
    groups = [[table for _, table in files] for files in models] or [list(tables)]
    first = tables[0]
    if any({*table.names} != {*first.names} for table in tables):
        return ""
    fold, key = (getattr(request.roles, r) or column_named(first, r) for r in ("fold", "row_id"))
    if models and fold in first.names:
        folds = [[file.column(fold).named_codes()[1] for file in files] for files in groups]
        if all({*map(len, held)} == {1} and len({*held}) == len(held) for held in folds):
            return str(fold)
    if not models and first_of(first, *CONFIGURATIONS) is not None:
        return ""  # rows of one table, split over files
    texts = [name for name in first.names if name in first.texts]
    for name in [key] if key in first.names else texts if models else []:
        if all(_disjoint(group, name) for group in groups):
            return name
    return ""


def _disjoint(tables: Sequence[Table], name: str) -> bool:
    """True if all keys of several files differ, and not in their form alone."""
    from bbccli.reading.keys import alike, refuse_other_forms

    keys = [table.column(name) for table in tables]
    if any(len(key.nulls) for key in keys) or len({key.is_text for key in keys}) > 1:
        return False
    starts = [{*key.take(np.arange(min(_FEW, len(key)))).named_codes()[1]} for key in keys]
    if any(start & other for start, other in pairwise(starts)):
        return False
    try:
        arrays = alike(keys, otherwise_text=True)
        refuse_other_forms(keys, arrays)
    except InputError:
        return False  # refused where the keys are matched
    whole = pa.chunked_array(arrays)
    return len(whole.unique()) == len(whole)


def _joined(name: str, files: Sequence[tuple[int, Table]], request: Request) -> Table:
    """Return a model's rows in all folds, in their order, under a joint name."""
    from bbccli.reading.layout.stack import appended

    files = sorted(files, key=lambda file: file[0])
    folds, tables = zip(*files, strict=True)
    first = tables[0]
    has_fold = request.roles.fold or column_named(first, "fold") or request.folds is not None
    return appended(tables, first.path if name == "*" else name, () if has_fold else folds)
