"""The manual page `bbc.1` and the completions of three shells, from the commands themselves.

`docs/refresh.py` writes them into share/, and the wheel puts them where the system looks for them.
The completions are what `bbc --show-completion` prints.
"""

import re
from pathlib import Path
from typing import Any

from typer.completion import get_completion_script

from bbccli.cli.command import COMMANDS, command_named, typed
from bbccli.platform.arguments import Panel
from bbccli.version import __version__

ROOT = Path(__file__).resolve().parents[1]
SHARE = ROOT / "share"
PAGE = SHARE / "man" / "man1" / "bbc.1"
COMPLETIONS = {
    "bash": SHARE / "bash-completion" / "completions" / "bbc",
    "zsh": SHARE / "zsh" / "site-functions" / "_bbc",
    "fish": SHARE / "fish" / "vendor_completions.d" / "bbc.fish",
}
PANELS = ("Arguments", *(panel.value for panel in Panel))
STATUSES = re.compile(r"^\| (\d+) \| (.+) \|$", re.MULTILINE)


def roff(text: str) -> str:
    """Return text that no macro is read into."""
    plain = text.replace("\\", r"\e").replace("-", r"\-")
    return "\n".join(
        rf"\&{line}" if line.startswith((".", "'")) else line for line in plain.split("\n")
    )


def _option(parameter: Any) -> list[str]:
    """The entry of an option or an argument."""
    flags = [one for one in parameter.opts if one.startswith("-")]
    names = ", ".join(rf"\fB{roff(one)}\fR" for one in sorted(flags, key=len))
    value = rf"\fI{roff(parameter.metavar)}\fR" if parameter.metavar else ""
    return [".TP", " ".join(one for one in (names, value) if one), roff(parameter.help or "")]


def _command(name: str) -> list[str]:
    """The section of a command: what it does, its examples, its options by panel."""
    command = typed(command_named(name))
    said, _, examples = (command.help or "").partition("Examples:\n")
    lines = [rf".SS bbc {roff(name)}"]
    for part in said.replace("\b", "").strip().split("\n\n"):
        lines += [".PP", roff(" ".join(part.split()))]
    if examples:
        lines += [
            ".PP",
            ".nf",
            *(roff(f"    {one.strip()}") for one in examples.splitlines()),
            ".fi",
        ]
    panel = None
    ordered = sorted(command.params, key=lambda one: PANELS.index(_panel(one)))
    for one in ordered:
        if _panel(one) != panel:
            panel = _panel(one)
            lines += [".PP", rf"\fI{roff(panel)}\fR"]
        lines += _option(one)
    return lines


def _panel(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return "Arguments"
    return getattr(parameter, "rich_help_panel", None) or Panel.COMMON.value


def page() -> str:
    """Return the manual page."""
    commands = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    bare = [
        (code, re.sub(r"\[(.+?)\]\(.+?\)|`", r"\1", words))
        for code, words in STATUSES.findall(commands)
    ]
    lines = [
        r".\" Made by docs/manual.py",
        f'.TH BBC 1 "" "bbc {__version__}"',
        ".SH NAME",
        r"bbc \- honest performance of the best of many configurations",
        ".SH SYNOPSIS",
        r"\fBbbc\fR \fICOMMAND\fR [\fIOPTIONS\fR] \fIFILES\fR",
        ".SH DESCRIPTION",
        "Who tries many configurations and reports the cross\\-validated performance of the best",
        "one reports a number that is too good. bbc corrects it from the out\\-of\\-sample",
        "predictions: rows are samples, columns configurations, with the truth beside them.",
        ".SH COMMANDS",
    ]
    for name in COMMANDS:
        lines += _command(name)
    lines.append(".SH EXIT STATUS")
    for code, words in bare:
        lines += [".TP", code, roff(words)]
    return "\n".join([*lines, ""])


def write() -> None:
    """Write the page and the completions."""
    scripts = {
        path: get_completion_script(prog_name="bbc", complete_var="_BBC_COMPLETE", shell=shell)
        for shell, path in COMPLETIONS.items()
    }
    for path, text in {PAGE: page()[:-1], **scripts}.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", encoding="utf-8")
