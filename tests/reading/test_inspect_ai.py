"""Real logs of inspect_ai: whole, failed, killed and tampered with."""

import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from day import swept
from reading import refused
from runs import edit

from bbccli import BbcError, read
from bbccli.reading import Roles
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


def test_configurations_know_their_model_and_prompt():
    configs = read(LOGS / "logs", **COMMON).source.configurations
    models, prompts = ("alpha-7b", "beta-8b"), ("short", "cot")
    assert list(configs) == [f"mockllm/{m} x {prompt}" for m in models for prompt in prompts]
    first = configs["mockllm/alpha-7b x short"]
    known = [first[key] for key in ("task", "model", "prompt")]
    assert known == ["addition", "mockllm/alpha-7b", "short"]


def test_values_of_a_dictionary_are_scores_of_their_own():
    for name in ("judge.fluent", "judge.brief", "sometimes"):
        matrix = read(LOGS / "judged", roles=Roles(prediction=name), **COMMON)
        own = [figures(path)[name.removeprefix("judge.")] for path in files("judged")]
        np.testing.assert_allclose(matrix.predictions.mean(axis=(0, 1)), own)
    assert read(LOGS / "judged").source.run.evaluation.score == "judge.fluent"
    assert matrix.n_samples == 11  # one item is never scored
    assert matrix.source.run.evaluation.n_unscored == 4


def test_a_retried_run_and_a_copy_of_a_log_count_once(tmp_path):
    matrix = read(LOGS / "failed")
    assert matrix.n_configurations == 1
    (left,) = matrix.source.run.left_out
    assert (left.name, left.reason) == (files("failed")[0].name, "status error")
    for name in ("a.json", "b.json"):
        shutil.copy(files("json")[0], tmp_path / name)
    matrix = read(tmp_path)
    assert matrix.n_configurations == 1
    assert [one.reason for one in matrix.source.run.left_out] == ["again in b.json"]


def test_a_killed_run_is_refused_alone_and_named_beside_others():
    refused("status killed", LOGS / "killed", kind=BbcError)
    matrix = read([LOGS / "killed", LOGS / "json"])
    assert [one.reason for one in matrix.source.run.left_out] == ["status killed"]


def test_groups_are_what_is_known_of_items():
    matrix = read(LOGS / "json", roles=Roles(group="metadata.subject"))
    assert matrix.n_groups == 4
    refused("which is not a property", LOGS / "json", roles=Roles(group="subject"),
            hint="metadata.subject", kind=BbcError)  # fmt: skip


@pytest.mark.parametrize("kept", [0.5, 0])
def test_damaged_archives_are_refused(kept, tmp_path):
    path, data = tmp_path / "a.eval", files("logs")[0].read_bytes()
    path.write_bytes(data[: int(kept * len(data))])
    refused("not a zip file", path, kind=BbcError)


@pytest.mark.parametrize("name", ["b.json", "b.eval", "b.json.gz"])
def test_a_damaged_log_beside_others_is_not_passed_over(name, tmp_path):
    shutil.copy(files("json")[0], tmp_path / "a.json")
    (tmp_path / name).write_bytes(files("json")[1].read_bytes()[:500])
    refused("b", tmp_path, kind=BbcError)
    (tmp_path / name).unlink()
    (tmp_path / "notes.json").write_text('{"a": 1}')  # of something else
    assert read(tmp_path).n_configurations == 1


def test_settings_of_a_project_are_no_logs(tmp_path):
    shutil.copytree(LOGS / "json", tmp_path / "logs")
    (tmp_path / "tsconfig.json").write_text("{ // with comments\n}")
    (tmp_path / "node_modules").mkdir()
    shutil.copy(files("judged")[0], tmp_path / "node_modules")
    assert read(tmp_path).configurations == ("short", "cot")
    shutil.rmtree(tmp_path / "logs")
    (tmp_path / "package.json").write_text("{}")
    refused("is a folder that bbc does not recognise", tmp_path, kind=BbcError)


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


# What a busy person, or another tool, makes of logs


@pytest.fixture
def changed(tmp_path):
    """Write both logs in JSON, the second one changed by a function of the log."""

    def write(change, *, of_both=False):
        for number, path in enumerate(files("json")):
            shutil.copy(path, tmp_path / f"{number}.json")
            if number or of_both:
                edit(tmp_path / f"{number}.json", change)
        return tmp_path

    return write


def all_right(log):
    for sample in log["samples"]:
        sample["scores"]["match"]["value"] = "C"


def every(change):
    def of_samples(log):
        log["results"] = {}  # the figures are of other answers
        for sample in log["samples"]:
            change(sample)

    return of_samples


def score(name, value):
    return lambda sample: sample["scores"][name].update(value=value(sample))


def other_question(sample):
    sample["input"] = f"Another one: {sample['input']}"


def other_item(sample):
    other_question(sample)
    sample["target"] = "no number"


def among(names, change):
    return lambda sample: change(sample) if sample["id"] in names else None


def failed(sample):
    sample.update(scores=None, error={"message": "request failed"})


def of_epoch_two_only(log):
    log["samples"] = [one for one in log["samples"] if one["epoch"] == 2]
    log["results"] = {}


def at(log, **more):
    log["eval"].update(more)


REFUSED = {
    "two tasks": (lambda log: at(log, task="other"), "no task was run by all 2"),
    "two versions": (lambda log: at(log, task_version=2), "no task was run by all 2"),
    "another data set": (every(other_item), "5 items of addition differ between cot and short"),
    "a data set changed in part": (
        every(among(("q00", "q01"), other_item)),
        "2 items of addition differ between cot and short",
    ),
    "percent": (
        every(score("overlap", lambda one: 100 * one["scores"]["overlap"]["value"])),
        "overlap is at most 1 for short, but over 10 for cot",
    ),
    "infinite": (every(score("overlap", lambda _: float("inf"))), "infinite"),
    "beyond any float": (every(score("overlap", lambda _: 10**400)), "infinite"),
    "other ids": (every(lambda one: one.update(id=f"x{one['id']}")), "0 of 10 items are common"),
    "an answer more right": (all_right, "by inspect's own figure"),
    "twice": (lambda log: log["samples"].append(log["samples"][0]), "two results in epoch 1"),
    "no id": (every(lambda one: one.pop("id")), "without id or epoch"),
    "no model": (lambda log: at(log, model=None), "names no task or no model"),
    "most failed": (
        every(among(("q00", "q01"), failed)),
        "more than 20% of the items have no score",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_can_not_be_compared_is_refused(case, changed):
    change, words = REFUSED[case]
    folder = changed(change)
    name = "overlap" if case in ("percent", "infinite", "beyond any float") else None
    with pytest.raises(BbcError, match=words):
        verify(read(folder, roles=Roles(prediction=name)))


def test_prompts_in_the_question_and_fewer_epochs_for_some(changed):
    assert read(changed(every(other_question))).n_configurations == 2
    assert read(changed(every(among(("q00",), other_item)))).n_samples == 5  # one was corrected
    matrix = read(changed(of_epoch_two_only))
    assert (matrix.n_samples, matrix.n_repeats) == (5, 2)
    assert [note.code for note in matrix.notes][:1] == ["epochs-missing"]


LEFT_OUT = {
    "cancelled": (lambda log: log.update(status="cancelled"), "status cancelled"),
    "started": (lambda log: log.update(status="started"), "status started"),
    "invalidated": (lambda log: log.update(invalidated=True), "invalidated"),
    "without samples": (lambda log: log.pop("samples"), "it holds no samples"),
    "not scored": (every(lambda one: one.update(scores=None)), "no answer has a score"),
    "all failed": (every(failed), "no answer has a score"),
}


@pytest.mark.parametrize("case", LEFT_OUT)
def test_what_did_not_end_well_is_left_out_and_named(case, changed):
    change, reason = LEFT_OUT[case]
    matrix = read(changed(change))
    assert matrix.configurations == ("mockllm/alpha-7b",)
    assert matrix.notes[0].code == "failed-runs"
    assert f"1.json ({reason})" in matrix.notes[0].text


def test_a_scorer_that_some_lack_does_not_count(changed):
    matrix = read(changed(every(lambda one: one["scores"].pop("match"))))
    assert matrix.source.run.evaluation.score == "overlap"
    assert "first-score" in [note.code for note in matrix.notes]


@pytest.mark.parametrize(
    "values",
    [("C", "I"), swept((True, False)), swept((1, 0)), swept(("1.0", "0")), swept(("yes", "No"))],
)
def test_values_mean_what_they_mean_to_inspect(values, changed):
    def marked(log):
        for sample in log["samples"]:
            own = sample["scores"]["match"]
            own["value"] = values[own["value"] != "C"]

    matrix = read(changed(marked, of_both=True))
    assert matrix.outcome.bounds == (0, 1)
    assert verify(matrix).n_checked == 2


def test_steps_of_a_solver_tell_equal_arguments_apart(changed):
    matrix = read(changed(lambda log: at(log, task_args_passed={"prompt": "short"})))
    assert matrix.n_configurations == 2
    assert all("system_message.template=" in name for name in matrix.configurations)


def zipped(path, members, **options):
    with zipfile.ZipFile(path, "w", **options) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


PARTS = [(name, member(files("reduced")[0], name)) for name in ("header.json", "summaries.json")]


def test_an_archive_may_be_packed_otherwise(tmp_path):
    path = zipped(tmp_path / "a.eval", PARTS, compression=zipfile.ZIP_DEFLATED)
    np.testing.assert_array_equal(read(path).predictions, read(LOGS / "reduced").predictions)
    found = verify(read(path))
    assert (found.n_checked, found.largest_difference) == (1, 0)


BOMBS = {
    "one": [PARTS[0], ("summaries.json", b'[{"id": 1, "input": "\0\0"}]')],
    "both": [("header.json", PARTS[0][1][:-1] + b"\0}"), ("summaries.json", b"\0")],
}


@pytest.mark.parametrize("which", BOMBS)
def test_what_unpacks_to_far_too_much_is_refused(which, tmp_path):
    members = [(name, text.replace(b"\0", b" " * 60_000_000)) for name, text in BOMBS[which]]
    path = zipped(tmp_path / "a.eval", members, compression=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 200_000
    refused("unpack to more than 200 times", path, kind=BbcError)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ([("a.txt", b"x")], "neither header nor journal"),
        swept(PARTS[:1], "it holds no samples"),
        swept([("header.json", b"["), PARTS[1]], "header.json is not valid JSON"),
        swept([("header.json", b"[" * 200_000), PARTS[1]], "header.json is not valid JSON"),
        swept([("header.json", b"[]"), PARTS[1]], "names no task or no model"),
        swept([PARTS[0], ("summaries.json", b'{"a": 1}')], "it holds no samples"),
        swept([PARTS[0], ("summaries.json", b"[1, 2]")], "without id or epoch"),
    ],
)
def test_archives_of_something_else_are_refused(members, words, tmp_path):
    refused(words, zipped(tmp_path / "a.eval", members), kind=BbcError)


def test_a_member_that_is_damaged_or_locked_is_refused(tmp_path):
    path = zipped(tmp_path / "a.eval", PARTS)
    data = path.read_bytes()
    at_flags = data.index(b"PK\x01\x02") + 8
    path.write_bytes(data[:at_flags] + b"\x01" + data[at_flags + 1 :])
    refused("header.json is truncated or damaged", path, kind=BbcError)
    real = files("reduced")[0].read_bytes()
    place = real.index(b"header.json") + 20
    path.write_bytes(real[:place] + bytes(30) + real[place + 30 :])
    refused("header.json is truncated or damaged", path, kind=BbcError)


def test_logs_of_two_frameworks_are_not_mixed(tmp_path):
    shutil.copy(files("json")[0], tmp_path)
    line = {"doc_id": 1, "doc_hash": "a", "filter": "none", "metrics": ["acc"], "acc": 1.0}
    (tmp_path / "samples_arc.jsonl").write_text(json.dumps(line) + "\n")
    refused("holds logs of inspect .* and of lm-eval", tmp_path, kind=BbcError)


def test_logs_and_tables_are_not_mixed(tmp_path):
    table = tmp_path / "a.csv"
    table.write_text("item,model,score\n1,a,1\n")
    refused("is not a log of inspect, unlike others", [files("json")[0], table], kind=BbcError)


REDUCED = {
    "mode": ((1, 0, 0), 0),
    "median": ((0.2, 0.9, 0.4), 0.4),
    "max": ((0, 0, 1), 1),
    "at_least_2": ((1, 0, 1), 1),
    "at_least_3": ((1, 0, 1), 0),
    "pass_at_2": ((1, 0, 0, 0), 0.5),
    "pass_at_1": ((1, 0, 0, 0), 0.25),
    "pass_k_2": ((1, 1, 0, 0), 1 / 6),
    "mode of a tie": ((1, 1, 0, 0), 1),
    "mode of another tie": ((0, 0, 1, 1), 0),
    "majority": ((1, 0, 1), 1),
    "median of two": ((0, 1), 0.5),
}


def of_epochs(folder, reducer, values, name="a", **more):
    """A log of items with these scores in their epochs."""
    samples = [
        {
            "id": i,
            "epoch": e + 1,
            "scores": {"match": {"value": value}} if value is not None else {},
        }
        for i in range(6)
        for e, value in reversed([*enumerate(values)])
    ]
    entry = {"scorer": "match", "name": "match", "reducer": reducer, "metrics": more}
    spec = {"task": "t", "model": name, "created": "2026-01-01T00:00:00.5+00:00"}
    log = {"version": 2, "status": "success", "eval": spec, "samples": samples}
    path = folder / f"{name}.json"
    path.write_text(json.dumps(log | {"results": {"scores": [entry]}}))
    return path


@pytest.mark.parametrize("case", REDUCED)
def test_epochs_are_reduced_as_by_inspect(case, tmp_path):
    values, expected = REDUCED[case]
    matrix = read(of_epochs(tmp_path, case.partition(" ")[0], values))
    assert (matrix.n_samples, matrix.n_repeats) == (6, 1)
    assert matrix.predictions.ravel() == pytest.approx(expected)


def scored(log, values):
    """Give the first samples of a log these scores, or none."""
    for sample, value in zip(log["samples"], values, strict=False):
        sample["scores"] = {} if value is None else {"match": {"value": value}}


def test_without_a_majority_there_is_no_score(tmp_path):
    path = of_epochs(tmp_path, "majority", (1, 0))
    edit(path, lambda log: scored(log, (0, 0, 1, 1)))
    assert read(path).source.run.evaluation.n_unscored == 4


def test_epochs_without_a_score_are_not_reduced(tmp_path):
    assert read(of_epochs(tmp_path, "at_least_1", (0, None, 1))).predictions.mean() == 1
    path = of_epochs(tmp_path, "pass_at_2", (1, 0))
    edit(path, lambda log: scored(log, (None, 1, 0, 0)))
    assert read(path).source.run.evaluation.n_unscored == 1


def test_figures_of_reduced_epochs_are_checked(tmp_path):
    path = of_epochs(tmp_path, "at_least_2", (1, 0, 1), accuracy={"value": 1.0})
    assert verify(read(path)).n_checked == 1
    of_epochs(tmp_path, "at_least_2", (1, 0, 1), accuracy={"value": 0.5})
    with pytest.raises(BbcError, match="0.5 by inspect's own figure"):
        verify(read(path))
    of_epochs(tmp_path, "own", (1, 0, 1), accuracy={"value": 1.0})
    assert verify(read(path)).reason == "inspect takes own of the epochs"


def test_figures_over_the_scored_items_are_checked_if_all_lack_the_same(tmp_path):
    for name, right in (("a", 4), ("b", 2)):
        path = of_epochs(tmp_path, "mean", (1,), name, accuracy={"value": right / 5})
        values = [None, *(int(item <= right) for item in range(1, 6))]
        edit(path, lambda log, values=values: scored(log, values))
    matrix = read(tmp_path, missing=Missing.COMMON_ROWS)
    assert (matrix.n_samples, verify(matrix).n_checked) == (5, 2)
    edit(path, lambda log: scored(log, [None, None]))  # of b alone
    reason = verify(read(tmp_path, missing=Missing.COMMON_ROWS)).reason
    assert reason == "the run scored 5 samples, and 4 take part"


def test_metrics_that_are_no_mean_are_named_as_the_reason(tmp_path):
    path = of_epochs(tmp_path, None, (1,), std={"value": 0.0}, all={"value": 1.0})
    assert verify(read(path)).reason == "inspect reports std, all, but no mean"
    assert verify(read(of_epochs(tmp_path, None, (1,)))).reason == "the run reports no scores"


def test_epochs_reduced_in_different_ways_are_refused(tmp_path):
    of_epochs(tmp_path, "max", (1, 0), "a")
    of_epochs(tmp_path, "mode", (1, 0), "b")
    refused("reduced in different ways", tmp_path, kind=BbcError)
    of_epochs(tmp_path, "mode", (1,), "b")
    assert read(tmp_path).n_configurations == 2


@pytest.mark.parametrize("epoch", [True, 0, -1, 1.0, 10**30, "1", None])
def test_what_is_no_epoch_is_refused(epoch, tmp_path):
    path = of_epochs(tmp_path, "mean", (1, 0))
    edit(path, lambda log: log["samples"][4].update(epoch=epoch))
    refused("sample 5 is without id or epoch", path, kind=BbcError)


@pytest.fixture
def judged(changed):
    """Both logs, with a function of an answer's number and its scores instead of the scores."""

    def write(of_answer):
        def judge(log):
            log["results"]["scores"] = []
            for number, sample in enumerate(log["samples"]):
                sample["scores"] = of_answer(number, sample["scores"])

        return changed(judge, of_both=True)

    return write


def marks(*values):
    return lambda number, scores: scores | {"match": {"value": values[number % len(values)]}}


@pytest.mark.parametrize("values", [["good", "bad"], ["A", "B", "C", "D", "F"]])
def test_words_that_inspect_does_not_know_are_no_scores(values, judged):
    folder = judged(marks(*values))
    assert read(folder).source.run.evaluation.score == "overlap"
    refused("not a score in all logs", folder, roles=Roles(prediction="match"))
    folder = judged(lambda *answer: {"match": marks(*values)(*answer)["match"]})
    refused("match scores by words, which inspect counts as 0", folder, hint="a mark")


def test_a_few_words_among_marks_count_0_as_in_inspect(judged):
    scores = read(judged(marks("C", "C", "unclear", "I"))).predictions[..., 0].ravel()
    assert sorted(scores.tolist()) == [0] * 4 + [1] * 6


def test_scorers_of_other_names_are_counted(judged):
    folder = judged(lambda _, scores: {"match": scores["match"]})
    edit(
        folder / "1.json", every(lambda one: one["scores"].update(Match=one["scores"].pop("match")))
    )
    refused("match in 1 of 2, Match in 1 of 2", folder, hint="score all answers by the same")
    refused("is 'match', which is not", folder, roles=Roles(prediction="match"), hint="same")
