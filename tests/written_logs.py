"""Logs of evaluations as their frameworks write them, from scores: for laws over all readers."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

Scores = Mapping[int, Sequence[float]]
"""Of each item, its scores in its epochs."""


class Run(NamedTuple):
    """A run of a model."""

    model: str
    scores: Scores
    time: Any = "2024-01-01T00:00:00.5Z"


IN_ORDER = (
    "2023-12-31",
    1704153600,  # 2024-01-02T00:00Z
    "2024-1-2 9:05:00 UTC",
    "2024-01-02T23:30:00+02:00",
    "2024-01-02T22:00:00Z",
    "2024-01-02T18:00:00-0500",
    1704240000000,  # milliseconds: 2024-01-03T00:00Z
    "2024-01-03T00:00:00.000001Z",
    "2024/01/04",
    "2024-01-9 00:00:00",
    "2024-01-10 00:00:00",
    "2024-01-10T12-15-59.123456",
    "2024-01-10T12-15-59.2",
    "2024-01-12",
)
"""Times of runs, as frameworks write them."""

UNKNOWN = {
    "the day alone": ("2024-01-09", "2024-01-09 08:00"),
    "the same second": ("2024-01-09T08:00:00Z", "2024-01-09T08:00:00.5Z"),
    "the same time": ("2024-01-09T08:00:00.5Z", "2024-01-09T10:00:00.5+02"),
    "a clock without a zone": ("2024-01-09T08:00:00", "2024-01-09T12:00:00Z"),
    "the same number": (1704153600, "1704153600"),
}
"""Two times whose order the text does not tell."""


def flat(run: Run, random: Random) -> list[tuple[int, int, float]]:
    """Item, epoch and score in any order, but for the order of epochs."""
    rows = [(i, e, s) for i, own in run.scores.items() for e, s in enumerate(own)]
    random.shuffle(rows)
    return sorted(rows, key=lambda row: row[1]) if random.random() < 0.5 else rows


def write(folder: Path, name: str, content: Any) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def lines(rows: Sequence[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def named(runs: Sequence[Run], random: Random) -> list[tuple[str, Run]]:
    """Runs in any order, each with the stem of a file of its own."""
    stems = [f"f{k}" for k in range(len(runs))]
    random.shuffle(stems)
    return random.sample([*zip(stems, runs, strict=True)], len(runs))


def inspect(folder: Path, runs: Sequence[Run], random: Random) -> None:
    for stem, run in named(runs, random):
        samples = [
            {"id": i, "epoch": e + 1, "input": f"q{i}", "target": f"a{i}",
             "scores": {"match": {"value": s}}}
            for i, e, s in flat(run, random)
        ]  # fmt: skip
        spec = {"task": "t", "task_version": 0, "model": run.model, "created": run.time}
        log = {"version": 2, "status": "success", "eval": spec, "plan": {}, "results": {}}
        write(folder, f"{stem}.json", log | {"samples": samples})


def lm_eval(folder: Path, runs: Sequence[Run], random: Random) -> None:
    """Of several epochs each is a run with a seed of its own."""
    for stem, run in named(runs, random):
        for epoch in range(max(map(len, run.scores.values()))):
            rows = [
                {"doc_id": i, "doc": {"question": f"q{i}", "level": "easy"}, "filter": "none",
                 "metrics": ["acc"], "doc_hash": f"h{i}", "acc": own[epoch]}
                for i, own in run.scores.items() if epoch < len(own)
            ]  # fmt: skip
            random.shuffle(rows)
            time = run.time if "T" in str(run.time) and "-15-" in run.time else TIME_OF_FILES
            args = {"model": "hf", "model_args": {"pretrained": run.model}, "random_seed": epoch}
            place = f"{stem}/{epoch}"
            write(folder, f"{place}/samples_t_{time}.jsonl", lines(rows))
            write(folder, f"{place}/results_{time}.json", {"config": args})


TIME_OF_FILES = "2024-05-03T12-15-01.123456"


def _promptfoo(runs: Sequence[Run], random: Random) -> list[dict[str, Any]]:
    """Rows in which two tests each have the same variables, but other assertions."""
    order = random.sample(range(len(runs)), len(runs))
    rows = [
        {"promptIdx": order[k], "testIdx": 2 * i + e, "provider": {"id": run.model},
         "prompt": {"raw": "p", "label": "p"}, "vars": {"q": i // 2}, "success": bool(s),
         "score": s, "namedScores": {}, "failureReason": 0 if s else 1, "gradingResult": {},
         "testCase": {"assert": [{"type": "equals", "value": str(i)}]}}
        for k, run in enumerate(runs) for i, e, s in flat(run, random)
    ]  # fmt: skip
    return random.sample(rows, len(rows))


def promptfoo(folder: Path, runs: Sequence[Run], random: Random) -> None:
    """A file for the runs of each time."""
    for number, time in enumerate(dict.fromkeys(run.time for run in runs)):
        rows = _promptfoo([run for run in runs if run.time == time], random)
        results = {"version": 3, "timestamp": time, "results": rows, "prompts": []}
        stem = number if random.random() < 0.5 else 9 - number
        write(folder, f"{stem}.json", {"evalId": "e", "config": {}, "results": results})


def promptfoo_lines(folder: Path, runs: Sequence[Run], random: Random) -> None:
    write(folder, "r.jsonl", lines(_promptfoo(runs, random)))


def promptfoo_table(folder: Path, runs: Sequence[Run], random: Random) -> None:
    """A table, in which descriptions tell tests with the same variables apart."""
    runs = random.sample(runs, len(runs))
    head = ["Description", "q"]
    for run in runs:
        head += [f"[{run.model}] p", "Status", "Score", "Named Scores", "Grader Reason", "Comment"]
    rows = []
    for i, own in runs[0].scores.items():
        for e in range(len(own)):
            rows.append([f"test {i}", str(i // 2)])
            for run in runs:
                s = run.scores[i][e]
                rows[-1] += ["out", "PASS" if s else "FAIL", f"{s:.2f}", "{}", "", ""]
    sink = io.StringIO()
    csv.writer(sink).writerows([head, *random.sample(rows, len(rows))])
    write(folder, "r.csv", sink.getvalue())


def swebench(folder: Path, runs: Sequence[Run], random: Random) -> None:
    for run in runs:
        ids = {right: [f"o__r-{i}" for i, (s, *_) in run.scores.items() if s == right]
               for right in random.sample((0, 1), 2)}  # fmt: skip
        report = {"total_instances": len(run.scores), "resolved_instances": len(ids[1])}
        report |= {"resolved_ids": ids[1], "unresolved_ids": random.sample(ids[0], len(ids[0]))}
        write(folder, f"{run.model}.r.json", report)


def junit(folder: Path, runs: Sequence[Run], random: Random) -> None:
    for stem, run in named(runs, random):
        cases = "".join(
            f'<testcase classname="c" name="t{i}">{"" if s else "<failure/>"}</testcase>'
            for i, _, s in flat(run, random)
        )
        attributes = f'name={quoteattr(run.model)} timestamp="{run.time}"'
        write(folder, f"{stem}.xml", f"<testsuite {attributes}>{cases}</testsuite>")


def deepeval(folder: Path, runs: Sequence[Run], random: Random) -> None:
    for stem, run in named(runs, random):
        cases = [
            {"name": f"test_case_{n}", "input": f"q{i}", "success": bool(s),
             "metricsData": [{"name": "exact", "score": s, "success": bool(s)}]}
            for n, (i, _, s) in enumerate(flat(run, random))
        ]  # fmt: skip
        log = {"testCases": cases, "metricsScores": [], "hyperparameters": {"model": run.model}}
        own = str(run.time).startswith("test_run_")
        write(folder, f"{stem}/{run.time if own else 'test_run_20240101_000000'}.json", log)


def every_eval_ever(folder: Path, runs: Sequence[Run], random: Random) -> None:
    for stem, run in named(runs, random):
        time = run.time if isinstance(run.time, int) else 1704067200
        rows = [
            {"schema_version": "0.3.0", "evaluation_id": f"e/{run.model}/{time}",
             "model_id": run.model, "evaluation_name": "e", "sample_id": f"q{i}",
             "interaction_type": "single_turn", "input": {"raw": f"q{i}", "reference": [f"a{i}"]},
             "output": {"raw": ["x"]}, "answer_attribution": [],
             "evaluation": {"score": s, "is_correct": bool(s)}}
            for i, _, s in flat(run, random)
        ]  # fmt: skip
        write(folder, f"{stem}_samples.jsonl", lines(rows))


WRITERS: dict[str, Callable[[Path, Sequence[Run], Random], None]] = {
    one.__name__: one
    for one in (inspect, lm_eval, promptfoo, promptfoo_lines, promptfoo_table, swebench,
                junit, deepeval, every_eval_ever)
}  # fmt: skip
WITHOUT_EPOCHS = ("swebench",)
