"""What columns are is told by identities in their values, and by names where these only help."""

import numpy as np
import pyarrow as pa
import pytest
from day import swept
from documents import codes
from numpy.testing import assert_allclose
from reading import refused

from bbccli import matrix_of
from bbccli.reading import Roles, read
from bbccli.types import PredictionKind, Task

N = 120
RNG = np.random.default_rng(7)
TWO = RNG.integers(0, 2, N)
P = np.clip(0.3 + 0.4 * TWO + RNG.normal(0, 0.2, N), 0.02, 0.98).round(4)
Q = np.clip(0.4 + 0.2 * TWO + RNG.normal(0, 0.2, N), 0.02, 0.98).round(4)
THREE = RNG.integers(0, 3, N)


def shares(seed, digits=6, n_classes=3):
    """Probabilities of classes, which are the best for the true one half of the time."""
    raw = np.random.default_rng(seed).dirichlet([1] * n_classes, N) + 0.5 * np.eye(n_classes)[THREE]
    return (raw / raw.sum(axis=1, keepdims=True)).round(digits)


A, B = shares(1), shares(2)
ANIMALS = np.array(["cat", "dog", "owl"])
YES = np.array(["no", "yes"])
VALUES = RNG.normal(50, 10, N).round(2)
X = (VALUES + RNG.normal(0, 5, N)).round(4)
Y = (VALUES + RNG.normal(0, 6, N)).round(4)
WIDTH = np.random.default_rng(5).uniform(2, 9, N).round(2)


# Classes of one model


@pytest.mark.parametrize(
    "form", ["{}_{}", "{}.{}", "{}_p{}", "prob_{1}_{0}", "{}_class{}", "{} ({})", "{}[{}]"]
)
@pytest.mark.parametrize("by_class", [True, False])
def test_numbered_columns_of_integer_classes(save, form, by_class):
    models = {"xgb": A, "nn": B}
    pairs = [(name, k) for name in models for k in range(3)]
    if by_class:
        pairs.sort(key=lambda pair: pair[1])
    columns = {form.format(*pair): models[pair[0]][:, pair[1]] for pair in pairs}
    matrix = read(save("m.csv", {"y": THREE, **columns}))
    assert matrix.task is Task.MULTICLASS
    assert matrix.kind is PredictionKind.PROBABILITY
    assert len(matrix.configurations) == 2
    assert_allclose(matrix.predictions[0, :, 0], A)
    assert_allclose(matrix.predictions[0, :, 1], B)


@pytest.mark.parametrize(
    ("truth", "negative", "positive"),
    [
        (YES[TWO], "confidence(no)", "confidence(yes)"),
        (YES[TWO], "P (Churn=no)", "P (Churn=yes)"),
        (TWO, "IP_0", "IP_1"),
        (TWO, "Prob[0]", "Prob[1]"),
        (YES[TWO], "NO", "YES"),
        (YES[TWO], "lr.0", "lr.1"),
        (TWO == 1, "rf_False", "rf_True"),
        (TWO + 1, "m1", "m2"),
        (TWO, "p_neg", "p_pos"),
        (TWO, "y_prob_2", "y_prob"),
        (TWO.astype(float), "svm_proba_0", "svm_proba_1"),
    ],
)
def test_two_columns_of_two_classes(save, truth, negative, positive):
    """The probability of the positive class counts, whichever column comes first."""
    other = {"other": Q}
    for columns in ({negative: 1 - P, positive: P}, {positive: P, negative: (1 - P).round(4)}):
        matrix = read(save("m.csv", {"truth": truth, **columns, **other}))
        assert len(matrix.configurations) == 2
        assert_allclose(np.sort(matrix.predictions[0], axis=1), np.sort([P, Q], axis=0).T)
    turned = read(save("m.csv", {"truth": truth, **columns}), positive=str(np.sort(truth)[0]))
    assert_allclose(turned.predictions[0, :, 0], 1 - P)


def test_names_that_do_not_tell_the_class_are_refused(save):
    path = save("m.csv", {"truth": TWO, "ham": P, "spam": 1 - P})
    refused("ham, spam sum to 1 in every row", path, hint="--exclude the one of class '0'")
    assert_allclose(read(path, exclude="ham").predictions[0, :, 0], 1 - P)
    assert read(path, only="*").configurations == ("ham", "spam")
    columns = dict(zip(("u", "v", "w"), A.T, strict=True))
    refused("u, v, w sum to 1 in every row", save("n.csv", {"truth": THREE + 5, **columns}))
    glued = dict(zip(("ycat", "ydog", "yowl"), A.T, strict=True))  # but part of another word
    refused("ycat, ydog, yowl sum to 1", save("g.csv", {"truth": ANIMALS[THREE], **glued}))


def test_rounded_shares_with_gaps(save):
    few = shares(3, digits=2)
    few[5:9] = np.nan
    named = {f"a_{name}": column for name, column in zip(ANIMALS, few.T, strict=True)}
    whole = {f"b_{name}": column for name, column in zip(ANIMALS, B.T, strict=True)}
    matrix = read(save("m.csv", {"truth": ANIMALS[THREE], **named, **whole}))
    assert matrix.configurations == ("b",)
    assert "configurations-dropped" in codes(matrix)


def test_a_class_without_a_sample_has_a_column(save):
    four = np.column_stack([A * 0.9, np.full(N, 0.1)])
    columns = {f"m_{k}": four[:, k] for k in range(4)}
    matrix = read(save("m.csv", {"truth": THREE, **columns}))
    assert matrix.outcome.classes == ("0", "1", "2", "3")
    assert matrix.predictions.shape == (1, N, 1, 4)


def test_percentages(save):
    columns = {f"m_{name}": 100 * A[:, k] for k, name in enumerate(ANIMALS)}
    matrix = read(save("m.csv", {"truth": ANIMALS[THREE], **columns}))
    assert matrix.configurations == ("m",)


def test_models_are_chosen_by_their_names(save):
    columns = {f"{m}_{k}": v[:, k] for m, v in (("nn", A), ("xgb", B)) for k in range(3)}
    path = save("m.csv", {"truth": THREE, **columns})
    assert read(path, exclude="xgb").configurations == ("nn",)
    assert read(path, only="x*b").configurations == ("xgb",)
    assert read(path, exclude="xgb_*").configurations == ("nn",)
    refused("'zgb' matches no configuration", path, exclude="zgb", hint="did you mean")


# Arrays


@pytest.mark.parametrize("n_classes", [2, 3])
def test_arrays_whose_rows_sum_to_1_are_of_classes(n_classes):
    truth = TWO if n_classes == 2 else THREE
    models = [np.column_stack([1 - p, p]) for p in (P, Q)] if n_classes == 2 else [A, B]
    for given, n in ((models, 2), (np.array(models), 2), (models[0], 1)):
        matrix = matrix_of(given, truth)
        assert (matrix.predictions.shape[0], len(matrix.configurations)) == (1, n)
        found = matrix.predictions[0]
        assert_allclose(found[:, 0], models[0][:, 1] if n_classes == 2 else A)
        assert "classes-in-order" in codes(matrix)
    matrix = matrix_of(models, truth, configurations=["a", "b"])
    assert (matrix.configurations, len(matrix.predictions)) == (("a", "b"), 1)


def test_arrays_of_configurations_stay(save):
    pair = np.column_stack([1 - P, P])
    assert matrix_of(pair, TWO, configurations=["a", "b"]).configurations == ("a", "b")
    assert matrix_of(pair, VALUES).configurations == ("0", "1")
    assert matrix_of(pair, TWO, task="regression").configurations == ("0", "1")
    assert matrix_of(np.column_stack([P, Q]), TWO).configurations == ("0", "1")
    repeats = np.array([np.column_stack([P, Q]), np.column_stack([Q, P])])
    assert matrix_of(repeats, TWO).predictions.shape == (2, N, 2)
    pair[3] = 0.5, 0.6
    assert matrix_of(pair, TWO).configurations == ("0", "1")


BOTH = np.stack([P, 1 - P], axis=1)


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (BOTH, True),
        (100 * BOTH, True),
        (A, True),
        (2 * BOTH, False),  # the same sum in every row, but neither 1 nor 100
        (np.stack([P + 1, -P], axis=1), False),  # below 0
        (np.stack([P, 1 - P + 0.0001 * (RNG.random(N) < 0.5)], axis=1), False),  # 1 in half of rows
        (np.stack([P, 1 - P + 0.0001 * (np.arange(N) == 3)], axis=1), True),  # but for one half
        (BOTH[-5:], False),  # too few rows to be no accident
        (np.repeat([[0.3, 0.7]], N, axis=0), False),  # constant
        (np.eye(2)[np.roll(TWO, 1)], False),  # labels, and the opposite ones
    ],
)
def test_what_sums_to_1(columns, told):
    truth = (TWO if columns.shape[1] == 2 else THREE)[-len(columns) :]
    assert (matrix_of(columns, truth).n_configurations == 1) == told


def test_percentages_of_two_classes_are_of_one_model_whatever_their_range(save):
    near = (45 + 10 * BOTH).round(3)  # none is above 55
    near[::40, 1] += 0.001  # as halves of both may be rounded
    matrix = read(save("m.csv", {"y": YES[TWO], "neg": near[:, 0], "pos": near[:, 1], "q": 50 * Q}))
    assert matrix.n_configurations == 2


def test_what_sums_to_1_nearly_is_of_classes_if_names_say_so():
    for off, told in ((0.0005, True), (0.02, False)):
        found = read(pa.table({"truth": YES[TWO], "no": P, "yes": 1 - P + off}))
        assert (found.n_configurations == 1) == told


LOGITS = {"a": 2, "b": 1, "weak": 0}
"""Models whose scores are not shares, and by how much that of the true class is higher."""


def scores(model, n_classes=3, truth=THREE):
    noise = np.random.default_rng([*model.encode()]).normal(size=(N, n_classes))
    return (LOGITS[model] * np.eye(n_classes)[truth] + noise).round(4)


@pytest.mark.parametrize("truth", [THREE, THREE * 1.0, ANIMALS[THREE]])
@pytest.mark.parametrize("form", ["{}_logit_{}", "{1}.{0}"])
@pytest.mark.parametrize("squash", [lambda z: z, lambda z: 1 / (1 + np.exp(-z))])
def test_scores_that_go_with_a_class_each_are_of_one_model(save, truth, form, squash):
    columns = {
        form.format(m, k): squash(scores(m)[:, i])
        for m in LOGITS
        for i, k in enumerate(["0", "1", "2"] if truth.dtype.kind != "U" else ANIMALS)
    }
    matrix = read(save("m.csv", {"y": truth, **columns}))
    assert (matrix.task, matrix.kind) == (Task.MULTICLASS, PredictionKind.SCORE)
    assert len(matrix.configurations) == 3
    assert "scores-of-classes" in codes(matrix)
    assert_allclose(matrix.predictions[0, :, 0], squash(scores("a")), atol=1e-4)
    assert len(read(save("m.csv", {"y": TWO, **columns})).configurations) == 9


def test_scores_of_a_class_without_a_sample(save):
    columns = {f"m_{k}": column for k, column in enumerate(scores("a", 4).T)}
    matrix = read(save("m.csv", {"y": THREE, **columns}))
    assert (matrix.configurations, matrix.outcome.classes) == (("m",), ("0", "1", "2", "3"))
    columns = {f"{k}": column for k, column in enumerate(scores("a").T)}
    refused("the column has no class", save("m.csv", {"y": THREE, **columns, "svm": P}))


@pytest.mark.parametrize("name", ["m_{}", "m::{}"])
def test_scores_of_two_classes_count_as_their_difference(save, name):
    both = scores("a", 2, TWO)
    matrix = read(save("m.csv", {"y": TWO, **{name.format(k): both[:, k] for k in (0, 1)}}))
    assert matrix.configurations == ("m",)
    assert_allclose(matrix.predictions[0, :, 0], both[:, 1] - both[:, 0])
    first = read(save("m.csv", {"y": TWO, "m::0": P, "m::1": Q}))
    assert_allclose(first.predictions[0, :, 0], Q)


# Residuals and losses


@pytest.mark.parametrize(
    ("name", "column", "words"),
    [
        ("Residual", VALUES - X, "Residual is the truth minus x"),
        ("d", X - VALUES, "d is x minus the truth"),
        ("abs_err", np.abs(VALUES - X), "abs_err is the absolute error of x"),
        ("se", (VALUES - X) ** 2, "se is the squared error of x"),
        ("short", (VALUES - X).round(2), "short is the truth minus x"),
        ("ape", np.abs(X / VALUES - 1), "ape is the absolute relative error of x"),
        ("r", X / VALUES, "r is x divided by the truth"),
        ("ratio", VALUES / X, "ratio is the truth divided by x"),
        ("s", 7 - 3 * (VALUES - X), "s is the truth minus x, but for a factor and a constant,"),
        ("acc", 1 - np.abs(X / VALUES - 1), "acc is the absolute relative error of x, but for"),
        ("kelvin", 1.8 * VALUES + 32, "kelvin is the truth, but for a factor and a constant,"),
        ("z", ((VALUES - 50) / 10).round(3), "z is the truth, but for a factor and a constant,"),
        ("tenths", (1.8 * VALUES + 32).round(1), "tenths is the truth, but for a factor"),
        ("minus", -VALUES, "minus is the truth, but for a factor and a constant,"),
    ],
)
def test_residuals_of_values(save, name, column, words):
    for columns in ({"x": X, name: column, "w": Y}, {name: column, "w": Y, "x": X}):
        path = save("m.csv", {"truth": VALUES, **columns})
        refused(words, path, hint=f"--exclude '{name}'")
        assert read(path, exclude=name).configurations == tuple(n for n in columns if n != name)
        assert read(path, only="*").configurations == tuple(columns)


@pytest.mark.parametrize(
    ("name", "column", "words"),
    [
        ("res", TWO - P, "res is the truth minus p"),
        ("e", np.abs(TWO - P), "e is the absolute error of p"),
        ("brier", ((TWO - P) ** 2).round(3), "brier is the squared error of p"),
        ("nll", -np.log(np.where(TWO == 1, P, 1 - P)).round(5), "nll is the log-loss of p"),
        (
            "p_true",
            np.where(TWO == 1, P, 1 - P),
            "p_true is the probability of the true class by p",
        ),
        ("right", 100 * np.where(TWO == 1, P, 1 - P), "right is the absolute error of p, but for"),
        (
            "ok",
            ((P > 0.5) == TWO) * 1,
            "ok is (1 where|the probability of the true class by) guess",
        ),
    ],
)
def test_losses_of_two_classes(save, name, column, words):
    for truth in (TWO, YES[TWO]):
        path = save("m.csv", {"truth": truth, "p": P, "guess": (P > 0.5) * 1, name: column})
        refused(words, path)


LEVERAGE = np.random.default_rng(6).beta(3, 40, N)


def test_standardised_residuals(save):
    """R's `.std.resid` has another factor in each row. Beside a weak model it won the search."""
    truth = (VALUES - VALUES.mean()) / VALUES.std()
    weak = 0.3 * truth + 0.3 * np.random.default_rng(7).normal(size=N)
    studentised = (truth - weak) / np.sqrt(1 - LEVERAGE)
    path = save("m.csv", {"y": truth, ".fitted": weak, "rstandard": studentised, ".hat": LEVERAGE})
    refused("rstandard is the truth minus .fitted, but for a factor in each row", path)
    models = read(path, exclude="rstandard")
    assert models.configurations == (".fitted",)  # nor is a leverage a prediction
    best = truth + 0.05 * np.random.default_rng(8).normal(size=N)
    for shrunk in (np.tile([0.01, -0.01], N // 2), 0.05 * weak):
        rivals = {"best": best, "weak": shrunk}
        assert read(save("n.csv", {"y": truth, **rivals})).configurations == tuple(rivals)


def test_of_a_model_and_its_absolute_error_the_error_is_refused(save):
    """The model is the truth less its error too, but for the sign of a row."""
    truth = np.linspace(0, 60, N)
    model = truth + np.random.default_rng(9).normal(-4, 2.5, N)  # mostly below it
    columns = {"y": truth, "m1": model, "m2": model + 3 * VALUES, "m7": abs(truth - model)}
    refused("m7 is the absolute error of m1", save("m.csv", columns))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_residuals_of_each_class(save, n_classes):
    truth, shares_of = (TWO, np.column_stack([1 - P, P])) if n_classes == 2 else (THREE, A)
    off = np.eye(n_classes)[truth] - shares_of
    columns = {f"P_{k}": shares_of[:, k] for k in range(n_classes)}
    columns |= {f"R_{k}": off[:, k] for k in range(n_classes)}
    path = save("m.csv", {"y": truth, **columns})
    refused("R_0 is the truth minus P_0 in every row", path, hint="--exclude 'R_0' --exclude 'R_1'")
    found = read(path, exclude=[f"R_{k}" for k in range(n_classes)])
    assert found.configurations == ("P",)


def logistic_residuals(p):
    sign = np.where(TWO == 1, 1, -1)
    deviance = sign * np.sqrt(-2 * np.log(np.where(TWO == 1, p, 1 - p)))
    pearson = (TWO - p) / np.sqrt(p * (1 - p))
    return {
        "deviance": deviance,
        "Pearson": pearson,
        "working": (TWO - p) / (p * (1 - p)),
        "studentised": deviance / np.sqrt(1 - LEVERAGE),
    }


@pytest.mark.parametrize("kind", logistic_residuals(P))
@pytest.mark.parametrize("fitted", [P, swept(np.log(P / (1 - P)))], ids=["response", "link"])
def test_residuals_of_a_logistic_regression(save, kind, fitted):
    """Their sign is the truth: an AUC of 1."""
    residual = logistic_residuals(P)[kind]
    path = save("m.csv", {"y": TWO, ".fitted": fitted, "r": residual})
    refused("r is a residual of .fitted in every row", path, hint="--exclude 'r'")
    gaps = np.where(np.arange(N) % 7 == 3, np.nan, 1)
    path = save("g.csv", {"y": TWO, ".fitted": fitted * gaps, "a": Q, "r": residual * gaps})
    refused("r is a residual of .fitted in every row", path, hint="--exclude 'r'")
    perfect = np.where(TWO == 1, 0.8, 0.1) + 0.1 * np.random.default_rng(9).random(N)
    rivals = {"a": P, "b": perfect.round(4)}
    assert read(save("n.csv", {"y": TWO, **rivals})).configurations == tuple(rivals)


def test_marks_of_right_answers(save):
    label = np.where(RNG.random(N) < 0.7, THREE, (THREE + 1) % 3)
    columns = {"answer": ANIMALS[label], "is_right": (label == THREE) * 1}
    refused(
        "is_right is 1 where answer is right", save("m.csv", {"truth": ANIMALS[THREE], **columns})
    )


def test_what_is_computed_is_found_among_many_columns(save):
    many = {f"c{i}": (VALUES + RNG.normal(0, 6, N)).round(3) for i in range(40)}
    for column in (VALUES - X, X - VALUES, -((VALUES - X) ** 2)):
        refused(
            "new is .* of x|new is .* x|new is x",
            save("m.csv", {"y": VALUES, "x": X, **many, "new": column}),
        )


def test_what_is_said_of_copies_and_marks(save):
    copy = {"y": VALUES, "x": X, "copy": VALUES}
    refused("equal to the truth in every row: copy", save("m.csv", copy))
    few = {"y": VALUES[:8], "x": X[:8], "twice": 2 * VALUES[:8]}
    assert read(save("m.csv", few)).configurations == ("x", "twice")
    tiny = {"y": TWO, "tiny": X / 1e8, "copy": TWO * 1.0}
    refused("equal to the truth in every row: copy", save("m.csv", tiny))
    marked = {"y": TWO, "p": P, "guess": (P > 0.5) * 1, "ok": ((P > 0.5) == TWO) * 1}
    refused("ok is 1 where guess is right in every row", save("m.csv", marked))


# Bounds and quantiles

LEVELS = {q: X + 6 * z for q, z in ((0.1, -1.28), (0.3, -0.52), (0.5, 0), (0.7, 0.52), (0.9, 1.28))}


@pytest.mark.parametrize(
    ("columns", "kept"),
    [
        ({"yhat": X, "yhat_lower": X - 5, "yhat_upper": X + 5}, ("yhat",)),
        (
            {"ARIMA": X, "ARIMA-lo-90": X - 5, "ARIMA-hi-90": X + 5, "Naive": Y}
            | {"ARIMA-lo-50": X - 2, "ARIMA-hi-50": X + 2},
            ("ARIMA", "Naive"),
        ),
        ({f"{q}": v for q, v in LEVELS.items()}, ("0.5",)),
        ({"mean": X, **{f"{q}": v for q, v in LEVELS.items()}}, ("mean",)),
        ({f"p{100 * q:.0f}": v for q, v in LEVELS.items()}, ("p50",)),
        (
            {
                f"{m}_q{q}": v + shift
                for m, shift in (("a", 0), ("b", Y - X))
                for q, v in LEVELS.items()
            },
            ("a_q0.5", "b_q0.5"),
        ),
        ({"fit": X, "lwr": X - 2, "upr": X + 2}, ("fit",)),
        ({"x": X, "2.5%": X - 9, "97.5%": X + 9}, ("x",)),
        ({"sales": X, "sales (CI low)": X - 5, "sales (CI high)": X + 5}, ("sales",)),
        (  # MAPIE's
            {"y_pred": X, "y_pis_low_0.05": X - 9, "y_pis_high_0.95": X + 8}
            | {"y_pis_low_0.25": X - 4, "y_pis_high_0.75": X + 5},
            ("y_pred",),
        ),
        (  # SPSS's
            {"PRE_1": X, "LICI_1": X - WIDTH, "UICI_1": X + WIDTH}
            | {"LMCI_1": X - WIDTH / 5, "UMCI_1": X + WIDTH / 5},
            ("PRE_1",),
        ),
        ({"a": X, "b": X - 4, "c": X + 4, "d": X - 8, "e": X + 8}, ("a",)),
        ({"a": X.round(2), "b": (X - WIDTH).round(2), "c": (X + WIDTH).round(2)}, ("a",)),
    ],
)
def test_bounds_are_left_out(save, columns, kept):
    matrix = read(save("m.csv", {"y": VALUES, **columns}))
    assert matrix.configurations == kept
    assert any("bounds or quantiles" in note.text for note in matrix.notes)


def test_quantiles_that_cross_are_left_out(save):
    noise = np.random.default_rng(3).normal(0, 6, (3, N))
    apart = {"q10": Y - 8 + noise[0], "q50": X, "q90": Y + 8 + noise[1]}
    matrix = read(save("m.csv", {"truth": VALUES, **apart}))
    assert matrix.configurations == ("q50",)
    # models of such names are above half of the truth
    models = {"p10": Y + noise[0], "p50": X, "p90": Y + noise[1]}
    assert read(save("n.csv", {"truth": VALUES, **models})).configurations == tuple(models)


def test_bounds_alone_are_no_predictions(save):
    path = save("m.csv", {"y": VALUES, "yhat_lower": X - 5, "yhat_upper": X + 5})
    refused("yhat_lower, yhat_upper are bounds or quantiles", path)


# The probability of the predicted class

LABEL = (P > 0.5) * 1
CONFIDENCE = np.maximum(P, 1 - P)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("names", [("y_pred", "confidence"), ("predicted", "prediction")])
def test_the_probability_of_the_predicted_class_is_turned(save, names, words, order):
    truth, label = (YES[TWO], YES[LABEL]) if words else (TWO, LABEL)
    pair = dict([*zip(names, (label, CONFIDENCE), strict=True)][::order])
    path = save("m.csv", {"y_true": truth, **pair})
    for options in ({}, {"exclude": names[0]}):
        matrix = read(path, **options)
        assert matrix.configurations == (names[1],)
        assert_allclose(matrix.predictions[0, :, 0], P)
        (said,) = (note.text for note in matrix.notes if note.code == "confidence")
        assert said.endswith(f"{names[0]}: turned into the probability of {'yes' if words else 1}")


def test_labels_beside_a_confidence_may_have_gaps(save):
    columns = {"y": YES[TWO], "y_pred": YES[LABEL].astype(object), "confidence": CONFIDENCE}
    columns["y_pred"][5] = None
    matrix = read(save("m.csv", columns))
    assert_allclose(matrix.predictions[0, :, 0], np.delete(P, 5))


def test_each_model_has_its_own_confidence(save):
    columns = {"a_label": LABEL, "b_label": (Q > 0.5) * 1}
    columns |= {"a_conf": CONFIDENCE, "b_conf": np.maximum(Q, 1 - Q)}
    matrix = read(save("m.csv", {"y": TWO, **columns}))
    assert matrix.configurations == ("a_conf", "b_conf")
    assert_allclose(matrix.predictions[0], np.column_stack([P, Q]))


def test_of_several_classes_the_labels_count(save):
    columns = {"answer": ANIMALS[A.argmax(axis=1)], "confidence": A.max(axis=1)}
    matrix = read(save("m.csv", {"truth": ANIMALS[THREE], **columns}))
    assert matrix.configurations == ("answer",)
    assert "predicted class, answer: ignored" in "".join(note.text for note in matrix.notes)
    path = save("m.csv", {"truth": THREE, "y_pred": A.argmax(axis=1), "confidence": A.max(axis=1)})
    assert read(path).task is Task.MULTICLASS
    refused("holds the probability of the predicted class", path, exclude="y_pred")


CALLED = np.where(np.arange(N) % 4, THREE, THREE[::-1])
LABELS_IN_WORDS = {
    3: {"truth": ANIMALS[THREE], "a": ANIMALS[A.argmax(axis=1)], "b": ANIMALS[THREE[::-1]]},
    2: {"truth": YES[TWO], "a": YES[(P > 0.5) * 1], "b": YES[TWO[::-1]]},
}


@pytest.mark.parametrize("n_classes", [2, 3])
def test_numbers_beside_labels_in_words_are_no_predictions(save, n_classes):
    """Lengths of texts, and times: the labels were refused as text, and were to be left out."""
    extra = {"n_tokens": np.arange(N) * 7 % 90, "latency": np.where(Q > 0.1, 2 + WIDTH, np.nan)}
    matrix = read(save("m.csv", {**LABELS_IN_WORDS[n_classes], **extra}))
    assert matrix.configurations == ("a", "b") and matrix.kind is PredictionKind.LABEL
    (said,) = (note.text for note in matrix.notes if note.code == "whole-numbers")
    assert said.startswith("n_tokens, latency hold numbers, not labels (")


@pytest.mark.parametrize(
    ("n_classes", "column"), [(2, P), (2, TWO[::-1]), (3, CALLED), (3, CALLED + 1)]
)
def test_numbers_that_may_be_predictions_beside_labels_are_refused(save, n_classes, column):
    path = save("m.csv", {**LABELS_IN_WORDS[n_classes], "n_tokens": 5 + np.arange(N), "c": column})
    error = refused("holds numbers, but other predictions are words", path)
    assert error.column == "c" and error.hint.startswith('exclude="c" if')
    assert read(path, exclude="c").configurations == ("a", "b")


OF_NUMBERS = {
    3: {"label": THREE, "a": CALLED, "b": A.argmax(axis=1)},
    2: {"label": TWO, "a": (P > 0.5) * 1, "b": (Q > 0.5) * 1},
}


@pytest.mark.parametrize("n_classes", [2, 3])
def test_numbers_beside_labels_in_numbers_are_no_predictions(save, n_classes):
    """A loss beside labels of three classes made a regression of the codes, with an RMSE."""
    rng = np.random.default_rng(9)
    loss, age = rng.gamma(2, 3, N).round(3), rng.integers(18, 80, N)
    table = OF_NUMBERS[n_classes] | {"loss": loss, "age": age}
    matrix = read(save("m.csv", table))
    assert matrix.configurations == ("a", "b") and matrix.kind is PredictionKind.LABEL
    (said,) = (note.text for note in matrix.notes if note.code == "whole-numbers")
    assert said.startswith("loss, age hold numbers, not labels (0, 1")
    assert read(save("p.csv", table), only="*").n_configurations == 4
    in_parts = read(save("q.csv", table | {"part": np.arange(N) % 5}))
    assert in_parts.configurations == ("a", "b")
    assert any("part holds a few whole numbers" in note.text for note in in_parts.notes)
    assert read(save("m.csv", table), exclude=["a", "b", "age"]).configurations == ("loss",)
    of_folds = read(save("f.csv", table | {"fold": np.arange(N) % 3, "part": np.arange(N) % 5}))
    assert of_folds.configurations == ("a", "b")
    assert "whole-numbers" not in codes(read(save("n.csv", OF_NUMBERS[n_classes])))


def test_numbers_that_follow_the_truth_stay_beside_labels(save):
    """Of values that one model rounds, another does not; nor is a constant a feature of these."""
    table = {"y": THREE, "rounded": CALLED, "ridge": THREE + WIDTH / 9}
    assert read(save("m.csv", table)).task is Task.REGRESSION
    constant = {"y": THREE, "rounded": CALLED, "mean": np.full(N, 0.97)}
    assert read(save("c.csv", constant)).configurations == ("rounded", "mean")
    rng = np.random.default_rng(3)
    noise = {"y": THREE, "a": rng.integers(0, 3, N)} | {f"b{i}": rng.random(N) for i in range(9)}
    assert read(save("n.csv", noise)).n_configurations == 10  # the labels say nothing either
    margins = {"y": TWO, "a": (P > 0.5) * 1, "svm": 4 * Q - 2}
    assert read(save("s.csv", margins)).configurations == ("a", "svm")
    share = {"y": TWO, "a": (P > 0.5) * 1, "share": np.random.default_rng(4).random(N)}
    assert read(save("w.csv", share)).configurations == ("a", "share")  # a share may be a model's
    counts = np.random.default_rng(5).poisson(40, N)
    visits = {"y": counts, "a": np.roll(np.sort(counts), 1)[np.argsort(np.argsort(counts))]}
    assert read(save("v.csv", visits | {"b": WIDTH})).task is Task.REGRESSION  # of many values


def test_a_label_beside_what_predicts_nothing(save):
    """The hint led to the AUC of an entropy."""
    path = save("m.csv", {"y": TWO, "pred": (P > 0.5) * 1, "entropy": WIDTH / 10})
    refused("pred may be the label of entropy", path, hint="exclude entropy if it predicts nothing")
    assert read(path, exclude="entropy").configurations == ("pred",)


@pytest.mark.parametrize(
    "columns",
    [
        {"a": 0.5 + P / 2, "b": 0.5 + Q / 2},  # no labels
        {"rf": (P > 0.45) * 1, "a": np.clip(0.7 + 0.2 * TWO + RNG.normal(0, 0.05, N), 0.5, 1)},
        {"rf_label": (Q > 0.5) * 1, "a": P},
    ],
)
def test_large_probabilities_are_left_as_they_are(save, columns):
    matrix = read(save("m.csv", {"y": TWO, **columns}))
    assert matrix.configurations == tuple(columns)
    assert_allclose(matrix.predictions[0], np.column_stack([*columns.values()]))


def test_labels_of_another_threshold_are_no_sign_of_confidence(save):
    high = 0.5 + P / 2
    path = save("m.csv", {"y": TWO, "y_pred": (high > 0.75) * 1, "y_prob": high})
    assert_allclose(read(path).predictions[0, :, 0], high)


def test_features_beside_the_probability_of_the_predicted_class(save):
    """PyCaret's predict_model keeps the features; one of them won in some resamples."""
    features = {f"x{i}": np.random.default_rng(i).normal(size=N).round(4) for i in range(3)}
    shared = {"share": np.random.default_rng(4).random(N)}
    predicted = {"prediction_label": (P > 0.5) * 1, "prediction_score": CONFIDENCE}
    matrix = read(save("m.csv", {**features, **shared, "y": TWO, **predicted}))
    assert matrix.configurations == ("share", "prediction_score")  # a share may be a model's
    (said,) = (note.text for note in matrix.notes if note.code == "whole-numbers")
    assert "x0, x1, x2 hold numbers, not labels (0, 1): left out as features" in said
    only = read(save("m.csv", {**features, "y": TWO, **predicted}), only="*")
    assert only.n_configurations == 5
    margins = {"svm": 4 * Q - 2, "prob": P}
    assert read(save("n.csv", {"y": TWO, **margins})).n_configurations == 2


def test_files_of_labels_and_scores(save):
    """The label that a pipeline of transformers predicts, and its score."""
    words = np.array(["NEGATIVE", "POSITIVE"])
    paths = [
        save(
            f"{name}.csv",
            {"id": np.arange(N), "true_label": words[TWO], "label": words[(p > 0.5) * 1]}
            | {"score": np.maximum(p, 1 - p)},
        )
        for name, p in (("a", P), ("b", Q))
    ]
    matrix = read(paths, roles=Roles(truth="true_label"))
    assert_allclose(matrix.predictions[0], np.column_stack([P, Q]))
    assert "confidence" in codes(matrix)
    matrix = read(paths, roles=Roles(truth="true_label", prediction="score"))
    assert_allclose(matrix.predictions[0, :, 0], CONFIDENCE)
    several = {"id": np.arange(N), "truth": ANIMALS[THREE], "label": ANIMALS[A.argmax(axis=1)]}
    path = save("c.csv", several | {"score": A.max(axis=1), "model": ["m"] * N})
    assert read(path, roles=Roles(truth="truth")).kind is PredictionKind.LABEL


@pytest.mark.parametrize("only", [(), ("*",)])
@pytest.mark.parametrize(
    "column", [CONFIDENCE, np.abs(2 * P - 1), -P * np.log(P) - (1 - P) * np.log(1 - P), P * (1 - P)]
)
def test_how_sure_a_model_is_is_no_prediction(save, column, only):
    matrix = read(save("m.csv", {"y": TWO, "u": column, "q": Q, "p": P}), only=only)
    assert matrix.configurations == (("u", "q", "p") if only else ("q", "p"))


def test_the_spread_of_an_ensemble_is_no_prediction(save):
    columns = {"m_0": X, "m_1": Y, "m": (X + Y) / 2}
    for spread in (np.abs(X - Y), np.std([X, Y], axis=0, ddof=1).round(4)):
        matrix = read(save("m.csv", {"truth": VALUES, **columns, "m_unc": spread}))
        assert matrix.configurations == ("m_0", "m_1")  # m is their blend
    matrix = read(save("n.csv", {"truth": VALUES, **columns, "other": np.abs(X - VALUES.mean())}))
    assert "other" in matrix.configurations


@pytest.mark.parametrize(
    "columns",
    [
        {"y_mean": X, "y_std": WIDTH},
        swept({".fitted": X, ".se.fit": WIDTH, ".hat": LEVERAGE, ".cooksd": WIDTH**2}),
        swept({"rf_mean": X, "rf_std": WIDTH, "gp_mean": Y, "gp_std": WIDTH[::-1]}),
        swept({"PRE_1": X, "SEP_1": WIDTH, "LEV_1": LEVERAGE}),
    ],
)
def test_columns_called_spreads_are_no_predictions(save, columns):
    matrix = read(save("m.csv", {"truth": VALUES, **columns}))
    assert matrix.configurations == tuple(n for n, c in columns.items() if c is X or c is Y)
    assert any("how certain a model is" in note.text for note in matrix.notes)


@pytest.mark.parametrize("spread", [np.std, np.ptp])
def test_the_spread_of_three_models_is_no_prediction(save, spread):
    models = {"a": X, "b": Y, "c": X + 3 * np.sin(Y)}
    spreads = 2 * spread([*models.values()], axis=0)
    file = save("m.csv", {"truth": VALUES, **models, "u": spreads})
    assert read(file).configurations == ("a", "b", "c")
    # no spread is below 0
    file = save("n.csv", {"truth": VALUES - VALUES.mean(), **models, "u": -spreads})
    assert read(file).configurations == ("a", "b", "c", "u")


@pytest.mark.parametrize("made", [np.subtract, lambda p, q: q - p, lambda p, q: np.abs(p - q)])
@pytest.mark.parametrize("digits", [15, 2])
@pytest.mark.parametrize("truth", [TWO, VALUES])
def test_the_difference_of_two_models_is_no_prediction(save, made, digits, truth):
    p, q = (P, Q) if truth is TWO else (X, Y)
    difference = made(p, q).round(digits)
    for others in ({}, {"r": p + 0.1 * np.sin(np.arange(N))}):
        models = {"p": p, **others, "q": q}
        rounded = {name: model.round(digits) for name, model in models.items()}
        matrix = read(save("m.csv", {"truth": truth, "d": difference, **rounded}))
        assert matrix.configurations == tuple(models)
        assert any("how far two others differ: d" in note.text for note in matrix.notes)


@pytest.mark.parametrize(("n", "told"), [(11, True), (9, False)])
def test_a_difference_is_told_where_ten_rows_are_apart_from_the_median(save, n, told):
    truth = np.tile([0, 1, 1, 0], 3)[:n]
    p, q = 0.4 + truth / 2 - P[:n] / 9, 0.1 + truth / 2 + Q[:n] / 9
    columns = {"truth": truth, "p": p, "q": q, "d": p - q}
    assert read(save("m.csv", columns)).configurations == (("p", "q") if told else ("p", "q", "d"))


def test_a_poor_model_stays_beside_its_difference_from_a_good_one(save):
    good, poor = 0.2 + 0.6 * TWO + 0.1 * np.sin(np.arange(N)), 0.5 + 0.1 * np.cos(np.arange(N))
    file = save("m.csv", {"truth": TWO, "good": good, "poor": poor, "gain": good - poor})
    assert read(file).configurations == ("good", "poor")


def test_labels_that_agree_where_a_third_is_wrong_are_models(save):
    rare = np.zeros((3, N), int)
    rare[0, :3] = rare[1, :3] = 1
    rare[2, 3:5] = rare[1, 3:5] = 1  # the first and the third are never both 1
    columns = {"truth": TWO, "a": rare[0], "b": rare[1], "c": rare[2]}
    assert read(save("m.csv", columns)).configurations == ("a", "b", "c")
    labels = {"a": (P > 0.5).astype(int), "b": (Q > 0.5).astype(int)}
    file = save("n.csv", {"truth": TWO, "disagree": labels["a"] ^ labels["b"], **labels})
    assert read(file).configurations == ("a", "b")


# Labels of probabilities


def test_the_labels_of_a_model_are_found_by_their_values(save):
    columns = {"_FROM": 1 - Q, "_INTO_": LABEL, "XP_0": 1 - P, "XP_1": P}
    matrix = read(save("m.csv", {"truth": TWO, **columns}))
    assert matrix.configurations == ("_FROM", "XP")
    columns = {f"m_{name}": A[:, k] for k, name in enumerate(ANIMALS)}
    columns |= {"Prediction (Animal)": ANIMALS[A.argmax(axis=1)]}
    matrix = read(save("m.csv", {"Animal": ANIMALS[THREE], **columns}), roles=Roles(truth="Animal"))
    assert matrix.configurations == ("m",)


# Copies on another scale


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("digits", [2, 5, 12])
def test_a_standardised_copy_is_left_out(save, ddof, digits):
    scaled = {name: (x - x.mean()) / x.std(ddof=ddof) for name, x in {"z1": X, "z2": Y}.items()}
    columns = {"y": VALUES, "fit1": X, "fit2": Y, **scaled}
    matrix = read(save("m.csv", {k: np.round(v, digits) for k, v in columns.items()}))
    assert matrix.configurations == ("fit1", "fit2")
    (note,) = [note for note in matrix.notes if "another scale" in note.text]
    assert "z1 (of fit1), z2 (of fit2)" in note.text
    kept = read(save("m.csv", columns), only=["z1", "*"])
    assert "z1" in kept.configurations
    skewed = np.exp(X / 5)
    columns["fit1"], columns["z1"] = skewed, (skewed - skewed.mean()) / skewed.std(ddof=ddof)
    assert columns["z1"].min() > -1
    assert read(save("m.csv", columns)).configurations == ("fit1", "fit2")


LOG_ODDS = np.log(P / (1 - P))
RANKS = np.argsort(np.argsort(P)) + 1
SCALES = {
    "log-odds": LOG_ODDS.round(6),
    "ranks": RANKS,
    "ranks from the top": N + 1 - RANKS,
    "deciles": (RANKS - 1) // (N // 10) + 1,
    "points": (600 - 50 * LOG_ODDS).round(),
    "percent": 100 * P,
}


@pytest.mark.parametrize("copy", SCALES.values(), ids=SCALES)
def test_a_probability_on_another_scale_is_left_out(save, copy):
    order = np.random.default_rng(2).permutation(N)
    columns = {"y": TWO, "copy": copy, "a": P, "b": Q}
    matrix = read(save("m.csv", {name: column[order] for name, column in columns.items()}))
    assert matrix.configurations == ("a", "b")
    (note,) = [note for note in matrix.notes if "another scale" in note.text]
    assert "copy (of a)" in note.text


def test_a_spread_by_its_name_is_not_said_to_follow_from_others(save):
    columns = {"y": VALUES, "rf_mean": X, "rf_std": WIDTH, "ols": Y}
    (note,) = [note for note in read(save("m.csv", columns)).notes if "rf_std" in note.text]
    assert note.text.startswith("left out, because its name and values say how certain a model is")


def test_marks_may_be_true_and_false(save):
    labels = np.where(np.arange(N) % 5, ANIMALS[THREE], ANIMALS[(THREE + 1) % 3])
    columns = {"y": ANIMALS[THREE], "net": labels, "tree": ANIMALS[THREE[::-1]]}
    marks = {"hit": np.where(labels == ANIMALS[THREE], "True", "False")}
    refused("hit is 1 where net is right in every row", save("m.csv", columns | marks))


def test_a_truth_is_no_label_that_a_confidence_belongs_to(save):
    """It would turn the confidence into the truth."""
    sure = np.maximum(P, 1 - P)
    matrix = read(save("m.csv", {"y": TWO, "sure": sure, "b": Q}))
    assert matrix.configurations == ("sure", "b")
    assert_allclose(matrix.predictions[0, :, 0], sure)


# Other columns are configurations

RARE, FEW = RNG.random(N) < 0.3, np.arange(N) % 30 == 0
SOME = np.where(np.arange(N) % 5 == 0, VALUES, 0)
HIGH = 0.5 + P / 2
FLIPS = [TWO ^ (RNG.random(N) < 0.2) for _ in range(2)]
WAVE = np.sin(np.arange(N))
WORSE = X + 9 * WAVE
Z = (X - X.mean()) / X.std()
HALF, OTHER_HALF = VALUES / 2 + WAVE, VALUES / 2 + np.cos(np.arange(N))
OF_ONE = {"fit1": X, "fit2": Y}

STAY = {
    # sums
    "1 but for one row": (TWO, {"a": P, "b": np.append(1 - P[1:], 0.5)}),
    "1 but between rows looked at": (
        TWO, {"a": P, "b": np.where(np.arange(N) == 2, 0.5, 1 - P)}),
    "labels": (TWO, {"m_0": (P > 0.5) * 1, "m_1": (P <= 0.5) * 1}),
    "numbers like classes": (TWO, {"m_0": P, "m_1": Q}),
    "of values": (VALUES, {"share_a": P, "share_b": 1 - P}),
    "constants": (TWO, {"a": np.full(N, 0.5), "b": np.full(N, 0.5)}),
    "opposite labels": (TWO, {"a": FLIPS[0], "b": 1 - FLIPS[1]}),
    "of two models": (THREE, {"xgb_0": A[:, 0], "xgb_1": A[:, 1], "nn_2": B[:, 2]}),
    "nearly 1": (TWO, {"a": P, "b": Q, "c": 1 - Q + 0.01 * RNG.random(N)}),
    # scores of numbered models
    "values": (THREE, {f"m_{k}": THREE + RNG.normal(0, 1 + k, N) for k in range(3)}),
    "nothing": (THREE, {f"m_{k}": RNG.normal(0, 1, N) for k in range(3)}),
    "one alone": (TWO, {"a_0": 5 * scores("a", 2, TWO)[:, 0], "a_1": RNG.normal(0, 1, N)}),
    # functions of a column or of the truth
    "twice": (VALUES, {"x": X, "twice": 2 * X, "shifted": X + 3}),
    "over nearly constant truths": (VALUES / 1e4 + 9, {"x": X, "near": 5 * X + 1}),
    "tiny": (VALUES, {"x": X / 1e6, "near": VALUES + 3 * np.sin(VALUES)}),
    "of the others": (VALUES, {"x": X, "others": (VALUES.sum() - VALUES) / (N - 1)}),
    "zeros": (SOME, {"x": X, "near": np.where(SOME == 0, Y, X / np.maximum(SOME, 1))}),
    "rare": (FEW * 1, {"a": RARE * 1, "b": (RARE ^ FEW) * 1}),
    "residuals of other rows": (VALUES, {"x": X, "near": np.append((VALUES - X)[1:], 1.0)}),
    "residuals but for one": (
        VALUES, {"x": X, "near": np.where(np.arange(N) == 2, 9, VALUES - X)}),
    "square": (TWO, {"p": P, "square": P**2}),
    "two": (TWO, {"p": P, "q": Q}),
    "calibrated": (TWO, {"p": HIGH, "calibrated": HIGH**2}),
    "calibrated by odds": (TWO, {"p": P, "calibrated": 1 / (1 + P**-2.0)}),
    # higher predictions
    "higher": (VALUES, {"ridge": X, "lasso": X + RNG.uniform(1, 2, N)}),
    "called high": (VALUES, {"lr_low": X, "lr_high": X + RNG.uniform(1, 2, N)}),
    "quantiles by name": (VALUES, {"m 0.1": X, "m 0.5": Y, "m 0.9": X + Y - VALUES}),
    "crossing": (VALUES, {"yhat": X, "yhat_lower": Y, "yhat_upper": X - 2}),
    "crossing in some rows": (VALUES, {
        "yhat": X, "yhat_lower": X - np.where(np.arange(N) % 5, 5, -1), "yhat_upper": X + 5}),
    "neighbours": (VALUES, {"k=10": X, "k=50": X + 1, "k=90": X + 3}),
    "between": (VALUES, {"a": X, "mixed": (X + Y) / 2 + WIDTH, "b": Y}),
    "nearly in the middle": (VALUES, {"a": X, "nearly": X + WIDTH * 1.002, "b": X + 2 * WIDTH}),
    # what is called a spread and predicts
    "of standardised features": (VALUES, {"svm": WORSE, "svm_std": Y}),
    "a variance": (VALUES, {"ridge": WORSE, "var": Y}),
    "of another": (VALUES, {"net": WORSE, "gp_std": WIDTH}),
    "of a net": (VALUES, {"net": WORSE - 50, "net_sd": X - 49 + Y / 99}),
    "a kernel": (VALUES, {"gp": X, "gp_se": Y + 3 * WAVE}),
    "a sum": (VALUES, {"a": HALF, "b": OTHER_HALF, "both": HALF + OTHER_HALF}),
    # other scales
    "centred": (VALUES, OF_ONE | {"centred": X - X.mean(), "twice": 2 * Z}),
    "nearly standardised": (VALUES, OF_ONE | {"near": Z + RNG.normal(0, 1e-2, N)}),
    "calibrated log-odds": (TWO, {
        "a": P, "cal": (1 / (1 + np.exp(-0.3 - 0.5 * LOG_ODDS))).round(6),
        "svm": LOG_ODDS + RNG.normal(0, 0.3, N)}),
}  # fmt: skip


@pytest.mark.parametrize("case", STAY)
def test_what_is_a_configuration(save, case):
    truth, columns = STAY[case]
    assert read(save("m.csv", {"truth": truth, **columns})).configurations == tuple(columns)
