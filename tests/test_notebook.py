"""`bbccli.correct` and its kin: what a notebook hands over, and what it gets back."""

import copy
import json
import pickle
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from day import swept
from sklearn.model_selection import KFold

from bbccli import METHODS, METRICS, BbcError, compare, correct, document, matrix_of, plan, read
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
STATED = {"expected": 0.9, "configurations": 5, "samples": (50, 100), "metric": "accuracy"}
JSON = ("--format", "json", "-q")


def estimates(result):
    return json.loads(json.dumps(result.document["estimates"]))


@pytest.fixture
def of_command(tmp_path, run):
    """The document of a command on a file of the frame and more columns."""

    def made(*options, command="correct", **columns):
        FRAME.assign(truth=TRUTH, **columns).to_parquet(tmp_path / "p.parquet")
        words = (command, tmp_path / "p.parquet", "--format", "json", "--n-resamples", 50)
        return json.loads(run.printed(*words, *options))

    return made


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
    expected = of_command(*options, **columns)["estimates"]
    for frame in (FRAME, pa.table(FRAME)):
        found = correct(frame, TRUTH, **QUICK, **arguments)
        assert (estimates(found), found.command) == (expected, "")
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
    "has the name of a fold": lambda: matrix_of(FRAME.assign(fold=FOLDS), TRUTH),
    "folds is given, but there is also a column Fold": lambda: correct(
        FRAME.assign(Fold=FOLDS), TRUTH, folds=FOLDS
    ),
    "y_true is given, but there is also a column target": lambda: correct(
        FRAME.assign(target=TRUTH), TRUTH
    ),
    "y_true has shape (59,)": lambda: correct(FRAME, TRUTH[1:]),
    "y_true has shape (60, 1)": lambda: correct(FRAME, TRUTH[:, None]),
    "there is no option seed": lambda: correct(FRAME, TRUTH, seed=1),
    "there is no option cv": lambda: correct(FRAME, TRUTH, cv=FOLDS),
    "predictions are of type NoneType": lambda: correct(None, TRUTH),
    "predictions are of type generator": lambda: correct((row for row in ARRAY), TRUTH),
    "equal to the truth": lambda: correct(FRAME.assign(m9=TRUTH), TRUTH),
    "y_true is 'm1'": lambda: correct(FRAME, "m1"),
    "groups is 'site'": lambda: correct(FRAME, TRUTH, groups="site"),
    "no option intervall": lambda: correct(FRAME, TRUTH, intervall="sharp"),
    "random_state is None": lambda: correct(FRAME, TRUTH, random_state=None),
    "tight is 'yes'": lambda: correct(FRAME, TRUTH, tight="yes"),
    "level is 95": lambda: correct(FRAME, TRUTH, level=95),
    "y_true is for predictions in memory": lambda: correct("p.parquet", TRUTH),
    "folds are splits": lambda: correct(FRAME, TRUTH, folds=[([1, 2], [0])]),
    "folds are splits, not the fold of each row": lambda: correct(FRAME, TRUTH, folds=KFold(3)),
    "truth is array": lambda: correct(FRAME, truth=TRUTH),
    "folds is for predictions in memory": lambda: correct(matrix_of(FRAME, TRUTH), folds=FOLDS),
    "positive is for files and data frames": lambda: correct(matrix_of(FRAME, TRUTH), positive=0),
    "only is for files and data frames": lambda: correct(ARRAY, TRUTH, only="m1"),
    "repeats is for data frames": lambda: correct(ARRAY, TRUTH, repeats=FOLDS),
    "a key of the predictions is 'fold'": lambda: correct({"fold": FOLDS}, TRUTH),
    "columns have 2 levels": lambda: correct(pd.concat({"a": FRAME}, axis=1), TRUTH),
    "no figure named 'forrest'": lambda: correct(FRAME, TRUTH, **QUICK).plot("forrest"),
    ".docx is not a format": lambda: correct(FRAME, TRUTH, **QUICK).save("r.docx"),
    "no estimate can be reported": lambda: correct(FRAME, TRUTH, method="cvt").sentence(),
    "cvt has no resamples": lambda: correct(FRAME, TRUTH, method="cvt").resamples(),
}


REFUSED_COMPARISONS = {
    "indexes in another order": lambda: compare({**PARTS, "many": PARTS["many"][::-1]}, TRUTH),
    "have no names": lambda: compare([FRAME, FRAME], TRUTH),
    "differ in the truth": lambda: compare(PARTS, {"few": TRUTH, "many": 1 - TRUTH}),
    "y_true has 'none'": lambda: compare(PARTS, {"few": TRUTH, "none": TRUTH}),
    "a and b are the same data set": lambda: compare({"a": FRAME, "b": FRAME}, TRUTH, across=True),
    "across ranks over several data sets, but <DataFrame>": lambda: compare(
        FRAME, TRUTH, across=True
    ),
    "baseline and pair or test are two": lambda: compare(
        FRAME, TRUTH, baseline="m0", pair=("m1", "m2")
    ),
    "margin does not go with the confidence set": lambda: compare(FRAME, TRUTH, margin=0.1),
    "margin is 'a'": lambda: compare(FRAME, TRUTH, margin="a", baseline="m0"),
    "pair is 'm1'": lambda: compare(FRAME, TRUTH, pair="m1"),
    "pair is ('m1', 'm2', 'm3')": lambda: compare(FRAME, TRUTH, pair=("m1", "m2", "m3")),
    "no configuration 'm9'": lambda: compare(FRAME, TRUTH, baseline="m9"),
    "no option side": lambda: compare(FRAME, TRUTH, side="lower"),
    "no option method": lambda: compare(FRAME, TRUTH, method="bbc"),
    "metric is ['auc', 'brier']": lambda: compare(FRAME, TRUTH, metric=["auc", "brier"]),
    "no figure named 'forest'": lambda: compare(FRAME, TRUTH).plot("forest"),
    "there is no figure cd": lambda: compare(FRAME, TRUTH).plot("cd"),
}


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


def test_a_cell_shows_the_figure_of_the_page_where_it_can_be_drawn(monkeypatch):
    results = [correct(FRAME, TRUTH, **QUICK), compare(FRAME, TRUTH)]
    cells = [one._repr_html_() for one in results]
    assert [cell.count("<svg") for cell in cells] == [1, 1]
    assert "(to report)" in cells[0] and "(winner)" in cells[1]
    monkeypatch.setattr("bbccli.reports.page.sections.can_render", lambda: False)
    assert "<figure" not in results[0]._repr_html_()


def test_doubts_are_shown_and_others_counted():
    doubted = correct(FRAME, 1000 * RNG.standard_normal(N), metric="mse", **QUICK)
    assert repr(doubted).startswith("DOUBT: ")
    assert " note" in repr(doubted).splitlines()[-1]


def test_names_with_markup_are_text():
    frame = FRAME.rename(columns=lambda name: f"<b>{name}</b>")
    assert "<b>" not in correct(frame, TRUTH, **QUICK)._repr_html_()
    assert "<b>" not in compare(frame, TRUTH, baseline="<b>m0</b>", **QUICK)._repr_html_()


def test_figures(tmp_path):
    result = correct(FRAME, TRUTH, folds=FOLDS, **QUICK)
    for kind in ("forest", "cost", "distribution", "wins", "ranking", "folds", "roc"):
        shown = result.plot(kind)._repr_mimebundle_()
        assert shown["text/plain"]
        assert "currentColor" not in json.dumps(shown)
        assert shown["image/svg+xml"].startswith("<svg")


def test_saved_figures(tmp_path, run, monkeypatch):
    FRAME.assign(truth=TRUTH).to_parquet(tmp_path / "p.parquet")
    figure = correct(tmp_path / "p.parquet", **QUICK).plot("wins")
    for suffix in ("svg", "vl.json"):
        figure.save(tmp_path / f"r.{suffix}")
        words = ("plot", tmp_path / "p.parquet", "--kind", "wins", "--n-resamples", 50)
        assert run(*words, "-o", tmp_path / f"c.{suffix}")[0] == 0
        assert (tmp_path / f"r.{suffix}").read_text() == (tmp_path / f"c.{suffix}").read_text()
    with pytest.raises(BbcError, match="r.gif', which is not the name of a figure"):
        figure.save(tmp_path / "r.gif")
    monkeypatch.setattr("bbccli.reports.figures.rendering.can_render", lambda: False)
    assert "image/svg+xml" not in figure._repr_mimebundle_()
    assert repr(figure).startswith("Who wins. ")
    with pytest.raises(BbcError) as caught:
        figure.save(tmp_path / "x.png")
    assert caught.value.hint


@pytest.mark.parametrize("command", [correct, compare])
@pytest.mark.parametrize("suffix", ["html", *map(swept, ("json", "md", "csv", "txt", "xml"))])
def test_saved(tmp_path, run, command, suffix):
    FRAME.assign(truth=TRUTH).to_parquet(tmp_path / "p.parquet")
    command(tmp_path / "p.parquet", **QUICK).save(tmp_path / f"r.{suffix}")
    words = (command.__name__, tmp_path / "p.parquet", "--n-resamples", 50)
    run(*words, "-o", tmp_path / f"c.{suffix}")
    saved, written = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in "rc")
    assert saved == written


def copies(result):
    return pickle.loads(pickle.dumps(result)), copy.deepcopy(result)


def test_pickles_and_copies():
    result = correct(FRAME, TRUTH, folds=FOLDS, groups=GROUPS, sample_weight=WEIGHTS, **QUICK)
    for again in copies(result):
        assert again.matrix.configurations == result.matrix.configurations
        assert not again.matrix.predictions.flags.writeable
        assert not again.matrix.outcome.values.flags.writeable
        assert again.resamples().equals(result.resamples())
    for one in (result, compare(FRAME, TRUTH, baseline="m0", **QUICK), plan(**STATED)):
        for again in copies(one):
            assert again.document == one.document
            assert repr(again) == repr(one)
            assert again._repr_html_() == one._repr_html_()
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


def test_no_level_of_an_index_is_a_configuration():
    levels = pd.MultiIndex.from_arrays([FOLDS, GROUPS, RNG.random(N)], names=["fold", "site", None])
    matrix = correct(FRAME.set_axis(levels), TRUTH, **QUICK).matrix
    assert matrix.configurations == tuple(NAMES)
    assert matrix.n_folds == 5
    plain = correct(FRAME.set_axis(levels.droplevel("fold")), TRUTH, **QUICK).matrix
    assert (plain.configurations, plain.n_folds) == (tuple(NAMES), None)


# Comparisons


COMPARED = [
    ({}, ()),
    ({"metric": "brier"}, ("--metric", "brier")),
    ({"baseline": "m0", "margin": 0.01}, ("--baseline", "m0", "--margin", "0.01")),
    ({"pair": ("m0", "m3"), "test": "all"}, ("--pair", "m0", "m3", "--test", "all")),
    (
        {"by": "regex:(m[01]|m)", "adjust": "none"},
        ("--by", "regex:(m[01]|m)", "--adjust", "none"),
    ),
    ({"test": ["wald"], "only": ["m1", "m2"]}, ("--test", "wald", "--only", "m1", "--only", "m2")),
    ({"baseline": "m0", "fail_unless": "better"}, ("--baseline", "m0", "--fail-unless", "better")),
]


@pytest.mark.parametrize(("arguments", "options"), COMPARED)
def test_comparisons_of_the_command(tmp_path, run, arguments, options):
    FRAME.assign(truth=TRUTH, fold=FOLDS).to_parquet(tmp_path / "p.parquet")
    words = ("compare", tmp_path / "p.parquet", *options, "--n-resamples", 50, *JSON)
    expected = json.loads(run(*words)[1])
    path = tmp_path / "p.parquet"
    assert compare(path, **arguments, **QUICK).document == expected
    found = compare(pa.table(FRAME), TRUTH, folds=FOLDS, **arguments, **QUICK).document
    assert {**found, "input": 0} == {**expected, "input": 0}


def test_the_answer_of_a_comparison():
    result = compare(FRAME, TRUTH, baseline="m0", **QUICK)
    first = result.document["comparisons"][0]
    assert result.comparison == result.comparisons[0]
    for name in ("verdict", "difference", "corrected", "bound", "p"):
        assert getattr(result, name) == first[name]
    assert result.interval == (first["interval"]["lower"], first["interval"]["upper"])
    members = result.document["best_set"]["members"]
    assert result.best == tuple(one["configuration"] for one in members if one["inside"])
    assert result.ranks is None
    shown = repr(result).splitlines()
    assert len(shown) < 6
    assert f"the choice among 6 configurations it is {first['corrected']:.3f} (95% CI " in shown[1]
    assert result.sentence().startswith(shown[0])
    cell = result._repr_html_()
    assert "<summary>Tests</summary>" in cell
    assert "<h2" not in cell
    assert "<script" not in cell
    alone = compare(FRAME, TRUTH)
    assert (alone.comparison, alone.verdict, alone.p, alone.interval) == (None,) * 4
    assert len(alone.to_frame()) == C
    assert alone.to_frame()["inside"].sum() == len(alone.best)


def test_a_long_table_of_a_cell_is_whole_below_its_first_rows():
    frame = pd.concat([FRAME.add_suffix(str(i)) for i in range(4)], axis=1)
    cell = compare(frame, TRUTH)._repr_html_()
    n_members = len(compare(frame, TRUTH).best)
    assert n_members > 15 and f"<summary>All {n_members} rows</summary>" in cell
    assert cell.split(" rows</summary>")[1].count("<tr>") == n_members + 1
    assert "not listed" not in cell


def test_a_frame_of_comparisons_has_numbers():
    frame = compare(FRAME, TRUTH, pair=("m0", "m1"), test="wald").to_frame()
    assert frame["corrected"].dtype == frame["p"].dtype == frame["effect_size"].dtype == float
    assert frame["n_units"].dtype == "Int64"
    assert frame["ignores_selection"].dtype == bool


def test_configurations_of_an_array_are_called_by_their_numbers():
    assert compare(ARRAY, TRUTH, baseline=2, **QUICK).comparison.second == "2"


PARTS = {"few": FRAME[NAMES[:2]], "many": FRAME[NAMES[2:]]}


def of_parts(result):
    return json.loads(json.dumps(result.document["comparisons"]))


def test_experiments_are_joined(tmp_path):
    together = of_parts(compare(PARTS, TRUTH, **QUICK))
    assert {together[0]["first"], together[0]["second"]} == {"few", "many"}
    whole = compare(FRAME, TRUTH, by="regex:(m[01]|m)", **QUICK)  # families m0, m1 and m
    assert len(whole.comparisons) == 3
    arrays = {name: part.to_numpy() for name, part in PARTS.items()}
    values = ("difference", "corrected", "interval", "verdict")
    found = of_parts(compare(arrays, TRUTH, **QUICK))
    assert [found[0][n] for n in values] == [together[0][n] for n in values]
    for name, part in PARTS.items():
        part.assign(truth=TRUTH).to_parquet(tmp_path / f"{name}.parquet")
    paths = [tmp_path / f"{name}.parquet" for name in PARTS]
    assert of_parts(compare(paths, **QUICK)) == together
    assert of_parts(compare([read(path) for path in paths], **QUICK)) == together
    by_name = dict(zip(PARTS, paths, strict=True))
    assert of_parts(compare(by_name, **QUICK)) == together
    words = f"bbc compare {paths[0]} {paths[1]} --n-resamples 50"
    assert compare(paths, **QUICK).command == compare(by_name, **QUICK).command == words
    other = {f"{name} ones": path for name, path in by_name.items()}
    assert compare(other, **QUICK).command == ""
    matrices = {name: matrix_of(part, TRUTH) for name, part in PARTS.items()}
    result = compare(matrices, **QUICK)
    assert of_parts(result) == together
    assert result.document["input"]["path"] == "few, many"


def test_rows_of_experiments_are_matched_by_a_named_index():
    keyed = {name: part.rename_axis("patient") for name, part in PARTS.items()}
    plain = of_parts(compare(keyed, TRUTH, **QUICK))
    keyed["many"] = keyed["many"].iloc[::-1]
    turned = compare(keyed, {"few": TRUTH, "many": TRUTH[::-1]}, **QUICK)
    assert of_parts(turned) == plain


def test_data_sets_in_memory(tmp_path, run):
    names = ("a", "b", "c")
    frames = {name: FRAME * (1 - 0.1 * at) for at, name in enumerate(names)}
    truths = {"a": TRUTH, "b": 1 - TRUTH, "c": np.roll(TRUTH, 1)}
    result = compare(frames, truths, across=True, metric="brier")
    assert result.ranks.data_sets == names
    assert result.plot().drawn.kind == "cd"
    assert [one["path"] for one in result.document["data_sets"]] == list(names)
    for name in names:
        frames[name].assign(truth=truths[name]).to_parquet(tmp_path / f"{name}.parquet")
    files = str(tmp_path / "*.parquet")
    told = json.loads(run.printed("compare", files, "--across", "--metric", "brier", *JSON))
    assert result.document["ranks"] == told["ranks"]
    assert compare(files, across=True, metric="brier").document == told
    assert len(result.to_frame()) == len(result.ranks.overall) + len(result.ranks.pairs)


# Plans


PLANNED = [
    ({"samples": [60, 200], "configurations": 6}, ("--samples", "60,200", "--configurations", 6)),
    ({"width": 0.2, "metric": "accuracy"}, ("--width", "0.2", "--metric", "accuracy")),
]


@pytest.mark.parametrize(("arguments", "options"), PLANNED)
def test_plans_of_the_command(of_command, arguments, options):
    expected = of_command(*options, command="plan", fold=FOLDS)
    found = plan(FRAME, TRUTH, folds=FOLDS, **arguments, **QUICK)
    assert {**found.document, "input": 0} == {**expected, "input": 0}
    assert found.command == ""


def test_the_answer_of_a_plan(run, tmp_path):
    result = plan(**STATED)
    words = ("plan", "--expected", 0.9, "--configurations", 5, "--samples", "50,100")
    told = run.printed(*words, "--metric", "accuracy", "--format", "json")
    assert result.document == json.loads(told)
    chosen = result.document["planned"]["chosen"]
    for name in ("n_samples", "n_configurations", "naive", "honest", "optimism", "width"):
        assert getattr(result, name) == chosen[name]
    assert [cell.n_samples for cell in result.cells] == [50, 100]
    assert result.sentence() == repr(result).replace("\n", " ")
    frame = result.to_frame()
    assert frame["chosen"].tolist() == [True, False]
    assert frame["n_samples"].dtype == "Int64"
    assert "<table>" in result._repr_html_()
    assert not hasattr(result, "plot")
    for suffix in ("json", "csv", "md", "txt"):
        result.save(tmp_path / f"r.{suffix}")
        run(*words, "--metric", "accuracy", "-o", tmp_path / f"c.{suffix}")
        assert (tmp_path / f"r.{suffix}").read_text() == (tmp_path / f"c.{suffix}").read_text()
    result.save(tmp_path / "r.html")
    assert "<h1>Sample size: " in (tmp_path / "r.html").read_text("utf-8")


def test_rows_that_are_never_enough():
    assert plan(expected=0.9, configurations=5, width=1e-5, metric="accuracy").n_samples is None


REFUSED_PLANS = {
    "needs a pilot or an expected value": {},
    "predictions are of type NoneType": {"y_true": TRUTH, "width": 0.1},
    "expected is for a plan without": {"predictions": FRAME, "y_true": TRUTH, "expected": 0.9},
    "number of configurations searched": {"expected": 0.9, "width": 0.1},
    "samples is '1.5'": {**STATED, "samples": [1.5]},
    "samples is": {**STATED, "samples": TRUTH[:, None]},
    "width is -1": {**STATED, "width": -1},
    "no option select": {**STATED, "select": "one-se"},
}
EVERY = REFUSED | REFUSED_COMPARISONS
EVERY |= {text: partial(plan, **given) for text, given in REFUSED_PLANS.items()}


@pytest.mark.parametrize("text", EVERY)
def test_what_is_wrong_is_said(text):
    with pytest.raises(BbcError) as caught:
        EVERY[text]()
    assert text in str(caught.value)
    assert caught.value.hint
    assert text in REFUSED or "--" not in str(caught.value)
    assert text not in REFUSED_PLANS or "--" not in caught.value.hint
