"""Searches of scikit-learn side by side: all models, halving, and dropping between folds.

    python -m benchmarks.searches           # what the store lacks; then the table of the docs
    python -m benchmarks.searches --again   # everything anew (some ten minutes)

Each data set is split into samples to search on and samples that are held out. GridSearchCV,
HalvingGridSearchCV and DroppingSearchCV get the same candidates and the same shuffled folds, and
are scored on what is held out.
"""

# ruff: noqa: N803, N806 - X is what scikit-learn calls it

import argparse
import json
import re
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    make_classification,
)
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    StratifiedKFold,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier

import bbccli
from bbccli.search import DroppingSearchCV
from benchmarks.tables import Row, Section, Table, as_markdown, percent

STORE = Path(__file__).parent / "results" / "searches.json"
PAGE = Path(__file__).with_name("validation-tables.md")
PART = re.compile(r"(?<=<!-- searches -->\n).*?(?=<!-- end of searches -->)", re.DOTALL)
SEEDS = range(3)
N_FOLDS = 10

COSTS, WIDTHS = np.geomspace(0.01, 1000, 6).tolist(), np.geomspace(1e-5, 1, 6).tolist()
OF_KERNEL = {"C": COSTS, "gamma": WIDTHS}
OF_TREE = {
    "criterion": ["gini", "entropy"],
    "max_depth": [1, 2, 4, 8, 16, None],
    "min_samples_leaf": [1, 3, 10, 30, 60, 100],
}


@dataclass(frozen=True)
class Subject:
    """A data set, what is searched on it and by which score."""

    load: Callable[[int], tuple[Any, Any]]
    n_searched: int
    estimator: Any
    grid: Mapping[str, Any]
    scoring: str


def of_step(step: str, grid: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{step}__{name}": values for name, values in grid.items()}


def made(n_samples: int, seed: int) -> tuple[Any, Any]:
    shape = {"n_features": 20, "n_informative": 6, "flip_y": 0.1}
    return make_classification(n_samples=n_samples, random_state=seed, **shape)


SUBJECTS = {
    "breast_cancer": Subject(
        lambda seed: load_breast_cancer(return_X_y=True),
        300,
        make_pipeline(StandardScaler(), SVC()),
        of_step("svc", OF_KERNEL),
        "roc_auc",
    ),
    "digits": Subject(
        lambda seed: load_digits(return_X_y=True),
        600,
        make_pipeline(StandardScaler(), SVC()),
        of_step("svc", OF_KERNEL),
        "accuracy",
    ),
    "make_classification": Subject(
        lambda seed: made(5500, seed),
        500,
        DecisionTreeClassifier(random_state=0),
        OF_TREE,
        "accuracy",
    ),
    "make_classification, N = 100": Subject(
        lambda seed: made(5100, seed),
        100,
        DecisionTreeClassifier(random_state=0),
        OF_TREE | {"min_samples_leaf": [1, 2, 3, 5, 10, 20]},
        "accuracy",
    ),
    "diabetes": Subject(
        lambda seed: load_diabetes(return_X_y=True),
        250,
        make_pipeline(StandardScaler(), SVR()),
        of_step("svr", {"C": np.geomspace(0.1, 10_000, 6).tolist(), "gamma": WIDTHS}),
        "neg_mean_absolute_error",
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.searches", description=__doc__)
    parser.add_argument("--again", action="store_true", help="forget what the store holds")
    rows = [] if parser.parse_args().again else stored()
    for row in studied([(row["data"], row["seed"]) for row in rows]):
        rows.append(row)
        STORE.parent.mkdir(exist_ok=True)
        STORE.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        print(row["data"], row["seed"])
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(PART.sub(lambda _: part_of_page(rows), text), encoding="utf-8")


def stored() -> list[Row]:
    return json.loads(STORE.read_text(encoding="utf-8")) if STORE.is_file() else []


def studied(stored_keys: list[tuple[str, int]]) -> Iterator[Row]:
    """Search on every data set with every seed, but for those known."""
    for name, subject in SUBJECTS.items():
        for seed in SEEDS:
            if (name, seed) not in stored_keys:
                yield {"data": name, "seed": seed} | study(subject, seed)


def study(subject: Subject, seed: int) -> Row:
    """Search in three ways with the same folds."""
    X, y = subject.load(seed)
    classes = None if subject.scoring.startswith("neg") else y
    X, X_new, y, y_new = train_test_split(
        X, y, train_size=subject.n_searched, stratify=classes, random_state=seed
    )
    folds = KFold if classes is None else StratifiedKFold
    cv = folds(N_FOLDS, shuffle=True, random_state=seed)
    how = {"cv": cv, "scoring": subject.scoring}
    searched = subject.estimator, dict(subject.grid)
    searches = {
        "grid": GridSearchCV(*searched, **how),
        "halving": HalvingGridSearchCV(*searched, random_state=seed, **how),
        "dropping": DroppingSearchCV(*searched, **how),
    }
    score, result = get_scorer(subject.scoring), {}
    for name, search in searches.items():
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search.fit(X, y)
        result[name] = {
            "cpu": time.process_time() - start,
            "best": int(search.best_index_),
            "score": float(search.best_score_),
            "held_out": float(score(search, X_new, y_new)),
        }
    grid, halving, dropping = searches.values()
    means = grid.cv_results_["mean_test_score"]
    for name, search in searches.items():  # halving has a row for each size of samples
        params = search.best_params_
        position = grid.cv_results_["params"].index(params)
        result[name]["kept"] = bool(np.isclose(means[position], means.max(), rtol=1e-12))
    sign = -1.0 if classes is None else 1.0
    result["grid"]["models"] = len(means) * N_FOLDS
    result["halving"]["models"] = sum(halving.n_candidates_) * N_FOLDS
    result["dropping"]["models"] = dropping.n_models_trained_
    result["dropping"]["value"] = sign * dropping.corrected_.value
    result["dropping"]["survivors"] = int(dropping.survivors_.sum())
    return result | {"by_rule": by_rule(searched, how, X, y, dropping, sign)}


def by_rule(searched: Any, how: Any, X: Any, y: Any, dropping: Any, sign: float) -> Row:
    """Correct for all candidates, and for those that a sure rule would have left.

    The sure rule drops who would not catch up if it were perfect on all folds to come and the best
    so far were at its worst.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = DroppingSearchCV(*searched, at_once=N_FOLDS, refit=False, **how).fit(X, y)
        values = {"all": sign * whole.corrected_.value}
        if how["scoring"] != "accuracy":
            return values
        scores = np.stack([whole.cv_results_[f"split{f}_test_score"] for f in range(N_FOLDS)])
        so_far = np.cumsum(scores, axis=0)
        to_come = N_FOLDS - 1 - np.arange(N_FOLDS - 1)[:, None]
        lost = (so_far[:-1] + to_come < so_far[:-1].max(axis=1, keepdims=True)).any(axis=0)
        left = whole.matrix_.of_configurations(np.flatnonzero(~lost))
        corrected = bbccli.correct(left, metric="accuracy")
    trained = (so_far[:-1] + to_come < so_far[:-1].max(axis=1, keepdims=True)).cumsum(axis=0) == 0
    models = len(lost) + int(trained.sum())
    return values | {
        "sure": corrected.value,
        "sure_survivors": int((~lost).sum()),
        "sure_models": models,
    }


COLUMNS = {
    "data": str,
    "search": str,
    "models": percent,
    "CPU": percent,
    "winner kept": str,
    "held out": lambda value: f"{value:.3f}",
    "reported": lambda value: f"{value:.3f}",
    "bias": lambda value: f"{value:+.3f}",
}


def table(rows: list[Row]) -> Table:
    """Means over the seeds: models and CPU as shares of those of the full search."""
    shown = []
    for data, subject in SUBJECTS.items():
        of_data = [row for row in rows if row["data"] == data]
        for search in ("grid", "halving", "dropping") if of_data else ():
            each = [row[search] for row in of_data]
            value = np.mean([one.get("value", one["score"]) for one in each])
            held_out = np.mean([one["held_out"] for one in each])
            models, cpu = (
                sum(one[key] for one in each) / sum(row["grid"][key] for row in of_data)
                for key in ("models", "cpu")
            )
            winner_kept = f"{sum(one['kept'] for one in each)} of {len(each)}"
            shown.append(
                {
                    "data": f"{data}, {subject.scoring.removeprefix('neg_')}",
                    "search": search,
                    "models": models,
                    "CPU": cpu,
                    "winner kept": winner_kept,
                    "held out": abs(held_out),
                    "reported": abs(value),
                    "bias": float(value - held_out),
                }
            )
    return Table("searches", "Searches", COLUMNS, shown)


def part_of_page(rows: list[Row]) -> str:
    """Return the table of the page, and what the sure rule does to the correction."""
    lines = as_markdown(table(rows)).partition("\n\n")[2]
    rows = [row for row in rows if "sure" in row["by_rule"]]
    rule, dropping = [row["by_rule"] for row in rows], [row["dropping"] for row in rows]
    shift = np.mean([one["sure"] - one["all"] for one in rule])
    shift_of_bbcd = np.mean(
        [d["value"] - one["all"] for d, one in zip(dropping, rule, strict=True)]
    )
    models = np.mean([row["by_rule"]["sure_models"] / row["grid"]["models"] for row in rows])
    text = (
        f"A rule that drops only candidates that can no longer catch up would have trained "
        f"{percent(models)} of the models in the searches by accuracy. On average, its correction "
        f"for the choice among those left is within {abs(shift) + 0.0005:.3f} of the correction "
        f"for all candidates, and that of `bbcd` is within {abs(shift_of_bbcd) + 0.0005:.3f}."
    )
    return f"\n{lines}\n\n{text}\n\n"


def measure(*, quick: bool) -> Section:
    """Search on two data sets with one seed, for `make bench`."""
    names = ("digits", "make_classification")[: 1 if quick else 2]
    rows = [{"data": name, "seed": 0} | study(SUBJECTS[name], 0) for name in names]
    note = "CPU and models as shares of the full search; validation-tables.md has five data sets."
    summary = table(rows)
    return Section([Table(summary.name, summary.title, summary.columns, summary.rows, note)])


if __name__ == "__main__":
    main()
