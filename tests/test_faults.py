"""No memory, or a disk that fails, at every call in turn: a clean error, and nothing is lost."""

import os
import re

import pytest
from day import swept
from experiments import FAST, experiment
from faults import failing

from bbccli.cli.app import main

CLEAN = re.compile(r"^(error|failed): .+", re.MULTILINE)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for i in range(3):
        (tmp_path / "runs" / f"{i}").mkdir(parents=True)
        (tmp_path / "runs" / f"{i}" / "p.csv").write_text(experiment(i))
    return tmp_path


COMMANDS = {
    "correct": ("correct", "runs/0/p.csv", "-o", "out.json", *FAST, "--jobs", "1"),
    "convert": ("convert", "runs/0/p.csv", "-o", "out.csv", "--layout", "long"),
    "batch": ("batch", "runs/**/p.csv", "-o", "out.jsonl", *FAST, "--jobs", "1"),
}


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def journal(folder):
    """Lines of results that are on the disk."""
    held = files(folder).get("out.jsonl.journal", b"").splitlines(keepends=True)
    return [line for line in held if line.endswith(b"}\n") and b'"document"' in line]


def injected(folder, capsys, command, kind, step, start=1):
    """Fail the first, second ... call until a run has fewer; return how many failed.

    With a step every so many calls, from `start` on.
    """
    argv = COMMANDS[command]
    assert main([*argv]) == 0
    expected = files(folder)
    results = {name: text for name, text in expected.items() if not name.endswith(".journal")}
    k, count = start, 0
    while True:
        for name in expected:
            (folder / name).unlink()
        capsys.readouterr()
        with failing(k, kind) as fault:
            status = main([*argv])
        err, where = capsys.readouterr().err, f"call {k}, {fault.where}"
        if not fault.where:
            assert status == 0
            return count
        now = files(folder)
        assert "Traceback" not in err, where
        assert not [name for name in now if name not in expected], where
        if status:
            assert status in (2, 5), where
            assert CLEAN.search(err), (where, err)
            assert "a bug" not in "".join(map(str, now.values())), where
        for name, text in results.items():
            assert name not in now or now[name] == text or status == 5, where
        if command == "batch":
            before = journal(folder)
            assert main([*argv, "--resume"]) == 0, where
            assert set(before) <= set(journal(folder)), where
        else:
            assert main([*argv]) == 0, where
        assert {name: files(folder)[name] for name in results} == results, where
        count, k = count + 1, k + step


EVERY = [("disk", 1, 1), *(("memory", start, 7) for start in range(1, 8))]
"""Kind, start and step that are every call together: in parts, for as many processes."""


def sampled():
    """Far apart for memory, of which there are many calls alike; `make slow` takes every one."""
    for command in COMMANDS:
        for kind, step in (("disk", 5), ("memory", 47 if command == "convert" else 97)):
            yield pytest.param(command, kind, 1, 5 * step, 1)
            yield swept(command, kind, 1, step, 5)
        for kind, start, step in EVERY:
            yield pytest.param(command, kind, start, step, 10, marks=pytest.mark.slow)


@pytest.mark.parametrize(("command", "kind", "start", "step", "least"), [*sampled()])
def test_a_fault_at_any_call_is_a_clean_error(folder, capsys, command, kind, start, step, least):
    assert injected(folder, capsys, command, kind, step, start) >= least


@pytest.mark.skipif(os.name == "nt", reason="POSIX limits")
@pytest.mark.parametrize("n_sizes", [4, swept(10), pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_disk_that_is_full_after_any_number_of_bytes_is_a_clean_error(
    folder, capsys, command, n_sizes
):
    """The system writes what fits and refuses the rest, in the middle of a line."""
    import resource

    argv = COMMANDS[command]
    assert main([*argv]) == 0
    expected = files(folder)
    result = max(len(text) for text in expected.values())
    kept = 0
    for size in range(0, result, max(result // n_sizes, 1)):
        for name in files(folder):
            (folder / name).unlink()
        capsys.readouterr()
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            status = main([*argv])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        assert status == 2, size
        assert CLEAN.search(capsys.readouterr().err), size
        assert set(files(folder)) <= {*expected}, size
        before = journal(folder)
        kept += len(before)
        assert main([*argv, *(["--resume"] if command == "batch" else [])]) == 0, size
        assert (
            files(folder)["out.jsonl" if command == "batch" else min(expected)]
            == expected["out.jsonl" if command == "batch" else min(expected)]
        ), size
        if command == "batch":
            assert set(before) <= set(journal(folder)), size
    assert (kept > 0) == (command == "batch")
