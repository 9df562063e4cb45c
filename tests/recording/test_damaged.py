"""Folders of a recorder that were copied in part, or hold what no recorder writes."""

import json

import numpy as np
import pytest
from day import swept
from reading import fault
from recordings import tampered

from bbccli.documents.correct import Run
from bbccli.platform import arrays
from bbccli.reading import read
from bbccli.recording import store
from bbccli.recording.store import Design, Part
from bbccli.types import PredictionKind, Task

N = 12
TRUTH = np.arange(N) % 2
TESTS = (np.arange(0, N, 2), np.arange(1, N, 2))
CHANCES = np.round(0.2 + 0.5 * TRUTH + np.arange(N) / 50, 6)


def part(name, split, values, **how):
    kind = how.pop("kind", PredictionKind.PROBABILITY)
    values = {} if values is None else {"predictions": np.asarray(values), "kind": kind}
    return Part(identity=f"name {name}", session=1, name=name, split=split, **values, **how)


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "run"
    store.start(place, Design(Task.BINARY, np.roll(TRUTH, 2), ("no", "yes"), TESTS))
    for power, name in enumerate(("one", "two"), start=1):
        for split, rows in enumerate(TESTS):
            store.write_part(place, part(name, split, CHANCES[rows] ** power))
    return place


def stored(folder):
    return sorted((folder / "parts").iterdir())


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
    victim = stored(folder)[0]
    tampered(victim, about, **held)
    matrix = read(folder)
    said = {note.code: note.text for note in matrix.notes}["damaged-parts"]
    assert said == f"1 file of the recording can't be read: {victim.name}"
    about = Run.of(matrix)
    assert (about.n_models, about.left_out) == (2, ())  # a file is no configuration
    assert matrix.configurations == ("two",)  # nothing is made up for the other


def test_parts_of_earlier_versions_say_nothing_of_the_features(folder):
    for file in stored(folder):
        about = json.loads(arrays.arrays_in_npz(file.read_bytes())["about"].tobytes())
        del about["data"]
        tampered(file, about=np.frombuffer(json.dumps(about).encode(), np.uint8))
    assert read(folder).configurations == ("one", "two")


def test_a_recording_all_of_whose_parts_are_damaged(folder):
    for file in stored(folder):
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
    tampered(stored(folder)[0], about, **held)
    words = "a part does not fit the folds of the recording (value 'one')"
    assert fault(words, folder, folder).hint == "record it again in another folder"


@pytest.mark.parametrize("code", [3, -1, 0.5])
def test_labels_that_are_codes_of_no_class(folder, code):
    for file in stored(folder):
        tampered(file, {"kind": "label"}, predictions=np.zeros(6, np.int64))
    assert read(folder).kind is PredictionKind.LABEL
    tampered(stored(folder)[1], predictions=np.array([0, 1, code, 0, 1, 0]))
    assert fault("a part does not fit", folder).value == "one"


@pytest.mark.parametrize(
    ("held", "words"),
    [
        ({"truth": np.zeros((N, 1))}, "the truth is not a list of numbers"),
        swept({"truth": TRUTH + 1}, "the truth has other classes"),
        swept({"truth": TRUTH + 0.5}, "the truth has other classes"),
        ({"groups": np.zeros(3, int)}, "groups of another length"),
        swept({"tests": np.zeros(N, int)}, "a fold has a row twice"),
        swept({"tests": np.arange(N) - 1}, "a fold has rows outside the data"),
        ({"tests": np.concatenate(TESTS)[:, None]}, "a fold has rows that are not positions"),
        swept({"groups": np.arange(N) / 2.0}, "groups of another type"),
        swept({"weights": np.array(["1"] * N)}, "weights of another type"),
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
    header = folder / store.HEADER
    header.write_bytes(content)
    assert fault("recording can't be read", folder, header).hint == "record it again"


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


def test_a_part_that_can_not_be_placed_leaves_nothing_behind(folder, monkeypatch):
    """A disk that fills up between writing and renaming: the call fails, and no file is left."""
    before = stored(folder)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        store.write_part(folder, part("three", 0, CHANCES[TESTS[0]]))
    assert stored(folder) == before
