"""What a command says that it does, in the order in which it does it."""

import pytest

from bbccli.analysis.answer import answer
from bbccli.analysis.options import Analysis
from bbccli.core.progress import enter, silent


class Heard:
    """A progress that keeps what it is told."""

    def __init__(self):
        self.phases, self.counts = [], {}

    def enter(self, phase):
        self.phases.append(phase)

    def __call__(self, done, total):
        self.counts[self.phases[-1]] = (done, total)


@pytest.mark.parametrize("method", ["bbc", "bbcd", "tilting", "naive", "tt"])
def test_every_count_belongs_to_a_phase(samples, method):
    heard = Heard()
    asked = Analysis(method=(method,), metric=("accuracy",), n_resamples="64")
    answer(asked, [str(samples / "progression.parquet")], progress=heard)
    assert heard.phases[:2] == ["reading", f"working out {method}"]
    resampled = heard.counts.get(f"resampling {method}")
    assert resampled == (None if method == "tt" else (64, 64))
    if method == "bbcd":
        assert heard.counts["dropping for bbcd"] == (10, 10)
        assert heard.phases[-1] == "resampling bbcd"


def test_a_callable_without_phases_will_do():
    enter(silent, "reading")
    enter(lambda done, total: None, "reading")
