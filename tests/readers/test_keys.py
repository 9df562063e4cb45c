"""A matrix keeps what its samples are called, so that two files can be joined."""

import numpy as np
import pytest

from bbccli.core.matrix import SampleKeys
from bbccli.errors import InputError
from bbccli.methods.ncv import inner_matrix
from bbccli.readers import read
from bbccli.readers.column import name_of
from bbccli.types import Missing

TRUTH = list("xyxyxyxy")
A = [0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6]


def keyed(keys, **more):
    return {"row_id": keys, "truth": TRUTH, "a": A, "b": A[::-1]} | more


@pytest.mark.parametrize("name", ["m.csv", "m.parquet"])
@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (range(10, 18), [str(i) for i in range(10, 18)]),
        ([f"p{i}é" for i in range(8)], [f"p{i}é" for i in range(8)]),
        ([i / 2 for i in range(8)], ["0", "0.5", "1", "1.5", "2", "2.5", "3", "3.5"]),
    ],
)
def test_of_the_column(save, name, keys, expected):
    found = read(save(name, keyed(list(keys)))).keys
    assert found.tolist() == expected
    assert found.dtype.kind == "U"


def test_numbers_of_the_rows_without_a_column(save):
    columns = keyed(range(8))
    del columns["row_id"]
    assert read(save("m.csv", columns)).keys.tolist() == list("01234567")


def test_in_order_of_first_appearance_over_repeats(save):
    keys = ["q", "p", "s", "r"]
    columns = {"row_id": keys + keys[::-1], "repeat": [0] * 4 + [1] * 4}
    columns |= {"truth": list("xyxy") + list("yxyx"), "a": A}
    assert read(save("m.csv", columns)).keys.tolist() == keys


def test_of_a_long_table(save):
    rows = [f"{c},k{i},{'xy'[i % 2]},0.{i + 1}" for c in "ab" for i in (3, 1, 2, 0)]
    path = save("m.csv", "\n".join(["config,row_id,truth,score", *rows]) + "\n")
    assert read(path).keys.tolist() == ["k3", "k1", "k2", "k0"]


@pytest.mark.parametrize(
    ("missing", "kept"),
    [
        (Missing.COMMON_ROWS, ["k0", "k2", "k4", "k5", "k6", "k7"]),
        (Missing.AVAILABLE, ["k0", "k2", "k3", "k4", "k5", "k6", "k7"]),
        (Missing.DROP, ["k0", "k2", "k3", "k4", "k5", "k6", "k7"]),
    ],
)
def test_follow_the_samples_that_are_left(save, missing, kept):
    a = [None if i == 1 else v for i, v in enumerate(A)]
    b = [None if i in (1, 3) else v for i, v in enumerate(A[::-1])]
    path = save("m.csv", keyed([f"k{i}" for i in range(8)], a=a, b=b))
    matrix = read(path, missing=missing)
    assert matrix.keys.tolist() == kept
    classes = dict(zip([f"k{i}" for i in range(8)], TRUTH, strict=True))
    assert [matrix.outcome.classes[int(v)] for v in matrix.outcome.values] == [
        classes[key] for key in kept
    ]


def test_follow_the_samples_that_every_repeat_holds(save):
    columns = {"row_id": list("abcd") + list("bcd"), "repeat": [0] * 4 + [1] * 3}
    columns |= {"truth": list("xyxy") + list("yxy"), "p": A[:7], "fold": [0, 0, 1, 1, 0, 1, 1]}
    assert read(save("m.csv", columns)).keys.tolist() == ["b", "c", "d"]


def test_follow_the_samples_of_an_outer_fold(save):
    rows = ["row_id,outer_fold,fold,truth,a,b"]
    keys = [f"s{i}" for i in range(12)]
    for i, key in enumerate(keys):
        rows.append(f"{key},{i % 3},,{'xy'[i // 3 % 2]},0.{i + 1},0.5")
        rows += [
            f"{key},{outer},{i % 2},{'xy'[i // 3 % 2]},0.{i + 1},0.4"
            for outer in range(3)
            if outer != i % 3
        ]
    matrix = read(save("m.csv", "\n".join(rows) + "\n"))
    assert matrix.keys.tolist() == keys
    inner = inner_matrix(matrix, matrix.nested[1])
    assert inner.keys.tolist() == [key for i, key in enumerate(keys) if i % 3 != 1]


def test_as_many_as_samples(save):
    from dataclasses import replace

    matrix = read(save("m.csv", keyed(range(8))))
    assert matrix.of_repeat(0).keys.tolist() == matrix.keys.tolist()
    with pytest.raises(InputError, match=r"sample_keys have shape \(2,\)"):
        replace(matrix, sample_keys=SampleKeys(np.arange(2)))
    assert replace(matrix, sample_keys=None).keys.tolist() == list("01234567")


def test_whole_numbers_up_to_the_last_exact_one_are_names_of_integers():
    assert name_of(2.0**53) == "9007199254740992" == name_of(2**53)
    assert name_of(2.0**54) == str(2.0**54)
    assert name_of(-(2.0**53)) == "-9007199254740992"
