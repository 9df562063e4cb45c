"""Files beside logs: none of them vanishes."""

import gzip
import json
import shutil
from pathlib import Path

import pytest
from documents import codes
from reading import refused

from bbccli import BbcError, read
from bbccli.reading import Roles

LOGS = Path(__file__).parents[1] / "data" / "evaluations"
AGENTS = ("ada", "bob", "cyd")


def copied(kind, folder):
    return Path(shutil.copytree(LOGS / kind, folder / kind))


def test_suites_in_utf_16_are_read(tmp_path):
    folder = copied("junit", tmp_path)
    text = (folder / "bob.xml").read_text(encoding="utf-8")
    for declared in ("utf-8", "UTF-16"):
        (folder / "bob.xml").write_text(text.replace("utf-8", declared), encoding="utf-16")
        matrix = read(folder)
        assert (matrix.configurations, matrix.notes) == (AGENTS, read(LOGS / "junit").notes)


def test_a_folder_of_too_many_files_is_none_of_logs(monkeypatch):
    monkeypatch.setattr("bbccli.reading.evaluations._MOST_FILES", 3)
    assert read(LOGS / "junit").configurations == AGENTS
    monkeypatch.setattr("bbccli.reading.evaluations._MOST_FILES", 2)
    refused("holds more than 2 files that may be logs", LOGS / "junit")


@pytest.mark.parametrize("n", [70_000, 300_000])
def test_suites_after_a_long_comment_are_read(n, tmp_path):
    folder = copied("junit", tmp_path)
    head, tail = (folder / "bob.xml").read_text().split("?>", 1)
    (folder / "bob.xml").write_text(f"{head}?><!-- {'<x>' * (n // 3)} -->{tail}")
    assert read(folder).configurations == AGENTS


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_results_of_promptfoo_in_utf_16_are_read(form, tmp_path):
    path = LOGS / "promptfoo" / f"results.{form}.gz"
    text = gzip.decompress(path.read_bytes()).decode()
    (tmp_path / f"results.{form}").write_bytes(text.encode("utf-16"))
    assert read(tmp_path).predictions.mean() == read(path).predictions.mean()


@pytest.mark.parametrize("first", [b"null\n", b"[1]\n", b"\n"])
def test_a_log_is_recognised_by_its_first_object(first, tmp_path):
    folder = copied("lm_eval", tmp_path) / "nameless"
    whole = read(folder)
    path = next(folder.rglob("samples_choice_*"))
    path.write_bytes(first + path.read_bytes())
    if first.strip():
        refused("line 1 is not a JSON object", folder, kind=BbcError)
    else:
        assert read(folder).predictions.tolist() == whole.predictions.tolist()


def test_a_log_whose_first_object_is_long_is_recognised(tmp_path):
    folder = copied("lm_eval", tmp_path) / "nameless"
    path = next(folder.rglob("samples_choice_*"))
    first, *others = path.read_bytes().split(b"\n")
    long = json.dumps(json.loads(first) | {"arguments": ["x" * 70_000]}).encode()
    path.write_bytes(b"\n".join([b"", long, *others]))
    assert read(folder).source.run.evaluation.unread == ()


@pytest.mark.parametrize("name", ["other.xml", "inner/package.json", "scores.csv", "notes.jsonl"])
def test_what_is_no_log_is_named(name, tmp_path):
    folder = copied("junit", tmp_path)
    (folder / name).parent.mkdir(exist_ok=True)
    content = {"xml": "<coverage/>", "csv": "a,b\n1,2\n"}.get(name.rpartition(".")[2], '{"a": 1}\n')
    (folder / name).write_text(content)
    (folder / "read.me").write_text("no log by its name")
    matrix = read(folder)
    assert matrix.source.run.evaluation.unread == (Path(name).name,)
    assert codes(matrix)[-1] == "files-not-read"
    assert read([folder / "ada.xml", folder / "bob.xml"]).source.run.evaluation.unread == ()


def test_results_without_their_samples_are_named(tmp_path):
    folder = copied("lm_eval", tmp_path) / "named"
    time = next(folder.rglob("samples_choice_*")).stem.rpartition("_")[2]
    for lost in ((), (f"results_{time}.json",)):
        assert read(folder, roles=Roles(prediction="acc")).source.run.evaluation.unread == lost
        for path in folder.rglob(f"samples_*_{time}.jsonl"):
            path.unlink()


@pytest.mark.parametrize(
    ("scale", "allowed"), [((1, 100), False), ((1, 50), False), ((1, 5), True), ((100, 100), True)]
)
def test_marks_beside_percentages_are_refused(scale, allowed, tmp_path):
    for name, factor in zip("ab", scale, strict=True):
        samples = [
            {"id": i, "epoch": 1, "scores": {"match": {"value": factor * (i % 3 > 0)}}}
            for i in range(12)
        ]
        log = {"version": 2, "status": "success", "eval": {"task": "t", "model": name}}
        (tmp_path / f"{name}.json").write_text(json.dumps(log | {"samples": samples}))
    if allowed:
        assert read(tmp_path).n_configurations == 2
    else:
        error = refused("is at most 1 for a, but over 10 for b", tmp_path, kind=BbcError)
        assert error.path == str(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.b.json", '{"total_instances": 1, "resolved_ids": ["a__1"], "resolved_ids": []}',
         "has the key 'resolved_ids' twice"),
        ("l.jsonl", '{"doc_id": 1, "filter": "f", "acc": 1}\n{"doc_id": 2, "filter": "f", '
         '"acc": 1, "acc": 0}', "line 2 has the key 'acc' twice"),
    ],
)  # fmt: skip
def test_a_key_that_is_there_twice_is_refused(name, text, words, tmp_path):
    (tmp_path / name).write_text(text)
    assert refused(words, tmp_path / name).path == str(tmp_path / name)
