"""Folders of a recorder that were copied in part, or hold what no recorder writes."""

import json

import numpy as np
import pytest
from day import swept
from reading import fault
from recordings import parts_of, tampered

from bbccli.documents.correct import Run
from bbccli.platform import resources
from bbccli.reading import read
from bbccli.recording import Recorder
from bbccli.types import PredictionKind

N = 12
TRUTH = np.arange(N) % 2
WORDS = np.array(["no", "yes"])[TRUTH]
TESTS = (np.arange(0, N, 2), np.arange(1, N, 2))
HEADER = "bbc-recording.json"
CHANCES = np.round(0.2 + 0.5 * TRUTH + np.arange(N) / 50, 6)


@pytest.fixture
def folder(tmp_path):
    rec = Recorder(tmp_path / "run", None, WORDS, cv=[TESTS[::-1], TESTS])
    for power, name in enumerate(("one", "two"), start=1):
        for rows in TESTS:
            rec.write(name, rows, CHANCES[rows] ** power)
    return rec.folder


@pytest.mark.parametrize(
    ("about", "held"),
    [
        ({"name": 5}, {}),
        swept({"session": "now"}, {}),
        swept({"split": -1}, {}),
        ({"split": 0.0}, {}),
        swept({"fold": "1"}, {}),
        swept({"repeat": 0.5}, {}),
        ({"score": "high"}, {}),
        swept({"kind": None}, {}),
        swept({"flags": 3}, {}),
        ({}, {"predictions": np.array(["a"] * 6)}),
        swept({}, {"rows": np.arange(4)}),
        swept({}, {"about": np.frombuffer(b"[]", np.uint8)}),
        ({}, {"about": None}),
    ],
)
def test_parts_that_no_recorder_writes_are_left_out_and_named(folder, about, held):
    victim = parts_of(folder)[0]
    tampered(victim, about, **held)
    matrix = read(folder)
    said = {note.code: note.text for note in matrix.notes}["damaged-parts"]
    assert said == f"1 file of the recording can't be read: {victim.name}"
    about = Run.of(matrix)
    assert (about.n_models, about.left_out) == (2, ())  # a file is no configuration
    assert matrix.configurations == ("two",)  # nothing is made up for the other


def test_a_recording_all_of_whose_parts_are_damaged(folder):
    for file in parts_of(folder):
        file.write_bytes(file.read_bytes()[:100])
    assert fault("", folder).problem.endswith("holds no predictions; 4 files are damaged")


@pytest.mark.parametrize(
    ("about", "held"),
    [
        ({"split": 2}, {}),
        swept({}, {"predictions": np.ones(5)}),
        swept({}, {"predictions": np.ones((6, 2))}),
        swept({"split": None}, {}),
        swept({"split": None}, {"rows": np.arange(6) + 7}),
        swept({"split": None}, {"rows": np.arange(6.0)}),
        swept({"split": None}, {"rows": np.arange(6) - 1}),
    ],
    ids=["split", "length", "columns", "no rows", "far rows", "real rows", "negative rows"],
)
def test_parts_of_another_design(folder, about, held):
    tampered(parts_of(folder)[0], about, **held)
    words = "a part does not fit the folds of the recording (value 'one')"
    assert fault(words, folder, folder).hint == "record it again in another folder"


@pytest.mark.parametrize("code", [3, -1, 0.5])
def test_labels_that_are_codes_of_no_class(folder, code):
    for file in parts_of(folder):
        tampered(file, {"kind": "label"}, predictions=np.zeros(6, np.int64))
    assert read(folder).kind is PredictionKind.LABEL
    tampered(parts_of(folder)[1], predictions=np.array([0, 1, code, 0, 1, 0]))
    assert fault("a part does not fit", folder).value == "one"


@pytest.mark.parametrize(
    ("held", "words"),
    [
        ({"truth": np.zeros((N, 1))}, "the truth is not a list of numbers"),
        swept({"truth": TRUTH + 1}, "the truth has other classes"),
        swept({"truth": TRUTH + 0.5}, "the truth has other classes"),
        ({"groups": np.zeros(3, int)}, "groups of another length or type"),
        swept({"tests": np.zeros(N, int)}, "a fold has a row twice"),
        swept({"tests": np.arange(N) - 1}, "a fold has a row twice, or rows outside the data"),
        ({"tests": np.concatenate(TESTS)[:, None]}, "a fold has rows that are not positions"),
        swept({"groups": np.arange(N) / 2.0}, "groups of another length or type"),
        swept({"weights": np.array(["1"] * N)}, "weights of another length or type"),
        ({"truth": None}, "'truth'"),
    ],
)
def test_designs_that_no_recorder_writes(folder, held, words):
    path = folder / "design.npz"
    tampered(path, **held)
    assert fault(f"recording is damaged: {words}", folder, path).hint == "record it again"


def test_a_recording_that_was_copied_in_part(folder):
    path = folder / "design.npz"
    path.unlink()
    assert fault("no such file", folder, path).hint.startswith("copy the whole folder")


@pytest.mark.parametrize("content", [b"", swept(b"{"), swept(b"\xff\xfe"), swept(b"[" * 100_000)])
def test_headers_that_are_cut(folder, content):
    header = folder / HEADER
    header.write_bytes(content)
    assert fault("recording can't be read", folder, header).hint == "record it again"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"version": "2.0"}, "version '2.0'"),
        swept({"spec": "other"}, "not a bbc-recording"),
        swept({"classes": ["no"]}, "damaged"),
        swept({"task": "guessing"}, "damaged"),
        ({"task": "survival"}, "a task survival with 2 classes"),
        swept({"task": "regression"}, "a task regression with 2 classes"),
    ],
)
def test_headers_of_other_recordings(folder, change, problem):
    header = folder / HEADER
    header.write_text(json.dumps(json.loads(header.read_text()) | change))
    fault(problem, folder)


def test_a_recording_larger_than_allowed(tmp_path):
    """Small files, which together fill a large array of what is missing."""
    rec = Recorder(tmp_path / "run", None, np.arange(3000) % 2)
    for name in range(60):
        rec.write(str(name), [0, 1], [0.5, 0.25])
    assert sum(file.stat().st_size for file in rec.folder.rglob("*.*")) < 2**18
    with resources.use_reading(resources.Reading(max_input=2**20)):
        fault("holds more than", rec.folder)


CANDIDATE = {"identity": "name one", "value": 0.5, "splits": [0.5, 0.5]}


@pytest.mark.parametrize(
    "content",
    [
        "{",
        swept("[]"),
        swept("{}"),
        json.dumps({"candidates": 3}),
        swept(json.dumps({"candidates": [CANDIDATE | {"value": "high"}]})),
        swept(json.dumps({"candidates": [CANDIDATE | {"splits": None}]})),
        json.dumps({"candidates": [CANDIDATE | {"identity": ["one"]}]}),
        swept(json.dumps({"candidates": [CANDIDATE | {"value": 10**400}]})),
    ],
)
def test_leaderboards_that_are_damaged(folder, content):
    place = folder / "leaderboards" / "00000000000000000001-a-1-0.json"
    place.write_text(json.dumps({"candidates": [CANDIDATE]}))
    assert read(folder).configurations == ("one", "two")
    place.write_text(content)
    error = fault(f"leaderboard is damaged: {place.name}", folder, folder)
    assert error.hint == "remove the file, and call rec.finish() again"
