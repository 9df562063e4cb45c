"""Make the logs in `inspect_ai/` with inspect_ai 0.3.285 and mock models.

    python make_inspect_ai.py

Twelve additions, asked twice, by two models with two prompts each. Members of `samples/` and
lists of events are left out of the logs, for they hold paths and make them large.
"""

import json
import os
import shutil
import zipfile
from pathlib import Path

os.environ |= {"INSPECT_DISPLAY": "none", "INSPECT_LOG_LEVEL": "error"}

import numpy as np
from inspect_ai import Epochs, Task, eval_retry, task
from inspect_ai import eval as run_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, match, mean, scorer, stderr
from inspect_ai.solver import solver, system_message

OUT = Path(__file__).parent / "inspect_ai"
MODELS = ("alpha-7b", "beta-8b")
PROMPTS = {"short": "Answer with the number.", "cot": "Think step by step, then answer."}
ZSTD = 93
RNG = np.random.default_rng(7)
A, B = RNG.integers(10, 99, (2, 12))
HITS = RNG.random((12, 4, 2)) < 0.6
SAMPLES = [
    Sample(
        f"What is {a} + {b}?", target=str(a + b), id=f"q{i:02}", metadata={"subject": f"s{i % 4}"}
    )
    for i, (a, b) in enumerate(zip(A, B, strict=True))
]
FAILING = set()
"""Item, configuration and epoch of the requests that fail."""


def position(state):
    return int(state.sample_id[1:])


@solver
def answer(prompt):
    async def solve(state, generate):
        k = 2 * MODELS.index(state.model.name) + list(PROMPTS).index(prompt)
        at = position(state), k, state.epoch - 1
        if at in FAILING:
            raise RuntimeError("request failed")
        text = state.target.text if HITS[at] else "1000"
        state.output = ModelOutput.from_content("mockllm", text)
        return state

    return solve


@scorer(metrics=[mean(), stderr()])
def overlap():
    async def score(state, target):
        return Score(value=round(((position(state) * 7 + state.epoch) % 11) / 10, 3))

    return score


@scorer(metrics={"fluent": [mean()], "brief": [mean()]})
def judge():
    async def score(state, target):
        return Score(value={"fluent": position(state) % 5 + 1, "brief": state.epoch == 1})

    return score


@scorer(metrics=[mean()])
def sometimes():
    async def score(state, target):
        at = position(state)
        return Score.unscored(reason="no verdict") if at == 3 else Score(value="CPIN"[at % 4])

    return score


@task
def addition(prompt="short", scorers="usual", epochs=2):
    chosen = [match(numeric=True), overlap()] if scorers == "usual" else [judge(), sometimes()]
    return Task(
        dataset=MemoryDataset(SAMPLES, name="addition"),
        solver=[system_message(PROMPTS[prompt]), answer(prompt)],
        scorer=chosen,
        epochs=epochs,
    )


def run(model, prompt, folder, *, form="eval", scorers="usual", **options):
    made = addition(prompt=prompt) if scorers == "usual" else addition(prompt, scorers)
    options = {"fail_on_error": False} | options
    return run_eval(
        made, model=f"mockllm/{model}", log_dir=str(OUT / folder), log_format=form, **options
    )[0]


def slim(path):
    """Leave out the members of `samples/`."""
    with zipfile.ZipFile(path) as old:
        members = [(m.filename, old.read(m)) for m in old.infolist()]
    with zipfile.ZipFile(path, "w", ZSTD) as new:
        for name, content in members:
            if not name.startswith("samples/"):
                new.writestr(name, content)


def cut(path, place):
    """Keep what a run leaves that is killed: the journal without its last part."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(place, "w", ZSTD) as new:
        names = [m.filename for m in old.infolist() if m.filename.startswith("_journal/")]
        for name in names[:-1]:
            new.writestr(name, old.read(name))


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    FAILING.update({(4, 0, 0), (9, 1, 1)})
    for model in MODELS:
        for prompt in PROMPTS:
            run(model, prompt, "logs")
    FAILING.clear()
    for prompt in PROMPTS:
        run("alpha-7b", prompt, "json", form="json", limit=5)
        run("alpha-7b", prompt, "judged", scorers="judged")
    run("alpha-7b", "short", "reduced", epochs=Epochs(2, "max"))
    FAILING.update({(4, 0, 0)})
    failed = run("alpha-7b", "short", "failed", fail_on_error=True)
    FAILING.clear()
    eval_retry(failed.location, log_dir=str(OUT / "failed"))
    for path in OUT.rglob("*.eval"):
        slim(path)
    (OUT / "killed").mkdir()
    first = min((OUT / "logs").iterdir())
    cut(first, OUT / "killed" / first.name)
    for path in OUT.rglob("*.json"):
        log = json.loads(path.read_text())
        for sample in log["samples"]:
            sample |= {"events": [], "messages": []}
        path.write_text(json.dumps(log))


if __name__ == "__main__":
    main()
