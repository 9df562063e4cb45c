"""The ensembles that mljar and AutoGluon deploy, as their folders tell them."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
from runs import READERS, oof
from runs import autogluon as write_autogluon

from bbccli import correct, read

DATA = Path(__file__).parent.parent / "data"
RUNS, TOOLS = DATA / "runs", DATA / "tools"


def ensemble_of(path, **options):
    run = read(path, **options).source.run
    return run and run.ensemble


def shares(found):
    every = zip(found.candidates, found.weights, strict=True)
    return {name: round(weight, 3) for name, weight in every if weight}


def test_mljar_writes_its_members_and_score():
    found = ensemble_of(RUNS / "mljar")
    assert (found.name, found.metric, found.rounds) == ("Ensemble", "log-loss", 10)
    assert shares(found) == {
        "5_Linear": 0.143,
        "10_LightGBM": 0.571,
        "10_LightGBM_GoldenFeatures": 0.286,
    }
    assert found.score == pytest.approx(0.08755159)
    assert found.limit == 0.5
    assert 0.1 < found.seconds[found.candidates.index("5_Linear")] < 0.13


def test_a_score_of_mljar_that_is_better_when_higher_has_the_sign_of_bbc():
    found = ensemble_of(RUNS / "mljar_weights")
    assert found.score == pytest.approx(0.9528549)
    assert found.limit == np.inf
    assert shares(found) == {"3_Linear": 1.0}  # deployed as itself


@pytest.fixture
def mljar(tmp_path: Path) -> Path:
    shutil.copytree(RUNS / "mljar", tmp_path / "mljar")
    return tmp_path / "mljar"


def changed(path: Path, **values: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def test_mljar_that_deploys_a_single_model_has_no_ensemble(mljar: Path):
    changed(mljar / "params.json", best_model="10_LightGBM")  # the ensemble is too slow
    assert ensemble_of(mljar) is None
    changed(mljar / "params.json", best_model="Ensemble")
    (mljar / "Ensemble" / "ensemble.json").unlink()
    assert ensemble_of(mljar) is None


def test_models_saved_after_the_ensemble_of_mljar_could_not_join(mljar: Path):
    saved = json.loads((mljar / "params.json").read_text())["saved"]
    late = [name for name in saved if name != "18_NearestNeighbors"] + ["18_NearestNeighbors"]
    changed(mljar / "params.json", saved=late)
    found = ensemble_of(mljar)
    assert found.rounds == 9
    assert "18_NearestNeighbors" not in found.candidates


@pytest.mark.parametrize("name", ["Ensemble_Stacked", "10_LightGBM_Stacked"])
def test_what_mljar_stacked_is_marked(mljar: Path, name: str):
    changed(mljar / "params.json", best_model=name)
    assert ensemble_of(mljar).stacked


def test_the_prediction_of_autogluon_tells_its_weights():
    found = ensemble_of(TOOLS / "autogluon" / "bag_shuffled")
    assert shares(found) == {"KNeighbors_BAG_L1": 0.4, "LinearModel_BAG_L1": 0.6}
    assert found.kinds == ("KNeighbors", "LinearModel")
    assert (found.metric, found.rounds, found.rounded) == ("f1", 25, True)
    held_out = ensemble_of(TOOLS / "autogluon" / "holdout_numbers")
    assert shares(held_out) == {"KNeighbors": 0.238, "LinearModel": 0.762}  # 5 and 16 of 21
    assert held_out.score == pytest.approx(0.9629251)


def with_temperature(folder: Path, place: Path, scale: float | None) -> Path:
    """A run whose ensemble is pickled as AutoGluon pickles it, after a member's own state."""
    shutil.copytree(folder, place)
    name, member = "_temperature_scalar", {"_oof_score": 0.5}
    state = {"model_base": member | {name: None}, name: scale, "_predict_n_size": 30.0}
    file = place / "models" / "WeightedEnsemble_L2" / "model.pkl"
    file.write_bytes(pickle.dumps(state, protocol=4))
    return place


def test_what_autogluon_scales_is_scaled_anew(tmp_path: Path):
    folder = RUNS / "autogluon_classes"
    labels = {"labels": folder / "train.csv", "truth": "target"}
    plain, scaled, not_scaled = (
        correct(place, **labels, n_resamples=50, method="bbc")
        for place in (
            folder,
            with_temperature(folder, tmp_path / "scaled", 0.9),
            with_temperature(folder, tmp_path / "not", None),
        )
    )
    given = correct(folder, **labels, n_resamples=50, method="bbc", calibrate="temperature")
    assert (scaled.naive, scaled.value) == (given.naive, given.value)
    assert (not_scaled.naive, not_scaled.value) == (plain.naive, plain.value)
    assert scaled.naive < plain.naive
    assert "calibrated by temperature" in str(scaled)
    classes = correct(tmp_path / "scaled", **labels, n_resamples=50, metric="accuracy")
    assert classes.estimate.made.calibration is None


def test_an_ensemble_of_stacked_models_is_marked():
    labels = RUNS / "autogluon" / "train.csv"
    found = ensemble_of(RUNS / "autogluon", labels=labels)
    assert found.stacked
    assert found.name == "WeightedEnsemble_L3"


ORDER = {"LightGBM_BAG_L1": 1, "A_BAG_L1": 2, "WeightedEnsemble_L2": 3, "LightGBMXT_BAG_L1": 4}
SCORES = dict(zip(ORDER, (0.6, 0.8, 0.8, 0.7), strict=True))


def autogluon(folder, scores=SCORES, mix=(0, 1, 0), last=3):
    """The ensemble, fitted as the `last`, whose prediction is this mix of the three others."""
    columns = np.random.default_rng(0).uniform(size=(3, 50)).astype(np.float32)
    single = [name for name in ORDER if not name.startswith("Weighted")]
    made = dict(zip(single, columns, strict=True))
    made["WeightedEnsemble_L2"] = np.array(mix, np.float32) @ columns
    models = {name: (oof(values), ["S1F1", "S1F2"]) for name, values in made.items()}
    order = ORDER | {"WeightedEnsemble_L2": last}
    rows = [f"{name},{score},roc_auc,{order[name]}" for name, score in scores.items()]
    write_autogluon(folder, models)
    (folder / "leaderboard.csv").write_text(
        "\n".join(["model,score_val,eval_metric,fit_order", *rows])
    )
    return READERS["AutoGluon"].load(folder).about.run.ensemble


def test_a_tie_is_an_ensemble_of_one_and_later_models_could_not_join(tmp_path):
    found = autogluon(tmp_path)
    assert found.candidates == ("LightGBM_BAG_L1", "A_BAG_L1")
    assert found.kinds == ("LightGBM", "A_BAG_L1")
    assert found.weights == (0, 1)


def test_a_prediction_that_is_no_mean_of_the_candidates_has_no_weights(tmp_path):
    assert autogluon(tmp_path, mix=(0, 0.5, 0.5)).weights == ()


def test_a_single_model_that_is_better_is_deployed(tmp_path):
    assert autogluon(tmp_path, SCORES | {"A_BAG_L1": 0.81}) is None


def test_kinds_share_the_name_before_their_settings(tmp_path):
    found = autogluon(tmp_path, mix=(0, 0.25, 0.75), last=5)
    assert found.kinds == ("LightGBM", "A_BAG_L1", "LightGBM")
    assert found.weights == pytest.approx((0, 0.25, 0.75))
