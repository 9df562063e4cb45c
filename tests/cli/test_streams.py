"""Streams that are closed, full or left, locales, folders that are gone, and early interrupts."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from day import swept
from experiments import TINY

ROOT = Path(__file__).parents[2]
CORRECT = "bbc correct p.csv --method cvt"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX shells")


REAL = [sys.executable, "-m", "bbccli"]
"""A new process, for one case of each kind and where the start of Python matters."""


@pytest.fixture
def shell(tmp_path, forked):
    (tmp_path / "p.csv").write_text(TINY)

    def of(script, words=forked, **environment):
        bbc = f'bbc() {{ {shlex.join(words)} "$@"; }}; '
        return subprocess.run(
            ["bash", "-c", bbc + script],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
            capture_output=True,
            check=False,
            timeout=600,
        )

    return of


def is_two_lines(err):
    return re.fullmatch(r"error: [^\n]+\nhint: [^\n]+\n", err) is not None


class TestClosed:
    @pytest.mark.parametrize(
        ("script", "err"),
        [
            ("bbc correct - <&-", "error: <stdin>: standard input is closed\nhint: "),
            ("bbc gate - --fail-under 1 <&-", "error: "),
            (f"{CORRECT} >&-", "error: standard output is closed\nhint: "),
        ],
    )
    def test_what_is_needed(self, shell, script, err):
        done = shell(script)
        said = done.stderr.decode()
        assert (done.returncode, is_two_lines(said), said.startswith(err)) == (2, True, True)

    def test_standard_output_is_not_needed(self, shell, tmp_path):
        done = shell(f"{CORRECT} -o r.json -q >&- <&-")
        assert (done.returncode, done.stderr) == (0, b"")
        assert json.loads((tmp_path / "r.json").read_text())

    def test_standard_error(self, shell):
        done = shell(f"{CORRECT} --format json 2>&-")
        assert done.returncode == 0
        assert json.loads(done.stdout)  # and no line that was meant for people
        done = shell("bbc correct none.csv 2>&-")
        assert (done.returncode, done.stdout) == (2, b"")

    def test_all(self, shell, tmp_path):
        assert shell(f"{CORRECT} -o r.json <&- >&- 2>&-", REAL).returncode == 0
        assert shell("bbc batch p.csv -o r.csv --jobs 2 --method cvt <&- >&- 2>&-").returncode == 0
        assert (tmp_path / "r.csv").read_text().count("cvt") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
class TestFull:
    @pytest.mark.parametrize(
        "command", [CORRECT, "bbc --help", "bbc --version", "bbc metrics", "bbc schema"]
    )
    @pytest.mark.parametrize("words", [{}, swept({"words": REAL})])
    def test_standard_output(self, shell, command, words):
        done = shell(f"{command} > /dev/full", **words)
        assert done.returncode == 2
        assert is_two_lines(done.stderr.decode()), done.stderr
        assert b"No space left on device" in done.stderr

    def test_standard_error(self, shell):
        assert shell("bbc correct none.csv 2> /dev/full").returncode == 2
        done = shell(f"{CORRECT} --format json 2> /dev/full")
        assert done.returncode == 0
        assert json.loads(done.stdout)

    def test_output(self, shell):
        done = shell(f"{CORRECT} -q -o /dev/full")
        assert done.returncode == 2
        assert b"cannot write /dev/full: No space left on device" in done.stderr


class TestPipeThatNobodyReads:
    """`true` leaves at once, and the pipe is smaller than the text."""

    @pytest.mark.parametrize(
        ("command", "status"),
        [
            (f"{CORRECT} --format json", 0),
            ("bbc --help", 0),
            ("bbc schema", 0),
            ("bbc correct none.csv", 2),
            ("bbc correct p.csv --method bbc --fail-under 0.99 --gate-on estimate", 3),
        ],
    )
    @pytest.mark.parametrize("words", [{}, swept({"words": REAL})])
    def test_is_no_failure(self, shell, command, status, words):
        script = f"({{ sleep 0.2; {command}; }}; echo $? >&2) | true"
        done = shell(script, **words)
        *said, code = done.stderr.decode().splitlines()
        assert code == str(status)
        expected = ("read:", "note:", "error:", "hint:", "p.csv: gate failed")
        assert [line for line in said if not line.startswith(expected)] == []

    def test_of_messages(self, shell):
        done = shell(f"({{ sleep 0.2; {CORRECT} --format json; }} 2>&3; echo $?) 3>&1 >&4 | true")
        assert b"Traceback" not in done.stderr


class TestLocales:
    NAME = "mod\u00e8le \u65e5"

    @pytest.fixture
    def text(self, tmp_path):
        return TINY.replace("fold,truth,a,b", f"fold,truth,{self.NAME},{self.NAME} 2")

    ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}  # noqa: RUF012

    TWICE = (
        "import sys; from bbccli.cli.app import main\n"
        "for form in sys.argv[1:]:\n"
        "    sys.argv[1:] = ['correct', 'n.csv', '--method', 'cvt', '--format', form]\n"
        "    assert main() == 0\n"
        "    print(end=chr(12), flush=True)"
    )
    """All forms in one real process, for the encodings are chosen when Python starts."""

    @pytest.mark.sweep
    @pytest.mark.parametrize(
        ("forms", "locale"),
        [
            (["table", "json"], ASCII),
            (["csv"], {"PYTHONIOENCODING": "ascii"}),
            (["json"], {"PYTHONIOENCODING": "latin-1"}),
            (["markdown"], {"LC_ALL": "POSIX"}),
        ],
        ids=str,
    )
    def test_names_beyond_ascii(self, shell, tmp_path, text, locale, forms):
        text = text.replace(",0.", ",0.9")
        (tmp_path / "n.csv").write_text(text, encoding="utf-8")
        done = shell(f"bbc {' '.join(forms)}", [sys.executable, "-c", self.TWICE], **locale)
        assert done.returncode == 0, done.stderr
        *all_said, rest = done.stdout.decode("utf-8").split("\f")
        assert rest == ""
        for form, said in zip(forms, all_said, strict=True):
            assert self.NAME in said
            if form == "json":
                assert self.NAME in json.loads(said)["estimates"][0]["winner"]

    @pytest.mark.sweep
    def test_an_error_in_ascii(self, shell, tmp_path, text):
        (tmp_path / "n.csv").write_text(text.replace("0.99", "x"), encoding="utf-8")
        done = shell("bbc correct n.csv --only-ascii \u00e8", REAL, PYTHONIOENCODING="ascii")
        assert (done.returncode, is_two_lines(done.stderr.decode())) == (2, True)


class TestFoldersThatAreGone:
    @pytest.mark.sweep
    def test_absolute_paths_still_work(self, shell, tmp_path):
        gone = "mkdir gone; cd gone; rmdir ../gone; "
        done = shell(f"{gone}bbc correct {tmp_path}/p.csv --method cvt", REAL)
        assert (done.returncode, done.stderr) == (0, b"")

    @pytest.mark.parametrize(
        "command",
        [
            "correct p.csv",
            swept("batch p.csv -o r.csv"),
            swept("--show-config"),
            swept("inspect p.csv -o r.json"),
        ],
    )
    def test_others_say_so_or_work(self, run, tmp_path, monkeypatch, command):
        (tmp_path / "gone").mkdir()
        monkeypatch.chdir(tmp_path / "gone")
        (tmp_path / "gone").rmdir()
        status, out, err = run(*command.split())
        assert status in (0, 2)
        assert status == 0 or is_two_lines(err) or out

    @pytest.mark.skipif(os.name != "nt" and os.geteuid() != 0, reason="needs another user")
    @pytest.mark.parametrize(
        "command",
        [
            "correct closed/p.csv",
            swept("correct 'closed/*.csv'"),
            swept("correct p.csv -o closed/r.json"),
            swept("correct p.csv --distribution closed/d.json"),
            "batch 'closed/**/p.csv' -o r.csv --jobs 1",
            swept("batch closed/m.csv -o r.csv --dry-run"),
            swept("batch p.csv -o closed/r.csv --jobs 1"),
            swept("gate closed/r.json --fail-under 1"),
            swept("convert p.csv -o closed/q.csv"),
        ],
    )
    def test_a_folder_that_cannot_be_searched(self, run, tmp_path, monkeypatch, command):
        (tmp_path / "p.csv").write_text(TINY)
        (tmp_path / "closed").mkdir()
        (tmp_path / "closed" / "p.csv").write_text(TINY)
        (tmp_path / "closed").chmod(0o000)
        tmp_path.chmod(0o777)
        monkeypatch.chdir(tmp_path)
        argv = shlex.split(command)
        run(*argv)  # as root: another user may not be able to import what is used
        os.setegid(12345)
        os.seteuid(12345)
        try:
            status, _, err = run(*argv)
        finally:
            os.seteuid(0)
            os.setegid(0)
        assert "a bug" not in err
        assert status in (2, 5), err
        assert status == 5 or is_two_lines(err) or "inspect" in argv


LARGE = str(ROOT / "sample_data" / "breast_cancer.parquet")
"""Enough work for a million resamples to take longer than any wait here."""


DELAYS = [0.08, swept(0.15), swept(0.3)]
DELAYS += [pytest.param(0.02 + step * 0.02, marks=pytest.mark.slow) for step in range(40)]


@pytest.mark.parametrize("delay", DELAYS)
def test_an_early_interrupt_is_one_line(tmp_path, delay):
    """Wait until the process runs our code, then interrupt it."""
    script = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from bbccli.__main__ import run; os.write(1, b'.'); run()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, "correct", LARGE, "--n-resamples", "1000000"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout.read(1) == b"."
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
    assert err == b"interrupted; no result was written\n"
    assert process.returncode == 130


def test_the_end_does_not_take_the_interpreter_apart():
    """It runs what was registered for it, and frees nothing: threads of Arrow may still do."""
    script = (
        "import atexit, os, sys\n"
        "class Kept:\n"
        "    def __del__(self): os.write(2, b'freed')\n"
        "kept = Kept()\n"
        "atexit.register(os.write, 2, b'registered')\n"
        "from bbccli.__main__ import run; run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "--version"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    assert done.stdout.startswith(b"bbc ")
    assert done.stderr == b"registered"


@pytest.mark.sweep
def test_a_batch_that_nobody_hears_is_whole(shell, tmp_path):
    (tmp_path / "bad.csv").write_text("a\n")
    bbc = "bbc batch p.csv bad.csv --method cvt --jobs 2 -o r.jsonl"
    for end in ("head -1", "true"):
        shell(f"({bbc} 2>&1; echo $? > status) | {end}")
        assert (tmp_path / "status").read_text() == "5\n"
        assert (tmp_path / "r.jsonl").read_text().count("\n") == 2
        (tmp_path / "r.jsonl").unlink()
