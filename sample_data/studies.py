"""The data sets that come with scikit-learn and scikit-survival, and samples drawn from them."""

from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.model_selection import train_test_split

from complexity import TrainingSize
from cross_validation import Array


@dataclass(frozen=True, slots=True)
class Study:
    """Samples of one data set, with their row numbers in it."""

    features: Array
    outcome: Array
    row_ids: Array

    def draw(self, n_samples: int, seed: int) -> tuple["Study", "Study"]:
        """A stratified random sample of the given size, and the rest, both in row order."""
        drawn, rest = train_test_split(
            np.arange(len(self.outcome)),
            train_size=n_samples,
            stratify=self.outcome,
            random_state=seed,
        )
        return self._take(np.sort(drawn)), self._take(np.sort(rest))

    def training_size(self, n_folds: int) -> TrainingSize:
        """Size of what one fold leaves for training."""
        n_samples, n_features = self.features.shape
        return TrainingSize(n_samples * (n_folds - 1) // n_folds, n_features)

    def _take(self, positions: Array) -> "Study":
        """The samples at the given positions."""
        return Study(self.features[positions], self.outcome[positions], self.row_ids[positions])


def whole(features: Array, outcome: Array) -> Study:
    """All samples of a data set."""
    return Study(features, outcome, np.arange(len(outcome)))


def diabetes() -> Study:
    """442 patients, disease progression after one year."""
    return whole(*load_diabetes(return_X_y=True))


def progression() -> Study:
    """The same patients, progression above (221) or below (221) its median."""
    study = diabetes()
    above = study.outcome > np.median(study.outcome)
    return whole(study.features, np.where(above, "above", "below"))


def breast_cancer() -> Study:
    """569 breast tumours, malignant (212) or benign (357)."""
    data = load_breast_cancer()
    return whole(data.data, data.target_names[data.target])


def digits() -> Study:
    """1797 images of handwritten digits, the digit as a string."""
    images, labels = load_digits(return_X_y=True)
    return whole(images, labels.astype(str))


def whas500() -> Study:
    """500 patients after a heart attack: `fstat` (death) and `lenfol` (days of follow-up)."""
    from sksurv.datasets import load_whas500

    features, outcome = load_whas500()
    return whole(features.to_numpy(dtype=float), outcome)
