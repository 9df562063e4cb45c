"""Make the small logs of agents: `python make_agents.py`, with pytest installed.

The JUnit XML is written by pytest, a file per agent. The reports of SWE-bench are genuine, under
the MIT licence: those in swebench/ are of github.com/backspacevenkat/polydev-swe-bench (two of the
harness, and one of sb-cli, from sb-cli-reports/), the one in swebench_ambiguous/ is of
github.com/m1o0/swe-bench-lite-37. Only `incomplete_ids` is cut, to the instances of the other
reports and a few more, with `total_instances`; and `unremoved_images` is emptied.
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


if __name__ == "__main__":
    junit()
