"""Blends: weighted means of other configurations."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from documents import codes
from scipy.stats import rankdata

from bbccli import matrix_of
from bbccli.reading import read
from bbccli.types import Task

RNG = np.random.default_rng(23)
N = 150
RISK = RNG.random(N)
TRUTH = (RNG.random(N) < RISK).astype(int)
FOUR = {
    name: np.clip(RISK + RNG.normal(size=N) / 5, 0.01, 0.99).round(5)
    for name in ("lgb", "xgb", "cat", "nn")
}
P = np.stack(list(FOUR.values()), axis=1)
WEIGHTS = np.array([0.38, 0.18, 0.19, 0.25])


def note(matrix):
    (found,) = [one for one in matrix.notes if one.code == "flagged-left-out"]
    return found


BLENDS = {
    "hill climbing": P @ WEIGHTS,
    "two of four": P @ [0.6, 0, 0, 0.4],
    "the mean": P.mean(axis=1),
    "the geometric mean": np.exp(np.log(P) @ WEIGHTS),
    "the mean of log-odds": 1 / (1 + np.exp(-np.log(P / (1 - P)) @ WEIGHTS)),
    "the mean of ranks": rankdata(P, axis=0) @ WEIGHTS,
    "the mean of ranks as shares": rankdata(P, axis=0)[:, :2].mean(axis=1) / N,
}


@pytest.mark.parametrize("blend", BLENDS.values(), ids=BLENDS)
@pytest.mark.parametrize("digits", [5, 16])
def test_a_weighted_mean_is_left_out(save, blend, digits):
    path = save("t.csv", {"y": TRUTH, **FOUR, "final": blend.round(digits)})
    matrix = read(path)
    assert matrix.configurations == tuple(FOUR)
    found = note(matrix)
    assert "final" in found.text
    assert "--include ensembles" in found.remedy
    assert [one.reason for one in matrix.source.left_out] == ["ensemble"]
    assert "final" in read(path, include=["ensembles"]).configurations
    assert "final" in read(path, only=["*"]).configurations


def test_of_members_in_single_precision_beside_a_constant():
    rng = np.random.default_rng(3)
    risk = (TRUTH[:, None] * 0.5 + rng.random((N, 3)) / 3).astype(np.float32)
    columns = {f"m{c}": risk[:, c] for c in range(3)} | {"half": np.full(N, 0.5, np.float32)}
    blend = (0.4 * risk[:, 0] + 0.6 * risk[:, 1]).astype(np.float32)
    frame = pa.table({"y": TRUTH, **columns, "final": blend})
    assert read(frame).configurations == tuple(columns)


@pytest.mark.parametrize("seed", range(8))
def test_of_members_with_all_their_digits(seed):
    """What an exact mean leaves is less than the digits of correlations show."""
    rng = np.random.default_rng(seed)
    risk = 1 / (1 + np.exp(-rng.normal(size=(240, 5)) - TRUTH.repeat(2)[:240, None]))
    columns = {f"m{c}": risk[:, c] for c in range(5)}
    blend = risk[:, :3] @ rng.dirichlet(np.ones(3))
    frame = pa.table({"y": TRUTH.repeat(2)[:240], **columns, "final": blend})
    assert read(frame).configurations == tuple(columns)
    near = pa.table({"y": TRUTH.repeat(2)[:240], **columns, "final": blend + 1e-6 * risk[:, 4]})
    assert "final" in read(near).configurations


def test_ranks_and_calibrations_of_single_models_are_no_blends(save):
    more = {"platt": 1 / (1 + np.sqrt(1 / P[:, 0] - 1)), "ranks": rankdata(P[:, 1]) / N}
    near = rankdata(P, axis=0) @ WEIGHTS / N + rankdata(RNG.random(N)) / N / 1e3
    columns = {"y": TRUTH, **FOUR, **more, "near": near}
    assert not {"platt", "ranks", "near"} - {*read(save("t.csv", columns)).configurations}


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_median_and_the_ends_of_all_others_are_left_out(save, place):
    at = np.sort(P[:, :3], axis=1)[:, place]
    columns = {"y": TRUTH, "agg": at, **dict(zip("abc", P.T[:3], strict=True))}
    matrix = read(save("t.csv", columns))
    assert matrix.configurations == ("a", "b", "c")
    assert f"agg (the {('least', 'median', 'largest')[place]} of all others)" in note(matrix).text
    columns["agg"] = np.where(np.arange(N) == 70, 0.5, at)
    assert "agg" in read(save("t.csv", columns)).configurations


def test_the_same_as_one_of_others_in_each_row_is_no_median(save):
    """As trees are that were cut back at another place."""
    rough = (4 * P[:, 0]).round() / 4
    finer = np.where(P[:, 0] < 0.5, rough, (8 * P[:, 0]).round() / 8)
    finest = np.where(P[:, 0] < 0.7, finer, P[:, 0])
    columns = {"y": TRUTH, "rough": rough, "finer": finer, "finest": finest, "nn": P[:, 3]}
    assert len(read(save("t.csv", columns)).configurations) == 4


def test_before_its_members(save):
    """Its place does not tell, but that it is better than they are."""
    first = {"y": TRUTH, "final": P @ WEIGHTS, **FOUR}
    assert read(save("t.csv", first)).configurations == tuple(FOUR)


def test_values_and_scores(save):
    truth = 50 + 20 * RNG.normal(size=N)
    three = {f"m{i}": (truth + 10 * RNG.normal(size=N)).round(4) for i in range(3)}
    mean = (0.5 * three["m0"] + 0.3 * three["m1"] + 0.2 * three["m2"]).round(4)
    assert read(save("t.csv", {"y": truth, **three, "w": mean})).configurations == tuple(three)
    scored = read(save("u.csv", {**three, "all": mean}), task=Task.SCORE)
    assert scored.configurations == tuple(three)


def test_in_a_long_table_and_in_memory(save):
    names = [*FOUR, "x9"]
    values = np.column_stack([P, (P @ WEIGHTS).round(6)])
    long = {
        "config": np.repeat(names, N),
        "row_id": np.tile(np.arange(N), 5),
        "truth": np.tile(TRUTH, 5),
        "score": values.T.ravel(),
    }
    assert read(save("t.parquet", long)).configurations == tuple(FOUR)
    assert matrix_of(values, TRUTH, configurations=names).n_configurations == 4


NAMES = ["blend", "oof_ensemble", "avg", "WeightedEnsemble_L2", "model_average", "Ensemble 2"]


@pytest.mark.parametrize("name", NAMES)
def test_names_say_so(save, name):
    other = np.clip(RISK + RNG.normal(size=N) / 8, 0, 1)
    matrix = read(save("t.csv", {"y": TRUTH, **FOUR, name: other}))
    assert matrix.configurations == tuple(FOUR)
    assert name in note(matrix).text


def near(columns):
    return columns @ WEIGHTS + RNG.normal(size=N) / 500


OTHERS = {
    "a copy": {"again": P[:, 0]},
    "nearly a mean": {"net": np.clip(near(P), 0, 1)},
    "scaled": {"half": P[:, 0] / 2},
    "an ensemble of trees": {"extra trees": RNG.random(N)},
    "a sum": {"both": P[:, 0] + P[:, 1]},
    "with a weight below 0": {"hill": 1.6 * P[:, 0] - 0.6 * P[:, 1]},
}


@pytest.mark.parametrize("more", OTHERS.values(), ids=OTHERS)
def test_what_is_no_blend(save, more):
    matrix = read(save("t.csv", {"y": TRUTH, **FOUR, **more}))
    assert set(matrix.configurations) == {*FOUR, *more}


def test_lines_are_no_blends(save):
    """Ridges of one feature lie on each other's lines: all are means of the outer ones."""
    x = RNG.normal(size=N)
    truth = 3 * x + RNG.normal(size=N)
    ridges = {f"alpha={a}": 0.1 + 3 * x / (1 + a) for a in (0, 1, 2, 5)}
    assert read(save("t.csv", {"y": truth, **ridges})).n_configurations == 4
    two = np.column_stack([x, RNG.normal(size=N)])
    plane = {f"c={i}": two @ RNG.random(2) for i in range(7)}
    assert read(save("u.csv", {"y": truth, **plane})).n_configurations == 7


def test_few_rows_or_columns(save):
    pair = {"a": P[:, 0], "b": P[:, 0]}
    assert read(save("t.csv", {"y": TRUTH, **pair})).n_configurations == 2
    mean = {name: column[:9] for name, column in FOUR.items()} | {"m": (P @ WEIGHTS)[:9]}
    assert read(save("u.csv", {"y": [0, 1, 1] * 3, **mean})).n_configurations == 5
    alone = {"ensemble": P[:, 0], "blend": P[:, 1]}
    assert read(save("v.csv", {"y": TRUTH, **alone})).n_configurations == 2


def test_named_in_the_metadata(save):
    metadata = {"spec": "bbc-predictions", "version": "1", "configs": [{"id": "mean"}]}
    path = save("t.parquet", {"truth": TRUTH, **FOUR, "mean": P.mean(axis=1)}, metadata)
    matrix = read(path)
    assert "mean" in matrix.configurations
    assert "flagged-left-out" not in codes(matrix)


def test_neighbours_that_rounding_makes_alike_are_no_blends(save):
    """In two decimals each is a mean of the others, and of hardly anything else."""
    step = RNG.normal(size=N) / 200
    near = {
        name: (P[:, 0] + i * step).round(2) for name, i in (("low", 0), ("high", 2), ("mid", 1))
    }
    matrix = read(save("t.csv", {"y": TRUTH, "other": P[:, 1].round(2), **near}))
    assert matrix.configurations == ("other", "low", "high", "mid")


def test_of_whole_numbers_far_apart():
    scores = np.rint(100 * P).astype(int)
    far = np.column_stack([scores[:, 0], 3 * scores[:, 1] - 60, 90 - scores[:, 2]])
    columns = {f"m{c}": far[:, c] for c in range(3)}
    columns["final"] = np.rint(far[:, :2] @ [0.4, 0.6]).astype(int)
    values = TRUTH * 40 + RNG.normal(30, 9, N).round(1)
    assert read(pa.table({"y": values, **columns})).configurations == tuple(columns)[:3]


@pytest.mark.parametrize("share", [True, False])
def test_of_ranks_within_folds(save, share):
    fold = np.arange(N) % 4  # of two sizes
    ranks = np.zeros((N, 2))
    for k in range(4):
        ranks[fold == k] = rankdata(P[fold == k][:, 1:3], axis=0) / (sum(fold == k) if share else 1)
    path = save("t.csv", {"y": TRUTH, "fold": fold, **FOUR, "level2": ranks @ [0.5, 0.5]})
    matrix = read(path)
    assert matrix.configurations == tuple(FOUR)
    assert "level2 (0.5 xgb + 0.5 cat in ranks within folds)" in note(matrix).text
    others = np.repeat(range(4), 38)[:N]
    other = save("u.csv", {"y": TRUTH, "fold": others, **FOUR, "level2": ranks @ [0.5, 0.5]})
    assert "level2" in read(other).configurations


def test_of_members_with_few_digits(save):
    """Shares of 20 trees and of 10 neighbours are exact, and not rounded."""
    few = {"forest": (20 * P[:, 0]).round() / 20, "knn": (10 * P[:, 1]).round() / 10}
    some = np.clip(np.column_stack([*few.values(), P[:, 2]]), 0.02, 0.98)
    made = 1 / (1 + np.exp(-np.log(some / (1 - some)) @ [0.5, 0.3, 0.2]))
    columns = {**dict(zip((*few, "cat"), some.T, strict=True)), "made": made}
    matrix = read(save("t.csv", {"y": TRUTH, **columns}))
    assert "made (0.5 forest + 0.3 knn + 0.2 cat in log-odds)" in note(matrix).text


@pytest.mark.parametrize("digits", [5, 16])
def test_of_geometric_means_normalised_over_classes(save, digits):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, N)
    parts = rng.gamma(1, 1, (4, N, 3)) + 0.05 + 2 * np.eye(3)[truth]
    parts /= parts.sum(axis=2, keepdims=True)
    made = np.exp(np.tensordot([0.5, 0.3, 0.2, 0.0], np.log(parts), 1))
    made /= made.sum(axis=1, keepdims=True)
    every = dict(zip(("a", "b", "c", "d", "made"), [*parts, made], strict=True))
    columns = {f"{m}::{k}": p[:, k].round(digits) for m, p in every.items() for k in range(3)}
    matrix = read(save("t.csv", {"y": truth, **columns}))
    assert matrix.configurations == ("a", "b", "c", "d")
    assert "made (0.5 a + 0.3 b + 0.2 c in logarithms, normalised)" in note(matrix).text


def test_a_blend_among_many_models_is_told_on_disk(tmp_path, monkeypatch):
    """More rows are looked at than the first ones, which are kept."""
    monkeypatch.setattr("bbccli.reading.sources.LARGE", 1)
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 1500)
    models = {f"m{k}": truth / 2 + rng.random(1500) / 2 for k in range(180)}
    blend = 0.25 * models["m7"] + 0.75 * models["m8"]
    pq.write_table(pa.table({"truth": truth, **models, "mix": blend}), tmp_path / "p.parquet")
    assert read(tmp_path / "p.parquet").configurations == tuple(models)
