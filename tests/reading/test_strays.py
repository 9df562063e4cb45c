"""Columns that are taken for configurations and are none."""

import json

import numpy as np
import pytest
from day import swept
from documents import codes
from reading import note_of, refused
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from bbccli.reading import read
from bbccli.types import Missing, PredictionKind

N = 120
RNG = np.random.default_rng(3)
TRUTH = RNG.permutation(np.arange(N) % 2)
FOLD = RNG.permutation(np.arange(N) % 5)
SCORES = {f"svm {i}": np.round(RNG.random(N) * 0.8 + 0.2 * TRUTH, 4) for i in range(4)}
BINARY = {"fold": FOLD, "truth": TRUTH, **SCORES}
VALUES = RNG.gamma(3, 40, N) + 25
REGRESSION = {"fold": FOLD, "truth": VALUES} | {
    f"ridge {i}": VALUES + RNG.normal(size=N) * 60 for i in range(4)
}
CLASSES = RNG.permutation(np.arange(N) % 3)
LABELS = {"truth": np.array(["a", "b", "c"])[CLASSES]} | {
    f"tree {i}": np.array(["a", "b", "c"])[np.where(RNG.random(N) < 0.3, 0, CLASSES)]
    for i in range(3)
}


def columns_of_classes(right, model="net"):
    """One column per class: `right` for the true class, the rest shared by the others."""
    truth = LABELS["truth"]
    return {f"{model}::{k}": np.where(truth == k, right, (1 - right) / 2) for k in "abc"}


# copies of the truth


@pytest.mark.parametrize(
    ("table", "copy"),
    [
        (BINARY, TRUTH),
        swept(BINARY, 2 * TRUTH + 1),
        swept(BINARY | {"truth": np.array(["no", "yes"])[TRUTH]}, TRUTH),
        swept(REGRESSION, VALUES),
        (REGRESSION, VALUES * (1 + 1e-12)),
        swept(REGRESSION, VALUES.astype(np.float32)),
        swept(LABELS, LABELS["truth"]),
        swept(LABELS, np.array(["b", "c", "a"])[CLASSES]),
    ],
)
@pytest.mark.parametrize("name", ["m.csv", "m.parquet"])
def test_a_copy_of_the_truth_is_refused(save, name, table, copy):
    if copy.dtype == np.float32:  # a file of one width: the copy has fewer digits
        table = {k: v.astype(np.float32) if k.startswith("ridge") else v for k, v in table.items()}
        if name == "m.csv":
            return
    path = save(name, table | {"label_copy": copy})
    e = refused("equal to the truth in every row: label_copy", path)
    assert e.path == str(path)
    assert "--exclude 'label_copy'" in e.hint
    assert "--only" in e.hint
    kept = read(path, only=["*"])
    assert "label_copy" in kept.configurations
    assert note_of(kept, "equals-truth").text == "label_copy equals the truth in every row"
    assert "equals-truth" not in codes(read(path, exclude=["label_copy"]))


def test_a_copy_of_a_time_or_an_event_is_refused(save):
    event = RNG.permutation(np.arange(N) % 2)
    table = {"time": VALUES, "event": event, "cox": VALUES + RNG.normal(size=N)}
    for copy in (VALUES, -VALUES, event, 1 - event):
        refused("equal to the truth in every row: t", save("m.csv", table | {"t": copy}))
    assert read(save("m.csv", table)).n_configurations == 1


def test_a_copy_in_columns_of_classes_is_refused(save):
    table = {"truth": LABELS["truth"]} | columns_of_classes(0.8)
    assert read(save("m.csv", table)).kind is PredictionKind.PROBABILITY
    copied = save("m.csv", table | columns_of_classes(1.0, "copy"))
    refused("equal to the truth in every row: copy", copied)


@pytest.mark.parametrize(
    ("table", "nearly"),
    [
        (BINARY, np.where(np.arange(N) == N - 1, 1 - TRUTH, TRUTH)),
        swept(BINARY, TRUTH * 0.9 + np.arange(N) * 1e-6),
        swept(BINARY, np.full(N, 0.5)),
        swept(REGRESSION, np.where(np.arange(N) == N - 1, VALUES * (1 + 1e-6), VALUES)),
        swept(LABELS, np.where(np.arange(N) == N - 1, "a", LABELS["truth"])),
    ],
)
def test_what_is_nearly_a_copy_is_read(save, table, nearly):
    if nearly.dtype.kind == "U" and nearly[-1] == LABELS["truth"][-1]:
        nearly[-1] = "b"
    assert "nearly" in read(save("m.csv", table | {"nearly": nearly})).configurations


def test_a_copy_with_gaps_is_refused(save):
    holes = {name: column.astype(float) for name, column in SCORES.items()}
    holes |= {"copy": TRUTH.astype(float)}
    for position, column in enumerate(holes.values()):
        column[position] = np.nan
    path = save("m.parquet", {"truth": TRUTH, **holes})
    refused("equal to the truth in every row: copy", path, missing=Missing.AVAILABLE)


def test_what_may_be_perfect(save):
    """What the metadata call a configuration, the first folds, and a few samples."""
    metadata = {"spec": "bbc-predictions", "version": "1", "configs": [{"id": "oracle"}]}
    named = read(save("m.csv", BINARY | {"oracle": TRUTH}, metadata))
    first = read(save("n.csv", BINARY | {"copy": TRUTH}), unfinished=True)
    assert "equals-truth" in codes(named)
    assert "equals-truth" in codes(first)
    few = {"truth": [0, 1, 0, 1, 1], "a": [0, 1, 0, 1, 1], "b": [0, 1, 1, 1, 1]}
    assert read(save("o.csv", few)).n_configurations == 2


# constant, made of folds or rows, off the scale


@pytest.mark.parametrize("value", [-999, 1e6])
def test_a_value_of_the_truth_far_from_all_others(save, value):
    truth = np.where(np.arange(N) % 12 == 0, value, VALUES)
    told = note_of(read(save("m.csv", {**REGRESSION, "truth": truth})), "off-scale")
    assert told.text.startswith(f"the truth is {value:.6g} in 10 rows, and ")
    assert "remove these rows" in told.remedy


SCALES = {
    "amounts, many of them nothing": np.where(np.arange(N) % 3 == 0, 0, VALUES),
    "four codes": np.where(np.arange(N) < 4, -999, VALUES),
    "cut": np.minimum(VALUES, 200),
    "two levels": np.where(np.arange(N) % 2 == 0, 0, 5000 + np.arange(N) % 10),
}


@pytest.mark.parametrize("truth", SCALES.values(), ids=SCALES)
def test_a_truth_on_one_scale(save, truth):
    path = save("m.csv", {"y": truth, "a": truth + RNG.normal(size=N)})
    assert "off-scale" not in codes(read(path))


def test_a_constant_column(save):
    matrix = read(save("m.csv", BINARY | {"seed": [0] * N, "seed 2": [1] * N}))
    found = note_of(matrix, "constant-predictions")
    assert found.text == "seed, seed 2 are constant"
    assert "--exclude" in found.remedy
    seed = save("m.csv", REGRESSION | {"seed": [42] * N})
    assert note_of(read(seed), "constant-predictions").text.startswith("seed is")
    assert "off-scale" not in codes(read(seed))
    assert "constant-predictions" not in codes(read(seed, only=["*"]))


OF_FOLDS = np.array([0.11, 0.52, 0.43, 0.24, 0.35])[FOLD]
OF_ROWS = (FOLD // 2, np.arange(N), np.arange(N) // 13)


@pytest.mark.parametrize("column", [FOLD, OF_FOLDS, *map(swept, OF_ROWS)])
@pytest.mark.parametrize("table", [BINARY, swept(REGRESSION)])
def test_columns_made_of_folds_or_rows(save, table, column):
    """Beside models that predict, whole numbers that do not are left out."""
    noise = {name: RNG.permutation(c) if " " in name else c for name, c in table.items()}
    matrix = read(save("m.csv", noise | {"cv": column}))
    assert note_of(matrix, "fold-like").text.startswith("cv depends on the fold or the order")
    assert {"off-scale", "constant-predictions"}.isdisjoint(codes(matrix))
    beside = read(save("n.csv", table | {"cv": column}))
    assert ("cv" in beside.configurations) is (column.dtype.kind == "f")


def test_folds_among_labels(save):
    table = {"fold": FOLD, "truth": np.array(list("abcde"))[np.arange(N) % 5]}
    table |= {"tree": RNG.permutation(table["truth"]), "cv": np.array(list("cabde"))[FOLD]}
    assert note_of(read(save("m.csv", table)), "fold-like").text.startswith("cv depends on")
    majority = np.array(list("aabab"))[FOLD]
    assert "fold-like" not in codes(read(save("m.csv", table | {"cv": majority})))


@pytest.mark.parametrize("summary", [np.mean, np.median])
def test_a_baseline_is_no_stray(save, summary):
    prior = np.array([summary(VALUES[fold != FOLD]) for fold in range(5)])[FOLD]
    assert codes(read(save("m.csv", REGRESSION | {"dummy": prior}))) == []
    wrong = read(save("m.csv", REGRESSION | {"dummy": prior * 1.1}))
    assert codes(wrong) == ["fold-like"]


def test_where_all_are_off_the_scale_none_is_left_out(save):
    """The truth may be a logarithm, or the columns errors."""
    truth = np.asarray(REGRESSION["truth"])
    errors = {f"m{c}": np.abs(RNG.normal(size=N)) - 50 for c in range(2)}
    found = note_of(read(save("m.csv", {"truth": truth, **errors})), "off-scale")
    assert "one unit" in found.remedy
    one = note_of(read(save("m.csv", {**REGRESSION, "m0": errors["m0"]})), "off-scale")
    assert "--exclude" in one.remedy


def test_predictions_of_a_logarithm(save):
    """All of them, or one beside others; models that shrink or know nothing are on the scale."""
    logs = RNG.normal(2.5, 1, N)
    truth = {"truth": np.expm1(logs)}
    near = {f"m{c}": logs + RNG.normal(0, 0.3, N) for c in range(3)}
    found = note_of(read(save("m.csv", truth | near)), "off-scale")
    assert found.text.startswith("m0, m1, m2 are") and "one unit" in found.remedy
    raw = {f"r{c}": np.expm1(column) for c, column in enumerate(near.values())}
    one = note_of(read(save("n.csv", truth | raw | {"m0": near["m0"]})), "off-scale")
    assert one.text.startswith("m0 is off the scale")
    mean = np.mean(truth["truth"])
    shrunk = {"flat": mean + 0.01 * logs, "half": mean + raw["r0"] / 2, "noise": mean + logs[::-1]}
    assert "off-scale" not in codes(read(save("o.csv", truth | raw | shrunk)))
    shares = RNG.uniform(0, 0.3, N)  # their logarithm is much the same
    good = {"truth": shares, "a": shares + RNG.normal(0, 0.03, N), "b": shares[::-1]}
    assert "off-scale" not in codes(read(save("p.csv", good)))


def test_an_age_among_probabilities(save):
    """One that predicts; another one is left out."""
    age = RNG.integers(18, 90, N) + 30 * TRUTH
    matrix = read(save("m.csv", BINARY | {"age": age}))
    assert matrix.kind is PredictionKind.SCORE
    found = note_of(matrix, "off-scale")
    assert found.text == (
        f"age is off the scale: age is {age.min()} to {age.max()}, "
        "4 configurations are probabilities; now all count as scores"
    )
    alone = {"truth": TRUTH, "a": RNG.normal(size=N), "b": RNG.normal(size=N), "c": RNG.random(N)}
    assert "off-scale" not in codes(read(save("m.csv", alone)))


def test_scores_among_columns_of_classes(save):
    table = {"truth": LABELS["truth"]} | columns_of_classes(0.8) | columns_of_classes(0.8, "svm")
    table |= {f"raw::{k}": RNG.normal(size=N) for k in "abc"}
    assert note_of(read(save("m.csv", table)), "off-scale").text.startswith("raw is off the scale")


@pytest.mark.parametrize("column", [RNG.random(N), RNG.random(N) * 5 + 1000])
def test_values_off_the_scale_of_the_truth(save, column):
    matrix = read(save("m.csv", REGRESSION | {"fit_time": column}))
    assert note_of(matrix, "off-scale").text.startswith("fit_time is off the scale: fit_time is ")
    assert "off-scale" not in codes(read(save("m.csv", REGRESSION)))


# perfect where the others are not


@pytest.mark.parametrize(
    ("table", "column", "way", "said"),
    [
        (BINARY, TRUTH + RNG.random(N) * 0.9, "as the truth does", "AUC 0."),
        swept(BINARY, -TRUTH + RNG.random(N) * 0.9, "against the truth", "AUC 0."),
        swept(REGRESSION, np.log(VALUES), "as the truth does", "correlation 0."),
        swept(REGRESSION, 1000 - VALUES**3, "against the truth", "correlation 0."),
    ],
)
def test_one_that_is_perfect_where_the_others_are_not(save, table, column, way, said):
    matrix = read(save("m.csv", table | {"leak": column}))
    found = note_of(matrix, "perfect-configuration")
    assert found.text.startswith(
        f"leak ranks all samples {way}" + ", or nearly so" * ("corr" in said) + "; the best of"
    )
    assert said in found.text


def test_one_perfect_in_columns_of_classes(save):
    table = {"truth": LABELS["truth"]} | columns_of_classes(0.8, "copy")
    noise = RNG.dirichlet([1, 1, 1], N)
    table |= {f"net::{k}": p for k, p in zip("abc", noise.T, strict=True)}
    found = note_of(read(save("m.csv", table)), "perfect-configuration")
    assert "net, has accuracy 0." in found.text


def fitted_on_the_other_folds(kind, n_folds=5):
    """A table in which the model of each fold predicts all rows; and one of the folds left out."""
    rng = np.random.default_rng(5)
    features, n_classes = rng.normal(size=(500, 6)), 3 if kind == "classes" else 2
    signal = features[:, 0] + rng.normal(size=500) * 1.5
    truth = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))
    fold = rng.permutation(np.arange(500) % n_folds)
    tree = DecisionTreeRegressor if kind == "values" else DecisionTreeClassifier
    outcome = np.round(signal, 4) if kind == "values" else truth
    seen = {"truth": outcome, "fold": fold}
    left_out = {name: column.copy() for name, column in seen.items()}
    for depth in (8, 9, 10):
        for f in range(n_folds):
            model = tree(max_depth=depth, random_state=f)
            model.fit(features[fold != f], outcome[fold != f])
            if kind in ("labels", "values"):
                columns = {"": model.predict(features)}
            else:
                each = model.predict_proba(features)
                columns = {f"::{k}": each[:, k] for k in range(3)} if n_classes > 2 else {}
                columns = columns or {"": each[:, 1] * (10 if kind == "scores" else 1)}
            for label, column in columns.items():
                seen[f"tree{depth}_{f}{label}"] = column
                place = left_out.setdefault(f"tree{depth}{label}", np.zeros_like(column))
                place[fold == f] = column[fold == f]
    return seen, left_out


@pytest.mark.parametrize("kind", ["labels", "probabilities", "scores", "classes", "values"])
def test_models_that_predict_the_rows_they_were_fitted_on(save, kind):
    """The best of five trees of one configuration had an AUC of 0.98, at exit 0 without a word."""
    seen, left_out = fitted_on_the_other_folds(kind)
    found = note_of(read(save("m.parquet", seen)), "perfect-configuration")
    assert found.text.startswith("tree8_0, tree8_1, tree8_2, ") and "fitted on" in found.text
    trees = {name: column for name, column in left_out.items() if "tree" in name}
    left_out |= {f"{j} {name}": column for j in range(12) for name, column in trees.items()}
    assert "perfect-configuration" not in codes(read(save("n.parquet", left_out)))
    again = note_of(read(save("o.parquet", seen | left_out)), "perfect-configuration")
    assert again.text == found.text


def fitted_on_the_first(kind, n=600, first=True):
    """A table in which all models were fitted on a part of the rows at one end."""
    rng = np.random.default_rng(5)
    features = rng.normal(size=(n, 6))
    signal = features[:, 0] + rng.normal(size=n)
    truth = np.round(signal, 4) if kind == "values" else (signal > 0) * 1
    tree = DecisionTreeRegressor if kind == "values" else DecisionTreeClassifier
    fitted = (np.arange(n) < n // 2) == first
    columns = {"truth": truth}
    for depth in (13, 14, 15):
        model = tree(max_depth=depth, random_state=0).fit(features[fitted], truth[fitted])
        probable = kind == "probabilities"
        columns[f"tree{depth}"] = (
            model.predict_proba(features)[:, 1] if probable else model.predict(features)
        )
    return columns


@pytest.mark.parametrize("kind", ["labels", "probabilities", "values"])
@pytest.mark.parametrize("first", [True, False])
def test_rows_at_one_end_that_models_were_fitted_on(save, kind, first):
    """Training and test rows in one file, without a column that says so: AUC 0.99 for 0.87."""
    table = fitted_on_the_first(kind, first=first)
    found = note_of(read(save("m.parquet", table)), "perfect-configuration")
    start, end = map(int, found.text.partition(" in samples ")[2].split(" than")[0].split(" to "))
    assert abs((start if first else end) - 300) < 20 and (end == 599 if first else start == 0)
    assert found.text.startswith("tree13, tree14, tree15 err")
    weak = {f"stump {i}": RNG.permutation(table["tree13"]) for i in range(3)}
    half = note_of(read(save("h.parquet", table | weak)), "perfect-configuration")
    assert "stump" not in half.text
    more = {"dull": RNG.permutation(table["tree14"])}
    assert "perfect-configuration" not in codes(read(save("w.parquet", table | weak | more)))
    fold = {"fold": np.arange(600) % 5}  # each row is of a fold that was left out
    assert "perfect-configuration" not in codes(read(save("f.parquet", fold | table)))
    order = RNG.permutation(600)
    mixed = {name: column[order] for name, column in table.items()}
    assert "perfect-configuration" not in codes(read(save("p.parquet", mixed)))


def test_parts_that_differ_in_their_truth_or_within_are_no_training_rows(save):
    """Tables sorted by the truth, volatile series, several sources, and growing errors."""
    rng, n = np.random.default_rng(6), 600
    noise, late = rng.normal(size=(n, 3)), np.arange(n) >= 300

    def doubted(truth, noise):
        models = {f"m{c}": truth + noise[:, c] for c in range(3)}
        found = codes(read(save("m.parquet", {"truth": truth, **models})))
        return "perfect-configuration" in found

    values = rng.normal(size=n)
    apart = noise * np.where(late, 1, 0.3)[:, None]
    assert doubted(values, apart)
    assert not doubted(values + 2 * late, apart)  # another level
    assert not doubted(values * np.where(late, 3, 1), apart)  # a volatile time
    assert not doubted(values, noise * np.where(late, 1, 0.6)[:, None])
    assert not doubted(values, noise * np.linspace(0.2, 1.2, n)[:, None])
    assert not doubted(values, noise * np.repeat([0.2, 1, 0.6], 200)[:, None])
    assert not doubted(values, noise * np.where(np.arange(n) >= 590, 1, 0.2)[:, None])
    waves = np.repeat([1, 0.1, 0.3, 0.3, 0.1], [200, 100, 100, 100, 100])
    assert not doubted(values, noise * waves[:, None])
    easy = rng.random((n, 3)) < np.where(late, 0.4, 0.1)[:, None]
    truth = rng.integers(0, 2, n)
    labels = {f"m{c}": np.where(easy[:, c], 1 - truth, truth) for c in range(3)}
    assert "perfect-configuration" not in codes(read(save("l.csv", {"truth": truth} | labels)))


@pytest.mark.parametrize("hard", [(20,), (1, 1, 1, 1, 1), (16, 1, 1, 1, 1)])
def test_hard_folds_are_no_sign_of_leakage(save, hard):
    """Hard for all or most; or each fold for some, of which a few are far worse on it."""
    rng = np.random.default_rng(1)
    columns = {f"m{c}": np.where(rng.random(N) < 0.9, TRUTH, 1 - TRUTH) for c in range(20)}
    for f, n in enumerate(hard):
        fold = f == FOLD
        for c in range(sum(hard[:f]), sum(hard[:f]) + n):
            columns[f"m{c}"][fold] = 1 - TRUTH[fold]
    assert "perfect-configuration" not in codes(
        read(save("m.csv", {"fold": FOLD, "truth": TRUTH, **columns}))
    )


@pytest.mark.parametrize(("share", "said"), [(0.39, False), (0.6, True)])
def test_a_little_worse_in_one_fold_each_is_no_sign_of_leakage(save, share, said):
    """Beyond chance, but no model errs so little more on what it was not fitted on."""
    rng, fold = np.random.default_rng(2), np.arange(4002) % 3
    truth = rng.permutation(np.arange(4002) % 2)
    wrong = rng.random((6, 4002)) < np.where(fold == np.arange(6)[:, None] % 3, share, 0.3)
    columns = {f"m{c}": np.where(wrong[c], 1 - truth, truth) for c in range(6)}
    found = codes(read(save("m.parquet", {"fold": fold, "truth": truth, **columns})))
    assert ("perfect-configuration" in found) == said


def test_perfect_among_the_nearly_perfect(save):
    near = {"truth": TRUTH, "a": TRUTH + RNG.random(N) * 0.9, "b": TRUTH + RNG.random(N) * 1.1}
    assert "perfect-configuration" not in codes(read(save("m.csv", near)))
    everyone = {"truth": TRUTH, "a": near["a"], "b": near["a"] ** 2}
    assert "perfect-configuration" not in codes(read(save("m.csv", everyone)))


OF_STRAYS = {"equals-truth", "constant-predictions", "fold-like", "off-scale"}
OF_STRAYS |= {"perfect-configuration"}


@pytest.mark.sweep
def test_ordinary_files_have_no_such_note(samples, save):
    for path in samples.glob("*.parquet"):
        assert OF_STRAYS.isdisjoint(codes(read(path)))
    for table in (BINARY, REGRESSION, LABELS):
        assert set(codes(read(save("m.csv", table)))) <= {"folds-unknown"}


# what is said of ordinary files


def test_repeats_are_all_looked_at(save):
    rows = {"row_id": np.tile(np.arange(N), 2), "repeat": np.repeat([0, 1], N)}
    table = rows | {"fold": np.tile(FOLD, 2), "truth": np.tile(TRUTH, 2)}
    table |= {name: np.concatenate([p, p[::-1]]) for name, p in SCORES.items()}
    half = np.concatenate([TRUTH, RNG.permutation(TRUTH)])
    assert read(save("m.csv", table | {"half": half})).n_configurations == 5
    refused("equal to the truth", save("m.csv", table | {"whole": np.tile(TRUTH, 2)}))
    seed = np.repeat([1, 2], N)
    matrix = read(save("m.csv", table | {"seed": seed}))
    assert "fold-like" in codes(matrix)


def test_inspection_tells_of_them_and_names_all(run, save):
    age = RNG.integers(18, 90, N) + 30 * TRUTH
    path = save("m.csv", BINARY | {"seed": [0] * N, "cv": OF_FOLDS, "age": age})
    status, out, _ = run("inspect", path)
    words = " ".join(out.split())
    assert status == 0
    assert "svm 0, svm 1, svm 2, svm 3, seed, cv, age" in words
    assert words.count("stray columns warning") == 3
    status, out, _ = run("inspect", path, "--format", "json")
    assert json.loads(out)["input"]["configurations"][-3:] == ["seed", "cv", "age"]
