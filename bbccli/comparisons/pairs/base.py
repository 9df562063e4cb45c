"""What a test of fixed configurations is, what it needs of the data, and how it is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from bbccli.comparisons.pairs.case import PairAnswer, PairCase
from bbccli.comparisons.pairs.needs import Need, check_needs
from bbccli.comparisons.records import Beliefs, Comparison, Verdict
from bbccli.errors import OptionError, UnsupportedError, parameter
from bbccli.metrics.planned import attainable, check_apart, planned
from bbccli.notes import Note, identical_predictions
from bbccli.types import Pooling, Task

EVERY_TASK = frozenset(Task)

LABELLED = frozenset({Task.BINARY, Task.MULTICLASS, Task.SCORE})
"""Tasks whose samples can be right or wrong."""


@dataclass(frozen=True, slots=True)
class PairTest:
    """A test of whether configurations that were named beforehand perform alike.

    Parameters
    ----------
    name, label
        Name on the command line; what it does, in a word or two for the table.
    answer
        The function: a case in, an answer out.
    summary, reference
        For listings; the documentation is the docstring of the module.
    for_tasks
        Tasks it is for.
    needs
        What it needs of the data; checked before the run.
    several
        Whether it compares two or more at once, and not just two.
    pooling
        How it measures, whatever the plan says; None for as the plan says.
    of_influence
        Whether it is the one that `max-t` adjusts: a statistic of influence values.
    bayesian
        Whether it gives beliefs instead of a p-value.
    ignores_selection
        Always: what it says holds for configurations that were named before seeing results.
    """

    name: str
    label: str
    answer: Callable[[PairCase], PairAnswer]
    summary: str
    reference: str
    for_tasks: frozenset[Task] = EVERY_TASK
    needs: frozenset[Need] = frozenset()
    several: bool = False
    pooling: Pooling | None = None
    of_influence: bool = False
    bayesian: bool = False
    ignores_selection: bool = True

    def run(self, case: PairCase) -> Comparison:
        """Compare the configurations of a case.

        Raises
        ------
        UnsupportedError
            A metric, a task or a kind of data that the test is not for.
        UndefinedError
            The matrix lacks what the test needs, or the metric is undefined where it is asked.
        OptionError
            Too few or too many configurations; a rope that is negative, or as wide as any
            difference.
        """
        case = self.prepared(case)
        self.check(case)
        answer = self.answer(case)
        values = case.values if answer.values is None else answer.values
        two = len(case.configurations) == 2
        difference = case.gain(values) if two else None
        alpha = 1 - case.plan.level
        return Comparison(
            first=case.names[0] if two else ", ".join(case.names),
            second=case.names[1] if two else "",
            metric=case.metric.name,
            test=self.name,
            first_value=float(values[0]) if two else None,
            second_value=float(values[1]) if two else None,
            difference=difference,
            interval=answer.interval,
            statistic=answer.statistic,
            df=answer.df,
            p=answer.p,
            error=answer.error,
            effect=answer.effect,
            beliefs=answer.beliefs,
            n_units=answer.n_units,
            ignores_selection=self.ignores_selection,
            verdict=verdict_of(difference, answer.p, alpha, answer.beliefs),
            notes=answer.notes + _on_identical(case),
            epsilon=answer.epsilon,
            compared=() if two else case.names,
        )

    def prepared(self, case: PairCase) -> PairCase:
        """Return the case as this test takes it: pooling, clipping, and its name."""
        pooling = case.plan.pooling if self.pooling is None else self.pooling
        if pooling is Pooling.FOLD_MEAN and self.pooling and case.matrix.repeated_holdout:
            pooling = Pooling.POOLED  # a mean over the parts that the repeats hold out
        metric = planned(case.metric, case.plan)
        return replace(
            case, test=self.name, metric=metric, plan=replace(case.plan, pooling=pooling)
        )

    def check(self, case: PairCase) -> None:
        """Raise unless the test fits the data; see `run`."""
        n = len(case.configurations)
        if n < 2 or (n > 2 and not self.several) or len(set(case.configurations)) < n:
            wanted = "two different configurations" + (", or more" if self.several else "")
            raise OptionError(f"{self.name} compares {wanted}", hint="name two in a pair")
        if not case.rope >= 0:
            raise OptionError(
                f"{parameter('rope')} is {case.rope:g}", hint="0 or more, in the metric's unit"
            )
        bounds = attainable(case.metric, case.matrix.outcome)
        check_apart("rope", case.rope, case.metric.label, bounds)
        if case.matrix.task not in self.for_tasks:
            tasks = ", ".join(sorted(self.for_tasks))
            raise UnsupportedError(
                f"{self.name} is for {tasks} tasks; this one is {case.matrix.task}",
                hint="--test wald or permutation, which take every metric",
            )
        check_needs(self.name, self.needs, case)


def verdict_of(
    difference: float | None, p: float | None, alpha: float, beliefs: Beliefs | None = None
) -> Verdict:
    """Return what a difference, its p-value or the beliefs in it show at level 1 - alpha.

    A test of more than two has no difference: it shows that they are not all alike.

    Examples
    --------
    >>> str(verdict_of(0.02, 0.01, 0.05)), str(verdict_of(0.02, 0.2, 0.05))
    ('better', 'not-shown')
    """
    if beliefs is not None:
        return _verdict_of_beliefs(beliefs, 1 - alpha)
    if p is None:
        return Verdict.UNDEFINED
    if p > alpha or difference == 0:
        return Verdict.NOT_SHOWN
    if difference is None:
        return Verdict.DIFFERENT
    return Verdict.BETTER if difference > 0 else Verdict.WORSE


def _verdict_of_beliefs(beliefs: Beliefs, level: float) -> Verdict:
    if beliefs.better >= level:
        return Verdict.BETTER
    if beliefs.worse >= level:
        return Verdict.WORSE
    return Verdict.NOT_WORSE if beliefs.better + beliefs.equal >= level else Verdict.NOT_SHOWN


def _on_identical(case: PairCase) -> tuple[Note, ...]:
    two = len(case.configurations) == 2
    return (identical_predictions(*case.names),) if two and case.identical else ()
