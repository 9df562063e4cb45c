"""A number -> the folder of a run with some changes, and whether what is read of it is true.

All runs in tests/data/runs are taken: a file is changed, emptied, cut, lost, copied, renamed,
linked, or exchanged with another of the same or of another run; so are folders. What is read is
compared with what the unharmed run gives: a difference must be refused or told.
"""

import io
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from bbccli import METRICS, BbcError, PredictionMatrix, read
from bbccli.domain.source import ToolRun
from bbccli.metrics import canonical, fitting
from bbccli.platform import arrays
from bbccli.reading import Roles
from bbccli.stats.verification import verified

from .case import REAL, RUN, Case, Content, Link, tree_of
from .mutations import mutated
from .run import in_time, place

TREES = tuple(
    sorted(
        str(path.relative_to(REAL))
        for path in (*REAL.iterdir(), *(REAL / "tabrepo").glob("*/0"))
        if path.is_dir() and path.name not in ("tabrepo", "__pycache__")
    )
)
TARGETS = ("no/where", ".", "..", "/dev/zero", "/dev/null", "/dev/full", "/")
COMMAND_IN = 0.15
"""Share of the cases that a command is run on too; all go through `read`."""
COMMANDS = (
    ("inspect",),
    ("inspect", "--format", "json"),
    ("correct", "-q", "--n-resamples", "20", "--jobs", "1", "--format", "json"),
    ("correct", "-q", "--n-resamples", "20", "--jobs", "1", "--no-verify", "--format", "json"),
    ("correct", "-q", "--n-resamples", "20", "--jobs", "1", "--include", "all"),
    ("leaderboard", "-q", "--n-resamples", "20", "--jobs", "1"),
    ("compare", "-q", "--n-resamples", "20", "--jobs", "1"),
    ("convert", "-q", "-o", "o.csv"),
    ("convert", "-q", "-o", "o.parquet", "--layout", "long"),
    ("batch", "-q", "-o", "o.csv", "--n-resamples", "20", "--jobs", "1"),
)


def make(seed: int, number: int) -> Case:
    """Return case `number` of the stream `seed`."""
    random = Random(f"trees {seed} {number}")
    tree = random.choices(TREES, [1 / (5 + len(tree_of(one))) for one in TREES])[0]  # cheap ones
    files: dict[str, Content] = dict(tree_of(tree))
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        _change(files, random)
    before = tree_of(tree)
    gone: dict[str, Content] = dict.fromkeys(before.keys() - files.keys())
    changed = gone | {name: data for name, data in files.items() if before.get(name) != data}
    command = random.choice(COMMANDS) if random.random() < COMMAND_IN else ("read",)
    return Case((*command, *_words(tree)), changed, tree)


def _words(tree: str) -> tuple[str, ...]:
    labels = f"{RUN}/train.csv"
    return (RUN, *(("--labels", labels, "--truth", "target") if labels in tree_of(tree) else ()))


def _change(files: dict[str, Content], random: Random) -> None:
    """Change one file, or one folder with all that it holds."""
    names = sorted(name for name, data in files.items() if isinstance(data, bytes))
    if not names:
        return
    name, other = random.choice(names), random.choice(names)
    kind = random.randrange(20)
    alike = [one for one in names if Path(one).suffix == Path(name).suffix]
    if kind < 7:
        files[name] = mutated(_bytes(files, name), name, random)
    elif kind < 11:
        files[name] = nudged(_bytes(files, name), name, random)
    elif kind == 11:
        del files[name]
    elif kind == 12:
        files[name] = random.choice((b"", b"\0" * 100, b"[" * 100_000, b"1" * 5000, b"{}", b"[]"))
    elif kind == 13:
        files[name] = _bytes(files, name)[: random.randrange(len(_bytes(files, name)) + 1)]
    elif kind == 14:  # exchanged with one of the same run
        other = random.choice(alike)
        files[name], files[other] = files[other], files[name]
    elif kind == 15:  # one of another run in its place
        strangers = tree_of(random.choice(TREES))
        fitting = [one for one in strangers if Path(one).suffix == Path(name).suffix]
        files[name] = strangers[random.choice(fitting)] if fitting else files[other]
    elif kind == 16:  # copied, or renamed
        new = str(Path(random.choice(alike)).with_name(_name(name, random)))
        files[new] = files[name] if random.random() < 0.5 else files.pop(name)
    elif kind == 17:
        own = Path(name).name
        files[name] = Link(random.choice((*TARGETS, own, Path(other).name)))
    else:
        _change_folder(files, str(Path(name).parent), random)


def _change_folder(files: dict[str, Content], folder: str, random: Random) -> None:
    inside = [name for name in files if name.startswith(f"{folder}/")]
    kind = random.randrange(4 if folder != RUN else 1)
    if kind == 0:
        new = f"{RUN}/{_name(folder, random)}"
        files |= {new + name[len(folder) :]: files[name] for name in inside}
    elif kind == 1:
        new = f"{RUN}/{_name(folder, random)}"
        files |= {new + name[len(folder) :]: files.pop(name) for name in inside}
    else:
        for name in inside:
            del files[name]
        if kind == 3:
            files[folder] = random.choice((b"", Link("."), Link("/")))


def _name(path: str, random: Random) -> str:
    name = Path(path).name
    number = random.choice(("0", "1", "2", "3", "10", "99", "-1", "x", ""))
    digits = [i for i, letter in enumerate(name) if letter.isdigit()]
    if digits and random.random() < 0.6:
        at = random.choice(digits)
        return name[:at] + number + name[at + 1 :]
    return random.choice((f"copy of {name}", f"{name}.bak", f"0{name}", name.upper(), f".{name}"))


def _bytes(files: Mapping[str, Content], name: str) -> bytes:
    content = files[name]
    assert isinstance(content, bytes)
    return content


def nudged(data: bytes, name: str, random: Random) -> bytes:
    """Return the bytes of a file after a change that keeps its form: other numbers or rows."""
    try:
        if name.endswith(".csv"):
            return _other_cells(data, random)
        if name.endswith(".npz"):
            return _other_arrays(data, random)
        if name.endswith(".npy") and data.startswith(b"\x93NUMPY"):
            sink = io.BytesIO()
            np.save(sink, _other_values(np.load(io.BytesIO(data)), random))
            return sink.getvalue()
        if name.endswith(".dat"):
            return _other_values(np.frombuffer(data, "<f4"), random).tobytes()
    except (
        ValueError,
        LookupError,
        TypeError,
        OverflowError,
    ):  # changed before, so that it has no form to keep
        pass
    return mutated(data, name, random)


def _other_cells(data: bytes, random: Random) -> bytes:
    header, *rows = [line.split(",") for line in data.decode().splitlines()]
    columns = range(len(header))
    change = random.randrange(6)
    if change == 0:
        row, column = random.choice(rows), random.choice(columns)
        row[column] = str(round(float(row[column]) + random.choice((-1, 1, 0.3, 1e-4, -0.05)), 6))
    elif change == 1:
        at, other = random.sample(range(len(rows)), 2)
        rows[at], rows[other] = rows[other], rows[at]
    elif change == 2:
        random.shuffle(rows)
    elif change == 3:  # two columns are exchanged, with or without their names
        one, two = random.sample(columns, 2)
        for row in rows if random.random() < 0.5 else [header, *rows]:
            row[one], row[two] = row[two], row[one]
    elif change == 4:
        column, values = random.choice(columns), list(rows)
        random.shuffle(values)
        for row, value in zip(rows, [row[column] for row in values], strict=True):
            row[column] = value
    else:
        del rows[random.randrange(len(rows)) :: random.choice((2, 10, len(rows)))]
    return "\n".join(",".join(row) for row in [header, *rows]).encode() + b"\n"


def _other_arrays(data: bytes, random: Random) -> bytes:
    """A file of a recording: other numbers, or another description."""
    held = arrays.arrays_in_npz(data)
    name = random.choice(list(held))
    if name == "about":
        text = mutated(held[name].tobytes(), "about.json", random)
        held[name] = np.frombuffer(text, np.uint8)
    elif random.random() < 0.1:
        del held[name]
    else:
        held[name] = _other_values(held[name], random)
    return arrays.packed(held)


def _other_values(values: np.ndarray, random: Random) -> np.ndarray:
    flat = values.copy().reshape(-1)
    change = random.randrange(8)
    if not flat.size:
        return values
    at = random.randrange(flat.size)
    if change == 0 and flat.dtype.kind == "f":
        flat[at] = random.choice((np.nan, np.inf, 1e30, -1.0, 0.5, 2.0))
    elif change == 0:
        flat[at] = random.choice((0, 1, 2, 100, -1)) if flat.dtype.kind == "i" else 0
    elif change == 1:
        np.random.default_rng(at).shuffle(flat)
    elif change == 2:
        other = random.randrange(flat.size)
        flat[[at, other]] = flat[[other, at]]
    elif change == 3:
        flat = flat[:at]
    elif change == 4:
        return values.reshape(-1, 1) if values.ndim == 1 else flat
    elif change == 5:
        return values.astype(random.choice(("f2", "f4", ">f8", "i4", "u1", "U5", "?", "i8")))
    elif change == 6:
        return values[::-1]
    else:
        flat[at] = flat[at] + flat.dtype.type(1)
    return flat.reshape(values.shape) if flat.size == values.size else flat


@dataclass(frozen=True)
class Seen:
    """What the public door gives of a folder, as far as it can be compared."""

    n_samples: int
    performances: Mapping[str, float]
    n_checked: int
    reason: str | None
    said: frozenset[str]


def faults(case: Case) -> Iterator[str]:
    """Read the folder of a case, and say what is wrong without a word of it."""
    with tempfile.TemporaryDirectory(prefix="bbc-fuzz-") as folder:
        place(Path(folder), case.placed)
        try:
            with in_time(), warnings.catch_warnings():
                warnings.simplefilter("error")
                seen = _seen(Path(folder), case.tree)
        except BbcError as error:
            if not (error.problem and error.hint) or "\n" in error.problem:
                yield f"a message of more than one line, or of none: {error}"
            return
        except BaseException:
            yield f"an error escapes:\n{traceback.format_exc()}"
            return
    before = unharmed(case.tree)
    if seen.said - before.said or seen.reason != before.reason:
        return
    if seen.n_samples != before.n_samples:
        yield f"{seen.n_samples} samples in place of {before.n_samples}"
    described = any(name.endswith(".npz") and _claims(name, case) for name in case.files)
    if seen.n_checked < before.n_checked and not described:
        yield f"{seen.n_checked} scores checked in place of {before.n_checked}"
    if not before.n_checked or any(_claims(name, case) for name in case.files):
        return
    lost = sorted(before.performances.keys() - seen.performances.keys())
    if len(seen.performances) < len(before.performances):
        yield f"without {lost}"
    if not lost:  # else what a recording says of them changed their names
        for name, value in before.performances.items():
            now = seen.performances.get(name, value)
            if abs(now - value) > 2e-3 * max(1.0, abs(value)) or np.isnan(now) > np.isnan(value):
                yield f"{name} has {now} in place of {value}"


@cache
def unharmed(tree: str) -> Seen:
    """What the run gives as it is."""
    with tempfile.TemporaryDirectory(prefix="bbc-fuzz-") as folder:
        place(Path(folder), Case((), {}, tree).placed)
        return _seen(Path(folder), tree)


def _seen(folder: Path, tree: str) -> Seen:
    labels = folder / RUN / "train.csv"
    apart = f"{RUN}/{labels.name}" in tree_of(tree)
    how = {"labels": labels, "roles": Roles(truth="target")} if apart else {}
    matrix = verified(read(folder / RUN, **how))
    run, found = matrix.source.run, matrix.source.verification
    said = {note.text for note in matrix.notes}
    said |= {f"{one.name}: {one.reason}" for one in run.left_out}
    said |= {f"{one.name}: {one.reason}" for one in matrix.source.left_out}
    n_checked, reason = (0, None) if found is None else (found.n_checked, found.reason)
    return Seen(matrix.n_samples, _performances(matrix, run), n_checked, reason, frozenset(said))


def _performances(matrix: PredictionMatrix, run: ToolRun) -> dict[str, float]:
    """Of each configuration on all samples of the first repeat; NaN where there is no metric."""
    values = np.full(matrix.n_configurations, np.nan)
    name = canonical(run.leaderboard[0].metric, METRICS) if run.leaderboard else ""
    metric = next((one for one in fitting(matrix) if one.name == name), None)
    if metric is not None:
        scorer = metric.bind(matrix.outcome, matrix.predictions[0])
        values = scorer(np.ones((1, matrix.n_samples), np.uint8))[0]
    return dict(zip(matrix.configurations, map(float, values), strict=True))


def _claims(name: str, case: Case) -> bool:
    """Whether a change is one of what a run says of itself, which may be believed."""
    if not name.endswith(".npz"):
        return name.endswith((".json", ".log")) or "leaderboard" in name
    try:
        before, now = (
            arrays.arrays_in_npz(_bytes(one, name)) for one in (tree_of(case.tree), case.files)
        )
        return before["about"].tobytes() != now["about"].tobytes()
    except (ValueError, KeyError, AssertionError):
        return False
