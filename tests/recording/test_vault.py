"""Sealed rows: what is sealed, how openings are counted, and what they leave to show."""

# ruff: noqa: N803 - X is what scikit-learn calls it

import json
import multiprocessing
import os
import shutil
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold

import bbccli
from bbccli import METHODS, METRICS, Plan, read
from bbccli.documents.leaderboard import leaderboard
from bbccli.errors import InputError, OptionError
from bbccli.recording import Recorder
from tests.day import swept
from tests.faults import Fault, is_io
from tests.recordings import tampered

N = 300
RNG = np.random.default_rng(1)
X = RNG.normal(size=(N, 4))
Y = (X[:, 0] + RNG.normal(size=N) > 0.4).astype(int)
VALUES = X[:, 0] + RNG.normal(size=N)
GROUPS = np.repeat(np.arange(60), 5)


def recorder(place, y=Y, scoring="accuracy", vault=0.2, **how):
    how = {"cv": GroupKFold(5) if "groups" in how else 5} | how
    return Recorder(place / "run", X, y, scoring=scoring, vault=vault, **how)


def searched(rec, y=Y, model=None):
    model = LogisticRegression() if model is None else model
    return GridSearchCV(model, {"C": [0.01, 1.0]}, cv=rec.cv, scoring=rec.scorer).fit(X, y)


def sealed_in(rec):
    return np.setdiff1d(np.arange(N), rec.rows)


def openings(rec):
    return rec.folder / "vault" / "openings.jsonl"


def lines(rec):
    return [json.loads(line) for line in openings(rec).read_text().splitlines() if line]


def opened(place, name="vault", metric="accuracy"):
    return METHODS[name].run(read(place / "run"), METRICS[metric], Plan())


@pytest.fixture
def rec(tmp_path):
    return recorder(tmp_path)


@pytest.fixture
def run(rec):
    searched(rec)
    return rec


# What is sealed


def test_the_same_share_of_each_class_is_sealed_and_the_same_rows_each_time(tmp_path):
    rec = recorder(tmp_path)
    assert len(sealed_in(rec)) == 60
    assert abs(int(Y[sealed_in(rec)].sum()) - 0.2 * Y.sum()) < 1
    again = Recorder(tmp_path / "other", X, Y, cv=3, vault=0.2)
    assert np.array_equal(again.rows, rec.rows)


def sealed_of(place, y, share, groups=None):
    """True for the rows that a vault of this share holds."""
    rows = Recorder(place / "run", None, y, vault=share, groups=groups, task="multiclass").rows
    return ~np.isin(np.arange(len(y)), rows)


@pytest.mark.parametrize(
    ("n", "share", "expected"), [(150, 0.2, 50), (300, 0.2, 60), (60, 0.2, 30), (302, 0.5, 151)]
)
def test_at_least_fifty_rows_are_sealed_but_no_more_than_half(tmp_path, n, share, expected):
    assert sealed_of(tmp_path, np.arange(n) % 2, share).sum() == expected


def test_fewer_than_twenty_rows_are_no_vault(tmp_path):
    with pytest.raises(OptionError, match="needs 20 rows or more"):
        sealed_of(tmp_path, np.arange(39) % 2, 0.5)
    with pytest.raises(OptionError, match="whole groups leave 5 rows"):
        sealed_of(tmp_path, np.arange(145) % 2, 0.2, np.repeat([0, 1, 2], [70, 70, 5]))


def test_no_class_is_in_the_vault_alone(tmp_path):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = np.r_[rng.integers(0, 2, 101), 2, 3, 3]
        sealed = sealed_of(tmp_path / str(seed), truth, rng.uniform(0.1, 0.5))
        assert set(truth[~sealed]) == {0, 1, 2, 3}


def test_no_group_that_still_fits_is_left_open(tmp_path):
    for seed in range(20):
        rng, wanted = np.random.default_rng(seed), 90
        groups, truth = rng.integers(0, 40, 300), rng.choice(3, 300, p=[0.8, 0.15, 0.05])
        sealed = sealed_of(tmp_path / str(seed), truth, 0.3, groups)
        assert 20 <= sealed.sum() <= wanted
        for group in np.unique(groups[~sealed]):
            more = sealed | (groups == group)
            assert not sealed[groups == group].any()
            assert more.sum() > wanted or set(truth[more]) - set(truth[~more])


def test_what_large_groups_leave_open_takes_no_class_away(tmp_path):
    groups, truth = np.r_[np.repeat(np.arange(43), 7), 43, 44], np.r_[np.zeros(301, int), 1, 1]
    sealed = sealed_of(tmp_path, truth, 0.2, groups)
    assert sealed.sum() == 8 * 7 + 1
    assert truth[sealed].sum() == truth[~sealed].sum() == 1


def test_folds_and_records_have_no_sealed_row(rec):
    rows = np.concatenate([np.r_[train, test] for train, test in rec.cv])
    assert set(rows.tolist()) == set(rec.rows.tolist())
    searched(rec)
    matrix = read(rec.folder)
    assert sorted(map(int, matrix.keys)) == rec.rows.tolist()
    assert np.array_equal(matrix.outcome.values, Y[np.array(matrix.keys, int)])


def test_pairs_of_rows_lose_the_sealed_ones(tmp_path):
    pairs = [(np.arange(150), np.arange(150, N)), (np.arange(150, N), np.arange(150))]
    rec = Recorder(tmp_path / "run", X, Y, cv=pairs, scoring="accuracy", vault=0.2)
    assert all(set(np.r_[pair]) <= set(rec.rows) for pair in rec.cv)
    assert sum(len(test) for _, test in rec.cv) == len(rec.rows)


def test_predictions_of_sealed_rows_are_refused(rec):
    with pytest.raises(OptionError, match="sealed in the vault"):
        rec.write("a", [int(rec.rows[0]), int(sealed_in(rec)[0])], [0, 1])


def test_loops_write_by_the_rows_of_all_samples(tmp_path):
    rec = Recorder(tmp_path / "run", X, Y, vault=0.2)
    rec.write("a", rec.rows[:100], Y[rec.rows[:100]])
    rec.write("a", rec.rows[100:], 1 - Y[rec.rows[100:]])
    rec.write_all("b", Y[rec.rows])
    matrix = read(rec.folder, missing="error")
    accuracy = METHODS["cvt"].run(matrix, METRICS["accuracy"], Plan())
    assert accuracy.winner == "b"
    assert accuracy.value == 1
    right = matrix.predictions[0, :, 0] == matrix.outcome.values
    assert right.sum() == 100


# The figure


def test_nothing_is_said_before_it_is_opened(run):
    matrix = read(run.folder)
    assert matrix.vault.openings == ()
    assert matrix.vault.n_samples == 60


def test_a_share_has_the_exact_interval_and_is_reported(run, tmp_path):
    from scipy.stats import binomtest

    model = LogisticRegression(C=0.01).fit(X[run.rows], Y[run.rows])
    k = int((model.predict(X[sealed_in(run)]) == Y[sealed_in(run)]).sum())
    look = run.open("C=0.01", LogisticRegression(C=0.01))
    exact = binomtest(k, 60).proportion_ci(0.95, method="exact")
    assert (look.value, look.lower, look.upper) == pytest.approx((k / 60, *exact), abs=1e-12)
    estimate = opened(tmp_path)
    found = (estimate.value, estimate.interval.lower, estimate.interval.upper)
    assert found == (look.value, look.lower, look.upper)
    assert estimate.winner == "C=0.01"
    assert estimate.opened.counted


def test_an_area_has_delongs_interval_on_the_logit_scale(tmp_path):
    rec = recorder(tmp_path, scoring="roc_auc")
    searched(rec)
    sealed = sealed_in(rec)
    scores = np.round(X[sealed, 0], 1)
    look = rec.open("a", scores)
    p, n = scores[Y[sealed] == 1], scores[Y[sealed] == 0]
    wins = (p[:, None] > n) + 0.5 * (p[:, None] == n)
    area, v10, v01 = wins.mean(), wins.mean(axis=1), wins.mean(axis=0)
    error = np.sqrt(v10.var(ddof=1) / len(p) + v01.var(ddof=1) / len(n))
    reach = 1.959963984540054 * error / (area * (1 - area))
    ends = 1 / (1 + np.exp(-(np.log(area / (1 - area)) + reach * np.array([-1, 1]))))
    assert (look.value, look.lower, look.upper) == pytest.approx((area, *ends))


def test_a_perfect_area_has_the_interval_of_pairs_without_a_common_sample(tmp_path):
    rec = recorder(tmp_path, scoring="roc_auc")
    look = rec.open("a", Y[sealed_in(rec)] + 0.0)
    fewest = min(np.bincount(Y[sealed_in(rec)]))
    assert (look.lower, look.upper) == pytest.approx((0.025 ** (1 / fewest), 1))


def test_other_metrics_have_percentiles_of_the_sealed_rows(tmp_path):
    rec = recorder(tmp_path, VALUES, "neg_mean_absolute_error")
    look = rec.open("a", X[sealed_in(rec), 0])
    losses = np.abs(VALUES - X[:, 0])[sealed_in(rec)]
    drawn = np.random.default_rng(0).choice(losses, (4000, 60)).mean(axis=1)
    assert look.value == pytest.approx(losses.mean())
    ends = np.quantile(drawn, [0.025, 0.975])
    assert (look.lower, look.upper) == pytest.approx(tuple(ends), abs=0.03)


def test_groups_have_no_binomial_interval(tmp_path):
    rec = recorder(tmp_path, groups=GROUPS)
    sealed = sealed_in(rec)
    wrong = np.isin(GROUPS[sealed], np.unique(GROUPS[sealed])[:4])
    look = rec.open("a", np.where(wrong, 1 - Y[sealed], Y[sealed]))
    # four of twelve groups are wrong: their number varies, not that of single rows
    assert look.upper - look.lower > 0.45


def test_a_copy_is_trained_on_the_searchs_rows_alone(run):
    class Memory(LogisticRegression):
        seen: list[int] = []  # noqa: RUF012

        def fit(self, X, y):
            self.seen.append(len(X))
            return super().fit(X, y)

    everything = Memory().fit(X, Y)
    run.open("a", everything)
    assert Memory.seen == [N, len(run.rows)]


def test_the_best_of_a_search_is_trained_again_without_the_vault(run):
    search = searched(run)
    assert search.best_estimator_.n_iter_.size
    look = run.open("best", search)
    fresh = LogisticRegression(**search.best_params_).fit(X[run.rows], Y[run.rows])
    assert look.value == (fresh.predict(X[sealed_in(run)]) == Y[sealed_in(run)]).mean()


def test_a_model_is_asked_for_what_the_metric_uses(tmp_path):
    class Asked(LogisticRegression):
        asked: list[str] = []  # noqa: RUF012

        def predict(self, X):
            self.asked.append("labels")
            return super().predict(X)

        def predict_proba(self, X):
            self.asked.append("chances")
            return super().predict_proba(X)

    for scoring in ("accuracy", "neg_brier_score", "roc_auc"):
        rec = recorder(tmp_path / scoring, scoring=scoring)
        rec.open("a", Asked().fit(X, Y), fitted=True)
    assert Asked.asked == ["labels", "chances"]  # pairs are ordered by the decision function


def test_fitted_models_functions_and_predictions_are_taken_as_they_are(tmp_path):
    rec = recorder(tmp_path, planned=4)
    sealed = sealed_in(rec)
    right = (Y[sealed] == (X[sealed, 0] > 0)).mean()
    assert rec.open("function", lambda rows: (rows[:, 0] > 0).astype(int)).value == right
    assert rec.open("array", (X[sealed, 0] > 0).astype(int)).value == right
    whole = LogisticRegression().fit(X, Y)
    kept = rec.open("fitted", whole, fitted=True)
    assert kept.value == (whole.predict(X[sealed]) == Y[sealed]).mean()


def test_a_leaderboard_reports_what_correct_does(run):
    run.open("best", searched(run))
    board = leaderboard(matrix := read(run.folder), "accuracy", Plan(n_resamples=50))
    found = bbccli.correct(run.folder, n_resamples=50)
    assert found.estimate.method == board["corrected"]["method"] == "vault"
    shown = board["corrected"]["interval"]
    assert (shown["lower"], shown["upper"]) == found.interval
    wins = METHODS["bbc"].run(matrix, METRICS["accuracy"], Plan(n_resamples=50)).selection
    assert {row["configuration"]: row["wins"] for row in board["rows"]} == {
        name: {won.configuration: won.share for won in wins}.get(name, 0)
        for name in matrix.configurations
    }


# The level


@pytest.mark.parametrize(
    ("planned", "reaches", "levels"),
    [
        (3, (0.9, 0.9, 0.9), [0.05 / 3] * 3),  # each is "not yet": they share the misses
        (3, (None, None, None), [0.05 / 3, 0.05 / 4 / 61, 0.05 / 8 / 61**2]),
        (3, (0.9, None, None), [0.05 / 3, 0.05 / 3, 0.05 / 8 / 61**2]),
        (2, (0.9, 0.9, 0.9), [0.05 / 2, 0.05 / 2, 0.05 / 8 / 61**2]),  # one beyond the plan
    ],
)
def test_each_opening_has_a_level_so_that_all_hold_at_once(tmp_path, planned, reaches, levels):
    rec = recorder(tmp_path, planned=planned)
    poor = 1 - Y[np.setdiff1d(np.arange(N), rec.rows)]
    found = [rec.open(str(k), poor, reach=r, stricter=True).level for k, r in enumerate(reaches)]
    assert found == pytest.approx([1 - one for one in levels], abs=1e-12)


def test_a_figure_is_wider_once_another_model_was_opened(tmp_path):
    """What is opened later may follow it: half of the misses are left to the first."""
    rec = recorder(tmp_path, planned=3)
    searched(rec)
    assert rec.open("good", Y[sealed_in(rec)]).lower == pytest.approx((0.05 / 6) ** (1 / 60))
    rec.open("poor", 1 - Y[sealed_in(rec)], reach=0.6)
    estimate = opened(tmp_path)
    assert (estimate.opened.number, estimate.opened.n_openings) == (1, 2)
    assert estimate.interval.lower == pytest.approx(0.0125 ** (1 / 60))


def test_an_opening_beyond_the_plan_is_refused_without_the_stricter_level(run, tmp_path):
    model = LogisticRegression()
    first = run.open("a", model)
    with pytest.raises(OptionError, match="1 opening of 1 planned: another one is beyond") as error:
        run.open("b", model)
    assert error.value.hint.startswith("stricter=True, which widens")
    assert len(lines(run)) == 1
    second = run.open("b", model, stricter=True)
    assert (first.level, second.level) == (0.95, 1 - 0.05 / 4 / 61)
    assert second.upper - second.lower > first.upper - first.lower
    estimate = opened(tmp_path)
    assert (estimate.opened.number, estimate.opened.n_openings) == (2, 2)
    assert (estimate.interval.lower, estimate.interval.upper) == (second.lower, second.upper)


def test_not_yet_says_nothing_more(tmp_path):
    rec = recorder(tmp_path, planned=3)
    searched(rec)
    poor = rec.open("poor", 1 - Y[sealed_in(rec)], reach=0.6)
    assert (poor.value, poor.lower, poor.upper, poor.passed) == (None, None, None, False)
    assert "not yet" in repr(poor)
    with pytest.raises(Exception, match="1 of 3 openings so far: not yet"):
        opened(tmp_path)
    good = rec.open("good", Y[sealed_in(rec)], reach=0.6)
    assert good.passed
    assert good.level == 1 - 0.05 / 3
    assert good.lower == pytest.approx((0.05 / 6) ** (1 / 60))
    estimate = opened(tmp_path)
    assert estimate.opened.number == 2
    assert estimate.interval.lower == good.lower


def test_reach_is_for_the_worse_end(tmp_path):
    rec = recorder(tmp_path, VALUES, "neg_mean_absolute_error", planned=2)
    assert not rec.open("a", X[sealed_in(rec), 0], reach=0.8).passed
    look = rec.open("a", X[sealed_in(rec), 0], reach=2.0)
    assert look.passed
    assert look.upper <= 2.0


# Counting


def test_each_opening_is_counted_with_the_hash_of_its_predictions(run):
    import hashlib

    run.open("a", LogisticRegression())
    (line,) = lines(run)
    content = (run.folder / "vault" / line["file"]).read_bytes()
    assert line["sha256"] == hashlib.sha256(content).hexdigest()
    assert line["name"] == "a"


posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks of POSIX")
NEVER = 10**6


@posix
@pytest.mark.parametrize("k", [1, 12, 24, 36, 48, 60, NEVER])
def test_a_kill_leaves_nothing_seen_or_a_counted_opening(tmp_path, k):
    """A process dies at its k-th disk call, or shows the figure."""
    rec = recorder(tmp_path)
    child = os.fork()
    if not child:
        try:
            sys.setprofile(Fault(k, is_io, lambda: os._exit(9)))
            rec.open("a", Y[sealed_in(rec)], stricter=True)
            sys.setprofile(None)
            os._exit(0)
        finally:
            os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == (0 if k == NEVER else 9)
    n_counted = len(lines(rec))
    assert n_counted == 1 if status == 0 else n_counted in (0, 1)
    # whatever was left, the next opening works and counts
    assert rec.open("b", Y[sealed_in(rec)], stricter=True).number == n_counted + 1


@posix
def test_two_processes_at_once_are_two_openings(tmp_path):
    rec = recorder(tmp_path, planned=8)
    context = multiprocessing.get_context("fork")
    ready, numbers = context.Barrier(2), context.SimpleQueue()

    def act(name):
        ready.wait()
        numbers.put(rec.open(name, Y[sealed_in(rec)]).number)

    processes = [context.Process(target=act, args=(name,)) for name in ("a", "b")]
    for process in processes:
        process.start()
    for process in processes:
        process.join(600)
        assert process.exitcode == 0
    assert sorted(numbers.get() for _ in processes) == [1, 2]


def test_a_read_only_count_shows_nothing(run):
    (openings(run)).chmod(0o444)
    with pytest.raises(OptionError, match=r"can't be counted in .*: it is read-only"):
        run.open("a", LogisticRegression())
    assert lines(run) == []


def test_a_clock_that_is_set_back_does_not_change_the_order(tmp_path, monkeypatch):
    rec = recorder(tmp_path, planned=2)
    rec.open("first", LogisticRegression())
    monkeypatch.setattr("time.time", lambda: 1.0)
    monkeypatch.setattr("time.time_ns", lambda: 10**9)
    assert rec.open("second", LogisticRegression()).number == 2
    searched(rec)
    assert [one.name for one in read(rec.folder).vault.openings] == ["first", "second"]


# Changed folders


def test_a_changed_vault_is_refused(run, tmp_path):
    other = recorder(tmp_path / "other", 1 - Y).folder
    shutil.copy(other / "vault" / "sealed.npz", run.folder / "vault" / "sealed.npz")
    for look in (lambda: run.open("a", LogisticRegression()), lambda: read(run.folder)):
        with pytest.raises(InputError, match="changed after they were sealed"):
            look()


def test_a_sealed_row_among_those_of_the_search_is_refused(run):
    first = np.setdiff1d(np.arange(N), run.rows)[0]
    tampered(run.folder / "design.npz", rows=lambda held: np.r_[held["rows"][:-1], first])
    with pytest.raises(InputError, match="some rows of the vault are among those of the search"):
        read(run.folder)


def test_changed_predictions_and_a_lost_count_are_refused(run):
    run.open("a", LogisticRegression())
    (line,) = lines(run)
    path = run.folder / "vault" / line["file"]
    content = path.read_bytes()
    path.write_bytes(content[:-8] + bytes(8))
    with pytest.raises(InputError, match="predictions opened as 'a' are not those"):
        read(run.folder)
    path.write_bytes(content)
    read(run.folder)
    (openings(run)).unlink()
    with pytest.raises(InputError, match="the count of the openings can't be read"):
        read(run.folder)


def test_a_copy_says_that_it_is_one(run, tmp_path):
    run.open("a", LogisticRegression())
    shutil.copytree(run.folder, tmp_path / "copy" / "run")
    codes = [{note.code for note in opened(at).notes} for at in (tmp_path, tmp_path / "copy")]
    assert ["openings-uncounted" in one for one in codes] == [False, True]
    assert not opened(tmp_path / "copy").opened.counted


def test_a_recording_goes_on_with_its_own_vault_only(run, tmp_path):
    assert np.array_equal(recorder(tmp_path).rows, run.rows)
    for other in ({"vault": 0.3}, {"planned": 2}, {"vault": None}):
        with pytest.raises(InputError, match="of other data, folds or metric"):
            recorder(tmp_path, **other)


def test_a_recording_without_a_vault_is_as_before(tmp_path):
    rec = recorder(tmp_path, vault=None)
    searched(rec)
    assert not (rec.folder / "vault").exists()
    about = json.loads((rec.folder / "bbc-recording.json").read_text())
    assert "vault" not in about
    assert read(rec.folder).vault is None
    with pytest.raises(OptionError, match="no vault"):
        rec.open("a", LogisticRegression())
    with pytest.raises(OptionError, match="planned is 2 without a vault"):
        Recorder(tmp_path / "b", X, Y, planned=2)


@pytest.mark.parametrize(
    "wrong", [0, 0.6, swept(1), swept(-0.2), swept(1.5), swept(float("nan")), swept("a")]
)
def test_shares_outside_0_and_a_half_are_refused(tmp_path, wrong):
    with pytest.raises(OptionError, match="^vault is "):
        recorder(tmp_path, vault=wrong)


def test_predictions_that_do_not_fit_are_not_counted(run):
    for wrong in (np.zeros(3), np.full(60, np.nan), np.array(["a"] * 60)):
        with pytest.raises(OptionError):
            run.open("a", wrong)
    assert lines(run) == []
    assert {path.name for path in (run.folder / "vault").iterdir()} == {
        "sealed.npz",
        "openings.jsonl",
    }


def test_a_converted_recording_says_that_its_vault_stays(run, tmp_path, capsys):
    from bbccli.cli.app import main

    assert main(["convert", str(run.folder), "-o", str(tmp_path / "p.csv")]) == 0
    assert "the vault stays in the recording" in capsys.readouterr().err
