"""Choose configurations: `--only`, `--exclude` and `--include`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from bbccli.domain.matrix import Unfinished
from bbccli.domain.source import LeftOut
from bbccli.errors import InputError, OptionError, nearest, parameter, short
from bbccli.notes import lacking, listing, of_data, of_metadata
from bbccli.reading.classes import check_classes_told
from bbccli.reading.roles import Request
from bbccli.reading.sheet import Problems, Sheet
from bbccli.types import BoolArray, IntArray

ALL = "all"
INCLUDED = {
    "ensembles": "ensemble",
    "stacked": "stacked",
    "calibrated": "calibrated_on_fold",
    "low-fidelity": "low_fidelity",
    "dummies": "dummy",
    ALL: "",
}
"""Values of `--include` -> their flags: models that saw the outcome, or that are no candidates."""


EXPECTED = frozenset({"samples-left-out", "candidates-missing"})
"""Notes on missing parts, not needed for a cross-validation in progress."""

GAPS_WITHIN_FOLDS = "gaps-within-folds"
"""Code of the note that comes last."""


def keep_chosen(sheet: Sheet, request: Request, problems: Problems) -> Sheet:
    """Keep the configurations chosen by options and flags; refuse patterns without a match."""
    with problems.of("choice"):
        sheet = keep_named(sheet, request.only, request.exclude)
    with problems.of("choice"):
        sheet = _without_flagged(sheet, request.include)
    return sheet


def of_columns_and_models(sheet: Sheet, request: Request) -> tuple[Request, Request]:
    """Return the request with the patterns that match columns, and with the others.

    The others may match models, once rules have told which columns are the classes of one.
    """
    names, every = [*sheet.configurations], (*request.only, *request.exclude)
    if not every:
        return request, request
    strange = {pattern for pattern in every if not _matches(names, pattern)}
    only = () if strange & {*request.only} else request.only
    exclude = [pattern for pattern in request.exclude if pattern not in strange]
    later = [pattern for pattern in request.exclude if pattern in strange]
    rest = () if only else request.only
    return replace(request, only=only, exclude=exclude), replace(request, only=rest, exclude=later)


def keep_named(sheet: Sheet, only: Sequence[str], exclude: Sequence[str]) -> Sheet:
    """Keep the configurations that match a pattern of `only`, but none of `exclude`.

    Those matched by `only` count as named by hand: configurations, whatever they predict.
    """
    if not only and not exclude:
        return sheet
    names = list(sheet.configurations)
    named = _matched(names, only, "only", sheet.path)
    dropped = _matched(names, exclude, "exclude", sheet.path)
    kept = [name for name in names if (not only or name in named) and name not in dropped]
    if not kept:
        raise sheet.fault(
            f"{parameter('only')} and {parameter('exclude')} leave none of {len(names)} "
            "configurations",
            hint=f"choose from {listing(names, 8)}",
        )
    left_out = [name for name in names if name not in kept]
    notes = [of_data.configurations_left_out(left_out, len(names))] if left_out else []
    return replace(
        sheet,
        cells=tuple(cell for name in kept for cell in sheet.configurations[name]),
        named=frozenset(named) & frozenset(kept),
        notes=(*sheet.notes, *notes),
        n_excluded=sheet.n_excluded + len(left_out),
    )


def _without_flagged(sheet: Sheet, include: Sequence[str]) -> Sheet:
    """Leave out configurations with a flag, unless it is included."""
    unknown = [word for word in include if word not in INCLUDED]
    if unknown:
        hint = nearest(short(unknown[0], str), INCLUDED)
        raise OptionError(f"{parameter('include')} is {short(unknown[0])}", hint=hint)
    if ALL in include:
        return sheet
    refused = {flag: name for name, flag in INCLUDED.items() if flag and name not in include}
    flags = sheet.metadata.flags
    flagged = {
        name: flag
        for name in (sheet.configurations if flags else ())
        for flag in refused
        if flag in flags.get(name, ())
    }
    if not flagged:
        return sheet
    if len(flagged) == len(sheet.configurations):
        raise sheet.fault(
            f"all {len(flagged)} configurations are left out because of their flags: "
            f"{', '.join(sorted({*flagged.values()}))}",
            hint=f"--include {ALL}",
        )
    options = [*dict.fromkeys(refused[flag] for flag in flagged.values())]
    run = sheet.metadata.run
    rule = run.ensemble if run else None
    by_tool = rule is not None and not rule.stacked and {*flagged} == {rule.name}
    lost = [name for name in rule.candidates if name not in sheet.configurations] if rule else []
    return replace(
        sheet,
        cells=tuple(cell for cell in sheet.cells if cell.configuration not in flagged),
        notes=(
            *sheet.notes,
            of_metadata.flagged_left_out(
                flagged, len(sheet.configurations), options, by_tool=by_tool, lost=lost
            ),
        ),
        left_out=tuple(LeftOut(name, flag) for name, flag in flagged.items()),
    )


def _matched(names: Sequence[str], patterns: Sequence[str], option: str, path: str) -> set[str]:
    """Return the names that match some pattern; each pattern must match at least one."""
    matched: set[str] = set()
    for pattern in patterns:
        matches = _matches(names, pattern)
        if not matches:
            raise InputError(
                f"{parameter(option)} {pattern!r} matches no configuration",
                path=path,
                hint=nearest(pattern, names, f"choose from {listing(names, 8)}"),
            )
        matched |= matches
    return matched


def _matches(names: Sequence[str], pattern: str) -> set[str]:
    return {name for name in names if name == pattern or fnmatchcase(name, pattern)}


def narrow(sheet: Sheet) -> Sheet:
    """Keep the samples predicted so far and the configurations still in the race.

    A sample counts if some configuration predicts it. A configuration that lacks predictions which
    another has was dropped earlier. The first repeat counts from its first fold on, others once all
    samples of the file are predicted in them.
    """
    check_classes_told(sheet)
    names = tuple(sheet.configurations)
    predicted = _predicted(sheet)
    anyone = np.asarray(predicted.any(axis=2))
    started = np.flatnonzero(anyone.any(axis=1))
    if not len(started):
        raise sheet.fault("there is no prediction yet", hint="run the first fold first")
    counted = [r for r in started if r == started[0] or anyone[r].all()]
    dropped = np.flatnonzero((anyone[:, :, None] & ~predicted).any(axis=(0, 1))).tolist()
    if len(dropped) == len(names):
        raise sheet.fault(
            "every configuration lacks predictions that another has",
            hint="complete at least one configuration in all folds so far",
        )
    gone = tuple(names[c] for c in dropped)
    unfinished, notes = Unfinished(gone, (0,) * len(gone), names=names), sheet.notes
    folds = _fold_of_each(sheet)
    if folds is not None:
        trained = [np.unique(folds[predicted[:, :, c]]) for c in dropped]
        n_models = len(np.unique(folds[anyone]))
        n_to_come = len(np.unique(folds[sheet.rows >= 0])) - n_models or None
        n_trained = tuple(map(len, trained))
        unfinished = Unfinished(gone, n_trained, n_models, n_to_come, names)
        torn = [
            names[c]
            for c, of_model in zip(dropped, trained, strict=True)
            if np.isin(folds[anyone & ~predicted[:, :, c]], of_model).any()
        ]
        if torn:
            notes = (*notes, lacking.gaps_within_folds(torn))
    return replace(
        sheet,
        cells=tuple(cell for cell in sheet.cells if cell.configuration not in gone),
        rows=sheet.rows[counted],
        roles={role: column for role, column in sheet.roles.items() if role != "inner_fold"},
        notes=notes,
        unfinished=unfinished,
    )


def _predicted(sheet: Sheet) -> BoolArray:
    """(R, N) True where there is a prediction, for all classes if there are several."""
    predicted = np.ones((sheet.n_rows, len(sheet.configurations)), bool)
    for c, cells in enumerate(sheet.configurations.values()):
        for cell in cells:
            predicted[sheet.column(cell).nulls, c] = False
    return np.asarray(predicted[sheet.rows] & (sheet.rows >= 0)[:, :, None])


def _fold_of_each(sheet: Sheet) -> IntArray | None:
    """Return the (R, N) number of the fold, over all repeats, of each sample; None if unknown."""
    rows, fold = sheet.rows, sheet.roles.get("fold")
    if fold is None or np.isin(rows[rows >= 0], fold.nulls).any():
        return None
    codes, names = fold.named_codes()
    return np.asarray(np.arange(len(rows))[:, None] * len(names) + codes[rows])
