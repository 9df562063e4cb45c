"""Real test runs of deepeval 4.3.1, and runs as it writes them."""

import json
from pathlib import Path

import numpy as np
import pytest
from documents import codes
from reading import refused

from bbccli import BbcError, read
from bbccli.reading import Roles
from bbccli.stats.verification import verify

FOLDER = Path(__file__).parents[1] / "data" / "evaluations" / "deepeval"
OWN = (5 / 12, 7 / 12, 8 / 12)
N = 12


def case(i, scores, **more):
    metrics = [{"name": name, "score": s, "success": bool(s)} for name, s in scores.items()]
    success = all(scores.values())
    return {"name": f"test_case_{i}", "input": f"q{i}", "success": success,
            "metricsData": metrics, "order": i} | more  # fmt: skip


def run(folder, cases, number=1, **more):
    names = {one["name"] for own in cases for one in own["metricsData"]}
    totals = [
        {"metric": name,
         "scores": [one["score"] for own in cases for one in own["metricsData"]
                    if one["name"] == name and one["score"] is not None]}
        for name in names
    ]  # fmt: skip
    passed = sum(bool(own["success"]) for own in cases)
    log = {"testCases": cases, "metricsScores": totals, "testPassed": passed}
    log |= {"testFailed": len(cases) - passed} | more
    path = folder / f"test_run_20260101_00000{number}.json"
    path.write_text(json.dumps(log))
    return path


def means(matrix):
    found = np.nanmean(matrix.predictions, axis=(0, 1)).tolist()
    return dict(zip(matrix.configurations, found, strict=True))


def test_figures_are_those_of_deepeval():
    matrix = read(FOLDER)
    assert [*means(matrix)] == [path.stem for path in sorted(FOLDER.iterdir())]
    assert [*means(matrix).values()] == pytest.approx(OWN)
    found = verify(matrix)
    assert (found.n_checked, found.largest_difference < 1e-12) == (3, True)
    assert (matrix.source.run.evaluation.score, matrix.notes) == ("Exakt", ())
    assert verify(read(FOLDER, roles=Roles(prediction="success"))).n_checked == 3


def test_of_several_metrics_it_counts_whether_all_hold(tmp_path):
    cases = [case(i, {"exact": i % 2, "short": 0.3 + 0.05 * i}) for i in range(N)]
    cases[0]["metricsData"].append({"name": "late", "score": None, "error": "quota"})
    matrix = read(run(tmp_path, cases))
    assert matrix.source.run.evaluation.n_scored_errors == 0  # the other metrics have scores
    assert (matrix.source.run.evaluation.score, matrix.predictions.mean()) == ("success", 0.5)
    for name in ("exact", "short"):
        found = read(tmp_path, roles=Roles(prediction=name))
        assert verify(found).n_checked == 1
        assert found.outcome.bounds == (0, 1)


def test_hyperparameters_or_an_identifier_tell_runs_apart(tmp_path):
    cases = [[case(i, {"exact": float(i % k > 0)}) for i in range(N)] for k in (2, 3, 4)]
    for number, own in enumerate(cases):
        run(tmp_path, own, number, hyperparameters={"model": f"m{number % 2}", "t": 0})
    matrix = read(tmp_path)
    assert means(matrix) == pytest.approx({"m0": 9 / 12, "m1": 8 / 12})  # the newest of m0
    assert codes(matrix) == ["run-again"]
    for number, own in enumerate(cases):
        run(tmp_path, own, number, identifier=f"try {number}")
    assert read(tmp_path).configurations == ("try 0", "try 1", "try 2")
    for number, own in enumerate(cases):
        settings = {"model": "m", "prompt": {"alias": "p"}}
        run(tmp_path, own, number, identifier=f"try {number}", hyperparameters=settings)
    assert len(set(read(tmp_path).configurations)) == 3


def test_a_count_that_can_not_be_does_not_fill_the_memory(tmp_path):
    cases = [case(i, {"exact": i % 2}) for i in range(N)]
    run(tmp_path, cases, 1, identifier="a", testPassed=10**13)
    run(tmp_path, cases[::-1], 2, identifier="b", testPassed=3, testFailed=N - 3)
    assert verify(read(tmp_path)).n_checked == 2
    found = read(tmp_path, roles=Roles(prediction="success"))
    assert [one.value for one in found.source.run.leaderboard] == [3 / N]


def test_a_metric_that_failed_is_an_error(tmp_path):
    for number in range(2):
        cases = [case(i, {"exact": float(i % 3 > number)}) for i in range(N)]
        cases[4] = case(4, {"exact": None}, success=False)
        cases[4]["metricsData"][0]["error"] = "quota"
        run(tmp_path, cases, number)
    evaluation = read(tmp_path).source.run.evaluation
    assert (evaluation.n_errors, evaluation.n_unscored) == (2, 0)
    assert read(tmp_path, errors="zero").source.run.evaluation.n_scored_errors == 2
    refused("requests? of .* failed, such as item q4: quota", tmp_path, errors="refuse",
            kind=BbcError)  # fmt: skip


def test_inputs_that_are_asked_again(tmp_path):
    """The same input with another expected output is another item, with the same an epoch."""
    cases = [case(i, {"exact": float(i > 3)}, input="q", expectedOutput=str(i)) for i in range(N)]
    assert read(run(tmp_path, cases)).n_samples == N
    matrix = read(run(tmp_path, cases + cases))
    assert (matrix.n_samples, matrix.n_repeats) == (N, 2)
    assert "asked again" in verify(matrix).reason


def test_conversations_are_items(tmp_path):
    talks = [case(i, {"kind": float(i > 3)}) | {"scenario": f"s{i}"} for i in range(N)]
    for one in talks:
        del one["input"]
    path = run(tmp_path, talks)
    log = json.loads(path.read_text())
    log["conversationalTestCases"], log["testCases"] = log["testCases"], []
    path.write_text(json.dumps(log))
    assert read(path).keys.tolist() == [f"s{i}" for i in range(N)]


FAULTS = {
    "cases in an object": ({"testCases": {"a": 1}}, "test case 1 is not in the format of deepeval"),
    "a case in text": ({"testCases": ["a"]}, "test case 1 is not in the format of deepeval"),
    "no name of a metric": (
        {"testCases": [{"name": "a", "metricsData": [{"score": 1}]}]},
        "test case 1 is not in the format of deepeval: it lacks name",
    ),
    "no cases": ({"testCases": []}, "it holds no test cases"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_no_run_is_refused(fault, tmp_path):
    change, words = FAULTS[fault]
    refused(words, run(tmp_path, [case(0, {"exact": 1.0})], **change), kind=BbcError)
