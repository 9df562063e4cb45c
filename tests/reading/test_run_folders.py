"""The folders of AutoGluon and auto-sklearn, read without either and without opening a pickle."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from day import daily, swept
from reading import fault
from runs import FOREIGN, READERS, autogluon, autosklearn, history, oof, write

from bbccli import read
from bbccli.errors import InputError

ag, ask = READERS["AutoGluon"], READERS["auto-sklearn"]
FOLDS = ["S1F1", "S1F2", "S1F3"]
FLOAT32 = np.array([0.1, 0.8, 0.3, 0.9], np.float32)


def left_out(given) -> dict[str, str]:
    return {one.name: one.reason for one in given.about.run.left_out}


@pytest.fixture
def predictor(tmp_path: Path) -> Path:
    """One model of every sort."""
    twice = np.array([2, 2, 1, 0], np.uint8)
    return autogluon(
        tmp_path / "AutogluonModels",
        {
            "LightGBM_BAG_L1": (oof(FLOAT32), FOLDS),
            "LightGBM_BAG_L2": (oof(FLOAT32), FOLDS),
            "LightGBM_BAG_L1_FULL": (None, []),
            "LinearModel_BAG_L1": (oof(np.array([1.0, 0.5, 0.25, 0.0]), twice, 2), FOLDS),
            "CatBoost_BAG_L1/T1": (oof(FLOAT32, protocol=5), FOLDS),
            "NeuralNetTorch_r22_BAG_L1": (oof(FLOAT32), [*FOLDS, "S2F1", "S2F2", "S2F3"]),
            "RandomForestGini_BAG_L1": (oof(FLOAT32), ["S1F1"]),
            "ExtraTreesEntr_BAG_L1": (oof(FLOAT32), []),
            "KNeighborsDist_BAG_L1": (oof(FLOAT32), FOLDS),
            "TabPFNv2_BAG_L1": (oof(FLOAT32), ["S1F1"]),
            "EBM_BAG_L1": (oof(FLOAT32 * 0 + 0.5, np.array([1, 1, 0, 0], np.uint8)), ["S1F1"]),
            "WeightedEnsemble_L2": (oof(FLOAT32), ["S1F1"]),
            "WeightedEnsemble_L3": (oof(FLOAT32), ["S1F1"]),
        },
    )


def test_autogluon_is_known_by_its_files(predictor: Path, tmp_path: Path) -> None:
    assert ag.recognises(predictor)
    assert not ask.recognises(predictor)
    for name in ("nothing", "AutogluonModels/models", "AutogluonModels/version.txt", "a\0b"):
        assert not ag.recognises(tmp_path / name)
    for name in ("predictor.pkl", "models/trainer.pkl"):
        (predictor / name).unlink()
    assert ag.recognises(predictor)


def test_autogluon_flags(predictor: Path) -> None:
    found = ag.load(predictor)
    assert found.about.run.tool == "AutoGluon"
    assert not found.roles
    assert found.about.flags == {
        "CatBoost_BAG_L1/T1": ("early_stopping_on_fold",),
        "EBM_BAG_L1": (),
        "ExtraTreesEntr_BAG_L1": ("oob",),
        "KNeighborsDist_BAG_L1": (),
        "LightGBM_BAG_L1": ("early_stopping_on_fold",),
        "LightGBM_BAG_L2": ("stacked", "early_stopping_on_fold"),
        "LinearModel_BAG_L1": ("averaged_over_repeats",),
        "NeuralNetTorch_r22_BAG_L1": ("early_stopping_on_fold",),
        "RandomForestGini_BAG_L1": ("oob",),
        "WeightedEnsemble_L2": ("ensemble",),
        "WeightedEnsemble_L3": ("ensemble",),
    }
    assert list(found.by_configuration) == sorted(found.by_configuration)
    assert left_out(found) == {
        "LightGBM_BAG_L1_FULL": "no out-of-fold predictions",
        "TabPFNv2_BAG_L1": "a single model, which predicts its own training samples",
    }


def test_autogluon_names_the_models_whose_fit_failed(predictor: Path) -> None:
    """They have no score, so none could win, and they are no candidates."""
    errors = {"XGBoost_BAG_L1": "MemoryError", "CatBoost_BAG_L2": "ImportError"}
    errors["LightGBM_BAG_L1"] = "MemoryError"  # fitted again, with success
    failed = {name: {"exc_type": why, "exc_str": "", "n": 1.5} for name, why in errors.items()}
    about = {"failures": failed, "more": Path("x")}
    write(predictor / "models" / "trainer.pkl", pickle.dumps(about, 4))
    found = ag.load(predictor)
    assert [*left_out(found).items()][-2:] == [
        ("CatBoost_BAG_L2", "its fit failed: ImportError"),
        ("XGBoost_BAG_L1", "its fit failed: MemoryError"),
    ]
    assert "LightGBM_BAG_L1" in found.by_configuration
    assert found.about.n_candidates_total is None


def test_autogluon_means_over_repeats(predictor: Path) -> None:
    found = ag.load(predictor)
    linear = found.by_configuration["LinearModel_BAG_L1"]
    np.testing.assert_array_equal(linear, [0.5, 0.25, 0.25, np.nan])
    assert linear.dtype == np.float64
    once = found.by_configuration["LightGBM_BAG_L1"]
    np.testing.assert_array_equal(once, FLOAT32)
    assert once.dtype == np.float32
    np.testing.assert_array_equal(found.by_configuration["EBM_BAG_L1"], [0.5, 0.5, np.nan, np.nan])


def test_autogluon_classes(tmp_path: Path) -> None:
    count = np.array([3, 2, 1, 0], np.uint8)
    means = np.array([[0.5, 0.25, 0.25], [0, 1, 0], [0.5, 0.5, 0], [np.nan] * 3])
    total = np.asfortranarray(np.nan_to_num(means) * count[:, None])
    found = ag.load(autogluon(tmp_path, {"LightGBM_BAG_L1": (oof(total, count), FOLDS)}))
    np.testing.assert_array_equal(found.by_configuration["LightGBM_BAG_L1"], means)


ARRAYS = {"_oof_pred_proba": FLOAT32, "_oof_pred_model_repeats": FLOAT32}


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps(FLOAT32),
        swept(pickle.dumps({"_oof_pred_proba": FLOAT32})),
        swept(pickle.dumps(ARRAYS | {"more": FLOAT32})),
        swept(oof(np.arange(4))),
        swept(oof(np.zeros((2, 2, 2)), np.ones(2, np.uint8))),
        swept(oof(FLOAT32, np.ones(3, np.uint8))),
        swept(oof(FLOAT32, np.ones((4, 1), np.uint8))),
        oof(FLOAT32, np.array([1, 1, 1, -1])),
        swept(oof(FLOAT32, np.array([1, 1, 1, np.nan]))),
        swept(oof(FLOAT32, np.ones(4, bool))),
        swept(pickle.dumps({})),
    ],
)
def test_autogluon_files_of_another_form(tmp_path: Path, content: bytes) -> None:
    path = autogluon(tmp_path, {"LightGBM_BAG_L1": (content, FOLDS)})
    fault("oof.pkl: does not hold out-of-fold predictions as AutoGluon", path, by=ag.load)


def test_autogluon_that_can_not_be_read(tmp_path: Path) -> None:
    path = autogluon(tmp_path / "a", {"LightGBM": (None, [])})
    assert ag.recognises(path)
    fault("has no predictions of a validation", path, by=ag.load)
    path = autogluon(tmp_path / "b", {"LightGBM_BAG_L1": (FOREIGN, FOLDS)})
    fault("is not a pickled array of numbers", path, by=ag.load)
    models = {"A_BAG_L1": (oof(FLOAT32), FOLDS), "B_BAG_L1": (oof(FLOAT32[:3]), FOLDS)}
    path = autogluon(tmp_path / "c", models)
    fault("B_BAG_L1 has shape (3,), not (4,) as A_BAG_L1", path)
    models["WeightedEnsemble_L2"] = models.pop("B_BAG_L1")
    path = autogluon(tmp_path / "d", models)
    rows = [f"{name},{at},mcc,{at}\n" for at, name in enumerate(models, 1)]
    write(path / "leaderboard.csv", "model,score_val,eval_metric,fit_order\n" + "".join(rows))
    fault("WeightedEnsemble_L2 has shape (3,), not (4,) as A_BAG_L1", path)


TRUTH = [0, 1, 0, 1]
TWO = np.stack([1 - FLOAT32, FLOAT32], axis=1)


@pytest.fixture
def search(tmp_path: Path) -> Path:
    """A dummy, three runs, one of them of two budgets and one of a small one, and two deleted."""
    runs = {
        "1_1_0.0": TWO * 0 + 0.5,
        "1_2_0.0": TWO,
        "1_10_33.3": TWO / 2,
        "1_10_100.0": TWO / 4,
        "1_3_11.1": TWO / 8,
        "1_4_0.0": None,
    }
    return autosklearn(tmp_path / "tmp", TRUTH, runs, {2: 0.25, 3: 0.5, 4: 0.75, 5: 1.0, 10: 0.1})


def test_autosklearn(search: Path) -> None:
    assert ask.recognises(search)
    assert not ag.recognises(search)
    found = ask.load(search)
    assert found.about.run.tool == "auto-sklearn"
    np.testing.assert_array_equal(found.roles["truth"], TRUTH)
    flags = [("1", ("dummy",)), ("2", ()), ("3", ("low_fidelity",)), ("10", ())]
    assert list(found.about.flags.items()) == flags
    np.testing.assert_array_equal(found.by_configuration["2"], TWO)
    np.testing.assert_array_equal(found.by_configuration["10"], TWO / 4)
    assert left_out(found) == dict.fromkeys("45", "its predictions were deleted")
    assert found.about.n_candidates_total == 7  # two crashed; the dummy is no candidate


def test_autosklearn_from_within(search: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(search)
    assert read(".").configurations == read(str(search)).configurations
    monkeypatch.chdir(search / ".auto-sklearn")
    assert ask.recognises(Path())
    with pytest.raises(InputError, match="the history of this run is in") as error:
        ask.load(Path())
    assert error.value.hint == f"give the folder that holds both: {search}"


def test_autosklearn_without_history(tmp_path: Path) -> None:
    path = autosklearn(tmp_path / "tmp", TRUTH, {"1_2_0.0": FLOAT32[:, None], "7_2_0.0": FLOAT32})
    found = ask.load(path)
    assert found.about.flags == {"1_2": (), "7_2": ()}
    np.testing.assert_array_equal(found.by_configuration["1_2"], FLOAT32)
    assert (left_out(found), found.about.n_candidates_total) == ({}, None)


def test_autosklearn_failed_runs_were_tried(search: Path) -> None:
    """Those that were stopped with the search, or still run, were not; nor is one counted twice."""
    place = search / "smac3-output" / "run_1" / "runhistory.json"
    for status, n_tried in (("CRASHED", 6), ("TIMEOUT", 6), ("MEMOUT", 6), ("STOP", 5)):
        write(place, history({7: 0.5}, status))
        assert ask.load(search).about.n_candidates_total == n_tried
    found = json.loads(history({2: 0.5}))
    found["data"] += json.loads(history({2: 0.5}, "CRASHED"))["data"]
    write(place, json.dumps(found))
    assert ask.load(search).about.n_candidates_total == 5


OWN = "runs/1_2_0.0/predictions_ensemble_1_2_0.0.npy"
TARGETS = "true_targets_ensemble.npy"
HISTORY = "../smac3-output/run_1/runhistory.json"
NO_NUMBER = history({2: 0.5}).replace('"num_run": 2', '"num_run": 1e999')


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        (OWN, FOREIGN, "not a pickled array"),
        swept(OWN, pickle.dumps(FLOAT32[:3]), "3 predic"),
        swept(OWN, oof(FLOAT32), "does not hold"),
        swept(OWN, pickle.dumps(np.arange(4)), "not hold"),
        swept(TARGETS, FOREIGN, "is not an array file"),
        swept(TARGETS, b"", "is not an array file"),
        swept(HISTORY, "{", "is not valid JSON"),
        (HISTORY, "[" * 100_000, "is not valid JSON"),
        swept(HISTORY, "{}", "not a history as SMAC"),
        swept(HISTORY, '{"data": [1]}', "not a history as SMAC"),
        swept(HISTORY, '{"data": {"a": 1}}', "not a history as SMAC"),
        swept(HISTORY, NO_NUMBER, "not a history as SMAC"),
    ],
)
def test_autosklearn_damaged(search: Path, file: str, content: bytes | str, words: str) -> None:
    write(search / ".auto-sklearn" / file, content)
    fault(words, search, by=ask.load)


def targets(path: Path, array: Any) -> Path:
    np.save(path / ".auto-sklearn" / TARGETS, array)
    return path


@pytest.mark.parametrize("kind", daily(["f4", ">f8", "u1", "i8"], ["f4"]))
def test_targets(search: Path, kind: str) -> None:
    for array in (np.array(TRUTH, kind), np.asfortranarray(np.array(TRUTH, kind)[:, None])):
        np.testing.assert_array_equal(ask.load(targets(search, array)).roles["truth"], TRUTH)


def test_targets_of_another_form(search: Path) -> None:
    others = [np.array(TRUTH, object), np.array(["a", "b"]), np.array(0.5)]
    others += [np.zeros((4, 2), "f4"), np.zeros((4, 1, 1), "f4")]
    others += [np.zeros(4, kind) for kind in ("M8[D]", [("a", "f4")], bool, complex)]
    for array in others:
        fault(f"{TARGETS}: is not an array file", targets(search, array), by=ask.load)


def test_targets_that_are_cut(search: Path) -> None:
    path = search / ".auto-sklearn" / TARGETS
    whole = path.read_bytes()
    for content in (whole[:-1], whole[:-16], whole + b"\0", whole.replace(b"(4,)", b"(9,)")):
        path.write_bytes(content)
        fault("or is cut off", search, by=ask.load)


def test_autosklearn_without_predictions(tmp_path: Path) -> None:
    path = autosklearn(tmp_path / "tmp", TRUTH, {"1_2_0.0": None, "other": FLOAT32})
    assert ask.recognises(path)
    fault("has no predictions", path, by=ask.load)
    assert not ask.recognises(tmp_path)
    assert not ask.recognises(tmp_path / "nothing")
    assert not ask.recognises(tmp_path / "a\0b")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="rights hold for users only")
def test_a_folder_that_can_not_be_listed(search: Path) -> None:
    runs = search / ".auto-sklearn" / "runs"
    runs.chmod(0)
    assert not ask.recognises(search)
    runs.chmod(0o700)
