"""NCV against counts by hand and a slow loop; and how its files are read."""

from __future__ import annotations

import csv
import re
from dataclasses import replace

import numpy as np
import pytest
from day import daily, swept
from sklearn.metrics import accuracy_score, roc_auc_score

from bbccli import METRICS, Plan, read
from bbccli.errors import InputError, UndefinedError
from bbccli.methods import METHODS, estimate
from bbccli.types import Missing, Pooling, Side

# Eight samples, two outer folds of four; within each training set two inner folds of two.
# truth of p0..p7: 0 1 0 1 0 1 0 1. Outer fold A tests p0..p3, trains on p4..p7; B the reverse.
# Inner, trained without A (p4..p7): knn right on 3 of 4, svm on 2 of 4      -> A selects knn
# Inner, trained without B (p0..p3): knn right on 2 of 4, svm on 4 of 4      -> B selects svm
# Outer: knn right on 2 of 4 in A, on 4 of 4 in B; svm right on 4 of 4 in A, on 3 of 4 in B
# NCV = (knn in A + svm in B) / 2 = (2/4 + 3/4) / 2 = 0.625
# CVT: knn 6/8, svm 7/8 -> svm, 0.875
TRUTH = [0, 1, 0, 1, 0, 1, 0, 1]
BY_HAND = """row_id,outer_fold,fold,truth,knn,svm
p0,A,,0,0.1,0.2
p1,A,,1,0.9,0.8
p2,A,,0,0.7,0.3
p3,A,,1,0.4,0.9
p4,B,,0,0.2,0.1
p5,B,,1,0.8,0.7
p6,B,,0,0.3,0.6
p7,B,,1,0.6,0.9
p4,A,1,0,0.1,0.9
p5,A,1,1,0.9,0.8
p6,A,2,0,0.2,0.7
p7,A,2,1,0.3,0.6
p0,B,1,0,0.8,0.1
p1,B,1,1,0.9,0.9
p2,B,2,0,0.1,0.2
p3,B,2,1,0.2,0.7
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "nested.csv"
    path.write_text(BY_HAND)
    return path


def rows_of(text):
    return list(csv.DictReader(text.splitlines()))


def long(text):
    """The same file in the long layout, rows in another order."""
    rows = [
        f"{name},{r['outer_fold']},{r['fold']},{r['row_id']},{r['truth']},{r[name]}"
        for r in rows_of(text)[::-1]
        for name in ("knn", "svm")
    ]
    return "\n".join(["config,outer_fold,fold,row_id,truth,score", *rows]) + "\n"


@pytest.mark.parametrize("layout", [str, long])
def test_by_hand(tmp_path, layout):
    path = tmp_path / "nested.csv"
    path.write_text(layout(BY_HAND))
    matrix = read(path)
    assert (matrix.n_samples, matrix.n_folds, matrix.n_configurations) == (8, 2, 2)
    assert set(matrix.fold_names) == {"A", "B"}
    found = METHODS["ncv"].run(matrix, METRICS["accuracy"], Plan())
    assert found.value == 0.625
    assert (found.winner, found.naive) == ("svm", 0.875)
    assert {(s.configuration, s.share) for s in found.selection} == {("knn", 0.5), ("svm", 0.5)}
    note = next(note for note in found.notes if note.code == "outer-selections")
    assert {"A: knn", "B: svm"} == set(
        note.text.removeprefix("selected in outer fold ").split(", ")
    )


def test_other_methods_use_the_outer_predictions(path):
    matrix = read(path)
    np.testing.assert_array_equal(matrix.outcome.values, TRUTH)
    np.testing.assert_array_equal(
        matrix.predictions[0, :, 0], [0.1, 0.9, 0.7, 0.4, 0.2, 0.8, 0.3, 0.6]
    )
    estimates, _ = estimate(matrix, [METRICS["accuracy"]], Plan(n_resamples=50))
    assert [e.method for e in estimates] == ["cvt", "tt", "bbc", "ncv"]


def study(seed=0, n=60, n_repeats=2, n_outer=5, n_inner=3, n_configurations=6):
    """Rows of a nested cross-validation of random scores."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    rows = []
    for repeat in range(n_repeats):
        outer = (np.arange(n) // 2 + repeat) % n_outer
        for fold in range(n_outer):
            inner = np.where(outer == fold, -1, (np.arange(n) // 2) % n_inner)
            for sample in range(n):
                score = truth[sample] * 0.5 + rng.normal(size=n_configurations)
                inside = "" if inner[sample] < 0 else inner[sample]
                rows.append([sample, repeat, fold, inside, truth[sample], *score.round(6)])
    names = [f"c{i}" for i in range(n_configurations)]
    head = ["row_id", "repeat", "outer_fold", "fold", "truth", *names]
    return "\n".join(",".join(map(str, row)) for row in [head, *rows]) + "\n", names


def reference(text, names, score, *, fold_mean=False):
    """Algorithm 3 of Tsamardinos et al. 2018, row by row."""
    rows = rows_of(text)
    values = []
    for repeat, outer in sorted({(r["repeat"], r["outer_fold"]) for r in rows}):
        own = [r for r in rows if (r["repeat"], r["outer_fold"]) == (repeat, outer)]
        inner = [r for r in own if r["fold"] != ""]
        test = [r for r in own if r["fold"] == ""]

        def performance(some, name):
            return score([int(r["truth"]) for r in some], [float(r[name]) for r in some])

        def judged(name, inner=inner, performance=performance):
            if not fold_mean:
                return performance(inner, name)
            folds = sorted({r["fold"] for r in inner})
            return np.mean([performance([r for r in inner if r["fold"] == f], name) for f in folds])

        values.append(performance(test, max(names, key=judged)))
    return np.mean(values)


@pytest.mark.parametrize("seed", daily(range(3), [0]))
@pytest.mark.parametrize("pooling", [Pooling.POOLED, swept(Pooling.FOLD_MEAN)])
def test_against_the_slow_loop(tmp_path, seed, pooling):
    text, names = study(seed)
    (tmp_path / "m.csv").write_text(text)
    matrix = read(tmp_path / "m.csv")
    found = METHODS["ncv"].run(matrix, METRICS["auc"], Plan(pooling=pooling))
    expected = reference(text, names, roc_auc_score, fold_mean=pooling is Pooling.FOLD_MEAN)
    assert found.value == pytest.approx(expected, abs=1e-12)


def test_a_threshold_holds_inside_too(path):
    matrix = read(path).with_threshold(0.65)
    found = METHODS["ncv"].run(matrix, METRICS["accuracy"], Plan())
    names = ["knn", "svm"]
    text = BY_HAND.replace("row_id,", "repeat,row_id,").replace("\np", "\n0,p")
    expected = reference(
        text, names, lambda t, p: accuracy_score(t, (np.array(p) > 0.65).astype(int))
    )
    assert found.value == expected


def test_another_metric_selects(path):
    matrix = read(path)
    found = METHODS["ncv"].run(matrix, METRICS["brier"], Plan(), select_by=METRICS["accuracy"])
    rows = rows_of(BY_HAND)
    tested = {fold: [r for r in rows if r["outer_fold"] == fold and not r["fold"]] for fold in "AB"}
    parts = [
        np.mean([(float(r[name]) - int(r["truth"])) ** 2 for r in tested[fold]])
        for fold, name in (("A", "knn"), ("B", "svm"))
    ]
    assert found.value == pytest.approx(np.mean(parts), abs=1e-15)
    assert found.selected_by == "accuracy"


def test_survival_turned_round(tmp_path):
    text, _ = study(n_repeats=1)
    lines = text.replace("truth", "time").splitlines()
    rng = np.random.default_rng(0)
    times = rng.exponential(size=60).round(3)
    rows = []
    for line in lines[1:]:
        cells = line.split(",")
        cells[4] = f"{times[int(cells[0])]},{int(cells[0]) % 3 > 0:d}"
        rows.append(",".join(cells))
    (tmp_path / "m.csv").write_text("\n".join([lines[0].replace("time", "time,event"), *rows]))
    matrix = read(tmp_path / "m.csv")
    later = matrix.with_risk_direction("later")
    metric = METRICS["concordance"]
    assert (
        METHODS["ncv"].run(matrix, metric, Plan()).value
        != METHODS["ncv"].run(later, metric, Plan()).value
    )
    np.testing.assert_array_equal(later.nested[0].predictions, -matrix.nested[0].predictions)


def test_gaps(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(BY_HAND.replace("p4,A,1,0,0.1,0.9", "p4,A,1,0,,0.9"))
    matrix = read(path)
    assert matrix.configurations == ("svm",)
    assert matrix.notes[0].code == "configurations-dropped"
    assert METHODS["ncv"].run(matrix, METRICS["accuracy"], Plan()).value == 0.875
    with pytest.raises(InputError, match="1 of 2 configurations lacks predictions"):
        read(path, missing=Missing.ERROR)
    path.write_text(BY_HAND.replace("p4,A,1,0,0.1,0.9", "p4,A,1,0,,"))
    assert len(read(path).nested[0].training) == 3
    path.write_text(BY_HAND.replace("p0,A,,0,0.1,0.2", "p0,A,,0,,"))
    matrix = read(path)
    assert [n.code for n in matrix.notes] == ["samples-left-out"]
    assert (len(matrix.nested[0].test), len(matrix.nested[1].training)) == (3, 3)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("p4,A,1,0", "p0,A,1,0", r"sample is both trained on and tested .*row 0, value 'p0'"),
        swept(
            "p4,A,1,0", "p5,A,1,0", r"row_id occurs twice within one outer fold .*row 9, value 'p5'"
        ),
        swept("p1,A,,1", "p0,A,,1", r"row_id occurs twice .*row 1, value 'p0'"),
        swept("p4,A,1,0", "p4,A,1,1", r"truth differs between repeats of one sample .*row 8"),
        swept("p0,A,,", "p0,,,", r"outer_fold is missing .*row 0"),
        swept(
            ",outer_fold,fold,", ",outer_fold,inner,", r"need a column 'fold' beside 'outer_fold'"
        ),
        swept("row_id,", "key,", r"need a column 'row_id' beside 'outer_fold'"),
        ("A,1,0,0.1", "C,1,0,0.1", r"outer fold has no test samples .*row 8, value 'C'"),
        swept("p0,A,,", "p0,C,,", r"outer fold has no inner predictions .*row 0, value 'C'"),
    ],
)
def test_files_that_are_wrong(path, old, new, message):
    path.write_text(BY_HAND.replace(old, new, 1))
    with pytest.raises(InputError, match=message) as e:
        read(path)
    assert e.value.hint


def test_outer_predictions_alone(path):
    """Their outer folds are the folds, since no sample is predicted twice."""
    outer = [line for line in BY_HAND.splitlines() if ",," in line or "outer_fold" in line]
    rows = [line.replace(",,", ",").replace("outer_fold,fold", "outer_fold") for line in outer]
    path.write_text("\n".join(rows) + "\n")
    matrix = read(path)
    assert matrix.nested is None or not matrix.nested
    assert matrix.folds.max() == 1


def test_without_nested_predictions(samples):
    matrix = read(samples / "progression.parquet")
    with pytest.raises(UndefinedError, match="ncv needs the inner predictions of a nested") as e:
        METHODS["ncv"].run(matrix, METRICS["auc"], Plan())
    assert "outer_fold" in e.value.hint


def by_class(n_outer):
    """Sixteen samples whose outer folds hold one class each."""
    rows = [
        (i, outer, "" if i % n_outer == outer else i // n_outer % 2, i % 2, i % 3 / 3)
        for outer in range(n_outer)
        for i in range(16)
    ]
    return "\n".join(
        ",".join(map(str, r)) for r in [("row_id", "outer_fold", "fold", "truth", "a"), *rows]
    )


@pytest.mark.parametrize(
    ("n_outer", "message"),
    [
        (4, "AUC of a is undefined in outer fold 0"),
        (2, "in the training samples of outer fold 0: the outcome has only one class"),
    ],
)
def test_undefined_in_an_outer_fold(path, n_outer, message):
    path.write_text(by_class(n_outer))
    with pytest.raises(UndefinedError, match=message):
        METHODS["ncv"].run(read(path), METRICS["auc"], Plan())


# The interval


METHOD = METHODS["ncv-interval"]
LOWER_90 = Plan(side=Side.LOWER, level=0.9)


def matrix_of(tmp_path, text):
    (tmp_path / "m.csv").write_text(text)
    return read(tmp_path / "m.csv")


def bates(text, winner, loss, n_samples, n_outer):
    """Algorithm 1 of Bates, Hastie & Tibshirani 2023, row by row: the standard error."""
    rows = list(csv.DictReader(text.splitlines()))
    a_list, b_list, es = [], [], []
    for repeat, outer in sorted({(r["repeat"], r["outer_fold"]) for r in rows}):
        own = [r for r in rows if (r["repeat"], r["outer_fold"]) == (repeat, outer)]
        e_in = [loss(int(r["truth"]), float(r[winner])) for r in own if r["fold"] != ""]
        e_out = [loss(int(r["truth"]), float(r[winner])) for r in own if r["fold"] == ""]
        a_list.append((np.mean(e_in) - np.mean(e_out)) ** 2)
        b_list.append(np.var(e_out, ddof=1) / len(e_out))
        es += e_in
    mse = np.mean(a_list) - np.mean(b_list)
    n_sub = n_samples * (n_outer - 1) / n_outer
    inflation = np.sqrt(max(0, mse)) / (np.std(es, ddof=1) / np.sqrt(n_sub))
    inflation = max(1, min(inflation, np.sqrt(n_outer)))
    return np.std(es, ddof=1) / np.sqrt(n_samples) * inflation, inflation


def right(truth, score):
    return float((score > 0.5) == truth)


def squared(truth, score):
    return (score - truth) ** 2


def shifted(seed, n_repeats, **kinds):
    """A nested study whose outer folds are unlike their inner predictions; scores in (0, 1)."""
    text, _ = study(seed, n_repeats=n_repeats)
    head, *lines = text.splitlines()
    rng, made = np.random.default_rng(seed), {}
    for line in lines:
        sample, repeat, outer, inside, truth, *scores = line.split(",")
        shift = made.setdefault((repeat, outer, inside == ""), rng.normal(0, kinds["shift"]))
        chances = 1 / (1 + np.exp(-np.array(scores, float) - shift * (2 * int(truth) - 1)))
        made[line] = ",".join([sample, repeat, outer, inside, truth, *map(str, chances.round(6))])
    return "\n".join([head, *(made[line] for line in lines)]) + "\n"


@pytest.mark.parametrize("n_repeats", [1, swept(3)])
@pytest.mark.parametrize("shift", [0.0, swept(0.7), 5.0])
@pytest.mark.parametrize(("name", "loss"), [("accuracy", right), swept("brier", squared)])
def test_the_slow_loop(tmp_path, name, loss, shift, n_repeats):
    text = shifted(2, n_repeats, shift=shift)
    matrix, metric = matrix_of(tmp_path, text), METRICS[name]
    found = METHOD.run(matrix, metric, replace(LOWER_90, side=Side.TWO))
    error, inflation = bates(text, found.winner, loss, 60, 5)
    assert found.value == METHODS["ncv"].run(matrix, metric, LOWER_90).value
    reach = 1.6448536 * error
    ends = np.clip([found.value - reach, found.value + reach], *metric.bounds[:2])
    np.testing.assert_allclose([found.interval.lower, found.interval.upper], ends, rtol=1e-6)
    note = next(n for n in found.notes if n.code == "nested-spread")
    assert f"{inflation:.2f} times" in note.text
    assert found.experimental


def test_equal_losses_have_no_spread(tmp_path):
    """All are wrong by a half: no loss tells outer folds from inner ones."""
    halves = re.sub(r"0\.\d,0\.\d$", "0.5,0.5", BY_HAND, flags=re.M)
    found = METHOD.run(matrix_of(tmp_path, halves), METRICS["brier"], LOWER_90)
    assert (found.value, found.interval.lower) == (0.25, 0.25)
    (note,) = (note for note in found.notes if note.code == "nested-spread")
    assert "1.00 times" in note.text


def test_where_there_is_none(tmp_path):
    text = shifted(2, 1, shift=0.7)
    matrix = matrix_of(tmp_path, text)
    for other, name, words in (
        (matrix, "auc", "AUC is not a mean of losses"),
        (replace(matrix, groups=np.arange(60) // 2), "accuracy", "come in groups"),
        (
            replace(matrix, outcome=replace(matrix.outcome, weights=np.linspace(1, 2, 60))),
            "accuracy",
            "have weights",
        ),
    ):
        found = METHOD.run(other, METRICS[name], LOWER_90)
        assert found.interval is None
        assert words in next(n.text for n in found.notes if n.code == "no-interval")


def test_it_is_no_default(tmp_path):
    matrix = matrix_of(tmp_path, BY_HAND)
    estimates, _ = estimate(matrix, [METRICS["accuracy"]], Plan(n_resamples=20))
    assert "ncv-interval" not in [e.method for e in estimates]
