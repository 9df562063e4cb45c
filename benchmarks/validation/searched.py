"""Searches of a sample, guided or not, of which the truth is known.

Trained: 8 of p features tell two classes apart; models of 5 folds are scored by their pooled AUC,
and the truth of a configuration is that of its five models on new samples. Prompts: right or wrong
by item, of two kinds, and the truth is the share of right answers to many other items.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from bbccli.domain.matrix import PredictionMatrix
from bbccli.reading.arrays import matrix_of

N_FOLDS, N_NEW = 5, 3000

Config = Any


@dataclass(frozen=True)
class Found:
    """A search: what it predicted, in the order of its tries, and the truth of each try."""

    matrix: PredictionMatrix
    metric: str
    truth: Callable[[int], float]


def auc(truth: np.ndarray, scores: np.ndarray) -> float:
    ranks = scores.argsort().argsort()
    return float((ranks[truth == 1].mean() - ranks[truth == 0].mean()) / len(truth) + 0.5)


def drawn(rng: Generator, n: int, p: int, signal: float) -> tuple[np.ndarray, np.ndarray]:
    """Features and classes; the signal is 0 if there is none."""
    x = rng.normal(size=(n, p))
    slopes = np.zeros(p)
    slopes[:8] = signal * np.linspace(1, 0.2, min(p, 8))
    logit = x @ slopes + 0.6 * signal * x[:, 0] * x[:, 1]
    return x, (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int)


# ---- what is tuned: how a configuration is drawn, changed, and asked of Optuna; and its model


class Switches:
    """Which features a ridge regression is given."""

    def __init__(self, p: int) -> None:
        self.p = p

    def draw(self, rng: Generator) -> Config:
        return rng.random(self.p) < 0.5

    def change(self, config: Config, rng: Generator) -> Config:
        changed = config.copy()
        changed[rng.choice(self.p, rng.integers(1, 2 + self.p // 50), replace=False)] ^= True
        return changed

    def mix(self, one: Config, other: Config, rng: Generator) -> Config:
        child = np.where(rng.random(self.p) < 0.5, one, other)
        return child ^ (rng.random(self.p) < 1 / self.p)

    def ask(self, trial: Any) -> Config:
        return np.array([trial.suggest_categorical(f"f{i}", [False, True]) for i in range(self.p)])

    def fit(self, config: Config, x: np.ndarray, y: np.ndarray) -> Callable[..., np.ndarray]:
        used = x[:, config]
        centre = used.mean(axis=0)
        z = used - centre
        slopes = np.linalg.solve(z.T @ z + 20 * np.eye(z.shape[1]), z.T @ (y - y.mean()))
        return lambda new: (new[:, config] - centre) @ slopes


class Ranges:
    """Numbers of a model within ranges, on logarithmic scales: up to six hyperparameters."""

    def __init__(self, model: Callable[..., Any], **ranges: tuple[float, float]) -> None:
        self.model, self.ranges = model, ranges

    def draw(self, rng: Generator) -> Config:
        return {n: float(np.exp(rng.uniform(*np.log(r)))) for n, r in self.ranges.items()}

    def ask(self, trial: Any) -> Config:
        return {n: trial.suggest_float(n, *r, log=True) for n, r in self.ranges.items()}

    def fit(self, config: Config, x: np.ndarray, y: np.ndarray) -> Callable[..., np.ndarray]:
        model = self.model(**config).fit(x, y)
        if hasattr(model, "decision_function"):
            return model.decision_function  # type: ignore[no-any-return]
        return lambda new: model.predict_proba(new)[:, 1]


def svm(**config: float) -> Any:
    from sklearn.svm import SVC

    shift, weight = config.pop("shift"), config.pop("weight")
    return SVC(
        kernel="poly", degree=2, coef0=shift, class_weight={1: weight}, max_iter=500, **config
    )


def boosting(**config: float) -> Any:
    from sklearn.ensemble import GradientBoostingClassifier

    whole = {n: round(v) for n, v in config.items() if n not in ("learning_rate", "subsample")}
    return GradientBoostingClassifier(random_state=0, **(config | whole))


SVM = Ranges(svm, C=(0.01, 30), gamma=(1e-3, 1), shift=(0.01, 10), weight=(0.3, 3))
BOOSTING = Ranges(
    boosting,
    learning_rate=(0.03, 1),
    n_estimators=(2, 15),
    max_depth=(1, 4),
    min_samples_leaf=(1, 20),
    max_features=(1, 8),
    subsample=(0.4, 1),
)


# ---- how a search goes on: given what is tuned and what tells a score, it makes the tries


def at_random(space: Any, score: Callable[[Config], float], n: int, rng: Generator) -> None:
    for _ in range(n):
        score(space.draw(rng))


def climbing(space: Any, score: Callable[[Config], float], n: int, rng: Generator) -> None:
    """Change the best so far."""
    best = space.draw(rng)
    top = score(best)
    for _ in range(n - 1):
        tried = space.change(best, rng)
        reached = score(tried)
        if reached > top:
            best, top = tried, reached


def genetic(space: Any, score: Callable[[Config], float], n: int, rng: Generator) -> None:
    """Twenty at random, then children of the best twenty."""
    alive = [(score(one), k, one) for k, one in enumerate(space.draw(rng) for _ in range(20))]
    for k in range(20, n):
        if k % 20 == 0:
            alive = sorted(alive, reverse=True)[:20]
        one, other = (alive[min(rng.choice(20, 3))][2] for _ in range(2))
        child = space.mix(one, other, rng)
        alive.append((score(child), k, child))


def forward(space: Any, score: Callable[[Config], float], n: int, rng: Generator) -> None:
    """Try each switch that is off beside those that are on, and turn the best on."""
    on, left = np.zeros(space.p, bool), n
    while left:
        tried = [on | (np.arange(space.p) == one) for one in np.flatnonzero(~on)[:left]]
        left -= len(tried)
        on = tried[int(np.argmax([score(one) for one in tried]))]


def tpe(space: Any, score: Callable[[Config], float], n: int, rng: Generator) -> None:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=int(rng.integers(2**31)))
    study = optuna.create_study(sampler=sampler, direction="maximize")
    study.optimize(lambda trial: score(space.ask(trial)), n)


def trained(
    rng: Generator, search: Callable[..., None], space: Any, n: int, p: int, c: int, signal: float
) -> Found:
    """A search of `space` on n samples with p features, c tries long."""
    x, y = drawn(rng, n, p, signal)
    while not 0.2 < y.mean() < 0.8:
        x, y = drawn(rng, n, p, signal)
    folds = rng.permutation(np.arange(n) % N_FOLDS)
    configs: list[Config] = []
    columns: list[np.ndarray] = []

    def models(config: Config) -> list[Callable[..., np.ndarray]]:
        return [space.fit(config, x[folds != f], y[folds != f]) for f in range(N_FOLDS)]

    def score(config: Config) -> float:
        predicted = np.empty(n)
        for f, model in enumerate(models(config)):
            predicted[folds == f] = model(x[folds == f])
        configs.append(config)
        columns.append(predicted)
        return auc(y, predicted)

    def truth(which: int) -> float:
        new, outcome = drawn(np.random.default_rng([n, p]), N_NEW, p, signal)
        part = np.arange(N_NEW) % N_FOLDS
        predicted = np.empty(N_NEW)
        for f, model in enumerate(models(configs[which])):
            predicted[part == f] = model(new[part == f])
        return auc(outcome, predicted)

    search(space, score, c, rng)
    return Found(matrix_of(np.array(columns).T, y), "auc", truth)


# ---- prompts


def parent(kind: str, answers: np.ndarray, rng: Generator) -> int:
    """Which of the candidates so far (N, c) the next one is made from."""
    scores = answers.mean(axis=0)
    match kind:
        case "any":
            return int(rng.integers(len(scores)))
        case "best":
            return int(scores.argmax())
        case "best five":
            return int(rng.choice(np.argsort(-scores, kind="stable")[:5]))
    top = answers == answers.max(axis=1, keepdims=True)
    weights = (top / top.sum(axis=1, keepdims=True)).sum(axis=0)
    return int(rng.choice(len(scores), p=weights / weights.sum()))


def redrawn(rng: Generator, kind: str, n: int, c: int, share: float) -> Found:
    """A child answers a share of the items anew, and its ability drifts."""
    total = n + N_NEW
    easy, ability = rng.normal(0, 1.5, total), np.zeros(c)
    answers = np.empty((total, c))
    for t in range(c):
        made = parent(kind, answers[:n, :t], rng) if t else 0
        ability[t] = ability[made] + rng.normal(0, 0.1) * (t > 0)
        anew = rng.random(total) < 1 / (1 + np.exp(-easy - ability[t]))
        kept = rng.random(total) >= share if t else np.zeros(total, bool)
        answers[:, t] = np.where(kept, answers[:, made], anew)
    return _answered(answers, n)


def instructed(rng: Generator, kind: str, n: int, c: int) -> Found:
    """A prompt is 12 instructions, each with an effect of its own on every item; a child has one
    or two others instead. Items in five topics; an instruction is good for one, bad for another.
    """
    total = n + N_NEW
    topic, hard = rng.integers(0, 5, total), rng.normal(0, 1.2, total)

    def instruction() -> np.ndarray:
        return rng.normal(0, 0.15, 5)[topic] + rng.normal(0, 0.35, total)

    prompts: list[list[np.ndarray]] = []
    answers = np.empty((total, c))
    for t in range(c):
        if t:
            made = list(prompts[parent(kind, answers[:n, :t], rng)])
            for place in rng.choice(12, rng.integers(1, 3), replace=False):
                made[place] = instruction()
        else:
            made = [instruction() for _ in range(12)]
        prompts.append(made)
        answers[:, t] = np.sum(made, axis=0) > hard
    return _answered(answers, n)


def _answered(answers: np.ndarray, n: int) -> Found:
    truths = answers[n:].mean(axis=0)
    matrix = matrix_of(answers[:n].astype(float), task="score")
    return Found(matrix, "mean-score", lambda which: float(truths[which]))
