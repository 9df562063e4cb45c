"""The classes of mljar: targets are codes; `framework.json` names those that stand for texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.runs.contents import read_json
from bbccli.types import FloatArray

_TWO = 2


def classes_of(folder: Path, models: Sequence[str], target: FloatArray, binary: bool) -> list[Any]:
    """Return the classes in the order of their codes: texts, or the codes themselves.

    Parameters
    ----------
    folder, models
        The run, and the names of its models.
    target : (n,)
        Codes.
    binary
        Whether there are two classes.

    Raises
    ------
    InputError
        Targets that are no codes, or names of classes that have other codes.
    """
    broken = np.flatnonzero(target % 1)
    if len(broken):
        raise InputError(
            f"{models[0]} has a target that is no code of a class",
            path=str(folder),
            row=int(broken[0]),
            value=float(target[broken[0]]),
            hint="copy the run again",
            further=len(broken) - 1,
        )
    found = [int(code) for code in np.unique(target)]
    for name in models:
        codes = _codes(folder / name)
        if codes:
            _check(codes, found, binary, folder / name / "framework.json")
            return sorted(codes, key=lambda label: int(codes[label]))
    return found


def named(target: FloatArray, classes: Sequence[Any]) -> Any:
    """Return targets (n,) as values, as whole numbers or by the names of their classes."""
    if not classes:
        return target
    if not isinstance(classes[0], str):
        return target.astype(np.int64)
    return np.array(classes)[target.astype(np.int64)]


def _codes(model: Path) -> dict[str, Any]:
    """Code of each class, where the targets were texts."""
    for file in ("framework.json", "ensemble.json"):
        if (model / file).is_file():
            about = read_json(model / file)
            parts = about.get("preprocessing") if isinstance(about, dict) else None
            first = parts[0] if isinstance(parts, list) and parts else None
            codes = first.get("categorical_y") if isinstance(first, dict) else None
            return codes if isinstance(codes, dict) else {}
    return {}


def _check(codes: dict[str, Any], found: Sequence[int], binary: bool, place: Path) -> None:
    values = list(codes.values())
    fits = all(type(value) is int for value in values) and sorted(values) == [*range(len(values))]
    if not fits or not set(found) <= set(values) or (binary and len(values) != _TWO):
        raise InputError(
            f"codes the classes as {', '.join(map(str, values))}; the targets are "
            f"{', '.join(map(str, found))}",
            path=str(place),
            hint="the folder mixes models of several runs, or is damaged",
        )
