"""Find the sample and the repeat of every row of a sheet.

Columns that number the rows are set aside: data frames write them beside the data, without any
meaning. pandas writes its index without a name, which becomes `Unnamed: 0` if the file is read and
written again; R writes row names without a name, which become `X`, or with no cell in the header at
all. In a file sorted by the truth such numbers would be the best of all configurations.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bbccli.domain.matrix import SampleKeys
from bbccli.errors import InputError, parameter
from bbccli.notes import of_metadata
from bbccli.platform.text import pattern
from bbccli.reading.arrow import as_arrow, is_nothing, is_number, pa, take, to_codes, to_numbers
from bbccli.reading.column import (
    EXACT_INTEGERS,
    Column,
    first_rows,
    joint,
    name_of,
    natural_order,
    repeated,
)
from bbccli.reading.roles import Hints
from bbccli.reading.rows import by_key, by_outcome, note_on_repeats
from bbccli.reading.sample_columns import CONSTANT, check_constant
from bbccli.reading.sheet import WIDE, Problems, Sheet
from bbccli.reading.table import PredictionColumn, Table
from bbccli.types import IntArray, distinct

FEWEST = 20
"""From this many rows on, a sequence of numbers, or a permutation of it, is not an accident."""

_UNNAMED = r"|Unnamed: \d+(_level_\d+)?(\.\d+)*(_[xy])?"
_LOST = pattern(_UNNAMED)
"""No name, or the one that pandas gives then."""

_INDEX = pattern(
    rf"{_UNNAMED}|X(\.(\d+|[xy]))?|\.\.\.\d+|__index_level_[1-9]\d*__"
    r"|(?i:level_\d+|idx|rn|row(_?(nr|no|num|number)|[._]?names?)?)"
)
"""The same, or another name of an index: of R, readr, Arrow, `reset_index()` and by hand."""


def set_aside(table: Table) -> Table:
    """Set aside columns that number or name the rows, by name and values.

    Such a column has no name, or one that only an index has, and a different integer or text in
    every row. If it lost its name, numbers may recur, as in stacked repeats, from `FEWEST` distinct
    ones on. An empty column without a name is removed. If no other column would remain, none is set
    aside. A column without a name gets the name that pandas would give it.
    """
    data, names = table.data, [*table.names]
    # columns of a large Parquet file are read by name
    candidates = [i for i in _called_so(names) if names[i] or isinstance(data, pa.Table)]
    lost = [i for i in candidates if _LOST.fullmatch(names[i])]
    blank = {i for i in lost if is_nothing(data.schema.field(i).type)}
    numbering = [i for i in candidates if i not in blank and _is_index(table, names[i], i)]
    if len(blank) + len(numbering) in (0, len(names)):
        return table
    for i in numbering:
        numbered = (f"Unnamed: {i}" + f".{n}" * (n > 0) for n in range(len(names) + 1))
        names[i] = names[i] or next(name for name in numbered if name not in names)
    kept = [i for i in range(len(names)) if i not in blank]
    if isinstance(data, pa.Table):
        data = data.select(kept).rename_columns([names[i] for i in kept])
    return replace(table, data=data, aside=tuple(names[i] for i in numbering))


def refuse_disorder(tables: Sequence[Table], *, beside_another: bool) -> None:
    """Refuse tables without a key whose rows are matched by position if their row numbers differ.

    Numbers that restart, as in stacked repeats, are in order if all blocks are equal and rise. Row
    i of one table belongs to row i of the next and, if `beside_another`, to row i of a file not
    among them.
    """
    earlier: dict[str, Column] = {}
    for table in tables if beside_another or len(tables) > 1 else ():
        for name in table.aside:
            column = table.column(name)
            other, numbers = earlier.setdefault(name, column), _whole(column)
            if other.values.equals(column.values):
                wrong = beside_another and numbers is not None and not _rises(numbers)
            else:
                wrong = not (_is_count(_whole(other)) and _is_count(numbers))
            if wrong:
                otherwise = f"give {parameter('by_position', True)} if the order is the same"
                raise table.fault(
                    "rows are matched by position, but numbered in a different order",
                    column=name,
                    hint=f"use {parameter('row_id')} {name!r} if these numbers are the key of the "
                    f"samples in all files; else {otherwise if beside_another else 'drop it'}",
                )


def without_row_numbers(sheet: Sheet, named: Collection[str]) -> Sheet:
    """Set aside the first column of a wide table if it numbers the rows under any other name.

    It holds consecutive whole numbers, in order (in each of several blocks) or permuted, and the
    next does not: all may be ranks of samples. `named` are known configurations.
    """
    if len(sheet.cells) < 2 or sheet.cells[0].source != sheet.table.names[0]:
        return sheet
    name, first = sheet.cells[0].name, _counted(sheet, sheet.cells[0])
    if not first or name in named or _counted(sheet, sheet.cells[1]):
        return sheet
    remark = of_metadata.row_numbers if first == "in order" else of_metadata.shuffled_numbers
    return replace(sheet, cells=sheet.cells[1:], notes=(*sheet.notes, remark([name])))


def _called_so(names: Sequence[str]) -> list[int]:
    """Return the positions of columns whose name means a row number or name."""
    return [i for i, name in enumerate(names) if _INDEX.fullmatch(name.strip())]


def _is_index(table: Table, name: str, position: int) -> bool:
    """True if a column with such a name does number or name the rows."""
    column = replace(table, data=table.data.select([position])).column(name)
    if column.is_text:
        return not len(column.nulls) and len(column.codes()[1]) == len(column)
    numbers = _whole(column)
    if numbers is None:
        return False
    n_different = len(np.unique(numbers))
    lost = _LOST.fullmatch(name.strip()) is not None
    return n_different == len(numbers) or (lost and n_different >= FEWEST)


def _rises(numbers: IntArray) -> bool:
    """True if numbers rise, in each of several equal blocks."""
    falls = np.flatnonzero(np.diff(numbers) <= 0)
    length = int(falls[0]) + 1 if len(falls) else len(numbers)
    blocks = np.arange(len(numbers)) % length
    return len(numbers) % length == 0 and np.array_equal(numbers, numbers[blocks])


def _is_count(numbers: IntArray | None) -> bool:
    """True if numbers count rows from 0 or 1."""
    return numbers is not None and numbers[0] <= 1 and bool((np.diff(numbers) == 1).all())


def _whole(column: Column) -> IntArray | None:
    """Return the (n,) non-negative integers in a column; None if it holds anything else."""
    if not is_number(column.values.type) or len(column.nulls):
        return None
    numbers = to_numbers(column.values)
    if (numbers < 0).any() or (numbers > EXACT_INTEGERS).any() or (numbers % 1 != 0).any():
        return None
    return numbers.astype(np.int64)


def _counted(sheet: Sheet, cell: PredictionColumn) -> str:
    """Tell if integers count rows from any number: "in order", "shuffled", or "" if they do not."""
    if cell.source not in sheet.table.kinds.integers or sheet.n_rows < FEWEST:
        return ""
    numbers = _whole(sheet.column(cell))
    numbers = np.zeros(1, int) if numbers is None else numbers - numbers.min()
    length = int(numbers.max()) + 1
    if length < FEWEST or len(numbers) % length:
        return ""
    if np.array_equal(numbers, np.arange(len(numbers)) % length):
        return "in order"
    permuted = length == len(numbers) and len(np.unique(numbers)) == length
    return "shuffled" if permuted else ""


_NOISE_TOLERANCE = 1e-6
"""Relative distance from an integer that arithmetic may cause."""

_UNEQUAL_FOLDS = 0.02
"""Relative difference of training sizes that is due to unequal folds."""

_CARET = pattern(r"(.+)[._](Rep\d+)")
_DIGIT = pattern(r"\d")
_SUMMARIES = frozenset(
    ("total", "totals", "grand total", "subtotal", "sum", "mean", "average", "avg", "median")
)

REMOVE = "otherwise remove one of the rows"

KEYS = {
    "repeat": "give the cross-validation pass of every row",
    "outer_fold": "give the outer fold of every row",
    "row_id": "give every row the key of its sample",
    "train_size": "give the number of training samples of every row's model",
}
"""Roles that place a row, none of which may be missing -> remedy."""


def place(sheet: Sheet, problems: Problems) -> Sheet:
    """Find the sample and the repeat of every row.

    Without a role `row_id`, the order of the rows within each repeat identifies the sample, unless
    the outcome does. In nested cross-validation only rows of outer test samples have a place, and
    the outer folds become the folds.
    """
    placed = None
    for role in KEYS:
        with problems.of("keys"):
            check_key(sheet.roles, role)
    with problems.of("keys"):
        repeats, samples = by_outcome(sheet.roles)
        repeats = repeats or by_key(sheet.roles)
        notes = (*sheet.notes, *note_on_repeats(repeats, sheet.roles))
        found = replace(sheet, roles={**sheet.roles, **repeats}, notes=notes) if repeats else sheet
        placed = _placed(_with_inner_folds(found), samples)
    if placed is None:  # every row counts as a sample, so that the rest can be checked
        roles = {role: column for role, column in sheet.roles.items() if role not in KEYS}
        placed = _placed(replace(sheet, roles=roles))
    problems.saw("keys", placed)
    return placed


def by_train_size(sheet: Sheet) -> dict[int, Sheet]:
    """Return the sheet of each training size, fewest samples first; empty without such a role."""
    if "train_size" not in sheet.roles:
        return {}
    column = sheet.roles["train_size"].present("train_size", hint=KEYS["train_size"])
    counted = "give the number of samples that trained the model, such as 80"
    values = column.numbers("train_size", counted)
    sizes = np.rint(values)
    wrong = (np.abs(values - sizes) > _NOISE_TOLERANCE * np.abs(values)) | (sizes < 1)
    if wrong.any():
        first = values[np.argmax(wrong)]
        of_all = "; multiply fractions by the number of available samples" if 0 < first < 1 else ""
        raise column.fault(
            "train_size must be a positive integer", np.flatnonzero(wrong), hint=counted + of_all
        )
    different = np.unique(sizes).astype(np.int64)
    near = np.flatnonzero(np.diff(different) <= np.maximum(1, different[:-1] * _UNEQUAL_FOLDS))
    if len(near):
        raise column.fault(
            f"train_size {different[near[0] + 1]} is next to {different[near[0]]}",
            np.flatnonzero(sizes == different[near[0] + 1]),
            hint="if they differ only because fold sizes differ, write one size for all",
        )
    if len(different) > 1:
        _check_samples(sheet)
    parts = {int(size): sheet.of_rows(np.flatnonzero(sizes == size)) for size in different}
    largest = parts[int(different[-1])]
    for name, cells in largest.configurations.items() if len(different) > 1 else ():
        if all(len(largest.column(cell).nulls) == largest.n_rows for cell in cells):
            raise sheet.fault(
                f"no prediction of {name!r} at the largest training size, {different[-1]}",
                column=column.place(0)[1],
                hint="give all configurations the same training sizes, or use --exclude",
            )
    return parts


def _check_samples(sheet: Sheet) -> None:
    """Refuse truths, groups and weights of a sample that differ between training sizes."""
    if "row_id" not in sheet.roles:
        return
    codes, _ = sheet.roles["row_id"].named_codes()
    first = first_rows(codes)
    for role in (role for role in CONSTANT if role in sheet.roles):
        if not len(sheet.roles[role].nulls):
            check_constant(
                sheet.roles[role],
                first[codes],
                f"{role} differs between training sizes of one sample",
                "check that the rows belong to the same samples",
            )


def check_key(roles: Mapping[str, Column], role: str) -> None:
    """Refuse rows in which a role that places them is missing, or two spellings of one key."""
    if role in roles:
        column = roles[role].present(role, hint=KEYS[role])
        if role == "row_id" and column.is_text:
            from bbccli.reading.keys import refuse_two_spellings

            refuse_two_spellings(column)
            _refuse_summary(column)


def _refuse_summary(row_id: Column) -> None:
    """Refuse a last row called Mean, Total or the like, where all others are numbered: by numbers
    alone, or by keys with digits, such as q1, among which a name of another kind may be a sample.
    """
    last = len(row_id) - 1
    word = row_id.values[last].as_py().strip(" :") if last else ""
    if not word.replace(" ", "").isalpha():
        return
    others = row_id.values[:last].to_pylist()
    numbers = all(key.isdigit() for key in others)
    summary = word.casefold() in _SUMMARIES and all(_DIGIT.search(key) for key in others)
    if numbers or summary:
        kind = "numbers" if numbers else "numbered"
        raise row_id.fault(
            f"row_id is a word, but all others are {kind}", last, hint="remove a row of totals"
        )


def _placed(sheet: Sheet, samples: IntArray | None = None) -> Sheet:
    """Place every row, of known `samples` (n_rows,) if they are; of nested predictions, the outer
    ones.
    """
    repeats, row_id = repeat_codes(sheet.n_rows, sheet.roles), sheet.roles.get("row_id")
    if row_id is None and samples is None:
        samples = positions_within(repeats, "repeats", sheet.path)
    elif row_id is not None:
        check_key(sheet.roles, "row_id")
        samples, _ = row_id.codes()
    assert samples is not None
    shape = (int(repeats.max()) + 1, int(samples.max()) + 1)
    cells = repeats * shape[1] + samples
    placed = np.flatnonzero(sheet.outer)
    rows = np.full(shape[0] * shape[1], -1)
    rows[cells[placed]] = placed
    if row_id is not None and np.count_nonzero(rows >= 0) < len(placed):
        again = placed[repeated(cells[placed])]
        raise _occurs_twice(sheet, row_id, again)
    first = first_rows(samples)
    known = row_id or next(iter(sheet.roles.values()), None)
    rows_of_file = None if known is None or len(known.origins) > 1 else known.rows[first]
    keys = SampleKeys(np.arange(shape[1]), None, rows_of_file)
    if row_id is not None:
        keys = SampleKeys(keys_of(row_id.take(first)), row_id.place(0)[1], rows_of_file)
    return replace(sheet, rows=rows.reshape(shape), samples=samples, first=first, keys=keys)


def _with_inner_folds(sheet: Sheet) -> Sheet:
    """Tell the inner rows of a nested cross-validation from the outer ones.

    A row with an inner `fold` is an out-of-sample prediction within the training set of its
    `outer_fold`; a row without is a prediction of a test sample of that outer fold.
    """
    if "outer_fold" not in sheet.roles:
        return sheet
    roles = dict(sheet.roles)
    if "row_id" in roles and "fold" not in roles:
        keys = [repeat_codes(sheet.n_rows, roles), roles["row_id"].codes()[0]]
        if not len(repeated(joint(keys))):  # of outer test samples alone
            return replace(sheet, roles=roles | {"fold": roles.pop("outer_fold")})
    for role, content in (("row_id", "the key of the sample"), ("fold", "the inner fold")):
        if role not in sheet.roles:
            raise sheet.fault(
                f"nested predictions need a column {role!r} beside 'outer_fold'",
                hint=f"give {content} of every row"
                + "; empty in rows of outer test samples" * (role == "fold")
                + f"; {parameter('fold', 'outer_fold')} if all rows are outer test samples",
            )
    roles |= {"inner_fold": roles["fold"], "fold": roles.pop("outer_fold")}
    nested = replace(sheet, roles=roles)
    blocks, _ = outer_blocks(nested)
    for kind, problem in (
        (nested.outer, "outer fold has no test samples"),
        (~nested.outer, "outer fold has no inner predictions"),
    ):
        lacking = np.flatnonzero(~np.isin(blocks, blocks[kind]))
        if len(lacking):
            raise roles["fold"].fault(
                problem,
                lacking,
                hint="write inner predictions in rows with a 'fold', and those of the outer test "
                "samples in rows with an empty 'fold'",
            )
    _check_disjoint(nested, blocks)
    return nested


def outer_blocks(sheet: Sheet) -> tuple[IntArray, tuple[str, ...]]:
    """Return (n_rows,) codes of repeat and outer fold, repeat by repeat; and names of the outer
    folds.
    """
    codes, names = sheet.roles["fold"].present("outer_fold", hint=KEYS["outer_fold"]).named_codes()
    return repeat_codes(sheet.n_rows, sheet.roles) * len(names) + codes, names


def _check_disjoint(sheet: Sheet, blocks: IntArray) -> None:
    """Refuse samples tested in the outer fold that trained on them, or predicted twice there."""
    row_id = sheet.roles["row_id"].present("row_id", hint=KEYS["row_id"])
    samples, _ = row_id.codes()
    cells = blocks * (int(samples.max()) + 1) + samples
    leaked = np.flatnonzero(sheet.outer & np.isin(cells, cells[~sheet.outer]))
    if len(leaked):
        raise row_id.fault(
            "sample is both trained on and tested in one outer fold",
            leaked,
            hint="give inner predictions only for samples outside the outer fold",
        )
    inner = np.flatnonzero(~sheet.outer)
    again = repeated(cells[inner])
    if len(again):
        raise row_id.fault(
            "row_id occurs twice within one outer fold",
            inner[again],
            hint="give one inner prediction per sample and outer fold, and average those of inner "
            "repeats",
        )


def split_caret(columns: Mapping[str, Column]) -> dict[str, Column]:
    """Split fold names like `Fold1.Rep1` into fold and repeat, if no column has the repeat."""
    fold = columns.get("fold")
    if fold is None or "repeat" in columns or not fold.is_text:
        return {}
    codes, values = fold.codes()
    matches = [_CARET.fullmatch(text) for text in values.to_pylist() if text is not None]
    if not matches or len(fold.nulls) or None in matches:
        return {}
    part = [pa.array([match[i] for match in matches if match]) for i in (1, 2)]
    folds, repeats = (replace(fold, values=take(names, as_arrow(codes))) for names in part)
    return {"fold": folds, "repeat": repeats}


def repeat_codes(n_rows: int, roles: Mapping[str, Column]) -> IntArray:
    """Return (n_rows,) codes 0..R-1 in the natural order of the repeats."""
    if "repeat" not in roles:
        return np.zeros(n_rows, dtype=np.int64)
    check_key(roles, "repeat")
    codes, names = roles["repeat"].named_codes()
    return np.argsort(natural_order(names))[codes]


def positions_within(blocks: IntArray, what: str, path: str) -> IntArray:
    """Return (n_rows,) positions of rows within their blocks, which must have equal sizes."""
    counts = np.bincount(blocks)
    if len(set(counts.tolist())) > 1:
        raise InputError(
            f"{what} have {counts.min()} to {counts.max()} rows, and there is no row_id",
            path=path,
            hint="add a column 'row_id' with the key of the sample"
            + f"; or give {parameter('fold_files', True)} if each file is a fold"
            * ("fold" in path),
        )
    order = np.argsort(blocks, kind="stable")
    positions = np.empty(len(blocks), dtype=np.int64)
    positions[order] = np.arange(len(blocks)) % counts[0]
    return positions


def _occurs_twice(sheet: Sheet, row_id: Column, again: IntArray) -> InputError:
    """Build the error about rows of a sample and a repeat that have one already."""
    samples, values = row_id.codes()
    fold, where = sheet.roles.get("fold"), ""
    if "repeat" in sheet.roles:
        samples = joint([samples, sheet.roles["repeat"].codes()[0]])
        fold, where = None, " in one repeat"
    if fold is not None and not len(fold.nulls):
        codes, folds = fold.codes()
        pairs = distinct(joint([samples, codes]))
        if len(folds) > 1 and len(pairs) == sheet.n_rows == len(folds) * len(values):
            return row_id.fault(
                f"each of the {len(folds)} folds predicts the same {len(values)} samples",
                again,
                hint="if they are a test set, average the predictions of each sample, or give "
                f"{parameter('repeat', fold.place(0)[1])}: each fold is then a repeat",
            )
    from bbccli.reading.advice import advice

    roles = {role: column.name for role, column in sheet.roles.items()}
    advised = advice(sheet.table, roles, Hints())
    hint = (
        "if the rows are repeats, or a repeated hold-out, add a column 'repeat'; "
        f"if they are of several configurations, give {parameter('configuration', 'NAME')}; "
        "if they are of several experiments, give each its own file; "
    ) * (not where)
    times = int(np.bincount(samples).max())
    for name in sheet.table.names:
        column = sheet.table.column(name)
        codes, kinds = column.codes()
        free = name not in roles.values() and len(kinds) == times
        if free and len(column) == sheet.n_rows and not len(repeated(joint([samples, codes]))):
            of_repeats = f"{parameter('repeat', name)} if {name} distinguishes repeats, "
            hint = f"give {'' if where else of_repeats}{parameter('configuration', name)} if it "
            hint += "distinguishes configurations; "
            break
    if "configuration" in advised.roles and sheet.layout == WIDE:
        hint = f"give {advised} if each row belongs to one configuration; "
    hint += REMOVE if hint else REMOVE.removeprefix("otherwise ")
    return row_id.fault(f"row_id occurs twice{where}", again, hint=hint)


def keys_of(row_id: Column) -> np.ndarray:
    """Return (N,) keys: integers, or UTF-8."""
    if pa.types.is_signed_integer(row_id.values.type):
        return to_codes(row_id.values)
    texts = row_id.values.to_pylist()
    return np.array([name_of(text).encode("utf-8", "replace") for text in texts])
