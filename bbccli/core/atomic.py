"""Files that are written whole or not at all; devices and pipes are written through."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from bbccli.core.local import check_unread
from bbccli.errors import OptionError

SUFFIX = ".part"

_IN_MEMORY = 2**24
_MOST_LINKS = 40
_LONGEST_STEM = 200
_DESCRIPTOR = re.compile(r"(?:/dev/fd|/proc/(?P<process>\d+|self|thread-self)/fd)/(?P<number>\d+)")


@contextmanager
def replacing(target: Path) -> Iterator[IO[bytes]]:
    """Yield a file that becomes the content of the target at the end of the `with` statement.

    A file is written next to the target and renamed, so no reader ever sees half of it; mode and
    owner of a file that was there are kept, and so are symbolic links, whose end is replaced. A
    device, a pipe or an open descriptor (`/dev/stdout`, `>(command)`) is written through once all
    is known. Nothing is written when the body raises.

    Raises
    ------
    OSError
        The target can't be written; `PermissionError` where it is there and read-only.
    OptionError
        The command has read the target.
    """
    import tempfile

    check_unread(target, str(target))

    if is_stream(target):
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as held:
            yield held
            held.seek(0)
            with _stream(target) as stream:
                shutil.copyfileobj(held, stream)
        return
    target = _end_of_links(target)
    before = _status(target)
    if is_read_only(target):
        raise PermissionError(0, "it is read-only", str(target))
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=_prefix(target), suffix=SUFFIX)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if _made_alike(temporary, before):
            temporary.replace(target)
        else:  # another owner's file that we may write: it stays theirs
            shutil.copyfile(temporary, target)
            temporary.unlink()
        sync_folder(target.parent)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def write_whole(content: bytes, path: str) -> None:
    """Write a file, whole or not at all.

    Raises
    ------
    OptionError
        The file can't be written.
    """
    try:
        with replacing(Path(path)) as file:
            file.write(content)
    except OSError as error:
        raise cannot_write(path, error.strerror or str(error)) from error


def cannot_write(path: str, problem: str) -> OptionError:
    """Return the error about a place that takes no result."""
    return OptionError(
        f"cannot write {path}: {problem}",
        hint="name a file in a folder that exists and can be written to",
    )


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
    """Remove what a process that was killed left next to the target; only for who has its lock."""
    if is_stream(target):
        return
    target = _end_of_links(target)
    for path in target.parent.iterdir():
        if path.name.startswith(_prefix(target)) and path.name.endswith(SUFFIX):
            with suppress(OSError):
                path.unlink()


def is_stream(target: Path) -> bool:
    """True for a path that is written through: a device, a pipe or a descriptor."""
    if _descriptor(target) is not None:
        return True
    found = _status(target)
    return found is not None and not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode))


def is_read_only(target: Path) -> bool:
    """True for an existing file that this process must not write, or nobody by its mode."""
    found = _status(target)
    if found is None:
        return False
    return not os.access(target, os.W_OK) or not found.st_mode & 0o222


def _status(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except (OSError, ValueError):
        return None


def _end_of_links(target: Path) -> Path:
    return Path(os.path.realpath(target)) if target.is_symlink() else target


def _descriptor(target: Path) -> int | None:
    """Number of the open descriptor of this process that a path stands for."""
    path = os.fspath(target)
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(os.path.dirname(path))  # noqa: PTH120 - links of files only
        path = os.path.join(folder, os.path.basename(path))  # noqa: PTH118, PTH119
        found = _DESCRIPTOR.fullmatch(path)
        if found and found["process"] in (None, "self", "thread-self", str(os.getpid())):
            return int(found["number"])
        try:
            path = os.path.join(folder, os.readlink(path))  # noqa: PTH115, PTH118
        except (OSError, ValueError):
            return None
    return None


def _stream(target: Path) -> IO[bytes]:
    number = _descriptor(target)
    # opened by its name, a file behind a descriptor would be truncated and written from its start
    return target.open("wb") if number is None else os.fdopen(os.dup(number), "wb")


def _made_alike(temporary: Path, before: os.stat_result | None) -> bool:
    """Give a new file the mode and owner of the one that it replaces; False if it can't have it."""
    if before is None:
        temporary.chmod(_mode_of_new_files())
        return True
    if _owner(temporary.stat()) != _owner(before):
        try:
            os.chown(temporary, before.st_uid, before.st_gid)
        except (OSError, AttributeError):
            return False
    temporary.chmod(stat.S_IMODE(before.st_mode))
    return True


def _owner(status: os.stat_result) -> tuple[int, ...]:
    return status.st_uid, status.st_gid


def _prefix(target: Path) -> str:
    return f".{target.name[:_LONGEST_STEM]}."


def _mode_of_new_files() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
