"""Short names of configurations: the parameters that vary."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from bbccli.recording.parts import Part

_ESTIMATOR = ""
_LONGEST = 60


def short_names(configurations: Sequence[Part]) -> list[str]:
    """Return a name of its own for each configuration.

    The name that it was given; else the parameters in which it differs from others, such as
    ``C=0.1 k=3``, where an estimator is its class. Features are the parameter X, counted from 1,
    where there are several. What was tried again has a number, as in ``C=0.1 #2``.
    """
    data = list(dict.fromkeys(part.data for part in configurations if part.data))
    features = {one: number for number, one in enumerate(data, 1)} if len(data) > 1 else {}
    flat = [_flat(part, features) for part in configurations if not part.name]
    unnamed = {_text(params): params for params in flat}
    made = dict(zip(unnamed, _from_parameters(list(unnamed.values())), strict=True))
    names = [part.name or made[_text(_flat(part, features))] for part in configurations]
    taken, unique = set(names), dict[str, None]()
    for name in names:
        numbered = (f"{name} #{number}" for number in itertools.count(2))
        own = name if name not in unique else next(one for one in numbered if one not in taken)
        taken.add(own)
        unique[own] = None
    return list(unique)


def _from_parameters(all_params: Sequence[Mapping[str, Any]]) -> list[str]:
    if len(all_params) < 2:
        return [_shown(params[_ESTIMATOR]) or "configuration" for params in all_params]
    texts = [{k: _text(v) for k, v in p.items()} for p in all_params]
    keys = list(dict.fromkeys(key for params in all_params for key in params))
    varying = [k for k in keys if len({t[k] for t in texts if k in t}) > 1]
    optional = [k for k in keys if k not in varying and any(k not in t for t in texts)]
    simple = [k for k in varying if not any(isinstance(p.get(k), list) for p in all_params)]
    names: list[str] = []
    for chosen in (simple, varying, varying + optional):
        labels = _labels(chosen)
        for digits in (6, 17):
            names = [_name(params, labels, digits) for params in all_params]
            if len(set(names)) == len(names):
                return _told_apart(all_params, labels, digits, names)
    return names


def _told_apart(
    all_params: Sequence[Mapping[str, Any]],
    labels: Mapping[str, str],
    digits: int,
    names: list[str],
) -> list[str]:
    """Shorten names where one is long: by the fewest parameters that tell an estimator's apart.

    The parameter that tells most of them apart comes first, then the one that does so of the rest.
    """
    if max(map(len, names)) <= _LONGEST:
        return names
    groups: dict[str, list[int]] = {}
    for position, params in enumerate(all_params):
        groups.setdefault(_text(params[_ESTIMATOR]), []).append(position)
    short = list(names)
    for group in groups.values():
        chosen = {_ESTIMATOR} & labels.keys()
        found: list[str] = []
        while len(set(found)) < len(group):
            tried = {}
            for key in labels.keys() - chosen if found else [_ESTIMATOR]:
                kept = {k: word for k, word in labels.items() if k in chosen or k == key}
                tried[key] = [_name(all_params[one], kept, digits) for one in group]
            best = max(sorted(tried), key=lambda key: len(set(tried[key])))
            chosen, found = chosen | {best}, tried[best]
        for position, name in zip(group, found, strict=True):
            short[position] = name
    return short if len(set(short)) == len(short) else names


def _flat(part: Part, features: Mapping[str, int]) -> dict[str, Any]:
    data = {"X": features[part.data]} if part.data in features else {}
    return {_ESTIMATOR: {"class": part.estimator}} | dict(part.params) | data


def _labels(keys: Sequence[str]) -> dict[str, str]:
    """The last word of each parameter, where only one ends in it."""
    last = Counter(key.rpartition("__")[2] for key in keys)
    return {key: end if last[end := key.rpartition("__")[2]] == 1 else key for key in keys}


def _name(params: Mapping[str, Any], labels: Mapping[str, str], digits: int) -> str:
    words = [
        f"{label}={_shown(params[key], digits)}".removeprefix("=")
        for key, label in labels.items()
        if key in params
    ]
    return " ".join(words) or _shown(params[_ESTIMATOR]) or "configuration"


def _shown(value: Any, digits: int = 6) -> str:
    if isinstance(value, float):
        return f"{value:.{digits}g}" if digits < 17 else repr(value)
    if isinstance(value, dict) and "class" in value:
        return str(value["class"]).rpartition(".")[2]
    text = value if isinstance(value, str) else _text(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST or digits == 17 else f"{text[: _LONGEST - 3]}..."


_text = partial(json.dumps, sort_keys=True)
