"""Make the results in `promptfoo/` with promptfoo 0.121.20 and providers that look answers up.

    python make_promptfoo.py PROMPTFOO

Three providers with three prompts, 60 tests, two assertions each, five requests that fail.
`PROMPTFOO` is its program; numpy is needed.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

OUT = Path(__file__).parent / "promptfoo"
PROVIDERS = ("fast", "smart", "cheap")
PROMPTS = ("Answer: {{q}}", "Think, then answer: {{q}}", "You are an expert. {{q}}")
N, K = 60, len(PROVIDERS) * len(PROMPTS)
OFFLINE = ("DISABLE_TELEMETRY", "DISABLE_UPDATE", "DISABLE_REMOTE_GENERATION", "SELF_HOSTED")
PROVIDER = """
const data = require('./data.json');
const starts = ['Answer:', 'Think,', 'You are'];
module.exports = class {
  id() { return '%s'; }
  async callApi(prompt) {
    const i = +prompt.match(/item (\\d+)/)[1];
    const k = %d * 3 + starts.findIndex((start) => prompt.startsWith(start));
    if (data.failing.some((one) => one[0] === k && one[1] === i))
      return { error: 'Provider timed out after 300 s' };
    const output = JSON.stringify({ a: data.hits[i][k] ? 'yes' : 'no', f: data.overlap[i][k] });
    return { output, tokenUsage: { total: 10 } };
  }
};
"""


def simulated(seed):
    """Hits and overlaps (N, K): templates and items of unlike difficulty, prompts nearly alike."""
    rng = np.random.default_rng(seed)
    ability = 0.4 + 0.15 * np.sort(rng.normal(size=K))
    rng.shuffle(ability)
    template = np.arange(N) % 10
    difficulty = rng.normal(0, 0.6, 10)[template] + rng.normal(0, 0.9, N)
    logits = ability - difficulty[:, None] + rng.normal(0, 0.5, (N, K))
    hits = rng.random((N, K, 1)) < 1 / (1 + np.exp(-logits))[:, :, None]
    overlap = np.where(hits, rng.beta(8, 2, hits.shape), rng.beta(2, 5, hits.shape))
    return hits[:, :, 0], np.clip(overlap, 0, 1).round(3)[:, :, 0], template


def test(i, template):
    asserted = [
        {"type": "contains", "value": '"a":"yes"', "metric": "correct"},
        {"type": "javascript", "value": "JSON.parse(output).f", "metric": "f1", "threshold": 0},
    ]
    described = {"description": f"item {i}"} if i % 2 else {}
    return {"vars": {"q": f"item {i}?", "subject": f"s{template}"}, "assert": asserted, **described}


def main(program):
    hits, overlap, templates = simulated(11)
    rng = np.random.default_rng(201)
    failing = [[int(rng.integers(K)), int(rng.integers(N))] for _ in range(5)]
    work = Path(tempfile.mkdtemp())
    data = {"hits": hits.tolist(), "overlap": overlap.tolist(), "failing": failing}
    (work / "data.json").write_text(json.dumps(data))
    for j, name in enumerate(PROVIDERS):
        (work / f"{name}.js").write_text(PROVIDER % (name, j))
    settings = {
        "prompts": PROMPTS,
        "providers": [f"file://{name}.js" for name in PROVIDERS],
        "tests": [test(i, templates[i]) for i in range(N)],
    }
    (work / "promptfooconfig.json").write_text(json.dumps(settings))
    forms = ("json", "jsonl", "csv")
    command = [program, "eval", "-c", "promptfooconfig.json", "--no-cache", "-j", "1"]
    command += [part for form in forms for part in ("-o", f"results.{form}")]
    own = {f"PROMPTFOO_{name}": "1" for name in OFFLINE}
    own |= {"PROMPTFOO_CONFIG_DIR": str(work / "settings")}
    subprocess.run(command, cwd=work, env=os.environ | own, check=False)  # 100 where tests fail
    for form in forms:
        text = (work / f"results.{form}").read_text().replace(str(work), ".")
        (OUT / f"results.{form}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
