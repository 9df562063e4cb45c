"""Options on how files are read: of every command that reads predictions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bbccli.core.choices import Missing, Task
from bbccli.core.option import Panel, Scope, option

if TYPE_CHECKING:
    from bbccli.core.matrix import PredictionMatrix
    from bbccli.readers import Paths, Request


def _column(text: str) -> Any:
    return option(None, text, "COL", panel=Panel.COLUMNS)


def _dialects() -> Iterable[str]:
    from bbccli.readers.layout.dialects import DIALECTS
    from bbccli.readers.sheet import WIDE

    return (WIDE, *DIALECTS)


def _flagged() -> Iterable[str]:
    from bbccli.readers.flagged import INCLUDED

    return INCLUDED


@dataclass(frozen=True, kw_only=True)
class InputOptions:
    """How files are to be understood: what the reader can't tell by itself."""

    truth: str | None = _column("True label or value.")
    fold: str | None = _column("Fold of the cross-validation.")
    repeat: str | None = _column("Repeat of the cross-validation.")
    group: str | None = _column("Group of the sample, such as a patient or a site.")
    row_id: str | None = _column("Key of the sample.")
    labels_row_id: str | None = _column("Key in the labels file, where it is called otherwise.")
    folds_row_id: str | None = _column("Key in the folds file, where it is called otherwise.")
    time: str | None = _column("Survival time.")
    event: str | None = _column("Event: 1 observed, 0 censored.")
    weight: str | None = _column("Weight of the sample.")
    unweighted: bool = option(
        False,
        "Count all samples alike, even where a column is called weight, weights or "
        "sample_weight; wins over --weight.",
        panel=Panel.COLUMNS,
    )
    outer_fold: str | None = _column("Outer fold of nested predictions.")
    configuration: str | None = _column("Configuration, in the long layout.")
    prediction: str | None = _column("Prediction, in the long layout.")
    only: Sequence[str] | None = option(
        None,
        "Use only these configurations, such as 'svm*'; repeatable. A matching column is taken "
        "as a configuration, whatever it looks like.",
        "PATTERN",
        panel=Panel.INPUT,
        default="all",
    )
    exclude: Sequence[str] | None = option(
        None,
        "Leave out these configurations, or columns that are not configurations, such as age; "
        "repeatable.",
        "PATTERN",
        panel=Panel.INPUT,
    )
    dialect: str | None = option(
        None,
        "Layout of the files.",
        panel=Panel.INPUT,
        names=_dialects,
        default="inferred from the column names",
    )
    positive: str | None = option(
        None,
        "Positive class.",
        "CLASS",
        panel=Panel.INPUT,
        default="the metadata's, else the last one sorted",
    )
    task: Task | None = option(
        None,
        "What is predicted; score: nothing, the file holds scores per sample.",
        panel=Panel.INPUT,
        default="inferred from the truth",
    )
    bounds: str | None = option(
        None,
        "Scores: the smallest and the largest possible one, which the guard of intervals needs.",
        "LOW,HIGH",
        panel=Panel.INPUT,
        default="0,1 where every score is 0 or 1, else unknown",
    )
    labels: str | None = option(
        None,
        "Separate file with the truth, joined by the key of both; by position where neither "
        "has one.",
        "FILE",
        panel=Panel.INPUT,
        scope=Scope.RUN,
    )
    folds: str | None = option(
        None,
        "Separate file with the folds, joined in the same way.",
        "FILE",
        panel=Panel.INPUT,
        scope=Scope.RUN,
    )
    by_position: bool = option(
        False,
        "Join labels and folds by position, although there is a key: the rows of all files are "
        "in the same order.",
        panel=Panel.INPUT,
    )
    include: Sequence[str] | None = option(
        None,
        "Let configurations take part that their flags leave out: {names}; repeatable.",
        "WHAT",
        panel=Panel.INPUT,
        names=_flagged,
        default="none",
    )
    verify: bool = option(
        True,
        "Compute the scores that a run reports again, and refuse predictions that do not give "
        "them.",
        panel=Panel.INPUT,
        flags=("--verify/--no-verify",),
    )

    def request(self, missing: Missing = Missing.DROP) -> Request:
        """Return what the readers are asked for."""
        from bbccli.readers import Request

        return Request(missing=missing, **self._told())

    def read_files(
        self, path: Paths, *, missing: Missing = Missing.DROP, unfinished: bool = False
    ) -> PredictionMatrix:
        """Read files as the options say; see `bbccli.readers.read`."""
        from bbccli.analysis.verification import verified
        from bbccli.readers import read

        matrix = read(path, missing=missing, unfinished=unfinished, **self._told())
        return verified(matrix) if self.verify and not unfinished else matrix

    def _told(self) -> dict[str, Any]:
        """What readers are told, by their names for it."""
        from bbccli.readers import Roles
        from bbccli.readers.scores import bounds_of_text

        columns = {name: getattr(self, name) for name in Roles.__dataclass_fields__}
        as_given = ("task", "positive", "labels", "folds", "dialect", "by_position", "unweighted")
        return {
            "roles": Roles(**columns),
            "bounds": None if self.bounds is None else bounds_of_text(self.bounds),
            **{name: getattr(self, name) for name in as_given},
            **{name: getattr(self, name) or () for name in ("only", "exclude", "include")},
        }


@dataclass(frozen=True, kw_only=True)
class GapOptions:
    """What to do where some configurations lack predictions."""

    missing: Missing = option(
        Missing.DROP,
        "Where some configurations lack predictions: refuse (error), drop those "
        "configurations, use only the samples that all of them predict (common-rows), or "
        "score each on what it predicts (available).",
        panel=Panel.INPUT,
    )
