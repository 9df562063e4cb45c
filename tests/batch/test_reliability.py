"""Kills, full disks, two batches at once: nothing is lost, nothing half-written is read."""

import errno
import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from experiments import FAST, command, environment, experiment, serve_in_vain, serve_never

from bbccli.batch import local
from bbccli.batch.journal import HEADER, Journal

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX signals and limits")
PATTERN = "runs/**/p.csv"
PACKAGE = Path(__file__).parents[2] / "bbccli"


def start(folder, *argv):
    return subprocess.Popen(
        command("batch", PATTERN, "-o", "r.jsonl", *FAST, *argv),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def kept(folder):
    """Keys in the journal, whose lines must all be whole but for the last."""
    path = folder / "r.jsonl.journal"
    if not path.exists():
        return set()
    *whole, rest = path.read_bytes().split(b"\n")
    records = [json.loads(line) for line in whole]
    assert not rest or HEADER.startswith(rest) or rest.startswith(b"{")
    return {record["key"] for record in records if "key" in record}


def kill_and_resume(folder, run, n_kills, n_caught):
    """Kill a batch at random moments, so often in the middle at least, then let it end."""
    assert run("batch", PATTERN, "-o", "ref.jsonl", *FAST, "--jobs", "1")[0] == 0
    expected, rng = (folder / "ref.jsonl").read_bytes(), random.Random(0)
    total, before, caught = expected.count(b"\n"), set(), 0
    for tried in range(10 * n_kills):  # on a busy machine a kill may come late
        if tried >= n_kills and caught >= n_caught:
            break
        if len(before) == total:  # all is done: from the start once more
            (folder / "r.jsonl.journal").unlink()
            (folder / "r.jsonl").unlink(missing_ok=True)
            before = set()
        batch = start(folder, "--jobs", "2", "--resume")
        # a moment of the work, or of the start, which has nothing to show
        left = max(n_kills - tried, 1)
        most = max(2 * (total - len(before)) // (left + 1), total // 20)
        goal = min(len(before) + rng.randint(0, most), total - 1)
        while batch.poll() is None and len(kept(folder)) < goal:
            time.sleep(0.005)
        time.sleep(rng.random() * (0.05 if goal > len(before) else 2))
        os.killpg(batch.pid, signal.SIGKILL)  # the workers too, at the same moment
        batch.communicate()
        now = kept(folder)
        assert before <= now
        caught += len(before) < len(now) < total
        before = now
        if (folder / "r.jsonl").exists():
            assert (folder / "r.jsonl").read_bytes() == expected
    last = start(folder, "--jobs", "2", "--resume")
    _, err = last.communicate()
    assert last.returncode == 0, err
    assert int((re.search(r"(\d+) unchanged", err) or [0, 0])[1]) >= len(before)
    assert (folder / "r.jsonl").read_bytes() == expected
    assert [path.name for path in folder.iterdir() if path.name.endswith(".part")] == []
    assert caught >= n_caught


@posix
@pytest.mark.parametrize(
    ("n_files", "n_kills", "n_caught"),
    [
        pytest.param(40, 2, 1, marks=pytest.mark.sweep, id="2"),
        pytest.param(300, 100, 50, marks=pytest.mark.slow, id="100"),
    ],
)
def test_a_batch_killed_at_random_moments_loses_nothing(runs, run, n_files, n_kills, n_caught):
    kill_and_resume(runs(n_files), run, n_kills, n_caught)


@pytest.mark.sweep
@posix
def test_workers_end_with_a_killed_parent(runs):
    folder = runs(60)
    (folder / "held.py").write_text(HELD)
    batch = start(folder, "--jobs", "2", "--metric", "held:M")
    while not (folder / "begun").exists() and batch.poll() is None:
        time.sleep(0.005)
    children = _children(batch.pid)
    batch.kill()
    batch.communicate()
    (folder / "killed").touch()
    assert children
    until = time.monotonic() + 100
    while any(_alive(pid) for pid in children) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(_alive(pid) for pid in children)


HELD = """
import time
from dataclasses import replace
from pathlib import Path

from bbccli import METRICS


def bind(outcome, predictions):
    Path("begun").touch()
    while not Path("killed").exists():
        time.sleep(0.01)
    return METRICS["auc"].bind(outcome, predictions)


M = replace(METRICS["auc"], name="m", bind=bind)
"""


def _children(pid):
    listing = ["ps", "-o", "pid=", "--ppid", str(pid)]
    found = subprocess.run(listing, check=False, capture_output=True, text=True)
    return [int(word) for word in found.stdout.split() if _alive(int(word))]


def _alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


TWO = (PATTERN, "-o", "r.jsonl", *FAST, "--jobs", "2")


@pytest.mark.sweep
@posix
def test_a_worker_that_dies_is_replaced_and_its_file_done(runs, run, deadly):
    folder = runs(6)
    words = ("batch", *TWO, "--metric", deadly(times=1))
    (folder / "runs/001/p.csv").write_text(experiment(1, n_samples=26))
    assert run(*words)[2].endswith("\n6 files done\nwrote r.jsonl\n")
    found = (folder / "r.jsonl").read_bytes()
    assert (folder / "deaths").read_text() == "x"
    alone = [{"2": "1"}.get(word, word) for word in words]
    assert run(*alone)[0] == 0
    assert (folder / "r.jsonl").read_bytes() == found


@pytest.mark.sweep
@posix
@pytest.mark.usefixtures("quick_starts")
def test_a_file_that_costs_too_many_workers_is_a_failure(runs, run, deadly):
    folder = runs(6)
    (folder / "runs/001/p.csv").write_text(experiment(1, n_samples=26))
    status, _, err = run("batch", *TWO, "--metric", deadly(times=9))
    assert status == 5
    assert err.splitlines()[1:-1] == [
        "failed: runs/001/p.csv: 2 worker processes died on this file: SIGKILL",
        "6 files done, 1 without a result",
    ]
    assert (folder / "deaths").read_text() == "xx"
    records = [json.loads(line) for line in (folder / "r.jsonl").read_text().splitlines()]
    assert ["error" in record for record in records] == [i == 1 for i in range(6)]
    assert records[1]["error"]["hint"] == "it may need more memory than there is; use fewer --jobs"


@posix
@pytest.mark.usefixtures("quick_starts")
def test_workers_killed_while_they_start_are_replaced(runs, run, monkeypatch):
    folder = runs(6)
    monkeypatch.setattr(local, "_serve", serve_in_vain)
    assert run("batch", *TWO)[2].endswith("\n6 files done\nwrote r.jsonl\n")
    assert len((folder / "starts").read_text()) == 5


@posix
@pytest.mark.usefixtures("quick_starts")
def test_starts_that_always_fail_are_one_line(runs, run, monkeypatch):
    folder = runs(2)
    for serve, problem in (
        (sys.exit, "can't be started: exit status"),
        (serve_never, "are killed before they start to work: SIGKILL, 6 times in a row\nhint: "),
    ):
        monkeypatch.setattr(local, "_serve", serve)
        assert run.refused("batch", *TWO).startswith(f"error: worker processes {problem}")
    assert len((folder / "starts").read_text()) <= 7


def test_a_process_that_the_system_refuses_is_one_line(runs, run, monkeypatch):
    def refuse(_):
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    runs(2)
    monkeypatch.setattr(multiprocessing.get_context("spawn").Process, "start", refuse)
    err = run.refused("batch", *TWO)
    assert err.startswith("error: worker processes can't be started: Resource temporarily unav")


def line(key):
    """What a worker says of a file without a result."""
    error = {"problem": "p: no", "hint": "", "status": 2}
    return json.dumps({"key": key, "path": "p", "files": None, "error": error}) + "\n"


def test_lines_are_on_the_disk_when_they_are_told_to_be(tmp_path, monkeypatch):
    """What is written and not synchronised is lost with the power, not with the process."""
    path, on_disk, folders, sync = tmp_path / "r.jsonl.journal", [b""], [], os.fsync

    def fsync(descriptor):
        sync(descriptor)
        if os.path.samestat(os.fstat(descriptor), tmp_path.stat()):
            folders.append(descriptor)
            return
        assert os.path.sameopenfile(descriptor, journal.file.fileno())
        on_disk.append(path.read_bytes())

    with Journal.opened(path, resume=True) as journal:
        monkeypatch.setattr(os, "fsync", fsync)
        for number in range(3):
            journal.append([line(f"{number}{part}") for part in "ab"])
            assert on_disk[-1] == path.read_bytes()
            assert on_disk[-1].startswith(HEADER)
            assert f'"{number}b"'.encode() in on_disk[-1]
        journal.finish()
        assert on_disk[-1] == path.read_bytes()
        assert len(on_disk) == 5
        assert len(folders) == 1  # or else the journal itself has no name after a loss of power


def test_a_result_and_its_name_are_on_the_disk(runs, run, monkeypatch):
    folder, order = runs(1), []
    sync, replace = os.fsync, Path.replace

    def fsync(descriptor):
        sync(descriptor)
        of_folder = os.path.samestat(os.fstat(descriptor), folder.stat())
        order.append("folder" if of_folder else "file")

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", lambda *args: order.append("rename") or replace(*args))
    run.printed("correct", "runs/000/p.csv", *FAST, "-o", "r.json")
    assert order == ["file", "rename", "folder"]
    assert json.loads((folder / "r.json").read_text())["estimates"]


@posix
def test_two_batches_with_one_output_refuse(runs, batch):
    folder = runs(1)
    with Journal.opened(folder / "r.jsonl.journal", resume=False):
        err = batch.refused(PATTERN, "-o", "r.jsonl")
    assert err.startswith("error: another batch is writing r.jsonl\nhint: ")
    assert batch(PATTERN, "-o", "r.jsonl")[0] == 0


def test_a_stopped_batch_is_not_begun_anew_unasked(runs, batch):
    folder = runs(2)
    with Journal.opened(folder / "r.jsonl.journal", resume=False) as journal:
        journal.append([line("k")])
    err = batch.refused(PATTERN, "-o", "r.jsonl")
    assert "r.jsonl.journal holds the results of an interrupted batch" in err
    assert "--resume" in err
    assert batch(PATTERN, "-o", "r.jsonl", "--resume")[0] == 0


@pytest.mark.parametrize("name", ["batch", "correct"])
def test_a_folder_that_is_read_only_is_one_line(runs, run, name):
    folder = runs(1)
    shut = folder / "shut"
    shut.mkdir()
    shut.chmod(0o555)
    if os.access(shut, os.W_OK):  # root may write anywhere, but not there
        shut = Path("/proc/self")
        if not shut.exists():
            pytest.skip("nothing is read-only for this user")
    error, hint = run.refused(name, "runs/000/p.csv", "-o", shut / "r.csv", *FAST).splitlines()
    assert error.startswith("error: cannot write ")
    assert hint.startswith("hint: ")


def test_no_pickle_is_ever_loaded():
    """Between our own processes pickles travel; no file is ever one."""
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text()
        if path == PACKAGE / "batch" / "parts.py":  # packs calls for our own workers
            assert not re.search(r"\bopen\b|\bPath\b|read_bytes|\bread\b", text)
            continue
        assert not re.search(
            r"allow_pickle(?!=False)|pickle\.loads?\b|import c?pickle|joblib\.load", text
        )
        assert not re.search(r"\b(np|numpy)\.load\b|read_pickle|torch\.load|marshal\.load", text)


FULL = """
mkdir disk && mount -t tmpfs -o size=$0 tmpfs disk || exit 99
"$@" 2> first.err; echo $? > first.status
ls -A disk > left; cp disk/r.jsonl.journal kept; cp disk/r.jsonl early
mount -o remount,size=8m disk
"$@" --resume 2> then.err; echo $? > then.status
cp disk/r.jsonl then.jsonl; ls -A disk > after
"""


@pytest.mark.sweep
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="namespaces of Linux")
@pytest.mark.parametrize(
    ("size", "jobs"), [("4k", "1"), ("64k", "1"), ("fits but for the table", "1"), ("64k", "2")]
)
def test_a_disk_that_fills_up_keeps_what_fits(runs, run, process, size, jobs):
    folder = runs(40)
    words = ("batch", PATTERN, *FAST, "--jobs", jobs, "-o")
    assert run(*words, "ref.jsonl")[0] == 0
    table, journal = ((folder / name).stat().st_size for name in ("ref.jsonl", "ref.jsonl.journal"))
    if "table" in size:
        size = f"{(journal // 4096 + 2) * 4}k"
        assert journal + table > int(size[:-1]) * 1024
    done = process("unshare", "-rm", "bash", "-c", FULL, size, *command(*words, "disk/r.jsonl"))
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip("no file systems can be mounted here")
    said = {name: (folder / name).read_text() for name in ("first.err", "first.status", "left")}
    assert said["first.status"] == "2\n"
    error, hint = said["first.err"].splitlines()
    assert re.match(r"error: cannot write disk/r.jsonl(.journal)?: No space left on device$", error)
    assert hint.startswith("hint: ")
    assert set(said["left"].split()) <= {"r.jsonl.journal"}  # no table, and nothing half-written
    whole = (folder / "kept").read_bytes().count(b'"key"') if (folder / "kept").exists() else 0
    assert (folder / "then.status").read_text() == "0\n"
    kept_now = re.search(r"(\d+) unchanged", (folder / "then.err").read_text())
    assert int(kept_now[1] if kept_now else 0) >= whole - 1
    assert (folder / "then.jsonl").read_bytes() == (folder / "ref.jsonl").read_bytes()
    assert set((folder / "after").read_text().split()) == {"r.jsonl", "r.jsonl.journal"}
    assert whole > 10 or size == "4k"
