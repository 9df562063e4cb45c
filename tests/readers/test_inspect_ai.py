"""Real logs of inspect_ai: whole, failed, killed and tampered with."""

import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from reading import refused

from bbccli import BbcError, read
from bbccli.readers import Roles
from bbccli.stats.verification import verify
from bbccli.types import Missing, Task

LOGS = Path(__file__).parents[1] / "data" / "evaluations" / "inspect_ai"
COMMON = {"missing": Missing.COMMON_ROWS}


def header(path):
    """The header and the summaries of a log, read on a way of their own."""
    if path.suffix == ".json":
        log = json.loads(path.read_text())
        return log, log["samples"]
    return tuple(json.loads(member(path, name)) for name in ("header.json", "summaries.json"))


def member(path, name):
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo(name)
    at = info.header_offset
    start = at + 30 + sum(int.from_bytes(data[at + i : at + i + 2], "little") for i in (26, 28))
    return pa.input_stream(
        pa.BufferReader(data[start : start + info.compress_size]), compression="zstd"
    ).read()


def figures(path):
    """inspect's own figure of each scorer of a log."""
    return {
        score["name"]: metric["value"]
        for score in header(path)[0]["results"]["scores"]
        for name, metric in score["metrics"].items()
        if name in ("accuracy", "mean")
    }


def files(folder):
    return sorted((LOGS / folder).iterdir())


@pytest.mark.parametrize("prediction", [None, "match", "overlap"])
def test_json_logs_have_the_figures_of_inspect(prediction):
    matrix = read(LOGS / "json", roles=Roles(prediction=prediction))
    assert (matrix.task, matrix.n_samples, matrix.n_repeats) == (Task.SCORE, 5, 2)
    own = [figures(path)[prediction or "match"] for path in files("json")]
    assert matrix.configurations == ("short", "cot")
    np.testing.assert_allclose(matrix.predictions.mean(axis=(0, 1)), own, atol=1e-12)
    assert matrix.outcome.bounds == (None if prediction == "overlap" else (0, 1))
    found = verify(matrix)
    assert (found.n_checked, found.largest_difference < 1e-12) == (2, True)


def test_the_evaluation_is_described():
    run = read(LOGS / "json").source.run
    assert run.tool == "inspect"
    assert (run.evaluation.tasks, run.evaluation.n_items) == (("addition",), (5,))
    assert (run.evaluation.score, run.evaluation.other_scores) == ("match", ("overlap",))


def test_configurations_know_their_model_and_prompt():
    configs = read(LOGS / "logs", **COMMON).source.configurations
    assert list(configs) == [
        f"mockllm/{model} x {prompt}"
        for model in ("alpha-7b", "beta-8b")
        for prompt in ("short", "cot")
    ]
    first = configs["mockllm/alpha-7b x short"]
    assert {first["task"], first["model"], first["prompt"]} == {
        "addition",
        "mockllm/alpha-7b",
        "short",
    }


def test_values_of_a_dictionary_are_scores_of_their_own():
    for name in ("judge.fluent", "judge.brief", "sometimes"):
        matrix = read(LOGS / "judged", roles=Roles(prediction=name), **COMMON)
        own = [figures(path)[name.removeprefix("judge.")] for path in files("judged")]
        np.testing.assert_allclose(matrix.predictions.mean(axis=(0, 1)), own)
    assert read(LOGS / "judged").source.run.evaluation.score == "judge.fluent"
    assert matrix.n_samples == 11  # one item is never scored
    assert matrix.source.run.evaluation.n_unscored == 4


def test_a_reducer_other_than_the_mean_is_not_checked():
    assert verify(read(LOGS / "reduced")).reason == "inspect takes max of the epochs"


def test_a_retried_run_counts_once():
    matrix = read(LOGS / "failed")
    assert matrix.n_configurations == 1
    (left,) = matrix.source.run.left_out
    assert (left.name, left.reason) == (files("failed")[0].name, "status error")


def test_the_newest_of_equal_runs_counts(tmp_path):
    for path in files("json")[:1]:
        log = json.loads(path.read_text())
        (tmp_path / "new.json").write_text(json.dumps(log))
        log["eval"]["created"] = "2020-01-01T00:00:00+00:00"
        for sample in log["samples"]:
            sample["scores"]["match"]["value"] = "C"
        (tmp_path / "old.json").write_text(json.dumps(log))
    matrix = read(tmp_path)
    (left,) = matrix.source.run.left_out
    assert (left.name, left.reason) == ("old.json", "run again later in new.json")
    assert matrix.predictions.mean() == pytest.approx(figures(files("json")[0])["match"])


def test_a_copy_of_a_log_counts_once(tmp_path):
    for name in ("a.json", "b.json"):
        shutil.copy(files("json")[0], tmp_path / name)
    matrix = read(tmp_path)
    assert matrix.n_configurations == 1
    assert [one.reason for one in matrix.source.run.left_out] == ["again in b.json"]


def test_a_killed_run_is_refused_alone_and_named_beside_others():
    refused("status killed", LOGS / "killed", kind=BbcError)
    matrix = read([LOGS / "killed", LOGS / "json"])
    assert [one.reason for one in matrix.source.run.left_out] == ["status killed"]


def test_other_items_are_refused(tmp_path):
    for path in (files("json")[0], files("logs")[1]):
        shutil.copy(path, tmp_path)
    error = refused("5 of 12 items are common to the 2 configurations", tmp_path, kind=BbcError)
    assert "common-rows" in error.hint
    assert read(tmp_path, **COMMON).n_samples == 5


def test_groups_are_what_is_known_of_items():
    matrix = read(LOGS / "json", roles=Roles(group="metadata.subject"))
    assert matrix.n_groups == 4
    error = refused(
        "group names nothing",
        LOGS / "json",
        roles=Roles(group="subject"),
        kind=BbcError,
    )
    assert "metadata.subject" in error.hint


DAMAGED = {
    "cut": (lambda data: data[: len(data) // 2], "not a zip file, or was cut off"),
    "empty": (lambda data: b"", "not a zip file"),
    "text": (lambda data: b"hello", "not a zip file"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_archives_are_refused(case, tmp_path):
    change, words = DAMAGED[case]
    path = tmp_path / "a.eval"
    path.write_bytes(change(files("logs")[0].read_bytes()))
    refused(words, path, kind=BbcError)


@pytest.mark.parametrize("name", ["b.json", "b.eval", "b.json.gz"])
def test_a_damaged_log_beside_others_is_not_passed_over(name, tmp_path):
    shutil.copy(files("json")[0], tmp_path / "a.json")
    (tmp_path / name).write_bytes(files("json")[1].read_bytes()[:500])
    refused("b", tmp_path, kind=BbcError)
    (tmp_path / name).unlink()
    (tmp_path / "notes.json").write_text('{"a": 1}')  # of something else
    assert read(tmp_path).n_configurations == 1


def test_an_archive_may_be_packed_otherwise(tmp_path):
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("header.json", "summaries.json"):
            archive.writestr(name, member(files("reduced")[0], name))
    np.testing.assert_array_equal(read(path).predictions, read(LOGS / "reduced").predictions)


def test_members_of_several_frames_are_read_whole(tmp_path):
    path, parts = tmp_path / "a.eval", {}
    for name in ("header.json", "summaries.json"):
        data = member(files("reduced")[0], name)
        third = len(data) // 3
        pieces = (data[:third], data[third : 2 * third], data[2 * third :])
        parts[name] = b"".join(pa.compress(p, "zstd", asbytes=True) for p in pieces)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    raw = path.read_bytes()  # stored members that are called packed by zstd, method 93
    for sign, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        start = -1
        while (start := raw.find(sign, start + 1)) >= 0:
            raw = raw[: start + at] + (93).to_bytes(2, "little") + raw[start + at + 2 :]
    path.write_bytes(raw)
    np.testing.assert_array_equal(read(path).predictions, read(LOGS / "reduced").predictions)
