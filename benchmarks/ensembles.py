"""Ensembles and cuts made in every resample: seconds, and times those of the plain AUC."""

from bbccli.metrics import METRICS
from bbccli.platform.resources import Engine
from benchmarks import subjects
from benchmarks.tables import Section, Table, Target, decimals, digits, times, whole
from benchmarks.timing import least

SIZE, RESAMPLES = (1000, 100), 200

CASES = {
    "greedy, log-loss": ("log-loss", {"select": "greedy"}, 0.6),
    "greedy, Brier score": ("brier", {"select": "greedy"}, 0.1),
    "greedy, accuracy": ("accuracy", {"select": "greedy"}, 0.6),
    "greedy, AUC": ("auc", {"select": "greedy"}, 6.0),
    "stack": ("brier", {"select": "stack"}, None),
    "tuned cut, F1": ("f1", {"cut": "tuned"}, None),
    "tuned cut, MCC": ("mcc", {"cut": "tuned"}, None),
    "platt": ("log-loss", {"calibrate": "platt"}, None),
    "isotonic": ("brier", {"calibrate": "isotonic"}, None),
}
"""Metric, plan, and the target in seconds of the compiled form."""

MOST_OF_CUTS = 4.0
"""Target of a tuned cut, times the plain AUC."""

IN_NUMPY = 8.0
"""Target of numpy alone, times that of the compiled form."""

COLUMNS = {
    "rule": str,
    "engine": str,
    "N": whole,
    "C": whole,
    "B": whole,
    "s": digits,
    "x AUC": times,
}

NOTE = "Whole runs of bbc in one thread; greedy of 25 rounds. x AUC: times a plain run by the AUC."


def measure(*, quick: bool) -> Section:
    n_samples, n_configurations = SIZE
    rows, targets = [], []
    for engine in subjects.engines(METRICS["auc"]):
        for rule, (name, plan, target) in CASES.items():
            if (quick or engine is Engine.NUMPY) and rule == "greedy, AUC":
                continue
            subjects.whole_run(*_case(name, 60), 64, engine, **plan)()()
            made = subjects.whole_run(*_case(name), RESAMPLES, engine, **plan)
            turns = {"auc": subjects.whole_run(*_case("auc"), RESAMPLES, engine)} | {rule: made}
            taken = least(turns, rounds=1 if quick else 2)
            plain, seconds = taken["auc"], taken[rule]
            size = {"N": n_samples, "C": n_configurations, "B": RESAMPLES}
            rows.append(
                {"rule": rule, "engine": engine, **size, "s": seconds, "x AUC": seconds / plain}
            )
            slower = IN_NUMPY if engine is Engine.NUMPY else 1
            of_cut = "cut" in rule
            limit, unit = (MOST_OF_CUTS, "x AUC") if of_cut else (target, "s")
            if limit is not None:
                found = seconds / plain if of_cut else seconds
                of = f"{rule}, {unit} ({engine})"
                targets.append(Target(of, limit * slower, found, decimals, at_least=False))
    return Section([Table("ensembles", "Made in every resample", COLUMNS, rows, NOTE)], targets)


def _case(name: str, n_samples: int = SIZE[0]) -> tuple:  # type: ignore[type-arg]
    metric = METRICS[name]
    return metric, subjects.matrix_for(metric, n_samples, SIZE[1])
