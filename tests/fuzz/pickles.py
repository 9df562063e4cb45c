"""Mutated pickles: each is read or refused, and Python hears of nothing while that happens.

`python -m tests.fuzz.pickles --cases 1000000` prints how many were read and refused, and fails on
any other exception, on any audit event (an import, a file, a command, compiled code, a name that
pickle looks up), and where an array differs from what numpy unpickles.
"""

import argparse
import base64
import io
import json
import pickle
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from bbccli.errors import InputError
from bbccli.tools.pickles import arrays_of

FROZEN = Path(__file__).parents[1] / "data" / "pickles.json"
NUMBERS = (0, 1, 2, 3, 8, 127, 128, 255, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)
FRAME = b"\x95"
OPCODES = bytes.fromhex(
    "80 95 28 4e 88 89 4b 4d 4a 8a 8b 8c 58 8d 43 42 8e 96 29 85 86 87 74 7d 73"
)
OPCODES += b"uqrhjcRb.]aeiol0123FGISTUVPQ" + bytes([0x81, 0x82, 0x83, 0x84, 0x92, 0x93, 0x94])
OPCODES += bytes([0x8F, 0x90, 0x91, 0x97, 0x98])
NAMES = (
    b"_reconstruct", b"_frombuffer", b"ndarray", b"dtype", b"encode", b"numpy", b"_codecs", b"os",
    b"numpy.core.multiarray", b"numpy._core.multiarray", b"numpy.core.numeric", b"system", b"posix",
    b"numpy._core.numeric", b"numpy.f2py.crackfortran", b"getlincoef", b"builtins", b"eval",
    b"exec", b"__import__", b"__builtin__", b"bytes", b"numpy.__builtins__", b"latin1", b"rot13",
    b"f4", b"f8", b"f2", b"b1", b"u1", b"O8", b"U1", b"V8", b"M8", b"c8", b"f16", b"<", b">", b"|",
    b"utf-8", b"C", b"F", b"K", b"A", b"b",
)  # fmt: skip

_armed = False
_heard: list[str] = []


def frozen() -> Iterator[bytes]:
    """Yield the pickles that numpy 1 and 2 wrote."""
    for kinds in json.loads(FROZEN.read_text()).values():
        for texts in kinds.values():
            yield from map(base64.b64decode, texts.values())


def seeds() -> list[bytes]:
    """Return what is mutated: pickles of arrays, and some of other things."""
    arrays = [np.arange(5, dtype=f"{order}{code}") for order in "<>" for code in ("f2", "i8", "u4")]
    arrays += [np.arange(300, dtype="f8").reshape(3, 100).T, np.arange(70_000, dtype="u1")]
    others: list[Any] = [{"a": arrays[0], "b": 1}, np.array([None]), np.float64(1), np.dtype("V3")]
    others += [np.random.default_rng(0), Path, eval, np.array(["a"]), [1, 2.5, "x"], {"a": {}}]
    return [*frozen(), *(pickle.dumps(one, p) for one in arrays + others for p in (2, 3, 4, 5))]


def mutated(random: Random, known: list[bytes]) -> bytes:
    """Return a pickle after one to four changes."""
    data = random.choice(known)
    if len(data) > 5000 and random.random() < 0.95:
        data = random.choice(known)
    if data[2:3] == FRAME and random.random() < 0.7:  # without it, changes of length go deeper
        data = data[:2] + data[11:]
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        data = _change(data, random, known)
    return data


def _change(data: bytes, random: Random, known: list[bytes]) -> bytes:
    start = random.randrange(len(data) + 1)
    stop = min(start + random.choice((0, 1, 1, 1, 2, 4, 16)), len(data))
    kind = random.randrange(10)
    if kind == 0:
        return data[:start]
    if kind == 1:
        name = random.choice(NAMES)
        place = data.find(random.choice(NAMES))
        if place < 0:
            return data
        end = place
        while data[end : end + 1].isalnum() or data[end : end + 1] in (b"_", b"."):
            end += 1
        length = data[place - 1 : place]
        if [*length] == [end - place]:  # a name can grow beyond a byte
            return data[: place - 1] + bytes([len(name)]) + name + data[end:]
        return data[:place] + name + data[end:]
    if kind == 2:
        other = random.choice(known)
        cut = random.randrange(len(other) + 1)
        more = other[cut : cut + random.choice((1, 4, 30, 200))]
    elif kind == 3:
        width = random.choice((1, 2, 4, 8))
        more = (random.choice(NUMBERS) % 256**width).to_bytes(width, "little")
        stop = min(start + width, len(data))
    elif kind in (4, 5):
        more = bytes([random.choice(OPCODES)])
    elif kind == 6:
        more = data[start:stop] * random.choice((2, 2, 3, 50))
    elif kind == 7:
        more = b""
    elif kind == 8 and start < len(data):
        more, stop = bytes([data[start] ^ 1 << random.randrange(8)]), start + 1
    else:
        more = random.randbytes(random.randrange(5))
    return data[:start] + more + data[stop:]


class _Unpickler(pickle.Unpickler):
    """numpy's own reading, with no name but those that arrays need."""

    def find_class(self, module: str, name: str) -> Any:
        return _REAL[module.replace("numpy.core", "numpy._core"), name]


_REAL = {
    ("numpy._core.multiarray", "_reconstruct"): np.zeros(1).__reduce__()[0],
    ("numpy._core.numeric", "_frombuffer"): np.zeros(1).__reduce_ex__(5)[0],
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("_codecs", "encode"): lambda text, code: {"latin1": text.encode("latin-1")}[code],
    ("builtins", "bytes"): bytes,
    ("__builtin__", "bytes"): bytes,
}


def difference(data: bytes, found: Any) -> str:
    """Return how what was read differs from what numpy unpickles; empty where it does not."""
    expected = _Unpickler(io.BytesIO(data)).load()
    if isinstance(found, np.ndarray) != isinstance(expected, np.ndarray):
        return f"read {type(found)}, not {type(expected)}"
    if isinstance(found, np.ndarray):
        found, expected = {"": found}, {"": expected}
    if list(found) != list(expected):
        return f"read {list(found)}, not {list(expected)}"
    for key, array in expected.items():
        mine, theirs = found[key], array.astype(array.dtype.newbyteorder("="))
        if (mine.dtype, mine.shape, mine.tobytes()) != (
            theirs.dtype,
            theirs.shape,
            theirs.tobytes(),
        ):
            return f"read {mine!r}, not {array!r}"
    return ""


def outcome(data: bytes) -> tuple[str, str]:
    """Read a pickle while Python listens: read, refused or failed, and the message."""
    global _armed  # noqa: PLW0603
    _heard.clear()
    _armed = True
    try:
        found, message = arrays_of(data, "oof.pkl"), ""
    except InputError as error:
        found, message = None, error.problem
    except BaseException as error:
        _armed = False
        return "failed", f"{type(error).__name__}: {error}"
    finally:
        _armed = False
    if _heard:
        return "failed", f"audit events: {_heard[:5]}"
    if found is None:
        whole = message.startswith("oof.pkl: is not a pickled array of numbers: ")
        return ("refused", message) if whole else ("failed", f"other words: {message}")
    try:
        other = difference(data, found)
    except Exception as error:
        other = f"numpy refuses it: {type(error).__name__}: {error}"
    return ("failed", other) if other else ("read", "")


def listen() -> None:
    """Hear every audit event from here on; checked with one that must be heard."""
    global _armed  # noqa: PLW0603

    def hook(event: str, _: tuple[Any, ...]) -> None:
        if _armed:
            _heard.append(event)

    sys.addaudithook(hook)
    _armed = True
    pickle.loads(b"cbuiltins\nlen\n.")
    _armed = False
    assert "pickle.find_class" in _heard


def main() -> int:
    """Run the cases; print one line of JSON, and return 1 where some failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.pickles", description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    random, known, start = Random(asked.seed), seeds(), time.monotonic()
    counts, reasons, failures = Counter[str](), Counter[str](), []
    listen()
    for number in range(asked.cases):
        data = mutated(random, known)
        kind, message = outcome(data)
        counts[kind] += 1
        reasons[message.partition("numbers: ")[2][:24]] += kind == "refused"
        if kind == "failed" and len(failures) < 10:
            failures.append(
                {"case": number, "why": message, "base64": base64.b64encode(data).decode()}
            )
    seconds = round(time.monotonic() - start, 1)
    print(json.dumps({"cases": asked.cases, **counts, "seconds": seconds, "failures": failures,
                      "reasons": dict(reasons.most_common(12))}))  # fmt: skip
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
