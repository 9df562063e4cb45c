"""Every metric on every sample file that it is for, and the options that belong to metrics."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

FAST = ("--n-resamples", "20", "--method", "cvt", "--method", "bbc")


def result(run, path, *options):
    return json.loads(run.printed("correct", path, "--format", "json", *options))


class TestThreshold:
    def test_it_cuts_probabilities(self, run, samples):
        path = samples / "progression.parquet"
        recall = [
            result(run, path, "--metric", "accuracy", "--metric", "recall", *FAST, *cut)[
                "estimates"
            ]
            for cut in ((), ("--threshold", "0.5"), ("--threshold", "0.9"))
        ]
        assert recall[0] == recall[1]
        assert recall[2] != recall[0]


class TestRiskDirection:
    @pytest.mark.sweep
    def test_it_mirrors_the_concordance(self, run, samples):
        path = samples / "whas500.parquet"
        found = result(run, path, *FAST, "--risk-direction", "later")
        assert found["estimates"][0]["value"] < 0.5
        assert "risk-reversed" in [note["code"] for note in found["notes"]]
        assert result(run, path, *FAST, "--risk-direction", "earlier") == result(run, path, *FAST)

    def test_it_is_for_survival(self, run, samples):
        path = samples / "progression.parquet"
        assert "survival" in run.refused("correct", path, "--risk-direction", "later")


class TestWeights:
    def weighted(self, samples, tmp_path, weights, name="weight"):
        table = pq.read_table(samples / "progression.parquet")
        path = tmp_path / "weighted.parquet"
        pq.write_table(table.append_column(name, pa.array(weights)), path)
        return path

    def test_weights_count(self, run, samples, tmp_path):
        path = self.weighted(samples, tmp_path, [1.0 + i % 3 for i in range(80)], "importance")
        ours = result(run, path, *FAST, "--weight", "importance")["estimates"]
        plain = result(run, samples / "progression.parquet", *FAST)["estimates"]
        assert ours[1]["value"] != plain[1]["value"]


@pytest.mark.sweep
def test_a_metric_of_ones_own(run, samples, tmp_path, monkeypatch):
    (tmp_path / "mymetrics.py").write_text(
        "from dataclasses import replace\n"
        "from bbccli import METRICS\n"
        "OWN = replace(METRICS['accuracy'], name='own', label='own share')\n"
        "NOT = 3\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    path = samples / "progression.parquet"
    own = result(run, path, "--metric", "mymetrics:OWN", *FAST)["estimates"]
    accuracy = result(run, path, "--metric", "accuracy", *FAST)["estimates"]
    assert [e["value"] for e in own] == [e["value"] for e in accuracy]
    assert {e["metric"] for e in own} == {"own"}
    for wrong in ("mymetrics:NOT", "mymetrics:GONE", "nomodule:OWN"):
        assert len(run.refused("correct", path, "--metric", wrong).splitlines()) == 2


class TestClip:
    @pytest.mark.sweep
    def test_it_is_an_option_of_the_plan(self, run, samples):
        path = samples / "progression.parquet"
        plain, wide = (
            result(run, path, "--metric", "log-loss", *FAST, *clip)
            for clip in ((), ("--clip", "0.3"))
        )
        assert (plain["plan"]["clip"], wide["plan"]["clip"]) == (2**-23, 0.3)
        assert wide["estimates"][0]["naive"] < plain["estimates"][0]["naive"]
        assert [n["code"] for n in wide["notes"]].count("clipped-probabilities") == 1
