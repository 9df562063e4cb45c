"""Predicted labels, and the probabilities beside them: of the predicted class, or of all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np

from bbccli.errors import InputError, parameter
from bbccli.metrics.kernels.pairs import mean_ranks
from bbccli.notes import identities, listing, of_metadata
from bbccli.platform.text import pattern
from bbccli.reading.arrow import as_arrow
from bbccli.reading.classes import codes_among
from bbccli.reading.column import in_equal_parts, number_of
from bbccli.reading.columns.features import AS_GOOD, ERRORS
from bbccli.reading.columns.glance import FEWEST_ROWS, Glance, all_rows, some_rows
from bbccli.reading.roles import is_given
from bbccli.reading.sheet import Sheet
from bbccli.reading.table import PredictionColumn
from bbccli.types import BoolArray, FloatArray, IntArray

_PROBABILITY = pattern(
    r"(?:(.*?)[_. ])?(?:proba?|probability|probabilities|score)|(?:proba?|probability)_(.+)",
    re.IGNORECASE,
)
_LABEL = pattern(
    r"(?:(.*?)[_. ])?(?:pred|predict|prediction|predicted|label|class)|pred_(.+)", re.IGNORECASE
)

_CONFIDENCE = pattern(r"conf|cert|score|prob|prediction|max|top|p_?pred", re.IGNORECASE)
"""Names of probabilities of the predicted class, needed where three classes or more may be values.
"""

LOWEST = 0.99
"""Least probability of the predicted class, rounded, as a multiple of 1 / K."""

_ERRORS = 2.5
"""Standard errors from which a probability says more of the class than of being right."""

_MOST_CLASSES, _COMPARED = 20, 5
"""Most classes beside which numbers are no counts; and labels whose agreement is looked at."""


def codes_of(glance: Glance, name: str) -> IntArray | None:
    """Return the codes (n_rows,) of a column of classes, -1 where missing; None if some are not."""
    codes = codes_among(glance.sheet.table.column(name), glance.classes)
    return codes if codes.min() > -2 and codes.max() >= 0 else None


def turn_confidence(glance: Glance) -> Sheet:
    """Turn probabilities of the predicted class into those of the positive one.

    With more than two classes, or in a file on disk, the labels count instead.

    Seen: at least 1/K in every row, beside a column of labels that are not halves of it (`y_pred,
      confidence`)
    Means: the probability that the label is right
    Done: of two classes it is turned into the probability of the positive one, with a note; else
      the labels count
    """
    sheet, classes, cells = glance.sheet, glance.classes, glance.cells
    if not classes or not cells:
        return sheet
    high = np.fmin.reduce(glance.array, axis=0) >= LOWEST / len(classes)
    likely = np.flatnonzero(high).tolist()
    likely = [c for c in likely if len(classes) == 2 or _CONFIDENCE.search(cells[c].name)]
    for c in likely if likely and glance.labels else ():
        cell, order = cells[c], _by_nearness(cells[c].name, glance.labels, sheet.table.names)
        near = ((name, codes_of(glance, name)) for name in order)
        label, codes = next((pair for pair in near if pair[1] is not None), ("", None))
        numbers = glance.whole(c)[:, 0]
        if codes is None or not is_of_predicted(numbers, codes, glance.codes, len(classes)):
            continue
        data: Any = sheet.table.data
        turned = len(classes) == 2 and not sheet.table.on_disk
        if turned:
            place, values = data.column_names.index(cell.source), of_class(numbers, codes, 1)
            data = data.set_column(place, cell.source, as_arrow(values))
        elif label not in sheet.configurations:
            raise sheet.fault(
                f"holds the probability of the predicted class ({label}), not of one class",
                column=cell.name,
                hint=f"--exclude {cell.name!r} and keep {label}, for the share of right "
                "predictions; or write one column 'config::class' per class",
            )
        gone = label if turned else cell.name
        note = identities.confidence(cell.name, label, classes[-1] if turned else None)
        sheet = replace(sheet.without([gone], note), table=replace(sheet.table, data=data))
    return sheet


def of_class(numbers: FloatArray, labels: IntArray, code: int) -> FloatArray:
    """Return the probability of a class (n,) from those of the labels."""
    total = 100 if np.nanmax(numbers) > 1 else 1
    values = np.where(labels == code, numbers, total - numbers)
    return np.where(labels < 0, np.nan, values)


def is_of_predicted(
    numbers: FloatArray, labels: IntArray, truth: IntArray | None, n_classes: int
) -> bool:
    """True if numbers (n,) are probabilities of the labels (n,), not of class 1.

    They are at least 1 / K in every row, beside labels of both classes, which are not their halves;
    and where class 0 is predicted, they say no more of the class than of being right.
    """
    there = (labels >= 0) & ~np.isnan(numbers)
    numbers, labels = numbers[there], labels[there]
    if len(numbers) < FEWEST_ROWS or (numbers == np.round(numbers)).all():
        return False
    total = 100 if numbers.max() > 1 else 1
    if numbers.min() < total * LOWEST / n_classes or numbers.max() > total:
        return False
    of_other, of_positive = numbers[labels == 0], numbers[labels == 1]
    if n_classes > 2 or not len(of_other) or not len(of_positive):
        return n_classes > 2
    if of_other.max() <= of_positive.min():  # labels of another threshold
        return False
    wrong = np.zeros(0, bool) if truth is None else truth[there][labels == 0] == 1
    n_wrong = int(wrong.sum())
    if not 0 < n_wrong < len(wrong) or of_other.min() == of_other.max():
        return True
    ranks = mean_ranks(of_other)
    spread = ranks.std() * np.sqrt(1 / n_wrong + 1 / (len(wrong) - n_wrong))
    return bool(ranks[wrong].mean() - ranks[~wrong].mean() < _ERRORS * spread)


def _by_nearness(name: str, labels: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the labels of most words in common first, then the nearest columns."""
    words, place = _words(name), names.index(name)
    return sorted(labels, key=lambda n: (-len(words & _words(n)), abs(names.index(n) - place)))


def _words(name: str) -> set[str]:
    return {*re.findall(r"[^\W_]+", name.casefold())}


def one_of_each_model(glance: Glance) -> Sheet:
    """Leave out labels derived from a probability, such as `y_pred` beside `y_prob`.

    Refuse names of one model if some rows contradict.

    Seen: a label that in every row is the class whose probability is above 0.5, or the largest; or
      above another cut, if the names tie them; numbers beside labels in words
    Means: labels and probabilities of one model; features
    Done: the probabilities count, with a note, or an error if names tie what contradicts it, and
      for numbers beside words
    """
    sheet, classes = glance.sheet, glance.classes
    models = _models(glance) if classes else {}
    if not models:
        return _refuse_numbers(glance, sheet)
    pairs = _pairs(sheet, [*models])
    labels = glance.labels
    glances = [*_by_width(sheet, models)] if labels else []
    for label in labels:
        alone = len(sheet.configurations.get(label, ())) == 1
        codes = codes_of(glance, label) if alone else None
        if codes is None:
            continue
        named = pairs.get(label)
        enough = (codes == 0).any() and (codes == 1).any() and len(codes) >= FEWEST_ROWS
        alike = set[str]()
        for names, numbers in glances if enough else ():
            differ, _ = _unlike(codes[glance.rows], numbers)
            alike.update(compress(names, np.logical_not(differ.any(axis=0)).tolist()))
        others = [name for name in models if name in alike and name not in (label, named)]
        for model in ([named] if named in models else []) + others:
            differ, usable = _unlike(codes, all_rows(sheet, models[model]))
            if differ.any() and model == named:
                cut = _cut_of(codes, all_rows(sheet, models[model]))
                if cut is None:
                    raise _contradiction(sheet, label, model, differ, int(usable.sum()), classes)
                sheet = sheet.without([label], identities.labels_at_cut(label, model, cut))
                break
            # the constant 0.5 of a dummy contradicts no label, and tells none
            if not differ.any() and len(set(codes[usable].tolist())) > 1:
                note = of_metadata.prediction_chosen(model, [label], "only")
                sheet = sheet.without([sheet.configurations[label][0].name], note)
                break
    return _refuse_numbers(glance, sheet)


def set_aside_numbers(glance: Glance) -> Sheet:
    """Leave out numbers beside labels that can be neither labels nor probabilities.

    Seen: beside labels of up to 20 classes, numbers that are none (of two classes, beyond 0 and 1),
      far less correlated with the truth
    Means: features, such as a latency or the length of a text; losses
    Done: left out, with a note
    """
    sheet, cells, n_classes = glance.sheet, glance.cells, len(glance.classes)
    if n_classes == 2:
        beyond = np.asarray(((glance.array < 0) | (glance.array > 1)).any(axis=0))
        cells = (*compress(cells, beyond),)
    labels = dict.fromkeys(glance.labels if cells and 0 < n_classes <= _MOST_CLASSES else ())
    cells = tuple(cell for cell in cells if labels and cell.source not in labels)
    known = (codes_of(glance, name) for name in [*labels][:_COMPARED]) if cells else ()
    best = np.nanmax([0.0, *(_agreement(codes, glance) for codes in known if codes is not None)])
    if best < ERRORS / np.sqrt(sheet.n_rows):
        return sheet
    folds = "fold" in sheet.roles or is_given(glance.request.folds)
    pairs = ((cell.name, all_rows(sheet, [cell])[:, 0]) for cell in cells)
    weak = ((n, column) for n, column in pairs if _agreement(column, glance) < AS_GOOD * best)
    names = [name for name, column in weak if folds or not in_equal_parts(column)]
    if not 0 < len(names) < len(sheet.cells):
        return sheet
    return sheet.without(names, identities.numbers_beside(names, glance.classes))


def _agreement(column: FloatArray | IntArray, glance: Glance) -> float:
    """Return the correlation of a column (n,) with the codes of the truth, whatever its sign; NaN
    of a constant.
    """
    there = np.isfinite(column) & (glance.codes >= 0)
    alike = abs(np.corrcoef(column[there], glance.codes[there])[0, 1])
    return float(alike) if len({*column[there].tolist()}) > 1 else np.nan


def _refuse_numbers(glance: Glance, sheet: Sheet) -> Sheet:
    """Refuse numbers beside labels in words: they may be labels under their codes, or of two
    classes a probability.
    """
    cells, numbers = sheet.undecided, [*map(number_of, glance.classes)]
    words = {cell.source for cell in sheet.cells} & sheet.table.texts if numbers else set[str]()
    if cells and words & {*glance.labels} and np.isnan(numbers).all():
        raise sheet.fault(
            f"holds numbers, but other predictions are words: {listing(glance.classes, 8)}",
            column=cells[0].name,
            hint=f"{parameter('exclude', cells[0].name)} if it is not a prediction, else write its "
            "labels",
        )
    return sheet


def _models(glance: Glance) -> dict[str, Sequence[PredictionColumn]]:
    """Return configurations with probabilities or scores: of the positive class, or of each."""
    models: dict[str, Sequence[PredictionColumn]] = {}
    sheet, classes = glance.sheet, glance.classes
    if len(classes) == 2:
        models = {c.configuration: [c] for c in compress(glance.cells, glance.fractions)}
    for name, cells in sheet.configurations.items() if sheet.by_class else ():
        by_class = {cell.label: cell for cell in cells}
        numbers = all(cell.source in sheet.table.kinds.numeric for cell in cells)
        if numbers and name not in sheet.declared and {*by_class} == {*classes}:
            models[name] = [by_class[label] for label in classes]
    return models


def _by_width(
    sheet: Sheet, models: Mapping[str, Sequence[PredictionColumn]]
) -> Iterator[tuple[list[str], FloatArray]]:
    """Yield the M models with K columns each, and a few rows (n, M, K) of these."""
    for width in {len(cells) for cells in models.values()}:
        names = [name for name, cells in models.items() if len(cells) == width]
        some = some_rows(sheet, [cell for name in names for cell in models[name]])
        yield names, some.reshape(len(some), len(names), width)


def _contradiction(
    sheet: Sheet, label: str, model: str, differ: BoolArray, n_rows: int, classes: Sequence[str]
) -> InputError:
    """Return the error about labels that have a model's name, and contradict it in some rows."""
    single = len(sheet.configurations[model]) == 1
    n_unlike = int(differ.sum())
    return sheet.column(sheet.configurations[label][0]).fault(
        f"{label} may be the label of {model}, or a separate configuration: it is not the more "
        f"probable class in {n_unlike} of {n_rows} rows",
        np.flatnonzero(differ),
        hint=f"{parameter('positive', classes[0])} if {model} is that of {classes[0]!r}, "
        f"{parameter('only')} '*' if both are configurations"
        if single and 2 * n_unlike > n_rows
        else f"{parameter('exclude')} {label} if they are of one model, {parameter('exclude')} "
        f"{model} if it predicts nothing, {parameter('only')} '*' if both are configurations",
    )


def _pairs(sheet: Sheet, models: Sequence[str]) -> Mapping[str, str]:
    """Return the probability for each configuration whose name says that it is its label; a label
    that names no model, such as H2O's `predict`, is that of the only one.
    """
    free = [name for name in sheet.configurations if name not in sheet.declared]
    matches = {name: _PROBABILITY.fullmatch(name) for name in reversed(free)}
    of = {"": models[0]} if len(models) == 1 else {}
    of |= {_head(match): name for name, match in matches.items() if match}
    heads = {name: _LABEL.fullmatch(name) for name in free if of}
    own = {name: of.get(name.casefold()) for name in heads}  # `prediction_score` of `prediction`
    pairs = {name: (match and of.get(_head(match))) or own[name] for name, match in heads.items()}
    return {name: other for name, other in pairs.items() if other not in (None, name)}


def _cut_of(labels: IntArray, numbers: FloatArray) -> float | None:
    """Return the cut of probabilities (n, 1) that makes the labels (n,); None if there is none."""
    usable = (labels >= 0) & ~np.isnan(numbers).any(axis=1)
    low = numbers[usable & (labels == 0), 0].max(initial=-np.inf)
    high = numbers[usable & (labels == 1), 0].min(initial=np.inf)
    separable = numbers.shape[1] == 1 and -np.inf < low < high < np.inf
    return float((low + high) / 2) if separable else None


def _head(match: re.Match[str]) -> str:
    """Return the name of the model; empty for `y_pred` and `pred`."""
    name = (match[1] or match[2] or "").casefold()
    return "" if name == "y" else name


def _unlike(labels: IntArray, numbers: FloatArray) -> tuple[BoolArray, BoolArray]:
    """(n, ...) True where the label (n,) is not the most probable class of (n, ..., K), or of the
    positive one (n, ..., 1); and where there is a label, and one class is more probable than
    another.
    """
    labels = labels.reshape(-1, *[1] * (numbers.ndim - 2))
    usable = (labels >= 0) & ~np.isnan(numbers).any(axis=-1)
    if numbers.shape[-1] > 1:
        highest = numbers.max(axis=-1)
        usable &= highest > numbers.min(axis=-1)
        of_label = np.take_along_axis(numbers, np.maximum(labels, 0)[..., None], axis=-1)[..., 0]
        return usable & (of_label < highest), usable
    scores = numbers[..., 0]
    low, high = scores.min(axis=0, initial=1, where=usable), scores.max(0, initial=0, where=usable)
    half = np.select([low < 0, high <= 1, high <= 100], [0.0, 0.5, 50.0])
    usable &= scores != half
    return usable & np.where(labels == 1, scores < half, scores > half), usable
