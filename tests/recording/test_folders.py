"""Folders of a Recorder: read whole, read in part, and refused where they are damaged."""

import json

import numpy as np
import pytest
from day import swept

from bbccli.domain.source import ReportedScore
from bbccli.errors import InputError
from bbccli.platform import resources
from bbccli.recording import store
from bbccli.recording.attempts import short_names
from bbccli.recording.reader import Recording, handed_over
from bbccli.recording.store import Design, Listed, Part, identity_of
from bbccli.types import Pooling, PredictionKind, Task

FOLDS = (np.array([0, 2, 4]), np.array([1, 3, 5]))


@pytest.fixture
def plan():
    truth = np.array([0, 1, 0, 1, 0, 1])
    return Design(Task.BINARY, truth, ("no", "yes"), FOLDS, scoring="roc_auc")


@pytest.fixture
def folder(tmp_path, plan):
    store.start(tmp_path / "run", plan)
    return tmp_path / "run"


def scored(split, value, score, *, session=1, params=None, name="", time=0):
    params = {"C": 0.1} if params is None else params
    return Part(
        identity=identity_of(name, "made.Up", params),
        session=session,
        name=name,
        estimator="made.Up",
        params=params,
        predictions=np.full(3, value),
        kind=PredictionKind.PROBABILITY,
        split=split,
        score=score,
        **({"time": time} if time else {}),
    )


def test_what_is_written_is_read(folder, plan):
    for split, value in ((1, 0.75), (0, 0.25)):
        store.write_part(folder, scored(split, value, 0.5 + split / 4))
    run = Recording(folder)
    assert run.predictions[0, :, 0].tolist() == [0.25, 0.75] * 3
    assert run.folds.tolist() == [[0, 1] * 3]
    about = handed_over(run).about
    assert (about.task, about.classes) == (Task.BINARY, ("no", "yes"))
    assert about.run.metric == "roc_auc"
    assert about.selection is Pooling.FOLD_MEAN
    score = {"metric": "roc_auc", "value": 0.625, "selection": Pooling.FOLD_MEAN}
    assert about.run.leaderboard == (ReportedScore(id="Up", tolerance=1e-9, **score),)
    assert store.load_design(folder).fingerprint() == plan.fingerprint()


def test_the_order_of_the_trials_is_that_of_their_first_test_sets(folder):
    for split, strength, time in ((0, 1, 30), (1, 1, 5), (0, 2, 20), (1, 2, 40), (0, 3, 10)):
        found = scored(split, 0.5, 0.5, params={"C": strength}, time=time)
        store.write_part(folder, found)
    run = Recording(folder)
    assert handed_over(run).about.run.tried == ("C=1", "C=3", "C=2")


def test_of_one_search_the_first_score_counts_and_of_several_the_last(folder):
    for value, session, time in ((0.1, 1, 5), (0.2, 2, 6), (0.3, 2, 7)):
        store.write_part(folder, scored(0, value, 0.9, session=session, time=time))
    assert np.nanmax(Recording(folder).predictions) == 0.2


def test_the_scores_of_the_search_decide(folder):
    store.write_part(folder, scored(0, 0.1, 0.8, time=5))
    store.write_part(folder, scored(0, 0.2, 0.9, time=6))
    store.write_listed(folder, [Listed(scored(0, 0, 0).identity, "C=1", 0.9, (0.9, 0.9))])
    run = Recording(folder)
    assert np.nanmax(run.predictions) == 0.2
    assert run.complete.tolist() == [False]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"version": "2.0"}, "version '2.0'"),
        swept({"spec": "other"}, ": not a bbc-recording"),
        swept({"classes": ["no"]}, "damaged"),
        swept({"task": "survival"}, "holds no predictions"),
        swept({"task": "guessing"}, "damaged"),
    ],
)
def test_other_headers(folder, change, problem):
    header = folder / store.HEADER
    header.write_text(json.dumps(json.loads(header.read_text()) | change))
    with pytest.raises(InputError, match=problem):
        Recording(folder)


def test_labels_beside_probabilities_are_refused(folder):
    store.write_part(folder, scored(0, 0.5, 0.5))
    other = scored(1, 1, 0.5, params={"C": 3})
    object.__setattr__(other, "kind", PredictionKind.LABEL)
    store.write_part(folder, other)
    with pytest.raises(InputError, match="several forms: label, probability"):
        Recording(folder)


def test_a_recording_larger_than_allowed(tmp_path):
    many = Design(Task.BINARY, np.arange(200_000) % 2, ("no", "yes"), FOLDS)
    store.start(tmp_path / "run", many)
    store.write_part(tmp_path / "run", scored(0, 0.5, 0.5))
    assert Recording(tmp_path / "run").predictions.shape == (1, 200_000, 1)
    small = resources.Reading(max_input=2**20)
    with resources.use_reading(small), pytest.raises(InputError, match="holds more than"):
        Recording(tmp_path / "run")


# Names


LONG = [{**{f"depth_of_{i}": 10 + n for i in range(9)}, "C": 1} for n in (1, 2)]
OTHERS = [
    {"estimator": "x.A", "a": n, "long_name": "v" * 40, "other": "w" * (n % 2 + 58)}
    for n in (1, 2, 3)
]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ([{"m__C": 0.1, "m__k": 3, "v": 0}, {"m__C": 1.0, "m__k": 5, "v": 0}], "C=0.1 k=3|C=1 k=5"),
        swept([{"a__k": 1, "b__k": 1}, {"a__k": 2, "b__k": 2}], "a__k=1 b__k=1|a__k=2 b__k=2"),
        swept([{"C": 0.1}], "Forest"),
        swept([{"C": 0.1 + 1e-9}, {"C": 0.1}], "C=0.100000001|C=0.1"),
        swept([{"estimator": "x.A", "n": 1}, {"estimator": "x.B", "k": 2}], "A|B"),
        swept([{"deep": None}, {"deep": True}, {"deep": "all"}], "deep=null|deep=true|deep=all"),
        swept([{"m": {"class": "x.SVC"}, "m__C": 1}, {"m": {"class": "x.NB"}}], "m=SVC|m=NB"),
        ([{"C": 1}, {"C": 1}], "Forest|Forest #2"),
        swept([{"name": "a #2"}, {"name": "a"}, {"name": "a"}], "a #2|a|a #3"),
        swept(LONG, "depth_of_0=11|depth_of_0=12"),
        swept([*OTHERS, {"estimator": "x.B", "a": 1}], "A a=1|A a=2|A a=3|B"),
    ],
)
def test_names_hold_what_varies(params, expected):
    made = [dict(one) for one in params]
    own = [{key: one.pop(key) for key in ("name", "estimator") if key in one} for one in made]
    about = [{"estimator": "a.b.Forest"} | one for one in own]
    tries = [Part(identity="", session=1, params=p, **a) for p, a in zip(made, about, strict=True)]
    assert short_names(tries) == expected.split("|")
