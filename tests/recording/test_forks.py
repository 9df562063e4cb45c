"""Recorders in several processes: forked, spawned or in a pool; nothing is lost or doubled."""

import multiprocessing
import os
import signal

import numpy as np
import pytest
from recordings import about, parts_of, recorder, scored, search
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from bbccli.reading import read

GRID = {"C": [0.01, 0.1, 1.0, 10.0]}
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks of POSIX")


def what(folder):
    """All that counts of a recording, whoever wrote it and when."""
    run = read(folder)
    assert run.source.run.damaged == ()
    scores = sorted(one.value for one in run.source.run.leaderboard)
    return run.configurations, run.predictions.tolist(), scores, run.source.run.again


@pytest.mark.sweep
@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_searches_in_any_kind_of_workers_record_the_same(tmp_path, backend):
    from joblib import parallel_config

    alone, many = (recorder(tmp_path / name) for name in ("alone", "many"))
    alone.finish(search(alone, LogisticRegression(), GRID))
    with parallel_config(backend=backend, n_jobs=3):
        made = search(many, LogisticRegression(), GRID, return_train_score=True)
    verified = many.finish(made)
    assert (verified.n_candidates, verified.n_fits, verified.incomplete) == (4, 12, ())
    assert len(parts_of(many.folder)) == 12
    assert what(many.folder) == what(alone.folder)


@posix
def test_many_forks_at_once_never_share_a_name(tmp_path):
    """They have the same random state, the same counter, and begin at the same moment."""
    rec = recorder(tmp_path)
    context = multiprocessing.get_context("fork")
    ready = context.Barrier(8)

    def act(number):
        ready.wait()
        for fold, (_, test) in enumerate(rec.cv):
            rec.write(f"m{number}", test, np.full(len(test), number / 10), fold=fold)

    processes = [context.Process(target=act, args=(number,)) for number in range(8)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(600)
        assert process.exitcode == 0
    run = read(rec.folder)
    assert sorted(run.configurations) == [f"m{number}" for number in range(8)]
    assert run.source.run.again == run.source.run.tried_again == ()
    for name, values in zip(run.configurations, run.predictions[0].T, strict=True):
        assert (values == int(name[1:]) / 10).all()


@posix
def test_forks_that_are_killed_lose_what_they_were_at_alone(tmp_path):
    rec = recorder(tmp_path)
    scorer, chance = rec.scorer, np.random.default_rng(0)
    for k in range(1, 9):
        left, right = multiprocessing.Pipe()
        child = os.fork()
        if not child:
            try:
                for split in range(3):
                    scored(rec, scorer, KNeighborsClassifier(k), slice(split, split + 1))
                    right.send(split)
                signal.pause()
            finally:
                os._exit(1)
        goal = int(chance.integers(0, 4))
        for _ in range(goal):
            assert left.poll(60)
            left.recv()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        written = [about(file)["params"]["n_neighbors"] for file in parts_of(rec.folder)]
        assert written.count(k) >= goal
    for k in range(1, 9):  # once more, as one begins a search again
        scored(rec, scorer, KNeighborsClassifier(k))
    run = read(rec.folder)
    assert run.n_configurations == 8
    about_run = run.source.run
    assert about_run.damaged == about_run.tried_again == ()  # equal predictions count once
