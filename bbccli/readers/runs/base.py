"""What the folder of a run holds, in the form of one wide table with metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.readers.arrow import as_arrow

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Score:
    """A score that the tool itself reports of a model.

    Parameters
    ----------
    configuration
        Name of the model.
    metric
        Name that `bbc` has for the metric.
    value
        The score, with the sign that `bbc` gives it.
    selection
        `pooled` or `fold-mean`: how the tool makes one score of the folds.
    tolerance
        Largest difference that rounding and approximations of the tool explain.
    """

    configuration: str
    metric: str
    value: float
    selection: str
    tolerance: float


@dataclass(frozen=True, slots=True)
class FoldScore:
    """A score that the tool reports of a model in one fold.

    Parameters
    ----------
    configuration, metric, value, tolerance
        As those of a `Score`.
    fold
        The fold, from 0.
    """

    configuration: str
    metric: str
    fold: int
    value: float
    tolerance: float


@dataclass(frozen=True, slots=True)
class RunTable:
    """All models of a run.

    Parameters
    ----------
    tool
        Who wrote the folder.
    columns
        The wide layout: roles and configurations, or `configuration::class`.
    files
        What was read, for the hash.
    task, classes
        As in the metadata of a file; absent where only the truth tells.
    flags
        Threats to validity, by configuration.
    leaderboard
        Scores that the tool reports of its models.
    fold_scores
        Scores of single folds, by which the folds are checked.
    metric
        The metric that the tool optimised, by our name; None where `bbc` does not have it.
    metric_name
        What the tool calls it, where `bbc` has no metric of that name.
    selection
        How the tool selects; None where it does not say.
    left_out
        What the folder holds besides, and why it takes no part.
    n_candidates_total
        How many configurations were tried, where more than the folder keeps.
    unchecked
        Why the leaderboard can't be compared, where it can't.
    classes_in_order
        Whether classes are called by their numbers in sorted order, for want of their names.
    tried
        Configurations in the order in which they were tried, where that is known.
    named
        Lists of names for notes on them: `again` and `tried_again`, configurations whose
        predictions were recorded again, and which were tried before with other predictions;
        `damaged`, files. And `scored_alike`, configurations that the tool scored without the
        weights.
    weighted
        Whether the scores are of the weighted samples.
    targets
        Of models that were scored on other targets than the truth: whose target the truth is, and
        what the others have in its place.
    """

    tool: str
    columns: Mapping[str, Any]
    files: Sequence[Path]
    task: str | None = None
    classes: tuple[str, ...] = ()
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    leaderboard: tuple[Score, ...] = ()
    fold_scores: tuple[FoldScore, ...] = ()
    metric: str | None = None
    selection: str | None = None
    left_out: tuple[tuple[str, str], ...] = ()
    n_candidates_total: int | None = None
    unchecked: str = ""
    classes_in_order: bool = False
    tried: tuple[str, ...] = ()
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    metric_name: str | None = None
    weighted: bool = False
    targets: Mapping[str, Any] = field(default_factory=dict)

    @property
    def table(self) -> pa.Table:
        """The columns as an Arrow table."""
        import pyarrow as pa

        return pa.table({name: _arrow(values) for name, values in self.columns.items()})

    @property
    def n_samples(self) -> int:
        """Samples; a row stands for one, unless a column tells which."""
        keys = self.columns.get("row_id")
        return len(next(iter(self.columns.values())) if keys is None else np.unique(keys))

    @property
    def metadata(self) -> dict[str, Any]:
        """What stands in the metadata of a file: the run itself under `run`."""
        names = dict.fromkeys(name.partition("::")[0] for name in self.columns if name not in ROLES)
        about = {
            "task": self.task,
            "classes": list(self.classes) or None,
            "positive_class": self.classes[-1] if len(self.classes) == 2 else None,
            "n_candidates_total": self.n_candidates_total,
            "selection": self.selection,
            "weight": "weight" if "weight" in self.columns else None,
        }
        run = _about(self.tool, self.left_out)
        return {
            **_SPEC,
            **{key: value for key, value in about.items() if value is not None},
            "configs": [{"id": name, "flags": list(self.flags.get(name, ()))} for name in names],
            "run": run
            | {
                "metric": self.metric,
                **({"metric_name": self.metric_name} if self.metric_name else {}),
                "n_samples": self.n_samples,
                "unchecked": self.unchecked,
                "classes_in_order": self.classes_in_order,
                "tried": list(self.tried),
                "leaderboard": [
                    {
                        "id": one.configuration,
                        "metric": one.metric,
                        "value": one.value,
                        "selection": one.selection,
                        "tolerance": one.tolerance,
                    }
                    for one in self.leaderboard
                ],
                **self._of_folds,
                **{name: list(names) for name, names in self.named.items() if names},
                **({"weighted": True} if self.weighted else {}),
                **({"targets": dict(self.targets)} if self.targets else {}),
            },
        }

    @property
    def _of_folds(self) -> dict[str, Any]:
        """Scores of folds, in metadata where there are any."""
        found = [
            {
                "id": one.configuration,
                "metric": one.metric,
                "fold": one.fold,
                "value": one.value,
                "tolerance": one.tolerance,
            }
            for one in self.fold_scores
        ]
        return {"fold_scores": found} if found else {}


@dataclass(frozen=True, slots=True)
class RunFiles:
    """Files of a run that are read as any others, one configuration or several each.

    Parameters
    ----------
    tool, files, left_out
        As those of a `RunTable`.
    label, outcome
        Columns of the predicted label and of the true one.
    """

    tool: str
    files: Sequence[Path]
    left_out: tuple[tuple[str, str], ...] = ()
    label: str = ""
    outcome: str = ""

    @property
    def metadata(self) -> dict[str, Any]:
        """What stands in the metadata of each file, unless it has its own."""
        return _SPEC | {"run": _about(self.tool, self.left_out)}


class Order(IntEnum):
    """When a tool is tried on a folder: the surest signs first."""

    FIRST = 0
    """A file that no other tool writes."""
    BY_FILES = 1
    """Names of files."""
    LAST = 2
    """Tables, which have to be read, or which others might leave too."""


APART = "`--labels`"
"""Labels of folders that hold none."""


@dataclass(frozen=True, slots=True)
class RunReader:
    """How the folders of one tool are recognised and read.

    Parameters
    ----------
    name
        The tool.
    signature
        What is looked for, in Markdown.
    recognises
        Whether a folder is one of this tool's.
    load
        Folder -> its models, or the files that are to be read as any other.
    turn
        When it is tried.
    labels
        Where the labels are, in Markdown.
    untested
        Whether no output of the tool itself was ever read, only folders made after a description.
    """

    name: str
    signature: str
    recognises: Callable[[Path], bool]
    load: Callable[[Path], RunTable | RunFiles]
    turn: Order = Order.BY_FILES
    labels: str = "in the folder"
    untested: bool = False


_SPEC: dict[str, Any] = {"spec": "bbc-predictions", "version": "1"}


def _about(tool: str, left_out: Sequence[tuple[str, str]]) -> dict[str, Any]:
    return {"tool": tool, "left_out": [{"name": name, "reason": why} for name, why in left_out]}


def _arrow(values: Any) -> pa.Array | pa.ChunkedArray:
    """Values as Arrow, by their buffers where they are numbers."""
    import pyarrow as pa

    if isinstance(values, pa.ChunkedArray):
        return values
    if isinstance(values, np.ndarray) and values.dtype.kind in "if":
        return as_arrow(values)
    return pa.array(values.tolist() if isinstance(values, np.ndarray) else values)


ROLES = ("row_id", "repeat", "fold", "truth", "group", "weight", "time", "event")
