"""Instances of Every Eval Ever, as its schema 0.3 has them, and a result in it."""

import json
import shutil
from pathlib import Path

import pytest
from documents import codes
from reading import checked, refused

from bbccli import BbcError, read
from bbccli.reading import Roles

N = 14
GENUINE = Path(__file__).parents[1] / "data" / "evaluations" / "every_eval_ever"
"""Written by the converter of every-eval-ever 0.3.0 from the runs in `lm_eval/named`, one at a
time: task `choice`, without the first run of org/two."""


def line(i, score, model="org/ada", time=1750000000, **more):
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"bench/{model.replace('/', '_')}/{time}",
        "model_id": model,
        "evaluation_name": "bench.math",
        "sample_id": f"q{i}",
        "interaction_type": "single_turn",
        "input": {"raw": f"{i} + {i}?", "reference": [str(2 * i)]},
        "output": {"raw": ["x"]},
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": score == 1},
        "metadata": {"subject": f"s{i % 3}"},
    } | more


def write(folder, lines, stem="f3a1", about=None):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}_samples.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    if about is not None:
        (folder / f"{stem}.json").write_text(json.dumps(about))
    return path


def aggregate(*results, **more):
    return {"schema_version": "0.3.0", "model_info": {"id": "org/ada"} | more,
            "evaluation_results": list(results)}  # fmt: skip


def result(key=None, name="accuracy", lower=False, ends=(0, 1), **more):
    config = {"metric_name": name, "lower_is_better": lower}
    config |= {"min_score": ends[0], "max_score": ends[1]}
    return {"evaluation_name": "bench.math", "metric_config": config} | more | (
        {"evaluation_result_id": key} if key else {}
    )  # fmt: skip


def test_scores_of_samples(tmp_path):
    for k, model in enumerate(("org/ada", "org/bob"), start=2):
        lines = [line(i, float(i % k > 0), model) for i in range(N)]
        write(tmp_path / model, lines, about=aggregate(result()))
    matrix = read(tmp_path)
    assert matrix.configurations == ("org/ada", "org/bob")
    assert (matrix.n_samples, matrix.notes, matrix.outcome.bounds) == (N, (), (0, 1))
    assert matrix.predictions[0, :, 1].tolist() == [float(i % 3 > 0) for i in range(N)]
    evaluation = matrix.source.run.evaluation
    assert (evaluation.tasks, evaluation.score, evaluation.unread) == (("bench.math",), "score", ())
    assert read(tmp_path, roles=Roles(group="metadata.subject")).n_groups == 3
    assert read(tmp_path, roles=Roles(prediction="is_correct")).n_samples == N


def test_bounds_that_the_scores_leave_are_none(tmp_path):
    path = write(tmp_path, [line(i, 10.0 * i) for i in range(N)], about=aggregate(result()))
    assert read(path).outcome.bounds is None
    write(tmp_path, [line(i, i / 20) for i in range(N)], about=aggregate(result()))
    assert read(path).outcome.bounds == (0, 1)


def test_metrics_of_a_sample_are_scores_of_their_own(tmp_path):
    lines = [
        line(i, score, evaluation_result_id=key)
        for i in range(N)
        for key, score in (("m.acc", float(i % 2)), ("m.loss", i / 10))
    ]
    about = aggregate(result("m.acc"), result("m.loss", "loss", lower=True, ends=(0, None)))
    write(tmp_path, lines, about=about)
    matrix = read(tmp_path, roles=Roles(prediction="loss"))
    assert matrix.source.run.metric == "mean-loss"
    assert matrix.predictions[0, :, 0].tolist() == [i / 10 for i in range(N)]
    assert read(tmp_path, roles=Roles(prediction="accuracy")).predictions.mean() == 0.5
    write(tmp_path / "alone", lines)
    assert read(tmp_path / "alone", roles=Roles(prediction="m.acc")).predictions.mean() == 0.5


def test_how_a_model_ran_tells_it_apart_and_the_newest_run_counts(tmp_path):
    for k in range(2):
        lines = [line(i, float(k), time=1750000000 + k) for i in range(N)]
        lines[0]["evaluation"]["score"] = 1.0 - k
        about = aggregate(result(generation_config={"generation_args": {"temperature": k}}))
        write(tmp_path / str(k), lines, about=about)
    names = read(tmp_path).configurations
    assert len(set(names)) == 2
    for path in tmp_path.rglob("f3a1.json"):
        path.unlink()
    matrix = read(tmp_path)
    assert (matrix.predictions.mean(), codes(matrix)) == (pytest.approx(1 - 1 / N), ["run-again"])


def test_a_sample_may_be_asked_again_or_fail(tmp_path):
    lines = [line(i, float(i % 2)) for i in range(N)]
    again = [line(i, 1.0) for i in range(N)]
    again[1] |= {"error": "timeout", "evaluation": {"score": 0.0, "is_correct": False}}
    path = write(tmp_path, lines + again)
    matrix = read(path)
    assert (matrix.n_samples, matrix.n_repeats) == (N, 2)
    assert matrix.source.run.evaluation.n_scored_errors == 1
    assert matrix.predictions[:, 1].mean() == 0.5
    assert read(path, errors="missing").predictions[:, 1].mean() == 1


def figures(matrix):
    names = [name.partition("revision': '")[2][:5] or "two" for name in matrix.configurations]
    return dict(zip(names, matrix.predictions.mean(axis=(0, 1)), strict=True))


@pytest.mark.parametrize(("metric", "expected"), [
    (None, {"step1": 2 / 12, "step2": 3 / 12, "two": 4 / 12}),
    ("acc_norm", {"step1": 2 / 12, "step2": 3 / 12, "two": 4 / 12}),
])  # fmt: skip
def test_genuine_files_have_the_figures_of_their_aggregates(metric, expected):
    matrix = checked(GENUINE, roles=Roles(prediction=metric))
    assert figures(matrix) == pytest.approx(expected)
    reported = {one.id: one.value for one in matrix.source.run.leaderboard}
    means = matrix.predictions.mean(axis=(0, 1))
    assert reported == pytest.approx(dict(zip(matrix.configurations, means, strict=True)))


def test_samples_of_another_run_are_refused(tmp_path):
    """As the converter writes them where a folder holds several runs of a task."""
    folder = Path(shutil.copytree(GENUINE, tmp_path / "logs"))
    first, second, *_ = sorted(folder.glob("*_samples.jsonl"))
    first.write_bytes(second.read_bytes())
    with pytest.raises(BbcError, match="by Every Eval Ever's own figure"):
        checked(folder)


def test_genuine_files_of_the_schema_before(tmp_path):
    """HELM's, in schema 0.2.1: no aggregate, no id of a result, a null for what is unknown."""
    for path in GENUINE.glob("*_samples.jsonl"):
        lines = [json.loads(one) for one in path.read_text().splitlines()]
        lines = [one for one in lines if one.pop("evaluation_result_id") == "acc"]
        old = {"schema_version": "0.2.1", "metadata": None, "error": None, "messages": None}
        old["evaluation_id"] = "None_samples"
        model = lines[0]["evaluation_id"][-6:]
        write(tmp_path, [one | old | {"model_id": model} for one in lines], stem=path.stem[:8])
    assert sorted(read(tmp_path).predictions.mean(axis=(0, 1))) == pytest.approx(
        [1 / 6, 1 / 4, 1 / 3]
    )


def test_a_damaged_aggregate_is_to_blame(tmp_path):
    path = write(tmp_path, [line(i, 1.0) for i in range(N)], about=[])
    assert refused("is not an aggregate", path).path == str(tmp_path / "f3a1.json")


def test_a_level_may_be_unknown_and_a_sample_without_a_score(tmp_path):
    lines = [line(i, -1.0 if i == 3 else i % 3, evaluation_result_id="m") for i in range(N)]
    config = result("m", ends=(-1, 2))
    config["metric_config"]["has_unknown_level"] = True
    write(tmp_path, [*lines, line(N, 0.0)], about=aggregate(config))
    matrix = read(tmp_path, missing="available")
    assert matrix.predictions[0, :, 0].tolist() == [i % 3 for i in range(N) if i != 3]
    assert matrix.source.run.evaluation.n_unscored == 2


FAULTS = {
    "no score": ({"evaluation": {"is_correct": True}}, "line 3 has no evaluation.score"),
    "a score in text": ({"evaluation": {"score": "1"}}, "line 3 has no evaluation.score"),
    "no evaluation": ({"evaluation": None}, "line 3 is not in the format of Every Eval Ever"),
    "a model in a list": ({"model_id": ["a"]}, "is not in the format of Every Eval Ever"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_lines_that_break_the_schema_are_refused(fault, tmp_path):
    change, words = FAULTS[fault]
    lines = [line(i, 1.0) for i in range(N)]
    lines[2] |= change
    refused(words, write(tmp_path, lines), kind=BbcError)


REQUIRED = {
    "": "schema_version evaluation_id retrieved_timestamp source_metadata model_info eval_library "
    "evaluation_results",
    "source_metadata": "source_type source_organization_name evaluator_relationship",
    "model_info": "name id additional_details",
    "eval_library": "name version",
    "evaluation_results.0": "evaluation_name source_data metric_config score_details",
    "evaluation_results.0.source_data": "dataset_name source_type",
    "evaluation_results.0.metric_config": "lower_is_better min_score max_score",
}
"""Keys that schema 0.3.0 requires, by place."""


@pytest.mark.parametrize("side", ["two", "lower"])
def test_a_result_is_written_in_the_schema(side, tmp_path, run):
    for k, model in enumerate(("org/ada", "org/bob"), start=2):
        write(tmp_path / model, [line(i, float(i % k > 0), model) for i in range(N)])
    how = ("--n-resamples", "50", "--side", side, "--format")
    plain = json.loads(run.printed("correct", tmp_path, *how, "json"))["estimates"][-1]
    found = json.loads(run.printed("correct", tmp_path, *how, "every-eval-ever"))
    for place, keys in REQUIRED.items():
        value = found
        for key in filter(None, place.split(".")):
            value = value[int(key) if key.isdigit() else key]
        assert set(keys.split()) <= value.keys(), place
    (one,) = found["evaluation_results"]
    assert one["evaluation_name"] == "bench.math"
    assert found["model_info"]["id"] == plain["winner"] == "org/bob"
    assert one["score_details"]["score"] == plain["value"] < plain["naive"]
    assert one["score_details"]["details"]["naive"] == str(plain["naive"])
    told = one["score_details"]["uncertainty"]
    assert (told["num_samples"], told["num_bootstrap_samples"]) == (N, 50)
    interval = told["confidence_interval"]
    assert (interval["lower"], interval["upper"]) == tuple(
        plain["interval"][end] for end in ("lower", "upper")
    )
    assert interval["method"] == "bbc, percentile" + ", one-sided" * (side == "lower")


def test_held_out_samples_are_those_behind_a_figure(samples, run):
    words = ("correct", samples / "progression.parquet", "--method", "delong", "--format")
    (plain,) = json.loads(run.printed(*words, "json"))["estimates"]
    (found,) = json.loads(run.printed(*words, "every-eval-ever"))["evaluation_results"]
    told = found["score_details"]["uncertainty"]
    assert told["num_samples"] == plain["n_evaluation"] == 20
    assert told["confidence_interval"]["method"] == "delong"
