"""Searches that follow their own scores are told by the order of their configurations."""

import csv
import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from day import daily, swept

from bbccli import METRICS, Plan, matrix_of, read
from bbccli.cli.app import main
from bbccli.errors import UnsupportedError
from bbccli.methods import estimate
from bbccli.stats.guidance import Guidance, standing_of
from bbccli.types import Guided

PLAN = Plan(n_resamples=30)


def prompts(parent_of, n_candidates, rng, n_items=200, redrawn=0.15):
    """Answers (N, C), right or wrong: each candidate keeps most of those of a parent."""
    easy = rng.normal(0, 1.5, n_items)
    answers = np.empty((n_items, n_candidates))
    answers[:, 0] = rng.random(n_items) < 1 / (1 + np.exp(-easy))
    for c in range(1, n_candidates):
        anew = rng.random(n_items) < 1 / (1 + np.exp(-easy - rng.normal(0, 0.1)))
        parent = answers[:, parent_of(answers[:, :c].mean(axis=0), rng)]
        answers[:, c] = np.where(rng.random(n_items) < redrawn, anew, parent)
    return answers


def best(scores, rng):
    return int(scores.argmax())


def any_one(scores, rng):
    return int(rng.integers(len(scores)))


def of_best_five(scores, rng):
    return int(rng.choice(np.argsort(-scores, kind="stable")[:5]))


def said(matrix, metric="mean-score"):
    _, notes = estimate(matrix, METRICS[metric], PLAN, ["bbc"])
    return [note for note in notes if note.code.startswith("guided")]


def codes(matrix, metric="mean-score"):
    return [note.code for note in said(matrix, metric)]


def test_of_many_samples_few_are_copied():
    answers = prompts(best, 60, np.random.default_rng(0), n_items=60_000)
    matrix = matrix_of(answers, task="score")
    before = standing_of(matrix, METRICS["mean-score"], PLAN)  # and keeps the performances
    tracemalloc.start()
    assert standing_of(matrix, METRICS["mean-score"], PLAN) == before
    assert tracemalloc.get_traced_memory()[1] < matrix.predictions.nbytes / 2
    tracemalloc.stop()


@pytest.mark.parametrize("parent_of", [best, of_best_five])
@pytest.mark.parametrize("n_candidates", [60, 100, 400])
def test_a_climb_is_in_doubt(parent_of, n_candidates):
    """And says how far off such searches were: less where it stands lower."""
    answers = prompts(parent_of, n_candidates, np.random.default_rng(n_candidates))
    (note,) = said(matrix_of(answers, task="score"))
    size = "0.06" if (parent_of, n_candidates) == (of_best_five, 60) else "0.09"
    assert note.code == "guided-climb" and f"by {size} on average" in note.text


@pytest.mark.parametrize("seed", range(10))
def test_a_tree_that_no_score_guided_is_not(seed):
    rng = np.random.default_rng(seed)
    assert codes(matrix_of(prompts(any_one, 120, rng), task="score")) == []


def test_random_orders_give_no_alarm():
    """Also not of a climb: its order alone tells."""
    rng = np.random.default_rng(1)
    climb = prompts(best, 100, rng)
    for _ in range(80):
        shuffled = matrix_of(climb[:, rng.permutation(100)], task="score")
        found = standing_of(shuffled, METRICS["mean-score"], PLAN)
        assert found is None or not found.is_guided


def test_too_few_configurations_say_nothing():
    assert codes(matrix_of(prompts(best, 59, np.random.default_rng(0)), task="score")) == []


def test_names_and_units_do_not_matter():
    answers = prompts(of_best_five, 100, np.random.default_rng(3))
    shuffled = np.random.default_rng(0).permutation(100)
    metric = METRICS["mean-score"]
    found = standing_of(matrix_of(answers, task="score"), metric, PLAN)
    named = matrix_of(answers, task="score", configurations=[f"p{n:03}x" for n in shuffled])
    in_percent = matrix_of(100 * answers, task="score", bounds=(0, 100))
    again = standing_of(in_percent, metric, replace(PLAN, seed=5))
    assert found == standing_of(named, metric, PLAN)
    assert (again.mean, again.distance) == pytest.approx((found.mean, found.distance))


def outcomes(rng, n):
    """Truth and predictions (N, C) of a climb over 40 noisy features, by its AUC."""
    features, truth = rng.normal(size=(n, 40)), np.arange(n) % 2
    features[:, :5] += 0.5 * truth[:, None]
    used, tops, columns = rng.random(40) < 0.5, -1.0, []
    for _ in range(90):
        tried = used ^ (rng.random(40) < 0.05)
        scores = features[:, tried].sum(axis=1) / max(tried.sum(), 1) ** 0.5
        ranks = scores.argsort().argsort()
        auc = (ranks[truth == 1].mean() - ranks[truth == 0].mean()) / n
        used, tops = (tried, auc) if auc > tops else (used, tops)
        columns.append(scores)
    return truth, np.array(columns).T


KINDS = {
    "auc": {},
    "average-precision": {},
    "accuracy": {"probability": True},
    "log-loss": {"probability": True},
    "f1": {"probability": True},
    "spearman": {"task": "regression"},
    "rmse": {"task": "regression"},
    "concordance": {"survival": True},
}


@pytest.mark.parametrize("metric", KINDS)
def test_every_kind_of_metric_shows_a_climb(metric):
    rng = np.random.default_rng(11)
    truth, scores = outcomes(rng, 120)
    kind = KINDS[metric]
    if kind.get("probability"):
        scores = 1 / (1 + np.exp(-scores))
    if kind.get("task") == "regression":
        matrix = matrix_of(scores, truth + 0.1 * rng.normal(size=120), task="regression")
    elif kind.get("survival"):
        matrix = matrix_of(scores, 3.0 - truth + rng.random(120), event=np.ones(120))
    else:
        matrix = matrix_of(scores, truth)
    found = standing_of(matrix, METRICS[metric], PLAN)
    assert found.is_guided
    shuffled = matrix.of_configurations(rng.permutation(matrix.n_configurations))
    assert found == standing_of(shuffled, METRICS[metric], PLAN)  # the source keeps the order


def test_repeats_gaps_and_many_samples():
    answers = prompts(best, 80, np.random.default_rng(5), n_items=7000)
    assert codes(matrix_of(answers, task="score")) == ["guided-climb"]
    answers = prompts(best, 80, np.random.default_rng(5))
    assert codes(matrix_of(np.stack([answers, answers]), task="score")) == ["guided-climb"]
    gaps = answers.copy()
    gaps[:5, ::7] = np.nan
    assert codes(matrix_of(gaps, task="score")) == ["guided-climb"]


def test_the_order_of_performances_or_equal_ones_is_no_order_of_trials():
    answers = prompts(any_one, 100, np.random.default_rng(2))
    ranked = answers[:, answers.mean(axis=0).argsort(kind="stable")]
    assert codes(matrix_of(ranked, task="score")) == []
    assert codes(matrix_of(np.repeat(answers[:, :1], 70, axis=1), task="score")) == []


# ---- which order counts


def wide(path, names, answers):
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["row_id", *names])
        rows.writerows([n, *row] for n, row in enumerate(answers.astype(int)))
    return path


def order_of(path):
    return read(path, task="score").source.in_order


@pytest.fixture(scope="module")
def climb():
    return prompts(best, 70, np.random.default_rng(8))


def test_columns_count_but_not_if_names_sort_them(tmp_path, climb):
    counted = [f"trial {n}" for n in range(3, 73)]
    mixed = [f"p{(n * 37) % 71}" for n in range(70)]
    assert order_of(wide(tmp_path / "a.csv", counted, climb)) == tuple(counted)
    assert order_of(wide(tmp_path / "b.csv", mixed, climb)) == tuple(mixed)
    by_text = sorted(range(70), key=counted.__getitem__)  # as a pivot sorts: trial 10, trial 3
    sorted_path = wide(tmp_path / "c.csv", [counted[n] for n in by_text], climb[:, by_text])
    assert order_of(sorted_path) == tuple(counted)
    as_found = read(sorted_path, task="score"), read(tmp_path / "a.csv", task="score")
    metric = METRICS["mean-score"]
    assert standing_of(as_found[0], metric, PLAN) == standing_of(as_found[1], metric, PLAN)
    numbered = sorted(f"C={n % 7} gamma={n // 7}" for n in range(70))
    assert order_of(wide(tmp_path / "d.csv", numbered, climb)) == ()
    hashes = sorted(f"{(n * 7919) % 1000:03}-{n % 3}" for n in range(70))
    assert order_of(wide(tmp_path / "e.csv", hashes, climb)) == ()


def test_a_long_table_counts_by_first_appearance_and_several_files_do_not(tmp_path, climb):
    names = [f"p{(n * 37) % 71}" for n in range(70)]

    def long(path, chosen):
        with path.open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["row_id", "config", "score"])
            rows.writerows([i, names[c], int(climb[i, c])] for c in chosen for i in range(200))
        return path

    assert order_of(long(tmp_path / "all.csv", range(70))) == tuple(names)
    halves = [long(tmp_path / "b.csv", range(35)), long(tmp_path / "a.csv", range(35, 70))]
    assert order_of(halves) == ()


# ---- what follows


@pytest.fixture(scope="module")
def climbed(tmp_path_factory, climb):
    names = [f"trial {n}" for n in range(70)]
    return str(wide(tmp_path_factory.mktemp("climb") / "climb.csv", names, climb))


def run(capsys, *words):
    status = main(["correct", *words, "--task", "score", "--n-resamples", "50"])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_a_gate_that_would_be_met_is_undecided(capsys, climbed):
    status, text, _ = run(capsys, climbed, "--fail-under", "0.2", "--format", "json")
    gate = json.loads(text)["gate"]
    assert (status, gate["outcome"]) == (4, "undecided")
    assert gate["reason"] == "these samples guided the search"
    status, text, _ = run(capsys, climbed, "--fail-under", "0.99", "--format", "json")
    assert (status, json.loads(text)["gate"]["outcome"]) == (3, "missed")  # too good, and missed


def test_rows_are_declared_and_no_silences_with_the_reason_in_the_plan(capsys, climbed):
    status, text, _ = run(
        capsys, climbed, "--guided", "no", "--fail-under", "0.2", "--format", "json"
    )
    said = json.loads(text)
    assert (status, said["plan"]["guided"]) == (0, "no")
    assert not [note for note in said["notes"] if note["code"].startswith("guided")]
    few = ["sample_data/prompts.csv", "--format", "json"]
    status, text, _ = run(capsys, *few, "--guided", "rows", "--fail-under", "0.2")
    said = json.loads(text)
    assert status == 4
    assert "guided-climb" in [note["code"] for note in said["notes"]]
    status, text, _ = run(capsys, *few, "--guided", "scores", "--fail-under", "0.2")
    said = json.loads(text)
    assert status == 0
    assert "guided" in [note["code"] for note in said["notes"]]


def test_tight_is_refused(capsys, climbed):
    status, _, errors = run(capsys, climbed, "--tight")
    assert status == 2
    assert "--tight is not for searches that these samples guided" in errors
    assert run(capsys, climbed, "--tight", "--fail-under", "0.2")[0] == 4
    assert run(capsys, climbed, "--tight", "--guided", "no")[0] == 0
    with pytest.raises(UnsupportedError):
        matrix = read("sample_data/prompts.csv", task="score")
        estimate(matrix, "mean-score", replace(PLAN, guided=Guided.ROWS), tight=True)


def test_the_sentence_carries_it(capsys, climbed):
    _, text, _ = run(capsys, climbed)
    assert "among 70 configurations found by a guided search on the same samples" in " ".join(
        text.split()
    )
    _, text, _ = run(capsys, climbed, "--guided", "no")
    assert "guided search" not in " ".join(text.split())


def test_all_limits_are_needed():
    assert Guidance(0.66, 3.1, 0.51).is_guided
    for below in ((0.65, 3.1, 0.51), (0.66, 3.0, 0.51), (0.66, 3.1, 0.5)):
        assert not Guidance(*below).is_guided
    assert Guidance(0.80, 5.1, 0.56).is_climb
    for below in ((0.77, 5.1, 0.56), (0.80, 5.0, 0.56), (0.95, 5.1, 0.55)):
        assert not Guidance(*below).is_climb


# ---- lists whose scores go up are no climbs


def slipped(reached, rng, share):
    """Right where reached (N, C), but for a share of slips."""
    return np.where(rng.random(reached.shape) < share, ~reached, reached).astype(float)


@pytest.mark.parametrize("seed", range(8))
def test_an_axis_that_goes_up_is_no_climb(seed):
    """Stages of boosting, epochs or k best: the neighbours of each are the latest, so the best."""
    rng = np.random.default_rng(seed)
    n, n_stages = (100, 200, 400)[seed % 3], (80, 120)[seed % 2]
    reached = np.linspace(0.3, 0.95, n_stages) >= rng.random((n, 1))
    answers = slipped(reached, rng, (0.003, 0.01, 0.05, 0.15)[seed % 4])
    assert codes(matrix_of(answers, task="score")) == []


@pytest.mark.parametrize("seed", range(6))
def test_nor_are_models_side_by_side_at_each_stage(seed):
    rng = np.random.default_rng(seed)
    n_models = (2, 3, 5)[seed % 3]
    stage, model = np.divmod(np.arange(90), n_models)
    own = (rng.random((300, n_models)) + rng.random((300, 1)))[:, model] / 2
    reached = own < 0.2 + 0.6 * stage / stage.max()
    assert codes(matrix_of(slipped(reached, rng, 0.01), task="score")) == []


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("within", [0.25, swept(-0.1)])
def test_nor_are_rows_of_a_grid(seed, within):
    """Most of its points are like the one right before them; rows go up, or down, by `within`."""
    rng = np.random.default_rng(seed)
    outer, inner = np.divmod(np.arange(80), 20)
    reached = 0.3 + 0.4 * outer / 4 + within * inner / 20 >= rng.random((400, 1))
    taken = rng.random((400, 4)) < 0.02  # what a row gets right or wrong anyway
    answers = slipped(np.where(taken[:, outer], ~reached, reached), rng, 0.005)
    assert "guided-climb" not in codes(matrix_of(answers, task="score"))


@pytest.mark.parametrize("seed", daily(range(3), [0]))
def test_nor_are_stages_of_boosting(seed):
    """By accuracy: most stages answer as some stages before the last did."""
    from sklearn.ensemble import GradientBoostingClassifier

    rng = np.random.default_rng(seed)
    features = rng.normal(size=(300, 10))
    truth = (features[:, :4].sum(axis=1) + rng.normal(0, 2, 300) > 0).astype(int)
    stages = np.empty((300, 100))
    for fold in range(3):
        out = np.arange(300) % 3 == fold
        model = GradientBoostingClassifier(learning_rate=0.03, max_depth=2, random_state=0)
        model.fit(features[~out], truth[~out])
        stages[out] = np.array([p[:, 1] for p in model.staged_predict_proba(features[out])]).T
    assert "guided-climb" not in codes(matrix_of((stages > 0.5) == truth[:, None], task="score"))


def test_what_kept_nearly_every_try_is_told_from_no_list():
    """Each answers a little more than the one before it: nothing shows that it was a search."""
    rng = np.random.default_rng(0)
    reached = np.sort(rng.random(100)) >= rng.random((300, 1))
    assert codes(matrix_of(reached, task="score")) == []
