"""`bbccli.correct`: what a notebook hands over, and what it gets back."""

import copy
import json
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bbccli import METHODS, METRICS, BbcError, correct, document, matrix_of, read
from bbccli.recording import Recorder

N, C = 60, 6
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, N)
ARRAY = np.clip(TRUTH[:, None] * 0.2 + RNG.random((N, C)) * 0.8, 0, 1)
NAMES = [f"m{i}" for i in range(C)]
FRAME = pd.DataFrame(ARRAY, columns=NAMES)
FOLDS = np.arange(N) % 5
GROUPS = np.arange(N) // 3
WEIGHTS = RNG.random(N) + 0.1
QUICK = {"n_resamples": 50}


def estimates(result):
    return json.loads(json.dumps(result.document["estimates"]))


@pytest.fixture
def of_command(tmp_path, run):
    """The estimates of `bbc correct` on a file of the frame and more columns."""

    def made(*options, **columns):
        FRAME.assign(truth=TRUTH, **columns).to_parquet(tmp_path / "p.parquet")
        words = ("correct", tmp_path / "p.parquet", "--format", "json", "--n-resamples", 50)
        return json.loads(run.printed(*words, *options))["estimates"]

    return made


@pytest.mark.one_in(1)
@pytest.mark.parametrize(
    ("arguments", "columns", "options"),
    [
        ({}, {}, ()),
        ({"folds": FOLDS}, {"fold": FOLDS}, ()),
        ({"groups": GROUPS, "tight": True}, {"group": GROUPS}, ("--tight",)),
        ({"sample_weight": WEIGHTS}, {"weight": WEIGHTS}, ()),
        (
            {"metric": ["mcc", "brier"], "method": "bbc", "random_state": 3},
            {},
            ["--metric", "mcc", "--metric", "brier", "--method", "bbc", "--seed", "3"],
        ),
        (
            {"folds": FOLDS, "pooling": "fold-mean", "only": "m[1-4]", "positive": 0},
            {"fold": FOLDS},
            ("--pooling", "fold-mean", "--only", "m[1-4]", "--positive", 0),
        ),
    ],
)
def test_figures_of_the_command(of_command, arguments, columns, options):
    expected = of_command(*options, **columns)
    for frame in (FRAME, pa.table(FRAME)):
        assert estimates(correct(frame, TRUTH, **QUICK, **arguments)) == expected
    if "only" not in arguments:
        of_array = correct(ARRAY, TRUTH, **QUICK, **arguments).estimates
        assert [(e.value, e.interval) for e in of_array] == [
            (e.value, e.interval) for e in correct(FRAME, TRUTH, **QUICK, **arguments).estimates
        ]


def test_files_and_matrices_are_taken(tmp_path):
    FRAME.assign(truth=TRUTH).to_csv(tmp_path / "p.csv", index=False)
    path = tmp_path / "p.csv"
    found = [correct(one, **QUICK) for one in (path, str(path), [path], read(path))]
    assert len({one.value for one in found}) == 1
    assert found[0].command == f"bbc correct {path} --n-resamples 50"


def test_every_option_of_the_command_has_its_name():
    result = correct(
        FRAME,
        TRUTH,
        metric=METRICS["accuracy"],
        threshold=0.6,
        bounds=None,
        fail_under=0.9,
        **QUICK,
    )
    assert result.document["gate"]["outcome"] == "missed"
    assert result.document["input"]["threshold"] == 0.6
    scores = correct(FRAME, task="score", bounds=(0, 1), **QUICK)
    assert scores.document["input"]["bounds"] == [0.0, 1.0]


SHUFFLED = pd.Series(TRUTH, index=np.random.default_rng(1).permutation(1000)[:N])
REFUSED = {
    "indexes in another order": lambda: correct(FRAME, pd.Series(TRUTH).sample(frac=1)),
    "groups have indexes in another order": lambda: matrix_of(
        ARRAY, SHUFFLED, groups=SHUFFLED.sample(frac=1)
    ),
    "have indexes that differ": lambda: correct(FRAME.set_axis(SHUFFLED.index + 7), SHUFFLED),
    "called like a fold": lambda: matrix_of(FRAME.assign(fold=FOLDS), TRUTH),
    "folds is given, and there is a column Fold": lambda: correct(
        FRAME.assign(Fold=FOLDS), TRUTH, folds=FOLDS
    ),
    "y_true is given, and there is a column target": lambda: correct(
        FRAME.assign(target=TRUTH), TRUTH
    ),
    "y_true has shape (59,)": lambda: correct(FRAME, TRUTH[1:]),
    "y_true has shape (60, 1)": lambda: correct(FRAME, TRUTH[:, None]),
    "equal to the truth": lambda: correct(FRAME.assign(m9=TRUTH), TRUTH),
    "y_true is 'm1'": lambda: correct(FRAME, "m1"),
    "groups is 'site'": lambda: correct(FRAME, TRUTH, groups="site"),
    "no option intervall": lambda: correct(FRAME, TRUTH, intervall="sharp"),
    "random_state is None": lambda: correct(FRAME, TRUTH, random_state=None),
    "tight is 'yes'": lambda: correct(FRAME, TRUTH, tight="yes"),
    "level is 95": lambda: correct(FRAME, TRUTH, level=95),
    "y_true is for predictions in memory": lambda: correct("p.parquet", TRUTH),
    "folds is for predictions in memory": lambda: correct(matrix_of(FRAME, TRUTH), folds=FOLDS),
    "positive is for files and data frames": lambda: correct(matrix_of(FRAME, TRUTH), positive=0),
    "only is for files and data frames": lambda: correct(ARRAY, TRUTH, only="m1"),
    "repeats is for data frames": lambda: correct(ARRAY, TRUTH, repeats=FOLDS),
    "predictions are a dictionary": lambda: correct(dict(FRAME), TRUTH),
    "columns have 2 levels": lambda: correct(pd.concat({"a": FRAME}, axis=1), TRUTH),
    "no figure named 'forrest'": lambda: correct(FRAME, TRUTH, **QUICK).plot("forrest"),
    ".docx is not a format": lambda: correct(FRAME, TRUTH, **QUICK).save("r.docx"),
    "no estimate is worth reporting": lambda: correct(FRAME, TRUTH, method="cvt").sentence(),
    "cvt has no resamples": lambda: correct(FRAME, TRUTH, method="cvt").resamples(),
}


@pytest.mark.one_in(1)
@pytest.mark.parametrize("text", REFUSED)
def test_what_is_wrong_is_said(text):
    with pytest.raises(BbcError) as caught:
        REFUSED[text]()
    assert text in str(caught.value)
    assert caught.value.hint


def test_rows_match_by_position_where_an_index_says_nothing():
    """A series that was split off keeps its index; cross_val_predict gives an array."""
    plain = correct(FRAME, TRUTH, **QUICK).value
    assert correct(FRAME, SHUFFLED, **QUICK).value == plain
    both = correct(FRAME.set_axis(SHUFFLED.index), SHUFFLED, **QUICK)
    assert both.value == plain


def test_names_of_columns_are_those_of_configurations():
    assert matrix_of(FRAME, TRUTH).configurations == tuple(NAMES)
    assert matrix_of(pa.table(FRAME), TRUTH).configurations == tuple(NAMES)
    assert matrix_of(ARRAY, TRUTH).configurations == tuple("012345")
    assert correct(FRAME["m2"], TRUTH, **QUICK).winner == "m2"


def test_metadata_of_a_frame_are_kept():
    frame = FRAME.copy()
    frame.attrs["bbc"] = {"spec": "bbc-predictions", "version": "1", "selection": "fold-mean"}
    plain = correct(FRAME, TRUTH, folds=FOLDS, **QUICK).document["plan"]["pooling"]
    said = correct(frame, TRUTH, folds=FOLDS, **QUICK).document["plan"]["pooling"]
    assert (plain, said) == ("pooled", "fold-mean")


@pytest.mark.one_in(1)
@pytest.mark.parametrize("of_frame", [False, True])
def test_structured_outcomes_of_survival(of_frame):
    times, events = RNG.exponential(size=N), RNG.random(N) < 0.7
    outcome = np.array(list(zip(events, times, strict=True)), [("death", bool), ("t", float)])
    result = correct(FRAME if of_frame else ARRAY, outcome, **QUICK)
    matrix = matrix_of(FRAME, times, event=events)
    assert result.document["input"]["task"] == "survival"
    assert result.naive == METHODS["cvt"].run(matrix, "concordance").naive


def test_the_answer():
    result = correct(FRAME, TRUTH, folds=FOLDS, **QUICK)
    told = document(result.matrix, result.estimates)
    assert result.estimate.method == told["report"][0]["method"]
    assert result.interval == (result.estimate.interval.lower, result.estimate.interval.upper)
    assert result.winner in NAMES
    assert result.naive > result.value
    assert result.sentence().count("\n") == 0
    assert len(result.to_frame()) == len(result.estimates)
    assert len(result.resamples()) == 50
    assert len(repr(result).splitlines()) < 8
    assert "Expect" in repr(result)
    cell = result._repr_html_()
    assert "Expect" in cell
    assert "<script" not in cell
    assert "<h2" not in cell


def test_doubts_are_shown_and_others_counted():
    doubted = correct(FRAME, 1000 * RNG.standard_normal(N), metric="mse", **QUICK)
    assert "Doubt: " in repr(doubted)
    assert " note" in repr(doubted).splitlines()[-1]


def test_names_with_markup_are_text():
    frame = FRAME.rename(columns=lambda name: f"<b>{name}</b>")
    assert "<b>" not in correct(frame, TRUTH, **QUICK)._repr_html_()


def test_figures(tmp_path):
    result = correct(FRAME, TRUTH, folds=FOLDS, **QUICK)
    for kind in ("forest", "cost", "distribution", "wins", "ranking", "folds", "roc"):
        shown = result.plot(kind)._repr_mimebundle_()
        assert shown["text/plain"]
        assert "currentColor" not in json.dumps(shown)


@pytest.mark.parametrize("name", ["r.html", "r.json", "r.md", "r.csv", "r.txt", "r.xml"])
def test_saved(tmp_path, name, run):
    FRAME.assign(truth=TRUTH).to_parquet(tmp_path / "p.parquet")
    result = correct(tmp_path / "p.parquet", **QUICK)
    result.save(tmp_path / name)
    run("correct", tmp_path / "p.parquet", "--n-resamples", 50, "-o", tmp_path / f"c{name}")
    assert (tmp_path / name).read_bytes() == (tmp_path / f"c{name}").read_bytes()


def test_pickles_and_copies():
    result = correct(FRAME, TRUTH, folds=FOLDS, groups=GROUPS, sample_weight=WEIGHTS, **QUICK)
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert again.document == result.document
        assert again.matrix.configurations == result.matrix.configurations
        assert not again.matrix.predictions.flags.writeable
        assert not again.matrix.outcome.values.flags.writeable
        assert again.resamples().equals(result.resamples())
    for metric in METRICS.values():
        assert pickle.loads(pickle.dumps(metric)) is metric
    nested = read("sample_data/progression.parquet")
    assert pickle.loads(pickle.dumps(nested)).source == nested.source


def test_short_forms_of_records():
    matrix = matrix_of(FRAME, TRUTH)
    shown = [repr(matrix), repr(METHODS["bbc"].run(matrix, "auc"))]
    assert all(len(one) < 200 and "\n" not in one for one in shown)
    assert "60 samples x 6 configurations" in shown[0]


def test_a_search_that_was_recorded(tmp_path):
    linear = pytest.importorskip("sklearn.linear_model")
    from sklearn.model_selection import GridSearchCV

    rec = Recorder(tmp_path / "rec", ARRAY, TRUTH, cv=3, scoring="roc_auc")
    search = GridSearchCV(
        linear.LogisticRegression(), {"C": [0.1, 1.0]}, cv=rec.cv, scoring=rec.scorer
    ).fit(ARRAY, TRUTH)
    rec.finish(search)
    found = [correct(one, **QUICK) for one in (search, rec, tmp_path / "rec")]
    assert len({one.value for one in found}) == 1
    with pytest.raises(BbcError, match="kept no predictions"):
        correct(GridSearchCV(linear.LogisticRegression(), {}))
