"""The file that counts openings: lines are only ever appended, and each counts, whole or torn."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bbccli.errors import InputError, OptionError, parameter
from bbccli.platform.atomic import is_read_only, sync_folder
from bbccli.platform.guarded_files import bytes_of
from bbccli.platform.text import count

_BINARY = getattr(os, "O_BINARY", 0)


def create(path: Path) -> int:
    """Make the file unless there is one, and return its inode, which a copy doesn't share."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _BINARY, 0o666))
    sync_folder(path.parent)
    return path.stat().st_ino


def append(path: Path, about: Mapping[str, Any]) -> int:
    """Count an opening, on the disk when this returns, and return its number, from 1.

    Several processes may append at once: the order of the lines is that of the openings. A line
    begins with a line break, so that it doesn't continue one that a killed process left.

    Raises OptionError: the file can't be written, so nothing may be shown.
    """
    token = uuid.uuid4().hex
    text = json.dumps({"id": token, **about}, ensure_ascii=False)
    left = memoryview(f"\n{text}\n".encode())
    try:
        if is_read_only(path):
            raise PermissionError(0, "it is read-only", str(path))
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | _BINARY)
        try:
            while left:
                left = left[os.write(descriptor, left) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise OptionError(
            f"the opening can't be counted in {path}: {error.strerror or error}",
            hint="make the file writable: an opening must be counted before it is shown",
        ) from error
    return 1 + [line.get("id") for line in openings_in(path)].index(token)


def check_plan(path: Path, planned: int, *, stricter: bool) -> None:
    """Refuse an opening beyond the plan, unless a stricter level is asked for."""
    number = len(openings_in(path))
    if number >= planned and not stricter:
        raise OptionError(
            f"{count(number, 'opening')} of {planned} planned: another one is beyond the plan",
            hint=f"{parameter('stricter', True)}, which widens its interval and those of the "
            "earlier ones",
        )


def openings_in(path: Path) -> list[dict[str, Any]]:
    """Return the openings in their order; one that is torn is empty, but counts.

    Raises InputError: the file is gone, and with it the count.
    """
    try:
        content = bytes_of(path)
    except OSError as error:
        raise InputError(
            f"the count of the openings can't be read: {error.strerror or error}",
            path=path,
            hint="put the file back; without it nobody knows how often the rows were looked at",
        ) from None
    return [_understood(line) for line in content.split(b"\n") if line.strip()]


def _understood(line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}
