"""The recorder: a folder, frozen folds, a scorer for searches, and calls for loops."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.dropping import Rule, drop
from bbccli.dropping.base import MIN_SAMPLES
from bbccli.errors import OptionError
from bbccli.metrics import Metric, metric_named
from bbccli.platform import openings
from bbccli.platform.arguments import choice, switch
from bbccli.recording import attempts, inputs, partial, store
from bbccli.recording.inputs import Split, refuse
from bbccli.recording.scorer import RecordingScorer, Turn, convention_of, known_tests, metric_of
from bbccli.recording.vault import Look, on_sealed, open_part, sealed_off
from bbccli.types import IntArray, Pooling

if TYPE_CHECKING:
    from bbccli.recording.verification import Verified


class Recorder:
    """Keep the out-of-sample predictions of all configurations in a folder, while they are made.

    Parameters
    ----------
    folder
        The folder to create, or that of a recording of the same data, folds and metric to continue,
        also from several processes at once.
    X
        Features as given to the search: array, data frame, sparse matrix or list of N rows. May be
        None for loops of your own.
    y : (N,)
        Labels or values.
    cv
        A splitter of scikit-learn, a number of folds, or pairs of train and test rows. None means
        five folds with `scoring`; without it folds are given to `write`.
    scoring
        The metric that the search selects by: a name of scikit-learn, or ``scorer(estimator, X,
        y)``. None means the estimator's own `score`, as in a search.
    groups : (N,), optional
        Groups of samples that belong together; passed to `cv`.
    sample_weight : (N,), optional
        Sample weights for the correction. By default those that a search passes to its scorer, as
        in scikit-learn 1.9 with ``fit(X, y, sample_weight=...)``.
    task
        ``binary``, ``multiclass`` or ``regression``, if y leaves it open.
    response
        ``predict_proba``, ``decision_function`` or ``predict``: the predictions to keep. By default
        those that the metric uses, at no cost: labels for an accuracy.
    vault
        Share of the samples to seal before the search, such as 0.2: at least 50 rows, whole groups,
        of each class the same share. `cv` and `rows` have the others only; see `open`.
    planned
        How often the vault will be opened.
    refold
        Draw folds for each try, see `folds`, from a number of folds or a splitter that shuffles.

    Raises
    ------
    InputError
        The folder holds another recording; or pandas objects are in another order than y.
    OptionError
        Arguments that don't fit, or with `scoring` two test sets that look the same.

    Examples
    --------
    .. code-block:: python

        rec = Recorder("run1", X, y, cv=cv, scoring="roc_auc")
        search = GridSearchCV(model, grid, cv=rec.cv, scoring=rec.scorer, n_jobs=8).fit(X, y)
        rec.finish(search)
    """

    def __init__(
        self,
        folder: str | Path,
        X: Any,  # noqa: N803
        y: Any,
        *,
        cv: Any = None,
        scoring: Any = None,
        groups: Any = None,
        sample_weight: Any = None,
        task: str | None = None,
        response: str = "",
        vault: float | None = None,
        planned: int = 1,
        refold: bool = False,
    ) -> None:
        self.folder = Path(folder).absolute()
        among = f"one of: {', '.join(inputs.RESPONSES)}"
        refuse(response not in ("", *inputs.RESPONSES), f"response is {response!r}", among)
        name, _ = convention_of(scoring)
        plan = inputs.design_of(y, task, name)
        inputs.check_length(X, plan.n_samples)
        inputs.check_index(y, groups=groups, sample_weight=sample_weight)
        self._design = replace(
            plan,
            groups=None if groups is None else inputs.codes_of_groups(groups, plan.n_samples),
            weights=inputs.weights_of(sample_weight, plan.n_samples),
            scoring=name,
            positive=convention_of(scoring, plan.labels)[1],
        )
        self.rows, sealed = np.arange(plan.n_samples), None
        if vault is not None:
            self._design, sealed = sealed_off(self._design, vault, planned)
            self.rows = np.asarray(self._design.rows)
        else:
            refuse(planned != 1, f"planned is {planned} without a vault", "give it vault=0.2")
        of = (cv, X, y, groups, plan.labels is not None, None if sealed is None else self.rows)
        self._drawn = attempts.TryFolds(*of) if switch(refold, "refold") else None
        frozen = self._drawn is None and (cv is not None or scoring is not None)
        self._splits = inputs.frozen(*of) if frozen else []
        tests = tuple(np.searchsorted(self.rows, test) for _, test in self._splits)
        self._design = replace(self._design, tests=tests, refold=self._drawn is not None)
        self._session = time.time_ns()
        self._turn, self._seen, self._sealed = Turn(), dict[str, store.Part](), sealed
        self._scoring, self._response, self._samples = scoring, response, (X, y)
        if scoring is not None and self._drawn is None:
            self._scorer  # noqa: B018 - its errors come before a folder is created
        store.start(self.folder, self._design, sealed)

    @property
    def cv(self) -> list[Split]:
        """The splits, drawn once; give them to the search.

        Raises
        ------
        OptionError
            The recorder was made without `cv`.
        """
        self._check_folds()
        return list(self._splits)

    def folds(self, configuration: str) -> list[Split]:
        """Return the folds of a try, with `refold`: others for each name, the same for one.

        Raises
        ------
        OptionError
            The recorder was made without `refold`.
        """
        if self._drawn is None:
            raise OptionError("all tries have the folds of rec.cv", hint="make it with refold=True")
        return self._drawn.of(inputs.checked_name(configuration))

    def _check_folds(self, there: object = None) -> None:
        hint = "rec.folds(name) in a loop; a search splits once for all its candidates"
        refuse(self._drawn is not None, "with refold=True each try has folds of its own", hint)
        refuse(not (there or self._splits), "the recorder has no folds", "give it cv=")

    @property
    def row_id(self) -> IntArray:
        """Positions of the samples (N,), for metadata routing: ``fit(X, y, row_id=rec.row_id)``."""
        return np.arange(len(self._samples[1]))

    @property
    def scorer(self) -> RecordingScorer:
        """A new scorer for a search; it tells configurations apart by their parameters.

        Raises
        ------
        OptionError
            The recorder was made without `cv` and `scoring`.
        """
        return self._handed_out("", ())

    def configuration(self, name: str, *, flags: Sequence[str] = ()) -> RecordingScorer:
        """Return a scorer that records all predictions under this configuration name.

        The configuration counts as tried from now on.

        Raises
        ------
        OptionError
            The recorder was made without `cv` and `scoring`, or the name is empty.
        """
        bound = self._handed_out(inputs.checked_name(name), inputs.flags_of(flags))
        self._keep(name, session=bound.session)  # a failed fit is part of the selection too
        return bound

    def write(
        self,
        configuration: str,
        rows: Any,
        predictions: Any,
        *,
        fold: int | None = None,
        repeat: int | None = None,
        epoch: int | None = None,
        params: Mapping[str, Any] | None = None,
        flags: Sequence[str] = (),
    ) -> None:
        """Keep the predictions of a configuration for some rows.

        Predictions that differ from earlier ones for the same rows are a second try: both count.

        Parameters
        ----------
        configuration
            Its name.
        rows : (n,)
            Positions from 0 to N - 1, or booleans (N,).
        predictions : (n,) or (n, K)
            Probabilities or scores of the positive class, the last in sorted order; a column for
            each class, in sorted order or named by it; labels; or values.
        fold, repeat, epoch
            Numbers from 0. With `cv`, fold and repeat follow from the rows. Each epoch is a column
            of its own, ``configuration@epoch``: keep all of them.
        params, flags
            Parameters; and threats to validity, such as ``early_stopping_on_fold``.

        Raises
        ------
        OptionError
            Rows, folds or predictions that don't fit.
        InputError
            Predictions of pandas are in another order than y.
        """
        repeat = None if repeat is None else inputs.position(repeat, "repeat")
        fold = None if fold is None else inputs.position(fold, "fold")
        at = inputs.positions(rows, len(self._samples[1]))
        inputs.check_index(self._samples[1], at, predictions=predictions)
        hint = "predict those in rec.rows; rec.open(name, model) opens the others"
        sealed = not np.isin(at, self.rows).all()
        refuse(sealed, "some of these rows are sealed in the vault", hint)
        at = np.searchsorted(self.rows, at)
        drawn, design = self._drawn, self._design
        design = design if drawn is None else drawn.design(design, configuration, self.rows)
        split, at, order = inputs.split_of(at, design, repeat, fold)
        kept, kind = inputs.predictions_of(predictions, len(at), self._design)
        kept = kept if order is None else kept[order]
        split, fold = (split, fold) if drawn is None else (None, None)
        rows = at if split is None else None
        repeat, fold = (repeat or 0, fold) if split is None else self._design.places[split]
        place = {"split": split, "rows": rows, "repeat": repeat, "fold": fold, "epoch": epoch}
        self._keep(configuration, params=params, flags=flags, predictions=kept, kind=kind, **place)

    def write_all(
        self,
        configuration: str,
        predictions: Any,
        *,
        repeat: int = 0,
        epoch: int | None = None,
        params: Mapping[str, Any] | None = None,
        flags: Sequence[str] = (),
    ) -> None:
        """Keep predictions for all N samples, as `cross_val_predict` returns them.

        Parameters
        ----------
        configuration, epoch, params, flags
            As for `write`.
        predictions : (N,) or (N, K)
            As for `write`; with a vault those for `rec.rows`. With `cv` each belongs to the fold
            that tests its sample.
        repeat
            Repeat, from 0.

        Raises
        ------
        OptionError
            Predictions that don't fit.
        InputError
            Predictions of pandas are in another order than y.
        """
        repeat = inputs.position(repeat, "repeat")
        rows = None if self._sealed is None else self.rows
        inputs.check_index(self._samples[1], rows, predictions=predictions)
        kept, kind = inputs.predictions_of(predictions, self._design.n_samples, self._design)
        places = self._design.places
        mine = [split for split, place in enumerate(places) if place[0] == repeat]
        refuse(places and not mine, f"there is no repeat {repeat}", "cv has fewer, from 0")
        about: dict[str, Any] = {"params": params, "flags": flags, "repeat": repeat, "epoch": epoch}
        for split in mine:
            part = kept[self._design.tests[split]]
            self._keep(configuration, predictions=part, kind=kind, split=split, **about)
        if not places:
            rows = np.arange(len(kept))
            self._keep(configuration, predictions=kept, kind=kind, rows=rows, **about)

    def tried(self, configuration: str, *, params: Mapping[str, Any] | None = None) -> None:
        """Count a configuration as tried, whether or not its predictions are complete."""
        self._keep(configuration, params=params)

    def hopeless(
        self,
        configuration: str,
        *,
        metric: str | Metric | None = None,
        rule: str | Rule = "bbcd",
        threshold: float | None = None,
        min_samples: int = MIN_SAMPLES,
        pooling: Pooling | str = "fold-mean",
        random_state: int = 0,
    ) -> bool:
        """Return True if a configuration has almost no chance to win, by its predictions so far.

        It is compared with the best of all that predict the same samples. Ask between folds, and
        stop training it if it is hopeless; it still counts as tried.

        Parameters
        ----------
        configuration
            Its name, as given to `write` or `configuration`.
        metric
            By default `scoring`.
        rule, threshold, min_samples, random_state
            As for `bbccli.drop`.
        pooling
            As for the selection of the winner; metrics that are not means are pooled.

        Raises
        ------
        OptionError
            No metric that bbc has, or no such configuration.
        UndefinedError, UnsupportedError
            A rule that can't be computed on these predictions or for this metric.

        Examples
        --------
        .. code-block:: python

            for train, test in rec.cv:
                scorer(model.fit(X[train], y[train]), X[test], y[test])
                if rec.hopeless("trial 7"):
                    break
        """
        name, chosen = inputs.checked_name(configuration), self._chosen(metric)
        by = partial.pooling_for(chosen, choice(Pooling, pooling, "pooling"))
        parts, _ = store.parts_in(self.folder, self._seen)
        latest, tried = partial.tried_so_far(parts, name)
        if not latest:
            return False
        matrix = partial.matrix_so_far(self._design, tried, latest)
        plan = partial.plan_for(matrix, chosen, by, random_state)
        how: dict[str, Any] = {"rule": rule, "threshold": threshold, "min_samples": min_samples}
        return latest in drop(matrix, chosen, plan, **how).drop

    def finish(self, results: Any, *, metric: str = "", configuration: str = "") -> Verified:
        """Compare the recording with the results of a search.

        Parameters
        ----------
        results
            The fitted search, its `cv_results_`, or the result of `cross_validate`.
        metric
            For several metrics: the key in `scoring` of the one to compare.
        configuration
            For `cross_validate`: the name given to `configuration`.

        Raises
        ------
        OptionError
            Results of another form.
        InputError
            Fits are missing, or a candidate has another score.
        """
        from bbccli.recording.verification import verify_by

        self._check_folds(self._drawn is None)
        result = verify_by(self.folder, self._design, results, metric, configuration, self._data)
        if not configuration:  # search.score() and the like are not fits
            self._turn.open, self._turn = False, Turn()
        for text in result.notes:
            warnings.warn(text, UserWarning, stacklevel=2)
        return result

    def open(
        self,
        name: str,
        model: Any,
        *,
        reach: float | None = None,
        stricter: bool = False,
        fitted: bool = False,
        metric: str | Metric | None = None,
        level: float = 0.95,
    ) -> Look:
        """Open the vault: count that it is opened, then score a model on the sealed rows.

        Parameters
        ----------
        name
            Name of the model, best that of its configuration.
        model
            An estimator, of which a copy is trained on `rec.rows`; a fitted search, whose best one
            is taken; a function of the sealed rows of X; or predictions for these rows, which are
            all but `rec.rows`, in their order.
        reach
            Say only "not yet" unless the worse end of the interval is as good as this. While that
            is all that was said, an opening takes the search's `planned`-th part of 5% only.
        stricter
            Open it more often than planned: intervals of all openings become wider.
        fitted
            Take the estimator as it is fitted. It must have been trained on `rec.rows` alone:
            a search that refits on all of X has trained its best one on the vault.
        metric
            By default `scoring`.
        level
            Level of all openings together.

        Returns
        -------
        Look
            Figure and interval, at the level that the number of openings leaves.

        Raises
        ------
        OptionError
            There is no vault, no metric, or no opening left; or the opening can't be counted.
        InputError
            The vault was changed after it was sealed.

        Examples
        --------
        .. code-block:: python

            rec = Recorder("run1", X, y, cv=5, scoring="roc_auc", vault=0.2)
            search = RandomizedSearchCV(model, space, cv=rec.cv, scoring=rec.scorer).fit(X, y)
            rec.finish(search)
            rec.open("winner", search)
        """
        name = inputs.checked_name(name)
        if self._sealed is None:
            raise OptionError("the recorder has no vault", hint="make it with vault=0.2")
        chosen = self._chosen(metric)
        place = self.folder / store.VAULT / store.OPENINGS
        openings.check_plan(place, self._design.planned, stricter=stricter)
        at = self.rows, np.asarray(self._sealed.rows)
        predictions = on_sealed(model, *self._samples, *at, chosen, self._response, fitted=fitted)
        of = (self.folder, self._sealed, name, predictions, chosen)
        return open_part(*of, reach=reach, stricter=stricter, level=level)

    @cached_property
    def _scorer(self) -> RecordingScorer:
        """The scorer that others are copied from."""
        metric, tests = metric_of(self._scoring), known_tests(self._splits, *self._samples)
        of = (metric, self._design.labels, self._design.task, self.folder, tests, self._session)
        return RecordingScorer(*of, response=self._response)

    @property
    def _data(self) -> str:
        """Digest of the features, if test sets are known."""
        return self._scorer.known.data if "_scorer" in vars(self) else ""

    def _chosen(self, metric: str | Metric | None) -> Metric:
        """Return a metric, by default that of the recorder."""
        if metric is None and not self._design.scoring:
            raise OptionError("the recorder has no metric", hint="give it metric=NAME")
        return metric_named(self._design.scoring if metric is None else metric)

    def _handed_out(self, name: str, flags: tuple[str, ...]) -> RecordingScorer:
        self._check_folds()
        turn = Turn() if name else self._turn
        return replace(self._scorer, name=name, flags=flags, session=time.time_ns(), turn=turn)

    def _keep(self, configuration: str, **content: Any) -> None:
        """Write a part of a configuration; without predictions, for one that was only tried."""
        name, epoch = attempts.at_epoch(configuration, content.pop("epoch", None))
        content["params"] = inputs.params_of(content.get("params"))
        content["flags"] = inputs.flags_of(content.get("flags"))
        of: dict[str, Any] = {"identity": store.identity_of(name, "", {}), "name": name}
        of |= {"epoch": epoch, "session": self._session, "data": self._data}
        store.write_part(self.folder, store.Part(**of | content))
