"""Columns of one model that hold the probabilities of its classes: they sum to 1 in every row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial

import numpy as np

from bbccli.errors import parameter
from bbccli.metrics.kernels.pairs import mean_ranks
from bbccli.notes import identities, listing
from bbccli.platform.dataclass import dataclass
from bbccli.reading.classes import in_order, spelled
from bbccli.reading.columns.glance import FEWEST_ROWS, Glance, nearest_sums, probe_weights, step_of
from bbccli.reading.sheet import Sheet
from bbccli.reading.table import CLASS_SEPARATOR, PredictionColumn
from bbccli.types import FloatArray

TOTALS = (1, 100)
"""Sums of the probabilities of all classes; the second of percentages."""

_ERRORS = 4
"""Standard errors by which scores of a class are higher for its own samples."""

_MOST_ROWS = 20_000
"""Rows compared, evenly spaced."""

_MORE_CLASSES = 3
"""Most classes that have columns, but no sample."""

_OPPOSITES = ("neg pos", "negative positive", "no yes", "false true", "n y", "f t")
"""Words for two classes, the positive one last."""


@dataclass(frozen=True, slots=True)
class _Model:
    """Columns that sum to 1.

    name: name of the configuration.
    columns: positions of its columns among the undecided ones.
    labels: class of each column; empty if the names don't tell.
    kind: "numbered" if the names number the classes; "scores" if they don't sum to 1, and each goes
        with its own class; else empty.
    """

    name: str
    columns: tuple[int, ...]
    labels: tuple[str, ...] = ()
    kind: str = ""


def tell_models(glance: Glance) -> Sheet:
    """Take columns for the classes of one model that sum to 1, or go with a class each.

    Of two probabilities the column of the positive class stays, else each gets its class. Columns
    are tried together if their names differ in the class or its number alone; then pairs whose sum
    is 1, neighbours, and columns ordered by class.

    Seen: K columns sum to 1 (or 100) in every row, and the truth holds K classes, which the columns
      name (`P (Churn=yes)`, `rf_class0`) or number in sorted order (`xgb_0`); or each is higher for
      the class that it names (`logit_0`)
    Means: probabilities or scores of one model
    Done: one configuration; an error if nothing says which class each column is
    """
    sheet, cells = glance.sheet, glance.cells
    if len(cells) < 2 or not glance.classes or len(glance.classes) > len(cells):
        return sheet
    present = in_order(sheet.roles["truth"])
    first, taken, models = glance.array, set[int](), list[_Model]()
    named = list[_Model]()
    for model in _candidates([cell.name for cell in cells], first, present):
        if taken & {*model.columns}:
            continue
        labelled, columns = bool(model.labels), model.columns
        empty = labelled and bool(np.isnan(first[:, columns]).any(axis=1).all())
        test = partial(sum_to_one, labelled=labelled)
        if test(glance.whole(*columns)) if empty else glance.holds(columns, test):
            taken |= {*model.columns}
            models.append(model)
        elif {*present} == {*model.labels} or (labelled and all(map(str.isdecimal, model.labels))):
            named.insert(0, replace(model, kind="scores"))  # with further classes first
    # K models that predict a value can't be: the first would go against the truth
    goes = cache(partial(_goes_with, glance))
    proven = [
        model
        for model in named
        if all(goes(model.columns[model.labels.index(label)], label) for label in present)
    ]
    # where one of several classes has its columns, so have those of models that are weak
    more = named if len(present) > 2 and (models or proven) else []
    for model in (*proven, *more):
        if not taken & {*model.columns}:
            taken |= {*model.columns}
            models.append(model)
    return _told(glance, models, present) if models else sheet


def sum_to_one(numbers: FloatArray, *, labelled: bool) -> bool:
    """True if columns (n, K) sum to 1, or 100, wherever all are filled, up to their rounding.

    Unless names tell the classes, there must be enough rows, and the columns must vary. Where they
    do, the columns may be logarithms.
    """
    numbers = numbers[~np.isnan(numbers).any(axis=1)]
    if not len(numbers) or np.isinf(numbers).any():
        return False
    if labelled and (numbers <= 0).all():
        numbers = np.exp(numbers)
    n_classes, total = numbers.shape[1], round(float(numbers[0].sum()))
    opposite_labels = n_classes == 2 and not (numbers != np.round(numbers)).any()
    if total not in TOTALS or (numbers < 0).any() or opposite_labels:
        return False
    step, least = step_of(numbers[:FEWEST_ROWS]), 1e-6 * total
    apart = np.abs(numbers.sum(axis=1, dtype=np.float64) - total)
    if labelled:
        return bool((apart <= max(step * n_classes / 2 + least, 1e-3 * total)).all())
    if len(numbers) < FEWEST_ROWS or (numbers.min(axis=0) == numbers.max(axis=0)).any():
        return False
    if n_classes == 2:  # both are rounded alike, but for halves
        return bool((apart <= step + least).all() and (apart <= least).mean() >= 0.9)
    return bool((apart <= step * n_classes / 2 + least).all())


def _goes_with(glance: Glance, column: int, label: str) -> bool:
    """True if a column is higher where the truth is a class, far beyond chance."""
    n_rows = glance.sheet.n_rows
    rows = np.linspace(0, n_rows - 1, min(n_rows, _MOST_ROWS), dtype=np.int64)
    scores = glance.whole(column)[rows, 0]
    there = ~np.isnan(scores)
    ranks = mean_ranks(scores[there])
    inside = glance.codes[rows][there] == glance.classes.index(label)
    n, n_inside = len(ranks), int(inside.sum())
    if not 0 < n_inside < n:
        return False
    spread = n * np.sqrt((1 / n_inside + 1 / (n - n_inside)) / 12)
    return bool(ranks[inside].mean() - ranks[~inside].mean() >= _ERRORS * spread)


def _candidates(names: Sequence[str], top: FloatArray, present: Sequence[str]) -> Iterator[_Model]:
    """Yield columns that may be of one model, those whose names tell the classes first."""
    n_classes = len(present)
    yield from _of_one_name(tuple(names), tuple(present))
    if n_classes == 2:
        for pair in _mirrors(top):
            yield _Model("", pair)
        return
    for start in range(len(names) - n_classes + 1):
        yield _Model("", tuple(range(start, start + n_classes)))
    step, rest = divmod(len(names), n_classes)
    for start in range(0 if rest else step):
        yield _Model("", tuple(range(start, len(names), step)))


@lru_cache(maxsize=8)  # the files of a batch have the same columns
def _of_one_name(names: tuple[str, ...], present: tuple[str, ...]) -> Sequence[_Model]:
    """Return columns whose names differ in the class, or in its number, alone."""
    words = sorted({label.casefold() for label in present}, key=len, reverse=True)
    a_class = re.compile(
        "|".join(
            [*(_whole(re.escape(word), word) for word in words), r"(?<!\d)(?:0|[1-9]\d*)(?!\d)"]
        )
    )
    by_frame: dict[tuple[str, str], dict[str, int]] = {}
    for place, name in enumerate(names):
        for match in a_class.finditer(name.casefold()):
            around = name[: match.start()], name[match.end() :]
            label = _as_present(name[match.start() : match.end()], present)
            by_frame.setdefault(around, {}).setdefault(label, place)
    models, n_classes = list[_Model](), len(present)
    for (head, tail), places in by_frame.items():
        name, numbers = _name_of(head, tail), [*places]
        if {*present} <= {*places}:
            models.append(_Model(name, tuple(places[label] for label in present), present))
            further = _rest(names, head, tail, places) if len(places) == n_classes else {}
            columns = (*places.values(), *further.values())
            models.append(_Model(name, columns, (*places, *further)))
        elif len(places) == n_classes and all(map(str.isdecimal, numbers)):
            order = sorted(numbers, key=int)
            if [*map(int, order)] in ([*range(n_classes)], [*range(1, n_classes + 1)]):
                columns = tuple(places[label] for label in order)
                models.append(_Model(name, columns, present, kind="numbered"))
    return models


def _whole(pattern: str, word: str) -> str:
    """Return a pattern that matches a word, but no part of a longer word or number."""
    start, end = (r"\d" if text.isdecimal() else r"[^\W\d_]" for text in (word[0], word[-1]))
    return rf"(?<!{start}){pattern}(?!{end})"


def _as_present(label: str, present: Sequence[str]) -> str:
    """Return a class as spelled in the truth, ignoring case if that is certain."""
    alike = [known for known in present if known.casefold() == label.casefold()]
    return alike[0] if len(alike) == 1 else spelled(label, present)


def _rest(names: Sequence[str], head: str, tail: str, places: Mapping[str, int]) -> dict[str, int]:
    """Return further classes, without a sample, whose columns are named like those of others."""
    rest = {}
    for place, name in enumerate(names):
        fits = place not in places.values() and name.startswith(head) and name.endswith(tail)
        if fits and len(name) > len(head) + len(tail):
            rest[name[len(head) : len(name) - len(tail)]] = place
    return rest if 0 < len(rest) <= _MORE_CLASSES else {}


def _name_of(head: str, tail: str) -> str:
    """Return a model's name: what its columns' names leave without the class."""
    if f"{head[-1:]}{tail[:1]}" in ("()", "[]", "{}", "<>"):
        head, tail = head[:-1], tail[1:]
    head = head.rstrip(" _.-:=/|")
    return head + tail if head else tail.lstrip(" _.-:=/|") or "prediction"


def _mirrors(first: FloatArray) -> Iterator[tuple[int, int]]:
    """Yield pairs of columns (n, C) that sum to 1 or 100, by the order of their sums.

    A weighted sum over the rows tells columns apart; that of the mirror is known.
    """
    if not (first > np.floor(first)).any():
        return  # labels and the opposite ones
    # one is missing where the other is
    rows = np.where(np.isfinite(first), first, 0.5)
    weights = probe_weights(len(rows), 1, 2)
    sums = weights @ rows
    # of two that sum to 100, one is 50 or more
    for total in TOTALS if rows.max(initial=0) > TOTALS[-1] / 2.1 else TOTALS[:1]:
        near = nearest_sums(sums, total * weights.sum() - sums)
        some = first[:: max(1, len(first) // FEWEST_ROWS)]  # no more of these are off than of all
        off = np.abs(some[:, :, None] + some[:, near] - total) > 2e-6 * total
        likely = len(first) / 10 >= off.sum(axis=0)
        for c, other in zip(np.nonzero(likely)[0].tolist(), near[likely].tolist(), strict=True):
            pair = first[:, [c, other]]
            apart = np.abs(pair.sum(axis=1) - total) > 2e-6 * total
            if other > c and apart.mean() <= 0.1 and sum_to_one(pair, labelled=False):
                yield c, other


def _told(glance: Glance, models: Iterable[_Model], present: Sequence[str]) -> Sheet:
    """Return the sheet with the classes of each model, or the column of the positive class."""
    sheet, cells = glance.sheet, glance.cells
    changed: dict[str, PredictionColumn | None] = {}
    of_models = {cells[c].configuration for model in models for c in model.columns}
    taken = {cell.configuration for cell in sheet.cells} - of_models
    by_kind: dict[str, list[str]] = {"": [], "numbered": [], "scores": []}
    whole = any(model.kind == "scores" for model in models)
    for model in models:
        columns = [cells[c] for c in model.columns]
        names = [column.name for column in columns]
        labels, name = model.labels, model.name
        if not labels:
            labels = _untold(sheet, names, present)
            name = name or names[labels.index(present[-1])]
        while name in taken:
            name += "*"
        taken.add(name)
        for column, label in zip(columns, labels, strict=True):
            by_kind[model.kind].append(f"{column.name} is {label}")
            if len(columns) == 2 and not whole:
                kept = replace(column, configuration=name) if label == glance.classes[-1] else None
            else:
                full = f"{name}{CLASS_SEPARATOR}{label}"
                kept = replace(column, name=full, configuration=name, label=label)
            changed[column.name] = kept
    left = [changed.get(cell.name, cell) for cell in sheet.cells]
    notes = list(sheet.notes)
    notes += [identities.classes_of_one_model(by_kind[""])] if by_kind[""] else []
    notes += [identities.classes_of_numbers(by_kind["numbered"])] if by_kind["numbered"] else []
    notes += [identities.scores_of_classes(by_kind["scores"])] if by_kind["scores"] else []
    return replace(sheet, cells=tuple(filter(None, left)), notes=tuple(notes))


def _untold(sheet: Sheet, names: Sequence[str], present: Sequence[str]) -> tuple[str, ...]:
    """Return the classes of columns whose names don't tell them; refuse what can't be known.

    Of two columns, opposite words tell the positive class; a name within the other's is its own.
    """
    if len(names) == 2:
        parts = [Counter(re.findall(r"[^\W_]+", name.casefold())) for name in names]
        words = [" ".join((part - other).elements()) for part, other in (parts, parts[::-1])]
        for pair in ([0, 1], [1, 0]):
            if " ".join(words[i] for i in pair) in _OPPOSITES:
                return tuple(present[i] for i in pair)
        if not all(words):
            return tuple(present[::-1] if not words[0] else present)
    raise sheet.fault(
        f"{listing(names)} sum to 1 in every row, like the probabilities of the classes of one "
        "model, but their names do not match the classes",
        column=names[0],
        hint=f"name them 'config{CLASS_SEPARATOR}{present[0]}' and so on; {parameter('only')} '*' "
        "if they are configurations"
        + (f"; --exclude the one of class {present[0]!r}" if len(names) == 2 else ""),
    )
