"""Samples of lm-evaluation-harness: real folders, and lines as it writes them."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from day import swept
from documents import codes
from reading import refused

from bbccli import BbcError, read
from bbccli.reading import Roles
from bbccli.stats.verification import verify
from bbccli.types import Missing, Task

FOLDER = Path(__file__).parents[1] / "data" / "evaluations" / "lm_eval"
RNG = np.random.default_rng(5)
RIGHT = {model: RNG.integers(0, 2, 30).tolist() for model in ("small", "large", "huge")}


def sample(i, right, *, task="arc", **more):
    """A line as the harness writes it."""
    return {
        "doc_id": i,
        "doc": {"question": f"{i}?", "choices": ["a", "b"], "subject": f"s{i % 4}"},
        "target": "a",
        "arguments": [["prompt", " a"]],
        "resps": [[[-1.5, False]]],
        "filtered_resps": [[-1.5, False]],
        "filter": "none",
        "metrics": ["acc"],
        "doc_hash": f"{task}{i:04x}",
        "prompt_hash": f"p{i}",
        "target_hash": "t",
        "acc": float(right),
    } | more


def write(path, samples):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in samples))
    return path


def results(folder, time, args, task="arc", **more):
    """Results of a run, beside its samples."""
    run = {"config": {"model": "hf", "model_args": args}, "model_name_sanitized": folder.name}
    run |= {"results": {task: {}}, "higher_is_better": {task: {}}} | more
    (folder / f"results_{time}.json").write_text(json.dumps(run))


def times(second, day=3):
    return f"2024-05-{day:02}T12-15-{second:02}.123456"


@pytest.fixture
def runs(tmp_path):
    """Folders of three models, each with the samples of a task."""
    paths = []
    for second, (model, right) in enumerate(RIGHT.items()):
        order = np.random.default_rng(second).permutation(30)
        path = tmp_path / model / f"samples_arc_{times(second)}.jsonl"
        paths.append(write(path, (sample(int(i), right[i]) for i in order)))
    return paths


def own(folder, task, key):
    """Figures of real results, by the model they name."""
    return {
        found["model_name"]: found["results"][task][key]
        for path in sorted(folder.rglob("results_*.json"))
        for found in [json.loads(path.read_text())]
        if task in found["results"]
    }


def test_samples_are_scores(runs):
    matrix = read(runs)
    assert matrix.configurations == ("small", "large", "huge")
    assert (matrix.task, matrix.n_samples, matrix.notes) == (Task.SCORE, 30, ())
    assert matrix.outcome.bounds == (0, 1)
    order = np.array([int(key.split()[0]) for key in matrix.keys])
    for c, right in enumerate(RIGHT.values()):
        np.testing.assert_array_equal(matrix.predictions[0, :, c], np.array(right)[order])


@pytest.mark.parametrize("score", ["acc", "acc_norm"])
def test_real_figures_are_found_again(score):
    matrix = read(FOLDER / "nameless", roles=Roles(prediction=score))
    assert matrix.configurations == ("first", "second")
    found = verify(matrix)
    assert (found.n_checked, found.largest_difference < 1e-12) == (2, True)
    every = [*own(FOLDER / "nameless", "choice", f"{score},none").values()]
    assert np.isin(matrix.predictions[0].mean(axis=0).round(9), np.round(every, 9)).all()


def test_runs_that_differ_in_their_seeds_are_epochs():
    matrix = read(FOLDER / "nameless")
    assert (matrix.n_repeats, codes(matrix)) == (2, ["epochs-missing", "first-score"])
    folders = sorted((FOLDER / "nameless" / "first").iterdir())
    figures = [own(folder, "choice", "acc,none").popitem()[1] for folder in folders]
    assert matrix.predictions[:, :, 0].mean() == pytest.approx(np.mean(figures))
    assert matrix.source.run.left_out == ()
    assert verify(matrix).n_checked == 2


def test_a_model_that_ran_twice_counts_once(tmp_path):
    shutil.copytree(FOLDER / "nameless", tmp_path, dirs_exist_ok=True)
    paths = sorted((tmp_path / "first").rglob("samples_choice_*"), key=lambda p: p.name)
    for path in tmp_path.rglob("results_*"):
        run = json.loads(path.read_text())
        run["config"] |= {key: 1 for key in run["config"] if key.endswith("_seed")}
        path.write_text(json.dumps(run))
    matrix = read(tmp_path)
    assert "run-again" in codes(matrix)
    (left,) = matrix.source.run.left_out
    assert (left.name, left.reason) == (paths[0].name, f"run again later in {paths[1].name}")
    once = matrix.predictions
    copy = shutil.copy(paths[1], paths[1].with_name(f"{paths[1].stem} (1).jsonl"))
    twice = read(tmp_path)
    assert np.array_equal(twice.predictions, once, equal_nan=True)
    assert {left.name for left in twice.source.run.left_out} == {paths[0].name, copy.name}


def test_arguments_tell_models_apart_and_tasks_are_pooled():
    matrix = read(FOLDER / "named", roles=Roles(prediction="acc"))
    steps = [f"org/one x revision=step{step}" for step in (1, 2)]
    assert matrix.configurations == (*steps, "org/two")
    assert (matrix.n_samples, codes(matrix)[-2:]) == (12, ["epochs-missing", "tasks-left-out"])
    assert matrix.source.configurations["org/two"]["model"] == "org/two"


def test_filters_are_scores_of_their_own():
    folder = FOLDER / "named"
    for name in ("exact_match,strict", "exact_match,flexible"):
        matrix = read(folder, roles=Roles(prediction=name))
        assert (matrix.n_samples, matrix.n_configurations) == (8, 3)
        assert verify(matrix).n_checked == 3
    refused("which is not a score", folder, roles=Roles(prediction="exact_match"), kind=BbcError)
    refused("no score is in all logs", folder, hint="acc", kind=BbcError)


def test_documents_of_two_tasks_are_not_the_same(tmp_path):
    for model in ("one", "two"):
        for task in ("arc", "mmlu", "gsm"):
            path = tmp_path / model / f"samples_{task}.jsonl"
            write(path, (sample(i, i % 2, task="") for i in range(20)))
    matrix = read(tmp_path)
    assert (matrix.n_samples, matrix.n_configurations) == (60, 2)
    assert matrix.source.run.evaluation.n_items == (20, 20, 20)
    assert read(tmp_path, roles=Roles(group="task")).n_groups == 3
    assert read(tmp_path, roles=Roles(group="doc.subject")).n_groups == 4


def test_a_task_that_some_lack_is_left_out(tmp_path):
    for model in ("one", "two"):
        for task in ("arc", "mmlu")[: 1 + (model == "two")]:
            write(tmp_path / model / f"samples_{task}.jsonl", (sample(i, i % 2) for i in range(20)))
    matrix = read(tmp_path)
    assert (matrix.n_samples, codes(matrix)[-1]) == (20, "tasks-left-out")
    assert "mmlu (not run by one)" in matrix.notes[-1].text


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (range(20, 40), "0 of 40 items are common to the 2 configurations"),
        swept(range(10, 30), "10 of 30 items are common to the 2 configurations"),
        swept(range(10), "10 of 20 items are common to the 2 configurations; two has 10"),
        swept(range(19), "19 of 20 items are common"),
    ],
)
def test_documents_that_only_some_files_have(tmp_path, second, words):
    paths = [
        write(tmp_path / model / "samples_arc.jsonl", (sample(i, i % 3 == 0) for i in numbers))
        for model, numbers in (("one", range(20)), ("two", second))
    ]
    error = refused(words, paths, kind=BbcError)
    n_common = len(set(range(20)) & set(second))
    assert ("--missing common-rows" in error.told()[1]) == (n_common > 0)
    if n_common:
        matrix = read(paths, missing=Missing.COMMON_ROWS)
        assert (matrix.n_samples, matrix.n_configurations) == (n_common, 2)


def test_results_alone_lead_to_the_option_that_logs_samples(tmp_path):
    folder = shutil.copytree(FOLDER, tmp_path / "logs")
    for file in folder.rglob("samples_*"):
        file.unlink()
    refused("does not recognise", folder, hint="lm_eval --log_samples", kind=BbcError)


def test_the_same_numbers_of_other_documents_are_refused(tmp_path):
    for model, task in (("one", "old"), ("two", "new")):  # the data set has changed in between
        path = tmp_path / model / "samples_arc.jsonl"
        write(path, (sample(i, i % 2, task=task) for i in range(20)))
    refused("0 of 40 items are common", tmp_path, kind=BbcError)


def test_of_several_metrics_the_first_that_is_a_mean_counts(tmp_path):
    lines = [sample(i, i % 2, acc_norm=i % 3 == 0, metrics=["acc", "acc_norm"]) for i in range(12)]
    path = write(tmp_path / "a.jsonl", lines)
    assert codes(read(path)) == ["first-score"]
    matrix = read(path, roles=Roles(prediction="acc_norm"))
    assert (matrix.configurations, matrix.notes) == (("a",), ())
    assert matrix.predictions[0, :, 0].tolist() == [float(i % 3 == 0) for i in range(12)]
    others = {"perplexity": -2.5, "f1": [0, 1], "metrics": ["perplexity", "f1", "acc"]}
    write(path, [sample(i, i % 2, **others) for i in range(12)])
    evaluation = read(path).source.run.evaluation
    assert (evaluation.score, evaluation.other_scores) == ("acc", ())
    own = {"word_perplexity": [-0.2, 4], "f1": [0, 1], "metrics": ["word_perplexity", "f1"]}
    write(path, [sample(i, 1, **own) for i in range(12)])
    hint = "give logs of finished runs, with a number or a mark for each answer"
    refused("word_perplexity, f1: no score of an answer alone", path, hint=hint)
    write(path, [sample(i, 1, acc=None) for i in range(12)])
    refused("no answer has a score", path, hint=hint)


def test_losses_are_losses(tmp_path):
    for second, model in enumerate(("one", "two")):
        lines = [sample(i, 0, brier=(i + second) / 30, metrics=["brier"]) for i in range(12)]
        write(tmp_path / model / f"samples_arc_{times(second)}.jsonl", lines)
        higher = {"higher_is_better": {"arc": {"brier": False}}}
        results(tmp_path / model, times(second), f"pretrained={model}", **higher)
    assert read(tmp_path).source.run.metric == "mean-loss"


def test_settings_tell_runs_apart(tmp_path):
    folder = tmp_path / "m"
    for second in range(3):
        lines = [sample(i, (i + second) % 3 == 0) for i in range(12)]
        write(folder / f"samples_arc_{times(second)}.jsonl", lines)
        shots = {"n-shot": {"arc": (0, 5, 5)[second]}}
        prompt = {"system_instruction": "Think." if second == 2 else None}
        results(folder, times(second), {"pretrained": "m", "device": str(second)}, **shots | prompt)
    names = read(tmp_path).configurations
    assert len(names) == 3
    assert all("device" not in name for name in names)


def test_a_rerun_elsewhere_is_the_same_model(tmp_path):
    for second, place in enumerate(("a", "b")):
        folder = tmp_path / place / "org__m"
        write(folder / f"samples_arc_{times(second)}.jsonl", [sample(i, second) for i in range(12)])
        args = f"pretrained=org/m,device=cuda:{second},batch_size={second}"
        results(folder, times(second), args)
    matrix = read(tmp_path)
    assert (matrix.configurations, matrix.predictions.mean()) == (("org/m",), 1)


def test_files_that_are_damaged(tmp_path):
    lines = [sample(i, 1) for i in range(12)]
    path = write(tmp_path / "a.jsonl", lines + lines[3:4])
    refused("holds document 3 twice", path, kind=BbcError)
    for kept in (0.3, 0.999):
        write(path, lines)
        path.write_bytes(path.read_bytes()[: int(kept * path.stat().st_size)])
        refused("is not valid JSON", path, kind=BbcError)


def test_without_a_hash_the_number_is_the_key(tmp_path):
    plain = [{"doc_id": i, "filter": "none", "exact_match": i % 2} for i in range(12)]
    matrix = read(write(tmp_path / "a.jsonl", plain))
    assert matrix.keys.tolist() == [str(i) for i in range(12)]


def test_figures_of_another_run_are_refused(tmp_path):
    write(tmp_path / "m" / f"samples_arc_{times(1)}.jsonl", [sample(i, i % 2) for i in range(12)])
    results(tmp_path / "m", times(1), "pretrained=m", results={"arc": {"acc,none": 0.6}})
    with pytest.raises(BbcError, match="0.6 by lm-eval's own figure"):
        verify(read(tmp_path))


def test_links_out_of_the_folder_are_refused(tmp_path, runs):
    outside = shutil.copytree(runs[0].parent, tmp_path / "elsewhere" / "small")
    inside = tmp_path / "logs" / "small"
    inside.mkdir(parents=True)
    (inside / runs[0].name).symlink_to(outside / runs[0].name)
    refused("points outside the folder", tmp_path / "logs", kind=BbcError)


DIFFERENT = {
    "backend": ({"config": {"model": "hf"}}, {"config": {"model": "vllm"}}),
    "turns": ({"fewshot_as_multiturn": True}, {"fewshot_as_multiturn": False}),
    "template": ({"chat_template_sha": "a"}, {"chat_template_sha": "b"}),
    "instruction": ({"system_instruction": "a"}, {}),
    "description": tuple({"configs": {"arc": {"description": one}}} for one in ("a", "b")),
    "version": ({"versions": {"arc": 1}}, {"versions": {"arc": 2}}),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_whatever_changes_prompt_model_or_backend_is_another_configuration(what, tmp_path):
    folder = tmp_path / "m"
    for second, more in enumerate(DIFFERENT[what]):
        lines = [sample(i, (i + second) % 3 == 0) for i in range(12)]
        write(folder / f"samples_arc_{times(second)}.jsonl", lines)
        config = {"model_args": "pretrained=m", "batch_size": second} | more.get("config", {})
        results(folder, times(second), "", **{**more, "config": config})
    assert read(tmp_path).n_configurations == 2


def test_functions_of_a_task_are_the_same_in_another_memory(tmp_path):
    for second in range(2):
        lines = [sample(i, i % 3 == second) for i in range(12)]
        write(tmp_path / "m" / f"samples_arc_{times(second)}.jsonl", lines)
        text = {"arc": {"doc_to_text": f"<function f at 0x7f{second}>"}}
        results(tmp_path / "m", times(second), "pretrained=m", configs=text)
    assert codes(read(tmp_path)) == ["run-again"]


def test_a_null_is_a_gap_and_no_other_metric(tmp_path):
    right = {"acc": 1.0, "acc_norm": 0.0, "metrics": ["acc", "acc_norm"]}
    for model in ("one", "two"):
        lines = [sample(i, 1, **right) | {"acc": i % 2} for i in range(12)]
        lines[3]["acc"] = None if model == "one" else 1.0
        write(tmp_path / model / "samples_arc.jsonl", lines)
    evaluation = read(tmp_path).source.run.evaluation
    assert (evaluation.score, evaluation.n_unscored) == ("acc", 1)


FAULTS = {
    "a filter in a list": {"filter": ["none"]},
    "a metric in an object": {"metrics": [{"acc": 1}]},
    "metrics that are a number": {"metrics": 10**400},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fields_of_another_type_are_a_fault_of_the_line(fault, tmp_path):
    lines = [sample(i, 1) for i in range(12)]
    lines[4] |= FAULTS[fault]
    path = write(tmp_path / "samples_arc.jsonl", lines)
    if fault == "metrics that are a number":
        assert read(path).n_samples == 12
    else:
        refused("line 5 is not in the format of lm-eval", path, kind=BbcError)


def test_two_tasks_with_other_metrics_ask_for_one_by_name():
    refused("no score is in all logs", FOLDER / "named", kind=BbcError,
            hint="on the tasks that have it: ")  # fmt: skip
