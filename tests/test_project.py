"""Files beside the source: citation, workflow, templates, targets, the changelog."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import bbccli
from tests.mutants.rooms import ROOMS

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.M))
TEMPLATES = ROOT / ".github" / "ISSUE_TEMPLATE"


def loaded(name):
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def test_the_citation_is_of_this_version():
    citation = loaded("CITATION.cff")
    assert citation["version"] == bbccli.__version__
    assert citation["license"] == PROJECT["license"]
    assert [one["name"] for one in citation["authors"]] == [
        one["name"] for one in PROJECT["authors"]
    ]


def test_every_work_that_is_cited_can_be_found():
    for work in loaded("CITATION.cff")["references"]:
        assert work["title"]
        assert work["authors"]
        assert isinstance(work["year"], int)
        found = work.get("doi", "") or work.get("url", "")
        assert re.match(r"10\.\d{4,}/\S+$|https://", found), work["title"]
    readme = (ROOT / "README.md").read_text("utf-8")
    for doi in re.findall(r"https://doi\.org/([^)\s]+)", readme):
        assert doi in (ROOT / "CITATION.cff").read_text("utf-8")


def test_the_changelog_begins_with_this_version():
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    first = re.search(r"^## \[(?:Unreleased\]: )?([\d.]+)", text, re.M)
    assert first[1] == bbccli.__version__
    released = re.search(r"^## \[[\d.]+\] - ([\d-]+)$", text, re.M)
    assert loaded("CITATION.cff")["date-released"].isoformat() == released[1]
    versions = re.findall(r"^## \[(?:Unreleased\]: )?(\d+)\.(\d+)\.(\d+)", text, re.M)
    numbers = [tuple(map(int, one)) for one in versions]
    assert numbers == sorted(set(numbers), reverse=True)


def test_a_stable_version_says_so():
    (status,) = [one for one in PROJECT["classifiers"] if one.startswith("Development Status")]
    assert status.endswith("5 - Production/Stable") == (int(bbccli.__version__[0]) >= 1)
    assert "Typing :: Typed" in PROJECT["classifiers"]


def test_the_workflow_runs_targets_that_exist():
    jobs = loaded(".github/workflows/tests.yml")["jobs"]
    assert set(jobs["checks"]["strategy"]["matrix"]["target"]) <= TARGETS
    matrix = jobs["tests"]["strategy"]["matrix"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert {one.partition("-")[0] for one in matrix["os"]} == {"ubuntu", "macos", "windows"}
    lowest = PROJECT["requires-python"].removeprefix(">=")
    assert matrix["python"][0] == lowest == jobs["checks"]["steps"][1]["with"]["python-version"]


def test_what_was_not_run_is_said():
    """A Python or system with a classifier is one where the tests passed."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| (3\.[\d, .]+) \| (.*) \|$", text, re.M))
    passing = ", ".join(row for row in rows if "passes" in rows[row]).split(", ")
    passed = {f"Programming Language :: Python :: {one}" for one in passing}
    claimed = {one for one in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", one)}
    assert claimed == passed
    matrix = loaded(".github/workflows/tests.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert ", ".join(rows).split(", ") == matrix["python"]


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.yml")), ids=lambda path: path.name)
def test_issue_forms_are_whole(path):
    form = loaded(path)
    if path.name == "config.yml":
        assert form == {"blank_issues_enabled": True}
        return
    assert form["name"]
    assert form["description"]
    ids = [one["id"] for one in form["body"]]
    assert len(ids) == len(set(ids)) > 0
    assert all(one["attributes"]["label"] for one in form["body"])


def test_hooks_run_what_exists():
    (repository,) = loaded(".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"  # nothing is fetched
    for hook in repository["hooks"]:
        assert hook["language"] == "system"
        program, *words = hook["entry"].split()
        assert program == "make" or (ROOT / next(w for w in words if w.endswith(".py"))).is_file()
        assert program != "make" or set(words) <= TARGETS


def test_every_target_that_a_page_names_exists():
    for name in (
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        *sorted((ROOT / "docs").glob("*.md")),
    ):
        text = (ROOT / name).read_text("utf-8")
        shown = re.findall(r"`make ([a-z- ]+)`", text) + re.findall(r"^make ([a-z-]+)", text, re.M)
        assert {one for words in shown for one in words.split()} <= TARGETS, name


def test_extras_that_make_installs_exist():
    wanted = set(re.findall(r"\$\(VENV\)/installed-([a-z]+)", MAKEFILE))
    assert wanted <= set(PROJECT["optional-dependencies"])


def test_the_recipe_needs_what_the_package_needs():
    text = (ROOT / "conda" / "meta.yaml").read_text("utf-8")
    assert f'{{% set version = "{bbccli.__version__}" %}}' in text
    plain = re.sub(r"\{\{.*?\}\}", "x", re.sub(r"\{%.*?%\}", "", text))
    recipe = yaml.safe_load(plain)
    needs = {one.replace(" ", "") for one in recipe["requirements"]["run"]}
    python = f"python{PROJECT['requires-python']}"
    assert needs == {python, *PROJECT["dependencies"]}
    (script,) = recipe["build"]["entry_points"]
    assert script == f"bbc = {PROJECT['scripts']['bbc']}"


def test_the_image_is_built_from_what_it_is_sent():
    sent = (ROOT / ".dockerignore").read_text("utf-8").split()
    assert sent[0] == "*"
    for name in (one.removeprefix("!") for one in sent[1:]):
        assert (ROOT / name).exists()
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    for files in setup["data-files"].values():
        assert all((ROOT / file).is_file() for file in files)
        assert all(f"!{file.split('/')[0]}" in sent for file in files)
    lines = (ROOT / "Dockerfile").read_text("utf-8").splitlines()
    assert lines.index("USER bbc") < lines.index('ENTRYPOINT ["bbc"]')


def test_a_release_is_tested_before_it_is_published():
    jobs = loaded(".github/workflows/release.yml")["jobs"]
    assert set(jobs["publish"]["needs"]) == {"test", "image"}
    assert {jobs[one]["needs"] for one in jobs["publish"]["needs"]} == {"build"}
    systems = jobs["test"]["strategy"]["matrix"]["os"]
    assert {one.partition("-")[0] for one in systems} == {"ubuntu", "macos", "windows"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}


def test_the_rooms_of_mutations_and_their_tests_are_there():
    """Pytest ends with an error where a file is not, as if a mutation had died of it."""
    for room in ROOMS:
        assert all((ROOT / one).exists() for one in room.modules), room
        assert all((ROOT / "tests" / one).exists() for one in (*room.near, *room.tests)), room
