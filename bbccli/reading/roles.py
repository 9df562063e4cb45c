"""The roles of columns: their names, and the candidate columns of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Final

from bbccli.errors import nearest, parameter
from bbccli.notes import listing
from bbccli.platform.arguments import as_list, coerce_fields
from bbccli.platform.dataclass import dataclass
from bbccli.platform.text import pattern
from bbccli.reading.column import name_of
from bbccli.reading.metadata import Metadata
from bbccli.reading.table import ArrowStream, Table, in_memory
from bbccli.types import Again, Errors, Missing, Task

__all__ = ["Roles"]


@dataclass(frozen=True, slots=True)
class Roles:
    """Names of the columns that play a role; None if the role goes by name.

    Parameters
    ----------
    truth, fold, repeat, group, row_id
        Column of the true label or value, of the fold, of the cross-validation pass, of the
        cluster, and of the sample's key.
    time, event
        Columns of a survival outcome.
    weight
        Column of sample weights.
    outer_fold
        Column of the outer fold of nested predictions.
    configuration, prediction
        Long layout: columns of the configuration, and of its predictions.
    labels_row_id, folds_row_id
        Column of the key in a labels or folds file, if named differently there.
    train_size
        Column of the number of samples that trained the model.
    """

    truth: str | None = None
    fold: str | None = None
    repeat: str | None = None
    group: str | None = None
    row_id: str | None = None
    time: str | None = None
    event: str | None = None
    weight: str | None = None
    outer_fold: str | None = None
    configuration: str | None = None
    prediction: str | None = None
    labels_row_id: str | None = None
    folds_row_id: str | None = None
    train_size: str | None = None

    @property
    def by_hand(self) -> list[str]:
        """Names of the given columns."""
        every = (getattr(self, role) for role in self.__dataclass_fields__)
        return [name for name in every if name is not None]


@dataclass(frozen=True, slots=True)
class Hints:
    """Facts about a file that help to recognise its layout.

    Parameters
    ----------
    roles
        Columns given by options.
    task
        The task, if known.
    declared
        Configurations named in the metadata.
    absent
        Roles that no column of these files plays, such as those of separate files.
    known
        Columns by role as the metadata name them.
    tables
        All tables of the input.
    """

    roles: Roles = field(default_factory=Roles)
    task: Task | None = None
    declared: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    known: Mapping[str, str] = field(default_factory=dict)
    tables: Sequence[Table] = ()


OUTCOME = frozenset({"truth", "time", "event"})
"""Roles of the truth."""
BESIDE = ("group", "weight")
"""Roles whose columns may be in the file of labels, beside the predictions of a tool."""


@dataclass(frozen=True, slots=True)
class Request:
    """Options of reading files; see `bbccli.reading.read`."""

    roles: Roles = field(default_factory=Roles)
    task: Task | None = None
    positive: str | None = None
    labels: str | Path | ArrowStream | None = None
    folds: str | Path | ArrowStream | None = None
    missing: Missing | None = None
    dialect: str | None = None
    only: Sequence[str] = ()
    exclude: Sequence[str] = ()
    include: Sequence[str] = ()
    unfinished: bool = False
    bounds: tuple[float, float] | None = None
    by_position: bool = False
    unweighted: bool = False
    fold_files: bool = False
    errors: Errors | None = None
    again: Again | None = None

    def __post_init__(self) -> None:
        coerce_fields(self)
        if self.positive is not None:
            object.__setattr__(self, "positive", name_of(self.positive))
        for name in ("only", "exclude", "include"):
            object.__setattr__(self, name, as_list(getattr(self, name)))

    @property
    def separate_roles(self) -> frozenset[str]:
        """Roles that come from separate files."""
        truth = OUTCOME if is_given(self.labels) else frozenset()
        return truth | (frozenset({"fold"}) if is_given(self.folds) else frozenset())

    def hints(self, metadata: Metadata) -> Hints:
        """Facts that help to recognise the layout."""
        # configurations of a long table are not columns of it
        in_names = metadata.raw.get("layout") != "long"
        declared = frozenset(metadata.configurations if in_names else ())
        task, absent = self.task or metadata.task, self.separate_roles
        if task is Task.SCORE:  # a column that is called like a truth is one, and set aside
            absent |= OUTCOME
        if self.unweighted:
            absent |= {"weight"}
        return Hints(self.roles, task, declared, absent, metadata.roles)


def is_given(source: object) -> bool:
    """Return True if a separate file or table is named; tables have no truth value."""
    return source is not None and (in_memory(source) or bool(source))


LATE_TRUTHS: Final = (
    *("actual", "gold", "ground_truth", "groundtruth", "true_label", "observed", "expected"),
)
"""Names of the truth, unless a column has another of its names."""

# The written name comes first; among the synonyms, the first that occurs plays the role.
NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "row_id": (
        *("row_id", "row_ids", ".row", "rowindex", "rowid", "id", "index"),
        "__index_level_0__",  # the index of a pandas frame, in Parquet
    ),
    "repeat": ("repeat", "rep", "id"),
    "fold": (
        *("fold", "folds", "split", "iteration", "id", "id2", "resample"),
        *("kfold", "fold_id", "foldid", "inner_fold", "cv_fold", "test_fold", "fold_no"),
    ),
    "truth": (
        *("truth", "y", "y_true", "label", "labels", "target", "outcome", "obs", "correct"),
        *("class", *LATE_TRUTHS),
    ),
    "time": ("time", "duration"),
    "event": ("event", "status", "observed"),
    "group": ("group", "groups", "patient_id", "cluster"),
    "weight": ("weight", "weights", "sample_weight"),
    "outer_fold": ("outer_fold",),
    "train_size": ("train_size",),
}

CONFIGURATIONS: Final = (
    *("config", ".config", "wflow_id", "model", "system", "learner_id", "configuration"),
)
"""Names of the column of configurations in long tables."""

ITEM_KEYS: Final = ("item", "item_id", "question_id", "doc_id", "sample_id", "example_id")
"""Names of the key of a sample in evaluations."""

AMBIGUOUS: Final = frozenset({"id", "id2", "index"})
"""Names of several roles, or of configurations."""

# tidymodels writes the repeat, the fold or both as text into `id` and `id2`.
_RESAMPLING_TEXT: Final = {"repeat": pattern(r"Repeat\d+"), "fold": pattern(r"Fold\d+")}


def columns_for_role(frame: Table, role: str, declared: Iterable[str] = ()) -> list[str]:
    """Return the columns whose name could mean a role, the best first.

    A column that the metadata declare as a configuration does not count, unless it has the written
    name.
    """
    names = frame.by_spelling
    return [
        name
        for rank, spelling in enumerate(NAMES[role])
        if spelling in names
        for name in sorted(names[spelling], key=spelling.__ne__)
        if (rank == 0 or name not in declared) and _content_fits(frame, role, name)
    ]


def column_of(frame: Table, name: str, role: str, called: str = "") -> str:
    """Return a column given by an option, or by `called`; it must exist."""
    if name in frame.names:
        return name
    what = "holds objects, lists, bytes or durations" if name in frame.nested else "is not a column"
    raise frame.fault(
        f"{called or parameter(role)} is {name!r}, which {what}",
        hint=nearest(name, frame.names, f"the columns are {listing(frame.names, 8)}"),
    )


def column_named(frame: Table, role: str) -> str | None:
    """Return the column that plays a role by its name, if any."""
    return next(iter(columns_for_role(frame, role)), None)


def _content_fits(frame: Table, role: str, name: str) -> bool:
    """False if `id` or `id2` does not hold folds or repeats, and if an event that may be a truth
    has not two values; other names always fit.
    """
    if role == "event" and name.casefold() in NAMES["truth"]:
        return len(frame.column(name).codes()[1]) == 2
    if name.casefold() not in ("id", "id2"):
        return True
    texts = frame.column(name).codes()[1].to_pylist() if name in frame.texts else []
    fitting = [r for r, f in _RESAMPLING_TEXT.items() if texts and all(map(f.fullmatch, texts))]
    return fitting == [role] if role in _RESAMPLING_TEXT else not fitting
