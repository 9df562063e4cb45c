"""Renew the program output that README.md and the pages of docs/ show.

A comment names a command, and the fenced block under it holds the output:

    <!-- output: bbc methods -->
    <!-- output head=12: bbc schema -->                   only the first 12 lines
    <!-- output+errors: bbc correct no-such-file.csv -->  standard error as well

    <!-- output parts=2,4: bbc correct FILE -->            only some parts; blank lines divide them

Between `<!-- metrics -->` and `<!-- end of metrics -->` is what the registry says about them. The
sections and tables on methods, intervals and comparisons come from the docstrings of their modules,
those on notes from what the package says about each, the tables of tools and forms from their
records, and the lists of options from the command line. The picture of the README, the manual page
and the completions are made anew too.

Run it from anywhere:

    python docs/refresh.py            # rewrite the blocks
    python docs/refresh.py --check    # only name those that are stale, exit status 1 if any
"""

import contextlib
import io
import os
import re
import shlex
import sys
from functools import cache, partial
from inspect import getdoc, getmodule
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import manual
import typer
from winners_curse import PICTURE, drawing

from bbccli.cli.app import app, main
from bbccli.comparisons import baseline, families, possible_best
from bbccli.comparisons.across import ranks
from bbccli.comparisons.pairs import MODULES as OF_PAIRS
from bbccli.methods import METHODS
from bbccli.methods.base import ASSUMED, DEFAULT_METHODS, description, module_of
from bbccli.metrics import METRICS, Metric
from bbccli.metrics.base import AS_REPEATED
from bbccli.metrics.ranking import PAIRS_COUNTED
from bbccli.notes import GROUPS
from bbccli.platform.arguments import Panel
from bbccli.reading import columns, rows
from bbccli.reading.interface import frameworks
from bbccli.reading.runs.folder import RUNS
from bbccli.reports import Kind, forms_of
from bbccli.stats.intervals import INTERVALS
from bbccli.stats.intervals.coverage import COVERED
from bbccli.types import Direction, PredictionKind

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r"^<!-- output(?P<errors>\+errors)?(?: head=(?P<head>\d+))?(?: parts=(?P<parts>[\d,]+))?"
    r": (?P<command>bbc\b[^\n]*?) -->\n"
    r"```text\n(?P<shown>.*?)```$",
    re.MULTILINE | re.DOTALL,
)
REGISTERED = re.compile(
    r"^<!-- (?P<registry>metrics|methods|literature|ignoring|assumptions|intervals|notes"
    r"|after-selection|tests|runs|evaluations|forms|rules) -->\n"
    r".*?^<!-- end of (?P=registry) -->$",
    re.MULTILINE | re.DOTALL,
)
OPTIONS = re.compile(
    r"^<!-- options: bbc (?P<command>\w+) -->\n.*?^<!-- end of options -->$",
    re.MULTILINE | re.DOTALL,
)
DEFAULT_FORM = "table"
MODEL = "correct"
"""The command whose options the page on commands shows in full."""
ARGUMENTS = "Arguments"
HELP = {"--help", "--help-all"}
PANELS = {panel: place for place, panel in enumerate([ARGUMENTS, *(one.value for one in Panel)])}
AFTER_SELECTION = (possible_best, baseline, families)
ITEM = re.compile(r"(\d+\.|-) ")
DIRECTION = {Direction.MAXIMIZE: "maximised", Direction.MINIMIZE: "minimised"}
WANTS = {
    PredictionKind.LABEL: "[class labels](#predicted-classes)",
    PredictionKind.PROBABILITY: "probabilities",
    PredictionKind.SCORE: "probabilities or scores",
    PredictionKind.VALUE: "values",
}
USUAL = ("0 to 1, maximised", "without samples", "all samples", AS_REPEATED, PAIRS_COUNTED)
"""Facts that the page on metrics states once."""


def pages() -> list[Path]:
    """Return README.md and every page of docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@cache
def output_of(command: str, *, errors: bool) -> str:
    """Run a `bbc` command at width 80, in the root of the repository, and return what it prints."""
    stdout = io.StringIO()
    stderr = stdout if errors else io.StringIO()
    with (
        contextlib.chdir(ROOT),
        patch.dict(os.environ, COLUMNS="80", NO_COLOR="1"),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        status = main(shlex.split(command)[1:])
    if status and not errors:
        raise SystemExit(f"{command}: exit status {status}\n{stderr.getvalue()}")
    return stdout.getvalue()


def renewed(text: str) -> str:
    """Return the text of a page with every block up to date."""
    text = OPTIONS.sub(_renewed_options, BLOCK.sub(_renewed_block, text))
    return REGISTERED.sub(_renewed_registry, text)


def stale(page: Path) -> list[str]:
    """Return the commands and registries of a page whose blocks are out of date."""
    text = page.read_text(encoding="utf-8")
    found = [m["command"] for m in BLOCK.finditer(text) if _renewed_block(m) != m[0]]
    found += [f"options of {m['command']}" for m in OPTIONS.finditer(text) if _is_old(m)]
    registries = REGISTERED.finditer(text)
    return found + [m["registry"] for m in registries if _renewed_registry(m) != m[0]]


def _renewed_block(match: re.Match[str]) -> str:
    output = output_of(match["command"], errors=bool(match["errors"]))
    if match["parts"]:
        output = _parts_of(output, [int(one) for one in match["parts"].split(",")])
    lines = output.splitlines()
    if match["head"] and len(lines) > int(match["head"]):
        lines = [*lines[: int(match["head"])], "..."]
    comment = match[0].partition("\n")[0]
    return "\n".join([comment, "```text", f"$ {match['command']}", *lines, "```"])


def _parts_of(output: str, wanted: list[int]) -> str:
    """Return some parts of an output, counted from 1, and an ellipsis for those between them."""
    parts = output.strip("\n").split("\n\n")
    shown = [part if n in wanted else "..." for n, part in enumerate(parts, start=1)]
    shown = [one for one, before in zip(shown, ["", *shown], strict=False) if one != before]
    return "\n\n".join(shown).replace("...\n\n", "...\n").replace("\n\n...", "\n...")


def _renewed_options(match: re.Match[str]) -> str:
    first, last = match[0].splitlines()[0], match[0].splitlines()[-1]
    return "\n\n".join([first, *options_of(match["command"]), last])


def _is_old(match: re.Match[str]) -> bool:
    return _renewed_options(match) != match[0]


def options_of(name: str) -> list[str]:
    """Describe the options of a command: its own in full, shared ones by name or by panel."""
    named, panels, own = [], [], []
    known = _options_by_panel(MODEL)
    for panel, options in sorted(_options_by_panel(name).items(), key=lambda one: PANELS[one[0]]):
        same = [flags for flags, text in options.items() if known.get(panel, {}).get(flags) == text]
        own += [f"- `{flags}`: {text}" for flags, text in options.items() if flags not in same]
        others = [flags for flags in known.get(panel, {}) if flags not in same]
        if len(others) < len(same):
            panels.append(f"*{panel}*{' but ' * bool(others)}{_names(others)}")
        elif same:
            named.append(_names(same))
    shared = "; ".join([*([", ".join(named)] if named else []), *panels])
    parts = ["\n".join(own)] if own else []
    return [*parts, f"As in [`bbc {MODEL}`](#bbc-{MODEL}): {shared}."] if shared else parts


def _names(every: list[str]) -> str:
    names = (re.match(r"(-\w, )?--[\w-]+", flags) for flags in every)
    return ", ".join(f"`{one[0]}`" for one in names if one)


@cache
def _options_by_panel(name: str) -> dict[str, dict[str, str]]:
    """Return panel -> flags -> help, without the help itself."""
    command = typer.main.get_command(app).commands[name]
    context = typer.Context(command)
    found: dict[str, dict[str, str]] = {}
    for one in command.params:
        panel = getattr(one, "rich_help_panel", None) or ARGUMENTS
        record = None if {*one.opts} & HELP else one.get_help_record(context)
        if record:
            flags = re.sub(r" <.*>$", "", record[0])  # the type of an argument
            found.setdefault(panel, {})[flags] = " ".join(record[1].split())
    return found


def _renewed_registry(match: re.Match[str]) -> str:
    registry = match["registry"]
    return "\n\n".join([f"<!-- {registry} -->", *PARTS[registry](), f"<!-- end of {registry} -->"])


def metric_parts() -> list[str]:
    """Make the sections on metrics: a list by task and what they need, then one each."""
    listed: dict[str, list[str]] = {}
    for name, metric in METRICS.items():
        tasks = " or ".join(sorted(metric.tasks))
        link = f"[{name}](#{re.sub(r'[^a-z0-9-]', '', name)})"
        listed.setdefault(f"{tasks}, from {WANTS[metric.wants]}", []).append(link)
    lines = [f"- {needed}: {', '.join(links)}." for needed, links in listed.items()]
    shown: dict[str, str] = {}
    return ["\n".join(lines), *(metric_section(metric, shown) for metric in METRICS.values())]


def method_parts() -> list[str]:
    """Make the section of each main method from the docstring of its module."""
    own = [name for name in METHODS if not _has_row(name)]
    return [f"## {name}\n\n{_in_short(name)}" for name in own]


def _has_row(name: str) -> bool:
    """Say if a method is to compare with, or experimental: it has a row, and no section."""
    return METHODS[name].experimental or ".literature." in module_of(name).__name__


def method_page(name: str) -> str:
    """Return all that the docstring of a method says."""
    return _with_title("**{}**", description(name))


def table_of_methods(*, ignoring: bool) -> list[str]:
    """Make the table of the other methods, by whether they ignore the selection."""
    return _table(
        "Method",
        [
            (name, name, description(name), module_of(name))
            for name in METHODS
            if _has_row(name) and METHODS[name].ignores_selection == ignoring
        ],
    )


def _table(head: str, records: list[tuple[str, str, str, ModuleType]]) -> list[str]:
    """Make a table of names, each with its anchor, title, and when to use it."""
    lines = [f"| {head} | What it is | When to use it | When not |", "|---|---|---|---|"]
    for anchor, name, text, module in records:
        title, _, rest = text.strip().partition("\n\n")
        (use,) = re.findall(r"^When to use: (.*?)\n\n", rest, re.DOTALL | re.MULTILINE)
        when, _, never = " ".join(use.split()).partition(". When not: ")
        path = f"../{module.__name__.replace('.', '/')}.py"
        told = f"[{' '.join(title.split()).rstrip('.')}]({path}) | {when} | {never.rstrip('.')}"
        lines.append(f'| <a id="{anchor}"></a>{name} | {told} |')
    return ["\n".join(lines)]


def _in_short(name: str) -> str:
    """Leave cost and departures to the docstring, and the algorithm if it isn't a default."""
    left = ("Cost:", "Departures") + ("Algorithm:",) * (name not in DEFAULT_METHODS)
    blocks = description(name).split("\n\n")
    told = [
        block
        for before, block in zip(["", *blocks], blocks, strict=False)
        if not block.startswith(left) and not (before in left and block.startswith("1. "))
    ]
    return _with_title("**{}**", "\n\n".join(told))


def test_parts() -> list[str]:
    """Make the table of the tests of comparisons."""
    return _table("Test", [(f"test-{name}", name, *one) for name, *one in _tests()])


def test_page() -> str:
    """Return all that the docstrings of the tests say."""
    told = [f"## Test {name}\n\n{_with_title('**{}**', text)}" for name, text, _ in _tests()]
    return "\n\n".join(["# Tests", *told])


def _tests() -> list[tuple[str, str, ModuleType]]:
    """Return name, text and module of each test; what comes first is of the module."""
    return [
        (*section.split("\n\n", 1), module)
        for module in (*OF_PAIRS, ranks)
        for section in re.split(r"^## ", getdoc(module) or "", flags=re.MULTILINE)[1:]
    ]


def comparison_parts() -> list[str]:
    """Make the paragraphs on comparisons after selection from the docstrings of their modules."""
    return [_with_title("**{}**", getdoc(module) or "") for module in AFTER_SELECTION]


def interval_parts() -> list[str]:
    """Make the paragraph of each interval from the docstring of its module."""
    texts = [
        _with_title(f"**`--interval {kind}`.** {{}}", getdoc(getmodule(one.law)) or "")
        for kind, one in INTERVALS.items()
    ]
    families = list(dict.fromkeys(name for by in COVERED.values() for name in by))
    rows = [
        f"| `{method}`, {kind} | "
        + " | ".join(f"{by[name]:.3f}" if name in by else "" for name in families)
        + " |"
        for (method, kind), by in COVERED.items()
    ]
    head = f"| Two-sided 95% interval | {' | '.join(families)} |\n|---|{'---:|' * len(families)}"
    told = "How often they covered, as shares of the studies of [the bank](validation.md):"
    return [*texts, told, "\n".join([head, *rows])]


def note_parts() -> list[str]:
    """Make a table of the notes on each subject: severity and meaning, with an anchor."""
    sections = []
    for title, group in GROUPS.items():
        lines = ["| Note | Meaning |", "|---|---|"]
        lines += [
            f'| <a id="{one.code}"></a>{one.code} ({one.severity.name.lower()}) | {one.meaning} |'
            for one in group.values()
        ]
        sections += [f"## {title}", "\n".join(lines)]
    return sections


def run_parts() -> list[str]:
    """Make the table of the tools whose folders can be read."""
    rows = [f"| {run.name} | {run.signature} | {run.labels} |" for run in RUNS]
    return ["\n".join(["| Tool | Recognised by | Labels |", "|---|---|---|", *rows])]


def evaluation_parts() -> list[str]:
    """Make the table of the frameworks whose logs can be read."""
    known = sorted(frameworks().values(), key=lambda one: one.name.lower())
    rows = [f"| {one.name} | {one.signature} | {one.score} |" for one in known]
    return ["\n".join(["| Framework | Logs | Score that counts |", "|---|---|---|", *rows])]


def rule_parts() -> list[str]:
    """Make the table of the rules on columns and rows."""
    every = {**columns.TABLE_RULES, **columns.RULES, **columns.TABLE_RULES, **rows.RULES}
    lines = ["| Rule | What the values show | What is done |", "|---|---|---|"]
    for name, rule in every.items():
        said = " ".join((rule.__doc__ or "").split())
        _, seen, _, done = re.split(r" (?:Seen|Means|Done): ", said)
        lines.append(f"| {name} | {seen} | {done} |")
    return ["\n".join(lines)]


def form_parts() -> list[str]:
    """Make the table of the forms of a result."""
    rows = ["| `--format` | Suffix of `--output` | For |", "|---|---|---|"]
    for name, form in forms_of(Kind.CORRECT).items():
        suffixes = ", ".join(f"`{one}`" for one in form.suffixes)
        suffixes = "`.txt`, or none" if name == DEFAULT_FORM else suffixes
        rows.append(f"| `{name}` | {suffixes} | {form.purpose} |".replace("|  |", "| |"))
    return ["\n".join(rows)]


def _with_title(form: str, text: str) -> str:
    title, _, rest = text.strip().partition("\n\n")
    return f"{form.format(' '.join(title.split()))}\n\n{unwrapped(rest)}"


def unwrapped(text: str) -> str:
    """Return Markdown with each paragraph, and each item of a list, on a line of its own."""
    lines, fenced, open_line = [], False, False
    for line in text.splitlines():
        whole = fenced or not line or line.startswith(("|", "```"))
        if open_line and not whole and not ITEM.match(line):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
        open_line = not whole
        fenced ^= line.startswith("```")
    return "\n".join(lines)


def metric_section(metric: Metric, shown: dict[str, str]) -> str:
    """Make the section of one metric: what isn't so of most. shown: formula -> who has it."""
    lower, upper = (
        f"{bound:g}".replace("-inf", "-∞").replace("inf", "∞") for bound in metric.bounds
    )
    facts = {
        "Range": f"{lower} to {upper}, {DIRECTION[metric.direction]}",
        "Undefined": metric.undefined,
        "N:": metric.rests_on.words.removeprefix("the "),
        "Weights:": metric.under_weights,
    }
    told = [f"**{name}** {fact}." for name, fact in facts.items() if fact not in USUAL]
    told += [metric.remarks] * bool(metric.remarks)
    summary = f"{metric.summary[0].upper()}{metric.summary[1:]} ({metric.reference})."
    first = shown.setdefault(metric.formula, metric.name)
    if metric.formula in metric.summary:
        formula = ""
    elif first != metric.name:
        formula = f"The formula is that of {first}."
    else:
        formula = f"```text\n{metric.formula}\n```"
    return "\n\n".join(filter(None, [f"## {metric.name}", summary, formula, " ".join(told)]))


PARTS = {
    "metrics": metric_parts,
    "runs": run_parts,
    "evaluations": evaluation_parts,
    "forms": form_parts,
    "rules": rule_parts,
    "methods": method_parts,
    "literature": partial(table_of_methods, ignoring=False),
    "ignoring": partial(table_of_methods, ignoring=True),
    "assumptions": lambda: ["\n".join(f"- {one}" for one in ASSUMED)],
    "notes": note_parts,
    "intervals": interval_parts,
    "after-selection": comparison_parts,
    "tests": test_parts,
}
"""Registry -> function that makes its part of a page."""


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        found = [f"{page.name}: {command}" for page in pages() for command in stale(page)]
        found += [] if PICTURE.read_text(encoding="utf-8") == drawing() else [PICTURE.name]
        found += (
            [] if manual.PAGE.read_text(encoding="utf-8") == manual.page() else [manual.PAGE.name]
        )
        sys.exit("\n".join(["stale, run `python docs/refresh.py`:", *found]) if found else 0)
    for page in pages():
        page.write_text(renewed(page.read_text(encoding="utf-8")), encoding="utf-8")
    manual.write()
    PICTURE.write_text(drawing(), encoding="utf-8")
