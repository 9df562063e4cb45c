"""The split of the samples, and what is selected on it."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import binary, by_hand, multiclass, regression, survival, weighing

from bbccli import METHODS, METRICS, Plan
from bbccli.domain.outcome import Outcome
from bbccli.errors import OptionError, UndefinedError
from bbccli.methods.literature.split import choose_evaluated, split_samples
from bbccli.types import Task

AUC, RMSE = METRICS["auc"], METRICS["rmse"]
SHARES = [0.01, 0.1, 0.25, 0.5, 0.9, 0.99]


def in_groups(matrix, n_groups, seed=0):
    """The matrix with its samples in random groups, each of which has some sample."""
    groups = np.arange(matrix.n_samples) % n_groups
    return replace(matrix, groups=np.random.default_rng(seed).permutation(groups))


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("make", [binary, swept(multiclass), swept(regression), swept(survival)])
def test_each_sample_is_on_one_side(make, share):
    split = split_samples(make(), Plan(evaluation_share=share))
    assert split.held_out
    assert (split.selection ^ split.evaluation).all()
    assert split.selection.any()
    assert split.evaluation.any()


@pytest.mark.parametrize("share", SHARES)
def test_each_class_has_its_share(share):
    truth = np.repeat([0, 1, 2], [50, 8, 2])
    matrix = replace(multiclass(60), outcome=Outcome(Task.MULTICLASS, truth, ("a", "b", "c")))
    held = np.bincount(truth[split_samples(matrix, Plan(evaluation_share=share)).evaluation])
    wanted = [int(np.clip(np.floor(share * n + 0.5), 1, n - 1)) for n in (50, 8, 2)]
    assert held.tolist() == wanted


def test_survival_is_split_by_event():
    matrix = survival(60)
    event = matrix.outcome.event
    evaluation = split_samples(matrix, Plan()).evaluation
    assert evaluation[event].sum() == int(event.sum() / 4 + 0.5)
    assert evaluation[~event].sum() == int((~event).sum() / 4 + 0.5)


def test_the_split_follows_the_seed_and_nothing_else():
    matrix, plan = binary(), Plan(seed=5)
    expected = split_samples(matrix, plan).evaluation
    backwards = replace(
        matrix,
        predictions=1 - matrix.predictions[:, :, ::-1],
        configurations=matrix.configurations[::-1],
    )
    for same, of_plan in (
        (replace(matrix), plan),
        (replace(matrix), replace(plan, n_resamples=7, level=0.5)),
        (backwards, plan),
        (replace(matrix, outcome=weighing(matrix.outcome)), plan),
    ):
        np.testing.assert_array_equal(split_samples(same, of_plan).evaluation, expected)
    assert (split_samples(matrix, Plan(seed=6)).evaluation != expected).any()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_groups", [2, 5, 13, 40])
def test_groups_stay_together(n_groups, seed):
    matrix = in_groups(binary(40), n_groups, seed)
    evaluation = split_samples(matrix, Plan(seed=seed)).evaluation
    for group in range(n_groups):
        assert len(set(evaluation[matrix.groups == group])) == 1
    held = np.bincount(matrix.outcome.values[evaluation], minlength=2)
    assert (held > 0).all()
    assert (held < 20).all()
    assert abs(evaluation.sum() - 10) <= 40 // n_groups


def test_groups_of_one_class_are_held_out_by_class():
    matrix = binary(40)
    of_patients = np.arange(40) // 4 * 2 + np.arange(40) % 2
    evaluation = split_samples(replace(matrix, groups=of_patients), Plan()).evaluation
    held = np.bincount(matrix.outcome.values[evaluation], minlength=2)
    assert set(held) <= {4, 6}


def test_classes_that_share_their_groups_cannot_be_split():
    matrix = replace(binary(40), groups=np.arange(40) % 2)
    with pytest.raises(UndefinedError, match="no split of the groups has every class") as caught:
        split_samples(matrix, Plan())
    assert "--evaluation-share 0" in caught.value.hint


def test_the_only_sample_of_a_class_selects():
    truth = np.zeros(40, int)
    truth[3] = 1
    matrix = replace(binary(40), outcome=Outcome(Task.BINARY, truth, ("no", "yes")))
    split = split_samples(matrix, Plan())
    assert split.selection[3]
    assert split.evaluation.sum() == 10


@pytest.mark.parametrize("share", [-0.1, swept(1), swept(1.5), swept(float("nan"))])
def test_a_share_out_of_range_is_refused(share):
    with pytest.raises(OptionError, match=r"evaluation_share is .*, not in \[0, 1\)"):
        Plan(evaluation_share=share)


# Selection


def test_the_winner_is_the_best_of_the_selection_samples():
    matrix = binary(seed=2)
    finalist = choose_evaluated(matrix, AUC, Plan())
    rows = finalist.split.selection
    scorer = AUC.bind(matrix.outcome.take(rows), matrix.predictions[0][rows])
    values = scorer(np.ones((1, rows.sum()), np.uint8))[0]
    assert finalist.winner == int(np.argmax(values))
    assert finalist.level == 0.95
    assert finalist.preselected is None


def test_the_evaluation_samples_choose_among_the_preselected():
    matrix = binary(n_samples=60, n_configurations=45, seed=1)
    finalist = choose_evaluated(matrix, AUC, Plan(), preselect=True)
    for_selection, for_evaluation = (
        AUC.bind(matrix.outcome.take(rows), matrix.predictions[0][rows])(
            np.ones((1, rows.sum()), np.uint8)
        )[0]
        for rows in (finalist.split.selection, finalist.split.evaluation)
    )
    expected = np.argsort(-for_selection, kind="stable")[:5]
    assert finalist.preselected.tolist() == expected.tolist()
    assert finalist.winner in expected
    assert for_evaluation[finalist.winner] == for_evaluation[expected].max()
    assert finalist.level == pytest.approx(1 - (1 - 0.95 ** (1 / 5)))
    assert [n.code for n in finalist.notes] == ["selected-on-evaluation"]


def test_tied_winners_are_named():
    matrix = by_hand()
    twice = replace(
        matrix, predictions=matrix.predictions[:, :, [1, 1]], configurations=("a", "again")
    )
    finalist = choose_evaluated(twice, AUC, Plan())
    assert finalist.winner == 0
    assert [n.code for n in finalist.notes] == ["tied-winners"]


# What the estimates say


@pytest.fixture(
    params=[
        *("delong", "delong-10p", "hanley-mcneil", "hanley-mcneil-10p"),
        *("tilting", "tilting-10p", "mabt"),
    ]
)
def method(request):
    return METHODS[request.param]


def preselects(method):
    return method.name.endswith("10p") or method.name == "mabt"


def test_the_figures_are_those_of_the_two_sides(method):
    matrix = binary(n_samples=80, n_configurations=30)
    found = method.run(matrix, AUC, Plan())
    winner = matrix.configurations.index(found.winner)
    split = split_samples(matrix, Plan())
    assert preselects(method) == (found.n_preselected is not None)
    naive_on = np.ones(80, bool) if preselects(method) else split.selection
    for value, rows in ((found.naive, naive_on), (found.value, split.evaluation)):
        scorer = AUC.bind(matrix.outcome.take(rows), matrix.predictions[0][rows])
        assert value == scorer(np.ones((1, rows.sum()), np.uint8))[0, winner]
    assert found.n_evaluation == 20
    assert found.n_preselected in (None, 3)
    assert not found.ignores_selection


def test_without_a_split_the_selection_is_ignored(method):
    matrix = binary(n_samples=80, n_configurations=30)
    found = method.run(matrix, AUC, Plan(evaluation_share=0))
    naive = METHODS["cvt"].run(matrix, AUC, Plan())
    assert found.ignores_selection
    assert found.n_evaluation is None
    assert (found.winner, found.value, found.optimism) == (naive.winner, naive.value, 0)
    assert "selected-on-evaluation" not in [n.code for n in found.notes]


def test_another_metric_may_select(method):
    matrix = binary(n_samples=80, n_configurations=30)
    found = method.run(matrix, AUC, Plan(), select_by=METRICS["brier"])
    finalist = choose_evaluated(matrix, METRICS["brier"], Plan(), preselect=preselects(method))
    assert found.selected_by == "brier"
    assert found.winner == matrix.configurations[finalist.winner]
