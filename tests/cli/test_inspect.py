"""`bbc inspect` shows everything that is wrong, and errs exactly where reading does."""

from __future__ import annotations

import json
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from day import daily

from bbccli import METRICS, BbcError, PredictionMatrix, reading
from bbccli.domain.outcome import Outcome
from bbccli.notes import NOTES
from bbccli.platform import resources
from bbccli.reading import Request, Roles, read
from bbccli.stats.resampling import draws_of
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Missing, Pooling, PredictionKind, Task
from bbccli.use_cases.inspection import Status, inspect, similarity

GOOD = """row_id,repeat,fold,truth,a,b
0,0,0,x,0.1,0.2
1,0,0,y,0.9,0.7
2,0,1,x,0.3,0.4
3,0,1,y,0.8,0.9
4,0,0,x,0.2,0.1
5,0,1,y,0.6,0.3
"""
LONG = """config,row_id,fold,truth,prob.x,prob.y
a,0,0,x,0.9,0.1
a,1,1,y,0.2,0.8
a,2,0,y,0.3,0.7
a,3,1,x,0.6,0.4
b,0,0,x,0.8,0.2
b,1,1,y,0.4,0.6
b,2,0,y,0.1,0.9
b,3,1,x,0.7,0.3
"""


@pytest.fixture
def save(tmp_path):
    def save(text, name="m.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return save


def changed(text, *pairs):
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def errors(found):
    return [(f.check, f.column, f.row) for f in found.findings if f.status is Status.ERROR]


def texts(found):
    return {f.check: (str(f.status), f.text) for f in found.findings}


def warnings(found):
    return {f.check for f in found.findings if f.status is Status.WARNING}


@pytest.mark.parametrize("text", [GOOD, LONG])
def test_a_good_file(save, text):
    found = inspect(save(text))
    assert found.n_errors == 0
    assert warnings(found) == {"resamples"}  # of so few samples some lack a class
    assert found.layout == ("wide" if text is GOOD else "long")
    assert found.input.n_configurations == 2
    checks = {"readable", "metadata", "names", "roles", "keys", "constant", "coverage"}
    checks |= {"predictions", "outcome", "missing", "folds", "polarity", "duplicates"}
    assert checks <= texts(found).keys()


def test_all_problems_of_a_wide_file(save):
    text = changed(
        GOOD,
        ("0,0,0,x,0.1,0.2", "0,0,0,x,0.1,low"),
        ("1,0,0,y,0.9,0.7", "1,0,0,,0.9,0.7"),
        ("2,0,1,x,0.3,0.4", "2,0,1,x,inf,0.4"),
        ("4,0,0,x,0.2,0.1", "2,0,0,x,-inf,0.1"),
        ("5,0,1", "5,,1"),
    )
    found = inspect(save(text))
    assert errors(found) == [
        ("keys", "repeat", 5),
        ("constant", "truth", 1),
        ("predictions", "a", 2),
        ("predictions", "b", 0),
    ]
    assert [f.n_rows for f in found.findings if f.column == "a"] == [2]
    found = inspect(save(changed(text, ("5,,1", "5,0,1"))))
    assert errors(found)[0] == ("keys", "row_id", 4)


def test_all_problems_of_a_long_file(save):
    text = changed(
        LONG,
        ("b,0,0,x,0.8", "b,0,0,y,0.8"),
        ("a,3,1,x,0.6,0.4", "a,3,1,x,0.6,inf"),
        ("b,3,1", "b,2,1"),
    )
    assert errors(inspect(save(text))) == [
        ("keys", "row_id", 7),
        ("constant", "truth", 4),
        ("predictions", "prob.y", 3),
    ]
    text = changed(text, ("a,1,1", ",1,1"), ("a,2,0", "a,,0"))
    assert errors(inspect(save(text)))[:2] == [("constant", "config", 1), ("keys", "row_id", 2)]


def test_labels_that_are_no_class(save):
    text = "row_id,truth,a,b,c\n0,x,x,x,z\n1,y,y,q,y\n2,x,x,x,x\n3,y,y,y,w\n"
    assert errors(inspect(save(text))) == [("predictions", "b", 1), ("predictions", "c", 0)]


def test_columns_without_a_name_and_twice(save):
    text = changed(GOOD, ("row_id,repeat,fold,truth,a,b", "row_id,,fold,truth,a,a"))
    found = inspect(save(text))
    assert [check for check, _, _ in errors(found)] == ["names", "names"]
    assert texts(found)["keys"][0] == "pass"


def test_warnings(save):
    text = changed(GOOD, ("0.9,0.7", "0.9,"), ("5,0,1,y,0.6,0.3", "5,0,,y,0.6,0.3"))
    found = inspect(save(text))
    assert warnings(found) == {"missing", "folds", "resamples"}
    assert [(g.configuration, g.n_missing) for g in found.missing] == [("b", 1)]
    rows = [f"{'xz'[i < 9]},{i / 18}" for i in range(18)]
    reverse = "\n".join(["truth,a", *rows])
    assert "polarity" in warnings(inspect(save(reverse)))


def test_a_class_of_one_sample_is_a_warning(save):
    rows = "".join(f"{i},{'y' if i == 3 else 'x'},0.{i}\n" for i in range(9))
    found = inspect(save(f"row_id,truth,a\n{rows}"))
    status, text = texts(found)["resamples"]
    assert (found.n_errors, status) == (0, "warning")
    assert text.startswith("class 'y' has a single sample: no resample holds it in and out")


@pytest.mark.parametrize("grouped", [False, True])
def test_redraws_are_those_of_a_slow_loop(save, grouped):
    chances = np.random.default_rng(3).dirichlet(np.ones(3), 37)
    truth = np.array([0] * 3 + [1] * 4 + [2] * 30)
    groups = np.arange(37) // 2 if grouped else None
    frame = pd.DataFrame(chances, columns=["prob.a", "prob.b", "prob.c"])
    frame = frame.assign(truth=np.array(list("abc"))[truth], **{"group": groups} if grouped else {})
    _, text = texts(inspect(save(frame.to_csv(index=False))))["resamples"]
    drawn = draws_of(37, groups, 0, leaving_out=False).batch(0, 16).in_bag
    lacking = sum(
        any(not (0 in row[truth == code] and row[truth == code].any()) for code in range(3))
        for row in drawn
    )
    assert 0 < lacking < 1024
    assert text.startswith(f"{lacking} of 1024 resamples lack")


def test_nearly_probabilities(save):
    text = changed(GOOD, ("0.1,0.2", "0.1,1.2"))
    rows = "".join(f"{i},0,{i % 2},{'xy'[i % 2]},0.{i},0.{99 - i}\n" for i in range(6, 40))
    assert "outside [0, 1]" in texts(inspect(save(text + rows)))["predictions"][1]
    text = "truth,a::x,a::y,a::z\n" + "x,0.5,0.3,0.2\ny,0.1,0.1,0.1\nz,0.1,0.2,0.7\n" * 2
    assert "do not sum to 1" in texts(inspect(save(text)))["predictions"][1]


def test_several_files(save, samples):
    found = inspect([save(LONG, "p.csv"), save(LONG, "q.csv")])
    assert found.n_errors == 1  # the same configurations in both
    labels = save("id,y\n0,0\n1,1\n2,0\n3,1\n", "labels.csv")
    paths = [save("id,p\n0,0.2\n1,0.9\n2,0.1\n3,0.7\n", f"m{i}.csv") for i in range(2)]
    found = inspect(paths, Request(labels=labels))
    assert (found.n_errors, found.layout) == (0, "kaggle")
    short = save("id,y\n0,0\n1,1\n2,0\n", "labels.csv")
    assert [one[0] for one in errors(inspect(paths, Request(labels=short)))] == ["labels file"]


CORPUS = [
    GOOD,
    LONG,
    changed(GOOD, ("y,", "x,")),
    changed(GOOD, ("truth", "t")),
    changed(GOOD, ("0.9", "high")),
    changed(GOOD, ("2,0,1", "1,0,1")),
    changed(GOOD, ("3,0,1,y", "3,1,1,y")),
    changed(GOOD, ("a,b", "a::x,b")),
    changed(GOOD, ("a,b", "a::x,a::q")),
    changed(GOOD, ("a,b", "weight,b")),
    changed(GOOD, ("a,b", "weight,b"), ("0.9", "-0.9")),
    changed(GOOD, ("row_id", "outer_fold")),
    changed(GOOD, ("repeat", "outer_fold")),
    changed(GOOD, ("truth,a", "time,event")),
    changed(LONG, ("prob.y", "prob.z")),
    changed(LONG, ("b,3,1,x,0.7,0.3\n", "")),
    changed(LONG, ("prob.x,prob.y", "p,q")),
    changed(LONG, ("row_id", "key")),
    changed(LONG, ("0.9,0.1", "0.9,")),
    "truth,a\n",
    "truth\n1\n2\n",
    "",
]


@pytest.mark.parametrize("missing", daily(Missing, [Missing.ERROR]))
@pytest.mark.parametrize("text", CORPUS)
def test_errs_exactly_where_reading_does(save, text, missing):
    path = save(text)
    problem = None
    try:
        read(path, missing=missing)
    except BbcError as error:
        problem = error.problem
    found = inspect(path, Request(missing=missing))
    assert (found.n_errors > 0) == (problem is not None), problem


def test_every_note_of_the_readers_belongs_to_a_check():
    texts = [path.read_text() for path in Path(reading.__file__).parent.rglob("*.py")]
    names = {name for text in texts for name in re.findall(r"\bof_\w+\.(\w+)\(", text)}
    codes = {name.replace("_", "-") for name in names} & NOTES.keys()
    assert len(codes) > 32
    assert [code for code in codes if not NOTES[code].check] == []
    assert NOTES["repeated-holdout"].check == "coverage"


def test_command_line(run, save, samples, tmp_path):
    status, out, err = run("inspect", samples / "progression.parquet")
    assert (status, err) == (0, "")
    assert "\n\nCan be used, with 1 warning.\nLayout wide: probabilities of 177 " in out
    assert "logistic-l2 C=0.001 and 174 more" in " ".join(out.split())
    assert re.search(r"^duplicates +warning +\d+ of 177", out, re.MULTILINE) and " pass " not in out
    assert out.endswith("\n14 checks passed: see them with --notes all\n")
    whole = run.printed("inspect", samples / "progression.parquet", "--notes", "all")
    assert whole.count(" pass ") == 14 and "sha256   526d0e3" in whole and "--notes" not in whole
    path = save(changed(GOOD, ("0.9", "high"), ("0.4", "low")))
    status, out, _ = run("inspect", path)
    assert status == 2
    assert "value 'high'" in " ".join(out.split())
    assert "\n\nCan't be used: 2 errors.\n" in out
    target = tmp_path / "found.json"
    status, out, _ = run("inspect", path, "--format", "json", "--output", target)
    assert (status, out) == (2, "")
    document = json.loads(target.read_text())
    assert document["schema"] == "bbc-inspection/1"
    assert document["input"] is None
    assert [f["column"] for f in document["findings"][:2]] == ["a", "b"]
    assert run("inspect", save(GOOD), "--truth", "tooth")[0] == 2
    assert run("inspect", save(GOOD), "--dialect", "weka")[0] == 2


def test_options_reach_the_reader(save):
    text = changed(GOOD, ("truth", "answer"))
    assert inspect(save(text)).n_errors == 1
    found = inspect(save(text), Request(roles=Roles(truth="answer"), positive="x"))
    assert found.input.positive_class == "x"


GROUPED = """row_id,fold,truth,group,a,b
0,0,x,p,0.1,0.2
1,0,y,p,0.9,0.7
2,1,x,q,0.3,0.4
3,1,y,q,0.8,0.9
"""


def test_groups_and_folds_that_are_as_they_should_be(save):
    told = texts(inspect(save(GROUPED)))
    assert told["groups"] == ("pass", "2 groups, each within one fold of a repeat")
    assert told["folds"] == ("pass", "2 folds of 2 samples")
    assert told["keys"] == ("pass", "4 samples in 1 repeat, each once in a repeat")
    split = inspect(save(changed(GROUPED, ("1,0,y,p", "1,1,y,p"), ("2,1,x,q", "2,0,x,q"))))
    assert "groups" in warnings(split)
    values = changed(GROUPED, (",x,", ",0.5,"), (",y,", ",1.5,"), ("3,1,1.5", "3,0,1.7"))
    told = texts(inspect(save(values)))
    assert told["outcome"] == ("pass", "regression")
    assert told["folds"] == ("pass", "2 folds of 1 to 3 samples")


def test_one_fold_alone(save):
    found = inspect(save(changed(GROUPED, (",1,", ",0,"))))
    (one,) = [f for f in found.findings if f.check == "folds"]
    assert one.status is Status.WARNING
    assert one.text == "there is only one fold: methods that need folds can't run"
    assert one.remedy == "give each sample the fold that held it out"


@pytest.mark.parametrize(
    ("absent", "words"),
    [
        ("5", "1 of 6 samples has no prediction in some"),
        ("45", "2 of 6 samples have no prediction in some"),
    ],
)
def test_samples_that_a_repeat_lacks(save, absent, words):
    _, *rows = GOOD.splitlines()
    again = [row.replace(",0,", ",1,", 1) for row in rows if row[0] not in absent]
    found = inspect(save(GOOD + "\n".join(again) + "\n"))
    status, text = texts(found)["coverage"]
    assert status == "warning" and text.startswith(words)
    assert found.input.n_samples == 6 - len(absent)


@pytest.mark.parametrize(
    ("copies", "words"),
    [
        (1, "1 of 3 configurations is a copy of an earlier one; for example "),
        (2, "2 of 4 configurations are copies of an earlier one; for example "),
    ],
)
def test_copies_are_counted_in_plain_words(save, copies, words):
    header, *rows = GOOD.splitlines()
    table = [f"{header}{',c,d'[: 2 * copies]}"]
    table += [f"{row}{(',' + row.split(',')[4]) * copies}" for row in rows]
    assert texts(inspect(save("\n".join(table))))["duplicates"][1].startswith(words)


def test_scores_of_a_run_are_told(save, tmp_path):
    rows = [
        f"{i},{i // 2 % 2},{'xy'[i % 2]},{i * 7 % 10 / 10},{i * 3 % 10 / 10}" for i in range(10)
    ]
    path = save("\n".join(["row_id,fold,truth,a,b", *rows]))
    matrix = read(path)
    value = float(candidates(matrix, METRICS["auc"], Pooling.POOLED).performances()[0])
    score = {"id": "a", "metric": "auc", "value": value, "tolerance": 1e-6, "selection": "pooled"}
    said = {"spec": "bbc-predictions", "version": "1.0"}

    def told(score, **run):
        meta = said | {"run": {"tool": "mine", "leaderboard": [score], **run}}
        (tmp_path / "m.meta.json").write_text(json.dumps(meta))
        return texts(inspect(path))["leaderboard"]

    assert told(score) == ("pass", "1 of 1 scores recomputed, largest difference 0")
    near = score | {"value": value + 3e-8}
    assert told(near) == ("pass", "1 of 1 scores recomputed, largest difference 3e-08")
    other = "its metric can't be computed from these predictions"
    assert told(score | {"metric": "rmse"}) == ("skipped", other)
    for n in (7, 13):
        other = f"the run scored {n} samples, and 10 take part"
        assert told(score, n_samples=n) == ("skipped", other)


def test_memory_bounds_what_is_compared():
    n_rows, n_configurations = 8000, 300
    predictions = np.random.default_rng(0).random((1, n_rows, n_configurations))
    predictions[0, :, 7] = predictions[0, :, 3]
    predictions[0, :, 8] = predictions[0, :, 3] ** 3
    predictions[0, :, 9] = predictions[0, :, 5] + 1e-4 * predictions[0, :, 6]
    names = tuple(f"m{c}" for c in range(n_configurations))
    outcome = Outcome(Task.BINARY, np.arange(n_rows) % 2, ("no", "yes"))
    matrix = PredictionMatrix(outcome, predictions, names, PredictionKind.SCORE)
    with resources.use(resources.Resources(memory=10**9)):
        many = similarity(matrix)
    with resources.use(resources.Resources(memory=16 * 10**6)):
        tracemalloc.start()
        few = similarity(matrix)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert few == many
    assert (few.n_copies, few.n_same_ranks, few.n_correlated) == (1, 1, 1)
    assert few.examples == (
        "m7 and m3: the same predictions",
        "m8 and m3: the same order of samples",
        "m9 and m5: a correlation above 0.999",
    )
    assert peak < 16 * 10**6 < predictions.nbytes


def test_too_little_memory_is_told_before_predictions_are_read(run, save, monkeypatch):
    rows = (f"{i % 2},{i / 40_000}\n" for i in np.random.default_rng(0).permutation(40_000))
    path = save("truth,a\n" + "".join(rows))
    assert run("inspect", path, "--memory", "64MB")[0] == 0
    monkeypatch.setattr("bbccli.reading.read_values", None)
    for command in ("inspect", "correct", "compare", "leaderboard"):
        err = run.refused(command, path, "--memory", "16MB")
        assert "--memory is 16 MB, and 40000 samples need 24 MB" in " ".join(err.split())
    for size in ("0", "-1", "much"):
        assert run.refused("inspect", path, f"--memory={size}").startswith("error: --memory is")


def test_a_problem_of_several_columns_is_one_row(run, save):
    rows = (f"{i % 2},{'x' if i == 3 else i},{'?' if i == 5 else i},{i}\n" for i in range(9))
    path = save("truth,a,b,c\n" + "".join(rows) + "1,2,3,n\n")
    _, out, _ = run("inspect", path)
    text = " ".join(out.split())
    assert "3 errors" in text
    assert text.count("prediction is text") == 1
    assert "(column 'a', line 5, value 'x'), and in 2 other columns" in text
    found = json.loads(run("inspect", path, "--format", "json")[1])["findings"]
    assert [one["column"] for one in found if one["status"] == "error"] == ["a", "b", "c"]
