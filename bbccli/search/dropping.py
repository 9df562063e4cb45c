"""`DroppingSearchCV`: a grid or random search of scikit-learn that drops losers between folds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from math import ceil
from numbers import Integral
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone, is_classifier
from sklearn.model_selection import ParameterGrid, ParameterSampler, check_cv
from sklearn.model_selection._search import BaseSearchCV
from sklearn.model_selection._validation import _fit_and_score, _warn_or_raise_about_fit_failures
from sklearn.utils import check_array, indexable
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params

from bbccli.errors import BbcError, OptionError
from bbccli.notebook import correct
from bbccli.recording.inputs import frozen, refuse, taken
from bbccli.search.race import Race, several_metrics

MODELS_PER_WORKER = 3
"""With ``at_once="auto"``, models per worker and step, so that few workers idle at its end."""

_OWN = ("metric", "rule", "threshold", "min_samples", "pooling", "fold_order", "random_state")


class SearchError(OptionError, ValueError):
    """Arguments that a search can't use."""


class DroppingSearchCV(BaseSearchCV):  # type: ignore[misc]
    """Search like GridSearchCV or RandomizedSearchCV, and drop configurations between folds.

    All configurations are trained on the first fold. After each fold, those that have almost no
    chance to win, by a bootstrap of the predictions so far, are dropped. The winner's score is then
    corrected for its selection among those trained on all folds.

    Parameters
    ----------
    estimator, scoring, n_jobs, cv, verbose, pre_dispatch, error_score, return_train_score
        As for GridSearchCV. `scoring` is a single metric: it selects. A configuration with a failed
        fit is dropped. `cv` should shuffle: the first folds have to be like the others.
    candidates
        A `param_grid`; with `n_iter`, `param_distributions`.
    n_iter : optional
        Number of configurations to draw; by default the whole grid is tried.
    metric : optional
        Name of a metric of bbc, or a `Metric`, to drop by and to correct, if `scoring` is a
        function or has no counterpart.
    rule
        Name of one of `bbccli.dropping.RULES`.
    threshold
        Confidence above which a configuration is dropped, in (0.5, 1); None for that of the rule.
    min_samples
        Nothing is dropped before this many samples are predicted.
    pooling
        ``fold-mean``, as the search selects, or ``pooled``. The folds of metrics that are not
        means, such as R2, F1 and RMSE, are always pooled, because they are biased on small samples.
    at_once
        Number of folds trained between two decisions. ``auto`` takes as many as give each worker
        three models; the survivors then depend on the number of workers.
    fold_order : optional
        Positions of the splits in the order of training.
    random_state
        Seed of the draws of configurations and of the bootstrap.
    refit
        As for GridSearchCV; a function gets only the rows of the survivors, and returns a position
        among these.

    Attributes
    ----------
    best_estimator_, best_index_, best_params_, best_score_, cv_results_, n_splits_, scorer_
        As for GridSearchCV, with the best of the survivors. `cv_results_` has a row for every
        configuration, NaN where it was not trained, and a column `n_folds_trained`.
    survivors_ : (C,) bool
        Configurations trained on all folds.
    dropped_ : list of DropDecision
        The decision after each step.
    n_models_, n_models_trained_ : int
        Models of the full search, and those that were trained.
    corrected_ : Correction
        Expected performance of the winner, corrected for the selection among the survivors. None,
        with a warning, if it is undefined.
    matrix_ : PredictionMatrix
        Predictions of the survivors.
    plan_ : dict
        Metric, pooling and clip of the correction, also of ``bbccli.correct(search)``.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, section 4.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import StratifiedKFold
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> cv = StratifiedKFold(5, shuffle=True, random_state=0)
    >>> grid = {"min_samples_leaf": [1, 5, 20, 100, 200]}
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = DroppingSearchCV(tree, grid, cv=cv, scoring="accuracy").fit(X, y)
    >>> search.n_models_trained_ < search.n_models_
    True
    """

    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012 (scikit-learn's)
        **BaseSearchCV._parameter_constraints,
        "candidates": [dict, list],
        "n_iter": [Interval(Integral, 1, None, closed="left"), None],
        "at_once": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        **dict.fromkeys(_OWN, "no_validation"),
    }

    def __init__(
        self,
        estimator: Any,
        candidates: Any,
        *,
        n_iter: int | None = None,
        scoring: Any = None,
        metric: Any = None,
        rule: Any = "bbcd",
        threshold: float | None = 0.99,
        min_samples: int = 50,
        pooling: Any = "fold-mean",
        at_once: int | str = 1,
        fold_order: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.candidates = candidates
        self.n_iter = n_iter
        self.metric = metric
        self.rule = rule
        self.threshold = threshold
        self.min_samples = min_samples
        self.pooling = pooling
        self.at_once = at_once
        self.fold_order = fold_order
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, **params: Any) -> DroppingSearchCV:  # noqa: N803
        """Search; X, y and parameters are those of GridSearchCV.

        Raises
        ------
        ValueError
            A metric, a rule, folds or a truth that don't go together, before anything is trained;
            or no configuration is left, because some fit of each failed.
        """
        if isinstance(self.scoring, list | tuple | set | Mapping):
            raise several_metrics()
        self._validate_params()
        X, y = indexable(X, y)  # noqa: N806
        scorer = self._get_scorers()[0]
        routed = self._get_routed_params_for_fit(_check_method_params(X, params=params))
        if y is None:  # worded as in scikit-learn
            raise ValueError("DroppingSearchCV requires y to be passed, but the target y is None")
        truth = check_array(y, ensure_2d=False, dtype=None, input_name="y")
        try:
            race = Race(self, truth, params.get("groups"), routed.scorer.score)
            cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
            splits = frozen(list(cv.split(X, y, **routed.splitter.split)), X, y, None, False)
            keeper = race.start(splits, self._candidates(), scorer)
            self._train(race, X, y, keeper, routed)
        except BbcError as error:
            raise SearchError(error.problem, hint=error.hint) from None
        self._select(race)
        if self.refit:
            self._refit(X, y, routed.estimator.fit)
        self.scorer_, self.n_splits_, self.multimetric_ = scorer, len(race.splits), False
        self._correct(race)
        return self

    def set_callbacks(self, *callbacks: Any) -> DroppingSearchCV:
        """Refuse callbacks of scikit-learn 1.9, which would never be called."""
        hint = "give them to the estimator, or use GridSearchCV with a bbccli Recorder"
        raise SearchError("DroppingSearchCV calls no callbacks", hint=hint)

    def _candidates(self) -> Any:
        if self.n_iter is None:
            return ParameterGrid(self.candidates)
        return ParameterSampler(self.candidates, self.n_iter, random_state=self.random_state)

    def _train(self, race: Race, X: Any, y: Any, scorer: Any, routed: Any) -> None:  # noqa: N803
        """Train the remaining configurations fold by fold."""
        n_folds, n_candidates = len(race.splits), len(race.candidates)
        alive, order = list(range(n_candidates)), _order(self.fold_order, n_folds)
        base, how = clone(self.estimator), {"X": X, "y": y, "scorer": scorer}
        how |= {"fit_params": routed.estimator.fit, "score_params": routed.scorer.score}
        how |= {"return_n_test_samples": True, "return_times": True, "verbose": self.verbose}
        how |= {"return_train_score": self.return_train_score, "error_score": self.error_score}

        def model(c: int, fold: int) -> Any:
            """Return the call that trains a configuration on the other folds, and scores it."""
            train, test = race.splits[fold]
            at = {"split_progress": (fold, n_folds), "candidate_progress": (c, n_candidates)}
            of = {"train": train, "test": test, "parameters": race.candidates[c]} | at
            return delayed(_fit_and_score)(clone(base), **how, **of)

        if self.verbose > 0:
            most = f"totalling at most {n_folds * n_candidates} fits"
            print(f"Fitting at most {n_folds} folds for each of {n_candidates} candidates, {most}")
        with Parallel(n_jobs=self.n_jobs, pre_dispatch=self.pre_dispatch) as parallel:
            while order:
                step = self.at_once
                if isinstance(step, str):
                    step = ceil(MODELS_PER_WORKER * int(effective_n_jobs(self.n_jobs)) / len(alive))
                now, order = order[:step], order[step:]
                # the slowest first, so that no worker idles at the end of a step
                spent = {c: sum(o["fit_time"] for o in race.outputs[c].values()) for c in alive}
                queue = [(c, f) for c in sorted(alive, key=lambda c: -spent[c]) for f in now]
                outputs = parallel(model(c, fold) for c, fold in queue)
                _warn_or_raise_about_fit_failures(outputs, self.error_score)
                race.take(queue, outputs)
                alive = race.left(alive)
                alive = race.decide(alive) if order and len(alive) > 1 else alive
                if self.verbose > 0 and order:
                    done = f"[{n_folds - len(order)} of {n_folds} folds]"
                    print(f"{done} {len(alive)} of {n_candidates} candidates go on")

    def _select(self, race: Race) -> None:
        """Store what was trained and dropped, and select the best of the survivors."""
        n_folds, some = len(race.splits), next(iter(race.outputs[0].values()))
        nothing = dict.fromkeys(some, np.nan)
        full = [of_one.get(fold, nothing) for of_one in race.outputs for fold in range(n_folds)]
        trained = np.array(list(map(len, race.outputs)))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*scores are non-finite.*")
            more = {"n_folds_trained": trained}
            results = self._format_results(race.candidates, n_folds, full, more)
        for key in ("fit_time", "score_time"):
            times = np.array([output[key] for output in full], float).reshape(-1, n_folds)
            results[f"mean_{key}"] = np.nanmean(times, axis=1)
            results[f"std_{key}"] = np.nanstd(times, axis=1)
        self.cv_results_, self.survivors_, self.dropped_ = results, race.survivors, race.decisions
        self.n_models_, self.n_models_trained_ = trained.size * n_folds, int(trained.sum())
        # a function gets only the rows of survivors, so that its argmax meets no NaN
        rows = np.flatnonzero(race.survivors)
        of_survivors = {key: taken(values, rows) for key, values in results.items()}
        self.best_index_ = int(rows[self._select_best_index(self.refit, "score", of_survivors)])
        self.best_params_ = results["params"][self.best_index_]
        if not callable(self.refit):
            self.best_score_ = results["mean_test_score"][self.best_index_]

    def _refit(self, X: Any, y: Any, fit_params: Mapping[str, Any]) -> None:  # noqa: N803
        """Train the best on all samples."""
        best = clone(self.estimator).set_params(**clone(self.best_params_, safe=False))
        start = time.time()
        best.fit(X, y, **fit_params)
        self.best_estimator_ = best
        self.refit_time_ = time.time() - start
        if hasattr(best, "feature_names_in_"):
            self.feature_names_in_ = best.feature_names_in_

    def _correct(self, race: Race) -> None:
        """Correct the winner's score for the selection among the survivors."""
        self.matrix_, self.corrected_ = None, None
        try:
            self.matrix_ = matrix = race.matrix()
            plan = race.plan(matrix)
            asked: dict[str, Any] = {"pooling": plan.pooling, "clip": plan.clip}
            self.plan_ = {"metric": race.metric, **asked}
            self.corrected_ = correct(matrix, metric=race.metric, random_state=plan.seed, **asked)
        except BbcError as error:  # keep the search even if its correction fails
            warnings.warn(f"no correction: {error.problem}", UserWarning, stacklevel=3)
            return
        winner, means = self.corrected_.winner, self.cv_results_["mean_test_score"]
        selected, other = self.best_index_, race.names.index(winner)
        if not np.isclose(means[selected], means[other], 1e-9):
            text = f"the search selects {race.names[selected]}, but corrected_ is for {winner}, "
            text += f"the best by {plan.pooling} {race.metric.label}"
            warnings.warn(text, UserWarning, stacklevel=3)


def _order(fold_order: Any, n_folds: int) -> list[int]:
    """Return the splits in the order of training."""
    order = list(range(n_folds)) if fold_order is None else [int(fold) for fold in fold_order]
    wrong = sorted(order) != list(range(n_folds))
    hint = f"give each of 0 to {n_folds - 1} once"
    refuse(wrong, f"fold_order is {order}, not an order of the splits", hint)
    return order
