"""Train one fold of a cross-validation of digits, and add its predictions to a table.

    python drop_loop.py TABLE FOLD [--skip NAMES]

TABLE is a CSV file with a row per sample predicted so far. NAMES is a file with a configuration
per line: these are not trained, and their cells stay empty.
"""

import argparse
import csv
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

N_SAMPLES = 500
N_FOLDS = 5
SEED = 0


def configurations() -> dict[str, ClassifierMixin]:
    """Every configuration by its name, not yet trained."""
    grid: dict[str, ClassifierMixin] = {}
    for neighbours, weights, power in product(
        (1, 3, 5, 9, 15, 25), ("uniform", "distance"), (1, 2)
    ):
        grid[f"knn {neighbours} {weights} p={power}"] = KNeighborsClassifier(
            neighbours, weights=weights, p=power
        )
    for depth, leaf in product((2, 4, 6, 8, None), (1, 5, 10)):
        grid[f"tree depth={depth} leaf={leaf}"] = DecisionTreeClassifier(
            max_depth=depth, min_samples_leaf=leaf, random_state=SEED
        )
    for smoothing in (1e-9, 1e-4, 1e-3, 1e-2, 1e-1, 1.0):
        grid[f"bayes {smoothing:g}"] = GaussianNB(var_smoothing=smoothing)
    for cost, gamma in product((0.01, 0.1, 1.0, 10.0), (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)):
        grid[f"svm C={cost:g} gamma={gamma:g}"] = SVC(C=cost, gamma=gamma)
    return grid


def train(fold: int, skip: set[str]) -> list[dict[str, object]]:
    """Predictions of one fold: a row per sample of it."""
    images, digits = load_digits(return_X_y=True)
    images, digits = images[:N_SAMPLES], digits[:N_SAMPLES]
    folds = np.random.default_rng(SEED).permutation(N_SAMPLES) % N_FOLDS
    fitted, tested = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
    rows = [{"row_id": i, "fold": fold, "truth": digits[i]} for i in tested]
    for name, configuration in configurations().items():
        predicted = [""] * len(tested)
        if name not in skip:
            configuration.fit(images[fitted], digits[fitted])
            predicted = configuration.predict(images[tested])
        for row, prediction in zip(rows, predicted, strict=True):
            row[name] = prediction
    return rows


def main() -> None:
    """Train one fold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("fold", type=int)
    parser.add_argument("--skip", type=Path)
    options = parser.parse_args()
    skip = set(options.skip.read_text().splitlines()) if options.skip else set()
    rows = train(options.fold, skip)
    first = options.fold == 0
    with options.table.open("w" if first else "a", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        if first:
            writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
