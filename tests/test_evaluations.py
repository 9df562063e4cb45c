"""The example of an evaluation: the file is what its script makes, and the page tells its truth."""

import importlib.util
from pathlib import Path

import pytest

import bbccli
from bbccli import METHODS, METRICS, Plan, read
from bbccli.reading import Roles
from bbccli.types import Task

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "evaluations.md"


def script(name):
    path = ROOT / "sample_data" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def prompts():
    return script("prompts")


@pytest.fixture(scope="module")
def ten():
    return script("ten_prompts")


def test_the_file_is_what_the_script_makes(prompts):
    assert prompts.PATH.read_text(encoding="utf-8").splitlines() == prompts.rows()


def test_the_page_tells_what_happens(prompts):
    matrix = read(prompts.PATH, task=Task.SCORE)
    found = METHODS["bbc"].run(matrix, METRICS["mean-score"], Plan())
    truth = prompts.true_scores()[int(found.winner.split()[1]) - 1]
    assert found.interval.lower < truth < found.interval.upper
    page = PAGE.read_text(encoding="utf-8")
    for figure in (f"{found.naive:.1%}", f"{found.value:.1%}", f"{truth:.1%}"):
        assert figure in page
    assert f"{100 * (found.naive - truth):.1f} points too high" in page
    assert f"{100 * (truth - found.value):.1f} too low" in page


def test_ten_prompts_are_what_their_script_makes(ten):
    assert ten.PATH.read_text(encoding="utf-8").splitlines() == ten.rows()


def test_the_page_on_ten_prompts_tells_what_happens(ten):
    matrix = read(ten.PATH, task=Task.SCORE, roles=Roles(group="passage"))
    found, truth = METHODS["bbc"].run(matrix, METRICS["mean-score"], Plan()), ten.true_scores()
    own = truth[found.winner]
    assert found.interval.lower < own < found.interval.upper
    page = (ROOT / "docs" / "ten-prompts.md").read_text(encoding="utf-8")
    figures = (found.naive, found.value, own, truth["plain"], max(truth.values()))
    for figure in figures:
        assert f"{100 * figure:.1f}%" in page
    assert f"{100 * min(truth.values()):.1f} to" in page
    assert f"{100 * (found.naive - own):.1f} points too high" in page
    assert f"corrected one {100 * (own - found.value):.1f} too low" in page
    plain = matrix.predictions[:, :, matrix.configurations.index("plain")].mean()
    assert f"{100 * (found.naive - plain):.1f} points as measured" in page
    assert f"in truth by {100 * (own - truth['plain']):.1f}" in page
    clustered = METHODS["clustered"].run(matrix, METRICS["mean-score"], Plan())
    said = bbccli.compare(matrix, metric="mean-score", baseline="plain")
    ends = [
        f"{100 * one.interval.lower:.1f} to {100 * one.interval.upper:.1f}%"
        for one in (clustered, found)
    ]
    paired = bbccli.compare(matrix, metric="mean-score", pair=("expert", "plain"))
    for row in (
        f"| `expert` gets right | {100 * found.naive:.1f}% | {100 * found.value:.1f}% "
        f"| {100 * own:.1f}% |",
        f"| its 95% interval | {ends[0]} | {ends[1]} | |",
        f"| {100 * said.difference:.1f} points, p {paired.p:.3f} "
        f"| {100 * said.corrected:.1f} points, not shown "
        f"| {100 * (own - truth['plain']):.1f} points |",
    ):
        assert row in page
    assert said.verdict == "not-shown"
    assert max(truth, key=truth.get) == "step by step"
