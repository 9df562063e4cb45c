"""Write comparisons.json: answers of mlxtend, baycomp and scikit-posthocs, which the tests lack.

pip install mlxtend==0.25.0 baycomp==1.0.3 scikit-posthocs==0.17.1
python tests/oracles/comparisons.py
"""

import json
from importlib.metadata import version
from pathlib import Path

import baycomp
import numpy as np
import scikit_posthocs
from mlxtend.evaluate import cochrans_q, combined_ftest_5x2cv, paired_ttest_5x2cv
from sklearn.base import BaseEstimator

PACKAGES = ("mlxtend", "baycomp", "scikit-posthocs", "scipy", "numpy")


class Told(BaseEstimator):
    """An estimator whose ten scores are known beforehand."""

    _estimator_type = "classifier"

    def __init__(self, scores=()):
        self.scores = scores
        self.given = iter(scores)

    def fit(self, X, y):  # noqa: N803
        return self

    def predict(self, X):  # noqa: N803
        return np.zeros(len(X))


def next_score(estimator, rows, y):
    return next(estimator.given)


def five_by_two(rng):
    """Scores (5, 2) of two estimators, and mlxtend's t and F of them."""
    first, second = np.round(rng.uniform(0.6, 0.9, (2, 5, 2)), 3)
    rows, y = np.zeros((20, 1)), np.arange(20) % 2

    def asked(test):
        pair = [Told(scores.reshape(-1).tolist()) for scores in (first, second)]
        statistic, p = test(*pair, rows, y, scoring=next_score, random_seed=1)
        return {"statistic": float(statistic), "p": float(p)}

    return {
        "first": first.tolist(),
        "second": second.tolist(),
        "t": asked(paired_ttest_5x2cv),
        "f": asked(combined_ftest_5x2cv),
    }


def correlated_t(rng, n_folds, n_repeats, rope):
    """Differences in folds, and baycomp's posterior probabilities of them."""
    first, second = np.round(rng.uniform(0.7, 0.9, (2, n_folds * n_repeats)), 3)
    # baycomp's left is that its first is better: the difference is second less first
    found = baycomp.two_on_single(second, first, rope=rope, runs=n_repeats)
    worse, equal, better = (found[0], 0.0, found[1]) if rope == 0 else found
    return {
        "first": first.tolist(),
        "second": second.tolist(),
        "n_folds": n_folds,
        "n_repeats": n_repeats,
        "rope": rope,
        "worse": float(worse),
        "equal": float(equal),
        "better": float(better),
    }


def q_of(rng, n_samples, n_configurations):
    """Right and wrong, and mlxtend's Q."""
    skill = np.linspace(0.6, 0.8, n_configurations)
    right = rng.random((n_samples, n_configurations)) < skill
    truth = np.zeros(n_samples, int)
    q, p = cochrans_q(truth, *(1 - right.T.astype(int)))
    return {"right": right.astype(int).tolist(), "q": float(q), "p": float(p)}


def nemenyi(rng, n_data_sets, n_families):
    """Performances, larger is better, and scikit-posthocs' p-values of pairs."""
    values = rng.normal(0.8, 0.05, (n_data_sets, n_families)) + np.linspace(0, 0.06, n_families)
    values = np.round(values, 2)  # ties, and none that rounding parts
    p = scikit_posthocs.posthoc_nemenyi_friedman(values).to_numpy()
    return {"performances": values.tolist(), "p": p.tolist()}


def main():
    rng = np.random.default_rng(20261122)
    answers = {
        "made_by": "tests/oracles/comparisons.py",
        "versions": {name: version(name) for name in PACKAGES},
        "five_by_two": [five_by_two(rng) for _ in range(4)],
        "correlated_t": [
            correlated_t(rng, *design)
            for design in [(10, 1, 0.0), (10, 1, 0.01), (5, 3, 0.02), (10, 10, 0.005)]
        ],
        "cochran_q": [q_of(rng, n, m) for n, m in [(30, 2), (40, 3), (60, 6)]],
        "nemenyi": [nemenyi(rng, n, k) for n, k in [(8, 3), (12, 5), (20, 4), (6, 2)]],
    }
    path = Path(__file__).with_name("comparisons.json")
    path.write_text(json.dumps(answers, indent=None) + "\n")


if __name__ == "__main__":
    main()
