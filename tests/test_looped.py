"""What the tests are made with: loops that name each case, processes that end as they should."""

import os
import subprocess

import pytest
from experiments import experiment
from looped import each, labelled


def test_all_cases_that_fail_are_named_and_no_other():
    @each(labelled(1, 2, 3), number=int)
    def odd(number):
        if number == 3:
            pytest.skip("as a test")
        assert number % 2, "even"

    with pytest.raises(AssertionError, match=r"1 of 3 cases:\n\[2\] even"):
        odd()


def test_cases_are_made_before_the_first_one_runs(monkeypatch):
    made, order = [], []

    @each(labelled("a", "b"), case=lambda case: made.append(case) or case)
    def test(case, monkeypatch):
        order.append((case, list(made)))

    test(monkeypatch=monkeypatch)
    assert order == [("a", ["a", "b"]), ("b", ["a", "b"])]


def test_every_case_is_tried_by_day_or_in_a_sweep():
    tried = []

    @each(labelled(*"ace"), labelled(*"bd"), case=str)
    def test(case):
        tried.append(case)

    (both,) = test.pytestmark
    by_day, swept = both.args[1]
    test(chosen=by_day)
    assert tried == ["a", "c", "e"]
    test(chosen=swept.values[0])
    assert sorted(tried) == list("abcde")
    assert [mark.name for mark in swept.marks] == ["sweep"]


def test_no_two_cases_have_one_name():
    with pytest.raises(AssertionError):
        labelled(1, "1")


@pytest.mark.skipif(os.name == "nt", reason="forks")
@pytest.mark.parametrize(
    ("metric", "status"), [("auc", 0), ("none-such", 2), ("deadly:M", -9)], ids=str
)
def test_a_forked_command_ends_as_a_process_does(forked, tmp_path, metric, status):
    (tmp_path / "p.csv").write_text(experiment(0))
    (tmp_path / "deadly.py").write_text("import os\nos.kill(os.getpid(), 9)\n")
    words = [*forked, "correct", "p.csv", "--method", "cvt", "--metric", metric]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == status, done.stderr
