"""Populations of a few rows and configurations."""

import pytest
from day import swept
from tiny_tables import table

from bbccli.types import Task
from benchmarks.bank import judging, learners, populations, studies
from benchmarks.bank.items import items
from benchmarks.bank.populations import Half, Population
from benchmarks.bank.variants import variants
from benchmarks.bank.work import Work


@pytest.fixture
def tiny(monkeypatch):
    """A maker of populations with few configurations: tiny("name", metrics=...)."""
    monkeypatch.setattr(learners, "FOR_CLASSES", (learners.neighbours, learners.trees))
    monkeypatch.setattr(learners, "FOR_VALUES", (learners.neighbours, learners.linear))
    monkeypatch.setattr(judging, "N_RESAMPLES", 40)
    studies.population_rows.cache_clear()

    def make(name="tiny", metrics=("accuracy", "auc"), task=Task.BINARY, **given):
        given = {"half": Half.DEVELOPMENT, "kind": "tiny", "sizes": (50,)} | given
        load = given.pop("load", lambda: table(task))
        one = Population(name=name, task=task, metrics=metrics, load=load, **given)
        monkeypatch.setitem(populations.BY_NAME, name, one)
        return one

    yield make
    studies.population_rows.cache_clear()


A_FEW = {("bbc", "percentile"), ("bbc", "matched"), ("bbc-632", "percentile")}
A_FEW |= {("bbc-eb", "calibrated"), ("cvt", "")}


@pytest.fixture(params=["a few", swept("all")])
def judged(request):
    """Variants enough to tell methods and intervals apart, and in a sweep all."""
    if request.param == "all":
        return variants()
    few = [one for one in variants() if (one.method, one.interval) in A_FEW]
    assert len(few) == len(A_FEW)
    return few


@pytest.fixture
def bank(tiny, tmp_path, judged):
    """Work on a tiny population: bank(n_repetitions, variants) -> the number of items done."""
    one = tiny()

    def run(n_repetitions=2, every=None):
        todo = items([one], [], n_repetitions, 0)
        done = Work(tmp_path / "store", tmp_path / "matrices", every or judged)
        return done.run(todo, 1e9)

    return run
