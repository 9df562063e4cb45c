"""Reports of SWE-bench, logs of openai-evals and JUnit XML, and what is wrong with others."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from reading import refused

from bbccli import BbcError, read
from bbccli.readers import Roles
from bbccli.stats.verification import verify
from bbccli.types import Missing, Task

LOGS = Path(__file__).parents[1] / "data" / "evaluations"
N = 12
RIGHT = {
    a: [(i * (k + 3) + k) % 7 < 4 for i in range(N)] for k, a in enumerate(("ada", "bob", "cyd"))
}
"""As make_agents.py has it."""


def means(matrix):
    there = matrix.available
    there = np.ones(matrix.predictions.shape, bool) if there is None else there
    found = np.where(there, matrix.predictions, 0).sum(axis=(0, 1)) / there.sum(axis=(0, 1))
    return dict(zip(matrix.configurations, found.tolist(), strict=True))


def copied(kind, folder):
    return Path(shutil.copytree(LOGS / kind, folder / kind))


def checked(folder, kind):
    """The matrix of a folder, whose figures are those of the framework."""
    matrix = read(folder)
    assert matrix.task is Task.SCORE
    assert matrix.outcome.bounds == (0, 1)
    assert matrix.source.run.tool == kind
    found = verify(matrix)
    assert found.n_checked == 3
    assert found.largest_difference < 1e-12
    return matrix


# SWE-bench


def reports(folder):
    """Path and content of each report, to be changed."""
    for path in sorted(folder.iterdir()):
        yield path, json.loads(path.read_text())


def test_reports_count_all_instances():
    matrix = checked(LOGS / "swebench", "SWE-bench")
    assert matrix.n_samples == N
    own = [sum(right[: N - 3]) / N for right in RIGHT.values()]
    assert list(means(matrix).values()) == pytest.approx(own)
    assert matrix.configurations[1] == "org__bob-4.1"  # dots belong to models, too
    evaluation = matrix.source.run.evaluation
    assert (evaluation.n_scored_errors, evaluation.n_unscored) == (6, 0)


def test_instances_are_grouped_by_repository():
    assert read(LOGS / "swebench", roles=Roles(group="repository")).n_groups == 4


def drop_incomplete(report):
    report["incomplete_ids"] = []


def drop_unresolved(report):
    report["unresolved_ids"] = []


def only_resolved(report):
    for key in [*report]:
        if key.endswith("_ids") and key != "resolved_ids":
            del report[key]


def resolve_an_error(report):
    report["resolved_ids"] += report["error_ids"]


def name_twice(report):
    report["resolved_ids"] += report["resolved_ids"][:1]


def text_for_a_list(report):
    report["error_ids"] = "proj0__repo-100"


def numbers_for_names(report):
    report["error_ids"] = [1]


def another_total(report):
    report["total_instances"] = 500


def a_claim(report):
    report["resolved_instances"] += 1


def an_unknown_fate(report):
    report["submitted_ids"] += ["proj9__repo-1"]


def text_for_a_total(report):
    report["total_instances"] = "12"


WRONG_REPORTS = {
    text_for_a_total: "total_instances is no number",
    drop_incomplete: "11 of 12 are named",
    drop_unresolved: "has no verdict",
    only_resolved: "of 12 are named",
    resolve_an_error: "is among resolved_ids and error_ids",
    name_twice: "twice",
    text_for_a_list: "is no list of instances",
    numbers_for_names: "is no list of instances",
    another_total: "12 of 500 are named",
    an_unknown_fate: "proj9__repo-1 has no verdict",
}


@pytest.mark.parametrize("wrong", WRONG_REPORTS)
@pytest.mark.one_in(1)
def test_reports_that_are_not_whole(wrong, tmp_path):
    for path, report in reports(copied("swebench", tmp_path)):
        wrong(report)
        path.write_text(json.dumps(report))
    refused(WRONG_REPORTS[wrong], tmp_path / "swebench", kind=BbcError)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("swebench", "is not valid JSON"),
        ("openai_evals", "is not valid JSON"),
        ("junit", "no JUnit XML"),
    ],
)
@pytest.mark.one_in(1)
def test_a_log_that_is_cut_off_is_not_passed_over(kind, words, tmp_path):
    first = min(copied(kind, tmp_path).iterdir())
    first.write_bytes(first.read_bytes()[:-300])
    refused(words, tmp_path / kind, kind=BbcError)


def test_a_log_whose_first_line_is_lost_is_not_passed_over(tmp_path):
    first = min(copied("openai_evals", tmp_path).iterdir())
    written(first, lines(first)[1:])
    refused("no spec names the eval", tmp_path / "openai_evals", kind=BbcError)


def test_a_count_that_the_lists_contradict(tmp_path):
    for path, report in reports(copied("swebench", tmp_path)):
        a_claim(report)
        path.write_text(json.dumps(report))
    with pytest.raises(BbcError, match=r"0.583333 by SWE-bench's own figure"):
        verify(read(tmp_path / "swebench"))


def test_newer_reports_have_more_fates(tmp_path):
    for path, report in reports(copied("swebench", tmp_path)):
        report["infra_failure_ids"] = report["unresolved_ids"][:1]
        report["unresolved_ids"] = report["unresolved_ids"][1:]
        path.write_text(json.dumps(report))
    matrix = read(tmp_path / "swebench")
    assert matrix.source.run.evaluation.n_scored_errors == 9
    assert matrix.n_samples == N


def test_other_instances_in_one_report(tmp_path):
    (path, report), *_ = reports(copied("swebench", tmp_path))
    for key, ids in report.items():
        if key.endswith("_ids"):
            report[key] = [name.replace("proj1", "proj7") for name in ids]
    path.write_text(json.dumps(report))
    refused("9 of 15 items are common", tmp_path / "swebench", kind=BbcError)
    common = read(tmp_path / "swebench", missing=Missing.COMMON_ROWS)
    assert common.n_samples == 9


def test_two_runs_of_one_model(tmp_path):
    folder = copied("swebench", tmp_path)
    (path, report), *_ = reports(folder)
    again = path.with_name(path.name.replace("run1", "run2"))
    again.write_text(json.dumps(report))
    assert read(folder).n_configurations == 3  # with the same results
    report["unresolved_ids"].append(report["resolved_ids"].pop())
    again.write_text(json.dumps(report))
    refused("neither tells that it is newer", folder, kind=BbcError)


# openai-evals


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def written(path, objects):
    path.write_text("".join(json.dumps(one) + "\n" for one in objects))


def test_samples_stand_in_any_order():
    matrix = checked(LOGS / "openai_evals", "openai-evals")
    found = means(matrix)
    assert found["ada"] == pytest.approx(np.mean(RIGHT["ada"]))
    assert found["bob"] == pytest.approx(np.mean(np.delete(RIGHT["bob"], 5)))
    order = [int(key.rpartition(".")[2]) for key in matrix.keys]
    assert matrix.predictions[0, :, 0].tolist() == [float(RIGHT["ada"][i]) for i in order]
    assert matrix.source.run.evaluation.n_errors == 1
    assert "available-cases" in [note.code for note in matrix.notes]


def test_metrics_of_samples():
    matrix = read(LOGS / "openai_evals", roles=Roles(prediction="length"))
    assert means(matrix)["ada"] == pytest.approx(np.arange(N).mean() / 10)
    assert matrix.outcome.bounds is None


def only_first(found):
    return found[:1]


def without_spec(found):
    return found[1:]


def no_models(found):
    return [{"spec": {"eval_name": "sums"}}, *found[1:]]


def a_verdict_in_words(found):
    return [found[0], {"sample_id": "x", "type": "match", "data": {"correct": "yes"}}, *found[1:]]


def no_verdicts(found):
    return [one for one in found if one.get("type") not in ("match", "metrics")]


def right_ones_alone(found):
    return [one for one in found if one.get("type") != "match" or one["data"]["correct"]]


def another_eval(found):
    found[0]["spec"]["eval_name"] += found[0]["spec"]["run_id"]
    return found


def unfinished(found):
    return found[:-1]


WRONG_LOGS = {
    only_first: "no log of openai-evals that can be used",
    no_models: "no spec names the eval and the model",
    without_spec: "no spec names the eval and the model",
    a_verdict_in_words: "neither right nor wrong",
    no_verdicts: "no answer has a score",
    right_ones_alone: "every score is 1, and|accuracy|reports",
    another_eval: "no task was run by all 3 configurations",
    unfinished: "there is no final_report",
}


@pytest.mark.parametrize("wrong", WRONG_LOGS)
@pytest.mark.one_in(1)
def test_logs_that_cannot_be_used(wrong, tmp_path):
    for path in sorted(copied("openai_evals", tmp_path).iterdir()):
        written(path, wrong(lines(path)))
    with pytest.raises(BbcError, match=WRONG_LOGS[wrong]):
        verify(read(tmp_path / "openai_evals", roles=Roles(prediction="correct")))


def test_a_run_without_report_takes_no_part(tmp_path):
    folder = copied("openai_evals", tmp_path)
    first = min(folder.iterdir())
    written(first, lines(first)[:-4])
    matrix = read(folder)
    assert matrix.configurations == ("bob", "cyd")
    (left,) = matrix.source.run.left_out
    assert "final_report" in left.reason


def test_a_sample_that_was_tried_again_after_an_error(tmp_path):
    folder = copied("openai_evals", tmp_path)
    second = sorted(folder.iterdir())[1]
    found = lines(second)
    (failed,) = [one for one in found if one.get("type") == "error"]
    found.insert(-1, {**failed, "type": "match", "data": {"correct": True}})
    found[-1]["final_report"]["accuracy"] = np.mean([*np.delete(RIGHT["bob"], 5), 1])
    written(second, found)
    matrix = checked(folder, "openai-evals")
    assert matrix.source.run.evaluation.n_errors == 0


def test_a_model_that_ran_twice(tmp_path):
    folder = copied("openai_evals", tmp_path)
    first = min(folder.iterdir())
    found = lines(first)
    found[0]["spec"]["created_at"] = "2026-11-23 09:00:00"
    for one in found:
        if one.get("type") == "match":
            one["data"]["correct"] = True
    found[-1]["final_report"]["accuracy"] = 1.0
    written(folder / "again.jsonl", found)
    matrix = read(folder)
    assert matrix.n_configurations == 3
    assert means(matrix)["ada"] == 1
    assert matrix.source.run.evaluation.repeated == (first.name,)


# JUnit


def test_tests_are_items():
    matrix = checked(LOGS / "junit", "JUnit")
    assert (matrix.configurations, matrix.n_samples) == (("ada", "bob", "cyd"), 13)
    found = means(matrix)
    for agent, right in RIGHT.items():
        own = [*right[:9], right[9], right[10], right[11]]
        own += [True] if right[0] == right[1] else []
        assert found[agent] == pytest.approx(np.mean(own))
    evaluation = matrix.source.run.evaluation
    errors = sum(not right[10] for right in RIGHT.values())
    skipped = sum(right[0] != right[1] for right in RIGHT.values())
    assert (evaluation.n_scored_errors, evaluation.n_unscored) == (errors, skipped)


def suite(name, cases, **attributes):
    told = "".join(f' {key}="{value}"' for key, value in {"name": name, **attributes}.items())
    return f"<testsuite{told}>{''.join(cases)}</testsuite>"


def case(name, child="", status=""):
    own = f' status="{status}"' if status else ""
    return f'<testcase classname="t" name="{name}"{own}>{child}</testcase>'


def cases(right, n=20):
    return [case(f"i{i}", "" if i % right else "<failure/>") for i in range(n)]


def save(folder, *suites, name="a.xml", head="<?xml version='1.0'?>"):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{head}<testsuites>{''.join(suites)}</testsuites>")
    return path


def test_suites_with_the_same_tests_are_configurations(tmp_path):
    save(tmp_path, suite("ada", cases(3)), suite("bob", cases(4)))
    matrix = read(tmp_path)
    assert (matrix.configurations, matrix.n_samples) == (("ada", "bob"), 20)


def test_suites_with_other_tests_are_parts(tmp_path):
    for agent, right in (("ada", 3), ("bob", 4)):
        parts = [cases(right)[:10], cases(right)[10:]]
        save(tmp_path, suite("One", parts[0]), suite("Two", parts[1]), name=f"{agent}.xml")
    matrix = read(tmp_path)
    assert (matrix.configurations, matrix.n_samples) == (("ada", "bob"), 20)


@pytest.mark.parametrize("called", ["pytest", "my project"])
def test_files_are_configurations_where_all_suites_are_called_alike(tmp_path, called):
    for agent, right in (("ada", 3), ("bob", 4)):
        save(tmp_path, suite(called, cases(right)), name=f"{agent}/report.xml")
    assert read(tmp_path).configurations == ("ada", "bob")


def test_a_suite_that_ran_twice(tmp_path):
    times = ("2026-01-01T00:00:00", "2026-01-02T00:00:00")
    for time, right in zip(times, (3, 5), strict=True):
        save(tmp_path, suite("ada", cases(right), timestamp=time), name=f"{time[:10]}.xml")
    save(tmp_path, suite("bob", cases(4)), name="bob.xml")
    matrix = read(tmp_path)
    assert sorted(matrix.configurations) == ["ada", "bob"]
    assert means(matrix)["ada"] == 0.8


def test_children_of_a_test(tmp_path):
    children = {
        "flaky": "<flakyFailure/><system-out>x</system-out>",
        "failed again": "<failure/><rerunFailure/>",
        "skipped": "<skipped/>",
        "expected": '<skipped type="pytest.xfail"/>',
        "error": '<error message="quota"/>',
    }
    more = [case(*one) for one in children.items()] + [case("off", status="notrun")]
    for name, right in (("ada", 3), ("bob", 4)):
        save(tmp_path, suite(name, [*cases(right), *more]), name=f"{name}.xml")
    matrix = read(tmp_path)
    scores = dict(zip(matrix.keys.tolist(), matrix.predictions[0, :, 0].tolist(), strict=True))
    assert {key: scores.get(f"t.{key}") for key in (*children, "off")} == {
        "flaky": 1,
        "failed again": 0,
        "skipped": None,
        "expected": 0,
        "error": 0,
        "off": None,
    }


def test_a_test_that_passed_and_was_torn_down_with_an_error(tmp_path):
    twice = [case("i1"), case("i1", "<error/>")]
    for name, right in (("ada", 3), ("bob", 4)):
        save(tmp_path, suite(name, [case("i0"), *twice, *cases(right)[2:]]), name=f"{name}.xml")
    matrix = read(tmp_path)
    assert (matrix.n_repeats, matrix.n_samples) == (1, 20)
    scores = dict(zip(matrix.keys.tolist(), matrix.predictions[0, :, 0].tolist(), strict=True))
    assert scores["t.i1"] == 0


def test_counts_that_the_tests_contradict(tmp_path):
    for name, right in (("ada", 3), ("bob", 4)):
        counted = {"tests": 20, "failures": 2, "errors": 0, "skipped": 0}
        save(tmp_path, suite(name, cases(right), **counted), name=f"{name}.xml")
    with pytest.raises(BbcError):
        verify(read(tmp_path))


LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
WRONG_XML = {
    "a document type": (suite("a", cases(3)), {"head": LAUGHS}, "document type"),
    "an external entity": (
        suite("a", cases(3)),
        {"head": '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'},
        "document type",
    ),
    "cut off": ("<testsuite name='a'><testcase", {}, "is no JUnit XML"),
    "a test without a name": ("<testsuite><testcase classname='t'/></testsuite>", {}, "a name"),
    "a test without a suite": ("<testcase name='t'/>", {}, "is no log|no JUnit|suite"),
    "an unknown entity": (suite("&who;", cases(3)), {}, "is no JUnit XML"),
    "no tests": (suite("a", []), {}, "holds no tests|no log"),
    "another root": ("", {"head": "<report><testsuite/></report>"}, "is no JUnit XML"),
}


@pytest.mark.parametrize("name", WRONG_XML)
@pytest.mark.one_in(1)
def test_xml_that_is_refused(name, tmp_path):
    content, options, words = WRONG_XML[name]
    path = save(tmp_path, content, **options)
    with pytest.raises(BbcError, match=words):
        read(path)


def test_no_entity_is_hidden_by_an_encoding(tmp_path):
    path = save(tmp_path, suite("a", cases(3)), head=LAUGHS)
    path.write_bytes(path.read_text().encode("utf-16"))
    with pytest.raises(BbcError):
        read(path)


def test_tests_that_only_one_file_has(tmp_path):
    save(tmp_path, suite("ada", cases(3)), name="ada.xml")
    save(tmp_path, suite("bob", cases(4, n=12)), name="bob.xml")
    refused("12 of 20 items are common", tmp_path, kind=BbcError)


def test_logs_of_two_frameworks(tmp_path):
    copied("junit", tmp_path)
    copied("swebench", tmp_path)
    refused("holds logs of", tmp_path, kind=BbcError)


@pytest.mark.parametrize(("kind", "untested"), [("swebench", True), ("junit", False)])
@pytest.mark.one_in(1)
def test_inspect_says_what_was_never_tried_on_real_output(kind, untested, run):
    told = run.printed("inspect", LOGS / kind)
    assert ("untested on real output" in " ".join(told.split())) == untested


# Errors


@pytest.mark.parametrize(
    ("kind", "agent", "errors", "expected"),
    [
        ("openai_evals", "bob", None, np.mean(np.delete(RIGHT["bob"], 5))),
        ("openai_evals", "bob", "missing", np.mean(np.delete(RIGHT["bob"], 5))),
        ("openai_evals", "bob", "zero", np.delete(RIGHT["bob"], 5).sum() / N),
        ("openai_evals", "ada", "zero", np.mean(RIGHT["ada"])),
        ("swebench", "org__bob-4.1", None, sum(RIGHT["bob"][: N - 3]) / N),
        ("swebench", "org__bob-4.1", "zero", sum(RIGHT["bob"][: N - 3]) / N),
        ("swebench", "org__bob-4.1", "missing", sum(RIGHT["bob"][: N - 3]) / (N - 2)),
    ],
)
@pytest.mark.one_in(1)
def test_errors_count_as_asked(kind, agent, errors, expected):
    matrix = read(LOGS / kind, errors=errors)
    assert means(matrix)[agent] == pytest.approx(expected)
    changed = (kind, errors) in (("openai_evals", "zero"), ("swebench", "missing"))
    assert (
        verify(matrix).reason == "errors count otherwise in " + matrix.source.run.tool
    ) == changed


def test_errors_are_refused_if_asked(run):
    refused("1 request of bob failed, such as item sums.test.5: quota", LOGS / "openai_evals",
            errors="refuse", hint="missing", kind=BbcError)  # fmt: skip
    folder = LOGS / "junit"
    status, _, err = run("correct", folder, "--errors", "refuse")
    assert (status, "--errors missing" in err) == (2, True)
    assert "1 error left out" in run.printed("correct", folder, "--errors", "missing")


def test_errors_are_known_of_logs_alone():
    refused("errors is for logs|for logs of evaluation frameworks",
            LOGS.parents[2] / "sample_data" / "prompts.csv",
            task="score", errors="zero", kind=BbcError)  # fmt: skip
