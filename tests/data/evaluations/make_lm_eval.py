"""Make the folders in `lm_eval/` with the command line of lm-eval 0.4.13 and its model `dummy`.

    python make_lm_eval.py

Twelve documents with four choices, and eight whose answers two filters read. Answers are random:
nobody is better than chance.
"""

import json
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

OUT = Path(__file__).parent / "lm_eval"
CHOICE = """task: choice
dataset_path: json
dataset_kwargs: {data_files: {test: choice.jsonl}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: choices
doc_to_target: answer
metric_list: [{metric: acc}, {metric: acc_norm}]
"""
WRITTEN = """task: written
dataset_path: json
dataset_kwargs: {data_files: {test: written.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{answer}}"
metric_list: [{metric: exact_match}]
filter_list:
  - {name: strict, filter: [{function: take_first}]}
  - {name: flexible, filter: [{function: regex, regex_pattern: "l(.)l"}, {function: take_first}]}
"""
RUNS = [
    ("choice,written", ["--model_args", "pretrained=org/one,revision=step1"], 1),
    ("choice,written", ["--model_args", "pretrained=org/one,revision=step2"], 2),
    ("choice,written", ["--model_args", "pretrained=org/two"], 3),
    ("choice,written", ["--model_args", "pretrained=org/two"], 4),
]
NAMELESS = [("choice", "first", 5), ("choice", "first", 6), ("choice", "second", 7)]
"""Runs without arguments of the model: their folders are called at random."""


def make(tasks, options, seed, place):
    from lm_eval.__main__ import cli_evaluate

    random.seed(seed)
    sys.argv = ["lm_eval", "--model", "dummy", "--tasks", tasks, "--include_path", "."]
    sys.argv += ["--log_samples", "--output_path", str(place), "--seed", str(seed), *options]
    cli_evaluate()


def main():
    out, work = OUT.resolve(), Path(tempfile.mkdtemp())
    shutil.rmtree(out, ignore_errors=True)
    os.chdir(work)
    os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(work / "hf")}
    (work / "choice.yaml").write_text(CHOICE)
    (work / "written.yaml").write_text(WRITTEN)
    choice = [
        {"question": f"Item {i}?", "choices": list("abcd"), "answer": i % 4, "subject": f"s{i % 3}"}
        for i in range(12)
    ]
    answers = ("lol", "o", "other")
    written = [{"question": f"Write {i}.", "answer": answers[i % 3]} for i in range(8)]
    for name, docs in (("choice", choice), ("written", written)):
        (work / f"{name}.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in docs))
    for tasks, options, seed in RUNS:
        make(tasks, options, seed, out / "named")
    for tasks, folder, seed in NAMELESS:
        make(tasks, [], seed, out / "nameless" / folder)
    for path in out.rglob("*"):  # environment and settings of the machine
        if path.name.startswith("results"):
            results = json.loads(path.read_text())
            results |= {"pretty_env_info": "", "configs": cleaned(results["configs"])}
            path.write_text(json.dumps(results, indent=1))


def cleaned(configs):
    kept = ("task", "metric_list", "output_type", "filter_list", "num_fewshot", "repeats")
    return {task: {key: one[key] for key in kept if key in one} for task, one in configs.items()}


if __name__ == "__main__":
    main()
