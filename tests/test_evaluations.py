"""The example of an evaluation: the file is what its script makes, and the page tells its truth."""

import importlib.util
from pathlib import Path

import pytest

from bbccli import METHODS, METRICS, Plan, read
from bbccli.types import Task

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "evaluations.md"


@pytest.fixture(scope="module")
def prompts():
    spec = importlib.util.spec_from_file_location("prompts", ROOT / "sample_data" / "prompts.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_file_is_what_the_script_makes(prompts):
    assert prompts.PATH.read_text(encoding="utf-8").splitlines() == prompts.rows()


def test_the_page_tells_what_happens(prompts):
    matrix = read(prompts.PATH, task=Task.SCORE)
    found = METHODS["bbc"].run(matrix, METRICS["mean-score"], Plan())
    truth = prompts.true_scores()[int(found.winner.split()[1]) - 1]
    assert found.interval.lower < truth < found.interval.upper
    page = PAGE.read_text(encoding="utf-8")
    for figure in (f"{found.naive:.1%}", f"{found.value:.1%}", f"{truth:.1%}"):
        assert figure.replace("%", " %") in page
    assert f"{100 * (found.naive - truth):.1f} points too high" in page
    assert f"{100 * (truth - found.value):.1f} too low" in page
