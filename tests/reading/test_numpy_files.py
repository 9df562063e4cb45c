"""Arrays of numpy: files, archives, and a dictionary in Python."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reading import refused

import bbccli
from bbccli.errors import BbcError
from bbccli.reading import read

N = 40
RNG = np.random.default_rng(4)
Y = RNG.integers(0, 2, N)
THREE = RNG.integers(0, 3, N)
P = {m: RNG.random(N) for m in ("lgb", "xgb", "weight")}
SOFT = {m: RNG.dirichlet([1, 1, 1], N) for m in ("mlp", "cnn")}


@pytest.fixture
def saved(tmp_path):
    def saved(arrays):
        for name, values in arrays.items():
            np.save(tmp_path / f"{name}.npy", values)
        return [tmp_path / f"{name}.npy" for name in arrays]

    return saved


@pytest.fixture
def labels(tmp_path):
    def labels(values):
        path = tmp_path / "train.csv"
        path.write_text("id,target\n" + "".join(f"{i},{y}\n" for i, y in enumerate(values)))
        return path

    return labels


def test_a_file_per_configuration(saved, labels):
    files = saved({f"oof_{m}": p for m, p in P.items()})
    matrix = read(files, labels=labels(Y))
    assert matrix.configurations == ("oof_lgb", "oof_xgb", "oof_weight")
    assert_allclose(matrix.predictions[0].T, list(P.values()))
    assert "joined-by-position" in [note.code for note in matrix.notes]


@pytest.mark.parametrize("kind", [np.float32, ">f8", np.float16])
def test_probabilities_of_classes(saved, labels, kind):
    files = saved({m: p.astype(kind) for m, p in SOFT.items()})
    matrix = read(files, labels=labels(THREE))
    assert matrix.configurations == tuple(SOFT)
    assert_allclose(matrix.predictions[0], np.stack([*SOFT.values()], axis=1), atol=2e-3)


def test_labels_of_a_file_of_numpy(saved):
    *files, y = saved(P | {"y_train": Y})
    assert read(files, labels=y).outcome.values.tolist() == Y.tolist()


def test_columns_that_sum_to_nothing_are_configurations(saved, labels):
    (file,) = saved({"oof": np.column_stack([*P.values()])})
    matrix = read(file, labels=labels(Y))
    assert matrix.configurations == ("oof[:, 0]", "oof[:, 1]", "oof[:, 2]")
    assert_allclose(matrix.predictions[0].T, list(P.values()))


def test_an_archive_with_its_truth(tmp_path):
    np.savez(tmp_path / "oof.npz", y_true=THREE, **SOFT)
    matrix = read(tmp_path / "oof.npz")
    assert matrix.configurations == tuple(SOFT)
    assert matrix.outcome.values.tolist() == THREE.tolist()


def test_what_is_no_array_of_predictions(tmp_path, labels):
    path = tmp_path / "p.npy"
    np.save(path, np.array([{"a": 1}, None], object), allow_pickle=True)
    refused("not a file of plain NumPy arrays: an array of object", path)
    np.save(path, RNG.random((3, 4, 5)))
    refused(r"the array 'p' has shape \(3, 4, 5\)", path, hint="(N, K) probabilities")
    path.write_bytes(path.read_bytes()[:-9])
    refused("not a file of plain NumPy arrays", path)
    path.write_bytes(b"id,a\n1,2\n")
    refused("not a file of plain NumPy arrays", path)
    packed = tmp_path / "p.npz"
    np.savez_compressed(packed, a=np.zeros(10))
    refused("compressed", packed, hint="numpy.savez")
    np.savez(packed, a=P["lgb"], b=P["xgb"][:-1])
    refused("'b' has 39 values, but 'a' has 40", packed)


PAIR = np.column_stack([P["lgb"], P["xgb"]])
UNLIKE = {
    "39 to 40 rows": ({"a": P["lgb"], "b": P["xgb"][:-1]}, ""),
    "has 40 rows, but": ({"oof": PAIR.T}, "save the array transposed"),
    "holds 2 columns of predictions, with names that .*second.npy lacks": (
        {"first": PAIR, "second": PAIR / 2},
        "column_stack",
    ),
    "predictions are lists in some files, and not in others": (
        {"soft": np.column_stack([1 - P["lgb"], P["lgb"]]), "one": P["xgb"]},
        "",
    ),
}


@pytest.mark.parametrize("words", UNLIKE)
def test_arrays_that_do_not_fit(saved, labels, words):
    arrays, hint = UNLIKE[words]
    refused(words, saved(arrays), labels=labels(Y), hint=hint)


def test_a_dictionary_of_arrays():
    models = {"lgb": P["lgb"], "xgb": P["xgb"]}
    result = bbccli.correct(models, Y, metric="auc", n_resamples=20)
    same = bbccli.correct(np.column_stack([*models.values()]), Y, metric="auc", n_resamples=20)
    assert (result.value, result.naive) == (same.value, same.naive)


def test_a_dictionary_of_probabilities():
    result = bbccli.correct(SOFT, THREE, n_resamples=20)
    assert result.matrix.configurations == tuple(SOFT)
    best = max(np.mean(p.argmax(axis=1) == THREE) for p in SOFT.values())
    assert result.naive == pytest.approx(best)


def test_a_dictionary_of_unequal_arrays():
    with pytest.raises(BbcError, match="'b' has 3 values, but 'a' has 4"):
        bbccli.correct({"a": np.ones(4), "b": np.ones(3)}, [0, 1, 0, 1])
    with pytest.raises(BbcError, match="there is no array"):
        bbccli.correct({}, [0, 1])
    with pytest.raises(BbcError, match="a key of the predictions is 'weight'"):
        bbccli.correct(P, Y)
