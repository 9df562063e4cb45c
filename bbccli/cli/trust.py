"""Which files of defaults are used unasked, and what no such file can ask for.

A file that is found on the way may have come with somebody else's data. So it is looked for inside
the project only, it must belong to the user (or root), and it never names code to run; git treats
repositories of others alike (`safe.directory`). A file named by --config is trusted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bbccli.errors import OptionError

MARKS = (".git", ".hg")
"""Names in the folder of a project that is the last to be searched."""

CODE = ":"
"""In the name of a metric: that of a module, which is run."""

FOLLOWS = "follow-links"
"""The option by which the folder of a run reads what lies elsewhere."""


def folders(start: Path) -> Iterator[Path]:
    """Yield a folder and those above it, up to that of the repository or of the user.

    Where neither is above, the folder alone.
    """
    above = (start, *start.parents)
    for position, folder in enumerate(above):
        if _is_home(folder) or any(_is_there(folder / mark) for mark in MARKS):
            yield from above[: position + 1]
            return
    yield start


def check_owner(path: Path) -> None:
    """Refuse a file that belongs to another user than this one or root.

    Raises
    ------
    OptionError
        Names the file.
    """
    if os.name == "nt":
        return
    ours = {0, os.geteuid()}
    if 0 in ours and os.environ.get("SUDO_UID", "").isdecimal():
        ours.add(int(os.environ["SUDO_UID"]))
    owners = {path.stat().st_uid, path.lstat().st_uid}
    if owners - ours:
        raise OptionError(
            f"{path} belongs to another user, so it is not used for defaults",
            hint=f"bbc --config {path} ... if you trust it; else move or remove it",
        )


def check_harmless(path: Path, key: str, value: Any) -> None:
    """Refuse a value that names a module to import, or lets folders lead out of themselves.

    Raises
    ------
    OptionError
        Names file and key.
    """
    names = value if isinstance(value, list) else [value]
    does = ""
    if key == "metric" and any(CODE in str(name) for name in names):
        does = "names code"
    elif key.replace("_", "-") == FOLLOWS and value is not False:
        does = "lets links lead out of folders"
    if does:
        raise OptionError(
            f"{path}: {key} {does}, which only the command line or --config FILE may do",
            hint=f"bbc --config {path} ... if you trust it",
        )


def _is_home(folder: Path) -> bool:
    try:
        return folder == Path.home().resolve()
    except (OSError, RuntimeError):
        return False


def _is_there(path: Path) -> bool:
    return os.path.lexists(path)
