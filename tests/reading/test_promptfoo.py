"""Real results of promptfoo, and what becomes of them in other hands."""

import csv
import gzip
import io
import json
import random
from pathlib import Path

import numpy as np
import pytest
from day import daily
from reading import refused

from bbccli import BbcError, read
from bbccli.domain.matrix import PredictionMatrix
from bbccli.reading import Roles
from bbccli.stats.verification import verify

FOLDER = Path(__file__).parents[1] / "data" / "evaluations" / "promptfoo"
JSON, LINES, TABLE = (FOLDER / f"results.{form}.gz" for form in ("json", "jsonl", "csv"))
BEST = "fast x Answer: {{q}}"


def results():
    return json.loads(gzip.decompress(JSON.read_bytes()))


@pytest.fixture
def changed(tmp_path):
    """Write the results, changed by a function of their rows."""

    def write(change, name="results.json", **more):
        log = results()
        log["results"] |= more
        log["results"]["results"] = change(log["results"]["results"])
        path = tmp_path / name
        path.write_text(json.dumps(log))
        return path

    return write


def means(source, **options) -> dict[str, float]:
    """Mean over the items that have a score, of the mean over epochs."""
    matrix = source if isinstance(source, PredictionMatrix) else read(source, **options)
    scores = matrix.predictions.mean(axis=0)
    if matrix.available is not None:
        scores = np.where(matrix.available[0], scores, np.nan)
    return dict(zip(matrix.configurations, np.nanmean(scores, axis=0).tolist(), strict=True))


def own(name):
    """promptfoo's own figures, read on a way of their own."""
    found = {}
    for prompt in results()["results"]["prompts"]:
        metrics = prompt["metrics"]
        n = sum(metrics[f"test{kind}Count"] for kind in ("Pass", "Fail", "Error"))
        totals = metrics["namedScores"] | {"pass": metrics["testPassCount"]}
        counts = metrics["namedScoresCount"] | dict.fromkeys(("pass", "score"), n)
        total = (totals | {"score": metrics["score"]})[name]
        found[f"{prompt['provider']} x {prompt['label']}"] = total / counts[name]
    return found


@pytest.mark.parametrize("name", daily(["pass", "score", "correct", "f1"], ["pass"]))
def test_figures_are_those_of_promptfoo(name):
    matrix = read(JSON, roles=Roles(prediction=name))
    assert means(matrix) == pytest.approx(own(name), abs=1e-12)
    found = verify(matrix)
    assert (found.n_checked, found.largest_difference < 1e-12) == (9, True)
    assert matrix.source.run.evaluation.n_errors == (0 if name in ("pass", "score") else 5)


def test_the_default_is_whether_all_assertions_hold():
    matrix = read(JSON)
    assert means(matrix) == own("pass")
    assert (matrix.outcome.bounds, matrix.source.run.evaluation.n_scored_errors) == ((0, 1), 5)
    entry = matrix.source.configurations[BEST]
    assert (entry["model"], entry["prompt"]) == ("fast", "Answer: {{q}}")
    whole = read(FOLDER)  # the same evaluation in three formats
    assert means(whole) == own("pass")
    assert {one.reason for one in whole.source.run.left_out} == {"again in results.json.gz"}


@pytest.mark.parametrize("path", [LINES, TABLE])
def test_all_formats_say_the_same(path):
    of_json, other = read(JSON), read(path)
    assert other.configurations == of_json.configurations
    order = [other.keys.tolist().index(key) for key in of_json.keys.tolist()]
    np.testing.assert_array_equal(other.predictions[:, order], of_json.predictions)
    assert verify(other).reason == "the run reports no scores"


def test_repeats_are_epochs_of_one_item(changed):
    def twice(rows):
        return rows + [row | {"testIdx": row["testIdx"] + 60} for row in rows]

    def one_twice(rows):
        return rows + [row for row in rows if row["testIdx"] == 3]

    for change in (twice, one_twice):
        matrix = read(changed(change))
        assert (matrix.n_samples, matrix.n_repeats) == (60, 2)
        assert means(matrix) == pytest.approx(own("pass"))
    assert "unequal numbers" in verify(matrix).reason


def test_providers_of_one_name_are_told_apart(changed):
    def alike(rows):
        return [row | {"provider": {"id": "fast", "label": ""}} for row in rows]

    matrix = read(changed(alike))
    assert matrix.n_configurations == 9
    assert matrix.configurations[0] == "Answer: {{q}} x column=0"
    np.testing.assert_allclose([*means(matrix).values()], [*own("pass").values()])


def test_tests_without_variables_differ_by_their_assertions(changed):
    def nameless(rows):
        for row in rows:
            asserted = [{"type": "contains", "value": row["testIdx"]}]
            row |= {"vars": {}, "testCase": {"assert": asserted}}
        random.Random(3).shuffle(rows)  # as requests end
        return rows

    matrix = read(changed(nameless))
    assert (matrix.n_samples, matrix.n_repeats) == (60, 1)
    assert means(matrix) == own("pass")


def same_variables(n_repeats):
    """The same evaluation as JSON and as a table: two tests of `a`, one of `b`."""
    tests = [("a", "1"), ("a", "2"), *((f"b{i}", "1") for i in range(8))]
    rows, cells = [], [["q", *["[one] p", "Status", "Score", "Named Scores"]]]
    for i, (q, expected) in enumerate(tests):
        for e in range(n_repeats):
            right = (i + e * (i % 3)) % 2
            rows.append({
                "promptIdx": 0, "testIdx": n_repeats * i + e, "provider": {"id": "one"},
                "prompt": {"raw": "p", "label": "p"}, "vars": {"q": q}, "success": bool(right),
                "score": right, "testCase": {"assert": [{"type": "equals", "value": expected}]},
            })  # fmt: skip
            cells.append([q, "out", "PASS" if right else "FAIL", f"{right:.2f}", "{}"])
    text = io.StringIO()
    csv.writer(text).writerows(cells)
    return rows, text.getvalue()


@pytest.mark.parametrize("n_repeats", [1, 3])
def test_tests_of_the_same_variables_are_several_in_a_table_too(n_repeats, tmp_path):
    rows, text = same_variables(n_repeats)
    (tmp_path / "r.csv").write_text(text)
    table = read(tmp_path)
    random.Random(1).shuffle(rows)
    log = {"evalId": "e", "results": {"results": rows}}
    (tmp_path / "r.json").write_text(json.dumps(log))
    whole = read(tmp_path)
    for matrix in (table, whole):
        assert (matrix.n_samples, matrix.n_repeats) == (10, n_repeats)
        assert matrix.predictions.mean() == np.mean([row["success"] for row in rows])
    (left,) = whole.source.run.left_out
    assert left.reason in ("again in r.json", "again in r.csv")


def test_variables_made_anew_are_no_part_of_the_item(changed):
    def sessions(rows):
        for i, row in enumerate(rows):
            row["vars"] |= {"sessionId": str(i), "_conversation": [i]}
        return rows

    assert read(changed(sessions)).n_samples == 60


def test_variables_group_items():
    assert read(JSON, roles=Roles(group="vars.subject")).n_groups == 10
    error = refused("which is not a property", JSON, roles=Roles(group="topic"), kind=BbcError)
    assert "vars.subject" in error.hint


def test_prompts_of_one_label_are_told_apart_by_their_text(changed, tmp_path):
    prompts = results()["results"]["prompts"]
    other = [one | {"raw": f"{one['raw']} Think twice."} for one in prompts]
    changed(lambda rows: rows, "a.json")
    changed(lambda rows: rows, "b.json", prompts=other)
    matrix = read(tmp_path)
    assert matrix.n_configurations == 18
    assert len(set(matrix.configurations)) == 18


def test_a_figure_that_the_rows_do_not_give_is_found(changed):
    def better(rows):
        for row in rows:
            if row["promptIdx"] == 2 and not row["success"]:
                row["success"] = True
                break
        return rows

    with pytest.raises(BbcError, match="by promptfoo's own figure"):
        verify(read(changed(better)))


def test_a_score_that_is_none_is_missing(changed):
    def one_nan(rows):
        rows[0]["namedScores"] = {"correct": float("nan"), "f1": None}
        return rows

    matrix = read(changed(one_nan), roles=Roles(prediction="f1"))
    assert matrix.source.run.evaluation.n_unscored == 1
    refused("not a score", JSON, roles=Roles(prediction="pss"), hint="mean pass?", kind=BbcError)


def table(change):
    rows = list(csv.reader(io.StringIO(gzip.decompress(TABLE.read_bytes()).decode())))
    text = io.StringIO()
    csv.writer(text).writerows(change(rows))
    return text.getvalue()


def test_a_table_without_descriptions_is_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(table(lambda rows: [row[1:] for row in rows]))
    assert means(path) == means(TABLE)


def test_an_answer_of_any_length_is_read(tmp_path):
    def longer(rows):
        rows[1][2] = "o" * 200_000
        return rows

    path, limit = tmp_path / "a.csv", 150_000
    csv.field_size_limit(limit)
    path.write_text(table(longer))
    assert means(path) == means(TABLE)
    assert csv.field_size_limit() == limit


RESULTS = json.dumps(results())
OTHER_STATUS = table(lambda rows: [[c.replace("PASS", "OK") for c in row] for row in rows])
NOT_ITS_FORMAT = "is not in the format of promptfoo"
FAULTS = {
    "index.json": (
        RESULTS.replace('"promptIdx": 3', '"promptIdx": [3]', 1),
        rf"row \d+ {NOT_ITS_FORMAT}",
    ),
    "prompts.json": ('{"evalId": "e", "results": {"results": [], "prompts": 7}}', NOT_ITS_FORMAT),
    "cut.json": (RESULTS[:-5000], "is not valid JSON"),
    "deep.json": ("[" * 200_000, "is not valid JSON"),
    "other.json": ('{"results": {"a": 1}, "config": {}}', "is not a log"),
    "list.json": ("[1, 2]", "is not a log"),
    "rows.json": ('{"evalId": "e", "results": {"results": [{"a": 1}]}}', "without a success value"),
    "none.json": ('{"evalId": "e", "results": {"results": []}}', "has no usable log of promptfoo"),
    "cut.jsonl": (
        gzip.decompress(LINES.read_bytes()).decode()[:-500],
        "line 540 is not valid JSON",
    ),
    "status.csv": (OTHER_STATUS, f"line 2 {NOT_ITS_FORMAT}"),
    "short.csv": (table(lambda rows: [*rows[:9], rows[9][:20]]), f"line 10 {NOT_ITS_FORMAT}"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_no_result_is_refused(name, tmp_path):
    text, words = FAULTS[name]
    (tmp_path / name).write_text(text)
    refused(words, tmp_path / name, kind=BbcError)


def test_other_tables_are_not_taken_for_results(save):
    columns = {"truth": [0, 1] * 6, "Status": [0.1, 0.9, 0.6] * 4, "Score": [0.3, 0.4, 0.2] * 4}
    assert read(save("a.csv", columns)).configurations == ("Status", "Score")


def test_names_are_short_and_unlike(changed):
    def long(rows):
        for row in rows:
            row["prompt"] = {"label": "Be good. " * 60 + str(row["promptIdx"]), "raw": ""}
        return rows

    names = read(changed(long)).configurations
    assert len(set(names)) == 9
    assert max(map(len, names)) < 90
