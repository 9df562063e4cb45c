"""docs/ci.md: what is shell is run, as a job would run it; the rest uses options that exist."""

import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
import typer

from bbccli.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
COMMANDS = typer.main.get_command(app)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)


@pytest.fixture
def job(tmp_path, forked):
    """Run a script in a folder with predictions, with bbc and a pip that does nothing on PATH."""
    shims = tmp_path / "bin"
    shims.mkdir()
    for name, body in (("bbc", f'exec {shlex.join(forked)} "$@"'), ("pip", "true")):
        (shims / name).write_text(f"#!/bin/sh\n{body}\n")
        (shims / name).chmod(0o755)
    folder = tmp_path / "work"
    folder.mkdir()
    shutil.copy(ROOT / "sample_data" / "progression.parquet", folder / "predictions.parquet")
    clean = {key: value for key, value in os.environ.items() if not key.startswith("BBC_")}
    environment = clean | {
        "PATH": f"{shims}{os.pathsep}{os.environ['PATH']}",
        "BBC_METHOD": "bbc",  # only to be quick
        "BBC_N_RESAMPLES": "50",
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_OUTPUT": str(folder / "outputs"),
    }

    def run(script, status=0):
        done = subprocess.run(
            ["bash", "-e", "-c", script],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        return done.stdout, done.stderr

    run.folder = folder
    return run


@pytest.mark.sweep
def test_the_shell_examples_in_their_order(job):
    for script in blocks("sh"):
        out, err = job(script)
        assert "error" not in err
        if "0.9" in script:
            assert "gate failed" in err
    assert "environment, BBC_JOBS" in out
    assert "gate failed" not in (job.folder / "summary.md").read_text()
    suite = ElementTree.parse(job.folder / "report.xml").getroot()[0]
    assert suite.get("failures") == "0"
    outputs = dict(line.split("=") for line in (job.folder / "outputs").read_text().splitlines())
    assert 0.7 < float(outputs["auc_lower"]) < float(outputs["auc"]) < float(outputs["auc_upper"])


def test_the_job_of_github_actions(job):
    (text,) = [block for block in blocks("yaml") if "GITHUB_STEP_SUMMARY" in block]
    script = "".join(re.findall(r"- run: ([^|\n].*\n)", text))
    body = text.split("- run: |\n")[1]
    script += "\n".join(line.strip() for line in body.splitlines())
    out, _ = job(script)
    # the sentence, the verdict, and that winners differ; harmless ties are left out
    assert out.count("::notice title=bbc%3A predictions.parquet::") == 3
    assert "::warning" not in out
    assert "**Gate met: lower bound of the AUC" in (job.folder / "summary.md").read_text()


@pytest.mark.sweep
def test_the_job_of_gitlab(job):
    (text,) = [block for block in blocks("yaml") if "artifacts" in block]
    script = "\n".join(re.findall(r"^    - (.*)$", text, re.M))
    job(script.replace("0.7", "0.9"), status=3)
    assert ElementTree.parse(job.folder / "report.xml").getroot().get("failures") == "1"


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_the_makefile(job):
    (text,) = blocks("make")
    (job.folder / "Makefile").write_text(text)
    assert "gate met" in job("make check")[0]
    (job.folder / "Makefile").write_text(text.replace("0.7", "0.9"))
    out, _ = job("make check", status=2)  # make's own
    assert "bbc correct" not in out


@pytest.mark.sweep
def test_the_rules_of_snakemake(job):
    (text,) = blocks("snakemake")
    correct, gate = re.findall(r'shell: "(.*)"', text)
    job(correct.format(input="predictions.parquet", threads=1, output="result.jsonl"))
    job(gate.format(input="result.jsonl result.jsonl", output="report.xml"))
    assert len(ElementTree.parse(job.folder / "report.xml").getroot()) == 2


@pytest.mark.sweep
def test_the_process_of_nextflow(job):
    (text,) = blocks("nextflow")
    (script,) = re.findall(r'"""\n(.*?)"""', text, re.S)
    job("predictions=predictions.parquet\n" + script.replace("$task.cpus", "1"))
    assert (job.folder / "result.jsonl").read_text().count("\n") == 1


def are_numbers(found):
    """Numbers of JSON under text."""
    return all(type(v) in (int, float) and math.isfinite(v) for v in found.values()) and all(
        type(name) is str for name in found
    )


def test_the_stage_of_dvc(job):
    (text,) = [block for block in blocks("yaml") if "stages:" in block]
    job(re.findall(r"cmd: (.*)", text)[0])
    assert "metrics: [metrics.json:" in text
    read = json.loads((job.folder / "metrics.json").read_text())
    assert are_numbers(read)
    assert read["auc_lower"] < read["auc"] < read["auc_naive"]


def test_dvc_reads_the_tree_of_a_batch(job):
    """What DVC takes of a file of metrics: numbers, and objects that hold some."""
    job("bbc batch predictions.parquet -o runs.metrics.json --quiet")
    tree = json.loads((job.folder / "runs.metrics.json").read_text())
    assert list(tree) == ["predictions.parquet"]
    assert are_numbers(tree["predictions.parquet"])


def test_the_lines_for_trackers(job, monkeypatch):
    """Figures of a result where the recipes expect them; the trackers are stand-ins."""
    job("bbc correct predictions.parquet --format metrics --quiet --output metrics.json")
    monkeypatch.chdir(job.folder)
    logged, held = json.loads(Path("metrics.json").read_text()), {}
    assert are_numbers(logged)

    def log_metrics(metrics):
        # what mlflow.utils.validation asks of names, on all systems
        assert all(re.fullmatch(r"[/\w.\- ]{1,250}", name) for name in metrics)
        held.update(metrics)

    run = nullcontext(SimpleNamespace(summary=held))
    for tool, offered in (
        ("mlflow", {"start_run": nullcontext, "log_metrics": log_metrics}),
        ("wandb", {"init": lambda project: run}),
    ):
        monkeypatch.setitem(sys.modules, tool, SimpleNamespace(**offered))
        (lines,) = [block for block in blocks("py") if f", {tool}\n" in block]
        held.clear()
        exec(lines, {})
        assert held == logged, tool


def test_every_command_and_option_exists():
    text = "\n".join(block for block in re.findall(r"^```\w+\n(.*?)^```$", PAGE, re.M | re.S))
    found = re.findall(r"\bbbc (correct|gate) (.*?)(?:[|>]|$)", text, re.M)
    assert len(found) > 10
    for name, arguments in found:
        known = {opt for param in COMMANDS.commands[name].params for opt in param.opts}
        used = {word for word in shlex.split(arguments.strip('"')) if word.startswith("--")}
        assert used <= known


def test_the_settings_of_the_page_are_set(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.chdir(tmp_path)
    (text,) = blocks("toml")
    Path("pyproject.toml").write_text(text)
    lines = run.printed("--show-config").splitlines()
    assert sum("pyproject.toml" in line for line in lines) == text.count(" = ")
    known = {re.sub(r"[.-]", "_", line.split()[0]).upper() for line in lines}
    told = set(re.findall(r"\bBBC_([A-Z_]*[A-Z])\b", PAGE)) - {"FAIL_UNDR"}  # a typo on purpose
    assert len(told) >= 7
    assert told <= known


def test_a_page_tells_every_exit_status():
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    statuses = re.findall(r"^\| (\d+) \|", page, re.M)
    assert statuses == ["0", "1", "2", "3", "4", "5", "130"]
