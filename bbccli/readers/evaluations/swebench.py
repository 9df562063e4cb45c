"""SWE-bench: the report of a run, `MODEL.RUN.json`, with the instances by what became of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bbccli.core.notes import listing
from bbccli.readers.evaluations.base import File, Framework, Log, Result, Scorer

_SCORE = "resolved"

_ERRORS = {
    "error_ids": "error of the harness",
    "infra_failure_ids": "failure of the infrastructure",
    "ambiguous_failure_ids": "ambiguous failure",
    "incomplete_ids": "not submitted",
}
"""Instances without a verdict on a patch; the report counts them as not resolved."""

_VERDICTS = ("resolved_ids", "unresolved_ids", "empty_patch_ids")

_UNIONS = ("completed_ids", "submitted_ids")


def _owns(file: File) -> bool:
    """True for reports, and for what was one before it was damaged: it must not be passed over."""
    if not file.keys:
        return b'"total_instances"' in file.head
    return {"total_instances", "resolved_ids"} <= file.keys


def _load(files: Sequence[File]) -> Iterator[Log]:
    for file in files:
        model, _, run = file.stem.rpartition(".")
        yield Log(
            place=file.path,
            configuration={"model": model or run},
            results=_results(file),
            scorers={_SCORE: Scorer((0.0, 1.0), reported=_reported(file))},
        )


def _results(file: File) -> list[Result]:
    """Return every instance: the official denominator is all of them, submitted or not.

    Raises
    ------
    InputError
        An instance with two verdicts, or instances of which the report names no verdict.
    """
    fates: dict[str, str] = {}
    for key in (*_VERDICTS, *_ERRORS):
        for name in _ids(file, key):
            if fates.setdefault(name, key) != key:
                raise file.fault(
                    f"{name} is among {fates[name]} and {key}", "evaluate the predictions again"
                )
    total = file.json["total_instances"]
    if not isinstance(total, int):
        raise file.fault("total_instances is no number")
    unknown = [name for key in _UNIONS for name in _ids(file, key) if name not in fates]
    if unknown or len(fates) != total:
        what = f"{unknown[0]} has no verdict" if unknown else f"{len(fates)} of {total} are named"
        raise file.fault(
            f"does not say of every instance whether it was resolved: {what}",
            "the whole report of swebench.harness.run_evaluation, with its lists of ids",
        )
    return [
        Result(
            name,
            {_SCORE: float(fate == "resolved_ids")},
            error=_ERRORS.get(fate, ""),
            about={"repository": name.partition("__")[0]},
        )
        for name, fate in fates.items()
    ]


def _ids(file: File, key: str) -> list[str]:
    ids = file.json.get(key) or []
    if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
        raise file.fault(f"{key} is no list of instances")
    twice = [one for one in set(ids) if ids.count(one) > 1] if len(set(ids)) < len(ids) else []
    if twice:
        raise file.fault(f"{key} names {listing(sorted(twice))} twice")
    return ids


def _reported(file: File) -> float | None:
    """Return the share that the report counts as resolved."""
    counted: Any = file.json.get("resolved_instances")
    total: Any = file.json["total_instances"]
    both = all(isinstance(one, int) and not isinstance(one, bool) for one in (counted, total))
    return counted / total if both and total else None


FRAMEWORK = Framework(
    "SWE-bench",
    "`MODEL.RUN.json`, the report of an evaluation",
    "1 if resolved, else 0, of all instances",
    _owns,
    _load,
    untested=True,
)
