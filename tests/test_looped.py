"""What the tests are made with: loops that name each case, processes that end as they should."""

import os
import subprocess

import pytest
from day import leave_the_rest
from experiments import experiment
from looped import each, labelled, one_in


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

    @each(*one_in(2, labelled(*"abcde")), case=str)
    def test(case):
        tried.append(case)

    (both,) = test.pytestmark
    by_day, swept = both.args[1]
    test(chosen=by_day)
    assert tried == ["a", "c", "e"]
    test(chosen=swept.values[0])
    assert sorted(tried) == list("abcde")
    assert [mark.name for mark in swept.marks] == ["sweep"]


class Case:
    """What pytest collects, as far as it is asked."""

    def __init__(self, nodeid, *marks):
        self.nodeid, self.marks = nodeid, list(marks)

    def get_closest_marker(self, name):
        return next((mark.mark for mark in self.marks if mark.name == name), None)

    def add_marker(self, mark):
        self.marks.append(mark)


def test_one_in_so_many_cases_is_for_every_day():
    marks = {"t": [pytest.mark.one_in(5)], "u": [], "v": [pytest.mark.one_in(1)]}
    cases = [Case(f"a.py::{test}[{i}]", *marks[test]) for test in marks for i in range(8)]
    few = [Case(f"a.py::few[{i}]") for i in range(2)]
    slow = [Case(f"a.py::u[{i}]", pytest.mark.slow) for i in range(8)]
    alone = Case("a.py::alone")
    leave_the_rest([*slow, *cases, *few, alone])
    by_day = [c.nodeid for c in cases if not c.get_closest_marker("sweep")]
    expected = {"t": (0, 5), "u": (0, 7), "v": range(8)}
    assert by_day == [f"a.py::{test}[{i}]" for test in expected for i in expected[test]]
    assert not any(c.get_closest_marker("sweep") for c in (*slow, *few, alone))


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
