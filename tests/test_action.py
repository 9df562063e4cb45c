"""action.yml: its shell steps are run as a runner would, and so is what it says of itself."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from day import swept

ROOT = Path(__file__).resolve().parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
INSTALL, CORRECT = "Install bbc", "Correct the winner's performance"
FAIL = "Fail where the gate does"
EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


class Runner:
    """Runs the steps of one use in a job: inputs, outputs, environment and files are a runner's."""

    def __init__(self, folder, fake, **inputs):
        self.folder, self.temp, self.outputs = folder, folder / "temp", {}
        self.inputs = {name: one.get("default") for name, one in ACTION["inputs"].items()}
        self.inputs |= {"python": str(fake), "artifact": "bbc"} | inputs
        self.summary, self.paths = folder / "summary.md", folder / "path"
        self.environment = {"UNDRAWN": "1"}  # what draws takes a second to start

    def value(self, match):
        """What an expression stands for."""
        known = {f"inputs.{name}": value for name, value in self.inputs.items()}
        name = match[1]
        if name in known:
            return known[name]
        assert name.startswith("steps."), name
        return self.outputs.get(name.rpartition(".")[2], "")

    def run(self, name):
        """Run one step, after that which installs, and return its status and what it printed."""
        if name != INSTALL and "place" not in self.outputs:
            self.run(INSTALL)
        step, told = STEPS[name], self.folder / "output"
        told.write_text("")
        clean = {key: text for key, text in os.environ.items() if not key.startswith("BBC_")}
        added = self.paths.read_text().splitlines()[::-1] if self.paths.is_file() else []
        environment = clean | {
            "PATH": os.pathsep.join([*added, os.environ["PATH"]]),
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(told),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_PATH": str(self.paths),
            **self.environment,
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

    def whole(self):
        """Run all steps that a runner would, and return the status of the job and what it said."""
        said = ""
        for name in (INSTALL, CORRECT, FAIL):
            status, out, err = self.run(name)
            said += out + err
            if status:
                return status, said
        return 0, said


FAKE = """#!/bin/sh
echo "$@" >> calls
if [ "$3" != venv ]; then exit; fi
mkdir -p "$4/{scripts}"
cp "$0" "$4/{scripts}/python"
printf '#!/bin/sh\\nexec {bbc} "$@"\\n' > "$4/{scripts}/bbc{exe}"
chmod 755 "$4/{scripts}/bbc{exe}"
"""
"""A Python that makes an environment with `bbc`, and tells how it was called."""


@pytest.fixture
def runner(tmp_path, forked):
    """One use of the action; each call is another use in the same job."""
    (tmp_path / "temp").mkdir()
    shutil.copy(ROOT / "sample_data" / "progression.parquet", tmp_path / "predictions.parquet")

    def make(scripts="bin", exe="", **inputs):
        fake = tmp_path / "fake"
        fake.write_text(FAKE.format(scripts=scripts, exe=exe, bbc=shlex.join(forked)))
        fake.chmod(0o755)
        quick = "--method bbc --n-resamples 50"
        inputs = {"file": "predictions.parquet"} | inputs
        return Runner(tmp_path, fake, **inputs | {"args": f"{quick} {inputs.get('args', '')}"})

    return make


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("inputs", "verdict", "words", "status"),
    [
        ({"fail-under": "0.5"}, "met", "**Gate met: lower bound of the AUC", 0),
        ({"fail-under": "0.9"}, "missed", "Gate failed", 3),
        ({"fail-under": "0.5", "args": "--method tt"}, "undecided", "Gate undecided", 4),
        ({}, "", "0.8", 0),
    ],
)
def test_a_gate_fails_last_so_that_the_page_is_kept(runner, inputs, verdict, words, status):
    job = runner(**inputs)
    job.inputs |= inputs  # methods of a case alone
    done, out, err = job.run(CORRECT)
    assert (done, job.outputs["verdict"], job.outputs["status"]) == (0, verdict, str(status)), err
    assert words in job.summary.read_text()
    assert "::notice" in out
    assert "<html" in Path(job.outputs["page"]).read_text()[:200]
    assert Path(job.outputs["result"]).is_file()
    assert job.run(FAIL)[0] == status


@pytest.mark.parametrize("fail_under", ["none", "0.5"])
@pytest.mark.parametrize(("fail_on", "status"), [("none", 0), ("doubt", 3)])
def test_a_doubt_is_annotated_and_fails_where_asked(runner, fail_under, fail_on, status):
    job = runner(**{"fail-under": fail_under, "fail-on": fail_on, "file": "leak.csv"})
    rows = [
        f"{n % 2},{n % 2 + n / 1e3},{n * 7 % 11 / 13 + n % 2 / 9},{n * 5 % 13 / 17}"
        for n in range(60)
    ]
    (job.folder / "leak.csv").write_text("truth,leak,a,b\n" + "\n".join(rows) + "\n")
    done, said = job.whole()
    assert done == status, said
    assert "::warning title=bbc%3A leak.csv::doubt: leak ranks all samples as the truth" in said
    assert "**DOUBT:** leak ranks all samples" in job.summary.read_text()
    assert job.outputs["verdict"] == ("" if fail_under == "none" else "met")
    assert ("gate met, with doubts" in said) == (fail_under != "none")
    page = Path(job.outputs["page"]).read_text()
    assert re.search(r"DOUBT</strong> (<[^>]*>)*leak(<[^>]*>)* ranks", page)


@pytest.mark.sweep
def test_words_are_split_and_never_run(runner):
    job = runner(args="""--only 'logistic-l2 C=1' --only "lda*" --seed 7""")
    assert job.run(CORRECT)[0] == 0
    assert '"seed": 7' in Path(job.outputs["result"]).read_text()
    hostile = runner(args="--metric auc $(touch ran) `touch ran` ; touch ran")
    assert hostile.run(CORRECT)[0] == 2
    assert not (hostile.folder / "ran").exists()
    assert runner(args="--metric 'auc").run(CORRECT)[0] != 0  # a quote that does not close


@pytest.mark.parametrize(("scripts", "exe"), [("bin", ""), ("Scripts", ".exe")])
def test_it_installs_itself_and_leaves_the_python_of_the_job(runner, scripts, exe):
    job = runner(scripts=scripts, exe=exe)
    status, _, err = job.run(INSTALL)
    assert status == 0, err
    asked = (job.folder / "calls").read_text().splitlines()
    assert asked[0].startswith("-I -m venv ")
    assert asked[1].endswith(f"{ROOT}[report]")
    (added,) = job.paths.read_text().splitlines()
    assert [path.name for path in Path(added).iterdir()] == [f"bbc{exe}"]


def test_two_uses_in_one_job_have_nothing_in_common(runner):
    """The second has no result, or one of its own, and never that of the first."""
    first = runner(**{"fail-under": "0.5"})
    assert first.whole()[0] == 0
    kept = Path(first.outputs["result"]).read_bytes()
    broken = runner(file="none.parquet", **{"fail-under": "0.5"})
    status, said = broken.whole()
    assert status == 2
    assert "error: none.parquet: no such file" in said
    assert broken.outputs.keys() == {"place", "status"}
    second = runner(**{"fail-under": "0.9"})
    assert second.whole()[0] == 3
    assert second.outputs["verdict"] == "missed"
    assert second.outputs["result"] != first.outputs["result"]
    assert Path(first.outputs["result"]).read_bytes() == kept
    assert (first.outputs["artifact"], second.outputs["artifact"]) == ("bbc", "bbc-2")


@pytest.mark.parametrize(
    "name",
    [
        "-q.parquet",
        swept("--help"),
        swept("a b.parquet"),
        swept('it\'s "so".parquet'),
        "$(touch ran).parquet",
        swept("`touch ran`.parquet"),
        swept("a\nverdict=met\n.parquet"),
        swept("::error::x.parquet"),
        "a;touch ran",
    ],
)
def test_a_file_by_any_name(runner, name):
    job = runner(file=name, **{"fail-under": "0.9"})
    shutil.copy(job.folder / "predictions.parquet", job.folder / name)
    status, said = job.whole()
    assert (status, job.outputs["verdict"]) == (3, "missed"), said
    assert not (job.folder / "ran").exists()
    assert not re.search(r"^::error::x", said, re.M)


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({"file": ""}, "the name of a file is empty"),
        ({"fail-on": "doubts"}, "--fail-on"),
        ({"fail-under": ""}, "--fail-under"),  # as of a variable that is not set
        *(swept({"fail-under": given}, "--fail-under") for given in (" ", "80%", "80")),
        swept({"fail-under": "0.5 --gate-on estimate"}, "--fail-under"),
        swept({"args": "--format csv"}, "--format"),
        ({"args": "--output other.json"}, "--output"),
        swept({"args": "--fail-under 0.1", "fail-under": "0.9"}, "--fail-under"),
        ({"args": "--only ''", "fail-under": "0.9"}, "--only"),
        swept({"args": "-- --quiet", "fail-under": "0.9"}, "--quiet"),
    ],
)
def test_inputs_that_make_no_sense_fail(runner, inputs, told):
    job = runner(**inputs)
    status, said = job.whole()
    assert (status, job.outputs.get("verdict", "")) == (2, "")
    assert told in said
    assert len(re.findall(r"^error: ", said, re.M)) == 1


def test_the_verdict_is_that_of_the_job(runner):
    """A default of the project sets no other gate for what is shown."""
    job = runner(args="--fail-under 0.9")
    job.environment = {"BBC_FAIL_UNDER": "0.1"}
    (job.folder / "bbc.toml").write_text("fail-under = 0.1\n")
    assert job.whole()[0] == 3
    assert job.outputs["verdict"] == "missed"
    assert "Gate failed" in job.summary.read_text()


@pytest.mark.parametrize(
    ("given", "kept"),
    [("", None), swept(" ", None), swept("-x\n", "-x"), swept("a\nverdict=met", "a")],
)
def test_the_name_of_the_artifact(runner, given, kept):
    job = runner(artifact=given)
    assert job.whole()[0] == 0
    assert (job.outputs.get("artifact"), job.outputs["verdict"]) == (kept, "")


def test_jobs_keep_artifacts_apart():
    default = ACTION["inputs"]["artifact"]["default"]
    assert re.findall(EXPRESSION, default) == ["github.job", "strategy.job-index"]


def test_a_job_without_a_status_fails(runner):
    assert runner().run(FAIL)[0] != 0


def test_no_expression_stands_in_a_script():
    """What a person writes into an input would be run."""
    for step in STEPS.values():
        assert "${{" not in step.get("run", "")
        assert step.get("shell", "bash") == "bash"


def test_all_that_it_names_exists():
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(ACTION["inputs"])
    for step in (INSTALL, CORRECT):
        named = set(re.findall(rf"steps\.{STEPS[step]['id']}\.outputs\.(\w+)", text))
        assert named == set(re.findall(r'echo "(\w+)=', STEPS[step]["run"]))
    used = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())
    (step,) = [one for one in used["jobs"]["action"]["steps"] if one.get("uses") == "./"]
    assert set(step["with"]) <= set(ACTION["inputs"])
