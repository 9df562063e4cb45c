"""Laws that every rule keeps."""

from dataclasses import replace

import numpy as np
import pytest
from day import daily, swept
from matrices import binary, in_blocks, multiclass, of_labels, regression, survival, weighing

from bbccli import METHODS, METRICS, Plan, PredictionMatrix
from bbccli.domain.matrix import Unfinished
from bbccli.dropping import RULES, drop, replay
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.platform.resources import Resources, use
from bbccli.stats.selection.candidates import Candidates
from bbccli.types import Pooling

PLAN = Plan(n_resamples=200, seed=2)
METRIC_OF = {"betting": "accuracy", "cvst": "accuracy", "brace": "accuracy"}


@pytest.fixture(params=daily(RULES, ["bbcd", "wilcoxon"]))
def rule(request):
    return request.param


def metric_of(rule):
    return METRICS[METRIC_OF.get(rule, "auc")]


def spread(n_configurations=9, **options):
    """Two hundred samples of which late configurations are clearly better."""
    return binary(200, n_configurations, n_folds=options.pop("n_folds", 10), **options)


def until(matrix, n_folds, names):
    """What a loop knows after some folds that these configurations survived."""
    rows = matrix.folds[0] < n_folds
    columns = [matrix.configurations.index(name) for name in names]
    return replace(matrix.of_configurations(columns).of_samples(rows), unfinished=Unfinished())


def test_asking_between_folds_is_the_replay(rule):
    matrix, metric = spread(), metric_of(rule)
    ((found,), _) = replay(matrix, metric, PLAN, rules=[rule])
    keep = matrix.configurations
    for n_folds, step in enumerate(found.runs[0].trace.steps, start=1):
        assert step.n_raced == len(keep)
        decision = drop(until(matrix, n_folds, keep), metric, PLAN, rule=rule)
        assert decision.drop == step.dropped
        keep = decision.keep
    if rule not in ("betting", "cvst"):  # which need more samples to drop anything
        assert len(keep) < 9


def test_one_configuration_stays(rule):
    matrix = spread()
    alone = replace(matrix, predictions=matrix.predictions[:, :, :1], configurations=("c0",))
    assert drop(alone, metric_of(rule), PLAN, rule=rule).keep == ("c0",)
    ((found,), _) = replay(alone, metric_of(rule), PLAN, rules=[rule])
    assert found.runs[0].winner == "c0"


def test_one_fold_is_no_trouble(rule):
    single = replace(spread(), folds=np.zeros((1, 200), int), fold_names=("0",))
    ((found,), _) = replay(single, metric_of(rule), PLAN, rules=[rule])
    assert found.runs[0].trace.speed_up == 1


def test_a_copy_of_the_best_stays(rule):
    matrix = spread()
    twice = replace(
        matrix,
        predictions=np.concatenate([matrix.predictions] * 2, axis=2),
        configurations=(*matrix.configurations, *(f"{c}!" for c in matrix.configurations)),
    )
    decision = drop(twice, metric_of(rule), PLAN, rule=rule)
    assert decision.best in decision.keep
    assert f"{decision.best}!" in decision.keep


def test_folds_to_come_are_those_without_predictions():
    decision = drop(spread(), METRICS["auc"], PLAN, n_folds=25)
    assert (decision.n_folds_seen, decision.n_folds_to_come) == (10, 15)


def test_few_samples_drop_nothing(rule):
    enough, few = (
        drop(spread(), metric_of(rule), PLAN, rule=rule, min_samples=n) for n in (200, 201)
    )
    assert enough.notes == few.drop == ()
    (note,) = few.notes
    assert note.code == "nothing-dropped"
    assert "200 samples are predicted so far, fewer than 201" in note.text


@pytest.mark.sweep
def test_as_many_samples_as_asked_for_are_enough(rule):
    matrix = spread()
    ((walked,), _) = replay(matrix, metric_of(rule), PLAN, rules=[rule], min_samples=100)
    steps = walked.runs[0].trace.steps
    ((free,), _) = replay(matrix, metric_of(rule), PLAN, rules=[rule], min_samples=0)
    dropped_early = {name for step in free.runs[0].trace.steps[:5] for name in step.dropped}
    assert not any(step.dropped for step in steps[:4])
    assert steps[4].n_samples == 100
    if rule == "bbcd":
        assert dropped_early
        assert steps[4].dropped


def test_samples_of_one_class_drop_nothing(rule):
    matrix = spread()
    running = replace(matrix, unfinished=Unfinished())
    one_class = running.of_samples(matrix.outcome.values == 1)
    decision = drop(one_class, metric_of(rule), PLAN, rule=rule)
    assert decision.drop == ()
    assert "of one class" in decision.notes[0].text


EVERY_METRIC = [
    (maker, name)
    for maker in (binary, multiclass, regression, survival)
    for name, metric in METRICS.items()
    if maker(10).task in metric.tasks
]


@pytest.mark.parametrize(
    ("maker", "name"),
    EVERY_METRIC,
    ids=lambda x: getattr(x, "__name__", x),
)
def test_bbcd_takes_every_metric(maker, name):
    matrix = maker(60, n_repeats=2, n_folds=3)
    decision = drop(matrix, METRICS[name], Plan(64), threshold=0.9)
    shares = [d.probability for d in decision.decisions]
    assert all(0 <= share <= 1 for share in shares)
    assert decision.best in decision.keep


@pytest.mark.parametrize(
    "limits", [Resources(jobs=1), swept(Resources(jobs=3)), swept(Resources(memory=2**24))]
)
@pytest.mark.parametrize("name", ["accuracy", swept("auc"), "log-loss"])
def test_resources_and_blocks_do_not_matter(limits, name, monkeypatch):
    matrix, metric = spread(), METRICS[name]
    expected = drop(matrix, metric, PLAN).decisions

    monkeypatch.setattr(Candidates, "blocks", in_blocks(2))
    monkeypatch.setattr("bbccli.stats.resampling.MOST_BLOCKS", 1)
    with use(limits):
        found = drop(replace(matrix), metric, PLAN).decisions
    assert [(d.fate, d.probability) for d in found] == [(d.fate, d.probability) for d in expected]
    values = [[d.performance for d in decisions] for decisions in (found, expected)]
    np.testing.assert_allclose(*values, rtol=1e-12)  # losses are added up in another order


def test_fold_means_groups_and_weights():
    matrix = spread()
    grouped = replace(matrix, outcome=weighing(matrix.outcome), groups=np.arange(200) // 4)
    for pooling in Pooling:
        decision = drop(grouped, METRICS["auc"], Plan(300, pooling=pooling))
        assert "c0" in decision.drop
        assert "c8" in decision.keep


def test_repeats_after_the_first_count_whole():
    matrix = spread(n_repeats=3, n_folds=5)
    steps: list[tuple[int, int]] = []
    ((found,), _) = replay(matrix, METRICS["auc"], PLAN, progress=lambda *at: steps.append(at))
    assert steps[-1] == (1, 1)
    steps = found.runs[0].trace.steps
    assert [s.fold for s in steps] == ["0", "1", "2", "3", "4", "repeat 2", "repeat 3"]
    assert [s.n_models // s.n_raced for s in steps] == [1] * 5 + [5, 5]
    assert found.runs[0].trace.n_models == 9 * 15


def test_a_later_repeat_counts_alone_until_it_is_over():
    # b is worse in the second repeat, and as much better in the third
    right, folds = np.ones((3, 60, 2), bool), np.tile(np.arange(60) // 12, (3, 1))
    right[1, ::3, 1] = right[2, ::3, 0] = False
    matrix = of_labels(right, configurations="ab", folds=folds, fold_names=tuple("12345"))
    ((found,), _) = replay(matrix, METRICS["accuracy"], PLAN)
    assert [(s.fold, s.dropped) for s in found.runs[0].trace.steps if s.dropped] == [
        ("repeat 2", ("b",))
    ]


@pytest.mark.sweep
def test_orders_are_drawn_from_the_seed():
    matrix, metric = spread(), METRICS["auc"]

    def orders(seed):
        ((found,), _) = replay(matrix, metric, Plan(64, seed=seed), n_orders=3)
        return [run.order for run in found.runs]

    assert orders(1) == orders(1) != orders(2)
    assert all(sorted(o) == sorted(matrix.fold_names) for o in orders(1))


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["rmse", "auc"])
def test_a_lost_winner_is_a_loss(name):
    """Losses are positive, whichever way the metric is better."""
    metric, lost = METRICS[name], 0
    for seed in range(12):
        maker = regression if name == "rmse" else binary
        matrix = maker(60, 9, n_folds=5, seed=seed)
        ((found,), _) = replay(matrix, metric, PLAN, threshold=0.6, min_samples=0)
        full = METHODS["bbc"].run(matrix, metric, PLAN)
        (run,) = found.runs
        lost += not run.kept_winner
        left = matrix.of_configurations(
            np.flatnonzero([c not in run.trace.dropped for c in matrix.configurations])
        )
        survivor = METHODS["bbc"].run(left, metric, PLAN)
        worse = survivor.naive - full.naive if name == "rmse" else full.naive - survivor.naive
        assert run.loss == pytest.approx(worse, abs=1e-12)
        assert (run.loss > 0) == (not run.kept_winner)
        assert run.shift == pytest.approx(survivor.value - full.value, abs=1e-12)
    assert lost


def test_an_order_walks_the_folds_that_way():
    matrix, metric = spread(n_folds=5), METRICS["auc"]
    order = ("3", "1", "4", "0", "2")
    ((found,), _) = replay(matrix, metric, PLAN, order=order)
    assert tuple(step.fold for step in found.runs[0].trace.steps) == order
    moved = replace(matrix, folds=np.argsort([3, 1, 4, 0, 2])[matrix.folds])
    ((same,), _) = replay(moved, metric, PLAN)
    dropped = [[step.dropped for step in r.runs[0].trace.steps] for r in (found, same)]
    assert dropped[0] == dropped[1]


def test_an_order_names_the_folds_of_the_first_repeat():
    matrix = spread(n_folds=3, n_repeats=2)
    folds = matrix.folds + np.array([[0], [3]])
    later = replace(matrix, folds=folds, fold_names=tuple("abcxyz"))
    ((found,), _) = replay(later, METRICS["auc"], PLAN, order="cab")
    assert found.runs[0].trace.steps[0].fold == "c"


def test_all_leaves_out_what_cannot_be_computed():
    replays, notes = replay(spread(), METRICS["auc"], PLAN, rules=["all"])
    assert {r.rule for r in replays} == set(RULES) - {"brace", "betting", "cvst"}
    assert [n.code for n in notes] == ["rule-left-out"] * 3
    with pytest.raises(UnsupportedError, match="AUC is not a mean of losses"):
        replay(spread(), METRICS["auc"], PLAN, rules=["cvst"])


def test_a_replay_needs_folds():
    matrix = spread()
    without = PredictionMatrix(
        matrix.outcome, matrix.predictions, matrix.configurations, matrix.kind
    )
    with pytest.raises(UndefinedError, match="a replay walks the folds"):
        replay(without, METRICS["auc"], PLAN)
    assert "c0" in drop(without, METRICS["auc"], PLAN).drop


def test_the_metric_undefined_in_a_fold():
    matrix = spread(n_folds=5)
    by_class = replace(matrix, folds=matrix.outcome.values[None] * 2)
    with pytest.raises(UndefinedError, match="AUC is undefined in folds"):
        drop(by_class, METRICS["auc"], PLAN, rule="anova")
    assert "c0" in drop(by_class, METRICS["auc"], PLAN).drop
