"""The contract of a reader for another tool: what it recognises, what it returns, what it raises.

A reader is one module, of this package (in `tools/`) or of another one, and is found by an entry
point: a tuple of `RunReader` in the group `bbccli.readers` for a tool that leaves a folder; a
`Framework` in `bbccli.logs.json` and its like, by the suffix of its files, for the logs of an
evaluation framework. Both hand over what they know as what it is: predictions by configuration and
class, and other values by role. No name means anything more, so a configuration may be called
`weight`, `a::b` or nothing but blanks.

A reader raises `InputError` for a file that is damaged, or not as the tool writes it, with the
file (else the folder is named), the row and the column, and what to do. It must not run what it
reads, nor import the tool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from enum import IntEnum, auto
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bbccli.platform import plugins
from bbccli.platform.dataclass import dataclass
from bbccli.reading.metadata import Metadata
from bbccli.reading.sources import OF_LOGS

if TYPE_CHECKING:
    from bbccli.domain.matrix import Vault
    from bbccli.reading.evaluations.files import File
    from bbccli.reading.numerals import Moment
    from bbccli.reading.table import Table

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Order(IntEnum):
    """Order in which tools are tried on a folder: the surest signs first."""

    FIRST = auto()
    """A file that no other tool writes."""
    BY_FILES = auto()
    """Names of files."""
    LAST = auto()
    """Tables that have to be read, or that others might leave too."""


@dataclass(frozen=True, slots=True)
class Predictions:
    """Out-of-sample predictions, and what is known of their samples.

    Parameters
    ----------
    by_configuration : (n_rows,) or (n_rows, K) each
        By the name of the configuration: numbers, or labels; NaN or None where missing. The K
        classes are those of `about`; without any, those of the truth as sorted.
    roles : (n_rows,) each
        By role: `row_id`, `repeat`, `fold`, `truth`, `time`, `event`, `group`, `weight`. Without
        `row_id` each row is a sample, in the order of the training data.
    files
        What was read: the hash is that of their names and contents.
    about
        Task, classes, flags, selection and number of candidates, as far as known; `run` is what the
        tool reports of itself.
    vault
        Rows that took no part in the search, if any.
    """

    by_configuration: Mapping[str, Any]
    roles: Mapping[str, Any]
    files: Iterable[Path]
    about: Metadata
    vault: Vault | None = None


@dataclass(frozen=True, slots=True)
class RunReader:
    """A reader for the folders of one tool.

    Parameters
    ----------
    name
        The tool.
    signature
        Files to look for, in Markdown.
    recognises
        True for a folder of this tool; it raises nothing for the folders of others.
    load
        Folder -> its predictions; or its tables, if these are read like any others.
    turn
        Order in which it is tried.
    labels
        Place of the labels, in Markdown.
    """

    name: str
    signature: str
    recognises: Callable[[Path], bool]
    load: Callable[[Path], Predictions | Sequence[Table]]
    turn: Order = Order.BY_FILES
    labels: str = "in the folder"


class ItemScores(NamedTuple):
    """One item in one epoch.

    Parameters
    ----------
    item
        Key of the item within its task.
    scores
        By scorer; None where it gave none.
    epoch
        Which time the item was asked, from 1; 0 where the framework does not say and `Log` counts.
    error
        Why there is no answer; empty where there is one. Scores beside an error are those that
        the framework gives a failed request.
    about
        What is known of the item, such as its subject, by a name that `--group` may name.
    content
        Question and answer of the item, as far as the key does not tell; a prompt may change the
        question, but not both.
    """

    item: str
    scores: Mapping[str, float | None]
    epoch: int = 0
    error: str = ""
    about: Mapping[str, object] = NOTHING
    content: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class ScorerInfo:
    """A scorer: bounds and reported mean of the scores that it gives.

    Parameters
    ----------
    bounds
        Smallest and largest possible score; None where unknown, or those of marks, which are 0
        and 1.
    reported
        The framework's own mean over the items; None where it has none.
    unchecked
        Why its figure is not the mean over items of the mean over epochs.
    lower_is_better
        True of losses.
    reduce
        How the scores of an item in its epochs become one; None if by their mean.
    """

    bounds: tuple[float, float] | None = None
    reported: float | None = None
    unchecked: str = ""
    lower_is_better: bool = False
    reduce: Callable[[Sequence[float]], float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """One run of one configuration on one task.

    Parameters
    ----------
    place
        The file; whoever opened it sets it.
    task
        Name of the task; empty if a framework has no tasks.
    configuration
        Properties that tell configurations apart, the most telling key first: `model`, `prompt`,
        `solver` and settings. Runs of equal configurations on one task are repetitions, of which
        the newest counts.
    details
        Properties that tell configurations apart if those are equal, such as the text of a prompt.
    seeds
        What only draws anew: runs that differ in it alone are epochs of the items.
    results
        In any order.
    scorers
        By name, the default one first.
    created
        Time of the run; None if unknown.
    left_out
        Reason for exclusion; else empty.
    """

    place: Path = Path()
    task: str = ""
    configuration: Mapping[str, object]
    details: Mapping[str, object] = field(default_factory=dict)
    seeds: Mapping[str, object] = field(default_factory=dict)
    results: Sequence[ItemScores] = ()
    scorers: Mapping[str, ScorerInfo] = field(default_factory=dict)
    created: Moment | None = None
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Framework:
    """An evaluation framework, with functions that recognise and read its logs.

    Parameters
    ----------
    name
        Name of the framework.
    signature
        Files that it writes, in Markdown.
    score
        Default score, unless `--prediction` names another one, in Markdown.
    owns
        True for one of its files.
    load
        File -> a log per run.
    together
        All logs -> the same, named as they are told apart.
    headline
        False if it does not say which of several scores counts, so that the first one does.
    """

    name: str
    signature: str
    score: str
    owns: Callable[[File], bool]
    load: Callable[[File], Iterable[Log]]
    together: Callable[[Sequence[Log]], Sequence[Log]] = list
    headline: bool = True


@cache
def frameworks(suffix: str = "") -> Mapping[str, Framework]:
    """Return the frameworks by name: those whose files may have a suffix, or all."""
    groups = [f"bbccli.logs{ending}" for ending in OF_LOGS if suffix in ("", ending)]
    pairs = [(group, name) for group in groups for name in plugins.entry_points_of(group)]
    return {name: plugins.load(group, name, Framework) for group, name in pairs}


def signatures(tools: Iterable[RunReader | Framework]) -> str:
    """Return names of tools, and the files to look for."""
    return "; ".join(f"{tool.name}: {tool.signature}" for tool in tools).replace("`", "")
