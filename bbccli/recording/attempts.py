"""Tries: folds that are drawn for each, the parts that belong to one, which of them count, and
their names.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.domain.source import agrees, tolerance_of
from bbccli.recording import inputs
from bbccli.recording.store import Design, Listed, Part
from bbccli.types import FloatArray, IntArray, PredictionKind

TOLERANCE = 1e-9
"""Relative tolerance between performances computed here and by scikit-learn.

Also between predictions that differ only in the order of summation.
"""

NARROW = 1e-5
"""The same for 32-bit predictions, whose losses scikit-learn also adds up in 32 bits."""

Params = Mapping[str, Any]
SplitScores = Sequence[float] | FloatArray
"""Scores of a candidate by split, from the search; NaN if a fit failed."""


@dataclass(slots=True, eq=False)
class Try:
    """Parts that belong together: one configuration, one prediction per repeat and row.

    Parameters
    ----------
    used
        True if its predictions count. Rows scored a second time may come from a model fitted to
        them: such a try counts as tried, but is used only if the search lists it.
    again
        True if some of its predictions were recorded a second time.
    splits
        Part of each split.
    others
        Parts without a split: with rows of their own, or without predictions.
    owners
        By repeat, the part of `others` that holds each row: (largest row + 1,), -1 for none.
    params
        Parameters of all parts.
    name
        Unique name among all tries, once known.
    """

    used: bool = True
    again: bool = False
    splits: dict[int, Part] = field(default_factory=dict)
    others: list[Part] = field(default_factory=list)
    owners: dict[int, IntArray] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    name: str = ""

    @property
    def identity(self) -> str:
        """Identity of its parts."""
        return self.parts[0].identity

    @property
    def started(self) -> int:
        """Time when its first part was written."""
        return min(part.time for part in self.parts)

    @property
    def parts(self) -> list[Part]:
        """All parts."""
        return [*self.others, *self.splits.values()]

    @property
    def counts(self) -> bool:
        """True if it has predictions that count."""
        return self.used and any(part.predictions is not None for part in self.parts)

    @property
    def flags(self) -> tuple[str, ...]:
        """Flags of its parts."""
        return tuple(dict.fromkeys(flag for part in self.parts for flag in part.flags))

    def add(self, part: Part) -> None:
        """Add a part; it replaces one of the same split if it is more complete."""
        self.params |= part.params
        if part.split is not None:
            before = self.splits.get(part.split)
            if before is None or _known_by(before, part.kind) < _known_by(part, part.kind):
                self.splits[part.split] = part
            return
        if part.rows is not None and part.rows.size:
            owner = self.owners.get(part.repeat, np.zeros(0, np.int64))
            more = int(part.rows.max()) + 1 - len(owner)
            owner = np.concatenate([owner, np.full(max(more, 0), -1)])
            owner[part.rows] = len(self.others)
            self.owners[part.repeat] = owner
        self.others.append(part)

    def meets(self, part: Part) -> Iterator[tuple[Part, Part, Any, Any]]:
        """Yield each part that overlaps with another one, with both predictions of the common
        rows.
        """
        if part.split is not None:
            if part.split in self.splits:
                before = self.splits[part.split]
                yield before, part, before.predictions, part.predictions
            return
        owner = self.owners.get(part.repeat)
        if owner is None or part.rows is None or part.predictions is None:
            return
        owned = np.where(part.rows < len(owner), owner[part.rows.clip(max=len(owner) - 1)], -1)
        for position in np.unique(owned[owned >= 0]).tolist():
            before, at = self.others[position], owned == position
            if before.rows is not None and before.predictions is not None:
                order = np.argsort(before.rows)
                where = order[np.searchsorted(before.rows, part.rows[at], sorter=order)]
                yield before, part, before.predictions[where], part.predictions[at]

    def may_hold(self, part: Part) -> bool:
        """True if a part may be of the same configuration: nothing known of it differs."""
        if not part.name:  # its identity consists of them
            return True
        known = self.params
        if any(known[key] != part.params[key] for key in known.keys() & part.params.keys()):
            return False
        estimators = {p.estimator for p in (*self.parts[:1], part)} - {""}
        return len(estimators) < 2

    def takes(self, other: Try) -> bool:
        """True if another pass may continue this try: nothing known of it differs."""
        met = [_same(*both) for part in other.parts for both in self.meets(part)]
        if not all(met) or not all(self.may_hold(part) for part in other.parts[:1]):
            return False
        mine, theirs = self.splits.keys(), other.splits.keys()
        if not (self.used and other.used):
            return bool(met) and theirs <= mine
        data, others = ({part.data for part in side.parts} - {""} for side in (self, other))
        within = bool(met) and (theirs <= mine or mine <= theirs)
        return within or not (data and others) or bool(data & others)


def tries_of(group: Iterable[Part], listed: Iterable[SplitScores] = ()) -> list[Try]:
    """Return the tries of one identity, from its parts in order of sessions and times.

    Different predictions of the same rows are tries of their own: with other features, a model
    without a seed, or another model of the same name. Equal ones are the same try, recorded again;
    those of other rows continue a try on the same data. `listed` are scores of candidates from
    searches.
    """
    tries: list[Try] = []
    distinct = list(dict.fromkeys(map(tuple, listed)))
    for _, parts_of_session in itertools.groupby(group, key=lambda part: part.session):
        for new in _of_session(list(parts_of_session), distinct):
            same = [before for before in tries if before.takes(new)]
            met = [t for t in same if any(next(t.meets(part), None) for part in new.parts)]
            if not same:
                tries.append(new)
                continue
            into = (met or same[::-1])[0]
            into.again |= bool(met)
            for part in new.parts:
                into.add(part)
    return tries


class TryFolds:
    """Folds by the name of a try: other names get other folds, the same name the same.

    of_data: the arguments of `inputs.frozen` after `cv`, all of them.

    Raises OptionError: folds that can't be drawn anew, or that don't test each row once.
    """

    def __init__(self, cv: Any, *of_data: Any) -> None:
        self.of_data = of_data
        _, truth, _, classifies, among = of_data
        self.cv = inputs.splitter_of(cv, truth, classifies)
        problem = "refold draws other folds for each try, and those of cv are always the same"
        hint = "a number of folds, or a splitter that shuffles, such as StratifiedKFold"
        inputs.refuse(not hasattr(self.cv, "random_state"), problem, hint)
        tested = np.concatenate([test for _, test in self.of("any")])
        once = np.array_equal(np.sort(tested), np.arange(len(truth)) if among is None else among)
        hint = "a number of folds, or a splitter such as StratifiedKFold"
        inputs.refuse(not once, "refold needs folds that test each row once", hint)

    def design(self, design: Design, name: str, rows: IntArray) -> Design:
        """Return a design with the folds of a try, whose samples are these rows of the data."""
        tests = tuple(np.searchsorted(rows, test) for _, test in self.of(name))
        return replace(design, tests=tests)

    def of(self, name: str) -> list[inputs.Split]:
        """Return the splits of a try."""
        cv, seed = copy.copy(self.cv), self.cv.random_state
        text = f"{seed if isinstance(seed, int) else ''} {name}"
        cv.random_state = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
        cv.shuffle = True
        return inputs.frozen(cv, *self.of_data)


def share_of(predictions: Iterable[NDArray[Any] | None]) -> float:
    """Return the relative rounding error of predictions and their losses."""
    narrow = any(values is not None and values.itemsize < 8 for values in predictions)
    return NARROW if narrow else TOLERANCE


def agreeing(part: Part, splits: SplitScores) -> bool:
    """True if a part has the score that the search lists for its split."""
    if part.split is None or part.split >= len(splits):
        return False
    return bool(part.known_score == splits[part.split])


def candidate_of(attempt: Try, candidates: Sequence[Listed]) -> Listed | None:
    """Return the latest candidate with the scores of a try, if any."""
    scored = [part for part in attempt.splits.values() if part.score is not None]
    for candidate in reversed(candidates):
        if scored and all(agreeing(part, candidate.splits) for part in scored):
            return candidate
    return None


def _of_session(recorded: list[Part], distinct: Iterable[SplitScores]) -> list[Try]:
    """Return the tries of one scorer or loop: those listed by a search, or else the first."""
    passes = _passes(recorded)
    if len(passes) == 1 or all(part.score is None for part in recorded):
        return passes
    rest, listed = recorded, []
    for splits in distinct:
        finite = {*np.flatnonzero(np.isfinite(splits)).tolist()}
        chosen = {part.split: part for part in reversed(rest) if agreeing(part, splits)}
        if chosen and finite & {part.split for part in recorded} <= chosen.keys():
            taken = set(map(id, chosen.values()))
            rest = [part for part in rest if id(part) not in taken]
            listed += _passes([part for part in recorded if id(part) in taken])
    passes = _passes(rest)
    kept, more = (listed, passes) if listed else (passes[:1], passes[1:])
    largest = max(len(attempt.splits) for attempt in kept)
    whole = [attempt for attempt in more if len(attempt.splits) >= largest]
    for attempt in whole:  # incomplete ones were interrupted, or are `search.score` on a test set
        attempt.used = False
    return kept + whole


def _passes(recorded: Iterable[Part]) -> list[Try]:
    """Put each part into the first try without predictions for its rows."""
    passes: list[Try] = []
    for part in recorded:
        free = (t for t in passes if t.may_hold(part) and not next(t.meets(part), None))
        attempt = next(free, None)
        if attempt is None:
            attempt = Try()
            passes.append(attempt)
        attempt.add(part)
    return passes


def _same(before: Part, part: Part, mine: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    """True if two predictions of the same rows are equal or, in different forms, their scores."""
    share = share_of([mine, other])
    scores = [before.known_score, part.known_score]
    scored = bool(np.isfinite(scores).all())
    if scored and not agrees(scores[1], scores[0], tolerance_of(share, scores[0])):
        return False
    labels = {p.kind is PredictionKind.LABEL for p in (before, part)}
    if mine is None or other is None:
        return True
    if mine.shape != other.shape or len(labels) > 1:
        return scored
    if labels == {True}:
        return bool((mine == other).all())
    return bool((np.abs(mine - other) <= share * np.maximum(1.0, np.abs(mine))).all())


def _known_by(part: Part, kind: PredictionKind | None) -> tuple[bool, bool, bool]:
    return part.predictions is not None, part.kind is kind, part.score is not None


# Short names: the parameters that vary

_ESTIMATOR = ""
_LONGEST = 60

as_text = partial(json.dumps, sort_keys=True)


def directions_of(tries: Iterable[Try]) -> int | None:
    """Return in how many directions the estimators of some tries differ; None if more may differ.

    A number is one direction, of anything else every value but one. They are all that differs only
    if estimators of equal parameters, on equal features, predict the same; and a number that goes
    up with every try, like a version, stands for something else.
    """
    kept = sorted((t for t in tries if t.counts), key=lambda attempt: attempt.started)
    settings = [attempt.params for attempt in kept]
    first: dict[tuple[str, int | None], Part] = {}
    for attempt in kept:
        for part in [part for part in attempt.parts if part.predictions is not None]:
            known = part.estimator and part.data and part.data == kept[0].parts[0].data
            other = first.setdefault((as_text(attempt.params), part.split), part)
            alike = _same(other, part, other.predictions, part.predictions)
            if not known or not alike or part.params != attempt.params:
                return None
    n_directions = 0
    for key in {key for params in settings for key in params}:
        values = [params.get(key) for params in settings]
        numbers = [value for value in values if isinstance(value, int | float)]
        others = {as_text(value) for value in values if not isinstance(value, int | float)}
        if not others and all(a < b for a, b in itertools.pairwise(numbers)):
            return None
        n_directions += len(others) + bool(numbers) - 1 + (len({*numbers}) > 1)
    return n_directions or None


def short_names(configurations: Sequence[Part], labels: Sequence[str] = ()) -> list[str]:
    """Return a unique name for each configuration.

    The name given; else the parameters in which it differs from others of its estimator, such as
    ``C=0.1 k=3``, with an estimator as its class, and different features as the parameter X,
    counted from 1. Repeated tries are numbered, as in ``C=0.1 #2``. A single one has the parameters
    in `labels`, of a search.
    """
    data = list(dict.fromkeys(part.data for part in configurations if part.data))
    features = {digest: number for number, digest in enumerate(data, 1)} if len(data) > 1 else {}
    flat = [_flat(part, features) for part in configurations if not part.name]
    unnamed = {as_text(params): params for params in flat}
    made = dict(zip(unnamed, _from_parameters(list(unnamed.values()), labels), strict=True))
    names = [part.name or made[as_text(_flat(part, features))] for part in configurations]
    taken, unique = set(names), dict[str, None]()
    for name in names:
        numbered = (f"{name} #{number}" for number in itertools.count(2))
        short = name if name not in unique else next(n for n in numbered if n not in taken)
        taken.add(short)
        unique[short] = None
    return list(unique)


def _from_parameters(all_params: Sequence[Params], searched: Sequence[str]) -> list[str]:
    texts = [{k: as_text(v) for k, v in p.items()} for p in all_params]
    keys = list(dict.fromkeys(key for params in all_params for key in params))

    def varies(key: str) -> bool:
        """True if it differs; within a class of the estimator that it is a parameter of."""
        owner = key.rpartition("__")[0]
        owned = {(t.get(owner, "") if key else "", t[key]) for t in texts if key in t}
        return len(owned) > len({name for name, _ in owned})

    varying = [k for k in keys if varies(k)]
    if len(texts) == 1:
        varying = [k for k in keys if k and any(f"{k}=" in label for label in searched)]
        varying = [_ESTIMATOR, *varying] if varying else []
    optional = [k for k in keys if k not in varying and any(k not in t for t in texts)]
    simple = [k for k in varying if not any(isinstance(p.get(k), list) for p in all_params)]
    names: list[str] = []
    for chosen, digits in itertools.product((simple, varying, varying + optional), (6, 17)):
        labels = _labels(chosen)
        names = [_named(params, labels, digits) for params in all_params]
        if len(set(names)) == len(names):
            break
    if all(len(name) <= _LONGEST for name in names) or len(set(names)) < len(names):
        return names
    shorter = dict(enumerate(names))
    for estimator in {text[_ESTIMATOR] for text in texts}:
        group = [at for at, text in enumerate(texts) if text[_ESTIMATOR] == estimator]
        of_group = _fewest([all_params[at] for at in group], labels, digits)
        shorter |= zip(group, of_group, strict=True)
    return [*shorter.values()] if len({*shorter.values()}) == len(names) else names


def _fewest(all_params: Sequence[Params], labels: Mapping[str, str], digits: int) -> list[str]:
    """Name configurations of one estimator by the fewest parameters that tell them apart.

    Greedy: first the parameter that separates most of them, then the best for the rest.
    """

    def named(keys: Set[str]) -> list[str]:
        kept = {key: word for key, word in labels.items() if key in keys}
        return [_named(params, kept, digits) for params in all_params]

    def n_names(key: str) -> int:
        return len(set(named(chosen | {key})))

    chosen = {_ESTIMATOR}
    while n_names(_ESTIMATOR) < len(all_params):
        chosen |= {max(sorted(labels.keys() - chosen), key=n_names)}
    return named(chosen)


def _flat(part: Part, features: Mapping[str, int]) -> dict[str, Any]:
    data = {"X": features[part.data]} if part.data in features else {}
    return {_ESTIMATOR: {"class": part.estimator}} | dict(part.params) | data


def _labels(keys: Sequence[str]) -> dict[str, str]:
    """Return the last word of each parameter, if only one ends in it."""
    last = Counter(key.rpartition("__")[2] for key in keys)
    return {key: end if last[end := key.rpartition("__")[2]] == 1 else key for key in keys}


def _named(params: Params, labels: Mapping[str, str], digits: int) -> str:
    given = [(label, params[key]) for key, label in labels.items() if key in params]
    words = [f"{label}={_shown(value, digits)}".removeprefix("=") for label, value in given]
    return " ".join(words) or _shown(params[_ESTIMATOR]) or "configuration"


def _shown(value: Any, digits: int = 6) -> str:
    if isinstance(value, float):
        return f"{value:.{digits}g}" if digits < 17 else repr(value)
    if isinstance(value, dict) and "class" in value:
        return str(value["class"]).rpartition(".")[2]
    text = value if isinstance(value, str) else as_text(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST or digits == 17 else f"{text[: _LONGEST - 3]}..."


def at_epoch(configuration: Any, epoch: Any) -> tuple[str, int | None]:
    """Return the name of a configuration at an epoch, and the epoch; None without one."""
    if epoch is None:
        return inputs.checked_name(configuration), None
    return f"{inputs.checked_name(configuration)}@{inputs.position(epoch, 'epoch')}", int(epoch)
