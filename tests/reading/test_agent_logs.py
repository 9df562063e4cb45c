"""Reports of SWE-bench and JUnit XML, and what is wrong with others."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from reading import refused
from runs import edit

from bbccli import BbcError, read
from bbccli.reading import Roles
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


def changed_reports(tmp_path, change, which="*"):
    """The folder of reports, with a change in each of these."""
    folder = copied("swebench", tmp_path)
    for path in folder.glob(which):
        edit(path, change)
    return folder


def test_reports_count_what_any_of_them_submitted():
    matrix = checked(LOGS / "swebench", "SWE-bench")
    assert matrix.n_samples == 67  # of 76, which are left of 500
    assert any(note.text.startswith("9 of 76 samples have no prediction") for note in matrix.notes)
    assert list(means(matrix).values()) == pytest.approx([25 / 67, 25 / 67, 26 / 67])
    evaluation = matrix.source.run.evaluation
    assert evaluation.n_scored_errors == (67 - 40) + (67 - 40) + 1 + (67 - 30)
    assert read(LOGS / "swebench", roles=Roles(group="repository")).n_groups == 11


def test_a_run_on_a_part_of_the_data_set_counts_that_part(tmp_path):
    folder = copied("swebench", tmp_path)
    min(folder.glob("swe-bench_*")).unlink()
    matrix = read(folder)
    assert (matrix.n_samples, matrix.source.run.evaluation.n_scored_errors) == (40, 1)
    assert list(means(matrix).values()) == pytest.approx([25 / 40, 25 / 40])
    assert verify(matrix).n_checked == 2


def test_ambiguous_failures_are_among_the_unresolved():
    matrix = read(LOGS / "swebench_ambiguous")
    assert matrix.configurations == ("glm-5.3-zcode-campaign",)  # dots belong to models, too
    assert means(matrix)["glm-5.3-zcode-campaign"] == pytest.approx(25 / 37)
    assert matrix.source.run.evaluation.n_scored_errors == 2


def test_reports_with_bare_names_are_called_after_their_folders(tmp_path):
    for at, path in enumerate(sorted((LOGS / "swebench").iterdir())):
        (tmp_path / f"agent{at}").mkdir()
        shutil.copy(path, tmp_path / f"agent{at}" / "results.json")
    assert read(tmp_path).configurations == ("agent0", "agent1", "agent2")


def only_resolved(report):
    for key in [*report]:
        if key.endswith("_ids") and key != "resolved_ids":
            del report[key]


WRONG_REPORTS = {
    "a total of text": (lambda r: r.update(total_instances="76"), "76 of '76' are named"),
    "none incomplete": (lambda r: r.update(incomplete_ids=[]), "of 76 are named"),
    "none unresolved": (lambda r: r.update(unresolved_ids=[]), "of 76 are named"),
    "only resolved": (only_resolved, "of 76 are named"),
    "a resolved error": (
        lambda r: r["error_ids"].append(r["resolved_ids"][0]),
        "is among resolved_ids, and again among error_ids",
    ),
    "named twice": (
        lambda r: r["resolved_ids"].append(r["resolved_ids"][0]),
        "is among resolved_ids, and again among resolved_ids",
    ),
    "text for a list": (lambda r: r.update(error_ids="django__django-1"), "again among error_ids"),
    "numbers for names": (
        lambda r: r["error_ids"].append(1) or r.update(total_instances=77),
        "is not in the format of SWE-bench",
    ),
    "another total": (lambda r: r.update(total_instances=500), "76 of 500 are named"),
    "a count of text": (lambda r: r.update(resolved_instances="many"), "is not in the format of"),
}


@pytest.mark.parametrize("case", WRONG_REPORTS.values(), ids=WRONG_REPORTS)
def test_reports_that_are_not_whole(case, tmp_path_factory):
    change, words = case
    folder = changed_reports(tmp_path_factory.mktemp("run"), change, "*.validation-polydev-*")
    refused(words, folder, kind=BbcError)


def test_a_report_that_is_cut_off_is_not_passed_over(tmp_path):
    first = min(copied("swebench", tmp_path).iterdir())
    first.write_bytes(first.read_bytes()[:-300])
    refused("is not valid JSON", tmp_path / "swebench", kind=BbcError)


def test_a_count_that_the_lists_contradict(tmp_path):
    folder = changed_reports(tmp_path, lambda r: r.update(resolved_instances=29), "*baseline*")
    with pytest.raises(BbcError, match=r"0.432836 by SWE-bench's own figure"):
        verify(read(folder))


def test_what_was_submitted_beside_the_data_set_is_passed_over(tmp_path):
    folder = changed_reports(tmp_path, lambda r: r["submitted_ids"].append("proj9__repo-1"))
    assert read(folder).n_samples == 67


def test_other_instances_in_one_report(tmp_path):
    path = min(copied("swebench", tmp_path).iterdir())
    path.write_text(path.read_text().replace("sympy__sympy", "sympy__other"))
    refused("66 of 86 items are common", tmp_path / "swebench", kind=BbcError)
    common = read(tmp_path / "swebench", missing=Missing.COMMON_ROWS)
    assert common.n_samples == 58


def test_two_runs_of_one_model_are_configurations(tmp_path):
    folder = copied("swebench", tmp_path)
    path = min(folder.iterdir())
    again = shutil.copy(path, path.with_name(path.name.replace("validation", "second")))
    edit(again, lambda report: report["unresolved_ids"].append(report["resolved_ids"].pop()))
    names = read(folder).configurations
    assert len(names) == 4
    assert [name for name in names if "second-baseline" in name]
    (folder / "more").mkdir()
    again.rename(folder / "more" / path.name)  # one run, with other results
    refused("it is unknown which is newer", [folder, folder / "more"], kind=BbcError)


def newer(report):
    report["infra_failure_ids"] = [report["unresolved_ids"].pop(0)]


def newest(report):
    """Since instances are classified by their logs, errors have reasons too."""
    report["infra_failure_ids"] = [*report["error_ids"], report["unresolved_ids"][0]]
    report["ambiguous_failure_ids"] = report["unresolved_ids"][1:3]


def of_sb_cli(report):
    *report["failed_ids"], pending = report["unresolved_ids"][:3]
    report["pending_ids"] = [pending]
    del report["unresolved_ids"][:3]


@pytest.mark.parametrize(
    ("change", "which"),
    [(newer, "*"), (newest, "*.validation-polydev-*"), (of_sb_cli, "swe-bench_*")],
)
def test_other_fates_are_not_resolved(tmp_path, change, which):
    matrix = read(changed_reports(tmp_path, change, which))
    evaluation = matrix.source.run.evaluation
    assert (matrix.n_samples, evaluation.n_scored_errors) == (67, 92 + 3)


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


def save(folder, *suites, name="a.xml"):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"<?xml version='1.0'?><testsuites>{''.join(suites)}</testsuites>")


def agents(folder, made=cases, **attributes):
    """What is read of two agents, each in a file of its own."""
    for name, right in (("ada", 3), ("bob", 4)):
        save(folder, suite(name, made(right), **attributes), name=f"{name}.xml")
    return read(folder)


def of_first(matrix):
    """The scores of the first agent, by test."""
    return dict(zip(matrix.keys.tolist(), matrix.predictions[0, :, 0].tolist(), strict=True))


def test_suites_with_the_same_tests_are_configurations_and_others_parts(tmp_path):
    save(tmp_path / "same", suite("ada", cases(3)), suite("bob", cases(4)))
    for agent, right in (("ada", 3), ("bob", 4)):
        parts = [suite("One", cases(right)[:10]), suite("Two", cases(right)[10:])]
        save(tmp_path / "parts", *parts, name=f"{agent}.xml")
    for folder in ("same", "parts"):
        matrix = read(tmp_path / folder)
        assert (matrix.configurations, matrix.n_samples) == (("ada", "bob"), 20)


@pytest.mark.parametrize("called", ["pytest", "my project"])
def test_files_are_configurations_where_all_suites_are_called_alike(tmp_path, called):
    for agent, right in (("ada", 3), ("bob", 4)):
        save(tmp_path, suite(called, cases(right)), name=f"{agent}/report.xml")
    assert read(tmp_path).configurations == ("ada", "bob")


def test_children_of_a_test(tmp_path):
    children = {
        "flaky": "<flakyFailure/><system-out>x</system-out>",
        "failed again": "<failure/><rerunFailure/>",
        "skipped": "<skipped/>",
        "expected": '<skipped type="pytest.xfail"/>',
        "error": '<error message="quota"/>',
    }
    more = [case(*one) for one in children.items()] + [case("off", status="notrun")]
    scores = of_first(agents(tmp_path, lambda right: [*cases(right), *more]))
    found = {key: scores.get(f"t.{key}") for key in (*children, "off")}
    expected = {"flaky": 1, "failed again": 0, "skipped": None}
    assert found == expected | {"expected": 0, "error": 0, "off": None}


def test_a_test_that_passed_and_was_torn_down_with_an_error(tmp_path):
    twice = [case("i1"), case("i1", "<error/>")]
    matrix = agents(tmp_path, lambda right: [case("i0"), *twice, *cases(right)[2:]])
    assert (matrix.n_repeats, matrix.n_samples) == (1, 20)
    assert of_first(matrix)["t.i1"] == 0


@pytest.mark.parametrize("counted", [(20, 10), (10, 10), (20, None), (15, 10)])
def test_counts_of_suites_within_a_suite(counted, tmp_path):
    """An outer suite may count the tests of those in it, or its own alone."""
    whole, part = counted
    for name, right in (("ada", 3), ("bob", 4)):
        own, rest = cases(right)[:10], cases(right)[10:]
        n_failed = [sum("failure" in one for one in some) for some in (own, rest)]
        counts = {"tests": part, "failures": n_failed[1], "errors": 0} if part else {}
        inner = suite("in", rest, **counts)
        failures = sum(n_failed) if whole == 20 else n_failed[0]
        outer = suite("out", [*own, inner], tests=whole, failures=failures, errors=0)
        save(tmp_path, outer, name=f"{name}.xml")
    if whole == 15:
        with pytest.raises(BbcError, match="JUnit's own figure"):
            verify(read(tmp_path))
    else:
        assert verify(read(tmp_path)).n_checked == (0 if part is None else 2)


def test_tests_are_told_apart_by_class_and_name(tmp_path):
    twins = '<testcase classname="a.b" name="c"/><testcase classname="a" name="b.c"/>'
    matrix = agents(tmp_path, lambda right: [*cases(right), twins])
    assert (matrix.n_samples, matrix.n_repeats) == (22, 1)


def test_a_count_of_many_digits_is_none(tmp_path):
    matrix = agents(tmp_path, tests="9" * 5000, failures=2, errors=0)
    assert verify(matrix).n_checked == 0


LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
WRONG_XML = {
    "a document type": (LAUGHS + suite("a", cases(3)), "document type"),
    "an external entity": (OUTSIDE + suite("a", cases(3)), "document type"),
    "cut off": ("<testsuites><testsuite name='a'><testcase", "is not JUnit XML"),
    "a test without a name": ("<testsuite><testcase classname='t'/></testsuite>", "a name"),
    "a test without a suite": (
        "<testsuites><testcase name='t'/></testsuites>",
        "is no log|no JUnit|suite",
    ),
    "an unknown entity": (suite("&who;", cases(3)), "is not JUnit XML"),
    "no tests": (suite("a", []), "holds no tests|no log"),
    "another root": ("<report><testsuite/></report>", "is not JUnit XML"),
}


@pytest.mark.parametrize("case", WRONG_XML.values(), ids=WRONG_XML)
def test_xml_that_is_refused(case, tmp_path):
    content, words = case
    path = tmp_path / "a.xml"
    path.write_text(content)
    refused(words, path, kind=BbcError)
    path.write_text(content, encoding="utf-16")  # which hides no entity
    refused(f"{words}|not JUnit", path, kind=BbcError)


# Errors


@pytest.mark.parametrize(
    ("kind", "agent", "errors", "expected"),
    [
        ("inspect_ai/logs", "mockllm/alpha-7b x cot", None, 19 / 24),
        ("inspect_ai/logs", "mockllm/alpha-7b x cot", "missing", 19 / 24),
        ("inspect_ai/logs", "mockllm/alpha-7b x cot", "zero", 18 / 24),
        ("inspect_ai/logs", "mockllm/beta-8b x cot", "zero", 15 / 24),
        ("swebench_ambiguous", "glm-5.3-zcode-campaign", None, 25 / 37),
        ("swebench_ambiguous", "glm-5.3-zcode-campaign", "zero", 25 / 40),
        ("swebench_ambiguous", "glm-5.3-zcode-campaign", "missing", 25 / 35),
    ],
)
def test_errors_count_as_asked(kind, agent, errors, expected):
    matrix = read(LOGS / kind, errors=errors)
    assert means(matrix)[agent] == pytest.approx(expected)
    changed = (kind, errors) in (
        ("inspect_ai/logs", "zero"),
        ("swebench_ambiguous", "zero"),
        ("swebench_ambiguous", "missing"),
    )
    assert (
        verify(matrix).reason == "errors count differently in " + matrix.source.run.tool
    ) == changed


@pytest.mark.parametrize(
    ("metric", "errors", "noted"),
    [("mean-loss", "zero", True), ("mean-loss", None, False), ("mean-score", "zero", False)],
)
def test_failures_that_may_count_as_best_are_doubted(run, metric, errors, noted):
    options = ["--metric", metric] + ["--errors", errors] * bool(errors)
    printed = run.printed("correct", LOGS / "inspect_ai/logs", *options, "--format", "json")
    assert ('"failures-best"' in printed) == noted


def test_errors_are_refused_if_asked(run):
    refused("1 request of mockllm/alpha-7b x short failed, such as item q04: RuntimeError",
            LOGS / "inspect_ai/logs", errors="refuse", hint="missing", kind=BbcError)  # fmt: skip
    folder = LOGS / "junit"
    status, _, err = run("correct", folder, "--errors", "refuse")
    assert (status, "--errors missing" in err) == (2, True)
    assert "1 error left out" in run.printed("correct", folder, "--errors", "missing")


def test_errors_are_known_of_logs_alone():
    refused("errors is for logs|for logs of evaluation frameworks",
            LOGS.parents[2] / "sample_data" / "prompts.csv",
            task="score", errors="zero", kind=BbcError)  # fmt: skip
