"""Files that are the folds of a model, such as `bert/oof_fold0.csv`: joined before anything else.

Files are folds of one model if no two of them hold the same sample, by their key or by a column of
the fold, and their names differ in the number of the fold alone. What remains of the names tells
the models apart. With `--fold-files`, any number in the names is that of the fold, and files need
no key.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bbccli.errors import InputError, OptionError, parameter
from bbccli.notes import Note, of_metadata
from bbccli.platform.text import pattern
from bbccli.reading.layout.dialects.base import first_of
from bbccli.reading.roles import CONFIGURATIONS, Request, column_named
from bbccli.reading.table import Table

_NUMBERS = pattern(r"(?<![^\W\d_])(?:k?folds?|cv|split)[\W_]*(\d+)", re.IGNORECASE)
_ANY_NUMBERS = re.compile(r"(\d+)")
_FEW = 64
"""Keys compared before all of two files."""


def folds_joined(tables: Sequence[Table], request: Request) -> tuple[Sequence[Table], list[Note]]:
    """Return one table per model, with a note, if files are folds; else the tables themselves."""
    by_hand = request.fold_files
    if by_hand and len(tables) < 2:
        problem = f"{parameter('fold_files')} is for several files, but there is one"
        raise OptionError(problem, hint="name all files, or a pattern such as 'oof_fold*.csv'")
    models = _models(tables, _NUMBERS) if len(tables) > 1 else {}
    if by_hand:
        models = models or _models(tables, _ANY_NUMBERS) or {"*": [*enumerate(tables)]}
    elif len(tables) < 2 or not (apart := _told_apart(tables, request, [*models.values()])):
        return tables, []
    elif not models:
        from bbccli.reading.advice import same_in_all

        first, n_rows = tables[0], tables[0].n_rows
        keys = (n for n in first.names if n in first.texts and same_in_all(tables, n))
        # none where the key is another in each run of a framework
        shared = next((n for n in keys if len(first.column(n).codes()[1]) == n_rows), "")
        raise InputError(
            f"has no sample in common with {tables[0].path}, by {apart!r}",
            path=tables[1].path,
            hint=f"give {parameter('row_id', shared)}, which has the same values in all files"
            if shared
            else f"give {parameter('fold_files')} if the files hold the folds of one "
            "configuration; use bbc batch if each is a separate experiment",
        )
    joined = [_joined(name, files, request) for name, files in models.items()]
    return joined, [of_metadata.files_of_folds(len(tables), len(joined))]


def _models(
    tables: Sequence[Table], numbers: re.Pattern[str]
) -> dict[str, list[tuple[int, Table]]]:
    """Return the files of each model, with the number of the fold; empty if names tell no folds.

    The fold is the last number in the paths by which all files of each model differ.
    """
    in_path = [[*numbers.finditer(table.path)] for table in tables]
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
    import pyarrow as pa

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
