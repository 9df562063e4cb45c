"""Ctrl-C on a real process in the middle of its work."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from day import swept

resource = pytest.importorskip("resource", reason="POSIX")

ROOT = Path(__file__).parents[2]


METRIC = """
from dataclasses import replace
from pathlib import Path

from bbccli import METRICS


def bind(outcome, predictions):
    scorer = METRICS["auc"].bind(outcome, predictions)
    Path("begun").touch()
    return scorer


M = replace(METRICS["auc"], name="m", bind=bind)
"""


def _heed_interrupts():
    """Jobs in the background of a shell ignore Ctrl-C, and so would what they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("jobs", ["1", swept("2")])
def test_a_long_run_ends_at_once_and_leaves_nothing(tmp_path, jobs):
    source = tmp_path / "p.parquet"
    source.write_bytes((ROOT / "sample_data" / "breast_cancer.parquet").read_bytes())
    (tmp_path / "sign.py").write_text(METRIC)
    command = [sys.executable, "-m", "bbccli", "correct", "p.parquet", "--jobs", jobs]
    options = ["--n-resamples", "1000000", "--method", "bbc", "--metric", "sign:M"]
    options += ["--output", "result.txt"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    since = used.ru_utime + used.ru_stime
    with subprocess.Popen(
        [*command, *options],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_heed_interrupts,  # noqa: PLW1509 -- nothing is shared with threads
    ) as process:
        while not (tmp_path / "begun").exists() and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.5)  # into the resamples
        assert process.poll() is None, "ended before it was interrupted"
        before = sum(psutil.Process(process.pid).cpu_times()[:2])
        process.send_signal(signal.SIGINT)
        try:
            _, err = process.communicate(timeout=600)
        finally:
            process.kill()
    assert process.returncode == 130
    assert err == "interrupted; no result was written\n"
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert used.ru_utime + used.ru_stime - since - before < 5  # a busy machine is no slow end
    assert sorted(path.name for path in tmp_path.iterdir()) == ["begun", "p.parquet", "sign.py"]


SWALLOWED = """
import ctypes
import signal
import time
from dataclasses import replace
from pathlib import Path

from bbccli import METRICS


@ctypes.CFUNCTYPE(None)
def swallow():
    signal.raise_signal(signal.SIGINT)


def bind(outcome, predictions):
    {in_bind}
    time.sleep(3600)


{in_import}
Path("imported").touch()
M = replace(METRICS["auc"], name="m", bind=bind)
"""


@pytest.mark.parametrize(
    ("in_import", "in_bind"),
    [("pass", "swallow()"), ("signal.raise_signal(signal.SIGINT)", "pass")],
    ids=["callback", "import"],
)
def test_ctrl_c_that_gets_lost_or_comes_within_an_import_ends_the_run(tmp_path, in_import, in_bind):
    (tmp_path / "sign.py").write_text(SWALLOWED.format(in_import=in_import, in_bind=in_bind))
    command = [sys.executable, "-m", "bbccli", "correct", "--metric", "sign:M"]
    result = subprocess.run(
        [*command, str(ROOT / "sample_data" / "breast_cancer.parquet")],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        preexec_fn=_heed_interrupts,
        check=False,
    )
    assert (result.returncode, result.stderr) == (130, "interrupted; no result was written\n")
    assert (tmp_path / "imported").exists()
