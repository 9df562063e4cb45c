"""What docs/extending.md shows works, in a package of its own."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "extending.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```(?:python|toml)\n# (\S+)\n(.*?)^```$", PAGE, re.M | re.S))
ASKED, ANSWER = re.search(r"^\$ bbc (.*)\n(halves: .*)\n```", PAGE, re.M).groups()


def installed(place, files):
    """Write the package, and what an installer would say of its entry points."""
    for name, text in files.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
    (place / "lab" / "__init__.py").touch()
    about = tomllib.loads(files["pyproject.toml"])["project"]
    dist = place / "lab-0.1.dist-info"
    dist.mkdir()
    (dist / "METADATA").write_text("Metadata-Version: 2.1\nName: lab\nVersion: 0.1\n")
    groups = about["entry-points"].items()
    lines = [f"[{group}]\n{name} = {where}\n" for group, e in groups for name, where in e.items()]
    (dist / "entry_points.txt").write_text("".join(lines))


def a_run(place):
    rng = np.random.default_rng(8)
    label = rng.integers(0, 2, 60)
    place.mkdir()
    (place / "lab.json").write_text(
        json.dumps({"label": label.tolist(), "fold": (np.arange(60) % 5).tolist()})
    )
    for name in ("weight", "x::1", "third"):
        p = 1 / (1 + np.exp(-2 * (label - 0.5) - rng.normal(size=60)))
        (place / f"{name}.model.json").write_text(json.dumps(p.tolist()))


def bbc(place, *words):
    script = (
        f"import sys; sys.path.insert(0, {str(place)!r}); from bbccli.__main__ import run; run()"
    )
    return subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    place = tmp_path_factory.mktemp("lab")
    installed(place, FILES)
    a_run(place / "lab_run")
    return place


def test_what_the_page_shows(lab):
    assert set(FILES) == {
        "pyproject.toml",
        *("lab/reader.py", "lab/metric.py", "lab/method.py", "lab/form.py"),
    }
    done = bbc(lab, *ASKED.split())
    assert (done.returncode, done.stdout) == (0, f"{ANSWER}\n"), done.stderr


def test_names_are_no_roles(lab):
    done = bbc(lab, "leaderboard", "lab_run", "--metric", "hits", "--format", "json")
    rows = json.loads(done.stdout)["rows"]
    assert {row["configuration"] for row in rows} == {"weight", "x::1", "third"}


def test_its_errors_name_their_file(lab, tmp_path):
    a_run(tmp_path / "run")
    (tmp_path / "run" / "third.model.json").write_text("[0.5]")
    done = bbc(lab, "correct", str(tmp_path / "run"))
    assert done.returncode == 2
    assert "third.model.json: has 1 predictions, but there are 60 samples" in done.stderr


@pytest.mark.parametrize(
    ("file", "text", "words", "error"),
    [
        ("lab/metric.py", "import nothing_here", "--metric hits", "cannot load hits, which lab"),
        ("lab/metric.py", "HITS = 3", "--metric hits", "is not a Metric"),
        ("lab/reader.py", "RUNS = 3", "", "is not a tuple"),
        ("lab/method.py", "1 / 0", "--method halves", "ZeroDivisionError: division by zero"),
        ("lab/form.py", "BRIEF = None", "--format brief", "is not a Form"),
    ],
)
def test_what_is_broken_is_named_with_its_package(tmp_path, file, text, words, error):
    installed(tmp_path, FILES | {file: text})
    a_run(tmp_path / "lab_run")
    done = bbc(tmp_path, "correct", "lab_run", *words.split())
    assert done.returncode == 2
    assert error in done.stderr
    assert "install lab again, or uninstall it" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_name_of_ours_stays_ours(tmp_path):
    changed = FILES["pyproject.toml"].replace("hits =", "auc =")
    installed(tmp_path, FILES | {"pyproject.toml": changed})
    a_run(tmp_path / "lab_run")
    done = bbc(tmp_path, "correct", "lab_run", "--metric", "auc", "--format", "json")
    assert json.loads(done.stdout)["estimates"][0]["metric"] == "auc"
    unknown = bbc(tmp_path, "correct", "lab_run", "--metric", "hits")
    assert unknown.returncode == 2
    assert "no metric named 'hits'" in unknown.stderr
