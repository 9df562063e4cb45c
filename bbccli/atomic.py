"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

SUFFIX = ".part"


@contextmanager
def replacing(target: Path) -> Iterator[IO[bytes]]:
    """Yield a file beside the target that takes its place at the end of the `with` statement.

    So no reader ever sees half a file. Nothing stays behind when the body raises.

    Raises
    ------
    OSError
        The file can't be written.
    """
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=_prefix(target), suffix=SUFFIX)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_mode_of_new_files())
        temporary.replace(target)
        sync_folder(target.parent)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk, so that a new file outlives a loss of power.

    Not all systems and disks can: what they can't is left out.
    """
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sweep(target: Path) -> None:
    """Remove what a process that was killed left beside the target; only for who has its lock."""
    for path in target.parent.iterdir():
        if path.name.startswith(_prefix(target)) and path.name.endswith(SUFFIX):
            with suppress(OSError):
                path.unlink()


def _prefix(target: Path) -> str:
    return f".{target.name}."


def _mode_of_new_files() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
