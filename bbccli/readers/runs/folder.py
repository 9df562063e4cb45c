"""A folder -> its tables, by the tool that recognises it.

The tools are the modules of this folder that declare `RUNS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from bbccli.core import reading
from bbccli.core.local import trying, within
from bbccli.errors import InputError
from bbccli.readers import runs
from bbccli.readers.runs.base import RunReader
from bbccli.readers.runs.contents import parsing_once
from bbccli.readers.runs.tables import damaged
from bbccli.readers.table import Table

_MODULES = [f"{runs.__name__}.{one.name}" for one in iter_modules(runs.__path__)]

RUNS: tuple[RunReader, ...] = tuple(
    sorted(
        (
            run
            for name in _MODULES
            if name != __name__
            for run in getattr(import_module(name), "RUNS", ())
        ),
        key=lambda run: (run.turn, run.name.lower()),
    )
)
"""In the order in which they are tried."""


def tables_of(folder: Path) -> Sequence[Table]:
    """Return the tables of a folder that some tool left behind.

    Raises
    ------
    InputError
        A file that can't be read or is not in the folder, or a folder that no tool is known to
        leave.
    """
    with within(folder, follow_links=reading.current().follow_links), parsing_once():
        with trying():
            reader = reader_of(folder)
            if reader is None:
                raise _unknown(folder)
        found = reader.load(folder)
        return [found] if isinstance(found, Table) else found


def reader_of(folder: Path) -> RunReader | None:
    """Return what reads a folder; None where no tool is known to leave it."""
    return next((run for run in RUNS if run.recognises(folder)), None)


def _unknown(folder: Path) -> InputError:
    looked_for = "; ".join(f"{run.name}: {run.signature}" for run in RUNS).replace("`", "")
    fault = damaged(folder)
    found, remedy = ("", "") if fault is None else (f"; {fault.problem}", f"{fault.hint}; or ")
    return InputError(
        f"is a directory, not a file, and holds no run that is known{found}",
        path=folder,
        hint=f"{remedy}name one file in it; or a run, of which these were looked for: {looked_for}",
    )
