"""What is studied: methods and changes of the plan. A variant joins by one line in `VARIANTS`.

Variants whose method or change of the plan does not exist are left out.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum, StrEnum
from typing import Any

import numpy as np

from bbccli.core.plan import Plan
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.planning.simulation import Simulated
from bbccli.types import Direction, Side
from benchmarks.validation.nested import nested_cv
from benchmarks.validation.replayed import rules
from benchmarks.validation.settings import Part

N_RESAMPLES = 1000
PLAN = Plan(n_resamples=N_RESAMPLES, level=0.95, side=Side.PESSIMISTIC, guard=False)

BIAS = frozenset({Part.BIAS, Part.REAL})
INTERVAL = frozenset({Part.INCLUSION, Part.REAL})
BOTH = BIAS | INTERVAL

RULES = ("bbcd", "brace", "hoeffding", "friedman", "anova", "win-loss", "cvst", "wilcoxon")

Result = dict[str, Any]
"""`value`, `bound` and `truth` of one variant in one repetition; or the `problem`."""


class Group(StrEnum):
    """Variants that stand in one table."""

    POINT = "estimates without an interval"
    RESAMPLES = "distributions over resamples"
    SPLIT = "evaluation on a part of the rows"
    IGNORES = "intervals that ignore the selection"


@dataclass(frozen=True, slots=True)
class Variant:
    """A method under a changed plan, in some parts of the study."""

    method: str
    group: Group
    parts: frozenset[Part]
    changes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """As on the command line: `bbc --guard`, `bbc --interval matched`."""
        words = (_flag(name, value) for name, value in self.changes.items())
        return " ".join([self.method, *words])

    @property
    def exists(self) -> bool:
        """Whether this version of the program has it."""
        has = {one.name for one in fields(Plan)}
        return (self.method in METHODS or self.method in DIRECT) and has >= set(self.changes)

    def plan(self, seed: int) -> Plan:
        """The plan, with the words of the table as the types of the plan."""
        changes = {name: _typed(name, value) for name, value in self.changes.items()}
        return replace(PLAN, seed=seed, **changes)


VARIANTS = (
    Variant("cvt", Group.POINT, BIAS),
    Variant("tt", Group.POINT, BIAS),
    Variant("wmc", Group.POINT, BIAS),
    Variant("wmcs", Group.POINT, BIAS),
    Variant("nested-selection", Group.POINT, BIAS),
    Variant("ncv-simulated", Group.POINT, frozenset({Part.BIAS, Part.DROP})),
    Variant("bbcd", Group.POINT, BIAS),
    *(Variant(f"drop {rule}", Group.POINT, frozenset({Part.DROP})) for rule in RULES),
    Variant("bbc", Group.RESAMPLES, BOTH | {Part.DROP}),
    Variant("bbc", Group.RESAMPLES, INTERVAL, {"guard": True}),
    Variant("bbc", Group.RESAMPLES, INTERVAL, {"interval": "matched"}),
    Variant("bbc", Group.RESAMPLES, INTERVAL, {"interval": "matched", "guard": True}),
    Variant("bbc-632", Group.RESAMPLES, BOTH),
    Variant("bbc-632plus", Group.RESAMPLES, BOTH),
    Variant("bbc-632", Group.RESAMPLES, INTERVAL, {"guard": True}),
    Variant("bbc-f", Group.RESAMPLES, INTERVAL),
    Variant("bbc-f", Group.RESAMPLES, INTERVAL, {"guard": True}),
    Variant("bbc-f", Group.RESAMPLES, INTERVAL, {"interval": "matched"}),
    Variant("delong", Group.SPLIT, INTERVAL),
    Variant("hanley-mcneil", Group.SPLIT, INTERVAL),
    Variant("tilting", Group.SPLIT, INTERVAL),
    Variant("delong-10p", Group.SPLIT, INTERVAL),
    Variant("hanley-mcneil-10p", Group.SPLIT, INTERVAL),
    Variant("tilting-10p", Group.SPLIT, INTERVAL),
    Variant("mabt", Group.SPLIT, INTERVAL),
    Variant("naive-f", Group.IGNORES, INTERVAL),
    Variant("naive", Group.IGNORES, INTERVAL),
    Variant("t-folds", Group.IGNORES, INTERVAL),
    Variant("influence", Group.IGNORES, INTERVAL),
    Variant("wald", Group.IGNORES, INTERVAL),
    Variant("wilson", Group.IGNORES, INTERVAL),
    Variant("clopper-pearson", Group.IGNORES, INTERVAL),
    Variant("jeffreys", Group.IGNORES, INTERVAL),
)

DIRECT: dict[str, Callable[[Simulated, Plan], Result]] = {"ncv-simulated": nested_cv, **rules()}
"""Those that need the law of the matrix, or tell more than an estimate."""


def existing(part: Part) -> list[Variant]:
    """Variants of a part that this version of the program has."""
    return [one for one in VARIANTS if part in one.parts and one.exists]


def result(variant: Variant, simulated: Simulated, seed: int) -> Result:
    """What a variant says of one matrix, beside the truth of the winner that it names."""
    metric = METRICS[simulated.metric]
    try:
        plan = variant.plan(seed)
        if variant.method in DIRECT:
            return DIRECT[variant.method](simulated, plan)
        found = METHODS[variant.method].run(simulated.matrix, metric, plan)
    except (UndefinedError, UnsupportedError) as error:
        return {"problem": error.problem}
    if not np.isfinite(found.value):
        return {"problem": f"the estimate is {found.value}"}
    bound = None
    if found.interval is not None:
        interval = found.interval
        bound = interval.lower if metric.direction is Direction.MAXIMIZE else interval.upper
        bound = float(bound) if np.isfinite(bound) else None
    return {"value": found.value, "bound": bound, "truth": simulated.truth(found.winner)}


def _flag(name: str, value: object) -> str:
    option = f"--{name.replace('_', '-')}"
    return option if value is True else f"{option} {value}"


def _typed(name: str, value: object) -> object:
    default = next(one.default for one in fields(Plan) if one.name == name)
    return type(default)(value) if isinstance(default, Enum) else value
