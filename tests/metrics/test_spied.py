"""scikit-learn's own tests of its metrics: `bbc` has the same values."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

SUITES = ("test_classification.py", "test_ranking.py", "test_regression.py")


@pytest.mark.sweep
def test_every_metric_that_the_tests_of_scikit_learn_compute(tmp_path):
    """Those that ship with it; a call that `bbc` refuses is one that it documents to refuse."""
    import sklearn.metrics

    folder = Path(sklearn.metrics.__file__).parent / "tests"
    suites = [str(folder / name) for name in SUITES if (folder / name).is_file()]
    if not suites:
        pytest.skip("this scikit-learn has no tests")
    seen = tmp_path / "seen.jsonl"
    options = ["-q", "-p", "spying", "-p", "no:cacheprovider", "-W", "ignore"]
    options += ["--rootdir", str(tmp_path), "--noconftest"]
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    subprocess.run(
        [sys.executable, "-m", "pytest", *options, *suites],
        env=os.environ | {"BBC_SPIED": str(seen), "PYTHONPATH": paths},
        cwd=tmp_path,
        check=False,
        timeout=600,
        capture_output=True,
    )
    calls = [json.loads(line) for line in seen.read_text().splitlines()]
    different = [one for one in calls if one[2] == "different"]
    assert not different, (len(different), different[:3])
    counts = Counter(kind for *_, kind, _ in calls)
    assert counts["equal"] > 150
    assert len({metric for _, metric, kind, _ in calls if kind == "equal"}) > 12
    assert counts["refused"] < counts["equal"]
