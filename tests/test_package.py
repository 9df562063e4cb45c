"""The package as installed: light to start, complete, the same from every door."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bbccli
from bbccli.cli.command import COMMANDS

ROOT = Path(__file__).parents[1]
DEVELOPMENT = (
    "sklearn",
    "sksurv",
    "statsmodels",
    "lifelines",
    "pytest",
    "hypothesis",
    "jsonschema",
    "mypy",
)


HEAVY = {"numpy", "pyarrow", "pandas", "scipy", "rich", "pydantic", "bbccli.types"}


NOT_NEEDED = {"pandas", "scipy", "pyarrow.compute", "pyarrow._compute", "pyarrow.dataset"}
NOT_NEEDED |= {"pyarrow.parquet", "pyarrow.fs"}
NOT_NEEDED |= {"numpy.ma"} if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else set()
"""What would take a tenth of a small run, or more, for nothing; numpy 1 imports `ma` itself."""


OTHER_WORK = (
    *("batch", "comparisons", "dropping", "planning", "recording"),
    *("documents.compare", "documents.drop", "documents.leaderboard", "documents.plan"),
    *("documents.loading", "tools", "use_cases.inspection", "reports.evidence"),
    "reports.forms.json_schema",
    *("stats.multipliers", "methods.literature.split"),
    *("stats.bootstrap.search_cost", "reading.conversion", "reading.runs"),
    *("reading.sources.arff", "reading.sources.delimited"),
    *("reading.sources.urls", "reading.sources.memory", "reading.arrays", "reading.advice"),
    *("reading.layout.long", "reading.layout.stack", "reading.layout.known"),
    *("stats.making.made", "stats.verification", "metrics.kernels.sweep", "platform.atomic"),
)
"""What a result in JSON is made without: rooms, and modules of those that it needs."""

USED_OF = {
    "stats.intervals": ("percentile",),
    "methods": ("base", "bbc", "cvt", "several"),
    "reports": ("forms", "forms.json"),
}
"""All that it imports of the rooms with a module per record."""

MOST_MODULES = 120
"""Modules of ours that it imports: each takes a thousandth of the run, and each record more."""


def python(*arguments, **variables):
    env = os.environ | variables
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=ROOT, env=env, check=False
    )


def loaded_by(*commands):
    """Modules that a process has after each of these commands."""
    script = (
        "import sys, json\nfrom bbccli.cli.app import main\n"
        f"for argv in {commands!r}:\n"
        "    status = main(argv)\n"
        "    print(json.dumps([status, sorted(sys.modules)]), file=sys.stderr)\n"
    )
    done = python("-c", script)
    found = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("[")]
    assert [status for status, _ in found] == [0] * len(commands), done.stderr
    return [set(modules) for _, modules in found]


DATA = "sample_data/progression.parquet"
OF_COMMANDS = {f"bbccli.cli.{module}" for module, _ in COMMANDS.values()}


def test_commands_import_only_what_they_use():
    data = ["correct", DATA, "--format", "json", "--n-resamples", "20"]
    asked = ["--help"], ["--version"], ["correct", "--help"]
    *told, quiet, corrected = loaded_by(*asked, [*data, "--quiet"], data)
    assert not corrected & {*NOT_NEEDED, "rich.table", "tempfile", *DEVELOPMENT}
    assert "pyarrow" in corrected
    assert not set.union(*told) & {"pyarrow"}
    ours = {name.removeprefix("bbccli.") for name in quiet if name.startswith("bbccli.")}
    assert {name for name in ours if name.startswith(OTHER_WORK)} == set()
    for room, used in USED_OF.items():
        assert {name for name in ours if name.startswith(f"{room}.")} == {
            f"{room}.{name}" for name in used
        }
    assert len(ours) <= MOST_MODULES


def test_a_batch_in_one_process_imports_what_its_files_need(tmp_path):
    how = ["-o", str(tmp_path / "r.jsonl"), "--jobs", "1", "--n-resamples", "20", "--quiet"]
    (loaded,) = loaded_by(["batch", "sample_data/progress*.parquet", *how])
    assert not loaded & {"multiprocessing", "bbccli.batch.local", "bbccli.batch.cluster"}
    assert not loaded & {"bbccli.reading.sources.delimited", "bbccli.reports.figures"}
    assert not loaded & NOT_NEEDED


@pytest.mark.parametrize("argv", [["--help"], ["--version"]])
def test_what_runs_no_command_imports_none(argv):
    (loaded,) = loaded_by(argv)
    assert not loaded & (OF_COMMANDS | HEAVY)


def test_only_what_tests_imports_scipy_stats_or_optimize(tmp_path):
    page = ["correct", DATA, "--n-resamples", "60", "-o", str(tmp_path / "page.html")]
    commands = [page, ["inspect", DATA], ["compare", DATA], ["leaderboard", DATA], ["drop", DATA]]
    for loaded in loaded_by(*commands):
        assert not loaded & {"scipy.stats", "scipy.optimize"}


@pytest.mark.sweep
@pytest.mark.parametrize(
    "argv",
    [
        ["correct", DATA, "--n-resamples", "20", "--level", "0.9", "--side", "two"],
        ["drop", DATA, "--n-resamples", "20", "--list", "drop"],
        ["leaderboard", DATA, "--no-wins", "--top", "3"],
        ["inspect", DATA, "--format", "json"],
        ["convert", DATA, "--layout", "long", "-o", "-"],
        ["methods", "--format", "json"],
    ],
)
def test_a_command_imports_no_other_and_no_pydantic(argv):
    (loaded,) = loaded_by(argv)
    assert loaded & OF_COMMANDS == {f"bbccli.cli.{COMMANDS[argv[0]][0]}"}
    assert "pydantic" not in loaded


def test_the_module_is_the_command():
    done = python("-m", "bbccli", "--version")
    assert (done.returncode, done.stdout) == (0, f"bbc {bbccli.__version__}\n")


def test_public_names_resolve():
    for name in bbccli.__all__:
        assert getattr(bbccli, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        bbccli.nothing  # noqa: B018


def test_sample_data_are_small():
    files = [p for p in (ROOT / "sample_data").iterdir() if p.is_file()]
    assert files
    assert max(p.stat().st_size for p in files) < 1_000_000


def test_all_that_is_in_the_repository_is_packed():
    tracked = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=False
    )
    if tracked.returncode or not tracked.stdout:
        pytest.skip("not a repository")
    top = {line.partition("/")[0] for line in tracked.stdout.splitlines()}
    by_itself = {"bbccli", "README.md", "LICENSE", "pyproject.toml", "MANIFEST.in"}
    packed = set((ROOT / "MANIFEST.in").read_text().split())
    assert {name for name in top - by_itself if not name.startswith(".")} <= packed
    assert {".github", ".pre-commit-config.yaml"} <= top & packed


def test_everything_is_imported_at_once_where_that_is_asked_for():
    """As SPEC 1 of Scientific Python has it."""
    script = "import bbccli; print(set(bbccli.__all__) <= set(vars(bbccli)))"
    for eager, said in (("1", "True"), ("", "False")):
        assert python("-c", script, EAGER_IMPORT=eager).stdout.strip() == said
