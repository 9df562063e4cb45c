"""`make validate`: other studies take a part of its time, and pages are renewed."""

from types import SimpleNamespace

import pytest

from benchmarks.bank import __main__ as module

pytestmark = pytest.mark.sweep


@pytest.fixture
def called(monkeypatch):
    """What is called with how many seconds, in order; nothing is worked on."""
    calls = []
    clock = SimpleNamespace(now=1000.0)

    class Work:
        def __init__(self, *_):
            pass

        def run(self, _, seconds):
            calls.append(("bank", seconds))
            return 0

    def repeat(_, seconds):
        calls.append(("studies", seconds))
        clock.now += 35
        return 0

    monkeypatch.setattr(module, "Work", Work)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr(module.validation, "repeat", repeat)
    monkeypatch.setattr(module.validation, "renew", lambda: calls.append(("renew", 0)))
    monkeypatch.setattr(module, "renew", lambda _: None)
    return calls


@pytest.mark.sweep
def test_other_studies_take_a_part_of_the_minutes(called):
    module.main(["--minutes", "10"])
    (first, seconds), (second, rest), (third, _) = called
    assert (first, second, third) == ("studies", "bank", "renew")
    assert seconds == pytest.approx(90)
    assert rest == 600 - 35  # what they leave


def test_named_populations_are_alone(called):
    module.main(["--minutes", "1", "--population", "cells", "--no-pages"])
    assert [name for name, _ in called] == ["bank"]


@pytest.mark.sweep
def test_without_minutes_only_the_pages_are_renewed(called):
    module.main(["--minutes", "0"])
    assert [name for name, _ in called] == ["renew"]
