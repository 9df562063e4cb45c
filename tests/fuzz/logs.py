"""A number -> logs of an evaluation with some changes, which are read or refused in words.

The logs in tests/data/evaluations are taken: fields are changed, lost, repeated, given another
type, other digits or a deep nesting; in text, in JSON, in lines of JSON, in attributes of XML, and
in the members of an archive of inspect.
"""

import gzip
import io
import json
import re
import struct
import tempfile
import traceback
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

from bbccli import BbcError, read

from .case import Case
from .mutations import mutated, places_in
from .run import in_time, place

LOGS = Path(__file__).parents[1] / "data" / "evaluations"
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 0.5, 1e308, 10**30, 10**400, float("nan"), float("inf"), "",
    "x", "C", "I", "0.5", "\x1b[31m", "=1+1", "NaN", "1e400", "9" * 5000, "2024-01-9", "2024-13-45",
    "23:00", 1704153600000, [], {}, [1], ["x"], [[]], {"a": 1}, {"value": "C"}, [{"a": []}],
)  # fmt: skip
COMMANDS = (
    ("inspect",),
    ("correct", "-q", "--n-resamples", "20", "--jobs", "1", "--format", "json"),
    ("leaderboard", "-q", "--n-resamples", "20", "--jobs", "1"),
    ("compare", "-q", "--n-resamples", "20", "--jobs", "1", "--errors", "zero"),
)
DAMAGED = (ValueError, OSError, RecursionError, struct.error, zipfile.BadZipFile)
COMMAND_IN = 0.03
"""Share of the cases that a command is run on; the others only go through `read`."""


@cache
def sources() -> tuple[dict[str, bytes], ...]:
    """Return folders of real logs, with their files unpacked."""
    files = [path for path in LOGS.glob("*/**/*") if path.is_file()]
    folders = sorted({path.relative_to(LOGS).parts[0] for path in files})
    inner = sorted((LOGS / "inspect_ai").iterdir()) + sorted((LOGS / "lm_eval").iterdir())
    places = [LOGS / name for name in folders if name not in ("inspect_ai", "lm_eval")] + inner
    packed = [one for one in places if one.name == "promptfoo"]
    found = [{_under(one, path): path.read_bytes() for path in files if path.is_relative_to(one)}
             for one in places if one not in packed]  # fmt: skip
    for folder in packed:
        found += [{path.stem: gzip.decompress(path.read_bytes())} for path in folder.iterdir()]
    return tuple(found)


def _under(folder: Path, path: Path) -> str:
    return str(path.relative_to(folder))


def make(seed: int, number: int) -> Case:
    """Return case `number` of the stream `seed`."""
    random = Random(f"logs {seed} {number}")
    folders = sources()
    weights = [1 / (2 + sum(map(len, one.values())) / 5000) for one in folders]  # cheap ones
    files = dict(random.choices(folders, weights)[0])
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        name = random.choice(list(files))
        files[name] = changed(files[name], name, random)
    command = random.choice(COMMANDS) if random.random() < COMMAND_IN else ("read",)
    return Case((*command, "logs"), {f"logs/{name}": data for name, data in files.items()})


def changed(data: bytes, name: str, random: Random) -> bytes:
    """Return the bytes of a log after a change, mostly such that it stays a log."""
    kind = random.random()
    if kind < 0.02:
        return data.decode("utf-8", "replace").encode("utf-16")
    with suppress(*DAMAGED):  # changed before, so that it has no form
        change = CHANGES.get(Path(name).suffix)
        if kind > 0.1 and change is not None:
            return change(data, random)
    return mutated(data, name if kind > 0.1 else "", random)


def _document(data: bytes, random: Random) -> bytes:
    return json.dumps(_other(json.loads(data), random)).encode()


def _other(value: Any, random: Random) -> Any:
    """Return a JSON value with one or two places changed."""
    for _ in range(random.choice((1, 1, 2))):
        places = list(places_in(value))
        if not places:
            return random.choice(ODD)
        container, key = random.choice(places)
        kind = random.randrange(10)
        if kind < 6:
            container[key] = random.choice(ODD)
        elif kind == 6:
            del container[key]
        elif kind == 7:
            container[key] = [container[key]]
        elif kind == 8:
            for _ in range(random.choice((30, 300))):
                container[key] = [container[key]]
        elif isinstance(container, list):
            container.append(container[key])
        else:
            container[str(random.choice(ODD))[:20]] = container[key]
    return value


def _lines(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    at, kind = random.randrange(len(lines)), random.random()
    if kind < 0.1:
        random.shuffle(lines)
    elif kind < 0.2:
        lines.insert(at, random.choice((b"null", b"[]", b"{}", b"", lines[at])))
    else:
        lines[at] = _document(lines[at], random)
    return b"\n".join(lines)


def _attributes(data: bytes, random: Random) -> bytes:
    found = [*re.finditer(rb'="([^"]*)"', data)]
    if not found:
        return mutated(data, "", random)
    one, value = random.choice(found), str(random.choice(ODD))
    text = re.sub('[<>&"\\x1b]', "?", value).encode()
    return data[: one.start(1)] + text + data[one.end(1) :]


def _archive(data: bytes, random: Random) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        inside = ("header.json", "summaries.json", "_journal/start.json")
        held = {
            one.filename: json.loads(
                _unpacked(data, one) if one.compress_type else archive.read(one)
            )
            for one in archive.infolist()
            if one.filename in inside
        }
    if not held:
        raise ValueError
    chosen = random.choice(list(held))
    held[chosen] = _other(held[chosen], random)
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for member, value in held.items():
            archive.writestr(member, json.dumps(value))
    return sink.getvalue()


def _unpacked(data: bytes, member: zipfile.ZipInfo) -> bytes:
    """Bytes of a member that is packed in a way that `zipfile` does not know before Python 3.14."""
    name, extra = struct.unpack_from("<HH", data, member.header_offset + 26)
    start = member.header_offset + 30 + name + extra
    with pa.CompressedInputStream(io.BytesIO(data[start:][: member.compress_size]), "zstd") as file:
        return file.read()


CHANGES = {".eval": _archive, ".json": _document, ".jsonl": _lines, ".xml": _attributes}


def faults(case: Case) -> Iterator[str]:
    """Read the folder of a case: the scores of some matrix, or a refusal of one line."""
    with tempfile.TemporaryDirectory(prefix="bbc-fuzz-") as folder:
        place(Path(folder), case.placed)
        try:
            with in_time(), warnings.catch_warnings():
                warnings.simplefilter("error")
                read(Path(folder) / "logs")
        except BbcError as error:
            if not (error.problem and error.hint) or "\n" in error.problem:
                yield f"a message of more than one line, or of none: {error}"
        except BaseException:
            yield f"an error escapes:\n{traceback.format_exc()}"
