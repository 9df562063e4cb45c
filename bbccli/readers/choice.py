"""Choose configurations: `--only`, `--exclude`, `--include`, and probabilities beside labels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache

import numpy as np

from bbccli.core.matrix import Unfinished
from bbccli.core.notes import declared, listing, remarks
from bbccli.core.source import LeftOut
from bbccli.errors import InputError, OptionError, nearest, parameter, short
from bbccli.readers.arrow import to_numbers
from bbccli.readers.classes import OF_CLASS, check_classes_told, sorted_names, spelled
from bbccli.readers.meaning import positive_last
from bbccli.readers.problems import Problems
from bbccli.readers.roles import Request, nearest_names
from bbccli.readers.sheet import WIDE, Sheet
from bbccli.readers.table import PredictionColumn
from bbccli.types import BoolArray, FloatArray, IntArray

_PROBABILITY = re.compile(
    r"(?:(.*?)[_. ])?(?:proba?|probability|probabilities|score)|(?:proba?|probability)_(.+)",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:(.*?)[_. ])?(?:pred|prediction|predicted|label|class)|pred_(.+)", re.IGNORECASE
)


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


def choose(sheet: Sheet, request: Request, problems: Problems) -> Sheet:
    """Keep the configurations chosen by options and flags; refuse patterns without a match."""
    with problems.of("choice"):
        sheet = _one_of_each_model(_named(sheet, request.only, request.exclude), request.positive)
    with problems.of("choice"):
        sheet = _without_flagged(sheet, request.include)
    return sheet


def _named(sheet: Sheet, only: Sequence[str], exclude: Sequence[str]) -> Sheet:
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
        raise InputError(
            f"{parameter('only')} and {parameter('exclude')} leave none of {len(names)} "
            "configurations",
            path=sheet.path,
            hint=f"the configurations are {listing(names, 8)}",
        )
    left_out = [name for name in names if name not in kept]
    notes = [remarks.configurations_left_out(left_out, len(names))] if left_out else []
    return replace(
        sheet,
        cells=tuple(cell for name in kept for cell in sheet.configurations[name]),
        named=frozenset(named) & frozenset(kept),
        notes=(*sheet.notes, *notes),
        n_excluded=len(left_out),
    )


def _without_flagged(sheet: Sheet, include: Sequence[str]) -> Sheet:
    """Leave out configurations with a flag, unless it is included."""
    unknown = [one for one in include if one not in INCLUDED]
    if unknown:
        hint = nearest(short(unknown[0], str), INCLUDED)
        raise OptionError(f"{parameter('include')} is {short(unknown[0])}", hint=hint)
    if ALL in include:
        return sheet
    refused = [flag for name, flag in INCLUDED.items() if name not in include and flag]
    flags = sheet.metadata.flags
    found = {
        name: flag
        for name in sheet.configurations
        if name in flags
        for flag in refused
        if flag in flags[name]
    }
    if not found:
        return sheet
    if len(found) == len(sheet.configurations):
        raise InputError(
            f"all {len(found)} configurations are left out because of their flags: "
            f"{', '.join(sorted(set(found.values())))}",
            path=sheet.path,
            hint=f"--include {ALL}",
        )
    names = {flag: name for name, flag in INCLUDED.items()}
    options = list(dict.fromkeys(names[flag] for flag in found.values()))
    return replace(
        sheet,
        cells=tuple(cell for cell in sheet.cells if cell.configuration not in found),
        notes=(*sheet.notes, declared.flagged_left_out(found, len(sheet.configurations), options)),
        left_out=tuple(LeftOut(name, flag) for name, flag in found.items()),
    )


def _matched(names: Sequence[str], patterns: Sequence[str], option: str, path: str) -> set[str]:
    """Return the names that match some pattern; each pattern must match at least one."""
    matched: set[str] = set()
    for pattern in patterns:
        matches = {name for name in names if name == pattern or fnmatchcase(name, pattern)}
        if not matches:
            near = nearest_names(pattern, names)
            raise InputError(
                f"{parameter(option)} {pattern!r} matches no configuration",
                path=path,
                hint=near or f"the configurations are {listing(names, 8)}",
            )
        matched |= matches
    return matched


def _one_of_each_model(sheet: Sheet, positive: str | None) -> Sheet:
    """Leave out labels derived from a probability, such as `y_pred` beside `y_prob`.

    Both belong to one model if their names say so, and if in every row the label is the class whose
    probability is above 0.5, or the largest. Columns named by hand or in the metadata are always
    configurations. Refuse names that say so if some rows contradict.
    """
    for label, probability in _pairs(sheet).items():
        column = sheet.column(sheet.configurations[label][0])
        classes = sorted_names(sheet.roles["truth"].named_codes()[1])
        if len(classes) == 2:
            classes = positive_last(classes, positive, sheet.metadata, sheet.path)
        code = {name: place for place, name in enumerate(classes)}
        codes, names = column.named_codes()
        places = [code.get(spelled(name, classes), -1) for name in names]
        cells = sheet.configurations[probability]
        complete = {cell.label for cell in cells} == set(classes) or len(cells) == 1
        if min(places, default=-1) < 0 or not complete:
            continue  # independent numbers
        labels = np.array([*places, -1])[codes]
        differ, n_rows = _unlike(sheet, labels, classes, cells)
        if len(differ):
            of_other = len(cells) == 1 and 2 * len(differ) > n_rows
            raise column.fault(
                f"{label} may be the label of {probability}, or a configuration of its own: it "
                f"is not the more probable class in {len(differ)} of {n_rows} rows",
                differ,
                hint=f"{parameter('positive', classes[0])} if {probability} is that of "
                f"{classes[0]!r}, {parameter('only')} '*' if both are configurations"
                if of_other
                else f"{parameter('exclude')} {label} if they are of one model, "
                f"{parameter('only')} '*' if both are configurations",
            )
        if n_rows:
            note = declared.prediction_chosen(probability, [label], "only")
            rest = tuple(cell for cell in sheet.cells if cell.configuration != label)
            sheet = replace(sheet, cells=rest, notes=(*sheet.notes, note))
    return sheet


def _pairs(sheet: Sheet) -> Mapping[str, str]:
    """Return label configurations by name, with the probability beside each."""
    if sheet.layout != WIDE or "truth" not in sheet.roles:
        return {}
    declared = sheet.declared
    free = tuple(name for name in sheet.configurations if name not in declared)
    heads, pairs = _probabilities(free), {}
    for name in free if heads else ():
        match = _LABEL.fullmatch(name)
        head = _head(match) if match else name.casefold()
        if heads.get(head, name) != name and len(sheet.configurations[name]) == 1:
            pairs[name] = heads[head]
    return pairs


@lru_cache(maxsize=8)  # the files of a batch have the same columns
def _probabilities(names: tuple[str, ...]) -> Mapping[str, str]:
    """Return names of probabilities by model."""
    heads: dict[str, str] = {}
    for name in names:
        of_class = OF_CLASS.match(name)
        for one in (name, of_class[1]) if of_class else (name,):
            if match := _PROBABILITY.fullmatch(one):
                heads.setdefault(_head(match), name)
    return heads


def _head(match: re.Match[str]) -> str:
    """Return the name of the model; empty for `y_pred` and `pred`."""
    name = (match[1] or match[2] or "").casefold()
    return "" if name == "y" else name


def _unlike(
    sheet: Sheet, labels: IntArray, classes: Sequence[str], cells: Sequence[PredictionColumn]
) -> tuple[IntArray, int]:
    """Return the rows whose label is not the most probable class; and the number with both."""
    columns = [sheet.column(cell) for cell in cells]
    if any(column.is_text for column in columns) or (len(cells) == 1 and len(classes) != 2):
        return np.arange(0), 0
    numbers: FloatArray = np.stack([to_numbers(column.values) for column in columns], axis=-1)
    usable = (labels >= 0) & ~np.isnan(numbers).any(axis=1)
    if len(cells) > 1:
        numbers = numbers[:, [[cell.label for cell in cells].index(one) for one in classes]]
        own = np.take_along_axis(numbers, np.maximum(labels, 0)[:, None], axis=1)[:, 0]
        return np.flatnonzero(usable & (own < numbers.max(axis=1))), int(usable.sum())
    one = numbers[:, 0]
    half = 0.5 if one[usable].min(initial=1) >= 0 and one[usable].max(initial=0) <= 1 else 0.0
    wrong = np.where(labels == 1, one < half, one > half)
    return np.flatnonzero(usable & wrong), int(usable.sum())


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
        raise InputError(
            "there is no prediction yet", path=sheet.path, hint="run the first fold first"
        )
    counted = [r for r in started if r == started[0] or anyone[r].all()]
    dropped = np.flatnonzero((anyone[:, :, None] & ~predicted).any(axis=(0, 1))).tolist()
    if len(dropped) == len(names):
        raise InputError(
            "every configuration lacks predictions that another has",
            path=sheet.path,
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
            for c, one in zip(dropped, trained, strict=True)
            if np.isin(folds[anyone & ~predicted[:, :, c]], one).any()
        ]
        if torn:
            notes = (*notes, remarks.gaps_within_folds(torn))
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
