"""action.yml: its shell steps are run as a runner would, and so is what it says of itself."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
INSTALL, CORRECT = "Install bbc", "Correct the winner's performance"
FAIL = "Fail where the gate does"
EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


class Runner:
    """Runs steps in their order: inputs, outputs, environment and files are those of a runner."""

    def __init__(self, folder, shims, **inputs):
        self.folder, self.shims, self.outputs = folder, shims, {}
        defaults = {name: one.get("default") for name, one in ACTION["inputs"].items()}
        self.inputs = defaults | inputs
        self.summary = folder / "summary.md"

    def value(self, match):
        """What an expression stands for."""
        known = {f"inputs.{name}": value for name, value in self.inputs.items()}
        known |= {f"steps.correct.outputs.{name}": v for name, v in self.outputs.items()}
        known |= {"runner.temp": str(self.folder / "temp"), "github.action_path": str(ROOT)}
        name = match[1]
        return known.get(name, "") if name.startswith("steps.") else known[name]

    def run(self, name):
        """Run one step, and return its exit status and what it printed."""
        step, told = STEPS[name], self.folder / "output"
        told.write_text("")
        clean = {key: text for key, text in os.environ.items() if not key.startswith("BBC_")}
        environment = clean | {
            "PATH": f"{self.shims}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_OUTPUT": str(told),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_PATH": str(self.folder / "path"),
            **{key: EXPRESSION.sub(self.value, text) for key, text in step["env"].items()},
        }
        script = self.folder / "step.sh"
        script.write_text(step["run"])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=self.folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.outputs |= dict(line.split("=", 1) for line in told.read_text().splitlines())
        return done.returncode, done.stdout, done.stderr


@pytest.fixture
def runner(tmp_path, forked):
    shims = tmp_path / "bin"
    shims.mkdir()
    (shims / "bbc").write_text(f'#!/bin/sh\nexec {shlex.join(forked)} "$@"\n')
    (shims / "bbc").chmod(0o755)
    shutil.copy(ROOT / "sample_data" / "progression.parquet", tmp_path / "predictions.parquet")

    def make(**inputs):
        quick = "--method bbc --n-resamples 50"
        inputs = {"file": "predictions.parquet"} | inputs
        return Runner(tmp_path, shims, **inputs | {"args": f"{quick} {inputs.get('args', '')}"})

    return make


@pytest.mark.sweep
def test_a_gate_that_is_met(runner):
    job = runner(**{"fail-under": "0.5"})
    status, out, err = job.run(CORRECT)
    assert status == 0, err
    assert (job.outputs["verdict"], job.outputs["status"]) == ("met", "0")
    assert "**Gate met: AUC" in job.summary.read_text()
    assert "::notice" in out
    assert "<html" in Path(job.outputs["page"]).read_text()[:200]
    assert job.run(FAIL)[0] == 0


@pytest.mark.sweep
def test_a_gate_that_is_missed_fails_last(runner):
    job = runner(**{"fail-under": "0.9"})
    assert job.run(CORRECT)[0] == 0  # so that the page is kept
    assert job.outputs["verdict"] == "missed"
    assert "Gate missed" in job.summary.read_text()
    assert Path(job.outputs["result"]).is_file()
    assert job.run(FAIL)[0] == 3


@pytest.mark.sweep
def test_a_gate_that_is_undecided_fails(runner):
    job = runner(args="--method tt", **{"fail-under": "0.5"})
    job.inputs["args"] = "--method tt"
    assert job.run(CORRECT)[0] == 0
    assert job.outputs["verdict"] == "undecided"
    assert job.run(FAIL)[0] == 4


@pytest.mark.parametrize("given", ["", " ", "80%", "80", "0.5 --gate-on estimate"])
def test_a_threshold_that_is_none_is_no_pass(runner, given):
    """A variable that is not set arrives as an empty text."""
    job = runner(**{"fail-under": given})
    status, _, err = job.run(CORRECT)
    assert status == 2
    assert "--fail-under" in err
    assert job.outputs.get("verdict", "") == ""


@pytest.mark.sweep
def test_without_a_gate_there_is_a_summary(runner):
    job = runner()
    status, out, err = job.run(CORRECT)
    assert status == 0, err
    assert job.outputs["verdict"] == ""
    assert "0.8" in job.summary.read_text()
    assert "::notice" in out
    assert job.run(FAIL)[0] == 0


@pytest.mark.sweep
def test_input_that_is_bad_fails_at_once(runner):
    job = runner(file="none.parquet")
    status, _, err = job.run(CORRECT)
    assert status == 2
    assert "error: " in err
    assert "result" not in job.outputs


@pytest.mark.sweep
def test_words_are_split_and_never_run(runner):
    job = runner(args="""--only 'logistic-l2 C=1' --only "lda*" --seed 7""")
    assert job.run(CORRECT)[0] == 0
    assert '"seed": 7' in Path(job.outputs["result"]).read_text()
    hostile = runner(args="--metric auc $(touch ran) `touch ran` ; touch ran")
    assert hostile.run(CORRECT)[0] == 2
    assert not (hostile.folder / "ran").exists()
    assert runner(args="--metric 'auc").run(CORRECT)[0] != 0  # a quote that does not close


def test_it_installs_itself(runner):
    job = runner()
    python = job.shims / "fake"
    python.write_text(
        '#!/bin/sh\necho "$@" >> calls\n'
        'if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; fi\n'
    )
    python.chmod(0o755)
    job.inputs["python"] = str(python)
    status, _, err = job.run(INSTALL)
    assert status == 0, err
    asked = (job.folder / "calls").read_text().splitlines()
    assert asked[0].startswith("-m venv ")
    assert asked[1].endswith(f"{ROOT}[report]")
    assert Path((job.folder / "path").read_text().strip()).is_dir()


def test_no_expression_stands_in_a_script():
    """What a person writes into an input would be run."""
    for step in STEPS.values():
        assert "${{" not in step.get("run", "")
        assert step.get("shell", "bash") == "bash"


def test_all_that_it_names_exists():
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(ACTION["inputs"])
    named = set(re.findall(r"steps\.correct\.outputs\.(\w+)", text))
    assert named == set(re.findall(r'echo "(\w+)=', STEPS[CORRECT]["run"]))
    used = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())
    (step,) = [one for one in used["jobs"]["action"]["steps"] if one.get("uses") == "./"]
    assert set(step["with"]) <= set(ACTION["inputs"])
