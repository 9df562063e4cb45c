"""The inner loops, and the one place that chooses among their forms.

All forms count in whole numbers and agree to the last bit.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal
from warnings import catch_warnings, simplefilter

from bbccli.errors import OptionError, parameter
from bbccli.metrics.kernels import product
from bbccli.metrics.kernels.pairs import LONG, PresortedPairs, largest_total, presort
from bbccli.platform import resources
from bbccli.platform.resources import Engine, Resources
from bbccli.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from bbccli.metrics.kernels.censored import CensoredPairs
    from bbccli.metrics.kernels.running import Numbers

__all__ = [
    "compiled_forms",
    "concordant_paired",
    "concordant_weight",
    "concordant_weight_censored",
    "decide",
    "forms_of",
    "prepared",
]

WORTH_COMPILED = 3 * 10**8
"""Samples x sweeps x resamples that take numpy as long as it takes to import numba."""


def prepared(scores: FloatArray, cases: BoolArray, controls: BoolArray) -> PresortedPairs:
    """Prepare scores (N, C) for every form of the count. Time O(C N log N), memory O(C N)."""
    compiled = len(scores) >= LONG and resources.current().engine is Engine.NUMBA
    if compiled:
        compiled_forms().compile_first()
    pairs = presort(scores, cases, controls, compiled_forms().fill if compiled else None)
    if not product.pays(pairs.n_pairs, scores.shape[1]):
        return pairs
    return replace(pairs, outcomes=product.pair_outcomes(scores, cases, controls))


def decide(n_elements: int) -> Resources:
    """Return the resources in force with the engine settled for work of this size.

    `auto` takes the compiled form if it is installed and the work pays for its import, unless Numba
    does not start.

    Raises OptionError: the compiled engine is asked for by name and not installed, or does not
        start.
    """
    settled = resources.current()
    if settled.engine is Engine.NUMBA:
        compiled_forms()
    if settled.engine is not Engine.AUTO:
        return settled
    loaded = "bbccli.metrics.kernels.compiled" in sys.modules
    worth = loaded or (n_elements >= WORTH_COMPILED and find_spec("numba") is not None)
    return replace(settled, engine=Engine.NUMBA if worth and not _fault() else Engine.NUMPY)


def compiled_forms() -> Any:
    """Return the compiled forms, which are loaded when they are first asked for.

    Raises OptionError: numba is not installed, or does not start.
    """
    fault = _fault()
    if not fault:
        return sys.modules["bbccli.metrics.kernels.compiled"]
    numba, numpy = (parameter("engine", engine) for engine in (Engine.NUMBA, Engine.NUMPY))
    if find_spec("numba") is None:
        raise OptionError(
            f"{numba} needs numba, which is not installed",
            hint=f"pip install 'bbccli[fast]', or {numpy}",
        )
    raise OptionError(
        f"{numba}: Numba does not start: {fault}",
        hint=f"correct or unset variables such as NUMBA_NUM_THREADS, or {numpy}",
    )


@cache
def _fault() -> str:
    """Load the compiled forms; return why they can't be loaded, or nothing.

    For settings of the environment, a version of numpy or a folder that it can't use, Numba raises
    whatever it comes to. Of settings that it can't read and leaves out it warns with a traceback.
    """
    try:
        with catch_warnings():
            simplefilter("ignore")
            for name in ("compiled", "compiled_members", "compiled_cuts"):
                import_module(f"bbccli.metrics.kernels.{name}")
    except Exception as error:
        return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
    return ""


def concordant_weight(
    pairs: PresortedPairs, weights: IntArray, configurations: IntArray
) -> IntArray:
    """Twice the weight of concordant pairs, ties counting one half: exact integers.

    pairs: the prepared pairs of all configurations.
    weights (B, N) non-negative integers: one weighting of the samples per row.
    configurations (C',) int: which configurations.
    Returns (B, C') int64: sum over cases i and controls j of w_i w_j (2 [s_i > s_j] + [s_i = s_j]).
        Time O(B C' N).
    """
    compiled = compiled_forms() if resources.current().engine is Engine.NUMBA else None
    if len(weights) == 1 and (weights == 1).all():
        return pairs.counted(configurations)[None]
    if compiled:
        counts: IntArray = compiled.concordant_weight(pairs, weights, configurations)
        return counts
    if pairs.outcomes is not None and largest_total(pairs, weights) <= product.LARGEST_EXACT:
        return product.concordant_weight(pairs, pairs.outcomes, weights, configurations)
    from bbccli.metrics.kernels import sweep

    return sweep.concordant_weight(pairs, weights, configurations)


def concordant_paired(
    pairs: PresortedPairs, weights: Numbers, configurations: IntArray
) -> IntArray | None:
    """The same (B,) of one configuration per row of weights; None where each is swept alone."""
    if weights.dtype.kind == "f":
        return None
    if resources.current().engine is Engine.NUMBA:
        counts: IntArray = compiled_forms().concordant_paired(pairs, weights, configurations)
        return counts
    if pairs.outcomes is None or largest_total(pairs, weights) > product.LARGEST_EXACT:
        return None
    return product.concordant_paired(pairs, pairs.outcomes, weights, configurations)


def concordant_weight_censored(
    pairs: CensoredPairs, weights: Numbers, configurations: IntArray
) -> Numbers:
    """Twice the weight of the concordant pairs among censored samples; ties in risk count one half.

    pairs: the prepared pairs of all configurations.
    weights (B, N) non-negative: one weighting of the samples per row.
    configurations (C',) int: which configurations.
    Returns (B, C') int64 or float64: sum over comparable pairs, i the earlier, of w_i s_i w_j (2
        [r_i > r_j] + [r_i = r_j]), where s_i are the factors. Whole weights without factors are
        counted in whole numbers, and all forms agree to the last bit. Time O(B C' N log N), or O(B
        C' N^2) for few samples.
    """
    if resources.current().engine is Engine.NUMBA:
        counts: Numbers = compiled_forms().concordant_weight_censored(
            pairs, weights, configurations
        )
        return counts
    if product.pays_censored(pairs, weights):
        return product.concordant_weight_censored(pairs, weights, configurations)
    from bbccli.metrics.kernels import sweep

    return sweep.concordant_weight_censored(pairs, weights, configurations)


def loop_forms(loops: Literal["cuts", "members"]) -> Any:
    """Return the forms of inner loops: compiled ones, or those of numpy."""
    compiled = "compiled_" * (resources.current().engine is Engine.NUMBA)
    if compiled:
        compiled_forms()
    return import_module(f"bbccli.metrics.kernels.{compiled}{loops}")
