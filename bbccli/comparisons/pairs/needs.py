"""What tests need of the data, each with the reason where it is lacking."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from bbccli.comparisons.pairs.case import PairCase
from bbccli.comparisons.pairs.labels import in_common, is_yes_or_no
from bbccli.errors import BbcError, UndefinedError, UnsupportedError
from bbccli.metrics.ranking import AUC
from bbccli.notes import listing
from bbccli.rounding import count
from bbccli.selection.candidates import folds_of
from bbccli.types import distinct

WHATEVER = "--test wald or permutation"


class Need(StrEnum):
    """What a test needs beside predictions and outcome."""

    YES_OR_NO = "yes-or-no"
    """A metric that is the share of samples that are right, or wrong."""
    AUC = "auc"
    """The AUC of two classes."""
    ONE_REPEAT = "one-repeat"
    IN_COMMON = "in-common"
    """Samples that all of the configurations predict."""
    UNGROUPED = "ungrouped"
    UNWEIGHTED = "unweighted"
    FOLDS = "folds"
    """Parts of the samples: folds, or what the repeats of a hold-out hold out."""
    FIVE_BY_TWO = "five-by-two"
    """Exactly five repeats of two folds."""


OF_SHARES = frozenset(
    {Need.YES_OR_NO, Need.ONE_REPEAT, Need.IN_COMMON, Need.UNGROUPED, Need.UNWEIGHTED}
)
"""What tests of shares of samples need."""


def check_needs(test: str, needs: frozenset[Need], case: PairCase) -> None:
    """Raise an error with the reason unless the case has what a test needs."""
    for need in Need:  # in their order, whatever that of the set
        if need in needs:
            error = _CHECKS[need](test, case)
            if error is not None:
                raise error


def _yes_or_no(test: str, case: PairCase) -> BbcError | None:
    if is_yes_or_no(case):
        return None
    return UnsupportedError(
        f"{test} is for shares of samples, such as accuracy and error; {case.metric.label} is not "
        "one of them",
        hint=f"{WHATEVER}, which take every metric",
    )


def _auc(test: str, case: PairCase) -> BbcError | None:
    if case.metric.name == AUC.name:
        return None
    return UnsupportedError(
        f"{test} is for the AUC of two classes, not for {case.metric.label}",
        hint=f"{WHATEVER}, which take every metric",
    )


def _one_repeat(test: str, case: PairCase) -> BbcError | None:
    if case.matrix.n_repeats == 1:
        return None
    return UnsupportedError(
        f"{test} counts samples once, and {case.matrix.n_repeats} repeats predict each again",
        hint=f"{WHATEVER}, which average over repeats",
    )


def _in_common(test: str, case: PairCase) -> BbcError | None:
    if in_common(case).any():
        return None
    return UndefinedError(
        f"{test} compares the samples that all of its configurations predict; "
        f"{listing(case.names)} have none in common",
        hint=f"{WHATEVER}, which score each on the samples that it predicts",
    )


def _ungrouped(test: str, case: PairCase) -> BbcError | None:
    if case.matrix.groups is None:
        return None
    return UnsupportedError(
        f"{test} takes samples for independent, and these come in groups",
        hint=f"{WHATEVER}, which take whole groups",
    )


def _unweighted(test: str, case: PairCase) -> BbcError | None:
    if case.matrix.outcome.weights is None:
        return None
    return UnsupportedError(f"{test} takes no sample weights", hint=f"{WHATEVER}, which take them")


def _folds(test: str, case: PairCase) -> BbcError | None:
    matrix = case.matrix
    if matrix.repeated_holdout:
        return None
    if matrix.folds is None:
        return UndefinedError(
            f"{test} needs to know the fold of each sample",
            hint="add a fold column (--fold NAME) or a folds file (--folds FILE)",
        )
    if (matrix.n_folds or 0) < 2:
        return UndefinedError(f"{test} needs at least two folds; there is one", hint=WHATEVER)
    return None


def _five_by_two(test: str, case: PairCase) -> BbcError | None:
    numbers = (
        []
        if case.matrix.repeated_holdout
        else [len(distinct(row)) for row in folds_of(case.matrix)]
    )
    if numbers == [2] * 5:
        return None
    repeats, n_folds = count(case.matrix.n_repeats, "repeat"), case.matrix.n_folds or 0
    what = "of a hold-out" if case.matrix.repeated_holdout else f"of {count(n_folds, 'fold')}"
    verb = "is" if case.matrix.n_repeats == 1 else "are"
    return UndefinedError(
        f"{test} needs exactly 5 repeats of 2 folds; there {verb} {repeats} {what}",
        hint="corrected-t, for any number of repeats and folds",
    )


_CHECKS: dict[Need, Callable[[str, PairCase], BbcError | None]] = {
    Need.YES_OR_NO: _yes_or_no,
    Need.AUC: _auc,
    Need.ONE_REPEAT: _one_repeat,
    Need.IN_COMMON: _in_common,
    Need.UNGROUPED: _ungrouped,
    Need.UNWEIGHTED: _unweighted,
    Need.FOLDS: _folds,
    Need.FIVE_BY_TWO: _five_by_two,
}
