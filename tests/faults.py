"""Faults on purpose: the k-th call of a kind fails, as when memory or a disk fails there."""

import errno
import io
import re
import sys
from collections.abc import Callable
from contextlib import contextmanager

FILES = (io.FileIO, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.TextIOWrapper)
OF_FILES = {"read", "readinto", "readline", "write", "flush", "seek", "truncate", "close"}
OF_SYSTEM = {
    "open",
    "write",
    "fsync",
    "ftruncate",
    "replace",
    "rename",
    "unlink",
    "chmod",
    "fchmod",
}
OF_SYSTEM |= {"scandir", "listdir", "stat", "fstat", "lstat", "flock", "getcwd"}
OF_PYTHON = re.compile(r"importlib|[/\\\\]glob\.py|posixpath|ntpath|genericpath")
"""Modules whose errors are caught there: an import, a pattern, a question whether a file exists."""

OF_ARRAYS = {"empty", "zeros", "array", "asarray", "arange", "concatenate", "dot", "where"}
OF_ARRAYS |= {"bincount", "frombuffer", "fromiter", "lexsort", "copyto", "astype", "copy", "repeat"}
OF_ARRAYS |= {"take", "cumsum", "sort", "argsort", "nonzero", "reshape", "partition", "reduceat"}


def is_io(call) -> bool:
    """Whether a C function asks something of a disk."""
    if call.__module__ in ("posix", "nt", "fcntl", "_io", "io"):
        return call.__name__ in OF_SYSTEM
    return call.__name__ in OF_FILES and isinstance(call.__self__, FILES)


def is_array(call) -> bool:
    """Whether a C function makes an array."""
    if call.__name__ not in OF_ARRAYS:
        return False
    return (call.__module__ or type(call.__self__).__module__).startswith("numpy")


def disk() -> OSError:
    return OSError(errno.EIO, "Input/output error")


def memory() -> MemoryError:
    return MemoryError("Unable to allocate 1.00 GiB for an array")


KINDS = {"disk": (is_io, disk), "memory": (is_array, memory)}


class Fault:
    """Fails the k-th call that `chosen` chooses, and no other."""

    def __init__(self, k: int, chosen: Callable[[object], bool], error: Callable[[], Exception]):
        self.k, self.chosen, self.error = k, chosen, error
        self.seen, self.where = 0, ""

    def __call__(self, frame, event, call):
        if event != "c_call" or not self.chosen(call):
            return
        if self._ours(frame):
            self.seen += 1
            if self.seen == self.k:
                self.where = f"{frame.f_code.co_filename}:{frame.f_lineno} {call.__name__}"
                raise self.error()

    @staticmethod
    def _ours(frame) -> bool:
        """Whether the call is in a module of bbc or was made for one; imports are not."""
        for _ in range(12):
            if frame is None or OF_PYTHON.search(frame.f_code.co_filename):
                return False
            if frame.f_code.co_name == "array_equal":  # of arrays it makes none, and it catches all
                return False
            if "/bbccli/" in frame.f_code.co_filename:
                return True
            frame = frame.f_back
        return False


@contextmanager
def failing(k: int, kind: str):
    """Let the k-th call of a kind fail in the body of a `with` statement."""
    fault = Fault(k, *KINDS[kind])
    sys.setprofile(fault)
    try:
        yield fault
    finally:
        sys.setprofile(None)
