"""The plan of an analysis: resamples, intervals, pooling, seed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from bbccli.domain.choices import (
    OF_SEVERAL,
    Calibration,
    Guided,
    IntervalKind,
    Models,
    Pooling,
    Select,
    Side,
)
from bbccli.errors import OptionError, parameter
from bbccli.platform.arguments import coerce_fields
from bbccli.platform.dataclass import dataclass

if TYPE_CHECKING:
    from bbccli.types import Direction


FIRST_RESAMPLES = 1000
"""An automatic number of resamples is first judged after this many, and grows in such steps."""

LARGEST_N_RESAMPLES = 1_000_000
"""With more, the Monte Carlo error is below a thousandth of the standard error."""

LARGEST_SEED = 2**63 - 1
"""Largest integer that all forms of a result can hold."""

MOST_RESAMPLES = 100_000
"""Limit of an automatic number of resamples."""


GREEDY_ROUNDS = 25
"""Rounds of greedy selection, as in AutoGluon."""

TUNED = "tuned"
"""In place of a cut: the best one, chosen in every resample."""
AS_SKLEARN = "sklearn"
"""In place of a cut: that of scikit-learn's `TunedThresholdClassifierCV`."""
OF_TOOL = "tool"
"""In place of a cut: that of the tool, chosen in every resample as the tool did."""

MOST_MEMBERS = 1000
"""Rounds, or configurations of a mean, at most."""

CLIP = 2.0**-23
"""Least probability of the true class in logarithms: 2**-23, the resolution of float32 near 1.

Below it, files in float32 and float64 would differ: 1 - 1e-9 is 1 in float32.
"""

TOLERANCE = 0.001
"""Monte Carlo standard error that an automatic number of resamples aims at."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything besides data and metric that the numbers of an estimate depend on.

    A choice is given as a member or as its word, ``Side.LOWER`` or ``"lower"``.

    n_resamples: bootstrap resamples, B >= 1; with a tolerance, the most to use
    level: level of the intervals, in (0, 1)
    side: ends of the interval to estimate
    pooling: performance on pooled predictions, mean over folds, or pairs within folds
    select: the best configuration, a simple one within one standard error, or an ensemble
    interval: how intervals are made of resample distributions
    guard: true if intervals count one more sample of worst performance
    seed: seed of all random draws, >= 0
    tolerance: largest Monte Carlo standard error; null for a fixed n_resamples
    clip: least probability of the true class in logarithms, in (0, 0.5)
    evaluation_share: fraction of the samples that split methods evaluate on, in [0, 1)
    models: the winner is trained again, or used as it is; null before the data are known
    cap: errors are capped at this quantile of the outcome's distances from its median, in (0, 1];
        null for no cap
    size_correction: true if bbc corrects metrics other than means for the number of samples left
        out
    selection: performances by which the tool that left the file selected; null if pooling was given
        or nothing is known
    guided: what the search saw of its earlier configurations: nothing, their scores, or the
        samples; null if it was not said
    members: rounds of greedy, or configurations of mean; null for other rules of selection
    calibrate: calibration that is fitted in each resample; null for none
    cut: how the cut is chosen in each resample: tuned for the first metric, tuned:METRIC, sklearn
        or sklearn:METRIC, as TunedThresholdClassifierCV does, or tool, as the tool does; null where
        it is fixed

    Raises
    ------
    OptionError
        A value of the wrong type; `n_resamples` below 1 or over 1,000,000, `level` outside (0, 1),
        a `tolerance` that is not positive, `evaluation_share` outside [0, 1), `clip` outside (0,
        0.5), `cap` outside (0, 1], or a seed that is negative or over 2**63 - 1.
    """

    n_resamples: int = 1000
    level: float = 0.95
    side: Side = Side.TWO
    pooling: Pooling = Pooling.POOLED
    select: Select = Select.BEST
    interval: IntervalKind = IntervalKind.PERCENTILE
    guard: bool = True
    seed: int = 0
    tolerance: float | None = None
    clip: float = CLIP
    evaluation_share: float = 0.25
    models: Models | None = None
    cap: float | None = None
    size_correction: bool = field(default=True, metadata={"since": "1.0"})
    selection: Pooling | None = field(default=None, metadata={"since": "1.0"})
    guided: Guided | None = field(default=None, metadata={"since": "1.0"})
    members: int | None = field(default=None, metadata={"since": "1.1"})
    calibrate: Calibration | None = field(default=None, metadata={"since": "1.1"})
    cut: str | None = field(default=None, metadata={"since": "1.1"})

    def __post_init__(self) -> None:
        _, colon, number = str(self.select).partition(":")
        if colon:
            object.__setattr__(self, "select", str(self.select).partition(":")[0])
            object.__setattr__(self, "members", _members(number))
        coerce_fields(self)
        self._check_members()
        if self.cut is not None and not chooses_cut(self.cut):
            raise OptionError(
                f"{parameter('threshold')} is {self.cut!r}", hint="a number, tuned or tuned:f1"
            )
        if self.n_resamples < 1:
            raise OptionError(
                f"{parameter('n_resamples')} is {self.n_resamples}",
                hint="at least 1; the papers use 1000",
            )
        if self.n_resamples > LARGEST_N_RESAMPLES:
            raise _too_many_resamples()
        _check_level(self.level)
        if self.tolerance is not None and not 0 < self.tolerance < math.inf:
            raise OptionError(
                f"{parameter('tolerance')} is {self.tolerance:g}", hint="for example 0.001"
            )
        if not 0 <= self.evaluation_share < 1:
            raise OptionError(
                f"{parameter('evaluation_share')} is {self.evaluation_share:g}, not in [0, 1)",
                hint="for example 0.25; with 0 all samples select and evaluate",
            )
        if not 0 < self.clip < 0.5:
            raise OptionError(
                f"{parameter('clip')} is {self.clip:g}, not between 0 and 0.5",
                hint="for example 1e-7",
            )
        if self.cap is not None and not 0 < self.cap <= 1:
            raise OptionError(
                f"{parameter('cap')} is {self.cap:g}, not above 0 and at most 1",
                hint="for example 0.95",
            )
        if self.seed < 0:
            raise OptionError(f"{parameter('seed')} is {self.seed}", hint="an integer, 0 or more")
        if self.seed > LARGEST_SEED:
            raise OptionError(
                f"{parameter('seed')} is over {LARGEST_SEED}", hint="use a smaller integer"
            )

    @property
    def makes(self) -> bool:
        """True if the predictions to report on are made from those of the configurations."""
        return self.select in OF_SEVERAL or self.calibrate is not None or self.cut is not None

    @property
    def making(self) -> str:
        """The option by which predictions are made; empty where they are used as they are."""
        if self.select in OF_SEVERAL:
            return parameter("select", self.rule)
        if self.cut is not None:
            return parameter("threshold", self.cut)
        return parameter("calibrate", self.calibrate) if self.calibrate is not None else ""

    @property
    def single(self) -> Plan:
        """The plan of selecting a single configuration, used as it is."""
        if not self.makes:
            return self
        select = Select.BEST if self.select in OF_SEVERAL else self.select
        return replace(self, select=select, members=None, calibrate=None, cut=None)

    @property
    def rule(self) -> str:
        """The rule of selection, with its number."""
        return str(self.select) + ("" if self.members is None else f":{self.members}")

    def _check_members(self) -> None:
        """Refuse a number that the rule can't take, and complete that of greedy."""
        if self.select is Select.GREEDY and self.members is None:
            object.__setattr__(self, "members", GREEDY_ROUNDS)
        if self.members is None and self.select is not Select.MEAN:
            return
        given = parameter("select", self.rule)
        if self.select is Select.MEAN and self.members is None:
            raise OptionError(f"{given} lacks its number", hint=f"such as {given}:5")
        if self.members is not None and self.select not in (Select.GREEDY, Select.MEAN):
            hint = parameter("select", self.select)
            raise OptionError(f"{given}: the rule takes no number", hint=hint)
        if self.members is not None and not 1 <= self.members <= MOST_MEMBERS:
            raise OptionError(
                f"{given}: the number is not in 1 to {MOST_MEMBERS}", hint="such as greedy:25"
            )

    def side_of(self, direction: Direction) -> Side:
        """Return the side of intervals of a metric; the pessimistic one as lower or upper."""
        return direction.pessimistic() if self.side is Side.PESSIMISTIC else self.side

    def probabilities(self, direction: Direction) -> tuple[float | None, float | None]:
        """Return the probabilities of the two ends; None for an end that is the metric's bound."""
        side, outside = self.side_of(direction), 1 - self.level
        if side is Side.TWO:
            return outside / 2, 1 - outside / 2
        return (outside, None) if side is Side.LOWER else (None, 1 - outside)


def chooses_cut(text: str) -> bool:
    """Return whether a text says how a cut is chosen."""
    way, colon, metric = text.partition(":")
    return text == OF_TOOL or (way in (TUNED, AS_SKLEARN) and bool(colon) == bool(metric))


def _members(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise OptionError(
            f"{parameter('select')}: {text!r} is not a number", hint="such as greedy:25 or mean:5"
        )
    return int(text)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        percent = 1 < level < 100
        example = parameter("level", level / 100 if percent else 0.95)
        raise OptionError(
            f"{parameter('level')} is {level:g}, not between 0 and 1",
            hint=example if percent else f"for example {example}",
        )


def n_draws(plan: Plan) -> int:
    """Return the number of draws of a plan, at most 10,000 if it is automatic.

    With 10,000, p = 0.05 has a standard error of 0.002.

    Examples
    --------
    >>> n_draws(Plan(n_resamples=500)), n_draws(Plan(n_resamples=100_000, tolerance=0.001))
    (500, 10000)
    """
    if plan.tolerance is None:
        return plan.n_resamples
    return min(plan.n_resamples, 10 * FIRST_RESAMPLES)


def pooling_of(
    pooling: Pooling | None, metadata: Mapping[str, Any]
) -> tuple[Pooling, Pooling | None]:
    """Return `pooling` and `selection` of a plan: the option if given, else that of the metadata.

    Examples
    --------
    >>> [str(one) for one in pooling_of(None, {"selection": "fold-mean"})]
    ['fold-mean', 'fold-mean']
    >>> [str(one) for one in pooling_of(None, {})]
    ['pooled', 'None']
    """
    known = metadata.get("selection")
    selection = None if pooling or known is None else Pooling(known)
    return pooling or selection or Pooling.POOLED, selection


def resamples_of(text: str | None, tolerance: float | None) -> tuple[int, float | None]:
    """Return `n_resamples` and `tolerance` of a plan from ``--n-resamples`` and ``--tolerance``.

    Examples
    --------
    >>> resamples_of("1000", None), resamples_of("auto", None)
    ((1000, None), (100000, 0.001))
    """
    text = "1000" if text is None else text
    if text == "auto":
        return MOST_RESAMPLES, TOLERANCE if tolerance is None else tolerance
    if tolerance is not None:
        raise OptionError(
            f"{parameter('tolerance')} determines the number of resamples, but "
            f"{parameter('n_resamples')} fixes it",
            hint=f"{parameter('n_resamples', 'auto')} {parameter('tolerance', 0.001)}",
        )
    if text.isdecimal() and len(text.lstrip("0")) > len(str(LARGEST_N_RESAMPLES)):
        raise _too_many_resamples()
    if not text.removeprefix("-").isdecimal() or len(text) > 20:
        raise OptionError(
            f"{parameter('n_resamples')} is {text[:40]!r}",
            hint="an integer such as 1000, or auto",
        )
    return int(text), None


def _too_many_resamples() -> OptionError:
    return OptionError(
        f"{parameter('n_resamples')} is over {LARGEST_N_RESAMPLES}",
        hint="more would not reduce the error noticeably; 1000 is usual",
    )
