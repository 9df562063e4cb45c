"""Measure how often comparisons after selection hold.

A repetition is one matrix of known true performances, and whether each statement of a comparison
is true of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.random import Generator

from bbccli import METRICS
from bbccli.comparisons.baseline import against_baseline
from bbccli.comparisons.families import between_families
from bbccli.comparisons.influences import evidence_of
from bbccli.comparisons.possible_best import best_set
from bbccli.comparisons.records import BestSet
from bbccli.comparisons.simultaneous import against
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.domain.plan import Plan
from bbccli.planning.simulation import Simulated, binormal, right_or_wrong
from bbccli.reading.arrays import matrix_of
from bbccli.stats.selection.units import on_few_groups
from bbccli.types import IntervalKind, PredictionKind, Side, Task
from benchmarks.tables import Row
from benchmarks.validation import baselines, many_families
from benchmarks.validation.families import family_settings, statements
from benchmarks.validation.kept import Kept, Result, Study
from benchmarks.validation.page import table
from benchmarks.validation.settings import Setting
from benchmarks.validation.summary import Figure, mean_of, share_of

LEVEL = 0.95
PLAN = Plan(n_resamples=499, level=LEVEL)
N_REPETITIONS = 1000

EQUAL = 0.8
"""True performance of every configuration where none is better."""

POSITIVES = 5

SLACK = 1e-12

PRECISE = {
    "compare, accuracy all equal N=40 C=100": 3000,
    "compare, auc all equal N=80 C=100 positives=5": 3000,
}
"""Settings at the edge of what is promised, and how often simultaneous statements repeat them."""


def settings() -> list[Setting]:
    """Nothing is better, with few and many samples; then some where performances differ."""
    sizes = [(n, c) for n in (40, 80, 300) for c in (20, 100)]
    nothing = partial(np.full, fill_value=EQUAL)
    return [
        *(_setting("accuracy", "all equal", nothing, n, c) for n, c in sizes),
        *(_setting("auc", "all equal", nothing, n, c) for n, c in sizes),
        *(_setting("auc", "all equal", nothing, 80, c, n_positive=POSITIVES) for c in (20, 100)),
        _setting("accuracy", "Be(9, 6)", None, 80, 100),
        _setting("auc", "Be(9, 6)", None, 80, 100),
        _setting("accuracy", "one of 0.9", _one_better, 150, 100),
    ]


def _one_better(n_configurations: int) -> np.ndarray:
    return np.append(np.full(n_configurations - 1, EQUAL), 0.9)


def _setting(
    metric: str,
    law: str,
    truth: Callable[[int], np.ndarray] | None,
    n: int,
    c: int,
    n_positive: int | None = None,
) -> Setting:
    rare = "" if n_positive is None else f" positives={n_positive}"

    def draw(rng: Generator) -> Simulated:
        performances = rng.beta(9, 6, c) if truth is None else truth(c)
        balance = 0.5 if n_positive is None else 1 - n_positive / n
        make = binormal if metric == "auc" else right_or_wrong
        return make(performances, n, rng, balance=balance)

    row = {"metric": metric, "law": law, "N": n, "C": c, "positives": n_positive or n // 2}
    key = f"compare, {metric} {law} N={n} C={c}{rare}"
    return Setting(key, metric, draw, row, n_repetitions=N_REPETITIONS)


def simultaneous(setting: Setting, repetition: int) -> Result:
    """Tell if bounds, set and intervals cover the truth of one repetition: nothing resampled."""
    simulated, plan, other = _case(setting, repetition)
    matrix, metric, truths = simulated.matrix, METRICS[setting.metric], simulated.performances
    evidence = evidence_of(matrix, metric, plan)
    winner = int(np.argmax(evidence.gains))
    differences = truths - truths[other]
    one_side = replace(plan, side=Side.LOWER)  # two statements, each at the level
    bounds = against(evidence, other, one_side)
    alone = against(evidence.take(np.array([winner, other])), 1, one_side)
    return {
        "winner": not bounds.lower[winner] > differences[winner] + SLACK,
        "every bound": not (bounds.lower > differences + SLACK).any(),
        "every upper": not (bounds.upper < differences - SLACK).any(),
        "paired": not alone.lower[0] > differences[winner] + SLACK,
        "better": bounds.lower[winner] > 0,
        "naive error": evidence.gains[winner] - evidence.gains[other] - differences[winner],
        **_of_set(best_set(matrix, metric, plan), simulated),
    }


def corrected(setting: Setting, repetition: int) -> Result:
    """Tell if intervals of corrected differences cover the truth of one repetition."""
    simulated, plan, other = _case(setting, repetition)
    matrix, metric, truths = simulated.matrix, METRICS[setting.metric], simulated.performances
    lower_only = replace(plan, interval=IntervalKind.MATCHED, side=Side.LOWER)
    comparison = against_baseline(matrix, metric, lower_only, matrix.configurations[other]).winner
    difference = simulated.truth(comparison.first) - truths[other]
    few, columns = len(truths) // 10, range(len(truths))
    families = {"few": columns[:few], "many": columns[few:]}
    (pair,) = between_families(matrix, metric, plan, families)
    selected = (pair.first_selected, pair.second_selected)
    first, second = (simulated.truth(str(name)) for name in selected)
    return {
        "matched": comparison.interval is None or comparison.interval.lower <= difference + SLACK,
        "families": pair.interval is not None
        and pair.interval.lower - SLACK <= first - second <= pair.interval.upper + SLACK,
        "error": None if comparison.corrected is None else comparison.corrected - difference,
    }


def families(setting: Setting, repetition: int) -> Result:
    """Tell if intervals of families of each kind cover the truth of one repetition."""
    simulated, plan, _ = _case(setting, repetition)
    return statements(simulated, METRICS[setting.metric], plan)


def _case(setting: Setting, repetition: int) -> tuple[Simulated, Plan, int]:
    """A matrix, a plan, and the baseline: a configuration that is known to be a typical one."""
    simulated = setting.simulated(repetition)
    order = np.argsort(simulated.performances, kind="stable")
    return simulated, replace(PLAN, seed=repetition), int(order[len(order) // 2])


def _of_set(possible: BestSet, simulated: Simulated) -> Result:
    """Tell if the set includes the best; if there are several, the last one."""
    truths = simulated.performances
    best = simulated.matrix.configurations[int(np.flatnonzero(truths == truths.max())[-1])]
    intervals = [(one, simulated.truth(one.configuration)) for one in possible.members]
    return {
        "set": any(one.inside for one in possible.members if one.configuration == best),
        "size": possible.n_inside,
        "every interval": not any(
            one.lower > truth + SLACK or one.upper < truth - SLACK for one, truth in intervals
        ),
    }


def losses(setting: Setting, repetition: int) -> Result:
    """Tell if simultaneous intervals of mean squared errors hold, and if a note doubts it."""
    simulated, plan = setting.simulated(repetition), replace(PLAN, seed=repetition)
    chosen = best_set(simulated.matrix, METRICS[setting.metric], plan)
    ends = [(one, simulated.truth(one.configuration)) for one in chosen.members]
    return {
        "every interval": all(one.lower <= truth <= one.upper for one, truth in ends),
        "noted": any(note.code == "unbounded-loss" for note in chosen.notes),
    }


def grouped(setting: Setting, repetition: int) -> Result:
    """Tell if bounds of equal configurations hold on samples in groups, and if a note warns."""
    simulated, plan = setting.simulated(repetition), replace(PLAN, seed=repetition)
    metric = METRICS[setting.metric]
    one_side = replace(plan, side=Side.LOWER)
    bounds = against(evidence_of(simulated.matrix, metric, plan), 0, one_side)
    return {
        "every bound": not (bounds.lower > SLACK).any(),
        "every upper": not (bounds.upper < -SLACK).any(),
        "noted": bool(on_few_groups(simulated.matrix)),
    }


def group_settings() -> list[Setting]:
    """Six samples in each of 8 to 50 groups, of which half of the chance is shared."""
    settings = []
    for metric in ("accuracy", "auc", "mse"):
        for n_groups in (8, 15, 20, 30, 50):
            draw = partial(_in_groups, metric, n_groups)
            row = {"metric": metric, "groups": n_groups, "N": 6 * n_groups, "C": 20}
            key = f"groups, {metric} G={n_groups} of 6 C=20"
            settings.append(Setting(key, metric, draw, row, n_repetitions=300))
    return settings


def _in_groups(metric: str, n_groups: int, rng: Generator) -> Simulated:
    groups, c = np.repeat(np.arange(n_groups), 6), 20
    n = len(groups)

    def chance(rng: Generator) -> np.ndarray:
        shared = rng.standard_normal((n_groups, c))[groups]
        return (shared + rng.standard_normal((n, c))) / np.sqrt(2)

    if metric == "mse":
        truth = rng.standard_normal(n)
        matrix = matrix_of(truth[:, None] + chance(rng), truth, groups=groups)
    else:
        positive = rng.permutation(n) % 2
        if metric == "auc":
            matrix = matrix_of(chance(rng) + 1.19 * positive[:, None], positive, groups=groups)
        else:
            right = chance(rng) < 0.84  # 80%
            labels = np.where(right, positive[:, None], 1 - positive[:, None])
            outcome = Outcome(Task.BINARY, positive, ("no", "yes"))
            names, kind = tuple(f"c{k}" for k in range(c)), PredictionKind.LABEL
            values = labels[None].astype(float)
            matrix = PredictionMatrix(outcome, values, names, kind, groups=groups)
    return Simulated(matrix, np.full(c, EQUAL), metric, chance)


def loss_settings() -> list[Setting]:
    """Errors of values with light and heavy tails."""
    settings = []
    for law in TAILS:
        for n in (40, 200):
            draw = partial(_with_tails, law, n, 20)
            row = {"metric": "mse", "law": law, "N": n, "C": 20}
            key = f"losses, mse {law} N={n} C=20"
            settings.append(Setting(key, "mse", draw, row, n_repetitions=300))
    return settings


TAILS: dict[str, tuple[Callable[[Generator, tuple[int, int]], np.ndarray], float]] = {
    "normal": (lambda rng, size: rng.standard_normal(size), 1.0),
    "Student's t, 5 df": (lambda rng, size: rng.standard_t(5, size), 5 / 3),
    "lognormal": (
        lambda rng, size: np.exp(rng.standard_normal(size)) - np.exp(0.5),
        float(np.exp(1) * (np.exp(1) - 1)),
    ),
}
"""Errors and their true mean square."""


def _with_tails(law: str, n: int, c: int, rng: Generator) -> Simulated:
    make, square = TAILS[law]
    truth = rng.standard_normal(n)
    matrix = matrix_of(truth[:, None] + make(rng, (n, c)), truth)
    return Simulated(matrix, np.full(c, square), "mse", lambda rng: make(rng, (n, c)))


def _precise() -> list[Setting]:
    return [replace(one, n_repetitions=PRECISE.get(one.key, N_REPETITIONS)) for one in settings()]


def _with_families() -> list[Setting]:
    own = [replace(one, n_repetitions=N_REPETITIONS) for one in family_settings()]
    return [*settings(), *own]


STUDIES = (
    Study("comparisons-simultaneous", _precise, simultaneous, statement=2),
    Study("comparisons-corrected", settings, corrected),
    Study("comparisons-families", _with_families, families),
    Study("comparisons-multiple", many_families.settings, many_families.repetition, statement=2),
    Study("comparisons-losses", loss_settings, losses),
    Study("comparisons-groups", group_settings, grouped),
    Study("comparisons-baseline", baselines.settings, baselines.repetition),
)


def block(stores: Mapping[str, Kept]) -> str:
    """A table for each study."""
    tables = {
        "Simultaneous statements: how often they hold": _simultaneous,
        "Corrected differences": _corrected,
        "Intervals of families: how often they hold": _families,
        "Many families: how often some pair of equal ones is told apart, and what is shown": (
            many_families.figures
        ),
        "Simultaneous intervals of the MSE: how often all hold": _losses,
        "Simultaneous bounds of samples in groups: how often they hold": _groups,
        "The winner against a baseline: intervals and errors": baselines.figures,
    }
    parts = []
    for study, (title, figures) in zip(STUDIES, tables.items(), strict=True):
        rows: list[Row] = []
        for setting in study.settings():
            results = list(stores[study.name].results(setting.key).values())
            if results:
                rows.append(setting.row | {"n": len(results)} | figures(results))
        parts.append(table(title, (*study.settings()[0].row, "n"), rows))
    return "\n\n".join(part for part in parts if part)


def _simultaneous(results: list[Result]) -> Row:
    names = ("winner", "every bound", "every upper", "set", "every interval")
    return {name: _share(results, name) for name in names} | {
        "size of the set": f"{np.mean([one['size'] for one in results]):.1f}",
        "says better": _share(results, "better", marked=False),
        "paired test holds": _share(results, "paired", marked=False),
    }


def _corrected(results: list[Result]) -> Row:
    errors = [one["error"] for one in results if one["error"] is not None]
    return {
        "bias": mean_of(errors),
        "matched, lower end": _share(results, "matched"),
        "families": _share(results, "families"),
    }


def _families(results: list[Result]) -> Row:
    verdicts = ("few better", "many better", "wrong")
    return {
        **{kind: _share(results, kind) for kind in ("percentile", "matched")},
        **{f"says {name}": _share(results, name, marked=False) for name in verdicts},
    }


def _groups(results: list[Result]) -> Row:
    names = ("every bound", "every upper")
    return {name: _share(results, name) for name in names} | {
        "with the note": _share(results, "noted", marked=False)
    }


def _losses(results: list[Result]) -> Row:
    return {
        "every interval": _share(results, "every interval"),
        "with the note": _share(results, "noted", marked=False),
    }


def _share(results: list[Result], name: str, *, marked: bool = True) -> Figure:
    """Share of the repetitions; marked where it is below the level."""
    return share_of(sum(one[name] for one in results), len(results), LEVEL if marked else None)
