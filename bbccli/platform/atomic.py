"""Write files whole or not at all; write devices and pipes through."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from bbccli.errors import OptionError
from bbccli.platform.guarded_files import check_unread

SUFFIX = ".part"

_IN_MEMORY = 2**24
_MOST_LINKS = 40
_LONGEST_STEM = 200
_DESCRIPTOR = re.compile(r"(?:/dev/fd|/proc/(?P<process>\d+|self|thread-self)/fd)/(?P<number>\d+)")


@contextmanager
def replacing(target: Path) -> Iterator[IO[bytes]]:
    """Yield a file whose content replaces the target when the `with` block ends.

    It is written next to the target and renamed, so no reader ever sees half of it; mode and owner
    of an existing file are kept, and of a symbolic link the file it points to is replaced. Devices,
    pipes and open descriptors (`/dev/stdout`, `>(command)`) are written through at the end. Nothing
    is written if the body raises.

    Raises OSError if the target can't be written (PermissionError if it is read-only), and
    OptionError if the command has read it.
    """
    import tempfile

    check_unread(target, str(target))

    if is_stream(target):
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as buffer:
            yield buffer
            buffer.seek(0)
            with _stream(target) as stream:
                shutil.copyfileobj(buffer, stream)
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
        else:  # someone else's file that we may write: keep its owner
            shutil.copyfile(temporary, target)
            temporary.unlink()
        sync_folder(target.parent)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def write_whole(content: bytes, path: str) -> None:
    """Write a file, whole or not at all; an OptionError if it can't be written."""
    try:
        with replacing(Path(path)) as file:
            file.write(content)
    except OSError as error:
        raise cannot_write(path, error.strerror or str(error)) from error


def cannot_write(path: str, problem: str) -> OptionError:
    """Return the error about a place that can't be written."""
    return OptionError(
        f"cannot write {path}: {problem}",
        hint="name a file in an existing, writable folder",
    )


def sync_folder(folder: Path) -> None:
    """Flush a folder to disk, where the system can, so that a new file survives a power cut."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sweep(target: Path) -> None:
    """Remove temporary files of killed processes next to the target; the caller holds its lock."""
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
    status = _status(target)
    return status is not None and not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode))


def is_read_only(target: Path) -> bool:
    """True for an existing file that is not writable for this process, or for anyone."""
    status = _status(target)
    if status is None:
        return False
    return not os.access(target, os.W_OK) or not status.st_mode & 0o222


def _status(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except (OSError, ValueError):
        return None


def _end_of_links(target: Path) -> Path:
    return Path(os.path.realpath(target)) if target.is_symlink() else target


def _descriptor(target: Path) -> int | None:
    """Number of the open descriptor of this process that a path refers to."""
    path = os.fspath(target)
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(os.path.dirname(path))  # noqa: PTH120 - links of files only
        path = os.path.join(folder, os.path.basename(path))  # noqa: PTH118, PTH119
        match = _DESCRIPTOR.fullmatch(path)
        if match and match["process"] in (None, "self", "thread-self", str(os.getpid())):
            return int(match["number"])
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
    """Give a new file the mode and owner of the replaced one; False if that is not possible."""
    if before is None:
        temporary.chmod(mode_of_new(0o666))
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


def mode_of_new(mode: int) -> int:
    """Return what the umask leaves of a mode."""
    mask = os.umask(0)
    os.umask(mask)
    return mode & ~mask
