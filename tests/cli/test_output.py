"""What a terminal gets, and what a pipe or a file."""

import sys
import time

import pytest
from day import swept

from bbccli.cli import shared
from bbccli.platform.resources import enter, silent
from bbccli.use_cases import Analysis
from bbccli.use_cases.correct import answer


def terminal(monkeypatch, *streams):
    for name in streams:
        monkeypatch.setattr(getattr(sys, name), "isatty", lambda: True)


def test_a_pipe_has_the_width_of_columns(run, samples, monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    argv = ("correct", samples / "progression.parquet", "--method", "cvt", "--side", "pessimistic")
    widest = {}
    for columns in (60, 80, 200):
        monkeypatch.setenv("COLUMNS", str(columns))
        widest[columns] = max(map(len, run(*argv)[1].splitlines()))
    assert widest[60] <= 60 < widest[80] <= 80 < widest[200] <= 200


LINE = "a-long-name " * 10 + "/a/path/that/is/longer/than/the/terminal/is/wide"


class TestSay:
    def test_a_pipe_gets_one_line(self, run, monkeypatch):
        monkeypatch.setenv("COLUMNS", "30")
        assert run.refused("correct", LINE).startswith(f"error: {LINE}: no such file\nhint: ")

    def test_a_terminal_gets_whole_words(self, run, monkeypatch):
        monkeypatch.setenv("COLUMNS", "32")
        terminal(monkeypatch, "stderr")
        lines = run.refused("correct", LINE).partition("\nhint: ")[0].splitlines()
        assert len(lines) > 5
        assert " ".join(lines).split() == f"error: {LINE}: no such file".split()
        assert all(len(line) <= 32 for line in lines if " " in line)


class TestBar:
    @pytest.fixture(autouse=True)
    def impatient(self, monkeypatch, capsys):
        monkeypatch.setattr(shared, "PATIENCE_SECONDS", -1.0)

    @staticmethod
    def work(**options):
        with shared.progress_bar(**options) as progress:
            for done in range(3):
                progress(done, 3)
        return progress

    def test_one_on_a_terminal_unless_quiet(self, monkeypatch, capsys):
        assert self.work(quiet=False) is silent
        terminal(monkeypatch, "stderr")
        assert self.work(quiet=True) is silent
        assert capsys.readouterr() == ("", "")
        assert self.work(quiet=False) is not silent
        assert "resampling" in capsys.readouterr().err

    def test_it_names_what_is_done(self, monkeypatch, capsys):
        terminal(monkeypatch, "stderr")
        with shared.progress_bar(quiet=False) as progress:
            enter(progress, "reading")
            enter(progress, "resampling bbc")
            progress(1_000, 2_000)
        shown = capsys.readouterr().err
        assert "resampling bbc" in shown
        assert "1,000 of 2,000" in shown

    def test_it_appears_while_nobody_calls(self, monkeypatch, capsys):
        monkeypatch.setattr(shared, "PATIENCE_SECONDS", 0.05)
        terminal(monkeypatch, "stderr")
        with shared.progress_bar(quiet=False) as progress:
            enter(progress, "reading")
            shown, until = "", time.monotonic() + 60
            while "reading" not in shown and time.monotonic() < until:
                time.sleep(0.01)
                shown += capsys.readouterr().err
        assert "reading" in shown

    def test_quick_work_shows_none(self, monkeypatch, capsys):
        monkeypatch.setattr(shared, "PATIENCE_SECONDS", 60.0)
        terminal(monkeypatch, "stderr")
        self.work(quiet=False)
        assert capsys.readouterr().err == ""

    def test_it_is_never_full(self, monkeypatch, capsys):
        terminal(monkeypatch, "stderr")
        with shared.progress_bar(quiet=False) as progress:
            enter(progress, "resampling bbc")
            for done in (1, 2, 3):
                progress(done, 3)
                (task,) = progress._progress.tasks
                assert not task.finished
                assert task.percentage < 100
            assert task.total is None
            assert task.fields["counted"] == "3 done, summing up"
            enter(progress, "working out tt")
            (task,) = progress._progress.tasks
            assert (task.description, task.total) == ("working out tt", None)
            assert task.fields["counted"] == ""

    def test_none_for_a_batch_off_a_terminal(self, monkeypatch, capsys):
        for quiet in (False, True):
            with shared.batch_bar(3, quiet=quiet) as show:
                show(1, 1)
            assert capsys.readouterr() == ("", "")
            terminal(monkeypatch, "stderr")
        with shared.batch_bar(3, quiet=False) as show:
            show(1, 1)
        assert "1 failed" in capsys.readouterr().err


class Heard:
    """A progress that keeps what it is told."""

    def __init__(self):
        self.phases, self.counts = [], {}

    def enter(self, phase):
        self.phases.append(phase)

    def __call__(self, done, total):
        self.counts[self.phases[-1]] = (done, total)


@pytest.mark.parametrize(
    "method", ["bbc", swept("bbcd"), swept("tilting"), swept("naive"), swept("tt")]
)
def test_every_count_belongs_to_a_phase(samples, method):
    heard = Heard()
    asked = Analysis(method=(method,), metric=("accuracy",), n_resamples="64")
    answer(asked, [str(samples / "progression.parquet")], progress=heard)
    assert heard.phases[:2] == ["reading", f"working out {method}"]
    resampled = heard.counts.get(f"resampling {method}")
    assert resampled == (None if method == "tt" else (64, 64))
    if method == "bbcd":
        assert heard.counts["dropping for bbcd"] == (10, 10)
        assert heard.phases[-1] == "resampling bbcd"
