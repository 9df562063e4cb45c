"""Make the small logs of agents: `python make_agents.py`, with pytest installed.

The JUnit XML is written by pytest, a file per agent. Reports of SWE-bench are made by hand, in the
form of swebench 5.0.2 (harness/reporting.py).
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
AGENTS, N = ("ada", "bob", "cyd"), 12
RIGHT = {agent: [(i * (k + 3) + k) % 7 < 4 for i in range(N)] for k, agent in enumerate(AGENTS)}

TESTS = """
import json, os, pytest

RIGHT = json.loads(os.environ["RIGHT"])

@pytest.fixture
def torn():
    yield
    assert RIGHT[10], "not cleaned up"

@pytest.mark.parametrize("i", range(9))
def test_item(i):
    assert RIGHT[i]

def test_crash():
    if not RIGHT[9]:
        raise TimeoutError("no answer in time")

def test_torn(torn):
    pass

@pytest.mark.xfail(reason="too hard so far")
def test_hard():
    assert RIGHT[11]

def test_skipped():
    if RIGHT[0] != RIGHT[1]:
        pytest.skip("no answer")
"""


def junit():
    """A file per agent: passed, failed, an error when torn down, expected to fail, skipped."""
    with TemporaryDirectory() as folder:
        Path(folder, "test_items.py").write_text(TESTS)
        for agent, right in RIGHT.items():
            path = HERE / "junit" / f"{agent}.xml"
            command = [sys.executable, "-m", "pytest", "-q", "--tb=line", "-p", "no:cacheprovider"]
            command += ["-c", os.devnull, f"--rootdir={folder}", f"--junitxml={path}", folder]
            environment = os.environ | {"RIGHT": json.dumps(right)}
            subprocess.run(command, env=environment, capture_output=True, check=False)
            text = path.read_text().replace(folder, ".")
            path.write_text(re.sub(r' hostname="[^"]*"', "", text) + "\n")


def swebench():
    """A report per agent; the last instance is never submitted, the one before is an error."""
    for k, (agent, right) in enumerate(RIGHT.items()):
        ids = [f"proj{i % 4}__repo-{100 + i}" for i in range(N)]
        resolved = [ids[i] for i in range(N - 3) if right[i]]
        unresolved = [ids[i] for i in range(N - 3) if not right[i]]
        lists = {
            "completed_ids": sorted(resolved + unresolved),
            "incomplete_ids": ids[-1:],
            "empty_patch_ids": ids[-3:-2],
            "submitted_ids": sorted(ids[:-1]),
            "resolved_ids": sorted(resolved),
            "unresolved_ids": sorted(unresolved),
            "error_ids": ids[-2:-1],
        }
        counts = {"total_instances": N, "resolved_instances": len(resolved)}
        report = {**counts, **lists, "schema_version": 2}
        path = HERE / "swebench" / f"org__{agent}-4.{k}.run1.json"
        path.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    junit()
    swebench()
