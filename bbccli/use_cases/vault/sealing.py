"""A table before a search -> a folder with the rows for the search, the sealed ones and a count."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.errors import InputError, OptionError, parameter
from bbccli.notes import listing
from bbccli.platform import openings
from bbccli.platform.arguments import real, whole
from bbccli.platform.atomic import cannot_write, mode_of_new, sync_folder, write_whole
from bbccli.platform.dataclass import dataclass
from bbccli.reading.arrow import is_integer, is_number, to_numbers
from bbccli.reading.column import Column, repeated
from bbccli.reading.columns.groups import likely_group
from bbccli.reading.roles import ITEM_KEYS, column_named, column_of
from bbccli.reading.sources import STDIN, read_table
from bbccli.reading.sources.lines import split
from bbccli.reading.table import Table
from bbccli.stats.vault import sealed_rows

SPEC = "bbc-vault"
HEADER, OPENINGS = "vault.json", "openings.jsonl"
SEARCH, SEALED = "search", "vault"
FEW_CLASSES = 20
"""Distinct whole numbers up to which they are classes."""
SHOWN = 3
"""Names or keys that a message lists."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A table whose rows are shared out.

    folder, search, sealed: what was written.
    n_search, n_sealed: rows of either part.
    truth, group: columns by whose values it was done, if any.
    likely: without a group, a column whose values recur like those of groups, and how, if any.
    """

    folder: Path
    search: Path
    sealed: Path
    n_search: int
    n_sealed: int
    truth: str | None
    group: str | None
    likely: tuple[str, str]


def seal(
    path: str,
    folder: str | None = None,
    *,
    share: float = 0.2,
    planned: int = 1,
    seed: int = 0,
    row_id: str | None = None,
    truth: str | None = None,
    group: str | None = None,
) -> Sealed:
    """Write the rows for a search and the sealed ones into a new folder, all of it or nothing.

    Raises
    ------
    OptionError
        A share or a number of openings that makes no sense; or the folder exists.
    InputError
        No column is a key, with another value in each row.
    """
    share, planned, seed = real(share, "share"), whole(planned, "planned"), whole(seed, "seed")
    if seed < 0:
        raise OptionError(f"{parameter('seed', seed)} is negative", hint="an integer from 0")
    if path == STDIN:
        raise OptionError("rows of standard input are not sealed", hint="save them, name the file")
    if planned < 1:
        raise OptionError(
            f"{parameter('planned', planned)} opens nothing", hint="plan one opening, of the winner"
        )
    table = read_table(path, [row_id] if row_id else []).asked_for({row_id, truth, group})
    place = Path(folder) if folder is not None else _beside(path)
    if place.exists():
        raise OptionError(
            f"{place} exists, and a vault is never overwritten",
            hint="use it; or name another folder for another vault",
        )
    key, by_truth = _key(table, row_id), _chosen(table, truth, "truth")
    by_group = _chosen(table, group, "group")
    groups = None
    if by_group is not None:
        groups = table.column(by_group).present("group", hint="name the group of each row")
    strata = None if by_truth is None else _strata(table.column(by_truth))
    rows = sealed_rows(
        strata,
        table.n_rows,
        share,
        None if groups is None else groups.codes()[0],
        seed=seed,
        option="share",
    )
    suffix, *parts = split(path, rows)
    about: dict[str, Any] = {"spec": SPEC, "version": "1", "sealed": f"{SEALED}{suffix}"}
    about |= {"sha256": hashlib.sha256(parts[1]).hexdigest(), "key": key, "truth": by_truth}
    about |= {"group": by_group, "share": share, "seed": seed, "planned": planned}
    about |= {"n_sealed": int(rows.sum()), "n_rows": table.n_rows}
    try:
        _write(place, {f"{SEARCH}{suffix}": parts[0], about["sealed"]: parts[1]}, about)
    except OSError as error:
        raise cannot_write(str(place), error.strerror or str(error)) from error
    kept = by_truth if strata is not None else None
    written = place / f"{SEARCH}{suffix}", place / about["sealed"]
    likely = "", ""
    if by_group is None:
        spare = [name for name in table.names if name not in (key, by_truth)]
        likely = likely_group(table, spare, None if by_truth is None else table.column(by_truth))
    return Sealed(place, *written, int((~rows).sum()), int(rows.sum()), kept, by_group, likely)


def _write(place: Path, files: dict[str, bytes], about: dict[str, Any]) -> None:
    """Fill a folder under another name, and then give it its own."""
    made = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    try:
        number = openings.create(made / OPENINGS)
        header = json.dumps(about | {"file": number}, indent=1, ensure_ascii=False).encode()
        for name, content in {**files, HEADER: header}.items():
            write_whole(content, str(made / name))
        made.chmod(mode_of_new(0o777))
        made.rename(place)
        sync_folder(place.parent)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _beside(path: str) -> Path:
    whole_path = Path(path)
    return whole_path.with_name(f"{whole_path.name.partition('.')[0]}-vault")


def _chosen(table: Table, by_hand: str | None, role: str) -> str | None:
    return column_named(table, role) if by_hand is None else column_of(table, by_hand, role)


def _key(table: Table, by_hand: str | None) -> str:
    """Return the column of the keys, which differ in every row."""
    spelled = (column for name in ITEM_KEYS for column in table.by_spelling.get(name, ()))
    name = _chosen(table, by_hand, "row_id") or next(spelled, None)
    if name is None:
        unique = [
            name
            for name in table.names
            if not (is_number(kind := table.kinds.types[name]) and not is_integer(kind))
            and not len(repeated(table.column(name).codes()[0]))
        ]
        hint = f"{parameter('row_id')} NAME; " + (
            f"{listing([repr(name) for name in unique], SHOWN)} may be it"
            if unique
            else "number the rows in a column 'row_id'"
        )
        raise InputError("no column is the key of the rows", path=table.path, hint=hint)
    column = table.column(name).present("row_id", hint="give every row a key")
    again = repeated(column.codes()[0])
    if len(again):
        raise column.fault(
            "the key occurs twice",
            again,
            hint="rows are sealed before they are predicted: give a table with one row per sample",
        )
    return name


def _strata(truth: Column) -> Any:
    """Return classes or numbers (N,) to stratify by; None for text that differs in most rows."""
    codes, values = truth.codes()
    if is_number(truth.values.type):
        numbers = to_numbers(truth.values)
        whole_numbers = np.isnan(numbers) | (numbers % 1 == 0)
        if len(values) > FEW_CLASSES or not whole_numbers.all():
            return np.where(np.isnan(numbers), np.inf, numbers)
    return codes if 2 * len(values) <= len(codes) else None
