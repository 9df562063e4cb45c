"""What must hold of every run, whatever the input."""

import json
import math
from collections.abc import Iterator
from typing import Any

from bbccli.metrics import METRICS

from . import logs, trees
from .case import Case
from .run import Outcome, run

STATUSES = {0, 2, 3, 4, 5}
LONGEST = 1_010
"""Characters of a message, with `error: ` before it."""
WITHOUT_A_RESULT = 2
SLACK = 1e-9
UNBOUNDED = ("t-folds", "t-corrected", "influence", "wald", "ncv")
"""Methods whose intervals are an estimate and a multiple of its standard error."""


def faults(case: Case, *, twice: bool = True) -> list[str]:
    """Run a case, and say what does not hold; nothing where all is well."""
    if case.tree:
        found = list(trees.faults(case))
        if found or case.arguments[0] == "read":
            return found
    if case.arguments[0] == "read":
        return list(logs.faults(case))
    first = run(case)
    found = list(_faults(case, first))
    if twice and not found and run(case) != first:
        found.append("a second run differs")
    return found


def _faults(case: Case, seen: Outcome) -> Iterator[str]:
    if seen.traceback:
        yield f"an error escapes:\n{seen.traceback}"
        return
    if seen.status not in STATUSES:
        yield f"exit status {seen.status}"
    if "Warning" in seen.stderr or "Traceback" in seen.stderr:
        yield f"more than a message on standard error: {seen.stderr}"
    if seen.status == WITHOUT_A_RESULT:
        yield from _of_a_refusal(seen, inspects=case.arguments[0] == "inspect")
    elif "-q" in case.arguments and seen.status == 0 and seen.stderr:
        yield f"not quiet: {seen.stderr}"
    for text in (seen.stdout, seen.written.get("o.json", b"").decode()):
        if case.arguments[0] == "correct" and text.startswith("{"):
            yield from _of_numbers(text)


def _of_a_refusal(seen: Outcome, *, inspects: bool) -> Iterator[str]:
    lines = seen.stderr.splitlines()
    if inspects and not lines:  # the findings are the result
        return
    if [line.partition(":")[0] for line in lines] != ["error", "hint"]:
        yield f"a refusal in other words than error: and hint: {seen.stderr}"
    if any(len(line) > LONGEST for line in lines):
        yield "a message that is too long"
    if seen.written:
        yield f"refused, but wrote {sorted(seen.written)}"
    if seen.stdout:
        yield f"refused, but printed {seen.stdout[:200]}"


def _of_numbers(text: str) -> Iterator[str]:
    try:
        results = [json.loads(text, parse_constant=_refuse)]
    except ValueError as error:
        if "\n{" not in text:
            yield f"a result that is no JSON: {error}"
        return
    for result in results:
        for estimate in result.get("estimates", ()):
            yield from _of_an_estimate(estimate)


def _of_an_estimate(estimate: dict[str, Any]) -> Iterator[str]:
    metric = METRICS.get(estimate["metric"])
    if metric is None:
        return
    interval = estimate.get("interval") or {}
    ends = {} if estimate["method"] in UNBOUNDED else interval
    named = {"value": estimate.get("value")} | {end: ends.get(end) for end in ("lower", "upper")}
    least, most = metric.bounds
    for name, value in named.items():
        if value is None:
            continue
        if not math.isfinite(value):
            yield f"{estimate['method']}: {name} of {metric.name} is {value}"
        room = SLACK * max(1.0, abs(value))
        if not least - room <= value <= most + room and not _said_to_be_beyond(estimate, name):
            yield f"{estimate['method']}: {name} of {metric.name} is {value}, out of its bounds"


def _said_to_be_beyond(estimate: dict[str, Any], name: str) -> bool:
    """`tt` subtracts an estimated bias, and says so where that leads out of the bounds."""
    codes = {note["code"] for note in estimate["notes"]}
    return estimate["method"] == "tt" and name == "value" and "beyond-bounds" in codes


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} in JSON")
