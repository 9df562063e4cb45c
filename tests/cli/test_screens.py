"""Every table to the letter: 80 and 120 columns, pipes and terminals.

`RENEW_SCREENS=1 pytest tests/cli/test_screens.py` writes them anew; look at what changes.
"""

import os
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from day import daily

SCREENS = Path(__file__).parent / "screens"
DATA = """\
id,fold,truth,a,b,ridge alpha=1
0,0,yes,0.9,0.8,0.9
1,0,no,0.4,0.3,0.4
2,1,yes,0.6,0.4,0.6
3,1,no,0.7,0.6,0.7
4,2,yes,0.8,0.9,0.8
5,2,no,0.2,0.1,0.2
6,3,yes,0.3,0.7,0.3
7,3,no,0.1,0.5,0.1
8,4,yes,0.7,0.6,0.7
9,4,no,0.3,0.4,0.3
"""
EXACT = ("--method", "cvt", "--method", "tt", "--method", "bbc-f")
SAVED = ("correct", "p.csv", *EXACT, "-q", "-o", "result.json")
COMMANDS = {
    "correct": ("correct", "p.csv", *EXACT),
    "correct-all-notes": ("correct", "p.csv", *EXACT, "--notes", "all"),
    "correct-two-metrics": ("correct", "p.csv", *EXACT, "--metric", "auc", "--metric", "brier"),
    "correct-one-sided": ("correct", "p.csv", *EXACT, "--side", "pessimistic"),
    "correct-gate": ("correct", "p.csv", *EXACT, "--fail-under", "0.9"),
    "correct-naive": ("correct", "p.csv", "--method", "cvt"),
    "correct-one": ("correct", "p.csv", *EXACT, "--only", "a"),
    "leaderboard": ("leaderboard", "p.csv", "--no-wins"),
    "drop": ("drop", "p.csv", "--n-resamples", "50"),
    "replay": ("drop", "p.csv", "--replay", "--n-resamples", "50"),
    "inspect": ("inspect", "p.csv"),
    "plan": ("plan", "--expected", "0.85", "--configurations", "10,100", "--width", "0.1"),
    "batch": ("batch", "p.csv", "q.csv", *EXACT, "--jobs", "1", "-o", "b.csv", "--summary", "-q"),
    "method": ("methods", "bbc-f"),
    "metric": ("metrics", "auc"),
    "gate": ("gate", "result.json", "--fail-under", "0.1", "--format", "table"),
    "explain-method": ("explain", "bbc-f"),
    "explain-metric": ("explain", "roc_auc"),
    "explain-note": ("explain", "winners-differ"),
    "explain-result": ("explain", "result.json"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch, run):
    """A folder with two files and a result, on a terminal that shows colours."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name in ("p.csv", "q.csv"):
        Path(name).write_text(DATA)
    run(*SAVED)


def shown(run, name):
    """What a command prints, of no version."""
    status, out, err = run(*COMMANDS[name])
    assert status in (0, 3), err
    return re.sub(r"bbc \d+\.\d+\.\d+", "bbc 0.0.0", out)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", daily(COMMANDS, ["correct", "inspect", "gate"]))
def test_screen(run, monkeypatch, name, width):
    monkeypatch.setenv("COLUMNS", str(width))
    text, path = shown(run, name), SCREENS / f"{name}.{width}.txt"
    if os.environ.get("RENEW_SCREENS"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= width or name in {"batch"}


def test_every_screen_is_of_a_command():
    assert {path.name.split(".")[0] for path in SCREENS.iterdir()} == set(COMMANDS)


PLACES = {
    "pipe": (False, {}, False),
    "terminal": (True, {}, True),
    "terminal NO_COLOR": (True, {"NO_COLOR": "1"}, False),
    "terminal NO_COLOR empty": (True, {"NO_COLOR": ""}, True),
    "terminal TERM=dumb": (True, {"TERM": "dumb"}, False),
    "terminal TERM=unknown": (True, {"TERM": "unknown"}, False),
    "pipe FORCE_COLOR": (False, {"FORCE_COLOR": "1"}, True),
    "pipe FORCE_COLOR=0": (False, {"FORCE_COLOR": "0"}, True),
    "pipe FORCE_COLOR empty": (False, {"FORCE_COLOR": ""}, False),
    "terminal FORCE_COLOR empty": (True, {"FORCE_COLOR": ""}, True),
    "pipe FORCE_COLOR NO_COLOR": (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    "pipe FORCE_COLOR TERM=dumb": (False, {"FORCE_COLOR": "1", "TERM": "dumb"}, False),
    "terminal FORCE_COLOR NO_COLOR": (True, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("place", daily(PLACES, ["terminal", "pipe"]))
@pytest.mark.parametrize("name", ["correct", "leaderboard", "drop"])
def test_colour_changes_no_letter(run, monkeypatch, capsys, place, name):
    terminal, environment, coloured = PLACES[place]
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    text = shown(run, name)
    assert ("\x1b[" in text) == coloured
    plain = re.sub(r"\x1b\[[\d;]*m", "", text)
    stripped = "\n".join(line.rstrip() for line in plain.split("\n"))
    assert stripped == (SCREENS / f"{name}.80.txt").read_text(encoding="utf-8")


@pytest.mark.usefixtures("folder")
def test_colours_to_the_letter(run, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLORTERM", "truecolor")
    text = shown(run, "correct-gate")
    for part in (
        "p.csv   binary",
        "\x1b[1ma scored ",
        "\x1b[31mGate failed: lower bound of the AUC (bbc-f) is ",
        "\n> bbc-f",
        "\x1b[32mchoice\x1b[0m   ",
        "\x1b[33mnote",
        "\x1b[2m   hint:",
    ):
        assert part in text, part
    bold = re.findall(r"\x1b\[1m(.*?)\x1b", text)
    assert [line.split()[0] for line in bold] == ["a", "Expect"]
    assert set(re.findall(r"\x1b\[([\d;]*)m", text)) == {"0", "1", "2", "31", "32", "33"}


SCORES = np.random.default_rng(0).uniform(0, 0.6, 40) + 0.4 * (np.arange(40) % 2)
"""Of a configuration for samples whose classes take turns."""


def file_of(columns):
    """Write a file with these predictions, and return its name."""
    table = {"row_id": range(40), "fold": np.arange(40) // 2 % 5, "truth": np.arange(40) % 2}
    pd.DataFrame(table | columns).to_csv("odd.csv", index=False)
    return "odd.csv"


def lines_of(run, *argv):
    return run.printed(*argv, "--n-resamples", "50").splitlines()


@pytest.mark.usefixtures("folder")
def test_configurations_that_tie_are_not_a_clear_choice_nor_worse_by_rounding(run):
    file = file_of({f"t{i:02}": SCORES for i in range(17)})
    for command in ("correct", "leaderboard"):
        (line,) = (one for one in lines_of(run, command, file) if one.startswith("choice "))
        assert line.startswith(
            "choice   tied for the best, and the first column wins ties: in the resamples of"
        )
    shown = lines_of(run, "leaderboard", file)
    rows = [line for line in shown if line[4:8].strip() == "1"]
    assert len(rows) == 15 and [line[0] for line in rows] == [">", *" " * 14]
    assert "sorted by AUC, pooled predictions; 2 more: --top 17, or --format csv" in shown
    told = " ".join(lines_of(run, "compare", file))
    assert "in the 95% confidence set" in told and "all 17 " in told
    assert " 0.000 " in " ".join(lines_of(run, "plan", file, "--width", "0.2"))
    told = " ".join(lines_of(run, "plan", file))
    assert "e-" not in told and "0.00000" not in told


@pytest.mark.usefixtures("folder")
def test_one_configuration_is_compared_with_nothing_and_none_is_dropped(run):
    file = file_of({"alone": SCORES})
    told = "By AUC, alone is the only configuration: there is nothing to compare."
    assert told in lines_of(run, "compare", file)
    told = "No configuration would have been dropped: all 5 models would be trained."
    assert told in lines_of(run, "drop", "--replay", file)
    shown = lines_of(run, "drop", file)
    said = "If folds remain, train the only configuration on the next one; none is dropped now."
    assert said in " ".join(shown)
