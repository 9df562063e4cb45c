"""Configurations the wrong way round, copies and inverses of the truth, and leave-one-out."""

import json
import re
from functools import partial
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score

from bbccli import matrix_of
from bbccli.types import PredictionKind, Task

N, C = 80, 12
LABELS, CHANCES = PredictionKind.LABEL, PredictionKind.PROBABILITY
WRONG = {"turned-round", "perfect-configuration", "equals-truth", "polarity"}


def chances(rng, n=N, c=C, skill=2.0):
    """Truth (n,), folds (n,), and probabilities (n, c) of the positive class."""
    truth = rng.permutation(np.arange(n) % 2)
    scores = rng.normal(size=(n, c)) + skill * (truth[:, None] - 0.5)
    return truth, rng.permutation(np.arange(n) % 5), 1 / (1 + np.exp(-scores))


def notes(array, truth, folds=None, *, task=Task.BINARY, kind=CHANCES, event=None):
    names = tuple(f"m{c}" for c in range(array.shape[1]))
    matrix = matrix_of(array, truth, configurations=names, folds=folds, task=task, event=event)
    assert matrix.kind is kind
    return matrix.notes


def turned(*args, **more):
    return [note.text for note in notes(*args, **more) if note.code == "turned-round"]


def wrong(*args, **more):
    return WRONG & {note.code for note in notes(*args, **more)}


def test_of_very_many_predictions_some_are_looked_at(monkeypatch):
    truth, folds, array = chances(np.random.default_rng(7), n=2000)
    one = np.where(np.arange(C) == 5, 1 - array, array)
    monkeypatch.setattr("bbccli.reading.checks._MOST_RANKED", 6000)
    monkeypatch.setattr("bbccli.reading.checks._AT_ONCE", 2500)
    assert turned(one, truth, folds)[0].startswith("m5 runs against the truth")
    (found,) = (note.text for note in notes(1 - array, truth, folds) if note.code == "polarity")
    areas = [roc_auc_score(truth, column) for column in 1 - array[:, ::4].T]
    assert f"median AUC of 3 configurations is {np.median(areas):.3f}" in found


# z


def z_of(told, said, folds):
    """T less its mean over all orders within folds, in standard deviations; of (n, K) each."""
    told, said = (np.reshape(values, (N, -1)) for values in (told, said))
    apart = variance = 0.0
    for fold in np.unique(folds):
        a, b = (part[folds == fold] - part[folds == fold].mean(axis=0) for part in (told, said))
        apart += (a * b).sum()
        variance += ((a.T @ a) * (b.T @ b)).sum() / (len(a) - 1)
    return apart / np.sqrt(variance) if variance else np.nan


WITH_IT = np.array([3, 2, 2, 2, 1, 1, -0.9, -1.2, -1.5, -1.8])
"""How far configurations go with the truth."""


@pytest.mark.parametrize("kind", [PredictionKind.SCORE, PredictionKind.VALUE, LABELS])
def test_what_is_turned_round_is_told_by_z_within_folds(kind):
    rng, c, sizes = np.random.default_rng(12), len(WITH_IT), set()
    q = NormalDist().inv_cdf(1 - 1 / 200 / (c + 1))
    trained = 1.5 if kind is PredictionKind.SCORE else 1.2
    limit = max(trained * q, np.sqrt(10 / np.pi) + np.sqrt(1 - 2 / np.pi) * q)
    task = {PredictionKind.VALUE: Task.REGRESSION, LABELS: Task.MULTICLASS}.get(kind, Task.BINARY)
    for _ in range(20):
        folds, of_fold = rng.permutation(np.arange(N) % 5), rng.normal(size=5)
        if kind is LABELS:
            truth = told = rng.permutation(N) % 3
            right = rng.random((N, c)) < WITH_IT / 6 + 0.3
            others = (truth[:, None] + rng.integers(1, 3, (N, c))) % 3
            found = np.column_stack([np.where(right, truth[:, None], others), folds % 3])
            told, said = np.eye(3)[truth], np.eye(3)[found]
        else:
            truth = rng.permutation(N) % 2 if task is Task.BINARY else rng.normal(0, 0.5, N)
            noise = 1.2 * rng.normal(size=(N, c)) + of_fold[folds, None]
            found = (truth[:, None] * WITH_IT + noise).round(1)  # some are tied
            found = np.column_stack([found, -9 * of_fold[folds]])
            told, said = rankdata(truth), rankdata(found, axis=0)
        z = np.array([z_of(told, said[:, at], folds) for at in range(c + 1)])
        against = ", ".join(f"m{at}" for at in np.flatnonzero(z < -limit))
        texts = turned(found, truth, folds, task=task, kind=kind)
        assert [text.partition(" run")[0] for text in texts] == [against] * bool(against)
        sizes.add(against)
    assert len(sizes) > 3


# turned round


@pytest.mark.parametrize("with_folds", [True, False])
def test_one_that_is_turned_round_is_noted(with_folds):
    truth, folds, found = chances(np.random.default_rng(1))
    folds = folds if with_folds else None
    assert not turned(found, truth, folds)
    found[:, 3] = 1 - found[:, 3]
    (text,) = turned(found, truth, folds)
    assert text.startswith("m3 runs against the truth")
    assert "m3 has AUC 0.0" in text
    found[:, 5] = 1 - found[:, 5]
    (text,) = turned(found, truth, folds)
    assert text.startswith("m3, m5 run against")


def test_so_are_labels_and_classes():
    rng = np.random.default_rng(2)
    truth, folds, found = chances(rng)
    labels = (found > 0.5).astype(int)
    labels[:, 4] = 1 - labels[:, 4]
    (text,) = turned(labels, truth, folds, kind=LABELS)
    assert "m4 has accuracy 0." in text
    truth, folds = rng.permutation(np.arange(150) % 3), np.arange(150) % 5
    labels = np.where(rng.random((150, C)) < 0.8, truth[:, None], rng.integers(0, 3, (150, C)))
    labels[:, 7] = (labels[:, 7] + 1) % 3
    many = {"task": Task.MULTICLASS}
    assert "m7 has accuracy" in turned(labels, truth, folds, kind=LABELS, **many)[0]
    assert "m7 has accuracy" in turned(np.eye(3)[labels], truth, folds, **many)[0]


def test_so_are_values_and_risks():
    rng = np.random.default_rng(3)
    values, folds = rng.gamma(3, 10, N), rng.permutation(np.arange(N) % 5)
    found = values[:, None] + rng.normal(size=(N, C)) * 10
    regression = {"task": Task.REGRESSION, "kind": PredictionKind.VALUE}
    assert not turned(found, values, folds, **regression)
    found[:, 2] *= -1
    assert "m2 has correlation -0." in turned(found, values, folds, **regression)[0]
    risks = rng.normal(size=(N, C)) * 10 - values[:, None]
    survival = {"task": Task.SURVIVAL, "kind": PredictionKind.SCORE, "event": rng.random(N) < 0.7}
    assert not turned(risks, values, folds, **survival)
    risks[:, 6] *= -1
    assert turned(risks, values, folds, **survival)[0].startswith("m6 runs")
    assert turned(-risks, values, folds, **survival)[0].startswith("m6 runs")  # later events


def test_where_most_are_turned_round_the_polarity_is_noted_alone():
    truth, folds, found = chances(np.random.default_rng(4))
    found[:, 1:] = 1 - found[:, 1:]
    assert wrong(found, truth, folds) == {"polarity"}


def test_noise_is_never_turned_round():
    rng = np.random.default_rng(5)
    for _ in range(20):
        truth, folds, found = chances(rng, 60, 200, skill=0.0)
        assert not turned(found, truth, folds)


def test_nothing_is_turned_round_where_nothing_goes_with_the_truth():
    rng = np.random.default_rng(5)
    truth, folds, found = chances(rng, skill=0.0)
    found[:, 3] = 0.5 - 0.3 * truth + 0.1 * rng.random(N) + 0.3 * (rng.random(N) < 0.1)
    assert z_of(truth, rankdata(found[:, 3]), folds) < -5
    assert not turned(found, truth, folds)


def test_noise_beside_good_models_is_hardly_ever_turned_round():
    rng, n_noted = np.random.default_rng(6), 0
    for _ in range(100):
        truth, folds, found = chances(rng, c=40, skill=0.0)
        found[:, :3] = chances(rng, c=3)[2]
        found[:, :3] = 1 / (1 + np.exp(-(rng.normal(size=(N, 3)) + 3 * (truth[:, None] - 0.5))))
        n_noted += bool(turned(found, truth, folds))
    assert n_noted <= 1


def test_models_that_hug_the_mean_are_not_turned_round():
    """Without folds, and of models that learnt nothing, the mean of the others goes against it."""
    truth, folds, found = chances(np.random.default_rng(7), 400)
    share = np.array([truth[folds != fold].mean() for fold in range(5)])[folds]
    rng = np.random.default_rng(15)
    found[:, 0] = 0.5 - 0.02 * (truth + rng.normal(size=400))
    found[:, 1] = share
    assert not turned(found, truth, folds)
    assert not turned(found, truth)


# copies, inverses, leave-one-out


def of_the_others(truth):
    return (truth.sum() - truth) / (len(truth) - 1)


@pytest.mark.parametrize("folds", [None, np.arange(N)])
def test_the_share_of_the_other_samples_is_nothing_strange(folds):
    truth, _, found = chances(np.random.default_rng(8))
    for dummy in (of_the_others(truth), np.round(of_the_others(truth), 4)):
        found[:, 0] = dummy
        assert not wrong(found, truth, folds)
        weak = chances(np.random.default_rng(9), skill=0.3)[2]
        weak[:, 0] = dummy
        assert not wrong(weak, truth, folds)
    matrix_of(found, truth, folds=folds)


def test_nor_is_the_mean_of_other_values_or_the_larger_class_of_the_others():
    rng = np.random.default_rng(10)
    values = rng.normal(size=N) * 10
    found = values[:, None] + rng.normal(size=(N, C)) * 10
    found[:, 0] = of_the_others(values)
    regression = {"task": Task.REGRESSION, "kind": PredictionKind.VALUE}
    assert not wrong(found, values, np.arange(N), **regression)
    assert not wrong(found, values, **regression)
    truth, _, found = chances(rng, skill=0.5)
    labels = (found > 0.5).astype(int)
    labels[:, 0] = 1 - truth
    assert not wrong(labels, truth, np.arange(N), kind=LABELS)
    matrix_of(labels, truth, folds=np.arange(N))


@pytest.mark.parametrize("skill", [0.3, 6.0])
def test_an_inverse_is_noted_and_no_copy(skill):
    truth, folds, found = chances(np.random.default_rng(11), skill=skill)
    found[:, 2] = 0.9 - 0.8 * truth
    codes = wrong(found, truth, folds)
    assert codes == {"perfect-configuration" if skill < 1 else "turned-round"}
    text = next(note.text for note in notes(found, truth, folds) if note.code in codes)
    assert "against the truth" in text
    assert text.startswith("m2 ")
    matrix_of(found, truth, folds=folds)
    labels = (found > 0.5).astype(int)
    labels[0, np.arange(C) != 2] = 1 - truth[0]  # none is a copy
    assert wrong(labels, truth, folds, kind=LABELS) == codes


@pytest.mark.parametrize("n_copies", [1, 3])
def test_the_hints_on_copies_can_be_followed(run, save, n_copies):
    truth, folds, found = chances(np.random.default_rng(13), c=4)
    columns = {"truth": truth, "fold": folds, **{f"m{c}": found[:, c] for c in range(4)}}
    columns |= {f"copy {c}": truth * (c + 1.5) for c in range(n_copies)}
    path = save("p.csv", columns)
    err = run.refused("correct", path)
    words = " ".join(err.split()).partition("hint: ")[2].partition("; or")[0]
    assert words == "use " + " ".join(f"--exclude 'copy {c}'" for c in range(n_copies))
    leave_out = [word for c in range(n_copies) for word in ("--exclude", f"copy {c}")]
    assert run("correct", path, *leave_out, "--n-resamples", 40)[0] == 0
    assert run("correct", path, "--only", "*", "--n-resamples", 40)[0] == 0
    everything = save("p.csv", {"truth": truth, "copy": truth * 1.5, "other": truth * 2.5})
    assert "--exclude" not in run("correct", everything)[2]
    assert run("correct", everything, "--only", "*", "--n-resamples", 40)[0] == 0


def test_the_hint_on_one_that_is_turned_round_can_be_followed(run, save):
    truth, folds, found = chances(np.random.default_rng(1))
    found[:, 3] = 1 - found[:, 3]
    columns = {f"m{c}": found[:, c] for c in range(C)}
    path = save("p.csv", {"truth": truth, "fold": folds, **columns})
    out = " ".join(run("correct", path, "--n-resamples", 40)[1].split())
    assert "--exclude 'm3'" in out
    out = run.printed("correct", path, "--exclude", "m3", "--n-resamples", 40)
    assert "against the truth" not in out
    assert "against the truth" in " ".join(run("inspect", path)[1].split())


def loo(save, folds, skill=1.0):
    truth, _, found = chances(np.random.default_rng(14), 30, 5, skill)
    found[:, 4] = of_the_others(truth)
    columns = {f"m{c}": found[:, c] for c in range(5)}
    return save("p.csv", {"truth": truth, "fold": folds(truth), **columns})


def codes_of(run, path, *words):
    out = run.printed("correct", path, "--n-resamples", 40, "--format", "json", *words)
    return [note["code"] for note in json.loads(out)["notes"]]


def test_pairs_of_leave_one_out_are_noted(run, save):
    path = loo(save, lambda truth: np.arange(30))
    assert "leave-one-out" in codes_of(run, path)
    assert "leave-one-out" not in codes_of(run, path, "--metric", "brier")
    assert "leave-one-out" not in codes_of(run, path, "--metric", "accuracy")
    ten = loo(save, lambda truth: np.argsort(np.argsort(truth, kind="stable")) % 10)
    assert "leave-one-out" not in codes_of(run, ten)


def test_no_hint_of_leave_one_out_leads_to_an_error(run, save):
    path = loo(save, lambda truth: np.arange(30))
    _, out, _ = run("correct", path, "--notes", "all", "--n-resamples", 40)
    assert "within-folds" not in out
    err = run.refused("correct", path, "--pooling", "fold-mean")
    assert "within-folds" not in err
    assert "--pooling pooled" in " ".join(err.split())
    assert run("correct", path, "--pooling", "pooled", "--n-resamples", 40)[0] == 0
    _, _, err = run("correct", path, "--pooling", "within-folds")
    assert "--pooling pooled" in err


def test_one_that_is_perfect_the_wrong_way_round_is_told_once():
    truth, folds, array = chances(np.random.default_rng(3), skill=1.2)
    array[:, 0] = 0.9 - 0.8 * truth + 0.001 * np.arange(N) / N
    assert wrong(array, truth, folds) == {"perfect-configuration"}


# polarity: seldom of noise, always of predictions that are the wrong way round


def is_noted(scores, truth):
    return "polarity" in wrong(scores, truth, kind=PredictionKind.SCORE)


def drawn(rng, n_samples=60, n_configurations=8, shared=0.9, shift=0.0):
    """Scores of configurations that share most of what they say."""
    truth = rng.permutation(np.arange(n_samples) % 3 == 0).astype(int)
    common, own = rng.normal(size=(n_samples, 1)), rng.normal(size=(n_samples, n_configurations))
    scores = np.sqrt(shared) * common + np.sqrt(1 - shared) * own
    return scores + shift * truth[:, None], truth


def trained(rng, n_samples=60, n_features=20, n_folds=5, shift=0.0):
    """Nearest centroids on some of the features, trained on the other folds."""
    truth = rng.permutation(np.arange(n_samples) % 3 == 0).astype(int)
    features = rng.normal(size=(n_samples, n_features)) + shift * truth[:, None]
    folds = rng.permutation(np.arange(n_samples) % n_folds)
    scores = np.empty((n_samples, 8))
    for fold in range(n_folds):
        train, test = folds != fold, folds == fold
        own = features[train]
        direction = own[truth[train] == 1].mean(axis=0) - own[truth[train] == 0].mean(axis=0)
        for c in range(8):
            some = slice(0, (c + 1) * n_features // 8)
            scores[test, c] = features[test, some] @ direction[some]
    return scores, truth


@pytest.mark.parametrize(("area", "noted"), [(0.22, True), (0.31, False)])
def test_the_bound_is_that_of_classes_of_unequal_size(area, noted):
    """3.5 errors by Mann & Whitney 1947, of 20 and 400 samples: .5 - 3.5 sqrt(421 / 96000)."""
    truth = (np.arange(420) < 20).astype(int)
    scores = np.concatenate([np.full(20, 400 * area + 0.5), np.arange(400) + 1.0])
    assert roc_auc_score(truth, scores) == pytest.approx(area)
    assert is_noted(np.tile(scores[:, None], 5) + np.arange(5) * 1e-3, truth) == noted


@pytest.mark.sweep
@pytest.mark.parametrize(
    "draw", [trained, *(partial(drawn, shared=shared) for shared in (0.0, 0.9, 1.0))]
)
def test_noise_is_hardly_ever_noted(draw):
    rng = np.random.default_rng(1)
    assert sum(is_noted(*draw(rng)) for _ in range(600)) <= 6


def test_predictions_of_the_other_class_are_noted():
    rng = np.random.default_rng(3)
    assert all(is_noted(*drawn(rng, n_samples=150, shift=-1.5)) for _ in range(60))
    turned = [trained(rng, n_samples=150, shift=0.7) for _ in range(60)]
    assert all(is_noted(-scores, truth) for scores, truth in turned)
    assert not any(is_noted(*one) for one in turned)


# marks of answers


@pytest.mark.parametrize("kind", [LABELS, CHANCES])
def test_marks_of_answers_are_no_classes(kind):
    """Right or wrong, or the probability of the true class; seldom what knows nothing."""
    rng = np.random.default_rng(1)

    def said(right, low=120):
        truth = np.arange(240) >= low
        p = np.clip(rng.normal(right, 0.15, (240, 3)), 0.01, 0.99)
        each = (rng.random((240, 3)) < p) * 1.0 if kind is LABELS else p
        found = notes(each, truth * 1, task=Task.BINARY, kind=kind)
        return [one.text for one in found if one.code == "polarity"]

    for right in (0.75, 0.25):
        (text,) = said(right)
        assert "how right an answer is" in text
        low, high = map(float, re.findall(r"0\.\d\d", text))
        assert right - 0.1 < low < high < right + 0.1
    assert not any(said(right) for right in (0.5, 0.55, 0.45))
    assert not said(0.75, low=60)  # of unequal classes it is what to say without knowledge
    assert not said(np.where(np.arange(240)[:, None] >= 120, 0.9, 0.6))
    assert not said(np.array([0.85, 0.85, 0.52]))  # these lean to the larger class, as models do
    assert not said(np.array([1, 1, 1]))


# the order of classes


def orders_of(said, truth):
    """Texts on the order of classes, of thrice the labels (N,) or columns of classes (N, K)."""
    said, task = (
        said[:, None].repeat(3, axis=1),
        Task.MULTICLASS if len(set(truth)) > 2 else Task.BINARY,
    )
    kind = LABELS if said.ndim == 2 else CHANCES
    return [one.text for one in notes(said, truth, task=task, kind=kind) if one.code == "polarity"]


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("order", [(1, 0), (2, 1, 0), (1, 2, 0), (0, 1, 2)])
def test_classes_in_another_order_are_noted(order, columns):
    """Also where some stay; the numbers at a place are those of the class which it is."""
    n = len(order)
    truth = np.arange(60) % n
    said = np.argsort(order)[np.where(np.arange(60) < 54, truth, (truth + 1) % n)]
    if columns and n > 2:
        said = np.eye(n)[said] * 0.6 + 0.4 / n
    texts = orders_of(said, truth)
    assert [", ".join(map(str, order)) in text for text in texts] == [True] * (order[0] > 0)
    assert all(text.startswith("90% of") for text in texts)


@pytest.mark.parametrize(
    ("n_others", "n_hits", "n_all", "lacked", "noted"),
    [
        *[(13, 0, 25, True, True), (12, 0, 23, True, False), (51, 0, 100, True, True)],
        *[(13, 0, 25, False, True), (20, 4, 36, False, False), (50, 0, 100, False, False)],
    ],
)
def test_an_order_is_told_where_it_makes_most_right_far_beyond_chance(
    n_others, n_hits, n_all, lacked, noted
):
    """Others are called a class that the truth lacks, or any of two."""
    rows = np.arange(n_all)
    truth, rest = rows % 4, np.where(lacked, 4, (rows % 4 + 2 + rows % 8 // 4) % 4)
    right = np.where(rows < n_others + n_hits, truth, rest)
    said = np.where(rows < n_others, (truth + 1) % 4, right)
    names = np.array([*"abcd "])
    texts = orders_of(names[said], names[truth])
    assert ["order d, a, b, c;" in text for text in texts] == [True] * noted


def test_a_class_of_which_nothing_is_called_a_class_has_no_order():
    assert orders_of(np.array([*"aabb "]), np.array([*"abbac"])) == []
