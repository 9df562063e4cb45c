"""Options on how files are read: of every command that reads predictions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from bbccli.core.choices import Missing, Task
from bbccli.core.option import Option, Panel, Scope

if TYPE_CHECKING:
    from bbccli.core.matrix import PredictionMatrix
    from bbccli.readers import Paths, Request


def _column(text: str) -> Option:
    return Option(text, metavar="COL", panel=Panel.COLUMNS)


def _dialects() -> Iterable[str]:
    from bbccli.readers.layout.dialects import DIALECTS
    from bbccli.readers.sheet import WIDE

    return (WIDE, *DIALECTS)


def _flagged() -> Iterable[str]:
    from bbccli.readers.choice import INCLUDED

    return INCLUDED


@dataclass(frozen=True, kw_only=True)
class InputOptions:
    """How files are to be understood: what the reader can't tell by itself."""

    truth: Annotated[str | None, _column("True label or value.")] = None
    fold: Annotated[str | None, _column("Fold of the cross-validation.")] = None
    repeat: Annotated[str | None, _column("Repeat of the cross-validation.")] = None
    group: Annotated[str | None, _column("Group of the sample, such as a patient or a site.")] = (
        None
    )
    row_id: Annotated[str | None, _column("Key of the sample.")] = None
    labels_row_id: Annotated[
        str | None, _column("Key in the labels file, where it is called otherwise.")
    ] = None
    folds_row_id: Annotated[
        str | None, _column("Key in the folds file, where it is called otherwise.")
    ] = None
    time: Annotated[str | None, _column("Survival time.")] = None
    event: Annotated[str | None, _column("Event: 1 observed, 0 censored.")] = None
    weight: Annotated[str | None, _column("Weight of the sample.")] = None
    unweighted: Annotated[
        bool,
        Option(
            "Count all samples alike, even where a column is called weight, weights or "
            "sample_weight; wins over --weight.",
            panel=Panel.COLUMNS,
        ),
    ] = False
    outer_fold: Annotated[str | None, _column("Outer fold of nested predictions.")] = None
    configuration: Annotated[str | None, _column("Configuration, in the long layout.")] = None
    prediction: Annotated[str | None, _column("Prediction, in the long layout.")] = None
    only: Annotated[
        Sequence[str] | None,
        Option(
            "Use only these configurations, such as 'svm*'; repeatable. A matching column is taken "
            "as a configuration, whatever it looks like.",
            metavar="PATTERN",
            panel=Panel.INPUT,
            default="all",
        ),
    ] = None
    exclude: Annotated[
        Sequence[str] | None,
        Option(
            "Leave out these configurations, or columns that are not configurations, such as age; "
            "repeatable.",
            metavar="PATTERN",
            panel=Panel.INPUT,
        ),
    ] = None
    dialect: Annotated[
        str | None,
        Option(
            "Layout of the files.",
            panel=Panel.INPUT,
            names=_dialects,
            default="inferred from the column names",
        ),
    ] = None
    positive: Annotated[
        str | None,
        Option(
            "Positive class.",
            metavar="CLASS",
            panel=Panel.INPUT,
            default="the metadata's, else the last one sorted",
        ),
    ] = None
    task: Annotated[
        Task | None,
        Option(
            "What is predicted; score: nothing, the file holds scores per sample.",
            panel=Panel.INPUT,
            default="inferred from the truth",
        ),
    ] = None
    bounds: Annotated[
        str | None,
        Option(
            "Scores: the smallest and the largest possible one, which the guard of intervals "
            "needs.",
            metavar="LOW,HIGH",
            panel=Panel.INPUT,
            default="0,1 where every score is 0 or 1, else unknown",
        ),
    ] = None
    labels: Annotated[
        str | None,
        Option(
            "Separate file with the truth, joined by the key of both; by position where neither "
            "has one.",
            metavar="FILE",
            panel=Panel.INPUT,
            scope=Scope.RUN,
        ),
    ] = None
    folds: Annotated[
        str | None,
        Option(
            "Separate file with the folds, joined in the same way.",
            metavar="FILE",
            panel=Panel.INPUT,
            scope=Scope.RUN,
        ),
    ] = None
    by_position: Annotated[
        bool,
        Option(
            "Join labels and folds by position, although there is a key: the rows of all files are "
            "in the same order.",
            panel=Panel.INPUT,
        ),
    ] = False
    include: Annotated[
        Sequence[str] | None,
        Option(
            "Let configurations take part that their flags leave out: {names}; repeatable.",
            metavar="WHAT",
            panel=Panel.INPUT,
            names=_flagged,
            default="none",
        ),
    ] = None
    verify: Annotated[
        bool,
        Option(
            "Compute the scores that a run reports again, and refuse predictions that do not give "
            "them.",
            panel=Panel.INPUT,
            flags=("--verify/--no-verify",),
        ),
    ] = True

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

    missing: Annotated[
        Missing,
        Option(
            "Where some configurations lack predictions: refuse (error), drop those "
            "configurations, use only the samples that all of them predict (common-rows), or "
            "score each on what it predicts (available).",
            panel=Panel.INPUT,
        ),
    ] = Missing.DROP
