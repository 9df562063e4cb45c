"""Build the sample data: out-of-sample predictions of many configurations on public data sets.

    python sample_data/make.py                  # everything
    python sample_data/make.py progression      # one file and what belongs to it

The data sets come with scikit-learn and scikit-survival, so nothing is downloaded. Study samples,
folds and learners all use seed 0, fixed before any result was seen. With the same versions of the
libraries two builds give the same bytes.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import studies
from configurations import SEED, Configuration, binary, multiclass, regression
from cross_validation import (
    Array,
    Performances,
    Predict,
    class_probabilities,
    fold_numbers,
    held_out_performances,
    out_of_sample_predictions,
    pooled_performances,
    positive_probability,
    value,
)
from studies import Study
from tables import metadata, write_csv, write_json, write_parquet

FOLDER = Path(__file__).parent

ABOVE = "above"
MALIGNANT = "malignant"

PROGRESSION_SOURCE = (
    "scikit-learn load_diabetes (Efron, Hastie, Johnstone and Tibshirani 2004, Least Angle "
    "Regression); outcome: disease progression above or below the median of all 442 patients"
)
BREAST_CANCER_SOURCE = (
    "scikit-learn load_breast_cancer (Wolberg, Street and Mangasarian 1995, Breast Cancer "
    "Wisconsin (Diagnostic), UCI Machine Learning Repository)"
)


def make_progression() -> None:
    """The demonstration: 80 diabetes patients, held-out truth on the other 362."""
    study, held_out = studies.progression().draw(80, SEED)
    configurations = binary(study.training_size(10))
    folds = fold_numbers(study.outcome, 10, SEED)
    columns = _binary_columns(study, configurations, folds, ABOVE)
    described = metadata("binary", configurations, folds, SEED, outcome=study.outcome)
    write_parquet(FOLDER / "progression.parquet", columns, described | {"positive_class": ABOVE})
    truth = _held_out_truth(study, held_out, configurations, ABOVE, PROGRESSION_SOURCE)
    write_json(FOLDER / "progression.truth.json", truth)
    _print_winners(columns, configurations, ABOVE, truth["performances"])


def make_breast_cancer() -> None:
    """100 tumours, held-out truth on the other 469; the same values as Parquet and as CSV."""
    study, held_out = studies.breast_cancer().draw(100, SEED)
    configurations = binary(study.training_size(10))
    folds = fold_numbers(study.outcome, 10, SEED)
    columns = _binary_columns(study, configurations, folds, MALIGNANT)
    described = metadata("binary", configurations, folds, SEED, outcome=study.outcome)
    described |= {"positive_class": MALIGNANT}
    write_parquet(FOLDER / "breast_cancer.parquet", columns, described)
    write_csv(FOLDER / "breast_cancer.csv", columns, described)
    truth = _held_out_truth(study, held_out, configurations, MALIGNANT, BREAST_CANCER_SOURCE)
    write_json(FOLDER / "breast_cancer.truth.json", truth)
    _print_winners(columns, configurations, MALIGNANT, truth["performances"])


def make_breast_cancer_repeats() -> None:
    """The same 100 tumours, every fourth configuration, three repeats of five folds."""
    study, _ = studies.breast_cancer().draw(100, SEED)
    configurations = binary(study.training_size(5))[::4]
    folds = fold_numbers(study.outcome, 5, SEED, n_repeats=3)
    columns = _binary_columns(study, configurations, folds, MALIGNANT)
    described = metadata("binary", configurations, folds, SEED, outcome=study.outcome)
    described |= {"positive_class": MALIGNANT}
    write_parquet(FOLDER / "breast_cancer_repeats.parquet", columns, described)


def make_digits() -> None:
    """300 handwritten digits, probabilities of ten classes rounded to four decimals."""
    study, _ = studies.digits().draw(300, SEED)
    configurations = multiclass(study.training_size(10))
    folds = fold_numbers(study.outcome, 10, SEED)
    columns = _leading_columns(study, folds) | {"truth": study.outcome}
    for configuration in configurations:
        probabilities = _predictions(configuration, study, folds, class_probabilities).round(4)
        for label, column in zip(np.unique(study.outcome), probabilities.T, strict=True):
            columns[f"{configuration.id}::{label}"] = column.astype(np.float32)
    described = metadata(
        "multiclass", configurations, folds, SEED, outcome=study.outcome, flags=["rounded"]
    )
    write_parquet(FOLDER / "digits.parquet", columns, described)


def make_diabetes() -> None:
    """All 442 diabetes patients, disease progression itself."""
    study = studies.diabetes()
    configurations = regression(study.training_size(10))
    folds = fold_numbers(study.outcome, 10, SEED, stratified=False)
    columns = _leading_columns(study, folds) | {"truth": study.outcome}
    columns |= _prediction_columns(configurations, study, folds, value)
    described = metadata("regression", configurations, folds, SEED, stratified=False)
    write_parquet(FOLDER / "diabetes.parquet", columns, described)


def make_whas500() -> None:
    """All 500 patients after a heart attack, days to death, risk scores."""
    from survival_configurations import SOURCE, survival

    study = studies.whas500()
    configurations = survival(study.training_size(5))
    event = study.outcome["fstat"].astype(np.int64)
    folds = fold_numbers(event, 5, SEED)
    columns = _leading_columns(study, folds)
    columns |= {"time": study.outcome["lenfol"], "event": event}
    columns |= _prediction_columns(configurations, study, folds, value)
    described = metadata("survival", configurations, folds, SEED)
    write_parquet(FOLDER / "whas500.parquet", columns, described | {"source": SOURCE})


MAKERS: dict[str, Callable[[], None]] = {
    "progression": make_progression,
    "breast_cancer": make_breast_cancer,
    "breast_cancer_repeats": make_breast_cancer_repeats,
    "digits": make_digits,
    "diabetes": make_diabetes,
    "whas500": make_whas500,
}


def main() -> None:
    """Build the files named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description="Build the sample data.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(MAKERS)}")
    names = parser.parse_args().names or list(MAKERS)
    if unknown := sorted(set(names) - set(MAKERS)):
        parser.error(f"unknown name: {', '.join(unknown)}; choose from {', '.join(MAKERS)}")
    for name in names:
        print(name, flush=True)
        MAKERS[name]()


def _binary_columns(
    study: Study, configurations: Sequence[Configuration], folds: Array, positive_class: str
) -> dict[str, Array]:
    """All columns of a binary task."""
    columns = _leading_columns(study, folds)
    columns["truth"] = np.tile(study.outcome, len(folds))
    predict = positive_probability(positive_class)
    return columns | _prediction_columns(configurations, study, folds, predict)


def _leading_columns(study: Study, folds: Array) -> dict[str, Array]:
    """`row_id`, `repeat` where there are several, and `fold`."""
    n_repeats, n_samples = folds.shape
    columns = {"row_id": np.tile(study.row_ids, n_repeats)}
    if n_repeats > 1:
        columns["repeat"] = np.repeat(np.arange(n_repeats), n_samples)
    return columns | {"fold": folds.ravel()}


def _prediction_columns(
    configurations: Sequence[Configuration], study: Study, folds: Array, predict: Predict
) -> dict[str, Array]:
    """One float32 column of predictions for each configuration."""
    return {
        one.id: _predictions(one, study, folds, predict).astype(np.float32)
        for one in configurations
    }


def _predictions(
    configuration: Configuration, study: Study, folds: Array, predict: Predict
) -> Array:
    """Out-of-sample predictions, (n_repeats * n_samples, ...)."""
    return out_of_sample_predictions(
        configuration.pipeline, study.features, study.outcome, folds, predict
    )


def _held_out_truth(
    study: Study,
    held_out: Study,
    configurations: Sequence[Configuration],
    positive_class: str,
    source: str,
) -> dict[str, Any]:
    """What the truth file says: performances of training on the study, by metric and id."""
    performances: Performances = {"auc": {}, "accuracy": {}}
    for one in configurations:
        found = held_out_performances(
            one.pipeline,
            (study.features, study.outcome),
            (held_out.features, held_out.outcome),
            positive_class,
        )
        for metric, performance in found.items():
            performances[metric][one.id] = round(performance, 6)
    return {
        "source": source,
        "n_study": len(study.outcome),
        "n_held_out": len(held_out.outcome),
        "seed": SEED,
        "positive_class": positive_class,
        "performances": performances,
    }


def _print_winners(
    columns: dict[str, Array],
    configurations: Sequence[Configuration],
    positive_class: str,
    true: Performances,
) -> None:
    """Print, by metric, the naive winner: pooled cross-validated against true performance."""
    positive = columns["truth"] == positive_class
    naive = {one.id: pooled_performances(positive, columns[one.id]) for one in configurations}
    for metric, performances in true.items():
        pooled = np.array([found[metric] for found in naive.values()])
        held_out = np.array(list(performances.values()))
        winner = configurations[int(pooled.argmax())].id
        print(
            f"  {metric}: winner {winner} (of {(pooled == pooled.max()).sum()} tied), "
            f"cross-validated {pooled.max():.3f}, true {performances[winner]:.3f}; "
            f"highest true {held_out.max():.3f}, median true {np.median(held_out):.3f}, "
            f"median cross-validated {np.median(pooled):.3f}"
        )


if __name__ == "__main__":
    main()
