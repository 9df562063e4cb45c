"""Between folds: which configurations to train on the next one.

The predictions so far are all there is to know; nothing is kept from call to call. A configuration
that lacks predictions on samples that others predict was dropped earlier, and stays dropped.
"""

from __future__ import annotations

import numpy as np

from bbccli.domain.matrix import PredictionMatrix, Unfinished
from bbccli.domain.plan import Plan
from bbccli.dropping import base
from bbccli.dropping.base import MIN_SAMPLES, Interim, Judgement, Rule
from bbccli.dropping.results import Decision, DropDecision, Fate
from bbccli.dropping.rules import choose_rule
from bbccli.errors import OptionError, parameter
from bbccli.metrics import Metric, choose_metric
from bbccli.metrics.capped import with_clip
from bbccli.notes.methods import nothing_dropped
from bbccli.platform.arguments import real, whole
from bbccli.types import distinct


def drop(
    matrix: PredictionMatrix,
    metric: Metric | str,
    plan: Plan = Plan(),
    *,
    rule: str | Rule = "bbcd",
    threshold: float | None = None,
    min_samples: int = MIN_SAMPLES,
    n_folds: int | None = None,
) -> DropDecision:
    """Decide which configurations need not be trained on the folds to come.

    Parameters
    ----------
    matrix
        Predictions so far, as from `read_unfinished`: of the configurations that are still in,
        on the samples seen; `matrix.unfinished` tells who was dropped earlier.
    metric
        Decides who is worse.
    plan
        `n_resamples`, `seed` and `pooling`.
    rule
        Name of one of `RULES`.
    threshold
        Confidence above which it drops, in (0.5, 1); the rule's own when None, 0.99 for bbcd.
    min_samples
        Nothing is dropped before this many samples are predicted.
    n_folds
        Folds of the whole cross-validation, of all repeats, when the data don't tell.

    Returns
    -------
    DropDecision
        `keep` and `drop` are names; `decisions` one record per configuration.

    Raises
    ------
    OptionError
        An unknown rule, or a threshold or number out of range.
    UndefinedError, UnsupportedError
        A rule that can't be computed on these data or for this metric.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, section 4.

    Examples
    --------
    >>> import numpy as np
    >>> from bbccli import METRICS
    >>> from bbccli.domain.outcome import Outcome
    >>> from bbccli.types import PredictionKind, Task
    >>> truth = np.arange(60) % 2
    >>> good, bad = truth, 1 - truth
    >>> outcome = Outcome(Task.BINARY, truth, ("no", "yes"))
    >>> predictions = np.column_stack([good, bad])[None].astype(float)
    >>> matrix = PredictionMatrix(outcome, predictions, ("good", "bad"), PredictionKind.LABEL)
    >>> drop(matrix, METRICS["accuracy"]).drop
    ('bad',)
    """
    metric, chosen = with_clip(choose_metric(metric, matrix), plan.clip), choose_rule(rule)
    threshold = check_terms(chosen, threshold, min_samples)
    interim, early = Interim.of(matrix, metric, plan), base.too_early(matrix.outcome, min_samples)
    verdict = base.undecided(interim) if early else chosen.judge(interim, threshold)
    early = early or _hindrance(interim, chosen)
    counts = _counts(matrix, verdict, n_folds)
    return DropDecision(
        rule=chosen.name,
        threshold=threshold,
        min_samples=min_samples,
        metric=metric.name,
        direction=metric.direction,
        best=matrix.configurations[interim.best] if interim.best >= 0 else None,
        n_samples=matrix.n_samples,
        **counts,
        decisions=_decisions(interim, verdict, counts["n_folds_seen"]),
        plan=plan,
        notes=((nothing_dropped(early),) if early else ()) + base.on_unshuffled(matrix),
    )


def _hindrance(interim: Interim, rule: Rule) -> str:
    """Return why a rule drops nothing however many samples there are; empty where it may."""
    if interim.best < 0:
        return f"{interim.metric.label} is undefined for every configuration"
    if rule.needs and rule.waits(interim):
        return f"the rule {rule.name} needs {rule.min_folds} folds"
    return ""


def check_terms(rule: Rule, threshold: float | None, min_samples: int) -> float:
    """Return the threshold, or the rule's own where there is none.

    Raises OptionError: a threshold outside (0.5, 1), or a negative number of samples.
    """
    if whole(min_samples, "min_samples") < 0:
        raise OptionError(
            f"{parameter('min_samples')} is {min_samples}", hint="0 or more; 50 is advised"
        )
    if threshold is None:
        return rule.threshold
    threshold = real(threshold, "threshold")
    if not 0.5 < threshold < 1:
        raise OptionError(
            f"{parameter('threshold', option='confidence')} is {threshold:g}, not between 0.5 and "
            "1",
            hint="the confidence above which a configuration is dropped, such as 0.99",
        )
    return threshold


def _counts(
    matrix: PredictionMatrix, verdict: Judgement, n_folds: int | None
) -> dict[str, int | None]:
    """Count the models trained and still to train; None where folds are unknown."""
    unfinished, folds = matrix.unfinished or Unfinished(), matrix.folds
    in_folds = None if folds is None else sum(len(distinct(of_repeat)) for of_repeat in folds)
    seen, to_come = unfinished.n_models or in_folds, unfinished.n_to_come
    if n_folds is not None and seen is not None:
        if n_folds < seen:
            raise OptionError(
                f"{parameter('n_folds')} is {n_folds}, and {seen} folds have predictions",
                hint="the folds of the whole cross-validation, of all repeats",
            )
        to_come = n_folds - seen
    counts = {"n_folds_seen": seen, "n_folds_to_come": to_come}
    counts |= dict.fromkeys(("n_models", "n_trained", "n_saved", "n_to_save"))
    if seen is not None:
        n_left, n_gone = matrix.n_configurations, len(unfinished.dropped)
        trained = n_left * seen + sum(unfinished.models)
        counts |= {"n_trained": trained, "n_saved": (n_left + n_gone) * seen - trained}
        if to_come is not None:
            counts["n_models"] = (n_left + n_gone) * (seen + to_come)
            counts["n_to_save"] = (n_gone + int(verdict.worse.sum())) * to_come
    return counts


def _decisions(interim: Interim, verdict: Judgement, seen: int | None) -> tuple[Decision, ...]:
    """One decision per configuration, in the order of the file; `seen` are the folds so far, if
    known.
    """
    matrix, unfinished = interim.matrix, interim.matrix.unfinished or Unfinished()
    decisions = {}
    for name, n_models in zip(unfinished.dropped, unfinished.models, strict=True):
        trained = None if seen is None else n_models
        decisions[name] = Decision(name, Fate.EARLIER, None, None, None, trained)
    for c, name in enumerate(matrix.configurations):
        probability, p_value = (
            None if values is None or np.isnan(values[c]) else float(values[c])
            for values in (verdict.probability, verdict.p_value)
        )
        fate, value = Fate.DROP if verdict.worse[c] else Fate.KEEP, float(interim.performances[c])
        decisions[name] = Decision(name, fate, value, probability, p_value, seen)
    return tuple(decisions[name] for name in unfinished.names or tuple(decisions))
