"""Files that are folds of a model are read so where no two of them share a sample."""

import numpy as np
import pytest
from documents import codes
from numpy.testing import assert_allclose

from bbccli import read
from bbccli.errors import BbcError
from bbccli.reading import Roles

N, K = 60, 5
RNG = np.random.default_rng(8)
Y = RNG.integers(0, 2, N)
FOLD = RNG.permutation(np.arange(N) % K)
MODELS = {m: np.round(np.clip(0.5 + s * (Y - 0.5) + RNG.normal(0, 0.2, N), 0, 1), 4)
          for m, s in (("bert", 0.2), ("roberta", 0.4), ("deberta", 0.3))}  # fmt: skip


@pytest.fixture
def write(tmp_path):
    def write(pattern, *, models=("bert",), head="id,label,pred", of=None, key="{}", skip=()):
        """Write a file per model and fold; return their paths."""
        paths = []
        for model in models:
            for fold in range(K):
                if (model, fold) in skip:
                    continue
                path = tmp_path / pattern.format(model=model, fold=fold)
                path.parent.mkdir(parents=True, exist_ok=True)
                make = of or (lambda i, model, fold: (key.format(i), Y[i], MODELS[model][i]))
                rows = [make(i, model, fold) for i in np.flatnonzero(fold == FOLD)]
                path.write_text("\n".join([head, *(",".join(map(str, r)) for r in rows)]) + "\n")
                paths.append(path)
        return paths

    return write


def scores(matrix):
    """The predictions of each configuration, by the key of the sample."""
    order = np.argsort([int("".join(filter(str.isdigit, key))) for key in matrix.keys])
    return {c: matrix.predictions[0, order, i] for i, c in enumerate(matrix.configurations)}


PATTERNS = {
    "oof_fold0.csv": "{model}/oof_fold{fold}.csv",
    "fold in the folder": "fold_{fold}/{model}.csv",
    "cv-3": "{model}_cv-{fold}.csv",
    "another number": "v2/fold9/{model}_fold{fold}_seed42.csv",
    "Kfold": "{model}.KFold {fold}.csv",
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_folds_of_three_models(write, pattern):
    matrix = read(write(PATTERNS[pattern], models=MODELS))
    assert matrix.predictions.shape == (1, N, 3)
    assert "files-of-folds" in codes(matrix)
    for name, found in scores(matrix).items():
        model = max((m for m in MODELS if m in name), key=len)
        assert_allclose(found, MODELS[model], rtol=1e-6)
    assert {*matrix.configurations} >= {*MODELS} or "another" in pattern
    assert matrix.n_folds == K


@pytest.mark.parametrize("key", ["{}", "s{}"])
def test_folds_of_one_model(write, key):
    head = "id,label,pred" if key == "{}" else "image,label,pred"
    paths = write("oof_fold{fold}.csv", key=key, head=head)
    matrix = read(paths, roles=Roles(row_id=head.split(",", maxsplit=1)[0]))
    assert_allclose(scores(matrix)["pred"], MODELS["bert"], rtol=1e-6)
    by_number = dict(zip(matrix.keys, matrix.folds[0], strict=True))
    assert [by_number[key.format(i)] for i in range(N)] == FOLD.tolist()


def test_a_text_key_without_a_known_name_shows_folds_too(write):
    paths = write("{model}/fold{fold}.csv", models=MODELS, key="s{}", head="image,label,pred")
    matrix = read(paths, roles=Roles(row_id="image"))
    assert matrix.predictions.shape == (1, N, 3)


def test_folds_with_a_column_per_configuration(write):
    def row(i, _, fold):
        return (i, Y[i], *(MODELS[m][i] for m in MODELS))

    paths = write("oof_fold{fold}.csv", head="id,truth,bert,roberta,deberta", of=row)
    matrix = read(paths)
    assert matrix.configurations == tuple(MODELS)
    for name, found in scores(matrix).items():
        assert_allclose(found, MODELS[name], rtol=1e-6)


def test_a_column_of_the_fold_instead_of_a_key(write):
    def row(i, model, fold):
        return fold, Y[i], MODELS[model][i]

    paths = write("{model}_fold{fold}.csv", models=MODELS, head="fold,y,pred", of=row)
    matrix = read(paths)
    assert matrix.predictions.shape == (1, N, 3)
    assert matrix.configurations == tuple(sorted(MODELS, key=list(MODELS).index))


def test_a_fold_that_a_model_lacks_is_missing(write):
    paths = write("{model}/fold{fold}.csv", models=MODELS, skip={("roberta", 3)})
    matrix = read(paths)
    assert matrix.configurations == ("bert", "deberta")
    assert "configurations-dropped" in codes(matrix)


def test_labels_of_a_separate_file(write, tmp_path):
    paths = write("{model}/fold{fold}.csv", models=MODELS)
    labels = tmp_path / "train.csv"
    labels.write_text("id,y\n" + "".join(f"{i},{y}\n" for i, y in enumerate(Y)))
    assert read(paths, labels=labels).predictions.shape == (1, N, 3)


def test_a_fault_names_its_file_and_row(write):
    paths = write("{model}/fold{fold}.csv", models=MODELS)
    paths[7].write_text(paths[7].read_text() + "999,1,inf\n")
    with pytest.raises(BbcError, match=r"roberta/fold2.csv: prediction is infinite") as caught:
        read(paths)
    assert caught.value.row == np.count_nonzero(FOLD == 2)


def without_key(i, model, _):
    return Y[i], MODELS[model][i]


def test_by_hand_files_need_no_key(write):
    paths = write("{model}-{fold}.csv", models=MODELS, head="y,pred", of=without_key)
    with pytest.raises(BbcError) as caught:
        read(paths)
    assert "fold_files" not in caught.value.hint  # they may be models
    matrix = read(paths, fold_files=True)
    order = np.argsort(FOLD, kind="stable")
    assert_allclose(matrix.predictions[0].T, [MODELS[m][order] for m in MODELS], rtol=1e-6)
    assert matrix.n_folds == K


@pytest.mark.parametrize("fewer", [0, 1])
@pytest.mark.parametrize("name", ["oof_fold{fold}.csv", "part{fold}.csv"])
def test_the_option_is_named_where_names_tell_folds(write, name, fewer):
    """The hints asked to check the rows, and for a key."""
    paths = write(name, head="y,pred", of=without_key)
    lines = paths[0].read_text().splitlines()
    paths[0].write_text("\n".join(lines[: len(lines) - fewer]) + "\n")
    with pytest.raises(BbcError) as caught:
        read(paths)
    hint = caught.value.told()[1]
    assert hint.endswith("or give --fold-files if each file is a fold") == name.startswith("oof")
    assert read(paths, fold_files=True).n_samples == N - fewer


def test_by_hand_files_need_no_number(write, tmp_path):
    paths = [tmp_path / f"{word}.csv" for word in "abcde"]
    for path, old in zip(paths, write("x{fold}.csv"), strict=True):
        old.rename(path)
    assert read(paths, fold_files=True).predictions.shape == (1, N, 1)


# what is no fold


@pytest.mark.parametrize("pattern", ["model_{fold}.csv", "part{fold}.csv", "exp{fold}/oof.csv"])
def test_disjoint_files_of_other_names_are_asked_about(write, run, pattern):
    paths = write(pattern)
    error = run.refused("correct", *paths)
    assert "has no sample in common with" in error
    assert "--fold-files if the files hold the folds of one configuration" in error
    out = run.document("correct", *paths, "--fold-files", "--n-resamples", "20")
    assert out["input"]["n_samples"] == N


def test_keys_of_each_run_lead_to_what_all_runs_share(tmp_path, run):
    """Experiments of LangSmith: an id for each answer, the question in another column."""
    paths = [tmp_path / f"exp-{k}.csv" for k in range(3)]
    for k, path in enumerate(paths):
        rows = [f"e{k}-{i:02d},q{i},a,success,{i + k}.5,{(i + k) % 3 > 0:d}\n" for i in range(24)]
        path.write_text("id,inputs,outputs,status,latency,correctness\n" + "".join(rows))
    told = run.refused("correct", *paths, "--task", "score")
    assert "has no sample in common" in told
    assert "--row-id inputs, which has the same values in all files" in told
    options = ["--task", "score", "--row-id", "inputs", "--prediction", "correctness"]
    out = run.document("correct", *paths, *options, "--n-resamples", "20")
    assert (out["input"]["n_samples"], out["input"]["n_configurations"]) == (24, 3)


def test_models_that_predict_the_same_samples_stay_models(write):
    """Snapshots called fold0 to fold4, each with all samples: an average is not out of sample."""
    paths = write("fold{fold}.csv")
    for path in paths:
        rows = [f"{i},{y},{p}\n" for i, (y, p) in enumerate(zip(Y, RNG.random(N), strict=True))]
        path.write_text("id,label,pred\n" + "".join(rows))
    matrix = read(paths)
    assert matrix.n_configurations == K
    assert "files-of-folds" not in codes(matrix)


@pytest.mark.parametrize("few", [1, 64])
def test_folds_that_share_a_sample_are_not_joined(write, monkeypatch, few):
    monkeypatch.setattr("bbccli.reading.layout._FEW", few)
    paths = write("{model}/fold{fold}.csv", models=MODELS)
    first = paths[0].read_text().splitlines()[1]
    paths[1].write_text(f"{paths[1].read_text()}{first}\n")
    with pytest.raises(BbcError, match="lacks too many predictions"):
        read(paths)


def test_a_long_table_split_over_files_is_as_before(write):
    def row(i, model, fold):
        return i, Y[i], model, MODELS[model][i]

    matrix = read(write("part{fold}.csv", head="id,truth,config,score", of=row))
    assert matrix.predictions.shape == (1, N, 1)
    assert matrix.configurations == ("bert",)
    assert "files-of-folds" not in codes(matrix)


def test_one_file_is_no_fold_file(write, run):
    error = run.refused("correct", write("fold{fold}.csv")[0], "--fold-files")
    assert "--fold-files is for several files" in error


def test_other_columns_in_one_fold(write):
    paths = write("x{fold}.csv")
    paths[2].write_text(paths[2].read_text().replace("pred", "score"))
    with pytest.raises(BbcError, match="has no column 'pred', but"):
        read(paths, fold_files=True)
