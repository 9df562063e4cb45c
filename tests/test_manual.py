"""The manual page and the completions say what the commands take."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import manual
import pytest

from bbccli.cli.command import COMMANDS, command_named

PAGE = manual.PAGE.read_text(encoding="utf-8")


def test_it_is_current():
    assert manual.page() == PAGE, "run `make docs`"


def test_every_option_of_every_command_is_there():
    sections = re.split(r"^\.SS bbc ", PAGE, flags=re.M)[1:]
    assert [one.split("\n")[0].replace("\\", "") for one in sections] == list(COMMANDS)
    for name, text in zip(COMMANDS, sections, strict=True):
        bold = set(re.findall(r"\\fB(\S+?)\\fR", text.replace("\\-", "-")))
        options = command_named(name).options.values()
        assert {f"--{one.key}" for one in options if not one.option.positional} <= bold


def test_nothing_is_taken_for_a_macro():
    assert manual.roff(".TH x\n'b\na-b\\c") == "\\&.TH x\n\\&'b\na\\-b\\ec"


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_it_is_typeset_without_a_warning():
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-ww", manual.PAGE], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert "bbbbcc ccoorrrreecctt" in done.stdout or "bbc correct" in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_by_its_script():
    """As bash does on two tabs after `bbc lead`."""
    script = manual.COMPLETIONS["bash"]
    words = "COMP_WORDS=(bbc lead); COMP_CWORD=1; _bbc_completion bbc; echo ${COMPREPLY[@]}"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shown = subprocess.run(
        ["bash", "-c", f"source {script}; {words}"],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.split() == ["leaderboard"]
