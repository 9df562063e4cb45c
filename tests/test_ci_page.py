"""docs/ci.md: what is shell is run, as a job would run it; the rest uses options that exist."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
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
            assert "gate missed" in err
    assert "environment, BBC_JOBS" in out
    assert "gate missed" not in (job.folder / "summary.md").read_text()
    suite = ElementTree.parse(job.folder / "report.xml").getroot()[0]
    assert suite.get("failures") == "0"


def test_the_job_of_github_actions(job):
    (text,) = [block for block in blocks("yaml") if "runs-on" in block]
    script = "".join(re.findall(r"- run: ([^|\n].*\n)", text))
    body = text.split("- run: |\n")[1]
    script += "\n".join(line.strip() for line in body.splitlines())
    out, _ = job(script)
    # the sentence, the verdict, and that winners differ; harmless ties are left out
    assert out.count("::notice title=bbc%3A predictions.parquet::") == 3
    assert "::warning" not in out
    assert "**Gate met: AUC" in (job.folder / "summary.md").read_text()


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


def test_every_command_and_option_exists():
    text = "\n".join(block for block in re.findall(r"^```\w+\n(.*?)^```$", PAGE, re.M | re.S))
    found = re.findall(r"\bbbc (correct|gate) (.*?)(?:[|>]|$)", text, re.M)
    assert len(found) > 10
    for name, arguments in found:
        known = {opt for param in COMMANDS.commands[name].params for opt in param.opts}
        used = {word for word in shlex.split(arguments.strip('"')) if word.startswith("--")}
        assert used <= known


def test_the_page_tells_every_exit_status():
    statuses = re.findall(r"^\| (\d+) \|", PAGE, re.M)
    assert statuses == ["0", "1", "2", "3", "4", "5", "130"]
