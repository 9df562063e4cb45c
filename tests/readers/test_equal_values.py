"""Values of several files are equal up to how they were written, and no further."""

import numpy as np
import pandas as pd
import pytest

from bbccli.comparisons.joining import joined
from bbccli.errors import InputError
from bbccli.readers import read

N = 30
RNG = np.random.default_rng(0)
TRUTH = RNG.normal(50, 10, N)
TRUTH[3] = 0.0
CLASSES = TRUTH > 50
TIMES = pd.date_range("2024-01-01", periods=N, freq="h")
UTC = TIMES.tz_localize("UTC")


def files(tmp_path, truths=(TRUTH, TRUTH), keys=(range(N), range(N))):
    paths = []
    for at, (truth, key) in enumerate(zip(truths, keys, strict=True)):
        table = pd.DataFrame({"row_id": key, "truth": truth, "prediction": RNG.random(N)})
        table.to_parquet(tmp_path / f"m{at}.parquet")
        paths.append(str(tmp_path / f"m{at}.parquet"))
    return paths


def both(paths):
    """The files as configurations of one study, and as the files of a comparison."""
    names = [str(at) for at in range(len(paths))]
    yield lambda: read(paths)
    yield lambda: joined([read(path) for path in paths], names).matrix


@pytest.mark.parametrize(
    "other",
    [np.where(TRUTH == 0, 1e-17, TRUTH), TRUTH.astype("f4"), TRUTH.astype("f4").astype(float)],
)
def test_a_truth_with_other_digits(tmp_path, other):
    for truths in ((TRUTH, other), (other, TRUTH)):
        for matrix in both(files(tmp_path, truths)):
            assert matrix().n_samples == N
            assert [n.code for n in matrix().notes if n.code == "truth-rounded"]


@pytest.mark.parametrize("change", [1e-6, 0.1, 1e-8 * 50])
def test_another_truth_is_another(tmp_path, change):
    other = TRUTH.copy()
    other[7] += change
    for matrix in both(files(tmp_path, (TRUTH, other))):
        with pytest.raises(InputError, match="truth"):
            matrix()


def test_whole_numbers_are_never_rounded(tmp_path):
    large = 1e10 + np.arange(N)
    for matrix in both(files(tmp_path, (large, large[::-1]))):
        with pytest.raises(InputError, match="truth"):
            matrix()


@pytest.mark.parametrize("other", [CLASSES.astype(int), CLASSES.astype(str), CLASSES.astype(float)])
def test_true_and_1_are_one_class(tmp_path, other):
    for matrix in both(files(tmp_path, (CLASSES, other))):
        np.testing.assert_array_equal(matrix().outcome.values, CLASSES)
    swapped = np.roll(other, 1)
    for matrix in both(files(tmp_path, (CLASSES, swapped))):
        with pytest.raises(InputError, match="truth"):
            matrix()


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (UTC, UTC.tz_convert("Europe/Berlin")),
        (UTC, UTC.strftime("%Y-%m-%dT%H:%M:%SZ")),
        (TIMES, TIMES.strftime("%Y-%m-%dT%H:%M:%S")),
        (TIMES.astype("datetime64[ns]"), TIMES.astype("datetime64[s]")),
        (range(N), [f"{i}.0" for i in range(N)]),
        (range(N), [str(i) for i in range(N)]),
    ],
)
def test_one_key_in_two_forms(tmp_path, ours, theirs):
    for matrix in both(files(tmp_path, keys=(ours, theirs))):
        assert matrix().n_samples == N


def test_time_stamps_of_which_one_has_no_zone(tmp_path):
    for matrix in both(files(tmp_path, keys=(TIMES, UTC))):
        with pytest.raises(InputError, match="m1.parquet: time stamp has a zone, .*m0.parquet"):
            matrix()


@pytest.mark.parametrize("odd", [0, 1, 2])
def test_the_odd_file_of_three(tmp_path, odd):
    truths = [TRUTH.copy() for _ in range(3)]
    truths[odd][7] = 99.5
    paths = files(tmp_path, truths, [range(N)] * 3)
    found = []
    for matrix in both(paths):
        with pytest.raises(InputError) as error:
            matrix()
        assert error.value.path == paths[odd]
        found.append(error.value)
    assert (found[0].column, found[0].row, found[0].value, found[0].further) == (
        "truth",
        7,
        99.5,
        0,
    )
    assert repr(float(TRUTH[7])) in found[0].hint
    assert f"sample 7: 99.5 and {TRUTH[7]}" in found[1].problem
