import numpy as np
import pytest

from bbccli.errors import UndefinedError
from bbccli.matrix import Outcome
from bbccli.resampling import BLOCK, ResampleStream, Unit, draw_block, leaves_some_out, rule_of
from bbccli.types import Task


def stream(n_units=20, seed=0, unit=Unit.SAMPLES, accept=leaves_some_out):
    return ResampleStream(n_units, seed=seed, unit=unit, accept=accept)


def outcome(*codes):
    names = tuple("abc"[: max(codes) + 1])
    return Outcome(Task.BINARY if len(names) == 2 else Task.MULTICLASS, np.array(codes), names)


def test_a_resample_draws_as_many_units_as_there_are():
    assert (stream().take(200).in_bag.sum(axis=1) == 20).all()


def test_every_unit_is_drawn_once_on_average():
    drawn = stream().take(20_000).in_bag
    error = np.sqrt((1 - 1 / 20) / 20_000)
    assert np.abs(drawn.mean(axis=0) - 1).max() < 4.5 * error
    assert abs((drawn == 0).mean() - (1 - 1 / 20) ** 20) < 0.003


@pytest.mark.parametrize("sizes", [(1, 99), (64, 36), (50, 50), (7,) * 14 + (2,)])
def test_chunks_do_not_matter(sizes):
    whole = stream().take(100)
    pieces = stream()
    parts = [pieces.take(size) for size in sizes]
    assert np.array_equal(np.concatenate([p.in_bag for p in parts]), whole.in_bag)
    assert np.array_equal(np.concatenate([p.ordinals for p in parts]), whole.ordinals)


def test_fewer_resamples_are_the_first_of_more():
    assert np.array_equal(stream().take(10).in_bag, stream().take(300).in_bag[:10])


def test_blocks_are_known_without_their_predecessors():
    third = draw_block(20, 0, Unit.SAMPLES, 2)
    assert np.array_equal(stream().take(3 * BLOCK).in_bag[2 * BLOCK :], third)


def test_seeds_and_units_have_streams_of_their_own():
    assert not np.array_equal(stream(seed=1).take(5).in_bag, stream(seed=2).take(5).in_bag)
    folds = stream(unit=Unit.FOLDS)
    assert not np.array_equal(stream().take(5).in_bag, folds.take(5).in_bag)


def test_global_random_state_has_no_part():
    np.random.seed(1)  # noqa: NPY002
    first = stream().take(5).in_bag
    np.random.seed(2)  # noqa: NPY002
    assert np.array_equal(first, stream().take(5).in_bag)


def test_every_class_in_and_out_of_the_bag():
    truth = outcome(0, 0, 1, 1, 1, 1, 1, 1)
    drawn = stream(8, accept=rule_of(truth)).take(500)
    for code in (0, 1):
        counts = drawn.in_bag[:, truth.values == code]
        assert (counts > 0).any(axis=1).all()
        assert (counts == 0).any(axis=1).all()


def test_the_share_of_redraws_is_the_theoretical_one():
    # Two rows of the rare class among 100: accepted when exactly one of them is drawn.
    truth = outcome(*[1] * 98, 0, 0)
    drawn = stream(100, accept=rule_of(truth)).take(4000)
    share = 4000 / (drawn.ordinals[-1] + 1)
    theory = 2 * (0.99**100 - 0.98**100)
    assert abs(share - theory) < 4 * np.sqrt(theory * (1 - theory) / 8000)


def test_a_class_of_one_is_refused_at_once():
    with pytest.raises(UndefinedError, match=r"class 'b' has a single sample"):
        rule_of(outcome(0, 0, 0, 1))


def test_draws_of_every_fold_are_drawn_again():
    drawn = stream(2, unit=Unit.FOLDS).take(400)
    assert (drawn.in_bag == 0).any(axis=1).all()
    assert drawn.ordinals[-1] + 1 == pytest.approx(800, rel=0.2)


def test_no_endless_loop():
    never = stream(accept=lambda in_bag: np.zeros(len(in_bag), bool))
    with pytest.raises(UndefinedError, match="hardly any resample"):
        never.take(1)
