"""What a terminal gets, and what a pipe or a file."""

import sys
import time

import pytest

from bbccli.cli import bar
from bbccli.cli.bar import progress_bar
from bbccli.cli.output import style_for_stdout
from bbccli.cli.streams import say
from bbccli.core.progress import enter, silent


def terminal(monkeypatch, *streams):
    for name in streams:
        monkeypatch.setattr(getattr(sys, name), "isatty", lambda: True)


class TestStyle:
    @pytest.fixture(autouse=True)
    def plain(self, monkeypatch, capsys):
        for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("COLUMNS", "80")

    def test_colour_is_for_terminals(self, monkeypatch):
        assert not style_for_stdout().colour
        terminal(monkeypatch, "stdout")
        assert style_for_stdout().colour

    @pytest.mark.parametrize(("value", "colour"), [("1", False), ("0", False), ("", True)])
    def test_never_with_no_color(self, monkeypatch, value, colour):
        terminal(monkeypatch, "stdout")
        monkeypatch.setenv("NO_COLOR", value)
        assert style_for_stdout().colour is colour

    def test_a_pipe_has_the_width_of_columns(self, run, samples, monkeypatch):
        path = samples / "progression.parquet"
        argv = ("correct", path, "--method", "cvt", "--side", "pessimistic")
        for columns in (40, 200):
            monkeypatch.setenv("COLUMNS", str(columns))
            assert style_for_stdout().width == columns
        wide = run(*argv)[1]
        monkeypatch.setenv("COLUMNS", "80")
        assert max(map(len, wide.splitlines())) > 80 >= max(map(len, run(*argv)[1].splitlines()))


LINE = "a-long-name " * 10 + "/a/path/that/is/longer/than/the/terminal/is/wide"


class TestSay:
    def test_a_pipe_gets_one_line(self, capsys, monkeypatch):
        monkeypatch.setenv("COLUMNS", "30")
        say(LINE)
        assert capsys.readouterr().err == f"{LINE}\n"

    def test_a_terminal_gets_whole_words(self, capsys, monkeypatch):
        monkeypatch.setenv("COLUMNS", "30")
        terminal(monkeypatch, "stderr")
        say(LINE)
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) > 5
        assert " ".join(lines).split() == LINE.split()
        assert all(len(line) <= 30 for line in lines if " " in line)


class TestBar:
    @pytest.fixture(autouse=True)
    def impatient(self, monkeypatch, capsys):
        monkeypatch.setattr(bar, "PATIENCE_SECONDS", -1.0)

    @staticmethod
    def work(**options):
        with progress_bar(**options) as progress:
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
        with progress_bar(quiet=False) as progress:
            enter(progress, "reading")
            enter(progress, "resampling bbc")
            progress(1_000, 2_000)
        shown = capsys.readouterr().err
        assert "resampling bbc" in shown
        assert "1,000 of 2,000" in shown

    def test_it_appears_while_nobody_calls(self, monkeypatch, capsys):
        monkeypatch.setattr(bar, "PATIENCE_SECONDS", 0.05)
        terminal(monkeypatch, "stderr")
        with progress_bar(quiet=False) as progress:
            enter(progress, "reading")
            time.sleep(0.5)
        assert "reading" in capsys.readouterr().err

    def test_quick_work_shows_none(self, monkeypatch, capsys):
        monkeypatch.setattr(bar, "PATIENCE_SECONDS", 60.0)
        terminal(monkeypatch, "stderr")
        self.work(quiet=False)
        assert capsys.readouterr().err == ""

    def test_it_is_never_full(self, monkeypatch, capsys):
        terminal(monkeypatch, "stderr")
        with progress_bar(quiet=False) as progress:
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

    def test_names_in_brackets_are_no_colours(self, monkeypatch, capsys):
        terminal(monkeypatch, "stderr")
        with progress_bar(quiet=False) as progress:
            enter(progress, "[red]x")
            progress(1, 3)
        assert "[red]x" in capsys.readouterr().err

    def test_none_for_a_batch_off_a_terminal(self, monkeypatch, capsys):
        for quiet in (False, True):
            with bar.batch_bar(3, quiet=quiet) as show:
                show(1, 1)
            assert capsys.readouterr() == ("", "")
            terminal(monkeypatch, "stderr")
        with bar.batch_bar(3, quiet=False) as show:
            show(1, 1)
        assert "1 failed" in capsys.readouterr().err
