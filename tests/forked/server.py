"""A server that has imported what `bbc` imports; its children are the `bbc` of those who ask.

`python server.py SOCKET` serves until its standard input ends. A child takes over the words, the
folder, the variables and the standard streams of its client, runs the entry point as Python would,
and ends as Python ends, buffers and all. What Python does before our first line, such as choosing
an encoding, is not that of a new process: where that matters a test starts a real one.
"""

import fcntl
import gc
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from runpy import run_module

STREAMS = (("stdin", "r", "strict"), ("stdout", "w", "strict"), ("stderr", "w", "backslashreplace"))
LATE = ("bbccli.__main__", "bbccli.metrics.kernels.compiled", "bbccli.batch.cluster")
"""Modules that no usual command needs, and that take long."""

ASIDE = 200
"""Descriptors from here on are out of the way."""

JOBS: dict[int, socket.socket] = {}


def import_all() -> None:
    """Import what the commands import when they run, and start no thread: none would be forked."""
    import bbccli

    for one in walk_packages(bbccli.__path__, "bbccli."):
        if one.name not in LATE:
            import_module(one.name)
    for name in ("pyarrow.csv", "pyarrow.parquet", "pyarrow.compute", "rich.table", "tomllib"):
        import_module(name)
    with suppress(ImportError):  # a fork of an old pyarrow ends by waiting for threads
        import_module("pyarrow.fs").finalize_s3()
    import_module("bbccli.cli.app").program()
    gc.collect()
    gc.freeze()  # lest a child that collects garbage copies every page


def received(client: socket.socket) -> tuple[list[bytes], list[int]]:
    """Return the words of a client, and its folder and streams as descriptors of ours."""
    head, descriptors, _, _ = socket.recv_fds(client, 4, 100)
    left, text = int.from_bytes(head, "big"), b""
    while len(text) < left:
        text += client.recv(left - len(text))
    return text.split(b"\0"), descriptors


def serve(path: str) -> None:
    """Start a child for each client, in the child that is to be one's `bbc` return."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    signal.signal(signal.SIGCHLD, tell)
    os.write(1, b"ready\n")
    while listener in select.select([listener, 0], [], [])[0]:
        client, _ = listener.accept()
        words, descriptors = received(client)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])  # not before it is known
        child = os.fork()
        if child:
            JOBS[child] = client
        else:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for one in (listener, client, *JOBS.values()):
                one.close()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        if not child:
            become(words, descriptors)
            return
        for one in descriptors:
            os.close(one)


def tell(*_: object) -> None:
    """Tell the clients of children that have ended how they ended."""
    while JOBS:
        child, status = os.waitpid(-1, os.WNOHANG)
        if not child:
            return
        with JOBS.pop(child) as client:
            client.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def become(text: list[bytes], descriptors: list[int]) -> None:
    """Take over what a process has from the one that starts it."""
    numbers, count, *rest = text
    given = [int(number) for number in numbers.decode().split(",") if number]
    folder, *aside = (fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, ASIDE) for one in descriptors)
    os.fchdir(folder)
    os.closerange(0, ASIDE)
    for number, one in zip(given, aside, strict=True):
        os.dup2(one, number)
    os.closerange(ASIDE, ASIDE + len(descriptors))
    sys.argv = ["bbc", *map(os.fsdecode, rest[: int(count)])]
    os.environb.clear()
    os.environb.update(one.split(b"=", 1) for one in rest[int(count) :])
    sys.path[0] = ""
    if "UNDRAWN" in os.environ:
        sys.modules["vl_convert"] = None  # as if it were not installed
    encoding, _, errors = os.environ.get("PYTHONIOENCODING", "utf-8").partition(":")
    for number, (name, mode, usual) in enumerate(STREAMS):
        stream = None
        if number in given:
            how = usual if name == "stderr" else errors or usual
            stream = open(  # noqa: SIM115
                number, mode, encoding=encoding, errors=how, newline="\n" if number else None,
                closefd=False, buffering=1 if name == "stderr" or os.isatty(number) else -1,
            )  # fmt: skip
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    import_all()
    serve(sys.argv[1])
    if sys.argv[0] == "bbc":
        run_module("bbccli", run_name="__main__")
