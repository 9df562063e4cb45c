"""Files in any layout -> aligned columns by role: everything that `assemble` needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bbccli.errors import OptionError
from bbccli.readers.alignment import align, split_caret
from bbccli.readers.assemble import Parts
from bbccli.readers.choice import choose
from bbccli.readers.columns import assign
from bbccli.readers.dialects import DIALECTS, WIDE, Hints, Layout, layout_of
from bbccli.readers.files import STDIN, expand
from bbccli.readers.frame import Column, Frame, check_names
from bbccli.readers.metadata import Metadata, merged
from bbccli.readers.nested import split_nested
from bbccli.readers.pivot import pivot
from bbccli.readers.roles import Roles
from bbccli.readers.separate import read_folds, read_labels
from bbccli.readers.stack import stack
from bbccli.readers.tables import metadata_of, read_frame
from bbccli.types import Missing, Task

Paths = str | Path | Sequence[str | Path]


@dataclass(frozen=True, slots=True)
class Request:
    """How files are to be understood; see `bbccli.readers.read`."""

    roles: Roles = field(default_factory=Roles)
    task: Task | None = None
    positive: str | None = None
    labels: str | Path | None = None
    folds: str | Path | None = None
    missing: Missing = Missing.DROP
    dialect: str | None = None
    only: Sequence[str] = ()
    exclude: Sequence[str] = ()

    @property
    def elsewhere(self) -> frozenset[str]:
        """Roles that come from separate files."""
        truth = ("truth", "time", "event") if self.labels else ()
        return frozenset((*truth, *(("fold",) if self.folds else ())))

    def hints(self, metadata: Metadata) -> Hints:
        """What is known of the files before their layout is."""
        # configurations of a long table are no columns of it
        in_names = metadata.raw.get("layout") != "long"
        declared = frozenset(metadata.configurations if in_names else ())
        return Hints(self.roles, self.task or metadata.task, declared, self.elsewhere)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The tables of some files and their metadata."""

    frames: tuple[Frame, ...]
    metadata: Metadata


def load(paths: Paths, request: Request) -> Parts:
    """Read files and place their rows.

    Raises
    ------
    InputError, OptionError
        Whatever keeps the files from being understood.
    """
    loaded = load_tables(paths, request)
    for frame in loaded.frames:
        check_names(frame)
    return choose(place(cast_roles(loaded, request), request), request.only, request.exclude)


def load_tables(paths: Paths, request: Request) -> Loaded:
    """Read the tables and their metadata."""
    found = expand(paths)
    if [str(one) for one in (*found, request.labels, request.folds)].count(STDIN) > 1:
        raise OptionError("two files are read from stdin", hint="name a file for one of them")
    frames = tuple(read_frame(path) for path in found)
    return Loaded(frames, merged([metadata_of(frame) for frame in frames]))


def cast_roles(loaded: Loaded, request: Request) -> Parts:
    """Give every column its role; a long table becomes a wide one.

    Returns
    -------
    Parts
        Not aligned yet, and without what lies in separate files.
    """
    hints = request.hints(loaded.metadata)
    layouts = layouts_of(loaded, request)
    if not layouts:
        frame = loaded.frames[0]
        assignment = assign(
            frame,
            hints.roles,
            task=hints.task,
            declared=hints.declared,
            elsewhere=hints.elsewhere,
        )
        columns = {role: frame.column(name) for role, name in assignment.roles.items()}
        return Parts(frame, columns | split_caret(columns), assignment, None, loaded.metadata)
    spare = tuple(dict.fromkeys(name for layout in layouts for name in layout.spare))
    wide = pivot(stack(loaded.frames, layouts, hints), spare=spare)
    return Parts(wide.frame, wide.columns, wide.assignment, None, loaded.metadata, notes=wide.notes)


def layouts_of(loaded: Loaded, request: Request) -> list[Layout]:
    """Return the layout of each long table; none for a single wide one.

    Raises
    ------
    OptionError
        Several files said to be wide.
    """
    alone, hints = len(loaded.frames) == 1, request.hints(loaded.metadata)
    layouts = [layout_of(frame, hints, request.dialect, alone=alone) for frame in loaded.frames]
    found = [layout for layout in layouts if layout is not None]
    if not found and not alone:
        raise OptionError(
            f"--dialect {WIDE} is for one file, there are {len(layouts)}",
            hint=f"several files are put together as one of {', '.join(DIALECTS)}",
        )
    return found


def place(parts: Parts, request: Request) -> Parts:
    """Place the rows, and join what lies in separate files."""
    placed = place_rows(parts)
    columns, alignment = dict(placed.columns), placed.alignment
    row_id: Column | None = columns.get("row_id")
    if request.labels:
        columns |= read_labels(request.labels, request.roles, alignment, row_id)
    if request.folds:
        columns |= read_folds(request.folds, request.roles, alignment, row_id)
    return replace(placed, columns=columns)


def place_rows(parts: Parts) -> Parts:
    """Tell which row holds which sample of which repeat, and which rows are inner ones."""
    frame, columns = parts.frame, dict(parts.columns)
    nested = split_nested(columns, frame.path)
    if nested is not None:
        columns["fold"] = columns.pop("outer_fold")
    among = None if nested is None else nested.outer
    alignment = align(frame.n_rows, frame.path, columns.get("row_id"), columns.get("repeat"), among)
    return replace(parts, columns=columns, placed=alignment, nested=nested)
