"""Scores of a winner on sealed rows -> the vault, with this opening counted."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.domain.matrix import Opening, PredictionMatrix, SampleKeys, Vault
from bbccli.domain.plan import Plan
from bbccli.errors import InputError, OptionError, parameter
from bbccli.metrics import Metric
from bbccli.metrics.capped import attainable
from bbccli.notes import listing
from bbccli.platform import openings, resources
from bbccli.platform.dataclass import dataclass
from bbccli.platform.guarded_files import bytes_of
from bbccli.platform.text import count
from bbccli.reading import understand
from bbccli.reading.evaluations import is_log
from bbccli.reading.join import correspond
from bbccli.reading.keys import names_alike
from bbccli.reading.layout import dialect_of
from bbccli.reading.layout.wide import choose_roles
from bbccli.reading.metadata import Metadata
from bbccli.reading.roles import column_named, column_of
from bbccli.reading.sample_index import keys_of
from bbccli.reading.sheet import Sheet
from bbccli.reading.sources import STDIN, read_table
from bbccli.reading.sources.memory import name_in_messages
from bbccli.reading.table import Table, in_memory
from bbccli.stats.vault import figure_of, shown_by
from bbccli.types import IntArray, Task
from bbccli.use_cases import Analysis
from bbccli.use_cases.vault.sealing import HEADER, OPENINGS, SEARCH, SHOWN, SPEC


@dataclass(frozen=True, slots=True)
class Found:
    """The vault of some scores: its folder, its sealed rows, and what is known of them."""

    folder: Path
    table: Table
    key: str
    truth: str | None
    planned: int
    copied: bool

    @property
    def openings(self) -> Path:
        """The file that counts."""
        return self.folder / OPENINGS

    def keys(self, given: SampleKeys, search: SampleKeys) -> tuple[SampleKeys, ...]:
        """Return keys of the sealed rows, the given ones and those of the search.

        Logs of evaluations have keys of their own: then a column that holds just the given keys is
        taken, or one that holds a variable of theirs, as promptfoo writes them.
        """
        spelled = [keys.as_text().tolist() for keys in (given, search)]
        variables = [[*map(_object, keys)] for keys in spelled]
        for name in (self.key, *self.table.names):
            column = self.table.column(name)
            held = SampleKeys(keys_of(column), name, column.rows)
            texts = {*held.as_text().tolist()}
            if texts == {*spelled[0]}:
                return held, given, search
            values = [[item.get(name) for item in objects] for objects in variables]
            if texts == {*values[0]} and None not in values[1]:
                as_bytes = ([str(value).encode() for value in of_file] for of_file in values)
                return held, *(SampleKeys(np.array(keys), name) for keys in as_bytes)
        column = self.table.column(self.key)
        return SampleKeys(keys_of(column), self.key, column.rows), given, search


def with_vault(
    analysis: Analysis, sheet: Sheet | None, matrix: PredictionMatrix, plan: Plan, metric: Metric
) -> PredictionMatrix:
    """Return the matrix of a search with the vault that `analysis.vault` holds scores of.

    The opening is counted, and flushed to the disk, before this returns. Scores that were opened
    before are not counted again.
    """
    if matrix.vault is not None:
        raise OptionError(
            f"{parameter('vault')} is for tables: this recording has a vault of its own",
            hint="rec.open(name, model) opens it",
        )
    if plan.makes:
        raise OptionError(
            f"{parameter('vault')} judges a single configuration as it is, not one that is made "
            "of several, calibrated or cut",
            hint="leave out what makes it, and give scores that were made so",
        )
    best = attainable(metric, matrix.outcome)[metric.direction.sign > 0]
    if analysis.reach is not None and not metric.direction.gain(best, analysis.reach) >= 0:
        raise OptionError(
            f"{parameter('reach', analysis.reach)}: no {metric.label} gets there",
            hint="nothing was opened",
        )
    scores: Any = analysis.vault
    vault = _vault_of(scores)
    if isinstance(scores, str) and scores == STDIN:  # is read once, and looked at twice
        scores = read_table(STDIN, [vault.key]).data
    if sheet is not None and "truth" in sheet.roles:
        truth = sheet.roles["truth"].place(0)[1]
        vault = replace(vault, truth=truth) if truth in vault.table.names else vault
    given = _joined(vault, *_scores(analysis, vault, scores, matrix), matrix, sheet)
    figure_of(given, metric, Plan(n_resamples=2), 0.5)  # what can't be scored is not counted
    return replace(matrix, vault=_counted(analysis, vault, given, metric))


def _vault_of(scores: Any) -> Found:
    """Return the vault in the folder of the scores, or in a folder beside them."""
    name = name_in_messages(scores) if in_memory(scores) else str(scores)
    parent = Path() if in_memory(scores) else Path(scores).parent
    if not in_memory(scores) and (Path(scores) / HEADER).is_file():
        raise _is_vault(name)
    is_path = not in_memory(scores) and name != STDIN and not glob.has_magic(name)
    if is_path and not Path(scores).exists():
        raise InputError("no such file", path=name, hint="give scores of the sealed rows")
    vaults = [parent] if (parent / HEADER).is_file() else []
    vaults = vaults or sorted(path.parent for path in parent.glob(f"*/{HEADER}"))
    if len(vaults) != 1:
        where = f"{len(vaults)} vaults are" if vaults else "no vault is"
        names = f": {listing([vault.name for vault in vaults], SHOWN)}" if vaults else ""
        raise InputError(
            f"{where} beside these scores{names}",
            path=name,
            hint="put the scores into the folder of their vault, which bbc vault has written",
        )
    return _loaded(vaults[0], name)


def _is_vault(path: str) -> InputError:
    return InputError(
        "has the sealed rows themselves, not predictions of them",
        path=path,
        hint="predict them with the winner, and give the predictions",
    )


def _loaded(folder: Path, scores: str) -> Found:
    """Return a vault; an InputError if it is damaged or was changed."""
    try:
        about = json.loads(bytes_of(folder / HEADER))
        if about["spec"] != SPEC or str(about["version"]).partition(".")[0] != "1":
            raise ValueError(f"not a {SPEC} of version 1")
        sealed, key = folder / Path(about["sealed"]).name, str(about["key"])
        truth, planned, sha256 = about["truth"], int(about["planned"]), str(about["sha256"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            f"the vault can't be read: {error}",
            path=str(folder / HEADER),
            hint="put the file back as bbc vault wrote it",
        ) from None
    limits = replace(resources.reading_limits(), quoted_newlines=True)
    with resources.use_reading(limits):
        table = read_table(sealed, [key]).asked_for({key, truth})
    if table.sha256 != sha256:
        raise InputError(
            "the sealed rows were changed after they were sealed",
            path=str(sealed),
            hint="put the file back as it was: a figure on other rows would show nothing",
        )
    if os.path.realpath(scores) == os.path.realpath(sealed):
        raise _is_vault(scores)
    count_file = folder / OPENINGS
    copied = not count_file.exists() or count_file.stat().st_ino != about.get("file")
    return Found(folder, table, key, truth, planned, copied)


def _scores(
    analysis: Analysis, vault: Found, scores: Any, matrix: PredictionMatrix
) -> tuple[Sheet, PredictionMatrix]:
    """Read scores of the sealed rows as those of the search were read."""
    asked = analysis.request(analysis.missing)
    roles, labels = replace(asked.roles, labels_row_id=None, folds_row_id=None), None
    positive = matrix.outcome.classes[-1] if matrix.task is Task.BINARY else None
    known, names = matrix.outcome.classes, None
    if in_memory(scores) or (Path(scores).is_file() and not is_log(scores)):
        names = read_table(scores, [vault.key]).asked_for({vault.key, roles.row_id})
        key = (
            vault.key if vault.key in names.names else roles.row_id or column_named(names, "row_id")
        )
        roles = replace(roles, row_id=key)
        column = None if key is None else names.column(column_of(names, key, "row_id"))
        held = None if column is None else SampleKeys(keys_of(column), key, column.rows)
        joined_by, _ = _order(vault, (names.path, held), (matrix.source.path, matrix.sample_keys))
        for role in ("fold", "repeat", "group", "weight", "outer_fold", "train_size"):
            if getattr(roles, role) not in (None, *names.names):
                roles = replace(roles, **{role: None})
        truth = column_named(names, "truth") if roles.truth is None else roles.truth
        of = names if truth in names.names else vault.table
        truth = truth if of is names else vault.truth
        if matrix.task is Task.SURVIVAL:
            needed, truth = [roles.time or "time", roles.event or "event"], None
            lacks = not {*needed} <= {*names.names} and {*needed} <= {*of.names}
        else:
            lacks = of is not names and truth is not None and matrix.task is not Task.SCORE
        if lacks:
            labels = str(vault.table.path)
            roles = replace(roles, truth=truth, labels_row_id=joined_by)
        known = of.column(truth).named_codes()[1] if truth else known
    request = replace(
        asked,
        roles=roles,
        labels=labels,
        folds=None,
        only=(),
        exclude=(),
        by_position=False,
        task=matrix.task,
        positive=positive if positive in known else None,
        bounds=asked.bounds or matrix.outcome.bounds,
    )
    hints = request.hints(Metadata())
    if names is not None and dialect_of(names, hints, request.dialect) is None:
        taken, spare = choose_roles(names, hints)  # what was sealed beside them is no prediction
        beside = {*vault.table.names} & {*names.names} - {*taken.values(), *spare}
        request = replace(request, exclude=sorted(map(glob.escape, beside)))
    with resources.use_reading(replace(resources.reading_limits(), quoted_newlines=True)):
        read, given = understand(scores, request)
    return read, analysis.scored(given, analysis.fixed_cut)


def _joined(
    vault: Found,
    read: Sheet,
    given: PredictionMatrix,
    matrix: PredictionMatrix,
    sheet: Sheet | None,
) -> PredictionMatrix:
    """Return the scores in the order of the sealed rows; an InputError unless they are all of these
    and none of the search's rows.
    """
    path, search = given.source.path, matrix.source.path
    if given.n_configurations != 1:
        raise InputError(
            f"has {count(given.n_configurations, 'configuration')}, but one is opened",
            path=path,
            hint="keep the column of the one that was selected; or correct this file by itself, "
            "as the list of finalists that it is",
        )
    _, order = _order(vault, (path, given.sample_keys), (search, matrix.sample_keys))
    ours, theirs = given.outcome.classes, matrix.outcome.classes
    for what, same, here, other in (
        ("classes", [*ours] == [c for c in theirs if c in ours], listing(ours), listing(theirs)),
        ("predictions", given.kind == matrix.kind, given.kind, matrix.kind),
    ):
        if not same:
            raise InputError(
                f"the {what} of the search are {other}, these are {here}",
                path=path,
                hint="write both files in the same way",
            )
    if vault.truth is not None and "truth" in read.roles:
        truth, mine = vault.table.column(vault.truth), read.roles["truth"].take(read.first[order])
        alike = truth.name == mine.name or {*truth.named_codes()[1]} == {*mine.named_codes()[1]}
        if alike and not correspond(mine, truth):
            raise InputError(
                f"the truth is not that of the sealed rows, {vault.truth!r} in {truth.path}",
                path=path,
                hint="join it by key; or leave it out, since the vault has it",
            )
    return _as_searched(vault, given.of_samples(order), matrix, sheet)


def _order(
    vault: Found, given: tuple[str, SampleKeys | None], search: tuple[str, SampleKeys | None]
) -> tuple[str | None, IntArray]:
    """Return the column of the vault that is its key, and the position of each sealed row among the
    given keys, by path; an InputError unless these are all sealed ones, and the search has none.
    """
    for place, names in (given, search):
        if names is None or names.column is None:
            raise InputError(
                "has no key of its rows, so nothing tells that none of them is sealed",
                path=place,
                hint=f"give it a column {vault.key!r}, as in {vault.table.path}",
            )
    assert given[1] is not None
    assert search[1] is not None
    paths = vault.table.path, given[0], search[0]
    keys = vault.keys(given[1], search[1])
    sealed, ours, searched = names_alike([*zip(paths, keys, strict=True)])
    _refuse(
        searched,
        np.isin(searched, sealed),
        ("sample of the search is sealed", "samples of the search are sealed"),
        search[0],
        f"the search takes the rows in {vault.folder / SEARCH}.* alone: without these",
    )
    _refuse(
        ours,
        ~np.isin(ours, sealed),
        ("sample is not in the vault", "samples are not in the vault"),
        given[0],
        f"give scores of the rows in {vault.table.path} alone; in logs, {parameter('row_id')} "
        "names a fact about the items that this table has too",
    )
    _refuse(
        sealed,
        ~np.isin(sealed, ours),
        ("sealed sample has no score", "sealed samples have no score"),
        given[0],
        f"give scores of all rows in {vault.table.path}",
    )
    return keys[0].column, np.argsort(ours)[np.searchsorted(np.sort(ours), sealed)]


def _object(key: str) -> dict[str, Any]:
    """Return the variables that a key holds, if it is an object in JSON."""
    value: Any = None
    if key.startswith("{"):
        with suppress(ValueError, RecursionError):
            value, _ = json.JSONDecoder().raw_decode(key)
    return value if isinstance(value, dict) else {}


def _refuse(keys: Any, wrong: Any, problem: tuple[str, str], path: str, hint: str) -> None:
    """Refuse wrong keys; the problem is said of one, and of several."""
    if n_wrong := int(wrong.sum()):
        shown = listing([str(key) for key in keys[wrong][:SHOWN]])
        text = f"{n_wrong} {problem[n_wrong > 1]}, such as {shown}"
        raise InputError(text, path=path, hint=hint)


def _as_searched(
    vault: Found, given: PredictionMatrix, matrix: PredictionMatrix, sheet: Sheet | None
) -> PredictionMatrix:
    """Return scores with the groups and weights of the sealed rows; check their truth."""
    path, table = given.source.path, vault.table
    roles = {} if sheet is None else sheet.roles
    names = {role: roles[role].place(0)[1] for role in ("group", "weight") if role in roles}
    held = {role: table.column(name) for role, name in names.items() if name in table.names}
    if "group" in held:
        codes, groups = held["group"].named_codes()
        shared = sorted({*groups} & {*roles["group"].named_codes()[1]})
        if shared:
            raise InputError(
                f"the vault was split inside {count(len(shared), 'group')}, such as {shared[0]}",
                path=table.path,
                hint=f"bbc vault --group {names['group']}, and search again without those rows",
            )
        given = replace(given, groups=codes)
    weights = given.outcome.weights
    if weights is None and "weight" in held:
        weights = held["weight"].numbers("weight")
    if (weights is None) != (matrix.outcome.weights is None):
        raise InputError(
            "only one of the search and the vault has weights",
            path=path,
            hint="give both the same column of weights; or --unweighted",
        )
    return replace(given, outcome=replace(given.outcome, weights=weights))


def _counted(analysis: Analysis, vault: Found, given: PredictionMatrix, metric: Metric) -> Vault:
    """Return the vault with all its openings, that of these scores among them."""
    outcome, reach = given.outcome, analysis.reach
    held: Sequence[Any] = (given.predictions, outcome.values, given.available, outcome.weights)
    digest = hashlib.sha256(f"{given.kind} {given.threshold}".encode())
    for array in held:
        digest.update(b"" if array is None else np.ascontiguousarray(array, np.float64).tobytes())
    about: dict[str, Any] = {"name": given.configurations[0], "sha256": digest.hexdigest()}
    about |= {"time": time.time(), "level": analysis.level}
    about |= {} if reach is None else {"reach": reach, "metric": metric.name}

    def known(lines: Sequence[dict[str, Any]]) -> Iterator[int]:
        for at, line in enumerate(lines):
            same = all(line.get(key) == about.get(key) for key in ("reach", "metric"))
            if line.get("sha256") == about["sha256"] and (line.get("passed", True) or same):
                yield at

    def state(lines: Sequence[dict[str, Any]], ours: int) -> Vault:
        counted = tuple(
            Opening(
                str(line.get("name", "")),
                given if at == ours else None,
                line.get("reach"),
                str(line.get("metric") or ""),
                float(line.get("level", 0.95)),
                line.get("passed", True) is not False,
            )
            for at, line in enumerate(lines)
        )
        n = given.n_samples
        return Vault(n, vault.planned, counted, str(vault.openings), vault.copied)

    lines = openings.openings_in(vault.openings)
    ours = next(known(lines), None)
    if ours is None:
        openings.check_plan(vault.openings, vault.planned, stricter=analysis.stricter)
        if reach is not None:
            next_one = [*lines, about]
            about["passed"] = shown_by(state(next_one, len(lines)))[-1]
        ours = openings.append(vault.openings, about) - 1
        lines = openings.openings_in(vault.openings)
        if ours >= vault.planned:  # another process may have been faster
            openings.check_plan(vault.openings, vault.planned, stricter=analysis.stricter)
    return state(lines, ours)
