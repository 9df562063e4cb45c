"""Tables of scores, not predictions: a row per model, trial, epoch, fold or metric."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Final

import numpy as np

from bbccli.errors import parameter
from bbccli.metrics import METRICS, meant_by
from bbccli.notes import listing, of_metadata
from bbccli.platform.text import pattern
from bbccli.reading.arrow import to_numbers
from bbccli.reading.column import joint, number_of
from bbccli.reading.columns.glance import FEWEST_ROWS, Glance, step_of
from bbccli.reading.roles import Hints, Request, column_named
from bbccli.reading.sample_index import repeat_codes
from bbccli.reading.sheet import WIDE, Sheet
from bbccli.reading.table import Table, not_predictions
from bbccli.types import IntArray, distinct

OF_RESULTS: Final = ({"schema", "version", "command"}, {"metric", "method", "ignores_selection"})
"""Columns of results that bbc wrote as .jsonl, and as a table."""

_PARTS: Final = pattern(
    r"train(?:ing)?|val(?:id|idation)?|test(?:ing)?|eval|dev|holdout|oof|oob|std|stdv|sd|se|stderr"
    r"|metrics|classif|regr|best|final|(?:split|fold|cv|rep)?\d*"
)
"""Words that make of a metric a result: of some part of the data, or its spread."""

_FILLERS: Final = pattern(
    r"mean|avg|average|median|min|max|values|macro|micro|weighted|answer|context|response|semantic|factual"
)
_MEASURES: Final = pattern(
    r"(?:log)?loss|acc|err|ce|nll|bpb|ppl|perplexity|bleu|chrf|ter|rouge\w*|meteor|wer|cer|ndcg|dcg"
    r"|mrr|map|hit|m?iou|dice|prec|rec|sens|spec|roc|rsq(?:uared)?|smape|rmsle|msle|exact-match|em"
    r"|faithfulness|groundedness|correctness|relevanc[ey]|similarity|coherence|fluency"
    r"|hallucination|toxicity"
)
"""Names of measures beside those of metrics that `bbc` has."""

_BARE: Final = frozenset(("", "score", "value", "objective", "estimate", "metric"))
"""What is left of the name of a score that does not say which."""

_SEARCH: Final = pattern(
    r"params|(?:params?|config|hparams?|hp|user_attrs|tags)[_./ :].+|\.metric|\.estimator"
    r"|\.config|\.iter|std_?err|rank_test_\w+|trial(?:_?(?:id|number))?|number|state|epochs?"
    r"|(?:global_)?steps?|iterations?|n_iter|learning_rate|lr|train_sizes?|datetime_\w+"
    r"|threshold|cut_?off"
    r"|(?:mean_|std_)?(?:fit|score|train|training)_?time.*|generation|parents|pareto_front",
    re.IGNORECASE,
)
"""Columns that only a search, or the training of one model, has."""

_MODEL: Final = pattern(
    r"model(?:[\W_]?(?:id|name))?|(?:run[\W_]?)?name|run|learner(?:_id)?|classifier|regressor"
    r"|estimator|algorithm|method|pipeline",
    re.IGNORECASE,
)
_LONGEST: Final = 10_000
"""Most rows of a table whose texts are read to tell models and metrics."""

_ENOUGH: Final = 3
"""Signs of a search: a score counts 1, 2 if its name says of what; any other sign 1."""


def refuse_scores(table: Table, request: Request, hints: Hints, known: Collection[str]) -> None:
    """Refuse a table of scores, whatever option led there, and one of results.

    `known` are configurations. A truth by its own name, which a table of scores lacks, says that
    the others are predictions.

    Seen: a row for each model, trial, epoch, fold or metric, by names such as `val_loss`,
      `mean_test_score`, `epoch` or `params_C`, without a truth
    Means: scores, not predictions
    Done: an error: nothing can correct scores alone
    """
    if any(map({*table.names}.issuperset, OF_RESULTS)):
        raise not_predictions(table.path)
    by_name = None if "truth" in hints.absent else column_named(table, "truth")
    predicted = by_name is not None and request.roles.truth is None
    if table.metadata.run or "*" in known or predicted:
        return
    scores, others = _signs(table.names)
    models = [name for name in table.names if _MODEL.fullmatch(name)]
    no_score, fold = {*known, request.roles.prediction}, column_named(table, "fold")
    short = table.n_rows <= _LONGEST
    if fold in scores and short:  # which has samples if a model has several rows in one
        codes = {name: table.column(name).codes()[0] + 1 for name in (fold, *models, *others)}
        # what a search tries is tried in several folds: else a column `lr` is predictions
        tried = [n for n in others if _n_of(codes[n]) < _n_of(joint([codes[n], codes[fold]]))]
        if _n_of(joint([codes[name] for name in (fold, *models, *tried)])) < table.n_rows:
            no_score, others = no_score | {fold}, tried
    worth = [scores[name] for name in scores if name not in no_score]
    unique = [n for n in table.names if short and n in table.texts and _differs(table, n)]
    n_others = len(others) + bool({*models} & {*unique})
    of_search = n_others or (not models and 2 in worth)
    per_metric = any(
        all(_worth(f"test {value}") > 1 for value in table.column(name).named_codes()[1])
        for name in unique
    )
    if per_metric or (worth and of_search and sum(worth) + n_others >= _ENOUGH):
        raise table.fault(
            "holds scores of a search, not predictions",
            hint="give the folder that the tool wrote, or keep the predictions with "
            "bbccli.recording: scores alone can't be corrected"
            if request.roles.row_id is None or request.roles.prediction is not None
            else f"{parameter('prediction', 'NAME')}, if a column scores each sample: rows of a "
            "search are models, trials or epochs",
        )


def refuse_totals(table: Table, request: Request, _hints: Hints, _known: Collection[str]) -> None:
    """Refuse a last row of means or sums, which a key would tell by its name.

    Seen: the last row holds the mean, or the sum, of the rows above in all columns of numbers that
      it fills
    Means: a row of totals
    Done: an error
    """
    key, last = request.roles.row_id or column_named(table, "row_id"), table.n_rows - 1
    names = [name for name in table.names if name in table.kinds.numeric and name != key]
    if last < FEWEST_ROWS or len(names) < 2 or table.on_disk:
        return
    varied = 0
    for name in names:
        numbers = to_numbers(table.column(name).values).astype(np.float64)
        above, last_one = numbers[:last][np.isfinite(numbers[:last])], numbers[last:]
        if np.isnan(last_one):  # of no key or fold
            continue
        n, whole = len(above), above.sum()
        off = min(abs(last_one - whole), abs(last_one - whole / n)) if n else np.ones(1)
        spread = above.std() if n else 0.0
        if not off <= 1e-3 * spread or not off <= step_of(last_one) / 2 + 1e-9 * abs(last_one):
            return
        varied += (spread > 0) * (1 + bool(last_one > above.max()))  # as a mean never is
    if varied > 1:
        raise table.fault(
            "the last row holds the means or sums of the rows above",
            row=last,
            hint="remove a row of totals",
        )


def refuse_units(table: Table, _request: Request, _hints: Hints, _known: Collection[str]) -> None:
    """Refuse a first row of units, by which columns of numbers would be text.

    Seen: in several columns, text in the first row above nothing but numbers
    Means: a row of units, or a second line of the header
    Done: an error
    """
    counts = {name: _n_above(table, name) for name in table.names if name in table.texts}
    units = [name for name, n_above in counts.items() if n_above]
    if len(units) > 1:
        several = max(counts.values()) > 1
        raise table.fault(
            f"the first {'rows hold' if several else 'row holds'} units, or another line of the "
            f"header: {listing(units)} hold numbers below",
            row=0,
            hint="remove these two rows" if several else "remove that row",
        )


def _n_above(table: Table, name: str) -> int:
    """Return whether the first one or two values of a column of text are no numbers, and all others
    are: how many; Orange writes types and roles.
    """
    first = table.head([name], 3).column(0).to_pylist()
    words = [v is not None and np.isnan(number_of(v)) for v in first]
    if table.on_disk or words[:1] != [True] or words[-1] or len(first) < 3:
        return 0
    n_above = 1 + words[1]
    others = table.column(name).values.slice(n_above).drop_null().to_pylist()
    return 0 if not others or np.isnan([*map(number_of, others)]).any() else n_above


@lru_cache(maxsize=8)  # the files of a batch have the same columns
def _signs(names: tuple[str, ...]) -> tuple[dict[str, int], list[str]]:
    """Return what each score among some columns is worth; and the columns of a search."""
    others = [name for name in names if _SEARCH.fullmatch(name.strip())]
    worth = {name: _worth(name) for name in names if name not in others}
    return {name: sign for name, sign in worth.items() if sign}, others


def _worth(name: str) -> int:
    """Return 2 if a name means a metric of something, 1 if it may mean a score, else 0.

    >>> [_worth(name) for name in ("val_loss", "AccuracySD", "f1", "mean", "fold_2", "bm25 ndcg")]
    [2, 2, 1, 1, 1, 0]
    """
    split = re.sub(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=SD$)|\(.*\)", " ", name).casefold()
    words = [w for w in re.findall(r"[a-z]+\d*|\d+", split) if not _FILLERS.fullmatch(w)]
    of = [word for word in words if _PARTS.fullmatch(word)]
    left = "-".join(word for word in words if word not in of)
    if left in _BARE:
        return (1 + (left == "score" and bool(of))) * bool(re.search("[a-z]", split))
    known = _MEASURES.fullmatch(left) or meant_by(left) in METRICS or (of and left.endswith("loss"))
    return 1 + bool(of) if known else 0


def _n_of(codes: IntArray) -> int:
    return len(distinct(codes))


def _differs(table: Table, name: str) -> bool:
    """True if the values of a column all differ."""
    column = table.column(name)
    return len(column) > 1 and len(column.codes()[1]) == len(column)


def refuse_metrics(glance: Glance) -> Sheet:
    """Refuse scores without a truth whose columns of numbers are all called like metrics.

    Seen: with `--task score`, several columns, all called like metrics, such as `faithfulness`
    Means: metrics of one system
    Done: an error: one system has many metrics
    """
    sheet = glance.sheet
    numbers = [c.name for c in sheet.cells if c.source not in sheet.table.texts]
    wide = sheet.scored and sheet.layout == WIDE and not sheet.declared
    if wide and len(numbers) > 1 and all(map(_worth, numbers)):
        raise sheet.fault(
            f"{listing(numbers)} are metrics of one system, not configurations to choose from",
            hint=f"give {parameter('only', numbers[0])} for the interval of one; to compare "
            "systems, give one metric, with a column for each system",
        )
    return sheet


def doubt_rows_of_folds(glance: Glance) -> Sheet:
    """Doubt scores without a truth that are of one fold each; a column of their folds is none.

    Seen: with `--task score`, each fold in one row; or keys such as `Fold01`
    Means: scores of folds, not of samples
    Done: a note: N is the number of folds
    """
    sheet = glance.sheet
    if not sheet.scored or sheet.n_rows < 2:
        return sheet
    stray = [
        cell
        for cell in sheet.cells
        if re.search("fold", cell.name, re.IGNORECASE)
        and cell.configuration not in sheet.declared
        and len(sheet.column(cell).codes()[1]) == sheet.n_rows
    ]
    fold, key = sheet.roles.get("fold"), sheet.roles.get("row_id")
    of_folds = bool(stray)
    if fold is not None:
        codes = joint([repeat_codes(len(fold), sheet.roles), fold.codes()[0]])
        of_folds |= len(distinct(codes)) == len(codes)
    elif key is not None and key.is_text:
        from bbccli.reading.advice import FOLD

        of_folds |= all(map(FOLD.fullmatch, key.named_codes()[1]))
    if not of_folds:
        return sheet
    return sheet.without([cell.name for cell in stray], of_metadata.scores_of_folds(sheet.n_rows))
