"""Metadata of predictions: known keys are checked, all are kept."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeVar

from bbccli.domain.source import ToolRun
from bbccli.errors import InputError, naming
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import as_json
from bbccli.reading.column import name_of
from bbccli.types import Pooling, Task

SPEC = "bbc-predictions"
MAJOR_VERSION = "1"

W = TypeVar("W", bound=StrEnum)

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Metadata:
    """Parsed metadata; every part may be absent.

    Parameters
    ----------
    raw
        The whole JSON object, with unknown keys.
    place
        Name of the source, for messages.
    task
        Declared task; None if absent or unknown.
    classes, positive_class
        Declared names of the classes.
    flags
        Flags of each configuration, by id.
    axes
        Place of each configuration on an axis, such as its epoch, by id.
    n_candidates_total
        Number of configurations tried.
    selection
        Pooling by which the tool selected.
    undefined
        0 if the tool counts an undefined precision, recall or F score as 0.
    bounds
        Smallest and largest possible score, for scores without a truth.
    roles
        Column of each role that is named.
    cells
        Configuration and class, or None, of each column of predictions that is named.
    run
        The run of a tool that left the predictions, if any.
    """

    raw: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    place: str = ""
    task: Task | None = None
    classes: tuple[str, ...] = ()
    positive_class: str | None = None
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _NOTHING)
    axes: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: _NOTHING)
    n_candidates_total: int | None = None
    selection: Pooling | None = None
    undefined: int | None = None
    bounds: tuple[float, float] | None = None
    roles: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    cells: Mapping[str, tuple[str, str | None]] = field(default_factory=lambda: _NOTHING)
    run: ToolRun | None = None

    def with_json(self) -> Metadata:
        """Return the metadata of a run together with their JSON."""
        plain = ("task", "classes", "positive_class", "n_candidates_total", "selection", "bounds")
        raw: dict[str, Any] = {"spec": SPEC, "version": MAJOR_VERSION}
        raw |= {name: as_json(getattr(self, name) or None) for name in plain}
        raw |= {
            "undefined": self.undefined,
            "weight": self.roles.get("weight"),
            "configs": [
                {"id": name, "flags": [*flags]}
                | ({"axis": dict(self.axes[name])} if name in self.axes else {})
                for name, flags in self.flags.items()
            ]
            or None,
            "run": None if self.run is None else self.run.as_metadata(),
        }
        return replace(self, raw={key: value for key, value in raw.items() if value is not None})

    @property
    def configurations(self) -> tuple[str, ...]:
        """Ids of the declared configurations."""
        return tuple(self.flags)

    def count_flags(self, configurations: Sequence[str]) -> Mapping[str, int]:
        """Count the configurations with each flag, the most frequent first."""
        if not self.flags:
            return {}
        counts = Counter(flag for name in configurations for flag in self.flags.get(name, ()))
        return dict(counts.most_common())


def parse_metadata(text: str | bytes | Mapping[str, Any], place: str) -> Metadata:
    """Parse metadata, as JSON text or as an object, from the source `place`."""
    with naming(place):
        raw = dict(text) if isinstance(text, Mapping) else _load(text)
        _check_spec(raw)
        positive = raw.get("positive_class")
        return Metadata(
            raw=MappingProxyType(raw),
            place=place,
            task=_word(Task, raw, "task"),
            classes=tuple(name_of(label) for label in _expect(raw, "classes", list) or ()),
            positive_class=None if positive is None else name_of(positive),
            flags=_flags(_expect(raw, "configs", list) or []),
            n_candidates_total=_expect(raw, "n_candidates_total", int),
            selection=_word(Pooling, raw, "selection"),
            undefined=_zero(raw.get("undefined")),
            bounds=_bounds(_expect(raw, "bounds", list)),
            **_columns(raw),
            run=ToolRun.of(raw),
        )


def merged(parts: Sequence[Metadata]) -> Metadata:
    """Merge the metadata of several files: for each key the first value, for `configs` all."""
    present = [part for part in parts if part.raw]
    if len(present) < 2:
        return present[0] if present else Metadata()
    raw = {key: value for part in reversed(present) for key, value in part.raw.items()}
    listed = [config for part in reversed(present) for config in part.raw.get("configs") or []]
    configs = {config["id"]: config for config in listed}
    raw |= {"configs": list(configs.values())} if configs else {}
    return parse_metadata(raw, present[0].place)


def _load(text: str | bytes) -> dict[str, Any]:
    """Parse a JSON object."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"metadata are not valid JSON: {str(error).splitlines()[0]}",
            hint="correct the metadata or remove them",
        ) from None
    if not isinstance(raw, dict):
        raise _wrong("metadata", "object")
    return raw


def _check_spec(raw: Mapping[str, Any]) -> None:
    """Refuse another format or version."""
    if raw.get("spec") != SPEC:
        raise InputError(
            f"metadata have spec {raw.get('spec')!r}, not {SPEC!r}",
            hint=f'write "spec": "{SPEC}", or remove the metadata',
        )
    version = str(raw.get("version"))
    if version.split(".", maxsplit=1)[0] != MAJOR_VERSION:
        raise InputError(
            f"metadata have version {version!r}; only version {MAJOR_VERSION} is understood",
            hint="use a newer release of bbc",
        )


def _expect(raw: Mapping[str, Any], key: str, kind: type) -> Any:
    """Return the value of a key, of the given type; None if absent."""
    value = raw.get(key)
    if value is not None and not isinstance(value, kind):
        names = {list: "list", int: "integer", str: "text", dict: "object"}
        raise _wrong(f"metadata key {key!r}", names[kind])
    return value


def _flags(configs: Sequence[Any]) -> Mapping[str, tuple[str, ...]]:
    """Return the flags of each configuration, by id."""
    flags: dict[str, tuple[str, ...]] = {}
    for config in configs:
        if not isinstance(config, dict) or not isinstance(config.get("id"), str):
            raise _wrong("each of the metadata's 'configs'", 'object with a text "id"')
        listed = config.get("flags") or []
        if not isinstance(listed, list):
            raise _wrong(f"metadata key 'flags' of {config['id']!r}", "list")
        flags[config["id"]] = tuple(map(str, listed))
    return MappingProxyType(flags)


def _word(kind: type[W], raw: Mapping[str, Any], key: str) -> W | None:
    """Return the value of a key as a member of `kind`; None if absent."""
    value, words = raw.get(key), [str(word) for word in kind]
    if value is not None and value not in words:
        raise InputError(f"metadata key {key!r} is {value!r}", hint=f"one of: {', '.join(words)}")
    return None if value is None else kind(value)


def _columns(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of roles, and of configurations and classes."""
    weight = _expect(raw, "weight", str)
    roles, cells = {} if weight is None else {"weight": weight}, {}
    for name, column in (_expect(raw, "columns", dict) or {}).items():
        if not isinstance(column, dict) or not isinstance(
            column.get("role", column.get("config")), str
        ):
            raise _wrong(f"metadata key 'columns', {name!r},", 'object with "role" or "config"')
        if "role" in column:
            roles[column["role"]] = name
        else:
            label = column.get("class")
            cells[name] = column["config"], None if label is None else name_of(label)
    return {"roles": roles, "cells": cells}


def _bounds(value: Sequence[Any] | None) -> tuple[float, float] | None:
    """Return two finite numbers, the lower one first."""
    if value is None:
        return None
    numbers = [n for n in value if isinstance(n, int | float) and not isinstance(n, bool)]
    if len(numbers) != 2 or len(value) != 2 or not -math.inf < numbers[0] < numbers[1] < math.inf:
        problem = f"metadata key 'bounds' is {value!r}"
        raise InputError(problem, hint="give two numbers, such as [1, 5]")
    return float(numbers[0]), float(numbers[1])


def _zero(value: Any) -> int | None:
    if value is not None and (value != 0 or isinstance(value, bool)):
        hint = "write 0 to count undefined precisions, recalls and F scores as 0, or leave it out"
        raise InputError(f"metadata key 'undefined' is {value!r}", hint=hint)
    return None if value is None else 0


def _wrong(what: str, wanted: str) -> InputError:
    return InputError(f"{what} must be a JSON {wanted}", hint="correct the metadata")
