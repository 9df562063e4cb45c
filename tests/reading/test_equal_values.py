"""Values of several files are equal up to how they were written, and no further."""

import numpy as np
import pandas as pd
import pytest
from day import swept
from reading import refused

from bbccli.comparisons import joined
from bbccli.errors import InputError
from bbccli.reading import read
from bbccli.use_cases.inspection import inspect

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


def refused_by_both(words, paths):
    """The errors of both, with these words."""
    errors = []
    for matrix in both(paths):
        with pytest.raises(InputError, match=words) as error:
            matrix()
        errors.append(error.value)
    return errors


@pytest.mark.parametrize(
    "other",
    [np.where(TRUTH == 0, 1e-17, TRUTH), TRUTH.astype("f4"), TRUTH.astype("f4").astype(float)],
)
def test_a_truth_with_other_digits(tmp_path, other):
    for truths in ((TRUTH, other), (other, TRUTH)):
        for matrix in both(files(tmp_path, truths)):
            assert matrix().n_samples == N
            assert [n.code for n in matrix().notes if n.code == "truth-rounded"]


def test_whole_numbers_are_never_rounded(tmp_path):
    large = 1e12 + np.arange(N)
    refused_by_both("truth", files(tmp_path, (large, large[::-1])))


@pytest.mark.parametrize("other", [CLASSES.astype(int), CLASSES.astype(str), CLASSES.astype(float)])
def test_true_and_1_are_one_class(tmp_path, other):
    for matrix in both(files(tmp_path, (CLASSES, other))):
        np.testing.assert_array_equal(matrix().outcome.values, CLASSES)
    swapped = np.roll(other, 1)
    refused_by_both("truth", files(tmp_path, (CLASSES, swapped)))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (UTC, UTC.tz_convert("Europe/Berlin")),
        swept(UTC, UTC.strftime("%Y-%m-%dT%H:%M:%SZ")),
        swept(TIMES, TIMES.strftime("%Y-%m-%dT%H:%M:%S")),
        swept(TIMES.astype("datetime64[ns]"), TIMES.astype("datetime64[s]")),
        swept(range(N), [f"{i}.0" for i in range(N)]),
        swept(range(N), [str(i) for i in range(N)]),
    ],
)
def test_one_key_in_two_forms(tmp_path, ours, theirs):
    for matrix in both(files(tmp_path, keys=(ours, theirs))):
        assert matrix().n_samples == N


def test_time_stamps_of_which_one_has_no_zone(tmp_path):
    refused_by_both(
        "m1.parquet: time stamp has a zone, .*m0.parquet", files(tmp_path, keys=(TIMES, UTC))
    )


@pytest.mark.parametrize("odd", [0, 1, 2])
def test_the_odd_file_of_three(tmp_path, odd):
    truths = [TRUTH.copy() for _ in range(3)]
    truths[odd][7] = 99.5
    paths = files(tmp_path, truths, [range(N)] * 3)
    first, second = refused_by_both("truth", paths)
    assert first.path == second.path == paths[odd]
    assert (first.column, first.row, first.value, first.further) == ("truth", 7, 99.5, 0)
    assert repr(float(TRUTH[7])) in first.hint
    assert f"sample 7: 99.5 and {TRUTH[7]}" in second.problem


STAMPS = [f"2024-01-01T{hour:02d}:00:00Z" for hour in range(24)]


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ("2024-01-01 00:00:00+00:00", "same instant as '2024-01-01T00:00:00Z' in row 0"),
        ("2024-01-01T01:00:00+01:00", "same instant"),
        ("2024-01-01 00:00:00", "time stamp has no zone, but that of row 0 has one"),
    ],
)
def test_two_spellings_of_one_instant_in_one_file(tmp_path, other, words):
    keys = [*STAMPS[:-1], other]
    long = {"row_id": STAMPS + keys, "config": ["a"] * 24 + ["b"] * 24}
    wide = {"row_id": keys, "a": RNG.random(24)}
    repeated = {"row_id": STAMPS + keys, "repeat": [0] * 24 + [1] * 24, "a": RNG.random(48)}
    for columns in (long | {"prediction": RNG.random(48)}, wide, repeated):
        n = len(columns["row_id"])
        table = pd.DataFrame(columns | {"truth": ([0, 1] * n)[:n]})
        table.to_csv(tmp_path / "m.csv", index=False)
        error = refused(words, tmp_path / "m.csv")
        assert error.row == n - 1
        assert error.value == other


@pytest.mark.parametrize("form", ["2024-01-01-{}", "2024-01-{}", "2024-01-01T{:02d}:00:00Z"])
def test_instants_and_what_only_looks_like_one(save, form):
    keys = [form.format(i) for i in range(24)]
    columns = {"row_id": keys, "truth": [0, 1] * 12, "a": RNG.random(24)}
    assert read(save("m.csv", columns)).n_samples == 24


UUIDS = [f"{i:08x}-00ab-4000-8000-0000000000cd" for i in range(N)]


@pytest.mark.parametrize(
    "other",
    [
        [key.upper() for key in UUIDS],
        [key.replace("-", "") for key in UUIDS],
        [key.upper() if at % 3 else key for at, key in enumerate(UUIDS)],
    ],
)
def test_keys_in_another_form_are_not_other_samples(tmp_path, other):
    paths = files(tmp_path, (CLASSES, CLASSES), (UUIDS, other))
    for error in refused_by_both(r"m1.parquet: row_id is another form", paths):
        assert "write the keys of both files the same way" in error.hint


def test_configurations_without_a_sample_in_common(tmp_path):
    paths = files(tmp_path, (CLASSES, CLASSES), (range(N), range(N, 2 * N)))
    refused(r"m1.parquet: has no sample in common with .*m0.parquet, by 'row_id'", paths)
    one = pd.concat(map(pd.read_parquet, paths)).assign(config=np.repeat(["m0", "m1"], N))
    one.to_parquet(tmp_path / "m.parquet")
    refused("'m0' shares no samples with the others", tmp_path / "m.parquet")
    overlapping = files(tmp_path, (CLASSES, CLASSES[::-1]), (range(N), [*range(N)][::-1]))
    assert read(overlapping).n_samples == N


def test_rows_are_those_of_the_file(tmp_path):
    """Of repeats a sample has several rows, and samples may be left out."""
    truth = np.repeat(TRUTH, 2)
    other = truth.copy()
    other[[40, 41]] = 99.5
    for at, values in enumerate((truth, other)):
        columns = {"row_id": np.repeat(np.arange(N), 2), "repeat": [0, 1] * N, "truth": values}
        pd.DataFrame(columns | {"a": RNG.random(2 * N)}).to_parquet(tmp_path / f"m{at}.parquet")
    first, second = (read(tmp_path / f"m{at}.parquet") for at in (0, 1))
    with pytest.raises(InputError, match="truth of sample 20") as error:
        joined([first, second], ["a", "b"])
    assert error.value.row == 40
    keys = [np.repeat(UTC, 2), np.repeat(TIMES, 2)]
    for at, own in enumerate(keys):
        columns = {"row_id": own, "repeat": [0, 1] * N, "truth": truth, "a": RNG.random(2 * N)}
        table = pd.DataFrame(columns)
        table.loc[:1, "a"] = np.nan
        table.to_parquet(tmp_path / f"m{at}.parquet")
    first, second = (read(tmp_path / f"m{at}.parquet") for at in (0, 1))
    with pytest.raises(InputError, match="has no zone") as error:
        joined([first, second], ["a", "b"])
    assert error.value.row == 2


# rounding, and how far it goes

DIGITS = np.round(RNG.gamma(3, 20, N), 1)
DIGITS[4] = 65.0
ALMOST = DIGITS.copy()
ALMOST[4] = 64.99999999999999


def tables(save, *truths):
    key = {"row_id": range(N)}
    made = [key | {"truth": t, "prediction": t + i + RNG.random(N)} for i, t in enumerate(truths)]
    return [save(f"m{i}.csv", columns) for i, columns in enumerate(made)]


def rounded(matrix):
    return [note for note in matrix.notes if note.code == "truth-rounded"]


def test_the_last_bit_between_tables(save):
    paths = tables(save, DIGITS, ALMOST)
    matrix = read(paths)
    assert matrix.outcome.values[4] == 65.0
    (note,) = rounded(matrix)
    assert note.text.startswith("truth of the same sample differs by up to 2e-16 of its value")
    assert read(paths[::-1]).outcome.values[4] == 64.99999999999999
    found = inspect(paths)
    assert found.n_errors == 0
    assert any("truth of the same sample" in f.text for f in found.findings)
    assert rounded(read(tables(save, DIGITS, DIGITS))) == []


@pytest.mark.parametrize(("apart", "allowed"), [(0.9e-9, True), (1.1e-9, False), (0.1, False)])
def test_how_far_rounding_goes(save, apart, allowed):
    other = DIGITS.copy()
    other[4] *= 1 + apart
    paths = tables(save, DIGITS, other)
    if allowed:
        assert len(rounded(read(paths))) == 1
        return
    e = refused(r"m1.csv: truth differs .*row 4, value (65|71)", paths)
    assert e.hint.startswith(f"row 4 of {paths[0]} has 65.0 for the same sample")


@pytest.mark.parametrize("role", ["truth", "weight"])
def test_the_last_bit_between_repeats(save, role):
    keys = {"row_id": np.tile(range(N), 2), "repeat": np.repeat([0, 1], N)}
    table = keys | {"truth": np.tile(DIGITS, 2), "a": RNG.random(2 * N) * 60}
    table |= {role: np.concatenate([DIGITS, ALMOST])}
    (note,) = rounded(read(save("m.csv", table)))
    assert note.text.startswith(role)
    table[role][N + 4] = 66.0
    path = save("m.csv", table)
    e = refused(rf"{role} differs between repeats .*row 34, value 66.0", path)
    assert e.hint.startswith(f"row 4 of {path} has 65.0 for the same sample")
