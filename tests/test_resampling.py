from math import comb

import numpy as np
import pytest

from bbccli.stats.resampling import (
    BLOCK,
    KEPT_BYTES,
    PAGE,
    Draws,
    KeptDraws,
    Unit,
    count_every_resample,
    draws_of,
    draws_of_seen,
    every_resample,
)


def draws(n_units=20, seed=0, stream=(Unit.SAMPLES,)):
    return Draws(n_units, seed, stream)


def test_a_resample_draws_as_many_units_as_there_are():
    assert (draws().batch(0, 4).in_bag.sum(axis=1) == 20).all()


def test_every_unit_is_drawn_once_on_average():
    drawn = draws().batch(0, 300).in_bag
    error = np.sqrt((1 - 1 / 20) / len(drawn))
    assert np.abs(drawn.mean(axis=0) - 1).max() < 4.5 * error
    assert abs((drawn == 0).mean() - (1 - 1 / 20) ** 20) < 0.003


@pytest.mark.parametrize("sizes", [(1, 5), (2, 2, 2), (6,)])
def test_batches_do_not_matter(sizes):
    whole = draws(n_units=3).batch(0, 6)
    assert len(whole) < 6 * BLOCK
    starts = np.cumsum((0, *sizes))[:-1]
    parts = [draws(n_units=3).batch(start, size) for start, size in zip(starts, sizes, strict=True)]
    assert np.array_equal(np.concatenate([p.in_bag for p in parts]), whole.in_bag)
    assert np.array_equal(np.concatenate([p.ordinals for p in parts]), whole.ordinals)


def test_seeds_and_units_have_streams_of_their_own():
    found = [
        draws(seed=seed, stream=stream).batch(0, 1).in_bag
        for seed in (1, 2)
        for stream in ((Unit.SAMPLES,), (Unit.FOLDS, 0), (Unit.FOLDS, 1))
    ]
    for i, first in enumerate(found):
        assert not any(np.array_equal(first, second) for second in found[i + 1 :])


def test_many_units_take_wider_numbers():
    drawn = draws(70_000).batch(0, 1).in_bag
    assert (drawn.sum(axis=1) == 70_000).all()
    assert drawn[:, 65_536:].any()


def test_global_random_state_has_no_part():
    np.random.seed(1)  # noqa: NPY002
    first = draws().batch(0, 1).in_bag
    np.random.seed(2)  # noqa: NPY002
    assert np.array_equal(first, draws().batch(0, 1).in_bag)


def test_draws_of_every_fold_are_left_out():
    drawn = draws(2, stream=(Unit.FOLDS, 0)).batch(0, 12)
    assert (drawn.in_bag == 0).any(axis=1).all()
    assert len(drawn) / 768 == pytest.approx(0.5, abs=0.08)


class TestEveryResample:
    @pytest.mark.parametrize("n_units", range(2, 9))
    def test_counts(self, n_units):
        in_bag, probabilities = every_resample(n_units)
        assert len(in_bag) + 1 == count_every_resample(n_units) == comb(2 * n_units - 1, n_units)
        assert (in_bag.sum(axis=1) == n_units).all()
        assert len({row.tobytes() for row in in_bag}) == len(in_bag)
        assert probabilities.sum() == pytest.approx(1, abs=1e-12)

    def test_probabilities_by_brute_force(self):
        every_draw = np.stack(np.meshgrid(*[range(4)] * 4), axis=-1).reshape(-1, 4)
        counts = np.stack([(every_draw == unit).sum(axis=1) for unit in range(4)], axis=1)
        usable = counts[(counts == 0).any(axis=1)]
        for row, probability in zip(*every_resample(4), strict=True):
            assert (usable == row).all(axis=1).mean() == pytest.approx(probability, abs=1e-15)


class TestGroups:
    groups = np.array([7, 7, 3, 3, 3, 9, 9, 9])

    def test_a_group_is_drawn_with_all_its_samples(self):
        drawn = draws_of(8, self.groups, 0).batch(0, 3)
        for code in (3, 7, 9):
            of_group = drawn.in_bag[:, self.groups == code]
            assert (of_group == of_group[:, :1]).all()
        first_of_each = drawn.in_bag[:, [2, 0, 5]]
        assert (first_of_each.sum(axis=1) == 3).all()
        assert (first_of_each == 0).any(axis=1).all()

    def test_what_was_seen_has_streams_of_its_own(self):
        in_bag = [
            draws_of_seen(8, None, 0).batch(0, 1).in_bag,
            draws_of_seen(9, None, 0).batch(0, 1).in_bag[:, :8],
            draws_of(8, None, 0, leaving_out=False).batch(0, 1).in_bag,
            draws_of(8, np.arange(8), 0, leaving_out=False).batch(0, 1).in_bag,
        ]
        for i, first in enumerate(in_bag):
            assert not any(np.array_equal(first, second) for second in in_bag[i + 1 :])


# Within strata


def test_resamples_within_strata_draw_as_many_as_there_are():
    strata = np.array([1, 0, 1, 1, 3, 3, 1, 0, 1])
    draws = Draws(9, 5, (Unit.EVALUATION,), leaving_out=False, strata=strata)
    in_bag = draws.batch(0, 40).in_bag
    for stratum, size in ((0, 2), (1, 5), (3, 2)):
        assert (in_bag[:, strata == stratum].sum(axis=1) == size).all()
    # each is drawn once in the mean; the standard error is at most 1 / sqrt(2560)
    np.testing.assert_allclose(in_bag.mean(axis=0), 1, atol=5 / np.sqrt(len(in_bag)))
    later = draws.batch(3, 2)
    np.testing.assert_array_equal(later.in_bag, in_bag[3 * BLOCK : 5 * BLOCK])
    assert later.ordinals.tolist() == list(range(3 * BLOCK, 5 * BLOCK))


def test_one_stratum_is_none():
    plain, within = (
        Draws(9, 5, (Unit.EVALUATION,), leaving_out=False, strata=strata).batch(2, 3).in_bag
        for strata in (None, np.zeros(9, int))
    )
    np.testing.assert_array_equal(plain, within)


def test_files_of_a_thousand_samples_draw_once():
    kept = KeptDraws()
    first, again = (kept.rows(1000, 0, (0,), range(16)) for _ in range(2))
    assert all(np.shares_memory(one, other) for one, other in zip(first, again, strict=True))


def test_draws_that_are_kept_differ_by_size_seed_and_place():
    kept = KeptDraws()
    places = [(600, 0, (0,), 0), (600, 1, (0,), 0), (600, 0, (1,), 0), (600, 0, (0,), 1),
              (600, 0, (0,), PAGE), (601, 0, (0,), 0)]  # fmt: skip
    drawn = {place: bytes_of(kept, *place) for place in places}
    assert len(set(drawn.values())) == len(places)
    assert all(bytes_of(kept, *place) == one for place, one in drawn.items())


def bytes_of(kept, n_units, seed, stream, block):
    return kept.rows(n_units, seed, stream, range(block, block + 1))[0].tobytes()


def test_draws_are_the_same_over_the_edge_of_a_page():
    blocks = range(PAGE - 3, 2 * PAGE + 2)
    in_bag, sizes = KeptDraws().rows(20, 0, (0,), blocks)
    alone = [KeptDraws().rows(20, 0, (0,), range(block, block + 1)) for block in blocks]
    assert np.array_equal(in_bag, np.concatenate([one for one, _ in alone]))
    assert np.array_equal(sizes, np.concatenate([one for _, one in alone]))
    assert np.array_equal(sizes, (in_bag == 0).sum(axis=1))


def test_pages_are_kept_within_their_bytes_and_the_oldest_goes_first():
    kept = KeptDraws()
    n_fitting = KEPT_BYTES // (PAGE * BLOCK * 2000 * 2)
    for page in [*range(n_fitting), 0, n_fitting]:
        kept.rows(2000, 0, (0,), range(PAGE * page, PAGE * page + 1))
    assert sum(counts.nbytes for counts, _, _ in kept.pages.values()) <= KEPT_BYTES
    assert (2000, 0, (0, 0)) in kept.pages
    assert (2000, 0, (0, PAGE)) not in kept.pages


def test_draws_that_others_share_cannot_be_changed():
    for shared in (draws(n_units=700).batch(0, 1).in_bag, *every_resample(4)):
        with pytest.raises(ValueError, match="read-only"):
            shared[:] = 9
