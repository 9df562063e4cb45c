"""A journal that is damaged, foreign or refused: the whole is kept, the rest stays as it was."""

import json
import os
import random
import sys

import pytest
from day import swept
from experiments import FAST

from bbccli.batch.journal import FINISHED, HEADER, Journal, record_in, sealed

PATTERN = "runs/**/p.csv"
FOREIGN = [
    b'{"id":4,"event":"login"}\n',
    b"my notes\n",
    b"\n",
    b"null\n",
    b"\0\0\0\0\n",
    b"\xff\xfe{}\n",
    b'{"key":"k"}\n',
    b'{"key":"k","path":"p","files":null,"error":{"problem":"x","hint":"","status":2}}\n',
    b"[" * 10**5 + b"\n",
    b"1" * 5000 + b"\n",
]


FINISHED_BATCH: dict[str, bytes] = {}


@pytest.fixture
def twelve(runs, batch):
    """A finished batch of twelve files, and the lines of its journal; it is run once."""
    folder = runs(12)
    if not FINISHED_BATCH:
        assert batch(PATTERN, "-o", "r.jsonl")[0] == 0
        written = [path for path in folder.iterdir() if path.is_file()]
        FINISHED_BATCH.update({path.name: path.read_bytes() for path in written})
    for name, data in FINISHED_BATCH.items():
        (folder / name).write_bytes(data)
    return folder, FINISHED_BATCH["r.jsonl.journal"].splitlines(keepends=True)


def kept(err):
    """How many files were unchanged, by the last words."""
    return int(err.split(", ")[-1].split()[0]) if "unchanged" in err else 0


@pytest.mark.sweep
@pytest.mark.parametrize("foreign", FOREIGN, ids=range(len(FOREIGN)))
def test_a_foreign_line_costs_no_other(twelve, batch, foreign):
    folder, lines = twelve
    path, table = folder / "r.jsonl.journal", (folder / "r.jsonl").read_bytes()
    held = b"".join([*lines[:3], foreign, *lines[4:]])
    path.write_bytes(held)
    assert batch.refused(PATTERN, "-o", "r.jsonl") == (
        "error: r.jsonl.journal: line 4 is damaged, or not of a batch\n"
        "hint: use --resume to keep the intact lines, or delete it to start over\n"
    )
    assert path.read_bytes() == held
    status, out, err = batch(PATTERN, "-o", "r.jsonl", "--resume")
    assert (status, out) == (0, "")
    assert err.replace(next(line for line in err.splitlines(True) if "naive" in line), "") == (
        "r.jsonl.journal: line 4 is damaged, or not of a batch; intact lines are kept\n"
        "12 files done, 11 unchanged\nwrote r.jsonl\n"
    )
    assert (folder / "r.jsonl").read_bytes() == table
    now = path.read_bytes()
    assert now.startswith(held)
    assert record_in(now[len(held) :].removesuffix(FINISHED)) == record_in(lines[3])


@pytest.mark.sweep
def test_a_flipped_bit_anywhere_costs_one_line_at_most(twelve, batch):
    folder, lines = twelve
    path, table = folder / "r.jsonl.journal", (folder / "r.jsonl").read_bytes()
    whole = b"".join(lines)
    rng = random.Random(0)
    for place in [3, *rng.sample(range(len(whole)), 12), len(whole) - 1]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        status, _, err = batch(PATTERN, "-o", "r.jsonl", "--resume")
        assert status == 0
        assert kept(err) >= 12 - 2 * (whole[place : place + 1] == b"\n") - 1
        assert (folder / "r.jsonl").read_bytes() == table


@pytest.mark.sweep
def test_only_the_last_line_is_ever_cut(twelve, batch):
    folder, lines = twelve
    path = folder / "r.jsonl.journal"
    whole = b"".join(lines)
    for place in (1, 7, len(lines[0]), len(lines[0]) + 9, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:place])
        status, _, err = batch(PATTERN, "-o", "r.jsonl", "--resume")
        assert status == 0
        assert kept(err) == max(whole[:place].count(b"\n") - 1, 0)
        end = whole.rfind(b"\n", 0, place) + 1
        assert path.read_bytes().startswith(whole[:end] or HEADER)
        assert len(path.read_bytes().splitlines()) == 14


@pytest.mark.parametrize("options", [("--runner", "dask"), ("--jobs", "2", "--runner", "dask")])
def test_a_refused_batch_writes_nothing(twelve, batch, monkeypatch, options):
    folder, lines = twelve
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    path = folder / "r.jsonl.journal"
    for held in (b"".join(lines), b"".join(lines) + b'{"key":"ab', b"".join(lines[:-1])):
        path.write_bytes(held)
        for resume in ((), ("--resume",)):
            assert batch(PATTERN, "-o", "r.jsonl", *options, *resume)[0] == 2
            assert path.read_bytes() == held
    path.unlink()
    assert batch(PATTERN, "-o", "r.jsonl", *options)[0] == 2
    assert not path.exists()


ANOTHER = b'{"journal":"bbc-batch/1"}\n{"key":"k","files":null}\n'


@pytest.mark.parametrize(
    "text",
    [
        b"my notes",
        swept(b"a,b\n1,2\n"),
        swept(b"\n"),
        swept(b"{}\n" * 9),
        swept(HEADER[:-2] + b"x\n"),
        swept(ANOTHER),
    ],
)
@pytest.mark.parametrize("resume", [(), ("--resume",), ("--resume", "--dry-run")])
def test_a_foreign_file_stays_as_it_is(runs, batch, text, resume):
    path = runs(1) / "r.jsonl.journal"
    path.write_bytes(text)
    path.chmod(0o644)
    err = batch.refused(PATTERN, "-o", "r.jsonl", *resume)
    said = "the journal of another version of bbc\nhint: " if text == ANOTHER else ""
    assert f"error: r.jsonl.journal is {said}" in err
    assert path.read_bytes() == text
    assert path.stat().st_mode & 0o777 == 0o644


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_journal_that_is_no_file_is_one_line(runs, batch):
    os.mkfifo(runs(1) / "r.jsonl.journal")
    err = batch.refused(PATTERN, "-o", "r.jsonl")
    assert err.startswith("error: cannot write r.jsonl.journal: it is not a file\n")


RECORD = {
    "key": "k",
    "path": "p",
    "files": "f",
    "document": {"schema": "bbc/1", "input": {}, "estimates": [], "gate": None},
}
ERROR = {"problem": "", "hint": "", "status": 2}
FAILURE = {"key": "k", "path": "p", "files": None, "error": ERROR}
MISFITS = [
    *({"key": 1}, {"key": None}, {"path": None}, {"files": None}, {"files": 3}),
    *({"document": None}, {"document": []}, {"document": {}}),
    {"document": RECORD["document"] | {"schema": "bbc-error/1"}},
    {"document": RECORD["document"] | {"gate": "met"}},
    {"document": RECORD["document"] | {"estimates": {}}},
    {"error": FAILURE["error"]},
]


@pytest.mark.parametrize("misfit", MISFITS, ids=str)
def test_a_record_has_the_form_of_the_journal(misfit):
    """A checksum that is right does not make a record of what is none."""
    assert record_in(sealed(json.dumps(RECORD) + "\n")) == RECORD
    assert record_in(sealed(json.dumps(FAILURE) + "\n")) == FAILURE
    assert record_in(sealed(json.dumps(RECORD | misfit) + "\n")) is None
    assert record_in(sealed(json.dumps(FAILURE | {"error": {"problem": "x"}}) + "\n")) is None


def test_a_line_that_changes_while_the_batch_runs_is_not_published(twelve, run, monkeypatch):
    folder, _ = twelve
    path, table = folder / "r.jsonl.journal", (folder / "r.jsonl").read_bytes()
    finish = Journal.finish

    def finish_and_damage(journal):
        finish(journal)
        held = path.read_bytes()
        path.write_bytes(held.replace(b'"sha256":"', b'"sha256":"0', 1)[: len(held)])

    monkeypatch.setattr(Journal, "finish", finish_and_damage)
    err = run.refused("batch", PATTERN, "-o", "r.jsonl", *FAST, "--jobs", "1", "--resume")
    assert err.startswith(
        "error: r.jsonl.journal was changed while it was in use\nhint: use --resume"
    )
    assert (folder / "r.jsonl").read_bytes() == table
